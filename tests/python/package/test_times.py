"""Times of Python, pandas and NumPy beside those of values: beyond a unit's range, with nanoseconds, and of coarse units."""

import datetime
import operator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import structtensor as st

COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
NAMES = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
MIN, MAX = -(2**63), 2**63 - 1
STAMPS = st.from_arrow(pa.array([0, MIN, None, MAX], pa.timestamp("ns")))
LENGTHS = st.from_arrow(pa.array([0, MIN, None, MAX], pa.duration("ns")))
WEST = datetime.timezone(datetime.timedelta(hours=-5))

BEYOND = [
    (STAMPS, datetime.datetime(9999, 1, 1), 1),
    (STAMPS, datetime.datetime.max.replace(tzinfo=WEST), 1),
    (STAMPS, datetime.date(1, 1, 1), -1),
    (STAMPS, datetime.datetime.min, -1),
    (STAMPS, np.datetime64("9999-01-01"), 1),
    (STAMPS, np.datetime64(2**62, "Y"), 1),
    (STAMPS, np.datetime64(-(2**62), "M"), -1),
    (STAMPS, "9999-01-01", 1),
    (STAMPS, pd.Timestamp("9999-01-01").as_unit("s"), 1),
    (LENGTHS, datetime.timedelta.max, 1),
    (LENGTHS, datetime.timedelta.min, -1),
    (LENGTHS, np.timedelta64(2**62, "W"), 1),
]


@pytest.mark.parametrize(("times", "other", "side"), BEYOND)
@pytest.mark.parametrize(("name", "function"), list(zip(COMPARISONS, NAMES)))
def test_comparisons_with_times_beyond_the_unit(times, other, side, name, function):
    expected = getattr(operator, name)(0, side)
    expected = [expected, expected, None, expected]
    if not isinstance(other, str):
        assert getattr(operator, name)(times, other).to_py() == expected
    assert getattr(st, function)(times, other).to_py() == expected
    turned = getattr(operator, name)(side, 0)
    assert getattr(st, function)(other, times).to_py() == [turned, turned, None, turned]
    if isinstance(other, (datetime.datetime, datetime.timedelta)) and not isinstance(other, pd.Timestamp):
        assert getattr(operator, name)(other, times).to_py() == [turned, turned, None, turned]
    if isinstance(other, np.generic):
        assert getattr(np, function)(times, other).to_py() == expected
        assert getattr(operator, name)(other, times).to_py() == [turned, turned, None, turned]


def test_comparisons_of_ragged_times_and_of_arrays():
    ragged = st.RaggedTensor.from_row_splits(np.array(["2026-01-01", "2027-01-01"], "M8[ns]"), [0, 2, 2])
    assert (ragged < datetime.datetime(9999, 1, 1)).to_py() == [[True, True], []]
    assert (ragged == datetime.datetime(1, 1, 1)).to_py() == [[False, False], []]
    assert st.less(datetime.datetime(9999, 1, 1), np.array(["2026-01-01"], "M8[ns]")).to_py() == [False]


def test_the_ends_of_the_range_are_in_it():
    last = np.datetime64(MAX, "ns")
    assert (STAMPS == last).to_py() == [False, False, None, True]
    assert (STAMPS < last).to_py() == [True, True, None, False]
    seconds = st.constant(np.array(["2026-01-01"], "M8[s]"))
    assert (seconds < datetime.datetime.max.replace(microsecond=0)).to_py() == [True]
    assert (seconds == np.datetime64("2026")).to_py() == (seconds == np.datetime64("2026-01")).to_py() == [True]
    assert (seconds == np.datetime64(-(10**6), "Y")).to_py() == [False]
    far = np.array([np.datetime64(-(10**6) * 12 + 5, "M")]).astype("M8[s]")
    assert (st.constant(far) == np.datetime64(-(10**6) * 12 + 5, "M")).to_py() == [True]


@pytest.mark.parametrize(("times", "other", "side"), BEYOND)
def test_arithmetic_with_times_beyond_the_unit(times, other, side):
    for function in (st.add, st.maximum, st.minimum):
        with pytest.raises(OverflowError, match="does not fit in 64 bits of the unit 'ns'"):
            function(times, other)


def test_years_have_no_length():
    with pytest.raises(TypeError, match="no fixed length"):
        st.less(LENGTHS, np.timedelta64(5, "Y"))


