"""The command `structtensor`: any schema, no compiler. What it converts is compared in test_files.py, too."""

import base64
import csv
import gzip
import io
import itertools
import json
import os
import random
import re
import subprocess
from random import Random

import commands
import compare
import conftest
import duckdb
import framing
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import random_messages
from google.protobuf import descriptor_pb2

RECIPES = conftest.REPOSITORY / "examples" / "recipes"
SCHEMA = ["-I", RECIPES, "-p", "recipe.proto", "-m", "Recipe"]

# Of each real set, the file of messages and their type.
REAL_SETS = {
    "google_message1_proto2": ("messages.bin", "benchmarks.proto2.GoogleMessage1"),
    "google_message1_proto3": ("messages.bin", "benchmarks.proto3.GoogleMessage1"),
    "google_message2": ("messages.bin", "benchmarks.proto2.GoogleMessage2"),
    "gtfsrt_nyct": ("entities.bin", "transit_realtime.FeedEntity"),
    "otlp_traces_astronomy": ("messages.bin", "opentelemetry.proto.trace.v1.TracesData"),
    "pprof": ("messages.bin", "perftools.profiles.Profile"),
    "tfexample_taxi": ("messages.bin", "tensorflow.Example"),
}


def run(*arguments, **options):
    return commands.run("structtensor", *arguments, **options)


def succeed(*arguments, **options):
    return commands.convert("structtensor", *arguments, **options)


def document(*arguments, exit_code=0, **options):
    """Runs a verb with --json, which prints one document and nothing else."""
    outcome = run(*arguments, "--json", **options)
    assert outcome.exit_code == exit_code, outcome.stderr
    parsed = json.loads(outcome.stdout)
    assert parsed["version"] == 1
    assert parsed["verb"] == arguments[0]
    return parsed


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    path = tmp_path_factory.mktemp("recipes") / "recipe.descriptors"
    schema = commands.protoc_descriptor_set(path, RECIPES / "recipe.proto", RECIPES)
    message_class = compare.load_message_class(schema, "cookbook.Recipe")
    soup = message_class(title="soup", minutes=40)
    soup.ingredients.add(name="water", amount=1, unit="l")
    soup.ratings["ann"] = 5
    payloads = [soup.SerializeToString(), b"", message_class(title="toast").SerializeToString()]
    return commands.MessageSet("structtensor", message_class, payloads)


@pytest.fixture
def source(recipes, tmp_path):
    return recipes.write(tmp_path / "recipes.pb")


# --- every real set, and back


@pytest.fixture(scope="module", params=REAL_SETS)
def real_set(request, real_data):
    folder = real_data(request.param)
    file, message = REAL_SETS[request.param]
    schema = folder / "descriptor_set.pb"
    return folder / file, schema, message, compare.load_message_class(schema, message)


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
    # Whoever writes the rows again decides what they say of them.
    pq.write_table(pq.read_table(columns).replace_schema_metadata({}), columns)
    assert "no schema" in run("head", columns).stderr
    broken = {"structtensor.message": "M", "structtensor.descriptor_set": "%"}
    pq.write_table(pq.read_table(columns).replace_schema_metadata(broken), columns)
    assert f"{columns}: its schema (the metadata structtensor.descriptor_set) is no base64" in run("head", columns).stderr


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_count_and_schema_take_column_files(orders, recipes, ending, tmp_path):
    columns, messages = tmp_path / f"orders.{ending}", tmp_path / "recipes.pb"
    succeed("convert", orders.path, *orders.by_text, "-o", columns)
    counts = document("count", columns)
    assert counts["messages"] == 3
    assert counts["files"] == [{"file": str(columns), "messages": 3, "damaged": 0, "message_bytes": None}]
    assert succeed("count", columns).stdout.decode() == f"3 messages (rows of columns)  {columns}\n"
    recipes.write(messages)
    assert document("count", columns, messages)["messages"] == 6
    # With its annotations.
    assert succeed("schema", columns, "--to", "sql").stdout.decode() == COLUMNS_OF_ORDERS
    assert succeed("schema", columns, "--list").stdout.decode().splitlines() == ["shop.Address", "shop.Order"]
    assert run("schema", columns, *orders.plain).exit_code == 2
    for arguments in ([], ["--list"]):
        assert "no schema" in run("schema", messages, *arguments).stderr
    columns.write_bytes(columns.read_bytes()[:100])
    outcome = run("count", columns)
    assert outcome.exit_code == 1
    assert f"{columns}: " in outcome.stderr


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

    pq.write_table(pa.table({"title": ["tea"], "colour": ["red"]}), columns)
    assert "colour: the message type cookbook.Recipe has no such field" in run("head", columns, *SCHEMA).stderr
    assert b"tea" in succeed("head", columns, *SCHEMA, "--ignore-extra-columns").stdout

    whole = columns.read_bytes()
    columns.write_bytes(whole[: len(whole) // 2])
    outcome = run("head", columns, *SCHEMA)
    assert outcome.exit_code == 1
    assert f"{columns}: the file is damaged" in outcome.stderr

    columns.write_bytes(whole)
    outcome = run("convert", columns, source, *SCHEMA, "-o", tmp_path / "y.pb")
    assert outcome.exit_code == 1
    assert "read one kind at a time" in outcome.stderr
    outcome = run("convert", columns, tmp_path / "none.parquet", *SCHEMA, "--ignore-extra-columns", "-o", tmp_path / "y.pb")
    assert "No such file" in outcome.stderr


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


def test_csv_has_what_is_not_repeated(real_data, tmp_path):
    folder, output = real_data("gtfsrt_nyct"), tmp_path / "rows.csv"
    schema = ("--descriptor_set_in", folder / "descriptor_set.pb", "-m", "FeedEntity", "--quiet")
    names = ["trip_id", "start_time", "start_date", "schedule_relationship", "route_id", "direction_id"]
    columns = ["id", *(f"trip_update.trip.{name}" for name in names), "vehicle.timestamp"]
    select = [argument for column in columns for argument in ("--select", column)]
    succeed("convert", folder / "entities.bin", *schema, *select, "-o", output)
    message_class = compare.load_message_class(folder / "descriptor_set.pb", "transit_realtime.FeedEntity")
    with output.open(newline="") as file:
        rows = csv.reader(file)
        assert next(rows) == columns
        for payload, row in zip(framing.read_delimited(folder / "entities.bin"), rows, strict=True):
            entity = message_class.FromString(payload)
            trip, vehicle = entity.trip_update.trip, entity.vehicle
            expected = [str(getattr(trip, name)) if trip.HasField(name) else "" for name in names]
            assert row == [entity.id, *expected, str(vehicle.timestamp) if vehicle.HasField("timestamp") else ""]


def test_csv_headers_with_dots_are_told_apart(tmp_path):
    proto, text, output = tmp_path / "t.proto", tmp_path / "notes.txt", tmp_path / "rows.csv"
    proto.write_text(
        'syntax = "proto3"; package t; message A { int32 b = 1; }\n'
        "message M { A a = 1; int32 x = 2; int32 y = 3; int32 z = 4; int32 w = 5; }"
    )
    names = {"x": "a.b", "y": 'the \\"y\\"', "z": "a z", "w": "\\t.\\177"}
    text.write_text("".join(f'annotation {{ path: "t.M.{field}" options {{ name: "{name}" }} }}\n' for field, name in names.items()))
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


# --- partitions


@pytest.fixture(scope="module")
def many_recipes(recipes, tmp_path_factory):
    """A thousand messages; `minutes` numbers them."""
    titles = ["soup", "toast", "", "a b/c", "100%", "größe", "x=y", "..", "'\"\\"]
    messages = [recipes.message_class(title=titles[i % len(titles)], minutes=i) for i in range(1000)]
    path = tmp_path_factory.mktemp("many_recipes") / "recipes.pb"
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    return path, titles


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_partitions_come_back(many_recipes, recipes, ending, tmp_path):
    source, titles = many_recipes
    folder, back = tmp_path / "rows", tmp_path / "back.pb"
    succeed("convert", source, *SCHEMA, "--where", "minutes < 50", "--partition-by", "title", "--to", ending, "-o", folder)
    succeed("convert", folder, "-o", back)
    found = [recipes.message_class.FromString(payload) for payload in framing.read_delimited(back)]
    assert sorted((row.title, row.minutes) for row in found) == sorted((titles[i % len(titles)], i) for i in range(50))
    assert document("count", folder)["messages"] == 50
    counts = document("validate", folder)
    assert (counts["messages"], counts["equal"]) == (50, 50)
    # One of the files knows where it lies; elsewhere it has no such column.
    file = folder / "title=a%20b%2Fc" / f"part-0.{ending}"
    assert {row["title"] for row in document("head", file.name, cwd=file.parent)["rows"]} == {"a b/c"}
    moved = tmp_path / f"moved.{ending}"
    moved.write_bytes(file.read_bytes())
    assert {row["title"] for row in document("head", moved)["rows"]} == {""}


def test_partitions_of_every_kind_come_back(tmp_path):
    kinds = ["int32", "sint32", "sfixed32", "int64", "sint64", "sfixed64", "uint32", "fixed32", "uint64", "fixed64", "bool", "string", "E"]
    fields = "".join(f"  {kind} f{i} = {i + 1};\n" for i, kind in enumerate(kinds))
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; import "google/protobuf/wrappers.proto";\n'
        "enum E { A = 0; B = -5; }\n"
        f"message In {{\n{fields}  google.protobuf.Int64Value wrapped = 20; oneof o {{ int32 one = 21; string other = 22; }} }}\n"
        "message M { In in = 1; In flat = 2; int32 row = 3; }"
    )
    (tmp_path / "notes.txt").write_text(
        'annotation { path: "t.M.flat" options { flatten: true prefix: "flat_" } }\n'
        'annotation { path: "t.In.f12" options { name: "an enum" enum_as: NAME } }\n'
    )
    schema = commands.protoc_descriptor_set(tmp_path / "set.pb", proto, tmp_path)
    message_class = compare.load_message_class(schema, "t.M")
    random = Random(1)
    messages = []
    for row in range(40):
        message = message_class(row=row)
        for part in (getattr(message, "in"), message.flat):
            for i, kind in enumerate(kinds):
                bits = 64 if "64" in kind else 32
                least, most = (0, 2**bits - 1) if kind[0] in "uf" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
                value = random.choice([least, most, 0, 7])
                if kind == "bool":
                    value = row % 2 == 0
                elif kind == "string":
                    value = random.choice(["", "ü %=/", "NULL"])
                elif kind == "E":
                    value = random.choice([0, -5, 9])
                setattr(part, f"f{i}", value)
            if row % 3:
                part.wrapped.value = row % 2
                part.other = f"o{row % 2}"
        messages.append(message)
    path, back = tmp_path / "m.pb", tmp_path / "back.pb"
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    given = ["-p", proto, "-m", "t.M", "--annotations", tmp_path / "notes.txt"]
    for column in [*(f"f{i}" for i in range(12)), "an enum", "wrapped", "other"]:
        for name in (f'in."{column}"', f'"flat_{column}"'):
            folder = tmp_path / "rows"
            succeed("convert", path, *given, "--partition-by", name, "-o", folder, "--overwrite")
            succeed("convert", folder, "-o", back, "--overwrite")
            found = [message_class.FromString(payload) for payload in framing.read_delimited(back)]
            assert sorted(found, key=lambda message: message.row) == messages, name


def test_partitions_whose_names_were_changed_say_so(many_recipes, tmp_path):
    source, _ = many_recipes
    folder = tmp_path / "rows"
    succeed("convert", source, *SCHEMA, "--where", "minutes < 3", "--partition-by", "minutes", "-o", folder)
    (folder / "minutes=1").rename(folder / "minutes=one")
    outcome = run("head", folder)
    assert outcome.exit_code == 1
    assert "part-0.parquet: it lies in the folder minutes=one, but minutes is a field of type int32" in outcome.stderr
    # A loop of links is not followed.
    (folder / "minutes=one").rename(folder / "minutes=1")
    (folder / "minutes=9").symlink_to(folder)
    assert len(document("head", folder)["rows"]) == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_pyarrow_and_duckdb_read_partitions_back(many_recipes, jobs, tmp_path):
    source, titles = many_recipes
    whole, folder = tmp_path / "rows.parquet", tmp_path / "rows"
    succeed("convert", source, *SCHEMA, "-o", whole)
    outcome = succeed("convert", source, *SCHEMA, "-o", f"{folder}/", "--partition-by", "title", "--batch-size", 64, "-j", jobs)
    assert f"wrote {folder} (9 files, " in outcome.stderr
    assert len(list(folder.iterdir())) == len(titles)
    assert "title" not in pq.read_schema(folder / "title=soup" / "part-0.parquet").names
    expected = sorted(pq.read_table(whole).to_pylist(maps_as_pydicts=None), key=lambda row: row["minutes"])
    by_pyarrow = pa.dataset.dataset(folder, partitioning="hive").to_table()
    query = "SELECT * FROM read_parquet(?, hive_partitioning = true)"
    by_duckdb = duckdb.connect().sql(query, params=[f"{folder}/*/*.parquet"]).to_arrow_table()
    for table in (by_pyarrow, by_duckdb):
        rows = sorted(table.to_pylist(maps_as_pydicts=None), key=lambda row: row["minutes"])
        assert [{name: row[name] for name in expected[0]} for row in rows] == expected
    # Within a file, rows keep their order.
    minutes = pq.read_table(folder / "title=soup" / "part-0.parquet", partitioning=None)["minutes"].to_pylist()
    assert minutes == list(range(0, 1000, 9))


def test_partitions_of_a_real_set_have_all_rows(real_data, tmp_path):
    folder, whole, parts = real_data("gtfsrt_nyct"), tmp_path / "rows.parquet", tmp_path / "rows"
    chosen = (folder / "entities.bin", "--descriptor_set_in", folder / "descriptor_set.pb", "-m", "FeedEntity", "--quiet")
    succeed("convert", *chosen, "-o", whole)
    by = ["trip_update.trip.route_id", "trip_update.trip.schedule_relationship"]
    done = document("convert", *chosen, "-o", parts, *(argument for path in by for argument in ("--partition-by", path)))
    rows = pq.read_table(whole).to_pylist(maps_as_pydicts=None)
    expected = {}
    for row in rows:
        trip = (row["trip_update"] or {}).get("trip") or {"route_id": None, "schedule_relationship": None}
        key = (trip.pop("route_id"), trip.pop("schedule_relationship"))
        expected.setdefault(key, []).append(row)
    assert done["rows"] == len(rows)
    assert done["output_files"] == len(expected) == len(list(parts.rglob("*.parquet")))
    assert done["output_bytes"] == sum(path.stat().st_size for path in parts.rglob("*.parquet"))
    assert (None, None) in expected  # alerts and vehicles
    for (route, relationship), of_key in expected.items():
        names = ["__HIVE_DEFAULT_PARTITION__" if value is None else str(value) for value in (route, relationship)]
        file = parts / f"{by[0]}={names[0]}" / f"{by[1]}={names[1]}" / "part-0.parquet"
        assert pq.read_table(file, partitioning=None).to_pylist(maps_as_pydicts=None) == of_key


@pytest.mark.parametrize("ending", ["arrow", "arrows", "jsonl", "csv"])
def test_partitions_have_any_format_of_columns_or_lines(many_recipes, ending, tmp_path):
    source, titles = many_recipes
    chosen = ["--select", "title", "--select", "minutes", "--partition-by", "title", "--to", ending]
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "rows", *chosen)
    files = sorted((tmp_path / "rows").rglob(f"part-0.{ending}"))
    assert len(files) == len(titles)
    if ending == "jsonl":
        assert [json.loads(line) for line in (tmp_path / "rows/title=toast/part-0.jsonl").open()][:2] == [{"minutes": 1}, {"minutes": 10}]


