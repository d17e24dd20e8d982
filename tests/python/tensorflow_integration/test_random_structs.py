"""Random structs go into TensorFlow and back, and what is done with them gives the same as in the package.

A failure names its seed: RandomStructs(seed) makes the same value again. Each test ends after some seconds, however slow the
machine is.
"""

import contextlib
import functools
import itertools
import pickle
import time

import numpy as np
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from plain_values import as_bytes, plain
from random_structs import NUMBERS, RandomStructs, inner_structs, leaves

OURS = structtensor.tf.StructuredTensor
# What either side raises for keys, axes and paths that a value does not have.
REFUSED = (ValueError, KeyError, IndexError, TypeError, tf.errors.InvalidArgumentError)


def seeds(seconds, most=400):
    """The ranks of the values come one after the other: seed 0 is a scalar struct, seed 4 has four axes."""
    end = time.monotonic() + seconds
    return itertools.takewhile(lambda _: time.monotonic() < end, range(most))


@contextlib.contextmanager
def about(seed, what):
    try:
        yield
    except Exception as problem:
        raise AssertionError(f"seed {seed}, {what}: {type(problem).__name__}: {problem}") from problem


def result_of(function, *arguments):
    """What the function returns, as lists, or that it refuses its arguments."""
    try:
        return plain(function(*arguments))
    except REFUSED as problem:
        return f"refused ({type(problem).__name__})"


def same(found, expected):
    """Whether both are equal, where any refusal is like any other one."""
    refused = [isinstance(each, str) and each.startswith("refused") for each in (found, expected)]
    return all(refused) if any(refused) else repr(found) == repr(expected)


def check_columns(ours, value, path=()):
    """Columns have the package's dense axes and row partitions, below row splits that are the package's."""
    assert [splits.numpy().tolist() for splits in ours.row_splits] == [p.row_splits.to_py() for p in value.row_partitions], path
    assert ours.field_names() == tuple(value.field_names()), path
    flat = st.merge_dims(value, 0, -1)
    for name in value.field_names():
        column, field = ours.fields[name], flat[(name,)]
        if isinstance(field, st.StructuredTensor):
            check_columns(column, field, (*path, name))
            continue
        dense = field.flat_values if isinstance(field, st.RaggedTensor) else field
        found = column.flat_values if isinstance(column, tf.RaggedTensor) else column
        assert found.shape == list(dense.shape), (*path, name)
        ragged_rank = column.ragged_rank if isinstance(column, tf.RaggedTensor) else 0
        assert ragged_rank == len(field.shape) - len(dense.shape), (*path, name)


def into_tensorflow(value):
    ours = OURS.from_structtensor(value)
    assert ours.rank == len(value.spec.shape) and plain(ours) == as_bytes(value.to_py())
    check_columns(ours if ours.rank > 0 else OURS((), ours.fields), value if ours.rank > 0 else st.stack([value]))
    return ours


# Other values that have the same elements. Some have uniform axes that they did not have before.
def ways(value):
    yield "pickle", lambda: pickle.loads(pickle.dumps(value))
    yield "stack", lambda: st.stack([value, value])
    for axis in range(len(value.spec.shape) + 1):
        yield f"expand_dims {axis}", lambda axis=axis: st.expand_dims(value, axis)
    for path in inner_structs(value):
        if path:
            yield f"field {path}", lambda path=path: value[path]
    if len(value.spec.shape) > 0:
        yield "tile", lambda: st.tile(value, [2] * len(value.spec.shape))
        yield "no rows", lambda: value[:0]
        yield "with_shape_dtype", lambda: st.with_shape_dtype(value, "int32")
        if value.nrows > 0:
            yield "row", lambda: value[-1]
            yield "rows", lambda: value[1:]


def test_conversions():
    for seed in seeds(3):
        value, lists = RandomStructs(seed).of_rank(seed % 5)
        with about(seed, value.spec):
            assert as_bytes(value.to_py()) == as_bytes(lists)
            ours = into_tensorflow(value)
            back = ours.to_structtensor()
            check_columns(ours if ours.rank > 0 else OURS((), ours.fields), back if ours.rank > 0 else st.stack([back]))
            for path in leaves(value):
                assert plain(ours[path]) == plain(value[path]), path
            assert plain(OURS.from_py(lists, value.spec.with_unknown_sizes())) == as_bytes(lists)
            if ours.field_names():
                assert same(plain(OURS.from_fields(ours.to_dict(), ours.rank)), as_bytes(lists))
        for name, change in ways(value):
            with about(seed, f"{name} of {value.spec}"):
                into_tensorflow(change())


def with_absent(spec, structs, values):
    """The spec of the same values, in which structs, or the elements of columns (`values`), may be absent."""
    if isinstance(spec, st.StructuredTensorSpec):
        fields = {name: with_absent(field, structs, values) for name, field in spec.fields.items()}
        return st.StructuredTensorSpec(list(spec.shape), fields, nullable=structs)
    if isinstance(spec, st.RaggedTensorSpec):
        return st.RaggedTensorSpec(list(spec.shape), spec.dtype, spec.ragged_rank, nullable=values)
    return st.TensorSpec(list(spec.shape), spec.dtype, nullable=values)


