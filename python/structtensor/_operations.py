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


# Functions of the bindings that a module of the package has under another name, or that only this module has.
_OF_STRUCTS = """apply broadcast filter has index_each limit_depth map_values promote reroot size_each slice_path sort_by_field
    truncate with_only with_updates without""".split()
_OF_MODULES = {
    **{name: "struct" for name in _OF_STRUCTS},
    **{name: "math" for name in ("bincount", "cumsum", "softmax")},
    "as_string": "strings",
    "stack_dynamic_partitions": "ragged",
}
_PREFIXES = {"ragged_": "ragged", "string_": "strings"}


def place_of(name):
    """(module, name): where the package has a function of the bindings. The module is "" for the package itself."""
    for prefix, module in _PREFIXES.items():
        if name.startswith(prefix):
            return module, name.removeprefix(prefix)
    if name in _OF_MODULES:
        return _OF_MODULES[name], name
    if name in ALL:
        return "bitwise" if ALL[name].elements == "bits" else "math", name
    return "", name


def names(kind):
    """The names of the functions of this kind."""
    return frozenset(name for name, operation in ALL.items() if operation.kind == kind)
