"""What the classes and functions of the bindings are for, in words: their docstrings, which help() and the reference show.

The bindings know the signatures of their functions and no more. What they do is said here, in one place, so that a family of
functions shares the sentences that hold for all of them.
"""

_UNARY_RULES = """

x is a Tensor or a RaggedTensor, or what st.constant() makes one of; the result has its shape, and is absent where x is. x does
not change. Raises ValueError if the function is not defined for the dtype of x; the message says for which it is."""

_BINARY_RULES = """

x and y are Tensors or RaggedTensors, or what st.constant() makes such of. Their shapes are broadcast as in NumPy, ragged axes
too; an element is absent where that of x or of y is. A whole number of Python takes the dtype of the other operand. x and y do
not change. Raises ValueError if the shapes do not fit, the dtypes differ, or the function is not defined for them; the message
says what to cast."""

_REDUCTION_RULES = """

axis is a number, several, or None for all axes; keepdims leaves axes of size 1 in their place. Absent elements do not count.
value is a Tensor or a RaggedTensor, which does not change. Raises ValueError for an axis that value does not have, one that is
named twice, or a dtype that the function is not defined for."""

_PATH_RULES = """

Paths are texts like "docs.tokens", or lists of steps. All fields that are not touched are shared with `structs`, which does not
change. Raises KeyError for a field that is not there, with those that are, and ValueError for paths and names that make no
sense."""

_STRING_RULES = """

x is a Tensor or a RaggedTensor of texts or bytes, or what st.constant() makes one of; the result has its shape, and is absent
where x is. x does not change. Raises ValueError if the elements are neither texts nor bytes."""

_UNARY = {
    "abs": "The absolute value of each element, of the same dtype.",
    "acos": "The arc cosine of each element, in radians from 0 to pi; NaN outside of [-1, 1].",
    "acosh": "The inverse hyperbolic cosine of each element; NaN below 1.",
    "asin": "The arc sine of each element, in radians from -pi/2 to pi/2; NaN outside of [-1, 1].",
    "asinh": "The inverse hyperbolic sine of each element.",
    "atan": "The arc tangent of each element, in radians from -pi/2 to pi/2.",
    "atanh": "The inverse hyperbolic tangent of each element; NaN outside of [-1, 1].",
    "cbrt": "The cube root of each element.",
    "ceil": "The smallest whole number that is not below each element, of the same dtype.",
    "cos": "The cosine of each element, an angle in radians.",
    "cosh": "The hyperbolic cosine of each element.",
    "erf": "The error function of each element.",
    "erfc": "One minus the error function of each element, exact where that is small.",
    "exp": "e to the power of each element.",
    "expm1": "e to the power of each element, minus one, exact near 0.",
    "floor": "The largest whole number that is not above each element, of the same dtype.",
    "invert": "Each element with all its bits the other way round; of booleans, the opposite.",
    "is_finite": "Whether each element is neither infinite nor NaN, as booleans.",
    "is_inf": "Whether each element is infinite, as booleans.",
    "is_nan": "Whether each element is NaN, as booleans.",
    "lgamma": "The natural logarithm of the absolute value of the gamma function of each element.",
    "log": "The natural logarithm of each element; NaN below 0.",
    "log10": "The logarithm to base 10 of each element; NaN below 0.",
    "log1p": "The natural logarithm of one plus each element, exact near 0.",
    "log2": "The logarithm to base 2 of each element; NaN below 0.",
    "logical_not": "The opposite of each element, a boolean.",
    "negative": "Each element with the other sign.",
    "reciprocal": "One divided by each element.",
    "round": "The nearest whole number to each element, of the same dtype; halves go to the even one.",
    "rsqrt": "One divided by the square root of each element.",
    "sigmoid": "1 / (1 + exp(-x)) of each element.",
    "sign": "-1, 0 or 1 for each element, of the same dtype.",
    "sin": "The sine of each element, an angle in radians.",
    "sinh": "The hyperbolic sine of each element.",
    "sqrt": "The square root of each element; NaN below 0.",
    "square": "Each element times itself.",
    "tan": "The tangent of each element, an angle in radians.",
    "tanh": "The hyperbolic tangent of each element.",
    "trunc": "Each element without its fraction, of the same dtype.",
}

