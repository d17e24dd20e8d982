"""Extension types: Python classes whose objects are values, like tensors.

    class MaskedTensor(st.ExtensionType):
        values: st.Tensor
        mask: st.Tensor
        shape = property(lambda self: self.values.shape)

The fields of an object hold all of its content. The bindings keep the content without the object, as a record
(python/src/extension.h), so that fields of structs, row operations, pickles and equality work as in the C++ library. Where a
record comes back to Python, a new object is made: __validate__ runs then, __init__ does not.

An ExtensionType is the convenient form of a class with a spec (_type_spec.py): it has the spec that its annotations describe.
If a class `Spec` in it replaces how specs are serialized or values are taken apart, its records have that form, too.

Names and meaning are those of the RFC "Extension types" and of tf.experimental.ExtensionType.
"""

import abc
import collections.abc
import contextlib
import inspect
import keyword
import sys
import threading
import types
import typing

from . import _annotations
from . import _boxing
from . import _core
from . import _dispatch
from . import _nest
from . import _pickle
from . import _registry
from . import _signatures
from . import _static_data
from . import _type_spec
from ._static_types import DType, ImmutableDict, TensorShape
from ._registry import classes as _classes
from ._type_spec import TypeSpec


def _frozen(self, name):
    return AttributeError(
        f"{type(self).__name__} does not change, so {name!r} cannot be set or deleted; make another object"
    )


# --- Fields


def _own_annotations(cls):
    """The annotations in the body of a class, as they are written there."""
    annotations = cls.__dict__.get("__annotations__")
    if annotations is None and sys.version_info >= (3, 14):  # since Python 3.14 they are made at their first use
        import annotationlib

        annotations = annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return {name: annotation for name, annotation in (annotations or {}).items() if not _is_class_var(cls, annotation)}


def _is_class_var(cls, annotation):
    if isinstance(annotation, str):
        written = annotation.split("[")[0].strip()
        if written in ("ClassVar", "typing.ClassVar"):
            return True
        # The module may have imported it, or `typing`, under another name.
        annotation = sys.modules.get(cls.__module__)
        for name in written.split("."):
            annotation = vars(annotation).get(name) if isinstance(annotation, types.ModuleType) else None
    return annotation is typing.ClassVar or typing.get_origin(annotation) is typing.ClassVar


# Attributes of extension types and their objects that are not fields.
_TAKEN = frozenset(
    ("self", "_open", "_parsed", "_type_name", "_name_is_registered", "_has_own_boxes", "_converted_defaults", "_has_own_form")
)


def _check_name(cls, name):
    is_name = isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name)
    if not is_name or name in _TAKEN or name.startswith(("__", "_record")):
        raise ValueError(f"{cls.__name__}: a field cannot be called {name!r}; choose another name")
    for base, what in ((ExtensionType, "values"), (ExtensionTypeSpec, "specs")):
        if name != "shape" and hasattr(base, name):
            raise ValueError(f"{cls.__name__}: {name!r} is an attribute of all {what} of extension types; rename the field")


def _check_not_hidden(cls):
    """Raises ValueError if an attribute of a class would be found instead of a field."""
    for name in cls._names:
        if name in cls.__dict__:
            raise ValueError(f"{cls.__name__}: {name!r} is a field of a base class; annotate it to give another default")
        for base in cls.__mro__:
            # Python asks a property before it looks at the attributes of the object.
            if base is not BatchableExtensionType and hasattr(type(base.__dict__.get(name)), "__set__"):
                raise ValueError(
                    f"{cls.__name__}: the property {name!r} of {base.__name__} hides the field; rename one of them"
                )


def _field_names(cls):
    """The names of the fields. Fields of base classes come first."""
    names = {}
    for base in reversed(cls.__mro__[:-1]):
        if isinstance(base, _ExtensionMeta):
            names.update(dict.fromkeys(base._raw_annotations))
    return tuple(names)


def _resolve(cls):
    """{name: parsed annotation}. Raises TypeError for annotations that fields cannot have, NameError for names that are not
    defined yet."""
    parsed = {}
    for base in reversed(cls.__mro__[:-1]):
        if not isinstance(base, _ExtensionMeta):
            continue
        for name, annotation in base._raw_annotations.items():
            holder = type("", (), {"__annotations__": {name: annotation}, "__module__": base.__module__})
            try:
                hints = typing.get_type_hints(holder, localns={base.__name__: base})
            except NameError:
                raise
            except Exception as error:  # a text that is not Python, a name that its module does not have, a cycle
                raise TypeError(f"in field {name!r}: unsupported type annotation {annotation!r}: {error}") from error
            parsed[name] = _annotations.parse(hints[name], name)
    return parsed


