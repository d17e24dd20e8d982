"""Schemas from .proto files and from the classes of python-protobuf, and what is made with them."""

import os

from . import _core

# protobuf's own files, which the module has: those of another release need not be readable for it.
_OWN_FILES = frozenset(
    f"google/protobuf/{name}.proto"
    for name in (
        "any api descriptor duration empty field_mask source_context struct timestamp type wrappers".split()
    )
)


def _varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _descriptor_set(file):
    """A serialized FileDescriptorSet of a file and its imports, each behind its own imports."""
    out = bytearray()
    seen = set()

    def add(file, root):
        if file.name in seen or (file.name in _OWN_FILES and not root):
            return
        seen.add(file.name)
        for imported in file.dependencies:
            add(imported, False)
        out.extend(b"\x0a" + _varint(len(file.serialized_pb)) + file.serialized_pb)

    add(file, True)
    return bytes(out)


def from_class(message_class):
    """The schema of a class that protoc has generated for Python, such as trace_pb2.Span, or of a whole module, trace_pb2."""
    descriptor = getattr(message_class, "DESCRIPTOR", None)
    file = getattr(descriptor, "file", descriptor)
    if not hasattr(file, "serialized_pb"):
        raise TypeError(f"expected a class or a module that protoc has generated for Python, found {message_class!r}")
    # A file descriptor has no full name, so a module means no message type.
    message = getattr(descriptor, "full_name", None)
    return _core.Schema.from_descriptor_set(_descriptor_set(file), message)


def from_proto(files, import_dirs=None, message=None):
    """The schema of one or several .proto files.

    Each is a path, or the name by which imports name it. import_dirs: where imports are looked for. Default: the current
    folder, and those of the files.
    """
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    files = [os.fspath(file) for file in files]
    if import_dirs is None:
        import_dirs = dict.fromkeys([".", *(os.path.dirname(file) or "." for file in files)])
    elif isinstance(import_dirs, (str, os.PathLike)):
        import_dirs = [import_dirs]
    return _core.Schema._from_proto(files, [os.fspath(folder) for folder in import_dirs], message)


def as_schema(schema):
    """A Schema, or what from_class() takes, as a Schema."""
    return schema if isinstance(schema, _core.Schema) else from_class(schema)


def decoder(self, message=None, **options):
    """A decoder of messages in memory. See docs/python.md for the options."""
    return _core.Decoder(self, message, options)


def to_protobuf_json(
    self,
    schema=None,
    message=None,
    *,
    proto_field_names=False,
    enums_as_numbers=False,
    always_print_fields_with_no_presence=False,
    ignore_extra_fields=False,
):
    """The rows as protobuf's JSON: a list of texts, one for each message.

    schema: of the message type, and of messages of type Any. Batches that a decoder has made know theirs, but not what types an
        Any may have.
    proto_field_names: names as the .proto file has them, instead of lowerCamelCase.
    enums_as_numbers: numbers of enums instead of names.
    always_print_fields_with_no_presence: also fields without presence that have their default value (0, False, "", [] or {}).

    Raises ValueError, with the row, for a message that JSON has no place for: a Timestamp beyond the year 9999, an Any of a
    type that the schema does not have. Unknown fields are left out.
    """
    return _core._to_protobuf_json(
        self,
        None if schema is None else as_schema(schema),
        message,
        proto_field_names,
        enums_as_numbers,
        always_print_fields_with_no_presence,
        ignore_extra_fields,
    )


def to_protobuf(
    self,
    schema=None,
    message=None,
    *,
    framing=None,
    sort_map_keys=False,
    unknown_fields=True,
    ignore_extra_fields=False,
    allow_missing_required=False,
):
    """The rows as serialized messages: a list of bytes, or with framing= the bytes of a file.

    schema: of the message type. Batches that a decoder has made know theirs.
    """
    return _core._to_protobuf(
        self,
        None if schema is None else as_schema(schema),
        message,
        framing,
        sort_map_keys,
        unknown_fields,
        ignore_extra_fields,
        allow_missing_required,
    )
