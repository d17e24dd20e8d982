"""The verbs of the command `structtensor`: what each prints, its help, and what it says to wrong usage."""

import gzip
import json
import os
import re
import subprocess

import commands
import compare
import duckdb
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from real_data import open_real_set
from structtensor_command import RECIPES, SCHEMA, document, run, succeed


# --- verbs


def test_head_shows_trees_of_what_is_set(source):
    shown = succeed("head", source, *SCHEMA).stdout.decode()
    assert shown == (
        "── 0 ──\ntitle: soup\nminutes: 40\ningredients: 1\n"
        "  - name: water\n    amount: 1\n    unit: LITER\nratings:\n  ann: 5\n"
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
            # A value that is not the default begins a line of its own.
            if not field.is_extension and field.type != field.TYPE_GROUP and value != field.default_value:
                assert f"\n{field.name}:" in tree, field.name


def test_head_keeps_to_the_rows_that_are_asked_for(source):
    for count in (0, 1, 2, 3, 10):
        rows = document("head", source, *SCHEMA, "-n", count)["rows"]
        assert [row["title"] for row in rows] == ["soup", "", "toast"][:count]
    assert "title" in succeed("head", source, *SCHEMA, "--table", "-n", 1).stdout.decode()
    assert run("head", source, *SCHEMA, "-n", "-1").exit_code == 2
    assert run("head", source, *SCHEMA, "--table", "--json").exit_code == 2


KITCHEN = """
syntax = "proto3";
package kitchen;
enum Heat { OFF = 0; LOW = 1; HIGH = 2; }
message Pot { Heat heat = 1; }
message Stove {
  Heat heat = 1;
  optional Heat before = 2;
  repeated Heat plan = 3;
  map<string, Heat> by_name = 4;
  oneof last { Heat last_heat = 5; string last_text = 6; }
  Pot pot = 7;
  repeated Pot pots = 8;
  int32 number = 9;
}
"""


@pytest.fixture
def stoves(tmp_path):
    """A schema with an enum in every place, and a file with a stove that has all, one with nothing, and one with numbers that
    have no name."""
    proto = tmp_path / "kitchen.proto"
    proto.write_text(KITCHEN)
    schema = commands.protoc_descriptor_set(tmp_path / "kitchen.descriptors", proto, tmp_path)
    stove = compare.load_message_class(schema, "kitchen.Stove")
    full = stove(
        heat=1, before=0, plan=[2, 0, 1], by_name={"left": 2}, last_heat=1, pot={"heat": 2}, pots=[{"heat": 1}, {}], number=2
    )
    strange = stove(heat=-7, plan=[7], by_name={"right": 2147483647}, last_text="x")
    path = tmp_path / "stoves.pb"
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in (full, stove(), strange)]))
    return path, ["-p", proto, "-m", "Stove"]


def test_head_shows_enums_and_cases_by_their_names(stoves):
    path, schema = stoves
    assert succeed("head", path, *schema).stdout.decode() == (
        "── 0 ──\nheat: LOW\nbefore: OFF\nplan: [HIGH, OFF, LOW]\nby_name:\n  left: HIGH\nlast_heat: LOW\npot:\n  heat: HIGH\n"
        "pots: 2\n  - heat: LOW\n  - heat: OFF\nnumber: 2\nlast_case: last_heat\n"
        "── 1 ──\nheat: OFF\nnumber: 0\nlast_case: 0\n"
        "── 2 ──\nheat: -7\nplan: [7]\nby_name:\n  right: 2147483647\nlast_text: x\nnumber: 0\nlast_case: last_text\n"
    )
    with_origin = succeed("head", path, *schema, "-n", 1, "--select", "heat", "--select", 'by_name["left"]').stdout.decode()
    assert with_origin == "── 0 ──\nheat: LOW\nby_name:\n  left: HIGH\n"


