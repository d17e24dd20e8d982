"""Specs of extension types: shapes, compatibility, depth, parts that are shared."""

import pickle
import typing
from typing import Tuple

import numpy as np
import pytest
from shared_extension_types import Masked, Named, Node, OfTensor, WithoutShape, Wrapped

import structtensor as st
from structtensor import nest


def test_specs_of_values():
    masked = Masked([[1, 2]], [[True, False]])
    spec = Masked.Spec(st.TensorSpec([1, 2], "int64"), st.TensorSpec([1, 2], "bool"))
    assert Masked.Spec.from_value(masked) == masked.spec == spec
    assert repr(masked.spec) == "Masked.Spec(values=TensorSpec([1, 2], int64), mask=TensorSpec([1, 2], bool))"
    assert masked.spec.value_type is Masked and masked.spec.shape == (1, 2)
    assert masked.spec.batch(3).shape == (3, 1, 2) and masked.spec.unbatch().shape == (2,)
    assert masked.spec.with_unknown_sizes().shape == (None, 2)
    assert masked.spec.is_subtype_of(masked.spec.with_unknown_sizes())
    assert not masked.spec.is_compatible_with(5) and masked.spec != 5
    assert not masked.spec.is_compatible_with(Named([[1, 2]], [[True, False]]))
    for wrong in ((st.TensorSpec([1]),), (st.TensorSpec([1]), 5), (st.TensorSpec([1]), masked), ([1], [True])):
        with pytest.raises(TypeError):
            Masked.Spec(*wrong)
    with pytest.raises(TypeError):
        Masked.Spec.from_value(st.constant(1))
    with pytest.raises(ValueError):
        masked.spec.from_components([st.constant([1])])
    with pytest.raises(ValueError):
        masked.spec.from_components([st.constant(["a"]), st.constant([True])])
    with pytest.raises(ValueError):
        masked.spec.to_components(Masked([1.5], [True]))
    with pytest.raises(ValueError):
        Masked.Spec.deserialize([1])


def test_specs_of_unknown_rank():
    class Own(st.ExtensionType):
        v: st.Tensor
        shape = property(lambda self: self.v.shape)

        class Spec:
            shape = property(lambda self: self.v.shape)

    for cls in (OfTensor, Own):
        spec = cls.Spec(st.TensorSpec(None, "int64"))
        assert spec.shape is None and spec.is_compatible_with(cls([1])) and cls([[1]]).spec.is_subtype_of(spec)
        assert not spec.is_compatible_with(cls([1.5]))
        common = cls([1]).spec.most_specific_compatible_type(cls([[1]]).spec)
        assert common == spec and cls.Spec.deserialize(common.serialize()) == common
    spec = OfTensor.Spec(st.TensorSpec(None, "int64"))
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_types_that_say_that_they_have_no_shape():
    none = WithoutShape(1)
    assert none.spec == WithoutShape.Spec(st.TensorSpec((), "int64")) == pickle.loads(pickle.dumps(none.spec))
    assert isinstance(st.stack([none, none]), st.ExtensionRows)

    class Method(st.ExtensionType):
        v: st.Tensor

        def shape(self):
            return (1,)

    assert Method([1]).shape() == (1,) and isinstance(st.stack([Method([1])]), st.ExtensionRows)


@pytest.mark.parametrize(
    "shape", [np.array([2]), iter([2]), 2, (2.0,), (-1,), (2**64,), (True,), [np.float64(2)], "2", {2: 2}, ("2",), object()],
    ids=lambda shape: f"{type(shape).__name__}{shape if isinstance(shape, (tuple, list)) else ''}",
)
def test_what_is_no_shape(shape):
    made = type("G", (st.ExtensionType,), {"__annotations__": {"v": st.Tensor}, "shape": property(lambda self: shape)})
    with pytest.raises((TypeError, ValueError), match="the shape of G is .*; expected sizes or None"):
        made([1, 2])


