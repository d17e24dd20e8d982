"""Rows of extension types, and the boxes in which values are batched."""

import pickle
from typing import Mapping, Tuple

import numpy as np
import pandas
import pyarrow as pa
import pytest
from shared_extension_types import Masked, Named, Node, Scalar

import structtensor as st
from structtensor import _tree, nest


def test_rows_of_types_with_a_shape():
    masked = Masked([1, 2, 3], [True, False, True])
    assert masked[1] == Masked(2, False) and masked[-1:] == Masked([3], [True])
    assert [row.values.item() for row in masked] == [1, 2, 3]
    assert st.stack([masked, masked]).shape == (2, 3)
    assert st.concat([masked, masked[:1]]).values.to_py() == [1, 2, 3, 1]
    assert st.gather(masked, [2, 2]) == Masked([3, 3], [True, True])
    assert st.boolean_mask(masked, masked.mask) == Masked([1, 3], [True, True])
    assert st.expand_dims(masked, 0).shape == (1, 3)
    assert st.reverse(masked, 0).values.to_py() == [3, 2, 1]
    assert st.tile(masked, [2]).shape == (6,)
    with pytest.raises(IndexError):
        masked[3]


def test_values_are_iterated_by_their_rows():
    masked = Masked([1, 2, 3], [True, False, True])
    assert len(masked) == 3 and list(masked) == [masked[0], masked[1], masked[2]]
    assert len(masked[:0]) == 0 and list(masked[:0]) == []
    assert [len(row) for row in st.stack([masked, masked])] == [3, 3]
    one, two = (Scalar(i, st.constant({"a": i})) for i in (1, 2))
    both = st.stack([one, two])
    assert len(both) == 2 and list(both) == [one, two] and list(reversed(both)) == [two, one]
    for whole in (Node([1, 2]), masked[0], one):
        for wrong in (len, iter):
            with pytest.raises(TypeError, match=f"^{type(whole).__name__}: the value has no axes, and so no rows$"):
                wrong(whole)
        assert whole  # a value is true, as it was before it had a length
    assert masked and masked[:0]


def test_specs_of_boxes():
    boxes = st.BoxedTensor([st.constant([i, i]) for i in range(6)], (2, 3))
    element = st.TensorSpec((2,), "int64")
    for shape in (None, (2, 3), (None, 3), (None, None)):
        assert st.BoxedTensorSpec(shape, element).is_compatible_with(boxes)
        assert not st.BoxedTensorSpec(shape, st.TensorSpec((2,), "int32")).is_compatible_with(boxes)
    for shape in ((), (2,), (3, 2), (None, 2), (2, 3, 1)):
        assert not st.BoxedTensorSpec(shape, element).is_compatible_with(boxes)


def test_what_a_type_refuses_is_kept_as_rows():
    masked = Masked([1, 2, 3], [True, False, True])
    rows = st.StructuredTensor.from_fields({"m": masked}).partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    grouped = rows["m"]
    assert isinstance(grouped, st.ExtensionRows) and grouped.shape == (2, None)
    assert [grouped[i] for i in range(2)] == [masked[:2], masked[2:]]
    assert grouped.spec.element.value_type is Masked and grouped.components[0].to_py() == [[1, 2], [3]]
    assert repr(grouped).startswith("ExtensionRows([[[1,true],[2,false]],[[3,true]]], shape=(2, None), element=Masked.Spec(")
    assert pickle.loads(pickle.dumps(grouped)) == grouped and pickle.loads(pickle.dumps(grouped.spec)) == grouped.spec
    assert grouped != st.concat([grouped, grouped])
    assert rows.merge_dims(0, 1)["m"] == masked


def test_types_without_a_shape_are_stacked_whole():
    nodes = [Node([1, 2]), Node([3])]
    rows = st.stack(nodes)
    assert isinstance(rows, st.ExtensionRows) and [rows[0], rows[1]] == nodes
    table = st.StructuredTensor.from_fields({"id": [1, 2], "node": rows})
    assert [row["node"] for row in table] == nodes
    assert st.reverse(table, 0)[0]["node"] == nodes[1]
    assert table.with_updates({"other": rows})["other"] == rows
    assert st.StructuredTensor.from_fields({"node": nodes})["node"] == rows
    nested = st.constant([[nodes[0]], [nodes[1]]])
    assert nested.shape == (2, 1) and nested[1][0] == nodes[1]
    assert st.constant({"node": nodes[0]})["node"] == nodes[0]
    assert nodes[0].spec.batch(2).is_compatible_with(st.stack([nodes[0], nodes[0]]))
    with pytest.raises((IndexError, TypeError, ValueError)):
        nodes[0][0]


