"""rows[...]: names of fields, and keys for axes."""

import numpy as np
import tensorflow as tf

from ._columns import flat_values, in_rows, same_splits, splits_of_lengths


def is_integer(key):
    """Whether the key is a Python or NumPy integer, or a scalar tensor of integers."""
    if tf.is_tensor(key):
        return key.dtype.is_integer and key.shape.rank == 0
    return isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_))


class Cursor:
    """The rows that the keys so far have chosen. Keys are applied from the outermost axis to the inner ones.

    chosen   positions of rows of the axis that the keys have come to; None as long as all rows are chosen
    splits   the row splits of the result's axes, the outermost first. The first axis is one row that has everything
    """

    def __init__(self):
        self.splits, self.chosen = [], None

    def whole_axis(self, splits):
        """Keeps the whole axis that these row splits make of the rows."""
        if self.chosen is None:
            self.splits.append(splits)
        else:
            self._ranges(*self._bounds(splits), tf.constant(1, tf.int64))

    def slice_axis(self, splits, key):
        """Keeps the values of each row that a Python slice selects."""
        if key == slice(None):
            return self.whole_axis(splits)
        for bound in (key.start, key.stop, key.step):
            if bound is not None and not is_integer(bound):
                raise TypeError(f"the bounds of a slice are integers; found {bound!r}")
        if key.step is not None and not tf.is_tensor(key.step) and key.step == 0:
            raise ValueError("the step of a slice must not be 0")
        starts, limits = self._bounds(splits)
        lengths = limits - starts
        step = tf.constant(1, tf.int64) if key.step is None else tf.cast(key.step, tf.int64)
        # As in Python's slice.indices().
        lowest = tf.where(step < 0, tf.constant(-1, tf.int64), tf.constant(0, tf.int64))
        highest = tf.where(step < 0, lengths - 1, lengths)

        def bound_of(bound, default):
            if bound is None:
                return default
            bound = tf.cast(bound, tf.int64)
            return tf.clip_by_value(tf.where(bound < 0, bound + lengths, bound), lowest, highest)

        begin = bound_of(key.start, tf.where(step < 0, highest, tf.zeros_like(lengths)))
        end = bound_of(key.stop, tf.where(step < 0, -tf.ones_like(lengths), lengths))
        # tf.ragged.range rejects some empty ranges whose limit is on the wrong side of their start.
        end = tf.where(step < 0, tf.minimum(end, begin), tf.maximum(end, begin))
        return self._ranges(starts + begin, starts + end, step)

    def integer(self, splits, key, axis):
        """Keeps one value of each row. The axis is removed."""
        starts, limits = self._bounds(splits)
        offset = tf.cast(key, tf.int64)
        position = tf.where(offset < 0, limits + offset, starts + offset)
        inside = tf.reduce_all((position >= starts) & (position < limits))
        problem = f"the key for axis {axis} is out of range in a row; use a slice to select only positions that exist. The key:"
        check = tf.debugging.Assert(inside, [problem, offset])
        with tf.control_dependencies([] if check is None else [check]):
            self.chosen = tf.identity(position)

    def values(self, positions):
        """Keeps the values at these positions, as a new axis. Only for the first axis."""
        self.splits.append(tf.stack([tf.zeros([], tf.int64), tf.shape(positions, out_type=tf.int64)[0]]))
        self.chosen = positions

    def new_axis(self):
        """Adds an axis with one value in each row."""
        if self.chosen is not None:
            count = tf.shape(self.chosen, out_type=tf.int64)[0]
        else:
            count = self.splits[-1][-1] if self.splits else tf.constant(1, tf.int64)
        self.splits.append(tf.range(count + 1))

    def _bounds(self, splits):
        if self.chosen is not None:
            return tf.gather(splits, self.chosen), tf.gather(splits, self.chosen + 1)
        return splits[:-1], splits[1:]

    def _ranges(self, starts, limits, step):
        ranges = tf.ragged.range(starts, limits, step)
        self.splits.append(ranges.row_splits)
        self.chosen = ranges.values


