"""structtensor.tf.StructuredTensor in TensorFlow's machinery: functions, control flow, datasets, saved models, Keras."""

import functools

import numpy as np
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from orders_of_a_shop import make_orders
from tensorflow.python.saved_model import nested_structure_coder


@pytest.fixture(scope="module")
def decoder(order_class):
    return structtensor.tf.Decoder(order_class)


@pytest.fixture(scope="module")
def rows(decoder, serialized):
    return decoder(serialized)


@pytest.fixture(scope="module")
def fewer(decoder, serialized):
    return decoder(serialized[3:8])


def of_rank(rows, rank):
    """Structs of that rank, and the same in Python."""
    if rank == 0:
        return rows[7], rows.to_py()[7]
    structs, lists = rows, rows.to_py()
    for _ in range(rank - 1):
        splits = [0, len(lists) // 2, len(lists) // 2, len(lists)]
        structs = structtensor.tf.StructuredTensor((tf.constant(splits, tf.int64), *structs.row_splits), structs.fields)
        lists = [lists[begin:end] for begin, end in zip(splits, splits[1:])]
    return structs, lists


RANKS = pytest.mark.parametrize("rank", [0, 1, 2, 3])


def prices(structs):
    """A number for all that is in them."""
    found = structs["items", "price"]
    return tf.reduce_sum(found.flat_values if structs.rank > 0 else found)


def sum_of_prices(lists):
    if isinstance(lists, dict):
        return sum(price for item in lists["items"] for price in item["price"])
    return sum(sum_of_prices(item) for item in lists)


def relaxed(structs):
    """The spec of values of any sizes."""
    return tf.type_spec_from_value(structs)._with_rank(structs.rank)


# --- Rows and fields


def test_rows(rows):
    lists = rows.to_py()
    assert rows[3].to_py() == lists[3] and rows[-1].to_py() == lists[-1]
    assert rows[2:9:3].to_py() == lists[2:9:3] and rows[::-1].to_py() == lists[::-1]
    assert rows[[4, 1, 1]].to_py() == [lists[4], lists[1], lists[1]]
    mask = rows["items"].row_splits[0][1:] > rows["items"].row_splits[0][:-1]
    assert rows[mask].to_py() == [row for row in lists if row["items"]]
    nested, nested_lists = of_rank(rows, 3)
    assert nested[2].to_py() == nested_lists[2] and nested[1:].to_py() == nested_lists[1:]
    assert nested[2][1].to_py() == nested_lists[2][1]


@pytest.mark.parametrize("rank", [1, 2])
def test_loops_over_rows(rows, fewer, rank):
    structs, lists = of_rank(rows, rank)
    assert [row.to_py() for row in structs] == lists and all(row.rank == rank - 1 for row in structs)
    assert list(structs[:0]) == []

    @tf.function(input_signature=[relaxed(structs)])
    def in_a_graph(structs):
        return [row for row in structs]

    @tf.function(input_signature=[relaxed(structs)])
    def by_autograph(structs):
        for row in structs:
            tf.print(row.rank)

    for function in (in_a_graph, by_autograph):
        with pytest.raises(TypeError, match="tf.map_fn"):
            function(structs)
    with pytest.raises(TypeError, match="a scalar struct has no rows"):
        iter(rows[0])
    with pytest.raises(TypeError, match="has no len"):
        len(structs)


def test_fields(rows):
    lists = rows.to_py()
    assert rows["items", "key"].to_list() == [[item["key"] for item in row["items"]] for row in lists]
    assert rows["items", :, "key"].to_list() == rows["items"]["key"].to_list()
    assert rows[5, "items", "price"].to_list() == [item["price"] for item in lists[5]["items"]]
    with pytest.raises(KeyError, match="there is no field 'itms'; there are 'id', "):
        rows["itms"]
    for wrong in [(0, 0), (slice(None), 0), (slice(None), slice(None)), ("items", slice(1), slice(1))]:
        with pytest.raises(ValueError, match="is for axis"):
            rows[wrong]
    with pytest.raises(TypeError, match="integers, slices and masks"):
        rows[True]
    with pytest.raises(TypeError, match="integers, slices and masks"):
        rows[[0.5]]
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError)):
        rows[1000]


