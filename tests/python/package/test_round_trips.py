"""Any value of any spec, through every format and back: what comes back is equal, or differs as docs/formats.md says.

The specs and the values are random, from a seed. Real sets of messages go the same ways and become the same messages again.
"""

import json
import math
import pathlib
import pickle
import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from real_data import EVERY_SET, open_real_set

import structtensor as st

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]

INTEGERS = {
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
    "uint64": (0, (1 << 64) - 1),
}
STRINGS = ["", "a", "größe", "漢字", "\0", '"\\\n', "x" * 300, "👩‍🍳"]
TIMES = ["timestamp[ns]", "timestamp[s]", "duration[us]"]
DTYPES = [*INTEGERS, "bool", "float16", "float32", "float64", "string", "bytes", *TIMES]
# A reader of JSON without a schema can distinguish these.
JSON_DTYPES = ["int64", "float64", "bool", "string"]


def random_element(dice, dtype):
    if dtype in INTEGERS:
        low, high = INTEGERS[dtype]
        return dice.choice([0, 1, low, high, dice.randint(low, high)])
    if dtype == "bool":
        return dice.random() < 0.5
    if dtype in ("float16", "float32", "float64"):
        kind = {"float16": np.float16, "float32": np.float32, "float64": np.float64}[dtype]
        return float(kind(dice.choice([0.0, 1.5, -2.25, math.inf, dice.uniform(-1000, 1000)])))
    if dtype == "string":
        return dice.choice(STRINGS)
    if dtype == "bytes":
        return dice.randbytes(dice.randrange(6))
    # Points in time and durations, as numbers of their unit.
    return dice.choice([0, 1, -1, dice.randrange(-(1 << 40), 1 << 40)])


LEAVES = ["scalar", "scalar", "list", "lists", "uniform", "uniform_lists"]
NESTS = ["struct", "structs", "uniform_structs", "optional", "map"]


class RandomValue:
    """A spec of one more row, and values of it. Ranks, dtypes, optional values and nested structs are chosen by the dice."""

    def __init__(self, dice, dtypes=DTYPES, leaves=LEAVES, nests=NESTS, nullable_lists=True, depth=0):
        self.dice = dice
        kinds = leaves + (nests if depth < 3 else [])
        self.fields = {}
        structs = ("struct", "structs", "uniform_structs", "optional")
        for i in range(dice.randrange(1, 5)):
            kind = dice.choice(kinds)
            inner = dice.choice(dtypes)
            if kind in structs:
                inner = RandomValue(dice, dtypes, leaves, nests, nullable_lists, depth + 1)
            nullable = dice.random() < 0.4 and (nullable_lists or kind == "scalar")
            self.fields[f"{kind}_{i}"] = (kind, inner, nullable)

    def spec(self, shape, optional=False):
        fields = {}
        for name, (kind, inner, nullable) in self.fields.items():
            if kind == "scalar":
                element = st.TensorSpec([None], inner, nullable=nullable)
                fields[name] = element if len(shape) == 1 else st.RaggedTensorSpec(shape, inner, nullable=nullable)
            elif kind in ("list", "lists"):
                axes = [None] * (1 if kind == "list" else 2)
                fields[name] = st.RaggedTensorSpec([*shape, *axes], inner, nullable=nullable)
            elif kind == "uniform_lists":
                fields[name] = st.RaggedTensorSpec([*shape, 2, None], inner, ragged_rank=len(shape) + 1, nullable=nullable)
            elif kind == "uniform":
                fields[name] = (
                    st.TensorSpec([None, 3], inner, nullable=nullable)
                    if len(shape) == 1
                    else st.RaggedTensorSpec([*shape, 3], inner, ragged_rank=len(shape) - 1, nullable=nullable)
                )
            elif kind == "map":
                entry = {"key": st.RaggedTensorSpec([*shape, None], "string")}
                entry["value"] = st.RaggedTensorSpec([*shape, None], inner, nullable=nullable)
                fields[name] = st.StructuredTensorSpec([*shape, None], entry, kind="map_entry")
            elif kind in ("structs", "uniform_structs"):
                fields[name] = inner.spec([*shape, None if kind == "structs" else 2])
            else:
                fields[name] = inner.spec(shape, optional=kind == "optional")
        return st.StructuredTensorSpec(shape, fields, nullable=optional)

    def row(self):
        row = {}
        for name, (kind, inner, nullable) in self.fields.items():
            if kind == "struct":
                row[name] = inner.row()
            elif kind == "optional":
                row[name] = None if self.dice.random() < 0.3 else inner.row()
            elif kind == "map":
                keys = self.dice.sample(["a", "b", "größe"], self.dice.randrange(3))
                row[name] = [{"key": key, "value": self.element(inner, nullable)} for key in keys]
            elif kind in ("structs", "uniform_structs"):
                row[name] = [inner.row() for _ in range(self.dice.randrange(3) if kind == "structs" else 2)]
            elif kind == "scalar":
                row[name] = self.element(inner, nullable)
            elif kind == "uniform":
                row[name] = [self.element(inner, nullable) for _ in range(3)]
            elif kind == "uniform_lists":
                row[name] = [self.elements(inner, nullable) for _ in range(2)]
            elif kind == "list":
                row[name] = self.elements(inner, nullable)
            else:
                row[name] = [self.elements(inner, nullable) for _ in range(self.dice.randrange(3))]
        return row

    def element(self, dtype, nullable):
        return None if nullable and self.dice.random() < 0.3 else random_element(self.dice, dtype)

    def elements(self, dtype, nullable):
        return [self.element(dtype, nullable) for _ in range(self.dice.randrange(3))]


