"""Functions of ragged tensors, under their names in tf.ragged."""

from __future__ import annotations

from typing import Any

from . import boolean_mask as boolean_mask
from . import stack as stack
from ._typing import DTypeLike, ShapeLike, ValueLike

def constant(value: ValueLike, dtype: DTypeLike | None = ..., ragged_rank: int | None = ..., inner_shape: ShapeLike = ..., row_splits_dtype: DTypeLike = ..., int_dtype: DTypeLike = ..., float_dtype: DTypeLike = ..., name: str | None = ...) -> Any: ...
def stack_dynamic_partitions(data: ValueLike, partitions: ValueLike, num_partitions: int, name: str | None = ...) -> Any: ...
