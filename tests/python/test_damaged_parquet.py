"""Parquet files whose footers or page headers have wrong counts, and files of large rows."""

import copy
import os
import re
import subprocess
import sys

import commands
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import thrift_edit as thrift
from structtensor_command import document, run, succeed

ROWS = 120
PROTO = 'syntax = "proto3"; message M { int32 x = 1; string s = 2; repeated int64 r = 3; bytes b = 4; }'


@pytest.fixture
def schema(tmp_path):
    (tmp_path / "m.proto").write_text(PROTO)
    return "-p", tmp_path / "m.proto", "-m", "M"


@pytest.fixture
def whole(tmp_path):
    """A Parquet file of three row groups."""
    path = tmp_path / "whole.parquet"
    table = pa.table(
        {
            "x": pa.array(range(ROWS), pa.int32()),
            "s": [f"row {i}" for i in range(ROWS)],
            "r": pa.array([[i] * (i % 3) for i in range(ROWS)], pa.list_(pa.int64())),
        }
    )
    pq.write_table(table, path, row_group_size=40, compression="none", use_dictionary=False)
    return path.read_bytes()


def rows_of_file(rows):
    return lambda footer: thrift.set_field(footer, thrift.FOOTER_ROWS, rows)


def rows_of_group(group, rows):
    return lambda footer: thrift.set_field(thrift.groups_of(footer)[group], thrift.GROUP_ROWS, rows)


def group_twice(footer):
    thrift.groups_of(footer).append(copy.deepcopy(thrift.groups_of(footer)[0]))


def group_left_out(footer):
    del thrift.groups_of(footer)[1]


def both(footer):
    """The sum is right, and no row group."""
    rows_of_group(0, 41)(footer)
    rows_of_group(1, 39)(footer)


def both_fewer(footer):
    """A row group and the file, by the same number."""
    rows_of_group(1, 20)(footer)
    rows_of_file(100)(footer)


def page_type(type_):
    return lambda header: thrift.set_field(header, thrift.PAGE_TYPE, type_)


def page_values(values):
    return lambda header: thrift.set_field(header[thrift.PAGE_DATA_HEADER][1], thrift.PAGE_VALUES, values)


def damaged(tmp_path, data):
    path = tmp_path / "damaged.parquet"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (rows_of_file(121), "the file has 121 rows, and its row groups together 120"),
        (rows_of_file(0), "the file has 0 rows, and its row groups together 120"),
        (rows_of_file(-(2**63)), "the file has -9223372036854775808 rows"),
        (rows_of_file(2**62), "the file has 4611686018427387904 rows"),
        (rows_of_group(1, 20), "row group 1 has 20 rows, and its column x has 40 values"),
        (both_fewer, "row group 1 has 20 rows, and its column x has 40 values"),
        (both, "row group 0 has 41 rows, and its column x has 40 values"),
        (rows_of_group(1, -40), "row group 1 has -40 rows"),
        (rows_of_group(2, 2**63 - 1), "row group 2 has 9223372036854775807 rows"),
        (group_twice, "the file has 120 rows, and its row groups together 160"),
        (group_left_out, "the file has 120 rows, and its row groups together 80"),
    ],
)
def test_counts_of_a_footer_that_contradict_each_other(whole, schema, tmp_path, change, problem):
    path = damaged(tmp_path, thrift.with_footer(whole, change))
    for arguments in (("count",), ("head", *schema), ("stats", *schema), ("convert", "-o", tmp_path / "x.jsonl")):
        verb, *options = arguments
        outcome = run(verb, path, *options)
        assert outcome.exit_code == 1, verb
        assert re.search(rf"{path}(: | row 0: )the file is damaged: ", outcome.stderr) and problem in outcome.stderr, verb
        assert verb in ("count", "stats") or not outcome.stdout, verb  # these go on, with the rows before the damage
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("group", [0, 2])
@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("change", [page_type(-1), page_type(1), page_values(39), page_values(41), page_values(0)])
def test_pages_with_fewer_or_more_values_than_their_row_group(whole, schema, tmp_path, group, column, change):
    path = damaged(tmp_path, thrift.with_page(whole, group, column, change))
    for options in (schema, ()):
        output = tmp_path / "x.jsonl"
        outcome = run("convert", path, *options, "-o", output, "--on-error", "fail")
        assert outcome.exit_code == 1
        assert re.search(rf"{path}(: | row {40 * group}: )the file is damaged: ", outcome.stderr)
        assert not output.exists()


