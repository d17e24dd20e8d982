"""The session of docs/databases.md, as it is written but for the address of the database."""

import doctest
import pathlib
import re
import shutil
import subprocess
import sys

import firebase_server
import spanner_server
from spanner_server import type_of

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
RECIPES = REPOSITORY / "examples" / "recipes"
SESSION = re.compile(r"^```python\n(>>> .*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_session_prints_what_it_says(tmp_path, monkeypatch):
    shutil.copy(RECIPES / "recipe.proto", tmp_path)
    arguments = [shutil.which("protoc"), RECIPES / "recipes.txtpb", tmp_path / "recipes.pb"]
    subprocess.run([sys.executable, RECIPES / "make_recipes.py", *arguments], check=True)
    monkeypatch.chdir(tmp_path)
    blocks = SESSION.findall((REPOSITORY / "docs" / "databases.md").read_text())
    spanner = spanner_server.Server()
    fields = [("id", type_of("INT64")), ("recipe", type_of("PROTO", proto="cookbook.Recipe"))]
    spanner.tables["Menu"] = spanner_server.Table(fields, "id")
    with (
        firebase_server.running(firebase_server.Database()) as root,
        spanner_server.running(spanner) as address,
        spanner_server.environment(SPANNER_EMULATOR_HOST=address),
    ):
        text = "\n".join(blocks).replace("https://kitchen.firebaseio.com", root)
        session = doctest.DocTestParser().get_doctest(text, {}, "docs/databases.md", "docs/databases.md", 0)
        assert len(session.examples) >= 10
        output = []
        result = doctest.DocTestRunner().run(session, out=output.append)
    assert result.failed == 0, "".join(output)
