"""The parts of RaggedTensor that are written in Python: rows along inner axes."""

import operator

import numpy as np

from . import _core


def _row_lengths(value, axis):
    if axis == 1:
        return value._row_lengths()
    values = value.values
    if isinstance(values, _core.RaggedTensor):
        lengths = _row_lengths(values, axis - 1)
    else:
        # All rows of a dense tensor are as long as its axis.
        lengths = _core.constant(np.full(values.shape[: axis - 1], values.shape[axis - 1], dtype="int64"))
    return _core.RaggedTensor.from_row_partition(lengths, value.row_partitions[0])


def row_lengths(self, axis=1):
    """The number of elements in each row of an axis. For axis 1 a Tensor, for inner axes a RaggedTensor, for axis 0 nrows.

    Source: tf.RaggedTensor.row_lengths.
    """
    if isinstance(axis, bool):
        raise TypeError(f"axis: expected an integer, found {axis!r}")
    given, rank = operator.index(axis), self.rank
    axis = given + rank if given < 0 else given
    if not 0 <= axis < rank:
        raise ValueError(f"axis = {given}; of a value with {rank} axes it must be in [-{rank}, {rank})")
    return _core.constant(self.nrows) if axis == 0 else _row_lengths(self, axis)
