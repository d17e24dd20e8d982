"""The names of types in serialized specs and pickles.

An extension type, or a class of specs of its own, has a name: the one that is registered, or else one that is made of its
module and class. A made name may be replaced by a registered one; both are read from then on.
"""

import sys
import threading

from . import _core

lock = threading.RLock()
classes = {}  # by the names that are in records and serialized specs


def name_of(cls):
    """The name of the type in records and serialized specs. If none is registered, it is made of module and class at the first
    use."""
    with lock:
        if cls._type_name is None:
            plain = "".join(
                c if c.isascii() and (c.isalnum() or c in "_.") else "_" for c in f"{cls.__module__}.{cls.__qualname__}"
            )
            name, count = plain, 1
            while name in classes and not (is_made_again(cls, classes[name]) and _is_found_in_its_module(cls)):
                count += 1
                name = f"{plain}.{count}"
            give_name(cls, name)
        return cls._type_name


def is_made_again(cls, earlier):
    """Whether both classes come from the same class statement, as when a notebook cell is run twice or a module is reloaded.

    Classes that a function makes under one name stay apart.
    """
    same = cls.__module__ == earlier.__module__ and cls.__qualname__ == earlier.__qualname__
    return same and "<locals>" not in cls.__qualname__


def _is_found_in_its_module(cls):
    found = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is cls


def give_name(cls, name):
    """Adds a name of the class. It becomes the name in new records if the class has none yet. Requires: no other class has
    it."""
    if name not in classes:
        _core._register_extension(name)
    classes[name] = cls
    _core._set_compares_itself(name, getattr(cls, "Spec", cls)._compares_itself)
    if cls._type_name is None:
        cls._type_name = name


def register(cls, name):
    """Raises ValueError if the name is taken or invalid, or if another name of the class is registered."""
    if not isinstance(name, str):
        raise TypeError(f"register_type_spec: expected a string as the name, found {name!r}")
    with lock:
        if cls._type_name is not None and cls._name_is_registered:
            if cls._type_name == name:
                return
            raise ValueError(f"{cls.__name__} is registered as {cls._type_name!r} and cannot be {name!r}, too")
        if name in classes and not is_made_again(cls, classes[name]):
            raise ValueError(f"{classes[name].__qualname__} is already registered as {name!r}; choose another name")
        give_name(cls, name)
        cls._type_name = name
        cls._name_is_registered = True


def class_of(name):
    """Raises TypeError if no class has the name."""
    if name not in classes:
        raise TypeError(
            f"no class is registered for the extension type {name!r}; import the module that defines it"
        )
    return classes[name]
