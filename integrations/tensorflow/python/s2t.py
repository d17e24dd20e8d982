"""struct2tensor's expressions by the operations of structtensor: from structtensor.tf import s2t

    expression = s2t.create_expression_from_proto(serialized, Query.DESCRIPTOR)
    expression = expression.promote("event.action.number_of_views", "views").project(["event.query", "event.views"])
    prensor, = s2t.calculate_prensors([expression])
    s2t.get_ragged_tensors(prensor)          # {Path: tf.RaggedTensor}

Names, arguments and results are those of struct2tensor 0.48. An expression is computed when it is asked for, and only the fields that it
needs are decoded. Where struct2tensor reads bytes otherwise than protobuf (messages that have to be merged, oneofs, maps), this reads
them as protobuf does. Fields that have no presence, of proto3, have a value in each message here, and none there if it is the default.

A step of a path has one axis, also where a field is not repeated: then its rows have 0 or 1 values.
"""

import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool

import structtensor as st

from ._columns import in_rows, own_splits
from ._decode import Decoder
from ._type import StructuredTensor

# --- Paths


class Path:
    """Names of fields, from the root. A name in parentheses is an extension."""

    def __init__(self, field_list, validate_step_format=True):
        del validate_step_format
        self.field_list = tuple(str(step) for step in field_list)

    def get_child(self, step):
        return Path((*self.field_list, step))

    def get_parent(self):
        if not self.field_list:
            raise ValueError("Tried to find parent of root")
        return Path(self.field_list[:-1])

    def concat(self, other):
        return Path(self.field_list + create_path(other).field_list)

    def prefix(self, ending_index):
        return Path(self.field_list[:ending_index])

    def suffix(self, starting_index):
        return Path(self.field_list[starting_index:])

    def is_ancestor(self, other):
        return other.field_list[: len(self.field_list)] == self.field_list

    def get_least_common_ancestor(self, other):
        size = 0
        while size < min(len(self), len(other)) and self.field_list[size] == other.field_list[size]:
            size += 1
        return self.prefix(size)

    def __len__(self):
        return len(self.field_list)

    def __eq__(self, other):
        return isinstance(other, Path) and self.field_list == other.field_list

    def __lt__(self, other):
        return self.field_list < other.field_list

    def __hash__(self):
        return hash(self.field_list)

    def __str__(self):
        return ".".join(self.field_list)

    def __repr__(self):
        return f"Path({list(self.field_list)!r})"


Step = str


def create_path(path):
    """A Path of a text "a.b", of names, or of a Path."""
    if isinstance(path, Path):
        return path
    if not isinstance(path, str):
        return Path(path)
    steps, start, depth = [], 0, 0
    for i, letter in enumerate(path):
        depth += (letter == "(") - (letter == ")")
        if letter == "." and depth == 0:
            steps.append(path[start:i])
            start = i + 1
    return Path([*steps, path[start:]] if path else [])


# --- Prensors: the values of an expression


class RootNodeTensor:
    """size: how many roots there are, an int64 scalar."""

    def __init__(self, size):
        self.size = tf.cast(size, tf.int64)


class ChildNodeTensor:
    """Structs in a field. parent_index: an int64 vector, of each the row of the structs around, which does not decrease."""

    def __init__(self, parent_index, is_repeated):
        self.parent_index, self.is_repeated = tf.cast(parent_index, tf.int64), is_repeated

    @property
    def size(self):
        return tf.shape(self.parent_index, out_type=tf.int64)[0]


class LeafNodeTensor:
    """Values of a field. parent_index: as of a ChildNodeTensor; values: a vector of as many."""

    def __init__(self, parent_index, values, is_repeated):
        self.parent_index, self.values, self.is_repeated = tf.cast(parent_index, tf.int64), tf.convert_to_tensor(values), is_repeated


