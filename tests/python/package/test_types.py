"""Type checkers accept the sessions of docs/python.md, and find what is wrong."""

import doctest
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import structtensor as st

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SESSION = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)
WRONG = """
st.read("a", proto=5)
st.read("a", proto="b").nothing
st.read("a", proto="b").to_protobuf(framing="json")
st.StructuredTensorSpec(None, {})
st.scan("a", proto="b").select(5)
"""
RIGHT = """
st.read("a", proto="b").to_protobuf(framing="base64").hex()
st.StructuredTensorSpec((None,), {"a": st.TensorSpec((None,))})
st.scan(b"a", proto="b").select("a", "b").select(["a"]).drop(("b",))
[st.MapKey("a").key, hash(st.MapKey(5))]
"""


@pytest.fixture
def folder(tmp_path):
    """The session as a module, beside the stubs: checkers pass over what is wrong in installed ones."""
    text = "\n".join(SESSION.findall((REPOSITORY / "docs" / "python.md").read_text()))
    examples = doctest.DocTestParser().get_examples(text)
    assert len(examples) > 20
    (tmp_path / "session.py").write_text("".join(example.source for example in examples) + RIGHT)
    shutil.copytree(pathlib.Path(st.__file__).parent, tmp_path / "structtensor", ignore=shutil.ignore_patterns("*.so", "_*.py"))
    return tmp_path


def check(folder, *command):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, env=environment)


def accepts_only_what_is_right(folder, *command):
    done = check(folder, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    session = folder / "session.py"
    session.write_text(session.read_text() + WRONG)
    done = check(folder, *command)
    assert done.returncode == 1
    lines = session.read_text().splitlines()
    for wrong in WRONG.strip().splitlines():
        assert f"session.py:{lines.index(wrong) + 1}:" in done.stdout, done.stdout


def test_mypy(folder):
    accepts_only_what_is_right(folder, "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", "cache", "session.py")


def test_pyright(folder):
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("the package pyright, which brings Node.js, is not installed")
    (folder / "pyrightconfig.json").write_text('{"reportMissingImports": false, "reportUnusedExpression": false}')
    accepts_only_what_is_right(folder, "pyright", "session.py")
