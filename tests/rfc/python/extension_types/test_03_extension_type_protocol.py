"""A value is tensors, its dynamic data, and a TypeSpec, its static data. __tf_type_spec__() is the protocol."""

import typing

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import LabeledDigraph, LabeledDigraphSpec, MaskedTensor, MaskedTensorSpec, to_py


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor


def plain():
    return MaskedTensor(st.constant([1, 2, 3]), st.constant([True, False, True]))


@promise(
    "The tf.ExtensionType Protocol",
    "`value.__tf_type_spec__()` is the spec of a value of any type",
    python="value.__tf_type_spec__()",
    cpp="ExtensionType",
    tensorflow="tf.type_spec_from_value(rows)",
    differs="`value.spec` is the same for the package's values and classes of annotated fields",
)
def test_all_values_have_the_method():
    values = [
        st.constant([1, 2]),
        st.ragged.constant([[1], [2, 3]]),
        st.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}]),
        Masked([1], [True]),
        st.stack([Masked([1], [True]), Masked([1, 2], [True, False])]),
    ]
    assert type(values[-1]) is st.ExtensionRows
    for value in values:
        spec = value.__tf_type_spec__()
        assert spec == value.spec and isinstance(spec, st.TypeSpec) and spec.is_compatible_with(value)
    assert st.constant([1, 2]).__tf_type_spec__() == st.TensorSpec([2], "int64")
    assert plain().__tf_type_spec__() == MaskedTensorSpec([3], "int64")


@promise(
    "The tf.ExtensionType Protocol",
    "The protocol needs no base class",
    python="class MaskedTensor",
    cpp="ExtensionType",
    differs="In C++, ExtensionType is a base class",
)
def test_a_class_needs_no_base_class():
    assert st.ExtensionType not in type(plain()).__mro__
    # isinstance() asks for the protocol, as it does with a typing.Protocol.
    assert isinstance(plain(), st.ExtensionType) and issubclass(type(plain()), st.ExtensionType)
    assert isinstance(st.constant([1]), st.ExtensionType) and not isinstance([1], st.ExtensionType)
    annotated = type("Annotated", (st.ExtensionType,), {"__annotations__": {"x": st.Tensor}})
    assert not isinstance(plain(), annotated) and isinstance(annotated([1]), st.ExtensionType)
    spec = st.TensorSpec([3], "int64")
    assert nest.flatten(plain().__tf_type_spec__(), expand_composites=True) == [spec, st.TensorSpec([3], "bool")]
    assert MaskedTensorSpec([None], "int64").is_compatible_with(plain())
    assert not MaskedTensorSpec([None], "double").is_compatible_with(plain())


@promise(
    "The tf.ExtensionType Protocol",
    "A class whose `__tf_type_spec__` does not return a spec is refused, with its name",
    python="nest.flatten(value, expand_composites=True)",
)
def test_specs_are_checked():
    class NoSpec:
        def __tf_type_spec__(self):
            return "a spec"

    with pytest.raises(TypeError, match="NoSpec"):
        nest.flatten(NoSpec(), expand_composites=True)


@promise(
    "The tf.ExtensionType Protocol",
    "Values do not change",
    python="class M(st.ExtensionType)",
    cpp="ExtensionType",
    differs="A class of annotated fields refuses changes itself. A plain class promises it, as its author writes it",
)
def test_values_do_not_change():
    array = np.array([1, 2, 3])
    masked = Masked(array, [True, False, True])
    array[0] = 99
    assert masked.values.to_py() == [1, 2, 3]
    for value in (masked, plain()):
        with pytest.raises(AttributeError):
            value.values = st.constant([4])
    with pytest.raises(AttributeError):
        masked.other = 1
    with pytest.raises(AttributeError):
        del masked.values
    with pytest.raises(AttributeError):
        masked.spec.values = st.TensorSpec([1], "int64")


@promise(
    "The tf.ExtensionType Protocol",
    "A value is the tensors that its spec takes it apart into, and the spec",
    python="spec.from_components(spec.to_components(value))",
    cpp="ToComponents(), FromComponents()",
)
def test_values_are_tensors_and_a_spec():
    value = plain()
    spec = value.__tf_type_spec__()
    assert to_py(spec.to_components(value)) == [[1, 2, 3], [True, False, True]]
    again = spec.from_components(spec.to_components(value))
    assert again.__tf_type_spec__() == spec
    assert (again.values.to_py(), again.mask.to_py()) == ([1, 2, 3], [True, False, True])
    masked = Masked([1, 2], [True, False])
    assert masked.__tf_type_spec__().from_components(masked.__tf_type_spec__().to_components(masked)) == masked


