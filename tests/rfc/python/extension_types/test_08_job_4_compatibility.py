"""Job 4 of specs: equality, compatibility, and the most specific compatible type."""

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import LabeledDigraphSpec, LabeledTensorSpec, MaskedTensor, MaskedTensorSpec, SparseTensorSpec


def plain(values=(1, 2, 3)):
    return MaskedTensor(st.constant(list(values)), st.constant([True] * len(values)))


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Specs are equal if their serializations are; shapes match in rank and all sizes",
    python="spec == other",
    cpp="TypeSpec",
)
def test_equality_is_strict():
    assert st.TensorSpec([3], "int64") == st.TensorSpec([3], "int64")
    assert MaskedTensorSpec([3], "int64") == plain().__tf_type_spec__()
    for make in (st.TensorSpec, MaskedTensorSpec, SparseTensorSpec):
        spec = make([None, 3], "int64")
        assert spec == make([None, 3], "int64") and not spec != make([None, 3], "int64")
        for other in (make([2, 3], "int64"), make([None, None], "int64"), make([None], "int64"), make([None, 3], "bool")):
            assert spec != other and not spec == other
    assert st.TensorSpec(None, "int64") != st.TensorSpec([None], "int64")
    assert MaskedTensorSpec(None, "int64") == MaskedTensorSpec(None, "int64") != MaskedTensorSpec([None], "int64")
    assert MaskedTensorSpec([3], "int64") != SparseTensorSpec([3], "int64")
    assert MaskedTensorSpec([3], "int64") != ((3,), "int64")


class WithSizes(st.ExtensionType):
    """Its specs have a property that its values do not have."""

    values: st.Tensor

    class Spec:
        shape = property(lambda self: self.values.shape)


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "What is not in the serialization, such as a property of the class, does not count",
    python="spec == other",
    cpp="ExtensionTypeSpec::Equals()",
)
def test_equality_is_that_of_serializations():
    spec, made = WithSizes([1, 2]).__tf_type_spec__(), WithSizes.Spec(st.TensorSpec([2], "int64"))
    assert spec.serialize() == made.serialize() == (st.TensorSpec([2], "int64"),)
    assert spec == made and hash(spec) == hash(made) and made.is_compatible_with(WithSizes([1, 2]))


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Equal specs have equal hashes, and the order of a dict does not count",
    python="hash(spec)",
    cpp="ExtensionTypeSpec::Hash()",
)
def test_hashes_ignore_the_order_of_dicts():
    a, b = st.TensorSpec([2], "string"), st.TensorSpec([2], "bool")
    spec, other = LabeledDigraphSpec({"a": a, "b": b}, {}), LabeledDigraphSpec({"b": b, "a": a}, {})
    assert spec == other and hash(spec) == hash(other) and len({spec, other}) == 1
    assert spec != LabeledDigraphSpec({"a": b, "b": a}, {})
    assert hash(st.TensorSpec([2], "bool")) == hash(b)
    assert hash(MaskedTensorSpec([3], "int64")) == hash(plain().__tf_type_spec__())


