"""Values: from Python and back, indexing, operators, functions, paths."""

import datetime
import operator
import types

import numpy as np
import pyarrow as pa
import pytest

import structtensor as st

RAGGED = [[1, 2], [], [3]]


@pytest.fixture
def docs():
    return st.constant(
        [
            {"id": 1, "tags": ["a", "b"], "parts": [{"n": 1, "w": [0.5]}, {"n": 2, "w": []}]},
            {"id": 2, "tags": [], "parts": []},
            {"id": 3, "tags": ["c"], "parts": [{"n": 3, "w": [1.5, 2.5]}]},
        ]
    )


@pytest.mark.parametrize(
    "value",
    [
        5,
        2.5,
        "text",
        b"bytes",
        True,
        [1, 2, 3],
        ["a", "ü", ""],
        [b"\x00", b""],
        RAGGED,
        [[[1], []], []],
        [True, False],
        {"a": 1, "b": [1, 2], "c": {"d": "x"}},
        [{"a": [1], "b": "x"}, {"a": [], "b": "y"}],
        [[{"x": 1}], []],
        [2**63],
    ],
    ids=repr,
)
def test_nested_values_go_in_and_come_out(value):
    if value == [2**63]:
        made = st.constant(value, dtype="uint64")
    else:
        made = st.constant(value)
    assert made.to_py() == value
    assert made.equals(st.constant(value, spec=made.spec))


def test_types_and_shapes():
    vector, ragged, struct = st.constant([1, 2]), st.constant(RAGGED), st.constant([{"a": 1}])
    assert (type(vector), vector.shape, vector.dtype) == (st.Tensor, (2,), "int64")
    assert (type(ragged), ragged.shape, ragged.dtype) == (st.RaggedTensor, (3, None), "int64")
    assert (type(struct), struct.shape, struct.field_names()) == (st.StructuredTensor, (1,), ("a",))
    assert repr(ragged) == "RaggedTensor([[1, 2], [], [3]], shape=(3, None), dtype=int64)"
    assert len(ragged) == ragged.nrows == 3
    assert [row.to_py() for row in ragged] == RAGGED
    assert "a" in struct and "b" not in struct and 3 not in struct
    assert st.constant([1, 2], dtype=np.float32).dtype == "float"
    assert st.constant([1, 2], dtype=float).dtype == "double"
    assert st.constant([1, 2], dtype="int32").dtype == "int32"
    with pytest.raises(TypeError, match="scalar"):
        len(st.constant(1))
    with pytest.raises(TypeError, match="scalar"):
        iter(st.constant(1))


def test_indexing_as_the_rfc_has_it(docs):
    assert docs["id"].to_py() == [1, 2, 3]
    assert docs["parts", :, "n"].to_py() == [[1, 2], [], [3]]
    assert docs["parts"]["w"].to_py() == [[[0.5], []], [], [[1.5, 2.5]]]
    assert docs[0].to_py() == docs.to_py()[0]
    assert docs[-1, "id"].item() == 3
    assert docs[1:]["id"].to_py() == [2, 3]
    assert docs[::-1]["id"].to_py() == [3, 2, 1]
    assert docs[[2, 0]]["id"].to_py() == [3, 1]
    assert docs[np.array([2, 0])]["id"].to_py() == [3, 1]
    assert docs[np.int64(1), "id"].item() == 2
    assert docs[docs["id"] > 1]["id"].to_py() == [2, 3]
    assert docs[[True, False, True]]["id"].to_py() == [1, 3]
    assert docs[np.array([True, False, True])]["id"].to_py() == [1, 3]
    assert docs[:, ["id", "tags"]].field_names() == ("id", "tags")
    assert docs["tags", :1].to_py() == [["a"], [], ["c"]]
    assert docs["id"][:, None].shape == (3, 1)
    assert docs["id"][...].to_py() == [1, 2, 3]
    assert docs[[]].nrows == 0
    assert st.constant(RAGGED)[st.constant([[True, False], [], [True]])].to_py() == [[1], [], [3]]


def test_indexing_errors(docs):
    with pytest.raises(KeyError, match="fields are id, tags, parts"):
        docs["titel"]
    with pytest.raises(IndexError):
        docs[3]
    with pytest.raises(ValueError, match="step"):
        docs[::0]
    with pytest.raises(TypeError):
        docs[True]
    with pytest.raises(TypeError):
        docs[1.5]
    with pytest.raises(TypeError):
        docs[object()]
    with pytest.raises(OverflowError):
        docs[2**70]
    with pytest.raises(ValueError):
        docs[st.constant([True])]
    with pytest.raises(ValueError):
        docs["id"][0, 0]