class Prensor:
    """Values of nested fields: a node, and the prensors of the fields below it, by their names."""

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
        """All prensors in this one, by their paths; the root's is Path([])."""
        result = {Path([]): self}
        for name, child in self.get_children().items():
            result.update({Path((name, *path.field_list)): each for path, each in child.get_descendants().items()})
        return result

    def field_names(self):
        return frozenset(self._children)

    def to_structured(self):
        """The same as a structtensor.tf.StructuredTensor."""
        if not isinstance(self.node, RootNodeTensor):
            raise ValueError("only the root of a prensor is made of rows")
        return _structs_of(self, self.node.size, [])

    @classmethod
    def from_structured(cls, rows):
        """A structtensor.tf.StructuredTensor of rank 1. Fields of more than one axis of their own are refused, since a field has one."""
        if not isinstance(rows, StructuredTensor) or rows.rank != 1:
            raise ValueError("expected a structtensor.tf.StructuredTensor of rank 1")
        return _prensor_of(_one_axis_each(rows), _tree_of(rows), RootNodeTensor(rows.nrows()))

    def get_ragged_tensors(self, options=None):
        return get_ragged_tensors(self, options)

    def get_ragged_tensor(self, path, options=None):
        return get_ragged_tensor(self, path, options)

    def get_sparse_tensors(self, options=None):
        return get_sparse_tensors(self, options)

    def get_sparse_tensor(self, path, options=None):
        return get_sparse_tensor(self, path, options)


def create_prensor_from_root_and_children(root, children):
    """A prensor of a node, and of prensors by their names."""
    return Prensor(root, children)


def create_prensor_from_descendant_nodes(nodes):
    """A prensor of nodes by their paths, of which Path([]) is the root."""
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


def _prensor_of(structs, tree, node):
    children = {}
    for name in structs.field_names:
        field, below = structs.fields[name], tree.children[name]
        splits = field.row_splits[0] if isinstance(field, StructuredTensor) else field.row_splits
        parent_index = tf.repeat(tf.range(tf.shape(splits, out_type=tf.int64)[0] - 1), splits[1:] - splits[:-1])
        if isinstance(field, StructuredTensor):
            children[name] = _prensor_of(field, below, ChildNodeTensor(parent_index, below.is_repeated))
        else:
            children[name] = Prensor(LeafNodeTensor(parent_index, field.values, below.is_repeated), {})
    return Prensor(node, children)


def get_ragged_tensor(prensor, path, options=None):
    """The values at a path, with an axis for each step."""
    del options
    splits, size = [], prensor.node.size
    found = prensor
    for step in create_path(path).field_list:
        found = found.get_child_or_error(step)
        splits.append(_splits_of(found.node.parent_index, size))
        size = None if found.is_leaf else found.node.size
    if not found.is_leaf:
        raise ValueError(f"{path} is no leaf")
    return in_rows(found.node.values, splits)


def get_ragged_tensors(prensor, options=None):
    """The values of all leaves, by their paths."""
    return {path: get_ragged_tensor(prensor, path, options) for path, each in prensor.get_descendants().items() if each.is_leaf}


def get_sparse_tensor(prensor, path, options=None):
    """The same as a tf.SparseTensor, in which only repeated fields have an axis."""
    sparse = get_ragged_tensor(prensor, path, options).to_sparse()
    axes, found = [0], prensor
    for axis, step in enumerate(create_path(path).field_list, 1):
        found = found.get_child_or_error(step)
        if found.node.is_repeated:
            axes.append(axis)
    return _of_axes(sparse, axes)


def _of_axes(sparse, axes):
    """Without the axes in which all indices are 0."""
    if len(axes) == sparse.shape.rank:
        return sparse
    return tf.SparseTensor(tf.gather(sparse.indices, axes, axis=1), sparse.values, tf.gather(sparse.dense_shape, axes))


def get_sparse_tensors(prensor, options=None):
    """The values of all leaves as tf.SparseTensors, by their paths."""
    return {path: get_sparse_tensor(prensor, path, options) for path, each in prensor.get_descendants().items() if each.is_leaf}


# --- Expressions


class _Tree:
    """What is known of a field before it is computed. type: the dtype of a leaf. children: by name, made when asked for."""

    def __init__(self, is_repeated, type, children=None):  # noqa: A002
        self.is_repeated, self.type, self._children = is_repeated, type, children or {}

    @property
    def children(self):
        if callable(self._children):
            self._children = self._children()
        return self._children

    def at(self, names):
        found = self
        for i, name in enumerate(names):
            if name not in found.children:
                raise ValueError(f"Field {'.'.join(names[: i + 1])} not found in {sorted(found.children)}")
            found = found.children[name]
        return found

    def with_child(self, names, child):
        children = dict(self.children)
        children[names[0]] = child if len(names) == 1 else self.at(names[:1]).with_child(names[1:], child)
        return _Tree(self.is_repeated, self.type, children)

    def leaves(self, depth=0):
        for name, child in self.children.items():
            if child.type is not None:
                yield (name,)
            elif depth < 20:
                yield from ((name, *rest) for rest in child.leaves(depth + 1))


