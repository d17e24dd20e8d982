"""spark.read.format("structtensor"): rows, schemas, options, projections and filters, by two executors."""

import functools
import os
import pathlib
import subprocess
import sys

import framing
import pyarrow as pa
import pytest
from conftest import REPOSITORY
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import functions as F
from pyspark.sql.types import _parse_datatype_json_string
from rows import assert_equal_rows, expected_rows, rows_of, table_of

import structtensor as st


# --- rows


@pytest.mark.parametrize("messages", ["everything", "otlp"])
def test_rows_are_those_of_python_protobuf(request, read, messages):
    messages = request.getfixturevalue(messages)
    frame = read(messages)
    table = table_of(frame)
    assert_equal_rows(expected_rows(messages.parsed()), rows_of(table))


def test_rows_of_real_sets_are_those_of_python_protobuf(read, real_set):
    table = table_of(read(real_set))
    assert_equal_rows(expected_rows(real_set.parsed()), rows_of(table))


def command():
    """The command `structtensor`, if it is built."""
    path = pathlib.Path(os.environ.get("STRUCTTENSOR_BIN") or REPOSITORY / "build" / "default" / "bin") / "structtensor"
    if not path.exists():
        pytest.skip(f"the command is not built ({path})")
    return path


def test_rows_are_those_of_the_command(read, otlp, tmp_path):
    files = sorted(otlp.folder.iterdir())
    arguments = ["convert", *files, "--descriptor_set_in", otlp.descriptor_set, "-m", otlp.message, "-o", tmp_path / "a.arrow"]
    subprocess.run([command(), *arguments, "--quiet"], check=True)
    with pa.ipc.open_file(tmp_path / "a.arrow") as file:
        expected = file.read_all()
    table = table_of(read(otlp))
    assert table.column_names == expected.column_names
    assert rows_of(table) == rows_of(expected)


def test_each_file_is_a_partition_and_options_make_fewer(read, otlp):
    assert read(otlp).rdd.getNumPartitions() == 6
    frame = read(otlp, partitions=2)
    assert frame.rdd.getNumPartitions() == 2
    assert frame.count() == len(otlp.payloads)


def test_a_file_with_an_index_is_several_partitions(spark, otlp, tmp_path):
    payloads = [*otlp.payloads * 3, b"\x0a\x05", *otlp.payloads, b"\x0a\x02\xff\xff"]
    (tmp_path / "all.pb").write_bytes(framing.frame_delimited(payloads))
    found = []
    for index in (False, True):
        if index:
            subprocess.run([sys.executable, "-m", "structtensor", "index", tmp_path / "all.pb", "--every", "1"], check=True)
        for options in ({"on_error": "skip"}, {"mode": "dead_letters"}):
            reader = spark.read.format("structtensor").options(**otlp.options(partitions="5", **options))
            frame = reader.load(str(tmp_path / "all.pb"))  # which is planned when it is asked for something
            found.append((frame.rdd.getNumPartitions(), rows_of(table_of(frame))))
    assert [partitions for partitions, _ in found] == [1, 1, 5, 5]
    rows, letters, rows_of_parts, letters_of_parts = [read for _, read in found]
    assert len(rows) == 4 * len(otlp.payloads)
    assert [letter["record"] for letter in letters] == [3 * len(otlp.payloads), len(payloads) - 1]
    assert (rows_of_parts, letters_of_parts) == (rows, letters)


def test_several_paths_and_batches_of_some_rows(spark, everything):
    reader = spark.read.format("structtensor").options(**everything.options(batch_size="7", batch_bytes="1000000"))
    paths = [str(everything.folder / name) for name in ("2.pb", "0.pb")]
    table = table_of(reader.load(paths))
    parsed = everything.parsed()
    assert_equal_rows(expected_rows(parsed[100:150] + parsed[:50]), rows_of(table))


def test_rows_may_be_elements_of_a_repeated_message(read, otlp):
    path = "resource_spans.scope_spans.spans"
    table = table_of(read(otlp, rows=path, select="name,start_time_unix_nano"))
    spans = [span for message in otlp.parsed() for r in message.resource_spans for s in r.scope_spans for span in s.spans]
    assert rows_of(table) == [{"name": span.name, "start_time_unix_nano": span.start_time_unix_nano} for span in spans]


