"""The document's example, as docs/own_types.md has it, and the same type as a class of annotated fields.

The page is the document's code without its slips, and names them.
"""

import pickle
import typing

import numpy as np
import pyarrow as pa
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .simple_masked_tensor import SimpleMaskedTensor, SimpleMaskedTensorSpec


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
        if st.dispatch.is_unary_elementwise_op(op):
            value, *rest = args
            return AnnotatedMaskedTensor(op(value.value, *rest), value.mask)
        if st.dispatch.is_binary_elementwise_op(op):
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
    assert repr(spec) == "SimpleMaskedTensorSpec(TensorShape([3]), int64)"
    for spec in (spec, AnnotatedMaskedTensor.Spec([3], "int64")):
        assert type(spec).deserialize(spec.serialize()) == spec == pickle.loads(pickle.dumps(spec))
        assert st.TypeSpec.from_bytes(spec.to_bytes()) == spec


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
    component_specs = spec.component_specs  # a method in the document, a property elsewhere
    component_specs = component_specs() if callable(component_specs) else component_specs
    assert component_specs == (st.TensorSpec([3], "int64"), st.TensorSpec([3], "bool"))
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
    assert spec.is_subtype_of(any_length) and not any_length.is_subtype_of(spec)
    for other in ("x", 5, None, st.constant([1, 2, 3]), st.TensorSpec([3], "int64"), cls):
        assert not spec.is_compatible_with(other)


def check_nest(cls):
    x = masked(cls, [1, 2, 3], [True, False, True])
    tiled = nest.map_structure(lambda t: st.tile(t, [2]), {"x": x}, expand_composites=True)["x"]
    assert type(tiled) is cls and parts(tiled) == ([1, 2, 3, 1, 2, 3], [True, False, True, True, False, True])
    assert nest.flatten(x) == [x] and nest.is_nested(x, expand_composites=True) and not nest.is_nested(x)
    spec, flat = x.__tf_type_spec__(), nest.flatten({"a": x}, expand_composites=True)
    assert [tensor.to_py() for tensor in flat] == [[1, 2, 3], [True, False, True]]
    assert nest.flatten(spec, expand_composites=True) == [st.TensorSpec([3], "int64"), st.TensorSpec([3], "bool")]
    for structure in (x, spec):
        assert parts(nest.pack_sequence_as(structure, flat, expand_composites=True)) == parts(x)
    nest.assert_same_structure([x], [spec], expand_composites=True)
    nest.assert_same_structure(x, tiled, expand_composites=True)
    with pytest.raises(ValueError, match="no type in common"):
        nest.assert_same_structure(x, masked(cls, [0.5], [True]), expand_composites=True)


def check_rows(cls):
    value, other = masked(cls, [1, 2, 3], [True, False, True]), masked(cls, [4, 5, 6], [True, True, True])
    assert parts(st.stack([value, other])) == ([[1, 2, 3], [4, 5, 6]], [[True, False, True], [True, True, True]])
    assert parts(st.concat([value, other], 0)) == ([1, 2, 3, 4, 5, 6], [True, False, True, True, True, True])
    assert parts(st.gather(value, [2, 0])) == ([3, 1], [True, True])
    assert [row.value.to_py() for row in st.unstack(value)] == [1, 2, 3]
    # Different lengths: the values stay whole.
    both = st.stack([value, masked(cls, [4], [True])])
    assert isinstance(both, st.ExtensionRows) and parts(both[1]) == ([4], [True])
    if cls is SimpleMaskedTensor:
        assert both.spec.element == SimpleMaskedTensorSpec(st.TensorShape([None]), value.dtype)


def check_boxes(cls):
    value, other = masked(cls, [1, 2, 3], [True, False, True]), masked(cls, [4, 5, 6], [True, True, True])
    spec = value.__tf_type_spec__()
    boxes = [spec.to_boxed_tensor(v) for v in (value, other)]
    assert parts(spec.stacked(2).from_boxed_tensor(st.stack(boxes))) == parts(st.stack([value, other]))
    rows = st.unstack(spec.to_boxed_tensor(value, minimum_rank=1))
    assert [spec.unstacked().from_boxed_tensor(row).value.to_py() for row in rows] == [1, 2, 3]
    boxed = st.stack(boxes)
    assert boxed.__tf_type_spec__() == st.BoxedTensorSpec((2,), spec) and boxed == st.stack(boxes)
    assert nest.map_structure(lambda tensor: tensor, boxed, expand_composites=True) == boxed
    assert not boxed.spec.is_compatible_with("x") and isinstance(boxed.spec, st.TypeSpec)


