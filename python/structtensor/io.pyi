"""tf.Examples, with the features of tf.io.

Messages of other types are read by structtensor.read(), structtensor.scan() and Schema.decoder().
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import Self

from . import Batch, StructuredTensor
from ._typing import Format, OnError

class FixedLenFeature(tuple[Any, ...]):
    shape: Any
    dtype: Any
    default_value: Any
    def __new__(cls, shape: Any, dtype: Any, default_value: Any = ...) -> Self: ...

class FixedLenSequenceFeature(tuple[Any, ...]):
    shape: Any
    dtype: Any
    allow_missing: builtins.bool
    default_value: Any
    def __new__(cls, shape: Any, dtype: Any, allow_missing: builtins.bool = ..., default_value: Any = ...) -> Self: ...

class VarLenFeature(tuple[Any, ...]):
    dtype: Any
    def __new__(cls, dtype: Any) -> Self: ...

class SparseFeature(tuple[Any, ...]):
    index_key: str | Sequence[str]
    value_key: str
    dtype: Any
    size: int | Sequence[int]
    already_sorted: builtins.bool
    def __new__(
        cls, index_key: str | Sequence[str], value_key: str, dtype: Any, size: int | Sequence[int], already_sorted: builtins.bool = ...
    ) -> Self: ...

class RaggedFeature(tuple[Any, ...]):
    dtype: Any
    value_key: str | None
    partitions: Sequence[Any]
    row_splits_dtype: Any
    validate: builtins.bool
    class RowSplits(tuple[Any, ...]):
        key: str
        def __new__(cls, key: str) -> Self: ...

    class RowLengths(tuple[Any, ...]):
        key: str
        def __new__(cls, key: str) -> Self: ...

    class RowStarts(tuple[Any, ...]):
        key: str
        def __new__(cls, key: str) -> Self: ...

    class RowLimits(tuple[Any, ...]):
        key: str
        def __new__(cls, key: str) -> Self: ...

    class ValueRowIds(tuple[Any, ...]):
        key: str
        def __new__(cls, key: str) -> Self: ...

    class UniformRowLength(tuple[Any, ...]):
        length: int
        def __new__(cls, length: int) -> Self: ...

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = ...,
        partitions: Sequence[Any] = ...,
        row_splits_dtype: Any = ...,
        validate: builtins.bool = ...,
    ) -> Self: ...

def parse_examples(
    serialized: Any, features: Mapping[str, Any], *, on_error: OnError = ...
) -> Batch: ...

def parse_sequence_examples(
    serialized: Any, context_features: Mapping[str, Any] | None = ..., sequence_features: Mapping[str, Any] | None = ...
) -> tuple[StructuredTensor, StructuredTensor, StructuredTensor]: ...

def infer_features(serialized: Any) -> dict[str, Any]: ...

def infer_sequence_features(serialized: Any) -> tuple[dict[str, Any], dict[str, Any]]: ...

def from_examples(
    source: Any,
    features: Mapping[str, Any] | None = ...,
    *,
    format: Format | None = ...,
    on_error: OnError = ...,
) -> Batch: ...
