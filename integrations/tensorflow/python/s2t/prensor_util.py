"""Tensors of prensors."""

from .prensor import get_ragged_tensor, get_ragged_tensors, get_sparse_tensor, get_sparse_tensors

__all__ = ["get_ragged_tensor", "get_ragged_tensors", "get_sparse_tensor", "get_sparse_tensors"]