def _tree_of(structs):
    children = {}
    for name in structs.field_names:
        field = structs.fields[name]
        children[name] = _tree_of(field) if isinstance(field, StructuredTensor) else _Tree(True, field.dtype)
    return _Tree(True, None, children)


def _one_axis_each(structs):
    """Fields without an axis of their own get one, with one value in each row."""
    fields = {}
    for name in structs.field_names:
        field = structs.fields[name]
        if isinstance(field, StructuredTensor):
            inner = _one_axis_each(field)
            splits = inner.row_splits or (tf.range(inner._outer_rows() + 1),)
            fields[name] = StructuredTensor(splits, inner.fields)
        else:
            splits, values = own_splits(field)
            splits = splits or [tf.range(tf.shape(values, out_type=tf.int64)[0] + 1)]
            fields[name] = in_rows(values, splits)
        if len(splits) > 1:
            raise ValueError(f"the field {name} has {len(splits)} axes of its own; a field of a prensor has one")
    return StructuredTensor._of(structs.row_splits, fields, structs._outer_rows if structs.rank == 1 else lambda: structs.row_splits[-1][-1])


_ORIGIN = "origin of the root"  # the index of the message that a root is of


class Expression:
    """Nested fields that can be computed. Each method returns another expression; this one stays."""

    def __init__(self, tree, make):
        # make(needed): the structs with the fields at these paths at least; a path of structs stands for all that is in them.
        self._tree, self._make, self._at = tree, make, ()

    def _below(self, names):
        found = Expression(self._tree, self._make)
        found._at = names
        return found

    def _here(self):
        return self._tree.at(self._at)

    @property
    def is_repeated(self):
        return self._here().is_repeated

    @property
    def type(self):
        return self._here().type

    @property
    def is_leaf(self):
        return self.type is not None

    def known_field_names(self):
        return frozenset(self._here().children)

    def get_child(self, field_name):
        return self._below((*self._at, field_name)) if field_name in self._here().children else None

    def get_child_or_error(self, field_name):
        self._here().at((field_name,))
        return self.get_child(field_name)

    def get_descendant(self, path):
        found = self
        for step in create_path(path).field_list:
            found = found and found.get_child(step)
        return found

    def get_descendant_or_error(self, path):
        self._here().at(create_path(path).field_list)
        return self.get_descendant(path)

    def get_known_children(self):
        return {name: self.get_child(name) for name in self.known_field_names()}

    def get_known_descendants(self):
        result = {Path([]): self}
        for name, child in self.get_known_children().items():
            result.update({Path((name, *path.field_list)): each for path, each in child.get_known_descendants().items()})
        return result

    def apply(self, transform):
        return transform(self)

    # --- Queries

    def _names(self, path):
        if self._at:
            raise ValueError("queries begin at the root of an expression")
        names = create_path(path).field_list
        self._tree.at(names)
        return names

    def _with_field(self, new, child, sources, change):
        """With a field at `new` that `change` makes; the fields at `sources` are needed for it, and what is asked below `new` below the first."""

        def needed_before(needed):
            before = {path for path in needed if path[: len(new)] != new}
            for path in needed:
                if path[: len(new)] == new:
                    before.update(source + path[len(new) :] for source in sources[:1])
                elif new[: len(path)] == path:
                    before.update(sources[:1])
            before.update(sources[1:])
            return before

        return Expression(self._tree.with_child(new, child), lambda needed: _one_axis_each(change(self._make(needed_before(needed)))))

    def promote(self, source_path, new_field_name):
        names = self._names(source_path)
        if len(names) < 2:
            raise ValueError(f"Cannot promote a field of the root: {source_path}")
        field, parent = self._tree.at(names), self._tree.at(names[:-1])
        child = _Tree(field.is_repeated or parent.is_repeated, field.type, lambda: field.children)
        return self._with_field((*names[:-2], new_field_name), child, [names], lambda structs: structs.promote(list(names), new_field_name))

    def broadcast(self, source_path, sibling_field, new_field_name):
        names = self._names(source_path)
        sibling = (*names[:-1], sibling_field)
        self._tree.at(sibling)
        field = self._tree.at(names)
        new = (*sibling, new_field_name)
        return self._with_field(
            new, field, [names, sibling], lambda structs: structs.broadcast(list(names), list(sibling), new_field_name)
        )

    def promote_and_broadcast(self, path_dictionary, dest_path_parent):
        destination = self._names(dest_path_parent)
        expression = self
        for new_name, source in path_dictionary.items():
            expression = expression._promote_and_broadcast(expression._names(source), destination, new_name)
        return expression

    def _promote_and_broadcast(self, names, destination, new_name):
        common = len(create_path(names[:-1]).get_least_common_ancestor(create_path(destination)))
        field = self._tree.at(names)
        repeated = any(self._tree.at(names[: i + 1]).is_repeated for i in range(common, len(names)))

        def change(structs):
            at = names
            if len(names) - 1 > common:
                structs = structs.promote(list(names), new_name, target=list(names[:common]))
                at = (*names[:common], new_name)
            if len(destination) > common:
                structs = structs.broadcast(list(at), list(destination), new_name)
                if at != names:
                    structs = structs.without([list(at)])
            elif at == names:
                structs = structs.with_updates({(*destination, new_name): structs[names]})
            return structs

        child = _Tree(repeated, field.type, lambda: field.children)
        return self._with_field((*destination, new_name), child, [names, destination or names], change)

    def project(self, path_list):
        paths = [self._names(path) for path in path_list]

        def kept(tree, here):
            children = {}
            for name, child in tree.children.items():
                path = (*here, name)
                if path in paths:
                    children[name] = child
                elif any(other[: len(path)] == path for other in paths):
                    children[name] = _Tree(child.is_repeated, child.type, kept(child, path))
            return children

        def make(needed):
            # A whole struct that is asked for is what was kept of it.
            before = {path for path in paths if any(path[: len(other)] == other for other in needed)}
            before.update(path for path in needed if any(path[: len(other)] == other for other in paths))
            return self._make(before)

        return Expression(_Tree(True, None, kept(self._tree, ())), make)

    def reroot(self, new_root):
        names = self._names(new_root)
        if not names:
            return self
        tree = self._tree.at(names)
        if tree.type is not None:
            raise ValueError(f"New root must not be a leaf: {new_root}")

        def make(needed):
            structs = self._make({names + path for path in needed if path != (_ORIGIN,)} | {names})
            # The messages that the new roots are of.
            if _ORIGIN not in structs.fields:
                structs = structs.with_updates({_ORIGIN_PATH: tf.range(structs.nrows())[:, None]})
            return structs.broadcast(_ORIGIN_PATH, list(names), _ORIGIN).reroot(list(names))

        return Expression(_Tree(True, None, lambda: tree.children), make)

    def create_proto_index(self, field_name):
        def change(structs):
            if _ORIGIN in structs.fields:
                origin = structs.fields[_ORIGIN]
            else:
                origin = tf.range(structs.nrows())[:, None]
            return structs.with_updates({(field_name,): origin})

        return self._with_field((field_name,), _Tree(False, tf.int64), [], change)

    def create_size_field(self, source_path, new_field_name):
        names = self._names(source_path)
        return self._with_field(
            (*names[:-1], new_field_name), _Tree(False, tf.int64), [names], lambda structs: structs.size(list(names), new_field_name)
        )

    def create_has_field(self, source_path, new_field_name):
        names = self._names(source_path)
        return self._with_field(
            (*names[:-1], new_field_name), _Tree(False, tf.bool), [names], lambda structs: structs.has(list(names), new_field_name)
        )

    def slice(self, source_path, new_field_name, begin=None, end=None):
        names = self._names(source_path)
        return self._copied(names, new_field_name, lambda structs, path: structs.slice_path(path, begin, end))

    def truncate(self, source_path, limit, new_field_name):
        return self.slice(source_path, new_field_name, end=limit)

    def _copied(self, names, new_field_name, change):
        new = (*names[:-1], new_field_name)
        return self._with_field(
            new, self._tree.at(names), [names], lambda structs: change(structs.with_updates({new: structs[names]}), list(new))
        )

    def map_field_values(self, source_path, operator, dtype, new_field_name):
        names = self._names(source_path)
        child = _Tree(self._tree.at(names).is_repeated, dtype)
        new = (*names[:-1], new_field_name)
        return self._with_field(new, child, [names], lambda structs: structs.map_values(list(names), new_field_name, operator))

    def map_ragged_tensors(self, parent_path, source_fields, operator, is_repeated, dtype, new_field_name):
        """operator: from ragged tensors [structs at parent_path, (values)] to another one."""
        parent = self._names(parent_path)
        sources = [(*parent, field) for field in source_fields]
        for source in sources:
            self._tree.at(source)

        def change(structs):
            inner = structs
            for name in parent:
                inner = inner.fields[name]
            result = operator(*(inner.fields[field] for field in source_fields))
            if not isinstance(result, tf.RaggedTensor):
                result = tf.RaggedTensor.from_tensor(result)
            splits = [splits for depth in range(len(parent)) for splits in _struct_at(structs, parent[: depth + 1]).row_splits]
            return structs.with_updates({(*parent, new_field_name): in_rows(result, splits)})

        new = (*parent, new_field_name)
        return self._with_field(new, _Tree(is_repeated, dtype), sources, change)

    def map_sparse_tensors(self, parent_path, source_fields, operator, is_repeated, dtype, new_field_name):
        """The same with sparse tensors [structs at parent_path, longest]; of a field that is not repeated [structs at parent_path]."""
        parent = self._names(parent_path)
        repeated = [self._tree.at((*parent, field)).is_repeated for field in source_fields]

        def of_ragged(*ragged):
            given = [_of_axes(tensor.to_sparse(), [0, 1] if each else [0]) for tensor, each in zip(ragged, repeated)]
            result = operator(*given)
            # Rows behind the last value have none.
            return tf.RaggedTensor.from_value_rowids(result.values, result.indices[:, 0], nrows=ragged[0].nrows())

        return self.map_ragged_tensors(parent_path, source_fields, of_ragged, is_repeated, dtype, new_field_name)


