"""Values as pytrees: taken apart and put together here, under jax's jit, and by torch."""

import re

import numpy as np
import pyarrow as pa
import pytest

import structtensor as st
from structtensor import _tree

NULLABLE_STRUCTS = pa.struct(
    {"x": pa.int64(), "d": pa.list_(pa.int64(), 2), "l": pa.list_(pa.int64()), "s": pa.struct({"y": pa.int64()})}
)
VALUES = [
    st.constant(5),
    st.constant([1.5, 2.5]),
    st.constant([[1, 2], [], [3]]),
    st.constant([[[1], []], [], [[2, 3]]]),
    st.constant(np.zeros((2, 3), np.float16)),
    st.constant([1.5, 2.5], dtype="bfloat16"),
    st.constant(np.arange(10))[::2],
    st.constant(["a", "ü", ""]),
    st.constant([[b"a"], []]),
    st.constant(np.array(["2026-01-01"], "M8[us]")),
    st.constant({"a": 1, "b": {"c": [2.0]}}),
    st.constant([{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}]),
    st.constant([[{"a": 1, "b": {"c": [1]}, "d": [{"e": 5}]}], [], [{"a": 2, "b": {"c": []}, "d": []}]]),
    st.constant([[[{"a": 1.5}], []], [[{"a": 2.5}, {"a": 0.5}]]]),
    st.StructuredTensor.from_fields({}, nrows=3),
    st.constant([{"ü": 1.5, "b": [1, 2], "a": "x"}, {"ü": 2.5, "b": [], "a": "y"}]),
    st.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
    st.constant([[{"a": 1}], []]).with_shape_dtype("int32"),
    st.from_arrow(pa.array([1, None, 3])),
    st.from_arrow(pa.array(["a", None])),
    st.from_arrow(pa.array([{"x": 1}, None])),
    st.from_arrow(pa.array([{"x": None, "d": [1, 2], "l": [1], "s": {"y": 1}}, None], NULLABLE_STRUCTS)),
    st.from_arrow(pa.array([[{"x": None, "d": [1, 2], "l": [1], "s": {"y": 1}}, None], []], pa.list_(NULLABLE_STRUCTS))),
    st.from_arrow(pa.array([{"x": 1, "d": [1, 2], "l": [1], "s": None}, None], NULLABLE_STRUCTS))[0],
    st.from_arrow(pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64()))),
    st.constant([]),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_apart_and_together(value):
    leaves = _tree._leaves(value, _tree._array_of)
    back = _tree._value_of(value.spec, leaves)
    assert back.equals(value) and back.spec == value.spec
    tree = st.TreeValue(value.spec, leaves)
    for name in tree.field_names():
        assert tree[name].to_value().equals(value[name])
        # The sizes of partitions are not kept in fields that become nullable.
        assert tree[name].spec.with_unknown_sizes() == value[name].spec.with_unknown_sizes()
        if not value.nullable:
            assert tree[name].spec == value[name].spec


def test_fields_share_the_splits_of_their_structs():
    rows = st.constant([[{"a": 1, "b": {"c": [1]}}], [], [{"a": 2, "b": {"c": []}}]])
    leaves = _tree._leaves(rows, _tree._array_of)
    assert [leaf.tolist() for leaf in leaves] == [[1, 2], [1], [0, 1, 1], [0, 1, 1, 2]]
    tree = st.TreeValue(rows.spec, leaves)
    assert [splits.tolist() for splits in tree.nested_row_splits] == [[0, 1, 1, 2]]
    assert [splits.tolist() for splits in tree["b"]["c"].nested_row_splits] == [[0, 1, 1, 2], [0, 1, 1]]
    assert tree["b"]["c"].flat_values.tolist() == [1]
    nullable = st.from_arrow(pa.array([1, None, 3]))
    assert st.TreeValue(nullable.spec, _tree._leaves(nullable, _tree._array_of)).validity.tolist() == [True, False, True]
    # Elements are shared.
    numbers = st.constant(np.arange(5))
    assert np.shares_memory(_tree._leaves(numbers, _tree._array_of)[0], numbers.to_numpy())


def test_leaves_that_make_no_value():
    ragged = st.constant([[1, 2], [], [3]])
    good = _tree._leaves(ragged, _tree._array_of)
    for leaves in (
        [object(), object()],
        [None, None],
        [good[0], np.array([0, 5, 2, 3])],
        [good[0][:2], good[1]],
        [good[0] + 0.5, good[1]],
        [good[0], good[1] > 0],
        good[:1],
        [*good, 1],
        [1, 2],
    ):
        kept = _tree.unflatten(ragged.spec, leaves)
        assert isinstance(kept, st.TreeValue)
    with pytest.raises(ValueError, match="2 leaves, not 1"):
        st.TreeValue(ragged.spec, good[:1]).to_value()
    with pytest.raises((TypeError, ValueError)):
        st.TreeValue(ragged.spec, [object(), object()]).to_value()
    rows = st.TreeValue(st.constant([{"a": 1}]).spec, [np.array([1])])
    with pytest.raises(KeyError, match="fields are a"):
        rows["b"]
    with pytest.raises(TypeError, match="only by field name"):
        rows[0]
    with pytest.raises(TypeError, match="fields"):
        rows.flat_values
    # Half of the bits come back as they went.
    narrow = _tree.unflatten(ragged.spec, [leaf.astype("int32") for leaf in good])
    assert narrow.equals(ragged)