def test_partitions_that_cannot_be_leave_nothing(many_recipes, tmp_path):
    folder = tmp_path / "rows"
    path, _ = many_recipes
    by_number = ["--partition-by", "minutes"]
    # As many as there may be, and one too many.
    succeed("convert", path, *SCHEMA, "-o", folder, *by_number)
    assert len(list(folder.iterdir())) == 1000
    outcome = run("convert", path, *SCHEMA, "-o", folder, *by_number)
    assert (outcome.exit_code, "exists already (pass --overwrite" in outcome.stderr) == (1, True)
    succeed("convert", path, *SCHEMA, "-o", folder, "--limit", 10, "--overwrite", *by_number)
    assert len(list(folder.iterdir())) == 10
    for arguments, word in [
        (["--partition-by", "ingredients"], "repeated"),
        (["--partition-by", "minute"], "no such column"),
        (["--partition-by", "ratings[\"ann\"]"], "expected the path of a column"),
    ]:
        outcome = run("convert", path, *SCHEMA, "-o", tmp_path / "none", *arguments)
        assert (outcome.exit_code, word in outcome.stderr) == (1, True), outcome.stderr
    many = tmp_path / "many.pb"
    many.write_bytes(path.read_bytes() + framing.frame_delimited([b"\x10\xe8\x07"]))  # minutes: 1000
    outcome = run("convert", many, *SCHEMA, "-o", tmp_path / "none", *by_number)
    assert (outcome.exit_code, "more than 1000 different values" in outcome.stderr) == (1, True)
    damaged = tmp_path / "damaged.pb"
    damaged.write_bytes(path.read_bytes()[:-1])
    assert run("convert", damaged, *SCHEMA, "-o", tmp_path / "none", *by_number).exit_code == 1
    assert sorted(entry.name for entry in tmp_path.iterdir() if "none" in entry.name) == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["-o", "-"], "standard output"),
        (["-o", "x", "--to", "tfrecord"], "not of messages"),
        (["--head", "3"], "--output"),
        (["-o", "x", "--to", "csv", "--compression", "zstd"], "--compression"),
    ],
)
def test_partitions_of_what_is_no_folder_are_wrong_usage(source, arguments, word):
    outcome = run("convert", source, *SCHEMA, "--partition-by", "title", *arguments)
    assert (outcome.exit_code, word in outcome.stderr) == (2, True), outcome.stderr


# --- npz


class NpzColumns:
    """The arrays of an npz file as Arrow's columns, by the names that docs/formats.md gives them."""

    def __init__(self, path):
        with np.load(path, allow_pickle=False) as arrays:
            self.arrays = dict(arrays)
        self.unread = set(self.arrays)

    def take(self, name):
        self.unread.discard(name)
        return self.arrays[name]

    def column(self, path, kind, length):
        """The column at `path`, which has the Arrow type `kind` and so many elements."""
        if pa.types.is_large_list(kind) or pa.types.is_map(kind):
            splits = self.take(f"{path}/row_splits")
            assert splits.dtype == np.int64
            if pa.types.is_large_list(kind):
                return pa.LargeListArray.from_arrays(splits, self.column(path, kind.value_type, splits[-1]), type=kind)
            keys = self.column(f"{path}.key", kind.key_type, splits[-1])
            items = self.column(f"{path}.value", kind.item_type, splits[-1])
            return pa.MapArray.from_arrays(splits.astype(np.int32), keys, items, type=kind)
        absent = ~self.take(f"{path}/is_valid") if f"{path}/is_valid" in self.arrays else None
        if pa.types.is_struct(kind) and len(kind) == 0:
            return pa.array([None if absent is not None and absent[i] else {} for i in range(length)], kind)
        if pa.types.is_struct(kind):
            fields = [self.column(f"{path}.{field.name}", field.type, length) for field in kind]
            mask = None if absent is None else pa.array(absent)
            return pa.StructArray.from_arrays(fields, fields=list(kind), mask=mask)
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            offsets, data = self.take(f"{path}/offsets"), self.take(f"{path}/bytes")
            assert (offsets.dtype, data.dtype) == (np.int64, np.uint8)
            texts = [None if absent is not None and absent[i] else data[offsets[i] : offsets[i + 1]].tobytes() for i in range(len(offsets) - 1)]
            return pa.array(texts, kind)
        values = self.take(path)
        if pa.types.is_timestamp(kind):
            values = pa.array(values, pa.timestamp(kind.unit), mask=absent).cast(kind)
        return pa.array(values, kind, mask=absent)


def assert_npz_has_the_rows_of(npz, arrow):
    with pa.ipc.open_file(arrow) as reader:
        table = reader.read_all()
    columns = NpzColumns(npz)
    arrays = [columns.column(field.name, field.type, table.num_rows) for field in table.schema]
    actual = pa.RecordBatch.from_arrays(arrays, schema=table.schema)
    actual.validate(full=True)
    assert not columns.unread
    expected = (row for batch in table.to_batches() for row in compare.rows(batch))
    for index, (want, got) in enumerate(zip(expected, compare.rows(actual), strict=True)):
        assert repr(got) == repr(want), index  # NaN is not equal to itself


def test_numpy_reads_the_rows_of_real_sets(real_set, tmp_path):
    path, schema, message, _ = real_set
    chosen = (path, "--descriptor_set_in", schema, "-m", message, "--quiet", "--limit", 300)
    succeed("convert", *chosen, "-o", tmp_path / "rows.arrow")
    succeed("convert", *chosen, "-o", tmp_path / "rows.npz", "--batch-size", 64)
    assert_npz_has_the_rows_of(tmp_path / "rows.npz", tmp_path / "rows.arrow")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["rows.arrow", "rows.npz"]


def test_numpy_reads_every_kind_of_field(tmp_path):
    protos = conftest.REPOSITORY / "tests" / "protos"
    descriptors = commands.protoc_descriptor_set(tmp_path / "set", "everything.proto", protos, "/usr/include")
    message_class = compare.load_message_class(descriptors, "structtensor.testing.Everything")
    rng = random.Random(20240611)
    payloads = [b"", *(random_messages.random_payload(rng, message_class) for _ in range(200))]
    (tmp_path / "messages.pb").write_bytes(framing.frame_delimited(payloads))
    chosen = (tmp_path / "messages.pb", "--descriptor_set_in", descriptors, "-m", "structtensor.testing.Everything", "--quiet")
    succeed("convert", *chosen, "-o", tmp_path / "rows.arrow")
    succeed("convert", *chosen, "-o", tmp_path / "rows.npz", "--batch-size", 64)
    assert_npz_has_the_rows_of(tmp_path / "rows.npz", tmp_path / "rows.arrow")


def test_npz_goes_through_a_pipe_and_may_be_empty(source, tmp_path):
    output = succeed("convert", source, *SCHEMA, "-o", "-", "--to", "npz").stdout
    with np.load(io.BytesIO(output)) as arrays:
        assert arrays["minutes"].tolist() == [40, 0, 0]
        assert arrays["minutes/is_valid"].tolist() == [True, False, False]
        assert arrays["ingredients/row_splits"].tolist() == [0, 1, 1, 1]
        assert arrays["title/bytes"].tobytes() == b"souptoast"
        assert arrays["title/offsets"].tolist() == [0, 4, 4, 9]
        assert arrays["ratings.value"].dtype == np.int32
    source.write_bytes(b"")
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "rows.npz")
    with np.load(tmp_path / "rows.npz") as arrays:
        assert arrays["minutes"].shape == (0,)
        assert arrays["ingredients/row_splits"].tolist() == [0]


