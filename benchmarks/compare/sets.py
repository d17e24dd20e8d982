"""The data sets: real data, read in place, and data that this module makes. A set is a schema, a message type and a file of
messages. Each message comes after its length as a varint."""

import dataclasses
import pathlib
import random

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import taxi


@dataclasses.dataclass
class Set:
    name: str
    descriptor_set: pathlib.Path
    message: str
    data: pathlib.Path
    batch: int
    at_least: int = 1  # messages are repeated until there are as many
    fields: tuple = ()  # what generated-by-key decodes, if it takes part
    fields_per_message: int = 0  # of sets that count what one kind of field costs


# name, folder below STRUCTTENSOR_DATA, message type, file, batch, at_least
REAL = (
    ("otlp_traces_astronomy", "otlp_traces_astronomy", "opentelemetry.proto.trace.v1.TracesData", "messages.bin", 8, 1),
    ("tfexample_taxi", "tfexample_taxi", "tensorflow.Example", "messages.bin", 256, 1),
    ("gtfsrt_nyct_messages", "gtfsrt_nyct", "transit_realtime.FeedMessage", "messages.bin", 4, 1),
    ("gtfsrt_nyct_entities", "gtfsrt_nyct", "transit_realtime.FeedEntity", "entities.bin", 256, 1),
    ("pprof", "pprof", "perftools.profiles.Profile", "messages.bin", 8, 1),
    ("google_message1_proto2", "google_message1_proto2", "benchmarks.proto2.GoogleMessage1", "messages.bin", 1000, 1000),
    ("google_message1_proto3", "google_message1_proto3", "benchmarks.proto3.GoogleMessage1", "messages.bin", 1000, 1000),
    ("google_message2", "google_message2", "benchmarks.proto2.GoogleMessage2", "messages.bin", 20, 20),
)
MADE = ("tiles", "wide-10", "wide-2000", "wide-2000-same")
# Messages with 16 fields of one kind. They are measured if they are named, and by --instructions.
FIELDS = ("fields-one-byte", "fields-five-byte", "fields-fixed", "fields-short-string", "fields-submessage")
FIELDS_PER_MESSAGE = 16
NAMES = tuple(row[0] for row in REAL) + MADE


def real(name, data_folder):
    """The real set with this name, or None if its folder does not exist."""
    for set_name, folder, message, file, batch, at_least in REAL:
        path = data_folder / folder
        if set_name == name and (path / file).exists():
            fields = taxi.FIELDS if name == "tfexample_taxi" else ()
            return Set(name, path / "descriptor_set.pb", message, path / file, batch, at_least, fields)
    return None


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


def message_class(files, name):
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def field(message, name, number, kind, label="OPTIONAL", type_name=None):
    proto = descriptor_pb2.FieldDescriptorProto
    kind, label = proto.Type.Value(f"TYPE_{kind}"), proto.Label.Value(f"LABEL_{label}")
    message.field.add(name=name, number=number, type=kind, label=label, type_name=type_name)


def tile_schema():
    """Tiles of geometry, similar to map tiles: most bytes are packed runs of small deltas."""
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="tile.proto", package="structtensor.benchmark", syntax="proto3")
    tile = file.message_type.add(name="Tile")
    feature = tile.nested_type.add(name="Feature")
    field(feature, "id", 1, "UINT64")
    field(feature, "tags", 2, "UINT32", "REPEATED")
    field(feature, "type", 3, "INT32")
    field(feature, "geometry", 4, "UINT32", "REPEATED")
    layer = tile.nested_type.add(name="Layer")
    field(layer, "name", 1, "STRING")
    field(layer, "features", 2, "MESSAGE", "REPEATED", ".structtensor.benchmark.Tile.Feature")
    field(layer, "keys", 3, "STRING", "REPEATED")
    field(layer, "extent", 5, "UINT32")
    field(tile, "layers", 3, "MESSAGE", "REPEATED", ".structtensor.benchmark.Tile.Layer")
    return files


def tiles(tile_class):
    dice = random.Random(7)
    for _ in range(64):
        tile = tile_class()
        for layer_index in range(4):
            layer = tile.layers.add(name=f"layer{layer_index}", extent=4096)
            for _ in range(100):
                feature = layer.features.add(id=dice.getrandbits(32), type=dice.randrange(3))
                feature.tags.extend(dice.randrange(200) for _ in range(6))
                numbers = 2 * (10 + dice.randrange(100))
                feature.geometry.extend(dice.getrandbits(12 if dice.randrange(4) == 0 else 7) for _ in range(numbers))
        yield tile.SerializeToString()


