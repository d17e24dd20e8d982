"""Array operations on structs, and the functions of TensorFlow that accept structs."""

import collections.abc
import functools
import typing

import numpy as np
import tensorflow as tf

from ._api import for_structs
from ._columns import in_rows, lengths_of, merge_splits, own_splits, rows_of, same_splits, splits_of_lengths
from ._type import StructuredTensor, field_of


def _of_structs(value, what):
    if not isinstance(value, StructuredTensor):
        raise TypeError(f"{what}: expected a structtensor.tf.StructuredTensor, found {type(value).__name__}")
    return value


def axis_of(axis, rank, what):
    """The number of the axis, which may be negative or a tensor. Raises ValueError unless structs of this rank have it."""
    static = tf.get_static_value(axis) if tf.is_tensor(axis) else axis
    if static is None:
        raise ValueError(f"{what}: the axis is a tensor whose value is not known while the function is traced")
    axis = int(static)
    if not -rank <= axis < rank:
        raise ValueError(f"{what}: axis {axis} of structs with {rank} axes")
    return axis + rank if axis < 0 else axis


def all_splits(structs):
    """The row splits of all axes. Those of the first axis are one row that has everything, so that it is like the others: value
    j of axis k is in the row i of the axis for which splits[k][i] <= j < splits[k][i + 1]."""
    return [tf.stack([0, structs.nrows()]), *structs.row_splits] if structs.rank > 0 else []


def under(splits, rows):
    """The rows under the axes of these splits. The first splits are those of the first axis."""
    every = (*splits, *rows.row_splits)
    return StructuredTensor(every[1:], rows._flat_fields, len(every))


def values_of(structs, axis):
    """The values of an axis, one after the other: structs of rank 1 or more."""
    return StructuredTensor(structs.row_splits[axis:], structs._flat_fields)


def with_values(structs, axis, splits, positions):
    """The structs with the values at these positions of an axis, in the rows of these splits."""
    return under([*all_splits(structs)[:axis], splits], values_of(structs, axis)._take(positions))


def after(checks, value):
    """The value, once the checks have passed."""
    with tf.control_dependencies([check for check in checks if check is not None]):
        return tf.identity(value)


def same_fields(values, what, path=()):
    """Raises ValueError unless all values have the same fields."""
    names = values[0].field_names()
    here = ".".join(path) or "the structs"
    for value in values[1:]:
        if value._own_type() != values[0]._own_type():
            raise ValueError(f"{what}: {here}: the types differ: {values[0].own_spec()!r} and {value.own_spec()!r}")
        if set(value.field_names()) != set(names):
            raise ValueError(f"{what}: {here}: the fields {sorted(names)} and {sorted(value.field_names())}")
    for name in names:
        fields = [value._flat_fields[name] for value in values]
        kinds = {isinstance(field, StructuredTensor) for field in fields}
        if len(kinds) > 1:
            raise ValueError(f"{what}: {'.'.join((*path, name))} is a struct in one value, and none in another")
        if kinds == {True}:
            if len({len(field.row_splits) for field in fields}) > 1:
                raise ValueError(f"{what}: {'.'.join((*path, name))} has different numbers of axes")
            same_fields(fields, what, (*path, name))


def _concat_splits(all_splits):
    """The row splits of the rows of all values, one value after the other."""
    ends, base = [all_splits[0]], all_splits[0][-1]
    for splits in all_splits[1:]:
        ends.append(splits[1:] + base)
        base = base + splits[-1]
    return tf.concat(ends, 0)


def _concat_columns(columns):
    ragged_rank = max(column.ragged_rank if isinstance(column, tf.RaggedTensor) else 0 for column in columns)
    if ragged_rank == 0:
        return tf.concat(columns, 0)
    # Dense axes of equal sizes are kept after the ragged axes.
    dense = [column.shape[1 + ragged_rank :] for column in columns]
    same = all(sizes.is_fully_defined() and sizes == dense[0] for sizes in dense)
    parts = [own_splits(column, ragged_rank if same else None) for column in columns]
    return tf.concat([in_rows(values, splits) for splits, values in parts], 0)


def _concat_flat(values):
    """The columns with the flat rows of all values, one value after the other."""
    fields = {}
    for name in values[0]._flat_fields:
        columns = [value._flat_fields[name] for value in values]
        fields[name] = concat_outer(columns) if isinstance(columns[0], StructuredTensor) else _concat_columns(columns)
    return fields


