"""What operations say about values of types that they are not for, and about types that contradict themselves."""

import functools
import re

import numpy as np
import pytest

import structtensor as st
from structtensor import _attribute_advice

INT = st.TensorSpec([], "int64")


def _type(name, components=INT, to_components=lambda value: value.content, shape=None):
    """A class of values with one attribute, and its spec."""

    class Value:
        def __init__(self, content):
            self.content = content

        def __tf_type_spec__(self):
            return Spec()

    class Spec(st.TypeSpec):
        value_type = Value
        component_specs = components

        def serialize(self):
            return ()

        def to_components(self, value):
            return to_components(value)

        def from_components(self, parts):
            return Value(parts)

    if shape is not None:
        Spec.shape = st.TensorShape(shape)
    Value.__name__ = Value.__qualname__ = name
    Spec.__name__ = Spec.__qualname__ = f"{name}Spec"
    return Value


def _message(error, call):
    with pytest.raises(error) as found:
        call()
    return str(found.value)


@pytest.mark.parametrize("name", ["rank", "shape", "size", "reduce_sum", "unstack"])
def test_values_without_axes(name):
    value = _type("Whole")(st.constant(1))
    text = _message(TypeError, lambda: getattr(st, name)(value))
    assert text.startswith(f"{name}() is not defined for Whole, which has no axes because WholeSpec has no property shape; ")


def test_values_without_axes_among_other_arguments():
    value = _type("Whole")(st.constant(1))
    for call in (lambda: st.tile(value, [1]), lambda: st.gather(value, [0]), lambda: st.concat([value, value], 0)):
        assert "is not defined for Whole, which has no axes" in _message(TypeError, call)
    assert st.stack([value, value]).shape == (2,)  # each one is an element


def test_values_whose_components_have_other_axes():
    value = _type("Sparse", st.TensorSpec([None], "int64"), shape=[2, 3])(st.constant([7, 8, 9, 9]))
    for name in ("rank", "shape", "size", "unstack"):
        text = _message(TypeError, lambda name=name: getattr(st, name)(value))
        assert text.startswith(
            f"{name}() is not defined for Sparse, whose components do not begin with the axes of its shape; "
        )


def test_values_with_axes_have_a_rank():
    value = _type("Rows", st.TensorSpec([2], "int64"), shape=[2])(st.constant([1, 2]))
    assert (st.rank(value).to_py(), st.size(value).to_py()) == (1, 2)


def test_components_that_contradict_component_specs():
    for content in (1, (1,), "abc"):
        value = _type("Two", (INT, INT))(content)
        for call in (lambda v=value: st.nest.flatten(v, expand_composites=True), lambda v=value: st.stack([v])):
            text = _message((TypeError, ValueError), call)
            assert text.startswith("TwoSpec.to_components() returned ") and "component_specs is" in text


def test_specs_of_another_class():
    class Property:
        __tf_type_spec__ = INT

    class OfTensors:
        def __tf_type_spec__(self):
            return INT

    assert "Property.__tf_type_spec__ is" in _message(TypeError, lambda: st.nest.flatten(Property(), expand_composites=True))
    text = _message(TypeError, lambda: st.nest.flatten(OfTensors(), expand_composites=True))
    assert "the spec of a Tensor; expected one of a class that derives from TypeSpec and is for OfTensors" in text


def test_objects_that_are_no_values():
    class Plain:
        pass

    for call, where in (
        (lambda: st.reduce_sum(Plain()), "reduce_sum(): input_tensor: expected"),
        (lambda: st.add(st.constant(1), Plain()), "add(): y: expected"),
        (lambda: st.stack([Plain()]), "stack(): values: expected"),
        (lambda: st.add(1, Plain()), "add(): expected"),
    ):
        assert _message(TypeError, call).startswith(where)
    structs = st.constant([{"a": 1}])
    assert _message(TypeError, lambda: st.add(structs, structs)).startswith("add needs a tensor or ragged tensor")
    assert "to go with elements of int64, found str" in _message(TypeError, lambda: st.constant([1]) + "x")


