"""tf.Example and tf.SequenceExample."""

import collections
import os
import re
import typing

import numpy

from . import _core
from . import _signatures
from ._arrow import from_arrow
from ._errors import DecodeError, check_rows

# --- Feature specs. Names, arguments and meaning are those of tf.io. The objects of tf.io are accepted, too.


class FixedLenFeature(typing.NamedTuple):
    """Each row has as many values as `shape` has elements. Gives a Tensor of shape (rows, *shape).

    dtype: int64, float32, bytes, or string, which must be valid UTF-8.
    default_value: the values of rows that lack the feature. Without it, such rows are an error.
    """

    shape: typing.Any
    dtype: typing.Any
    default_value: typing.Any = None


class FixedLenSequenceFeature(typing.NamedTuple):
    """Each row has any number of blocks of `shape`. Gives a Tensor of shape (rows, longest, *shape), padded with default_value
    (0 or "").

    In a tf.SequenceExample, each step is a block. allow_missing: rows may lack the feature, which gives no blocks; features of
    a tf.Example require it.
    """

    shape: typing.Any
    dtype: typing.Any
    allow_missing: bool = False
    default_value: typing.Any = None


class VarLenFeature(typing.NamedTuple):
    """Any number of values in each row: a RaggedTensor. In a tf.SequenceExample, each row has steps, and each step has
    values."""

    dtype: typing.Any


class SparseFeature(typing.NamedTuple):
    """The values of a sparse array of shape `size`, and their places: structs of "indices" and "values" for each row.

    index_key: the int64 feature with the indices, or a list of one feature for each axis. size: the size of each axis, one
    number or a list; indices are less than it. already_sorted: keep the order of the values; else they are sorted by their
    indices.
    """

    index_key: typing.Any
    value_key: str
    dtype: typing.Any
    size: typing.Any
    already_sorted: bool = False


class RaggedFeature(typing.NamedTuple):
    """A RaggedTensor whose values are grouped by other features of the row: partitions=[RaggedFeature.RowLengths("lengths")].

    value_key: the feature that has the values; default: the feature with the name of this one. partitions: outermost first.
    row_splits_dtype: int32 or int64. Partitions are always checked, whatever `validate` is.
    """

    dtype: typing.Any
    value_key: typing.Optional[str] = None
    partitions: typing.Any = ()
    row_splits_dtype: typing.Any = "int32"
    validate: bool = False

    class RowSplits(typing.NamedTuple):
        """The feature `key` has the row splits of a row's values, starting with 0."""

        key: str

    class RowLengths(typing.NamedTuple):
        """The feature `key` has the lengths of the groups."""

        key: str

    class RowStarts(typing.NamedTuple):
        """The feature `key` has the start of each group."""

        key: str

    class RowLimits(typing.NamedTuple):
        """The feature `key` has the end of each group."""

        key: str

    class ValueRowIds(typing.NamedTuple):
        """The feature `key` has the group of each value, counted from 0."""

        key: str

    class UniformRowLength(typing.NamedTuple):
        """All groups have `length` values."""

        length: int


_SPECS = {
    spec.__name__: spec for spec in (FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, SparseFeature, RaggedFeature)
}


def _dtype_of(dtype):
    """The name of the dtype, as the bindings take it. TensorFlow's strings are bytes."""
    if dtype is float:
        return "float"
    if type(dtype).__module__.partition(".")[0] == "tensorflow":
        return "bytes" if dtype.name == "string" else dtype.name
    if isinstance(dtype, numpy.dtype) and dtype.kind in "SO":
        return "bytes"
    return dtype


def _shape_of(shape):
    if hasattr(shape, "as_list"):  # a tf.TensorShape
        return shape.as_list()
    return [shape] if isinstance(shape, (int, numpy.integer)) and not isinstance(shape, bool) else shape


def _default_of(name, default_value, dtype):
    """The default as a vector of this dtype."""
    if default_value is None:
        return None
    if hasattr(default_value, "numpy"):  # a tf.Tensor
        default_value = default_value.numpy()
    if dtype in ("bytes", "string", bytes, str):
        values = numpy.array(default_value, dtype=object).reshape(-1).tolist()
        values = [value.encode() if isinstance(value, str) and dtype in ("bytes", bytes) else value for value in values]
        return _core.constant(values, dtype=dtype, shape=(len(values),))
    values = numpy.asarray(default_value).reshape(-1)
    try:
        kind = numpy.float32 if dtype in ("float", "float32", numpy.float32) else numpy.int64
        converted = values.astype(kind, casting="same_kind" if values.size else "unsafe")
    except TypeError:
        raise TypeError(f"feature {name!r}: default_value: {default_value!r} is not {dtype}") from None
    for value, element in zip(values.tolist(), converted.tolist()) if values.dtype.kind in "iu" else ():
        if value != element:
            raise ValueError(f"feature {name!r}: default_value: the integer {value} would lose digits as {converted.dtype}")
    return _core.constant(converted)


