"""digest.h in Python with numpy: the digests of the results of ptars and TensorFlow."""

import numpy as np

POWER = 0x100000001B3


def mix(a, b):
    with np.errstate(over="ignore"):
        x = np.asarray(a, np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.asarray(b, np.uint64)
        for _ in range(2):
            x = (x ^ x >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)
        return x ^ x >> np.uint64(32)


def message_identities(begin, size):
    return mix(np.ones(size, np.uint64), np.arange(begin, begin + size, dtype=np.uint64))


def text_bits(data, offsets):
    """`data`: uint8; text i is data[offsets[i]:offsets[i + 1]]."""
    lengths = np.diff(offsets).astype(np.int64)
    data = data[offsets[0] : offsets[-1]]
    starts = (offsets[:-1] - offsets[0]).astype(np.int64)
    with np.errstate(over="ignore"):
        powers = np.full(int(lengths.max(initial=0)) + 1, POWER, np.uint64)
        powers[0] = 1
        powers = np.multiply.accumulate(powers)
        places = np.arange(len(data)) - np.repeat(starts, lengths)
        sums = np.concatenate(([np.uint64(0)], np.add.accumulate((data.astype(np.uint64) + np.uint64(1)) * powers[places])))
        hashes = sums[starts + lengths] - sums[starts]
    return np.where(lengths == 0, np.uint64(0), mix(lengths.astype(np.uint64), hashes))


def number_bits(values):
    """Extends integers to 64 bits, signed ones by their sign."""
    if values.dtype.kind == "f":
        return values.view(f"u{values.dtype.itemsize}").astype(np.uint64)
    if values.dtype.kind in "bu":
        return values.astype(np.uint64)
    return values.astype(np.int64).view(np.uint64)


class Digests:
    """Sums by field path; see digest.h."""

    def __init__(self):
        self.columns = {}

    def add(self, path, identities, bits):
        if len(identities) == 0:
            return
        count, total = self.columns.get(path, (0, 0))
        with np.errstate(over="ignore"):
            total += int(np.add.reduce(mix(identities, bits)))
        self.columns[path] = (count + len(identities), total % 2**64)

    def answer(self):
        return "".join(f"\t{path}\t{count}\t{total}" for path, (count, total) in sorted(self.columns.items()))