def test_fields_of_structs_of_any_rank():
    masked = Masked(np.arange(6).reshape(3, 2), np.ones((3, 2), bool))
    assert st.StructuredTensor.from_fields({"m": masked}, rank=2)["m"] == masked
    assert st.StructuredTensor.from_fields({"m": masked}, rank=0)["m"] == masked
    scalar = st.StructuredTensor.from_fields({"m": masked[0][0], "n": Node(1)}, rank=0)
    assert scalar["m"] == masked[0, 0] and scalar["n"] == Node(1)
    grouped = st.StructuredTensor.from_fields({"m": masked}).partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    rows = grouped["m"]
    assert st.StructuredTensor.from_fields({"m": rows}, rank=2)["m"] == rows
    updated = grouped.with_updates({"copy": rows})
    assert updated["copy"] == rows and updated.merge_dims(0, 1)["copy"] == masked
    with pytest.raises(ValueError, match="axis 1"):
        grouped.with_updates({"other": st.reverse(grouped, 0)["m"]})
    nodes = st.StructuredTensor.from_fields({"n": [Node([1]), Node([2, 3]), Node([4])]})
    nodes = nodes.partition_outer_dimension(st.RowPartition.from_row_lengths([1, 2]))
    assert nodes.with_updates({"copy": nodes["n"]})[1]["copy"][1] == nodes[1]["n"][1]


class Pair(st.ExtensionType):
    both: Tuple[st.Tensor, st.RaggedTensor]
    inner: Masked
    name: str = "x"
    shape = property(lambda self: self.both[0].shape)


def test_fields_are_structs_in_other_libraries():
    masked = Masked([1, 2, 3], [True, False, True])
    rows = st.StructuredTensor.from_fields({"id": [7, 8, 9], "m": masked})
    plain = st.StructuredTensor.from_fields(
        {"id": [7, 8, 9], "m": st.StructuredTensor.from_fields({"values": masked.values, "mask": masked.mask})}
    )
    assert pa.table(rows).equals(pa.table(plain))
    assert st.from_arrow(pa.table(rows)).equals(plain)
    pandas.testing.assert_frame_equal(rows.to_pandas(), plain.to_pandas())
    assert rows.to_awkward().to_list() == plain.to_py()
    grouped = st.partition_outer_dimension(rows, st.RowPartition.from_row_splits([0, 1, 1, 3]))
    assert pa.array(grouped).to_pylist() == st.partition_outer_dimension(plain, grouped.row_partitions[0]).to_py()
    pandas.testing.assert_index_equal(grouped.to_pandas().index, pandas.MultiIndex.from_tuples([(0, 0), (2, 0), (2, 1)]))
    assert np.shares_memory(
        pa.table(rows)["m"].chunk(0).field("values").to_numpy(), masked.values.to_numpy()
    )  # nothing is copied
    pairs = st.StructuredTensor.from_fields({"p": Pair((st.constant([1, 2]), st.constant([[1], [2, 3]])), masked[:2])})
    assert pa.table(pairs).to_pylist() == [
        {"p": {"both_0": 1, "both_1": [1], "inner": {"values": 1, "mask": True}}},
        {"p": {"both_0": 2, "both_1": [2, 3], "inner": {"values": 2, "mask": False}}},
    ]
    leaves = _tree._leaves(rows, _tree._array_of)
    assert [leaf.tolist() for leaf in leaves] == [[7, 8, 9], [1, 2, 3], [True, False, True]]
    back = _tree._value_of(rows.spec, leaves)
    assert back.equals(rows) and isinstance(back["m"], Masked)
    with pytest.raises(TypeError, match="only in structs of rank 1"):
        _tree._leaves(grouped, _tree._array_of)


def test_what_other_libraries_have_not():
    rows = st.StructuredTensor.from_fields({"m": Masked([1, 2], [True, True]), "n": [Node([1]), Node([2, 3])]})
    assert "Masked" in rows._repr_html_() and "rows of Node" in rows._repr_html_()
    for function in (rows.to_pandas, rows.to_awkward, lambda: pa.table(rows)):
        with pytest.raises(TypeError, match=r"no column for .*ExtensionRows.* without\(\)"):
            function()


