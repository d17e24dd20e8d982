"""How tests find real data sets: only in the folder that STRUCTTENSOR_DATA names, and only with the marker."""

import pytest
import real_sets
from real_data import open_real_set


@pytest.mark.parametrize("value", [None, ""])
def test_without_the_variable_there_is_no_real_data(value, monkeypatch):
    monkeypatch.delenv("STRUCTTENSOR_DATA", raising=False)
    if value is not None:
        monkeypatch.setenv("STRUCTTENSOR_DATA", value)
    assert real_sets.data_folder() is None
    with pytest.raises(real_sets.MissingSet, match="^real data set pprof is missing: STRUCTTENSOR_DATA is not set$"):
        real_sets.find("pprof")


def test_sets_are_found_in_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("STRUCTTENSOR_DATA", str(tmp_path))
    folder = tmp_path / "pprof"
    folder.mkdir()
    (folder / "messages.bin").touch()
    with pytest.raises(real_sets.MissingSet, match=f"^real data set pprof is missing: it is not in {tmp_path}$"):
        real_sets.find("pprof")
    (folder / "descriptor_set.pb").touch()
    found = real_sets.find("pprof")
    assert (found.messages, found.descriptor_set) == (folder / "messages.bin", folder / "descriptor_set.pb")
    assert (found.name, found.message) == ("pprof", "perftools.profiles.Profile")


def test_a_test_without_the_marker_fails():
    with pytest.raises(pytest.fail.Exception, match="without the marker real_data opens the real data set pprof"):
        open_real_set("pprof")
