"""Parquet footers and page headers with single fields changed. They are in Thrift's compact protocol: a struct is read into a
dict from the numbers of its fields to (type, value), and written again."""

import struct

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, _MAP, STRUCT = range(1, 13)


class _Input:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self):
        number = shift = 0
        while True:
            [byte] = self.take(1)
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def integer(self):
        number = self.varint()
        return number >> 1 if number % 2 == 0 else ~(number >> 1)

    def value(self, type_):
        if type_ in (TRUE, FALSE):
            return None  # the type is the value
        if type_ in (BYTE, DOUBLE):
            return self.take(1 if type_ == BYTE else 8)
        if type_ in (I16, I32, I64):
            return self.integer()
        if type_ == BINARY:
            return self.take(self.varint())
        if type_ in (LIST, SET):
            [head] = self.take(1)
            count = self.varint() if head >> 4 == 15 else head >> 4
            element = head & 15
            return element, [self.take(1) if element in (TRUE, FALSE) else self.value(element) for _ in range(count)]
        assert type_ == STRUCT, type_
        fields, number = {}, 0
        while head := self.take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self.integer()
            fields[number] = head & 15, self.value(head & 15)
        return fields


def _varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def _integer(number):
    return _varint(number << 1 if number >= 0 else (~number << 1) | 1)


def _bytes_of(type_, value):
    if type_ in (TRUE, FALSE):
        return b""
    if type_ in (BYTE, DOUBLE):
        return value
    if type_ in (I16, I32, I64):
        return _integer(value)
    if type_ == BINARY:
        return _varint(len(value)) + value
    if type_ in (LIST, SET):
        element, values = value
        head = bytes([len(values) << 4 | element]) if len(values) < 15 else bytes([0xF0 | element]) + _varint(len(values))
        return head + b"".join(each if element in (TRUE, FALSE) else _bytes_of(element, each) for each in values)
    out, last = b"", 0
    for number, (inner, each) in sorted(value.items()):
        delta = number - last
        out += bytes([delta << 4 | inner]) if delta < 16 else bytes([inner]) + _integer(number)
        out += _bytes_of(inner, each)
        last = number
    return out + b"\0"


# Numbers of fields, of format/parquet.thrift.
FOOTER_ROWS, FOOTER_GROUPS = 3, 4
GROUP_COLUMNS, GROUP_ROWS = 1, 3
CHUNK_METADATA, CHUNK_VALUES, CHUNK_UNCOMPRESSED_BYTES, CHUNK_FIRST_PAGE = 3, 5, 6, 9
CHUNK_COMPRESSED_BYTES, CHUNK_STATISTICS, CHUNK_SIZES = 7, 12, 16
STATISTICS_NULLS, SIZES_DEFINITION_LEVELS = 3, 3
PAGE_TYPE, PAGE_DATA_HEADER, PAGE_VALUES = 1, 5, 1


def footer_of(data):
    [size] = struct.unpack("<I", data[-8:-4])
    return _Input(data, len(data) - 8 - size).value(STRUCT)


def set_field(fields, number, value):
    fields[number] = fields[number][0], value


def groups_of(footer):
    return footer[FOOTER_GROUPS][1][1]


def columns_of(group):
    """The metadata of the column chunks."""
    return [chunk[CHUNK_METADATA][1] for chunk in group[GROUP_COLUMNS][1][1]]


def with_footer(data, change):
    """The file with the footer that change(footer) makes of its own, in place."""
    footer = footer_of(data)
    change(footer)
    new = _bytes_of(STRUCT, footer)
    [size] = struct.unpack("<I", data[-8:-4])
    return data[: len(data) - 8 - size] + new + struct.pack("<I", len(new)) + b"PAR1"


def with_page(data, group, column, change):
    """The file with the header of the first data page of a column chunk changed. It must keep its length."""
    at = columns_of(groups_of(footer_of(data))[group])[column][CHUNK_FIRST_PAGE][1]
    page = _Input(data, at)
    header = page.value(STRUCT)
    change(header)
    new = _bytes_of(STRUCT, header)
    assert len(new) == page.at - at
    return data[:at] + new + data[page.at :]
