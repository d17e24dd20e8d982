"""tf.Examples, with the features of tf.io.

Messages of other types are read by structtensor.read(), structtensor.scan() and Schema.decoder().
"""

from ._examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    from_examples,
    infer_features,
    infer_sequence_features,
    parse_examples,
    parse_sequence_examples,
)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "VarLenFeature",
    "from_examples",
    "infer_features",
    "infer_sequence_features",
    "parse_examples",
    "parse_sequence_examples",
]
