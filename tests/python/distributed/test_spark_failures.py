"""Broken messages, and executors that die: nothing is lost, and nothing comes twice."""

import collections
import os
import pathlib
import signal
import threading
import time

import framing
import pytest
from pyspark.errors import PythonException
from rows import assert_equal_rows, expected_rows, rows_of, table_of


BROKEN = b"\x0a\xff\x01"


@pytest.fixture(scope="module")
def damaged(otlp, tmp_path_factory):
    """1,000 messages in 8 files. Message 700 is damaged."""
    folder = tmp_path_factory.mktemp("damaged")
    payloads = [otlp.payloads[i % len(otlp.payloads)] for i in range(1000)]
    payloads[700] = BROKEN
    for i in range(8):
        (folder / f"{i}.pb").write_bytes(framing.frame_delimited(payloads[125 * i : 125 * (i + 1)]))
    return folder, payloads


def test_one_damaged_message_in_a_thousand(read, otlp, damaged):
    folder, payloads = damaged
    table = table_of(read(otlp, path=folder, on_error="skip", select="/span_id/"))
    assert table.num_rows == 999
    (letter,) = read(otlp, path=folder, mode="dead_letters").collect()
    offset = sum(len(framing.frame_delimited([payload])) for payload in payloads[625:700]) + 1
    assert (letter["file"], letter["record"], letter["record_offset"]) == (str(folder / "5.pb"), 75, offset)
    assert (letter["byte_offset"], letter["field_path"], bytes(letter["value"])) == (1, "resource_spans", BROKEN)
    assert "runs past the end" in letter["reason"]
    with pytest.raises(PythonException, match=r"5\.pb.*resource_spans"):
        read(otlp, path=folder).collect()
    nulls = rows_of(table_of(read(otlp, path=folder, on_error="null", select="/span_id/")))
    assert len(nulls) == 1000
    assert nulls[700]["resource_spans"] == []


def test_many_dead_letters_come_in_batches(read, otlp, tmp_path):
    (tmp_path / "bad.pb").write_bytes(framing.frame_delimited([BROKEN, otlp.payloads[0]] * 10_001 + [BROKEN]))
    letters = read(otlp, path=tmp_path, mode="dead_letters").collect()
    assert [letter["record"] for letter in letters] == list(range(0, 20_003, 2))
    assert {bytes(letter["value"]) for letter in letters} == {BROKEN}


def test_too_many_broken_messages_are_an_error(read, otlp, damaged):
    with pytest.raises(PythonException, match="max_errors"):
        read(otlp, path=damaged[0], on_error="skip", max_errors="0").collect()


def executors(spark):
    """The processes of this session's executors."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        backend, application = "org.apache.spark.executor.CoarseGrainedExecutorBackend", spark.sparkContext.applicationId
        if backend.encode() in words and application.encode() in words:
            found.append(int(folder.name))
    return found


class Killed:
    """While the block runs, an executor is killed as soon as some tasks of the job have ended and others have not."""

    def __init__(self, spark):
        self._spark = spark
        self._thread = threading.Thread(target=self._kill)
        self.killed = []

    def _kill(self):
        tracker = self._spark.sparkContext.statusTracker()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
                if stage is not None and 2 <= stage.numCompletedTasks < stage.numTasks - 1:
                    self.killed = executors(self._spark)[:1]
                    for process in self.killed:
                        os.kill(process, signal.SIGKILL)
                    return
            time.sleep(0.02)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._thread.join()
        assert self.killed, "no executor was there to be killed while the job ran"


def slowed(frame):
    """The same rows, and a quarter of a second for each partition."""

    def wait(batches):
        time.sleep(0.25)
        yield from batches

    return frame.mapInArrow(wait, frame.schema)


def test_an_executor_that_dies_changes_no_row(spark, read, otlp, damaged):
    folder, payloads = damaged
    assert len(executors(spark)) == 2
    frame = slowed(read(otlp, path=folder, on_error="skip", select="/span_id/"))
    with Killed(spark):
        table = table_of(frame)
    good = [otlp.message_class.FromString(payload) for payload in payloads if payload is not BROKEN]
    scopes = [s for m in good for r in m.resource_spans for s in r.scope_spans]
    found = [s for m in rows_of(table) for r in m["resource_spans"] for s in r["scope_spans"]]
    assert [[span["span_id"] for span in s["spans"]] for s in found] == [[span.span_id for span in s.spans] for s in scopes]


def test_an_executor_that_dies_repeats_no_dead_letter(spark, read, otlp, damaged):
    with Killed(spark):
        letters = slowed(read(otlp, path=damaged[0], mode="dead_letters")).collect()
    assert [(os.path.basename(letter["file"]), letter["record"]) for letter in letters] == [("5.pb", 75)]


def test_an_executor_that_dies_writes_no_message_twice(spark, read, otlp, damaged, tmp_path):
    folder, payloads = damaged
    frame = slowed(read(otlp, path=folder, on_error="skip"))
    with Killed(spark):
        frame.write.format("structtensor").options(**otlp.options()).mode("append").save(str(tmp_path / "out"))
    names = sorted(os.listdir(tmp_path / "out"))
    assert len(names) == 8 and all(name.startswith("part-") for name in names)
    written = [payload for name in names for payload in framing.read_delimited(tmp_path / "out" / name)]
    expected = collections.Counter(payload for payload in payloads if payload is not BROKEN)
    canonical = [otlp.message_class.FromString(payload).SerializeToString(deterministic=True) for payload in written]
    assert collections.Counter(canonical) == collections.Counter(
        otlp.message_class.FromString(payload).SerializeToString(deterministic=True) for payload in expected.elements()
    )
    assert len(written) == 999


def test_what_is_wrong_in_a_task_says_where(read, otlp, tmp_path):
    (tmp_path / "cut.pb").write_bytes(framing.frame_delimited(otlp.payloads[:3])[:-5])
    with pytest.raises(PythonException, match=r"cut\.pb"):
        read(otlp, path=tmp_path).collect()
    (letter,) = read(otlp, path=tmp_path, mode="dead_letters", on_damaged_file="rest").collect()
    assert (letter["record"], bytes(letter["value"])) == (2, otlp.payloads[2][:-5])
    assert_equal_rows(
        expected_rows(otlp.parsed()[:2]),
        rows_of(table_of(read(otlp, path=tmp_path, on_damaged_file="rest"))),
    )
