"""st.nest, which takes values of extension types apart if expand_composites is set."""

import collections
import typing

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import LabeledTensor, MaskedTensor, MaskedTensorSpec, SparseTensor, to_py


def plain(values=(4,), mask=(True,)):
    return MaskedTensor(st.constant(list(values)), st.constant(list(mask)))


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor


class Named(st.ExtensionType):
    values: st.Tensor
    name: str


RAGGED = st.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3])


@promise(
    "tf.nest support for tf.ExtensionType",
    "`flatten` with `expand_composites=True` gives the tensors of all values",
    python="st.nest.flatten(structure, expand_composites=True)",
    cpp="FlattenComposites()",
    tensorflow="tf.nest.flatten(structure, expand_composites=True)",
)
def test_flatten_gives_tensors():
    structure = {"a": RAGGED, "b": [plain(), Masked([5], [False])]}
    assert [type(leaf) for leaf in nest.flatten(structure)] == [st.RaggedTensor, MaskedTensor, Masked]
    flat = nest.flatten(structure, expand_composites=True)
    assert all(type(leaf) is st.Tensor for leaf in flat)
    assert to_py(flat) == [[1, 2, 3], [0, 2, 3], [4], [True], [5], [False]]


@promise(
    "tf.nest support for tf.ExtensionType",
    "`flatten` of specs gives the specs of the tensors",
    python="st.nest.flatten(spec, expand_composites=True)",
    cpp="FlattenComposites()",
    tensorflow="tf.nest.flatten(spec, expand_composites=True)",
)
def test_flatten_gives_tensor_specs():
    tensors = [st.TensorSpec([1], "int64"), st.TensorSpec([1], "bool")]
    for value in (plain(), Masked([4], [True])):
        assert nest.flatten(value.__tf_type_spec__(), expand_composites=True) == tensors
        assert nest.flatten({"x": [value.__tf_type_spec__()]}, expand_composites=True) == tensors
    ragged = nest.flatten(st.RaggedTensorSpec([3, None], "float", 1, "int32"), expand_composites=True)
    assert ragged == [st.TensorSpec([None], "float"), st.TensorSpec([4], "int32")]


@promise(
    "tf.nest support for tf.ExtensionType",
    "`pack_sequence_as` of a spec makes a value with `from_components`",
    python="st.nest.pack_sequence_as(spec, tensors, expand_composites=True)",
    cpp="PackCompositesAs()",
    tensorflow="tf.nest.pack_sequence_as(spec, tensors, expand_composites=True)",
)
@promise(
    "tf.nest support for tf.ExtensionType",
    "The new value's tensors are those of the list, and its static data those of the spec",
    python="st.nest.pack_sequence_as(spec, tensors, expand_composites=True)",
    cpp="PackCompositesAs()",
)
def test_specs_are_packed():
    tensors = [st.constant([9, 8, 7]), st.constant([True, True, False])]
    made = nest.pack_sequence_as(MaskedTensorSpec([None], "int64"), tensors, expand_composites=True)
    assert type(made) is MaskedTensor and to_py([made.values, made.mask]) == [[9, 8, 7], [True, True, False]]
    ragged = nest.pack_sequence_as(RAGGED.spec, nest.flatten(RAGGED, expand_composites=True), expand_composites=True)
    assert ragged.equals(RAGGED)
    named = nest.pack_sequence_as(Named([1], "q").spec, [st.constant([5])], expand_composites=True)
    assert named == Named([5], "q")
    labeled = LabeledTensor(st.constant([1]), ["word"]).__tf_type_spec__()
    made = nest.pack_sequence_as([labeled], [st.constant([6])], expand_composites=True)[0]
    assert (made.values.to_py(), made.axes) == ([6], ("word",))


@promise(
    "tf.nest support for tf.ExtensionType",
    "`pack_sequence_as` of a value does the same with the value's spec",
    python="st.nest.pack_sequence_as(value, tensors, expand_composites=True)",
    cpp="PackCompositesAs()",
    tensorflow="tf.nest.pack_sequence_as(value, tensors, expand_composites=True)",
)
def test_values_are_packed():
    structure = {"a": RAGGED, "b": Masked([4], [True]), "c": plain()}
    flat = nest.flatten(structure, expand_composites=True)
    packed = nest.pack_sequence_as(structure, flat, expand_composites=True)
    assert packed["a"].equals(RAGGED) and packed["b"] == structure["b"]
    assert type(packed["c"]) is MaskedTensor and packed["c"].values.to_py() == [4]
    specs = {"a": RAGGED.spec, "b": structure["b"].spec, "c": structure["c"].__tf_type_spec__()}
    assert nest.flatten(specs, expand_composites=True)[2:4] == [st.TensorSpec([1], "int64"), st.TensorSpec([1], "bool")]
    from_specs = nest.pack_sequence_as(specs, flat, expand_composites=True)
    assert from_specs["b"] == structure["b"] and from_specs["c"].mask.to_py() == [True]


