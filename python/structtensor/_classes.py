"""The members of the bindings' classes that are written in Python.

Each class here has the name of a class of the bindings and lists the functions that are its methods. The package calls
complete() first of all, so the classes are complete before anything else can use them.
"""

import functools
import types

from . import _attribute_advice
from . import _awkward
from . import _boxing
from . import _builtin_specs
from . import _core
from . import _dlpack
from . import _docs
from . import _examples
from . import _html
from . import _numpy
from . import _pandas
from . import _parquet
from . import _pickle
from . import _ragged
from . import _schema
from . import _signatures
from . import _torch
from ._immutable import Immutable


class _Value(Immutable):
    __getattr__ = _attribute_advice.attribute_error
    __reduce_ex__ = _pickle.reduce_value
    __tf_type_spec__ = _builtin_specs.type_spec


class _Array(_Value):
    __array__ = _numpy.array
    __array_ufunc__ = _numpy.array_ufunc
    __array_function__ = _numpy.array_function
    to_arrow = _parquet.array_to_arrow
    to_awkward = _awkward.to_awkward
    to_pandas = _pandas.array_to_pandas


class Tensor(_Array):
    __dlpack__ = _dlpack.dlpack
    __dlpack_device__ = _dlpack.dlpack_device
    __jax_array__ = _dlpack.jax_array
    to_numpy = _numpy.tensor_to_numpy
    numpy = to_numpy  # TensorFlow's name
    to_torch = _torch.tensor_to_torch


class RaggedTensor(_Array):
    _repr_html_ = _html.repr_html
    row_lengths = _ragged.row_lengths
    to_numpy = _numpy.ragged_to_numpy
    numpy = to_numpy
    to_list = _core.RaggedTensor.to_py  # TensorFlow's name
    to_torch = _torch.ragged_to_torch


class StructuredTensor(_Value):
    __array__ = _numpy.no_array
    _repr_html_ = _html.repr_html
    to_arrow = _parquet.to_arrow
    to_awkward = _awkward.to_awkward
    to_examples = _examples.to_examples
    to_pandas = _pandas.table_to_pandas
    to_parquet = _parquet.to_parquet
    to_protobuf = _schema.to_protobuf
    to_protobuf_json = _schema.to_protobuf_json
    to_pyval = _core.StructuredTensor.to_py  # TensorFlow's name
    to_torch = _torch.table_to_torch


class ExtensionRows(_Value):
    pass


class RowPartition(Immutable):
    __reduce_ex__ = _pickle.reduce_partition
    __tf_type_spec__ = _builtin_specs.type_spec


class DynamicRaggedShape(Immutable):
    __reduce_ex__ = _pickle.reduce_shape


def _value_type(kind):
    """The property value_type of a spec class."""
    return property(lambda self: kind, doc=f"The class of values: {kind.__name__}.")


class _Spec(Immutable):
    __reduce_ex__ = _pickle.reduce_spec
    component_specs = _builtin_specs.component_specs
    deserialize = classmethod(_builtin_specs.deserialize)
    from_bytes = classmethod(_builtin_specs.from_bytes)
    from_components = _builtin_specs.from_components
    is_compatible_with = _builtin_specs.is_compatible_with
    serialize = _builtin_specs.serialize
    to_bytes = _builtin_specs.to_bytes
    to_components = _builtin_specs.to_components


class _StackableSpec(_Spec):
    boxed_tensor_spec = _boxing.boxed_tensor_spec
    cast = _boxing.cast
    castable_type = _boxing.castable_type
    from_boxed_tensor = _boxing.from_boxed_tensor
    most_specific_common_supertype = _boxing.most_specific_common_supertype
    stacked = _boxing.stacked
    to_boxed_tensor = _boxing.to_boxed_tensor
    unstacked = _boxing.unstacked


class TensorSpec(_StackableSpec):
    value_type = _value_type(_core.Tensor)


class RaggedTensorSpec(_StackableSpec):
    value_type = _value_type(_core.RaggedTensor)


class StructuredTensorSpec(_StackableSpec):
    value_type = _value_type(_core.StructuredTensor)


class ExtensionRowsSpec(_StackableSpec):
    value_type = _value_type(_core.ExtensionRows)


class RowPartitionSpec(_Spec):
    value_type = _value_type(_core.RowPartition)


class Schema:
    __reduce_ex__ = _pickle.reduce_schema
    decoder = _schema.decoder
    from_class = staticmethod(_schema.from_class)
    from_descriptor_set = staticmethod(_schema.from_descriptor_set)
    from_proto = staticmethod(_schema.from_proto)


class Decoder(Immutable):
    __reduce_ex__ = _pickle.refuse_decoder


_OF_ALL_CLASSES = frozenset(vars(type("Empty", (), {})))
_PARTS = [Tensor, RaggedTensor, StructuredTensor, ExtensionRows, RowPartition, DynamicRaggedShape, Schema, Decoder] + [
    TensorSpec,
    RaggedTensorSpec,
    StructuredTensorSpec,
    ExtensionRowsSpec,
    RowPartitionSpec,
]


def _named(member, name, cls):
    """The member under its name in the class; help() shows the name that a function has itself."""
    if isinstance(member, (classmethod, staticmethod)):
        return type(member)(_named(member.__func__, name, cls))
    if not isinstance(member, types.FunctionType):
        return member
    function = types.FunctionType(member.__code__, member.__globals__, name, member.__defaults__, member.__closure__)
    function.__kwdefaults__, function.__doc__ = member.__kwdefaults__, member.__doc__
    function.__dict__.update(vars(member))
    function.__module__, function.__qualname__ = cls.__module__, f"{cls.__name__}.{name}"
    return function


@functools.cache
def complete():
    """Adds the members to the classes of the bindings, whose calls then report wrong arguments in Python's words.

    Called once, by the package. Not by the bindings: an import that fails could not be tried again then.
    """
    _signatures.check_private_functions(_core)
    for part in _PARTS:
        cls = getattr(_core, part.__name__)
        for base in reversed(part.__mro__[:-1]):
            for name, member in vars(base).items():
                if name not in _OF_ALL_CLASSES:
                    setattr(cls, name, _named(member, name, cls))
    for cls in (_core.Tensor, _core.RaggedTensor):
        _numpy.compare_beyond(cls)
    for name, text in _docs.CLASSES.items():
        getattr(_core, name).__doc__ = text
    for cls in vars(_core).values():
        if isinstance(cls, type) and not cls.__name__.startswith("_"):
            _signatures.check_methods(cls)
