"""Structs chosen by indices, coordinates, masks, conditions and ranges: as the package does, and as lists of Python."""

import functools
import random

import numpy as np
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from plain_values import as_bytes, plain
from random_structs import RandomStructs
from test_random_structs import about, result_of, same, seeds

OURS = structtensor.tf.StructuredTensor
BAD = tf.errors.InvalidArgumentError


def struct(n):
    """A struct with a dense field, a ragged one, and one of structs."""
    return {"n": n, "list": list(range(n % 3)), "inner": [{"vector": [n, -n], "word": str(n)}] * (n % 2)}


SPEC = {
    "n": st.TensorSpec([None], "int64"),
    "list": st.RaggedTensorSpec([None, None], "int64"),
    "inner": st.StructuredTensorSpec(
        [None, None],
        {"vector": st.RaggedTensorSpec([None, None, 2], "int64", 1), "word": st.RaggedTensorSpec([None, None], "string")},
    ),
}


def structs(lists):
    """Both values of nested lists of numbers, with a struct for each number."""

    def made(part):
        return [made(each) for each in part] if isinstance(part, list) else struct(part)

    def flat(part):
        return [number for each in part for number in flat(each)] if isinstance(part, list) else [part]

    def in_rows(value, rows, part):
        """The value under the partitions of the lists."""
        if not part or not all(isinstance(each, list) for each in part):
            return value
        partition = st.RowPartition.from_row_lengths(np.array([len(each) for each in part], np.int64))
        return st.partition_outer_dimension(in_rows(value, rows, [each for row in part for each in row]), partition)

    rows = made(lists)
    if not isinstance(lists, list):
        value = st.constant([rows], spec=st.StructuredTensorSpec([None], SPEC))[0]
    else:
        value = in_rows(st.constant([struct(n) for n in flat(lists)], spec=st.StructuredTensorSpec([None], SPEC)), rows, lists)
    assert plain(value) == as_bytes(rows)
    return value, OURS.from_structtensor(value)


def in_graph(rows, function):
    """The function in a graph, where neither the sizes of the rows nor the other arguments are known."""

    def call(*others):
        signature = [tf.type_spec_from_value(rows)._with_rank(rows.rank)]
        for other in others:
            if isinstance(other, OURS):
                signature.append(tf.type_spec_from_value(other)._with_rank(other.rank))
            elif isinstance(other, tf.RaggedTensor):
                signature.append(tf.RaggedTensorSpec([None] * other.shape.rank, other.dtype, other.ragged_rank, tf.int64))
            else:
                signature.append(tf.TensorSpec([None] * other.shape.rank, other.dtype))
        return tf.function(function, input_signature=signature)(rows, *others)

    return call


def both_ways(function, rows, *others):
    """The function's result outside of a graph and in one, which are the same."""
    found = plain(function(rows, *others))
    assert plain(in_graph(rows, function)(*others)) == found
    return found


def ragged(lists, dtype=tf.int64, rank=None):
    return tf.ragged.constant(lists, dtype, ragged_rank=rank, row_splits_dtype=tf.int64)


def numbers(value):
    """The field n of what structs became."""
    return [numbers(each) for each in value] if isinstance(value, list) else value["n"]


VECTOR = [3, 1, 4, 5]
ROWS = [[3, 1], [4], [], [1, 5, 9]]
MATRIX = [[3, 1], [4, 5], [9, 2]]
CUBE = [[[3, 1], []], [[4]], [], [[], [1, 5], [9]]]


# --- gather


