"""Counts of what columns have no place for: unknown fields, unknown enum numbers, and digits of times."""

import concurrent.futures

import pytest
from conftest import delimited

import structtensor as st

PROTO = """syntax = "proto2";
package t;
message Log {
  enum Level { NONE = 0; LOW = 1; HIGH = 2; }
  optional string text = 1;
  repeated Span spans = 2;
  repeated Level levels = 3 [packed = true];
  map<string, Level> by_name = 4;
  oneof choice { Level level = 5; string other = 6; }
}
message Span { optional int32 id = 1; }
"""
PLAIN = b"\x0a\x01a"
FIELD = PLAIN + b"\x78\x01"  # field 15
SPAN = b"\x12\x04\x08\x01\x20\x05"  # field 4 of a span
ENUMS = b"\x1a\x03\x01\x07\x09" + b"\x28\x63"  # 7 and 9 in `levels`, 99 in `level`
ENTRY = b"\x22\x05\x0a\x01k\x10\x08"  # 8 in `by_name`
BROKEN = b"\x78\x01\x0a\xff"


@pytest.fixture
def schema(tmp_path):
    (tmp_path / "log.proto").write_text(PROTO)
    return st.Schema.from_proto(tmp_path / "log.proto", message="Log")


EXPECTED = [
    {"message": "t.Log", "unknown_fields": 1, "unknown_enum_numbers": 4, "field": "15", "first": "message 1"},
    {"message": "t.Span", "unknown_fields": 2, "unknown_enum_numbers": 0, "field": "spans.4", "first": "message 2"},
]
MESSAGES = [PLAIN, FIELD, SPAN + SPAN, ENUMS, ENTRY]


@pytest.mark.parametrize("threads", [1, 3])
def test_batches_count_what_they_drop(schema, threads):
    batch = schema.decoder(threads=threads).decode(MESSAGES)
    assert batch.dropped_values.to_py() == EXPECTED
    assert batch["levels"].to_py() == [[], [], [], [1], []]
    assert schema.decoder(unknown_fields=True).decode(MESSAGES).dropped_values.to_py() == []
    assert schema.decoder().decode([PLAIN]).dropped_values.to_py() == []


def test_a_type_read_in_two_places_is_listed_once(tmp_path):
    (tmp_path / "pair.proto").write_text(
        'syntax = "proto3"; package t; message Leaf { int32 a = 1; int32 b = 2; } message Pair { Leaf x = 1; Leaf y = 2; }'
    )
    schema = st.Schema.from_proto(tmp_path / "pair.proto", message="Pair")
    messages = [b"\x0a\x02\x48\x01" + b"\x12\x04\x48\x01\x50\x01"]  # field 9 of x; fields 9 and 10 of y
    for select in (["x.a", "y.a"], ["x.a", "y.b"], None):
        [leaf] = schema.decoder(select=select).decode(messages).dropped_values.to_py()
        assert (leaf["message"], leaf["unknown_fields"], leaf["first"]) == ("t.Leaf", 3, "message 0")


def test_the_counts_of_threads_are_added(schema):
    plain = b"\x0a\xe8\x07" + b"a" * 1000
    messages = [plain] * 200 + [FIELD] + [plain] * 200 + [FIELD, SPAN]
    [log, span] = schema.decoder(threads=4).decode(messages).dropped_values.to_py()
    assert (log["unknown_fields"], log["first"]) == (2, "message 200")
    assert (span["unknown_fields"], span["first"]) == (1, "message 402")


def test_broken_and_unread_values_do_not_count(schema):
    skip = schema.decoder(on_error="skip")
    assert skip.decode([BROKEN, FIELD, BROKEN]).dropped_values.to_py() == [
        {"message": "t.Log", "unknown_fields": 1, "unknown_enum_numbers": 0, "field": "15", "first": "message 1"}
    ]
    assert skip.decode([BROKEN, PLAIN]).dropped_values.to_py() == []
    chosen = schema.decoder(select="text", where="text IS NULL").decode([FIELD, SPAN, ENUMS])
    assert chosen.nrows == 2 and chosen.dropped_values.to_py() == []


