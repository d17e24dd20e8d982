"""Shapes with row lengths, nests, and the ways to make values that TensorFlow has."""

import numpy as np
import pytest
import structtensor as st
from structtensor import nest

RAGGED = st.constant([[1, 2], [], [3]])


def test_ragged_shapes():
    shape = st.DynamicRaggedShape.from_lengths([2, [2, 1], 3])
    assert (shape.rank, len(shape), shape.num_row_partitions, shape.inner_shape) == (3, 3, 1, (3, 3))
    assert shape.lengths == (2, (2, 1), 3)
    assert shape.static_shape == (2, None, 3)
    assert [shape.is_uniform(axis) for axis in (0, 1, -1)] == [True, False, True]
    assert (shape[0], shape[-1], shape.num_elements()) == (2, 3, 9)
    assert shape[:2] == st.DynamicRaggedShape.from_lengths([2, (2, 1)])
    assert shape.with_dtype("int32").dtype == "int32"
    assert st.DynamicRaggedShape.from_tensor(RAGGED).lengths == (3, (2, 0, 1))
    assert st.shape(RAGGED) == st.DynamicRaggedShape.from_tensor(RAGGED)
    assert st.shape(st.constant([5, 6])).to_py() == [2]
    assert st.shape(7, out_type="int64").dtype == "int64"
    assert st.broadcast_to(5, [2, [1, 2]]).to_py() == [[5], [5, 5]]
    assert st.broadcast_dynamic_shape([2, 1], [2, [1, 2]]).lengths == (2, (1, 2))
    assert st.StructuredTensor.from_shape([2, [1, 0]]).to_py() == [[{}], []]
    assert (st.rank(RAGGED).item(), st.size(RAGGED).item(), st.size(RAGGED, "int64").dtype) == (2, 3, "int64")


@pytest.mark.parametrize(
    "lengths, options, error",
    [
        ([2, [1]], {}, ValueError),
        ([-1], {}, ValueError),
        ([[1, 2]], {}, ValueError),
        ([2, "x"], {}, TypeError),
        ([2.5], {}, TypeError),
        (5, {}, TypeError),
        ([2], {"num_row_partitions": -1}, ValueError),
        ([2], {"num_row_partitions": 1 << 40}, ValueError),
        ([2], {"num_row_partitions": 1}, ValueError),
        ([2], {"dtype": "float"}, ValueError),
        ([1 << 62, 1 << 62], {}, MemoryError),
        ([1] * 1001, {}, ValueError),
        ([1 << 70], {}, OverflowError),
    ],
)
def test_wrong_lengths(lengths, options, error):
    with pytest.raises(error):
        st.DynamicRaggedShape.from_lengths(lengths, **options)


def test_wrong_questions_of_shapes():
    shape = st.DynamicRaggedShape.from_lengths([2, [2, 1]])
    for question, error in (
        (lambda: shape[1], ValueError),
        (lambda: shape[2], IndexError),
        (lambda: shape[::2], IndexError),
        (lambda: shape["x"], TypeError),
        (lambda: shape.is_uniform(2), IndexError),
        (lambda: shape.with_dtype("bool"), ValueError),
        (lambda: st.broadcast_to([1, 2], [3]), ValueError),
        (lambda: st.broadcast_to(1, [1 << 40, [1]]), ValueError),
        (lambda: st.size(RAGGED, "float"), ValueError),
        (lambda: st.shape(RAGGED, "bool"), ValueError),
        (lambda: st.index(RAGGED, 0, axes_before_names="some"), ValueError),
        (lambda: st.gather(RAGGED, [0], bounds="none"), ValueError),
    ):
        with pytest.raises(error):
            question()
    with pytest.raises(TypeError):
        hash(shape)


def test_scalars_have_no_rows():
    assert st.constant({"a": 1}).nrows is None
    assert st.constant(5).nrows is None
    assert st.constant([{"a": 1}]).nrows == 1


