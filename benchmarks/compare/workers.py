"""Worker processes: programs that hold a set's messages and make passes over them on request. worker.h lists the commands."""

import collections
import os
import subprocess
import tempfile
import threading


class WorkerError(Exception):
    pass


class Worker:
    """`reference`: for a worker that cannot digest messages, one that digests what it dumps."""

    def __init__(self, command, core, reference=None):
        self.command = command
        self.core = core
        self.reference = reference
        self.start()

    def start(self):
        self.complaints = collections.deque(maxlen=5)  # the last lines on standard error
        self.process = subprocess.Popen(
            [str(word) for word in self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
            preexec_fn=lambda: os.sched_setaffinity(0, {self.core}),
        )
        threading.Thread(target=self.complaints.extend, args=(self.process.stderr,), daemon=True).start()

    def ask(self, command):
        """Sends a command. Returns the answer without its first word."""
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        answer = self.process.stdout.readline().rstrip("\n")
        if not answer:
            raise WorkerError("the process ended: " + " ".join("".join(self.complaints).split()))
        if answer.startswith("error "):
            raise WorkerError(answer.removeprefix("error "))
        return answer.partition(answer.split(None, 1)[0])[2]

    def load(self, bench_set):
        """Returns the number of messages and the number of their bytes."""
        answer = self.ask(f"load {bench_set.batch} {bench_set.at_least} {bench_set.data}")
        return tuple(int(word) for word in answer.split())

    def contenders(self):
        return self.ask("contenders").split()

    def digest(self, contender):
        """By field path: how many values, and a sum of hashes."""
        if self.reference is None:
            answer = self.ask(f"digest {contender}")
        else:
            with tempfile.NamedTemporaryFile() as file:
                self.ask(f"dump {contender} {file.name}")
                answer = self.reference.ask(f"digest-file {file.name}")
        words = answer.split("\t")[1:]
        return dict(zip(words[::3], zip(map(int, words[1::3]), map(int, words[2::3]))))

    def run(self, contender, passes):
        """The nanoseconds of `passes` passes."""
        return int(self.ask(f"run {contender} {passes}"))

    def registers(self):
        """The speed of two threads divided by the speed of one, for a loop that only uses registers."""
        return float(self.ask("registers"))

    def restart(self, bench_set):
        self.close()
        self.start()
        self.load(bench_set)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def difference(expected, found):
    """"" if the digests are equal; else the first difference, and the number of columns that differ."""
    paths = [path for path in {**expected, **found} if expected.get(path) != found.get(path)]
    if not paths:
        return ""
    path = paths[0]
    if path not in found:
        what = f"{path} is not there, with {expected[path][0]} values"
    elif path not in expected:
        what = f"{path} has {found[path][0]} values that should not be"
    elif expected[path][0] != found[path][0]:
        what = f"{path} has {found[path][0]} values instead of {expected[path][0]}"
    else:
        what = f"{path} has other values"
    return what + (f"; {len(paths) - 1} more columns differ" if len(paths) > 1 else "")