@promise(
    "The tf.ExtensionType Protocol",
    "Each type has a class of specs of its own",
    python="class MaskedTensorSpec(st.TypeSpec)",
    cpp="ExtensionValueSpec",
    tensorflow="T.Spec",
)
def test_each_type_has_a_spec_class():
    class Named(Masked):
        name: str = "x"

    assert type(plain().__tf_type_spec__()) is MaskedTensorSpec
    assert type(Masked([1], [True]).__tf_type_spec__()) is Masked.Spec
    assert issubclass(Masked.Spec, st.TypeSpec) and issubclass(Named.Spec, Masked.Spec)
    built_in = (st.TensorSpec, st.RaggedTensorSpec, st.StructuredTensorSpec, st.ExtensionRowsSpec)
    assert all(issubclass(spec, st.TypeSpec) for spec in built_in)


@promise(
    "The tf.ExtensionType Protocol",
    "The dynamic data of a ragged tensor are its flat values and the row splits of each ragged axis",
    python="nest.flatten(ragged, expand_composites=True)",
    cpp="FlattenComposites()",
)
def test_dynamic_data_of_ragged_tensors():
    ragged = st.ragged.constant([[1, 2], [], [3]])
    assert to_py(nest.flatten(ragged, expand_composites=True)) == [[1, 2, 3], [0, 2, 2, 3]]
    deeper = st.ragged.constant([[[1], [2, 3]], [], [[4]]])
    assert to_py(nest.flatten(deeper, expand_composites=True)) == [[1, 2, 3, 4], [0, 2, 2, 3], [0, 1, 3, 4]]


@promise(
    "The tf.ExtensionType Protocol",
    "The static data of a ragged tensor are the dtype and shape of its flat values, its number of ragged "
    "axes, and the dtype of row splits",
    python="st.RaggedTensorSpec(shape, dtype, ragged_rank, row_splits_dtype)",
    cpp="RaggedTensorSpec",
)
def test_static_data_of_ragged_tensors():
    spec = st.RaggedTensorSpec([None, None, 3], "float", 1, "int32")
    assert (spec.dtype, spec.shape, spec.ragged_rank, spec.row_splits_dtype) == ("float", (None, None, 3), 1, "int32")
    assert spec.flat_values == st.TensorSpec([None, 3], "float")
    assert isinstance(st.ragged.constant([[1], [2, 3]]).__tf_type_spec__(), st.RaggedTensorSpec)


def digraph():
    labels = {"name": st.constant(["a", "b"]), "position": st.constant(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))}
    return LabeledDigraph(labels, {"weight": st.constant([0.5])}, (st.constant([0]), st.constant([1])))


@promise(
    "The tf.ExtensionType Protocol",
    "A labeled graph has dicts of node and edge tensors and a pair of tensors; its spec has the dtypes and shapes of labels",
    python="class LabeledDigraphSpec(st.TypeSpec)",
    cpp="ExtensionValueSpec",
)
def test_labeled_digraphs():
    spec = digraph().__tf_type_spec__()
    assert spec.nodes == {"name": st.TensorSpec([2], "string"), "position": st.TensorSpec([2, 3], "double")}
    assert spec.edges == {"weight": st.TensorSpec([1], "double")}
    tensors = nest.flatten(digraph(), expand_composites=True)  # dicts in the order of their keys
    assert to_py(tensors) == [[0.5], [0], [1], ["a", "b"], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]
    again = nest.pack_sequence_as(LabeledDigraphSpec(spec.nodes, spec.edges), tensors, expand_composites=True)
    assert again.nodes["name"].to_py() == ["a", "b"] and again.destination.to_py() == [1]


class Digraph(st.ExtensionType):
    nodes: typing.Mapping[str, st.Tensor]
    edges: typing.Mapping[str, st.Tensor]
    ends: typing.Tuple[st.Tensor, st.Tensor]


@promise(
    "The tf.ExtensionType Protocol",
    "The same graph as a class of annotated fields",
    python="class LabeledDigraph(st.ExtensionType)",
    cpp="ExtensionType",
    differs="The class of specs is made from the annotations",
)
def test_labeled_digraphs_of_annotated_fields():
    graph = Digraph({"name": ["a", "b"], "w": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}, {"weight": [0.5]}, ([0], [1]))
    assert graph.spec.nodes == {"name": st.TensorSpec([2], "string"), "w": st.TensorSpec([2, 3], "double")}
    assert graph.spec.ends == (st.TensorSpec([1], "int64"), st.TensorSpec([1], "int64"))
