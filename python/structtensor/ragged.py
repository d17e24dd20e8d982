"""Functions of ragged tensors under their names in tf.ragged. They are the functions of the package."""

from . import boolean_mask
from . import ragged_constant as constant
from . import stack
from . import stack_dynamic_partitions

__all__ = ["boolean_mask", "constant", "stack", "stack_dynamic_partitions"]