def _plain(name, spec):
    """A feature spec as the bindings take it: a tuple of the name of its kind and its fields."""
    kind = type(spec).__name__
    if kind not in _SPECS or not hasattr(spec, "dtype"):
        raise TypeError(f"feature {name!r}: expected one of {', '.join(_SPECS)}, found {spec!r}")
    dtype = _dtype_of(spec.dtype)
    if kind == "FixedLenFeature":
        return kind, dtype, _shape_of(spec.shape), _default_of(name, spec.default_value, dtype)
    if kind == "FixedLenSequenceFeature":
        return kind, dtype, _shape_of(spec.shape), bool(spec.allow_missing), _default_of(name, spec.default_value, dtype)
    if kind == "VarLenFeature":
        return kind, dtype
    if kind == "RaggedFeature":
        partitions = [(type(partition).__name__, partition[0]) for partition in spec.partitions]
        return kind, dtype, spec.value_key, partitions, _dtype_of(spec.row_splits_dtype)
    keys = [spec.index_key] if isinstance(spec.index_key, str) else list(spec.index_key)
    size = list(spec.size) if numpy.ndim(spec.size) else [spec.size]
    return kind, dtype, keys, spec.value_key, size, bool(spec.already_sorted)


def _plain_features(what, features):
    if not isinstance(features, collections.abc.Mapping):
        raise TypeError(f"{what}: expected a dict from names to FixedLenFeature, VarLenFeature, ...; found {features!r}")
    return [(name, _plain(name, spec)) for name, spec in features.items()]


def _spec_of(fields):
    kind = fields[0]
    # Shapes are plain tuples, as users write them.
    return _SPECS[kind](*(tuple(field) if isinstance(field, tuple) else field for field in fields[1:]))


# --- Functions


def _check_messages(what, serialized):
    """Raises TypeError for what is plainly no list or column of messages, with what to do instead."""
    if isinstance(serialized, (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor)):
        return
    if hasattr(serialized, "__arrow_c_array__") or hasattr(serialized, "__arrow_c_stream__"):
        return
    if isinstance(serialized, (bytes, bytearray)):
        advice = "; give one message as [message]"
    elif isinstance(serialized, (str, os.PathLike)) or hasattr(serialized, "read"):
        advice = "; st.io.from_examples(path) reads files"
    elif hasattr(serialized, "__iter__") or hasattr(serialized, "__getitem__"):
        return
    else:
        advice = ""
    raise TypeError(f"{what}: expected a list of bytes, or a column of them, found {type(serialized).__name__}{advice}")


@_signatures.public_in("io")
def parse_examples(serialized, features, *, on_error="fail"):
    """The features of tf.Examples as columns: parse_examples(messages, {"age": st.io.FixedLenFeature([], "int64")}).

    serialized: a list of bytes, or a column of bytes, which may be an Arrow array. features: a dict from names to
    FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, RaggedFeature and SparseFeature, or the objects of tf.io. Other
    features of the messages are skipped.

    on_error: what becomes of a broken message, which is damaged, has values of the wrong type or number, or lacks a feature
        without a default. "fail" raises an error, "skip" leaves the message out, and "null" makes a row without values: its
        FixedLenFeatures, which are nullable then, are absent, and its other features are empty.

    Returns a Batch with a row for each message and a field for each feature. Its errors are the broken messages. Accepts and
    rejects the same messages as tf.io.parse_example. Raises DecodeError for a broken message; its path is the feature's key.
    Raises ValueError for feature specs that cannot be, and TypeError for objects that are not feature specs.
    """
    _check_messages("serialized", serialized)
    return _core._parse_examples(serialized, _plain_features("features", features), on_error)


@_signatures.public_in("io")
def parse_sequence_examples(serialized, context_features=None, sequence_features=None):
    """Like parse_examples(), for tf.SequenceExamples. Returns three StructuredTensors: context, feature lists, and lengths.

    context_features: FixedLenFeature, VarLenFeature, RaggedFeature. sequence_features: FixedLenSequenceFeature, VarLenFeature,
        RaggedFeature. The lengths are for the FixedLenSequenceFeatures, which are padded: for each, the number of steps in each
        row.

    There is no on_error: a broken message raises DecodeError.
    """
    _check_messages("serialized", serialized)
    return _core._parse_sequence_examples(
        serialized,
        _plain_features("context_features", {} if context_features is None else context_features),
        _plain_features("sequence_features", {} if sequence_features is None else sequence_features),
    )


