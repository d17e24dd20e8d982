"""Writes tables as files of messages. Each task writes a file that readers do not see. The commit renames the files."""

import dataclasses
import os
import uuid

import pyarrow as pa
import structtensor as st
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from . import _options
from ._types import arrow_schema, convert_batch

# Formats whose files can be put together from pieces.
FORMATS = ("delimited", "tfrecord", "length32", "length32le", "grpc")


def writable(have, schema, message, ignore_extra_fields=False, path=""):
    """The fields of a table, with the types of the message type, and with times as in Spark. Enums are numbers or names, as in
    the table. Whether a field is nullable is as in the table, too.

    Raises ValueError for a column that is not a field of the message type, unless ignore_extra_fields is set.
    """
    decoders = (schema.decoder(message, timestamps="us", enums=enums) for enums in ("numbers", "names"))
    numbers, names = (pa.record_batch(decoder.decode([])).schema for decoder in decoders)
    return _writable_fields(have, numbers, names, ignore_extra_fields, path)


def _writable_fields(have, numbers, names, ignore_extra_fields, path):
    """numbers, names: the fields of the message type, with numbers and with names of enums."""
    fields = []
    for field in have:
        place = f"{path}.{field.name}" if path else field.name
        index = numbers.get_field_index(field.name)
        if index >= 0:
            dtype = _writable_type(field.type, numbers.field(index).type, names.field(index).type, ignore_extra_fields, place)
            fields.append(pa.field(field.name, dtype, nullable=field.nullable))
        elif not ignore_extra_fields:
            raise ValueError(
                f"{place}: the message type has no such field (the option ignore_extra_fields leaves such columns out)"
            )
    return fields


def _writable_type(have, numbers, names, ignore_extra_fields, path):
    if pa.types.is_dictionary(numbers):
        return _writable_type(have, numbers.value_type, names.value_type, ignore_extra_fields, path)
    if pa.types.is_struct(have) and pa.types.is_struct(numbers):
        return pa.struct(_writable_fields(have, numbers, names, ignore_extra_fields, path))
    if pa.types.is_map(have) and pa.types.is_map(numbers):
        key = _writable_type(have.key_type, numbers.key_type, names.key_type, ignore_extra_fields, f"{path}.key")
        item = _writable_type(have.item_type, numbers.item_type, names.item_type, ignore_extra_fields, f"{path}.value")
        return pa.map_(have.key_field.with_type(key), have.item_field.with_type(item))
    if pa.types.is_list(have) and (pa.types.is_list(numbers) or pa.types.is_large_list(numbers)):
        item = _writable_type(have.value_type, numbers.value_type, names.value_type, ignore_extra_fields, f"{path}[]")
        return pa.list_(have.value_field.with_type(item))
    if pa.types.is_nested(have) != pa.types.is_nested(numbers):
        raise ValueError(f"{path}: the table has {have} there, and the message type {numbers}")
    if pa.types.is_fixed_size_binary(numbers):
        return pa.binary()
    return names if pa.types.is_string(have) else numbers


def to_messages(batch, target, schema, message, **options):
    """The rows of a record batch as serialized messages."""
    return st.from_arrow(convert_batch(batch, target)).to_protobuf(schema, message, **options)


@dataclasses.dataclass
class Written(WriterCommitMessage):
    """A file that a task has written, and its final name."""

    temporary: str | None
    path: str | None


class Writer(DataSourceArrowWriter):
    def __init__(self, options, schema, overwrite):
        _options.check_names(options, (*_options.WRITE_OPTIONS, *_options.SCHEMA_OPTIONS), "of writing")
        self._folder = _options.paths_of(options)[0]
        if "://" in self._folder:
            raise ValueError(f"{self._folder}: structtensor writes to folders that all executors see, and not to buckets")
        self._format = options.get("record_format", "delimited")
        if self._format not in FORMATS:
            raise ValueError(f"option record_format = {self._format!r}: expected one of {', '.join(FORMATS)}")
        self._schema = _options.schema_of(options)
        self._message = options.get("message")
        self._ignore = _options.flag_of("ignore_extra_fields", options.get("ignore_extra_fields", "false"))
        columns = arrow_schema(schema)
        self._target = pa.schema(writable(columns, self._schema, self._message, self._ignore))
        self._overwrite = overwrite
        self._job = uuid.uuid4().hex
        os.makedirs(self._folder, exist_ok=True)
        if overwrite:
            others = [name for name in self._visible() if not name.startswith("part-")]
            if others:
                raise ValueError(
                    f"{self._folder}: it has files other than part-..., such as {others[0]}; overwriting would delete them"
                )

    def _visible(self):
        return sorted(name for name in os.listdir(self._folder) if name[0] not in "._")

    def write(self, iterator):
        number = TaskContext.get().partitionId()
        temporary = os.path.join(self._folder, f".{self._job}-{uuid.uuid4().hex}")
        rows = 0
        try:
            with open(temporary, "xb") as file:
                for batch in iterator:
                    rows += batch.num_rows
                    file.write(to_messages(batch, self._target, self._schema, self._message, format=self._format))
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            os.unlink(temporary)
            raise
        if rows == 0:
            os.unlink(temporary)
            return Written(None, None)
        return Written(temporary, os.path.join(self._folder, f"part-{number:05}-{self._job}.pb"))

    def commit(self, messages):
        before = self._visible() if self._overwrite else []
        for written in messages:
            if written is not None and written.temporary is not None:
                os.rename(written.temporary, written.path)
        for name in before:
            os.unlink(os.path.join(self._folder, name))
        self._sweep()

    def abort(self, messages):
        self._sweep()

    def _sweep(self):
        """Deletes the files of this job that are left: from tasks that were ended, and files that the commit did not use."""
        for name in os.listdir(self._folder):
            if name.startswith(f".{self._job}-"):
                os.unlink(os.path.join(self._folder, name))
