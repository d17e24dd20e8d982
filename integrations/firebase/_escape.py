"""JSON of protobuf messages as a Firebase tree, and back.

The database has no null, no empty object and no empty list. Some characters are not allowed in its keys. It shows objects whose
keys are numbers as lists. Messages need all of these, so they are written in another way:

    {}, of a message or a Struct       "%{}"
    in a google.protobuf.Value         null "%null", [] "%[]", {} "%{}", -0.0 "%-0"; a text that starts with % gets one more
    -0.0 of other numbers              "-0.0"
    google.protobuf.NullValue          "NULL_VALUE"
    keys of maps and Structs           % and two digits for each of . # $ [ ] / % and control characters; "%" for an empty key
    keys of Structs that are numbers   % and two digits for their first character
"""

import functools
import math
import re

_FORBIDDEN = re.compile(r"[.#$\[\]/%\x00-\x1f\x7f]")
_ESCAPED = re.compile(r"%([0-9A-F]{2})")
_INTEGER = re.compile(r"-?\d+")
_IN_VALUES = {"%null": None, "%[]": [], "%{}": {}, "%-0": -0.0}
_MAX_KEY_BYTES = 768

_OBJECT, _VALUE, _LIST, _ANY = (f"google.protobuf.{name}" for name in ("Struct", "Value", "ListValue", "Any"))
_SPECIAL = {
    f"google.protobuf.{name}"
    for name in "Struct Value ListValue Timestamp Duration FieldMask DoubleValue FloatValue Int64Value UInt64Value Int32Value "
    "UInt32Value BoolValue StringValue BytesValue".split()
}


@functools.lru_cache(4096)
def escape_key(key):
    """The key in a form that the database accepts."""
    return _FORBIDDEN.sub(lambda match: f"%{ord(match[0]):02X}", key) or "%"


@functools.lru_cache(4096)
def unescape_key(key):
    return "" if key == "%" else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), key)


@functools.lru_cache(4096)
def check_key(key):
    """Raises ValueError for a key that the database does not accept."""
    if not key or re.search(r"[.#$\[\]/\x00-\x1f\x7f]", key):
        raise ValueError(f'{key!r} is not a key of Firebase: a key is not empty and has no . # $ [ ] / or control characters')
    if len(key.encode()) > _MAX_KEY_BYTES:
        raise ValueError(f"the key {key[:20]!r}... has more than {_MAX_KEY_BYTES} bytes")


def _negative_zero(value):
    return isinstance(value, float) and value == 0 and math.copysign(1, value) < 0


def listed(tree):
    """A list of the database. The database may give it as an object; missing elements become None."""
    if isinstance(tree, dict) and all(_INTEGER.fullmatch(key) for key in tree):
        return [tree[key] for key in sorted(tree, key=int)]
    return tree


def keyed(tree):
    """An object of the database. The database may give it as a list."""
    if isinstance(tree, list):
        return {str(i): value for i, value in enumerate(tree) if value is not None}
    return tree


class Escape:
    """From JSON to the tree. Values of types that the schema does not expect are left as they are; the decoder rejects them."""

    def __init__(self, messages):
        self._messages = messages

    def message(self, value, name):
        if name == _VALUE:
            return self._value(value)
        if name == _LIST:
            return [self._value(element) for element in value] or "%[]"
        if name == _OBJECT:
            return self._object(value)
        if not isinstance(value, dict):
            return self._scalar(value)
        if name == _ANY and "@type" in value:
            return self._any(value)
        return self._fields(value, name)

    def _fields(self, value, name):
        tree = {}
        for key, part in value.items():
            field = self._messages.fields(name).get(key) or self._messages.extension(key)
            tree[escape_key(key)] = ("%{}" if part == {} else part) if field is None else self._field(part, field)
        return tree or "%{}"

    def _any(self, value):
        name = value["@type"].rpartition("/")[2]
        content = {key: part for key, part in value.items() if key != "@type"}
        if name in _SPECIAL or name == _ANY:
            tree = {key: self.message(part, name) for key, part in content.items()}
        else:
            tree = self._fields(content, name) if content else {}
        return {"@type": value["@type"], **tree}

    def _field(self, value, field):
        if field.map_value is not None:
            return {escape_key(key): self._single(part, field.map_value) for key, part in value.items()}
        if field.is_repeated:
            return [self._single(element, field) for element in value]
        return self._single(value, field)

    def _single(self, value, field):
        if field.message is not None:
            return self.message(value, field.message)
        if field.is_null and value is None:
            return "NULL_VALUE"
        return self._scalar(value)

    def _scalar(self, value):
        return "-0.0" if _negative_zero(value) else value

    def _object(self, value):
        tree = {}
        for key, part in value.items():
            escaped = escape_key(key)
            if _INTEGER.fullmatch(escaped):
                escaped = f"%{ord(escaped[0]):02X}{escaped[1:]}"
            tree[escaped] = self._value(part)
        return tree or "%{}"

    def _value(self, value):
        if value is None:
            return "%null"
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return [self._value(element) for element in value] or "%[]"
        if isinstance(value, str) and value.startswith("%"):
            return "%" + value
        return "%-0" if _negative_zero(value) else value


class Unescape:
    """From the tree to JSON."""

    def __init__(self, messages):
        self._messages = messages

    def message(self, tree, name):
        if name == _VALUE:
            return self._value(tree)
        if name == _LIST:
            return self._value(listed(tree))
        if name == _OBJECT:
            return {} if tree == "%{}" else self._object(keyed(tree))
        if name in _SPECIAL:  # their JSON is a text or a number
            return tree
        if tree == "%{}":
            return {}
        if not isinstance(tree, dict):
            return tree
        if name == _ANY and "@type" in tree:
            return self._any(tree)
        return self._fields(tree, name)

    def _fields(self, tree, name):
        value = {}
        for key, part in tree.items():
            key = unescape_key(key)
            field = self._messages.fields(name).get(key) or self._messages.extension(key)
            value[key] = ({} if part == "%{}" else part) if field is None else self._field(part, field)
        return value

    def _any(self, tree):
        name = tree["@type"].rpartition("/")[2] if isinstance(tree["@type"], str) else ""
        content = {key: part for key, part in tree.items() if key != "@type"}
        if name in _SPECIAL or name == _ANY:
            value = {key: self.message(part, name) for key, part in content.items()}
        else:
            value = self._fields(content, name)
        return {"@type": tree["@type"], **value}

    def _field(self, tree, field):
        if field.map_value is not None:
            tree = keyed(tree)
            if not isinstance(tree, dict):
                return tree
            return {unescape_key(key): self._single(part, field.map_value) for key, part in tree.items()}
        if field.is_repeated:
            tree = listed(tree)
            if not isinstance(tree, list):
                return tree
            return [self._single(element, field) for element in tree if element is not None]
        return self._single(tree, field)

    def _single(self, tree, field):
        return tree if field.message is None else self.message(tree, field.message)

    def _object(self, tree):
        if not isinstance(tree, dict):
            return tree
        return {unescape_key(key): self._value(part) for key, part in tree.items()}

    def _value(self, tree):
        if isinstance(tree, dict):
            return self._object(tree)
        if isinstance(tree, list):
            return [self._value(element) for element in tree]
        if isinstance(tree, str) and tree.startswith("%"):
            if tree in _IN_VALUES:
                return _IN_VALUES[tree]
            return tree[1:] if tree.startswith("%%") else tree
        return tree
