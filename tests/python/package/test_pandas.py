"""DataFrames there and back, as TensorFlow's RFC has them; pandas.testing is the judge."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import structtensor as st
from structtensor import _objects

PAIRS = pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1), ("x", 1)], names=["k", "l"])
TRIPLES = pd.MultiIndex.from_tuples([("x", 1, 1), ("x", 1, 2), ("x", 2, 1), ("y", 2, 1), ("y", 2, 1), ("y", 3, 1)])
POSITIONS = pd.MultiIndex.from_tuples([(0, 0), (0, 1), (1, 0)])
GAPS = pd.MultiIndex.from_tuples([(0, 0), (2, 0)])
ZONED = pd.date_range("2026", periods=2, tz="UTC", name="when")

FRAMES = {
    "numbers": (pd.DataFrame({"a": [1, 2], "b": [1.5, np.nan], "c": np.array([1, 2], "uint32"), "d": [True, False]}), (2,)),
    "nullable": (
        pd.DataFrame(
            {
                "a": pd.array([1, None], "Int64"),
                "b": pd.array([1, 2], "UInt32"),
                "c": pd.array([True, None], "boolean"),
                "d": pd.array([1.5, None], "Float64"),
                "e": pd.array([2**63, None], "UInt64"),
                "f": pd.array([1.5, None], "Float32"),
            }
        ),
        (2,),
    ),
    "strings": (pd.DataFrame({"a": ["x", "ü"], "b": ["x", None], "c": [b"a", b""], "d": [b"a", None]}), (2,)),
    "times": (
        pd.DataFrame({"a": pd.to_datetime(["2026-01-01", None], utc=True), "b": pd.to_timedelta([1, None], "s")}),
        (2,),
    ),
    "lists": (pd.DataFrame({"a": [np.array([1, 2]), np.array([], "int64")]}), (2,)),
    "no columns": (pd.DataFrame({}, index=range(3)), (3,)),
    "no rows": (pd.DataFrame({"a": pd.array([], "int64"), "b": pd.array([], "str")}), (0,)),
    "nothing": (pd.DataFrame({}), (0,)),
    "index": (pd.DataFrame({"a": [1, 2]}, index=["x", "y"]), (2,)),
    "named index": (pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="n")), (2,)),
    "index of times": (pd.DataFrame({"a": [1, 2]}, index=ZONED), (2,)),
    "other range": (pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(5, 7)), (2,)),
    "named range": (pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(2, name="n")), (2,)),
    "rows of two levels": (pd.DataFrame({"a": range(4), "b": list("abcd")}, index=PAIRS), (3, None)),
    "rows of three levels": (pd.DataFrame({"a": range(6)}, index=TRIPLES), (2, None, None)),
    "rows of positions": (pd.DataFrame({"a": range(3)}, index=POSITIONS), (2, None)),
    "rows with gaps": (pd.DataFrame({"a": range(2)}, index=GAPS), (2, None)),
    "no rows of two levels": (pd.DataFrame({"a": range(4)}, index=PAIRS)[:0], (0, None)),
    "columns of two levels": (
        pd.DataFrame([[1, "t", 3]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "")])),
        (1,),
    ),
    "both": (
        pd.DataFrame([[1, 2]] * 4, index=PAIRS, columns=pd.MultiIndex.from_tuples([("a", "x", "p"), ("a", "y", "")])),
        (3, None),
    ),
    "odd names": (pd.DataFrame([[1, 2, 3]], columns=["a.b", "ü ", '"*[0]']), (1,)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_there_and_back(name):
    frame, shape = FRAMES[name]
    rows = st.from_pandas(frame)
    assert rows.shape == shape
    pd.testing.assert_frame_equal(rows.to_pandas(), frame, check_freq=False)


def test_indexes_as_the_rfc_has_them():
    assert st.from_pandas(FRAMES["numbers"][0]).field_names() == ("a", "b", "c", "d")
    assert st.from_pandas(FRAMES["index"][0]).to_py() == [{"_index_": "x", "a": 1}, {"_index_": "y", "a": 2}]
    assert st.from_pandas(FRAMES["named index"][0])["_index_"].to_py() == [{"n": "x"}, {"n": "y"}]
    assert st.from_pandas(FRAMES["other range"][0])["_index_"].to_py() == [5, 6]
    assert st.from_pandas(FRAMES["numbers"][0], index=True)["_index_"].to_py() == [0, 1]
    assert st.from_pandas(FRAMES["index"][0], index=False).field_names() == ("a",)
    pairs = st.from_pandas(FRAMES["rows of two levels"][0])
    assert pairs["a"].to_py() == [[0, 1], [2], [3]]
    assert pairs["_index_"]["k"].to_py() == [["x", "x"], ["y"], ["x"]]
    assert st.from_pandas(FRAMES["rows of three levels"][0])["a"].to_py() == [[[0, 1], [2]], [[3, 4], [5]]]
    assert st.from_pandas(FRAMES["rows of positions"][0]).field_names() == ("a",)
    assert st.from_pandas(FRAMES["rows with gaps"][0]).field_names() == ("_index_", "a")
    assert st.from_pandas(FRAMES["rows of two levels"][0], index=False).shape == (4,)
    assert st.from_pandas(FRAMES["columns of two levels"][0]).to_py() == [{"a": {"x": 1, "y": "t"}, "b": 3}]


def test_structs_become_frames():
    rows = st.constant([[{"a": 1}], [], [{"a": 3}, {"a": 5}]])
    frame = rows.to_pandas()
    assert frame.index.to_list() == [(0, 0), (2, 0), (2, 1)]
    assert frame["a"].to_list() == [1, 3, 5]
    deep = st.constant([[[{"a": 1}], [], [{"a": 3}, {"a": 5}]], [], [[{"a": 9}]]]).to_pandas()
    assert deep.index.to_list() == [(0, 0, 0), (0, 2, 0), (0, 2, 1), (2, 0, 0)]
    nested = st.constant([{"a": 1, "b": {"c": 2, "d": {"e": [1, 2]}}}])
    assert nested.to_pandas().columns.to_list() == [("a", "", ""), ("b", "c", ""), ("b", "d", "e")]
    (dicts,) = nested.to_pandas(nested="dicts")["b"]
    assert dicts["c"] == 2 and list(dicts["d"]["e"]) == [1, 2]
    with pytest.raises(ValueError, match="rank 1"):
        rows[0][0].to_pandas()
    with pytest.raises(ValueError, match="columns"):
        rows.to_pandas(nested="rows")
    with pytest.raises(ValueError, match="rank 1"):
        st.constant(5).to_pandas()


def test_fields_of_absent_structs_are_absent():
    inner = pa.array([{"c": 1, "t": "x", "d": {"e": b"q"}, "l": [1]}, None, {"c": 0, "t": "", "d": None, "l": []}])
    rows = st.from_arrow(pa.table({"b": inner}))
    frame = rows.to_pandas()
    assert frame["b", "c", ""].to_list() == [1, pd.NA, 0]
    assert frame["b", "c", ""].dtype == "Int64"
    assert frame["b", "t", ""].isna().to_list() == [False, True, False]
    assert frame["b", "d", "e"].to_list() == [b"q", None, None]
    assert [row if row is None else list(row) for row in frame["b", "l", ""]] == [[1], None, []]
    assert rows.to_pandas(nested="dicts")["b"][1] is None
    with pytest.raises(ValueError, match="_index_"):
        st.constant([{"_index_": {}}]).to_pandas()


def test_absent_rows_have_no_values():
    rows = st.from_arrow(pa.array([{"a": 1, "t": "x", "l": [1]}, None]))
    frame = rows.to_pandas()
    assert frame["a"].to_list() == [1, pd.NA]
    assert frame["t"].isna().to_list() == [False, True]
    assert frame["l"][1] is None


def test_no_rows_of_higher_rank():
    frame = st.constant([[{"a": 1}], []])[1:].to_pandas()
    assert (len(frame), frame.index.nlevels, frame.columns.to_list()) == (0, 2, ["a"])
    # Rows without structs leave nothing in a frame.
    assert st.from_pandas(frame).shape == (0, None)


def test_series():
    series = pd.Series([1, 2], index=["x", "y"])
    assert st.from_pandas(series).to_py() == [1, 2]
    assert not st.from_pandas(series).nullable
    assert st.from_pandas(series.astype("Int64")).nullable
    assert st.from_pandas(pd.Series([[1], [], [2, 3]])).to_py() == [[1], [], [2, 3]]
    assert st.from_pandas(pd.Series([{"a": 1}, None])).to_py() == [{"a": 1}, None]
    assert st.from_pandas(pd.Series(["x", "y", "x"], dtype="category")).to_py() == ["x", "y", "x"]
    assert st.from_pandas(pd.Series([1, 2], dtype="int8")).dtype == "int32"
    assert st.from_pandas(pd.Series([1, None], dtype="Int8")).to_py() == [1, None]
    assert st.from_pandas(pd.Series([1, None], dtype=pd.ArrowDtype(pa.int64()))).to_py() == [1, None]
    assert st.from_pandas(pd.Series(["a", None], dtype="string")).to_py() == ["a", None]
    assert [list(row) for row in st.constant([[1], [2, 3]]).to_pandas()] == [[1], [2, 3]]
    assert st.constant(np.array([1.5], np.float16)).to_pandas().dtype == "float16"


def test_time_zones():
    berlin = pd.Series(pd.to_datetime(["2026-07-01 12:00", "2026-01-01 12:00"]).tz_localize("Europe/Berlin"))
    times = st.from_pandas(berlin)
    assert times.to_pandas()[0] == pd.Timestamp("2026-07-01 10:00", tz="UTC")
    pd.testing.assert_series_equal(times.to_pandas(timezone="Europe/Berlin"), berlin)
    naive = pd.DataFrame({"a": pd.to_datetime(["2026-01-01", None])})
    pd.testing.assert_frame_equal(st.from_pandas(naive).to_pandas(timezone=None), naive)


def test_frames_are_their_own():
    tensor = st.constant(np.arange(3))
    series = tensor.to_pandas()
    series[0] = 7
    rows = st.StructuredTensor.from_fields({"a": tensor})
    frame = rows.to_pandas()
    frame.loc[0, "a"] = 9
    assert tensor.to_py() == [0, 1, 2]
    own = pd.DataFrame({"a": [1, 2]})
    made = st.from_pandas(own)
    own.loc[0, "a"] = 5
    assert made["a"].to_py() == [1, 2]


TWICE = pd.MultiIndex.from_tuples([("a", "x"), ("a", "")])


def test_dates_are_times_of_midnight():
    read = st.from_pandas(pd.DataFrame({"d": [datetime.date(2026, 1, 1), None]}))
    assert read["d"].dtype == "timestamp[s]"
    assert pa.array(read["d"]).cast(pa.timestamp("s")).to_pylist() == [datetime.datetime(2026, 1, 1), None]


# Objects at every depth: in a column, in lists, in dicts, and in mixtures of these.
SHAPES = {
    "column": lambda values: values,
    "lists": lambda values: [[value] for value in values],
    "one list": lambda values: [values],
    "tuples": lambda values: [tuple(values)],
    "arrays": lambda values: [np.array([value, None], dtype=object) for value in values],
    "dicts": lambda values: [{"t": value} for value in values],
    "dicts in lists": lambda values: [[{"t": value} for value in values]],
    "lists in dicts": lambda values: [{"d": {"l": [[value], []]}} for value in values],
}


def leaves(value):
    """The values in lists and dicts, without what is absent."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return [] if value is None else [value]
    return [leaf for item in value for leaf in leaves(item)]


