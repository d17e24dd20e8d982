"""Values of one's own types in TensorFlow, and back.

A class that derives from structtensor.ExtensionType has a counterpart: a tf.experimental.BatchableExtensionType with the same
fields, which TensorFlow's functions, datasets and saved models take. It is made once for each class, from the annotations.
"""

import base64
import copyreg
import re
import threading
import typing

import structtensor as st
import tensorflow as tf
from structtensor import _annotations, _extension, _pickle, _registry, _static_data, _type_spec
from tensorflow.python.framework import composite_tensor_gradient, immutable_dict, type_spec_registry
from tensorflow.python.framework.extension_type import is_packed

from ._columns import dtype_name, dtype_of
from ._type import StructuredTensor, column_from_structtensor, column_to_structtensor, component_names, structs_of_components

# In graphs, AutoGraph would warn that it cannot convert functions of the package.
_not_converted = tf.autograph.experimental.do_not_convert
_lock = threading.RLock()
_counterparts = {}  # by the own class
_own_classes = {}  # by the counterpart

# The attributes that every extension type has; a counterpart has its own.
_MACHINERY = frozenset(vars(st.BatchableExtensionType)) - {"shape"} | {
    "__init__", "__dict__", "__weakref__", "__tf_dispatch__", "__tf_type_spec__", "__reduce_ex__"
}  # fmt: skip


class _CounterpartClass(type(tf.experimental.BatchableExtensionType)):
    """The class of counterparts. No module has them, so pickles have the own class instead."""


copyreg.pickle(_CounterpartClass, lambda made: (extension_type, (_own_classes[made],)))


class _Gradient(composite_tensor_gradient.CompositeTensorGradient):
    """Gradients flow through tensors of floating point numbers."""

    def get_gradient_components(self, value):
        return tuple(tensor for tensor in _tensors(value) if tensor.dtype.is_floating)

    def replace_gradient_components(self, value, components):
        left = iter(components if isinstance(components, (tuple, list)) else [components])

        def replaced(tensor):
            if not tensor.dtype.is_floating:
                return tensor
            gradient = next(left)
            return tf.zeros_like(tensor) if gradient is None else gradient

        return tf.nest.pack_sequence_as(value, list(map(replaced, _tensors(value))), expand_composites=True)


def _tensors(value):
    return tf.nest.flatten(value, expand_composites=True)


class WholeValue(tf.experimental.ExtensionType):
    """A value of a class that derives from no class of structtensor, but has __tf_type_spec__().

    spec         its structtensor.TypeSpec, as bytes in base64
    components   the components that the spec takes from the value, in the order of component_specs
    """

    __name__ = "structtensor.WholeValue"
    __composite_gradient__ = _Gradient()
    spec: str
    components: typing.Tuple[typing.Union[tf.Tensor, tf.RaggedTensor, StructuredTensor, tf.experimental.ExtensionType], ...]

    def __repr__(self):
        if is_packed(self):
            return super().__repr__()
        try:
            spec = repr(_own_spec(self))
        except KeyError:  # no class of this process has the name
            spec = "..."
        return f"WholeValue(spec={spec}, components={self.components!r})"


def _own_spec(whole):
    """The structtensor.TypeSpec of a WholeValue, or of its spec."""
    return st.TypeSpec.from_bytes(base64.b64decode(whole.spec))


def _refuse_rows(*_):
    raise TypeError(
        "a WholeValue has no rows, so it cannot be batched or sliced; a class that derives from "
        "structtensor.BatchableExtensionType has rows in TensorFlow"
    )


# Without these methods, TensorFlow raises AttributeError.
for _method in ("_batch", "_unbatch", "_to_batched_tensor_list"):
    setattr(WholeValue.Spec, _method, _refuse_rows)


