"""What to write instead of the attributes that users of pandas, polars and TensorFlow look for in values."""

_UPDATE = "with_updates(name=values) returns changed rows"
_NAMES = {
    "apply_along_axis": "functions work on all elements at once",
    "assign": _UPDATE,
    "astype": "cast(dtype) converts elements",
    "columns": "field_names() has the names of the fields",
    "contains": "structtensor.strings.regex_full_match() finds text in strings",
    "drop": "without(name) leaves a field out",
    "dropna": "rows[rows[name].validity] keeps the rows in which a nullable field is present",
    "fillna": "structtensor.where(x.validity, x, value) fills in what is absent from a nullable x",
    "fill_null": "structtensor.where(x.validity, x, value) fills in what is absent from a nullable x",
    "groupby": "there are no groups here; to_pandas(), or polars and DuckDB on the rows, have them",
    "head": "rows[:n] has the first n rows",
    "iloc": "rows[i] has row i, and rows[[2, 0]] several",
    "is_null": "validity says which elements are present",
    "isna": "validity says which elements are present",
    "isnull": "validity says which elements are present",
    "join": "structtensor.strings.join() joins values, structtensor.strings.reduce_join() the strings along an axis",
    "loc": "rows[i] has row i, rows[mask] those of a mask, rows[name] a field",
    "max": "reduce_max() takes an axis, or all",
    "mean": "reduce_mean() takes an axis, or all",
    "merge": "there are no joins here; to_pandas(), or polars and DuckDB on the rows, have them",
    "min": "reduce_min() takes an axis, or all",
    "notna": "validity says which elements are present",
    "rename": "with_updates(new=rows[old], old=None) renames a field",
    "select": "rows[[name, ...]] keeps some fields, and field_value() gives the value at a path",
    "sort_values": "sort_by_field(name) sorts rows",
    "std": "reduce_std() takes an axis, or all",
    "str": "structtensor.strings has functions of strings",
    "sum": "reduce_sum() takes an axis, or all",
    "tail": "rows[-n:] has the last n rows",
    "tolist": "to_py() makes lists",
    "to_dict": "to_py() makes lists and dicts",
    "to_dicts": "to_py() makes lists and dicts",
    "with_columns": _UPDATE,
}


def attribute_error(self, name):
    """__getattr__ of the classes of values: the AttributeError, with what to write instead if that is known."""
    if hasattr(type(self), name):
        return object.__getattribute__(self, name)  # a property has raised AttributeError, and does so again
    problem = f"{type(self).__name__!r} object has no attribute {name!r}"
    advice = _NAMES.get(name)
    fields = () if name.startswith("_") or not hasattr(type(self), "field_names") else self.field_names()
    if name in fields:
        advice = f"rows[{name!r}] has the field"
    if advice is None:
        raise AttributeError(problem, name=name, obj=self)
    # Without the object, Python's tracebacks suggest none of its attributes beside the advice.
    raise AttributeError(f"{problem}; {advice}")