def test_constants_of_other_numbers():
    numbers = {"int_dtype": "int32", "float_dtype": "float32"}
    value = st.constant({"i": 1, "f": 1.5, "big": 1 << 40}, **numbers)
    assert [value[name].dtype for name in ("i", "f", "big")] == ["int32", "float", "int64"]
    assert st.constant([1, 2, 3, 4], shape=(2, 2), dtype="int32").to_py() == [[1, 2], [3, 4]]
    assert st.constant(7, shape=(2,)).to_py() == [7, 7]
    assert st.ragged.constant([[1], []], **numbers).dtype == "int32"
    wrong_shapes = [{"shape": (5,)}, {"shape": (-3,)}, {"shape": (1 << 62, 4)}]
    for wrong in ({"int_dtype": "string"}, {"float_dtype": "int64"}, *wrong_shapes):
        with pytest.raises((ValueError, MemoryError)):
            st.constant([1, 2], **wrong)


def test_fields_with_partitions():
    partition = st.RowPartition.from_row_lengths([2, 0])
    structs = st.StructuredTensor.from_fields({"x": [[1, 2], []]}, row_partitions=[partition])
    assert structs.to_py() == [[{"x": 1}, {"x": 2}], []]
    assert st.StructuredTensor.from_fields({}, row_partitions=[partition]).to_py() == [[{}, {}], []]
    for wrong in (5, [5], [partition, partition], [partition] * 200):
        with pytest.raises((TypeError, ValueError)):
            st.StructuredTensor.from_fields({"x": [[1, 2], []]}, row_partitions=wrong)


