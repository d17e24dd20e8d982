"""Extension types: fields and conversions, what is refused, specs, rows, pickles."""

import abc
import copy
import enum
import gc
import pickle
import subprocess
import sys
import textwrap
import types
import typing
from typing import Literal, Mapping, Optional, Tuple, Union

import numpy as np
import pytest

import structtensor as st
from structtensor import nest


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor
    shape = property(lambda self: self.values.shape)


class Named(Masked):
    name: str = "x"


class Node(st.ExtensionType):
    value: st.Tensor
    children: Tuple["Node", ...] = ()


class Wrapped(st.ExtensionType):
    inner: Optional["Wrapped"] = None


class OfTensor(st.ExtensionType):
    v: st.Tensor
    shape = property(lambda self: self.v.shape)


class WithoutShape(st.ExtensionType):
    v: st.Tensor
    shape = property(lambda self: None)


class Scalar(st.BatchableExtensionType):
    value: st.Tensor
    structs: st.StructuredTensor


class Static(st.ExtensionType):
    number: int
    fraction: float
    text: str
    flag: bool
    data: bytes
    nothing: None
    size: st.TensorShape
    dtype: st.DType
    pair: Tuple[int, str]
    many: Tuple[int, ...]
    names: Mapping[str, int]
    numbers: Mapping[int, str]
    choice: Literal["a", "b"]
    either: Union[int, str]


STATIC = (
    3, 0.5, "ä", True, b"\x00\xff", None, [1, None], "int32", [1, "a"], [1, 2], {"b": 2, "a": 1}, {2: "b", 1: "a"}, "a", "text"
)  # fmt: skip


def test_fields_are_arguments_in_their_order():
    named = Named([1], [True])
    assert named.name == "x" and named.values.to_py() == [1]
    assert Named(mask=[True], values=[1], name="y").name == "y"
    assert list(typing.cast(typing.Any, Named).__signature__.parameters) == ["values", "mask", "name"]
    assert repr(named).startswith("Named(values=Tensor([1]") and repr(named).endswith("name='x')")
    assert isinstance(named, Masked) and issubclass(Named.Spec, Masked.Spec)
    for arguments, keywords in (((), {}), (([1], [True], "x", 4), {}), (([1], [True]), {"other": 3}), (([1],), {"values": [1]})):
        with pytest.raises(TypeError, match="Named"):
            Named(*arguments, **keywords)
    with pytest.raises(TypeError, match="name: expected 'str', found 'int'"):
        Named([1], [True], 5)


def test_static_fields_come_back_as_they_were():
    static = Static(*STATIC)
    for value in (static, pickle.loads(pickle.dumps(static)), static.spec):
        assert value.size == [1, None] and isinstance(value.size, st.TensorShape)
        assert value.dtype == "int32" and isinstance(value.dtype, st.DType)
        assert value.pair == (1, "a") and value.many == (1, 2) and value.names == {"a": 1, "b": 2} and value.numbers[2] == "b"
        assert (value.number, value.fraction, value.text, value.flag, value.data, value.nothing) == STATIC[:6]
        assert (value.choice, value.either) == ("a", "text")
    assert static == Static(*STATIC) and static != Static(*STATIC[:-1], 7)
    assert pickle.loads(pickle.dumps(static.spec)) == static.spec
    assert nest.flatten(static, expand_composites=True) == []
    with pytest.raises(TypeError):
        static.names["c"] = 3
    with pytest.raises(AttributeError):
        static.size._dims = ()


