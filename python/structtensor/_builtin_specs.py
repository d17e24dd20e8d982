"""What built-in specs have in common with those of a TypeSpec of one's own: serialization and components.

    spec                    serialize()                                    components
    TensorSpec              shape, dtype                                   the tensor itself
    RaggedTensorSpec        shape, dtype, ragged_rank, row_splits_dtype    flat values, then the row splits of each axis
    StructuredTensorSpec    shape, fields, kind, nullable, shape_dtype     {"fields", "ragged_shape", "validity"}
    RowPartitionSpec        nrows, nvals, uniform_row_length, dtype        the row splits
    ExtensionRowsSpec       shape, element                                 the components of all rows

serialize() gives the arguments of the constructor. Where they do not determine the spec, such as the number of flat values of a
ragged value, one more item has the bytes of the spec, as text.
"""

import base64

from . import _core
from . import _type_spec
from ._static_types import DType, TensorShape

# --- Serialization


def _arguments(spec):
    if isinstance(spec, _core.TensorSpec):
        return (TensorShape(spec.shape), DType(spec.dtype)) + ((True,) if spec.nullable else ())
    if isinstance(spec, _core.RaggedTensorSpec):
        arguments = TensorShape(spec.shape), DType(spec.dtype), spec.ragged_rank, DType(spec.row_splits_dtype)
        return arguments + ((True,) if spec.nullable else ())
    if isinstance(spec, _core.StructuredTensorSpec):
        return TensorShape(spec.shape), dict(spec.fields), spec.kind, spec.nullable, DType(spec.shape_dtype)
    if isinstance(spec, _core.RowPartitionSpec):
        return spec.nrows, spec.nvals, spec.uniform_row_length, DType(spec.dtype)
    return TensorShape(spec.shape), spec.element


def serialize(self):
    """The arguments that make an equal spec, as a tuple."""
    arguments = _arguments(self)
    try:
        if type(self)(*_for_constructor(arguments)) == self:
            return arguments
    except (TypeError, ValueError):  # a spec that no arguments make
        pass
    return (*arguments, base64.b64encode(to_bytes(self)).decode())


def _for_constructor(arguments):
    shape = arguments[0]
    return (shape.dims, *arguments[1:]) if isinstance(shape, TensorShape) else arguments


def deserialize(cls, serialization):
    """The spec with these arguments, which serialize() gave. Raises ValueError for anything else."""
    if not isinstance(serialization, (list, tuple)) or len(serialization) < 2:
        raise ValueError(f"{cls.__name__}.deserialize(): expected what serialize() gave, found {serialization!r}")
    *arguments, last = serialization
    if isinstance(last, str) and not isinstance(last, DType) and len(arguments) >= 2:
        return from_bytes(cls, base64.b64decode(last))
    shape = serialization[0]
    return cls(*_for_constructor((TensorShape(shape) if cls is not _core.RowPartitionSpec else shape, *serialization[1:])))


def to_bytes(self):
    """The spec as bytes, which from_bytes() and other processes can read."""
    return _core._serialize_spec(self)


def from_bytes(cls, data):
    """The spec that to_bytes() gave. Raises ValueError for other bytes, TypeError for the bytes of a spec of another class."""
    spec = _core._parse_spec(data)
    if not isinstance(spec, cls):
        raise TypeError(f"{cls.__name__}.from_bytes(): these are the bytes of {spec!r}")
    return spec


# --- Components


def _flat(spec):
    return _core._flatten(spec)


def _in_structure(spec, fields, tensors):
    """The components of structs. tensors: the sizes, the row splits and the validity, in this order."""
    count = len(spec.row_partitions)
    components = {
        "fields": fields,
        "ragged_shape": {"inner_shape": tensors[0], "row_partitions": tuple(tensors[1 : 1 + count])},
    }
    if spec.nullable:
        components["validity"] = tensors[1 + count]
    return components


def _number_after_fields(spec):
    return 1 + len(spec.row_partitions) + spec.nullable


@property
def component_specs(self):
    """The specs of what to_components() returns, in the same structure."""
    if isinstance(self, _core.TensorSpec):
        return self
    if isinstance(self, _core.StructuredTensorSpec):
        flat = _flat(self)
        return _in_structure(self, dict(self.fields), flat[len(flat) - _number_after_fields(self) :])
    if isinstance(self, _core.RowPartitionSpec):
        return _flat(self)[0]
    return tuple(_flat(self) if isinstance(self, _core.RaggedTensorSpec) else _core._extension_component_specs(self))


def to_components(self, value):
    """The tensors, and the values in fields, that the value consists of. Raises ValueError for a value of another spec."""
    if not self.is_compatible_with(value):
        raise ValueError(f"to_components: expected a value of {self!r}, found {value!r}")
    if isinstance(self, _core.TensorSpec):
        return value
    if isinstance(self, _core.RaggedTensorSpec):
        return tuple(_core._flatten(value))
    if isinstance(self, _core.StructuredTensorSpec):
        flat = _core._flatten(value)
        last = flat[len(flat) - _number_after_fields(value.spec) :]
        if self.nullable and not value.spec.nullable:
            last.append(_core._dense([True] * last[0].to_py()[0] if value.rank > 0 else [True]))
        return _in_structure(self, {name: value[name] for name in self.fields}, last)
    if isinstance(self, _core.RowPartitionSpec):
        return value.row_splits
    return tuple(_core._extension_components(value))


def from_components(self, components):
    """The value with these components.

    Raises ValueError if they do not make a value of this spec, TypeError if they are not in the structure of component_specs.
    """
    try:
        made = _from_components(self, components)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise TypeError(
            f"from_components: expected components in the structure of {self.component_specs!r}, found {components!r}"
        ) from error
    if not self.is_compatible_with(made):
        raise ValueError(f"from_components: the components make {made!r}, which is no value of {self!r}")
    return made


def _from_components(self, components):
    if isinstance(self, _core.TensorSpec):
        return _core._dense(components)
    if isinstance(self, _core.RaggedTensorSpec):
        return _core._pack(self, list(components))
    if isinstance(self, _core.RowPartitionSpec):
        return _core.RowPartition.from_row_splits(components).with_dtype(self.dtype)
    if isinstance(self, _core.ExtensionRowsSpec):
        return _core._extension_from_components(self, list(components))
    if len(self.row_partitions) > 0 and any(isinstance(spec, _core.ExtensionRowsSpec) for spec in self.fields.values()):
        return _core.StructuredTensor.from_fields(components["fields"], rank=len(self.shape))  # fields with all of their axes
    shape = components["ragged_shape"]
    tensors = [tensor for name in self.fields for tensor in _core._flatten(components["fields"][name])]
    tensors += [shape["inner_shape"], *shape["row_partitions"]]
    return _core._pack(self, tensors + ([components["validity"]] if self.nullable else []))


def is_compatible_with(self, spec_or_value):
    """Whether one value can have both specs. For a value: whether the value has this spec.

    Types, dtypes, numbers of axes and names of fields must be equal. Sizes must be equal where both are known.
    """
    other = _type_spec.spec_for_bindings(spec_or_value)
    return other is not None and self._is_compatible_with(other)


def type_spec(self):
    """The same as `spec`. Classes with this method are types of values: the protocol of the RFC "Extension types"."""
    return self.spec
