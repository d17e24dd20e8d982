"""Makes expressions from prensors, structs and serialized messages."""

import functools

import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool

import structtensor as st

from .._columns import dtype_of, in_rows, splits_of_lengths
from .._decode import Decoder
from .._type import StructuredTensor
from ._tree import Tree, one_axis_each, parse_key, tree_of
from .expression import ORIGIN_PATH, Expression
from .path import parse_map_indexing_step
from .prensor import RootNodeTensor


def create_expression_from_prensor(prensor, validate_step_format=True):
    """An expression of existing values."""
    del validate_step_format

    def tree(each):
        node = each.node
        repeated = True if isinstance(node, RootNodeTensor) else node.is_repeated
        return Tree(
            repeated, node.values.dtype if each.is_leaf else None, {name: tree(c) for name, c in each.get_children().items()}
        )

    structs = prensor.to_structured()
    return Expression(tree(prensor), lambda needed: structs)


def create_expression_from_structured(rows):
    """An expression of a structtensor.tf.StructuredTensor of rank 1."""
    structs = one_axis_each(rows)
    return Expression(tree_of(rows), lambda needed: structs)


def create_expression_from_proto(tensor_of_protos, desc, message_format="binary"):
    """An expression of a vector of serialized messages with this descriptor."""
    return _of_messages(tensor_of_protos, desc, message_format)


def create_expression_from_file_descriptor_set(tensor_of_protos, proto_name, file_descriptor_set, message_format="binary"):
    """An expression of serialized messages whose type is in a FileDescriptorSet."""
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
                    inner, entry = tree(field.message_type, below), None
                    if field.message_type.GetOptions().map_entry:
                        entry = functools.partial(map, inner.get, ("key", "value"))
                    children[field.name] = Tree(repeated, None, inner, entry)
                else:
                    children[field.name] = Tree(repeated, dtype_of(below.dtype))
        return children

    def make(needed):
        maps, paths = set(), set()
        for path in needed:
            steps = []
            for i, step in enumerate(path):
                if step.endswith("]"):
                    maps.add(path[: i + 1])
                    steps.append(parse_map_indexing_step(step)[0])
                    paths.add((*steps, "key"))
                    step = "value"
                steps.append(step)
            paths.add(tuple(steps))
        # In the form of the library: extensions are in brackets.
        names = [
            ".".join(f"[{s[1:-1]}]" if s.startswith("(") else s for s in path)
            for path in paths
            if path not in ((), ORIGIN_PATH)
        ]
        rows = Decoder(schema, select=names or ["*"], well_known_types="structs")(serialized)
        rows = one_axis_each(rows if names else rows.with_only([]))
        for path in sorted(maps):
            rows = _with_map_value(rows, path)
        return rows

    return Expression(Tree(True, None, tree(descriptor, known)), make)


def _with_map_value(rows, path):
    """Adds the value at a key of a map, as the field "map[key]" beside the map."""
    name, key = parse_map_indexing_step(path[-1])

    def change(structs):
        entries = structs.fields[name]
        keys = entries.fields["key"].values
        here = tf.equal(keys, tf.constant(parse_key(key, keys.dtype, path[-1]), keys.dtype))
        lengths = in_rows(tf.cast(here, tf.int64), entries.row_splits)
        splits = splits_of_lengths(tf.reduce_sum(lengths, axis=1))
        value = entries.fields["value"]
        kept = tf.where(here)[:, 0]
        if isinstance(value, StructuredTensor):
            taken = StructuredTensor((splits,), value._take(kept).fields)
        else:
            taken = in_rows(tf.gather(value, kept).values, [splits])
        return structs._with_fields({**structs.fields, path[-1]: taken})

    def at(structs, names):
        if not names:
            return change(structs)
        return structs._with_fields({**structs.fields, names[0]: at(structs.fields[names[0]], names[1:])})

    return at(rows, path[:-1])
