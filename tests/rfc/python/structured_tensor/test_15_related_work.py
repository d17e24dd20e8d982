"""ST "Related Work": what the document contrasts StructuredTensor with."""

import pyarrow as pa
import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st

# The recipe of the document's section, and another one with other lengths.
RECIPES = [
    {"title": "Sugar cookies", "ingredient": [{"name": "sugar", "amount": 1}, {"name": "egg", "amount": 1}]},
    {"title": "Water", "ingredient": []},
]


@promise(
    "Related work: tensorflow.io",
    "Arrow files with structs become StructuredTensors",
    python="st.from_arrow(pa.ipc.open_file(path).read_all())",
    cpp="ImportStream()",
    tensorflow="T.from_structtensor(value)",
)
def test_arrow_files(tmp_path):
    table = pa.table({"a": [1, 2], "s": [{"x": 1, "y": ["p"]}, {"x": 2, "y": []}]})
    with pa.ipc.new_file(tmp_path / "f.arrow", table.schema) as writer:
        writer.write_table(table)
    structs = st.from_arrow(pa.ipc.open_file(tmp_path / "f.arrow").read_all())
    assert structs["s", "y"].to_py() == [["p"], []] and structs.to_py() == table.to_pylist()


@promise(
    "Related work: tf.nest",
    "Lengths of nested lists may change from structure to structure",
    python="st.constant(recipes)['ingredient', 'name']",
    cpp="Constant()",
    tensorflow="T.from_py(recipes)",
)
def test_lengths_may_change():
    recipes = st.constant(RECIPES)
    assert recipes["ingredient", "name"].to_py() == [["sugar", "egg"], []] and recipes.to_py() == RECIPES


promise_of_tensorflow(
    "Related work: tf.nest",
    "Lengths may change from batch to batch, too, for one traced function",
    tensorflow="tf.function(function)(rows)",
    shown_by="test_type.py::test_functions",
)


@promise(
    "Related work: tf.nest",
    "All values of a nested field are one tensor, and one op processes them",
    python="recipes['ingredient', 'amount'] * 2",
    cpp="RaggedTensor::flat_values()",
    tensorflow="the same",
    shown_by="test_operations.py::test_elementwise_functions",
)
def test_a_nested_field_is_one_tensor():
    amounts = st.constant(RECIPES)["ingredient", "amount"]
    assert isinstance(amounts, st.RaggedTensor) and amounts.flat_values.to_py() == [1, 1]
    assert (amounts * 2).to_py() == [[2, 2], []]


@promise(
    "Related work: tf.nest",
    "Structures of dicts, lists and tuples remain possible beside StructuredTensors",
    python="structtensor.nest",
    cpp="Nest",
    tensorflow="tf.nest",
)
def test_nested_structures_of_values():
    recipe = {"title": st.constant("Sugar cookies"), "ingredient": [{"amount": st.constant(1)}, {"amount": st.constant(2)}]}
    assert [value.to_py() for value in st.nest.flatten(recipe)] == [1, 2, "Sugar cookies"]
    doubled = st.nest.map_structure(lambda value: value if value.dtype == "string" else value * 2, recipe)
    assert [step["amount"].item() for step in doubled["ingredient"]] == [2, 4]
    with pytest.raises(ValueError):
        st.nest.assert_same_structure(recipe, {"title": 1, "ingredient": [{"amount": 1}]})
