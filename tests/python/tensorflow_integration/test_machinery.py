"""What TensorFlow does with our structs, at ranks 0 to 3. With STRUCTTENSOR_TENSORFLOW_TABLE, a file, the outcomes are written
there, and those of TensorFlow's own StructuredTensor beside them: tools/tensorflow --table."""

import json
import os
import pathlib

import machinery
import pytest
import tensorflow as tf

TABLE = os.environ.get("STRUCTTENSOR_TENSORFLOW_TABLE")


def test_lines_of_errors():
    in_graph = "Graph execution error:\n\nDetected at node a:\n  File \"a.py\", line 1\n\nIt is wrong.\n\t [[{{node a}}]]"
    in_function = "in user code:\n\n    File \"a.py\", line 1, in f  *\n        f(x)\n\n    ValueError: It is wrong.\n"
    assert machinery.line_of(in_graph) == "It is wrong."
    assert machinery.line_of(in_function) == "ValueError: It is wrong."
    assert machinery.line_of("{{function_node f}} It is wrong.\n more") == "It is wrong."
    assert machinery.line_of("a" * 181) == "a" * 180 + " ..."


def test_what_another_process_finds_wrong_is_an_error_here(monkeypatch):
    structs = machinery.ours(machinery.lists_of(1), 1)
    monkeypatch.setattr(machinery, "total", lambda structs: tf.constant(-1.0))  # in the model, which is made here
    with pytest.raises(Exception, match="-1.0 instead of 3.5") as problem:
        machinery.saved_model_takes(structs, None)
    assert problem.type.__name__ == "AssertionError" and machinery._process_that_uses_models().poll() is None


@pytest.mark.parametrize("name", machinery.ROWS, ids=lambda name: machinery.ROWS[name].__name__)
def test_machinery(name):
    check = machinery.ROWS[name]
    found = {rank: machinery.outcome(check, machinery.ours, rank) for rank in machinery.RANKS}
    if TABLE:
        theirs = {rank: machinery.outcome(check, machinery.theirs, rank) for rank in machinery.RANKS}
        line = {
            "tensorflow": tf.__version__,
            "row": name,
            "number": list(machinery.ROWS).index(name),
            "ours": found,
            "theirs": theirs,
        }
        with open(pathlib.Path(TABLE), "a") as file:
            file.write(json.dumps(line) + "\n")
    missing = [outcome for outcome in found.values() if outcome.startswith("not installed")]
    if missing:
        pytest.skip(missing[0])
    if check in machinery.CANNOT:
        assert not set(found.values()) <= {"yes", ""}, "TensorFlow can do it now: say so in machinery.CANNOT"
    else:
        assert set(found.values()) <= {"yes", ""}, found
        assert "yes" in found.values()