_BINARY = {
    "add": "The sum of x and y, element by element; integers wrap around.",
    "atan2": "The angle of the point (y = x, x = y) to the axis, in radians from -pi to pi: the arc tangent of x / y.",
    "bitwise_and": "The bits that are in both elements, of integers or booleans.",
    "bitwise_or": "The bits that are in one of both elements or in both, of integers or booleans.",
    "bitwise_xor": "The bits that are in exactly one of both elements, of integers or booleans.",
    "divide": "x divided by y, element by element; integers make doubles.",
    "divide_no_nan": "x divided by y, element by element, and 0 where y is 0.",
    "equal": "Whether the elements of x and y are equal, as booleans.",
    "floor_divide": "x divided by y, rounded down, element by element. An integer divided by 0 is a ValueError.",
    "fmod": "What remains of x divided by y, with the sign of x. An integer divided by 0 is a ValueError.",
    "greater": "Whether each element of x is greater than that of y, as booleans.",
    "greater_equal": "Whether each element of x is greater than that of y or equal to it, as booleans.",
    "hypot": "The length of the longest side of the right-angled triangle with sides x and y: sqrt(x * x + y * y).",
    "left_shift": "The bits of x, y places to the left, of integers; 0 if that is all places. A negative y is a ValueError.",
    "less": "Whether each element of x is less than that of y, as booleans.",
    "less_equal": "Whether each element of x is less than that of y or equal to it, as booleans.",
    "logical_and": "Whether both elements, booleans, are true.",
    "logical_or": "Whether one of both elements, booleans, is true, or both.",
    "logical_xor": "Whether exactly one of both elements, booleans, is true.",
    "maximum": "The greater one of both elements.",
    "minimum": "The lesser one of both elements.",
    "mod": "What remains of x divided by y, with the sign of y. An integer divided by 0 is a ValueError.",
    "multiply": "The product of x and y, element by element; integers wrap around.",
    "not_equal": "Whether the elements of x and y differ, as booleans.",
    "power": "x to the power of y, element by element. A negative exponent of an integer is a ValueError.",
    "right_shift": "The bits of x, y places to the right, of integers; signed ones keep their sign.\n"
    "A negative y is a ValueError.",
    "squared_difference": "The square of x minus y, element by element.",
    "subtract": "x minus y, element by element; integers wrap around.",
    "truncatediv": "x divided by y without the fraction, element by element. An integer divided by 0 is a ValueError.",
}

_REDUCTIONS = {
    "reduce_all": "Whether all elements along the axes are true; true if there are none.",
    "reduce_any": "Whether any element along the axes is true; false if there are none.",
    "reduce_max": "The largest element along the axes; the smallest finite value of the dtype if there are none.",
    "reduce_mean": "The mean of the elements along the axes, a double for integers; NaN if there are none.",
    "reduce_min": "The smallest element along the axes; the largest finite value of the dtype if there are none.",
    "reduce_prod": "The product of the elements along the axes, of their dtype; 1 if there are none. Integers wrap around.",
    "reduce_std": "The standard deviation of the elements along the axes, of all of them (divided by n).\n"
    "NaN if there are none.",
    "reduce_sum": "The sum of the elements along the axes, of their dtype; 0 if there are none. Integers wrap around.",
    "reduce_variance": "The variance of the elements along the axes, of all of them (divided by n); NaN if there are none.",
}

