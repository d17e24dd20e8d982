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


def _schema_of(descriptor, extensions=()):
    """The schema of a message type, with these extensions, which other files may declare."""
    result, seen = descriptor_pb2.FileDescriptorSet(), set()

    def add(file):
        if file.name not in seen:
            seen.add(file.name)
            for dependency in file.dependencies:
                add(dependency)
            file.CopyToProto(result.file.add())

    for file in (descriptor.file, *(extension.file for extension in extensions)):
        add(file)
    return st.Schema.from_descriptor_set(result.SerializeToString(), descriptor.full_name)


def _extension(descriptor, step):
    """The descriptor of the extension "(its.name)" of this message type, or None."""
    try:
        found = descriptor.file.pool.FindExtensionByName(step[1:-1])
    except KeyError:
        return None
    return found if found.containing_type.full_name == descriptor.full_name else None


def _fields_of(schema, **options):
    return schema.decoder(optionals="ragged", well_known_types="structs", **options).spec


def _message_tree(repeated, descriptor, spec, map_entry=None):
    fields = [field for field in descriptor.fields if field.name in spec.fields]
    children = {field.name: _field_tree(field, spec.fields[field.name]) for field in fields}

    def extension(step):
        field = _extension(descriptor, step)
        if field is None:
            return None
        name = f"[{field.full_name}]"
        return _field_tree(field, _fields_of(_schema_of(descriptor, [field]), select=[name]).fields[name])

    if map_entry:
        map_entry = functools.partial(map, children.get, ("key", "value"))
    return Tree(repeated, None, children, map_entry or None, extension)


def _field_tree(field, spec):
    repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    if not hasattr(spec, "fields"):
        return Tree(repeated, dtype_of(spec.dtype))
    return _message_tree(repeated, field.message_type, spec, field.message_type.GetOptions().map_entry)


def _of_messages(serialized, descriptor, message_format):
    if message_format != "binary":
        raise ValueError(f"message_format {message_format!r}: expected 'binary'")
    schema = _schema_of(descriptor)

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
        extensions = {step[1:-1] for path in paths for step in path if step.startswith("(")}
        found = [descriptor.file.pool.FindExtensionByName(name) for name in sorted(extensions)]
        decode = Decoder(_schema_of(descriptor, found) if found else schema, select=names or ["*"], well_known_types="structs")
        rows = decode(serialized)
        rows = one_axis_each(rows if names else rows.with_only([]))
        if found:
            rows = _with_names_in_parentheses(rows)
        for path in sorted(maps):
            rows = _with_map_value(rows, path)
        return rows

    return Expression(_message_tree(True, descriptor, _fields_of(schema)), make)


def _with_names_in_parentheses(structs):
    """The structs with the names of extensions as they are in paths."""
    fields = {}
    for name in structs.field_names():
        field = structs._flat_fields[name]
        field = _with_names_in_parentheses(field) if isinstance(field, StructuredTensor) else field
        fields[f"({name[1:-1]})" if name.startswith("[") else name] = field
    return structs._with_fields(fields)


def _with_map_value(rows, path):
    """Adds the value at a key of a map, as the field "map[key]" beside the map."""
    name, key = parse_map_indexing_step(path[-1])

    def change(structs):
        entries = structs._flat_fields[name]
        keys = entries._flat_fields["key"].values
        here = tf.equal(keys, tf.constant(parse_key(key, keys.dtype, path[-1]), keys.dtype))
        lengths = in_rows(tf.cast(here, tf.int64), entries.row_splits)
        splits = splits_of_lengths(tf.reduce_sum(lengths, axis=1))
        value = entries._flat_fields["value"]
        kept = tf.where(here)[:, 0]
        if isinstance(value, StructuredTensor):
            taken = StructuredTensor((splits,), value._take(kept)._flat_fields)
        else:
            taken = in_rows(tf.gather(value, kept).values, [splits])
        return structs._with_fields({**structs._flat_fields, path[-1]: taken})

    def at(structs, names):
        if not names:
            return change(structs)
        return structs._with_fields({**structs._flat_fields, names[0]: at(structs._flat_fields[names[0]], names[1:])})

    return at(rows, path[:-1])
