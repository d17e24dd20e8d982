"""The docstrings of the methods and properties of the bindings' classes.

Some methods are functions of the package, too. Such a method takes the first paragraph of the function's docstring (_docs.py)
and refers to the function. The bindings read MEMBERS while they make their classes (python/src/documented_class.h), because
nanobind sets docstrings only then.
"""

from . import _docs
from . import _operations


def _of_functions(names):
    """{name: docstring} for methods that are functions of the package, too."""
    return {name: f"{_first_paragraph(name)}\n\n{_reference(name)}" for name in names.split()}


def _first_paragraph(name):
    return _docs.FUNCTIONS[name].split("\n\n")[0]


def _reference(name):
    place = ".".join(filter(None, ("structtensor", *_operations.place_of(name))))
    return f"For details see the function {place}(); its first argument is this object."


_VALUES = {
    "equals": "Whether the other object is a value with an equal spec and equal elements in the same places.",
    "ndim": "The number of axes, the same as rank. This is NumPy's name for it.",
    "nrows": "The number of rows of the first axis; None for a scalar.",
    "rank": "The number of axes; 0 for a scalar.",
    "shape": "The sizes of the axes, as a tuple; None for a ragged axis.",
    "spec": "The static half of the value: everything except its elements.",
    "to_json": "The value as a JSON text. Absent elements are null, structs are objects, bytes are base64, NaN is \"NaN\".",
    "to_py": """The value as nested lists of Python numbers, strings, bytes and dicts; None for absent elements.

A scalar gives its element, without a list. Timestamps are datetimes in UTC, durations are timedeltas. Times of nanoseconds,
and times that are out of the range of Python's, are numpy.datetime64 and numpy.timedelta64.""",
}

_FOR_ALL = _of_functions("expand_dims gather merge_dims partition_outer_dimension reshape squeeze with_shape_dtype")

_FOR_ARRAYS = {
    **_of_functions(
        "cast reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance"
        " to_tensor",
    ),
    "dtype": """The name of the elements' dtype, such as "int64".""",
    "nullable": "Whether elements may be absent: whether the value has a validity, even if all elements are present.",
}

_TENSOR = {
    "item": """The element of a scalar, as to_py() gives it; None if it is absent.

Raises TypeError for a tensor that has axes.""",
    "size": "The number of elements: the product of the sizes.",
    "validity": "Which elements are present, as booleans of the tensor's shape; None if no element may be absent.",
}

_RAGGED_FROM = """

values is a value of rank 1 or more, or anything that st.constant() makes one of. It is shared, not copied. Raises ValueError if
the rows do not follow each other, or do not use all values.

Shapes: {}, values [nvals, ...], result [nrows, (ragged), ...]."""

