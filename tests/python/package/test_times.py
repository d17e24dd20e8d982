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
        with pytest.raises(OverflowError, match="no 64-bit number of the unit 'ns'"):
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
    with pytest.raises(ValueError, match="no whole number"):
        st.constant(np.array([1], "m8[us]")) == pd.Timedelta(1, "ns")  # noqa: B015
    with pytest.raises(ValueError, match="not-a-time"):
        times == pd.NaT  # noqa: B015


@pytest.mark.parametrize("dtype", ["M8[D]", "M8[h]", "m8[W]", "m8[m]", "M8[10s]", "m8[25us]"])
@pytest.mark.parametrize("count", [2**62, -(2**62), MAX, MIN + 1])
def test_coarse_units_do_not_wrap(dtype, count):
    with pytest.raises(OverflowError, match=r"\[1, 0\].*no 64-bit number"):
        st.constant(np.array([[5], [count]], "int64").view(dtype))
    with pytest.raises(OverflowError):
        st.constant(np.array(count).view(dtype))
    fits = np.array([5, -7, MIN], "int64").view(dtype)
    unit = "us" if "us" in dtype else "s"
    assert st.constant(fits).to_py() == st.constant(fits.astype(f"{dtype[:2]}[{unit}]")).to_py()
