"""Values in boxes. With boxes, code that makes batches can stack and unstack values without knowing their types.

    values          [1, 2], [], [3]                  three ragged rows
    boxes           BoxedTensor of shape []          one for each
    stacked boxes   BoxedTensor of shape [3]
    unboxed         [[1, 2], [], [3]]

To stack, unstack or concatenate boxes is to stack, unstack or concatenate the values in them. A type may decide what its boxes
are: one tensor, or a list of tensors that are stacked in parallel. Source: tf.StackableTypeSpec in the RFC "Extension types".
"""

import math
import operator

from . import _core
from . import _pickle
from . import _signatures
from . import _static_data
from ._immutable import Immutable
from ._static_types import TensorShape


_SHOWN = 8  # values in the repr


@_pickle.register
@_signatures.check_calls
class BoxedTensor(Immutable):
    """A dense array of values."""

    __slots__ = {"shape": "The sizes of the axes, as a TensorShape.", "values": "The elements, in row-major order, as a tuple."}

    def __init__(self, values, shape=None):
        _activate()
        values = tuple(values)
        shape = (len(values),) if shape is None else tuple(shape)
        size = 1
        for dim in shape:
            size *= dim
        if size != len(values) or any(dim < 0 for dim in shape):
            raise ValueError(f"an array of the shape {list(shape)} cannot have {len(values)} values")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "shape", TensorShape(shape))

    def __setattr__(self, name, value):
        raise AttributeError("a BoxedTensor is immutable")

    def __reduce_ex__(self, protocol):
        return _pickle.load_boxes, (_pickle.FORMAT, self.values, self.shape)

    @property
    def rank(self):
        """The number of axes."""
        return len(self.shape)

    @property
    def spec(self):
        """The shape, and the spec that all values have in common; None if there are no values, or they have none."""
        specs = list(map(_spec_of, self.values))
        common = specs[0] if specs else None
        for spec in specs[1:]:
            common = None if common is None else common.most_specific_compatible_type(spec)
        return BoxedTensorSpec(self.shape, common)

    def __tf_type_spec__(self):
        """The same as `spec`."""
        return self.spec

    def __len__(self):
        """The size of axis 0. Raises TypeError if there are no axes."""
        if not self.shape:
            raise TypeError("a BoxedTensor without axes has no len()")
        return self.shape[0]

    def __getitem__(self, position):
        """box[i]: the same as unstack(box)[i]. Raises IndexError for a position outside of axis 0."""
        size = len(self)
        position = operator.index(position)
        if not -size <= position < size:
            raise IndexError(f"position {position} of a BoxedTensor of {size} rows")
        inner = math.prod(self.shape[1:])
        start = position % size * inner
        return BoxedTensor(self.values[start : start + inner], self.shape[1:])

    def __iter__(self):
        """The rows: box[0], box[1], ... Raises TypeError if there are no axes."""
        return map(self.__getitem__, range(len(self)))

    def __bool__(self):
        """True, also without values."""
        return True

    def __eq__(self, other):
        if not isinstance(other, BoxedTensor):
            return NotImplemented
        return self.shape == other.shape and all(
            map(_static_data.Specs.equal_values, self.values, other.values)
        )

    __hash__ = None

    def __repr__(self):
        shown = ", ".join(map(repr, self.values[:_SHOWN])) + (", ..." if len(self.values) > _SHOWN else "")
        return f"BoxedTensor([{shown}], shape={self.shape})"


def _stack(boxes):
    if len({box.shape for box in boxes}) != 1:
        raise ValueError(f"boxes have the shapes {', '.join(str(box.shape) for box in boxes)}; they must agree")
    return BoxedTensor([value for box in boxes for value in box.values], (len(boxes), *boxes[0].shape))


def _concat(boxes):
    if any(not box.shape for box in boxes) or len({box.shape[1:] for box in boxes}) != 1:
        raise ValueError(
            f"boxes have the shapes {', '.join(str(box.shape) for box in boxes)}; all but the first axis must agree"
        )
    return BoxedTensor(
        [value for box in boxes for value in box.values], (sum(box.shape[0] for box in boxes), *boxes[0].shape[1:])
    )


def _unstack(box):
    if not box.shape:
        raise ValueError("a BoxedTensor without axes has no rows")
    size = len(box.values) // box.shape[0] if box.shape[0] else 0
    return [BoxedTensor(box.values[i * size : (i + 1) * size], box.shape[1:]) for i in range(box.shape[0])]


# --- Methods of every spec


