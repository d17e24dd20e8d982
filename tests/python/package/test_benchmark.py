"""benchmarks/python, on little data: what it measures is compared, and what is wrong is not timed."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import delimited

pytestmark = pytest.mark.slow

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
BENCH = REPOSITORY / "benchmarks" / "python"


@pytest.fixture
def data(tmp_path):
    """A folder with a set by the name of a real one, of tf.Examples without any feature but one."""
    proto = tmp_path / "example.proto"
    proto.write_text(
        'syntax = "proto3"; package tensorflow; message Example { string name = 1; repeated int64 numbers = 2; double x = 3; }'
    )
    folder = tmp_path / "tfexample_taxi"
    folder.mkdir()
    output = f"--descriptor_set_out={folder / 'descriptor_set.pb'}"
    subprocess.run(["protoc", f"-I{tmp_path}", output, str(proto)], check=True)
    messages = [b"\x0a\x01" + bytes([97 + i % 26]) + b"\x12\x02\x05" + bytes([i % 100]) for i in range(500)]
    (folder / "messages.bin").write_bytes(delimited(messages))
    return tmp_path


def run(data, *options):
    command = [sys.executable, BENCH / "bench.py", "--data", data, "--rounds", "1", "--megabytes", "0.01", *options]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)


CONTENDERS = ("--contender", "structtensor", "--contender", "python-protobuf")


def test_results_are_compared_and_timed(data):
    done = run(data, *CONTENDERS, "--rows", "100", "--json")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    ours, judge = [line for line in lines if "set" in line]
    assert (ours["contender"], ours["results_checked"], judge["contender"]) == ("structtensor", True, "python-protobuf")
    assert ours["ns_per_message"] > 0 and ours["messages"] >= 500
    assert len([line for line in lines if line.get("microseconds", 0) > 0]) == 6
    table = run(data, *CONTENDERS, "--rows", "10")
    assert "(1.00)" in table.stdout and "promote" in table.stdout


def test_what_is_wrong_is_not_timed(data, tmp_path):
    # A package of that name that loses a field.
    fake = tmp_path / "fake" / "structtensor"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text(
        "import pyarrow as pa\n"
        "class Schema:\n"
        "    def from_descriptor_set(*_): return Schema()\n"
        "    def decoder(self): return self\n"
        "    def decode(self, messages): return pa.RecordBatch.from_pydict({'name': ['a'] * len(messages)})\n"
    )
    command = [sys.executable, BENCH / "bench.py", "--data", data, *CONTENDERS[:2], "--rows", "0", "--json", "--rounds", "1"]
    environment = {**os.environ, "PYTHONPATH": str(fake.parent)}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    (line,) = map(json.loads, done.stdout.splitlines())
    assert line["problem"].startswith("wrong: row 0: ")
    assert "ns_per_message" not in line


def test_arguments_that_cannot_be(data):
    assert run(data, "--rounds", "0").returncode == 2
    assert run(data / "nothing").returncode == 2
