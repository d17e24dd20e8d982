"""ST "Operation Dispatchers": array operations that accept structs, with the parameters of the document."""

import pytest
from promises import promise

import structtensor as st

SECTION = "Operation dispatchers"


@pytest.fixture
def scalar():
    return st.constant({"a": 1, "n": "x"})


@pytest.fixture
def vector():
    return st.constant([{"a": 1, "n": "x"}, {"a": 2, "n": "y"}, {"a": 3, "n": "z"}])


@pytest.fixture
def other():
    return st.constant([{"a": 9, "n": "w"}])


@pytest.fixture
def matrix():
    return st.constant([[{"a": 1}, {"a": 2}], [{"a": 3}]])


@promise(
    SECTION,
    "`batch_gather(params, indices, name=None)`",
    python="st.batch_gather(params, indices, name=None)",
    cpp="BatchGather()",
    tensorflow="tf.compat.v1.batch_gather(params, indices)",
)
def test_batch_gather(matrix):
    gathered = st.batch_gather(params=matrix, indices=[[1, 0], [0]], name=None)
    assert gathered.to_py() == [[{"a": 2}, {"a": 1}], [{"a": 3}]]


@promise(
    SECTION,
    "`boolean_mask(data, mask, axis=None, name=None)`",
    python="st.boolean_mask(data, mask, axis=None, name=None)",
    cpp="BooleanMask()",
    tensorflow="tf.boolean_mask(tensor, mask, axis=None)",
    differs="TensorFlow has renamed `data` to `tensor`",
)
def test_boolean_mask(vector, matrix):
    kept = st.boolean_mask(data=vector, mask=[True, False, True], axis=None, name=None)
    assert kept["a"].to_py() == [1, 3]
    assert st.boolean_mask(vector, [True, False, True], axis=0)["n"].to_py() == ["x", "z"]
    assert st.boolean_mask(matrix, [[False, True], [True]])["a"].to_py() == [[2], [3]]
    square = st.constant([[{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 4}]])
    assert st.boolean_mask(square, [False, True], axis=1)["a"].to_py() == [[2], [4]]


@promise(
    SECTION,
    "`concat(values, axis, name='concat')`",
    python="st.concat(values, axis, name='concat')",
    cpp="Concat()",
    tensorflow="tf.concat(values, axis)",
    shown_by="test_operations.py::test_concat_and_stack",
)
def test_concat(vector, other, matrix):
    assert st.concat(values=[vector, other], axis=0, name="concat")["a"].to_py() == [1, 2, 3, 9]
    assert st.concat([matrix, matrix], 1)["a"].to_py() == [[1, 2, 1, 2], [3, 3]]


@promise(
    SECTION,
    "`expand_dims(input, axis=None, name=None, dim=None)`",
    python="st.expand_dims(input, axis, name=None)",
    cpp="ExpandDims()",
    tensorflow="tf.expand_dims(input, axis)",
    differs="`dim` is the name of `axis` in TensorFlow 1, where one of both was needed; it is not accepted",
    shown_by="test_operations.py::test_shapes",
)
def test_expand_dims(scalar, vector):
    assert st.expand_dims(input=vector, axis=0, name=None).shape == (1, 3)
    assert st.expand_dims(vector, -1).shape == (3, 1)
    assert st.expand_dims(scalar, axis=0).to_py() == [{"a": 1, "n": "x"}]


@promise(
    SECTION,
    "`gather_nd(params, indices, name=None, batch_dims=None)`",
    python="st.gather_nd(params, indices, batch_dims=0, name=None)",
    cpp="GatherNd()",
    tensorflow="tf.gather_nd(params, indices, batch_dims=0)",
    differs="The order of the last two parameters is that of TensorFlow 2",
)
def test_gather_nd(vector, matrix):
    assert st.gather_nd(params=vector, indices=[[2], [0]], name=None)["a"].to_py() == [3, 1]
    assert st.gather_nd(matrix, [[0, 1], [1, 0]])["a"].to_py() == [2, 3]
    assert st.gather_nd(matrix, [1, 0])["a"].to_py() == 3
    assert st.gather_nd(matrix, [[1], [0]], batch_dims=1)["a"].to_py() == [2, 3]


@promise(
    SECTION,
    "`gather(params, indices, axis=None, batch_dims=0, name=None)`",
    python="st.gather(params, indices, axis=None, batch_dims=0, name=None)",
    cpp="Gather()",
    tensorflow="tf.gather(params, indices, axis=None, batch_dims=0)",
    shown_by="test_operations.py::test_gather",
)
def test_gather(vector, matrix):
    assert st.gather(params=vector, indices=[2, 0], axis=None, batch_dims=0, name=None)["a"].to_py() == [3, 1]
    assert st.gather(vector, [[2], [0]])["a"].to_py() == [[3], [1]]
    assert st.gather(matrix, [0, 0], axis=1)["a"].to_py() == [[1, 1], [3, 3]]
    assert st.gather(matrix, [[1, 0], [0]], batch_dims=1)["a"].to_py() == [[2, 1], [3]]


@promise(
    SECTION,
    "`identity(input, name=None)`",
    python="st.identity(input, name=None)",
    cpp="Identity()",
    tensorflow="tf.identity(input)",
)
def test_identity(vector):
    assert st.identity(input=vector, name=None).equals(vector)


