"""What reads and writes files of columns by pyarrow for the command."""

import gc
import os

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from structtensor import _column_files

ROWS = pa.record_batch([pa.array(range(1000))], names=["a"])


class Output:
    """A file that refuses what is written after it was abandoned."""

    closed = False

    def __init__(self):
        self.data = bytearray()
        self.abandoned = False

    def write(self, data):
        self.check()
        self.data += data
        return len(data)

    def flush(self):
        self.check()

    def check(self):
        if self.abandoned:
            self.data += b"late"
            raise OSError("the file was abandoned")

    def tell(self):
        return len(self.data)

    def close(self):
        self.closed = True

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False


def writer_of(format_, output):
    schema = ROWS.schema.__arrow_c_schema__()
    return _column_files.Writer(format_, output, schema, {}, [], "none", 600, 1 << 20)


@pytest.mark.parametrize("format_", ["parquet", "arrow", "arrows", "csv"])
@pytest.mark.parametrize("batches", [0, 1])
def test_abandoned_files_stay_as_they_are(format_, batches, capfd):
    output = Output()
    writer = writer_of(format_, output)
    for _ in range(batches):
        writer.write(ROWS.__arrow_c_array__())
    before = bytes(output.data)
    output.abandoned = True
    writer.abandon()
    assert writer.buffered_bytes == 0
    del writer
    gc.collect()
    assert bytes(output.data) == before
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("format_", ["parquet", "arrow", "arrows", "csv"])
def test_whole_files_may_be_abandoned(format_, capfd):
    output = Output()
    writer = writer_of(format_, output)
    writer.write(ROWS.__arrow_c_array__())
    writer.close()
    output.abandoned = True
    writer.abandon()
    del writer
    gc.collect()
    data = pa.BufferReader(bytes(output.data))
    read = {"parquet": pq.read_table, "csv": pyarrow.csv.read_csv}.get(format_)
    open_ = pa.ipc.open_file if format_ == "arrow" else pa.ipc.open_stream
    assert (read(data) if read else open_(data).read_all()).column("a").to_pylist() == list(range(1000))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("format_", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("name", [b"~", b"~/rows", b"\xff rows", "größe".encode()])
def test_names_of_files_are_bytes(format_, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("~") if b"/" in name else None
    output = Output()
    writer = writer_of(format_, output)
    writer.write(ROWS.__arrow_c_array__())
    writer.close()
    with open(name, "wb") as file:
        file.write(output.data)
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