_PATHS = {
    "apply": """A field more, at the path `target`: what function(...) returns for the values at the paths `sources`.

All sources and the target are fields of one struct. Raises what `function` raises.""",
    "broadcast": "The value at `source` again as the field `new_name` of each struct further in, at the path `target`.",
    "filter": "Only those structs at `path` ([] for the value itself) where the field at the path `mask`, booleans, is true.",
    "has": "A field more, `new_name`: for each struct around the path, whether it has a value there.",
    "index_each": """A field more beside the list at `path`, `new_name`: for each of its elements the number in its row, from 0.

With from_end, counted from the end: -1 is the last.""",
    "limit_depth": "Only the fields whose paths have at most `depth` steps; the structs at the edge have no fields.",
    "map_values": """A field `new_name` beside that at `path`: what function(tensor) returns for its flat values.

The result has as many rows as the argument, and goes into the same row partitions. Raises what `function` raises.""",
    "promote": """The values at `source` as the field `new_name` of a struct further out, with one list for each of them.

target    the path of that struct, [] for the value itself; by default the struct around that which has the field""",
    "reroot": "The structs at `path` as rows of their own: the axes around them become one.",
    "select": "The value at the path, with the axes of the structs around it: a Tensor, RaggedTensor or StructuredTensor.",
    "slice_path": "Of each row of the list at `path`, the elements from `begin` up to `end`, which clip as in Python.",
    "truncate": "Of each row of the list at `path`, the first `count` elements.",
    "with_only": "Only the fields at these paths.",
    "with_updates": """Fields replaced, added and removed, all at once.

updates    {path: value}: a value replaces or adds the field, a function gets what is there and returns the new value, None
           removes it""",
    "without": "All fields but those at these paths.",
}

_STRINGS = {
    "string_ends_with": "Whether each text ends with `suffix`, as booleans.",
    "string_length": """How long each text is, as int32.

unit    "byte", or "utf8_char" for code points""",
    "string_lower": "Each text with its ASCII letters in lower case.",
    "string_regex_full_match": """Whether each whole text matches the regular expression, as booleans.

The syntax is RE2's; the time is linear in the length of the text. Raises ValueError for a pattern that is none.""",
    "string_regex_replace": """Each text with what matches the regular expression replaced.

rewrite           what stands there instead; \\\\1 to \\\\9 are groups of the pattern
replace_global    every match, or only the first

The syntax is RE2's. Raises ValueError for a pattern or a rewrite that is none.""",
    "string_starts_with": "Whether each text starts with `prefix`, as booleans.",
    "string_strip": "Each text without white space at both ends.",
    "string_substr": """Of each text, `len` units from number `pos` on; negative positions count from the end.

unit    "byte", or "utf8_char" for code points

Raises ValueError for a position beyond a text.""",
    "string_upper": "Each text with its ASCII letters in upper case.",
}

_VALUE_RULES = """

value is a Tensor or RaggedTensor, or a StructuredTensor where structs make sense, or what st.constant() makes one of. It does
not change, and the result shares memory with it where nothing has to move. Raises ValueError for an axis that it does not
have."""