GATHERS = [
    # structs, indices, options, the numbers of the result
    (VECTOR, 2, {}, 4),
    (VECTOR, [2, 0], {}, [4, 3]),
    (VECTOR, [[2, 0], [1, 1]], {"axis": -1}, [[4, 3], [1, 1]]),
    (VECTOR, ragged([[2], [], [0, 0]]), {}, [[4], [], [3, 3]]),
    (VECTOR, [1, 2, 3, 0], {"batch_dims": 0, "axis": 0}, [1, 4, 5, 3]),
    (ROWS, [3, 0], {}, [[1, 5, 9], [3, 1]]),
    (ROWS, ragged([[3], [2, 1]]), {"axis": 0}, [[[1, 5, 9]], [[], [4]]]),
    (ROWS, ragged([[1, 0], [0], [], [2, 2, 0]]), {"batch_dims": 1}, [[1, 3], [4], [], [9, 9, 1]]),
    (ROWS, ragged([[[1], []], [[0]], [], [[2, 0]]]), {"batch_dims": 1, "axis": 1}, [[[1], []], [[4]], [], [[9, 1]]]),
    (MATRIX, 1, {"axis": 1}, [1, 5, 2]),
    (MATRIX, [1, 0, 1], {"axis": 1}, [[1, 3, 1], [5, 4, 5], [2, 9, 2]]),
    (MATRIX, [[1], [0], [1]], {"axis": -1, "batch_dims": -1}, [[1], [4], [2]]),
    (MATRIX, [1, 0, 1], {"axis": 1, "batch_dims": 1}, [1, 4, 2]),
    (MATRIX, ragged([[1], [0, 0]]), {"axis": 1}, [[[1], [3, 3]], [[5], [4, 4]], [[2], [9, 9]]]),
    (CUBE, [3, 1], {}, [[[], [1, 5], [9]], [[4]]]),
    (CUBE[:2], [0], {"axis": 1}, [[[3, 1]], [[4]]]),
    (CUBE, ragged([[1], [0, 0], [], [2, 0]]), {"batch_dims": 1}, [[[]], [[4], [4]], [], [[9], []]]),
    (CUBE, ragged([[[1], []], [[0]], [], [[], [0], [0]]]), {"batch_dims": 2}, [[[1], []], [[4]], [], [[], [1], [9]]]),
    ([[[3, 1], [4, 5]], [[9, 2]]], ragged([[1, 1], [0]]), {"axis": 2, "batch_dims": 1}, [[[1, 1], [5, 5]], [[9]]]),
    ([[[3, 1], [4, 5]], [[9, 2]]], [0, 1], {"axis": 2, "batch_dims": 1}, [[3, 4], [2]]),
]  # fmt: skip


@pytest.mark.parametrize("lists, indices, options, expected", GATHERS, ids=repr)
def test_gather(lists, indices, options, expected):
    value, ours = structs(lists)
    if not isinstance(indices, tf.RaggedTensor):
        indices = tf.constant(indices)
    found = both_ways(functools.partial(tf.gather, **options), ours, indices)
    assert numbers(found) == expected
    theirs = st.ragged.constant(indices.to_list()) if isinstance(indices, tf.RaggedTensor) else indices.numpy()
    assert found == plain(st.gather(value, theirs, **options))
    assert plain(tf.compat.v1.gather(ours, indices, **options)) == found


def test_gather_that_is_wrong():
    ours = structs(ROWS)[1]
    for indices, options, problem in [
        ([0], {"axis": 2}, "axis 2 of structs with 2 axes"),
        ([0], {"batch_dims": 2}, "batch_dims is 2, and the indices have 1 axes"),
        ([[0]], {"axis": 0, "batch_dims": 1}, "axis 0 is one of the 1 batch axes"),
        ([0], {"axis": -3}, "axis -3 of structs with 2 axes"),
    ]:
        with pytest.raises(ValueError, match=problem):
            tf.gather(ours, indices, **options)
    with pytest.raises(ValueError, match="axis 0 of structs with 0 axes"):
        tf.gather(ours[0, 0], [0])
    for indices, options, problem in [
        ([2], {"axis": 1}, "an index is outside of its row of axis 1"),
        ([-1], {"axis": 1}, "an index is outside of its row of axis 1"),
        ([[0], [0]], {"batch_dims": 1}, "the indices have other rows than the structs along axis 0"),
        ([[0], [1], [0], [0]], {"batch_dims": 1}, "an index is outside of its row of axis 1"),
    ]:
        gather = functools.partial(tf.gather, **options)
        for each in (gather, in_graph(ours, gather)):
            with pytest.raises(BAD, match=problem):
                each(tf.constant(indices)) if each is not gather else each(ours, tf.constant(indices))
    unknown = tf.function(lambda axis: tf.gather(ours, [0], axis=axis), input_signature=[tf.TensorSpec([], tf.int32)])
    with pytest.raises(ValueError, match="a tensor whose value is not known"):
        unknown(0)
    assert plain(tf.gather(ours, [0], axis=tf.constant(0))) == plain(ours[:1])


