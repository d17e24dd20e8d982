"""Turns a line of a JSON lines file into the form that compare.expected_row() gives, guided by the message type."""

import base64
import datetime
import decimal
import json
import re
import struct

import compare
from google.protobuf.descriptor import FieldDescriptor as Field


def parse_row(descriptor, line):
    # The number -0 would come out of json as the int 0, without its sign.
    value = json.loads(line, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))
    return _message(descriptor, value, frozenset([descriptor.full_name]))


def _message(descriptor, value, enclosing_types):
    row = {}
    for field in compare.fields_of(descriptor):
        name = compare.column_name(field)
        row[name] = _field(field, value[name], enclosing_types)
    for oneof in compare.oneofs_of(descriptor):
        row[f"{oneof.name}_case"] = value[f"{oneof.name}_case"]
    surplus = value.keys() - row.keys()
    assert not surplus, f"{descriptor.full_name}: unexpected {sorted(surplus)}"
    return row


def _field(field, value, enclosing_types):
    if compare.is_map(field):
        key_field, value_field = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        entries = [(_key(key_field, key), _value(value_field, item, enclosing_types)) for key, item in value.items()]
        return sorted(entries, key=lambda entry: entry[0])
    if field.is_repeated:
        return [_value(field, item, enclosing_types) for item in value]
    return _value(field, value, enclosing_types)


def _key(field, text):
    if field.type == Field.TYPE_STRING:
        return text
    return text == "true" if field.type == Field.TYPE_BOOL else int(text)


def _value(field, value, enclosing_types):
    if value is None:
        return None
    message_type = field.message_type
    if message_type is None:
        return _scalar(field, value)
    name = message_type.full_name
    if name == "google.protobuf.Timestamp":
        return _timestamp_microseconds(value)
    if name == "google.protobuf.Duration":
        return int(decimal.Decimal(value.removesuffix("s")) * 1_000_000)
    if compare.is_wrapper(message_type):
        return _scalar(message_type.fields_by_name["value"], value)
    if name in enclosing_types:
        return base64.b64decode(value, validate=True)
    return _message(message_type, value, enclosing_types | {name})


def _scalar(field, value):
    if field.type == Field.TYPE_BYTES:
        return base64.b64decode(value, validate=True)
    if field.type == Field.TYPE_DOUBLE:
        return float(value)  # also of "NaN" and "Infinity"
    if field.type == Field.TYPE_FLOAT:
        return struct.unpack("<f", struct.pack("<f", float(value)))[0]
    return value


def _timestamp_microseconds(text):
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", text)
    assert match, f"not an RFC 3339 time in UTC: {text}"
    since_epoch = datetime.datetime.fromisoformat(match[1]) - datetime.datetime(1970, 1, 1)
    seconds = since_epoch.days * 86400 + since_epoch.seconds
    return seconds * 1_000_000 + int((match[2] or "").ljust(9, "0")) // 1000