class _BatchEncoder(tf.experimental.ExtensionTypeBatchEncoder):
    """TensorFlow's own, which would batch the tensors of a WholeValue in a field, and not its spec."""

    def batch(self, spec, batch_size):
        _check_rows(spec)
        return super().batch(spec, batch_size)

    def unbatch(self, spec):
        _check_rows(spec)
        return super().unbatch(spec)

    def encode(self, spec, value, minimum_rank=0):
        if minimum_rank > 0:
            _check_rows(spec)
        return super().encode(spec, value, minimum_rank)


def _check_rows(spec):
    """Raises TypeError if a field is a WholeValue. Encoders call themselves for the counterparts in fields."""
    if any(isinstance(field, WholeValue.Spec) for field in tf.nest.flatten(tuple(spec.__dict__.values()))):
        _refuse_rows()


def _is_annotated(cls):
    """Whether the class derives from ExtensionType. issubclass() would ask whether it has the protocol."""
    return isinstance(cls, type(st.ExtensionType))


@_not_converted
def extension_type(cls):
    """The counterpart in TensorFlow of a class that derives from structtensor.ExtensionType.

    It has the same fields, constructor, methods and properties; the fields hold tf.Tensor, tf.RaggedTensor,
    structtensor.tf.StructuredTensor, and counterparts. A process that loads a saved model makes the counterparts of the
    model's types first, by this function, because TensorFlow looks them up by name.

    Raises TypeError for other classes, and for fields that TensorFlow's extension types cannot have: np.ndarray and specs.
    """
    if not _is_annotated(cls) or cls in (st.ExtensionType, st.BatchableExtensionType):
        raise TypeError(f"extension_type: expected a class that derives from structtensor.ExtensionType, found {cls!r}")
    with _lock:
        if cls in _counterparts:
            return _counterparts[cls]
        fields = cls._fields()
        for name, annotation in fields.items():
            _check(annotation, f"{cls.__name__}.{name}")
        made = _make_class(cls, fields)
        _counterparts[cls], _own_classes[made] = made, cls
        try:
            # A field may be of the class itself, so there are no annotations before there is a class.
            annotations = {"shape": tf.TensorShape} if _has_hidden_shape(cls) else {}
            made.__annotations__ = {**annotations, **{name: _hint(annotation) for name, annotation in fields.items()}}
        except Exception:
            del _counterparts[cls], _own_classes[made]
            raise
        return made


def _has_hidden_shape(cls):
    """Whether stacking adds axes that no field shows. The counterpart has a field for them."""
    is_hidden = issubclass(cls, st.BatchableExtensionType) and cls.shape is st.BatchableExtensionType.shape
    return is_hidden and "shape" not in cls._names


def _make_class(cls, fields):
    own_init, hidden_shape = cls.__init__, _has_hidden_shape(cls)

    def __init__(self, *args, **kwargs):
        if hidden_shape:
            self.shape = tf.TensorShape([])
        if own_init is not st.ExtensionType.__init__:
            own_init(self, *args, **kwargs)
            return
        defaults = {name: _from(value, name) for name, value in cls._converted_defaults.items()}
        for name, value in {**defaults, **_extension._bind(cls, args, kwargs)}.items():
            setattr(self, name, value)

    names = [*(["shape"] if hidden_shape else []), *fields]
    # TensorFlow asks for the annotations when a field is first used, and takes the names before.
    body = {
        "__batch_encoder__": _BatchEncoder(),
        "__composite_gradient__": _Gradient(),
        "__annotations__": dict.fromkeys(names, "_not_made_yet"),
        "__doc__": f"{cls.__doc__ or cls.__name__}\n\nThe counterpart of {cls.__module__}.{cls.__qualname__} in TensorFlow.",
        "__init__": __init__,
        "__module__": __name__,
        "__name__": _free_name(_registry.name_of(cls)),
        "__qualname__": cls.__qualname__,
    }
    shape = None if "shape" in names else getattr(cls, "shape", None)
    if isinstance(shape, property):
        # The property finds the specs of the fields, which have shapes, too.
        body["Spec"] = type("Spec", (), {"shape": property(lambda self: shape.fget(self))})
    made = _CounterpartClass(cls.__name__, (tf.experimental.BatchableExtensionType,), body)
    for base in reversed(cls.__mro__):
        if base in st.BatchableExtensionType.__mro__:
            continue
        for name, attribute in base.__dict__.items():
            if name not in _MACHINERY and name not in names:
                setattr(made, name, attribute)
    return made


