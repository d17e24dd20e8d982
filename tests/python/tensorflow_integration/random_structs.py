"""Random values of the package, and what they are in lists and dicts. The same seed gives the same value.

Axes are uniform or ragged, with rows of any length, also without rows or values. After them, columns are dense. Structs have
fields with odd names, and may have none.
"""

import math
import random

import numpy as np
import structtensor as st

# Some are also paths to fields with other names in this list.
NAMES = ["a", "b", "a.b", "b.a", "a[0]", "d d", "*", '"a"', "'", "größe", "(a)", "[a.b]", "a]", "a/row_splits", "\\", "_index_"]
DTYPES = ["int32", "int64", "uint32", "uint64", "float16", "float32", "float64", "bool", "string", "bytes"]
NUMBERS = ["int64", "float64"]


def random_element(dice, dtype):
    if dtype == "bool":
        return dice.random() < 0.5
    if dtype.startswith("float"):
        return dice.choice([0.5, 1.0, 2.0, -1.0])  # sums and products are exact
    if "int" in dtype:
        return dice.choice([0, 1, 2, 3])
    if dtype == "string":
        return dice.choice(["", "x", "größe", "a string that is longer than 22 bytes"])
    return dice.choice([b"", b"x", b"\xff\0", b"bytes that are more than 22 bytes long"])


def in_shape(elements, shape):
    array = np.empty(len(elements), object)
    array[:] = elements
    return array.reshape(shape).tolist()


class RandomStructs:
    """dtypes: of columns. least: the least number of fields of a struct."""

    def __init__(self, seed, dtypes=DTYPES, least=0):
        self.dice, self.dtypes, self.least = random.Random(seed), dtypes, least

    def of_rank(self, rank):
        """The package's structs, and the lists and dicts that they are."""
        if rank == 0:
            structs, rows = self._structs(1, 0)
            return structs[0], rows[0]
        return self._grouped(self.dice.choice([0, 1, 2, 3, 4, 5]), rank - 1, lambda nrows: self._structs(nrows, 0))

    def _grouped(self, nrows, axes, make):
        """What `make` makes for a number of rows, under more axes."""
        partitions = []
        for _ in range(axes):
            partitions.append(self._partition(nrows))
            nrows = partitions[-1].nvals
        value, rows = make(nrows)
        for partition in reversed(partitions):
            value = st.partition_outer_dimension(value, partition)
            splits = partition.row_splits.to_py()
            rows = [rows[begin:end] for begin, end in zip(splits, splits[1:])]
        return value, rows

    def _partition(self, nrows):
        if self.dice.random() < 0.5:
            length = self.dice.choice([0, 1, 1, 2, 2, 3, 3] if nrows < 20 else [0, 1, 1])
            return st.RowPartition.from_uniform_row_length(length, nrows=nrows)
        lengths = [self.dice.choice([0, 1, 2, 3] if nrows < 20 else [0, 1]) for _ in range(nrows)]
        return st.RowPartition.from_row_lengths(np.array(lengths, np.int64))

    def _structs(self, nrows, depth):
        names = self.dice.sample(NAMES[: self.dice.choice([3, 5, len(NAMES)])], max(self.least, self.dice.choice([0, 1, 2, 3])))
        fields, rows = {}, [{} for _ in range(nrows)]
        for name in names:
            inner = depth < 3 and self.dice.random() < 0.4
            make = (lambda count: self._structs(count, depth + 1)) if inner else self._column
            fields[name], values = self._grouped(nrows, self.dice.choice([0, 0, 1, 1, 2]), make)
            for row, value in zip(rows, values):
                row[name] = value
        return st.StructuredTensor.from_fields(fields, nrows=nrows), rows

    def _column(self, nrows):
        shape = [nrows, *(self.dice.choice([0, 1, 2, 2, 3]) for _ in range(self.dice.choice([0, 0, 0, 1, 2])))]
        dtype = self.dice.choice(self.dtypes)
        elements = [random_element(self.dice, dtype) for _ in range(math.prod(shape))]
        return st.constant(elements, dtype=dtype, shape=shape), in_shape(elements, shape)


def leaves(structs, path=()):
    """The paths of all columns, as tuples of names."""
    for name in structs.field_names():
        field = structs[(name,)]
        if isinstance(field, st.StructuredTensor):
            yield from leaves(field, (*path, name))
        else:
            yield (*path, name)


def inner_structs(structs, path=()):
    """The paths of all structs, the value's own first."""
    yield path
    for name in structs.field_names():
        field = structs[(name,)]
        if isinstance(field, st.StructuredTensor):
            yield from inner_structs(field, (*path, name))
