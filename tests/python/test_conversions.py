"""`structtensor convert`: real sets to files of columns and back, where rows are from, dry runs.

test_files.py compares what the generated converters write.
"""

import base64
import csv
import gzip
import itertools
import os
import subprocess

import commands
import compare
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from google.protobuf import descriptor_pb2
from real_data import open_real_set
from structtensor_command import SCHEMA, document, run, succeed


# --- every real set, and back


def test_every_message_of_a_real_set_is_valid(real_set):
    path, schema, message, _ = real_set
    messages = len(list(framing.read_delimited(path)))
    counts = document("validate", path, "--descriptor_set_in", schema, "-m", message)
    assert (counts["messages"], counts["equal"], counts["different"], counts["broken_records"]) == (messages, messages, 0, 0)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_real_sets_convert_to_equal_rows(real_set, ending, tmp_path):
    path, schema, message, message_class = real_set
    output = tmp_path / f"rows.{ending}"
    succeed("convert", path, "--descriptor_set_in", schema, "-m", message, "-o", output, "--quiet")
    if ending == "parquet":
        batches = list(pq.ParquetFile(output).iter_batches(1000))
    else:
        with pa.ipc.open_file(output) as reader:
            batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
    expected = framing.read_delimited(path)
    count = 0
    for batch in batches:
        for row in compare.rows(batch):
            problem = compare.difference(compare.expected_row(message_class.FromString(next(expected))), row)
            assert problem is None, f"row {count}, {problem}"
            count += 1
    assert next(expected, None) is None


@pytest.mark.parametrize("framing_name", ["delimited", "tfrecord", "length32", "length32le", "grpc"])
def test_real_sets_convert_to_equal_messages(real_set, framing_name, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet"]
    framed, back = tmp_path / "framed", tmp_path / "back.pb"
    succeed("convert", path, *chosen, "-o", framed, "--to", framing_name)
    succeed("convert", framed, *chosen, "-o", back, "--to", "delimited", "--from", framing_name)
    pairs = list(zip(framing.read_delimited(path), framing.read_delimited(back), strict=True))
    assert pairs
    assert all(a == b or message_class.FromString(a) == message_class.FromString(b) for a, b in pairs)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_real_sets_come_back_from_columns(real_set, ending, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet"]
    columns, back = tmp_path / f"rows.{ending}", tmp_path / "back.pb"
    succeed("convert", path, *chosen, "--unknown-fields", "keep", "-o", columns)
    succeed("convert", columns, "--quiet", "-o", back)  # the schema is in the file
    count = 0
    for expected, actual in itertools.zip_longest(framing.read_delimited(path), framing.read_delimited(back)):
        assert expected is not None and actual is not None, "other number of messages"
        if actual != expected:
            problem = f"message {count} differs"
            one, other = message_class.FromString(expected), message_class.FromString(actual)
            assert one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True), problem
        count += 1


def test_column_files_are_inputs_like_others(recipes, source, tmp_path):
    columns = tmp_path / "recipes.parquet"
    succeed("convert", source, *SCHEMA, "-o", columns)
    assert b"soup" in succeed("head", columns, *SCHEMA).stdout
    assert document("validate", columns, *SCHEMA)["equal"] == 3
    outcome = run("inspect", columns)
    assert outcome.exit_code == 1
    assert "is a Parquet or Arrow file" in outcome.stderr
    few = tmp_path / "few.binpb"
    succeed("convert", columns, "--from", "parquet", *SCHEMA, "--where", "minutes > 30", "-o", few)
    assert [recipes.message_class.FromString(m).title for m in framing.read_delimited(few)] == ["soup"]


def test_column_files_carry_their_schema(source, tmp_path):
    columns = tmp_path / "recipes.parquet"
    succeed("convert", source, *SCHEMA, "-o", columns)
    metadata = pq.read_schema(columns).metadata
    assert metadata[b"structtensor.message"] == b"cookbook.Recipe"
    files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(metadata[b"structtensor.descriptor_set"]))
    assert [file.name for file in files.file] == ["recipe.proto"]
    assert b"soup" in succeed("head", columns).stdout
    assert document("validate", columns, "-m", "Recipe")["equal"] == 3
    assert "no message is called Soup" in run("head", columns, "-m", "Soup").stderr
    # A program that rewrites the file decides what its metadata says.
    pq.write_table(pq.read_table(columns).replace_schema_metadata({}), columns)
    assert "no schema" in run("head", columns).stderr
    broken = {"structtensor.message": "M", "structtensor.descriptor_set": "%"}
    pq.write_table(pq.read_table(columns).replace_schema_metadata(broken), columns)
    assert f"{columns}: its schema (the metadata structtensor.descriptor_set) is not base64" in run("head", columns).stderr


