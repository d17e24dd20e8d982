"""Times one real set in TensorFlow, in a process of its own. bench.py starts it.

Arguments: the file of messages, the descriptor set, the message type, the bytes of a batch, the turns. Prints a JSON object.
"""

import json
import os
import pathlib
import statistics
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "tools" / "pydata"))

import framing
import numpy as np
import structtensor as st
import structtensor.tf
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

F = descriptor_pb2.FieldDescriptorProto
# struct2tensor's functions are far slower. They get fewer messages, and the time per message counts.
FEWER = 4
DECODE_PROTO_TYPES = {
    F.TYPE_DOUBLE: tf.float64, F.TYPE_FLOAT: tf.float32, F.TYPE_INT64: tf.int64, F.TYPE_UINT64: tf.uint64,
    F.TYPE_INT32: tf.int32, F.TYPE_FIXED64: tf.uint64, F.TYPE_FIXED32: tf.uint32, F.TYPE_BOOL: tf.bool,
    F.TYPE_STRING: tf.string, F.TYPE_GROUP: tf.string, F.TYPE_MESSAGE: tf.string, F.TYPE_BYTES: tf.string,
    F.TYPE_UINT32: tf.uint32, F.TYPE_ENUM: tf.int32, F.TYPE_SFIXED32: tf.int32, F.TYPE_SFIXED64: tf.int64,
    F.TYPE_SINT32: tf.int32, F.TYPE_SINT64: tf.int64,
}  # fmt: skip


def leaf_paths(descriptor, around=()):
    """(names, field) of all fields with values, except extensions. A type inside itself is left out."""
    for field in descriptor.fields:
        if field.message_type is None:
            yield (field.name,), field
        elif field.message_type not in around and field.message_type is not descriptor:
            for names, leaf in leaf_paths(field.message_type, (*around, descriptor)):
                yield (field.name, *names), leaf


def flat_of(rows, names):
    """The elements of our field."""
    found = rows
    for name in names:
        found = found.fields[name] if hasattr(found, "fields") else found
    return found.flat_values if isinstance(found, tf.RaggedTensor) else found


def occurring(rows, around=()):
    """The names of the fields that have structs. decode_proto can only be asked for these, because it fails if there are no
    messages."""
    found = set()
    for name, field in rows.fields.items():
        if hasattr(field, "fields") and int(field.row_splits[-1][-1] if field.row_splits else field.nrows()) > 0:
            found |= {(*around, name)} | occurring(field, (*around, name))
    return found


def decode_proto_reader(descriptor, set_bytes, structs):
    """A function from serialized messages to {names: flat values}. It reads one level of messages at a time, as
    tf.io.decode_proto does."""
    source = b"bytes://" + set_bytes

    def read(descriptor, serialized, path):
        fields = [
            field
            for field in descriptor.fields
            if field.message_type is None or ((*path, field.name) in structs and field.type != F.TYPE_GROUP)
        ]
        if not fields:
            return {}
        types = [DECODE_PROTO_TYPES[field.type] for field in fields]
        sizes, values = tf.io.decode_proto(
            serialized, descriptor.full_name, [f.name for f in fields], types, descriptor_source=source
        )
        result = {}
        for i, field in enumerate(fields):
            present = tf.sequence_mask(sizes[:, i], tf.shape(values[i])[1])
            flat = tf.boolean_mask(values[i], present)
            if field.message_type is None:
                result[field.name] = flat
            else:
                inner = read(field.message_type, flat, (*path, field.name))
                result.update({f"{field.name}.{name}": value for name, value in inner.items()})
        return result

    # decode_proto does not find fields in groups.
    return lambda serialized: read(descriptor, serialized, ())


def plain_tensors(function):
    """Makes all contenders return plain tensors: to make values with many parts in Python takes longer than a small batch."""
    return lambda serialized: tf.nest.flatten(function(serialized), expand_composites=True)


def same(ours, theirs):
    ours, theirs = ours.numpy(), theirs.numpy()
    if ours.dtype.kind in "SO":
        return ours.tolist() == theirs.tolist()
    return np.array_equal(ours, theirs.astype(ours.dtype), equal_nan=ours.dtype.kind == "f")


def same_values(leaf, ours, theirs):
    """Whether the values are equal. For a field without presence, our values have defaults for empty messages; only values that
    are not the default are compared then."""
    if not leaf.has_presence and leaf.label != leaf.LABEL_REPEATED:
        empty = b"" if ours.dtype == tf.string else tf.zeros([], ours.dtype)
        ours, theirs = (
            tf.boolean_mask(values, tf.not_equal(values, tf.cast(empty, values.dtype) if ours.dtype != tf.string else empty))
            for values in (ours, theirs)
        )
    return same(ours, theirs)


def median_seconds(function, turns, least_seconds=0.2):
    function()
    times = []
    for _ in range(turns):
        start, runs = time.perf_counter(), 0
        while runs == 0 or time.perf_counter() - start < least_seconds:
            function()
            runs += 1
        times.append((time.perf_counter() - start) / runs)
    return statistics.median(times)


