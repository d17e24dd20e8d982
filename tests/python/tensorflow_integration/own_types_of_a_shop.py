"""Own types for the tests of structtensor.tf.extension_type()."""

import typing

import structtensor as st


class Masked(st.ExtensionType):
    """A tensor some of whose elements do not count."""

    __name__ = "shop.Masked"
    values: st.Tensor
    mask: st.Tensor
    unit: str = "m"

    @property
    def shape(self):
        return self.values.shape

    FACTOR = 2

    def twice(self):
        return self.with_values(self.values * self.FACTOR)

    def with_values(self, values):
        return type(self)(values, self.mask, unit=self.unit)

    def __add__(self, number):
        return self.with_values(self.values + number)

    def __validate__(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)


class Point(st.BatchableExtensionType):
    """A scalar, which stacking makes a vector."""

    x: st.Tensor
    y: st.Tensor


class Price(typing.NamedTuple):
    amount: st.Tensor
    currency: str


class Everything(st.ExtensionType):
    """A field of each kind."""

    ragged: st.RaggedTensor
    structs: st.StructuredTensor
    masked: Masked
    items: typing.Mapping[str, st.Tensor]
    pair: typing.Tuple[st.Tensor, int]
    points: typing.Tuple[Point, ...]
    price: Price
    dense_shape: st.TensorShape
    dtype: st.DType
    kind: typing.Literal["a", "b"]
    either: typing.Union[None, Masked]
    ratio: float = 0.5


class Chain(st.ExtensionType):
    """A type whose field is of the type itself."""

    head: st.Tensor
    rest: typing.Union["Chain", None] = None


class Plain:
    """A class that derives from no class of structtensor."""

    def __init__(self, values, unit):
        self.values = values
        self.unit = unit

    def __tf_type_spec__(self):
        return PlainSpec(self.values.shape, self.values.dtype, self.unit)


class PlainSpec(st.TypeSpec):
    value_type = Plain

    def __init__(self, shape, dtype, unit):
        self.shape, self.dtype, self.unit = shape, dtype, unit

    def serialize(self):
        return self.shape, self.dtype, self.unit

    @property
    def component_specs(self):
        return {"values": st.TensorSpec(self.shape, self.dtype)}

    def to_components(self, value):
        return {"values": value.values}

    def from_components(self, components):
        return Plain(components["values"], self.unit)


class Holder(st.ExtensionType):
    plain: Plain
