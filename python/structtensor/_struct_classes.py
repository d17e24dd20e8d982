"""The classes of structs that the design document names. Each makes a StructuredTensor or its spec, and isinstance() asks
whether the axes are dense or ragged."""

import numpy as np

from . import _core


class _Kind(type):
    """Classes without objects of their own: isinstance() asks what the axes are."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls._made) and cls._has_axes_of(value)

    def __subclasscheck__(cls, other):
        return other is cls


def _are_dense(partitions):
    return all(partition.uniform_row_length is not None for partition in partitions)


class DenseStructuredTensor(metaclass=_Kind):
    """Structs whose axes are dense: every row of an axis has the same length.

    DenseStructuredTensor(shape, fields) makes a StructuredTensor. All fields {name: value} start with the axes of the shape.
    Raises ValueError if they do not, or if they are ragged there.
    """

    _made = _core.StructuredTensor

    def __new__(cls, shape, fields):
        structs = _core.StructuredTensor(shape, fields)
        if not _are_dense(structs.row_partitions):
            raise ValueError(
                f"the fields are ragged in the axes of the shape {list(shape)}; st.StructuredTensor(shape, fields) takes them"
            )
        return structs

    @staticmethod
    def _has_axes_of(value):
        return _are_dense(value.row_partitions)


class RaggedStructuredTensor(metaclass=_Kind):
    """Structs with an axis whose rows may have different lengths. RaggedStructuredTensor.from_row_splits() makes one."""

    _made = _core.StructuredTensor

    def __new__(cls, *args, **kwargs):
        raise TypeError("RaggedStructuredTensor.from_row_splits(values, row_splits) makes ragged structs")

    @staticmethod
    def from_row_splits(values, row_splits):
        """The structs of shape [nrows, None, ...] with the structs `values` of shape [nvals, ...] in rows.

        row_splits    integers [nrows + 1]: row i has the values from row_splits[i] up to row_splits[i + 1]. The partitions of
                      the result have their dtype, int32 or int64

        Raises ValueError for splits that do not start at 0, decrease, or do not end at nvals, and for a scalar; TypeError for
        values that are not structs.
        """
        if not isinstance(values, _core.StructuredTensor):
            raise TypeError(f"values: expected a StructuredTensor, found {type(values).__name__}")
        partition = _core.RowPartition.from_row_splits(row_splits)
        if _dtype_of(row_splits) == "int32":
            partition, values = partition.with_dtype("int32"), values.with_shape_dtype("int32")
        return _core.partition_outer_dimension(values, partition)

    @staticmethod
    def _has_axes_of(value):
        return not _are_dense(value.row_partitions)


def _dtype_of(row_splits):
    return row_splits.dtype if isinstance(row_splits, _core.Tensor) else str(np.asarray(row_splits).dtype)


class DenseStructuredTensorSpec(metaclass=_Kind):
    """The spec of structs whose axes are dense.

    DenseStructuredTensorSpec(shape, field_specs) makes a StructuredTensorSpec. Each spec in field_specs {name: spec} starts
    with the axes of the shape.
    """

    _made = _core.StructuredTensorSpec

    def __new__(cls, shape, field_specs):
        return _core.StructuredTensorSpec(shape, field_specs)

    @staticmethod
    def _has_axes_of(spec):
        return _are_dense(spec.row_partitions)


class RaggedStructuredTensorSpec(metaclass=_Kind):
    """The spec of structs with an axis whose rows may have different lengths.

    RaggedStructuredTensorSpec(shape, values_spec, row_splits_dtype) makes the StructuredTensorSpec of structs of this shape,
    [nrows, None, ...], whose rows have values of values_spec, of shape [nvals, ...]. Raises ValueError if the shapes do not fit
    together, or a field is of an extension type.
    """

    _made = _core.StructuredTensorSpec

    def __new__(cls, shape, values_spec, row_splits_dtype="int64"):
        shape = tuple(shape)
        inner = values_spec.shape[1:]
        fits = len(shape) == 2 + len(inner) and values_spec.shape != ()
        if not fits or any(None not in (a, b) and a != b for a, b in zip(shape[2:], inner, strict=True)):
            raise ValueError(f"structs of shape {list(shape)} do not have rows of structs of shape {list(values_spec.shape)}")
        return _in_rows(values_spec, shape[0], row_splits_dtype)

    @staticmethod
    def _has_axes_of(spec):
        return not _are_dense(spec.row_partitions)


def _in_rows(spec, nrows, dtype):
    """The spec of values of `spec` in ragged rows."""
    shape = (nrows, None, *spec.shape[1:])
    if isinstance(spec, _core.StructuredTensorSpec):
        fields = {name: _in_rows(field, nrows, dtype) for name, field in spec.fields.items()}
        return _core.StructuredTensorSpec(shape, fields, kind=spec.kind, nullable=spec.nullable, shape_dtype=dtype)
    if isinstance(spec, (_core.TensorSpec, _core.RaggedTensorSpec)):
        ragged_rank = getattr(spec, "ragged_rank", 0) + 1
        return _core.RaggedTensorSpec(shape, spec.dtype, ragged_rank, row_splits_dtype=dtype, nullable=spec.nullable)
    raise ValueError(f"{spec} in ragged rows: only tensors, ragged tensors and structs have a spec there")
