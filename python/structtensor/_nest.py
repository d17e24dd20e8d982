"""The functions of structtensor.nest."""

import collections
import collections.abc
import itertools

from . import _core
from . import _static_data
from . import _type_spec
from ._static_types import TensorShape

_MAX_DEPTH = 100


# --- Structures


def _is_named_tuple(value):
    return _static_data.is_named_tuple(type(value))


def _attrs_fields(value):
    """The names of the fields of an object of an attrs class; None for other objects."""
    fields = getattr(type(value), "__attrs_attrs__", None)
    return None if fields is None else [field.name for field in fields]


def is_structure(value):
    """Whether the object is a list, a tuple, a mapping, a named tuple or an object of an attrs class."""
    if type(value) in (list, tuple, dict):
        return True
    if _is_value_or_spec(value) or isinstance(value, TensorShape):
        return False
    return _is_named_tuple(value) or isinstance(value, collections.abc.Mapping) or _attrs_fields(value) is not None


def _items(structure, depth):
    """(key, item) of the structure, in the order of leaves. Keys of lists and tuples are positions."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"lists and dicts are nested deeper than {_MAX_DEPTH} levels")
    if isinstance(structure, collections.abc.Mapping):
        try:
            return [(key, structure[key]) for key in sorted(structure)]
        except TypeError:
            raise TypeError(f"the keys of a dict cannot be sorted: {', '.join(map(repr, structure))}") from None
    names = _attrs_fields(structure)
    if names is not None:
        return [(name, getattr(structure, name)) for name in names]
    return list(enumerate(structure))


def _made_like(structure, items):
    """The structure with other items, given by their keys."""
    kind = type(structure)
    if isinstance(structure, collections.defaultdict):
        return kind(structure.default_factory, [(key, items[key]) for key in structure])
    if isinstance(structure, collections.abc.Mapping):
        return kind({key: items[key] for key in structure})  # in the order that the structure has
    if _attrs_fields(structure) is not None:
        return kind(*items.values())
    return kind._make(items.values()) if _is_named_tuple(structure) else kind(items.values())


def _written(key):
    return f"[{key!r}]"


def _leaves(structure, path, depth):
    """(path, leaf) of the structure."""
    if not is_structure(structure):
        yield path, structure
        return
    for key, item in _items(structure, depth):
        yield from _leaves(item, path + _written(key), depth + 1)


def _packed(structure, leaf, depth=0):
    """The structure with leaf(old leaf) in place of each leaf."""
    if not is_structure(structure):
        return leaf(structure)
    return _made_like(structure, {key: _packed(item, leaf, depth + 1) for key, item in _items(structure, depth)})


# --- Composites: values and specs as structures of tensors


def _is_value_or_spec(value):
    return hasattr(type(value), "__tf_type_spec__") or isinstance(value, _type_spec.TypeSpec)


def _has_own_components(spec):
    """Whether methods in Python take values of the spec apart, and the bindings do not know how."""
    return not isinstance(spec, _type_spec.BUILT_IN_SPECS) and getattr(spec, "_has_own_form", True)


def _expanded(leaf):
    """The tensors, or their specs, that a leaf consists of."""
    if not _is_value_or_spec(leaf):
        return [leaf]
    spec = _type_spec.spec_of(leaf)
    if _has_own_components(spec) or isinstance(spec, _core.RowPartitionSpec):
        parts = _type_spec.component_specs_of(spec) if leaf is spec else _type_spec.checked_components(spec, leaf)
        return flatten(parts, expand_composites=True)
    return _core._flatten(leaf)


def _size_of(leaf):
    """How many tensors a leaf consists of. Nothing is taken apart: the spec has their number."""
    if not _is_value_or_spec(leaf):
        return 1
    spec = _type_spec.spec_of(leaf)
    if _has_own_components(spec) or isinstance(spec, _core.RowPartitionSpec):
        return sum(_size_of(part) for _, part in _leaves(_type_spec.component_specs_of(spec), "", 0))
    return len(_core._flatten(spec))


def is_leaf(value):
    """Whether expand_composites leaves the object as it is."""
    parts = _expanded(value)
    return len(parts) == 1 and (parts[0] is value or isinstance(value, (_core.Tensor, _core.TensorSpec)))


def _pack_leaf(leaf, rest):
    """The value that `leaf` is, or that it is the spec of, made of the next tensors of the iterator."""
    if not _is_value_or_spec(leaf):
        return next(rest)
    spec = _type_spec.spec_of(leaf)
    if isinstance(spec, _core.RowPartitionSpec):
        return spec.from_components(next(rest))
    if _has_own_components(spec):
        components = _packed(_type_spec.component_specs_of(spec), lambda part: _pack_leaf(part, rest))
        made = spec.from_components(components)
        _type_spec.check_made(spec, made)
        return made
    tensors = list(itertools.islice(rest, len(_core._flatten(spec))))
    for tensor in tensors:
        if isinstance(tensor, _type_spec.TypeSpec):
            raise TypeError(f"flat_sequence: a {spec.value_type.__name__} is made of tensors, not of specs; found {tensor!r}")
    if isinstance(spec, _core.StructuredTensorSpec) and any(map(_has_own_components, spec.fields.values())):
        try:
            return _core._pack(spec, tensors)
        except ValueError:
            pass  # of other sizes. Then what serialize() gave has unknown sizes, too, in the spec of the structs
    made = _core._pack(spec.with_unknown_sizes(), tensors)
    return spec._with_own_static_data(made) if hasattr(spec, "_with_own_static_data") else made


def _pack_at(path, leaf, rest):
    """_pack_leaf(), with the place in errors."""
    try:
        return _pack_leaf(leaf, rest)
    except ValueError as error:
        if not path or _type_spec.is_of_a_type(error):
            raise
        raise ValueError(f"{path}: {error}") from None


# --- The functions


def flatten(structure, expand_composites=False):
    leaves = [leaf for _, leaf in _leaves(structure, "", 0)]
    return [part for leaf in leaves for part in _expanded(leaf)] if expand_composites else leaves


def flatten_with_paths(structure, expand_composites):
    leaves = list(_leaves(structure, "", 0))
    if not expand_composites:
        return leaves
    found = []
    for path, leaf in leaves:
        parts = _expanded(leaf)
        found.extend((path if is_leaf(leaf) else path + _written(i), part) for i, part in enumerate(parts))
    return found


def pack_sequence_as(structure, flat_sequence, expand_composites):
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"flat_sequence: expected a list, found {type(flat_sequence).__name__}")
    size = sum(_size_of(leaf) if expand_composites else 1 for _, leaf in _leaves(structure, "", 0))
    if len(flat_sequence) != size:
        advice = ""
        if not expand_composites and len(flat_sequence) == sum(_size_of(leaf) for _, leaf in _leaves(structure, "", 0)):
            advice = "; with expand_composites=True they agree"
        raise ValueError(f"flat_sequence and the structure differ in length: {len(flat_sequence)} and {size}{advice}")
    return _pack(structure, flat_sequence, expand_composites)


def _pack(structure, flat_sequence, expand_composites):
    rest = iter(flat_sequence)
    if not expand_composites:
        return _packed(structure, lambda leaf: next(rest))
    paths = iter([path for path, _ in _leaves(structure, "", 0)])
    return _packed(structure, lambda leaf: _pack_at(next(paths), leaf, rest))


def assert_same_structure(nest1, nest2, expand_composites, path="", depth=0):
    where = path or "the top"
    if is_structure(nest1) != is_structure(nest2):
        raise ValueError(f"the structures differ at {where}: {nest1!r} and {nest2!r}; only one of them has items")
    if not is_structure(nest1):
        if expand_composites:
            _assert_same_types(nest1, nest2, where)
        return
    mappings = isinstance(nest1, collections.abc.Mapping) and isinstance(nest2, collections.abc.Mapping)
    if not mappings and type(nest1) is not type(nest2):
        raise ValueError(f"the structures differ at {where}: {type(nest1).__name__} and {type(nest2).__name__}")
    ours, theirs = _items(nest1, depth), _items(nest2, depth)
    if [key for key, _ in ours] != [key for key, _ in theirs]:
        what = "keys" if mappings else "lengths"
        raise ValueError(f"the structures differ at {where}: {nest1!r} and {nest2!r} have different {what}")
    for (key, one), (_, other) in zip(ours, theirs, strict=True):
        assert_same_structure(one, other, expand_composites, path + _written(key), depth + 1)


def _assert_same_types(a, b, where):
    if not _is_value_or_spec(a) and not _is_value_or_spec(b):
        return
    if not (_is_value_or_spec(a) and _is_value_or_spec(b)):
        raise ValueError(f"only one of the two structures has a value at {where}: {a!r} and {b!r}")
    one, other = _type_spec.spec_of(a), _type_spec.spec_of(b)
    if one.most_specific_compatible_type(other) is None:
        raise ValueError(f"the types differ at {where}: {one!r} and {other!r} have no type in common")


def map_structure(func, structures, expand_composites):
    if not structures:
        raise TypeError("map_structure: there are no structures")
    if not callable(func):
        raise TypeError(f"map_structure: expected a function, found {type(func).__name__}")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, expand_composites)
    leaves = [flatten(structure, expand_composites) for structure in structures]
    results = [func(*one) for one in zip(*leaves, strict=True)]
    return _pack(structures[0], results, expand_composites)
