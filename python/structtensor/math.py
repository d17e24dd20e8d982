"""Elementwise functions of numbers and booleans, and reductions, with the names of tf.math and NumPy."""

from . import _functions
from . import _operations

__all__ = sorted(name for name in _functions.ALL if _operations.place_of(name) == ("math", name))  # noqa: PLE0605: in math.pyi

globals().update({name: _functions.ALL[name] for name in __all__})