class AnyCase(LabeledTensorSpec):
    """Names of axes are compared without their case."""

    def _key(self):
        return (self.shape, self.dtype, tuple(axis.lower() for axis in self.axes))

    def __eq__(self, other):
        return type(other) is AnyCase and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def is_compatible_with(self, spec_or_value):
        return self == spec_or_value

    def most_specific_compatible_type(self, other):
        return self if self == other else None


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "A class of specs may replace equality and compatibility, and generic functions use its methods",
    python="def most_specific_compatible_type(self, other)",
    cpp="ExtensionTypeSpec",
)
def test_replaced_methods_are_used():
    spec, other = AnyCase([2], "int64", ["Word"]), AnyCase([2], "int64", ["word"])
    assert spec == other and hash(spec) == hash(other)
    nest.assert_same_structure({"a": spec}, {"a": other}, expand_composites=True)
    with pytest.raises(ValueError):
        nest.assert_same_structure(spec, AnyCase([3], "int64", ["word"]), expand_composites=True)
    nest.assert_same_structure(
        LabeledTensorSpec([2], "int64", ["word"]), LabeledTensorSpec([3], "int64", ["word"]), expand_composites=True
    )


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "The example: `TensorSpec([3], tf.float32)` is compatible with `[None]`, and not with `[4]` or int32",
    python="st.TensorSpec([3], st.float32)",
    cpp="TensorSpec",
)
def test_the_examples_of_tensors():
    spec1 = st.TensorSpec([3], st.float32)
    assert spec1.is_compatible_with(st.TensorSpec([None], st.float32)) is True
    assert spec1.is_compatible_with(st.TensorSpec([4], st.float32)) is False
    assert spec1.is_compatible_with(st.TensorSpec([3], st.int32)) is False


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "A spec is compatible with the values of its type",
    python="spec.is_compatible_with(value)",
    cpp="TypeSpec::IsCompatibleWith()",
)
def test_specs_are_compatible_with_values():
    assert MaskedTensorSpec([None], "int64").is_compatible_with(plain())
    assert MaskedTensorSpec(None, "int64").is_compatible_with(plain())
    assert not MaskedTensorSpec([4], "int64").is_compatible_with(plain())
    assert not MaskedTensorSpec([3], "double").is_compatible_with(plain())
    assert st.TensorSpec([None], "int64").is_compatible_with(st.constant([1]))
    assert not st.TensorSpec([None, None], "int64").is_compatible_with(st.constant([1]))
    assert st.RaggedTensorSpec([None, None], "int64").is_compatible_with(st.ragged.constant([[1], []]))
    masked = Masked([1, 2], [True, False])
    assert Masked.Spec(st.TensorSpec([None], "int64"), st.TensorSpec([None], "bool")).is_compatible_with(masked)


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "What is no value of the type is not compatible, without an error",
    python='spec.is_compatible_with("x")',
)
def test_other_objects_are_not_compatible():
    specs = (st.TensorSpec([3], "int64"), st.RaggedTensorSpec([None, None], "int64"), MaskedTensorSpec([3], "int64"))
    for spec in (*specs, Masked([1], [True]).spec, st.StructuredTensor.from_pyval([{"a": 1}]).spec):
        for other in ("x", None, object(), {"a": 1}):
            assert spec.is_compatible_with(other) is False


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Specs whose `value_type` or `component_specs` contradict each other are not compatible",
    python="spec.is_compatible_with(other)",
    cpp="TypeSpec::IsCompatibleWith()",
    differs="Read literally, the document forbids compatible shapes that are not equal, which its own example has",
)
def test_other_types_are_not_compatible():
    spec = MaskedTensorSpec([3], "int64")
    for other in (SparseTensorSpec([3], "int64"), st.TensorSpec([3], "int64"), LabeledTensorSpec([3], "int64", ["x"])):
        assert not spec.is_compatible_with(other) and not other.is_compatible_with(spec)
        assert spec.most_specific_compatible_type(other) is None and other.most_specific_compatible_type(spec) is None
    assert not spec.is_compatible_with(st.constant([1, 2, 3])) and not st.TensorSpec([3], "int64").is_compatible_with(plain())


SPECS = [
    st.TensorSpec([3], "int64"),
    st.TensorSpec([None], "int64"),
    st.TensorSpec(None, "int64"),
    st.TensorSpec([3], "bool"),
    st.RaggedTensorSpec([None, None], "int64"),
    st.RaggedTensorSpec([3, None], "int64"),
    st.StructuredTensor.from_pyval([{"a": 1}]).spec,
    Masked.Spec(st.TensorSpec([None], "int64"), st.TensorSpec([None], "bool")),
    Masked.Spec(st.TensorSpec([3], "int64"), st.TensorSpec([3], "bool")),
    MaskedTensorSpec([3], "int64"),
    MaskedTensorSpec([None], "int64"),
    MaskedTensorSpec([None], "bool"),
    LabeledTensorSpec([3], "int64", ["x"]),
    LabeledTensorSpec([None], "int64", ["x"]),
    SparseTensorSpec([3], "int64"),
]


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Compatibility and the most specific compatible type do not depend on the order",
    python="a.is_compatible_with(b)",
    cpp="TypeSpec::IsCompatibleWith()",
)
def test_compatibility_is_symmetric():
    for a in SPECS:
        assert a.is_compatible_with(a) and a.most_specific_compatible_type(a) == a
        for b in SPECS:
            assert a.is_compatible_with(b) == b.is_compatible_with(a)
            assert a.most_specific_compatible_type(b) == b.most_specific_compatible_type(a)


