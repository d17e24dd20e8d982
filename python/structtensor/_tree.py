"""Values as pytrees of jax and torch. Their buffers are the leaves, their spec is the static part.

    RaggedTensor [[1, 2], [], [3]]        leaves  [1 2 3], [0 2 2 3]            spec  RaggedTensorSpec([3, None], int64)

So jit traces a function once for each spec, as long as the buffers have the same sizes. During tracing there are no numbers
yet, and values need numbers. So the function gets a TreeValue with the tracers instead. The results of jit have numbers, and
become values again.

Splits that the fields of structs share are one leaf. The spec alone determines the parts of a value (_plan). Their order is the
order of the bindings' _flatten().
"""

import functools

import numpy as np

from . import _core
from . import _dlpack
from . import _numpy
from . import _signatures

# The kinds of the tensors that _flatten() gives, as seen by the leaves.
_TENSOR = "tensor"  # a leaf, and one more leaf for the validity if elements may be absent
_SPLITS = "splits"  # a leaf
_SHARED = "shared"  # equal to other splits, which are the leaf
_COUNT = "count"  # the number of structs, which the splits and the spec determine


class _Part:
    def __init__(self, role, dtype, nullable=False, key=None, rows=None):
        self.role = role
        self.dtype = dtype
        self.nullable = nullable
        self.key = key  # for splits: equal for splits that are shared
        self.rows = rows  # for counts: the number of structs, or the key of the splits that end there


def _fields(spec):
    """(name, spec) of the fields in the order of _flatten(). Dicts are sorted, as in tf.nest."""
    return sorted(spec.fields.items(), key=lambda field: field[0])


def _parts(spec, outer):
    """outer: keys of the splits of the enclosing structs, which come before the splits of the field."""
    if isinstance(spec, _core.TensorSpec):
        yield _Part(_TENSOR, spec.dtype, spec.nullable)
        return
    if not isinstance(spec, (_core.RaggedTensorSpec, _core.StructuredTensorSpec)):
        if outer:
            raise TypeError(f"pytrees support fields of extension types only in structs of rank 1; found {spec!r}")
        for component in _core._extension_component_specs(spec):
            yield from _parts(component, ())
        return
    ragged = isinstance(spec, _core.RaggedTensorSpec)
    partitions = spec.ragged_rank if ragged else len(spec.row_partitions)
    outer = outer if partitions >= len(outer) else ()
    keys = (*outer, *(object() for _ in range(partitions - len(outer))))
    if ragged:
        yield _Part(_TENSOR, spec.dtype, spec.nullable)
    else:
        for _, field in _fields(spec):
            yield from _parts(field, keys)
        rows = None if spec.shape == () else keys[-1] if keys else spec.shape[0]
        yield _Part(_COUNT, "int64", rows=rows)
    dtype = spec.row_splits_dtype if ragged else spec.shape_dtype
    for key in keys:
        yield _Part(_SHARED if key in outer else _SPLITS, dtype, key=key)
    if not ragged and spec.nullable:
        yield _Part(_TENSOR, "bool")


@functools.lru_cache(maxsize=1000)
def _plan(spec):
    return tuple(_parts(spec, ()))


# --- Leaves


def _array_of(tensor):
    """A leaf as a NumPy array. Strings become arrays of strings, times become their numbers."""
    if tensor.dtype in ("string", "bytes"):
        return tensor.to_numpy(fill_value="" if tensor.dtype == "string" else b"")
    array = tensor._stored_array()
    if tensor.dtype == "float16":
        return array.view(np.float16)
    if tensor.dtype == "bfloat16":
        import ml_dtypes

        return array.view(ml_dtypes.bfloat16)
    return array


def _torch_array_of(tensor):
    """A leaf as a torch tensor. It is copied, because it may be written to. Strings stay NumPy arrays."""
    import torch

    array = _array_of(tensor)
    if tensor.dtype in ("string", "bytes"):
        return array
    if tensor.dtype == "bfloat16":
        return torch.from_numpy(_dlpack.aligned_copy(array.view("int16"))).view(torch.bfloat16)
    return torch.from_numpy(_dlpack.aligned_copy(array))


def _leaves(value, leaf_of):
    leaves = []
    for part, tensor in zip(_plan(value.spec), _core._flatten(value), strict=True):
        if part.role in (_TENSOR, _SPLITS):
            leaves.append(leaf_of(tensor))
        if part.nullable:
            leaves.append(leaf_of(tensor.validity))
    return leaves


def _assign(spec, leaves):
    """For each part, its leaves: (values, validity or None) of a tensor, splits, or None."""
    expected = sum(part.role in (_TENSOR, _SPLITS) and 1 + part.nullable for part in _plan(spec))
    if len(leaves) != expected:
        raise ValueError(f"{spec!r} has {expected} leaves, not {len(leaves)}")
    leaves = iter(leaves)
    by_key, assigned = {}, []
    for part in _plan(spec):
        if part.role == _TENSOR:
            assigned.append((next(leaves), next(leaves) if part.nullable else None))
        elif part.role == _SPLITS:
            assigned.append(by_key.setdefault(part.key, next(leaves)))
        else:
            assigned.append(part.key)
    return [by_key.get(leaf) if part.role == _SHARED else leaf for part, leaf in zip(_plan(spec), assigned, strict=True)]