def test_npz_that_cannot_be_says_why(source, tmp_path):
    for arguments, word in [(["--partition-by", "title"], "--partition-by"), (["--compression", "zstd"], "--compression")]:
        outcome = run("convert", source, *SCHEMA, "-o", tmp_path / "rows.npz", "--to", "npz", *arguments)
        assert (outcome.exit_code, word in outcome.stderr) == (2, True), outcome.stderr
    assert not (tmp_path / "rows.npz").exists()


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
        begins = next(payload for payload in recipes.payloads if recipes.message_class.FromString(payload).title == row["title"])
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
    succeed("convert", tmp_path / "rows.parquet", "-o", tmp_path / "back.pb", "--ignore-extra-columns")
    assert len(list(framing.read_delimited(tmp_path / "back.pb"))) == 6


# --- dry runs


def test_a_dry_run_says_what_would_be_and_writes_nothing(source, tmp_path):
    recipes_again = tmp_path / "again.tfrecord"
    recipes_again.write_bytes(framing.frame_tfrecord([b""]))
    before = sorted(tmp_path.iterdir())
    said = document("convert", source, recipes_again, *SCHEMA, "-o", tmp_path / "rows.parquet", "--dry-run", "--drop", "ratings")
    assert said["dry_run"] is True
    assert [(entry["file"], entry["framing"]) for entry in said["inputs"]] == [(str(source), "delimited"), (str(recipes_again), "tfrecord")]
    assert said["inputs"][0]["size_bytes"] == source.stat().st_size
    assert (said["message"], said["format"], said["output"]) == ("cookbook.Recipe", "parquet", str(tmp_path / "rows.parquet"))
    assert [column["name"] for column in said["columns"]] == ["title", "minutes", "ingredients"]
    text = succeed("convert", source, *SCHEMA, "-o", tmp_path / "rows", "--dry-run", "--partition-by", "title").stdout.decode()
    assert "a folder with a file for each value of title" in text
    assert "minutes: int32" in text
    assert document("convert", *SCHEMA, "-o", "-", "--dry-run", "--to", "tfrecord")["inputs"] == [
        {"file": "<stdin>", "framing": "delimited", "reason": "which pipes are taken for"}
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


# --- schemas


def test_schemas_come_from_proto_files_folders_and_descriptor_sets(recipes, source, tmp_path):
    descriptors = commands.protoc_descriptor_set(tmp_path / "set.pb", RECIPES / "recipe.proto", RECIPES)
    expected = recipes.expected
    for index, schema in enumerate(
        [
            ["-p", RECIPES / "recipe.proto"],
            ["--proto", RECIPES / "recipe.proto", "--message", "cookbook.Recipe"],
            ["-I", RECIPES, "-m", "Recipe"],
            [f"--proto_path={RECIPES}", "-p", "recipe.proto"],
            ["--descriptor_set_in", descriptors],
        ]
    ):
        output = tmp_path / f"{index}.parquet"
        succeed("convert", source, *schema, "-o", output)
        rows = pq.read_table(output).to_pylist(maps_as_pydicts=None)
        assert [compare.difference(a, b) for a, b in zip(expected, rows, strict=True)] == [None] * 3


def test_the_only_message_type_is_taken_and_told(source):
    outcome = succeed("head", source, "-p", RECIPES / "recipe.proto")
    assert "message type: cookbook.Recipe" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["no schema", "--proto", "--descriptor_set_in"]),
        (["-p", "absent.proto"], ["absent.proto", "no such file"]),
        (["-I", "absent"], ["cannot read", "absent"]),
        (["-p", RECIPES / "recipe.proto", "-m", "Recipes"], ["--message", "Recipes", "did you mean cookbook.Recipe"]),
        (["--descriptor_set_in", RECIPES / "recipe.proto"], ["recipe.proto", "FileDescriptorSet"]),
        (["--descriptor_set_in", "absent"], ["absent", "cannot read"]),
        (["--descriptor_set_in", RECIPES / "recipe.proto", "-I", "."], ["--descriptor_set_in", "without"]),
    ],
)
def test_a_schema_that_cannot_be_used_says_why(source, arguments, words):
    outcome = run("head", source, *arguments)
    assert outcome.exit_code == 1
    assert outcome.stdout == b""
    for word in words:
        assert word in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


def test_a_mistake_in_a_proto_file_is_told_with_its_line(source, tmp_path):
    (tmp_path / "bad.proto").write_text('syntax = "proto3";\nmessage A {\n  strin name = 1;\n}\n')
    outcome = run("schema", "-p", tmp_path / "bad.proto")
    assert outcome.exit_code == 1
    assert re.search(r'bad\.proto:3:3: "strin" is not defined', outcome.stderr)


# --- annotations

ORDER = """syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
enum State {
  OPEN = 0;
  PAID = 1;
}
message Address {
  string city = 1;
  optional int32 floor = 2;
}
message Order {
  string id = 1;
  google.protobuf.Timestamp placed = 2;
  State state = 3;
  optional State before = 4;
  bytes text = 5;
  string secret = 6;
  optional int32 items = 7;
  Address address = 8;
}
"""
ANNOTATIONS = """# Of an order.
annotation { path: "shop.Order.id" options { name: "order id" } }
annotation { path: "google.protobuf.Timestamp" options { timestamps: MICROSECONDS } }
annotation { path: "shop.State" options { enum_as: NAME } }
annotation { path: "shop.Order.text" options { bytes_as: UTF8 } }
annotation { path: "shop.Order.secret" options { skip: true } }
annotation { path: "shop.Order.items" options { optional_as: RAGGED } }
annotation { path: "shop.Order.address" options { flatten: true prefix: "address_" } }
"""
COLUMNS_OF_ORDERS = """CREATE TABLE "Order" (
  "order id" VARCHAR NOT NULL,
  "placed" TIMESTAMPTZ,
  "state" VARCHAR NOT NULL,
  "before" VARCHAR,
  "text" VARCHAR NOT NULL,
  "items" INTEGER[] NOT NULL,
  "address_city" VARCHAR,
  "address_floor" INTEGER
);
"""


class Orders:
    """Some orders, and two ways to say what their columns are."""

    def __init__(self, folder):
        plain, annotated = folder / "plain", folder / "annotated"
        plain.mkdir()
        annotated.mkdir()
        (plain / "order.proto").write_text(ORDER)
        self.annotations = folder / "order.annotations"
        self.annotations.write_text(ANNOTATIONS)
        text = ORDER.replace('timestamp.proto";\n', 'timestamp.proto";\nimport "structtensor/options.proto";\n')
        text = text.replace("enum State {", "enum State {\n  option (structtensor.enumeration).enum_as = NAME;")
        for field, option in {
            "string id = 1": 'name = "order id"',
            "Timestamp placed = 2": "timestamps = MICROSECONDS",
            "bytes text = 5": "bytes_as = UTF8",
            "string secret = 6": "skip = true",
            "int32 items = 7": "optional_as = RAGGED",
        }.items():
            text = text.replace(f"{field};", f"{field} [(structtensor.field).{option}];")
        flatten = 'Address address = 8 [(structtensor.field) = {flatten: true prefix: "address_"}];'
        (annotated / "order.proto").write_text(text.replace("Address address = 8;", flatten))
        self.plain = ["-p", plain / "order.proto", "-m", "Order"]
        self.by_options = ["-p", annotated / "order.proto", "-m", "Order"]
        self.by_text = [*self.plain, "--annotations", self.annotations]
        schema = commands.protoc_descriptor_set(folder / "set.pb", plain / "order.proto", plain)
        self.message_class = compare.load_message_class(schema, "shop.Order")
        first = self.message_class(id="a", state=1, before=0, text="tea".encode(), secret="s", items=3)
        first.placed.FromMicroseconds(1_500_000)
        first.address.city = "Rome"
        self.messages = [first, self.message_class(state=9, address={"floor": 2}), self.message_class()]
        self.path = folder / "orders.pb"
        self.path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in self.messages]))


@pytest.fixture
def orders(tmp_path):
    return Orders(tmp_path)


def test_annotations_change_columns(orders):
    for schema in (orders.by_options, orders.by_text):
        assert succeed("schema", *schema, "--to", "sql").stdout.decode() == COLUMNS_OF_ORDERS
    assert '"secret" VARCHAR NOT NULL' in succeed("schema", *orders.plain, "--to", "sql").stdout.decode()


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_annotated_columns_are_written_and_come_back(orders, ending, tmp_path):
    for schema in (orders.by_options, orders.by_text):
        output, back = tmp_path / f"rows.{ending}", tmp_path / "back.pb"
        succeed("convert", orders.path, *schema, "-o", output, "--overwrite")
        table = pq.read_table(output) if ending == "parquet" else pa.ipc.open_file(output).read_all()
        assert table.schema.names == [
            "order id", "placed", "state", "before", "text", "items", "address_city", "address_floor",
        ]  # fmt: skip
        assert table.schema.field("placed").type == pa.timestamp("us", "UTC")
        columns = table.to_pydict()
        assert columns.pop("placed")[0].timestamp() == 1.5
        assert columns == {
            "order id": ["a", "", ""],
            "state": ["PAID", "9", "OPEN"],
            "before": ["OPEN", None, None],
            "text": ["tea", "", ""],
            "items": [[3], [], []],
            "address_city": ["Rome", "", None],
            "address_floor": [None, 2, None],
        }
        # The file has the annotations with its schema.
        assert "address_city" in succeed("head", output, "--table").stdout.decode()
        succeed("convert", output, "-o", back, "--overwrite")
        expected = [orders.message_class.FromString(message.SerializeToString()) for message in orders.messages]
        for message in expected:
            message.ClearField("secret")
        assert [orders.message_class.FromString(payload) for payload in framing.read_delimited(back)] == expected
        counts = document("validate", output)
        assert (counts["messages"], counts["equal"]) == (3, 3)


def test_annotated_columns_keep_the_numbers_of_their_fields(orders, tmp_path):
    output = tmp_path / "rows.parquet"
    succeed("convert", orders.path, *orders.by_text, "-o", output)
    numbers = {name: number for name, (number, _) in parquet_ids(pq.read_schema(output)).items()}
    # Numbers of the flattened message are those of other fields here.
    assert numbers == {
        "order id": 1, "placed": 2, "state": 3, "before": 4, "text": 5, "items": 7,
        "address_city": None, "address_floor": None,
    }  # fmt: skip
    assert "field_id=1 order id" in succeed("schema", *orders.by_text, "--to", "parquet").stdout.decode()
    # By them, rows come back under other names, too.
    orders.annotations.write_text(ANNOTATIONS.replace('"order id"', '"number"').replace("RAGGED", "NULLABLE"))
    succeed("convert", output, *orders.by_text, "-o", tmp_path / "renamed.parquet")
    renamed = pq.read_table(tmp_path / "renamed.parquet").to_pydict()
    assert renamed["number"] == ["a", "", ""]
    assert renamed["items"] == [3, None, None]
    assert renamed["address_city"] == ["Rome", "", None]


def test_annotations_of_files_that_have_their_schema(orders, tmp_path):
    plain, annotated, again = tmp_path / "plain.parquet", tmp_path / "annotated.parquet", tmp_path / "again.parquet"
    succeed("convert", orders.path, *orders.plain, "-o", plain)
    succeed("convert", plain, "--annotations", orders.annotations, "-o", annotated)
    expected = tmp_path / "expected.parquet"
    succeed("convert", orders.path, *orders.by_text, "-o", expected)
    assert pq.read_table(annotated).to_pydict() == pq.read_table(expected).to_pydict()
    # What a text says stands in place of what the file's schema says.
    orders.annotations.write_text(
        'annotation { path: "shop.Order.address" options { flatten: false } }\n'
        'annotation { path: "shop.Order.id" options { name: "id" } }\n'
        'annotation { path: "shop.State" options { enum_as: NUMBER } }\n'
    )
    succeed("convert", annotated, "--annotations", orders.annotations, "-o", again)
    columns = pq.read_table(again).to_pydict()
    assert columns["id"] == ["a", "", ""]
    assert columns["state"] == [1, 9, 0]
    assert columns["address"] == [{"city": "Rome", "floor": None}, {"city": "", "floor": 2}, None]
    for verb in ("head", "stats", "validate"):
        succeed(verb, annotated, "--annotations", orders.annotations)
    outcome = run("convert", plain, annotated, "-o", tmp_path / "both.parquet")
    assert outcome.exit_code == 1
    assert "text is text in one of them and bytes in the other" in outcome.stderr


