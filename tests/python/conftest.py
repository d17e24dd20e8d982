"""Where the Python tests find the built commands, the oracle and the real data."""

import importlib.util
import os
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "pydata"))

# Those of the Python package run where it is installed: tools/test package.
collect_ignore = [] if importlib.util.find_spec("structtensor") else ["package"]

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


def pytest_terminal_summary(terminalreporter):
    missing = [name for name in DATA_SETS if not (data_directory() / name).is_dir()]
    if missing:
        terminalreporter.write_line(
            f"Not compared, because {data_directory()} does not have them: the data sets {', '.join(missing)}."
        )
