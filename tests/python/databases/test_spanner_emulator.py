"""structtensor.spanner against spannertest of Google's Go client, which has the plain types (tools/databases starts it)."""

import importlib.util
import math
import os
import random

import google.api_core.exceptions
import pyarrow as pa
import pytest
import spanner_server
from google.cloud.spanner_v1 import param_types
from spanner_server import DATABASE
from test_spanner import COLUMN_TYPES

import structtensor as st
import structtensor.spanner

EMULATOR = os.environ.get("STRUCTTENSOR_SPANNER_EMULATOR")
pytestmark = pytest.mark.skipif(not EMULATOR, reason="the emulator spannertest is not running (tools/databases starts it)")
ADBC_IS_MISSING = importlib.util.find_spec("adbc_driver_spanner") is None

COLUMNS = {
    "Flag": "BOOL",
    "Count": "INT64",
    "Share": "FLOAT64",
    "Title": "STRING",
    "Data": "BYTES",
    "Day": "DATE",
    "Time": "TIMESTAMP",
}
ROUNDS = 25
RANGE = "SELECT * FROM Everything WHERE Id >= @low AND Id < @high ORDER BY Id"


@pytest.fixture(autouse=True)
def emulator():
    with spanner_server.environment(SPANNER_EMULATOR_HOST=EMULATOR):
        yield


def place_of(seed):
    """Where the rows of this test start: others write to the same table."""
    return (os.getpid() * 1000 + seed) * 1000


def random_rows(seed, count):
    dice = random.Random(seed)
    columns = {"Id": pa.array(range(place_of(seed), place_of(seed) + count), pa.int64())}
    for name, code in COLUMNS.items():
        arrow, make = COLUMN_TYPES[code]

        def value(make=make, code=code):
            found = make(dice)
            # The emulator has no NaN and no infinity.
            return 0.5 if code == "FLOAT64" and not math.isfinite(found) else found

        columns[name] = pa.array([None if dice.random() < 0.2 else value() for _ in range(count)], arrow)
        lists = [[None if dice.random() < 0.1 else value() for _ in range(dice.randrange(4))] for _ in range(count)]
        columns[f"{name}s"] = pa.array(lists, pa.list_(arrow))
    return st.from_arrow(pa.table(columns))


def read(seed, rows, **options):
    bounds = {"low": place_of(seed), "high": place_of(seed) + len(rows)}
    types = {"low": param_types.INT64, "high": param_types.INT64}
    found = structtensor.spanner.read(DATABASE, RANGE, params=bounds, param_types=types, **options)
    return found[list(rows.field_names())]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_rows_come_back(seed):
    rows = random_rows(seed, 1 + 3 * seed)
    assert structtensor.spanner.write(DATABASE, "Everything", rows) == len(rows)
    assert repr(read(seed, rows).to_py()) == repr(rows.to_py())
    assert structtensor.spanner.write(DATABASE, "Everything", rows, mode="update", max_mutations=100) == len(rows)
    assert read(seed, rows).equals(rows)


def test_a_row_that_is_there_is_not_inserted():
    rows = random_rows(900, 3)
    structtensor.spanner.write(DATABASE, "Everything", rows, mode="insert")
    with pytest.raises(structtensor.spanner.WriteError, match="Everything, rows 0 to 2: .*the 0 rows before are committed"):
        structtensor.spanner.write(DATABASE, "Everything", rows, mode="insert")


def test_batches():
    rows = random_rows(901, 50)
    structtensor.spanner.write(DATABASE, "Everything", rows)
    first = place_of(901)
    sql = f"SELECT Id, Title FROM Everything WHERE Id >= {first} AND Id < {first + 50} ORDER BY Id"
    pieces = list(structtensor.spanner.batches(DATABASE, sql, batch_size=8))
    assert [len(piece) for piece in pieces] == [8] * 6 + [2]
    assert st.concat(pieces, 0).equals(rows[["Id", "Title"]])


@pytest.mark.skipif(ADBC_IS_MISSING, reason="the package adbc_driver_spanner is not installed")
def test_adbc():
    rows = random_rows(902, 30)
    structtensor.spanner.write(DATABASE, "Everything", rows)
    first = place_of(902)
    sql = f"SELECT * FROM Everything WHERE Id >= {first} AND Id < {first + 30} ORDER BY Id"
    theirs = structtensor.spanner.read(DATABASE, sql, driver="adbc")
    assert repr(theirs[list(rows.field_names())].to_py()) == repr(rows.to_py())


def test_what_the_emulator_lacks():
    """Why spanner_server.py is there: the emulator takes JSON and NUMERIC in CREATE TABLE, and knows neither in results."""
    for column in ("Note", "Price"):
        with pytest.raises(google.api_core.exceptions.GoogleAPICallError, match="unhandled base type"):
            structtensor.spanner.read(DATABASE, "Notes", columns=["Id", column])
    with pytest.raises(google.api_core.exceptions.InvalidArgument):
        structtensor.spanner.read(DATABASE, "SELECT STRUCT(1 AS x)")