def read_objects(values):
    """The innermost dtype, and all elements, of a column of objects."""
    found = st.from_pandas(pd.Series(values, dtype=object))
    while isinstance(found, st.StructuredTensor):
        found = found[found.field_names()[0]]
    return found.dtype, leaves(counts_of(found).to_py())


def counts_of(value):
    """Times as numbers of their unit."""
    return value.cast("int64") if value.dtype.startswith(("timestamp", "duration")) else value


DAY = 86400
BERLIN = datetime.timezone(datetime.timedelta(hours=1))
TIMES = [
    ([pd.Timestamp(1), pd.Timestamp(2, tz="UTC")], "timestamp[ns]", [1, 2]),
    ([pd.Timestamp(1), datetime.datetime(1970, 1, 1)], "timestamp[ns]", [1, 0]),
    ([pd.Timestamp(1), pd.NaT, None, pd.NA, float("nan")], "timestamp[ns]", [1]),
    ([pd.Timestamp("1970-01-02").as_unit("s")], "timestamp[s]", [DAY]),
    ([datetime.date(1970, 1, 2), datetime.datetime(1970, 1, 2, 5)], "timestamp[us]", [DAY * 10**6, (DAY + 18000) * 10**6]),
    ([datetime.datetime(1970, 1, 2, 5), datetime.date(1970, 1, 2)], "timestamp[us]", [(DAY + 18000) * 10**6, DAY * 10**6]),
    ([datetime.date(1970, 1, 2), pd.Timestamp(1)], "timestamp[ns]", [DAY * 10**9, 1]),
    ([datetime.date(1970, 1, 2), datetime.date(1969, 12, 31)], "timestamp[s]", [DAY, -DAY]),
    ([datetime.datetime(1970, 1, 1, 1, tzinfo=BERLIN), datetime.datetime(1970, 1, 1, 1)], "timestamp[us]", [0, 3600 * 10**6]),
    ([pd.Timestamp(1, tz="Europe/Berlin"), datetime.datetime(1970, 1, 1, 1, tzinfo=BERLIN)], "timestamp[ns]", [1, 0]),
    ([np.datetime64(1, "ns"), np.datetime64(1, "us"), np.datetime64("NaT")], "timestamp[ns]", [1, 1000]),
    ([np.datetime64("1970-02"), np.datetime64(1, "h")], "timestamp[s]", [31 * DAY, 3600]),
    # Where nanoseconds have no room, microseconds have, and nothing is lost.
    ([pd.Timestamp(5000), datetime.datetime(3000, 1, 1)], "timestamp[us]", [5, 32503680000 * 10**6]),
    ([pd.Timedelta(1, "ns"), datetime.timedelta(microseconds=-1)], "duration[ns]", [1, -1000]),
    ([datetime.timedelta(seconds=1), None], "duration[us]", [10**6]),
    ([np.timedelta64(1, "D"), np.timedelta64("NaT")], "duration[s]", [DAY]),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("values", "dtype", "counts"), TIMES, ids=[str(values) for values, _, _ in TIMES])
