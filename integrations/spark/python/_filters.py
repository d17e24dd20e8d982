"""Spark's filters as conditions of a scan.

A filter is taken over if its condition is true for exactly the same rows. If the condition is true for these rows and perhaps
for a few more, the scan leaves out what it can, and Spark filters again. Spark alone applies other filters:

    floating point        Spark's NaN equals itself and is greater than all other numbers
    bytes, decimals       a scan cannot compare bytes, and Spark's decimals are 64-bit numbers in a scan
    texts with < or >     a scan can only compare texts for equal texts and equal beginnings
    on_error = null       a broken message has a row in Spark, which filters it, but no row in the scan
    optionals             other than nullable: absent elements are not null in Spark then

For a Timestamp, Spark sees microseconds and a scan sees nanoseconds. So both of them apply `at >= x` and `at < x`.
"""

import datetime

import pyarrow as pa
from pyspark.sql import datasource

from ._fields import are_fields, arrow_schema_of

_COMPARISONS = {"EqualTo": "=", "GreaterThan": ">", "GreaterThanOrEqual": ">=", "LessThan": "<", "LessThanOrEqual": "<="}
_NOTHING = None, False


def condition_of(filter, scan, schema):
    """(the condition for a Spark filter, or None; whether the condition is equivalent to the filter)."""
    if scan._options.get("on_error") == "null" or scan._options.get("optionals", "nullable") != "nullable":
        return _NOTHING
    negated = isinstance(filter, datasource.Not)
    inner = filter.child if negated else filter
    names = tuple(getattr(inner, "attribute", ()))
    dtype = _type_at(schema, names)
    if dtype is None:
        return _NOTHING
    path = ".".join(name if name.startswith("[") else '"' + name.replace('"', '""') + '"' for name in names)
    if pa.types.is_timestamp(dtype) or pa.types.is_duration(dtype):
        condition, is_whole = None if negated else _condition_of_time(inner, path, dtype), False
    else:
        condition, is_whole = _condition(inner, path, dtype), True
    if condition is None:
        return _NOTHING
    if negated:
        condition = f"NOT ({condition})"
    return (condition, is_whole) if are_fields(scan, [names]) and _is_accepted(scan, condition) else _NOTHING


def _type_at(schema, names):
    """The type of the column at a path of Spark's names, or None. Nothing inside a list or a map has such a path."""
    fields, dtype = schema, None
    for name in names:
        index = fields.get_field_index(name) if isinstance(fields, (pa.Schema, pa.StructType)) else -1
        if index < 0:
            return None
        dtype = fields = fields.field(index).type
    return dtype


def _is_accepted(scan, condition):
    try:
        arrow_schema_of(scan.where(condition))
    except (KeyError, TypeError, ValueError):
        return False
    return True


def _condition(filter, path, dtype):
    if isinstance(filter, datasource.IsNotNull):
        return f"{path} IS NOT NULL"
    if isinstance(filter, datasource.IsNull):
        return f"{path} IS NULL"
    if isinstance(filter, datasource.StringStartsWith):
        return f"starts_with({path}, {_text(filter.value)})" if pa.types.is_string(dtype) else None
    if isinstance(filter, datasource.In):
        literals = [_literal(value, dtype) for value in filter.value]
        return f"{path} IN ({', '.join(literals)})" if literals and None not in literals else None
    operator = _COMPARISONS.get(type(filter).__name__)
    literal = _literal(filter.value, dtype) if operator is not None else None
    if literal is None or (operator != "=" and not pa.types.is_integer(dtype)):
        return None
    return f"{path} {operator} {literal}"


def _condition_of_time(filter, path, dtype):
    if isinstance(filter, datasource.IsNotNull):
        return f"{path} IS NOT NULL"  # Spark sees null for a time that microseconds cannot count
    operator = _COMPARISONS.get(type(filter).__name__)
    if operator not in (">=", "<") or not isinstance(filter.value, datetime.datetime) or filter.value.tzinfo is None:
        return None
    return f"{path} {operator} {_text(filter.value.astimezone(datetime.timezone.utc).isoformat())}"


def _text(value):
    return "'" + value.replace("'", "''") + "'"


def _literal(value, dtype):
    """The value as conditions write it, or None."""
    if pa.types.is_boolean(dtype):
        return {True: "TRUE", False: "FALSE"}.get(value) if isinstance(value, bool) else None
    if pa.types.is_integer(dtype):
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
    return _text(value) if pa.types.is_string(dtype) and isinstance(value, str) else None
