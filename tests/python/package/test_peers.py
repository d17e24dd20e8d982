"""DLPack, torch, JAX, Awkward, polars and DuckDB: both ways, and what is shared has the same address."""

import datetime
import decimal
import gc
import importlib.util
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import structtensor as st


def need(name):
    """The package, or a skipped test: the tests do without those that are large."""
    return pytest.importorskip(name, reason=f"the package {name} is not installed")


NUMBERS = ["bool", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64"]


def address(array):
    return array.__array_interface__["data"][0]


def aligned_tensor(count=64):
    """A tensor whose memory starts at a multiple of 64 bytes, as that of Arrow does."""
    return st.from_arrow(pa.array(range(count)))


class Consumer:
    """Asks for a capsule as a library of some time does."""

    def __init__(self, tensor, **arguments):
        self.tensor, self.arguments = tensor, arguments

    def __dlpack__(self, **_):
        return self.tensor.__dlpack__(**self.arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (2, 0)])
@pytest.mark.parametrize("arguments", [{}, {"max_version": (1, 0)}, {"max_version": (0, 8)}, {"copy": True}], ids=str)
def test_dlpack_there_and_back(dtype, shape, arguments):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    tensor = st.constant(array)
    seen = np.from_dlpack(Consumer(tensor, **arguments))
    assert seen.dtype == array.dtype
    np.testing.assert_array_equal(seen, array)
    assert seen.size == 0 or address(seen) % 64 == 0
    assert st.from_dlpack(tensor).equals(tensor)
    assert st.from_dlpack(array).equals(tensor)


def test_capsules_of_all_versions():
    tensor = aligned_tensor()
    assert tensor.__dlpack_device__() == (1, 0)
    assert '"dltensor"' in repr(tensor.__dlpack__())
    assert '"dltensor"' in repr(tensor.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(tensor.__dlpack__(max_version=(1, 0)))
    assert '"dltensor_versioned"' in repr(tensor.__dlpack__(max_version=(9, 9), dl_device=(1, 0), copy=False))
    del tensor
    gc.collect()


def test_dlpack_shares_what_it_says_is_read_only():
    tensor = aligned_tensor()
    shared = np.from_dlpack(Consumer(tensor, max_version=(1, 0)))
    assert address(shared) == address(tensor.to_numpy())
    assert not shared.flags.writeable
    # A capsule that cannot say it is a copy.
    legacy = np.from_dlpack(Consumer(tensor))
    assert address(legacy) != address(tensor.to_numpy())
    # Not aligned, so copied; but for those who forbid that.
    part = tensor[1:]
    copied = np.from_dlpack(Consumer(part, max_version=(1, 0)))
    assert address(copied) != address(part.to_numpy()) and address(copied) % 64 == 0
    assert address(np.from_dlpack(Consumer(part, max_version=(1, 0), copy=False))) == address(part.to_numpy())
    assert copied.tolist() == part.to_py()
    del tensor, part
    gc.collect()
    assert shared.tolist() == list(range(64))


def test_capsules_keep_and_free_the_memory():
    array = pa.array(np.arange(1000))
    tensor = st.from_arrow(array)
    before = sys.getrefcount(array)
    for _ in range(1000):
        tensor.__dlpack__(max_version=(1, 0))
        tensor.__dlpack__()
    assert sys.getrefcount(array) == before


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (st.constant(["a"]), "string"),
        (st.constant(np.array(["2026"], "M8[s]")), "int64"),
        (st.constant([1.5], dtype="bfloat16"), "float"),
        (st.from_arrow(pa.array([1, None])), "1 of 2 elements are absent"),
        (st.from_arrow(pa.array([1.0, None])), "1 of 2 elements are absent"),
    ],
)
def test_what_dlpack_does_not_have(tensor, text):
    with pytest.raises(BufferError, match=text):
        tensor.__dlpack__(max_version=(1, 0))


