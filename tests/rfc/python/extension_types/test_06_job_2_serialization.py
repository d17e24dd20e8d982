"""Job 2 of specs: serialize() and deserialize(), and what their defaults are used for."""

import collections
import pickle
import subprocess
import sys
import typing

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import MaskedTensor, MaskedTensorSpec, SparseTensorSpec


class Tagged:
    """A tensor, and static data of any kind."""

    def __init__(self, values, tag):
        self.values = values
        self.tag = tag

    def __tf_type_spec__(self):
        return TaggedSpec(self.tag)


class TaggedSpec(st.TypeSpec):
    def __init__(self, tag):
        self._tag = tag

    tag = property(lambda self: self._tag)
    value_type = property(lambda self: Tagged)
    component_specs = property(lambda self: st.TensorSpec([None], "int64"))

    def serialize(self):
        return (self._tag,)

    def to_components(self, value):
        return value.values

    def from_components(self, components):
        return Tagged(components, self._tag)


class Point(typing.NamedTuple):
    x: int
    name: str


# Two equal values of each kind that the document allows, made apart, and another value of the kind.
STATIC_DATA = {
    "boolean": (True, True, False),
    "integer": (12345, 12345, 12346),
    "string": ("word", "".join(["wo", "rd"]), "speaker"),
    "float": (2.5, 5 / 2, 3.5),
    "None": (None, None, "None"),
    "TensorSpec": (st.TensorSpec([2], "int64"), st.TensorSpec([2], "int64"), st.TensorSpec([2], "bool")),
    "TensorShape": (st.TensorShape([1, None]), st.TensorShape([1, None]), st.TensorShape([1, None, 2])),
    "TensorShape of unknown rank": (st.TensorShape(None), st.TensorShape(None), st.DType("int64")),
    "DType": (st.DType("float"), st.DType("float"), st.DType("double")),
    "ndarray": (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 5]])),
    "TypeSpec": (MaskedTensorSpec([3], "int64"), MaskedTensorSpec([3], "int64"), MaskedTensorSpec([3], "bool")),
    "tuple": ((1, ("a", None)), (1, ("a", None)), (1, ("b", None))),
    "namedtuple": (Point(1, "a"), Point(1, "a"), Point(2, "a")),
    "dict": ({"a": 1, "b": (2.5,)}, {"a": 1, "b": (2.5,)}, {"a": 1, "b": (3.5,)}),
    "OrderedDict": (
        collections.OrderedDict([("b", 1), ("a", "x")]),
        collections.OrderedDict([("b", 1), ("a", "x")]),
        collections.OrderedDict([("b", 1), ("a", "y")]),
    ),
}


