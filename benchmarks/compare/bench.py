"""The driver of tools/bench. The options are described there."""

import argparse
import dataclasses
import fnmatch
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tools" / "pydata")]

import build
import environments
import flat_schema
import opponents
import real_sets
import report
import sets
import workers

PEER_KINDS = ("reuse", "arena", "columns", "serialize")
OURS_BY_CLANG = ("generated-clang", "encode-clang")
UPB = ("upb-arena", "upb-message")
OURS = (
    *OURS_BY_CLANG,
    "generated",
    "generated-views",
    "generated-by-key",
    "generated-2-threads",
    "encode",
    "engine",
    "engine-encode",
    "memcpy",
)
MADE = {*sets.MADE, *sets.FIELDS}
ROUNDS = 9  # the median counts
PROCESSES = 3  # the rounds are divided among these
PTARS = "ptars==0.0.25"
SKIPPED_PARSE_EXAMPLE = "parse-example: not run, because no Python with TensorFlow was named (--tensorflow PYTHON)"
NOT_INSTALLED = "{}: not measured, because {} is not installed (--opponents installs it)"


def note(text):
    print(f"tools/bench: {text}", file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="tools/bench", add_help=False, allow_abbrev=False)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--contender", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--tensorflow", type=pathlib.Path)
    parser.add_argument("--descriptor_set_in", type=pathlib.Path)
    parser.add_argument("--message")
    parser.add_argument("--data", type=pathlib.Path)
    # tools/bench passes this itself.
    parser.add_argument("--tree", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--clang-tree", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--protobuf-prefix", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--protobuf-clang-prefix", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    own = (options.descriptor_set_in, options.message, options.data)
    if any(own) and not all(own):
        parser.error("--descriptor_set_in, --message and --data go together")
    if options.seconds <= 0 or (options.batch is not None and options.batch <= 0):
        parser.error("--seconds and --batch are greater than 0")
    if not any(own):
        names = chosen_names(options)
        if not names:
            parser.error(f"no set has {' or '.join(options.set)} in its name; there are {', '.join(sets.NAMES + sets.FIELDS)}")
        if not options.list and real_sets.data_folder() is None and MADE.isdisjoint(names):
            parser.error(real_sets.NO_DATA)
    return options


def chosen_names(options):
    if not options.set:
        return [*sets.NAMES, *(sets.FIELDS if options.instructions else ())]
    return [name for name in sets.NAMES + sets.FIELDS if any(part in name for part in options.set)]


def chosen_sets(options, folder):
    if options.data:
        for path in (options.descriptor_set_in, options.data):
            if not path.exists():
                raise build.BuildError(f"{path} is not there")
        name = re.sub(r"[^\w.-]", "_", options.message)
        schema, data = options.descriptor_set_in.resolve(), options.data.resolve()
        yield sets.Set(name, schema, options.message, data, options.batch or 256)
        return
    data_folder, names = real_sets.data_folder(), chosen_names(options)
    if data_folder is None and set(names) - MADE:
        note(f"{real_sets.NO_DATA}; only made-up sets are measured")
        names = [name for name in names if name in MADE]
    for name in names:
        bench_set = sets.made(name, folder / "made" / name) if name in MADE else sets.real(name, data_folder)
        if bench_set is None:
            note(f"{name}: not measured, because {data_folder} does not have it")
            continue
        yield dataclasses.replace(bench_set, batch=options.batch or bench_set.batch)


def ptars_python():
    """A Python with ptars; None if it cannot be made."""
    try:
        return environments.python_with("ptars", [PTARS], note)
    except environments.EnvironmentProblem as error:
        note(f"ptars: not measured, because it cannot be installed: {error}")
        return None


@dataclasses.dataclass
class Source:
    """A worker that some contenders come from."""

    name: str  # shown instead of its contenders if it cannot start
    command: typing.Callable[[], list]  # builds it
    names: tuple = ()  # only these of its contenders; (): all
    dumps: bool = False  # the first worker digests what this one dumps


class Bench:
    """The state that all sets share: which contenders run, on which core."""

    def __init__(self, options):
        self.options = options
        self.folder = options.tree / "compare"
        self.jobs = int(os.environ.get("STRUCTTENSOR_JOBS") or os.cpu_count())
        self.builder = build.Builder(self.folder, options.tree, self.jobs)
        self.system = build.Protobuf.of_system()
        timed = not options.instructions
        self.newer = []
        if timed and options.protobuf_prefix is not None:
            self.newer.append(build.Protobuf.below(options.protobuf_prefix))
        if timed and options.protobuf_clang_prefix is not None:
            self.newer.append(build.Protobuf.below(options.protobuf_clang_prefix).by_clang())
        self.newer = [each for each in self.newer if self.wants(*(f"libprotobuf-{each.label}-{what}" for what in PEER_KINDS))]
        self.ptars = ptars_python() if self.wants("ptars") and timed else None
        self.upb = self.upb_worker() if self.wants(*UPB) and timed else None
        self.crates = [feature for feature, names in opponents.CRATES.items() if self.wants(*names) and timed]
        if self.crates and shutil.which("cargo") is None:
            note(NOT_INSTALLED.format(", ".join(self.crates), "cargo"))
            self.crates = []
        self.cores = sorted(os.sched_getaffinity(0))
        self.core = self.cores[-1]

    def upb_worker(self):
        if shutil.which(build.CLANG) is None:
            note(NOT_INSTALLED.format("upb", build.CLANG))
            return None
        try:
            return opponents.upb_worker(self.folder, self.jobs, note)
        except build.BuildError as error:
            note(f"upb: not measured, because it cannot be built: {error}")
            return None

    def wants(self, *names):
        """Whether one of these contenders may run."""
        patterns = self.options.contender
        return not patterns or any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)

    def sources(self, bench_set):
        """The workers of a set; the first is the one that has our contenders."""
        ours = lambda: [self.builder.worker(bench_set, self.system, self.options.tree), self.cores[0], *bench_set.fields]
        yield Source("ours", ours)
        if self.options.clang_tree is not None and self.wants(*OURS_BY_CLANG):
            by_clang = lambda: [self.builder.worker(bench_set, self.system.by_clang(), self.options.clang_tree)]
            yield Source("ours by clang", by_clang, OURS_BY_CLANG)
        for newer in self.newer:
            yield Source(newer.label, lambda newer=newer: [self.builder.worker(bench_set, newer)])
        if self.upb is not None:
            yield Source("upb", lambda: [self.upb, bench_set.descriptor_set, bench_set.message], dumps=True)
        for crate in self.crates:
            command = lambda crate=crate: [opponents.rust_worker(self.folder, bench_set, crate, self.jobs)]
            yield Source(crate, command, dumps=True)
        if self.ptars is not None:
            yield Source("ptars", lambda: [self.ptars, HERE / "ptars_worker.py", bench_set.descriptor_set, bench_set.message])
        if self.options.tensorflow is not None and bench_set.name == "tfexample_taxi" and self.wants("parse-example"):
            yield Source("parse-example", lambda: [self.options.tensorflow, HERE / "parse_example_worker.py"])