def test_tables_show_enums_by_their_names(stoves):
    path, schema = stoves
    chosen = ["--select", "heat", "--select", "plan", "--select", "before"]
    table = (
        'heat  before  plan\nLOW   OFF     ["HIGH","OFF","LOW"]\nOFF   null    []\n-7    null    ["7"]\n'
    )
    assert succeed("head", path, *schema, *chosen, "--table").stdout.decode() == table
    # Also of rows that are written; the file has the numbers.
    output = path.with_suffix(".jsonl")
    written = succeed("convert", path, *schema, *chosen, "-o", output, "--to", "rows", "--head", 3, "--quiet")
    assert written.stdout.decode() == table
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    numbers = [
        {"heat": 1, "before": 0, "plan": [2, 0, 1]},
        {"heat": 0, "before": None, "plan": []},
        {"heat": -7, "before": None, "plan": [7]},
    ]
    assert rows == numbers
    assert document("head", path, *schema, *chosen)["rows"] == numbers
    # A column that says where rows are from is no enum, whatever its name.
    shown = succeed("convert", path, *schema, "--select", "number", "--with-offset=heat", "--head", 1).stdout.decode()
    assert shown.startswith("heat  number\n1     2\n")


def test_enums_that_are_annotated_and_flattened_show_their_names(stoves, tmp_path):
    path, schema = stoves
    notes = tmp_path / "notes.txt"
    notes.write_text(
        'annotation { path: "kitchen.Stove.pot" options { flatten: true prefix: "pot_" } }\n'
        'annotation { path: "kitchen.Stove.before" options { optional_as: RAGGED name: "earlier" } }\n'
        'annotation { path: "kitchen.Stove.plan" options { enum_as: NAME } }\n'
    )
    chosen = ["--select", "pot", "--select", "before", "--select", "plan", "--annotations", notes]
    assert succeed("head", path, *schema, *chosen, "-n", 1).stdout.decode() == (
        "── 0 ──\nearlier: OFF\nplan: [HIGH, OFF, LOW]\npot_heat: HIGH\n"
    )


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
    assert (damaged["messages"], damaged["damaged"]) == (2, 0)
    (of_file,) = damaged["damaged_files"]
    assert (of_file["file"], of_file["record"], of_file["left_out"]) == (str(source), 2, "rest")
    assert "truncated" in of_file["reason"]
    (seen,) = document("inspect", source)["files"]
    assert (seen["messages_seen"], seen["damaged_seen"]) == (2, 0)
    assert [file["record"] for file in seen["damaged_files"]] == [2]


def test_count_goes_on_after_a_damaged_column_file(source, recipes, tmp_path):
    output, arrow = tmp_path / "a.parquet", tmp_path / "b.arrow"
    for path in (output, arrow):
        succeed("convert", source, *SCHEMA, "-o", path)
    output.write_bytes(output.read_bytes()[:-4] + b"PARx")
    counted = document("count", output, arrow, exit_code=1)
    assert [file["messages"] for file in counted["files"]] == [0, 3]
    assert (counted["messages"], counted["damaged"]) == (3, 0)
    assert [(file["file"], file["left_out"]) for file in counted["damaged_files"]] == [(str(output), "file")]
    text = run("count", output, arrow)
    assert text.exit_code == 1 and "damaged: " in text.stderr and "3 rows" in text.stdout.decode()


