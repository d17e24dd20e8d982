"""The types that the document names, in the convenient form: a class of annotated fields. plain_types.py has the other form."""

import pickle
import typing

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from . import plain_types


@pytest.fixture
def dispatch():
    """Registers like the decorators of st, and undoes it."""
    targets = []

    def register(decorator, target):
        decorator(target)
        targets.append(target)

    yield register
    for target in targets:
        st.dispatch.unregister_dispatch_for(target)


@promise(
    "Objective",
    "Classes of one's own are supported by a protocol, without a base class",
    python="def __tf_type_spec__(self)",
    cpp="ExtensionType",
    tensorflow="tf.experimental.ExtensionType",
    differs="`st.ExtensionType` is a base class that writes the spec's class from annotated fields; it is not needed",
)
def test_plain_classes_are_values():
    masked = plain_types.MaskedTensor(st.constant([1, 2, 3]), st.constant([True, False, True]))
    assert type(masked).__mro__ == (plain_types.MaskedTensor, object)
    tensors = nest.flatten({"m": masked}, expand_composites=True)
    assert plain_types.to_py(tensors) == [[1, 2, 3], [True, False, True]]
    again = nest.pack_sequence_as({"m": masked}, tensors, expand_composites=True)["m"]
    assert type(again) is plain_types.MaskedTensor and again.values.to_py() == [1, 2, 3]


# --- General data structures


class TensorDigraph(st.ExtensionType):
    __name__ = "rfc.TensorDigraph"

    nodes: typing.Mapping[str, st.Tensor]
    edges: typing.Mapping[str, st.Tensor]
    source: st.Tensor
    target: st.Tensor

    def __validate__(self):
        if self.source.shape != self.target.shape:
            raise ValueError("there is one source and one target for each edge")


@promise(
    "Motivation",
    "The nodes and edges of a directed graph are one value, which functions handle without looking into it",
    python="class TensorDigraph(st.ExtensionType)",
    cpp="ExtensionType, ExtensionRows",
)
def test_digraphs_of_several_sizes_are_batched():
    small = TensorDigraph({"name": ["a", "b"]}, {"weight": [1.5]}, [0], [1])
    large = TensorDigraph({"name": ["x", "y", "z"]}, {"weight": [1.0, 2.0]}, [0, 1], [1, 2])
    assert [spec.dtype for spec in nest.flatten(small.spec, expand_composites=True)] == ["string", "double", "int64", "int64"]
    batch = st.stack([small, large])
    assert isinstance(batch, st.ExtensionRows) and batch.shape == (2,)
    assert [batch[0], batch[1]] == [small, large]
    assert st.unstack(batch) == [small, large]
    assert st.gather(batch, [1, 1, 0])[2] == small
    rows = st.StructuredTensor.from_fields({"id": [1, 2], "graph": batch})
    assert rows[1]["graph"] == large
    assert pickle.loads(pickle.dumps(rows))[0]["graph"] == small
    with pytest.raises(TypeError):
        TensorDigraph({1: ["a"]}, {}, [], [])


class DimensionAlignment(st.ExtensionType):
    """Which elements of two dimensions belong together, such as words and speakers."""

    __name__ = "rfc.DimensionAlignment"

    source_to_target: st.RaggedTensor
    source: str = "word"
    target: str = "speaker"

    def inverse(self, target_size):
        pairs = [(t, s) for s, targets in enumerate(self.source_to_target.to_py()) for t in targets]
        rows = [[s for t, s in pairs if t == i] for i in range(target_size)]
        return DimensionAlignment(st.ragged.constant(rows), self.target, self.source)


@promise(
    "Motivation",
    "A correspondence between two dimensions is one value, whose static data are the dimensions' names",
    python="class DimensionAlignment(st.ExtensionType)",
    cpp="ExtensionType",
)
def test_alignments_go_both_ways():
    alignment = DimensionAlignment([[0], [0, 1], []])
    assert (alignment.source, alignment.target) == ("word", "speaker")
    inverse = alignment.inverse(2)
    assert inverse.source_to_target.to_py() == [[0, 1], [1]] and inverse.target == "word"
    assert inverse.inverse(3) == alignment
    same = nest.map_structure(lambda tensor: tensor, {"a": alignment}, expand_composites=True)
    assert same == {"a": alignment}
    with pytest.raises(ValueError):
        nest.assert_same_structure(alignment, inverse, expand_composites=True)  # names are static


class Distribution(st.ExtensionType):
    def log_prob(self, x):
        raise NotImplementedError


