"""The command `structtensor` with --confluent: the headers of Confluent's serializers name the type of each message."""

import json

import commands
import framing
import pytest
from structtensor_command import document, run, succeed

PROTO = """syntax = "proto3"; package k;
message A { int32 x = 1; message In { string s = 1; } message In2 { int32 q = 2; } }
message B { string t = 1; A.In in = 2; }
message C { message D { message E { int32 e = 3; } } }
"""


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def header(*indexes, schema_id=42):
    """As Confluent's serializers write it; no indexes for the first type of the file."""
    numbers = [len(indexes), *indexes]
    return b"\0" + schema_id.to_bytes(4, "big") + b"".join(varint(number << 1) for number in numbers)


@pytest.fixture
def kafka(tmp_path):
    """A function that writes records of (indexes, message) and returns the path; and the schema's options."""
    proto = tmp_path / "k.proto"
    proto.write_text(PROTO)

    def write(*records, name="values.bin"):
        path = tmp_path / name
        path.write_bytes(framing.frame_delimited([header(*indexes) + message for indexes, message in records]))
        return path

    write.schema = ("-p", proto)
    return write


A, B, IN2, E = ((), b"\x08\x05"), ((1,), b"\x0a\x02bb"), ((0, 1), b"\x10\x07"), ((2, 0, 0), b"\x18\x08")
NONE = ((9,), b"\x08\x05")


def test_without_a_message_the_header_names_the_type(kafka):
    for record, message, row in [
        (A, "k.A", {"x": 5}),
        (((0,), b"\x08\x05"), "k.A", {"x": 5}),  # the same, not shortened
        (B, "k.B", {"t": "bb", "in": None}),
        (IN2, "k.A.In2", {"q": 7}),
        (E, "k.C.D.E", {"e": 8}),
    ]:
        shown = document("head", kafka(record, record), *kafka.schema, "--confluent")
        assert shown["message"] == message
        assert shown["rows"] == [row, row]
    # Also if the first records name no type.
    assert document("head", kafka(NONE, B), *kafka.schema, "--confluent", "--on-error=skip")["message"] == "k.B"


def test_records_of_another_type_are_damaged(kafka, tmp_path):
    mixed = kafka(A, B, NONE, A)
    for options in ((), ("-m", "A")):
        outcome = run("convert", mixed, *kafka.schema, *options, "--confluent", "-o", tmp_path / "no.jsonl")
        assert outcome.exit_code == 1
        assert "values.bin record 1, byte 9: " in outcome.stderr
        assert "the message indexes [1] in its Confluent header name k.B; expected k.A" in outcome.stderr
        letters = tmp_path / "letters"
        outcome = run(
            *("convert", mixed, *kafka.schema, *options, "--confluent", "--on-error=skip", "--dead-letters", letters),
            *("-o", tmp_path / "x.jsonl", "--overwrite"),
        )
        assert outcome.exit_code == 0
        assert "record 2, byte 21: " in outcome.stderr
        assert "the message indexes [9] in its Confluent header name no message type; expected k.A" in outcome.stderr
        assert (tmp_path / "x.jsonl").read_text() == '{"x":5}\n{"x":5}\n'
        # Dead letters can be read as what they are.
        assert document("head", letters, *kafka.schema, "--confluent", "--on-error=skip")["rows"] == [{"t": "bb", "in": None}]
        assert document("stats", mixed, *kafka.schema, *options, "--confluent", exit_code=1)["broken_records"] == 2
        assert document("validate", mixed, *kafka.schema, *options, "--confluent", exit_code=1)["broken_records"] == 2


@pytest.mark.parametrize("record", [B, IN2, E, NONE])
def test_a_message_that_is_not_the_one_of_the_header_is_an_error(kafka, record):
    outcome = run("head", kafka(record), *kafka.schema, "-m", "k.A", "--confluent")
    assert outcome.exit_code == 1
    assert "expected k.A" in outcome.stderr and "pass another --message" in outcome.stderr
    assert "was assumed" not in outcome.stderr  # the header shows that the framing is right


def test_the_header_is_read_after_any_framing(kafka, tmp_path):
    records = [header(1) + b"\x0a\x02bb", header() + b"\x08\x05"]
    for format_, text in {
        "hex": "".join(record.hex() + "\n" for record in records),
        "length32": b"".join(len(record).to_bytes(4, "big") + record for record in records),
    }.items():
        path = tmp_path / "values"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        options = ("--from", format_, "--confluent", "--on-error=skip")
        assert document("head", path, *kafka.schema, *options)["rows"] == [{"t": "bb", "in": None}]
        assert "name k.A; expected k.B" in run("head", path, *kafka.schema, *options).stderr


def test_the_file_of_the_indexes(kafka, tmp_path):
    (tmp_path / "other.proto").write_text('syntax = "proto3"; import "k.proto"; message O { k.A a = 1; }')
    (tmp_path / "third.proto").write_text('syntax = "proto3"; message T { int32 t = 1; }')
    path = kafka(B)
    # other.proto imports k.proto, so the indexes are about its own types.
    outcome = run("head", path, "-I", tmp_path, "-p", "other.proto", "--confluent")
    assert "[1] in its Confluent header name no message type; expected O" in outcome.stderr
    # With a message type, its own file counts.
    both = ("-I", tmp_path, "-p", "other.proto", "-p", "third.proto")
    assert document("head", path, *both, "-m", "k.B", "--confluent")["rows"] == [{"t": "bb", "in": None}]
    assert document("head", kafka(((), b"\x08\x01")), *both, "-m", "T", "--confluent")["rows"] == [{"t": 1}]
    outcome = run("head", kafka(B), *both, "--confluent")
    assert outcome.exit_code == 1
    assert "other.proto, third.proto; name the type with --message, or give one file" in outcome.stderr
    set_ = commands.protoc_descriptor_set(tmp_path / "set", tmp_path / "k.proto", tmp_path)
    assert document("head", kafka(B), "--descriptor_set_in", set_, "--confluent")["message"] == "k.B"


