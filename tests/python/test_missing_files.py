"""Inputs that cannot be opened: the error says so, whatever else is missing."""

import os

import pytest
from structtensor_command import SCHEMA, run, succeed

VERBS = [
    ("convert", "-o", "x.pb"),
    ("convert", "-o", "x.parquet"),
    ("convert", "-o", "x.parquet", "--dry-run"),
    ("count",),
    ("head",),
    ("index",),
    ("inspect",),
    ("schema",),
    ("stats",),
    ("validate",),
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("name", ["missing.parquet", "missing.arrow", "missing.jsonl", "missing", "*.parquet"])
def test_a_missing_file_is_reported_as_such(verb, name, tmp_path):
    verb, *options = verb
    outcome = run(verb, tmp_path / name, *options, cwd=tmp_path)
    assert outcome.exit_code == 1
    assert f"{tmp_path / name}: " in outcome.stderr
    assert "No such file" in outcome.stderr or "no file matches" in outcome.stderr
    assert "no schema" not in outcome.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_reported_as_such(source, tmp_path):
    path = tmp_path / "a.parquet"
    succeed("convert", source, *SCHEMA, "-o", path)
    path.chmod(0)
    assert "Permission denied" in run("head", path).stderr


def test_one_missing_file_among_others(source, tmp_path):
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "a.parquet")
    outcome = run("head", tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert outcome.exit_code == 1 and f"{tmp_path / 'b.parquet'}: cannot open the file: No such file" in outcome.stderr