def test_batch_gather():
    value, ours = structs(MATRIX)
    for indices in ([2, 0], [[1, 1], [0, 1], [0, 0]]):
        found = both_ways(tf.compat.v1.batch_gather, ours, tf.constant(indices))
        assert found == plain(st.batch_gather(value, np.array(indices)))
    with pytest.raises(ValueError, match="the indices are a scalar"):
        tf.compat.v1.batch_gather(ours, 0)


# --- gather_nd


COORDINATES = [
    (VECTOR, [2], {}, 4),
    (VECTOR, [[2], [0]], {}, [4, 3]),
    (VECTOR, [[[2], [0]], [[1], [1]]], {}, [[4, 3], [1, 1]]),
    (VECTOR, np.zeros([2, 0], np.int32), {}, [VECTOR, VECTOR]),
    (VECTOR, np.zeros([0, 1], np.int32), {}, []),
    (3, np.zeros([2, 0], np.int32), {}, [3, 3]),
    (3, np.zeros([0], np.int32), {}, 3),
    (ROWS, [[3], [1]], {}, [[1, 5, 9], [4]]),
    (ROWS, [[3, 2], [1, 0]], {}, [9, 4]),
    (ROWS, [[[3, 2]], [[0, 1]]], {}, [[9], [1]]),
    (ROWS, np.zeros([0], np.int32), {}, ROWS),
    (ROWS, ragged([[[3, 2]], [], [[0, 0], [1, 0]]], rank=1), {}, [[9], [], [3, 4]]),
    (ROWS, ragged([[[1]], [[0], [0]], [], [[2]]], rank=1), {"batch_dims": 1}, [[1], [4, 4], [], [9]]),
    (MATRIX, [[1], [0], [0]], {"batch_dims": 1}, [1, 4, 9]),
    (MATRIX, [[[1], [0]], [[1], [1]], [[0], [0]]], {"batch_dims": 1}, [[1, 3], [5, 5], [9, 9]]),
    (CUBE, [[3, 1], [0, 0]], {}, [[1, 5], [3, 1]]),
    (CUBE, [[3, 1, 1], [1, 0, 0]], {}, [5, 4]),
    (CUBE, ragged([[[1]], [[0], [0]], [], [[2]]], rank=1), {"batch_dims": 1}, [[[]], [[4], [4]], [], [[9]]]),
    (CUBE, ragged([[[0, 1]], [[0, 0]], [], [[1, 0], [2, 0]]], rank=1), {"batch_dims": 1}, [[1], [4], [], [1, 9]]),
]  # fmt: skip


@pytest.mark.parametrize("lists, indices, options, expected", COORDINATES, ids=repr)
def test_gather_nd(lists, indices, options, expected):
    value, ours = structs(lists)
    if not isinstance(indices, tf.RaggedTensor):
        indices = tf.constant(indices)
    gather = functools.partial(tf.gather_nd, **options)
    found = plain(gather(ours, indices))
    assert numbers(found) == expected
    size = indices.shape[-1]

    def sized(rows, indices):
        """With indices of a known last axis, which the rank of the result depends on."""
        if isinstance(indices, tf.RaggedTensor):
            return gather(rows, indices.with_flat_values(tf.ensure_shape(indices.flat_values, [None, size])))
        return gather(rows, tf.ensure_shape(indices, [*[None] * (indices.shape.rank - 1), size]))

    assert plain(in_graph(ours, sized)(indices)) == found
    assert plain(tf.compat.v1.gather_nd(ours, indices, **options)) == found
    if not options and not isinstance(indices, tf.RaggedTensor):
        assert found == plain(st.gather_nd(value, indices.numpy()))


