"""Where the Python tests find the built commands and the oracle, and the messages that several of them convert."""

import importlib.util
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "pydata"))

# These imports need the path above; commands and structtensor_command also read REPOSITORY.
import commands  # noqa: E402
import compare  # noqa: E402
from real_data import EVERY_SET, open_real_set, pytest_runtest_setup  # noqa: E402, F401: a hook
from structtensor_command import RECIPES  # noqa: E402

# Those of the Python package run where it is installed (tools/test package), those of structtensor.tf where TensorFlow is
# (tools/tensorflow), those of the databases where their emulators are (tools/databases), those of Spark and the other
# distributed engines where these are (tools/distributed).
collect_ignore = ["databases", "distributed", "tensorflow_integration"]
collect_ignore += [] if importlib.util.find_spec("structtensor") else ["package"]


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    """A few recipes: one with all, an empty one, one with a title."""
    path = tmp_path_factory.mktemp("recipes") / "recipe.descriptors"
    schema = commands.protoc_descriptor_set(path, RECIPES / "recipe.proto", RECIPES)
    message_class = compare.load_message_class(schema, "cookbook.Recipe")
    soup = message_class(title="soup", minutes=40)
    soup.ingredients.add(name="water", amount=1, unit="LITER")
    soup.ratings["ann"] = 5
    payloads = [soup.SerializeToString(), b"", message_class(title="toast").SerializeToString()]
    return commands.MessageSet("structtensor", message_class, payloads)


@pytest.fixture
def source(recipes, tmp_path):
    """A file of them."""
    return recipes.write(tmp_path / "recipes.pb")


@pytest.fixture(scope="module", params=EVERY_SET)
def real_set(request):
    """The messages of each real set: their file, their schema, the name of their type, and python-protobuf's class."""
    opened = open_real_set(request.param)
    message_class = compare.load_message_class(opened.descriptor_set, opened.message)
    return opened.messages, opened.descriptor_set, opened.message, message_class
