"""Copies of objects that do not change."""


class Immutable:
    """A base of classes whose objects do not change, so that a copy is the object itself."""

    __slots__ = ()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self
