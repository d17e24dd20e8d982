"""Applies functions to tensors. The methods of Expression, under the names of struct2tensor's functions."""

from ..path import create_path


def map_sparse_tensor(root, root_path, paths, operation, is_repeated, dtype, new_field_name):
    return root.map_sparse_tensors(root_path, _names(paths), operation, is_repeated, dtype, new_field_name)


def map_ragged_tensor(root, root_path, paths, operation, is_repeated, dtype, new_field_name):
    return root.map_ragged_tensors(root_path, _names(paths), operation, is_repeated, dtype, new_field_name)


def _names(paths):
    names = [create_path(path).field_list for path in paths]
    if any(len(name) != 1 for name in names):
        raise ValueError("expected paths of one step: fields of the structs at root_path")
    return [name[0] for name in names]