def test_gather_nd_that_is_wrong():
    ours = structs(ROWS)[1]
    for indices, options, problem in [
        (0, {}, "the indices are a scalar"),
        ([[0, 0, 0]], {}, "3 coordinates after 0 batch axes, and the structs have 2 axes"),
        ([[0, 0]], {"batch_dims": 1}, "2 coordinates after 1 batch axes"),
        ([0], {"batch_dims": 1}, "batch_dims is 1, and the indices have 0 axes"),
        (ragged([[0], [0, 0]]), {}, "the size of the last axis .* must be known"),
    ]:
        with pytest.raises(ValueError, match=problem):
            tf.gather_nd(ours, indices, **options)
    with pytest.raises(ValueError, match="the size of the last axis .* must be known"):
        in_graph(ours, tf.gather_nd)(tf.constant([[0]]))
    with pytest.raises(TypeError, match="indices are integers; found float32"):
        tf.gather_nd(ours, [[0.5]])
    for indices in ([[0, 2]], [[-1, 0]], [[4, 0]], [[2, 0]]):
        with pytest.raises(BAD, match="coordinate [01] is outside of its row of axis [01]"):
            tf.gather_nd(ours, indices)
    with pytest.raises(BAD, match="other rows than the structs along axis 0"):
        tf.gather_nd(ours, [[0]], batch_dims=1)


# --- where


WHERES = [
    # condition, x, y
    (True, 3, 4),
    (False, 3, 4),
    (True, VECTOR, [9]),
    (False, VECTOR, [9]),
    (False, ROWS, CUBE[0]),
    (True, CUBE, CUBE[:2]),
    ([True, False, False, True], VECTOR, [9, 8, 7, 6]),
    ([True, False, False, True], ROWS, [[7], [], [8, 9], []]),
    ([[True, False], [False], [], [False, True, True]], ROWS, [[7, 8], [9], [], [2, 4, 6]]),
    ([[True, False], [False, True], [True, True]], MATRIX, [[0, 7], [8, 6], [5, 4]]),
    ([False, True, True, False], CUBE, [[[1]], [[2], [3]], [], []]),
    ([[True, False], [False], [], [False, True, False]], CUBE, [[[7], [8]], [[9, 2]], [], [[1], [], []]]),
    ([], [], []),
]


def chosen(condition, x, y):
    if isinstance(condition, list):
        return [chosen(*each) for each in zip(condition, x, y)]
    return x if condition else y


@pytest.mark.parametrize("condition, x, y", WHERES, ids=repr)
def test_where(condition, x, y):
    (x_value, x_ours), (y_value, y_ours) = structs(x), structs(y)
    tensor = ragged(condition, tf.bool) if condition and isinstance(condition, list) else tf.constant(condition, tf.bool)

    def where(x, y, condition):
        return tf.where(condition, x, y)

    found = both_ways(where, x_ours, y_ours, tensor)
    assert numbers(found) == chosen(condition, x, y)
    assert found == plain(st.where(condition if condition != [] else np.zeros(0, bool), x_value, y_value))
    assert plain(tf.compat.v1.where(tensor, x_ours, y_ours)) == found
    if condition in (True, False):
        assert plain(tf.where(condition, x_ours, y_ours)) == found


