"""Copies values to inner structs. The methods of Expression, under the names of struct2tensor's functions."""

from ..path import create_path, get_anonymous_field


def broadcast(root, origin, sibling_name, new_field_name):
    return root.broadcast(origin, sibling_name, new_field_name)


def broadcast_anonymous(root, origin, sibling):
    name = get_anonymous_field()
    return root.broadcast(origin, sibling, name), create_path(origin).get_parent().get_child(sibling).get_child(name)
