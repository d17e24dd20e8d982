#!/usr/bin/env python3
"""Times binary columns of messages in one Spark session with one core: structtensor.spark.decode(), Spark's own from_protobuf,
and python-protobuf in mapInPandas. Also times the data source, which reads the same messages from a file.

    "$(tools/distributed --print-python)" benchmarks/spark/bench.py --spark-protobuf spark-protobuf_2.13-4.3.0.jar

The jar is Maven's org.apache.spark:spark-protobuf_2.13 in the version of pyspark, and contains protobuf's classes. Without it,
from_protobuf is named and left out. Before anything is timed, the results for the first messages of a set are compared with
python-protobuf. Each contender writes all columns to Spark's format "noop", in turns. A figure is the median of the rounds
after the first one; in the first round, the virtual machine compiles. STRUCTTENSOR_DATA names the folder with the real data
sets. Each set is repeated up to --megabytes.
"""

import argparse
import decimal
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "tools" / "pydata"))

import compare  # noqa: E402
import framing  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
import real_sets  # noqa: E402
import structtensor as st  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

SETS = ("otlp_traces_astronomy", "tfexample_taxi", "gtfsrt_nyct", "pprof")
COMPARED = 20
# Options that make from_protobuf's rows similar to ours: numbers for enums, and defaults for fields that are not set.
FROM_PROTOBUF = {"enums.as.ints": "true", "emit.default.values": "true", "recursive.fields.max.depth": "1"}


class Set:
    def __init__(self, real_set, folder, size):
        self.name, self.message, self.descriptor_set = real_set.name, real_set.message, real_set.descriptor_set
        self.message_class = compare.load_message_class(self.descriptor_set, self.message)
        once = list(framing.read_delimited(real_set.messages))
        self.first = once[:COMPARED]
        times = max(1, size // sum(map(len, once)))
        self.count, self.bytes = len(once) * times, sum(map(len, once)) * times
        # All messages, and the first ones by themselves: as a table, and as a file.
        self.whole = _written(folder / f"{self.name}-whole", once * times)
        self.begin = _written(folder / f"{self.name}-begin", self.first)
        self.schema = st.Schema.from_descriptor_set(self.descriptor_set.read_bytes(), self.message)


def _written(path, messages):
    table, file = f"{path}.parquet", f"{path}.pb"
    pq.write_table(pa.table({"value": pa.array(messages, pa.binary())}), table, compression="none", use_dictionary=False)
    pathlib.Path(file).write_bytes(framing.frame_delimited(messages))
    return table, file


def by_python_protobuf(frame, one, rows_schema):
    """Parses each message and makes a row from its fields."""
    descriptor_set, message, paths = str(one.descriptor_set), one.message, [str(REPOSITORY / "tools" / "pydata")]

    def rows(frames):
        import sys

        sys.path.extend(paths)
        import compare
        import pandas as pd

        def plain(value):
            if isinstance(value, compare.Serialized):
                return value.message.SerializeToString()
            if isinstance(value, dict):
                return {name: plain(item) for name, item in value.items()}
            if isinstance(value, list):
                if value and isinstance(value[0], tuple):
                    return {key: plain(item) for key, item in value}
                return [plain(item) for item in value]
            return value

        message_class = compare.load_message_class(descriptor_set, message)
        for values in frames:
            yield pd.DataFrame([plain(compare.expected_row(message_class.FromString(value))) for value in values["value"]])

    return frame.mapInPandas(rows, rows_schema)


def by_from_protobuf(frame, one):
    from pyspark.sql.protobuf.functions import from_protobuf

    decoded = from_protobuf("value", one.message, str(one.descriptor_set), FROM_PROTOBUF)
    return frame.select(decoded.alias("value")).select("value.*")


def by_decode(frame, one):
    return st.spark.decode(frame, "value", one.schema, on_error="fail").select("value.*")


def by_source(spark, one, path):
    options = {"descriptor_set": str(one.descriptor_set), "message": one.message, "record_format": "delimited"}
    return spark.read.format("structtensor").options(**options).load(path)


def leaves(value, path=""):
    """{path: the values at this path, as strings, in order} of a row, without absent, empty and default values."""
    found = {}

    def walk(value, path):
        if isinstance(value, dict):
            for name, item in value.items():
                walk(item, f"{path}.{name}")
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, tuple):
                    walk(item[1], f"{path}[{item[0]}]")
                else:
                    walk(item, path)
        elif isinstance(value, (decimal.Decimal, bool)):
            walk(int(value), path)
        elif value not in (None, "", b"", 0):
            found.setdefault(path, []).append(repr(value))

    walk(value, path)
    return found


