"""Protocol buffers into columns and structured tensors. See docs/python.md in the repository."""

import importlib as _importlib
import sys as _sys

from . import _awkward
from . import _boxing
from . import _builtin_specs
from . import _core
from . import _dispatch
from . import _dlpack
from . import _docs
from . import _examples
from . import _html
from . import _not_here
from . import _numpy
from . import _pandas
from . import _parquet
from . import _pickle
from . import _ragged
from . import _schema
from . import _signatures
from . import _torch
from . import _type_spec
from . import nest  # noqa: F401: structtensor.nest, without another import
from ._core import *  # noqa: F403: the package exports every public name of the bindings
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
from ._static_types import DType, TensorShape
from ._arrow import from_arrow  # replaces the function of the bindings
from ._awkward import from_awkward
from ._dlpack import from_dlpack
from ._boxing import BoxedTensor, BoxedTensorSpec
from ._dispatch import (
    TensorLike,
    DispatchableType,
    binary_elementwise_apis,
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_unary_elementwise_apis,
    is_binary_elementwise_op,
    is_reduction_op,
    is_unary_elementwise_op,
    name_scope,
    unary_elementwise_apis,
    unregister_dispatch_for,
)
from ._errors import DecodeError
from ._examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    from_examples,
    infer_features,
    infer_sequence_features,
    parse_examples,
    parse_sequence_examples,
)
from ._extension import BatchableExtensionType, ExtensionType, ExtensionTypeSpec, get_name, lookup_type_spec, register_type_spec
from ._json import from_json
from ._map_key import MapKey  # replaces the class of the bindings
from ._pandas import from_pandas
from ._parquet import from_parquet
from ._scan import Scan, read, scan
from ._struct_classes import (
    DenseStructuredTensor,
    DenseStructuredTensorSpec,
    RaggedStructuredTensor,
    RaggedStructuredTensorSpec,
)
from ._torch import from_torch
from ._tree import TreeValue, register_pytrees
from ._type_spec import StackableTypeSpec, TypeSpec

# Functions of Python hand the user's arguments to those of the bindings.
_signatures.check_private_functions(_core)
# Functions and methods that are written in Python. The methods are added here, because their classes are classes of the
# bindings.
for _name, _function in _numpy.COMPARISONS.items():
    globals()[_name] = _signatures.with_parameters(_name, _function, takes_name=True)
for _class in (Tensor, RaggedTensor):
    _numpy.compare_beyond(_class)
    _class.__array__ = _numpy.array
    _class.__array_ufunc__ = _numpy.array_ufunc
    _class.__array_function__ = _numpy.array_function
    _class.to_pandas = _pandas.array_to_pandas
    _class.to_arrow = _parquet.array_to_arrow
Tensor.to_numpy = _numpy.tensor_to_numpy
RaggedTensor.to_numpy = _numpy.ragged_to_numpy
# TensorFlow's names.
Tensor.numpy = _numpy.tensor_to_numpy
RaggedTensor.numpy = _numpy.ragged_to_numpy
RaggedTensor.to_list = RaggedTensor.to_py
StructuredTensor.to_pyval = StructuredTensor.to_py
RaggedTensor.row_lengths = _ragged.row_lengths
StructuredTensor.__array__ = _numpy.no_array
StructuredTensor.to_pandas = _pandas.table_to_pandas
Tensor.__dlpack__ = _dlpack.dlpack
Tensor.__dlpack_device__ = _dlpack.dlpack_device
Tensor.__jax_array__ = _dlpack.jax_array
Tensor.to_torch = _torch.tensor_to_torch
RaggedTensor.to_torch = _torch.ragged_to_torch
StructuredTensor.to_torch = _torch.table_to_torch
StructuredTensor.to_protobuf = _schema.to_protobuf
StructuredTensor.to_protobuf_json = _schema.to_protobuf_json
StructuredTensor.to_examples = _examples.to_examples
StructuredTensor.to_arrow = _parquet.to_arrow
StructuredTensor.to_parquet = _parquet.to_parquet
for _class in (RaggedTensor, StructuredTensor):
    _class._repr_html_ = _html.repr_html
for _class in (Tensor, RaggedTensor, StructuredTensor):
    _class.to_awkward = _awkward.to_awkward
for _class in (Tensor, RaggedTensor, StructuredTensor, ExtensionRows):
    _class.__reduce_ex__ = _pickle.reduce_value
for _class in (TensorSpec, RaggedTensorSpec, StructuredTensorSpec, ExtensionRowsSpec):
    _boxing.add_to(_class)
for _class in (TensorSpec, RaggedTensorSpec, StructuredTensorSpec, RowPartitionSpec, ExtensionRowsSpec):
    _builtin_specs.add_to(_class, _type_spec.spec_for_bindings)
for _class in (Tensor, RaggedTensor, StructuredTensor, RowPartition, ExtensionRows):
    _class.__tf_type_spec__ = _builtin_specs.type_spec
for _class in (TensorSpec, RaggedTensorSpec, StructuredTensorSpec, RowPartitionSpec, ExtensionRowsSpec):
    _class.__reduce_ex__ = _pickle.reduce_spec
