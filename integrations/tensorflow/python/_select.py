"""The functions of TensorFlow that select structs by indices, coordinates, masks and ranges. Shapes of results and rules are
those of the package's functions with the same names."""

import tensorflow as tf

from ._api import for_structs
from ._array import after, all_splits, axis_of, concat_outer, same_fields, under, values_of, with_values
from ._columns import in_rows, lengths_of, merge_splits, own_splits, rows_of, same_splits
from ._index import Cursor
from ._type import StructuredTensor


def _all_splits_of(tensor, axes=None):
    """The splits of the first `axes` axes of a tensor, and the values in them. Default: of all axes."""
    if axes == 0 or tensor.shape.rank == 0:
        return [], tensor
    inner, values = own_splits(tensor, None if axes is None else axes - 1)
    rows = tf.size(inner[0], tf.int64) - 1 if inner else tf.shape(values, out_type=tf.int64)[0]
    return [tf.stack([0, rows]), *inner], values


# --- Indices


def _integers(indices, what):
    """The indices as int64. Raises ValueError and TypeError."""
    if not isinstance(indices, tf.RaggedTensor):
        indices = tf.convert_to_tensor(indices)
    if indices.shape.rank is None:
        raise ValueError(f"{what}: indices of unknown rank")
    if not indices.dtype.is_integer and indices.shape.num_elements() != 0:  # an empty list has no integers
        raise TypeError(f"{what}: indices are integers; found {indices.dtype.name}")
    return tf.cast(indices, tf.int64)


def _batch_axes(batch_dims, params, axes, what):
    """batch_dims as the number of axes that `params` and the indices, which have `axes` axes, share. Raises ValueError."""
    if not -axes <= batch_dims <= axes:
        raise ValueError(f"{what}: batch_dims is {batch_dims}, and the indices have {axes} axes")
    batch_dims += axes if batch_dims < 0 else 0
    if batch_dims > params.rank:
        raise ValueError(f"{what}: batch_dims is {batch_dims}, and the structs have {params.rank} axes")
    return batch_dims


def _same_axes(found, expected, what):
    """The checks that the first axes of both are the same."""
    problem = f"{what} along axis"
    return [
        check
        for axis, (own, splits) in enumerate(zip(found, expected))
        for check in same_splits(own, splits, f"{problem} {axis}")
    ]


def _positions(splits, rows, indices, problem, checks=()):
    """The positions of the values that the indices select from these rows of an axis."""
    starts, limits = tf.gather(splits, rows), tf.gather(splits, rows + 1)
    # Negative ones, which rows[...] counts from the end, are an error in TensorFlow.
    inside = tf.reduce_all((indices >= 0) & (indices < limits - starts))
    return after([*checks, tf.debugging.Assert(inside, [problem, indices])], starts + indices)


@for_structs(tf.gather, tf.compat.v1.gather, params=StructuredTensor)
def _gather(params, indices, axis=None, batch_dims=0):
    """The result has the shape params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]."""
    indices = _integers(indices, "tf.gather")
    shared = _batch_axes(int(batch_dims), params, indices.shape.rank, "tf.gather")
    axis = axis_of(batch_dims if axis is None else axis, params.rank, "tf.gather")
    batch_dims = shared
    if axis < batch_dims:
        raise ValueError(f"tf.gather: axis {axis} is one of the {batch_dims} batch axes; it must come after them")
    splits = all_splits(params)
    found, indices = _all_splits_of(indices)
    checks = _same_axes(found[:batch_dims], splits, "tf.gather: the indices have other rows than the structs")
    inner = found[batch_dims:]
    if axis > batch_dims:
        # Each row of the axis gets the indices of the batch element that it is in.
        cursor = Cursor()
        cursor.chosen = rows_of(merge_splits(splits[batch_dims:axis]))
        for own in inner:
            cursor.whole_axis(own)
        inner, indices = cursor.splits, tf.gather(tf.reshape(indices, [-1]), cursor.chosen)
    indices = tf.reshape(indices, [-1])
    rows = rows_of(merge_splits(inner)) if inner else tf.range(tf.size(indices, tf.int64))
    problem = "a row is outside of the first axis" if axis == 0 else f"an index is outside of its row of axis {axis}"
    positions = _positions(splits[axis], rows, indices, f"tf.gather: {problem}:", checks)
    return under([*splits[:axis], *inner], values_of(params, axis)._take(positions))