_RAGGED = {
    "flat_values": "The elements of all rows, one after the other: a Tensor of shape [nvals, ...] without ragged axes.",
    "from_nested_row_lengths": """The RaggedTensor with one ragged axis for each list of row lengths, the outermost first.

flat_values is dense, [nvals, ...]. It is shared, not copied. Raises ValueError for negative lengths, and for lengths whose sum
is not the number of rows of the next inner axis.""",
    "from_nested_row_splits": """The RaggedTensor with one ragged axis for each list of row splits, the outermost first.

flat_values is dense, [nvals, ...]. It is shared, not copied. Raises ValueError for splits that do not start at 0, decrease, or
do not end at the number of rows of the next inner axis.""",
    "from_row_lengths": "Row i has the next row_lengths[i] values." + _RAGGED_FROM.format("row_lengths [nrows]"),
    "from_row_limits": "Row i ends before value row_limits[i], where row i + 1 starts."
    + _RAGGED_FROM.format("row_limits [nrows]"),
    "from_row_partition": "The rows that a RowPartition forms of the values." + _RAGGED_FROM.format("the partition's nvals"),
    "from_row_splits": "Row i has the values from row_splits[i] up to row_splits[i + 1]."
    + _RAGGED_FROM.format("row_splits [nrows + 1]"),
    "from_row_starts": "Row i starts at value row_starts[i] and ends where row i + 1 starts."
    + _RAGGED_FROM.format("row_starts [nrows]"),
    "from_tensor": """The dense tensor as a RaggedTensor. The first `ragged_rank` axes after the outermost axis are ragged.

lengths             how many elements of each row are kept, from its start; by default all
padding             a scalar, or an array with the shape of one element: elements equal to it are cut off at the ends of rows
row_splits_dtype    int64 or int32

Raises ValueError if lengths and padding are both given, for a ragged_rank that is not in [1, rank), and for lengths that are
negative or exceed the rows.""",
    "from_uniform_row_length": """Every row has uniform_row_length values. If it is 0, there are nrows rows, by default none.

values is a value of rank 1 or more, or anything that st.constant() makes one of. It is shared, not copied. Raises ValueError if
the values do not fill whole rows. Shapes: values [nvals, ...], result [nrows, uniform_row_length, ...].""",
    "from_value_rowids": """Value i is in row value_rowids[i]. By default, nrows is the last row id plus one.

values is a value of rank 1 or more, or anything that st.constant() makes one of. It is shared, not copied. Raises ValueError
for row ids that decrease, are negative, or are not below nrows.

Shapes: value_rowids [nvals], values [nvals, ...], result [nrows, (ragged), ...].""",
    "nested_row_lengths": "The row lengths of each ragged axis, the outermost first, as a list of Tensors.",
    "nested_row_splits": "The row splits of each ragged axis, the outermost first, as a list of Tensors.",
    "nested_value_rowids": "For each ragged axis, the outermost first, the row of each value in it, as a list of Tensors.",
    "ragged_rank": "The number of axes that are row partitions. They follow the first axis; the dense axes follow them.",
    "row_limits": "Where each row of the first ragged axis ends in `values`: a Tensor of shape [nrows].",
    "row_partitions": "The row partitions, the outermost first: a list of `ragged_rank` RowPartitions.",
    "row_splits": "Where the rows of the first ragged axis are cut in `values`: a Tensor of shape [nrows + 1].",
    "row_starts": "Where each row of the first ragged axis starts in `values`: a Tensor of shape [nrows].",
    "uniform_row_length": "The length of every row of axis 1; None if no single length is known for all rows.",
    "value_rowids": "The row of each value in `values`: a Tensor of shape [nvals].",
    "values": "The values of the first ragged axis, one row after the other: a Tensor, or a RaggedTensor with one ragged axis\n"
    "less.",
}

_STRUCTURED = {
    **_of_functions(
        "apply broadcast filter has index_each limit_depth map_values promote reroot size_each slice_path sort_by_field"
        " truncate with_only with_updates without",
    ),
    "field_value": """The value of a field, with the axes of the structs around it.

field_name    a name or a path, such as "docs[0].tokens" or 'ratings["ann"]'; [] is the struct itself. A bracket after a
              field is for the next axis of the field

Raises KeyError for a field that does not exist, IndexError for a position outside its axis, ValueError for other steps that do
not fit the value.""",
    "field_names": "The names of the fields, in their order, as a tuple.",
    "fields": "The fields, {name: value}, in their order. Each value starts with the axes of the structs.",
    "from_fields": """The StructuredTensor with these fields, {name: value}. The fields are shared, not copied.

rank              the number of axes of the structs: outer axes of all fields; by default 1, or what shape or row_partitions say
shape             the sizes of these axes, None for a ragged or unknown axis
nrows             the number of structs, if no field has it
row_partitions    the ragged axes of the structs, the outermost first, if no field has them
shape_dtype       the dtype of the row splits: int64 or int32

Raises ValueError if a field does not have the axes of the structs, or the axes of two fields differ.""",
    "from_pyval": """The value of nested lists and dicts, in which all lists in lists are ragged axes, whatever their lengths.

typespec    the spec of the value; by default it is inferred

All else is as in structtensor.constant(), which makes dense axes of lists of one length.""",
    "from_shape": """Structs without fields. The shape is a DynamicRaggedShape, or a list with the length of each axis; for a
ragged axis, a list of row lengths.

Raises ValueError for an invalid shape.""",
    "kind": """What a struct is: "struct", or "map_entry" with the fields key and value. The innermost axis of map entries is a
map.""",
    "nullable": "Whether structs may be absent.",
    "row_partitions": "The row partitions of the structs' axes after the first one, the outermost first, as a list.",
    "row_splits": "Where the rows of axis 1 are cut in `values`: a Tensor of shape [nrows + 1]. Structs of rank 1 have none.",
    "shape_dtype": """The dtype of the structs' row splits, "int64" or "int32".""",
    "values": "The structs of axis 1, one row after the other, with one axis less. Structs of rank 1 have none.",
}

