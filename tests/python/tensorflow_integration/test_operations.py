"""Indexing, paths and array operations: the results are those of the package's own values."""

import functools

import numpy as np
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from plain_values import plain

OURS = structtensor.tf.StructuredTensor


def random_rows(seed, count=12):
    """Structs with lists of structs with lists, optional values, and a mask at each level."""
    random = np.random.default_rng(seed)

    def some(make, most=4):
        return [make() for _ in range(random.integers(most + 1))]

    def inner():
        return {
            "n": int(random.integers(100)),
            "keep": bool(random.integers(2)),
            "words": some(lambda: str(random.integers(99)), 3),
        }

    def outer():
        values = some(lambda: float(random.integers(50)))
        return {
            "id": int(random.integers(1000)),
            "keep": bool(random.integers(2)),
            "tags": values,
            "marks": [bool(random.integers(2)) for _ in values],
            "maybe": some(lambda: True, 1),
            "one": [inner()] if random.integers(2) else [],
            "many": some(inner),
        }

    # One full row first, so that all types show.
    full = outer()
    full.update(tags=[1.0], marks=[True], maybe=[True], one=[inner() | {"words": ["x"]}], many=[inner() | {"words": ["y"]}])
    return st.constant([full] + [outer() for _ in range(count)])


@pytest.fixture(scope="module", params=range(4))
def both(request):
    """The package's value and ours."""
    value = random_rows(request.param)
    return value, OURS.from_structtensor(value)


