"""ptars, a library in Rust: from serialized messages to Arrow record batches. Arguments: a descriptor set, a message type."""

import pathlib
import sys

import numpy as np
import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from ptars import HandlerPool

import digests
import worker_process


def array_bits(array):
    """One number for each value of an Arrow array of scalars. The number of a null may be anything."""
    if pa.types.is_boolean(array.type):
        return digests.number_bits(array.fill_null(False).to_numpy(zero_copy_only=False))
    if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        _, offsets, data = array.buffers()
        if offsets is None:
            return np.zeros(len(array), np.uint64)
        offsets = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
        return digests.text_bits(np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8), offsets)
    zero = pa.scalar(0, array.type) if array.null_count else None
    return digests.number_bits((array.fill_null(zero) if array.null_count else array).to_numpy(zero_copy_only=False))


class Ptars:
    def __init__(self, descriptor, batches):
        self.descriptor = descriptor
        self.batches = batches
        self.handler = HandlerPool([descriptor.file]).get_for_message(descriptor)
        self.decode = self.handler.list_to_record_batch

    def digest(self):
        self.digests = digests.Digests()
        seen = 0
        for batch in self.batches:
            columns = self.decode(batch).to_struct_array()
            self.add_message(self.descriptor, columns, digests.message_identities(seen, len(batch)), "")
            seen += len(batch)
        return self.digests.answer()

    def add_message(self, descriptor, array, identities, path):
        for field in descriptor.fields:
            index = array.type.get_field_index(field.name)
            if index >= 0:
                self.add_field(field, array.field(index), identities, path + field.name)

    def add_field(self, field, array, identities, path):
        if not field.is_repeated:
            self.add_values(field, array, identities, path, field.has_presence)
            return
        offsets = array.offsets.to_numpy()
        lengths = np.where(array.is_valid().to_numpy(zero_copy_only=False), np.diff(offsets), 0)
        rows = np.repeat(identities, lengths)
        if pa.types.is_map(array.type):
            begin, end = int(offsets[0]), int(offsets[-1])
            keys, values = array.keys[begin:end], array.items[begin:end]
            key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
            elements = digests.mix(rows, array_bits(keys))
            self.digests.add(path, elements, np.ones(len(elements), np.uint64))
            self.add_values(key, keys, elements, path + ".key", False)
            if value.message_type is not None:
                self.add_message(value.message_type, values, elements, path + ".value.")
            else:
                self.add_values(value, values, elements, path + ".value", False)
            return
        places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        self.add_values(field, array.flatten(), digests.mix(rows, places.astype(np.uint64)), path, True)

    def add_values(self, field, array, identities, path, presence):
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        if field.message_type is not None:
            self.digests.add(path, identities[valid], np.ones(int(valid.sum()), np.uint64))
            if pa.types.is_binary(array.type):
                parse = message_factory.GetMessageClass(field.message_type).FromString
                for identity, value in zip(identities, array.to_pylist()):
                    if value is not None:
                        self.add_parsed(parse(value), identity, path + ".")
                return
            self.add_message(field.message_type, array.filter(pa.array(valid)), identities[valid], path + ".")
            return
        bits = array_bits(array)
        counts = valid if presence else valid & (bits != 0)
        self.digests.add(path, identities[counts], bits[counts])

    def add_parsed(self, message, identity, path):
        """Adds a message of a type that contains itself. ptars keeps such messages serialized."""
        for field in message.DESCRIPTOR.fields:
            value = getattr(message, field.name)
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                raise NotImplementedError(f"{field.full_name}: maps in messages that were kept serialized are not compared")
            if field.is_repeated:
                values = [(digests.mix(identity, place), each) for place, each in enumerate(value)]
            elif field.has_presence:
                values = [(identity, value)] if message.HasField(field.name) else []
            else:
                values = [(identity, value)] if scalar_bits(field, value)[0] != 0 else []
            for row, each in values:
                bits = np.ones(1, np.uint64) if field.message_type is not None else scalar_bits(field, each)
                self.digests.add(path + field.name, np.array([row], np.uint64), bits)
                if field.message_type is not None:
                    self.add_parsed(each, row, path + field.name + ".")


def scalar_bits(field, value):
    if field.cpp_type == field.CPPTYPE_STRING:
        data = value.encode() if isinstance(value, str) else value
        return digests.text_bits(np.frombuffer(data, np.uint8), np.array([0, len(data)]))
    kinds = {field.CPPTYPE_FLOAT: np.float32, field.CPPTYPE_UINT64: np.uint64}
    return digests.number_bits(np.array([value], kinds.get(field.cpp_type)))


def main():
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(sys.argv[1]).read_bytes()).file:
        pool.Add(file)
    descriptor = pool.FindMessageTypeByName(sys.argv[2])
    worker_process.serve("ptars", lambda batches: Ptars(descriptor, batches))


if __name__ == "__main__":
    main()
