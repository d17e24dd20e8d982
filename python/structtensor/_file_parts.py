"""Cuts lists of files, and long files, into pieces.

A part is the tuple that _core._start_scan takes: (format, bytes of the file, begin, end). A begin or end is (byte offset,
record number, checksum). The end is None for a file that is damaged before its end.
"""

import bisect
import itertools

import numpy as np

from . import _core

_OF_A_SPLIT = 5  # a file is cut, if it can be, if it has more than a fifth of the bytes of a split


def size_of(part):
    """The bytes of a part."""
    _, file_bytes, begin, end = part
    return (file_bytes if end is None else end[0]) - begin[0]


def cut(sizes, count):
    """Cuts a list of files into at most `count` parts of consecutive files: part i is the files [cuts[i], cuts[i + 1]).

    The bytes are divided evenly, and each file goes to the part that contains its midpoint, so no part exceeds the mean by more
    than the size of one file. No part is empty. If `count` is at least the number of files, each file is a part. Each file
    counts one byte more than its size, so that many empty files are not one part.
    """
    if count >= len(sizes):
        return list(range(len(sizes) + 1))
    ends = list(itertools.accumulate(size + 1 for size in sizes))
    middles = [2 * end - size - 1 for end, size in zip(ends, sizes)]  # twice the middles, so that they are integers
    cuts = [bisect.bisect_left(middles, -(-2 * ends[-1] * i // count)) for i in range(count)]
    return sorted({*cuts, len(sizes)})


def look_through(path, format):
    """The marks of a file without an index; None if the file cannot be cut: it is compressed, a text, or one message."""
    try:
        return _core._record_marks(path, format, 1 << 20)
    except ValueError:
        return None


class Pieces:
    """The pieces of a list of files: whole files, and for long files the bytes between two places where they may be cut.

    sizes     the sizes of the files
    parts     by the index of a file: the part of the file that is read. It is one piece
    count     the number of splits that are wanted
    marks_of  a function from the index of a file to the result of _core._record_marks, or None for a file that is not cut
    """

    def __init__(self, sizes, parts, count, marks_of):
        sizes = np.asarray(sizes, dtype=np.int64)
        self._parts = parts
        self._cut = []  # (the file, the number of its first piece, the number of its pieces, marks), in order
        self.sizes = sizes
        least = sizes.sum(dtype=np.float64) / (_OF_A_SPLIT * count)
        pieces, copied, number = [], 0, 0
        for i in np.flatnonzero(sizes > least).tolist():
            marks = None if i in parts else marks_of(i)
            if marks is None:
                continue
            offsets = np.frombuffer(marks[2], dtype=np.int64)
            lengths = np.diff(offsets, append=marks[1])
            if lengths[-1] == 0:  # the last mark may be the end of the file
                lengths = lengths[:-1]
            if len(lengths) < 2:
                continue
            pieces += [sizes[copied:i], lengths]
            number += i - copied
            self._cut.append((i, number, len(lengths), marks))
            number += len(lengths)
            copied = i + 1
        if pieces:
            self.sizes = np.concatenate([*pieces, sizes[copied:]])

    def between(self, begin, end):
        """The pieces [begin, end): files [first, last), and a dict of parts by their index in these files."""
        first, first_place = self._file_of(begin)
        last, last_place = self._file_of(end)
        parts = {i - first: part for i, part in self._parts.items() if first <= i < last}
        if first_place and first == last:
            parts[0] = self._part(first_place[0], first_place[1], last_place[1])
        else:
            if first_place:
                parts[0] = self._part(first_place[0], first_place[1], None)
            if last_place:
                parts[last - first] = self._part(last_place[0], 0, last_place[1])
        return first, last + bool(last_place), parts

    def _file_of(self, piece):
        """The file that a piece begins in, and (index in _cut, mark) if the piece begins inside the file."""
        low, high = 0, len(self._cut)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._cut[middle][1] <= piece else (low, middle)
        if low == 0:
            return piece, None
        file, number, count, _ = self._cut[low - 1]
        if piece >= number + count:
            return file + 1 + piece - (number + count), None
        return file, ((low - 1, piece - number) if piece > number else None)

    def _part(self, cut, first, last):
        """The part of a cut file from one mark to another, or to the end of the file."""
        format, file_bytes, *columns = self._cut[cut][3]
        offsets, numbers, checksums = (np.frombuffer(c, dtype=t) for c, t in zip(columns, ("int64", "int64", "uint32")))

        def mark(i):
            return int(offsets[i]), int(numbers[i]), int(checksums[i])

        if last is None:
            last = len(offsets) - 1 if offsets[-1] == file_bytes else None
        return format, file_bytes, mark(first), None if last is None else mark(last)