def test_where_that_is_wrong():
    vector, rows = structs(VECTOR)[1], structs(ROWS)[1]
    for arguments, problem in [
        ((vector, vector, vector), "the condition is structs; expected a tensor"),
        ((vector,), "the condition is structs; expected a tensor"),
        (([True], vector), "y is not structs, but the other one is; found NoneType"),
        (([True], 1, vector), "x is not structs, but the other one is; found int"),
        (([1, 0, 1, 1], vector, vector), "the condition is of int32; expected bool"),
    ]:
        with pytest.raises(TypeError, match=problem):
            tf.where(*arguments)
    for arguments, problem in [
        (([True] * 4, vector, rows), "the condition has 1 axes, x has 1 and y has 2"),
        (([[True]], vector, vector), "the condition has 2 axes, x has 1 and y has 1"),
        ((True, vector, vector.without("n")), "the fields"),
    ]:
        with pytest.raises(ValueError, match=problem):
            tf.where(*arguments)
    for arguments, problem in [
        (([True], vector, vector), "x has other rows than the condition along axis 0"),
        (([True] * 4, vector, vector[:1]), "y has other rows than the condition along axis 0"),
        ((ragged([[True, True], [True], [], [True] * 3], tf.bool), rows, rows[::-1]), "y has other rows .* along axis 1"),
    ]:
        with pytest.raises(BAD, match=problem):
            tf.where(*arguments)


# --- boolean_mask


MASKS = [
    (VECTOR, [True, False, False, True], None, [3, 5]),
    (ROWS, [True, False, True, True], 0, [[3, 1], [], [1, 5, 9]]),
    (ROWS, [[False, True], [True], [], [True, False, True]], None, [[1], [4], [], [1, 9]]),
    (MATRIX, [[False, True], [True, True], [False, False]], 0, [[1], [4, 5], []]),
    (MATRIX, [False, True], 1, [[1], [5], [2]]),
    (MATRIX, [False, False], -1, [[], [], []]),
    (CUBE, [[True, False], [False], [], [True, True, False]], None, [[[3, 1]], [], [], [[], [1, 5]]]),
    (CUBE, [[[False, True], []], [[True]], [], [[], [True, False], [True]]], None, [[[1], []], [[4]], [], [[], [1], [9]]]),
    ([[[3, 1], [4, 5]], [[9, 2]]], [True, False], 2, [[[3], [4]], [[9]]]),
]


@pytest.mark.parametrize("lists, mask, axis, expected", MASKS, ids=repr)
def test_boolean_mask(lists, mask, axis, expected):
    value, ours = structs(lists)
    tensor = ragged(mask, tf.bool)
    masks = [tensor]
    if lists is MATRIX and axis == 0:
        masks.append(tf.constant(mask))
    for each in masks:
        found = both_ways(functools.partial(tf.boolean_mask, axis=axis), ours, each)
        assert numbers(found) == expected
        assert plain(tf.compat.v1.boolean_mask(ours, each, axis=axis)) == found
    if axis in (None, 0):
        assert found == plain(st.boolean_mask(value, mask))


def test_boolean_mask_that_is_wrong():
    ours = structs(MATRIX)[1]
    for mask, axis, problem in [
        (True, None, "the mask is a scalar"),
        ([[True, False]], 1, r"a mask of shape \(1, 2\) along axis 1"),
        ([True], 2, "axis 2 of structs with 2 axes"),
        ([[[True]]], None, "a mask of 3 axes"),
    ]:
        with pytest.raises(ValueError, match=problem):
            tf.boolean_mask(ours, mask, axis)
    with pytest.raises(TypeError, match="the mask is of int32; expected bool"):
        tf.boolean_mask(ours, [1, 0, 1])
    for each in (tf.boolean_mask, in_graph(ours, tf.boolean_mask)):
        rows = [ours] if each is tf.boolean_mask else []
        with pytest.raises(BAD, match="one boolean for each row"):
            each(*rows, tf.constant([True]))
    for rows, size in ((ours, 3), (structs(ROWS)[1], 2)):
        with pytest.raises(BAD, match="other booleans than one for each value of the rows of axis 1"):
            tf.boolean_mask(rows, [True] * size, axis=1)


# --- slice, unstack, squeeze, shape, and other functions along axes


