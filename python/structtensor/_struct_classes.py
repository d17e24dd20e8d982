"""The classes of structs that the design document names. Each makes a StructuredTensor or its spec.

There are no objects of these classes. The values of both kinds of axes are objects of the class StructuredTensor, and their
specs of StructuredTensorSpec. The bindings give the class of the axes as their __class__, which isinstance() looks at, too.
"""

from . import _core
from . import _signatures
from ._static_types import DType, TensorShape


def _sizes_of(shape):
    """The sizes of the axes as a tuple. Raises ValueError if the rank is not known."""
    shape = TensorShape(shape)
    if shape.rank is None:
        raise ValueError("shape: expected the sizes of the axes, found None; the rank of structs must be known")
    return shape.dims


def _check_class(name, value, cls):
    if not isinstance(value, cls):
        raise TypeError(f"{name}: expected a {cls.__name__}, found {type(value).__name__}")


def _are_dense(partitions):
    return all(partition.uniform_row_length is not None for partition in partitions)


@_signatures.check_calls
class DenseStructuredTensor(_core.StructuredTensor):
    """Structs whose axes are dense: every row of an axis has the same length.

    DenseStructuredTensor(shape, fields) makes a StructuredTensor. All fields {name: value} start with the axes of the shape.
    Raises ValueError if they do not, if they are ragged there, or if the shape has no known rank.
    """

    __slots__ = ()

    def __new__(cls, shape, fields):
        shape = _sizes_of(shape)
        _check_class("fields", fields, dict)
        structs = _core.StructuredTensor(shape, fields)
        if not _are_dense(structs.row_partitions):
            raise ValueError(
                f"the fields are ragged in the axes of the shape {list(shape)}; st.StructuredTensor(shape, fields) takes them"
            )
        return structs


@_signatures.check_calls
class RaggedStructuredTensor(_core.StructuredTensor):
    """Structs with an axis whose rows may have different lengths. RaggedStructuredTensor.from_row_splits() makes one."""

    __slots__ = ()

    def __new__(cls, *args, **kwargs):
        raise TypeError("RaggedStructuredTensor.from_row_splits(values, row_splits) makes ragged structs")

    @staticmethod
    def from_row_splits(values, row_splits):
        """The structs of shape [nrows, None, ...] whose rows have the structs of shape [nvals, ...].

        values        the structs of all rows, one after the other
        row_splits    integers [nrows + 1]: row i has the values from row_splits[i] up to row_splits[i + 1]. The partitions of
                      the result have their dtype, int32 or int64

        Raises ValueError for splits that do not start at 0, decrease, or do not end at nvals, and for a scalar; TypeError for
        values that are not structs.
        """
        _check_class("values", values, _core.StructuredTensor)
        partition = _core.RowPartition.from_row_splits(row_splits)
        if partition.dtype == "int32":
            values = values.with_shape_dtype("int32")
        return _core.partition_outer_dimension(values, partition)


@_signatures.check_calls
class DenseStructuredTensorSpec(_core.StructuredTensorSpec):
    """The spec of structs whose axes are dense.

    DenseStructuredTensorSpec(shape, field_specs) makes a StructuredTensorSpec. Each spec in field_specs {name: spec} starts
    with the axes of the shape. Raises ValueError if one does not, or if the shape has no known rank.
    """

    __slots__ = ()

    def __new__(cls, shape, field_specs):
        shape = _sizes_of(shape)
        _check_class("field_specs", field_specs, dict)
        return _core.StructuredTensorSpec(shape, field_specs)


_ROW_SPLITS_DTYPES = (DType("int32"), DType("int64"))


@_signatures.check_calls
class RaggedStructuredTensorSpec(_core.StructuredTensorSpec):
    """The spec of structs with an axis whose rows may have different lengths.

    RaggedStructuredTensorSpec(shape, values_spec, row_splits_dtype) makes the StructuredTensorSpec of structs of this shape,
    [nrows, None, ...], whose rows have values of values_spec, of shape [nvals, ...]. Raises TypeError if values_spec is no
    StructuredTensorSpec; ValueError if the shapes do not fit together, the rank of the shape is not known, the dtype is neither
    int32 nor int64, or a field is of an extension type.
    """

    __slots__ = ()

    def __new__(cls, shape, values_spec, row_splits_dtype="int64"):
        shape = _sizes_of(shape)
        _check_class("values_spec", values_spec, _core.StructuredTensorSpec)
        if not any(row_splits_dtype == dtype for dtype in _ROW_SPLITS_DTYPES):
            raise ValueError(f"row_splits_dtype: expected int32 or int64, found {row_splits_dtype!r}")
        inner = values_spec.shape[1:]
        fits = len(shape) == 2 + len(inner) and values_spec.shape != ()
        if not fits or any(None not in (a, b) and a != b for a, b in zip(shape[2:], inner, strict=True)):
            raise ValueError(f"structs of shape {list(shape)} do not have rows of structs of shape {list(values_spec.shape)}")
        if shape[1] is not None:
            raise ValueError(f"shape: expected None for axis 1, which is ragged, found {list(shape)}")
        return _in_rows(values_spec, shape[0], row_splits_dtype)


def _in_rows(spec, nrows, dtype):
    """The spec of values of `spec` in ragged rows."""
    shape = (nrows, None, *spec.shape[1:])
    if isinstance(spec, _core.StructuredTensorSpec):
        fields = {name: _in_rows(field, nrows, dtype) for name, field in spec.fields.items()}
        return _core.StructuredTensorSpec(shape, fields, kind=spec.kind, nullable=spec.nullable, shape_dtype=dtype)
    if isinstance(spec, (_core.TensorSpec, _core.RaggedTensorSpec)):
        ragged_rank = getattr(spec, "ragged_rank", 0) + 1
        return _core.RaggedTensorSpec(shape, spec.dtype, ragged_rank, row_splits_dtype=dtype, nullable=spec.nullable)
    raise ValueError(f"{spec} cannot be in ragged rows; only tensors, ragged tensors and structs can")


_core._use_struct_classes(DenseStructuredTensor, RaggedStructuredTensor, [_core.StructuredTensor, _core.Batch])
_core._use_struct_spec_classes(DenseStructuredTensorSpec, RaggedStructuredTensorSpec, [_core.StructuredTensorSpec])