@_signatures.public_in("io")
def infer_features(serialized):
    """Finds the features of tf.Examples, in the form that parse_examples() takes, sorted by name.

    Gives a FixedLenFeature if every row has the same number of values, else a VarLenFeature. Leaves out features that never
    have a value of any type. Raises ValueError for a feature of two types, and DecodeError for damaged messages.
    """
    _check_messages("serialized", serialized)
    return {name: _spec_of(fields) for name, fields in _core._infer_features(serialized)}


@_signatures.public_in("io")
def infer_sequence_features(serialized):
    """Like infer_features(), for tf.SequenceExamples: (context_features, sequence_features) for parse_sequence_examples()."""
    _check_messages("serialized", serialized)
    context, sequences = _core._infer_sequence_features(serialized)
    return {name: _spec_of(fields) for name, fields in context}, {name: _spec_of(fields) for name, fields in sequences}


def _held(messages):
    """The messages in a form that can be read twice."""
    if isinstance(messages, _core.Tensor):
        return messages
    if hasattr(messages, "__arrow_c_array__") or hasattr(messages, "__arrow_c_stream__"):
        return from_arrow(messages)
    return list(messages) if isinstance(messages, collections.abc.Iterator) else messages


@_signatures.public_in("io")
def from_examples(source, features=None, *, format=None, on_error="fail"):
    """The tf.Examples of files or of memory, as columns: from_examples("train.tfrecord.gz").

    source: a path, or a list of paths, of TFRecord or other record files. Files may be local or remote, compressed or not. Or
        messages, as parse_examples() takes them.
    features: as for parse_examples(). Default: infer_features() of all messages. If that finds none, the rows have no
        fields.
    format: of the files, as for st.scan(), except text formats ("json", "textproto", "csv"). Default: it is
        detected.
    on_error: as for parse_examples(); also for damaged records of files. Without features, those of the other messages are
        inferred. A feature of two types stays an error, because nothing says which of them is wrong.

    Returns a Batch. Its errors have the file, too, and the number of the message in it. All messages are in memory at the same
    time. Raises MemoryError for files with more than 2 GiB of messages together, which have to be read a few at a time, and the
    errors of parse_examples(), with the name of the file. Raises OSError for files that cannot be read, and DecodeError for
    damaged ones.
    """
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    if not (isinstance(source, (list, tuple)) and source and all(isinstance(path, (str, os.PathLike)) for path in source)):
        if format is not None:
            raise ValueError("format: it is for files; messages in memory are a list of bytes")
        _check_messages("source", source)
        return _of_messages(_held(source) if features is None else source, features, on_error)
    paths = _core._expand_paths([os.fsdecode(path) for path in source])
    if format in _TEXTS:
        raise ValueError(f'format = "{format}": tf.Examples are read from serialized messages, not from {_TEXTS[format]}')
    try:
        messages = _core._read_records(paths, format, on_error in ("skip", "null"))
    except ValueError as error:
        raise _without_strings(error) from None
    try:
        return _of_messages(messages, features, on_error)
    except DecodeError:
        raise
    except ValueError as error:
        raise ValueError(_with_files(str(error), messages)) from None


# What st.read() reads by a schema, and what to do with it here.
_TEXTS = {
    "json": "JSON; st.from_json(pathlib.Path(path)) reads rows of JSON",
    "textproto": "text format; protoc --encode makes messages of it",
    "csv": "CSV; pyarrow.csv.read_csv() and st.from_arrow() read it",
}


def _without_strings(error):
    """The error, without the advice on text formats, which is for st.read()."""
    path, looks_like, found = str(error).partition(": this looks like ")
    if not looks_like or isinstance(error, DecodeError):
        return error
    kind, advice = "text", 'lines of them are read by format="base64" or format="hex"'
    if found.startswith("JSON"):
        kind, advice = "JSON", "st.from_json(pathlib.Path(path)) reads rows of JSON"
    return ValueError(f"{path}{looks_like}{kind}, and tf.Examples are read from serialized messages; {advice}")


def _of_messages(messages, features, on_error):
    return _core._parse_examples(messages, None if features is None else _plain_features("features", features), on_error)


def _with_files(text, messages):
    """The text of an error, with the file and the number in it for each of the two rows that it may be about."""
    about_rows = re.match(r"rows (\d+) and (\d+)", text)
    if about_rows is None:
        return text
    places = [messages.place(int(row)) for row in about_rows.groups()]
    return " and ".join(f"{path} row {record}" for path, record in places) + text[about_rows.end() :]


def to_examples(self):
    """A serialized tf.Example for each row, with int64_list for integers and booleans, float_list, and bytes_list.

    A field may have values, lists of values, or dense blocks of values. A feature is left out if its value is absent. Raises
    ValueError for fields that a tf.Example cannot hold: structs, lists of lists, times, absent elements in lists, numbers that
    are too large.
    """
    check_rows(self, "to_examples")
    return _core._to_examples(self)
