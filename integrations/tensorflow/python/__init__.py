"""Structured tensors in TensorFlow: serialized messages in, structured tensors out, inside the graph and saved with the model.

    import structtensor.tf

    decode = structtensor.tf.Decoder(schema, select=["name", "attributes"])
    dataset = tf.data.TFRecordDataset(files).batch(1024).map(decode, num_parallel_calls=tf.data.AUTOTUNE)

Importing it loads the operations, which saved models need as well. docs/tensorflow.md says the rest.
"""

from . import s2t
from ._array import concat, expand_dims, stack
from ._decode import Decoder, decode
from ._encode import Encoder, encode
from ._examples import parse_examples
from ._type import StructuredTensor

__all__ = [
    "Decoder",
    "Encoder",
    "StructuredTensor",
    "concat",
    "decode",
    "encode",
    "expand_dims",
    "parse_examples",
    "s2t",
    "stack",
]
