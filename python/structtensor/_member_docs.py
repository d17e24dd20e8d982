"""What the methods and properties of the bindings' classes are for, in words.

A method that is a function of the package, too, says what it returns in the words of the function (_docs.py), and refers to
it. The bindings take the words from MEMBERS when they make their classes (python/src/documented_class.h): nanobind sets
docstrings only then.
"""

from . import _docs


def _of_functions(parameter, names):
    """{name: docstring} of methods that are functions of the package, which call the object `parameter`."""
    rest = "\n\nThe function structtensor.{}() says the rest; its `{}` is this object."
    return {name: _docs.FUNCTIONS[name].split("\n\n")[0] + rest.format(name, parameter) for name in names.split()}


_VALUES = {
    "equals": "Whether the other object is a value of an equal spec with equal elements, in equal places.",
    "ndim": "How many axes the value has, as rank: NumPy's name for it.",
    "nrows": "How many rows the first axis has; None of a scalar.",
    "rank": "How many axes the value has; 0 of a scalar.",
    "shape": "The sizes of the axes as a tuple; None for a ragged one.",
    "spec": "The static half of the value: all but its elements.",
    "to_json": "The value as a text of JSON: absent elements are null, structs objects, bytes texts in base64, NaN is \"NaN\".",
    "to_py": """The value as nested lists of Python's numbers, texts, bytes and dicts; None for what is absent.

A scalar is no list. Times are whole numbers of their unit.""",
}

_FOR_ALL = _of_functions("value", "expand_dims gather merge_dims partition_outer_dimension reshape squeeze with_shape_dtype")

_FOR_ARRAYS = {
    **_of_functions(
        "value",
        "cast reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance"
        " to_tensor",
    ),
    "dtype": """The name of the elements' dtype, such as "int64".""",
    "nullable": "Whether elements may be absent: the value has a validity, even where all are present.",
}

_TENSOR = {
    "item": """The only element of a scalar, as a number, text or bytes of Python; None if it is absent.

Raises TypeError for a tensor that has axes.""",
    "size": "How many elements there are: the product of the sizes.",
    "validity": "Which elements are present, as booleans of the tensor's shape; None if no element may be absent.",
}

_RAGGED_FROM = """

values is a value of rank 1 or more, or what st.constant() makes one of; it is shared, not copied. Raises ValueError for rows
that do not follow each other, or do not use all values.

Shapes: {}, values [nvals, ...], result [nrows, (ragged), ...]."""

