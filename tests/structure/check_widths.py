#!/usr/bin/env python3
"""check_widths.py REPOSITORY: fails if a line is too wide: more than 128 columns in a C++ or Python source (but golden files),
or more than 100 in the prose of a document."""

import pathlib
import re
import sys

MAX_COLUMNS = 128
FOLDERS = ("benchmarks", "compiler", "examples", "integrations", "python", "runtime", "tests", "tools")
SUFFIXES = (".h", ".cc", ".py")
MAX_COLUMNS_OF_PROSE = 100
# tools/tensorflow writes it, with messages of TensorFlow in one piece.
GENERATED = ("docs/tensorflow_support.md",)


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


def wide_prose(text):
    """(line, columns) of those that are too wide, outside of code and tables. Code, links and addresses cannot be wrapped."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not line.startswith(("|", "![")) and len(line) > MAX_COLUMNS_OF_PROSE:
            if " " in re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)", "", line).strip(" -.,"):
                yield number, len(line)


def documents(repository):
    for path in [*sorted(repository.glob("*.md")), *sorted((repository / "docs").rglob("*.md"))]:
        name = path.relative_to(repository).as_posix()
        if name not in GENERATED:
            yield name, path


def problems(files, wide, columns):
    """Lines of a report about the files; `wide` gives the lines of a text that have more columns."""
    found, count = [], 0
    for name, path in files:
        count += 1
        found += [f"{name}:{number}: {width} columns" for number, width in wide(path.read_text(encoding="utf-8"))]
    if count == 0:
        sys.exit("there are no files to check")
    return [f"wider than {columns} columns; wrap these lines:", *found] if found else []


def main():
    repository = pathlib.Path(sys.argv[1])
    # The test of the test.
    if list(wide_lines("x" * 128 + "\n" + "é" * 129)) != [(2, 129)]:
        sys.exit("check_widths.py does not see a wide line")
    if list(wide_prose("```\n" + "x y " * 50 + "\n```\n" + "x y " * 50)) != [(4, 200)]:
        sys.exit("check_widths.py does not see wide prose")
    found = problems(sources(repository), wide_lines, MAX_COLUMNS)
    found += problems(documents(repository), wide_prose, MAX_COLUMNS_OF_PROSE)
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
