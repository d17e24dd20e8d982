"""Sets of messages that are made: small events of integers, and messages that set a few of thousands of fields."""

import random

import framing
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MESSAGES = "messages.bin"
DESCRIPTOR_SET = "descriptor_set.pb"
WIDE_FIELDS = 8527
WIDE_USED = 120  # how many of the fields any message has
WIDE_SET = 12  # how many of these a message has
KINDS = ("int32", "int64", "uint32", "bool", "float", "double", "fixed64", "string")

Field = descriptor_pb2.FieldDescriptorProto


def make_events(folder, size_bytes):
    """A sequence number, a time in nanoseconds, a status, a random number of 40 bits, and a counter."""
    fields = [("id", "int64"), ("time", "fixed64"), ("status", "int32"), ("user", "int64"), ("sorted", "int64")]
    fields = [(name, kind, number) for number, (name, kind) in enumerate(fields, start=1)]
    event = write_schema(folder, "event.proto", "proto3", "Event", fields)
    source = random.Random(1)
    time, number = 1_700_000_000_000_000_000, 0
    messages = []
    taken = 0
    while taken < size_bytes:
        time += int(source.expovariate(1 / 200_000))
        number += source.randrange(3)
        user = source.getrandbits(40)
        message = event(id=len(messages) + 1, time=time, status=source.choice((200, 404, 500)), user=user, sorted=number)
        messages.append(message.SerializeToString())
        taken += len(messages[-1]) + 1
    (folder / MESSAGES).write_bytes(framing.frame_delimited(messages))


def make_wide(folder, size_bytes):
    """Optional fields of eight kinds."""
    fields = [(f"f{n}", KINDS[n % len(KINDS)], n) for n in range(1, WIDE_FIELDS + 1)]
    wide = write_schema(folder, "wide.proto", "proto2", "Wide", fields)
    source = random.Random(3)
    used = source.sample(fields, WIDE_USED)
    makers = {
        "bool": lambda: True,
        "float": source.random,
        "double": source.random,
        "fixed64": lambda: source.getrandbits(40),
        "string": lambda: f"name{source.randrange(1000)}",
    }
    messages = []
    taken = 0
    while taken < size_bytes:
        message = wide()
        for name, kind, _number in source.sample(used, WIDE_SET):
            setattr(message, name, makers.get(kind, lambda: source.randrange(100_000))())
        messages.append(message.SerializeToString())
        taken += len(messages[-1]) + 1
    (folder / MESSAGES).write_bytes(framing.frame_delimited(messages))


def write_schema(folder, file_name, syntax, message_name, fields):
    """Writes the file as text and as a descriptor set. Returns the class of its message."""
    label = "optional " if syntax == "proto2" else ""
    lines = [f"  {label}{kind} {name} = {number};" for name, kind, number in fields]
    text = f'syntax = "{syntax}";\npackage bench;\nmessage {message_name} {{\n' + "\n".join(lines) + "\n}\n"
    (folder / file_name).write_text(text)
    file = descriptor_pb2.FileDescriptorProto(name=file_name, package="bench", syntax=syntax)
    message = file.message_type.add(name=message_name)
    for name, kind, number in fields:
        message.field.add(name=name, number=number, label=Field.LABEL_OPTIONAL, type=getattr(Field, f"TYPE_{kind.upper()}"))
    files = descriptor_pb2.FileDescriptorSet(file=[file])
    (folder / DESCRIPTOR_SET).write_bytes(files.SerializeToString())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"bench.{message_name}"))
