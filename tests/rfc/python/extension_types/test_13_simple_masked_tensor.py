"""The document's example, as it is written there except for its slips, and the same type as a class of annotated fields.

Slips: `value` is also called `values`, class methods have no `cls`, `value_type` has no `self`, a private name is used outside
of its class.
"""

import pickle
import typing

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest


class SimpleMaskedTensor(object):
    """Class that pairs a `value` tensor with a corresponding boolean `mask`."""

    def __init__(self, value, mask):
        value.shape.assert_is_compatible_with(mask.shape)
        self._value = value
        self._mask = mask

    value = property(lambda self: self._value)
    mask = property(lambda self: self._mask)

    shape = property(lambda self: self._value.shape)
    dtype = property(lambda self: self._value.dtype)

    def __tf_type_spec__(self):
        return SimpleMaskedTensorSpec(self.shape, self.dtype)

    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        if st.dispatch.is_unary_elementwise_op(op):
            return cls._unary_elementwise_dispatch(op, args, kwargs)
        elif st.dispatch.is_binary_elementwise_op(op):
            return cls._binary_elementwise_dispatch(op, args, kwargs)
        else:
            dispatch_handler = SimpleMaskedTensor._dispatchers.get(op, None)
            if dispatch_handler is not None:
                return dispatch_handler(*args, **kwargs)
            else:
                return NotImplemented

    _dispatchers = {}

    @classmethod
    def _unary_elementwise_dispatch(cls, op, args, kwargs):
        args = list(args)
        first_arg = args.pop(0)
        if not isinstance(first_arg, SimpleMaskedTensor):
            return NotImplemented
        transformed_values = op(first_arg.value, *args, **kwargs)
        return SimpleMaskedTensor(transformed_values, first_arg.mask)

    @classmethod
    def _binary_elementwise_dispatch(cls, op, args, kwargs):
        args = list(args)
        values = []
        masks = []
        for arg in args[:2]:
            if isinstance(arg, st.Tensor):
                values.append(arg)
            elif isinstance(arg, SimpleMaskedTensor):
                values.append(arg.value)
                masks.append(arg.mask)
            else:
                return NotImplemented
        transformed_values = op(*values, *args[2:], **kwargs)
        if len(masks) == 1:
            combined_mask = masks[0]
        else:
            combined_mask = st.math.logical_and(*masks)
        return SimpleMaskedTensor(transformed_values, combined_mask)


SimpleMaskedTensor.__tf_dispatch_types__ = (st.Tensor, SimpleMaskedTensor)


class SimpleMaskedTensorSpec(st.TypeSpec):
    """Type specification for a `SimpleMaskedTensor`."""

    def __init__(self, shape: st.TensorShape, dtype: st.DType):
        self._shape = shape
        self._dtype = dtype

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    value_type = property(lambda self: SimpleMaskedTensor)

    def to_components(self, masked_tensor):
        return (masked_tensor.value, masked_tensor.mask)

    def from_components(self, components):
        return SimpleMaskedTensor(*components)

    @property
    def component_specs(self):
        return (st.TensorSpec(self._shape, self._dtype), st.TensorSpec(self._shape, st.bool))

    def serialize(self):
        return (self._shape, self._dtype)


def masked_tensor_shape(input, out_type=st.int32, name=None):
    return st.shape(input.value, out_type)


def masked_tensor_tile(input, multiples, name=None):
    return SimpleMaskedTensor(st.tile(input.value, multiples), st.tile(input.mask, multiples))


def masked_tensor_reduce_sum(input_tensor, axis=None, keepdims=False, name=None):
    return SimpleMaskedTensor(
        st.reduce_sum(input_tensor.value, axis, keepdims), st.reduce_all(input_tensor.mask, axis, keepdims)
    )


SimpleMaskedTensor._dispatchers.update(
    {
        st.shape: masked_tensor_shape,
        st.tile: masked_tensor_tile,
        st.reduce_sum: masked_tensor_reduce_sum,
    }
)


