"""Files of columns that pyarrow, polars and DuckDB wrote become messages, and rows, as pyarrow reads them."""

import json

import commands
import conftest
import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

RECIPE_PROTO = conftest.RECIPES / "recipe.proto"
EXPECTED = [
    {"title": "soup", "minutes": 40, "ingredients": [{"name": "water", "amount": 1, "unit": "l"}], "ratings": {"ann": 5}},
    {"title": "", "minutes": None, "ingredients": [], "ratings": {}},
    {"title": "a title of more than twelve bytes", "minutes": 3, "ingredients": [], "ratings": {}},
]
TITLES = ["soup", None, "a title of more than twelve bytes"]
MINUTES = [40, None, 3]


def rows_of(path, folder):
    """What the command makes of a file, as rows of a recipe."""
    output = folder / "rows.jsonl"
    outcome = commands.run("structtensor", "convert", path, "-p", RECIPE_PROTO, "-m", "cookbook.Recipe", "-o", output)
    assert outcome.exit_code == 0, outcome.stderr
    return [json.loads(line) for line in output.read_text().splitlines()]


def ingredients(string, list_):
    fields = pa.struct([("name", string), ("amount", pa.float64()), ("unit", string)])
    return pa.array([[{"name": "water", "amount": 1, "unit": "l"}], None, []], list_(fields))


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
            ('soup', 40, [{{'name': 'water', 'amount': 1::DOUBLE, 'unit': 'l'}}], MAP {{'ann': 5}}),
            (NULL, NULL, NULL, NULL),
            ('{TITLES[2]}', 3, [], MAP {{}})) AS t(title, minutes, ingredients, ratings)) TO '{path}' (FORMAT parquet)""")
    assert rows_of(path, tmp_path) == EXPECTED


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_files_of_polars(ending, tmp_path):
    pl = pytest.importorskip("polars", reason="the package polars is not installed")
    lists = [[{"name": "water", "amount": 1.0, "unit": "l"}], None, []]
    frame = pl.DataFrame({"title": TITLES, "minutes": MINUTES, "ingredients": lists})
    path = tmp_path / f"recipes.{ending}"
    (frame.write_ipc if ending == "arrow" else frame.write_parquet)(path)
    assert rows_of(path, tmp_path) == [{**row, "ratings": {}} for row in EXPECTED]
