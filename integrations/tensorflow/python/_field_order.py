"""Keeps the order of fields in saved models and saved datasets.

TensorFlow stores a spec as a StructuredValue, in which a mapping is a protocol buffer's map, which has no order. The order is
stored beside it, so that specs without one, of models that were saved before, are still read.
"""

import tensorflow as tf
from tensorflow.core.protobuf import struct_pb2
from tensorflow.python.framework import type_spec_registry
from tensorflow.python.saved_model import nested_structure_coder

from ._type import StructuredTensorSpec

_ORDER = "field_order"
_NAME = type_spec_registry.get_name(StructuredTensorSpec)


class _Codec:
    def can_encode(self, value):
        return isinstance(value, StructuredTensorSpec)

    def do_encode(self, spec, encode):
        state = (*spec._serialize(), (_ORDER, tuple(spec._flat_fields)))
        return struct_pb2.StructuredValue(
            type_spec_value=struct_pb2.TypeSpecProto(
                type_spec_class=struct_pb2.TypeSpecProto.EXTENSION_TYPE_SPEC,
                type_spec_class_name=_NAME,
                type_state=encode(state),
                num_flat_components=len(tf.nest.flatten(spec._component_specs, expand_composites=True)),
            )
        )

    def can_decode(self, value):
        return value.HasField("type_spec_value") and value.type_spec_value.type_spec_class_name == _NAME

    def do_decode(self, value, decode):
        state = dict(decode(value.type_spec_value.type_state))
        fields = state["fields"]
        state["fields"] = {name: fields[name] for name in state.pop(_ORDER, fields)}
        return StructuredTensorSpec._deserialize(tuple(state.items()))


nested_structure_coder.register_codec(_Codec())