SLICES = [
    (VECTOR, [1], [2], [1, 4]),
    (VECTOR, [4], [-1], []),
    (VECTOR, [0], [0], []),
    (VECTOR, [], [], VECTOR),
    (3, [], [], 3),
    (ROWS, [1], [-1], ROWS[1:]),
    (ROWS, [0, 1], [-1, -1], [[1], [], [], [5, 9]]),
    (ROWS, [0, 1], [4, 1], [[1], [], [], [5]]),
    (ROWS, [3, 0], [1, 9], [[1, 5, 9]]),
    (CUBE, [0, 1, 0], [-1, 1, 1], [[[]], [], [], [[1]]]),
]


@pytest.mark.parametrize("lists, begin, size, expected", SLICES, ids=repr)
def test_slice(lists, begin, size, expected):
    value, ours = structs(lists)
    for bounds in ((begin, size), (np.array(begin, np.int64), tf.constant(size, tf.int64))):
        found = plain(tf.slice(ours, *bounds))
        assert numbers(found) == expected and found == plain(st.slice(value, begin, size))

    def sized(rows, begin, size):
        return tf.slice(rows, tf.ensure_shape(begin, [len(expected_size)]), tf.ensure_shape(size, [len(expected_size)]))

    expected_size = begin
    assert plain(in_graph(ours, sized)(tf.constant(begin, tf.int32), tf.constant(size, tf.int32))) == found


def test_slice_that_is_wrong():
    ours = structs(ROWS)[1]
    for begin, size, problem in [
        ([0], [1, 1], "begin has 1 numbers and size 2, and the structs have 2 axes"),
        ([0, 0, 0], [1, 1, 1], "begin has 3 numbers and size 3"),
        (0, 1, "begin is a vector of integers of a known size"),
        ([0.5], [1], "begin is a vector of integers"),
    ]:
        with pytest.raises(ValueError, match=problem):
            tf.slice(ours, begin, size)
    for begin, size, problem in [
        ([-1], [1], "begin must not be negative"),
        ([0, 0], [1, -2], "-1 is the only negative size"),
        ([1], [4], "beyond the rows of axis 0"),
        ([5], [-1], "beyond the rows of axis 0"),
    ]:
        with pytest.raises(BAD, match=problem):
            tf.slice(ours, begin, size)


def test_unstack():
    value, ours = structs(MATRIX)
    columns = [[row[i] for row in MATRIX] for i in range(2)]
    assert [numbers(plain(each)) for each in tf.unstack(ours, axis=1)] == columns
    assert [numbers(plain(each)) for each in tf.unstack(ours, axis=-1)] == columns
    dense = st.stack([value[0], value[1]])
    found = tf.unstack(OURS.from_structtensor(dense), axis=1)
    assert [plain(each) for each in found] == [plain(each) for each in st.unstack(dense, axis=1)]
    for each in (functools.partial(tf.unstack, ours), in_graph(ours, functools.partial(tf.unstack, num=2, axis=1))):
        options = {"num": 2, "axis": 1} if isinstance(each, functools.partial) else {}
        assert [numbers(plain(column)) for column in each(**options)] == columns
    with pytest.raises(ValueError, match="the rows of axis 1 have between 0 and 3 values"):
        tf.unstack(structs(ROWS)[1], axis=1)
    with pytest.raises(ValueError, match="the rows of axis 1 have is unknown; pass it as num"):
        in_graph(ours, functools.partial(tf.unstack, axis=1))()
    with pytest.raises(ValueError, match="the rows of axis 1 have is unknown; pass it as num"):
        tf.unstack(ours[:0], axis=1)
    with pytest.raises(BAD, match="num is 3, and a row of axis 1 has another number of values"):
        tf.unstack(ours, 3, axis=1)
    with pytest.raises(ValueError, match="axis 0 of structs with 0 axes"):
        tf.unstack(ours[0, 0])