def test_paths(docs):
    assert docs.field_value("parts.n").to_py() == [[1, 2], [], [3]]
    assert docs.field_value(["parts", "n"]).to_py() == [[1, 2], [], [3]]
    assert docs.field_value("parts[*].n").to_py() == [[1, 2], [], [3]]
    assert docs.promote("parts.w", "w")["w"].to_py() == [[0.5], [], [1.5, 2.5]]
    assert docs.with_only(["parts.n"]).to_py()[0] == {"parts": [{"n": 1}, {"n": 2}]}
    assert docs.without(["parts", "tags"]).field_names() == ("id",)
    assert docs.broadcast("id", "parts.of").field_value("parts.of").to_py() == [[1, 1], [], [3]]
    assert docs.reroot("parts")["n"].to_py() == [1, 2, 3]
    assert docs.size_each("tags", "n")["n"].to_py() == [2, 0, 1]
    assert docs.has("tags", "any").filter([], "any")["id"].to_py() == [1, 3]
    assert docs.index_each("tags", "i")["i"].to_py() == [[0, 1], [], [0]]
    assert docs.slice_path("tags", -1, None)["tags"].to_py() == [["b"], [], ["c"]]
    assert docs.truncate("tags", 1)["tags"].to_py() == [["a"], [], ["c"]]
    assert docs.limit_depth(1)["parts"].field_names() == ()
    assert docs.sort_by_field("id", descending=True)["id"].to_py() == [3, 2, 1]
    assert docs.map_values("parts.n", "twice", lambda n: n * 2).field_value("parts.twice").to_py() == [[2, 4], [], [6]]
    applied = docs.apply(["id", "tags"], "both", lambda id, tags: id + tags.row_lengths())
    assert applied["both"].to_py() == [3, 2, 4]


