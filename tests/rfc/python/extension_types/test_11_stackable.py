"""st.StackableTypeSpec: values are boxed, boxes are stacked and unstacked, and boxes become values again."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

from .plain_types import CSRSparseTensor, CSRSparseTensorSpec, MaskedTensorSpec

METHODS = "to_boxed_tensor from_boxed_tensor boxed_tensor_spec stacked unstacked".split()


class Masked(st.ExtensionType):
    values: st.Tensor
    mask: st.Tensor
    shape = property(lambda self: self.values.shape)


class Interval:
    """A plain class with two boxes, which are stacked in parallel."""

    def __init__(self, low, high):
        self.low = low
        self.high = high

    def __tf_type_spec__(self):
        return IntervalSpec(self.low.shape)

    def __eq__(self, other):
        return isinstance(other, Interval) and self.low.equals(other.low) and self.high.equals(other.high)

    __hash__ = None


class IntervalSpec(st.StackableTypeSpec):
    def __init__(self, shape):
        self._shape = st.TensorShape(shape)

    shape = property(lambda self: self._shape)
    value_type = property(lambda self: Interval)
    component_specs = property(lambda self: (st.TensorSpec(self._shape, "int64"), st.TensorSpec(self._shape, "int64")))

    def serialize(self):
        return (self._shape,)

    def to_components(self, value):
        return (value.low, value.high)

    def from_components(self, components):
        return Interval(*components)

    def to_boxed_tensor(self, value, minimum_rank=0):
        return [value.low, value.high]

    def from_boxed_tensor(self, boxed_tensor):
        return Interval(*boxed_tensor)

    def boxed_tensor_spec(self, minimum_rank=0):
        return list(self.component_specs)

    def stacked(self, num):
        return IntervalSpec([num, *self._shape])

    def unstacked(self):
        return IntervalSpec(self._shape[1:])


def intervals():
    return [Interval(st.constant([i, i + 1]), st.constant([i + 10, i + 11])) for i in range(3)]


# Values of one spec each, whose rank is at least 1, so that they are stacked and unstacked.
VALUES = {
    "tensors": lambda: [st.constant([1, 2]), st.constant([3, 4]), st.constant([5, 6])],
    "ragged": lambda: [st.ragged.constant(rows) for rows in ([[1], [2, 3]], [[4, 5], [6]], [[7], [8, 9]])],
    "structs": lambda: [st.StructuredTensor.from_pyval([{"a": i, "b": "x"}, {"a": i + 1, "b": "y"}]) for i in range(3)],
    "annotated fields": lambda: [Masked([i, i + 1], [True, False]) for i in range(3)],
    "own boxes": lambda: [CSRSparseTensor.from_dense([[i, 0], [0, 2]]) for i in range(3)],
    "parallel boxes": intervals,
}


def same(a, b):
    return a.equals(b) if hasattr(a, "equals") else a == b


def stack_boxes(boxes, axis=0):
    return [st.stack(list(one), axis=axis) for one in zip(*boxes)] if isinstance(boxes[0], list) else st.stack(boxes, axis=axis)


@promise(
    "tf.StackableTypeSpec",
    "An abstract class of specs is for types whose values are stacked and unstacked, also if their number is not known",
    python="class IntervalSpec(st.StackableTypeSpec)",
    cpp="BoxedTensor",
    tensorflow="tf.experimental.BatchableExtensionType",
)
def test_stackable_specs_are_a_class():
    assert issubclass(st.StackableTypeSpec, st.TypeSpec)
    assert all(hasattr(st.StackableTypeSpec, name) for name in METHODS)
    for value in [values()[0] for values in VALUES.values()]:
        assert isinstance(value.__tf_type_spec__(), st.StackableTypeSpec)
    assert not isinstance(MaskedTensorSpec([3], "int64"), st.StackableTypeSpec)


@promise(
    "tf.StackableTypeSpec",
    "A class of stackable specs writes the five methods; without one, it is abstract",
    python="def to_boxed_tensor(self, value, minimum_rank=0)",
    cpp="ExtensionValueSpec",
)
@pytest.mark.parametrize("name", METHODS)
def test_stackable_specs_without_a_method_are_abstract(name):
    body = {key: member for key, member in vars(IntervalSpec).items() if not key.startswith("_abc") and key != name}
    body = {key: member for key, member in body.items() if key not in ("__dict__", "__weakref__", "__abstractmethods__")}
    with pytest.raises(TypeError, match=name):
        type("Incomplete", (st.StackableTypeSpec,), body)([3])


@promise(
    "tf.StackableTypeSpec",
    "The example: a ragged dataset in batches of 3",
    python="st.stack(rows[:3])",
    cpp="Unstack(), Stack()",
    tensorflow="tf.data.Dataset.from_tensor_slices(rows).batch(3)",
    differs="The package has no datasets: rows are unstacked and stacked",
)
def test_the_example():
    rt = st.ragged.constant([[1, 2], [], [3], [4, 5, 6], [7], [8, 9]])
    spec = rt.__tf_type_spec__()
    rows = st.unstack(spec.to_boxed_tensor(rt, minimum_rank=1), axis=0)
    batches = [spec.unstacked().stacked(None).from_boxed_tensor(st.stack(rows[i : i + 3])) for i in (0, 3)]
    assert [batch.to_py() for batch in batches] == [[[1, 2], [], [3]], [[4, 5, 6], [7], [8, 9]]]
    assert all(isinstance(batch, st.RaggedTensor) for batch in batches)


@promise(
    "tf.StackableTypeSpec",
    "The first law: boxing, stacking and unboxing is stacking",
    python="spec.stacked(N).from_boxed_tensor(st.stack(boxes, axis=0))",
    cpp="FromBoxed(), Stacked()",
)
@pytest.mark.parametrize("kind", VALUES)
def test_stacking_boxes_is_stacking_values(kind):
    values = VALUES[kind]()
    type_spec = values[0].__tf_type_spec__()
    assert all(value.__tf_type_spec__() == type_spec for value in values)
    boxed_tensors = [type_spec.to_boxed_tensor(v) for v in values]
    stacked_tensor = stack_boxes(boxed_tensors)
    unboxed_stacked_value = type_spec.stacked(3).from_boxed_tensor(stacked_tensor)
    assert same(unboxed_stacked_value, st.stack(values, axis=0))
    assert type_spec.stacked(3).is_compatible_with(unboxed_stacked_value)
    assert same(type_spec.stacked(None).from_boxed_tensor(stacked_tensor), unboxed_stacked_value)


@promise(
    "tf.StackableTypeSpec",
    "The same for values whose sizes differ, with the spec that they have in common",
    python="a.most_specific_compatible_type(b).stacked(N)",
    cpp="FromBoxed(), Stacked()",
)
def test_stacking_boxes_of_rows_of_other_lengths():
    values = [st.ragged.constant([[1], [2, 3]]), st.ragged.constant([[], [4]])]
    type_spec = values[0].__tf_type_spec__().most_specific_compatible_type(values[1].__tf_type_spec__())
    assert type_spec == st.RaggedTensorSpec([2, None], "int64")
    boxes = [type_spec.to_boxed_tensor(v) for v in values]
    unboxed = type_spec.stacked(2).from_boxed_tensor(st.stack(boxes, axis=0))
    assert unboxed.to_py() == [[[1], [2, 3]], [[], [4]]] and unboxed.equals(st.stack(values, axis=0))


@promise(
    "tf.StackableTypeSpec",
    "The second law: boxing with `minimum_rank=1`, unstacking and unboxing is unstacking",
    python="spec.unstacked().from_boxed_tensor(row)",
    cpp="FromBoxed(), Unstacked()",
)
@pytest.mark.parametrize("kind", VALUES)
def test_unstacking_boxes_is_unstacking_values(kind):
    v = st.stack(VALUES[kind](), axis=0)
    type_spec = v.__tf_type_spec__()
    boxed_tensor = type_spec.to_boxed_tensor(v, minimum_rank=1)
    if isinstance(boxed_tensor, list):
        unstacked_tensors = [list(t) for t in zip(*[st.unstack(one, axis=0, num=3) for one in boxed_tensor])]
    else:
        unstacked_tensors = st.unstack(boxed_tensor, axis=0, num=3)
    unboxed_unstacked_values = [type_spec.unstacked().from_boxed_tensor(t) for t in unstacked_tensors]
    assert len(unboxed_unstacked_values) == 3
    assert all(map(same, unboxed_unstacked_values, st.unstack(v, axis=0, num=3)))
    assert all(map(same, unboxed_unstacked_values, VALUES[kind]()))


@promise(
    "tf.StackableTypeSpec",
    "Concatenating boxes is concatenating values",
    python="st.concat(boxes, axis=0)",
    cpp="FromBoxed()",
)
@pytest.mark.parametrize("kind", ["tensors", "ragged", "structs", "annotated fields"])
def test_concatenating_boxes_is_concatenating_values(kind):
    values = VALUES[kind]()[:2]
    spec = values[0].__tf_type_spec__()
    boxes = [spec.to_boxed_tensor(value, minimum_rank=1) for value in values]
    joined = spec.unstacked().stacked(4).from_boxed_tensor(st.concat(boxes, axis=0))
    assert joined.equals(st.concat(values, axis=0))


@promise(
    "tf.StackableTypeSpec",
    "Several boxes of one value are stacked in parallel",
    python="st.stack(values), st.unstack(value), st.concat(values)",
)
def test_parallel_boxes():
    stacked = st.stack(intervals())
    assert type(stacked) is Interval
    assert stacked == Interval(
        st.constant(np.array([[0, 1], [1, 2], [2, 3]])), st.constant(np.array([[10, 11], [11, 12], [12, 13]]))
    )
    assert st.unstack(stacked) == intervals()
    joined = st.concat([stacked, stacked])
    assert st.unstack(joined) == intervals() * 2


@promise(
    "tf.StackableTypeSpec",
    "`to_boxed_tensor` gives a tensor of at least `minimum_rank`",
    python="spec.to_boxed_tensor(value, minimum_rank)",
    cpp="BoxedTensor",
    tensorflow="variant tensors",
    differs=(
        "The box of a value of the library is a `BoxedTensor`, which holds values; a type's own box is a Tensor, "
        "as in the document"
    ),
)
def test_boxes_have_a_minimum_rank():
    w = st.constant(np.array([[1, 2], [3, 4]]))
    for rank in range(3):
        assert len(w.spec.to_boxed_tensor(w, rank).shape) >= rank
    assert w.spec.to_boxed_tensor(w, 2).shape == (2, 2)
    with pytest.raises(ValueError):
        w.spec.to_boxed_tensor(w, 3)
    ragged = st.ragged.constant([[1], [2, 3]])
    assert ragged.spec.to_boxed_tensor(ragged, 1).shape == (2,)
    with pytest.raises(ValueError, match="minimum_rank"):
        ragged.spec.to_boxed_tensor(ragged, minimum_rank=2)
    with pytest.raises((TypeError, ValueError)):
        w.spec.to_boxed_tensor(st.constant(["a"]))


@promise(
    "tf.StackableTypeSpec",
    "`from_boxed_tensor` takes boxes, and boxes that were stacked, unstacked and concatenated",
    python="spec.from_boxed_tensor(boxed_tensor)",
    cpp="FromBoxed()",
)
def test_boxes_become_values():
    v = st.ragged.constant([[1], [2, 3]])
    assert v.spec.from_boxed_tensor(v.spec.to_boxed_tensor(v)).equals(v)
    rows = st.unstack(v.spec.to_boxed_tensor(v, minimum_rank=1))
    spec = st.RaggedTensorSpec([3, None], "int64")
    assert spec.from_boxed_tensor(st.stack([rows[1], rows[0], rows[1]])).to_py() == [[2, 3], [1], [2, 3]]
    with pytest.raises(TypeError):
        v.spec.from_boxed_tensor("a")


@promise(
    "tf.StackableTypeSpec",
    "`boxed_tensor_spec` is a spec that the boxes are compatible with",
    python="spec.boxed_tensor_spec(minimum_rank)",
    cpp="BoxedTensor",
    differs="It is a `BoxedTensorSpec` for the library's own boxes",
)
def test_specs_of_boxes():
    w = st.constant(np.array([[1, 2], [3, 4]]))
    for rank in range(3):
        assert w.spec.boxed_tensor_spec(rank).is_compatible_with(w.spec.to_boxed_tensor(w, rank))
    sparse = CSRSparseTensor.from_dense([[1, 0], [0, 2]])
    spec = sparse.__tf_type_spec__()
    assert spec.boxed_tensor_spec() == st.TensorSpec([2, 2], "int64")
    assert spec.boxed_tensor_spec().is_compatible_with(spec.to_boxed_tensor(sparse))


@promise(
    "tf.StackableTypeSpec",
    "`stacked(num)` and `unstacked()` are the specs of a batch, of a known or unknown size, and of an element",
    python="spec.stacked(4), spec.stacked(None), spec.unstacked()",
    cpp="Stacked(), Unstacked()",
)
def test_specs_of_batches_and_elements():
    assert st.TensorSpec([2], "int64").stacked(4) == st.TensorSpec([4, 2], "int64")
    assert st.TensorSpec([2], "int64").stacked(None) == st.TensorSpec([None, 2], "int64")
    assert st.TensorSpec([4, 2], "int64").unstacked() == st.TensorSpec([2], "int64")
    element = st.RaggedTensorSpec([6, None], "int64").unstacked()
    assert element.shape == (None,) and element.is_compatible_with(st.constant([1, 2]))
    assert st.RaggedTensorSpec([6, None], "int64").unstacked().stacked(3) == st.RaggedTensorSpec([3, None], "int64")
    masked = Masked([1, 2], [True, False]).spec
    assert masked.stacked(4).shape == (4, 2) and masked.stacked(4).unstacked() == masked
    assert CSRSparseTensorSpec([2, 2], "int64").stacked(None).unstacked() == CSRSparseTensorSpec([2, 2], "int64")
    with pytest.raises(ValueError):
        st.TensorSpec([], "int64").unstacked()


@promise(
    "tf.StackableTypeSpec",
    "Types whose components do not stack have boxes of their own, which functions that stack values use",
    python="st.stack(values)",
    tensorflow="tf.experimental.BatchableExtensionType",
)
def test_types_with_their_own_boxes():
    values = VALUES["own boxes"]()
    stacked = st.stack(values)
    assert type(stacked) is CSRSparseTensor
    assert stacked.to_dense().to_py() == [[[0, 0], [0, 2]], [[1, 0], [0, 2]], [[2, 0], [0, 2]]]
    assert st.unstack(stacked) == values
    assert st.concat([stacked, stacked]).shape == (6, 2, 2)


class Whole(st.ExtensionType):
    values: st.Tensor


@promise(
    "tf.StackableTypeSpec",
    "The spec of a stacked value is `stacked(N)` of the spec, also of types without a shape",
    python="spec.stacked(2)",
    cpp="ExtensionRowsSpec",
    differs="Values that do not stack as tensors become rows of whole values",
)
def test_specs_of_rows_of_whole_values():
    values = [Whole([1]), Whole([2])]
    spec = values[0].spec
    assert spec.stacked(2).is_compatible_with(st.stack(values))
    assert spec.stacked(2) == st.stack(values).spec and spec.stacked(2).unstacked() == spec


@promise(
    "Motivation for tf.StackableTypeSpec",
    "Values are stacked and unstacked without a loop, in a number that is not known before",
    python="st.unstack(value), st.stack(values)",
    cpp="Unstack(), Stack()",
    tensorflow="tf.data.Dataset.batch, tf.data.Dataset.unbatch, tf.map_fn",
    differs="The package has no `map_fn`: Python's own loops read the rows",
)
def test_any_number_of_values():
    for count in (1, 2, 7):
        rows = [st.StructuredTensor.from_pyval({"a": i, "b": list(range(i + 1))}) for i in range(count)]
        stacked = st.stack(rows)
        assert stacked.to_py() == [{"a": i, "b": list(range(i + 1))} for i in range(count)]
        assert [row.to_py() for row in st.unstack(stacked)] == [row.to_py() for row in rows]