def test_a_group_of_lists_with_other_rows_than_the_footer_says(schema, tmp_path):
    path = tmp_path / "lists.parquet"
    pq.write_table(pa.table({"r": [[i] for i in range(ROWS)]}), path, row_group_size=40, use_dictionary=False)
    data = thrift.with_footer(path.read_bytes(), both)
    outcome = run("convert", damaged(tmp_path, data), *schema, "-o", tmp_path / "x.jsonl")
    assert outcome.exit_code == 1
    assert "the file is damaged: row group 0 has 40 rows, and the footer says 41" in outcome.stderr


def test_files_that_are_whole_are_read(whole, schema, tmp_path):
    for group_twice_is in (False, True):
        path = damaged(tmp_path, thrift.with_footer(whole, lambda footer: None))
        if group_twice_is:  # with the right sum, this is a file of 160 rows
            data = thrift.with_footer(whole, group_twice)
            path.write_bytes(thrift.with_footer(data, rows_of_file(160)))
        count = 160 if group_twice_is else 120
        assert document("count", path)["messages"] == count
        rows = document("head", path, *schema, "-n", 200, "--select", "x")["rows"]
        assert [row["x"] for row in rows] == [*range(120), *range(40)][:count]


def peak_memory(*arguments):
    """Runs the command; its exit code, and the most memory that it had, in MB."""
    command = [str(commands.command_path("structtensor")), *map(str, arguments)]
    code = f"import os, resource, subprocess; r = subprocess.run({command!r}, stdout=subprocess.DEVNULL).returncode; "
    code += "print(r, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    exit_code, megabytes = map(int, done.stdout.split())
    assert exit_code == 0, done.stderr
    return megabytes


def test_memory_does_not_follow_the_number_of_large_rows(schema, tmp_path):
    messages, path, out = tmp_path / "large.pb", tmp_path / "large.parquet", tmp_path / "out.pb"
    with open(messages, "wb") as file:
        for i in range(150):
            message = b"\x22\xc0\x96\xb1\x02" + b"%d" % (i % 10) * 5_000_000  # a length of 5,000,000
            file.write(framing.frame_delimited([message]))
    succeed("convert", messages, *schema, "-o", path)
    assert path.stat().st_size < 100_000
    # The rows are 750 MB. With two jobs, the peak depends on how the threads take turns: 260 to 400 MB, and no more for 2 GB.
    for options, limit in ((("-j", 2), 600), (("-j", 1, "--batch-size", 1), 200)):
        assert peak_memory("convert", path, *schema, "-o", out, "--overwrite", "--quiet", *options) < limit
    assert out.read_bytes() == messages.read_bytes()
    assert peak_memory("head", path, *schema, "-n", 1, "--select", "x") < 150


def test_rows_that_are_large_in_few_bytes(schema, tmp_path):
    path = tmp_path / "lists.parquet"
    values = pa.array([7] * 1_000_000, pa.int64())
    lists = pa.ListArray.from_arrays(range(0, 16_000_001, 1_000_000), pa.concat_arrays([values] * 16))
    pq.write_table(pa.table({"r": lists}), path)
    assert path.stat().st_size < 100_000
    rows = document("stats", path, *schema)
    assert rows["messages"] == 16
    assert peak_memory("convert", path, *schema, "-o", tmp_path / "x.pb", "--quiet", "-j", 1) < 250
    outcome = run("convert", path, *schema, "-o", tmp_path / "y.pb", "--max-memory-bytes", 2_000_000)
    assert outcome.exit_code == 1
    assert f"{path}: row 0, or a page with values of it, takes more memory than --max-memory-bytes=2000000" in outcome.stderr
    assert not (tmp_path / "y.pb").exists()


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_a_dictionary_of_long_strings(schema, tmp_path, ending):
    path = tmp_path / f"strings.{ending}"
    strings = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int32()), ["x" * 1_000_000])
    table = pa.table({"s": strings})
    if ending == "arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        pq.write_table(table, path)
    for options in (schema, ()):
        out = tmp_path / "x.jsonl"
        succeed("convert", path, *options, "--limit", 300, "-o", out, "--overwrite")  # all together are 5 GB
        assert out.stat().st_size > 300_000_000
        out.unlink()
    outcome = run("head", path, *schema, "--max-memory-bytes", 500_000)
    assert outcome.exit_code == 1
    assert f"{path}: row 0" in outcome.stderr and "takes more memory than --max-memory-bytes=500000" in outcome.stderr


