"""struct2tensor's functions of expressions, in its modules."""

from . import (
    broadcast,
    depth_limit,
    filter_expression,
    index,
    map_prensor,
    map_values,
    project,
    promote,
    promote_and_broadcast,
    proto,
    reroot,
    size,
    slice_expression,
)

__all__ = [
    "broadcast",
    "depth_limit",
    "filter_expression",
    "index",
    "map_prensor",
    "map_values",
    "project",
    "promote",
    "promote_and_broadcast",
    "proto",
    "reroot",
    "size",
    "slice_expression",
]