_ORIGIN_PATH = (_ORIGIN,)


def _struct_at(structs, names):
    for name in names:
        structs = structs.fields[name]
    return structs


def filter_by_child(expression, path, child_field_name, new_field_name):
    """The structs at the path for which their boolean field is true, as the field `new_field_name` beside them."""
    names = expression._names(path)

    def change(structs, new):
        return structs.filter(new, [*new, child_field_name])

    expression._tree.at((*names, child_field_name))
    copied = expression._copied(names, new_field_name, change)
    make = copied._make
    new = (*names[:-1], new_field_name)
    copied._make = lambda needed: make({*needed, (*new, child_field_name)})
    return copied


def filter_by_sibling(expression, path, sibling_field_name, new_field_name):
    """The values at the path for which the boolean beside them is true, as the field `new_field_name`."""
    names = expression._names(path)
    sibling = (*names[:-1], sibling_field_name)
    expression._tree.at(sibling)
    new = (*names[:-1], new_field_name)

    def change(structs):
        return structs.with_updates({new: structs[names]}).filter(list(new), list(sibling))

    return expression._with_field(new, expression._tree.at(names), [names, sibling], change)


def get_positional_index(expression, source_path, new_field_name):
    """The position of each value in its row, as a field beside it."""
    return _index(expression, source_path, new_field_name, False)


