"""Classes and functions of structs, as in tf.struct of the RFC "StructuredTensor".

The functions of paths are methods of StructuredTensor, too.
"""

from ._arrow import from_arrow
from ._core import StructuredTensor
from ._functions import (
    apply,
    broadcast,
    constant,
    filter,
    has,
    index_each,
    limit_depth,
    map_values,
    promote,
    reroot,
    size_each,
    slice_path,
    sort_by_field,
    truncate,
    with_only,
    with_updates,
    without,
)
from ._json import from_json
from ._pandas import from_pandas
from ._parquet import from_parquet
from ._struct_classes import (
    DenseStructuredTensor,
    DenseStructuredTensorSpec,
    RaggedStructuredTensor,
    RaggedStructuredTensorSpec,
)

__all__ = [
    "DenseStructuredTensor",
    "DenseStructuredTensorSpec",
    "RaggedStructuredTensor",
    "RaggedStructuredTensorSpec",
    "StructuredTensor",
    "apply",
    "broadcast",
    "constant",
    "filter",
    "from_arrow",
    "from_json",
    "from_pandas",
    "from_parquet",
    "has",
    "index_each",
    "limit_depth",
    "map_values",
    "promote",
    "reroot",
    "size_each",
    "slice_path",
    "sort_by_field",
    "truncate",
    "with_only",
    "with_updates",
    "without",
]
