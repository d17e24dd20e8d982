"""The verb `sql`: answers of the DuckDB that it calls equal those of DuckDB's Python package over the Parquet that `convert`
writes.

By the library and by the command. STRUCTTENSOR_DUCKDB names another library than that of the Python package.
"""

import ctypes.util
import datetime
import decimal
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import commands
import compare
import duckdb
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from real_data import open_real_set
from structtensor_command import SCHEMA


def library_of_the_package(folder):
    """A library with the C API of the Python package, which has it, but asks for Python's symbols when it is loaded.

    Other symbols of the same names do: no function of the C API comes to them.
    """
    module = importlib.util.find_spec("_duckdb").origin
    listed = subprocess.run(["nm", "-D", "--undefined-only", module], check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in listed.splitlines() if line.split()[-1].startswith(("Py", "_Py"))]
    assert names
    (folder / "python.c").write_text("".join(f"char {name}[512];\n" for name in names))
    library = folder / "libduckdb.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "python.c", "-Wl,--no-as-needed", module], check=True)
    return library


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    named = os.environ.get("STRUCTTENSOR_DUCKDB", "")
    return named if ".so" in named else library_of_the_package(tmp_path_factory.mktemp("duckdb"))


@pytest.fixture(scope="session", params=["library", "command"])
def installed(request):
    """The path of a DuckDB."""
    if request.param == "library":
        return request.getfixturevalue("library")
    beside_python = pathlib.Path(sys.executable).parent / "duckdb"
    found = str(beside_python) if beside_python.exists() else shutil.which("duckdb")
    if found is None:
        pytest.skip("the command duckdb is not there; PyPI's duckdb-cli of tools/requirements.txt has it")
    return found


@pytest.fixture
def sql(installed):
    """Runs the verb and returns the outcome."""

    def run(query, *arguments, **options):
        return commands.run("structtensor", "sql", query, *arguments, "--duckdb", installed, **options)

    return run


@pytest.fixture
def ask(sql):
    """Runs a query that must succeed and returns its rows as JSON has them."""

    def rows(query, *arguments, **options):
        outcome = sql(query, *arguments, "--json", **options)
        assert outcome.exit_code == 0, outcome.stderr
        document = json.loads(outcome.stdout)
        assert (document["version"], document["verb"]) == (1, "sql")
        return document["rows"]

    return rows


def one_line(outcome):
    assert outcome.exit_code == 1
    assert outcome.stdout == b""
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("structtensor sql: ")
    return line


# --- answers


REAL_QUERIES = {
    "gtfsrt_nyct": [
        "SELECT count(*) AS n FROM t",
        "SELECT id FROM t WHERE vehicle IS NOT NULL ORDER BY id",
        "SELECT trip_update.trip.route_id AS route, count(*) AS n, sum(len(trip_update.stop_time_update)) AS stops"
        " FROM t GROUP BY ALL ORDER BY ALL",
        "SELECT u.stop_id, min(u.arrival.time) AS first FROM (SELECT unnest(trip_update.stop_time_update) AS u FROM t)"
        " GROUP BY ALL ORDER BY ALL",
        "SELECT a.id, b.vehicle.timestamp AS at FROM t AS a JOIN t AS b ON a.id = b.id ORDER BY ALL LIMIT 100",
        "SELECT (SELECT count(*) FROM t WHERE alert IS NULL) + (SELECT count(*) FROM t) AS n",
        "SELECT 0.1 * count(*) AS tenth, avg(length(id)) AS mean, max(id) AS id FROM t",
    ],
    "otlp_traces_astronomy": [
        "SELECT count(*) AS n, sum(len(resource_spans)) AS resources FROM t",
        "FROM (SELECT unnest(resource_spans).scope_spans AS s FROM t) SELECT count(*) AS n, sum(len(s)) AS spans",
    ],
    "tfexample_taxi": ["SELECT map_keys(features.feature) AS k FROM t LIMIT 50"],
}


def plain(value):
    """What the verb makes of the types of DuckDB that structured tensors do not have."""
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


@pytest.mark.real_data
@pytest.mark.parametrize("name", REAL_QUERIES)
def test_answers_are_those_of_duckdb_over_the_parquet_file(sql, name, tmp_path):
    opened = open_real_set(name)
    chosen = [opened.messages, "--descriptor_set_in", opened.descriptor_set, "-m", opened.message]
    commands.convert("structtensor", "convert", *chosen, "-o", tmp_path / "t.parquet", "--quiet")
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{tmp_path / 't.parquet'}')")
    for number, query in enumerate(REAL_QUERIES[name]):
        output = tmp_path / f"{number}.parquet"
        outcome = sql(query, *chosen, "-o", output)
        assert outcome.exit_code == 0, outcome.stderr
        expected = [plain(row) for row in connection.sql(query).to_arrow_table().to_pylist()]
        assert expected, query
        assert pq.read_table(output).to_pylist() == expected, query


