"""Writes structured tensors into tables."""

import structtensor as st

from . import _database
from ._encode import encode_column

# Spanner's limits for one commit.
_MUTATIONS, _BYTES = 80_000, 100 << 20
_MODES = ("insert_or_update", "insert", "update", "replace")


class WriteError(RuntimeError):
    """A commit failed. `rows_written` rows were committed before it. __cause__ is the error of Google's client."""

    def __init__(self, text, rows_written):
        super().__init__(text)
        self.rows_written = rows_written


def _columns_of(rows, columns):
    if not isinstance(rows, st.StructuredTensor):
        raise TypeError(f"rows: expected a StructuredTensor or an iterable of them, found {rows!r}")
    if len(rows.shape) != 1:
        raise ValueError(f"rows: expected a StructuredTensor of rank 1, found shape {rows.shape}")
    names = rows.field_names()
    missing = [name for name in columns or () if name not in names]
    if missing:
        raise KeyError(f"columns: the rows have no field {missing[0]}; they have {', '.join(names)}")
    names = list(columns) if columns else names
    if not names:
        raise ValueError("rows: there are no fields to write")
    return names


def _types(database, table, names):
    """The types of a table's columns. They are taken from a result that has at most one row."""
    from google.cloud.spanner_v1 import KeySet

    with database.snapshot() as snapshot:
        results = snapshot.read(table, names, KeySet(all_=True), limit=1, lazy_decode=True)
        for _ in results:
            pass
        return [field.type_ for field in results.fields]


def _size(value):
    """The approximate number of bytes of a value on the wire."""
    if isinstance(value, str):
        return (len(value) if value.isascii() else len(value.encode())) + 4
    if isinstance(value, list):
        return sum(map(_size, value)) + 4
    return 12


def write(
    database,
    table,
    rows,
    *,
    columns=None,
    schema=None,
    mode="insert_or_update",
    max_mutations=20_000,
    max_bytes=8 << 20,
):
    """Writes rows into a table by mutations. Returns the number of rows.

    database: "projects/P/instances/I/databases/D", or a Database of google.cloud.spanner.
    rows: a StructuredTensor of rank 1, or an iterable of them, such as the batches of a scan. Each field is the column of its
        name.
    columns: the fields to write. Default: all.
    schema: for PROTO columns whose fields are structs, as in batches().
    mode: the kind of mutation: "insert_or_update", "insert", "update" or "replace".
    max_mutations, max_bytes: limits for one commit. A row has one mutation for each column. Spanner counts mutations of
        indexes, too. Its own limits are 80,000 and 100 MiB.

    Each commit is a transaction. If a commit fails, the commits before it stay: WriteError says how many rows were written.
    Raises ValueError, with row and column, and TypeError for values that do not fit the column. No row of that batch is written
    then.
    """
    _database.check_choice("mode", mode, _MODES)
    _database.check_limit("max_mutations", max_mutations, 1, _MUTATIONS)
    _database.check_limit("max_bytes", max_bytes, 1, _BYTES)
    if isinstance(columns, str) or (columns is not None and not list(columns)):
        raise TypeError(f"columns: expected a list of names, found {columns!r}")
    database = _database.opened(database)
    types, written = {}, 0
    for batch in [rows] if isinstance(rows, st.StructuredTensor) else rows:
        names = _columns_of(batch, columns)
        key = tuple(names)
        if key not in types:
            types[key] = _types(database, table, names)
        arrow = batch.to_arrow()
        encoded = []
        for name, type_ in zip(names, types[key]):
            column = arrow.column(name)
            array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
            encoded.append(encode_column(array, name, type_, schema, written))
        written = _commit(database, table, names, list(zip(*encoded)), mode, max_mutations, max_bytes, written)
    return written


def _commit(database, table, names, values, mode, max_mutations, max_bytes, written):
    if len(names) > max_mutations:
        raise ValueError(f"max_mutations = {max_mutations}; a row has {len(names)} columns")
    held, size = [], 0
    for row in values:
        row_size = sum(map(_size, row))
        if row_size > max_bytes:
            raise ValueError(f"row {written + len(held)}: it has {row_size} bytes; max_bytes is {max_bytes}")
        if held and ((len(held) + 1) * len(names) > max_mutations or size + row_size > max_bytes):
            written = _commit_rows(database, table, names, held, mode, written)
            held, size = [], 0
        held.append(row)
        size += row_size
    return _commit_rows(database, table, names, held, mode, written) if held else written


def _commit_rows(database, table, names, values, mode, written):
    # A transaction with an id is applied once, even if the request is repeated. A single-use transaction may be applied twice.
    from google.api_core.exceptions import GoogleAPIError

    try:
        database.run_in_transaction(lambda transaction: getattr(transaction, mode)(table, names, values))
    except GoogleAPIError as error:
        said = f"{table}, rows {written} to {written + len(values) - 1}: {getattr(error, 'message', error)}"
        raise WriteError(f"{said}; the {written} rows before are committed", written) from error
    return written + len(values)
