"""Protocol buffers into columns and structured tensors. See docs/python.md in the repository."""

import importlib as _importlib
import sys as _sys

from . import _core
from . import _classes

_classes.complete()  # before any other module uses the classes

from . import _boxing
from . import _dispatch
from . import _not_here
from ._core import (
    Batch,
    Decoder,
    DynamicRaggedShape,
    ExtensionRows,
    ExtensionRowsSpec,
    RaggedTensor,
    RaggedTensorSpec,
    RowPartition,
    RowPartitionSpec,
    Schema,
    StructuredTensor,
    StructuredTensorSpec,
    Tensor,
    TensorSpec,
    __version__,
)
# Not from .math: another thread may be importing that module.
from ._functions import (
    abs,
    add,
    argsort,
    batch_gather,
    boolean_mask,
    bounding_shape,
    broadcast_dynamic_shape,
    broadcast_to,
    cast,
    ceil,
    clip,
    concat,
    constant,
    divide,
    dynamic_partition,
    equal,
    exp,
    expand_dims,
    floor,
    floor_divide,
    gather,
    gather_nd,
    greater,
    greater_equal,
    identity,
    index,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    merge_dims,
    minimum,
    mod,
    multiply,
    negative,
    not_equal,
    one_hot,
    ones_like,
    partition_outer_dimension,
    power,
    rank,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
    repeat,
    reshape,
    reverse,
    roll,
    round,
    shape,
    shuffle,
    sign,
    size,
    slice,
    sort,
    split,
    sqrt,
    square,
    squeeze,
    stack,
    subtract,
    tile,
    to_sparse,
    to_tensor,
    unstack,
    where,
    with_shape_dtype,
    zeros_like,
)
from . import bitwise, dispatch, io, math, nest, ragged, strings, struct
from ._arrow import from_arrow
from ._awkward import from_awkward
from ._boxing import BoxedTensor, BoxedTensorSpec
from ._dispatch import DispatchableType, name_scope
from ._dlpack import from_dlpack
from ._errors import DecodeError
from ._extension import BatchableExtensionType, ExtensionType, ExtensionTypeSpec
from ._extension import lookup_type_spec, register_type_spec, type_spec_name
from ._json import from_json
from ._map_key import MapKey
from ._pandas import from_pandas
from ._parquet import from_parquet
from ._scan import Scan, read, scan
from ._static_types import DType, TensorShape
from ._torch import from_torch
from ._tree import TreeValue, register_pytrees
from ._type_spec import StackableTypeSpec, TypeSpec

# The dtypes by NumPy's and TensorFlow's names.
int32, int64, uint32, uint64 = DType("int32"), DType("int64"), DType("uint32"), DType("uint64")
float16, bfloat16, float32, float64 = DType("float16"), DType("bfloat16"), DType("float32"), DType("float64")
half, double = float16, float64
string = DType("string")
bool = DType("bool")

__all__ = [
    # Not "bool": `import *` must not replace Python's.
    "Batch",
    "BatchableExtensionType",
    "BoxedTensor",
    "BoxedTensorSpec",
    "DType",
    "DecodeError",
    "Decoder",
    "DispatchableType",
    "DynamicRaggedShape",
    "ExtensionRows",
    "ExtensionRowsSpec",
    "ExtensionType",
    "ExtensionTypeSpec",
    "MapKey",
    "RaggedTensor",
    "RaggedTensorSpec",
    "RowPartition",
    "RowPartitionSpec",
    "Scan",
    "Schema",
    "StackableTypeSpec",
    "StructuredTensor",
    "StructuredTensorSpec",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "TreeValue",
    "TypeSpec",
    "__version__",
    "abs",
    "add",
    "argsort",
    "batch_gather",
    "bfloat16",
    "boolean_mask",
    "bounding_shape",
    "broadcast_dynamic_shape",
    "broadcast_to",
    "cast",
    "ceil",
    "clip",
    "concat",
    "constant",
    "divide",
    "double",
    "dynamic_partition",
    "equal",
    "exp",
    "expand_dims",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_arrow",
    "from_awkward",
    "from_dlpack",
    "from_json",
    "from_pandas",
    "from_parquet",
    "from_torch",
    "gather",
    "gather_nd",
    "greater",
    "greater_equal",
    "half",
    "identity",
    "index",
    "int32",
    "int64",
    "less",
    "less_equal",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "lookup_type_spec",
    "maximum",
    "merge_dims",
    "minimum",
    "mod",
    "multiply",
    "name_scope",
    "negative",
    "not_equal",
    "one_hot",
    "ones_like",
    "partition_outer_dimension",
    "power",
    "rank",
    "read",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "register_pytrees",
    "register_type_spec",
    "repeat",
    "reshape",
    "reverse",
    "roll",
    "round",
    "scan",
    "shape",
    "shuffle",
    "sign",
    "size",
    "slice",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "string",
    "subtract",
    "tile",
    "to_sparse",
    "to_tensor",
    "type_spec_name",
    "uint32",
    "uint64",
    "unstack",
    "where",
    "with_shape_dtype",
    "zeros_like",
]
_boxing.before_first_use(_dispatch.use_boxes)

# Integrations need other packages, so each one is imported when it is first used: structtensor.spark, structtensor.tf.
_INTEGRATIONS = ("firebase", "ray", "spanner", "spark", "tf")


def _load_integration(name):
    return _importlib.import_module(f"{__name__}.{name}") if name in _INTEGRATIONS else None


_not_here.give_advice((_sys.modules[__name__], struct, math, strings, ragged, nest, dispatch, io, bitwise), _load_integration)