@pytest.mark.real_data
def test_all_columns_are_those_that_convert_writes(sql, tmp_path):
    for name in REAL_QUERIES:
        opened = open_real_set(name)
        chosen = [opened.messages, "--descriptor_set_in", opened.descriptor_set, "-m", opened.message, "--limit", 200]
        commands.convert("structtensor", "convert", *chosen, "-o", tmp_path / "t.parquet", "--quiet", "--overwrite")
        outcome = sql("FROM t", *chosen, "-o", tmp_path / "answer.parquet", "--overwrite")
        assert outcome.exit_code == 0, outcome.stderr
        expected, actual = pq.read_table(tmp_path / "t.parquet"), pq.read_table(tmp_path / "answer.parquet")
        assert actual.to_pylist() == expected.to_pylist(), name


@pytest.fixture
def many(recipes, tmp_path):
    """Messages of several batches, with strings that DuckDB does not keep within its own values."""
    path = tmp_path / "many.pb"
    messages = [recipes.message_class(title=f"the recipe of number {i:05}", minutes=i) for i in range(9000)]
    for i, message in enumerate(messages):
        for k in range(i % 3):
            message.ingredients.add(name=f"the ingredient of number {k:05}", amount=i)
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))
    return path


def test_rows_of_many_batches_keep_their_values(ask, sql, many):
    query = "SELECT a.title, b.ingredients AS i FROM t AS a JOIN t AS b USING (minutes) ORDER BY hash(minutes), minutes"
    rows = sorted(ask(query, many, *SCHEMA), key=lambda row: row["title"])
    assert [row["title"] for row in rows] == [f"the recipe of number {i:05}" for i in range(9000)]
    names = [[ingredient["name"] for ingredient in row["i"]] for row in rows]
    assert names == [[f"the ingredient of number {k:05}" for k in range(i % 3)] for i in range(9000)]
    (row,) = ask("SELECT list(title ORDER BY minutes DESC) AS titles, max(title) AS last FROM t", many, *SCHEMA)
    assert row["titles"] == [f"the recipe of number {i:05}" for i in range(8999, -1, -1)]
    assert row["last"] == "the recipe of number 08999"
    outcome = sql("SELECT title FROM t", many, *SCHEMA, "-n", 2)  # which is enough before the end
    assert outcome.stdout.decode().splitlines() == ["title", "the recipe of number 00000", "the recipe of number 00001"]
    assert "more rows" in outcome.stderr


def test_rows_of_many_batches_come_in_order(ask, many):
    assert [row["minutes"] for row in ask("SELECT minutes FROM t", many, *SCHEMA)] == list(range(9000))
    query = "SELECT sum(minutes) AS s FROM t GROUP BY title ORDER BY s DESC"  # a HUGEINT, which is cast after sorting
    assert [row["s"] for row in ask(query, many, *SCHEMA)] == list(range(8999, -1, -1))
    chosen = ["--where", "minutes >= 4000", "--skip", 10, "--limit", 5000]
    assert ask("SELECT count(*) AS n, min(minutes) AS least FROM t", many, *SCHEMA, *chosen) == [{"n": 1010, "least": 4000}]


def test_several_inputs_are_one_table(ask, source, tmp_path):
    (tmp_path / "folder").mkdir()
    shutil.copy(source, tmp_path / "folder" / "more.pb")
    assert ask("SELECT count(*) AS n FROM t", source, tmp_path / "folder", *SCHEMA) == [{"n": 6}]


def test_column_files_are_inputs_like_others(ask, source, tmp_path):
    commands.convert("structtensor", "convert", source, *SCHEMA, "-o", tmp_path / "recipes.arrow")
    assert ask("SELECT title FROM t WHERE minutes > 0", tmp_path / "recipes.arrow") == [{"title": "soup"}]


def test_other_files_can_be_joined(ask, source, tmp_path):
    pq.write_table(pa.table({"title": ["soup", "tea"], "price": [3, 1]}), tmp_path / "prices.parquet")
    query = f"SELECT title, price FROM t JOIN '{tmp_path / 'prices.parquet'}' USING (title)"
    assert ask(query, source, *SCHEMA) == [{"title": "soup", "price": 3}]


def test_a_pipe_can_be_read_twice(ask, source):
    query = "SELECT a.title FROM t AS a, t AS b WHERE b.minutes = 40 ORDER BY 1"
    rows = ask(query, *SCHEMA, stdin=source.read_bytes())
    assert rows == [{"title": ""}, {"title": "soup"}, {"title": "toast"}]