class Grouped(st.TypeSpec):
    """Its serialization has shapes, dtypes and specs at several depths."""

    def __init__(self, state):
        self._state = state

    value_type = property(lambda self: dict)
    component_specs = property(lambda self: ())

    def serialize(self):
        return (self._state,)

    def to_components(self, value):
        return ()

    def from_components(self, components):
        return {}


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "By default, shapes, dtypes and tensor specs in the serializations are compared by their own "
    "compatibility, all else by equality",
    python="spec.is_compatible_with(other)",
    cpp="ExtensionTypeSpec::IsCompatibleWith()",
)
def test_serializations_are_compared_at_all_depths():
    shape, sized = st.TensorShape([None, 3]), st.TensorShape([8, 3])

    def state(shape, count=1, dtype="int64"):
        return {"a": (shape, count), "b": ({"c": st.TensorSpec(shape, dtype)},), "d": st.DType(dtype)}

    spec = Grouped(state(shape))
    assert spec.is_compatible_with(Grouped(state(sized))) and spec != Grouped(state(sized))
    assert Grouped((1, shape)).is_compatible_with(Grouped((1, sized)))
    for other in (state(st.TensorShape([8, 4])), state(shape, count=2), state(shape, dtype="bool"), {"a": (shape, 1)}, shape):
        assert not spec.is_compatible_with(Grouped(other))


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "A function that expects `[None, 3]` takes a value of the shape `[8, 3]`",
    python="spec.is_compatible_with(other)",
    cpp="TypeSpec::IsCompatibleWith()",
    tensorflow="tf.function",
)
def test_unknown_sizes_are_compatible():
    for make in (st.TensorSpec, MaskedTensorSpec):
        expected, found = make([None, 3], "float"), make([8, 3], "float")
        assert expected.is_compatible_with(found) and expected != found


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "`[8, 3]` and `[8, 5]` have `[8, None]` in common",
    python="a.most_specific_compatible_type(b)",
    cpp="TypeSpec::MostSpecificCompatibleType()",
    tensorflow="tf.cond",
)
def test_merged_specs_keep_what_agrees():
    for make in (st.TensorSpec, MaskedTensorSpec, SparseTensorSpec):
        merged = make([8, 3], "float").most_specific_compatible_type(make([8, 5], "float"))
        assert merged == make([8, None], "float") and type(merged) is make
        assert make([8, 3], "float").most_specific_compatible_type(make([8], "float")) == make(None, "float")
    names = [LabeledTensorSpec([size], "int64", ["word"]) for size in (1, 2, None)]
    assert names[0].most_specific_compatible_type(names[1]) == names[2]


class Voted:
    """A tensor with a static name. Values with several names have one name in common, "several"."""

    def __init__(self, values, name):
        self.values = values
        self.name = name

    def __tf_type_spec__(self):
        return VotedSpec(self.values.shape, self.name)


class VotedSpec(st.StackableTypeSpec):
    def __init__(self, shape, name):
        self._shape = st.TensorShape(shape)
        self._name = name

    value_type = property(lambda self: Voted)
    component_specs = property(lambda self: st.TensorSpec(self._shape, "int64"))

    def serialize(self):
        return (self._shape, self._name)

    def to_components(self, value):
        return value.values

    def from_components(self, components):
        return Voted(components, self._name)

    def to_boxed_tensor(self, value, minimum_rank=0):
        return value.values

    def from_boxed_tensor(self, boxed_tensor):
        return Voted(boxed_tensor, self._name)

    def boxed_tensor_spec(self, minimum_rank=0):
        return self.component_specs

    def stacked(self, num):
        return VotedSpec([num, *self._shape], self._name)

    def unstacked(self):
        return VotedSpec(self._shape[1:], self._name)

    def is_compatible_with(self, spec_or_value):
        other = spec_or_value.__tf_type_spec__() if isinstance(spec_or_value, Voted) else spec_or_value
        if type(other) is not VotedSpec or not self._shape.is_compatible_with(other._shape):
            return False
        return other._name == self._name or "several" in (other._name, self._name)

    def most_specific_compatible_type(self, other):
        if type(other) is not VotedSpec or other._shape != self._shape:
            return None
        return self if other._name == self._name else VotedSpec(self._shape, "several")


