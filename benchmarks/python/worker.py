"""Decodes one file of messages in a process of its own. usage: worker.py CONTENDER SCHEMA MESSAGE INPUT [ARROW_OUTPUT]

Without an output: prints the seconds for a list of all messages, as the median of three runs after a first run that does not
count. To read the file, and the work that is done once for a schema, do not count either. With an output: writes the columns to
it.
"""

import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "pydata"))

import framing


def descriptor_of(schema, message):
    from google.protobuf import descriptor_pb2, descriptor_pool

    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(schema.read_bytes()).file:
        pool.Add(file)
    return pool.FindMessageTypeByName(message)


def structtensor(schema, message):
    import structtensor as st

    return st.Schema.from_descriptor_set(schema.read_bytes(), message).decoder().decode


def ptars(schema, message):
    from ptars import HandlerPool

    descriptor = descriptor_of(schema, message)
    return HandlerPool([descriptor.file]).get_for_message(descriptor).list_to_record_batch


def python_protobuf(schema, message):
    """Only parses. Today's programs do this before they make columns from the messages."""
    from google.protobuf import message_factory

    parse = message_factory.GetMessageClass(descriptor_of(schema, message)).FromString
    return lambda messages: [parse(each) for each in messages]


CONTENDERS = {"structtensor": structtensor, "ptars": ptars, "python-protobuf": python_protobuf}


def write(columns, output):
    import pyarrow as pa

    table = pa.table(columns) if hasattr(columns, "__arrow_c_array__") else pa.Table.from_batches([columns])
    with pa.ipc.new_file(output, table.schema) as file:
        file.write_table(table)


def seconds(decode, messages):
    begin = time.perf_counter()
    decoded = decode(messages)
    taken = time.perf_counter() - begin
    del decoded
    return taken


def main():
    contender, schema, message, source, *output = sys.argv[1:]
    decode = CONTENDERS[contender](pathlib.Path(schema), message)
    messages = list(framing.read_delimited(pathlib.Path(source)))
    if output:
        write(decode(messages), output[0])
        return
    seconds(decode, messages)
    print(statistics.median(seconds(decode, messages) for _ in range(3)))


if __name__ == "__main__":
    main()
