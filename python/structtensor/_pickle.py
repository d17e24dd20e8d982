"""Pickles of specs and values. They say their version: a later one can read them, and an older one can say that it cannot."""

import pickle

from . import _core

FORMAT = 1


def _check(version):
    if version != FORMAT:
        raise ValueError(f"a pickle of version {version}; this structtensor reads version {FORMAT}")


def load_spec(version, data):
    _check(version)
    return _core._parse_spec(data)


def reduce_spec(self, protocol):
    return load_spec, (FORMAT, _core._serialize_spec(self))


def _buffer(array, protocol):
    return pickle.PickleBuffer(array) if protocol >= 5 else array.tobytes()


def _parts(tensor, protocol):
    offsets = None
    if tensor.dtype in ("string", "bytes"):
        offsets, values = _core._stored_strings(tensor)
    else:
        values = _buffer(tensor._stored_array(), protocol)
    validity = tensor.validity
    present = None if validity is None else _buffer(validity._stored_array(), protocol)
    return tensor.dtype, tensor.shape, values, offsets, present


def load_value(version, spec, parts):
    _check(version)
    return _core._pack(_core._parse_spec(spec), [_core._tensor_from_memory(*part) for part in parts])


def reduce_value(self, protocol):
    """The spec and the tensors that the value consists of; with protocol 5 their elements may travel out of band."""
    parts = [_parts(tensor, protocol) for tensor in _core._flatten(self)]
    return load_value, (FORMAT, _core._serialize_spec(self.spec), parts)
