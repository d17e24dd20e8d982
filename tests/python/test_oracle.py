"""The comparison itself: that it sees what it must see."""

import compare
import pyarrow as pa
import pytest
from google.protobuf import any_pb2, struct_pb2


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (0, False),
        (1, 1.0),
        (0.0, -0.0),
        (1.5, float("nan")),
        (None, 0),
        ([], None),
        ("a", b"a"),
        ([1, 2], [1]),
        ({"a": 1}, {"a": 2}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([("k", 1)], [("k", 2)]),
    ],
)
def test_differences_are_seen(expected, actual):
    assert compare.difference({"f": expected}, {"f": actual}).startswith("f")


def test_nan_equals_nan():
    assert compare.difference({"a": [float("nan")]}, {"a": [float("nan")]}) is None


def test_difference_names_the_place():
    assert compare.difference({"a": [{"b": 1}]}, {"a": [{"b": 2}]}) == "a[0].b: expected 1, found 2"


def test_recursive_messages_are_compared_by_what_they_parse_to():
    value = struct_pb2.Value(list_value=struct_pb2.ListValue(values=[struct_pb2.Value(number_value=float("nan"))]))
    row = compare.expected_row(value)
    assert row["kind_case"] == 6
    (element,) = row["list_value"]["values"]
    assert element == struct_pb2.Value(number_value=float("nan")).SerializeToString()
    assert element != struct_pb2.Value(number_value=1).SerializeToString()
    assert element != b"\xff"


def test_columns_are_ordered_by_number():
    assert compare.column_names(any_pb2.Any.DESCRIPTOR) == ["type_url", "value"]
    assert compare.column_names(struct_pb2.Value.DESCRIPTOR)[-2:] == ["list_value", "kind_case"]


def test_rows_give_microseconds_and_sorted_maps():
    struct = pa.struct([("at", pa.timestamp("us", tz="UTC")), ("labels", pa.map_(pa.string(), pa.duration("us")))])
    rows = [{"at": 1_700_000_000_123_456, "labels": [("b", 2), ("a", 1)]}, {"at": None, "labels": []}]
    integral = pa.array(rows, type=compare.without_temporal_types(struct))
    batch = pa.RecordBatch.from_struct_array(integral.view(struct))
    assert compare.rows(batch) == [{"at": 1_700_000_000_123_456, "labels": [("a", 1), ("b", 2)]}, rows[1]]