def test_conditions_and_choices_are_those_of_scans(read, explicit):
    table = table_of(read(explicit, where="int32_value > 0", select="/int32|string/", drop="sint32_value"))
    scan = st.scan(explicit.folder, explicit.schema, format="delimited", where="int32_value > 0")
    expected = pa.table(scan.select("/int32|string/").drop("sint32_value"))
    assert table.column_names == expected.column_names
    assert table.to_pylist() == expected.to_pylist()
    assert 0 < table.num_rows < 1000


# --- schemas


def test_the_schema_is_what_the_command_prints(spark, read, everything):
    """Types are parsed by Spark; names and nullability of columns are compared, too, as `schema --to spark` has them."""
    arguments = ["--descriptor_set_in", everything.descriptor_set, "-m", everything.message, "--to", "spark"]
    ddl = subprocess.run([command(), "schema", *arguments], check=True, capture_output=True, text=True).stdout
    parsed = _parse_datatype_json_string(spark._jvm.org.apache.spark.sql.types.StructType.fromDDL(ddl).json())
    ours = read(everything).schema
    assert [(f.name, f.dataType.simpleString(), f.nullable) for f in parsed] == [
        (f.name, f.dataType.simpleString(), f.nullable) for f in ours
    ]


def test_a_schema_chooses_columns_and_fields_of_structs(read, otlp):
    ddl = "resource_spans ARRAY<STRUCT<scope_spans: ARRAY<STRUCT<spans: ARRAY<STRUCT<name: STRING>>>>>>"
    frame = read(otlp, schema=ddl)
    expected = [
        {"resource_spans": [{"scope_spans": [{"spans": [{"name": span.name} for span in s.spans]} for s in r.scope_spans]}]}
        for m in otlp.parsed()
        for r in m.resource_spans
    ]
    found = [{"resource_spans": [r]} for row in table_of(frame).to_pylist() for r in row["resource_spans"]]
    assert found == expected


def test_a_schema_may_have_another_order_and_wider_numbers(read, explicit):
    ddl = "string_value STRING, int32_value BIGINT, uint64_value DECIMAL(38,0), kind INT"
    with pytest.raises(AnalysisException, match="kind: the messages have no such field"):
        read(explicit, schema=ddl).collect()
    rows = rows_of(table_of(read(explicit, schema=ddl.removesuffix(", kind INT"))))
    names = ("string_value", "int32_value", "uint64_value")
    assert rows == [
        {name: getattr(m, name) if m.HasField(name) else None for name in names} for m in explicit.parsed()
    ]


def test_numbers_that_a_schema_cannot_hold_are_errors(read, explicit):
    with pytest.raises(PythonException, match="uint64_value"):
        read(explicit, schema="uint64_value INT").collect()


@pytest.mark.parametrize(
    ("ddl", "problem"),
    [
        ("string_value INT", "string_value: the messages have string there, and the schema says int32"),
        ("int32_value INT NOT NULL", "int32_value: it may be absent"),
        ("duration_value STRING", "no such field"),
    ],
)
def test_schemas_that_do_not_fit_are_refused(read, explicit, ddl, problem):
    with pytest.raises(AnalysisException, match=problem):
        read(explicit, schema=ddl).collect()


# --- options


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"selct": "a"}, "no option selct of reading"),
        ({"on_error": "ignore"}, "on_error"),
        ({"select": "nothing"}, "nothing"),
        ({"where": "int32_value >"}, "int32_value >"),
        ({"partitions": "0"}, "option partitions=0: expected 1 or more"),
        ({"partitions": "two"}, "option partitions='two': expected an integer"),
        ({"batch_size": "0"}, "option batch_size=0: expected 1 to 16,777,216"),
        ({"max_depth": "1001"}, "max_depth=1001"),
        ({"unknown_fields": "yes"}, "option unknown_fields='yes': expected true or false"),
        ({"mode": "tables"}, "option mode='tables': expected one of rows, dead_letters"),
        ({"mode": "dead_letters", "on_error": "fail"}, "leave on_error away"),
        ({"record_format": "lines"}, "option record_format='lines': expected one of delimited, tfrecord"),
        ({"import_dirs": "x"}, "import_dirs needs the option proto"),
        ({"proto": "x.proto"}, "one of the options proto and descriptor_set"),
        ({"select": '["int32_value"'}, "option select"),
    ],
)
def test_options_are_checked(read, explicit, options, problem):
    with pytest.raises((AnalysisException, PythonException), match=problem):
        read(explicit, **options).collect()


