"""The types of fields, known before they are computed, and structs in the form of prensors."""

import re

import tensorflow as tf

from .._columns import in_rows, own_splits
from .._type import StructuredTensor
from .path import parse_map_indexing_step


class Tree:
    """A field that is not computed yet. type: the dtype of a leaf. children: by name; they are made when they are asked for.
    map_entry: of a map, makes the trees of its key and of its value. extension: makes the tree for a step "(an.extension)", or
    gives None.

    A tree does not change, because expressions share it.
    """

    def __init__(self, is_repeated, type, children=None, map_entry=None, extension=None):  # noqa: A002
        self.is_repeated, self.type, self._children = is_repeated, type, children or {}
        self.map_entry, self.extension = map_entry, extension

    @property
    def children(self):
        if callable(self._children):
            self._children = self._children()
        return self._children

    def at(self, names):
        found = self
        for i, name in enumerate(names):
            child = found.child(name)
            if child is None:
                raise ValueError(f"Field {'.'.join(names[: i + 1])} not found in {sorted(found.children)}")
            found = child
        return found

    def child(self, step):
        """The field, or None. An extension, or the value at a key of a map, is not among the children."""
        if step.startswith("(") and step not in self.children:
            return self.extension and self.extension(step)
        if step in self.children or not step.endswith("]"):
            return self.children.get(step)
        name, text = parse_map_indexing_step(step)
        if name not in self.children or self.children[name].map_entry is None:
            return None
        key, value = self.children[name].map_entry()
        parse_key(text, key.type, step)
        return Tree(False, value.type, lambda: value.children, None, value.extension)

    def with_child(self, names, child):
        children = dict(self.children)
        children[names[0]] = child if len(names) == 1 else self.at(names[:1]).with_child(names[1:], child)
        return Tree(self.is_repeated, self.type, children, self.map_entry, self.extension)

    def leaves(self, depth=0):
        for name, child in self.children.items():
            if child.type is not None:
                yield (name,)
            elif depth < 20:
                yield from ((name, *rest) for rest in child.leaves(depth + 1))


def parse_key(text, dtype, step):
    """The key of a map, which the step has as a text. Booleans are 0 and 1, as in struct2tensor, or false and true."""
    if dtype == tf.string:
        return text
    if dtype == tf.bool:
        if text in ("0", "false", "1", "true"):
            return text in ("1", "true")
    elif re.fullmatch(r"[+-]?[0-9]+", text) and dtype.min <= int(text) <= dtype.max:
        return int(text)
    expected = "0, 1, false or true" if dtype == tf.bool else f"a number of type {dtype.name}"
    raise ValueError(f"{step}: {text!r} is no key of this map; expected {expected}")


def tree_of(structs):
    children = {}
    for name in structs.field_names():
        field = structs._flat_fields[name]
        children[name] = tree_of(field) if isinstance(field, StructuredTensor) else Tree(True, field.dtype)
    return Tree(True, None, children)


def one_axis_each(structs):
    """Adds an axis, with one value in each row, to each field that has no axis of its own."""
    fields = {}
    for name in structs.field_names():
        field = structs._flat_fields[name]
        if isinstance(field, StructuredTensor):
            inner = one_axis_each(field)
            splits = inner.row_splits or (tf.range(inner._outer_rows() + 1),)
            fields[name] = StructuredTensor(splits, inner._flat_fields)
        else:
            splits, values = own_splits(field)
            splits = splits or [tf.range(tf.shape(values, out_type=tf.int64)[0] + 1)]
            fields[name] = in_rows(values, splits)
        if len(splits) > 1:
            raise ValueError(f"the field {name} has {len(splits)} axes of its own; a field of a prensor has one")
    return structs._with_fields(fields)
