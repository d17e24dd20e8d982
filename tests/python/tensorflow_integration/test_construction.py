"""How structs are made from fields and lists, and how they are shown: as in the package."""

import ast
import inspect
import pathlib

import numpy as np
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from plain_values import plain

OURS = structtensor.tf.StructuredTensor
Partition = tf.experimental.RowPartition
BAD = tf.errors.InvalidArgumentError
LISTS = [
    {"n": 0, "word": "x", "inner": []},
    {"n": 1, "word": "größe", "inner": [{"a": [1.5]}]},
    {"n": 2, "word": "", "inner": [{"a": []}, {"a": [2.0, 3.0]}]},
]


@pytest.fixture(scope="module")
def both():
    """The package's value and ours."""
    value = st.constant(LISTS)
    return value, OURS.from_structtensor(value)


@pytest.fixture(scope="module")
def stub():
    """The methods of the package's StructuredTensor in its stub. The compiled ones have no signature that can be read."""
    tree = ast.parse(pathlib.Path(st.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    (structs,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "StructuredTensor")
    return {each.name: each for each in structs.body if isinstance(each, ast.FunctionDef)}


METHODS = ["promote", "broadcast", "with_updates", "with_only", "without", "apply", "map_values", "reroot", "filter",
           "size_each", "has", "index_each", "slice_path", "truncate", "limit_depth"]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_methods_take_the_packages_arguments(method, stub):
    arguments = stub[method].args
    named = [each.arg for each in (*arguments.posonlyargs, *arguments.args, arguments.vararg, arguments.kwarg) if each]
    assert list(inspect.signature(getattr(OURS, method)).parameters)[1:] == named[1:]


# --- Fields from lists


FIELDS = {
    "numbers": [7, 8, 9],
    "lists of one length": [[1, 2], [3, 4], [5, 6]],
    "lists of several lengths": [[1], [], [2, 3]],
    "lists that begin with an empty one": [[], [1], [2, 3]],
    "deeper lists": [[[1], [2, 3]], [], [[]]],
    "structs": [{"x": 1}, {"x": 2}, {"x": 3}],
    "lists of structs": [[], [{"x": [1]}], [{"x": []}, {"x": [2]}]],
}


@pytest.mark.parametrize("name", FIELDS)
def test_lists_become_fields(both, name):
    value, ours = both
    lists = FIELDS[name]
    expected = [{**row, "new": field} for row, field in zip(plain(value), lists)]
    assert plain(ours.with_updates({"new": lists})) == plain(value.with_updates({"new": lists})) == expected
    assert plain(ours.with_updates(new=lists)) == expected
    assert plain(tf.function(lambda ours: ours.with_updates(new=lists))(ours)) == expected
    assert plain(ours.apply("n", "new", lambda n: lists)) == plain(value.apply("n", "new", lambda n: lists)) == expected
    made = OURS.from_fields({"new": lists})
    assert plain(made) == plain(st.StructuredTensor.from_fields({"new": lists})) == [{"new": field} for field in lists]
    scalar = plain(OURS.from_fields({"new": lists}, shape=[]))
    assert scalar == {"new": lists}


def test_lists_below_inner_structs(both):
    value, ours = both
    for lists in ([[], [1], [2, 3]], [[], [[1, 2]], [[3, 4], [5, 6]]], [[], [[1]], [[], [5, 6]]]):
        assert plain(ours.with_updates({"inner.new": lists})) == plain(value.with_updates({"inner.new": lists}))
    with pytest.raises(BAD, match="inner.new: the value has other rows than the structs along axis 1"):
        ours.with_updates({"inner.new": [[1], [], [2, 3]]})
    with pytest.raises(TypeError, match="updates: expected a dict from paths to values, found list"):
        ours.with_updates([("new", [1, 2, 3])])


def test_fields_without_a_name(both):
    for path, value in ((("",), [1, 2, 3]), (("inner", ""), [[], [1], [2, 3]])):
        with pytest.raises(ValueError, match="updates: a field's name must not be empty"):
            both[1].with_updates({path: value})


def test_tensors_in_lists_become_fields():
    made = OURS.from_fields({"a": [tf.constant([1, 2]), tf.constant([3, 4])], "b": np.zeros([2, 0])})
    assert plain(made) == [{"a": [1, 2], "b": []}, {"a": [3, 4], "b": []}]


# --- The axes of structs


def lengths(*row_lengths):
    return Partition.from_row_lengths(tf.constant(row_lengths, tf.int64))


SHAPES = [
    # fields, options, rows
    ({"a": 1}, {"shape": []}, {"a": 1}),
    ({"a": [1, 2]}, {"shape": [None]}, [{"a": 1}, {"a": 2}]),
    ({"a": [[1], [2, 3]]}, {"shape": [2]}, [{"a": [1]}, {"a": [2, 3]}]),
    ({"a": [[1], [2, 3]]}, {"shape": [2, None]}, [[{"a": 1}], [{"a": 2}, {"a": 3}]]),
    ({"a": [[1, 2], [3, 4]]}, {"shape": tf.TensorShape([2, 2])}, [[{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 4}]]),
    ({"a": [[1], [2, 3]]}, {"row_partitions": [lengths(1, 2)], "rank": 2}, [[{"a": 1}], [{"a": 2}, {"a": 3}]]),
    ({"a": [[1], [2, 3]]}, {"row_partitions": [], "nrows": 2}, [{"a": [1]}, {"a": [2, 3]}]),
    ({}, {"shape": []}, {}),
    ({}, {"nrows": 2}, [{}, {}]),
    ({}, {"shape": [2, 3]}, [[{}, {}, {}], [{}, {}, {}]]),
    ({}, {"shape": [None, 1, 2], "nrows": 2}, [[[{}, {}]], [[{}, {}]]]),
    ({}, {"shape": [2, None], "row_partitions": [lengths(1, 2)]}, [[{}], [{}, {}]]),
    ({}, {"row_partitions": [lengths(1, 2), lengths(1, 0, 2)]}, [[[{}]], [[], [{}, {}]]]),
]


@pytest.mark.parametrize("fields, options, rows", SHAPES)
def test_from_fields_with_axes(fields, options, rows):
    for made in (OURS.from_fields(fields, **options), tf.function(lambda: OURS.from_fields(fields, **options))()):
        assert plain(made) == rows
    if "row_partitions" not in options:
        shape = {"shape": list(options["shape"])} if "shape" in options else {}
        assert plain(st.StructuredTensor.from_fields(fields, **{**options, **shape})) == rows


def test_from_fields_with_other_axes():
    fields = {"a": [[1], [2, 3]]}
    for options, problem in [
        ({"shape": [3]}, "other numbers of rows than nrows"),
        ({"shape": [2, 2]}, "axis 1 has rows not of size 2"),
        ({"row_partitions": [lengths(2, 1)]}, "have other rows than the row partitions"),
    ]:
        with pytest.raises(BAD, match=problem):
            OURS.from_fields(fields, **options)
    with pytest.raises(BAD, match="row_partitions have other rows than nrows"):
        OURS.from_fields({}, nrows=3, row_partitions=[lengths(1, 2)])
    for options, problem in [
        ({"shape": [2], "rank": 2}, "rank is for structs of rank 2; shape is for structs of rank 1"),
        ({"shape": [2], "row_partitions": [lengths(1, 2)]}, "shape is for structs of rank 1; row_partitions is for .* rank 2"),
        ({"shape": [2, None, None]}, "the field 'a' has the rank 2, and the structs 3"),
        ({"rank": -1}, "no structs of rank -1"),
    ]:
        with pytest.raises(ValueError, match=problem):
            OURS.from_fields(fields, **options)
    for fields in ({}, {"a": [1, 2]}):
        with pytest.raises(BAD, match="nrows is not the size of axis 0"):
            OURS.from_fields(fields, shape=[2], nrows=3)
    with pytest.raises(TypeError, match="fields: expected a dict from names to values, found int"):
        OURS.from_fields(3)
    for options in ({}, {"rank": 2, "nrows": 2}, {"shape": [2, None]}):
        with pytest.raises(ValueError, match="structs without fields need nrows"):
            OURS.from_fields({}, **options)


def test_the_constructor_takes_flat_rows():
    problem = r"StructuredTensor.from_fields\(fields, shape=shape\) takes a shape"
    for call in (lambda: OURS(shape=[2], fields={"a": [1, 2]}), lambda: OURS(fields={"a": [1, 2]}), lambda: OURS([])):
        with pytest.raises(TypeError, match=problem):
            call()
    with pytest.raises(ValueError, match=f"found int64 of shape (); {problem}".replace("()", r"\(\)")):
        OURS([2], {"a": [1, 2]})


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_from_row_splits(both, dtype):
    value, ours = both
    for make in (OURS.from_row_splits, tf.function(lambda values, splits: OURS.from_row_splits(values, splits))):
        assert plain(make(ours, tf.constant([0, 2, 2, 3], dtype))) == [plain(value)[:2], [], plain(value)[2:]]
        assert plain(make(ours["inner"], tf.constant([0, 3], dtype))) == [plain(value["inner"])]
    assert plain(OURS.from_row_splits(values=ours, row_splits=[0, 1, 3])) == [plain(value)[:1], plain(value)[1:]]


def test_row_splits_that_are_wrong(both):
    ours = both[1]
    for values, splits, kind, problem in [
        (ours, [0, 2], BAD, "the row splits end with the number of rows"),
        (ours, [1, 3], BAD, "the row splits begin with 0"),
        (ours, [0, 2, 1, 3], BAD, "the row splits do not decrease"),
        (ours, [0.0, 3.0], TypeError, r"from_row_splits: expected a vector of integers as row splits, found float32 .*\(2,\)"),
        (ours, [[0, 3]], TypeError, r"expected a vector of integers as row splits, found int32 of shape \(1, 2\)"),
        (ours["n"], [0, 3], TypeError, "from_row_splits: expected a structtensor.tf.StructuredTensor, found EagerTensor"),
        (ours[0], [0, 1], ValueError, "from_row_splits: a scalar struct has no axis"),
    ]:
        with pytest.raises(kind, match=problem):
            OURS.from_row_splits(values, splits)


def test_row_partitions(both):
    value, ours = both
    partition = lengths(2, 0, 1)
    grouped = ours.partition_outer_dimension(partition)
    assert plain(grouped) == [plain(value)[:2], [], plain(value)[2:]]
    assert plain(ours.partition_outer_dimension([0, 2, 2, 3])) == plain(grouped)
    assert [each.row_splits().numpy().tolist() for each in grouped["inner"].row_partitions] == [[0, 2, 2, 3], [0, 0, 1, 3]]
    again = OURS.from_fields({"a": grouped["inner", "a"]}, row_partitions=grouped["inner"].row_partitions)
    assert again.rank == 3 and plain(again) == plain(grouped["inner"])
    assert ours.row_partitions == () and grouped[0, 0].row_partitions == ()
    with pytest.raises(BAD, match="end with the number of rows"):
        ours.partition_outer_dimension(lengths(2, 2))


@pytest.mark.parametrize("rank", [1, 2])
def test_specs_of_fields(both, rank):
    ours = both[1] if rank == 1 else both[1]["inner"]
    spec = OURS.Spec.from_fields({name: tf.type_spec_from_value(ours[name]) for name in ours.field_names()}, rank)
    assert spec == tf.type_spec_from_value(ours)._with_rank(rank)
    assert plain(tf.function(lambda rows: rows[::-1], input_signature=[spec])(ours[1:])) == plain(ours)[:0:-1]


def test_specs_of_written_fields():
    spec = OURS.Spec.from_fields(
        {"vector": tf.TensorSpec([None, None, 3]), "word": tf.RaggedTensorSpec([2, None], tf.string)}, 2
    )
    rows = OURS.from_fields({"vector": [[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]], "word": [["a"], ["b"]]}, rank=2)
    assert spec.is_compatible_with(rows) and spec.rank == 2
    for fields, rank, problem in [
        ({"a": tf.TensorSpec([None])}, 2, "the field 'a' has the rank 1, and the structs 2"),
        ({"a": tf.TensorSpec(None)}, 1, "the field 'a' has the rank None"),
        ({}, 0, "the rank is 1 or more"),
    ]:
        with pytest.raises(ValueError, match=problem):
            OURS.Spec.from_fields(fields, rank)
    with pytest.raises(TypeError, match="expected the spec of a tensor, a ragged tensor or structs"):
        OURS.Spec.from_fields({"a": tf.SparseTensorSpec([None, 1])})


# --- What is shown


def test_text(both):
    value, ours = both
    for shown in (str, repr):
        for ours_rows, rows in (
            (ours, value),
            (ours[0], value[0]),
            (ours[1:, "inner"], value[1:, "inner"]),
            (ours[:0], value[:0]),
        ):
            assert shown(ours_rows) == shown(rows)
    many = tf.repeat(ours, 100, axis=0)
    assert repr(many) == repr(st.repeat(value, 100)) and str(many) == str(st.repeat(value, 100))


def test_text_of_what_the_package_does_not_show():
    assert repr(OURS.from_fields({"bytes": [b"\xff"]})) == "<StructuredTensor [{'bytes': b'\\xff'}], shape=(1,)>"
    assert repr(OURS.from_fields({"a": [1 + 2j]})) == "<StructuredTensor {a: complex128 [1]}, shape=(1,)>"
    rows = OURS.from_fields({"a": [1, 2]})
    kinds = tf.nest.map_structure(lambda tensor: tensor.dtype, rows, expand_composites=True)
    assert "tf.int32" in repr(kinds)


def test_text_in_graphs(both):
    found = []

    @tf.function(input_signature=[tf.type_spec_from_value(both[1])._with_rank(1)])
    def function(rows):
        found.extend([repr(rows), str(rows[0]), repr(rows["inner"])])
        return rows

    function(both[1])
    fields = "n: int64 [None], word: string [None], inner: {a: float64 [None, None, None]}"
    assert found[-3:] == [
        f"<StructuredTensor {{{fields}}}, shape=(None,)>",
        "<StructuredTensor {n: int64 [], word: string [], inner: {a: float64 [None, None]}}, shape=()>",
        "<StructuredTensor {a: float64 [None, None, None]}, shape=(None, None)>",
    ]


def test_field_value(both):
    ours = both[1]
    assert ours.field_value(field_name="n").numpy().tolist() == [0, 1, 2]
    for path in ("inner.a", ["inner", "a"]):
        assert ours.field_value(path).to_list() == [[], [[1.5]], [[], [2.0, 3.0]]]


def test_names_in_structs(both):
    value, ours = both
    for name in ("n", "inner", "inner.a", "zz", ""):
        assert (name in ours) == (name in value)
    assert 3 not in ours and "n" in ours[0]


def test_lists_of_one_length_are_ragged():
    """Otherwise the type of a batch would depend on its values."""
    same, other = OURS.from_py([{"a": [1, 2]}, {"a": [3, 4]}]), OURS.from_py([{"a": [1]}, {"a": []}])
    assert tf.type_spec_from_value(same) == tf.type_spec_from_value(other)
    spec = st.StructuredTensorSpec([None], {"a": st.TensorSpec([None, 2], "int32")})
    assert OURS.from_py([{"a": [1, 2]}], spec)["a"].shape == [1, 2]
