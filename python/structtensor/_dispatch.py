"""Dispatch: extension types register functions that the functions of structtensor call for them.

    @st.dispatch.dispatch_for_api(st.concat)
    def masked_concat(values: list[MaskedTensor], axis=0): ...

Every public function of the bindings is wrapped in a function that looks for registered functions. The look costs little as
long as none is registered. A registered function, a target, is called if the types of the arguments match its signature, and at
least one argument is of a type that is not built in. Names and rules are those of tf.experimental.dispatch_for_api and its
family. The RFC "Extension types" defines the order in which targets are tried:

1. a target for a subclass before a target for its superclass, whichever arguments match;
2. then the target that matches an earlier argument, or matches it more closely;
3. then a target for this function before a target for all elementwise functions;
4. then the target that was registered first.
A target that returns NotImplemented is skipped. If all targets do, the function itself is called.
"""

import collections.abc
import contextlib
import functools
import inspect
import math
import threading
import types
import typing

import numpy as np

from . import _boxing
from . import _core
from . import _docs
from . import _map_key
from . import _numpy
from . import _operations
from . import _signatures
from . import _type_spec

_BUILT_IN = (
    (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor, _core.ExtensionRows, np.ndarray, np.generic)
    + (int, float, bool, str, bytes, complex, list, tuple, dict, type(None))
)



@typing.runtime_checkable
class DispatchableType(typing.Protocol):
    """The protocol of types that say what functions of structtensor do with their values. No class needs to derive from it.

    Source: the RFC "Extension types", which calls it tf.DispatchableType.
    """

    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        """The result of op(*args, **kwargs), or NotImplemented. All arguments that have a position are in args.

        A class that also has __tf_dispatch_types__, a tuple of types, is only asked if all values are of these types.
        """
        return NotImplemented


@_signatures.public
def name_scope(name):
    """A context manager that does nothing. In TensorFlow it names nodes of graphs, and there are no graphs here.

    So functions that TensorFlow's users have written, such as handlers for dispatch, run as they are. Raises TypeError for a
    name that is not a string or None.
    """
    _signatures.check_name("name_scope", name)
    return contextlib.nullcontext(name)


TensorLike = typing.Union[
    _core.Tensor, _core.RaggedTensor, np.ndarray, np.generic, int, float, bool, str, bytes, list, tuple
]

# Functions that transform each element of their first argument, and functions that combine the elements of their first two.
_UNARY = _operations.names("unary") | frozenset(
    """cast clip identity zeros_like ones_like string_length string_substr string_starts_with string_ends_with
    string_regex_full_match string_regex_replace""".split()
)
_BINARY = _operations.names("binary")
_REDUCTIONS = _operations.names("reduction") | {"string_reduce_join"}

_apis = {}  # by name
_registering = threading.RLock()  # dispatching needs no lock: lists of targets are replaced, never changed


# --- Which arguments match


class _TypeMatcher:
    """A class, or a union of classes and lists."""

    def __init__(self, classes, items):
        self.classes = classes
        self.items = items  # the matchers of the items of lists

    def match(self, value):
        """None if the value does not match; else the classes that its parts matched, without built-in classes."""
        for kind in type(value).__mro__:
            if kind in self.classes:
                return [] if kind in _BUILT_IN else [(kind, type(value).__mro__.index(kind))]
        for kind in self.classes:  # classes that define isinstance() themselves
            if isinstance(value, kind):
                return [] if kind in _BUILT_IN else [(kind, len(type(value).__mro__))]
        if isinstance(value, (list, tuple)):
            for item in self.items:
                found = [item.match(part) for part in value]
                if None not in found:
                    return [match for matches in found for match in matches]
        return None

    def has_own_type(self):
        return any(kind not in _BUILT_IN for kind in self.classes) or any(item.has_own_type() for item in self.items)


