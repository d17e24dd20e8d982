#!/usr/bin/env python3
"""Measures JSON lines without a schema: st.from_json against the readers of pyarrow and polars, on the same lines in memory.

The lines are plain values of real sets, as `structtensor convert --to rows` writes them: 16 MB of each set, with lists and
objects inside objects. First, the results of the readers are compared, as Python objects. A reader that rejects the lines, or
gives another result, is named and not timed. Each reader uses as many threads as it likes. They take turns; the median counts.

Needs the real data sets (STRUCTTENSOR_DATA names their folder), the command of a build tree (STRUCTTENSOR_BIN, by default
build/default/bin), and the Python package, which `tools/test wheel` installs. polars is installed from PyPI into a separate
environment in the user's cache:
PYTHONPATH=build/wheel/site "$(tools/setup --print-python)" benchmarks/json/schemaless.py
"""

import argparse
import io
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(REPOSITORY / "tools" / "pydata")]

import environments
import pyarrow.json
import real_sets

import structtensor as st

SETS = ("google_message1_proto3", "google_message2", "gtfsrt_nyct", "pprof", "tfexample_taxi")
LINES_BYTES = 16 << 20


def lines_of(real_set):
    """The lines, repeated until there are enough."""
    command = [pathlib.Path(os.environ.get("STRUCTTENSOR_BIN", REPOSITORY / "build/default/bin")) / "structtensor", "convert"]
    command += [
        real_set.messages,
        "--descriptor_set_in",
        real_set.descriptor_set,
        "-m",
        real_set.message,
        "--to",
        "rows",
        "-o",
        "-",
        "--quiet",
    ]
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    if len(text) > LINES_BYTES:
        text = text[: text.index(b"\n", LINES_BYTES) + 1]
    return text * -(-LINES_BYTES // len(text))


def note(text):
    print(f"json: {text}", file=sys.stderr, flush=True)


def plain(value):
    """The value without absent parts, which readers show differently: nulls, empty lists, objects that only have these."""
    if isinstance(value, dict):
        return {key: each for key, each in ((key, plain(each)) for key, each in value.items()) if each is not None} or None
    if isinstance(value, list):
        return [plain(each) for each in value] or None
    return value


def pyarrow_rows(text):
    options = pyarrow.json.ReadOptions(block_size=max(1 << 20, 2 * max(map(len, text.split(b"\n")))))
    return pyarrow.json.read_json(io.BytesIO(text), read_options=options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if real_sets.data_folder() is None:
        parser.error(real_sets.NO_DATA)
    python = environments.python_with("polars", ["polars==1.35.2"], note)
    sys.path.append(str(python.parents[1] / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"))
    import polars

    readers = {
        "structtensor": (st.from_json, lambda rows: rows.to_py()),
        "pyarrow": (pyarrow_rows, lambda rows: rows.to_pylist()),
        "polars": (lambda text: polars.read_ndjson(io.BytesIO(text), infer_schema_length=None), lambda rows: rows.to_dicts()),
    }
    for name in SETS:
        try:
            text = lines_of(real_sets.find(name))
        except real_sets.MissingSet as missing:
            note(str(missing))
            continue
        first = b"".join(text.splitlines(keepends=True)[:500])
        expected = plain(readers["structtensor"][1](st.from_json(first)))
        chosen = {}
        for reader, (read, rows) in readers.items():
            try:
                found = plain(rows(read(first)))
                read(text)
            except Exception as error:  # any error of the library
                print(f"{name:24} {reader}: refuses the lines: {str(error).splitlines()[0][:120]}")
                continue
            if found != expected:
                print(f"{name:24} {reader}: makes something else of the lines")
                continue
            chosen[reader] = read
        seconds = {reader: [] for reader in chosen}
        for _ in range(arguments.rounds):
            for reader, read in chosen.items():
                begin = time.perf_counter()
                read(text)
                seconds[reader].append(time.perf_counter() - begin)
        medians = {reader: statistics.median(each) for reader, each in seconds.items()}
        ours = medians["structtensor"]
        words = [f"{reader} {len(text) / 1e6 / median:.0f} MB/s ({median / ours:.2f}x)" for reader, median in medians.items()]
        print(f"{name:24} " + "  ".join(words), flush=True)


if __name__ == "__main__":
    main()
