"""The documents: files that they name exist, links resolve, and their C++ is the C++ that the tests compile."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import commands
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
DOCUMENTS += sorted((REPOSITORY / "docs").rglob("*.md"))

FOLDERS = "benchmarks|cmake|compiler|docs|examples|proto_schemas|python|runtime|tests|tools"
# A path from the top of the repository, and not one inside another folder ("build/bench/benchmarks/...").
PATH = re.compile(rf"(?<![\w/.@$-])(?:{FOLDERS})/[\w./-]*[\w/]")
# Where names start: headers at an include directory, folders as CONTRIBUTING.md draws them below it.
ROOTS = [REPOSITORY, *(REPOSITORY / root for root in ("runtime", "compiler", "runtime/structtensor", "compiler/structtensor"))]
HEADER = re.compile(r"\bstructtensor/((?:\w+/)+\w+\.h)\b")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def without_fences(text):
    return FENCE.sub("", text)


def anchors(document):
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ +(.+?) *$", without_fences(document.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def code_lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def contains(lines, wanted):
    return any(lines[i : i + len(wanted)] == wanted for i in range(len(lines) - len(wanted) + 1))


@every_document
def test_named_files_exist(document):
    text = document.read_text()
    names = {match.group() for match in PATH.finditer(text)}
    names |= {match.group() for match in HEADER.finditer(text)}
    missing = sorted(name for name in names if not any((root / name).exists() for root in ROOTS))
    assert not missing, f"{document.name} names what does not exist: {', '.join(missing)}"


@every_document
def test_links_resolve(document):
    broken = []
    for target in LINK.findall(without_fences(document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = document if path == "" else document.parent / path
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            broken.append(target)
    assert not broken, f"{document.name} links to what does not exist: {', '.join(broken)}"


@every_document
def test_links_are_named_as_their_pages_are(document):
    files = re.findall(r"\[([^\]]*\.md)\]\(", without_fences(document.read_text()))
    assert not files, f"{document.name}: write the title of a page, not its file, in {', '.join(files)}"


@every_document
def test_pictures_exist(document):
    for target in re.findall(r"!\[[^\]]+\]\(([^)\s]+)\)", without_fences(document.read_text())):
        assert (document.parent / target).is_file(), target


def test_the_picture_of_speed_is_drawn_from_the_table():
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tools" / "speed_plot.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@every_document
def test_every_document_is_finished(document):
    leftovers = re.findall(r"@[A-Z_]+@|\bTODO\b|\bFIXME\b", document.read_text())
    assert not leftovers, f"{document.name} still has {', '.join(leftovers)}"


@pytest.mark.parametrize("page", ["generated_code", "cpp"])
def test_cpp_of_documents_is_compiled(page):
    document = REPOSITORY / "docs" / f"{page}.md"
    sources = (f"{page}_snippets.cc", "file_snippets.cc")
    folder = REPOSITORY / "tests/packaging/documents"
    compiled = code_lines("".join((folder / source).read_text() for source in sources))
    snippets = [text for language, text in FENCE.findall(document.read_text()) if language == "cpp"]
    assert snippets
    for snippet in snippets:
        assert contains(compiled, code_lines(snippet)), f"not in the sources of tests/packaging/documents:\n{snippet}"


def sessions(document):
    """Commands with what they print: blocks of text right after blocks of shell."""
    return re.findall(r"^```sh\n(structtensor .*?)\n```\n\n```text\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)


def test_the_sessions_of_the_readme_print_what_it_says(tmp_path):
    folder = pathlib.Path(commands.command_path("structtensor")).parent
    shutil.copy(REPOSITORY / "examples" / "recipes" / "recipe.proto", tmp_path)
    shutil.copy(folder.parent / "examples" / "recipes" / "recipes.pb", tmp_path)
    found = sessions(REPOSITORY / "README.md")
    assert len(found) == 2
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    for command, printed in found:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, printed), f"{command}\n{done.stderr}"
