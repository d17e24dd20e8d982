"""The elementwise functions and reductions under their names in tf.math. They are the functions of the package."""

import sys

from . import _operations

_package = sys.modules[__package__]
# TensorFlow has functions of bits and of strings elsewhere.
_names = [name for name, each in _operations.ALL.items() if each.elements not in ("bits", "strings") and name != "as_string"]

__all__ = sorted([*_names, "bincount", "cumsum", "softmax"])  # noqa: PLE0605: math.pyi lists them

for _name in __all__:
    globals()[_name] = getattr(_package, _name)
del _name