class Normal(Distribution):
    __name__ = "rfc.Normal"

    loc: st.Tensor
    scale: st.Tensor = 1.0

    shape = property(lambda self: self.loc.shape)

    def log_prob(self, x):
        return -((x - self.loc) ** 2.0) / (2.0 * self.scale**2.0) - st.log(self.scale) - 0.5 * np.log(2 * np.pi)


class Mixture(Distribution):
    __name__ = "rfc.Mixture"

    parts: typing.Tuple[Distribution, ...]
    weights: typing.Tuple[float, ...]


@promise(
    "Motivation",
    "A statistical distribution is one value, also inside another one",
    python="class Normal(Distribution)",
    cpp="ExtensionType",
    differs="The classes of TensorFlow Probability themselves are not known; a class of fields takes their place",
)
def test_distributions_are_values():
    normal = Normal(0.0)
    assert normal.log_prob(st.constant(0.0)).to_py() == pytest.approx(-0.9189385)
    mixture = Mixture([normal, Normal(1.0, scale=2.0)], [0.25, 0.75])
    assert isinstance(mixture.parts[1], Normal) and mixture.parts[1].scale.to_py() == 2.0
    assert pickle.loads(pickle.dumps(mixture)) == mixture
    flat = nest.flatten(mixture, expand_composites=True)
    assert [tensor.to_py() for tensor in flat] == [0.0, 1.0, 1.0, 2.0]
    assert nest.pack_sequence_as(mixture.spec, flat, expand_composites=True) == mixture
    stacked = st.stack([Normal(0.0), Normal(1.0, 2.0)])
    assert stacked == Normal([0.0, 1.0], [1.0, 2.0])


# --- Tensor-like types


class MaskedTensor(st.ExtensionType):
    __name__ = "rfc.MaskedTensor"

    values: typing.Union[st.Tensor, st.RaggedTensor]
    mask: typing.Union[st.Tensor, st.RaggedTensor]
    shape = property(lambda self: self.values.shape)
    rank = property(lambda self: self.values.rank)
    dtype = property(lambda self: self.values.dtype)

    def with_default(self, default):
        return st.where(self.mask, self.values, default)


MaskedOrTensor = typing.Union[MaskedTensor, st.dispatch.TensorLike]


def _parts(value):
    return (value.values, value.mask) if isinstance(value, MaskedTensor) else (value, True)


@promise(
    "Motivation",
    "A tensor-like type has a rank, a shape, and usually a dtype",
    python="shape = property(...)",
    cpp="ExtensionType",
    differs="`shape` gives a type its axes; `rank` and `dtype` are the author's own",
)
def test_shapes_give_types_their_axes():
    masked = MaskedTensor([1, 2, 3], [True, False, True])
    assert (masked.rank, masked.shape, masked.dtype) == (1, (3,), "int64")
    assert len(masked) == 3 and st.rank(masked).to_py() == 1
    assert masked[1:] == MaskedTensor([2, 3], [False, True])
    assert list(masked) == [MaskedTensor(1, True), MaskedTensor(2, False), MaskedTensor(3, True)]


@promise(
    "Motivation",
    "A masked tensor updates its mask in operations such as `add` and `reduce_sum`",
    python="st.dispatch.dispatch_for_binary_elementwise_apis, st.dispatch.dispatch_for_api",
    differs="Beside the protocol, functions can be registered for one operation or for all elementwise ones",
)
def test_masked_updates_its_mask_in_operations(dispatch):
    def unary(api, x):
        return MaskedTensor(api(x.values), x.mask)

    def binary(api, x, y):
        (x_values, x_mask), (y_values, y_mask) = _parts(x), _parts(y)
        return MaskedTensor(api(x_values, y_values), st.logical_and(x_mask, y_mask))

    def concat(values: list[MaskedTensor], axis=0):
        return MaskedTensor(st.concat([v.values for v in values], axis), st.concat([v.mask for v in values], axis))

    def reduce_sum(input_tensor: MaskedTensor, axis=None, keepdims=False):
        return st.reduce_sum(input_tensor.with_default(0), axis, keepdims)

    dispatch(st.dispatch.dispatch_for_unary_elementwise_apis(MaskedTensor), unary)
    dispatch(st.dispatch.dispatch_for_binary_elementwise_apis(MaskedOrTensor, MaskedOrTensor), binary)
    dispatch(st.dispatch.dispatch_for_api(st.concat), concat)
    dispatch(st.dispatch.dispatch_for_api(st.reduce_sum), reduce_sum)

    x = MaskedTensor([1, 2, 3], [True, False, True])
    y = MaskedTensor([10, 20, 30], [True, True, False])
    assert st.square(x) == MaskedTensor([1, 4, 9], x.mask)
    assert x + y == MaskedTensor([11, 22, 33], [True, False, False])
    assert (x * 2).values.to_py() == (2 * x).values.to_py() == [2, 4, 6]
    assert (-x).values.to_py() == [-1, -2, -3]
    assert (st.constant([1, 1, 1]) - x).values.to_py() == [0, -1, -2]
    assert np.sqrt(MaskedTensor([4.0], [True])).values.to_py() == [2.0]
    assert (np.array([1, 2, 3]) + x).values.to_py() == [2, 4, 6]
    assert np.add(st.constant([1, 1, 1]), x) == x + 1
    assert st.concat([x, y]).mask.to_py() == [True, False, True, True, True, False]
    assert st.reduce_sum(x).to_py() == np.sum(x).to_py() == 4
    # Plain tensors are as they were.
    assert st.reduce_sum(st.constant([1, 2])).to_py() == 3
    assert (st.constant([1]) + 1).to_py() == [2]


