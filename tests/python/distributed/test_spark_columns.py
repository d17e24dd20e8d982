"""structtensor.spark.decode() and encode(): binary columns, such as Kafka's."""

import pytest
from pyspark.errors import PythonException
from pyspark.sql import functions as F
from rows import assert_equal_rows, expected_rows, rows_of, table_of

import structtensor as st


BROKEN = b"\x0a\xff\x01"


@pytest.fixture(scope="module")
def topic(spark, otlp):
    """Messages as a topic has them, with a null among them and two that are broken."""
    values = [*otlp.payloads[:50], None, BROKEN, *otlp.payloads[50:60], BROKEN]
    return spark.createDataFrame(list(enumerate(values)), "key INT, value BINARY").repartition(3, "key").cache()


def by_key(frame):
    return sorted(rows_of(table_of(frame)), key=lambda row: row["key"])


def test_messages_become_structs_and_broken_ones_null(topic, otlp):
    frame = st.spark.decode(topic, "value", otlp.schema, errors="problem")
    assert frame.columns == ["key", "value", "problem"]
    rows = by_key(frame)
    expected = expected_rows(otlp.parsed()[:60])
    expected[50:50] = [None, None]
    assert_equal_rows([*expected, None], [row["value"] for row in rows])
    assert [row["key"] for row in rows if row["problem"] is not None] == [51, 62]
    problem = rows[51]["problem"]
    assert (problem["byte"], problem["path"], problem["value"]) == (1, "resource_spans", BROKEN)
    assert "runs past the end" in problem["problem"]


def test_fields_can_be_chosen_and_become_columns(topic, otlp):
    frame = st.spark.decode(topic, "value", otlp.schema, select="resource_spans.schema_url").select("key", "value.*")
    rows = by_key(frame)
    assert rows[3]["resource_spans"] == [{"schema_url": r.schema_url} for r in otlp.parsed()[3].resource_spans]
    assert rows[51]["resource_spans"] is None


def test_broken_messages_may_be_left_out_or_end_the_query(topic, otlp):
    rows = by_key(st.spark.decode(topic, "value", otlp.schema, on_error="skip", select="/schema_url/"))
    assert [row["key"] for row in rows] == [key for key in range(63) if key not in (51, 62)]
    assert [row["key"] for row in rows if row["value"] is None] == [50]
    with pytest.raises(PythonException, match="DecodeError.*resource_spans"):
        st.spark.decode(topic, "value", otlp.schema, on_error="fail").collect()


def test_structs_become_messages_again(topic, otlp, everything, read):
    frame = st.spark.encode(st.spark.decode(topic, "value", otlp.schema), "value", otlp.schema)
    values = {row["key"]: row["value"] for row in frame.collect()}
    assert [values[key] for key in (50, 51, 62)] == [None] * 3
    assert [otlp.message_class.FromString(bytes(values[key])) for key in range(50)] == otlp.parsed()[:50]


def test_every_kind_of_field_comes_back(read, everything):
    """Of times, Spark has no more than microseconds; the rest is equal."""
    whole = read(everything).select(F.struct("*").alias("value"))
    values = [bytes(row["value"]) for row in st.spark.encode(whole, "value", everything.schema).collect()]
    decoder = everything.schema.decoder(timestamps="us")
    assert list(map(repr, decoder.decode(values).to_py())) == list(map(repr, decoder.decode(everything.payloads).to_py()))


def test_any_stage_before_and_after(spark, otlp):
    frame = spark.createDataFrame([(payload, payload) for payload in otlp.payloads[:9]], "a BINARY, b BINARY")
    decoded = st.spark.decode(st.spark.decode(frame, "a", otlp.schema), "b", otlp.message_class)
    assert decoded.filter("a = b").count() == 9


def test_streams_are_frames_too(spark, otlp, tmp_path):
    spark.createDataFrame([(payload,) for payload in otlp.payloads], "value BINARY").write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema("value BINARY").parquet(str(tmp_path / "in"))
    decoded = st.spark.decode(stream, "value", otlp.schema, select="/span_id/")
    query = decoded.writeStream.format("memory").queryName("decoded").trigger(availableNow=True).start()
    query.awaitTermination(60)
    assert spark.sql("SELECT * FROM decoded WHERE value IS NOT NULL").count() == len(otlp.payloads)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"column": "values"}, "values: the frame has no such column; it has key, value"),
        ({"column": "key"}, "key: expected a binary column, found int"),
        ({"on_error": "ignore"}, "on_error='ignore': expected one of null, fail, skip"),
        ({"on_error": "skip", "errors": "e"}, "errors= needs on_error"),
        ({"errors": "key"}, "the frame has such a column already"),
        ({"where": "a = 1"}, "where: .* filter the decoded frame"),
        ({"max_depth": -1}, "max_depth=-1"),
    ],
)
def test_arguments_of_decode_are_checked(topic, otlp, arguments, problem):
    with pytest.raises(ValueError, match=problem):
        st.spark.decode(topic, **{"column": "value", "schema": otlp.schema, **arguments})


def test_arguments_of_encode_are_checked(topic, otlp):
    with pytest.raises(ValueError, match="value: expected a column of structs, found binary"):
        st.spark.encode(topic, "value", otlp.schema)
    frame = topic.select(F.struct(F.col("key").alias("resource_spans")).alias("value"))
    with pytest.raises(ValueError, match="value.resource_spans: the table has int32 there"):
        st.spark.encode(frame, "value", otlp.schema)
    frame = topic.select(F.struct("key").alias("value"))
    with pytest.raises(ValueError, match="value.key: the message type has no such field"):
        st.spark.encode(frame, "value", otlp.schema)
    encoded = st.spark.encode(frame, "value", otlp.schema, ignore_extra_fields=True)
    assert {bytes(row["value"]) for row in encoded.collect()} == {b""}


def test_numbers_that_do_not_fit_are_errors(spark, everything):
    schema = st.Schema.from_descriptor_set(everything.descriptor_set.read_bytes(), "structtensor.testing.Implicit")
    frame = spark.sql("SELECT named_struct('uint32_value', -1L) AS value")
    with pytest.raises(PythonException, match="uint32_value"):
        st.spark.encode(frame, "value", schema).collect()
