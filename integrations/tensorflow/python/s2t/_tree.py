"""The types of fields, known before they are computed, and structs in the form of prensors."""

import tensorflow as tf

from .._columns import in_rows, own_splits
from .._type import StructuredTensor
from .path import parse_map_indexing_step


class Tree:
    """A field that is not computed yet. type: the dtype of a leaf. children: by name; they are made when they are asked for."""

    def __init__(self, is_repeated, type, children=None, is_map=False):  # noqa: A002
        self.is_repeated, self.type, self._children, self.is_map = is_repeated, type, children or {}, is_map

    @property
    def children(self):
        if callable(self._children):
            self._children = self._children()
        return self._children

    def at(self, names):
        found = self
        for i, name in enumerate(names):
            if name not in found.children and not found._add_map_value(name):
                raise ValueError(f"Field {'.'.join(names[: i + 1])} not found in {sorted(found.children)}")
            found = found.children[name]
        return found

    def _add_map_value(self, step):
        """Adds the value at a key of a map, if the step is "map[key]"."""
        if not step.endswith("]"):
            return False
        name = parse_map_indexing_step(step)[0]
        if name not in self.children or not self.children[name].is_map:
            return False
        value = self.children[name].children["value"]
        self.children[step] = Tree(False, value.type, lambda: value.children)
        return True

    def with_child(self, names, child):
        children = dict(self.children)
        children[names[0]] = child if len(names) == 1 else self.at(names[:1]).with_child(names[1:], child)
        return Tree(self.is_repeated, self.type, children)

    def leaves(self, depth=0):
        for name, child in self.children.items():
            if child.type is not None:
                yield (name,)
            elif depth < 20:
                yield from ((name, *rest) for rest in child.leaves(depth + 1))


def tree_of(structs):
    children = {}
    for name in structs.field_names:
        field = structs.fields[name]
        children[name] = tree_of(field) if isinstance(field, StructuredTensor) else Tree(True, field.dtype)
    return Tree(True, None, children)


def one_axis_each(structs):
    """Adds an axis, with one value in each row, to each field that has no axis of its own."""
    fields = {}
    for name in structs.field_names:
        field = structs.fields[name]
        if isinstance(field, StructuredTensor):
            inner = one_axis_each(field)
            splits = inner.row_splits or (tf.range(inner._outer_rows() + 1),)
            fields[name] = StructuredTensor(splits, inner.fields)
        else:
            splits, values = own_splits(field)
            splits = splits or [tf.range(tf.shape(values, out_type=tf.int64)[0] + 1)]
            fields[name] = in_rows(values, splits)
        if len(splits) > 1:
            raise ValueError(f"the field {name} has {len(splits)} axes of its own; a field of a prensor has one")
    return structs._with_fields(fields)