class AnnotatedVoted(st.ExtensionType):
    values: st.Tensor
    name: str
    shape = property(lambda self: self.values.shape)

    class Spec:
        def is_compatible_with(self, spec_or_value):
            other = spec_or_value.spec if isinstance(spec_or_value, AnnotatedVoted) else spec_or_value
            if type(other) is not AnnotatedVoted.Spec or not self.values.is_compatible_with(other.values):
                return False
            return other.name == self.name or "several" in (other.name, self.name)

        def most_specific_compatible_type(self, other):
            return self if self == other else AnnotatedVoted.Spec(self.values, "several")


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Functions that merge several values use the type's own `most_specific_compatible_type`",
    python="st.stack(values)",
    cpp="ExtensionTypeSpec::MostSpecificCompatibleType()",
    tensorflow="tf.cond",
)
@pytest.mark.parametrize("cls", [Voted, AnnotatedVoted])
def test_values_are_merged_by_the_types_own_method(cls):
    stacked = st.stack([cls(st.constant([1]), "p"), cls(st.constant([2]), "q")])
    assert (type(stacked), stacked.values.to_py(), stacked.name) == (cls, [[1], [2]], "several")
    same_name = st.stack([cls(st.constant([1]), "p"), cls(st.constant([2]), "p")])
    assert (same_name.values.to_py(), same_name.name) == ([[1], [2]], "p")


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Specs that differ in more than shapes have no type in common: the result is None",
    python="a.most_specific_compatible_type(b) is None",
    cpp="TypeSpec::MostSpecificCompatibleType()",
    differs="TensorFlow's releases raise ValueError",
)
def test_specs_without_a_common_type():
    for make in (st.TensorSpec, MaskedTensorSpec):
        assert make([3], "float").most_specific_compatible_type(make([3], "int64")) is None
    words, speakers = (LabeledTensorSpec([3], "int64", [name]) for name in ("word", "speaker"))
    assert words.most_specific_compatible_type(speakers) is None
    assert Grouped((1,)).most_specific_compatible_type(Grouped((1, 2))) is None


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Shapes are merged by `most_specific_compatible_shape`",
    python="st.TensorShape([8, 3]).most_specific_compatible_shape([8, 5])",
    cpp="Shape",
)
def test_shapes_are_merged():
    assert st.TensorShape([8, 3]).most_specific_compatible_shape(st.TensorShape([8, 5])) == st.TensorShape([8, None])
    assert st.TensorShape([8, 3]).most_specific_compatible_shape([8, 3]) == st.TensorShape([8, 3])
    for other in ([8], None):
        assert st.TensorShape([8, 3]).most_specific_compatible_shape(other) == st.TensorShape(None)


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "Shapes and dtypes are compared by `is_compatible_with`",
    python="st.int64.is_compatible_with(dtype)",
    cpp="Shape, DType",
)
def test_shapes_and_dtypes_are_compared():
    assert st.TensorShape([8, 3]).is_compatible_with(st.TensorShape([None, 3]))
    assert not st.TensorShape([8, 3]).is_compatible_with([8, 4]) and not st.TensorShape([8, 3]).is_compatible_with([8])
    assert st.TensorShape([8, 3]).is_compatible_with(st.TensorShape(None))
    assert st.int64.is_compatible_with(st.int64) and st.int64.is_compatible_with("int64")
    assert not st.int64.is_compatible_with(st.int32)


@promise(
    "TypeSpec Job 4: Equality and Compatibility.",
    "A choice of two values has a spec that is compatible with both",
    python="a.most_specific_compatible_type(b)",
    cpp="TypeSpec::MostSpecificCompatibleType()",
    tensorflow="tf.cond(c, lambda: x, lambda: y)",
    differs="The package has no `cond`: there are no graphs, and Python's `if` gives one of the two values",
)
def test_merged_specs_are_compatible_with_both_values():
    x = st.constant(np.zeros([8, 3]))
    y = st.constant(np.zeros([8, 5]))
    merged = x.__tf_type_spec__().most_specific_compatible_type(y.__tf_type_spec__())
    assert merged.shape == (8, None)
    assert merged.is_compatible_with(x) and merged.is_compatible_with(y)
