"""StructuredTensor: an extension type of TensorFlow. It works in functions, datasets and saved models.

The row splits of the structs are stored once. Fields are columns of flat rows, as in the C++ library: the field `key` of
attributes[row, i] is fields["key"][row_splits[0][row] + i].
"""

import base64
import functools
import typing

import numpy as np
import structtensor as st
import tensorflow as tf
from structtensor import _core, _type_spec
from structtensor._validity import of_structs
from tensorflow.python.framework import composite_tensor_gradient, extension_type, immutable_dict

from ._columns import count_rows, dtype_name, dtype_of, flat_values, in_rows, int64_splits, parse_path, path_text
from ._columns import with_int64_splits
from ._index import Cursor, apply_key, choose_first_axis, is_integer, rows_of_column

# The name of a hidden field; no field of a struct has an empty name. In structs without fields, the hidden field is a column
# that only counts the rows. In structs that are the components of values of a user's type, it is a struct whose only field is
# named after the spec, in base64.
_HIDDEN = ""

_SHAPES = "StructuredTensor.from_fields(fields, shape=shape) takes a shape, and fields with the axes of the structs"


class _BatchEncoder(tf.experimental.ExtensionTypeBatchEncoder):
    """For tf.data, map_fn and TensorArray, which cut values into rows and join rows.

    Each column becomes a ragged tensor with all axes above it, and then a variant, whose rows are the variants of rows. A dense
    column first gets one more axis with one element in each row, so that a scalar is not a special case.
    """

    def batch(self, spec, batch_size):
        return spec._with_rank(spec.rank + 1)

    def unbatch(self, spec):
        return spec._with_rank(spec.rank - 1)

    def encoding_specs(self, spec):
        return [tf.TensorSpec(None, tf.variant) for _ in _leaves(spec)]

    def encode(self, spec, value, minimum_rank=0):
        encoded = []
        for column, row_splits in _columns(value, value.row_splits):
            if not isinstance(column, tf.RaggedTensor):
                rows = tf.shape(column, out_type=tf.int64)[0]
                column = tf.RaggedTensor.from_row_splits(column, tf.range(rows + 1), validate=False)
            column = in_rows(column, row_splits)
            if value.rank == 0:
                column = column[0]
            splits = column.nested_row_splits if isinstance(column, tf.RaggedTensor) else ()
            values = column.flat_values if isinstance(column, tf.RaggedTensor) else column
            variant = tf.raw_ops.RaggedTensorToVariant(
                rt_nested_splits=splits, rt_dense_values=values, batched_input=minimum_rank > 0 and value.rank > 0
            )
            encoded.append(variant)
        return encoded

    def decode(self, spec, encoding):
        encoding = iter(encoding)

        def column(leaf, axes):
            """A column, and the splits of the `axes` axes above it."""
            variant = next(encoding)
            if spec.rank == 0:
                variant = tf.reshape(variant, [1])
            ragged = isinstance(leaf, tf.RaggedTensorSpec)
            decoded = tf.raw_ops.RaggedTensorFromVariant(
                encoded_ragged=variant,
                input_ragged_rank=-1,
                output_ragged_rank=axes + (leaf.ragged_rank if ragged else 1),
                Tvalues=leaf.dtype,
                Tsplits=tf.int64,
            )
            splits = list(decoded.output_nested_splits)
            inner = leaf.shape[1 + leaf.ragged_rank :] if ragged else leaf.shape[1:]
            values = tf.ensure_shape(decoded.output_dense_values, [None, *inner])
            return in_rows(values, splits[axes:] if ragged else ()), splits[:axes]

        def structs(spec, axes):
            fields, above = {}, None
            for name in sorted(spec._flat_fields):
                field = spec._flat_fields[name]
                if isinstance(field, StructuredTensorSpec):
                    fields[name], splits = structs(field, axes + len(field.row_splits))
                else:
                    fields[name], splits = column(field, axes)
                above = splits[:axes] if above is None else above
            own = len(spec.row_splits)
            return StructuredTensor(above[axes - own :], {name: fields[name] for name in spec._flat_fields}, spec.rank), above

        return structs(spec, len(spec.row_splits))[0]


class _Gradient(composite_tensor_gradient.CompositeTensorGradient):
    """Gradients flow through columns of floating point numbers."""

    def get_gradient_components(self, value):
        return tuple(flat_values(column) for column, _ in _columns(value, ()) if column.dtype.is_floating)

    def replace_gradient_components(self, value, components):
        left = iter(components if isinstance(components, (tuple, list)) else [components])

        def replaced(column):
            if not column.dtype.is_floating:
                return column
            gradient = next(left)
            gradient = tf.zeros_like(flat_values(column)) if gradient is None else gradient
            return column.with_flat_values(gradient) if isinstance(column, tf.RaggedTensor) else gradient

        return value._map_columns(replaced)


