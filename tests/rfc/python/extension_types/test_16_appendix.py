"""What the document renames, drops and adds, compared with TensorFlow's internal classes of 2020."""

import pickle

import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import MaskedTensor, MaskedTensorSpec


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor


VALUES = [st.constant([1]), st.ragged.constant([[1]]), st.StructuredTensor.from_pyval([{"a": 1}]), Masked([1], [True])]


@promise(
    "Changes to `CompositeTensor`",
    "`_type_spec` is `__tf_type_spec__`, a method",
    python="value.__tf_type_spec__()",
    cpp="ExtensionType",
)
@promise(
    "Changes to `CompositeTensor`",
    "`_consumers` and `_shape_invariant_to_type_spec` are dropped; `nest.flatten` gives the tensors",
    python="st.nest.flatten(value, expand_composites=True)",
    cpp="FlattenComposites()",
)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_composite_tensors(value):
    assert callable(value.__tf_type_spec__)
    for name in ("_type_spec", "_consumers", "consumers", "_shape_invariant_to_type_spec"):
        assert not hasattr(value, name)
    assert all(type(leaf) is st.Tensor for leaf in nest.flatten(value, expand_composites=True))


@promise(
    "Changes to `TypeSpec`",
    "Private methods are public",
    python="spec.to_components, spec.from_components, spec.component_specs, spec.serialize",
    cpp="ToComponents(), FromComponents(), ComponentSpecs()",
    differs="TensorFlow's releases keep them private",
)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_methods_of_specs_are_public(value):
    spec = value.__tf_type_spec__()
    for name in ("to_components", "from_components", "component_specs", "serialize", "deserialize"):
        assert hasattr(spec, name) and not hasattr(spec, "_" + name)


@promise(
    "Changes to `TypeSpec`",
    "`most_specific_compatible_type` returns None if there is none",
    python="a.most_specific_compatible_type(b) is None",
    cpp="TypeSpec::MostSpecificCompatibleType()",
)
def test_no_common_type_is_none():
    assert st.TensorSpec([3], "int64").most_specific_compatible_type(st.TensorSpec([3], "bool")) is None
    assert MaskedTensorSpec([3], "int64").most_specific_compatible_type(MaskedTensorSpec([3], "bool")) is None


@promise(
    "Changes to `TypeSpec`",
    "The stackable specs' methods have new names",
    python="to_boxed_tensor, from_boxed_tensor, boxed_tensor_spec",
    cpp="FromBoxed()",
)
def test_stackable_specs_have_new_names():
    assert not hasattr(st, "BatchableTypeSpec")
    spec = st.TensorSpec([3], "int64")
    for name in ("_to_tensor_list", "_to_batched_tensor_list", "_from_tensor_list", "_from_compatible_tensor_list"):
        assert not hasattr(spec, name)
    assert not hasattr(spec, "_flat_tensor_specs")
    for name in ("to_boxed_tensor", "from_boxed_tensor", "boxed_tensor_spec"):
        assert callable(getattr(spec, name))


class OneBox(st.ExtensionType):
    values: st.Tensor

    class Spec:
        def to_boxed_tensor(self, value, minimum_rank=0):
            return value.values

        def from_boxed_tensor(self, boxed_tensor):
            return OneBox(boxed_tensor)

        def boxed_tensor_spec(self, minimum_rank=0):
            return self.values

        def stacked(self, num):
            return OneBox.Spec(self.values.stacked(num))

        def unstacked(self):
            return OneBox.Spec(self.values.unstacked())


@promise(
    "Changes to `TypeSpec`",
    "`to_boxed_tensor` may return one tensor, and takes `minimum_rank`",
    python="spec.to_boxed_tensor(value, minimum_rank=1)",
)
def test_one_box():
    values = [OneBox([1, 2]), OneBox([3, 4])]
    box = values[0].spec.to_boxed_tensor(values[0], minimum_rank=1)
    assert isinstance(box, st.Tensor) and box.rank >= 1
    assert st.stack(values) == OneBox([[1, 2], [3, 4]]) and st.unstack(st.stack(values)) == values


@promise(
    "Changes to `TypeSpec`",
    "Specs are serialized with their registered names",
    python="st.register_type_spec",
    cpp="TypeRegistry",
)
def test_specs_are_serialized_with_their_names():
    st.register_type_spec(Masked, "appendix.Masked")
    rows = st.StructuredTensor.from_fields({"m": st.stack([Masked([1], [True]), Masked([1, 2], [True, False])])})
    assert b"appendix.Masked" in pickle.dumps(rows.spec) and pickle.loads(pickle.dumps(rows.spec)) == rows.spec


@promise(
    "Changes to `OpDispatcher`",
    "The class of dispatchers is replaced by the protocol, with functions that ask for properties of operations",
    python="st.dispatch.is_unary_elementwise_op(op)",
)
def test_dispatchers_are_a_protocol():
    assert not hasattr(st, "OpDispatcher") and not hasattr(st.dispatch, "OpDispatcher")
    for name in ("is_unary_elementwise_op", "is_binary_elementwise_op", "is_reduction_op"):
        assert callable(getattr(st.dispatch, name))


class Answering:
    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        return "answer"


@promise(
    "Changes to `OpDispatcher`",
    "Handlers are found before the operation runs, and not because it fails",
    python="st.reduce_sum(x, axis)",
)
def test_handlers_are_asked_first():
    assert st.reduce_sum(Answering(), axis="nonsense") == "answer"
    with pytest.raises(TypeError):
        st.reduce_sum(Answering(), 0, False, None, None, None)
    masked = MaskedTensor(st.constant([1]), st.constant([True]))
    with pytest.raises(TypeError):
        st.reduce_sum(masked)