def test_an_answer_without_rows_has_columns(sql, ask, source, tmp_path):
    assert ask("SELECT title FROM t WHERE minutes > 1000", source, *SCHEMA) == []
    outcome = sql("SELECT title, minutes FROM t WHERE false", source, *SCHEMA, "-o", tmp_path / "none.parquet")
    assert outcome.exit_code == 0, outcome.stderr
    table = pq.read_table(tmp_path / "none.parquet")
    assert (table.num_rows, table.schema.names) == (0, ["title", "minutes"])


def test_types_that_tensors_lack_become_others(ask, source):
    query = """SELECT 1::HUGEINT AS huge, 2::UHUGEINT AS unsigned, 1.5::DECIMAL(4,1) AS decimal, DATE '2026-01-31' AS day,
      TIME '01:02:03' AS time, INTERVAL 90 SECOND AS i, '0123456789abcdef0123456789abcdef'::UUID AS id, NULL AS nothing,
      [1, NULL]::INTEGER[2] AS pair, {'a b': DATE '2026-01-31', 'h': [3::HUGEINT]} AS s, MAP {'k': 4::HUGEINT} AS m,
      'x'::ENUM('x', 'y') AS e, row(1, 2) AS unnamed, true AS "select", 5 AS a, 6 AS a -- and a comment"""
    (row,) = ask(query, source, *SCHEMA)
    assert row == {
        "huge": 1,
        "unsigned": 2,
        "decimal": 1.5,
        "day": "2026-01-31",
        "time": "01:02:03",
        "i": "00:01:30",
        "id": "01234567-89ab-cdef-0123-456789abcdef",
        "nothing": None,
        "pair": [1, None],
        "s": {"a b": "2026-01-31", "h": [3]},
        "m": {"k": 4},
        "e": "x",
        "unnamed": "(1, 2)",
        "select": True,
        "a": 5,
        "a_1": 6,
    }


def test_queries_of_all_forms_are_taken(ask, source):
    assert ask("FROM t SELECT title LIMIT 1;", source, *SCHEMA) == [{"title": "soup"}]
    assert ask("WITH x AS (FROM t) SELECT count(*) AS n FROM x ;\n", source, *SCHEMA) == [{"n": 3}]
    assert ask("VALUES (1), (2)", source, *SCHEMA) == [{"col0": 1}, {"col0": 2}]
    described = ask("DESCRIBE t", source, *SCHEMA)
    assert [row["column_name"] for row in described] == ["title", "minutes", "ingredients", "ratings"]
    assert len(ask("SUMMARIZE t", source, *SCHEMA, "--select", "title")) == 1


# --- which fields are decoded


def test_fields_that_a_query_does_not_name_are_not_decoded(library, source, recipes):
    damaged = b"\x1a\x03\x0a\x01\xff"  # an ingredient whose name is not UTF-8
    source.write_bytes(framing.frame_delimited([recipes.payloads[0], recipes.payloads[2] + damaged]))

    def run(query, *arguments):
        return commands.run("structtensor", "sql", query, source, *SCHEMA, "--json", "--duckdb", library, *arguments)

    for query in ("SELECT title FROM t", "SELECT count(*) FROM t", "SELECT a.title FROM t AS a, t AS b WHERE b.minutes > 0"):
        outcome = run(query)
        assert outcome.exit_code == 0, outcome.stderr
    assert f"{source} record 1, byte" in one_line(run("SELECT len(ingredients) FROM t"))
    # In one place of several.
    assert "record 1" in one_line(run("SELECT title FROM t WHERE title IN (SELECT ingredients[1].name FROM t)"))


def oneof_set(folder):
    (folder / "pet.proto").write_text(
        'syntax = "proto3"; package pets; message Empty {} '
        "message Pet { oneof kind { string cat = 1; Empty dog = 2; int64 fish = 3; }"
        " string name = 4; } message Nothing {}"
    )
    schema = commands.protoc_descriptor_set(folder / "pets.descriptors", folder / "pet.proto", folder)
    pet = compare.load_message_class(schema, "pets.Pet")
    pets = [pet(cat="Tom"), pet(dog={}, name="Rex"), pet(fish=3), pet()]
    # A member that another one replaces.
    payloads = [one.SerializeToString() for one in pets] + [
        pet(cat="Tom").SerializeToString() + pet(fish=7).SerializeToString()
    ]
    (folder / "pets.pb").write_bytes(framing.frame_delimited(payloads + [b"\x50\x01"]))
    return [folder / "pets.pb", "--from", "delimited", "--descriptor_set_in", schema]


