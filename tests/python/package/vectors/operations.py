"""What each operation of the vectors is in the Python package: public functions and methods of structtensor only."""

import collections.abc
import pickle
import types
import typing

import numpy as np

import structtensor as st
from structtensor import _functions, nest

from . import encoded, specs
from .dump import Py, Sparse, Spec
from .proto_text import proto_text


def _given(args, *names):
    """Those of the arguments that are there and not null."""
    return {name: args[name] for name in names if args.get(name) is not None}


def _structs(case):
    value = encoded.value(case.input)
    if not isinstance(value, st.StructuredTensor):
        raise encoded.malformed(case.input, "structs")
    return value


# --- Making, reading, equality.


def _from_fields(case):
    # TensorFlow compares sizes that the caller gives only if it gives all of them, and ignores nrows beside a known size.
    args = dict(case.args)
    shape = args.get("shape")
    if isinstance(shape, list) and shape:
        if len(shape) > 1 or shape[0] is not None:
            args.pop("nrows", None)
        if None in shape:
            args["shape"] = [None] * len(shape)
    return encoded.from_fields(args)


def _from_fields_and_rank(case):
    fields = encoded.fields(case.args["fields"])
    return st.StructuredTensor.from_fields(fields, rank=case.args["rank"], shape_dtype=case.args.get("dtype"))


def _static_shape(case):
    return Py(list(encoded.value(case.input).shape))


def _equals(case):
    equal = encoded.value(case.input) == encoded.value(case.args["other"])
    return Py(equal) if isinstance(equal, bool) else equal


def _not_equals(case):
    differ = encoded.value(case.input) != encoded.value(case.args["other"])
    return Py(differ) if isinstance(differ, bool) else differ


# --- Indexing.


def _index(piece):
    for wrapper in ("$tensor", "$npint"):
        if isinstance(piece, dict) and wrapper in piece:
            return encoded.value(piece) if wrapper == "$tensor" else encoded.python(piece)
    return piece


def _piece(piece):
    if not isinstance(piece, dict):
        return piece
    if "$ellipsis" in piece:
        return ...
    if "$newaxis" in piece:
        return None
    if "$slice" in piece:
        return slice(*(_index(bound) for bound in piece["$slice"]))
    return _index(piece)


def _getitem(case):
    value, key = encoded.value(case.input), case.args["key"]
    # A list is a tuple of pieces, as in TensorFlow.
    pieces = key["$tuple"] if isinstance(key, dict) and "$tuple" in key else key
    key = tuple(_piece(piece) for piece in pieces) if isinstance(pieces, list) else _piece(key)
    # As TensorFlow, which does not leave axes out in front of names; square brackets take that, too, and more.
    found = st.index(value, key, axes_before_names="written")
    if not found.equals(value[key]):
        raise AssertionError("square brackets give something else than index()")
    return found


def _field_value(case):
    path = case.args["path"]
    steps = path["$tuple"] if isinstance(path, dict) else path
    return _structs(case).field_value([steps] if isinstance(steps, str) else steps)


# --- Array operations.


def _named(function, *names):
    """function(value, arguments of those names)."""
    return lambda value, args: function(value, **_given(args, *names))


def _integers(function, *names):
    def apply(value, args):
        return function(value, **{name: encoded.integers(argument) for name, argument in _given(args, *names).items()})

    return apply


def _gather(value, args):
    return st.gather(value, encoded.value(args["indices"]), bounds="values", **_given(args, "axis", "batch_dims"))


def _sort(function):
    def sort(value, args):
        return function(value, descending=args.get("direction") == "DESCENDING", **_given(args, "axis"))

    return sort


def _split(value, args):
    sizes = args.get("sizes", args.get("num_or_size_splits"))
    return st.split(value, encoded.integers(sizes), **_given(args, "axis"))


def _partitions(function):
    return lambda value, args: function(value, encoded.value(args["partitions"]), args["num_partitions"])


def _roll(value, args):
    axis = args.get("axis")
    return st.roll(value, encoded.integers(args["shift"]), 0 if axis is None else axis)


