"""s3:// and gs:// paths of the command: a server in this process has the objects, and is the judge of what is there."""

import gzip
import json
import os
import signal
import subprocess
import threading

import commands
import framing
import pyarrow.parquet as pq
import pytest
import s3_server
from structtensor_command import SCHEMA, run, succeed

COUNT = 1000


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name, value in s3_server.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def s3():
    with s3_server.running("data", "out") as server:
        yield server


@pytest.fixture(scope="module")
def payloads(recipes):
    messages = [recipes.message_class(title=f"recipe {i % 7}", minutes=i) for i in range(COUNT)]
    for i, message in enumerate(messages):
        message.ingredients.add(name=f"ingredient {i}" + " of flour" * (i % 50), unit="GRAM")
    return [message.SerializeToString(deterministic=True) for message in messages]


def fail(*arguments):
    """The one line of a run that fails."""
    outcome = run(*arguments)
    assert outcome.exit_code == 1, outcome
    lines = outcome.stderr.splitlines()
    assert len(lines) == 1, outcome.stderr
    return lines[0]


def minutes_in(path):
    return pq.ParquetFile(path).read(["minutes"]).column(0).to_pylist()


def split_evenly(payloads, count):
    size = -(-len(payloads) // count)
    return [payloads[i : i + size] for i in range(0, len(payloads), size)]


# --- there and back


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows", "jsonl", "npz", "pb", "tfrecord"])
def test_what_is_written_is_what_is_written_to_files(s3, payloads, ending, tmp_path):
    s3.objects["data"]["recipes.pb"] = framing.frame_delimited(payloads)
    (tmp_path / "recipes.pb").write_bytes(s3.objects["data"]["recipes.pb"])
    remote = f"s3://out/deep/er/rows.{ending}{s3.options}"
    outcome = succeed("convert", f"s3://data/recipes.pb{s3.options}", *SCHEMA, "-o", remote)
    assert f"wrote s3://out/deep/er/rows.{ending} (" in outcome.stderr
    local = tmp_path / f"rows.{ending}"
    succeed("convert", tmp_path / "recipes.pb", *SCHEMA, "-o", local)
    assert list(s3.objects["out"]) == [f"deep/er/rows.{ending}"]
    assert s3.objects["out"][f"deep/er/rows.{ending}"] == local.read_bytes()
    assert s3.uploads == {}
    if ending in ("parquet", "arrow", "arrows"):
        # N of N come back from our own columns, which have their schema.
        succeed("convert", remote, "-o", f"s3://out/back.pb{s3.options}")
        assert s3.objects["out"]["back.pb"] == framing.frame_delimited(payloads)
        assert succeed("count", remote).stdout.decode() == f"1,000 rows  s3://out/deep/er/rows.{ending}\n"


FRAMINGS = ["delimited", "tfrecord", "length32", "length32le", "grpc"]


@pytest.mark.parametrize("framing_name", FRAMINGS)
def test_all_framings_and_compressions_are_read(s3, payloads, framing_name, tmp_path):
    plain = tmp_path / "plain.pb"
    plain.write_bytes(framing.frame_delimited(payloads))
    framed = tmp_path / "framed"
    succeed("convert", plain, *SCHEMA, "--to", framing_name, "-o", framed)
    zstd = subprocess.run(["zstd", "-q", "-c", framed], check=True, capture_output=True).stdout
    lz4 = subprocess.run(["lz4", "-q", "-c", framed], check=True, capture_output=True).stdout
    plain_bytes = framed.read_bytes()
    for name, content in {"": plain_bytes, ".gz": gzip.compress(plain_bytes), ".zst": zstd, ".lz4": lz4}.items():
        s3.objects["data"][f"framed{name}"] = content
        back = tmp_path / f"back{name}.pb"
        outcome = succeed("convert", f"s3://data/framed{name}{s3.options}", *SCHEMA, "--to", "delimited", "-o", "-", "--quiet")
        assert outcome.stdout == plain.read_bytes(), back


def test_a_folder_and_a_pattern_name_files(s3, payloads):
    parts = split_evenly(payloads, 8)
    names = [f"day={i // 4}/{'b' if i % 2 else 'a'} {i}.pb" for i in range(8)]
    for name, part in zip(names, parts):
        s3.objects["data"][f"spans/{name}"] = framing.frame_delimited(part)
    junk = ["spans/_SUCCESS", "spans/.hidden/x.pb", "spans/other/no.pb", "spans/day=0/.tmp", "spans/day=1/_x", "spans2/x.pb"]
    for name in junk:
        s3.objects["data"][name] = b"\xff\xff"
    in_order = [payload for name, part in sorted(zip(names, parts)) for payload in part]

    def read(path, *arguments):
        outcome = succeed(
            "convert", f"s3://data/{path}{s3.options}", *SCHEMA, "--to", "delimited", "-o", "-", "--quiet", *arguments
        )
        return outcome.stdout

    assert read("spans") == read("spans/") == read("spans", "-j", 4) == framing.frame_delimited(in_order)
    assert read("spans/day=*/*.pb") == framing.frame_delimited(in_order)
    only_a = [payload for name, part in sorted(zip(names, parts)) if "/a " in name for payload in part]
    assert read("sp*/*=*/a*.p*b") == framing.frame_delimited(only_a)
    assert read("spans/day=1/*.pb", "--limit", 3).startswith(framing.frame_delimited(sorted(zip(names, parts))[4][1][:3]))
    assert "s3://data/spans/nothing*.pb: no file matches" in fail(
        "count", f"s3://data/spans/nothing*.pb{s3.options}"
    )
    assert "s3://data/missing: there is no such file or folder" in fail("count", f"s3://data/missing{s3.options}")
    assert "s3://data/spans/other/*/x: no file matches" in fail("count", f"s3://data/spans/other/*/x{s3.options}")
    s3.objects["data"] = {"only/_SUCCESS": b""}
    assert "s3://data/only: a folder without files" in fail("count", f"s3://data/only{s3.options}")


def test_the_bucket_is_a_folder(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads[:2])
    s3.objects["data"]["b.pb"] = framing.frame_delimited(payloads[2:5])
    document = json.loads(succeed("count", f"s3://data{s3.options}", "--json").stdout)
    assert [(file["file"], file["messages"]) for file in document["files"]] == [("s3://data/a.pb", 2), ("s3://data/b.pb", 3)]


def test_partitions_go_there_and_come_back(s3, payloads, recipes, tmp_path):
    source = tmp_path / "recipes.pb"
    source.write_bytes(framing.frame_delimited(payloads))
    folder = f"s3://out/by/title{s3.options}"
    arguments = ["convert", source, *SCHEMA, "--partition-by", "title", "-o", folder]
    assert "wrote s3://out/by/title (7 files, " in succeed(*arguments).stderr
    assert sorted(s3.objects["out"]) == [f"by/title/title=recipe%20{i}/part-0.parquet" for i in range(7)]
    outcome = succeed("convert", folder, "--to", "delimited", "-o", "-", "--quiet")
    back = tmp_path / "back.pb"
    back.write_bytes(outcome.stdout)
    read = [recipes.message_class.FromString(payload) for payload in framing.read_delimited(back)]
    assert sorted(message.SerializeToString(deterministic=True) for message in read) == sorted(payloads)
    assert "s3://out/by/title exists already" in fail(*arguments)
    assert "cannot be replaced" in fail(*arguments, "--overwrite")
    assert len(s3.objects["out"]) == 7


def test_columns_have_the_name_without_options(s3, payloads, tmp_path):
    s3.objects["data"]["größe 1.pb"] = framing.frame_delimited(payloads[:3])
    path = f"s3://key:secret@data/größe 1.pb{s3.options}"
    succeed("convert", path, *SCHEMA, "--with-filename", "--where", "minutes < 2", "-o", tmp_path / "rows.parquet")
    assert pq.read_table(tmp_path / "rows.parquet")["filename"].to_pylist() == ["s3://data/größe 1.pb"] * 2
    assert minutes_in(tmp_path / "rows.parquet") == [0, 1]
    for arguments in (["inspect", path], ["count", path], ["convert", path, *SCHEMA, "-o", "x.parquet", "--dry-run"]):
        shown = succeed(*arguments).stdout.decode()
        assert "s3://data/größe 1.pb" in shown
        assert "secret" not in shown
        assert "endpoint" not in shown


def test_verbs_take_remote_paths(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads)
    path = f"s3://data/a.pb{s3.options}"
    assert "1,000 of 1,000" in succeed("validate", path, *SCHEMA).stdout.decode()
    assert json.loads(succeed("head", path, *SCHEMA, "-n", 1, "--json").stdout)["rows"][0]["title"] == "recipe 0"
    assert json.loads(succeed("stats", path, *SCHEMA, "--json").stdout)["messages"] == COUNT
    assert "delimited" in succeed("inspect", path).stdout.decode()


def test_a_dry_run_makes_nothing_and_fails_as_the_run(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads)
    arguments = ["convert", f"s3://data/a.pb{s3.options}", *SCHEMA, "--dry-run", "-o"]
    assert (
        "output: s3://out/rows.parquet (parquet)" in succeed(*arguments, f"s3://out/rows.parquet{s3.options}").stdout.decode()
    )
    assert s3.objects["out"] == {}
    s3.objects["out"]["rows.parquet"] = b"old"
    assert "s3://out/rows.parquet exists already" in fail(*arguments, f"s3://out/rows.parquet{s3.options}")
    assert {method for method, _, _ in s3.requests} <= {"GET", "HEAD"}


def test_a_long_file_is_read_in_ranges(s3, payloads):
    s3.objects["data"]["long.pb"] = framing.frame_delimited(payloads) * 300  # some 20 MB
    size = len(s3.objects["data"]["long.pb"])
    path = f"s3://data/long.pb{s3.options}"
    assert json.loads(succeed("count", path, "--json").stdout)["messages"] == 300 * COUNT
    ranges = [wanted for method, _, wanted in s3.requests if method == "GET" and wanted]
    sizes = [int(wanted.partition("-")[2]) - int(wanted.removeprefix("bytes=").partition("-")[0]) + 1 for wanted in ranges]
    assert max(sizes) <= 4 << 20
    assert size <= sum(sizes) <= size + 4096  # and the first bytes, by which it is known
    # To read one record, the file is not fetched whole.
    s3.requests.clear()
    succeed("head", path, *SCHEMA, "-n", 1)
    ranges = [wanted for method, _, wanted in s3.requests if method == "GET" and wanted]
    assert sum(int(w.partition("-")[2]) - int(w.removeprefix("bytes=").partition("-")[0]) + 1 for w in ranges) < 10 << 20


# --- what must not appear


def test_nothing_is_replaced_without_overwrite(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads)
    s3.objects["out"]["rows.jsonl"] = b"old"
    arguments = ["convert", f"s3://data/a.pb{s3.options}", *SCHEMA, "-o", f"s3://out/rows.jsonl{s3.options}"]
    assert "s3://out/rows.jsonl exists already (pass --overwrite to replace it)" in fail(*arguments)
    assert s3.objects["out"]["rows.jsonl"] == b"old"
    succeed(*arguments, "--overwrite")
    assert s3.objects["out"]["rows.jsonl"].count(b"\n") == COUNT


def test_a_run_that_fails_leaves_no_object(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads) + b"\x05\x0a\xff"
    arguments = ["convert", f"s3://data/a.pb{s3.options}", *SCHEMA]
    for output in (
        ["-o", f"s3://out/rows.parquet{s3.options}"],
        ["--partition-by", "title", "-o", f"s3://out/rows{s3.options}"],
    ):
        assert run(*arguments, *output).exit_code == 1
        assert "s3://data/a.pb record 1000" in run(*arguments, *output).stderr
    assert s3.objects["out"] == {}
    assert s3.uploads == {}
    assert {method for method, _, _ in s3.requests} <= {"GET", "HEAD"}


@pytest.mark.parametrize("part", [1, 2, 4])
def test_an_upload_that_fails_leaves_no_object(s3, payloads, part):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads) * 600  # 4 parts
    s3.fails = lambda method, path: (403, "AccessDenied") if method == "PUT" and f"partNumber={part}" in path else None
    output = f"s3://out/rows.pb{s3.options}"
    line = fail("convert", f"s3://data/a.pb{s3.options}", *SCHEMA, "-o", output, "--quiet")
    assert any(f"partNumber={part}" in path for _, path, _ in s3.requests)
    assert "cannot write s3://out/rows.pb: no right to do this, or no credentials" in line
    assert s3.objects["out"] == {}
    # What fails with the last part, when Arrow ends the upload, it does not abort any more.
    assert s3.uploads == {} or part == 4


