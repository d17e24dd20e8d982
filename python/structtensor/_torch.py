"""torch tensors, both ways. Elements are always copied, because torch tensors may be written to, and values here do not
change."""

import numpy as np

from . import _core
from . import _dlpack
from . import _errors
from . import _numpy
from . import _signatures


def _torch():
    try:
        import torch
    except ImportError as error:
        raise ImportError("this needs torch: pip install torch") from error
    return torch


def _array_to_torch(tensor, fill_value):
    torch = _torch()
    if tensor.dtype == "bfloat16" and fill_value is None and tensor.validity is None:
        return torch.from_numpy(tensor._stored_array().view("int16").copy()).view(torch.bfloat16)
    try:
        if fill_value is not None and tensor.validity is not None and tensor.dtype not in ("string", "bytes"):
            return torch.from_numpy(_dlpack.aligned_copy(tensor.to_numpy(fill_value)))
        return torch.from_numpy(_dlpack.aligned_copy(_dlpack.numbers_of(tensor)))
    except BufferError as error:
        raise TypeError(f"torch: {error}") from error


def tensor_to_torch(self, *, fill_value=None):
    """The elements as a torch tensor. They are copied. fill_value replaces absent elements; without it, they are an error.

    Raises TypeError for strings and times, which torch does not have, and for absent elements.
    """
    return _array_to_torch(self, fill_value)


def ragged_to_torch(self, *, fill_value=None):
    """A nested torch tensor with the jagged layout. The second axis is its only ragged axis.

    The nested tensor knows the length of its longest row, to which torch pads. Raises TypeError as Tensor.to_torch() does, and
    ValueError if there are more ragged axes.
    """
    return _ragged_to_torch(self, fill_value, _Offsets())


class _Offsets:
    """The offsets of nested tensors. Those with equal rows share one tensor: torch combines only nested tensors with the same
    one."""

    def __init__(self):
        self._known = []  # (row splits, offsets)

    def of(self, splits):
        for known, offsets in self._known:
            if np.array_equal(known, splits):
                return offsets
        offsets = _torch().from_numpy(_dlpack.aligned_copy(splits))
        self._known.append((splits, offsets))
        return offsets


def _ragged_to_torch(ragged, fill_value, offsets):
    if ragged.ragged_rank != 1:
        raise ValueError(
            f"the value has {ragged.ragged_rank} ragged axes, and nested tensors of torch have one; "
            f"merge_dims() makes one of two"
        )
    values = _array_to_torch(ragged.flat_values, fill_value)
    splits = ragged.row_splits.cast("int64").to_numpy()
    lengths = np.diff(splits)
    shortest, longest = (int(lengths.min()), int(lengths.max())) if lengths.size else (0, 0)
    # Without the longest row, torch pads rows to a length that it has room for, which is the number of all values.
    return _torch().nested.nested_tensor_from_jagged(
        values, offsets.of(splits), min_seqlen=shortest, max_seqlen=longest
    )


def table_to_torch(self, *, fill_value=None):
    """A dict of the fields. Each field is converted by its own to_torch(); inner structs become inner dicts.

    Nested tensors with equal rows share their offsets, so torch can combine them.

    Raises the errors of the fields, with the name of the field. Use without() to leave out fields whose dtype torch does not
    have.
    """
    return _table_to_torch(self, fill_value, _Offsets())


def _table_to_torch(table, fill_value, offsets):
    fields = {}
    for name in table.field_names():
        field = table[name]
        try:
            if isinstance(field, _core.StructuredTensor):
                fields[name] = _table_to_torch(field, fill_value, offsets)
            elif isinstance(field, _core.RaggedTensor):
                fields[name] = _ragged_to_torch(field, fill_value, offsets)
            else:
                fields[name] = field.to_torch(fill_value=fill_value)
        except (TypeError, ValueError, OverflowError) as error:
            raise _errors.with_text(error, f"field {name!r}: {error}") from error
    return fields


@_signatures.public
def from_torch(tensor):
    """The Tensor of a torch tensor, or the RaggedTensor of a nested one. The elements are copied, from any device.

    Raises TypeError for other objects, and for dtypes that do not exist here.
    """
    torch = _torch()
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"expected a tensor of torch, found {type(tensor).__name__}")
    tensor = tensor.detach()
    if tensor.is_nested:
        if tensor.layout == torch.jagged and tensor.lengths() is None and tensor._ragged_idx == 1:
            return _core.RaggedTensor.from_row_splits(from_torch(tensor.values()), from_torch(tensor.offsets()))
        rows = [from_torch(row) for row in tensor.unbind()]
        if not rows:
            raise ValueError("the rank of the rows of an empty nested tensor is unknown")
        return _core.stack(rows)
    if tensor.layout != torch.strided:
        raise TypeError(f"a tensor with the layout {tensor.layout} is not dense; tensor.to_dense() makes it so")
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        numbers = tensor.contiguous().view(torch.int16).numpy()
        return _core._tensor_from_memory("bfloat16", numbers.shape, numbers.reshape(-1))
    try:
        numbers = tensor.numpy()
    except (TypeError, RuntimeError) as error:
        raise TypeError(f"NumPy does not read {tensor.dtype}: {error}") from error
    return _numpy.value_of_array(numbers)
