"""Encoder and encode(): from structured tensors to serialized messages, by the operation StructtensorEncode."""

import tensorflow as tf
from structtensor._schema import as_schema

from ._columns import own_splits
from ._decode import ops, option_strings
from ._type import StructuredTensor


class Encoder:
    """Encodes structured tensors as vectors of serialized messages: the inverse of Decoder. Keep an encoder for many calls.

    schema, message   as for Decoder
    timestamps        "s", "ms", "us" or "ns": the unit of times, which are int64 in TensorFlow; as for Decoder
    sort_map_keys, ignore_extra_fields, allow_missing_required
                      as for structtensor's to_protobuf()
    """

    def __init__(self, schema, message=None, *, timestamps="us", sort_map_keys=False, ignore_extra_fields=False,
                 allow_missing_required=False):  # fmt: skip
        schema = as_schema(schema)
        options = {
            "timestamps": timestamps,
            "sort_map_keys": sort_map_keys,
            "ignore_extra_fields": ignore_extra_fields,
            "allow_missing_required": allow_missing_required,
        }
        # Making the decoder checks the unit, too.
        self._attributes = {
            "descriptor_set": schema.to_descriptor_set(),
            "message": schema.decoder(message, timestamps=timestamps).message,
            "options": option_strings(options),
        }

    @property
    def message(self):
        """The full name of the message type."""
        return self._attributes["message"]

    def __call__(self, rows, name=None):
        """One message for each row of a StructuredTensor of rank 1. Its fields must fit the message type, as for structtensor's
        to_protobuf().

        Raises ValueError for structs of another rank; tf.errors.InvalidArgumentError for fields that the message type does not
        have, or whose shape or type does not fit; tf.errors.OutOfRangeError, with row, path and value, for values that do not
        fit.
        """
        if not isinstance(rows, StructuredTensor):
            raise TypeError(f"encode: expected a structtensor.tf.StructuredTensor, found {type(rows).__name__}")
        if rows.rank != 1:
            raise ValueError(f"encode: messages are made of structs of rank 1; found rank {rows.rank}")
        structure, columns = [str(len(rows.field_names()))], []
        _add_fields(rows, structure, columns)
        return ops.structtensor_encode(nrows=rows.nrows(), columns=columns, structure=structure, name=name, **self._attributes)

    def __repr__(self):
        return f"structtensor.tf.Encoder({self.message})"


def encode(rows, schema, message=None, *, name=None, **options):
    """Encoder(schema, message, **options)(rows): a vector of serialized messages."""
    return Encoder(schema, message, **options)(rows, name=name)


def _add_fields(structs, structure, columns):
    """Collects the structure and the columns that encode_op.cc reads."""
    for name in structs.field_names():
        field = structs._flat_fields[name]
        if isinstance(field, StructuredTensor):
            structure += ["structs", name, str(len(field.row_splits)), str(len(field.field_names()))]
            columns += [tf.cast(splits, tf.int64) for splits in field.row_splits]
            _add_fields(field, structure, columns)
        else:
            splits, values = own_splits(field)
            structure += ["column", name, str(len(splits))]
            columns += [*splits, values]