def _free_name(name):
    """The name for TensorFlow, which needs a point in it.

    TensorFlow never forgets a class; a class that is made again gets a number.
    """
    name = "structtensor.types." + re.sub(r"[^\w.]", "_", name)
    free, count = name, 1
    while _is_taken(f"{free}.Spec"):
        count += 1
        free = f"{name}_{count}"
    return free


def _is_taken(name):
    try:
        type_spec_registry.lookup(name)
    except ValueError:
        return False
    return True


def _check(annotation, where):
    """Raises TypeError if TensorFlow has no such field."""
    if isinstance(annotation, (_annotations._Array, _annotations._SpecData)):
        raise TypeError(
            f"{where}: extension types of TensorFlow have no fields of {annotation.kind.__name__}; keep it as a tensor, as "
            "numbers or as a shape and a dtype"
        )
    for item in _inner(annotation):
        _check(item, where)


def _inner(annotation):
    if isinstance(annotation, _annotations._Mapping):
        return [annotation.key, annotation.item]
    if isinstance(annotation, _annotations._Union):
        return annotation.options
    return getattr(annotation, "items", [])


_HINTS = {
    st.Tensor: tf.Tensor,
    st.RaggedTensor: tf.RaggedTensor,
    st.StructuredTensor: StructuredTensor,
    st.TensorShape: tf.TensorShape,
    st.DType: tf.DType,
}


def _hint(annotation):
    """The annotation of the counterpart's field."""
    inner = tuple(map(_hint, _inner(annotation)))
    if isinstance(annotation, _annotations._Tuple):
        return typing.Tuple[(*inner, ...) if annotation.any_number else inner]
    if isinstance(annotation, _annotations._NamedTuple):
        return typing.Tuple[inner]
    if isinstance(annotation, _annotations._Mapping):
        return typing.Mapping[inner]
    if isinstance(annotation, _annotations._Union):
        return typing.Union[inner]
    if isinstance(annotation, _annotations._Literal):
        return typing.Union[tuple(map(type, annotation.options))]
    if isinstance(annotation, _annotations._OfProtocol):
        return WholeValue
    if isinstance(annotation, _annotations._Extension):
        return extension_type(annotation.kind)
    return _HINTS.get(annotation.kind, annotation.kind)


# --- Values


@_not_converted
def from_structtensor(value):
    """The value of structtensor in TensorFlow: a tf.Tensor, tf.RaggedTensor, structtensor.tf.StructuredTensor, or the
    counterpart of an object of one's own type, whose class is extension_type(type(value)). ExtensionRows become structs of
    their components.

    Numbers are shared as by StructuredTensor.from_structtensor(). Strings become tf.string. Raises ValueError for absent
    elements, and TypeError for other objects and for own types that have no counterpart.
    """
    if not hasattr(type(value), "__tf_type_spec__") or isinstance(value, (st.RowPartition, st.BoxedTensor)):
        raise TypeError(f"from_structtensor: expected a value of structtensor, found {type(value).__name__}")
    return _from(value, None)


