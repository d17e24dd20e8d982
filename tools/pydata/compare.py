"""The Arrow row that a converted message must give, computed with python-protobuf. The demo and the tests compare with it.

`expected_row(message)` walks a parsed message by reflection and builds the Python value that the row's `as_py()` must equal:

    singular field without presence     the value or the default, never None
    singular field with presence        the value or None (also each member of a oneof)
    repeated field                      a list, empty if nothing is there
    map                                 a list of (key, value) pairs, sorted by key
    message                             a dict with every declared field, or None
    oneof                               besides its members, `<oneof>_case`: the number of the member that is set, or 0
    enum                                its number
    extension                           like any field, named `[full.name]`
    Timestamp, Duration                 microseconds as an int, rounded down;  wrappers: the value or None
    message type that encloses itself   a `Serialized`, which equals every serialized form of the message
"""

import functools
import math

import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

_TIMES = {"google.protobuf.Timestamp", "google.protobuf.Duration"}
_WRAPPERS = {
    f"google.protobuf.{kind}Value"
    for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
}


def load_pool(descriptor_set_path):
    """A descriptor pool with the files of a FileDescriptorSet (written by protoc --include_imports)."""
    with open(descriptor_set_path, "rb") as file:
        descriptor_set = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file_descriptor in descriptor_set.file:
        pool.Add(file_descriptor)
    # A pool builds a file at its first use. It only knows the extensions of files that are built.
    for file_descriptor in descriptor_set.file:
        pool.FindFileByName(file_descriptor.name)
    return pool


def load_message_class(descriptor_set_path, full_name):
    return message_factory.GetMessageClass(load_pool(descriptor_set_path).FindMessageTypeByName(full_name))


class Serialized:
    """A message of a recursive type. The file has it as bytes. It is equal to any bytes that parse to the same message, because
    two serializers may write the same fields in different orders."""

    def __init__(self, message):
        self.message = message

    def __eq__(self, other):
        if not isinstance(other, bytes):
            return NotImplemented
        parsed = type(self.message)()
        try:
            parsed.MergeFromString(other)
        except DecodeError:
            return False
        # Not `parsed == message`, which is false for every message that holds a NaN.
        return _canonical(parsed) == _canonical(self.message)

    __hash__ = None

    def __repr__(self):
        return f"Serialized({self.message})"


def _canonical(message):
    return message.SerializePartialToString(deterministic=True)


def fields_of(descriptor):
    """The fields of a message type in column order: declared fields and extensions by number."""
    extensions = descriptor.file.pool.FindAllExtensions(descriptor)
    return sorted([*descriptor.fields, *extensions], key=lambda field: field.number)


def oneofs_of(descriptor):
    """The oneofs of the schema's author, without the oneofs that proto3 `optional` makes."""
    proto = descriptor_pb2.DescriptorProto()
    descriptor.CopyToProto(proto)
    synthetic = {field.oneof_index for field in proto.field if field.proto3_optional}
    return [oneof for oneof in descriptor.oneofs if oneof.index not in synthetic]


def is_map(field):
    return (
        field.type == FieldDescriptor.TYPE_MESSAGE and field.is_repeated and field.message_type.GetOptions().map_entry
    )


def is_wrapper(message_type):
    return message_type.full_name in _WRAPPERS


def column_name(field):
    return f"[{field.full_name}]" if field.is_extension else field.name


def column_names(descriptor):
    """The names of a message type's columns, in their order."""
    return [column_name(field) for field in fields_of(descriptor)] + [f"{o.name}_case" for o in oneofs_of(descriptor)]


def expected_row(message):
    descriptor = message.DESCRIPTOR
    return _row_builder(descriptor, frozenset([descriptor.full_name]))(message)


# A builder is a function from a message to its row. There is one for each message type and set of enclosing types.
@functools.cache
def _row_builder(descriptor, enclosing_types):
    columns = [(column_name(field), _field_reader(field, enclosing_types)) for field in fields_of(descriptor)]
    for oneof in oneofs_of(descriptor):
        columns.append((f"{oneof.name}_case", _case_reader(oneof)))

    def build(message):
        return {name: read(message) for name, read in columns}

    return build


