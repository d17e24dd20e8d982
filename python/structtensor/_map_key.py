"""Keys of map entries in indices."""

import operator

import numpy as np

from . import _core
from . import _pickle
from ._immutable import Immutable


@_pickle.register
class MapKey(_core.MapKey):
    """The key of a map entry, in an index: rows["ratings", st.MapKey("ann")] is a ragged axis of 0 or 1 values.

    key    a text, an integer or a boolean, whichever the map has. Raises TypeError for anything else, and OverflowError
           for an integer that does not fit into 64 bits

    Compared and hashed by the key. As in a dict, True is the same key as 1.
    """

    __slots__ = ("_key",)
    # Classes of the bindings can have no second base.
    __copy__ = Immutable.__copy__
    __deepcopy__ = Immutable.__deepcopy__

    def __init__(self, key):
        if isinstance(key, np.bool_):
            key = bool(key)
        super().__init__(key)  # checks the key
        self._key = str(key) if isinstance(key, str) else key if isinstance(key, bool) else operator.index(key)

    @property
    def key(self):
        """The text, integer or boolean."""
        return self._key

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, MapKey) else NotImplemented

    def __hash__(self):
        return hash(self._key)

    def __repr__(self):
        return f"MapKey({self._key!r})"

    def __reduce_ex__(self, protocol):
        return _pickle.load_map_key, (_pickle.FORMAT, self.key)
