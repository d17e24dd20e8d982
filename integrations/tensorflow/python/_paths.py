"""Operations on field paths. Names and meaning are the same as in structtensor."""

import collections.abc

import tensorflow as tf

from ._columns import (
    count_rows,
    flat_values,
    in_rows,
    lengths_of,
    merge_splits,
    own_splits,
    parse_path,
    path_text,
    rows_of,
    same_splits,
    splits_of_lengths,
)
from ._type import StructuredTensor, field_of


def _fields(structs):
    return {name: structs._flat_fields[name] for name in structs.field_names()}


def _structs_at(structs, names):
    """The structs on the way to the path: from the outermost structs to the structs at the path."""
    chain = [structs]
    for i, name in enumerate(names):
        field = chain[-1]._column(name)
        if not isinstance(field, StructuredTensor):
            raise ValueError(f"the field {path_text(names[: i + 1])} is not a struct, so {path_text(names)} has no field")
        chain.append(field)
    return chain


def _edit(structs, names, change):
    """Replaces the structs at the path by the result of `change` for them. All else is shared."""
    chain = _structs_at(structs, names)
    changed = change(chain[-1])
    for structs, name in zip(reversed(chain[:-1]), reversed(names)):
        changed = structs._with_fields({**_fields(structs), name: changed})
    return changed


def _with_field(structs, names, new_name, field):
    if not isinstance(new_name, str) or not new_name:
        raise ValueError(f"a field's name must be a non-empty string; found {new_name!r}")
    return _edit(structs, names, lambda parent: parent._with_fields({**_fields(parent), new_name: field}))


def _field_path(path):
    names = parse_path(path)
    if not names:
        raise ValueError("the path is empty; expected that of a field")
    return names


def _column_at(structs, names):
    """The structs that have the field, and the field."""
    parent = _structs_at(structs, names[:-1])[-1]
    return parent, parent._column(names[-1])


def _take(field, rows):
    return field._take(rows) if isinstance(field, StructuredTensor) else tf.gather(field, rows)


def _axes_of(field, axes=None):
    """The splits of the field's own axes, or of the first `axes` ones."""
    return list(field.row_splits if isinstance(field, StructuredTensor) else own_splits(field, axes)[0])[:axes]


def _below(field, axes):
    """The field without its first `axes` own axes: the values in them, one row after the other."""
    if isinstance(field, StructuredTensor):
        return StructuredTensor(field.row_splits[axes:], field._flat_fields)
    splits, inner = own_splits(field, axes)
    return in_rows(inner, splits[axes:])


def _under(row_splits, field):
    """The field with more axes of its own, before those that it has."""
    if isinstance(field, StructuredTensor):
        return StructuredTensor((*row_splits, *field.row_splits), field._flat_fields)
    return in_rows(field, row_splits)


def promote(structs, source, target):
    """Copies the field `source` to the path `target` in a struct further out, as one list for each struct there."""
    names, new = _field_path(source), _field_path(target)
    outer = new[:-1]
    if len(names) < 2 or names[: len(outer)] != outer or len(outer) > len(names) - 2:
        raise ValueError(
            f"{path_text(names)} cannot be promoted to {path_text(new)}; a field moves outward, into a struct around the one "
            "that it is in"
        )
    chain = _structs_at(structs, names[:-1])
    field = chain[-1]._column(names[-1])
    splits = [row_splits for inner in chain[len(outer) + 1 :] for row_splits in inner.row_splits]
    if splits:
        own = _axes_of(field, 1)
        field = _under([merge_splits([*splits, *own])], _below(field, len(own)))
    return _with_field(structs, outer, new[-1], field)


def broadcast(structs, source, target):
    """Copies the field `source` to the path `target` in the structs inside those of the field."""
    names, new = _field_path(source), _field_path(target)
    parent, inner = names[:-1], new[:-1]
    if inner[: len(parent)] != parent or len(inner) == len(parent):
        raise ValueError(
            f"{path_text(names)} cannot be broadcast to {path_text(new)}; a field is copied inward, into a struct inside the "
            "one that it is in"
        )
    field = _column_at(structs, names)[1]
    chain = _structs_at(structs, inner)
    splits = [row_splits for below in chain[len(parent) + 1 :] for row_splits in below.row_splits]
    if splits:
        merged = merge_splits(splits)
        field = _take(field, rows_of(merged))
    return _with_field(structs, inner, new[-1], field)