def test_sizes_of_numpy():
    class Sized(st.ExtensionType):
        v: st.Tensor
        shape = property(lambda self: (np.int64(self.v.shape[0]),))

    assert st.stack([Sized([1, 2]), Sized([3, 4])]).spec.shape == (2, 2) and Sized([1, 2])[1:].v.to_py() == [2]
    for shape in (st.TensorShape([np.int32(2), None]), st.TensorShape(np.array([2])), st.TensorShape(np.uint8(2))):
        assert all(size is None or type(size) is int for size in shape) and shape[0] == 2
    for wrong in ([True], [np.True_], [2.0], [np.float64(2)], ["2"], 2.0, [[2]], object()):
        with pytest.raises(TypeError):
            st.TensorShape(typing.cast(typing.Any, wrong))
    with pytest.raises(ValueError):
        st.TensorShape([np.int64(-1)])


def test_a_shape_that_needs_the_spec():
    class A(st.ExtensionType):
        v: st.Tensor
        shape = property(lambda self: self.spec.v.shape)

    with pytest.raises(TypeError, match="the shape of A needs the spec of A, which needs the shape"):
        A([1])


def test_specs_hold_specs_of_nested_values():
    node = Node(1, [Node(2), Node([3, 4])])
    assert [type(child) for child in node.children] == [Node, Node]
    assert node.spec.children[1].value == st.TensorSpec([2], "int64")
    assert Node.Spec(*node.spec.serialize()) == node.spec
    assert node.spec != Node(1, [Node(2)]).spec
    assert [tensor.to_py() for tensor in nest.flatten(node, expand_composites=True)] == [1, 2, [3, 4]]
    assert nest.map_structure(lambda tensor: tensor * 2, node, expand_composites=True).children[1].value.to_py() == [6, 8]
    assert pickle.loads(pickle.dumps(node)) == node


def test_depth_is_limited():
    value = Wrapped()
    with pytest.raises(ValueError, match="deeper than 100"):
        for _ in range(1000):
            value = Wrapped(value)
    deep = Wrapped()
    for _ in range(90):
        deep = Wrapped(deep)
    assert pickle.loads(pickle.dumps(deep)) == deep and pickle.loads(pickle.dumps(deep.spec)) == deep.spec
    with pytest.raises(NotImplementedError, match="no components"):
        st.stack([deep, deep])
    node = Node(1)
    for _ in range(40):
        node = Node(1, [node])
    assert pickle.loads(pickle.dumps(node)) == node
    with pytest.raises(ValueError, match="100 levels"):
        pickle.dumps(st.stack([node]))
    nested: typing.Any = ()
    for _ in range(10_000):
        nested = (nested,)
    with pytest.raises(TypeError):
        Node(1, nested)
    annotation: typing.Any = int
    for _ in range(150):
        annotation = Tuple[annotation]
    with pytest.raises(TypeError):
        type("Deep", (st.ExtensionType,), {"__annotations__": {"x": annotation}})


def test_parts_that_are_shared_are_looked_at_once():
    """Node 60 is reached from the outermost one in 2^60 ways."""

    def shared(leaf):
        node = Node(leaf)
        for _ in range(60):
            node = Node(2, [node, node])
        return node

    node, equal, other = shared(1), shared(1), shared(3)
    assert node == equal and node != other and not node.equals(other)
    assert node.spec == equal.spec and hash(node.spec) == hash(equal.spec)
    text = shared("x")  # of another dtype
    assert text.spec != node.spec and not node.spec.is_compatible_with(text)
    assert node.spec.is_compatible_with(other) and node.spec.is_subtype_of(equal.spec)
    assert node.spec.most_specific_compatible_type(equal.spec) == node.spec
    assert node.spec.most_specific_compatible_type(text.spec) is None
    # If the repr would be too long, it is the type alone.
    for object in (node, node.spec):
        assert len(repr(object)) < 30_000 and type(object).__qualname__ + "(...)" in repr(object)
    with pytest.raises(ValueError, match=r"Node\(\.\.\.\)"):
        node.spec.from_components([1, 2, 3])
    small = Node(1, [Node(2)])
    assert repr(small) == repr(Node(1, [Node(2)])) and repr(small).count("Node(") == 2 and "..." not in repr(small)
    # An object of the outermost one's text is written again in the next one.
    assert repr(small) == repr(small)


