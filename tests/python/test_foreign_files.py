"""Files of columns that pyarrow, polars, DuckDB and ClickHouse wrote become messages, and rows, as pyarrow reads them; ours are
read by them as pyarrow reads them."""

import datetime
import decimal
import json
import uuid

import commands
import conftest
import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

RECIPE_PROTO = conftest.RECIPES / "recipe.proto"
EXPECTED = [
    {"title": "soup", "minutes": 40, "ingredients": [{"name": "water", "amount": 1, "unit": 4}], "ratings": {"ann": 5}},
    {"title": "", "minutes": None, "ingredients": [], "ratings": {}},
    {"title": "a title of more than twelve bytes", "minutes": 3, "ingredients": [], "ratings": {}},
]
TITLES = ["soup", None, "a title of more than twelve bytes"]
MINUTES = [40, None, 3]


def rows_of(path, folder):
    """What the command makes of a file, as rows of a recipe."""
    output = folder / "rows.jsonl"
    schema = ("-p", RECIPE_PROTO, "-m", "cookbook.Recipe")
    outcome = commands.run("structtensor", "convert", path, *schema, "-o", output, "--to", "rows")
    assert outcome.exit_code == 0, outcome.stderr
    return [json.loads(line) for line in output.read_text().splitlines()]


def ingredients(string, list_):
    fields = pa.struct([("name", string), ("amount", pa.float64()), ("unit", pa.int32())])
    return pa.array([[{"name": "water", "amount": 1, "unit": 4}], None, []], list_(fields))


LAYOUTS = {
    "plain": (lambda: pa.array(TITLES), lambda: ingredients(pa.string(), pa.list_)),
    "large": (lambda: pa.array(TITLES, pa.large_string()), lambda: ingredients(pa.large_string(), pa.large_list)),
    "views": (lambda: pa.array(TITLES, pa.string_view()), lambda: ingredients(pa.string_view(), pa.list_view)),
    "dictionary": (lambda: pa.array(TITLES).dictionary_encode(), lambda: ingredients(pa.string(), pa.large_list_view)),
    "runs": (
        lambda: pa.RunEndEncodedArray.from_arrays([1, 2, 3], pa.array(TITLES)),
        lambda: ingredients(pa.string(), pa.list_),
    ),
}


@pytest.mark.parametrize(
    ("layout", "ending"),
    [*((layout, ending) for layout in LAYOUTS for ending in ("arrow", "arrows")), ("plain", "parquet"), ("large", "parquet")],
)
def test_files_of_pyarrow(layout, ending, tmp_path):
    titles, lists = LAYOUTS[layout]
    ratings = pa.array([[("ann", 5)], None, []], pa.map_(pa.string(), pa.int32()))
    table = pa.table({"title": titles(), "minutes": pa.array(MINUTES, pa.int16()), "ingredients": lists(), "ratings": ratings})
    path = tmp_path / f"recipes.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        new = pa.ipc.new_file if ending == "arrow" else pa.ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table)
    assert rows_of(path, tmp_path) == EXPECTED


def test_files_of_duckdb(tmp_path):
    path = tmp_path / "recipes.parquet"
    duckdb.connect().execute(f"""
        COPY (SELECT * FROM (VALUES
            ('soup', 40, [{{'name': 'water', 'amount': 1::DOUBLE, 'unit': 4}}], MAP {{'ann': 5}}),
            (NULL, NULL, NULL, NULL),
            ('{TITLES[2]}', 3, [], MAP {{}})) AS t(title, minutes, ingredients, ratings)) TO '{path}' (FORMAT parquet)""")
    assert rows_of(path, tmp_path) == EXPECTED


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_files_of_polars(ending, tmp_path):
    pl = pytest.importorskip("polars", reason="the package polars is not installed")
    lists = [[{"name": "water", "amount": 1.0, "unit": 4}], None, []]
    frame = pl.DataFrame({"title": TITLES, "minutes": MINUTES, "ingredients": lists})
    path = tmp_path / f"recipes.{ending}"
    (frame.write_ipc if ending == "arrow" else frame.write_parquet)(path)
    assert rows_of(path, tmp_path) == [{**row, "ratings": {}} for row in EXPECTED]


# --- Without a schema: every type that they write

DUCKDB_ROWS = """
    SELECT i AS id, 'row ' || i AS text, CASE WHEN i <> 1 THEN i * 1.5::DOUBLE END AS half, range(i) AS list,
        [[i::VARCHAR], []] AS lists, MAP {'a': i} AS counts, {'n': i, 's': 'x'} AS place,
        [{'n': i, 's': NULL::VARCHAR}, NULL] AS places,
        TIMESTAMPTZ '2024-01-02 03:04:05.678+00' + INTERVAL (i) SECOND AS moment, DATE '2024-01-02' AS day,
        (i / 2)::DECIMAL(18, 2) AS amount, 'b'::ENUM ('a', 'b') AS letter, 'ab'::BLOB AS bytes, i = 1 AS flag,
        i::UTINYINT AS small, i::FLOAT AS single, TIME '01:02:03.5' AS time, [i, i, i]::BIGINT[3] AS three
    FROM range(3) AS rows (i)"""
