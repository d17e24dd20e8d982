"""The docstrings of the classes and functions of the bindings. help() and the reference show them.

The bindings themselves only have the signatures of their functions. All docstrings are in this one file, so that the functions
of a family share the sentences that are true for all of them.
"""

import textwrap

from . import _operations

_UNARY_RULES = """

x is a Tensor, a RaggedTensor, or anything that st.constant() makes one of. x does not change. The result has the shape of x. An
element of the result is absent where the element of x is absent. Raises ValueError if the function is not defined for the dtype
of x; the message says for which dtypes it is defined."""

_BINARY_RULES = """

x and y are Tensors, RaggedTensors, or anything that st.constant() makes one of. They do not change. Their shapes are
broadcast as in NumPy; ragged axes are broadcast, too. An element of the result is absent where the element of an operand
is absent. A Python int takes the dtype of the other operand. Raises ValueError if the shapes do not fit, the dtypes
differ, or the function is not defined for the dtypes; the message says what to cast."""

_REDUCTION_RULES = """

axis is one number, several numbers, or None for all axes. With keepdims, each of these axes stays, with size 1. Absent elements
do not count. input_tensor is a Tensor or a RaggedTensor. It does not change. Raises ValueError for an axis that it does not
have, an axis that is given twice, or a dtype that the function is not defined for."""

_PATH_RULES = """

A path is a text like "docs.tokens", or a list of steps. `structs` does not change; the result shares all fields that the
function does not change. Raises KeyError for a field that does not exist; the message lists the fields that exist. Raises
ValueError for invalid paths and names."""

_STRING_RULES = """

input is a Tensor or a RaggedTensor of strings or bytes, or anything that st.constant() makes one of. It does not change. The
result has its shape. An element of the result is absent where the element of input is absent. Raises ValueError if the elements
are neither strings nor bytes."""

_PATHS = {
    "apply": """Returns `structs` with a field at the path `target`: the result of function(...) for the values at the paths
`sources`, which is one path (a string or a tuple of names) or a list of paths.

`function` gets one value for each source, with the axes of the structs around it. Its result starts with the axes of the
structs around the target. Errors that `function` raises reach the caller.""",
    "broadcast": """Copies the value at `source` to a new field at the path `target`, in each struct further in.

target    the path of the new field, in a struct inside the struct of `source`: "docs.id". A field of that name is replaced""",
    "filter": """Keeps the values at `path` where the field of booleans at the path `mask` is true; [] means the value itself.

The mask is a field of the structs at `path`, or a field beside the field at `path` that has the same axes. An absent element of
the mask counts as false.""",
    "has": "Adds the field `new_name`: for each struct that has the field at `path`, whether it has a value there.",
    "index_each": """Adds the field `new_name` beside the list at `path`: for each element, its position in its row, from 0.

With from_end, positions are counted from the end: the last element has -1.""",
    "limit_depth": "Keeps the fields whose paths have at most `depth` steps. Structs at that depth have no fields.",
    "map_values": """Adds the field `new_name` beside the field at `path`: the result of function(tensor) for its flat values.

The function returns as many rows as it gets. The new field has the row partitions of the field at `path`. Errors that
`function` raises reach the caller.""",
    "promote": """Copies the values at `source` to a new field at the path `target`, with one list for each struct there.

target    the path of the new field, in a struct around the struct of `source`: "words" for the root, "docs.words" for the
          structs at docs. A field of that name is replaced""",
    "reroot": "Returns the structs at `path` as rows of rank 1: all axes around them become one axis.",
    "size_each": "Adds the field `new_name`: the number of values that each struct has at the path.",
    "slice_path": "Keeps the elements from `begin` up to `end` in each row of the list at `path`. Bounds work as in Python's\n"
    "slices: negative ones count from the end, and all are clipped to the row.",
    "truncate": "Keeps the first `count` elements in each row of the list at `path`.",
    "with_only": """Keeps only the fields at these paths, given as arguments or as one list.

    with_only("a", "b.c")    with_only(["a", "b.c"])    with_only(("user", "id"))

A path of names may be a tuple, ("user", "id"), or a list in the list. Raises KeyError if a field does not exist.""",
    "with_updates": """Replaces, adds and removes fields, all at once: with_updates(a=[1, 2], b=None).

Fields are named by keywords, or by paths in a dict: with_updates({"a.b": change}). A keyword with dots, given by **, is a path,
too. A value replaces or adds the field. A function gets the field's value and returns the new one. None removes the field.

Raises KeyError if a field to remove, or a struct on a path, does not exist.""",
    "without": """Removes the fields at these paths, given as arguments or as one list.

    without("a", "b.c")    without(["a", "b.c"])    without(("user", "id"))

A path of names may be a tuple, ("user", "id"), or a list in the list. Raises KeyError if a field does not exist.""",
}

