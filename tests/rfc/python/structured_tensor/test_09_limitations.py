"""ST "Limitations": what cannot be encoded, and the optional and union values that the document leaves for later."""

import pyarrow as pa
import pytest
from promises import promise

import structtensor as st


@promise(
    "Limitations",
    '`[{"a": 1}, {"a": "hello"}]` cannot be encoded: `a` has different dtypes',
    python="st.constant(value) raises ValueError",
    cpp="Constant()",
    tensorflow="T.from_py(value) raises ValueError",
)
def test_different_dtypes():
    with pytest.raises(ValueError, match=r"\[1\]\.a"):
        st.constant([{"a": 1}, {"a": "hello"}])


@promise(
    "Limitations",
    '`[{"b": [1, 2, 3]}, {"b": [[1, 2], [3, 4]]}]` cannot be encoded: `b` has different ranks',
    python="st.constant(value) raises ValueError",
    cpp="Constant()",
    tensorflow="T.from_py(value) raises ValueError",
)
def test_different_ranks():
    with pytest.raises(ValueError, match=r"\[1\]\.b"):
        st.constant([{"b": [1, 2, 3]}, {"b": [[1, 2], [3, 4]]}])


@promise(
    "Limitations",
    '`[{"c": {"x": 1}}, {"c": {"y": 1}}]` cannot be encoded: `c` has different nested fields',
    python="st.constant(value) raises ValueError",
    cpp="Constant()",
    tensorflow="T.from_py(value) raises ValueError",
)
def test_different_nested_fields():
    with pytest.raises(ValueError, match=r"\[1\]\.c: key 'y'"):
        st.constant([{"c": {"x": 1}}, {"c": {"y": 1}}])


@promise(
    "Limitations",
    "Optional and nullable values are not encoded, but may be in the future; then fields may be missing in some structures",
    python="st.constant([{'a': 1}, {'a': None}]), st.constant(value, spec), st.from_json(lines)",
    cpp="Validity",
    tensorflow="T.from_structtensor(value) raises ValueError",
    differs="The package has that future: elements and structs may be absent. TensorFlow's tensors have no absent elements",
    shown_by="test_absent_structs.py::test_absent_structs_of_the_package_are_errors",
)
def test_optional_values():
    assert st.from_json('{"a": 1, "b": 2}\n{"a": null}').to_py() == [{"a": 1, "b": 2}, {"a": None, "b": None}]
    spec = st.StructuredTensorSpec([2], {"a": st.TensorSpec([2], "int64", nullable=True)})
    assert st.constant([{"a": 1}, {}], spec).to_py() == [{"a": 1}, {"a": None}]
    nullable = st.constant([{"a": 1}, {"a": None}])
    assert nullable.to_py() == [{"a": 1}, {"a": None}] and nullable.spec.fields["a"].nullable
    with pytest.raises(ValueError, match=r"\[1\]: key 'a'"):
        st.constant([{"a": 1}, {}])


@promise(
    "Limitations",
    "Union values are not encoded, but may be in the future",
    python="decoder.decode(messages)['source_case'], st.from_arrow(union)",
    cpp="ToStructuredTensor(), ImportValue()",
    tensorflow="decode(serialized)['source_case']",
    differs="A oneof is its members and the number of the member that is set; an Arrow union is structs of its members",
)
def test_union_values(schema, messages):
    batch = schema.decoder().decode(messages)
    assert batch[["url", "page", "source_case"]].to_py() == [
        {"url": "u", "page": None, "source_case": 7},
        {"url": None, "page": 3, "source_case": 8},
    ]
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
    assert st.from_arrow(union).to_py() == [{"0": 1, "1": None}, {"0": None, "1": "b"}]