WIDE_KINDS = ("INT32", "INT64", "UINT32", "UINT64", "SINT64", "BOOL", "FLOAT", "DOUBLE", "FIXED64", "STRING")


def wide_schema(width):
    """A type of `width` optional fields. The kinds of the fields alternate."""
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name=f"wide_{width}.proto", package="structtensor.benchmark", syntax="proto2")
    message = file.message_type.add(name=f"Wide{width}")
    for number in range(1, width + 1):
        field(message, f"f{number}", number, WIDE_KINDS[(number - 1) % len(WIDE_KINDS)])
    return files


def wide(wide_type, width, same=False):
    """Messages with one field of each kind: any fields of the type, or with `same` the same fields in all messages. The values
    are the same for all widths."""
    values = random.Random(11)
    places = random.Random(13)
    numbers = None
    for _ in range(10_000):
        message = wide_type()
        present = {
            "INT32": values.getrandbits(values.randrange(32)),
            "INT64": values.getrandbits(values.randrange(60)),
            "UINT32": values.getrandbits(values.randrange(33)),
            "UINT64": values.getrandbits(values.randrange(60)),
            "SINT64": values.getrandbits(14) - 8192,
            "BOOL": values.random() < 0.5,
            "FLOAT": values.random(),
            "DOUBLE": values.random(),
            "FIXED64": values.getrandbits(64),
            "STRING": f"value {values.randrange(100_000)}",
        }
        if numbers is None or not same:
            numbers = [len(WIDE_KINDS) * places.randrange(width // len(WIDE_KINDS)) + i + 1 for i in range(len(WIDE_KINDS))]
        for number, value in zip(numbers, present.values()):
            setattr(message, f"f{number}", value)
        yield message.SerializeToString()


def fields_schema(kind):
    """A type of 16 optional fields of one kind."""
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="fields.proto", package="structtensor.benchmark", syntax="proto2")
    inner = file.message_type.add(name="Inner")
    field(inner, "value", 1, "INT32")
    message = file.message_type.add(name="Fields")
    kind_of = {"fixed": "FIXED64", "short-string": "STRING", "submessage": "MESSAGE"}.get(kind, "UINT32")
    type_name = ".structtensor.benchmark.Inner" if kind_of == "MESSAGE" else None
    for number in range(1, FIELDS_PER_MESSAGE + 1):
        field(message, f"f{number}", number, kind_of, type_name=type_name)
    return files


def fields_of_one_kind(fields_class, kind):
    """Messages with all fields. A submessage has one field of one byte; strings have eight bytes."""
    dice = random.Random(17)
    value = {
        "one-byte": lambda: dice.randrange(1, 128),
        "five-byte": lambda: dice.randrange(2**28, 2**32),
        "fixed": lambda: dice.getrandbits(64),
        "short-string": lambda: f"{dice.randrange(10**8):08}",
        "submessage": lambda: {"value": dice.randrange(1, 128)},
    }[kind]
    for _ in range(1000):
        yield fields_class(**{f"f{number}": value() for number in range(1, FIELDS_PER_MESSAGE + 1)}).SerializeToString()


def made(name, folder):
    """The made set with this name. It is written into `folder` unless it exists."""
    if name == "tiles":
        files, message, batch = tile_schema(), "structtensor.benchmark.Tile", 16
    elif name in FIELDS:
        kind = name.removeprefix("fields-")
        files, message, batch = fields_schema(kind), "structtensor.benchmark.Fields", 1000
    else:
        width = int(name.split("-")[1])
        files, message, batch = wide_schema(width), f"structtensor.benchmark.Wide{width}", 1000
    folder.mkdir(parents=True, exist_ok=True)
    result = Set(name, folder / "descriptor_set.pb", message, folder / "messages.bin", batch)
    if name in FIELDS:
        result.fields_per_message = FIELDS_PER_MESSAGE
    schema = files.SerializeToString()
    written = result.data.exists() and result.descriptor_set.exists() and result.descriptor_set.read_bytes() == schema
    if not written:
        generated = message_class(files, message)
        if name == "tiles":
            messages = tiles(generated)
        elif name in FIELDS:
            messages = fields_of_one_kind(generated, kind)
        else:
            messages = wide(generated, width, name.endswith("-same"))
        result.data.write_bytes(delimited(messages))
        result.descriptor_set.write_bytes(schema)
    return result