_RAGGED = {
    "flat_values": "The elements of all rows, side by side: a Tensor of shape [nvals, ...] without ragged axes.",
    "from_nested_row_lengths": """The RaggedTensor with one ragged axis for each list of row lengths, the outermost first.

flat_values is dense, [nvals, ...]; it is shared, not copied. Raises ValueError for lengths that are negative, or whose sum is
not the number of rows within.""",
    "from_nested_row_splits": """The RaggedTensor with one ragged axis for each list of row splits, the outermost first.

flat_values is dense, [nvals, ...]; it is shared, not copied. Raises ValueError for splits that do not start at 0, decrease, or
do not end at the number of rows within.""",
    "from_row_lengths": "Row i has the next row_lengths[i] values." + _RAGGED_FROM.format("row_lengths [nrows]"),
    "from_row_limits": "Row i ends before value row_limits[i], where the next one starts."
    + _RAGGED_FROM.format("row_limits [nrows]"),
    "from_row_partition": "The rows that a RowPartition forms of the values." + _RAGGED_FROM.format("the partition's nvals"),
    "from_row_splits": "Row i has the values from row_splits[i] up to row_splits[i + 1]."
    + _RAGGED_FROM.format("row_splits [nrows + 1]"),
    "from_row_starts": "Row i starts at value row_starts[i] and ends where the next one starts."
    + _RAGGED_FROM.format("row_starts [nrows]"),
    "from_tensor": """The dense tensor as a RaggedTensor, whose first `ragged_rank` axes behind the outermost are ragged.

lengths             how many elements of each row are kept, from its start; by default all
padding             an element, or a row of them: what equals it at the ends of rows is left out
row_splits_dtype    int64 or int32

Raises ValueError if lengths and padding are both given, for a ragged_rank that is not in [1, rank), and for lengths that rows
do not have.""",
    "from_uniform_row_length": """Every row has uniform_row_length values. If that is 0, there are nrows rows, by default none.

values is a value of rank 1 or more, or what st.constant() makes one of; it is shared, not copied. Raises ValueError if the
values do not fill whole rows. Shapes: values [nvals, ...], result [nrows, uniform_row_length, ...].""",
    "from_value_rowids": """Value i is in row value_rowids[i]; nrows is by default one more than the last of these.

values is a value of rank 1 or more, or what st.constant() makes one of; it is shared, not copied. Raises ValueError for numbers
that decrease, are negative, or are not below nrows.

Shapes: value_rowids [nvals], values [nvals, ...], result [nrows, (ragged), ...].""",
    "nested_row_lengths": "The row lengths of each ragged axis, the outermost first, as a list of Tensors.",
    "nested_row_splits": "The row splits of each ragged axis, the outermost first, as a list of Tensors.",
    "nested_value_rowids": "For each ragged axis, the outermost first, the row of each value in it, as a list of Tensors.",
    "ragged_rank": "How many axes have row partitions: those behind the first one and in front of the flat values' own.",
    "row_limits": "Where each row of the first ragged axis ends in `values`: a Tensor of shape [nrows].",
    "row_partitions": "The row partitions, the outermost first: a list of `ragged_rank` RowPartitions.",
    "row_splits": "Where the rows of the first ragged axis are cut in `values`: a Tensor of shape [nrows + 1].",
    "row_starts": "Where each row of the first ragged axis starts in `values`: a Tensor of shape [nrows].",
    "uniform_row_length": "How long every row of axis 1 is; None if that is not known of all rows alike.",
    "value_rowids": "The row of each of the `values`: a Tensor of shape [nvals].",
    "values": "The rows of the first ragged axis, side by side: a Tensor, or a RaggedTensor of one ragged axis less.",
}

_STRUCTURED = {
    **_of_functions(
        "structs",
        "apply broadcast filter has index_each limit_depth map_values promote reroot select slice_path sort_by_field truncate"
        " with_only with_updates without",
    ),
    "field": """The value at a path of struct fields, with the axes of the structs around it; [] is the struct itself.

Raises KeyError for a field that is not there. select() takes keys of maps, too.""",
    "field_names": "The names of the fields, in their order, as a list.",
    "from_fields": """The StructuredTensor with these fields, {name: value}; they are shared, not copied.

rank              how many axes the structs have: the outer ones of all fields (default: 1, or what shape or row_partitions say)
shape             sizes of these axes, None for a ragged or unknown one
nrows             how many structs there are, where no field says it
row_partitions    the ragged axes of the structs, the outermost first, where no field says them
shape_dtype       int64 or int32: of the row splits

Raises ValueError if the fields do not have the axes of the structs, or disagree about them.""",
    "from_shape": """Structs without fields, of a DynamicRaggedShape or of sizes; of a ragged axis a list of row lengths.

Raises ValueError for sizes that make no shape.""",
    "kind": """What a struct is: "struct", or "map_entry" with the fields key and value; the innermost axis is then a map.""",
    "nullable": "Whether structs may be absent.",
    "row_partitions": "The row partitions of the structs' axes behind the first one, the outermost first, as a list.",
    "shape_dtype": """The dtype of the structs' row splits, "int64" or "int32".""",
    "size": "A field `new_name`, which says how many values each struct has at the path.\n\n"
    "The function structtensor.size() says the rest; its `structs` is this object.",
}