class AnnotatedMaskedTensor(st.ExtensionType):
    """The same type as a class of annotated fields."""

    __name__ = "rfc.SimpleMaskedTensor"

    value: st.Tensor
    mask: st.Tensor

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)

    def __validate__(self):
        self.value.shape.assert_is_compatible_with(self.mask.shape)

    class Spec:
        def __init__(self, shape, dtype):
            self.value = st.TensorSpec(shape, dtype)
            self.mask = st.TensorSpec(shape, "bool")

        shape = property(lambda self: self.value.shape)
        dtype = property(lambda self: self.value.dtype)

    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        if st.is_unary_elementwise_op(op):
            value, *rest = args
            return AnnotatedMaskedTensor(op(value.value, *rest), value.mask)
        if st.is_binary_elementwise_op(op):
            values = [arg.value if isinstance(arg, AnnotatedMaskedTensor) else arg for arg in args[:2]]
            masks = [arg.mask for arg in args[:2] if isinstance(arg, AnnotatedMaskedTensor)]
            return AnnotatedMaskedTensor(op(*values), masks[0] if len(masks) == 1 else st.logical_and(*masks))
        handler = cls._dispatchers().get(op)
        return NotImplemented if handler is None else handler(*args, **kwargs)

    __tf_dispatch_types__: typing.ClassVar[typing.Any]

    @classmethod
    def _dispatchers(cls):
        return {st.shape: annotated_shape, st.tile: annotated_tile, st.reduce_sum: annotated_reduce_sum}


AnnotatedMaskedTensor.__tf_dispatch_types__ = (st.Tensor, AnnotatedMaskedTensor)


def annotated_shape(value, out_type="int32"):
    return st.shape(value.value, out_type)


def annotated_tile(value, multiples):
    return AnnotatedMaskedTensor(st.tile(value.value, multiples), st.tile(value.mask, multiples))


def annotated_reduce_sum(value, axis=None, keepdims=False):
    return AnnotatedMaskedTensor(st.reduce_sum(value.value, axis, keepdims), st.reduce_all(value.mask, axis, keepdims))


def masked(cls, value, mask):
    return cls(st.constant(np.array(value)), st.constant(np.array(mask)))


def parts(value):
    return value.value.to_py(), value.mask.to_py()


both_forms = pytest.mark.parametrize("cls", [SimpleMaskedTensor, AnnotatedMaskedTensor])


@promise(
    "Example: SimpleMaskedTensor",
    "The constructor refuses a mask of another shape",
    python="value.shape.assert_is_compatible_with(mask.shape)",
    cpp="Shape",
    differs="In a class of annotated fields, `__validate__` does it",
)
@both_forms
def test_shapes_are_checked(cls):
    assert st.constant([1, 2]).shape.assert_is_compatible_with((2,)) is None
    with pytest.raises(ValueError, match="not compatible"):
        masked(cls, [1, 2, 3], [True])