def to_boxed_tensor(self, value, minimum_rank=0):
    """The value in a BoxedTensor with `minimum_rank` axes, which are the outer axes of the value.

    A type may replace this method, from_boxed_tensor(), boxed_tensor_spec(), stacked() and unstacked() together, and return a
    Tensor or a list of Tensors. stack(), unstack() and concat() then use them.
    Raises ValueError if the value does not have this spec, or its outer axes are not dense.
    """
    if not self.is_compatible_with(value):
        raise ValueError(f"to_boxed_tensor: expected a value of {self!r}, found {value!r}")
    values, shape = [value], []
    for _ in range(minimum_rank):
        rows = [_rows(item) for item in values]
        if len({len(of_one) for of_one in rows}) > 1:
            raise ValueError(
                f"to_boxed_tensor: rows of axis {len(shape)} have different lengths; a smaller minimum_rank is needed"
            )
        shape.append(len(rows[0]) if rows else 0)
        values = [row for of_one in rows for row in of_one]
    return BoxedTensor(values, shape)


def _rows(value):
    value = _static_data.Specs.for_bindings(value)
    shown = getattr(value, "_record", value)
    if shown.rank == 0:
        raise ValueError("to_boxed_tensor: minimum_rank is more than the rank of the value")
    return [_core.index(value, i) for i in range(shown.nrows)]


def from_boxed_tensor(self, boxed_tensor):
    """The value of this spec in the boxes, after any stacking, unstacking and concatenating of boxes.

    Raises TypeError if the argument is not a BoxedTensor, ValueError if the boxes hold values of other specs.
    """
    if not isinstance(boxed_tensor, BoxedTensor):
        raise TypeError(f"from_boxed_tensor: expected a BoxedTensor, found {type(boxed_tensor).__name__}")
    return _core._from_boxed(self, boxed_tensor.shape, list(map(_static_data.Specs.for_bindings, boxed_tensor.values)))


@_pickle.register
class BoxedTensorSpec(Immutable):
    """The spec of a BoxedTensor: its shape, and the spec of the values in it."""

    __slots__ = {
        "element": "The spec of the values in the array.",
        "shape": "The sizes of the axes, as a TensorShape with None for unknown ones; None if their number is unknown.",
    }

    def __init__(self, shape, element):
        self.shape = None if shape is None else TensorShape(shape)
        self.element = element

    def serialize(self):
        """The arguments of the constructor, as a tuple."""
        return (TensorShape(self.shape), self.element)

    @classmethod
    def deserialize(cls, serialization):
        """The spec with these arguments, which serialize() gave."""
        return cls(*serialization)

    @property
    def value_type(self):
        """BoxedTensor."""
        return BoxedTensor

    @property
    def component_specs(self):
        """The spec of each value, as a tuple. Raises ValueError if a size is not known."""
        if self.shape is None or None in self.shape:
            raise ValueError(f"{self!r} has no component_specs: the number of values is not known")
        return (self.element,) * math.prod(self.shape)

    def to_components(self, value):
        """The values in the array, as a tuple."""
        if not self.is_compatible_with(value):
            raise ValueError(f"to_components: expected a value of {self!r}, found {value!r}")
        return value.values

    def from_components(self, components):
        """The array with these values. Raises ValueError if it does not have this spec."""
        made = BoxedTensor(components, self.shape)
        if not self.is_compatible_with(made):
            raise ValueError(f"from_components: the components make {made!r}, which is no value of {self!r}")
        return made

    def is_compatible_with(self, spec_or_value):
        """Whether one array can have both specs. For an array: whether it has this shape, and its values have the spec."""
        if not isinstance(spec_or_value, (BoxedTensor, BoxedTensorSpec)):
            return False
        if not TensorShape(self.shape).is_compatible_with(spec_or_value.shape):
            return False
        if isinstance(spec_or_value, BoxedTensor):
            return all(map(self.element.is_compatible_with, spec_or_value.values))
        if self.element is None or spec_or_value.element is None:
            return self.element is spec_or_value.element
        return self.element.is_compatible_with(spec_or_value.element)

    def most_specific_compatible_type(self, other):
        """The narrowest spec of the arrays of both specs; None if there is none."""
        if not isinstance(other, BoxedTensorSpec) or self.element is None or other.element is None:
            return self if self == other else None
        element = self.element.most_specific_compatible_type(other.element)
        if element is None:
            return None
        return BoxedTensorSpec(TensorShape(self.shape).most_specific_compatible_shape(other.shape).dims, element)

    def most_specific_common_supertype(self, others):
        """The narrowest spec that this spec and all of `others` are subtypes of; None if there is none."""
        return most_specific_common_supertype(self, others)

    def is_subtype_of(self, other):
        """Whether every array of this spec is also one of the other spec."""
        return self.most_specific_compatible_type(other) == other

    def stacked(self, num):
        """The spec of `num` stacked arrays; None means any number. Raises ValueError if the number of axes is not known."""
        if num is not None:
            check_count("num", num)
        return BoxedTensorSpec((num, *self._known_axes()), self.element)

    def unstacked(self):
        """The spec of one row. Raises ValueError for arrays without axes, or if the number of axes is not known."""
        axes = self._known_axes()
        if not axes:
            raise ValueError(f"{self!r} has no axes, and so no rows")
        return BoxedTensorSpec(axes[1:], self.element)

    def _known_axes(self):
        if self.shape is None:
            raise ValueError(f"{self!r}: the number of axes is not known")
        return tuple(self.shape)

    def __eq__(self, other):
        if not isinstance(other, BoxedTensorSpec):
            return NotImplemented
        return self.shape == other.shape and self.element == other.element

    def __hash__(self):
        return hash((self.shape, self.element))

    def __repr__(self):
        return f"BoxedTensorSpec({self.shape}, {self.element!r})"

    def __reduce_ex__(self, protocol):
        return _pickle.load_boxes_spec, (_pickle.FORMAT, self.shape, self.element)


