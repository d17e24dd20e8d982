"""Copies values to outer structs. The methods of Expression, under the names of struct2tensor's functions."""

from ..path import create_path, get_anonymous_field


def promote(root, p, new_field_name):
    return root.promote(p, new_field_name)


def promote_anonymous(root, p):
    name = get_anonymous_field()
    return root.promote(p, name), create_path(p).get_parent().get_parent().get_child(name)
