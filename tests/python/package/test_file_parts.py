"""How files are cut into pieces: of made-up sizes and marks."""

import itertools
import random

import numpy as np
import pytest

from structtensor import _file_parts


def marks_of_offsets(offsets, file_bytes):
    """As _core._record_marks returns them: record i * 10 begins at byte i."""
    offsets = np.array(offsets, dtype=np.int64)
    checksums = np.arange(len(offsets), dtype=np.uint32)
    return "delimited", file_bytes, offsets.tobytes(), (offsets * 10).tobytes(), checksums.tobytes()


def checked_cuts(sizes, count):
    """Returns the cuts after checking that the parts are not empty, cover all files, and number at most `count`."""
    cuts = _file_parts.cut(sizes, count)
    assert (cuts[0], cuts[-1]) == (0, len(sizes))
    assert len(cuts) - 1 <= count
    assert all(type(cut) is int for cut in cuts)
    assert all(first < last for first, last in itertools.pairwise(cuts))
    return cuts


def test_no_part_has_more_than_the_mean_and_one_file():
    dice = random.Random(20)
    kinds = [lambda: dice.randrange(10), lambda: dice.choice([0, 0, 1, 50]), lambda: 7, lambda: int(dice.lognormvariate(16, 2))]
    for _ in range(3000):
        of_kind = dice.choice(kinds)
        sizes = [of_kind() for _ in range(dice.randrange(1, 40))]
        count = dice.randrange(1, len(sizes) + 3)
        cuts = checked_cuts(sizes, count)
        largest = max(sum(sizes[first:last]) + last - first for first, last in itertools.pairwise(cuts))
        assert largest <= (sum(sizes) + len(sizes)) / count + max(sizes) + 1, (sizes, count)


def test_files_go_where_their_middle_falls():
    dice = random.Random(22)
    for _ in range(1000):
        weights = [dice.randrange(1, 6) for _ in range(dice.randrange(2, 20))]
        count, whole, begun, parts = dice.randrange(1, len(weights)), sum(weights), 0, []
        for weight in weights:
            parts.append((2 * begun + weight) * count // (2 * whole))
            begun += weight
        cuts = checked_cuts([weight - 1 for weight in weights], count)
        assert cuts == sorted({sum(part < k for part in parts) for k in range(count + 1)}), (weights, count)


@pytest.mark.parametrize(
    ("sizes", "count", "cuts"),
    [
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
        ([1 << 62, 1 << 62, 1 << 62], 2, [0, 1, 3]),  # the sum does not fit in 64 bits
        ([7, 8, 9], 1, [0, 3]),
    ],
)
def test_cuts(sizes, count, cuts):
    assert checked_cuts(sizes, count) == cuts


def test_splits_are_all_bytes_once_and_in_order():
    dice = random.Random(3)
    cut_files = 0
    for _ in range(3000):
        sizes = [dice.choice([0, 1, 5, 100, 1000]) for _ in range(dice.randrange(1, 7))]
        marks, parts = {}, {}
        for i, size in enumerate(sizes):
            if size and dice.random() < 0.7:
                offsets = sorted({0, *[dice.randrange(size) for _ in range(dice.randrange(9))]})
                marks[i] = marks_of_offsets([*offsets, size] if dice.random() < 0.7 else offsets, size)
            if size > 20 and dice.random() < 0.2:
                parts[i] = ("delimited", 5000, (7, 1, 0), (7 + size, 2, 0))
        count = dice.randrange(1, 12)
        pieces = _file_parts.Pieces(sizes, parts, count, marks.get)
        cuts = _file_parts.cut(pieces.sizes.tolist(), count)
        assert len(cuts) - 1 <= count
        file, end = -1, 0  # where the split before has ended
        for begin_piece, end_piece in itertools.pairwise(cuts):
            first, last, parts_here = pieces.between(begin_piece, end_piece)
            assert all(0 <= i < last - first for i in parts_here)
            size = 0
            for i in range(first, last):
                part = parts_here.get(i - first)
                begins, ends = 0, sizes[i]
                if i in parts:
                    assert part is parts[i]
                elif part is not None:
                    cut_files += 1
                    framing, file_bytes, mark, end_mark = part
                    assert (framing, file_bytes, mark[1]) == ("delimited", sizes[i], mark[0] * 10)
                    begins, ends = mark[0], file_bytes if end_mark is None else end_mark[0]
                    assert _file_parts.size_of(part) == ends - begins
                if i != file:
                    assert (i, begins) == (file + 1, 0)
                    assert file < 0 or end == sizes[file]
                else:
                    assert begins == end
                file, end = i, ends
                size += ends - begins
            assert size == pieces.sizes[begin_piece:end_piece].sum()
        assert (file, end) == (len(sizes) - 1, sizes[-1])
    assert cut_files > 1000
