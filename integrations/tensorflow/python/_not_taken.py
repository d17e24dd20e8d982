"""Errors for values of the package where TensorFlow expects its own, and for structs where it expects a tensor.

TensorFlow asks for the type of an argument of tf.function, for the TypeSpec of a variable of a loop, and for a tensor in all
other places. Its own errors do not say what to do.
"""

import sys

import numpy as np
import structtensor as st
import tensorflow as tf
from tensorflow.python.framework import type_spec
from tensorflow.python.util import tf_export

from ._type import StructuredTensor

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


# --- Structs

_NO_TENSOR = 'structs are not a tensor; a field is one: rows["a"]'


def _no_tensor_of_structs(value, dtype=None, name=None, as_ref=False):
    raise TypeError(_NO_TENSOR)


def _have_structs(*arguments):
    return any(isinstance(leaf, StructuredTensor) for leaf in tf.nest.flatten(arguments))


class _NameTheFunction(tf.__internal__.dispatch.GlobalOpDispatcher):
    """Names the function in the error. TensorFlow asks it for another result when a function has raised an error."""

    def handle(self, op, args, kwargs):
        name, problem = tf_export.get_canonical_name_for_symbol(op), str(sys.exc_info()[1])
        # The second text is TensorFlow's own, for lists in graphs.
        no_tensor = problem == _NO_TENSOR or "<NOT CONVERTIBLE TO TENSOR>" in problem and _have_structs(args, kwargs)
        if no_tensor and name not in (None, "convert_to_tensor"):
            raise TypeError(
                f'tf.{name} is not defined for structs with these arguments; give it a field of them: rows["a"]'
            ) from None
        return self.NOT_SUPPORTED


tf.register_tensor_conversion_function(StructuredTensor, _no_tensor_of_structs, priority=0)
_NameTheFunction().register()
