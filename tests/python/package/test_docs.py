"""The sessions of docs/python.md, of docs/own_types.md and of the README, as they are written."""

import datetime
import doctest
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest

import structtensor as st

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
RECIPES = REPOSITORY / "examples" / "recipes"
# How the README makes the recipes.
MAKING = re.compile(r"^```sh\n(cat > recipes.jsonl .*?)^```$", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)
# A row of a table: the code in its two cells, with other text after it or not.
ROW = re.compile(r"^\| `([^|]*?)` \| `([^|`]*)`[^|]*\|$", re.MULTILINE)
CODE = re.compile(r"^```python\n((?!>>> ).*?)^```$", re.MULTILINE | re.DOTALL)


def run_session(document, names):
    """Runs the session of a document, whose blocks go on where the one before ended. It starts with these names."""
    blocks = SESSION.findall((REPOSITORY / document).read_text())
    assert blocks
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), names, document, document, 0)
    assert len(session.examples) >= 4
    output = []
    result = doctest.DocTestRunner().run(session, out=output.append)
    assert result.failed == 0, "".join(output)


@pytest.fixture
def recipes_folder(tmp_path, monkeypatch):
    """The current folder, with the files of the README."""
    shutil.copy(RECIPES / "recipe.proto", tmp_path)
    arguments = [shutil.which("protoc"), RECIPES / "recipes.txtpb", tmp_path / "recipes.pb"]
    subprocess.run([sys.executable, RECIPES / "make_recipes.py", *arguments], check=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("document", ["docs/python.md", "README.md"])
def test_the_session_prints_what_it_says(document, recipes_folder):
    run_session(document, {})


def plain(value):
    """A value of pandas or of the package as Python's objects, with None for what is absent."""
    if isinstance(value, pd.DataFrame):
        return [{name: plain(cell) for name, cell in row.items()} for row in value.to_dict("records")]
    if isinstance(value, pd.Series):
        return [plain(cell) for cell in value.tolist()]
    if isinstance(value, (st.Tensor, st.RaggedTensor, st.StructuredTensor)):
        return value.to_py()
    return None if value is pd.NA else value


def test_expressions_of_other_libraries_have_the_results_that_the_document_says(recipes_folder):
    text = (REPOSITORY / "docs/coming_from.md").read_text()
    names = {"st": st, "pd": pd}
    exec("".join(line.removeprefix(">>> ") + "\n" for block in SESSION.findall(text) for line in block.splitlines()), names)
    _, pandas, polars, tensorflow = re.split("^## .*$", text, flags=re.MULTILINE)
    rows = ROW.findall(pandas)
    assert len(rows) >= 25
    for theirs, ours in rows:
        assert plain(eval(theirs, names)) == plain(eval(ours, names)), theirs
    features, example = {"x": st.io.FixedLenFeature([], st.int64, default_value=0)}, b""
    names |= {"rt": st.ragged.constant([[1, 2], [3]]), "mask": st.ragged.constant([[True, False], [True]])}
    names |= {"schema": st.Schema.from_proto("recipe.proto"), "messages": [example], "features": features}
    names["f"] = lambda row: row + 1
    rows = ROW.findall(polars + tensorflow)
    assert len(rows) >= 20
    for _, ours in rows:
        eval(ours, names)


def test_the_types_of_the_document_of_own_types(monkeypatch):
    document = "docs/own_types.md"
    code = CODE.findall((REPOSITORY / document).read_text())
    assert len(code) >= 9
    # Pickles import the classes from their module.
    module = types.ModuleType("own_types")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile("\n".join(code), document, "exec"), vars(module))
    run_session(document, vars(module))


def test_the_readme_makes_the_recipes(tmp_path):
    shutil.copy(RECIPES / "recipe.proto", tmp_path)
    arguments = [shutil.which("protoc"), RECIPES / "recipes.txtpb", tmp_path / "expected.pb"]
    subprocess.run([sys.executable, RECIPES / "make_recipes.py", *arguments], check=True)
    [commands] = MAKING.findall((REPOSITORY / "README.md").read_text())
    command = shlex.join([sys.executable, "-m", "structtensor"])
    subprocess.run(["bash", "-ec", f'structtensor() {{ {command} "$@"; }}\n{commands}'], cwd=tmp_path, check=True)
    assert (tmp_path / "recipes.pb").read_bytes() == (tmp_path / "expected.pb").read_bytes()


def test_what_the_document_of_python_says_of_values(tmp_path):
    nan = st.constant([{"f": float("nan")}])
    assert not nan.equals(nan) and not nan == nan and (nan["f"] == nan["f"]).to_py() == [False]
    assert st.constant(np.array([5], "timedelta64[ms]")).to_py() == [datetime.timedelta(milliseconds=5)]
    next_day = datetime.datetime(1970, 1, 2, tzinfo=datetime.timezone.utc)
    assert st.constant(np.array(["1970-01-02"], "datetime64[s]")).to_py() == [next_day]
    empty = st.constant(np.zeros(0, "int64"))
    assert st.reduce_max(empty).item() == -(2**63) and st.reduce_min(empty).item() == 2**63 - 1
    proto, messages = tmp_path / "a.proto", [b"\x08\x05", b"\x08\x01", b"\x08\x02"]
    proto.write_text('syntax = "proto3"; message A { int32 x = 1; }')
    (tmp_path / "a.pb").write_bytes(b"".join(bytes([len(message)]) + message for message in messages))
    assert st.read(tmp_path / "a.pb", proto=proto, where="x < 3", limit=2, format="delimited")["x"].to_py() == [1]