# --- Values


def _as_array(leaf, dtype):
    """A leaf as an array of the dtype. It may have lost half of its bits before: by default, jax has 32 bits."""
    if hasattr(leaf, "detach") and str(leaf.dtype) == "torch.bfloat16":
        import torch

        leaf = leaf.detach().view(torch.int16).numpy().view("uint16")
    elif hasattr(leaf, "detach"):
        leaf = leaf.detach().numpy()
    elif not hasattr(leaf, "__array__"):
        raise TypeError(f"expected an array, found {type(leaf).__name__}")
    array = np.asarray(leaf)
    if dtype == "bfloat16":
        if array.dtype.name not in ("bfloat16", "uint16"):
            raise TypeError(f"expected elements of bfloat16, found {array.dtype}")
        return array.view("uint16")
    stored = {"float": "float32", "double": "float64"}.get(dtype, dtype)
    if dtype.startswith(("timestamp[", "duration[")):
        stored = "int64"
    stored = np.dtype(stored)
    if array.dtype.kind != stored.kind or array.dtype.itemsize > stored.itemsize:
        raise TypeError(f"expected elements of {dtype}, found {array.dtype}")
    return array.astype(stored, copy=False)


def _strings_of(array, dtype, validity):
    array = np.asarray(array)
    strings = array.reshape(-1).tolist()
    if not all(isinstance(text, str if dtype == "string" else bytes) for text in strings):
        raise TypeError(f"expected elements of {dtype}, found an array of {array.dtype}")
    return _numpy.strings_from_memory(strings, dtype, array.shape, validity)


def _tensor_of(part, leaf):
    values, validity = leaf
    if validity is not None:
        validity = np.ascontiguousarray(_as_array(validity, "bool")).reshape(-1)
    if part.dtype in ("string", "bytes"):
        return _strings_of(values, part.dtype, validity)
    array = _as_array(values, part.dtype)
    shape = array.shape  # ascontiguousarray makes a vector from a scalar
    return _core._tensor_from_memory(part.dtype, shape, np.ascontiguousarray(array).reshape(-1), None, validity)


def _value_of(spec, leaves):
    """The value with these leaves. Raises an error if the leaves are not numbers yet, or do not fit this spec."""
    parts, assigned = _plan(spec), _assign(spec, leaves)
    splits = {part.key: leaf for part, leaf in zip(parts, assigned, strict=True) if part.role == _SPLITS}
    tensors = []
    for part, leaf in zip(parts, assigned, strict=True):
        if part.role == _TENSOR:
            tensors.append(_tensor_of(part, leaf))
        elif part.role == _COUNT:
            rows = part.rows
            if rows in splits:
                rows = int(_as_array(splits[rows], "int64")[-1])
            count = [] if rows is None else [rows]
            tensors.append(_core._tensor_from_memory("int64", (len(count),), np.array(count, "int64")))
        else:
            tensors.append(_tensor_of(part, (leaf, None)))
    return _core._pack(spec, tensors)


def _absent_where(structs, present, spec, leaves):
    """The spec and the leaves of a field, absent where its structs are. present: a boolean for each struct, as a leaf.

    Ragged rows of absent structs are empty, so only values that have one element, or one struct, for each struct change.
    """
    axes = len(structs.row_partitions)
    if isinstance(spec, _core.StructuredTensorSpec):
        if len(spec.row_partitions) != axes:
            return spec, leaves
        nullable = _core.StructuredTensorSpec(spec.shape, spec.fields, spec.kind, True, spec.shape_dtype)
        return nullable, [*leaves[:-1], leaves[-1] & present] if spec.nullable else [*leaves, present]
    if isinstance(spec, _core.TensorSpec):
        nullable, outer = _core.TensorSpec(spec.shape, spec.dtype, True), len(structs.shape)
    elif isinstance(spec, _core.RaggedTensorSpec) and spec.ragged_rank <= axes:
        nullable = _core.RaggedTensorSpec(spec.shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype, True)
        outer = 1 + axes - spec.ragged_rank
    else:
        return spec, leaves
    values = leaves[0]
    shape = tuple(values.shape)
    validity = present.reshape(shape[:outer] + (1,) * (len(shape) - outer))
    if spec.nullable:
        return nullable, [values, leaves[1] & validity, *leaves[2:]]
    if outer < len(shape):
        validity = validity | (values != values) & False  # in the shape of the values
    return nullable, [values, validity, *leaves[1:]]


