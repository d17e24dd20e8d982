"""Messages for the tests of the Python package: made by python-protobuf, so that it is the judge of what comes back."""

import pathlib
import random
import subprocess

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

FOLDER = pathlib.Path(__file__).resolve().parent
PROTO = FOLDER / "trace.proto"


@pytest.fixture(scope="session")
def descriptor_set(tmp_path_factory):
    """trace.proto as protoc describes it."""
    output = tmp_path_factory.mktemp("schema") / "trace.bin"
    subprocess.run(["protoc", f"-I{FOLDER}", "--include_imports", f"--descriptor_set_out={output}", str(PROTO)], check=True)
    return output.read_bytes()


@pytest.fixture(scope="session")
def span_class(descriptor_set):
    """trace.Span of python-protobuf."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set).file:
        if file.name == "google/protobuf/timestamp.proto":
            file = descriptor_pb2.FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("trace.Span"))


def make_spans(span_class, count, seed=7):
    """Spans with something in every field, and nothing in some."""
    dice = random.Random(seed)
    spans = []
    for i in range(count):
        span = span_class(name=f"span {i}", start=1_000_000 * i, end=1_000_000 * i + dice.randrange(2_000_000))
        for j in range(dice.randrange(4)):
            span.attributes.add(key=dice.choice(["host", "url", "größe"]), value=str(j))
        for key in dice.sample(["reads", "writes", "errors"], dice.randrange(4)):
            span.counters[key] = dice.randrange(-5, 1 << 40)
        if dice.random() < 0.6:
            span.status = dice.randrange(600)
        for _ in range(dice.randrange(3)):
            event = span.events.add(name="event")
            event.time.FromNanoseconds(dice.randrange(1 << 60))
        span.payload = dice.randbytes(dice.randrange(10))
        if dice.random() < 0.3:
            span.client = "c"
        elif dice.random() < 0.5:
            span.server = dice.randrange(3)
        span.samples.extend(dice.random() for _ in range(dice.randrange(3)))
        spans.append(span)
    return spans


@pytest.fixture(scope="session")
def spans(span_class):
    return make_spans(span_class, 100)


@pytest.fixture(scope="session")
def serialized(spans):
    return [span.SerializeToString(deterministic=True) for span in spans]


def delimited(messages):
    out = bytearray()
    for message in messages:
        size = len(message)
        while size >= 0x80:
            out.append(size & 0x7F | 0x80)
            size >>= 7
        out.append(size)
        out += message
    return bytes(out)


@pytest.fixture(scope="session")
def spans_file(tmp_path_factory, serialized):
    path = tmp_path_factory.mktemp("data") / "spans.pb"
    path.write_bytes(delimited(serialized))
    return path