class _ExtensionMeta(abc.ABCMeta):
    """Prepares the class of an extension type: its fields, the signature of its constructor, and its spec class.

    isinstance() and issubclass() with ExtensionType itself ask for the protocol, as the RFC says: for __tf_type_spec__().
    """

    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or (cls is ExtensionType and hasattr(type(instance), "__tf_type_spec__"))

    def __subclasscheck__(cls, subclass):
        return super().__subclasscheck__(subclass) or (cls is ExtensionType and hasattr(subclass, "__tf_type_spec__"))

    def __new__(mcs, name, bases, namespace, **kwargs):
        if bases == (_type_spec.Recorded,):
            return super().__new__(mcs, name, bases, namespace, **kwargs)
        body = dict(namespace)
        nested = body.pop("Spec", None)
        registered_name = body.pop("__name__", None)
        cls = super().__new__(mcs, name, bases, body, **kwargs)
        if issubclass(cls, (int, float, str, bytes, tuple, list, dict, set, frozenset, BaseException)):
            raise TypeError(f"{name}: an extension type cannot be a number, a string, a collection or an exception as well")
        cls._raw_annotations = _own_annotations(cls)
        # A value that is assigned to an annotated name is a default, not an attribute of the class.
        cls._own_defaults = {field: cls.__dict__[field] for field in cls._raw_annotations if field in cls.__dict__}
        for field in cls._own_defaults:
            type.__delattr__(cls, field)
        for field in cls._raw_annotations:
            _check_name(cls, field)
        cls._names = _field_names(cls)
        _check_not_hidden(cls)
        cls._parsed = None
        cls._type_name = None
        cls._name_is_registered = False
        cls._converted_defaults = {}
        cls.__signature__ = _signature_of(cls)
        try:
            cls._annotations_of_fields()
        except NameError:
            pass  # the annotation names a class that does not exist yet; the first value asks again
        cls.Spec = _make_spec_class(cls, nested)
        if registered_name is not None:
            register_type_spec(cls, registered_name)
        return cls

    def _annotations_of_fields(cls):
        if cls._parsed is None:
            parsed = _resolve(cls)
            for base in reversed(cls.__mro__):
                for name, default in base.__dict__.get("_own_defaults", {}).items():
                    cls._converted_defaults[name] = parsed[name].convert(default, f"default value for {name}", False)
            cls._parsed = parsed
        return cls._parsed

    def _fields(cls):
        try:
            return cls._annotations_of_fields()
        except NameError as error:
            raise TypeError(f"{cls.__name__}: unsupported type annotation: {error}") from error

    def __call__(cls, *args, **kwargs):
        if cls in (ExtensionType, BatchableExtensionType):
            raise TypeError(f"{cls.__name__} has no fields; derive a class from it")
        fields = cls._fields()
        self = cls.__new__(cls)
        self.__dict__["_open"] = True
        self.__init__(*args, **kwargs)
        _finish(self, fields, as_spec=False)
        self.__validate__()
        self._record  # noqa: B018: made now, so that the constructor raises the error if the record is not possible
        return self

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get("_names", ()):
            raise AttributeError(f"{cls.__name__}.{name} is a field and cannot be set")
        super().__setattr__(name, value)


