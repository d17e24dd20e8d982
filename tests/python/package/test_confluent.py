"""Scans of messages with the headers of Confluent's serializers, which name the type of each message."""

import pickle

import pytest
from conftest import delimited

import structtensor as st

PROTO = """syntax = "proto3";
message A { int32 x = 1; message In { string s = 1; } message In2 { int32 q = 2; } }
message B { string t = 1; }
"""


def header(*indexes):
    """With fewer than 64 indexes below 64. No indexes for the first type of the file."""
    return b"\0\0\0\0\x2a" + bytes([2 * len(indexes), *(2 * index for index in indexes)])


A, B, IN2, NONE = header() + b"\x08\x05", header(1) + b"\x0a\x02bb", header(0, 1) + b"\x10\x07", header(9) + b"\x08\x05"


@pytest.fixture
def kafka(tmp_path):
    """Writes a file of records, and returns its path."""

    def write(*records, name="values.bin"):
        path = tmp_path / name
        path.write_bytes(delimited(records))
        return path

    return write


@pytest.fixture
def schema(tmp_path):
    (tmp_path / "k.proto").write_text(PROTO)
    return st.Schema.from_proto(tmp_path / "k.proto")


def test_the_first_header_names_the_type(kafka, schema):
    assert st.read(kafka(A, A), schema, confluent=True).to_py() == [{"x": 5}, {"x": 5}]
    assert st.read(kafka(B), schema, confluent=True).to_py() == [{"t": "bb"}]
    assert st.read(kafka(IN2), schema, confluent=True).to_py() == [{"q": 7}]
    assert st.read(kafka(B), schema, message="B", confluent=True).to_py() == [{"t": "bb"}]


def test_messages_of_another_type_are_broken(kafka, schema):
    path = kafka(A, B, NONE, A)
    with pytest.raises(st.DecodeError, match=r"record 1, byte 9: the message indexes \[1\] .* name B; expected A .*message="):
        st.read(path, schema, confluent=True)
    for message in (None, "A"):
        batches = st.scan(path, schema, message=message, confluent=True, on_error="skip").batches()
        assert [row["x"].to_py() for batch in batches for row in batch] == [5, 5]
        problems = [row["problem"] for row in batches.errors.to_py()]
        assert "name B; expected A" in problems[0] and "name no message type; expected A" in problems[1]
    assert st.read(path, schema, message="B", confluent=True, on_error="skip").to_py() == [{"t": "bb"}]
    rows = st.read(path, schema, confluent=True, on_error="null").to_py()
    assert [row is not None and row["x"] for row in rows] in ([5, None, None, 5], [5, False, False, 5], [5, 0, 0, 5])


def test_all_splits_have_the_type_of_the_scan(kafka, schema, tmp_path):
    kafka(A, name="1.bin")
    kafka(B, name="2.bin")
    scan = st.scan(tmp_path / "*.bin", schema, confluent=True, on_error="skip")
    first, second = (pickle.loads(pickle.dumps(split)) for split in scan.splits())
    assert first.read().to_py() == [{"x": 5}]
    assert second.read().to_py() == [] and second.spec == first.spec


def test_arguments_are_checked(kafka, schema, tmp_path):
    with pytest.raises(TypeError, match="confluent: expected True or False"):
        st.scan(kafka(A), schema, confluent="yes")
    with pytest.raises(FileNotFoundError):
        st.scan(tmp_path / "missing", schema, confluent=True)
    with pytest.raises(ValueError, match="which message type"):
        st.scan(kafka(), schema, confluent=True)  # without a header or message=
    with pytest.raises(ValueError, match="has no Confluent headers"):
        st.scan(kafka(A), schema, confluent=True, format="json")
    with pytest.raises(st.DecodeError, match="it begins with a Confluent header: pass confluent="):
        st.read(kafka(A, A), schema, message="A")


def test_messages_in_memory(schema):
    assert schema.decoder("A").decode([A, A], confluent=True).to_py() == [{"x": 5}, {"x": 5}]
    assert schema.decoder("In2").decode([IN2], confluent=True).to_py() == [{"q": 7}]
    assert schema.decoder("B").decode(delimited([B, B]), format="delimited", confluent=True).to_py() == [{"t": "bb"}] * 2
    with pytest.raises(st.DecodeError, match=r"^message 1, byte 0: the message indexes \[1\] .* name B; expected A$") as raised:
        schema.decoder("A").decode([A, B], confluent=True)
    assert raised.value.message_index == 1
    with pytest.raises(st.DecodeError, match="does not begin with a Confluent header"):
        schema.decoder("A").decode([b"\x08\x05"], confluent=True)


def test_messages_in_memory_are_judged_as_those_of_files(kafka, schema):
    records = [A, B, NONE, A, A[:3], b"", A + b"\xff"]
    path = kafka(*records)
    for on_error in ("skip", "null"):
        of_file = st.read(path, schema, message="A", confluent=True, on_error=on_error)
        rows = schema.decoder("A", on_error=on_error).decode(records, confluent=True)
        assert rows.to_py() == of_file.to_py() and len(rows.to_py()) == (2 if on_error == "skip" else 7)
        parts = [
            [(row["message_index"], row["path"], row["problem"]) for row in each.errors.to_py()] for each in (rows, of_file)
        ]
        assert parts[0] == parts[1] and [part[0] for part in parts[0]] == [1, 2, 4, 5, 6]
    first = r"5 of 7 messages .*; the first: message 1, byte 0: the message indexes \[1\] .*; expected A$"
    with pytest.raises(st.DecodeError, match=first):
        schema.decoder("A", on_error="skip", max_errors=1).decode(records, confluent=True)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("where", [None, "x > 0"])
def test_an_error_is_about_the_first_broken_message(kafka, schema, where, threads):
    large = header() + b"\x08\x05" + b"\x7a\x80\xc0\x02" + b"x" * 40960  # field 15
    broken = A + b"\xff"
    options = {"where": where, "threads": threads}
    for records, number in (([A, broken, B], 1), ([*[large] * 8, broken, *[large] * 8, B, broken], 8), ([A, B, broken], 1)):
        with pytest.raises(st.DecodeError) as of_file:
            st.read(kafka(*records), schema, message="A", confluent=True, **options)
        with pytest.raises(st.DecodeError) as of_memory:
            schema.decoder("A", **options).decode(records, confluent=True)
        assert of_memory.value.message_index == of_file.value.message_index == number
        assert f"message {number}, byte " in str(of_memory.value) and f"record {number}, byte " in str(of_file.value)
        assert ("name B" in str(of_memory.value)) == (records[number] is B)


def test_arguments_of_decode_are_checked(schema):
    decoder = schema.decoder("A")
    with pytest.raises(TypeError, match="confluent: expected True or False"):
        decoder.decode([A], confluent=1)
    with pytest.raises(ValueError, match='format = "json": text has no Confluent headers'):
        decoder.decode("{}", format="json", confluent=True)
    assert decoder.decode([], confluent=True).nrows == 0