@promise(
    "Motivation",
    "Functions that do not look at values handle tensor-like types, too, such as fields of structs",
    python='st.StructuredTensor.from_fields({"m": masked})',
    cpp="StructuredTensor::FromFields()",
    tensorflow="T.from_structtensor(rows)",
    differs="With a `shape`, a type is stacked, sliced and gathered at any rank, without dispatch",
)
def test_masked_is_a_field_at_any_rank():
    masked = MaskedTensor([1, 2, 3], [True, False, True])
    rows = st.StructuredTensor.from_fields({"id": [7, 8, 9], "m": masked})
    assert rows["m"] == masked
    assert rows[1]["m"] == MaskedTensor(2, False)
    assert rows[1:]["m"] == MaskedTensor([2, 3], [False, True])
    assert st.concat([rows, rows])["m"].values.to_py() == [1, 2, 3, 1, 2, 3]
    assert st.gather(rows, [2, 0])["m"] == MaskedTensor([3, 1], [True, True])
    grouped = rows.partition_outer_dimension(st.RowPartition.from_row_lengths([2, 0, 1]))
    assert grouped["m"] == MaskedTensor(st.ragged.constant([[1, 2], [], [3]]), st.ragged.constant([[True, False], [], [True]]))
    assert grouped.merge_dims(0, 1) == rows
    assert grouped[0]["m"].values.to_py() == [1, 2]
    assert pickle.loads(pickle.dumps(grouped)).equals(grouped)


class LabeledTensor(st.ExtensionType):
    __name__ = "rfc.LabeledTensor"

    values: st.Tensor
    axes: typing.Tuple[str, ...]

    def __validate__(self):
        if len(self.axes) != self.values.rank:
            raise ValueError(f"there are {len(self.axes)} names for {self.values.rank} axes")


@promise(
    "Motivation",
    "A labeled tensor finds axes by name, broadcasts by name, and reports axes that do not fit",
    python="st.dispatch.dispatch_for_api(st.reduce_sum)",
    cpp="ExtensionType",
)
def test_labeled_finds_axes_by_name(dispatch):
    def reduce_sum(input_tensor: LabeledTensor, axis=None, keepdims=False):
        number = input_tensor.axes.index(axis)
        rest = input_tensor.axes[:number] + input_tensor.axes[number + 1 :]
        return LabeledTensor(st.reduce_sum(input_tensor.values, number), rest)

    def binary(api, x, y):
        both = x.axes + tuple(axis for axis in y.axes if axis not in x.axes)
        if both[len(both) - len(y.axes) :] != y.axes:
            raise ValueError(f"axes differ: {x.axes} and {y.axes}")
        x_values = st.reshape(x.values, list(x.values.shape) + [1] * (len(both) - len(x.axes)))
        return LabeledTensor(api(x_values, y.values), both)

    dispatch(st.dispatch.dispatch_for_api(st.reduce_sum), reduce_sum)
    dispatch(st.dispatch.dispatch_for_binary_elementwise_apis(LabeledTensor, LabeledTensor), binary)
    labeled = LabeledTensor([[1, 2], [3, 4]], ["batch", "word"])
    assert st.reduce_sum(labeled, "word") == LabeledTensor([3, 7], ("batch",))
    assert (labeled + labeled).values.to_py() == [[2, 4], [6, 8]]
    broadcast = LabeledTensor([1, 2], ["batch"]) + LabeledTensor([10, 20], ["word"])
    assert broadcast == LabeledTensor([[11, 21], [12, 22]], ("batch", "word"))
    for axes in (["batch", "speaker"], ["word", "batch"]):
        with pytest.raises(ValueError, match="axes differ"):
            labeled + LabeledTensor([[1, 2], [3, 4]], axes)
    # Names are static: of another type.
    assert not labeled.spec.is_compatible_with(LabeledTensor([[1, 2], [3, 4]], ["batch", "speaker"]))
    with pytest.raises(ValueError, match="1 names for 2 axes"):
        LabeledTensor([[1]], ["batch"])


