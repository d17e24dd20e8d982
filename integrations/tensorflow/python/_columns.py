"""Columns: tensors and ragged tensors of flat rows, and the functions for them that all files here use."""

import tensorflow as tf
from structtensor import _core

_DTYPES = {"float": tf.float32, "double": tf.float64, "bytes": tf.string}
_NAMES = {tf.float32: "float", tf.float64: "double", tf.half: "float16", tf.string: "bytes"}


def dtype_of(name):
    """The TensorFlow dtype for a dtype of structtensor. Times are int64 numbers of their unit."""
    if name.startswith(("timestamp", "duration")):
        return tf.int64
    return _DTYPES.get(name) or tf.as_dtype(name)


def dtype_name(dtype):
    """The dtype of structtensor for a TensorFlow dtype."""
    return _NAMES.get(dtype) or dtype.name


def in_rows(values, row_splits):
    """The values with one more outer axis for each of these splits, the outermost first."""
    for splits in reversed(row_splits):
        values = tf.RaggedTensor.from_row_splits(values, splits, validate=False)
    return values


def int64_splits(splits):
    """The row splits as int64."""
    return splits if getattr(splits, "dtype", None) is tf.int64 else tf.cast(splits, tf.int64)


def with_int64_splits(column):
    """The column with int64 row splits, which all functions here expect. tf.io.RaggedFeature makes int32 ones."""
    if not isinstance(column, tf.RaggedTensor) or column.row_splits.dtype is tf.int64:
        return column
    return column.with_row_splits_dtype(tf.int64)


def flat_values(column):
    """The elements of the column."""
    return column.flat_values if isinstance(column, tf.RaggedTensor) else column


def count_rows(column):
    """The number of rows of the column, as an int64 scalar."""
    return column.nrows(tf.int64) if isinstance(column, tf.RaggedTensor) else tf.shape(column, out_type=tf.int64)[0]


def own_splits(column, axes=None):
    """The splits of the column's axes after the first one, and the values in them. Dense axes get splits with equal lengths.

    axes: the number of splits that are needed. The values keep any further dense axes. Default: all.
    """
    if isinstance(column, tf.RaggedTensor):
        splits = [tf.cast(row_splits, tf.int64) for row_splits in column.nested_row_splits]
        inner = column.flat_values
    else:
        splits, inner = [], column
    while inner.shape.rank is not None and inner.shape.rank > 1 and (axes is None or len(splits) < axes):
        sizes, static = tf.shape(inner, out_type=tf.int64), inner.shape[2:]
        splits.append(tf.range(sizes[0] + 1) * sizes[1])
        inner = tf.ensure_shape(tf.reshape(inner, tf.concat([[sizes[0] * sizes[1]], sizes[2:]], 0)), [None, *static])
    return splits, inner


def same_splits(splits, expected, problem):
    """The checks, for tf.control_dependencies(), that these row splits are equal."""
    if splits is expected:
        return []
    checks = []
    if not splits.shape.is_fully_defined() or splits.shape != expected.shape:
        # Without it, the only number of the splits of no rows would be compared with each number of the others.
        checks.append(tf.debugging.assert_equal(tf.size(splits), tf.size(expected), problem))
    with tf.control_dependencies([check for check in checks if check is not None]):
        checks.append(tf.debugging.assert_equal(tf.identity(splits), expected, problem))
    return [check for check in checks if check is not None]


def merge_splits(row_splits):
    """Merges the splits of several axes into the splits of one axis: the rows of the first ones, the values of the last
    ones."""
    merged = row_splits[0]
    for splits in row_splits[1:]:
        merged = tf.gather(splits, merged)
    return merged


def lengths_of(row_splits):
    """The number of values in each row."""
    return row_splits[1:] - row_splits[:-1]


def rows_of(row_splits):
    """The row that each value is in."""
    return tf.repeat(tf.range(tf.size(row_splits, tf.int64) - 1), lengths_of(row_splits))


def splits_of_lengths(lengths):
    """The row splits for these row lengths: 0, and the end of each row."""
    return tf.concat([tf.zeros([1], tf.int64), tf.cumsum(lengths)], 0)


def parse_path(path):
    """The names in a path, which is a text "a.b" or a list of names. Raises ValueError and TypeError."""
    return tuple(_core._path_names(path if isinstance(path, str) else list(path)))


def path_text(names):
    """The path as messages show it."""
    return ".".join(names) or "the value itself"