def _columns(value, row_splits):
    """(column, the splits above it) of all fields, sorted by name."""
    for name in sorted(value._flat_fields):
        field = value._flat_fields[name]
        if isinstance(field, StructuredTensor):
            yield from _columns(field, (*row_splits, *field.row_splits))
        else:
            yield field, row_splits


def _leaves(spec):
    for name in sorted(spec._flat_fields):
        field = spec._flat_fields[name]
        yield from _leaves(field) if isinstance(field, StructuredTensorSpec) else [field]


class StructuredTensor(tf.experimental.BatchableExtensionType):
    """Structs of one type with `rank` axes. All axes but the first may be ragged.

        rows["name"]                   a tensor, a tf.RaggedTensor, or a StructuredTensor of the structs in a field
        rows["attributes", "key"]      a field of a field; rows["attributes", :, "key"] also has a key for the axis
        rows[3], rows[2:10], rows[mask], rows[[4, 1]]
                                       rows of the first axis
        rows[3, "attributes", 0]       both: the first attribute of a row

    row_splits   int64 vectors, one for each axis after the first
    fields       columns of flat rows, by their names: tensors [flat rows], ragged tensors, or structs of rank 1 or more

    Row splits of int32 are cast. Raises ValueError if the shapes of row splits and columns show that they do not fit
    together.
    """

    __name__ = "structtensor.StructuredTensor"
    __batch_encoder__ = _BatchEncoder()
    __composite_gradient__ = _Gradient()

    row_splits: typing.Tuple[tf.Tensor, ...]
    # Also the hidden field.
    _flat_fields: typing.Mapping[str, typing.Union[tf.Tensor, tf.RaggedTensor, "StructuredTensor"]]
    rank: int = 1

    def __init__(self, row_splits=None, fields=None, rank=None, *, shape=None):
        if row_splits is None or fields is None or shape is not None:
            raise TypeError(f"StructuredTensor(row_splits, fields) takes columns of flat rows; {_SHAPES}")
        self.row_splits = tuple(int64_splits(splits) for splits in row_splits)
        self._flat_fields = {name: with_int64_splits(field) for name, field in fields.items()}
        self.rank = 1 + len(self.row_splits) if rank is None else rank

    def __validate__(self):
        needed = max(self.rank - 1, 0)
        if self.rank < 0 or len(self.row_splits) != needed:
            raise ValueError(f"structs of rank {self.rank} have {needed} row splits; found {len(self.row_splits)}")
        if not self._flat_fields:
            raise ValueError("structs without fields: from_structtensor() and decode() make them")
        for splits in self.row_splits:
            if splits.shape.rank not in (None, 1) or splits.dtype != tf.int64:
                found = f"{splits.dtype.name} of shape {splits.shape}"
                hint = f"; {_SHAPES}" if splits.shape.rank == 0 else ""
                raise ValueError(f"row splits are int64 vectors; found {found}{hint}")
        count, first = 1 if self.rank == 0 else None, None
        for name, field in self._flat_fields.items():
            if isinstance(field, StructuredTensor):
                if field.rank == 0:
                    raise ValueError(f"the field {name!r} is a scalar struct; expected structs with an axis for the flat rows")
            elif not isinstance(field, tf.RaggedTensor) and field.shape.rank == 0:
                raise ValueError(f"the field {name!r} is a scalar; expected a column with an axis for the flat rows")
            found = _static_rows(field)
            if count is not None and found is not None and found != count:
                other = "a scalar struct has 1" if first is None else f"the field {first!r} has {count}"
                raise ValueError(f"the field {name!r} has {found} flat rows, and {other}")
            if count is None and found is not None:
                count, first = found, name

    @classmethod
    def _of(cls, row_splits, fields, count_flat_rows, rank=None):
        return cls(row_splits, fields or {_HIDDEN: tf.ones([count_flat_rows()], tf.bool)}, rank)

    @classmethod
    def _of_outputs(cls, row_splits, fields, count_flat_rows):
        """The structs of an operation's outputs, which fit together, so that nothing is checked."""
        if not _QUICK:
            return cls._of(row_splits, fields, count_flat_rows)
        fields = fields or {_HIDDEN: tf.ones([count_flat_rows()], tf.bool)}
        return _made(cls, row_splits, fields, 1 + len(row_splits))

    @property
    def fields(self):
        """The columns of flat rows by the names of the fields, as a dict. rows["a"] has the axes of the structs.

        Structs without fields have one column, of the name "", which counts them.
        """
        return _visible(self._flat_fields)

    def field_names(self):
        """The names of the fields, as a tuple."""
        return tuple(name for name in self._flat_fields if name != _HIDDEN)

    def field_value(self, field_name):
        """The field of this name, or at a path, "a.b" or a list of names, with the axes of the structs around it."""
        return self[parse_path(field_name)]

    @tf.autograph.experimental.do_not_convert
    def own_spec(self):
        """The structtensor.TypeSpec of values of an own type, whose components are the fields; None for other structs.

        The spec is that of the flat rows. Raises KeyError if no class of this process has the name of the type.
        """
        name = self._own_type()
        return None if name is None else st.TypeSpec.from_bytes(base64.b64decode(name))

    def _own_type(self):
        """The name of the own type; None for other structs."""
        hidden = self._flat_fields.get(_HIDDEN)
        return next(iter(hidden._flat_fields)) if isinstance(hidden, StructuredTensor) else None

    def __contains__(self, name):
        """Whether there is a field of this name."""
        # Without this method, Python would compare the name with each row.
        return isinstance(name, str) and name in self.field_names()

    @property
    def shape(self):
        """The static shape; None for ragged axes and for sizes that are only known when the graph runs."""
        return _shape_of(self)

    @property
    def row_partitions(self):
        """A tf.experimental.RowPartition for each axis after the first. `row_splits` has their splits."""
        return tuple(tf.experimental.RowPartition.from_row_splits(splits, validate=False) for splits in self.row_splits)

    def nrows(self):
        """The number of rows of axis 0, as an int64 scalar. Raises ValueError for a scalar struct."""
        if self.rank == 0:
            raise ValueError("a scalar struct has no rows")
        return self._outer_rows()

    def _outer_rows(self):
        if self.row_splits:
            return tf.shape(self.row_splits[0], out_type=tf.int64)[0] - 1
        field = next(iter(self._flat_fields.values()))
        if isinstance(field, StructuredTensor):
            return field._outer_rows()
        return count_rows(field)

    def _flat_rows(self):
        """The number of all structs, as an int64 scalar."""
        return StructuredTensor((), self._flat_fields)._outer_rows()

    def _with_fields(self, fields):
        """The same structs with other fields that have the same flat rows."""
        return StructuredTensor._of(self.row_splits, fields, self._flat_rows, self.rank)

    def __getitem__(self, key):
        keys = list(key) if isinstance(key, tuple) else [key]
        if all(isinstance(key, str) for key in keys):
            value = self
            for name in keys:
                if not isinstance(value, StructuredTensor):
                    raise ValueError(f"the key {name!r} is a name, and what is before it has no fields")
                value = value._field(name)
            return value
        if len(keys) == 1 and isinstance(key, slice) and key == slice(None):
            return self
        cursor, structs, axis = Cursor(), self, 0
        splits = [*([tf.stack([0, self.nrows()])] if self.rank > 0 else []), *self.row_splits]
        while keys:
            key = keys.pop(0)
            if isinstance(key, str):
                for rest in splits:
                    cursor.whole_axis(rest)
                axis += len(splits)
                field = structs._column(key)
                if not isinstance(field, StructuredTensor):
                    if any(isinstance(key, str) for key in keys):
                        raise ValueError(
                            f"the key {next(key for key in keys if isinstance(key, str))!r} is a name, "
                            f"and {key!r} has no fields"
                        )
                    return rows_of_column(field, cursor, keys, axis)
                structs, splits = field, list(field.row_splits)
            elif key is Ellipsis:
                until = next((i for i, key in enumerate(keys) if isinstance(key, str)), len(keys))
                if any(key is Ellipsis for key in keys[:until]):
                    raise ValueError("only one ... is allowed between two names")
                fill = len(splits) - sum(key is not None for key in keys[:until])
                if fill < 0:
                    raise ValueError(f"there are {len(splits)} axes for the keys after ...")
                keys[:0] = [slice(None)] * fill
            elif not splits and key is not None:
                raise ValueError(f"the key {key!r} is for axis {axis}, and the structs have {axis}")
            elif axis == 0 and structs is self and splits and not cursor.splits and not _is_plain_key(key):
                taken = choose_first_axis(cursor, key, splits[0], splits[1:])
                del splits[:taken]
                axis += taken
            else:
                apply_key(cursor, splits, key, axis)
                axis += key is not None
        for rest in splits:
            cursor.whole_axis(rest)
        fields = structs._flat_fields if cursor.chosen is None else structs._take_flat(cursor.chosen)
        return StructuredTensor(cursor.splits[1:], fields, len(cursor.splits))

    def __iter__(self):
        """The rows of axis 0. Only outside of graphs. Raises TypeError there, and for a scalar struct."""
        # Without this method, Python would ask for rows[0], rows[1], ... until one raises IndexError, which none does.
        if self.rank == 0:
            raise TypeError("a scalar struct has no rows")
        if not tf.executing_eagerly():
            raise TypeError("rows cannot be iterated over in a graph: tf.map_fn(function, rows) calls a function for each row")
        return (self[i] for i in range(int(self.nrows())))

    def _column(self, name):
        if name not in self._flat_fields or name == _HIDDEN:
            raise KeyError(f"there is no field {name!r}; there are {', '.join(map(repr, self.field_names())) or 'none'}")
        return self._flat_fields[name]

    def _field(self, name):
        field = self._column(name)
        if isinstance(field, StructuredTensor):
            inner = StructuredTensor((*self.row_splits, *field.row_splits), field._flat_fields)
            return inner if self.rank > 0 else inner._without_outer_axis()
        field = in_rows(field, self.row_splits)
        return field if self.rank > 0 else field[0]

    def _take(self, rows):
        """These rows of axis 0, in this order."""
        splits = []
        for row_splits in self.row_splits:
            values = tf.RaggedTensor.from_row_splits(tf.range(row_splits[-1]), row_splits, validate=False)
            taken = tf.gather(values, rows)
            splits.append(taken.row_splits)
            rows = taken.values
        return StructuredTensor(splits, self._take_flat(rows))

    def _take_flat(self, rows):
        """The fields of these flat rows, in this order."""
        return {
            name: field._take(rows) if isinstance(field, StructuredTensor) else tf.gather(field, rows)
            for name, field in self._flat_fields.items()
        }

    def _without_outer_axis(self):
        """The only row of axis 0, without this axis."""
        if self.rank == 1:
            return StructuredTensor((), self._flat_fields, 0)
        return StructuredTensor(self.row_splits[1:], self._flat_fields)

    def _map_columns(self, function):
        """The structs with the results of `function`, which is called for the columns in the order of _columns()."""
        changed = {}
        for name in sorted(self._flat_fields):
            field = self._flat_fields[name]
            changed[name] = field._map_columns(function) if isinstance(field, StructuredTensor) else function(field)
        return StructuredTensor(self.row_splits, {name: changed[name] for name in self._flat_fields}, self.rank)

    def __repr__(self):
        """The rows as the package shows them, or in graphs, which have none yet, the fields with their types and sizes."""
        value = self._readable()
        if value is not None:
            return repr(value)
        # TensorFlow also puts other things in the place of tensors, for example their types.
        if extension_type.is_packed(self) or not all(map(tf.is_tensor, self._tensors())):
            return super().__repr__()
        return f"<StructuredTensor {{{_fields_text(self, self.shape.as_list())}}}, shape={self.shape}>"

    def __str__(self):
        value = self._readable()
        return repr(self) if value is None else str(value)

    def _tensors(self):
        return [*self.row_splits, *(flat_values(column) for column, _ in _columns(self, ()))]

    def _readable(self):
        """The package's value, whose strings are text where they can be. None in graphs, and for dtypes and own types that it
        lacks."""
        if extension_type.is_packed(self) or not all(hasattr(tensor, "numpy") for tensor in self._tensors()):
            return None
        try:
            return self._to_structtensor(_readable_constant)
        except (KeyError, TypeError, ValueError):
            return None

    # --- Conversions

    def to_structtensor(self):
        """The same value as a structtensor.StructuredTensor, which shares numbers and row splits.

        Only outside of graphs, because tensors in graphs have no numbers yet.
        """
        return self._to_structtensor(_constant)

    def _own_value(self, spec, constant):
        """The value of an own type that the flat rows are."""
        specs = _core._extension_component_specs(spec)
        components = [
            column_to_structtensor(self._flat_fields[name], constant, component)
            for name, component in zip(component_names(spec, len(specs)), specs)
        ]
        return _core._extension_from_components(spec, list(map(_type_spec.for_bindings, components)))

    def _to_structtensor(self, constant, spec=None):
        """constant: makes a structtensor.Tensor from the elements of a column. spec: has the dtypes of the fields, as for
        column_to_structtensor()."""
        own = self.own_spec()
        if own is not None:
            structs = self._own_value(own, constant)
        else:
            specs = {} if spec is None else spec.fields
            fields = {
                name: column_to_structtensor(self._flat_fields[name], constant, specs.get(name)) for name in self.field_names()
            }
            structs = st.StructuredTensor.from_fields(fields, rank=1, nrows=int(self._flat_rows()))
        return structs[0] if self.rank == 0 else _in_partitions(structs, self.row_splits)

    @classmethod
    def from_structtensor(cls, value):
        """The same value from a structtensor.StructuredTensor.

        Numbers and row splits of 16 kB or more are shared, if their memory starts at a multiple of 64 bytes. Times become
        numbers of their unit. Raises ValueError for absent values, which TensorFlow's tensors cannot hold.
        """
        if not isinstance(value, st.StructuredTensor):
            raise TypeError(f"expected a structtensor.StructuredTensor, found {type(value).__name__}")
        if len(value.spec.shape) == 0:
            return column_from_structtensor(st.stack([value]), [])._without_outer_axis()
        return column_from_structtensor(value, [])

    def to_py(self):
        """Nested lists and dicts, as in structtensor.StructuredTensor.to_py(). Only outside of graphs."""
        return self.to_structtensor().to_py()

    @classmethod
    def from_py(cls, rows, spec=None):
        """The structs from nested lists and dicts: a list of rows, or a dict for a scalar.

        spec: a structtensor.StructuredTensorSpec, for the types. Default: inferred. Lists in lists are ragged then, whatever
        their lengths, because a type that depends on them would differ between batches.

        Raises TypeError for lists without any dict and without a spec, because nothing shows their fields.
        """
        value = st.StructuredTensor.from_pyval(rows, spec)
        if not isinstance(value, st.StructuredTensor):
            raise TypeError(f"rows: expected dicts or lists of dicts, found {rows!r:.100}; lists without any need a spec")
        return cls.from_structtensor(value)

    def to_dict(self):
        """The fields by their names, with the values of `rows[name]`. `from_fields` is the inverse."""
        return {name: self[name] for name in self.field_names()}

    @classmethod
    def from_tensorflow(cls, value):
        """The same value from a tf.experimental.StructuredTensor. Works in graphs, too."""
        if not isinstance(value, tf.experimental.StructuredTensor):
            raise TypeError(f"expected a tf.experimental.StructuredTensor, found {type(value).__name__}")
        fields = {name: value.field_value(name) for name in value.field_names()}
        fields = {
            name: cls.from_tensorflow(field) if isinstance(field, tf.experimental.StructuredTensor) else field
            for name, field in fields.items()
        }
        if fields:
            return cls.from_fields(fields, value.rank)
        splits = [tf.cast(partition.row_splits(), tf.int64) for partition in value.row_partitions]
        if value.rank == 0:
            return cls._of((), {}, lambda: 1, 0)
        return cls._of(splits, {}, lambda: splits[-1][-1] if splits else tf.cast(value.nrows(), tf.int64))

    def to_tensorflow(self):
        """The same value as a tf.experimental.StructuredTensor."""
        theirs = tf.experimental.StructuredTensor
        fields = {}
        for name in self.field_names():
            field = self._flat_fields[name]
            fields[name] = field.to_tensorflow() if isinstance(field, StructuredTensor) else field
        if self.rank == 0:
            return theirs.from_fields({name: field[0] for name, field in fields.items()}, shape=[])
        flat_rows = self._flat_rows()
        structs = theirs.from_fields(fields, shape=[None], nrows=None if fields else flat_rows)
        for row_splits in reversed(self.row_splits):
            partition = tf.experimental.RowPartition.from_row_splits(row_splits, validate=False)
            structs = structs.partition_outer_dimension(partition)
        return structs

    class Spec:
        """The static part: row_splits, fields and rank, as in the value, but with specs."""

        def __init__(self, row_splits, fields, rank=1):
            self.row_splits, self._flat_fields, self.rank = row_splits, fields, rank

        @property
        def fields(self):
            """The specs of the columns by the names of the fields, as a dict."""
            return _visible(self._flat_fields)

        @property
        def shape(self):
            return _shape_of(self)

        def with_shape(self, shape):
            """The spec itself, because numbers of rows are not part of it. tf_keras asks for another batch size by this."""
            return self

        @classmethod
        def from_fields(cls, fields, rank=1):
            """The spec of structs with fields of these specs, a dict. Each spec starts with the `rank` axes of the structs, as
            the values for StructuredTensor.from_fields() do. Numbers of rows are not part of the result.

            Raises ValueError for specs with fewer axes, and TypeError for specs of other types.
            """
            if rank < 1:
                raise ValueError(f"structs of rank {rank} have no spec of fields; the rank is 1 or more")
            return cls._of_fields(rank - 1, {name: _flat_spec(name, spec, rank) for name, spec in fields.items()})

        def _with_rank(self, rank):
            def relaxed(spec):
                if isinstance(spec, StructuredTensorSpec):
                    fields = {name: relaxed(field) for name, field in spec._flat_fields.items()}
                    return StructuredTensorSpec._of_fields(len(spec.row_splits), fields)
                sizes = [None, *spec.shape[1:].as_list()]
                if isinstance(spec, tf.RaggedTensorSpec):
                    return tf.RaggedTensorSpec(sizes, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
                return tf.TensorSpec(sizes, spec.dtype)

            fields = {name: relaxed(field) for name, field in self._flat_fields.items()}
            return StructuredTensorSpec._of_fields(max(rank - 1, 0), fields, rank)

        @classmethod
        def _of_fields(cls, partitions, fields, rank=None):
            splits = (_cached_spec((None,), tf.int64, 0),) * partitions
            fields = fields or {_HIDDEN: tf.TensorSpec([None], tf.bool)}
            return cls(row_splits=splits, fields=fields, rank=1 + partitions if rank is None else rank)

        def _create_empty_value(self):
            """A value without rows, or a scalar of zeros. MirroredStrategy feeds it to a replica that has run out of data."""

            def empty(spec, rows):
                inner = isinstance(spec, StructuredTensorSpec)
                axes = len(spec.row_splits) if inner else spec.ragged_rank if isinstance(spec, tf.RaggedTensorSpec) else 0
                splits = [tf.zeros([1 + (rows if axis == 0 else 0)], tf.int64) for axis in range(axes)]
                rows = 0 if splits else rows
                if inner:
                    fields = {name: empty(field, rows) for name, field in spec._flat_fields.items()}
                    return StructuredTensor(splits, fields, spec.rank)
                sizes = [size or 0 for size in spec.shape[1 + axes :]]
                return in_rows(tf.zeros([rows, *sizes], spec.dtype), splits)

            return empty(self, 1 if self.rank == 0 else 0)


StructuredTensorSpec = StructuredTensor.Spec


# --- TensorFlow takes values apart and puts them together at each call of a function. Its own code for nested structures of any
# kind takes longer than decoding a batch of 1,000 messages. The code here knows the structure, so it is faster. The order of
# the components is TensorFlow's: row splits, then fields sorted by name.


def _component_specs(spec):
    return (*spec.row_splits, *(spec._flat_fields[name] for name in sorted(spec._flat_fields)))


def _made(cls, row_splits, fields, rank):
    """A value, or a spec, without the checks of the constructor."""
    members = {"row_splits": tuple(row_splits), "_flat_fields": immutable_dict.ImmutableDict(fields), "rank": rank}
    return extension_type._create_object_from_type_and_dict(cls, members)


def _put_together(spec, components):
    partitions = len(spec.row_splits)
    by_name = dict(zip(sorted(spec._flat_fields), components[partitions:]))
    return _made(StructuredTensor, components[:partitions], {name: by_name[name] for name in spec._flat_fields}, spec.rank)


def _is_packed(spec):
    return getattr(spec, "_tf_extension_type_is_packed", False)


def _quick(name, function):
    """Replaces a method of the spec by `function`, except for packed values, which are one variant."""
    general = getattr(StructuredTensorSpec, name, None)
    if general is not None:
        setattr(StructuredTensorSpec, name, lambda self, *args: (general if _is_packed(self) else function)(self, *args))


def _from_tensors(spec, tensors):
    tensors = iter(tensors)
    return _put_together(spec, [_from_tensors_of(component, tensors) for component in _component_specs(spec)])


def _from_tensors_of(spec, tensors):
    if isinstance(spec, tf.TensorSpec):
        return next(tensors)
    return spec.from_tensors(tensors) if hasattr(spec, "from_tensors") else spec._from_tensors(tensors)


_QUICK = hasattr(extension_type, "_create_object_from_type_and_dict")
if _QUICK:
    _general_specs = StructuredTensorSpec._component_specs.fget
    StructuredTensorSpec._component_specs = property(
        lambda self: _general_specs(self) if _is_packed(self) else _component_specs(self)
    )
    _quick("_to_components", lambda spec, value: _component_specs(value))
    _quick("_from_components", lambda spec, components: _put_together(spec, list(components)))
    _quick("from_tensors", _from_tensors)


# The sizes of a value are not part of its spec. If they were, tf.function would trace again for each batch of other sizes.
def _spec_from_value(cls, value):
    if extension_type.is_packed(value):
        return _general_from_value(value)
    fields = {
        name: field._type_spec if isinstance(field, StructuredTensor) else _column_spec(field)
        for name, field in value._flat_fields.items()
    }
    if _QUICK:
        return _made(cls, [_cached_spec((None,), tf.int64, 0)] * len(value.row_splits), fields, value.rank)
    return cls._of_fields(len(value.row_splits), fields, value.rank)


def _column_spec(column):
    """The spec of columns of any sizes. Dense axes after the first one keep their sizes."""
    sizes, inner, ragged_rank = [None], column, 0
    while isinstance(inner, tf.RaggedTensor):
        length = inner.uniform_row_length
        length = None if length is None else tf.get_static_value(length)
        sizes.append(None if length is None else int(length))
        inner, ragged_rank = inner.values, ragged_rank + 1
    if inner.shape.rank is None:
        return tf.TensorSpec(None, inner.dtype) if ragged_rank == 0 else column._type_spec
    return _cached_spec((*sizes, *inner.shape.as_list()[1:]), inner.dtype, ragged_rank)


@functools.lru_cache(maxsize=1024)
def _cached_spec(sizes, dtype, ragged_rank):
    return tf.RaggedTensorSpec(sizes, dtype, ragged_rank, tf.int64) if ragged_rank > 0 else tf.TensorSpec(sizes, dtype)


_general_from_value = StructuredTensorSpec.from_value
StructuredTensorSpec.from_value = classmethod(_spec_from_value)
# TensorFlow 2.13 needs these where it distributes datasets, and does not allow them in a class body.
StructuredTensorSpec._to_legacy_output_shapes = lambda self: self.shape
StructuredTensorSpec._to_legacy_output_types = lambda self: tf.variant


# Saved models and messages have the name of the constructor's parameter.
_general_serialize, _general_deserialize = StructuredTensorSpec._serialize, StructuredTensorSpec._deserialize
StructuredTensorSpec._serialize = lambda self: _renamed(_general_serialize(self), "_flat_fields", "fields")
StructuredTensorSpec._deserialize = staticmethod(lambda state: _general_deserialize(_renamed(state, "fields", "_flat_fields")))


def _renamed(state, old, new):
    return tuple((new if name == old else name, value) for name, value in state)


def _visible(fields):
    """The fields without the hidden one, except where it is the only one: the constructor needs it then."""
    return {name: field for name, field in fields.items() if name != _HIDDEN or len(fields) == 1}


def _flat_spec(name, spec, rank):
    """The spec of a column of flat rows, from the spec of a field with the axes of its structs."""
    if not isinstance(spec, (tf.TensorSpec, tf.RaggedTensorSpec, StructuredTensorSpec)):
        raise TypeError(f"the field {name!r}: expected the spec of a tensor, a ragged tensor or structs, found {spec!r}")
    found = spec.rank if isinstance(spec, StructuredTensorSpec) else spec.shape.rank
    if found is None or found < rank:
        raise ValueError(f"the field {name!r} has the rank {found}, and the structs {rank}")
    if isinstance(spec, StructuredTensorSpec):
        return StructuredTensorSpec._of_fields(found - rank, spec._flat_fields)
    ragged_rank = spec.ragged_rank if isinstance(spec, tf.RaggedTensorSpec) else 0
    return _cached_spec((None, *spec.shape[rank:].as_list()), spec.dtype, max(ragged_rank - rank + 1, 0))


def field_of(value):
    """The value as a field: structs, a ragged tensor or a tensor. Nested lists with rows of several lengths are ragged. Dicts
    in lists are structs, as in StructuredTensor.from_py()."""
    if isinstance(value, (StructuredTensor, tf.RaggedTensor)):
        return value
    if _has_dicts(value):
        return StructuredTensor.from_py(value)
    if isinstance(value, (list, tuple)) and _list_shape(value) is None:
        return tf.ragged.constant(value, row_splits_dtype=tf.int64)
    return tf.convert_to_tensor(value)


def _has_dicts(value):
    return isinstance(value, dict) or isinstance(value, (list, tuple)) and any(map(_has_dicts, value))


def _list_shape(value):
    """The sizes of nested lists, or None if some have other sizes than the lists beside them."""
    # tf.convert_to_tensor() takes [[], [1]] for two empty lists.
    if not isinstance(value, (list, tuple)):
        return ()
    inner = {_list_shape(each) for each in value}
    return None if len(inner) > 1 or None in inner else (len(value), *next(iter(inner), ()))


def _is_plain_key(key):
    return key is None or isinstance(key, slice) or is_integer(key)


def _static_rows(column):
    """The number of flat rows of a column, or of its spec, if it is known. The shape of a ragged tensor would take long."""
    if isinstance(column, tf.RaggedTensor):
        ends = column.row_splits.shape[0]
        return None if ends is None else ends - 1
    return column.shape[0]


def _shape_of(structs):
    """The static shape of a value or of its spec."""
    if structs.rank == 0:
        return tf.TensorShape([])
    rows = None
    if structs.row_splits:
        splits = structs.row_splits[0].shape[0]
        rows = None if splits is None else splits - 1
    else:
        for field in structs._flat_fields.values():
            rows = _static_rows(field) if rows is None else rows
    return tf.TensorShape([rows] + [None] * (structs.rank - 1))


def _fields_text(structs, sizes):
    """The names of the fields with their dtypes and the sizes of their axes. sizes: of the axes of the structs."""
    fields = []
    for name in structs.field_names():
        field = structs._flat_fields[name]
        if isinstance(field, StructuredTensor):
            fields.append(f"{name}: {{{_fields_text(field, [*sizes, *field.shape.as_list()[1:]])}}}")
        else:
            own = ["..."] if field.shape.rank is None else field.shape.as_list()[1:]
            fields.append(f"{name}: {field.dtype.name} {[*sizes, *own]}")
    return ", ".join(fields)


def _constant(tensor, dtype=None):
    """The tensor as a structtensor.Tensor. Numbers are shared, because TensorFlow's tensors never change.

    dtype: "string" for strings that are text, and the dtypes of times for numbers. Default: the one that TensorFlow shows.
    """
    array = np.asarray(tensor)
    if tensor.dtype == tf.string:
        elements = array.reshape(-1).tolist()
        if dtype == "string":
            elements = [each.decode() for each in elements]
        return st.constant(elements, dtype=dtype or "bytes", shape=array.shape)
    if tensor.dtype == tf.bfloat16:
        array = array.view("uint16")
    made = _core._tensor_from_memory(dtype_name(tensor.dtype), array.shape, array.reshape(-1), share=array.size > 0)
    return made if dtype in (None, made.dtype) else st.cast(made, dtype)


def _readable_constant(tensor, dtype=None):
    """_constant() for messages: strings are text where all of them can be."""
    if tensor.dtype == tf.string:
        try:
            return _constant(tensor, "string")
        except UnicodeDecodeError:
            pass
    return _constant(tensor, dtype)


def _in_partitions(value, row_splits):
    for splits in reversed(row_splits):
        partition = st.RowPartition.from_row_splits(_constant(tf.cast(splits, tf.int64)))
        value = st.partition_outer_dimension(value, partition)
    return value


def column_to_structtensor(column, constant=_constant, spec=None):
    """A column as a value of structtensor.

    constant: makes a structtensor.Tensor from its elements, with a dtype if there is one. spec: a structtensor.TypeSpec that
    has the dtype.
    """
    if isinstance(column, StructuredTensor):
        return column._to_structtensor(constant, spec if isinstance(spec, st.StructuredTensorSpec) else None)
    partitions = column.nested_row_splits if isinstance(column, tf.RaggedTensor) else ()
    return _in_partitions(constant(flat_values(column), None if spec is None else spec.dtype), partitions)


def column_from_structtensor(value, path):
    """The structs or the column of a value with at least one axis.

    Fields are read from the flat rows, so their row partitions are their own. With the axes of the structs in front, a dense
    field of uniform structs would be dense in these axes, too, and have no partitions for them.
    """
    where = path_text(path)
    if isinstance(value, st.StructuredTensor):
        flat = st.merge_dims(value, 0, -1)
        present = of_structs(flat)
        if present is not None and not present.all():
            raise ValueError(f"{where}: structs are absent, which TensorFlow cannot represent")
        # A name in a key is plain text; field_value() would parse it as a path.
        fields = {name: column_from_structtensor(flat[(name,)], [*path, name]) for name in flat.field_names()}
        splits = [_tensor(partition.row_splits) for partition in value.row_partitions]
        return StructuredTensor._of(splits, fields, lambda: flat.nrows)
    ragged = isinstance(value, st.RaggedTensor)
    if not ragged and not isinstance(value, st.Tensor):
        spec = _type_spec.spec_of(value).with_unknown_sizes()
        components = _core._extension_components(_type_spec.for_bindings(value))
        names = component_names(spec, len(components))
        columns = [column_from_structtensor(each, [*path, name]) for name, each in zip(names, components, strict=True)]
        return structs_of_components(spec, columns)
    flat = value.flat_values if ragged else value
    if flat.validity is not None and not flat.validity.to_numpy().all():
        raise ValueError(
            f'{where}: elements are absent, which TensorFlow cannot represent; fill them, or decode with optionals="ragged"'
        )
    return in_rows(_tensor(flat), [_tensor(partition.row_splits) for partition in value.row_partitions] if ragged else [])


def structs_of_components(spec, columns):
    """The rows of a value of an own type as structs of its components, which the operations on structs take.

    spec: the structtensor.TypeSpec of the value, without sizes. columns: its components.
    """
    fields = dict(zip(component_names(spec, len(columns)), columns, strict=True))
    structs = StructuredTensor((), fields)
    hidden = StructuredTensor((), {base64.b64encode(spec.to_bytes()).decode(): tf.ones([structs._flat_rows()], tf.bool)})
    return StructuredTensor((), {**structs._flat_fields, _HIDDEN: hidden})


def component_names(spec, count):
    """The names of the fields that hold the components of an own type, else their numbers."""
    element = spec.element if isinstance(spec, st.ExtensionRowsSpec) else spec
    names = element._names_of_components()
    return names if names is not None and len(names) == count else list(map(str, range(count)))


_SHARED_BYTES = 16384  # for less, a copy is faster than sharing


def _tensor(flat):
    if flat.dtype in ("string", "bytes"):
        # Nested lists have no axes after one of size 0.
        shape = list(flat.shape)
        return tf.constant(flat.to_py(), tf.string, shape) if flat.size > 0 else tf.zeros(shape, tf.string)
    dtype = dtype_of(flat.dtype)
    array = flat._stored_array().view(dtype.as_numpy_dtype)
    aligned = array.ctypes.data % 64 == 0 and array.nbytes >= _SHARED_BYTES
    if not aligned or dtype in (tf.bool, tf.bfloat16) or not tf.executing_eagerly():
        return tf.constant(array, dtype)
    return tf.experimental.dlpack.from_dlpack(np.asarray(_Writable(array)).__dlpack__())


class _Writable:
    """Shows the memory of an array as if it could be written to.

    TensorFlow rejects DLPack capsules that say "read-only". It never reuses the memory of such a tensor for a result, so
    nothing is written.
    """

    def __init__(self, array):
        self._array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}
