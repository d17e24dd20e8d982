"""Every public callable, called wrongly: the message is in Python's words and says what is wrong."""

import inspect
import pickle
import re
import sys

import pytest

import structtensor as st

# What a message must not have: the words of the binding library, and names of C++.
FOREIGN = re.compile(r"incompatible function|nanobind|_core\.|std::|absl|\bnb::|missing .* 'self'")
# A name of a function or class of the C++ library. Names that Python has as well are its classes.
CPP_NAME = re.compile(r"\b(?:[A-Z][a-z0-9]+){2,}\b")
MODULES = (st, st.bitwise, st.dispatch, st.io, st.math, st.nest, st.ragged, st.strings, st.struct)
PYTHON_NAMES = {name for module in MODULES for name in module.__all__ if name[0].isupper()}
PYTHON_NAMES |= {"NotImplemented", "RecordBatch", "DataFrame", "PathLike", "NoneType"}
# The message is for users of the command and of C++, too.
PYTHON_NAMES |= {"ColumnFileReader"}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Some of the calls write files."""
    monkeypatch.chdir(tmp_path)


class Wrong:
    """An object that no function expects."""

    def __repr__(self):
        return "<wrong>"


def spans_of_values():
    """(name, callable) of each public function, class and method."""
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not isinstance(value, type):
                yield f"{module.__name__}.{name}", value
    values = [
        st.constant([1, 2]),
        st.ragged.constant([[1], []]),
        st.constant([{"a": 1}]),
        st.constant([{"a": 1}]).spec,
        st.constant([1]).spec,
        st.ragged.constant([[1]]).spec,
        st.RowPartitionSpec(),
        st.RowPartition.from_row_splits([0, 1]),
        st.DynamicRaggedShape.from_lengths([2, (1, 2)]),
        st.TensorShape([1]),
    ]
    for value in values:
        for name in dir(type(value)):
            member = getattr(value, name, None)  # structs of rank 1 have no values
            if callable(member) and not name.startswith("_"):
                yield f"{type(value).__name__}.{name}", member
    for name in st.__all__:
        if isinstance(getattr(st, name), type):
            yield name, getattr(st, name)


CALLABLES = dict(spans_of_values())
# These take whatever they get: any object is a leaf, a value of any kind, or something to compare with.
TAKES_ANYTHING = {
    "structtensor.dispatch.is_binary_elementwise_op",
    "structtensor.dispatch.is_reduction_op",
    "structtensor.dispatch.is_unary_elementwise_op",
    "structtensor.nest.assert_same_structure",
    "Tensor.equals",
    "RaggedTensor.equals",
    "StructuredTensor.equals",
    "StructuredTensorSpec.is_compatible_with",
    "TensorSpec.is_compatible_with",
    "RaggedTensorSpec.is_compatible_with",
    "RowPartitionSpec.is_compatible_with",
    "TensorShape.count",
    "DecodeError",
    # parse_examples() checks features.
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "VarLenFeature",
    "structtensor.nest.flatten",
    "structtensor.nest.flatten_with_joined_string_paths",
    "structtensor.nest.is_nested",
    "structtensor.dispatch.is_unary_elementwise_op",
    "structtensor.dispatch.is_binary_elementwise_op",
    "structtensor.dispatch.is_reduction_op",
}


def parameters_of(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:  # of a method of tuple
        return None


def message_of(function, *args, **kwargs):
    """The message of the error of the call; None if there is no error."""
    try:
        result = function(*args, **kwargs)
        if inspect.isgenerator(result):
            next(result, None)
    except Exception as error:
        expected = (TypeError, ValueError, LookupError, AttributeError, OSError, ImportError, ArithmeticError)
        assert isinstance(error, expected), repr(error)
        return str(error)
    return None


def problems(name, message):
    if message is None:
        return []
    ours = message.split("; known are ")[0]  # names that users have registered follow
    found = FOREIGN.findall(ours) + [n for n in CPP_NAME.findall(ours) if n not in PYTHON_NAMES]
    return [f"{name}: {word}: {message}" for word in found]


def test_an_unknown_keyword():
    wrong = []
    for name, function in CALLABLES.items():
        parameters = parameters_of(function)
        if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters):
            continue
        message = message_of(function, nonsense=Wrong())
        if message is None:
            wrong.append(f"{name}: no error")
        wrong += problems(name, message)
    assert wrong == [], "\n".join(wrong)


def test_all_functions_say_their_parameters():
    """Functions and methods of Python do it in the words of those of the bindings."""
    wrong = []
    for name, function in CALLABLES.items():
        parameters = parameters_of(function)
        if parameters is None or isinstance(function, type) or any(p.kind is p.VAR_KEYWORD for p in parameters):
            continue
        if name in ("TensorShape.count", "TensorShape.index"):  # of tuple
            continue
        message = message_of(function, nonsense=Wrong())
        names = ", ".join(p.name for p in parameters) or "none"
        if not message or not re.fullmatch(rf"(\w+\.)*\w+\(\) .*; its parameters are {names}", message):
            wrong.append(f"{name}: {message}")
    assert wrong == [], "\n".join(wrong)
    with pytest.raises(TypeError, match=r"^from_parquet\(\) .*keyword argument 'path'; its parameters are source, columns$"):
        st.from_parquet(path="rows.parquet")
    with pytest.raises(TypeError, match=r"^StructuredTensor.to_parquet\(\) .*'path'; its parameters are path, options$"):
        st.constant([{"a": 1}]).to_parquet()
    for cls in (st.Scan, st.BoxedTensor, st.TreeValue, st.struct.DenseStructuredTensor, st.struct.RaggedStructuredTensorSpec):
        with pytest.raises(TypeError, match=rf"^{cls.__name__}\(\) missing .*; its parameters are \w+, "):
            cls()
    functions = [st.from_json, st.nest.flatten, st.add, st.strings.upper, st.dispatch.dispatch_for_api]
    for function in [*functions, st.Schema.from_proto, st.Tensor.to_numpy]:
        for protocol in range(4, pickle.HIGHEST_PROTOCOL + 1):  # older ones know no functions of modules in modules
            assert pickle.loads(pickle.dumps(function, protocol)) is function


def test_too_many_arguments():
    wrong = []
    for name, function in CALLABLES.items():
        parameters = parameters_of(function)
        if parameters is None or any(p.kind is p.VAR_POSITIONAL for p in parameters):
            continue
        message = message_of(function, *[Wrong()] * (len(parameters) + 1))
        if message is None:
            wrong.append(f"{name}: no error")
        wrong += problems(name, message)
    assert wrong == [], "\n".join(wrong)


def test_no_arguments():
    wrong = []
    for name, function in CALLABLES.items():
        parameters = parameters_of(function)
        if not parameters:
            continue
        message = message_of(function)
        if message is None and any(p.default is p.empty and p.kind < p.VAR_POSITIONAL for p in parameters):
            wrong.append(f"{name}: no error")
        wrong += problems(name, message)
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("argument", [Wrong(), None, "text", 1.5, -(2**70), [[]], {"a": Wrong()}], ids=repr)
def test_arguments_of_a_wrong_type(argument):
    wrong = []
    for name, function in CALLABLES.items():
        required = [p for p in parameters_of(function) or [] if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
        if not required:
            continue
        message = message_of(function, *[argument] * len(required))
        if message is None and isinstance(argument, Wrong) and name not in TAKES_ANYTHING:
            wrong.append(f"{name}: no error")
        wrong += problems(name, message)
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("argument", [Wrong(), "text", -(2**70), {"a": 1}], ids=repr)
def test_optional_arguments_of_a_wrong_type(argument):
    """Each optional argument by itself, after required ones that fit most functions."""
    wrong = []
    for name, function in CALLABLES.items():
        parameters = parameters_of(function) or []
        required = [p for p in parameters if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
        for optional in parameters:
            if optional.default is not optional.empty and optional.name != "name":
                message = message_of(function, *[st.constant([1])] * len(required), **{optional.name: argument})
                wrong += problems(f"{name}({optional.name}=)", message)
    assert wrong == [], "\n".join(wrong)


MODULES = [st, st.struct, st.math, st.strings, st.ragged, st.nest, st.dispatch]


@pytest.mark.parametrize(
    "name, advice",
    {
        "CompositeTensor": "__tf_type_spec__.*structtensor.ExtensionType",
        "Dimension": "integers, or None",
        "SparseTensor": "no sparse tensors.*structtensor.to_sparse.*structtensor.tf",
        "SparseTensorSpec": "RaggedTensorSpec",
        "Variable": "with_updates",
        "argmax": "argsort.*descending=True",
        "constant_value": "structtensor.constant",
        "errors": "ValueError.*structtensor.DecodeError",
        "experimental": "structtensor.ExtensionType",
        "from_json_proto": r"decode\(text, format='json'\)",
        "from_proto": r"structtensor.Schema.from_class\(Message\).decoder\(\).decode\(\[bytes, ...\]\)",
        "from_protobuf": r"Schema.from_class\(Message\)",
        "hub": "structtensor.tf",
        "keras": "structtensor.tf",
        "matmul": "numpy.matmul",
        "newaxis": "None",
        "ones": r"structtensor.constant\(1.0, shape=.*ones_like",
        "protobuf": r"Schema.from_class\(Message\)",
        "py_function": "call the Python function",
        "struct_constant": "it is structtensor.struct.constant$",
        "type_spec_from_value": "value.spec",
        "variant": "structtensor.BoxedTensor",
        "while_loop": "Python's own loop",
        "zeros": r"structtensor.constant\(0.0, shape=.*zeros_like",
    }.items(),
)
def test_names_of_the_documents_that_are_not_here_say_what_is(name, advice):
    for module in MODULES:
        with pytest.raises(AttributeError, match=f"^{module.__name__} has no '{name}': .*{advice}") as raised:
            getattr(module, name)
        assert dir(raised.value.obj) == []  # where Python looks for similar names to suggest


def test_names_of_other_modules_say_where_they_are():
    for module, name, there in [
        (st, "upper", "structtensor.strings.upper"),
        (st, "nest_flatten", "structtensor.nest.flatten"),
        (st.struct, "reduce_sum", "structtensor.reduce_sum"),
        (st.math, "constant", "structtensor.constant"),
        (st.dispatch, "struct_apply", "structtensor.struct.apply"),
    ]:
        with pytest.raises(AttributeError, match=f"^{module.__name__} has no '{name}': it is {there}$"):
            getattr(module, name)


def test_python_suggests_public_names_alone(capsys):
    for module in MODULES:
        with pytest.raises(AttributeError, match=f"^module '{module.__name__}' has no attribute 'nonsense'$"):
            module.nonsense
        assert [name for name in dir(module) if name.startswith("_")] == []
        assert set(module.__all__) - {"__version__"} <= set(dir(module))
    for expression, end in [
        ("st.rounds", "'rounds'. Did you mean: 'round'?"),
        ("st.erors", "'erors'"),  # not _errors
        ("st.strings.uper", "'uper'. Did you mean: 'upper'?"),
        ("st.newaxis", "value[:, None]"),
    ]:
        with pytest.raises(AttributeError) as raised:
            eval(expression)
        sys.__excepthook__(raised.type, raised.value, None)  # as Python shows an exception that nothing handles
        assert capsys.readouterr().err.endswith(f"{end}\n")


def test_names_of_fields_stay_as_they_are_in_messages():
    for name in ("SortByField", "ReduceSum", "Cast", "Sort", "FromArrow"):
        with pytest.raises(ValueError, match=rf"field {name}: "):
            st.StructuredTensor.from_fields({"a": [1, 2], name: [1]})
        with pytest.raises(TypeError, match=f"its only field is {name}"):
            st.abs(st.constant([{name: 1}]))


FUNCTION_RETURNED_NONE = (TypeError, "^the function returned None; expected the value of the field$")
NO_FUNCTION = (TypeError, "^function: expected a function, found int$")
ROWS = st.constant([{"a": 1, "n": {"z": 1}}])


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: ROWS.apply(["a"], "c", 5), *NO_FUNCTION),
        (lambda: st.struct.apply(ROWS, ["a"], "c", 5), *NO_FUNCTION),
        (lambda: ROWS.map_values("a", "c", 5), *NO_FUNCTION),
        (lambda: ROWS.apply(st.add, ["a", "n.z"], "c"), TypeError, r"found a function; it is the last argument of apply\(\)"),
        (lambda: ROWS.apply("a", "c", lambda a: None), *FUNCTION_RETURNED_NONE),
        (lambda: ROWS.map_values("a", "c", lambda a: None), *FUNCTION_RETURNED_NONE),
        (lambda: ROWS.with_updates(a=lambda a: None), *FUNCTION_RETURNED_NONE),
        (lambda: ROWS[1.5], TypeError, "^index: expected an integer, .*, found float$"),
        (lambda: ROWS["a"][0.5], TypeError, "^index: expected an integer, .*, found float$"),
        (lambda: ROWS[{"a": 1}], TypeError, "^index: expected an integer, .*, found dict$"),
        (lambda: st.constant({1, 2}), TypeError, "^value: expected a number, .*, found set$"),
        (lambda: st.constant({"a": {1, 2}}), TypeError, "^a: expected a number, .*, found set$"),
        (lambda: st.constant([{"a": 1}, {"a": {"b c": [1, {2}]}}]), TypeError, r'^\[1\].a."b c"\[1\]: expected .*, found set$'),
        (lambda: ROWS.field_value("x"), KeyError, "^'field path x: there is no field x; its fields are a, n'$"),
        (lambda: ROWS.without("x"), KeyError, "^'field path x: there is no field x; its fields are a, n'$"),
        (lambda: ROWS.field_value("n.x"), KeyError, "^'field path n.x: there is no field x in n; its only field is z'$"),
    ],
)
def test_bindings_name_what_is_wrong(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("value", [st.constant({"a": 1}), st.constant(1)], ids=["struct", "number"])
def test_arrow_says_how_a_scalar_becomes_a_row(value):
    pyarrow = pytest.importorskip("pyarrow")
    for take in (pyarrow.array, pyarrow.record_batch, pyarrow.schema):
        with pytest.raises(ValueError, match=r"expected rank 1 or more, found .*; structtensor.expand_dims\(value, 0\) makes"):
            take(value)


@pytest.mark.parametrize("method", ["to_protobuf", "to_protobuf_json", "to_examples", "to_arrow"])
def test_what_writes_rows_says_how_structs_become_rows(method):
    expected = rf"^{method}\(\): expected structs of rank 1, found rank"
    with pytest.raises(ValueError, match=rf"{expected} 0; structtensor.expand_dims\(struct, 0\) makes one row"):
        getattr(st.constant({"a": 1}), method)()
    with pytest.raises(ValueError, match=rf"{expected} 2; structtensor.merge_dims\(structs, 0, -1\) makes each struct a row"):
        getattr(st.constant([[{"a": 1}]]), method)()


def test_static_methods_are_static():
    assert st.constant([{"a": 1}]).from_fields({"b": [1]}).to_py() == [{"b": 1}]
    with pytest.raises(TypeError, match=r"from_row_splits\(\) missing .*'row_splits'; its parameters are values, row_splits$"):
        st.RaggedTensor.from_row_splits([1])


def test_bounds_have_no_position():
    with pytest.raises(TypeError, match="too many positional arguments"):
        st.gather([[1, 2]], [0], 1, 0, "name", "values")
    with pytest.raises(TypeError, match="too many positional arguments"):
        st.constant([[1, 2]]).gather([0], 1, 0, "values")


def test_every_operation_takes_a_name():
    assert st.add(1, 2, name="sum").to_py() == st.add(1, 2, "sum").to_py() == 3
    assert st.gather([1, 2], [0], 0, 0, "chosen").to_py() == [1]  # where the documents have it
    with pytest.raises(TypeError, match=r"^add\(\): name: expected a string or None, found int$"):
        st.add(1, 2, name=3)
    operations = [f for f in CALLABLES.values() if hasattr(f, "_api")]
    of_one_kind = [f for f in operations if all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters_of(f))]
    assert len(of_one_kind) > 140
    assert [f.__name__ for f in of_one_kind if "name" not in inspect.signature(f).parameters] == []


def test_public_functions_of_the_bindings_have_one_signature():
    for function in CALLABLES.values():
        bound = getattr(getattr(function, "_api", None), "original", None) or getattr(function, "__wrapped__", None)
        assert len(getattr(bound, "__nb_signature__", [None])) == 1, function


def test_advice_where_a_name_is_imported():
    for line, advice in (
        ("from structtensor import SparseTensor", "there are no sparse tensors here"),
        ("from structtensor import nest, struct_constant", "it is structtensor.struct.constant"),
        ("from structtensor.struct import constant_value", "structtensor.constant"),
    ):
        with pytest.raises(ImportError, match=f"has no '.*': .*{advice}"):
            exec(line, {})
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        exec("from structtensor import nonsense", {})
    assert not hasattr(st, "SparseTensor")


def test_a_wrong_keyword_is_named_before_a_missing_argument():
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'dim'; its parameters are input, axis, name"):
        st.expand_dims(ROWS, dim=1)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'form'"):
        st.TensorSpec(form=[2])


def test_operations_on_boxes():
    with pytest.raises(TypeError, match=r"rank\(\) is not defined for BoxedTensor; from_boxed_tensor\(\) of a spec takes"):
        st.rank(st.TensorSpec([], "int64").to_boxed_tensor(st.constant(1)))