def _from(value, where):
    """where: the path of a field, for messages; None for the value itself."""
    if isinstance(value, st.StructuredTensor):
        return StructuredTensor.from_structtensor(value)
    if isinstance(value, (st.Tensor, st.RaggedTensor, st.ExtensionRows)):
        return column_from_structtensor(value, [] if where is None else [where])
    if _is_annotated(type(value)):
        made = object.__new__(extension_type(type(value)))
        if _has_hidden_shape(type(value)):
            made.__dict__["shape"] = tf.TensorShape(value.shape.dims)
        for name in type(value)._names:
            made.__dict__[name] = _from(value.__dict__[name], name if where is None else f"{where}.{name}")
        return made
    if _type_spec.is_of_protocol(value):
        spec = _type_spec.spec_of(value)
        components = []
        _static_data.encode(spec.to_components(value), lambda item: components.append(_from_component(item, where)))
        text = base64.b64encode(spec.to_bytes()).decode()
        return WholeValue(spec=text, components=tuple(components))
    if isinstance(value, st.TensorShape):
        return tf.TensorShape(value.dims)
    if isinstance(value, st.DType):
        return dtype_of(value)
    if isinstance(value, tuple):
        return tuple(_from(item, f"{where}[{i}]") for i, item in enumerate(value))
    if isinstance(value, _extension.ImmutableDict):
        return immutable_dict.ImmutableDict((key, _from(item, f"{where}[{key!r}]")) for key, item in value.items())
    return value


def _from_component(component, where):
    return _from(component if hasattr(type(component), "__tf_type_spec__") else st.constant(component), where)


@_not_converted
def to_extension_type(rows):
    """The counterpart of the value of an own type that is in a field of structs: to_extension_type(rows["masked"]).

    rows: structs of rank 0 or 1 that StructuredTensor.from_structtensor() has made of such values; rank 0 if they stay whole,
    that is, if they are ExtensionRows in the package. Also in graphs. Raises TypeError for other structs, ValueError for
    other ranks.
    """
    spec = rows.own_spec() if isinstance(rows, StructuredTensor) else None
    if spec is None:
        raise TypeError(f"to_extension_type: expected structs made from an extension type, found {type(rows).__name__}")
    if isinstance(spec, st.ExtensionRowsSpec) and rows.rank == 0:
        spec = spec.element
    if not isinstance(spec, st.ExtensionTypeSpec):
        raise TypeError(
            f"to_extension_type: expected a value with a counterpart, not whole rows or a plain class, found {spec!r}"
        )
    if rows.rank > 1:
        raise ValueError(f"to_extension_type: expected structs of rank 0 or 1, found the rank {rows.rank}")
    components = iter([rows[name] for name in component_names(spec, len(rows.field_names()))])

    def filled(state):
        if isinstance(state, st.TypeSpec):
            component = next(components)
            is_own = isinstance(component, StructuredTensor) and isinstance(state, st.ExtensionTypeSpec)
            return to_extension_type(component) if is_own else component
        if isinstance(state, tuple) and not isinstance(state, st.TensorShape):
            return tuple(map(filled, state))
        if isinstance(state, _extension.ImmutableDict):
            items = dict(_static_data.encode(state, filled)[1])  # in the order of the components
            return immutable_dict.ImmutableDict((key, items[key]) for key in state)
        return _from(state, None)

    made = object.__new__(extension_type(spec.value_type))
    if _has_hidden_shape(spec.value_type):
        made.__dict__["shape"] = rows.shape
    for name in spec.value_type._names:
        made.__dict__[name] = filled(spec.__dict__[name])
    return made


@_not_converted
def from_extension_type(value):
    """The rows of a counterpart as structs that can be a field: rows.with_updates({"masked": from_extension_type(value)}).

    The inverse of to_extension_type(). Also in graphs. Raises TypeError for other objects, ValueError for values whose type
    shows no axes, or whose components do not begin with them.
    """
    if type(value) not in _own_classes:
        raise TypeError(f"from_extension_type: expected a value of an extension_type(), found {type(value).__name__}")
    spec = _spec_of(value).with_unknown_sizes()
    try:
        spec.unbatch()
    except ValueError as problem:
        raise ValueError(f"from_extension_type: {problem}") from None
    columns = []

    def collect(field):
        if isinstance(field, tuple):
            for item in field:
                collect(item)
        elif isinstance(field, typing.Mapping):
            _static_data.encode(dict(field), collect)  # in the order of the components
        elif type(field) in _own_classes:
            columns.append(from_extension_type(field))
        elif isinstance(field, (tf.Tensor, tf.RaggedTensor)):
            columns.append(field)

    for name in _own_classes[type(value)]._names:
        collect(getattr(value, name))
    return structs_of_components(spec, columns)