_SPECS = {
    "batch": """The spec of `batch_size` stacked values of this spec; None means any number of values.

Raises ValueError for a negative size, and for specs whose values cannot be stacked.""",
    "is_subtype_of": "Whether every value of this spec is also a value of the other spec.",
    "most_specific_compatible_type": "The narrowest spec that both specs are subtypes of; None if there is none.",
    "shape": "The sizes of the axes, as a tuple; None for an unknown or ragged axis. None if the number of axes is not known.",
    "unbatch": "The spec of one row: without the first axis. Raises ValueError for specs whose values have no rows.",
    "with_unknown_sizes": """The spec without the sizes that depend on data: the sizes of the first axis and of ragged axes.

After this call, the specs of all batches of one schema are equal.""",
}

_ARRAY_SPECS = {
    "dtype": """The name of the elements' dtype, such as "int64".""",
    "nullable": "Whether elements may be absent.",
}

_ROW_PARTITIONS = "The specs of the row partitions, the outermost first, as a list."

_RAGGED_SPEC = {
    "flat_values": "The spec of the flat values, a TensorSpec.",
    "ragged_rank": "The number of axes that are row partitions.",
    "row_partitions": _ROW_PARTITIONS,
    "row_splits_dtype": """The dtype of row splits, "int64" or "int32".""",
}

_STRUCTURED_SPEC = {
    "fields": "The specs of the fields, {name: spec}, in their order. Each spec starts with the axes of the structs.",
    "kind": """What a struct is: "struct", or "map_entry" with the fields key and value.""",
    "nullable": "Whether structs may be absent.",
    "row_partitions": _ROW_PARTITIONS,
    "shape_dtype": """The dtype of the structs' row splits, "int64" or "int32".""",
}

_PARTITION_SPEC = {
    "dtype": """The dtype of row splits, "int64" or "int32".""",
    "nrows": "The number of rows; None if it is not known.",
    "nvals": "The number of values; None if it is not known.",
    "uniform_row_length": "The length of every row; None if it is not known, or rows differ.",
}

