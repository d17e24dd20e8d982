"""protobuf's JSON mapping, and lines of base64 and hex, in and out of `structtensor`. The oracle is python-protobuf's
json_format."""

import base64
import gzip
import itertools
import json
import re

import commands
import compare
import framing
import pytest
from google.protobuf import json_format
from structtensor_command import document, run, succeed
from test_files import everything_set

PROTO = """
syntax = "proto3";
package t;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Tag { string key = 1; int64 value = 2; }
enum Kind { UNKNOWN = 0; SERVER = 1; }
message Span {
  string display_name = 1;
  fixed64 count = 2;
  google.protobuf.Timestamp begun = 3;
  google.protobuf.Duration took = 4;
  repeated Tag tags = 5;
  bytes id = 6;
  oneof result { int32 code = 7; string reason = 8; }
  google.protobuf.Any any = 9;
  Kind kind = 10;
  map<string, double> ratios = 11;
  google.protobuf.Struct extra = 12;
  google.protobuf.BoolValue sampled = 13;
  optional int32 maybe = 14;
}
"""


class Spans:
    def __init__(self, folder):
        self.folder = folder
        self.proto = folder / "span.proto"
        self.proto.write_text(PROTO)
        schema = commands.protoc_descriptor_set(folder / "span.desc", self.proto, folder)
        self.message_class = compare.load_message_class(schema, "t.Span")
        self.schema = ("-p", self.proto, "-m", "t.Span")
        any_span = self.message_class(display_name="third")
        any_span.any.type_url = "type.googleapis.com/t.Tag"
        any_span.any.value = b"\x0a\x01k"
        self.messages = [
            json_format.ParseDict(
                {
                    "displayName": "first \"}\n",
                    "count": str(2**63),
                    "begun": "2024-05-06T07:08:09.25Z",
                    "took": "-1.500s",
                    "tags": [{"key": "a", "value": "-1"}, {}],
                    "id": "/+8=",
                    "code": 0,
                    "kind": "SERVER",
                    "ratios": {"x": "NaN"},
                    "extra": {"a": [1, None, {"b": True}]},
                    "sampled": False,
                    "maybe": 0,
                },
                self.message_class(),
            ),
            self.message_class(),
            any_span,
            self.message_class(reason="ü", kind=7),
        ]
        self.path = folder / "spans.pb"
        self.path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in self.messages]))

    def dicts(self):
        pool = self.message_class.DESCRIPTOR.file.pool
        return [json_format.MessageToDict(message, descriptor_pool=pool) for message in self.messages]

    def read(self, path, *arguments, **options):
        """The messages that the command reads from the file."""
        output = self.folder / "read.pb"
        succeed("convert", path, *self.schema, "-o", output, "--quiet", "--overwrite", *arguments, **options)
        return [self.message_class.FromString(payload) for payload in framing.read_delimited(output)]

    def same(self, messages):
        # NaN is not equal to itself; bytes of messages with one map entry at most would be.
        return [str(message) for message in messages] == [str(message) for message in self.messages]


@pytest.fixture
def spans(tmp_path):
    return Spans(tmp_path)


# --- how it is written


def test_options_of_writing(spans):
    pool = spans.message_class.DESCRIPTOR.file.pool
    for flags, options in (
        (["--json-proto-names"], {"preserving_proto_field_name": True}),
        (["--json-enum-numbers"], {"use_integers_for_enums": True}),
        (["--json-defaults"], {"always_print_fields_with_no_presence": True}),
        (
            ["--json-defaults", "--json-proto-names", "--json-enum-numbers"],
            {"always_print_fields_with_no_presence": True, "preserving_proto_field_name": True, "use_integers_for_enums": True},
        ),
    ):
        written = succeed("convert", spans.path, *spans.schema, "--to", "json", "-o", "-", "--quiet", *flags).stdout
        theirs = [json_format.MessageToDict(message, descriptor_pool=pool, **options) for message in spans.messages]
        ours = [json.loads(line) for line in written.splitlines()]
        assert ours != spans.dicts()
        assert ours == theirs
        # Defaults are read as what they are.
        path = spans.folder / "written.json"
        path.write_bytes(written)
        read = [json_format.MessageToDict(message, descriptor_pool=pool) for message in spans.read(path)]
        assert read == spans.dicts()


