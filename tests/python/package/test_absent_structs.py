"""What is below an absent struct is absent, in every operation, whatever the columns have stored there.

The structs are random, from a seed. They come from Arrow arrays that have values, lists and structs below absent structs. The
oracle walks the lists and dicts that pyarrow makes of the same arrays.
"""

import operator
import pickle
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import structtensor as st

FIXED_SIZE = 2
SEEDS = range(150)


class RandomStructs:
    """A random Arrow struct type with fields of all shapes, and arrays of it."""

    def __init__(self, dice, depth=0):
        self.dice = dice
        kinds = ["number", "text", "numbers", "pair"]
        if depth < 3:
            kinds += ["struct", "struct", "structs", "struct_pair"]
        self.fields = {}
        for i in range(dice.randrange(1, 4)):
            kind = dice.choice(kinds)
            inner = RandomStructs(dice, depth + 1) if kind.startswith("struct") else None
            self.fields[f"{kind}_{i}"] = (kind, inner, dice.random() < 0.5)

    def _elements(self, size, nullable):
        values = [self.dice.randrange(4) for _ in range(size)]
        return pa.array([None if nullable and self.dice.random() < 0.3 else value for value in values], pa.int64())

    def _lists(self, size, elements):
        offsets = [0]
        for _ in range(size):
            offsets.append(offsets[-1] + self.dice.randrange(3))
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), elements(offsets[-1]))

    def array(self, size, nullable):
        """Returns an array of `size` structs. Its children have values of their own below every absent struct."""
        children, fields = [], []
        for name, (kind, inner, optional) in self.fields.items():
            if kind == "number":
                child = self._elements(size, optional)
            elif kind == "text":
                child = self._elements(size, optional).cast(pa.string())
            elif kind == "numbers":
                child = self._lists(size, lambda count, optional=optional: self._elements(count, optional))
            elif kind == "pair":
                child = pa.FixedSizeListArray.from_arrays(self._elements(size * FIXED_SIZE, optional), FIXED_SIZE)
            elif kind == "struct":
                child = inner.array(size, optional)
            elif kind == "structs":
                child = self._lists(size, lambda count, inner=inner, optional=optional: inner.array(count, optional))
            else:
                child = pa.FixedSizeListArray.from_arrays(inner.array(size * FIXED_SIZE, optional), FIXED_SIZE)
            children.append(child)
            # Columns that cannot be null, inside of a struct that can be, have something for its absent rows.
            fields.append(pa.field(name, child.type, nullable=optional or kind not in ("number", "text", "struct")))
        mask = pa.array([self.dice.random() < 0.4 for _ in range(size)], pa.bool_()) if nullable else None
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)

    def paths(self):
        """Returns the paths of all fields, as tuples of names."""
        found = []
        for name, (_, inner, _) in self.fields.items():
            found.append((name,))
            if inner is not None:
                found += [(name, *rest) for rest in inner.paths()]
        return found


def field_of(arrow_type, value, path):
    """Returns the field of a value from pyarrow.

    The elements of absent lists of one size are absent. Other absent lists are empty.
    """
    if pa.types.is_large_list(arrow_type):
        return [] if value is None else [field_of(arrow_type.value_type, item, path) for item in value]
    if pa.types.is_fixed_size_list(arrow_type):
        items = [None] * FIXED_SIZE if value is None else value
        return [field_of(arrow_type.value_type, item, path) for item in items]
    if not path:
        if value is None or not pa.types.is_struct(arrow_type):
            return value
        return {field.name: field_of(field.type, value[field.name], ()) for field in arrow_type}
    child = arrow_type.field(path[0])
    return field_of(child.type, None if value is None else value[path[0]], path[1:])


def broadcast_of(arrow_type, value, path, copied, hidden):
    """Returns `copied` for each present struct at `path`, and `hidden` for each absent one."""
    if pa.types.is_large_list(arrow_type):
        return [] if value is None else [broadcast_of(arrow_type.value_type, item, path, copied, hidden) for item in value]
    if pa.types.is_fixed_size_list(arrow_type):
        items = [None] * FIXED_SIZE if value is None else value
        return [broadcast_of(arrow_type.value_type, item, path, copied, hidden) for item in items]
    if not path:
        return hidden if value is None else copied
    child = arrow_type.field(path[0])
    return broadcast_of(child.type, None if value is None else value[path[0]], path[1:], copied, hidden)


