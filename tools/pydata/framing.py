"""Reads and writes files of framed messages: varint-delimited and TFRecord."""

import contextlib
import os
import struct


def encode_varint(value):
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def frame_delimited(payloads):
    """The bytes of a varint-delimited file: for each message, its length as a varint, then the message."""
    return b"".join(encode_varint(len(payload)) + payload for payload in payloads)


def read_delimited(path):
    """Yields the serialized messages of a varint-delimited file. Raises ValueError if the file is cut off."""
    with open(path, "rb") as file:
        data = file.read()
    position = 0
    while position < len(data):
        record_start, length, shift = position, 0, 0
        while True:
            if position == len(data):
                raise ValueError(f"{path}, byte {record_start}: the file ends inside a length prefix")
            byte = data[position]
            position += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if position + length > len(data):
            raise ValueError(f"{path}, byte {record_start}: a message of {length} bytes runs past the end of the file")
        yield data[position : position + length]
        position += length


def _crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CRC32C_TABLE = _crc32c_table()


def masked_crc32c(data):
    """CRC-32C as TFRecord stores it: rotated and shifted, so that a checksum of data that contains checksums stays useful."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC32C_TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame_tfrecord(payloads):
    """The bytes of a TFRecord file: length, its checksum, the message, its checksum."""
    records = []
    for payload in payloads:
        length = struct.pack("<Q", len(payload))
        records += [length, struct.pack("<I", masked_crc32c(length)), payload, struct.pack("<I", masked_crc32c(payload))]
    return b"".join(records)


@contextlib.contextmanager
def replacing(path):
    """Opens a temporary file. It gets the name `path` at the end of the block, unless there was an exception."""
    partial = f"{path}.partial-{os.getpid()}"
    try:
        with open(partial, "wb") as file:
            yield file
        os.replace(partial, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(partial)