def test_times_of_pandas_have_nanoseconds():
    times = st.constant(np.array(["2026-01-01T00:00:00.000000001", "2026-01-01"], "M8[ns]"))
    stamp = pd.Timestamp("2026-01-01T00:00:00.000000001")
    assert (times == stamp).to_py() == [True, False]
    assert (times == stamp.tz_localize("UTC").tz_convert("Asia/Tokyo")).to_py() == [True, False]
    lengths = st.constant(np.array([1, 1000], "m8[ns]"))
    assert (lengths == pd.Timedelta(1, "ns")).to_py() == [True, False]
    with pytest.raises(ValueError, match="not a whole number"):
        st.constant(np.array([1], "m8[us]")) == pd.Timedelta(1, "ns")  # noqa: B015
    with pytest.raises(ValueError, match="not-a-time"):
        times == pd.NaT  # noqa: B015


@pytest.mark.parametrize("dtype", ["M8[D]", "M8[h]", "m8[W]", "m8[m]", "M8[10s]", "m8[25us]"])
@pytest.mark.parametrize("count", [2**62, -(2**62), MAX, MIN + 1])
def test_coarse_units_do_not_wrap(dtype, count):
    with pytest.raises(OverflowError, match=r"\[1, 0\].*does not fit in 64 bits"):
        st.constant(np.array([[5], [count]], "int64").view(dtype))
    with pytest.raises(OverflowError):
        st.constant(np.array(count).view(dtype))
    fits = np.array([5, -7, MIN], "int64").view(dtype)
    unit = "us" if "us" in dtype else "s"
    assert st.constant(fits).to_py() == st.constant(fits.astype(f"{dtype[:2]}[{unit}]")).to_py()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_sums_and_differences_as_in_numpy(unit):
    stamps = np.array(["2026-11-23T10:00:00", "NaT", "1969-12-31T23:59:59", "2000-02-29"], f"M8[{unit}]")
    lengths = np.array([90, -5, "NaT", 86400], "m8[s]").astype(f"m8[{unit}]")
    x, y = st.constant(stamps), st.constant(lengths)
    for found, expected in (
        (x - x[0], stamps - stamps[0]),
        (x[0] - x, stamps[0] - stamps),
        (x + y, stamps + lengths),
        (y + x, lengths + stamps),
        (x - y, stamps - lengths),
        (y + y, lengths + lengths),
        (y - y[3], lengths - lengths[3]),
        (np.subtract(x, stamps[3]), stamps - stamps[3]),
        (np.add(stamps, y), stamps + lengths),
        (x - stamps, stamps - stamps),
        (stamps - x, stamps - stamps),
    ):
        assert isinstance(found, st.Tensor)
        assert found.to_numpy().dtype == expected.dtype
        np.testing.assert_array_equal(found.to_numpy(), expected)
    ragged = st.RaggedTensor.from_row_splits(stamps, [0, 3, 3, 4])
    np.testing.assert_array_equal((ragged - x[0]).flat_values.to_numpy(), stamps - stamps[0])
    hours = st.constant(np.array([[1], [2], [3]], "m8[h]").astype(f"m8[{unit}]"))
    expected = stamps + np.array([1, 1, 1, 3], "m8[h]").astype(f"m8[{unit}]")
    np.testing.assert_array_equal((ragged + hours).flat_values.to_numpy(), expected)


def test_times_of_python_are_added_and_subtracted():
    noon = datetime.datetime(2026, 11, 23, 12, tzinfo=datetime.timezone.utc)
    hour = datetime.timedelta(hours=1)
    stamps = st.constant(np.array(["2026-11-23T10:30"], "M8[us]"))
    lengths = stamps - stamps
    for found, expected in (
        (noon - stamps, datetime.timedelta(minutes=90)),
        (stamps - noon, datetime.timedelta(minutes=-90)),
        (stamps - np.datetime64("2026-11-23"), datetime.timedelta(hours=10.5)),
        (np.datetime64("2026-11-23") - stamps, datetime.timedelta(hours=-10.5)),
        (stamps - datetime.date(2026, 11, 23), datetime.timedelta(hours=10.5)),
        (stamps + hour, datetime.datetime(2026, 11, 23, 11, 30)),
        (hour + stamps, datetime.datetime(2026, 11, 23, 11, 30)),
        (stamps - np.timedelta64(60, "m"), datetime.datetime(2026, 11, 23, 9, 30)),
        (lengths + hour, hour),
        (hour - lengths, hour),
        (lengths + noon, datetime.datetime(2026, 11, 23, 12)),
        (lengths - pd.Timedelta("1h"), -hour),
        (st.subtract(pd.Timestamp("2026-11-23T12:00"), stamps), datetime.timedelta(minutes=90)),
    ):
        assert isinstance(found, st.Tensor)
        assert found.to_numpy().tolist() == [expected]


