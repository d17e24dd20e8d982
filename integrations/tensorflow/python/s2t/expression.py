"""Expressions: nested fields that can be computed."""

import functools

import tensorflow as tf

from .._columns import in_rows
from ._tree import Tree, one_axis_each
from .path import Path, create_path, parse_map_indexing_step
from .prensor import of_axes

ORIGIN = "origin of the root"  # the field with the index of the message that each root comes from
ORIGIN_PATH = (ORIGIN,)


class Expression:
    """Nested fields that can be computed. An expression does not change: each method returns a new one."""

    def __init__(self, tree, make):
        # make(needed) gives structs that have at least the fields at these paths. A path of structs means all their fields.
        self._tree, self._make, self._at = tree, make, ()

    def _below(self, names):
        tree = self._tree
        if names[-1] not in tree.at(names[:-1]).children:  # the value at a key of a map
            tree = tree.with_child(names, tree.at(names))
        found = Expression(tree, self._make)
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
        return None if self._here().child(field_name) is None else self._below((*self._at, field_name))

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
            for path, each in child.get_known_descendants().items():
                result[Path((name, *path.field_list), validate_step_format=False)] = each
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

    def _rows_at(self, names):
        """The path that must be decoded to know where structs are: one of their fields, or all of them if none is a leaf. For
        a leaf, its own path."""
        tree = self._tree.at(names)
        leaves = [(child.is_repeated, child.type == tf.string, name) for name, child in tree.children.items() if child.type]
        return (*names, min(leaves)[2]) if leaves else names

    def _with_field(self, new, child, sources, change):
        """The expression with a field at `new`, which `change` makes. The field needs the fields at `sources`. A field below
        `new` needs the same field below the first source."""

        def needed_before(needed):
            before = {path for path in needed if path[: len(new)] != new}
            for path in needed:
                if path[: len(new)] == new:
                    before.update(source + path[len(new) :] for source in sources[:1])
                elif new[: len(path)] == path:
                    before.update(sources[:1])
            before.update(sources[1:])
            return before

        def make(needed):
            if not any(path[: len(new)] == new or new[: len(path)] == path for path in needed):
                return self._make(needed)
            return one_axis_each(change(self._make(needed_before(needed))))

        return Expression(self._tree.with_child(new, child), make)

    def promote(self, source_path, new_field_name):
        names = self._names(source_path)
        if len(names) < 2:
            raise ValueError(f"Cannot promote a field of the root: {source_path}")
        field, parent = self._tree.at(names), self._tree.at(names[:-1])
        child = Tree(field.is_repeated or parent.is_repeated, field.type, lambda: field.children)
        new = (*names[:-2], new_field_name)
        return self._with_field(
            new, child, [names], lambda structs: structs.promote(names, new)
        )

    def broadcast(self, source_path, sibling_field, new_field_name):
        names = self._names(source_path)
        sibling = (*names[:-1], sibling_field)
        self._tree.at(sibling)
        field = self._tree.at(names)
        new = (*sibling, new_field_name)
        return self._with_field(
            new,
            field,
            [names, self._rows_at(sibling)],
            lambda structs: structs.broadcast(names, new),
        )

    def promote_and_broadcast(self, path_dictionary, dest_path_parent):
        destination = self._names(dest_path_parent)
        expression = self
        for new_name, source in path_dictionary.items():
            expression = expression._promote_and_broadcast(expression._names(source), destination, new_name)
        return expression

    def _promote_and_broadcast(self, names, destination, new_name):
        around = Path(names[:-1], validate_step_format=False)
        common = len(around.get_least_common_ancestor(Path(destination, validate_step_format=False)))
        field = self._tree.at(names)
        repeated = any(self._tree.at(names[: i + 1]).is_repeated for i in range(common, len(names)))

        def change(structs):
            at = names
            if len(names) - 1 > common:
                at = (*names[:common], new_name)
                structs = structs.promote(names, at)
            if len(destination) > common:
                structs = structs.broadcast(at, (*destination, new_name))
                if at != names:
                    structs = structs.without([list(at)])
            elif at == names:
                structs = structs.with_updates({(*destination, new_name): structs[names]})
            return structs

        child = Tree(repeated, field.type, lambda: field.children)
        rows = self._rows_at(destination) if destination else names
        return self._with_field((*destination, new_name), child, [names, rows], change)

    def project(self, path_list):
        paths = [self._names(path) for path in path_list]

        def kept(tree, here):
            children = {}
            below = {path[len(here)] for path in paths if len(path) > len(here) and path[: len(here)] == here}
            # Values at keys of maps are not among the children.
            for name in (*(name for name in tree.children if name in below), *sorted(below - tree.children.keys())):
                path, child = (*here, name), tree.at((name,))
                if path not in paths:
                    child = Tree(child.is_repeated, child.type, kept(child, path), kept_entry(child, path))
                children[name] = child
            return children

        def kept_entry(tree, here):
            """A value has a key only if both are kept."""
            inner = tree.map_entry and kept(tree, here)
            return functools.partial(map, inner.get, ("key", "value")) if inner and {"key", "value"} <= inner.keys() else None

        def is_kept(path):
            return any(path[: len(other)] == other for other in paths)

        def make(needed):
            # If a whole struct is asked for, only its kept fields are needed.
            before = {path for path in paths if any(path[: len(other)] == other for other in needed)}
            before.update(path for path in needed if is_kept(path) or is_kept(_in_entries(path)))
            return self._make(before)

        return Expression(Tree(True, None, kept(self._tree, ())), make)

    def reroot(self, new_root):
        names = self._names(new_root)
        if not names:
            return self
        tree = self._tree.at(names)
        if tree.type is not None:
            raise ValueError(f"New root must not be a leaf: {new_root}")

        def make(needed):
            structs = self._make({names + path for path in needed if path != (ORIGIN,)} | {self._rows_at(names)})
            # The messages that the new roots come from.
            if ORIGIN not in structs._flat_fields:
                structs = structs.with_updates({ORIGIN_PATH: tf.range(structs.nrows())[:, None]})
            return structs.broadcast(ORIGIN_PATH, (*names, ORIGIN)).reroot(names)

        return Expression(Tree(True, None, lambda: tree.children), make)

    def create_proto_index(self, field_name):
        def change(structs):
            if ORIGIN in structs._flat_fields:
                origin = structs._flat_fields[ORIGIN]
            else:
                origin = tf.range(structs.nrows())[:, None]
            return structs.with_updates({(field_name,): origin})

        return self._with_field((field_name,), Tree(False, tf.int64), [], change)

    def create_size_field(self, source_path, new_field_name):
        names = self._names(source_path)
        return self._with_field(
            (*names[:-1], new_field_name),
            Tree(False, tf.int64),
            [self._rows_at(names)],
            lambda structs: structs.size_each(list(names), new_field_name),
        )

    def create_has_field(self, source_path, new_field_name):
        names = self._names(source_path)
        return self._with_field(
            (*names[:-1], new_field_name),
            Tree(False, tf.bool),
            [self._rows_at(names)],
            lambda structs: structs.has(list(names), new_field_name),
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
        child = Tree(self._tree.at(names).is_repeated, dtype)
        new = (*names[:-1], new_field_name)
        return self._with_field(new, child, [names], lambda structs: structs.map_values(list(names), new_field_name, operator))

    def map_ragged_tensors(self, parent_path, source_fields, operator, is_repeated, dtype, new_field_name):
        """operator: a function from ragged tensors [structs at parent_path, (values)] to another one."""
        parent = self._names(parent_path)
        sources = [(*parent, field) for field in source_fields]
        for source in sources:
            self._tree.at(source)

        def change(structs):
            inner = structs
            for name in parent:
                inner = inner._flat_fields[name]
            result = operator(*(inner._flat_fields[field] for field in source_fields))
            if not isinstance(result, tf.RaggedTensor):
                result = tf.RaggedTensor.from_tensor(result)
            splits = [splits for depth in range(len(parent)) for splits in _struct_at(structs, parent[: depth + 1]).row_splits]
            return structs.with_updates({(*parent, new_field_name): in_rows(result, splits)})

        new = (*parent, new_field_name)
        return self._with_field(new, Tree(is_repeated, dtype), sources, change)

    def map_sparse_tensors(self, parent_path, source_fields, operator, is_repeated, dtype, new_field_name):
        """Like map_ragged_tensors(), with sparse tensors [structs at parent_path, longest]. For a field that is not repeated:
        [structs at parent_path]."""
        parent = self._names(parent_path)
        repeated = [self._tree.at((*parent, field)).is_repeated for field in source_fields]

        def of_ragged(*ragged):
            given = [of_axes(tensor.to_sparse(), [0, 1] if each else [0]) for tensor, each in zip(ragged, repeated)]
            result = operator(*given)
            # Rows after the last value have no values.
            return tf.RaggedTensor.from_value_rowids(result.values, result.indices[:, 0], nrows=ragged[0].nrows())

        return self.map_ragged_tensors(parent_path, source_fields, of_ragged, is_repeated, dtype, new_field_name)


def _in_entries(path):
    """The path with the values of maps instead of those at keys."""
    steps = []
    for step in path:
        steps += (parse_map_indexing_step(step)[0], "value") if "[" in step and step.endswith("]") else (step,)
    return tuple(steps)


def _struct_at(structs, names):
    for name in names:
        structs = structs._flat_fields[name]
    return structs
