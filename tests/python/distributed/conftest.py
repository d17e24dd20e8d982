"""Messages and sessions for the tests of Spark, Ray, Beam and Dask. What is not installed is named, and not tested."""

import importlib.util
import os
import pathlib
import random
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
for folder in ("tests/python", "tools/pydata"):
    sys.path.append(str(REPOSITORY / folder))

# Of each file of tests the packages that it needs.
NEEDS = {
    "test_spark_types.py": ["pyspark"],
    "test_spark_source.py": ["pyspark"],
    "test_spark_columns.py": ["pyspark"],
    "test_spark_failures.py": ["pyspark"],
    "test_spark_stream.py": ["pyspark"],
    "test_spark_writer.py": ["pyspark"],
    "test_ray.py": ["ray"],
    "test_beam.py": ["apache_beam"],
    "test_dask.py": ["dask"],
}
MISSING = {
    file: missing
    for file, packages in NEEDS.items()
    if (missing := [name for name in (*packages, "structtensor") if importlib.util.find_spec(name) is None])
}
collect_ignore = sorted(MISSING)

import compare  # noqa: E402
import framing  # noqa: E402
import random_messages  # noqa: E402
from real_data import EVERY_SET, open_real_set, pytest_runtest_setup  # noqa: E402, F401: a hook

OTLP_MESSAGE = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"
# As much of a real set as python-protobuf walks in a second or two.
MOST_BYTES = 2 << 20


def pytest_terminal_summary(terminalreporter):
    for file, missing in sorted(MISSING.items()):
        terminalreporter.write_line(f"{file} did not run, because there is no package {' and no package '.join(missing)}.")


class Messages:
    """Files of messages in a folder, their schema, and python-protobuf's class for them."""

    def __init__(self, folder, descriptor_set, message, payloads, files=4):
        self.folder, self.descriptor_set, self.message, self.payloads = folder, descriptor_set, message, payloads
        self.message_class = compare.load_message_class(descriptor_set, message)
        folder.mkdir()
        for i in range(files):
            part = payloads[len(payloads) * i // files : len(payloads) * (i + 1) // files]
            (folder / f"{i}.pb").write_bytes(framing.frame_delimited(part))

    @property
    def schema(self):
        import structtensor as st

        return st.Schema.from_descriptor_set(pathlib.Path(self.descriptor_set).read_bytes(), self.message)

    def parsed(self):
        return [self.message_class.FromString(payload) for payload in self.payloads]

    def options(self, **more):
        """Of the data source."""
        return {"descriptor_set": str(self.descriptor_set), "message": self.message, "record_format": "delimited", **more}


def random_set(path, file, message, count, seed):
    """Random messages of a schema below tests/protos, with some in every kind of field."""
    import structtensor as st

    path.mkdir()
    protos = REPOSITORY / "tests" / "protos"
    descriptor_set = path / "descriptor_set.pb"
    descriptor_set.write_bytes(st.Schema.from_proto([protos / file], [protos]).to_descriptor_set())
    dice = random.Random(seed)
    message_class = compare.load_message_class(descriptor_set, message)
    payloads = [random_messages.random_payload(dice, message_class) for _ in range(count)]
    return Messages(path / "messages", descriptor_set, message, payloads)


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    path = tmp_path_factory.mktemp("everything") / "3"
    return random_set(path, "everything.proto", "structtensor.testing.Everything", 200, 1)


@pytest.fixture(scope="session")
def explicit(tmp_path_factory):
    """Rows of plain fields that may be absent, for filters."""
    path = tmp_path_factory.mktemp("explicit") / "3"
    return random_set(path, "everything.proto", "structtensor.testing.Explicit", 1000, 2)


@pytest.fixture(scope="session")
def otlp(tmp_path_factory):
    """Spans that the SDK of OpenTelemetry records."""
    pytest.importorskip("opentelemetry.sdk", reason="the SDK of OpenTelemetry is not installed: no spans are recorded")
    folder = tmp_path_factory.mktemp("otlp")
    command = [sys.executable, REPOSITORY / "tools" / "pydata" / "record_otlp.py", "--messages", "200"]
    command += ["--spans", folder / "spans.pb", "--descriptor-set", folder / "descriptor_set.pb"]
    subprocess.run(command, check=True)
    payloads = list(framing.read_delimited(folder / "spans.pb"))
    return Messages(folder / "messages", folder / "descriptor_set.pb", OTLP_MESSAGE, payloads, files=6)


@pytest.fixture(scope="session", params=EVERY_SET)
def real_set(request, tmp_path_factory):
    """The first messages of each real set."""
    opened = open_real_set(request.param)
    payloads, size = [], 0
    for payload in framing.read_delimited(opened.messages):
        payloads.append(payload)
        size += len(payload)
        if size > MOST_BYTES:
            break
    path = tmp_path_factory.mktemp(request.param) / "messages"
    return Messages(path, opened.descriptor_set, opened.message, payloads)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A cluster of two executors on this machine, which are processes of their own."""
    import pyspark

    # Executors keep their logs below SPARK_HOME.
    home = tmp_path_factory.mktemp("spark")
    for name in ("bin", "jars"):
        (home / name).symlink_to(pathlib.Path(pyspark.__file__).parent / name)
    os.environ.update(SPARK_HOME=str(home), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(home / "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        # Not UTC, so that a zone that is forgotten shows.
        "spark.sql.session.timeZone": "Asia/Tokyo",
        # An executor that is killed is not a reason to give up, and a broken message soon is.
        "spark.task.maxFailures": "3",
        # Virtual machines that live for a minute are at their best with quick compilers.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def read(spark):
    """read(messages, **options): a frame of the data source."""

    def read(messages, path=None, schema=None, **options):
        reader = spark.read.format("structtensor").options(**messages.options(**options))
        if schema is not None:
            reader = reader.schema(schema)
        return reader.load(str(messages.folder if path is None else path))

    return read
