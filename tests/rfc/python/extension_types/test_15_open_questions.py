"""The document's open questions, and the answers here."""

import dataclasses
import typing

import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st
from structtensor import nest

from .plain_types import MaskedTensor, MaskedTensorSpec, to_py


class Hidden(st.ExtensionType):
    """Its tensor is not public."""

    _low: st.Tensor

    def __init__(self, value):
        self._low = value

    value = property(lambda self: self._low)


@promise(
    "Which Class should Decompose & Reconstruct Values?",
    "The spec takes values apart; types with hidden components are possible",
    python="_low: st.Tensor",
    cpp="ExtensionValueSpec::ToComponents()",
    differs="The alternative, `__tf_to_components__` on the type, is not used, as in the document",
)
def test_specs_take_values_apart():
    hidden = Hidden([1, 2])
    assert not [name for name in vars(Hidden) if not name.startswith("_") and name not in ("value", "Spec")]
    again = nest.map_structure(lambda tensor: tensor * 2, hidden, expand_composites=True)
    assert type(again) is Hidden and again.value.to_py() == [2, 4]
    assert hasattr(st.TypeSpec, "to_components") and not hasattr(st.ExtensionType, "__tf_to_components__")


@promise(
    "Which Class should Decompose & Reconstruct Values?",
    "From the spec alone, `pack_sequence_as` finds the class of the values",
    python="st.nest.pack_sequence_as(spec, tensors, expand_composites=True)",
    cpp="PackCompositesAs()",
)
def test_specs_know_the_class_of_values():
    tensors = [st.constant([1]), st.constant([True])]
    made = nest.pack_sequence_as(MaskedTensorSpec([1], "int64"), tensors, expand_composites=True)
    assert type(made) is MaskedTensor and to_py([made.values, made.mask]) == [[1], [True]]


@dataclasses.dataclass(frozen=True)
class Point:
    """A class that knows nothing of the library."""

    x: float
    y: float


@promise(
    "Should it be possible to define extension types non-invasively?",
    "Classes that are not written for the library may be used with its operations",
    python="@st.dispatch.dispatch_for_unary_elementwise_apis(Point)",
    tensorflow="tf.experimental.dispatch_for_unary_elementwise_apis",
    differs="For operations, handlers can be registered. A spec needs the method `__tf_type_spec__`",
)
def test_operations_of_other_classes():
    @st.dispatch.dispatch_for_unary_elementwise_apis(Point)
    def handler(api, point):
        return Point(api(st.constant(point.x)).to_py(), api(st.constant(point.y)).to_py())

    try:
        assert st.negative(Point(1.0, -2.0)) == Point(-1.0, 2.0)
    finally:
        st.dispatch.unregister_dispatch_for(handler)
    assert nest.flatten(Point(1.0, 2.0), expand_composites=True) == [Point(1.0, 2.0)]


@promise(
    "Registry vs Protocol vs Base Class",
    "The class of the values does not depend on the library",
    python="def __tf_type_spec__(self)",
)
def test_values_do_not_depend_on_the_library():
    namespace = {}
    program = """
class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees

    def __tf_type_spec__(self):
        from specs_of_celsius import CelsiusSpec
        return CelsiusSpec(self.degrees)
"""
    exec(program, namespace)
    assert not any("structtensor" in str(value) for name, value in namespace.items() if name != "__builtins__")
    made = namespace["Celsius"](3)
    assert made.degrees == 3 and hasattr(type(made), "__tf_type_spec__")


@promise(
    "Registry vs Protocol vs Base Class",
    "Types work with type annotations",
    python="x: MaskedTensor",
    cpp="ExtensionType",
    differs="Fields of other types are annotated with plain classes as well",
)
def test_types_are_annotations():
    class Pair(st.ExtensionType):
        first: MaskedTensor
        second: typing.Optional[Hidden] = None

    masked = MaskedTensor(st.constant([1, 2]), st.constant([True, False]))
    pair = Pair(masked, Hidden([5]))
    assert type(pair.first) is MaskedTensor and pair.second.value.to_py() == [5]
    assert to_py(nest.flatten(pair, expand_composites=True)) == [[1, 2], [True, False], [5]]
    assert pair.spec.first == masked.__tf_type_spec__()
    with pytest.raises(TypeError, match="first"):
        Pair(st.constant([1]))


@promise(
    "TypeSpec.name",
    "Specs have no name, except for those of tensors",
    python="st.RaggedTensorSpec",
    cpp="TypeSpec",
)
def test_specs_have_no_name():
    for spec in (st.RaggedTensorSpec, st.StructuredTensorSpec, Hidden.Spec, MaskedTensorSpec, st.TypeSpec):
        assert not hasattr(spec, "name")


@promise(
    "TypeSpec.name",
    "The spec of a tensor may have a name, which does not count in comparisons",
    python="st.TensorSpec([3], st.int64)",
    tensorflow="tf.TensorSpec",
    differs="No spec of the package has a name: it would name an input of a graph, and there are no graphs",
)
def test_specs_of_tensors_have_no_name():
    with pytest.raises(TypeError, match=r"TensorSpec\(\) got an unexpected keyword argument 'name'"):
        st.TensorSpec([3], "int64", name="x")


promise_of_tensorflow(
    "Should user-defined types be supported as inputs/outputs when computing gradients?",
    "Gradients are computed with respect to tensors, and perhaps later with respect to values of types",
    tensorflow="tape.gradient(total, rows)",
    shown_by="test_type.py::test_gradients",
    differs="`T` is an input and output of gradients. The package itself has no gradients",
)
