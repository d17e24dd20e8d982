"""Runs the built converter commands and makes their inputs."""

import dataclasses
import functools
import os
import pathlib
import subprocess
import sys

import compare
import conftest
import framing

OTLP_MESSAGE = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"


def command_path(name):
    folder = pathlib.Path(os.environ.get("STRUCTTENSOR_BIN") or conftest.REPOSITORY / "build" / "default" / "bin")
    path = folder.absolute() / name
    assert path.exists(), f"{path} is not built; run tools/test build, or set STRUCTTENSOR_BIN"
    return str(path)


@dataclasses.dataclass
class Outcome:
    exit_code: int
    stdout: bytes
    stderr: str


def run(name, *arguments, stdin=b"", cwd=None):
    """Runs a command to its end, with any exit code. A death by signal (a crash) is never an expected outcome."""
    done = subprocess.run(
        [command_path(name), *map(str, arguments)], input=stdin, capture_output=True, timeout=300, cwd=cwd, check=False
    )
    outcome = Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8", errors="replace"))
    assert outcome.exit_code >= 0, f"{name} died of signal {-outcome.exit_code}: {outcome.stderr}"
    return outcome


def convert(name, *arguments, **options):
    """Runs a command that must succeed."""
    outcome = run(name, *arguments, **options)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome


@dataclasses.dataclass
class MessageSet:
    """Serialized messages, and the command and the class to read them with."""

    command: str
    message_class: type
    payloads: list
    arguments: tuple = ()  # before all others

    def by_structtensor(self, schema):
        """The same messages for the command `structtensor`, which gets the schema from a descriptor set."""
        name = self.message_class.DESCRIPTOR.full_name
        return MessageSet(
            "structtensor", self.message_class, self.payloads, ("convert", "--descriptor_set_in", schema, "-m", name)
        )

    @functools.cached_property
    def expected(self):
        return [compare.expected_row(self.message_class.FromString(payload)) for payload in self.payloads]

    def write(self, path):
        path.write_bytes(framing.frame_delimited(self.payloads))
        return path


def protoc_descriptor_set(output, proto, *import_dirs):
    search = [f"--proto_path={folder}" for folder in import_dirs]
    subprocess.run(["protoc", *search, "--include_imports", f"--descriptor_set_out={output}", str(proto)], check=True)
    return output


def run_tool(script, *arguments):
    """Runs one of tools/pydata and returns what it prints."""
    path = conftest.REPOSITORY / "tools" / "pydata" / script
    done = subprocess.run([sys.executable, path, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def record_otlp(folder, message_count):
    spans, schema = folder / "spans.bin", folder / "otlp.descriptors"
    run_tool("record_otlp.py", "--messages", message_count, "--spans", spans, "--descriptor-set", schema)
    message_class = compare.load_message_class(schema, OTLP_MESSAGE)
    return MessageSet("otlp_to_columns", message_class, list(framing.read_delimited(spans)))