def check_fields_of_structs(cls):
    value, other = masked(cls, [1, 2, 3], [True, False, True]), masked(cls, [4, 5, 6], [True, True, True])
    rows = st.StructuredTensor.from_fields({"id": [7, 8, 9], "m": value})
    assert parts(rows["m"]) == parts(value) and parts(rows[1:]["m"]) == ([2, 3], [False, True])
    assert rows.spec.fields["m"] == value.__tf_type_spec__()
    assert parts(rows.with_updates({"n": other})["n"]) == parts(other)
    assert parts(st.concat([rows, rows])["m"]) == ([1, 2, 3] * 2, [True, False, True] * 2)
    back = pickle.loads(pickle.dumps(rows))
    assert back == rows and parts(back["m"]) == parts(value) and pickle.loads(pickle.dumps(rows.spec)) == rows.spec
    assert st.StructuredTensorSpec([3], {"m": value.__tf_type_spec__()}).fields["m"] == value.__tf_type_spec__()
    grouped = rows.partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    assert parts(grouped[0]["m"]) == ([1, 2], [True, False])
    # A tuple of components has no names.
    names = ("value", "mask") if cls is AnnotatedMaskedTensor else ("components_0", "components_1")
    assert pa.table(rows).to_pylist()[0] == {"id": 7, "m": dict(zip(names, (1, True), strict=True))}


def check_fields_of_types(cls):
    class Pair(st.ExtensionType):
        first: cls
        rest: tuple[cls, ...] = ()
        name: str = "x"

    def make(value, mask):
        return masked(cls, value, mask)

    value = make([1, 2], [True, False])
    pair = Pair(value, [value, make([3], [True])])
    assert pair.first is value and pair.spec.first == value.__tf_type_spec__()
    assert pair == Pair(value, [value, make([3], [True])]) and pair != Pair(value, [value, make([4], [True])])
    assert pair.spec == Pair(value, [value, make([4], [True])]).spec and hash(pair.spec) == hash(pair.spec)
    assert pair.spec.component_specs == (value.__tf_type_spec__(),) * 2 + (make([3], [True]).__tf_type_spec__(),)
    components = pair.spec.to_components(pair)
    assert list(map(parts, components)) == list(map(parts, (value, value, make([3], [True]))))
    assert pair.spec.from_components(components) == pair
    flat = nest.flatten(pair, expand_composites=True)
    assert len(flat) == 6 and nest.pack_sequence_as(pair.spec, flat, expand_composites=True) == pair
    both = st.stack([pair, pair])
    assert isinstance(both, st.ExtensionRows) and both[1] == pair
    assert st.TypeSpec.from_bytes(pair.spec.to_bytes()) == pair.spec
    with pytest.raises(TypeError, match="first: expected '.*MaskedTensor', found 'Tensor'"):
        Pair(st.constant([1]))


@promise(
    "Example: SimpleMaskedTensor",
    "The type can then be used with generic functions",
    python="st.nest.map_structure(func, masked_tensor, expand_composites=True)",
    cpp="FlattenComposites()",
    tensorflow="structtensor.tf.from_structtensor(masked_tensor)",
    differs="A class of annotated fields has a counterpart there; a plain class, as this one, becomes a `WholeValue`, without "
    "rows and operations",
    shown_by="test_own_types.py::test_plain_classes",
)
@pytest.mark.parametrize("check", [check_nest, check_rows, check_boxes, check_fields_of_structs, check_fields_of_types])
@both_forms
def test_generic_functions(cls, check):
    check(cls)


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
    for call in (lambda: st.add(x, st.ragged.constant([[1], [2, 3]])), lambda: st.add(st.ragged.constant([[1]]), x)):
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
    differs="Lists of several lengths need `st.ragged.constant`, as in TensorFlow",
)
@both_forms
def test_constants_of_two_axes(cls):
    x = cls(st.constant([[1, 2], [3, 4]]), st.constant([[True, False], [True, True]]))
    assert (x.shape, x.dtype) == ((2, 2), "int64")
    assert parts(st.negative(x)) == ([[-1, -2], [-3, -4]], [[True, False], [True, True]])
