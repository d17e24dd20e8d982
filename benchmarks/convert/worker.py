"""Converts one file in a process of its own: messages to columns, or a Parquet file to messages. Prints the seconds from the
input's first byte to the output's last one, without the import of packages.
usage: worker.py PEER SCHEMA MESSAGE PROTO_ROOT PROTO INPUT OUTPUT THREADS
"""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "pydata"))


def batches(path, rows=4096, size_bytes=4 << 20):
    """Lists of messages. Each list is converted at a time."""
    import framing

    batch, taken = [], 0
    for message in framing.read_delimited(path):
        batch.append(message)
        taken += len(message)
        if len(batch) == rows or taken >= size_bytes:
            yield batch
            batch, taken = [], 0
    if batch:
        yield batch


def write_messages(output, batches_of_messages):
    import framing

    with output.open("wb") as file:
        for messages in batches_of_messages:
            file.write(framing.frame_delimited(messages))


def writer_of(output, schema):
    import pyarrow as pa
    import pyarrow.parquet as pq

    if output.suffix == ".parquet":
        return pq.ParquetWriter(output, schema, compression="zstd")
    return pa.ipc.new_file(output, schema)


def ptars(schema, message, _root, _proto, source, output, _threads):
    from google.protobuf import descriptor_pb2, descriptor_pool
    from ptars import HandlerPool

    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(schema.read_bytes()).file:
        pool.Add(file)
    descriptor = pool.FindMessageTypeByName(message)
    handler = HandlerPool([descriptor.file]).get_for_message(descriptor)
    yield
    if source.suffix == ".parquet":
        import pyarrow.parquet as pq

        read = pq.ParquetFile(source).iter_batches(4096)
        write_messages(output, (handler.record_batch_to_array(batch).to_pylist() for batch in read))
        return
    writer = None
    for batch in batches(source):
        columns = handler.list_to_record_batch(batch)
        writer = writer or writer_of(output, columns.schema)
        writer.write_batch(columns)
    writer.close()


def python_protobuf(schema, message, _root, _proto, source, output, _threads):
    """Parses each message, makes a dict from it, and gives it to pyarrow, with the types of our file: output.schema.arrow. On
    the way back, makes a message from each of the dicts that pyarrow reads."""
    import pyarrow as pa
    import rows

    message_class = rows.message_class(schema, message)
    if source.suffix == ".parquet":
        import pyarrow.parquet as pq

        def serialized(row):
            message = message_class()
            rows.fill_message(message, row)
            return message.SerializeToString()

        yield
        read = pq.ParquetFile(source).iter_batches(4096)
        write_messages(output, ([serialized(row) for row in batch.to_pylist()] for batch in read))
        return
    with pa.ipc.open_file(f"{output}.schema.arrow") as file:
        columns = file.schema

    def fields_of(descriptor, struct):
        """The struct's fields, without the columns that show which member of a oneof is set, because these are not fields."""
        names = {f"[{field.full_name}]" if field.is_extension else field.name: field for field in all_fields(descriptor)}
        kept = [field for field in struct if field.name in names]
        return pa.struct([pa.field(field.name, type_of(names[field.name], field.type)) for field in kept])

    def all_fields(descriptor):
        return [*descriptor.fields, *descriptor.file.pool.FindAllExtensions(descriptor)]

    def type_of(field, arrow_type):
        if field.message_type is None:
            return arrow_type
        if rows.is_map(field):
            return pa.map_(arrow_type.key_type, type_of(field.message_type.fields_by_name["value"], arrow_type.item_type))
        if pa.types.is_large_list(arrow_type):
            return pa.large_list(type_of(field, arrow_type.value_type))
        return fields_of(field.message_type, arrow_type) if pa.types.is_struct(arrow_type) else arrow_type

    def value_of(field, arrow_type, value):
        if field.message_type is None:
            return value
        if pa.types.is_struct(arrow_type):
            return dict_of(value, arrow_type)
        return value.SerializeToString()  # a type that contains itself: our columns end here, too

    def dict_of(parsed, arrow_type):
        row = {}
        for field, value in parsed.ListFields():
            name = f"[{field.full_name}]" if field.is_extension else field.name
            index = arrow_type.get_field_index(name)
            if index < 0:
                continue
            inner = arrow_type.field(index).type
            if rows.is_map(field):
                entry = field.message_type.fields_by_name["value"]
                row[name] = [(key, value_of(entry, inner.item_type, value[key])) for key in value]
            elif field.is_repeated:
                row[name] = [value_of(field, inner.value_type, element) for element in value]
            else:
                row[name] = value_of(field, inner, value)
        return row

    whole = fields_of(message_class.DESCRIPTOR, pa.struct(list(columns)))
    columns = pa.schema(list(whole))
    yield
    with writer_of(output, columns) as writer:
        for batch in batches(source):
            parsed = [dict_of(message_class.FromString(payload), whole) for payload in batch]
            writer.write_batch(pa.RecordBatch.from_pylist(parsed, schema=columns))


def clickhouse(_schema, message, root, proto, source, output, threads):
    import chdb

    os.chdir(root)  # the folder where it looks for .proto files
    chdb.query("SELECT 1")
    output_format = "Parquet" if output.suffix == ".parquet" else "Arrow"
    settings = (
        f"format_schema='{proto}:{message.rpartition('.')[2]}', max_threads={threads}, "
        "output_format_parquet_compression_method='zstd', output_format_arrow_compression_method='none', "
        "engine_file_truncate_on_insert=1, input_format_protobuf_flatten_google_wrappers=0"
    )
    yield
    formats = ("Parquet", "Protobuf") if source.suffix == ".parquet" else ("Protobuf", output_format)
    target = f"INSERT INTO FUNCTION file('{output}', '{formats[1]}')"
    chdb.query(f"{target} SELECT * FROM file('{source}', '{formats[0]}') SETTINGS {settings}")


PEERS = {"ptars": ptars, "python-protobuf": python_protobuf, "clickhouse": clickhouse}


def main():
    peer, schema, message, root, proto, source, output, threads = sys.argv[1:]
    schema, root, source, output = map(pathlib.Path, (schema, root, source, output))
    work = PEERS[peer](schema, message, root, proto, source, output, threads)
    next(work)  # the work that is done once for a schema
    begin = time.perf_counter()
    for _ in work:
        pass
    print(time.perf_counter() - begin)


if __name__ == "__main__":
    main()