def test_files_with_different_annotations_lose_and_swap_nothing(tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; import "structtensor/options.proto";\n'
        "message In { optional int32 x = 1; optional int32 y = 2; }\n"
        "message O { In in = 1 [(structtensor.field).flatten = true]; optional int32 s = 2; }"
    )
    (tmp_path / "o.pb").write_bytes(framing.frame_delimited([b"\x0a\x04\x08\x01\x10\x02\x10\x03"]))
    (tmp_path / "swapped.txt").write_text(
        'annotation { path: "t.In.x" options { name: "y" } } annotation { path: "t.In.y" options { name: "x" } }'
    )
    (tmp_path / "skipped.txt").write_text('annotation { path: "t.O.s" options { skip: true } }')
    (tmp_path / "whole.txt").write_text('annotation { path: "t.O.in" options { flatten: false } }')
    files = {name: tmp_path / f"{name}.parquet" for name in ("plain", "swapped", "skipped", "whole")}
    for name, file in files.items():
        annotations = () if name == "plain" else ("--annotations", tmp_path / f"{name}.txt")
        succeed("convert", tmp_path / "o.pb", "-p", proto, "-m", "t.O", *annotations, "-o", file)
    for order in (("plain", "swapped"), ("swapped", "plain")):
        outcome = run("convert", *(files[name] for name in order), "-o", tmp_path / "no.jsonl")
        assert outcome.exit_code == 1
        assert "in.x is called" in outcome.stderr
    outcome = run("convert", files["whole"], files["plain"], "-o", tmp_path / "no.jsonl")
    assert "in is a column and flattened with the prefix ''" in outcome.stderr
    for order in (("plain", "skipped"), ("skipped", "plain")):
        output = succeed("convert", *(files[name] for name in order), "-o", "-", "--to", "jsonl").stdout.decode()
        rows = [json.loads(line) for line in output.splitlines()]
        assert sorted(row.get("s") or 0 for row in rows) == [0, 3]


def test_a_column_may_have_the_name_of_a_skipped_field(tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; import "structtensor/options.proto";\n'
        "message In { string a = 1; string b = 2 [(structtensor.field).skip = true]; }\n"
        "message O { string a = 1 [(structtensor.field).skip = true]; string b = 2 [(structtensor.field).name = 'a'];\n"
        "  string x_a = 3 [(structtensor.field).skip = true];\n"
        "  In in = 4 [(structtensor.field) = {flatten: true prefix: 'x_'}]; }"
    )
    given = ["-p", proto, "-m", "t.O"]
    (tmp_path / "o.pb").write_bytes(framing.frame_delimited([b"\x0a\x01p\x12\x01q\x1a\x01r\x22\x06\x0a\x01s\x12\x01t"]))
    for ending in ("parquet", "arrow"):
        file = tmp_path / f"o.{ending}"
        succeed("convert", tmp_path / "o.pb", *given, "-o", file)
        assert json.loads(succeed("convert", file, "-o", "-", "--to", "jsonl").stdout) == {"a": "q", "x_a": "s"}
        succeed("convert", file, "-o", tmp_path / f"{ending}.pb")
        assert list(framing.read_delimited(tmp_path / f"{ending}.pb")) == [b"\x12\x01q\x22\x03\x0a\x01s"]
    parts = tmp_path / "parts"
    succeed("convert", tmp_path / "o.pb", *given, "-o", parts, "--partition-by", "a", "--to", "parquet")
    assert [path.name for path in parts.iterdir()] == ["a=q"]
    succeed("convert", parts, "-o", tmp_path / "parts.pb")
    assert list(framing.read_delimited(tmp_path / "parts.pb")) == [b"\x12\x01q\x22\x03\x0a\x01s"]

    def lines(*selected):
        return succeed("convert", tmp_path / "o.pb", *given, *selected, "-o", "-", "--to", "jsonl").stdout

    assert json.loads(lines("--select", "b", "--where", "a = 'p'")) == {"a": "q"}
    assert lines("--select", "b", "--where", "a = 'q'") == b""
    outcome = run("convert", tmp_path / "o.pb", *given, "--select", "a", "-o", tmp_path / "no.jsonl")
    assert outcome.exit_code == 1
    assert "t.O.b: another column is called a; give one of them another name" in outcome.stderr
    (tmp_path / "other.txt").write_text('annotation { path: "t.O.a" options { name: "other" } }')
    both = lines("--select", "a", "--select", "b", "--annotations", tmp_path / "other.txt")
    assert json.loads(both) == {"other": "p", "a": "q"}


def test_rows_inside_of_messages_have_the_annotations_of_their_type(orders, tmp_path):
    proto = tmp_path / "plain" / "orders.proto"
    proto.write_text(
        'syntax = "proto3"; package shop; import "order.proto";\n'
        "message Day { repeated Order orders = 1; repeated Order cancelled = 2; }"
    )
    orders.annotations.write_text(ANNOTATIONS + 'annotation { path: "shop.Day.cancelled" options { skip: true } }')
    schema = ["-p", proto, "-m", "Day", "--annotations", orders.annotations]
    payloads = [message.SerializeToString() for message in orders.messages]
    day = b"".join(b"\x0a" + framing.frame_delimited([payload]) for payload in payloads)
    orders.path.write_bytes(framing.frame_delimited([day + b"\x12" + framing.frame_delimited([payloads[0]])]))
    chosen = ["--from", "delimited", *schema, "--rows", "orders"]
    shown = document("head", orders.path, *chosen, "--select", "id", "--select", "address.city")
    assert shown["message"] == "shop.Order"
    assert shown["rows"] == [
        {"order id": "a", "address_city": "Rome"}, {"order id": "", "address_city": ""}, {"order id": "", "address_city": None},
    ]  # fmt: skip
    counts = document("validate", orders.path, *chosen)
    assert (counts["messages"], counts["equal"]) == (3, 3)
    assert "secret" in [field["path"] for field in document("stats", orders.path, *chosen)["fields"]]
    columns = succeed("schema", *schema, "--rows", "orders", "--to", "sql").stdout.decode()
    assert columns == COLUMNS_OF_ORDERS
    output, back = tmp_path / "rows.parquet", tmp_path / "back.parquet"
    succeed("convert", orders.path, *chosen, "-o", output)
    succeed("convert", output, "-o", back)
    assert pq.read_table(back).to_pydict() == pq.read_table(output).to_pydict()
    # Those of a field that is skipped are there for who asks for them.
    assert len(document("head", orders.path, "--from", "delimited", *schema, "--rows", "cancelled")["rows"]) == 1


def test_fields_that_are_skipped_are_not_told_to_have_another_type(orders, tmp_path):
    orders.path.write_bytes(framing.frame_delimited([b"\x30\x01"]))  # secret, as a number
    chosen = ["--from", "delimited", "-o", tmp_path / "rows.parquet", "--overwrite"]
    assert document("convert", orders.path, *orders.by_text, *chosen)["changed_fields"] == []
    assert [each["field"] for each in document("convert", orders.path, *orders.plain, *chosen)["changed_fields"]] == ["secret"]


def test_what_is_about_messages_ignores_annotations(orders):
    for schema in (orders.by_options, orders.by_text):
        counts = document("validate", orders.path, *schema)
        assert (counts["messages"], counts["equal"]) == (3, 3)
        assert "secret" in [field["path"] for field in document("stats", orders.path, *schema)["fields"]]


def test_a_required_field_that_is_skipped_is_not_asked_for_in_column_files(tmp_path):
    proto, messages, columns = tmp_path / "t.proto", tmp_path / "o.pb", tmp_path / "o.parquet"
    proto.write_text(
        'syntax = "proto2"; package t; import "structtensor/options.proto";\n'
        "message O { required int32 secret = 1 [(structtensor.field).skip = true]; required int32 kept = 2; repeated O more = 3; }"
    )
    messages.write_bytes(framing.frame_delimited([b"\x08\x01\x10\x02\x1a\x04\x08\x03\x10\x04"]))
    succeed("convert", messages, "-p", proto, "-m", "O", "-o", columns, "--recursion-depth", 2)
    for source in ([columns], [columns, "-p", proto, "-m", "O"]):
        counts = document("validate", *source)
        assert (counts["messages"], counts["equal"], counts["broken_records"]) == (1, 1, 0)
        stats = document("stats", *source)
        assert [(field["path"], field["values"]) for field in stats["fields"] if field["path"] in ("kept", "more.kept")] == [
            ("kept", 1), ("more.kept", 1),
        ]  # fmt: skip
    # In messages it is still required.
    messages.write_bytes(framing.frame_delimited([b"\x10\x02"]))
    for verb in ("stats", "validate"):
        assert document(verb, messages, "-p", proto, "-m", "O", exit_code=1)["broken_records"] == 1


def test_skipped_columns_that_are_selected_come_back(orders, tmp_path):
    columns, again, other = tmp_path / "rows.parquet", tmp_path / "again.parquet", tmp_path / "other.parquet"
    succeed("convert", orders.path, *orders.by_text, "--select", "secret", "--select", "id", "-o", columns)
    succeed("convert", columns, "-o", again)
    rows = pq.read_table(again).to_pydict()
    assert (rows["secret"], rows["order id"]) == (["s", "", ""], ["a", "", ""])
    # Where it is not selected, it stays away.
    succeed("convert", orders.path, *orders.by_text, "--drop", "id", "-o", other)
    succeed("convert", other, "-o", again, "--overwrite")
    assert "secret" not in pq.read_table(again).column_names


def test_a_text_flattens_a_field_whose_proto_file_names_it(tmp_path):
    proto, text = tmp_path / "t.proto", tmp_path / "notes.txt"
    proto.write_text(
        'syntax = "proto3"; package t; import "structtensor/options.proto";\n'
        'message In { int32 x = 1; } message O { In in = 1 [(structtensor.field).name = "inner"]; }'
    )
    text.write_text('annotation { path: "t.O.in" options { flatten: true prefix: "in_" } }')
    schema = ["-p", proto, "-m", "O", "--annotations", text]
    assert succeed("schema", *schema, "--to", "sql").stdout.decode() == 'CREATE TABLE "O" (\n  "in_x" INTEGER\n);\n'
    text.write_text('annotation { path: "t.O.in" options { flatten: true name: "both" } }')
    assert "a message that is flattened has no column, and no name" in run("schema", *schema).stderr


# Another option may have the number that annotations have: whatever its type, it is none of ours.
FOREIGN_OPTIONS = {
    "string": '"skip"', "int32": "1", "bytes": '"\\010\\001"', "Rule": "{limit: 1}", "bool": "true",
}  # fmt: skip