def _matcher(annotation, where, depth=0):
    if depth > 20:
        raise ValueError(f"{where}: the annotation is too deep")
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union or origin is types.UnionType:
        parts = [_matcher(argument, where, depth + 1) for argument in arguments]
        return _TypeMatcher(
            tuple(kind for part in parts for kind in part.classes), tuple(item for part in parts for item in part.items)
        )
    if origin in (list, tuple, collections.abc.Sequence) and arguments:
        rest = [argument for argument in arguments if argument is not ...]
        if len(rest) == 1:
            return _TypeMatcher((), (_matcher(rest[0], where, depth + 1),))
    if annotation is None:
        annotation = type(None)
    if isinstance(annotation, type) and origin is None and annotation is not typing.Any:
        return _TypeMatcher((annotation,), ())
    raise ValueError(
        f"{where}: cannot dispatch on the annotation {annotation!r}; there are classes, and Union, Optional and List of classes"
    )


class _Target:
    """A function, and the signatures by which it is chosen."""

    def __init__(self, function, call, signatures, is_elementwise):
        self.function = function
        self.call = call  # called with the canonical arguments
        self.signatures = signatures  # for each signature, {position: matcher}
        self.is_elementwise = is_elementwise
        self.takes_name = not is_elementwise and "name" in inspect.signature(function).parameters

    def match(self, arguments):
        """None, or (the classes that matched, the positions of the arguments and how closely they matched)."""
        for signature in self.signatures:
            classes, places = [], []
            for position, matcher in signature.items():
                found = matcher.match(arguments[position]) if position < len(arguments) else None
                if found is None:
                    break
                for kind, distance in found:
                    classes.append(kind)
                    places.append((position, distance))
            else:
                if classes:
                    # The end sorts after any position, so a target that matches more arguments comes first.
                    return classes, [*sorted(places), (math.inf, 0)]
        return None


def _before(a, b):
    """Compares two matches: negative if a is tried first."""
    (_, (a_classes, a_places)), (_, (b_classes, b_places)) = a, b

    def has_subclass(of, classes):
        return any(one is not other and issubclass(one, other) for one in of for other in classes)

    a_first, b_first = has_subclass(a_classes, b_classes), has_subclass(b_classes, a_classes)
    if a_first != b_first:
        return -1 if a_first else 1
    a_key, b_key = (a_places, a[0].is_elementwise), (b_places, b[0].is_elementwise)
    return (a_key > b_key) - (a_key < b_key)


# --- Functions


# Types that no target is for. They are looked at first, so that functions of plain values stay fast when targets are
# registered.
_PLAIN = frozenset(
    {*_BUILT_IN, slice, type(...), types.FunctionType, _map_key.MapKey, _core.RowPartition, _core.Batch} - {list, tuple}
)


def _may_match(arguments, depth=0):
    """Whether a value, or an item of a list, is of a type that is not built in."""
    if depth > 100:
        return False  # the function itself reports a list that is so deep, or contains itself
    for argument in arguments:
        kind = type(argument)
        if kind in _PLAIN:
            continue
        if kind not in (list, tuple) or _may_match(argument, depth + 1):
            return True
    return False


# The parameters that take values. They are looked at for types with __tf_dispatch__(); arguments of other parameters, such as
# `axis` and functions, are not.
_OF_VALUES = frozenset(
    """x y a b input input_ input_tensor inputs value values tensor params data arr logits structs condition mask indices
    partitions low high on_value off_value""".split()
)
# Those of them that take a list of values.
_OF_LISTS = frozenset({"inputs", "values"})
# The parameters that take sizes. An argument is looked at only if its type has something to say about it.
_OF_SIZES = frozenset({"begin", "multiples", "repeats", "shape", "shift", "size"})

# Functions that ask for axes, and would give the answers for a scalar if a type does not say what its axes are.
_OF_AXES = frozenset({"rank", "shape", "size"})