def test_times_that_are_not_added():
    x = st.constant(np.array(["2026-11-23T10:30"], "M8[ns]"))
    lengths = x - x
    for wrong in (
        lambda: x + x,
        lambda: x + datetime.datetime(2026, 1, 1),
        lambda: lengths - x,
        lambda: datetime.timedelta(1) - x,
        lambda: x - st.constant(np.array([1], "m8[s]")),  # another unit
        lambda: x + st.constant([1]),
        lambda: st.constant([1.5]) - x,
        lambda: x * x,
        lambda: lengths + st.constant(["a"]),
        lambda: x + np.timedelta64("NaT"),
    ):
        with pytest.raises(ValueError):
            wrong()
    for wrong in (lambda: x + 5, lambda: 5 - x, lambda: x + True, lambda: lengths - 1, lambda: x + 1.5):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(OverflowError):
        x + datetime.timedelta.max
    # What 64 bits cannot count is an error where it is present, and nothing where it is not.
    ends = st.from_arrow(pa.array([MAX, None, 1], pa.timestamp("ns")))
    with pytest.raises(ValueError, match=r"timestamp\[ns\] cannot hold element 0 of the result"):
        ends + np.timedelta64(1, "ns")
    with pytest.raises(ValueError, match=r"duration\[ns\] cannot hold element"):
        ends - st.from_arrow(pa.array([MIN] * 3, pa.timestamp("ns")))
    assert (ends + np.timedelta64(0, "ns")).to_py() == ends.to_py()
    assert (ends[1:] - np.datetime64(-5, "ns")).to_numpy()[1] == np.timedelta64(6, "ns")


def test_structs_are_not_added_to_times():
    x = st.constant(np.array(["2026-11-23"], "M8[s]"))
    with pytest.raises((TypeError, ValueError), match="struct|fields"):
        st.add(x, st.constant([{"a": 1}]))


UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2026, 11, 28, 18, 30, 0, 5, UTC)
ROUND_TRIPS = [
    ([MOMENT, None], "timestamp[us]"),
    ([[MOMENT], [], [datetime.datetime.max.replace(tzinfo=UTC), datetime.datetime.min.replace(tzinfo=UTC)]], "timestamp[us]"),
    ([datetime.timedelta(seconds=-1, microseconds=1), datetime.timedelta(0)], "duration[us]"),
    ([np.datetime64("2026-11-28T18:30:00.000000001", "ns"), np.datetime64(0, "ns")], "timestamp[ns]"),
    ([np.timedelta64(1, "ns")], "duration[ns]"),
    ([np.datetime64(253402300800, "s"), np.datetime64(-62135596801, "s")], "timestamp[s]"),
    ([np.timedelta64(2**62, "ms")], "duration[ms]"),
    ([{"at": MOMENT, "took": [datetime.timedelta(1)]}, {"at": None, "took": []}], None),
]


@pytest.mark.parametrize(("times", "dtype"), ROUND_TRIPS)
def test_constants_of_times_come_back(times, dtype):
    value = st.constant(times)
    assert value.to_py() == times
    assert st.constant(value.to_py(), spec=value.spec).equals(value)
    if dtype is None:
        assert value["at"].dtype == "timestamp[us]"
    else:
        assert (value.flat_values if isinstance(value, st.RaggedTensor) else value).dtype == dtype


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize(
    "count", [0, 1, -1, 10**9, -(10**9), 253402300799, -62135596800, 5 * 10**13, -5 * 10**16, MIN + 1, MAX]
)
def test_lists_of_times_are_exact(unit, count):
    for kind in ("datetime64", "timedelta64"):
        array = np.array([count], f"{kind}[{unit}]")
        (time,) = st.constant(array).to_py()
        assert isinstance(time, (datetime.datetime, datetime.timedelta, np.datetime64, np.timedelta64))
        assert st.constant([time], dtype=st.constant(array).dtype).to_numpy()[0] == array[0]
        if not isinstance(time, np.generic):
            assert array.astype(object)[0] == (time.replace(tzinfo=None) if kind == "datetime64" else time)