def some_absent(dice, rows, structs, values, chance):
    if isinstance(rows, list):
        return [some_absent(dice, row, structs, values, chance) for row in rows]
    if (structs if isinstance(rows, dict) else values) and dice.random() < chance:
        return None
    if isinstance(rows, dict):
        return {name: some_absent(dice, field, structs, values, chance) for name, field in rows.items()}
    return rows


def has_absent(rows):
    if isinstance(rows, (list, dict)):
        return any(map(has_absent, rows.values() if isinstance(rows, dict) else rows))
    return rows is None


def test_absent_elements_and_structs_are_errors():
    """Tensors have no place for them. A type that allows them is accepted as long as none is absent."""
    outcomes = set()
    for seed in seeds(2):
        random_structs = RandomStructs(seed)
        value, lists = random_structs.of_rank(1 + seed % 4)
        structs, values = [(True, False), (False, True), (True, True)][seed % 3]
        with about(seed, value.spec):
            rows = some_absent(random_structs.dice, lists, structs, values, random_structs.dice.choice([0, 0.05, 0.3]))
            absent = st.constant(rows, spec=with_absent(value.spec, structs, values))
            assert as_bytes(absent.to_py()) == as_bytes(rows)
            outcomes.add(has_absent(rows))
            if has_absent(rows):
                with pytest.raises(ValueError, match="(structs|elements) are absent"):
                    OURS.from_structtensor(absent)
            else:
                into_tensorflow(absent)
    assert outcomes == {False, True}


# --- Keys


def random_key(dice, structs):
    """Pieces for some axes, names on the way to a column or to inner structs, and pieces for the axes there."""

    def number():
        return dice.choice([0, 0, 1, 2, -1, -2])

    def piece():
        kind = dice.choice(["all", "slice", "slice", "integer", "none"])
        if kind == "integer":
            return number()
        if kind == "none":
            return None
        bounds = [None if kind == "all" or dice.random() < 0.5 else number() for _ in range(2)]
        return slice(*bounds, None if kind == "all" else dice.choice([None, None, 1, 2, -1, -2]))

    keys, axes = [], len(structs.shape)
    if axes > 0 and dice.random() < 0.15:
        keys.append([dice.choice([0, -1]) for _ in range(dice.choice([1, 2]))] if structs.nrows else [])
        axes -= 1
    while True:
        keys += [piece() for _ in range(dice.randrange(axes + 1))]
        if axes > 0 and dice.random() < 0.1:
            keys.append(Ellipsis)
        if not isinstance(structs, st.StructuredTensor) or not structs.field_names() or dice.random() < 0.3:
            return tuple(keys)
        name = dice.choice(structs.field_names())
        field = st.merge_dims(structs, 0, -1)[(name,)] if len(structs.shape) > 0 else structs[(name,)]
        structs, axes = field, len(field.shape) - (1 if len(structs.shape) > 0 else 0)
        keys.append(name)


def test_keys():
    for seed in seeds(4):
        random_structs = RandomStructs(seed, least=1)  # the package does not look where a struct without fields is
        value, _ = random_structs.of_rank(seed % 5)
        ours = OURS.from_structtensor(value)
        # A uniform axis has a length even without rows, and row splits have none. So the package refuses more integers.
        ragged = ours.to_structtensor()
        for _ in range(12):
            key = random_key(random_structs.dice, value)
            with about(seed, f"{key!r} of {value.spec}"):
                found, expected = result_of(lambda: ours[key]), result_of(lambda: value[key])
                assert same(found, expected) or same(found, result_of(lambda: ragged[key])), f"{found} instead of {expected}"


# --- Reductions


REDUCTIONS = ["reduce_sum", "reduce_prod", "reduce_mean", "reduce_min", "reduce_max"]


def without_extremes(value):
    """With one value for what the least of no elements is: TensorFlow has infinity for dense tensors, and the greatest finite
    number for ragged ones."""
    if isinstance(value, list):
        return [without_extremes(item) for item in value]
    return value if value != value or abs(value) < 1e300 else np.sign(value) * np.inf


def test_reductions():
    for seed in seeds(3):
        random_structs = RandomStructs(seed, dtypes=["float64"] if seed % 2 else NUMBERS, least=1)
        dice = random_structs.dice
        value, _ = random_structs.of_rank(1 + seed % 4)
        ours = OURS.from_structtensor(value)
        ragged = ours.to_structtensor()
        for _ in range(3):
            axes = dice.sample(range(ours.rank), dice.randrange(1, ours.rank + 1))
            axis, keepdims = dice.choice([axes, axes, axes[0], None]), dice.random() < 0.5
            # The mean of integers is an integer in TensorFlow.
            name = dice.choice(REDUCTIONS if seed % 2 else REDUCTIONS[:2])
            with about(seed, f"{name}, axis={axis}, keepdims={keepdims}, of {value.spec}"):
                reduced = getattr(tf, name)(ours, axis=axis, keepdims=keepdims)
                removed = ours.rank if axis is None else 1 if isinstance(axis, int) else len(axis)
                assert reduced.rank == (ours.rank if keepdims else ours.rank - removed)
                for path in leaves(value):
                    by_package = getattr(st.math, name)(ragged[path], axis=list(range(ours.rank)) if axis is None else axis,
                                                   keepdims=keepdims)  # fmt: skip
                    found, expected = without_extremes(plain(reduced[path])), without_extremes(plain(by_package))
                    assert repr(found) == repr(expected), f"{path}: {found} instead of {expected}"


