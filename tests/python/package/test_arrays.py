"""NumPy, Arrow and pandas, both ways; what is shared has the same address."""

import copy
import pickle

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import structtensor as st

DTYPES = ["bool", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64", "M8[s]", "M8[ns]", "m8[us]"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (4,), (2, 3), (2, 0)])
def test_numpy_there_and_back(dtype, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    tensor = st.constant(array)
    assert tensor.shape == shape
    back = tensor.to_numpy()
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    np.testing.assert_array_equal(np.asarray(tensor), array)


def test_numpy_of_other_kinds():
    assert st.constant(np.array([1, 2], dtype=np.int8)).dtype == "int32"
    assert st.constant(np.array([1, 2], dtype=">i4")).to_py() == [1, 2]
    assert st.constant(np.array([[1, 2], [3, 4]])[:, ::-1]).to_py() == [[2, 1], [4, 3]]
    assert st.constant(np.array(["a", "üb"])).to_py() == ["a", "üb"]
    assert st.constant(np.array(["a", "b"], dtype=np.dtypes.StringDType())).to_py() == ["a", "b"]
    assert st.constant(np.array([b"a"])).dtype == "bytes"
    assert st.constant(np.array([{"a": 1}], dtype=object)).to_py() == [{"a": 1}]
    assert st.constant(np.array(["2026-01-01"], dtype="M8[D]")).dtype == "timestamp[s]"
    assert st.constant(np.float32(2.5)).dtype == "float"
    with pytest.raises(TypeError):
        st.constant(np.array([1j]))


def test_strings_to_numpy():
    strings = st.constant(["a", "", "ü"]).to_numpy()
    assert strings.dtype == np.dtypes.StringDType()
    assert list(strings) == ["a", "", "ü"]
    assert st.constant([b"a", b""]).to_numpy().dtype == object
    assert st.constant("x").to_numpy().item() == "x"


def test_absent_elements_in_numpy():
    numbers = st.from_arrow(pa.array([1.5, None]))
    np.testing.assert_array_equal(numbers.to_numpy(), [1.5, np.nan])
    integers = st.from_arrow(pa.array([1, None]))
    with pytest.raises(ValueError, match="1 of 2 elements are absent"):
        integers.to_numpy()
    np.testing.assert_array_equal(integers.to_numpy(fill_value=-1), [1, -1])
    assert integers.validity.to_py() == [True, False]
    strings = st.from_arrow(pa.array(["a", None]))
    assert list(strings.to_numpy()) == ["a", None]
    assert list(strings.to_numpy(fill_value="-")) == ["a", "-"]
    assert np.isnat(st.from_arrow(pa.array([None], pa.timestamp("ns"))).to_numpy()).all()


MASKED = np.array([[False, True], [False, False]])


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int32", "uint64", "float16", "float64", "M8[ns]", "M8[D]", "m8[h]", "U3", "S3"]
)
def test_masks_are_validity(dtype):
    elements = np.array([[1, 0], [2, 3]]).astype(dtype)
    tensor = st.constant(np.ma.array(elements, mask=MASKED))
    assert tensor.validity.to_py() == (~MASKED).tolist()
    expected = st.constant(elements).to_py()
    expected[0][1] = None
    assert tensor.to_py() == expected
    assert st.constant(np.ma.array(elements)).validity.to_py() == [[True, True], [True, True]]


def test_masks_of_other_kinds():
    assert st.constant(np.ma.masked).to_py() is None
    assert st.constant(np.ma.array(np.array([2**62, 1], "M8[D]"), mask=[True, False])).validity.to_py() == [False, True]
    times = np.ma.array(np.array(["NaT", 1, 2], "M8[s]"), mask=[False, True, False])
    assert st.constant(times).validity.to_py() == [False, False, True]
    objects = np.array([{"a": 1}, {"a": 2}], dtype=object)
    assert st.constant(np.ma.array(objects)).to_py() == [{"a": 1}, {"a": 2}]
    with pytest.raises(TypeError, match="masked arrays of dtype object"):
        st.constant(np.ma.array(objects, mask=[True, False]))
    assert (st.constant([1, 2]) + np.ma.array([1, 2], mask=[True, False])).to_py() == [None, 4]


@pytest.mark.parametrize(
    "value",
    [
        st.constant(["a"]),
        st.constant([b"a"]),
        st.constant([1.5], dtype="bfloat16"),
        st.from_arrow(pa.array([1.5, None])),
        st.constant([[1], []]),
    ],
    ids=repr,
)
def test_copies_that_are_forbidden(value):
    assert len(np.asarray(value)) == len(value)
    with pytest.raises(ValueError, match="a copy is needed"):
        np.array(value, copy=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_that_are_not_needed(dtype):
    for array in (np.arange(2).astype(dtype), np.arange(0).astype(dtype), np.arange(9).astype(dtype)[::2]):
        tensor = st.constant(array)
        np.testing.assert_array_equal(np.array(tensor, copy=False), array)
    assert np.array(st.from_arrow(pa.array([1.5, None]))[:1], copy=False).tolist() == [1.5]
    with pytest.raises(ValueError, match="another dtype"):
        np.array(tensor, dtype="int8", copy=False)


TIMES = pa.timestamp("s")


@pytest.mark.parametrize(
    ("dtype", "fill_value", "expected"),
    [
        (pa.int64(), 0.0, 0),
        (pa.int64(), np.int8(-5), -5),
        (pa.uint64(), 2**64 - 1, 2**64 - 1),
        (pa.bool_(), 0, False),
        (pa.bool_(), True, True),
        (pa.float32(), 0.1, np.float32(0.1)),
        (pa.float32(), 3, 3),
        (pa.float64(), np.inf, np.inf),
        (TIMES, 5, np.datetime64(5, "s")),
        (TIMES, np.datetime64("2026-01-01"), np.datetime64("2026-01-01")),
        (TIMES, "2026-01-01", np.datetime64("2026-01-01")),
        (TIMES, pd.Timestamp("2026-01-01"), np.datetime64("2026-01-01")),
        (pa.duration("ms"), np.timedelta64(1, "s"), np.timedelta64(1, "s")),
        (pa.string(), "", ""),
        (pa.binary(), b"-", b"-"),
    ],
)
def test_fill_values_of_absent_elements(dtype, fill_value, expected):
    array = st.from_arrow(pa.array([None], dtype)).to_numpy(fill_value=fill_value)
    assert array[0] == expected


@pytest.mark.parametrize("fill_value", ["NaT", pd.NaT, np.datetime64("NaT")])
def test_not_a_time_as_a_fill_value(fill_value):
    assert np.isnat(st.from_arrow(pa.array([None], TIMES)).to_numpy(fill_value=fill_value)).all()


@pytest.mark.parametrize(
    ("dtype", "fill_value"),
    [
        (pa.int64(), 0.5),
        (pa.int64(), np.nan),
        (pa.int64(), 2**63),
        (pa.int64(), 2.0**63),
        (pa.int64(), "5"),
        (pa.int64(), [5]),
        (pa.int32(), np.int64(2**40)),
        (pa.uint32(), -1),
        (pa.bool_(), 2),
        (pa.float32(), 1e300),
        (pa.float32(), 2**24 + 1),
        (pa.float64(), "x"),
        (pa.float64(), 1j),
        (TIMES, 0.5),
        (TIMES, 2**63),
        (TIMES, True),
        (TIMES, np.datetime64("2026-01-01T00:00:00.5")),
        (TIMES, np.timedelta64(1, "s")),
        (pa.timestamp("ns"), np.datetime64("9999")),
        (pa.string(), 5),
        (pa.string(), b"-"),
        (pa.binary(), "-"),
    ],
)
def test_fill_values_that_are_not_elements(dtype, fill_value):
    tensor = st.from_arrow(pa.array([None], dtype))
    with pytest.raises(TypeError, match="fill_value=.*is not an element of"):
        tensor.to_numpy(fill_value=fill_value)
    with pytest.raises(TypeError, match="is not an element of"):
        st.RaggedTensor.from_row_splits(tensor, [0, 1]).to_numpy(fill_value=fill_value)



def test_absent_elements_of_masks_are_not_true():
    minutes = st.from_arrow(pa.array([3, None, 9]))
    rows = st.StructuredTensor.from_fields({"minutes": minutes})
    assert rows[rows["minutes"] > 5].to_py() == [{"minutes": 9}]
    lists = st.from_arrow(pa.array([[3, None], [], [9]], pa.large_list(pa.int64())))
    assert lists[lists > 5].to_py() == [[], [], [9]]


def test_numpy_shares_memory_and_cannot_change_it():
    tensor = st.constant(np.arange(1000))
    array = tensor.to_numpy()
    assert array.__array_interface__["data"] == tensor.to_numpy().__array_interface__["data"]
    assert not array.flags.writeable
    with pytest.raises(ValueError):
        array[0] = 5
    part = tensor[100:].to_numpy()
    assert part.__array_interface__["data"][0] == array.__array_interface__["data"][0] + 100 * 8
    del tensor
    assert array[999] == 999
    # What goes in is copied: it may change.
    own = np.arange(3)
    made = st.constant(own)
    own[0] = 7
    assert made.to_py() == [0, 1, 2]


def test_ufuncs_of_numpy():
    ragged = st.constant([[1.0, 4.0], [], [9.0]])
    assert np.sqrt(ragged).to_py() == [[1, 2], [], [3]]
    assert np.add(ragged, 1).to_py() == [[2, 5], [], [10]]
    assert (np.float64(1) + ragged).to_py() == [[2, 5], [], [10]]
    assert (np.array([[10.0], [20.0], [30.0]]) + ragged).to_py() == [[11, 14], [], [39]]
    assert np.isnan(st.constant([np.nan, 1.0])).to_py() == [True, False]
    with pytest.raises(TypeError):
        np.spacing(ragged)
    rows = np.asarray(ragged)
    assert rows.dtype == object and list(rows[0]) == [1, 4]
    with pytest.raises(TypeError, match="not an array"):
        np.asarray(st.constant([{"a": 1}]))


ARRAYS = [
    pa.array([1, 2, 3]),
    pa.array([1, None, 3], pa.int32()),
    pa.array([1.5, 2.5], pa.float32()),
    pa.array([True, False, None]),
    pa.array(["a", None, "üc"]),
    pa.array([b"a", b""]),
    pa.array([[1, 2], [], [3]], pa.large_list(pa.field("item", pa.int64(), False))),
    pa.array([[["a"], []], []], pa.large_list(pa.large_list(pa.string()))),
    pa.array([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]),
    pa.array([[{"x": 1}], []], pa.large_list(pa.struct([("x", pa.int64())]))),
    pa.array([5, None], pa.timestamp("us", "UTC")),
    pa.array([5, 6], pa.duration("ms")),
    pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
def test_arrow_there_and_back(array):
    value = st.from_arrow(array)
    back = pa.array(value)
    assert back.type.equals(array.type) or back.type.id == array.type.id
    assert back.to_pylist() == array.to_pylist()
    for begin in range(len(array)):
        assert pa.array(st.from_arrow(array[begin:])).to_pylist() == array.to_pylist()[begin:]
        assert pa.array(value[begin:]).to_pylist() == array.to_pylist()[begin:]


def address(array, buffer=1):
    return array.buffers()[buffer].address


def test_arrow_shares_buffers():
    numbers = pa.array(np.arange(1000))
    value = st.from_arrow(numbers)
    assert value.to_numpy().__array_interface__["data"][0] == address(numbers)
    assert address(pa.array(value)) == address(numbers)
    # A slice is an address that has moved.
    assert address(pa.array(value[100:])) == address(numbers) + 100 * 8
    strings = pa.array(["some", "text"])
    assert [buffer.address for buffer in pa.array(st.from_arrow(strings)).buffers()[1:]] == [
        buffer.address for buffer in strings.buffers()[1:]
    ]
    lists = pa.array([[1, 2], [3]], pa.large_list(pa.field("item", pa.int64(), False)))
    assert [buffer.address for buffer in pa.array(st.from_arrow(lists)).buffers() if buffer is not None] == [
        buffer.address for buffer in lists.buffers() if buffer is not None
    ]


def test_tables_there_and_back():
    table = pa.table({"a": [1, 2, 3], "b": ["x", None, "z"], "c": pa.array([[1], [], [2, 3]], pa.large_list(pa.int64()))})
    rows = st.from_arrow(table)
    assert (type(rows), rows.shape) == (st.StructuredTensor, (3,))
    assert pa.table(rows).to_pydict() == table.to_pydict()
    pieces = pa.concat_tables([table, table.slice(1)])
    assert st.from_arrow(pieces).to_py() == pieces.to_pylist()
    assert st.from_arrow(table.slice(0, 0)).to_py() == []
    assert st.from_arrow(pa.Table.from_batches([], table.schema)).field_names() == ("a", "b", "c")
    (batch,) = table.slice(1, 1).to_batches()
    assert st.from_arrow(batch).to_py() == table.slice(1, 1).to_pylist()
    assert pa.schema(rows).names == ["a", "b", "c"]
    assert duckdb.sql("SELECT sum(a) FROM rows").fetchall() == [(6,)]


def test_pandas_there_and_back():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "t": pd.to_datetime(["2026-01-01", "2026-01-02"], utc=True)})
    rows = st.from_arrow(frame)
    back = rows.to_pandas()
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)
    assert pd.DataFrame.from_arrow(rows)["a"].tolist() == [1, 2]
    assert rows["b"].to_pandas().tolist() == ["x", "y"]
    assert [list(row) for row in st.constant([[1], [2, 3]]).to_pandas()] == [[1], [2, 3]]
    with pytest.raises(ValueError, match="rank 1"):
        rows[0].to_pandas()


