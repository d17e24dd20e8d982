"""TypeSpec, the base class of specs, and values of classes that know nothing of structtensor but their spec.

    class Masked:
        def __tf_type_spec__(self):
            return MaskedSpec(self.shape, self.dtype)

    class MaskedSpec(st.TypeSpec):
        value_type = Masked
        def serialize(self): ...
        def to_components(self, value): ...
        def from_components(self, components): ...
        component_specs = property(...)

The bindings keep such a value as a record: the name of the spec's class, what serialize() returns, and the components. Where a
record comes back to Python, deserialize() and from_components() make a new object. Source: the RFC "Extension types", which
calls the method of values the protocol ExtensionType.
"""

import abc

import numpy as np

from . import _boxing
from . import _core
from . import _pickle
from . import _registry
from . import _static_data
from ._annotations import EXTENSION, RAGGED, STRUCTURED, TENSOR
from ._static_types import TensorShape

BUILT_IN_SPECS = (
    _core.TensorSpec,
    _core.RaggedTensorSpec,
    _core.StructuredTensorSpec,
    _core.RowPartitionSpec,
    _core.ExtensionRowsSpec,
)
BUILT_IN_VALUES = (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor, _core.ExtensionRows)


class Recorded:
    """The class of objects that the bindings take for values of extension types. They have a property `_record`."""

    __slots__ = ()


class StandIn(Recorded):
    """The record of a value whose class does not derive from Recorded, in an argument for the bindings."""

    __slots__ = ("_record", "value")

    def __init__(self, value):
        self.value = value
        self._record = record_of_value(value)


class TypeSpec(abc.ABC):
    """The static half of a value: what is the same for all values of a type. The base class of all specs.

    A class that derives from it is the spec of a type of its own. It stores the static data, and defines serialize(),
    to_components(), from_components(), component_specs and value_type. Its values have a method __tf_type_spec__() that returns
    their spec; they need no base class. Neither specs nor values may change. All other methods have defaults, which compare
    what serialize() returns. A property `shape` of the spec gives the outer axes of values: if all components begin with them,
    values are stacked, sliced and used as fields of structs by their rows.
    """

    _type_name = None
    _name_is_registered = False
    _has_own_boxes = False
    _compares_itself = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._type_name = None
        cls._name_is_registered = False
        _boxing.hook(cls, TypeSpec)

    @classmethod
    def _owner(cls):
        """The class that has the name of the type."""
        return cls

    def _names_of_components(self):
        """The names of columns for each component, if component_specs is a tuple; None if they have no names."""
        return None

    @property
    def _record(self):
        owner = self._owner()
        name, record = self.__dict__.get("_record_", (None, None))
        if record is None or name != owner._type_name:
            name = _registry.name_of(owner)
            record = record_of_spec(self)
            self.__dict__["_record_"] = name, record
        return record

    # Job 2: serialization

    @abc.abstractmethod
    def serialize(self):
        """The static data, as a tuple: the arguments that make an equal spec, unless deserialize() is replaced, too.

        It contains bool, int, float, str, bytes, None, TensorShape, DType, np.ndarray, specs, and tuples, named tuples, lists,
        dicts and OrderedDicts of these.
        """

    @classmethod
    def deserialize(cls, serialization):
        """The spec with this static data, which serialize() gave. Default: cls(*serialization)."""
        return cls(*serialization)

    def to_bytes(self):
        """The spec as bytes, which other processes can read: st.TypeSpec.from_bytes(). The name of the type is part of them."""
        return _core._serialize_spec(self)

    @classmethod
    def from_bytes(cls, data):
        """The spec that to_bytes() gave. Raises ValueError for other bytes, and for a spec of another class than the one it is
        called on; KeyError if no class has the name of the type."""
        spec = _core._parse_spec(data)
        if not isinstance(spec, cls):
            raise ValueError(f"the bytes hold {spec!r}, which is not a {cls.__qualname__}")
        return spec

    # Job 3: components

    @property
    @abc.abstractmethod
    def value_type(self):
        """The class of values."""

    @property
    @abc.abstractmethod
    def component_specs(self):
        """The specs of what to_components() returns, in the same structure."""

    @abc.abstractmethod
    def to_components(self, value):
        """The tensors and values of other types that the value consists of, as lists, tuples and dicts."""

    @abc.abstractmethod
    def from_components(self, components):
        """The value with these components, which are in the structure of component_specs."""

    # Job 4: compatibility

    def is_compatible_with(self, spec_or_value):
        """Whether one value can have both specs. For a value: whether the value has this spec. False for other objects.

        Default: the types are the same, and what both serialize() return is compatible. Shapes are compatible if the sizes are
        equal where both are known; everything else must be equal.
        """
        other = spec_for_bindings(spec_or_value)
        return other is not None and self._record._is_compatible_with(other)

    def is_subtype_of(self, other):
        """Whether every value of this spec is also a value of the other spec."""
        return self._record.is_subtype_of(other)

    def most_specific_compatible_type(self, other):
        """The narrowest spec that both specs are subtypes of; None if there is none.

        Default: what both serialize() return, with sizes of shapes unknown where they differ. If anything else differs, there
        is no such spec.
        """
        return self._record.most_specific_compatible_type(other)

    most_specific_common_supertype = _boxing.most_specific_common_supertype

    def castable_type(self, spec):
        """A spec that values of both specs can be cast to; None if there is none. Default: most_specific_compatible_type().

        A type that other values can be converted to replaces this method and cast(). stack() and concat() use them for values
        of several types.
        """
        return self.most_specific_compatible_type(spec)

    def cast(self, value):
        """A value of this spec that is equivalent to `value`. Raises TypeError if there is none. Default: `value` itself, if it
        has this spec."""
        if self.is_compatible_with(value):
            return value
        raise TypeError(f"{type(value).__name__} cannot be cast to {self!r}")

    # Stacking

    def batch(self, batch_size=None):
        """The spec of `batch_size` stacked values of this spec; None means any number. Raises ValueError for types without
        rows."""
        return self._record.batch(batch_size)

    def unbatch(self):
        """The spec of one row. Raises ValueError for types without rows."""
        return self._record.unbatch()

    def stacked(self, num):
        """The same as batch(num). A type that replaces to_boxed_tensor() replaces this method, too."""
        return _boxing.stacked(self, num)

    def unstacked(self):
        """The same as unbatch()."""
        return self.unbatch()

    to_boxed_tensor = _boxing.to_boxed_tensor
    from_boxed_tensor = _boxing.from_boxed_tensor
    boxed_tensor_spec = _boxing.boxed_tensor_spec

    def with_unknown_sizes(self):
        """The spec without the sizes that depend on data."""
        return self._record.with_unknown_sizes()

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self._record == other._record

    def __hash__(self):
        return hash(self._record)

    def __repr__(self):
        state = self.serialize()
        items = state if type(state) is tuple else (state,)
        return f"{type(self).__qualname__}({', '.join(map(repr, items))})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        return load_state, (_pickle.FORMAT, type(self), self.serialize())


