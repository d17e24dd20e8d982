"""The answers of the Python package against TensorFlow's: all cases of tests/vectors/structured_tensor.jsonl.

tests/vectors/README.md says when an answer agrees. The folder vectors beside this file has the rules in Python.
"""

import collections
import json
import pathlib

from vectors.encoded import NotReached
from vectors.run import problems

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "vectors" / "structured_tensor.jsonl"
CASES = 2023

# What the Python package has no operation for: (group, operation), number of cases.
NOT_REACHED = {
    # Row splits that decrease, without validation: in Python every partition is checked, since a wrong one reads memory.
    ("rowpart", "rp"): 1,
}


def run(lines):
    """(number of passed cases, {name: problems}, Counter of cases that were not reached)."""
    passed, failed, not_reached = 0, {}, collections.Counter()
    for line in lines:
        try:
            found = problems(line)
        except NotReached:
            not_reached[line["group"], line["op"]] += 1
            continue
        except Exception as error:  # of the binding or the test: an answer it is not
            found = [f"{type(error).__name__}: {error}"]
        if found:
            failed[line["name"]] = found
        else:
            passed += 1
    return passed, failed, not_reached


def read_lines():
    with open(VECTORS, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def test_answers_are_those_of_tensorflow():
    passed, failed, not_reached = run(read_lines())
    print(f"\n{passed} of {CASES} passed, {len(failed)} failed, {sum(not_reached.values())} not reached: {dict(not_reached)}")
    assert not failed, "\n".join(f"{name}: {problem}" for name, found in failed.items() for problem in found)
    assert not_reached == NOT_REACHED
    assert passed == CASES - sum(NOT_REACHED.values())


def _changed(json):
    """Copies of a dump, each with one number, text or truth value in it changed."""
    if isinstance(json, bool):
        yield not json
    elif isinstance(json, (int, float)):
        yield json + 1
    elif isinstance(json, str):
        yield json + "?"
    elif isinstance(json, list):
        for i, item in enumerate(json):
            for other in _changed(item):
                yield [*json[:i], other, *json[i + 1 :]]
    elif isinstance(json, dict):
        for name, item in json.items():
            # Lengths are in `shape`, too; a field of structs may have their dtype of row splits.
            if name in ("kind", "uniform_row_lengths", "row_splits_dtype"):
                continue
            if name == "flat_values":  # so are its dtype and shape
                yield from ({**json, name: {**item, "values": other}} for other in _changed(item["values"]))
                continue
            yield from ({**json, name: other} for other in _changed(item))


def test_wrong_answers_fail():
    lines = {}
    for line in read_lines():
        if "expected" in line and "derived" not in line and (line["group"], line["op"]) not in NOT_REACHED:
            lines.setdefault((line["op"], line["expected"]["kind"]), line)
    assert len(lines) > 60
    tried = 0
    for line in lines.values():
        assert not problems(line), line["name"]
        for expected in _changed(line["expected"]):
            tried += 1
            assert problems({**line, "expected": expected}), f"{line['name']}: {expected} is taken for right"
    assert tried > 700


def test_wrong_errors_fail():
    line = next(line for line in read_lines() if line.get("error", {}).get("class") == "IndexError" and line["op"] == "getitem")
    assert not problems(line)
    value = {"kind": "py", "value": 1}
    assert "expected a value" in problems({**line, "expected": value})[0]
    missing = {**line, "args": {"key": "there is no such field"}}
    assert "IndexError" in problems(missing)[0]
    right = next(line for line in read_lines() if line["op"] == "concat" and "expected" in line)
    for error in ("KeyError", "IndexError", "ValueError"):
        wanted = {name: member for name, member in right.items() if name != "expected"}
        wanted["error"] = {"class": error, "message": ""}
        assert "expected an error" in problems(wanted)[0]


NOT_VALIDATED = {
    "name": "b",
    "group": "g",
    "op": "rp",
    "args": {"rp": {"kind": "row_splits", "row_splits": [0, 3, 2], "validate": False}},
}


def test_cases_that_are_none_fail():
    assert problems({"name": "a", "op": "no such operation", "expected": {}}) == ["unknown operation 'no such operation'"]
    assert problems({"name": "a", "op": "getitem", "input": 1, "args": {"key": {"$ellipsis": 1}}}) == [
        "the case has neither `expected` nor `error`"
    ]
    lines = [{"name": "a", "group": "g", "op": "nothing"}, NOT_VALIDATED]
    passed, failed, not_reached = run(lines)
    assert (passed, list(failed), not_reached) == (0, ["a"], {("g", "rp"): 1})
