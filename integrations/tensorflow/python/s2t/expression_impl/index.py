"""Positions of values in their rows."""

import tensorflow as tf

from .._tree import Tree
from ..path import Path


def get_positional_index(expression, source_path, new_field_name):
    """Adds a field beside the source: the position of each value in its row. Returns the expression and the path of the
    field."""
    return _index(expression, source_path, new_field_name, False)


def get_index_from_end(expression, source_path, new_field_name):
    """Like get_positional_index(), counted from the end: -1 for the last value."""
    return _index(expression, source_path, new_field_name, True)


def _index(expression, source_path, new_field_name, from_end):
    names = expression._names(source_path)
    child = Tree(expression._tree.at(names).is_repeated, tf.int64)
    new = (*names[:-1], new_field_name)
    indexed = expression._with_field(
        new,
        child,
        [expression._rows_at(names)],
        lambda structs: structs.index_each(list(names), new_field_name, from_end=from_end),
    )
    return indexed, Path(new, validate_step_format=False)
