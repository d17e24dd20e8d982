"""DataFrames and Series of pandas, both ways.

A DataFrame is a StructuredTensor of rank 1: each column is a field. The rules are those of TensorFlow's RFC:

    an index that is not the default RangeIndex    is the field "_index_"
    a MultiIndex of the rows with k levels         is a StructuredTensor of rank k: consecutive rows with equal values in all
                                                   levels but the last form a list
    a MultiIndex of the columns                    is structs inside structs

An index that has names is a struct with a field for each level: `{"_index_": {"host": ["a", "b"]}}`. If other levels have
names, a level without a name is the field "__index_level_0__" (or 1, 2, ...), as in pyarrow's files.
"""

import collections.abc
import difflib
import functools
import re

import numpy as np

from . import _arrow
from . import _core
from . import _errors
from . import _numpy
from . import _objects
from . import _signatures
from . import _validity
from ._objects import _pandas, _pyarrow

INDEX = "_index_"
_UNNAMED = re.compile(r"__index_level_(\d+)__")


# --- To pandas


def _tensor_to_series(tensor, timezone, present):
    pandas = _pandas()
    dtype = tensor.dtype
    if dtype == "string":
        # If pandas stores strings as Arrow does, they do not become Python objects.
        series = _pyarrow().array(tensor).to_pandas()
        return series if present is None else series.where(present)
    if dtype == "bytes":
        series = pandas.Series(tensor.to_py(), dtype=object)
        return series if present is None else series.where(present, None)
    if dtype.startswith("timestamp[") or dtype.startswith("duration["):
        series = pandas.Series(tensor.to_numpy())
        if present is not None:
            series = series.where(present)
        if dtype.startswith("duration[") or timezone is None:
            return series
        return series.dt.tz_localize("UTC").dt.tz_convert(timezone)
    if tensor.nullable:
        valid = tensor.validity.to_numpy()
        present = valid if present is None else valid & present
    if present is None:
        return pandas.Series(tensor.to_numpy())
    # A copy, because the Series owns its array. Absent elements are 0, so that equal values make equal frames.
    values = tensor.to_numpy(fill_value=0).copy()
    values[~present] = 0
    arrays = pandas.arrays
    array_class = {"b": arrays.BooleanArray, "i": arrays.IntegerArray, "u": arrays.IntegerArray}.get(values.dtype.kind)
    if array_class is None:
        array_class = arrays.FloatingArray
        if values.dtype.itemsize == 2:
            values = values.astype("float32")  # pandas has no Float16
    return pandas.Series(array_class(values, ~present))


def _to_series(value, timezone, present=None):
    """The rows as a Series. present: a mask of the rows that are present; None if rows cannot be absent."""
    if isinstance(value, _core.Tensor) and value.rank == 1:
        return _tensor_to_series(value, timezone, present)
    if not isinstance(value, (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor)):
        raise TypeError(
            f"pandas has no column type for {type(value).__name__}; select its fields, or drop it with without()"
        )
    series = _pandas().Series(_objects.to_objects(_pyarrow().array(value), timezone), dtype=object)
    return series if present is None else series.where(present, None)


def _with_categories(series, value, names):
    """A Series of strings as categories: first the names, in their order, then the strings that are not names."""
    if names is None or not isinstance(value, _core.Tensor):
        return series
    pandas = _pandas()
    known = set(names)
    others = [text for text in series.dropna().unique() if text not in known]
    return series.astype(pandas.CategoricalDtype([*names, *others]))


def array_to_pandas(self, *, timezone="UTC"):
    """The rows as a Series. Rows of rank 2 or more become NumPy arrays, of objects if numbers in them are absent.

    If elements may be absent, numbers and booleans have pandas' nullable dtypes (Int64, Float64, boolean). Other dtypes have
    NaN, NaT or None for absent elements. Timestamps are shown in `timezone`, or without a time zone if it is None; those in
    rows are NumPy's, in UTC. Elements are copied.
    """
    if self.rank == 0:
        raise ValueError("a Series has rank 1 or more, not 0; item() is the element of a scalar")
    return _to_series(self, timezone)


