"""Functions of ragged tensors, under their names in tf.ragged."""

from ._functions import boolean_mask, stack, stack_dynamic_partitions
from ._functions import ragged_constant as constant

__all__ = ["boolean_mask", "constant", "stack", "stack_dynamic_partitions"]
