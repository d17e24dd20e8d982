"""Timestamps and durations in the files that the command writes: every unit, every place, and values that do not fit."""

import json

import commands
import compare
import conftest
import framing
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

COMMAND = "everything_to_columns"
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
FIRST_YEAR, LAST_YEAR = -62_135_596_800, 253_402_300_799  # 0001-01-01T00:00:00Z, 9999-12-31T23:59:59Z
# Seconds and nanoseconds: the ends of what protobuf allows, before and after 1970, fractions that no coarse unit has, and what
# no valid message has.
TIMES = [
    (0, 0),
    (FIRST_YEAR, 0),
    (LAST_YEAR, 999_999_999),
    (-1, 123_456_789),
    (1, -1),
    (1_700_000_000, 987_654_321),
    (1 << 40, 0),
]


def in_unit(seconds, nanos, unit):
    """What the column holds: rounded down; None if 64 bits do not hold it."""
    value = (seconds * 10**9 + nanos) // (10**9 // PER_SECOND[unit])
    return value if -(2**63) <= value < 2**63 else None


@pytest.fixture(scope="module")
def message_class(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    protos = conftest.REPOSITORY / "tests" / "protos"
    schema = commands.protoc_descriptor_set(folder / "schema", "everything.proto", protos, "/usr/include")
    return compare.load_message_class(schema, "structtensor.testing.Everything")


@pytest.fixture
def source(message_class, tmp_path):
    """A message for each time, which is in a singular, a repeated and a map field; and one without any."""
    messages = []
    for seconds, nanos in TIMES:
        message = message_class(name=f"{seconds} {nanos}")
        repeated = message.well_known.timestamps.add()
        for time in (message.well_known.timestamp, message.well_known.duration, repeated, message.maps.by_sfixed64[7]):
            time.seconds, time.nanos = seconds, nanos
        messages.append(message.SerializeToString())
    path = tmp_path / "times.pb"
    path.write_bytes(framing.frame_delimited([*messages, b""]))
    return path


def read(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    with pa.ipc.open_file(path) as file:
        return file.read_all()


def field(table, *path):
    array = table[path[0]].combine_chunks()
    for name in path[1:]:
        array = array.field(name)
    return array


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_every_unit_in_every_place(source, ending, unit, tmp_path):
    output = tmp_path / f"rows.{ending}"
    commands.convert(COMMAND, source, "-o", output, f"--timestamps={unit}", "--select=well_known", "--select=maps.by_sfixed64")
    table = read(output)
    stored = "ms" if (ending, unit) == ("parquet", "s") else unit  # Parquet has no timestamps of whole seconds
    scale = PER_SECOND[stored] // PER_SECOND[unit]
    times = [in_unit(*time, unit) for time in TIMES]
    scaled = [None if time is None else time * scale for time in times]

    timestamp = field(table, "well_known", "timestamp")
    assert timestamp.type == pa.timestamp(stored, tz="UTC")
    assert timestamp.cast(pa.int64()).to_pylist() == [*scaled, None]
    duration = field(table, "well_known", "duration")
    assert duration.type == pa.duration(unit)
    assert duration.cast(pa.int64()).to_pylist() == [*times, None]
    repeated = field(table, "well_known", "timestamps")
    assert repeated.flatten().cast(pa.int64()).to_pylist() == scaled
    in_map = field(table, "maps", "by_sfixed64")
    assert in_map.items.cast(pa.int64()).to_pylist() == scaled


def test_a_time_out_of_range_costs_its_row_nothing_else(source, tmp_path):
    output = tmp_path / "rows.parquet"
    outcome = commands.convert(COMMAND, source, "-o", output, "--timestamps=ns")
    names = [f"{seconds} {nanos}" for seconds, nanos in TIMES]
    assert read(output)["name"].to_pylist() == [*names, ""]
    assert (
        "set to null: well_known.timestamp: 3 times outside what 64 bits of ns can hold (pass --timestamps=us" in outcome.stderr
    )
    assert "set to null: maps.by_sfixed64.value: 3 times" in outcome.stderr
    assert "skipped" not in outcome.stderr
    assert "truncated" not in outcome.stderr


def test_the_default_unit_holds_all_valid_times_and_digits_below_it_are_counted(source, tmp_path):
    output = tmp_path / "rows.parquet"
    outcome = commands.convert(COMMAND, source, "-o", output)
    timestamp = field(read(output), "well_known", "timestamp")
    assert timestamp.type == pa.timestamp("us", tz="UTC")
    assert timestamp.cast(pa.int64()).to_pylist() == [*(in_unit(*time, "us") for time in TIMES), None]
    assert "set to null" not in outcome.stderr
    truncated = sum(nanos % 1000 != 0 for _, nanos in TIMES)
    assert (
        f"truncated: well_known.timestamp: {truncated} times with digits below us "
        "(pass --timestamps=ns, or --well-known=structs)" in outcome.stderr
    )
    assert f"truncated: maps.by_sfixed64.value: {truncated} times" in outcome.stderr


def test_head_counts_the_digits_that_it_leaves_out(source):
    truncated = sum(nanos % 1000 != 0 for _, nanos in TIMES)
    outcome = commands.convert(COMMAND, source, "--head", "100")
    assert f"truncated: well_known.timestamp: {truncated} times with digits below us" in outcome.stderr
    assert "truncated" not in commands.convert(COMMAND, source, "--head", "100", "--timestamps=ns").stderr


def test_json_lines_have_the_digits_of_the_unit(source):
    strings = {}
    for unit in PER_SECOND:
        lines = commands.convert(COMMAND, source, "-o", "-", "--to", "rows", f"--timestamps={unit}").stdout.splitlines()
        rows = [json.loads(line)["well_known"] for line in lines[:-1]]
        strings[unit] = [(row["timestamp"], row["duration"]) for row in rows]
    assert strings["ns"] == [
        ("1970-01-01T00:00:00Z", "0s"),
        (None, None),
        (None, None),
        ("1969-12-31T23:59:59.123456789Z", "-0.876543211s"),
        ("1970-01-01T00:00:00.999999999Z", "0.999999999s"),
        ("2023-11-14T22:13:20.987654321Z", "1700000000.987654321s"),
        (None, None),
    ]
    assert strings["us"][1:4] == [
        ("0001-01-01T00:00:00Z", "-62135596800s"),
        ("9999-12-31T23:59:59.999999Z", "253402300799.999999s"),
        ("1969-12-31T23:59:59.123456Z", "-0.876544s"),
    ]
    assert strings["ms"][2:4] == [
        ("9999-12-31T23:59:59.999Z", "253402300799.999s"),
        ("1969-12-31T23:59:59.123Z", "-0.877s"),
    ]
    assert strings["s"][2:] == [
        ("9999-12-31T23:59:59Z", "253402300799s"),
        ("1969-12-31T23:59:59Z", "-1s"),
        ("1970-01-01T00:00:00Z", "0s"),
        ("2023-11-14T22:13:20Z", "1700000000s"),
        ("+036812-02-20T00:36:16Z", "1099511627776s"),
    ]


def test_the_table_and_the_spec_show_the_unit(source):
    shown = commands.convert(
        COMMAND, source, "--show-spec", "--head", "3", "--timestamps=us", "--select=well_known"
    ).stdout.decode()
    assert "timestamp: timestamp[us] [None]" in shown
    assert "duration: duration[us] [None]" in shown
    assert "0001-01-01T00:00:00Z" in shown


def test_seconds_that_parquet_cannot_hold_are_null_there_too(message_class, tmp_path):
    """It stores milliseconds instead of seconds."""
    message = message_class(name="late")
    message.well_known.timestamp.seconds = 1 << 62
    source, output = tmp_path / "late.pb", tmp_path / "rows.parquet"
    source.write_bytes(framing.frame_delimited([message.SerializeToString()]))
    outcome = commands.run(COMMAND, source, "-o", output, "--timestamps=s", "--select=well_known.timestamp")
    assert outcome.exit_code == 0, outcome.stderr
    assert field(read(output), "well_known", "timestamp").to_pylist() == [None]


def test_an_unknown_unit_is_wrong_usage(source, tmp_path):
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "rows.parquet", "--timestamps=days")
    assert outcome.exit_code == 2
    assert "--timestamps" in outcome.stderr
