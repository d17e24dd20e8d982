"""parse_examples(): from tf.Examples to columns, by the operation StructtensorParseExamples."""

import tensorflow as tf
from structtensor import _examples
from structtensor.io import parse_examples as _parse_examples

from ._decode import build, ops, types_of


def parse_examples(serialized, features, *, name=None):
    """The features of serialized tf.Examples, as fields of a StructuredTensor with one row for each message.

    serialized   a vector of strings
    features     a dict from names to tf.io's or structtensor's FixedLenFeature, FixedLenSequenceFeature, VarLenFeature,
                 RaggedFeature and SparseFeature

    Accepts and rejects the same messages as tf.io.parse_example. A VarLenFeature gives a ragged tensor, a SparseFeature gives
    structs of indices and values. Raises tf.errors.InvalidArgumentError, with row and feature, for damaged messages and missing
    features.
    """
    plain = _examples._plain_features("features", features)
    spec = _parse_examples([], features).spec
    strings = []
    for feature, fields in plain:
        strings += [feature, *_strings_of(fields)]
    serialized = tf.convert_to_tensor(serialized, tf.string, name="serialized")
    columns = ops.structtensor_parse_examples(serialized=serialized, features=strings, Tout=list(types_of(spec, 0)), name=name)
    shapes = []
    for (_, fields), field in zip(plain, spec.fields.values()):
        of_field = list(_shapes_of(field, 0))
        if fields[0] == "FixedLenSequenceFeature":
            of_field[0][1] = None  # as long as the longest row
        shapes += of_field
    columns = [tf.ensure_shape(column, shape) for column, shape in zip(columns, shapes)]
    return build(spec, 0, iter(columns), lambda: tf.shape(serialized, out_type=tf.int64)[0])


def _shapes_of(spec, outer):
    """The static shapes of the columns. Axes after the first one are dense."""
    fields = getattr(spec, "fields", None)
    if fields is not None:
        partitions = len(spec.row_partitions)
        yield from [[None]] * (partitions - outer)
        for field in fields.values():
            yield from _shapes_of(field, partitions)
    elif hasattr(spec, "ragged_rank"):
        yield from [[None]] * (spec.ragged_rank - outer)
        yield [None, *spec.shape[1 + spec.ragged_rank :]]
    else:
        yield [None, *spec.shape[1:]]


def _strings_of(fields):
    """The strings that describe one feature to parse_examples_op.cc."""
    kind, dtype, *rest = fields
    strings = [kind, _dtype_text(dtype)]
    if kind == "FixedLenFeature":
        shape, default = rest
        strings += _integers(shape) + _defaults(default)
    elif kind == "FixedLenSequenceFeature":
        shape, allow_missing, default = rest
        strings += [*_integers(shape), str(int(allow_missing)), *_defaults(default)]
    elif kind == "RaggedFeature":
        value_key, partitions, splits_dtype = rest
        strings += [value_key or "", str(len(partitions))]
        for partition, value in partitions:
            strings += [partition, str(value)]
        strings.append(_dtype_text(splits_dtype))
    elif kind == "SparseFeature":
        keys, value_key, size, already_sorted = rest
        strings += [str(len(keys)), *keys, value_key, *_integers(size), str(int(already_sorted))]
    return strings


def _dtype_text(dtype):
    name = dtype if isinstance(dtype, str) else {str: "string", bytes: "bytes", float: "float", int: "int64"}.get(dtype)
    name = tf.as_dtype(dtype).name if name is None else name
    return {"float32": "float"}.get(name, name)


def _integers(values):
    values = [] if values is None else list(values)
    return [str(len(values)), *(str(int(value)) for value in values)]


def _defaults(default):
    if default is None:
        return ["-1"]
    values = default.to_py()
    return [str(len(values)), *(value if isinstance(value, (str, bytes)) else repr(value) for value in values)]