def test_updates(docs):
    updated = docs.with_updates({"id": docs["id"] * 10, "parts.n": lambda n: n + 1, "tags": None, "new": [7, 8, 9]})
    assert updated["id"].to_py() == [10, 20, 30]
    assert updated.field_value("parts.n").to_py() == [[2, 3], [], [4]]
    assert updated.field_names() == ("id", "parts", "new")
    assert docs.field_names() == ("id", "tags", "parts")
    with pytest.raises(KeyError, match="nothing"):
        docs.with_updates({"nothing": None})
    with pytest.raises(ZeroDivisionError):
        docs.with_updates({"id": lambda id: 1 // 0})
    with pytest.raises(ValueError):
        docs.with_updates({"id": [1, 2]})


def test_operators():
    ragged, column = st.constant(RAGGED), st.constant([10, 20, 30]).reshape([3, 1])
    assert (ragged + column).to_py() == [[11, 12], [], [33]]
    assert (1 + ragged).to_py() == (ragged + 1).to_py() == [[2, 3], [], [4]]
    assert (10 - ragged).to_py() == [[9, 8], [], [7]]
    assert (ragged * ragged).to_py() == (ragged**2).to_py() == [[1, 4], [], [9]]
    assert (ragged / 2).to_py() == [[0.5, 1], [], [1.5]]
    assert (ragged * 0.5).to_py() == [[0.5, 1], [], [1.5]]
    assert (ragged // 2).to_py() == [[0, 1], [], [1]]
    assert (ragged % 2 == 1).to_py() == [[True, False], [], [True]]
    assert (-ragged).to_py() == [[-1, -2], [], [-3]]
    assert abs(-ragged).to_py() == RAGGED
    assert (~(ragged > 1)).to_py() == [[True, False], [], [False]]
    assert ((ragged > 1) & (ragged < 3)).to_py() == [[False, True], [], [False]]
    assert ((ragged == 1) | (3 == ragged)).to_py() == [[True, False], [], [True]]
    assert (ragged != 1).to_py() == [[False, True], [], [True]]
    assert (2**ragged).to_py() == [[2, 4], [], [8]]
    floats = st.constant([0.1, 0.2], dtype="float")
    assert (floats == 0.1).to_py() == [True, False]
    assert (st.constant(["a", "b"]) == "b").to_py() == [False, True]
    assert (st.constant([b"a"]) == b"a").to_py() == [True]
    assert st.constant([1]) != None  # noqa: E711: it must not fail, and it is not elementwise
    with pytest.raises(TypeError):
        st.constant([1]) + object()
    with pytest.raises(TypeError, match="to go with elements of int64, found str"):
        st.constant([1]) + "a"
    with pytest.raises(ValueError, match="dtype|int"):
        st.constant([1]) + st.constant([1.5])
    with pytest.raises(TypeError, match="unhashable"):
        hash(ragged)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ragged.flat_values)
    assert bool(st.constant(1)) and not bool(st.constant(""))
    assert (int(st.constant(7)), float(st.constant(7))) == (7, 7.0)


def test_structs_are_equal_as_a_whole(docs):
    assert docs == st.constant(docs.to_py())
    assert docs != docs[1:]
    assert (docs == 3) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(docs)


def test_times_compare_with_those_of_python():
    times = st.constant(np.array(["2026-01-01", "2026-06-01", "NaT"], dtype="M8[s]"))
    assert times.dtype == "timestamp[s]"
    after = [False, True, None]
    assert (times > datetime.datetime(2026, 3, 1)).to_py() == after
    assert (times > datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)).to_py() == after
    assert (times > np.datetime64("2026-03-01")).to_py() == after
    assert (times > "2026-03-01").to_py() == after
    lengths = st.constant(np.array([5, 10], dtype="m8[s]"))
    assert (lengths > datetime.timedelta(seconds=7)).to_py() == [False, True]
    with pytest.raises(ValueError, match="whole number"):
        times > datetime.datetime(2026, 3, 1, 0, 0, 0, 1)
    with pytest.raises(TypeError):
        times > datetime.timedelta(1)


def test_functions():
    ragged = st.constant(RAGGED)
    assert st.concat([ragged, [[4]]], axis=0).to_py() == [[1, 2], [], [3], [4]]
    assert st.concat([ragged, ragged], axis=1).to_py() == [[1, 2, 1, 2], [], [3, 3]]
    assert st.stack([[1], [2, 3]]).to_py() == [[1], [2, 3]]
    assert st.gather(ragged, [2, 0]).to_py() == [[3], [1, 2]]
    assert ragged.gather([[0], [], [0]], batch_dims=1).to_py() == [[1], [], [3]]
    assert st.boolean_mask([1, 2, 3], [True, False, True]).to_py() == [1, 3]
    assert st.where([[True, False], [], [True]], ragged, -ragged).to_py() == [[1, -2], [], [3]]
    assert st.where([True, False]).to_py() == [[0]]
    assert ragged.merge_dims(0, 1).to_py() == [1, 2, 3]
    assert ragged.to_tensor().to_py() == [[1, 2], [0, 0], [3, 0]]
    assert ragged.to_tensor(default_value=-1, shape=(None, 1)).to_py() == [[1], [-1], [3]]
    assert st.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0).to_py() == [[1], [2, 3]]
    assert st.expand_dims([1, 2], 1).shape == (2, 1)
    assert st.squeeze(st.expand_dims([1, 2], 1)).to_py() == [1, 2]
    assert st.split([1, 2, 3], [1, 2])[1].to_py() == [2, 3]
    assert [part.to_py() for part in st.split([1, 2], 2)] == [[1], [2]]
    assert st.reverse(ragged, 1).to_py() == [[2, 1], [], [3]]
    assert st.tile([1, 2], 2).to_py() == [1, 2, 1, 2]
    assert st.repeat([1, 2], [2, 1]).to_py() == [1, 1, 2]
    assert st.roll([1, 2, 3], 1, 0).to_py() == [3, 1, 2]
    assert st.sort([3, 1, 2], descending=True).to_py() == [3, 2, 1]
    assert st.argsort([3, 1, 2]).to_py() == [1, 2, 0]
    assert sorted(st.shuffle([1, 2, 3], 4).to_py()) == [1, 2, 3]
    assert st.bounding_shape(ragged) == (3, 2)
    assert st.zeros_like(ragged).to_py() == [[0, 0], [], [0]]
    assert ragged.reduce_sum().item() == 6
    assert ragged.reduce_sum(axis=1).to_py() == [3, 0, 3]
    assert st.reduce_max([[1, 5], [7, 2]], axis=[0]).to_py() == [7, 5]
    assert st.reduce_mean([1, 2, 3], keepdims=True).to_py() == [2.0]
    assert st.reduce_any(ragged > 2).item() is True
    assert st.math.cumsum([1, 2, 3], reverse=True).to_py() == [6, 5, 3]
    assert st.one_hot([1, 0], 2).to_py() == [[0, 1], [1, 0]]
    assert st.math.bincount([1, 1, 2]).to_py() == [0, 2, 1]
    assert st.strings.join([["a", "b"], "c"], separator="-").to_py() == ["a-c", "b-c"]
    assert st.strings.length(["ü"], unit="utf8_char").to_py() == [1]
    assert st.clip([1, 5, 9], 2, 6).to_py() == [2, 5, 6]
    assert ragged.cast("double").dtype == "double"
    indices, values, shape = st.to_sparse(ragged)
    assert (indices.to_py(), values.to_py(), shape.to_py()) == ([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
    with pytest.raises(ValueError, match="axis"):
        st.concat([ragged], axis=5)
    with pytest.raises(IndexError):
        st.gather([1], [3])
    with pytest.raises(TypeError):
        st.concat(ragged)
    with pytest.raises(TypeError):
        st.where([True], [1])


def test_row_partitions():
    partition = st.RowPartition.from_row_splits([0, 2, 2, 3])
    assert partition == st.RowPartition.from_row_lengths([2, 0, 1])
    assert partition == st.RowPartition.from_value_rowids([0, 0, 2], nrows=3)
    assert partition == st.RowPartition.from_row_starts([0, 2, 2], nvals=3)
    assert partition == st.RowPartition.from_row_limits(np.array([2, 2, 3]))
    assert (partition.nrows, partition.nvals, partition.uniform_row_length) == (3, 3, None)
    assert partition.row_lengths.to_py() == [2, 0, 1]
    assert st.RowPartition.from_uniform_row_length(2, nrows=3).uniform_row_length == 2
    assert st.RaggedTensor.from_row_partition([1, 2, 3], partition).to_py() == RAGGED
    assert st.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]).to_py() == RAGGED
    assert st.constant([1, 2, 3]).partition_outer_dimension(partition).to_py() == RAGGED
    assert st.constant(RAGGED).row_splits.to_py() == [0, 2, 2, 3]
    assert st.constant(RAGGED).row_partitions == [partition]
    with pytest.raises(ValueError, match="decrease|start|0"):
        st.RowPartition.from_row_splits([1, 0])


