"""Random messages of any schema, by reflection. The same seed gives the same messages."""

import struct

import compare
from google.protobuf.descriptor import FieldDescriptor as Field

MAX_DEPTH = 6
STRINGS = ["", "a", "flour", "Zürich", "漢字かな", "\x00", "tab\tquote\"\\", "👩‍🍳", "x" * 300, "-", "e\u0301"]


def random_payload(rng, message_class):
    """A serialized message. One in eight is two messages one after the other, which parse to their merge: submessages come
    twice then, and oneofs change their member."""
    parts = [random_message(rng, message_class) for _ in range(2 if rng.randrange(8) == 0 else 1)]
    return b"".join(part.SerializeToString() for part in parts)


def random_message(rng, message_class):
    message = message_class()
    # Some messages are nearly empty and some nearly full.
    _fill(rng, message, rng.choice([0.05, 0.3, 0.6, 0.95]), 0)
    return message


def _fill(rng, message, density, depth):
    name = message.DESCRIPTOR.full_name
    if name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
        _fill_nanoseconds(rng, message, is_duration=name.endswith("Duration"))
        return
    for field in compare.fields_of(message.DESCRIPTOR):
        if not field.is_required and (rng.random() >= density or (_is_message(field) and depth >= MAX_DEPTH)):
            continue
        if compare.is_map(field):
            _fill_map(rng, message, field, density, depth)
        elif field.is_repeated:
            _fill_repeated(rng, message, field, density, depth)
        elif _is_message(field):
            submessage = message.Extensions[field] if field.is_extension else getattr(message, field.name)
            submessage.SetInParent()
            _fill(rng, submessage, density * 0.8, depth + 1)
        elif field.is_extension:
            message.Extensions[field] = _random_value(rng, field)
        else:
            setattr(message, field.name, _random_value(rng, field))


def _is_message(field):
    return field.message_type is not None


def _fill_nanoseconds(rng, message, is_duration):
    """Within what 64 bits of nanoseconds can hold: about 292 years to either side."""
    message.seconds = rng.choice([0, 1, -1, 1_700_000_000, rng.randint(-9_000_000_000, 9_000_000_000)])
    message.nanos = rng.choice([0, 1, 999_999_999, 123_000_000, rng.randrange(1_000_000_000)])
    if is_duration and message.seconds < 0:  # both parts of a duration have the same sign
        message.nanos = -message.nanos


def _fill_map(rng, message, field, density, depth):
    target = getattr(message, field.name)
    key_field, value_field = (field.message_type.fields_by_name[name] for name in ("key", "value"))
    for _ in range(rng.choice([1, 2, 5])):
        key = _random_value(rng, key_field)
        if _is_message(value_field):
            target[key].SetInParent()
            _fill(rng, target[key], density * 0.6, depth + 1)
        else:
            target[key] = _random_value(rng, value_field)


def _fill_repeated(rng, message, field, density, depth):
    target = message.Extensions[field] if field.is_extension else getattr(message, field.name)
    if _is_message(field):
        for _ in range(rng.choice([1, 2, 3])):
            _fill(rng, target.add(), density * 0.6, depth + 1)
    else:
        target.extend(_random_value(rng, field) for _ in range(rng.choice([1, 2, 7, 150])))


def _random_value(rng, field):
    kind = field.type
    if kind == Field.TYPE_BOOL:
        return rng.random() < 0.5
    if kind == Field.TYPE_STRING:
        return rng.choice(STRINGS)
    if kind == Field.TYPE_BYTES:
        return rng.randbytes(rng.choice([0, 1, 5, 200]))
    if kind == Field.TYPE_ENUM:
        return _random_enum(rng, field.enum_type)
    if kind == Field.TYPE_DOUBLE:
        return rng.choice([0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 5e-324, rng.gauss(0, 1e10)])
    if kind == Field.TYPE_FLOAT:
        value = rng.choice([0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 1e-45, rng.gauss(0, 1e10)])
        return struct.unpack("<f", struct.pack("<f", value))[0]
    bits = 32 if kind in _KINDS_OF_32_BITS else 64
    low, high = (0, 2**bits - 1) if kind in _UNSIGNED_KINDS else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    size = rng.randrange(bits + 1)  # every length of varint is as likely as any other
    return max(low, min(high, rng.choice([0, 1, -1, low, high, rng.getrandbits(size), -rng.getrandbits(size)])))


_UNSIGNED_KINDS = {Field.TYPE_UINT32, Field.TYPE_UINT64, Field.TYPE_FIXED32, Field.TYPE_FIXED64}
_KINDS_OF_32_BITS = {Field.TYPE_INT32, Field.TYPE_UINT32, Field.TYPE_SINT32, Field.TYPE_FIXED32, Field.TYPE_SFIXED32}


def _random_enum(rng, enum_type):
    numbers = [value.number for value in enum_type.values]
    if not enum_type.is_closed and rng.randrange(4) == 0:
        return rng.choice([-5, 123456, 2**31 - 1])  # open enums keep numbers that have no name
    return rng.choice(numbers)