def test_objects_that_are_times_keep_what_they_say(values, dtype, counts, shape):
    assert read_objects(SHAPES[shape](values)) == (dtype, counts)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([datetime.datetime(2020, 1, 1), 5], "numbers and points in time"),
        ([5, datetime.datetime(2020, 1, 1)], "numbers and points in time"),
        ([datetime.date(2020, 1, 1), "x"], "other values and points in time"),
        ([pd.Timestamp(1), pd.Timedelta(1)], "lengths of time and points in time"),
        ([pd.Timestamp(1), datetime.datetime(3000, 1, 1)], "datetime.datetime.3000.*does not fit in 64 bits of the unit 'ns'"),
        ([np.datetime64(1, "ps")], "not a whole number"),
        ([np.timedelta64(1, "Y")], "no fixed length"),
    ],
)
def test_objects_that_are_not_times_together(values, text, shape):
    with pytest.raises((TypeError, ValueError, OverflowError), match=f"the Series.*{text}"):
        st.from_pandas(pd.Series(SHAPES[shape](values), dtype=object))


def test_arrays_of_times_in_lists_keep_their_units():
    mixed = [np.array([1, "NaT"], "datetime64[ns]"), [datetime.datetime(1970, 1, 1)], np.array([1], "datetime64[D]"), None]
    assert counts_of(st.from_pandas(pd.Series(mixed))).to_py() == [[1, None], [0], [DAY * 10**9], []]
    for unit in ("s", "ms", "us", "ns"):
        for kind, name in (("M", "timestamp"), ("m", "duration")):
            read = st.from_pandas(pd.Series([np.array([1, "NaT"], f"{kind}8[{unit}]"), np.array([], f"{kind}8[{unit}]")]))
            assert (read.dtype, counts_of(read).to_py()) == (f"{name}[{unit}]", [[1, None], []])


