"""examples/distributed/beam_spans.py, by two processes of Beam's own runner."""

import collections
import subprocess
import sys

import pytest
from conftest import REPOSITORY


EXAMPLE = REPOSITORY / "examples" / "distributed" / "beam_spans.py"


@pytest.mark.parametrize("mode", [[], ["--direct_num_workers=2", "--direct_running_mode=multi_threading"]])
def test_names_are_counted(otlp, tmp_path, mode):
    files = sorted(map(str, otlp.folder.iterdir()))
    arguments = [str(otlp.descriptor_set), *files, "--output", str(tmp_path / "names.txt"), "--runner=DirectRunner", *mode]
    subprocess.run([sys.executable, EXAMPLE, *arguments], check=True)
    spans = [span for message in otlp.parsed() for r in message.resource_spans for s in r.scope_spans for span in s.spans]
    counts = collections.Counter(span.name for span in spans)
    found = dict(line.rsplit("\t", 1) for line in (tmp_path / "names.txt").read_text().splitlines())
    assert found == {name: str(count) for name, count in counts.items()}