def test_static_fields_take_the_content_of_derived_classes():
    class Color(str, enum.Enum):
        RED = "red"

    class Level(enum.IntEnum):
        HIGH = 3

    class Loud(str):
        def __str__(self):
            return self.upper()

    class Half(float):
        def __float__(self):
            return 0.5

    class Large(int):
        def __lt__(self, other):
            return True

        __le__ = __gt__ = __ge__ = __lt__

        def __int__(self):
            return 1

    class Odd(bytes):
        def __bytes__(self):
            return b"odd"

    class All(st.ExtensionType):
        text: str
        number: int
        fraction: float
        data: bytes
        names: Mapping[str, int]
        numbers: Tuple[int, ...]
        either: Union[int, str]

    made = All(Color.RED, Level.HIGH, Half(2.5), Odd(b"even"), {Color.RED: Level.HIGH}, [Level.HIGH, Large(5)], Loud("a"))
    assert made == All("red", 3, 2.5, b"even", {"red": 3}, [3, 5], "a")
    found = (made.text, made.number, made.fraction, made.data, *made.names.items(), *made.numbers, made.either)
    assert found == ("red", 3, 2.5, b"even", ("red", 3), 3, 5, "a")
    plain = (made.text, made.number, made.fraction, made.data, *made.names, *made.names.values(), *made.numbers)
    assert [type(value) for value in plain] == [str, int, float, bytes, str, int, int, int]
    with pytest.raises(OverflowError):
        All("", Large(2**63), 0.5, b"", {}, (), 0)


def test_objects_do_not_change():
    masked = Masked([1], [True])
    for change in (lambda: setattr(masked, "values", 1), lambda: setattr(masked, "other", 1), lambda: delattr(masked, "mask")):
        with pytest.raises(AttributeError, match="does not change"):
            change()
    with pytest.raises(AttributeError, match="does not change"):
        masked.spec.values = st.TensorSpec([1])
    with pytest.raises(AttributeError):
        Masked.values = 3
    assert copy.copy(masked) is masked and copy.deepcopy([masked])[0] is masked
    with pytest.raises(TypeError):
        hash(masked)


def test_init_may_be_written():
    class Range(st.ExtensionType):
        begin: st.Tensor
        end: st.Tensor

        def __init__(self, size, **wrong):
            self.begin = 0
            self.end = size
            for name, value in wrong.items():
                setattr(self, name, value)

        def __validate__(self):
            if self.end.item() < self.begin.item():
                raise ValueError("the end is before the beginning")

    assert Range(3).end.to_py() == 3
    with pytest.raises(ValueError, match="before the beginning"):
        Range(-1)
    with pytest.raises(AttributeError, match="no field 'middle'"):
        Range(3, middle=2)

    class Half(st.ExtensionType):
        x: int
        y: int

        def __init__(self):
            self.x = 1

    with pytest.raises(TypeError, match="did not set y"):
        Half()


@pytest.mark.parametrize(
    "annotation",
    [dict, typing.Any, complex, typing.List[int], Mapping[st.Tensor, int], Mapping[Tuple[int], int], 5, [], st.TensorSpec]
    + [Tuple, tuple, Mapping, Optional[Tuple]],
)
def test_annotations_that_no_field_can_have(annotation):
    with pytest.raises(TypeError, match="field 'x'"):
        type("Wrong", (st.ExtensionType,), {"__annotations__": {"x": annotation}})


def test_classes_that_cannot_be():
    def make(body, bases=(st.ExtensionType,)):
        return type(bases[0])("Wrong", bases, body)

    for name in ("self", "spec", "Spec", "equals", "batch", "__x", "class", "_record"):
        with pytest.raises(ValueError, match=name):
            make({"__annotations__": {name: int}})
    with pytest.raises(ValueError, match="without a default follows"):
        make({"__annotations__": {"a": int, "b": int}, "a": 1})
    with pytest.raises(TypeError, match="default value for a"):
        make({"__annotations__": {"a": int}, "a": "text"})
    with pytest.raises(TypeError, match="default value for a"):
        make({"__annotations__": {"a": int}, "a": property(lambda self: 3)})
    with pytest.raises(TypeError, match="Spec is not a class"):
        make({"Spec": 3})
    with pytest.raises(TypeError):
        make({}, (st.ExtensionType, st.ExtensionType))
    with pytest.raises(TypeError):
        make({}, (st.ExtensionType, int))
    for base in (st.ExtensionType, st.BatchableExtensionType, st.ExtensionTypeSpec, st.ExtensionType.Spec):
        with pytest.raises(TypeError):
            base()
    later = make({"__annotations__": {"a": "NoSuchClass"}})
    with pytest.raises(TypeError, match="NoSuchClass"):
        later(1)
    for text in ("1 +", "st.Nothing", "typing.Union['X', 'X'", "os.system('false')"):
        with pytest.raises(TypeError):
            make({"__annotations__": {"a": text}, "__module__": __name__})(1)
    # A default that can change is a value by the time it could.
    mutable = [1, 2]
    kept = make({"__annotations__": {"a": st.Tensor}, "a": mutable})
    mutable.append(3)
    assert kept().a.to_py() == [1, 2]


