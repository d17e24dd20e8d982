"""How files are cut into pieces: of made-up sizes and marks."""

import array
import itertools
import random

import numpy as np

from structtensor import _file_parts, _split_planner


def marks_of_offsets(offsets, file_bytes):
    """As _core._record_marks returns them: record i * 10 begins at byte i."""
    offsets = np.array(offsets, dtype=np.int64)
    checksums = np.arange(len(offsets), dtype=np.uint32)
    return "delimited", file_bytes, offsets.tobytes(), (offsets * 10).tobytes(), checksums.tobytes()


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
        pieces = _file_parts.Pieces(array.array("q", sizes), parts, count, marks.get)
        cuts = _split_planner.plan(pieces.sizes, count)
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
