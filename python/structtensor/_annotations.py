"""Annotations of the fields of extension types: which values they allow, and how other values are converted.

    annotation                      values
    Tensor, RaggedTensor, ...       values of that class; numbers, strings, lists and arrays are converted
    an extension type               objects of that class
    int, float, bool, str, bytes    objects of that class, as they are
    None, TensorShape, DType        None; shapes and dtypes, also written as lists and names
    Tuple[int, ...], Tuple[A, B]    tuples; lists are converted
    Mapping[str, A]                 ImmutableDict; other mappings are converted
    Union[A, B], Optional[A]        the first of them that the value can be converted to
    Literal["a", 1]                 these objects

An annotation is parsed once into an object with three methods. A spec has the same fields, with the spec of each value in place
of the value; the annotation checks these, too.
"""

import collections.abc
import numbers
import operator
import types
import typing

from . import _core

_MAX_DEPTH = 100

# What a component may be. The numbers are those of KindOf() in python/src/extension.cc.
TENSOR, RAGGED, STRUCTURED, EXTENSION = 1, 2, 4, 8

# as_spec for the spec of rows. Rows have ragged components where single values have dense ones, and ExtensionRows where single
# values have an object of an extension type.
OF_ROWS = "rows"


def _size_of(size):
    """The size as an int. NumPy's integers are accepted, too."""
    if size is None:
        return None
    try:
        if isinstance(size, bool):
            raise TypeError
        size = operator.index(size)
    except TypeError:
        raise TypeError(f"expected sizes of axes, integers or None, found {size!r}") from None
    if not 0 <= size < 2**63:
        raise ValueError(f"the size of an axis is between 0 and 2^63 - 1, or None, not {size}")
    return size


