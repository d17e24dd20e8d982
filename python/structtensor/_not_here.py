"""Names that the modules of the package do not have: what to use instead.

They are names of TensorFlow, of its two design documents, and of the package where another module has them.
"""

import dis
import sys

_GRAPHS = "there are no graphs here, so write Python's own {}; use structtensor.tf with tf.{}"
_PROTOBUF = (
    "structtensor.Schema.from_class(Message).decoder().decode([bytes, ...]) makes rows of serialized messages, and "
    "structtensor.read(file, schema) of a file"
)
_NO_SPARSE = "there are no sparse tensors here; "
_ELEMENTS = "structtensor.constant({}, shape=[...]) repeats an element, and structtensor.{}_like() takes the shape of a value"
_FIRST_OF_SORTED = "structtensor.argsort(values{})[..., 0] has the position in each row"
_FEW_BITS = "there are no integers of 8 or 16 bits; use int32 or uint32"

ADVICE = {
    **{
        name: "structtensor.constant() makes values of lists, arrays and ranges"
        for name in ("arange", "array", "asarray", "range")
    },
    **{name: f"it is structtensor.reduce_{name}" for name in ("all", "any", "max", "mean", "min", "prod", "std", "sum")},
    "concatenate": "it is structtensor.concat",
    "floordiv": "it is structtensor.floor_divide",
    "floormod": "it is structtensor.mod",
    "isfinite": "it is structtensor.math.is_finite",
    "isinf": "it is structtensor.math.is_inf",
    "isnan": "it is structtensor.math.is_nan",
    "pow": "it is structtensor.power",
    "to_upper": "it is structtensor.strings.upper",
    "to_lower": "it is structtensor.strings.lower",
    "truediv": "it is structtensor.divide",
    "parse_example": "it is structtensor.io.parse_examples",
    "parse_single_example": "structtensor.io.parse_examples() takes a list of one message",
    "CompositeTensor": "a class with __tf_type_spec__() is a type of values; structtensor.ExtensionType is the shortest way",
    "Dimension": "the sizes in a TensorShape are integers, or None where they are not known",
    "SparseTensor": _NO_SPARSE + "structtensor.to_sparse() gives the indices, values and dense shape of a ragged tensor as "
    "three tensors, and structtensor.tf works with TensorFlow's own",
    "SparseTensorSpec": _NO_SPARSE + "structtensor.RaggedTensorSpec is the spec of ragged ones",
    "StructuredTensorValue": "a StructuredTensor has its values itself; it was TensorFlow 1's result of Session.run()",
    "Variable": "values do not change; with_updates() makes a changed copy. structtensor.tf takes a tf.Variable as a field",
    "argmax": _FIRST_OF_SORTED.format(", descending=True"),
    "argmin": _FIRST_OF_SORTED.format(""),
    "case": _GRAPHS.format("if", "case"),
    "cond": _GRAPHS.format("if", "cond"),
    "constant_value": "structtensor.constant() makes the value itself; this one was for TensorFlow 1's Session.run()",
    "data": "use structtensor.tf with tf.data; structtensor.scan() reads files in batches",
    "errors": "errors are Python's ValueError, TypeError, KeyError and IndexError; structtensor.DecodeError is of messages",
    "experimental": "names of tf.experimental are names of structtensor, such as structtensor.ExtensionType",
    "from_json_proto": "decoder().decode(text, format='json') of a structtensor.Schema makes rows of protobuf's JSON",
    "from_proto": _PROTOBUF,
    "from_protobuf": _PROTOBUF,
    "function": _GRAPHS.format("functions", "function"),
    "get_name": "it is structtensor.type_spec_name",
    "group": "there are no graphs here, and operations run at once",
    "hub": "use structtensor.tf with TensorFlow Hub",
    "int16": _FEW_BITS,
    "int8": _FEW_BITS,
    "keras": "use structtensor.tf with Keras",
    "map_fn": "write [f(row) for row in rows] and structtensor.stack(), or call a function on all rows at once",
    "matmul": "there are no products of matrices; NumPy multiplies dense tensors, numpy.matmul(x.to_numpy(), y.to_numpy())",
    "newaxis": "write None in the key, as in value[:, None]",
    "ones": _ELEMENTS.format("1.0", "ones"),
    "protobuf": _PROTOBUF,
    "py_function": "there are no graphs here, so call the Python function itself",
    "saved_model": "use structtensor.tf with tf.saved_model; values and specs of the package are pickled",
    "select": "field_value() of a StructuredTensor gives the value at a path; select() of a scan chooses fields",
    "type_spec_from_value": "value.spec is the spec of a value; structtensor.constant() makes values of lists and arrays",
    "uint16": _FEW_BITS,
    "uint8": _FEW_BITS,
    "variant": "structtensor.BoxedTensor holds values of any type, and ExtensionRows the rows of an extension type",
    "while_loop": _GRAPHS.format("loop", "while_loop"),
    "zeros": _ELEMENTS.format("0.0", "zeros"),
}


class _NoNames:
    """In place of the module in an AttributeError: Python's tracebacks suggest none of its names beside our advice."""

    def __dir__(self):
        return []


def _elsewhere(name, modules):
    """Where another module has the name, or "module_name" is written for module.name; None if nowhere."""
    for module in modules:
        short = module.__name__.rpartition(".")[2]
        for there in (name, name.removeprefix(f"{short}_"), name.removeprefix(f"{short.removesuffix('s')}_")):
            if there in vars(module).get("__all__", ()):  # a module that is being imported may have none yet
                return f"it is {module.__name__}.{there}"
    return None


def _is_import(frame):
    """Whether the frame runs "from module import name". Python replaces an AttributeError there, and its advice with it."""
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["IMPORT_FROM"]


def give_advice(modules, load=None):
    """Makes the AttributeErrors of the modules say what to use instead, and Python suggest public names only.

    load: a function that imports a part of the first module, or returns None if there is none of this name.
    """
    for module in modules:
        _give_advice(module, modules, load if module is modules[0] else None)


def _give_advice(module, modules, load):
    def getattribute(name):
        found = None if load is None else load(name)
        if found is not None:
            return found
        advice = ADVICE.get(name) or _elsewhere(name, modules)
        if advice is not None and _is_import(sys._getframe(1)):
            raise ImportError(f"{module.__name__} has no {name!r}: {advice}", name=module.__name__)
        if advice is not None:
            raise AttributeError(f"{module.__name__} has no {name!r}: {advice}", name=name, obj=_NoNames())
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)

    module.__getattr__ = getattribute
    module.__dir__ = lambda: [name for name in vars(module) if not name.startswith("_")]