@pytest.mark.parametrize("type_", FOREIGN_OPTIONS)
def test_other_options_of_the_number_are_no_annotations(type_, tmp_path):
    (tmp_path / "rules.proto").write_text(
        'syntax = "proto3"; package rules; import "google/protobuf/descriptor.proto";\n'
        "message Rule { int32 limit = 1; }\n"
        f"extend google.protobuf.FieldOptions {{ {type_} rule = 62914; }}\n"
        f"extend google.protobuf.MessageOptions {{ {type_} rule_of_message = 62914; }}\n"
        f"extend google.protobuf.EnumOptions {{ {type_} rule_of_enum = 62914; }}\n"
    )
    value = FOREIGN_OPTIONS[type_]
    (tmp_path / "t.proto").write_text(
        'syntax = "proto3"; package t; import "rules.proto";\n'
        f"enum E {{ option (rules.rule_of_enum) = {value}; A = 0; }}\n"
        f"message M {{ option (rules.rule_of_message) = {value};\n"
        f"  int32 a = 1 [(rules.rule) = {value}]; repeated int32 b = 2 [packed = false, (rules.rule) = {value}]; E e = 3; }}\n"
    )
    expected = 'CREATE TABLE "M" (\n  "a" INTEGER NOT NULL,\n  "b" INTEGER[] NOT NULL,\n  "e" INTEGER NOT NULL\n);\n'
    set_ = commands.protoc_descriptor_set(tmp_path / "set.pb", tmp_path / "t.proto", tmp_path)
    for schema in (["-I", tmp_path, "-p", "t.proto"], ["--descriptor_set_in", set_]):
        assert succeed("schema", *schema, "-m", "t.M", "--to", "sql").stdout.decode() == expected
    # Files carry the options as they are.
    (tmp_path / "m.pb").write_bytes(framing.frame_delimited([b"\x08\x01"]))
    succeed("convert", tmp_path / "m.pb", "--descriptor_set_in", set_, "-m", "t.M", "-o", tmp_path / "m.parquet")
    metadata = pq.read_schema(tmp_path / "m.parquet").metadata[b"structtensor.descriptor_set"]
    carried = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(metadata))
    original = descriptor_pb2.FileDescriptorSet.FromString(set_.read_bytes())
    for files in (carried, original):
        assert [file.message_type[0] for file in files.file if file.name == "t.proto"][0].field[1].options.ByteSize() > 2
    options = [[f.message_type[0].field[0].options for f in files.file if f.name == "t.proto"] for files in (carried, original)]
    assert options[0] == options[1]
    # Both cannot be in one schema.
    (tmp_path / "notes.txt").write_text('annotation { path: "t.M.a" options { skip: true } }')
    outcome = run("schema", "--descriptor_set_in", set_, "-m", "t.M", "--annotations", tmp_path / "notes.txt")
    assert outcome.exit_code == 1
    assert "rules.proto: the option rules.rule has the number 62914 of annotations" in outcome.stderr


def test_annotations_may_be_declared_by_a_copy_of_the_file(tmp_path):
    text = (conftest.REPOSITORY / "proto_schemas" / "structtensor" / "options.proto").read_text()
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "columns.proto").write_text(text)
    (tmp_path / "t.proto").write_text(
        'syntax = "proto3"; package t; import "vendor/columns.proto";\n'
        'message M { int32 a = 1 [(structtensor.field).name = "x"]; int32 b = 2; }'
    )
    (tmp_path / "notes.txt").write_text('annotation { path: "t.M.b" options { name: "y" } }')
    set_ = commands.protoc_descriptor_set(tmp_path / "set.pb", tmp_path / "t.proto", tmp_path)
    for schema in (["-I", tmp_path, "-p", "t.proto"], ["--descriptor_set_in", set_]):
        columns = document("schema", *schema, "-m", "t.M", "--annotations", tmp_path / "notes.txt")["columns"]
        assert [column["name"] for column in columns] == ["x", "y"]


def test_fields_are_chosen_by_their_own_names(orders):
    rows = document("head", orders.path, *orders.by_text, "--select", "id", "--select", "address.city", "-n", 1)["rows"]
    assert rows == [{"order id": "a", "address_city": "Rome"}]
    rows = document("head", orders.path, *orders.by_text, "--select", "secret", "-n", 1)["rows"]
    assert rows == [{"secret": "s"}]
    rows = document("head", orders.path, *orders.by_text, "--where", "secret = 's'", "--select", "/^id$/")["rows"]
    assert rows == [{"order id": "a"}]


def test_text_that_is_none_is_a_broken_record(orders):
    orders.path.write_bytes(framing.frame_delimited([b"\x2a\x01\xff", orders.messages[0].SerializeToString()]))
    chosen = ["--from", "delimited", "--select", "text"]
    outcome = run("head", orders.path, *orders.by_text, *chosen)
    assert outcome.exit_code == 1
    assert "record 0" in outcome.stderr
    assert "not valid UTF-8" in outcome.stderr
    assert document("head", orders.path, *orders.by_text, *chosen, "--on-error", "skip")["rows"] == [{"text": "tea"}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('annotation { path: "shop.Order.ident" options { skip: true } }', "notes.txt:1:1: the schema has no field"),
        ('\nannotation { path: "shop.Order.id"\n options { skp: true } }', "notes.txt:3:"),
        ('annotation { path: "shop.Order.id" options { enum_as: NAME } }', "notes.txt:1:1: shop.Order.id: enum_as is for fields"),
        ('annotation { path: "shop.Order.id" options { name: "text" } }', "another column is called text"),
        ('annotation { path: "shop.Order" options { skip: true } }', "notes.txt:1:1: shop.Order: no field is of this type"),
        # Of several annotations of a field, the one that is wrong.
        (
            'annotation { path: "shop.Order.id" options { bytes_as: UTF8 } }\nannotation { path: "shop.Order.id" options { name: "x" } }',
            "notes.txt:1:1: shop.Order.id: bytes_as is for fields",
        ),
        (
            'annotation { path: "shop.Order.id" options { name: "text" } }\n'
            'annotation { path: "shop.Order.id" options { optional_as: RAGGED } }',
            "notes.txt:2:1: shop.Order.id: optional_as is for fields",
        ),
        (None, "notes.txt: cannot read"),
    ],
)
def test_annotations_that_cannot_be_used_say_where(orders, text, words, tmp_path):
    if text is not None:
        (tmp_path / "notes.txt").write_text(text)
    outcome = run("schema", *orders.plain, "--annotations", "notes.txt", cwd=tmp_path)
    assert outcome.exit_code == 1
    assert words in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


def test_times_outside_an_annotated_unit_say_what_to_change(orders, tmp_path):
    orders.annotations.write_text('annotation { path: "shop.Order.placed" options { timestamps: NANOSECONDS } }')
    message = orders.message_class()
    message.placed.seconds = 253402300799
    orders.path.write_bytes(framing.frame_delimited([message.SerializeToString()]))
    outcome = succeed("convert", orders.path, *orders.by_text, "--timestamps", "us", "-o", tmp_path / "rows.parquet")
    assert "placed: 1 time outside what 64 bits of ns can hold (annotate the field with timestamps: MICROSECONDS" in outcome.stderr


# --- verbs


def test_head_shows_trees_of_what_is_set(source):
    shown = succeed("head", source, *SCHEMA).stdout.decode()
    assert shown == (
        "── 0 ──\ntitle: soup\nminutes: 40\ningredients: 1\n"
        "  - name: water\n    amount: 1\n    unit: l\nratings:\n  ann: 5\n"
        "── 1 ──\n(nothing is set)\n── 2 ──\ntitle: toast\n"
    )


def test_head_shows_trees_of_real_messages(real_set):
    path, schema, message, message_class = real_set
    shown = succeed("head", path, "--descriptor_set_in", schema, "-m", message, "-n", 20).stdout.decode()
    trees = shown.split("── ")[1:]
    payloads = list(framing.read_delimited(path))[:20]
    assert [tree.split(" ──", 1)[0] for tree in trees] == [str(i) for i in range(len(payloads))]
    for tree, payload in zip(trees, payloads, strict=True):
        parsed = message_class.FromString(payload)
        for field, value in parsed.ListFields():
            # What is not the default stands at the beginning of a line of its own.
            if not field.is_extension and field.type != field.TYPE_GROUP and value != field.default_value:
                assert f"\n{field.name}:" in tree, field.name


def test_head_keeps_to_the_rows_that_are_asked_for(source):
    for count in (0, 1, 2, 3, 10):
        rows = document("head", source, *SCHEMA, "-n", count)["rows"]
        assert [row["title"] for row in rows] == ["soup", "", "toast"][:count]
    assert "title" in succeed("head", source, *SCHEMA, "--table", "-n", 1).stdout.decode()
    assert run("head", source, *SCHEMA, "-n", "-1").exit_code == 2
    assert run("head", source, *SCHEMA, "--table", "--json").exit_code == 2


def test_head_never_breaks_a_terminal(recipes, tmp_path):
    nasty = recipes.message_class(title='\x1b[2J"\n' + "long " * 1000)
    path = tmp_path / "nasty.pb"
    path.write_bytes(framing.frame_delimited([nasty.SerializeToString()]))
    shown = succeed("head", path, *SCHEMA).stdout
    assert b"\x1b" not in shown
    assert len(shown) < 1000


def test_schema_lists_message_types():
    assert succeed("schema", "-I", RECIPES, "--list").stdout.decode().split() == ["cookbook.Ingredient", "cookbook.Recipe"]


def test_schema_to_sql_is_understood_by_duckdb(real_set):
    _, schema, message, _ = real_set
    statement = succeed("schema", "--descriptor_set_in", schema, "-m", message, "--to", "sql").stdout.decode()
    connection = duckdb.connect()
    connection.execute(statement)
    (table,) = connection.execute("SELECT table_name FROM information_schema.tables").fetchone()
    assert table == message.rpartition(".")[2]
    query = "SELECT column_name FROM information_schema.columns ORDER BY ordinal_position"
    columns = [name for (name,) in connection.execute(query).fetchall()]
    assert columns == [c["name"] for c in document("schema", "--descriptor_set_in", schema, "-m", message)["columns"]]


def test_schema_to_arrow_and_parquet_is_that_of_the_files(real_set, tmp_path):
    path, schema, message, _ = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message]
    arrow, parquet = tmp_path / "rows.arrow", tmp_path / "rows.parquet"
    succeed("convert", path, *chosen, "-o", arrow, "--limit", 1, "--quiet")
    succeed("convert", path, *chosen, "-o", parquet, "--limit", 1, "--quiet")
    shown = succeed("schema", *chosen, "--to", "arrow").stdout.decode().splitlines()
    fields = pa.ipc.open_file(arrow).schema
    # Types of maps are printed with the names of their parts.
    described = [f"{field.name}: {field.type}{'' if field.nullable else ' not null'}" for field in fields]
    plain = [re.sub(r" \('[^']*'\)", "", text) for text in described]
    assert shown == [re.sub(r"child \d+, ", "", line) for line in plain]
    by_parquet = succeed("schema", *chosen, "--to", "parquet").stdout.decode()
    lines = [line for line in by_parquet.splitlines() if line.strip().startswith(("optional", "required"))]
    leaves = [line.split()[2] for line in lines if "group" not in line]
    assert len(leaves) == pq.ParquetFile(parquet).schema.__len__()


def test_count_needs_no_schema(source, tmp_path):
    assert document("count", source)["messages"] == 3
    assert succeed("count", source).stdout.decode().startswith("3 messages of ")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.tfrecord").write_bytes(framing.frame_tfrecord([b"", b"x"]))
    counted = document("count", tmp_path / "more", source)
    assert [file["messages"] for file in counted["files"]] == [2, 3]
    source.write_bytes(source.read_bytes()[:-1])
    damaged = document("count", source, exit_code=1)
    assert (damaged["messages"], damaged["damaged"]) == (2, 1)


def test_validate_finds_what_does_not_decode(source, recipes):
    assert "3 of 3 messages are equal" in succeed("validate", source, *SCHEMA).stdout.decode()
    source.write_bytes(framing.frame_delimited([*recipes.payloads, b"\x0a\x01\xff"]))
    outcome = run("validate", source, *SCHEMA)
    assert outcome.exit_code == 1
    assert "3 of 4 messages are equal" in outcome.stdout.decode()
    assert "record 3, byte" in outcome.stderr
    assert document("validate", source, *SCHEMA, exit_code=1)["broken_records"] == 1


def test_validate_counts_bytes_that_may_differ(recipes, tmp_path):
    path = tmp_path / "long.pb"
    path.write_bytes(framing.frame_delimited([b"\x10\x80\x80\x00"]))  # a zero in three bytes
    counts = document("validate", path, *SCHEMA)
    assert (counts["messages"], counts["equal"], counts["equal_bytes"]) == (1, 1, 0)


