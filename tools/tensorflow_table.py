#!/usr/bin/env python3
"""Writes docs/tensorflow_support.md from the results that the tests of structtensor.tf recorded. tools/tensorflow --table runs
both."""

import json
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
HEAD = """# What works in TensorFlow

Each row of the table is a test (`tests/python/tensorflow_integration/machinery.py`) with structs of
ranks 0 to 3, both of `structtensor.tf.StructuredTensor` (ours) and of TensorFlow's own
`tf.experimental.StructuredTensor`, in the TensorFlow releases named above the columns. *yes* means
that the test passes at all ranks where it makes sense. Otherwise, the cell gives the ranks at which
it passes and the numbers of the errors, which are listed below the table.
`tools/tensorflow --table {versions}` writes this page.
"""


def cell(outcomes, problems):
    """The table cell for the outcomes by rank. Errors are added to `problems`."""
    known = {rank: outcome for rank, outcome in outcomes.items() if outcome}
    works = [rank for rank, outcome in known.items() if outcome == "yes"]
    errors = list(dict.fromkeys(outcome for outcome in known.values() if outcome != "yes"))
    if not errors:
        return "yes"
    if any(error.startswith("not installed") for error in errors):
        return errors[0]
    numbers = []
    for error in errors:
        if error not in problems:
            problems.append(error)
        numbers.append(str(problems.index(error) + 1))
    ranks = f"ranks {', '.join(works)} " if works else "no "
    return f"{ranks}({', '.join(numbers)})"


def main(path):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    versions = sorted({line["tensorflow"] for line in lines}, key=lambda version: [int(part) for part in version.split(".")])
    rows = list(dict.fromkeys(line["row"] for line in sorted(lines, key=lambda line: line["number"])))
    found = {(line["row"], line["tensorflow"]): line for line in lines}
    problems, table = [], []
    for row in rows:
        cells = []
        for kind in ("ours", "theirs"):
            for version in versions:
                line = found.get((row, version))
                cells.append("not run" if line is None else cell(line[kind], problems))
        table.append(f"| {row} | {' | '.join(cells)} |")
    heads = [f"ours, {version}" for version in versions] + [f"TensorFlow's, {version}" for version in versions]
    text = HEAD.format(versions=" ".join(versions))
    text += "\n| | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 1) + "|\n" + "\n".join(table) + "\n"
    if problems:
        text += "\n" + "\n".join(f"{i}. `{problem.replace('`', chr(39))}`" for i, problem in enumerate(problems, 1)) + "\n"
    (REPOSITORY / "docs" / "tensorflow_support.md").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
