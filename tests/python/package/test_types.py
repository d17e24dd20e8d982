"""Type checkers accept the snippets of the pages, and find what is wrong."""

import doctest
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import structtensor as st

pytestmark = pytest.mark.slow

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Code of a design document that has no types, and snippets that continue programs of their readers.
NOT_CHECKED = {"docs/own_types.md", "docs/tensorflow.md", "docs/distributed.md"}
PAGES = [
    page
    for page in [
        REPOSITORY / "README.md",
        *sorted((REPOSITORY / "docs").glob("*.md")),
        *sorted((REPOSITORY / "docs/guides").glob("*.md")),
    ]
    if page.relative_to(REPOSITORY).as_posix() not in NOT_CHECKED and SNIPPET.search(page.read_text())
]
WRONG = """
st.read("a", proto=5)
st.read("a", proto="b").nothing
st.read("a", proto="b", on_error="ignore")
st.read("a", proto="b", max_row=5)
st.read("a", proto="b").to_protobuf(format="json")
st.StructuredTensorSpec(None, {})
st.scan("a", proto="b").select(5)
st.strings.upper(["a"], nme="b")
"""
RIGHT = """
st.read("a", proto="b", enums="names", threads=2).to_protobuf(format="base64").hex()
st.StructuredTensorSpec((None,), {"a": st.TensorSpec((None,))})
st.scan(b"a", proto="b").select("a", "b").select(["a"]).drop(("b",))
st.spark.decode
[st.MapKey("a").key, hash(st.MapKey(5)), st.math.log10([1.0]), st.io.VarLenFeature("string").dtype]
"""
# Beyond the strict mode, because snippets have no annotations, and most packages around this one have no types.
PYRIGHT = {"typeCheckingMode": "strict", "exclude": ["structtensor"]} | {
    f"report{rule}": False
    for rule in (
        ["MissingImports", "MissingModuleSource", "MissingParameterType", "MissingTypeStubs", "UnusedExpression"]
        + ["UnknownArgumentType", "UnknownLambdaType", "UnknownMemberType", "UnknownParameterType", "UnknownVariableType"]
        + ["OptionalMemberAccess", "UntypedBaseClass"]
    )
}


def program_of(page):
    """The snippets of a page, one after the other, without the output of sessions."""
    parts = []
    for snippet in SNIPPET.findall(page.read_text()):
        is_session = snippet.startswith(">>>")
        parts += [example.source for example in doctest.DocTestParser().get_examples(snippet)] if is_session else [snippet]
    return "".join(parts)


@pytest.fixture
def folder(tmp_path):
    """The snippets of each page as a module, beside the stubs: checkers pass over what is wrong in installed ones."""
    assert len(PAGES) > 8
    for page in PAGES:
        (tmp_path / f"{page.stem}_page.py").write_text(program_of(page))
    with (tmp_path / "python_page.py").open("a") as session:
        session.write(RIGHT)
    shutil.copytree(
        pathlib.Path(st.__file__).parent, tmp_path / "structtensor", ignore=shutil.ignore_patterns("*.so", "_[a-su-z]*.py")
    )
    return tmp_path


def check(folder, *command):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, env=environment)


def accepts_only_what_is_right(folder, *command):
    done = check(folder, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    session = folder / "python_page.py"
    session.write_text(session.read_text() + WRONG)
    done = check(folder, *command)
    assert done.returncode == 1
    lines = session.read_text().splitlines()
    for wrong in WRONG.strip().splitlines():
        assert f"python_page.py:{lines.index(wrong) + 1}:" in done.stdout, done.stdout


def test_mypy(folder):
    accepts_only_what_is_right(folder, "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", "cache", "python_page.py")


def test_pyright(folder):
    (folder / "pyrightconfig.json").write_text(json.dumps(PYRIGHT))
    accepts_only_what_is_right(folder, "pyright", "--pythonpath", sys.executable)
