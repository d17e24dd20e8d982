"""Extension types: fields and conversions, and what is refused."""

import abc
import copy
import enum
import pickle
import textwrap
import typing
from typing import Literal, Mapping, Optional, Tuple, Union

import numpy as np
import pytest
from shared_extension_types import Masked, Named

import structtensor as st
from structtensor import nest


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
    for arguments, keywords in (
        ((), {}),
        (([1], [True], "x", 4), {}),
        (([1], [True]), {"other": 3}),
        (([1],), {"values": [1]}),
    ):
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
    [dict, typing.Any, complex, typing.List, Mapping[st.Tensor, int], Mapping[Tuple[int], int], 5, []]
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


@pytest.mark.parametrize(
    "name", ["_parsed", "_type_name", "_has_own_boxes", "_converted_defaults", "_names", "", "a b", "é è", 3]
)
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

    with pytest.raises(
        ValueError, match="'b' without a default follows 'a', which has one; give 'b' a default, too: fields of base"
    ):
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
    "value",
    [None, {"a": 1}, object(), st.ragged.constant([[1], []]), [[1], []], Masked, Masked([1], [True]), st.TensorSpec([1])],
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