_STRINGS = {
    "string_ends_with": "Booleans: whether each string ends with `suffix`.",
    "string_length": """The length of each string, as int32.

unit    what is counted: "byte", or "utf8_char" for code points""",
    "string_regex_full_match": """Booleans: whether the whole string matches the regular expression.

The syntax is RE2's. The time is linear in the length of the string. Raises ValueError for an invalid pattern.""",
    "string_regex_replace": """Replaces the parts of each string that match the regular expression.

rewrite           the text that replaces a match; \\\\1 to \\\\9 are groups of the pattern
replace_global    whether every match is replaced, or only the first

The syntax is RE2's. Raises ValueError for an invalid pattern or rewrite.""",
    "string_starts_with": "Booleans: whether each string starts with `prefix`.",
    "string_substr": """`len` units of each string, starting at unit `pos`. A negative position counts from the end.

unit    "byte", or "utf8_char" for code points

The result is shorter where the string ends before. Raises ValueError for a position outside of a string.""",
}

_VALUE_RULES = """

The value is a Tensor, a RaggedTensor, a StructuredTensor where structs make sense, or anything that st.constant() makes one of.
It does not change. The result shares its memory where no element needs to move. Raises ValueError for an axis that it does not
have."""

_ON_VALUES = {
    "argsort": """The positions, as int32, that sort the elements of each row along the axis: gather() by them gives the sorted
row.

descending    the largest first

Equal elements keep their order.""",
    "boolean_mask": """Keeps the elements of `data` where `mask` is true. An absent element of the mask counts as false.

Shapes: mask has booleans and the outer axes of data, which may be ragged. The result has the axes of data. The last axis of
the mask becomes shorter, and ragged if it is not the first axis. With an axis after the first one, mask is a vector, and all
rows of this axis keep the same positions. Raises ValueError if the rows of both differ.""",
    "bounding_shape": "The length of the longest row of each axis: a tuple, or one number if `axis` is one number.",
    "cast": """Converts the elements to another dtype.

Integers wrap around. A floating point number becomes an integer without its fraction, or the nearest integer of the dtype.
Raises ValueError if there is no such conversion: strings do not become numbers.""",
    "cumsum": """For each element, the sum of all elements up to it along an axis, with the element itself.

exclusive    leave the element itself out
reverse      sum from the end of the axis""",
    "expand_dims": "The value with a new axis of size 1, before the axis with the number `axis`; -1 puts it at the end.",
    "gather": """The parts of `params` with the numbers `indices`, along an axis.

axis          the axis to choose from; by default the first axis after the batch axes
batch_dims    how many outer axes params and indices share: each batch element of indices chooses from the same one of params
bounds        "row": an index must be inside its row. "values": it may reach into other rows, as in TensorFlow's ragged gather

Shapes: params [b..., a..., n, c...], indices [b..., i...], result [b..., a..., i..., c...]. Raises IndexError for an index that
is out of bounds.""",
    "identity": "The value itself, or what st.constant() makes of it.",
    "index": """Returns value[key].

key                  a name, a number, a slice, ..., None, a list of numbers or of names, a mask, a MapKey, or a tuple of these
axes_before_names    "may_be_left_out": axes before a name that the key leaves out stay whole. "written": the key has a piece
                     for every axis before a name

Raises KeyError for a name that does not exist, and IndexError for a number that is out of range.""",
    "merge_dims": "Merges the axes from outer_axis to inner_axis into one axis. The elements keep their order.",
    "ones_like": "Ones in the shape of the input, in the given dtype or the dtype of the input; true for booleans.\n"
    "Raises ValueError for strings and bytes, which have no 1.",
    "partition_outer_dimension": """Groups the rows of `value` by a RowPartition: the result has one more axis in front.

Shapes, for a partition p: value [p.nvals, ...], result [p.nrows, (ragged), ...]. Raises ValueError if value does not have
p.nvals rows.""",
    "rank": "The number of axes of the value, as an int32 scalar: a Tensor without axes.",
    "repeat": "Repeats each element along the axis. `repeats` is one number for all elements, or one number for each.",
    "reshape": """The elements, in their order, in another shape. One size may be -1: it is computed from the others.

Raises ValueError if the shapes have different numbers of elements, or if an axis of the value is ragged.""",
    "reverse": "Reverses the order of the elements along the axis or axes. On a ragged axis, each row is reversed by itself.",
    "roll": "Moves the elements along the axis by `shift` places. Elements that leave at one end come in at the other.",
    "shape": """The lengths of the axes: a Tensor of dtype `out_type` if the value is dense, else a DynamicRaggedShape.""",
    "shuffle": "The rows in a random order. The order depends only on the seed and the number of rows.",
    "slice": """For each axis i, `size[i]` elements starting at number `begin[i]`. A size of -1 means all elements from there
on.

Raises IndexError if a range exceeds an axis that is not ragged. On a ragged axis, each row gives the elements that it has.""",
    "softmax": "exp(x) divided by its sum along the axis, so that the elements of each row add up to 1.\n"
    "The elements are floating point numbers.",
    "sort": """Sorts the elements of each row along the axis. NaN comes after all numbers, and absent elements come last.

descending    the largest first""",
    "split": """Cuts the value into pieces along an axis. Returns a list.

num_or_size_splits    the number of pieces of equal size, or a list with the size of each piece

An axis without values is cut into empty pieces. Raises ValueError if the sizes do not fit the axis, or the axis is ragged.""",
    "squeeze": "Removes these axes, or by default all axes of size 1. Raises ValueError for an axis of another size.",
    "tile": "Repeats the whole value `multiples[i]` times along each axis i.",
    "to_tensor": """Makes a RaggedTensor dense: rows are padded at their end.

default_value    the padding; by default 0, false or an empty text
shape            the sizes of the result, None for the length of the longest row; longer rows are cut""",
    "unstack": """Cuts the value along an axis into single parts, without this axis. Returns a list.

num    the number of parts, which is only checked: ValueError if there are more or fewer""",
    "with_shape_dtype": "The value with row splits of this dtype, int32 or int64. Raises ValueError if one does not fit.",
    "zeros_like": "Zeros in the shape of the input, in the given dtype or the dtype of the input; false for booleans, the\n"
    "empty string for strings.",
}

