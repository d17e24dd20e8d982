"""Where lists of files are cut, by their sizes: against the best cuts of all, and on the listings of benchmarks/splits."""

import argparse
import importlib.util
import pathlib
import random
import subprocess
import sys
import time

import numpy as np
import pytest

from structtensor import _split_planner
from structtensor._split_planner import plan

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SIMULATE = REPOSITORY / "benchmarks" / "splits" / "simulate.py"


@pytest.fixture(scope="module")
def simulate():
    spec = importlib.util.spec_from_file_location("simulate", SIMULATE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checked_plan(sizes, count):
    """The cuts; and that they are those of at most `count` parts that are not empty and are all files together."""
    cuts = plan(sizes, count)
    assert (cuts[0], cuts[-1]) == (0, len(sizes))
    assert len(cuts) - 1 <= count
    assert all(type(cut) is int for cut in cuts)
    assert all(first < last for first, last in zip(cuts, cuts[1:]))
    return cuts


def largest_part(sizes, cuts):
    """A file counts as a byte more than it has."""
    return max(sum(sizes[first:last]) + last - first for first, last in zip(cuts, cuts[1:]))


def best_of_all(sizes, count):
    """The largest part where it is as small as can be, by trying where each part may begin."""
    weights = [size + 1 for size in sizes]
    best = [sum(weights[:last]) for last in range(len(weights) + 1)]  # of the first files, in one part
    for _ in range(count - 1):
        best = [0] + [
            min(max(best[first], sum(weights[first:last])) for first in range(last)) for last in range(1, len(weights) + 1)
        ]
    return best[-1]


SIZES_OF_LISTS = {
    "small": lambda dice: dice.randrange(10),
    "with empty ones": lambda dice: dice.choice([0, 0, 1, 50]),
    "equal": lambda dice: 7,
    "one in five is huge": lambda dice: dice.choice([1, 2, 3, 4, 900]),
}


@pytest.mark.parametrize("kind", SIZES_OF_LISTS)
def test_no_cuts_are_better(kind):
    dice = random.Random(20)
    for _ in range(300):
        sizes = [SIZES_OF_LISTS[kind](dice) for _ in range(dice.randrange(1, 12))]
        if sum(sizes) + len(sizes) > 1000:  # where a 1,000th is less than a byte, the best cuts are found
            sizes = [min(size, 60) for size in sizes]
        for count in range(1, len(sizes) + 2):
            cuts = checked_plan(sizes, count)
            assert largest_part(sizes, cuts) == best_of_all(sizes, count), (sizes, count, cuts)


def test_no_cuts_of_long_files_are_better_by_more_than_a_1000th():
    dice = random.Random(21)
    for _ in range(300):
        sizes = [int(dice.lognormvariate(16, 2)) for _ in range(dice.randrange(2, 14))]
        count = dice.randrange(1, len(sizes))
        best = best_of_all(sizes, count)
        assert best <= largest_part(sizes, checked_plan(sizes, count)) <= best * (1 + 1 / 1000), (sizes, count)


def test_files_go_where_their_middle_falls():
    dice = random.Random(22)
    for _ in range(1000):
        weights = [dice.randrange(1, 6) for _ in range(dice.randrange(1, 20))]
        count, whole, begun, parts = dice.randrange(1, 9), sum(weights), 0, []
        for weight in weights:
            parts.append((2 * begun + weight) * count // (2 * whole))
            begun += weight
        cuts = _split_planner._cuts_by_middles(np.cumsum([0, *weights]), count)
        assert cuts.tolist() == [sum(part < k for part in parts) for k in range(count + 1)], (weights, count)


@pytest.mark.parametrize(
    ("sizes", "count", "cuts"),
    [
        ([], 1, [0]),
        ([], 8, [0]),
        ([0], 1, [0, 1]),
        ([5], 1000, [0, 1]),
        ([3, 1, 2], 3, [0, 1, 2, 3]),
        ([3, 1, 2], 10**12, [0, 1, 2, 3]),
        ([0, 0, 0, 0], 2, [0, 2, 4]),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0], 3, [0, 3, 6, 9]),
        ([1000] * 8, 3, [0, 3, 5, 8]),
        ([1000, 1, 1, 1, 1], 2, [0, 1, 5]),
        ([1, 1, 1, 1, 1000], 2, [0, 4, 5]),
        ([1, 1, 10**15, 1, 1], 3, [0, 2, 3, 5]),
        ([1, 1, 10**15, 1, 1], 4, [0, 2, 3, 5]),  # the smaller ones are not worth a part
        ([1 << 59, 1 << 59, 1 << 59], 2, [0, 1, 3]),
        ([7, 8, 9], 1, [0, 3]),
    ],
)
def test_cuts(sizes, count, cuts):
    assert checked_plan(sizes, count) == cuts


