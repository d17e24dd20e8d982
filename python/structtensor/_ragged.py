"""What RaggedTensor has in Python: rows along axes further in."""

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
        # Rows of a dense tensor are all as long as its axis.
        lengths = _core.constant(np.full(values.shape[: axis - 1], values.shape[axis - 1], dtype="int64"))
    return _core.RaggedTensor.from_row_partition(lengths, value.row_partitions[0])


def row_lengths(self, axis=1):
    """How many elements the rows of an axis have: of axis 1 a Tensor, of one further in a RaggedTensor around it, of axis 0
    nrows.

    Source: tf.RaggedTensor.row_lengths.
    """
    if isinstance(axis, bool):
        raise TypeError(f"axis: expected an integer, found {axis!r}")
    given, rank = operator.index(axis), self.rank
    axis = given + rank if given < 0 else given
    if not 0 <= axis < rank:
        raise ValueError(f"axis = {given}; of a value with {rank} axes it must be in [-{rank}, {rank})")
    return _core.constant(self.nrows) if axis == 0 else _row_lengths(self, axis)