@promise(
    "tf.nest support for tf.ExtensionType",
    "The flat sequence is tensors, and not specs of tensors",
    python="st.nest.pack_sequence_as(spec, specs, expand_composites=True)",
    cpp="PackCompositesAs()",
    differs="Arrays are taken as well",
)
def test_specs_are_no_flat_sequence():
    for spec in (Masked([1], [True]).spec, MaskedTensorSpec([1], "int64"), RAGGED.spec):
        with pytest.raises(TypeError):
            nest.pack_sequence_as(spec, nest.flatten(spec, expand_composites=True), expand_composites=True)
    for spec in (Masked([1], [True]).spec, MaskedTensorSpec([1], "int64")):
        made = nest.pack_sequence_as(spec, [np.array([5]), np.array([False])], expand_composites=True)
        assert to_py([made.values, made.mask]) == [[5], [False]]


@promise(
    "tf.nest support for tf.ExtensionType",
    "A list with too few, too many or other tensors is an error",
    python="st.nest.pack_sequence_as(spec, tensors, expand_composites=True)",
    cpp="PackCompositesAs()",
)
def test_wrong_flat_sequences():
    tensors = [st.constant([1]), st.constant([True])]
    for spec in (Masked([1], [True]).spec, MaskedTensorSpec([1], "int64")):
        for wrong in (tensors[:1], tensors + tensors, []):
            with pytest.raises(ValueError):
                nest.pack_sequence_as(spec, wrong, expand_composites=True)
    with pytest.raises(ValueError, match="double"):
        nest.pack_sequence_as(Masked([1], [True]).spec, [st.constant([1.5]), tensors[1]], expand_composites=True)


@promise(
    "tf.nest support for tf.ExtensionType",
    "`assert_same_structure` fails if two values or specs have no type in common",
    python="st.nest.assert_same_structure(x, y, expand_composites=True)",
    cpp="AssertSameTypes()",
    tensorflow="tf.nest.assert_same_structure(x, y, expand_composites=True)",
)
def test_structures_need_common_types():
    x, longer, other = plain(), plain((1, 2), (True, False)), plain((1.5,))
    nest.assert_same_structure({"a": x}, {"a": longer}, expand_composites=True)
    nest.assert_same_structure(x, longer.__tf_type_spec__(), expand_composites=True)
    structure = {"a": RAGGED, "b": Masked([4], [True])}
    nest.assert_same_structure(structure, {"a": RAGGED.spec, "b": structure["b"].spec}, expand_composites=True)
    for one, two in (
        (x, other),
        (x, other.__tf_type_spec__()),
        (x, RAGGED),
        (LabeledTensor(st.constant([1]), ["a"]), LabeledTensor(st.constant([1]), ["b"])),
        (Named([1], "a"), Named([1], "b")),
        (structure, {"a": structure["b"], "b": RAGGED}),
    ):
        with pytest.raises(ValueError):
            nest.assert_same_structure(one, two, expand_composites=True)
        with pytest.raises(ValueError):
            nest.assert_same_structure([two], [one], expand_composites=True)


@promise(
    "tf.nest support for tf.ExtensionType",
    "`map_structure` applies a function to each tensor of a value, and makes a value of the same type",
    python="st.nest.map_structure(func, value, expand_composites=True)",
    cpp="FlattenComposites(), PackCompositesAs()",
    tensorflow="tf.nest.map_structure(func, value, expand_composites=True)",
)
def test_functions_are_mapped_over_tensors():
    doubled = nest.map_structure(lambda x: st.tile(x, [2]), plain((1, 2), (True, False)), expand_composites=True)
    assert type(doubled) is MaskedTensor
    assert to_py([doubled.values, doubled.mask]) == [[1, 2, 1, 2], [True, False, True, False]]
    assert nest.map_structure(lambda x: st.tile(x, [2]), Masked([1], [True]), expand_composites=True) == Masked(
        [1, 1], [True, True]
    )
    sums = nest.map_structure(lambda x, y: x + y, Named([1], "a"), Named([10], "a"), expand_composites=True)
    assert sums == Named([11], "a")


