"""Opens real data sets for tests. A test that opens one has the marker `real_data`, and is skipped if the set is missing.

`pytest -m real_data` runs these tests, and `pytest -m "not real_data"` runs the others.
"""

import pytest
import real_sets

# Parameters for a test or a fixture that opens every set.
EVERY_SET = [pytest.param(name, marks=pytest.mark.real_data) for name in real_sets.NAMES]

_running = None


def pytest_runtest_setup(item):
    """Remembers the running test for open_real_set(). Every conftest.py imports this hook."""
    global _running
    _running = item


def open_real_set(name):
    """Returns a real_sets.RealSet. Skips the test if the set is missing. Fails if the test does not have the marker."""
    if _running is None or _running.get_closest_marker("real_data") is None:
        pytest.fail(f"a test without the marker real_data opens the real data set {name}", pytrace=False)
    try:
        return real_sets.find(name)
    except real_sets.MissingSet as missing:
        pytest.skip(str(missing))
