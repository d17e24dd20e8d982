"""Programs that are killed at any moment, by any signal: existing outputs stay, no output is half written, and the next run
works. Every run prints its seed; STRUCTTENSOR_SEED repeats one (the moments of the signals still differ)."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import time

import commands
import framing
from structtensor_command import SCHEMA

KILLS = 520
SECONDS = 40  # a machine that is too slow for that many kills makes fewer
LEAST_KILLS = 100
TEMPORARY = re.compile(r"\..+\.partial-[0-9A-Za-z]{6}")
# KILL, and pairs in quick succession, as timeout(1) and impatient users send them.
SIGNALS = [(signal.SIGKILL,), (signal.SIGTERM,), (signal.SIGINT,), (signal.SIGHUP,), (signal.SIGQUIT,)] + [
    (signal.SIGTERM, signal.SIGINT),
    (signal.SIGINT, signal.SIGINT),
    (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT),
]


@dataclasses.dataclass
class Scenario:
    name: str
    output: str
    arguments: list
    old: bool  # whether the outputs exist before, and may be replaced
    dead_letters: bool = False

    def command(self, folder, source):
        chosen = [*SCHEMA, "--quiet", "-j", "3", "--batch-size", "500", *self.arguments]
        if self.dead_letters:
            chosen += ["--on-error", "skip", "--dead-letters", folder / "dead.pb"]
        if self.old:
            chosen += ["--overwrite"]
        return [commands.command_path("structtensor"), "convert", source, *map(str, chosen), "-o", str(folder / self.output)]


def scenarios():
    formats = [(f"a.{ending}", []) for ending in ("parquet", "arrow", "jsonl", "json", "pb", "tfrecord", "npz")]
    formats += [("a.csv", ["--select", "title", "--select", "minutes"]), ("rows", ["--partition-by", "minutes"])]
    for old in (False, True):
        for output, arguments in formats:
            yield Scenario(f"{output} {'over old' if old else 'new'}", output, arguments, old)
        yield Scenario(f"dead letters {'over old' if old else 'new'}", "a.arrow", [], old, dead_letters=True)


def contents(path):
    """What readers find under a name: the hash of a file, or those of all files of a folder. None if there is nothing."""
    if path.is_dir():
        return {str(file.relative_to(path)): contents(file) for file in sorted(path.rglob("*")) if not file.is_dir()}
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


class Killing:
    """The runs of a scenario, in a folder of its own."""

    def __init__(self, scenario, folder, source):
        self.scenario, self.folder = scenario, folder
        self.left = set()  # names that SIGKILL has left
        folder.mkdir()
        self.output = folder / scenario.output
        self.dead = [folder / "dead.pb", folder / "dead.pb.jsonl"] if scenario.dead_letters else []
        self.command = scenario.command(folder, source)
        self.put_old()
        begin = time.monotonic()
        self.complete()
        self.seconds = time.monotonic() - begin
        self.new = contents(self.output)
        self.new_dead = [path.read_bytes() for path in self.dead]

    def put_old(self):
        """Brings the folder into the state before a run."""
        for path in (self.output, *self.dead):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if not self.scenario.old:
            self.old = None
            return
        if self.scenario.output == "rows":
            for i in range(30):
                (self.output / f"minutes={i}").mkdir(parents=True)
                (self.output / f"minutes={i}" / "part-old.parquet").write_bytes(b"old")
        else:
            self.output.write_bytes(b"old")
        for path in self.dead:
            path.write_bytes(b"old")
        self.old = contents(self.output)

    def complete(self):
        done = subprocess.run(self.command, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr

    def kill(self, randomness):
        signals = randomness.choice(SIGNALS)
        with subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(randomness.uniform(0, self.seconds * 1.05))
            for number in signals:
                process.send_signal(number)
                time.sleep(randomness.choice([0, 0, 0.0002, 0.002]))
            said = process.stderr.read()
            code = process.wait(timeout=30)
        # A process that is about to end, or has not begun yet, may end in another way than by the first signal.
        assert code == 0 or -code in signals, (self.scenario.name, code, said)
        self.check(code, signal.SIGKILL in signals)
        return code != 0

    def check(self, code, by_sigkill):
        found = contents(self.output)
        if code == 0:
            assert found == self.new, self.scenario.name
        else:
            assert found == self.old or found == self.new, self.scenario.name
        if self.dead:
            self.check_dead_letters(by_sigkill)
        expected = {self.scenario.output, *(path.name for path in self.dead)}
        left = {path.name for path in self.folder.iterdir()} - expected - self.left
        if by_sigkill:
            assert all(TEMPORARY.fullmatch(name) for name in left), left
            self.left |= left
        else:
            assert not left, (self.scenario.name, code, left)
        if found == self.new or (self.dead and self.dead[0].exists()):
            self.put_old()

    def check_dead_letters(self, by_sigkill):
        found = [path.read_bytes() if path.exists() else None for path in self.dead]
        if self.scenario.old:
            allowed = [[b"old", b"old"], self.new_dead]
            if by_sigkill:  # between the two renames
                allowed.append([self.new_dead[0], b"old"])
            assert found in allowed
            return
        if found == [None, None] or (by_sigkill and found == [self.new_dead[0], None]):
            return
        # All letters, or at a signal those of the batches before: whole ones, and as many lines.
        assert self.new_dead[0].startswith(found[0]) and self.new_dead[1].startswith(found[1])
        lines = [json.loads(line) for line in found[1].splitlines()]
        assert len(list(framing.read_delimited(self.dead[0]))) == len(lines)


def test_kills_leave_no_half_outputs(recipes, tmp_path):
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # SIGQUIT
    seed = int(os.environ.get("STRUCTTENSOR_SEED") or time.time_ns())
    print(f"STRUCTTENSOR_SEED={seed}")
    payloads = []
    for i in range(12000):
        recipe = recipes.message_class(title=f"soup {i}", minutes=i % 30)
        recipe.ingredients.add(name="water " * (i % 7), amount=i)
        payloads.append(recipe.SerializeToString())
        if i % 20 == 0:
            payloads.append(b"\x0a\x7f")  # broken
    sources = {False: tmp_path / "whole.pb", True: tmp_path / "broken.pb"}
    sources[False].write_bytes(framing.frame_delimited([payload for payload in payloads if payload != b"\x0a\x7f"]))
    sources[True].write_bytes(framing.frame_delimited(payloads))
    end = time.monotonic() + SECONDS
    all_scenarios = list(scenarios())

    def run(number):
        scenario = all_scenarios[number]
        randomness = random.Random(seed + number)
        killing = Killing(scenario, tmp_path / str(number), sources[scenario.dead_letters])
        kills = ended = 0
        killing.put_old()
        while kills < KILLS // len(all_scenarios) and time.monotonic() < end:
            ended += killing.kill(randomness)
            kills += 1
        killing.put_old()
        killing.complete()  # beside whatever was left
        assert contents(killing.output) == killing.new
        # A reader of the folder sees the output, and nothing that was left beside it.
        if scenario.output.endswith((".parquet", ".arrow", ".pb", ".tfrecord")) and not scenario.dead_letters:
            counted = json.loads(commands.convert("structtensor", "count", killing.folder, "--json").stdout)
            assert [pathlib.Path(file["file"]).name for file in counted["files"]] == [scenario.output]
        return kills, ended

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        counts = list(threads.map(run, range(len(all_scenarios))))
    kills, ended = (sum(column) for column in zip(*counts, strict=True))
    print(f"{kills} kills, {ended} of them before the end")
    assert kills >= KILLS - len(all_scenarios) or (time.monotonic() >= end and kills >= LEAST_KILLS)
    assert ended > kills / 4


def test_what_is_not_complete_is_not_read(source, tmp_path):
    """As an earlier release and this one name partial files."""
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(source, folder / "1.pb")
    for name in ("2.pb.partial-EkjYnE", ".2.pb.partial-EkjYnE"):
        shutil.copy(source, folder / name)
    (folder / "day=1.partial-EkjYnE").mkdir()
    shutil.copy(source, folder / "day=1.partial-EkjYnE" / "part-0.pb")
    counted = commands.convert("structtensor", "count", folder, "--json")
    assert [pathlib.Path(file["file"]).name for file in json.loads(counted.stdout)["files"]] == ["1.pb"]