def choose_first_axis(cursor, key, root_splits, next_splits):
    """Applies a key for the first axis: a list, an array or a tensor of positions or booleans.

    next_splits: the splits of the axes after it. A ragged mask may reach into these axes. Returns how many axes the key is for.
    """
    if isinstance(key, tf.RaggedTensor) and key.dtype == tf.bool:
        partitions = key.nested_row_splits
        if len(partitions) > len(next_splits):
            raise ValueError(
                f"a mask of {len(partitions) + 1} axes needs structs with at least as many, found {len(next_splits) + 1}"
            )
        mask = key.flat_values
        if mask.shape.rank != 1:
            raise ValueError(f"the axes of a ragged mask after the first must all be ragged; found the shape {key.shape}")
        checks = []
        for own, splits in zip(partitions, next_splits):
            checks += same_splits(tf.cast(own, tf.int64), splits, "the mask has other rows than the structs")
        with tf.control_dependencies(checks):
            kept = tf.where(mask)[:, 0]
        lengths = tf.cast(mask, tf.int64)
        splits = []
        for row_splits in reversed(next_splits[: len(partitions)]):
            lengths = tf.reduce_sum(tf.RaggedTensor.from_row_splits(lengths, row_splits, validate=False), axis=1)
            splits.insert(0, splits_of_lengths(lengths))
            lengths = tf.ones_like(lengths)
        cursor.splits.append(root_splits)
        cursor.splits.extend(splits)
        cursor.chosen = kept
        return 1 + len(partitions)
    key = tf.convert_to_tensor(key) if not isinstance(key, (list, tuple)) or key else tf.zeros([0], tf.int64)
    if key.shape.rank != 1 or not (key.dtype.is_integer or key.dtype == tf.bool):
        raise TypeError(f"rows are chosen by integers, slices and masks; found {key.dtype.name} of shape {key.shape}")
    count = root_splits[-1]
    if key.dtype == tf.bool:
        size = tf.shape(key, out_type=tf.int64)[0]
        check = tf.debugging.assert_equal(size, count, "a mask has one boolean for each row")
        with tf.control_dependencies([] if check is None else [check]):
            cursor.values(tf.where(key)[:, 0])
        return 1
    key = tf.cast(key, tf.int64)
    key = tf.where(key < 0, key + count, key)
    check = tf.debugging.Assert(tf.reduce_all((key >= 0) & (key < count)), ["a row is outside of the first axis:", key])
    with tf.control_dependencies([] if check is None else [check]):
        cursor.values(tf.identity(key))
    return 1


def rows_of_column(column, cursor, keys, axis):
    """The rows of the column that the cursor has chosen, with the keys for the column's own axes applied."""
    splits = list(column.nested_row_splits) if isinstance(column, tf.RaggedTensor) else []
    values = flat_values(column)
    own_axes = len(splits) + (values.shape.rank or 1) - 1
    written = [key for key in keys if key is not None]
    # Not keys.index(Ellipsis): == of a tensor is a tensor, or an error.
    dots = [i for i, key in enumerate(keys) if key is Ellipsis]
    if len(dots) > 1:
        raise ValueError("only one ... is allowed after the last name")
    if dots:
        where = dots[0]
        keys = [*keys[:where], *[slice(None)] * (own_axes - len(written) + 1), *keys[where + 1 :]]
    elif len(written) > own_axes:
        raise ValueError(f"the key {written[own_axes]!r} is for axis {axis + own_axes}, and the field has {axis + own_axes}")
    inner = ()  # keys for the dense axes of the values
    for i, key in enumerate(keys):
        if not splits:
            inner = tuple(keys[i:])
            break
        apply_key(cursor, splits, key, axis)
        axis += key is not None
    for rest in splits:
        cursor.whole_axis(tf.cast(rest, tf.int64))
    if cursor.chosen is not None:
        values = tf.gather(values, cursor.chosen)
    if inner:
        values = values[(slice(None), *inner)]
    return in_rows(values, cursor.splits[1:]) if cursor.splits else values[0]


def apply_key(cursor, splits, key, axis):
    """Applies a key to the axis of splits[0], and removes it from the list. The key None adds an axis and removes nothing."""
    if key is None:
        return cursor.new_axis()
    if isinstance(key, slice):
        return cursor.slice_axis(tf.cast(splits.pop(0), tf.int64), key)
    if is_integer(key):
        return cursor.integer(tf.cast(splits.pop(0), tf.int64), key, axis)
    raise TypeError(f"the key {key!r} for axis {axis}: use an integer, slice or None; lists and masks only for the first axis")
