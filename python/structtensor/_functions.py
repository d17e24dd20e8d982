"""The functions of the bindings as the package has them: with dispatch, docstrings, and errors in Python's words.

Their names are those of the bindings. The package and its modules give them their public names (_operations.place_of).
"""

from . import _core
from . import _dispatch
from . import _numpy
from . import _signatures

# Functions whose arguments need not be values, and functions that are not about values.
_NOT_DISPATCHED = frozenset({"constant", "ragged_constant", "broadcast_dynamic_shape"})


def _public():
    """The public functions by name. Each one first looks whether a type has registered a function of its own."""
    comparisons = {name: _signatures.with_parameters(name, each, takes_name=True) for name, each in _numpy.COMPARISONS.items()}
    for name, function in vars(_core).items():
        if name.startswith("_") or not _signatures.is_of_bindings(function) or name == "from_arrow":  # written in Python
            continue
        make = _dispatch.document if name in _NOT_DISPATCHED else _dispatch.wrap
        yield name, make(name, comparisons.get(name, function))


ALL = dict(_public())
globals().update(ALL)
