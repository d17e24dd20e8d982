"""spark.read.format("structtensor"): rows, schemas, options, projections and filters, by two executors."""

import os
import pathlib
import re
import subprocess
import sys

import framing
import pyarrow as pa
import pytest
from conftest import REPOSITORY
from google.protobuf import timestamp_pb2
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
    assert_equal_rows(expected_rows(messages.parsed(), table.schema), rows_of(table))


def test_rows_of_real_sets_are_those_of_python_protobuf(read, real_set):
    table = table_of(read(real_set))
    assert_equal_rows(expected_rows(real_set.parsed(), table.schema), rows_of(table))


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
    reader = spark.read.format("structtensor").options(**everything.options(batch_rows="7", batch_bytes="1000000"))
    paths = [str(everything.folder / name) for name in ("2.pb", "0.pb")]
    table = table_of(reader.load(paths))
    parsed = everything.parsed()
    assert_equal_rows(expected_rows(parsed[100:150] + parsed[:50], table.schema), rows_of(table))


def test_rows_may_be_elements_of_a_repeated_message(read, otlp):
    path = "resource_spans.scope_spans.spans"
    table = table_of(read(otlp, rows=path, select="name,start_time_unix_nano"))
    spans = [span for message in otlp.parsed() for r in message.resource_spans for s in r.scope_spans for span in s.spans]
    assert rows_of(table) == [{"name": span.name, "start_time_unix_nano": span.start_time_unix_nano} for span in spans]


def test_conditions_and_choices_are_those_of_scans(read, explicit):
    table = table_of(read(explicit, where="int32_value > 0", select="/int32|string/", drop="sint32_value"))
    scan = st.scan(explicit.folder, explicit.schema, framing="delimited", where="int32_value > 0")
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
        ({"partitions": "0"}, "option partitions = 0: expected 1 or more"),
        ({"partitions": "two"}, "option partitions = 'two': expected an integer"),
        ({"batch_rows": "0"}, "option batch_rows = 0: expected 1 or more"),
        ({"max_depth": "1001"}, "max_depth = 1001"),
        ({"unknown_fields": "yes"}, "option unknown_fields = 'yes': expected true or false"),
        ({"mode": "tables"}, "option mode = 'tables': expected one of rows, dead_letters"),
        ({"mode": "dead_letters", "on_error": "fail"}, "leave on_error away"),
        ({"framing": "lines"}, "framing"),
        ({"import_dirs": "x"}, "import_dirs goes with the option proto"),
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
    reader = spark.read.format("structtensor").option("proto", str(tmp_path / "a.proto")).option("framing", "delimited")
    frame = reader.option("compile", "true").load(f"file://{tmp_path}/a.pb")
    assert frame.schema.simpleString() == "struct<name:string,number:bigint>"
    assert [(row["name"], row["number"]) for row in frame.collect()] == [("x", 129)]


# --- filters

FILTERS = [
    "int32_value = 0",
    "int32_value <> 0",
    "int32_value > 5 AND int64_value <= 100",
    "uint32_value >= 1",
    "uint32_value < 5000000000",
    "uint64_value = 0",
    "int32_value IN (0, 1, -1)",
    "int32_value NOT IN (0, 1)",
    "int32_value IN (0, NULL)",
    "int32_value IS NULL",
    "int32_value IS NOT NULL AND string_value IS NULL",
    "string_value = ''",
    "string_value LIKE 'Z%'",
    "string_value LIKE '%d'",
    "string_value > 'a'",
    "string_value IN ('a', 'it''s', '-')",
    "NOT (string_value = 'a')",
    "bool_value",
    "NOT bool_value",
    "bool_value IS NULL OR int32_value > 0",
    "double_value > 0",
    "double_value = double('NaN')",
    "float_value <= 1.5",
    "bytes_value = X'00'",
    "color_value = 1",
    "color_value < 400",
    "int32_value <=> 0",
    "int32_value <=> NULL",
    "int64_value / 2 > 0",
]