PARQUET_DTYPES = [dtype for dtype in DTYPES if dtype != "timestamp[s]"]  # Parquet has no seconds: they become milliseconds


def random_rows(seed, **options):
    dice = random.Random(seed)
    value = RandomValue(dice, **options)
    return st.constant([value.row() for _ in range(dice.choice([0, 1, 2, 7]))], spec=value.spec([None]))


SEEDS = range(80)


def rebuilt(value):
    """The same structs, made anew from their fields."""
    fields = {name: value.field_value(name) for name in value.field_names()}
    fields = {name: rebuilt(field) if isinstance(field, st.StructuredTensor) else field for name, field in fields.items()}
    return st.StructuredTensor.from_fields(fields, rank=len(value.spec.shape), nrows=value.nrows)


def through_parquet(value, folder):
    value.to_parquet(folder / "rows.parquet")
    return st.from_parquet(folder / "rows.parquet")


def through_arrow_file(value, folder):
    table = pa.table(value)
    with pa.ipc.new_file(folder / "rows.arrow", table.schema) as writer:
        writer.write_table(table)
    return st.from_arrow(pa.ipc.open_file(folder / "rows.arrow").read_all())


WAYS = {
    "nested values": lambda value, folder: st.constant(value.to_py(), spec=value.spec.with_unknown_sizes()),
    "fields": lambda value, folder: rebuilt(value),
    "pickle": lambda value, folder: pickle.loads(pickle.dumps(value, protocol=5)),
    "arrow": lambda value, folder: st.from_arrow(pa.table(value)),
    "arrow file": through_arrow_file,
    "parquet": through_parquet,
    "json": lambda value, folder: st.from_json(value.to_json(), value.spec.with_unknown_sizes()),
}


@pytest.mark.parametrize("way", WAYS)
def test_random_values(way, tmp_path):
    rows = 0
    for seed in SEEDS:
        options = {}
        if way == "fields":  # they say neither which structs are absent nor what is a map
            options = {"nests": ["struct", "structs", "uniform_structs"]}
        elif way == "parquet":
            options = {"dtypes": PARQUET_DTYPES}
            # Arrow's reader of Parquet refuses lists of a fixed size below an absent struct.
            if seed % 2 == 0:
                options["nests"] = ["struct", "structs", "uniform_structs", "map"]
            else:
                options |= {"leaves": ["scalar", "list", "lists"], "nests": ["struct", "structs", "optional", "map"]}
        value = random_rows(seed, **options)
        again = WAYS[way](value, tmp_path)
        # equals() looks below absent structs, too, where Arrow's reader of Parquet leaves any values; to_py() does not.
        unread = way == "parquet" and seed % 2 == 1
        assert again.to_py() == value.to_py() and (unread or again.equals(value)), f"seed {seed}: {value.spec}"
        assert again.spec.with_unknown_sizes() == value.spec.with_unknown_sizes(), f"seed {seed}"
        rows += value.nrows
    assert rows > len(SEEDS)