def test_text_is_no_input_and_is_told_from_damage(source, tmp_path):
    rows = succeed("convert", source, *SCHEMA, "-o", "-").stdout
    assert rows.startswith(b"{")
    lines, document_, table = tmp_path / "rows.jsonl", tmp_path / "rows.json", tmp_path / "rows.csv"
    lines.write_bytes(rows * 100)
    document_.write_text(json.dumps([json.loads(line) for line in rows.splitlines()], indent=2))
    table.write_text("title,minutes\nsoup,40\ntoast,\n")
    verbs = (["convert", *SCHEMA, "-o", tmp_path / "x.parquet"], ["head", *SCHEMA], ["count"], ["inspect"])
    for verb, *arguments in verbs:
        for path, what in ((lines, "JSON, which is not read yet"), (document_, "JSON"), (table, "text, which is not read")):
            outcome = run(verb, path, *arguments)
            assert outcome.exit_code == 1
            assert f"{path}: this looks like {what}" in outcome.stderr
            assert "expected serialized messages" in outcome.stderr
            assert len(outcome.stderr.splitlines()) == 1
    assert f"{lines}: this looks like JSON" in run("convert", lines, *SCHEMA, "-o", tmp_path / "x.parquet", "--dry-run").stderr
    # A pipe, and what is compressed.
    assert "<stdin>: this looks like JSON" in run("head", *SCHEMA, stdin=lines.read_bytes()).stderr
    lines.write_bytes(gzip.compress(lines.read_bytes()))
    assert f"{lines}: this looks like JSON" in run("head", lines, *SCHEMA, "--on-error", "skip").stderr
    # Who names the framing knows better.
    outcome = run("head", table, *SCHEMA, "--from", "delimited")
    assert outcome.exit_code == 1
    assert "this looks like" not in outcome.stderr


def test_inspect_says_what_a_file_looks_like(recipes, tmp_path):
    frames = {"delimited": framing.frame_delimited, "tfrecord": framing.frame_tfrecord, "message": lambda payloads: payloads[0]}
    for name, frame in frames.items():
        path = tmp_path / name
        path.write_bytes(frame(recipes.payloads))
        (seen,) = document("inspect", path)["files"]
        assert seen["framing"] == name
        assert seen["messages_seen"] == (1 if name == "message" else 3)
        fields = {field["number"]: field["kind"] for field in seen["fields"]}
        assert fields == {1: "text", 2: "varint", 3: "message", 4: "message"}
    assert "framing: message" in succeed("inspect", path).stdout.decode()


def test_messages_of_another_type_are_told_from_damage(source, recipes, tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text('syntax = "proto3"; package t; message M { Other title = 1; int32 a = 3; } message Other { string s = 12; }')
    wrong = ["-p", proto, "-m", "t.M"]
    hint = "no message could be read as a t.M, so the messages may be of another type: structtensor inspect"
    titles = [recipes.message_class(title=title).SerializeToString() for title in ("soup", "toast")]
    source.write_bytes(framing.frame_delimited(titles))
    output = ["-o", tmp_path / "x.parquet", "--overwrite"]
    for verb, *arguments in (["head"], ["convert", *output], ["validate"], ["stats"]):
        outcome = run(verb, source, *wrong, *arguments)
        assert outcome.exit_code == 1
        assert hint in outcome.stderr
    for policy in ("skip", "null"):
        for jobs in (1, 4):
            outcome = succeed("convert", source, *wrong, *output, "--on-error", policy, "-j", jobs)
            assert outcome.stderr.count(hint) == 1
    # One that is sound, before or behind, is enough.
    for messages in ([*titles, b""], [b"", *titles], [titles[0], b"", titles[1]]):
        source.write_bytes(framing.frame_delimited(messages))
        assert hint not in run("convert", source, "--from", "delimited", *wrong, *output).stderr
        assert hint not in run("convert", source, "--from", "delimited", *wrong, *output, "--on-error", "skip").stderr
    source.write_bytes(b"")
    assert hint not in succeed("convert", source, *wrong, *output).stderr


def test_inspect_finds_the_message_type_that_fits(source):
    (seen,) = document("inspect", source, "-I", RECIPES)["files"]
    assert seen["message_types"][0] == {"message": "cookbook.Recipe", "decoded": 3, "with_unknown_fields": 0}


def test_convert_tells_what_it_did(source, tmp_path):
    done = document("convert", source, *SCHEMA, "-o", tmp_path / "rows.parquet")
    assert (done["rows"], done["broken_records"], done["message"]) == (3, 0, "cookbook.Recipe")
    assert done["output_bytes"] == (tmp_path / "rows.parquet").stat().st_size
    assert run("convert", source, *SCHEMA, "-o", "-", "--json").exit_code == 2


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_compression_is_that_of_the_file(source, compression, tmp_path):
    path = tmp_path / "rows.parquet"
    succeed("convert", source, *SCHEMA, "-o", path, "--compression", compression)
    written = pq.ParquetFile(path).metadata.row_group(0).column(0).compression
    assert written == {"none": "UNCOMPRESSED"}.get(compression, compression.upper())


def test_compression_where_there_is_none_is_an_error(source, tmp_path):
    assert "snappy" in run("convert", source, *SCHEMA, "-o", tmp_path / "rows.arrow", "--compression", "snappy").stderr
    assert "Parquet and Arrow" in run("convert", source, *SCHEMA, "-o", tmp_path / "rows.jsonl", "--compression", "zstd").stderr
    assert run("convert", source, *SCHEMA, "-o", tmp_path / "x.tfrecord", "--compression", "zstd").exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recipes.pb"]


def test_skip_and_limit_choose_records(source, tmp_path):
    for skip, limit, titles in [(0, 0, []), (1, 1, [""]), (2, 5, ["toast"]), (9, 9, [])]:
        rows = document("head", source, *SCHEMA, "--skip", skip, "--limit", limit)["rows"]
        assert [row["title"] for row in rows] == titles


def test_a_message_a_file_takes_one_message(source, tmp_path):
    outcome = run("convert", source, *SCHEMA, "-o", tmp_path / "one", "--to", "message")
    assert outcome.exit_code == 1
    assert "a second message" in outcome.stderr
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "one", "--to", "message", "--limit", 1)
    assert not list(tmp_path.glob("*.partial*"))


def test_completion_is_a_script_that_bash_reads():
    script = succeed("completion", "bash").stdout.decode()
    done = subprocess.run(
        [
            "bash",
            "-c",
            script + '\nCOMP_WORDS=(structtensor convert --descr); COMP_CWORD=2; _structtensor; echo "${COMPREPLY[@]}"',
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "--descriptor_set_in"


@pytest.mark.parametrize("verb", ["convert", "head", "schema", "stats", "count", "sql", "validate", "inspect", "completion"])
def test_help_begins_with_an_example(verb):
    assert succeed(verb, "--help").stdout.decode().startswith("Example: ")


@pytest.mark.parametrize("arguments", [[], ["transform"], ["convert"], ["head", "--no-such-option"], ["completion", "csh"]])
def test_wrong_usage_exits_with_2(arguments):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["covnert"], "there is no verb 'covnert'; did you mean convert?"),
        (["transform"], "there is no verb 'transform'; there are convert, head, "),
        (["head", "x.pb", "--form", "delimited"], "--form; did you mean --from?"),
        (["convert", "x.pb", "--where-is=3", "-o", "x.parquet"], "; did you mean --where?"),
        (["head", "--zzzzzzz"], "--zzzzzzz\nRun with --help"),
    ],
)
def test_mistyped_words_are_answered_with_those_that_were_meant(arguments, words):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert words in outcome.stderr


def test_version():
    assert re.fullmatch(r"structtensor \d+\.\d+\.\d+\n", succeed("--version").stdout.decode())


def test_an_input_may_follow_any_option(source, tmp_path):
    schema = commands.protoc_descriptor_set(tmp_path / "set.pb", RECIPES / "recipe.proto", RECIPES)
    assert "3 messages of cookbook.Recipe" in succeed("stats", "--descriptor_set_in", schema, source).stdout.decode()
    assert "3 messages" in succeed("stats", "-I", RECIPES, "-p", "recipe.proto", source).stdout.decode()
    twice = run("stats", "--descriptor_set_in", schema, "--descriptor_set_in", schema, source)
    assert twice.exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "rows.csv", "--compression", "zstd"),
        ("-o", "rows.jsonl", "--compression", "zstd"),
        ("-o", "rows.arrow", "--compression", "snappy"),
        ("-o", "rows.tfrecord", "--compression", "zstd"),
        ("-o", "rows.jsonl", "--where", ""),
    ],
)
def test_options_that_do_not_fit_the_output_exit_with_2(source, arguments, tmp_path):
    outcome = run("convert", source, *SCHEMA, *arguments, cwd=tmp_path)
    assert outcome.exit_code == 2, outcome.stderr
    assert arguments[-2] in outcome.stderr


def test_errors_of_libraries_name_the_flags(source, recipes, tmp_path):
    recipe = recipes.message_class(ingredients=[{"name": "egg"}] * 3)
    source.write_bytes(framing.frame_delimited([recipe.SerializeToString()]))
    for flag in ("--max-rows", "--max-cells", "--max-memory-bytes"):
        outcome = run("head", source, *SCHEMA, flag, 1)
        assert outcome.exit_code == 1
        assert f" than {flag}=1" in outcome.stderr
        assert "another type" not in outcome.stderr
    columns = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"title": ["tea"], "colour": ["red"]}), columns)
    assert "no such field (--ignore-extra-columns passes over it)" in run("head", columns, *SCHEMA).stderr
    proto = tmp_path / "t.proto"
    proto.write_text('syntax = "proto2"; package t; message M { required int32 max_rows = 1; optional int32 b = 2; }')
    source.write_bytes(framing.frame_delimited([b"\x10\x01"]))
    outcome = run("head", source, "-p", proto, "--from", "delimited")
    assert "max_rows: a required field is missing; pass --allow-missing-required to read it as absent" in outcome.stderr


def test_messages_without_a_required_field_are_read_on_request(real_data, tmp_path):
    folder, output = real_data("gtfsrt_nyct"), tmp_path / "rows.jsonl"
    path = tmp_path / "entities.pb"
    path.write_bytes(framing.frame_delimited([b""]))  # id is required
    schema = ("--descriptor_set_in", folder / "descriptor_set.pb", "-m", "FeedEntity")
    assert run("convert", path, *schema, "-o", output).exit_code == 1
    succeed("convert", path, *schema, "-o", output, "--allow-missing-required")
    assert json.loads(output.read_text())["id"] == ""


# --- stats


def values_of(message, path=()):
    """(path, values) of every field that is set, of all messages below, as python-protobuf has them."""
    for field, value in message.ListFields():
        name = f"[{field.full_name}]" if field.is_extension else field.name
        here = (*path, name)
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if is_map:
            yield here, list(value)
            continue
        values = list(value) if field.is_repeated else [value]
        yield here, values
        if field.message_type is not None:
            for each in values:
                yield from values_of(each, here)


def test_stats_are_those_of_the_messages(real_set):
    path, schema, message, message_class = real_set
    expected = {}
    messages = list(framing.read_delimited(path))[:300]
    for payload in messages:
        for field_path, values in values_of(message_class.FromString(payload)):
            counted = expected.setdefault(".".join(field_path), [0, 0, 0])
            counted[0] += 1
            counted[1] += len(values)
            counted[2] = max(counted[2], len(values))
    seen = document("stats", path, "--descriptor_set_in", schema, "-m", message, "--limit", 300)
    assert seen["messages"] == len(messages)
    assert seen["unknown_bytes"] == 0
    # python-protobuf leaves out zeros of fields without presence, which may stand on the wire; keys and values of maps have
    # paths here.
    by_path = {field["path"]: field for field in seen["fields"]}
    for field_path, (present_in, values, longest) in expected.items():
        field = by_path[field_path]
        if message_class.DESCRIPTOR.file.package.endswith("proto2"):
            assert (field["present_in"], field["values"], field["longest"]) == (present_in, values, longest), field_path
        else:
            assert field["present_in"] >= present_in, field_path
    top = [field for field in seen["fields"] if "." not in re.sub(r"\[[^]]*\]", "extension", field["path"])]
    assert sum(field["wire_bytes"] for field in top) == sum(map(len, messages))


