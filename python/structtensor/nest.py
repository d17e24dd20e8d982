"""Lists, tuples and dicts of anything, as tf.nest has them.

Leaves come depth first, those of dicts in the order of their keys, which are texts. Everything that is no list, tuple or dict
is a leaf: None, and what is of a class derived from those.
"""

from . import _core


def is_nested(structure):
    """Whether it is a list, a tuple or a dict."""
    return _core._nest_is_nested(structure)


def flatten(structure, expand_composites=False):
    """The leaves, as a list. expand_composites: instead of values the tensors that they consist of, instead of specs those of
    these."""
    return _core._nest_flatten(structure, expand_composites)


def flatten_with_joined_string_paths(structure):
    """The leaves, as a list of (path, leaf), such as ("['a'][0]", leaf)."""
    return _core._nest_flatten_with_paths(structure)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The structure with other leaves: the way back from flatten().

    expand_composites: values, and specs of values, are made of tensors, in the order of flatten(); sizes may be others.
    Raises ValueError if there are more or fewer leaves.
    """
    return _core._nest_pack_sequence_as(structure, flat_sequence, expand_composites)


def assert_same_structure(nest1, nest2, expand_composites=False):
    """Raises ValueError, which names the place, if the two differ in anything but their leaves.

    expand_composites: also if two leaves are values or specs of types that have no common one.
    """
    _core._nest_assert_same_structure(nest1, nest2, expand_composites)


def map_structure(func, *structures, expand_composites=False):
    """The structure of func(leaf, leaf of the second structure, ...).

    expand_composites: func gets the tensors that values consist of; the values of the first structure are made of its results.
    """
    if not expand_composites:
        return _core._nest_map_structure(func, *structures)
    for other in structures[1:]:
        assert_same_structure(structures[0], other, expand_composites=True)
    if not structures:
        raise TypeError("map_structure: there are no structures")
    leaves = [flatten(structure, expand_composites=True) for structure in structures]
    return pack_sequence_as(structures[0], [func(*one) for one in zip(*leaves, strict=True)], expand_composites=True)
