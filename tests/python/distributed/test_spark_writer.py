"""Tables written as files of messages."""

import os

import framing
import pytest
from pyspark.errors import AnalysisException, PythonException

import structtensor as st


@pytest.fixture
def write(spark):
    def write(frame, messages, path, mode="append", **options):
        names = {"descriptor_set": str(messages.descriptor_set), "message": messages.message, **options}
        frame.write.format("structtensor").options(**names).mode(mode).save(str(path))

    return write


def payloads_of(folder):
    return [payload for name in sorted(os.listdir(folder)) for payload in framing.read_delimited(folder / name)]


def test_messages_come_back(read, write, otlp, tmp_path):
    write(read(otlp), otlp, tmp_path / "out")
    assert [otlp.message_class.FromString(payload) for payload in payloads_of(tmp_path / "out")] == otlp.parsed()
    assert len(os.listdir(tmp_path / "out")) == 6


def test_enums_by_name_come_back(read, write, otlp, tmp_path):
    frame = read(otlp, enums="names")
    assert "SPAN_KIND_" in str(frame.first().asDict(recursive=True))
    write(frame, otlp, tmp_path / "out")
    assert [otlp.message_class.FromString(payload) for payload in payloads_of(tmp_path / "out")] == otlp.parsed()


def test_real_sets_come_back(read, write, real_set, tmp_path):
    """As columns, since bytes of enclosing types and the order of fields may be others."""
    write(read(real_set), real_set, tmp_path / "out")
    decoder = real_set.schema.decoder(timestamps="us")
    back = decoder.decode(payloads_of(tmp_path / "out"))
    assert back.equals(decoder.decode(real_set.payloads))


def test_appending_and_overwriting(read, write, otlp, tmp_path):
    out, frame = tmp_path / "out", read(otlp).limit(5)
    write(frame, otlp, out)
    write(frame, otlp, out)
    assert len(payloads_of(out)) == 10
    write(frame, otlp, out, mode="overwrite", record_format="tfrecord")
    assert len(st.read(out, otlp.schema, format="tfrecord")) == 5
    (out / "notes.txt").write_text("mine")
    with pytest.raises((AnalysisException, PythonException), match="notes.txt; overwriting would delete them"):
        write(frame, otlp, out, mode="overwrite")
    assert (out / "notes.txt").exists() and len(os.listdir(out)) == 2


def test_columns_have_to_be_fields(spark, write, explicit, tmp_path):
    frame = spark.sql("SELECT 1 AS int32_value, 'x' AS other")
    with pytest.raises((AnalysisException, PythonException), match="other: the message type has no such field"):
        write(frame, explicit, tmp_path / "out")
    write(frame, explicit, tmp_path / "out", ignore_extra_fields="true")
    assert [explicit.message_class.FromString(payload).int32_value for payload in payloads_of(tmp_path / "out")] == [1]


def test_a_failed_job_leaves_nothing(spark, write, explicit, tmp_path):
    frame = spark.range(0, 100, 1, 4).selectExpr("IF(id = 99, -1L, id) AS uint32_value")
    with pytest.raises(PythonException, match="uint32_value"):
        write(frame, explicit, tmp_path / "out")
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"record_format": "json"}, "option record_format = 'json': expected one of delimited, tfrecord"),
        ({"select": "a"}, "no option select of writing"),
        ({"ignore_extra_fields": "1"}, "expected true or false"),
    ],
)
def test_options_are_checked(read, write, explicit, tmp_path, options, problem):
    with pytest.raises((AnalysisException, PythonException), match=problem):
        write(read(explicit).limit(1), explicit, tmp_path / "out", **options)


def test_objects_of_a_store_are_refused(read, write, explicit):
    with pytest.raises((AnalysisException, PythonException), match="and not to buckets"):
        write(read(explicit).limit(1), explicit, "s3://bucket/out")
