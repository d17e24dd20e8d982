"""Tests the job simulation in benchmarks/splits, which produces the figures in docs/scale.md."""

import argparse
import importlib.util
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from structtensor import _file_parts

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SIMULATE = REPOSITORY / "benchmarks" / "splits" / "simulate.py"


@pytest.fixture(scope="module")
def simulate():
    spec = importlib.util.spec_from_file_location("simulate", SIMULATE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sizes_are_the_same_each_time(simulate):
    for distribution in simulate.DISTRIBUTIONS:
        assert np.array_equal(simulate.sizes_of(distribution, 1000), simulate.sizes_of(distribution, 1000))


@pytest.mark.parametrize("distribution", ["lognormal", "huge", "small", "days"])
@pytest.mark.parametrize("count", [1, 30, 3000, 60_000])
def test_no_split_of_100000_files_exceeds_the_mean_by_more_than_one_file(simulate, distribution, count):
    sizes = simulate.sizes_of(distribution, 100_000)
    cuts = _file_parts.cut(sizes.tolist(), count)
    assert len(cuts) - 1 <= count
    split_bytes, files = simulate.split_sizes(sizes, cuts)
    assert (split_bytes + files).max() <= (sizes.sum() + len(sizes)) / count + sizes.max() + 1


@pytest.mark.parametrize("distribution", ["lognormal", "huge", "small", "days"])
@pytest.mark.parametrize("count", [30, 3000, 60_000])
def test_where_files_can_be_cut_the_largest_is_at_most_a_fifth_above_the_mean(simulate, distribution, count):
    sizes = simulate.sizes_of(distribution, 100_000)
    pieces = simulate.cut_files(sizes, count)
    assert pieces.sum() == sizes.sum()
    assert pieces.min() >= min(1, sizes.min())
    split_bytes, _ = simulate.split_sizes(pieces, _file_parts.cut(pieces.tolist(), count))
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
    assert printed == subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "core-hours per TB" in subprocess.run([*command, "--cost"], capture_output=True, text=True, check=True).stdout
    wrong = subprocess.run([*command, "--rate", "0"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "--rate" in wrong.stderr
