"""Messages that to_protobuf() writes from columns of serialized messages, and from columns without absent values."""

import random

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

import structtensor as st

PROTO = """syntax = "proto3";
package w;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
message Leaf { int32 a = 1; string s = 2; repeated int32 packed = 3; repeated fixed64 fixed = 4; Leaf leaf = 5; bytes b = 6; }
message Inner { int32 a = 1; }
message Row {
  oneof choice {
    int32 number = 1;
    google.protobuf.Timestamp time = 2;
    google.protobuf.Duration duration = 3;
    string text = 4;
    Inner struct = 5;
  }
  oneof times { google.protobuf.Timestamp begin = 6; google.protobuf.Duration length = 7; }
  Leaf leaf = 8;
  repeated Leaf leaves = 9;
  map<string, Leaf> by_name = 10;
  google.protobuf.Timestamp at = 11;
}
"""


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "w.proto"
    path.write_text(PROTO)
    return st.Schema.from_proto(path)


@pytest.fixture(scope="module")
def classes(schema):
    files = descriptor_pb2.FileDescriptorSet.FromString(schema.to_descriptor_set())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = ("w.Row", "w.Leaf")
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in names]


# --- serialized messages


def leaf_bytes(rng):
    """Bytes that are a Leaf, or nearly."""
    parts = [
        b"\x08\x05", b"\x12\x02ab", b"\x1a\x02\x01\x02", b"\x22\x08abcdefgh", b"\x2a\x02\x08\x01", b"\x32\x01\xff", b"\x2a\x00",
        b"\x18\x05", b"\x21abcdefgh", b"\x0a\x01\xff", b"\x63\x08\x01\x64", b"\x62\x01x", b"\x0d\x01\x02\x03\x04",
    ]
    data = bytearray(b"".join(rng.choices(parts, k=rng.randrange(4))))
    for _ in range(rng.choice([0, 0, 1, 2])):
        if data:
            data[rng.randrange(len(data))] = rng.choice([0, 1, 2, 5, 0x0B, 0x0C, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    if rng.randrange(3) == 0:
        data = data[: rng.randrange(len(data) + 1)]
    return bytes(data)


def test_serialized_messages_are_those_that_protobuf_parses(schema, classes):
    row_class, leaf_class = classes
    decoder = schema.decoder("w.Leaf", on_error="skip")
    rng = random.Random(50)
    seen = {True: 0, False: 0}
    for _ in range(20_000):
        data = leaf_bytes(rng)
        rows = st.StructuredTensor.from_fields({"leaf": st.constant([data], dtype="bytes")})
        try:
            leaf_class.FromString(data)
            # python-protobuf accepts the field number 0 in unknown groups. Other parsers do not.
            is_message = decoder.decode([data]).nrows == 1
        except message.DecodeError:
            is_message = False
        if not is_message:
            seen[False] += 1
            with pytest.raises(ValueError, match="^row 0: leaf: these bytes are not a valid w.Leaf: byte"):
                rows.to_protobuf(schema, "w.Row")
            continue
        seen[True] += 1
        (written,) = rows.to_protobuf(schema, "w.Row")
        assert row_class.FromString(written).HasField("leaf") and written.endswith(data)
    assert min(seen.values()) > 1000


@pytest.mark.parametrize(
    ("field", "values", "text"),
    [
        ("leaf", st.constant([b"", b"\x2a\x02\x12\x05"], dtype="bytes"), "row 1: leaf: .*Leaf: byte 2, leaf.s: the value runs"),
        ("leaf", st.constant([b"", b"\x12\x01\xff"], dtype="bytes"), "row 1: leaf: .*Leaf: byte 0, s: string is not valid"),
        ("leaves", st.constant([[b""], [b"", b"\x0c"]], dtype="bytes"), "row 1: leaves: .*byte 0, a: the end of a group"),
        ("at", st.constant([b"\x08\x01", b"\x08"], dtype="bytes"), "row 1: at: .*protobuf.Timestamp: byte 0, seconds: not"),
        ("struct", st.constant([b"\x08\x01", b"\x00"], dtype="bytes"), "row 1: struct: .*byte 0: not a tag"),
        ("by_name", [[], [{"key": "k", "value": b"\x08"}]], "row 1: by_name.value: .*byte 0, a: not a varint"),
    ],
)
def test_errors_have_row_and_path(schema, field, values, text):
    rows = st.StructuredTensor.from_fields({field: st.constant(values)})
    with pytest.raises(ValueError, match="^" + text):
        rows.to_protobuf(schema, "w.Row")
    with pytest.raises(ValueError, match="^" + text):
        rows.to_protobuf_json(schema, "w.Row")


def test_messages_below_the_recursion_depth_come_back(schema, classes):
    leaf = classes[1](a=1, leaf={"a": 2, "leaf": {"a": 3, "packed": [1, 2], "s": "é"}})
    decoded = schema.decoder("w.Leaf").decode([leaf.SerializeToString()])
    assert classes[1].FromString(decoded.to_protobuf()[0]) == leaf


# --- columns without absent values


CHOICES = [{"number": 5}, {"number": 0}, {"time": {"seconds": 7}}, {"time": {}}, {"duration": {"nanos": 5}}, {"duration": {}}]
CHOICES += [{"text": ""}, {"text": "a"}, {"struct": {}}, {"struct": {"a": 1}}, {}]
CHOICES += [{"begin": {"seconds": 1}}, {"begin": {}}, {"length": {"seconds": -1}}, {"length": {}}]


@pytest.mark.parametrize("optionals", ["default", "nullable", "ragged"])
def test_oneofs_with_times_come_back(schema, classes, optionals):
    rng = random.Random(14)
    for size in [1] * len(CHOICES) + [2] * 50 + [20] * 10:
        # The field `at` is outside of oneofs: without absent values, it is 0 where it was absent.
        rows = [classes[0](**choice, at={}) for choice in rng.sample(CHOICES, min(size, len(CHOICES)))]
        decoder = schema.decoder("w.Row", optionals=optionals, timestamps="ns")
        batch = decoder.decode([row.SerializeToString() for row in rows])
        assert [classes[0].FromString(written) for written in batch.to_protobuf()] == rows


def test_a_time_outside_of_the_unit_and_edited_members(schema, classes):
    rows = [classes[0](time={"seconds": 1}), classes[0](number=3)]
    decoder = schema.decoder("w.Row")
    batch = decoder.decode([row.SerializeToString() for row in rows])
    # A member that is given counts, whatever the case of the other columns was.
    times = st.constant([None, 2_000_000_000], spec=st.TensorSpec([2], "timestamp[ns]", nullable=True))
    numbers = st.constant([8, None], spec=st.TensorSpec([2], "int32", nullable=True))
    edited = st.StructuredTensor.from_fields({"number": numbers, "time": times, "choice_case": batch["choice_case"]})
    written = [classes[0].FromString(each) for each in edited.to_protobuf(schema, "w.Row")]
    assert written == [classes[0](number=8), classes[0](time={"seconds": 2})]
