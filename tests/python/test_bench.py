"""tools/bench: on the smallest of its made-up sets, against the system's libprotobuf only, and on a schema of one's own."""

import json
import os
import subprocess
import sys

import commands
import conftest
import pytest
from google.protobuf import descriptor_pb2, timestamp_pb2
from real_data import open_real_set

OURS = ("generated", "generated-views", "generated-2-threads", "encode", "engine", "engine-encode", "memcpy")
PEERS = ("libprotobuf-3.*-reuse", "libprotobuf-3.*-arena", "libprotobuf-3.*-columns", "libprotobuf-3.*-serialize")


def bench(*options, contenders=OURS + PEERS):
    folder = os.path.dirname(commands.command_path("protoc-gen-structtensor"))
    chosen = [word for name in contenders for word in ("--contender", name)]
    return subprocess.run(
        [conftest.REPOSITORY / "tools" / "bench", "--seconds", "0.05", *chosen, *map(str, options)],
        env={**os.environ, "STRUCTTENSOR_BIN": folder},
        capture_output=True,
        text=True,
        check=False,
    )


def results(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_contender_is_checked_and_timed():
    lines = results(bench("--set", "tiles", "--json"))
    assert len(lines) == len(OURS + PEERS) - (len(os.sched_getaffinity(0)) < 2)
    for line in lines:
        assert line["set"] == "tiles"
        assert line["results_checked"] is True, line
        assert line["ns_per_message"] > 0 and line["mb_per_s"] > 0
        assert (line["messages"], line["batch"]) == (64, 16)


def test_prints_a_table_with_ratios():
    done = bench("--set", "tiles", "--batch", "10")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[-1] for line in lines if line[:2] == ["tiles", "generated"]] == ["1.00"]
    assert any(line[:2] == ["geometric", "mean"] for line in lines)


@pytest.fixture
def own_schema(tmp_path):
    """Options for the messages of a file that the test writes."""
    files = descriptor_pb2.FileDescriptorSet()
    message = files.file.add(name="bench/own.proto", package="bench.own").message_type.add(name="Pair")
    field = descriptor_pb2.FieldDescriptorProto
    message.field.add(name="left", number=1, type=field.TYPE_INT32, label=field.LABEL_OPTIONAL)
    message.field.add(name="class", number=2, type=field.TYPE_STRING, label=field.LABEL_REPEATED)
    (tmp_path / "schema.pb").write_bytes(files.SerializeToString())
    return ("--descriptor_set_in", tmp_path / "schema.pb", "--message", "bench.own.Pair", "--data", tmp_path / "messages.bin")


def test_takes_any_schema(own_schema, tmp_path):
    (tmp_path / "messages.bin").write_bytes(b"\x02\x08\x07\x00\x06\x12\x01a\x12\x01b")
    lines = results(bench("--json", *own_schema, contenders=("generated", "encode")))
    assert [(line["set"], line["contender"], line["messages"], line["results_checked"]) for line in lines] == [
        ("bench.own.Pair", "generated", 3, True),
        ("bench.own.Pair", "encode", 3, True),
    ]


def test_takes_a_schema_of_nothing_but_well_known_types(tmp_path):
    """Nothing is left to generate: libprotobuf and our libraries have those types already."""
    files = descriptor_pb2.FileDescriptorSet()
    timestamp_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    (tmp_path / "schema.pb").write_bytes(files.SerializeToString())
    (tmp_path / "messages.bin").write_bytes(b"\x02\x08\x07\x00\x04\x08\x01\x10\x05")
    own = ("--descriptor_set_in", tmp_path / "schema.pb", "--message", "google.protobuf.Timestamp")
    lines = results(bench("--json", *own, "--data", tmp_path / "messages.bin", contenders=("generated", "encode")))
    assert [(line["contender"], line["messages"], line["results_checked"]) for line in lines] == [
        ("generated", 3, True),
        ("encode", 3, True),
    ]


def test_takes_other_files_in_the_folder_of_well_known_types(own_schema, tmp_path):
    schema = descriptor_pb2.FileDescriptorSet.FromString((tmp_path / "schema.pb").read_bytes())
    schema.file[0].name = "google/protobuf/own.proto"
    (tmp_path / "schema.pb").write_bytes(schema.SerializeToString())
    (tmp_path / "messages.bin").write_bytes(b"\x02\x08\x07")
    (line,) = results(bench("--json", *own_schema, contenders=("generated",)))
    assert line["results_checked"] is True


def test_data_that_cannot_be_read_is_an_error(own_schema, tmp_path):
    (tmp_path / "messages.bin").write_bytes(b"\x02\x08")
    done = bench(*own_schema, contenders=("generated",))
    assert done.returncode == 1
    assert "ends within a message" in done.stderr


def test_an_unknown_set_is_a_usage_error():
    done = bench("--set", "no such set")
    assert done.returncode == 2
    assert "tfexample_taxi" in done.stderr


def test_real_sets_without_real_data_are_a_usage_error(monkeypatch):
    monkeypatch.delenv("STRUCTTENSOR_DATA", raising=False)
    done = bench("--set", "pprof")
    assert done.returncode == 2
    assert "no real data: set STRUCTTENSOR_DATA to the folder with the data sets" in done.stderr


# --- benchmarks/convert


def convert_bench(*options):
    script = conftest.REPOSITORY / "benchmarks" / "convert" / "bench.py"
    ours = ("--command", commands.command_path("structtensor"), "--contender", "ours")
    command = [sys.executable, script, *ours, "--rounds", "1", *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.real_data
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_conversions_are_compared_and_timed(ending):
    open_real_set("gtfsrt_nyct")
    lines = results(convert_bench("--set", "gtfsrt", "--format", ending, "--megabytes", "0.5", "--json"))
    contenders = [line for line in lines if "contender" in line]
    assert contenders and all(line["contender"].startswith("ours -j ") for line in contenders)
    for line in contenders:
        assert (line["set"], line["format"]) == ("gtfsrt", ending)
        assert "problem" not in line, line
        assert line["seconds"] > 0 and line["mb_per_s"] > 0


@pytest.mark.parametrize("made_set", ["events", "wide"])
def test_sets_that_are_made_are_converted(made_set, monkeypatch):
    monkeypatch.delenv("STRUCTTENSOR_DATA", raising=False)
    lines = results(convert_bench("--set", made_set, "--format", "pb", "--megabytes", "0.1", "--json"))
    contenders = [line for line in lines if "contender" in line]
    assert contenders and not any("problem" in line for line in contenders), contenders


@pytest.mark.real_data
def test_a_conversion_that_is_wrong_is_not_timed(tmp_path):
    open_real_set("gtfsrt_nyct")
    wrong = tmp_path / "wrong"  # leaves out a field
    wrong.write_text(f'#!/bin/sh\nexec {commands.command_path("structtensor")} "$@" --drop id\n')
    wrong.chmod(0o755)
    found = results(convert_bench("--set", "gtfsrt", "--format", "arrow", "--megabytes", "0.5", "--json", "--command", wrong))
    for line in found[:-1]:
        assert line["problem"].startswith("wrong: row 0: id: ")
        assert "seconds" not in line


def test_conversions_without_real_data_are_a_usage_error(monkeypatch):
    monkeypatch.delenv("STRUCTTENSOR_DATA", raising=False)
    done = convert_bench("--json")
    assert done.returncode == 2
    assert "no real data: set STRUCTTENSOR_DATA to the folder with the data sets" in done.stderr