NAN = float("nan")


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "column"])
def test_nan_in_objects_is_a_number_where_numbers_are(shape):
    assert repr(read_objects(SHAPES[shape]([1.5, NAN, None, pd.NA]))) == "(double, [1.5, nan])"
    assert repr(read_objects(SHAPES[shape]([NAN, np.float32("nan")]))) == "(double, [nan, nan])"
    assert repr(read_objects(SHAPES[shape]([1, NAN]))) == "(double, [1.0, nan])"
    # pandas marks what is missing with NaN, too.
    assert read_objects(SHAPES[shape](["a", NAN])) == ("string", ["a"])
    assert read_objects(SHAPES[shape]([NAN, True])) == ("bool", [True])


def test_nan_in_a_column_of_objects_is_absent():
    assert st.from_pandas(pd.Series([1.5, NAN], dtype=object)).to_py() == [1.5, None]
    assert st.from_pandas(pd.Series([[1.5], NAN, pd.NA, None], dtype=object)).to_py() == [[1.5], [], [], []]
    assert st.from_pandas(pd.Series([{"a": 1}, NAN, pd.NaT], dtype=object)).to_py() == [{"a": 1}, None, None]


def nested_values(unit):
    times = pa.timestamp(unit, "UTC"), pa.duration(unit)
    fields = [("t", times[0]), ("d", times[1]), ("ts", pa.list_(times[0])), ("ds", pa.list_(times[1])), ("f", pa.float64())]
    inner = pa.struct([*fields, ("fs", pa.list_(pa.float64())), ("n", pa.list_(pa.list_(pa.float32())))])
    full = {"t": -1, "d": 1, "ts": [1, None], "ds": [None, 1], "f": NAN, "fs": [NAN, None, 1.5], "n": [[NAN], []]}
    rows = [full, {**full, "t": None, "d": None, "f": None, "fs": [], "n": [[], [None]]}]
    both = pa.struct([("one", inner), ("many", pa.list_(inner))])
    return st.from_arrow(pa.array([{"one": row, "many": [full, row][: 2 * i]} for i, row in enumerate(rows)], both))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("nested", ["columns", "dicts"])
