"""Job 1 of specs: what they store."""

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import LabeledTensor, MaskedTensor, MaskedTensorSpec, SparseTensor, SparseTensorSpec


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "The spec of a sparse tensor has its dtype and shape",
    python="class SparseTensorSpec(st.TypeSpec)",
    cpp="ExtensionValueSpec",
    tensorflow="tf.SparseTensorSpec",
    differs="The package has no sparse tensor: it is a type of one's own. `st.to_sparse` gives its three tensors",
)
def test_sparse_specs():
    sparse = SparseTensor(st.constant(np.array([[0, 1], [2, 3]])), st.constant([5.0, 6.0]), st.constant([3, 4]))
    spec = sparse.__tf_type_spec__()
    assert (spec.dtype, spec.dense_shape) == ("double", (3, 4))
    assert spec == SparseTensorSpec([3, 4], "double")


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "The spec of a ragged tensor has its dtype, its shape, its number of ragged axes, and the dtype of row splits",
    python="st.RaggedTensorSpec(shape, dtype, ragged_rank, row_splits_dtype)",
    cpp="RaggedTensorSpec",
    tensorflow="tf.RaggedTensorSpec",
)
def test_ragged_specs():
    spec = st.RaggedTensorSpec([None, None, 2], "int32", 1, "int32")
    assert (spec.dtype, spec.shape, spec.ragged_rank, spec.row_splits_dtype) == ("int32", (None, None, 2), 1, "int32")
    default = st.RaggedTensorSpec([None, None, None], "int32")
    assert (default.ragged_rank, default.row_splits_dtype) == (2, "int64")


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "The spec of a labeled tensor has the names of its axes, and the dtype and shape of the values",
    python="class LabeledTensorSpec(st.TypeSpec)",
    cpp="StaticState",
)
def test_labeled_specs():
    spec = LabeledTensor(st.constant(np.array([[1, 2], [3, 4]])), ["batch", "word"]).__tf_type_spec__()
    assert (spec.axes, spec.dtype, spec.shape) == (("batch", "word"), "int64", (2, 2))


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "The spec of a masked tensor has the shape and dtype of the values; those of the mask follow from them",
    python="class MaskedTensorSpec(st.TypeSpec)",
    cpp="ExtensionValueSpec",
)
def test_masked_specs_store_no_more_than_they_need():
    spec = MaskedTensor(st.constant([1.5, 2.5]), st.constant([True, False])).__tf_type_spec__()
    assert (spec.shape, spec.dtype) == ((2,), "double")
    assert spec.serialize() == ((2,), "double")
    assert spec.component_specs == (st.TensorSpec([2], "double"), st.TensorSpec([2], "bool"))


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor
    shape = property(lambda self: self.values.shape)

    class Spec:
        def __init__(self, shape, dtype):
            self.values = st.TensorSpec(shape, dtype)
            self.mask = st.TensorSpec(shape, "bool")

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "Static data are arguments of the constructor, and properties that cannot be set",
    python="spec.shape, spec.dtype",
    cpp="ExtensionTypeSpec",
)
def test_static_data_are_read_only():
    for spec in (MaskedTensorSpec([3], "int64"), Masked.Spec([3], "int64"), st.RaggedTensorSpec([3, None], "int64")):
        assert (spec.shape[0], spec.dtype) == (3, "int64")
        for name in ("shape", "dtype"):
            with pytest.raises(AttributeError):
                setattr(spec, name, None)
    assert Masked.Spec([3], "int64") == Masked([1, 2, 3], [True, False, True]).__tf_type_spec__()


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "Shapes and dtypes of values are objects that specs can store",
    python="value.shape, value.dtype",
    cpp="Shape, DType",
)
def test_shapes_and_dtypes_are_objects():
    for value in (st.constant([1, 2]), st.ragged.constant([[1], [2, 3]])):
        assert isinstance(value.shape, st.TensorShape) and isinstance(value.__tf_type_spec__().shape, st.TensorShape)
        assert isinstance(value.dtype, st.DType) and isinstance(value.__tf_type_spec__().dtype, st.DType)
        assert value.dtype == st.int64 == "int64" == value.dtype.name and value.dtype == np.int64
    assert st.TensorSpec(st.TensorShape(None), st.int64) == st.TensorSpec(None, "int64")


@promise(
    "TypeSpec Job 1: Storing Static Value Data",
    "A spec determines at least the dtypes of all tensors of its values",
    python="nest.flatten(spec, expand_composites=True)",
    cpp="ComponentSpecs(), FlattenComposites()",
)
def test_specs_determine_all_dtypes():
    dtypes = {
        st.TensorSpec([3], "string"): ["string"],
        st.RaggedTensorSpec([None, None, None], "float", 2, "int32"): ["float", "int32", "int32"],
        SparseTensorSpec([None, None], "bool"): ["int64", "bool", "int64"],
        MaskedTensorSpec(None, "int32"): ["int32", "bool"],
        Masked.Spec([None], "double"): ["double", "bool"],
    }
    for spec, expected in dtypes.items():
        assert [tensor.dtype for tensor in nest.flatten(spec, expand_composites=True)] == expected