def get_index_from_end(expression, source_path, new_field_name):
    """The same from the end: -1 for the last value."""
    return _index(expression, source_path, new_field_name, True)


def _index(expression, source_path, new_field_name, from_end):
    names = expression._names(source_path)
    child = _Tree(expression._tree.at(names).is_repeated, tf.int64)
    new = (*names[:-1], new_field_name)
    return expression._with_field(
        new, child, [names], lambda structs: structs.index_each(list(names), new_field_name, from_end=from_end)
    )


def limit_depth(expression, limit):
    """Without the fields that are more than so many steps deep."""

    def cut(tree, depth):
        children = {} if depth == 0 else {name: cut(child, depth - 1) for name, child in tree.children.items()}
        return _Tree(tree.is_repeated, tree.type, children)

    return Expression(cut(expression._tree, limit), lambda needed: expression._make(needed).limit_depth(limit))


# --- Where expressions come from, and what they become


def create_expression_from_prensor(prensor):
    """An expression of values that are there."""

    def tree(each):
        node = each.node
        repeated = True if isinstance(node, RootNodeTensor) else node.is_repeated
        return _Tree(repeated, node.values.dtype if each.is_leaf else None, {name: tree(c) for name, c in each.get_children().items()})

    structs = prensor.to_structured()
    return Expression(tree(prensor), lambda needed: structs)