@dataclasses.dataclass
class Contender:
    name: str
    worker: workers.Worker | None
    verdict: str = ""  # "wrong", "refused" or "unsupported", and why
    problem: str = ""
    passes: int = 1
    samples: list = dataclasses.field(default_factory=list)  # nanoseconds of one pass
    registers: list = dataclasses.field(default_factory=list)  # Worker.registers, measured with the samples of two threads


def only_lists(digests):
    return {path: digest for path, digest in digests.items() if path.endswith("_list.value")}


def check(contender, expected):
    """Compares the contender's result with the expected one. Raises an error if ours and libprotobuf's do not agree."""
    try:
        found = contender.worker.digest(contender.name)
        relevant = expected
        if contender.name == "ptars":  # has no case columns: the members show which one of a oneof is set
            relevant = {path: digest for path, digest in expected.items() if not path.endswith(")")}
        elif contender.name in ("parse-example", "generated-by-key"):  # they only have the values of the lists
            relevant, found = only_lists(expected), only_lists(found)
        contender.problem = workers.difference(relevant, found)
        contender.verdict = "wrong" if contender.problem else ""
    except workers.WorkerError as error:
        contender.verdict, contender.problem = "refused", str(error)
    if contender.verdict and (contender.name.startswith("libprotobuf-") or contender.name in OURS):
        raise workers.WorkerError(f"{contender.name} is {contender.verdict}: {contender.problem}")


def measure(bench, bench_set):
    """Returns the set's results, with one object for each contender."""
    running = []
    contenders = []
    try:
        for source in bench.sources(bench_set):
            try:
                running.append(workers.Worker(source.command(), bench.core, running[0] if source.dumps else None))
                messages, payload_bytes = running[-1].load(bench_set)
                names = running[-1].contenders()
            except (workers.WorkerError, flat_schema.Unsupported) as error:
                if len(running) <= 1:
                    raise
                verdict = "refused" if isinstance(error, workers.WorkerError) else "unsupported"
                contenders.append(Contender(source.name, None, verdict, str(error)))
                continue
            contenders += [Contender(name, running[-1]) for name in names if name in source.names or not source.names]

        reference = f"libprotobuf-{bench.system.label}-reuse"
        expected = running[0].digest(reference)
        contenders = [c for c in contenders if c.worker is None or bench.wants(c.name)]
        if len(bench.cores) < 2:
            contenders = [c for c in contenders if c.name != "generated-2-threads"]
        for contender in contenders:
            if not contender.verdict:
                check(contender, expected)

        take_turns([c for c in contenders if not c.verdict], bench_set, bench.options.seconds)
        return [result(bench_set, contender, messages, payload_bytes) for contender in contenders]
    finally:
        for worker in running:
            worker.close()


