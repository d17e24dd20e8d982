"""Makes a tf.experimental.StructuredTensor from the rows in a JSON file, and prints how many seconds to_pyval() takes.

    python benchmarks/python/tensorflow_to_pyval.py rows.json

Raises an error if the result differs from the rows. bench.py runs this script, with a Python that has TensorFlow.
"""

import json
import pathlib
import sys
import timeit

import tensorflow as tf


def plain(value):
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


rows = json.loads(pathlib.Path(sys.argv[1]).read_text())
structs = tf.experimental.StructuredTensor.from_pyval(rows)
if plain(structs.to_pyval()) != rows:
    raise SystemExit("to_pyval() gives other rows")
print(min(timeit.repeat(structs.to_pyval, number=1, repeat=3)))