def test_arguments_of_dlpack():
    tensor = aligned_tensor()
    with pytest.raises(BufferError, match="stream"):
        tensor.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="dl_device"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="copy=False"):
        tensor.__dlpack__(copy=False)
    for wrong in ({"copy": 3}, {"max_version": 1}, {"max_version": "new"}, {"dl_device": 1}, {"max_version": (None, 1)}):
        with pytest.raises((TypeError, ValueError, BufferError)):
            tensor.__dlpack__(**wrong)
    for wrong in (None, 5, "text", [1]):
        with pytest.raises(TypeError, match="__dlpack__"):
            st.from_dlpack(wrong)
    assert st.from_dlpack(np.arange(6).reshape(2, 3)[:, ::-1]).to_py() == [[2, 1, 0], [5, 4, 3]]
    with pytest.raises(TypeError):
        st.from_dlpack(np.array([1j]))
    # All are there, although they need not be.
    assert np.from_dlpack(st.from_arrow(pa.array([1, 2]))).tolist() == [1, 2]


# --- torch


@pytest.mark.parametrize("dtype", NUMBERS)
def test_torch_there_and_back(dtype):
    torch = need("torch")
    tensor = st.constant(np.arange(6).reshape(2, 3).astype(dtype))
    made = tensor.to_torch()
    assert (tuple(made.shape), str(made.dtype)) == ((2, 3), f"torch.{dtype}")
    assert st.from_torch(made).equals(tensor)
    assert torch.equal(torch.from_dlpack(tensor), made)
    before = tensor.to_py()
    made.zero_()
    assert tensor.to_py() == before


def test_torch_of_other_kinds():
    torch = need("torch")
    halves = st.constant([1.5, -2.0], dtype="bfloat16")
    assert halves.to_torch().dtype == torch.bfloat16
    assert st.from_torch(halves.to_torch()).equals(halves)
    absent = st.from_arrow(pa.array([1, None]))
    with pytest.raises(TypeError, match="1 of 2 elements are absent"):
        absent.to_torch()
    assert absent.to_torch(fill_value=-1).tolist() == [1, -1]
    with pytest.raises(TypeError, match="string"):
        st.constant(["a"]).to_torch()
    assert st.from_torch(torch.ones(2, requires_grad=True)).to_py() == [1, 1]
    assert st.from_torch(torch.arange(6).reshape(2, 3).T).to_py() == [[0, 3], [1, 4], [2, 5]]
    assert st.from_torch(torch.tensor(5)).item() == 5
    for wrong in (np.arange(3), None, torch.tensor([1j]), torch.eye(2).to_sparse()):
        with pytest.raises(TypeError):
            st.from_torch(wrong)


def test_ragged_tensors_and_structs_of_torch():
    torch = need("torch")
    ragged = st.constant([[1, 2], [], [3]])
    nested = ragged.to_torch()
    assert nested.layout == torch.jagged
    assert [row.tolist() for row in nested.unbind()] == ragged.to_py()
    assert st.from_torch(nested).equals(ragged)
    with pytest.warns(UserWarning, match="nested"):
        strided = torch.nested.nested_tensor([torch.tensor([1, 2]), torch.tensor([3])])
    assert st.from_torch(strided).to_py() == [[1, 2], [3]]
    with pytest.raises(ValueError, match="2 ragged axes"):
        st.constant([[[1]], []]).to_torch()
    rows = st.constant([{"a": 1, "b": {"c": [1.5]}}, {"a": 2, "b": {"c": []}}])
    made = rows.to_torch()
    assert made["a"].tolist() == [1, 2]
    assert [row.tolist() for row in made["b"]["c"].unbind()] == [[1.5], []]
    with pytest.raises(TypeError, match="field 'b': field 'c': .*string"):
        st.constant([{"b": {"c": "x"}}]).to_torch()


def test_nested_tensors_of_torch_know_their_longest_row():
    torch = need("torch")
    lengths = [0, 3, 1, 2] * 2000
    ragged = st.RaggedTensor.from_row_lengths(np.arange(sum(lengths)), lengths)
    nested = ragged.to_torch()
    padded = torch.nested.to_padded_tensor(nested, -1)
    assert tuple(padded.shape) == (8000, 3)
    assert padded[:4].tolist() == [[-1, -1, -1], [0, 1, 2], [3, -1, -1], [4, 5, -1]]
    rows = st.StructuredTensor.from_fields({"a": ragged}).to_torch()
    assert tuple(torch.nested.to_padded_tensor(rows["a"], 0).shape) == (8000, 3)
    for rows, longest in (([[]], 0), ([[1], [2, 3]], 2), ([[]] * 3, 0)):
        made = st.constant(rows, spec=st.RaggedTensorSpec([None, None], "double")).to_torch()
        assert tuple(torch.nested.to_padded_tensor(made, 0.0).shape) == (len(rows), longest)
    blocks = st.RaggedTensor.from_row_lengths(np.arange(6.0).reshape(3, 2), [1, 0, 2]).to_torch()
    assert tuple(torch.nested.to_padded_tensor(blocks, 0.0).shape) == (3, 2, 2)


