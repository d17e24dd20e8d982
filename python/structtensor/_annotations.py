"""Annotations of the fields of extension types: which values they allow, and how other values are converted.

    annotation                      values
    Tensor, RaggedTensor, ...       values of that class; numbers, strings, lists and arrays are converted
    an extension type               objects of that class
    int, float, bool, str, bytes    objects of that class, as they are
    None, TensorShape, DType        None; shapes and dtypes, also written as lists and names
    Tuple[int, ...], Tuple[A, B]    tuples; lists are converted
    list[A]                         the same as Tuple[A, ...], since lists can change
    a NamedTuple                    objects of that class; other tuples are converted
    Mapping[str, A], dict[str, A]   ImmutableDict; other mappings are converted
    np.ndarray                      a read-only copy
    TypeSpec, TensorSpec, ...       specs, as static data
    Union[A, B], Optional[A]        the first of them that the value can be converted to
    Literal["a", 1]                 these objects

An annotation is parsed once into an object with three methods. A spec has the same fields, with the spec of each value in place
of the value; the annotation checks these, too.
"""

import collections.abc
import types
import typing

import numpy as np

from . import _core
from . import _static_data
from ._static_types import DType, ImmutableDict, TensorShape, content_of

_MAX_DEPTH = 100

# What a component may be. The numbers are those of KindOf() in python/src/extension.cc.
TENSOR, RAGGED, STRUCTURED, EXTENSION = 1, 2, 4, 8

# as_spec for the spec of rows. Rows have ragged components where single values have dense ones, and ExtensionRows where single
# values have an object of an extension type.
OF_ROWS = "rows"


def _name_of(annotation):
    return getattr(annotation, "__name__", None) or repr(annotation)


def _found(value):
    return repr(type(value).__name__)


# --- The kinds of annotations. convert() returns the value, or the spec, that the field holds; as_spec is OF_ROWS for a spec
# that may be the spec of rows. encode() returns what the bindings take, and adds the kinds of its components to `kinds`. Paths
# are written as in messages: "f['a'][1]".


class _Static:
    """Objects of one Python class. They are the same for all values of a spec."""

    def __init__(self, kind):
        self.kind = kind

    def convert(self, value, path, as_spec):
        if not isinstance(value, self.kind):
            raise TypeError(f"{path}: expected {_name_of(self.kind)!r}, found {_found(value)}")
        return content_of(self.kind, value, path)

    def encode(self, value, kinds):
        return value

    def leaf_kinds(self):
        return 0