def take_turns(contenders, bench_set, seconds):
    """Takes samples in rounds, with one sample of each contender in a round. So a disturbance of the machine affects all of
    them. After some rounds, all processes are restarted: which pages a process gets can matter more than anything that changes
    while it runs."""
    for process in range(PROCESSES):
        if process > 0:
            for worker in dict.fromkeys(contender.worker for contender in contenders):
                worker.restart(bench_set)
        for contender in contenders:
            contender.worker.run(contender.name, 1)
            one = contender.worker.run(contender.name, 1) / 1e9
            contender.passes = max(1, math.ceil(seconds / ROUNDS / max(one, 1e-9)))
        for _ in range(ROUNDS // PROCESSES):
            for contender in contenders:
                nanoseconds = contender.worker.run(contender.name, contender.passes)
                contender.samples.append(nanoseconds / contender.passes)
                if contender.name == "generated-2-threads":
                    contender.registers.append(contender.worker.registers())


def result(bench_set, contender, messages, payload_bytes):
    out = {
        "set": bench_set.name,
        "contender": contender.name,
        "ns_per_message": None,
        "mb_per_s": None,
        "results_checked": not contender.verdict,
        "spread": None,  # half the distance of the quartiles, as a fraction of the median
        "messages": messages,
        "batch": messages if contender.name == "parse-example" else bench_set.batch,
    }
    if contender.verdict:
        return {**out, "verdict": contender.verdict, "problem": contender.problem}
    median = statistics.median(contender.samples)
    low, _, high = statistics.quantiles(contender.samples, n=4, method="inclusive")
    if contender.registers:
        out["registers_2_threads"] = statistics.median(contender.registers)
    out.update(ns_per_message=median / messages, mb_per_s=payload_bytes / median * 1e3, spread=(high - low) / 2 / median)
    return out


def instructions(bench, bench_set):
    """Instructions per message, by valgrind: what a second pass adds to a first one."""
    worker = bench.builder.worker(bench_set, bench.system, bench.options.tree)
    libprotobuf = f"libprotobuf-{bench.system.label}"
    names = ("generated", "engine", f"{libprotobuf}-reuse", "encode", f"{libprotobuf}-serialize")
    for name in names:
        if not bench.wants(name):
            continue
        counts = []
        for passes in (1, 2):
            commands = f"load {bench_set.batch} {bench_set.at_least} {bench_set.data}\nrun {name} {passes}\n"
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(worker)],
                input=commands, capture_output=True, text=True, check=False,
            )  # fmt: skip
            collected = re.search(r"Collected : (\d+)", done.stderr)
            if not collected or "error" in done.stdout:
                raise workers.WorkerError(f"valgrind: {done.stdout[-500:]} {done.stderr[-500:]}")
            counts.append(int(collected[1]))
        messages = int(done.stdout.split()[1])
        per_message = (counts[1] - counts[0]) / messages
        yield {
            "set": bench_set.name,
            "contender": name,
            "instructions_per_message": per_message,
            "instructions_per_field": per_message / bench_set.fields_per_message if bench_set.fields_per_message else None,
            "messages": messages,
            "batch": bench_set.batch,
        }


def run_instructions(bench):
    for bench_set in chosen_sets(bench.options, bench.folder):
        for each in instructions(bench, bench_set):
            if bench.options.json:
                print(json.dumps(each), flush=True)
            else:
                per_field = each["instructions_per_field"]
                field_text = "" if per_field is None else f" {per_field:8.1f} a field"
                print(
                    f"{each['set']:23} {each['contender']:28} {each['instructions_per_message']:15,.0f}{field_text}", flush=True
                )


def run_timed(bench):
    results, footnotes = [], []
    if not bench.options.json:
        libprotobufs = ", ".join(each.label for each in [bench.system, *bench.newer])
        print(f"libprotobuf {libprotobufs}; core {bench.core}; {bench.options.seconds:g} s per contender")
        print("medians; spread: half the distance of the quartiles")
        print("times: how many times as long as generated; for serialize, as encode; for parse-example, as generated-by-key\n")
        print(report.row(report.HEAD))
    for bench_set in chosen_sets(bench.options, bench.folder):
        of_set = measure(bench, bench_set)
        results += of_set
        if bench.options.json:
            for each in of_set:
                print(json.dumps(each), flush=True)
        else:
            report.print_set(of_set, footnotes)
    if not bench.options.json:
        print(report.summary(results))
        for number, text in enumerate(footnotes, 1):
            print(f"[{number}] {text}")


def main():
    options = arguments()
    if options.list:
        print("\n".join(sets.NAMES + sets.FIELDS))
        return 0
    bench = Bench(options)
    has_taxi = options.data is None and "tfexample_taxi" in chosen_names(options)
    if options.tensorflow is None and has_taxi and bench.wants("parse-example"):
        note(SKIPPED_PARSE_EXAMPLE)
    try:
        run_instructions(bench) if options.instructions else run_timed(bench)
    except (build.BuildError, workers.WorkerError) as error:
        note(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