_OTHERS = {
    "batch_gather": """gather() where all axes of `indices` except the last are batch axes: each row of indices chooses from the
same row of params.

Shapes: params [b..., n, c...], indices [b..., i], result [b..., i, c...]. Raises IndexError for an index outside of its row,
and ValueError if the batch axes differ.""",
    "bincount": """Counts how often each of the numbers 0, 1, 2, ... occurs in `arr`, a Tensor or RaggedTensor of integers.

by_row       count each row by itself: the result has shape [nrows, n] instead of [n]
minlength    the smallest number of counts; the result is filled with zeros at its end
maxlength    the largest number of counts; numbers that would need more are ignored
binary       1 for each number that occurs, instead of its count
dtype        of the counts: int32 or int64

Raises ValueError for a negative number.""",
    "broadcast_dynamic_shape": """The DynamicRaggedShape that values of these two shapes have after they are broadcast together.

Raises ValueError if the shapes do not fit.""",
    "broadcast_to": """Repeats the value to fill a larger shape: axes of size 1 are repeated, and missing outer axes are added.

shape    a DynamicRaggedShape, or a list with the length of each axis; for a ragged axis, a list of row lengths

Raises ValueError if the shapes do not fit.""",
    "clip": "Each element of x, limited to the range from `low` to `high`."
    + _BINARY_RULES.replace("x and y", "x, low and high", 1),
    "concat": """Joins the values one after the other along an axis.

All values have the same number of axes and the same dtype; structs have the same fields. The axes before `axis` are equal in
all values. The axes after it may differ; they become ragged then. Raises ValueError if there are no values, or they do not fit;
the message names the first value that does not fit.""",
    "constant": """Makes a value from nested lists and dicts, numbers and strings, or NumPy arrays.

dtype        of the elements; by default bool, int64, double, string, bytes, or timestamp or duration in the finest unit of
             the elements, whichever fits
spec         the TypeSpec of the value, which may also be the second argument. Numbers are converted; a key that is missing in a
             dict becomes absent or empty
shape        the sizes of the value; a single element is repeated. Structs must have these sizes already
int_dtype, float_dtype    the dtypes of integers and of floating point numbers, if no dtype is given

A dict, or nested lists of dicts, becomes a StructuredTensor. Lists of one length become dense axes: [[1, 2], [3, 4]] is a
Tensor of the shape [2, 2], and [[1, 2], [3]] is a RaggedTensor. ragged_constant() and StructuredTensor.from_pyval() make ragged
axes of all lists in lists. None is an absent value, or an empty list where other values are lists. The elements are copied.
Raises ValueError, with the place, for elements of different types, for numbers that are too large, and for integers that would
lose digits as floating point numbers.""",
    "dynamic_partition": """Distributes the parts of `data` to num_partitions values: part i goes to value partitions[i].
Returns a list.

Shapes: partitions has the outer axes of data, ragged or not. Each value has the shape [number of parts] + the other axes of
data. Raises ValueError for a partition that is not in [0, num_partitions).""",
    "gather_nd": """The parts of params at these coordinates.

Shapes: params [a1, ..., ak, c...], indices [i..., k], result [i..., c...]. The last axis of indices is dense (of nested lists,
the innermost lists are): each of its rows has one number for each of the first k axes of params. `bounds` is as for gather().

batch_dims    how many outer axes params and indices share: the coordinates of each batch element choose from the same one of
              params

Raises IndexError for a coordinate that is out of bounds, and ValueError if the batch axes differ.""",
    "one_hot": """For each index, a row of `depth` elements: on_value at the position of the index, off_value at all other
positions.

axis        the position of the new axis; -1 is the end
dtype       of the result; by default the dtype of on_value or off_value, else float
on_value, off_value    by default 1 and 0

Shapes: indices [i...], result [i..., depth]. An index outside of [0, depth) gives a row that has only off_value.""",
    "ragged_constant": """Makes a RaggedTensor from nested lists, even if all rows have the same length.

ragged_rank       how many axes after the first one are ragged; by default all axes that are not in inner_shape
inner_shape       the sizes of the dense axes at the end
row_splits_dtype  int64 or int32

All else is as in constant().""",
    "size": """The number of elements of a value, as a scalar of the dtype `out_type`.

For the number of values at a path of each struct, see StructuredTensor.size_each().""",
    "sort_by_field": "Sorts the structs of each row by the values at `path`. Structs with equal values keep their order."
    + _PATH_RULES,
    "stack": """Puts the values side by side along a new axis.

The axes after the new axis may have different lengths; they become ragged then. Extension types are stacked by their own rules.
Raises ValueError if there are no values, or they have different dtypes, ranks or fields.""",
    "stack_dynamic_partitions": """The values of dynamic_partition() as the rows of one ragged value.

Shapes: data and partitions as in dynamic_partition(), result [num_partitions, (ragged), ...]. Raises ValueError for a partition
that is not in [0, num_partitions).""",
    "string_join": """Joins the strings of several values, element by element, with the separator between them.

inputs    Tensors or RaggedTensors of strings; their shapes are broadcast

An element of the result is absent where an element of one of the inputs is absent. Raises ValueError if there are no values, or
the shapes do not fit.""",
    "string_reduce_join": "Joins the strings along the axes, with the separator between them."
    + _REDUCTION_RULES.replace("input_tensor", "inputs"),
    "string_split": """Splits each string into parts. The parts are a new ragged axis.

sep         the separator; None for any white space
maxsplit    the largest number of cuts in one string

Shapes: input [a...], result [a..., (ragged)]. An absent string has no parts. Raises ValueError if the elements are neither
strings nor bytes.""",
    "to_sparse": """The elements of a RaggedTensor and their coordinates: (indices, values, dense_shape).

Shapes: indices int64 [n, rank], values [n], dense_shape int64 [rank]. Raises TypeError for a value that is not ragged.""",
    "where": """The elements of x where the condition is true, and of y elsewhere. Without x and y: where the condition is true.

Shapes: condition, x and y are broadcast. For structs nothing is broadcast: the condition has the outer axes of x and y, so with
one axis it chooses whole rows. A Python number or text takes the dtype of the other choice. Without x and y, the result has the
coordinates of the true elements: int64 [n, rank]. Raises ValueError if shapes or dtypes do not fit, TypeError for x without
y.""",
}