def test_fields_with_equal_rows_share_offsets_in_torch():
    need("torch")
    rows = st.constant(
        [
            {"items": [{"a": 1, "b": 0.5}, {"a": 2, "b": 1.5}], "like": [7, 8], "other": [1], "in": {"like": [5, 6]}},
            {"items": [{"a": 3, "b": 2.5}], "like": [9], "other": [2, 3], "in": {"like": [7]}},
        ]
    )
    made = rows.to_torch()
    a, b, like, inner = made["items"]["a"], made["items"]["b"], made["like"], made["in"]["like"]
    assert a.offsets() is b.offsets() is like.offsets() is inner.offsets()
    assert made["other"].offsets() is not a.offsets()
    assert [row.tolist() for row in (a * b + inner).unbind()] == [[5.5, 9.0], [14.5]]
    again = rows.to_torch()  # tensors may be written to, so no two results share one
    assert again["like"].offsets() is not like.offsets()


def test_jax_reads_tensors():
    jax = need("jax")
    tensor = st.from_arrow(pa.array(np.arange(64, dtype="float32")))
    for array in (jax.numpy.asarray(tensor), jax.dlpack.from_dlpack(tensor)):
        assert array.tolist() == tensor.to_py()
        assert st.from_dlpack(array).equals(tensor)


TENSORFLOW = """
import pyarrow as pa, structtensor as st, tensorflow as tf
for dtype in ("int64", "uint32", "float32", "float16", "bool"):
    tensor = st.from_arrow(pa.array([0, 1, 1, 0], "int64")).cast(dtype)
    seen = tf.experimental.dlpack.from_dlpack(tensor.__dlpack__())
    assert seen.numpy().tolist() == tensor.to_py() and seen.numpy().dtype == tensor.to_numpy().dtype
    assert st.from_dlpack(seen).equals(tensor)
"""


def test_tensorflow_reads_capsules_without_a_version():
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("the package tensorflow is not installed")
    # In a process of its own, since it brings its own protobuf.
    done = subprocess.run([sys.executable, "-c", TENSORFLOW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- Awkward

AWKWARD = [
    st.constant([1, 2]),
    st.constant([]),
    st.constant([[1, 2], [], [3]]),
    st.constant([[[1.5], []], []]),
    st.constant(["a", "", "ü"]),
    st.constant([b"a", b"\xff"]),
    st.constant([[["a"], []], []]),
    st.constant(np.arange(6).reshape(2, 3)),
    st.constant(np.zeros((2, 0, 3))),
    st.constant(np.array([1.5], np.float16)),
    st.constant(np.array(["2026-01-01", "NaT"], "M8[us]")),
    st.constant(np.array([5, 6], "m8[ms]")),
    st.constant([{"a": 1, "b": {"c": ["x"]}}, {"a": 2, "b": {"c": []}}]),
    st.constant([[{"a": 1}], [], [{"a": 3}, {"a": 4}]]),
    st.StructuredTensor.from_fields({}, nrows=3),
    st.from_arrow(pa.array([1, None])),
    st.from_arrow(pa.array([True, None])),
    st.from_arrow(pa.array(["a", None])),
    st.from_arrow(pa.array(["a", "b"])),
    st.from_arrow(pa.array([{"x": 1}, None, {"x": None}])),
    st.constant([[1, 2], [3]]).with_shape_dtype("int32"),
]


@pytest.mark.parametrize("value", AWKWARD, ids=repr)
def test_awkward_there_and_back(value):
    ak = need("awkward")
    array = value.to_awkward()
    assert isinstance(array, ak.Array) and ak.is_valid(array)
    back = st.from_awkward(array)
    assert back.to_py() == value.to_py()
    assert back.shape == value.shape
    assert getattr(back, "nullable", None) == getattr(value, "nullable", None)
    if value.shape and value.shape[0]:
        assert st.from_awkward(array[1:]).equals(back[1:])


def test_awkward_shares_memory():
    ak = need("awkward")
    ragged = st.constant([[1, 2], [], [3]])
    layout = ragged.to_awkward().layout
    assert address(layout.content.data) == address(ragged.flat_values.to_numpy())
    assert address(layout.offsets.data) == address(ragged.row_splits.to_numpy())
    back = st.from_awkward(ak.Array(layout))
    assert address(back.flat_values.to_numpy()) == address(layout.content.data)


def test_awkward_of_other_kinds():
    ak = need("awkward")
    assert st.constant({"a": 1, "b": [2]}).to_awkward().tolist() == {"a": 1, "b": [2]}
    assert st.constant(5).to_awkward() == 5
    assert st.from_awkward(ak.Record({"a": 1, "b": [2]})).to_py() == {"a": 1, "b": [2]}
    assert st.from_awkward(ak.Array([{"a": 1}, {"a": 2}])[1]).to_py() == {"a": 2}
    assert st.constant([1.5], dtype="bfloat16").to_awkward().tolist() == [1.5]
    maps = st.from_arrow(pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())))
    assert maps.to_awkward().tolist() == [[{"key": "k", "value": 1}], []]
    assert st.from_awkward(ak.Array([[1, None], [], [2]])).to_py() == [[1, None], [], [2]]
    for wrong in (ak.Array([1, "a"]), ak.Array([[{"x": 1}, {"x": [1]}]]), ak.Array([1j]), [1], None):
        with pytest.raises(TypeError):
            st.from_awkward(wrong)


