"""Arrow columns and Python objects: single values, lists and dicts, which pandas keeps in columns of objects.

Both directions agree on these rules, at every depth:

    absent values      None. pandas' NA and NaT, and NaN where no number is, are read as absent, too
    NaN                a number. Only in the column itself, outside of lists and dicts, pandas marks absent values with it
    lists              NumPy arrays. If some numbers are absent, the array has objects
    times              in lists, NumPy's datetime64 and timedelta64; in dicts, pandas.Timestamp and Timedelta. All of these have
                       a unit, which is kept, and times of a coarser unit beside them are converted
"""

import collections.abc
import datetime
import decimal
import itertools

import numpy as np

from . import _numpy

_UNITS = ("s", "ms", "us", "ns")
_MAX_DEPTH = 100
# Python's calendar, without the days that another time zone may move out of it.
_FIRST, _LAST = np.datetime64("0001-01-03"), np.datetime64("9999-12-29")


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("this needs pandas: pip install pandas") from error
    return pandas


def _pyarrow():
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("this needs pyarrow: pip install pyarrow") from error
    return pyarrow


# --- From Arrow


def _rows_of(inner, splits, present):
    """Row i has the elements [splits[i], splits[i+1]) of `inner`, which is an array or a list. Absent rows are None."""
    rows = np.empty(len(splits) - 1, dtype=object)
    for i, (start, limit) in enumerate(zip(splits[:-1], splits[1:])):
        if present is None or present[i]:
            rows[i] = inner[start:limit]
    return rows


def _times_in_dicts(times, timezone):
    """datetime64 or timedelta64 as a list of pandas' objects. What Python's calendar does not have stays datetime64."""
    pandas = _pandas()
    absent = np.isnat(times)
    if times.dtype.kind == "m":
        found = list(pandas.TimedeltaIndex(times))
    else:
        # Nanoseconds never leave the calendar, and its ends do not fit in them.
        is_wide = np.datetime_data(times.dtype)[0] != "ns"
        beyond = ~absent & ((times < _FIRST) | (times > _LAST)) if is_wide else np.zeros_like(absent)
        index = pandas.DatetimeIndex(np.where(beyond, np.array("NaT", times.dtype), times))
        found = list(index if timezone is None else index.tz_localize("UTC").tz_convert(timezone))
        for i in np.flatnonzero(beyond):
            found[i] = times[i]
    for i in np.flatnonzero(absent):
        found[i] = None
    return found


def _in_dicts(array, timezone):
    """The elements as a list of objects that a dict, or an entry of a map, can have."""
    elements = to_objects(array, timezone)
    return _times_in_dicts(elements, timezone) if elements.dtype.kind in "mM" else elements.tolist()


def _of_nested(array, timezone):
    """The elements of lists, maps or structs; None for other types."""
    types, count = _pyarrow().types, len(array)
    present = array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else None
    if types.is_struct(array.type):
        names = [array.type.field(i).name for i in range(array.type.num_fields)]
        columns = [_in_dicts(array.field(i), timezone) for i in range(len(names))]
        rows = np.empty(count, dtype=object)
        for i, values in enumerate(zip(*columns) if columns else [()] * count):
            if present is None or present[i]:
                rows[i] = dict(zip(names, values))
        return rows
    if types.is_fixed_size_list(array.type):
        size = array.type.list_size
        inner = array.values.slice(array.offset * size, count * size)
        return _rows_of(to_objects(inner, timezone), np.arange(count + 1) * size, present)
    is_map = types.is_map(array.type)
    if not is_map and not types.is_list(array.type) and not types.is_large_list(array.type):
        return None
    splits = array.offsets.to_numpy()
    start, size = int(splits[0]), int(splits[-1] - splits[0])
    splits = (splits - start).tolist()
    if not is_map:
        return _rows_of(to_objects(array.values.slice(start, size), timezone), splits, present)
    parts = [_in_dicts(part.slice(start, size), timezone) for part in (array.keys, array.items)]
    return _rows_of(list(zip(*parts)), splits, present)


def to_objects(array, timezone):
    """The elements of a pyarrow array as a NumPy array: one of objects for nested types and wherever elements are absent.

    timezone   of the timestamps in dicts; None for timestamps without a time zone. Those in lists are NumPy's, in UTC
    """
    types = _pyarrow().types
    nested = _of_nested(array, timezone)
    if nested is not None:
        return nested
    is_time = types.is_timestamp(array.type) or types.is_duration(array.type)
    is_number = types.is_integer(array.type) or types.is_floating(array.type) or types.is_boolean(array.type)
    if is_time or (is_number and array.null_count == 0):
        elements = array.to_numpy(zero_copy_only=False)
        return elements if elements.flags.writeable else elements.copy()
    elements = np.empty(len(array), dtype=object)
    elements[:] = array.to_pylist()
    return elements