@pytest.mark.parametrize("timezone", ["UTC", "Asia/Tokyo", None])
def test_times_and_nan_in_lists_and_dicts_come_back(unit, nested, timezone):
    rows = nested_values(unit)
    again = st.from_pandas(rows.to_pandas(nested=nested, timezone=timezone))
    assert repr(again.to_py()) == repr(rows.to_py())
    for path in ("one.t", "one.d", "one.ts", "one.ds", "one.f", "one.fs", "many.t", "many.d", "many.ts", "many.fs"):
        assert again.field_value(path).dtype == rows.field_value(path).dtype, path


def test_times_in_dicts_are_those_of_pandas():
    rows = nested_values("ns")
    (first, second) = rows.to_pandas(nested="dicts")["one"]
    assert (first["t"], first["d"]) == (pd.Timestamp(-1, tz="UTC"), pd.Timedelta(1, "ns"))
    assert (second["t"], second["d"], second["f"]) == (None, None, None)
    assert rows.to_pandas(nested="dicts", timezone="Asia/Tokyo")["one"][0]["t"].utcoffset() == datetime.timedelta(hours=9)
    assert rows.to_pandas(nested="dicts", timezone=None)["many"][1][0]["t"] == pd.Timestamp(-1)


@pytest.mark.parametrize("seconds", [2**40, 2**62, -(2**40), -(2**62)])
def test_times_that_calendars_do_not_have(seconds):
    inner = pa.struct([("t", pa.timestamp("s", "UTC")), ("d", pa.duration("s")), ("ts", pa.list_(pa.timestamp("s", "UTC")))])
    rows = st.from_arrow(pa.table({"s": pa.array([{"t": seconds, "d": seconds, "ts": [seconds]}], inner)}))
    assert st.from_pandas(rows.to_pandas(nested="dicts")).to_py() == rows.to_py()


def test_lists_of_pairs_are_read_with_maps():
    frame = pd.DataFrame({"m": [[], [("a", 1)]], "n": [1, 2]})
    with pytest.raises(TypeError, match="the column 'm'.*it has lists of pairs; maps= reads them as a map"):
        st.from_pandas(frame)
    assert st.from_pandas(frame, maps=["m"])["m"][1, st.MapKey("a")].to_py() == [1]
    with pytest.raises(TypeError, match=r"the column 'm'.*astype\(\) gives it one"):
        st.from_pandas(pd.DataFrame({"m": [[1], ["a"]]}))


def test_times_in_maps_come_back():
    entries = pa.array([[("a", 1)], [], [("b", 2), ("c", None)]], pa.map_(pa.string(), pa.timestamp("ns", "UTC")))
    rows = st.from_arrow(pa.table({"m": entries}))
    again = st.from_pandas(rows.to_pandas(), maps=["m"])
    assert again.to_py() == rows.to_py()
    assert again["m", :, "value"].dtype == "timestamp[ns]"


def test_objects_that_contain_themselves():
    endless_list, endless_dict = [], {}
    endless_list.append(endless_list)
    endless_dict["d"] = [endless_dict]
    for endless in (endless_list, endless_dict):
        with pytest.raises(ValueError, match="nested deeper than 100 levels"):
            st.from_pandas(pd.Series([endless]))
        with pytest.raises(TypeError, match="nested deeper than 100 levels"):
            st.from_pandas(pd.DataFrame({"m": [{"a": endless}]}), maps=["m"])
    with pytest.raises(TypeError, match="found b'b'"):
        st.from_pandas(pd.Series([{"a": 1, b"b": 2}]))