@_signatures.check_calls
class TreeValue:
    """A value whose buffers are arrays of jax or torch, or the tracers that replace them while jit traces a function.

    Read a Tensor by `flat_values` and `validity`, a RaggedTensor also by `nested_row_splits`, a StructuredTensor by
    `value["field"]` and `nested_row_splits`. to_value() makes a value from it, if there are numbers.
    """

    __slots__ = {
        "leaves": "The buffers of the value, or placeholders for them, as a tuple.",
        "spec": "The spec of the value.",
    }

    def __init__(self, spec, leaves):
        if not isinstance(spec, (_core.TensorSpec, _core.RaggedTensorSpec, _core.StructuredTensorSpec)):
            raise TypeError(f"expected the spec of a value, found {type(spec).__name__}")
        self.spec = spec
        self.leaves = tuple(leaves)

    def _values(self):
        if isinstance(self.spec, _core.StructuredTensorSpec):
            raise TypeError(f"only fields of structs have values; the fields are {', '.join(self.field_names())}")
        return _assign(self.spec, self.leaves)[0]

    @property
    def flat_values(self):
        """The elements of a Tensor or RaggedTensor, [size of axis 0, ...] or [number of values, ...]."""
        return self._values()[0]

    @property
    def validity(self):
        """Which elements are present, as booleans in the shape of flat_values; None if elements cannot be absent."""
        return self._values()[1]

    @property
    def nested_row_splits(self):
        """The row splits of each partition, the outermost first."""
        if isinstance(self.spec, _core.StructuredTensorSpec):
            count = len(self.spec.row_partitions)
            end = len(_plan(self.spec)) - (1 if self.spec.nullable else 0)
            return _assign(self.spec, self.leaves)[end - count : end]
        return _assign(self.spec, self.leaves)[1:]

    def field_names(self):
        """The names of a StructuredTensor's fields, as a tuple."""
        return tuple(self.spec.fields) if isinstance(self.spec, _core.StructuredTensorSpec) else ()

    def __getitem__(self, name):
        """The field with this name. It starts with the axes of the structs. Raises KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"a TreeValue can be indexed only by field name, not by {name!r}; use its leaves for anything else")
        if name not in self.field_names():
            raise KeyError(f"there is no field {name!r}; the fields are {', '.join(self.field_names())}")
        begin = 0
        for field, spec in _fields(self.spec):
            count = len(_plan(spec))
            if field == name:
                break
            begin += count
        leaves = []
        for part, leaf in zip(_plan(spec), _assign(self.spec, self.leaves)[begin : begin + count], strict=True):
            if part.role == _TENSOR:
                leaves.extend(leaf if part.nullable else leaf[:1])
            elif part.role == _SPLITS:
                leaves.append(leaf)
        if self.spec.nullable:
            spec, leaves = _absent_where(self.spec, _assign(self.spec, self.leaves)[-1][0], spec, leaves)
        return TreeValue(spec, leaves)

    def to_value(self):
        """The value. Raises TypeError or ValueError if a leaf has no numbers, the wrong dtype or size, or invalid splits."""
        return _value_of(self.spec, self.leaves)

    def __jax_array__(self):
        if not isinstance(self.spec, _core.TensorSpec) or self.spec.nullable:
            raise TypeError(f"only a dense tensor without absent elements is an array, not {self.spec!r}; use flat_values")
        return self.flat_values

    def __repr__(self):
        return f"TreeValue({self.spec!r}, {len(self.leaves)} leaves)"


def unflatten(spec, leaves):
    """The value with these leaves, or a TreeValue if they are not numbers of its dtypes and sizes."""
    leaves = tuple(leaves)
    try:
        return _value_of(spec, leaves)
    except Exception:  # tracers raise many errors, and pytrees are also made from objects that are not arrays
        return TreeValue(spec, leaves)


# --- Registration


_CLASSES = (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor, _core.Batch, TreeValue)
_registered = set()


def _flatten_for(leaf_of):
    def flatten(value):
        if isinstance(value, TreeValue):
            return list(value.leaves), value.spec
        return _leaves(value, leaf_of), value.spec

    return flatten


def _register_jax():
    import jax

    for value_class in _CLASSES:
        jax.tree_util.register_pytree_node(value_class, _flatten_for(_array_of), unflatten)


def _register_torch():
    from torch.utils import _pytree

    for value_class in _CLASSES:
        _pytree.register_pytree_node(
            value_class,
            _flatten_for(_torch_array_of),
            lambda leaves, spec: unflatten(spec, leaves),
            serialized_type_name=f"structtensor.{value_class.__name__}",
        )


_REGISTER = {"jax": _register_jax, "torch": _register_torch}


@_signatures.public
def register_pytrees(*libraries):
    """Makes Tensor, RaggedTensor and StructuredTensor pytrees of "jax", of "torch", or of both. A second call does nothing.

    It is a call of its own because it changes these libraries for the whole process; import structtensor does not. The leaves
    are the buffers: elements, their validity if elements may be absent, and row splits. Times are int64. The spec is the static
    part. jit rejects strings as leaves; use without() to leave them out. Leaves for jax share memory. Leaves for torch are
    copies. Raises ImportError for a library that is not installed, ValueError for an unknown library.
    """
    if not libraries:
        raise TypeError('register_pytrees: for which library? "jax", "torch", or both')
    for library in libraries:
        if library not in _REGISTER:
            raise ValueError(f'register_pytrees: expected "jax" or "torch", found {library!r}')
        if library in _registered:
            continue
        try:
            _REGISTER[library]()
        except ImportError as error:
            raise ImportError(f"this needs {library}: pip install {library}") from error
        _registered.add(library)
