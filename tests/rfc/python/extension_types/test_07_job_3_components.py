"""Job 3 of specs: values are taken apart into components and made from them."""

import collections

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import LabeledTensor, MaskedTensor, MaskedTensorSpec, SparseTensor, SparseTensorSpec, to_py
from .test_03_extension_type_protocol import digraph


def plain():
    return MaskedTensor(st.constant([1, 2, 3]), st.constant([True, False, True]))


def sparse():
    return SparseTensor(st.constant(np.array([[0, 1], [2, 3]])), st.constant([5.0, 6.0]), st.constant([3, 4]))


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor


VALUES = {
    "tensor": lambda: st.constant([1, 2, 3]),
    "ragged": lambda: st.ragged.constant([[1, 2], [], [3]]),
    "deeper ragged": lambda: st.ragged.constant([[["a"], []], [["b", "c"]]]),
    "struct": lambda: st.StructuredTensor.from_pyval({"a": 1, "b": {"c": "x"}}),
    "structs": lambda: st.StructuredTensor.from_pyval([{"a": 1, "b": [2, 3]}, {"a": 4, "b": []}]),
    "ragged structs": lambda: st.StructuredTensor.from_pyval([[{"a": 1}], [], [{"a": 2}, {"a": 3}]]),
    "annotated fields": lambda: Masked([1, 2], [True, False]),
    "rows of extension types": lambda: st.stack([Masked([1], [True]), Masked([1, 2], [True, False])]),
    "masked": plain,
    "sparse": sparse,
    "labeled": lambda: LabeledTensor(st.constant([1.5]), ["x"]),
    "digraph": digraph,
}


def leaves(value):
    return to_py(nest.flatten(value, expand_composites=True))


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "`to_components` gives a structure of tensors and extension types, and `from_components` makes the value from it",
    python="spec.from_components(spec.to_components(value))",
    cpp="ToComponents(), FromComponents()",
    differs="In TensorFlow's releases, these methods are private",
)
@pytest.mark.parametrize("kind", VALUES)
def test_values_are_made_from_their_components(kind):
    value = VALUES[kind]()
    spec = value.__tf_type_spec__()
    components = spec.to_components(value)
    assert all(hasattr(leaf, "__tf_type_spec__") for leaf in nest.flatten(components))
    again = spec.from_components(components)
    assert type(again) is type(value) and again.__tf_type_spec__() == spec and leaves(again) == leaves(value)


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "`component_specs` describes the components: each is compatible with its spec",
    python="spec.component_specs",
    cpp="ComponentSpecs()",
)
@pytest.mark.parametrize("kind", VALUES)
def test_component_specs_describe_components(kind):
    value = VALUES[kind]()
    spec = value.__tf_type_spec__()
    fits = nest.map_structure(lambda t, c: t.is_compatible_with(c), spec.component_specs, spec.to_components(value))
    assert nest.flatten(fits) and all(fit is True for fit in nest.flatten(fits))


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "`value_type` is the Python class of values",
    python="spec.value_type",
    cpp="TypeSpec::value_type()",
    differs="Of structs it is `StructuredTensor`, as `type(value)` is; `isinstance()` distinguishes dense and ragged ones",
)
@pytest.mark.parametrize("kind", VALUES)
def test_value_type_is_the_class(kind):
    value = VALUES[kind]()
    assert value.__tf_type_spec__().value_type is type(value)


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "The components of a sparse tensor are the tuple `(indices, values, dense_shape)`, and its "
    "`component_specs` describes the three",
    python="class SparseTensorSpec(st.TypeSpec)",
    cpp="ExtensionValueSpec",
    tensorflow="tf.SparseTensorSpec",
    differs="The package has no sparse tensor: it is a type of one's own",
)
def test_sparse_components():
    value = sparse()
    spec = value.__tf_type_spec__()
    components = spec.to_components(value)
    assert isinstance(components, tuple) and to_py(components) == [[[0, 1], [2, 3]], [5.0, 6.0], [3, 4]]
    assert spec.component_specs == (
        st.TensorSpec([None, 2], "int64"),
        st.TensorSpec([None], "double"),
        st.TensorSpec([2], "int64"),
    )
    assert spec.value_type is SparseTensor
    assert leaves(value) == [[[0, 1], [2, 3]], [5.0, 6.0], [3, 4]]


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "The components of a tensor are the tensor; those of a ragged tensor are its flat values and the row splits of each axis",
    python="spec.to_components(ragged)",
    cpp="ToComponents()",
)
def test_components_of_built_in_values():
    tensor, ragged = st.constant([1, 2]), st.ragged.constant([[[1.5], [2.5, 3.5]], []])
    assert nest.flatten(tensor.__tf_type_spec__().to_components(tensor))[0].to_py() == [1, 2]
    components = nest.flatten(ragged.__tf_type_spec__().to_components(ragged), expand_composites=True)
    assert to_py(components) == [[1.5, 2.5, 3.5], [0, 2, 2], [0, 1, 3]]


Ends = collections.namedtuple("Ends", "first last")


class Route:
    """Components in a structure of a dict, a list, a namedtuple and values of other types."""

    def __init__(self, stops, ends):
        self.stops = stops
        self.ends = ends

    def __tf_type_spec__(self):
        return RouteSpec()


