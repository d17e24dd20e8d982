"""Structs under the names of tf.struct in the RFC "StructuredTensor". They are the classes and functions of the package."""

from . import (
    DenseStructuredTensor,
    RaggedStructuredTensor,
    StructuredTensor,
    apply,
    broadcast,
    constant,
    from_arrow,
    from_json,
    from_pandas,
    from_parquet,
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
    "from_arrow",
    "from_json",
    "from_pandas",
    "from_parquet",
    "promote",
    "with_only",
    "with_updates",
    "without",
]