_PARTITION = {
    "dtype": """The dtype of row splits and of all other encodings, "int64" or "int32".""",
    "from_row_lengths": "Row i has the next row_lengths[i] values. Shapes: row_lengths [nrows].\n\n"
    "Raises ValueError for a negative length.",
    "from_row_limits": "Row i ends before value row_limits[i], where row i + 1 starts. Shapes: row_limits [nrows].\n\n"
    "Raises ValueError for limits that decrease or are negative.",
    "from_row_splits": "Row i has the values from row_splits[i] up to row_splits[i + 1]. Shapes: row_splits [nrows + 1].\n\n"
    "Raises ValueError for splits that do not start at 0, or decrease.",
    "from_row_starts": "Row i starts at value row_starts[i] and ends where row i + 1 starts; the last row ends at nvals.\n\n"
    "Shapes: row_starts [nrows]. Raises ValueError for starts that do not begin at 0, decrease, or are above nvals.",
    "from_uniform_row_length": """Every row has uniform_row_length values.

If the length is not 0, one of nrows and nvals is enough. Raises ValueError if neither is given, or they do not fit.""",
    "from_value_rowids": """Value i is in row value_rowids[i]. By default, nrows is the last row id plus one.

Shapes: value_rowids [nvals]. Raises ValueError for row ids that decrease, are negative, or are not below nrows.""",
    "is_optional": "Whether the rows are the states of an optional field: each row has at most one value.",
    "is_uniform": "Whether the partition was made with a uniform_row_length.",
    "merge": """Two partitions with the same rows in different encodings: returns the one that knows more.

validate    compare every row; otherwise only the numbers of rows and values

Raises ValueError if they differ.""",
    "nrows": "The number of rows.",
    "nvals": "The number of values.",
    "offsets_in_rows": "The position of each value in its row, from 0: a Tensor of shape [nvals].",
    "row_lengths": "The number of values in each row: a Tensor of shape [nrows].",
    "row_limits": "Where each row ends: a Tensor of shape [nrows].",
    "row_splits": "Where the values are cut into rows: a Tensor of shape [nrows + 1].",
    "row_starts": "Where each row starts: a Tensor of shape [nrows].",
    "spec": "The static half of the partition: a RowPartitionSpec with its sizes.",
    "uniform_row_length": "The length of every row; None if the partition was not made with one length for all rows.",
    "value_rowids": "The row of each value: a Tensor of shape [nvals].",
    "with_dtype": "The same partition with row splits of this dtype, int32 or int64. Raises ValueError if one does not fit.",
}

_RAGGED_SHAPE = {
    "dtype": """The dtype of row splits, "int64" or "int32".""",
    "from_lengths": """The shape with these lengths: for each axis one size, or for a ragged axis a list of row lengths.

num_row_partitions    how many axes after the first one are row partitions, uniform or ragged; by default all up to the last
                      ragged axis
dtype                 of row splits: int64 or int32

Raises ValueError for negative lengths, and for lists that do not have one length for each row.""",
    "from_tensor": "The shape of a value, or of anything that st.constant() makes one of.",
    "inner_shape": "The sizes of the dense axes inside the row partitions. The first size is the number of their values.",
    "is_uniform": """Whether all rows along the axis have one length that the shape knows.

Raises IndexError for an axis that does not exist.""",
    "lengths": "The lengths of the axes, as a tuple: for each axis one size, or for a ragged axis a tuple of row lengths.",
    "num_elements": "The number of elements of a value that has this shape.",
    "num_row_partitions": "The number of axes that are row partitions.",
    "rank": "The number of axes.",
    "row_partitions": "The row partitions, the outermost first, as a list.",
    "static_shape": "The sizes of the axes, as a tuple; None for a ragged axis.",
    "with_dtype": "The same shape with row splits of this dtype, int32 or int64. Raises ValueError if one does not fit.",
}

_SCHEMA = {
    "from_descriptor_set": """The schema of a serialized FileDescriptorSet with all imports, as protoc writes it.

message    the default message type: its full name, or the end of its full name

Raises ValueError for bytes that are not a FileDescriptorSet, or if a file is missing. Raises KeyError for a message type that
does not exist.""",
    "message": "The full name of the default message type, which is used where none is named; None if there is none.",
    "messages": "The full names of all message types, sorted, as a list.",
    "resolve": """The full name of the message type with this name. The name may be the end of the full name, after a dot.

Raises KeyError if there is no such type, and ValueError if there are several.""",
    "roots": "The full names of the message types that are not the type of a field of another one, sorted, as a list.",
    "to_descriptor_set": "The schema as a serialized FileDescriptorSet: bytes that from_descriptor_set() takes.",
    "optionals": "What with_optionals() has said of the schema; None if nothing has been said.",
    "with_optionals": """The schema with this form of optional fields, for decoders and scans whose options do not say another.

"nullable"    values that may be absent, the default of this package
"ragged"      vectors of length 0 or 1, as in the RFC "StructuredTensor"; the default of structtensor.tf, as TensorFlow has no
              absent values
"default"     values, which are the field's default where it is absent

Raises ValueError for another form.""",
    "with_annotations": """The schema with these annotations instead of the annotations in its files. Annotations change what
columns look like.

text    the annotations, in the format of docs/formats.md
name    the name of the text in errors

Raises ValueError, with the place, for invalid annotations and for annotations of fields that do not exist.""",
}