def test_the_case_of_a_oneof_is_that_of_all_members(ask, tmp_path):
    chosen = [*oneof_set(tmp_path), "-m", "Pet"]
    assert [row["kind_case"] for row in ask("SELECT kind_case FROM t", *chosen)] == [1, 2, 3, 0, 3, 0]
    assert [row["cat"] for row in ask("SELECT cat FROM t", *chosen)] == ["Tom", None, None, None, None, None]
    assert ask("SELECT DISTINCT dog FROM t ORDER BY 1", *chosen) == [{"dog": True}, {"dog": None}]
    few = [*chosen, "--select", "cat", "--select", "name"]
    rows = json.loads(commands.convert("structtensor", "head", *few, "--json", "-n", 10).stdout)["rows"]
    assert ask("SELECT kind_case FROM t", *few) == [{"kind_case": row["kind_case"]} for row in rows]
    assert ask("FROM t", *few) == rows


def test_unknown_fields_are_columns(ask, tmp_path):
    chosen = [*oneof_set(tmp_path), "-m", "Pet", "--unknown-fields", "keep"]
    rows = ask("SELECT hex(unknown_fields) AS u, name FROM t WHERE octet_length(unknown_fields) > 0", *chosen)
    assert rows == [{"u": "5001", "name": ""}]
    assert len(ask("SELECT unknown_fields FROM t", *chosen)) == 6


def test_selected_fields_are_the_columns(ask, source):
    selected = ["--select", "ingredients.name", "--select", 'ratings["ann"]', "--select", "minutes"]
    (row,) = ask("SELECT * FROM t WHERE minutes = 40", source, *SCHEMA, *selected)
    assert row == {"minutes": 40, "ingredients": [{"name": "water"}], "ratings": {"ann": 5}}
    assert ask("SELECT ratings.ann AS r FROM t LIMIT 1", source, *SCHEMA, *selected) == [{"r": 5}]
    assert ask("SELECT count(*) AS n FROM t", source, *SCHEMA, *selected) == [{"n": 3}]


SHOP = """syntax = "proto3";
import "structtensor/options.proto";
message Address {
  string city = 1;
  optional int32 floor = 2;
}
message Order {
  string id = 1 [(structtensor.field).name = "order id"];
  Address address = 2 [(structtensor.field) = {flatten: true prefix: "a_"}];
  string secret = 3 [(structtensor.field).skip = true];
  oneof paid {
    int32 cash = 4;
    string card = 5 [(structtensor.field).skip = true];
  }
}
"""


def test_columns_have_the_names_of_annotations(ask, sql, tmp_path):
    proto = tmp_path / "shop.proto"
    proto.write_text(SHOP)
    # id "x", an address with city "Rome", secret "s" and cash 7; then an address with floor 2, and a card.
    payloads = [b"\x0a\x01x\x12\x06\x0a\x04Rome\x1a\x01s\x20\x07", b"\x12\x02\x10\x02\x2a\x01c", b""]
    source = tmp_path / "orders.pb"
    source.write_bytes(framing.frame_delimited(payloads))
    chosen = [source, "-p", proto, "-m", "Order", "--from", "delimited"]
    assert ask("SELECT * FROM t LIMIT 1", *chosen) == [
        {"order id": "x", "a_city": "Rome", "a_floor": None, "cash": 7, "paid_case": 4}
    ]
    assert ask('SELECT "order id" AS id FROM t', *chosen) == [{"id": "x"}, {"id": ""}, {"id": ""}]
    assert ask("SELECT a_city FROM t", *chosen) == [{"a_city": "Rome"}, {"a_city": ""}, {"a_city": None}]
    assert ask("SELECT a_floor FROM t WHERE a_floor > 1", *chosen) == [{"a_floor": 2}]
    assert ask("SELECT paid_case FROM t", *chosen) == [{"paid_case": 4}, {"paid_case": 5}, {"paid_case": 0}]
    assert ask("SELECT count(*) AS n FROM t", *chosen) == [{"n": 3}]
    assert "secret" in one_line(sql("SELECT secret FROM t", *chosen))
    selected = [*chosen, "--select", "secret", "--select", "address.city", "--select", "id"]
    assert ask("SELECT secret FROM t LIMIT 1", *selected) == [{"secret": "s"}]
    assert ask('SELECT a_city, "order id" AS id FROM t LIMIT 1', *selected) == [{"a_city": "Rome", "id": "x"}]
    assert ask("SELECT a_city FROM t LIMIT 1", *chosen, "--select", "address", "--select", "id") == [{"a_city": "Rome"}]


def test_a_message_without_fields_is_no_table(sql, tmp_path):
    assert "pets.Nothing has no fields" in one_line(sql("SELECT 1 FROM t", *oneof_set(tmp_path), "-m", "Nothing"))


# --- times


TIMES = 'syntax = "proto3"; import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto"; ' + (
    "message At { google.protobuf.Timestamp seen = 1; google.protobuf.Duration took = 2; }"
)