@pytest.fixture
def pushed(spark):
    """Switches on that Spark pushes filters."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    yield
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")


@pytest.fixture(scope="module")
def kept(spark, explicit):
    """Of each filter the numbers of the rows that it keeps, where Spark does it by itself, and all rows, as texts."""
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")
    frame = spark.read.format("structtensor").options(**explicit.options()).load(str(explicit.folder))
    table = table_of(frame.select("*", *(F.expr(filter).alias(f"filter {i}") for i, filter in enumerate(FILTERS))))
    rows = list(map(repr, table.select(frame.columns).to_pylist()))  # in which NaN equals itself
    keeps = [table[f"filter {i}"].to_pylist() for i in range(len(FILTERS))]
    return {filter: [row for row, keep in zip(rows, keep) if keep] for filter, keep in zip(FILTERS, keeps)}


def is_filtered_by_spark(frame):
    return re.search(r"\bFilter ", frame._jdf.queryExecution().executedPlan().toString()) is not None


@pytest.mark.parametrize("filter", FILTERS)
def test_filters_say_the_same_wherever_they_run(read, explicit, kept, pushed, filter):
    assert list(map(repr, table_of(read(explicit).filter(filter)).to_pylist())) == kept[filter]


@pytest.mark.parametrize(
    ("filter", "left_to_spark"),
    [
        ("int32_value > 5 AND string_value LIKE 'Z%'", False),
        ("int32_value IN (1, 2) AND bool_value", False),
        ("string_value IS NULL AND NOT (string_value = 'a')", False),
        ("string_value LIKE '%d'", True),
        ("double_value > 0", True),
        ("uint64_value = 0", True),
    ],
)
def test_filters_are_taken_over(read, explicit, pushed, filter, left_to_spark):
    assert is_filtered_by_spark(read(explicit).filter(filter)) == left_to_spark


def test_filters_stay_with_spark_where_broken_messages_have_rows(read, explicit, pushed):
    assert is_filtered_by_spark(read(explicit, on_error="null").filter("int32_value > 5"))
    assert is_filtered_by_spark(read(explicit, optionals="default").filter("int32_value > 5"))


def test_filters_stay_with_spark_unless_they_may_be_pushed(read, explicit):
    assert is_filtered_by_spark(read(explicit).filter("int32_value > 5"))


@pytest.mark.parametrize("operator", ["<", ">=", ">", "="])
def test_filters_of_times(spark, pushed, tmp_path, operator):
    """Times in nanoseconds, where Spark only sees microseconds, and a time that does not fit in microseconds."""
    (tmp_path / "a.proto").write_text(
        'syntax = "proto3"; import "google/protobuf/timestamp.proto";'
        "message B { google.protobuf.Timestamp at = 1; } message A { B b = 1; int32 n = 2; }"
    )
    moments = [None, (100, 1000), (100, 1500), (100, 1999), (100, 2000), (100, 0), (99, 999_999_999), (1 << 60, 0)]
    payloads = []
    for n, moment in enumerate(moments, 1):
        inner = b"" if moment is None else timestamp_pb2.Timestamp(seconds=moment[0], nanos=moment[1]).SerializeToString()
        inner = b"" if moment is None else b"\x0a" + framing.encode_varint(len(inner)) + inner
        payloads.append((b"\x0a" + framing.encode_varint(len(inner)) + inner if n > 1 else b"") + bytes([0x10, n]))
    (tmp_path / "a.pb").write_bytes(framing.frame_delimited(payloads))
    options = {"proto": str(tmp_path / "a.proto"), "message": "A", "framing": "delimited"}
    frame = spark.read.format("structtensor").options(**options).load(str(tmp_path / "a.pb"))
    filtered = frame.filter(f"b.at {operator} timestamp'1970-01-01 00:01:40.000001 UTC'")
    expected = {"<": [6, 7], ">=": [2, 3, 4, 5], ">": [5], "=": [2, 3, 4]}
    assert [row["n"] for row in filtered.collect()] == expected[operator]


def test_renamed_columns_are_filtered_and_chosen_by_their_own_fields(spark, pushed, tmp_path):
    """`second` is called "first", and a scan's condition on first means the field of that name."""
    (tmp_path / "a.proto").write_text('syntax = "proto3"; message A { int32 first = 1; int32 second = 2; int32 third = 3; }')
    (tmp_path / "names.txt").write_text(
        'annotation { path: "A.first" options { skip: true } } annotation { path: "A.second" options { name: "first" } }'
    )
    (tmp_path / "a.pb").write_bytes(b"\x04\x08\x01\x10\x02\x04\x08\x02\x10\x01")
    options = {"proto": str(tmp_path / "a.proto"), "annotations": str(tmp_path / "names.txt"), "framing": "delimited"}
    reader = spark.read.format("structtensor").options(**options)
    frame = reader.load(str(tmp_path / "a.pb"))
    assert frame.columns == ["first", "third"]
    assert [row["first"] for row in frame.filter("first = 2").collect()] == [2]
    assert [row["first"] for row in frame.filter("first >= 1").collect()] == [2, 1]
    assert not is_filtered_by_spark(frame.filter("third = 0"))
    chosen = spark.read.format("structtensor").options(**options).schema("first INT").load(str(tmp_path / "a.pb"))
    assert [row["first"] for row in chosen.collect()] == [2, 1]
