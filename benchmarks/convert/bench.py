#!/usr/bin/env python3
"""Measures conversion from file to file, ours against other programs', and prints one table for each format.

Every contender converts the same file of serialized messages. To convert Parquet back to messages (pb), each takes the file
that it wrote, and python-protobuf takes ours. Ours is the command `structtensor convert`, with one job and with as many jobs as
there are cores; its time is measured from outside. Other programs run in a process of their own, and the loading of packages
does not count. The first messages of each result are compared with python-protobuf, except extensions. A contender with a
wrong result is named, not timed. Contenders take turns; the median counts. A contender that takes more than ten seconds has one
turn.

Two sets are made by a program (made_sets.py). The others are real data, in the folder that STRUCTTENSOR_DATA names. Needs a
Python with the packages of tools/requirements.txt:
"$(tools/setup --print-python)" benchmarks/convert/bench.py
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(REPOSITORY / "tools" / "pydata")]

import environments
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import real_sets
import rows
import sets

PEERS = {"clickhouse": "chdb==4.4.0", "ptars": "ptars==0.0.25", "python-protobuf": None}
ALL_SETS = (*sets.SETS, *sets.MADE_SETS)
# In memory, because our command waits until its output is on the disk, and the other programs do not wait.
MEMORY = "/dev/shm"
COMPARED_BYTES = 2 << 20  # bytes of messages that are compared
COMPARED_CELLS = 2_000_000  # or fewer: of messages that have thousands of fields
SLOW_SECONDS = 10  # a contender that takes so long is measured once


def note(text):
    print(f"convert: {text}", file=sys.stderr, flush=True)


class Problem(Exception):
    pass


def run(command, seconds_from_output):
    """Returns the seconds that the command prints, or the seconds that it takes."""
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    taken = time.perf_counter() - begin
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Problem(lines[-1][:300] if lines else f"exit code {done.returncode}")
    return float(done.stdout) if seconds_from_output else taken


class Bench:
    def __init__(self, options):
        self.options = options
        self.cores = len(os.sched_getaffinity(0))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="structtensor_convert_", dir=options.folder))
        self.pythons = {}
        for peer, package in PEERS.items():
            if not self.wants(peer):
                continue
            try:  # this Python has python-protobuf and pyarrow
                self.pythons[peer] = environments.python_with(peer, [package], note) if package else sys.executable
            except environments.EnvironmentProblem as error:
                note(f"{peer}: not measured, because it cannot be installed: {error}")

    def wants(self, contender):
        return not self.options.contender or contender.startswith(tuple(self.options.contender))

    def contenders(self):
        names = [*(f"ours -j {jobs}" for jobs in sorted({1, self.cores})), *self.pythons]
        return [name for name in names if self.wants(name)]

    def convert(self, contender, bench_set, files, source, output):
        schema = files.descriptor_set
        if contender.startswith("ours"):
            flags = ["--descriptor_set_in", schema, "-m", bench_set.message, "--overwrite", "--quiet"]
            flags += [] if source.suffix == ".parquet" else ["--from", "delimited"]
            if output.suffix == ".arrow":
                flags += ["--compression", "none"]  # as the others write Arrow files
            return run([self.options.command, "convert", source, "-o", output, *flags, "-j", contender.split()[-1]], False)
        arguments = [schema, bench_set.message, files.folder, bench_set.proto, source, output, self.cores]
        return run([self.pythons[contender], HERE / "worker.py", contender, *arguments], True)

    def measure(self, bench_set, files, ending):
        """Returns the seconds of each contender, or the problem with its result."""
        messages = list(framing.read_delimited(files.data))
        message_class = rows.message_class(files.descriptor_set, bench_set.message)
        first = messages[: self.first(messages, len(message_class.DESCRIPTOR.fields))]
        sample, whole = self.folder / f"{bench_set.name}.sample", self.folder / f"{bench_set.name}.messages"
        sample.write_bytes(framing.frame_delimited(first))
        once = framing.frame_delimited(messages)
        repeats = math.ceil(self.options.megabytes * 1e6 / len(once))
        with whole.open("wb") as file:
            for _ in range(repeats):
                file.write(once)
        size_bytes = whole.stat().st_size
        expected = [rows.of_message(message_class.FromString(message)) for message in first]

        def paths(suffix):
            return {name: self.folder / f"{name.replace(' ', '')}.{suffix}" for name in self.contenders()}

        def inputs(messages_file, suffix):
            """What the contenders read: the messages, or Parquet files that they write. Who cannot write one reads nothing."""
            if ending != "pb":
                return dict.fromkeys(outputs, messages_file)
            written = {}
            for name, path in paths(suffix).items():
                try:
                    self.convert("ours -j 1" if name == "python-protobuf" else name, bench_set, files, messages_file, path)
                    written[name] = path
                except Problem as problem:
                    problems[name] = f"refused: {problem}"
            return written

        outputs = paths(ending)
        if "python-protobuf" in outputs and ending != "pb":  # it gets the types of our file
            schema = outputs["python-protobuf"].with_suffix(outputs["python-protobuf"].suffix + ".schema.arrow")
            self.convert("ours -j 1", bench_set, files, sample, schema)
        seconds, problems = {name: [] for name in outputs}, {}
        for name, source in inputs(sample, "sample.parquet").items():
            try:
                self.convert(name, bench_set, files, source, outputs[name])
                problems[name] = self.compare(message_class, expected, outputs[name])
            except Problem as problem:
                problems[name] = f"refused: {problem}"
        sources = inputs(whole, "whole.parquet")
        for _ in range(self.options.rounds):
            for name, source in sources.items():
                if not problems[name] and max(seconds[name], default=0) < SLOW_SECONDS:
                    seconds[name].append(self.convert(name, bench_set, files, source, outputs[name]))
        for name, output in outputs.items():
            if not problems[name] and number_of_rows(output) != len(messages) * repeats:
                problems[name] = f"wrong: {number_of_rows(output)} rows instead of {len(messages) * repeats}"
            output.unlink(missing_ok=True)
        for source in sources.values():
            source.unlink(missing_ok=True)
        whole.unlink(missing_ok=True)
        for name, problem in problems.items():
            yield {
                "set": bench_set.name,
                "format": ending,
                "contender": name,
                **({"problem": problem} if problem else {"seconds": statistics.median(seconds[name])}),
                **({} if problem else {"mb_per_s": size_bytes / 1e6 / statistics.median(seconds[name])}),
            }

    def first(self, messages, fields):
        taken = 0
        for count, message in enumerate(messages, start=1):
            taken += len(message)
            if taken >= COMPARED_BYTES or count * fields >= COMPARED_CELLS:
                return count
        return len(messages)

    def compare(self, message_class, expected, output):
        if output.suffix == ".pb":
            found = (rows.of_message(message_class.FromString(message)) for message in framing.read_delimited(output))
        else:
            found = rows.of_batches(message_class.DESCRIPTOR, batches_of(output))
        return rows.compare(expected, found)


def batches_of(path):
    if path.suffix == ".parquet":
        yield from pq.ParquetFile(path).iter_batches(256)
        return
    with pa.memory_map(str(path)) as mapped:
        magic = mapped.read(6) == b"ARROW1"
        mapped.seek(0)
        reader = pa.ipc.open_file(mapped) if magic else pa.ipc.open_stream(mapped)
        for batch in (map(reader.get_batch, range(reader.num_record_batches)) if magic else reader):
            yield from (batch.slice(begin, 256) for begin in range(0, batch.num_rows, 256))


def number_of_rows(path):
    if path.suffix == ".parquet":
        return pq.ParquetFile(path).metadata.num_rows
    if path.suffix == ".pb":
        return sum(1 for _ in framing.read_delimited(path))
    return sum(batch.num_rows for batch in batches_of(path))


def registers_of_two(seconds=1.0):
    """The work of two processes divided by the work of one, for a loop without memory: the value of a second core here."""
    loop = f"import time\nend = time.perf_counter() + {seconds}\nn = 0\nwhile time.perf_counter() < end:\n    n += 1\nprint(n)"

    def total(count):
        running = [subprocess.Popen([sys.executable, "-c", loop], stdout=subprocess.PIPE, text=True) for _ in range(count)]
        return sum(int(process.communicate()[0]) for process in running)

    return total(2) / total(1)


def print_table(results, contenders):
    for ending in sets.FORMATS:
        of_format = {(r["set"], r["contender"]): r for r in results if r["format"] == ending}
        if not of_format:
            continue
        print(f"\nTo {ending}, MB of messages per second (and how many times as long as ours takes with all cores):")
        best = [name for name in contenders if name.startswith("ours")][-1:]
        print(f"{'set':10}", *(f"{name:>22}" for name in contenders))
        for name in dict.fromkeys(r["set"] for r in results):
            cells = []
            for contender in contenders:
                result = of_format.get((name, contender), {"problem": "not measured"})
                if "problem" in result:
                    cells.append(result["problem"].split(":")[0])
                    continue
                ours = of_format.get((name, best[0]), {}).get("seconds") if best else None
                times = f" ({result['seconds'] / ours:.2f})" if ours else ""
                cells.append(f"{result['mb_per_s']:.0f}{times}")
            print(f"{name:10}", *(f"{cell:>22}" for cell in cells))
    for result in results:
        if "problem" in result:
            print(f"{result['contender']}, {result['set']} to {result['format']}: {result['problem']}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = real_sets.data_folder()
    parser.add_argument("--data", type=pathlib.Path, default=data, help="the folder with the sets (default: STRUCTTENSOR_DATA)")
    command = REPOSITORY / "build" / "bench" / "bin" / "structtensor"
    parser.add_argument("--command", type=pathlib.Path, default=command, help="default: that of the preset `bench`")
    folder = pathlib.Path(MEMORY if os.access(MEMORY, os.W_OK) else tempfile.gettempdir())
    parser.add_argument(
        "--folder", type=pathlib.Path, default=folder, help="where inputs and outputs are written (default: %(default)s)"
    )
    parser.add_argument("--megabytes", type=float, default=64, help="sets are repeated up to this size (default: 64)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds; the median counts (default: 5)")
    parser.add_argument("--set", action="append", choices=[s.name for s in ALL_SETS], help="only this set; may be repeated")
    parser.add_argument("--contender", action="append", help="only contenders whose names begin so; may be repeated")
    parser.add_argument("--format", action="append", choices=sets.FORMATS, help="only this format; may be repeated")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line instead of the table")
    options = parser.parse_args()
    if options.rounds < 1 or not options.megabytes > 0:
        parser.error("--rounds is at least 1, and --megabytes more than 0")
    real = any(not options.set or s.name in options.set for s in sets.SETS)
    if real and options.data is None:
        parser.error(real_sets.NO_DATA)
    if real and not options.data.is_dir():
        parser.error(f"{options.data} is not a folder")
    if not options.command.exists():
        simdjson = "-DSTRUCTTENSOR_SIMDJSON_SOURCE=$(tools/setup --print-simdjson)"
        build = f"cmake --preset bench {simdjson} && cmake --build --preset bench --target structtensor"
        parser.error(f"{options.command} is not there: {build}")
    options.data, options.command = options.data and options.data.resolve(), options.command.resolve()
    return options


def main():
    options = arguments()
    bench = Bench(options)
    results = []
    try:
        for bench_set in ALL_SETS:
            if options.set and bench_set.name not in options.set:
                continue
            files = bench_set.files(options.data, bench.folder, options.megabytes)
            if not files.data.exists():
                note(f"{bench_set.name}: not measured, because {files.data} is not there")
                continue
            for ending in options.format or sets.FORMATS:
                if ending not in bench_set.formats:
                    note(f"{bench_set.name}: not converted to {ending}, because the file would be huge")
                    continue
                for result in bench.measure(bench_set, files, ending):
                    results.append(result)
                    if options.json:
                        print(json.dumps(result), flush=True)
    finally:
        shutil.rmtree(bench.folder)
    two = registers_of_two() if bench.cores > 1 else 1.0
    if options.json:
        print(json.dumps({"registers_of_two_processes": two}))
        return
    print_table(results, bench.contenders())
    print(f"\nTwo processes with a loop in registers do {two:.2f} times as much as one.")


if __name__ == "__main__":
    main()
