"""structtensor.spanner with Google's own client, against a server that speaks Spanner's protocol and checks what it is sent."""

import base64
import datetime
import decimal
import gc
import importlib.util
import json
import math
import random
import re
import subprocess
import sys
import threading
import uuid

import google.api_core.exceptions
import grpc
import menus
import numpy as np
import pyarrow as pa
import pytest
import spanner_server
from google.cloud import spanner
from google.protobuf import struct_pb2
from spanner_server import DATABASE, NULL, row_type, type_of

import structtensor as st
import structtensor.spanner

ADBC_IS_MISSING = importlib.util.find_spec("adbc_driver_spanner") is None
ROUNDS = 60


@pytest.fixture
def server():
    server = spanner_server.Server()
    with spanner_server.running(server) as address, spanner_server.environment(SPANNER_EMULATOR_HOST=address):
        yield server


@pytest.fixture(scope="session")
def schema():
    return st.Schema.from_proto(str(menus.PROTO))


def write(table, rows, **options):
    return structtensor.spanner.write(DATABASE, table, rows, **options)


def read(source, **options):
    return structtensor.spanner.read(DATABASE, source, **options)


# One of each type that a column can have: its type, Arrow's, and a random value as Arrow takes it.


def some_text(dice):
    return dice.choice(["", "a", "flour", "Zürich", "漢字", "tab\tquote\"\\", "👩‍🍳", "x" * 300, "line\nline"])


def some_float(dice, narrow):
    value = dice.choice([0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308, dice.gauss(0, 1e9)])
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(value)) if narrow else value


def some_numeric(dice):
    digits = "".join(dice.choice("0123456789") for _ in range(dice.choice([1, 5, 29])))
    text = f"{int(digits)}" + dice.choice(["", ".5", ".000000001", ".123456789"])
    return dice.choice(["", "-"]) + text if text != "0" else text


def some_json(dice):
    value = dice.choice([None, True, 1, -2.5, "text", [], {}, [1, "a", None], {"b": 1, "a": {"ü": [1.5, {}]}}])
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def some_time(dice):
    first, last = -62_135_596_800_000_000, 253_402_300_799_999_999  # of the years 1 and 9999
    return dice.choice([0, -1, 1, 10**6, first, last, dice.randrange(first, last)])


COLUMN_TYPES = {
    "BOOL": (pa.bool_(), lambda dice: dice.random() < 0.5),
    "INT64": (pa.int64(), lambda dice: dice.choice([0, 1, -1, 2**63 - 1, -(2**63), dice.getrandbits(40)])),
    "FLOAT64": (pa.float64(), lambda dice: some_float(dice, False)),
    "FLOAT32": (pa.float32(), lambda dice: some_float(dice, True)),
    "STRING": (pa.string(), some_text),
    "BYTES": (pa.binary(), lambda dice: dice.randbytes(dice.choice([0, 1, 5, 200]))),
    "NUMERIC": (pa.string(), some_numeric),
    "JSON": (pa.string(), some_json),
    "TIMESTAMP": (pa.timestamp("us", tz="UTC"), some_time),
    "DATE": (
        pa.timestamp("s", tz="UTC"),
        lambda dice: (datetime.date.fromordinal(dice.randint(1, 3652059)) - datetime.date(1970, 1, 1)).days * 86400,
    ),
    "UUID": (pa.string(), lambda dice: str(uuid.UUID(int=dice.getrandbits(128)))),
    "INTERVAL": (pa.string(), lambda dice: dice.choice(["P1Y2M3D", "PT-5M0.000000001S", "P0Y"])),
    "ENUM": (pa.int32(), lambda dice: dice.choice([0, 2, -5, 2**31 - 1, -(2**31)])),
}


def column_type(code):
    return type_of(code, proto="menu.Course" if code == "ENUM" else None)


def add_table(server, name="T", codes=COLUMN_TYPES):
    fields = [("id", type_of("INT64"))]
    for code in codes:
        fields += [(code.lower(), column_type(code)), (f"{code.lower()}s", type_of("ARRAY", column_type(code)))]
    server.tables[name] = spanner_server.Table(fields, "id")


def random_rows(seed, count, codes=COLUMN_TYPES):
    dice = random.Random(seed)
    columns = {"id": pa.array(range(count), pa.int64())}
    for code in codes:
        arrow, make = COLUMN_TYPES[code]
        columns[code.lower()] = pa.array([None if dice.random() < 0.2 else make(dice) for _ in range(count)], arrow)
        lists = [
            [None if dice.random() < 0.1 else make(dice) for _ in range(dice.choice([0, 1, 3]))] for _ in range(count)
        ]
        columns[f"{code.lower()}s"] = pa.array(lists, pa.list_(arrow))
    return st.from_arrow(pa.table(columns))