KEYS = [
    0, -1, slice(2, 7), slice(None, None, -2), slice(-3, None), slice(5, 2), [3, 0, -1], [], None, Ellipsis,
    (slice(None), None), (0, "many"), ("many",), ("many", "words"), ("many", slice(0, 2)), ("many", slice(None, None, -1)),
    ("many", slice(-2, None), "words"), ("many", slice(1, None, 2), "words", slice(0, 1)),
    (0, "many", 0), (0, "many", 0, "words", 0),
    (slice(1, 4), "many", slice(None), "words", slice(None, None, -1)), ("tags", slice(1, 3)),
    (0, "tags", -1), (0, "tags", None),
    ("many", Ellipsis), ("many", Ellipsis, slice(0, 1)), ("many", None), (slice(0, 1), "many", 0), (slice(0, 1), "one", 0, "n"),
    ([0, 0], "many", 0, "words"), ("id",), (3, "id"), (slice(0, 1), "tags", 0), (0, "many", slice(0, 2), "keep"),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_keys(both, key):
    value, ours = both
    assert plain(ours[key]) == plain(value[key])

    @tf.function
    def chosen(ours):
        return ours[key]

    assert plain(chosen(ours)) == plain(value[key])


def with_tensors(key, make):
    """The key with the result of `make` for each integer."""
    if isinstance(key, tuple):
        return tuple(with_tensors(each, make) for each in key)
    if isinstance(key, slice):
        return slice(*(with_tensors(bound, make) for bound in (key.start, key.stop, key.step)))
    return make(key) if isinstance(key, int) else key


def has_integers(key):
    if isinstance(key, slice):
        key = (key.start, key.stop, key.step)
    return any(map(has_integers, key)) if isinstance(key, tuple) else isinstance(key, int)


MORE_KEYS = [(0, "many", Ellipsis, 0), ("tags", Ellipsis, slice(0, 1)), (0, "tags", Ellipsis, -1)]


@pytest.mark.parametrize("key", [*filter(has_integers, KEYS), *MORE_KEYS], ids=repr)
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_keys_of_tensors(both, key, dtype):
    value, ours = both
    expected = plain(value[key])
    assert plain(ours[with_tensors(key, lambda number: tf.constant(number, dtype))]) == expected

    # While this is traced, the numbers are not known.
    @tf.function(input_signature=[tf.type_spec_from_value(ours)._with_rank(1), tf.TensorSpec([], dtype)])
    def chosen(ours, one):
        return ours[with_tensors(key, lambda number: number * one)]

    assert plain(chosen(ours, tf.constant(1, dtype))) == expected


@pytest.mark.parametrize("make", [int, np.int32, np.int64])
@pytest.mark.parametrize("convert", [lambda number: number, tf.constant], ids=["number", "tensor"])
def test_keys_of_dense_axes(make, convert):
    dense = tf.reshape(tf.range(24), [2, 3, 4])
    rows = OURS.from_fields({"a": dense})
    at, number = 1, convert(make(1))
    for key, expected in [
        ((slice(None), "a", number), dense[:, at]),
        ((0, "a", number, number), dense[0, at, at]),
        ((slice(None), "a", Ellipsis, number), dense[:, :, at]),
        ((slice(None), "a", slice(number, None), number), dense[:, at:, at]),
        ((slice(None), "a", None, number), dense[:, None, at]),
    ]:
        assert plain(rows[key]) == plain(expected)
        chosen = tf.function(functools.partial(lambda key, rows: rows[key], key))
        assert plain(chosen(rows)) == plain(expected)


def test_keys_that_are_wrong(both):
    ours = both[1]
    for key in [
        (0, 0),
        ("id", "x"),
        ("many", slice(1), slice(1)),
        (Ellipsis, Ellipsis),
        ("many", "n", slice(1)),
        (slice(0, 1, 0),),
    ]:
        with pytest.raises(ValueError):
            ours[key]
    for key in [1.5, True, slice("a", None), ("many", [0]), [[0]], [0.5]]:
        with pytest.raises(TypeError):
            ours[key]
    for key in [99, -99, [99], ("many", 5), (0, "tags", 9)]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            ours[key]
    with pytest.raises(KeyError, match="no field 'nn'"):
        ours["many", "nn"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="one boolean for each row"):
        ours[[True]]


def test_masks(both):
    value, ours = both
    assert plain(ours[ours["keep"]]) == [row for row in plain(value) if row["keep"]]
    many = ours["many"]
    expected = [[inner for inner in row["many"] if inner["keep"]] for row in plain(value)]
    assert plain(many[many["keep"]]) == expected
    assert plain(tf.boolean_mask(many, many["keep"])) == expected
    with pytest.raises(tf.errors.InvalidArgumentError, match="other rows"):
        many[many["keep"][::-1]]
    with pytest.raises(ValueError, match="a mask of 2 axes"):
        ours[many["keep"]]


PATHS = {
    "promote": [("many.n", "up"), ("many.words", "up"), ("one.n", "up"), ("one.words", "id")],
    "broadcast": [("id", "many.down"), ("tags", "many.down"), ("many", "one.down"), ("id", "one.n")],
    "reroot": [("many",), ("one",), ("",)],
    "with_only": [(["id", "many.words"],), (["many.n", "many"],), ([],)],
    "without": [(["id", "many.words"],), (["many.n", "many"],), (["many", "many"],)],
    "size_each": [("many", "k"), ("many.words", "k"), ("id", "k"), ("tags", "k"), ("one.words", "words")],
    "has": [("many", "k"), ("many.words", "k"), ("id", "k"), ("maybe", "k")],
    "index_each": [("many", "k"), ("many.words", "k"), ("tags", "k"), ("many.words", "k", True)],
    "slice_path": [("many", 1, 2), ("many", -2, None), ("many.words", None, -1), ("tags", 3, 1), ("many", -9, 9)],
    "truncate": [("many", 1), ("many.words", 0), ("tags", 2)],
    "filter": [("", "keep"), ("many", "many.keep"), ("tags", "marks"), ("id", "keep"),
               ("many.n", "many.keep"), ("one", "one.keep")],
    "limit_depth": [(1,), (2,), (9,)],
}  # fmt: skip


@pytest.mark.parametrize("name, arguments", [(name, arguments) for name in PATHS for arguments in PATHS[name]], ids=repr)
def test_paths(both, name, arguments):
    value, ours = both
    expected = plain(getattr(value, name)(*arguments))
    assert plain(getattr(ours, name)(*arguments)) == expected
    assert plain(tf.function(lambda ours: getattr(ours, name)(*arguments))(ours)) == expected


@pytest.mark.parametrize("rank", [0, 2])
def test_paths_at_other_ranks(both, rank):
    value, ours = both
    splits = [0, 4, 4, value.nrows]
    if rank == 0:
        value, ours = value[0], ours[0]
    else:
        value = st.partition_outer_dimension(value, st.RowPartition.from_row_splits(np.array(splits)))
        ours = ours.partition_outer_dimension(splits)
    assert ours.rank == rank and plain(ours) == plain(value)
    for name in PATHS:
        for arguments in PATHS[name]:
            if rank > 0 or (name, arguments[0]) != ("filter", ""):
                assert plain(getattr(ours, name)(*arguments)) == plain(getattr(value, name)(*arguments)), (name, arguments)


def test_paths_that_are_wrong(both):
    ours = both[1]
    with pytest.raises(KeyError, match="no field 'manny'"):
        ours.promote("manny.n", "x")
    for call in [
        lambda: ours.promote("id", "x"),
        lambda: ours.promote("many.n", ""),
        lambda: ours.promote("many.n", "one.x"),
        lambda: ours.broadcast("many.n", "one.x"),
        lambda: ours.reroot("tags"),
        lambda: ours.size_each("", "x"),
        lambda: ours.index_each("id", "x"),
        lambda: ours.truncate("many", -1),
        lambda: ours.filter("many", "keep"),
        lambda: ours.filter("many.words", "many.keep"),
        lambda: ours.filter("many", "many.n"),
        lambda: ours.filter("", "marks"),
        lambda: ours.limit_depth(-1),
        lambda: ours.with_updates({"many": None, "many.n": None}),
        lambda: ours.with_updates({"x.y": 1}),
        lambda: ours.with_only(["tags.x"]),
        lambda: ours.size_each("many[0]", "x"),
        lambda: ours.map_values("many", "x", lambda values: values),
    ]:
        with pytest.raises((ValueError, KeyError, tf.errors.InvalidArgumentError)):
            call()


def test_optional_masks(both):
    value, ours = both
    assert plain(ours.filter("", "maybe")) == [row for row in plain(value) if row["maybe"] == [True]]


def test_fields_by_arguments(both):
    """The forms of the design document: fields named by keywords, and paths one by one."""
    value, ours = both
    updated = ours.with_updates({"many.n": None}, id=ours["id"] + 1, new=tf.range(ours.nrows()))
    assert updated["id"].numpy().tolist() == [n + 1 for n in value["id"].to_py()]
    assert updated["new"].numpy().tolist() == list(range(value.nrows))
    assert "n" not in updated["many"].field_names()
    assert ours.without("id", "many.n").field_names() == value.without("id", "many.n").field_names()
    assert plain(ours.with_only("id", "many.words")) == plain(value.with_only("id", "many.words"))
    assert plain(ours.field_value("many")) == plain(value.field_value("many"))
    assert ours.apply("id", "more", lambda id: id * 2)["more"].numpy().tolist() == [n * 2 for n in value["id"].to_py()]
    for call in (lambda: ours.without("id", "zz"), lambda: ours.with_only("zz"), lambda: ours.field_value("zz")):
        with pytest.raises(KeyError, match="zz"):
            call()
    with pytest.raises(ValueError, match="changed twice"):
        ours.with_updates({"id": None}, id=None)


def test_updates(both):
    value, ours = both
    changed = ours.with_updates(
        {"tags": lambda tags: tags * 2, "many.n": None, "many.new": ours["many", "n"] + 1, "twice": ours["id"] * 2}
    )
    expected = plain(value)
    for row in expected:
        row["tags"] = [2 * tag for tag in row["tags"]]
        row["twice"] = 2 * row["id"]
        for inner in row["many"]:
            inner["new"] = inner.pop("n") + 1
    assert plain(changed) == expected
    assert plain(ours.apply(["id", "id"], "sum", tf.add)["sum"]) == [2 * row["id"] for row in expected]
    mapped = ours.map_values("many.words", "lengths", tf.strings.length)
    assert plain(mapped["many", "lengths"]) == [
        [[len(word) for word in inner["words"]] for inner in row["many"]] for row in expected
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="other rows"):
        ours.with_updates({"many.new": ours["many", "n"][::-1]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="other rows"):
        ours.with_updates({"new": [1, 2]})


# --- Arrays


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concat_and_stack(both, axis):
    value, ours = both
    value, ours = value["many"].with_only(["n", "words"]), ours["many"].with_only(["n", "words"])
    other, ours_other = value[:, ::-1], ours[:, ::-1]
    if axis < 2:
        assert plain(tf.concat([ours, ours_other], axis)) == plain(st.concat([value, other], axis))
        concat = tf.function(lambda a, b: structtensor.tf.concat([a, b, a], axis))
        assert plain(concat(ours, ours_other)) == plain(st.concat([value, other, value], axis))
    assert plain(tf.stack([ours, ours_other], axis)) == plain(st.stack([value, other], axis))
    assert plain(tf.stack([ours[0][0:1], ours[0][0:1]])) == plain(st.stack([value[0][0:1], value[0][0:1]]))


def test_scalars_are_stacked(both):
    value, ours = both
    assert plain(tf.stack([ours[0], ours[3]])) == plain(st.stack([value[0], value[3]]))
    assert plain(tf.unstack(ours)[2]) == plain(value[2])


def test_concat_that_is_wrong(both):
    ours = both[1]
    with pytest.raises(ValueError, match="the fields"):
        structtensor.tf.concat([ours, ours.without(["id"])])
    with pytest.raises(ValueError, match="no values"):
        structtensor.tf.stack([])
    with pytest.raises(ValueError, match="axis 1"):
        structtensor.tf.concat([ours, ours], 1)
    with pytest.raises(TypeError, match="expected a structtensor.tf.StructuredTensor"):
        structtensor.tf.concat([ours, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="other rows along axis 0"):
        structtensor.tf.concat([ours["many"], ours["many"][1:]], 1)


def test_shapes(both):
    value, ours = both
    assert plain(tf.gather(ours, [[0, 1], [2, 0]])) == [[plain(value[i]) for i in row] for row in [[0, 1], [2, 0]]]
    assert plain(tf.gather(ours, 3)) == plain(value[3])
    for axis in (0, 1, 2, -1):
        assert plain(tf.expand_dims(ours["many"], axis)) == plain(st.expand_dims(value["many"], axis))
    assert plain(ours["many"].merge_dims(0, 1)) == plain(st.merge_dims(value["many"], 0, 1))
    deep = structtensor.tf.stack([ours["many"], ours["many"]])
    assert plain(deep.merge_dims(1, 2)) == plain(st.merge_dims(st.stack([value["many"], value["many"]]), 1, 2))
    assert int(tf.size(ours["many"])) == sum(len(row["many"]) for row in plain(value))
    assert int(tf.rank(ours["many"])) == 2 and tf.shape(ours).numpy().tolist() == [value.nrows]
    assert tf.shape(ours["many"]).rank == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="end with the number of rows"):
        ours.partition_outer_dimension([0, 1])


def traced_for(rows, function):
    """The function in a graph, where the sizes of the rows are not known."""
    return tf.function(function, input_signature=[tf.type_spec_from_value(rows)._with_rank(rows.rank)])


def test_gather(both):
    value, ours = both
    for shape in ([0], [3, 0], [0, 3], [2, 0, 3], [2, 3, 0]):
        for gather in (tf.gather, tf.function(tf.gather)):
            taken = gather(ours, tf.zeros(shape, tf.int64))
            assert taken.rank == len(shape) and plain(taken) == np.zeros(shape).tolist()
    indices = np.arange(12).reshape(2, 3, 2)
    expected = [[[plain(value)[i] for i in two] for two in three] for three in indices.tolist()]
    unknown = tf.function(tf.gather, input_signature=[tf.type_spec_from_value(ours), tf.TensorSpec([None] * 3, tf.int32)])
    for taken in (tf.gather(ours, indices), unknown(ours, indices)):
        assert plain(taken) == expected
    assert plain(tf.gather(ours, [])) == []
    for wrong in ([-1], [0, value.nrows], -1, [[0], [-1]]):
        for gather in (tf.gather, tf.function(tf.gather)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="a row is outside of the first axis"):
                gather(ours, tf.constant(wrong))
    with pytest.raises(TypeError, match="indices are integers; found float32"):
        tf.gather(ours, [0.5])


def test_unstack(both):
    value, ours = both
    rows = plain(value)
    assert [plain(row) for row in tf.unstack(ours)] == rows
    assert [plain(row) for row in traced_for(ours, lambda rows: tf.unstack(rows, num=value.nrows))(ours)] == rows
    for num in (2, value.nrows + 1):
        unstack = functools.partial(tf.unstack, num=num)
        for each in (unstack, traced_for(ours, unstack)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"num is {num}, and the number of rows is another one"):
                each(ours)
    with pytest.raises(ValueError, match="the number of rows is unknown; pass it as num"):
        traced_for(ours, tf.unstack)(ours)


def test_orders(both):
    value, ours = both
    many, ours_many = value["many"], ours["many"]
    for axis in ([0], [1], [0, 1], [-1]):
        assert plain(tf.reverse(ours_many, axis)) == plain(st.reverse(many, axis))
    assert plain(tf.repeat(ours, 2, axis=0)) == plain(st.repeat(value, 2, axis=0))
    counts = list(range(value.nrows))
    assert plain(tf.repeat(ours, counts, axis=0)) == plain(st.repeat(value, counts, axis=0))
    for multiples in ([2, 1], [1, 3], [2, 2], [0, 1], [1, 0]):
        assert plain(tf.tile(ours_many, multiples)) == plain(st.tile(many, multiples))
    for shift in (0, 2, -1):
        assert plain(tf.roll(ours, shift, 0)) == plain(st.roll(value, shift, 0))
    assert plain(tf.squeeze(tf.expand_dims(ours_many, 1), 1)) == plain(many)
    assert plain(tf.squeeze(ours_many[:1], [0])) == plain(many)[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="other lengths than 1"):
        tf.squeeze(ours_many, 1)
    for wrong in (
        lambda: tf.tile(ours, [1, 1]),
        lambda: tf.repeat(ours, 2, axis=1),
        lambda: tf.roll(ours, 1, 1),
    ):
        with pytest.raises(ValueError):
            wrong()


def embedded(dense):
    """Rows of structs with 2 vectors of 3 numbers each, by dense axes or by lists."""
    splits = tf.constant([0, 2, 2, 4], tf.int64)

    def lists(values):
        values = values if dense else tf.RaggedTensor.from_tensor(values, ragged_rank=values.shape.rank - 1)
        return tf.RaggedTensor.from_row_splits(values, splits)

    vectors = lists(tf.reshape(tf.range(24.0), [4, 2, 3]))
    marks = lists(tf.constant([[True, False], [False, False], [True, True], [False, True]]))
    keep = tf.RaggedTensor.from_row_splits(tf.constant([True, False, True, True]), splits)
    inner = OURS.from_fields({"vectors": vectors, "marks": marks, "keep": keep}, rank=2)
    return OURS.from_fields({"in": inner, "id": [1, 2, 3]})


# What is done with them, the path of a field of the result, and the sizes of the dense axes of its elements.
DENSE = {
    "from_fields": (lambda rows: OURS.from_fields(rows["in"].to_dict(), rank=2), "vectors", [2, 3]),
    "with_updates": (lambda rows: rows.with_updates({"in.new": rows["in", "vectors"]}), "in.new", [2, 3]),
    "a function": (lambda rows: rows.with_updates({"in.vectors": lambda vectors: vectors * 2}), "in.vectors", [2, 3]),
    "promote": (lambda rows: rows.promote("in.vectors", "new"), "new", [3]),
    "filter": (lambda rows: rows.filter("in", "in.keep"), "in.vectors", [2, 3]),
    "filter of values": (lambda rows: rows.filter("in.vectors", "in.marks"), "in.vectors", [3]),
    "slice_path": (lambda rows: rows.slice_path("in", 0, 1), "in.vectors", [2, 3]),
    "slice_path of values": (lambda rows: rows.slice_path("in.vectors", 1), "in.vectors", [3]),
    "size_each": (lambda rows: rows.size_each("in.vectors", "new"), "in.new", []),
    "map_values": (lambda rows: rows.map_values("in.vectors", "new", tf.negative), "in.new", [2, 3]),
    "map_values, one-hot": (
        lambda rows: rows.map_values("in.marks", "new", lambda marks: tf.one_hot(tf.cast(marks, tf.int32), 5)), "in.new", [2, 5]
    ),
    "concat": (lambda rows: tf.concat([rows, rows[1:]], 0), "in.vectors", [2, 3]),
    "concat inside": (lambda rows: tf.concat([rows["in"], rows["in"][:, ::-1]], 1), "vectors", [2, 3]),
    "concat of lists and dense": (
        lambda rows: tf.concat([rows.reroot("in"), rows.reroot("in").slice_path("vectors", 0, 1)], 0), "vectors", [3]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DENSE)
@pytest.mark.parametrize("traced", [False, True])
def test_dense_axes_remain(name, traced):
    change, path, sizes = DENSE[name]
    rows = embedded(dense=True)
    found = (traced_for(rows, change) if traced else change)(rows)
    assert plain(found) == plain(change(embedded(dense=False)))
    *outer, last = path.split(".")
    column = found.reroot(outer).fields[last]
    assert (column.flat_values if isinstance(column, tf.RaggedTensor) else column).shape[1:].as_list() == sizes


def test_concat_of_dense_axes_of_other_sizes():
    first = OURS.from_fields({"a": tf.ragged.constant([[[1, 2]], []], ragged_rank=1)})
    second = OURS.from_fields({"a": tf.ragged.constant([[[3, 4, 5]]], ragged_rank=1)})
    assert plain(tf.concat([first, second], 0)) == [{"a": [[1, 2]]}, {"a": []}, {"a": [[3, 4, 5]]}]


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_from_fields(both, rank):
    value, ours = both
    ours = ours[0] if rank == 0 else ours["many"] if rank == 2 else ours
    fields = {name: ours[name] for name in ours.field_names()}
    assert plain(OURS.from_fields(fields, rank)) == plain(ours)
    assert OURS.from_fields({}, nrows=3).to_py() == [{}, {}, {}]
    assert OURS.from_fields({"a": [[1, 2], [3, 4]]}).to_py() == [{"a": [1, 2]}, {"a": [3, 4]}]
    assert OURS.from_fields({"a": [[1, 2], [3, 4]]}, rank=2).to_py() == [[{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 4}]]
    for wrong in [{"a": 1}, {"": [1]}, {"a": [1], "b": 2}]:
        with pytest.raises(ValueError):
            OURS.from_fields(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="different numbers of rows"):
        OURS.from_fields({"a": [1], "b": [1, 2]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="other rows than the fields before"):
        OURS.from_fields({"a": tf.ragged.constant([[1], []]), "b": tf.ragged.constant([[], [1]])}, rank=2)


def test_from_fields_with_nrows():
    lists = tf.ragged.constant([[1, 2], [3], []], row_splits_dtype=tf.int64)
    for rank in (1, 2):
        assert OURS.from_fields({"a": lists}, rank, nrows=3).rank == rank
        make = tf.function(
            lambda lists, rank=rank: OURS.from_fields({"a": lists}, rank, nrows=7),
            input_signature=[tf.RaggedTensorSpec([None, None], tf.int32, 1)],
        )
        for wrong in (lambda: OURS.from_fields({"a": lists}, rank, nrows=7), lambda: make(lists)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="other numbers of rows than nrows"):
                wrong()
    with pytest.raises(ValueError, match="a scalar struct has no rows; found nrows=1"):
        OURS.from_fields({"a": 1}, rank=0, nrows=1)


def test_reductions_of_structs_without_fields():
    rows = OURS.from_fields({"n": [1, 2]})
    inner = rows.with_updates({"s": OURS.from_fields({"x": [[1], [2]]}, rank=2).without(["x"])})
    deep = rows.with_updates({"s": OURS.from_fields({"m": rows.without(["n"])})})
    for structs, path in ((inner, "s"), (deep, "s.m"), (rows.without(["n"]), "the structs")):
        for axis in (0, None, []):
            with pytest.raises(ValueError, match=f"^{path}: structs without fields have nothing to reduce"):
                tf.reduce_sum(structs, axis=axis)
    assert plain(tf.reduce_sum(deep.without(["s"]), axis=0)) == {"n": 3}


def test_elementwise_functions(both):
    value, ours = both
    numbers, expected = ours.with_only(["id", "tags", "many.n"]), plain(value.with_only(["id", "tags", "many.n"]))

    def each(function):
        return [
            {
                "id": function(row["id"]),
                "tags": [function(tag) for tag in row["tags"]],
                "many": [{"n": function(i["n"])} for i in row["many"]],
            }
            for row in expected
        ]

    assert plain(tf.negative(numbers)) == each(lambda x: -x)
    assert plain(tf.cast(numbers, tf.float32)) == each(float)
    assert plain(tf.zeros_like(numbers)) == each(lambda x: 0)
    assert plain(tf.add(numbers, numbers)) == each(lambda x: 2 * x)
    assert plain(tf.multiply(numbers, 3)) == each(lambda x: 3 * x)
    assert plain(tf.subtract(1, numbers)) == each(lambda x: 1 - x)
    assert plain(tf.function(lambda x: tf.abs(x))(numbers)) == each(abs)
    with pytest.raises(TypeError, match="the field many.words"):
        tf.negative(ours.with_only(["many.words"]))
    with pytest.raises(ValueError, match="the fields"):
        tf.add(numbers, numbers.without(["id"]))
    with pytest.raises(ValueError, match="only with a scalar"):
        tf.add(numbers, tf.constant([1, 2]))


# Values with the same fields in other rows. The first ones have the same numbers of values.
OTHER_ROWS = {
    "the structs": ([[{"a": 1}], [{"a": 2}, {"a": 3}]], [[{"a": 1}, {"a": 2}], [{"a": 3}]]),
    "in a field of structs": ([{"s": [{"a": 1}]}, {"s": [{"a": 2}] * 2}], [{"s": [{"a": 1}] * 2}, {"s": [{"a": 2}]}]),
    "in a ragged field": ([{"a": [1]}, {"a": [2, 3]}], [{"a": [1, 2]}, {"a": [3]}]),
    "one row and three": ([{"a": 1}], [{"a": 1}, {"a": 2}, {"a": 3}]),
    "one struct and three": ([[{"a": 1}], []], [[{"a": 1}, {"a": 2}], [{"a": 3}]]),
    "a list of one value and of three": ([{"a": [1]}], [{"a": [1, 2, 3]}]),
}


@pytest.mark.parametrize("case", OTHER_ROWS)
@pytest.mark.parametrize("traced", [False, True])
def test_elementwise_functions_of_values_with_other_rows(case, traced):
    x, y = (OURS.from_py(rows) for rows in OTHER_ROWS[case])
    signature = [tf.type_spec_from_value(value)._with_rank(value.rank) for value in (x, y)]
    add = tf.function(tf.add, input_signature=signature) if traced else tf.add
    for each in (x, y):
        other = OURS.from_structtensor(each.to_structtensor())  # the same rows, in other tensors
        assert plain(add(each, other)) == plain(tf.multiply(each, 2))
    for first, second in ((x, y), (y, x)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="other rows in one value than in the other"):
            add(first, second)


def test_elementwise_functions_of_fields_with_other_axes():
    x, y = OURS.from_py([{"a": 1}, {"a": 2}]), OURS.from_py([{"a": [1, 2]}, {"a": [3, 4]}])
    with pytest.raises(ValueError, match="a: the shapes .* have different numbers of axes"):
        tf.add(x, y)


def test_elementwise_functions_of_one_value_check_nothing():
    rows = OURS.from_py([[{"a": [1], "s": [{"b": 2}]}], []])
    traced = tf.function(lambda x: tf.add(x, tf.negative(x)), input_signature=[tf.type_spec_from_value(rows)._with_rank(2)])
    graph = traced.get_concrete_function().graph
    assert not [operation.name for operation in graph.get_operations() if "assert" in operation.name.lower()]


@pytest.mark.parametrize("traced", [False, True])
def test_no_row_is_not_two_empty_rows(traced):
    empty, two = (tf.RaggedTensor.from_row_splits(tf.zeros([0]), tf.constant(s, tf.int64)) for s in ([0], [0, 0, 0]))
    rows = OURS([two.row_splits], {"a": tf.zeros([0])})

    def add(rows, value):
        return rows.with_updates({"b": value})

    def make(a, b):
        return OURS.from_fields({"a": a, "b": b}, rank=2)

    if traced:
        lists = tf.RaggedTensorSpec([None, None], tf.float32, 1)
        add = tf.function(add, input_signature=[tf.type_spec_from_value(rows)._with_rank(2), lists])
        make = tf.function(make, input_signature=[lists, lists])
    assert plain(add(rows, two)) == [[], []] and plain(make(empty, empty)) == []
    for wrong in (lambda: add(rows, empty), lambda: make(empty, two), lambda: make(two, empty)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="has other rows than"):
            wrong()
    for first, second in ((two, empty), (empty, two)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="other rows in one value than in the other"):
            tf.add(make(first, first), make(second, second))


def test_reductions(both):
    value, ours = both
    rows = ours.with_only(["id", "tags", "many.n"])
    total = tf.reduce_sum(rows, axis=0)
    assert total.rank == 0
    assert plain(total)["id"] == sum(row["id"] for row in plain(value))
    assert plain(total)["tags"] == plain(st.reduce_sum(value["tags"], axis=0))
    assert plain(total)["many"] == [{"n": n} for n in plain(st.reduce_sum(value["many", "n"], axis=0))]
    inner = tf.reduce_max(ours["many"].with_only(["n"]), axis=1, keepdims=True)
    assert inner.rank == 2
    numbers = ours["many"].with_only(["n"])
    assert plain(tf.reduce_sum(numbers, axis=1)) == [{"n": n} for n in plain(st.reduce_sum(value["many", "n"], axis=1))]
    assert plain(tf.reduce_sum(numbers)) == {"n": sum(i["n"] for row in plain(value) for i in row["many"])}
    assert plain(tf.reduce_any(ours.with_only(["keep"]), 0)) == {"keep": any(row["keep"] for row in plain(value))}
    assert plain(tf.reduce_sum(rows, axis=[])) == plain(rows)
    assert set(plain(tf.math.reduce_variance(tf.cast(rows, tf.float32), axis=[])["id"])) == {0.0}
    with pytest.raises(ValueError, match="axis 1 of structs with 1 axes"):
        tf.reduce_sum(rows, axis=1)
    with pytest.raises(ValueError, match="no axes"):
        tf.reduce_sum(rows[0])


@pytest.mark.parametrize("axis", [None, 0, 1, [0, 1]])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("lists", [[], [[]], [[], []], [[{"b": 2.0, "a": {"c": [1.0, 3.0], "d": 4.0}}], []]])
def test_reductions_of_few_rows(axis, keepdims, lists):
    """Fields with axes of their own are as long along the axes of the structs as the others."""
    fields = {"b": st.RaggedTensorSpec([None, None], "double")}
    inner = {"c": st.RaggedTensorSpec([None, None, None], "double"), "d": st.RaggedTensorSpec([None, None], "double")}
    fields["a"] = st.StructuredTensorSpec([None, None], inner)
    value = st.constant(lists, spec=st.StructuredTensorSpec([None, None], fields))
    ours = OURS.from_structtensor(value)
    axes = [0, 1] if axis is None else axis
    for name in ("reduce_sum", "reduce_prod"):
        reduce = functools.partial(getattr(tf, name), axis=axis, keepdims=keepdims)
        for reduced in (reduce(ours), traced_for(ours, reduce)(ours)):
            assert reduced.rank == (2 if keepdims else 1 if axis in (0, 1) else 0)
            for path in (("b",), ("a", "c"), ("a", "d")):
                assert plain(reduced[path]) == plain(getattr(st.math, name)(value[path], axis=axes, keepdims=keepdims)), path
            assert plain(reduced.to_structtensor()) == plain(reduced)


# --- Functions that structs do not have

UNDEFINED = {
    "tf.linalg.matmul": lambda rows: tf.matmul(rows, rows),
    "tf.nn.softmax": lambda rows: tf.nn.softmax(rows),
    "tf.einsum": lambda rows: tf.einsum("i,i->", rows, rows),
    "tf.reshape": lambda rows: tf.reshape(rows, [2, -1]),
    "tf.transpose": lambda rows: tf.transpose(rows),
    "tf.concat": lambda rows: tf.concat([rows, [1.0, 2.0]], 0),
    "tf.math.add": lambda rows: tf.add(rows, [1.0, 2.0]),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_functions_that_are_not_defined_for_structs(name):
    function = UNDEFINED[name]
    for call in (function, tf.function(function), lambda rows: tf.map_fn(function, rows[None])):
        with pytest.raises(TypeError, match=f"{name} is not defined for structs with these arguments; give it a field"):
            call(OURS.from_fields({"a": [1.0, 2.0]}))


def test_structs_are_not_a_tensor():
    rows = OURS.from_fields({"a": [1.0, 2.0]})
    with pytest.raises(TypeError, match="structs are not a tensor; a field is one"):
        tf.convert_to_tensor(rows)
    # Errors of the caller's own functions stay as they are.
    with pytest.raises(AttributeError, match="no attribute 'name_of_nothing'"):
        tf.map_fn(lambda row: row.name_of_nothing, rows)
