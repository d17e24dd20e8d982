"""docs/tutorial.md, step by step: files are written as they stand there, commands and sessions print what they should."""

import doctest
import os
import pathlib
import re
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TEXT = (REPOSITORY / "docs" / "tutorial.md").read_text()
# Blocks in their order, each with the paragraph above it, which names the file that a block is.
BLOCK = re.compile(r"((?:^(?!```)[^\n]+\n)*)\n*^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [match.groups() for match in BLOCK.finditer(TEXT)]
NAMED = re.compile(r"`([\w.]+\.(?:proto|jsonl|txt|cc))`")


@pytest.fixture(scope="module")
def installed():
    """The folder that tools/install has installed into."""
    if "STRUCTTENSOR_PREFIX" not in os.environ:
        pytest.skip("STRUCTTENSOR_PREFIX does not name a folder that tools/install has installed into")
    pytest.importorskip("structtensor", reason="the Python package is not installed")
    return pathlib.Path(os.environ["STRUCTTENSOR_PREFIX"])


def environment(prefix):
    found_in = [str(prefix), *filter(None, [os.environ.get("CMAKE_PREFIX_PATH")])]
    return {
        **os.environ,
        "PATH": f"{prefix}/bin:{os.environ['PATH']}",
        "CMAKE_PREFIX_PATH": ":".join(found_in),
    }


def run_commands(command, expected, folder, prefix):
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=environment(prefix), capture_output=True, text=True, check=False
    )
    logs = "".join(path.read_text() for path in folder.glob("*.log"))
    assert (done.returncode, done.stdout) == (0, expected), f"{command}\n{done.stderr}{logs}"


def test_every_step_does_what_it_says(installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sum(language == "sh" for _, language, _ in BLOCKS) == 7
    assert len(re.findall("^```", TEXT, re.MULTILINE)) == 2 * len(BLOCKS)
    names = {}
    for at, (above, language, text) in enumerate(BLOCKS):
        if language == "sh":
            follows = BLOCKS[at + 1] if at + 1 < len(BLOCKS) else ("", "", "")
            run_commands(text, follows[2] if follows[1] == "text" else "", tmp_path, installed)
        elif language == "python":
            output = []
            session = doctest.DocTestParser().get_doctest(text, names, "docs/tutorial.md", "docs/tutorial.md", 0)
            session.globs = names  # blocks go on where the one before ended
            result = doctest.DocTestRunner().run(session, out=output.append, clear_globs=False)
            assert result.failed == 0 and result.attempted > 0, "".join(output)
        elif language == "text":
            assert BLOCKS[at - 1][1] == "sh"
        else:
            named = NAMED.findall(above)
            assert named, f"no file is named above the block of {language}"
            (tmp_path / named[-1]).write_text(text)
