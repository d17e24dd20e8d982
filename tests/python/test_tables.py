"""`structtensor convert` without a schema: Parquet and Arrow files of others, and JSON whose columns are inferred. The oracle
is pyarrow."""

import datetime
import gzip
import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from structtensor_command import SCHEMA, document, run, succeed

TABLE = {
    "id": pa.array([1, 2, None], pa.int64()),
    "place": pa.array(
        [{"x": 1.5, "tags": ["a", "b"]}, None, {"x": None, "tags": []}],
        pa.struct([("x", pa.float64()), ("tags", pa.list_(pa.string()))]),
    ),
    "when": pa.array([0, 1_500_000, None], pa.timestamp("us", "UTC")),
    "word": pa.array(["u", "v", "u"]).dictionary_encode(),
    "bytes": pa.array([b"\xff", b"", None], pa.binary()),
}


@pytest.fixture
def table(tmp_path):
    table = pa.table(TABLE)
    pq.write_table(table, tmp_path / "foreign.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "foreign.arrow", compression="uncompressed")
    return table


def plain(rows):
    """Rows of pyarrow as the command has them: what is repeated is empty where it is null, and a word is a word."""
    for row in rows:
        if row["when"] is not None:
            row["when"] = row["when"].astimezone(datetime.timezone.utc)
    return rows


@pytest.mark.parametrize("source", ["foreign.parquet", "foreign.arrow"])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl"])
def test_files_of_others(table, source, ending, tmp_path):
    output = tmp_path / f"out.{ending}"
    outcome = run("convert", tmp_path / source, "-o", output)
    assert outcome.exit_code == 0 and "3 rows from 1 file, without a schema" in outcome.stderr
    if ending == "jsonl":
        rows = [json.loads(line) for line in output.read_text().splitlines()]
        assert rows[0] == {
            "id": 1,
            "place": {"x": 1.5, "tags": ["a", "b"]},
            "when": "1970-01-01T00:00:00Z",
            "word": "u",
            "bytes": "/w==",
        }
        assert rows[1]["place"] is None and rows[2]["id"] is None and rows[2]["bytes"] is None
        return
    found = pq.read_table(output) if ending == "parquet" else pyarrow.feather.read_table(output)
    assert plain(found.to_pylist()) == plain(table.to_pylist())


def test_some_rows_of_several_files(table, tmp_path):
    source = tmp_path / "foreign.parquet"
    again = document("convert", source, source, "--skip", 2, "--limit", 3, "-o", tmp_path / "out.parquet")
    assert (again["rows"], again["inputs"]) == (3, 2)
    assert pq.read_table(tmp_path / "out.parquet")["id"].to_pylist() == [None, 1, 2]
    assert succeed("convert", source, "--limit", 0, "--to", "jsonl", "-o", "-").stdout == b""
    assert "id: int64" in succeed("convert", source, "--show-spec").stdout.decode()
    pq.write_table(table.select(["id"]), tmp_path / "other.parquet")
    outcome = run("convert", source, tmp_path / "other.parquet", "-o", tmp_path / "x.parquet")
    assert outcome.exit_code == 1 and "its columns differ from those of" in outcome.stderr
    assert not (tmp_path / "x.parquet").exists()


ROWS = [{"a": 1, "b": {"c": [1, 2]}, "s": "x\ny"}, {"a": 2.5}, {"b": {"c": []}, "z": True}]


@pytest.mark.parametrize("layout", ["lines", "list", "documents", "gzip", "pipe"])
def test_columns_of_json_are_inferred(layout, tmp_path):
    source, output = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    strings = {"list": json.dumps(ROWS, indent=1), "documents": "\n".join(json.dumps(row, indent=2) for row in ROWS)}
    text = strings.get(layout, "\n\n".join(map(json.dumps, ROWS))).encode()
    if layout == "gzip":
        source = tmp_path / "rows.ndjson.gz"
        text = gzip.compress(text)
    source.write_bytes(text)
    if layout == "pipe":
        succeed("convert", "--from", "jsonl", "-o", output, stdin=text)
    else:
        succeed("convert", source, "-o", output)
    found = pq.read_table(output)
    assert found.to_pylist() == [
        {"a": 1.0, "b": {"c": [1, 2]}, "s": "x\ny", "z": None},
        {"a": 2.5, "b": None, "s": None, "z": None},
        {"a": None, "b": {"c": []}, "s": None, "z": True},
    ]
    assert found.schema.field("a").type == pa.float64() and found.schema.field("z").type == pa.bool_()


def test_damaged_rows(tmp_path):
    lines = [json.dumps({"a": i}) for i in range(1000)]
    lines[399] = '{"a": "x"}'
    lines[700] = '{"a": 1'
    source = tmp_path / "rows.jsonl"
    source.write_text("\n".join(lines))
    outcome = run("convert", source, "-o", tmp_path / "x.parquet")
    assert outcome.exit_code == 1 and f"{source} line 400, column 7: a: expected an int64" in outcome.stderr
    outcome = run("convert", source, "-o", tmp_path / "x.parquet", "--on-error", "skip")
    assert outcome.exit_code == 0 and f"skipped: {source} line 701" in outcome.stderr
    assert pq.read_table(tmp_path / "x.parquet")["a"].to_pylist() == [i for i in range(1000) if i not in (399, 700)]
    source.write_text("{}\n" * 3)
    assert run("convert", source, "--to", "jsonl", "-o", "-").stdout == b"{}\n" * 3
    source.write_text("")
    assert run("convert", source, "--to", "jsonl", "-o", "-").exit_code == 0


def test_damaged_files(tmp_path):
    half, whole = tmp_path / "1.jsonl.gz", tmp_path / "2.jsonl.gz"
    packed = gzip.compress(b'{"a": 1}\n{"a": 2}\n')
    half.write_bytes(packed[:-8])
    whole.write_bytes(packed)
    arguments = ["convert", half, whole, "-o", tmp_path / "x.parquet", "--on-error=skip"]
    outcome = run(*arguments)
    assert outcome.exit_code == 1 and f"{half} line 3: the gzip stream ends early" in outcome.stderr
    for policy, rows in {"rest": [1, 2, 1, 2], "skip": [1, 2]}.items():
        done = document(*arguments, "--overwrite", f"--on-damaged-file={policy}")
        assert pq.read_table(tmp_path / "x.parquet")["a"].to_pylist() == rows
        assert [file["file"] for file in done["damaged_files"]] == [str(half)]
    assert "; 1 damaged file; wrote" in run(*arguments, "--overwrite", "--on-damaged-file=rest").stderr


def test_timestamps_on_request(tmp_path):
    source, output = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    source.write_text('{"at": "2026-11-24T01:02:03Z", "text": "2026-11-24T01:02:03Z"}\n{"at": null, "text": "later"}\n')
    succeed("convert", source, "-o", output)
    assert pq.read_schema(output).field("at").type in (pa.string(), pa.large_string())
    succeed("convert", source, "-o", output, "--infer-timestamps", "--overwrite")
    table = pq.read_table(output)
    assert table["at"].to_pylist() == [datetime.datetime(2026, 11, 24, 1, 2, 3, tzinfo=datetime.timezone.utc), None]
    assert table["text"].to_pylist()[1] == "later"
    outcome = run("convert", source, *SCHEMA, "-o", output, "--infer-timestamps")
    assert outcome.exit_code == 1 and "--infer-timestamps applies only to JSON without a schema" in outcome.stderr


def test_what_needs_a_schema(table, tmp_path):
    source = tmp_path / "foreign.parquet"
    for arguments, what in [
        (("-o", "x.pb"), "writing messages"),
        (("-o", "x.parquet", "--where", "id = 1"), "--where"),
        (("-o", "x.parquet", "--select", "id"), "--select"),
        (("-o", "x.parquet", "--drop", "id"), "--drop"),
        (("-o", "x.parquet", "--rows", "place"), "--rows"),
        (("-o", "x", "--partition-by", "id"), "--partition-by"),
        (("-o", "x.parquet", "--with-filename"), "--with-filename"),
        (("-o", "x.parquet", "--on-error", "skip"), "--on-error=skip"),
        (("--head", "3", "-o", "x.parquet"), "--head"),
        (("-o", "x.parquet", "--unknown-fields", "keep"), "--unknown-fields"),
        (("-o", "x.parquet", "--timestamps", "us"), "--timestamps"),
        (("-o", "x.parquet", "--max-depth", "7"), "--max-depth"),
        (("-o", "x.parquet", "--infer-timestamps"), "--infer-timestamps"),
        (("-o", "x.parquet", "--dry-run"), "--dry-run"),
    ]:
        outcome = run("convert", source, *arguments, cwd=tmp_path)
        assert outcome.exit_code == 1 and f"no schema, which {what} needs" in outcome.stderr, outcome.stderr
    # Who names a message type means protobuf's JSON.
    (tmp_path / "rows.json").write_text('{"a": 1}')
    assert (
        "no schema: name a .proto file"
        in run("convert", tmp_path / "rows.json", "-m", "Row", "-o", tmp_path / "x.parquet").stderr
    )
    (tmp_path / "messages.pb").write_bytes(b"\x02\x08\x01")
    assert "no schema: name a .proto file" in run("convert", tmp_path / "messages.pb", "-o", tmp_path / "x.parquet").stderr
    source.write_bytes(source.read_bytes()[:100])
    outcome = run("convert", source, "-o", tmp_path / "x.parquet")
    assert outcome.exit_code == 1 and "foreign.parquet: the file is damaged" in outcome.stderr