def test_column_files_that_do_not_fit_say_where(source, tmp_path):
    columns = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"title": ["soup", "toast", "tea"], "minutes": pa.array([1, 1 << 40, 3], pa.int64())}), columns)
    outcome = run("convert", columns, *SCHEMA, "-o", tmp_path / "x.pb")
    assert outcome.exit_code == 1
    problem = "minutes: a field of type int32 cannot hold 1099511627776 without loss"
    assert f"{columns} row 1: {problem}" in outcome.stderr
    assert not (tmp_path / "x.pb").exists()
    # Rows in front of it, and around it.
    assert b"soup" in succeed("head", columns, *SCHEMA, "-n", "1").stdout
    outcome = succeed("convert", columns, *SCHEMA, "-o", tmp_path / "x.pb", "--on-error", "skip")
    assert problem in outcome.stderr
    assert len(list(framing.read_delimited(tmp_path / "x.pb"))) == 2

    minutes = [1 << 40 if i in (70, 130) else i for i in range(200)]
    pq.write_table(pa.table({"title": [f"soup {i}" for i in range(200)], "minutes": pa.array(minutes, pa.int64())}), columns)
    outcome = succeed("convert", columns, *SCHEMA, "-o", tmp_path / "x.pb", "--on-error", "skip", "--overwrite")
    assert f"{columns} row 70: {problem}" in outcome.stderr and f"{columns} row 130: {problem}" in outcome.stderr
    titles = [message[2 : 2 + message[1]] for message in framing.read_delimited(tmp_path / "x.pb")]
    assert titles == [b"soup %d" % i for i in range(200) if i not in (70, 130)]

    pq.write_table(pa.table({"title": ["tea"], "colour": ["red"]}), columns)
    assert "colour: the message type cookbook.Recipe has no such field" in run("head", columns, *SCHEMA).stderr
    assert b"tea" in succeed("head", columns, *SCHEMA, "--ignore-extra-fields").stdout

    whole = columns.read_bytes()
    columns.write_bytes(whole[: len(whole) // 2])
    outcome = run("head", columns, *SCHEMA)
    assert outcome.exit_code == 1
    assert f"{columns} row 0: the file is damaged" in outcome.stderr

    columns.write_bytes(whole)
    outcome = run("convert", columns, source, *SCHEMA, "-o", tmp_path / "y.pb")
    assert outcome.exit_code == 1
    assert "read one kind at a time" in outcome.stderr
    outcome = run("convert", columns, tmp_path / "none.parquet", *SCHEMA, "--ignore-extra-fields", "-o", tmp_path / "y.pb")
    assert "No such file" in outcome.stderr


ROWS_PROTO = """
syntax = "proto2";
package t;
enum Color { RED = 0; BLUE = 1; }
message Row {
  required int64 id = 1;
  optional Color color = 2;
  optional string name = 3;
  map<string, int32> counts = 4;
}
"""


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--unknown-fields", "drop"],
        ["--drop", "name"],
        ["--select", "id", "--select", "counts"],
        ["--where", "id > 1"],
        ["--on-error", "skip"],
        ["--skip", "2", "--limit", "7"],
        ["--batch-size", "3"],
    ],
    ids=" ".join,
)
def test_messages_of_columns_are_those_of_messages(options, tmp_path):
    # Each row group has something else that messages may lose: a field that is not chosen, a key that comes twice, a number
    # that a closed enum does not have, and a message without its required field.
    whole = {"id": 1, "color": 0, "name": "a", "counts": [("x", 1), ("y", 2)]}
    twice = {"id": 2, "color": None, "name": None, "counts": [("x", 1), ("x", 2)]}
    number = {"id": 3, "color": 7, "name": "b", "counts": []}
    broken = {"id": None, "color": 1, "name": "c", "counts": [("z", 3)]}
    groups = ([whole, whole], [twice, whole], [number, whole], [broken, whole], [whole, twice])
    rows = [row for group in groups for row in group]
    columns = {"id": pa.int64(), "color": pa.int32(), "name": pa.string(), "counts": pa.map_(pa.string(), pa.int32())}
    pq.write_table(pa.Table.from_pylist(rows, pa.schema(list(columns.items()))), tmp_path / "rows.parquet", row_group_size=2)
    (tmp_path / "rows.proto").write_text(ROWS_PROTO)
    schema = commands.protoc_descriptor_set(tmp_path / "rows.descriptors", tmp_path / "rows.proto", tmp_path)
    message_class = compare.load_message_class(schema, "t.Row")

    def serialized(row):
        message = message_class(id=row["id"], name=row["name"], counts=dict(row["counts"]))
        number = b"" if row["color"] is None else bytes([2 << 3, row["color"]])  # python refuses 7
        return message.SerializePartialToString(deterministic=True) + number

    (tmp_path / "messages.pb").write_bytes(framing.frame_delimited(map(serialized, rows)))
    on_error = [] if "--on-error" in options else ["--on-error", "null"]
    arguments = ["--descriptor_set_in", schema, "-m", "t.Row", *on_error, *options]

    def converted(source, jobs):
        output = tmp_path / f"{source}-{jobs}.pb"
        succeed("convert", tmp_path / source, *arguments, "-j", jobs, "-o", output)
        return list(framing.read_delimited(output))

    def parsed(messages):
        return [message_class.FromString(message).SerializePartialToString(deterministic=True) for message in messages]

    outputs = [converted("rows.parquet", jobs) for jobs in (1, 2, 5)]
    assert outputs[0] == outputs[1] == outputs[2]
    assert parsed(outputs[0]) == parsed(converted("messages.pb", 1)) != []