CLICKHOUSE_ROWS = """
    SELECT number AS id, concat('row ', toString(number)) AS text,
        if(number = 1, NULL, number * 1.5) AS half, range(number) AS list,
        [[toString(number)], []] AS lists, map('a', number) AS counts,
        CAST((number, 'x'), 'Tuple(n UInt64, s String)') AS place,
        [CAST((number, 'x'), 'Tuple(n UInt64, s String)')] AS places, toDate('2024-01-02') AS day,
        toDateTime64('2024-01-02 03:04:05.678', 3, 'UTC') + number AS moment, toDecimal64(number, 2) AS amount,
        CAST('b', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)') AS letter, CAST('w', 'LowCardinality(String)') AS word,
        toFixedString('ab', 4) AS fixed, number = 1 AS flag, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS number_of_all
    FROM numbers(3)"""


def written_by_duckdb(path):
    duckdb.connect().execute(f"COPY ({DUCKDB_ROWS}) TO '{path}' (FORMAT parquet)")


def written_by_clickhouse(path):
    chdb = pytest.importorskip("chdb", reason="the package chdb is not installed")
    chdb.query(f"{CLICKHOUSE_ROWS} INTO OUTFILE '{path}' FORMAT {'Parquet' if path.suffix == '.parquet' else 'Arrow'}")


def written_by_polars(path):
    pl = pytest.importorskip("polars", reason="the package polars is not installed")
    frame = pl.from_arrow(duckdb.connect().execute(DUCKDB_ROWS).to_arrow_table().drop_columns(["counts"]))
    (frame.write_ipc if path.suffix == ".arrow" else frame.write_parquet)(path)


def written_by_pyarrow(path):
    table = duckdb.connect().execute(DUCKDB_ROWS).to_arrow_table()
    if path.suffix == ".parquet":
        return pq.write_table(table, path)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def as_ours(value):
    """What we make of a value that pyarrow reads: docs/formats.md, "Arrow columns read"."""
    if isinstance(value, dict):
        return {name: as_ours(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_ours(item) for item in value]
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, uuid.UUID):
        return value.bytes
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc)
    if isinstance(value, datetime.date):
        return datetime.datetime.combine(value, datetime.time(), datetime.timezone.utc)
    if isinstance(value, datetime.time):
        return datetime.datetime.combine(datetime.date.min, value) - datetime.datetime.min
    return value


