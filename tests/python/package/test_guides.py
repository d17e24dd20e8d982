"""The how-to guides of docs/guides: their commands and sessions print what the pages say."""

import doctest
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
from google.protobuf import descriptor_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
GUIDES = sorted((REPOSITORY / "docs" / "guides").glob("*.md"))
# Blocks of commands with what they print, and blocks of sessions.
COMMANDS = re.compile(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)


def file_of_tutorial(name):
    text = (REPOSITORY / "docs" / "tutorial.md").read_text()
    return re.search(rf"file `{re.escape(name)}`:\n\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def add_file(descriptor, found):
    """Appends a file, after those that it imports."""
    if descriptor.name not in [file.name for file in found.file]:
        for imported in descriptor.dependencies:
            add_file(imported, found)
        descriptor.CopyToProto(found.file.add())


def write_traces(folder):
    """The schema of OpenTelemetry's traces, and a message with two spans."""
    schema = descriptor_pb2.FileDescriptorSet()
    add_file(trace_pb2.DESCRIPTOR, schema)
    (folder / "otel.binpb").write_bytes(schema.SerializeToString())
    traces = trace_pb2.TracesData()
    spans = traces.resource_spans.add().scope_spans.add().spans
    for name, begin_ms, length_ms in (("GET /cart", 0, 12), ("charge card", 2, 950)):
        begin = 1_700_000_000_000_000_000 + begin_ms * 1_000_000
        spans.add(name=name, start_time_unix_nano=begin, end_time_unix_nano=begin + length_ms * 1_000_000)
    (folder / "traces.binpb").write_bytes(traces.SerializeToString())


def run(commands, folder):
    """Runs commands with the package's structtensor. kcat prints the values of a topic as its format string asks for."""
    structtensor = shlex.join([sys.executable, "-m", "structtensor"])
    kcat = """[[ "${@: -1}" == '%R%s' ]] && structtensor convert -p weather.proto -m Report reports.pb --to length32 --quiet"""
    functions = f'structtensor() {{ {structtensor} "$@"; }}\nkcat() {{ {kcat}; }}\n'
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", functions + commands], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{commands}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if guide.name != "index.md"], ids=lambda guide: guide.name)
def test_the_guide_does_what_it_says(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("weather.proto", "reports.jsonl"):
        (tmp_path / name).write_text(file_of_tutorial(name))
    run("structtensor convert -p weather.proto -m Report reports.jsonl -o reports.pb --quiet", tmp_path)
    write_traces(tmp_path)
    text = guide.read_text()
    if "structtensor sql" in text:
        pytest.importorskip("duckdb", reason="the package duckdb is not installed")
    commands, sessions = COMMANDS.findall(text), SESSION.findall(text)
    assert commands or sessions
    for command, printed in commands:
        assert run(command, tmp_path) == printed
    if sessions:
        session = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, guide.name, guide.name, 0)
        output = []
        assert doctest.DocTestRunner().run(session, out=output.append).failed == 0, "".join(output)


def test_the_index_has_every_guide():
    text = (REPOSITORY / "docs" / "guides" / "index.md").read_text()
    assert set(re.findall(r"\]\((\w+\.md)\)", text)) == {guide.name for guide in GUIDES} - {"index.md"}
