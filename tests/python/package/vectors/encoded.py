"""Reads the encoded values of tests/vectors/structured_tensor.jsonl; tests/vectors/README.md has their form."""

import numpy as np
import structtensor as st

# TensorFlow's default dtypes.
NUMBERS = {"int_dtype": "int32", "float_dtype": "float32"}


class NotReached(Exception):
    """The Python package has no such operation; NOT_REACHED in test_vectors.py says why."""


def malformed(found, expected):
    return ValueError(f"expected {expected}, found {found!r}")


def python(encoded):
    """The Python value."""
    if isinstance(encoded, list):
        return [python(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if "$tuple" in encoded:
        return tuple(python(item) for item in encoded["$tuple"])
    if "$npint" in encoded:
        return np.int64(encoded["$npint"])
    if "$float" in encoded:
        return float(encoded["$float"])
    if "$bytes" in encoded:
        return bytes.fromhex(encoded["$bytes"])
    if "$object" in encoded:
        return object()
    if any(name.startswith("$") for name in encoded):
        raise malformed(encoded, "a Python value")
    return {name: python(member) for name, member in encoded.items()}


def dtype(encoded):
    if not isinstance(encoded, str):
        raise malformed(encoded, "a dtype")
    return encoded


def shape(encoded):
    if isinstance(encoded, dict) and "$shape" in encoded:
        encoded = encoded["$shape"]
    return None if encoded is None else tuple(encoded)


def tensor(nested, options):
    """A dense tensor, as tf.constant makes it."""
    known = {**NUMBERS, "dtype": options.get("dtype")}
    if options.get("shape") is not None:
        return st.constant(python(nested), shape=shape(options["shape"]), **known)
    return st.ragged.constant(python(nested), ragged_rank=0, **known)


def ragged(encoded):
    options = {name: encoded[name] for name in ("dtype", "ragged_rank", "row_splits_dtype") if encoded.get(name) is not None}
    if encoded.get("inner_shape") is not None:
        options["inner_shape"] = shape(encoded["inner_shape"])
    return st.ragged.constant(python(encoded["$ragged"]), **NUMBERS, **options)


def fields(encoded):
    if not isinstance(encoded, dict):
        raise malformed(encoded, "fields")
    return {name: value(member) for name, member in encoded.items()}


def from_fields(encoded):
    """StructuredTensor.from_fields of TensorFlow, whose default is a scalar."""
    partitions = encoded.get("row_partitions")
    return st.StructuredTensor.from_fields(
        fields(encoded["fields"]),
        shape=shape(encoded.get("shape", [])),
        nrows=encoded.get("nrows"),
        row_partitions=None if partitions is None else [row_partition(partition) for partition in partitions],
    )


def value(encoded):
    """A Tensor, a RaggedTensor or a StructuredTensor."""
    if isinstance(encoded, dict):
        if "$st" in encoded:
            if "typespec" in encoded:
                return st.constant(python(encoded["$st"]), spec=spec(encoded["typespec"]))
            return st.constant(python(encoded["$st"]), **NUMBERS)
        if "$stf" in encoded:
            return from_fields(encoded["$stf"])
        if "$tensor" in encoded:
            return tensor(encoded["$tensor"], encoded)
        if "$ragged" in encoded:
            return ragged(encoded)
    return tensor(encoded, {})


def values(encoded):
    return [value(item) for item in encoded]


def integers(encoded):
    """An integer or a list of them, also as a tensor."""
    if isinstance(encoded, dict) and "$tensor" in encoded:
        encoded = encoded["$tensor"]
    return encoded


def row_partition(encoded):
    if isinstance(encoded, dict) and "$rp" in encoded:
        encoded = encoded["$rp"]
    if not isinstance(encoded, dict) or "kind" not in encoded:
        raise malformed(encoded, "a row partition")
    if encoded.get("validate") is False:
        raise NotReached("RowPartition without validation")
    kind = encoded["kind"]
    make = getattr(st.RowPartition, "from_" + kind)
    sizes = {name: encoded[name] for name in ("nrows", "nvals") if encoded.get(name) is not None}
    if kind not in ("uniform_row_length", "row_starts"):
        sizes.pop("nvals", None)
    if kind not in ("uniform_row_length", "value_rowids"):
        sizes.pop("nrows", None)
    return make(encoded[kind], **sizes).with_dtype(encoded.get("dtype") or "int64")


def ragged_shape(encoded):
    if isinstance(encoded, dict) and "$drs" in encoded:
        encoded = encoded["$drs"]
    return st.DynamicRaggedShape.from_lengths(encoded)


def spec(encoded):
    """A TensorSpec, RaggedTensorSpec, StructuredTensorSpec or RowPartitionSpec."""
    if isinstance(encoded, dict) and "$spec" in encoded:
        encoded = encoded["$spec"]
    kind = encoded["kind"]
    if kind == "of":
        return value(encoded["value"]).spec
    if kind == "rowpart":
        sizes = {name: encoded.get(name) for name in ("nrows", "nvals", "uniform_row_length")}
        return st.RowPartitionSpec(**sizes, dtype=encoded.get("dtype") or "int64")
    dims = shape(encoded["shape"])
    if kind == "structured":
        return st.StructuredTensorSpec(dims, {name: spec(field) for name, field in encoded["fields"].items()})
    if kind == "tensor":
        return st.TensorSpec(dims, dtype(encoded["dtype"]))
    if kind == "ragged":
        ragged_rank = encoded.get("ragged_rank")
        if ragged_rank is None and dims is None:
            ragged_rank = 1
        return st.RaggedTensorSpec(
            dims, dtype(encoded["dtype"]), ragged_rank, row_splits_dtype=encoded.get("row_splits_dtype") or "int64"
        )
    raise malformed(encoded, "a spec of a known kind")