def main(file, descriptor_set, message, batch_bytes, turns):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    turns = int(turns)
    set_bytes = pathlib.Path(descriptor_set).read_bytes()
    records = list(framing.read_delimited(file))
    total = sum(map(len, records))
    messages = records * max(1, int(batch_bytes) // max(total, 1))
    few = messages[: max(1, len(messages) // FEWER)]
    pool = descriptor_pool.DescriptorPool()
    for each in descriptor_pb2.FileDescriptorSet.FromString(set_bytes).file:
        pool.Add(each)
    descriptor = pool.FindMessageTypeByName(message)
    schema = st.Schema.from_descriptor_set(set_bytes, message)
    serialized, few_serialized = tf.constant(messages), tf.constant(few)
    result = {"messages": len(messages), "megabytes": sum(map(len, messages)) / 1e6, "tensorflow": tf.__version__}

    def speed(name, function, count=len(messages)):
        result[name] = median_seconds(function, turns) / count * 1e6  # µs per message

    # All values, compared with tf.io.decode_proto.
    leaves = ["".join(f".{name}" for name in names)[1:] for names, _ in leaf_paths(descriptor)]
    decoder = structtensor.tf.Decoder(schema, select=leaves)
    rows = decoder(few_serialized)
    read = tf.function(
        decode_proto_reader(descriptor, set_bytes, occurring(rows)), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    theirs = read(few_serialized)
    differ = []
    for names, leaf in leaf_paths(descriptor):
        path = ".".join(names)
        if path in theirs and not same_values(leaf, flat_of(rows, names), theirs[path]):
            differ.append(path)
    result["decode_proto_differs"] = differ
    of_both = tf.function(plain_tensors(structtensor.tf.Decoder(schema, select=[path for path in leaves if path in theirs])),
                          input_signature=[tf.TensorSpec([None], tf.string)])  # fmt: skip
    result["decode_proto_lacks"] = [path for path in leaves if path not in theirs]
    speed("structtensor", lambda: of_both(serialized))
    speed("decode_proto", lambda: read(few_serialized), len(few))

    # Batches of 1,000 messages, and the decoder outside of TensorFlow.
    thousand = (messages * (1000 // len(messages) + 1))[:1000]
    thousand = thousand[: max(1, min(1000, (32 << 20) // max(map(len, thousand))))]  # fewer, if messages are large
    thousand_serialized = tf.constant(thousand)
    outside = schema.decoder(select=leaves, optionals="ragged", threads=1)
    # In a graph, without the cost of a call from Python.
    batches = 20

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def count(serialized):
        total = tf.zeros([], tf.int64)
        for _ in tf.range(batches):
            total += decoder(serialized).nrows()
        return total

    speed("structtensor_1000", lambda: count(thousand_serialized), len(thousand) * batches)
    speed("decoder_1000", lambda: outside.decode(thousand), len(thousand))

    try:
        import struct2tensor as s2t
    except ImportError:
        s2t = None
    if s2t is not None:
        message_class = message_factory.GetMessageClass(descriptor)

        def prensor_reader(paths):
            def read(serialized):
                expression = s2t.create_expression_from_proto(serialized, message_class.DESCRIPTOR).project(
                    [s2t.create_path(p) for p in paths]
                )
                ragged = s2t.get_ragged_tensors(s2t.calculate_prensors([expression])[0])
                return {str(path): value for path, value in ragged.items()}

            return read

        # The fields that it reads as we do, one by one, because it may be unable to read any of them.
        right, wrong = [], []
        for names, leaf in leaf_paths(descriptor):
            path, ours = ".".join(names), flat_of(rows, names)
            try:
                found = prensor_reader([path])(few_serialized)[path]
                (right if same_values(leaf, ours, found.flat_values) else wrong).append(path)
            except Exception:  # noqa: BLE001: after any error, the field is not read
                wrong.append(path)
        result["struct2tensor_fields"], result["struct2tensor_differs"] = len(right), wrong
        if right:
            of_right = structtensor.tf.Decoder(schema, select=right)
            decode_right = tf.function(plain_tensors(of_right), input_signature=[tf.TensorSpec([None], tf.string)])
            read_right = tf.function(plain_tensors(prensor_reader(right)), input_signature=[tf.TensorSpec([None], tf.string)])
            speed("structtensor_of_its_fields", lambda: decode_right(serialized))
            speed("struct2tensor", lambda: read_right(few_serialized), len(few))

    if message == "tensorflow.Example":
        features = {}
        for name, spec in st.io.infer_features(few).items():
            dtype = {"int64": tf.int64, "float": tf.float32, "float32": tf.float32}.get(spec.dtype, tf.string)
            fixed = type(spec).__name__ == "FixedLenFeature"
            features[name] = tf.io.FixedLenFeature(spec.shape, dtype) if fixed else tf.io.VarLenFeature(dtype)
        signature = [tf.TensorSpec([None], tf.string)]
        found, expected = (
            structtensor.tf.parse_examples(few_serialized, features),
            tf.io.parse_example(few_serialized, features),
        )
        ours = tf.function(
            plain_tensors(lambda serialized: structtensor.tf.parse_examples(serialized, features)), input_signature=signature
        )
        theirs = tf.function(
            plain_tensors(lambda serialized: tf.io.parse_example(serialized, features)), input_signature=signature
        )
        for name in features:
            column = expected[name].values if isinstance(expected[name], tf.SparseTensor) else expected[name]
            if not same(flat_of(found, [name]), column):
                raise SystemExit(f"parse_examples differs from tf.io.parse_example in {name}")
        speed("parse_examples", lambda: ours(serialized))
        speed("parse_example", lambda: theirs(serialized))
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