def test_from_fields():
    made = st.StructuredTensor.from_fields({"a": [1, 2], "b": [["x"], []]})
    assert made.to_py() == [{"a": 1, "b": ["x"]}, {"a": 2, "b": []}]
    assert st.StructuredTensor.from_fields({"a": RAGGED}, rank=2).shape == (3, None)
    assert st.StructuredTensor.from_fields({}, nrows=4).shape == (4,)
    assert st.StructuredTensor.from_fields({"a": 1}, shape=()).to_py() == {"a": 1}
    with pytest.raises(ValueError, match="b"):
        st.StructuredTensor.from_fields({"a": [1, 2], "b": [1]})
    with pytest.raises(TypeError):
        st.StructuredTensor.from_fields({1: [1]})


def test_specs():
    spec = st.constant([{"a": [1], "b": "x"}]).spec
    assert hash(spec) == hash(st.constant([{"a": [5], "b": "y"}]).spec)
    assert spec == st.constant([{"a": [5], "b": "y"}]).spec
    assert {spec: 1}[st.constant([{"a": [5], "b": "y"}]).spec] == 1
    assert spec != st.constant([{"a": [5]}]).spec
    assert (spec == 3) is False
    assert spec.fields["b"] == st.TensorSpec((1,), "string")
    assert st.TensorSpec((None, 2), np.int64).is_compatible_with(st.constant(np.zeros((3, 2), np.int64)))
    assert st.TensorSpec((3,), "int64").is_subtype_of(st.TensorSpec((None,), "int64"))
    vector = st.TensorSpec((3,), "int64")
    assert vector.most_specific_compatible_type(st.TensorSpec((4,), "int64")) == st.TensorSpec((None,), "int64")
    assert vector.most_specific_compatible_type(st.TensorSpec((3,), "string")) is None
    assert st.TensorSpec(None, "int64").shape is None
    assert st.constant([[1], [2, 3]]).spec.is_subtype_of(st.RaggedTensorSpec((2, None), "int64"))
    ragged = st.RaggedTensorSpec((2, None), "int64")
    assert (ragged.ragged_rank, ragged.dtype, ragged.row_splits_dtype) == (1, "int64", "int64")
    assert st.RowPartitionSpec(nrows=2, uniform_row_length=3).nvals == 6
    assert repr(st.TensorSpec((3,), "int64")) == "TensorSpec([3], int64)"
    assert "a: " in str(spec)
    with pytest.raises(TypeError, match="no dtype"):
        st.TensorSpec((3,), "int17")
    with pytest.raises(ValueError):
        st.TensorSpec((-2,), "int64")
    with pytest.raises(ValueError):
        st.RaggedTensorSpec((2, None), "int64", ragged_rank=2)
    with pytest.raises(ValueError):
        st.RaggedTensorSpec(None, "int64", ragged_rank=10**9)


def test_values_from_python_that_cannot_be():
    deep = 1
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ValueError, match="deeper"):
        st.constant(deep)
    itself = []
    itself.append(itself)
    with pytest.raises(ValueError, match="deeper"):
        st.constant(itself)
    with pytest.raises(ValueError):
        st.constant([1, "a"])
    with pytest.raises(OverflowError):
        st.constant(2**64)
    with pytest.raises(OverflowError):
        st.constant(-(2**63) - 1)
    with pytest.raises(TypeError, match="set"):
        st.constant({1, 2})
    with pytest.raises(TypeError):
        st.constant({1: 2})
    with pytest.raises(ValueError):
        st.constant(1, dtype="int64", spec=st.TensorSpec((), "int64"))


def test_the_truth_of_several_values_is_ambiguous():
    a, b = st.constant([[1], [2, 3]]), st.constant([[9], [8, 7]])
    for value in (a == b, a != a, a, st.constant([[]]), st.constant([[1]])[0:0]):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(value)
    with pytest.raises(ValueError, match="equals"):
        assert a == b
    assert a.equals(a) and not a.equals(b)
    with pytest.raises(ValueError, match="absent value is true is ambiguous"):
        bool(st.from_arrow(pa.array([True, None]))[1])
    assert bool(st.constant(True)) and not bool(st.constant(0))


def test_scalars_of_integers_are_indices():
    numbers = st.constant([[1], [2, 3]])
    assert list(range(st.rank(numbers))) == [0, 1]
    assert [5, 6, 7][st.constant([2, 0])[0]] == 7
    assert np.zeros(st.size(numbers)).shape == (3,)
    assert st.expand_dims(numbers, st.constant(0)).shape == st.expand_dims(numbers, 0).shape
    assert [part.to_py() for part in st.split(st.constant([1, 2, 3, 4]), st.constant(2))] == [[1, 2], [3, 4]]
    assert [part.to_py() for part in st.split(st.constant([1, 2, 3]), np.array([1, 2]))] == [[1], [2, 3]]
    assert st.bounding_shape(numbers, axis=st.constant(1)) == st.bounding_shape(numbers, axis=1) == 2
    absent = st.from_arrow(pa.array([1, None]))[1]
    for wrong in (st.constant([1]), st.constant(1.5), st.constant(True), absent, st.constant("1")):
        with pytest.raises(TypeError, match="only a scalar of an integer dtype is an index"):
            operator.index(wrong)


