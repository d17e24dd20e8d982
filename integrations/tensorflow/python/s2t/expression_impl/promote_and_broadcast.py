"""Copies values to outer structs and then to inner ones. The methods of Expression, under the names of struct2tensor's
functions."""

from ..path import create_path, get_anonymous_field


def promote_and_broadcast(root, path_dictionary, dest_path_parent):
    return root.promote_and_broadcast(path_dictionary, dest_path_parent)


def promote_and_broadcast_anonymous(root, origin, new_parent):
    name = get_anonymous_field()
    return root.promote_and_broadcast({name: origin}, new_parent), create_path(new_parent).get_child(name)
