#!/usr/bin/env python3
"""Measures structtensor.tf against struct2tensor, tf.io.decode_proto and tf.io.parse_example, on the real sets.

Each set runs in a process of its own with one thread and TensorFlow 2.17.1, the newest version that struct2tensor works with.
All contenders are functions (tf.function) from a vector of messages to tensors. Their results are compared before anything is
timed. Fields that struct2tensor reads differently, or cannot read, are named, and neither side reads them; the same holds for
fields in groups, which tf.io.decode_proto does not find. Slow contenders get a quarter of the messages; times are for one
message. The decoder outside of TensorFlow is the package's decoder. It makes the row splits of optional fields only when they
are asked for, and TensorFlow needs them.

Needs the real data sets (STRUCTTENSOR_DATA names their folder) and the wheel of the Python package (tools/wheel).
TensorFlow and struct2tensor are installed from PyPI into a separate environment.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(REPOSITORY / "tools" / "pydata")]

import environments
import real_sets

PACKAGES = ["tensorflow==2.17.1", "struct2tensor==0.48.1", "nanobind-backend"]


def note(text):
    print(f"tensorflow: {text}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", choices=real_sets.NAMES, help="only this set; may come several times")
    parser.add_argument("--megabytes", type=float, default=4, help="of messages in a batch, at least (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=5, help="number of turns; the median counts (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one object for each set")
    arguments = parser.parse_args()
    if arguments.turns < 1 or not arguments.megabytes > 0:
        parser.error("--turns and --megabytes are positive")
    if real_sets.data_folder() is None:
        parser.error(real_sets.NO_DATA)
    wheels = sorted((REPOSITORY / "build" / "wheel").glob("structtensor-*.whl"))
    if not wheels:
        parser.error("no wheel in build/wheel (tools/wheel builds it)")
    python = environments.python_with("tensorflow-benchmark", PACKAGES, note, constrained=False)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheels[-1]], check=True)
    ratios = {"struct2tensor": [], "decode_proto": [], "parse_example": [], "decoder_1000": []}
    failed = False
    for name in arguments.set or real_sets.NAMES:
        try:
            real_set = real_sets.find(name)
        except real_sets.MissingSet as missing:
            note(str(missing))
            continue
        command = [python, HERE / "worker.py", real_set.messages, real_set.descriptor_set, real_set.message]
        command += [int(arguments.megabytes * 1e6), arguments.turns]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            note(f"{name}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")
            failed = True
            continue
        found = json.loads(done.stdout.strip().splitlines()[-1])
        if arguments.json:
            print(json.dumps({"set": name, **found}), flush=True)
            continue
        show(name, found, ratios)
    for peer, of_sets in ratios.items():
        if of_sets and not arguments.json:
            mean = math.exp(sum(map(math.log, of_sets)) / len(of_sets))
            print(f"all sets: {mean:.1f} times {peer}, from {min(of_sets):.1f} to {max(of_sets):.1f}")
    return 1 if failed else 0


def show(name, found, ratios):
    print(
        f"{name}: {found['messages']:,} messages, {found['megabytes']:.1f} MB, TensorFlow {found['tensorflow']}; "
        "µs for a message"
    )

    def line(ours, theirs, what, key):
        if theirs not in found:
            print(f"  {what}: nothing to compare")
            return
        ratio = found[theirs] / found[ours]
        ratios[key].append(ratio)
        print(f"  {what}: {found[ours]:.3f}, {theirs} {found[theirs]:.3f}: {ratio:.2f} times")

    line(
        "structtensor",
        "decode_proto",
        "all values, but those in groups" if found.get("decode_proto_lacks") else "all values",
        "decode_proto",
    )
    line("structtensor_of_its_fields", "struct2tensor", f"{found.get('struct2tensor_fields', 0)} fields", "struct2tensor")
    line("structtensor_1000", "decoder_1000", "batches of 1,000, and the decoder outside of TensorFlow", "decoder_1000")
    if "parse_examples" in found:
        line("parse_examples", "parse_example", "tf.Example by features", "parse_example")
    for key, peer in (("decode_proto_differs", "decode_proto"), ("struct2tensor_differs", "struct2tensor")):
        if found.get(key):
            print(f"  {peer} reads otherwise, or not: {', '.join(found[key][:8])}{' ...' if len(found[key]) > 8 else ''}")


if __name__ == "__main__":
    sys.exit(main())