class TensorShape(tuple):
    """Sizes of axes, None where they are not known; TensorShape(None) has an unknown number of axes.

    A tuple, which also compares equal to lists with the same sizes. Raises TypeError or ValueError for invalid sizes.
    """

    __slots__ = ()

    def __new__(cls, dims=None):
        if isinstance(dims, TensorShape):
            return dims
        if dims is None:
            return tuple.__new__(_UnknownRank)
        if isinstance(dims, numbers.Integral) and not isinstance(dims, bool):
            dims = (dims,)
        elif isinstance(dims, (str, bytes)):
            raise TypeError(f"expected a shape, a list of sizes, found {dims!r}")
        return tuple.__new__(TensorShape, map(_size_of, dims))

    @property
    def dims(self):
        """The sizes as a plain tuple; None if the number of axes is not known."""
        return tuple(self)

    @property
    def rank(self):
        """The number of axes; None if it is not known."""
        return len(self)

    @property
    def ndims(self):
        """The same as rank."""
        return self.rank

    def as_list(self):
        """The sizes as a list. Raises ValueError if the number of axes is not known."""
        return list(self)

    def is_fully_defined(self):
        """Whether the number of axes and all sizes are known."""
        return self.rank is not None and None not in self

    def is_compatible_with(self, other):
        """Whether one shape can be both: the sizes are equal where both are known."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return True
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other, strict=True))

    def assert_is_compatible_with(self, other):
        """Raises ValueError unless is_compatible_with(other)."""
        if not self.is_compatible_with(other):
            raise ValueError(f"the shapes {self!r} and {TensorShape(other)!r} are not compatible")

    def __getitem__(self, key):
        sizes = tuple.__getitem__(self, key)
        return tuple.__new__(TensorShape, sizes) if isinstance(key, slice) else sizes

    def __eq__(self, other):
        if isinstance(other, _UnknownRank):
            return False
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other):
        equal = self == other
        return equal if equal is NotImplemented else not equal

    __hash__ = tuple.__hash__

    def __reduce__(self):
        return TensorShape, (self.dims,)

    def __repr__(self):
        return f"TensorShape({list(self)})"

    def __str__(self):
        return tuple.__repr__(self)  # "(3, None)", as of TensorFlow's shapes


_core._use_shape_class(TensorShape)


class _UnknownRank(TensorShape):
    """The shape with an unknown number of axes."""

    __slots__ = ()
    dims = rank = None

    def __bool__(self):
        return False

    def __iter__(self):
        raise ValueError("the number of axes of the shape is not known")

    def __len__(self):
        raise ValueError("the number of axes of the shape is not known")

    def __getitem__(self, key):
        raise ValueError("the number of axes of the shape is not known")

    def __eq__(self, other):
        return isinstance(other, _UnknownRank) if isinstance(other, (tuple, list)) else NotImplemented

    def __hash__(self):
        return hash(TensorShape)

    def __repr__(self):
        return "TensorShape(None)"

    def __str__(self):
        return "<unknown>"


_UnknownRank.__name__ = _UnknownRank.__qualname__ = "TensorShape"  # which it is, except that it has no sizes


class DType(str):
    """The name of a dtype, such as "int64"; it compares equal to that text. Raises TypeError if there is no such dtype."""

    __slots__ = ()

    def __new__(cls, name):
        return _core.TensorSpec((), name).dtype

    def is_compatible_with(self, other):
        """Whether the other dtype is the same one."""
        return self == DType(other)

    def __getnewargs__(self):
        return (str(self),)


_core._use_dtype_class(DType)


class ImmutableDict(collections.abc.Mapping):
    """A dict that does not change. Fields that are annotated as Mapping hold it."""

    __slots__ = ("_items",)

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "_items", dict(*args, **kwargs))

    def __setattr__(self, name, value):
        raise AttributeError("an ImmutableDict does not change")

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __reduce__(self):
        return ImmutableDict, (dict(self._items),)

    def __repr__(self):
        return f"ImmutableDict({self._items!r})"


def _name_of(annotation):
    return getattr(annotation, "__name__", None) or repr(annotation)


def _found(value):
    return repr(type(value).__name__)


# --- The kinds of annotations. convert() returns the value, or the spec, that the field holds; as_spec is OF_ROWS for a spec
# that may be the spec of rows. encode() returns what the bindings take, and adds the kinds of its components to `kinds`. Paths
# are written as in messages: "f['a'][1]".


# Make an object of the class itself from an object of a derived class. These call the methods of the class, since a derived
# class may have others: str() of a member of an enum gives its name.
_CONTENT = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}


class _Static:
    """Objects of one Python class. They are the same for all values of a spec."""

    def __init__(self, kind):
        self.kind = kind

    def convert(self, value, path, as_spec):
        if not isinstance(value, self.kind):
            raise TypeError(f"{path}: expected {_name_of(self.kind)!r}, found {_found(value)}")
        if type(value) not in (bool, self.kind):
            value = _CONTENT[self.kind](value)  # an object of a derived class could change
        if self.kind is int and not -(2**63) <= value < 2**63:
            raise OverflowError(f"{path}: the integer does not fit in 64 bits")
        return value

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
    return isinstance(value, tuple(spec for spec, _ in _VALUES.values())) or hasattr(type(value), "_fields_of_spec")


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
        f"types, int, float, bool, str, bytes, None, TensorShape, DType, Tuple, Mapping, Union and Literal"
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
        raise _unsupported(field, annotation)
    if origin is tuple and annotation is not typing.Tuple:  # the bare name does not say what the items are
        if arguments in ((), ((),)):
            return _Tuple([], False)
        if len(arguments) == 2 and arguments[1] is ...:
            return _Tuple([parse(arguments[0], field, depth + 1)], True)
        return _Tuple([parse(argument, field, depth + 1) for argument in arguments], False)
    if origin is collections.abc.Mapping and len(arguments) == 2:
        key = parse(arguments[0], field, depth + 1)
        if not isinstance(key, (_Static, _Literal)):
            raise TypeError(f"in field {field!r}: keys of a Mapping are strings, numbers or booleans, not {arguments[0]!r}")
        return _Mapping(key, parse(arguments[1], field, depth + 1))
    if origin is typing.Union or origin is types.UnionType:
        return _Union([parse(argument, field, depth + 1) for argument in arguments])
    if origin is typing.Literal:
        if not all(isinstance(option, _SIMPLE) or option is None for option in arguments):
            raise _unsupported(field, annotation)
        return _Literal(arguments)
    raise _unsupported(field, annotation)


def decode(encoded):
    """The argument that encode() got. The bindings give mappings as dicts or as lists of pairs."""
    if type(encoded) is tuple:
        return tuple(map(decode, encoded))
    if type(encoded) is dict:
        return ImmutableDict((key, decode(item)) for key, item in encoded.items())
    if type(encoded) is list:
        return ImmutableDict((decode(key), decode(item)) for key, item in encoded)
    return encoded