def exact(rows):
    """What to compare: NaN is equal to itself here, and 0.0 is not -0.0."""
    return {name: repr(rows[name].to_py()) for name in rows.field_names()}


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_column_type_comes_back(server, seed):
    add_table(server)
    rows = random_rows(seed, 1 + seed)
    assert write("T", rows) == len(rows)
    again = read("T", columns=rows.field_names())
    assert again.field_names() == rows.field_names()
    assert exact(again) == exact(rows)
    assert exact(read("T")) == exact(rows)
    for name in rows.field_names():
        assert again[name].spec.dtype == rows[name].spec.dtype, name


def test_googles_own_decoding_gives_the_same(server):
    add_table(server)
    rows = random_rows(9, 40)
    write("T", rows)
    database = spanner.Client(project="p").instance("i").database("d")
    names = rows.field_names()
    with database.snapshot() as snapshot:
        theirs = list(snapshot.read("T", names, spanner.KeySet(all_=True)))
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    for i, row in enumerate(rows.to_py()):
        found = dict(zip(names, theirs[i]))
        assert [found["bool"], found["int64"], found["string"], found["enum"]] == [
            row["bool"],
            row["int64"],
            row["string"],
            row["enum"],
        ]
        assert repr(found["float64"]) == repr(row["float64"]) and repr(found["float32s"]) == repr(row["float32s"])
        assert found["bytes"] is None or base64.b64decode(found["bytes"]) == row["bytes"]
        assert found["numerics"] == [None if text is None else decimal.Decimal(text) for text in row["numerics"]]
        if row["date"] is not None:
            assert rows["date"].to_arrow()[i].value == (found["date"] - datetime.date(1970, 1, 1)).days * 86400
        if row["timestamp"] is not None:
            since = found["timestamp"] - epoch
            count = (since.days * 86400 + since.seconds) * 10**6 + found["timestamp"].nanosecond // 1000
            assert count == rows["timestamp"].to_arrow()[i].value
        assert str(found["uuid"]) == str(row["uuid"])


def messages_table(server):
    proto = type_of("PROTO", proto="menu.Menu")
    fields = [("id", type_of("INT64")), ("menu", proto), ("menus", type_of("ARRAY", proto))]
    fields.append(("nothing", type_of("PROTO", proto="menu.Nothing")))
    server.tables["M"] = spanner_server.Table(fields, "id")
    return server.tables["M"]


def encoded(message):
    return base64.b64encode(message.SerializeToString()).decode()


@pytest.mark.parametrize("seed", range(8))
def test_messages_are_read_as_structs_and_written_as_messages(server, schema, seed):
    table, dice, expected = messages_table(server), random.Random(seed), []
    for i, message in enumerate(menus.random_menus(seed, 60)):
        more = menus.random_menus(seed * 1000 + i, dice.randrange(3))
        elements = [None if dice.random() < 0.2 else one for one in more]
        expected.append((None if dice.random() < 0.2 else message, elements))
        table.rows[i] = {
            "id": struct_pb2.Value(string_value=str(i)),
            "menu": NULL if expected[i][0] is None else struct_pb2.Value(string_value=encoded(message)),
            "menus": struct_pb2.Value(
                list_value=struct_pb2.ListValue(
                    values=[NULL if one is None else struct_pb2.Value(string_value=encoded(one)) for one in elements]
                )
            ),
            "nothing": NULL if i % 2 else struct_pb2.Value(string_value=""),
        }
    rows = read("M", schema=schema, timestamps="ns")
    # Those that are there are the rows of our decoder.
    serialized = [message.SerializeToString() for message, _ in expected if message is not None]
    decoded = schema.decoder("menu.Menu", timestamps="ns").decode(serialized)
    present = [row["menu"] for row in rows.to_py() if row["menu"] is not None]
    assert repr(present) == repr(decoded.to_py())
    assert [row["menu"] is None for row in rows.to_py()] == [message is None for message, _ in expected]
    # And back, into an empty table.
    table.rows.clear()
    assert write("M", rows, schema=schema) == len(expected)
    for i, (message, elements) in enumerate(expected):
        row = table.rows[i]
        for value, original in zip([row["menu"], *row["menus"].list_value.values], [message, *elements]):
            if original is None:
                assert value.HasField("null_value")
            else:
                assert menus.equal(original, base64.b64decode(value.string_value))
        assert len(row["menus"].list_value.values) == len(elements)
        assert row["nothing"].HasField("null_value") == bool(i % 2)


