"""ST "JSON"."""

import pytest
from promises import promise

import structtensor as st

SECTION = "Integration: JSON"


@promise(
    SECTION,
    "JSON objects with one schema are represented as protocol buffers are",
    python="st.from_json(source), st.struct.from_json(source)",
    cpp="ReadJson()",
    tensorflow="T.from_structtensor(st.from_json(source))",
)
def test_objects():
    rows = st.from_json('{"a": 1, "b": [1, 2]}\n{"a": 2, "b": []}')
    assert (rows.shape, rows.to_py()) == ((2,), [{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}])


@promise(
    SECTION,
    "A converter may infer the schema",
    python="st.from_json(source)",
    cpp="ReadJson()",
    tensorflow="the same",
    differs="One object is a vector with one row; a spec of rank 0 makes it a scalar",
)
def test_the_schema_is_inferred():
    assert st.struct.from_json is st.from_json
    assert st.from_json('[{"a": 1.5}, {"a": 2}]').spec == st.StructuredTensorSpec([2], {"a": st.TensorSpec([2], "double")})
    assert st.from_json('{"a": 1}').shape == (1,)


@promise(
    SECTION,
    "A converter may require a schema",
    python="st.from_json(source, spec), st.read(file, schema)",
    cpp="JsonReadOptions, MessageJson",
    tensorflow="the same",
)
def test_the_schema_is_given():
    spec = st.StructuredTensorSpec([None], {"a": st.TensorSpec([None], "float")})
    assert st.from_json('{"a": 1}', spec)["a"].dtype == "float"
    with pytest.raises(ValueError, match="column 6: a: expected float"):
        st.from_json('{"a":"x"}', spec)


@promise(
    SECTION,
    "Structured output converts to JSON",
    python="structs.to_json()",
    cpp="ToJson()",
    tensorflow="rows.to_structtensor().to_json()",
)
def test_the_way_back(st_vector, st_matrix):
    assert st.from_json(st_vector.to_json()).to_py() == st_vector.to_py()
    scalar = st.constant({"x": "foo", "y": [[1, 2], [3]], "z": {"a": [0.5, 2.0]}})
    assert st.from_json(scalar.to_json(), scalar.spec).equals(scalar)
    assert st.from_json(scalar.to_json())[0].to_py() == scalar.to_py()
    assert st_matrix.to_json() == (
        '[[{"x":"foo","y":[[1,2],[3]]},{"x":"bar","y":[[4],[5,6]]}],[{"x":"baz","y":[[7,8,9]]},{"x":"raz","y":[]}]]'
    )