def test_stats_of_values(recipes, tmp_path):
    path = tmp_path / "many.pb"
    titles = [f"recipe {i % 500:03}" for i in range(3000)]
    messages = [recipes.message_class(title=title, minutes=i - 7) for i, title in enumerate(titles)]
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    fields = {field["path"]: field for field in document("stats", path, *SCHEMA)["fields"]}
    assert (fields["title"]["least"], fields["title"]["greatest"]) == ("recipe 000", "recipe 499")
    assert (fields["minutes"]["least"], fields["minutes"]["greatest"]) == ("-7", "2992")
    assert abs(fields["title"]["distinct"] - 500) < 50
    assert abs(fields["minutes"]["distinct"] - 3000) < 300
    shown = succeed("stats", path, *SCHEMA).stdout.decode()
    assert '"recipe 000" … "recipe 499"' in shown


# --- which rows, and which fields


def test_where_keeps_the_messages_that_python_keeps(real_data):
    folder = real_data("gtfsrt_nyct")
    path, schema = folder / "entities.bin", folder / "descriptor_set.pb"
    message_class = compare.load_message_class(schema, "transit_realtime.FeedEntity")
    entities = [message_class.FromString(payload) for payload in framing.read_delimited(path)]
    conditions = {
        "vehicle IS NOT NULL": lambda e: e.HasField("vehicle"),
        "vehicle.timestamp > 1": lambda e: e.HasField("vehicle") and e.vehicle.HasField("timestamp") and e.vehicle.timestamp > 1,
        "starts_with(trip_update.trip.route_id, '1') OR alert IS NOT NULL": lambda e: (
            (e.trip_update.trip.HasField("route_id") and e.trip_update.trip.route_id.startswith("1")) or e.HasField("alert")
        ),
        "any(trip_update.stop_time_update.stop_id) = '101N'": lambda e: "101N" in [u.stop_id for u in e.trip_update.stop_time_update],
        "NOT any(trip_update.stop_time_update.arrival.time) > 0": lambda e: (
            e.HasField("trip_update") and not any(u.arrival.time > 0 for u in e.trip_update.stop_time_update)
        ),
    }
    for condition, keeps in conditions.items():
        select = ("-n", 100_000, "--where", condition, "--select", "id")
        rows = document("head", path, "--descriptor_set_in", schema, "-m", "FeedEntity", *select)["rows"]
        assert [row["id"] for row in rows] == [e.id for e in entities if keeps(e)], condition


def test_where_compares_durations(tmp_path):
    proto, path = tmp_path / "t.proto", tmp_path / "m.pb"
    proto.write_text(
        'syntax = "proto3"; package t; import "google/protobuf/duration.proto"; message M { google.protobuf.Duration d = 1; int32 i = 2; }'
    )
    message_class = compare.load_message_class(commands.protoc_descriptor_set(tmp_path / "set", proto, tmp_path), "t.M")
    nanos = [-1_500_000_000, -1, 0, 250_000_000, 1_499_999_999, 1_500_000_000, 5_400_000_000_000, 315_576_000_000 * 10**9]
    messages = [message_class(i=i) for i in range(len(nanos) + 1)]
    for message, each in zip(messages, nanos, strict=False):
        message.d.FromNanoseconds(each)
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    literals = {"1.5s": 1_500_000_000, "-1500ms": -1_500_000_000, "1h30m": 5_400_000_000_000, "0": 0, "-1ns": -1}
    compared = {"<": int.__lt__, "=": int.__eq__, ">=": int.__ge__}
    for literal, value in literals.items():
        for sign, holds in compared.items():
            rows = document("head", path, "-p", proto, "-m", "M", "--where", f"d {sign} '{literal}'", "--select", "i", "-n", "20")
            assert [row["i"] for row in rows["rows"]] == [i for i, each in enumerate(nanos) if holds(each, value)], (sign, literal)
    for literal in ("'soon'", "1.5", "'inf'", "'2024-01-01T00:00:00Z'"):
        outcome = run("head", path, "-p", proto, "-m", "M", "--where", f"d > {literal}")
        assert outcome.exit_code == 1
        assert "d is of type google.protobuf.Duration; compare it with a duration as '1.5s'" in outcome.stderr


def test_where_that_makes_no_sense_shows_the_place(source):
    outcome = run("head", source, *SCHEMA, "--where", "minutes > ten")
    assert outcome.exit_code == 1
    assert "minutes is of type int32; compare it with a number" in outcome.stderr
    assert outcome.stderr.splitlines()[-1].strip() == "^"


def test_where_leaves_broken_records_to_the_policy(source, recipes):
    source.write_bytes(framing.frame_delimited([recipes.payloads[0], b"\x0a\x05x", recipes.payloads[2]]))
    assert "record 1" in run("head", source, *SCHEMA, "--where", "title = 'toast'", "--from", "delimited").stderr
    rows = document("head", source, *SCHEMA, "--where", "title = 'toast'", "--from", "delimited", "--on-error", "skip")["rows"]
    assert [row["title"] for row in rows] == ["toast"]


def test_select_and_drop_take_patterns(source):
    def columns(*arguments):
        return [column["name"] for column in document("schema", *SCHEMA, *arguments)["columns"]]

    assert columns() == ["title", "minutes", "ingredients", "ratings"]
    assert columns("--select", "/^m|s$/") == ["minutes", "ingredients", "ratings"]
    assert columns("--drop", "ingredients.*", "--drop", "ratings") == ["title", "minutes"]
    rows = document("head", source, *SCHEMA, "--select", "*.name", "-n", 1)["rows"]
    assert rows == [{"ingredients": [{"name": "water"}]}]
    outcome = run("schema", *SCHEMA, "--drop", "rating")
    assert (outcome.exit_code, "no field matches rating" in outcome.stderr) == (1, True)


def test_messages_keep_their_unknown_fields_in_another_framing(recipes, source, tmp_path):
    source.write_bytes(framing.frame_delimited([recipes.payloads[0] + b"\xf2\x3f\x02hi"]))
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "a.tfrecord")
    succeed("convert", tmp_path / "a.tfrecord", *SCHEMA, "-o", tmp_path / "b.pb", "--to", "delimited")
    assert (tmp_path / "b.pb").read_bytes() == source.read_bytes()
    assert run("convert", source, *SCHEMA, "-o", tmp_path / "a.tfrecord.gz").exit_code == 2


def test_a_pipe_is_read_as_delimited(source):
    rows = document("head", *SCHEMA, stdin=source.read_bytes())["rows"]
    assert [row["title"] for row in rows] == ["soup", "", "toast"]


def test_head_gathers_rows_from_many_batches(recipes, tmp_path):
    path = tmp_path / "many.pb"
    messages = [recipes.message_class(title=f"r{i}", minutes=i) for i in range(9000)]
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    chosen = ["--where", "minutes IN (5, 5000, 8999)"]
    assert [row["minutes"] for row in document("head", path, *SCHEMA, *chosen)["rows"]] == [5, 5000, 8999]
    table = succeed("head", path, *SCHEMA, "--table", *chosen, "-n", 2).stdout.decode()
    assert [line.split()[0] for line in table.splitlines()] == ["title", "r5", "r5000"]
    shown = succeed("convert", path, *SCHEMA, "--head", 3, *chosen).stdout.decode()
    assert [line.split()[0] for line in shown.splitlines()] == ["title", "r5", "r5000", "r8999"]


def test_well_known_names_with_other_fields_are_messages(tmp_path):
    (tmp_path / "own.proto").write_text(
        'syntax = "proto3"; package google.protobuf; message Timestamp { string seconds = 1; } message Int32Value {}'
        " message Holder { Timestamp at = 1; Int32Value number = 2; }"
    )
    own = tmp_path / "own.pb"
    commands.protoc_descriptor_set(own, tmp_path / "own.proto", tmp_path)
    (tmp_path / "one").write_bytes(b"\x0a\x03\x0a\x01x\x12\x00")
    chosen = ["--descriptor_set_in", own, "-m", "Holder", "--from", "message"]
    assert document("head", tmp_path / "one", *chosen)["rows"] == [{"at": {"seconds": "x"}, "number": {}}]
    assert document("head", tmp_path / "one", *chosen, "--where", "at.seconds = 'x' AND number IS NOT NULL")["rows"]
    assert "is a message" in run("head", tmp_path / "one", *chosen, "--where", "number = 1").stderr


NESTED_PROTO = """
syntax = "proto2";
package nest;
enum Shade { DARK = 1; }
message Item { optional string name = 1; }
message Box {
  repeated Item items = 1;
  optional Box inner = 2;
  repeated group Crate = 3 { repeated Item items = 1; optional Box box = 2; }
  oneof kind { Box box = 4; int32 number = 5; Shade shade = 6; Item one = 7; }
  repeated Box boxes = 8;
}
"""


def random_box(random, message_class, depth=0):
    box = message_class()
    for _ in range(random.randrange(3)):
        box.items.add(name=str(random.randrange(100)))
    if depth == 3:
        return box
    if random.random() < 0.5:
        box.inner.CopyFrom(random_box(random, message_class, depth + 1))
    for _ in range(random.randrange(2)):
        crate = box.crate.add()
        crate.items.add(name=f"crate {random.randrange(100)}")
        if random.random() < 0.5:
            crate.box.CopyFrom(random_box(random, message_class, depth + 1))
    kind = random.randrange(5)
    if kind == 0:
        box.box.CopyFrom(random_box(random, message_class, depth + 1))
    elif kind == 1:
        box.number = random.randrange(100)
    elif kind == 2:
        box.shade = 1
    elif kind == 3:
        box.one.name = "one"
    for _ in range(random.randrange(2)):
        box.boxes.append(random_box(random, message_class, depth + 1))
    return box


def messages_at(message, path):
    """What is at the path, as python-protobuf reads it."""
    messages = [message]
    for name in path.split("."):
        inside = []
        for each in messages:
            value = getattr(each, name)
            if each.DESCRIPTOR.fields_by_name[name].is_repeated:
                inside.extend(value)
            elif each.HasField(name):
                inside.append(value)
        messages = inside
    return messages


@pytest.mark.parametrize(
    "path",
    ["items", "inner.items", "inner.inner.items", "crate", "crate.items", "crate.box.items", "box.items", "boxes", "boxes.box.items"],
)
def test_rows_are_the_elements_that_a_parser_finds(tmp_path, path):
    proto = tmp_path / "nest.proto"
    proto.write_text(NESTED_PROTO)
    message_class = compare.load_message_class(
        commands.protoc_descriptor_set(tmp_path / "nest.descriptors", proto, tmp_path), "nest.Box"
    )
    random = Random(7)
    sources = []
    for _ in range(300):
        # Parts of one message, which merge; some with a number that the closed enum lacks, which sets nothing.
        parts = [random_box(random, message_class).SerializeToString() for _ in range(random.randrange(4))]
        unknown_shade = b"\x30\x63"
        sources.append(unknown_shade.join(parts) if random.random() < 0.5 else b"".join(parts))
    found = [messages_at(message_class.FromString(source), path) for source in sources]
    expected = [row.SerializeToString(deterministic=True) for rows in found for row in rows]
    assert len(expected) > 20
    source = tmp_path / "boxes.pb"
    source.write_bytes(framing.frame_delimited(sources))
    output = tmp_path / "rows.pb"
    succeed("convert", source, "-p", proto, "-m", "Box", "--rows", path, "--from", "delimited", "-o", output)
    row_class = type(next(rows[0] for rows in found if rows))
    actual = [
        row_class.FromString(message).SerializeToString(deterministic=True)
        for message in framing.read_delimited(output)
    ]
    assert actual == expected