@pytest.mark.parametrize("text", ["abc", b"\x00\x01", bytearray(b"\x00")])
def test_strings_are_no_lists(text):
    numbers = st.constant([1, 2, 3])
    for call in (
        lambda: st.stack(text),
        lambda: st.strings.join(text),
        lambda: st.reverse(numbers, text),
        lambda: st.RaggedTensor.from_row_splits(numbers, text),
        lambda: st.reshape(numbers, text),
    ):
        with pytest.raises(TypeError, match="list of|tuple of"):
            call()


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, 2], [3, 4]]),
        np.zeros((0, 3)),
        np.zeros((2, 0), "int32"),
        np.array(5),
        np.array([1.5, 2.0], "float32"),
        st.constant(np.array([[1, 2], [3, 4]], "int32")),
        pa.array([1, 2, 3]),
    ],
    ids=["matrix", "no rows", "empty rows", "scalar", "floats", "tensor", "arrow"],
)
def test_arrays_keep_their_shape_in_constant(array):
    expected = st.constant(array)
    for dtype in ("int32", "int64", "float", "double"):
        if expected.dtype == "float" and dtype.startswith("int"):
            with pytest.raises(ValueError, match="1.5"):
                st.constant(array, dtype=dtype)
            continue
        value = st.constant(array, dtype=dtype)
        assert isinstance(value, st.Tensor) and value.shape == expected.shape and value.dtype == dtype
        assert value.to_py() == expected.to_py()
    same = st.constant(array, int_dtype="int32", float_dtype="float")
    assert same.dtype == expected.dtype and same.equals(expected)


def test_ragged_values_and_times_in_constant():
    ragged = st.constant([[1], [2, 3]])
    assert st.constant(ragged, dtype="int32").to_py() == [[1], [2, 3]]
    assert st.constant(ragged, dtype="int32").dtype == "int32"
    days = st.constant(np.array(["2026-01-01"], "M8[s]"), dtype="timestamp[s]")
    assert days.dtype == "timestamp[s]" and days.shape == (1,)
    with pytest.raises(ValueError, match=r"timestamp\[s\] cannot become timestamp\[ms\]"):
        st.constant(days, dtype="timestamp[ms]")
    with pytest.raises(TypeError, match="structs"):
        st.constant(st.constant([{"a": 1}]), dtype="int32")


def test_updates_are_any_mapping():
    rows = st.constant([{"a": 1}, {"a": 2}])
    assert rows.with_updates(types.MappingProxyType({"b": [3, 4]})).to_py() == [{"a": 1, "b": 3}, {"a": 2, "b": 4}]
    for wrong in ([("b", [3, 4])], "b", 1):
        with pytest.raises(TypeError, match="expected a dict of paths"):
            rows.with_updates(wrong)


def test_names_of_nested_partitions():
    ragged = st.constant([[[1], [2, 3]], []])
    assert [splits.to_py() for splits in ragged.nested_row_splits] == [[0, 2, 2], [0, 1, 3]]
    assert [lengths.to_py() for lengths in ragged.nested_row_lengths()] == [[2, 0], [1, 2]]
    assert [rowids.to_py() for rowids in ragged.nested_value_rowids()] == [[0, 0], [0, 1, 1]]


BEYOND_DOUBLE, BEYOND_FLOAT = 2**53 + 1, 2**24 + 1
DOUBLES = st.constant([0.5, 1.5])
FLOATS = st.constant([0.5, 1.5], dtype="float")
FLOAT_SPEC = st.TensorSpec([None], "float")
LOSSES = {
    "inferred": (lambda n: st.constant([n, 0.5]), BEYOND_DOUBLE),
    "inferred later": (lambda n: st.constant([0.5, -n]), BEYOND_DOUBLE),
    "dtype": (lambda n: st.constant([n], dtype="float"), BEYOND_FLOAT),
    "float_dtype": (lambda n: st.constant([n, 0.5], float_dtype="float"), BEYOND_FLOAT),
    "int_dtype": (lambda n: st.constant([[n]], int_dtype="float"), BEYOND_FLOAT),
    "spec": (lambda n: st.constant([n], spec=FLOAT_SPEC), BEYOND_FLOAT),
    "nested": (lambda n: st.constant([{"a": [{"b": [n, 0.5]}]}]), BEYOND_DOUBLE),
    "nested spec": (lambda n: st.constant([{"a": n}], spec=st.constant([{"a": 0.5}]).spec.with_unknown_sizes()), BEYOND_DOUBLE),
    "shape": (lambda n: st.constant(n, dtype="float", shape=[2]), BEYOND_FLOAT),
    "ragged": (lambda n: st.ragged.constant([[n], []], dtype="float"), BEYOND_FLOAT),
    "array": (lambda n: st.constant(np.array([n]), dtype="float"), BEYOND_FLOAT),
    "array of objects": (lambda n: st.constant(np.array([n, 0.5], dtype=object)), BEYOND_DOUBLE),
    "fields": (lambda n: st.StructuredTensor.from_fields({"a": [n, 0.5]}), BEYOND_DOUBLE),
    "fields of structs": (lambda n: st.StructuredTensor.from_fields({"a": [{"b": n}, {"b": 0.5}]}), BEYOND_DOUBLE),
    "updates": (lambda n: st.constant([{"a": 1}, {"a": 2}]).with_updates({"b": [n, 0.5]}), BEYOND_DOUBLE),
    "operand": (lambda n: DOUBLES + n, BEYOND_DOUBLE),
    "left operand": (lambda n: n - FLOATS, BEYOND_FLOAT),
    "comparison": (lambda n: FLOATS < n, BEYOND_FLOAT),
    "function": (lambda n: st.maximum(DOUBLES, n), BEYOND_DOUBLE),
    "where": (lambda n: st.where([True, False], DOUBLES, n), BEYOND_DOUBLE),
    "where, left": (lambda n: st.where([True, False], n, FLOATS), BEYOND_FLOAT),
    "where, list": (lambda n: st.where([True, False], [n, 0.5], DOUBLES), BEYOND_DOUBLE),
    "padding": (lambda n: st.constant([[0.5], []]).to_tensor(n), BEYOND_DOUBLE),
    "padding of from_tensor": (lambda n: st.RaggedTensor.from_tensor(FLOATS.reshape([1, 2]), padding=n), BEYOND_FLOAT),
    "default": (
        lambda n: st.io.parse_examples(st.constant([{"a": 0.5}]).to_examples(), {"a": st.io.FixedLenFeature([], "float", n)}),
        BEYOND_FLOAT,
    ),
    "stack": (lambda n: st.stack([DOUBLES, [n, 0.5]]), BEYOND_DOUBLE),
    "nest": (lambda n: st.nest.pack_sequence_as(DOUBLES.spec, [[n, 0.5]], expand_composites=True), BEYOND_DOUBLE),
}