def test_verbs_list_damaged_files(source, recipes, tmp_path):
    more = tmp_path / "more.pb"
    more.write_bytes(source.read_bytes())
    source.write_bytes(source.read_bytes()[:-1])
    inputs = (source, more, *SCHEMA)
    for verb, count in {"stats": "messages", "validate": "messages", "count": "messages"}.items():
        done = document(verb, *(inputs if verb != "count" else inputs[:2]), exit_code=1)
        assert done[count] == 5
        assert [(file["file"], file["record"]) for file in done["damaged_files"]] == [(str(source), 2)]
    output = tmp_path / "rows.parquet"
    assert run("convert", *inputs, "-o", output, "--on-error=skip").exit_code == 1
    for policy, rows in {"rest": 5, "skip": 3}.items():
        done = document("convert", *inputs, "-o", output, "--overwrite", f"--on-damaged-file={policy}")
        assert (done["rows"], done["broken_records"]) == (rows, 0)
        (of_file,) = done["damaged_files"]
        assert of_file == {
            "file": str(source),
            "record": 2,
            "byte_offset": len(framing.frame_delimited(recipes.payloads[:2])),
            "code": "truncated",
            "reason": of_file["reason"],
            "left_out": {"rest": "rest", "skip": "file"}[policy],
        }
        assert "truncated" in of_file["reason"]
    assert run("head", *inputs).exit_code == 1
    assert "damaged file: " in succeed("head", *inputs, "--on-damaged-file=rest").stderr


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


def test_validate_compares_maps_as_protobuf_reads_them(tmp_path):
    (tmp_path / "m.proto").write_text(
        'syntax = "proto3"; message S { int32 x = 1; map<string, int32> m = 2; }'
        "message M { map<bool, string> flags = 1; map<int32, S> parts = 2; S one = 3; }"
    )
    flag = [b"\x0a\x05\x08\x01\x12\x01a", b"\x0a\x05\x08\x01\x12\x01b"]  # true: "a", true: "b"
    part = [b"\x12\x06\x08\x07\x12\x02\x08\x05", b"\x12\x04\x08\x07\x12\x00"]  # 7: {x: 5}, 7: {}
    one = [b"\x1a\x07\x12\x05\x0a\x01k\x10\x01", b"\x1a\x07\x12\x05\x0a\x01k\x10\x02"]  # {m: {k: 1}}, {m: {k: 2}}
    defaults = b"\x0a\x00" + b"\x12\x02\x08\x07" + b"\x12\x02\x12\x00"  # entries without key, value, or both
    messages = [b"".join(entries) for entries in (flag, reversed(flag), flag * 2, part, reversed(part), one, reversed(one))]
    path = tmp_path / "m.pb"
    path.write_bytes(framing.frame_delimited([*messages, defaults, defaults + messages[0] + messages[3] + messages[5]]))
    counts = document("validate", path, "-p", tmp_path / "m.proto", "-m", "M")
    assert (counts["messages"], counts["equal"], counts["different"]) == (9, 9, 0)


def test_a_schema_is_the_file_that_is_named(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "here" / "a.proto").write_text('syntax = "proto3"; message Here { int32 x = 1; }')
    (tmp_path / "there" / "a.proto").write_text('syntax = "proto3"; import "b.proto"; message There { B b = 1; }')
    (tmp_path / "there" / "b.proto").write_text('syntax = "proto3"; enum E { ZERO = 0; ONE = 1; } message B { E e = 1; }')
    listed = {
        "a.proto": "Here\n",
        tmp_path / "there" / "a.proto": "There\n",
        "../there/a.proto": "There\n",
        tmp_path / "here" / "a.proto": "Here\n",
    }
    for proto, names in listed.items():
        assert succeed("schema", "-p", proto, "--list", cwd=tmp_path / "here").stdout.decode() == names
    # One file by two names is one line.
    (tmp_path / "c.proto").write_text('syntax = "proto3"; import "b.proto"; import "there/b.proto"; message C { B b = 1; }')
    outcome = run("schema", "-p", "c.proto", "-I", ".", "-I", "there", "--list", cwd=tmp_path)
    assert outcome.exit_code != 0
    assert outcome.stderr.count("\n") == 1
    assert "there/b.proto and b.proto are the same file, " in outcome.stderr


