"""CSV into `structtensor`, and its own JSON lines of columns (`rows`). The oracles are Python's csv and json, and the messages
themselves."""

import csv
import io
import json

import framing
import pandas
import pyarrow
import pyarrow.csv
import pytest
from real_data import open_real_set
from structtensor_command import document, run, succeed
from test_message_json import spans  # noqa: F401: a fixture

# What CSV has no place for.
FLAT = ("--drop", "tags", "--drop", "ratios", "--drop", "extra", "--drop", "any")


@pytest.mark.parametrize("to", [("--to", "rows"), ()])
def test_real_sets_go_to_json_lines_and_back(real_set, to, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet", "--limit", "2000"]
    lines, back, expected = tmp_path / "set.jsonl", tmp_path / "back.pb", tmp_path / "expected.pb"
    succeed("convert", path, *chosen, "-o", lines, *to)
    succeed("convert", lines, *(["--from", "rows"] if to else []), *chosen, "-o", back)
    succeed("convert", path, *chosen, "-o", expected, "--unknown-fields", "drop")
    assert back.read_bytes() == expected.read_bytes()
    assert expected.stat().st_size > 0


def test_rows_of_columns(spans):  # noqa: F811
    lines = spans.folder / "spans.jsonl"
    rows = [
        {"count": 5},
        {"display_name": "x", "begun": "2024-05-06T07:08:09Z", "tags": [{"key": "a"}], "code": None},
        {"count": "x"},
        {"no": 1},
    ]
    lines.write_text("\n".join(map(json.dumps, rows)))
    outcome = run("convert", lines, "--from", "rows", *spans.schema, "--to", "json", "-o", "-", "--on-error", "skip")
    assert [json.loads(line) for line in outcome.stdout.splitlines()] == [
        {"count": "5"},
        {"displayName": "x", "begun": "2024-05-06T07:08:09Z", "tags": [{"key": "a"}]},
    ]
    assert "spans.jsonl line 3, column 11: count: expected uint64; found a string" in outcome.stderr
    assert "spans.jsonl line 4" in outcome.stderr and "no: " in outcome.stderr
    passed = succeed(
        "convert",
        lines,
        "--from",
        "rows",
        *spans.schema,
        "--to",
        "json",
        "-o",
        "-",
        "--on-error",
        "skip",
        "--ignore-extra-fields",
    )
    assert passed.stdout.splitlines()[2:] == [b"{}"]
    assert run("convert", lines, "--from", "rows", "--confluent", *spans.schema, "-o", "x.pb").exit_code == 2


@pytest.mark.real_data
@pytest.mark.parametrize("set_name", ["google_message1_proto2", "google_message1_proto3"])
def test_flat_sets_go_to_csv_and_back(set_name, tmp_path):
    opened = open_real_set(set_name)
    flat = ["--descriptor_set_in", opened.descriptor_set, "-m", opened.message, "--quiet", "--drop", "field5"]
    table, back, expected = tmp_path / "set.csv", tmp_path / "back.pb", tmp_path / "expected.pb"
    succeed("convert", opened.messages, *flat, "-o", table)
    succeed("convert", table, *flat, "-o", back)
    succeed("convert", opened.messages, *flat, "-o", expected, "--unknown-fields", "drop")
    assert back.read_bytes() == expected.read_bytes()
    assert expected.stat().st_size > 0


def test_there_and_back(spans):  # noqa: F811
    table, flat = spans.folder / "spans.csv", spans.folder / "flat.pb"
    succeed("convert", spans.path, *spans.schema, *FLAT, "-o", table, "--quiet")
    succeed("convert", spans.path, *spans.schema, *FLAT, "-o", flat, "--quiet")
    read = succeed("convert", table, *spans.schema, "--to", "delimited", "-o", "-", "--quiet").stdout
    assert read == flat.read_bytes()
    assert (
        succeed("convert", "-", "--from", "csv", *spans.schema, "--to", "delimited", "-o", "-", stdin=table.read_bytes()).stdout
        == read
    )
    assert document("count", table)["files"][0]["messages"] == 4
    assert document("inspect", table)["files"][0]["format"] == "csv"
    # Headers by any names, in any order; Python's csv writes the rows.
    rows = [
        {"count": 2**64 - 1, "displayName": 'a "quoted", text\n', "sampled": "TRUE", "kind": "SERVER", "id": "/w=="},
        {"count": "", "kind": 1},
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, ["kind", "count", "displayName", "sampled", "id"])
    writer.writeheader()
    writer.writerows(rows)
    table.write_text(text.getvalue(), newline="")
    found = [
        json.loads(line) for line in succeed("convert", table, *spans.schema, "--to", "json", "-o", "-").stdout.splitlines()
    ]
    assert found == [
        {"displayName": 'a "quoted", text\n', "count": str(2**64 - 1), "id": "/w==", "kind": "SERVER", "sampled": True},
        {"kind": "SERVER"},
    ]


def test_what_is_wrong(spans):  # noqa: F811
    table = spans.folder / "spans.csv"

    def rows(text, *more):
        table.write_bytes(text)
        return run("convert", table, *spans.schema, "--to", "json", "-o", "-", *more)

    damaged = b'count,display_name\n1,a\nx,b\n3\n4,"c"d\n5,\xff\n-6,\n7,g\n8,"h\n'
    outcome = rows(damaged, "--on-error", "skip", "--on-damaged-file", "rest")
    assert [json.loads(line)["count"] for line in outcome.stdout.splitlines()] == ["1", "7"]
    for problem in (
        "line 3, column 1: count: expected an unsigned integer of 64 bits; found x",
        "line 4, column 1: the row has 1 cell, but the header 2",
        "line 5, column 3: a cell goes on after its quotes",
        "line 6, column 3: the text is not UTF-8",
        "line 7, column 1: count: ",
        "line 9: a text in quotes has no end",
    ):
        assert f"spans.csv {problem}" in outcome.stderr, outcome.stderr
    outcome = rows(damaged)
    assert outcome.exit_code == 1 and "spans.csv line 3, column 1" in outcome.stderr
    # Without its header no row can be read, whatever the policy.
    for header, problem in [
        (b"count,count", "the header has count twice"),
        (
            b"count,cuont",
            "the header's cuont is not a field of t.Span; did you mean count? (--ignore-extra-fields passes over it)",
        ),
        (b"count,", "column 2 of the header has no name"),
        (b"tags", "the header's tags is repeated"),
        (b"any", "the header's any is a message"),
        (b"count.x", "the header's count.x is not a field"),
        (b"begun[0]", "the header's begun[0] is not a field"),
        (b'"count"x', "the header has a name that goes on after its quotes"),
    ]:
        for policy in ("fail", "skip"):
            outcome = rows(header + b"\n1\n", "--on-error", policy)
            assert outcome.exit_code == 1 and f"spans.csv line 1: {problem}" in outcome.stderr, outcome.stderr
    assert rows(b"count,cuont,\n1,2,3\n", "--ignore-extra-fields").stdout == b'{"count":"1"}\n'
    for empty in (b"", b"count", b"count,display_name\n\n"):
        assert rows(empty).exit_code == 0
    assert (
        "for messages, not for CSV" in run("convert", table, "--from", "csv", "--confluent", *spans.schema, "-o", "x.pb").stderr
    )


def test_files_of_others(spans):  # noqa: F811
    columns = {
        "display_name": ["a,b", 'c"d', None, ""],
        "count": [1, 2**63, None, 0],
        "sampled": [True, False, None, True],
        "code": [-1, None, 3, 0],
    }
    frame = pandas.DataFrame(columns).astype({"count": "UInt64", "sampled": "boolean", "code": "Int64"})
    for name in ("pyarrow", "pandas"):
        table = spans.folder / f"{name}.csv"
        if name == "pyarrow":
            pyarrow.csv.write_csv(pyarrow.table({**columns, "count": pyarrow.array(columns["count"], pyarrow.uint64())}), table)
        else:
            frame.to_csv(table, index=False)
        read = spans.folder / "read.pb"
        succeed("convert", table, *spans.schema, "-o", read, "--overwrite")
        messages = [spans.message_class.FromString(each) for each in framing.read_delimited(read)]
        found = [
            (
                m.display_name,
                m.count,
                m.sampled.value if m.HasField("sampled") else None,
                m.code if m.HasField("code") else None,
            )
            for m in messages
        ]
        expected = [("a,b", 1, True, -1), ('c"d', 2**63, False, None), ("", 0, None, 3), ("", 0, True, 0)]
        assert found == expected


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_say_their_unit(spans, unit, tmp_path):  # noqa: F811
    original = tmp_path / "spans.jsonl"
    took = {"s": "61s", "ms": "-1.500s", "us": "0.000001s", "ns": "3.000000007s"}[unit]
    original.write_text(json.dumps({"took": took}) + "\n{}\n")
    table, back = tmp_path / "spans.csv", tmp_path / "back.jsonl"
    succeed("convert", original, "--from", "json", *spans.schema, "--select", "took", "--timestamps", unit, "-o", table)
    succeed("convert", table, *spans.schema, "--to", "json", "-o", back)
    assert [json.loads(line) for line in back.read_text().splitlines()] == [{"took": took}, {}]
    table.write_text("took\n1500\n")
    outcome = run("convert", table, *spans.schema, "--to", "json", "-o", "-")
    assert outcome.exit_code == 1
    assert 'took: expected a duration (1.5s); found "1500"' in outcome.stderr


# --- names


def test_a_name_of_one_field_is_not_the_json_name_of_another(tmp_path):
    proto, table = tmp_path / "shot.proto", tmp_path / "shots.csv"
    proto.write_text(
        'syntax = "proto2"; package t; message Shot { optional string shot_type = 1; optional string shotType = 2;'
        " optional int32 focal_length = 3; }"
    )
    table.write_text("shotType,shot_type,focalLength\na,b,35\n")
    written = succeed("convert", table, "-p", proto, "--to", "json", "-o", "-")
    assert json.loads(written.stdout) == {"shotType": "a", "shot_type": "b", "focalLength": 35}
