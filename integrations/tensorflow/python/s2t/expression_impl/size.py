"""Counts values. The methods of Expression, under the names of struct2tensor's functions."""

from ..path import create_path, get_anonymous_field


def size(root, source_path, new_field_name):
    return root.create_size_field(source_path, new_field_name)


def has(root, source_path, new_field_name):
    return root.create_has_field(source_path, new_field_name)


def size_anonymous(root, source_path):
    name = get_anonymous_field()
    return root.create_size_field(source_path, name), create_path(source_path).get_parent().get_child(name)
