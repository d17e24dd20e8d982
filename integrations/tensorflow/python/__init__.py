"""Structured tensors in TensorFlow. Serialized messages are decoded inside the graph, and the decoder is saved with the model.

    import structtensor.tf

    decode = structtensor.tf.Decoder(schema, select=["name", "attributes"])
    dataset = tf.data.TFRecordDataset(files).batch(1024).map(decode, num_parallel_calls=tf.data.AUTOTUNE)

To import this package loads the operations; saved models need them, too. docs/tensorflow.md has the details.
"""

from . import _field_order  # noqa: F401: for saved models
from . import _not_taken  # noqa: F401: errors for values of the package
from . import _paths  # noqa: F401: adds methods to StructuredTensor
from . import _select  # noqa: F401: lets functions of TensorFlow accept structs
from . import s2t
from ._array import concat, expand_dims, stack
from ._decode import Decoder, decode
from ._encode import Encoder, encode
from ._examples import parse_examples
from ._own_types import WholeValue, extension_type, from_extension_type, from_structtensor, to_extension_type, to_structtensor
from ._type import StructuredTensor

__all__ = [
    "Decoder",
    "Encoder",
    "StructuredTensor",
    "WholeValue",
    "concat",
    "decode",
    "encode",
    "expand_dims",
    "extension_type",
    "from_extension_type",
    "from_structtensor",
    "parse_examples",
    "s2t",
    "stack",
    "to_extension_type",
    "to_structtensor",
]