@promise(
    "tf.nest support for tf.ExtensionType",
    "The result of `map_structure` has the original type, so a function that gives other dtypes is an error",
    python="st.nest.map_structure(func, value, expand_composites=True)",
    cpp="PackCompositesAs()",
)
def test_mapped_values_have_the_original_type():
    for value in (RAGGED, Masked([1], [True]), plain()):
        with pytest.raises(ValueError, match="double"):
            nest.map_structure(lambda tensor: st.cast(tensor, "double"), value, expand_composites=True)


@promise(
    "tf.nest support for tf.ExtensionType",
    "The example: `flatten`, a function of each tensor, and `pack_sequence_as`",
    python="st.nest.flatten({'a': rt, 'b': sparse}, expand_composites=True)",
    cpp="FlattenComposites(), PackCompositesAs()",
    differs="The document's last call forgets `expand_composites=True`; the sparse tensor is a type of one's own",
)
def test_the_example():
    v1, r = st.constant([1, 2, 3]), st.constant([0, 2, 3])
    i, v2, d = st.constant(np.array([[0, 0]])), st.constant([5]), st.constant([2, 2])
    rt = st.RaggedTensor(values=v1, row_splits=r)
    sparse = SparseTensor(indices=i, values=v2, dense_shape=d)
    structure = {"a": rt, "b": sparse}
    flat = nest.flatten(structure, expand_composites=True)
    assert to_py(flat) == to_py([v1, r, i, v2, d])
    mapped = [t * 1 for t in flat]
    mapped[0] = v1 * 10
    packed = nest.pack_sequence_as(structure, mapped, expand_composites=True)
    assert packed["a"].to_py() == [[10, 20], [30]]
    assert type(packed["b"]) is SparseTensor
    assert to_py([packed["b"].indices, packed["b"].values, packed["b"].dense_shape]) == [[[0, 0]], [5], [2, 2]]


class Pair(typing.NamedTuple):
    first: object
    second: object


@promise(
    "tf.nest support for tf.ExtensionType",
    "Nested structures are lists, tuples, namedtuples, dicts and OrderedDicts",
    python="st.nest.is_nested(structure)",
    cpp="Nest",
    tensorflow="tf.nest.is_nested(structure)",
)
def test_what_is_a_structure():
    ordered = collections.OrderedDict([("b", plain()), ("a", 1)])
    for structure in ([1], (1,), {"a": 1}, Pair(1, 2), ordered):
        assert nest.is_nested(structure)
    for leaf in (1, "a", None, st.constant([1]), RAGGED, plain()):
        assert not nest.is_nested(leaf)
    assert to_py(nest.flatten(Pair(Masked([1], [True]), RAGGED), expand_composites=True)) == [[1], [True], [1, 2, 3], [0, 2, 3]]
    mapped = nest.map_structure(lambda x: x + 1, Pair(1, [2, 3]))
    assert type(mapped) is Pair and mapped == Pair(2, [3, 4])
    assert nest.flatten(collections.OrderedDict([("b", 1), ("a", 2)])) == [2, 1]
    packed = nest.pack_sequence_as(ordered, [10, 20])
    assert type(packed) is collections.OrderedDict and list(packed.items()) == [("b", 20), ("a", 10)]
    with pytest.raises((ValueError, TypeError)):
        nest.assert_same_structure(Pair(1, 2), Pair(1, [2]))


@promise(
    "tf.nest support for tf.ExtensionType",
    "Most functions take `expand_composites`",
    python="st.nest.is_nested(value, expand_composites=True)",
    cpp="AssertSameTypes()",
    tensorflow="tf.nest.is_nested(value, expand_composites=True)",
)
def test_functions_take_expand_composites():
    for value in (plain(), Masked([1], [True]), RAGGED, plain().__tf_type_spec__(), RAGGED.spec):
        assert nest.is_nested(value, expand_composites=True) and not nest.is_nested(value)
    assert not nest.is_nested(1, expand_composites=True)
    paths = nest.flatten_with_joined_string_paths({"a": plain()}, expand_composites=True)
    assert len(paths) == 2 and all(path.startswith("['a']") or path.startswith("a") for path, _ in paths)
    assert to_py([leaf for _, leaf in paths]) == [[4], [True]]
