"""examples/distributed/dask_spans.py, and that processes of Dask's scheduler give the same."""

import collections
import subprocess
import sys

import pytest
from conftest import REPOSITORY


EXAMPLE = REPOSITORY / "examples" / "distributed" / "dask_spans.py"


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_means_are_computed(otlp, tmp_path, scheduler):
    files = sorted(map(str, otlp.folder.iterdir()))
    (tmp_path / "run.py").write_text(
        f"import dask, sys\nsys.path.insert(0, {str(EXAMPLE.parent)!r})\nimport dask_spans\n"
        f"if __name__ == '__main__':\n    dask.config.set(scheduler={scheduler!r})\n    dask_spans.main()\n"
    )
    command = [sys.executable, tmp_path / "run.py", otlp.descriptor_set, *files]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    times = collections.defaultdict(list)
    for message in otlp.parsed():
        for span in (span for r in message.resource_spans for s in r.scope_spans for span in s.spans):
            times[span.name].append(span.end_time_unix_nano - span.start_time_unix_nano)
    assert lines == [f"{name}\t{sum(times[name]) / len(times[name]):.1f}" for name in sorted(times)]
