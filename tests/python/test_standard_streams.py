"""Standard streams as daemons, cron and event loops leave them: closed, or non-blocking."""

import fcntl
import os
import subprocess
import time

import commands
import framing
import pytest
from structtensor_command import SCHEMA

CONVERTER = "recipe_to_columns"
OUTPUTS = ["a.parquet", "a.arrow", "a.jsonl", "a.json", "a.pb", "a.npz", "a.csv"]


def run_in_shell(redirections, *command, **options):
    """Runs a command with redirections such as 2>&-."""
    shell = ["sh", "-c", f'exec "$0" "$@" {redirections}', *map(str, command)]
    return subprocess.run(shell, capture_output=True, timeout=60, check=False, **options)


@pytest.fixture
def broken(recipes, tmp_path):
    """A file whose second message is skipped and reported."""
    path = tmp_path / "broken.pb"
    path.write_bytes(framing.frame_delimited([recipes.payloads[0], b"\x0a\x7f", *recipes.payloads]))
    return path


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_closed_streams_leave_outputs_alone(broken, output, closed, tmp_path):
    choice = ["--select", "title"] if output == "a.csv" else []
    for command in (["structtensor", "convert", *SCHEMA], [CONVERTER]):
        command = [commands.command_path(command[0]), *command[1:], broken, *choice, "--on-error", "skip", "--overwrite"]
        expected = tmp_path / f"expected_{output}"
        assert subprocess.run([*map(str, command), "-o", expected], capture_output=True, check=False).returncode == 0
        done = run_in_shell(closed, *command, "-o", tmp_path / output)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / output).read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("command", ["structtensor", CONVERTER])
def test_a_closed_input_is_an_error(command, tmp_path):
    arguments = ["convert", *SCHEMA] if command == "structtensor" else []
    done = run_in_shell("<&-", commands.command_path(command), *arguments, "-", "-o", tmp_path / "a.parquet")
    assert (done.returncode, b"<stdin>: cannot read: Bad file descriptor" in done.stderr) == (1, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [["-o", "-"], ["-o", "-", "--to", "parquet"], ["--head", "1"], ["--show-spec"]])
def test_a_closed_output_is_an_error(source, arguments):
    for command in (["structtensor", "convert", *SCHEMA], [CONVERTER]):
        done = run_in_shell(">&-", commands.command_path(command[0]), *command[1:], source, *arguments)
        assert done.returncode == 1
        assert b"Bad file descriptor" in done.stderr or b"cannot write to standard output" in done.stderr


# --- non-blocking pipes, as node.js, tmux, ssh and event loops leave them


@pytest.fixture(scope="module")
def many(recipes, tmp_path_factory):
    """Messages that do not fit into a pipe."""
    path = tmp_path_factory.mktemp("many") / "many.pb"
    path.write_bytes(framing.frame_delimited(recipes.payloads * 4000))
    return path


VERBS = [["convert", "-o", "-", "--to", form] for form in ("parquet", "arrows", "jsonl", "json", "delimited", "csv", "npz")]
VERBS += [["convert", "--head", "3000"], ["head", "-n", "3000"], ["head", "-n", "3000", "--json"]]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_writing_to_a_non_blocking_pipe_waits(many, verb):
    choice = ["--select", "title"] if "csv" in verb else []
    if "arrows" in verb:
        choice = ["--compression", "none"]  # more than a pipe holds
    command = [commands.command_path("structtensor"), verb[0], many, *verb[1:], *SCHEMA, *choice]
    expected = subprocess.run([*map(str, command)], capture_output=True, check=True).stdout
    assert len(expected) > 1 << 16 or "parquet" in verb
    end, its_end = os.pipe()
    fcntl.fcntl(its_end, fcntl.F_SETFL, os.O_NONBLOCK)
    with subprocess.Popen([*map(str, command)], stdout=its_end, stderr=subprocess.PIPE) as process:
        os.close(its_end)
        received = b""
        time.sleep(0.1)
        while piece := os.read(end, 50_000):
            received += piece
            time.sleep(0.001)
        said = process.stderr.read()
        assert process.wait(timeout=60) == 0, said
    os.close(end)
    assert received == expected


def test_reading_from_a_non_blocking_pipe_waits(many, tmp_path):
    end, its_end = os.pipe()
    fcntl.fcntl(end, fcntl.F_SETFL, os.O_NONBLOCK)
    command = [commands.command_path("structtensor"), "convert", "-", *SCHEMA, "-o", tmp_path / "a.pb"]
    with subprocess.Popen([*map(str, command)], stdin=end, stderr=subprocess.PIPE) as process:
        os.close(end)
        data = many.read_bytes()
        time.sleep(0.1)
        with open(its_end, "wb", buffering=0) as pipe:
            for begin in range(0, len(data), 20_000):
                pipe.write(data[begin : begin + 20_000])
                time.sleep(0.001)
        said = process.stderr.read()
        assert process.wait(timeout=60) == 0, said
    assert len(list(framing.read_delimited(tmp_path / "a.pb"))) == 12000


# --- limits of the system


def test_too_little_memory_is_an_error(tmp_path):
    for arguments in (["--from", "json"], ["--from", "hex"], ["--from", "textproto"], ["--from", "csv"]):
        done = run_in_shell(
            "", "sh", "-c", 'ulimit -v 700000; exec "$0" "$@"', commands.command_path("structtensor"), "convert", *SCHEMA,
            "/dev/zero", *arguments, "-o", tmp_path / "a.parquet",
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert done.stderr.startswith(b"structtensor: not enough memory (lower --jobs, ")
        assert done.stderr.count(b"\n") == 1
        assert not list(tmp_path.iterdir())


def test_a_file_that_exceeds_the_limit_of_its_size_is_an_error(many, tmp_path):
    done = run_in_shell(
        "", "sh", "-c", 'ulimit -f 8; exec "$0" "$@"', commands.command_path("structtensor"), "convert", *SCHEMA, many,
        "-o", tmp_path / "a.jsonl",
    )  # fmt: skip
    assert done.returncode == 1
    assert b"File too large" in done.stderr
    assert not list(tmp_path.iterdir())
