"""The types in the signatures of the stubs."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

if TYPE_CHECKING:
    from . import ExtensionRows, ExtensionType, RaggedTensor, StructuredTensor, Tensor

Value: TypeAlias = Union["Tensor", "RaggedTensor", "StructuredTensor", "ExtensionRows", "ExtensionType"]
# Anything that functions convert to a value: values, NumPy and Arrow arrays, nested lists and dicts, numbers and strings.
ValueLike: TypeAlias = Any
DTypeLike: TypeAlias = Any
Shape: TypeAlias = tuple[int | None, ...]
ShapeLike: TypeAlias = Sequence[int | None] | None
Path: TypeAlias = str | Sequence[str]
FilePath: TypeAlias = str | os.PathLike[str]
Format: TypeAlias = Literal[
    "delimited", "tfrecord", "message", "length32", "length32le", "grpc", "base64", "hex", "json", "textproto", "csv"
]
# Those that to_protobuf() writes.
_MessageFormat: TypeAlias = Literal["delimited", "tfrecord", "message", "length32", "length32le", "grpc", "base64", "hex"]
OnError: TypeAlias = Literal["fail", "skip", "null"]
OnDamagedFile: TypeAlias = Literal["fail", "rest", "skip"]
Optionals: TypeAlias = Literal["nullable", "ragged", "default"]
WellKnownTypes: TypeAlias = Literal["native", "structs"]
Enums: TypeAlias = Literal["numbers", "names", "dictionary"]
TimeUnit: TypeAlias = Literal["s", "ms", "us", "ns"]