@pytest.mark.parametrize(
    ("frame", "error", "text"),
    [
        (5, TypeError, "DataFrame"),
        (None, TypeError, "DataFrame"),
        (pd.DataFrame({("a", "b"): [1j]}), TypeError, r"the column \('a', 'b'\), of complex"),
        (pd.DataFrame({"a": [[2**63, -1]]}), OverflowError, "'a'.*neither all in int64 nor all in uint64"),
        (pd.DataFrame({"a": [{"b": 2**64}]}), OverflowError, "'a'.*neither all in int64 nor all in uint64"),
        (pd.DataFrame({"a": [[2**63, 0.5]]}), TypeError, "'a'.*no type"),
        (pd.DataFrame({1: [1]}), TypeError, "strings; found 1"),
        (pd.DataFrame({"": [1]}), ValueError, "empty"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "two columns are named 'a'"),
        (pd.DataFrame([[1, 2]], columns=TWICE), ValueError, "'a' is both"),
        (pd.DataFrame({"p": pd.period_range("2026", periods=2)}), TypeError, "'p', of period"),
        (pd.DataFrame({"d": [1, "a"]}), TypeError, "'d'"),
        (pd.DataFrame({"c": [1j]}), TypeError, "'c'.*complex"),
        (pd.DataFrame({"_index_": [1]}, index=["x"]), ValueError, "index=False"),
        (pd.DataFrame({"a": [1]}, index=pd.Index([1], name=3)), TypeError, "levels.*found 3"),
        (pd.DataFrame({"a": [1]}, index=pd.MultiIndex.from_tuples([(1, 2)], names=["n", "n"])), ValueError, "'n'"),
        (pd.DataFrame({"a": [1]}, index=pd.period_range("2026", periods=1)), TypeError, "the index"),
    ],
)
def test_frames_that_cannot_be(frame, error, text):
    with pytest.raises(error, match=text):
        st.from_pandas(frame)


CATEGORIES = [
    pd.Index([10, 20]),
    pd.Index([10, 20], dtype="uint8"),
    pd.Index([1.5, 2.5]),
    pd.Index([True, False]),
    pd.Index(["a", "b"]),
    pd.Index(["a", "b"], dtype=object),
    pd.Index([1, 2], dtype="Int64"),
    pd.DatetimeIndex(["2026-01-01", "2026-01-02"]),
    pd.DatetimeIndex(["2026-01-01", "2026-01-02"], tz="UTC"),
]


@pytest.mark.parametrize("categories", CATEGORIES, ids=lambda categories: str(categories.dtype))
def test_categories(categories):
    values = st.from_pandas(categories.to_series()).to_py()
    column = pd.Series(pd.Categorical.from_codes([1, -1, 0, 1], categories))
    assert st.from_pandas(column).to_py() == [values[1], None, values[0], values[1]]
    whole = st.from_pandas(column[column.notna()])
    assert whole.to_py() == [values[1], values[0], values[1]]
    assert st.from_pandas(pd.DataFrame({"c": column}))["c"].to_py() == st.from_pandas(column).to_py()


def test_categories_without_values():
    none = pd.Series(pd.Categorical.from_codes([-1, -1], pd.Index([], dtype="int64")))
    assert st.from_pandas(none).to_py() == [None, None]
    assert st.from_pandas(none).dtype == "int64"


def test_errors_of_every_kind_name_the_column():
    with pytest.raises(ValueError, match="the column 'c'.*surrogates") as raised:
        st.from_pandas(pd.DataFrame({"c": pd.Series(["a\ud800"], dtype=object)}))
    assert raised.type is ValueError
    with pytest.raises(OverflowError, match="the column 'c'") as raised:
        st.from_pandas(pd.DataFrame({"c": pd.Series(pd.Categorical.from_codes([0], pd.Index([2**70], dtype=object)))}))


UNSIGNED = [
    '{"m": [{"id": 18446744073709551615, "n": 1}]}\n{"m": [{"id": 1, "n": -1}, {"id": null}]}',
    '{"a": {"ids": [[9223372036854775808]]}, "x": 0.5}\n{"a": {"ids": [[1, 2], []]}}',
    '{"rows": [{"deep": [{"id": 9223372036854775808}]}]}',
]


@pytest.mark.parametrize("text", UNSIGNED)
@pytest.mark.parametrize("nested", ["columns", "dicts"])
def test_integers_beyond_int64_come_back(text, nested):
    rows = st.from_json(text)
    again = st.from_pandas(rows.to_pandas(nested=nested))
    assert again.to_py() == rows.to_py()
    assert "uint64" in str(again.spec)


def test_integers_beyond_int64_in_maps():
    frame = pd.DataFrame({"m": [{"a": {"id": 2**64 - 1}}, {}]})
    assert st.from_pandas(frame, maps=["m"])["m"][0, st.MapKey("a"), "id"].to_py() == [2**64 - 1]
    assert st.from_pandas(pd.Series([[2**63], [1]])).dtype == "uint64"
    assert st.from_pandas(pd.Series([2**63, None], dtype=object)).to_py() == [2**63, None]