def _shape(value, args):
    shape = st.shape(value, **_given(args, "out_type"))
    if isinstance(value, st.StructuredTensor) and isinstance(shape, st.Tensor):
        # The design document asks for a Tensor, TensorFlow answers a DynamicRaggedShape of the same sizes.
        as_in_tensorflow = st.DynamicRaggedShape.from_tensor(value).with_dtype(shape.dtype)
        assert shape.to_py() == list(as_in_tensorflow.lengths)
        return as_in_tensorflow
    return shape


_UNARY = {
    "argsort": _sort(st.argsort),
    "boolean_mask": lambda value, args: st.boolean_mask(value, encoded.value(args["mask"])),
    "dynamic_partition": _partitions(st.dynamic_partition),
    "expand_dims": _named(st.expand_dims, "axis"),
    "gather": _gather,
    "gather_nd": lambda value, args: st.gather_nd(value, encoded.value(args["indices"]), bounds="values"),
    "identity": lambda value, args: st.identity(value),
    "merge_dims": _named(st.merge_dims, "outer_axis", "inner_axis"),
    "ones_like": _named(st.ones_like, "dtype"),
    "partition_outer_dimension": lambda value, args: st.partition_outer_dimension(
        value, encoded.row_partition(args["row_partition"])
    ),
    "rank_op": lambda value, args: st.rank(value),
    "repeat": _integers(st.repeat, "repeats", "axis"),
    "reverse": _integers(st.reverse, "axis"),
    "roll": _roll,
    "shape_op": _shape,
    "size": _named(st.size, "out_type"),
    "slice": _integers(st.slice, "begin", "size"),
    "sort": _sort(st.sort),
    "split": _split,
    "squeeze": _integers(st.squeeze, "axis"),
    "stack_dynamic_partitions": _partitions(st.ragged.stack_dynamic_partitions),
    "tile": _integers(st.tile, "multiples"),
    "unstack": _named(st.unstack, "axis"),
    "with_shape_dtype": _named(st.with_shape_dtype, "dtype"),
    "zeros_like": _named(st.zeros_like, "dtype"),
}


def _where(values, args):
    x, y = values
    return st.where(encoded.value(args["cond"]), x, y)


_NARY = {
    "concat": lambda values, args: st.concat(values, **_given(args, "axis")),
    "stack": lambda values, args: st.stack(values, **_given(args, "axis")),
    "where": _where,
}


def _move(op, value, args):
    if op in _UNARY:
        return _UNARY[op](encoded.value(value), args)
    return _NARY[op](encoded.values(value), args)


def _array_op(case):
    return _move(case.op, case.input, case.args)


# --- Ragged tensors.


def _rt_method(case):
    value, method = encoded.value(case.input), case.args["method"]
    args, kwargs = case.args.get("args") or [], dict(case.args.get("kwargs") or {})
    if method == "to_list":
        return Py(encode_py(value))
    if not isinstance(value, st.RaggedTensor):
        raise encoded.malformed(case.input, "a ragged tensor")
    dtype = kwargs.get("out_type") or value.row_partitions[0].dtype
    if method == "nrows":  # a number in Python
        return st.constant(value.nrows, dtype=dtype)
    if method == "bounding_shape":  # a tuple in Python
        return st.constant(list(st.bounding_shape(value)), dtype=dtype)
    if method in ("nested_row_lengths", "nested_value_rowids"):
        return getattr(value, method)()
    if method == "merge_dims":
        return value.merge_dims(*args, **kwargs)
    if method == "to_sparse":
        return Sparse(*st.to_sparse(value))
    if method == "to_tensor":
        return value.to_tensor(**{name: encoded.python(argument) for name, argument in kwargs.items()})
    if method == "with_row_splits_dtype":
        return value.with_shape_dtype(*args)
    return getattr(value, method)(**kwargs)


def _rt_prop(case):
    value, name = encoded.value(case.input), case.args["prop"]
    if not isinstance(value, st.RaggedTensor):
        raise encoded.malformed(case.input, "a ragged tensor")
    found = getattr(value, name)
    return Py(found) if name in ("ragged_rank", "uniform_row_length") else found


def _rt_from(case):
    values, *args = case.args["args"]
    kwargs = case.args.get("kwargs") or {}
    return getattr(st.RaggedTensor, case.args["method"])(encoded.value(values), *args, **kwargs)


