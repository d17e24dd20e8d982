"""Signatures of the functions of the bindings, and their TypeErrors in Python's words.

The binding library's own TypeErrors list signatures of C++. Here they say which argument is wrong, and what was expected.
"""

import ast
import functools
import inspect
import sys
import types

_RAW = "incompatible function arguments"
# Every operation takes a name, as in TensorFlow, where it names nodes of graphs. There are no graphs here.
_NAME = "name"

_EXPECTED = {
    "object": "a value",
    "bool": "True or False",
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bytes": "bytes",
    "dict": "a dict",
    "list": "a list",
    "tuple": "a tuple",
}
_CLASSES = {"bool": bool, "int": int, "float": (int, float), "str": str, "bytes": bytes}
_CLASSES |= {"dict": dict, "list": list, "tuple": tuple}


def is_of_bindings(function):
    """Whether it is a function, or a method, of the bindings."""
    return hasattr(function, "__nb_signature__")


def is_raw(error):
    """Whether it is the binding library's own TypeError for arguments that fit no overload."""
    return isinstance(error, TypeError) and _RAW in str(error)


def _default_of(node, defaults):
    if isinstance(node, ast.Name) and node.id.startswith("__default_"):
        return defaults[int(node.id.removeprefix("__default_"))]
    return ast.literal_eval(node)