# --- Functions of arrays and paths


def own_axes(value, path):
    """How many axes the field has below those of the structs that it is in."""
    structs = value[tuple(path[:-1])] if len(path) > 1 else value
    return len(structs[(path[-1],)].shape) - len(structs.shape)


def operations(dice, value):
    """(what it is, the same function of the package's value and of ours)."""
    rank = len(value.shape)
    axis = dice.randrange(-1, rank + 1)
    yield f"expand_dims {axis}", lambda value, of: of.expand_dims(value, axis)
    yield f"stack {axis}", lambda value, of: of.stack([value, value], axis)
    if rank > 0:
        inner = dice.randrange(rank)
        yield f"concat {inner}", lambda value, of: of.concat([value, value], inner)
        yield f"merge_dims {inner}", lambda value, of: value.merge_dims(0, inner)
        yield f"reverse {inner}", lambda value, of: (st if of is st else tf).reverse(value, [inner])
        multiples = [dice.choice([0, 1, 2]) for _ in range(rank)]
        yield f"tile {multiples}", lambda value, of: (st if of is st else tf).tile(value, multiples)
    every = list(inner_structs(value))
    fields = [(*path, name) for path in every for name in (value[path] if path else value).field_names()]
    if not fields:
        return
    path, other, struct = list(dice.choice(fields)), list(dice.choice(fields)), list(dice.choice(every))
    yield f"promote {path}", lambda value, of: value.promote(path, [*path[:-2], "new"])
    yield f"broadcast {path} {struct}", lambda value, of: value.broadcast(path, [*struct, "new"])
    yield f"reroot {struct}", lambda value, of: value.reroot(struct)
    yield f"with_only {path} {other}", lambda value, of: value.with_only([path, other])
    yield f"without {path}", lambda value, of: value.without([path])
    yield f"size_each {path}", lambda value, of: value.size_each(path, "new")
    yield f"has {path}", lambda value, of: value.has(path, "new")
    yield f"index_each {path}", lambda value, of: value.index_each(path, "new")
    yield f"slice_path {path}", lambda value, of: value.slice_path(path, -2, None)
    yield f"truncate {path}", lambda value, of: value.truncate(path, 1)
    # TensorFlow's row splits do not say whether rows of 0 or 1 booleans are optional booleans, so any such rows are a mask.
    if other[:-1] != struct or not own_axes(value, other):
        yield f"filter {struct} {other}", lambda value, of: value.filter(struct, other)
    yield "limit_depth 2", lambda value, of: value.limit_depth(2)
    yield f"with_updates {path}", lambda value, of: value.with_updates({tuple(path): None})
    yield f"apply {path}", lambda value, of: value.apply([path], [*path[:-1], "new"], lambda field: field)


def test_operations():
    for seed in seeds(4):
        random_structs = RandomStructs(seed, dtypes=["int64", "string", "bool"])
        value, _ = random_structs.of_rank(seed % 5)
        ours = OURS.from_structtensor(value)
        spec = tf.type_spec_from_value(ours)._with_rank(ours.rank)
        chosen = list(operations(random_structs.dice, value))
        for i, (what, operation) in enumerate(random_structs.dice.sample(chosen, min(6, len(chosen)))):
            with about(seed, f"{what} of {value.spec}"):
                of_ours = functools.partial(operation, of=structtensor.tf)
                found, expected = result_of(of_ours, ours), result_of(operation, value, st)
                assert same(found, expected), f"{found} instead of {expected}"
                if i == 0 and seed % 6 == 0:  # in a graph, sizes are not known, and tracing takes long
                    found = result_of(tf.function(of_ours, input_signature=[spec]), ours)
                    assert same(found, expected), f"in a graph, {found} instead of {expected}"


def test_datasets_and_functions():
    """The rows of structs of any shape are rows of datasets, and structs are arguments and results of functions."""
    for seed in seeds(3):
        value, lists = RandomStructs(seed).of_rank(seed % 5)
        lists = as_bytes(lists)
        with about(seed, value.spec):
            ours = OURS.from_structtensor(value)
            whole = tf.data.Dataset.from_tensors(ours)
            assert same([plain(each) for each in whole.repeat(3).batch(2)], [[lists, lists], [lists]])
            if ours.rank > 0:
                slices = tf.data.Dataset.from_tensor_slices(ours)
                pairs = [lists[i : i + 2] for i in range(0, len(lists), 2)]
                assert same([plain(row) for row in slices], lists)
                assert same([plain(rows) for rows in slices.batch(2)], pairs)
                assert same([plain(row) for row in whole.unbatch()], lists)
            if seed % 7 == 0:
                assert same(plain(tf.function(lambda structs: structs)(ours)), lists)