def contenders_of(spark, one, table, file, with_from_protobuf):
    """{name: a data frame} of all contenders, for the same messages."""
    frame = spark.read.parquet(table)
    decoded = by_decode(frame, one)
    frames = {
        "decode": decoded,
        "source": by_source(spark, one, file),
        "mapInPandas": by_python_protobuf(frame, one, decoded.schema),
    }
    return {**frames, "from_protobuf": by_from_protobuf(frame, one)} if with_from_protobuf else frames


def compare_rows(name, frame, one, ignored=()):
    """Stops if a row differs from python-protobuf's row. `ignored`: paths that the contender has no values for."""
    found = [row.asDict(recursive=True) for row in frame.collect()]
    found = [leaves(_with_pairs(row)) for row in found]
    for number, (payload, row) in enumerate(zip(one.first, found, strict=True)):
        message = one.message_class.FromString(payload)
        expected = leaves(_without_serialized(compare.expected_row(message)))
        for path in {*expected, *row}:
            if any(part in path for part in ignored) or path.endswith("_case"):
                continue
            want, got = expected.get(path), row.get(path)
            if (sorted(want) if want else want) != (sorted(got) if got else got):
                sys.exit(f"{name}, {one.name}, row {number}: {path}: expected {str(want)[:200]}, found {str(got)[:200]}")


def _with_pairs(value):
    if isinstance(value, dict):
        return {name: _with_pairs(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_pairs(item) for item in value]
    return bytes(value) if isinstance(value, bytearray) else value


def _without_serialized(value):
    """Maps become dicts. Messages inside a message of their own type are removed: contenders keep them as bytes or leave them
    out."""
    if isinstance(value, compare.Serialized):
        return None
    if isinstance(value, dict):
        return {name: _without_serialized(item) for name, item in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):
            return {key: _without_serialized(item) for key, item in value}
        return [_without_serialized(item) for item in value]
    return value


def seconds_of(frame):
    start = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spark-protobuf", metavar="JAR", help="jars of from_protobuf, with commas between them")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--megabytes", type=int, default=32, help="of messages in each set (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="default %(default)s")
    parser.add_argument("--json", metavar="FILE", help="writes the figures there, too")
    arguments = parser.parse_args()
    if arguments.megabytes < 1 or arguments.rounds < 1:
        parser.error("--megabytes and --rounds: expected 1 or more")
    if real_sets.data_folder() is None:
        parser.error(real_sets.NO_DATA)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.memory", "4g")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    if arguments.spark_protobuf:
        builder = builder.config("spark.jars", arguments.spark_protobuf)
    else:
        print("from_protobuf is not measured: --spark-protobuf names no jar")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    figures = []
    with tempfile.TemporaryDirectory(prefix="structtensor-") as folder:
        for name in arguments.sets:
            try:
                one = Set(real_sets.find(name), pathlib.Path(folder), arguments.megabytes << 20)
            except real_sets.MissingSet as missing:
                print(f"{name} is not measured: {missing}")
                continue
            for contender, rows in contenders_of(spark, one, *one.begin, arguments.spark_protobuf).items():
                ignored = _recursive(one) | ({"["} if contender == "from_protobuf" else set())
                compare_rows(contender, rows, one, ignored)
            contenders = contenders_of(spark, one, *one.whole, arguments.spark_protobuf)
            times = {contender: [] for contender in contenders}
            for number in range(arguments.rounds + 1):
                for contender, rows in contenders.items():
                    seconds = seconds_of(rows)
                    if number > 0:  # in the first round, the virtual machine compiles
                        times[contender].append(seconds)
            medians = {contender: statistics.median(seconds) for contender, seconds in times.items()}
            for contender, seconds in medians.items():
                speed, ratio = one.bytes / seconds / 1e6, seconds / medians["decode"]
                figures.append({"set": name, "contender": contender, "megabytes_per_second": speed, "times_decode": ratio})
                print(f"{name:24} {contender:14} {speed:8.1f} MB/s   {ratio:6.2f} times as long as decode", flush=True)
    spark.stop()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")


def _recursive(one):
    """The names of fields whose message type contains itself. Contenders keep their messages as bytes, or leave them out."""
    names, seen = set(), set()

    def walk(descriptor, enclosing):
        for field in compare.fields_of(descriptor):
            if field.message_type is None:
                continue
            if field.message_type.full_name in enclosing:
                names.add(f".{compare.column_name(field)}")
            elif (field.message_type.full_name, enclosing) not in seen:
                seen.add((field.message_type.full_name, enclosing))
                walk(field.message_type, enclosing | {field.message_type.full_name})

    walk(one.message_class.DESCRIPTOR, frozenset([one.message_class.DESCRIPTOR.full_name]))
    return names


if __name__ == "__main__":
    main()