MEMBERS = {
    "Batch": {
        "errors": """One struct for each broken message: message_index (its number in the input), row, byte, path, code and
problem.

Batches of files have the file instead of the row. A batch of a scan has the messages that were read since the batch before;
the iterator has those of all messages so far. Empty with on_error="fail".""",
        "dropped_values": """One struct for each message type with values that the schema does not know.

Its fields are message, unknown_fields, unknown_enum_numbers (of closed enums), and the place of the first one: field, first.

A batch of a scan counts those of the messages that were read since the batch before; the iterator those of all messages so far.
Empty with unknown_fields=True.""",
        "inexact_times": """One struct for each field with times that differ from those of the messages.

Its fields are field, unit, set_to_null (times that 64 bits of the unit cannot hold) and truncated (times that had digits below
the unit). A batch of a scan counts those of the messages that were read since the batch before; the iterator those of all
messages so far.""",
        "damaged_files": """One dict for each file from which on_damaged_file="rest" or "skip" left something out.

Its keys are file, message_index and byte, the place of the damage, code, problem, and left_out: "rest" or "file". A batch of a
scan has the files that were found since the batch before; the iterator has all files so far. Empty for messages in memory.""",
        "message": "The full name of the message type of the rows.",
    },
    "Decoder": {
        "decode": """Decodes messages into a Batch: a list of bytes, an Arrow column of binaries, or one buffer with `format`.

format     how messages follow each other in the buffer: "delimited", "tfrecord", "message", ...; or the format of a buffer that
           is a text: "json", "textproto", "base64", "hex". The text may be a str then.
confluent  whether each message begins with the header of Confluent's serializers. The header is not part of the message. A
           message without a header, or whose header names another message type, is a broken message.

The Batch owns its memory. Raises DecodeError for a broken message, unless on_error says otherwise, and for broken framing.""",
        "message": "The full name of the message type that is decoded.",
        "shrink": """Frees the memory that the decoder keeps for its next batches and that no batch uses.

For decoders that are idle after large batches. The decoder stays usable. If another thread is decoding with it, the memory is
freed when that thread is done.""",
        "spec": "The spec of all batches, without the sizes that depend on data.",
    },
    "DynamicRaggedShape": _RAGGED_SHAPE,
    "ExtensionRows": _VALUES,
    "ExtensionRowsSpec": _SPECS,
    "RaggedTensor": {**_VALUES, **_FOR_ALL, **_FOR_ARRAYS, **_RAGGED},
    "RaggedTensorSpec": {**_SPECS, **_ARRAY_SPECS, **_RAGGED_SPEC},
    "RowPartition": _PARTITION,
    "RowPartitionSpec": {**_SPECS, **_PARTITION_SPEC},
    "Schema": _SCHEMA,
    "StructuredTensor": {**_VALUES, **_FOR_ALL, **_STRUCTURED},
    "StructuredTensorSpec": {**_SPECS, **_STRUCTURED_SPEC},
    "Tensor": {**_VALUES, **_FOR_ALL, **_FOR_ARRAYS, **_TENSOR},
    "TensorSpec": {**_SPECS, **_ARRAY_SPECS},
}