def test_batchable_types_get_their_axes_by_stacking():
    scalar = Scalar(1, st.constant({"a": 2}))
    assert scalar.shape == ()
    batch = st.stack([scalar, Scalar(3, st.constant({"a": 4}))])
    assert isinstance(batch, Scalar) and batch.shape == (2,) and batch.value.to_py() == [1, 3]
    assert batch[1].structs.to_py() == {"a": 4} and batch[1].shape == ()
    assert st.StructuredTensor.from_fields({"s": batch})["s"] == batch


def test_extension_types_inside_of_extension_types():
    class Outer(st.ExtensionType):
        first: Masked
        rest: Mapping[str, Masked]
        shape = property(lambda self: self.first.shape)

    outer = Outer(Masked([1, 2], [True, True]), {"b": Masked([3, 4], [True, False]), "a": Masked([5, 6], [False, False])})
    assert outer[1].rest["b"] == Masked(4, False)
    assert st.stack([outer, outer]).rest["a"].values.to_py() == [[5, 6], [5, 6]]
    assert [tensor.to_py() for tensor in nest.flatten(outer, expand_composites=True)][::2] == [[1, 2], [5, 6], [3, 4]]
    with pytest.raises(TypeError, match=r"rest\['a'\]: expected 'Masked'"):
        Outer(outer.first, {"a": 5})


def test_equality():
    masked = Masked([1, 2], [True, False])
    assert masked == Masked([1, 2], [True, False]) and masked != Masked([1, 3], [True, False])
    assert masked != Named([1, 2], [True, False]) and masked != 5 and not masked.equals(None)
    assert not (masked == Masked([1.0, 2.0], [True, False]))
    values = (masked, Masked([1, 2], [True, False]), Masked([1, 3], [True, False]))
    rows = [st.StructuredTensor.from_fields({"m": value}) for value in values]
    assert rows[0] == rows[1] and rows[0] != rows[2]


# --- Boxes


def test_boxes_of_any_spec():
    for value in (st.constant([1, 2, 3]), st.ragged.constant([[1], [], [2, 3]]), st.constant([{"a": 1}]), Masked([1], [True])):
        spec = value.spec
        boxes = [spec.to_boxed_tensor(value)] * 2
        assert spec.boxed_tensor_spec().is_compatible_with(boxes[0])
        assert spec.stacked(2).from_boxed_tensor(st.stack(boxes)).equals(st.stack([value, value]))
        rows = st.unstack(spec.to_boxed_tensor(value, minimum_rank=1))
        assert all(spec.unstacked().from_boxed_tensor(a).equals(b) for a, b in zip(rows, st.unstack(value), strict=True))
        both = st.concat([spec.to_boxed_tensor(value, 1), spec.to_boxed_tensor(value, 1)])
        assert spec.unstacked().stacked(None).from_boxed_tensor(both).equals(st.concat([value, value]))
    spec = st.TensorSpec([2], "int64")
    for wrong in (lambda: spec.to_boxed_tensor(st.constant([1])), lambda: spec.to_boxed_tensor(st.constant([1, 2]), 2)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        spec.from_boxed_tensor(st.constant([1, 2]))
    with pytest.raises(ValueError):
        st.BoxedTensor([1, 2], (3,))
    with pytest.raises(ValueError):
        st.stack([st.BoxedTensor([st.constant(1)], ()), st.BoxedTensor([st.constant(1)], (1,))])
    with pytest.raises(ValueError):
        st.unstack(st.BoxedTensor([st.constant(1)], ()))


def test_what_boxes_cannot_be():
    def make(**methods):
        return type("Boxed", (st.ExtensionType,), {"__annotations__": {"v": st.Tensor}, "Spec": type("Spec", (), methods)})([1])

    for wrong in (7, "text", st.constant(1), int):
        value = make(castable_type=lambda self, spec, wrong=wrong: wrong)
        with pytest.raises(TypeError, match=r"Boxed.Spec.castable_type\(\) returned .*; expected a spec or None"):
            st.stack([value, value])
        with pytest.raises(TypeError, match=r"Boxed.Spec.castable_type\(\) returned"):
            st.concat([value, value])
    for wrong in (None, 7, [], [None], "text", {}):
        value = make(to_boxed_tensor=lambda self, value, minimum_rank=0, wrong=wrong: wrong)
        for function in (lambda value: st.stack([value, value]), lambda value: st.concat([value]), st.unstack):
            with pytest.raises(TypeError, match=r"Boxed.Spec.to_boxed_tensor\(\) returned .*; expected a Tensor or a list of"):
                function(value)