def concat_outer(values):
    splits = [_concat_splits(each) for each in zip(*(value.row_splits for value in values))]
    return StructuredTensor(splits, _concat_flat(values))


def concat(values, axis=0):
    """Joins the values one after the other along an axis. All values have the same fields and the same other axes.

    Raises ValueError if there are no values, their fields differ, or they do not have the axis.
    """
    values = [_of_structs(value, "concat") for value in values]
    if not values:
        raise ValueError("concat: there are no values")
    rank = values[0].rank
    if any(value.rank != rank for value in values):
        raise ValueError(f"concat: the values must have the same rank, but the ranks are {[value.rank for value in values]}")
    if rank == 0:
        raise ValueError("concat: scalar structs have no axes; stack() puts them into one")
    axis = axis_of(axis, rank, "concat")
    same_fields(values, "concat")
    together = concat_outer(values)
    if axis == 0:
        return together
    # The positions of the rows of that axis: for each outer row, those of the first value, then of the second one, and so on.
    positions, base = [], tf.constant(0, tf.int64)
    for value in values:
        splits = value.row_splits[:axis]
        positions.append(in_rows(tf.range(base, base + splits[-1][-1]), splits))
        base = base + splits[-1][-1]
    checks = [
        check
        for value in values[1:]
        for i, (splits, first) in enumerate(zip(value.row_splits[: axis - 1], values[0].row_splits))
        for check in same_splits(splits, first, f"concat: other rows along axis {i + 1}")
    ]
    checks += [
        tf.debugging.assert_equal(value.nrows(), values[0].nrows(), "concat: other rows along axis 0") for value in values[1:]
    ]
    with tf.control_dependencies([check for check in checks if check is not None]):
        order = tf.concat(positions, axis)
    below = StructuredTensor(together.row_splits[axis:], together._flat_fields)._take(order.flat_values)
    return StructuredTensor((*(tf.cast(s, tf.int64) for s in order.nested_row_splits), *below.row_splits), below._flat_fields)


def stack(values, axis=0):
    """Puts the values side by side along a new axis. Raises the errors of concat()."""
    values = [_of_structs(value, "stack") for value in values]
    if not values:
        raise ValueError("stack: there are no values")
    axis = axis_of(axis, values[0].rank + 1, "stack")
    return concat([expand_dims(value, axis) for value in values], axis)


def expand_dims(value, axis):
    """Adds an axis with one value in each row, before `axis`."""
    _of_structs(value, "expand_dims")
    axis = axis_of(axis, value.rank + 1, "expand_dims")
    if axis == 0:
        if value.rank == 0:
            return StructuredTensor((), value._flat_fields)
        return StructuredTensor((tf.stack([0, value.nrows()]), *value.row_splits), value._flat_fields)
    return value[(*[slice(None)] * axis, None)]


def merge_dims(value, outer_axis, inner_axis):
    """Merges the axes from outer_axis to inner_axis into one axis."""
    _of_structs(value, "merge_dims")
    outer, inner = (axis_of(axis, value.rank, "merge_dims") for axis in (outer_axis, inner_axis))
    if outer > inner:
        raise ValueError(f"merge_dims: axis {outer_axis} is inside of axis {inner_axis}")
    splits = list(value.row_splits)
    if outer == 0:
        splits = splits[inner:]
    elif outer < inner:
        splits[outer - 1 : inner] = [merge_splits(splits[outer - 1 : inner])]
    return StructuredTensor(splits, value._flat_fields)


def partition_outer_dimension(value, row_partition):
    """Groups the rows: the result has one more axis in front.

    row_partition: a tf.experimental.RowPartition, or its row splits

    Raises tf.errors.InvalidArgumentError for splits that do not start at 0, decrease, or do not end at the number of rows.
    """
    return _partitioned(value, row_partition, "partition_outer_dimension")


def from_row_splits(values, row_splits):
    """The rows of these splits with structs as their values: values.partition_outer_dimension(row_splits).

    values      structs with at least one axis
    row_splits  an int32 or int64 vector, which starts at 0, does not decrease, and ends at the number of values

    Raises TypeError for other values, and the errors of partition_outer_dimension().
    """
    return _partitioned(values, row_splits, "from_row_splits")