def test_handlers_that_refuse():
    class Base:
        @classmethod
        def __tf_dispatch__(cls, op, args, kwargs):
            return NotImplemented

    class Derived(Base):
        pass

    class OnlyTensors(Base):
        __tf_dispatch_types__ = (st.Tensor,)

    class Listed(Base):
        pass

    Listed.__tf_dispatch_types__ = (Listed, st.Tensor)
    assert _message(TypeError, lambda: st.add(Base(), Derived())) == (
        "add() is not defined for Base, Derived: Base.__tf_dispatch__() and Derived.__tf_dispatch__() returned NotImplemented"
    )
    assert _message(TypeError, lambda: st.abs(OnlyTensors())) == (
        "abs() is not defined for OnlyTensors: OnlyTensors.__tf_dispatch_types__ does not contain OnlyTensors itself"
    )
    assert _message(TypeError, lambda: st.add(Listed(), 5)) == (
        "add() is not defined for Listed: Listed.__tf_dispatch_types__ does not contain int; structtensor.constant() makes a "
        "Tensor of it"
    )
    assert "tile() is not defined for Base" in _message(TypeError, lambda: st.tile(st.constant([1]), Base()))


def test_flat_sequences_that_do_not_fit():
    ragged = st.ragged.constant([[1, 2], [3]])
    pack = st.nest.pack_sequence_as
    assert "differ in length: 1 and 2" in _message(ValueError, lambda: pack({"a": ragged}, [1], expand_composites=True))
    text = _message(ValueError, lambda: pack([ragged], [1, 2]))
    assert text.endswith("differ in length: 2 and 1; with expand_composites=True they agree")
    text = _message(ValueError, lambda: pack({"a": ragged}, [st.constant([1]), st.constant([0, 2, 3])], expand_composites=True))
    assert text.startswith("['a']: ") and "row partition 0 has 3 values, but the flat values have 1 rows" in text
    specs = [st.TensorSpec([3], "int64"), st.TensorSpec([3], "int64")]
    assert "is made of tensors, not of specs" in _message(TypeError, lambda: pack(ragged, specs, expand_composites=True))


def test_sizes_of_axes():
    assert _message(ValueError, lambda: st.expand_dims(st.constant([1]), 5)) == (
        "axis is 5; a value with 1 axis has room for a new one at axes -2 to 1"
    )
    for spec in (st.RaggedTensorSpec([2, None]), _type("Rows", INT)(1).__tf_type_spec__()):
        assert _message(TypeError, lambda s=spec: s.stacked("x")) == "num: expected an integer or None, found str"
        assert _message(ValueError, lambda s=spec: s.stacked(-2)) == "num is negative; None is any number"


def test_functions_have_their_names_in_python():
    floats = st.constant([1.0]), st.constant([1.0], dtype="float")
    assert _message(ValueError, lambda: st.add(*floats)).startswith("add(): x is double and y is float; ")
    assert _message(ValueError, lambda: floats[0] + floats[1]).endswith('for example cast(y, "double")')
    assert _message(ValueError, lambda: st.constant([1]) * floats[0]).endswith('for example cast(x, "double")')
    assert _message(ValueError, lambda: floats[1] * st.constant([1])).endswith('for example cast(y, "float")')
    assert "say the number of structs, or their shape" in _message(ValueError, lambda: st.StructuredTensor.from_fields({}))
    assert _message(ValueError, lambda: st.where(True, *floats)).startswith("where(): ")


def test_boxes_have_rows():
    box = st.stack([INT.to_boxed_tensor(st.constant(i)) for i in range(3)])
    assert box.shape.as_list() == [3] and len(box) == 3 and bool(box)
    assert box[-1] == st.unstack(box)[2]
    with pytest.raises(IndexError):
        box[3]
    with pytest.raises(TypeError, match="without axes"):
        len(box[0])
    spec = box.spec
    assert spec.stacked(2).shape == (2, 3) and spec.unstacked().shape == () and spec.stacked(None).unstacked() == spec
    assert spec.is_subtype_of(st.BoxedTensorSpec([None], INT)) and not st.BoxedTensorSpec([None], INT).is_subtype_of(spec)
    assert spec.most_specific_common_supertype([spec.unstacked().stacked(4)]).shape == (None,)


def test_boxes_of_values_without_axes():
    kind = _type("Whole")
    values = [kind(st.constant(1)), kind(st.constant(2))]
    spec = values[0].__tf_type_spec__()
    made = spec.stacked(2).from_boxed_tensor(st.stack([spec.to_boxed_tensor(value) for value in values]))
    assert made == st.stack(values)


