"""Arrow's columns, where more is to be said about them than the capsules do."""

from . import _core


def value_of_arrow(array, nullable):
    """The value of one array of pyarrow, which does not say itself whether an element may be absent."""
    import pyarrow

    field = pyarrow.field("values", array.type, nullable=nullable)
    return _core.from_arrow(pyarrow.Table.from_arrays([array], schema=pyarrow.schema([field])))["values"]


def from_arrow(object):
    """The value of an array or a table that speaks Arrow's PyCapsule protocol: of pyarrow, polars, DuckDB, pandas, ...

    Numbers, strings, validity and the splits of large lists are shared; views of strings, as polars has them, dictionaries,
    runs and unions are copied. docs/formats.md has a table of what each type becomes. Raises TypeError for objects without the
    protocol, ValueError for data that contradicts itself and for types that have no meaning here.
    """
    return _core.from_arrow(object)