def test_squeeze():
    value, ours = structs(ROWS)
    assert plain(tf.squeeze(ours)) == plain(value)
    assert plain(tf.squeeze(ours[:1])) == plain(tf.compat.v1.squeeze(ours[:1], squeeze_dims=0)) == plain(value[0])
    assert plain(tf.squeeze(ours[0, 0])) == plain(value[0][0])
    assert plain(tf.squeeze(tf.expand_dims(ours, 0))) == plain(st.squeeze(st.expand_dims(value, 0)))
    # A ragged axis stays, though all of its rows have one value.
    one = structs([[3], [1]])
    assert plain(tf.squeeze(one[1])) == plain(st.squeeze(OURS.to_structtensor(one[1]))) == plain(one[0])
    assert numbers(plain(tf.squeeze(tf.squeeze(one[1], 1)[:1]))) == 3
    assert numbers(plain(tf.squeeze(one[1][:1], [0, 1]))) == 3 and numbers(plain(tf.squeeze(one[1][:1], [-1, -2, 0]))) == 3
    # As of a tensor of shape [1, 1, 1], nothing is left but the element.
    many = tf.expand_dims(tf.expand_dims(structs([7])[1], 0), 0)
    assert numbers(plain(tf.squeeze(many))) == tf.squeeze([[[7]]]).numpy() == 7
    assert numbers(plain(tf.squeeze(tf.expand_dims(one[1], 0)))) == [[3], [1]]
    assert numbers(both_ways(lambda rows: tf.squeeze(tf.expand_dims(rows, 0), 0), one[1])) == [[3], [1]]
    # In a graph, the rank of the result cannot depend on the number of rows.
    for axis, function in enumerate((tf.squeeze, lambda rows: tf.squeeze(tf.expand_dims(rows, 0)))):
        with pytest.raises(ValueError, match=f"rows of axis {axis} is unknown while the function is traced; pass the axis"):
            in_graph(ours, function)()
    with pytest.raises(ValueError, match="both axis and squeeze_dims"):
        tf.compat.v1.squeeze(ours, axis=0, squeeze_dims=0)


@pytest.mark.parametrize("out_type", [None, tf.int32, tf.int64])
def test_shape(out_type):
    """The document's default is int32."""
    for lists in (3, VECTOR, ROWS, CUBE):
        value, ours = structs(lists)
        for shape in (tf.shape, tf.compat.v1.shape):
            found = shape(ours, out_type=out_type)
            assert found.dtype == (out_type or tf.int32)
            assert found.rank == ours.rank if ours.rank > 1 else found.numpy().tolist() == list(value.shape)
        assert tf.shape(ours).dtype == tf.int32
    rows = structs(ROWS)[1]
    assert repr(tf.shape(rows)) == "<DynamicRaggedShape lengths=[4, (2, 1, 0, 3)] num_row_partitions=1>"
    assert tf.function(tf.shape)(rows).dtype == tf.int32


def test_along_inner_axes():
    value, ours = structs(CUBE)
    for axis in (0, 1, 2, -1):
        for count in (0, 1, 3):
            repeat = functools.partial(tf.repeat, repeats=count, axis=axis)
            assert both_ways(repeat, ours) == plain(st.repeat(value, count, axis=axis))
        for shift in (0, 1, -2, 7):
            roll = functools.partial(tf.roll, shift=shift, axis=axis)
            assert both_ways(roll, ours) == plain(st.roll(value, shift, axis))
    assert plain(tf.roll(ours, [1, 1], [0, 2])) == plain(st.roll(value, [1, 1], [0, 2]))
    matrix = structs(MATRIX)
    for counts in ([2, 0], [0, 0], [1, 3]):
        repeated = both_ways(lambda rows, counts: tf.repeat(rows, counts, axis=1), matrix[1], tf.constant(counts))
        expected = [[n for n, count in zip(row, counts) for _ in range(count)] for row in MATRIX]
        assert numbers(repeated) == expected
    with pytest.raises(BAD, match="the rows of axis 1 have other lengths than repeats"):
        tf.repeat(structs(ROWS)[1], [1, 2], axis=1)
    with pytest.raises(ValueError, match="needs an axis"):
        tf.repeat(ours, 2)
    with pytest.raises(ValueError, match="1 shifts for 2 axes"):
        tf.roll(ours, [1], [0, 1])


