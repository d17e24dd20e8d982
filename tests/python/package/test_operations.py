"""The one list of elementwise functions and reductions, and what is made of it."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import structtensor as st
from structtensor import _dispatch, _functions, _numpy, _operations

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

import operations_table  # noqa: E402


def test_what_is_written_is_current():
    done = subprocess.run([REPOSITORY / "tools" / "operations", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_package_has_the_list_that_the_stubs_are_made_of():
    listed = operations_table.operations((REPOSITORY / operations_table.LIST).read_text())
    assert {o.name: (o.kind, o.elements, o.ufunc, o.sentence) for o in listed} == _operations.ALL
    assert len(listed) == len(_operations.ALL) > 70


@pytest.mark.parametrize("name", _operations.ALL)
def test_each_operation_is_everywhere(name):
    operation, function = _operations.ALL[name], _functions.ALL[name]
    module, public = _operations.place_of(name)
    assert module and getattr(getattr(st, module), public) is function and public in getattr(st, module).__all__
    assert " ".join(function.__doc__.split()).startswith(operation.sentence)
    is_one = {
        "unary": st.dispatch.is_unary_elementwise_op,
        "binary": st.dispatch.is_binary_elementwise_op,
        "reduction": st.dispatch.is_reduction_op,
    }
    assert is_one[operation.kind](function) and name in _dispatch._apis
    if operation.ufunc:
        assert _numpy.UFUNCS[getattr(np, operation.ufunc)].__name__ in (name, "compare")


def test_headers_declare_each_operation():
    folder = (REPOSITORY / operations_table.LIST).parents[1]
    headers = "".join(path.read_text() for path in folder.glob("*.h"))
    for operation in operations_table.operations((REPOSITORY / operations_table.LIST).read_text()):
        assert re.search(rf"StatusOr<Value> {operation.function}\(const Value& ", headers), operation.function


def test_a_list_that_cannot_be_read(tmp_path, capsys):
    for path in (operations_table.LIST, operations_table.PAGE, *operations_table.STUBS.values()):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((REPOSITORY / path).read_text())
    assert operations_table.main([], tmp_path) == 0
    assert operations_table.main(["--check"], tmp_path) == 0
    stub = tmp_path / operations_table.STUBS["math"]
    stub.write_text(stub.read_text().replace("def cbrt", "def cubic_root"))
    assert operations_table.main(["--check"], tmp_path) == 1
    assert "math.pyi is not current" in capsys.readouterr().err
    text = (tmp_path / operations_table.LIST).read_text()
    (tmp_path / operations_table.LIST).write_text(text.replace("X(abs, Abs,", "X(abs Abs,"))
    assert operations_table.main(["--check"], tmp_path) == 1
    assert "cannot read X(abs Abs" in capsys.readouterr().err