def _signature_of(cls):
    parameters = []
    defaults = {}
    for base in reversed(cls.__mro__):
        defaults.update(base.__dict__.get("_own_defaults", {}))
    without_default = None
    for name in reversed(cls._names):
        default = defaults.get(name, inspect.Parameter.empty)
        if default is inspect.Parameter.empty:
            without_default = name
        elif without_default is not None:
            own = cls._raw_annotations
            if name in own and without_default in own:
                advice = f"give both a default, or put {without_default!r} first"
            else:
                advice = f"give {without_default!r} a default, too: fields of base classes go first"
            raise ValueError(
                f"{cls.__name__}: the field {without_default!r} without a default follows {name!r}, which has one; {advice}"
            )
        parameters.insert(0, inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
    return inspect.Signature(parameters)


def _finish(self, fields, as_spec):
    """Converts the attributes that __init__ has set, and closes the object."""
    state = self.__dict__
    missing = [name for name in fields if name not in state]
    if missing:
        raise TypeError(f"{type(self).__qualname__}.__init__() did not set {', '.join(missing)}")
    for name in [name for name in state if name not in fields and name != "_open"]:
        raise TypeError(f"{type(self).__qualname__} has no field {name!r}; its fields are {', '.join(fields) or 'none'}")
    converted = {name: annotation.convert(state[name], name, as_spec) for name, annotation in fields.items()}
    state.clear()
    state.update(converted)


def _set_while_open(self, name, value):
    if "_open" not in self.__dict__:
        raise _frozen(self, name)
    names = type(self)._names if isinstance(self, ExtensionType) else type(self)._type._names
    if name not in names:
        raise AttributeError(f"{type(self).__qualname__} has no field {name!r}; its fields are {', '.join(names) or 'none'}")
    self.__dict__[name] = value


def _delete(self, name):
    raise _frozen(self, name)


def _bind(cls, args, kwargs):
    try:
        return cls.__signature__.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{cls.__name__}(): {error}") from None


# --- Records


def _owner_of(type_spec_subclass, what):
    """The class that has the name: an extension type, or a spec class that belongs to none."""
    cls = type_spec_subclass
    if isinstance(cls, type) and issubclass(cls, TypeSpec) and hasattr(cls, "_owner"):
        cls = cls._owner()
    is_spec = isinstance(cls, type) and hasattr(cls, "_owner") and not inspect.isabstract(cls)
    if not is_spec and not isinstance(cls, _ExtensionMeta) or cls in (ExtensionType, BatchableExtensionType):
        raise TypeError(f"{what}: expected a subclass of TypeSpec or an extension type, found {type_spec_subclass!r}")
    return cls


@_signatures.public
def register_type_spec(type_spec_subclass, name=None):
    """Registers the name of a type in serialized specs and pickles.

    type_spec_subclass: a subclass of TypeSpec, or an extension type. name: globally unique, "my_package.MaskedTensor"; default:
    the name of the class. The body of an ExtensionType can set the name, too: `__name__ = "my_package.MaskedTensor"`. A class
    that is made again, as when a notebook cell is run twice, takes over the name. Returns the class, so it can be a decorator,
    too. A type without a registered name has one that is made of its module and class; values that are in structs already keep
    it, so types are best registered where they are defined. Raises ValueError if the name is taken or invalid, or if another
    name of the type is registered.
    """
    if name is None and isinstance(type_spec_subclass, str):
        return lambda cls: register_type_spec(cls, type_spec_subclass)
    cls = _owner_of(type_spec_subclass, "register_type_spec")
    _registry.register(cls, cls.__name__ if name is None else name)
    return type_spec_subclass


@_signatures.public
def lookup_type_spec(name):
    """The spec class that is registered under this name. Raises KeyError if there is none."""
    if name not in _classes:
        raise KeyError(f"no extension type is registered as {name!r}; known are {', '.join(sorted(_classes)) or 'none'}")
    return _spec_class_of(_classes[name])


@_signatures.public
def type_spec_name(type_spec_subclass):
    """The name of a spec class, or of its extension type, in serialized specs. If none is registered, it is made of module and
    class, and can still be registered later."""
    return _registry.name_of(_owner_of(type_spec_subclass, "type_spec_name"))


def _spec_class_of(owner):
    return owner.Spec if isinstance(owner, _ExtensionMeta) else owner


def _as_shape(cls, shape):
    """(whether the type shows axes, their sizes). A method with the name `shape` says nothing about axes."""
    if shape is None or callable(shape):
        return False, None
    try:
        if isinstance(shape, (TensorShape, tuple, list)):
            return True, TensorShape(shape).dims
        problem, details = TypeError, ""
    except (TypeError, ValueError) as error:
        problem, details = TypeError if isinstance(error, TypeError) else ValueError, f": {error}"
    raise problem(f"the shape of {cls.__name__} is {shape!r}; expected sizes or None{details}")


def _shape_of_value(self):
    cls = type(self)
    if "shape" in cls._names:
        return _as_shape(cls, self.__dict__["shape"])
    if issubclass(cls, BatchableExtensionType) and cls.shape is BatchableExtensionType.shape:
        return True, ()
    return _as_shape(cls, self.shape) if hasattr(cls, "shape") else (False, None)


def _has_unknown_rank(state):
    """Whether the field of a spec contains a spec of unknown rank."""
    if isinstance(state, tuple):
        return any(map(_has_unknown_rank, state))
    if isinstance(state, ImmutableDict):
        return any(map(_has_unknown_rank, state.values()))
    return isinstance(state, (*_type_spec.BUILT_IN_SPECS, ExtensionTypeSpec)) and state.shape is None


def _shape_of_spec(self):
    cls = type(self)._type
    if "shape" in cls._names:
        return _as_shape(cls, self.__dict__["shape"])
    if not hasattr(cls, "shape"):
        return False, None  # a property that only specs have is not the shape of values
    if type(self).shape is not ExtensionTypeSpec.shape:
        shape = self.shape
        return (True, None) if shape is None else _as_shape(cls, shape)  # None is the shape of specs of unknown rank
    if issubclass(cls, BatchableExtensionType) and cls.shape is BatchableExtensionType.shape:
        return True, ()
    # A property that reads fields finds the fields of the spec instead.
    stand_in = object.__new__(cls)
    stand_in.__dict__.update({name: self.__dict__[name] for name in cls._names})
    try:
        shape = stand_in.shape
        # The property gives None for fields of unknown rank, and for values without axes.
        if shape is None and any(_has_unknown_rank(self.__dict__[name]) for name in cls._names):
            return True, None
        return _as_shape(cls, shape)
    except Exception:  # the property may fail in any way, because the fields hold specs and not values
        return True, None


_making = threading.local()


def _check_made(self, fields):
    if "_open" in self.__dict__ or not all(name in self.__dict__ for name in fields):
        raise TypeError(f"the {type(self).__qualname__} has no value, because its constructor has not finished")


@contextlib.contextmanager
def _making_shape(self, cls):
    """Raises TypeError if the shape of the object is needed to find its shape."""
    busy = _making.__dict__.setdefault("objects", set())
    if id(self) in busy:
        raise TypeError(
            f"the shape of {cls.__name__} needs the spec of {cls.__name__}, which needs the shape; take it from the fields"
        )
    busy.add(id(self))
    try:
        yield
    finally:
        busy.discard(id(self))


def _make_record(self, fields, make, cls, shape_of):
    _check_made(self, fields)
    with _making_shape(self, cls):
        shape = shape_of(self)
    kinds = []
    encoded = {name: annotation.encode(self.__dict__[name], kinds) for name, annotation in fields.items()}
    return make(_registry.name_of(cls), *shape, kinds, encoded)


def _make_record_of_shape(self, cls, as_spec, shape):
    """The record of an object that is made again, with its earlier shape. For types whose fields do not determine the shape."""
    shape_of = _shape_of_spec if as_spec else _shape_of_value
    found = None if shape and as_spec else shape_of(self)
    if shape and (as_spec or found == (True, ())):
        found = True, shape
    elif shape == () and as_spec and found == (True, None):  # no property of a spec can give this shape
        found = (True, ()) if hasattr(cls, "shape") else (False, None)
    make = _core._make_record_spec if as_spec else _core._make_record
    return _make_record(self, cls._fields(), make, cls, lambda _: found)


def _check_fields(cls, names):
    """Raises ValueError if the class does not have these fields any more."""
    if not isinstance(cls, _ExtensionMeta) or names != cls._names:
        now = f" {', '.join(cls._names) or 'none'}" if isinstance(cls, _ExtensionMeta) else " none"
        raise ValueError(
            f"a pickle or an earlier value of an extension type with the fields {', '.join(names)}; "
            f"now it is {cls!r} with the fields{now}"
        )


def _object_of(name, fields, record, as_spec):
    owner = _registry.class_of(name)
    spec_class = _spec_class_of(owner)
    if _type_spec.is_general(fields):
        if as_spec:
            return _type_spec.spec_of_record(spec_class, fields)
        made = _type_spec.value_of_record(spec_class, fields)
        if isinstance(made, BatchableExtensionType):
            made.__dict__["_record_"] = owner._type_name, record  # whose shape cannot be found in any other way
        return made
    _check_fields(owner, tuple(field for field, _ in fields))
    made = object.__new__(spec_class if as_spec else owner)
    made.__dict__.update({field: _static_data.decode(state) for field, state in fields})
    if name != owner._type_name:  # a name from a pickle; under its own name it fits the other values of the class
        record = _make_record_of_shape(made, owner, as_spec, record.shape)
    is_remade = spec_class._has_own_form or not as_spec and any(map(_is_made_by_methods, made.__dict__.values()))
    if not is_remade or isinstance(made, BatchableExtensionType):
        made.__dict__["_record_"] = owner._type_name, record
    if not as_spec:
        _validate(made)
    return made


def _with_static_data_of(spec, value):
    """The value of an ExtensionType with the shapes and specs among its static data that the spec has.

    The bindings change these as they change the shapes of components.
    """
    fields = {name: _with_static_data(spec.__dict__[name], value.__dict__[name]) for name in type(value)._names}
    if all(fields[name] is value.__dict__[name] for name in fields):
        return value
    made = object.__new__(type(value))
    made.__dict__.update(fields)
    made.__dict__["_record_"] = type(value)._type_name, _make_record_of_shape(made, type(value), False, value._record.shape)
    return made


def _with_static_data(expected, found):
    is_annotated = isinstance(type(found), _ExtensionMeta)
    if is_annotated and isinstance(expected, ExtensionTypeSpec) and not expected._has_own_form:
        return _with_static_data_of(expected, found)
    if hasattr(type(found), "__tf_type_spec__"):
        return found
    if isinstance(found, (TensorShape, TypeSpec)):
        return expected
    if isinstance(found, tuple):
        items = [_with_static_data(one, other) for one, other in zip(expected, found, strict=True)]
        if all(a is b for a, b in zip(items, found, strict=True)):
            return found
        return type(found)._make(items) if hasattr(found, "_make") else tuple(items)
    if isinstance(found, ImmutableDict):
        items = {key: _with_static_data(expected[key], item) for key, item in found.items()}
        return found if all(items[key] is found[key] for key in items) else ImmutableDict(items)
    return found


def _is_made_by_methods(state):
    """Whether methods in Python have made a value in the field. Its own spec may be narrower than the one in the record."""
    if isinstance(state, _type_spec.BUILT_IN_VALUES):
        return False
    if isinstance(state, tuple):
        return any(map(_is_made_by_methods, state))
    if isinstance(state, ImmutableDict):
        return any(map(_is_made_by_methods, state.values()))
    if isinstance(type(state), _ExtensionMeta):
        return "_record_" not in state.__dict__
    return _type_spec.is_of_protocol(state)


def _validate(made):
    """Checks an object that an operation or a pickle made."""
    if type(made).__validate__ is ExtensionType.__validate__:
        return
    try:
        made.__validate__()
    except Exception as error:
        raise ValueError(f"this value does not pass {type(made).__name__}.__validate__(): {made!r}: {error}") from error


def _value_of_record(name, fields, record):
    return _object_of(name, fields, record, False)


def _spec_of_record(name, fields, record):
    return _object_of(name, fields, record, True)


# --- repr()


# An object that several fields hold is written once for each of them, so a text can be exponentially longer than its object.
_MAX_TEXT = 10_000
_writing = threading.local()


def _repr_of_fields(self, name, field_names):
    """Type(field=..., ...). If the text is longer than _MAX_TEXT characters: Type(...)."""
    strings = _writing.__dict__.setdefault("strings", {})  # by id: the repr() of objects inside the outermost one
    if id(self) in strings:
        return strings[id(self)][1]
    depth = _writing.__dict__.get("depth", 0)
    _writing.depth = depth + 1
    try:
        fields = ", ".join(f"{field}={self.__dict__[field]!r}" for field in field_names if field in self.__dict__)
    finally:
        _writing.depth = depth
        if depth == 0:
            strings.clear()
    text = f"{name}({fields if len(fields) <= _MAX_TEXT else '...'})"
    if depth > 0:
        strings[id(self)] = self, text
    return text


# --- Specs


class _SpecMeta(abc.ABCMeta):
    """Closes specs after __init__."""

    def __call__(cls, *args, **kwargs):
        if cls._type is None or cls._type in (ExtensionType, BatchableExtensionType):
            raise TypeError(
                f"{cls.__qualname__} belongs to no extension type; derive from ExtensionType, whose Spec is made for it"
            )
        fields = cls._type._fields()
        self = cls.__new__(cls)
        self.__dict__["_open"] = True
        self.__init__(*args, **kwargs)
        _finish(self, fields, as_spec=True)
        self._record  # noqa: B018: made now, as for values
        return self


# Methods that say what a record is. If a type replaces one of them, its records are made of what they answer.
_METHODS_OF_RECORDS = ("serialize", "deserialize", "component_specs", "to_components", "from_components")


class ExtensionTypeSpec(TypeSpec, metaclass=_SpecMeta):
    """The static half of a value of an extension type. It has the same fields, with the spec of each value in place of the
    value.

    `MaskedTensor.Spec` is the spec class of MaskedTensor. A class `Spec` inside an extension type replaces and adds methods.
    """

    _type = None
    _has_own_form = False

    def __init__(self, *args, **kwargs):
        for name, value in _bind(type(self), args, kwargs).items():
            setattr(self, name, value)

    __setattr__ = _set_while_open
    __delattr__ = _delete

    @classmethod
    def _owner(cls):
        return cls if cls._type is None else cls._type

    @property
    def _record(self):
        cls = type(self)._type
        name, record = self.__dict__.get("_record_", (None, None))
        if record is None or name != cls._type_name:
            if type(self)._has_own_form:
                _check_made(self, cls._fields())
                with _making_shape(self, cls):
                    shape = _shape_of_spec(self)
                record = _type_spec.record_of_spec(self, shape)
            else:
                record = self._record_of_fields
            self.__dict__["_record_"] = cls._type_name, record
        return record

    def _with_own_static_data(self, value):
        return _with_static_data_of(self, value)

    def _names_of_components(self):
        if type(self).component_specs is not ExtensionTypeSpec.component_specs:
            return None
        names = []
        for field, annotation in type(self)._type._fields().items():
            kinds = []
            annotation.encode(self.__dict__[field], kinds)
            names += [field] if len(kinds) == 1 else [f"{field}_{i}" for i in range(len(kinds))]
        return names if len(set(names)) == len(names) > 0 else None

    @property
    def _record_of_fields(self):
        cls = type(self)._type
        return _make_record(self, cls._fields(), _core._make_record_spec, cls, _shape_of_spec)

    @classmethod
    def from_value(cls, value):
        """The spec of a value of this type."""
        if not isinstance(value, cls._type):
            raise TypeError(f"{cls.__qualname__}.from_value(): expected {cls._type.__name__!r}, found {type(value).__name__!r}")
        return value.spec

    @property
    def value_type(self):
        """The extension type."""
        return type(self)._type

    @property
    def shape(self):
        """The sizes of the axes that values show, None for unknown sizes; () for types without a shape."""
        return self._record.shape

    def serialize(self):
        """The content of the fields, as a tuple in the order of the fields: the arguments that make an equal spec."""
        return tuple(self.__dict__[name] for name in type(self)._type._names)

    @classmethod
    def deserialize(cls, serialization):
        """The spec with this state, which serialize() gave. If a type replaces serialize() alone: cls(*serialization)."""
        if cls.serialize is not ExtensionTypeSpec.serialize:
            return cls(*serialization)
        self = cls.__new__(cls)
        names = cls._type._names
        if not isinstance(serialization, (tuple, list)) or len(serialization) != len(names):
            raise ValueError(f"{cls.__qualname__}.deserialize(): expected a tuple of {len(names)} items")
        self.__dict__.update(zip(names, serialization, strict=True))
        _finish(self, cls._type._fields(), as_spec=True)
        return self

    @property
    def component_specs(self):
        """The specs of the components, which are the values in fields, in the order of the fields."""
        return _components_of_fields(self, type(self)._type)

    def to_components(self, value):
        """The components: the values in the fields of a value of this spec, in the order of the fields."""
        if not isinstance(value, self.value_type) or not self.is_compatible_with(value.spec):
            found = getattr(value, "spec", type(value).__name__)
            raise ValueError(f"to_components: expected a value of {self!r}, found {found!r}")
        return _components_of_fields(value, type(value))

    def from_components(self, components):
        """The value with these components; the spec determines all else. Raises ValueError for invalid components, and if the
        value would have another spec."""
        made = _core._extension_from_components(self._record_of_fields, list(map(_type_spec.for_bindings, components)))
        if not self.is_compatible_with(made):
            raise ValueError(f"from_components: the components make {made!r}, which is no value of {self!r}")
        # The axes of a type with a shape come from the spec, not from the components.
        for i, (spec, component) in enumerate(zip(self.component_specs, _components_of_fields(made, type(made)), strict=True)):
            if not spec.is_compatible_with(component):
                found = _type_spec.spec_of(component)
                raise ValueError(f"from_components: component {i} is {found!r}; expected a value of {spec!r}")
        return made

    def __repr__(self):
        if type(self).serialize is not ExtensionTypeSpec.serialize:
            return super().__repr__()
        return _repr_of_fields(self, type(self).__qualname__, type(self)._type._names)

    def __reduce_ex__(self, protocol):
        if type(self)._has_own_form:
            return super().__reduce_ex__(protocol)
        return load_fields, (_pickle.FORMAT, type(self)._type, "spec", _state_of(self), self._record.shape)


_type_spec.StackableTypeSpec.register(ExtensionTypeSpec)


def _components_of_fields(self, cls):
    """The values in the fields of a value, the specs of values in the fields of a spec."""
    components = []

    def walk(encoded):
        if type(encoded) in (tuple, list):
            for item in encoded:
                walk(item)
        elif type(encoded) is dict:
            walk(list(encoded.values()))
        elif hasattr(type(encoded), "__tf_type_spec__") or isinstance(encoded, TypeSpec):
            components.append(encoded)
        elif isinstance(encoded, _type_spec.StandIn):
            components.append(encoded.value)

    for name, annotation in cls._fields().items():
        walk(annotation.encode(self.__dict__[name], []))
    return tuple(components)


def _make_spec_class(cls, nested):
    parents = tuple(dict.fromkeys(base.Spec for base in cls.__bases__ if isinstance(base, _ExtensionMeta)))
    # A class that comes after a class derived from it adds nothing.
    parents = tuple(p for p in parents if not any(q is not p and issubclass(q, p) for q in parents))
    if nested is not None and not isinstance(nested, type):
        raise TypeError(f"{cls.__name__}.Spec is not a class, but {nested!r}")
    bases = parents
    if nested is not None:
        bases = (nested, *(parent for parent in parents if not issubclass(nested, parent)))
    body = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Spec", "_type": cls}
    body["__doc__"] = (nested is not None and nested.__doc__) or f"The static half of a {cls.__name__}: an ExtensionTypeSpec."
    if "shape" in cls._names:
        body["shape"] = property(lambda self: self.__dict__["shape"])
    spec = type(parents[0])("Spec", bases, body)
    own = [inspect.getattr_static(spec, name) is not ExtensionTypeSpec.__dict__[name] for name in _METHODS_OF_RECORDS]
    spec._has_own_form = any(own)
    spec.__signature__ = cls.__signature__.replace(
        parameters=[parameter.replace(default=inspect.Parameter.empty) for parameter in cls.__signature__.parameters.values()]
    )
    return spec


# --- Values


class ExtensionType(_type_spec.Recorded, metaclass=_ExtensionMeta):
    """The base class of extension types: classes whose objects are values.

        class MaskedTensor(st.ExtensionType):
            values: st.Tensor
            mask: st.Tensor

    Each annotation is a field and an argument of the constructor. A value that is assigned to it is the default. The
    constructor converts the arguments as the annotations say, and calls __validate__(). After that, the object does not change.
    A type with a property or field `shape` shows these axes. If all values in its fields start with these axes, its rows can be
    stacked, sliced and used as fields of structs, like rows of tensors. Values of other types are kept whole; several of them
    are ExtensionRows.

    Raises TypeError for arguments that the annotations do not allow. The class statement raises ValueError for invalid fields.
    """

    _raw_annotations = {}
    _own_defaults = {}
    _names = ()
    Spec = ExtensionTypeSpec

    def __init__(self, *args, **kwargs):
        for name, value in {**type(self)._converted_defaults, **_bind(type(self), args, kwargs)}.items():
            setattr(self, name, value)

    __setattr__ = _set_while_open
    __delattr__ = _delete

    def __validate__(self):
        """Raises an error if the fields do not fit each other. Called after the constructor of the class has made the
        object."""

    @property
    def _record(self):
        cls = type(self)
        name, record = self.__dict__.get("_record_", (None, None))
        if record is None or name != cls._type_name:
            if cls.Spec._has_own_form:
                _check_made(self, cls._fields())
                with _making_shape(self, cls):
                    shape = _shape_of_value(self)
                record = _type_spec.record_of_value(self, shape)
            else:
                record = self._record_of_fields
            self.__dict__["_record_"] = cls._type_name, record
        return record

    @property
    def _record_of_fields(self):
        cls = type(self)
        return _make_record(self, cls._fields(), _core._make_record, cls, _shape_of_value)

    @property
    def spec(self):
        """The spec of the value. Its class is the class `Spec` of the type."""
        return (self._record_of_fields if type(self).Spec._has_own_form else self._record).spec

    def __tf_type_spec__(self):
        """The same as `spec`. Classes with this method are types of values: the protocol of the RFC "Extension types"."""
        return self.spec

    def equals(self, other):
        """Whether the other value has the same type, an equal spec and equal content."""
        if type(other) is not type(self) or not self.spec == other.spec:
            return False
        if type(self).Spec.__eq__ is TypeSpec.__eq__:
            return _core._extension_equals(self, other)
        ours, theirs = (_nest.flatten(value.spec.to_components(value)) for value in (self, other))
        return len(ours) == len(theirs) and all(map(_type_spec.equal_values, ours, theirs))

    def to_py(self):
        """The fields as a dict, with values as nested lists."""
        return {name: _to_py(self.__dict__[name]) for name in type(self)._names}

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self.equals(other)

    __hash__ = None

    def __len__(self):
        """The number of rows. Raises TypeError for a value without axes, such as one that stays whole."""
        if self._record.rank == 0:
            raise TypeError(f"{type(self).__name__}: the value has no axes, and so no rows")
        return self._record.nrows

    def __iter__(self):
        """The rows, one after the other: value[0], value[1], ... Raises TypeError for a value without axes."""
        return map(self.__getitem__, range(len(self)))

    def __bool__(self):
        """True, with rows or without. Python would ask for len() otherwise."""
        return True

    def __repr__(self):
        return _repr_of_fields(self, type(self).__name__, type(self)._names)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        return load_fields, (_pickle.FORMAT, type(self), "value", _state_of(self), self._record.shape)


class BatchableExtensionType(ExtensionType):
    """An extension type whose values are scalars. Each time values are stacked, they get one more axis, which all values in
    their fields have.

    A class that defines its shape itself only needs ExtensionType.
    """

    @property
    def shape(self):
        """The axes that stacking has added in front."""
        return self._record.shape


def _to_py(value):
    if isinstance(value, tuple):
        return tuple(map(_to_py, value))
    if isinstance(value, ImmutableDict):
        return {key: _to_py(item) for key, item in value.items()}
    return value.to_py() if hasattr(value, "to_py") else value


# --- Pickles


def classes_in(spec):
    """(name, class) of the extension types in the spec, with all names that the class has in this process."""
    found = {}
    seen = {}  # by id: a spec may be inside of others in very many ways

    def visit(spec):
        if id(spec) in seen:
            return
        seen[id(spec)] = spec
        if isinstance(spec, (tuple, list)):
            for item in spec:
                visit(item)
        elif isinstance(spec, collections.abc.Mapping):
            visit(list(spec.values()))
        elif hasattr(spec, "_owner"):
            found[spec._owner()] = None
            visit(spec.serialize())  # an ExtensionType has the specs of its components there
            if getattr(spec, "_has_own_form", True):
                visit(_core._extension_component_specs(spec))
        elif isinstance(spec, _core.StructuredTensorSpec):
            for field in spec.fields.values():
                visit(field)
        elif isinstance(spec, _core.ExtensionRowsSpec):
            visit(_core._rows_element(spec))
            for component in _core._extension_component_specs(spec):
                visit(component)

    visit(spec)
    with _registry.lock:
        return tuple((name, cls) for name, cls in _classes.items() if cls in found)


def _state_of(self):
    cls = type(self) if isinstance(self, ExtensionType) else type(self)._type
    return tuple((name, self.__dict__[name]) for name in cls._names)


def load_fields(version, cls, what, fields, shape):
    """The value, or the spec, with these fields. shape: for types whose fields do not determine it."""
    _pickle.check(version)
    _check_fields(cls, tuple(name for name, _ in fields))
    as_spec = what == "spec"
    annotations = cls._fields()
    self = object.__new__(cls.Spec if as_spec else cls)
    convert_as = _annotations.OF_ROWS if as_spec else False
    self.__dict__.update({name: annotations[name].convert(value, name, convert_as) for name, value in fields})
    if not cls.Spec._has_own_form:
        self.__dict__["_record_"] = cls._type_name, _make_record_of_shape(self, cls, as_spec, shape)
    elif isinstance(self, BatchableExtensionType):
        self.__dict__["_record_"] = cls._type_name, _type_spec.record_of_value(self, (True, shape))
    if not as_spec:
        _validate(self)
    return self


def _register_stored(classes):
    """Gives classes the names that a pickle has for them. Older pickles only have the classes."""
    for entry in classes:
        name, cls = entry if isinstance(entry, tuple) else (None, entry)
        if not hasattr(cls, "_owner") and not isinstance(cls, _ExtensionMeta):
            raise ValueError(f"a pickle of the extension type {name!r}, which is {cls!r} now")
        with _registry.lock:
            if name is None:
                _registry.name_of(cls)
            elif _classes.get(name) is not cls:
                if name in _classes and not _registry.is_made_again(cls, _classes[name]):
                    raise ValueError(
                        f"a pickle registers {cls.__qualname__} as {name!r}, which is the name of {_classes[name].__qualname__}"
                    )
                _registry.give_name(cls, name)


def load_extension(version, classes, spec, parts):
    _pickle.check(version)
    _register_stored(classes)
    value = _pickle.load_value(version, spec, parts)
    classes_in(value.spec)  # makes all specs in it, which raises an error if a class has other fields now
    return value


def load_extension_spec(version, classes, data):
    _pickle.check(version)
    _register_stored(classes)
    spec = _pickle.load_spec(version, data)
    classes_in(spec)
    return spec


# --- ExtensionRows: rows of any extension type


def _rows_repr(self):
    text = self.to_json()
    text = text if len(text) <= 200 else text[:197] + "..."
    return f"ExtensionRows({text}, shape={self.shape}, element={self.spec.element!r})"


_core.ExtensionRows.__repr__ = _rows_repr
_core.ExtensionRows.components = property(
    lambda self: tuple(_core._extension_components(self)),
    doc="The values in the fields of all rows, with the rows' axes in front.",
)
_core.ExtensionRowsSpec.element = property(_core._rows_element, doc="The spec of the values that the rows are.")
_dispatch.add_operators(ExtensionType)
_core._set_extension_classes(
    _type_spec.Recorded,
    TypeSpec,
    TensorShape,
    DType,
    _value_of_record,
    _spec_of_record,
    _type_spec.is_of_protocol,
    _type_spec.record_of_value,
)
_pickle.set_extensions(_pickle.Extensions(classes_in, load_extension_spec, load_extension))
