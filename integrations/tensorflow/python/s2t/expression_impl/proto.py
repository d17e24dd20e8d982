"""Expressions of serialized messages."""

from ..create_expression import create_expression_from_file_descriptor_set, create_expression_from_proto

__all__ = ["create_expression_from_file_descriptor_set", "create_expression_from_proto"]