def encode_py(value):
    from .dump import encode

    return encode(value.to_py())


# --- Elementwise operations and reductions.

_ELEMENTWISE = {
    "floordiv": "floor_divide",
    "floormod": "mod",
    "pow": "power",
    "truediv": "divide",
    "strings.as_string": "as_string",
    "strings.lower": "string_lower",
    "strings.upper": "string_upper",
}
_BINARY = (
    "add divide equal floor_divide greater greater_equal less less_equal logical_and logical_or logical_xor maximum minimum "
    "mod multiply not_equal power subtract"
).split()
_MOVING = {"ragged.boolean_mask": "boolean_mask", "rank": "rank_op", "shape": "shape_op"}


def _operand(json):
    """A Python number stays one: it takes the dtype of the other operand."""
    return json if isinstance(json, (int, float)) and not isinstance(json, bool) else encoded.value(json)


def _apply_binary(api, x, y):
    api = api.removeprefix("math.")
    return _functions.ALL[_ELEMENTWISE.get(api, api)](_operand(x), _operand(y))


def _binary(case):
    return _apply_binary(case.args["api"], case.args["x"], case.args["y"])


def _softmax(value, args):
    return st.math.softmax(value, **_given(args, "axis"))


def _one_hot(value, args):
    values = {name: encoded.python(args[name]) for name in ("on_value", "off_value") if args.get(name) is not None}
    return st.one_hot(value, args["depth"], **_given(args, "axis", "dtype"), **values)


def _bincount(value, args):
    return st.math.bincount(
        value,
        by_row=bool(args.get("axis")),
        binary=bool(args.get("binary_output")),
        **_given(args, "minlength", "maxlength", "dtype"),
    )


_WITH_ARGUMENTS = {
    "bincount": _bincount,
    "cast": _named(st.cast, "dtype"),
    "cumsum": _named(st.math.cumsum, "axis", "exclusive", "reverse"),
    "nn.softmax": _softmax,
    "one_hot": _one_hot,
    "softmax": _softmax,
    "strings.length": lambda value, args: st.strings.length(value, args.get("unit", "BYTE").lower()),
}


def _tf_op(case):
    api, kwargs = case.args["api"], case.args.get("kwargs") or {}
    moving = _MOVING.get(api, api)
    if moving in _UNARY or moving in _NARY:
        return _move(moving, case.input, kwargs)
    name = api.removeprefix("math.")
    if name == "ragged.map_flat_values":
        raise encoded.malformed(case.input, "a function")  # the cases give it a value first
    if name == "strings.join":
        return st.strings.join(encoded.values(case.input), kwargs.get("separator", ""))
    if _ELEMENTWISE.get(name, name) in _BINARY:
        return _apply_binary(api, case.input, kwargs["y"])
    value = encoded.value(case.input)
    if name in _WITH_ARGUMENTS:
        return _WITH_ARGUMENTS[name](value, kwargs)
    return _functions.ALL[_ELEMENTWISE.get(name, name)](value, **kwargs)


# --- Shapes.


def _drs_index(case):
    shape, index = encoded.ragged_shape(case.input), case.args["i"]
    if isinstance(index, dict):
        return shape[slice(*index["$slice"])]
    return Py(shape[index])


def _drs_broadcast(case):
    return st.broadcast_dynamic_shape(encoded.ragged_shape(case.args["a"]), encoded.ragged_shape(case.args["b"]))


# --- Paths.


def _path(json, name_allowed=True):
    if isinstance(json, str) and name_allowed:
        return [json]
    names = json["$tuple"] if isinstance(json, dict) and "$tuple" in json else json
    if not isinstance(names, list):
        raise encoded.malformed(json, "a path, which is a list of names")
    return names


def _drop_nested_x(value):
    return st.struct.without(value, ["x"])


_FUNCTIONS = {
    "identity": lambda value: value,
    "add1": lambda value: value + 1,
    "double": lambda value: value * 2,
    "to_int64": lambda value: st.cast(value, "int64"),
    "first_row": lambda value: value[:1],
    "reduce_last": lambda value: st.reduce_sum(value, axis=-1),
    "expand_last": lambda value: st.expand_dims(value, -1),
    "strlen": lambda value: st.strings.length(value),
    "none": lambda value: None,
    "drop_nested_x": _drop_nested_x,
}


