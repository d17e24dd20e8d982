#!/usr/bin/env python3
"""Times operations on structured tensors: ours and TensorFlow's StructuredTensor, on the same values.

    cmake --preset bench -DSTRUCTTENSOR_PYTHON="$(tools/setup --print-python)" \\
        -DSTRUCTTENSOR_SIMDJSON_SOURCE="$(tools/setup --print-simdjson)"
    cmake --build --preset bench --target algebra_benchmark
    PYTHON_WITH_TENSORFLOW benchmarks/algebra/algebra_vs_tensorflow.py build/bench/benchmarks/algebra/algebra_benchmark

Both sides make the values from the same numbers. The values, and the result of every operation, are compared before anything is
timed. Then the two take turns. The medians of the turns are printed, in microseconds per call. "graph" is TensorFlow inside a
tf.function, without the cost of its Python layer.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np

TURNS = 9
TURN_SECONDS = 0.03


class Ours:
    """The benchmark's program. It reads commands and answers each with one line."""

    def __init__(self, program):
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self._process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "the program ended"}')
        if isinstance(answer, dict) and "error" in answer:
            sys.exit(f"ours: {' '.join(map(str, words))}: {answer['error']}")
        return answer


def mix(n, salt):
    """n numbers that look random: splitmix64 of 0, 1, ... and a salt. The program computes the same numbers."""
    with np.errstate(over="ignore"):
        z = np.arange(n, dtype=np.uint64) + np.uint64(salt << 40) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def below(n, salt, limit):
    return (mix(n, salt) % np.uint64(limit)).astype(np.int64)


def splits(n, salt, limit):
    return np.concatenate([[0], np.cumsum(below(n, salt, limit))]).astype(np.int64)


