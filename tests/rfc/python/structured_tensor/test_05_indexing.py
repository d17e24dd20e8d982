"""ST "Indexing", line by line."""

import pytest
from promises import promise

import structtensor as st

FLOUR = {"amount": 3.0, "unit": "cup", "name": "flour"}
NAMES = ["flour", "white sugar", "brown sugar", "butter", "cinnamon", "cream of tartar"]


@promise(
    "Indexing",
    "Indexing a scalar struct selects the value of a field",
    python="struct['user_embedding']",
    cpp='Index(struct, {"user_embedding"})',
    tensorflow="the same",
    differs="Python's floats become double; `st.constant(value, float_dtype='float')` makes the float of the document",
)
def test_a_field_of_a_scalar(struct):
    embedding = struct["user_embedding"]
    assert isinstance(embedding, st.Tensor)
    assert (embedding.to_py(), embedding.shape, embedding.dtype) == ([0.8, 2.1, 0.3, 0.1, 9.2, 1.8], (6,), "double")
    assert st.constant(struct.to_py(), float_dtype="float")["user_embedding"].dtype == "float"


@promise(
    "Indexing",
    "A nested struct is a scalar StructuredTensor, and is printed as its fields",
    python="print(struct['recipe'])",
    cpp="DebugString()",
    tensorflow="the same",
    differs="The shape follows the fields",
)
def test_a_nested_struct(struct):
    recipe = struct["recipe"]
    assert isinstance(recipe, st.StructuredTensor) and recipe.rank == 0
    assert str(recipe).startswith("<StructuredTensor {'title': 'Snickerdoodle cookies', ")


@promise(
    "Indexing",
    "Indexes follow one another; a string of one struct is a scalar of shape ()",
    python="struct['recipe']['title']",
    cpp="Index()",
    tensorflow="the same",
)
def test_a_field_of_a_nested_struct(struct):
    title = struct["recipe"]["title"]
    assert (title.to_py(), title.shape, title.dtype) == ("Snickerdoodle cookies", (), "string")


@promise(
    "Indexing",
    "A list of structs is a vector, and is printed as a list of its structs",
    python="print(struct['recipe']['ingredients'])",
    cpp="FormatTable(), DebugString()",
    tensorflow="the same",
    differs="`print` shows a table with a column for each field, and `repr` the list on one line",
)
def test_a_list_of_structs(struct):
    ingredients = struct["recipe"]["ingredients"]
    assert isinstance(ingredients, st.StructuredTensor) and ingredients.shape == (6,)
    lines = str(ingredients).splitlines()
    assert lines[0].split() == ["amount", "unit", "name"] and all(name in str(ingredients) for name in NAMES)
    assert repr(ingredients).startswith("<StructuredTensor [{'amount': 3.0, 'unit': 'cup', 'name': 'flour'}, ")


@promise(
    "Indexing",
    "Indexing a vector selects elements, as of any other tensor",
    python="struct['recipe']['ingredients'][0], [-1], [1:3], [::-2]",
    cpp="Index(ingredients, {0}), Key::Range(1, 3)",
    tensorflow="the same",
    shown_by="test_operations.py::test_keys",
)
def test_elements_of_a_vector(struct):
    ingredients = struct["recipe"]["ingredients"]
    assert isinstance(ingredients[0], st.StructuredTensor) and ingredients[0].rank == 0
    assert ingredients[0].to_py() == FLOUR
    assert ingredients[-1]["name"].to_py() == NAMES[-1]
    assert ingredients[1:3]["name"].to_py() == NAMES[1:3]
    assert ingredients[::-2]["name"].to_py() == NAMES[::-2]
    with pytest.raises(IndexError):
        ingredients[6]


@promise(
    "Indexing",
    "Several keys in one index apply from the left",
    python="struct['recipe', 'ingredients', 0, 'name']",
    cpp='Index(struct, {"recipe", "ingredients", 0, "name"})',
    tensorflow="the same",
)
def test_multi_dimensional_indexing(struct):
    name = struct["recipe", "ingredients", 0, "name"]
    assert isinstance(name, st.Tensor) and (name.to_py(), name.shape, name.dtype) == ("flour", (), "string")


@promise(
    "Indexing",
    "A slice selects a range of an axis of structs",
    python="struct['recipe', 'ingredients', :, 'name']",
    cpp='Index(struct, {"recipe", "ingredients", Key::All(), "name"})',
    tensorflow="the same",
    differs="The document prints shape=(10), and elides four of the ten ingredients",
)
def test_slices_of_structs(struct):
    names = struct["recipe", "ingredients", :, "name"]
    assert isinstance(names, st.Tensor) and (names.to_py(), names.shape, names.dtype) == (NAMES, (6,), "string")


@promise(
    "Indexing",
    "A slice with a step selects from an axis of a field; the result has shape [num_user_ratings, 3]",
    python="struct['recipe', 'user_rating', :, 'user_embedding', ::2]",
    cpp="Key::Range(std::nullopt, std::nullopt, 2)",
    tensorflow="the same",
    differs="The document prints a RaggedTensor, and a number of another field; lists of one length make a Tensor",
)
def test_slices_of_fields(struct):
    embeddings = struct["recipe", "user_rating", :, "user_embedding", ::2]
    assert embeddings.to_py() == [[0.7, 0.3, 5.2], [1.4, 3.1, 1.2]]
    assert isinstance(embeddings, st.Tensor) and embeddings.shape == (2, 3)