def _case_reader(oneof):
    name, numbers = oneof.name, {field.name: field.number for field in oneof.fields}
    return lambda message: numbers.get(message.WhichOneof(name), 0)


def _field_reader(field, enclosing_types):
    if field.is_extension:
        get = lambda message: message.Extensions[field]
        has = lambda message: message.HasExtension(field)
    else:
        name = field.name
        get = lambda message: getattr(message, name)
        has = lambda message: message.HasField(name)

    if is_map(field):
        convert = _value_converter(field.message_type.fields_by_name["value"], enclosing_types)
        return lambda message: [(key, convert(value)) for key, value in sorted(get(message).items())]
    convert = _value_converter(field, enclosing_types)
    if field.is_repeated:
        return lambda message: [convert(value) for value in get(message)]
    if field.has_presence:
        return lambda message: convert(get(message)) if has(message) else None
    return lambda message: convert(get(message))


def _value_converter(field, enclosing_types):
    message_type = field.message_type
    if message_type is None:
        return lambda value: value
    if message_type.full_name in _TIMES:
        return lambda value: value.seconds * 1_000_000 + value.nanos // 1000
    if is_wrapper(message_type):
        return lambda value: value.value
    if message_type.full_name in enclosing_types:
        return Serialized
    return _row_builder(message_type, enclosing_types | {message_type.full_name})


def rows(batch):
    """The rows of a RecordBatch as Python values, in the form that expected_row() gives."""
    struct = batch.to_struct_array()
    return [_sort_maps(row) for row in struct.view(without_temporal_types(struct.type)).to_pylist()]


def without_temporal_types(dtype):
    """The type with int64 for every timestamp and duration: as_py() cannot represent all of them."""
    if pa.types.is_timestamp(dtype) or pa.types.is_duration(dtype):
        if dtype.unit != "us":
            raise ValueError(f"{dtype}: expected microseconds")
        return pa.int64()
    if pa.types.is_map(dtype):
        return pa.map_(
            dtype.key_field.with_type(without_temporal_types(dtype.key_type)),
            dtype.item_field.with_type(without_temporal_types(dtype.item_type)),
        )
    if pa.types.is_list(dtype) or pa.types.is_large_list(dtype):
        make = pa.list_ if pa.types.is_list(dtype) else pa.large_list
        return make(dtype.value_field.with_type(without_temporal_types(dtype.value_type)))
    if pa.types.is_struct(dtype):
        return pa.struct([field.with_type(without_temporal_types(field.type)) for field in dtype])
    return dtype


def _sort_maps(value):
    """Sorts the entries of maps by key, because maps have no order. Entries are the only tuples in a row."""
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                value[name] = _sort_maps(item)
    elif isinstance(value, list) and value:
        if isinstance(value[0], tuple):
            return sorted(((key, _sort_maps(item)) for key, item in value), key=lambda entry: entry[0])
        if isinstance(value[0], dict):
            return [_sort_maps(item) for item in value]
    return value


def difference(expected, actual, path=""):
    """The first difference between an expected and an actual value, as a sentence, or None if they are equal."""
    if isinstance(expected, Serialized):
        equal = expected == actual
    elif expected == {} and actual is True:
        equal = True  # Parquet has no struct without fields: such a message is a bool there, true where it is present
    elif type(expected) is not type(actual):
        equal = False
    elif isinstance(expected, float):
        same_sign = math.copysign(1, expected) == math.copysign(1, actual)
        equal = (expected == actual and same_sign) or (math.isnan(expected) and math.isnan(actual))
    elif isinstance(expected, dict):
        if list(expected) == list(actual):  # the order of the fields counts
            return _first(difference(value, actual[name], f"{path}.{name}") for name, value in expected.items())
        equal = False
    elif isinstance(expected, (list, tuple)):
        if len(expected) == len(actual):
            pairs = enumerate(zip(expected, actual))
            return _first(difference(want, got, f"{path}[{index}]") for index, (want, got) in pairs)
        equal = False
    else:
        equal = expected == actual
    if equal:
        return None
    return f"{path.lstrip('.') or 'row'}: expected {_shortened(expected)}, found {_shortened(actual)}"


def _first(differences):
    return next((text for text in differences if text is not None), None)


def _shortened(value):
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}... ({len(text)} characters)"