@pytest.mark.parametrize("with_schema", [True, False])  # without: a table
def test_limits_and_batches_do_not_change_the_rows(whole, schema, tmp_path, with_schema):
    command = ("convert", damaged(tmp_path, whole), *(schema if with_schema else ()), "-o", "-", "--to", "jsonl")
    expected = succeed(*command).stdout.splitlines()
    assert len(expected) == ROWS
    for options, kept in [
        (("--batch-size", 1), slice(None)),
        (("--batch-size", 7), slice(None)),
        (("--limit", 50), slice(50)),
        (("--skip", 39, "--limit", 3), slice(39, 42)),
        (("--skip", 110, "--batch-size", 4), slice(110, None)),
        (("--max-memory-bytes", 100_000), slice(None)),
    ]:
        assert succeed(*command, *options).stdout.splitlines() == expected[kept], options


@pytest.mark.parametrize("options", [(), ("--skip", 10), ("--limit", 50), ("--batch-size", 7)])
def test_the_record_batches_do_not_depend_on_jobs(whole, schema, tmp_path, options):
    path = damaged(tmp_path, whole)
    outputs = []
    for jobs in (1, 2, 5):
        outputs.append(tmp_path / f"{jobs}.arrow")
        succeed("convert", path, path, *schema, *options, "-j", jobs, "-o", outputs[-1])
    assert len({output.read_bytes() for output in outputs}) == 1