def test_messages_without_a_schema_are_bytes(server, schema):
    table = messages_table(server)
    messages = menus.random_menus(3, 5)
    for i, message in enumerate(messages):
        table.rows[i] = dict.fromkeys(("menus", "nothing"), NULL)
        table.rows[i].update(id=struct_pb2.Value(string_value=str(i)), menu=struct_pb2.Value(string_value=encoded(message)))
    rows = read("M")
    assert rows["menu"].to_py() == [message.SerializeToString() for message in messages]
    assert rows["menus"].to_py() == [[]] * 5
    assert write("M", rows, columns=["id", "menu"]) == 5
    assert read("M").equals(rows.with_updates({"menus": rows["menus"]}))
    assert read("M", schema={"nothing": schema})["menu"].dtype == "bytes"


def random_type(dice, depth):
    kind = dice.choice(["STRUCT", "ARRAY", "scalar"]) if depth else "scalar"
    if kind == "STRUCT":
        names = dice.sample(["a", "b", "größe", "user id", "_x"], dice.randrange(1, 4))
        return type_of("STRUCT", fields=[(name, random_type(dice, depth - 1)) for name in names])
    if kind == "ARRAY":
        element = random_type(dice, depth - 1)
        # Spanner has no arrays of arrays.
        return element if element.code == spanner_server.TypeCode.ARRAY else type_of("ARRAY", element)
    return column_type(dice.choice(["BOOL", "INT64", "FLOAT64", "STRING", "BYTES", "NUMERIC"]))


def random_value(dice, type_):
    """A value on the wire, and the expected result of to_py()."""
    code = spanner_server.TypeCode(type_.code).name
    if dice.random() < 0.2:
        return NULL, [] if code == "ARRAY" else None
    if code == "STRUCT":
        both = [random_value(dice, field.type_) for field in type_.struct_type.fields]
        values = struct_pb2.ListValue(values=[wire for wire, _ in both])
        names = [field.name for field in type_.struct_type.fields]
        return struct_pb2.Value(list_value=values), dict(zip(names, [python for _, python in both]))
    if code == "ARRAY":
        both = [random_value(dice, type_.array_element_type) for _ in range(dice.randrange(4))]
        values = struct_pb2.ListValue(values=[wire for wire, _ in both])
        return struct_pb2.Value(list_value=values), [python for _, python in both]
    value = COLUMN_TYPES[code][1](dice)
    if code == "BOOL":
        return struct_pb2.Value(bool_value=value), value
    if code == "FLOAT64" and math.isfinite(value):
        return struct_pb2.Value(number_value=value), value
    text = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN") if code == "FLOAT64" else str(value)
    if code == "BYTES":
        text = base64.b64encode(value).decode()
    return struct_pb2.Value(string_value=text), value


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_structs_and_arrays_of_query_results(server, seed):
    dice = random.Random(seed)
    fields = [(f"c{i}", random_type(dice, 4)) for i in range(3)]
    both = [[random_value(dice, type_) for _, type_ in fields] for _ in range(dice.choice([0, 1, 30]))]
    server.queries["SELECT nested"] = (row_type(fields), [[wire for wire, _ in row] for row in both])
    rows = read("SELECT nested")
    expected = [{name: python for (name, _), (_, python) in zip(fields, row)} for row in both]
    assert repr(rows.to_py()) == repr(expected)
    # The type comes from the metadata: it is that of no rows at all.
    server.queries["SELECT none"] = (row_type(fields), [])
    empty = read("SELECT none")
    assert empty.to_py() == []
    assert str(empty.spec).replace("[0", "[N") == str(rows.spec).replace(f"[{len(both)}", "[N")


def test_batches_are_as_small_as_asked(server):
    add_table(server, codes=["STRING"])
    rows = random_rows(5, 100, ["STRING"])
    write("T", rows)
    pieces = list(structtensor.spanner.batches(DATABASE, "T", batch_size=7))
    assert [len(piece) for piece in pieces] == [7] * 14 + [2]
    assert st.concat(pieces, 0).equals(rows)
    by_bytes = list(structtensor.spanner.batches(DATABASE, "T", batch_bytes=600))
    assert len(by_bytes) > 10 and st.concat(by_bytes, 0).equals(rows)
    assert [len(piece) for piece in structtensor.spanner.batches(DATABASE, "T", batch_bytes=1)] == [1] * 100