class Shown(LabeledTensor):
    """Shows its axes, so that functions can move its rows."""

    __name__ = "rfc.Shown"

    shape = property(lambda self: self.values.shape)


@promise(
    "Motivation",
    "A labeled tensor reports errors, also those of values that functions would make",
    python="def __validate__(self)",
)
def test_functions_make_valid_values():
    labeled = Shown([[1, 2], [3, 4]], ["batch", "word"])
    assert labeled[1:] == Shown([[3, 4]], ["batch", "word"])
    for call in (lambda: labeled[0], lambda: st.stack([labeled, labeled]), lambda: st.unstack(labeled)):
        with pytest.raises(ValueError, match="2 names for"):
            call()


class CSRSparseTensor(st.ExtensionType):
    """A sparse tensor in compressed rows. It says itself how it is batched."""

    __name__ = "rfc.CSRSparseTensor"

    values: st.Tensor
    column_index: st.Tensor
    row_splits: st.Tensor
    shape: st.TensorShape

    class Spec:
        # Values have as many elements as there are numbers other than zero, so they cannot be stacked as they are. Their boxes
        # are dense.
        def to_boxed_tensor(self, value, minimum_rank=0):
            return csr_to_dense(value)

        def from_boxed_tensor(self, boxed_tensor):
            return csr_from_dense(boxed_tensor)

        def boxed_tensor_spec(self, minimum_rank=0):
            return st.TensorSpec(self.shape.dims, self.values.dtype)

        def stacked(self, num):
            return self._with_shape([num, *self.shape])

        def unstacked(self):
            return self._with_shape(self.shape.as_list()[1:])

        def _with_shape(self, shape):
            values = st.TensorSpec([None], self.values.dtype)
            return CSRSparseTensor.Spec(values, st.TensorSpec([None], "int64"), st.TensorSpec([None], "int64"), shape)


def csr_from_dense(dense):
    """Rows of the innermost axis, one after the other."""
    array = np.asarray(dense)
    rows = array.reshape(-1, array.shape[-1])
    counts = np.count_nonzero(rows, axis=1)
    return CSRSparseTensor(rows[rows != 0], np.nonzero(rows)[1], np.concatenate([[0], np.cumsum(counts)]), array.shape)


def csr_to_dense(value):
    rows = np.zeros(value.shape.as_list(), value.values.to_numpy().dtype)
    flat = rows.reshape(-1, rows.shape[-1])
    splits = value.row_splits.to_numpy()
    for i in range(len(flat)):
        own = slice(splits[i], splits[i + 1])
        flat[i, value.column_index.to_numpy()[own]] = value.values.to_numpy()[own]
    return st.constant(rows)


@promise(
    "Motivation",
    "A tensor in another sparse encoding is one value, and is batched by its own boxes",
    python="class Spec, with to_boxed_tensor",
    cpp="ExtensionType",
)
def test_sparse_tensors_are_batched_by_their_boxes():
    a = csr_from_dense(np.array([[1, 0], [0, 2]]))
    b = csr_from_dense(np.array([[0, 0], [3, 0]]))
    assert b.values.to_py() == [3] and b.shape == [2, 2]
    batch = st.stack([a, b])
    assert isinstance(batch, CSRSparseTensor) and batch.shape == [2, 2, 2]
    assert csr_to_dense(batch).to_py() == [[[1, 0], [0, 2]], [[0, 0], [3, 0]]]
    # The document's two equations.
    spec = a.spec.most_specific_compatible_type(b.spec)
    boxes = [spec.to_boxed_tensor(v) for v in (a, b)]
    assert spec.stacked(2).from_boxed_tensor(st.stack(boxes)) == batch
    unstacked = st.unstack(batch)
    assert unstacked == [a, b]
    rows = st.unstack(batch.spec.to_boxed_tensor(batch, minimum_rank=1))
    assert [batch.spec.unstacked().from_boxed_tensor(row) for row in rows] == [a, b]
    assert csr_to_dense(st.concat([batch, batch])).shape == (4, 2, 2)


