"""Which rows and fields the command `structtensor` takes: --where, --select, --rows, several versions of a schema."""

from random import Random

import commands
import compare
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from real_data import open_real_set
from structtensor_command import RECIPES, SCHEMA, document, parquet_ids, run, succeed


@pytest.mark.real_data
def test_where_keeps_the_messages_that_python_keeps():
    opened = open_real_set("gtfsrt_nyct")
    chosen = (opened.messages, "--descriptor_set_in", opened.descriptor_set, "-m", opened.message)
    message_class = compare.load_message_class(opened.descriptor_set, opened.message)
    entities = [message_class.FromString(payload) for payload in framing.read_delimited(opened.messages)]
    conditions = {
        "vehicle IS NOT NULL": lambda e: e.HasField("vehicle"),
        "vehicle.timestamp > 1": lambda e: (
            e.HasField("vehicle") and e.vehicle.HasField("timestamp") and e.vehicle.timestamp > 1
        ),
        "starts_with(trip_update.trip.route_id, '1') OR alert IS NOT NULL": lambda e: (
            (e.trip_update.trip.HasField("route_id") and e.trip_update.trip.route_id.startswith("1")) or e.HasField("alert")
        ),
        "any(trip_update.stop_time_update.stop_id) = '101N'": lambda e: (
            "101N" in [u.stop_id for u in e.trip_update.stop_time_update]
        ),
        "NOT any(trip_update.stop_time_update.arrival.time) > 0": lambda e: (
            e.HasField("trip_update") and not any(u.arrival.time > 0 for u in e.trip_update.stop_time_update)
        ),
    }
    for condition, keeps in conditions.items():
        select = ("-n", 100_000, "--where", condition, "--select", "id")
        rows = document("head", *chosen, *select)["rows"]
        assert [row["id"] for row in rows] == [e.id for e in entities if keeps(e)], condition


def test_where_compares_durations(tmp_path):
    proto, path = tmp_path / "t.proto", tmp_path / "m.pb"
    proto.write_text(
        'syntax = "proto3"; package t; import "google/protobuf/duration.proto";'
        " message M { google.protobuf.Duration d = 1; int32 i = 2; }"
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
            rows = document(
                "head", path, "-p", proto, "-m", "M", "--where", f"d {sign} '{literal}'", "--select", "i", "-n", "20"
            )
            assert [row["i"] for row in rows["rows"]] == [i for i, each in enumerate(nanos) if holds(each, value)], (
                sign,
                literal,
            )
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


def test_select_and_where_take_keys_of_each_type(tmp_path):
    (tmp_path / "m.proto").write_text(
        'syntax = "proto3"; message M { map<bool, string> flags = 1; map<fixed64, string> sizes = 2; '
        "map<sint32, string> codes = 3; }"
    )
    most = (2**64 - 1).to_bytes(8, "little")
    message = b"\x0a\x05\x08\x01\x12\x01a" + b"\x12\x0c\x09" + most + b"\x12\x01b" + b"\x1a\x05\x08\x05\x12\x01c"
    source = tmp_path / "m.pb"
    source.write_bytes(framing.frame_delimited([message, b""]))
    schema = ["-p", tmp_path / "m.proto", "-m", "M"]
    for path, field, key, value in (
        ("flags[true]", "flags", "true", "a"),
        ("flags[false]", "flags", "false", None),
        ("sizes[18446744073709551615]", "sizes", "18446744073709551615", "b"),
        ("codes[-3]", "codes", "-3", "c"),
    ):
        succeed("convert", source, *schema, "--select", path, "-o", tmp_path / "x.parquet", "--overwrite")
        assert pq.read_table(tmp_path / "x.parquet").to_pylist() == [{field: {key: value}}, {field: {key: None}}], path
        if value is not None:
            assert len(document("head", source, *schema, "--where", f"{path} = '{value}'")["rows"]) == 1, path
    outcome = run("head", source, *schema, "--select", "flags[1]")
    assert outcome.exit_code != 0
    assert "'1' is not a key of a map with keys of type bool; write true or false" in outcome.stderr


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
    [
        "items",
        "inner.items",
        "inner.inner.items",
        "crate",
        "crate.items",
        "crate.box.items",
        "box.items",
        "boxes",
        "boxes.box.items",
    ],
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
    actual = [row_class.FromString(message).SerializeToString(deterministic=True) for message in framing.read_delimited(output)]
    assert actual == expected


@pytest.mark.real_data
def test_rows_of_otlp(tmp_path):
    opened = open_real_set("otlp_traces_astronomy")
    source, schema = opened.messages, ["--descriptor_set_in", opened.descriptor_set, "-m", opened.message]
    message_class = compare.load_message_class(opened.descriptor_set, opened.message)
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
    actual = [span_class.FromString(message).SerializeToString(deterministic=True) for message in framing.read_delimited(back)]
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
        "structtensor head: --rows: 'title': title is not a message; expected a message field; those of cookbook.Recipe are "
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
        classes.append(
            compare.load_message_class(commands.protoc_descriptor_set(proto.parent / "set", proto, proto.parent), "Event")
        )
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
        for name, code, tags, ok in [
            ("a", "", [], False),
            ("b", "", [], False),
            ("c", "", ["x"], False),
            ("d", "four", [], True),
        ]
    ]
    assert "other type: code: 2 values of wire type VARINT, where the schema says string; the first: " in outcome.stderr
    assert f"{folder}/0.pb record 0, byte 1" in outcome.stderr
    changed = document("convert", folder, *newest, "--from", "delimited", "-o", tmp_path / "again.parquet")["changed_fields"]
    assert changed == [
        {"field": "code", "declared": "string", "found": "VARINT", "values": 2, "first": f"{folder}/0.pb record 0, byte 1"}
    ]
    # The second version reads what the first one wrote, and has nothing to say.
    middle = ["-I", tmp_path / "v1", "-p", "event.proto"]
    done = document("convert", folder / "0.pb", folder / "1.pb", *middle, "--from", "delimited", "-o", tmp_path / "old.parquet")
    assert done["changed_fields"] == []
    assert pq.read_table(tmp_path / "old.parquet").column("code").to_pylist() == [1, None, 0]