class RouteSpec(st.TypeSpec):
    value_type = property(lambda self: Route)

    @property
    def component_specs(self):
        stop = MaskedTensorSpec([None], "int64")
        return {"stops": [st.RaggedTensorSpec([None, None], "int64"), stop], "ends": Ends(stop, st.TensorSpec([], "int64"))}

    def serialize(self):
        return ()

    def to_components(self, value):
        return {"stops": list(value.stops), "ends": value.ends}

    def from_components(self, components):
        return Route(components["stops"], components["ends"])


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "Components are any structure of lists, tuples, namedtuples and dicts, whose leaves may be extension types",
    python="def to_components(self, value)",
    cpp="Nest",
)
def test_components_are_any_structure():
    route = Route([st.ragged.constant([[1], [2, 3]]), plain()], Ends(plain(), st.constant(7)))
    masked = [[1, 2, 3], [True, False, True]]
    assert leaves(route) == [*masked, 7, [1, 2, 3], [0, 1, 3], *masked]  # "ends" before "stops"
    spec = route.__tf_type_spec__()
    kinds = [type(leaf) for leaf in nest.flatten(spec.component_specs)]
    assert kinds == [MaskedTensorSpec, st.TensorSpec, st.RaggedTensorSpec, MaskedTensorSpec]
    again = nest.pack_sequence_as(spec, nest.flatten(route, expand_composites=True), expand_composites=True)
    assert type(again.ends) is Ends and type(again.ends.first) is MaskedTensor and type(again.stops[0]) is st.RaggedTensor
    assert leaves(again) == leaves(route)


class Doubled(st.TypeSpec):
    """Its component is twice what the value has. It keeps the calls of its methods."""

    calls = []
    value_type = property(lambda self: Half)
    component_specs = property(lambda self: st.TensorSpec([None], "int64"))

    def serialize(self):
        return ()

    def to_components(self, value):
        self.calls.append("to")
        return value.doubled

    def from_components(self, components):
        self.calls.append("from")
        return Half(components)


class Half:
    def __init__(self, doubled):
        self.doubled = doubled

    def __tf_type_spec__(self):
        return Doubled()


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "Generic functions take values apart and make them by the type's own two methods",
    python="nest.map_structure(f, value, expand_composites=True)",
    cpp="FlattenComposites(), PackCompositesAs()",
)
def test_generic_functions_call_the_two_methods():
    Doubled.calls.clear()
    half = nest.map_structure(lambda tensor: tensor + 2, {"a": Half(st.constant([2, 4]))}, expand_composites=True)["a"]
    assert half.doubled.to_py() == [4, 6] and Doubled.calls == ["to", "from"]


class Shifted(st.ExtensionType):
    """A class of annotated fields that writes the three members itself."""

    values: st.Tensor

    class Spec:
        component_specs = property(lambda self: {"a": self.values, "b": [st.TensorSpec([], "int64")]})

        def to_components(self, value):
            return {"a": value.values + 100, "b": [st.constant(7)]}

        def from_components(self, components):
            assert components["b"][0].to_py() == 7
            return Shifted(components["a"] - 100)


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "A class of annotated fields may write the two methods; generic functions call them",
    python="class Spec, with to_components and from_components",
)
def test_annotated_fields_may_have_other_components():
    shifted = Shifted([1, 2])
    flat = nest.flatten(shifted, expand_composites=True)
    assert to_py(flat) == [[101, 102], 7]
    assert nest.flatten(shifted.spec, expand_composites=True) == [st.TensorSpec([2], "int64"), st.TensorSpec([], "int64")]
    again = nest.map_structure(lambda tensor: tensor, shifted, expand_composites=True)
    assert again.values.to_py() == [1, 2]


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "A result of `from_components` is compatible with the spec",
    python="spec.from_components(components)",
    cpp="FromComponents()",
)
def test_results_are_compatible_with_the_spec():
    spec = Masked.Spec(st.TensorSpec([None], "int64"), st.TensorSpec([None], "bool"))
    assert spec.is_compatible_with(spec.from_components((st.constant([1]), st.constant([True]))))
    sized = Masked([1, 2, 3], [True] * 3).__tf_type_spec__()
    with pytest.raises(ValueError):
        sized.from_components((st.constant([1, 2]), st.constant([True, True])))
    with pytest.raises(ValueError):
        sized.from_components((st.constant([1.5, 2.5, 3.5]), st.constant([True] * 3)))


@promise(
    "TypeSpec Job 3: Decomposing and reconstructing values",
    "Neither method calls operations: components share the value's memory",
    python="spec.to_components(value)",
    cpp="ToComponents()",
)
def test_components_share_memory():
    ragged = st.ragged.constant([[1, 2], [], [3]])
    spec = ragged.__tf_type_spec__()
    flat = nest.flatten(spec.to_components(ragged), expand_composites=True)[0]
    assert np.shares_memory(np.asarray(flat), np.asarray(ragged.flat_values))
    again = spec.from_components(spec.to_components(ragged))
    assert np.shares_memory(np.asarray(again.flat_values), np.asarray(ragged.flat_values))
    masked = plain()
    flat = nest.flatten(masked, expand_composites=True)[0]
    assert np.shares_memory(np.asarray(flat), np.asarray(masked.values))
