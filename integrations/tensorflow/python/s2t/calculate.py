"""The values of expressions."""

from .._type import StructuredTensor
from .path import Path
from .prensor import RootNodeTensor, prensor_of


def calculate_prensors(expressions, options=None):
    """The values of each expression, as prensors."""
    del options
    return [_calculate(expression) for expression in expressions]


def calculate_structured(expressions):
    """The values of each expression, as structtensor.tf.StructuredTensors."""
    return [_structs(expression) for expression in expressions]


def _structs(expression):
    tree = expression._tree
    structs = expression._make(set(tree.leaves()) | {(name,) for name, child in tree.children.items() if child.type is None})
    return _as_tree(structs, tree)


def _calculate(expression):
    structs = _structs(expression)
    prensor = prensor_of(structs, expression._tree, RootNodeTensor(structs.nrows()))
    return prensor.get_descendant_or_error(Path(expression._at, validate_step_format=False))


def _as_tree(structs, tree):
    """The structs with only the fields of the expression."""
    fields = {}
    for name, child in tree.children.items():
        if name in structs._flat_fields:
            field = structs._flat_fields[name]
            fields[name] = _as_tree(field, child) if isinstance(field, StructuredTensor) else field
    return structs._with_fields(fields)
