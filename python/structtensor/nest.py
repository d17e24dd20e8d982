"""Lists, tuples and dicts of any objects, as in tf.nest.

Structures are lists, tuples, named tuples, dicts and other mappings, and objects of attrs classes; new ones are made by their
own classes. Leaves are in depth-first order. The leaves of a mapping are in the order of its sorted keys. All other objects are
leaves: None, and objects of other classes that derive from list or tuple, too.

`expand_composites` makes structures of values and of specs as well: a value consists of its tensors, and a spec of the specs of
these tensors.
"""

from . import _nest
from . import _signatures

__all__ = [
    "assert_same_structure",
    "flatten",
    "flatten_with_joined_string_paths",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]


@_signatures.public_in("nest")
def is_nested(structure, expand_composites=False):
    """Whether the object is a structure. expand_composites: values and specs are structures, too, except tensors."""
    if _nest.is_structure(structure):
        return True
    return expand_composites and not _nest.is_leaf(structure)


@_signatures.public_in("nest")
def flatten(structure, expand_composites=False):
    """The leaves, as a list. expand_composites: replace values by the tensors that they consist of, and specs by the specs of
    these tensors."""
    return _nest.flatten(structure, expand_composites)


@_signatures.public_in("nest")
def flatten_with_joined_string_paths(structure, expand_composites=False):
    """The leaves, as a list of (path, leaf), such as ("['a'][0]", leaf).

    expand_composites: also the tensors that values consist of; the last part of the path is the position of the tensor.
    """
    return _nest.flatten_with_paths(structure, expand_composites)


@_signatures.public_in("nest")
def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The structure with other leaves: the inverse of flatten().

    expand_composites: values, and specs of values, are made from tensors in the order of flatten(). Sizes may differ. What is
    static comes from the structure.
    Raises ValueError if there are more or fewer leaves.
    """
    return _nest.pack_sequence_as(structure, flat_sequence, expand_composites)


@_signatures.public_in("nest")
def assert_same_structure(nest1, nest2, expand_composites=False):
    """Raises ValueError, with the place, if the two structures differ in anything but their leaves.

    expand_composites: also raises it if two leaves are values or specs for which most_specific_compatible_type() is None.
    """
    _nest.assert_same_structure(nest1, nest2, expand_composites)


@_signatures.public_in("nest")
def map_structure(func, *structures, expand_composites=False):
    """The structure of func(leaf, leaf of the second structure, ...).

    expand_composites: func gets the tensors that values consist of. The values of the result have the types of the first
    structure, and consist of the results of func.
    """
    return _nest.map_structure(func, structures, expand_composites)