@RANKS
def test_to_and_from_others(rows, rank, order_class, serialized):
    if rank == 0:  # TensorFlow's own cannot take a row of structs without fields
        rows = structtensor.tf.decode(serialized, order_class, drop="nothing")
    structs, lists = of_rank(rows, rank)
    assert structs.to_py() == lists
    ours = structtensor.tf.StructuredTensor
    again = ours.from_structtensor(structs.to_structtensor())
    assert again.to_py() == lists
    assert relaxed(again) == relaxed(structs)
    theirs = structs.to_tensorflow()
    assert theirs.rank == rank and theirs.to_pyval() == lists
    back = ours.from_tensorflow(theirs)
    assert back.rank == rank and back.to_py() == lists
    assert rank == 0 or relaxed(back) == relaxed(structs)  # lists of a scalar are dense in their own
    in_graph = tf.function(lambda value: ours.from_tensorflow(value))(theirs)
    assert in_graph.to_py() == lists
    assert ours.from_fields(structs.to_dict(), rank).to_py() == lists
    assert ours.from_py(lists, structs.to_structtensor().spec).to_py() == lists


def test_numbers_and_row_splits_are_shared_with_the_package():
    def address(column):
        values = structtensor.tf._columns.flat_values(column) if not isinstance(column, st.Tensor) else column._stored_array()
        return np.asarray(values).ctypes.data

    memory = np.zeros(400_064, "uint8")
    aligned = memory[-memory.ctypes.data % 64 :][:400_000]
    for dtype in ("int64", "float", "double", "uint32", "int32", "float16"):
        size = {"double": 8, "int64": 8, "float": 4, "int32": 4, "float16": 2, "uint32": 4}[dtype]
        values = (np.arange(400_000 // size) % 60_000).astype({"float": "f4", "double": "f8"}.get(dtype, dtype))
        aligned[:] = values.view("uint8")
        for offset, shared in ((0, True), (size, False)):
            numbers = aligned[offset:].view(values.dtype)
            mine = st._core._tensor_from_memory(dtype, numbers.shape, numbers, share=True)
            theirs = structtensor.tf.StructuredTensor.from_structtensor(st.StructuredTensor.from_fields({"x": mine}))
            assert (address(theirs.fields["x"]) == address(mine)) == shared
            assert np.array_equal(theirs["x"].numpy(), numbers)
            back = theirs.to_structtensor()["x"]
            assert address(back) == address(theirs.fields["x"]) and back.dtype == dtype
    del theirs, mine  # what is shared lives as long as anyone has it
    assert back.to_numpy()[-1] == values[-1]
    lists = tf.RaggedTensor.from_row_splits(tf.range(30_000), tf.range(10_001, dtype=tf.int64) * 3)
    structs = structtensor.tf.StructuredTensor.from_fields({"x": lists})
    shared = structs.to_structtensor()["x"]
    assert address(shared.row_partitions[0].row_splits) == address(structs.fields["x"].row_splits)
    assert address(shared.flat_values) == address(structs.fields["x"])
    for dtype in (tf.bool, tf.bfloat16):  # not by DLPack
        x = tf.cast(tf.range(20_000) % 2, dtype)
        value = structtensor.tf.StructuredTensor.from_fields({"x": x}).to_structtensor()
        again = structtensor.tf.StructuredTensor.from_structtensor(value)["x"]
        assert again.dtype == dtype and bool(tf.reduce_all(again == x))


def test_results_are_not_written_into_shared_memory():
    memory = np.zeros(80_064, "uint8")
    numbers = memory[-memory.ctypes.data % 64 :][:80_000].view("float32")
    numbers[:] = np.arange(20_000) - 10_000
    value = st.StructuredTensor.from_fields({"x": st._core._tensor_from_memory("float", (20_000,), numbers, share=True)})
    before = numbers.copy()

    def plus_one(x):
        return x + 1.0

    def added(x):
        return tf.add_n([x, tf.ones_like(x)])

    for function in (plus_one, added, tf.nn.relu, tf.function(plus_one), tf.function(added), tf.function(tf.nn.relu)):
        # Nothing else holds the tensor, so TensorFlow would reuse its memory if it owned it.
        arguments = [structtensor.tf.StructuredTensor.from_structtensor(value).fields["x"]]
        assert np.shares_memory(np.asarray(arguments[0]), numbers)
        function(arguments.pop())
        assert np.array_equal(numbers, before)


def test_others_that_are_no_structs():
    ours = structtensor.tf.StructuredTensor
    with pytest.raises(TypeError, match="expected a tf.experimental.StructuredTensor, found dict"):
        ours.from_tensorflow({})
    with pytest.raises(TypeError, match=r"rows: expected dicts or lists of dicts, found \[1, 2\]"):
        ours.from_py([1, 2])
    empty = tf.experimental.StructuredTensor.from_fields({}, shape=[None], nrows=tf.constant(3, tf.int64))
    assert ours.from_tensorflow(empty).to_py() == [{}, {}, {}]
    ragged = empty.partition_outer_dimension(tf.experimental.RowPartition.from_row_splits([0, 1, 1, 3]))
    assert ours.from_tensorflow(ragged).to_py() == [[{}], [], [{}, {}]]


# Uniform rows, with what is dense inside of them, below structs of any rank.
LISTS_OF_STRUCTS = {
    "uniform": [{"n": 1}, {"n": 2}],
    "lists inside": [{"n": [1, 2]}, {"n": [3]}],
    "uniform structs inside": [{"m": [{"n": 1}, {"n": 2}]}, {"m": [{"n": 3}, {"n": 4}]}],
    "structs inside": [{"m": {"n": 1}}, {"m": {"n": 2}}],
    "one": [{"n": 1}],
}


@pytest.mark.parametrize("case", LISTS_OF_STRUCTS)
@pytest.mark.parametrize("rank", [0, 1, 2, 3, 4])
def test_uniform_rows_of_structs(case, rank):
    ours, structs = structtensor.tf.StructuredTensor, LISTS_OF_STRUCTS[case]
    uniform, ragged = {"r": structs}, {"r": structs}
    stacked = st.constant(uniform)  # lists of lists are ragged, and what is stacked is uniform
    for _ in range(rank):
        uniform, ragged = [uniform, uniform], [ragged, ragged, ragged]
        stacked = st.stack([stacked, stacked])
    if rank > 1:
        ragged[1] = ragged[1][:1]
    from_fields = st.StructuredTensor.from_fields({"r": stacked["r"]}, shape=[2] * rank)
    for value, lists in (
        (stacked, uniform),
        (from_fields, uniform),
        (st.constant(uniform), uniform),
        (st.constant(ragged), ragged),
        (st.expand_dims(st.constant(ragged), 0), [ragged]),
    ):
        entered = ours.from_structtensor(value)
        assert entered.rank == len(value.shape) and entered.to_py() == lists
        assert ours.from_py(lists).to_py() == lists and entered.to_structtensor().to_py() == lists
        inner = entered
        for _ in range(entered.rank):
            inner = inner[0]
        assert inner["r"].to_py() == structs and [row.to_py() for row in inner["r"]] == structs
        if case == "uniform":
            assert int(inner["r", 0, "n"]) == 1 and inner["r", "n"].numpy().tolist() == [1, 2]


def test_fixed_size_lists_of_structs():
    pa = pytest.importorskip("pyarrow")
    dense = pa.array([[i, -i] for i in range(12)], pa.list_(pa.int64(), 2))
    structs = pa.StructArray.from_arrays([pa.array(range(12)), dense], ["n", "d"])
    for size in (1, 2, 3):
        table = pa.table({"r": pa.FixedSizeListArray.from_arrays(structs, size)})
        rows = structtensor.tf.StructuredTensor.from_structtensor(st.from_arrow(table))
        assert rows.to_py() == table.to_pylist()
        assert rows["r", "n"].to_list() == [[each["n"] for each in row["r"]] for row in table.to_pylist()]
        assert rows.fields["r"].fields["d"].shape == [12, 2]


@pytest.mark.parametrize("dtype", ["string", "bytes", "int64", "bool"])
@pytest.mark.parametrize("shape", [[0], [2, 0], [0, 3], [2, 0, 3], [2, 3, 0], [0, 0, 4], [2, 2, 0, 5], [2, 1, 3]])
def test_shapes_of_dense_fields(dtype, shape):
    """Also with axes of size 0, after which nested lists end."""
    element = {"string": "x", "bytes": b"x", "int64": 1, "bool": True}[dtype]
    column = st.constant([element] * int(np.prod(shape)), dtype=dtype, shape=shape)
    ours = structtensor.tf.StructuredTensor
    rows = ours.from_structtensor(st.StructuredTensor.from_fields({"c": column}))
    assert rows["c"].shape == shape and rows["c"].dtype == (tf.string if dtype in ("string", "bytes") else dtype)
    assert list(rows.to_structtensor()["c"].shape) == shape
    assert ours.from_structtensor(rows.to_structtensor())["c"].shape == shape
    assert [row["c"].shape for row in tf.data.Dataset.from_tensor_slices(rows)] == [shape[1:]] * shape[0]
    grouped = ours.from_structtensor(
        st.partition_outer_dimension(
            st.StructuredTensor.from_fields({"c": column}), st.RowPartition.from_row_splits([0, shape[0], shape[0]])
        )
    )
    assert grouped["c"].flat_values.shape == shape


# Names of fields that are also paths, or that a path cannot have without quotes.
NAMES = ["a.b", "d d", "a[0]", "*", '"q"', "'", "[a.b]", "(a)", "a]", "größe", ".", "\\", "a/row_splits"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_not_paths(name):
    ours = structtensor.tf.StructuredTensor
    lists = [{name: i, "s": {name: [10 + i] * i}, "a": [{"b": 20 + i, name: 30 + i}] * i} for i in range(3)]
    rows = ours.from_py(lists)
    assert rows.to_py() == lists and rows.field_names() == (name, "s", "a")
    assert rows[name].numpy().tolist() == [0, 1, 2] and rows["s", name].to_list() == [[], [11], [12, 12]]
    assert rows["a", "b"].to_list() == [[], [21], [22, 22]] and rows["a", name].to_list() == [[], [31], [32, 32]]
    assert rows[1].to_py() == lists[1] and rows.with_only([["s", name]]).to_py() == [{"s": row["s"]} for row in lists]
    assert rows.promote(["s", name], [name])[name].to_list() == [[], [11], [12, 12]]
    assert rows.with_updates({(name,): None, ("s", name): lambda lists: lists + 1})["s", name].to_list() == [[], [12], [13, 13]]
    assert rows.size_each(["a", name], name)["a", name].to_list() == [[], [1], [1, 1]]
    assert tf.reduce_sum(rows, axis=0)[name].numpy() == 3
    assert tf.function(lambda rows: rows.without([[name]]))(rows).field_names() == ("s", "a")
    assert [row.to_py() for row in tf.data.Dataset.from_tensor_slices(rows)] == lists
    assert ours.from_py(lists[2]).to_py() == lists[2]


def test_fields_keep_their_order():
    ours = structtensor.tf.StructuredTensor
    rows = ours.from_py([{"b": 1.0, "a": {"d": 2.0, "c": [3.0]}}, {"b": 4.0, "a": {"d": 5.0, "c": []}}])
    slices = tf.data.Dataset.from_tensor_slices(rows)
    with tf.GradientTape() as tape:
        tape.watch(rows)
        total = tf.reduce_sum(rows["a", "d"]) + 2 * tf.reduce_sum(rows["b"])
    gradient = tape.gradient(total, rows)
    assert gradient.to_py() == [{"b": 2.0, "a": {"d": 1.0, "c": [0.0]}}, {"b": 2.0, "a": {"d": 1.0, "c": []}}]
    for found in (
        ours.from_fields(rows.to_dict()),
        rows.with_updates({"a": rows["a"]}),
        ours.from_structtensor(rows.to_structtensor()),
        ours.from_tensorflow(rows.to_tensorflow()),
        tf.function(lambda rows: rows)(rows),
        tf.map_fn(lambda row: row, rows, fn_output_signature=relaxed(rows[0])),
        next(iter(slices)),
        next(iter(slices.batch(2))),
        next(iter(tf.data.Dataset.from_tensors(rows).unbatch())),
        tf.reduce_sum(rows, axis=0),
        tf.concat([rows, rows], 0),
        gradient,
    ):
        assert found.field_names() == ("b", "a") and found["a"].field_names() == ("d", "c")


def test_fields_keep_their_order_in_files(tmp_path):
    rows = structtensor.tf.StructuredTensor.from_py([{"z": 1, "b": {"y": 2, "c": [3.0]}, "a": 4}])

    class Model(tf.Module):
        @tf.function(input_signature=[tf.type_spec_from_value(rows)])
        def __call__(self, rows):
            return {"same": rows, "more": rows.with_updates(k=rows["a"])}

    tf.saved_model.save(Model(), str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    tf.saved_model.save(loaded, str(tmp_path / "again"))
    tf.data.Dataset.from_tensors(rows).save(str(tmp_path / "rows"))
    again = tf.saved_model.load(str(tmp_path / "again"))
    dataset = tf.data.Dataset.load(str(tmp_path / "rows"))
    for found in (loaded(rows)["same"], again(rows)["same"], next(iter(dataset))):
        assert found.field_names() == ("z", "b", "a") and found["b"].field_names() == ("y", "c")
        assert found.to_py() == rows.to_py()
    assert loaded(rows)["more"].field_names() == ("z", "b", "a", "k")
    # The order is not a part of the type.
    assert loaded(rows.with_only(["a", "b", "z"]))["same"].to_py() == rows.to_py()


def test_specs_that_were_saved_without_an_order():
    spec = tf.type_spec_from_value(structtensor.tf.StructuredTensor.from_py([{"z": 1, "a": 2}]))
    encoded = nested_structure_coder.encode_structure(spec)
    assert tuple(nested_structure_coder.decode_proto(encoded).fields) == ("z", "a")
    members = encoded.type_spec_value.type_state.tuple_value.values
    assert members.pop().tuple_value.values[0].string_value == "field_order"
    assert nested_structure_coder.decode_proto(encoded) == spec


def int32_lists(lists):
    return tf.ragged.constant(lists, row_splits_dtype=tf.int32)


@pytest.mark.parametrize(
    "make",
    [
        lambda ours, lists: ours((), {"a": lists}),
        lambda ours, lists: ours.from_fields({"a": lists}),
        lambda ours, lists: ours.from_fields({"b": [0, 0, 0]}).with_updates({"a": lists}).without(["b"]),
        lambda ours, lists: ours.from_fields({"b": [0, 0, 0]}).apply(["b"], "a", lambda _: lists).without(["b"]),
        lambda ours, lists: ours.from_fields({"a": lists}, rank=2).partition_outer_dimension([0, 3]).merge_dims(0, 1),
        lambda ours, lists: ours(lists.nested_row_splits[:1], {"a": lists.values}),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_int32_row_splits(make, traced):
    """As tf.io.RaggedFeature makes them."""
    ours = structtensor.tf.StructuredTensor
    lists = int32_lists([[[1], [2, 3]], [], [[4]]])
    spec = tf.RaggedTensorSpec([None] * 3, tf.int32, 2, tf.int32)
    make_structs = functools.partial(make, ours)
    structs = (tf.function(make_structs, input_signature=[spec]) if traced else make_structs)(lists)
    expected = [{"a": [[1], [2, 3]]}, {"a": []}, {"a": [[4]]}]
    if structs.rank == 2:
        expected = [[{"a": [1]}, {"a": [2, 3]}], [], [{"a": [4]}]]
    assert structs.to_py() == expected
    assert {splits.dtype for splits in (*structs.row_splits, *structs.fields["a"].nested_row_splits)} == {tf.int64}
    assert structs.partition_outer_dimension([0, 1, 3]).to_py() == [expected[:1], expected[1:]]
    assert structs[1:].to_py() == expected[1:] and tf.add(structs, structs).rank == structs.rank
    assert [row.to_py() for row in tf.data.Dataset.from_tensor_slices(structs)] == expected
    assert [row.to_py() for row in tf.data.Dataset.from_tensors(structs).unbatch()] == expected
    assert [rows.to_py() for rows in tf.data.Dataset.from_tensors(structs).unbatch().batch(2)] == [expected[:2], expected[2:]]
    same = tf.map_fn(lambda row: row, structs, fn_output_signature=relaxed(structs)._unbatch())
    assert same.to_py() == expected


def test_what_structs_cannot_be_made_of():
    ours = structtensor.tf.StructuredTensor
    scalar = ours((), {"b": [1]}, 0)
    for row_splits, fields, rank, problem in [
        ([[[0, 1]]], {"a": [1]}, 2, "row splits are int64 vectors; found int64 of shape"),
        ([], {"a": [1, 2], "b": [1]}, 1, "the field 'b' has 1 flat rows, and the field 'a' has 2"),
        ([], {"a": [1, 2], "b": int32_lists([[1]])}, 1, "the field 'b' has 1 flat rows, and the field 'a' has 2"),
        ([], {"a": [1, 2], "b": ours([[0, 1]], {"c": [1]})}, 1, "the field 'b' has 1 flat rows, and the field 'a' has 2"),
        ([], {"a": [1], "b": scalar}, 1, "the field 'b' is a scalar struct"),
        ([], {"a": 1}, 1, "the field 'a' is a scalar; expected a column"),
        ([], {"a": [1, 2]}, 0, "the field 'a' has 2 flat rows, and a scalar struct has 1"),
        ([], {"a": [1]}, 2, "structs of rank 2 have 1 row splits; found 0"),
        ([], {}, 1, "structs without fields"),
    ]:
        with pytest.raises(ValueError, match=problem):
            ours(row_splits, fields, rank)


@RANKS
def test_empty_values(rows, rank):
    structs = of_rank(rows, rank)[0]
    dense = tf.zeros([structs._flat_rows(), 2])
    structs = structtensor.tf.StructuredTensor(structs.row_splits, {**structs.fields, "dense": dense}, rank)
    empty = relaxed(structs)._create_empty_value()
    assert relaxed(empty) == relaxed(structs)
    assert empty.to_py()["items"] == [] if rank == 0 else empty.to_py() == []


def test_what_others_have_and_tensorflow_lacks():
    from_structtensor = structtensor.tf.StructuredTensor.from_structtensor
    value = st.constant([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    assert from_structtensor(value).to_py() == [{"a": 1, "b": b"x"}, {"a": 2, "b": b"y"}]
    times = st.from_json('{"at": "1970-01-01T00:00:01Z"}', infer_timestamps=True)
    assert from_structtensor(times).to_py() == [{"at": 1_000_000_000}]
    with pytest.raises(ValueError, match="a: elements are absent"):
        from_structtensor(st.from_json('{"a": 1}\n{"a": null}'))
    with pytest.raises(ValueError, match="s: structs are absent"):
        from_structtensor(st.from_json('{"s": {"x": [1]}}\n{"s": null}'))
    with pytest.raises(TypeError, match="expected a structtensor.StructuredTensor"):
        from_structtensor([1])


# --- Functions and control flow


@RANKS
def test_functions(rows, fewer, rank):
    structs, lists = of_rank(rows, rank)
    others, other_lists = of_rank(fewer, rank) if rank == 1 else (structs, lists)
    traces = []

    @tf.function(input_signature=[relaxed(structs)])
    def total(structs):
        traces.append(1)
        return prices(structs)

    assert float(total(structs)) == pytest.approx(sum_of_prices(lists))
    assert float(total(others)) == pytest.approx(sum_of_prices(other_lists))
    assert len(traces) == 1
    assert tf.function(lambda x: x)(structs).to_py() == lists


@RANKS
def test_functions_are_traced_once(rows, fewer, rank):
    """Sizes are not part of the spec, so no signature is needed."""
    structs, lists = of_rank(rows, rank)
    others, other_lists = of_rank(fewer, rank) if rank > 0 else (fewer[1], fewer.to_py()[1])
    traces = []

    @tf.function
    def total(structs):
        traces.append(1)
        return prices(structs)

    for _ in range(2):
        assert float(total(structs)) == pytest.approx(sum_of_prices(lists))
        assert float(total(others)) == pytest.approx(sum_of_prices(other_lists))
    assert len(traces) == 1
    assert tf.type_spec_from_value(structs) == tf.type_spec_from_value(others) == relaxed(structs)


def test_specs_of_values(decoder, rows):
    assert tf.type_spec_from_value(rows) == decoder.spec
    ours = structtensor.tf.StructuredTensor
    uniform = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int64), 2)
    fields = {"dense": tf.zeros([1, 2, 3]), "uniform": uniform, "lists": tf.ragged.constant([[[1, 2]]], ragged_rank=1)}
    spec = tf.type_spec_from_value(ours((), fields))
    assert {name: field.shape.as_list() for name, field in spec.fields.items()} == {
        "dense": [None, 2, 3],
        "uniform": [None, 2, None],
        "lists": [None, None, 2],
    }
    # A dense axis is part of the type.
    assert spec != tf.type_spec_from_value(ours((), {**fields, "dense": tf.zeros([1, 2, 4])}))
    assert tf.function(lambda rows: rows)(ours((), fields)).to_py() == ours((), fields).to_py()


@RANKS
def test_control_flow(rows, rank):
    structs, lists = of_rank(rows, rank)
    spec = relaxed(structs)

    @tf.function(input_signature=[spec, spec])
    def loop(a, b):
        return tf.while_loop(lambda i, x, y: i < 3, lambda i, x, y: (i + 1, y, x), (0, a, b))[1]

    @tf.function(input_signature=[tf.TensorSpec([], tf.bool), spec, spec])
    def choose(which, a, b):
        return tf.cond(which, lambda: a, lambda: b)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), spec, spec])
    def switch(which, a, b):
        return tf.switch_case(which, [lambda: a, lambda: b])

    assert loop(structs, structs).to_py() == lists
    assert choose(True, structs, structs).to_py() == lists
    assert switch(1, structs, structs).to_py() == lists
    assert tf.case([(tf.constant(True), lambda: structs)], default=lambda: structs).to_py() == lists
    tf.group(structs)


@pytest.mark.parametrize("rank", [1, 2])
def test_map_fn(rows, rank):
    structs, lists = of_rank(rows, rank)
    totals = tf.map_fn(prices, structs, fn_output_signature=tf.float32)
    assert totals.numpy().tolist() == pytest.approx([sum_of_prices(row) for row in lists])
    same = tf.map_fn(lambda row: row, structs, fn_output_signature=relaxed(structs)._unbatch())
    assert same.to_py() == lists


def test_py_function(rows):
    found = []

    def look(structs):
        found.append(structs.to_py())
        return structs.nrows()

    assert int(tf.py_function(look, [rows], tf.int64)) == len(found[0]) and found == [rows.to_py()]


def test_gradients(rows):
    with tf.GradientTape() as tape:
        tape.watch(rows)
        total = tf.reduce_sum(rows["items", "price"].flat_values ** 2)
    gradient = tape.gradient(total, rows)
    expected = [2 * price for row in rows.to_py() for item in row["items"] for price in item["price"]]
    assert gradient["items", "price"].flat_values.numpy().tolist() == expected


# --- Datasets


@pytest.mark.parametrize("rank", [1, 2])
def test_datasets(rows, rank, tmp_path):
    structs, lists = of_rank(rows, rank)
    whole = tf.data.Dataset.from_tensors(structs)
    assert next(iter(whole)).to_py() == lists
    slices = tf.data.Dataset.from_tensor_slices(structs)
    assert [row.to_py() for row in slices] == lists
    assert [row.to_py() for row in whole.unbatch()] == lists
    assert [batch.to_py() for batch in slices.batch(2)] == [lists[i : i + 2] for i in range(0, len(lists), 2)]
    ragged = next(iter(tf.data.Dataset.from_tensors(structs).repeat(2).ragged_batch(2)))
    assert ragged.rank == rank + 1 and ragged.to_py() == [lists, lists]
    assert [batch.to_py() for batch in slices.batch(5).rebatch(3)] == [lists[i : i + 3] for i in range(0, len(lists), 3)]
    whole.save(str(tmp_path / "saved"))
    assert next(iter(tf.data.Dataset.load(str(tmp_path / "saved")))).to_py() == lists
    generated = tf.data.Dataset.from_generator(lambda: iter([structs]), output_signature=relaxed(structs))
    assert next(iter(generated)).to_py() == lists
    totals = whole.repeat(4).map(prices, num_parallel_calls=2)
    assert [float(total) for total in totals] == pytest.approx([sum_of_prices(lists)] * 4)


# --- Models


def test_saved_models(rows, tmp_path):
    spec = relaxed(rows)

    class Model(tf.Module):
        @tf.function(input_signature=[spec])
        def takes(self, rows):
            return prices(rows)

        @tf.function(input_signature=[spec])
        def returns(self, rows):
            return rows[1:]

    tf.saved_model.save(Model(), str(tmp_path / "model"))
    model = tf.saved_model.load(str(tmp_path / "model"))
    assert float(model.takes(rows)) == pytest.approx(sum_of_prices(rows.to_py()))
    assert model.returns(rows).to_py() == rows.to_py()[1:]


def test_keras(order_class, decoder):
    keras = pytest.importorskip("keras", reason="the package keras is not installed")
    orders = make_orders(order_class, 64)
    serialized = [order.SerializeToString() for order in orders]
    labels = [[float(len(order.items))] for order in orders]

    class Total(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.scale = self.add_weight(shape=(1,), initializer="ones", name="scale")

        def call(self, rows=None):
            return tf.reduce_sum(tf.reduce_sum(rows["items", "price"], axis=2), axis=1)[:, None] * self.scale

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.total, self.dense = Total(), keras.layers.Dense(1)

        def call(self, serialized):
            return self.dense(self.total(rows=decoder(serialized)))

    model = Model()
    model.compile(keras.optimizers.SGD(1e-6), "mse")
    dataset = tf.data.Dataset.from_tensor_slices((serialized, labels)).batch(16)
    history = model.fit(dataset, epochs=2, verbose=0)
    assert all(np.isfinite(history.history["loss"]))
    assert model.predict(tf.constant(serialized), verbose=0).shape == (64, 1)


def test_keras_takes_fields_by_position(rows, serialized):
    """Keras 3 takes nothing but tensors by position, as fit() and predict() give them: the fields in a dict."""
    keras = pytest.importorskip("keras", reason="the package keras is not installed")
    ours = structtensor.tf.StructuredTensor
    structs = ours.from_fields({"id": tf.range(24.0), "prices": rows["items", "price"]})

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, fields):
            rows = ours.from_fields(fields)
            totals = tf.reduce_sum(tf.reduce_sum(rows["prices"], axis=2), axis=1)
            return self.dense(tf.stack([totals, rows["id"]], axis=1))

    model = Model()
    if int(keras.__version__.partition(".")[0]) >= 3:
        with pytest.raises(ValueError, match="Only input tensors may be passed as positional arguments"):
            model(structs)
    model.compile(keras.optimizers.SGD(1e-6), "mse")
    dataset = tf.data.Dataset.from_tensor_slices(structs).batch(8).map(lambda rows: (rows.to_dict(), rows["id"]))
    assert np.isfinite(model.fit(dataset, verbose=0).history["loss"][0])
    found = model.predict(dataset.map(lambda fields, label: fields), verbose=0)
    assert found == pytest.approx(model(structs.to_dict()).numpy())


def test_mirrored_strategy(rows, decoder, serialized):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    dataset = tf.data.Dataset.from_tensor_slices(serialized).batch(8).map(decoder)
    distributed = strategy.experimental_distribute_dataset(dataset)
    total = 0.0
    for batch in distributed:
        per_replica = strategy.run(prices, args=(batch,))
        total += float(strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None))
    assert total == pytest.approx(sum_of_prices(rows.to_py()))
