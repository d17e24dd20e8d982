"""ST "Conversion" and "Operators"."""

from promises import promise

import structtensor as st

SECTION = "class StructuredTensor: conversion and operators"


@promise(
    SECTION,
    "`to_py()` returns nested dicts and lists",
    python="structs.to_py()",
    cpp="ToNestedValue()",
    tensorflow="rows.to_py()",
    differs="In a graph, TensorFlow raises NotImplementedError, as the document asks for eager execution",
    shown_by="test_type.py::test_rows",
)
def test_to_py():
    scalar = {"x": "foo", "y": [[1, 2], [3]]}
    for value in (scalar, [scalar, {"x": "bar", "y": []}], [[scalar], []], [[scalar, scalar], [scalar, scalar]]):
        assert st.constant(value).to_py() == value


@promise(
    SECTION,
    "`self[key]` is the specified piece",
    python="structs[1, 'x'], structs['x'], structs[..., 0, 'x'], structs[[2, 0]], structs[['x']]",
    cpp='Index(), Key::Ellipsis(), Key::Rows({2, 0}), Key::Fields({"x"})',
    tensorflow="the same",
    differs="Masks, None and lists of rows are keys, too. `T` takes no lists of names; `with_only` does",
    shown_by="test_operations.py::test_keys",
)
def test_getitem(struct, st_vector, st_matrix):
    assert (st_vector[1, "x"].to_py(), st_vector["x"].to_py()) == ("bar", ["foo", "bar", "baz"])
    assert struct["recipe", "user_rating", "score"].to_py() == [0.8, 0.4]
    assert st_matrix[..., 0, "x"].to_py() == ["foo", "baz"]
    assert st_vector[[2, 0]]["x"].to_py() == ["baz", "foo"]
    assert st_vector[["x"]].field_names() == ("x",)
    assert st_vector[[True, False, True], "x"].to_py() == ["foo", "baz"]
    assert st_vector[None].shape == (1, 3)


@promise(
    SECTION,
    "`repr(self)` is a string representation",
    python="repr(structs)",
    cpp="DebugString()",
    tensorflow="repr(rows)",
    differs="Fields are printed as JSON, and then the shape",
)
def test_repr(st_scalar):
    assert repr(st_scalar) == "<StructuredTensor {'x': 'foo', 'y': [[1, 2], [3]]}, shape=()>"
    assert len(repr(st.StructuredTensor.from_fields({"a": list(range(100000))}))) < 1000
