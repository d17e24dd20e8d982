"""The command of the package, which reads and writes files of columns by pyarrow."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import structtensor as st

HERE = pathlib.Path(__file__).resolve().parent


def run(*arguments, **options):
    command = [sys.executable, "-m", "structtensor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, **options)


def succeed(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A folder with person.proto and person.pb: three messages of various fields."""
    folder = tmp_path_factory.mktemp("people")
    (folder / "person.proto").write_text(
        'syntax = "proto3"; message Address { string street = 3; } message Person { string name = 1; optional int64 age = 2; '
        "repeated string nicks = 4; Address home = 5; bytes key = 6; map<string, int32> scores = 7; }"
    )
    schema = st.Schema.from_proto(str(folder / "person.proto"), message="Person")
    messages = [
        b"\x0a\x03ann\x10\x1e\x22\x01a\x22\x01b\x2a\x05\x1a\x03one\x32\x02\x00\xff\x3a\x05\x0a\x01x\x10\x01",
        b"\x0a\x03bob",
        b"\x0a\x03cid\x10\x00\x22\x01c\x2a\x00\x32\x01k"
        b"\x3a\x0e\x0a\x01y\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x3a\x05\x0a\x01z\x10\x02",
    ]
    decoded = schema.decoder("Person").decode(messages)
    assert [row["name"] for row in decoded.to_py()] == ["ann", "bob", "cid"]
    (folder / "person.pb").write_bytes(b"".join(bytes([len(m)]) + m for m in messages))
    return folder


def chosen(people):
    return "-p", people / "person.proto", "-m", "Person"


def test_version_and_help():
    assert succeed("--version").stdout.startswith(f"structtensor {st.__version__} (protobuf ")
    assert "convert" in succeed("--help").stdout


def test_mistakes_have_the_exit_code_of_usage():
    done = run("convrt")
    assert done.returncode == 2 and "did you mean" in done.stderr


