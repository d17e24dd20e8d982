"""The base class of specs: its methods, and which of them a class of specs writes."""

import pytest
from promises import promise

import structtensor as st

from .plain_types import MaskedTensor, MaskedTensorSpec

METHODS = """serialize deserialize to_components from_components component_specs value_type __eq__ __hash__ is_compatible_with
most_specific_compatible_type""".split()


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor


@promise(
    "tf.TypeSpec",
    "Specs have ten methods and properties, for four jobs",
    python="st.TypeSpec",
    cpp="TypeSpec, ExtensionTypeSpec",
    tensorflow="T.Spec",
    differs="In TensorFlow's releases, the names of the first three jobs begin with an underscore",
)
@pytest.mark.parametrize("name", METHODS)
def test_all_specs_have_the_methods(name):
    built_in = (st.TensorSpec, st.RaggedTensorSpec, st.StructuredTensorSpec, st.ExtensionRowsSpec)
    for cls in (st.TypeSpec, *built_in, Masked.Spec, MaskedTensorSpec):
        assert hasattr(cls, name), cls


@promise(
    "tf.TypeSpec",
    "A class of specs writes serialize, to_components, from_components, component_specs and value_type; "
    "without one, it is abstract",
    python="class MaskedTensorSpec(st.TypeSpec)",
    cpp="ExtensionValueSpec",
)
@pytest.mark.parametrize("name", ["serialize", "to_components", "from_components", "component_specs", "value_type"])
def test_specs_without_a_method_are_abstract(name):
    body = {key: member for key, member in vars(MaskedTensorSpec).items() if key in (*METHODS, "__init__") and key != name}
    incomplete = type("Incomplete", (st.TypeSpec,), body)
    with pytest.raises(TypeError, match=name):
        incomplete([3], "int64")
    body[name] = vars(MaskedTensorSpec)[name]
    assert type("Complete", (st.TypeSpec,), body)([3], "int64").serialize() == ((3,), "int64")


@promise(
    "tf.TypeSpec",
    "The base class itself has no values",
    python="st.TypeSpec",
    cpp="ExtensionTypeSpec",
)
def test_the_base_class_is_abstract():
    with pytest.raises(TypeError):
        st.TypeSpec()
    with pytest.raises(TypeError):
        st.StackableTypeSpec()


@promise(
    "tf.TypeSpec",
    "The other five have defaults, made from the serialization",
    python="spec == other",
    cpp="ExtensionTypeSpec::Equals(), ExtensionTypeSpec::IsCompatibleWith()",
)
def test_the_other_methods_have_defaults():
    written = set(vars(MaskedTensorSpec))
    assert not written & {"deserialize", "__eq__", "__hash__", "is_compatible_with", "most_specific_compatible_type"}
    spec = MaskedTensorSpec([3], "int64")
    assert MaskedTensorSpec.deserialize(((3,), "int64")) == spec and hash(MaskedTensorSpec([3], "int64")) == hash(spec)
    assert spec.is_compatible_with(MaskedTensor(st.constant([1, 2, 3]), st.constant([True] * 3)))
    assert spec.most_specific_compatible_type(MaskedTensorSpec([4], "int64")) == MaskedTensorSpec([None], "int64")
