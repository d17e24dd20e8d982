"""A set's schema for the Rust crates: one file with what a message type needs. Its messages are Message0 (the type itself),
Message1 and so on, their fields f1, f2 and so on by their numbers: the code made from it has the same names for all sets.

It has no extensions, which both crates drop, and no defaults, since quick-protobuf takes a field that has its default for an
absent one."""

from google.protobuf import descriptor_pb2

import peer_columns

FIELD = descriptor_pb2.FieldDescriptorProto
UNPACKABLE = (FIELD.TYPE_STRING, FIELD.TYPE_BYTES, FIELD.TYPE_MESSAGE, FIELD.TYPE_GROUP)


class Unsupported(Exception):
    """The crate cannot do that."""


def types_below(message):
    """The message types that `message` needs, and itself in front; the enum types."""
    messages, enums = {message.full_name: message}, {}
    rest = [message]
    while rest:
        for field in rest.pop(0).fields:
            if field.message_type is not None and field.message_type.full_name not in messages:
                messages[field.message_type.full_name] = field.message_type
                rest.append(field.message_type)
            if field.enum_type is not None:
                enums[field.enum_type.full_name] = field.enum_type
    return messages, enums


def flatten(message):
    """A FileDescriptorSet, for prost."""
    messages, enums = types_below(message)
    names = {name: f".Message{index}" for index, name in enumerate(messages)}
    names |= {name: f".Enum{index}" for index, name in enumerate(enums)}
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="schema.proto", syntax="proto3")
    for full_name, each in messages.items():
        if not peer_columns.is_map_entry(each):
            add_fields(each, file.message_type.add(name=names[full_name][1:]), names, file)
    for full_name, enum in enums.items():
        values = file.enum_type.add(name=names[full_name][1:]).value
        for number in dict.fromkeys(value.number for value in enum.values):
            values.add(name=f"V{number}" if number >= 0 else f"N{-number}", number=number)
    return files


def add_fields(message, out, names, file):
    """Fields that know whether they are present make `file` proto2."""
    oneofs = peer_columns.real_oneofs(message)
    out.oneof_decl.extend(descriptor_pb2.OneofDescriptorProto(name=f"o{index}") for index in range(len(oneofs)))
    for field in message.fields:
        to = out.field.add(name=f"f{field.number}", number=field.number, type=field.type, label=FIELD.LABEL_OPTIONAL)
        type_of = field.message_type or field.enum_type
        if type_of is not None:
            to.type_name = names[type_of.full_name]
        if field.is_repeated:
            to.label = FIELD.LABEL_REPEATED
            if field.type not in UNPACKABLE:
                to.options.packed = field.is_packed
        elif field.is_required:
            to.label = FIELD.LABEL_REQUIRED
            file.syntax = "proto2"
        elif field.containing_oneof in oneofs:
            to.oneof_index = oneofs.index(field.containing_oneof)
        elif field.message_type is None and field.has_presence and not peer_columns.is_map_entry(message):
            file.syntax = "proto2"
        if field.message_type is not None and peer_columns.is_map_entry(field.message_type):
            entry = out.nested_type.add(name=f"F{field.number}Entry")
            entry.options.map_entry = True
            add_fields(field.message_type, entry, names, file)
            entry.field[0].name, entry.field[1].name = "key", "value"
            to.type_name = f".{out.name}.{entry.name}"


def text(files):
    """`files`, from flatten, as pb-rs reads it."""
    file = files.file[0]
    lines = [f'syntax = "{file.syntax}";']
    for message in file.message_type:
        oneofs = [[] for _ in message.oneof_decl]
        entries = {f".{message.name}.{entry.name}": entry for entry in message.nested_type}
        fields = []
        for field in message.field:
            if field.type == FIELD.TYPE_GROUP:
                raise Unsupported("it has no groups")
            if field.HasField("oneof_index"):
                oneofs[field.oneof_index].append(field_text(field, ""))
            elif field.type_name in entries:
                key, value = entries[field.type_name].field
                fields.append(f"map<{type_text(key)}, {type_text(value)}> {field.name} = {field.number};")
            else:
                label = FIELD.Label.Name(field.label).removeprefix("LABEL_").lower() + " "
                fields.append(field_text(field, "" if (file.syntax, label) == ("proto3", "optional ") else label))
        fields += [f"oneof {oneof.name} {{ {' '.join(inside)} }}" for oneof, inside in zip(message.oneof_decl, oneofs)]
        lines.append(f"message {message.name} {{ {' '.join(fields)} }}")
    for enum in file.enum_type:
        if any(value.number < 0 for value in enum.value):
            raise Unsupported("its enums have no negative values")
        values = " ".join(f"{value.name} = {value.number};" for value in enum.value)
        lines.append(f"enum {enum.name} {{ {values} }}")
    return "\n".join(lines) + "\n"


def type_text(field):
    return field.type_name.removeprefix(".") or FIELD.Type.Name(field.type).removeprefix("TYPE_").lower()


def field_text(field, label):
    packed = f" [packed={str(field.options.packed).lower()}]" if field.options.HasField("packed") else ""
    return f"{label}{type_text(field)} {field.name} = {field.number}{packed};"
