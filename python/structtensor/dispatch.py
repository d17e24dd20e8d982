"""Dispatch under the names of tf.dispatch in the RFC "Extension types". They are the functions of the package."""

from . import (
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