def read_by_pyarrow(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with pa.ipc.open_file(path) as reader:
        return reader.read_all().to_pylist()


@pytest.mark.parametrize(
    ("write", "ending"),
    [
        (written_by_pyarrow, "parquet"),
        (written_by_pyarrow, "arrow"),
        (written_by_polars, "parquet"),
        (written_by_polars, "arrow"),
        (written_by_duckdb, "parquet"),
        (written_by_clickhouse, "parquet"),
        (written_by_clickhouse, "arrow"),
    ],
)
def test_every_type_that_they_write(write, ending, tmp_path):
    path = tmp_path / f"theirs.{ending}"
    write(path)
    expected = as_ours(read_by_pyarrow(path))
    assert len(expected) == 3 and len(expected[0]) > 14
    for again in ("ours.parquet", "ours.arrow"):
        outcome = commands.run("structtensor", "convert", path, "-o", tmp_path / again)
        assert outcome.exit_code == 0, outcome.stderr
        assert as_ours(read_by_pyarrow(tmp_path / again)) == expected


# --- Ours, read by them

EVERYTHING = """
    title: "soup" minutes: 40
    ingredients { name: "water" amount: 1.5 unit: LITER } ingredients { name: "salt" }
    ratings { key: "ann" value: 5 }
---
---
    title: "a title of more than twelve bytes" ingredients { } ratings { key: "bob" value: -1 }
"""


# Integers that are stored as differences; a third of them are absent.
SQUARES = [None if i % 3 == 2 else i * i - 500 for i in range(1500)]


@pytest.fixture(params=["parquet", "parquet of differences", "arrow"])
def our_file(request, tmp_path):
    ending, *differences = request.param.split(maxsplit=1)
    source, path = tmp_path / "recipes.textproto", tmp_path / f"recipes.{ending}"
    squares = "---\n".join("\n" if value is None else f"minutes: {value}\n" for value in SQUARES)
    source.write_text(squares if differences else EVERYTHING)
    outcome = commands.run("structtensor", "convert", source, "-p", RECIPE_PROTO, "-m", "cookbook.Recipe", "-o", path)
    assert outcome.exit_code == 0, outcome.stderr
    rows = read_by_pyarrow(path)
    if differences:
        assert [row["minutes"] for row in rows] == SQUARES
        columns = pq.read_metadata(path).row_group(0)
        encodings = {columns.column(i).path_in_schema: columns.column(i).encodings for i in range(columns.num_columns)}
        assert "DELTA_BINARY_PACKED" in encodings["minutes"]
    else:
        assert [row["title"] for row in rows] == ["soup", "", "a title of more than twelve bytes"]
    return path, rows


def pairs(rows):
    """Rows whose maps are lists of pairs, as pyarrow has them, whatever the reader makes of maps."""
    for row in rows:
        ratings = row["ratings"]
        if isinstance(ratings, dict):
            row["ratings"] = list(ratings.items())
        elif ratings and isinstance(ratings[0], dict):
            row["ratings"] = [(entry["key"], entry["value"]) for entry in ratings]
    return rows


def test_ours_are_read_by_duckdb(our_file):
    path, rows = our_file
    if path.suffix == ".parquet":
        table = duckdb.connect().execute(f"SELECT * FROM '{path}'").to_arrow_table()
        assert pairs(table.to_pylist()) == rows
    else:
        with pa.ipc.open_file(path) as reader:
            ours = reader.read_all()  # noqa: F841: DuckDB finds it by its name
        assert pairs(duckdb.sql("SELECT * FROM ours").to_arrow_table().to_pylist()) == rows


def test_ours_are_read_by_polars(our_file):
    pl = pytest.importorskip("polars", reason="the package polars is not installed")
    path, rows = our_file
    frame = (pl.read_parquet if path.suffix == ".parquet" else pl.read_ipc)(path)
    assert pairs(frame.to_dicts()) == rows


def test_ours_are_read_by_clickhouse(our_file):
    chdb = pytest.importorskip("chdb", reason="the package chdb is not installed")
    path, rows = our_file
    kind = "Parquet" if path.suffix == ".parquet" else "Arrow"
    text = chdb.query(f"SELECT * FROM file('{path}', '{kind}')", "JSONEachRow").bytes().decode()
    assert pairs([json.loads(line) for line in text.splitlines()]) == rows


INGREDIENT = pa.struct([("name", pa.string()), ("amount", pa.float64()), ("unit", pa.int32())])
NOTHING = {"name": None, "amount": None, "unit": None}
WITHOUT_VALUES = {
    "nothing": {"title": [None, None]},
    "lists": {"ingredients": [None, None], "minutes": [1, None]},
    "empty lists": {"ingredients": [[], []], "ratings": [[], None], "title": ["a", None]},
    "elements": {"ingredients": [[NOTHING, NOTHING], []]},
    "one value": {"ingredients": [[NOTHING, {**NOTHING, "unit": 2}], None]},
    "elements in one row group": {"ingredients": [[NOTHING], None] * 40 + [None] * 80},
    "entries": {"ratings": [[("", None), ("b", 0)], []]},
}
TYPES = {
    "title": pa.string(),
    "minutes": pa.int32(),
    "ingredients": pa.list_(INGREDIENT),
    "ratings": pa.map_(pa.string(), pa.int32()),
}


@pytest.mark.parametrize("name", WITHOUT_VALUES)
def test_columns_without_values(name, tmp_path):
    """What statistics say of such columns, which are not read then, is what is in them."""
    columns = WITHOUT_VALUES[name]
    rows = len(next(iter(columns.values())))
    table = pa.table({key: pa.array(columns.get(key, [None] * rows), type_) for key, type_ in TYPES.items()})
    messages = []
    for statistics in (True, False):
        pq.write_table(table, tmp_path / "rows.parquet", write_statistics=statistics, row_group_size=20)
        back = tmp_path / f"{statistics}.pb"
        schema = ("-p", RECIPE_PROTO, "-m", "cookbook.Recipe")
        outcome = commands.run("structtensor", "convert", tmp_path / "rows.parquet", *schema, "-o", back)
        assert outcome.exit_code == 0, outcome.stderr
        messages.append(back.read_bytes())
    assert messages[0] == messages[1]
    assert len(messages[0]) >= rows


def test_a_column_without_values_that_is_no_field(tmp_path):
    table = pa.table({"title": ["a"], "other": pa.array([None], pa.int32())})
    pq.write_table(table, tmp_path / "rows.parquet")
    schema = ("-p", RECIPE_PROTO, "-m", "cookbook.Recipe")
    outcome = commands.run("structtensor", "convert", tmp_path / "rows.parquet", *schema, "-o", tmp_path / "rows.pb")
    assert outcome.exit_code == 1 and "other" in outcome.stderr