def test_libraries_that_are_not_there():
    with pytest.raises(TypeError, match="which library"):
        st.register_pytrees()
    with pytest.raises(ValueError, match="numpy"):
        st.register_pytrees("numpy")


def need(name):
    library = pytest.importorskip(name, reason=f"the package {name} is not installed")
    st.register_pytrees(name)
    st.register_pytrees(name)
    return library


NUMBERS = [value for value in VALUES if "string" not in repr(value.spec) and "bytes" not in repr(value.spec)]


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_jit_gives_back_what_it_gets(value):
    jax = need("jax")
    back = jax.jit(lambda value: value)(value)
    assert type(back) is type(value)
    assert back.spec == value.spec
    if value.spec != st.constant(np.array(["2026-01-01"], "M8[us]")).spec:  # its numbers have more than 32 bits
        assert back.equals(value)
    assert jax.tree.unflatten(jax.tree.structure(value), jax.tree.leaves(value)).equals(value)


def test_jit_traces_once_for_each_spec():
    jax = need("jax")
    jnp = jax.numpy
    traces = []

    @jax.jit
    def row_sums(ragged):
        traces.append(ragged)
        splits = ragged.nested_row_splits[0]
        rowids = jnp.searchsorted(splits, jnp.arange(ragged.flat_values.shape[0]), side="right") - 1
        return jax.ops.segment_sum(ragged.flat_values, rowids, num_segments=splits.shape[0] - 1)

    assert row_sums(st.constant([[1.0, 2.0], [], [3.0]])).tolist() == [3, 0, 3]
    assert row_sums(st.constant([[1.0], [2.0, 5.0], []])).tolist() == [1, 7, 0]
    assert len(traces) == 1
    assert isinstance(traces[0], st.TreeValue)
    assert row_sums(st.constant([[1.0], [2.0, 5.0]])).tolist() == [1, 7]
    assert len(traces) == 2


def test_jax_computes_with_structs():
    jax = need("jax")
    rows = st.constant([{"x": 1.0, "tags": [1, 2]}, {"x": 3.0, "tags": []}])

    @jax.jit
    def scaled(rows):
        return rows["x"].flat_values * 2 + rows["tags"].nested_row_splits[0][1:]

    assert scaled(rows).tolist() == [4, 8]
    loss = jax.grad(lambda x: (jax.numpy.sin(x) ** 2).sum())
    assert loss(st.constant([0.5]).to_numpy()).shape == (1,)
    assert jax.jit(jax.numpy.negative)(st.constant([1.5, 2.0])).tolist() == [-1.5, -2.0]
    doubled = jax.tree.map(lambda leaf: leaf * 2, st.constant([1.5, 2.0]))
    assert doubled.to_py() == [3, 4]
    gradient = jax.grad(lambda tree: (tree.flat_values**2).sum())(st.constant([1.0, 3.0]))
    assert gradient.to_py() == [2, 6]
    with pytest.raises(TypeError):
        jax.jit(lambda value: value)(st.constant(["text"]))


@pytest.mark.parametrize(
    ("dtype", "leaf"),
    [
        ("int64", "uint64"),
        ("int32", "uint32"),
        ("int64", "uint8"),
        ("uint64", "int64"),
        ("uint32", "int8"),
        ("timestamp[s]", "uint64"),
    ],
)
def test_leaves_do_not_change_their_sign(dtype, leaf):
    spec = st.TensorSpec([1], dtype)
    tree = st.TreeValue(spec, [np.array([1], leaf)])
    with pytest.raises(TypeError, match=f"expected elements of {re.escape(dtype)}, found {leaf}"):
        tree.to_value()
    same = "uint64" if dtype.startswith("u") else "int64"
    assert st.TreeValue(st.TensorSpec([1], same), [np.array([1], same[:-2] + "8")]).to_value().to_py() == [1]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_torch_takes_apart_and_puts_together(value):
    torch = need("torch")
    from torch.utils import _pytree

    leaves, structure = _pytree.tree_flatten(value)
    assert all(isinstance(leaf, (torch.Tensor, np.ndarray)) for leaf in leaves)
    back = _pytree.tree_unflatten(leaves, structure)
    assert back.equals(value) and back.spec == value.spec
    before = value.to_py()
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            leaf.zero_()
    assert value.to_py() == before


def test_torch_maps_and_traces():
    torch = need("torch")
    from torch.utils import _pytree

    assert _pytree.tree_map(lambda leaf: leaf * 2, st.constant([1.5, 2.0])).to_py() == [3, 4]
    squares = torch.func.vmap(lambda tree: tree.flat_values**2)(st.constant(np.array([[1.0, 2.0], [3.0, 4.0]])))
    assert squares.tolist() == [[1, 4], [9, 16]]