def _partitioned(value, row_partition, what):
    _of_structs(value, what)
    if value.rank == 0:
        raise ValueError(f"{what}: a scalar struct has no axis")
    if isinstance(row_partition, tf.experimental.RowPartition):
        row_partition = row_partition.row_splits()
    row_splits = tf.convert_to_tensor(row_partition)
    if not row_splits.dtype.is_integer or row_splits.shape.rank not in (None, 1):
        raise TypeError(
            f"{what}: expected a vector of integers as row splits, found {row_splits.dtype.name} of shape {row_splits.shape}"
        )
    row_splits = tf.cast(row_splits, tf.int64)
    checks = [
        tf.debugging.assert_equal(row_splits[0], tf.constant(0, tf.int64), "the row splits begin with 0"),
        tf.debugging.assert_equal(row_splits[-1], value.nrows(), "the row splits end with the number of rows"),
        tf.debugging.assert_non_negative(row_splits[1:] - row_splits[:-1], "the row splits do not decrease"),
    ]
    with tf.control_dependencies([check for check in checks if check is not None]):
        return StructuredTensor((tf.identity(row_splits), *value.row_splits), value._flat_fields)


def from_fields(fields, rank=None, shape=None, nrows=None, row_partitions=None):
    """The structs with these fields: a dict from names to values that start with the `rank` axes of the structs.

    rank            the number of axes of the structs. Default: what shape or row_partitions say, otherwise 1
    shape           the sizes of the axes; None for a ragged axis, or for a size that is not known
    nrows           the number of rows of axis 0
    row_partitions  a tf.experimental.RowPartition for each axis after the first

    Sizes and partitions of fields are checked. Structs without fields need nrows or the size of axis 0, and for the axes after
    it, their sizes or row_partitions.

    Raises ValueError for fields with too few axes, and where rank, shape and row_partitions do not agree;
    tf.errors.InvalidArgumentError for fields whose rows differ, or are not as given.
    """
    rank, sizes, partitions = _given_axes(rank, shape, row_partitions)
    if rank == 0 and nrows is not None:
        raise ValueError(f"a scalar struct has no rows; found nrows={nrows}")
    if sizes and sizes[0] is not None:
        problem = f"nrows is not the size of axis 0 in shape={sizes}"
        check = (
            None if nrows is None else tf.debugging.assert_equal(tf.cast(nrows, tf.int64), tf.cast(sizes[0], tf.int64), problem)
        )
        nrows = after([check], tf.constant(sizes[0], tf.int64))
    if not isinstance(fields, collections.abc.Mapping):
        raise TypeError(f"fields: expected a dict from names to values, found {type(fields).__name__}")
    columns = {}
    for name, value in fields.items():
        if not isinstance(name, str) or not name:
            raise ValueError(f"a field's name must be a non-empty string; found {name!r}")
        value = field_of(value)
        found = value.rank if isinstance(value, StructuredTensor) else value.shape.rank
        if found is None or found < rank:
            raise ValueError(f"the field {name!r} has the rank {found}, and the structs {rank}")
        columns[name] = value
    if not columns:
        return _without_fields(rank, sizes, nrows, partitions)
    if rank == 0:
        columns = {
            name: expand_dims(value, 0) if isinstance(value, StructuredTensor) else tf.expand_dims(value, 0)
            for name, value in columns.items()
        }
    above, checks, flat = None, [], {}
    for name, value in columns.items():
        axes = max(rank - 1, 0)
        if isinstance(value, StructuredTensor):
            splits, flat[name] = value.row_splits, StructuredTensor(value.row_splits[axes:], value._flat_fields)
        elif axes == 0:
            splits, flat[name] = (), value
        else:
            splits, inner = own_splits(value, axes)
            flat[name] = in_rows(inner, splits[axes:])
        if above is None:
            above = splits[:axes]
        problem = f"the field {name!r} has other rows than the fields before it"
        for own, first in zip(splits, above):
            checks += same_splits(own, first, problem)
    rows = [StructuredTensor((), {name: column})._outer_rows() for name, column in flat.items()]
    if nrows is not None:
        found = tf.size(above[0], tf.int64) - 1 if above else rows[0]
        problem = f"the fields {sorted(flat)} have other numbers of rows than nrows"
        checks.append(tf.debugging.assert_equal(found, tf.cast(nrows, tf.int64), problem))
    for own, given in zip(above, partitions):
        checks += same_splits(own, given, f"the fields {sorted(flat)} have other rows than the row partitions")
    checks += _check_sizes(above, sizes)
    checks += [tf.debugging.assert_equal(count, rows[0], "the fields have different numbers of rows") for count in rows[1:]]
    with tf.control_dependencies([check for check in checks if check is not None]):
        return StructuredTensor(above, flat, rank)._map_columns(tf.identity)


