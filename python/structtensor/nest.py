"""Lists, tuples and dicts of any objects, as in tf.nest.

Leaves are in depth-first order. The leaves of a dict are in the order of its keys, which are strings. All other objects are
leaves: None, and objects of classes that derive from list, tuple or dict, too.
"""

from . import _core


def is_nested(structure):
    """Whether the object is a list, a tuple or a dict."""
    return _core._nest_is_nested(structure)


def flatten(structure, expand_composites=False):
    """The leaves, as a list. expand_composites: replace values by the tensors that they consist of, and specs by the specs of
    these tensors."""
    return _core._nest_flatten(structure, expand_composites)


def flatten_with_joined_string_paths(structure):
    """The leaves, as a list of (path, leaf), such as ("['a'][0]", leaf)."""
    return _core._nest_flatten_with_paths(structure)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The structure with other leaves: the inverse of flatten().

    expand_composites: values, and specs of values, are made from tensors in the order of flatten(). Sizes may differ.
    Raises ValueError if there are more or fewer leaves.
    """
    return _core._nest_pack_sequence_as(structure, flat_sequence, expand_composites)


def assert_same_structure(nest1, nest2, expand_composites=False):
    """Raises ValueError, with the place, if the two structures differ in anything but their leaves.

    expand_composites: also raises it if two leaves are values or specs of types that have no common type.
    """
    _core._nest_assert_same_structure(nest1, nest2, expand_composites)


def map_structure(func, *structures, expand_composites=False):
    """The structure of func(leaf, leaf of the second structure, ...).

    expand_composites: func gets the tensors that values consist of. The values of the result have the types of the first
    structure, and consist of the results of func.
    """
    if not expand_composites:
        return _core._nest_map_structure(func, *structures)
    for other in structures[1:]:
        assert_same_structure(structures[0], other, expand_composites=True)
    if not structures:
        raise TypeError("map_structure: there are no structures")
    leaves = [flatten(structure, expand_composites=True) for structure in structures]
    return pack_sequence_as(structures[0], [func(*one) for one in zip(*leaves, strict=True)], expand_composites=True)