def test_a_named_pipe_is_opened_once(source, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["cp", source, pipe])
    try:
        assert b"soup" in succeed("head", pipe, *SCHEMA).stdout
        assert writer.wait(60) == 0
    finally:
        writer.kill()
        writer.wait()


@pytest.mark.real_data
def test_csv_has_what_is_not_repeated(tmp_path):
    opened, output = open_real_set("gtfsrt_nyct"), tmp_path / "rows.csv"
    schema = ("--descriptor_set_in", opened.descriptor_set, "-m", opened.message, "--quiet")
    names = ["trip_id", "start_time", "start_date", "schedule_relationship", "route_id", "direction_id"]
    columns = ["id", *(f"trip_update.trip.{name}" for name in names), "vehicle.timestamp"]
    select = [argument for column in columns for argument in ("--select", column)]
    succeed("convert", opened.messages, *schema, *select, "-o", output)
    message_class = compare.load_message_class(opened.descriptor_set, opened.message)
    with output.open(newline="") as file:
        rows = csv.reader(file)
        assert next(rows) == columns
        for payload, row in zip(framing.read_delimited(opened.messages), rows, strict=True):
            entity = message_class.FromString(payload)
            trip, vehicle = entity.trip_update.trip, entity.vehicle
            expected = [str(getattr(trip, name)) if trip.HasField(name) else "" for name in names]
            assert row == [entity.id, *expected, str(vehicle.timestamp) if vehicle.HasField("timestamp") else ""]


def test_csv_headers_with_dots_are_distinguished(tmp_path):
    proto, text, output = tmp_path / "t.proto", tmp_path / "notes.txt", tmp_path / "rows.csv"
    proto.write_text(
        'syntax = "proto3"; package t; message A { int32 b = 1; }\n'
        "message M { A a = 1; int32 x = 2; int32 y = 3; int32 z = 4; int32 w = 5; }"
    )
    names = {"x": "a.b", "y": 'the \\"y\\"', "z": "a z", "w": "\\t.\\177"}
    text.write_text(
        "".join(f'annotation {{ path: "t.M.{field}" options {{ name: "{name}" }} }}\n' for field, name in names.items())
    )
    (tmp_path / "m.pb").write_bytes(framing.frame_delimited([b"\x0a\x02\x08\x01\x10\x02\x18\x03\x20\x04\x28\x05"]))
    succeed("convert", tmp_path / "m.pb", "-p", proto, "-m", "t.M", "--annotations", text, "-o", output)
    with output.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["a.b", '"a.b"', '"the \\"y\\""', "a z", '"\\t.\\x7f"'], ["1", "2", "3", "4", "5"]]


def test_csv_of_repeated_fields_says_which(source, tmp_path):
    outcome = run("convert", source, *SCHEMA, "-o", tmp_path / "rows.csv")
    assert outcome.exit_code == 1
    assert "the repeated field ingredients" in outcome.stderr
    assert "--select" in outcome.stderr


# --- where rows are from


