"""Prensors: the values of an expression, with a node for each field."""

import tensorflow as tf

from .._columns import in_rows
from .._type import StructuredTensor
from ._tree import one_axis_each, tree_of
from .path import Path, create_path


class RootNodeTensor:
    """size: the number of roots, an int64 scalar."""

    def __init__(self, size):
        self.size = tf.cast(size, tf.int64)


class ChildNodeTensor:
    """Structs in a field. parent_index: for each struct the row of its parent, an int64 vector that does not decrease."""

    def __init__(self, parent_index, is_repeated):
        self.parent_index, self.is_repeated = tf.cast(parent_index, tf.int64), is_repeated

    @property
    def size(self):
        return tf.shape(self.parent_index, out_type=tf.int64)[0]


class LeafNodeTensor:
    """Values of a field. parent_index: as in ChildNodeTensor. values: a vector of the same length."""

    def __init__(self, parent_index, values, is_repeated):
        self.parent_index, self.values, self.is_repeated = (
            tf.cast(parent_index, tf.int64),
            tf.convert_to_tensor(values),
            is_repeated,
        )


class Prensor:
    """Values of nested fields: a node, and the prensors of its fields by their names."""

    def __init__(self, node, children):
        self.node, self._children = node, dict(children)

    @property
    def is_leaf(self):
        return isinstance(self.node, LeafNodeTensor)

    def get_child(self, field_name):
        return self._children.get(field_name)

    def get_child_or_error(self, field_name):
        if field_name not in self._children:
            raise ValueError(f"Field {field_name} not found in {sorted(self._children)}")
        return self._children[field_name]

    def get_descendant(self, path):
        found = self
        for step in create_path(path).field_list:
            found = found and found.get_child(step)
        return found

    def get_descendant_or_error(self, path):
        found = self.get_descendant(path)
        if found is None:
            raise ValueError(f"Field {path} not found")
        return found

    def get_children(self):
        return {name: self._children[name] for name in sorted(self._children)}

    def get_descendants(self):
        """All prensors in this one, by their paths. The root has Path([])."""
        result = {Path([]): self}
        for name, child in self.get_children().items():
            for path, each in child.get_descendants().items():
                # Names of existing fields are taken as they are. The format is for paths that people write.
                result[Path((name, *path.field_list), validate_step_format=False)] = each
        return result

    def field_names(self):
        return frozenset(self._children)

    def to_structured(self):
        """The same values as a structtensor.tf.StructuredTensor."""
        if not isinstance(self.node, RootNodeTensor):
            raise ValueError("only the root of a prensor is made of rows")
        return _structs_of(self, self.node.size, [])

    @classmethod
    def from_structured(cls, rows):
        """The prensor of a structtensor.tf.StructuredTensor of rank 1. Raises an error for a field with more than one axis of
        its own, because a field of a prensor has one axis."""
        if not isinstance(rows, StructuredTensor) or rows.rank != 1:
            raise ValueError("expected a structtensor.tf.StructuredTensor of rank 1")
        return prensor_of(one_axis_each(rows), tree_of(rows), RootNodeTensor(rows.nrows()))

    def get_ragged_tensors(self, options=None):
        return get_ragged_tensors(self, options)

    def get_ragged_tensor(self, path, options=None):
        return get_ragged_tensor(self, path, options)

    def get_sparse_tensors(self, options=None):
        return get_sparse_tensors(self, options)

    def get_sparse_tensor(self, path, options=None):
        return get_sparse_tensor(self, path, options)


def create_prensor_from_root_and_children(root, children):
    """A prensor from a node, and prensors by their names."""
    return Prensor(root, children)


def create_prensor_from_descendant_nodes(nodes):
    """A prensor from nodes by their paths. Path([]) is the root."""
    nodes = {create_path(path).field_list: node for path, node in nodes.items()}
    if () not in nodes:
        raise ValueError("No root found")

    def below(path):
        names = sorted({other[len(path)] for other in nodes if len(other) > len(path) and other[: len(path)] == path})
        for name in names:
            if (*path, name) not in nodes:
                raise ValueError(f"{'.'.join((*path, name))} has fields, and no node")
        return Prensor(nodes[path], {name: below((*path, name)) for name in names})

    return below(())


def _splits_of(parent_index, parents):
    return tf.RaggedTensor.from_value_rowids(parent_index, parent_index, nrows=parents, validate=True).row_splits


def _structs_of(prensor, size, splits):
    fields = {}
    for name, child in prensor.get_children().items():
        own = _splits_of(child.node.parent_index, size)
        fields[name] = in_rows(child.node.values, [own]) if child.is_leaf else _structs_of(child, child.node.size, [own])
    return StructuredTensor._of(splits, fields, lambda: size)


def prensor_of(structs, tree, node):
    children = {}
    for name in structs.field_names():
        field, below = structs._flat_fields[name], tree.children[name]
        splits = field.row_splits[0] if isinstance(field, StructuredTensor) else field.row_splits
        parent_index = tf.repeat(tf.range(tf.shape(splits, out_type=tf.int64)[0] - 1), splits[1:] - splits[:-1])
        if isinstance(field, StructuredTensor):
            children[name] = prensor_of(field, below, ChildNodeTensor(parent_index, below.is_repeated))
        else:
            children[name] = Prensor(LeafNodeTensor(parent_index, field.values, below.is_repeated), {})
    return Prensor(node, children)


def get_ragged_tensor(prensor, path, options=None):
    """The values at a path, with one axis for each step."""
    del options
    splits, size = [], prensor.node.size
    found = prensor
    for step in create_path(path).field_list:
        found = found.get_child_or_error(step)
        splits.append(_splits_of(found.node.parent_index, size))
        size = None if found.is_leaf else found.node.size
    if not found.is_leaf:
        raise ValueError(f"{path} is not a leaf")
    return in_rows(found.node.values, splits)


def get_ragged_tensors(prensor, options=None):
    """The values of all leaves, by their paths."""
    return {path: get_ragged_tensor(prensor, path, options) for path, each in prensor.get_descendants().items() if each.is_leaf}


def get_sparse_tensor(prensor, path, options=None):
    """Like get_ragged_tensor(), as a tf.SparseTensor. Only repeated fields have an axis."""
    sparse = get_ragged_tensor(prensor, path, options).to_sparse()
    axes, found = [0], prensor
    for axis, step in enumerate(create_path(path).field_list, 1):
        found = found.get_child_or_error(step)
        if found.node.is_repeated:
            axes.append(axis)
    return of_axes(sparse, axes)


def of_axes(sparse, axes):
    """The sparse tensor with only these axes. All indices along the other axes must be 0."""
    if len(axes) == sparse.shape.rank:
        return sparse
    return tf.SparseTensor(tf.gather(sparse.indices, axes, axis=1), sparse.values, tf.gather(sparse.dense_shape, axes))


def get_sparse_tensors(prensor, options=None):
    """The values of all leaves as tf.SparseTensors, by their paths."""
    return {path: get_sparse_tensor(prensor, path, options) for path, each in prensor.get_descendants().items() if each.is_leaf}