_ON_VALUES = {
    "argsort": """The places, int32, that the elements of each row along the axis have in order: gathering by them sorts. Equal
ones keep theirs.

descending    the largest first""",
    "boolean_mask": """The elements of `value` where `mask`, booleans over its outer axes, is true; what is absent is not true.

Shapes: mask has the outer axes of value, ragged ones too. The result has the axes of value; the last one of the mask is
shorter, and ragged if it is not the first. Raises ValueError if the rows of both differ.""",
    "bounding_shape": "How long the longest row of each axis is: a tuple of them, or of one axis its number.",
    "cast": """The elements in another dtype. Integers wrap around; fractions are cut towards 0, to the nearest one there is.

Raises ValueError where there is no such conversion: texts do not become numbers.""",
    "cumsum": """The sums of the elements up to each, along an axis.

exclusive    without the element itself
reverse      from the end""",
    "expand_dims": "The value with an axis of size 1 more, in front of the axis that has this number; -1 stands for the end.",
    "gather": """The rows of `value` that have these numbers, along an axis.

axis          which; by default the first one that is no batch axis
batch_dims    how many axes of `value` and `indices` are the same and walked together
bounds        "row": an index has to be in its row. "values": it may reach into those around, as TensorFlow's ragged gather lets
              it

Shapes: value [b..., a..., n, c...], indices [b..., i...], result [b..., a..., i..., c...]. Raises IndexError for a number
outside.""",
    "identity": "The value itself, or what st.constant() makes of it.",
    "index": """What value[key] is.

key                  a name, a number, a slice, ..., None, a list of numbers or of names, a mask, a MapKey, or a tuple of such
axes_before_names    "may_be_left_out", or "written": every axis in front of a name has its piece

Raises KeyError for a name and IndexError for a number that is not there.""",
    "merge_dims": "The axes from outer_axis to inner_axis as one: their rows in order.",
    "ones_like": "Ones of the shape of `value`, of its dtype or the one given; true of booleans.\n"
    "Texts have no one: ValueError.",
    "partition_outer_dimension": """The rows of `value` in the rows of a RowPartition: an axis more in front.

Shapes: value [p.nvals, ...], result [p.nrows, (ragged), ...]. Raises ValueError if value has another number of rows.""",
    "rank": "How many axes the value has, as an int32 Tensor of no axes.",
    "repeat": "Each element along the axis as many times as `repeats` says: one number, or one for each.",
    "reshape": """The elements in order, in another shape; one size may be -1, which is what remains.

Raises ValueError if the numbers of elements differ, and for ragged axes that would have to be cut.""",
    "reverse": "The elements along the axis, or axes, in the other order; of a ragged axis, each row by itself.",
    "roll": "The elements along the axis moved on by `shift` places; those that leave at the end come in at the start.",
    "shape": """How long the axes are: a Tensor of `out_type` of a dense value, else a DynamicRaggedShape.""",
    "shuffle": "The rows in an order that the seed decides: the same one for the same seed and number of rows.",
    "slice": """`size[i]` elements from number `begin[i]` on, of each axis; a size of -1 is all that are left.

Raises IndexError where that reaches beyond the value.""",
    "softmax": "exp(x) divided by its sum along the axis, so that the elements of each row add up to 1.\n"
    "Of floating point numbers.",
    "sort": """The elements of each row along the axis in order; absent ones and NaN are last.

descending    the largest first""",
    "split": """The value in pieces along an axis, as a list.

num_or_size_splits    a number of equal pieces, or the size of each

Raises ValueError if the axis cannot be cut so.""",
    "squeeze": "The value without these axes, or without all that have size 1. Raises ValueError for an axis of another size.",
    "tile": "The value one behind the other, `multiples[i]` times along each axis.",
    "to_tensor": """The dense Tensor of a RaggedTensor: each row filled up at its end.

default_value    what stands there; by default 0, false or an empty text
shape            sizes that it shall have, None for the longest row; longer rows are cut""",
    "unstack": "The pieces of the value along an axis, without that axis, as a list.",
    "with_shape_dtype": "The value with row splits of that dtype, int32 or int64. Raises ValueError if one does not fit.",
    "zeros_like": "Zeros of the shape of `value`, of its dtype or the one given; false of booleans and empty texts of texts.",
}