RowPartition.__reduce_ex__ = _pickle.reduce_partition
DynamicRaggedShape.__reduce_ex__ = _pickle.reduce_shape
MapKey.__reduce_ex__ = _pickle.reduce_map_key
BoxedTensor.__reduce_ex__ = _pickle.reduce_boxes
BoxedTensorSpec.__reduce_ex__ = _pickle.reduce_boxes_spec
Schema.__reduce_ex__ = _pickle.reduce_schema
Decoder.__reduce_ex__ = _pickle.refuse_decoder
for _class in (Tensor, RaggedTensor, StructuredTensor, RowPartition, ExtensionRows, ExtensionRowsSpec) + (
    TensorSpec,
    RaggedTensorSpec,
    StructuredTensorSpec,
    RowPartitionSpec,
    DynamicRaggedShape,
    MapKey,
    BoxedTensor,
    Decoder,
):
    # Values, specs, row partitions and the like do not change, so a copy is the object itself.
    _class.__copy__ = lambda self: self
    _class.__deepcopy__ = lambda self, memo: self
for _name, _text in _docs.CLASSES.items():
    globals()[_name].__doc__ = _text
Schema.from_descriptor_set = staticmethod(_schema.from_descriptor_set)
Schema.from_class = staticmethod(_schema.from_class)
Schema.from_proto = staticmethod(_schema.from_proto)
Schema.decoder = _schema.decoder
del _class, _function, _text

# Functions and methods say their parameters in TypeErrors, with the same words for those of the bindings and of Python.
for _class in vars(_core).values():
    if isinstance(_class, type) and not _class.__name__.startswith("_"):
        _signatures.check_methods(_class)
for _class in (Scan, TensorShape, RaggedStructuredTensor):
    _signatures.check_methods(_class)
for _class in (Scan, BoxedTensor, DenseStructuredTensor, DenseStructuredTensorSpec, RaggedStructuredTensorSpec, TreeValue):
    _signatures.check_constructor(_class)
# Every function of values first looks whether a type has registered a function of its own.
for _name in _dispatch.NAMES:
    globals()[_name] = _dispatch.wrap(_name, globals()[_name])
for _name in _dispatch.NOT_DISPATCHED - {"from_arrow"}:  # which is a function of Python
    globals()[_name] = _dispatch.document(_name, globals()[_name])
del _name
_boxing.before_first_use(_dispatch.use_boxes)

# The dtypes by NumPy's and TensorFlow's names.
int32, int64, uint32, uint64 = DType("int32"), DType("int64"), DType("uint32"), DType("uint64")
float16, bfloat16, float32, float64 = DType("float16"), DType("bfloat16"), DType("float32"), DType("float64")
half, double = float16, float64
string = DType("string")
bool = DType("bool")  # not in __all__: `import *` must not replace Python's

__all__ = sorted(
    [name for name in dir(_core) if not name.startswith("_") and name not in ("RowIterator", "ScanReader")]
    + [
        "DecodeError",
        "Scan",
        "TreeValue",
        "__version__",
        "from_awkward",
        "from_dlpack",
        "from_json",
        "from_pandas",
        "from_parquet",
        "from_torch",
        "read",
    ]
    + ["register_pytrees", "scan", "BatchableExtensionType", "BoxedTensor", "BoxedTensorSpec", "DType", "ExtensionType"]
    + ["ExtensionTypeSpec", "StackableTypeSpec", "TensorLike", "TensorShape", "TypeSpec"]
    + ["DispatchableType", "binary_elementwise_apis", "dispatch_for_api", "name_scope"]
    + ["dispatch_for_binary_elementwise_apis", "dispatch_for_unary_elementwise_apis", "get_name", "is_binary_elementwise_op"]
    + ["is_reduction_op", "is_unary_elementwise_op", "lookup_type_spec", "register_type_spec", "unary_elementwise_apis"]
    + [
        "unregister_dispatch_for",
        "FixedLenFeature",
        "FixedLenSequenceFeature",
        "RaggedFeature",
        "SparseFeature",
        "VarLenFeature",
    ]
    + ["DenseStructuredTensor", "DenseStructuredTensorSpec", "RaggedStructuredTensor", "RaggedStructuredTensorSpec"]
    + ["bfloat16", "double", "float16", "float32", "float64", "half", "int32", "int64", "string", "uint32", "uint64"]
    + ["from_examples", "infer_features", "infer_sequence_features", "parse_examples", "parse_sequence_examples"]
)
_signatures.check_functions(_sys.modules[__name__])
_signatures.check_functions(nest)

# Integrations need other packages, so each one is imported when it is first used: structtensor.spark, structtensor.tf.
_INTEGRATIONS = ("firebase", "ray", "spanner", "spark", "tf")


def _load_integration(name):
    return _importlib.import_module(f"{__name__}.{name}") if name in _INTEGRATIONS else None


# Modules with TensorFlow's names for the functions from above.
from . import dispatch, math, ragged, strings, struct  # noqa: E402, F401

_not_here.give_advice((_sys.modules[__name__], struct, math, strings, ragged, nest, dispatch), _load_integration)