@pytest.mark.parametrize("name", ["_parsed", "_type_name", "_has_own_boxes", "_converted_defaults", "_names", "", "a b", "é è", 3])
def test_names_that_no_field_can_have(name):
    with pytest.raises(ValueError, match=f"{name!r}"):
        type("Wrong", (st.ExtensionType,), {"__annotations__": {name: int}})


def test_what_hides_a_field():
    class Base(st.ExtensionType):
        x: int
        y: int = 1

    for hiding in (property(lambda self: 7), lambda self: 7, 7, staticmethod(int), None):
        with pytest.raises(ValueError, match="Wrong: 'x' is a field of a base class; annotate it"):
            type("Wrong", (Base,), {"x": hiding})

    class Mixin:
        x = property(lambda self: 7)
        z = 5

    with pytest.raises(ValueError, match="the property 'x' of Mixin hides the field"):
        type("Wrong", (Mixin, Base), {})
    with pytest.raises(ValueError, match="the property 'x' of Mixin hides the field"):
        type("Wrong", (Mixin, st.ExtensionType), {"__annotations__": {"x": int}})

    class Derived(Base):
        x: int = 7

    class Other(st.ExtensionType, type("Plain", (), {"z": 5})):
        z: int

    assert Derived().x == 7 and Other(6).z == 6


def test_the_order_of_fields_of_base_classes():
    class Base(st.ExtensionType):
        a: int = 1

    with pytest.raises(ValueError, match="'b' without a default follows 'a', which has one; give 'b' a default, too: fields of base"):
        type("Wrong", (Base,), {"__annotations__": {"b": int}})
    with pytest.raises(ValueError, match="or put 'b' first"):
        type("Wrong", (st.ExtensionType,), {"__annotations__": {"a": int, "b": int}, "a": 1})