def _signatures(function):
    """The signature of each overload. Annotations are strings."""
    for text, _, defaults in function.__nb_signature__:
        # The text has defaults as "\\0", "\\1", ...: positions in `defaults`.
        parsed = ast.parse(text.replace("\\", "__default_") + ": pass").body[0].args
        parameters = []
        positional = parsed.posonlyargs + parsed.args
        first_default = len(positional) - len(parsed.defaults)
        for i, argument in enumerate(positional):
            default = inspect.Parameter.empty
            if i >= first_default:
                default = _default_of(parsed.defaults[i - first_default], defaults)
            only_by_position = i < len(parsed.posonlyargs)
            kind = inspect.Parameter.POSITIONAL_ONLY if only_by_position else inspect.Parameter.POSITIONAL_OR_KEYWORD
            annotation = inspect.Parameter.empty if argument.annotation is None else ast.unparse(argument.annotation)
            parameters.append(inspect.Parameter(argument.arg, kind, default=default, annotation=annotation))
        if parsed.vararg is not None:
            parameters.append(inspect.Parameter(parsed.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
        for argument, default in zip(parsed.kwonlyargs, parsed.kw_defaults, strict=True):
            annotation = inspect.Parameter.empty if argument.annotation is None else ast.unparse(argument.annotation)
            default = inspect.Parameter.empty if default is None else _default_of(default, defaults)
            parameters.append(
                inspect.Parameter(argument.arg, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            )
        if parsed.kwarg is not None:
            parameters.append(inspect.Parameter(parsed.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
        yield inspect.Signature(parameters)


def signature_of(function, takes_name=False):
    """The signature of a function of the bindings or of Python, without annotations. takes_name: it also has `name=None`."""
    signature = next(_signatures(function)) if is_of_bindings(function) else inspect.signature(function)
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if takes_name and _NAME not in signature.parameters and not any(p.kind in variable for p in parameters):
        position = sum(p.kind is not inspect.Parameter.KEYWORD_ONLY for p in parameters)
        parameters.insert(position, inspect.Parameter(_NAME, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None))
    return signature.replace(parameters=parameters)


def position_of_name(signature):
    """The position of `name` among the arguments, or a number above any position."""
    names = list(signature.parameters)
    return names.index(_NAME) if _NAME in names else sys.maxsize


def _wrong_argument(signature, arguments):
    """What is wrong with one of the arguments, or None."""
    for name, value in arguments.items():
        annotation = signature.parameters[name].annotation
        if annotation is inspect.Parameter.empty and signature.parameters[name].kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD:
            annotation = "object"  # written without one
        if not isinstance(annotation, str):
            continue
        allowed = [part.strip() for part in annotation.split("|")]
        if value is None and "None" in allowed:
            continue
        classes = [part for part in allowed if part != "None"]
        plain = tuple(_CLASSES[part] for part in classes if part in _CLASSES)
        if "object" in classes:
            fits = value is not None
        elif plain:
            fits = isinstance(value, plain) and (bool in plain or not isinstance(value, bool))
        else:
            fits = type(value).__name__ in [part.rsplit(".", 1)[-1] for part in classes]
        if not fits:
            expected = " or ".join(_EXPECTED.get(part, f"a {part.rsplit('.', 1)[-1]}") for part in classes)
            found = "None" if value is None else type(value).__name__
            return f"{name}: expected {expected}, found {found}"
    return None


def type_error(name, function, args, kwargs, is_method=False, parameters=None):
    """The TypeError for a call with arguments that the bindings refused.

    is_method: the first argument is the object itself. parameters: the names to show, if the function has more parameters than
    that of the bindings.
    """
    signature = next(_signatures(function))  # public functions have one
    if is_method:
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return TypeError(f"{name}() {_with_names(error, parameters or signature.parameters, kwargs)}")
    wrong = _wrong_argument(signature, bound.arguments)
    if wrong is None:
        found = ", ".join(type(value).__name__ for value in (*args, *kwargs.values()))
        wrong = f"found arguments of the types {found}, which do not fit each other"
    return TypeError(f"{name}(): {wrong}")


def _with_names(error, parameters, keywords):
    # A wrong name is the cause of a missing argument, which Python would report first.
    unknown = next((keyword for keyword in keywords if keyword not in parameters), None)
    problem = error if unknown is None else f"got an unexpected keyword argument {unknown!r}"
    return f"{problem}; its parameters are {', '.join(parameters) or 'none'}"


@functools.cache
def _signature_of_text(text):
    (definition,) = ast.parse(text + ": pass").body
    names = [argument.arg for argument in definition.args.args[1:]]
    defaults = [ast.literal_eval(node) for node in definition.args.defaults]
    annotations = [ast.unparse(argument.annotation) for argument in definition.args.args[1:]]
    first_default = len(names) - len(defaults)
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=defaults[i - first_default] if i >= first_default else inspect.Parameter.empty,
                annotation=annotations[i],
            )
            for i, name in enumerate(names)
        ]
    )


def arguments_of(class_name, signature_text, args, kwargs):
    """All arguments of a constructor, in order, with defaults. For the bindings (documented_class.h)."""
    signature = _signature_of_text(signature_text)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        problem = TypeError(f"{class_name}() {_with_names(error, signature.parameters, kwargs)}")
    else:
        wrong = _wrong_argument(signature, bound.arguments)
        if wrong is None:
            bound.apply_defaults()
            return bound.args
        problem = TypeError(f"{class_name}(): {wrong}")
    raise problem


def checked(name, function, is_method=False, takes_name=True):
    """`function`, a function or a method of the bindings, with TypeErrors in Python's words.

    is_method: the first argument is the object. takes_name: it also takes `name=None`, as operations do.
    """
    signature = signature_of(function, takes_name)
    takes_name = _NAME in signature.parameters and _NAME not in next(_signatures(function)).parameters
    position = position_of_name(signature) if takes_name else sys.maxsize

    @functools.wraps(function)
    def call(*args, **kwargs):
        if takes_name and kwargs and _NAME in kwargs:
            check_name(name, kwargs.pop(_NAME))
        elif len(args) > position:
            check_name(name, args[position])
            args = (*args[:position], *args[position + 1 :])
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if not is_raw(error):
                raise
            problem = type_error(
                name, function, args[1:] if is_method else args, kwargs, is_method, None if is_method else signature.parameters
            )
        raise problem

    call.__signature__ = signature
    return call


def check_name(function_name, name):
    """Raises TypeError if the `name` of an operation is not a string or None."""
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{function_name}(): name: expected a string or None, found {type(name).__name__}")


def check_private_functions(module):
    """Replaces the private functions of the bindings, which functions of Python hand their arguments to, with checked ones."""
    for name, function in list(vars(module).items()):
        if name.startswith("_") and is_of_bindings(function):
            # The user called the function of Python with the same name.
            setattr(module, name, checked(name.removeprefix("_"), function, takes_name=False))


def with_parameters(name, function, is_method=False, takes_name=False):
    """`function`, which is written in Python, with the same words for calls that do not fit its parameters.

    takes_name: what calls it takes `name=None`, too.
    """
    signature = signature_of(function, takes_name)
    if is_method:
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__.tb_next is not None:
                raise  # raised by the function itself
            try:
                signature.bind(*(args[1:] if is_method else args), **kwargs)
            except TypeError as mismatch:
                problem = TypeError(f"{name}() {_with_names(mismatch, signature.parameters, kwargs)}")
            else:
                raise
        raise problem

    return call


def with_signature_of(other):
    """Decorator of a function that passes all of its arguments on to `other`: help() shows the parameters of `other`."""

    def decorate(function):
        function.__signature__ = inspect.signature(other)
        return function

    return decorate


def set_place(function, module):
    """Says where pickles find a function: in the package, or in a module of it.

    Pickles import the package alone: another thread may be importing it, and an import of the module would not wait for that
    thread.
    """
    function.__module__ = "structtensor"
    function.__qualname__ = f"{module}.{function.__name__}" if module else function.__name__


def public_in(module):
    """Decorator of a function of Python that is public in the module of the package; "" is the package itself."""

    def decorate(function):
        checked_function = with_parameters(function.__name__, function)
        set_place(checked_function, module)
        return checked_function

    return decorate


public = public_in("")


def check_calls(cls):
    """Decorator of a class that is written in Python: replaces its constructor and its public methods with checked ones."""
    if "__new__" in vars(cls) or "__init__" in vars(cls):
        _check_constructor(cls)
    check_methods(cls)
    return cls


def _check_constructor(cls):
    name = "__new__" if "__new__" in vars(cls) else "__init__"
    function = vars(cls)[name]
    checked_function = with_parameters(cls.__name__, getattr(function, "__func__", function), is_method=True)
    setattr(cls, name, staticmethod(checked_function) if name == "__new__" else checked_function)


def check_methods(cls):
    """Replaces the public methods of a class with checked ones. Also a decorator."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        # Methods of the bindings are of the class nb_method, static ones of the class nb_func.
        is_static = isinstance(member, staticmethod) or type(member).__name__ == "nb_func"
        function = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        full_name = f"{cls.__name__}.{name}"
        if is_of_bindings(function):
            method = checked(full_name, function, is_method=not is_static, takes_name=False)
        elif isinstance(function, types.FunctionType):
            method = with_parameters(full_name, function, is_method=not is_static)
        else:
            continue
        kind = staticmethod if is_static else classmethod if isinstance(member, classmethod) else None
        setattr(cls, name, method if kind is None else kind(method))
    return cls
