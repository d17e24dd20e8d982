"""Converts columns of structured tensors to the values that Google's client sends. The types are those of the table's
columns."""

import base64
import datetime
import decimal
import json
import math

import structtensor as st

from . import _database
from ._decode import type_name

_EPOCH = datetime.datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST, _LAST = -62135596800, 253402300799  # seconds of 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z since 1970


class _OfRow(ValueError):
    """An error in one element. It has the index of the element."""

    def __init__(self, index, text):
        super().__init__(text)
        self.index = index


def _each(array, convert):
    out = []
    for i, value in enumerate(array.to_pylist()):
        try:
            out.append(None if value is None else convert(value))
        except (ValueError, ArithmeticError) as error:
            raise _OfRow(i, error) from error
    return out


def _expected(path, wanted, array):
    return TypeError(f"{path}: the column takes {wanted}; found {array.type}")


def _bool(array, path, type_proto, schema):
    import pyarrow.types as types

    if not types.is_boolean(array.type):
        raise _expected(path, "booleans", array)
    return array.to_pylist()


def _integer(low, high):
    def convert(value):
        if not low <= value <= high:
            raise ValueError(f"{value} is not within {low} to {high}")
        return value

    def encode(array, path, type_proto, schema):
        import pyarrow.types as types

        if not types.is_integer(array.type):
            raise _expected(path, "integers", array)
        return _each(array, convert)

    return encode


def _as_float32(value):
    import numpy

    if not math.isfinite(value):
        return value
    with numpy.errstate(over="ignore"):
        narrow = float(numpy.float32(value))
    if narrow != value:
        raise ValueError(f'{value!r} is not a number of 32 bits; st.cast(..., "float") rounds it')
    return narrow


def _floating(convert):
    def encode(array, path, type_proto, schema):
        import pyarrow
        import pyarrow.types as types

        if types.is_float16(array.type):
            array = array.cast(pyarrow.float32())
        if not types.is_floating(array.type):
            raise _expected(path, "fractions", array)
        return _each(array, convert)

    return encode


def _is_text(array):
    import pyarrow.types as types

    return types.is_string(array.type) or types.is_large_string(array.type)


def _is_bytes(array):
    import pyarrow.types as types

    return types.is_binary(array.type) or types.is_large_binary(array.type)


def _base64(value):
    return base64.b64encode(value).decode()


def _text(array, path, type_proto, schema):
    if not _is_text(array):
        raise _expected(path, "strings", array)
    return array.to_pylist()


def _bytes(array, path, type_proto, schema):
    if not _is_bytes(array):
        raise _expected(path, "bytes", array)
    return _each(array, _base64)


def _check_numeric(value):
    number = decimal.Decimal(value)
    if not number.is_finite():
        raise ValueError(f"{value} is not a number of Spanner's NUMERIC")
    _, digits, exponent = number.normalize(decimal.Context(prec=1000)).as_tuple()
    if digits != (0,) and (exponent < -9 or len(digits) + exponent > 29):
        raise ValueError(f"{value} has more than 29 digits before or 9 after the point")
    return str(value)


def _numeric(array, path, type_proto, schema):
    import pyarrow.types as types

    if not _is_text(array) and not types.is_integer(array.type):
        raise _expected(path, "strings of digits, or integers", array)
    any_digits = getattr(type_proto, "type_annotation", 0) == 2  # PG_NUMERIC
    return _each(array, str if any_digits else _check_numeric)


def _counts(array):
    """The counts of a column of times, and the number of counts in a second."""
    import pyarrow

    return array.cast(pyarrow.int64()), _PER_SECOND[array.type.unit]


def _timestamp(array, path, type_proto, schema):
    import pyarrow.types as types

    if _is_text(array):
        return array.to_pylist()
    if not types.is_timestamp(array.type):
        raise _expected(path, "times", array)
    counts, per_second = _counts(array)

    def convert(count):
        seconds, rest = divmod(count, per_second)
        if not _FIRST <= seconds <= _LAST:
            raise ValueError("the time is not within the years 0001 to 9999")
        time = (_EPOCH + datetime.timedelta(seconds=seconds)).isoformat()
        return f"{time}.{rest * (10**9 // per_second):09}Z" if rest else f"{time}Z"

    return _each(counts, convert)