_SPECS = {
    "batch": """The spec of `batch_size` values of this spec, stacked; None is any number.

Raises ValueError for a negative size, and for specs whose values do not stack.""",
    "is_compatible_with": """Whether some value has both specs; of a value, whether it has this one.

Types, dtypes, numbers of axes and names of fields agree; sizes agree where both are known.""",
    "is_subtype_of": "Whether every value of this spec has the other one.",
    "most_specific_compatible_type": "The narrowest spec that both are subtypes of; None if there is none.",
    "shape": "The sizes of the axes as a tuple, None for unknown and ragged ones; None if their number is not known.",
    "unbatch": "The spec of a row: without the first axis. Raises ValueError for specs whose values have no rows.",
    "value_type": """The name of the type of the values, such as "Tensor".""",
    "with_unknown_sizes": """The spec without the sizes that depend on data: those of the first axis and of ragged ones.

All batches of one schema have equal specs then.""",
}

_ARRAY_SPECS = {
    "dtype": """The name of the elements' dtype, such as "int64".""",
    "nullable": "Whether elements may be absent.",
}

_ROW_PARTITIONS = "The specs of the row partitions, the outermost first, as a list."

_RAGGED_SPEC = {
    "flat_values": "The spec of the flat values, a TensorSpec.",
    "ragged_rank": "How many axes have row partitions.",
    "row_partitions": _ROW_PARTITIONS,
    "row_splits_dtype": """The dtype of row splits, "int64" or "int32".""",
}

_STRUCTURED_SPEC = {
    "fields": "The specs of the fields, {name: spec}, in their order; each has the axes of the structs in front.",
    "kind": """What a struct is: "struct", or "map_entry" with the fields key and value.""",
    "nullable": "Whether structs may be absent.",
    "row_partitions": _ROW_PARTITIONS,
    "shape_dtype": """The dtype of the structs' row splits, "int64" or "int32".""",
}

_PARTITION_SPEC = {
    "dtype": """The dtype of row splits, "int64" or "int32".""",
    "nrows": "The number of rows; None if it is not known.",
    "nvals": "The number of values; None if it is not known.",
    "uniform_row_length": "How long every row is; None if that is not known, or rows differ.",
}

_PARTITION = {
    "dtype": """The dtype of row splits and of all other forms, "int64" or "int32".""",
    "from_row_lengths": "Row i has the next row_lengths[i] values. Shapes: row_lengths [nrows].\n\n"
    "Raises ValueError for a negative length.",
    "from_row_limits": "Row i ends before value row_limits[i], where the next one starts. Shapes: row_limits [nrows].\n\n"
    "Raises ValueError for limits that decrease or are negative.",
    "from_row_splits": "Row i has the values from row_splits[i] up to row_splits[i + 1]. Shapes: row_splits [nrows + 1].\n\n"
    "Raises ValueError for splits that do not start at 0, or decrease.",
    "from_row_starts": "Row i starts at value row_starts[i] and ends where the next one starts. Shapes: row_starts [nrows].\n\n"
    "Raises ValueError for starts that do not begin at 0, decrease, or are above nvals.",
    "from_uniform_row_length": """Every row has uniform_row_length values.

Of nrows and nvals one follows from the other, if the length is not 0. Raises ValueError if neither is given, or they do not
fit.""",
    "from_value_rowids": """Value i is in row value_rowids[i]; nrows is by default one more than the last of these.

Shapes: value_rowids [nvals]. Raises ValueError for numbers that decrease, are negative, or are not below nrows.""",
    "is_optional": "Whether every row has at most one value, as an optional field does.",
    "is_uniform": "Whether the partition was made with a uniform_row_length.",
    "merge": """The partition that knows what both know about how they were made. Both have the same rows.

validate    compares all splits; otherwise only the numbers of rows and values

Raises ValueError if they differ.""",
    "nrows": "The number of rows.",
    "nvals": "The number of values.",
    "offsets_in_rows": "The place of each value in its row, from 0: a Tensor of shape [nvals].",
    "row_lengths": "How many values each row has: a Tensor of shape [nrows].",
    "row_limits": "Where each row ends: a Tensor of shape [nrows].",
    "row_splits": "Where the values are cut into rows: a Tensor of shape [nrows + 1].",
    "row_starts": "Where each row starts: a Tensor of shape [nrows].",
    "spec": "The static half of the partition: a RowPartitionSpec with its sizes.",
    "uniform_row_length": "How long every row is; None if the partition was not made with one length for all.",
    "value_rowids": "The row of each value: a Tensor of shape [nvals].",
    "with_dtype": "The same partition with row splits of that dtype, int32 or int64. Raises ValueError if one does not fit.",
}