def _given_axes(rank, shape, row_partitions):
    """The rank, the sizes of the axes if they are given, and the row splits of the partitions."""
    sizes = None if shape is None else tf.TensorShape(shape).as_list()
    ranks = {
        "rank": rank,
        "shape": None if sizes is None else len(sizes),
        "row_partitions": None if row_partitions is None else 1 + len(row_partitions),
    }
    ranks = {name: found for name, found in ranks.items() if found is not None}
    if len(set(ranks.values())) > 1:
        raise ValueError("; ".join(f"{name} is for structs of rank {found}" for name, found in ranks.items()))
    rank = next(iter(ranks.values()), 1)
    if rank < 0:
        raise ValueError(f"there are no structs of rank {rank}")
    return rank, sizes, [tf.cast(partition.row_splits(), tf.int64) for partition in row_partitions or ()]


def _check_sizes(row_splits, sizes):
    """The checks that the rows of the axes after the first have these sizes."""
    return [
        tf.debugging.assert_equal(lengths_of(splits), tf.constant(size, tf.int64), f"axis {axis} has rows not of size {size}")
        for axis, (splits, size) in enumerate(zip(row_splits, (sizes or ())[1:]), 1)
        if size is not None
    ]


def _without_fields(rank, sizes, nrows, partitions):
    if rank == 0:
        return StructuredTensor._of((), {}, lambda: 1, 0)
    checks = _check_sizes(partitions, sizes)
    if partitions:
        if nrows is not None:
            found = tf.size(partitions[0], tf.int64) - 1
            checks.append(
                tf.debugging.assert_equal(found, tf.cast(nrows, tf.int64), "row_partitions have other rows than nrows")
            )
    elif nrows is None or None in (sizes or [None] * rank)[1:]:
        raise ValueError("structs without fields need nrows, and for the axes after the first their sizes or row_partitions")
    else:
        count = tf.cast(nrows, tf.int64)
        for size in (sizes or ())[1:]:
            partitions.append(tf.range(count + 1) * size)
            count *= size
    flat_rows = partitions[-1][-1] if partitions else tf.cast(nrows, tf.int64)
    return StructuredTensor._of(partitions, {}, lambda: after(checks, flat_rows))


# --- TensorFlow's functions

StructuredTensor.from_fields = staticmethod(from_fields)
StructuredTensor.from_row_splits = staticmethod(from_row_splits)
StructuredTensor.merge_dims = merge_dims
StructuredTensor.partition_outer_dimension = partition_outer_dimension


_Structs = typing.Union[StructuredTensor]
_Number = typing.Union[tf.Tensor, np.ndarray, np.generic, int, float, bool, complex, str, bytes]


