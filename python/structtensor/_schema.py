"""Schemas from .proto files and from the classes of python-protobuf, and the methods that use them."""

import os

from . import _core
from . import _member_docs
from . import _options
from ._errors import check_rows

# protobuf's own files. The module has them. It may be unable to read the files of another release.
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
    """A serialized FileDescriptorSet of a file and its imports. Each file comes after its own imports."""
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
    if isinstance(message_class, (str, os.PathLike)) and os.fsdecode(message_class).endswith(".proto"):
        path = os.fsdecode(message_class)
        raise TypeError(f"expected a schema, found the path {path!r}; Schema.from_proto({path!r}) reads it")
    if not hasattr(file, "serialized_pb"):
        raise TypeError(f"expected a class or a module that protoc has generated for Python, found {message_class!r}")
    # A file descriptor has no full name, so a module gives no default message type.
    message = getattr(descriptor, "full_name", None)
    return _core.Schema.from_descriptor_set(_descriptor_set(file), message)


def from_proto(files, import_dirs=None, message=None):
    """The schema of one or several .proto files.

    Each file is a path, or the name by which other files import it. import_dirs: the folders where imports are looked for.
    Default: the current folder, and the folders of the files. Files outside of the current folder are looked for in their own
    folders first. Raises NotADirectoryError for an import folder that does not exist.
    """
    if isinstance(files, (str, os.PathLike)):
        files = [files]
    files = [os.fspath(file) for file in files]
    if import_dirs is None:
        import_dirs = []
    elif isinstance(import_dirs, (str, os.PathLike)):
        import_dirs = [import_dirs]
    for folder in import_dirs:
        if not os.path.isdir(folder):
            raise NotADirectoryError(f"import_dirs: {os.fsdecode(folder)!r} is not a folder; message= names a message type")
    try:
        return _core.Schema._from_proto(files, [os.fspath(folder) for folder in import_dirs], message)
    except ValueError as error:
        if ": File not found." not in str(error):
            raise
        raise ValueError(f"{error}\nName the folder that imports start from by import_dirs=") from None


_from_descriptor_set = _core.Schema.from_descriptor_set


def from_descriptor_set(bytes, message=None):
    if isinstance(bytes, (str, os.PathLike)):
        path = os.fsdecode(bytes)
        raise TypeError(f'descriptor set: expected bytes, found a path; pass what the file has: open({path!r}, "rb").read()')
    return _from_descriptor_set(bytes, message)


from_descriptor_set.__doc__ = _member_docs.MEMBERS["Schema"]["from_descriptor_set"]


def as_schema(schema):
    """The argument as a Schema: it is a Schema, or anything that from_class() takes."""
    return schema if isinstance(schema, _core.Schema) else from_class(schema)


def with_defaults(schema, options):
    """The options of a decoder, with the form of optional fields that the schema says if the options do not."""
    return options if schema.optionals is None else {"optionals": schema.optionals, **options}


@_options.with_options
def decoder(self, message=None, **options):
    _options.check(options)
    return _core.Decoder(self, message, _options.library_names(with_defaults(self, options)))


decoder.__doc__ = f"""A decoder of messages in memory: schema.decoder("Span", select=["name", "start"]).

{_options.lines({"message": "The message type. Not needed if the schema has only one", **_options.OF_DECODERS})}

See docs/options.md for details. Raises TypeError and ValueError for wrong options, KeyError for message types and
fields that do not exist."""


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
    """The rows as protobuf's JSON: a list of strings, one for each message.

    schema: the schema with the message type, and with the types of messages in Any fields. A batch from a decoder knows its own
        message type, but not the types in Any fields.
    proto_field_names: write the names of the .proto file instead of lowerCamelCase.
    enums_as_numbers: write numbers of enums instead of names.
    always_print_fields_with_no_presence: write fields without presence also if they have their default value (0, False, "", []
        or {}).

    Raises ValueError, with the row, for a message that JSON cannot hold: a Timestamp after the year 9999, or an Any of a type
    that the schema does not have. Unknown fields are left out.
    """
    check_rows(self, "to_protobuf_json")
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
    format=None,
    sort_map_keys=False,
    unknown_fields=True,
    ignore_extra_fields=False,
    allow_missing_required=False,
):
    """The rows as serialized messages: a list of bytes, or with format= the bytes of a file.

    schema: the schema with the message type. A batch from a decoder knows its own.
    message: the message type, if the schema has several.
    format: how the messages of a file follow each other: "delimited", "tfrecord", "message" (only one), "length32",
        "length32le", "grpc", "base64" or "hex".
    sort_map_keys: write the entries of maps in the order of their keys, so that equal messages have equal bytes.
    unknown_fields: write the fields that the decoder kept (unknown_fields=True). False leaves them out.
    ignore_extra_fields: leave out columns that the message type does not have, instead of raising ValueError.
    allow_missing_required: write messages without their required fields, instead of raising ValueError.

    Raises ValueError, with the row and the path, for a value that its field cannot hold.
    """
    check_rows(self, "to_protobuf")
    return _core._to_protobuf(
        self,
        None if schema is None else as_schema(schema),
        message,
        format,
        sort_map_keys,
        unknown_fields,
        ignore_extra_fields,
        allow_missing_required,
    )