def same(a, b):
    """Whether two static data have the same class and content."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "Specs may store booleans, integers, strings, floats, None, shapes, dtypes, arrays, specs, and nested "
    "tuples, namedtuples and dicts",
    python="spec.serialize()",
    cpp="StaticState",
)
@pytest.mark.parametrize("kind", STATIC_DATA)
def test_static_data_of_all_kinds(kind):
    tag, equal, other = STATIC_DATA[kind]
    spec = TaggedSpec(tag)
    assert same(TaggedSpec.deserialize(spec.serialize()).tag, tag)
    assert spec == TaggedSpec(equal) and hash(spec) == hash(TaggedSpec(equal))
    assert repr(spec) == repr(TaggedSpec(equal))
    assert spec != TaggedSpec(other) and not spec == TaggedSpec(other)
    stored = pickle.loads(pickle.dumps(spec))
    assert stored == spec and same(stored.tag, tag)
    assert spec.is_compatible_with(TaggedSpec(equal)) and not spec.is_compatible_with(TaggedSpec(other))
    assert spec.most_specific_compatible_type(TaggedSpec(equal)) == spec
    packed = nest.pack_sequence_as({"a": spec}, [st.constant([1, 2])], expand_composites=True)["a"]
    assert type(packed) is Tagged and packed.values.to_py() == [1, 2] and same(packed.tag, tag)


FIELDS = {
    "boolean": (bool, True, False),
    "integer": (int, 12345, 12346),
    "string": (str, "word", "speaker"),
    "float": (float, 2.5, 3.5),
    "None": (type(None), None, None),
    "TensorSpec": (st.TensorSpec, st.TensorSpec([2], "int64"), st.TensorSpec([2], "bool")),
    "TensorShape": (st.TensorShape, st.TensorShape([1, None]), st.TensorShape([1, None, 2])),
    "DType": (st.DType, st.DType("float"), st.DType("double")),
    "ndarray": (np.ndarray, np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 5]])),
    "TypeSpec": (st.TypeSpec, MaskedTensorSpec([3], "int64"), MaskedTensorSpec([3], "bool")),
    "tuple": (typing.Tuple[int, typing.Tuple[str, ...]], (1, ("a", "b")), (1, ("b", "a"))),
    "namedtuple": (Point, Point(1, "a"), Point(2, "a")),
    "Mapping": (typing.Mapping[str, int], {"a": 1, "b": 2}, {"a": 1, "b": 3}),
    "dict": (typing.Dict[str, int], {"a": 1, "b": 2}, {"a": 1, "b": 3}),
}


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "The same kinds are fields of a class of annotated fields",
    python="axes: tuple[str, ...]",
    cpp="StaticState",
)
@pytest.mark.parametrize("kind", FIELDS)
def test_annotated_fields_of_all_kinds(kind):
    annotation, tag, other = FIELDS[kind]
    body = {"__annotations__": {"values": st.Tensor, "tag": annotation}, "__module__": __name__}
    cls = type("Annotated" + kind, (st.ExtensionType,), body)
    value = cls([1, 2], tag)
    spec = value.__tf_type_spec__()
    if isinstance(tag, np.ndarray):
        assert np.array_equal(value.tag, tag) and np.array_equal(spec.tag, tag)
    else:
        assert value.tag == tag and spec.tag == tag
    assert cls.Spec.deserialize(spec.serialize()) == spec and hash(cls([1, 2], tag).spec) == hash(spec)
    assert spec.is_compatible_with(cls([3, 4], tag))
    if kind != "None":
        assert cls([1, 2], other).spec != spec and not spec.is_compatible_with(cls([1, 2], other))
    if kind == "namedtuple":
        assert type(value.tag) is Point
    again = nest.map_structure(lambda tensor: tensor * 2, value, expand_composites=True)
    assert again.values.to_py() == [2, 4] and again.spec == spec


class Noted(st.TypeSpec):
    """Has a note, which is not part of its state."""

    def __init__(self, shape, note="none"):
        self._shape = st.TensorShape(shape)
        self._note = note

    note = property(lambda self: self._note)
    value_type = property(lambda self: Tagged)
    component_specs = property(lambda self: st.TensorSpec(self._shape, "int64"))

    def serialize(self):
        return (self._shape,)

    def to_components(self, value):
        return value.values

    def from_components(self, components):
        return Tagged(components, self._note)


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "Equality, hashes, pickles, text and compatibility follow from what `serialize` returns",
    python="spec.serialize()",
    cpp="ExtensionTypeSpec::Serialize()",
)
def test_defaults_use_the_serialization():
    spec, other = Noted([3], "a"), Noted([3], "b")
    assert spec == other and not spec != other and hash(spec) == hash(other) and repr(spec) == repr(other)
    assert "Noted" in repr(spec) and "3" in repr(spec)
    assert spec.is_compatible_with(other)
    assert spec.most_specific_compatible_type(Noted([4], "a")) == Noted([None])
    assert pickle.loads(pickle.dumps(spec)).note == "none"
    assert Noted([3]) != Noted([4]) and repr(Noted([3])) != repr(Noted([4]))


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "By default, `deserialize` passes the serialization to the constructor",
    python="Spec.deserialize(serialization)",
    cpp="ExtensionTypeSpec::WithState()",
)
def test_deserialize_calls_the_constructor():
    spec = MaskedTensorSpec.deserialize(((None, 3), "int64"))
    assert type(spec) is MaskedTensorSpec and spec == MaskedTensorSpec([None, 3], "int64")
    calls = []

    class Counted(MaskedTensorSpec):
        def __init__(self, *arguments):
            calls.append(arguments)
            super().__init__(*arguments)

    assert Counted.deserialize(((3,), "bool")).dtype == "bool" and calls == [((3,), "bool")]


class BySize(st.TypeSpec):
    """Its serialization is not its arguments."""

    def __init__(self, *, size):
        self._size = size

    size = property(lambda self: self._size)
    value_type = property(lambda self: Tagged)
    component_specs = property(lambda self: st.TensorSpec([self._size], "int64"))

    def serialize(self):
        return ({"shape": st.TensorShape([self._size])},)

    @classmethod
    def deserialize(cls, serialization):
        (state,) = serialization
        return cls(size=state["shape"][0])

    def to_components(self, value):
        return value.values

    def from_components(self, components):
        return Tagged(components, self._size)


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "A class whose serialization is not its arguments writes `deserialize`, which pickles and merged specs use",
    python="def deserialize(cls, serialization)",
    cpp="TypeRegistry::Register()",
)
def test_deserialize_may_be_replaced():
    spec = BySize(size=3)
    assert BySize.deserialize(spec.serialize()) == spec
    assert pickle.loads(pickle.dumps(spec)).size == 3
    assert spec.most_specific_compatible_type(BySize(size=4)).size is None


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "The serialization of a sparse spec is `(shape, dtype)`",
    python="class SparseTensorSpec(st.TypeSpec)",
    tensorflow="tf.SparseTensorSpec",
    differs="The package has no sparse tensor: it is a type of one's own",
)
def test_sparse_specs_are_their_arguments():
    assert SparseTensorSpec([3, None], "float").serialize() == ((3, None), "float")


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "The serialization of a ragged spec is `(shape, dtype, ragged_rank, row_splits_dtype)`",
    python="st.RaggedTensorSpec([None, None], st.int64).serialize()",
    cpp="SerializeTypeSpec()",
    tensorflow="tf.RaggedTensorSpec",
)
def test_ragged_specs_are_their_arguments():
    spec = st.RaggedTensorSpec([4, None, 2], "float", 1, "int32")
    shape, dtype, ragged_rank, row_splits_dtype = spec.serialize()
    assert isinstance(shape, st.TensorShape) and shape == (4, None, 2)
    assert (dtype, ragged_rank, row_splits_dtype) == ("float", 1, "int32")
    assert st.RaggedTensorSpec(*spec.serialize()) == spec == st.RaggedTensorSpec.deserialize(spec.serialize())


def is_allowed(state):
    if state is None or isinstance(state, (bool, int, str, float, np.ndarray, st.TensorShape, st.DType, st.TypeSpec)):
        return True
    if isinstance(state, dict):
        return all(isinstance(key, str) for key in state) and all(map(is_allowed, state.values()))
    return isinstance(state, tuple) and all(map(is_allowed, state))


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "All specs of the library are made again from what `serialize` returns",
    python="type(spec).deserialize(spec.serialize())",
    cpp="SerializeTypeSpec(), ParseTypeSpec()",
)
def test_built_in_specs_are_serialized():
    values = [
        st.constant([1, 2]),
        st.ragged.constant([[1], [2, 3]]),
        st.ragged.constant([[[1.5]], [[2.5], []]]),
        st.StructuredTensor.from_pyval([{"a": 1, "b": [2]}, {"a": 3, "b": []}]),
        st.StructuredTensor.from_pyval({"a": {"b": "x"}}),
    ]
    specs = [value.__tf_type_spec__() for value in values] + [st.TensorSpec(None, "string"), st.TensorSpec([2, None], "bool")]
    for spec in specs:
        state = spec.serialize()
        assert isinstance(state, tuple) and is_allowed(state), state
        again = type(spec).deserialize(state)
        assert again == spec and type(again) is type(spec) and hash(again) == hash(spec)
        assert pickle.loads(pickle.dumps(spec)) == spec


_OTHER_PROCESS = """
import pickle, sys
from extension_types.plain_types import MaskedTensorSpec
specs = pickle.load(sys.stdin.buffer)
pickle.dump(([type(spec).__name__ for spec in specs], specs[0] == MaskedTensorSpec([3, None], "int64")), sys.stdout.buffer)
"""


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "Specs go to other processes and to files",
    python="pickle.dumps(spec)",
    cpp="SerializeTypeSpec(), ParseTypeSpec()",
    tensorflow="tf.saved_model.save(model, folder)",
)
def test_specs_go_to_other_processes():
    specs = [MaskedTensorSpec([3, None], "int64"), st.RaggedTensorSpec([None, None], "int64"), st.TensorSpec([1], "bool")]
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{_OTHER_PROCESS}"
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(specs), stdout=subprocess.PIPE, check=True)
    assert pickle.loads(done.stdout) == (["MaskedTensorSpec", "RaggedTensorSpec", "TensorSpec"], True)


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "Specs are stored as the bytes of a message",
    python="st.TypeSpec.from_bytes(spec.to_bytes())",
    cpp="SerializeTypeSpec(), ParseTypeSpec()",
    differs="They are messages of type_spec.proto instead of TensorFlow's StructuredValue",
)
def test_specs_are_bytes():
    annotated = WithNote([1, 2], "a").__tf_type_spec__()
    tagged = TaggedSpec({"a": (1, None), "b": st.TensorShape([1, None])})
    for spec in (MaskedTensorSpec([3, None], "int64"), st.RaggedTensorSpec([None, None], "int64"), annotated, tagged):
        stored = spec.to_bytes()
        assert isinstance(stored, bytes) and st.TypeSpec.from_bytes(stored) == spec
        assert type(spec).from_bytes(stored) == spec
    with pytest.raises(ValueError):
        st.TypeSpec.from_bytes(b"no message")


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "A class of annotated fields has a serialization without being written: its fields",
    python="M.Spec.deserialize(spec.serialize())",
    cpp="ExtensionTypeSpec::Serialize()",
    differs="The document asks each class to write `serialize`",
)
def test_annotated_fields_are_the_serialization():
    class Masked(st.ExtensionType):
        values: st.Tensor
        mask: st.Tensor

    spec = Masked([1, 2, 3], [True, False, True]).__tf_type_spec__()
    assert spec.serialize() == (st.TensorSpec([3], "int64"), st.TensorSpec([3], "bool"))
    assert Masked.Spec.deserialize(spec.serialize()) == spec


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "A class of annotated fields may write `serialize`, and then equality, hashes, text and pickles follow from it",
    python="class Spec, with serialize",
)
def test_annotated_fields_may_have_another_serialization():
    spec = WithNote([1, 2], "a").__tf_type_spec__()
    other = WithNote([3, 4], "b").__tf_type_spec__()
    assert spec.serialize() == ((2,), "int64")
    assert spec == other and hash(spec) == hash(other) and repr(spec) == repr(other)
    assert spec.is_compatible_with(other) and WithNote.Spec.deserialize(spec.serialize()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


class WithNote(st.ExtensionType):
    values: st.Tensor
    note: str

    class Spec:
        def __init__(self, shape, dtype, note=""):
            self.values = st.TensorSpec(shape, dtype)
            self.note = note

        def serialize(self):
            return (self.values.shape, self.values.dtype)


@promise(
    "TypeSpec Job 2: Serializing the TypeSpec itself",
    "A spec's text is made from its serialization, so specs that differ have different text",
    python="repr(spec)",
    cpp="TypeSpec::DebugString()",
)
def test_text_shows_what_differs():
    for a, b in (
        (st.ragged.constant([[1], [2, 3]]), st.ragged.constant([[], [4]])),
        (st.ragged.constant([[1], [2, 3]]), st.ragged.constant([[4], [5, 6]])),
        (MaskedTensor(st.constant([1]), st.constant([True])), MaskedTensor(st.constant([1, 2]), st.constant([True, True]))),
    ):
        a, b = a.__tf_type_spec__(), b.__tf_type_spec__()
        assert (repr(a) == repr(b)) == (a == b)
