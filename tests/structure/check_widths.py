#!/usr/bin/env python3
"""check_widths.py REPOSITORY: fails if a line of a C++ or Python source is wider than 128 columns, except in golden files."""

import pathlib
import sys

MAX_COLUMNS = 128
FOLDERS = ("benchmarks", "compiler", "examples", "integrations", "python", "runtime", "tests", "tools")
SUFFIXES = (".h", ".cc", ".py")


def sources(repository):
    for folder in FOLDERS:
        for path in sorted((repository / folder).rglob("*")):
            name = path.relative_to(repository).as_posix()
            if path.suffix in SUFFIXES and path.is_file() and not name.startswith("tests/golden/"):
                yield name, path


def wide_lines(text):
    """(line, columns) of those that are too wide."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_COLUMNS:
            yield number, len(line)


def main():
    repository = pathlib.Path(sys.argv[1])
    # The test of the test.
    if list(wide_lines("x" * 128 + "\n" + "é" * 129)) != [(2, 129)]:
        sys.exit("check_widths.py does not see a wide line")
    found, files = [], 0
    for name, path in sources(repository):
        files += 1
        found += [f"{name}:{number}: {columns} columns" for number, columns in wide_lines(path.read_text(encoding="utf-8"))]
    if files == 0:
        sys.exit(f"there are no sources in {repository}")
    if found:
        sys.exit("\n".join([f"wider than {MAX_COLUMNS} columns; wrap these lines:", *found]))


if __name__ == "__main__":
    main()