class HasTensor(st.ExtensionType):
    x: st.Tensor


@pytest.mark.parametrize("name", LOSSES)
def test_integers_that_would_lose_digits_are_refused(name):
    make, beyond = LOSSES[name]
    with pytest.raises(ValueError, match=f"the integer -?{beyond} would lose digits as"):
        make(beyond)
    make(beyond - 1)
    if "array" not in name:
        make(float(beyond - 1))


def test_integers_in_attributes_that_would_lose_digits_are_refused():
    with pytest.raises(TypeError, match=f"^x: .*the integer {BEYOND_DOUBLE} would lose digits as double"):
        HasTensor([BEYOND_DOUBLE, 0.5])
    assert HasTensor([BEYOND_DOUBLE - 1, 0.5]).x.dtype == "double"


# --- Python numbers, strings and times beside values

INT32 = st.constant([1, 2], dtype="int32")
MASK = st.constant([True, False])
ONE, TWO, MANY = [datetime.datetime.fromtimestamp(second, datetime.timezone.utc) for second in (1, 2, 60)]
MS = datetime.timedelta(milliseconds=1)
CHOICES = [
    (INT32, 0, "int32", [1, 0], [0, 2]),
    (INT32, True, "int32", [1, 1], [1, 2]),
    (INT32, 0.5, "double", [1.0, 0.5], [0.5, 2.0]),
    (DOUBLES, 0, "double", [0.5, 0.0], [0.0, 1.5]),
    (FLOATS, 0.1, "float", [0.5, np.float32(0.1).item()], [np.float32(0.1).item(), 1.5]),
    (st.constant([1, 2], dtype="uint64"), 2**64 - 1, "uint64", [1, 2**64 - 1], [2**64 - 1, 2]),
    (st.constant([b"a", b"b"]), "x", "bytes", [b"a", b"x"], [b"x", b"b"]),
    (st.constant(["a", "b"]), "x", "string", ["a", "x"], ["x", "b"]),
    (st.constant([True, False]), True, "bool", [True, True], [True, False]),
    (st.constant([ONE, TWO], dtype="timestamp[s]"), MANY, "timestamp[s]", [ONE, MANY], [MANY, TWO]),
    (st.constant([MS, 2 * MS], dtype="duration[ms]"), 9 * MS, "duration[ms]", [MS, 9 * MS], [9 * MS, 2 * MS]),
    (np.array([1, 2], "int32"), 0, "int32", [1, 0], [0, 2]),
    (np.array([1.5, 2.5], "float32"), 1, "float", [1.5, 1.0], [1.0, 2.5]),
    ([1, 2], 0.5, "double", [1.0, 0.5], [0.5, 2.0]),
    (7, 0.5, "double", [7.0, 0.5], [0.5, 7.0]),
    (st.constant([[1], [2, 3]], dtype="int32"), 0, "int32", [[1], [0, 0]], [[0], [2, 3]]),
]


@pytest.mark.parametrize(("value", "number", "dtype", "chosen", "reversed_"), CHOICES, ids=lambda each: repr(each)[:40])
def test_numbers_take_the_dtype_of_the_other_choice(value, number, dtype, chosen, reversed_):
    mask = np.array([[True], [False]]) if isinstance(value, st.RaggedTensor) else MASK
    for found, expected in ((st.where(mask, value, number), chosen), (st.where(mask, number, value), reversed_)):
        assert (found.dtype, found.to_py()) == (dtype, expected)


def test_numbers_that_the_other_choice_has_no_room_for():
    with pytest.raises(ValueError, match="2147483648 does not fit in int32"):
        st.where(MASK, INT32, 2**31)
    with pytest.raises(ValueError, match="int32.*int64"):
        st.where(MASK, INT32, [3, 4])  # a list has a dtype of its own
    with pytest.raises(TypeError, match="to go with elements of int32, found str"):
        st.where(MASK, INT32, "x")
    assert st.maximum(np.array([1, 2], "int32"), 0).dtype == "int32"


# --- arrays of NumPy with absent elements