class TensorFlow:
    """The same values and operations, as a user of TensorFlow would write them."""

    def __init__(self):
        import tensorflow as tf
        from tensorflow.python.ops.structured import structured_array_ops  # noqa: F401, lets tf.gather and others take structs
        from tensorflow.python.ops.structured.structured_tensor import StructuredTensor

        self.tf, self.StructuredTensor = tf, StructuredTensor
        self.version = tf.__version__

    def make(self, n):
        tf = self.tf
        ragged = tf.RaggedTensor
        item_splits, tag_splits = splits(n, 3, 4), splits(n, 9, 3)
        nitems, ntags = int(item_splits[-1]), int(tag_splits[-1])
        weight_splits = splits(nitems, 5, 3)

        def strings(prefix, count, salt):
            return tf.constant([f"{prefix}{i}" for i in below(count, salt, 1000)], tf.string)

        def floats(count, salt):
            return tf.constant((below(count, salt, 4096) * 0.25).astype(np.float32))

        items = self.StructuredTensor.from_fields({
            "sku": ragged.from_row_splits(tf.constant(below(nitems, 4, 1000000).astype(np.int32)), item_splits),
            "weights": ragged.from_nested_row_splits(floats(int(weight_splits[-1]), 6), [item_splits, weight_splits]),
        }, shape=[n, None], validate=True)
        geo = self.StructuredTensor.from_fields({"lat": floats(n, 7), "lon": floats(n, 8)}, shape=[n])
        self.n = n
        self.root = self.StructuredTensor.from_fields({
            "id": tf.constant(below(n, 1, 1000000).astype(np.int32)),
            "name": strings("user", n, 2),
            "items": items,
            "geo": geo,
            "tags": ragged.from_row_splits(strings("tag", ntags, 10), tag_splits),
        }, shape=[n], validate=True)
        self.indices = tf.constant(below(n, 11, n))
        self.mask = tf.constant(below(n, 12, 2) == 1)
        self.ops = {
            "identity": lambda st: st,
            "slice": lambda st: st[n // 4:3 * (n // 4)],
            "gather": lambda st: tf.gather(st, self.indices),
            "concat": lambda st: tf.concat([st, st], 0),
            "promote": lambda st: st.struct.promote(("items", "sku"), "skus"),
            "broadcast": self.broadcast,
            "with_updates": lambda st: st.struct.with_updates({
                ("geo", "lat"): st.field_value(("geo", "lon")),
                ("items", "copy"): st.field_value(("items", "sku")),
                ("name",): None,
            }),
            "boolean_mask": self.boolean_mask,
        }

    def broadcast(self, st):
        items = st.field_value("items")
        rows = items.row_partitions[0]
        ids = self.tf.gather(st.field_value("id"), rows.value_rowids())
        return st.struct.with_updates(
            {("items", "id"): self.tf.RaggedTensor.from_row_splits(ids, rows.row_splits(), validate=False)}
        )

    def boolean_mask(self, st):
        # tf.boolean_mask does not accept structs. Gathering the rows of the mask does the same, and is faster than field by
        # field.
        return self.tf.gather(st, self.tf.where(self.mask)[:, 0])

    def call(self, op):
        return self.ops[op](self.root)

    def graph(self, op):
        """The operation as a traced function."""
        function = self.tf.function(self.ops[op])
        function(self.root)
        return lambda: function(self.root)

    def columns(self, value, path=""):
        """{path: nested list} of the leaves."""
        if not isinstance(value, self.StructuredTensor):
            return {path: _nested_list(value)}
        columns = {}
        for name in value.field_names():
            columns |= self.columns(value.field_value(name), f"{path}.{name}" if path else name)
        return columns


def _nested_list(value):
    """The same as value.to_list(), which takes minutes for the values of this benchmark."""
    if not hasattr(value, "nested_row_splits"):
        return _strings(value.numpy().tolist())
    nested = _strings(value.flat_values.numpy().tolist())
    for row_splits in reversed(value.nested_row_splits):
        ends = row_splits.numpy().tolist()
        nested = [nested[begin:end] for begin, end in zip(ends[:-1], ends[1:])]
    return nested


def _strings(flat):
    return [text.decode() for text in flat] if flat and isinstance(flat[0], bytes) else flat


def microseconds(call):
    """The time of one call: the mean over a turn."""
    begin = time.perf_counter()
    count = 0
    while True:
        call()
        count += 1
        elapsed = time.perf_counter() - begin
        if elapsed >= TURN_SECONDS:
            return elapsed / count * 1e6


def compare(ours, theirs, op, n):
    found, expected = ours.ask("columns", op), theirs.columns(theirs.call(op))
    if found.keys() != expected.keys():
        sys.exit(f"{op}, {n} rows: fields differ: ours {sorted(found)}, TensorFlow {sorted(expected)}")
    for path, column in expected.items():
        if found[path] != column:
            sys.exit(f"{op}, {n} rows: {path} differs")


def measure(ours, theirs, op, with_graph):
    graph = theirs.graph(op) if with_graph else None
    turns = []
    for _ in range(TURNS):
        turns.append((microseconds(lambda: theirs.call(op)), microseconds(graph) if graph else None, ours.ask("time", op)))
    eager, traced, mine = (None if column[0] is None else statistics.median(column) for column in zip(*turns))
    return eager, traced, mine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built algebra_benchmark")
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 100000])
    parser.add_argument("--slice-rows", type=int, nargs="+", default=[1000000], help="more sizes, for `slice` only")
    parser.add_argument("--check-only", action="store_true", help="compare the results, time nothing")
    args = parser.parse_args()

    ours = Ours(args.program)
    try:
        theirs = TensorFlow()
    except ImportError as error:
        sys.exit(
            f"TensorFlow is missing in {sys.executable} ({error}); this needs a Python that has it (pip install tensorflow-cpu)"
        )

    print(f"TensorFlow {theirs.version}; µs per call, medians of {TURNS} turns; results are equal unless it says otherwise")
    print(f"{'op':<14}{'rows':>9}{'TensorFlow':>12}{'graph':>12}{'ours':>12}{'ratio':>9}{'to graph':>10}")
    for n in args.rows + args.slice_rows:
        ours.ask("rows", n)
        theirs.make(n)
        ops = list(theirs.ops) if n in args.rows else ["identity", "slice"]
        for op in ops:
            compare(ours, theirs, op, n)
        for op in ops[1:]:
            if args.check_only:
                print(f"{op:<14}{n:>9}  equal")
                continue
            eager, traced, mine = measure(ours, theirs, op, with_graph=True)
            print(
                f"{op:<14}{n:>9}{eager:>12.1f}{traced:>12.1f}{mine:>12.2f}{eager / mine:>8.0f}x{traced / mine:>9.0f}x",
                flush=True,
            )


if __name__ == "__main__":
    main()