class _Made:
    """TensorShape and DType. Other objects are converted to them."""

    def __init__(self, kind):
        self.kind = kind

    def convert(self, value, path, as_spec):
        try:
            return value if type(value) is self.kind else self.kind(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{path}: expected {_name_of(self.kind)!r}, found {_found(value)}: {error}") from None

    def encode(self, value, kinds):
        return value

    def leaf_kinds(self):
        return 0


class _Literal:
    def __init__(self, options):
        self.options = options

    def convert(self, value, path, as_spec):
        if not any(type(value) is type(option) and value == option for option in self.options):
            raise TypeError(f"{path}: expected one of {', '.join(map(repr, self.options))}, found {value!r}")
        return value

    def encode(self, value, kinds):
        return value

    def leaf_kinds(self):
        return 0


_VALUES = {
    _core.Tensor: (_core.TensorSpec, TENSOR),
    _core.RaggedTensor: (_core.RaggedTensorSpec, RAGGED),
    _core.StructuredTensor: (_core.StructuredTensorSpec, STRUCTURED),
}


class _Value:
    """Tensor, RaggedTensor or StructuredTensor."""

    def __init__(self, kind):
        self.kind = kind
        self.spec, self.number = _VALUES[kind]

    def convert(self, value, path, as_spec):
        wanted = self.spec if as_spec else self.kind
        if isinstance(value, wanted) or (
            as_spec == OF_ROWS and self.kind is _core.Tensor and isinstance(value, _core.RaggedTensorSpec)
        ):
            return value
        article = f"a {_name_of(wanted)}"
        if as_spec or value is None or isinstance(value, (dict, type, *_VALUES)) or _is_extension(value):
            raise TypeError(f"{path}: expected {article}, found {_found(value)}")
        try:
            made = _made_value(self.kind, value)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{path}: expected {article}, found {_found(value)}: {error}") from None
        if not isinstance(made, self.kind):
            raise TypeError(f"{path}: expected {article}, found {_found(value)}, which is a {_name_of(type(made))}")
        return made

    def encode(self, value, kinds):
        kinds.append(self.number)
        return value

    def leaf_kinds(self):
        return self.number


def _is_extension(value):
    return hasattr(type(value), "_annotations_of_fields")


def _made_value(kind, value):
    if isinstance(value, (list, tuple)) and any(isinstance(item, _core.Tensor) for item in value):
        return _core.stack([_core.constant(item) for item in value])
    if kind is _core.Tensor:
        return _core._dense(value)
    if kind is _core.RaggedTensor and isinstance(value, (list, tuple)):
        return _core.ragged_constant(value)
    return _core.constant(value)


class _Extension:
    """Objects of an extension type."""

    def __init__(self, kind):
        self.kind = kind

    def convert(self, value, path, as_spec):
        wanted = self.kind.Spec if as_spec else self.kind
        if not isinstance(value, wanted) and not (as_spec == OF_ROWS and isinstance(value, _core.ExtensionRowsSpec)):
            raise TypeError(f"{path}: expected {_name_of(wanted)!r}, found {_found(value)}")
        return value

    def encode(self, value, kinds):
        kinds.append(EXTENSION)
        return value

    def leaf_kinds(self):
        return EXTENSION


class _OfProtocol:
    """Objects of a class with __tf_type_spec__() that does not derive from ExtensionType."""

    def __init__(self, kind):
        self.kind = kind

    def convert(self, value, path, as_spec):
        if as_spec == OF_ROWS and isinstance(value, _core.ExtensionRowsSpec):
            return value
        if as_spec and _static_data.Specs.is_spec(value):
            if issubclass(_static_data.Specs.value_type(value), self.kind):
                return value
        elif not as_spec and isinstance(value, self.kind):
            return value
        raise TypeError(f"{path}: expected {'the spec of ' if as_spec else ''}{_name_of(self.kind)!r}, found {_found(value)}")

    def encode(self, value, kinds):
        kinds.append(EXTENSION)
        return _static_data.Specs.for_bindings(value)

    def leaf_kinds(self):
        return EXTENSION


class _SpecData:
    """Specs of one class, as static data: the same in a value and in its spec."""

    def __init__(self, kind):
        self.kind = kind

    def convert(self, value, path, as_spec):
        if not isinstance(value, self.kind):
            raise TypeError(f"{path}: expected a {_name_of(self.kind)}, found {_found(value)}")
        return value

    def encode(self, value, kinds):
        return _static_data.encode_spec(value)

    def leaf_kinds(self):
        return 0


class _Array:
    """NumPy's arrays, as static data."""

    kind = np.ndarray

    def convert(self, value, path, as_spec):
        if not isinstance(value, (np.ndarray, list, tuple)):
            raise TypeError(f"{path}: expected an array of NumPy, found {_found(value)}")
        array = np.array(value)
        try:
            _static_data.encode_array(array)
        except TypeError as error:
            raise TypeError(f"{path}: {error}") from None
        array.setflags(write=False)
        return array

    def encode(self, value, kinds):
        return _static_data.encode_array(value)

    def leaf_kinds(self):
        return 0


class _NamedTuple:
    """`items`: the annotations of the fields of the class `kind`."""

    def __init__(self, kind, items):
        self.kind = kind
        self.items = items

    def convert(self, value, path, as_spec):
        if not isinstance(value, (list, tuple)) or len(value) != len(self.items):
            raise TypeError(f"{path}: expected {_name_of(self.kind)!r}, found {_found(value)}")
        names = self.kind._fields
        return self.kind._make(
            item.convert(part, f"{path}.{name}", as_spec) for name, item, part in zip(names, self.items, value, strict=True)
        )

    def encode(self, value, kinds):
        items = tuple(item.encode(part, kinds) for item, part in zip(self.items, value, strict=True))
        return _static_data.encode_named_tuple(self.kind, items)

    def leaf_kinds(self):
        return 0


class _Tuple:
    """`items`: the annotations of the items, or one annotation for all items if there may be any number."""

    def __init__(self, items, any_number):
        self.items = items
        self.any_number = any_number

    def _annotation(self, i):
        return self.items[0 if self.any_number else i]

    def convert(self, value, path, as_spec):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{path}: expected tuple, found {_found(value)}")
        if not self.any_number and len(value) != len(self.items):
            raise TypeError(f"{path}: expected a tuple of length {len(self.items)}, found one of length {len(value)}")
        return tuple(self._annotation(i).convert(item, f"{path}[{i}]", as_spec) for i, item in enumerate(value))

    def encode(self, value, kinds):
        return tuple(self._annotation(i).encode(item, kinds) for i, item in enumerate(value))

    def leaf_kinds(self):
        return 0


class _Mapping:
    def __init__(self, key, item):
        self.key = key
        self.item = item

    def convert(self, value, path, as_spec):
        if not isinstance(value, collections.abc.Mapping):
            raise TypeError(f"{path}: expected mapping, found {_found(value)}")
        return ImmutableDict(
            (self.key.convert(key, f"{path}: key {key!r}", as_spec), self.item.convert(item, f"{path}[{key!r}]", as_spec))
            for key, item in list(value.items())
        )

    def encode(self, value, kinds):
        if all(type(key) is str for key in value):
            if value or not isinstance(self.key, _Static) or self.key.kind is str:
                return {key: self.item.encode(value[key], kinds) for key in sorted(value)}
        # Sorted, so that equal mappings are equal.
        keys = sorted(value, key=lambda key: (type(key).__name__, repr(key)))
        return [(self.key.encode(key, kinds), self.item.encode(value[key], kinds)) for key in keys]

    def leaf_kinds(self):
        return 0


class _Union:
    def __init__(self, options):
        self.options = options

    def convert(self, value, path, as_spec):
        for option in self.options:
            try:
                return option.convert(value, path, as_spec)
            except TypeError:
                pass
        found = f"{path}: expected one of {', '.join(map(str, map(_text_of, self.options)))}, found {_found(value)}"
        raise TypeError(found)

    def encode(self, value, kinds):
        as_spec = _is_spec(value)
        for option in self.options:
            try:
                option.convert(value, "", as_spec)
            except TypeError:
                continue
            mark = len(kinds)
            encoded = option.encode(value, kinds)
            if len(kinds) == mark + 1 and option.leaf_kinds():
                kinds[mark] = self.leaf_kinds()  # rows of the value may be of any type of the union
            return encoded
        kinds.append(self.leaf_kinds())  # the spec of rows, whose dense components may be ragged
        return value

    def leaf_kinds(self):
        kinds = 0
        for option in self.options:
            kinds |= option.leaf_kinds()
        return kinds


def _is_spec(value):
    """Whether the value of a field contains a spec. The field then belongs to a spec."""
    if isinstance(value, (tuple, list)):
        return any(map(_is_spec, value))
    if isinstance(value, ImmutableDict):
        return any(map(_is_spec, value.values()))
    return isinstance(value, _core.ExtensionRowsSpec) or _static_data.Specs.is_spec(value)


def _text_of(annotation):
    if isinstance(annotation, _Union):
        return "Union"
    if isinstance(annotation, _Literal):
        return "Literal"
    return _name_of(getattr(annotation, "kind", type(annotation))).lstrip("_")


# --- Parsing

_SIMPLE = (int, float, bool, str, bytes)


def _unsupported(field, annotation):
    text = repr(annotation) if not isinstance(annotation, type) else repr(annotation.__name__)
    return TypeError(
        f"in field {field!r}: unsupported type annotation {text}; there are Tensor, RaggedTensor, StructuredTensor, extension "
        "types, int, float, bool, str, bytes, None, TensorShape, DType, np.ndarray, TypeSpec, Tuple, list, Mapping, dict, "
        "named tuples, Union and Literal"
    )


def parse(annotation, field, depth=0):
    """The annotation as an object of this module. Raises TypeError for annotations that fields cannot have."""
    if depth > _MAX_DEPTH:
        raise TypeError(f"in field {field!r}: the type annotation is deeper than {_MAX_DEPTH} levels, or contains itself")
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is None:
        annotation = type(None)
    if isinstance(annotation, type) and origin is None:
        if annotation in _SIMPLE or annotation is type(None):
            return _Static(annotation)
        if annotation in _VALUES:
            return _Value(annotation)
        if annotation in (TensorShape, DType):
            return _Made(annotation)
        if hasattr(annotation, "_annotations_of_fields"):
            return _Extension(annotation)
        if annotation is np.ndarray:
            return _Array()
        if _static_data.Specs.is_spec_class(annotation):
            return _SpecData(annotation)
        if hasattr(annotation, "__tf_type_spec__"):
            return _OfProtocol(annotation)
        if _static_data.is_named_tuple(annotation):
            return _NamedTuple(annotation, _items_of_named_tuple(annotation, field, depth))
        raise _unsupported(field, annotation)
    if origin is tuple and annotation is not typing.Tuple:  # the bare name does not say what the items are
        if arguments in ((), ((),)):
            return _Tuple([], False)
        if len(arguments) == 2 and arguments[1] is ...:
            return _Tuple([parse(arguments[0], field, depth + 1)], True)
        return _Tuple([parse(argument, field, depth + 1) for argument in arguments], False)
    if origin is list and len(arguments) == 1:
        return _Tuple([parse(arguments[0], field, depth + 1)], True)
    if origin in (collections.abc.Mapping, dict) and len(arguments) == 2:
        key = parse(arguments[0], field, depth + 1)
        if not isinstance(key, (_Static, _Literal)):
            raise TypeError(f"in field {field!r}: keys of a Mapping are strings, numbers or booleans, not {arguments[0]!r}")
        return _Mapping(key, parse(arguments[1], field, depth + 1))
    if origin is typing.Union or origin is types.UnionType:
        options = [parse(argument, field, depth + 1) for argument in arguments]
        if any(option.leaf_kinds() for option in options) and any(isinstance(option, _SpecData) for option in options):
            raise TypeError(f"in field {field!r}: a Union cannot have both values and specs, which describe these values")
        return _Union(options)
    if origin is typing.Literal:
        if not all(isinstance(option, _SIMPLE) or option is None for option in arguments):
            raise _unsupported(field, annotation)
        return _Literal(arguments)
    raise _unsupported(field, annotation)


def _items_of_named_tuple(kind, field, depth):
    hints = typing.get_type_hints(kind)
    missing = [name for name in kind._fields if name not in hints]
    if missing:
        raise TypeError(f"in field {field!r}: {kind.__name__} has no annotation for {', '.join(missing)}; use NamedTuple")
    return [parse(hints[name], field, depth + 1) for name in kind._fields]