def test_rows_of_otlp(real_data, tmp_path):
    folder = real_data("otlp_traces_astronomy")
    file, message_name = REAL_SETS["otlp_traces_astronomy"]
    source = folder / file
    schema = ["--descriptor_set_in", folder / "descriptor_set.pb", "-m", message_name]
    message_class = compare.load_message_class(folder / "descriptor_set.pb", message_name)
    path = "resource_spans.scope_spans.spans"
    output = tmp_path / "spans.parquet"
    succeed("convert", source, *schema, "--rows", path, "-o", output, "--unknown-fields=keep")
    back = tmp_path / "spans.pb"
    succeed("convert", output, "-o", back)
    expected = [
        span.SerializeToString(deterministic=True)
        for message in framing.read_delimited(source)
        for span in messages_at(message_class.FromString(message), path)
    ]
    first = message_class.FromString(next(framing.read_delimited(source)))
    span_class = type(messages_at(first, path)[0])
    actual = [
        span_class.FromString(message).SerializeToString(deterministic=True)
        for message in framing.read_delimited(back)
    ]
    assert actual == expected
    assert document("validate", source, *schema, "--rows", path)["messages"] == len(expected)
    assert document("stats", source, *schema, "--rows", path, "--limit", "10")["messages"] == 10
    assert document("head", source, *schema, "--rows", path, "-n", "2")["message"].endswith(".Span")
    sql = succeed("schema", *schema, "--rows", path, "--to", "sql", "--select", "name").stdout
    assert sql.startswith(b'CREATE TABLE "Span"')


def test_rows_that_cannot_be(source):
    outcome = run("head", source, *SCHEMA, "--rows", "title")
    assert outcome.exit_code == 1
    assert outcome.stderr == (
        "structtensor head: --rows: 'title': title is no message; expected a message field; those of cookbook.Recipe are "
        "ingredients\n"
    )


@pytest.mark.parametrize("codec", ["gzip", "zstd", "lz4"])
def test_compressed_inputs_are_read_whatever_their_name(source, codec, tmp_path):
    compressed = tmp_path / "recipes.bin"
    compressed.write_bytes(pa.Codec(codec).compress(source.read_bytes(), asbytes=True))
    assert document("count", compressed)["messages"] == 3
    assert document("validate", compressed, *SCHEMA)["equal"] == 3


# Versions of one schema: a field is added, one becomes optional, the order changes, and one changes its type.
EVENT_VERSIONS = [
    'syntax = "proto3"; message Event { string name = 1; int32 code = 2; }',
    'syntax = "proto3"; message Event { optional int32 code = 2; string name = 1; repeated string tags = 3; }',
    'syntax = "proto3"; message Event { repeated string tags = 3; string code = 2; string name = 1; bool ok = 4; }',
]


def test_a_folder_of_several_versions_is_one_table(tmp_path):
    folder = tmp_path / "events"
    folder.mkdir()
    classes = []
    for version, text in enumerate(EVENT_VERSIONS):
        proto = tmp_path / f"v{version}" / "event.proto"
        proto.parent.mkdir()
        proto.write_text(text)
        classes.append(compare.load_message_class(commands.protoc_descriptor_set(proto.parent / "set", proto, proto.parent), "Event"))
    payloads = [
        [classes[0](name="a", code=1), classes[0](name="b")],
        [classes[1](name="c", code=0, tags=["x"])],
        [classes[2](name="d", code="four", ok=True)],
    ]
    for version, messages in enumerate(payloads):
        data = framing.frame_delimited([message.SerializeToString() for message in messages])
        (folder / f"{version}.pb").write_bytes(data)

    newest = ["-I", tmp_path / "v2", "-p", "event.proto"]
    output = tmp_path / "events.parquet"
    outcome = succeed("convert", folder, *newest, "--from", "delimited", "-o", output)
    assert pq.read_table(output).to_pylist() == [
        {"code": code, "name": name, "ok": ok, "tags": tags}
        for name, code, tags, ok in [("a", "", [], False), ("b", "", [], False), ("c", "", ["x"], False), ("d", "four", [], True)]
    ]
    assert "other type: code: 2 values of wire type VARINT, where the schema says string; the first: " in outcome.stderr
    assert f"{folder}/0.pb record 0, byte 1" in outcome.stderr
    told = document("convert", folder, *newest, "--from", "delimited", "-o", tmp_path / "again.parquet")["changed_fields"]
    assert told == [
        {"field": "code", "declared": "string", "found": "VARINT", "values": 2, "first": f"{folder}/0.pb record 0, byte 1"}
    ]
    # The second version reads what the first one wrote, and has nothing to say.
    middle = ["-I", tmp_path / "v1", "-p", "event.proto"]
    told = document("convert", folder / "0.pb", folder / "1.pb", *middle, "--from", "delimited", "-o", tmp_path / "old.parquet")
    assert told["changed_fields"] == []
    assert pq.read_table(tmp_path / "old.parquet").column("code").to_pylist() == [1, None, 0]


def test_column_files_of_several_versions_are_one_input(tmp_path):
    files = []
    for version, (text, values) in enumerate(zip(EVENT_VERSIONS[:2], [{"name": "a", "code": 1}, {"name": "b", "tags": ["x"]}])):
        proto = tmp_path / f"v{version}" / "event.proto"
        proto.parent.mkdir()
        proto.write_text(text)
        message_class = compare.load_message_class(
            commands.protoc_descriptor_set(proto.parent / "set", proto, proto.parent), "Event"
        )
        source = tmp_path / f"{version}.pb"
        source.write_bytes(framing.frame_delimited([message_class(**values).SerializeToString()]))
        files.append(tmp_path / f"{version}.parquet")
        succeed("convert", source, "-p", proto, "-o", files[-1])
    for order in (files, files[::-1]):
        back = tmp_path / "back.pb"
        succeed("convert", *order, "-o", back, "--overwrite")
        rows = {message.name: message for message in map(message_class.FromString, framing.read_delimited(back))}
        assert rows == {"a": message_class(name="a", code=1), "b": message_class(name="b", tags=["x"])}

    third = tmp_path / "third" / "event.proto"
    third.parent.mkdir()
    third.write_text(EVENT_VERSIONS[2])
    source = tmp_path / "third.pb"
    source.write_bytes(framing.frame_delimited([b""]))
    succeed("convert", source, "-p", third, "-o", tmp_path / "third.parquet")
    outcome = run("convert", *files, tmp_path / "third.parquet", "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1
    assert "neither has all fields of the other: code is int32 and string; name a schema by --proto" in outcome.stderr


def parquet_ids(fields):
    """The numbers of columns by their names, those of structs with what is in them."""
    ids = {}
    for field in fields:
        number = (field.metadata or {}).get(b"PARQUET:field_id")
        inner = field.type
        while pa.types.is_list(inner) or pa.types.is_large_list(inner):
            inner = inner.value_type
        if pa.types.is_map(inner):
            inner = pa.struct([inner.key_field, inner.item_field])
        inside = parquet_ids([inner.field(i) for i in range(inner.num_fields)]) if pa.types.is_struct(inner) else None
        ids[field.name] = (None if number is None else int(number), inside)
    return ids


def test_columns_have_the_numbers_of_their_fields(source, tmp_path):
    for ending in ("parquet", "arrow"):
        output = tmp_path / f"recipes.{ending}"
        succeed("convert", source, *SCHEMA, "-o", output)
        schema = pq.read_schema(output) if ending == "parquet" else pa.ipc.open_file(output).schema
        ids = parquet_ids(schema)
        assert ids["title"][0] == 1
        name, numbers = ids["ingredients"]
        assert name == 3 and {each: number for each, (number, _) in numbers.items()} == {"name": 1, "amount": 2, "unit": 3}
        assert ids["ratings"][0] == 4


def test_a_field_that_was_renamed_is_found_by_its_number(source, tmp_path):
    columns = tmp_path / "recipes.parquet"
    succeed("convert", source, *SCHEMA, "-o", columns)
    text = (RECIPES / "recipe.proto").read_text()
    renamed = tmp_path / "recipe.proto"
    renamed.write_text(text.replace(" title = 1", " heading = 1").replace(" amount = 2", " quantity = 2"))
    assert renamed.read_text() != text
    back = tmp_path / "back.pb"
    succeed("convert", columns, "-p", renamed, "-m", "Recipe", "-o", back)
    message_class = compare.load_message_class(
        commands.protoc_descriptor_set(tmp_path / "set", renamed, tmp_path), "cookbook.Recipe"
    )
    expected = [message_class.FromString(message) for message in framing.read_delimited(source)]
    assert [message_class.FromString(message) for message in framing.read_delimited(back)] == expected
    # Another program's file has no numbers of ours, whatever it calls its columns.
    table = pq.read_table(columns)
    pq.write_table(table.replace_schema_metadata(None), tmp_path / "other.parquet")
    outcome = run("convert", tmp_path / "other.parquet", "-p", renamed, "-m", "Recipe", "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1 and "has no such field" in outcome.stderr


def test_a_field_that_is_gone_becomes_no_other(tmp_path):
    old = tmp_path / "old" / "event.proto"
    new = tmp_path / "new" / "event.proto"
    for proto, text in ((old, "int32 x = 5; int32 y = 6;"), (new, "int32 y = 5; reserved 6;")):
        proto.parent.mkdir()
        proto.write_text('syntax = "proto3"; message Event { %s }' % text)
    source = tmp_path / "events.pb"
    source.write_bytes(framing.frame_delimited([b"\x28\x01\x30\x02"]))
    columns = tmp_path / "events.parquet"
    succeed("convert", source, "-p", old, "-o", columns)
    outcome = run("convert", columns, "-p", new, "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1
    assert '"y (field 6)": the message type Event has no such field' in outcome.stderr
    back = tmp_path / "back.pb"
    succeed("convert", columns, "-p", new, "-o", back, "--ignore-extra-columns")
    assert list(framing.read_delimited(back)) == [b"\x28\x01"]


def test_column_files_of_two_types_are_told_apart(source, tmp_path):
    ingredients = tmp_path / "ingredients.parquet"
    succeed("convert", source, *SCHEMA, "--rows", "ingredients", "-o", ingredients)
    recipes = tmp_path / "recipes.parquet"
    succeed("convert", source, *SCHEMA, "-o", recipes)
    outcome = run("convert", recipes, ingredients, "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1
    assert "has rows of cookbook.Recipe, and" in outcome.stderr
    outcome = run("convert", ingredients, *SCHEMA, "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1 and "has no such field" in outcome.stderr


def test_an_output_in_the_folder_of_inputs_is_no_input(source, tmp_path):
    folder = tmp_path / "columns"
    folder.mkdir()
    succeed("convert", source, *SCHEMA, "-o", folder / "b.parquet")
    for _ in range(2):
        succeed("convert", folder, "-o", folder / "a.jsonl", "--overwrite")
    assert len((folder / "a.jsonl").read_text().splitlines()) == 3


def test_confluent_headers_are_passed_over_by_all_verbs(recipes, tmp_path):
    source = tmp_path / "values.bin"
    header = b"\0\0\0\0\x2a\0"
    source.write_bytes(framing.frame_delimited([header + payload for payload in recipes.payloads]))
    assert document("validate", source, *SCHEMA, "--confluent")["equal"] == 3
    assert document("count", source, "--confluent")["message_bytes"] == sum(map(len, recipes.payloads))
    fields = document("inspect", source, "--confluent")["files"][0]["fields"]
    assert [field["number"] for field in fields] == [1, 2, 3, 4]
    outcome = run("convert", source, *SCHEMA, "--confluent", "--from", "message", "-o", tmp_path / "no.parquet")
    assert outcome.exit_code == 1
    assert "does not begin with a Confluent header" in outcome.stderr and "read it without --confluent" in outcome.stderr