def test_sizes_that_cannot_be():
    with pytest.raises(ValueError, match=r"sizes\[1\] = -1"):
        plan([3, -1], 2)
    with pytest.raises(ValueError, match="2 EiB"):
        plan([1 << 62, 1, 1], 2)
    with pytest.raises(ValueError, match="axis"):
        plan([[1, 2]], 2)
    for count in (0, -3):
        with pytest.raises(ValueError, match="count"):
            plan([1], count)


@pytest.mark.parametrize("distribution", ["lognormal", "huge", "small", "days"])
@pytest.mark.parametrize("count", [1, 30, 3000, 60_000])
def test_100000_files(simulate, distribution, count):
    sizes = simulate.sizes_of(distribution, 100_000)
    assert np.array_equal(sizes, simulate.sizes_of(distribution, 100_000))
    begin = time.process_time()
    cuts = checked_plan(sizes, count)
    assert time.process_time() - begin < 5
    total, longest = int(sizes.sum()) + len(sizes), int(sizes.max()) + 1
    largest = largest_part(sizes.tolist(), cuts)
    # The parts of a greedy filling are all below the mean and one file more.
    assert max(-(-total // count), longest) <= largest <= (total / count + longest) * 1.001
    if distribution == "huge" and count > 1:
        assert largest == longest  # nothing can be better than the one huge file by itself


@pytest.mark.parametrize("distribution", ["lognormal", "huge", "small", "days"])
@pytest.mark.parametrize("count", [30, 3000, 60_000])
def test_where_files_can_be_cut_the_largest_is_at_most_a_fifth_above_the_mean(simulate, distribution, count):
    sizes = simulate.sizes_of(distribution, 100_000)
    pieces = simulate.cut_files(sizes, count)
    assert pieces.sum() == sizes.sum()
    assert pieces.min() >= min(1, sizes.min())
    split_bytes, _ = simulate.split_sizes(pieces, checked_plan(pieces, count))
    assert split_bytes.max() <= 1.2 * split_bytes.mean()


def test_makespan(simulate):
    assert simulate.makespan([5, 1, 1, 1, 1, 1], 2, 1e9, 1) == pytest.approx(5)
    assert simulate.makespan([1, 1, 1, 1, 1, 5], 2, 1e9, 1) == pytest.approx(7)
    assert simulate.makespan([1] * 10, 20, 2, 1) == pytest.approx(5.5)  # two are started in a second
    assert simulate.makespan([1, 1, 1, 1], 2, 1e9, 3) == pytest.approx(3)
    assert simulate.makespan([], 2, 1, 1) == 0


def test_jobs_are_as_long_as_what_bounds_them(simulate):
    options = argparse.Namespace(splits_per_core=3, rate=100, start=1, open=0.01, tasks=1000, slow=3)
    sizes = simulate.sizes_of("huge", 100_000)
    result = simulate.simulate(sizes, 1000, options)
    whole, cut = result["as they are"], result["cut"]
    assert whole["seconds"] >= 500_000 / 100  # the huge file by one core
    assert cut["seconds"] < whole["seconds"] / 50
    for row in (whole, cut):
        assert row["seconds"] >= row["ideal_seconds"]
        assert row["seconds_slow"] >= row["seconds"]


def test_the_program_prints_what_it_found():
    command = [sys.executable, str(SIMULATE), "--files", "2000", "--cores", "10", "--distribution", "days"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith("\ndays: 2,000 files, 0.02 TB")
    assert [line.split()[0] for line in printed.splitlines()[3:]] == ["10", "10"]
    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    without_times = [[line.split()[-6:] for line in text.splitlines()[3:]] for text in (printed, again)]
    assert without_times[0] == without_times[1]
    for more, wanted in {"--plan": "2,000 files in 30 splits", "--names": "2,000 names", "--cost": "core-hours per TB"}.items():
        assert wanted in subprocess.run([*command, more], capture_output=True, text=True, check=True).stdout
    wrong = subprocess.run([*command, "--rate", "0"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "--rate" in wrong.stderr
