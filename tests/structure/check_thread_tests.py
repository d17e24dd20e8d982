"""Checks that all tests that start threads are built and run under the thread sanitizer: that cmake/rooms.txt gives their
folders to the preset `tsan`, and that tools/test has their names.

usage: check_thread_tests.py ROOT

Prints one line for each folder or test that is missing there, and each folder that has no such test. Exit code 0 if there is
none.
"""

import fnmatch
import pathlib
import re
import sys

STARTS_THREADS = re.compile(r"\bstd::(jthread|thread|async)\b|\bpthread_create\b")
# These need Arrow, whose library is not instrumented. What their threads share is in base, whose tests run.
EXCEPTIONS = {
    "tests/io/column_files/fd_output_test.cc",
    "tests/app/sinks/output_file_test.cc",
    "tests/app/sinks/output_folder_test.cc",
}

# What is tested there starts threads by itself (JsonReadOptions::threads, ScanOptions::threads, sources of remote files).
STARTED_BY_THE_CODE = {"app/scan", "io/json", "io/records"}


def folders_of_preset(rooms):
    """The folders of tests/ that the preset `tsan` builds, from the text of cmake/rooms.txt."""
    folders = {line.split()[0] for line in rooms.splitlines() if not line.startswith("#") and "tsan" in line.split()}
    if not folders:
        raise SystemExit("cmake/rooms.txt: no folder has the word `tsan`")
    return folders


def folders_with_threads(root):
    folders = set(STARTED_BY_THE_CODE)
    for path in sorted((root / "tests").rglob("*.cc")):
        name = str(path.relative_to(root))
        if name not in EXCEPTIONS and STARTS_THREADS.search(path.read_text()):
            folders.add(str(path.parent.relative_to(root / "tests")))
    return folders


def patterns_of_tests(text):
    """The patterns of the tests that tools/test runs under the thread sanitizer."""
    return re.search(r"GTEST_FILTER='([^']+)'", text).group(1).split(":")


def tests_with_threads(root):
    """Suite.Name of each test that starts threads itself."""
    names = []
    for path in sorted((root / "tests").rglob("*.cc")):
        if str(path.relative_to(root)) in EXCEPTIONS:
            continue
        _, *tests = re.split(r"^TEST(?:_[FP])?\(", path.read_text(), flags=re.MULTILINE)
        names += [".".join(re.match(r"(\w+),\s*(\w+)", test).groups()) for test in tests if STARTS_THREADS.search(test)]
    return names


def problems(root):
    patterns = patterns_of_tests((root / "tools" / "test").read_text())
    missed = [name for name in tests_with_threads(root) if not any(fnmatch.fnmatchcase(name, each) for each in patterns)]
    built = folders_of_preset((root / "cmake/rooms.txt").read_text())
    wanted = folders_with_threads(root)
    wrong = [name for name in sorted(EXCEPTIONS) if not (root / name).exists()]
    wrong += [f"tests/{folder}" for folder in sorted(STARTED_BY_THE_CODE) if not (root / "tests" / folder).is_dir()]
    return [f"check_thread_tests.py names {name}, which does not exist" for name in wrong] + [
        f"tools/test leaves out {name}, which starts threads" for name in missed
    ] + [
        f"cmake/rooms.txt: {folder} needs the word `tsan`, because one of its tests starts threads"
        for folder in sorted(wanted - built)
    ] + [
        f"cmake/rooms.txt: {folder} has the word `tsan`, but none of its tests starts threads"
        for folder in sorted(built - wanted)
    ]


if __name__ == "__main__":
    found = problems(pathlib.Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