def test_a_path_and_a_schema_are_needed(spark, read, explicit, tmp_path):
    with pytest.raises(AnalysisException, match="needs a path"):
        spark.read.format("structtensor").options(**explicit.options()).load()
    with pytest.raises(AnalysisException, match="one of the options proto and descriptor_set"):
        spark.read.format("structtensor").load(str(explicit.folder))
    with pytest.raises((AnalysisException, PythonException), match="nothing.pb"):
        read(explicit, path=tmp_path / "nothing.pb").collect()


def test_a_proto_file_is_a_schema(spark, tmp_path):
    (tmp_path / "a.proto").write_text('syntax = "proto3"; message A { string name = 1; uint32 number = 2; }')
    (tmp_path / "a.pb").write_bytes(b"\x06\x0a\x01x\x10\x81\x01")
    reader = spark.read.format("structtensor").option("proto", str(tmp_path / "a.proto")).option("record_format", "delimited")
    frame = reader.load(f"file://{tmp_path}/a.pb")
    assert frame.schema.simpleString() == "struct<name:string,number:bigint>"
    assert [(row["name"], row["number"]) for row in frame.collect()] == [("x", 129)]


# --- filters


@pytest.fixture(params=["true", "false"])
def pushed(request, spark):
    """Whether Spark offers filters to data sources. A source that accepts them gets those of other queries, too."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", request.param)
    yield
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")


FILTERS = {
    "int32_value > 0": lambda m: m.HasField("int32_value") and m.int32_value > 0,
    "int32_value < 0": lambda m: m.HasField("int32_value") and m.int32_value < 0,
    "int32_value IS NULL": lambda m: not m.HasField("int32_value"),
    "int32_value IN (0, 1) OR bool_value": lambda m: m.HasField("int32_value") and m.int32_value in (0, 1) or m.bool_value,
    "NOT bool_value": lambda m: m.HasField("bool_value") and not m.bool_value,
    "string_value LIKE 'Z%'": lambda m: m.string_value.startswith("Z"),
}


@pytest.fixture(scope="module")
def counts(explicit):
    """How many messages each filter keeps, by python-protobuf, and how many there are."""
    parsed = explicit.parsed()
    found = {filter: sum(map(keeps, parsed)) for filter, keeps in FILTERS.items()}
    assert 0 < min(found.values()) and max(found.values()) < len(parsed)
    return found, len(parsed)


def test_each_query_on_one_frame_has_its_own_filters(read, explicit, counts, pushed):
    frame, (kept, count) = read(explicit), counts
    assert frame.count() == count
    for filter in FILTERS:
        assert frame.filter(filter).count() == kept[filter], filter
        assert frame.count() == count, f"after {filter}"
    assert {filter: frame.filter(filter).count() for filter in reversed(FILTERS)} == dict(reversed(kept.items()))
    assert frame.agg(F.count("*")).collect()[0][0] == count


def test_each_part_of_one_query_has_its_own_filters(read, explicit, counts, pushed):
    frame, (kept, count) = read(explicit), counts
    for first in FILTERS:
        assert frame.filter(first).union(frame).count() == kept[first] + count, first
        assert frame.union(frame.filter(first)).count() == count + kept[first], first
    parts = [frame.filter(filter).select("int32_value") for filter in FILTERS]
    assert functools.reduce(lambda a, b: a.union(b), parts).count() == sum(kept.values())
    keys = frame.filter("int32_value > 0").select("int32_value").distinct()
    assert frame.join(keys, "int32_value", "left_semi").count() == kept["int32_value > 0"]
    assert frame.join(keys, "int32_value", "left_anti").count() == count - kept["int32_value > 0"]


def test_each_query_on_one_view_has_its_own_filters(spark, read, explicit, counts, pushed):
    read(explicit).createOrReplaceTempView("messages")
    kept, count = counts

    def answer(query):
        return spark.sql(query).collect()[0][0]

    for filter in FILTERS:
        assert answer(f"SELECT count(*) FROM messages WHERE {filter}") == kept[filter], filter
        assert answer("SELECT count(*) FROM messages") == count, f"after {filter}"
        both = f"SELECT (SELECT count(*) FROM messages WHERE {filter}) * 100000 + count(*) FROM messages"
        assert answer(both) == kept[filter] * 100_000 + count, filter
    parts = " UNION ALL ".join(f"SELECT count(*) AS n FROM messages WHERE {filter}" for filter in FILTERS)
    assert answer(f"SELECT sum(n) FROM ({parts})") == sum(kept.values())


def test_the_option_where_is_of_its_frame_only(read, explicit, counts, pushed):
    kept, count = counts
    frame, whole = read(explicit, where="int32_value > 0"), read(explicit)
    assert (frame.count(), whole.count()) == (kept["int32_value > 0"], count)
    assert frame.filter("int32_value IS NULL").count() == 0
    assert frame.union(whole.filter("int32_value < 0")).count() == kept["int32_value > 0"] + kept["int32_value < 0"]
    assert frame.count() == kept["int32_value > 0"]


def test_filters_of_dead_letters(spark, pushed, tmp_path):
    (tmp_path / "a.proto").write_text('syntax = "proto3"; message A { string name = 1; }')
    (tmp_path / "a.pb").write_bytes(b"\x02\x0a\x05\x03\x0a\x01x\x02\x0a\x02")
    options = {"proto": str(tmp_path / "a.proto"), "record_format": "delimited", "mode": "dead_letters"}
    letters = spark.read.format("structtensor").options(**options).load(str(tmp_path / "a.pb"))
    assert letters.filter("record > 0").union(letters.filter("record = 0")).union(letters).count() == 4
    assert [row["record"] for row in letters.filter("record > 0").collect()] == [2]


def test_renamed_columns_are_chosen_by_their_own_fields(spark, pushed, tmp_path):
    """`second` is called "first", and a scan's selection of first means the field of that name."""
    (tmp_path / "a.proto").write_text('syntax = "proto3"; message A { int32 first = 1; int32 second = 2; int32 third = 3; }')
    (tmp_path / "names.txt").write_text(
        'annotation { path: "A.first" options { skip: true } } annotation { path: "A.second" options { name: "first" } }'
    )
    (tmp_path / "a.pb").write_bytes(b"\x04\x08\x01\x10\x02\x04\x08\x02\x10\x01")
    options = {"proto": str(tmp_path / "a.proto"), "annotations": str(tmp_path / "names.txt"), "record_format": "delimited"}
    reader = spark.read.format("structtensor").options(**options)
    frame = reader.load(str(tmp_path / "a.pb"))
    assert frame.columns == ["first", "third"]
    assert [row["first"] for row in frame.filter("first = 2").collect()] == [2]
    assert [row["first"] for row in frame.filter("first >= 1").collect()] == [2, 1]
    chosen = spark.read.format("structtensor").options(**options).schema("first INT").load(str(tmp_path / "a.pb"))
    assert [row["first"] for row in chosen.collect()] == [2, 1]


# --- finding the format

SESSION_WITH_ANOTHER_PYTHON = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
try:
    spark.read.format("structtensor").load("/nothing")
except Exception as error:
    print("not found" if "[DATA_SOURCE_NOT_FOUND]" in str(error) else error)
"""


def test_the_format_is_not_found_by_a_python_that_does_not_start(tmp_path):
    """docs/distributed.md says what this error means."""
    environment = {**os.environ, "PYSPARK_PYTHON": str(tmp_path / "python"), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment.pop("PYSPARK_DRIVER_PYTHON", None)
    command = [sys.executable, "-c", SESSION_WITH_ANOTHER_PYTHON]
    found = subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert found.stdout == "not found\n"