def _update(json):
    if json is None:
        return None
    if isinstance(json, dict) and "$fn" in json:
        return _FUNCTIONS[json["$fn"]]
    return encoded.value(json)


def _with_updates(case):
    updates = [(tuple(_path(path)), _update(update)) for path, update in case.args["updates"]]
    return st.struct.with_updates(_structs(case), dict(updates))


def _names(case):
    return [_path(name) for name in case.args["names"]]


def _promote(case):
    source = _path(case.args["source_path"], name_allowed=False)
    return st.struct.promote(_structs(case), source, [*source[:-2], case.args["new_name"]])


def _broadcast(case):
    source, target = (_path(case.args[name]) for name in ("source_path", "target_path"))
    return st.struct.broadcast(_structs(case), source, [*target, case.args["new_name"]])


# --- Specs, row partitions, nests.


def _spec_compare(case):
    a, b = encoded.spec(case.args["a"]), encoded.spec(case.args["b"])
    common = a.most_specific_compatible_type(b)
    return Py(
        {
            "compatible": a.is_compatible_with(b),
            "eq": a == b,
            "subtype": a.is_subtype_of(b),
            "supertype": specs.tree(common, partitions_unless_dense=True),
        }
    )


def _spec_pickle(case):
    spec = encoded.value(case.input).spec
    return Py(pickle.loads(pickle.dumps(spec)) == spec)


def _flatten(case):
    return nest.flatten(encoded.value(case.input), expand_composites=True)


def _identity_of_components(case):
    value = encoded.value(case.input)
    return nest.pack_sequence_as(value, nest.flatten(value, expand_composites=True), expand_composites=True)


def _rows(case):
    """The elements of a dataset of the value's rows."""
    value = encoded.value(case.input)
    spec = value.spec.unbatch()
    rows = list(value)
    if not all(spec.is_compatible_with(row) for row in rows):
        raise AssertionError(f"a row does not have the spec {spec!r}")
    return rows


def _batch_dataset(case):
    rows, count = _rows(case), case.args["n"]
    return [st.stack(rows[first : first + count]) for first in range(0, len(rows), count)]


def _rp_accessors(case):
    json = case.args["rp"]
    partition = encoded.row_partition(json)
    spec = partition.spec
    # TensorFlow reads the number of values off these encodings only when asked, so that its spec does not have it.
    if json["kind"] in ("row_splits", "row_lengths", "row_limits") and spec.nrows != 0:
        spec = st.RowPartitionSpec(spec.nrows, None, spec.uniform_row_length, spec.dtype)
    encodings = ("offsets_in_rows", "row_lengths", "row_limits", "row_splits", "row_starts", "value_rowids")
    return Py(
        {
            "is_uniform": partition.is_uniform,
            "nrows": partition.nrows,
            "nvals": partition.nvals,
            "spec": specs.tree(spec),
            **{name: getattr(partition, name).to_py() for name in encodings},
        }
    )


def _rp_merge(case):
    a, b = encoded.row_partition(case.args["a"]), encoded.row_partition(case.args["b"])
    return a.merge(b, validate=case.args.get("validate") is not False)


def _nest(case):
    function, args = case.args["fn"], [encoded.python(arg) for arg in case.args["args"]]
    if function == "flatten":
        return Py(nest.flatten(*args))
    if function == "is_nested":
        return Py(nest.is_nested(*args))
    if function == "same":
        nest.assert_same_structure(*args)
        return Py(True)
    if function == "pack":
        return Py(nest.pack_sequence_as(*args))
    assert function == "map_sum"
    return Py(nest.map_structure(lambda a, b: a + b, *args))


def _spec_proto(case):
    spec = encoded.value(case.input).spec
    return Py(proto_text(pickle.loads(pickle.dumps(spec))))


# TensorFlow's names, as annotations use them.
_NAMES = {name: getattr(typing, name) for name in ("Any", "Dict", "Mapping", "Optional", "Set", "Tuple", "Union")} | {
    "tf": types.SimpleNamespace(
        Tensor=st.Tensor,
        RaggedTensor=st.RaggedTensor,
        TensorShape=st.TensorShape,
        DType=st.DType,
        TypeSpec=st.ExtensionTypeSpec,
    ),
    "np": np,
}


