"""Where the Python tests find the built commands, the oracle and the real data, and what several of them convert."""

import importlib.util
import os
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "pydata"))

# These imports need the path above; commands and structtensor_command also read REPOSITORY.
import commands  # noqa: E402
import compare  # noqa: E402
from structtensor_command import REAL_SETS, RECIPES  # noqa: E402

# Those of the Python package run where it is installed (tools/test package), those of structtensor.tf where TensorFlow is
# (tools/tensorflow), those of the databases where their emulators are (tools/databases), those of Spark and other engines where
# these are (tools/engines).
collect_ignore = ["databases", "engines", "tensorflow_integration"]
collect_ignore += [] if importlib.util.find_spec("structtensor") else ["package"]

DATA_SETS = ("otlp_traces_astronomy",)  # those that one of the built commands can convert


def data_directory():
    return pathlib.Path(os.environ.get("STRUCTTENSOR_DATA") or REPOSITORY.parent / "shared" / "data")


@pytest.fixture(scope="session")
def real_data():
    """Returns a function from a data set's name to its folder; a test whose set is not there is skipped."""

    def find(name):
        folder = data_directory() / name
        if not folder.is_dir():
            pytest.skip(f"the data set {name} is not there ({folder}; set STRUCTTENSOR_DATA)")
        return folder

    return find


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


@pytest.fixture(scope="module", params=REAL_SETS)
def real_set(request, real_data):
    """Of each real set, the file of messages, the schema, the name of their type, and python-protobuf's class."""
    folder = real_data(request.param)
    file, message = REAL_SETS[request.param]
    schema = folder / "descriptor_set.pb"
    return folder / file, schema, message, compare.load_message_class(schema, message)


def pytest_terminal_summary(terminalreporter):
    missing = [name for name in DATA_SETS if not (data_directory() / name).is_dir()]
    if missing:
        terminalreporter.write_line(
            f"Not compared, because {data_directory()} does not have them: the data sets {', '.join(missing)}."
        )