class StackableTypeSpec(TypeSpec):
    """The spec of a type that decides how its values are boxed: as a tensor, or as several tensors.

    stack(), unstack() and concat() of the values are those of the boxes. All built-in specs and those of ExtensionType are such
    specs; their boxes are BoxedTensors, unless a type replaces these methods.
    """

    @abc.abstractmethod
    def to_boxed_tensor(self, value, minimum_rank=0):
        """The value as a Tensor, or as a list of Tensors that are stacked in parallel, with at least `minimum_rank` axes."""

    @abc.abstractmethod
    def from_boxed_tensor(self, boxed_tensor):
        """The value of this spec in the boxes, after any stacking, unstacking and concatenating."""

    @abc.abstractmethod
    def boxed_tensor_spec(self, minimum_rank=0):
        """The spec, or the list of specs, of to_boxed_tensor(value, minimum_rank) for all values of this spec."""

    @abc.abstractmethod
    def stacked(self, num):
        """The spec of `num` stacked values of this spec; None means any number."""

    @abc.abstractmethod
    def unstacked(self):
        """The spec of one row."""


for _spec_class in BUILT_IN_SPECS:
    StackableTypeSpec.register(_spec_class)
TypeSpec.register(_boxing.BoxedTensorSpec)


def _encode_spec(spec):
    if isinstance(spec, BUILT_IN_SPECS):
        return f":{type(spec).__name__}", spec.serialize()  # no registered name has a colon
    return _registry.name_of(spec._owner()), spec.serialize()


def _decode_spec(name, state):
    if name.startswith(":"):
        return getattr(_core, name[1:]).deserialize(state)
    owner = _registry.class_of(name)
    return getattr(owner, "Spec", owner).deserialize(state)


def load_state(version, cls, state):
    _pickle.check(version)
    return cls.deserialize(state)


# --- Specs of values