def test_text_is_no_input_and_is_distinguished_from_damage(source, tmp_path):
    table = tmp_path / "rows.txt"
    table.write_text("soup for 40 minutes, toast\n")
    verbs = (["convert", *SCHEMA, "-o", tmp_path / "x.parquet"], ["head", *SCHEMA], ["count"], ["inspect"])
    for verb, *arguments in verbs:
        outcome = run(verb, table, *arguments)
        assert outcome.exit_code == 1
        assert (
            f"{table}: this looks like text; read it with --from=textproto, a table with --from=csv, and lines of messages "
            "with --from=base64 or --from=hex" in outcome.stderr
        )
        assert len(outcome.stderr.splitlines()) == 1
    assert f"{table}: this looks like" in run("convert", table, *SCHEMA, "-o", tmp_path / "x.parquet", "--dry-run").stderr
    # A pipe, and what is compressed.
    piped = run("head", *SCHEMA, stdin=b'{"title": "soup"}\n' * 9)
    assert "<stdin>: this looks like JSON; read it with --from=json" in piped.stderr
    table.write_bytes(gzip.compress(table.read_bytes()))
    assert f"{table}: this looks like text" in run("head", table, *SCHEMA, "--on-error", "skip").stderr
    # Who names the framing knows better.
    outcome = run("head", table, *SCHEMA, "--from", "delimited")
    assert outcome.exit_code == 1
    assert "this looks like" not in outcome.stderr


def test_a_first_record_that_does_not_fit_says_that_its_framing_was_assumed(source, recipes, tmp_path):
    note = "a length before each was assumed; set --from to another, or to --from=message for one message alone"
    path = tmp_path / "cut"
    path.write_bytes(b"\xff\xff\x03" + recipes.payloads[0])
    assert note in run("head", path, *SCHEMA).stderr
    assert note in run("head", *SCHEMA, stdin=path.read_bytes()).stderr
    assert note not in run("head", path, *SCHEMA, "--from", "delimited").stderr
    # A later record shows that the framing was right.
    path.write_bytes(framing.frame_delimited(recipes.payloads)[:-1])
    outcome = run("head", path, *SCHEMA)
    assert outcome.exit_code == 1
    assert note not in outcome.stderr


def test_inspect_says_what_a_file_looks_like(recipes, tmp_path):
    frames = {"delimited": framing.frame_delimited, "tfrecord": framing.frame_tfrecord, "message": lambda payloads: payloads[0]}
    for name, frame in frames.items():
        path = tmp_path / name
        path.write_bytes(frame(recipes.payloads))
        (seen,) = document("inspect", path)["files"]
        assert seen["format"] == name
        assert seen["messages_seen"] == (1 if name == "message" else 3)
        fields = {field["number"]: field["kind"] for field in seen["fields"]}
        assert fields == {1: "text", 2: "varint", 3: "message", 4: "message"}
    assert "format: message" in succeed("inspect", path).stdout.decode()


def test_messages_of_another_type_are_distinguished_from_damage(source, recipes, tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; message M { Other title = 1; int32 a = 3; } message Other { string s = 12; }'
    )
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
    # One valid message, before or after the others, is enough.
    for messages in ([*titles, b""], [b"", *titles], [titles[0], b"", titles[1]]):
        source.write_bytes(framing.frame_delimited(messages))
        assert hint not in run("convert", source, "--from", "delimited", *wrong, *output).stderr
        assert hint not in run("convert", source, "--from", "delimited", *wrong, *output, "--on-error", "skip").stderr
    source.write_bytes(b"")
    assert hint not in succeed("convert", source, *wrong, *output).stderr


def test_messages_without_any_field_of_their_type_are_reported(source, tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; message M { int32 far = 90; } message Near { string title = 1; int32 far = 90; }'
    )
    note = "no message that was read has a field of t.M, so the messages may be of another type: structtensor inspect"
    output = ["-o", tmp_path / "x.parquet", "--overwrite"]
    wrong = ["-p", proto, "-m", "t.M"]
    for verb, *arguments in (["head"], ["convert", *output], ["validate"], ["stats"]):
        assert succeed(verb, source, *wrong, *arguments).stderr.count(note) == 1
    # A selection may leave out what there is, and empty messages fit every type.
    assert "no message" not in succeed("convert", source, "-p", proto, "-m", "t.Near", *output, "--select", "far").stderr
    assert "no message" not in succeed("convert", source, "-p", proto, "-m", "t.Near", *output).stderr
    source.write_bytes(framing.frame_delimited([b"", b""]))
    assert "no message" not in succeed("convert", source, *wrong, *output).stderr


