"""The elementwise functions and the reductions, as tensor/math/shared/operations.h of the C++ library lists them."""

import typing

from . import _core


class Operation(typing.NamedTuple):
    kind: str  # "unary", "binary" or "reduction"
    elements: str  # that it is defined for: "any", "numbers", "fractions", "bits", "booleans", "strings"; "" of reductions
    ufunc: str  # the name of NumPy's function, "" for none
    sentence: str  # what it computes


ALL = {
    name: Operation(kind, elements.removeprefix("k").lower(), ufunc, sentence)
    for kind, name, elements, ufunc, sentence in _core._operations()
}


def names(kind):
    """The names of the functions of this kind."""
    return frozenset(name for name, operation in ALL.items() if operation.kind == kind)