def test_a_stream_that_breaks_off_is_taken_up_again(server):
    add_table(server, codes=["STRING"])
    rows = random_rows(6, 200, ["STRING"])
    write("T", rows)
    server.breaks = 3
    server.requests.clear()
    assert read("T").equals(rows)
    assert len(server.requests) == 4 and server.requests[-1].resume_token


def test_json_columns_as_values(server):
    fields = [("id", type_of("INT64")), ("j", type_of("JSON")), ("js", type_of("ARRAY", type_of("JSON")))]
    server.tables["T"] = spanner_server.Table(fields, "id")
    strings = ['{"a":1,"b":["x"]}', None, '{"b":[],"a":null}', '{"c":{"d":1.5}}']
    rows = st.from_arrow(pa.table({"id": [0, 1, 2, 3], "j": strings, "js": [["1", "2"], [], [None, "3"], []]}))
    write("T", rows)
    values = read("T", json={"j": None, "js": None})
    assert values["js"].to_py() == [[1, 2], [], [None, 3], []]
    assert values["j"].to_py() == [
        {"a": 1, "b": ["x"], "c": None},
        None,
        {"a": None, "b": [], "c": None},
        {"a": None, "b": [], "c": {"d": 1.5}},
    ]
    # A name that an object does not have is null when it is written: that is what is lost.
    write("T", values)
    assert json.loads(read("T")["j"].to_py()[0]) == {"a": 1, "b": ["x"], "c": None}
    assert read("T", json={"j": None, "js": None}).equals(values)
    # The spec of a first batch is that of the next, which may have nulls; another type is an error.
    with pytest.raises(ValueError, match="row 3, j: .*c: expected double; found an object"):
        list(structtensor.spanner.batches(DATABASE, "T", batch_size=2, json={"j": None}))
    strings = ['{"a":1,"b":["x"]}', None, '{"a":5,"b":[]}', '{"a":null,"b":[null]}', "null"]
    write("T", st.from_arrow(pa.table({"id": range(5), "j": strings})))
    pieces = list(structtensor.spanner.batches(DATABASE, "T", batch_size=2, json={"j": None}))
    assert [row["j"] for piece in pieces for row in piece.to_py()] == [
        {"a": 1, "b": ["x"]},
        None,
        {"a": 5, "b": []},
        {"a": None, "b": [None]},
        None,
    ]
    given = st.StructuredTensorSpec([None], {"a": st.TensorSpec([None], "int64", nullable=True)}, nullable=True)
    with pytest.raises(ValueError, match="row 0, j"):
        read("T", json={"j": given})


def test_times_of_other_units(server):
    fields = [("id", type_of("INT64")), ("t", type_of("TIMESTAMP"))]
    server.tables["T"] = spanner_server.Table(fields, "id")
    strings = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.5Z"]
    write("T", st.from_arrow(pa.table({"id": [0, 1, 2], "t": strings})))
    with pytest.raises(ValueError, match=r'row 0, t: 0001-.* is beyond 64 bits of ns; pass timestamps="us"'):
        read("T", timestamps="ns")
    rows = read("T")
    assert rows["t"].to_arrow().cast(pa.int64()).to_pylist() == [-62135596800000000, 253402300799999999, -500000]
    write("T", rows)
    kept = [server.tables["T"].rows[i]["t"].string_value for i in range(3)]
    assert kept == ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999000Z", "1969-12-31T23:59:59.500000000Z"]
    seconds = read("T", timestamps="s")["t"].to_arrow().cast(pa.int64()).to_pylist()
    assert seconds == [-62135596800, 253402300799, -1]


def test_null_arrays(server):
    add_table(server, codes=["INT64"])
    write("T", st.from_arrow(pa.table({"id": [1, 2]})))
    assert read("T")["int64s"].to_py() == [[], []]
    with pytest.raises(ValueError, match="row 0, int64s: an array is NULL"):
        read("T", null_arrays="fail")


def test_modes(server):
    add_table(server, codes=["INT64"])
    one = st.from_arrow(pa.table({"id": [1], "int64": [10]}))
    assert write("T", one, mode="insert") == 1
    with pytest.raises(structtensor.spanner.WriteError, match="T, rows 0 to 0: .*already exists.*; the 0 rows before"):
        write("T", one, mode="insert")
    assert write("T", st.from_arrow(pa.table({"id": [1], "int64s": [[5]]})), mode="update") == 1
    assert read("T").to_py() == [{"id": 1, "int64": 10, "int64s": [5]}]
    assert write("T", one, mode="replace") == 1
    assert read("T").to_py() == [{"id": 1, "int64": 10, "int64s": []}]
    with pytest.raises(structtensor.spanner.WriteError, match="is not there"):
        write("T", st.from_arrow(pa.table({"id": [2], "int64": [1]})), mode="update")


