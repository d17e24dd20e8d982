"""The answers of tf.experimental.StructuredTensor in tests/vectors/structured_tensor.jsonl, for the operations that both have.

Where TensorFlow has no answer, the file has one that was computed leaf by leaf. Errors are not compared: most are for what
TensorFlow lacks. tests/vectors/README.md describes the file.
"""

import collections
import json
import pathlib

import numpy as np
import pytest
import structtensor.tf
import tensorflow as tf
from plain_values import as_bytes, plain

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "vectors" / "structured_tensor.jsonl"
OURS = structtensor.tf.StructuredTensor

FUNCTIONS = {
    "add1": lambda field: field + 1,
    "identity": lambda field: field,
    "double": lambda field: field * 2,
    "to_int64": lambda field: tf.cast(field, tf.int64),
    "first_row": lambda field: field[:1],
    "reduce_last": lambda field: tf.reduce_sum(field, axis=-1),
    "expand_last": lambda field: tf.expand_dims(field, -1),
    "strlen": tf.strings.length,
    "none": lambda field: None,
    "drop_nested_x": lambda field: field.without("x"),
}


def decoded(encoded):
    """The value that a part of a case is."""
    if isinstance(encoded, list):
        return [decoded(each) for each in encoded]
    if not isinstance(encoded, dict):
        return encoded
    kind = next((name for name in encoded if name.startswith("$")), None)
    return KINDS[kind](encoded) if kind else {name: decoded(each) for name, each in encoded.items()}


def partition(encoded):
    numbers = {name: tf.constant(each, tf.int64) for name, each in encoded["$rp"].items() if name not in ("kind", "dtype")}
    return getattr(tf.experimental.RowPartition, f"from_{encoded['$rp']['kind']}")(**numbers)


def ragged(encoded):
    options = {name: encoded.get(name) for name in ("dtype", "ragged_rank", "inner_shape")}
    return tf.ragged.constant(decoded(encoded["$ragged"]), row_splits_dtype=tf.int64, **options)


def from_fields(arguments):
    arguments = {"shape": [], **decoded(arguments)}
    if isinstance(arguments["shape"], dict):
        arguments["shape"] = arguments["shape"]["$shape"]
    return OURS.from_fields(**arguments)


KINDS = {
    "$st": lambda encoded: OURS.from_py(decoded(encoded["$st"])),
    "$stf": lambda encoded: from_fields(encoded["$stf"]),
    "$tensor": lambda encoded: tf.constant(decoded(encoded["$tensor"]), encoded.get("dtype"), encoded.get("shape")),
    "$ragged": ragged,
    "$rp": partition,
    "$slice": lambda encoded: slice(*map(decoded, encoded["$slice"])),
    "$newaxis": lambda encoded: None,
    "$ellipsis": lambda encoded: Ellipsis,
    "$tuple": lambda encoded: tuple(decoded(encoded["$tuple"])),
    "$fn": lambda encoded: FUNCTIONS[encoded["$fn"]],
    "$bytes": lambda encoded: bytes.fromhex(encoded["$bytes"]),
    "$float": lambda encoded: float(encoded["$float"]),
    "$npint": lambda encoded: np.int64(encoded["$npint"]),
}


def names(path):
    return (path,) if isinstance(path, str) else tuple(path)


