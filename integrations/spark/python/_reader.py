"""Reads messages in Spark's tasks: what a task reads, and the readers of tables."""

import json
import os
import pathlib
import tempfile

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from . import _options
from ._fields import are_fields, columns_named, pattern_of
from ._types import convert_batch

# Without the option `partitions`, each file is a partition, unless there are more files than this.
MOST_PARTITIONS = 1000

DEAD_LETTERS = pa.schema(
    [
        pa.field("file", pa.string(), nullable=False),
        pa.field("record", pa.int64(), nullable=False),
        pa.field("record_offset", pa.int64(), nullable=False),
        pa.field("byte_offset", pa.int64(), nullable=False),
        pa.field("field_path", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("value", pa.binary(), nullable=False),
    ]
)


class ScanPartition(InputPartition):
    """One split of the scan. It has its files and the schema, so an executor only needs to see the files."""

    def __init__(self, scan):
        super().__init__(scan)


def partitions_of(scan, count=None):
    """Partitions that together give each row of the scan once."""
    splits = scan.splits(count)
    if count is None and len(splits) > MOST_PARTITIONS:
        splits = scan.splits(MOST_PARTITIONS)
    return [ScanPartition(split) for split in splits]


def record_batches(scan, schema, rows=None, size=None):
    """The rows of a scan as record batches with this Arrow schema."""
    for batch in scan.batches(rows, size):
        yield convert_batch(pa.record_batch(batch), schema)


def _varint(data, start):
    number = shift = 0
    while True:
        byte = data[start]
        start += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, start
        shift += 7


def dead_letter_batches(scan, most=10_000):
    """One row for each message of the scan that has no row.

    The scan writes these messages to a temporary file of this machine. The file is deleted at the end, however the task ends.
    """
    with tempfile.TemporaryDirectory(prefix="structtensor-") as folder:
        path = os.path.join(folder, "dead")
        for _ in scan.batches(dead_letters=path):
            pass
        letters = pathlib.Path(path).read_bytes()
        start, found = 0, []
        with open(path + ".jsonl", encoding="utf-8") as lines:
            for line in lines:
                size, start = _varint(letters, start)
                found.append({**json.loads(line), "value": letters[start : start + size]})
                start += size
                if len(found) == most:
                    yield pa.RecordBatch.from_pylist(found, schema=DEAD_LETTERS)
                    found = []
        if found:
            yield pa.RecordBatch.from_pylist(found, schema=DEAD_LETTERS)


def narrowed(scan, wanted):
    """A scan that reads little more than the columns `wanted`. Requires: check_projection() accepts them."""
    paths = columns_named(wanted)
    if not paths or not are_fields(scan, paths):
        return scan
    return scan._with(select=[pattern_of(path) for path in paths])


class Reader(DataSourceReader):
    """Reads a table: the rows of messages, or the dead letters among them.

    It has no pushFilters(). Spark keeps one reader for a data frame and for all frames that come from it, and replaces that
    reader each time it pushes filters. Other queries on the same frame, and even the other half of a union, would then read
    with filters that are not theirs.
    """

    def __init__(self, scan, schema, options):
        self._scan = scan
        self._schema = schema
        self._mode = _options.mode_of(options)
        self._rows = _options.batch_size_of(options, "batch_size")
        self._bytes = _options.batch_size_of(options, "batch_bytes")
        self._count = _options.number_of("partitions", options["partitions"], 1) if "partitions" in options else None

    def partitions(self):
        return partitions_of(self._scan, self._count)

    def read(self, partition):
        if self._mode == "dead_letters":
            return dead_letter_batches(partition.value)
        return record_batches(partition.value, self._schema, self._rows, self._bytes)