def test_commits_stay_below_the_limits(server):
    add_table(server, codes=["STRING"])
    rows = random_rows(8, 500, ["STRING"])
    assert write("T", rows, max_mutations=90) == 500
    assert {mutations for mutations, _ in server.commits} == {90, 500 * 3 % 90}
    server.commits.clear()
    assert write("T", (rows[i : i + 100] for i in range(0, 500, 100)), max_bytes=3000) == 500
    assert all(size < 5000 for _, size in server.commits) and len(server.commits) > 10
    assert read("T").equals(rows)
    many = st.from_arrow(pa.table({"id": np.arange(27_000), "string": ["x"] * 27_000}))
    assert write("T", many) == 27_000  # more than one commit of Spanner's may have
    with pytest.raises(structtensor.spanner.WriteError, match="too many mutations") as info:
        server.refusal = (grpc.StatusCode.INVALID_ARGUMENT, "too many mutations")
        write("T", many)
    assert info.value.rows_written == 0


def test_a_failed_commit_says_what_was_written(server):
    add_table(server, codes=["INT64"])
    rows = st.from_arrow(pa.table({"id": [1, 2, 3, 3], "int64": [1, 2, 3, 4]}))

    def pieces():
        yield rows[:2]
        server.refusal = (grpc.StatusCode.PERMISSION_DENIED, "not for you")
        yield rows[2:]

    with pytest.raises(structtensor.spanner.WriteError, match="T, rows 2 to 3: not for you.*; the 2 rows before") as info:
        write("T", pieces())
    assert info.value.rows_written == 2
    assert isinstance(info.value.__cause__, google.api_core.exceptions.PermissionDenied)
    assert read("T")["id"].to_py() == [1, 2]


WRONG_VALUES = [
    ("int64", pa.array([1, 2**63], pa.uint64()), ValueError, r"row 1, int64: 9223372036854775808 is not within"),
    ("int64", pa.array(["1", "2"]), TypeError, "int64: the column takes integers; found string"),
    ("bool", pa.array([1, 0]), TypeError, "bool: the column takes booleans"),
    ("string", pa.array([b"a", b"b"]), TypeError, "string: the column takes strings"),
    ("bytes", pa.array(["a", "b"]), TypeError, "bytes: the column takes bytes"),
    ("float64", pa.array([1, 2]), TypeError, "float64: the column takes fractions"),
    ("float32", pa.array([0.5, 0.1]), ValueError, "row 1, float32: 0.1 is not a number of 32 bits"),
    ("float32", pa.array([0.5, 1e300]), ValueError, "row 1, float32"),
    ("numeric", pa.array(["1", "1e-10"]), ValueError, "row 1, numeric: 1e-10 has more than"),
    ("numeric", pa.array(["1" + "0" * 29, "1"]), ValueError, "row 0, numeric"),
    ("numeric", pa.array(["NaN", "1"]), ValueError, "row 0, numeric: NaN is not a number"),
    ("numeric", pa.array(["x", "1"]), ValueError, "row 0, numeric"),
    ("date", pa.array([0, 3600], pa.timestamp("s")), ValueError, "row 1, date: expected a date as a time at midnight"),
    ("date", pa.array([-62135683200, 0], pa.timestamp("s")), ValueError, "row 0, date: the date is not within"),
    ("timestamp", pa.array([0, 253402300800], pa.timestamp("s")), ValueError, "row 1, timestamp: the time is not within"),
    ("timestamp", pa.array([0, 1]), TypeError, "timestamp: the column takes times"),
    ("enum", pa.array([0, 2**31]), ValueError, "row 1, enum"),
    ("int64s", pa.array([1, 2]), TypeError, "int64s: the column takes lists"),
    ("numerics", pa.array([["1"], ["1", "y"]]), ValueError, "row 1, numerics"),
    ("int64s", pa.array([["1"], []]), TypeError, "int64s: the column takes integers"),
]


@pytest.mark.parametrize(("name", "array", "error", "text"), WRONG_VALUES)
def test_values_that_a_column_does_not_take(server, name, array, error, text):
    add_table(server)
    with pytest.raises(error, match=text):
        write("T", st.from_arrow(pa.table({"id": [0, 1], name: array})))
    assert not server.commits


def test_limits_of_numeric_are_taken(server):
    add_table(server, codes=["NUMERIC"])
    strings = ["9" * 29 + "." + "9" * 9, "-" + "9" * 29, "0.000000001", "1e28", "1.500000000000"]
    rows = st.from_arrow(pa.table({"id": range(5), "numeric": strings}))
    assert write("T", rows) == 5
    assert write("T", st.from_arrow(pa.table({"id": [9], "numeric": [7]}))) == 1