def _plain(value):
    """What a field holds, as JSON."""
    if isinstance(value, st.TensorShape):
        return None if value.dims is None else value.as_list()
    if isinstance(value, st.DType):
        return specs.dtype_name(value)
    if isinstance(value, collections.abc.Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _ext_convert(case):
    """A field of that annotation, made of that value."""
    value = case.args["value"]
    value = encoded.value(value) if isinstance(value, dict) and any(key.startswith("$") for key in value) else value
    annotation = eval(case.args["annotation"], dict(_NAMES))  # of our own file
    field = types.new_class("Case", (st.ExtensionType,), {}, lambda body: body.update(__annotations__={"f": annotation}))
    found = field(value).f
    if isinstance(found, st.Tensor) and isinstance(value, (int, float)):
        # Numbers of Python are of 64 bits here, and of 32 bits in TensorFlow.
        return st.cast(found, {"int64": "int32", "double": "float"}[found.dtype])
    if isinstance(found, (st.Tensor, st.RaggedTensor, st.StructuredTensor)):
        return found
    return Py({"type": type(found).__name__, "value": _plain(found)})


OPERATIONS = {
    **{name: _array_op for name in (*_UNARY, *_NARY)},
    "batch_dataset": _batch_dataset,
    "binary": _binary,
    "broadcast": _broadcast,
    "broadcast_to": lambda case: st.broadcast_to(encoded.value(case.input), encoded.ragged_shape(case.args["shape"])),
    "drs": lambda case: encoded.ragged_shape(case.input),
    "drs_broadcast": _drs_broadcast,
    "drs_index": _drs_index,
    "equals": _equals,
    "ext_convert": _ext_convert,
    "field_names": lambda case: Py(list(_structs(case).field_names())),
    "field_value": _field_value,
    "flatten": _flatten,
    "from_fields": _from_fields,
    "from_fields_and_rank": _from_fields_and_rank,
    "from_pyval": lambda case: encoded.value(case.input),
    "from_shape": lambda case: st.StructuredTensor.from_shape(encoded.ragged_shape(case.args["shape"])),
    "getitem": _getitem,
    "map_fn_field": lambda case: _structs(case).field_value(case.args["field"]),
    "nest": _nest,
    "not_equals": _not_equals,
    "nrows": lambda case: Py(encoded.value(case.input).nrows),
    "one_hot": lambda case: _one_hot(encoded.value(case.input), case.args),
    "pickle_roundtrip": lambda case: pickle.loads(pickle.dumps(encoded.value(case.input))),
    "promote": _promote,
    "ragged": lambda case: encoded.value(case.input),
    "row_partitions": lambda case: _structs(case).row_partitions,
    "rp": lambda case: encoded.row_partition(case.args["rp"]),
    "rp_accessors": _rp_accessors,
    "rp_merge": _rp_merge,
    "rt_from": _rt_from,
    "rt_getitem": _getitem,
    "rt_method": _rt_method,
    "rt_prop": _rt_prop,
    "softmax": lambda case: _softmax(encoded.value(case.input), case.args),
    "spec_batch": lambda case: encoded.value(case.input).spec.batch(case.args.get("n")),
    "spec_compare": _spec_compare,
    "spec_compatible_value": lambda case: Py(encoded.spec(case.args["spec"]).is_compatible_with(encoded.value(case.input))),
    "spec_new": lambda case: Spec(encoded.spec(case.args["spec"])),
    "spec_of": lambda case: encoded.value(case.input).spec,
    "spec_pickle": _spec_pickle,
    "spec_proto": _spec_proto,
    "spec_unbatch": lambda case: encoded.value(case.input).spec.unbatch(),
    "static_shape": _static_shape,
    "tf_function_identity": _identity_of_components,
    "tf_op": _tf_op,
    "unbatch_dataset": _rows,
    "with_only": lambda case: st.struct.with_only(_structs(case), _names(case)),
    "with_updates": _with_updates,
    "without": lambda case: st.struct.without(_structs(case), _names(case)),
}
