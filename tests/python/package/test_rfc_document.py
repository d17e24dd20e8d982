"""docs/rfc.md: it is what tools/rfc writes from the tests of the design documents, and a stale row cannot be written."""

import operator
import pathlib
import re
import subprocess
import sys

import pytest

import structtensor as st

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

import rfc_table  # noqa: E402


def test_the_document_is_current():
    done = subprocess.run([REPOSITORY / "tools" / "rfc", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_name_of_the_package_in_it_exists():
    names = set(re.findall(r"\bst((?:\.[A-Za-z_]\w*)+)", (REPOSITORY / "docs" / "rfc.md").read_text()))
    assert len(names) > 70
    for name in names:
        operator.attrgetter(name[1:])(st)


ROW = """
from promises import promise, promise_of_tensorflow

@promise("Indexing", "Keys are applied", python="a | b", cpp="Index()", tensorflow="the same")
def test_keys():
    pass

promise_of_tensorflow("Indexing", "Also in a graph", tensorflow="tf.cond()", shown_by="test_type.py::test_cond")
"""


@pytest.fixture
def repository(tmp_path):
    """A repository with two rows that can be written."""
    for name, text in {
        "tests/rfc/python/structured_tensor/test_01_indexing.py": ROW,
        "tests/python/tensorflow_integration/test_type.py": "def test_cond():\n    pass\n",
        "runtime/structtensor/tensor/values/index.h": "absl::StatusOr<Value> Index(const Value& value, Key key);\n",
        "docs/index.md": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_rows(repository):
    assert rfc_table.main([], repository) == 0
    text = (repository / "docs" / "rfc.md").read_text()
    assert r"| Keys are applied | `a \| b` | `Index()` | the same |  |" in text
    assert "| Also in a graph |  |  | `tf.cond()` (`test_type.py::test_cond`) |  |" in text
    assert "| `structtensor/tensor/values/index.h` | `Index` |" in text
    assert rfc_table.main(["--check"], repository) == 0
    (repository / "docs" / "rfc.md").write_text(text + "\n")
    assert rfc_table.main(["--check"], repository) == 1


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("test_type.py::test_cond", "test_type.py::test_case", "no 'test_case'"),
        ("test_type.py::test_cond", "test_types.py::test_cond", "no 'test_cond'"),
        ('cpp="Index()"', 'cpp="Indexes()"', "declares Indexes()"),
        ('python="a | b"', 'python="missing"', "found 'missing'"),
        ('"Keys are applied"', '""', "what the document asks"),
        ('python="a | b"', "python=1", "found 1"),
        ('python="a | b"', "pythons=''", "pythons"),
        ("tensorflow=", "tensorflow=str()+", "malformed"),
        ("@promise(", "@print(", "test_keys has no promise"),
    ],
)
def test_rows_that_are_wrong(repository, capsys, old, new, problem):
    [path] = repository.glob("tests/rfc/python/*/*.py")
    path.write_text(path.read_text().replace(old, new, 1))
    assert rfc_table.main(["--check"], repository) == 1
    assert problem in capsys.readouterr().err