def test_numeric_of_the_postgresql_dialect_has_any_digits(server):
    any_digits = type_of("NUMERIC")
    any_digits.type_annotation = spanner_server.spanner_v1.TypeAnnotationCode.PG_NUMERIC
    server.tables["T"] = spanner_server.Table([("id", type_of("INT64")), ("n", any_digits)], "id")
    rows = st.from_arrow(pa.table({"id": range(3), "n": ["NaN", "1" + "0" * 60, "0." + "0" * 30 + "1"]}))
    write("T", rows)
    assert read("T").equals(rows)


def test_unknown_fields_are_kept_on_request(server, schema, tmp_path):
    (tmp_path / "old.proto").write_text('syntax = "proto3"; package menu; message Menu { string title = 12; }')
    old = st.Schema.from_proto(str(tmp_path / "old.proto"))
    table, messages = messages_table(server), menus.random_menus(11, 30)
    for i, message in enumerate(messages):
        table.rows[i] = dict.fromkeys(("menus", "nothing"), NULL)
        table.rows[i].update(id=struct_pb2.Value(string_value=str(i)), menu=struct_pb2.Value(string_value=encoded(message)))
    rows = read("M", schema={"menu": old}, unknown_fields=True)
    assert rows["menu", "title"].to_py() == [message.title for message in messages]
    write("M", rows, columns=["id", "menu"], schema=old)
    for i, message in enumerate(messages):
        assert menus.equal(message, base64.b64decode(table.rows[i]["menu"].string_value))


WRONG_OPTIONS = [
    (dict(batch_size=0), ValueError, "batch_size = 0; expected 1 to"),
    (dict(batch_bytes=0), ValueError, "batch_bytes = 0"),
    (dict(batch_size=True), TypeError, "batch_size"),
    (dict(driver="odbc"), ValueError, "driver = 'odbc'; expected one of 'google', 'adbc'"),
    (dict(timestamps="h"), ValueError, "timestamps"),
    (dict(null_arrays="keep"), ValueError, "null_arrays"),
    (dict(columns=[]), TypeError, "columns"),
    (dict(columns="id"), TypeError, "columns"),
    (dict(json={"nowhere": None}), KeyError, "nowhere: the result has no JSON column"),
    (dict(schema={"nowhere": None}), KeyError, "nowhere: the result has no PROTO column"),
]


@pytest.mark.parametrize(("options", "error", "text"), WRONG_OPTIONS)
def test_wrong_options_of_reading(server, options, error, text):
    add_table(server)
    with pytest.raises(error, match=text):
        list(structtensor.spanner.batches(DATABASE, "T", **options))


def test_wrong_options_of_writing(server, schema):
    add_table(server)
    rows = random_rows(1, 2)
    for options, error, text in [
        (dict(mode="delete"), ValueError, "mode = 'delete'"),
        (dict(max_mutations=0), ValueError, "max_mutations = 0; expected 1 to 80000"),
        (dict(max_mutations=80_001), ValueError, "max_mutations = 80001"),
        (dict(max_mutations=5), ValueError, "max_mutations = 5; a row has 27 columns"),
        (dict(max_bytes=0), ValueError, "max_bytes = 0"),
        (dict(max_bytes=(100 << 20) + 1), ValueError, "max_bytes"),
        (dict(max_bytes=10), ValueError, "row 0: it has .* bytes; max_bytes is 10"),
        (dict(columns=["nowhere"]), KeyError, "the rows have no field nowhere"),
        (dict(columns=[]), TypeError, "columns"),
    ]:
        with pytest.raises(error, match=text):
            write("T", rows, **options)
    with pytest.raises(TypeError, match="expected a StructuredTensor"):
        write("T", [{"id": 1}])
    with pytest.raises(TypeError, match="batch_size: an option of batches"):
        read("T", batch_size=5)
    messages_table(server)
    structs = schema.decoder("menu.Dish").decode([b""])
    whole = st.StructuredTensor.from_fields({"id": [1], "menu": structs})
    with pytest.raises(TypeError, match="menu: encoding structs as messages needs a schema"):
        write("M", whole)
    assert not server.commits


