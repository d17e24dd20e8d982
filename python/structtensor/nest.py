"""Lists, tuples and dicts of anything, as tf.nest has them.

Leaves come depth first, those of dicts in the order of their keys, which are texts. Everything that is no list, tuple or dict
is a leaf: None, and what is of a class derived from those.
"""

from . import _core


def is_nested(structure):
    """Whether it is a list, a tuple or a dict."""
    return _core._nest_is_nested(structure)


def flatten(structure, expand_composites=False):
    """The leaves, as a list. expand_composites: the tensors that values are made of instead of the values."""
    return _core._nest_flatten(structure, expand_composites)


def flatten_with_joined_string_paths(structure):
    """The leaves, as a list of (path, leaf), such as ("['a'][0]", leaf)."""
    return _core._nest_flatten_with_paths(structure)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The structure with other leaves: the way back from flatten()."""
    return _core._nest_pack_sequence_as(structure, flat_sequence, expand_composites)


def assert_same_structure(nest1, nest2):
    """Raises ValueError, which names the place, if the two differ in anything but their leaves."""
    _core._nest_assert_same_structure(nest1, nest2)


def map_structure(func, *structures):
    """The structure of func(leaf, leaf of the second structure, ...)."""
    return _core._nest_map_structure(func, *structures)
