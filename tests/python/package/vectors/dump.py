"""Results of operations in the form of `expected`, read by the public properties of values only."""

import math

import structtensor as st

from . import specs


class Py:
    """A result that is plain data."""

    def __init__(self, value):
        self.value = value


class Spec:
    """A spec as TensorFlow writes it: without partitions where all are dense."""

    def __init__(self, spec):
        self.spec = spec


class Sparse:
    def __init__(self, indices, values, dense_shape):
        self.indices, self.values, self.dense_shape = indices, values, dense_shape


class Inconsistent(AssertionError):
    """A value says something of itself that its data do not have."""


def encode(value):
    """A nested Python value in its encoded form."""
    if isinstance(value, float):
        if math.isnan(value):
            return {"$float": "nan"}
        if math.isinf(value):
            return {"$float": "inf" if value > 0 else "-inf"}
        return value
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"$bytes": value.hex()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {name: encode(item) for name, item in value.items()}
    return value


def _tensor(tensor):
    return {
        "kind": "tensor",
        "dtype": specs.dtype_name(tensor.dtype),
        "shape": list(tensor.shape),
        "values": encode(tensor.to_py()),
    }


def _check_axes(shape, partitions, nvals, path):
    """That partitions fit each other and the shape, and that row lengths said to be known are those of the data."""
    for i, partition in enumerate(partitions):
        inner = partitions[i + 1].nrows if i + 1 < len(partitions) else nvals
        if inner is not None and partition.nvals != inner:
            raise Inconsistent(f"{path}: row partition {i} has {partition.nvals} values, but there are {inner} rows inside")
        lengths = set(partition.row_lengths.to_py())
        for known in (partition.uniform_row_length, None if shape is None else shape[i + 1]):
            if known is not None and not lengths <= {known}:
                raise Inconsistent(f"{path}: rows are said to have {known} values, and have {sorted(lengths)}")
    if partitions and shape is not None and shape[0] not in (None, partitions[0].nrows):
        raise Inconsistent(f"{path}: the shape says {shape[0]} rows, but there are {partitions[0].nrows}")


def _check(value, partitions, nvals, path):
    _check_axes(value.shape, partitions, nvals, path)
    _check_axes(value.spec.shape, partitions, nvals, path + " (spec)")


def _ragged(ragged, path):
    partitions = ragged.row_partitions
    _check(ragged, partitions, ragged.flat_values.shape[0], path)
    return {
        "kind": "ragged",
        "dtype": specs.dtype_name(ragged.dtype),
        "shape": list(ragged.shape),
        "flat_values": _tensor(ragged.flat_values),
        "row_splits": [partition.row_splits.to_py() for partition in partitions],
        "row_splits_dtype": partitions[-1].dtype,
        "uniform_row_lengths": [partition.uniform_row_length for partition in partitions],
    }


def _structs(structs, path):
    partitions = structs.row_partitions
    _check(structs, partitions, None, path)
    if any(partition.dtype != structs.shape_dtype for partition in partitions):
        raise Inconsistent(f"{path}: a row partition has another dtype than shape_dtype")
    return {
        "kind": "structured",
        "shape": list(structs.shape),
        "nrows": structs.nrows if structs.rank else None,
        "row_partitions": [
            {"row_splits": partition.row_splits.to_py(), "uniform_row_length": partition.uniform_row_length}
            for partition in partitions
        ],
        "shape_dtype": structs.shape_dtype,
        "fields": {name: _value(structs.field_value([name]), f"{path}.{name}") for name in structs.field_names()},
    }


def _value(value, path):
    if isinstance(value, st.Tensor):
        return _tensor(value)
    return _ragged(value, path) if isinstance(value, st.RaggedTensor) else _structs(value, path)


def _row_partition(partition):
    _check_axes(None, [partition], partition.nvals, "row partition")
    spec = partition.spec
    return {
        "kind": "rowpart",
        "dtype": partition.dtype,
        "nrows": partition.nrows,
        "nvals": partition.nvals,
        "row_splits": partition.row_splits.to_py(),
        "static": [spec.nrows, spec.nvals, spec.uniform_row_length],
        "uniform_row_length": partition.uniform_row_length,
    }


def _ragged_shape(shape):
    return {
        "kind": "shape",
        "dtype": shape.dtype,
        "inner_shape": list(shape.inner_shape),
        "num_row_partitions": shape.num_row_partitions,
        "repr": repr(shape),
        "row_partitions": [partition.row_splits.to_py() for partition in shape.row_partitions],
        "static_lengths": encode(shape.lengths),
        "static_shape": list(shape.static_shape),
    }


def dump(result):
    if isinstance(result, list):
        return {"kind": "list", "items": [dump(item) for item in result]}
    if isinstance(result, Py):
        return {"kind": "py", "value": result.value}
    if isinstance(result, Spec):
        return {"kind": "spec", "value": specs.tree(result.spec, partitions_unless_dense=True)}
    if isinstance(result, Sparse):
        return {
            "kind": "sparse",
            "indices": result.indices.to_py(),
            "values": _tensor(result.values),
            "dense_shape": result.dense_shape.to_py(),
        }
    if isinstance(result, st.RowPartition):
        return _row_partition(result)
    if isinstance(result, st.DynamicRaggedShape):
        return _ragged_shape(result)
    if isinstance(result, (st.TensorSpec, st.RaggedTensorSpec, st.StructuredTensorSpec, st.RowPartitionSpec)):
        return {"kind": "spec", "value": specs.tree(result)}
    if isinstance(result, (st.Tensor, st.RaggedTensor, st.StructuredTensor)):
        return _value(result, "")
    raise Inconsistent(f"a result of the unexpected type {type(result).__name__}")
