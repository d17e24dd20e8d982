"""Errors for values of the package where TensorFlow expects its own.

TensorFlow asks for the type of an argument of tf.function, for the TypeSpec of a variable of a loop, and for a tensor in all
other places. Its own errors do not name from_structtensor().
"""

import numpy as np
import structtensor as st
import tensorflow as tf
from tensorflow.python.framework import type_spec

_TRACED = (st.StructuredTensor, st.RaggedTensor, st.ExtensionRows, st.ExtensionType)


def _is_array(value):
    """Whether NumPy reads the value, so that TensorFlow takes it as a tensor. Of the package's values, only tensors are."""
    return hasattr(type(value), "__array__") and not isinstance(value, (st.StructuredTensor, st.RaggedTensor))


def _has_no_counterpart(value):
    return isinstance(value, (st.RowPartition, st.BoxedTensor))


def _refuse(value):
    raise TypeError(
        f"expected a value of TensorFlow, found one of structtensor, of type {type(value).__name__}; "
        "structtensor.tf.from_structtensor(value) makes it a value of TensorFlow"
    )


def _no_tensor(value, dtype=None, name=None, as_ref=False):
    return NotImplemented if _is_array(value) or _has_no_counterpart(value) else _refuse(value)


def _no_spec(value):
    # Without a spec, TensorFlow asks for a tensor.
    return None if _is_array(value) or _has_no_counterpart(value) else _refuse(value)


def _no_traced_type(self, context):
    if not _is_array(self):
        _refuse(self)
    array = np.asarray(self)
    return tf.TensorSpec(array.shape, array.dtype)


# ExtensionType is also the type of objects whose classes only have the protocol.
tf.register_tensor_conversion_function(st.ExtensionType, _no_tensor, priority=0)
type_spec.register_type_spec_from_value_converter(st.ExtensionType, _no_spec, allow_subclass=True)
for _class in _TRACED:
    _class.__tf_tracing_type__ = _no_traced_type
