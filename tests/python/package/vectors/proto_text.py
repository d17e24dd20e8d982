"""A spec in the text form of TensorFlow's protocol buffer for specs, from what the package reports about it."""

import structtensor as st
from structtensor import nest

from .specs import dtype_name


def _dtype(name):
    return {"float32": "DT_FLOAT", "float64": "DT_DOUBLE"}.get(dtype_name(name), "DT_" + dtype_name(name).upper())


def _message(name, *content):
    """Lines of a message; each part of `content` is a list of lines."""
    return [name + " {", *("  " + line for part in content for line in part), "}"]


def _scalar(name, value):
    return [f"{name}: {value}"]


def _text(name, value):
    return [f'{name}: "{value}"']


def _shape(name, dims):
    sizes = [-1 if size is None else size for size in dims or ()]
    unknown = _scalar("unknown_rank", "true") if dims is None else []
    return _message(name, unknown, *(_message("dim", _scalar("size", size) if size != 0 else []) for size in sizes))


def _values(*content):
    return _message("values", *content)


def _attribute(name, content):
    """A pair of a name and a value."""
    return _values(_message("tuple_value", _values(_text("string_value", name)), _values(content)))


def _tensor(dims, dtype):
    return _message("tensor_spec_value", _shape("shape", dims), _scalar("dtype", _dtype(dtype)))


def _spec_content(type_class, name, count, *state):
    """What all specs but those of tensors have around their state."""
    return [
        *_scalar("type_spec_class", type_class),
        *_message("type_state", _message("tuple_value", *state)),
        *_text("type_spec_class_name", name),
        *_scalar("num_flat_components", count),
    ]


def _partition(spec):
    sizes = (spec.nrows, spec.nvals, spec.uniform_row_length)
    state = [_values(_shape("tensor_shape_value", [size])) for size in sizes]
    state.append(_values(_scalar("tensor_dtype_value", _dtype(spec.dtype))))
    return _message("type_spec_value", _spec_content("ROW_PARTITION_SPEC", "RowPartitionSpec", 1, *state))


def _ragged_shape(spec):
    rank = len(spec.shape)
    partitions = _message("tuple_value", *(_values(_partition(partition)) for partition in spec.row_partitions))
    flat_nrows = [spec.row_partitions[-1].nvals if spec.row_partitions else spec.shape[0]] if rank > 0 else []
    content = _spec_content(
        "EXTENSION_TYPE_SPEC",
        "tf.DynamicRaggedShape.Spec",
        1 + len(spec.row_partitions),
        _attribute("_row_partitions", partitions),
        _attribute("_inner_shape", _tensor([min(rank, 1)], spec.shape_dtype)),
        _attribute("_static_inner_shape", _shape("tensor_shape_value", flat_nrows)),
    )
    return _message("type_spec_value", content)


def _structs(spec):
    fields = [
        _message("fields", _text("key", name), _message("value", _spec(field))) for name, field in spec.fields.items()
    ]
    return _spec_content(
        "EXTENSION_TYPE_SPEC",
        "tf.StructuredTensor.Spec",
        len(nest.flatten(spec, expand_composites=True)),
        _attribute("_fields", _message("dict_value", *fields)),
        _attribute("_ragged_shape", _ragged_shape(spec)),
    )


def _spec(spec):
    if isinstance(spec, st.TensorSpec):
        return _tensor(spec.shape, spec.dtype)
    if isinstance(spec, st.StructuredTensorSpec):
        return _message("type_spec_value", _structs(spec))
    state = [
        _values(_shape("tensor_shape_value", spec.shape)),
        _values(_scalar("tensor_dtype_value", _dtype(spec.dtype))),
        _values(_scalar("int64_value", spec.ragged_rank)),
        _values(_scalar("tensor_dtype_value", _dtype(spec.row_splits_dtype))),
    ]
    content = _spec_content("RAGGED_TENSOR_SPEC", "RaggedTensorSpec", 1 + len(spec.row_partitions), *state)
    return _message("type_spec_value", content)


def proto_text(spec):
    """The text for the spec of structs. Fields are in another order than TensorFlow's, which follows a hash."""
    return "\n".join(_structs(spec)) + "\n"