# Some rows of each layout, with sizes and masks such that offsets, strides and masks do not begin where buffers do.
AWKWARD_LAYOUTS = {
    "strings": lambda ak: ak.Array(["xx", "a", "é", "", "zzz"]),
    "bytes": lambda ak: ak.Array([b"xx", b"a", b"\xff", b"", b"zzz"]),
    "strings with gaps": lambda ak: ak.Array(["xx", None, "é", "", None]),
    "numbers": lambda ak: ak.Array([1, 2, 3, 4, 5]),
    "numbers with gaps": lambda ak: ak.Array([1.5, None, float("inf"), 4.0, None]),
    "booleans": lambda ak: ak.Array([True, None, False, True, False]),
    "times": lambda ak: ak.Array(np.arange(5).astype("datetime64[ns]")),
    "strides": lambda ak: ak.Array(np.arange(20).reshape(5, 4)[:, ::2]),
    "strides of one axis": lambda ak: ak.Array(np.arange(20)[::-4]),
    "lists": lambda ak: ak.Array([["xx", None], [], ["é"], ["a", "b"], [None]]),
    "lists of lists": lambda ak: ak.Array([[[1], []], [], [[2, None]], [[], []], [[3]]]),
    "regular": lambda ak: ak.to_regular(ak.Array([["a", "b"], ["c", "dd"], ["e", None], ["g", ""], ["i", "jj"]])),
    "regular without elements": lambda ak: ak.Array(np.zeros((5, 0, 3))),
    "records": lambda ak: ak.Array([{"s": text, "n": [i]} for i, text in enumerate(["xx", None, "é", "", "zz"])]),
    "records in lists": lambda ak: ak.Array(
        [[{"s": "a", "l": ["x", None]}], [], [{"s": None, "l": []}], [], [{"s": "é", "l": ["y"]}]]
    ),
    "records without fields": lambda ak: ak.Array([{}] * 5),
    "nothing": lambda ak: ak.Array([None] * 5),
    "empty lists": lambda ak: ak.Array([[]] * 5),
}
AWKWARD_CHANGES = {
    "whole": lambda ak, array: array,
    "rest": lambda ak, array: array[1:],
    "first": lambda ak, array: array[:2],
    "middle": lambda ak, array: array[2:4],
    "none": lambda ak, array: array[2:2],
    "backwards": lambda ak, array: array[::-1],
    "chosen": lambda ak, array: array[[3, 0, 3]],
    "masked": lambda ak, array: ak.mask(array, [True, False, True, True, False]),
    "masked rest": lambda ak, array: ak.mask(array[1:], [True, False, True, True]),
    "rest of masked": lambda ak, array: ak.mask(array, [True, False, True, True, False])[1:],
    "all masked": lambda ak, array: ak.mask(array, [False] * 5)[1:],
    "field of records": lambda ak, array: ak.zip({"f": array[1:], "g": [1, 2, 3, 4]}, depth_limit=1)[1:],
    "elements of lists": lambda ak, array: ak.unflatten(array, [2, 0, 3])[1:],
    "packed": lambda ak, array: ak.to_packed(array[1:]),
}