@promise(
    "Example: SimpleMaskedTensor",
    "`value`, `mask`, `shape` and `dtype` are properties that cannot be set",
    python="value = property(lambda self: self._value)",
)
@both_forms
def test_properties_are_read_only(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    assert parts(x) == ([1, 2, 3], [True, False, True]) and (x.shape, x.dtype) == ((3,), "int64")
    for name in ("value", "mask", "shape", "dtype"):
        with pytest.raises(AttributeError):
            setattr(x, name, None)


@promise(
    "Example: SimpleMaskedTensor",
    "The spec stores shape and dtype",
    python="SimpleMaskedTensorSpec(shape, dtype)",
    cpp="ExtensionValueSpec",
    differs="A class `Spec` inside of a class of annotated fields has the same arguments",
)
@both_forms
def test_the_spec_stores_shape_and_dtype(cls):
    spec = masked(cls, [1, 2, 3], [True, False, True]).__tf_type_spec__()
    assert (spec.shape, spec.dtype, spec.value_type) == ((3,), "int64", cls)
    assert spec == type(spec)(st.TensorShape([3]), st.int64)


@promise(
    "Example: SimpleMaskedTensor",
    "The serialization of the spec is `(shape, dtype)`, and the spec is made from it",
    python="spec.serialize()",
    cpp="ExtensionTypeSpec::Serialize()",
)
def test_the_serialization():
    spec = SimpleMaskedTensorSpec(st.TensorShape([3]), st.int64)
    assert spec.serialize() == ((3,), "int64") and SimpleMaskedTensorSpec.deserialize(spec.serialize()) == spec
    for spec in (spec, AnnotatedMaskedTensor.Spec([3], "int64")):
        assert type(spec).deserialize(spec.serialize()) == spec == pickle.loads(pickle.dumps(spec))


@promise(
    "Example: SimpleMaskedTensor",
    "The components are the pair of value and mask",
    python="spec.to_components(masked_tensor)",
    cpp="ToComponents()",
)
@both_forms
def test_the_components(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    spec = x.__tf_type_spec__()
    assert spec.component_specs == (st.TensorSpec([3], "int64"), st.TensorSpec([3], "bool"))
    components = spec.to_components(x)
    assert isinstance(components, tuple)
    assert [component.to_py() for component in components] == [[1, 2, 3], [True, False, True]]
    assert parts(spec.from_components(components)) == parts(x)


@promise(
    "Example: SimpleMaskedTensor",
    "Two masked tensors are compatible if their dtypes and shapes are",
    python="spec.is_compatible_with(other)",
    cpp="TypeSpec::IsCompatibleWith()",
)
@both_forms
def test_compatibility(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    spec = x.__tf_type_spec__()
    make = type(spec)
    any_length = make(st.TensorShape([None]), st.int64)
    assert any_length.is_compatible_with(x) and spec.is_compatible_with(any_length) and spec != any_length
    assert not any_length.is_compatible_with(masked(cls, [1.5], [True]))
    assert spec.most_specific_compatible_type(make(st.TensorShape([5]), st.int64)) == any_length
    assert spec.most_specific_compatible_type(make(st.TensorShape([5]), "double")) is None
    assert len({spec, make(st.TensorShape([3]), st.int64)}) == 1


@promise(
    "Example: SimpleMaskedTensor",
    "The type can then be used with generic functions",
    python="st.nest.map_structure(func, masked_tensor, expand_composites=True)",
    cpp="FlattenComposites()",
    tensorflow="structtensor.tf.from_structtensor(masked_tensor)",
    differs="A class of annotated fields has a counterpart there; of a plain class, as this one, it is one `WholeValue`, without "
    "rows and operations",
    shown_by="test_own_types.py::test_plain_classes",
)
@both_forms
def test_generic_functions(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    tiled = nest.map_structure(lambda t: st.tile(t, [2]), {"x": x}, expand_composites=True)["x"]
    assert type(tiled) is cls and parts(tiled) == ([1, 2, 3, 1, 2, 3], [True, False, True, True, False, True])


@promise(
    "Example: SimpleMaskedTensor",
    "Unary operations transform the value and keep the mask",
    python="st.negative(masked_tensor)",
)
@both_forms
def test_unary_operations(cls):
    x = masked(cls, [[1, 2], [3, 4]], [[True, False], [True, True]])
    mask = [[True, False], [True, True]]
    assert parts(st.negative(x)) == ([[-1, -2], [-3, -4]], mask)
    assert parts(st.math.abs(st.negative(x))) == ([[1, 2], [3, 4]], mask)
    assert parts(st.cast(x, "double")) == ([[1.0, 2.0], [3.0, 4.0]], mask) and st.cast(x, "double").dtype == "double"


@promise(
    "Example: SimpleMaskedTensor",
    "Binary operations combine two values, and both masks by `logical_and`",
    python="st.add(x, y)",
)
@both_forms
def test_binary_operations(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    y = masked(cls, [10, 20, 30], [True, True, False])
    assert parts(st.add(x, y)) == ([11, 22, 33], [True, False, False])
    assert parts(st.math.equal(x, y)) == ([False, False, False], [True, False, False])
    assert parts(st.math.multiply(y=y, x=x)) == ([10, 40, 90], [True, False, False])


@promise(
    "Example: SimpleMaskedTensor",
    "A masked tensor and a tensor are combined, on both sides, and the mask stays",
    python="st.add(x, tensor)",
)
@both_forms
def test_binary_operations_with_tensors(cls):
    x, t = masked(cls, [1, 2, 3], [True, False, True]), st.constant([1, 1, 1])
    assert parts(st.add(x, t)) == parts(st.add(t, x)) == ([2, 3, 4], [True, False, True])
    assert parts(st.subtract(t, x)) == ([0, -1, -2], [True, False, True])


@promise(
    "Example: SimpleMaskedTensor",
    "Operators of tensors dispatch as well",
    python="tensor + x",
    differs="The document has no operators; a class of annotated fields has them on both sides",
)
def test_operators():
    t = st.constant([1, 1, 1])
    assert parts(t + masked(SimpleMaskedTensor, [1, 2, 3], [True, False, True])) == ([2, 3, 4], [True, False, True])
    x = masked(AnnotatedMaskedTensor, [1, 2, 3], [True, False, True])
    assert parts(x + t) == parts(t + x) == ([2, 3, 4], [True, False, True])
    assert parts(-x) == ([-1, -2, -3], [True, False, True])


@promise(
    "Example: SimpleMaskedTensor",
    "Other types, such as ragged tensors, are not supported",
    python="__tf_dispatch_types__ = (st.Tensor, SimpleMaskedTensor)",
)
@both_forms
def test_other_types_are_refused(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    for call in (lambda: st.add(x, st.ragged_constant([[1], [2, 3]])), lambda: st.add(st.ragged_constant([[1]]), x)):
        with pytest.raises(TypeError):
            call()


@promise(
    "Example: SimpleMaskedTensor",
    "Operations without a handler are not supported",
    python="return NotImplemented",
)
def test_operations_without_a_handler():
    with pytest.raises(TypeError):
        st.reduce_mean(masked(SimpleMaskedTensor, [1, 2, 3], [True, False, True]))


@promise(
    "Example: SimpleMaskedTensor",
    "Handlers of single operations: `shape`",
    python="st.shape: masked_tensor_shape",
)
@both_forms
def test_shape(cls):
    x = masked(cls, [[1, 2], [3, 4], [5, 6]], [[True, False]] * 3)
    assert st.shape(x).to_py() == [3, 2] and st.shape(x).dtype == "int32"
    assert st.shape(x, out_type="int64").dtype == "int64"


@promise(
    "Example: SimpleMaskedTensor",
    "Handlers of single operations: `tile`",
    python="st.tile: masked_tensor_tile",
)
@both_forms
def test_tile(cls):
    tiled = st.tile(masked(cls, [[1, 2], [3, 4]], [[True, False], [True, True]]), [1, 2])
    assert parts(tiled) == ([[1, 2, 1, 2], [3, 4, 3, 4]], [[True, False, True, False], [True, True, True, True]])


@promise(
    "Example: SimpleMaskedTensor",
    "Handlers of single operations: `reduce_sum`, with the mask by `reduce_all`",
    python="st.reduce_sum: masked_tensor_reduce_sum",
)
@both_forms
def test_reduce_sum(cls):
    x = masked(cls, [[1, 2], [3, 4]], [[True, False], [True, True]])
    assert parts(st.reduce_sum(x)) == (10, False)
    assert parts(st.reduce_sum(x, keepdims=False, axis=1)) == ([3, 7], [False, True])
    assert parts(st.reduce_sum(x, axis=0, keepdims=True)) == ([[4, 6]], [[True, False]])


@promise(
    "Example: SimpleMaskedTensor",
    "Handlers name their operations: `with tf.name_scope(name)`",
    python="with st.name_scope(name)",
    differs="Operations take `name`, and `name_scope` does nothing: there are no graphs whose nodes they would name",
)
def test_names_of_operations():
    x = masked(SimpleMaskedTensor, [1, 2], [True, False])
    assert parts(st.tile(x, [2], name="tiled")) == ([1, 2, 1, 2], [True, False, True, False])
    assert parts(st.reduce_sum(x, name="total")) == (3, False)
    with st.name_scope("Scope") as scope:
        assert scope == "Scope"
    with pytest.raises(TypeError, match=r"name_scope\(\): name: expected a string or None, found int"):
        st.name_scope(3)


@promise(
    "Example: SimpleMaskedTensor",
    "A tensor of two axes is made from nested lists",
    python="st.constant([[1, 2], [3, 4]])",
    tensorflow="tf.constant([[1, 2], [3, 4]])",
    differs="Lists of several lengths need `st.ragged_constant`, as in TensorFlow",
)
@both_forms
def test_constants_of_two_axes(cls):
    x = cls(st.constant([[1, 2], [3, 4]]), st.constant([[True, False], [True, True]]))
    assert (x.shape, x.dtype) == ((2, 2), "int64")
    assert parts(st.negative(x)) == ([[-1, -2], [-3, -4]], [[True, False], [True, True]])