def test_shuffle():
    value, ours = structs(VECTOR)
    for shuffled in (tf.random.shuffle(ours), tf.function(lambda rows: tf.random.shuffle(rows, seed=3))(ours)):
        assert sorted(plain(shuffled), key=str) == sorted(plain(value), key=str)
    with pytest.raises(ValueError, match="a scalar struct has no axis"):
        tf.random.shuffle(ours[0])


def test_names():
    """TensorFlow's functions take a name, also by position."""
    ours = structs(VECTOR)[1]
    assert plain(tf.gather(ours, [0], name="some")) == plain(tf.squeeze(tf.expand_dims(ours[:1], 0, "some"), 0, "some"))
    assert plain(tf.where([True] * 4, ours, ours, "some")) == plain(tf.slice(ours, [0], [4], "some")) == plain(ours)
    assert plain(tf.concat([ours], 0, "some")) == plain(ours)


# --- Random structs


def nested(dice, shape, make):
    return [nested(dice, shape[1:], make) for _ in range(shape[0])] if shape else make()


def random_selections(dice, value):
    """(what it is, the same function of the package's value and of ours)."""
    rank = len(value.shape)
    axis, axes = dice.randrange(-1, rank + 1), dice.choice([0, 1, 1, 2])
    indices = np.array(nested(dice, [dice.choice([1, 2]) for _ in range(axes)], lambda: dice.choice([0, 0, 0, 1])), np.int64)
    yield f"gather {indices.tolist()} {axis}", lambda value, of: of.gather(value, indices, axis=axis)
    points = np.zeros([dice.choice([0, 1, 2]), dice.randrange(rank + 1)], np.int64)
    yield f"gather_nd {points.tolist()}", lambda value, of: of.gather_nd(value, points)
    if rank == 0:
        return
    begin, size = [dice.choice([0, 0, 1]) for _ in range(rank)], [dice.choice([-1, 0, 1, 2]) for _ in range(rank)]
    yield f"slice {begin} {size}", lambda value, of: of.slice(value, begin, size)
    inner = dice.randrange(rank)
    yield f"repeat {inner}", lambda value, of: of.repeat(value, 2, axis=inner)
    yield f"roll {inner}", lambda value, of: of.roll(value, 1, inner)
    flags = np.array([dice.random() < 0.5 for _ in range(value.nrows)], bool)
    yield f"boolean_mask {flags.tolist()}", lambda value, of: of.boolean_mask(value, flags)
    yield f"where {flags.tolist()}", lambda value, of: of.where(flags, value, of.reverse(value, [0]))
    yield "where of a scalar", lambda value, of: of.where(bool(len(flags) % 2), value, value[:0])


def test_random_structs():
    for seed in seeds(4):
        structs_of_seed = RandomStructs(seed, dtypes=["int64", "string", "bool"])
        value, _ = structs_of_seed.of_rank(seed % 4)
        ours = OURS.from_structtensor(value)
        # TensorFlow's row splits do not say which axes are uniform.
        value = ours.to_structtensor()
        for i, (what, operation) in enumerate(random_selections(random.Random(seed), value)):
            with about(seed, f"{what} of {value.spec}"):
                found, expected = result_of(operation, ours, tf), result_of(operation, value, st)
                assert same(found, expected), f"{found} instead of {expected}"
                if i == seed % 8:
                    signature = [tf.type_spec_from_value(ours)._with_rank(ours.rank)]
                    found = result_of(tf.function(functools.partial(operation, of=tf), input_signature=signature), ours)
                    assert same(found, expected), f"in a graph, {found} instead of {expected}"
