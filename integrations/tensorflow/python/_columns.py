"""Columns: tensors and ragged tensors of flat rows, and what all files here do with them."""

import tensorflow as tf
from structtensor import _core

_DTYPES = {"float": tf.float32, "double": tf.float64, "bytes": tf.string}


def dtype_of(name):
    """The dtype that elements of a dtype of structtensor have: times are numbers of their unit."""
    if name.startswith(("timestamp", "duration")):
        return tf.int64
    return _DTYPES.get(name) or tf.as_dtype(name)


def in_rows(values, row_splits):
    """The values with the axes of these splits in front, the outermost first."""
    for splits in reversed(row_splits):
        values = tf.RaggedTensor.from_row_splits(values, splits, validate=False)
    return values


def flat_values(column):
    """Its elements."""
    return column.flat_values if isinstance(column, tf.RaggedTensor) else column


def count_rows(column):
    """How many rows it has, an int64 scalar."""
    return column.nrows(tf.int64) if isinstance(column, tf.RaggedTensor) else tf.shape(column, out_type=tf.int64)[0]


def own_splits(column):
    """The splits of its axes behind the first, and what is in them. Dense axes, whose rows have one length, have splits too."""
    if isinstance(column, tf.RaggedTensor):
        splits = [tf.cast(row_splits, tf.int64) for row_splits in column.nested_row_splits]
        inner = column.flat_values
    else:
        splits, inner = [], column
    while inner.shape.rank is not None and inner.shape.rank > 1:
        sizes = tf.shape(inner, out_type=tf.int64)
        splits.append(tf.range(sizes[0] + 1) * sizes[1])
        inner = tf.reshape(inner, tf.concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    return splits, inner


def merge_splits(row_splits):
    """The splits of one axis for several: rows of the first of them, values of the last one."""
    merged = row_splits[0]
    for splits in row_splits[1:]:
        merged = tf.gather(splits, merged)
    return merged


def lengths_of(row_splits):
    """How many values each row has."""
    return row_splits[1:] - row_splits[:-1]


def splits_of_lengths(lengths):
    """0, and where each row ends."""
    return tf.concat([tf.zeros([1], tf.int64), tf.cumsum(lengths)], 0)


def parse_path(path):
    """The names of a path: of "a.b", as the library writes paths, or of a list of names. Raises ValueError and TypeError."""
    return tuple(_core._path_names(path if isinstance(path, str) else list(path)))


def path_text(names):
    """For messages."""
    return ".".join(names) or "the value itself"
