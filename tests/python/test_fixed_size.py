"""Bytes that are annotated with a fixed size: what readers of each format get, and that files come back as the same
messages."""

import csv
import random

import commands
import compare
import framing
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

PROTO = """
syntax = "proto3";
package t;
message Span {
  bytes trace_id = 1;
  optional bytes parent_id = 2;
  repeated bytes links = 3;
  map<string, bytes> hashes = 4;
  bytes rest = 5;
}
"""
ANNOTATIONS = """
annotation { path: "t.Span.trace_id" options { fixed_size: 16 } }
annotation { path: "t.Span.parent_id" options { fixed_size: 8 } }
annotation { path: "t.Span.links" options { fixed_size: 1 } }
annotation { path: "t.Span.hashes" options { fixed_size: 3 } }
"""


class Spans:
    def __init__(self, folder):
        self.folder = folder
        self.proto = folder / "span.proto"
        self.proto.write_text(PROTO)
        (folder / "sizes.txt").write_text(ANNOTATIONS)
        schema = commands.protoc_descriptor_set(folder / "span.desc", self.proto, folder)
        self.message_class = compare.load_message_class(schema, "t.Span")

    def random_spans(self, count, seed):
        generator = random.Random(seed)
        ids = [generator.randbytes(16) for _ in range(20)]
        spans = []
        for _ in range(count):
            span = self.message_class(rest=generator.randbytes(generator.randrange(5)))
            if generator.random() < 0.7:
                span.trace_id = generator.choice(ids)
            if generator.random() < 0.5:
                span.parent_id = generator.randbytes(8)
            span.links.extend(generator.randbytes(1) for _ in range(generator.randrange(4)))
            for key in generator.sample("abc", generator.randrange(3)):
                span.hashes[key] = generator.choice([b"", generator.randbytes(3)])
            spans.append(span)
        return spans

    def write(self, spans, name="spans.pb"):
        path = self.folder / name
        path.write_bytes(framing.frame_delimited([span.SerializeToString(deterministic=True) for span in spans]))
        return path

    def schema(self):
        return ("-p", self.proto, "-m", "t.Span", "--annotations", self.folder / "sizes.txt")

    def convert(self, spans, output, *arguments):
        commands.convert("structtensor", "convert", self.write(spans), *self.schema(), "-o", output, *arguments)
        return output


@pytest.fixture
def spans(tmp_path):
    return Spans(tmp_path)


def expected(span):
    return {
        "trace_id": span.trace_id or None,
        "parent_id": span.parent_id if span.HasField("parent_id") else None,
        "links": list(span.links),
        "hashes": {key: value or None for key, value in span.hashes.items()},
        "rest": span.rest,
    }


def read_table(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    opener = pa.ipc.open_file if path.suffix == ".arrow" else pa.ipc.open_stream
    with pa.OSFile(str(path)) as source:
        return opener(source).read_all()


@pytest.mark.parametrize("ending", ["arrow", "arrows", "parquet"])
def test_pyarrow_reads_fixed_sizes_and_messages_come_back(spans, ending):
    messages = spans.random_spans(700, 1)
    file = spans.convert(messages, spans.folder / f"s.{ending}", "--batch-size", "50")
    table = read_table(file)
    assert table.schema.field("trace_id").type == pa.binary(16)
    assert table.schema.field("parent_id").type == pa.binary(8)
    assert table.schema.field("links").type.value_type == pa.binary(1)
    assert not table.schema.field("links").type.value_field.nullable
    assert table.schema.field("hashes").type.item_type == pa.binary(3)
    assert table.schema.field("rest").type == pa.binary()
    table.validate(full=True)
    assert [{**row, "hashes": dict(row["hashes"])} for row in table.to_pylist()] == [expected(span) for span in messages]

    again = spans.folder / "again.pb"
    commands.convert("structtensor", "convert", file, "-o", again)
    assert [spans.message_class.FromString(payload) for payload in framing.read_delimited(again)] == messages


def test_without_absent_values_and_without_rows(spans):
    full = [spans.message_class(trace_id=bytes([i]) * 16, parent_id=bytes([i]) * 8) for i in range(5)]
    for messages in (full, []):
        for ending in ("arrow", "parquet"):
            table = read_table(spans.convert(messages, spans.folder / f"{len(messages)}.{ending}"))
            assert table.schema.field("trace_id").type == pa.binary(16)
            assert table.column("trace_id").to_pylist() == [span.trace_id for span in messages]
            assert table.column("parent_id").to_pylist() == [span.parent_id for span in messages]


def test_parquet_has_the_physical_type_and_lookups(spans):
    messages = spans.random_spans(1000, 2)
    file = pq.ParquetFile(spans.convert(messages, spans.folder / "s.parquet"))
    column = file.schema.column(0)
    assert (column.path, column.physical_type, column.length) == ("trace_id", "FIXED_LEN_BYTE_ARRAY", 16)
    chunk = file.metadata.row_group(0).column(0)
    ids = [span.trace_id for span in messages if span.trace_id]
    # Twenty ids that come again and again: a dictionary, and a range by which readers pass over row groups.
    assert "RLE_DICTIONARY" in chunk.encodings
    assert (chunk.statistics.min_raw, chunk.statistics.max_raw) == (min(ids), max(ids))


def test_csv_has_base64(spans):
    messages = spans.random_spans(20, 3)
    file = spans.convert(messages, spans.folder / "s.csv", "--select", "trace_id")
    plain = spans.folder / "plain.csv"
    commands.convert("structtensor", "convert", spans.write(messages), "-p", spans.proto, "-o", plain, "--select", "trace_id")
    with file.open(newline="") as fixed, plain.open(newline="") as any_size:
        assert list(csv.reader(fixed)) == list(csv.reader(any_size))


def test_schemas_say_the_size(spans):
    def schema(to):
        return commands.convert("structtensor", "schema", *spans.schema(), "--to", to).stdout.decode()

    assert "trace_id: fixed_size_binary[16]\n" in schema("arrow")
    assert "hashes: map<string, fixed_size_binary[3]>" in schema("arrow")
    assert '"trace_id" BLOB' in schema("sql")
    assert "fixed_len_byte_array(16) field_id=1 trace_id" in schema("parquet")


def test_keys_that_are_chosen_have_the_size(spans):
    messages = spans.random_spans(60, 5)
    table = read_table(spans.convert(messages, spans.folder / "s.arrow", "--select", 'hashes["a"]'))
    assert table.column("hashes").type.field("a").type == pa.binary(3)
    found = [None if row is None else row["a"] for row in table.column("hashes").to_pylist()]
    assert found == [span.hashes.get("a") or None for span in messages]


def test_values_of_another_size_are_damage(spans):
    messages = [*spans.random_spans(10, 6), spans.message_class(trace_id=b"short"), *spans.random_spans(10, 7)]
    output = spans.folder / "s.parquet"
    arguments = ("convert", spans.write(messages), *spans.schema(), "-o", output)
    error = commands.run("structtensor", *arguments).stderr
    assert not output.exists()
    assert "trace_id: the value has 5 bytes, and its annotation says fixed_size: 16" in error
    commands.convert("structtensor", *arguments, "--on-error", "skip")
    assert pq.read_table(output).num_rows == 20