def test_ragged_tensors_of_encodings():
    assert st.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2]).to_py() == [[1, 2], [], [3]]
    assert st.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3]).to_py() == [[1, 2], [], [3]]
    nested = st.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
    assert nested.to_py() == [[[1, 2]], [[3]]]
    assert st.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]).equals(nested)
    assert (RAGGED.row_starts().to_py(), RAGGED.row_limits().to_py(), RAGGED.uniform_row_length) == ([0, 2, 2], [2, 2, 3], None)
    partition = RAGGED.row_partitions[0]
    assert partition.offsets_in_rows.to_py() == [0, 1, 0]
    assert not partition.is_uniform
    assert partition.merge(st.RowPartition.from_row_lengths([2, 0, 1])) == partition
    for wrong in (
        lambda: partition.merge(st.RowPartition.from_row_lengths([1, 1, 1])),
        lambda: st.RaggedTensor.from_row_starts([1, 2], [1]),
        lambda: st.RaggedTensor.from_row_starts(5, [0]),
        lambda: st.RaggedTensor.from_row_limits([1, 2], [3]),
        lambda: st.RaggedTensor.from_nested_row_splits([1], []),
        lambda: st.RaggedTensor.from_nested_row_splits([1], [[0, 5]]),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        st.RaggedTensor.from_nested_row_splits([1], 5)


def test_specs_in_batches():
    spec = st.TensorSpec((3,), "int32")
    assert spec.batch(2) == st.TensorSpec((2, 3), "int32")
    assert spec.batch() == st.TensorSpec((None, 3), "int32")
    assert spec.unbatch() == st.TensorSpec((), "int32")
    for wrong in (lambda: st.TensorSpec((), "int32").unbatch(), lambda: spec.batch(-2)):
        with pytest.raises(ValueError):
            wrong()


def test_indices_may_be_scalars():
    two = st.constant(2)
    assert st.constant([1, 2, 3, 4])[two:].to_py() == [3, 4]
    assert st.constant([1, 2, 3, 4])[::two].to_py() == [1, 3]
    with pytest.raises(TypeError):
        st.constant([1, 2])[st.constant([0]) :]
    structs = st.constant([[{"x": 1}], []])
    assert structs["x"].to_py() == [[1], []]
    with pytest.raises(ValueError):
        st.index(structs, "x", axes_before_names="written")
    assert structs.field_value([]).equals(structs)


def test_structs_are_not_equal_to_numbers():
    structs = st.constant([{"x": 1}])
    assert (structs == 5) is False
    assert (structs != st.constant([5])) is True
    assert (st.constant([5]) == structs) is False


def test_nests():
    structure = {"b": (1, [2, None]), "a": "x", "c": {}}
    assert nest.flatten(structure) == ["x", 1, 2, None]
    paths = [path for path, _ in nest.flatten_with_joined_string_paths(structure)]
    assert paths == ["['a']", "['b'][0]", "['b'][1][0]", "['b'][1][1]"]
    assert nest.pack_sequence_as(structure, [1, 2, 3, 4]) == {"a": 1, "b": (2, [3, 4]), "c": {}}
    assert nest.map_structure(lambda a, b: (a, b), [1, 2], [3, 4]) == [(1, 3), (2, 4)]
    assert nest.flatten(5) == [5]
    assert nest.is_nested([]) and not nest.is_nested("ab") and not nest.is_nested(None)
    values = {"r": RAGGED, "n": 5, "s": st.constant([{"x": 1}])}
    tensors = nest.flatten(values, expand_composites=True)
    assert tensors[0] == 5 and [tensor.to_py() for tensor in tensors[1:3]] == [[1, 2, 3], [0, 2, 2, 3]]
    packed = nest.pack_sequence_as(values, tensors, expand_composites=True)
    assert packed["r"].equals(RAGGED) and packed["n"] == 5 and packed["s"].to_py() == [{"x": 1}]


def test_wrong_nests():
    endless = []
    endless.append(endless)
    for wrong, error in (
        (lambda: nest.pack_sequence_as([1, 2], [1]), ValueError),
        (lambda: nest.pack_sequence_as([1, 2], 5), TypeError),
        (lambda: nest.pack_sequence_as([RAGGED], [1], expand_composites=True), ValueError),
        (lambda: nest.pack_sequence_as([RAGGED], [[1], [5]], expand_composites=True), ValueError),
        (lambda: nest.pack_sequence_as([RAGGED], [[1], [0, 1], [2]], expand_composites=True), ValueError),
        (lambda: nest.assert_same_structure([1], (1,)), ValueError),
        (lambda: nest.assert_same_structure({"a": 1}, {"b": 1}), ValueError),
        (lambda: nest.map_structure(max, [1], [1, 2]), ValueError),
        (lambda: nest.map_structure(max), TypeError),
        (lambda: nest.map_structure(5, [1]), TypeError),
        (lambda: nest.map_structure(lambda x: 1 // 0, [1]), ZeroDivisionError),
        (lambda: nest.flatten({1: 2, "a": 3}), TypeError),
        (lambda: nest.flatten(endless), ValueError),
    ):
        with pytest.raises(error):
            wrong()


def test_row_lengths_of_an_axis():
    nested = [[[1, 2], [3], []], [], [[4, 5, 6]]]
    ragged = st.constant(nested)
    assert ragged.row_lengths().to_py() == ragged.row_lengths(1).to_py() == [len(row) for row in nested]
    assert ragged.row_lengths(axis=2).to_py() == ragged.row_lengths(-1).to_py() == [[len(r) for r in row] for row in nested]
    assert ragged.row_lengths(0).to_py() == 3
    # Axes after the ragged ones.
    dense = st.RaggedTensor.from_row_lengths(np.zeros((3, 2, 4)), [2, 0, 1])
    assert dense.row_lengths(2).to_py() == [[2, 2], [], [2]]
    assert dense.row_lengths(3).to_py() == [[[4, 4], [4, 4]], [], [[4, 4]]]
    assert dense.row_lengths(3).dtype == "int64"
    for axis in (4, -5, 2**70):
        with pytest.raises(ValueError, match="axis"):
            dense.row_lengths(axis)
    for axis in (1.5, "1", None, True):
        with pytest.raises(TypeError):
            dense.row_lengths(axis)


def test_bounding_shapes_of_axes():
    ragged = st.constant([[[1, 2], [3], []], [], [[4, 5, 6]]])
    assert st.bounding_shape(ragged) == (3, 3, 3)
    assert st.bounding_shape(ragged, 1) == 3
    assert st.bounding_shape(ragged, axis=[0, -1]) == (3, 3)
    assert st.bounding_shape(st.constant([[1], [2, 3], [], []]), -1) == 2
    assert st.bounding_shape(ragged, []) == ()
    with pytest.raises(ValueError, match="axis = 3"):
        st.bounding_shape(ragged, 3)
    with pytest.raises(TypeError):
        st.bounding_shape(ragged, "a")