def type_of(arrow_type, path):
    while pa.types.is_large_list(arrow_type) or pa.types.is_fixed_size_list(arrow_type):
        arrow_type = arrow_type.value_type
    return type_of(arrow_type.field(path[0]).type, path[1:]) if path else arrow_type


def axes_of(arrow_type, path):
    """Returns how many lists there are on the path."""
    axes = 0
    while pa.types.is_large_list(arrow_type) or pa.types.is_fixed_size_list(arrow_type):
        axes += 1
        arrow_type = arrow_type.value_type
    return axes + (axes_of(arrow_type.field(path[0]).type, path[1:]) if path else 0)


def flatten(value, axes):
    return value if axes == 0 else [leaf for item in value for leaf in flatten(item, axes - 1)]


def text_of(path):
    return ".".join(path)


def check_operations(dice, rows, arrow_type, values, path):
    """Compares operations on the field at `path` with the same on pyarrow's values."""

    def at(*names):
        return [field_of(arrow_type, value, names) for value in values]

    field, expected = rows.field_value(text_of(path)), at(*path)
    assert field.to_py() == expected, "select"
    axes = axes_of(arrow_type, path)
    leaf = type_of(arrow_type, path)
    flat = flatten(expected, axes)

    by_names = rows
    for name in path:
        by_names = by_names[..., name]
    assert by_names.to_py() == expected, "index by names"
    if values:
        row = dice.randrange(len(values))
        assert rows[row].field_value(text_of(path)).to_py() == expected[row], "select in one row"

    copy = (*path[:-1], "copy")
    copied = rows.apply([text_of(path)], text_of(copy), lambda value: value)
    assert copied.field_value(text_of(copy)).to_py() == expected, "apply"
    updated = rows.with_updates({text_of(path): lambda value: value})
    assert updated.to_py() == rows.to_py(), "with_updates"
    assert updated == rows, "with_updates"

    if pa.types.is_struct(leaf):
        source = dice.choice(rows.field_names())
        source_type = arrow_type.field(source).type
        broadcast = rows.broadcast(source, text_of((*path, "from")))
        hidden = field_of(source_type, None, ())
        assert broadcast.field_value(text_of((*path, "from"))).to_py() == [
            broadcast_of(arrow_type, value, path, field_of(source_type, value[source], ()), hidden) for value in values
        ], "broadcast"
        assert pickle.loads(pickle.dumps(broadcast)) == broadcast, "broadcast"
        again = st.from_arrow(pa.table(broadcast))
        assert broadcast.reroot(text_of((*path,)))["from"].to_py() == again.reroot(text_of(path))["from"].to_py(), "broadcast"
        assert rows.reroot(text_of(path)).to_py() == flat, "reroot"
        for name in leaf.names:
            inside = [None if item is None else item[name] for item in flat]
            if not (pa.types.is_large_list(leaf.field(name).type) or pa.types.is_fixed_size_list(leaf.field(name).type)):
                assert rows.reroot(text_of(path))[name].to_py() == inside, "a field of reroot"
    elif pa.types.is_int64(leaf):
        assert st.reduce_sum(field, axis=list(range(axes + 1))).to_py() == sum(item for item in flat if item is not None), "sum"
        if axes == 0:
            kept = [value for value, item in zip(at(), expected) if item == 1]
            assert rows[field == 1].to_py() == kept, "mask"
            assert rows.apply([text_of(path)], "mask", lambda value: value == 1).filter("", "mask").field_value(
                text_of(path)
            ).to_py() == [1] * len(kept), "filter"
    if axes == 0:
        has = rows.has(text_of(path), "has").field_value(text_of((*path[:-1], "has"))).to_py()
        parents = at(*path[:-1])
        around = [None if len(path) > 1 and parent is None else item is not None for parent, item in zip(parents, expected)]
        assert has == around, "has"
        if len(path) > 1:
            up = text_of((*path[:-2], "up"))
            assert rows.promote(text_of(path), up).field_value(up).to_py() == expected, "promote"