def test_arrow_errors():
    with pytest.raises(TypeError, match="__arrow_c_array__"):
        st.from_arrow(3)
    with pytest.raises(ValueError, match="interval"):
        st.from_arrow(pa.array([None], pa.month_day_nano_interval()))
    with pytest.raises(ValueError, match="rank 1"):
        pa.array(st.constant(1))

    class Broken:
        def __arrow_c_array__(self, requested_schema=None):
            return 1, 2

    with pytest.raises((TypeError, ValueError)):
        st.from_arrow(Broken())

    class NoPair:
        def __arrow_c_array__(self, requested_schema=None):
            return 1

    with pytest.raises(TypeError, match="pair"):
        st.from_arrow(NoPair())


def test_capsules_that_are_not_taken_are_freed():
    value = st.constant(np.arange(100_000))
    rows = st.constant([{"a": 1}])
    for _ in range(100):
        value.__arrow_c_array__()
        rows.__arrow_c_stream__()
        rows.__arrow_c_schema__()


PICKLED = [
    st.constant(5),
    st.constant("text"),
    st.constant([1, 2, 3]),
    st.constant(["a", "", "ü"])[1:],
    st.constant([b"a"]),
    st.constant(np.zeros((2, 3), np.float32)),
    st.constant(np.arange(10))[::2],
    st.constant([[1, 2], [], [3]]),
    st.constant([[1, 2], [], [3]])[1:],
    st.constant([{"a": [1], "b": {"c": "x"}}, {"a": [], "b": {"c": "y"}}]),
    st.constant([[{"a": 1}], []]),
    st.constant({"a": 1}),
    st.from_arrow(pa.array([1, None, 3])),
    st.from_arrow(pa.array([{"x": 1}, None])),
    st.from_arrow(pa.array([5, None], pa.timestamp("us", "UTC"))),
    st.constant([]),
]


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("value", PICKLED, ids=repr)
def test_pickles(value, protocol):
    back = pickle.loads(pickle.dumps(value, protocol))
    assert type(back) is type(value)
    assert back.equals(value)
    assert back.spec == value.spec
    assert pickle.loads(pickle.dumps(value.spec, protocol)) == value.spec
    assert copy.copy(value) is value and copy.deepcopy(value) is value


def test_elements_travel_out_of_band():
    value = st.constant(np.arange(100_000))
    buffers = []
    data = pickle.dumps(value, 5, buffer_callback=buffers.append)
    assert len(data) < 1000
    assert len(buffers) == 1
    assert pickle.loads(data, buffers=buffers).equals(value)


def test_pickles_say_their_version():
    _, (version, *_) = st.constant([1]).__reduce_ex__(5)
    assert version == 1
    function, (_, spec, parts) = st.constant([1]).__reduce_ex__(5)
    with pytest.raises(ValueError, match="version 2"):
        function(2, spec, parts)
    function, (_, data) = st.constant([1]).spec.__reduce_ex__(5)
    with pytest.raises(ValueError, match="version 2"):
        function(2, data)
    with pytest.raises(ValueError):
        function(1, b"\xff\xff")


