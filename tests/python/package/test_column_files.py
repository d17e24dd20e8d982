"""What reads and writes files of columns by pyarrow for the command."""

import os

import pyarrow as pa
import pytest

from structtensor import _column_files

ROWS = pa.record_batch([pa.array(range(1000))], names=["a"])


def writer_of(format_, output):
    schema = ROWS.schema.__arrow_c_schema__()
    return _column_files.Writer(format_, output, schema, {}, [], "none", 600, 1 << 20)


@pytest.mark.parametrize("format_", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("name", [b"~", b"~/rows", b"\xff rows", "größe".encode()])
def test_names_of_files_are_bytes(format_, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("~") if b"/" in name else None
    with open(name, "wb") as output:
        writer = writer_of(format_, output)
        writer.write(ROWS.__arrow_c_array__())
        writer.close()
    reader = _column_files.Reader(os.fsdecode(name), format_, 300)
    rows = []
    while (batch := reader.next()) is not None:
        rows += batch.column("a").to_pylist()
    assert rows == list(range(1000))


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        (b"7", 7),
        (b"2147483647", 2**31 - 1),
        (b"2147483648", 0),
        (b"9999999999", 0),
        (b"9" * 5000, 0),
        (b"-1", 0),
        (b"x", 0),
        (b"", 0),
    ],
)
def test_numbers_of_fields(digits, number):
    field = pa.field("a", pa.int64(), metadata={_column_files.ID_KEY: digits})
    assert _column_files._ids_of(pa.schema([field])) == ([("a", number, [])] if number else [])
