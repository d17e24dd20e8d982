"""Arrow columns: the parts that need more than the PyCapsule protocol gives."""

from . import _core
from . import _signatures

_from_arrow = _signatures.checked("from_arrow", _core.from_arrow)


def value_of_arrow(array, nullable):
    """The value of one pyarrow array. `nullable`: whether elements may be absent, which the array itself does not say."""
    import pyarrow

    field = pyarrow.field("values", array.type, nullable=nullable)
    return _core.from_arrow(pyarrow.Table.from_arrays([array], schema=pyarrow.schema([field])))["values"]


@_signatures.public
def from_arrow(object):
    """The value of an array or a table with Arrow's PyCapsule protocol: from pyarrow, polars, DuckDB, pandas, ...

    Numbers, strings, validity and the splits of large lists are shared. Dictionaries, runs, unions and views of strings (as in
    polars) are copied. docs/formats.md has a table of what each type becomes. Raises TypeError for objects without the
    protocol, and ValueError for data that contradicts itself and for types that cannot be converted.
    """
    return _from_arrow(object)