def leaves(value):
    """The elements that are present."""
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None else [value]


def with_counts(value):
    """The value with times as numbers of nanoseconds."""
    if isinstance(value, list):
        return [with_counts(item) for item in value]
    if isinstance(value, dict):
        return {name: with_counts(item) for name, item in value.items()}
    if isinstance(value, datetime.datetime):
        value = np.datetime64(value.replace(tzinfo=None), "ns")
    return value.astype("int64").item() if isinstance(value, np.datetime64) else value


@pytest.mark.parametrize("change", AWKWARD_CHANGES)
@pytest.mark.parametrize("layout", AWKWARD_LAYOUTS)
def test_awkward_layouts_are_read_as_awkward_shows_them(layout, change):
    ak = need("awkward")
    array = AWKWARD_CHANGES[change](ak, AWKWARD_LAYOUTS[layout](ak))
    shown = ak.to_list(array)
    if "mask" in change and any(word in layout for word in ("list", "regular", "strides")) and layout != "strides of one axis":
        # There are no absent lists here: a list is empty, and one of a fixed size has absent elements.
        rows = list(zip(st.from_awkward(array).to_py(), shown))
        assert [found for found, row in rows if row is not None] == [row for row in shown if row is not None]
        assert all(leaves(found) == [] for found, row in rows if row is None)
        return
    assert with_counts(st.from_awkward(array).to_py()) == with_counts(shown)


def test_awkward_layouts_of_nothing():
    ak = need("awkward")
    assert st.from_awkward(ak.Array([])).spec == st.TensorSpec([0], "double")
    assert st.from_awkward(ak.Array([[], []])).to_py() == [[], []]
    bad = ak.contents.IndexedOptionArray(ak.index.Index64(np.array([0, 7])), ak.contents.NumpyArray(np.arange(3)))
    with pytest.raises(TypeError):
        st.from_awkward(ak.Array(bad))


# --- By Arrow's capsules


def test_polars_there_and_back(serialized, span_class):
    pl = need("polars")
    rows = st.Schema.from_class(span_class).decoder(drop="counters").decode(serialized)
    frame = pl.DataFrame(rows)
    assert frame.shape == (len(rows), len(rows.field_names()))
    assert frame["name"].to_list() == rows["name"].to_py()
    assert frame["status"].to_list() == rows["status"].to_py()
    assert frame["attributes"].to_list() == rows["attributes"].to_py()
    back = st.from_arrow(frame.select("name", "start", "status", "samples"))
    assert back.to_py() == rows[["name", "start", "status", "samples"]].to_py()
    assert pl.Series(rows["samples"]).to_list() == rows["samples"].to_py()


def test_every_type_of_polars_comes_in():
    pl = need("polars")
    noon = datetime.datetime(2024, 1, 2, 12)
    frame = pl.DataFrame(
        {
            "text": ["a", None, "more than twelve bytes"],
            "binary": [b"a", None, b"more than twelve bytes"],
            "list": [[1, 2], None, []],
            "array": pl.Series([[1, 2], None, [3, 4]], dtype=pl.Array(pl.Int16, 2)),
            "struct": [{"x": 1, "y": ["a"]}, None, {"x": None, "y": None}],
            "category": pl.Series(["x", None, "x"], dtype=pl.Categorical),
            "enum": pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x"])),
            "decimal": [decimal.Decimal("1.50"), None, decimal.Decimal("-0.05")],
            "date": [noon.date(), None, noon.date()],
            "time": [noon.time(), None, noon.time()],
            "at": [noon, None, noon],
            "nothing": [None, None, None],
        }
    )
    rows = st.from_arrow(frame)
    expected = frame.drop("nothing", "list", "array", "struct", "decimal", "date", "time", "at").to_dicts()
    midnight, hours = noon.replace(hour=0, tzinfo=datetime.timezone.utc), datetime.timedelta(hours=12)
    others = {
        "list": [[1, 2], [], []],
        "array": [[1, 2], [None, None], [3, 4]],
        "struct": [{"x": 1, "y": ["a"]}, None, {"x": None, "y": []}],
        "decimal": ["1.50", None, "-0.05"],
        "date": [midnight, None, midnight],
        "at": [midnight + hours, None, midnight + hours],
    }
    for name, values in others.items():
        for row, value in zip(expected, values):
            row[name] = value
    table = pa.table(rows)
    assert table.drop(["time"]).select(list(expected[0])).to_pylist() == expected
    assert table["time"].cast(pa.int64()).to_pylist() == [12 * 3600 * 10**9, None, 12 * 3600 * 10**9]


