"""Checks that all tests that start threads are built and run under the thread sanitizer: that the preset `tsan` has their folders.

usage: check_thread_tests.py ROOT

Prints one line for each folder that is missing there, or has no such test. Exit code 0 if there is none.
"""

import json
import pathlib
import re
import sys

STARTS_THREADS = re.compile(r"\bstd::(jthread|thread|async)\b|\bpthread_create\b")
# Needs Arrow, whose library is not instrumented. Its thread only reads a pipe that the test writes to.
EXCEPTIONS = {"tests/bridges/fd_output_test.cc"}


def folders_of_preset(text):
    for preset in json.loads(text)["configurePresets"]:
        if preset["name"] == "tsan":
            return set(preset["cacheVariables"]["STRUCTTENSOR_TEST_FOLDERS"].split(";"))
    raise SystemExit("CMakePresets.json: no preset `tsan`")


def folders_with_threads(root):
    folders = set()
    for path in sorted((root / "tests").rglob("*.cc")):
        name = str(path.relative_to(root))
        if name not in EXCEPTIONS and STARTS_THREADS.search(path.read_text()):
            folders.add(name.split("/")[1])
    return folders


def problems(root):
    built = folders_of_preset((root / "CMakePresets.json").read_text())
    wanted = folders_with_threads(root)
    return [f"the preset `tsan` leaves out tests/{folder}, where a test starts threads" for folder in sorted(wanted - built)] + [
        f"the preset `tsan` has tests/{folder}, where no test starts threads" for folder in sorted(built - wanted)
    ]


if __name__ == "__main__":
    found = problems(pathlib.Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
