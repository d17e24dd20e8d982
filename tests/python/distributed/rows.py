"""Rows of Spark in the form of the oracle's (tools/pydata/compare.py)."""

import datetime
import decimal

import compare
import pyarrow as pa

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)


def _plain(value):
    """What pyarrow gives, without decimals and times."""
    if isinstance(value, decimal.Decimal):
        return int(value)
    if isinstance(value, datetime.datetime):
        return (value - _EPOCH) // _MICROSECOND
    if isinstance(value, datetime.timedelta):
        return value // _MICROSECOND
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        items = [_plain(item) for item in value]
        return sorted(items, key=lambda entry: entry[0]) if items and isinstance(items[0], tuple) else items
    return tuple(_plain(item) for item in value) if isinstance(value, tuple) else value


def table_of(frame):
    """A frame as an Arrow table, as Spark hands it to Python's functions. toArrow() fails for maps of structs."""
    names = frame.columns

    def to_files(batches):
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.record_batch({"file": pa.array([sink.getvalue().to_pybytes()], pa.binary())})

    files = [row["file"] for row in frame.mapInArrow(to_files, "file BINARY").collect()]
    tables = [pa.ipc.open_stream(file).read_all() for file in files]
    return pa.concat_tables(tables) if tables else pa.table({name: [] for name in names})


def rows_of(table):
    """The rows of an Arrow table that Spark has made."""
    return [_plain(row) for row in table.to_pylist()]


def expected_rows(messages):
    """What python-protobuf's messages are as rows."""
    return [compare.expected_row(message) for message in messages]


def assert_equal_rows(expected, actual):
    assert len(actual) == len(expected)
    for number, (want, got) in enumerate(zip(expected, actual)):
        found = compare.difference(want, got)
        assert found is None, f"row {number}: {found}"
