"""Static data of specs as the bindings keep it: nests of numbers, strings, shapes and dtypes.

    in a spec                                   for the bindings
    None, bool, int, float, str, bytes          the same
    TensorShape, DType                          the same
    tuple                                       tuple
    ImmutableDict                               dict, or a list of pairs if a key is not a string; sorted by key
    list, dict, OrderedDict, namedtuple,        [name of the kind, content as a tuple]
      np.ndarray, TypeSpec

Shapes and dtypes inside specs stay shapes and dtypes, so the bindings compare two states as the RFC "Extension types" asks:
shapes by compatibility, everything else by equality.
"""

import collections
import collections.abc
import sys

import numpy as np

from ._static_types import DType, ImmutableDict, TensorShape, content_of

_MAX_DEPTH = 100


class Specs:
    """Functions of _type_spec, which needs this module and sets them.

    encode(spec): (name of the class, what serialize() returns). decode(name, state): the spec.
    """

    encode = decode = is_spec = is_spec_class = value_type = for_bindings = equal_values = None


# --- Named tuples. The bindings keep the name of the class; the class itself is looked up.

_named_tuples = {}  # by (module, qualified name)


def is_named_tuple(kind):
    return issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def encode_named_tuple(kind, items):
    _named_tuples[kind.__module__, kind.__qualname__] = kind
    return ["namedtuple", (kind.__module__, kind.__qualname__, tuple(kind._fields), items)]


def _named_tuple_class(module, qualname, fields):
    """The class with this name, if this process has it and it has these fields; else a new class."""
    kind = _named_tuples.get((module, qualname))
    if kind is None:
        kind = sys.modules.get(module)
        for name in qualname.split("."):
            kind = getattr(kind, name, None)
    if isinstance(kind, type) and is_named_tuple(kind) and kind._fields == fields:
        return kind
    return collections.namedtuple(qualname.rpartition(".")[2], fields)


# --- Encoding


def _sorted_items(mapping):
    return sorted(mapping.items(), key=lambda item: (type(item[0]).__name__, repr(item[0])))


def encode(value, leaf=None, depth=0):
    """The value in the form of the bindings.

    leaf: encodes objects that are not static data, for the components of values and specs. Without it, specs are static data.
    Raises TypeError for objects that static data cannot have.
    """
    if depth > _MAX_DEPTH:
        raise ValueError(f"static data is nested deeper than {_MAX_DEPTH} levels")

    def below(item):
        return encode(item, leaf, depth + 1)

    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        items = tuple(map(below, value))
        if not is_named_tuple(type(value)):
            return items
        return encode_named_tuple(type(value), items)
    if isinstance(value, list):
        return ["list", tuple(map(below, value))]
    if isinstance(value, collections.OrderedDict):
        return ["OrderedDict", tuple((encode_key(key), below(item)) for key, item in value.items())]
    if isinstance(value, ImmutableDict) and leaf is None:
        if all(type(key) is str for key in value):
            return {key: below(value[key]) for key in sorted(value)}
        return [(encode_key(key), below(item)) for key, item in _sorted_items(value)]
    if isinstance(value, collections.abc.Mapping):
        kind = "ImmutableDict" if isinstance(value, ImmutableDict) else "dict"
        return [kind, tuple((encode_key(key), below(item)) for key, item in _sorted_items(value))]
    if leaf is not None:
        return leaf(value)
    if value is None or isinstance(value, (TensorShape, DType)):
        return value
    if isinstance(value, np.ndarray):
        return encode_array(value)
    if isinstance(value, np.generic):
        value = value.item()
    for kind in (bool, int, float, str, bytes):
        if isinstance(value, kind):
            return content_of(kind, value)
    if Specs.is_spec(value):
        return encode_spec(value)
    raise TypeError(
        "the static data of a spec is bool, int, float, str, bytes, None, TensorShape, DType, np.ndarray, TypeSpec, and "
        f"tuples, lists and dicts of these, not {type(value).__name__!r}"
    )


def encode_key(key):
    for kind in (bool, int, float, str, bytes):
        if isinstance(key, kind):
            return content_of(kind, key)
    raise TypeError(f"keys of static data are strings, numbers and booleans, not {key!r}")


def encode_array(array):
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(f"an array of the dtype {array.dtype} cannot be static data; arrays of numbers and strings can")
    return ["ndarray", (array.dtype.str, tuple(array.shape), array.tobytes())]


def encode_spec(spec):
    name, state = Specs.encode(spec)
    return ["TypeSpec", (name, encode(state))]


# --- Decoding


def decode(encoded):
    """The argument that encode() got. Arrays are read-only."""
    if type(encoded) is tuple:
        return tuple(map(decode, encoded))
    if type(encoded) is dict:
        return ImmutableDict((key, decode(item)) for key, item in encoded.items())
    if type(encoded) is not list:
        return encoded
    if not encoded or type(encoded[0]) is not str:
        return ImmutableDict((decode(key), decode(item)) for key, item in encoded)
    kind, content = encoded
    if kind == "ndarray":
        dtype, shape, data = content
        return np.ndarray(shape, dtype, buffer=data)
    if kind == "TypeSpec":
        name, state = content
        return Specs.decode(name, decode(state))
    if kind == "namedtuple":
        module, qualname, fields, items = content
        return _named_tuple_class(module, qualname, fields)._make(map(decode, items))
    if kind == "list":
        return list(map(decode, content))
    makers = {"dict": dict, "OrderedDict": collections.OrderedDict, "ImmutableDict": ImmutableDict}
    return makers[kind]((key, decode(item)) for key, item in content)