TEXT = np.dtypes.StringDType
ABSENT_ARRAYS = {
    "strings, None": (lambda: np.array(["a", None, ""], TEXT(na_object=None)), "string", ["a", None, ""]),
    "strings, NaN": (lambda: np.array(["a", np.nan, "nan"], TEXT(na_object=np.nan)), "string", ["a", None, "nan"]),
    "strings, a string": (lambda: np.array(["a", "__na__"], TEXT(na_object="__na__")), "string", ["a", None]),
    "strings, nothing absent": (lambda: np.array(["a", "b"], TEXT(na_object=None)), "string", ["a", "b"]),
    "strings, all absent": (lambda: np.array([None, None], TEXT(na_object=None)), "string", [None, None]),
    "matrix": (lambda: np.array([["a", None], [None, "d"]], TEXT(na_object=None)), "string", [["a", None], [None, "d"]]),
    "masked strings": (lambda: np.ma.MaskedArray(["a", "b"], [False, True]), "string", ["a", None]),
    "bytes in objects": (lambda: np.array([b"a", None, b""], dtype=object), "bytes", [b"a", None, b""]),
    "numbers in objects": (lambda: np.array([1, None], dtype=object), "int64", [1, None]),
    "matrix of objects": (lambda: np.array([[1.5, None], [None, 2.5]], dtype=object), "double", [[1.5, None], [None, 2.5]]),
    "nothing": (lambda: np.array([None], dtype=object), "double", [None]),
    "masked numbers": (lambda: np.ma.MaskedArray([1, 300], [False, True]), "int64", [1, None]),
    "times": (lambda: np.array([1, "NaT"], "datetime64[ns]"), "timestamp[ns]", [np.datetime64(1, "ns"), None]),
}


@pytest.mark.parametrize("name", ABSENT_ARRAYS)
def test_arrays_with_absent_elements(name):
    make, dtype, expected = ABSENT_ARRAYS[name]
    value = st.constant(make())
    assert (value.dtype, value.to_py(), value.shape) == (dtype, expected, make().shape)
    if dtype != "timestamp[ns]" and name != "strings, NaN":  # an array of objects shares its elements
        assert st.StructuredTensor.from_fields({"a": make()})["a"].equals(value)
    assert st.constant(value.to_numpy(fill_value=0) if dtype == "int64" else value.to_numpy()).shape == value.shape


def test_a_text_that_looks_like_the_mark_of_absent_ones_is_a_text():
    marked = np.array(["a", "__na__"], TEXT(na_object="__na__"))
    unmarked = np.array(["a", "__na__"], TEXT())
    assert (st.constant(marked).to_py(), st.constant(unmarked).to_py()) == (["a", None], ["a", "__na__"])


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        (["a", None], "string"),
        ([b"a", None], "bytes"),
        ([[["a"], []], [], [["b", None, ""]]], "string"),
        ([[b"x"], [None]], "bytes"),
    ],
)
def test_absent_elements_go_to_numpy_and_back(made, dtype):
    rank = 0
    inner = made
    while isinstance(inner, list):
        rank, inner = rank + 1, next((item for item in inner if item), None)
    shape = [len(made)] + [None] * (rank - 1)
    spec = st.TensorSpec(shape, dtype, nullable=True) if rank == 1 else st.RaggedTensorSpec(shape, dtype, nullable=True)
    value = st.constant(made, spec=spec)
    again = st.constant(value.to_numpy())
    assert (again.dtype, again.to_py()) == (dtype, made)


def test_arrays_and_values_in_lists_and_dicts_keep_their_dtype_and_axes():
    image = np.zeros((2, 3), np.float32)
    rows = st.constant([{"image": image, "n": 1}, {"image": image, "n": 2}])
    assert (rows["image"].dtype, rows["image"].shape, rows["n"].dtype) == ("float", (2, 2, 3), "int64")
    ragged = st.constant([{"image": image}, {"image": np.zeros((1, 3), np.float32)}])
    assert ragged["image"].spec == st.RaggedTensorSpec([2, None, 3], "float", 1)
    parts = {"a": {"b": st.ragged.constant([[1], []])}, "c": [st.constant([1]), [2]], "d": np.zeros((0, 4), np.uint32)}
    scalar = st.constant(parts)
    assert scalar["a", "b"].to_py() == [[1], []] and scalar["c"].to_py() == [[1], [2]]
    assert (scalar["d"].dtype, scalar["d"].shape) == ("uint32", (0, 4))
    assert st.StructuredTensor.from_fields({"x": [image, image]})["x"].dtype == "float"


def test_lists_without_elements_take_the_dtype_of_the_other_values():
    assert st.concat([[], [1]], 0).to_py() == [1] and st.stack([[], []]).dtype == "double"
    assert st.concat([[[]], [["x"]]], 0).to_py() == [[], ["x"]]
    with pytest.raises(ValueError, match="double"):
        st.concat([st.constant([]), [1]], 0)