@for_structs(tf.compat.v1.batch_gather, params=StructuredTensor)
def _batch_gather(params, indices):
    rank = _integers(indices, "tf.compat.v1.batch_gather").shape.rank
    if rank == 0:
        raise ValueError("tf.compat.v1.batch_gather: the indices are a scalar; they need an axis")
    return _gather(params, indices, batch_dims=rank - 1)


@for_structs(tf.gather_nd, tf.compat.v1.gather_nd, params=StructuredTensor)
def _gather_nd(params, indices, batch_dims=0, bad_indices_policy=""):
    """The last axis of the indices has coordinates. The result has the shape
    indices.shape[:-1] + params.shape[batch_dims + number of coordinates:]."""
    what = "tf.gather_nd"
    if bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise ValueError(f"{what}: bad_indices_policy is {bad_indices_policy!r}; for structs, bad indices are errors")
    indices = _integers(indices, what)
    axes = indices.shape.rank - 1
    if axes < 0:
        raise ValueError(f"{what}: the indices are a scalar; their last axis has the coordinates")
    found, points = _all_splits_of(indices, axes)
    if axes == 0:
        points = points[None]
    coordinates = points.shape[1] if points.shape.rank == 2 else None
    if coordinates is None:
        raise ValueError(f"{what}: the size of the last axis of the indices must be known; found the shape {indices.shape}")
    batch_dims = _batch_axes(int(batch_dims), params, axes, what)
    if batch_dims + coordinates > params.rank:
        found = f"{coordinates} coordinates after {batch_dims} batch axes"
        raise ValueError(f"{what}: {found}, and the structs have {params.rank} axes")
    splits = all_splits(params)
    checks = _same_axes(found[:batch_dims], splits, f"{what}: the indices have other rows than the structs")
    count = tf.shape(points, out_type=tf.int64)[0]
    rows = rows_of(merge_splits(found[batch_dims:])) if axes > batch_dims else tf.range(count)
    rows = after(checks, rows)
    for i, axis in enumerate(range(batch_dims, batch_dims + coordinates)):
        rows = _positions(splits[axis], rows, points[:, i], f"{what}: coordinate {i} is outside of its row of axis {axis}:")
    last = batch_dims + coordinates - 1
    # Without coordinates, each point is all structs.
    below = values_of(params, last) if last >= 0 else StructuredTensor(splits, params._flat_fields)
    return under(found, below._take(rows))


# --- Masks and conditions


def _booleans(mask, what):
    if isinstance(mask, StructuredTensor):
        raise TypeError(f"{what} is structs; expected a tensor or a ragged tensor of bool")
    if not isinstance(mask, tf.RaggedTensor):
        mask = tf.convert_to_tensor(mask)
    if mask.dtype != tf.bool:
        raise TypeError(f"{what} is of {mask.dtype.name}; expected bool")
    if mask.shape.rank is None:
        raise ValueError(f"{what} is of unknown rank")
    return mask


