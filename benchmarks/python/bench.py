#!/usr/bin/env python3
"""Measures the Python package: decoding a list of messages against other packages, and the time of small steps.

Each contender gets the same list of bytes objects in a process of its own. Its package is imported and its schema is read
before the measurement. structtensor and ptars make columns; python-protobuf only parses. The results for the first messages
are compared with python-protobuf, except extensions. A contender with a wrong result is named, not timed. Contenders take
turns; the median counts. The small steps run on 100,000 rows with a text, a number and a list of two structs: to_py() of
all rows, compared with TensorFlow's to_pyval() of the same rows, and slices, fields and promote().

Needs the real data sets (STRUCTTENSOR_DATA names their folder), and a Python with the packages of tools/requirements.txt and
structtensor, which `tools/test wheel` installs:
PYTHONPATH=build/wheel/site "$(tools/setup --print-python)" benchmarks/python/bench.py
ptars and TensorFlow are installed from PyPI into separate environments in the user's cache.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import timeit

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "convert"), str(REPOSITORY / "tools" / "pydata")]

import environments
import framing
import pyarrow as pa
import real_sets
import rows
import sets

PEERS = {"structtensor": None, "ptars": "ptars==0.0.25", "python-protobuf": None}
JUDGE = "python-protobuf"
STEP_PEER = "tensorflow"  # for to_py() only
COMPARED_BYTES = 2 << 20  # bytes of messages that are compared
TURN_SECONDS = 0.05  # a small step is repeated for this time


def note(text):
    print(f"python: {text}", file=sys.stderr, flush=True)


class Problem(Exception):
    pass


def work(python, *arguments):
    command = [str(part) for part in (python, HERE / "worker.py", *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Problem(lines[-1][:300] if lines else f"exit code {done.returncode}")
    return done.stdout


def first_of(messages):
    taken = 0
    for count, message in enumerate(messages, start=1):
        taken += len(message)
        if taken >= COMPARED_BYTES:
            return messages[:count]
    return messages


def compare(message_class, expected, path):
    """The problem with the columns in an Arrow file; "" if there is none."""
    with pa.memory_map(str(path)) as mapped:
        return rows.compare(expected, rows.of_batches(message_class.DESCRIPTOR, [pa.ipc.open_file(mapped).read_all()]))


def measure(bench_set, pythons, options, folder):
    """Yields a result for each contender: seconds, or the problem with it."""
    schema = bench_set.descriptor_set(options.data)
    messages = list(framing.read_delimited(bench_set.data(options.data)))
    first = first_of(messages)
    sample, whole, columns = folder / "sample", folder / "whole", folder / "columns.arrow"
    sample.write_bytes(framing.frame_delimited(first))
    once = framing.frame_delimited(messages)
    repeats = math.ceil(options.megabytes * 1e6 / len(once))
    whole.write_bytes(once * repeats)
    message_class = rows.message_class(schema, bench_set.message)
    expected = [rows.of_message(message_class.FromString(message)) for message in first]

    seconds, problems = {name: [] for name in pythons}, {}
    for name, python in pythons.items():
        problems[name] = ""
        if name == JUDGE:
            continue
        try:
            work(python, name, schema, bench_set.message, sample, columns)
            problems[name] = compare(message_class, expected, columns)
        except Problem as problem:
            problems[name] = f"refused: {problem}"
    for _ in range(options.rounds):
        for name, python in pythons.items():
            if not problems[name]:
                seconds[name].append(float(work(python, name, schema, bench_set.message, whole)))
    for name, problem in problems.items():
        result = {"set": bench_set.name, "contender": name, "messages": len(messages) * repeats}
        if problem:
            yield {**result, "problem": problem}
            continue
        median = statistics.median(seconds[name])
        nanoseconds, speed = median / (len(messages) * repeats) * 1e9, whole.stat().st_size / 1e6 / median
        yield {**result, "results_checked": name != JUDGE, "ns_per_message": nanoseconds, "mb_per_s": speed}


def step_times(row_count, with_tensorflow):
    """(step, microseconds): the shortest of five turns."""
    import numpy as np
    import structtensor as st

    item = pa.array([{"name": f"part {i % 100}", "count": i} for i in range(2 * row_count)])
    items = pa.LargeListArray.from_arrays(np.arange(0, 2 * row_count + 1, 2), item)
    strings = [f"row {i}" for i in range(row_count)]
    table = st.from_arrow(pa.table({"name": strings, "number": np.arange(row_count), "items": items}))
    steps = {
        f"to_py() of {row_count:,} rows": lambda: table.to_py(),
        "rows[10:20]": lambda: table[10:20],
        "rows[5]": lambda: table[5],
        'rows["name"]': lambda: table["name"],
        'rows["items", :, "count"]': lambda: table["items", :, "count"],
        'rows.promote("items.count", "counts")': lambda: table.promote("items.count", "counts"),
    }
    for name, step in steps.items():
        timer = timeit.Timer(step)
        number = max(1, round(TURN_SECONDS / max(timer.timeit(1), 1e-7)))
        yield name, min(timer.repeat(5, number)) / number * 1e6
    if not with_tensorflow:
        return
    try:
        python = environments.python_with(STEP_PEER, ["tensorflow-cpu"], note)
    except environments.EnvironmentProblem as error:
        note(f"TensorFlow's to_pyval() is not timed: {error}")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as rows:
        json.dump(table.to_py(), rows)
        rows.flush()
        done = subprocess.run(
            [python, HERE / "tensorflow_to_pyval.py", rows.name], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        note(f"TensorFlow's to_pyval() is not timed: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")
        return
    yield "to_pyval() of TensorFlow, the same rows", float(done.stdout) * 1e6


def print_tables(results, steps):
    if results:
        print("Decoding a list of messages, ns per message (and how many times as long as structtensor takes), MB per second:")
    ours = {r["set"]: r.get("ns_per_message") for r in results if r["contender"] == "structtensor"}
    for r in results:
        if "problem" in r:
            print(f"{r['set']:12}{r['contender']:18}{r['problem']}")
            continue
        times = f"({r['ns_per_message'] / ours[r['set']]:.2f})" if ours.get(r["set"]) else ""
        print(f"{r['set']:12}{r['contender']:18}{r['ns_per_message']:12,.0f} {times:8}{r['mb_per_s']:10,.0f}")
    for name, microseconds in steps:
        print(f"{name:42}{microseconds:14,.1f} µs")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = real_sets.data_folder()
    parser.add_argument("--data", type=pathlib.Path, default=data, help="the folder with the sets (default: STRUCTTENSOR_DATA)")
    parser.add_argument("--megabytes", type=float, default=16, help="sets are repeated up to this size (default: 16)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; the median counts (default: 5)")
    parser.add_argument("--rows", type=int, default=100_000, help="of the small steps; 0 leaves them out (default: 100000)")
    parser.add_argument("--set", action="append", choices=[s.name for s in sets.SETS], help="only this set; may be repeated")
    contenders = [*PEERS, STEP_PEER]
    parser.add_argument("--contender", action="append", choices=contenders, help="only this contender; may be repeated")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line instead of the tables")
    options = parser.parse_args()
    if options.rounds < 1 or not options.megabytes > 0 or options.rows < 0:
        parser.error("--rounds is at least 1, --megabytes more than 0, and --rows not negative")
    if options.data is None:
        parser.error(real_sets.NO_DATA)
    if not options.data.is_dir():
        parser.error(f"{options.data} is not a folder")
    return options


def main():
    options = arguments()
    pythons = {}
    for name, package in PEERS.items():
        if options.contender and name not in options.contender:
            continue
        try:
            pythons[name] = environments.python_with(name, [package], note) if package else sys.executable
        except environments.EnvironmentProblem as error:
            note(f"{name}: not measured, because it cannot be installed: {error}")
    results = []
    with tempfile.TemporaryDirectory(prefix="structtensor_python_") as folder:
        for bench_set in sets.SETS:
            if options.set and bench_set.name not in options.set:
                continue
            if not bench_set.data(options.data).exists():
                note(f"{bench_set.name}: not measured, because {bench_set.data(options.data)} is not there")
                continue
            for result in measure(bench_set, pythons, options, pathlib.Path(folder)):
                results.append(result)
                if options.json:
                    print(json.dumps(result), flush=True)
    with_tensorflow = not options.contender or STEP_PEER in options.contender
    steps = list(step_times(options.rows, with_tensorflow)) if options.rows else []
    if options.json:
        for name, microseconds in steps:
            print(json.dumps({"step": name, "microseconds": microseconds}))
    else:
        print_tables(results, steps)
    if any("problem" in r and r["contender"] == "structtensor" for r in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
