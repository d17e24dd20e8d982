"""What the document leaves for later: casting between types, and extension types in C++."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

from .plain_types import MaskedTensor, MaskedTensorSpec


def dense():
    return st.constant(np.array([[1, 2], [3, 4]]))


@promise(
    "Automatic type casting",
    "`castable_type(spec)` is a spec that values of both specs can be cast to",
    python="spec.castable_type(other)",
    differs="It exists; the document has it for later",
)
@promise(
    "Automatic type casting",
    "`cast(value)` is a value of the spec that is equivalent",
    python="spec.cast(value)",
    differs="It exists; the document has it for later",
)
def test_values_are_cast_to_a_common_type():
    ragged = st.ragged.constant([[1], [2, 3]])
    common = dense().spec.castable_type(ragged.spec)
    assert common == ragged.spec.castable_type(dense().spec) and isinstance(common, st.RaggedTensorSpec)
    assert isinstance(common.cast(dense()), st.RaggedTensor) and common.cast(ragged) is ragged
    assert dense().spec.castable_type(st.TensorSpec([2], "string")) is None
    with pytest.raises(TypeError):
        dense().spec.cast(ragged)


@promise(
    "Automatic type casting",
    "A ragged spec casts a dense tensor to a ragged one",
    python="st.RaggedTensorSpec([None, None], st.int64).cast(dense)",
    differs="The document's `from_dense` is called `from_tensor`, as in TensorFlow's releases",
)
def test_dense_tensors_are_cast_to_ragged_ones():
    cast = st.RaggedTensorSpec([None, None], "int64").cast(dense())
    assert isinstance(cast, st.RaggedTensor) and cast.to_py() == [[1, 2], [3, 4]]
    assert cast.equals(st.RaggedTensor.from_tensor(dense()))


class Celsius(st.ExtensionType):
    degrees: st.Tensor
    shape = property(lambda self: self.degrees.shape)

    class Spec:
        def castable_type(self, spec):
            return self if isinstance(spec, st.TensorSpec) else self.most_specific_compatible_type(spec)

        def cast(self, value):
            return Celsius(value) if isinstance(value, st.Tensor) else value


@promise(
    "Automatic type casting",
    "Functions that combine values of several types cast them",
    python="st.concat([dense, ragged], axis=0)",
    tensorflow="tf.cond(pred, lambda: dense_tensor, lambda: ragged_tensor)",
    differs="`stack` and `concat` cast; there is no `cond`, because there are no graphs",
)
def test_values_of_several_types_are_combined():
    joined = st.concat([dense(), st.ragged.constant([[5], []])], 0)
    assert isinstance(joined, st.RaggedTensor) and joined.to_py() == [[1, 2], [3, 4], [5], []]
    assert st.stack([Celsius(1.5), st.constant(2.5)]) == Celsius([1.5, 2.5])
    assert st.stack([st.constant(2.5), Celsius(1.5)]) == Celsius([2.5, 1.5])


class Length(st.ExtensionType):
    """Version 1 has meters, version 2 has centimeters."""

    amount: st.Tensor
    version: int = 2
    shape = property(lambda self: self.amount.shape)

    class Spec:
        def castable_type(self, spec):
            if not isinstance(spec, Length.Spec):
                return None
            return self if self.version >= spec.version else spec

        def cast(self, value):
            return value if value.version == self.version else Length(value.amount * 100, self.version)


@promise(
    "Automatic type casting",
    "An encoding may have a version, and its old values are cast to the new encoding",
    python="class Spec, with castable_type and cast",
)
def test_old_encodings_are_cast():
    assert st.stack([Length([1], 1), Length([20], 2)]) == Length([[100], [20]], 2)
    assert st.concat([Length([20], 2), Length([1], 1)], 0) == Length([20, 100], 2)


@promise(
    "Automatic type casting",
    "Fields of structs are cast as well, where rows are combined",
    python="st.concat([old_rows, new_rows], axis=0)",
    differs="Only values themselves are cast, not those in fields of structs: `with_updates()` casts a field first",
)
def test_fields_of_structs_are_cast_by_hand():
    old, new = (st.StructuredTensor.from_fields({"length": length}) for length in (Length([1], 1), Length([20], 2)))
    with pytest.raises(ValueError, match="field length: .* no common type"):
        st.concat([old, new], 0)
    cast = old.with_updates(length=new["length"].spec.cast)
    assert st.concat([cast, new], 0)["length"] == Length([100, 20], 2)


class PlainLength:
    def __init__(self, amount, version):
        self.amount = amount
        self.version = version

    def __tf_type_spec__(self):
        return PlainLengthSpec(self.amount.shape, self.version)


class PlainLengthSpec(st.StackableTypeSpec):
    def __init__(self, shape, version):
        self._shape = st.TensorShape(shape)
        self._version = version

    value_type = property(lambda self: PlainLength)
    component_specs = property(lambda self: st.TensorSpec(self._shape, "int64"))

    def serialize(self):
        return (self._shape, self._version)

    def to_components(self, value):
        return value.amount

    def from_components(self, components):
        return PlainLength(components, self._version)

    def to_boxed_tensor(self, value, minimum_rank=0):
        return value.amount

    def from_boxed_tensor(self, boxed_tensor):
        return PlainLength(boxed_tensor, self._version)

    def boxed_tensor_spec(self, minimum_rank=0):
        return self.component_specs

    def stacked(self, num):
        return PlainLengthSpec([num, *self._shape], self._version)

    def unstacked(self):
        return PlainLengthSpec(self._shape[1:], self._version)

    def castable_type(self, spec):
        return PlainLengthSpec(self._shape, max(self._version, spec._version))

    def cast(self, value):
        return value if value.version == self._version else PlainLength(value.amount * 100, self._version)


@promise(
    "Automatic type casting",
    "Plain classes cast by the same two methods of their specs",
    python="def cast(self, value)",
)
def test_plain_classes_are_cast():
    stacked = st.stack([PlainLength(st.constant([1]), 1), PlainLength(st.constant([20]), 2)])
    assert (type(stacked), stacked.amount.to_py(), stacked.version) == (PlainLength, [[100], [20]], 2)
    masked = MaskedTensor(st.constant([1]), st.constant([True]))
    spec = MaskedTensorSpec([None], "int64")
    assert spec.cast(masked) is masked and spec.castable_type(masked.__tf_type_spec__()) == spec
    assert spec.castable_type(st.TensorSpec([1], "int64")) is None
    with pytest.raises(TypeError):
        spec.cast(st.constant([1]))


@promise(
    "ExtensionTypes and TypeSpecs in c++",
    "Base classes in C++ for values and for their specs",
    python="st.lookup_type_spec(name)",
    cpp="ExtensionType, ExtensionValueSpec",
    differs=(
        "Neither class is a template. tests/rfc/user_types_testutil.h has three types; Python's types are records "
        "with a name there"
    ),
)
@promise(
    "ExtensionTypes and TypeSpecs in c++",
    "Functions in C++ support extension types",
    python="pickle.dumps(rows)",
    cpp="FlattenComposites(), FromBoxed(), SerializeTypeSpec(), TypeRegistry",
    differs="Casting and dispatch exist in Python alone",
)
def test_values_of_python_are_values_of_the_runtime():
    rows = st.StructuredTensor.from_fields({"t": Celsius([1.5, 2.5])})
    again = st.gather(st.concat([rows, rows], 0), [3, 0])
    assert again["t"] == Celsius([2.5, 1.5]) and isinstance(again.spec.fields["t"], Celsius.Spec)
    assert st.lookup_type_spec(st.type_spec_name(Celsius)) is Celsius.Spec