def is_of_protocol(value):
    """Whether the value has __tf_type_spec__(), and its class is one that the bindings do not know."""
    kind = type(value)
    known = (Recorded, _boxing.BoxedTensor, _core.RowPartition, *BUILT_IN_VALUES)
    return hasattr(kind, "__tf_type_spec__") and not isinstance(value, known)


def spec_of(spec_or_value):
    """The spec of a value, or the spec itself; None for other objects."""
    if isinstance(spec_or_value, TypeSpec):
        return spec_or_value
    kind = type(spec_or_value)
    if not hasattr(kind, "__tf_type_spec__"):
        return None
    method = spec_or_value.__tf_type_spec__
    if not callable(method):
        raise TypeError(f"{kind.__name__}.__tf_type_spec__ is {method!r}; it must be a method that returns the spec")
    spec = method()
    if not isinstance(spec, TypeSpec):
        raise TypeError(f"{kind.__name__}.__tf_type_spec__() returned {spec!r}; expected a TypeSpec")
    if isinstance(spec, BUILT_IN_SPECS) and not isinstance(spec_or_value, spec.value_type):
        raise TypeError(
            f"{kind.__name__}.__tf_type_spec__() returned {spec!r}, the spec of a {spec.value_type.__name__}; expected one of "
            f"a class that derives from TypeSpec and is for {kind.__name__}"
        )
    return spec


def spec_for_bindings(spec_or_value):
    """spec_of(), but None for specs that the bindings do not know."""
    spec = spec_of(spec_or_value)
    return None if isinstance(spec, _boxing.BoxedTensorSpec) else spec


def component_specs_of(spec):
    """The RFC declares a property; its example has a method."""
    specs = spec.component_specs
    return specs() if callable(specs) and not isinstance(specs, TypeSpec) else specs


def value_type_of(spec):
    kind = spec.value_type
    return kind if isinstance(kind, type) else kind()


# --- Records

_KINDS = ((_core.TensorSpec, TENSOR), (_core.RaggedTensorSpec, TENSOR | RAGGED), (_core.StructuredTensorSpec, STRUCTURED))


def _kind_of(spec):
    for kind, number in _KINDS:
        if isinstance(spec, kind):
            return number
    return EXTENSION


def shape_of(spec):
    """(whether the spec shows axes, their sizes)."""
    shape = getattr(spec, "shape", None)
    if not isinstance(shape, (tuple, list)):
        return False, None
    return True, TensorShape(shape).dims


def axes_of_value(value):
    """(how many axes the value has for the bindings, whether its type shows axes, their sizes or None for unknown rank)."""
    record = value._record if isinstance(value, Recorded) else record_of_value(value)
    return record.rank, record.shows_axes, record.shape


def _described(spec):
    """The components' specs, encoded, and the kinds of values that they allow."""
    kinds = []

    def leaf(component):
        if not isinstance(component, TypeSpec):
            raise TypeError(f"{type(spec).__qualname__}.component_specs has {component!r}; expected specs")
        kinds.append(_kind_of(component))
        return component

    return _static_data.encode(component_specs_of(spec), leaf), kinds


# The first field of a record, which no field of an ExtensionType can be called: what serialize() returns. The name says where
# the components are.
_IN_ONE_FIELD = "spec"  # all in the field "components"
_IN_FIELDS = "spec:fields"  # in a tuple, each in a field of the record
_IN_DICT = "spec:dict"  # in a dict, each in a field of the record


def _fields(spec, components):
    """The fields of a record. Their names are those of columns in other libraries."""
    state = _static_data.encode(spec.serialize())
    names = spec._names_of_components()
    if names is not None and len(names) == len(components):
        return {_IN_FIELDS: state, **dict(zip(names, components, strict=True))}
    if type(components) is list and components[0] == "dict" and components[1]:
        items = dict(components[1])
        if all(isinstance(key, str) and key != "" and not key.startswith("spec") for key in items):
            return {_IN_DICT: state, **items}
    return {_IN_ONE_FIELD: state, "components": components}


def record_of_spec(spec, shape=None):
    """shape: as of shape_of(), for specs that determine it in another way."""
    components, kinds = _described(spec)
    name = _registry.name_of(spec._owner())
    return _core._make_record_spec(name, *(shape or shape_of(spec)), kinds, _fields(spec, components))


def checked_components(spec, value):
    """What spec.to_components(value) returns. Raises ValueError if component_specs does not describe it.

    The components of components are not looked at.
    """
    made = spec.to_components(value)
    specs, values = [], []
    described = _static_data.encode(component_specs_of(spec), specs.append)
    if _structure(_static_data.encode(made, values.append)) == _structure(described) and all(map(_is_of, specs, values)):
        return made
    raise _contradiction(spec, made)