def test_integers_in_lists_and_dicts_keep_their_digits():
    rows = st.from_json('{"dicts": [{"id": 9007199254740993}, {"id": null}], "list": [9007199254740993, null]}')
    frame = rows.to_pandas()
    assert [entry["id"] for entry in frame["dicts"][0]] == [2**53 + 1, None]
    assert list(frame["list"][0]) == [2**53 + 1, None]
    assert st.from_pandas(frame).to_py() == rows.to_py()


def test_what_never_has_a_value_is_an_absent_number():
    text = '{"column": null, "in": {"column": null}, "list": [], "absent": [null], "dicts": [{"f": null, "n": 1}]}'
    rows = st.from_json(text)
    again = st.from_pandas(rows.to_pandas())
    assert again.to_py() == rows.to_py()
    for path in ("column", "in.column", "list", "absent", "dicts.f"):
        assert again.field_value(path).dtype == rows.field_value(path).dtype == "double", path
    # Structs that are absent in all rows: whether they were structs, the objects do not say.
    frame = pd.DataFrame({("alert", "active_period"): [None, None], ("alert", "id"): ["a", "b"]})
    read = st.from_pandas(frame)
    assert read.to_py() == [{"alert": {"active_period": None, "id": "a"}}, {"alert": {"active_period": None, "id": "b"}}]
    assert read["alert", "active_period"].spec == st.TensorSpec([2], "double", nullable=True)
    assert st.from_pandas(pd.Series([], dtype=object)).spec == st.TensorSpec([0], "double", nullable=True)
    assert st.from_pandas(pd.Series([None], dtype=pd.ArrowDtype(pa.null()))).to_py() == [None]


def test_errors_of_every_kind_name_the_field():
    class Field:
        def to_torch(self, fill_value):
            raise self.error

    class Rows(dict):
        def field_names(self):
            return ("f",)


    not_encoded = UnicodeEncodeError("utf-8", "x", 0, 1, "no")
    for error, kind in [(not_encoded, ValueError), (OverflowError("no"), OverflowError), (TypeError("no"), TypeError)]:
        field = Field()
        field.error = error
        with pytest.raises(kind, match="field 'f': .*no") as raised:
            st.StructuredTensor.to_torch(Rows(f=field))
        assert raised.type is kind



def test_index_is_a_truth_value():
    with pytest.raises(TypeError, match="index"):
        st.from_pandas(pd.DataFrame({"a": [1]}), index="a")


def test_decoded_messages_become_frames(spans, serialized, span_class):
    rows = st.Schema.from_class(span_class).decoder().decode(serialized)
    frame = rows.to_pandas()
    assert frame["name"].to_list() == [span.name for span in spans]
    assert frame["status"].dtype == "Int32"
    assert [None if s is pd.NA else s for s in frame["status"]] == [s.status if s.HasField("status") else None for s in spans]
    back = st.from_pandas(frame[["name", "start", "status"]])
    assert back.equals(rows[["name", "start", "status"]])


def test_maps_there_and_back(spans, serialized, span_class):
    rows = st.Schema.from_class(span_class).decoder().decode(serialized)
    frame = rows.to_pandas()
    back = st.from_pandas(frame, maps=["counters"])
    assert back["counters"].kind == "map_entry"
    assert back["counters"].to_py() == rows["counters"].to_py()
    reads = back["counters"][:, st.MapKey("reads")]
    assert reads.to_py() == [[span.counters["reads"]] if "reads" in span.counters else [] for span in spans]
    again = [span_class.FromString(message) for message in back[["name", "counters"]].to_protobuf(span_class)]
    assert [span.counters for span in again] == [span.counters for span in spans]
    # Arrow's own maps need no word.
    arrow = pa.table(rows[["counters"]]).to_pandas(types_mapper=pd.ArrowDtype)
    for found in (st.from_pandas(arrow), st.from_pandas(arrow, maps=["counters"])):
        assert found["counters"].kind == "map_entry"
        assert found["counters"].to_py() == rows["counters"].to_py()


def test_numbers_of_maps_stay():
    frame = pd.DataFrame({"m": [[("a", float("nan")), ("b", 1.5), ("c", None), ("d", pd.NA)]], "u": [{2**64 - 1: "x"}]})
    back = st.from_pandas(frame, maps=["m", "u"])
    a, b, c, d = back["m", :, "value"].to_py()[0]
    assert a != a and (b, c, d) == (1.5, None, None)
    assert back["u", :, "key"].to_py() == [[2**64 - 1]] and back["u", :, "key"].dtype == "uint64"
    with pytest.raises(KeyError, match=r"no column x\.r; did you mean \('x', 'r'\)"):
        st.from_pandas(pd.DataFrame([[{1: 2}]], columns=pd.MultiIndex.from_tuples([("x", "r")])), maps=["x.r"])