def test_an_enum_number_can_be_the_first(schema):
    [row] = schema.decoder().decode([b"\x28\x63" + FIELD]).dropped_values.to_py()
    assert (row["field"], row["unknown_fields"], row["unknown_enum_numbers"]) == ("level", 1, 1)


def test_scans_name_the_file_of_the_first(schema, tmp_path):
    for name, messages in (("a.pb", [PLAIN]), ("b.pb", MESSAGES)):
        (tmp_path / name).write_bytes(delimited(messages))
    places = [f"{tmp_path}/b.pb record 1, byte 5", f"{tmp_path}/b.pb record 2, byte 11"]
    expected = [{**row, "first": place} for row, place in zip(EXPECTED, places, strict=True)]
    # Each batch has its own counts and places.
    in_second = [{**expected[0], "unknown_enum_numbers": 0}, expected[1]]
    place = f"{tmp_path}/b.pb record 3, byte 24"
    in_third = [{**expected[0], "unknown_fields": 0, "field": "levels", "first": place}]
    paths = [tmp_path / "a.pb", tmp_path / "b.pb"]
    assert st.read(paths, schema, format="delimited").dropped_values.to_py() == expected
    for threads in (1, 2):
        batches = st.scan(paths, schema, format="delimited", threads=threads).batches(batch_size=2)
        assert [batch.dropped_values.to_py() for batch in batches] == [[], in_second, in_third]
        assert batches.dropped_values.to_py() == expected


def test_threads_that_share_a_decoder_get_their_own_counts(schema):
    decoder = schema.decoder()

    def wrong_counts(messages, expected):
        return sum(decoder.decode(messages).dropped_values["unknown_fields"].to_py() != expected for _ in range(1000))

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        found = pool.map(wrong_counts, [[PLAIN], [FIELD] * 2, [FIELD] * 500], [[], [2], [500]])
        assert list(found) == [0, 0, 0]


TIMES = """syntax = "proto3";
import "google/protobuf/timestamp.proto";
message Event { google.protobuf.Timestamp at = 1; repeated google.protobuf.Timestamp more = 2; }
"""
NANOSECOND = b"\x10\x01"
YEAR_9999 = b"\x08\xff\x82\xd1\xff\xaf\x07"  # 253402300799 s


def at(time):
    return b"\x0a" + bytes([len(time)]) + time


def more(time):
    return b"\x12" + bytes([len(time)]) + time


@pytest.mark.parametrize("threads", [1, 3])
def test_inexact_times_are_counted(tmp_path, threads):
    (tmp_path / "event.proto").write_text(TIMES)
    schema = st.Schema.from_proto(tmp_path / "event.proto", message="Event")
    messages = [at(NANOSECOND), at(YEAR_9999) + more(NANOSECOND) + more(NANOSECOND), at(b"")] * 3
    (tmp_path / "events.pb").write_bytes(delimited(messages))
    expected = {
        "us": [("at", "us", 0, 3), ("more", "us", 0, 6)],
        "ns": [("at", "ns", 3, 0)],
        "s": [("at", "s", 0, 3), ("more", "s", 0, 6)],
    }
    for unit, rows in expected.items():
        rows = [dict(zip(("field", "unit", "set_to_null", "truncated"), row)) for row in rows]
        batch = schema.decoder(timestamps=unit, threads=threads).decode(messages)
        assert batch.inexact_times.to_py() == rows, unit
        scan = st.scan(tmp_path / "events.pb", schema, format="delimited", timestamps=unit, threads=threads)
        assert scan.read().inexact_times.to_py() == rows, unit
        batches = scan.batches(batch_size=3)
        thirds = [{**row, "set_to_null": row["set_to_null"] // 3, "truncated": row["truncated"] // 3} for row in rows]
        assert [batch.inexact_times.to_py() for batch in batches] == [thirds] * 3, unit
        assert batches.inexact_times.to_py() == rows, unit
    assert schema.decoder().decode([at(YEAR_9999)]).inexact_times.to_py() == []
    assert schema.decoder(well_known_types="structs").decode(messages).inexact_times.to_py() == []
