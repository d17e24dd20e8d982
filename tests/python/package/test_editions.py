"""Editions, from .proto files, descriptor sets and the command. The package's protobuf decides which ones are supported."""

import re
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2
from test_command import run

import structtensor as st

PROTOS = {
    "2023": """edition = "2023";
package t;
message Reading {
  int32 number = 1;
  string text = 2 [features.field_presence = IMPLICIT];
  Reading below = 3 [features.message_encoding = DELIMITED];
}
""",
    "2024": """edition = "2024";
package t;
import option "structtensor/options.proto";
export message Reading {
  int32 number = 1;
  string text = 2 [features.field_presence = IMPLICIT];
  Reading below = 3 [features.message_encoding = DELIMITED, (structtensor.field).skip = false];
}
local message Hidden {
  Reading reading = 1;
}
""",
}
NEEDED = {"2023": 27, "2024": 32}
# number = 5, text = "x", below = {number = -1}
MESSAGE = b"\x08\x05\x12\x01x\x1b\x08" + b"\xff" * 9 + b"\x01\x1c"
ROW = {"number": 5, "text": "x", "below": {"number": -1, "text": "", "below": None}}


def protobuf_release():
    done = subprocess.run([sys.executable, "-m", "structtensor", "--version"], capture_output=True, text=True, check=True)
    release = re.search(r"protobuf (\d+)\.(\d+)", done.stdout)
    return 0 if release[1] == "3" else int(release[1])  # 3.21 is older than 22


@pytest.fixture(params=PROTOS)
def edition(request, tmp_path):
    """An edition, a .proto file of it, and whether the package supports it."""
    path = tmp_path / "reading.proto"
    path.write_text(PROTOS[request.param])
    return request.param, path, protobuf_release() >= NEEDED[request.param]


def decoded(schema):
    rows = schema.decoder(recursion_depth=2).decode([MESSAGE]).to_py()
    return [{**row, "below": {**row["below"], "below": None}} for row in rows]


def expect_refusal(edition, text):
    assert f"edition {edition} needs protobuf {NEEDED[edition]} or later, and this build of structtensor has protobuf" in text
    assert "hint: build structtensor with a newer protobuf" in text


def test_proto_files(edition):
    name, path, supported = edition
    if not supported:
        with pytest.raises(ValueError) as refused:
            st.Schema.from_proto(path, message="Reading")
        expect_refusal(name, str(refused.value))
        return
    assert decoded(st.Schema.from_proto(path, message="Reading")) == [ROW]


def test_descriptor_sets(edition):
    name, path, supported = edition
    if not supported:
        set_of_edition = descriptor_pb2.FileDescriptorSet()
        file = set_of_edition.file.add(name="reading.proto", syntax="editions")
        file.edition = descriptor_pb2.Edition.Value(f"EDITION_{name}")
        with pytest.raises(ValueError) as refused:
            st.Schema.from_descriptor_set(set_of_edition.SerializeToString(), "t.Reading")
        expect_refusal(name, str(refused.value))
        return
    descriptor_set = st.Schema.from_proto(path, message="Reading").to_descriptor_set()
    edition_of_file = {file.name: file.edition for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set).file}
    assert edition_of_file["reading.proto"] == descriptor_pb2.Edition.Value(f"EDITION_{name}")
    assert decoded(st.Schema.from_descriptor_set(descriptor_set, "t.Reading")) == [ROW]


def test_command(edition):
    name, path, supported = edition
    done = run("schema", "-p", path, "-m", "Reading")
    if supported:
        assert done.returncode == 0 and "number: int32" in done.stdout and done.stderr == "", done.stderr
    else:
        assert done.returncode == 1 and "[libprotobuf" not in done.stderr
        expect_refusal(name, done.stderr)
