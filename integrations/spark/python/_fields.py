"""The columns of a scan, and which fields of messages they are.

Spark names columns, and scans select fields. Both have the same names unless annotations rename or flatten fields. So a path is
taken for a field only if its column is there when the field is selected, and is missing when the field is dropped.
"""

import os

import pyarrow as pa

from ._types import spark_schema


def arrow_schema_of(scan, **changes):
    """The columns of a scan as Spark has them. The files are not opened for this."""
    empty = scan._with(**changes)._of_files([os.devnull], {})
    empty._format = "delimited"
    return spark_schema(pa.schema(empty))


def columns_named(schema, prefix=()):
    """The paths of the leaves of an Arrow schema, and of structs without fields, as lists of names."""
    paths = []
    for field in schema:
        dtype = field.type
        while pa.types.is_list(dtype):
            dtype = dtype.value_type
        inner = columns_named(dtype, (*prefix, field.name)) if pa.types.is_struct(dtype) else []
        paths += inner or [(*prefix, field.name)]
    return paths


def pattern_of(names):
    """A column's path in the form that `select` takes, or None if one of its names cannot be the name of a field."""
    if not all(name.isidentifier() or (name.startswith("[") and name.endswith("]")) for name in names):
        return None
    return ".".join(names)


def are_fields(scan, paths):
    """Whether each of these paths of columns is also the path of the column's field."""
    patterns = [pattern_of(path) for path in paths]
    if None in patterns:
        return False
    try:
        selected = columns_named(arrow_schema_of(scan, select=patterns, drop=None))
    except (KeyError, TypeError, ValueError):
        return False
    try:
        others = columns_named(arrow_schema_of(scan, select=None, drop=patterns))
    except ValueError:  # no field would be left
        others = []
    except KeyError:
        return False

    def is_among(path, columns):
        return any(column[: len(path)] == tuple(path) for column in columns)

    return all(is_among(path, selected) and not is_among(path, others) for path in paths)
