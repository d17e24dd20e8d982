"""The notebooks of docs/ run from the first cell to the last, and what is stored of their output is small."""

import json
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted(REPOSITORY.glob("docs/notebooks/*.ipynb"))


def run(notebook, *options):
    command = [sys.executable, REPOSITORY / "tools" / "notebook", notebook, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_there_is_a_notebook():
    assert NOTEBOOKS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_run(notebook):
    before = notebook.read_bytes()
    done = run(notebook, "--check")
    assert done.returncode == 0, done.stderr
    assert notebook.read_bytes() == before


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_stored_output_is_small_and_complete(notebook):
    assert notebook.stat().st_size < 60_000
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["outputs"] for cell in cells)
    assert "/root" not in notebook.read_text() and "/home" not in notebook.read_text()


def test_a_cell_that_fails_is_named(tmp_path):
    cells = [{"cell_type": "code", "source": [line], "outputs": []} for line in ("1 + 1", "assert 1 == 2, 'no'")]
    path = tmp_path / "bad.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    done = run(path)
    assert done.returncode == 1
    assert "code cell 2: AssertionError: no" in done.stderr
    path.write_text(json.dumps({"cells": cells[:1]}))
    assert run(path).returncode == 0
    assert json.loads(path.read_text())["cells"][0]["outputs"][0]["data"] == {"text/plain": ["2"]}
