"""Runs a case and says how its answer differs from TensorFlow's."""

import dataclasses
from typing import Any

import structtensor as st

from . import specs
from .compare import Comparison, wanted_errors
from .dump import encode, dump
from .operations import OPERATIONS

# Errors of this package; everything else that is raised is a mistake of the binding or of the test.
ERRORS = (ValueError, TypeError, KeyError, IndexError, OverflowError, NotImplementedError, MemoryError)


@dataclasses.dataclass
class Case:
    name: str
    op: str
    input: Any
    args: dict


def _has_other_name(json):
    """Whether a text in it is a name that TensorFlow does not have."""
    if isinstance(json, str):
        return json != "" and not (json.isidentifier() and json.isascii() and json[0] != "_")
    if isinstance(json, (list, dict)):
        return any(_has_other_name(item) for item in (json.values() if isinstance(json, dict) else json))
    return False


def _is_name_not_allowed_yet(line):
    """TensorFlow refuses "currently" names that are no identifiers; every name that is not empty is taken here."""
    message, args = line["error"].get("message", ""), line.get("args") or {}
    if message.endswith("is not currently allowed."):
        return message != "Field name '' is not currently allowed."
    if not message.startswith("`StructuredTensor.with_updates` failed"):
        return False
    updates = args.get("updates") or []
    return _has_other_name(args.get("new_name")) or any(_has_other_name(update[0]) for update in updates)


def _is_annotation_of_the_rfc(line):
    """TensorFlow refuses `Dict` as an annotation. The RFC has dicts in static data, and here a field of one is immutable."""
    return "Unsupported type annotation typing.Dict[" in line["error"].get("message", "")


def _problems_of_value(line, case, goal, derived, result):
    comparison = Comparison(
        splits_dtype=not derived,
        # A spec that is not of a value has nothing to know more from.
        exact_specs=case.input is None and goal.get("kind") == "spec",
        approximate=case.op in ("tf_op", "binary"),
        unordered=case.op in ("flatten", "spec_proto"),
    )
    comparison.dumps(goal, dump(result), "")
    values = (st.Tensor, st.RaggedTensor, st.StructuredTensor)
    if "pyval" in line and case.op != "flatten":
        if isinstance(result, values):
            comparison.pyval(line["pyval"], encode(result.to_py()), "pyval")
        elif isinstance(result, list) and all(isinstance(item, values) for item in result):
            comparison.pyval(line["pyval"], [encode(item.to_py()) for item in result], "pyval")
    if "spec" in line and isinstance(result, values):
        comparison.specs(line["spec"], specs.tree(result.spec), "spec")
    return comparison.differences


def problems(line):
    """How the answer differs, as a list of strings. Raises NotReached if there is no answer."""
    case = Case(line["name"], line["op"], line.get("input"), line.get("args") or {})
    if case.op not in OPERATIONS:
        return [f"unknown operation {case.op!r}"]
    result = error = None
    try:
        result = OPERATIONS[case.op](case)
    except ERRORS as raised:
        error = raised
    found = repr(error) if error is not None else None

    goal = line.get("derived", line.get("expected"))
    if case.op in ("equals", "not_equals") and goal is not None and goal.get("dtype") == "bool" and goal.get("shape") == []:
        goal = {"kind": "py", "value": goal["values"]}  # == of structs is a bool of Python here
    if goal is not None:
        if error is not None:
            return [f"expected a value, found {found}"]
        return _problems_of_value(line, case, goal, "derived" in line, result)
    wanted = line.get("derived_error", line.get("error"))
    if wanted is None:
        return ["the case has neither `expected` nor `error`"]
    if "derived_error" not in line and _is_name_not_allowed_yet(line):
        return [] if error is None else [f"expected a value, for every name that is not empty is allowed, found {found}"]
    if "derived_error" not in line and _is_annotation_of_the_rfc(line):
        return [] if error is None else [f"expected a value, for fields may be dicts, found {found}"]
    if "derived_error" not in line and line.get("policy") == "exceed":
        return []  # TensorFlow fails by accident: both a value and an error will do
    if error is None:
        return [f"expected an error as {wanted.get('class')}, {wanted.get('message')!r}, found {str(result)[:300]}"]
    classes = wanted_errors(wanted, case.op)
    if not isinstance(error, classes):
        names = " or ".join(one.__name__ for one in classes)
        return [f"expected an error as {wanted.get('class')} ({names}), found {found}"]
    return []