_OTHERS = {
    "as_string": "The text of each number or boolean, as C's printf writes it: 1.5 is 1.500000." + _UNARY_RULES,
    "batch_gather": """gather() with as many batch axes as `indices` has axes less one: each row of indices is about the row of
params beside it.

Shapes: params [b..., n, c...], indices [b..., i], result [b..., i, c...]. Raises IndexError for a number outside of its row,
and ValueError if the batch axes differ.""",
    "bincount": """How often each of the numbers 0, 1, 2, ... is in `value`, a Tensor or RaggedTensor of integers.

by_row       a count for each row of the first axis: the result has shape [nrows, n] instead of [n]
minlength    the result has at least so many numbers, zeros at the end
maxlength    larger numbers are left out
binary       1 for a number that is there at all
dtype        of the result

Raises ValueError for a negative number.""",
    "broadcast_dynamic_shape": """The DynamicRaggedShape that values of both shapes have when they are broadcast against each
other.

Raises ValueError if they do not fit.""",
    "broadcast_to": """The value in a larger shape: axes of size 1 are repeated, and axes that are missing in front are added.

shape    a DynamicRaggedShape, or a list of lengths; of a ragged axis a list

Raises ValueError if the shapes do not fit.""",
    "clip": "Each element of x, but at least `low` and at most `high`."
    + _BINARY_RULES.replace("x and y", "x, low and high", 1),
    "concat": """The values one behind the other, along an axis.

All have the same number of axes and one dtype, and structs have the same fields. The axes in front of `axis` are the same in
all; those behind it may differ, and become ragged then. Returns a new value. Raises ValueError if there are none, or they do
not fit; the message names the first that does not.""",
    "constant": """The value of nested lists and dicts, numbers and texts, or of NumPy's arrays.

dtype        of the elements; by default bool, int64, double, string or bytes, as they are
spec         the TypeSpec that the value shall have: what is missing in a dict is absent or empty, and numbers are converted
shape        sizes that the value shall have; one element is repeated
int_dtype, float_dtype    what integers and fractions become

Lists of dicts become a StructuredTensor; lists whose lengths are not given by an array or a shape, a RaggedTensor. The elements
are copied. Raises ValueError, with the place, for what is not of one type, and for a number too large.""",
    "dynamic_partition": """The parts of `data` in num_partitions values, as a list: part i goes to number partitions[i].

Shapes: partitions has the outer axes of data, ragged or not; each value is [number of parts] + the other axes of data. Raises
ValueError for a number outside of [0, num_partitions).""",
    "gather_nd": """The elements of params at these places.

Shapes: params [a1, ..., ak, c...], indices [i..., k], result [i..., c...]: the last axis of indices is dense and has a number
for each of the first k axes. Raises IndexError for one outside; `bounds` is as for gather().""",
    "one_hot": """Rows of `depth` elements, each with on_value at the place that the index says and off_value at all others.

axis        where the new axis goes; -1 is the end
dtype       of the result; by default that of the values, else float
on_value, off_value    by default 1 and 0

Shapes: indices [i...], result [i..., depth]. An index outside of [0, depth) has a row of off_value alone.""",
    "ragged_constant": """The RaggedTensor of nested lists, also where all rows are of one length.

ragged_rank       how many axes behind the first are ragged; by default all but those of inner_shape
inner_shape       the sizes of the dense axes at the end
row_splits_dtype  int64 or int32

The rest is as in constant().""",
    "size": """How many elements a value has, as a Tensor of no axes: size(value, out_type).

Of structs and a path it is a query: size(structs, path, new_name) adds a field `new_name` that says how many values each struct
has at the path.""" + _PATH_RULES,
    "sort_by_field": "The structs of each row in the order of the values at `path`; equal ones keep their order." + _PATH_RULES,
    "stack": """The values as rows of a new axis.

Their other axes may have different lengths and become ragged. Extension types are stacked by their own rules. Returns a new
value. Raises ValueError if there are none, or they have different dtypes, ranks or fields.""",
    "stack_dynamic_partitions": """The lists of dynamic_partition() as one value with a ragged axis.

Shapes: data and partitions as there, result [num_partitions, (ragged), ...]. Raises ValueError for a number outside of
[0, num_partitions).""",
    "string_join": """Texts of several values, element by element, with the separator between them.

values    Tensors or RaggedTensors of texts; their shapes are broadcast. An element is absent where one of them is

Raises ValueError if there are none, or the shapes do not fit.""",
    "string_reduce_join": "The texts along the axes as one, with the separator between them." + _REDUCTION_RULES,
    "string_split": """The parts of each text, as a ragged axis more.

sep         what stands between parts; None for any white space
maxsplit    the most cuts of one text

Shapes: x [a...], result [a..., (ragged)]. Raises ValueError if the elements are neither texts nor bytes.""",
    "to_sparse": """The elements of a RaggedTensor and their places: (indices, values, dense_shape).

Shapes: indices int64 [n, rank], values [n], dense_shape int64 [rank]. Raises TypeError for a value that is not ragged.""",
    "where": """x where the condition is true and y elsewhere; without both, the places where it is true.

Shapes: condition, x and y are broadcast; of structs, the condition has one boolean for each row. The places are int64 [n,
rank]. Raises ValueError if shapes or dtypes do not fit, TypeError for x without y.""",
}