@promise(
    "Motivation",
    "The same tensors are fields of structs as they are",
    python='st.StructuredTensor.from_fields({"m": [value]})',
    cpp="ExtensionRows",
    tensorflow="T.from_structtensor(rows)",
)
def test_sparse_tensors_are_fields_as_they_are():
    values = [csr_from_dense(np.array(dense)) for dense in ([[1, 0], [0, 2]], [[0, 0], [3, 0]])]
    batch = st.concat([st.StructuredTensor.from_fields({"m": [value]}) for value in values])
    assert batch.shape == (2,)
    assert batch[1]["m"] == values[1]
    assert [batch[i]["m"] for i in range(2)] == values
    assert pickle.loads(pickle.dumps(batch))[1]["m"] == values[1]


# --- Fields of plain classes


@promise(
    "Motivation",
    "Values of plain classes are fields of structs and of other types",
    python='st.StructuredTensor.from_fields({"m": masked})',
    cpp="StructuredTensor::FromFields()",
)
def test_plain_classes_are_fields():
    masked = plain_types.MaskedTensor(st.constant([1, 2, 3]), st.constant([True, False, True]))
    rows = st.StructuredTensor.from_fields({"id": [7, 8, 9], "m": masked})
    field = rows["m"]
    assert type(field) is plain_types.MaskedTensor
    assert (field.values.to_py(), field.mask.to_py()) == ([1, 2, 3], [True, False, True])
    assert rows[1:]["m"].values.to_py() == [2, 3] and rows[1]["m"].mask.to_py() is False
    assert rows.spec.fields["m"] == plain_types.MaskedTensorSpec([3], "int64")


@promise(
    "Motivation",
    "Tensor-like values of plain classes go into `stack` and other functions that move values",
    python="st.stack([x, y])",
    cpp="Stack(), Concat(), Gather()",
    differs="The document leaves it to the type's dispatch; a spec with a `shape` is enough",
)
def test_plain_classes_are_moved():
    x = plain_types.MaskedTensor(st.constant([1, 2, 3]), st.constant([True, False, True]))
    y = plain_types.MaskedTensor(st.constant([4, 5, 6]), st.constant([False, False, True]))
    for value, expected in (
        (st.stack([x, y]), [[[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]]]),
        (st.concat([x, y], 0), [[1, 2, 3, 4, 5, 6], [True, False, True, False, False, True]]),
        (st.gather(x, [2, 0]), [[3, 1], [True, True]]),
        (st.tile(y, [2]), [[4, 5, 6, 4, 5, 6], [False, False, True, False, False, True]]),
        (st.unstack(x)[1], [2, False]),
    ):
        assert type(value) is plain_types.MaskedTensor
        assert plain_types.to_py([value.values, value.mask]) == expected


@promise(
    "Motivation",
    "General data structures of several sizes are batched as well",
    python="st.stack([graph, other])",
    cpp="ExtensionRows",
    differs="TensorFlow's releases do not batch components of different sizes",
)
def test_plain_classes_of_several_sizes_are_batched():
    def graph(nodes):
        labels = {"name": st.constant(nodes)}
        return plain_types.LabeledDigraph(labels, {}, (st.constant([0]), st.constant([len(nodes) - 1])))

    batch = st.stack([graph(["a", "b"]), graph(["x", "y", "z"])])
    assert isinstance(batch, st.ExtensionRows) and batch.shape == (2,)
    assert type(batch[1]) is plain_types.LabeledDigraph
    assert batch[1].nodes["name"].to_py() == ["x", "y", "z"] and batch[1].destination.to_py() == [2]
    assert [row.nodes["name"].to_py() for row in st.unstack(batch)] == [["a", "b"], ["x", "y", "z"]]


@promise(
    "Development outside the main TensorFlow repository",
    "Types are developed outside of the library, with public names alone",
    python="st.TypeSpec",
    cpp="ExtensionType",
)
def test_types_use_public_names_alone():
    with open(plain_types.__file__, encoding="utf-8") as file:
        source = file.read()
    assert "st._" not in source and "structtensor._" not in source
    assert "import structtensor as st" in source
