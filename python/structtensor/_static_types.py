"""The types of static data that are not Python's own: shapes, dtypes, and dicts that do not change."""

import collections.abc
import functools
import numbers
import operator

import numpy as np

from . import _core
from . import _signatures


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


@_signatures.check_methods
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

    def most_specific_compatible_shape(self, other):
        """The shape with the sizes that both shapes have, None for all others; TensorShape(None) if the numbers of axes
        differ."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None or len(self) != len(other):
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self, other, strict=True)])

    def assert_is_compatible_with(self, other):
        """Raises ValueError unless is_compatible_with(other)."""
        if not self.is_compatible_with(other):
            raise ValueError(f"the shapes {self!r} and {TensorShape(other)!r} are not compatible")

    def concatenate(self, other):
        """The same as self + other. Source: tf.TensorShape."""
        return self + other

    def __getitem__(self, key):
        sizes = tuple.__getitem__(self, key)
        return tuple.__new__(TensorShape, sizes) if isinstance(key, slice) else sizes

    def __add__(self, other):
        """The axes of both shapes, one after the other. The number of axes is unknown if that of one of the shapes is."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return TensorShape(None)
        return TensorShape((*self, *other))

    def __radd__(self, other):
        return TensorShape(other) + self

    def __mul__(self, count):
        if self.rank is None:
            raise ValueError("the number of axes of the shape is not known")
        return tuple(self) * count

    __rmul__ = __mul__

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


# The names that are not NumPy's, and NumPy's names of these dtypes.
_NUMPY_NAMES = {"float": "float32", "double": "float64"}
# The types of NumPy that hold the elements, where the names do not say it.
_NUMPY_TYPES = {"string": np.object_, "bytes": np.object_, "bfloat16": np.float32}
_PYTHON_TYPES = (bool, int, float, str, bytes)


class DType(str):
    """The name of a dtype, such as "int64". Raises TypeError if there is no such dtype.

    It compares equal to all that constant(dtype=) takes for this dtype: st.float32 == "float32" == np.float32.
    """

    __slots__ = ()

    def __new__(cls, name):
        return _core.TensorSpec((), name).dtype

    @property
    def name(self):
        """The name that NumPy and TensorFlow use: "float32" and "float64" for "float" and "double"."""
        return _NUMPY_NAMES.get(self, str(self))

    @property
    def as_numpy_dtype(self):
        """The type of NumPy for the elements, such as numpy.int64; for times a numpy.dtype, which has their unit.

        Strings and bytes are objects there. bfloat16, which NumPy does not have, becomes float32.
        """
        name = str(self)
        if name in _NUMPY_TYPES:
            return _NUMPY_TYPES[name]
        if self.endswith("]"):
            return np.dtype(name.replace("timestamp", "datetime64").replace("duration", "timedelta64"))
        return np.dtype(self.name).type

    def is_compatible_with(self, other):
        """Whether the other dtype is the same one."""
        return self == DType(other)

    def __eq__(self, other):
        if str.__eq__(self, other) is True:
            return True
        if type(other) is DType or not _may_be_dtype(other):
            return str.__eq__(self, other)
        return str.__eq__(self, _text_of_dtype(other))

    def __ne__(self, other):
        equal = self == other
        return equal if equal is NotImplemented else not equal

    __hash__ = str.__hash__

    def __repr__(self):
        return str(self)  # as specs and values show it

    def __getnewargs__(self):
        return (str(self),)


def _may_be_dtype(other):
    if isinstance(other, type):
        return other in _PYTHON_TYPES or issubclass(other, np.generic)
    return isinstance(other, (str, np.dtype)) or hasattr(type(other), "as_numpy_dtype")  # as TensorFlow's dtypes have


@functools.lru_cache(maxsize=256, typed=True)
def _text_of_dtype(other):
    """The text of the DType that the other one means; "" if it means none."""
    try:
        return str(DType(other))
    except (TypeError, ValueError):
        return ""


_core._use_dtype_class(DType)


class ImmutableDict(collections.abc.Mapping):
    """A dict that does not change. Fields that are annotated as Mapping hold it."""

    __slots__ = ("_items",)

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "_items", dict(*args, **kwargs))

    def __setattr__(self, name, value):
        raise AttributeError("an ImmutableDict cannot be changed")

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


# Make an object of the class itself from an object of a derived class. These call the methods of the class, since a derived
# class may have others: str() of a member of an enum gives its name.
_CONTENT = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}



def content_of(kind, value, path="static data"):
    """The value as an object of the class itself. Requires: it is an object of the class, or of a derived one."""
    if type(value) not in (bool, kind):
        value = _CONTENT[kind](value)  # an object of a derived class could change
    if kind is int and not -(2**63) <= value < 2**63:
        raise OverflowError(f"{path}: the integer does not fit in 64 bits")
    return value
