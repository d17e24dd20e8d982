"""ST "class RaggedStructuredTensor"."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

SECTION = "class RaggedStructuredTensor"


@promise(
    SECTION,
    "`from_row_splits(values, row_splits)` creates a ragged StructuredTensor of shape [nrows, None, ...]",
    python="st.struct.RaggedStructuredTensor.from_row_splits(values, row_splits)",
    cpp="FromRowSplits()",
    tensorflow="T.from_row_splits(values, row_splits)",
    shown_by="test_construction.py::test_from_row_splits",
)
def test_from_row_splits(rows):
    ragged = st.struct.RaggedStructuredTensor.from_row_splits(rows, [0, 2, 2, 3])
    assert [[row["x"] for row in inner] for inner in ragged.to_py()] == [[1, 2], [], [3]]
    assert ragged.shape == (3, None) and isinstance(ragged, st.struct.RaggedStructuredTensor)
    assert not isinstance(ragged, st.struct.DenseStructuredTensor)
    again = st.struct.RaggedStructuredTensor.from_row_splits(ragged, [0, 1, 3])
    assert again.shape == (2, None, None)
    assert [[[row["x"] for row in inner] for inner in outer] for outer in again.to_py()] == [[[1, 2]], [[], [3]]]
    with pytest.raises(TypeError, match="from_row_splits"):
        st.struct.RaggedStructuredTensor([0, 3], rows)


@promise(
    SECTION,
    "`values` is a StructuredTensor of shape [nvals, ...]",
    python="st.struct.RaggedStructuredTensor.from_row_splits(tensor, row_splits) raises TypeError",
    cpp="FromRowSplits()",
    tensorflow="T.from_row_splits(values, row_splits)",
)
def test_values_are_structs(rows):
    with pytest.raises(TypeError, match="expected a StructuredTensor, found Tensor"):
        st.struct.RaggedStructuredTensor.from_row_splits(rows["x"], [0, 3])
    with pytest.raises(ValueError, match="scalar"):
        st.struct.RaggedStructuredTensor.from_row_splits(rows[0], [0, 1])


@promise(
    SECTION,
    "`row_splits` is an integer vector of shape [nrows + 1]",
    python="st.struct.RaggedStructuredTensor.from_row_splits(values, [1, 3]) raises ValueError",
    cpp="RowPartition::FromRowSplits(), RowPartition::FromRowSplits32()",
    tensorflow="T.from_row_splits(values, [1, 3]) raises InvalidArgumentError",
    shown_by="test_construction.py::test_row_splits_that_are_wrong",
)
def test_row_splits(rows):
    for dtype in (np.int32, np.int64):
        ragged = st.struct.RaggedStructuredTensor.from_row_splits(rows, np.array([0, 3], dtype))
        assert ragged.row_partitions[0].dtype == np.dtype(dtype).name
    for wrong in ([], [1, 3], [0, 2], [0, 2, 1, 3]):
        with pytest.raises(ValueError):
            st.struct.RaggedStructuredTensor.from_row_splits(rows, wrong)