def test_dicts_are_structs_or_maps():
    frame = pd.DataFrame({"m": [{"a": 1, "b": 2}, None, {}, {"c": 3}]})
    assert st.from_pandas(frame)["m"].kind == "struct"
    maps = st.from_pandas(frame, maps=["m"])["m"]
    assert maps.kind == "map_entry"
    assert [{entry["key"]: entry["value"] for entry in row} for row in maps.to_py()] == [{"a": 1, "b": 2}, {}, {}, {"c": 3}]
    grouped = pd.DataFrame([[{1: 1.5}, 2]], columns=pd.MultiIndex.from_tuples([("a", "m"), ("a", "n")]))
    assert st.from_pandas(grouped, maps=[("a", "m")])["a"].to_py() == [{"m": [{"key": 1, "value": 1.5}], "n": 2}]
    absent = pd.DataFrame({"m": [{"a": None}, {"a": 1}, float("nan"), pd.NA]})
    assert st.from_pandas(absent, maps=["m"])["m", :, "value"].to_py() == [[None], [1], [], []]


@pytest.mark.parametrize(
    ("column", "maps", "error", "text"),
    [
        ([{"a": 1}], ["mm"], KeyError, "there is no column mm; did you mean m"),
        ([{"a": 1}], ["other"], KeyError, "there is no column other"),
        ([{"a": 1}], "m", TypeError, "expected a list of columns"),
        ([{"a": 1}], 5, TypeError, "expected a list of columns"),
        ([{"a": 1}], [5], TypeError, "are strings"),
        ([{"a": 1}, 5], ["m"], TypeError, "'m', row 1: expected a dict"),
        ([[1, 2]], ["m"], TypeError, "'m', row 0: expected a dict"),
        ([{"a": 1, 5: 2}], ["m"], TypeError, "no type for the keys"),
        ([{"a": 1, "b": "x"}], ["m"], TypeError, "no type for the values"),
        ([{"a": 2**70}], ["m"], TypeError, "no type for the values"),
        ([{"a": complex(1)}], ["m"], TypeError, "no type for the values"),
        ([{}, None], ["m"], TypeError, "there are no keys"),
        ([{"a": None}], ["m"], TypeError, "there are no values"),
        ([{None: 1, "a": 2}], ["m"], ValueError, "a key is absent"),
    ],
    ids=str,
)
def test_maps_that_cannot_be(column, maps, error, text):
    with pytest.raises(error, match=text):
        st.from_pandas(pd.DataFrame({"m": pd.Series(column, dtype=object)}), maps=maps)


def random_object(rng, depth):
    """A value of pandas' columns of objects. Few rows of them have a common type."""
    kind = rng.integers(0, 9 if depth > 0 else 7)
    if kind >= 7:
        values = [random_object(rng, depth - 1) for _ in range(rng.integers(0, 3))]
        return values if kind == 7 else {"ab"[i]: value for i, value in enumerate(values)}
    plain = [None, True, NAN, 1.5, 2**63, -1, np.array([2**63, 1], "uint64")]
    return plain[kind] if rng.integers(0, 3) else plain[rng.choice([0, 3, 5])]


def test_plain_objects_are_read_as_others_are(monkeypatch):
    def read(values):
        try:
            array = _objects.of_objects(values)
            return array.type, repr(array.to_pylist())
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            return type(error)

    rng = np.random.default_rng(50)
    rows = [[random_object(rng, 2) for _ in range(rng.integers(1, 4))] for _ in range(5000)]
    found = [read(values) for values in rows]
    quick = sum(_objects._of_plain_objects(values) is not None for values in rows)
    monkeypatch.setattr(_objects, "_of_plain_objects", lambda values: None)
    for values, both in zip(rows, found):
        assert both == read(values), values
    assert quick > 500


def test_arrays_of_large_integers():
    large = np.array([2**63 + 1, 1], "uint64")
    for values in ([large], [large, [1]], [[1], large], [large, [2**63]]):
        assert st.from_pandas(pd.Series(values, dtype=object)).to_py() == [list(map(int, value)) for value in values]
    in_dicts = st.from_pandas(pd.Series([{"a": large}, {"a": [1, None]}], dtype=object))
    assert in_dicts.to_py() == [{"a": [2**63 + 1, 1]}, {"a": [1, None]}]
    with pytest.raises(OverflowError, match="neither all in int64 nor all in uint64"):
        st.from_pandas(pd.Series([large, [-1]], dtype=object))
