"""Arrow's columns, where more is to be said about them than the capsules do."""

from . import _core


def value_of_arrow(array, nullable):
    """The value of one array of pyarrow, which does not say itself whether an element may be absent."""
    import pyarrow

    field = pyarrow.field("values", array.type, nullable=nullable)
    return _core.from_arrow(pyarrow.Table.from_arrays([array], schema=pyarrow.schema([field])))["values"]


def _is_of_polars(object):
    return type(object).__module__.split(".")[0] == "polars"


def from_arrow(object):
    """The value of an array or a table that speaks Arrow's PyCapsule protocol: of pyarrow, polars, DuckDB, pandas, ...

    Numbers, texts, validity and the splits of large lists are shared. Frames of polars need pyarrow, since their texts are views,
    which polars turns into strings for it. Raises TypeError for objects without the protocol, ValueError for types of Arrow that
    have no dtype here.
    """
    if _is_of_polars(object) and hasattr(object, "to_arrow"):
        import polars

        object = object.to_arrow(compat_level=polars.CompatLevel.oldest())
    return _core.from_arrow(object)