def _are_columns(value, nested):
    return nested == "columns" and isinstance(value, _core.StructuredTensor) and value.rank == 1 and value.field_names()


def _columns(rows, nested, path=(), *, present):
    """(path, value, mask of the rows whose enclosing structs are present, or None) of every column, in order."""
    for name in rows.field_names():
        value = rows[name]
        if not _are_columns(value, nested):
            yield (*path, name), value, present
            continue
        there = _validity.of_structs(value)
        if there is None or present is None:
            there = present if there is None else there
        else:
            there = there & present
        yield from _columns(value, nested, (*path, name), present=there)


def _index_of_positions(rows):
    """The position of each innermost struct along each axis, as a MultiIndex."""
    levels = []
    for partition in reversed(rows.row_partitions):
        # The positions along outer axes are repeated for each inner value.
        rowids = partition.value_rowids.to_numpy()
        positions = np.arange(partition.nvals) - partition.row_starts.to_numpy()[rowids]
        if not levels:
            levels, of_flat = [positions], rowids
        else:
            levels.insert(0, positions[of_flat])
            of_flat = rowids[of_flat]
    return _pandas().MultiIndex.from_arrays([of_flat, *levels])


def _level_name(name, i):
    unnamed = _UNNAMED.fullmatch(name)
    return None if unnamed and int(unnamed[1]) == i else name


def _to_index(value, timezone):
    pandas = _pandas()
    if not isinstance(value, _core.StructuredTensor):
        return pandas.Index(_to_series(value, timezone))
    if value.rank != 1 or not value.field_names():
        raise ValueError(
            f'the field "{INDEX}" is an index if each row has one element, or a struct of such; found {value.spec}'
        )
    levels = [_to_series(value[name], timezone) for name in value.field_names()]
    names = [_level_name(name, i) for i, name in enumerate(value.field_names())]
    if len(levels) == 1:
        return pandas.Index(levels[0], name=names[0])
    return pandas.MultiIndex.from_arrays(levels, names=names)


def table_to_pandas(self, *, nested="columns", timezone="UTC"):
    """The structs as a DataFrame: one row for each struct, one column for each field.

    nested    what inner structs become. "columns": levels of the columns' MultiIndex, as in TensorFlow's RFC. "dicts": one
              column of dicts, which keeps whether a struct is absent. Times in them are pandas.Timestamp and Timedelta
    timezone  the time zone in which timestamps are shown; None for times without a time zone. Timestamps in arrays are NumPy's,
              in UTC

    A field "_index_" becomes the index. Structs of rank 2 or more have a MultiIndex: from "_index_", or else of their
    positions. Rows without structs are not in it. Absent elements are as in a Series of one field. Repeated fields become
    arrays. Enums that are annotated as DICTIONARY become categories, if the Batch is as it was decoded.
    """
    pandas = _pandas()
    if nested not in ("columns", "dicts"):
        raise ValueError(f'nested = {nested!r}; expected "columns" or "dicts"')
    if self.rank == 0:
        raise ValueError("a DataFrame has rank 1 or more, not 0; st.expand_dims(value, 0) makes one row of it")
    rows = _core._structs_for_extension_types(self if self.rank == 1 else self.merge_dims(0, self.rank - 1))
    index = None
    if INDEX in rows:
        index = _to_index(rows[INDEX], timezone)
        rows = rows.without([[INDEX]])
    elif self.rank > 1:
        index = _index_of_positions(self)
    columns = list(_columns(rows, nested, present=_validity.of_structs(rows)))
    dictionaries = self._dictionaries() if isinstance(self, _core.Batch) else {}
    # The columns get numbers first: a DataFrame finds Series by their names, and names may also be tuples of several levels.
    frame = pandas.DataFrame(
        {
            i: _with_categories(_to_series(value, timezone, present), value, dictionaries.get(path))
            for i, (path, value, present) in enumerate(columns)
        },
        index=pandas.RangeIndex(rows.nrows),
        copy=False,
    )
    paths = [path for path, _, _ in columns]
    depth = max(map(len, paths), default=0)
    if depth == 1:
        frame.columns = pandas.Index([name for (name,) in paths], dtype="str")
    elif depth > 1:
        frame.columns = pandas.MultiIndex.from_tuples([path + ("",) * (depth - len(path)) for path in paths])
    if index is not None:
        frame.index = index
    return frame