_RAGGED_SHAPE = {
    "dtype": """The dtype of row splits, "int64" or "int32".""",
    "from_lengths": """The shape with these lengths of axes: a size, or the lengths of the rows of a ragged axis as a list.

num_row_partitions    how many axes behind the first one have row partitions, uniform ones too; by default all up to the last
                      ragged one
dtype                 of row splits: int64 or int32

Raises ValueError for lengths that are negative, or are not as many as there are rows.""",
    "from_tensor": "The shape of a value, or of what st.constant() makes one of.",
    "inner_shape": "The sizes of the dense axes within the row partitions; the first is the number of values in them.",
    "is_uniform": """Whether all rows along the axis have one length that the shape knows.

Raises IndexError for an axis that is not there.""",
    "lengths": "The lengths of the axes, as a tuple: a size, or of a ragged axis a tuple with the length of each row.",
    "num_elements": "How many elements a value of this shape has.",
    "num_row_partitions": "How many axes have row partitions.",
    "rank": "How many axes there are.",
    "row_partitions": "The row partitions, the outermost first, as a list.",
    "static_shape": "The sizes of the axes as a tuple; None for a ragged one.",
    "with_dtype": "The same shape with row splits of that dtype, int32 or int64. Raises ValueError if one does not fit.",
}

_SCHEMA = {
    "compiled_messages": "The full names of the message types for which compile() has made decoders, sorted, as a list.",
    "from_descriptor_set": """The schema of a serialized FileDescriptorSet with all imports, as protoc writes it.

message    the message type that is meant where none is named: its full name, or the end of one

Raises ValueError for bytes that are no such set, or that lack a file, and KeyError for a message that is not there.""",
    "message": "The full name of the message type that is meant where none is named; None if there is no such.",
    "messages": "The full names of all message types, sorted, as a list.",
    "resolve": """The full name of the message type that has this name, or whose name ends with it behind a dot.

Raises KeyError if there is none, and ValueError if there are several.""",
    "roots": "The full names of the message types that are no field of another one, sorted, as a list.",
    "to_descriptor_set": "The schema as a serialized FileDescriptorSet: bytes that from_descriptor_set() takes.",
    "with_annotations": """The schema with these annotations, which say how columns look, in place of those in its files.

text    the annotations, as docs/formats.md has them
name    what errors call the text

Raises ValueError, which says where, for annotations that make no sense or are about fields that are not there.""",
}

MEMBERS = {
    "Batch": {
        "errors": """Broken messages, one struct each: message (its number in the input), row, byte, path and problem.

Empty with on_error="fail".""",
        "message": "The full name of the message type that the rows are of.",
    },
    "Decoder": {
        "decode": """The messages as a Batch: a list of bytes, an Arrow column of binaries, or one buffer with `framing`.

framing    how messages follow each other in the buffer: "delimited", "tfrecord", "message", ...; or that it is a text: "json",
           "textproto", "base64", "hex". The text may be a str then.

The Batch owns its memory. Raises DecodeError for a broken message, unless on_error says otherwise, and for broken framing.""",
        "is_compiled": "Whether a decoder that Schema.compile() has made decodes, or else the engine.",
        "message": "The full name of the message type that is decoded.",
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