def test_a_damaged_file_has_a_policy(schema, whole, tmp_path):
    broken, valid = tmp_path / "1.parquet", tmp_path / "2.parquet"

    broken.write_bytes(thrift.with_page(whole, 1, 2, page_values(0)))
    valid.write_bytes(whole)
    output = tmp_path / "out.parquet"
    arguments = ["convert", broken, valid, *schema, "-o", output, "--overwrite"]
    for on_error in ("fail", "skip"):
        outcome = run(*arguments, f"--on-error={on_error}")
        assert outcome.exit_code == 1
        assert "1.parquet row " in outcome.stderr and "pass --on-damaged-file=rest" in outcome.stderr
    done = document(*arguments, "--on-damaged-file=rest")
    (of_file,) = done["damaged_files"]
    assert of_file["file"] == str(broken) and of_file["left_out"] == "rest"
    kept = of_file["record"]
    assert 40 <= kept < ROWS
    assert pq.read_table(output)["x"].to_pylist() == [*range(kept), *range(ROWS)]
    done = document(*arguments, "--on-damaged-file=skip")
    assert [file["left_out"] for file in done["damaged_files"]] == ["file"]
    assert pq.read_table(output)["x"].to_pylist() == [*range(ROWS)]
    broken.write_bytes(whole[: len(whole) // 2])  # without a footer, nothing can be read
    assert document(*arguments, "--on-damaged-file=rest")["rows"] == ROWS


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_file_that_cannot_be_opened_and_the_schema_of_the_others(schema, whole, tmp_path, ending):
    cut, valid, output = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}", tmp_path / "out.parquet"
    (tmp_path / "whole.parquet").write_bytes(whole)
    succeed("convert", tmp_path / "whole.parquet", *schema, "-o", valid)
    cut.write_bytes(valid.read_bytes()[:-20])  # without its footer
    for options in [(), ("--select", "x"), ("--on-error=skip",), ("--from", ending)]:
        for inputs in [(cut,), (valid, cut), (cut, valid)]:
            outcome = run("convert", *inputs, *options, "-o", output)
            assert outcome.exit_code == 1 and f"{cut}: the file is damaged" in outcome.stderr, options
            assert "no schema" not in outcome.stderr

    for policy, left_out in [("rest", "rest"), ("skip", "file")]:
        for inputs in [(valid, cut), (cut, valid)]:
            done = document("convert", *inputs, f"--on-damaged-file={policy}", "-o", output, "--overwrite")
            assert done["rows"] == ROWS and pq.read_table(output)["x"].to_pylist() == [*range(ROWS)]
            assert [(file["file"], file["left_out"]) for file in done["damaged_files"]] == [(str(cut), left_out)]
        # Without the other file, there is no schema.
        outcome = run("convert", cut, f"--on-damaged-file={policy}", "-o", output, "--overwrite")
        assert outcome.exit_code == 1 and f"{cut}: the file is damaged" in outcome.stderr
        assert "no other file has a schema: name a .proto file with --proto" in outcome.stderr
    assert len(document("head", cut, valid, "-n", ROWS, "--on-damaged-file=rest")["rows"]) == ROWS
    for verb in ("stats", "validate"):  # which read on after damage
        done = document(verb, cut, valid, exit_code=1)
        assert done["messages"] == ROWS and [file["file"] for file in done["damaged_files"]] == [str(cut)]


# --- Columns without values, which are not read when messages are made


def all_null(footer):
    """Statistics that count only nulls, beside a range of values."""
    for group in thrift.groups_of(footer):
        for column in thrift.columns_of(group):
            thrift.set_field(column[thrift.CHUNK_STATISTICS][1], thrift.STATISTICS_NULLS, column[thrift.CHUNK_VALUES][1])


def all_absent(footer):
    """Counts of levels that say so, too."""
    all_null(footer)
    for group in thrift.groups_of(footer):
        for column in thrift.columns_of(group):
            levels = column[thrift.CHUNK_SIZES][1][thrift.SIZES_DEFINITION_LEVELS][1][1]
            levels[:] = [sum(levels)] + [0] * (len(levels) - 1)


@pytest.mark.parametrize("change", [all_null, all_absent])
def test_metadata_that_contradict_each_other_hide_no_values(whole, schema, tmp_path, change):
    (tmp_path / "whole.parquet").write_bytes(whole)
    path = damaged(tmp_path, thrift.with_footer(whole, change))
    messages = [succeed("convert", file, *schema, "--to", "delimited").stdout for file in (tmp_path / "whole.parquet", path)]
    assert messages[0] == messages[1] and len(messages[0]) > ROWS


@pytest.mark.parametrize("values", [True, False])
def test_a_damaged_page_of_a_column_without_values(schema, tmp_path, values):
    table = pa.table({"x": pa.array(range(ROWS), pa.int32()), "b": pa.array([b"1" if values else None] * ROWS, pa.binary())})
    pq.write_table(table, tmp_path / "whole.parquet", compression="none", use_dictionary=False)
    data = (tmp_path / "whole.parquet").read_bytes()
    column = thrift.columns_of(thrift.groups_of(thrift.footer_of(data))[0])[1]
    begin, size = column[thrift.CHUNK_FIRST_PAGE][1], column[thrift.CHUNK_COMPRESSED_BYTES][1]
    path = damaged(tmp_path, data[:begin] + b"\xff" * size + data[begin + size :])
    outcome = run("convert", path, *schema, "-o", tmp_path / "x.pb")
    assert outcome.exit_code == (1 if values else 0)  # it is not read
    succeed("convert", path, *schema, "-o", tmp_path / "y.pb", "--on-damaged-file=skip")
    assert (tmp_path / "y.pb").read_bytes() == b""


def test_a_file_without_rows_may_have_other_columns(schema, tmp_path):
    other = pa.table({"x": pa.array([], pa.int32()), "other": pa.array([], pa.int32())})
    pq.write_table(other, tmp_path / "none.parquet")
    pq.write_table(pa.table({"x": pa.array([1], pa.int32())}), tmp_path / "one.parquet")
    files = tmp_path / "none.parquet", tmp_path / "one.parquet"
    assert succeed("convert", *files, *schema, "--to", "delimited").stdout == b"\x02\x08\x01"
