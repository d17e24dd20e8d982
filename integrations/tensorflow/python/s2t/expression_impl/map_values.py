"""Applies functions to elements. The methods of Expression, under the names of struct2tensor's functions."""

from ..path import create_path, get_anonymous_field


def map_values(root, source_path, operation, dtype, new_field_name):
    return root.map_field_values(source_path, operation, dtype, new_field_name)


def map_values_anonymous(root, source_path, operation, dtype):
    name = get_anonymous_field()
    return root.map_field_values(source_path, operation, dtype, name), create_path(source_path).get_parent().get_child(name)