@for_structs(tf.boolean_mask, tf.compat.v1.boolean_mask, tensor=StructuredTensor)
def _boolean_mask(tensor, mask, axis=None):
    """A mask of several axes keeps these axes. Along an inner axis, all rows keep the same positions."""
    mask = _booleans(mask, "tf.boolean_mask: the mask")
    axis = axis_of(0 if axis is None else axis, tensor.rank, "tf.boolean_mask")
    if mask.shape.rank == 0:
        raise ValueError("tf.boolean_mask: the mask is a scalar; it needs an axis")
    if axis == 0:
        if mask.shape.rank > 1:
            splits, values = own_splits(mask)
            mask = in_rows(values, splits)
        return tensor[mask]
    if mask.shape.rank > 1:
        raise ValueError(f"tf.boolean_mask: a mask of shape {mask.shape} along axis {axis}; expected a vector there")
    splits = all_splits(tensor)[axis]
    size, rows = tf.size(mask, tf.int64), tf.size(splits, tf.int64) - 1
    problem = f"tf.boolean_mask: the mask has other booleans than one for each value of the rows of axis {axis}"
    check = tf.debugging.assert_equal(lengths_of(splits), size, problem)
    kept = tf.where(after([check], mask))[:, 0]
    positions = tf.reshape(tf.range(rows)[:, None] * size + kept, [-1])
    return with_values(tensor, axis, tf.range(rows + 1) * tf.size(kept, tf.int64), positions)


@for_structs(tf.where, tf.compat.v1.where, condition=StructuredTensor, x=StructuredTensor, y=StructuredTensor)
def _where(condition, x=None, y=None):
    """The condition has the first axes of x and y, and chooses the values in them. A scalar one chooses
    between x and y as they are. Nothing is broadcast."""
    condition = _booleans(condition, "tf.where: the condition")
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, StructuredTensor):
            raise TypeError(f"tf.where: {name} is not structs, but the other one is; found {type(value).__name__}")
    axes = condition.shape.rank
    if x.rank != y.rank or axes > x.rank:
        raise ValueError(
            f"tf.where: the condition has {axes} axes, x has {x.rank} and y has {y.rank}; x and y need equally many, and the "
            "condition no more"
        )
    same_fields([x, y], "tf.where")
    if axes == 0:
        both = concat_outer([StructuredTensor(all_splits(value), value._flat_fields) for value in (x, y)])
        return both[tf.where(condition, 0, 1)]
    found, condition = _all_splits_of(condition)
    splits = all_splits(x)
    checks = []
    for name, value in (("x", splits), ("y", all_splits(y))):
        checks += _same_axes(value[:axes], found, f"tf.where: {name} has other rows than the condition")
    condition = after(checks, condition)
    count = tf.size(condition, tf.int64)
    positions = tf.range(count) + tf.where(condition, tf.zeros([], tf.int64), count)
    return under(splits[:axes], concat_outer([values_of(x, axes - 1), values_of(y, axes - 1)])._take(positions))


# --- Ranges


@for_structs(tf.slice, input_=StructuredTensor)
def _slice(input_, begin, size):
    """Axes without numbers stay whole. A row of an axis after the first gives the positions that it has."""
    bounds = {}
    for name, bound in (("begin", begin), ("size", size)):
        bound = tf.convert_to_tensor(bound)
        if bound.shape.rank != 1 or bound.shape[0] is None or not (bound.dtype.is_integer or bound.shape[0] == 0):
            raise ValueError(
                f"tf.slice: {name} is a vector of integers of a known size; found {bound.dtype.name} of shape {bound.shape}"
            )
        bounds[name] = tf.cast(bound, tf.int64)
    begin, size = bounds["begin"], bounds["size"]
    if begin.shape[0] != size.shape[0] or begin.shape[0] > input_.rank:
        raise ValueError(
            f"tf.slice: begin has {begin.shape[0]} numbers and size {size.shape[0]}, and the structs have {input_.rank} axes"
        )
    if begin.shape[0] == 0:
        return input_
    rows = input_.nrows()
    begin = after(
        [
            tf.debugging.assert_non_negative(begin, "tf.slice: begin must not be negative"),
            tf.debugging.assert_greater_equal(size, tf.constant(-1, tf.int64), "tf.slice: -1 is the only negative size"),
            tf.debugging.assert_less_equal(
                begin[0] + tf.maximum(size[0], 0), rows, "tf.slice: the range reaches beyond the rows of axis 0"
            ),
        ],
        begin,
    )
    limits = tf.where(size < 0, tf.int64.max, begin + size)
    return input_[tuple(slice(begin[axis], limits[axis]) for axis in range(begin.shape[0]))]
