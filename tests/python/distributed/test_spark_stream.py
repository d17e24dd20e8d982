"""Streams of a growing folder."""

import inspect
import pathlib

import framing
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql.datasource import DataSourceStreamReader


SAYS_WHERE = "limit" in inspect.signature(DataSourceStreamReader.latestOffset).parameters


def add(folder, name, payloads):
    """As writers have to: a hidden name until the file is complete."""
    (folder / f".{name}").write_bytes(framing.frame_delimited(payloads))
    (folder / f".{name}").rename(folder / name)


def start(spark, otlp, folder, state, **options):
    stream = spark.readStream.format("structtensor").options(**otlp.options(select="/span_id/", **options)).load(str(folder))
    writer = stream.writeStream.format("parquet").option("path", str(state / "table"))
    return writer.option("checkpointLocation", str(state / "checkpoint")).trigger(availableNow=True).start()


def test_files_are_read_once_whenever_they_come(spark, otlp, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()

    def count():
        query = start(spark, otlp, folder, tmp_path)
        assert query.awaitTermination(120)
        return spark.read.parquet(str(tmp_path / "table")).count()

    add(folder, "b.pb", otlp.payloads[:10])
    assert count() == 10
    assert count() == 10
    # A file whose name sorts before the first file's, and whose modification time is earlier.
    add(folder, "a.pb", otlp.payloads[10:15])
    (folder / "_unfinished").write_bytes(b"\xff")
    add(folder, "c.pb", otlp.payloads[15:17])
    assert count() == 17
    (folder / "b.pb").unlink()
    add(folder, "d.pb", otlp.payloads[17:18])
    assert count() == 18


@pytest.mark.skipif(not SAYS_WHERE, reason="the option max_files is for Spark 4.2 and later")
def test_a_query_that_runs_sees_new_files(spark, otlp, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    add(folder, "0.pb", otlp.payloads[:2])
    reader = spark.readStream.format("structtensor").options(**otlp.options(select="/span_id/", max_files="1"))
    query = reader.load(str(folder)).writeStream.format("memory").queryName("running").start()
    try:
        query.processAllAvailable()
        assert spark.table("running").count() == 2
        for i in range(1, 4):
            add(folder, f"{i}.pb", otlp.payloads[2 * i : 2 * i + 2])
        query.processAllAvailable()
        assert spark.table("running").count() == 8
        batches = [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"]]
        assert batches == [2, 2, 2, 2]
    finally:
        query.stop()


def test_a_broken_file_ends_the_query(spark, otlp, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    add(folder, "bad.pb", [b"\x0a\xff\x01"])
    query = start(spark, otlp, folder, tmp_path)
    with pytest.raises(StreamingQueryException, match=r"bad\.pb"):
        query.awaitTermination(120)


def test_a_stream_has_one_folder(spark, otlp, tmp_path):
    with pytest.raises((AnalysisException, StreamingQueryException), match="one folder"):
        paths = [str(tmp_path), str(pathlib.Path(tmp_path))]
        reader = spark.readStream.format("structtensor").options(**otlp.options(paths=str(paths).replace("'", '"')))
        reader.load().writeStream.format("memory").queryName("refused").start().processAllAvailable()
