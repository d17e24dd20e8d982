"""The messages of the real data sets go through both databases and come back equal."""

import base64

import firebase_server
import pytest
import spanner_server
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from real_data import EVERY_SET, open_real_set
from spanner_server import DATABASE, type_of

import structtensor as st
import structtensor.firebase
import structtensor.spanner

MAX_MESSAGES, MAX_BYTES = 300, 1_000_000


@pytest.fixture(scope="module", params=EVERY_SET)
def real_set(request):
    """A schema, the name of its message type, python-protobuf's class, and messages of a few megabytes."""
    opened = open_real_set(request.param)
    name, descriptors = opened.message, opened.descriptor_set.read_bytes()
    pool = descriptor_pool.DescriptorPool()
    for one in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file:
        pool.Add(one)
    schema = st.Schema.from_descriptor_set(descriptors, name)
    messages, size = [], 0
    for batch in st.scan(str(opened.messages), schema, limit=MAX_MESSAGES, unknown_fields=True).batches(batch_size=1):
        messages += batch.to_protobuf()
        size += len(messages[-1])
        if size > MAX_BYTES:
            break
    return schema, name, message_factory.GetMessageClass(pool.FindMessageTypeByName(name)), messages


def normal(message_class, serialized, unknown_fields):
    message = message_class.FromString(serialized)
    if not unknown_fields:
        message.DiscardUnknownFields()
    return message.SerializeToString(deterministic=True)


def test_through_spanner(real_set):
    schema, name, message_class, messages = real_set
    server = spanner_server.Server()
    server.tables["T"] = spanner_server.Table([("id", type_of("INT64")), ("message", type_of("PROTO", proto=name))], "id")
    rows = st.StructuredTensor.from_fields({"id": list(range(len(messages))), "message": messages})
    with spanner_server.running(server) as address, spanner_server.environment(SPANNER_EMULATOR_HOST=address):
        assert structtensor.spanner.write(DATABASE, "T", rows) == len(messages)  # as bytes
        structs = structtensor.spanner.read(DATABASE, "T", schema=schema, unknown_fields=True, timestamps="ns")
        server.tables["T"].rows.clear()
        assert structtensor.spanner.write(DATABASE, "T", structs, schema=schema) == len(messages)
    kept = [base64.b64decode(server.tables["T"].rows[i]["message"].string_value) for i in range(len(messages))]
    assert [normal(message_class, message, True) for message in kept] == [
        normal(message_class, message, True) for message in messages
    ]


def test_through_firebase(real_set):
    schema, name, message_class, messages = real_set
    batch = schema.decoder(timestamps="ns").decode(messages)
    keys = [f"k{i:04}" for i in range(len(messages))]
    fields = {field: batch.field_value(field) for field in batch.field_names()}
    rows = st.StructuredTensor.from_fields({"_key_": keys, **fields})
    with firebase_server.running(firebase_server.Database()) as root:
        assert structtensor.firebase.write(f"{root}/real", rows, schema, max_bytes=64 << 20) == len(messages)
        pieces = list(structtensor.firebase.batches(f"{root}/real", schema, batch_size=100, timestamps="ns"))
    again = st.concat(pieces, 0)
    assert again["_key_"].to_py() == keys
    found = again.with_updates({"_key_": None}).to_protobuf(schema)
    assert [normal(message_class, message, False) for message in found] == [
        normal(message_class, message, False) for message in messages
    ]
