"""`structtensor convert --partition-by`: folders of files, as the command, pyarrow and DuckDB read them."""

import json
import os
from random import Random

import commands
import compare
import duckdb
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from real_data import open_real_set
from structtensor_command import SCHEMA, document, run, succeed


@pytest.fixture(scope="module")
def many_recipes(recipes, tmp_path_factory):
    """A thousand messages; `minutes` numbers them."""
    titles = ["soup", "toast", "", "a b/c", "100%", "größe\x85\u202e\\xff", "x=y", "..", "'\"\\"]
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
    # A single file gets the column from its folder; elsewhere it has none.
    file = folder / "title=a%20b%2Fc" / f"part-0.{ending}"
    assert {row["title"] for row in document("head", file.name, cwd=file.parent)["rows"]} == {"a b/c"}
    moved = tmp_path / f"moved.{ending}"
    moved.write_bytes(file.read_bytes())
    assert {row["title"] for row in document("head", moved)["rows"]} == {""}


def test_partitions_of_every_kind_come_back(tmp_path):
    kinds = [
        "int32",
        "sint32",
        "sfixed32",
        "int64",
        "sint64",
        "sfixed64",
        "uint32",
        "fixed32",
        "uint64",
        "fixed64",
        "bool",
        "string",
        "E",
    ]
    fields = "".join(f"  {kind} f{i} = {i + 1};\n" for i, kind in enumerate(kinds))
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; import "google/protobuf/wrappers.proto";\n'
        "enum E { A = 0; B = -5; }\n"
        f"message In {{\n{fields}  google.protobuf.Int64Value wrapped = 20;"
        " oneof o { int32 one = 21; string other = 22; } }\n"
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
    assert "part-0.parquet: it is in the folder minutes=one, but minutes is a field of type int32" in outcome.stderr
    # A loop of links is not followed.
    (folder / "minutes=one").rename(folder / "minutes=1")
    (folder / "minutes=9").symlink_to(folder)
    assert len(document("head", folder)["rows"]) == 3


def test_a_folder_whose_name_is_not_utf8_has_broken_rows(many_recipes, tmp_path):
    folder = tmp_path / "rows"
    succeed("convert", many_recipes[0], *SCHEMA, "--limit", 2, "--partition-by", "title", "-o", folder)
    (folder / "title=soup").rename(os.fsdecode(os.fsencode(folder) + b"/title=\xff\x1b"))
    outcome = succeed("convert", folder, "--on-error=skip", "-o", tmp_path / "x.jsonl")
    assert f"skipped: {folder}/title=\\xff\\x1b/part-0.parquet row 0, title: the string is not valid UTF-8" in outcome.stderr
    assert [json.loads(line)["title"] for line in (tmp_path / "x.jsonl").read_text().splitlines()] == ["toast"]


def test_a_folder_may_be_named_after_any_name_of_an_enum_value(tmp_path):
    proto, path, folder = (tmp_path / name for name in ("m.proto", "m.pb", "rows"))
    proto.write_text(
        'syntax = "proto3"; package t; enum E { option allow_alias = true; Z = 0; ZZ = 0; A = 1; AA = 1; }'
        " message M { E e = 1; int32 i = 2; }"
    )
    path.write_bytes(framing.frame_delimited([b"\x10\x07", b"\x08\x01\x10\x08"]))
    succeed("convert", path, "-p", proto, "-m", "M", "--partition-by", "e", "-o", folder)
    for names in ({"0": "Z", "1": "A"}, {"Z": "ZZ", "A": "AA"}):
        for before, after in names.items():
            (folder / f"e={before}").rename(folder / f"e={after}")
        succeed("convert", folder, "-o", tmp_path / "back.pb", "--overwrite")
        assert sorted(framing.read_delimited(tmp_path / "back.pb")) == [b"\x08\x01\x10\x08", b"\x10\x07"]


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


@pytest.mark.real_data
def test_partitions_of_a_real_set_have_all_rows(tmp_path):
    opened, whole, parts = open_real_set("gtfsrt_nyct"), tmp_path / "rows.parquet", tmp_path / "rows"
    chosen = (opened.messages, "--descriptor_set_in", opened.descriptor_set, "-m", opened.message, "--quiet")
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


@pytest.mark.parametrize(("to", "ending"), [("arrow", "arrow"), ("arrows", "arrows"), ("rows", "jsonl"), ("csv", "csv")])
def test_partitions_have_any_format_of_columns(many_recipes, to, ending, tmp_path):
    source, titles = many_recipes
    chosen = ["--select", "title", "--select", "minutes", "--partition-by", "title", "--to", to]
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "rows", *chosen)
    files = sorted((tmp_path / "rows").rglob(f"part-0.{ending}"))
    assert len(files) == len(titles)
    if ending == "jsonl":
        assert [json.loads(line) for line in (tmp_path / "rows/title=toast/part-0.jsonl").open()][:2] == [
            {"minutes": 1},
            {"minutes": 10},
        ]


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
        (["--partition-by", 'ratings["ann"]'], "expected the path of a column"),
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