def test_constants_of_other_objects_with_times():
    west = datetime.datetime(2026, 1, 1, tzinfo=WEST)
    assert st.constant([west]).to_py() == [west]
    assert st.constant([datetime.datetime(2026, 1, 1)]).to_py() == [datetime.datetime(2026, 1, 1, tzinfo=UTC)]
    assert st.constant([datetime.date(2026, 1, 1)]).dtype == "timestamp[s]"
    assert st.constant([datetime.date(2026, 1, 1)]).to_py() == [datetime.datetime(2026, 1, 1, tzinfo=UTC)]
    stamp = pd.Timestamp("2026-01-01T00:00:00.000000007", tz="UTC")
    assert st.constant({"a": [stamp, pd.NaT]})["a"].to_py() == [stamp.to_datetime64(), None]
    assert st.constant([pd.Timedelta(7, "ns"), np.timedelta64("NaT")]).to_py() == [np.timedelta64(7, "ns"), None]
    assert st.constant(MOMENT).to_py() == MOMENT
    assert st.constant([np.timedelta64(7, "ns"), datetime.timedelta(seconds=1)]).to_py() == [
        np.timedelta64(7, "ns"),
        np.timedelta64(10**9, "ns"),
    ]
    assert st.constant([5, 6], dtype="duration[s]").to_py() == [datetime.timedelta(seconds=5), datetime.timedelta(seconds=6)]
    for unit in ("ns", "us", "D"):
        array = np.array(["2026-01-01", "2026-01-02"], f"M8[{unit}]")
        spec = st.TensorSpec([2], "timestamp[ns]")
        assert st.constant({"a": array}, spec=st.StructuredTensorSpec([], {"a": spec}))["a"].to_numpy().tolist() == (
            array.astype("M8[ns]").tolist()
        )


@pytest.mark.parametrize(
    ("times", "options", "message"),
    [
        (
            [MOMENT],
            {"dtype": "timestamp[s]"},
            r"\[0\]: the time 2026-11-28T18:30:00.000005Z would lose digits as timestamp\[s\]",
        ),
        ([MOMENT], {"dtype": "int64"}, r"\[0\]: expected int64, found the time 2026-11-28T18:30:00.000005Z"),
        ([MOMENT, 1], {}, "found the integer 1, but values before it are timestamps"),
        ([MOMENT, datetime.timedelta(1)], {}, "found the duration 86400s, but values before it are timestamps"),
        ([datetime.datetime.max], {"dtype": "timestamp[ns]"}, "does not fit in timestamp"),
        ([np.timedelta64(1, "Y")], {}, "times of the unit 'Y' have no dtype"),
        ([np.datetime64(1, "ps")], {}, "times of the unit 'ps' have no dtype"),
        ([{"a": [MOMENT, np.timedelta64(3)]}], {}, r"\[0\]\.a\[1\]: .* has no unit; give it one"),
        ([{"a": datetime.time(1)}], {}, r"\[0\]\.a: expected a number, a string, bytes, a datetime, a timedelta,.* found time"),
    ],
)
def test_constants_of_times_that_do_not_fit(times, options, message):
    with pytest.raises((ValueError, TypeError, OverflowError), match=message):
        st.constant(times, **options)


def test_a_time_is_not_a_number():
    for convert in (int, float):
        with pytest.raises(TypeError, match=r"a timestamp\[us\] is not a number; st.cast\(x, \"int64\"\) counts its units"):
            convert(st.constant(MOMENT))
    assert int(st.cast(st.constant(datetime.timedelta(seconds=1)), "int64")) == 10**6


class Lasting(st.ExtensionType):
    begin: st.Tensor
    length: st.Tensor


def test_times_in_extension_types():
    value = Lasting(begin=st.constant([MOMENT]), length=st.constant([datetime.timedelta(seconds=5)]))
    assert value.to_py() == {"begin": [MOMENT], "length": [datetime.timedelta(seconds=5)]}
    rows = st.StructuredTensor.from_fields({"a": st.stack([value, value])})
    assert rows["a"].to_py() == [list(value.to_py().values())] * 2
    assert "'2026-11-28T18:30:00.000005Z'" in repr(rows) and "'5s'" in repr(rows)
