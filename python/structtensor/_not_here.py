"""Names of TensorFlow that its two design documents use and the package does not have, with what to use instead."""

_GRAPHS = "there are no graphs here, so write Python's own {}; use structtensor.tf with tf.{}"

ADVICE = {
    "Variable": "values do not change; with_updates() makes a changed copy. structtensor.tf takes a tf.Variable as a field",
    "SparseTensor": "structtensor.to_sparse() gives the indices, values and shape of a ragged tensor",
    "SparseTensorSpec": "there are no sparse tensors; structtensor.RaggedTensorSpec is the spec of ragged ones",
    "StructuredTensorValue": "a StructuredTensor has its values itself; it was TensorFlow 1's result of Session.run()",
    "constant_value": "structtensor.constant() makes the value itself; this one was for TensorFlow 1's Session.run()",
    "case": _GRAPHS.format("if", "case"),
    "cond": _GRAPHS.format("if", "cond"),
    "data": "use structtensor.tf with tf.data; structtensor.scan() reads files in batches",
    "function": _GRAPHS.format("functions", "function"),
    "group": "there are no graphs here, and operations run at once",
    "map_fn": "write [f(row) for row in rows] and structtensor.stack(), or call a function on all rows at once",
    "saved_model": "use structtensor.tf with tf.saved_model; values and specs of the package are pickled",
    "while_loop": _GRAPHS.format("loop", "while_loop"),
}


def attribute_error(module, name):
    """The AttributeError for a name that a module does not have."""
    if name in ADVICE:
        return AttributeError(f"{module} has no {name!r}: {ADVICE[name]}")
    return AttributeError(f"module {module!r} has no attribute {name!r}")


def give_advice(module):
    """Makes the AttributeErrors of a module say what to use instead."""

    def getattribute(name):
        raise attribute_error(module.__name__, name)

    module.__getattr__ = getattribute