def _date(array, path, type_proto, schema):
    import pyarrow.types as types

    if _is_text(array):
        return array.to_pylist()
    if not types.is_timestamp(array.type):
        raise _expected(path, "times of midnight", array)
    counts, per_second = _counts(array)

    def convert(count):
        days, rest = divmod(count, 86400 * per_second)
        if rest:
            raise ValueError("expected a date as a time at midnight UTC, found one with a time of day")
        if not _FIRST <= days * 86400 <= _LAST:
            raise ValueError("the date is not within the years 0001 to 9999")
        return (_EPOCH + datetime.timedelta(days=days)).date().isoformat()

    return _each(counts, convert)


def _json(array, path, type_proto, schema):
    import pyarrow

    if _is_text(array):
        return array.to_pylist()
    values = json.loads(st.from_arrow(pyarrow.table({"v": array})).to_json())
    strings = [json.dumps(row["v"], ensure_ascii=False, separators=(",", ":")) for row in values]
    return [text if valid else None for text, valid in zip(strings, array.is_valid().to_pylist())]


def _proto(array, path, type_proto, schema):
    import pyarrow
    import pyarrow.types as types

    if _is_bytes(array):
        return _each(array, _base64)
    if not types.is_struct(array.type):
        raise _expected(path, f"messages of type {type_proto.proto_type_fqn}, as structs or bytes", array)
    of_column = _database.schema_of(schema, path)
    if of_column is None:
        raise TypeError(f"{path}: encoding structs as messages needs a schema; pass schema=")
    message = _database.message_of(of_column, type_proto.proto_type_fqn, path)
    valid = array.is_valid()
    structs = array.filter(valid)
    if structs.type.num_fields:
        rows = st.from_arrow(pyarrow.Table.from_arrays(structs.flatten(), schema=pyarrow.schema(list(structs.type))))
        messages = iter(rows.to_protobuf(of_column, message))
    else:
        messages = iter([b""] * len(structs))
    return [_base64(next(messages)) if there else None for there in valid.to_pylist()]


def _array(array, path, type_proto, schema):
    import pyarrow.types as types

    kind = array.type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        raise _expected(path, "lists", array)
    lengths = [length or 0 for length in array.value_lengths().to_pylist()]
    try:
        elements = iter(encode(array.flatten(), path, type_proto.array_element_type, schema))
    except _OfRow as error:
        end = 0
        for i, length in enumerate(lengths):
            end += length
            if error.index < end:
                raise _OfRow(i, error) from error
        raise
    return [
        [next(elements) for _ in range(length)] if valid else None
        for length, valid in zip(lengths, array.is_valid().to_pylist())
    ]


# By the names in google.spanner.v1.TypeCode. Columns of tables cannot be STRUCTs.
_ENCODERS = {
    "BOOL": _bool,
    "INT64": _integer(-(1 << 63), (1 << 63) - 1),
    "ENUM": _integer(-(1 << 31), (1 << 31) - 1),
    "FLOAT32": _floating(_as_float32),
    "FLOAT64": _floating(float),
    "STRING": _text,
    "NUMERIC": _numeric,
    "INTERVAL": _text,
    "UUID": _text,
    "BYTES": _bytes,
    "DATE": _date,
    "TIMESTAMP": _timestamp,
    "JSON": _json,
    "PROTO": _proto,
    "ARRAY": _array,
}


def encode(array, path, type_proto, schema):
    name = type_name(type_proto)
    if name not in _ENCODERS:
        raise ValueError(f"{path}: writing columns of type {name} is not supported")
    return _ENCODERS[name](array, path, type_proto, schema)


def encode_column(array, path, type_proto, schema, first_row):
    """The values of a column. Errors name the row."""
    try:
        return encode(array, path, type_proto, schema)
    except _OfRow as error:
        raise ValueError(f"row {first_row + error.index}, {path}: {error}") from error