def test_class_variables_are_no_fields(tmp_path, monkeypatch):
    (tmp_path / "variables_of_mine.py").write_text(
        textwrap.dedent("""
        from __future__ import annotations
        import typing
        import typing as t
        from typing import ClassVar
        from typing import ClassVar as Shared
        import structtensor as st

        class Counted(st.ExtensionType):
            a: ClassVar[int] = 1
            b: typing.ClassVar[int] = 2
            c: t.ClassVar[int] = 3
            d: Shared[int] = 4
            e: t.ClassVar = 5
            x: int
            y: t.Optional[st.Tensor] = None
        """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    counted = __import__("variables_of_mine").Counted(7)
    assert list(counted.to_py()) == ["x", "y"] and type(counted).c + type(counted).d + type(counted).e == 12


def test_abstract_classes_have_no_objects():
    class Abstract(st.ExtensionType, abc.ABC):
        x: int

        @abc.abstractmethod
        def method(self): ...

    class Concrete(Abstract):
        def method(self):
            return self.x

    with pytest.raises(TypeError):
        Abstract(1)
    assert Concrete(1).method() == 1


def test_objects_without_their_init_are_no_values():
    for made in (object.__new__(Masked), object.__new__(Masked.Spec)):
        repr(made)
        with pytest.raises(TypeError):
            st.stack([made, made])
        with pytest.raises(TypeError):
            st.StructuredTensor.from_fields({"a": made})
    masked = Masked([1], [True])
    masked.__dict__["values"] = 5  # Python allows it; the value is what it was
    assert st.stack([masked]).values.to_py() == [[1]]
    broken = object.__new__(Masked)
    broken.__dict__.update(values=object(), mask="?")
    with pytest.raises((TypeError, AttributeError)):
        st.stack([broken])


def test_values_of_several_types_in_unions():
    class Either(st.ExtensionType):
        x: Union[st.Tensor, st.RaggedTensor]
        n: Union[int, st.Tensor]

    either = Either([[1], [2, 3]], 5)
    assert isinstance(either.x, st.RaggedTensor) and either.n == 5
    assert isinstance(Either([1], [5]).n, st.Tensor)
    assert not either.spec.is_compatible_with(Either([1], 5))
    assert type("Nothing", (st.ExtensionType,), {"__annotations__": {"x": Tuple[()]}})(()).x == ()
    with pytest.raises(TypeError, match="n: expected one of int, Tensor, found 'dict'"):
        Either([1], {"a": 1})


@pytest.mark.parametrize(
    "value", [None, {"a": 1}, object(), st.ragged_constant([[1], []]), [[1], []], Masked, Masked([1], [True]), st.TensorSpec([1])]
)
def test_what_is_no_tensor(value):
    with pytest.raises(TypeError, match="values: expected a Tensor"):
        Masked(value, [True])


def test_what_fields_take_for_tensors():
    for value in ([1, 2], (1, 2), np.array([1, 2]), [st.constant(1), 2], st.constant([1, 2])):
        assert Masked(value, [True, True]).values.to_py() == [1, 2]
    assert Masked("text", True).values.dtype == "string"
    with pytest.raises(OverflowError):
        Static(2**63, *STATIC[1:])
    with pytest.raises(UnicodeEncodeError):
        Static(1, 0.5, "\ud800", *STATIC[3:])


# --- Specs


def test_specs_of_values():
    masked = Masked([[1, 2]], [[True, False]])
    assert Masked.Spec.from_value(masked) == masked.spec == Masked.Spec(st.TensorSpec([1, 2], "int64"), st.TensorSpec([1, 2], "bool"))
    assert repr(masked.spec) == "Masked.Spec(values=Tensor([1, 2], int64), mask=Tensor([1, 2], bool))"
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
    # Texts that would be too long say the type alone.
    for object in (node, node.spec):
        assert len(repr(object)) < 30_000 and type(object).__qualname__ + "(...)" in repr(object)
    with pytest.raises(ValueError, match=r"Node\(\.\.\.\)"):
        node.spec.from_components([1, 2, 3])
    small = Node(1, [Node(2)])
    assert repr(small) == repr(Node(1, [Node(2)])) and repr(small).count("Node(") == 2 and "..." not in repr(small)
    # An object of the outermost one's text is written again in the next one.
    assert repr(small) == repr(small)


# --- Rows


def test_rows_of_types_with_a_shape():
    masked = Masked([1, 2, 3], [True, False, True])
    assert masked[1] == Masked(2, False) and masked[-1:] == Masked([3], [True])
    assert [row.values.item() for row in masked] == [1, 2, 3]
    assert st.stack([masked, masked]).shape == (2, 3)
    assert st.concat([masked, masked[:1]]).values.to_py() == [1, 2, 3, 1]
    assert st.gather(masked, [2, 2]) == Masked([3, 3], [True, True])
    assert st.boolean_mask(masked, masked.mask) == Masked([1, 3], [True, True])
    assert st.expand_dims(masked, 0).shape == (1, 3)
    assert st.reverse(masked, 0).values.to_py() == [3, 2, 1]
    assert st.tile(masked, [2]).shape == (6,)
    with pytest.raises(IndexError):
        masked[3]


def test_what_a_type_refuses_is_kept_as_rows():
    masked = Masked([1, 2, 3], [True, False, True])
    rows = st.StructuredTensor.from_fields({"m": masked}).partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    grouped = rows["m"]
    assert isinstance(grouped, st.ExtensionRows) and grouped.shape == (2, None)
    assert [grouped[i] for i in range(2)] == [masked[:2], masked[2:]]
    assert grouped.spec.element.value_type is Masked and grouped.components[0].to_py() == [[1, 2], [3]]
    assert repr(grouped).startswith("ExtensionRows([[[1,true],[2,false]],[[3,true]]], shape=[2, None], element=Masked.Spec(")
    assert pickle.loads(pickle.dumps(grouped)) == grouped and pickle.loads(pickle.dumps(grouped.spec)) == grouped.spec
    assert grouped != st.concat([grouped, grouped])
    assert rows.merge_dims(0, 1)["m"] == masked


def test_types_without_a_shape_are_stacked_whole():
    nodes = [Node([1, 2]), Node([3])]
    rows = st.stack(nodes)
    assert isinstance(rows, st.ExtensionRows) and [rows[0], rows[1]] == nodes
    table = st.StructuredTensor.from_fields({"id": [1, 2], "node": rows})
    assert [row["node"] for row in table] == nodes
    assert st.reverse(table, 0)[0]["node"] == nodes[1]
    assert table.with_updates({"other": rows})["other"] == rows
    assert st.StructuredTensor.from_fields({"node": nodes})["node"] == rows
    with pytest.raises(TypeError, match="stack"):
        st.constant([[nodes[0]]])
    with pytest.raises(ValueError):
        nodes[0].spec.batch(2)
    with pytest.raises((IndexError, TypeError, ValueError)):
        nodes[0][0]


def test_fields_of_structs_of_any_rank():
    masked = Masked(np.arange(6).reshape(3, 2), np.ones((3, 2), bool))
    assert st.StructuredTensor.from_fields({"m": masked}, rank=2)["m"] == masked
    assert st.StructuredTensor.from_fields({"m": masked}, rank=0)["m"] == masked
    scalar = st.StructuredTensor.from_fields({"m": masked[0][0], "n": Node(1)}, rank=0)
    assert scalar["m"] == masked[0, 0] and scalar["n"] == Node(1)
    grouped = st.StructuredTensor.from_fields({"m": masked}).partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    rows = grouped["m"]
    assert st.StructuredTensor.from_fields({"m": rows}, rank=2)["m"] == rows
    updated = grouped.with_updates({"copy": rows})
    assert updated["copy"] == rows and updated.merge_dims(0, 1)["copy"] == masked
    with pytest.raises(ValueError, match="axis 1"):
        grouped.with_updates({"other": st.reverse(grouped, 0)["m"]})
    nodes = st.StructuredTensor.from_fields({"n": [Node([1]), Node([2, 3]), Node([4])]})
    nodes = nodes.partition_outer_dimension(st.RowPartition.from_row_lengths([1, 2]))
    assert nodes.with_updates({"copy": nodes["n"]})[1]["copy"][1] == nodes[1]["n"][1]


def test_what_other_libraries_have_not():
    rows = st.StructuredTensor.from_fields({"m": Masked([1, 2], [True, True]), "n": [Node([1]), Node([2, 3])]})
    assert "Masked" in rows._repr_html_() and "rows of Node" in rows._repr_html_()
    with pytest.raises(TypeError, match="without"):
        rows.to_pandas()


def test_batchable_types_get_their_axes_by_stacking():
    scalar = Scalar(1, st.constant({"a": 2}))
    assert scalar.shape == ()
    batch = st.stack([scalar, Scalar(3, st.constant({"a": 4}))])
    assert isinstance(batch, Scalar) and batch.shape == (2,) and batch.value.to_py() == [1, 3]
    assert batch[1].structs.to_py() == {"a": 4} and batch[1].shape == ()
    assert st.StructuredTensor.from_fields({"s": batch})["s"] == batch


def test_extension_types_inside_of_extension_types():
    class Outer(st.ExtensionType):
        first: Masked
        rest: Mapping[str, Masked]
        shape = property(lambda self: self.first.shape)

    outer = Outer(Masked([1, 2], [True, True]), {"b": Masked([3, 4], [True, False]), "a": Masked([5, 6], [False, False])})
    assert outer[1].rest["b"] == Masked(4, False)
    assert st.stack([outer, outer]).rest["a"].values.to_py() == [[5, 6], [5, 6]]
    assert [tensor.to_py() for tensor in nest.flatten(outer, expand_composites=True)][::2] == [[1, 2], [5, 6], [3, 4]]
    with pytest.raises(TypeError, match=r"rest\['a'\]: expected 'Masked'"):
        Outer(outer.first, {"a": 5})


def test_equality():
    masked = Masked([1, 2], [True, False])
    assert masked == Masked([1, 2], [True, False]) and masked != Masked([1, 3], [True, False])
    assert masked != Named([1, 2], [True, False]) and masked != 5 and not masked.equals(None)
    assert not (masked == Masked([1.0, 2.0], [True, False]))
    rows = [st.StructuredTensor.from_fields({"m": value}) for value in (masked, Masked([1, 2], [True, False]), Masked([1, 3], [True, False]))]
    assert rows[0] == rows[1] and rows[0] != rows[2]


# --- Boxes


def test_boxes_of_any_spec():
    for value in (st.constant([1, 2, 3]), st.ragged_constant([[1], [], [2, 3]]), st.constant([{"a": 1}]), Masked([1], [True])):
        spec = value.spec
        boxes = [spec.to_boxed_tensor(value)] * 2
        assert spec.boxed_tensor_spec().is_compatible_with(boxes[0])
        assert spec.stacked(2).from_boxed_tensor(st.stack(boxes)).equals(st.stack([value, value]))
        rows = st.unstack(spec.to_boxed_tensor(value, minimum_rank=1))
        assert all(spec.unstacked().from_boxed_tensor(a).equals(b) for a, b in zip(rows, st.unstack(value), strict=True))
        both = st.concat([spec.to_boxed_tensor(value, 1), spec.to_boxed_tensor(value, 1)])
        assert spec.unstacked().stacked(None).from_boxed_tensor(both).equals(st.concat([value, value]))
    spec = st.TensorSpec([2], "int64")
    for wrong in (lambda: spec.to_boxed_tensor(st.constant([1])), lambda: spec.to_boxed_tensor(st.constant([1, 2]), 2)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        spec.from_boxed_tensor(st.constant([1, 2]))
    with pytest.raises(ValueError):
        st.BoxedTensor([1, 2], (3,))
    with pytest.raises(ValueError):
        st.stack([st.BoxedTensor([st.constant(1)], ()), st.BoxedTensor([st.constant(1)], (1,))])
    with pytest.raises(ValueError):
        st.unstack(st.BoxedTensor([st.constant(1)], ()))


def test_what_boxes_cannot_be():
    def make(**methods):
        return type("Boxed", (st.ExtensionType,), {"__annotations__": {"v": st.Tensor}, "Spec": type("Spec", (), methods)})([1])

    for wrong in (7, "text", st.constant(1), int):
        value = make(castable_type=lambda self, spec, wrong=wrong: wrong)
        with pytest.raises(TypeError, match=r"Boxed.Spec.castable_type\(\) returned .*; expected a spec or None"):
            st.stack([value, value])
        with pytest.raises(TypeError, match=r"Boxed.Spec.castable_type\(\) returned"):
            st.concat([value, value])
    for wrong in (None, 7, [], [None], "text", {}):
        value = make(to_boxed_tensor=lambda self, value, minimum_rank=0, wrong=wrong: wrong)
        for function in (lambda value: st.stack([value, value]), lambda value: st.concat([value]), st.unstack):
            with pytest.raises(TypeError, match=r"Boxed.Spec.to_boxed_tensor\(\) returned .*; expected a Tensor or a list of"):
                function(value)


# --- Processes


def test_pickles_import_the_module_of_a_type(tmp_path):
    (tmp_path / "shapes_of_mine.py").write_text(
        "import structtensor as st\nclass Box(st.ExtensionType):\n    __name__ = 'mine.Box'\n    size: st.Tensor\n"
        "    shape = property(lambda self: self.size.shape)\n"
    )
    code = "import pickle, sys, structtensor as st\nsys.path.insert(0, sys.argv[1])\n"
    write = code + (
        "import shapes_of_mine as m\nb = m.Box([1, 2])\ns = st.StructuredTensor.from_fields({'b': b})\n"
        "g = s.partition_outer_dimension(st.RowPartition.from_row_lengths([2]))\n"
        "pickle.dump((s, s.spec, g, b, b.spec), open(sys.argv[2], 'wb'))\n"
    )
    for position in range(5):
        read = code + (
            f"import io\nclass One(pickle.Unpickler): pass\nfound = pickle.load(open(sys.argv[2], 'rb'))[{position}]\n"
            "print(repr(found))\n"
        )
        subprocess.run([sys.executable, "-c", write, str(tmp_path), str(tmp_path / "p")], check=True)
        done = subprocess.run(
            [sys.executable, "-c", read, str(tmp_path), str(tmp_path / "p")], check=True, capture_output=True, text=True
        )
        assert done.stdout
        break
    lost = code.replace("sys.path.insert(0, sys.argv[1])", "pass") + "pickle.load(open(sys.argv[2], 'rb'))\n"
    done = subprocess.run([sys.executable, "-c", lost, str(tmp_path), str(tmp_path / "p")], capture_output=True, text=True)
    assert done.returncode == 1 and "ModuleNotFoundError" in done.stderr


def test_classes_of_one_name_do_not_mix():
    def make(annotation):
        class Local(st.ExtensionType):
            x: annotation
            shape = property(lambda self: ())

        return Local

    first, second = make(st.Tensor), make(Tuple[st.Tensor, ...])
    one, two = first(1), second([1, 2])
    assert st.get_name(first) != st.get_name(second)
    assert isinstance(st.stack([one, one])[0], first) and isinstance(st.stack([two, two])[0], second)
    with pytest.raises((TypeError, ValueError)):
        st.stack([one, two])
    del first, one
    gc.collect()
    assert st.stack([two])[0] == two


# --- Classes that are made again, and classes that have changed

CELL = """
import structtensor as st
class M(st.ExtensionType):
    v: st.Tensor
    shape = property(lambda self: self.v.shape)
"""


@pytest.fixture
def cells(monkeypatch):
    """A function that runs a text in a module, as a notebook runs its cells."""
    module = types.ModuleType(f"cells_{len(st._extension._classes)}")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def run(text):
        exec(textwrap.dedent(text), module.__dict__)
        return module

    return run


def test_a_cell_that_is_run_twice():
    run = "import sys\nimport structtensor as st\n" + CELL
    write = (
        run + "M([1])\n" + run + "M([1])\nimport pickle\nm = M([1])\ns = st.StructuredTensor.from_fields({'m': m})\n"
        "g = s.partition_outer_dimension(st.RowPartition.from_row_lengths([1]))\n"
        "print(st.get_name(M))\nsys.stdout.flush()\nsys.stdout.buffer.write(pickle.dumps((m, m.spec, s, s.spec, g, g['m'])))\n"
    )
    written = subprocess.run([sys.executable, "-c", write], check=True, capture_output=True).stdout
    name, data = written.split(b"\n", 1)
    assert name == b"__main__.M"
    for made_before in ("", "M([2])\n"):
        read = run + made_before + (
            f"import pickle\nm, ms, s, ss, g, gm = pickle.loads({data!r})\n"
            "assert m == s['m'] == M([1]) and ms == m.spec and ss == s.spec and type(g[0]['m']) is M and gm == g['m']\n"
            "assert st.concat([s, st.StructuredTensor.from_fields({'m': M([2])})])[1]['m'] == M(2)\n"
        )
        subprocess.run([sys.executable, "-c", read], check=True)


def test_pickles_say_the_names_of_types(cells):
    module = cells(CELL)
    value = module.M([1, 2])
    name = st.get_name(module.M)
    struct = st.StructuredTensor.from_fields({"m": value})
    load, (version, classes, spec, parts) = struct.__reduce_ex__(2)
    assert classes == ((name, module.M),)
    assert load(version, (module.M,), spec, parts) == struct  # the form of before
    # What another session wrote, in which the class had another name of the same length.
    other = name[:-1] + "X"
    renamed = spec.replace(name.encode(), other.encode())
    back = load(version, ((other, module.M),), renamed, parts)
    assert back["m"] == value and type(back["m"]) is module.M and back["m"].spec == value.spec
    assert st.concat([back["m"], value]).v.to_py() == [1, 2, 1, 2]
    assert pickle.loads(pickle.dumps(back)) == back and pickle.loads(pickle.dumps(back.spec)) == back.spec
    assert st.get_name(module.M) == name
    with pytest.raises(ValueError, match="Masked as .*, the name of M"):
        load(version, ((other, Masked),), renamed, parts)
    with pytest.raises(ValueError, match="extension type 'int'"):
        load(version, (("int", int),), renamed, parts)
    # A class that has no name yet takes it, so that its values go with those of the pickle.
    fresh = cells(CELL.replace("class M", "class N")).N
    third = name[:-1] + "N"
    back = load(version, ((third + ".2", fresh), (name, module.M)), spec, parts)
    assert st.get_name(fresh) == third + ".2" and back == struct


def test_a_class_that_is_made_again_keeps_the_name(cells):
    old = cells(CELL).M
    first = old([1])
    new = cells(CELL).M
    second = new([2])
    assert new is not old and st.get_name(new) == st.get_name(old)
    assert st.lookup_type_spec(st.get_name(new)) is new.Spec
    assert type(st.stack([first, second])) is new and st.stack([first, second]).v.to_py() == [[1], [2]]
    named = CELL + "    __name__ = 'cells.of.G'\n"
    for _ in range(3):
        again = cells(named).M
        assert st.get_name(again) == "cells.of.G" and st.lookup_type_spec("cells.of.G") is again.Spec
        assert type(st.stack([again([1])])[0]) is again
    with pytest.raises(ValueError, match="M is registered as 'cells.of.G'; names are unique"):
        cells(named.replace("class M", "class Other"))
    # Functions may make many classes of one name, and keep them.
    made = [type("Made", (st.ExtensionType,), {"__annotations__": {"x": st.Tensor}}) for _ in range(2)]
    assert st.get_name(made[0]) != st.get_name(made[1])


def test_classes_that_have_changed(cells):
    old = cells(CELL).M
    value = old([1])
    struct = st.StructuredTensor.from_fields({"m": value})
    written = [pickle.dumps(thing) for thing in (value, value.spec, struct, struct.spec, st.stack([value]))]
    assert pickle.loads(written[2]) == struct
    new = cells(CELL.replace("v: st.Tensor", "w: st.Tensor").replace("self.v", "self.w")).M
    new([1])
    for data in written:
        with pytest.raises(ValueError, match="of an extension type with the fields v; now it is .* with the fields w"):
            pickle.loads(data)
    with pytest.raises(ValueError, match="fields v; now"):
        struct["m"]
    # The same names, other annotations.
    cells(CELL.replace("v: st.Tensor", "v: int").replace("self.v.shape", "()"))
    for data in written[:2]:
        with pytest.raises(TypeError, match="v: expected 'int'"):
            pickle.loads(data)
    cells(CELL.replace("v: st.Tensor", "v: st.Tensor | st.RaggedTensor"))
    assert pickle.loads(written[0]).v.to_py() == [1] and pickle.loads(written[1]).shape == (1,)


def test_pickles_of_specs_of_rows():
    """Which may have ragged components where values have dense ones."""
    rows = st.StructuredTensor.from_fields({"m": OfTensor([1, 2, 3])}).partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    spec = rows.spec.fields["m"]
    assert isinstance(spec.v, st.RaggedTensorSpec) and pickle.loads(pickle.dumps(spec)) == spec
