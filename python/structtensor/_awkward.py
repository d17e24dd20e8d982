"""Awkward arrays, both ways. Awkward's layouts are ours with other names, so numbers and row splits are shared."""

from . import _arrow
from . import _core
from . import _signatures
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


def _of_strings(tensor):
    """Converts strings through Arrow, which Awkward reads without a copy."""
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
        layout = _of_strings(flat)
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
        raise TypeError(f"Awkward has no type for {type(value).__name__}; select its fields, or drop it with without()")
    value = _core._structs_for_extension_types(value)
    rows = value if value.rank == 1 else value.merge_dims(0, value.rank - 1)
    contents = [_layout(rows[name]) for name in rows.field_names()]
    record = awkward.contents.RecordArray(contents, list(rows.field_names()), length=rows.nrows)
    return _in_partitions(_with_validity(record, _validity.of_structs(rows)), value.row_partitions)


def to_awkward(self):
    """The value as an Awkward array, which shares numbers, strings and row splits. Maps become lists of their entries.

    A scalar gives its element; a scalar struct gives a record. bfloat16 becomes float. Values that may be absent become
    options.
    """
    awkward = _awkward()
    if self.rank == 0:
        return awkward.Array(_layout(_core.expand_dims(self, 0)))[0]
    return awkward.Array(_layout(self))


# --- From Awkward. Awkward's own conversion to Arrow reads wrong strings if offsets do not begin at 0, and fails for some
# layouts.


def _bits(present):
    import pyarrow

    return None if present is None else pyarrow.array(present, pyarrow.bool_()).buffers()[1]


def _field(name, layout, array):
    import pyarrow

    return pyarrow.field(name, array.type, nullable=layout.is_option)


def _arrow_of_option(layout, present):
    """The elements of an option: those of its content, with the ones that are missing marked."""
    import numpy as np

    there = layout.mask_as_bool(valid_when=True)
    present = there if present is None else there & present
    if not layout.is_indexed:
        return _arrow_of(layout.content[: layout.length], present)
    content = layout.content
    if content.length == 0:  # there is no element to fill the missing places with
        import pyarrow

        return pyarrow.nulls(layout.length, _arrow_of(content).type)
    return _arrow_of(content[np.where(there, layout.index.data, 0)], present)


def _arrow_of_list(layout, present):
    import numpy as np
    import pyarrow

    kind = layout.parameter("__array__")
    if layout.is_regular and kind not in ("string", "bytestring"):
        content = layout.content[: layout.length * layout.size]
        inner = _arrow_of(content)
        type_ = pyarrow.list_(_field("item", content, inner), layout.size)
        return pyarrow.Array.from_buffers(type_, layout.length, [_bits(present)], children=[inner])
    layout = layout.to_ListOffsetArray64(True)
    offsets = np.ascontiguousarray(layout.offsets.data)
    content = layout.content[: offsets[-1]]
    if kind not in ("string", "bytestring"):
        inner = _arrow_of(content)
        type_ = pyarrow.large_list(_field("item", content, inner))
        buffers = [_bits(present), pyarrow.py_buffer(offsets)]
        return pyarrow.Array.from_buffers(type_, layout.length, buffers, children=[inner])
    is_large = offsets[-1] >= 2**31
    if kind == "string":
        type_ = pyarrow.large_string() if is_large else pyarrow.string()
    else:
        type_ = pyarrow.large_binary() if is_large else pyarrow.binary()
    offsets = offsets if is_large else offsets.astype(np.int32)
    buffers = [_bits(present), pyarrow.py_buffer(offsets), pyarrow.py_buffer(np.ascontiguousarray(content.data))]
    return pyarrow.Array.from_buffers(type_, layout.length, buffers)


def _arrow_of(layout, present=None):
    """The elements of a layout as a pyarrow array. present: a mask of those that are not missing; None if none is."""
    import numpy as np
    import pyarrow

    if layout.is_union:
        raise ValueError("unions are not supported, because their members have no names")
    if layout.is_option:
        return _arrow_of_option(layout, present)
    if layout.is_indexed:
        return _arrow_of(layout.project(), present)
    if layout.is_record:
        contents = [content[: layout.length] for content in layout.contents]
        arrays = [_arrow_of(content) for content in contents]
        type_ = pyarrow.struct([_field(*each) for each in zip(layout.fields, contents, arrays)])
        return pyarrow.Array.from_buffers(type_, layout.length, [_bits(present)], children=arrays)
    if layout.is_list:
        return _arrow_of_list(layout, present)
    if layout.is_unknown:  # what never has a value is a number, as in constant() and from_json()
        return pyarrow.array([], pyarrow.float64())
    numbers = np.asarray(layout.data)
    if numbers.ndim > 1:
        return _arrow_of(layout.to_RegularArray(), present)
    return pyarrow.array(np.ascontiguousarray(numbers), mask=None if present is None else ~present)


@_signatures.public
def from_awkward(array):
    """The value of an Awkward array or record. Numbers and strings are shared where they are contiguous.

    Raises TypeError for other objects, and for unions and other types that have no counterpart here.
    """
    awkward = _awkward()
    if isinstance(array, awkward.Record):
        return from_awkward(awkward.Array(array.layout.array[array.layout.at : array.layout.at + 1]))[0]
    if not isinstance(array, awkward.Array):
        raise TypeError(f"expected an array of awkward, found {type(array).__name__}")
    try:
        layout = awkward.to_layout(awkward.to_backend(array, "cpu"))
        return _arrow.value_of_arrow(_arrow_of(layout), layout.is_option)
    except (IndexError, ValueError, NotImplementedError) as error:
        raise TypeError(f"an array of the type {array.type} cannot be read: {error}") from error