# --- every real set


def first_payloads(path, max_bytes):
    payloads = []
    for payload in framing.read_delimited(path):
        max_bytes -= len(payload)
        if payloads and max_bytes < 0:
            break
        payloads.append(payload)
    return payloads


def test_real_sets_go_to_json_and_back(real_set, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet"]
    text, back = tmp_path / "set.json", tmp_path / "back.pb"
    succeed("convert", path, *chosen, "-o", text)
    succeed("convert", text, *chosen, "-o", back)
    count = 0
    for before, after in zip(framing.read_delimited(path), framing.read_delimited(back), strict=True):
        count += 1
        if before == after:
            continue
        expected = message_class.FromString(before)
        expected.DiscardUnknownFields()  # which JSON has no place for
        assert message_class.FromString(after) == expected, f"message {count}"
    assert count > 0


def test_real_sets_are_crossed_with_json_format(real_set, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet"]
    pool = message_class.DESCRIPTOR.file.pool
    payloads = first_payloads(path, 300_000)
    expected = [message_class.FromString(payload) for payload in payloads]
    for each in expected:
        each.DiscardUnknownFields()
    source, ours, back = tmp_path / "first.pb", tmp_path / "ours.json", tmp_path / "back.pb"
    source.write_bytes(framing.frame_delimited(payloads))
    succeed("convert", source, *chosen, "-o", ours)
    lines = ours.read_text().splitlines()
    assert [json_format.Parse(line, message_class(), descriptor_pool=pool) for line in lines] == expected
    theirs = tmp_path / "theirs.json"
    for names, indent in ((False, None), (True, 2)):
        strings = [
            json_format.MessageToJson(each, preserving_proto_field_name=names, indent=indent, descriptor_pool=pool)
            for each in expected
        ]
        theirs.write_text("\n".join(strings))
        succeed("convert", theirs, *chosen, "-o", back, "--overwrite")
        assert [message_class.FromString(payload) for payload in framing.read_delimited(back)] == expected


# --- random messages


def test_random_messages_go_to_json_lines_and_back(tmp_path):
    made, schema = everything_set(tmp_path)
    made.payloads = made.payloads[:250]
    messages = made.by_structtensor(schema)
    source, lines, back = messages.write(tmp_path / "m.pb"), tmp_path / "m.jsonl", tmp_path / "back.pb"
    chosen = ["convert", *messages.arguments[1:], "--quiet"]
    letters = tmp_path / "without"
    succeed(*chosen, source, "-o", lines, "--on-error", "skip", "--dead-letters", letters)
    # A google.protobuf.Value without a kind has no JSON, for example.
    without = {json.loads(line)["record"] for line in (tmp_path / "without.jsonl").read_text().splitlines()}
    assert len(without) < len(messages.payloads) // 2
    succeed(*chosen, lines, "-o", back)

    def canonical(payload):
        message = messages.message_class.FromString(payload)
        message.DiscardUnknownFields()
        # JSON has one null, whatever the number of the google.protobuf.NullValue is.
        return re.sub(r"null_value: -?\d+", "null_value: NULL_VALUE", str(message))

    expected = [canonical(payload) for i, payload in enumerate(messages.payloads) if i not in without]
    assert lines.read_bytes().count(b"\n") == len(expected)
    assert [canonical(payload) for payload in framing.read_delimited(back)] == expected


def test_json_lines_keep_oneofs_and_the_sign_of_zero(tmp_path):
    proto, source, lines, back = (tmp_path / name for name in ("f.proto", "f.pb", "f.jsonl", "back.pb"))
    proto.write_text(
        'syntax = "proto3"; package t; message F { double d = 1; float f = 2; optional double o = 3; repeated float r = 4;'
        " map<string, double> m = 5; oneof pick { int32 a = 6; double b = 7; F c = 8; } }"
    )
    message_class = compare.load_message_class(commands.protoc_descriptor_set(tmp_path / "set", proto, tmp_path), "t.F")
    zero = message_class(d=-0.0, f=-0.0, o=-0.0, r=[-0.0, 0.0], m={"k": -0.0}, b=-0.0)
    messages = [zero, message_class(a=0), message_class(c=zero), message_class(c={}), message_class()]
    source.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    succeed("convert", source, "-p", proto, "-o", lines)
    assert b"case" not in lines.read_bytes()
    succeed("convert", lines, "-p", proto, "-o", back)
    assert [str(message_class.FromString(payload)) for payload in framing.read_delimited(back)] == list(map(str, messages))


def test_json_lines_are_what_they_are_called(spans):
    """`jsonl`, its endings and standard output are protobuf's JSON; `rows` are columns."""
    expected = succeed("convert", spans.path, *spans.schema, "--to", "json", "-o", "-").stdout
    rows = succeed("convert", spans.path, *spans.schema, "--to", "rows", "-o", "-").stdout
    assert b'"display_name"' in rows and b"result_case" in rows and b"result_case" not in expected
    assert succeed("convert", spans.path, *spans.schema, "-o", "-").stdout == expected
    assert succeed("convert", spans.path, *spans.schema, "--to", "jsonl", "-o", "-").stdout == expected
    for ending in ("json", "jsonl", "ndjson"):
        output = spans.folder / f"spans.{ending}"
        succeed("convert", spans.path, *spans.schema, "-o", output)
        assert output.read_bytes() == expected
        assert spans.same(spans.read(output)) and spans.same(spans.read(output, "--from", "jsonl"))
    # Whatever the ending is, --from and --to say what there is.
    output = spans.folder / "rows.jsonl"
    succeed("convert", spans.path, *spans.schema, "-o", output, "--to", "rows")
    assert output.read_bytes() == rows
    assert spans.same(spans.read(output, "--from", "rows"))
    # Without a schema, both names mean columns.
    for name in ("jsonl", "rows"):
        table = spans.folder / f"{name}.parquet"
        succeed("convert", output, "--from", name, "-o", table)
        again = succeed("convert", table, "-o", "-").stdout
        assert succeed("convert", table, "--to", name, "-o", "-").stdout == again
        assert [json.loads(line)["display_name"] for line in again.splitlines()] == ["first \"}\n", "", "third", ""]


# --- layouts, names, other verbs


def test_json_is_what_json_format_writes(spans):
    text = spans.folder / "spans.json"
    succeed("convert", spans.path, *spans.schema, "-o", text)
    found = [json.loads(line) for line in text.read_text().splitlines()]
    assert str(found) == str(spans.dicts()) or found == spans.dicts()
    assert succeed("convert", spans.path, *spans.schema, "--to", "json", "-o", "-").stdout == text.read_bytes()


@pytest.mark.parametrize("layout", ["lines", "crlf", "list", "pretty list", "documents", "gzip", "pipe", "other name"])
def test_json_of_every_layout_is_read(spans, layout):
    dicts = spans.dicts()
    lines = "".join(json.dumps(each) + "\n" for each in dicts)
    path = spans.folder / ("spans.txt" if layout == "other name" else "spans.json")
    text = {
        "crlf": lines.replace("\n", "\r\n\r\n"),
        "list": json.dumps(dicts),
        "pretty list": json.dumps(dicts, indent=2),
        "documents": "\n".join(json.dumps(each, indent=2) for each in dicts),
    }.get(layout, lines)
    path.write_bytes(gzip.compress(text.encode()) if layout == "gzip" else text.encode())
    if layout == "pipe":
        back = spans.folder / "back.pb"
        command = ("convert", "-", "--from", "json", *spans.schema, "-o", back)
        assert run(*command, stdin=text.encode()).exit_code == 0
        assert spans.same([spans.message_class.FromString(payload) for payload in framing.read_delimited(back)])
    else:
        assert spans.same(spans.read(path))
    for jobs in ("1", "2"):
        assert spans.same(spans.read(path, "-j", jobs, "--batch-size", "1"))


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_json_becomes_columns(spans, ending):
    text = spans.folder / "spans.json"
    succeed("convert", spans.path, *spans.schema, "-o", text)
    outputs = [spans.folder / f"{name}.{ending}" for name in ("json", "pb")]
    for path, output in zip((text, spans.path), outputs, strict=True):
        succeed("convert", path, *spans.schema, "-o", output, "--quiet")
    rows = [succeed("convert", output, *spans.schema, "--to", "rows", "-o", "-").stdout for output in outputs]
    assert rows[0] == rows[1]


def test_other_verbs_read_json(spans):
    text = spans.folder / "spans.json"
    succeed("convert", spans.path, *spans.schema, "-o", text, "--quiet")
    assert document("count", text)["messages"] == 4
    counts = document("validate", text, *spans.schema)
    assert (counts["messages"], counts["equal"], counts["broken_records"]) == (4, 4, 0)
    assert "display_name: third" in succeed("head", text, *spans.schema).stdout.decode()
    assert document("inspect", text)["files"][0]["format"] == "json"
    assert document("stats", text, *spans.schema)["messages"] == 4
    rows = succeed("convert", text, *spans.schema, "--rows", "tags", "--to", "json", "-o", "-").stdout.splitlines()
    assert [json.loads(row) for row in rows] == [{"key": "a", "value": "-1"}, {}]
    chosen = succeed(
        "convert", text, *spans.schema, "--where", "kind = 1", "--select", "code", "--to", "json", "-o", "-"
    ).stdout
    assert json.loads(chosen) == {"code": 0}


# --- what is wrong


def test_one_damaged_line_of_a_thousand(spans):
    lines = [json.dumps({"displayName": f"span {i}", "count": str(i)}) for i in range(1000)]
    damaged = {17: '{"displayName": "cut', 400: lines[400].replace('"400"', '"4x0"'), 999: "[1, 2}"}
    for i, line in damaged.items():
        lines[i] = line
    path = spans.folder / "spans.json"
    path.write_text("\n".join(lines))
    outcome = run("convert", path, *spans.schema, "-o", spans.folder / "x.pb")
    assert outcome.exit_code == 1
    assert f"{path} line 18, column 17: a string has no end" in outcome.stderr
    assert not (spans.folder / "x.pb").exists()
    output, letters = spans.folder / "rest.pb", spans.folder / "letters"
    outcome = run("convert", path, *spans.schema, "-o", output, "--on-error", "skip", "--dead-letters", letters)
    assert outcome.exit_code == 0
    for place in (r"line 18, column 17: a string has no end", r"line 401, column \d+: count: ", r"line 1000, column \d+: "):
        assert re.search(f"^skipped: {re.escape(str(path))} {place}", outcome.stderr, re.MULTILINE)
    names = [spans.message_class.FromString(payload).display_name for payload in framing.read_delimited(output)]
    assert names == [f"span {i}" for i in range(1000) if i not in damaged]
    assert [payload.decode() for payload in framing.read_delimited(letters)] == list(damaged.values())
    nulls = succeed("convert", path, *spans.schema, "--to", "rows", "-o", "-", "--on-error", "null", "--select", "count")
    assert [json.loads(line)["count"] for line in nulls.stdout.splitlines()][398:402] == [398, 399, 0, 401]


def test_names_that_the_type_has_not(spans):
    path = spans.folder / "spans.json"
    path.write_text('{"displayName": "a", "tags": [{"kay": 1}], "kind": "CLIENT"}')
    outcome = run("convert", path, *spans.schema, "-o", spans.folder / "x.pb")
    assert outcome.exit_code == 1
    assert "line 1, column 39: tags[0].kay: the message type t.Tag has no field of that name" in outcome.stderr
    assert "--ignore-extra-fields passes over it" in outcome.stderr
    read = spans.read(path, "--ignore-extra-fields")
    assert [str(message) for message in read] == [str(spans.message_class(display_name="a", tags=[{}]))]


def without_json(message_class):
    """Messages that protobuf's JSON has no form for, with the path of the field."""
    unknown = b"\x4a\x0c\x0a\x06no/one\x12\x02\x08\x01"
    return [
        (message_class(begun={"seconds": -(2**40)}).SerializeToString(), "begun"),
        (message_class(begun={"seconds": 253402300800}).SerializeToString(), "begun"),
        (message_class(took={"seconds": 1, "nanos": -1}).SerializeToString(), "took"),
        (message_class(took={"seconds": 315576000001}).SerializeToString(), "took"),
        (b"\x62\x07\x0a\x05\x0a\x01k\x12\x00", "extra.k"),  # a google.protobuf.Value without a kind
        (unknown, "any"),
    ]


def test_messages_that_have_no_json(spans):
    for payload, field in without_json(spans.message_class):
        path = spans.folder / "odd.pb"
        path.write_bytes(framing.frame_delimited([b"", payload]))
        outcome = run("convert", path, *spans.schema, "-o", spans.folder / "x.json")
        assert outcome.exit_code == 1
        assert f"{path} record 1, byte 2, {field}: " in outcome.stderr
        assert "--on-error=skip leaves such messages out" in outcome.stderr
        assert "may be of another type" not in outcome.stderr
        assert not (spans.folder / "x.json").exists()


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
@pytest.mark.parametrize("batch_size", ["1", "3", "4096"])
def test_messages_without_json_are_broken_records(spans, jobs, batch_size):
    odd = without_json(spans.message_class)
    good = [spans.message_class(code=i).SerializeToString() for i in range(len(odd) + 1)]
    damaged = b"\x0a\x05ab"
    payloads = [good[0], damaged]
    for (payload, _), valid in zip(odd, good[1:], strict=True):
        payloads += [payload, valid]
    paths = [spans.folder / "first.pb", spans.folder / "second.pb"]
    for path in paths:
        path.write_bytes(framing.frame_delimited(payloads))
    output, letters = spans.folder / "rest.json", spans.folder / "letters"
    arguments = ("convert", *paths, *spans.schema, "-o", output, "--overwrite", "-j", jobs, "--batch-size", batch_size)
    outcome = run(*arguments, "--on-error", "skip", "--dead-letters", letters)
    assert outcome.exit_code == 0, outcome.stderr
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert rows == [{"code": i} for i in range(len(good))] * 2
    assert list(framing.read_delimited(letters)) == [damaged, *(payload for payload, _ in odd)] * 2
    listed = [json.loads(line) for line in (spans.folder / "letters.jsonl").read_text().splitlines()]
    assert [entry["record"] for entry in listed] == [1, *range(2, 2 * len(odd) + 2, 2)] * 2
    assert [entry["file"] for entry in listed] == [str(path) for path in paths for _ in range(len(odd) + 1)]
    assert [entry["field_path"] for entry in listed] == ["display_name", *(field for _, field in odd)] * 2
    skipped = [line for line in outcome.stderr.splitlines() if line.startswith("skipped: ")]
    assert skipped[1].startswith(f"skipped: {paths[0]} record 2, byte ")
    assert f"{2 * (len(odd) + 1)} skipped" in outcome.stderr

    outcome = run(*arguments, "--on-error", "null")
    assert outcome.exit_code == 0, outcome.stderr
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert rows == ([{"code": 0}, {}] + [row for i in range(len(odd)) for row in ({}, {"code": i + 1})]) * 2
    assert f"set to null: {paths[0]} record 2, byte " in outcome.stderr
    outcome = run(*arguments, "--on-error", "skip", "--max-errors", "3")
    assert outcome.exit_code == 1 and "more than --max-errors=3" in outcome.stderr


def test_messages_alone_without_json(spans):
    path = spans.folder / "odd.pb"
    path.write_bytes(framing.frame_delimited([payload for payload, _ in without_json(spans.message_class)]))
    outcome = run("convert", path, *spans.schema, "-o", spans.folder / "x.json", "--on-error", "skip")
    assert outcome.exit_code == 0
    assert "may be of another type" not in outcome.stderr
    assert (spans.folder / "x.json").read_bytes() == b""


@pytest.mark.parametrize("ending", ["pb", "json", "textproto", "tfrecord"])
def test_messages_keep_times_that_columns_cannot_hold(spans, ending):
    edges = [-62135596800, 253402300799, 0, -1]
    messages = [spans.message_class(begun={"seconds": edge, "nanos": 999_999_999}) for edge in edges]
    messages += [spans.message_class(took={"seconds": sign * 315576000000}) for sign in (-1, 1)]
    path = spans.folder / "edges.pb"
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    output = spans.folder / f"kept.{ending}"
    written = run("convert", path, *spans.schema, "-o", output)
    assert written.exit_code == 0
    assert "set to null" not in written.stderr and len(written.stderr.splitlines()) == 1  # the summary
    assert spans.read(output) == messages
    assert "truncated" not in written.stderr
    # Columns cannot hold all of them.
    reported = run("convert", path, *spans.schema, "-o", spans.folder / "x.parquet").stderr
    assert "truncated: begun: 4 times" in reported and "set to null" not in reported
    reported = run("convert", path, *spans.schema, "-o", spans.folder / "y.parquet", "--timestamps", "ns").stderr
    assert "set to null: begun: 2 times" in reported and "truncated" not in reported
    for output, unit, counts in (("z.parquet", "us", (0, 4)), ("w.parquet", "ns", (2, 0)), ("w.pb", "us", None)):
        done = run("convert", path, *spans.schema, "-o", spans.folder / output, "--timestamps", unit, "--json")
        found = [each for each in json.loads(done.stdout)["inexact_times"] if each["field"] == "begun"]
        expected = {"field": "begun", "unit": unit}
        if counts is not None:
            expected["set_to_null"], expected["truncated"] = counts
        assert found == ([] if counts is None else [expected])


def test_mistakes_of_usage(spans):
    for arguments, problem in (
        (("--to", "json", "--unknown-fields", "keep", "-o", "-"), "protobuf's JSON cannot represent unknown fields"),
        (("--from", "json", "--confluent", "-o", "x.pb"), "--confluent is for messages, not for JSON"),
        (("--json-defaults", "-o", "x.parquet"), "--json-defaults is for protobuf's JSON (--to json)"),
        (("--json-proto-names", "--to", "rows", "-o", "-"), "--json-proto-names is for protobuf's JSON (--to json)"),
        (("--to", "json", "--partition-by", "kind", "-o", "parts"), "--partition-by is for files of columns, not of messages"),
        (("--to", "jsonl", "--partition-by", "kind", "-o", "parts"), "--partition-by is for files of columns, not of messages"),
        (("-o", "x.jsonl", "--with-filename"), "write columns, for example --to rows"),
        (("--to", "json", "--compression", "zstd", "-o", "-"), "--compression is for Parquet and Arrow files"),
    ):
        outcome = run("convert", spans.path, *spans.schema, *arguments, cwd=spans.folder)
        assert outcome.exit_code == 2, outcome.stderr
        assert problem in outcome.stderr


# --- lines of base64 and hex


@pytest.mark.parametrize("name", ["base64", "hex"])
def test_lines_of_messages(spans, name):
    payloads = [message.SerializeToString(deterministic=True) for message in spans.messages]
    encode = base64.b64encode if name == "base64" else bytes.hex
    theirs = [encode(payload) if name == "hex" else encode(payload).decode() for payload in payloads]
    path = spans.folder / "lines.txt"
    succeed("convert", spans.path, *spans.schema, "-o", path, "--to", name, "--quiet")
    assert path.read_text() == "".join(line + "\n" for line in theirs)
    assert spans.same(spans.read(path, "--from", name))
    theirs[2] = "%" + theirs[2]
    path.write_text("\n".join(theirs))
    outcome = run("convert", path, *spans.schema, "--from", name, "-o", spans.folder / "x.pb", "--on-error", "skip")
    assert outcome.exit_code == 0
    assert f"skipped: {path} line 3, column 1: '%' is no" in outcome.stderr
    assert len(list(framing.read_delimited(spans.folder / "x.pb"))) == 3


@pytest.mark.parametrize("name", ["base64", "hex"])
def test_real_sets_go_to_lines_and_back(real_set, name, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet"]
    lines, back = tmp_path / "lines", tmp_path / "back.pb"
    succeed("convert", path, *chosen, "-o", lines, "--to", name)
    succeed("convert", lines, *chosen, "-o", back, "--from", name)
    pairs = itertools.zip_longest(framing.read_delimited(path), framing.read_delimited(back))
    assert all(a == b or message_class.FromString(a) == message_class.FromString(b) for a, b in pairs)
