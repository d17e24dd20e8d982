"""struct2tensor's expressions, implemented by the operations of structtensor: from structtensor.tf import s2t

    expression = s2t.create_expression_from_proto(serialized, Query.DESCRIPTOR)
    expression = expression.promote("event.action.number_of_views", "views").project(["event.query", "event.views"])
    prensor, = s2t.calculate_prensors([expression])
    s2t.get_ragged_tensors(prensor)          # {Path: tf.RaggedTensor}

Names, arguments and results are those of struct2tensor 0.48. An expression is computed when its values are asked for. Only the
fields that it needs are decoded. In some cases struct2tensor does not read bytes as protobuf does: messages that have to be
merged, oneofs, maps. This package reads them as protobuf does. A proto3 field without presence has a value in each message
here. In struct2tensor, it has no value if the value is the default.

Each step of a path has one axis, even if the field is not repeated. Its rows then have 0 or 1 values.
"""

from . import (calculate, create_expression, expression, expression_impl, path, prensor, prensor_util)  # fmt: skip
from .calculate import calculate_prensors, calculate_structured
from .create_expression import (
    create_expression_from_file_descriptor_set,
    create_expression_from_prensor,
    create_expression_from_proto,
    create_expression_from_structured,
)
from .expression import Expression
from .path import Path, Step, create_path
from .prensor import (
    ChildNodeTensor,
    LeafNodeTensor,
    Prensor,
    RootNodeTensor,
    create_prensor_from_descendant_nodes,
    create_prensor_from_root_and_children,
    get_ragged_tensor,
    get_ragged_tensors,
    get_sparse_tensor,
    get_sparse_tensors,
)

__all__ = [
    "ChildNodeTensor",
    "Expression",
    "LeafNodeTensor",
    "Path",
    "Prensor",
    "RootNodeTensor",
    "Step",
    "calculate",
    "calculate_prensors",
    "calculate_structured",
    "create_expression",
    "create_expression_from_file_descriptor_set",
    "create_expression_from_prensor",
    "create_expression_from_proto",
    "create_expression_from_structured",
    "create_path",
    "create_prensor_from_descendant_nodes",
    "create_prensor_from_root_and_children",
    "expression",
    "expression_impl",
    "get_ragged_tensor",
    "get_ragged_tensors",
    "get_sparse_tensor",
    "get_sparse_tensors",
    "path",
    "prensor",
    "prensor_util",
]
