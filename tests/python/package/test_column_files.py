"""What reads and writes files of columns by pyarrow for the command."""

import os
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from structtensor import _column_files

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import thrift_edit as thrift

ROWS = pa.record_batch([pa.array(range(1000))], names=["a"])


def writer_of(format_, output):
    schema = ROWS.schema.__arrow_c_schema__()
    return _column_files.Writer(format_, output, schema, {}, [], "none", None, 600, 1 << 20, 1)


@pytest.mark.parametrize("format_", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("name", [b"~", b"~/rows", b"\xff rows", "größe".encode()])
def test_names_of_files_are_bytes(format_, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("~") if b"/" in name else None
    with open(name, "wb") as output:
        writer = writer_of(format_, output)
        writer.write(ROWS.__arrow_c_array__())
        writer.close()
    reader = _column_files.Reader(os.fsdecode(name), format_, 1 << 30)
    rows = []
    while (count := reader.next(300)) is not None:
        rows += reader.rows(0, count).column("a").to_pylist()
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


def read_all(path):
    reader = _column_files.Reader(os.fspath(path), "parquet", 1 << 30)
    sizes = []
    while (count := reader.next(4096)) is not None:
        sizes.append(count)
    return sizes


@pytest.mark.parametrize(
    ("values", "rows_of_file", "rows_of_groups", "problem"),
    [
        (range(1000), 1000, [600, 400], None),
        (range(1000), 1001, [600, 400], "the file has 1001 rows, and its row groups together 1000"),
        (range(1000), 1000, [-600, 1600], "row group 0 has -600 rows"),
        (range(1000), 999, [600, 399], "row group 1 has 399 rows, and its column a has 400 values"),
        (range(1000), -1, [600, 400], "the file has -1 rows"),
        ([[i] for i in range(1000)], 1000, [600, 400], None),
        ([[i] for i in range(1000)], 1000, [601, 399], "row group 0 has 600 rows, and the footer says 601"),
    ],
)
def test_row_counts_of_a_footer(tmp_path, values, rows_of_file, rows_of_groups, problem):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": list(values)}), path, row_group_size=600)

    def change(footer):
        thrift.set_field(footer, thrift.FOOTER_ROWS, rows_of_file)
        for group, rows in zip(thrift.groups_of(footer), rows_of_groups):
            thrift.set_field(group, thrift.GROUP_ROWS, rows)

    path.write_bytes(thrift.with_footer(path.read_bytes(), change))
    if problem is None:
        assert read_all(path) == [600, 400]
        return
    with pytest.raises(pa.ArrowInvalid, match=problem):
        read_all(path)


def test_large_rows_are_read_few_at_a_time(tmp_path):
    pq.write_table(pa.table({"a": ["x" * (2 << 20)] * 40}), tmp_path / "a.parquet", use_dictionary=False)
    sizes = read_all(tmp_path / "a.parquet")
    assert sum(sizes) == 40 and max(sizes) <= 16


LONG = "x" * (1 << 20)
STRUCTS = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.struct([("c", pa.large_string())])))])


def allocated_bytes(path):
    """The most memory that pyarrow has while it reads the file, and the rows."""
    before = pa.total_allocated_bytes()
    reader = _column_files.Reader(os.fspath(path), "parquet", 1 << 30)
    most = rows = 0
    while (count := reader.next(1024)) is not None:
        rows += count
        most = max(most, pa.total_allocated_bytes() - before)
    return most, rows


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([LONG] * 1000, pa.string()),
        ([LONG.encode()] * 1000, pa.binary()),
        ([[LONG, None]] * 500, pa.list_(pa.string())),
        ([{"a": None, "b": [{"c": LONG}]}] * 500, STRUCTS),
        ([[("k", LONG)]] * 500, pa.map_(pa.string(), pa.string())),
    ],
    ids=["string", "bytes", "list", "struct", "map"],
)
def test_long_strings_of_dictionaries_are_not_repeated(tmp_path, values, type_):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array(values, type_)}), path, compression="zstd")
    assert path.stat().st_size < 4096
    most, rows = allocated_bytes(path)
    assert rows == len(values) and most < 16 << 20


def test_strings_that_share_prefixes_are_read_a_few_at_a_time(tmp_path):
    path = tmp_path / "a.parquet"
    values = [LONG + str(i) for i in range(300)]
    pq.write_table(pa.table({"a": values}), path, use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})
    assert path.stat().st_size < 1 << 20
    most, rows = allocated_bytes(path)
    assert rows == 300 and most < 150 << 20