@pytest.fixture
def times(tmp_path):
    """Arguments that read two messages: the second has a time that nanoseconds do not reach."""
    (tmp_path / "at.proto").write_text(TIMES)
    schema = commands.protoc_descriptor_set(tmp_path / "at.descriptors", tmp_path / "at.proto", tmp_path, "/usr/include")
    message_class = compare.load_message_class(schema, "At")
    first, second = message_class(), message_class()
    first.seen.FromJsonString("2026-01-31T00:30:00.000000001Z")
    first.took.FromJsonString("90.5s")
    second.seen.FromJsonString("9999-12-31T23:59:59Z")
    path = tmp_path / "at.pb"
    path.write_bytes(framing.frame_delimited([first.SerializeToString(), second.SerializeToString()]))
    return [path, "--descriptor_set_in", schema, "-m", "At"]


def test_times_are_in_utc_wherever_the_command_runs(ask, times, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    query = "SELECT seen, seen::DATE AS day, date_trunc('hour', seen) AS hour FROM t ORDER BY seen"
    assert ask(query, *times) == [
        {"seen": "2026-01-31T00:30:00Z", "day": "2026-01-31", "hour": "2026-01-31T00:00:00Z"},
        {"seen": "9999-12-31T23:59:59Z", "day": "9999-12-31", "hour": "9999-12-31T23:00:00Z"},
    ]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_have_the_unit_that_is_asked_for(ask, times, unit):
    rows = ask("SELECT seen, seen::DATE AS day FROM t ORDER BY seen NULLS LAST", *times, "--timestamps", unit)
    assert rows[0]["seen"].startswith("2026-01-31T00:30:00")
    assert [row["day"] for row in rows] == ["2026-01-31", None if unit == "ns" else "9999-12-31"]


def test_times_that_become_null_are_reported_once(sql, times):
    outcome = sql("SELECT a.seen FROM t AS a, t AS b", *times, "--timestamps", "ns", "--json")
    assert outcome.exit_code == 0
    assert outcome.stderr.count("set to null: seen: 1 time outside") == 1


def test_durations_are_intervals_and_by_the_command_numbers(ask, installed, times):
    seconds = "epoch(took)" if ".so" in str(installed) else "took / 1e6"
    assert ask(f"SELECT {seconds} AS s FROM t", *times) == [{"s": 90.5}, {"s": None}]


# --- broken records


@pytest.mark.parametrize(("policy", "titles"), [("rest", 2), ("skip", 0)])
def test_damaged_files_are_listed_once(sql, source, recipes, policy, titles):
    source.write_bytes(framing.frame_delimited(recipes.payloads[:3])[:-1])
    chosen = [source, *SCHEMA, "--from", "delimited", f"--on-damaged-file={policy}"]
    outcome = sql("SELECT a.title FROM t AS a JOIN t AS b USING (title)", *chosen, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    answer = json.loads(outcome.stdout)
    assert len(answer["rows"]) == titles
    assert [(file["file"], file["record"]) for file in answer["damaged_files"]] == [(str(source), 2)]


def test_broken_records_follow_the_policy(ask, sql, source, recipes, tmp_path):
    source.write_bytes(framing.frame_delimited([recipes.payloads[0], b"\x0a\x05x", recipes.payloads[2]]))
    chosen = [source, *SCHEMA, "--from", "delimited"]
    line = one_line(sql("SELECT title FROM t", *chosen))
    assert f"{source} record 1" in line
    assert "--on-error=skip" in line

    letters = tmp_path / "letters"
    query = "SELECT a.title FROM t AS a, t AS b ORDER BY ALL"
    outcome = sql(query, *chosen, "--on-error", "skip", "--dead-letters", letters, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    assert [row["title"] for row in json.loads(outcome.stdout)["rows"]] == ["soup", "soup", "toast", "toast"]
    assert outcome.stderr.count("skipped: ") == 1
    assert list(framing.read_delimited(letters)) == [b"\x0a\x05x"]
    assert "exists already" in one_line(sql(query, *chosen, "--on-error", "skip", "--dead-letters", letters))

    assert ask("SELECT count(*) AS n FROM t", *chosen, "--on-error", "null") == [{"n": 3}]
    outcome = sql(query, *chosen, "--on-error", "skip", "--max-errors", 0)
    assert outcome.exit_code == 1
    assert "record 1" in outcome.stderr


def test_messages_of_another_type_are_reported(sql, source):
    source.write_bytes(framing.frame_delimited([b"\x0a\x05x", b"\x0a\x06y"]))
    chosen = ["SELECT title FROM t", source, *SCHEMA, "--from", "delimited"]
    hint = "no message could be read as a cookbook.Recipe, so the messages may be of another type: structtensor inspect"
    assert hint in one_line(sql(*chosen))
    outcome = sql(*chosen, "--on-error", "skip")
    assert outcome.exit_code == 0
    assert outcome.stderr.count(hint) == 1
    source.write_bytes(source.read_bytes() + framing.frame_delimited([b"\x0a\x01x"]))
    assert hint not in sql(*chosen).stderr
    assert hint not in sql(*chosen, "--on-error", "skip").stderr


def test_fields_that_a_query_leaves_out_do_not_look_like_another_type(sql, tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; message M { int32 far = 90; } message Near { string title = 1; int32 far = 90; }'
    )
    source = tmp_path / "titles.pb"
    source.write_bytes(framing.frame_delimited([b"\x0a\x04soup", b"\x0a\x05toast"]))
    note = "no message that was read has a field of t.M"
    assert note in sql("SELECT far FROM t", source, "-p", proto, "-m", "t.M").stderr
    for query in ("SELECT far FROM t", "SELECT count(*) FROM t", "SELECT title FROM t"):
        outcome = sql(query, source, "-p", proto, "-m", "t.Near")
        assert outcome.exit_code == 0
        assert "no message" not in outcome.stderr


def test_inputs_that_cannot_be_read_say_so(sql, tmp_path):
    assert f"{tmp_path / 'none.pb'}: cannot open" in one_line(sql("SELECT title FROM t", tmp_path / "none.pb", *SCHEMA))


# --- outputs


def test_people_see_a_table(sql, source):
    outcome = sql("SELECT title, minutes FROM t ORDER BY minutes DESC", source, *SCHEMA)
    assert outcome.stdout.decode() == "title  minutes\nsoup   40\n       null\ntoast  null\n"
    outcome = sql("SELECT title, minutes FROM t ORDER BY minutes DESC", source, *SCHEMA, "-n", 1)
    assert outcome.stdout.decode() == "title  minutes\nsoup   40\n"
    assert "more rows" in outcome.stderr
    outcome = sql("SELECT title FROM t", source, *SCHEMA, "-n", 3)
    assert "more rows" not in outcome.stderr
    assert sql("SELECT title FROM t", source, *SCHEMA, "-n", 0).stdout.decode() == "title\n"


def test_answers_go_to_files_and_pipes(sql, source, tmp_path):
    query = "SELECT title, minutes FROM t ORDER BY title"
    assert sql(query, source, *SCHEMA, "--to", "csv").stdout.decode().splitlines()[0] == '"title","minutes"'
    lines = sql(query, source, *SCHEMA, "-o", "-").stdout.decode().splitlines()
    assert [json.loads(line)["title"] for line in lines] == ["", "soup", "toast"]
    arrow = tmp_path / "answer.arrow"
    assert sql(query, source, *SCHEMA, "-o", arrow, "--compression", "zstd").exit_code == 0
    assert pa.ipc.open_file(arrow).read_all().to_pydict() == {"title": ["", "soup", "toast"], "minutes": [None, 40, None]}
    assert "exists already" in one_line(sql(query, source, *SCHEMA, "-o", arrow))
    assert sql("SELECT 1 AS a", source, *SCHEMA, "-o", arrow, "--overwrite").exit_code == 0
    assert pa.ipc.open_file(arrow).read_all().to_pydict() == {"a": [1]}
    line = one_line(sql("SELECT ingredients FROM t", source, *SCHEMA, "-o", tmp_path / "answer.csv"))
    assert "answer.csv" in line


def test_the_document_names_the_columns(sql, source):
    outcome = sql("SELECT title, sum(minutes) AS m FROM t GROUP BY ALL", source, *SCHEMA, "--json")
    columns = json.loads(outcome.stdout)["columns"]
    assert [(column["name"], column["type"]) for column in columns] == [("title", "string"), ("m", "int64")]


def test_a_query_that_fails_half_way_leaves_nothing(sql, source, tmp_path):
    query = "SELECT CASE WHEN i = 150000 THEN 1e30::HUGEINT ELSE i END AS h FROM range(200000) AS r(i)"
    outcome = sql(query, source, *SCHEMA, "-o", tmp_path / "answer.parquet")
    line, hint = outcome.stderr.splitlines()
    assert outcome.exit_code == 1 and outcome.stdout == b""
    assert "out of range" in line and hint.startswith("hint: sums of integers have 128 bits")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recipes.pb"]


def test_a_long_document_has_all_rows(sql, source):
    outcome = sql("SELECT i FROM range(200000) AS r(i) ORDER BY i", source, *SCHEMA, "--json")
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    assert (document["version"], document["verb"]) == (1, "sql")
    assert [row["i"] for row in document["rows"]] == list(range(200_000))


def test_sums_that_64_bits_cannot_hold(sql, ask, tmp_path):
    (tmp_path / "u.proto").write_text('syntax = "proto3"; message U { uint64 u = 1; }')
    (tmp_path / "u.pb").write_bytes(bytes.fromhex("0b08" + "ff" * 9 + "01") * 2)  # twice 2^64 - 1
    arguments = [tmp_path / "u.pb", "-p", tmp_path / "u.proto", "-m", "U"]
    outcome = sql("SELECT sum(u) AS s FROM t", *arguments)
    line, hint = outcome.stderr.splitlines()
    assert outcome.exit_code == 1 and "36893488147419103230" in line
    assert "sum(n)::DOUBLE" in hint and "sum(n)::VARCHAR" in hint
    assert ask("SELECT sum(u)::DOUBLE AS s FROM t", *arguments) == [{"s": 2.0**65}]
    assert ask("SELECT sum(u)::VARCHAR AS s FROM t", *arguments) == [{"s": "36893488147419103230"}]


def test_the_memory_limit(sql, ask, source):
    query = "SELECT current_setting('memory_limit') AS m FROM t LIMIT 1"
    for limit, shown in [("512MiB", "512.0 MiB"), ("1GB", "953.6 MiB"), ("2 GiB", "2.0 GiB")]:
        assert ask(query, source, *SCHEMA, "--memory-limit", limit) == [{"m": shown}]
    for limit in ("", "x", "-1", "-5GB", "none", "'; DROP TABLE t; --"):
        outcome = sql(query, source, *SCHEMA, f"--memory-limit={limit}")
        assert outcome.exit_code == 2 and "--memory-limit: expected a number and a unit" in outcome.stderr
    for limit in ("5", "5XB", "0MB", "1KB", "1e30GB", "1GB'; SELECT 1; --", "9" * 500 + "GB"):
        outcome = sql(query, source, *SCHEMA, f"--memory-limit={limit}")
        assert outcome.exit_code == 1 and "memory" in outcome.stderr.lower(), limit
        assert "expected a query" not in outcome.stderr


def test_temporary_files_are_gone(sql, source, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    assert sql("SELECT title FROM t", source, *SCHEMA).exit_code == 0
    assert sql("SELECT titel FROM t", source, *SCHEMA).exit_code == 1
    assert not list(folder.iterdir())


# --- errors


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT titel FROM t", ["Binder Error", "titel", "title"]),
        ("SELECT title FROM tt", ["Catalog Error", "tt"]),
        ("SELCT title FROM t", ["Parser Error", "SELCT"]),
        ("SELECT title, FROM t WHERE", ["Parser Error"]),
        ("SELECT 1; SELECT 2", ["Error"]),
        ("SELECT 1) UNION ALL (SELECT 2", ["Error"]),
        ("CREATE TABLE x AS FROM t", ["CREATE"]),
        ("SELECT title::INTEGER AS i FROM t WHERE title <> ''", ["Conversion Error", "soup"]),
        ("SELECT $1", ["arameter"]),
    ],
)
def test_what_duckdb_does_not_take_is_reported_in_one_line(sql, source, query, words):
    line = one_line(sql(query, source, *SCHEMA))
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [""],
        [" ;"],
        ["SELECT 1", "--json", "-o", "x.parquet"],
        ["SELECT 1", "-o", "x.pb"],
        ["SELECT 1", "-o", "x.parquet.gz"],
        ["SELECT 1", "--to", "tfrecord"],
        ["SELECT 1", "--compression", "zstd"],
        ["SELECT 1", "--compression-level", "1"],
        ["SELECT 1", "-o", "x.arrow", "--compression-level", "23"],
        ["SELECT 1", "-o", "x.csv", "--compression", "zstd"],
        ["SELECT 1", "-n", "-1"],
        ["SELECT 1", "-n", "99999999999"],
        ["SELECT 1", "--max-errors", "1"],
    ],
)
def test_wrong_usage_exits_with_2(arguments, tmp_path):
    outcome = commands.run("structtensor", "sql", *arguments, cwd=tmp_path)
    assert outcome.exit_code == 2
    assert outcome.stderr
    assert not list(tmp_path.iterdir())