def reroot(structs, path):
    """The structs at the path, as rows."""
    found = _structs_at(structs, parse_path(path))[-1]
    return StructuredTensor((), found._flat_fields)


def with_updates(structs, updates=None, /, **fields):
    """Changes, adds and removes fields, which are named by keywords, or by paths in a dict: to values with the axes of the
    structs, functions of fields, or None."""
    updates = {} if updates is None else updates
    if not isinstance(updates, collections.abc.Mapping):
        raise TypeError(f"updates: expected a dict from paths to values, found {type(updates).__name__}")
    changes = {_field_path(path): change for path, change in updates.items()} | {
        (name,) if name in structs.fields or "." not in name else _field_path(name): change for name, change in fields.items()
    }
    if len(changes) != len(updates) + len(fields):
        raise ValueError("a field is changed twice")
    for names in changes:
        for other in changes:
            if names != other and names == other[: len(names)]:
                raise ValueError(
                    f"{path_text(names)} and {path_text(other)} inside it are both updated; update one after the other"
                )
    results = {}
    for names, change in changes.items():
        if not names[-1]:
            raise ValueError("updates: a field's name must not be empty")
        parent = _structs_at(structs, names[:-1])[-1]
        if change is None or callable(change):
            parent._column(names[-1])
        if callable(change):
            change = change(structs[names])
        results[names] = change if change is None else _without_axes(structs, names, change)
    for names, field in results.items():

        def change(parent, name=names[-1], field=field):
            fields = _fields(parent)
            if field is None:
                del fields[name]
            else:
                fields[name] = field
            return parent._with_fields(fields)

        structs = _edit(structs, names[:-1], change)
    return structs


def _without_axes(structs, names, value):
    """Turns a value that starts with the axes of its future structs into a column of their flat rows."""
    chain = _structs_at(structs, names[:-1])
    splits = [row_splits for inner in chain for row_splits in inner.row_splits]
    value = field_of(value)
    if structs.rank == 0:
        value = _with_outer_axis(value)
    if isinstance(value, StructuredTensor):
        if value.rank < 1 + len(splits):
            raise ValueError(f"{path_text(names)}: structs of rank {value.rank} for structs of rank {1 + len(splits)}")
        found, rest = value.row_splits[: len(splits)], StructuredTensor(value.row_splits[len(splits) :], value._flat_fields)
    else:
        own, inner = own_splits(value, len(splits)) if splits else ([], value)
        if (value.shape.rank or 0) < 1 + len(splits):
            raise ValueError(f"{path_text(names)}: a value of shape {value.shape} for structs of rank {1 + len(splits)}")
        found, rest = own[: len(splits)], in_rows(inner, own[len(splits) :])
    checks = []
    for axis, (expected, splits_found) in enumerate(zip(splits, found)):
        problem = f"{path_text(names)}: the value has other rows than the structs along axis {axis + 1}"
        checks += same_splits(splits_found, expected, problem)
    flat_rows = chain[-1]._flat_rows()
    rows = rest._outer_rows() if isinstance(rest, StructuredTensor) else count_rows(rest)
    checks.append(tf.debugging.assert_equal(rows, flat_rows, f"{path_text(names)}: the value has other rows than the structs"))
    with tf.control_dependencies([check for check in checks if check is not None]):
        return rest._map_columns(tf.identity) if isinstance(rest, StructuredTensor) else tf.identity(rest)


def _with_outer_axis(value):
    if not isinstance(value, StructuredTensor):
        return tf.expand_dims(value, 0)
    if value.rank == 0:
        return StructuredTensor((), value._flat_fields)
    return StructuredTensor((tf.stack([0, value.nrows()]), *value.row_splits), value._flat_fields)


def apply(structs, sources, target, function):
    """Adds the field `target`: the result of the function for the fields `sources`, which are one path or a list."""
    fields = [structs[_field_path(source)] for source in ([sources] if isinstance(sources, (str, tuple)) else sources)]
    return with_updates(structs, {_field_path(target): function(*fields)})


