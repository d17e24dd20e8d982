"""Converts columns of serialized messages, such as Kafka's, to columns of structs, and back."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from structtensor._schema import as_schema

from ._types import arrow_schema, convert_batch, spark_schema, struct_type

_ON_ERROR = ("null", "fail", "skip")
ERROR = pa.struct(
    [
        pa.field("byte", pa.int64(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("problem", pa.string(), nullable=False),
        pa.field("value", pa.binary(), nullable=False),
    ]
)


def _replaced(frame, column, field, after=()):
    """The StructType of a data frame in which `field` has replaced a column. `after`: fields to append."""
    from pyspark.sql.types import StructType

    fields = [field if known.name == column else known for known in frame.schema]
    return StructType([*fields, *after])


def _column_of(frame, column, is_type, expected):
    found = [field for field in frame.schema if field.name == column]
    if not found:
        raise ValueError(f"{column}: the frame has no such column; it has {', '.join(frame.columns)}")
    if not isinstance(found[0].dataType, is_type):
        raise ValueError(f"{column}: expected {expected}, found {found[0].dataType.simpleString()}")


def decode(frame, column, schema, message=None, *, on_error="null", errors=None, **options):
    """Replaces a binary column of serialized messages in a data frame by a column of structs. Streams are data frames, too.

    schema, message   a st.Schema, or a class that protoc has generated; the message type, if the schema has several
    on_error          "null": a broken message becomes null. "fail": it ends the query. "skip": its row is left out. A message
                      that is null stays null
    errors            the name of another column. It is null where the message is good. Else it is a struct of byte, path,
                      problem, and the message itself as value. Not allowed with "skip"
    options           options of st.Schema.decoder(): select, drop, the limits, ...

    frame.select("key", "value.*") makes columns from the fields. Raises ValueError for a column that does not exist or is not
    binary, and for invalid options.
    """
    from pyspark.sql.types import BinaryType, StructField

    if on_error not in _ON_ERROR:
        raise ValueError(f"on_error={on_error!r}: expected one of {', '.join(_ON_ERROR)}")
    if errors is not None and on_error != "null":
        raise ValueError('errors= needs on_error="null", the only mode that keeps rows of broken messages')
    if errors is not None and errors in frame.columns:
        raise ValueError(f"errors={errors!r}: the frame has such a column already")
    if "where" in options:
        raise ValueError("where: a message that a condition leaves out would have no row; filter the decoded frame")
    _column_of(frame, column, BinaryType, "a binary column")
    schema = as_schema(schema)
    options = {**options, "on_error": on_error, "timestamps": "us"}
    columns = spark_schema(pa.record_batch(schema.decoder(message, **options).decode([])).schema)
    dtype = pa.struct(list(columns))
    after = [] if errors is None else [StructField(errors, struct_type(ERROR), True)]
    result = _replaced(frame, column, StructField(column, struct_type(columns), True), after)

    def decode_batches(batches):
        decoder = schema.decoder(message, **options)
        for batch in batches:
            yield _decoded(batch, column, decoder, dtype, errors)

    return frame.mapInArrow(decode_batches, result)


def _decoded(batch, column, decoder, dtype, errors):
    index = batch.schema.get_field_index(column)
    messages = batch.column(index)
    present = messages.is_valid()
    rows = decoder.decode(messages.fill_null(b"") if messages.null_count else messages)
    decoded = convert_batch(pa.record_batch(rows), pa.schema(list(dtype))).to_struct_array()
    broken = rows.errors.to_py()
    if len(decoded) != len(messages):  # on_error="skip"
        left_out = {error["message_index"] for error in broken}
        keep = pa.array([row for row in range(len(messages)) if row not in left_out], pa.int64())
        batch, present = batch.take(keep), present.take(keep)
        broken = []
    is_null = pc.invert(present)
    if broken:
        is_null = pc.or_(is_null, _marks([error["message_index"] for error in broken], len(messages)))
    fields = [decoded.field(i) for i in range(dtype.num_fields)]
    structs = pa.Array.from_buffers(dtype, len(decoded), [pc.invert(is_null).buffers()[1]], children=fields)
    arrays = [structs if i == index else values for i, values in enumerate(batch.columns)]
    names = list(batch.schema.names)
    if errors is not None:
        rows_of_errors = [None] * len(messages)
        for error in broken:
            number = error["message_index"]
            known = {name: error[name] for name in ("byte", "path", "problem")}
            rows_of_errors[number] = {**known, "value": messages[number].as_py()}
        arrays.append(pa.array(rows_of_errors, ERROR))
        names.append(errors)
    return pa.RecordBatch.from_arrays(arrays, names=names)


def _marks(numbers, count):
    marks = np.zeros(count, np.bool_)
    marks[numbers] = True
    return pa.array(marks)


def encode(frame, column, schema, message=None, *, ignore_extra_fields=False, **options):
    """Replaces a column of structs in a data frame by a binary column of serialized messages. A null struct becomes null.

    schema, message       a st.Schema, or a class that protoc has generated; the message type, if the schema has several
    ignore_extra_fields   leave out fields of the structs that the message type does not have; by default, they are an error
    options               options of st.StructuredTensor.to_protobuf(): sort_map_keys, allow_missing_required

    frame.select(pyspark.sql.functions.struct("*").alias("value")) makes one column from all. Raises ValueError for a column
    that does not exist or is not a struct, and for fields that do not fit.
    """
    from pyspark.sql.types import BinaryType, StructField, StructType

    from ._writer import to_messages, writable

    _column_of(frame, column, StructType, "a column of structs")
    schema = as_schema(schema)
    field = next(field for field in frame.schema if field.name == column)
    if not field.dataType.fields:
        raise ValueError(f"{column}: structs without fields; there is nothing to write")
    structs = arrow_schema(field.dataType)
    target = pa.schema(writable(structs, schema, message, ignore_extra_fields, column))
    result = _replaced(frame, column, StructField(column, BinaryType(), field.nullable))

    def encode_batches(batches):
        for batch in batches:
            index = batch.schema.get_field_index(column)
            values = batch.column(index)
            fields = pa.RecordBatch.from_arrays(values.flatten(), names=[field.name for field in values.type])
            present = values.is_valid()
            messages = to_messages(fields.filter(present), target, schema, message, **options)
            encoded = pa.array(messages, pa.binary())
            if len(encoded) != len(values):
                places = pc.subtract(pc.cumulative_sum(present.cast(pa.int64())), 1)
                encoded = encoded.take(pc.if_else(present, places, pa.scalar(None, pa.int64())))
            arrays = [encoded if i == index else other for i, other in enumerate(batch.columns)]
            yield pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)

    return frame.mapInArrow(encode_batches, result)