def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def test_random_values_as_json_without_a_spec():
    """The same JSON again, but that a key whose value is null may be missing."""
    rows = 0
    for seed in SEEDS:
        value = random_rows(seed, dtypes=["int64", "bool", "string"], leaves=["scalar", "list", "lists"])
        again = st.from_json(value.to_json())
        assert without_nulls(json.loads(again.to_json())) == without_nulls(json.loads(value.to_json())), f"seed {seed}"
        rows += again.nrows
    assert rows > 100


# --- Messages, whose types are made for the specs

FIELD = descriptor_pb2.FieldDescriptorProto
FIELD_TYPES = {
    "int32": [FIELD.TYPE_INT32, FIELD.TYPE_SINT32, FIELD.TYPE_SFIXED32],
    "uint32": [FIELD.TYPE_UINT32, FIELD.TYPE_FIXED32],
    "int64": [FIELD.TYPE_INT64, FIELD.TYPE_SINT64, FIELD.TYPE_SFIXED64],
    "uint64": [FIELD.TYPE_UINT64, FIELD.TYPE_FIXED64],
    "bool": [FIELD.TYPE_BOOL],
    "float32": [FIELD.TYPE_FLOAT],
    "float64": [FIELD.TYPE_DOUBLE],
    "string": [FIELD.TYPE_STRING],
    "bytes": [FIELD.TYPE_BYTES],
}


REPEATED = ("list", "structs", "map", "uniform")


def describe(value, dice, message, package):
    """Fills in the descriptor of a message that has a place for what a RandomValue makes."""
    for number, (name, (kind, inner, nullable)) in enumerate(value.fields.items(), start=1):
        field = message.field.add(name=name, number=number + dice.choice([0, 20, 3000]) * 7)
        field.label = FIELD.LABEL_REPEATED if kind in REPEATED else FIELD.LABEL_OPTIONAL
        if isinstance(inner, RandomValue) or kind == "map":
            nested = message.nested_type.add(name="Entry" if kind == "map" else f"Type{number}")
            if kind == "map":
                nested.name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
                nested.options.map_entry = True
                nested.field.add(name="key", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
                kinds = FIELD_TYPES[inner]
                nested.field.add(name="value", number=2, type=dice.choice(kinds), label=FIELD.LABEL_OPTIONAL)
            else:
                describe(inner, dice, nested, f"{package}.{nested.name}")
            field.type, field.type_name = FIELD.TYPE_MESSAGE, f"{package}.{nested.name}"
        else:
            field.type = dice.choice(FIELD_TYPES[inner])


def expected_in(row, value):
    """What a message of a row has, by names: values that are there, and no others."""
    fields = {}
    for name, (kind, inner, _) in value.fields.items():
        item = row[name]
        if kind == "map":
            fields[name] = {entry["key"]: entry["value"] for entry in item}
        elif kind == "structs":
            fields[name] = [expected_in(element, inner) for element in item]
        elif isinstance(inner, RandomValue):
            fields[name] = None if item is None else expected_in(item, inner)
        else:
            fields[name] = item
    kinds = {name: kind for name, (kind, _, _) in value.fields.items()}
    return {name: item for name, item in fields.items() if item is not None and (item or kinds[name] not in REPEATED)}


def found_in(message):
    fields = {}
    for field, item in message.ListFields():
        if field.message_type is None:
            fields[field.name] = list(item) if field.is_repeated else item
        elif field.message_type.GetOptions().map_entry:
            fields[field.name] = dict(item)
        else:
            fields[field.name] = [found_in(element) for element in item] if field.is_repeated else found_in(item)
    return fields


def random_message_rows(seed):
    """A spec that messages have a place for, a schema for it, python-protobuf's class, and rows."""
    dice = random.Random(seed)
    nests = ["struct", "structs", "optional", "map"]
    value = RandomValue(dice, list(FIELD_TYPES), ["scalar", "list", "uniform"], nests, nullable_lists=False)
    file = descriptor_pb2.FileDescriptorProto(name=f"random_{seed}.proto", package="random", syntax="proto2")
    describe(value, dice, file.message_type.add(name="Row"), ".random.Row")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    row_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("random.Row"))
    schema = st.Schema.from_descriptor_set(descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString(), "random.Row")
    rows = [value.row() for _ in range(dice.choice([1, 2, 9]))]
    return value, schema, row_class, rows


