"""The values of the document: its recipe, and its structs of x and y of ranks 0, 1 and 2."""

import pathlib
import subprocess

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import structtensor as st

# The document leaves out commas, a brace, the quotes of `score`, and everything that it abbreviates by an ellipsis.
RECIPE = {
    "user_embedding": [0.8, 2.1, 0.3, 0.1, 9.2, 1.8],
    "recipe": {
        "title": "Snickerdoodle cookies",
        "est_time": 55.0,
        "ingredients": [
            {"amount": 3.0, "unit": "cup", "name": "flour"},
            {"amount": 1.0, "unit": "cup", "name": "white sugar"},
            {"amount": 0.5, "unit": "cup", "name": "brown sugar"},
            {"amount": 1.0, "unit": "cup", "name": "butter"},
            {"amount": 1.0, "unit": "teaspoon", "name": "cinnamon"},
            {"amount": 2.0, "unit": "teaspoon", "name": "cream of tartar"},
        ],
        "step": [
            {"description": "Preheat oven to 350 degrees F."},
            {"description": "Whisk together the flour, cinnamon, baking soda, salt, ..."},
            {"description": "Using an electric mixer, cream together the butter and sugar ..."},
            {"description": "Add the dry ingredients to the wet ingredients and mix until ..."},
        ],
        "user_rating": [
            {"user_embedding": [0.7, 2.0, 0.3, 0.3, 5.2, 2.2], "score": 0.8},
            {"user_embedding": [1.4, 0.0, 3.1, 1.1, 1.2, 0.3], "score": 0.4},
        ],
    },
}
SCALAR = {"x": "foo", "y": [[1, 2], [3]]}
VECTOR = [{"x": "foo", "y": [[1, 2], [3]]}, {"x": "bar", "y": [[4], [5, 6]]}, {"x": "baz", "y": [[7, 8, 9]]}]
MATRIX = [
    [{"x": "foo", "y": [[1, 2], [3]]}, {"x": "bar", "y": [[4], [5, 6]]}],
    [{"x": "baz", "y": [[7, 8, 9]]}, {"x": "raz", "y": []}],
]


@pytest.fixture
def struct():
    return st.constant(RECIPE)


@pytest.fixture
def st_scalar():
    return st.constant(SCALAR)


@pytest.fixture
def st_vector():
    return st.constant(VECTOR)


@pytest.fixture
def st_matrix():
    return st.constant(MATRIX)


@pytest.fixture
def rows():
    """Structs whose lists have different lengths."""
    return st.constant([{"x": 1, "y": [1, 2]}, {"x": 2, "y": []}, {"x": 3, "y": [3]}])


@pytest.fixture(scope="session")
def recipe_schema(tmp_path_factory):
    """The schema of recipe.proto, as protoc describes it."""
    folder = pathlib.Path(__file__).resolve().parent
    output = tmp_path_factory.mktemp("schema") / "recipe.bin"
    subprocess.run(["protoc", f"-I{folder}", f"--descriptor_set_out={output}", "recipe.proto"], cwd=folder, check=True)
    return output.read_bytes()


@pytest.fixture(scope="session")
def messages(recipe_schema):
    """Two serialized recipes, by python-protobuf: one with every field, and one with the required fields."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(recipe_schema).file:
        pool.Add(file)
    recipe_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("rfc.Recipe"))
    cookies = recipe_class(title="cookies", minutes=25, codes=[1, 2], base={"kcal": 400}, nutrition={"kcal": 100}, url="u")
    cookies.ingredients.add(name="flour", tags=["dry", "white"])
    cookies.ingredients.add(name="sugar")
    toast = recipe_class(title="toast", base={"kcal": 80}, page=3)
    return [message.SerializeToString(deterministic=True) for message in (cookies, toast)]


@pytest.fixture(scope="session")
def schema(recipe_schema):
    return st.Schema.from_descriptor_set(recipe_schema, message="rfc.Recipe")