def test_bytes_of_another_class():
    first, second = _type("First"), _type("Second")
    data = first(1).__tf_type_spec__().to_bytes()
    assert st.TypeSpec.from_bytes(data) == first(1).__tf_type_spec__()
    with pytest.raises(ValueError, match="which is not a SecondSpec"):
        type(second(1).__tf_type_spec__()).from_bytes(data)


def test_row_splits_keep_their_dtype():
    splits = np.array([0, 2, 3], np.int32)
    assert st.RowPartition.from_row_splits(splits).dtype == "int32"
    ragged = st.RaggedTensor.from_row_splits([1, 2, 3], splits)
    assert ragged.row_splits.dtype == "int32" and ragged.spec.row_splits_dtype == "int32"
    assert repr(ragged.spec) == "RaggedTensorSpec([2, None], int64, ragged_rank=1, row_splits_dtype=int32)"
    assert st.RowPartition.from_row_splits([0, 2, 3]).dtype == "int64"


def test_rows_of_structs():
    structs = st.constant([[{"a": 1}, {"a": 2}], [], [{"a": 3}]])
    assert structs.values == st.constant([{"a": 1}, {"a": 2}, {"a": 3}]) and structs.row_splits.to_py() == [0, 2, 2, 3]
    with pytest.raises(AttributeError, match="those of axis 1"):
        structs[0].values  # noqa: B018: a property


# --- Specs that compare themselves


class Units:
    def __init__(self, amount, unit):
        self.amount, self.unit = amount, unit

    def __tf_type_spec__(self):
        return UnitsSpec(self.unit)


class UnitsSpec(st.TypeSpec):
    """Units are compatible if both are metric, whatever they are; "m" is what two of them have in common."""

    value_type = Units
    component_specs = st.TensorSpec([], "double")

    def __init__(self, unit):
        self.unit = unit

    def serialize(self):
        return (self.unit,)

    def to_components(self, value):
        return value.amount

    def from_components(self, components):
        return Units(components, self.unit)

    def is_compatible_with(self, spec_or_value):
        other = spec_or_value if isinstance(spec_or_value, UnitsSpec) else spec_or_value.__tf_type_spec__()
        return self == other or {self.unit, other.unit} <= {"m", "km"}

    def is_subtype_of(self, other):
        return self == other or (self.unit == "km" and other.unit == "m")

    def most_specific_compatible_type(self, other):
        return self if self == other else UnitsSpec("m") if self.is_compatible_with(other) else None


def test_specs_in_structs_are_asked():
    def of(unit):
        return st.StructuredTensor.from_fields({"length": [Units(st.constant(1.0), unit)]}).spec

    metres, kilometres, miles = of("m"), of("km"), of("mile")
    assert metres.is_compatible_with(kilometres) and not metres.is_compatible_with(miles)
    assert kilometres.is_subtype_of(metres) and not metres.is_subtype_of(kilometres)
    assert metres.most_specific_compatible_type(kilometres) == metres
    assert kilometres.most_specific_compatible_type(miles) is None


def test_errors_of_specs_in_structs_reach_the_caller():
    class Broken(Units):
        def __tf_type_spec__(self):
            return BrokenSpec(self.unit)

    class BrokenSpec(UnitsSpec):
        value_type = Broken

        def is_compatible_with(self, spec_or_value):
            raise RuntimeError("not today")

    metres, kilometres = (st.constant({"length": Broken(st.constant(1.0), unit)}).spec for unit in ("m", "km"))
    with pytest.raises(RuntimeError, match="not today"):
        metres.is_compatible_with(kilometres)


# --- What repr() shows


def test_texts_that_are_long():
    for length in (56, 57, 58, 59, 200):
        structs = st.constant({"x" * length: 1})
        assert repr(structs).startswith("<StructuredTensor {'xxx") and repr(structs).endswith(", shape=()>")

    class Wide(st.BatchableExtensionType):
        values: st.Tensor

    rows = st.stack([Wide(st.constant(list(range(30))))] * 10_000)
    structs = st.StructuredTensor.from_fields({"w": rows})
    assert len(repr(structs)) < 500 and repr(structs[0]).startswith("<StructuredTensor {'w': [")
    assert len(repr(st.BoxedTensor([st.constant(i) for i in range(10_000)]))) < 1000


