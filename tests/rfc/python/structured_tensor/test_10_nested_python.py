"""ST "Nested Python Dictionaries"."""

import pytest
from promises import promise

import structtensor as st

SECTION = "Integration: nested Python dictionaries"


@promise(
    SECTION,
    "The schema may be specified",
    python="st.constant(value, spec)",
    cpp="ConstantOptions",
    tensorflow="T.from_py(value, spec)",
)
def test_the_schema_may_be_specified():
    spec = st.StructuredTensorSpec([], {"x": st.TensorSpec([], st.float32), "y": st.TensorSpec([], st.float32)})
    for structs in (st.constant({"x": 1, "y": 2.5}, spec), st.constant({"x": 1, "y": 2.5}, spec=spec)):
        assert structs.spec == spec and structs.to_py() == {"x": 1.0, "y": 2.5}
    with pytest.raises(ValueError, match="x"):
        st.constant({"x": "1", "y": 2.5}, spec)


@promise(
    SECTION,
    "Without a schema, it is inferred from the value",
    python="st.constant(value)",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
    differs="Numbers are int64 and double; `int_dtype` and `float_dtype` choose others",
)
def test_the_schema_is_inferred():
    value = {"i": 1, "f": 1.5, "b": True, "s": "x", "y": b"x"}
    dtypes = {name: field.dtype for name, field in st.constant(value).spec.fields.items()}
    assert dtypes == {"i": "int64", "f": "double", "b": "bool", "s": "string", "y": "bytes"}
    narrow = st.constant(value, int_dtype="int32", float_dtype="float")
    assert (narrow["i"].dtype, narrow["f"].dtype) == ("int32", "float")


@promise(
    SECTION,
    "Nested lists of scalars are Tensors or RaggedTensors",
    python="st.constant([[1, 2], [3, 4]]), st.constant([[1, 2], [3]])",
    cpp="Constant()",
    tensorflow="tf.constant(value), tf.ragged.constant(value)",
    differs="Lists that all have one length make a dense axis; `st.ragged.constant` makes ragged axes of any lists",
)
def test_lists_of_scalars():
    for lists, kind, shape in [
        ([1, 2], st.Tensor, (2,)),
        ([[1, 2], [3, 4]], st.Tensor, (2, 2)),
        ([[1, 2], [3]], st.RaggedTensor, (2, None)),
    ]:
        value = st.constant(lists)
        assert isinstance(value, kind) and (value.shape, value.to_py()) == (shape, lists)
    assert isinstance(st.ragged.constant([[1, 2], [3, 4]]), st.RaggedTensor)


@promise(
    SECTION,
    "All scalars of a list are at the same depth and have compatible dtypes",
    python="st.constant([1, [2]]) raises ValueError",
    cpp="Constant()",
    tensorflow="tf.constant([1, [2]]) raises ValueError",
)
def test_scalars_that_do_not_fit_together():
    for wrong in ([1, [2]], [1, "a"], [[1], [["a"]]]):
        with pytest.raises(ValueError, match=r"\[1\]"):
            st.constant(wrong)
    numbers = st.constant([1, 2.5])
    assert (numbers.dtype, numbers.to_py()) == ("double", [1.0, 2.5])


@promise(
    SECTION,
    "Dicts become scalar StructuredTensors",
    python="st.constant({'a': {'b': 1}})",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
)
def test_dicts():
    struct = st.constant({"a": {"b": 1}})
    assert struct.rank == 0 and isinstance(struct["a"], st.StructuredTensor) and struct["a"].shape == ()


@promise(
    SECTION,
    "Nested lists of dicts become multidimensional StructuredTensors",
    python="st.constant([[{'a': 1}], [{'a': 2}, {'a': 3}]])",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
)
def test_lists_of_dicts():
    ragged = st.constant([[{"a": 1}], [{"a": 2}, {"a": 3}]])
    assert (ragged.shape, ragged["a"].to_py()) == ((2, None), [[1], [2, 3]])
    dense = st.constant([[{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 4}], [{"a": 5}, {"a": 6}]])
    assert dense.shape == (3, 2) and isinstance(dense["a"], st.Tensor)


@promise(
    SECTION,
    "All dicts are at the same depth and have the same schema",
    python="st.constant([{'a': 1}, [{'a': 2}]]) raises ValueError",
    cpp="Constant()",
    tensorflow="T.from_py([{'a': 1}, [{'a': 2}]]) raises ValueError",
)
def test_dicts_that_do_not_fit_together():
    for wrong in ([{"a": 1}, [{"a": 2}]], [{"a": 1}, {"a": 1, "b": 2}], [{"a": 1, "b": 2}, {"a": 1}]):
        with pytest.raises(ValueError, match=r"\[1\]"):
            st.constant(wrong)
