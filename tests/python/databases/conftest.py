"""Databases for the tests. The tests of a database are left out if the package or the client of the database is missing."""

import importlib.util
import os
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
for folder in ("tests/python", "tools/pydata"):
    sys.path.append(str(REPOSITORY / folder))

from real_data import pytest_runtest_setup  # noqa: E402, F401: a hook

os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # before gRPC is imported

NEEDS = {
    "test_spanner": ("structtensor", "pyarrow", "google.cloud.spanner", "google.protobuf"),
    "test_spanner_emulator": ("structtensor", "pyarrow", "google.cloud.spanner", "google.protobuf"),
    "test_firebase": ("structtensor", "pyarrow", "google.protobuf"),
    "test_real_messages": ("structtensor", "pyarrow", "google.cloud.spanner", "google.protobuf"),
    "test_databases_docs": ("structtensor", "pyarrow", "google.cloud.spanner"),
}


def is_missing(name):
    try:
        return importlib.util.find_spec(name) is None
    except ModuleNotFoundError:
        return True


MISSING = {test: [name for name in needs if is_missing(name)] for test, needs in NEEDS.items()}
collect_ignore = [f"{test}.py" for test, missing in MISSING.items() if missing]


def pytest_terminal_summary(terminalreporter):
    for test, missing in MISSING.items():
        if missing:
            terminalreporter.write_line(f"{test} is not run, because there is no package {' and no package '.join(missing)}.")
