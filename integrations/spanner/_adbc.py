"""Reads through Arrow, from the ADBC driver adbc_driver_spanner. Columns get the types that Google's client gives them."""

import os

import structtensor as st

from . import _database
from ._decode import json_column, proto_column


def _normal(array, path, options):
    """A column of the driver, converted to the column that Google's client would give."""
    import pyarrow
    import pyarrow.types as types

    if isinstance(array, pyarrow.ExtensionArray):
        if array.type.extension_name == "arrow.json":
            return json_column(array.storage.to_pylist(), path, options)
        array = array.storage
    if types.is_decimal(array.type):
        return pyarrow.array([None if value is None else _digits(value) for value in array.to_pylist()], pyarrow.string())
    if types.is_binary(array.type) and isinstance(options.schema, dict) and path in options.schema:
        return proto_column(array.to_pylist(), path, None, options)
    if types.is_list(array.type):
        if array.null_count and options.null_arrays == "fail":
            row = array.is_valid().to_pylist().index(False)
            raise ValueError(f'{path}, row {row} of its batch: an array is NULL; pass null_arrays="empty" to read an empty one')
        offsets = [0]
        for length in array.value_lengths().to_pylist():
            offsets.append(offsets[-1] + (length or 0))
        inner = _normal(array.flatten(), path, options)
        return pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets, pyarrow.int64()), inner)
    if types.is_struct(array.type):
        if not array.type.num_fields:
            return array
        names = _names([field.name for field in array.type], path)
        inner = [_normal(part, f"{path}.{name}", options) for name, part in zip(names, array.flatten())]
        return pyarrow.StructArray.from_arrays(inner, names, mask=array.is_null())
    return array


def _empty(type_):
    """An empty array of a type. pyarrow.array() does not support extension types inside other types."""
    import pyarrow
    import pyarrow.types as types

    if isinstance(type_, pyarrow.BaseExtensionType):
        return pyarrow.ExtensionArray.from_storage(type_, _empty(type_.storage_type))
    if types.is_list(type_):
        return pyarrow.ListArray.from_arrays(pyarrow.array([0], pyarrow.int32()), _empty(type_.value_type))
    if types.is_struct(type_) and type_.num_fields:
        return pyarrow.StructArray.from_arrays([_empty(field.type) for field in type_], fields=list(type_))
    return pyarrow.array([], type_)


def _digits(value):
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _names(names, path=""):
    names = [name or f"_{i}" for i, name in enumerate(names)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{path + ': ' if path else ''}two fields have the name {name}; give them different ones")
    return names


def _driver():
    try:
        import adbc_driver_spanner
        import adbc_driver_spanner.dbapi
    except ImportError as error:
        raise ImportError('driver="adbc" needs the driver: pip install adbc-driver-spanner pyarrow') from error
    return adbc_driver_spanner


def _connection(database, options):
    driver = _driver()
    options_of_database = {driver.DatabaseOptions.URI.value: f"spanner:///{database}"}
    emulator = os.environ.get("SPANNER_EMULATOR_HOST")
    if emulator:
        options_of_database[driver.DatabaseOptions.ENDPOINT.value] = f"http://{emulator}"
        options_of_database[driver.DatabaseOptions.EMULATOR.value] = "true"
    options_of_connection = {}
    if options.timestamps == "us":
        options_of_connection[driver.ConnectionOptions.MAX_TIMESTAMP_PRECISION.value] = "microseconds"
    return driver.dbapi.connect(options_of_database, options_of_connection, autocommit=True)


def batches(database, sql, options, rows):
    """The rows of a query. The message type of a column comes from its schema, because Arrow does not keep its name."""
    if not isinstance(database, str):
        raise TypeError(f'database: driver="adbc" takes the name of a database, found {database!r}')
    _database.parts_of(database)
    if options.timestamps not in ("ns", "us"):
        raise ValueError(f'timestamps = {options.timestamps!r}; driver="adbc" has "ns" and "us"')
    if options.schema is not None and not isinstance(options.schema, dict):
        raise TypeError(
            'schema: for driver="adbc" a dict from columns to schemas; the driver does not distinguish messages from other '
            "bytes"
        )
    statement = {_driver().StatementOptions.ROWS_PER_BATCH.value: str(min(rows, 1 << 20))}
    with _connection(database, options) as connection, connection.cursor(adbc_stmt_kwargs=statement) as cursor:
        cursor.execute(sql)
        reader = cursor.fetch_record_batch()
        names = _names(reader.schema.names)
        made = False
        for batch in reader:
            if batch.num_rows:
                yield _value(names, batch.columns, options)
                made = True
        if not made:
            yield _value(names, [_empty(field.type) for field in reader.schema], options)


def _value(names, columns, options):
    import pyarrow

    value = st.from_arrow(pyarrow.table({name: _normal(column, name, options) for name, column in zip(names, columns)}))
    options.check_paths()
    return value
