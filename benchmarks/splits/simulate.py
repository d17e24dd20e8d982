#!/usr/bin/env python3
"""Plans the splits of a synthetic list of files, and simulates the jobs that read them. Gives the figures of docs/scale.md.

    benchmarks/splits/simulate.py                      # ten million files of each distribution; needs the Python package
    benchmarks/splits/simulate.py --files 100000 --distribution huge --cores 1000
    benchmarks/splits/simulate.py --cost               # the table of costs

The distributions of sizes, with a fixed seed:

    lognormal   median 8 MB, sigma 1.5, like files of many writers
    huge        median 8 MB, sigma 1, and one file in a million (at least one) has 500 GB
    small       median 20 kB, sigma 1, like files of a stream that starts new files too early
    days        1,000 days with equal numbers of files; a day has 2 to 20 MB for each file, more in later years and on workdays,
                and one day in a hundred has 10 times as much; the files of a day differ by sigma 0.3

"as they are": splits of whole files, as Scan.splits makes them without indexes. "cut": each file has an index, and is cut into
pieces of at most a fifth of a split.

A job: cores take the splits one after another, in order. A split takes --start seconds, --open seconds for each file or piece,
and its bytes by --rate. The scheduler starts --tasks splits each second. "slow": the same job, if the first core of each
hundred is --slow times as slow. "ideal": files and bytes are spread evenly over all cores, without starts and slow cores.
"""

import argparse
import heapq

import numpy as np

from structtensor import _file_parts

SEED = 20
PIECES_OF_A_SPLIT = 5
MB = 1_000_000
# MB of messages per second on one core: medians of docs/performance.md, geometric means over its real data sets.
RATES = [("to Parquet files", 156), ("to Arrow files without compression", 277), ("to columns in memory", 1604)]


def lognormal_sizes(dice, count):
    return dice.lognormal(np.log(8 * MB), 1.5, count)