def test_inspect_finds_the_message_type_that_fits(source):
    (seen,) = document("inspect", source, "-I", RECIPES)["files"]
    assert seen["message_types"][0] == {"message": "cookbook.Recipe", "decoded": 3, "with_unknown_fields": 0}


def test_convert_reports_what_it_did(source, tmp_path):
    done = document("convert", source, *SCHEMA, "-o", tmp_path / "rows.parquet")
    assert (done["rows"], done["broken_records"], done["message"]) == (3, 0, "cookbook.Recipe")
    assert done["output_bytes"] == (tmp_path / "rows.parquet").stat().st_size
    assert run("convert", source, *SCHEMA, "-o", "-", "--json").exit_code == 2


def arrow_table(path):
    with pa.OSFile(str(path)) as file:
        return (pa.ipc.open_file(file) if path.suffix == ".arrow" else pa.ipc.open_stream(file)).read_all()


@pytest.mark.parametrize("compression", [None, "none", "gzip", "lz4", "snappy", "zstd"])
def test_compression_is_that_of_the_file(source, compression, tmp_path):
    path = tmp_path / "rows.parquet"
    succeed("convert", source, *SCHEMA, "-o", path, *(["--compression", compression] if compression else []))
    footer = pq.ParquetFile(path).metadata
    written = {footer.row_group(0).column(i).compression for i in range(footer.num_columns)}
    # The codec of pyarrow's "lz4" is LZ4_RAW.
    pq.write_table(pq.read_table(path), tmp_path / "expected.parquet", compression=compression or "zstd")
    assert written == {pq.ParquetFile(tmp_path / "expected.parquet").metadata.row_group(0).column(0).compression}
    plain = tmp_path / "plain.arrow"
    succeed("convert", source, *SCHEMA, "-o", plain, "--compression", "none")
    assert pq.read_table(path).to_pylist() == arrow_table(plain).to_pylist()


@pytest.mark.parametrize("ending", ["arrow", "arrows"])
def test_compression_of_arrow_files(ending, tmp_path):
    lines, plain = tmp_path / "rows.jsonl", tmp_path / f"plain.{ending}"
    lines.write_text("".join(json.dumps({"name": f"row {i % 7}", "number": i % 100}) + "\n" for i in range(5000)))
    succeed("convert", lines, "-o", plain, "--compression", "none")
    table = arrow_table(plain)
    assert table.num_rows == 5000 and table.column("number").to_pylist() == [i % 100 for i in range(5000)]
    content = {}
    for compression in (None, "lz4", "zstd"):
        path = tmp_path / f"{compression}.{ending}"
        succeed("convert", lines, "-o", path, *(["--compression", compression] if compression else []))
        assert arrow_table(path).equals(table)
        content[compression] = path.read_bytes()
        assert len(content[compression]) < plain.stat().st_size / 2
        # A frame of LZ4 or Zstandard begins with these bytes.
        magic = {"lz4": b"\x04\x22\x4d\x18"}.get(compression, b"\x28\xb5\x2f\xfd")
        assert magic in content[compression] and magic not in plain.read_bytes()
        assert document("count", path)["messages"] == 5000
    assert content[None] == content["zstd"]