def _is_of(spec, component):
    if isinstance(spec, BUILT_IN_SPECS) and hasattr(type(component), "__tf_type_spec__"):
        return spec.is_compatible_with(component)
    kind = value_type_of(spec)
    is_tensor = isinstance(spec, _core.TensorSpec)
    return isinstance(component, kind) or is_tensor and isinstance(component, (int, float, np.ndarray, np.generic))


def _contradiction(spec, made):
    return ValueError(
        f"{type(spec).__qualname__}.to_components() returned {made!r}; component_specs is {component_specs_of(spec)!r}"
    )


def components_of(spec, value):
    """What spec.to_components(value) returns, encoded, and the kinds of its values.

    Raises ValueError if component_specs does not describe it, TypeError for components that are no values.
    """
    described, kinds = _described(spec)
    specs, values = [], []
    made = spec.to_components(value)

    def leaf(component):
        if not hasattr(type(component), "__tf_type_spec__"):
            if not isinstance(component, (int, float, str, bytes, np.ndarray, np.generic)):
                raise TypeError(f"{type(spec).__qualname__}.to_components() returned {component!r}; expected tensors")
            component = _core.constant(component)
        values.append(component)
        return for_bindings(component)

    encoded = _static_data.encode(made, leaf)
    _static_data.encode(component_specs_of(spec), specs.append)
    fits = len(specs) == len(values) and all(s.is_compatible_with(v) for s, v in zip(specs, values, strict=True))
    if not fits or _structure(encoded) != _structure(described):
        raise _contradiction(spec, made)
    return encoded, kinds


def _structure(encoded):
    if type(encoded) in (tuple, list):
        return type(encoded), [_structure(item) for item in encoded]
    return encoded if type(encoded) in (str, int, float, bool, bytes) else None


def record_of_value(value, shape=None):
    spec = spec_of(value)
    components, kinds = components_of(spec, value)
    name = _registry.name_of(spec._owner())
    return _core._make_record(name, *(shape or shape_of(spec)), kinds, _fields(spec, components))


def is_general(fields):
    """Whether a record has the form of this module."""
    return len(fields) > 0 and fields[0][0] in (_IN_ONE_FIELD, _IN_FIELDS, _IN_DICT)


def spec_of_record(spec_class, fields):
    return spec_class.deserialize(_static_data.decode(fields[0][1]))


def value_of_record(spec_class, fields):
    """Raises ValueError if from_components() does not make a value of the spec."""
    spec = spec_of_record(spec_class, fields)
    items = [(name, _static_data.decode(item)) for name, item in fields[1:]]
    if fields[0][0] == _IN_ONE_FIELD:
        components = items[0][1]
    else:
        components = dict(items) if fields[0][0] == _IN_DICT else tuple(item for _, item in items)
    value = spec.from_components(components)
    check_made(spec, value)
    if not spec.is_compatible_with(value):
        raise ValueError(
            f"{spec_class.__qualname__}.from_components() made a value of {spec_of(value)!r}; expected one that is compatible "
            f"with {spec!r}"
        )
    return value


def check_made(spec, value):
    kind = value_type_of(spec)
    if not isinstance(value, kind):
        raise TypeError(f"{type(spec).__qualname__}.from_components() returned {value!r}; expected a {kind.__name__}")


def equal_values(a, b):
    """Whether two values have the same type, an equal spec and equal content."""
    if hasattr(a, "equals"):
        return a.equals(b)
    same = type(a) is type(b) and spec_of(a) == spec_of(b)
    return same and _core._extension_equals(for_bindings(a), for_bindings(b))


# --- Arguments for the bindings


def for_bindings(value):
    """The value, or its record if the bindings do not know its class."""
    return StandIn(value) if is_of_protocol(value) else value


def is_of_a_type(error):
    """Whether the code of a type, or the check of what it answers, has raised the error, and not the bindings."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    module = last.tb_frame.f_globals.get("__name__", "")
    ours = module.partition(".")[0] == __package__
    return module in (__name__, _static_data.__name__) or not ours


_specs = _static_data.Specs
_specs.encode, _specs.decode = _encode_spec, _decode_spec
_specs.is_spec = lambda value: isinstance(value, TypeSpec)
_specs.is_spec_class = lambda kind: issubclass(kind, TypeSpec)
_specs.value_type, _specs.for_bindings, _specs.equal_values = value_type_of, for_bindings, equal_values