class _Api:
    def __init__(self, name, original):
        self.name = name
        self.shown = shown(name)
        self.original = original
        self.signature = _signatures.signature_of(original, takes_name=True)
        self.parameters = [parameter for parameter in self.signature.parameters if parameter != "name"]
        self.takes_name = "name" in self.signature.parameters
        # `name` is taken out of the arguments before these positions count.
        self.value_positions = [i for i, parameter in enumerate(self.parameters) if parameter in _OF_VALUES]
        self.size_positions = [i for i, parameter in enumerate(self.parameters) if parameter in _OF_SIZES]
        self.targets = ()
        self.internal = []  # functions of this package; each returns NotImplemented or the result
        self.function = None

    def call_default(self, *args, **kwargs):
        return self.original(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def dispatch(self, args, kwargs):
        """The result of the first target that gives one; NotImplemented if none does."""
        if not _may_match(args) and not (kwargs and _may_match(kwargs.values())):
            return NotImplemented
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return NotImplemented  # the function itself reports the error
        canonical = self._canonical(bound)
        bound.apply_defaults()
        name = bound.arguments.pop("name", None) if self.takes_name else None
        arguments = list(bound.arguments.values())
        matches = [(target, match) for target in self.targets if (match := target.match(arguments)) is not None]
        if len(matches) > 1:
            matches.sort(key=functools.cmp_to_key(_before))
        for target, _ in matches:
            result = target.call(*bound.args, **bound.kwargs, **({"name": name} if target.takes_name else {}))
            if result is not NotImplemented:
                return result
        for function in self.internal:
            result = function(self, *arguments)
            if result is not NotImplemented:
                return result
        values = self._values(arguments)
        for kind in _protocol_types(values):
            result = kind.__tf_dispatch__(self.function, *canonical)
            if result is not NotImplemented:
                return result
        return NotImplemented

    def _canonical(self, bound):
        """(args, kwargs) with every argument that has a position in args, up to the last one that the caller gave."""
        if not self.takes_name:  # with any number of arguments
            return bound.args, bound.kwargs
        given = dict(bound.arguments)
        parameters = list(self.signature.parameters.values())
        keywords = {p.name: given.pop(p.name) for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in given}
        last = max((i for i, parameter in enumerate(parameters) if parameter.name in given), default=-1)
        return tuple(given.get(parameter.name, parameter.default) for parameter in parameters[: last + 1]), keywords

    def _values(self, arguments):
        """The arguments, or items of a list of arguments, that are values."""
        values = []
        for i in self.value_positions:
            if i < len(arguments):
                argument = arguments[i]
                is_list = self.parameters[i] in _OF_LISTS and isinstance(argument, (list, tuple))
                values.extend(argument if is_list else (argument,))
        sizes = [arguments[i] for i in self.size_positions if i < len(arguments)]
        return [value for value in values if value is not None] + [s for s in sizes if _has_own_dispatch(type(s))]

    def error_of_call(self, error, args, kwargs):
        """The exception to raise for `error`, which the function of the bindings has raised; None for `error` itself."""
        if _signatures.is_raw(error):
            return _signatures.type_error(self.shown, self.original, args, kwargs, parameters=self.signature.parameters)
        if _type_spec.is_of_a_type(error):
            return None
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return None
        values = self._values_of(bound)
        needs_tensor = "needs a tensor" in str(error)
        if not _own_kinds(values):
            # A value of a type that the function is not for; what is wrong with elements and sizes is a ValueError.
            return TypeError(str(error)) if needs_tensor else self._error_of_conversion(error, bound)
        if isinstance(error, TypeError) or needs_tensor or any(map(_is_whole, values)):
            return self._refusal(values)
        return None

    def refusal_of_whole_values(self, args, kwargs):
        """The exception to raise if the function asks for axes of a value whose type does not say what they are; or None."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return None  # the function itself reports the error
        values = self._values_of(bound)
        return self._refusal(values) if any(map(_is_whole, values)) else None

    def _values_of(self, bound):
        bound.apply_defaults()
        if self.takes_name:
            bound.arguments.pop("name", None)
        return self._values(list(bound.arguments.values()))

    def _error_of_conversion(self, error, bound):
        """The error about an argument that is no value, with the names of the function and of the parameter."""
        text = str(error)
        start = next((start for start in _OF_CONVERSION if text.startswith(start)), None)
        if start is None:
            return None
        arguments = list(bound.arguments.values())
        converted = [
            self.parameters[i] for i in self.value_positions if i < len(arguments) and type(arguments[i]) not in _OF_BINDINGS
        ]
        where = f"{self.shown}(): {converted[0]}" if len(converted) == 1 else f"{self.shown}()"
        return type(error)(f"{where}: {text.removeprefix(start)}")

    def _refusal(self, values):
        kinds = _own_kinds(values)
        names = ", ".join(kind.__name__ for kind in kinds)
        problem = f"{self.shown}() is not defined for {names}"
        asked = [kind for kind in kinds if hasattr(kind, "__tf_dispatch__")]
        for kind in asked:
            allowed = _allowed_types(kind)
            refused = [type(value) for value in values if allowed is not None and not isinstance(value, allowed)]
            if refused:
                missing = f"{kind.__name__} itself" if refused[0] is kind else refused[0].__name__
                advice = ""
                if refused[0] in (int, float, bool, str, list, tuple) and issubclass(_core.Tensor, allowed):
                    advice = "; structtensor.constant() makes a Tensor of it"
                return TypeError(f"{problem}: {kind.__name__}.__tf_dispatch_types__ does not contain {missing}{advice}")
        if asked:
            handlers = " and ".join(f"{kind.__name__}.__tf_dispatch__()" for kind in asked)
            return TypeError(f"{problem}: {handlers} returned NotImplemented")
        if kinds == [_boxing.BoxedTensor]:
            return TypeError(f"{problem}; from_boxed_tensor() of a spec takes the values out of their boxes")
        advice = (
            "define __tf_dispatch__(), register a function with structtensor.dispatch.dispatch_for_api(), or use one of its "
            "components"
        )
        whole = [value for value in values if _is_whole(value)]
        if whole:
            if _type_spec.axes_of_value(whole[0])[1]:
                return TypeError(f"{problem}, whose components do not begin with the axes of its shape; {advice}")
            # An ExtensionType has the property itself, and its spec is made from it.
            is_own = isinstance(whole[0], _type_spec.Recorded)
            without = type(whole[0] if is_own else _type_spec.spec_of(whole[0])).__qualname__
            return TypeError(f"{problem}, which has no axes because {without} has no property shape; {advice}")
        return TypeError(f"{problem}; {advice}")


def _has_own_dispatch(kind):
    return hasattr(kind, "__tf_dispatch__") or hasattr(kind, "__tf_type_spec__") and kind not in _KNOWN


def _own_kinds(values):
    """The types of values that have something to say about dispatch."""
    kinds = dict.fromkeys(type(value) for value in values if type(value) not in _KNOWN)
    return [kind for kind in kinds if _has_own_dispatch(kind)]


def _is_whole(value):
    """Whether the value is of an extension type, and has no axes for the bindings: it stays one value among others."""
    if not _type_spec.is_of_protocol(value) and not isinstance(value, _type_spec.Recorded):
        return False
    rank, shows_axes, shape = _type_spec.axes_of_value(value)
    return rank == 0 and not (shows_axes and shape == ())


# How messages begin that the bindings write about an argument which they cannot make a value of.
_OF_CONVERSION = ("value: ", "the whole value: ", "operand: ")
# Values that they take as they are.
_OF_BINDINGS = (*_type_spec.BUILT_IN_VALUES, type(None))


def _protocol_types(values):
    """The types with __tf_dispatch__(), in the order in which they are asked: subclasses first, else from left to right.

    A type is left out if its __tf_dispatch_types__ do not have the type of each value.
    """
    kinds = []
    for value in values:
        kind = type(value)
        if kind in kinds or kind in _KNOWN or not hasattr(kind, "__tf_dispatch__"):
            continue
        places = [i for i, other in enumerate(kinds) if issubclass(kind, other)]
        kinds.insert(places[0] if places else len(kinds), kind)
    allowed = [_allowed_types(kind) for kind in kinds]
    return [k for k, types_ in zip(kinds, allowed, strict=True) if types_ is None or all(isinstance(v, types_) for v in values)]


def _allowed_types(kind):
    allowed = getattr(kind, "__tf_dispatch_types__", None)
    if isinstance(allowed, list):
        allowed = tuple(allowed)
    if allowed is not None and not (isinstance(allowed, tuple) and all(isinstance(each, type) for each in allowed)):
        raise TypeError(f"{kind.__name__}.__tf_dispatch_types__: expected a tuple of types or None, found {allowed!r}")
    return allowed


def _name(function, name, original, signature):
    module, function.__name__ = _operations.place_of(name)
    _signatures.set_place(function, module)
    function.__doc__ = _docs.FUNCTIONS.get(name, original.__doc__)
    function.__signature__ = signature


def shown(name):
    """The name of a function of the bindings in messages: "concat", "strings.upper"."""
    module, short = _operations.place_of(name)
    return short if short == name else f"{module}.{short}"


def document(name, original):
    """The function of the package for a function that does not dispatch: the same function with a docstring."""
    function = _signatures.checked(shown(name), original)
    del function.__wrapped__  # tools would take the docstring of the bindings
    _name(function, name, original, function.__signature__)
    return function


def _as_tensor(argument):
    """The argument; of a value of a type that says how it becomes an array, the array."""
    kind = type(argument)
    if kind not in _KNOWN and hasattr(kind, "__tf_type_spec__") and hasattr(kind, "__array__"):
        return np.asarray(argument)
    return argument


# Arguments of these types need no look: nothing is registered for them.
_KNOWN = _PLAIN | {list, tuple}


def wrap(name, original):
    """The function of the package for a function that dispatches."""
    api = _Api(name, original)
    internal, dispatch, takes_name = api.internal, api.dispatch, api.takes_name
    takes_list = not _OF_LISTS.isdisjoint(api.parameters)
    asks_for_axes = name in _OF_AXES
    position = _signatures.position_of_name(api.signature)

    def function(*args, **kwargs):
        if api.targets or internal or takes_list or kwargs or not _KNOWN.issuperset(map(type, args)):
            result = dispatch(args, kwargs)
            if result is not NotImplemented:
                return result
            if asks_for_axes and (refusal := api.refusal_of_whole_values(args, kwargs)) is not None:
                raise refusal
            if takes_name and "name" in kwargs:
                _signatures.check_name(api.shown, kwargs.pop("name"))
        if len(args) > position:
            _signatures.check_name(api.shown, args[position])
            args = (*args[:position], *args[position + 1 :])
        try:
            return original(*args, **kwargs)
        except (TypeError, ValueError) as error:
            problem = api.error_of_call(error, args, kwargs)
            if problem is None:
                raise
        as_tensors = [_as_tensor(argument) for argument in args]
        if any(a is not b for a, b in zip(args, as_tensors, strict=True)):
            return original(*as_tensors, **kwargs)
        raise problem

    _name(function, name, original, api.signature)
    function._api = api
    api.function = function
    _apis[name] = api
    for register in _registered_elementwise:
        register(api)
    return function


def _api_of(function, what):
    api = getattr(function, "_api", None)
    if not isinstance(api, _Api):
        raise ValueError(
            f"{what}: {function!r} does not support dispatch; functions of structtensor do, such as structtensor.add"
        )
    return api


def call(name, *args, or_else=NotImplemented):
    """The result of a target of the function with this name; `or_else` if none gives one. For operators and NumPy's
    protocols."""
    result = _apis[name].dispatch(args, {})
    return or_else if result is NotImplemented else result


def use_boxes():
    """From now on, stack(), concat() and unstack() look for boxes, and for types that box their values themselves."""
    _apis["stack"].internal.append(_boxing.stack_boxes)
    _apis["concat"].internal.append(_boxing.concat_boxes)
    _apis["unstack"].internal.append(_boxing.unstack_boxes)


# --- Registration


def _positions(signature, api, what):
    """{position: matcher} from a {name or position: annotation}."""
    if not isinstance(signature, collections.abc.Mapping):
        raise TypeError(
            f"{what}: a signature is a dict from names of parameters, or their positions, to types; found {signature!r}"
        )
    positions = {}
    for key, annotation in signature.items():
        if isinstance(key, str) and key in api.parameters:
            position = api.parameters.index(key)
        elif isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(api.parameters):
            position = key
        else:
            raise ValueError(f"{what}: {api.shown} has no parameter {key!r}; it has {', '.join(api.parameters)}")
        if position in positions:
            raise ValueError(f"{what}: the parameter {api.parameters[position]} is there twice")
        positions[position] = _matcher(annotation, f"{what}: parameter {api.parameters[position]}")
    if not any(matcher.has_own_type() for matcher in positions.values()):
        raise ValueError(f"{what}: no parameter has the type of an extension type, so there is nothing to dispatch on")
    return positions


def _check_parameters(target, names, what):
    try:
        found = list(inspect.signature(target).parameters)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: expected a function, found {target!r}") from error
    if found not in (names, [*names, "name"]):
        raise ValueError(
            f"{what}: the parameters of {getattr(target, '__name__', target)!r} are {', '.join(found) or 'none'}; "
            f"they must be {', '.join(names)}"
        )


def _annotations_of(target):
    try:
        hints = typing.get_type_hints(target)
    except Exception as error:  # names that are not defined, strings that are not Python
        raise ValueError(f"the annotations of {target!r} cannot be read: {error}") from error
    hints.pop("return", None)
    return hints


@_signatures.public_in("dispatch")
def dispatch_for_api(api, *signatures):
    """Decorator: `api` calls the decorated function for arguments of some types.

        @st.dispatch.dispatch_for_api(st.concat)
        def masked_concat(values: list[MaskedTensor], axis=0):
            ...

    api: a function of structtensor. signatures: dicts from parameter names of `api`, or their positions, to types; default: the
    annotations of the decorated function. A type is a class, a union of types, or a list of a type. The decorated function is
    called if all types match and at least one argument is of a class that is not built in. It gets all arguments by position,
    with defaults. Its result is the result of `api`, unless it is NotImplemented.
    Raises ValueError if the parameters differ from those of `api`, or if the signature can match nothing.
    """
    what = "dispatch_for_api"
    found = _api_of(api, what)
    positions = [_positions(signature, found, what) for signature in signatures]

    def decorate(target):
        _check_parameters(target, found.parameters, what)
        own = positions or [_positions(_annotations_of(target), found, what)]
        with _registering:
            found.targets = (*found.targets, _Target(target, target, own, is_elementwise=False))
        return target

    return decorate


_registered_elementwise = []  # register(api) of each target, for functions that are wrapped later
_elementwise_types = {"unary": [], "binary": []}


def _register_elementwise(kind, names, annotations, handler, call_of):
    with _registering:
        _register_elementwise_here(kind, names, annotations, handler, call_of)


def _register_elementwise_here(kind, names, annotations, handler, call_of):
    known = _elementwise_types[kind]
    for other, registered in known:
        if registered == annotations:
            raise ValueError(
                f"{other.__name__!r} is registered already for {kind} elementwise functions of {annotations}; "
                "unregister it first"
            )
    matchers = {i: _matcher(annotation, f"{kind} elementwise") for i, annotation in enumerate(annotations)}
    if not any(matcher.has_own_type() for matcher in matchers.values()):
        raise ValueError(f"{kind} elementwise: none of {annotations} is an extension type, so there is nothing to dispatch on")

    def register(api):
        if api.name in names:
            api.targets = (*api.targets, _Target(handler, call_of(api), [matchers], is_elementwise=True))

    known.append((handler, annotations))
    _registered_elementwise.append(register)
    register.handler = handler
    for api in _apis.values():
        register(api)


@_signatures.public_in("dispatch")
def dispatch_for_unary_elementwise_apis(x_type):
    """Decorator: all unary elementwise functions call the decorated function if their first argument is of this type.

        @st.dispatch.dispatch_for_unary_elementwise_apis(MaskedTensor)
        def masked_unary(api, x):
            return MaskedTensor(api(x.values), x.mask)

    The decorated function gets the elementwise function, with all other arguments bound, and the value. x_type: a class, or a
    union of classes. Raises ValueError if a function for this type is registered already, or the decorated function does not
    have two parameters.
    """
    _matcher(x_type, "dispatch_for_unary_elementwise_apis")

    def decorate(handler):
        _check_count(handler, 2, "(api, x)")
        _register_elementwise("unary", _UNARY, (x_type,), handler, lambda api: functools.partial(_call_unary, api, handler))
        return handler

    return decorate


@_signatures.public_in("dispatch")
def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """Decorator: all binary elementwise functions call the decorated function if their two arguments are of these types.

        @st.dispatch.dispatch_for_binary_elementwise_apis(MaskedTensor, MaskedTensor)
        def masked_binary(api, x, y):
            return MaskedTensor(api(x.values, y.values), x.mask & y.mask)

    The decorated function gets the elementwise function and the two values. Operators call it, too. x_type and y_type: a class,
    or a union of classes. Raises ValueError if a function for these types is registered already, or the decorated function does
    not have three parameters.
    """
    _matcher(x_type, "dispatch_for_binary_elementwise_apis")
    _matcher(y_type, "dispatch_for_binary_elementwise_apis")

    def decorate(handler):
        _check_count(handler, 3, "(api, x, y)")
        _register_elementwise(
            "binary", _BINARY, (x_type, y_type), handler, lambda api: functools.partial(_call_binary, api, handler)
        )
        return handler

    return decorate


def _check_count(handler, count, expected):
    try:
        parameters = inspect.signature(handler).parameters
    except (TypeError, ValueError) as error:
        raise TypeError(f"expected a function, found {handler!r}") from error
    if len(parameters) != count:
        raise ValueError(
            f"the parameters of {handler.__name__!r} are {', '.join(parameters) or 'none'}; they must be {expected}"
        )


def _bound(api, count, rest):
    """`api` as a function of its first `count` arguments. The other arguments are those of the call."""
    if not rest:
        return api.function

    def function(*values):
        return api.function(*values, *rest)

    function.__name__ = function.__qualname__ = api.function.__name__
    return function


def _call_unary(api, handler, x, *rest):
    return handler(_bound(api, 1, rest), x)


def _call_binary(api, handler, x, y, *rest):
    return handler(_bound(api, 2, rest), x, y)


@_signatures.public_in("dispatch")
def unregister_dispatch_for(dispatch_target):
    """Undoes the registration of this function. Raises ValueError if it is not registered."""
    found = False
    with _registering:
        for api in _apis.values():
            kept = tuple(target for target in api.targets if target.function is not dispatch_target)
            found = found or len(kept) < len(api.targets)
            api.targets = kept
        for known in _elementwise_types.values():
            known[:] = [entry for entry in known if entry[0] is not dispatch_target]
        _registered_elementwise[:] = [
            register for register in _registered_elementwise if register.handler is not dispatch_target
        ]
    if not found:
        raise ValueError(f"{dispatch_target!r} is not registered for any function")


@_signatures.public_in("dispatch")
def is_unary_elementwise_op(op):
    """Whether the function transforms each element of its first argument, as st.abs, st.log and st.strings.length do."""
    return _name_of(op) in _UNARY


@_signatures.public_in("dispatch")
def is_binary_elementwise_op(op):
    """Whether the function combines the elements of its first two arguments, as st.add and st.equal do."""
    return _name_of(op) in _BINARY


@_signatures.public_in("dispatch")
def is_reduction_op(op):
    """Whether the function combines the elements of its first argument along an axis, as st.reduce_sum does."""
    return _name_of(op) in _REDUCTIONS


def _name_of(op):
    api = getattr(op, "_api", None)
    return api.name if isinstance(api, _Api) else None


@_signatures.public_in("dispatch")
def unary_elementwise_apis():
    """The functions that dispatch_for_unary_elementwise_apis() applies to."""
    return [api.function for name, api in sorted(_apis.items()) if name in _UNARY]


@_signatures.public_in("dispatch")
def binary_elementwise_apis():
    """The functions that dispatch_for_binary_elementwise_apis() applies to."""
    return [api.function for name, api in sorted(_apis.items()) if name in _BINARY]


# --- Operators and NumPy's protocols for extension types

_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "mod",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
_COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_SIGNS = {"neg": "negative", "abs": "abs", "invert": "invert"}


def _binary_operator(name):
    return lambda self, other: call(name, self, other)


def _reflected_operator(name):
    return lambda self, other: call(name, other, self)


def _sign(name):
    def operator(self):
        result = call(name, self)
        if result is NotImplemented:
            raise TypeError(f"{shown(name)}() is not defined for {type(self).__name__}; dispatch.dispatch_for_api() defines it")
        return result

    return operator


def _add(cls, operator, function):
    function.__name__ = operator
    function.__qualname__ = f"{cls.__name__}.{operator}"
    setattr(cls, operator, function)


def add_operators(cls):
    """Adds the operators to a class. An operator calls what is registered for the function of the same meaning. == compares
    whole values."""
    for operator, name in _OPERATORS.items():
        _add(cls, f"__{operator}__", _binary_operator(name))
        _add(cls, f"__r{operator}__", _reflected_operator(name))
    for operator, name in _COMPARISONS.items():
        _add(cls, f"__{operator}__", _binary_operator(name))
    for operator, name in _SIGNS.items():
        _add(cls, f"__{operator}__", _sign(name))
    _add(cls, "__getitem__", lambda self, key: _apis["index"].function(self, key))
    cls.__array_ufunc__ = _array_ufunc
    cls.__array_function__ = _array_function


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """NumPy's protocol: numpy.add(value, 1) is add(value, 1)."""
    function = _numpy.UFUNCS.get(ufunc)
    if function is None or method != "__call__" or kwargs or function.__name__ not in _apis:
        return NotImplemented
    return call(function.__name__, *inputs)


# For each NumPy function, our function and the names of its arguments after the first one, in NumPy's order.
_ARRAY_FUNCTIONS = {
    np.concatenate: ("concat", ("axis",)),
    np.stack: ("stack", ("axis",)),
    np.where: ("where", ("x", "y")),
    np.expand_dims: ("expand_dims", ("axis",)),
    np.squeeze: ("squeeze", ("axis",)),
    np.tile: ("tile", ("multiples",)),
    np.reshape: ("reshape", ("shape",)),
    np.repeat: ("repeat", ("repeats", "axis")),
    np.sum: ("reduce_sum", ("axis", "keepdims")),
    np.prod: ("reduce_prod", ("axis", "keepdims")),
    np.min: ("reduce_min", ("axis", "keepdims")),
    np.max: ("reduce_max", ("axis", "keepdims")),
    np.mean: ("reduce_mean", ("axis", "keepdims")),
    np.var: ("reduce_variance", ("axis", "keepdims")),
    np.std: ("reduce_std", ("axis", "keepdims")),
    np.any: ("reduce_any", ("axis", "keepdims")),
    np.all: ("reduce_all", ("axis", "keepdims")),
    np.zeros_like: ("zeros_like", ("dtype",)),
    np.ones_like: ("ones_like", ("dtype",)),
}
# NumPy's names of arguments that differ from ours.
_ARGUMENTS = {"reps": "multiples", "newshape": "shape"}


def _array_function(self, function, types, args, kwargs):
    """NumPy's protocol: numpy.sum(value, axis=0) is reduce_sum(value, axis=0)."""
    name, names = _ARRAY_FUNCTIONS.get(function, (None, ()))
    given = {_ARGUMENTS.get(key, key): value for key, value in kwargs.items()}
    # After the axis, NumPy's functions have a dtype and an array for the result.
    most = 2 if "keepdims" in names else 1 + len(names)
    if name is None or not 1 <= len(args) <= most or not set(given) <= set(names):
        return NotImplemented
    result = _apis[name].dispatch((*args[:1],), {**dict(zip(names, args[1:], strict=False)), **given})
    return result