def test_what_spanner_refuses(server):
    with pytest.raises(google.api_core.exceptions.NotFound, match="Table not found: Nowhere"):
        read("Nowhere", columns=["a"])
    with pytest.raises(google.api_core.exceptions.InvalidArgument, match="Syntax error"):
        read("SELECT nonsense FROM nowhere")
    with pytest.raises(ValueError, match="expected projects/PROJECT/instances/INSTANCE/databases/DATABASE, found 'd'"):
        structtensor.spanner.read("d", "T")
    with pytest.raises(TypeError, match="expected a name or a Database"):
        structtensor.spanner.read(7, "T")


def test_no_threads_are_left(server):
    """Google's client has a thread for each database that it opens."""
    add_table(server, codes=["INT64"])
    write("T", random_rows(1, 2, ["INT64"]))
    read("T")
    before = threading.active_count()
    for _ in range(10):
        write("T", random_rows(1, 2, ["INT64"]))
        read("T")
        next(structtensor.spanner.batches(DATABASE, "T", batch_size=1)).to_py()  # an iterator that is not read to its end
    gc.collect()
    assert threading.active_count() < before + 10


def test_a_database_of_the_caller_stays_open(server):
    add_table(server, codes=["INT64"])
    database = spanner.Client(project="p").instance("i").database("d")
    rows = random_rows(1, 3, ["INT64"])
    for _ in range(2):
        assert structtensor.spanner.write(database, "T", rows) == 3
        assert structtensor.spanner.read(database, "T").equals(rows)


def test_importing_brings_no_client():
    code = "import sys, structtensor.spanner, structtensor.firebase; "
    code += "print(sorted(set(sys.modules) & {'google.cloud.spanner', 'pyarrow', 'grpc'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_paths_of_nested_columns(server, schema):
    inner = type_of("STRUCT", fields=[("j", type_of("JSON")), ("dish", type_of("PROTO", proto="menu.Dish"))])
    fields = [("s", type_of("STRUCT", fields=[("inner", inner), ("list", type_of("ARRAY", inner))]))]
    dish = menus.message_class("Dish")(name="toast", minutes=3)
    value = struct_pb2.Value(list_value=struct_pb2.ListValue(values=[struct_pb2.Value(string_value="[1,2]")]))
    value.list_value.values.add(string_value=encoded(dish))
    both = struct_pb2.Value(list_value=struct_pb2.ListValue(values=[value]))
    whole = struct_pb2.Value(list_value=struct_pb2.ListValue(values=[value, both]))
    server.queries["SELECT deep"] = (row_type(fields), [[whole], [NULL]])
    schemas = {"s.inner.dish": schema, "s.list.dish": menus.message_class("Dish")}
    first, second = read("SELECT deep", schema=schemas, json={"s.inner.j": None, "s.list.j": None}).to_py()
    assert second == {"s": None}
    for element in [first["s"]["inner"], *first["s"]["list"]]:
        assert (element["j"], element["dish"]["name"], element["dish"]["minutes"]) == ([1, 2], "toast", 3)
    with pytest.raises(KeyError, match="s.inner.j.k"):
        read("SELECT deep", json={"s.inner.j.k": None})


def test_two_fields_of_one_name(server):
    fields = [("a", type_of("INT64")), ("a", type_of("INT64"))]
    server.queries["SELECT a, a"] = (row_type(fields), [])
    with pytest.raises(ValueError, match="two fields have the name a; give them different ones"):
        read("SELECT a, a")
    server.queries["SELECT 1, 2"] = (row_type([("", type_of("INT64"))] * 2), [[struct_pb2.Value(string_value="1")] * 2])
    assert read("SELECT 1, 2").to_py() == [{"_0": 1, "_1": 1}]


def test_broken_messages_have_a_row_and_a_column(server, schema):
    table = messages_table(server)
    for i, text in enumerate([encoded(menus.random_menus(1, 1)[0]), base64.b64encode(b"\x62\xff").decode()]):
        table.rows[i] = dict.fromkeys(("menus", "nothing"), NULL)
        table.rows[i].update(id=struct_pb2.Value(string_value=str(i)), menu=struct_pb2.Value(string_value=text))
    with pytest.raises(ValueError, match=r"row 1, menu: .*title"):
        read("M", schema=schema)
    rows = read("M", schema=schema, on_error="null")
    assert len(rows) == 2
    with pytest.raises(ValueError, match="row 1, menu"):
        list(structtensor.spanner.batches(DATABASE, "M", batch_size=1, schema=schema))


def test_a_type_that_the_schema_lacks(server, schema):
    server.tables["M"] = spanner_server.Table([("id", type_of("INT64")), ("p", type_of("PROTO", proto="other.Thing"))], "id")
    with pytest.raises(ValueError, match=r"p: the schema has no message type other.Thing; it has menu\."):
        read("M", schema=schema)