def test_texts_of_names_and_numbers():
    spec = st.constant({"it's": 1, "a\nb": 2}).spec
    assert repr(spec) == r"StructuredTensorSpec([], {'it\'s': TensorSpec([], int64), 'a\nb': TensorSpec([], int64)})"
    assert repr(st.constant([-float("nan")], dtype="float")) == "Tensor([nan], shape=(1,), dtype=float)"
    rows = st.stack([_type("Whole")(st.constant(1))] * 2)
    assert repr(rows.spec).startswith("ExtensionRowsSpec([2], ") and repr(rows.spec).endswith("WholeSpec())")


def test_specs_with_a_text_that_fails():
    kind = _type("Loud")
    spec_class = type(kind(1).__tf_type_spec__())

    def text(of):
        spec_class.__repr__ = of
        return repr(st.constant({"a": kind(st.constant(1))}).spec)

    assert "'a': LOUD" in text(lambda self: "LOUD")
    assert "Loud" in text(lambda self: "\ud800") and "Loud" in text(lambda self: 1 / 0)
    with pytest.raises(KeyboardInterrupt):
        text(lambda self: (_ for _ in ()).throw(KeyboardInterrupt))


# --- Classes of structs


def test_classes_of_structs():
    class Mine(st.StructuredTensor):
        pass

    mine = Mine([2], {"a": [1, 2]})
    assert type(mine) is Mine and mine.__class__ is Mine
    assert isinstance(st.constant([{"a": 1}]), st.struct.DenseStructuredTensor)


def test_names_with_dots():
    structs = st.constant([{"a.b": 1, "c": {"d": 2}}])
    assert structs.with_updates(**{"a.b": [5], "c.d": [6]}).to_py() == [{"a.b": 5, "c": {"d": 6}}]


# --- Costs


def test_nested_values_are_taken_apart_once():
    counts = []

    def nested(depth):
        inner = nested(depth - 1) if depth > 0 else st.constant(1)
        spec = inner.__tf_type_spec__()

        def to_components(value):
            counts.append(depth)
            return value.content

        return _type(f"Nested{depth}", spec, to_components)(inner)

    value = nested(12)
    counts.clear()
    assert st.nest.flatten(value, expand_composites=True) == [st.constant(1)] and len(counts) == 13
    counts.clear()
    st.nest.pack_sequence_as(value, [st.constant(2)], expand_composites=True)
    assert counts == []


def test_axes_are_asked_for_by_keyword():
    value = _type("Whole")(st.constant(1))
    for name in ("rank", "shape", "size"):
        assert "has no axes" in _message(TypeError, lambda name=name: getattr(st, name)(input=value))
        assert "unexpected keyword argument 'foo'; its parameters are" in _message(
            TypeError, lambda name=name: getattr(st, name)(value, foo=1)
        )


def test_casts_of_strings():
    assert "as_string converts numbers" in _message(ValueError, lambda: st.equal(["a"], st.constant([1])))
    assert "y: expected a value to go with elements of int64" in _message(TypeError, lambda: st.equal(st.constant([1]), "a"))
    assert "floor_divide(): an integer is divided by 0" in _message(ValueError, lambda: st.constant([1]) // 0)


def test_attributes_of_other_libraries_say_what_to_write():
    rows = st.constant([{"head": 1, "size": 2}, {"head": 3, "size": 4}])
    for value, name, advice in (
        (rows, "drop", "without(name) leaves a field out"),
        (rows, "size", "rows['size'] has the field"),
        (rows["head"], "mean", "reduce_mean() takes an axis, or all"),
        (st.ragged.constant([[1], []]), "tolist", "to_py() makes lists"),
    ):
        text = _message(AttributeError, lambda value=value, name=name: getattr(value, name))
        assert text == f"{type(value).__name__!r} object has no attribute {name!r}; {advice}"
    assert _message(AttributeError, lambda: rows.nonsense) == "'StructuredTensor' object has no attribute 'nonsense'"
    assert not hasattr(rows, "iloc")
    for cls, advice in _attribute_advice.ADVICE.items():
        owner = getattr(st, cls)
        for name, text in advice.items():
            assert not hasattr(owner, name), (cls, name)
            # The functions that the advice names exist.
            for call in re.findall(r"(?<![.\w])(\w+)\(", text):
                assert hasattr(owner, call), (cls, name, call)
            for call in re.findall(r"structtensor\.([\w.]+)", text):
                assert functools.reduce(getattr, call.split("."), st), (cls, name, call)
            assert ("x.validity" not in text) or hasattr(owner, "validity")
