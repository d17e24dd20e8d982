"""ST "class DenseStructuredTensorSpec" and "class RaggedStructuredTensorSpec"."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

DENSE = "class DenseStructuredTensorSpec"
RAGGED = "class RaggedStructuredTensorSpec"


@promise(
    DENSE,
    "It is a TypeSpec that specifies shape and schema",
    python="st.struct.DenseStructuredTensorSpec, spec.is_compatible_with(value)",
    cpp="StructuredTensorSpec",
    tensorflow="T.Spec, tf.type_spec_from_value(rows)",
    differs="`type(spec)` is StructuredTensorSpec, whose axes may be of both kinds; `isinstance` checks them",
    shown_by="test_type.py::test_specs_of_values",
)
def test_it_specifies_shape_and_schema(st_vector):
    spec = st.struct.DenseStructuredTensorSpec([None], {"x": st.TensorSpec([None], "int64")})
    assert isinstance(spec, st.struct.DenseStructuredTensorSpec) and isinstance(spec, st.StructuredTensorSpec)
    assert not isinstance(spec, st.struct.RaggedStructuredTensorSpec)
    for cls in (st.struct.DenseStructuredTensorSpec, st.struct.RaggedStructuredTensorSpec):
        assert issubclass(cls, st.StructuredTensorSpec) and issubclass(cls, st.TypeSpec)
    assert spec.is_compatible_with(st.constant([{"x": 1}, {"x": 2}]))
    for other in (st.constant([{"x": "a"}]), st.constant([{"y": 1}]), st.constant({"x": 1}), st_vector):
        assert not spec.is_compatible_with(other)


@promise(
    DENSE,
    "`DenseStructuredTensorSpec(shape, field_specs)`: each field's spec includes the outer dimensions, as [2, 3, 10]",
    python="st.struct.DenseStructuredTensorSpec([2, 3], {'x': st.TensorSpec([2, 3, 10], st.int32)})",
    cpp="MakeStructuredTensorSpec()",
    tensorflow="T.Spec.from_fields({'x': tf.TensorSpec([2, 3, 10], tf.int32)}, rank=2)",
    differs="Sizes of the structs' axes are not part of `T.Spec`, so that a function is traced once for all of them",
    shown_by="test_construction.py::test_specs_of_written_fields",
)
def test_field_specs_include_the_outer_dimensions():
    spec = st.struct.DenseStructuredTensorSpec(shape=[2, 3], field_specs={"x": st.TensorSpec([2, 3, 10], "int32")})
    assert spec == st.StructuredTensorSpec([2, 3], {"x": st.TensorSpec([2, 3, 10], "int32")})
    assert (spec.shape, spec.fields["x"].shape, spec.fields["x"].dtype) == ((2, 3), (2, 3, 10), "int32")
    assert spec.is_compatible_with(st.StructuredTensor([2, 3], {"x": np.zeros((2, 3, 10), np.int32)}))
    with pytest.raises(ValueError, match="field x"):
        st.struct.DenseStructuredTensorSpec([2, 3], {"x": st.TensorSpec([10], "int32")})


@promise(
    DENSE,
    "The dtypes are names of the module: `tf.TensorSpec([2, 3, 10], tf.int32)`",
    python="st.TensorSpec([2, 3, 10], st.int32)",
    cpp="DType::kInt32",
    tensorflow="st.TensorSpec([2, 3, 10], tf.int32)",
)
def test_dtypes_of_specs():
    spec = st.TensorSpec([2, 3, 10], "int32")
    assert st.TensorSpec([2, 3, 10], np.int32) == spec
    assert st.TensorSpec([2, 3, 10], st.int32) == spec


@promise(
    DENSE,
    "The rank of the shape is known",
    python="st.struct.DenseStructuredTensorSpec(None, field_specs) raises ValueError",
    cpp="MakeStructuredTensorSpec()",
    tensorflow="T.Spec",
)
def test_the_rank_of_a_spec_is_known():
    for unknown in (None, st.TensorShape(None)):
        with pytest.raises(ValueError, match="^shape: .*, found None; the rank of structs must be known$"):
            st.struct.DenseStructuredTensorSpec(unknown, {"x": st.TensorSpec([2], "int32")})


@promise(
    RAGGED,
    "`RaggedStructuredTensorSpec(shape, values_spec, row_splits_dtype)` specifies ragged structs by the spec of their values",
    python="st.struct.RaggedStructuredTensorSpec([3, None], values.spec, 'int64')",
    cpp="MakeStructuredTensorSpec()",
    tensorflow="tf.type_spec_from_value(rows)",
    differs="The spec keeps the fields with all their axes, not a spec of the values",
)
def test_ragged_specs(rows):
    for splits in ([0, 2, 2, 3], np.array([0, 2, 2, 3], np.int32)):
        ragged = st.struct.RaggedStructuredTensor.from_row_splits(rows, splits)
        dtype = ragged.row_partitions[0].dtype
        values = rows.with_shape_dtype(dtype).spec
        found = st.struct.RaggedStructuredTensorSpec([3, None], values, dtype)
        assert isinstance(found, st.struct.RaggedStructuredTensorSpec) and not isinstance(
            found, st.struct.DenseStructuredTensorSpec
        )
        assert found.is_compatible_with(ragged), (found, ragged.spec)
    for wrong in ([3], [3, None, 2]):
        with pytest.raises(ValueError, match="rows of structs"):
            st.struct.RaggedStructuredTensorSpec(wrong, rows.spec, "int64")


@promise(
    RAGGED,
    "The rank of the shape is known, and `values_spec` is a StructuredTensorSpec",
    python="st.struct.RaggedStructuredTensorSpec(None, values.spec, 'int64') raises ValueError",
    cpp="MakeStructuredTensorSpec()",
    tensorflow="T.Spec",
)
def test_arguments_of_ragged_specs():
    values = st.constant([{"x": 1}]).spec
    for unknown in (None, st.TensorShape(None)):
        with pytest.raises(ValueError, match="^shape: .*, found None; the rank of structs must be known$"):
            st.struct.RaggedStructuredTensorSpec(unknown, values, "int64")
    with pytest.raises(ValueError, match=r"^shape: expected None for axis 1, which is ragged, found \[2, 3\]$"):
        st.struct.RaggedStructuredTensorSpec([2, 3], values, "int64")
    for wrong, name in ((st.TensorSpec([3], "int64"), "TensorSpec"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"^values_spec: expected a StructuredTensorSpec, found {name}$"):
            st.struct.RaggedStructuredTensorSpec([2, None], wrong, "int64")


@promise(
    RAGGED,
    "`row_splits_dtype` is the dtype of the row splits",
    python="spec.shape_dtype",
    cpp="StructuredTensorSpec::shape_dtype()",
    tensorflow="tf.type_spec_from_value(rows)",
    shown_by="test_type.py::test_int32_row_splits",
)
def test_the_dtype_of_row_splits():
    values = st.constant([{"x": 1}]).spec
    specs = {dtype: st.struct.RaggedStructuredTensorSpec([3, None], values, dtype) for dtype in ("int32", "int64")}
    assert {dtype: spec.shape_dtype for dtype, spec in specs.items()} == {"int32": "int32", "int64": "int64"}
    assert specs["int32"] != specs["int64"]
    assert st.struct.RaggedStructuredTensorSpec([3, None], values, np.int32) == specs["int32"]
    with pytest.raises(ValueError, match="^row_splits_dtype: expected int32 or int64, found 'float32'$"):
        st.struct.RaggedStructuredTensorSpec([3, None], values, "float32")