FUNCTIONS = {
    **{name: text + _UNARY_RULES for name, text in _UNARY.items()},
    **{name: text + _BINARY_RULES for name, text in _BINARY.items()},
    **{name: text + _REDUCTION_RULES for name, text in _REDUCTIONS.items()},
    **{name: text + _PATH_RULES for name, text in _PATHS.items()},
    **{name: text + _STRING_RULES for name, text in _STRINGS.items()},
    **{name: text + _VALUE_RULES for name, text in _ON_VALUES.items()},
    **_OTHERS,
}

CLASSES = {
    "Batch": """Decoded messages: a StructuredTensor of rank 1 that knows its message type and what was wrong.

`errors` has a row for each broken message, by its number in the input; to_protobuf() without a schema writes messages of the
same type.""",
    "Decoder": """Decodes messages of one type into columns. Made by Schema.decoder(); keep it, since it reuses its memory.

decode() takes a list of bytes, an Arrow column of binaries, or one buffer with `framing`; the Batch owns what it has. The input
may go away. Raises DecodeError for a broken message, unless on_error says otherwise. Several threads may share a decoder, and
none waits for another.""",
    "DynamicRaggedShape": """A shape with the length of every row: row partitions around an inner, dense shape.

Compared by value. shape[i] is the size of axis i where it is uniform; a slice of it is a shape.""",
    "ExtensionRows": """Rows of values of an extension type that cannot be joined in one object of it: their components, with
the rows in front.

rows[i] gives the value back. Made by stack() and by fields of structs.""",
    "ExtensionRowsSpec": "The static half of ExtensionRows: the spec of the element, and those of the components.\n"
    "Compared and hashed by value.",
    "MapKey": """The key of a map's entry, in an index: rows["ratings", st.MapKey("ann")] is a ragged axis of 0 or 1 values.

key    a text or an integer, as the map has them. Raises TypeError for anything else""",
    "RaggedTensor": """Rows of different lengths: row partitions around flat values, which are a dense Tensor.

Values do not change, and share their buffers with what they are made of. shape has None for a ragged axis. Operators and
functions of NumPy work elementwise. Compare whole values by equals(). The from_ functions check what they get: ValueError for
splits that decrease, start elsewhere than at 0, or do not end at the number of values.""",
    "RaggedTensorSpec": """The static half of a RaggedTensor: shape, dtype, how many axes are ragged, the dtype of row splits,
and whether elements may be absent. Compared and hashed by value.""",
    "RowPartition": """How nvals values form nrows rows: row i has the values from row_splits[i] to row_splits[i + 1].

Does not change; each of its forms is made when it is first asked for. The from_ functions copy what they are given, and raise
ValueError for what is no partition. Shapes: row_splits [nrows + 1], row_lengths, row_starts and row_limits [nrows],
value_rowids [nvals].""",
    "RowPartitionSpec": "The static half of a RowPartition: its sizes, as far as they are known, and its dtype.\n"
    "Compared and hashed by value.",
    "Schema": """Message types, from .proto files, a descriptor set, or classes that protoc has generated.

from_proto(), from_descriptor_set() and from_class() make one; decoder() decodes by it. Nothing changes it but
compile(), and that only who decodes. from_proto() raises FileNotFoundError
for a file that is not there, and all raise ValueError, which says where, for a schema that makes no sense.""",
    "StructuredTensor": """Structs of any rank, each field a column of its own: rows of messages, nested lists and maps.

structs["field"] is the column, structs[i] one struct, structs["docs", :, "tokens"] reaches in. Values do not change; what an
operation does not touch it shares. `==` and equals() say whether all of both is equal.""",
    "StructuredTensorSpec": """The static half of a StructuredTensor: its shape, the specs of its fields, and whether structs
may be absent.

Compared and hashed by value.""",
    "Tensor": """A dense array of one dtype, whose elements may be absent (`validity`).

Values do not change. to_numpy() shares memory, read-only, where NumPy has the dtype and nothing is absent. Operators and
functions of NumPy work elementwise, an element is absent where an operand is; compare whole values by equals().""",
    "TensorSpec": "The static half of a Tensor: shape, dtype, and whether elements may be absent.\n"
    "Compared and hashed by value.",
}