def create_expression_from_structured(rows):
    """An expression of a structtensor.tf.StructuredTensor of rank 1."""
    structs = _one_axis_each(rows)
    return Expression(_tree_of(rows), lambda needed: structs)


def create_expression_from_proto(tensor_of_protos, desc, message_format="binary"):
    """An expression of a vector of serialized messages of that descriptor."""
    return _of_messages(tensor_of_protos, desc, message_format)


def create_expression_from_file_descriptor_set(tensor_of_protos, proto_name, file_descriptor_set, message_format="binary"):
    """The same of a message type in a FileDescriptorSet."""
    pool = descriptor_pool.DescriptorPool()
    for file in file_descriptor_set.file:
        pool.Add(file)
    return _of_messages(tensor_of_protos, pool.FindMessageTypeByName(proto_name), message_format)


def _file_set(descriptor):
    result, seen = descriptor_pb2.FileDescriptorSet(), set()

    def add(file):
        if file.name not in seen:
            seen.add(file.name)
            for dependency in file.dependencies:
                add(dependency)
            file.CopyToProto(result.file.add())

    add(descriptor.file)
    return result.SerializeToString()


def _of_messages(serialized, descriptor, message_format):
    if message_format != "binary":
        raise ValueError(f"message_format {message_format!r}: expected 'binary'")
    schema = st.Schema.from_descriptor_set(_file_set(descriptor), descriptor.full_name)
    known = schema.decoder(optionals="ragged", well_known_types="structs").spec

    def tree(descriptor, spec):
        children = {}
        for field in descriptor.fields:
            if field.name in spec.fields:
                repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
                below = spec.fields[field.name]
                if hasattr(below, "fields"):
                    children[field.name] = _Tree(repeated, None, tree(field.message_type, below))
                else:
                    children[field.name] = _Tree(repeated, _dtype(below))
        return children

    def make(needed):
        names = [".".join(path) for path in needed if path and path != _ORIGIN_PATH]
        decoder = Decoder(schema, select=names or ["*"], well_known_types="structs")
        rows = decoder(serialized)
        return _one_axis_each(rows if names else rows.with_only([]))

    return Expression(_Tree(True, None, tree(descriptor, known)), make)


def _dtype(spec):
    from ._columns import dtype_of

    return dtype_of(spec.dtype)


def calculate_prensors(expressions, options=None):
    """The values of each expression, as prensors."""
    del options
    return [_calculate(expression) for expression in expressions]


def calculate_structured(expressions):
    """The values of each expression, as structtensor.tf.StructuredTensors."""
    return [_structs(expression) for expression in expressions]


def _structs(expression):
    tree = expression._here() if not expression._at else expression._tree
    structs = expression._make(set(tree.leaves()) | {(name,) for name, child in tree.children.items() if child.type is None})
    return structs.without([_ORIGIN_PATH]) if _ORIGIN in structs.fields else structs


def _calculate(expression):
    structs = _structs(expression)
    structs = _as_tree(structs, expression._tree)
    prensor = _prensor_of(structs, expression._tree, RootNodeTensor(structs.nrows()))
    return prensor.get_descendant_or_error(Path(expression._at))


def _as_tree(structs, tree):
    """Only the fields that the expression has."""
    fields = {}
    for name, child in tree.children.items():
        if name in structs.fields:
            field = structs.fields[name]
            fields[name] = _as_tree(field, child) if isinstance(field, StructuredTensor) else field
    return StructuredTensor._of(structs.row_splits, fields, structs._outer_rows if structs.rank == 1 else lambda: structs.row_splits[-1][-1])
