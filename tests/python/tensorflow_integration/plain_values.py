"""Values of either package as Python lists and dicts, so that they can be compared."""

import tensorflow as tf


def plain(value):
    """In Python's types, with bytes for strings, as TensorFlow has them."""
    if hasattr(value, "to_py"):
        value = value.to_py()
    elif isinstance(value, tf.RaggedTensor):
        value = value.to_list()
    elif tf.is_tensor(value):
        value = value.numpy()
        value = value.tolist() if hasattr(value, "tolist") else value
    return as_bytes(value)


def as_bytes(value):
    if isinstance(value, dict):
        return {name: as_bytes(field) for name, field in value.items()}
    if isinstance(value, list):
        return [as_bytes(item) for item in value]
    return value.encode() if isinstance(value, str) else value