def huge_sizes(dice, count):
    sizes = dice.lognormal(np.log(8 * MB), 1, count)
    sizes[dice.choice(count, max(1, count // 1_000_000), replace=False)] = 500_000 * MB
    return sizes


def small_sizes(dice, count):
    return dice.lognormal(np.log(20_000), 1, count)


def day_sizes(dice, count):
    days = np.arange(1000)
    each = 2 * MB * (1 + 4 * days / len(days)) * np.where(days % 7 < 5, 2, 1)
    each[dice.choice(len(days), 10, replace=False)] *= 10
    return dice.lognormal(0, 0.3, count) * each[np.arange(count) * len(days) // count]


DISTRIBUTIONS = {"lognormal": lognormal_sizes, "huge": huge_sizes, "small": small_sizes, "days": day_sizes}


def sizes_of(distribution, count):
    """The sizes of the files, in order: int64 `[count]`. They are the same each time."""
    return DISTRIBUTIONS[distribution](np.random.default_rng(SEED), count).astype(np.int64)


def cut_files(sizes, count):
    """Pieces of at most a fifth of the mean of `count` splits, in order. The pieces of a file differ by one byte at most."""
    piece = max(1, int(sizes.sum()) // (PIECES_OF_A_SPLIT * count))
    pieces = np.maximum(1, -(-sizes // piece))
    lengths, longer = np.divmod(np.repeat(sizes, pieces), np.repeat(pieces, pieces))
    within = np.arange(len(lengths)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return lengths + (within < longer)


def split_sizes(sizes, cuts):
    """The bytes and the files of each split: two arrays `[splits]`."""
    return np.add.reduceat(sizes, cuts[:-1]), np.diff(cuts)


def makespan(seconds, cores, tasks_per_second, slow):
    """The time at which the last split is done. Cores take splits in order. The first core of each hundred is `slow` times as
    slow."""
    free = [(0.0, core) for core in range(cores)]  # a heap: the core that is free first
    end = 0.0
    for i, needed in enumerate(seconds):
        at, core = free[0]
        done = max(at, i / tasks_per_second) + needed * (slow if core % 100 == 0 else 1)
        heapq.heapreplace(free, (done, core))
        end = max(end, done)
    return end


def simulate(sizes, cores, options):
    """The results for one list of files on `cores` cores, as a dict of figures."""
    count = cores * options.splits_per_core
    result = {"cores": cores}
    for name in ("as they are", "cut"):
        pieces = sizes if name == "as they are" else cut_files(sizes, count)
        cuts = _file_parts.cut(pieces.tolist(), count)
        split_bytes, files = split_sizes(pieces, cuts)
        seconds = options.start + files * options.open + split_bytes / (options.rate * MB)
        even = (len(sizes) * options.open + float(sizes.sum()) / (options.rate * MB)) / cores
        result[name] = {
            "splits": len(split_bytes),
            "skew": split_bytes.max() / split_bytes.mean(),
            "seconds": makespan(seconds.tolist(), cores, options.tasks, 1),
            "seconds_slow": makespan(seconds.tolist(), cores, options.tasks, options.slow),
            "ideal_seconds": even,
        }
    return result


def print_jobs(distribution, options):
    sizes = sizes_of(distribution, options.files)
    print(f"\n{distribution}: {len(sizes):,} files, {sizes.sum() / 1e12:,.2f} TB, largest {sizes.max() / MB:,.1f} MB")
    print(
        f"  {'cores':>7} {'':>11} {'splits':>8} {'largest/mean':>12} {'job s':>9} {'slow':>9} {'ideal':>9} "
        f"{'job/ideal':>9}"
    )
    for cores in options.cores:
        result = simulate(sizes, cores, options)
        for name in ("as they are", "cut"):
            row = result[name]
            print(
                f"  {cores:>7,} {name:>11} {row['splits']:>8,} {row['skew']:>12.2f} "
                f"{row['seconds']:>9,.0f} {row['seconds_slow']:>9,.0f} {row['ideal_seconds']:>9,.0f} "
                f"{row['seconds'] / row['ideal_seconds']:>9.2f}"
            )


def print_costs(options):
    print(f"{'':>22} {'MB/s':>6} {'core-hours per TB':>18} {f'at {options.price:g} a core-hour':>21}")
    for name, rate in RATES:
        hours = 1e6 / rate / 3600
        print(f"{name:>22} {rate:>6,} {hours:>18.2f} {hours * options.price:>21.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000_000, help="how many; default: %(default)s")
    parser.add_argument("--distribution", choices=DISTRIBUTIONS, nargs="+", default=list(DISTRIBUTIONS))
    parser.add_argument("--cores", type=int, nargs="+", default=[10, 1000, 100_000], help="default: %(default)s")
    parser.add_argument("--splits-per-core", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--rate", type=float, default=156, help="MB a second and core; default: %(default)s, to Parquet")
    parser.add_argument("--start", type=float, default=1, help="seconds for each split; default: %(default)s")
    parser.add_argument("--open", type=float, default=0.02, help="seconds for each file; default: %(default)s")
    parser.add_argument("--tasks", type=float, default=2000, help="splits that are started in a second; default: %(default)s")
    parser.add_argument("--slow", type=float, default=3, help="how slow one core of each hundred is; default: %(default)s")
    parser.add_argument("--price", type=float, default=0.04, help="of a core-hour; default: %(default)s")
    parser.add_argument("--cost", action="store_true", help="print the costs of a terabyte")
    options = parser.parse_args()
    counts = [options.files, options.splits_per_core, *options.cores]
    if min(counts) < 1:
        parser.error("--files, --cores and --splits-per-core are 1 or more")
    if min(options.rate, options.tasks, options.slow) <= 0 or min(options.start, options.open, options.price) < 0:
        parser.error("--rate, --tasks and --slow are above 0, --start, --open and --price are 0 or more")
    if options.cost:
        print_costs(options)
    else:
        for distribution in options.distribution:
            print_jobs(distribution, options)


if __name__ == "__main__":
    main()