def test_random_values_as_messages():
    for seed in SEEDS:
        value, schema, row_class, rows = random_message_rows(seed)
        tensor = st.constant(rows, spec=value.spec([None]))
        messages = tensor.to_protobuf(schema)
        expected = [expected_in(row, value) for row in rows]
        # python-protobuf is the judge of what was written, in the wire format and in JSON.
        assert [found_in(row_class.FromString(message)) for message in messages] == expected, f"seed {seed}"
        from_json = [json_format.Parse(text, row_class()) for text in tensor.to_protobuf_json(schema)]
        assert [found_in(message) for message in from_json] == expected, f"seed {seed}"
        # And decoded, whatever the axes of optional values are then, they are the same messages again.
        for options in ({}, {"optionals": "nullable"}):
            decoded = schema.decoder(**options).decode(messages)
            assert decoded.to_protobuf() == messages, f"seed {seed}"
            text = "".join(f"{line}\n" for line in decoded.to_protobuf_json())
            assert schema.decoder().decode(text.encode(), format="json").to_protobuf() == messages, f"seed {seed}"


def test_random_values_as_examples():
    """tf.Example has lists of int64, float and bytes: scalars are lists of one, and what is absent is an empty one."""
    for seed in SEEDS:
        dtypes = ["int64", "float32", "bytes"]
        value = random_rows(seed, dtypes=dtypes, leaves=["scalar", "list"], nests=[], nullable_lists=False)
        features = {
            name: st.io.RaggedFeature(
                {"int64": "int64", "float": "float32", "bytes": "bytes"}[value.field_value(name).spec.dtype]
            )
            for name in value.field_names()
        }
        again = st.io.parse_examples(value.to_examples(), features)
        for name in features:
            rows = value.field_value(name).to_py()
            lists = [[item for item in (row if isinstance(row, list) else [row]) if item is not None] for row in rows]
            assert again.field_value(name).to_py() == lists, f"seed {seed}, {name}"


# --- Real messages


def recorded_spans(folder):
    """Spans that the OpenTelemetry SDK records while a program runs, as tools/demo has them."""
    script = REPOSITORY / "tools" / "pydata" / "record_otlp.py"
    files = ["--spans", folder / "spans.bin", "--descriptor-set", folder / "otlp.descriptors"]
    subprocess.run([sys.executable, script, "--messages", "40", *map(str, files)], check=True, capture_output=True)
    return folder / "spans.bin", folder / "otlp.descriptors", "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"


def models(folder):
    """The models of the onnx package."""
    script = REPOSITORY / "tools" / "pydata" / "onnx_models.py"
    command = [sys.executable, script, "--models", str(folder / "models.bin")]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    descriptors = folder / "onnx.descriptors"
    command = ["protoc", f"--proto_path={found.stdout.strip()}", "--include_imports", f"--descriptor_set_out={descriptors}"]
    subprocess.run([*command, "onnx/onnx.proto"], check=True)
    return folder / "models.bin", descriptors, "onnx.ModelProto"


@pytest.fixture(scope="module", params=[*EVERY_SET, "recorded spans", "models of onnx"])
def real_rows(request, tmp_path_factory):
    """A file of real messages, how many of them are a few megabytes, and their schema."""
    makers = {"recorded spans": recorded_spans, "models of onnx": models}
    if request.param in makers:
        path, descriptors, message = makers[request.param](tmp_path_factory.mktemp("real"))
    else:
        opened = open_real_set(request.param)
        path, descriptors, message = opened.messages, opened.descriptor_set, opened.message
    schema = st.Schema.from_descriptor_set(pathlib.Path(descriptors).read_bytes(), message)
    # As many as are a few megabytes.
    limit = max(3, 6_000_000 * 2000 // (path.stat().st_size + 1)) if path.stat().st_size > 6_000_000 else None
    return path, limit, schema


@pytest.mark.parametrize("way", WAYS)
def test_real_messages(real_rows, way, tmp_path):
    path, limit, schema = real_rows
    # Fields do not say which structs are absent, but a dimension of 0 or 1 does.
    rows = st.read(path, schema, limit=limit, optionals="ragged" if way == "fields" else "nullable")
    messages = rows.to_protobuf()
    plain = st.StructuredTensor.from_fields({name: rows.field_value(name) for name in rows.field_names()})
    assert len(messages) == rows.nrows and WAYS[way](plain, tmp_path).to_protobuf(schema) == messages
