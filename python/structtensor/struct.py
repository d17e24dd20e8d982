"""Structs under the names of tf.struct in the RFC "StructuredTensor". They are the classes and functions of the package."""

from . import _not_here
from . import (
    DenseStructuredTensor,
    RaggedStructuredTensor,
    StructuredTensor,
    apply,
    broadcast,
    constant,
    promote,
    with_only,
    with_updates,
    without,
)

__all__ = [
    "DenseStructuredTensor",
    "RaggedStructuredTensor",
    "StructuredTensor",
    "apply",
    "broadcast",
    "constant",
    "promote",
    "with_only",
    "with_updates",
    "without",
]


def __getattr__(name):
    raise _not_here.attribute_error(__name__, name)
