"""ST "Detailed Design": the class StructuredTensor, and its accessors."""

import numpy as np
import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st

SECTION = "class StructuredTensor: accessors"

promise_of_tensorflow(
    SECTION,
    "StructuredTensor is a CompositeTensor",
    python="st.StructuredTensor",
    cpp="StructuredTensor",
    tensorflow="T",
    differs="`T` is a `tf.experimental.BatchableExtensionType`; the package and C++ do not depend on TensorFlow",
    shown_by="test_type.py::test_specs_of_values",
)


@promise(
    SECTION,
    "`shape` is a TensorShape of known rank, whose sizes may be unknown",
    python="structs.shape",
    cpp="StructuredTensor::shape()",
    tensorflow="rows.shape",
)
def test_shape(st_scalar, rows):
    assert repr(rows.shape) == "TensorShape([3])" and rows.shape == (3,) == st.TensorShape([3])
    assert (rows.shape.rank, rows.shape.ndims, rows.shape.as_list(), st_scalar.shape.rank) == (1, 1, [3], 0)
    rows.shape.assert_is_compatible_with([None])
    with pytest.raises(ValueError, match="not compatible"):
        rows.shape.assert_is_compatible_with([2])
    ragged = st.constant([[{"a": 1}], [{"a": 2}, {"a": 3}]])
    assert ragged.shape.as_list() == [2, None] and ragged.spec.with_unknown_sizes().shape.as_list() == [None, None]
    # It is a tuple, too.
    lists = rows["y"].shape
    assert lists == (3, None) and lists[:1] == rows.shape and isinstance(lists[1:], st.TensorShape)
    assert (str(lists), f"{lists}") == ("(3, None)", "(3, None)")
    assert isinstance(rows.shape, tuple) and hash(rows.shape) == hash((3,)) and {rows.shape: 1}[(3,)] == 1
    assert np.zeros(rows.shape).shape == (3,) and not st_scalar.shape


@promise(
    SECTION,
    "`rank` is never None",
    python="structs.rank",
    cpp="StructuredTensor::rank()",
    tensorflow="rows.rank",
)
def test_rank(st_scalar, st_vector, st_matrix):
    assert (st_scalar.rank, st_vector.rank, st_matrix.rank) == (0, 1, 2)


@promise(
    SECTION,
    "`field_names()` returns a tuple of strings",
    python="structs.field_names()",
    cpp="StructuredTensor::field_names()",
    tensorflow="rows.field_names()",
)
def test_field_names(struct, rows):
    assert struct.field_names() == ("user_embedding", "recipe")
    assert rows.field_names() == ("x", "y")
    assert st.StructuredTensor.from_fields({}, nrows=2).field_names() == ()


@promise(
    SECTION,
    "`field_value(field_name)` returns a Tensor, StructuredTensor or RaggedTensor; of a scalar, the value of its structure",
    python="structs.field_value('x'), structs.field_value(field_name='x')",
    cpp="StructuredTensor::field_value()",
    tensorflow="rows.field_value(field_name='x')",
    differs="Paths of nested fields are accepted, too",
    shown_by="test_construction.py::test_field_value",
)
def test_field_value(struct, st_scalar, rows):
    assert st_scalar.field_value("x").to_py() == st_scalar.field_value(field_name="x").to_py() == "foo"
    assert rows.field_value("y").to_py() == [[1, 2], [], [3]]
    kinds = [type(struct.field_value(name)) for name in ("user_embedding", "recipe")] + [type(rows.field_value("y"))]
    assert kinds == [st.Tensor, st.StructuredTensor, st.RaggedTensor]
    with pytest.raises(KeyError, match="no field z"):
        rows.field_value("z")


@promise(
    SECTION,
    "The value has shape [D1...DN, V1...VM], and `result[d1...dN]` is the value of `self[d1...dN]`",
    python="structs.field_value('a')[4, 2], structs[4, 2].field_value('a')",
    cpp="StructuredTensor::field_value(), Index()",
    tensorflow="the same",
)
def test_shape_of_field_values(struct, rows):
    dense = st.StructuredTensor([5, 3], {"a": np.arange(60).reshape(5, 3, 4)})
    value = dense.field_value("a")
    assert value.shape == (5, 3, 4)
    assert all(value[i, j].equals(dense[i, j].field_value("a")) for i in range(5) for j in range(3))
    for structs in (struct, rows):
        for name, value in structs.fields.items():
            assert value.shape[: structs.rank] == structs.shape
            assert value.equals(structs[name])
