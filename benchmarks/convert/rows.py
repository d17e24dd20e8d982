"""Rows of python-protobuf and rows of files, in one form, so that they can be compared.

Programs write absent values in different ways: as null, as the default, as an empty list. So a row here only has the values
that differ from the default, by field name. Enums are numbers, and strings are bytes. A message in a column of bytes is parsed.
"""

import math

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

EMPTY = ()


def message_class(descriptor_set, name):
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set.read_bytes()).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def scalar(field, value):
    """A comparable value; EMPTY for an absent value and for the field's default."""
    if value is None:
        return EMPTY
    if field.enum_type is not None and isinstance(value, (str, bytes)):
        value = field.enum_type.values_by_name[value if isinstance(value, str) else value.decode()].number
    if not field.is_repeated and value == field.default_value:
        return EMPTY
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value if value or field.is_repeated else EMPTY


def of_message(message):
    """The row of a parsed message, without extensions, because some programs cannot read them."""
    row = {}
    for field, value in message.ListFields():
        if field.is_extension:
            continue
        if is_map(field):
            entry = field.message_type.fields_by_name["value"]
            one = of_message if entry.message_type is not None else lambda v, entry=entry: scalar(entry, v)
            found = sorted((scalar(field.message_type.fields_by_name["key"], k), one(value[k])) for k in value)
        elif field.message_type is not None:
            found = [of_message(v) for v in value] if field.is_repeated else of_message(value)
        else:
            found = [scalar(field, v) for v in value] if field.is_repeated else scalar(field, value)
        if found != EMPTY and found != [] and found != {}:
            row[field.name] = found
    return row


def of_struct(descriptor, struct):
    """The row of a struct as pyarrow gives it: a dict, or the bytes of a message."""
    if struct is None:
        return {}
    if isinstance(struct, bytes):
        return of_message(message_factory.GetMessageClass(descriptor).FromString(struct))
    row = {}
    for field in descriptor.fields:
        value = struct.get(field.name)
        if value is None and field.message_type is not None:  # ClickHouse puts messages with one field into their parents
            value = {name[len(field.name) + 1 :]: v for name, v in struct.items() if name.startswith(field.name + "_")} or None
        if value is None:
            continue
        if is_map(field):
            key, entry = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            one = scalar if entry.message_type is None else lambda f, v: of_struct(f.message_type, v)
            pairs = value.items() if isinstance(value, dict) else value
            found = sorted((scalar(key, k), one(entry, v)) for k, v in pairs)
        elif field.message_type is not None:
            message = field.message_type
            found = [of_struct(message, v) for v in value] if field.is_repeated else of_struct(message, value)
        else:
            found = [scalar(field, v) for v in value] if field.is_repeated else scalar(field, value)
        if found != EMPTY and found != [] and found != {}:
            row[field.name] = found
    return row


def difference(expected, found, path=""):
    """The first difference of two rows, as text; "" if there is none."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in expected.keys() | found.keys():
            if expected.get(name) != found.get(name):
                return difference(expected.get(name), found.get(name), f"{path}.{name}" if path else name)
        return ""
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (a, b) in enumerate(zip(expected, found, strict=True)):
            if a != b:
                return difference(a, b, f"{path}[{index}]")
        return ""
    return "" if expected == found else f"{path}: {str(found)[:60]} instead of {str(expected)[:60]}"


def of_batches(descriptor, batches):
    """The rows of Arrow batches or tables."""
    for batch in batches:
        for row in batch.to_pylist(maps_as_pydicts=None):
            yield of_struct(descriptor, row)


def compare(expected, found):
    """The first difference between two lists of rows; "" if there is none."""
    count = 0
    try:
        for row in found:
            if count == len(expected):
                return "wrong: too many rows"
            different = difference(expected[count], row)
            if different:
                return f"wrong: row {count}: {different}"
            count += 1
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return f"wrong: row {count} cannot be read: {error!r}"
    return "" if count == len(expected) else f"wrong: {count} rows instead of {len(expected)}"


def fill_message(message, value):
    """Fills a message from what of_struct() reads: a dict of pyarrow, or the bytes of a message."""
    if isinstance(value, bytes):
        message.MergeFromString(value)
        return
    fields = message.DESCRIPTOR.fields_by_name
    for name, inner in value.items():
        if inner is not None and name in fields:
            fill_field(message, fields[name], inner)


def fill_field(message, field, value):
    filled = getattr(message, field.name)
    if is_map(field):
        of_messages = field.message_type.fields_by_name["value"].message_type is not None
        for key, inner in value:
            if of_messages:
                fill_message(filled[key], inner)
            else:
                filled[key] = inner
    elif field.message_type is not None and field.is_repeated:
        for inner in value:
            fill_message(filled.add(), inner)
    elif field.message_type is not None:
        filled.SetInParent()
        fill_message(filled, value)
    elif field.is_repeated:
        filled.extend(value)
    else:
        setattr(message, field.name, value)
