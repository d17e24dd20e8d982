"""Random messages of menu.proto, by python-protobuf, which is the judge of what comes back."""

import functools
import pathlib
import random
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FOLDER = pathlib.Path(__file__).resolve().parent
PROTO = FOLDER / "menu.proto"
PROTOS = [str(PROTO), str(FOLDER / "old_menu.proto")]
REPOSITORY = FOLDER.parents[2]
for folder in ("tests/python", "tools/pydata"):
    sys.path.append(str(REPOSITORY / folder))

import random_messages  # noqa: E402


@functools.cache
def pool():
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "menu.bin"
        options = [f"-I{FOLDER}", "--include_imports", f"--descriptor_set_out={output}"]
        subprocess.run(["protoc", *options, *PROTOS], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes())
    found = descriptor_pool.DescriptorPool()
    for file in files.file:
        found.Add(file)
    return found


@functools.cache
def message_class(name):
    return message_factory.GetMessageClass(pool().FindMessageTypeByName(f"menu.{name}"))


def random_menus(seed, count, name="Menu"):
    dice = random.Random(seed)
    return [random_messages.random_message(dice, message_class(name)) for _ in range(count)]


def equal(message, serialized):
    """Whether `serialized` is the message. NaN counts as equal to itself, so bytes are compared."""
    again = type(message).FromString(serialized)
    return again.SerializeToString(deterministic=True) == message.SerializeToString(deterministic=True)
