"""Dispatch: types register what functions of the package do with their values, as in the RFC "Extension types"."""

from ._dispatch import (
    DispatchableType,
    TensorLike,
    binary_elementwise_apis,
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_unary_elementwise_apis,
    is_binary_elementwise_op,
    is_reduction_op,
    is_unary_elementwise_op,
    unary_elementwise_apis,
    unregister_dispatch_for,
)

__all__ = [
    "DispatchableType",
    "TensorLike",
    "binary_elementwise_apis",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_unary_elementwise_apis",
    "is_binary_elementwise_op",
    "is_reduction_op",
    "is_unary_elementwise_op",
    "unary_elementwise_apis",
    "unregister_dispatch_for",
]