def test_columns_say_where_rows_are_from(recipes, tmp_path):
    first, second = tmp_path / "1.pb", tmp_path / "2.pb.gz"
    recipes.write(first)
    second.write_bytes(gzip.compress(first.read_bytes()))
    succeed("convert", first, second, *SCHEMA, "-o", tmp_path / "rows.parquet", "--with-filename", "--with-offset=at")
    table = pq.read_table(tmp_path / "rows.parquet")
    assert table.schema.names[:3] == ["filename", "at", "title"]
    assert table["filename"].to_pylist() == [str(first)] * 3 + [str(second)] * 3
    data = first.read_bytes()
    for row in table.to_pylist():
        begins = next(
            payload for payload in recipes.payloads if recipes.message_class.FromString(payload).title == row["title"]
        )
        assert data[row["at"] :].startswith(begins)
        assert data[row["at"] - 1] == len(begins)
    (row,) = document("head", "-", *SCHEMA, "--with-filename=from", "--with-offset", "--skip", 1, "-n", 1, stdin=data)["rows"]
    assert list(row.items())[:2] == [("from", "<stdin>"), ("offset", len(recipes.payloads[0]) + 2)]
    assert b"filename: " + str(first).encode() in succeed("head", first, *SCHEMA, "--with-filename").stdout
    columns = document("schema", *SCHEMA, "--with-offset")["columns"]
    assert [column["name"] for column in columns][:2] == ["offset", "title"]
    outcome = run("head", first, *SCHEMA, "--with-offset=title")
    assert (outcome.exit_code, "there is a column title already" in outcome.stderr) == (1, True)
    outcome = run("convert", first, *SCHEMA, "-o", tmp_path / "x.pb", "--with-offset")
    assert (outcome.exit_code, "which messages do not have" in outcome.stderr) == (2, True)
    # On the way back they are columns that no message has.
    outcome = run("convert", tmp_path / "rows.parquet", "-o", tmp_path / "back.pb")
    assert (outcome.exit_code, "no such field" in outcome.stderr) == (1, True)
    succeed("convert", tmp_path / "rows.parquet", "-o", tmp_path / "back.pb", "--ignore-extra-fields")
    assert len(list(framing.read_delimited(tmp_path / "back.pb"))) == 6


# --- dry runs


def test_a_dry_run_says_what_would_be_and_writes_nothing(source, tmp_path):
    recipes_again = tmp_path / "again.tfrecord"
    recipes_again.write_bytes(framing.frame_tfrecord([b""]))
    before = sorted(tmp_path.iterdir())
    said = document(
        "convert", source, recipes_again, *SCHEMA, "-o", tmp_path / "rows.parquet", "--dry-run", "--drop", "ratings"
    )
    assert said["dry_run"] is True
    assert [(entry["file"], entry["format"]) for entry in said["inputs"]] == [
        (str(source), "delimited"),
        (str(recipes_again), "tfrecord"),
    ]
    assert said["inputs"][0]["size_bytes"] == source.stat().st_size
    assert (said["message"], said["format"], said["output"]) == ("cookbook.Recipe", "parquet", str(tmp_path / "rows.parquet"))
    assert [column["name"] for column in said["columns"]] == ["title", "minutes", "ingredients"]
    text = succeed("convert", source, *SCHEMA, "-o", tmp_path / "rows", "--dry-run", "--partition-by", "title").stdout.decode()
    assert "a folder with a file for each value of title" in text
    assert "minutes: int32" in text
    assert document("convert", *SCHEMA, "-o", "-", "--dry-run", "--to", "tfrecord")["inputs"] == [
        {"file": "<stdin>", "format": "delimited", "reason": "which pipes are taken for"}
    ]
    assert sorted(tmp_path.iterdir()) == before


def test_a_dry_run_fails_as_the_conversion_would(source, tmp_path):
    taken = tmp_path / "taken.parquet"
    taken.touch()
    output = ["-o", tmp_path / "rows.parquet"]
    for arguments in [
        [source, "-o", taken],
        [source, "-o", tmp_path / "absent" / "rows.parquet"],
        [source, "-o", tmp_path, "--to", "parquet"],
        [source, "-o", tmp_path / "rows.csv"],
        [source, "-o", tmp_path, "--partition-by", "title"],
        [source, *output, "--partition-by", "ingredients"],
        [source, *output, "--select", "absent"],
        [source, *output, "--where", "absent = 1"],
        [source, *output, "--with-offset=title"],
        [tmp_path / "absent.pb", *output],
        [source, *output, "-m", "Absent"],
    ]:
        arguments = [*arguments, *(SCHEMA if "-m" not in arguments else SCHEMA[:-2])]
        dry, wet = run("convert", *arguments, "--dry-run"), run("convert", *arguments)
        assert (dry.exit_code, dry.stdout) == (1, b"")
        assert (wet.exit_code, wet.stderr) == (1, dry.stderr)
    assert run("convert", source, *SCHEMA, *output, "--dry-run", "--head", 1).exit_code == 2
    assert not (tmp_path / "rows.parquet").exists()
