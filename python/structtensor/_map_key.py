"""Keys of map entries in indices."""

import operator

from . import _core


class MapKey(_core.MapKey):
    """The key of a map entry, in an index: rows["ratings", st.MapKey("ann")] is a ragged axis of 0 or 1 values.

    key    a text or an integer, whichever the map has. Raises TypeError for anything else

    Compared and hashed by the key.
    """

    __slots__ = ("_key",)

    def __init__(self, key):
        super().__init__(key)  # checks the key
        self._key = str(key) if isinstance(key, str) else operator.index(key)

    @property
    def key(self):
        """The text or integer."""
        return self._key

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, MapKey) else NotImplemented

    def __hash__(self):
        return hash(self._key)

    def __repr__(self):
        return f"MapKey({self._key!r})"