def test_ragged_arrays_of_numpy_keep_their_dtype():
    for dtype in ("int32", "uint64", "float", "double", "bool", "float16", "timestamp[ns]", "duration[s]", "string", "bytes"):
        rows = [["1"], [], ["2", "3"]]
        if dtype not in ("string", "bytes"):
            rows = [[{"bool": True}.get(dtype, int(text)) for text in row] for row in rows]
        elif dtype == "bytes":
            rows = [[text.encode() for text in row] for row in rows]
        value = st.constant(rows, spec=st.RaggedTensorSpec([3, None], dtype))
        again = st.constant(value.to_numpy())
        assert again.dtype == dtype and again.equals(value)
    mixed = np.empty(2, dtype=object)
    mixed[:] = [np.array([2**53 + 1]), np.array([0.5])]
    with pytest.raises(ValueError, match="value 0 has dtype int64 and value 1 has double; cast them to one dtype"):
        st.constant(mixed)
    masked = np.empty(2, dtype=object)
    masked[:] = [np.ma.MaskedArray([1, 2], [True, False]), np.ma.MaskedArray([3], [False])]
    assert st.constant(masked).to_py() == [[None, 2], [3]]


@pytest.mark.parametrize("dtype", ["int32", "uint64", "double", "float16"])
def test_masked_arrays_of_another_dtype(dtype):
    array = np.ma.MaskedArray([[1, 300], [-7, 2]], [[False, True], [True, False]])
    value = st.constant(array, dtype=dtype)
    assert (value.dtype, value.shape, value.to_py()) == (dtype, (2, 2), [[1, None], [None, 2]])
    with pytest.raises(ValueError, match="300 does not fit|expected bool"):
        st.constant(np.ma.MaskedArray([300, 1], [False, True]), dtype="bool")
    assert st.constant(np.ma.MaskedArray(5, True), dtype="int32").to_py() is None
    strings = np.array(["a", None], TEXT(na_object=None))
    assert st.constant(strings, dtype="bytes").to_py() == [b"a", None]
    ragged = pa.array([[1, None], [], [3]])
    assert st.constant(ragged, dtype="double").to_py() == [[1.0, None], [], [3.0]]


# --- small refusals


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_nothing_is_split_into_empty_parts(count):
    structs = st.constant([{"a": 1}])[:0]
    for value in (st.constant([], shape=[0]), st.constant([[1]])[:0], structs, st.constant([], shape=[0, 3])):
        parts = st.split(value, count)
        assert [part.shape[0] for part in parts] == [0] * count
        assert parts[0].spec.with_unknown_sizes() == value.spec.with_unknown_sizes()
    inner = st.split(st.constant([], shape=[2, 0, 3]), count, axis=1)
    assert [part.shape for part in inner] == [(2, 0, 3)] * count


def test_parts_are_not_without_bound():
    for count in (0, -1, 2**16 + 1, 2**62):
        with pytest.raises(ValueError, match="parts"):
            st.split(st.constant([], shape=[0]), count)
    with pytest.raises(ValueError, match="2 parts of equal size"):
        st.split(st.constant([1]), 2)


def test_lists_are_points_and_indices():
    assert st.gather_nd([10, 20], [[1], [0]]).to_py() == [20, 10]
    assert st.gather_nd(RAGGED, [[0, 1], [2, 0]]).to_py() == [2, 3]
    assert st.gather_nd([10, 20], [[[1]], [[0], [1]], []]).to_py() == [[20], [10, 20], []]
    assert st.gather_nd([10, 20], [[], []]).to_py() == [[10, 20], [10, 20]]
    with pytest.raises(ValueError):
        st.gather_nd(RAGGED, [[0, 1], [2]])
    table = st.constant([10, 20, 30])
    assert table[[[0, 1], [1, 2]]].to_py() == [[10, 20], [20, 30]]
    assert table[[[0, 1], [1, 2]]].shape == (2, 2)
    assert st.constant(RAGGED)[[[2, 0], [1, 1]]].to_py() == [[[3], [1, 2]], [[], []]]
    assert st.constant(RAGGED)[[[True, False], [], [True]]].to_py() == [[1], [], [3]]
    with pytest.raises(ValueError):
        table[[[0, 1], [1]]]


@pytest.mark.parametrize("greatest", [2**62, 2**63 - 2, 2**63 - 1])
def test_numbers_that_are_not_counted(greatest):
    assert st.math.bincount([greatest, 1], maxlength=2).to_py() == [0, 1]
    assert st.math.bincount([greatest], maxlength=0).to_py() == []
    assert st.math.bincount([[greatest, 1], [0]], by_row=True, maxlength=2).to_py() == [[0, 1], [1, 0]]
    with pytest.raises(MemoryError):
        st.math.bincount([greatest, 1])


@pytest.mark.parametrize("far", [2**63, 2**64, 2**70])
def test_bounds_of_slices_are_clipped_as_in_python(far):
    for value in (st.constant([1, 2, 3]), st.constant(RAGGED), st.constant([{"a": 1}, {"a": 2}, {"a": 3}])):
        rows = value.to_py()
        for bounds in (slice(far), slice(-far, None), slice(far, None), slice(None, -far), slice(None, None, far)):
            assert value[bounds].to_py() == rows[bounds], bounds
        for bounds in (slice(far, -far, -1), slice(None, None, -far)):
            assert value[bounds].to_py() == rows[bounds], bounds
        assert value[: np.uint64(2**64 - 1)].to_py() == rows
    assert st.constant(RAGGED)[:, :far].to_py() == RAGGED
    assert st.DynamicRaggedShape.from_lengths([2, 3])[:far].rank == 2
    with pytest.raises(TypeError):
        st.constant([1, 2, 3])[:True]