def _each(function, structs, others=(), path=()):
    """The structs with the results of `function` for each column and for the columns of the same name in `others`."""
    fields = {}
    for name in structs.field_names():
        field, rest = structs._flat_fields[name], [other._flat_fields[name] for other in others]
        here = (*path, name)
        if isinstance(field, StructuredTensor):
            fields[name] = _each(function, field, rest, here)
        else:
            try:
                fields[name] = function(field, *rest)
            except (TypeError, ValueError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as problem:
                text = getattr(problem, "message", None) or str(problem)
                raise TypeError(f"the field {'.'.join(here)}: {text}") from problem
    return structs._with_fields(fields)


@tf.experimental.dispatch_for_unary_elementwise_apis(StructuredTensor)
def _unary(api, x):
    return _each(api, x)


@tf.experimental.dispatch_for_binary_elementwise_apis(StructuredTensor, StructuredTensor)
def _binary(api, x, y):
    if x.rank != y.rank:
        raise ValueError(f"structs of rank {x.rank} and of rank {y.rank}")
    same_fields([x, y], api.__name__)
    checks = _same_rows(x, y, api.__name__)
    if x.rank == 1 and (x.shape[0] is None or x.shape[0] != y.shape[0]):
        problem = f"{api.__name__}: the structs: other rows in one value than in the other"
        checks.append(tf.debugging.assert_equal(y._flat_rows(), x._flat_rows(), problem))
    with tf.control_dependencies([check for check in checks if check is not None]):
        return _each(api, x, [y])


def _same_rows(x, y, what, path=()):
    """The checks, for tf.control_dependencies(), that values with the same fields have the same row splits at every level. The
    functions that are applied to their columns cannot see that."""
    checks = []
    problem = f"{what}: {'.'.join(path) or 'the structs'}: other rows in one value than in the other"
    for splits, expected in zip(y.row_splits, x.row_splits):
        checks += same_splits(splits, expected, problem)
    for name in x.field_names():
        field, other, here = x._flat_fields[name], y._flat_fields[name], (*path, name)
        if isinstance(field, StructuredTensor):
            checks += _same_rows(field, other, what, here)
            continue
        if field.shape.rank != other.shape.rank:
            shapes = f"{field.shape} and {other.shape}"
            raise ValueError(f"{what}: {'.'.join(here)}: the shapes {shapes} have different numbers of axes")
        if isinstance(field, tf.RaggedTensor) and isinstance(other, tf.RaggedTensor):
            problem = f"{what}: {'.'.join(here)}: other rows in one value than in the other"
            for splits, expected in zip(other.nested_row_splits, field.nested_row_splits):
                checks += same_splits(splits, expected, problem)
    return checks


@tf.experimental.dispatch_for_binary_elementwise_apis(StructuredTensor, _Number)
def _binary_with_number(api, x, y):
    _check_scalar(y)
    return _each(functools.partial(_with_scalar, api, y, False), x)


@tf.experimental.dispatch_for_binary_elementwise_apis(_Number, StructuredTensor)
def _binary_of_number(api, x, y):
    _check_scalar(x)
    return _each(functools.partial(_with_scalar, api, x, True), y)


def _check_scalar(scalar):
    shape = scalar.shape if tf.is_tensor(scalar) else np.shape(scalar)
    if len(shape) != 0:
        raise ValueError(f"structs can be combined only with a scalar; found the shape {shape}")


def _with_scalar(api, scalar, first, column):
    scalar = tf.convert_to_tensor(scalar, None if tf.is_tensor(scalar) else column.dtype)
    return api(scalar, column) if first else api(column, scalar)


def _reduced(reduce, structs, axis, keepdims):
    """Reduces each field along axes of the structs. The other axes of the structs are the axes of the result."""
    if structs.rank == 0:
        raise ValueError("a scalar struct has no axes")
    _check_that_fields_are_left(structs, ())
    axes = range(structs.rank) if axis is None else np.atleast_1d(axis).tolist()
    axes = sorted({axis_of(int(axis), structs.rank, "reduction") for axis in axes})
    if not axes:
        return _each(lambda column: tf.ragged.map_flat_values(lambda values: reduce(values, axis=[]), column), structs)
    reduced = from_fields(_reduce_fields(reduce, structs, structs.row_splits, axes, ()), structs.rank - len(axes))
    # If there are no rows, TensorFlow's keepdims leaves axes of size 1 or of size 0, depending on the field's own axes.
    for axis in axes if keepdims else ():
        reduced = expand_dims(reduced, axis)
    return reduced


def _check_that_fields_are_left(structs, path):
    if not structs.field_names():
        raise ValueError(
            f"{'.'.join(path) or 'the structs'}: structs without fields have nothing to reduce; "
            + ("leave them out: rows.without([...])" if path else "add a field first: rows.with_updates({...})")
        )
    for name in structs.field_names():
        if isinstance(structs._flat_fields[name], StructuredTensor):
            _check_that_fields_are_left(structs._flat_fields[name], (*path, name))


def _reduce_fields(reduce, structs, splits, axes, path):
    fields = {}
    for name in structs.field_names():
        field, here = structs._flat_fields[name], (*path, name)
        if isinstance(field, StructuredTensor):
            inner = _reduce_fields(reduce, field, (*splits, *field.row_splits), axes, here)
            fields[name] = from_fields(inner, 1 + len(splits) + len(field.row_splits) - len(axes))
            continue
        try:
            fields[name] = reduce(in_rows(field, splits), axis=axes if len(axes) > 1 else axes[0])
        except (TypeError, ValueError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as problem:
            text = getattr(problem, "message", None) or str(problem)
            raise TypeError(f"the field {'.'.join(here)}: {text}") from problem
    return fields


def _dispatch_reduction(api):
    @for_structs(api, input_tensor=StructuredTensor)
    def reduction(input_tensor, axis=None, keepdims=False):
        return _reduced(api, input_tensor, axis, keepdims)


for _api in (tf.reduce_sum, tf.reduce_prod, tf.reduce_mean, tf.reduce_min, tf.reduce_max, tf.reduce_any, tf.reduce_all,
             tf.math.reduce_variance, tf.math.reduce_std):  # fmt: skip
    _dispatch_reduction(_api)


@for_structs(tf.concat, values=typing.List[StructuredTensor])
def _concat(values, axis):
    return concat(values, axis)


@for_structs(tf.stack, values=typing.List[StructuredTensor])
def _stack(values, axis=0):
    return stack(values, axis)


@for_structs(tf.expand_dims, input=StructuredTensor)
def _expand_dims(input, axis):
    return expand_dims(input, axis)


@for_structs(tf.size, tf.compat.v1.size, input=StructuredTensor)
def _size(input, out_type=None, name=None):
    return tf.cast(input._flat_rows(), out_type or tf.int32, name=name)


@for_structs(tf.rank, input=StructuredTensor)
def _rank(input, name=None):
    return tf.constant(input.rank, name=name)


@for_structs(tf.shape, tf.compat.v1.shape, input=StructuredTensor)
def _shape(input, out_type=None):
    """A tensor for structs of rank 0 and 1, and a DynamicRaggedShape for others. The default of out_type is the document's."""
    out_type = out_type or tf.int32
    if input.rank == 0:
        return tf.zeros([0], out_type)
    if not input.row_splits:
        return tf.cast(input.nrows()[None], out_type)
    partitions = [tf.experimental.RowPartition.from_row_splits(splits, validate=False) for splits in input.row_splits]
    return tf.experimental.DynamicRaggedShape(partitions, inner_shape=[partitions[-1].nvals()], dtype=tf.int64).with_dtype(
        out_type
    )


@for_structs(tf.unstack, value=StructuredTensor)
def _unstack(value, num=None, axis=0):
    axis = axis_of(axis, value.rank, "tf.unstack")
    lengths = lengths_of(all_splits(value)[axis])
    if num is None:
        num = value.shape[0] if axis == 0 else _length_of_rows(lengths, axis)
    if num is None and tf.executing_eagerly():
        num = int(value.nrows())
    if num is None:
        raise ValueError("tf.unstack: the number of rows is unknown; pass it as num")
    problem = f"tf.unstack: num is {num}, and the number of rows is another one"
    if axis > 0:
        problem = f"tf.unstack: num is {num}, and a row of axis {axis} has another number of values"
    check = tf.debugging.assert_equal(lengths, tf.constant(num, tf.int64), problem)
    with tf.control_dependencies([] if check is None else [check]):
        return [value[(*[slice(None)] * axis, i)] for i in range(num)]


def _length_of_rows(lengths, axis):
    """The length that all rows of an inner axis have, outside of graphs."""
    if not tf.executing_eagerly() or tf.size(lengths) == 0:
        raise ValueError(f"tf.unstack: how many values the rows of axis {axis} have is unknown; pass it as num")
    lengths = np.unique(lengths)
    if len(lengths) > 1:
        found = f"between {lengths[0]} and {lengths[-1]} values, not equally many"
        raise ValueError(f"tf.unstack: the rows of axis {axis} have {found}")
    return int(lengths[0])


def _axes_of(axis, structs, what):
    """The numbers of the axes, which are one axis or several."""
    axis = tf.get_static_value(axis) if tf.is_tensor(axis) else axis
    return [axis_of(each, structs.rank, what) for each in np.atleast_1d(axis).tolist()]


@for_structs(tf.reverse, tensor=StructuredTensor)
def _reverse(tensor, axis):
    for each in _axes_of(axis, tensor, "tf.reverse"):
        tensor = tensor[(*[slice(None)] * each, slice(None, None, -1))]
    return tensor


@for_structs(tf.repeat, input=StructuredTensor)
def _repeat(input, repeats, axis=None):
    """repeats: one number for all values of the axis, or one for each position, which all rows of the axis must have."""
    if axis is None:
        raise ValueError("tf.repeat of structs needs an axis")
    axis = axis_of(axis, input.rank, "tf.repeat")
    splits = all_splits(input)[axis]
    repeats = tf.cast(tf.convert_to_tensor(repeats), tf.int64)
    count, size = splits[-1], tf.size(repeats, tf.int64)
    if repeats.shape.rank == 0 or repeats.shape == [1]:
        repeats = tf.fill([count], tf.reshape(repeats, []))
    else:
        problem = f"tf.repeat: the rows of axis {axis} have other lengths than repeats"
        check = tf.debugging.assert_equal(lengths_of(splits), size, problem)
        repeats = tf.tile(after([check], repeats), [tf.size(splits) - 1])
    splits = tf.gather(splits_of_lengths(repeats), splits)
    return with_values(input, axis, splits, tf.repeat(tf.range(count), repeats))


@for_structs(tf.tile, input=StructuredTensor)
def _tile(input, multiples):
    counts = [int(count) for count in np.asarray(multiples).reshape(-1)]
    if len(counts) != input.rank or any(count < 0 for count in counts):
        raise ValueError(f"tf.tile: multiples {counts} for {input.rank} axes")
    for axis, count in reversed(list(enumerate(counts))):
        empty = input[(*[slice(None)] * axis, slice(0, 0))]
        input = concat([input] * count, axis) if count > 0 else empty
    return input


@for_structs(tf.roll, input=StructuredTensor)
def _roll(input, shift, axis):
    """Each row of a ragged axis rolls by itself."""
    axes, shifts = _axes_of(axis, input, "tf.roll"), tf.unstack(tf.reshape(tf.cast(shift, tf.int64), [-1]))
    if len(axes) != len(shifts):
        raise ValueError(f"tf.roll: {len(shifts)} shifts for {len(axes)} axes")
    for each, places in zip(axes, shifts):
        splits = all_splits(input)[each]
        rows = rows_of(splits)
        starts, lengths = tf.gather(splits, rows), tf.gather(lengths_of(splits), rows)
        positions = starts + tf.math.floormod(tf.range(splits[-1]) - starts - places, lengths)
        input = with_values(input, each, splits, positions)
    return input


@for_structs(tf.random.shuffle, value=StructuredTensor)
def _shuffle(value, seed=None):
    if value.rank == 0:
        raise ValueError("tf.random.shuffle: a scalar struct has no axis")
    return value[tf.random.shuffle(tf.range(value.nrows()), seed)]


@for_structs(tf.squeeze, tf.compat.v1.squeeze, input=StructuredTensor)
def _squeeze(input, axis=None, squeeze_dims=None):
    """Without an axis, takes out the first axes as long as they have one row. Axes after one with several rows are ragged and
    stay, even if all rows have one value."""
    if axis is not None and squeeze_dims is not None:
        raise ValueError("tf.squeeze: both axis and squeeze_dims are given; they are two names for the same argument")
    axis = squeeze_dims if axis is None else axis
    if axis is None or np.size(axis) == 0:
        return _without_first_axes_of_one_row(input)
    for each in sorted(set(_axes_of(axis, input, "tf.squeeze")), reverse=True):
        lengths = lengths_of(all_splits(input)[each])
        check = tf.debugging.assert_equal(
            lengths, tf.ones_like(lengths), f"tf.squeeze: axis {each} has rows of other lengths than 1"
        )
        with tf.control_dependencies([] if check is None else [check]):
            input = input[(*[slice(None)] * each, 0)]
    return input


def _without_first_axes_of_one_row(structs):
    for axis in range(structs.rank):
        if structs.shape[0] is None:
            raise ValueError(
                f"tf.squeeze: the number of rows of axis {axis} is unknown while the function is traced; pass the axis"
            )
        if structs.shape[0] != 1:
            break
        structs = structs._without_outer_axis()
    return structs