# --- To Arrow


class _Place:
    """What was found at one path: in one column, list, or field of dicts."""

    def __init__(self):
        self.kinds = set()  # "number", "nan", "timestamp", "duration", or "other"
        self.classes = set()  # of its times
        self.unit = 0  # the finest of its times
        self.times = []  # in the order in which they are visited: objects, and arrays of NumPy
        self.has_marks = False  # NA or NaT
        self.large = False  # integers that only uint64 has room for
        self.counts = None  # of the times, if they must be converted

    def add_time(self, time, kind, unit):
        self.kinds.add(kind)
        self.classes.add((type(time), unit))
        self.unit = max(self.unit, _UNITS.index(unit))
        self.times.append(time)


def _unit_of(time):
    """The unit that holds a time of Python, pandas or NumPy, as far as there is one."""
    if isinstance(time, (np.ndarray, np.generic)):
        unit = np.datetime_data(time.dtype)[0]
        return unit if unit in _UNITS else "ns" if unit in ("ps", "fs", "as") else "s"
    unit = getattr(time, "unit", None)
    if unit in _UNITS:
        return unit
    return "us" if isinstance(time, (datetime.datetime, datetime.timedelta)) else "s"


def _is_list(value):
    return isinstance(value, (list, tuple, set)) or (isinstance(value, np.ndarray) and value.ndim == 1)


class _Survey:
    """The places of a column of objects. A path has a name for each dict, and None for each list."""

    def __init__(self, values):
        self.places = {}
        self._na = (_pandas().NA, _pandas().NaT)
        self._look_at_all(values, ())

    def _look_at_all(self, values, path):
        place = self._place_at(path)
        for value in values:
            self._look(value, path, place)

    def _place_at(self, path):
        place = self.places.get(path)
        if place is None:
            if len(path) > _MAX_DEPTH:
                raise ValueError(f"lists and dicts are nested deeper than {_MAX_DEPTH} levels")
            place = self.places[path] = _Place()
        return place

    def _look(self, value, path, place):
        if value is None:
            return
        if isinstance(value, (str, bytes, bool)):
            place.kinds.add("other")
        elif isinstance(value, dict):
            place.kinds.add("other")
            for name, item in value.items():
                if not isinstance(name, str):
                    raise TypeError(f"the keys of a dict are field names and must be str; found {name!r:.100}")
                inner = (*path, name)
                self._look(item, inner, self._place_at(inner))
        elif _is_list(value):
            place.kinds.add("other")
            self._look_at_list(value, (*path, None))
        elif isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
            place.kinds.add("number")
            place.large |= 2**63 <= value < 2**64
        elif isinstance(value, (float, np.floating)):
            place.kinds.add("number" if value == value else "nan")
        elif any(value is mark for mark in self._na) or (isinstance(value, decimal.Decimal) and value.is_nan()):
            place.has_marks = True
        elif isinstance(value, (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)):
            if isinstance(value, np.generic) and np.isnat(value):
                place.has_marks = True
            else:
                place.add_time(value, "timestamp" if _numpy.is_point_in_time(value) else "duration", _unit_of(value))
        elif isinstance(value, collections.abc.Mapping):
            self._look(dict(value), path, place)
        else:
            place.kinds.add("other")

    def _look_at_list(self, values, path):
        kind = values.dtype.kind if isinstance(values, np.ndarray) else "O"
        if kind == "O":
            self._look_at_all(values, path)
            return
        place = self._place_at(path)
        if kind in "mM":
            place.add_time(values, "timestamp" if kind == "M" else "duration", _unit_of(values))
        elif len(values):
            place.kinds.add("number" if kind in "iuf" else "other")
            place.large |= kind == "u" and bool(values.max() >= 2**63)