def test_standard_input_is_read_once(kafka):
    path = kafka(B)
    outcome = run("head", "-", *kafka.schema, "--confluent", stdin=path.read_bytes())
    assert outcome.exit_code == 1
    assert "--message is required" in outcome.stderr and "standard input" in outcome.stderr
    assert b"bb" in succeed("head", "-", *kafka.schema, "-m", "B", "--confluent", stdin=path.read_bytes()).stdout


def test_inspect_recognizes_the_header(kafka):
    path = kafka(B, A, B)
    for options in ((), ("--confluent",)):
        [seen] = document("inspect", path, *options)["files"]
        assert seen["format"] == "delimited" and seen["messages_seen"] == 3 and seen["damaged_seen"] == 0
        assert seen["bytes_seen"] == 10 and [field["number"] for field in seen["fields"]] == [1, 1]
        assert seen["confluent_headers"] == [
            {"schema_id": 42, "message_indexes": [0], "message": None, "messages": 1},
            {"schema_id": 42, "message_indexes": [1], "message": None, "messages": 2},
        ]
        [with_schema] = document("inspect", path, *kafka.schema, *options)["files"]
        assert [each["message"] for each in with_schema["confluent_headers"]] == ["k.A", "k.B"]
    text = succeed("inspect", path, *kafka.schema).stdout.decode()
    assert "Confluent header: schema 42, message indexes [1] (k.B), in 2 messages; read it with --confluent" in text
    plain = kafka(A).with_name("plain.bin")
    plain.write_bytes(framing.frame_delimited([b"\x08\x05", b"\x0a\x02bb"]))
    assert "confluent_headers" not in document("inspect", plain)["files"][0]
    assert document("inspect", plain, "--confluent")["files"][0]["damaged_seen"] == 2


def test_an_error_without_the_option_names_it(kafka):
    outcome = run("head", kafka(A, A), *kafka.schema, "-m", "A")
    assert outcome.exit_code == 1 and "it begins with a Confluent header: pass --confluent" in outcome.stderr


def test_files_of_columns_have_no_headers(kafka, tmp_path):
    succeed("convert", kafka(A), *kafka.schema, "-m", "A", "--confluent", "-o", tmp_path / "a.parquet")
    outcome = run("head", tmp_path / "a.parquet", *kafka.schema, "-m", "A", "--confluent")
    assert outcome.exit_code == 1 and "whose rows have no Confluent headers; read it with" in outcome.stderr


def test_inputs_that_are_strings_by_their_names_are_refused(kafka, tmp_path):
    for name, text in {"a.json": '{"x": 5}', "a.jsonl": '{"x": 5}', "a.csv": "x\n5\n", "a.textproto": "x: 5"}.items():
        path = tmp_path / name
        path.write_text(text)
        for options in (("-m", "A"), ()):
            outcome = run("head", path, *kafka.schema, *options, "--confluent")
            assert outcome.exit_code == 1
            assert f"{path}: its name indicates " in outcome.stderr and "read it with" in outcome.stderr
            assert outcome.stderr.count("\n") == 1
    records = kafka(A, name="values.json")
    assert succeed("head", records, *kafka.schema, "-m", "A", "--confluent", "--from=delimited")


@pytest.mark.parametrize("rows", [(), ("--rows=in",)])
def test_dead_letters_keep_their_headers(kafka, tmp_path, rows):
    """Whatever is wrong with a record: its bytes are those of the input, from the header on."""
    (tmp_path / "k.proto").write_text(PROTO.replace("A.In in = 2", "repeated A.In in = 2"))
    sent = [((1,), b"\x0a\x02bb"), ((1,), b"\x12\x05ab"), (), ((1,), b"\x0a\x09bb")]
    records = [header(*each[0]) + each[1] if each else b"\1\2\3" for each in sent]
    path = tmp_path / "values.bin"
    path.write_bytes(framing.frame_delimited(records))
    letters = tmp_path / "letters"
    arguments = [*kafka.schema, "-m", "B", "--confluent", "--on-error=skip", "--overwrite", *rows, "-o", tmp_path / "x.jsonl"]
    succeed("convert", path, *arguments, "--dead-letters", letters)
    kept = list(framing.read_delimited(letters))
    assert kept == records[1:]
    data = path.read_bytes()
    for record, line in zip(kept, (tmp_path / "letters.jsonl").read_text().splitlines(), strict=True):
        place = json.loads(line)
        assert data[place["record_offset"] :][: len(record)] == record
        assert 0 <= place["byte_offset"] <= len(record)
    assert succeed("convert", letters, *arguments).stderr.count("skipped: ") == 3

    text = tmp_path / "values.txt"
    text.write_text("".join(record.hex() + "\n" for record in records))
    succeed("convert", text, *arguments, "--from=hex", "--dead-letters", letters)
    assert list(framing.read_delimited(letters)) == [records[1], b"010203", records[3]]
