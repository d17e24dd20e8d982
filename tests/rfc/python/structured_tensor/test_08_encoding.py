"""ST "Struct Tensor Encoding": the classes, what they keep, and the encodings of one schema at ranks 0, 1 and 2."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

DENSE = "Struct Tensor Encoding: DenseStructuredTensor"


@pytest.fixture
def dense():
    return st.StructuredTensor([5, 3], {"a": np.arange(60).reshape(5, 3, 4)})


@promise(
    "Struct Tensor Encoding",
    "StructuredTensor is a base class with two subclasses, DenseStructuredTensor and RaggedStructuredTensor",
    python="isinstance(value, st.struct.DenseStructuredTensor), st.struct.RaggedStructuredTensor",
    cpp="StructuredTensor",
    tensorflow="T",
    differs="`type(value)` is StructuredTensor, whose axes may be of both kinds; `isinstance` checks them by `value.__class__`",
)
def test_dense_and_ragged_classes(st_vector, rows, dense):
    assert isinstance(dense, st.StructuredTensor) and isinstance(dense, st.struct.DenseStructuredTensor)
    assert isinstance(st_vector, st.struct.DenseStructuredTensor) and not isinstance(
        st_vector, st.struct.RaggedStructuredTensor
    )
    ragged = st.struct.RaggedStructuredTensor.from_row_splits(rows, [0, 2, 2, 3])
    assert isinstance(ragged, st.StructuredTensor) and isinstance(ragged, st.struct.RaggedStructuredTensor)
    assert not isinstance(ragged, st.struct.DenseStructuredTensor)
    for cls in (st.struct.DenseStructuredTensor, st.struct.RaggedStructuredTensor):
        assert issubclass(cls, st.StructuredTensor) and not issubclass(st.StructuredTensor, cls)
    assert not issubclass(st.struct.DenseStructuredTensor, st.struct.RaggedStructuredTensor)
    assert type(ragged) is type(dense) is st.StructuredTensor


@promise(
    DENSE,
    "`shape` is a TensorShape: [5, 3] contains 15 structures, in 5 rows of 3",
    python="structs.shape, st.size(structs)",
    cpp="StructuredTensor::shape(), Size()",
    tensorflow="rows.shape, tf.size(rows)",
    differs="A TensorShape is a tuple, too. TensorFlow's face shows None for inner axes, and in a graph for all",
)
def test_shape_counts_structures(dense):
    assert isinstance(dense.shape, st.TensorShape) and dense.shape.as_list() == [5, 3]
    assert dense.shape == (5, 3) and st.size(dense).item() == 15
    assert dense[4, 2, "a"].to_py() == [56, 57, 58, 59]


@promise(
    DENSE,
    "The rank is static, also where sizes are unknown",
    python="structs.shape.ndims, structs.spec.with_unknown_sizes().shape",
    cpp="StructuredTensorSpec::shape()",
    tensorflow="rows.rank",
)
def test_the_rank_is_static(dense, st_vector):
    assert (dense.shape.ndims, dense.rank) == (2, 2)
    unknown = st_vector.spec.with_unknown_sizes().shape
    assert (unknown.ndims, unknown.as_list()) == (1, [None])


@promise(
    DENSE,
    "The shape of a scalar struct is ()",
    python="struct.shape == ()",
    cpp="StructuredTensor::shape()",
    tensorflow="the same",
)
def test_the_shape_of_a_scalar(st_scalar):
    assert st_scalar.shape == () == st.TensorShape([]) and not st_scalar.shape


@promise(
    DENSE,
    "`fields` is a dictionary that maps names to values",
    python="structs.fields",
    cpp="StructuredTensor::field_names(), StructuredTensor::field_value()",
    tensorflow="rows.field_names(), rows.field_value(name)",
    differs="In TensorFlow's face, `rows.fields` has flat columns, the components of the extension type",
)
def test_fields_is_a_dictionary(st_vector):
    assert isinstance(st_vector.fields, dict) and list(st_vector.fields) == ["x", "y"]
    assert {name: value.to_py() for name, value in st_vector.fields.items()} == {
        "x": ["foo", "bar", "baz"],
        "y": [[[1, 2], [3]], [[4], [5, 6]], [[7, 8, 9]]],
    }


@promise(
    DENSE,
    "For a field `v` of structs `st` of rank N, `v.shape[:N] == st.shape`",
    python="value.shape[: structs.rank] == structs.shape",
    cpp="StructuredTensor::shape()",
    tensorflow="the same",
)
def test_fields_begin_with_the_shape(struct, st_scalar, st_vector, st_matrix, dense):
    for structs in (struct, st_scalar, st_vector, st_matrix, dense):
        for value in structs.fields.values():
            assert value.shape[: structs.rank] == structs.shape


@promise(
    DENSE,
    "`st[D1...DN][k] == v[D1...DN]`; of a scalar, `st[k] == v`",
    python="structs[i, j][k], structs[k][i, j]",
    cpp="Index()",
    tensorflow="the same",
    shown_by="test_type.py::test_fields",
)
def test_a_field_of_an_element_is_an_element_of_the_field(st_scalar, st_vector, st_matrix):
    for k in ("x", "y"):
        assert st_scalar[k].equals(st_scalar.fields[k])
        assert all(st_vector[i][k].equals(st_vector.fields[k][i]) for i in range(3))
        assert all(st_matrix[i, j][k].equals(st_matrix.fields[k][i, j]) for i in range(2) for j in range(2))


@promise(
    DENSE,
    "The encoding of the scalar: shape [], `x` a Tensor, `y` a RaggedTensor",
    python="st.constant({'x': 'foo', 'y': [[1, 2], [3]]})",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
    differs="The fields are `fields`; the document prints a private `_fields`",
)
def test_encoding_of_a_scalar():
    st_scalar = st.constant({"x": "foo", "y": [[1, 2], [3]]})
    assert repr(st_scalar.shape) == "TensorShape([])"
    x, y = st_scalar.fields.values()
    assert isinstance(x, st.Tensor) and x.to_py() == "foo"
    assert isinstance(y, st.RaggedTensor) and y.to_py() == [[1, 2], [3]] and y.rank == 2


@promise(
    DENSE,
    "The encoding of the vector: shape [3], `x` a Tensor, `y` a RaggedTensor with one more axis",
    python="st.constant([{'x': 'foo', ...}, {'x': 'bar', ...}, {'x': 'baz', ...}])",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
    differs="The shape prints as `TensorShape([3])`, as in TensorFlow 2",
)
def test_encoding_of_a_vector(st_vector):
    assert repr(st_vector.shape) == "TensorShape([3])"
    x, y = st_vector.fields.values()
    assert isinstance(x, st.Tensor) and x.to_py() == ["foo", "bar", "baz"]
    assert isinstance(y, st.RaggedTensor) and y.rank == 3
    assert y.to_py() == [[[1, 2], [3]], [[4], [5, 6]], [[7, 8, 9]]]


@promise(
    DENSE,
    "The encoding of the matrix: shape [2, 2], `x` a Tensor, `y` a RaggedTensor of rank 4",
    python="st.constant([[{...}, {...}], [{...}, {...}]])",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
    differs="In TensorFlow's face, axes of structs are row splits, and their sizes are not static",
)
def test_encoding_of_a_matrix(st_matrix):
    assert st_matrix.shape == st.TensorShape([2, 2]) and isinstance(st_matrix, st.struct.DenseStructuredTensor)
    x, y = st_matrix.fields.values()
    assert isinstance(x, st.Tensor) and (x.shape, x.to_py()) == ((2, 2), [["foo", "bar"], ["baz", "raz"]])
    assert isinstance(y, st.RaggedTensor) and y.rank == 4 and y.shape[:2] == (2, 2)
    assert y.to_py() == [[[[1, 2], [3]], [[4], [5, 6]]], [[[7, 8, 9]], []]]


@promise(
    DENSE,
    "`from_pyval` and `ragged_constant` keep the inner axes of the same matrix ragged",
    python="st.StructuredTensor.from_pyval(value), st.ragged.constant(value)",
    cpp="RaggedConstant()",
    tensorflow="T.from_py(value)",
    differs="Not in the document: these are the functions that TensorFlow has had since",
)
def test_ragged_encoding_of_a_matrix(st_matrix):
    lists = st_matrix.to_py()
    ragged = st.StructuredTensor.from_pyval(lists)
    assert ragged.shape == (2, None) and isinstance(ragged, st.struct.RaggedStructuredTensor)
    assert isinstance(ragged["x"], st.RaggedTensor) and ragged.to_py() == lists
    assert st.ragged.constant([["foo", "bar"], ["baz", "raz"]]).equals(ragged["x"])


@promise(
    "Struct Tensor Encoding: RaggedStructuredTensor",
    "A ragged collection consists of a values StructuredTensor and one or more row partitions",
    python="structs.row_partitions, st.merge_dims(structs, 0, 1)",
    cpp="StructuredTensor::row_partitions(), MergeDims()",
    tensorflow="rows.row_splits, rows.merge_dims(0, 1)",
    differs="Partitions are kept once for all fields, so that they cannot disagree",
)
def test_ragged_structs_are_values_and_row_partitions():
    ragged = st.constant([[{"a": 1}, {"a": 2}], [], [{"a": 3}]])
    assert isinstance(ragged, st.struct.RaggedStructuredTensor) and ragged.shape == (3, None)
    [partition] = ragged.row_partitions
    assert partition.row_splits.to_py() == [0, 2, 2, 3]
    assert st.merge_dims(ragged, 0, 1).to_py() == [{"a": 1}, {"a": 2}, {"a": 3}]