def _counts_in(array, unit):
    """datetime64 or timedelta64 as a list of integers, and None for NaT. Raises OverflowError or ValueError for times that are
    not whole numbers of the unit."""
    absent = np.isnat(array)
    counts = array.astype(f"{array.dtype.kind}8[{unit}]")
    lost = np.flatnonzero((counts.astype(array.dtype) != array) & ~absent)
    if len(lost):
        time = array[lost[0]]
        _numpy.count_of_time(time, unit, array.dtype.kind == "M")  # raises an error that says why
        raise ValueError(f"{time!r} is not a whole number of the unit {unit!r}")
    counts = counts.astype("int64").tolist()
    for i in np.flatnonzero(absent):
        counts[i] = None
    return counts


def _resolve_times(place):
    """Sets the unit and the counts of a place with times. Its finest unit is used, or if that has no room, a coarser one that
    loses nothing."""
    kinds = place.kinds - {"nan"}
    if len(kinds) > 1:
        shown = {"number": "numbers", "timestamp": "points in time", "duration": "lengths of time", "other": "other values"}
        raise TypeError(f"it mixes {' and '.join(sorted(shown[kind] for kind in kinds))}, and no dtype holds both")
    (kind,) = kinds
    classes = {each for each, _ in place.classes}
    if len(place.classes) == 1 and classes <= {datetime.datetime, datetime.date, datetime.timedelta, np.ndarray}:
        if classes != {np.ndarray} or all(np.datetime_data(each.dtype) == (_UNITS[place.unit], 1) for each in place.times):
            return  # pyarrow reads them exactly
    first_error = None
    for unit in reversed(_UNITS[: place.unit + 1]):
        try:
            place.counts = iter(
                [
                    _counts_in(time, unit) if isinstance(time, np.ndarray) else
                    _numpy.count_of_time(time, unit, kind == "timestamp")
                    for time in place.times
                ]
            )
        except (OverflowError, ValueError) as error:
            if first_error is None:
                first_error = error
            if isinstance(first_error, OverflowError) and unit != "s":
                continue
            raise first_error from None
        place.unit = _UNITS.index(unit)
        return


class _Replacement:
    """Replaces what pyarrow would not read as it is: marks of absent values, and times by their counts."""

    def __init__(self, survey, is_nan_absent, without_large):
        self._places = survey.places
        self._na = survey._na
        self._is_nan_absent = is_nan_absent
        self._without_large = without_large
        self._paths = set()  # of places where something is replaced, and all places around them
        for path, place in survey.places.items():
            has_nan = "nan" in place.kinds and not self._is_number(path, place)
            if place.has_marks or has_nan or place.counts is not None or (without_large and place.large):
                self._paths.update(path[:i] for i in range(len(path) + 1))

    def _is_number(self, path, place):
        """Whether NaN is a number at this place."""
        return place.kinds <= {"number", "nan"} and not (self._is_nan_absent and path == ())

    def of_all(self, values, path=()):
        if path not in self._paths:
            return values
        place = self._places[path]
        return [self._of(value, path, place) for value in values]

    def _of(self, value, path, place):
        if value is None or isinstance(value, (str, bytes, bool)):
            return value
        if isinstance(value, (float, np.floating)):
            return value if value == value or self._is_number(path, place) else None
        if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
            return 0 if self._without_large and 2**63 <= value < 2**64 else value
        if any(value is mark for mark in self._na) or (isinstance(value, decimal.Decimal) and value.is_nan()):
            return None
        if isinstance(value, (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)):
            if isinstance(value, np.generic) and np.isnat(value):
                return None
            return value if place.counts is None else next(place.counts)
        if isinstance(value, collections.abc.Mapping):
            return {name: self.of_all((item,), (*path, name))[0] for name, item in value.items()}
        if _is_list(value):
            inner = (*path, None)
            if isinstance(value, np.ndarray) and value.dtype.kind != "O":
                if self._without_large and value.dtype.kind == "u":
                    return np.zeros(len(value), "int64")
                is_counted = value.dtype.kind in "mM" and self._places[inner].counts is not None
                return next(self._places[inner].counts) if is_counted else value
            return self.of_all(value, inner)
        return value


def map_type(type_, change, path=()):
    """The Arrow type with `change(type, path)` in place of each innermost type. A path has a name for each struct, and None
    for each list."""
    types = _pyarrow().types
    if types.is_struct(type_):
        fields = [type_.field(i) for i in range(type_.num_fields)]
        return _pyarrow().struct([each.with_type(map_type(each.type, change, (*path, each.name))) for each in fields])
    for is_list, list_of in ((types.is_list, _pyarrow().list_), (types.is_large_list, _pyarrow().large_list)):
        if is_list(type_):
            return list_of(type_.value_field.with_type(map_type(type_.value_type, change, (*path, None))))
    if types.is_map(type_):
        return _pyarrow().map_(type_.key_type, map_type(type_.item_type, change, (*path, "value")))
    return change(type_, path)


