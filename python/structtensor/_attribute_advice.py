"""What to write instead of the attributes that users of pandas, polars and TensorFlow look for in values."""

_OF_ARRAYS = {
    "astype": "cast(dtype) converts elements",
    "contains": "structtensor.strings.regex_full_match() finds text in strings",
    "head": "x[:n] has the first n elements",
    "iloc": "x[i] has element i, and x[[2, 0]] several",
    "join": "structtensor.strings.join() joins values, structtensor.strings.reduce_join() the strings along an axis",
    "max": "reduce_max() takes an axis, or all",
    "mean": "reduce_mean() takes an axis, or all",
    "min": "reduce_min() takes an axis, or all",
    "std": "reduce_std() takes an axis, or all",
    "str": "structtensor.strings has functions of strings",
    "sum": "reduce_sum() takes an axis, or all",
    "tail": "x[-n:] has the last n elements",
    "tolist": "to_py() makes lists",
}
_PRESENT = "validity says which elements are present; it is None if all must be"
_FILL = "structtensor.where(x.validity, x, value) fills in what is absent from a nullable x"
_GROUPS = "to_pandas(), or polars and DuckDB on the rows, have groups and joins"

ADVICE = {
    "Tensor": {
        **_OF_ARRAYS,
        **dict.fromkeys(("is_null", "isna", "isnull", "notna", "is_not_null"), _PRESENT),
        **dict.fromkeys(("fill_null", "fillna"), _FILL),
    },
    "RaggedTensor": _OF_ARRAYS,
    "StructuredTensor": {
        "assign": "with_updates(name=values) returns changed rows",
        "columns": "field_names() has the names of the fields",
        "drop": "without(name) leaves a field out",
        "groupby": _GROUPS,
        "head": "rows[:n] has the first n rows",
        "iloc": "rows[i] has row i, and rows[[2, 0]] several",
        "loc": "rows[i] has row i, rows[mask] those of a mask, rows[name] a field",
        "merge": _GROUPS,
        "rename": "with_updates(new=rows[old], old=None) renames a field",
        "row_lengths": "size_each(path, name) adds the lengths of a list in each row",
        "select": "rows[[name, ...]] keeps some fields, and field_value() gives the value at a path",
        "sort_values": "sort_by_field(name) sorts rows",
        "tail": "rows[-n:] has the last n rows",
        "to_dict": "to_py() makes lists and dicts",
        "to_dicts": "to_py() makes lists and dicts",
        "tolist": "to_py() makes lists and dicts",
        "with_columns": "with_updates(name=values) returns changed rows",
    },
}


def _advice(self, name):
    for cls in type(self).__mro__:
        if name in ADVICE.get(cls.__name__, ()):
            return ADVICE[cls.__name__][name]
    return f"rows[{name!r}] has the field" if hasattr(type(self), "field_names") and name in self else None


def attribute_error(self, name):
    """__getattr__ of the classes of values: the AttributeError, with what to write instead if that is known."""
    if name.startswith("__"):  # of protocols, which libraries look for in every object
        raise AttributeError(name)
    problem = f"{type(self).__name__!r} object has no attribute {name!r}"
    if hasattr(type(self), name):
        return object.__getattribute__(self, name)  # a property has raised AttributeError, and does so again
    advice = None if name.startswith("_") else _advice(self, name)
    if advice is None:
        raise AttributeError(problem, name=name, obj=self)
    # Without the object, Python's tracebacks suggest none of its attributes beside the advice.
    raise AttributeError(f"{problem}; {advice}")