def random_rows(seed):
    dice = random.Random(seed)
    structs = RandomStructs(dice)
    array = structs.array(dice.choice([0, 1, 2, 7, 40]), False)
    return dice, structs, array


@pytest.mark.parametrize("seed", SEEDS)
def test_operations(seed):
    dice, structs, array = random_rows(seed)
    values = array.to_pylist()
    rows = st.from_arrow(pa.RecordBatch.from_struct_array(array))
    assert rows.to_py() == [field_of(array.type, value, ()) for value in values]
    for path in structs.paths():
        check_operations(dice, rows, array.type, values, path)


@pytest.mark.parametrize("seed", SEEDS)
def test_equal_to_the_same_without_hidden_values(seed, tmp_path):
    _, _, array = random_rows(seed)
    rows = st.from_arrow(pa.RecordBatch.from_struct_array(array))
    # pyarrow makes empty lists and zeros for what is absent in these.
    compact = st.from_arrow(pa.RecordBatch.from_struct_array(pa.array(array.to_pylist(), array.type)))
    assert rows.equals(compact)
    assert compact == rows
    again = pickle.loads(pickle.dumps(rows))
    assert again == rows
    assert again.spec == rows.spec
    for i in range(min(rows.nrows, 3)):
        assert rows[i] == compact[i]
        assert pickle.loads(pickle.dumps(rows[i])) == rows[i]
        assert pickle.loads(pickle.dumps(rows[i])).spec == rows[i].spec
        assert st.stack([rows[i], rows[i]])[1] == rows[i]


def test_parquet_with_a_required_field_in_an_optional_struct(tmp_path):
    required = pa.struct([pa.field("x", pa.int64(), nullable=False)])
    pq.write_table(pa.table({"s": pa.array([None, {"x": 8}], required)}), tmp_path / "s.parquet")
    assert st.from_parquet(tmp_path / "s.parquet")["s", "x"].to_py() == [None, 8]


def test_json_and_constants():
    for rows in (
        st.from_json('{"s":{"x":1}}\n{"s":null}\n{}'),
        st.constant(
            [{"s": {"x": 1}}, {"s": None}, {"s": None}],
            spec=st.StructuredTensorSpec(
                [3], {"s": st.StructuredTensorSpec([3], {"x": st.TensorSpec([3], "int64")}, nullable=True)}
            ),
        ),
    ):
        assert rows["s", "x"].to_py() == [1, None, None]
        assert st.reduce_mean(rows["s", "x"]).to_py() == 1.0
        assert operator.eq(rows["s", "x"], 0).to_py() == [False, None, None]
        assert rows[rows["s", "x"] == 0].nrows == 0


def test_where_with_an_absent_condition_takes_the_second_value():
    condition = st.constant([True, None, False], spec=st.TensorSpec([3], "bool", nullable=True))
    assert st.where(condition, [1, 2, 3], [4, 5, 6]).to_py() == [1, 5, 6]
    x, y = [{"a": 1}, {"a": 2}, {"a": 3}], [{"a": 4}, {"a": 5}, {"a": 6}]
    assert st.where(condition, x, y).to_py() == [{"a": 1}, {"a": 5}, {"a": 6}]


def test_lists_that_are_broadcast_into_absent_structs_are_not_there():
    rows = st.from_json(
        '{"items":[{"q":1},{"q":2}],"m":[true,false],"s":{"x":1}}\n'
        '{"items":[{"q":3}],"m":[true],"s":null}\n'
        '{"items":[{"q":4},{"q":5}],"m":[false,true],"s":{"x":2}}'
    )
    inner = rows.broadcast("items", "s.t").broadcast("m", "s.keep")
    assert inner.reroot("s.t")["q"].to_py() == [1, 2, 4, 5]
    assert inner.filter("s.t", "s.keep").field_value("s.t.q").to_py() == [[1], [], [5]]
    large = inner.map_values("s.t.q", "large", lambda q: q > 1)
    assert large.filter("s.t", "s.t.large").field_value("s.t.q").to_py() == [[2], [], [4, 5]]
    assert pickle.loads(pickle.dumps(inner)) == inner