OPERATIONS = {
    "from_pyval": lambda value: value,
    "from_fields_and_rank": lambda value, fields, rank: OURS.from_fields(fields, rank),
    "nrows": lambda value: value.nrows(),
    "getitem": lambda value, key: value[key],
    "field_value": lambda value, path: value.field_value(list(names(path))),
    "promote": lambda value, source_path, new_name: value.promote(source_path, (*names(source_path)[:-2], new_name)),
    "broadcast": lambda value, source_path, target_path, new_name: value.broadcast(
        source_path, (*names(target_path), new_name)
    ),
    "with_updates": lambda value, updates: value.with_updates({names(path): change for path, change in updates}),
    "with_only": lambda value, names: value.with_only(names),
    "without": lambda value, names: value.without(names),
    "partition_outer_dimension": lambda value, row_partition: value.partition_outer_dimension(row_partition),
    "merge_dims": lambda value, outer_axis, inner_axis: value.merge_dims(outer_axis, inner_axis),
    "concat": tf.concat,
    "stack": tf.stack,
    "expand_dims": tf.expand_dims,
    "gather": tf.gather,
    "gather_nd": tf.gather_nd,
    "boolean_mask": tf.boolean_mask,
    "where": lambda values, cond: tf.where(cond, *values),
    "slice": lambda value, begin, size: tf.slice(value, begin, size),
    "squeeze": tf.squeeze,
    "unstack": tf.unstack,
    "tile": tf.tile,
    "reverse": tf.reverse,
    "repeat": lambda value, repeats, axis=0: tf.repeat(value, repeats, axis),
    "roll": lambda value, shift, axis=0: tf.roll(value, shift, axis),
    "size": lambda value, out_type=None: tf.size(value, out_type and tf.as_dtype(out_type)),
    "rank_op": tf.rank,
}
# Cases that are not compared, by what is different here.
OTHER = {
    "a scalar struct has no number of rows": ["construct/nrows/005"] + [f"construct/nrows/{i:03}" for i in (15, 16, 17, 19)],
    "lists without a dict need a spec": ["construct/nrows/007", "array/size/024", "array/size/025", "array/rank_op/012"]
    + [f"construct/from_pyval/{i:03}" for i in (6, 7, 35, 38)]
    + [f"construct_typespec/from_pyval/{i:03}" for i in (14, 16)]
    + [f"partition/partition_outer_dimension/{i}" for i in (101, 102)]
    + ["with_updates/with_updates/079", "array/concat/054", "array/concat/056"]
    + [f"array/expand_dims/{i:03}" for i in (96, 97, 100)],
    "a value that is no struct": ["construct/from_pyval/079"] + [f"construct_typespec/from_pyval/{i:03}" for i in (25, 26)],
    "nrows is compared with a known size": ["construct/from_fields/035", "construct/from_fields/037"],
    "a field of structs has their axes": ["construct/from_fields_and_rank/016"],
    "integers are int64, and those of the other value int32": ["array/concat/021"],
    "a scalar has no axis for a slice, and a list is no name": ["index_scalar/getitem/010", "index_scalar/getitem/017"],
    "what is outside of a row is an error; TensorFlow reads the rows after it":
    [f"array/gather/{i:03}" for i in (80, 81, 84, 115, 116, 180)]
    + ["index_vec/getitem/081", "index_mat/getitem/151", "partition/partition_outer_dimension/039"],
}  # fmt: skip


def cases():
    with open(VECTORS, encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            text = json.dumps([case["input"], case["args"]])
            if case["op"] == "from_fields" or (case["op"] in OPERATIONS and "$st" in text):
                yield case


def expected_of(case):
    """The answer as Python has it, and whether there is one."""
    if case.get("pyval") is not None:
        return decoded(case["pyval"]), True
    answer = case.get("derived", case.get("expected"))
    if answer is None or answer.get("kind") not in ("py", "tensor"):
        return None, False
    if answer["kind"] == "py":
        return decoded(answer["value"]), True
    return np.array(decoded(answer["values"]), object).reshape(answer["shape"]).tolist(), True


def answer_to(case):
    if case["op"] == "from_fields":
        return plain(from_fields(case["args"]))
    value = decoded(case["input"])
    arguments = {name: each for name, each in decoded(case["args"]).items() if each is not None}
    result = OPERATIONS[case["op"]](value, **arguments)
    return [plain(each) for each in result] if isinstance(result, list) else plain(result)


def test_answers_are_those_of_tensorflow():
    compared, other, wrong = collections.Counter(), {name for cases in OTHER.values() for name in cases}, []
    for case in cases():
        expected, known = expected_of(case)
        if not known or case["name"] in other:
            continue
        compared[case["op"]] += 1
        try:
            found = answer_to(case)
        except Exception as problem:
            found = f"{type(problem).__name__}: {problem}"
        if repr(found) != repr(as_bytes(expected)) and found != as_bytes(expected):
            wrong.append(f"{case['name']}: {found} instead of {expected}")
    assert not wrong, "\n".join(wrong)
    assert sum(compared.values()) > 580 and set(compared) == {*OPERATIONS, "from_fields"}


def test_cases_that_are_not_compared_are_in_the_file():
    there = {case["name"] for case in cases()}
    assert not {name for names in OTHER.values() for name in names} - there


@pytest.mark.parametrize("lists", [[], [[], []], 5, [1, 2]], ids=repr)
def test_lists_without_structs(lists):
    with pytest.raises(TypeError, match="rows: expected dicts or lists of dicts, found"):
        OURS.from_py(lists)