def test_components_of_another_size_make_no_value():
    class Rows(st.ExtensionType):
        v: st.Tensor
        shape = property(lambda self: self.v.shape)

    spec = Rows([1, 2]).spec
    assert spec.from_components([[3, 4]]) == Rows([3, 4])
    with pytest.raises(ValueError, match=r"component 0 is TensorSpec\(\[3\].*; expected a value of TensorSpec\(\[2\], int64\)"):
        spec.from_components([[3, 4, 5]])


def test_shapes_are_joined():
    shape = st.TensorShape([2])
    assert repr(shape + (None,)) == repr([2] + st.TensorShape([None])) == "TensorShape([2, None])"
    assert (shape + None).rank is None and ((1,) + st.TensorShape(None)).rank is None
    with pytest.raises(ValueError, match="not known"):
        st.TensorShape(None) * 2
    assert shape.concatenate([None, 3]) == [2, None, 3] and isinstance(shape.concatenate([3]), st.TensorShape)
    assert shape.concatenate(st.TensorShape(None)).rank is None


NAMES_OF_NUMPY = {"float": "float32", "double": "float64"}


@pytest.mark.parametrize("text", "bool int32 int64 uint32 uint64 float16 float double".split())
def test_dtypes_are_those_of_numpy(text):
    dtype, name = st.DType(text), NAMES_OF_NUMPY.get(text, text)
    assert dtype is st.DType(name) is getattr(st, name)
    assert dtype.name == name and dtype.as_numpy_dtype is np.dtype(name).type
    for same in (text, name, np.dtype(name), np.dtype(name).type):
        assert dtype == same and not dtype != same and hash(dtype) == hash(text)
    assert st.constant([], dtype).to_numpy().dtype == dtype.as_numpy_dtype
    assert repr(dtype) == str(dtype) == text and pickle.loads(pickle.dumps(dtype)) is dtype


def test_dtypes_beside_those_of_numpy():
    assert st.double is st.float64 and st.half is st.float16
    assert [st.DType(text).as_numpy_dtype for text in ("string", "bytes", "bfloat16")] == [np.object_, np.object_, np.float32]
    for text, numpy_name in [("timestamp[ms]", "datetime64[ms]"), ("duration[s]", "timedelta64[s]")]:
        dtype = st.DType(text)
        assert dtype == numpy_name and dtype == np.dtype(numpy_name) == dtype.as_numpy_dtype
    assert (st.bool, st.int64, st.float64, st.string, st.DType("bytes")) == (bool, int, float, str, bytes)
    for other in ("float64", np.float64, "x", None, [], ["float32"], 5, object, st.float64):
        assert st.float32 != other and not st.float32 == other
    assert list(st.float32 == np.array(["float", "double"])) == [True, False]


def test_nest_keeps_the_classes_of_mappings():
    import collections
    import types

    for structure in (collections.Counter(a=1), types.MappingProxyType({"a": 1}), collections.OrderedDict(a=1)):
        doubled = st.nest.map_structure(lambda x: x * 2, structure)
        assert type(doubled) is type(structure) and doubled == {"a": 2}


def test_wrong_components_and_serializations_are_named():
    for spec in (st.constant([{"a": 1}]).spec, st.ragged.constant([[1]]).spec):
        for components in (5, {}, None):
            with pytest.raises((TypeError, ValueError), match="from_components|flat_sequence|components|tensors"):
                spec.from_components(components)
        for serialization in ((), 5, None, "ab"):
            with pytest.raises(ValueError, match=r"deserialize\(\): expected what serialize\(\) gave"):
                type(spec).deserialize(serialization)
