"""NumPy arrays, NumPy's protocols, and Python's times."""

import datetime
import inspect

import numpy as np

from . import _core
from . import _operations

_FLOATS = {2: "float16", 4: "float", 8: "double"}
_UNITS = ("s", "ms", "us", "ns")
_SECONDS = {"m": 60, "h": 3600, "D": 86400, "W": 604800}
_ATTOSECONDS = {unit: 1000**i for i, unit in enumerate(("as", "fs", "ps", "ns", "us", "ms", "s"))}
_ATTOSECONDS.update((unit, 10**18 * seconds) for unit, seconds in _SECONDS.items())
_MICROSECOND = datetime.timedelta(microseconds=1)
_MIN, _MAX = -(2**63), 2**63 - 1


def _from_memory(array, dtype, validity=None):
    array = np.ascontiguousarray(array)
    if validity is not None:
        validity = np.ascontiguousarray(validity, dtype=np.bool_).reshape(-1)
    return _core._tensor_from_memory(dtype, array.shape, array.reshape(-1), None, validity)


def _of_times(array, present):
    name = "timestamp" if array.dtype.kind == "M" else "duration"
    unit, step = np.datetime_data(array.dtype)
    if unit not in _UNITS and unit not in _SECONDS:
        raise TypeError(f"times of the unit {unit!r} have no dtype; convert them to s, ms, us or ns")
    absent = np.isnat(array)
    if absent.any():
        present = ~absent if present is None else present & ~absent
    counts = np.ascontiguousarray(array).view("int64")
    factor = step * _SECONDS.get(unit, 1)
    if factor != 1:
        unit = unit if unit in _UNITS else "s"
        beyond = (counts > _MAX // factor) | (counts < -(_MAX // factor))
        beyond = np.argwhere(beyond if present is None else beyond & present)
        if len(beyond):
            i = tuple(beyond[0].tolist())
            raise OverflowError(f"{list(i)}: {array.dtype} {counts[i]} does not fit in 64 bits of the unit {unit!r}")
        counts = counts * factor  # counts of absent elements may wrap
    return _from_memory(counts, f"{name}[{unit}]", present)


def strings_from_memory(strings, dtype, shape, validity):
    """The tensor of a list of str or bytes."""
    encoded = [text.encode() for text in strings] if dtype == "string" else strings
    offsets = np.cumsum([0, *map(len, encoded)], dtype="int64")
    if offsets[-1] >= 2**31:
        raise ValueError("the strings of one tensor must have less than 2 GiB")
    return _core._tensor_from_memory(dtype, shape, b"".join(encoded), offsets.astype("int32"), validity)


def _of_strings(array, dtype, present):
    strings = array.reshape(-1).tolist()
    if hasattr(array.dtype, "na_object"):  # marks absent elements: only this object, and no string that is equal to it
        is_na = np.array([text is array.dtype.na_object for text in strings], dtype=np.bool_).reshape(array.shape)
        if is_na.any():
            present = ~is_na if present is None else present & ~is_na
    if present is None:
        return _core.constant(strings, dtype=dtype).reshape(array.shape)
    present = np.ascontiguousarray(present).reshape(-1)
    for i in np.flatnonzero(~present):
        strings[i] = "" if dtype == "string" else b""
    return strings_from_memory(strings, dtype, array.shape, present)


def _of_arrays(rows):
    """The ragged tensor whose rows are these arrays; None if they are not vectors of one dtype."""
    dtypes = {row.dtype for row in rows}
    if any(row.ndim != 1 for row in rows) or (len(dtypes) > 1 and {dtype.kind for dtype in dtypes} != {"T"}):
        return None
    if len(dtypes) > 1:  # of strings; only some allow absent elements
        marked = next(dtype for dtype in dtypes if hasattr(dtype, "na_object"))
        if any(getattr(dtype, "na_object", marked.na_object) is not marked.na_object for dtype in dtypes):
            return None
        rows = [row.astype(marked) for row in rows]
    masked = any(isinstance(row, np.ma.MaskedArray) for row in rows)
    values = value_of_array((np.ma.concatenate if masked else np.concatenate)(rows))
    return _core.RaggedTensor.from_row_lengths(values, np.array([len(row) for row in rows], dtype=np.int64))


def _of_objects(array):
    """Objects: rows of a ragged tensor, values and None for absent ones, or anything that lists can have."""
    elements = array.reshape(-1).tolist()
    if array.ndim == 1 and elements and all(isinstance(element, np.ndarray) for element in elements):
        ragged = _of_arrays(elements)
        if ragged is not None:
            return ragged
    present = [element for element in elements if element is not None]
    if len(present) == len(elements) or any(isinstance(element, (list, tuple, dict, np.ndarray)) for element in present):
        return _core.constant(array.tolist())
    # As in from_pandas(), what never has a value is an absent number.
    dtype = _core.constant(present).dtype if present else "double"
    return _core.constant(array.tolist(), spec=_core.TensorSpec(array.shape, dtype, nullable=True))


def value_of_array(array_like):
    """The tensor with the elements of an array. They are copied. Arrays of strings or objects are read as nested lists.

    The masked elements of a masked array, None in an array of objects, and the na_object of NumPy's strings become absent.
    """
    masked = isinstance(array_like, np.ma.MaskedArray)
    return _value_of_array(np.asarray(array_like), ~np.ma.getmaskarray(array_like) if masked else None)


def _value_of_array(array, present):
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    kind, size = array.dtype.kind, array.dtype.itemsize
    # ascontiguousarray makes a vector from a scalar.
    if array.ndim == 0:
        return _value_of_array(array.reshape(1), None if present is None else present.reshape(1))[0]
    if kind == "b":
        return _from_memory(array, "bool", present)
    if kind in "iu":
        name = "int" if kind == "i" else "uint"
        return _from_memory(array.astype(f"{kind}4") if size < 4 else array, f"{name}{8 * max(size, 4)}", present)
    if kind == "f" and size in _FLOATS:
        return _from_memory(array, _FLOATS[size], present)
    if kind in "mM":
        return _of_times(array, present)
    if kind in "UT":
        return _of_strings(array, "string", present)
    if kind == "S":
        return _of_strings(array, "bytes", present)
    if kind == "O":
        if present is not None and not present.all():
            raise TypeError("masked arrays of dtype object are not supported; convert the array with astype()")
        return _of_objects(array)
    raise TypeError(f"arrays of dtype {array.dtype} are not supported")


class _BeyondError(OverflowError, ValueError):
    """A time that does not fit in 64 bits in its unit: above all such numbers, or below."""

    def __init__(self, text, above):
        super().__init__(text)
        self.above = above


def _days_of_month(month):
    """The first day of a month. Days and months are counted from January 1970."""
    years, month = divmod(month, 12)
    cycles, year = divmod(1970 + years, 400)  # the calendar repeats after 400 years
    first = datetime.date(400 + year, 1 + month, 1).toordinal() - datetime.date(1970, 1, 1).toordinal()
    return first + (cycles - 1) * 146097


def _count_in_numpy(time, local, is_timestamp):
    """(unit, number of units) of `local`, which is `time` without its time zone."""
    try:
        exact = np.datetime64(local) if is_timestamp else np.timedelta64(local)
    except (ValueError, TypeError) as error:
        expected = "a point in time" if is_timestamp else "a length of time"
        raise TypeError(f"expected {expected}, found {time!r}") from error
    if np.isnat(exact):
        raise ValueError("not-a-time (NaT) cannot be a value; absent values are marked in the validity")
    unit, step = np.datetime_data(exact.dtype)
    count = int(exact.astype("int64")) * step
    if unit not in ("Y", "M"):
        return unit, count
    if not is_timestamp:
        raise TypeError(f"{time!r}: years and months have no fixed length")
    return "D", _days_of_month(count * 12 if unit == "Y" else count)


def count_of_time(time, unit, is_timestamp):
    """A time of Python, pandas or NumPy as a number of `unit`; None for other objects.

    Raises an OverflowError with the attribute `above` if the number does not fit in 64 bits.
    """
    if isinstance(time, np.ndarray) and time.ndim == 0 and time.dtype.kind in "mM":
        time = time[()]  # NumPy makes an array from a datetime64 on the left side of an operator
    if isinstance(time, (list, tuple)) or getattr(time, "ndim", 0) != 0 or not isinstance(
        time, (str, datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
    ):
        return None
    local, ahead = time, 0  # ahead of UTC, in microseconds
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        if hasattr(time, "tz_convert"):
            local = time.tz_convert(None)
        else:
            ahead = (time.utcoffset() or datetime.timedelta()) // _MICROSECOND
            local = time.replace(tzinfo=None)
    # pandas' classes derive from Python's. NumPy would read them as Python's times, without nanoseconds; these methods keep
    # them.
    for name in ("to_datetime64", "to_timedelta64"):
        if hasattr(local, name):
            local = getattr(local, name)()
    if isinstance(local, datetime.timedelta) and not is_timestamp:
        own_unit, count = "us", local // _MICROSECOND  # may need more than NumPy's 64 bits
    else:
        own_unit, count = _count_in_numpy(time, local, is_timestamp)
    if own_unit != "generic":
        attoseconds = count * _ATTOSECONDS[own_unit] - ahead * _ATTOSECONDS["us"]
        count, rest = divmod(attoseconds, _ATTOSECONDS[unit])
        if rest:
            raise ValueError(f"{time!r} is not a whole number of the unit {unit!r}")
    if not _MIN <= count <= _MAX:
        raise _BeyondError(f"{time!r} does not fit in 64 bits of the unit {unit!r}", count > 0)
    return count


def is_point_in_time(time):
    """True for datetime and similar objects, False for timedelta and similar objects, None for others."""
    kind = getattr(getattr(time, "dtype", None), "kind", None)
    if kind in ("m", "M"):
        return kind == "M"
    if isinstance(time, datetime.timedelta):
        return False
    return True if isinstance(time, datetime.date) else None


def _fits(timedelta, unit):
    count, rest = divmod(timedelta // _MICROSECOND, 1000 ** (2 - _UNITS.index(unit)))
    return rest == 0 and _MIN <= count <= _MAX


def dtype_and_count_of_time(time):
    """(dtype, count) of a time of Python, pandas or NumPy in its own unit; (None, None) of NaT; None of other objects."""
    is_point = None if getattr(time, "ndim", 0) else is_point_in_time(time)
    if is_point is None:
        return None
    if time != time:  # only NaT is not equal to itself
        return None, None
    for name in ("to_datetime64", "to_timedelta64"):
        if hasattr(time, name):
            unit = getattr(time, "unit", "ns")  # of pandas; its releases before 2 have only nanoseconds
            break
    else:
        if hasattr(time, "dtype"):
            unit = np.datetime_data(time.dtype)[0]
        elif isinstance(time, datetime.timedelta):
            unit = next((unit for unit in ("us", "ms", "s") if _fits(time, unit)), "us")
        else:
            unit = "us" if isinstance(time, datetime.datetime) else "s"
    if unit == "generic":
        raise TypeError(f"{time!r} has no unit; give it one, as in np.timedelta64(3, 's')")
    if unit in _SECONDS:
        unit = "s"
    if unit not in _UNITS:
        raise TypeError(f"times of the unit {unit!r} have no dtype; convert them to s, ms, us or ns")
    return f"{'timestamp' if is_point else 'duration'}[{unit}]", count_of_time(time, unit, is_point)


def _comparison(function, if_above, if_below):
    """`function`, extended to times that do not fit in their unit. if_above, if_below: the result if y is above, or below,
    every x."""

    def compare(x, y):
        try:
            return function(x, y)
        except _BeyondError as error:
            turned = not isinstance(x, (_core.Tensor, _core.RaggedTensor))
            answer = if_above if error.above != turned else if_below
            # True or false for every element; absent elements stay absent.
            return (_core.greater_equal if answer else _core.less)(_core.identity(y if turned else x), _MIN)

    compare.__name__ = compare.__qualname__ = function.__name__
    compare.__doc__ = function.__doc__
    return compare


_ANSWERS = {
    "equal": (False, False),
    "not_equal": (True, True),
    "less": (True, False),
    "less_equal": (True, False),
    "greater": (False, True),
    "greater_equal": (False, True),
}
COMPARISONS = {name: _comparison(getattr(_core, name), *answers) for name, answers in _ANSWERS.items()}


def compare_beyond(value_class):
    """Makes the comparison operators of a class of values accept times that do not fit in their unit."""
    operators = {"__eq__": "equal", "__ne__": "not_equal", "__lt__": "less"}
    operators.update({"__le__": "less_equal", "__gt__": "greater", "__ge__": "greater_equal"})
    for operator, name in operators.items():
        setattr(value_class, operator, _comparison(getattr(value_class, operator), *_ANSWERS[name]))


def _exact_fill(fill_value, dtype):
    """fill_value as an element of the array's dtype. Fractions are rounded. Raises TypeError if it is not such an element."""
    found = np.asarray(fill_value)
    kind = dtype.kind
    if found.ndim == 0 and kind in "mM":
        if isinstance(fill_value, (int, np.integer)) and not isinstance(fill_value, (bool, np.timedelta64)):
            fits = _MIN <= fill_value <= _MAX
            return np.array(int(fill_value)).astype(dtype) if fits else _no_fill(fill_value, dtype)
        if str(fill_value) == "NaT":  # NumPy's or pandas' NaT, or the text
            return np.array("NaT", dtype=dtype)
        try:
            count = count_of_time(fill_value, np.datetime_data(dtype)[0], kind == "M")
        except (TypeError, ValueError, OverflowError) as error:
            return _no_fill(fill_value, dtype, error)
        return _no_fill(fill_value, dtype) if count is None else np.array(count).astype(dtype)
    if found.ndim == 0 and found.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            filled = found.astype(dtype)
        if kind == "f" and found.dtype.kind == "f":
            fits = np.isfinite(filled) == np.isfinite(found)
        else:
            fits = filled.item() == found.item()
        if fits:
            return filled
    return _no_fill(fill_value, dtype)


def _no_fill(fill_value, dtype, error=None):
    raise TypeError(f"fill_value={fill_value!r} is not an element of {dtype}") from error


def _fill(array, present, fill_value):
    if present is not None and fill_value is not None:
        fill_value = _exact_fill(fill_value, array.dtype)
    if present is None or present.all():
        return array
    if fill_value is None:
        if array.dtype.kind == "f":
            fill_value = np.nan
        elif array.dtype.kind in "mM":
            fill_value = np.array("NaT", dtype=array.dtype)
        else:
            absent = present.size - np.count_nonzero(present)
            raise ValueError(
                f"{absent} of {present.size} elements are absent, and NumPy's {array.dtype} has no value for that; "
                f"give to_numpy(fill_value=...)"
            )
    filled = array.copy()
    filled[~present] = fill_value
    return filled


def _strings(tensor, fill_value):
    strings = [tensor.item()] if tensor.rank == 0 else tensor.reshape([-1]).to_py()
    if fill_value is not None and tensor.nullable:
        if not isinstance(fill_value, str if tensor.dtype == "string" else bytes):
            raise TypeError(f"fill_value={fill_value!r} is not an element of {tensor.dtype}")
        strings = [fill_value if text is None else text for text in strings]
    if tensor.dtype == "bytes" or not hasattr(np.dtypes, "StringDType"):
        array = np.empty(len(strings), dtype=object)
        array[:] = strings
    elif any(text is None for text in strings):
        array = np.array(strings, dtype=np.dtypes.StringDType(na_object=None))
    else:
        array = np.array(strings, dtype=np.dtypes.StringDType())
    return array.reshape(tensor.shape)


def tensor_to_numpy(self, fill_value=None):
    """The elements as a NumPy array. Numbers and times are shared and read-only, unless absent elements are filled.

    fill_value replaces absent elements. Default: NaN, NaT or None, if the array's dtype has such a value. Raises TypeError if
    elements may be absent and fill_value does not fit the dtype. Fractions are rounded to the precision of the dtype.
    """
    dtype = self.dtype
    if dtype in ("string", "bytes"):
        return _strings(self, fill_value)
    array = self._stored_array()
    if dtype == "float16":
        array = array.view(np.float16)
    elif dtype == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    elif dtype.startswith("timestamp["):
        array = array.view(f"datetime64[{dtype[10:-1]}]")
    elif dtype.startswith("duration["):
        array = array.view(f"timedelta64[{dtype[9:-1]}]")
    validity = self.validity
    return _fill(array, None if validity is None else validity._stored_array(), fill_value)


def ragged_to_numpy(self, fill_value=None):
    """An array of objects, with one array for each row."""
    rows = np.empty(self.nrows, dtype=object)
    for i, row in enumerate(self):
        rows[i] = row.to_numpy(fill_value)
    return rows


def _is_shared(value, array):
    shareable = isinstance(value, _core.Tensor) and value.dtype not in ("string", "bytes")
    return shareable and np.may_share_memory(array, value._stored_array())


def array(self, dtype=None, copy=None):
    """NumPy's protocol: numpy.asarray(value) calls this."""
    result = self.to_numpy()
    if copy is False and result.size and not _is_shared(self, result):
        raise ValueError(f"a copy is needed for {self.spec!r}, whose elements do not have NumPy's memory layout")
    if dtype is not None and result.dtype != dtype:
        if copy is False:
            raise ValueError("a copy is needed for another dtype")
        return result.astype(dtype)
    return result.copy() if copy else result


def no_array(self, dtype=None, copy=None):
    """Raises an error, because structs are not an array of numbers. Without this method, NumPy would read them one by one."""
    raise TypeError(
        "a StructuredTensor is not an array; take a field of it, or use to_py(), to_pandas() or, for TensorFlow, "
        "structtensor.tf.from_structtensor()"
    )


UFUNCS = {
    getattr(np, operation.ufunc): COMPARISONS.get(name) or getattr(_core, name)
    for name, operation in _operations.ALL.items()
    if operation.ufunc
} | {np.positive: _core.identity}

_OF_WHOLE_NUMBERS = frozenset((np.floor, np.ceil, np.trunc))  # of integers and booleans, these are the value itself
# Functions of fractions: like NumPy's, they take integers and booleans, too, as doubles. NumPy's reciprocal of an integer is an
# integer.
_FLOATING_POINT = frozenset(
    getattr(np, operation.ufunc)
    for operation in _operations.ALL.values()
    if operation.elements == "fractions" and operation.ufunc not in ("", "reciprocal")
) - _OF_WHOLE_NUMBERS | {np.rint}


def _is_whole(x):
    """Whether the elements are integers or booleans."""
    if isinstance(x, (_core.Tensor, _core.RaggedTensor)):
        return x.dtype in ("bool", "int32", "int64", "uint32", "uint64")
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "biu" or isinstance(x, int)


def _as_floating_point(x):
    """The elements as doubles, if they are integers or booleans."""
    if not _is_whole(x):
        return x
    if isinstance(x, (_core.Tensor, _core.RaggedTensor)):
        return _core.cast(x, "double")
    return float(x) if isinstance(x, int) else x.astype("double")


def _counted(x, name):
    """The elements and the reduction that give NumPy's result: sums of integers have 64 bits, nonzero numbers are true."""
    if not isinstance(x, (_core.Tensor, _core.RaggedTensor)):
        return x, name
    dtype = x.dtype
    if dtype == "bool" and name in ("max", "min"):
        return x, "any" if name == "max" else "all"
    wide = {"bool": "int64", "int32": "int64", "uint32": "uint64"}
    if name in ("sum", "prod") and dtype in wide:
        return _core.cast(x, wide[dtype]), name
    if name in ("mean", "variance", "std") and dtype == "bool":
        return _core.cast(x, "double"), name
    if name in ("any", "all") and dtype not in ("bool", "string", "bytes"):
        return _core.cast(x, "bool"), name
    return x, name


def _refuse_extremes_of_nothing(x, name, axis):
    """Raises ValueError, as NumPy does, for the largest or smallest element of no elements."""
    if not isinstance(x, (_core.Tensor, _core.RaggedTensor)):
        return
    ordered = _core.cast(x, "int64") if x.dtype == "bool" else x
    # Without elements, the maximum is the least number of the dtype, and the minimum is the greatest one.
    empty = _core.less(_core.reduce_max(ordered, axis=axis), _core.reduce_min(ordered, axis=axis))
    if _core.reduce_any(empty).to_py():
        raise ValueError(
            f"{name} of no elements, or of absent elements only, has no value; st.reduce_{name}() returns the "
            f"{'least' if name == 'max' else 'greatest'} number of the dtype for them"
        )


def _reduction(name):
    """The function for values that implements numpy.sum(x, axis=..., keepdims=...) or a similar one."""

    def reduce(x, axis=None, keepdims=False):
        if name in ("max", "min"):
            _refuse_extremes_of_nothing(x, name, axis)
        x, own_name = _counted(x, name)
        return getattr(_core, "reduce_" + own_name)(x, axis=axis, keepdims=bool(keepdims))

    return reduce


_REDUCTIONS = {
    np.sum: _reduction("sum"),
    np.prod: _reduction("prod"),
    np.mean: _reduction("mean"),
    np.var: _reduction("variance"),
    np.std: _reduction("std"),
    np.max: _reduction("max"),
    np.amax: _reduction("max"),
    np.min: _reduction("min"),
    np.amin: _reduction("min"),
    np.any: _reduction("any"),
    np.all: _reduction("all"),
}
_REDUCING_UFUNCS = {
    np.add: _REDUCTIONS[np.sum],
    np.multiply: _REDUCTIONS[np.prod],
    np.maximum: _REDUCTIONS[np.max],
    np.minimum: _REDUCTIONS[np.min],
    np.logical_or: _REDUCTIONS[np.any],
    np.logical_and: _REDUCTIONS[np.all],
}


def _refuse_arguments(function, arguments):
    for name, given in arguments.items():
        if given is not None and given is not np._NoValue and not (name == "ddof" and given == 0):
            raise TypeError(
                f"{function.__name__}: the argument {name} is not supported for values of structtensor; to use NumPy's "
                f"own function, pass value.to_numpy()"
            )


def array_function(self, function, types, args, kwargs):
    """NumPy's protocol: numpy.sum(value, axis=1) and the other reductions call our functions. Other functions get arrays."""
    ours = (_core.Tensor, _core.RaggedTensor)
    if not all(issubclass(each, ours) or each.__array_function__ is np.ndarray.__array_function__ for each in types):
        return NotImplemented  # an array of another library, whose function is asked next
    reduce = _REDUCTIONS.get(function)
    if reduce is None or not isinstance(args[0] if args else kwargs.get("a"), ours):
        return np.ndarray.__array_function__(np.empty(0), function, (), args, kwargs)
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    value, axis, keepdims = given.pop("a"), given.pop("axis", None), given.pop("keepdims", np._NoValue)
    _refuse_arguments(function, given)
    return reduce(value, axis, keepdims is not np._NoValue and keepdims)


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """NumPy's protocol: numpy.sqrt(ragged) and array + ragged call our functions, with ragged broadcasting."""
    if any(hasattr(type(one), "_annotations_of_fields") for one in inputs):
        return NotImplemented  # the extension type is asked next
    if method == "reduce" and ufunc in _REDUCING_UFUNCS:
        axis, keepdims = kwargs.pop("axis", 0), kwargs.pop("keepdims", False)
        _refuse_arguments(ufunc, kwargs)
        return _REDUCING_UFUNCS[ufunc](inputs[0], axis, keepdims)
    function = UFUNCS.get(ufunc)
    if function is None or method != "__call__" or kwargs:
        return NotImplemented
    if ufunc in _OF_WHOLE_NUMBERS and _is_whole(inputs[0]):
        return _core.identity(inputs[0])
    if ufunc in _FLOATING_POINT:
        inputs = map(_as_floating_point, inputs)
    return function(*inputs)