_RULES = {"unary": _UNARY_RULES, "binary": _BINARY_RULES, "reduction": _REDUCTION_RULES}


def _text_of(operation):
    rules = _STRING_RULES if operation.elements == "strings" else _RULES[operation.kind]
    return textwrap.fill(operation.sentence, 120) + rules


FUNCTIONS = {
    **{name: _text_of(operation) for name, operation in _operations.ALL.items()},
    **{name: text + _PATH_RULES for name, text in _PATHS.items()},
    **{name: text + _STRING_RULES for name, text in _STRINGS.items()},
    **{name: text + _VALUE_RULES for name, text in _ON_VALUES.items()},
    **_OTHERS,
}

CLASSES = {
    "Batch": """Decoded messages: a StructuredTensor of rank 1 that knows its message type and the errors of broken messages.

`errors` has a row for each broken message, with the number of the message in the input. to_protobuf() without a schema writes
messages of the same type. The batches of st.io.parse_examples() and st.io.from_examples() have features instead of the
message's fields, so they need a schema for that.""",
    "Decoder": """Decodes messages of one type into columns. Made by Schema.decoder().

decode() takes a list of bytes, an Arrow column of binaries, or one buffer with `format`. The Batch owns its memory, so the
input may be freed. Raises DecodeError for a broken message, unless on_error says otherwise. Keep a decoder and use it again: it
reuses its memory, which shrink() frees. Several threads may share a decoder; no thread waits for another.""",
    "DynamicRaggedShape": """A shape with the length of every row: row partitions around an inner, dense shape.

Compared by value. shape[i] is the size of axis i, if the axis is uniform. A slice of a shape is a shape.""",
    "ExtensionRows": """Rows that are values of an extension type and cannot be joined in one object of that type: their
components, with the rows as their outer axes.

rows[i] gives one value back. stack() and fields of structs make ExtensionRows.""",
    "ExtensionRowsSpec": "The static half of ExtensionRows: the spec of an element and the specs of the components.\n"
    "Compared and hashed by value.",
    "RaggedTensor": """Rows of different lengths: row partitions around flat values, which are a dense Tensor.

A RaggedTensor does not change. It shares the buffers that it is made of. shape has None for a ragged axis. Operators and NumPy
functions work elementwise. To compare whole values, use equals(). The from_ functions check their arguments: they raise
ValueError for splits that decrease, do not start at 0, or do not end at the number of values.""",
    "RaggedTensorSpec": """The static half of a RaggedTensor: shape, dtype, the number of ragged axes, the dtype of row splits,
and whether elements may be absent. Compared and hashed by value.""",
    "RowPartition": """How nvals values form nrows rows: row i has the values from row_splits[i] up to row_splits[i + 1].

A RowPartition does not change. Each of its encodings is computed when it is first asked for. The from_ functions copy their
arguments, and raise ValueError for arguments that are not a valid partition. Shapes: row_splits [nrows + 1]; row_lengths,
row_starts and row_limits [nrows]; value_rowids [nvals].""",
    "RowPartitionSpec": "The static half of a RowPartition: its sizes, as far as they are known, and its dtype.\n"
    "Compared and hashed by value.",
    "Schema": """Message types, from .proto files, a descriptor set, or classes that protoc has generated.

from_proto(), from_descriptor_set() and from_class() make a schema, and decoder() makes a decoder from it. A schema does not
change. from_proto() raises FileNotFoundError for a file that does not exist. All three raise ValueError for an invalid schema;
the message has the place.""",
    "StructuredTensor": """Structs of any rank, with one column for each field: rows of messages, nested lists and maps.

structs["field"] is a column, structs[i] is one struct, structs["docs", :, "tokens"] reaches inner fields. A StructuredTensor
does not change. The result of an operation shares all that the operation does not change. `==` and equals() compare whole
values.""",
    "StructuredTensorSpec": """The static half of a StructuredTensor: its shape, the specs of its fields, and whether structs
may be absent.

Compared and hashed by value.""",
    "Tensor": """A dense array of one dtype. Its elements may be absent (`validity`).

A Tensor does not change. to_numpy() shares memory, read-only, if NumPy has the dtype and no element is absent. Operators and
NumPy functions work elementwise; an element of the result is absent where an element of an operand is absent. To compare whole
values, use equals().""",
    "TensorSpec": "The static half of a Tensor: shape, dtype, and whether elements may be absent.\n"
    "Compared and hashed by value.",
}