def test_a_folder_does_not_appear_if_one_file_cannot_be_uploaded(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads)
    s3.fails = lambda method, path: (
        (403, "AccessDenied") if method in ("POST", "PUT") and "recipe%2520" in path and "5/" in path else None
    )
    by_title = ["--partition-by", "title", "--quiet"]
    line = fail("convert", f"s3://data/a.pb{s3.options}", *SCHEMA, *by_title, "-o", f"s3://out/rows{s3.options}")
    assert "cannot write s3://out/rows/title=recipe%205/part-0.parquet: no right" in line
    # Arrow leaves empty objects that represent folders.
    assert [key for key, content in s3.objects["out"].items() if content] == []
    assert s3.uploads == {}


def interrupt(s3, signal_number, *arguments):
    """Runs a command and sends it a signal while it uploads the second part. Returns its exit code."""
    uploading, go_on = threading.Event(), threading.Event()

    def wait(number):
        if number == 2:
            uploading.set()
            assert go_on.wait(60)

    s3.before_part = wait
    # Tests that a shell starts in the background ignore SIGINT, and so do all processes that they start.
    defaults = ["env", f"--default-signal={signal.Signals(signal_number).name}"]
    process = subprocess.Popen([*defaults, commands.command_path("structtensor"), *map(str, arguments)], stderr=subprocess.PIPE)
    assert uploading.wait(60)
    process.send_signal(signal_number)
    go_on.set()
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors.decode()


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_upload_and_leaves_nothing(s3, payloads, signal_number):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads) * 1500  # 100 MB, more than is under way at a time
    arguments = ["convert", f"s3://data/a.pb{s3.options}", *SCHEMA, "-o", f"s3://out/rows.pb{s3.options}", "--quiet"]
    assert interrupt(s3, signal_number, *arguments) == (-signal_number, "")
    assert s3.objects["out"] == {}
    assert s3.uploads == {}


