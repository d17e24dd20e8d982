"""Pickles of specs, values, row partitions and the like. A pickle has a version: later versions of structtensor can read it,
and older ones can report that they cannot. Pickles name the load_...() functions of this module, so these keep their names and
parameters from release 0.1.0 on.
"""

import pickle
import typing

import numpy as np

from . import _core

FORMAT = 1


class Extensions(typing.NamedTuple):
    """The functions of extension types. _extension, which needs this module, sets them."""

    classes_in: typing.Callable
    load_spec: typing.Callable
    load_value: typing.Callable


_extensions = None


def set_extensions(extensions):
    global _extensions
    _extensions = extensions


def check(version):
    if version != FORMAT:
        raise ValueError(f"a pickle of version {version}; this structtensor reads version {FORMAT}")


_classes = {}  # by name


def register(cls):
    """Decorator of a class whose module imports this one: load_...() functions make its objects."""
    _classes[cls.__name__] = cls
    return cls


def load_map_key(version, key):
    check(version)
    return _classes["MapKey"](key)


def load_boxes(version, values, shape):
    check(version)
    return _classes["BoxedTensor"](values, shape)


def load_boxes_spec(version, shape, element):
    check(version)
    return _classes["BoxedTensorSpec"](shape, element)


def load_spec(version, data):
    check(version)
    return _core._parse_spec(data)


def _extension_classes(spec):
    """The extension types in a spec. Pickles refer to the classes, so that reading a pickle imports the modules that register
    them."""
    if not isinstance(spec, (_core.StructuredTensorSpec, _core.ExtensionRowsSpec)):
        return ()
    return _extensions.classes_in(spec)


def reduce_spec(self, protocol):
    classes = _extension_classes(self)
    if classes:
        return _extensions.load_spec, (FORMAT, classes, _core._serialize_spec(self))
    return load_spec, (FORMAT, _core._serialize_spec(self))


def _buffer(array, protocol):
    return pickle.PickleBuffer(array) if protocol >= 5 else array.tobytes()


def _bytes(data, protocol):
    return pickle.PickleBuffer(data) if protocol >= 5 else data


def parts_of(tensor, protocol):
    offsets = None
    if tensor.dtype in ("string", "bytes"):
        offsets, values = (_bytes(part, protocol) for part in _core._stored_strings(tensor))
    else:
        values = _buffer(tensor._stored_array(), protocol)
    validity = tensor.validity
    present = None if validity is None else _buffer(validity._stored_array(), protocol)
    return str(tensor.dtype), tuple(tensor.shape), values, offsets, present


def load_value(version, spec, parts):
    check(version)
    return _core._pack(_core._parse_spec(spec), [_core._tensor_from_memory(*part) for part in parts])


def reduce_value(self, protocol):
    """The spec and the tensors of the value. With protocol 5, their elements may be stored out of band."""
    parts = [parts_of(tensor, protocol) for tensor in _core._flatten(self)]
    classes = _extension_classes(self.spec)
    if classes:
        return _extensions.load_value, (FORMAT, classes, _core._serialize_spec(self.spec), parts)
    return load_value, (FORMAT, _core._serialize_spec(self.spec), parts)


def load_partition(version, spec, row_splits):
    check(version)
    spec = _core._parse_spec(spec)
    if not isinstance(spec, _core.RowPartitionSpec):
        raise ValueError(f"a pickle of a row partition with the spec {spec!r}")
    if row_splits is None:
        return _core.RowPartition.from_uniform_row_length(spec.uniform_row_length, nrows=spec.nrows).with_dtype(spec.dtype)
    splits = np.frombuffer(row_splits, dtype=spec.dtype)
    return _core.RowPartition.from_row_splits(splits).with_dtype(spec.dtype)


def reduce_partition(self, protocol):
    """The spec, and the row splits unless the spec determines them."""
    splits = None if self.uniform_row_length is not None else _buffer(self.row_splits._stored_array(), protocol)
    return load_partition, (FORMAT, _core._serialize_spec(self.spec), splits)


def load_shape(version, lengths, num_row_partitions, dtype):
    check(version)
    lengths = [size if isinstance(size, int) else np.frombuffer(size, dtype=dtype).tolist() for size in lengths]
    return _core.DynamicRaggedShape.from_lengths(lengths, num_row_partitions, dtype)


def reduce_shape(self, protocol):
    """The size of each axis; for a ragged axis, the lengths of its rows."""
    partitions = self.row_partitions
    lengths = [
        _buffer(partitions[axis - 1].row_lengths._stored_array(), protocol) if size is None else size
        for axis, size in enumerate(self.static_shape)
    ]
    return load_shape, (FORMAT, lengths, self.num_row_partitions, self.dtype)


def refuse_decoder(self, protocol):
    raise TypeError(
        "a Decoder cannot be pickled; pickle its Schema and options, and call schema.decoder() after unpickling"
    )


def load_schema(version, descriptor_set, message, optionals=None):
    check(version)
    schema = _core.Schema.from_descriptor_set(descriptor_set, message)
    return schema if optionals is None else schema.with_optionals(optionals)


def reduce_schema(self, protocol):
    return load_schema, (FORMAT, self.to_descriptor_set(), self.message, self.optionals)