def map_values(structs, path, new_name, function):
    """Adds a field beside the field at the path, with the same rows: the result of the function for its elements."""
    names = _field_path(path)
    field = _column_at(structs, names)[1]
    if isinstance(field, StructuredTensor):
        raise ValueError(f"{path_text(names)} is a struct, and has no elements of its own")
    inner = flat_values(field)
    values = tf.reshape(inner, [-1])
    result = tf.convert_to_tensor(function(values))
    problem = f"{path_text(names)}: the function returned another number of rows"
    check = tf.debugging.assert_equal(tf.shape(result)[0], tf.shape(values)[0], problem)
    with tf.control_dependencies([] if check is None else [check]):
        # The dense axes of the field come back.
        shape = inner.shape.concatenate(result.shape[1:])
        result = tf.ensure_shape(tf.reshape(result, tf.concat([tf.shape(inner), tf.shape(result)[1:]], 0)), shape)
        splits = field.nested_row_splits if isinstance(field, tf.RaggedTensor) else ()
        return _with_field(structs, names[:-1], new_name, in_rows(result, splits))


def _field_paths(paths):
    """The paths of fields that are given one by one, or all in one list."""
    if len(paths) == 1 and isinstance(paths[0], list):
        (paths,) = paths
    return [_field_path(path) for path in paths]


def with_only(structs, *paths):
    """Keeps only the fields at these paths, given as arguments or as one list."""
    return _only(structs, _field_paths(paths), ())


def _only(structs, paths, around):
    chosen = {}
    for names in paths:
        field = structs._column(names[0])
        if len(names) > 1 and not isinstance(field, StructuredTensor):
            raise ValueError(f"the field {path_text((*around, names[0]))} is not a struct, so {path_text(names)} has no field")
        chosen.setdefault(names[0], []).append(names[1:])
    fields = {}
    for name, field in _fields(structs).items():
        rest = chosen.get(name)
        if rest is not None:
            fields[name] = field if () in rest else _only(field, rest, (*around, name))
    return structs._with_fields(fields)


def without(structs, *paths):
    """Removes the fields at these paths, given as arguments or as one list."""
    for names in sorted(set(_field_paths(paths)), reverse=True):
        _column_at(structs, names)

        def drop(parent, name=names[-1]):
            return parent._with_fields({other: field for other, field in _fields(parent).items() if other != name})

        structs = _edit(structs, names[:-1], drop)
    return structs


def _lengths(field, parent):
    own = _axes_of(field, 1)
    return lengths_of(own[0]) if own else tf.ones([parent._flat_rows()], tf.int64)


def size_each(structs, path, new_name):
    """Adds a field beside the field at the path: the number of values in each of its rows."""
    names = _field_path(path)
    parent, field = _column_at(structs, names)
    return _with_field(structs, names[:-1], new_name, _lengths(field, parent))


def has(structs, path, new_name):
    """Adds a field beside the field at the path: whether each of its rows has a value."""
    names = _field_path(path)
    parent, field = _column_at(structs, names)
    return _with_field(structs, names[:-1], new_name, _lengths(field, parent) > 0)


def _repeated(structs, path):
    names = _field_path(path)
    field = _column_at(structs, names)[1]
    own = _axes_of(field, 1)
    if not own:
        raise ValueError(f"{path_text(names)} is not repeated")
    return names, field, own[0]


def index_each(structs, path, new_name, from_end=False):
    """Adds a field beside the repeated field at the path: the position of each value in its row."""
    names, _, splits = _repeated(structs, path)
    ends = splits[1:] if from_end else splits[:-1]
    positions = tf.range(splits[-1]) - tf.repeat(ends, lengths_of(splits))
    return _with_field(structs, names[:-1], new_name, in_rows(positions, [splits]))


def slice_path(structs, path, begin=None, end=None):
    """Cuts each row of the repeated field to its values from `begin` up to `end`."""
    names, field, splits = _repeated(structs, path)
    lengths = lengths_of(splits)

    def bound_of(bound, default):
        if bound is None:
            return default
        bound = tf.cast(bound, tf.int64)
        return tf.clip_by_value(tf.where(bound < 0, bound + lengths, bound), tf.constant(0, tf.int64), lengths)

    starts = bound_of(begin, tf.zeros_like(lengths))
    ranges = tf.ragged.range(splits[:-1] + starts, splits[:-1] + tf.maximum(bound_of(end, lengths), starts))
    cut = _under([ranges.row_splits], _take(_below(field, 1), ranges.values))
    return _with_field(structs, names[:-1], names[-1], cut)


def truncate(structs, path, count):
    """Cuts each row of the repeated field to its first `count` values."""
    if not tf.is_tensor(count) and count < 0:
        raise ValueError(f"rows cannot be cut to {count} values")
    return slice_path(structs, path, 0, count)


