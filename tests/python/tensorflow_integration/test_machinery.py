"""What TensorFlow does with our structs, at ranks 0 to 3. With STRUCTTENSOR_TENSORFLOW_TABLE, a file, the outcomes are written
there, and those of TensorFlow's own StructuredTensor beside them: tools/tensorflow --table."""

import json
import os
import pathlib

import machinery
import pytest
import tensorflow as tf

TABLE = os.environ.get("STRUCTTENSOR_TENSORFLOW_TABLE")


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