def test_dropped_values_are_counted(tmp_path):
    folder = tmp_path / "events"
    folder.mkdir()
    event = b"\x0a\x01a"
    (folder / "0.pb").write_bytes(framing.frame_delimited([event]))
    (folder / "1.pb").write_bytes(framing.frame_delimited([event, event + b"\x40\x05" + b"\x4a\x02ok", event + b"\x40\x06"]))
    proto = tmp_path / "event.proto"
    proto.write_text(EVENT_VERSIONS[0])
    schema = [folder, "-p", proto, "--from", "delimited"]
    place = f"{folder}/1.pb record 1, byte 5"
    line = f"dropped: Event: 3 unknown fields; the first: {place}, 8\n"
    counts = [{"message": "Event", "unknown_fields": 3, "unknown_enum_numbers": 0, "field": "8", "first": place}]
    output = tmp_path / "out"
    for to in ("parquet", "rows", "json"):
        outcome = succeed("convert", *schema, "-o", output, "--to", to, "--overwrite")
        assert line in outcome.stderr, to
    assert document("convert", *schema, "-o", output, "--to", "parquet", "--overwrite")["dropped_values"] == counts
    # Messages keep them, and so do columns if they are asked to.
    for options in (["--to", "delimited"], ["--to", "parquet", "--unknown-fields", "keep"]):
        outcome = succeed("convert", *schema, "-o", output, "--overwrite", *options)
        assert "dropped:" not in outcome.stderr, options
    outcome = succeed("head", *schema)
    assert line + "hint: --unknown-fields=keep keeps them" in outcome.stderr
    assert document("head", *schema)["dropped_values"] == counts
    assert document("head", folder / "0.pb", *schema[1:])["dropped_values"] == []


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
    assert "neither has all fields of the other: code is int32 and string; name a schema with --proto" in outcome.stderr


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
    succeed("convert", columns, "-p", new, "-o", back, "--ignore-extra-fields")
    assert list(framing.read_delimited(back)) == [b"\x28\x01"]


def test_column_files_of_two_types_are_distinguished(source, tmp_path):
    ingredients = tmp_path / "ingredients.parquet"
    succeed("convert", source, *SCHEMA, "--rows", "ingredients", "-o", ingredients)
    recipes = tmp_path / "recipes.parquet"
    succeed("convert", source, *SCHEMA, "-o", recipes)
    outcome = run("convert", recipes, ingredients, "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1
    assert "has rows of cookbook.Recipe, and" in outcome.stderr
    outcome = run("convert", ingredients, *SCHEMA, "-o", tmp_path / "no.pb")
    assert outcome.exit_code == 1 and "has no such field" in outcome.stderr


def test_an_output_in_the_folder_of_columns_is_an_error_once_it_is_there(source, tmp_path):
    folder = tmp_path / "columns"
    folder.mkdir()
    succeed("convert", source, *SCHEMA, "-o", folder / "b.parquet")
    succeed("convert", folder, "-o", folder / "a.jsonl", "--overwrite")
    assert len((folder / "a.jsonl").read_text().splitlines()) == 3
    outcome = run("convert", folder, "-o", folder / "a.jsonl", "--overwrite")
    assert (outcome.exit_code, "a.jsonl: it is one of the files in" in outcome.stderr) == (1, True)


def test_confluent_headers_are_passed_over_by_all_verbs(recipes, tmp_path):
    source = tmp_path / "values.bin"
    header = b"\0\0\0\0\x2a\x02\x02"  # the second type of the file
    source.write_bytes(framing.frame_delimited([header + payload for payload in recipes.payloads]))
    assert document("validate", source, *SCHEMA, "--confluent")["equal"] == 3
    assert document("count", source, "--confluent")["message_bytes"] == sum(map(len, recipes.payloads))
    fields = document("inspect", source, "--confluent")["files"][0]["fields"]
    assert [field["number"] for field in fields] == [1, 2, 3, 4]
    outcome = run("convert", source, *SCHEMA, "--confluent", "--from", "message", "-o", tmp_path / "no.parquet")
    assert outcome.exit_code == 1
    assert "does not begin with a Confluent header" in outcome.stderr and "read it without --confluent" in outcome.stderr
