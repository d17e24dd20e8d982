"""Structured tensors in TensorFlow: serialized messages in, structured tensors out, inside the graph and saved with the model.

    import structtensor.tf

    decode = structtensor.tf.Decoder(schema, select=["name", "attributes"])
    dataset = tf.data.TFRecordDataset(files).batch(1024).map(decode, num_parallel_calls=tf.data.AUTOTUNE)

Importing it loads the operation StructtensorDecode, which saved models need as well. docs/tensorflow.md says the rest.
"""

from ._decode import Decoder, decode
from ._type import StructuredTensor

__all__ = ["Decoder", "StructuredTensor", "decode"]