# The types of objects that pyarrow reads as they are, if it reads them at all.
_PLAIN = {type(None), bool, bytes, dict, float, int, list, np.ndarray, str, tuple}
_MAX_PLAIN_DEPTH = 8


def _are_plain(values):
    """Whether there are only plain objects in lists and dicts that are not nested deep. They may contain themselves."""
    level = values
    for _ in range(_MAX_PLAIN_DEPTH):
        kinds = set(map(type, level))
        if not kinds <= _PLAIN:
            return False
        inner = []
        if dict in kinds:
            dicts = list({id(value): value for value in level if type(value) is dict}.values())
            if not set(map(type, itertools.chain.from_iterable(dicts))) <= {str}:
                return False
            inner.extend(itertools.chain.from_iterable(map(dict.values, dicts)))
        if list in kinds or tuple in kinds:
            lists = {id(value): value for value in level if type(value) is list or type(value) is tuple}
            inner.extend(itertools.chain.from_iterable(lists.values()))
        if np.ndarray in kinds:
            arrays = [value for value in level if type(value) is np.ndarray]
            if any(array.ndim != 1 or array.dtype.kind not in "biuf" for array in arrays):
                return False
        if not inner:
            return True
        level = inner
    return False


def _needs_survey(array):
    """Whether an array that pyarrow has made of plain objects may differ from them: NaN may be beside booleans, and integers of
    uint64 beside those of int64."""
    pyarrow = _pyarrow()
    types = pyarrow.types
    if types.is_struct(array.type):
        return any(_needs_survey(array.field(i)) for i in range(array.type.num_fields))
    if types.is_list(array.type):
        return _needs_survey(array.values)
    if types.is_floating(array.type):
        return bool(np.isnan(array.drop_null().to_numpy(zero_copy_only=False)).any())
    return types.is_uint64(array.type)


def _of_plain_objects(values):
    """The pyarrow array of objects that pyarrow reads as they are, or None if they have to be looked at one by one."""
    if not _are_plain(values):
        return None
    pyarrow = _pyarrow()
    try:
        array = pyarrow.array(values)
    except (pyarrow.ArrowException, OverflowError, TypeError, ValueError):
        return None  # the survey says what is wrong with them
    return None if _needs_survey(array) else array


# What pandas.api.types.infer_dtype() says of columns without lists, dicts and times.
_SINGLE = ("string", "bytes", "boolean", "integer", "floating", "mixed-integer-float", "decimal", "time", "empty")


def of_objects(values, is_nan_absent=True):
    """A pyarrow array of objects. Integers beyond int64 make their column, list or field uint64.

    is_nan_absent   whether NaN outside of lists and dicts is an absent value
    Raises TypeError, ValueError or pyarrow's errors for objects that have no common type, and OverflowError for numbers without
    room.
    """
    pyarrow = _pyarrow()
    if is_nan_absent and _pandas().api.types.infer_dtype(values, skipna=True) in _SINGLE:
        try:
            return pyarrow.array(values, from_pandas=True)
        except OverflowError:
            pass
    values = list(values)
    plain = _of_plain_objects(values)
    if plain is not None:
        return plain
    survey = _Survey(values)
    for place in survey.places.values():
        if place.times:
            _resolve_times(place)
    counted = {path: place for path, place in survey.places.items() if place.counts is not None}
    has_large = any(place.large for place in survey.places.values())

    def with_units(inner, path):
        if path in counted:
            unit = _UNITS[counted[path].unit]
            return pyarrow.timestamp(unit) if "timestamp" in counted[path].kinds else pyarrow.duration(unit)
        # By default, pyarrow stores integers as int64.
        place = survey.places.get(path)
        return pyarrow.uint64() if place is not None and place.large and inner == pyarrow.int64() else inner

    try:
        replaced = _Replacement(survey, is_nan_absent, False).of_all(values)
        if not counted and not has_large:
            return pyarrow.array(replaced)
        small = _Replacement(survey, is_nan_absent, True).of_all(replaced) if has_large else replaced
        return pyarrow.array(replaced, type=map_type(pyarrow.array(small).type, with_units))
    except OverflowError as error:
        raise OverflowError("its integers fit neither all in int64 nor all in uint64") from error
