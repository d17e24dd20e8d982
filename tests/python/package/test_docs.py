"""The sessions of docs/python.md and of the README, as they are written."""

import doctest
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
RECIPES = REPOSITORY / "examples" / "recipes"
SESSION = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["docs/python.md", "README.md"])
def test_the_session_prints_what_it_says(document, tmp_path, monkeypatch):
    shutil.copy(RECIPES / "recipe.proto", tmp_path)
    arguments = [shutil.which("protoc"), RECIPES / "recipes.txtpb", tmp_path / "recipes.pb"]
    subprocess.run([sys.executable, RECIPES / "make_recipes.py", *arguments], check=True)
    monkeypatch.chdir(tmp_path)
    text = (REPOSITORY / document).read_text()
    blocks = SESSION.findall(text)
    assert blocks
    # Blocks go on where the one before ended.
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, document, document, 0)
    assert len(session.examples) >= 4
    output = []
    result = doctest.DocTestRunner().run(session, out=output.append)
    assert result.failed == 0, "".join(output)