def boxed_tensor_spec(self, minimum_rank=0):
    """The spec of to_boxed_tensor(value, minimum_rank) for all values of this spec. Raises ValueError if minimum_rank exceeds
    the rank."""
    element, shape = self, []
    for _ in range(minimum_rank):
        shown = element.shape
        if shown == ():
            raise ValueError(f"boxed_tensor_spec: minimum_rank is {minimum_rank}, more than the rank of {self!r}")
        shape.append(shown[0] if shown else None)
        element = element.unbatch()
    return BoxedTensorSpec(shape, element)


def stacked(self, num):
    """The spec of `num` stacked values of this spec; None means any number. The same as batch(num)."""
    if num is not None:
        check_count("num", num)
    return self.batch(num)


def check_count(name, count):
    """Raises TypeError if the argument is no integer, ValueError if it is negative."""
    try:
        negative = operator.index(count) < 0
    except TypeError:
        raise TypeError(f"{name}: expected an integer or None, found {type(count).__name__}") from None
    if negative:
        raise ValueError(f"{name} is negative; None is any number")


def unstacked(self):
    """The spec of one row. The same as unbatch()."""
    return self.unbatch()


def most_specific_common_supertype(self, others):
    """The narrowest spec that this spec and all of `others` are subtypes of; None if there is none."""
    common = self
    for other in others:
        common = None if common is None else common.most_specific_compatible_type(other)
    return common


def castable_type(self, spec):
    """A spec that values of both specs can be cast to; None if there is none. It is a spec that both are subtypes of, or a
    ragged one if only one of the two is ragged."""
    common = self.most_specific_compatible_type(spec)
    kinds = (_core.TensorSpec, _core.RaggedTensorSpec)
    if common is not None or not isinstance(self, kinds) or not isinstance(spec, kinds) or self.dtype != spec.dtype:
        return common
    ragged = self if isinstance(self, _core.RaggedTensorSpec) else spec
    if type(self) is type(spec) or self.shape is None or spec.shape is None or len(self.shape) != len(spec.shape):
        return None
    shape = [a if a == b else None for a, b in zip(self.shape, spec.shape, strict=True)]
    nullable = self.nullable or spec.nullable
    return _core.RaggedTensorSpec(shape, ragged.dtype, ragged.ragged_rank, ragged.row_splits_dtype, nullable)


def cast(self, value):
    """A value of this spec that is equivalent to `value`: a dense tensor becomes ragged if the spec is ragged.

    Raises TypeError if there is no such value.
    """
    if isinstance(value, _core.Tensor) and isinstance(self, _core.RaggedTensorSpec) and 0 < self.ragged_rank < value.rank:
        value = _core.RaggedTensor.from_tensor(value, ragged_rank=self.ragged_rank, row_splits_dtype=self.row_splits_dtype)
    if self.is_compatible_with(value):
        return value
    raise TypeError(f"{getattr(value, 'spec', value)!r} cannot be cast to {self!r}")


# --- stack(), unstack() and concat() of boxes, and of types that decide what their boxes are


def _spec_of(value):
    return value.__tf_type_spec__() if hasattr(type(value), "__tf_type_spec__") else None


_BUILT_IN = (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor, _core.ExtensionRows)


def _own_boxes(value):
    return not isinstance(value, _BUILT_IN) and getattr(_spec_of(value), "_has_own_boxes", False)


def _castable_type(spec, other):
    found = spec.castable_type(other)
    if found is not None and not hasattr(found, "most_specific_compatible_type"):
        raise TypeError(f"{type(spec).__qualname__}.castable_type() returned {found!r}; expected a spec or None")
    return found


