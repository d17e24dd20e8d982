"""Awkward arrays, both ways. Awkward's layouts are ours with other names, so numbers and row splits are shared."""

from . import _arrow
from . import _core
from . import _validity


def _awkward():
    try:
        import awkward
    except ImportError as error:
        raise ImportError("this needs awkward: pip install awkward") from error
    return awkward


def _with_validity(content, present):
    awkward = _awkward()
    if present is None:
        return content
    return awkward.contents.ByteMaskedArray(awkward.index.Index8(present.reshape(-1).astype("int8")), content, valid_when=True)


def _of_texts(tensor):
    """Converts texts through Arrow, which Awkward reads without a copy."""
    awkward = _awkward()
    import pyarrow

    layout = awkward.from_arrow(pyarrow.array(tensor), highlevel=False)
    if tensor.nullable and not layout.is_option:
        return awkward.contents.UnmaskedArray.simplified(layout)
    return layout


def _of_tensor(tensor):
    """The layout of a tensor of rank 1 or more."""
    awkward = _awkward()
    flat = tensor if tensor.rank == 1 else tensor.reshape([-1])
    if tensor.dtype in ("string", "bytes"):
        layout = _of_texts(flat)
    else:
        present = None if flat.validity is None else flat.validity.to_numpy()
        values = flat.to_numpy(fill_value=0) if tensor.dtype[:4] not in ("time", "dura") else flat.to_numpy()
        layout = _with_validity(awkward.contents.NumpyArray(values), present)
    for axis in range(tensor.rank - 1, 0, -1):
        rows = 1
        for size in tensor.shape[:axis]:
            rows *= size
        layout = awkward.contents.RegularArray(layout, tensor.shape[axis], zeros_length=rows)
    return layout


def _in_partitions(layout, partitions):
    awkward = _awkward()
    for partition in reversed(partitions):
        splits = partition.row_splits.to_numpy()
        index = awkward.index.Index32(splits) if splits.dtype.itemsize == 4 else awkward.index.Index64(splits)
        layout = awkward.contents.ListOffsetArray(index, layout)
    return layout


def _layout(value):
    awkward = _awkward()
    if isinstance(value, _core.Tensor):
        return _of_tensor(value)
    if isinstance(value, _core.RaggedTensor):
        return _in_partitions(_of_tensor(value.flat_values), value.row_partitions)
    if not isinstance(value, _core.StructuredTensor):
        raise TypeError(f"Awkward has no {type(value).__name__}; take the values in its fields, or leave it out by without()")
    value = _core._structs_for_extension_types(value)
    rows = value if value.rank == 1 else value.merge_dims(0, value.rank - 1)
    contents = [_layout(rows[name]) for name in rows.field_names]
    record = awkward.contents.RecordArray(contents, rows.field_names, length=rows.nrows)
    return _in_partitions(_with_validity(record, _validity.of_structs(rows)), value.row_partitions)


def to_awkward(self):
    """The value as an Awkward array, which shares numbers, texts and row splits. Maps become lists of their entries.

    A scalar gives its element; a scalar struct gives a record. bfloat16 becomes float. Values that may be absent become
    options.
    """
    awkward = _awkward()
    if self.rank == 0:
        return awkward.Array(_layout(_core.expand_dims(self, 0)))[0]
    return awkward.Array(_layout(self))


def _has_union(arrow_type):
    import pyarrow

    children = (arrow_type.field(i).type for i in range(arrow_type.num_fields))
    return pyarrow.types.is_union(arrow_type) or any(map(_has_union, children))


def from_awkward(array):
    """The value of an Awkward array or record, by way of Arrow. Numbers and texts are shared.

    Raises TypeError for other objects, and for unions and other types that have no counterpart here.
    """
    awkward = _awkward()
    if isinstance(array, awkward.Record):
        return from_awkward(awkward.Array(array.layout.array[array.layout.at : array.layout.at + 1]))[0]
    if not isinstance(array, awkward.Array):
        raise TypeError(f"expected an array of awkward, found {type(array).__name__}")
    try:
        arrow = awkward.to_arrow(array, extensionarray=False, list_to32=False)
        if _has_union(arrow.type):
            raise ValueError("the members of its unions have no names")
        return _arrow.value_of_arrow(arrow, array.layout.is_option)
    except (ValueError, NotImplementedError) as error:
        raise TypeError(f"an array of the type {array.type} cannot be read: {error}") from error
