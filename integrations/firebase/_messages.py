"""The fields of message types, as far as JSON needs them. They are read from a serialized FileDescriptorSet."""

import dataclasses


@dataclasses.dataclass
class Field:
    message: str | None  # the full name of the message type; None if the field is not a message
    is_repeated: bool = False
    is_null: bool = False  # whether it is the enum google.protobuf.NullValue
    map_value: "Field | None" = None  # for a map: the field of its values


def _varint(data, at):
    number, shift = 0, 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return number, at
        shift += 7


def _parts(data):
    """The numbers and values of the fields of a message. Values are integers or bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        wire_type = tag & 7
        if wire_type == 0:
            value, at = _varint(data, at)
        elif wire_type == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = 8 if wire_type == 1 else 4
            value, at = data[at : at + size], at + size
        yield tag >> 3, value


def _all(data, number):
    return [value for found, value in _parts(data) if found == number]


def _text(data, number, default=""):
    found = _all(data, number)
    return found[-1].decode() if found else default


def _number(data, number):
    found = _all(data, number)
    return found[-1] if found else 0


def _lower_camel_case(name):
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)


# Values of the enums FieldDescriptorProto.Type and FieldDescriptorProto.Label.
_GROUP, _MESSAGE, _ENUM, _REPEATED = 10, 11, 14, 3


class Messages:
    """The message types of a schema."""

    def __init__(self, descriptor_set):
        self._fields, self._map_entries, self._extensions, self._by_name = {}, {}, {}, {}
        for file in _all(descriptor_set, 1):
            package = _text(file, 2)
            for message in _all(file, 4):
                self._add_message(message, package)
            self._add_extensions(_all(file, 7), package)

    def _add_message(self, message, scope):
        name = f"{scope}.{_text(message, 1)}".lstrip(".")
        self._fields[name] = _all(message, 2)
        if any(_number(options, 7) for options in _all(message, 7)):
            self._map_entries[name] = self._fields[name]
        for nested in _all(message, 3):
            self._add_message(nested, name)
        self._add_extensions(_all(message, 6), name)

    def _add_extensions(self, fields, scope):
        for field in fields:
            self._extensions[f"[{scope}.{_text(field, 1)}]".replace("[.", "[")] = field

    def _field(self, data):
        type_name = _text(data, 6).lstrip(".")
        kind, is_repeated = _number(data, 5), _number(data, 4) == _REPEATED
        if is_repeated and type_name in self._map_entries:
            (value,) = (part for part in self._map_entries[type_name] if _number(part, 3) == 2)
            return Field(None, map_value=self._field(value))
        message = type_name if kind in (_GROUP, _MESSAGE) else None
        return Field(message, is_repeated, kind == _ENUM and type_name == "google.protobuf.NullValue")

    def fields(self, name):
        """The fields of a message type by their names in JSON, and by their names in the .proto file, too."""
        if name not in self._by_name:
            found = self._by_name[name] = {}
            for data in self._fields.get(name, ()):
                proto_name = _text(data, 1)
                found[proto_name] = found[_text(data, 10, _lower_camel_case(proto_name))] = self._field(data)
        return self._by_name[name]

    def extension(self, name):
        """The extension field with the name "[package.name]"; None if the schema does not have it."""
        data = self._extensions.get(name)
        return None if data is None else self._field(data)
