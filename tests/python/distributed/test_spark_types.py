"""Columns of Arrow in the types of Spark, compared with what Python computes from their values."""

import datetime
import decimal
import inspect

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType, TimestampNTZType

from structtensor.spark import _types


US = datetime.timedelta(microseconds=1)
ENTRIES = pa.map_(pa.string(), pa.struct([("t", pa.timestamp("ns", "UTC"))]))
NESTED = pa.large_list(pa.field("item", pa.struct([("a", pa.uint64()), ("m", ENTRIES)])))
VALUES = [
    [{"a": 2**64 - 1, "m": [("x", {"t": -1}), ("y", None)]}, None],
    None,
    [],
    [{"a": None, "m": None}, {"a": 0, "m": []}],
    [{"a": 7, "m": [("z", {"t": 1_999})]}],
]
EXPECTED = [
    [{"a": decimal.Decimal(2**64 - 1), "m": [("x", {"t": -1}), ("y", None)]}, None],
    None,
    [],
    [{"a": None, "m": None}, {"a": decimal.Decimal(0), "m": []}],
    [{"a": decimal.Decimal(7), "m": [("z", {"t": 1})]}],
]


def in_microseconds(value):
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // US
    if isinstance(value, dict):
        return {name: in_microseconds(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_microseconds, value))
    return value


@pytest.mark.parametrize(("start", "stop"), [(0, 5), (1, 5), (3, 4), (2, 2), (4, 5)])
def test_nested_columns_and_slices_of_them(start, stop):
    array = pa.array(VALUES, NESTED).slice(start, stop - start)
    dtype = _types.spark_type(NESTED, "a")
    converted = _types.convert(array, dtype)
    converted.validate(full=True)
    assert converted.type == dtype
    assert in_microseconds(converted.to_pylist()) == EXPECTED[start:stop]


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        (pa.uint32(), [2**32 - 1, None], [2**32 - 1, None]),
        (pa.float16(), [1.5, None], [1.5, None]),
        (pa.large_string(), ["a", None], ["a", None]),
        (pa.binary(2), [b"ab", None], [b"ab", None]),
        (pa.list_(pa.uint8(), 2), [[1, 2], [3, None]], [[1, 2], [3, None]]),
        (pa.dictionary(pa.int32(), pa.string()), ["a", "b", None, "a"], ["a", "b", None, "a"]),
        (pa.duration("ns"), [-1, 1_500, None], [-US, US, None]),
        (pa.duration("s"), [-1, 2, None], [datetime.timedelta(seconds=-1), datetime.timedelta(seconds=2), None]),
        # What microseconds cannot count is absent.
        (pa.duration("s"), [2**63 - 1, -(2**63), 2**62], [None, None, None]),
    ],
)
def test_columns(dtype, values, expected):
    converted = _types.convert(pa.array(values, dtype), _types.spark_type(dtype, "a"))
    converted.validate(full=True)
    assert converted.to_pylist() == expected


def test_the_largest_times_that_microseconds_count():
    for unit, factor in (("s", 1_000_000), ("ms", 1_000)):
        most = (2**63 - 1) // factor
        converted = _types.convert(pa.array([most, most + 1, -most, -most - 2], pa.timestamp(unit, "UTC")), _types.TIMESTAMP)
        assert converted.view(pa.int64()).to_pylist() == [most * factor, None, -most * factor, None]


def test_buffers_are_kept():
    array = pa.array([["a"], ["b", "c"]], pa.large_list(pa.string()))
    converted = _types.convert(array, _types.spark_type(array.type, "a"))
    assert converted.values.buffers()[2].address == array.values.buffers()[2].address


def test_the_schema_is_that_of_spark():
    schema = _types.spark_schema(
        pa.schema([pa.field("n", NESTED, nullable=False), ("d", pa.duration("ns")), ("u", pa.uint16()), ("b", pa.bool_())])
    )
    struct = _types.struct_type(schema)
    zone = {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_schema).parameters else {}
    assert to_arrow_schema(struct, **zone) == schema
    assert _types.arrow_schema(struct) == schema
    with pytest.raises(ValueError, match="t: messages have no columns of the type timestamp_ntz"):
        _types.arrow_schema(StructType([StructField("t", TimestampNTZType())]))


def test_types_that_spark_does_not_have_are_refused():
    dtype = pa.list_(pa.struct([("u", pa.dense_union([pa.field("a", pa.int32())]))]))
    with pytest.raises(TypeError, match=r"field\[\].u: Spark has no type for .*drop"):
        _types.spark_type(dtype, "field")


def test_too_many_elements_are_an_error():
    offsets = _types._narrow_offsets(pa.array([0, 2**31 - 1]), "a")
    assert offsets.to_pylist() == [0, 2**31 - 1]
    with pytest.raises(ValueError, match=r"a\[\]: a batch has more than 2\^31 elements; make batches smaller"):
        _types._narrow_offsets(pa.array([0, 2**31]), "a[]")


def test_numbers_that_do_not_fit_are_errors_with_their_path():
    with pytest.raises(ValueError, match=r"a\[\].b: "):
        _types.convert(pa.array([[{"b": 2**40}]]), pa.list_(pa.struct([("b", pa.int32())])), "a")
