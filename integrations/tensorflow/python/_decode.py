"""decode(): the operation StructtensorDecode, and the structured tensor that is made of its outputs."""

import pathlib

import structtensor as st
import tensorflow as tf
from structtensor._schema import as_schema

from ._columns import dtype_of
from ._type import StructuredTensor, StructuredTensorSpec

ops = tf.load_op_library(str(pathlib.Path(__file__).with_name("_ops.so")))
for _operation in ("StructtensorDecode", "StructtensorEncode", "StructtensorParseExamples"):
    tf.no_gradient(_operation)

_ERROR_TYPES = [tf.int64, tf.int64, tf.string, tf.string, tf.string]

# Options of st.Schema.decoder() that do not make sense here, and why.
_NOT_HERE = {
    "threads": "TensorFlow runs several operations at once: dataset.map(decode, num_parallel_calls=...)",
    "ignore_extra_fields": "it is for text input; expected serialized messages",
    "unknown_fields": "they have no place in the columns; decode outside of TensorFlow to keep them",
}


class Decoder:
    """Decodes vectors of serialized messages into structured tensors. Keep a decoder for many calls: dataset.map(decoder).

    schema, message   a st.Schema, or a class or module that protoc has generated, as for st.read(); the message type, if the
                      schema has several
    options           options of st.Schema.decoder(): select, drop, where, the limits, ...
        on_error      "fail": a broken message is an error. "skip": it has no row
        optionals     "ragged": an optional field is a dimension of 0 or 1 values, and a time that does not fit its unit is an
                      error. "default": an absent field has its default, also in absent messages, and such a time is 0.
                      Default: what the schema says (Schema.with_optionals()), else "ragged"

    Raises the errors of st.Schema.decoder(), and ValueError for options that have no meaning in TensorFlow.
    """

    def __init__(self, schema, message=None, **options):
        for name, reason in _NOT_HERE.items():
            if name in options:
                raise ValueError(f"{name}: {reason}")
        schema = as_schema(schema)
        options = {"optionals": schema.optionals or "ragged", **options}
        if options["optionals"] == "nullable":
            raise ValueError(
                'optionals="nullable": tensors of TensorFlow have no absent elements; expected "ragged" or "default"'
            )
        if options.get("on_error") == "null":
            raise ValueError('on_error="null": tensors of TensorFlow have no absent rows; expected "fail" or "skip"')
        self._decoder = schema.decoder(message, **options)
        self._spec = self._decoder.spec
        self._attributes = {
            "descriptor_set": schema.to_descriptor_set(),
            "message": self._decoder.message,
            "options": option_strings(options),
            "Tout": list(types_of(self._spec, 0)),
            "column_names": list(names_of(self._spec, 0, "")),
        }

    @property
    def message(self):
        """The full name of the message type."""
        return self._decoder.message

    @property
    def spec(self):
        """The tf.TypeSpec of all results. It allows any number of rows."""
        return _spec_of(self._spec, 0)

    def __call__(self, serialized, name=None):
        """Decodes a vector of serialized messages. The rows are in the order of the messages.

        Raises tf.errors.InvalidArgumentError for a broken message, with its index, byte and path, unless on_error="skip".
        """
        return self._decode(serialized, [], name)[0]

    def with_errors(self, serialized, name=None):
        """The rows, and the errors of the messages that have no row. For on_error="skip".

        Errors are structs with the fields `message` (its index), `byte`, `path`, `code`, `problem`, and `serialized` (the
        message itself).
        """
        serialized = tf.convert_to_tensor(serialized, tf.string, name="serialized")
        rows, columns = self._decode(serialized, _ERROR_TYPES, name)
        errors = dict(zip(("message_index", "byte", "path", "code", "problem"), columns))
        errors["serialized"] = tf.gather(serialized, errors["message_index"])
        return rows, StructuredTensor((), errors)

    def _decode(self, serialized, error_types, name):
        serialized = tf.convert_to_tensor(serialized, tf.string, name="serialized")
        attributes = {**self._attributes, "Tout": self._attributes["Tout"] + error_types}
        nrows, columns = ops.structtensor_decode(serialized=serialized, name=name, **attributes)
        columns = iter(columns)
        rows = build(self._spec, 0, columns, lambda: nrows)
        return rows, list(columns)

    def __repr__(self):
        return f"structtensor.tf.Decoder({self.message})"


def decode(serialized, schema, message=None, *, name=None, **options):
    """Decoder(schema, message, **options)(serialized): the structured tensor of a vector of serialized messages."""
    return Decoder(schema, message, **options)(serialized, name=name)


def option_strings(options):
    """Options in the form that the operation takes: name=value strings, with one string for each pattern."""
    strings = []
    for name, value in options.items():
        if value is None:
            continue
        if name in ("select", "drop"):
            strings += [f"{name}={pattern}" for pattern in ([value] if isinstance(value, str) else value)]
        else:
            strings.append(f"{name}={str(value).lower() if isinstance(value, bool) else value}")
    return strings


# --- The order of the columns is the order of integrations/tensorflow/columns.h. `outer`: the number of row partitions of the
# spec that belong to the enclosing structs.


def types_of(spec, outer):
    if isinstance(spec, st.TensorSpec):
        yield dtype_of(spec.dtype)
    elif isinstance(spec, st.RaggedTensorSpec):
        yield from [tf.int64] * (spec.ragged_rank - outer)
        yield dtype_of(spec.dtype)
    else:
        partitions = len(spec.row_partitions)
        yield from [tf.int64] * (partitions - outer)
        for field in spec.fields.values():
            yield from types_of(field, partitions)


def names_of(spec, outer, path):
    """What each column is, as Column::name() in columns.h says it."""
    if isinstance(spec, st.TensorSpec):
        yield path
    elif isinstance(spec, st.RaggedTensorSpec):
        yield from [path + "/row_splits"] * (spec.ragged_rank - outer)
        yield path
    else:
        partitions = len(spec.row_partitions)
        yield from [path + "/row_splits"] * (partitions - outer)
        for name, field in spec.fields.items():
            yield from names_of(field, partitions, f"{path}.{name}" if path else name)


def build(spec, outer, columns, count_rows):
    """count_rows() gives the number of rows of the enclosing structs. It is called for structs without fields."""
    if isinstance(spec, st.TensorSpec):
        return next(columns)
    ragged = isinstance(spec, st.RaggedTensorSpec)
    partitions = spec.ragged_rank if ragged else len(spec.row_partitions)
    splits = [next(columns) for _ in range(partitions - outer)]
    if ragged:
        values = next(columns)
        for row_splits in reversed(splits):
            values = tf.RaggedTensor.from_row_splits(values, row_splits, validate=False)
        return values
    count_flat_rows = (lambda: splits[-1][-1]) if splits else count_rows
    fields = {name: build(field, partitions, columns, count_flat_rows) for name, field in spec.fields.items()}
    return StructuredTensor._of_outputs(splits, fields, count_flat_rows)


def _spec_of(spec, outer):
    if isinstance(spec, st.TensorSpec):
        return tf.TensorSpec([None], dtype_of(spec.dtype))
    ragged = isinstance(spec, st.RaggedTensorSpec)
    partitions = (spec.ragged_rank if ragged else len(spec.row_partitions)) - outer
    if ragged:
        if partitions == 0:
            return tf.TensorSpec([None], dtype_of(spec.dtype))
        return tf.RaggedTensorSpec([None] * (partitions + 1), dtype_of(spec.dtype), ragged_rank=partitions)
    fields = {name: _spec_of(field, outer + partitions) for name, field in spec.fields.items()}
    return StructuredTensorSpec._of_fields(partitions, fields)