def filter(structs, path, mask):
    """Keeps the values of the field at the path for which the boolean field `mask`, inside it or beside it, is true. The
    path "" means the structs themselves."""
    names, mask_names = parse_path(path), _field_path(mask)
    inside = mask_names[:-1] == names
    if not inside and (not names or mask_names[:-1] != names[:-1]):
        raise ValueError(f"the mask {path_text(mask_names)} is neither a field of {path_text(names)} nor one beside it")
    mask_column = _column_at(structs, mask_names)[1]
    if isinstance(mask_column, StructuredTensor) or mask_column.dtype != tf.bool:
        raise ValueError(f"the mask {path_text(mask_names)} must be boolean")
    mask_splits, mask_values = own_splits(mask_column)
    if not names:
        if structs.rank == 0:
            raise ValueError(
                f"the mask {path_text(mask_names)} cannot filter one struct; only structs with an axis can be kept or not"
            )
        keep = _one_for_each(mask_splits, mask_values, mask_names)
        kept = tf.where(keep)[:, 0]
        splits = list(structs.row_splits)
        if splits:
            splits[-1] = _kept_splits(splits[-1], keep)
        return StructuredTensor(splits, structs._take_flat(kept))
    parent, field = _column_at(structs, names)
    axes = _axes_of(field)
    if inside:
        keep, along = _one_for_each(mask_splits, mask_values, mask_names), len(axes)
    else:
        keep, along = mask_values, len(mask_splits)
        if along == 0 and axes:
            raise ValueError(
                f"the mask {path_text(mask_names)} is one boolean for each struct, but {path_text(names)} is repeated; "
                "it needs one for each value"
            )
        if along > len(axes):
            raise ValueError(
                f"the mask {path_text(mask_names)} has {along} axes of its own, but {path_text(names)} has {len(axes)}"
            )
        problem = f"the mask {path_text(mask_names)} differs from {path_text(names)} along their axes"
        checks = [check for own, splits in zip(mask_splits, axes) for check in same_splits(own, splits, problem)]
        with tf.control_dependencies(checks):
            keep = tf.identity(keep)
    kept = tf.where(keep)[:, 0]
    if along == 0:
        filtered = _under([splits_of_lengths(tf.cast(keep, tf.int64))], _take(field, kept))
    else:
        splits = [*axes[: along - 1], _kept_splits(axes[along - 1], keep)]
        filtered = _under(splits, _take(_below(field, along), kept))
    return _with_field(structs, names[:-1], names[-1], filtered)


def _one_for_each(mask_splits, mask_values, mask_names):
    """One boolean for each struct. An optional mask, with 0 or 1 values, is false where it has no value."""
    if not mask_splits:
        return mask_values
    if len(mask_splits) > 1:
        raise ValueError(f"the mask {path_text(mask_names)} is a list in each struct; it must be one boolean for each")
    lengths = lengths_of(mask_splits[0])
    problem = f"the mask {path_text(mask_names)} is a list in each struct; it must be one boolean for each"
    check = tf.debugging.assert_less_equal(lengths, tf.constant(1, tf.int64), problem)
    with tf.control_dependencies([] if check is None else [check]):
        return tf.reduce_any(in_rows(mask_values, mask_splits), axis=1)


def _kept_splits(splits, keep):
    before = tf.concat([tf.zeros([1], tf.int64), tf.cumsum(tf.cast(keep, tf.int64))], 0)
    return tf.gather(before, splits)


def limit_depth(structs, depth):
    """Removes the fields that are more than `depth` steps deep."""
    if depth < 0:
        raise ValueError(f"a depth of {depth} is negative")
    if depth == 0:
        return structs._with_fields({})
    return structs._with_fields(
        {
            name: limit_depth(field, depth - 1) if isinstance(field, StructuredTensor) else field
            for name, field in _fields(structs).items()
        },
    )


# A path is a string, such as "a.b", or a list of names. Each method works like the method of structtensor.StructuredTensor with
# the same name.
for _method in (
    promote,
    broadcast,
    reroot,
    with_updates,
    with_only,
    without,
    apply,
    map_values,
    size_each,
    has,
    index_each,
    slice_path,
    truncate,
    filter,
    limit_depth,
):
    setattr(StructuredTensor, _method.__name__, _method)
