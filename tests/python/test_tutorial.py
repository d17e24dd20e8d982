"""docs/tutorial.md, step by step: files are written as they appear there, commands and sessions print what they should."""

import doctest
import os
import pathlib
import re
import shutil
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


def block_of(name):
    """The contents of a file of the tutorial."""
    return next(text for above, _, text in BLOCKS if NAMED.findall(above)[-1:] == [name])


@pytest.fixture(scope="module")
def program(installed, tmp_path_factory):
    """Builds the tutorial's program from `source` with compiler flags, and returns the folder."""

    def build(flags, source):
        folder = tmp_path_factory.mktemp("weather")
        for name in ("weather.proto", "reports.jsonl"):
            (folder / name).write_text(block_of(name))
        (folder / "readings.cc").write_text(source)
        cmake = next(text for _, language, text in BLOCKS if language == "cmake")
        (folder / "CMakeLists.txt").write_text(cmake)
        convert = "structtensor convert -p weather.proto -m Report reports.jsonl -o reports.pb --quiet"
        configure = f"cmake -S . -B build '-DCMAKE_CXX_FLAGS={flags}' >configure.log"
        run_commands(f"{convert} && {configure} && cmake --build build >build.log", "", folder, installed)
        return folder

    return build


SOURCE = next(text for _, language, text in BLOCKS if language == "cpp")
PRINTED = BLOCKS[-1][2]


# The installed libraries have no sanitizer: generated code is compiled with the program.
def test_the_program_is_clean_with_the_address_sanitizer(program, installed):
    folder = program("-O1 -fsanitize=address,undefined -fno-sanitize-recover=all", SOURCE)
    run_commands("build/readings", PRINTED, folder, installed)


# The thread sanitizer reports accesses past a block of the heap, too.
def test_the_program_is_clean_with_the_thread_sanitizer(program, installed):
    folder = program("-O1 -fsanitize=thread", SOURCE)
    run_commands("setarch --addr-no-randomize build/readings", PRINTED, folder, installed)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_the_program_is_clean_with_valgrind(program, installed):
    declaration = "weather::ReportDecoder decoder;"
    assert SOURCE.count(declaration) == 1
    copies = "weather::ReportDecoder decoder = *weather::ReportDecoder::Create({.copy_messages = true});"
    folder = program("-O1 -g", SOURCE.replace(declaration, copies))
    run_commands("valgrind --quiet --error-exitcode=9 build/readings", PRINTED, folder, installed)


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