# --- From pandas


def _of_masked(array):
    """The tensor of an array of dtype Int64, Float64 or boolean. It is nullable, even if no element is absent."""
    present = ~array.isna()
    values = array.to_numpy(dtype=array.dtype.numpy_dtype, na_value=array.dtype.type(0))
    if values.dtype.kind in "iu" and values.dtype.itemsize < 4:
        values = values.astype(f"{values.dtype.kind}4")
    dtype = {"b": "bool", "i": "int", "u": "uint", "f": "float"}[values.dtype.kind]
    if dtype in ("int", "uint"):
        dtype += str(8 * values.dtype.itemsize)
    elif values.dtype.itemsize == 8:
        dtype = "double"
    return _numpy._from_memory(values, dtype, present)


def _of_numeric_categories(categorical):
    """The category of each row. Code -1 means no category; NumPy's integers and booleans have no value for it."""
    categories, codes = categorical.categories.to_numpy(), categorical.codes.to_numpy()
    absent = codes == -1
    if not absent.any():
        return _numpy.value_of_array(categories[codes])
    values = np.zeros(len(codes), dtype=categories.dtype)
    values[~absent] = categories[codes[~absent]]
    return _numpy.value_of_array(np.ma.MaskedArray(values, mask=absent))


def _of_column(series, what):
    """The field of one column, or of one level of an index."""
    pandas = _pandas()
    dtype = series.dtype
    try:
        if isinstance(dtype, pandas.CategoricalDtype):
            if isinstance(dtype.categories.dtype, np.dtype) and dtype.categories.dtype.kind in "biuf":
                return _of_numeric_categories(series.cat)
            series = series.astype(dtype.categories.dtype)
            dtype = series.dtype
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            return _numpy.value_of_array(series.to_numpy())
        if isinstance(dtype, pandas.DatetimeTZDtype):
            return _numpy.value_of_array(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        if isinstance(series.array, (pandas.arrays.IntegerArray, pandas.arrays.FloatingArray, pandas.arrays.BooleanArray)):
            return _of_masked(series.array)
        if isinstance(dtype, (pandas.StringDtype, pandas.ArrowDtype)) or dtype == object:
            return _of_arrow(series)
        raise TypeError("its dtype is not supported; convert it with astype()")
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        raise _errors.with_text(error, f"{what}, of {dtype}, cannot be read: {error}") from error


def _has_pairs(series):
    """Whether the first list that has elements has pairs, as to_pandas() makes them of a map."""
    lists = (cell for cell in series if isinstance(cell, (list, np.ndarray)) and len(cell) > 0)
    return all(isinstance(element, tuple) and len(element) == 2 for element in next(lists, [None]))


def _of_arrow(series):
    pyarrow = _pyarrow()
    try:
        array = _objects.of_objects(series) if series.dtype == object else pyarrow.array(series, from_pandas=True)
    except (pyarrow.ArrowTypeError, pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        advice = "it has lists of pairs; maps= reads them as a map" if _has_pairs(series) else "astype() gives it one"
        raise TypeError(f"pyarrow finds no type for it; {advice}: {error}") from error
    # These dtypes of pandas do not say whether elements may be absent, so the elements decide.
    nullable = array.null_count > 0 or pyarrow.types.is_null(array.type)
    # What never has a value is an absent number, as in from_json().
    with_numbers = _objects.map_type(
        array.type, lambda inner, path: pyarrow.float64() if pyarrow.types.is_null(inner) else inner
    )
    return _arrow.value_of_arrow(array if with_numbers == array.type else array.cast(with_numbers), nullable)


def _entries(row, what):
    """The entries of one map. The map is a dict, or a list of pairs, as pyarrow gives maps to pandas."""
    if isinstance(row, collections.abc.Mapping):
        return list(row.items())
    if row is None or (isinstance(row, float) and row != row) or row is _pandas().NA:
        return []
    if isinstance(row, (list, tuple)) and all(isinstance(entry, tuple) and len(entry) == 2 for entry in row):
        return list(row)
    raise TypeError(f"{what}: expected a dict, a list of (key, value) or None, found {row!r:.100}")


def _of_dicts(series, what):
    """Maps from a column of dicts. A row without a dict has no entries."""
    pyarrow = _pyarrow()
    if isinstance(series.dtype, _pandas().ArrowDtype):
        return _of_column(series, what)  # the Arrow type is more exact than the dicts
    rows = [_entries(row, f"{what}, row {i}") for i, row in enumerate(series)]
    splits = np.cumsum([0, *map(len, rows)], dtype="int64")
    if splits[-1] >= 2**31:
        raise ValueError(f"{what}: {splits[-1]} entries; the maps of one column have less than 2^31")
    parts = []
    for i, part in enumerate(("keys", "values")):
        try:
            # NaN is a number here, as in columns of numbers.
            array = _objects.of_objects([entry[i] for row in rows for entry in row], is_nan_absent=False)
        except (TypeError, ValueError, OverflowError, pyarrow.ArrowNotImplementedError) as error:
            raise TypeError(f"{what}: pyarrow finds no type for the {part}: {error}") from error
        if pyarrow.types.is_null(array.type):
            raise TypeError(f"{what}: there are no {part}, or all are absent, so they have no type")
        parts.append(array)
    if parts[0].null_count:
        raise ValueError(f"{what}: a key is absent")
    try:
        return _arrow.value_of_arrow(pyarrow.MapArray.from_arrays(splits.astype("int32"), *parts), False)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise _errors.with_text(error, f"{what} cannot be read: {error}") from error


def _is_default(index):
    pandas = _pandas()
    return isinstance(index, pandas.RangeIndex) and index.name is None and (index.start, index.step) == (0, 1)


def _check_names(names, what, advice):
    names = list(names)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"the names of {what} are strings; found {name!r}. {advice}")
        if name in names[:i]:
            raise ValueError(f"two of {what} are named {name!r}")
    return names


def _levels(index):
    """The field "_index_": one value for each row, or a struct of such values."""
    if index.nlevels == 1 and index.name is None:
        return _of_column(index.to_series(index=range(len(index))), "the index")
    names = [f"__index_level_{i}__" if name is None else name for i, name in enumerate(index.names)]
    _check_names(names, "the levels of the index", "frame.rename_axis(index=[...]) names them")
    fields = {}
    for i, name in enumerate(names):
        values = index.get_level_values(i)
        fields[name] = _of_column(values.to_series(index=range(len(index))), f"the level {name!r} of the index")
    return _core.StructuredTensor.from_fields(fields, nrows=len(index))


def _of_columns(columns, nrows, above=()):
    """The struct with the fields of `columns`: pairs of a path and a function that makes the field. Paths start in this
    struct, whose own path is `above`."""
    groups = {}
    for path, make in columns:
        groups.setdefault(path[0], []).append((path[1:], make))
    fields = {}
    for name, parts in groups.items():
        column = (*above, name) if above else name
        if not any(path for path, _ in parts):
            if len(parts) > 1:
                raise ValueError(f"two columns are named {column!r}")
            fields[name] = parts[0][1](f"the column {column!r}")
            continue
        if not all(path for path, _ in parts):
            raise ValueError(f"{column!r} is both a column and a group of columns; rename one of them")
        fields[name] = _of_columns(parts, nrows, (*above, name))
    return _core.StructuredTensor.from_fields(fields, nrows=nrows)


def _paths(columns):
    """The path of each column: the names of its fields. Empty names at the end only fill the tuples of a MultiIndex."""
    for column in columns:
        path = column if isinstance(column, tuple) else (column,)
        for name in path:
            if not isinstance(name, str):
                raise TypeError(
                    f"the names of columns are strings; found {column!r}. frame.rename(columns=str) makes them strings"
                )
        while len(path) > 1 and path[-1] == "":
            path = path[:-1]
        yield path


def _group(rows, index):
    """`rows` with one axis for each level of a MultiIndex."""
    changes = np.zeros(len(index), dtype=bool)
    changes[:1] = True
    partitions = []
    for codes in index.codes[:-1]:
        codes = np.asarray(codes)
        changes[1:] |= codes[1:] != codes[:-1]
        partitions.append(np.flatnonzero(changes))
    # From the innermost axis to the outermost: each partition groups the rows of the one before.
    nvals, inner = len(index), np.arange(len(index) + 1)
    for starts in reversed(partitions):
        starts_in_rows = np.searchsorted(inner, starts)
        splits = np.append(starts_in_rows, nvals).astype("int64")
        rows = rows.partition_outer_dimension(_core.RowPartition.from_row_splits(splits))
        inner, nvals = np.append(starts, len(index)), len(starts)
    return rows


def _paths_of_maps(maps, paths):
    """The columns that `maps` names, as paths. Raises KeyError for a column that does not exist."""
    if isinstance(maps, str) or not isinstance(maps, collections.abc.Iterable):
        raise TypeError(f"maps: expected a list of columns, found {maps!r}")
    chosen = set()
    for name in maps:
        path = name if isinstance(name, tuple) else (name,)
        if not all(isinstance(part, str) for part in path):
            raise TypeError(f"maps: the names of columns are strings; found {name!r}")
        if path not in paths:
            strings = {".".join(each): each for each in paths}
            close = [strings[text] for text in difflib.get_close_matches(".".join(path), strings)]
            # A path of several names is shown as a tuple, even if it would then look like the name that was given.
            hint = " or ".join(each[0] if len(each) == 1 else repr(each) for each in close)
            hint = f"; did you mean {hint}?" if close else ""
            raise KeyError(f"maps: there is no column {'.'.join(path)}{hint}")
        chosen.add(path)
    return chosen


@_signatures.public
def from_pandas(data, *, index=None, maps=()):
    """A DataFrame as a StructuredTensor, or a Series as a Tensor or RaggedTensor (without its index).

    index  whether to keep the rows' index as the field "_index_". Default: keep it unless it is the default RangeIndex. A
           MultiIndex that is kept makes one axis for each of its levels.
    maps   the columns whose dicts are maps: names, or tuples of names. Each key of such a dict is the key of an entry, not a
           field. Dicts of other columns are structs. Columns of Arrow maps are always maps.

    NaT, and elements that pandas' nullable dtypes, strings and objects mark as missing, become absent. NaN is a number. Objects
    that never have a value, in a column, a list or a dict, are absent numbers (double), as in from_json(). Times without a time
    zone are taken as UTC. Categories become their values. Elements are copied; strings that pandas stores as
    Arrow does are shared.

    Raises TypeError for columns without a dtype here, with the name of the column, and for names that are not strings.
    """
    pandas = _pandas()
    if isinstance(data, pandas.Series):
        if maps:
            raise TypeError("maps= is for the columns of a DataFrame; series.to_frame() makes one")
        return _of_column(data, "the Series")
    if not isinstance(data, pandas.DataFrame):
        raise TypeError(f"expected a DataFrame or a Series, found {type(data).__name__}")
    if index not in (None, True, False):
        raise TypeError(f"index: expected True, False or None, found {index!r}")
    paths = list(_paths(data.columns))
    of_maps = _paths_of_maps(maps, paths)
    columns = [
        (path, functools.partial(_of_dicts if path in of_maps else _of_column, data.iloc[:, i])) for i, path in enumerate(paths)
    ]
    rows = _of_columns(columns, len(data))
    kept = not _is_default(data.index) if index is None else index
    if not kept:
        return rows
    if INDEX in rows:
        raise ValueError(f'the frame has a column "{INDEX}", which is what its index would be; rename it, or give index=False')
    fields = {INDEX: _levels(data.index)}
    fields.update((name, rows[name]) for name in rows.field_names())
    with_index = _core.StructuredTensor.from_fields(fields, nrows=len(data))
    if not isinstance(data.index, pandas.MultiIndex):
        return with_index
    if index is None and not any(data.index.names):
        # An index that only has the positions of the rows is not kept, like the default RangeIndex of rank 1.
        grouped = _group(rows, data.index)
        if _index_of_positions(grouped).equals(data.index):
            return grouped
    return _group(with_index, data.index)