@pytest.mark.parametrize(
    ("ending", "compression", "low", "high"), [("parquet", "gzip", 1, 9), ("parquet", "zstd", 1, 19), ("arrow", "zstd", 1, 19)]
)
def test_levels_of_compression(ending, compression, low, high, tmp_path):
    lines = tmp_path / "rows.jsonl"
    lines.write_text("".join(json.dumps({"text": f"span {i * 7919 % 5003} of {i * i % 101}"}) + "\n" for i in range(5000)))
    sizes = []
    for level in (low, high):
        path = tmp_path / f"rows.{ending}"
        options = ["--compression", compression, "--compression-level", level]
        succeed("convert", lines, "-o", path, "--overwrite", *options)
        table = pq.read_table(path) if ending == "parquet" else arrow_table(path)
        assert table.column("text").to_pylist() == [f"span {i * 7919 % 5003} of {i * i % 101}" for i in range(5000)]
        sizes.append(path.stat().st_size)
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "x.parquet", "--compression-level", 0], "of zstd: '0' is not allowed: it takes a whole number from 1 to 22"),
        (["-o", "x.parquet", "--compression-level", -1], "'-1' is not allowed: it takes a whole number from 1 to 22"),
        (["-o", "x.arrow", "--compression-level", 23], "of zstd: '23' is not allowed: it takes a whole number from 1 to 22"),
        (["-o", "x.arrow", "--compression-level", 2**63], "it takes a whole number from 1 to 22"),
        (["-o", "x.arrow", "--compression-level", 2**65], "it takes a whole number from 1 to 22"),
        (["-o", "x.arrow", "--compression-level", ""], "it takes a whole number from 1 to 22"),
        (["-o", "x.parquet", "--compression", "gzip", "--compression-level", 10], "a whole number from 1 to 9"),
        (["-o", "x.parquet", "--compression", "snappy", "--compression-level", 1], "--compression-level: snappy has no levels"),
        (["-o", "x.arrow", "--compression", "lz4", "--compression-level", 1], "lz4 has no levels; gzip (1 to 9) and zstd"),
        (["-o", "x.arrow", "--compression", "none", "--compression-level", 1], "without compression has no levels"),
        (["-o", "x.arrow", "--compression", "snappy"], "--compression=snappy: Arrow files take none, lz4 or zstd"),
        (["-o", "x.arrows", "--compression", "gzip"], "--compression=gzip: Arrow files take none, lz4 or zstd"),
        (["-o", "x.parquet", "--compression", "brotli"], "gzip,lz4,none,snappy,zstd"),
        (["-o", "x.csv", "--compression-level", 1], "--compression-level is for Parquet and Arrow files"),
        (["-o", "x.pb", "--compression-level", 1], "--compression-level is for Parquet and Arrow files"),
    ],
)
def test_compressions_that_do_not_exist(source, arguments, words, tmp_path):
    outcome = run("convert", source, *SCHEMA, *arguments, cwd=tmp_path)
    assert outcome.exit_code == 2
    assert words in outcome.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recipes.pb"]


def test_compression_where_there_is_none_is_an_error(source, tmp_path):
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
    assert "one message per file" in outcome.stderr
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "one", "--to", "message", "--limit", 1)
    assert not list(tmp_path.glob("*.partial*"))


@pytest.mark.parametrize("framing", ["grpc", "length32"])
def test_the_framing_of_a_pipe_is_not_guessed_wrong(source, framing):
    framed = succeed("convert", source, *SCHEMA, "--to", framing).stdout
    for verb in ("convert", "count", "stats", "validate"):
        outcome = run(verb, *([] if verb == "count" else SCHEMA), stdin=framed)
        assert outcome.exit_code == 1
        assert "it begins with a zero byte" in outcome.stderr
        assert "of a 32-bit length; set --from" in outcome.stderr
    assert succeed("convert", *SCHEMA, "--from", framing, "--to", "delimited", stdin=framed).stdout == source.read_bytes()
    # Named, an empty message may come first.
    assert succeed("count", "--from", "delimited", stdin=b"\0\1x").stdout.startswith(b"2 messages")


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