def _spec_of(value):
    """The structtensor.TypeSpec of a value of TensorFlow, or the static data that the value is."""
    cls = _own_classes.get(type(value))
    if cls is not None:
        fields = tuple((name, _spec_of(getattr(value, name))) for name in cls._names)
        sizes = value.shape.as_list() if _has_hidden_shape(cls) else ()
        return _extension.load_fields(_pickle.FORMAT, cls, "spec", fields, tuple(sizes))
    if isinstance(value, tf.Tensor):
        return st.TensorSpec(_to(value.shape), dtype_name(value.dtype))
    if isinstance(value, tf.RaggedTensor):
        return st.RaggedTensorSpec(_to(value.shape), dtype_name(value.dtype), value.ragged_rank)
    if isinstance(value, (StructuredTensor, WholeValue)):
        raise TypeError(f"from_extension_type: a field is a {type(value).__name__}, which is not supported in graphs")
    if isinstance(value, tuple):
        return tuple(map(_spec_of, value))
    if isinstance(value, typing.Mapping):
        return {key: _spec_of(item) for key, item in value.items()}
    return _to(value)


@_not_converted
def to_structtensor(value):
    """The same value in structtensor: the inverse of from_structtensor(). Only outside of graphs.

    The own class checks the value by its __validate__(). Strings are bytes. Raises TypeError for other objects, KeyError for
    a WholeValue whose class this process has not imported.
    """
    known = isinstance(value, (tf.Tensor, tf.RaggedTensor, StructuredTensor, WholeValue)) or type(value) in _own_classes
    if not known:
        raise TypeError(
            "to_structtensor: expected a tensor, a ragged tensor, structs, or a value that from_structtensor() gives, found "
            f"{type(value).__name__}"
        )
    if not all(hasattr(tensor, "numpy") for tensor in _tensors(value)):
        raise TypeError("to_structtensor: tensors in graphs have no values yet; call it outside the function")
    return _to(value)


def _to(value):
    if isinstance(value, (tf.Tensor, tf.RaggedTensor, StructuredTensor)):
        return column_to_structtensor(value)
    cls = _own_classes.get(type(value))
    if cls is not None:
        fields = tuple((name, _to(getattr(value, name))) for name in cls._names)
        # In a batch, sizes of axes that stacking has added may be unknown until there are tensors.
        sizes = _sizes(fields, value.shape.rank) if _has_hidden_shape(cls) else ()
        return _extension.load_fields(_pickle.FORMAT, cls, "value", fields, sizes)
    if isinstance(value, WholeValue):
        spec = _own_spec(value)
        components = map(_to, value.components)
        encoded = _static_data.encode(_type_spec.component_specs_of(spec), lambda _: next(components))
        made = spec.from_components(_static_data.decode(encoded))
        _type_spec.check_made(spec, made)
        return made
    if isinstance(value, tf.TensorShape):
        return st.TensorShape(None if value.rank is None else value.as_list())
    if isinstance(value, tf.DType):
        return st.DType(dtype_name(value))
    if isinstance(value, tuple):
        return tuple(map(_to, value))
    if isinstance(value, typing.Mapping):
        return {key: _to(item) for key, item in value.items()}
    return value


def _sizes(fields, rank):
    """The sizes of the first axes of the first component in the fields."""
    components = (leaf for leaf in st.nest.flatten([value for _, value in fields]) if hasattr(type(leaf), "__tf_type_spec__"))
    return next(components).shape[:rank].dims if rank > 0 else ()
