"""examples/tensorflow: a model is trained on real messages, saved with the decoding inside, and asked in a fresh process."""

import itertools
import json
import math
import pathlib
import subprocess
import sys

import framing
import pytest
import structtensor as st
from real_data import open_real_set

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "tensorflow" / "train_and_serve.py"


def run(*arguments):
    done = subprocess.run([sys.executable, EXAMPLE, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.real_data
@pytest.mark.parametrize("task, name", [("trips", "tfexample_taxi"), ("spans", "otlp_traces_astronomy")])
def test_train_and_serve(task, name, tmp_path):
    pytest.importorskip("keras", minversion="3", reason="there is no Keras 3, which the example needs")
    opened = open_real_set(name)
    printed = run("train", task, opened.messages, tmp_path / "model", *([opened.descriptor_set] if task == "spans" else []))
    first, last = (float(word.rstrip(";")) for word in printed.split("from ")[1].split(" saved")[0].split(" to "))
    assert 0 < last < first
    some = list(itertools.islice(framing.read_delimited(opened.messages), 5))
    (tmp_path / "some.bin").write_bytes(framing.frame_delimited(some))
    answers = json.loads(run("ask", tmp_path / "model", tmp_path / "some.bin"))
    if task == "trips":
        assert len(answers["fare"]) == 5 and all(map(math.isfinite, answers["fare"]))
        return
    schema = st.Schema.from_descriptor_set(opened.descriptor_set.read_bytes(), opened.message)
    spans = (
        schema.decoder(select="resource_spans.scope_spans.spans.name").decode(some).reroot("resource_spans.scope_spans.spans")
    )
    assert answers["name"] == spans["name"].to_py() and len(answers["milliseconds"]) == spans.nrows
    assert sorted(set(answers["message"])) == list(range(5)) and answers["message"] == sorted(answers["message"])


def test_misuse(tmp_path):
    (tmp_path / "cut.bin").write_bytes(b"\x05abc")
    done = subprocess.run(
        [sys.executable, EXAMPLE, "ask", tmp_path, tmp_path / "cut.bin"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "the file ends before" in done.stderr