@promise(
    SECTION,
    "`rank(input, name=None)`",
    python="st.rank(input, name=None)",
    cpp="Rank()",
    tensorflow="tf.rank(input)",
    shown_by="test_operations.py::test_shapes",
)
def test_rank(scalar, matrix):
    assert st.rank(input=matrix, name=None).item() == 2 and st.rank(scalar).item() == 0
    assert st.rank(matrix).dtype == "int32"


@promise(
    SECTION,
    "`shape(input, out_type=tf.int32, name=None)`",
    python="st.shape(input, out_type='int32', name=None)",
    cpp="DynamicRaggedShape",
    tensorflow="tf.shape(input, out_type=tf.int32)",
    differs="A DynamicRaggedShape of ragged structs, in TensorFlow of all of rank 2 or more; a vector of int32 of others",
    shown_by="test_select.py::test_shape",
)
def test_shape(vector, matrix):
    shape = st.shape(input=vector, name=None)
    assert isinstance(shape, st.Tensor) and (shape.to_py(), shape.dtype) == ([3], "int32")
    assert st.shape(vector, out_type="int64").dtype == "int64"
    dense = st.struct.DenseStructuredTensor([5, 3], {})
    assert st.shape(dense).to_py() == [5, 3]
    ragged = st.shape(matrix)
    assert isinstance(ragged, st.DynamicRaggedShape) and ragged.lengths == (2, (2, 1))


@promise(
    SECTION,
    "`size(input, out_type=tf.int32, name=None)`",
    python="st.size(input, out_type='int32', name=None)",
    cpp="Size()",
    tensorflow="tf.size(input, out_type=tf.int32)",
    shown_by="test_operations.py::test_shapes",
)
def test_size(matrix):
    size = st.size(input=matrix, name=None)
    assert (size.item(), size.dtype, st.size(matrix, out_type="int64").dtype) == (3, "int32", "int64")


@promise(
    SECTION,
    "`squeeze(input, axis=None, name=None, squeeze_dims=None)`",
    python="st.squeeze(input, axis=None, name=None)",
    cpp="Squeeze()",
    tensorflow="tf.squeeze(input, axis)",
    differs="`squeeze_dims` is the name of `axis` in TensorFlow 1; it is not accepted. In TensorFlow, inner axes need `axis`",
    shown_by="test_select.py::test_squeeze",
)
def test_squeeze(vector):
    expanded = st.expand_dims(vector, 0)
    for squeezed in (st.squeeze(input=expanded, name=None), st.squeeze(expanded, axis=0), st.squeeze(expanded, [0])):
        assert squeezed.equals(vector)
    with pytest.raises(ValueError):
        st.squeeze(vector, axis=0)


@promise(
    SECTION,
    "`stack(values, axis=0, name='stack')`",
    python="st.stack(values, axis=0, name='stack')",
    cpp="Stack()",
    tensorflow="tf.stack(values, axis=0)",
    shown_by="test_operations.py::test_concat_and_stack",
)
def test_stack(scalar, vector):
    assert st.stack(values=[vector, vector], axis=0, name="stack").shape == (2, 3)
    assert st.stack([vector, vector], axis=1)["a"].to_py() == [[1, 1], [2, 2], [3, 3]]
    assert st.stack([scalar, scalar]).to_py() == [{"a": 1, "n": "x"}] * 2


@promise(
    SECTION,
    "`tile(input, multiples, name=None)`",
    python="st.tile(input, multiples, name=None)",
    cpp="Tile()",
    tensorflow="tf.tile(input, multiples)",
    shown_by="test_operations.py::test_orders",
)
def test_tile(vector, matrix):
    assert st.tile(input=vector, multiples=[2], name=None)["a"].to_py() == [1, 2, 3, 1, 2, 3]
    assert st.tile(matrix, [1, 2])["a"].to_py() == [[1, 2, 1, 2], [3, 3]]


@promise(
    SECTION,
    "`unstack(input, num=None, axis=0, name='unstack')`",
    python="st.unstack(input, num=None, axis=0, name='unstack')",
    cpp="Unstack()",
    tensorflow="tf.unstack(value, num=None, axis=0)",
    shown_by="test_operations.py::test_unstack",
)
def test_unstack(vector):
    rows = [{"a": 1, "n": "x"}, {"a": 2, "n": "y"}, {"a": 3, "n": "z"}]
    for found in (st.unstack(input=vector, num=None, axis=0, name="unstack"), st.unstack(vector, 3), st.unstack(vector, num=3)):
        assert [row.to_py() for row in found] == rows
    with pytest.raises(ValueError, match="num"):
        st.unstack(vector, num=2)


@promise(
    SECTION,
    "`where(condition, x=None, y=None, name=None)`",
    python="st.where(condition, x=None, y=None, name=None)",
    cpp="Where()",
    tensorflow="tf.where(condition, x, y)",
    differs="The document lets the condition be structs, too, without a meaning; it is a mask of bool",
)
def test_where(vector, other):
    chosen = st.where(condition=[True, False, True], x=vector, y=st.tile(other, [3]), name=None)
    assert chosen["a"].to_py() == [1, 9, 3] and chosen["n"].to_py() == ["x", "w", "z"]
    assert st.where([True, False, True]).to_py() == [[0], [2]]
    with pytest.raises(ValueError, match="condition"):
        st.where(vector, vector, vector)
