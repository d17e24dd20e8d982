#!/usr/bin/env python3
"""Reads converted Parquet files with pyarrow, and compares every row with the same message in python-protobuf. Then sends
DuckDB a query about each file. Prints `round trip: N of N messages equal` at the end. Exit code 1 if not all are equal."""

import argparse
import sys

import duckdb
import pyarrow.parquet as pq

import compare
import framing

# One question for each message type that the demo converts.
QUERIES = {
    "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest": (
        "the slowest kinds of spans",
        """
        WITH resources AS (SELECT unnest(resource_spans) AS r FROM read_parquet($file)),
             scopes AS (SELECT unnest(r.scope_spans) AS s FROM resources),
             spans AS (SELECT unnest(s.spans) AS span FROM scopes)
        SELECT span.name AS name, count(*) AS spans,
               round(avg(span.end_time_unix_nano - span.start_time_unix_nano) / 1e3, 1) AS mean_us,
               round(max(span.end_time_unix_nano - span.start_time_unix_nano) / 1e3, 1) AS max_us,
               sum(len(span.events)) AS events
        FROM spans GROUP BY ALL ORDER BY mean_us DESC, name LIMIT 8
        """,
    ),
    "onnx.ModelProto": (
        "the operators used most",
        """
        WITH nodes AS (SELECT producer_name, unnest(graph.node) AS node FROM read_parquet($file))
        SELECT node.op_type AS op_type, count(*) AS nodes, sum(len(node.attribute)) AS attributes,
               count(DISTINCT producer_name) AS producers
        FROM nodes GROUP BY ALL ORDER BY nodes DESC, op_type LIMIT 8
        """,
    ),
}
ROWS_AT_ONCE = 256
MAX_SHOWN = 5


def count_equal_rows(messages_path, parquet_path, message_class):
    """Returns the number of messages, and the number of messages that equal their rows. Prints the first differences."""
    file = pq.ParquetFile(parquet_path)
    columns = compare.column_names(message_class.DESCRIPTOR)
    if file.schema_arrow.names != columns:
        sys.exit(f"read_back.py: {parquet_path} has the columns {file.schema_arrow.names}, expected {columns}")

    all_rows = (row for batch in file.iter_batches(ROWS_AT_ONCE) for row in compare.rows(batch))
    total = equal = shown = 0
    for payload in framing.read_delimited(messages_path):
        actual = next(all_rows, None)
        expected = compare.expected_row(message_class.FromString(payload))
        problem = compare.difference(expected, actual)
        if problem is None:
            equal += 1
        elif shown < MAX_SHOWN:
            shown += 1
            print(f"{parquet_path} row {total}, {problem}", file=sys.stderr)
        total += 1
    surplus = sum(1 for _ in all_rows)
    if surplus:
        sys.exit(f"read_back.py: {parquet_path} has {total + surplus} rows, expected {total}")
    return total, equal


def ask_duckdb(parquet_path, message_name):
    if message_name not in QUERIES:
        return
    question, query = QUERIES[message_name]
    print(f"DuckDB on {parquet_path}: {question}")
    connection = duckdb.connect()
    result = connection.execute(query, {"file": parquet_path})
    names = [column[0] for column in result.description]
    table = [names] + [[str(value) for value in row] for row in result.fetchall()]
    widths = [max(len(row[i]) for row in table) for i in range(len(names))]
    for row in table:
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("  " + "  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--set",
        action="append",
        required=True,
        nargs=4,
        dest="sets",
        metavar=("MESSAGES", "PARQUET", "DESCRIPTOR_SET", "MESSAGE_NAME"),
        help="a varint-delimited file, what it was converted to, its schema, and the message type; may be repeated",
    )
    total = equal = 0
    for messages_path, parquet_path, descriptor_set_path, message_name in parser.parse_args().sets:
        message_class = compare.load_message_class(descriptor_set_path, message_name)
        set_total, set_equal = count_equal_rows(messages_path, parquet_path, message_class)
        print(f"pyarrow on {parquet_path}: {set_equal:,} of {set_total:,} rows equal what python-protobuf parses")
        ask_duckdb(parquet_path, message_name)
        total += set_total
        equal += set_equal
    print(f"round trip: {equal:,} of {total:,} messages equal")
    sys.exit(0 if equal == total else 1)


if __name__ == "__main__":
    main()
