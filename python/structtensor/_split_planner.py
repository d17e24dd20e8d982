"""Divides files into parts with about as many bytes each. Only the sizes of the files are used."""

from bisect import bisect_left, bisect_right

import numpy as np

_MAX_WHOLE = 1 << 61  # twice this number still fits in int64
_PRECISION_BITS = 10
_MOST_STEPS = 6_000_000  # takes some seconds. 500,000 parts get a dozen tries, which is precise enough


def plan(sizes, count):
    """Divides a list of files into at most `count` parts of consecutive files.

    `sizes` are the bytes of each file, in order. Part i is the files from cuts[i] up to cuts[i + 1]. No part is empty.

    The largest part is as small as whole files in order allow, or larger by less than 1/1000 (with more than 500,000 parts,
    fewer bounds are tried). Where this leaves a choice, the bytes are cut evenly, and a file goes to the part that has its
    middle. If there may be as many parts as files, each file is a part. A file counts as one byte more than it has, so that
    many empty files are not one part.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    if count < 1:
        raise ValueError(f"count = {count}; expected 1 or more")
    if sizes.ndim != 1:
        raise ValueError(f"sizes: expected 1 axis, found {sizes.ndim}")
    if len(sizes) and sizes.min() < 0:
        raise ValueError(f"sizes[{sizes.argmin()}] = {sizes.min()}; expected 0 or more")
    if np.sum(sizes, dtype=np.float64) + len(sizes) >= _MAX_WHOLE:
        raise ValueError("sizes: the files together have 2 EiB or more; scan some of them at a time")
    if count >= len(sizes):
        return list(range(len(sizes) + 1))
    begins = np.empty(len(sizes) + 1, dtype=np.int64)
    begins[0] = 0
    np.cumsum(sizes, out=begins[1:])
    begins += np.arange(len(begins))
    cuts = _cuts_by_middles(begins, count)
    largest = int(np.diff(begins[cuts]).max())
    # The largest part has at least the bytes of the largest file, and at least the mean of all parts.
    least = max(int(sizes.max()) + 1, -(-int(begins[-1]) // count))
    begins = memoryview(begins)
    bound = _least_bound(begins, count, least, largest)
    if bound < largest:
        cuts = _bounded_cuts(begins, cuts.tolist(), bound)
    return np.unique(cuts).tolist()


def _cuts_by_middles(begins, count):
    """Part k has the files whose middle is in the k-th of `count` equal ranges of all bytes."""
    step, rest = divmod(2 * int(begins[-1]), count)
    parts = np.arange(1, count)
    limits = parts * step + (parts * rest + count - 1) // count
    cuts = np.searchsorted(begins[:-1] + begins[1:], limits)  # twice the middles, so that they are integers
    return np.concatenate(([0], cuts, [len(begins) - 1]))


def _least_bound(begins, count, least, largest):
    """The smallest bound that `count` parts need, or a little more. It is at least `least`. `largest` is known to be enough."""
    tried = least
    for _ in range(max(1, _MOST_STEPS // count)):
        if largest - least <= largest >> _PRECISION_BITS:
            break
        fits, size = _fill(begins, count, tried)
        if fits:
            largest = size
        else:
            least = size
        tried = (least + largest) // 2
    return largest


def _fill(begins, count, bound):
    """Fills the parts in order, each up to `bound`.

    Returns True and the size of the largest part, or False and the next bound that gives another result.
    """
    last, first, largest, next_bound = len(begins) - 1, 0, 0, begins[-1]
    for _ in range(count):
        end = bisect_right(begins, begins[first] + bound, first) - 1
        largest = max(largest, begins[end] - begins[first])
        if end == last:
            return True, largest
        next_bound = min(next_bound, begins[end + 1] - begins[first])
        first = end
    return False, next_bound


def _bounded_cuts(begins, wanted, bound):
    """Cuts near the wanted cuts, with no part above `bound`. Requires: `bound` is possible."""
    earliest = [len(begins) - 1] * len(wanted)  # the first place of each cut at which all later parts fit in the bound
    for i in range(len(wanted) - 2, -1, -1):
        earliest[i] = bisect_left(begins, begins[earliest[i + 1]] - bound)
    cuts = [0]
    for i in range(1, len(wanted)):
        latest = bisect_right(begins, begins[cuts[-1]] + bound, cuts[-1]) - 1
        cuts.append(min(max(wanted[i], earliest[i], cuts[-1]), latest))
    return cuts