def counted(scan, monkeypatch):
    """How often the scan is asked for its rows, and how often for its schema alone."""
    counts = {"rows": 0, "schema": 0}

    def count(name, method):
        def counting(self, *arguments, **options):
            counts[name] += 1
            return method(self, *arguments, **options)

        return counting

    monkeypatch.setattr(st.Scan, "__arrow_c_stream__", count("rows", st.Scan.__arrow_c_stream__))
    monkeypatch.setattr(st.Scan, "__arrow_c_schema__", count("schema", st.Scan.__arrow_c_schema__))
    return counts


def test_duckdb_reads_a_scan_once(spans_file, span_class, monkeypatch):
    scan = st.scan(spans_file, span_class).select("name", "start")
    counts = counted(scan, monkeypatch)
    assert duckdb.sql("SELECT count(*), max(start) FROM scan").fetchall() == [(100, 99_000_000)]
    assert counts["rows"] == 1
    assert counts["schema"] > 0


def test_polars_reads_a_scan_once(spans_file, span_class, monkeypatch):
    pl = need("polars")
    scan = st.scan(spans_file, span_class).select("name", "start")
    counts = counted(scan, monkeypatch)
    assert pl.DataFrame(scan)["start"].max() == 99_000_000
    assert counts["rows"] == 1


# --- Arguments of any kind

JUNK = [
    None,
    True,
    -1,
    2**70,
    1.5,
    "text",
    b"\xff",
    [],
    [[1], "a"],
    {},
    {"a": 1},
    object(),
    st.constant([1]),
    np.zeros((2, 2)),
    float("nan"),
]
CALLS = {
    "from_pandas": lambda junk: st.from_pandas(junk),
    "index": lambda junk: st.from_pandas(pd.DataFrame({"a": [1]}), index=junk),
    "from_dlpack": lambda junk: st.from_dlpack(junk),
    "from_arrow": lambda junk: st.from_arrow(junk),
    "timezone": lambda junk: st.constant(np.array(["2026"], "M8[s]")).to_pandas(timezone=junk),
    "nested": lambda junk: st.constant([{"a": 1}]).to_pandas(nested=junk),
    "copy": lambda junk: aligned_tensor().__dlpack__(copy=junk),
    "max_version": lambda junk: aligned_tensor().__dlpack__(max_version=junk),
    "dl_device": lambda junk: aligned_tensor().__dlpack__(dl_device=junk),
    "stream": lambda junk: aligned_tensor().__dlpack__(stream=junk),
    "register_pytrees": lambda junk: st.register_pytrees(junk),
    "TreeValue": lambda junk: st.TreeValue(junk, [junk]).to_value(),
    "leaves": lambda junk: st.TreeValue(st.constant([[1]]).spec, [junk, junk]).to_value(),
    "count": lambda junk: st.scan("nothing", junk).splits(junk),
    "load_value": lambda junk: st._pickle.load_value(1, junk, [junk]),
    "load_partition": lambda junk: st._pickle.load_partition(1, junk, junk),
}
EXPECTED = (TypeError, ValueError, KeyError, OverflowError, BufferError, FileNotFoundError)


@pytest.mark.parametrize("call", CALLS)
def test_arguments_of_any_kind_are_errors_or_fine(call):
    refused = 0
    for junk in JUNK:
        try:
            CALLS[call](junk)
        except EXPECTED:
            refused += 1
    assert refused >= len(JUNK) // 2
