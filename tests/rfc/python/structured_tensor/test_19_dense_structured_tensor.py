"""ST "class DenseStructuredTensor"."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

SECTION = "class DenseStructuredTensor"


@promise(
    SECTION,
    "`DenseStructuredTensor(shape, fields)` creates a dense StructuredTensor",
    python="st.struct.DenseStructuredTensor(shape, fields), st.StructuredTensor(shape, fields)",
    cpp="DenseStructuredTensor()",
    tensorflow="T.from_fields(fields, shape=shape)",
    differs="`StructuredTensor(shape, fields)` accepts ragged axes, too. `T(row_splits, fields)` takes flat columns",
    shown_by="test_construction.py::test_from_fields_with_axes",
)
def test_constructor():
    dense = st.struct.DenseStructuredTensor(
        shape=[2, 2], fields={"x": np.array([["a", "b"], ["c", "d"]]), "n": np.zeros((2, 2, 3))}
    )
    assert (dense.shape, dense["x"].shape, dense["n"].shape) == ((2, 2), (2, 2), (2, 2, 3))
    assert isinstance(dense, st.StructuredTensor) and isinstance(dense, st.struct.DenseStructuredTensor)
    assert not isinstance(dense, st.struct.RaggedStructuredTensor) and not isinstance(
        dense["x"], st.struct.DenseStructuredTensor
    )
    scalar = st.StructuredTensor(shape=[], fields={"x": "foo", "y": [[1, 2], [3]]})
    assert (scalar.shape, scalar["x"].to_py(), scalar["y"].to_py()) == ((), "foo", [[1, 2], [3]])
    for shape in ([], [0], [2], [2, 0], [0, 3]):
        empty = st.struct.DenseStructuredTensor(shape, {})
        assert empty.shape == tuple(shape) and empty.field_names() == () and isinstance(empty, st.struct.DenseStructuredTensor)


@promise(
    SECTION,
    "The rank of the shape is known; its sizes may be unknown",
    python="st.struct.DenseStructuredTensor([None], fields)",
    cpp="DenseStructuredTensor()",
    tensorflow="T.from_fields(fields, shape=[None])",
)
def test_the_shape_is_static_information():
    assert st.struct.DenseStructuredTensor([None], {"x": [1, 2]}).shape == (2,)
    assert st.struct.DenseStructuredTensor([None, 3], {"x": np.zeros((2, 3))}).shape == (2, 3)
    for unknown in (None, st.TensorShape(None)):
        with pytest.raises(ValueError, match="^shape: .*, found None; the rank of structs must be known$"):
            st.struct.DenseStructuredTensor(unknown, {"x": [1, 2]})


@promise(
    SECTION,
    "All fields have the same outer dimensions",
    python="st.struct.DenseStructuredTensor([None], {'x': [1, 2], 'y': [1]}) raises ValueError",
    cpp="DenseStructuredTensor()",
    tensorflow="T.from_fields({'x': [1, 2], 'y': [1]}) raises InvalidArgumentError",
)
def test_fields_share_outer_dimensions():
    with pytest.raises(ValueError, match="field y"):
        st.struct.DenseStructuredTensor([None], {"x": [1, 2], "y": [1]})
    with pytest.raises(ValueError, match="field y"):
        st.struct.DenseStructuredTensor([2, None], {"x": np.zeros((2, 3)), "y": np.zeros((2, 4))})


@promise(
    SECTION,
    "The outer dimensions of the fields are compatible with the shape",
    python="st.struct.DenseStructuredTensor([2], {'x': [1, 2, 3]}) raises ValueError",
    cpp="DenseStructuredTensor()",
    tensorflow="the same",
)
def test_fields_have_the_shape():
    with pytest.raises(ValueError, match="field x"):
        st.struct.DenseStructuredTensor([2], {"x": [1, 2, 3]})
    with pytest.raises(ValueError, match="x"):
        st.struct.DenseStructuredTensor([2, 2], {"x": [1, 2]})
    with pytest.raises(ValueError, match="ragged"):
        st.struct.DenseStructuredTensor([2, None], {"x": [[1], [2, 3]]})
