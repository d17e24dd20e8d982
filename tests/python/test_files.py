"""Every row of every file that the commands write equals what python-protobuf parses from the same message."""

import random

import commands
import compare
import conftest
import duckdb
import framing
import json_rows
import pyarrow as pa
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet as pq
import pytest
import random_messages
from real_data import open_real_set

SEED = 20240611


def everything_set(folder):
    """Random messages of the schema that has every kind of field."""
    protos = conftest.REPOSITORY / "tests" / "protos"
    schema = commands.protoc_descriptor_set(folder / "everything.descriptors", "everything.proto", protos, "/usr/include")
    everything = compare.load_pool(schema).FindFileByName("everything.proto").message_types_by_name["Everything"]
    message_class = compare.load_message_class(schema, everything.full_name)
    rng = random.Random(SEED)
    payloads = [random_messages.random_payload(rng, message_class) for _ in range(400)]
    return commands.MessageSet("everything_to_columns", message_class, [b"", *payloads]), schema


def onnx_set(folder):
    import_dir = commands.run_tool("onnx_models.py", "--models", folder / "models.bin")
    schema = commands.protoc_descriptor_set(folder / "onnx.descriptors", "onnx/onnx.proto", import_dir)
    message_class = compare.load_message_class(schema, "onnx.ModelProto")
    return commands.MessageSet("onnx_to_columns", message_class, list(framing.read_delimited(folder / "models.bin"))), schema


@pytest.fixture(scope="module", params=["everything", "everything by structtensor", "otlp", "onnx", "onnx by structtensor"])
def messages(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param.replace(" ", "_"))
    if request.param == "otlp":
        return commands.record_otlp(folder, 100)
    made, schema = everything_set(folder) if request.param.startswith("everything") else onnx_set(folder)
    return made.by_structtensor(schema) if request.param.endswith("by structtensor") else made


def convert(messages, folder, ending, *options):
    output = folder / f"rows.{ending}"
    # Small batches, so that every file has several of them.
    source = messages.write(folder / "messages.bin")
    commands.convert(messages.command, *messages.arguments, source, "-o", output, "--batch-size", 64, "--quiet", *options)
    return output


def batches_of_parquet(path):
    return list(pq.ParquetFile(path).iter_batches(100))


def batches_of_arrow_file(path):
    with pa.ipc.open_file(path) as reader:
        return [reader.get_batch(index) for index in range(reader.num_record_batches)]


def batches_of_arrow_stream(path):
    with pa.ipc.open_stream(path) as reader:
        return list(reader)


READERS = {"parquet": batches_of_parquet, "arrow": batches_of_arrow_file, "arrows": batches_of_arrow_stream}


def assert_rows_equal(actual, messages):
    assert len(actual) == len(messages.expected)
    for index, (want, got) in enumerate(zip(messages.expected, actual, strict=True)):
        problem = compare.difference(want, got)
        assert problem is None, f"row {index}, {problem} (random messages have the seed {SEED})"


@pytest.mark.parametrize("ending", READERS)
def test_pyarrow_reads_equal_rows(messages, ending, tmp_path):
    batches = READERS[ending](convert(messages, tmp_path, ending))
    assert batches[0].schema.names == compare.column_names(messages.message_class.DESCRIPTOR)
    for batch in batches:
        batch.validate(full=True)
    assert_rows_equal([row for batch in batches for row in compare.rows(batch)], messages)


def test_duckdb_reads_equal_rows_from_parquet(messages, tmp_path):
    path = convert(messages, tmp_path, "parquet")
    table = duckdb.connect().sql("SELECT * FROM read_parquet(?)", params=[str(path)]).to_arrow_table()
    assert_rows_equal([row for batch in table.to_batches() for row in compare.rows(batch)], messages)


@pytest.mark.parametrize("ending", ["arrow", "arrows"])
def test_duckdb_reads_equal_rows_from_arrow(messages, ending, tmp_path):
    batches = READERS[ending](convert(messages, tmp_path, ending))
    # DuckDB's intervals hold microseconds, so durations go through it as numbers.
    integral = [
        pa.RecordBatch.from_struct_array(struct.view(compare.without_temporal_types(struct.type)))
        for struct in (batch.to_struct_array() for batch in batches)
    ]
    connection = duckdb.connect()
    connection.register("rows", pa.Table.from_batches(integral))
    table = connection.sql("SELECT * FROM rows").to_arrow_table()
    assert_rows_equal([row for batch in table.to_batches() for row in compare.rows(batch)], messages)


def test_json_lines_hold_equal_rows(messages, tmp_path):
    text = convert(messages, tmp_path, "jsonl", "--to", "rows").read_text(encoding="utf-8")
    assert text.endswith("\n")
    descriptor = messages.message_class.DESCRIPTOR
    assert_rows_equal([json_rows.parse_row(descriptor, line) for line in text[:-1].split("\n")], messages)


def test_pyarrow_and_duckdb_read_json_lines(tmp_path):
    messages = commands.record_otlp(tmp_path, 40)
    path = convert(messages, tmp_path, "jsonl", "--to", "rows")
    expected = [
        span["name"]
        for row in messages.expected
        for resource_spans in row["resource_spans"]
        for scope_spans in resource_spans["scope_spans"]
        for span in scope_spans["spans"]
    ]
    by_pyarrow = pa.json.read_json(path, read_options=pa.json.ReadOptions(block_size=1 << 26)).to_pylist()
    assert [
        span["name"]
        for row in by_pyarrow
        for resource_spans in row["resource_spans"]
        for scope_spans in resource_spans["scope_spans"]
        for span in scope_spans["spans"]
    ] == expected
    by_duckdb = duckdb.connect().execute(
        """
        SELECT s.name FROM (SELECT unnest(scope.spans) AS s FROM (SELECT unnest(r.scope_spans) AS scope FROM
            (SELECT unnest(resource_spans) AS r FROM read_json(?, format = 'newline_delimited', sample_size = -1))))
        """,
        [str(path)],
    )
    assert sorted(name for (name,) in by_duckdb.fetchall()) == sorted(expected)


def test_the_smallest_and_the_largest_batches_hold_equal_rows(messages, tmp_path):
    source = messages.write(tmp_path / "messages.bin")
    for batch_size in (1, 100_000):  # no set has as many messages, so only the limit of bytes ends a batch
        output = tmp_path / f"{batch_size}.arrows"
        commands.convert(messages.command, *messages.arguments, source, "-o", output, "--batch-size", batch_size, "--quiet")
        rows = [row for batch in batches_of_arrow_stream(output) for row in compare.rows(batch)]
        assert_rows_equal(rows, messages)


@pytest.mark.real_data
def test_real_spans_equal(tmp_path):
    opened = open_real_set("otlp_traces_astronomy")
    # Its messages were exported as TracesData, which is the same on the wire as the command's ExportTraceServiceRequest.
    message_class = commands.record_otlp(tmp_path, 0).message_class
    messages = commands.MessageSet("otlp_to_columns", message_class, list(framing.read_delimited(opened.messages)))
    batches = batches_of_parquet(convert(messages, tmp_path, "parquet"))
    assert_rows_equal([row for batch in batches for row in compare.rows(batch)], messages)
