"""Reads tables and queries into structured tensors."""

import re

import structtensor as st

from . import _database
from ._decode import Options, decode_column, names_of

_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")


def _check(driver, timestamps, null_arrays, columns, source):
    _database.check_choice("driver", driver, ("google", "adbc"))
    _database.check_choice("timestamps", timestamps, ("s", "ms", "us", "ns"))
    _database.check_choice("null_arrays", null_arrays, ("empty", "fail"))
    if not isinstance(source, str) or not source.strip():
        raise TypeError(f"source: expected the name of a table or a query, found {source!r}")
    if columns is not None:
        if isinstance(columns, str) or not list(columns):
            raise TypeError(f"columns: expected a list of names, found {columns!r}")
        if not _PLAIN_NAME.fullmatch(source):
            raise ValueError("columns: works only with the name of a table; select the columns in the query instead")


def _sql(source):
    return f"SELECT * FROM {source}" if _PLAIN_NAME.fullmatch(source) else source


def _results(snapshot, source, columns, params, param_types, timeout):
    """The rows from Google's client, not decoded yet."""
    more = {} if timeout is None else {"timeout": timeout}
    if columns is not None:
        from google.cloud.spanner_v1 import KeySet

        return snapshot.read(source, list(columns), KeySet(all_=True), lazy_decode=True, **more)
    return snapshot.execute_sql(_sql(source), params=params, param_types=param_types, lazy_decode=True, **more)


def _table(rows, fields, options, first_row):
    names = names_of(fields)
    columns = list(zip(*rows)) if rows else [()] * len(names)
    return table_of(
        {
            name: decode_column(column, name, field.type_, options, first_row)
            for name, field, column in zip(names, fields, columns)
        }
    )


def table_of(columns):
    import pyarrow

    return st.from_arrow(pyarrow.table(columns))


def batches(
    database,
    source,
    *,
    columns=None,
    schema=None,
    json=None,
    timestamps="us",
    null_arrays="empty",
    params=None,
    param_types=None,
    snapshot=None,
    timeout=None,
    batch_size=10_000,
    batch_bytes=64 << 20,
    driver="google",
    **decoder_options,
):
    """The rows of a table or a query, as an iterator over structured tensors. Only one batch is in memory at a time.

    database: "projects/P/instances/I/databases/D", or a Database of google.cloud.spanner.
    source: the name of a table, or a query in SQL.
    columns: for a table, the columns to read. Default: all.
    schema: for PROTO columns, which become structs; without a schema they become bytes. One Schema or class for all columns, or
        a dict from columns to schemas. A path names an inner field: "orders.recipe". Other options are those of
        Schema.decoder().
    json: a dict from JSON columns to specs. The values become structs, lists and numbers, as in st.from_json(). The spec None
        is inferred from the first batch. JSON columns that are not in the dict become strings.
    timestamps: the unit of TIMESTAMP, and of times in messages: "s", "ms", "us" or "ns". Finer digits are cut off.
    null_arrays: "fail": an array that is NULL is an error. "empty": it is read as an empty array.
    params, param_types: for the query, as for Google's client. snapshot: options of its Database.snapshot(), such as
        {"exact_staleness": timedelta(seconds=15)}. timeout: seconds for the request.
    batch_size, batch_bytes: the largest number of rows in a batch, and of bytes. Bytes are counted as the values are sent; a
        single row may have more.
    driver: "adbc" reads through Arrow from adbc_driver_spanner.

    Raises ValueError, with row and column, for values that do not fit. Raises exceptions of google.api_core for errors of
    Spanner.
    """
    _check(driver, timestamps, null_arrays, columns, source)
    _database.check_limit("batch_size", batch_size, 1, 1 << 31)
    _database.check_limit("batch_bytes", batch_bytes, 1, 1 << 40)
    options = Options(schema, json, timestamps, null_arrays, decoder_options)
    if driver == "adbc":
        if columns is not None or params or param_types or snapshot or timeout is not None:
            raise ValueError('driver="adbc" takes a table or a query, without columns, params, snapshot and timeout')
        from . import _adbc

        return _adbc.batches(database, _sql(source), options, batch_size)
    return _batches(
        _database.opened(database), source, columns, options, params, param_types, snapshot, timeout, batch_size, batch_bytes
    )


def _batches(database, source, columns, options, params, param_types, snapshot, timeout, batch_size, batch_bytes):
    with database.snapshot(**(snapshot or {})) as view:
        results = _results(view, source, columns, params, param_types, timeout)
        held, size, first_row, made = [], 0, 0, False
        for row in results:
            row_size = sum(value.ByteSize() for value in row)
            if held and (len(held) == batch_size or size + row_size > batch_bytes):
                yield _batch(held, results, options, first_row)
                first_row, held, size, made = first_row + len(held), [], 0, True
            held.append(row)
            size += row_size
        if held or not made:
            yield _batch(held, results, options, first_row)


def _batch(held, results, options, first_row):
    batch = _table(held, results.fields, options, first_row)
    options.check_paths()
    return batch


def read(database, source, **options):
    """The rows of a table or a query, as one structured tensor. The options are those of batches(), without its sizes."""
    for name in ("batch_size", "batch_bytes"):
        if name in options:
            raise TypeError(f"{name}: an option of batches(); read() makes one batch of all rows")
    found = list(batches(database, source, batch_size=1 << 31, batch_bytes=1 << 40, **options))
    return found[0] if len(found) == 1 else st.concat(found, 0)