@pytest.mark.parametrize("ending", ["arrow", "arrows"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_one_job_compresses_in_its_own_thread(people, tmp_path, ending, jobs):
    rows = tmp_path / f"rows.{ending}"
    arguments = ["convert", people / "person.pb", *chosen(people), "-o", rows, "--compression=zstd", "-j", jobs]
    # The threads of pyarrow's pool stay when the command is done.
    script = (
        "import os, sys, pyarrow as pa, pyarrow.parquet, pyarrow.csv; from structtensor import __main__;"
        "count = lambda: len(os.listdir('/proc/self/task'));"
        "before = count(); assert __main__.main() == 0; print(count() - before)"
    )
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert (int(done.stdout.split()[-1]) > 0) == (jobs > 1)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_columns_there_and_back(people, tmp_path, ending):
    columns, back = tmp_path / f"rows.{ending}", tmp_path / "back.pb"
    succeed("convert", people / "person.pb", *chosen(people), "-o", columns)
    if ending == "parquet":
        table = pq.read_table(columns)
        assert pq.ParquetFile(columns).metadata.row_group(0).column(0).compression == "ZSTD"
    else:
        source = pa.OSFile(str(columns))
        table = (pa.ipc.open_file(source) if ending == "arrow" else pa.ipc.open_stream(source)).read_all()
    assert table.column("name").to_pylist() == ["ann", "bob", "cid"]
    assert table.column("age").to_pylist() == [30, None, 0]
    assert table.column("home").to_pylist() == [{"street": "one"}, None, {"street": ""}]
    assert table.column("scores").to_pylist() == [[("x", 1)], [], [("y", -1), ("z", 2)]]
    # Field numbers, those of structs in structs, too.
    assert table.schema.field("nicks").metadata[b"PARQUET:field_id"] == b"4"
    assert table.schema.field("home").type.field("street").metadata[b"PARQUET:field_id"] == b"3"
    assert b"structtensor.descriptor_set" in table.schema.metadata
    succeed("convert", columns, "-o", back)  # the schema is in the file
    both = [
        succeed("convert", path, *chosen(people), "-o", "-", "--to", "rows").stdout for path in (people / "person.pb", back)
    ]
    assert both[0] == both[1]


@pytest.mark.parametrize(
    ("ending", "compression", "level"),
    [("parquet", "gzip", 9), ("parquet", "lz4", None), ("parquet", "zstd", 22), ("arrow", "lz4", None), ("arrows", "zstd", 1)],
)
def test_compression(people, tmp_path, ending, compression, level):
    columns = tmp_path / f"rows.{ending}"
    options = ["--compression", compression, *(["--compression-level", str(level)] if level else [])]
    succeed("convert", people / "person.pb", *chosen(people), "-o", columns, *options)
    if ending == "parquet":
        table = pq.read_table(columns)
        assert pq.ParquetFile(columns).metadata.row_group(0).column(0).compression == compression.upper()
    else:
        source = pa.OSFile(str(columns))
        table = (pa.ipc.open_file(source) if ending == "arrow" else pa.ipc.open_stream(source)).read_all()
        magic = {"lz4": b"\x04\x22\x4d\x18", "zstd": b"\x28\xb5\x2f\xfd"}[compression]
        assert magic in columns.read_bytes()
    assert table.column("name").to_pylist() == ["ann", "bob", "cid"]


@pytest.mark.parametrize(
    ("ending", "options", "words"),
    [
        ("arrow", ["--compression", "gzip"], "--compression=gzip: Arrow files take none, lz4 or zstd"),
        ("parquet", ["--compression-level", "23"], "'23' is not allowed: it takes a whole number from 1 to 22"),
        ("parquet", ["--compression", "lz4", "--compression-level", "1"], "lz4 has no levels"),
    ],
)
def test_compressions_that_do_not_exist(people, tmp_path, ending, options, words):
    done = run("convert", people / "person.pb", *chosen(people), "-o", tmp_path / f"rows.{ending}", *options)
    assert done.returncode == 2 and words in done.stderr


def test_csv(people, tmp_path):
    columns = tmp_path / "rows.csv"
    succeed("convert", people / "person.pb", *chosen(people), "--drop", "nicks", "--drop", "scores", "-o", columns)
    table = pyarrow.csv.read_csv(columns)
    assert table.column_names == ["name", "age", "home.street", "key"]
    assert table.column("key").to_pylist() == ["AP8=", "", "aw=="]
    done = run("convert", people / "person.pb", *chosen(people), "-o", tmp_path / "all.csv")
    assert done.returncode == 1 and "CSV cannot hold the repeated field nicks" in done.stderr
    assert not (tmp_path / "all.csv").exists()


def test_row_groups_and_flushes(people, tmp_path):
    many = tmp_path / "many.pb"
    many.write_bytes((people / "person.pb").read_bytes() * 5000)
    out = tmp_path / "parts"
    done = succeed("convert", many, *chosen(people), "--partition-by", "name", "-o", out)
    assert sorted(p.name for p in out.iterdir()) == ["name=ann", "name=bob", "name=cid"]
    assert done.stderr.count("Exception ignored") == 0  # of pyarrow's writers that are not needed
    assert pq.read_table(out, partitioning="hive").num_rows == 15000


def test_schema_strings(people):
    text = succeed("schema", *chosen(people), "--to", "parquet").stdout
    assert text.startswith("required group field_id=-1 schema {") and "field_id=3 street" in text


def test_damaged_files_are_damage(people, tmp_path):
    columns = tmp_path / "rows.parquet"
    succeed("convert", people / "person.pb", *chosen(people), "-o", columns)
    whole = columns.read_bytes()
    columns.write_bytes(whole[: len(whole) // 2])
    done = run("convert", columns, *chosen(people), "-o", tmp_path / "back.pb")
    assert done.returncode == 1 and "rows.parquet row 0: the file is damaged" in done.stderr
    assert not (tmp_path / "back.pb").exists()


@pytest.mark.parametrize(
    ("unit", "durations"),
    [
        ("s", [(0, 0), (-90, 0), (315576000000, 0)]),
        ("ms", [(0, 0), (1, 500000000), (-1, -500000000), (0, -1000000)]),
        ("us", [(0, 0), (1, 500000000), (0, -7000), (61, 1000)]),
        ("ns", [(0, 0), (1, 500000000), (0, 7), (-1, -500000000), (9223372036, 854775807), (-9223372036, -854775807)]),
    ],
)
def test_csv_of_durations(unit, durations, tmp_path):
    (tmp_path / "lap.proto").write_text(
        'syntax = "proto3"; import "google/protobuf/duration.proto"; message Lap { string name = 1; Inner in = 2; '
        "message Inner { google.protobuf.Duration time = 1; } }"
    )
    schema = ["-p", tmp_path / "lap.proto", "-m", "Lap", "--timestamps", unit]
    strings = []
    for seconds, nanos in durations:
        sign = "-" if seconds < 0 or nanos < 0 else ""
        strings.append(f"{sign}{abs(seconds)}.{abs(nanos):09d}".rstrip("0").rstrip(".") + "s")
    rows = [f'{{"name":"{text}","in":{{"time":"{text}"}}}}' for text in strings] + ['{"name":"no time"}']
    (tmp_path / "laps.json").write_text("\n".join(rows))
    succeed("convert", "--from", "json", tmp_path / "laps.json", *schema, "-o", tmp_path / "laps.csv", "--quiet")
    lines = (tmp_path / "laps.csv").read_text().splitlines()
    assert lines == ['"name","in.time"', *(f'"{text}","{text}"' for text in strings), '"no time",']

    for name in ("laps.json", "laps.csv"):
        succeed("convert", tmp_path / name, *schema, "-o", tmp_path / f"{name}.parquet", "--quiet")
    again, first = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("laps.csv", "laps.json"))
    times = [table.column("in").combine_chunks().field("time").cast(pa.int64()).to_pylist() for table in (again, first)]
    assert times[0] == times[1] and times[0][-1] is None and None not in times[0][:-1]


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows", "csv"])
def test_a_run_that_fails_leaves_no_file(people, tmp_path, ending):
    many = tmp_path / "many.pb"
    rows = (people / "person.pb").read_bytes() * 20000
    many.write_bytes(rows[: len(rows) // 2] + b"\x02\x0a\x05" + rows[len(rows) // 2 :])
    dropped = ["--drop", "nicks", "--drop", "scores"] if ending == "csv" else []
    done = run("convert", many, *chosen(people), *dropped, "-o", tmp_path / f"rows.{ending}")
    # pyarrow completes a file when its writer is freed. No such file may be left.
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["many.pb"]


def test_a_full_disk_is_one_line(people):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "structtensor", "convert", str(people / "person.pb"), *map(str, chosen(people))]
        done = subprocess.run(
            [*command, "-o", "-", "--to", "parquet"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


def test_a_closed_pipe_ends_the_command(people, tmp_path):
    many = tmp_path / "many.pb"
    many.write_bytes((people / "person.pb").read_bytes() * 20000)
    command = [
        sys.executable,
        "-m",
        "structtensor",
        "convert",
        str(many),
        *map(str, chosen(people)),
        "-o",
        "-",
        "--to",
        "rows",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.stdout.close()
        stderr = process.stderr.read()
        code = process.wait(timeout=60)
    assert code == -signal.SIGPIPE and "Traceback" not in stderr


def test_without_pyarrow_the_formats_say_what_to_install(people, tmp_path):
    (tmp_path / "pyarrow.py").write_text("raise ImportError('not here')\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = run("convert", people / "person.pb", *chosen(people), "-o", tmp_path / "rows.parquet", env=environment)
    assert done.returncode == 1 and "pip install pyarrow" in done.stderr and "Traceback" not in done.stderr
    done = succeed("convert", people / "person.pb", *chosen(people), "-o", tmp_path / "rows.jsonl", env=environment)
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_files_have_the_types_that_annotations_ask_for(ending, tmp_path):
    (tmp_path / "order.proto").write_text(
        """
        syntax = "proto3";
        import "structtensor/options.proto";
        enum State { OPEN = 0; PAID = 1; }
        message Order {
          bytes id = 1 [(structtensor.field).fixed_size = 2];
          State state = 2 [(structtensor.field).enum_as = DICTIONARY];
        }
        """
    )
    # Numbers without a name, which come up in later batches.
    payloads = [b"\x0a\x02ab", b"\x10\x01", b"\x0a\x02cd\x10\x09", b"\x10\x05"] * 20
    (tmp_path / "orders.pb").write_bytes(b"".join(bytes([len(payload)]) + payload for payload in payloads))
    file = tmp_path / f"orders.{ending}"
    done = run("convert", tmp_path / "orders.pb", "-p", tmp_path / "order.proto", "-o", file, "--batch-size", 3)
    assert done.returncode == 0, done.stderr
    if ending == "parquet":
        table = pq.read_table(file)
    else:
        with pa.OSFile(str(file)) as source:
            table = (pa.ipc.open_file if ending == "arrow" else pa.ipc.open_stream)(source).read_all()
    assert table.schema.field("id").type == pa.binary(2)
    assert table.schema.field("state").type == pa.dictionary(pa.int32(), pa.string())
    assert table.column("id").to_pylist() == [b"ab", None, b"cd", None] * 20
    assert table.column("state").to_pylist() == ["OPEN", "PAID", "9", "5"] * 20
    again = tmp_path / "again.pb"
    done = run("convert", file, "-o", again)
    assert done.returncode == 0, done.stderr
    assert again.read_bytes() == (tmp_path / "orders.pb").read_bytes()


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("output", ["a.parquet", "a.jsonl", "a.pb"])
def test_closed_streams_leave_outputs_alone(people, output, closed, tmp_path):
    arguments = [people / "person.pb", "-p", people / "person.proto", "-m", "Person", "-o"]
    command = [sys.executable, "-m", "structtensor", "convert", *map(str, arguments)]
    subprocess.run([*command, tmp_path / f"expected_{output}"], check=True, capture_output=True)
    shell = ["sh", "-c", f'exec "$0" "$@" {closed}', *command, tmp_path / output]
    done = subprocess.run(shell, capture_output=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / output).read_bytes() == (tmp_path / f"expected_{output}").read_bytes()


def test_a_closed_input_is_an_error(people, tmp_path):
    command = [sys.executable, "-m", "structtensor", "convert", "-", "-p", people / "person.proto", "-m", "Person"]
    shell = ["sh", "-c", 'exec "$0" "$@" <&-', *map(str, command), "-o", tmp_path / "a.pb"]
    done = subprocess.run(shell, capture_output=True, check=False, timeout=100)
    assert (done.returncode, b"<stdin>: cannot read" in done.stderr) == (1, True), done.stderr
    assert not list(tmp_path.iterdir())


# --- SQL


@pytest.fixture
def without_duckdb(tmp_path):
    """An environment in which no DuckDB is found but that of Python."""
    pytest.importorskip("duckdb", minversion="1.4")
    (tmp_path / "bin").mkdir()
    return {**{k: v for k, v in os.environ.items() if k != "STRUCTTENSOR_DUCKDB"}, "PATH": str(tmp_path / "bin")}


def test_sql_takes_the_duckdb_of_python(people, without_duckdb):
    query = "SELECT name, age, len(nicks) AS nicks FROM t ORDER BY name"
    arguments = ["sql", query, people / "person.pb", *chosen(people), "--json"]
    rows = json.loads(succeed(*arguments, env=without_duckdb).stdout)["rows"]
    assert rows == [
        {"name": "ann", "age": 30, "nicks": 2},
        {"name": "bob", "age": None, "nicks": 0},
        {"name": "cid", "age": 0, "nicks": 1},
    ]
    failed = run("sql", "SELECT surname FROM t", people / "person.pb", *chosen(people), env=without_duckdb)
    assert failed.returncode == 1 and "surname" in failed.stderr


def test_other_duckdbs_come_first(people, without_duckdb, tmp_path):
    arguments = ["sql", "SELECT name FROM t", people / "person.pb", *chosen(people)]
    failed = run(*arguments, env={**without_duckdb, "STRUCTTENSOR_DUCKDB": str(tmp_path / "none.so")})
    assert failed.returncode == 1 and "none.so" in failed.stderr
    failed = run(*arguments, "--duckdb", tmp_path / "other.so", env=without_duckdb)
    assert failed.returncode == 1 and "other.so" in failed.stderr
    command = tmp_path / "bin" / "duckdb"
    command.write_text("#!/bin/sh\necho this is the command >&2; exit 1\n")
    command.chmod(0o755)
    failed = run(*arguments, env=without_duckdb)
    assert failed.returncode == 1 and "this is the command" in failed.stderr


# --- memory


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps freed memory")
@pytest.mark.parametrize("column", ["name", "nicks"])
def test_a_small_file_of_long_strings_takes_little_memory(people, tmp_path, column):
    name = "x" * (1 << 20)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({column: [name if column == "name" else [name]] * 500}), path)
    code = (
        "import pathlib, sys; from structtensor.__main__ import main; code = main(); "
        "status = pathlib.Path('/proc/self/status').read_text(); "
        "print(status.partition('VmHWM:')[2].split()[0], file=sys.stderr); sys.exit(code)"
    )
    peaks = []
    convert = ["convert", path, *chosen(people), "-o", tmp_path / "a.pb", "--quiet"]
    for verb in (["count", path], ["head", "-n", "1", path, *chosen(people)], convert):
        done = subprocess.run([sys.executable, "-c", code, *map(str, verb)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stderr.split()[-1]) << 10)
    assert max(peaks) - peaks[0] < 300 << 20, peaks
    assert (tmp_path / "a.pb").stat().st_size > 500 << 20