def test_where_no_duckdb_is_the_command_says_what_to_install(source, tmp_path, monkeypatch):
    monkeypatch.delenv("STRUCTTENSOR_DUCKDB", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    def run(*arguments):
        return one_line(commands.run("structtensor", "sql", "SELECT 1", source, *SCHEMA, *arguments))

    if ctypes.util.find_library("duckdb") is None:
        line = run()
        assert "DuckDB is not installed" in line
        assert "--duckdb" in line
    assert "/none/libduckdb.so" in run("--duckdb", "/none/libduckdb.so")
    assert "libc.so.6 is not DuckDB" in run("--duckdb", "libc.so.6")
    assert "there is no command /none/duckdb" in run("--duckdb", "/none/duckdb")
    assert "there is no command nosuchcommand" in run("--duckdb", "nosuchcommand")
    monkeypatch.setenv("STRUCTTENSOR_DUCKDB", "/none/of_the_environment")
    assert "/none/of_the_environment" in run()


def test_the_environment_names_duckdb(installed, source, monkeypatch):
    monkeypatch.setenv("STRUCTTENSOR_DUCKDB", str(installed))
    outcome = commands.run("structtensor", "sql", "SELECT count(*) AS n FROM t", source, *SCHEMA)
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.decode() == "n\n3\n"


def test_a_command_that_fails_without_words_is_reported(source, tmp_path):
    command = tmp_path / "duckdb"
    command.write_text("#!/bin/sh\nexit 3\n")
    command.chmod(0o755)
    line = one_line(commands.run("structtensor", "sql", "SELECT 1", source, *SCHEMA, "--duckdb", command))
    assert "exit code 3" in line
    command.write_text("#!/bin/sh\nkill -9 $$\n")
    line = one_line(commands.run("structtensor", "sql", "SELECT 1", source, *SCHEMA, "--duckdb", command))
    assert "signal" in line


# --- the end of the command


def processes_with(variable):
    """The processes that have a variable in their environment."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if variable in (folder / "environ").read_bytes().split(b"\0") and b") Z " not in (folder / "stat").read_bytes():
                found.append(folder.name)
        except OSError:
            pass  # it has just ended
    return found


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_duckdb_does_not_outlive_the_command(installed, source, number, tmp_path):
    mark = f"STRUCTTENSOR_TEST={os.getpid()}-{time.time_ns()}"
    query = "SELECT count(*) AS n FROM range(100000000000) AS a(i), t WHERE (i * minutes) % 7 = 3"
    command = [commands.command_path("structtensor"), "sql", query, source, *SCHEMA, "--duckdb", installed]
    environment = {**os.environ, **dict([mark.split("=")]), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [*map(str, command)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: number == signal.SIGKILL or signal.signal(number, signal.SIG_DFL),
    ) as process:
        # By the command: this process, the guard of its group, and DuckDB, with or without the script that starts it.
        least = 1 if ".so" in str(installed) else 3
        assert wait_until(lambda: len(processes_with(mark.encode())) >= least)
        time.sleep(0.3)
        process.send_signal(number)
        assert process.wait(timeout=30) == -number
    assert wait_until(lambda: not processes_with(mark.encode()))
    if number != signal.SIGKILL:
        assert [path for path in tmp_path.iterdir() if path.name.startswith("structtensor-")] == []


def test_duckdb_spills_into_a_folder_of_its_own(sql, ask, source, tmp_path, monkeypatch):
    temporary = tmp_path / "it's temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    (row,) = ask("SELECT current_setting('temp_directory') AS folder", source, *SCHEMA)
    assert pathlib.Path(row["folder"]).parent == temporary
    assert pathlib.Path(row["folder"]).name.startswith("structtensor-")
    assert list(temporary.iterdir()) == []
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    assert "TMPDIR" in one_line(sql("SELECT 1 AS one", source, *SCHEMA))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_nothing_that_duckdb_has_spilled(installed, source, number, tmp_path):
    query = "SELECT count(*) AS n FROM range(100000000000) AS a(i), t WHERE (i * minutes) % 7 = 3"
    temporary, current = tmp_path / "temporary", tmp_path / "current"
    temporary.mkdir()
    current.mkdir()
    command = [commands.command_path("structtensor"), "sql", query, source, *SCHEMA, "--duckdb", installed]
    with subprocess.Popen(
        [*map(str, command)],
        env={**os.environ, "TMPDIR": str(temporary)},
        cwd=current,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        assert wait_until(lambda: list(temporary.glob("structtensor-*")))
        (folder,) = temporary.glob("structtensor-*")
        # What DuckDB makes when it spills.
        for i in range(300):
            (folder / f"duckdb_temp_storage_DEFAULT-{i}.tmp").write_bytes(b"spilled")
        process.send_signal(number)
        assert process.wait(timeout=30) == -number
    assert list(temporary.iterdir()) == []
    assert list(current.iterdir()) == []


@pytest.mark.real_data
def test_rows_inside_of_messages_are_the_table(ask):
    opened = open_real_set("otlp_traces_astronomy")
    schema = ["--descriptor_set_in", opened.descriptor_set, "-m", opened.message]
    rows = ["--rows", "resource_spans.scope_spans.spans"]
    counted = commands.convert("structtensor", "stats", opened.messages, *schema, *rows, "--json").stdout
    query = "SELECT count(*) AS spans, count(DISTINCT trace_id) AS traces FROM t"
    (answer,) = ask(query, opened.messages, *schema, *rows)
    assert answer["spans"] == json.loads(counted)["messages"]
    assert 0 < answer["traces"] < answer["spans"]