def _common_spec(values):
    """The spec that all values can be cast to."""
    common = _spec_of(values[0])
    for value in values[1:]:
        spec = _spec_of(value)
        ours = _castable_type(common, spec)
        common = _castable_type(spec, common) if ours is None and hasattr(spec, "castable_type") else ours
        if common is None:
            raise TypeError(f"there is no type that {_spec_of(values[0])!r} and {spec!r} can be cast to")
    return common


def _cast(spec, value):
    """The value with the spec itself, if its type says itself which spec values have in common."""
    value = spec.cast(value)
    own = _spec_of(value)
    if not getattr(own, "_merges_itself", False) or own == spec:
        return value
    return spec.from_components(own.to_components(value))


def _boxes_of(spec, value, minimum_rank=0):
    boxed = spec.to_boxed_tensor(value, minimum_rank=minimum_rank) if minimum_rank else spec.to_boxed_tensor(value)
    tensors = boxed if isinstance(boxed, (list, tuple)) else [boxed]
    if not tensors or not all(hasattr(tensor, "shape") for tensor in tensors):
        raise TypeError(
            f"{type(spec).__qualname__}.to_boxed_tensor() returned {boxed!r}; expected a Tensor or a list of Tensors"
        )
    return boxed


def _in_parallel(function, boxes):
    """function(list of tensors), once for each of the tensors that a box consists of."""
    if isinstance(boxes[0], (list, tuple)):
        return [function([box[i] for box in boxes]) for i in range(len(boxes[0]))]
    return function(list(boxes))


def _values_of(values):
    return list(values) if isinstance(values, (list, tuple)) and len(values) > 0 else []


def _join(api, values, axis, done, join, minimum_rank, joined_spec):
    """stack() and concat(). `join` joins BoxedTensors. `joined_spec(spec, count)` is the spec of the result for other
    values."""
    items = _values_of(values)
    if items and all(isinstance(item, BoxedTensor) for item in items):
        if axis != 0:
            raise ValueError(f"boxes are {done} along axis 0")
        return join(items)
    if not any(map(_own_boxes, items)) or not all(hasattr(type(item), "__tf_type_spec__") for item in items):
        return NotImplemented
    spec = _common_spec(items)
    items = [_cast(spec, item) for item in items]
    if axis != 0 or not any(map(_boxes_itself, items)):
        return api.call_default(items, axis)
    boxes = [_boxes_of(spec, item, minimum_rank) for item in items]
    return joined_spec(spec, len(items)).from_boxed_tensor(_in_parallel(lambda tensors: api(tensors, 0), boxes))


def stack_boxes(api, values, axis=0):
    return _join(api, values, axis, "stacked", _stack, 0, lambda spec, count: spec.stacked(count))


def concat_boxes(api, values, axis=0):
    return _join(api, values, axis, "concatenated", _concat, 1, lambda spec, count: spec.unstacked().stacked(None))


def unstack_boxes(api, value, num=None, axis=0):
    if isinstance(value, BoxedTensor):
        if axis != 0:
            raise ValueError("boxes are unstacked along axis 0")
        return _of_count(_unstack(value), num)
    if axis != 0 or not _boxes_itself(value):
        return NotImplemented
    spec = _spec_of(value)
    boxed = _boxes_of(spec, value, minimum_rank=1)
    row_spec = spec.unstacked()
    if isinstance(boxed, (list, tuple)):
        rows = [row_spec.from_boxed_tensor(list(row)) for row in zip(*(api(tensor) for tensor in boxed), strict=True)]
    else:
        rows = [row_spec.from_boxed_tensor(row) for row in api(boxed)]
    return _of_count(rows, num)


def _of_count(rows, num):
    """Raises ValueError if there are not `num` rows; None is any number."""
    if num is not None and num != len(rows):
        raise ValueError(f"num = {num}, but the axis has {len(rows)} positions")
    return rows


def _boxes_itself(value):
    return _own_boxes(value) and type(_spec_of(value)).to_boxed_tensor is not to_boxed_tensor


def hook(spec_class, base):
    """Notes whether the spec class replaces methods that compare specs, or those for boxes and casts. `base` is TypeSpec."""

    def replaces(name):
        return getattr(spec_class, name) is not getattr(base, name)

    spec_class._merges_itself = replaces("most_specific_compatible_type")
    spec_class._compares_itself = spec_class._merges_itself or replaces("is_compatible_with") or replaces("is_subtype_of")
    spec_class._has_own_boxes = spec_class._merges_itself or replaces("to_boxed_tensor") or replaces("castable_type")
    if spec_class._has_own_boxes:
        _activate()


_activations = []  # functions to call before boxes are used for the first time


def before_first_use(function):
    _activations.append(function)


def _activate():
    while _activations:
        _activations.pop()()