# --- errors


def test_errors_are_one_line_with_the_path(s3, payloads, tmp_path):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads)
    rows = tmp_path / "rows.parquet"
    read = lambda path: fail("convert", path + s3.options, *SCHEMA, "-o", rows)  # noqa: E731
    assert "s3://data/no.pb: there is no such file or folder" in read("s3://data/no.pb")
    assert "s3://missing/no.pb: there is no such" in read("s3://missing/no.pb")
    write = lambda path: fail("convert", f"s3://data/a.pb{s3.options}", *SCHEMA, "-o", path + s3.options)  # noqa: E731
    assert "cannot write s3://missing/x.parquet: there is no such bucket" in write("s3://missing/x.parquet")
    assert "cannot write s3://out/*.parquet: '*' is a wildcard" in write("s3://out/*.parquet")
    s3.objects["out"]["x.parquet/file"] = b""
    assert "cannot write s3://out/x.parquet: it is a directory" in write("s3://out/x.parquet")
    s3.fails = lambda method, path: (403, "AccessDenied")
    assert "s3://data/a.pb: no right to do this, or no credentials" in read("s3://data/a.pb")
    assert not rows.exists()


def test_no_answer_is_an_error_in_bounded_time(monkeypatch, payloads):
    with s3_server.running("data") as server:
        options = server.options
    line = fail("count", f"s3://data/a.pb{options}")
    assert "s3://data/a.pb: no S3 or GCS server answers" in line
    line = fail("convert", os.devnull, *SCHEMA, "-o", f"s3://data/a.parquet{options}")
    assert "cannot write s3://data/a.parquet: no S3 or GCS server answers" in line
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    fail("count", f"s3://data/a.pb{options}")
    port = options.partition("127.0.0.1:")[2].partition("&")[0]
    line = fail("count", f"gs://anonymous@data/a.pb?endpoint_override=127.0.0.1:{port}&scheme=http&retry_limit_seconds=1")
    assert "gs://data/a.pb: " in line


