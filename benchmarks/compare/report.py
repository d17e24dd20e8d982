"""The output for people: the table and the summary below it."""

import math
import re

WIDTHS = (23, 30, 13, 9, 8, 8)
HEAD = ("set", "contender", "ns/message", "MB/s", "spread", "times")


def row(cells):
    left = [cell.ljust(width) for cell, width in zip(cells[:2], WIDTHS)]
    right = [cell.rjust(width) for cell, width in zip(cells[2:], WIDTHS[2:])]
    return " ".join(left + right).rstrip()


def base_of(contender):
    """The contender whose time divides the time of this contender."""
    if contender == "parse-example":
        return "generated-by-key"
    return "encode" if contender.endswith(("-serialize", "-encode", "encode-clang")) else "generated"


def print_set(results, footnotes):
    """Prints one set's lines. Problems become footnotes, which are printed after all sets."""
    times = {result["contender"]: result["ns_per_message"] for result in results}
    for result in results:
        name, time = result["contender"], result["ns_per_message"]
        if time is None:
            footnotes.append(f"{result['set']}, {name}: {result['problem']}")
            print(row((result["set"], name, f"{result['verdict']} [{len(footnotes)}]")))
            continue
        base = times.get(base_of(name))
        ratio = f"{time / base:.2f}" if base else ""
        print(row((result["set"], name, f"{time:,.1f}", f"{result['mb_per_s']:,.0f}", f"{100 * result['spread']:.1f}%", ratio)))
    print(flush=True)


def fastest(times, pattern):
    """The fastest contender whose name matches: its time, which is None if there is none, and its name. What is wrong has no
    time."""
    found = [(time, name) for name, time in times.items() if re.fullmatch(pattern, name) and time is not None]
    return min(found, default=(None, ""))


def best(times, pattern):
    return fastest(times, pattern)[0]


PARSERS = "libprotobuf-.*-(reuse|arena)|upb-.*|prost.*|quick-protobuf"

# Name; what is divided, by what.
RATIOS = (
    ("parse", lambda t: (best(t, PARSERS), t.get("generated"))),
    ("reuse", lambda t: (best(t, "libprotobuf-.*-reuse"), t.get("generated"))),
    ("arena", lambda t: (best(t, "libprotobuf-.*-arena"), t.get("generated"))),
    ("columns", lambda t: (best(t, "libprotobuf-.*-columns|ptars"), t.get("generated"))),
    ("ptars", lambda t: (t.get("ptars"), t.get("generated"))),
    ("serialize", lambda t: (best(t, "libprotobuf-.*-serialize"), t.get("encode"))),
    ("by key", lambda t: (t.get("parse-example"), t.get("generated-by-key"))),
    ("views", lambda t: (t.get("generated"), t.get("generated-views"))),
    ("clang", lambda t: (t.get("generated"), t.get("generated-clang"))),
    ("2 threads", lambda t: (t.get("generated"), t.get("generated-2-threads"))),
    ("registers", lambda t: (t.get("registers"), 1)),
    ("memcpy", lambda t: (t.get("memcpy"), t.get("generated"))),
)

EXPLANATIONS = """\
parse: the fastest parser of any opponent that is right; its name comes last. columns: libprotobuf's or ptars', whichever is
faster. views: how much faster than with strings copied. clang: how much faster by clang 19. 2 threads: than one; registers: the
same of a loop that only keeps registers busy, less than 2 if the cores share anything. memcpy: what part of its speed we
reach."""


def summary(results):
    """Per set, how many times as fast we are."""
    sets = list(dict.fromkeys(result["set"] for result in results))
    columns = {name: [] for name, _ in RATIOS}
    lines = [" ".join(["times as fast".ljust(WIDTHS[0]), *(name.rjust(9) for name, _ in RATIOS), "parse is"])]
    for set_name in sets:
        of_set = [r for r in results if r["set"] == set_name]
        times = {r["contender"]: r["ns_per_message"] for r in of_set}
        times |= {"registers": r["registers_2_threads"] for r in of_set if "registers_2_threads" in r}
        cells = []
        for name, pair in RATIOS:
            peer, ours = pair(times)
            ratio = peer / ours if peer and ours else None
            columns[name].append(ratio)
            cells.append(f"{ratio:.2f}" if ratio else "-")
        lines.append(" ".join([set_name.ljust(WIDTHS[0]), *(cell.rjust(9) for cell in cells), fastest(times, PARSERS)[1]]))
    means = []
    for ratios in columns.values():
        known = [ratio for ratio in ratios if ratio]
        means.append(f"{math.exp(sum(map(math.log, known)) / len(known)):.2f}" if known else "-")
    lines.append(" ".join(["geometric mean".ljust(WIDTHS[0]), *(mean.rjust(9) for mean in means)]))
    lines.append(EXPLANATIONS)
    return "\n".join(lines)
