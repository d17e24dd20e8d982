"""NumPy's arrays, its protocols, and Python's times."""

import datetime

import numpy as np

from . import _core

_FLOATS = {2: "float16", 4: "float", 8: "double"}
_UNITS = ("s", "ms", "us", "ns")


def _from_memory(array, dtype, validity=None):
    array = np.ascontiguousarray(array)
    if validity is not None:
        validity = np.ascontiguousarray(validity, dtype=np.bool_).reshape(-1)
    return _core._tensor_from_memory(dtype, array.shape, array.reshape(-1), None, validity)


def _of_times(array):
    name = "timestamp" if array.dtype.kind == "M" else "duration"
    unit, step = np.datetime_data(array.dtype)
    if unit in ("W", "D", "h", "m") or (unit in _UNITS and step != 1):
        unit = unit if unit in _UNITS else "s"
        array = array.astype(f"{array.dtype.kind}8[{unit}]")
    if unit not in _UNITS:
        raise TypeError(f"times of the unit {unit!r} have no dtype; convert them to s, ms, us or ns")
    absent = np.isnat(array)
    return _from_memory(array.view("int64"), f"{name}[{unit}]", ~absent if absent.any() else None)


def value_of_array(array_like):
    """The tensor with the elements of an array, which are copied; what holds texts or objects is read as nested lists."""
    array = np.asarray(array_like)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    kind, size = array.dtype.kind, array.dtype.itemsize
    # ascontiguousarray makes a vector of a scalar.
    if array.ndim == 0:
        return value_of_array(array.reshape(1))[0]
    if kind == "b":
        return _from_memory(array, "bool")
    if kind in "iu":
        name = "int" if kind == "i" else "uint"
        return _from_memory(array.astype(f"{kind}4") if size < 4 else array, f"{name}{8 * max(size, 4)}")
    if kind == "f" and size in _FLOATS:
        return _from_memory(array, _FLOATS[size])
    if kind in "mM":
        return _of_times(array)
    if kind in "UT":
        return _core.constant(array.reshape(-1).tolist(), dtype="string").reshape(array.shape)
    if kind == "S":
        return _core.constant(array.reshape(-1).tolist(), dtype="bytes").reshape(array.shape)
    if kind == "O":
        return _core.constant(array.tolist())
    raise TypeError(f"arrays of {array.dtype} have no dtype here")


def count_of_time(time, unit, is_timestamp):
    """A time of Python or NumPy as a number of `unit`; None for what is no single time."""
    if isinstance(time, (list, tuple)) or getattr(time, "ndim", 0) != 0 or not isinstance(
        time, (str, datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
    ):
        return None
    if isinstance(time, datetime.datetime) and time.tzinfo is not None:
        time = time.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    kind = "M" if is_timestamp else "m"
    try:
        exact = np.datetime64(time) if is_timestamp else np.timedelta64(time)
    except (ValueError, TypeError) as error:
        expected = "a point in time" if is_timestamp else "a length of time"
        raise TypeError(f"expected {expected}, found {time!r}") from error
    if np.isnat(exact):
        raise ValueError("not-a-time is no value; absent values are found by their validity")
    converted = exact.astype(f"{kind}8[{unit}]")
    if converted != exact:
        raise ValueError(f"{time!r} is no whole number of the unit {unit!r}")
    return int(converted.astype("int64"))


def _fill(array, present, fill_value):
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
    texts = [tensor.item()] if tensor.rank == 0 else tensor.reshape([-1]).to_py()
    if fill_value is not None:
        texts = [fill_value if text is None else text for text in texts]
    if tensor.dtype == "bytes" or not hasattr(np.dtypes, "StringDType"):
        array = np.empty(len(texts), dtype=object)
        array[:] = texts
    elif any(text is None for text in texts):
        array = np.array(texts, dtype=np.dtypes.StringDType(na_object=None))
    else:
        array = np.array(texts, dtype=np.dtypes.StringDType())
    return array.reshape(tensor.shape)


def tensor_to_numpy(self, fill_value=None):
    """The elements as a NumPy array; numbers and times are shared and read-only, unless absent ones are filled in.

    fill_value stands where an element is absent. Default: NaN, NaT or None, where the array's dtype has such a value.
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
    """An array of objects, one array for each row."""
    rows = np.empty(self.nrows, dtype=object)
    for i, row in enumerate(self):
        rows[i] = row.to_numpy(fill_value)
    return rows


def array(self, dtype=None, copy=None):
    """NumPy's protocol: what numpy.asarray(value) calls."""
    result = self.to_numpy()
    if dtype is not None and result.dtype != dtype:
        if copy is False:
            raise ValueError("a copy is needed for another dtype")
        return result.astype(dtype)
    return result.copy() if copy else result


def no_array(self, dtype=None, copy=None):
    """Structs are no array of numbers; NumPy would look at them one by one."""
    raise TypeError("a StructuredTensor is no array; take a field of it, or use to_py() or to_pandas()")


_UFUNCS = {
    np.add: _core.add,
    np.subtract: _core.subtract,
    np.multiply: _core.multiply,
    np.true_divide: _core.divide,
    np.floor_divide: _core.floor_divide,
    np.remainder: _core.mod,
    np.power: _core.power,
    np.maximum: _core.maximum,
    np.minimum: _core.minimum,
    np.equal: _core.equal,
    np.not_equal: _core.not_equal,
    np.less: _core.less,
    np.less_equal: _core.less_equal,
    np.greater: _core.greater,
    np.greater_equal: _core.greater_equal,
    np.logical_and: _core.logical_and,
    np.logical_or: _core.logical_or,
    np.logical_xor: _core.logical_xor,
    np.bitwise_and: _core.bitwise_and,
    np.bitwise_or: _core.bitwise_or,
    np.bitwise_xor: _core.bitwise_xor,
    np.negative: _core.negative,
    np.absolute: _core.abs,
    np.sign: _core.sign,
    np.square: _core.square,
    np.sqrt: _core.sqrt,
    np.exp: _core.exp,
    np.log: _core.log,
    np.floor: _core.floor,
    np.ceil: _core.ceil,
    np.isnan: _core.is_nan,
    np.rint: _core.round,
    np.logical_not: _core.logical_not,
    np.invert: _core.invert,
    np.trunc: _core.trunc,
    np.isinf: _core.is_inf,
    np.isfinite: _core.is_finite,
    np.reciprocal: _core.reciprocal,
    np.cbrt: _core.cbrt,
    np.expm1: _core.expm1,
    np.log1p: _core.log1p,
    np.log2: _core.log2,
    np.log10: _core.log10,
    np.sin: _core.sin,
    np.cos: _core.cos,
    np.tan: _core.tan,
    np.arcsin: _core.asin,
    np.arccos: _core.acos,
    np.arctan: _core.atan,
    np.sinh: _core.sinh,
    np.cosh: _core.cosh,
    np.tanh: _core.tanh,
    np.arcsinh: _core.asinh,
    np.arccosh: _core.acosh,
    np.arctanh: _core.atanh,
    np.arctan2: _core.atan2,
    np.hypot: _core.hypot,
    np.left_shift: _core.left_shift,
    np.right_shift: _core.right_shift,
    np.positive: _core.identity,
}


def array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """NumPy's protocol: numpy.sqrt(ragged) and array + ragged are ours, with ragged broadcasting."""
    function = _UFUNCS.get(ufunc)
    if function is None or method != "__call__" or kwargs:
        return NotImplemented
    return function(*inputs)