def test_values_that_are_not_as_the_reference_says(server):
    server.queries["SELECT bad"] = (row_type([("n", type_of("INT64"))]), [[struct_pb2.Value(bool_value=True)]])
    with pytest.raises(ValueError, match="row 0, n: expected a text"):
        read("SELECT bad")
    unknown = type_of("INT64")
    unknown.code = 99
    server.queries["SELECT new"] = (row_type([("n", unknown)]), [])
    with pytest.raises(ValueError, match="99"):
        read("SELECT new")


@pytest.mark.skipif(ADBC_IS_MISSING, reason="the package adbc_driver_spanner is not installed")
def test_adbc_reads_the_same(server, schema):
    codes = [code for code in COLUMN_TYPES if code != "ENUM"]
    add_table(server, codes=codes)
    rows = random_rows(12, 50, codes)
    write("T", rows)
    ours = read("T")
    theirs = read("T", driver="adbc")
    assert exact(theirs) == exact(ours)
    assert re.sub(r"\d+", "N", str(theirs.spec)) == re.sub(r"\d+", "N", str(ours.spec))
    pieces = list(structtensor.spanner.batches(DATABASE, "T", batch_size=20, driver="adbc"))
    assert len(pieces) >= 3 and exact(st.concat(pieces, 0)) == exact(ours)


@pytest.mark.skipif(ADBC_IS_MISSING, reason="the package adbc_driver_spanner is not installed")
def test_adbc_reads_messages_structs_and_json(server, schema):
    dice = random.Random(4)
    fields = [("s", random_type(dice, 3)), ("menu", type_of("PROTO", proto="menu.Menu")), ("j", type_of("JSON"))]
    fields.append(("menus", type_of("ARRAY", type_of("PROTO", proto="menu.Menu"))))
    messages = menus.random_menus(5, 20)
    wire = []
    for message in messages:
        text = struct_pb2.Value(string_value=encoded(message))
        both = struct_pb2.Value(list_value=struct_pb2.ListValue(values=[text, NULL, text]))
        wire.append([random_value(dice, fields[0][1])[0], text, struct_pb2.Value(string_value='{"a":[1,2]}'), both])
    wire.append([NULL, NULL, NULL, NULL])
    server.queries["SELECT all"] = (row_type(fields), wire)
    ours = read("SELECT all", schema=schema, json={"j": None})
    of_menus = st.Schema.from_proto(str(menus.PROTO), message="menu.Menu")
    theirs = read("SELECT all", schema={"menu": of_menus, "menus": of_menus}, json={"j": None}, driver="adbc")
    assert repr(theirs.to_py()) == repr(ours.to_py())
    with pytest.raises(TypeError, match="a dict from columns to schemas"):
        read("SELECT all", schema=schema, driver="adbc")
    with pytest.raises(ValueError, match='driver="adbc" has "ns" and "us"'):
        read("SELECT all", timestamps="s", driver="adbc")
    with pytest.raises(ValueError, match="without columns, params, snapshot and timeout"):
        read("T", columns=["a"], driver="adbc")


@pytest.mark.skipif(ADBC_IS_MISSING, reason="the package adbc_driver_spanner is not installed")
def test_adbc_without_rows_and_with_null_arrays(server):
    codes = [code for code in COLUMN_TYPES if code != "ENUM"]
    add_table(server, codes=codes)
    ours, theirs = read("T"), read("T", driver="adbc")
    assert theirs.to_py() == [] and str(theirs.spec) == str(ours.spec)
    write("T", st.from_arrow(pa.table({"id": [1]})))
    assert read("T", driver="adbc").to_py() == read("T").to_py()
    with pytest.raises(ValueError, match="bools, row 0 of its batch: an array is NULL"):
        read("T", driver="adbc", null_arrays="fail")
    server.queries["SELECT a, a"] = (row_type([("a", type_of("INT64"))] * 2), [])
    with pytest.raises(ValueError, match="two fields have the name a"):
        read("SELECT a, a", driver="adbc")
    server.queries["SELECT 1"] = (row_type([("", type_of("INT64"))]), [[struct_pb2.Value(string_value="1")]])
    assert read("SELECT 1", driver="adbc").to_py() == [{"_0": 1}]
    write("T", st.from_arrow(pa.table({"id": [2], "timestamp": ["9999-12-31T23:59:59.999999999Z"]})))
    assert read("T", driver="adbc").equals(read("T"))
    with pytest.raises(Exception, match="(?i)timestamp|nanosecond|overflow|range"):
        read("T", driver="adbc", timestamps="ns")