@pytest.mark.parametrize("arguments", [[], ["transform"], ["head", "--no-such-option"], ["completion", "csh"]])
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
    assert re.fullmatch(r"structtensor \d+\.\d+\.\d+ \(protobuf \d+\.[\d.]+\)\n", succeed("--version").stdout.decode())


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


def test_an_output_without_its_flag_is_named(source, tmp_path):
    outcome = run("convert", source, "rows.parquet", *SCHEMA, cwd=tmp_path)
    assert outcome.exit_code == 2
    assert "there is no file 'rows.parquet' to read; to write it, pass -o rows.parquet" in outcome.stderr
    assert not (tmp_path / "rows.parquet").exists()
    succeed("convert", source, *SCHEMA, "-q", "-o", "rows.parquet", cwd=tmp_path)
    # A column file that is there is an input.
    assert "no such file" not in run("convert", "rows.parquet", "rows.parquet", *SCHEMA, "--to", "csv", cwd=tmp_path).stderr


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
    assert "no such field (--ignore-extra-fields passes over it)" in run("head", columns, *SCHEMA).stderr
    proto = tmp_path / "t.proto"
    proto.write_text('syntax = "proto2"; package t; message M { required int32 max_rows = 1; optional int32 b = 2; }')
    source.write_bytes(framing.frame_delimited([b"\x10\x01"]))
    outcome = run("head", source, "-p", proto, "--from", "delimited")
    assert "max_rows: a required field is missing; with --allow-missing-required it is read as absent" in outcome.stderr


@pytest.mark.real_data
def test_messages_without_a_required_field_are_read_on_request(tmp_path):
    opened, output = open_real_set("gtfsrt_nyct"), tmp_path / "rows.jsonl"
    path = tmp_path / "entities.pb"
    path.write_bytes(framing.frame_delimited([b""]))  # id is required
    schema = ("--descriptor_set_in", opened.descriptor_set, "-m", opened.message)
    assert run("convert", path, *schema, "-o", output).exit_code == 1
    succeed("convert", path, *schema, "-o", output, "--to", "rows", "--allow-missing-required")
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
    # python-protobuf leaves out zeros of fields without presence, which may be on the wire; keys and values of maps have
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


def test_names_of_files_are_printed_without_control_characters(source, tmp_path):
    names = {b"a\x1b[31m\n.pb": "a\\x1b[31m\\x0a.pb", b"a\xff.pb": "a\\xff.pb", b"a\\xff.pb": "a\\x5cxff.pb"}
    folder = tmp_path / "in"
    folder.mkdir()
    paths = [os.path.join(os.fsencode(folder), name) for name in names]
    for path in paths:
        with open(path, "wb") as file:
            file.write(source.read_bytes() + framing.frame_delimited([b"\x0a\x05ab"]))
    shown = [f"{folder}/{name}" for name in names.values()]
    assert sorted(file["file"] for file in document("count", folder)["files"]) == sorted(shown)

    dead, rows = tmp_path / "dead", tmp_path / "rows.parquet"
    arguments = ["-o", rows, "--on-error=skip", "--dead-letters", dead, "--with-filename=file"]
    outcome = succeed("convert", folder, *SCHEMA, *arguments)
    assert "\x1b" not in outcome.stderr and outcome.stderr.count("\n") == 4
    letters = [json.loads(line)["file"] for line in (tmp_path / "dead.jsonl").read_text().splitlines()]
    assert sorted(letters) == sorted(shown)
    assert sorted(set(pq.read_table(rows)["file"].to_pylist())) == sorted(shown)

    missing = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"none\x1b\xff"))
    output = missing + "/x.parquet"
    for arguments in (["count", missing], ["convert", source, *SCHEMA, "-o", output], ["head", source, "-p", missing]):
        outcome = run(*arguments)
        assert outcome.exit_code != 0
        assert "none\\x1b" in outcome.stderr and "\x1b" not in outcome.stderr, arguments