def test_options_that_are_none_say_so():
    assert "s3://data/a.pb: " in fail("count", "s3://data/a.pb?region=x&colour=blue")
    assert "colour" in fail("count", "s3://data/a.pb?region=x&colour=blue")
    assert "gs://data/a.pb: " in fail("count", "gs://data/a.pb?colour=blue")


def test_dead_letters_are_of_this_machine(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads)
    line = fail("convert", f"s3://data/a.pb{s3.options}", *SCHEMA, "-o", "-", "--dead-letters", f"s3://out/bad.pb{s3.options}")
    assert "--dead-letters: s3://out/bad.pb: dead letters are written one by one" in line


def test_a_file_that_breaks_off_is_an_error_with_its_name(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads) * 300
    s3.fails = lambda method, path: (500, "InternalError") if len(s3.requests) > 8 else None
    line = fail("count", f"s3://data/a.pb{s3.options}")
    assert "s3://data/a.pb" in line


def test_a_closed_pipe_ends_the_command(s3, payloads):
    s3.objects["data"]["a.pb"] = framing.frame_delimited(payloads) * 300
    arguments = ["convert", f"s3://data/a.pb{s3.options}", *map(str, SCHEMA), "-o", "-", "--quiet"]
    command = [commands.command_path("structtensor"), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().startswith(b'{"title"')
    process.stdout.close()
    assert process.wait(60) == -signal.SIGPIPE
    assert process.stderr.read() == b""
