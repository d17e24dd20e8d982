"""The examples of the RFC "Extension types", nearly as they are written there."""

import pickle
import typing

import numpy as np
import pytest

import structtensor as st
from structtensor import nest


@pytest.fixture
def dispatch():
    """Registers like the decorators of st, and undoes it."""
    targets = []

    def register(decorator, target):
        decorator(target)
        targets.append(target)

    yield register
    for target in targets:
        st.unregister_dispatch_for(target)


# --- SimpleMaskedTensor


class SimpleMaskedTensor(st.ExtensionType):
    """Pairs a `value` tensor with a corresponding boolean `mask`."""

    __name__ = "rfc.SimpleMaskedTensor"

    value: st.Tensor
    mask: st.Tensor

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)

    def __validate__(self):
        st.TensorShape(self.value.shape).assert_is_compatible_with(self.mask.shape)

    class Spec:
        def __init__(self, shape, dtype):
            self.value = st.TensorSpec(shape, dtype)
            self.mask = st.TensorSpec(shape, "bool")

        shape = property(lambda self: self.value.shape)
        dtype = property(lambda self: self.value.dtype)

    # The RFC's protocol.
    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        if st.is_unary_elementwise_op(op):
            value, *rest = args
            return SimpleMaskedTensor(op(value.value, *rest), value.mask)
        if st.is_binary_elementwise_op(op):
            values = [arg.value if isinstance(arg, SimpleMaskedTensor) else arg for arg in args[:2]]
            masks = [arg.mask for arg in args[:2] if isinstance(arg, SimpleMaskedTensor)]
            return SimpleMaskedTensor(op(*values), masks[0] if len(masks) == 1 else st.logical_and(*masks))
        handler = cls._dispatchers().get(op)
        return NotImplemented if handler is None else handler(*args, **kwargs)

    __tf_dispatch_types__: typing.ClassVar[typing.Any]

    @classmethod
    def _dispatchers(cls):
        return {st.shape: masked_tensor_shape, st.tile: masked_tensor_tile, st.reduce_sum: masked_tensor_reduce_sum}


SimpleMaskedTensor.__tf_dispatch_types__ = (st.Tensor, SimpleMaskedTensor)


def masked_tensor_shape(value, out_type="int32"):
    return st.shape(value.value, out_type)


def masked_tensor_tile(value, multiples):
    return SimpleMaskedTensor(st.tile(value.value, multiples), st.tile(value.mask, multiples))


def masked_tensor_reduce_sum(value, axis=None, keepdims=False):
    return SimpleMaskedTensor(st.reduce_sum(value.value, axis, keepdims), st.reduce_all(value.mask, axis, keepdims))


def test_simple_masked_has_its_four_jobs():
    masked = SimpleMaskedTensor([1, 2, 3], [True, False, True])
    spec = masked.spec
    # 1. It stores what is static.
    assert (spec.shape, spec.dtype, spec.value_type) == ((3,), "int64", SimpleMaskedTensor)
    assert spec == SimpleMaskedTensor.Spec([3], "int64")
    # 2. It is serialized.
    assert SimpleMaskedTensor.Spec.deserialize(spec.serialize()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    # 3. It takes values apart and makes them again.
    assert spec.component_specs == (st.TensorSpec([3], "int64"), st.TensorSpec([3], "bool"))
    components = spec.to_components(masked)
    assert [component.to_py() for component in components] == [[1, 2, 3], [True, False, True]]
    assert spec.from_components(components) == masked
    # 4. It is compared.
    any_length = SimpleMaskedTensor.Spec([None], "int64")
    assert any_length.is_compatible_with(masked) and spec.is_compatible_with(any_length) and spec != any_length
    assert not any_length.is_compatible_with(SimpleMaskedTensor([1.5], [True]))
    assert spec.most_specific_compatible_type(SimpleMaskedTensor.Spec([5], "int64")) == any_length
    assert spec.most_specific_compatible_type(SimpleMaskedTensor.Spec([5], "double")) is None
    assert len({spec, SimpleMaskedTensor.Spec([3], "int64")}) == 1


def test_simple_masked_is_dispatched_by_the_protocol():
    masked = SimpleMaskedTensor([[1, 2], [3, 4]], [[True, False], [True, True]])
    assert st.negative(masked) == SimpleMaskedTensor([[-1, -2], [-3, -4]], masked.mask)
    assert st.cast(masked, "double") == SimpleMaskedTensor([[1.0, 2.0], [3.0, 4.0]], masked.mask)
    other = SimpleMaskedTensor([[1, 1], [1, 1]], [[True, True], [True, False]])
    assert st.add(masked, other) == SimpleMaskedTensor([[2, 3], [4, 5]], [[True, False], [True, False]])
    assert masked + st.constant(np.array([[1, 1], [1, 1]])) == SimpleMaskedTensor([[2, 3], [4, 5]], masked.mask)
    assert st.shape(masked).to_py() == [2, 2]
    assert st.tile(masked, [1, 2]).value.to_py() == [[1, 2, 1, 2], [3, 4, 3, 4]]
    assert st.reduce_sum(masked, keepdims=False, axis=1) == SimpleMaskedTensor([3, 7], [False, True])
    # __tf_dispatch_types__: no ragged tensors.
    with pytest.raises((TypeError, ValueError)):
        st.add(masked, st.ragged_constant([[1], [2, 3]]))


# --- MaskedTensor


class MaskedTensor(st.ExtensionType):
    __name__ = "rfc.MaskedTensor"

    values: typing.Union[st.Tensor, st.RaggedTensor]
    mask: typing.Union[st.Tensor, st.RaggedTensor]
    shape = property(lambda self: self.values.shape)

    def with_default(self, default):
        return st.where(self.mask, self.values, default)


MaskedOrTensor = typing.Union[MaskedTensor, st.TensorLike]


def _parts(value):
    return (value.values, value.mask) if isinstance(value, MaskedTensor) else (value, True)


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

    dispatch(st.dispatch_for_unary_elementwise_apis(MaskedTensor), unary)
    dispatch(st.dispatch_for_binary_elementwise_apis(MaskedOrTensor, MaskedOrTensor), binary)
    dispatch(st.dispatch_for_api(st.concat), concat)
    dispatch(st.dispatch_for_api(st.reduce_sum), reduce_sum)

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


def test_masked_is_a_field_at_any_rank():
    masked = MaskedTensor([1, 2, 3], [True, False, True])
    rows = st.StructuredTensor.from_fields({"id": [7, 8, 9], "m": masked})
    assert rows["m"] == masked
    assert rows[1]["m"] == MaskedTensor(2, False)
    assert rows[1:]["m"] == MaskedTensor([2, 3], [False, True])
    assert st.concat([rows, rows])["m"].values.to_py() == [1, 2, 3, 1, 2, 3]
    assert st.gather(rows, [2, 0])["m"] == MaskedTensor([3, 1], [True, True])
    grouped = rows.partition_outer_dimension(st.RowPartition.from_row_lengths([2, 0, 1]))
    assert grouped["m"] == MaskedTensor(st.ragged_constant([[1, 2], [], [3]]), st.ragged_constant([[True, False], [], [True]]))
    assert grouped.merge_dims(0, 1) == rows
    assert grouped[0]["m"].values.to_py() == [1, 2]
    assert pickle.loads(pickle.dumps(grouped)).equals(grouped)


# --- CSRSparseTensor, which says itself how it is batched


class CSRSparseTensor(st.ExtensionType):
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
    return CSRSparseTensor(rows[rows != 0], np.nonzero(rows)[1], np.concatenate([[0], np.cumsum(counts)]), dense.shape)


def csr_to_dense(value):
    rows = np.zeros(value.shape.as_list(), value.values.to_numpy().dtype)
    flat = rows.reshape(-1, rows.shape[-1])
    splits = value.row_splits.to_numpy()
    for i in range(len(flat)):
        own = slice(splits[i], splits[i + 1])
        flat[i, value.column_index.to_numpy()[own]] = value.values.to_numpy()[own]
    return st.constant(rows)


def test_sparse_tensors_are_batched_by_their_boxes():
    a = csr_from_dense(np.array([[1, 0], [0, 2]]))
    b = csr_from_dense(np.array([[0, 0], [3, 0]]))
    assert b.values.to_py() == [3] and b.shape == [2, 2]
    batch = st.stack([a, b])
    assert isinstance(batch, CSRSparseTensor) and batch.shape == [2, 2, 2]
    assert csr_to_dense(batch).to_py() == [[[1, 0], [0, 2]], [[0, 0], [3, 0]]]
    # The RFC's two equations.
    spec = a.spec.most_specific_compatible_type(b.spec)
    boxes = [spec.to_boxed_tensor(v) for v in (a, b)]
    assert spec.stacked(2).from_boxed_tensor(st.stack(boxes)) == batch
    unstacked = st.unstack(batch)
    assert unstacked == [a, b]
    rows = st.unstack(batch.spec.to_boxed_tensor(batch, minimum_rank=1))
    assert [batch.spec.unstacked().from_boxed_tensor(row) for row in rows] == [a, b]
    assert csr_to_dense(st.concat([batch, batch])).shape == (4, 2, 2)


def test_sparse_tensors_are_fields_as_they_are():
    values = [csr_from_dense(np.array(dense)) for dense in ([[1, 0], [0, 2]], [[0, 0], [3, 0]])]
    batch = st.concat([st.StructuredTensor.from_fields({"m": [value]}) for value in values])
    assert batch.shape == (2,)
    assert batch[1]["m"] == values[1]
    assert [batch[i]["m"] for i in range(2)] == values
    assert pickle.loads(pickle.dumps(batch))[1]["m"] == values[1]


# --- LabeledTensor


class LabeledTensor(st.ExtensionType):
    __name__ = "rfc.LabeledTensor"

    values: st.Tensor
    axes: typing.Tuple[str, ...]

    def __validate__(self):
        if len(self.axes) != self.values.rank:
            raise ValueError(f"there are {len(self.axes)} names for {self.values.rank} axes")


def test_labeled_finds_axes_by_name(dispatch):
    def reduce_sum(input_tensor: LabeledTensor, axis=None, keepdims=False):
        number = input_tensor.axes.index(axis)
        rest = input_tensor.axes[:number] + input_tensor.axes[number + 1 :]
        return LabeledTensor(st.reduce_sum(input_tensor.values, number), rest)

    def binary(api, x, y):
        if x.axes != y.axes:
            raise ValueError(f"axes differ: {x.axes} and {y.axes}")
        return LabeledTensor(api(x.values, y.values), x.axes)

    dispatch(st.dispatch_for_api(st.reduce_sum), reduce_sum)
    dispatch(st.dispatch_for_binary_elementwise_apis(LabeledTensor, LabeledTensor), binary)
    labeled = LabeledTensor([[1, 2], [3, 4]], ["batch", "word"])
    assert st.reduce_sum(labeled, "word") == LabeledTensor([3, 7], ("batch",))
    assert (labeled + labeled).values.to_py() == [[2, 4], [6, 8]]
    with pytest.raises(ValueError, match="axes differ"):
        labeled + LabeledTensor([[1, 2], [3, 4]], ["batch", "speaker"])
    # Names are static: of another type.
    assert not labeled.spec.is_compatible_with(LabeledTensor([[1, 2], [3, 4]], ["batch", "speaker"]))
    with pytest.raises(ValueError, match="1 names for 2 axes"):
        LabeledTensor([[1]], ["batch"])


# --- TensorDigraph and DimensionAlignment: general data structures


class TensorDigraph(st.ExtensionType):
    __name__ = "rfc.TensorDigraph"

    nodes: typing.Mapping[str, st.Tensor]
    edges: typing.Mapping[str, st.Tensor]
    source: st.Tensor
    target: st.Tensor

    def __validate__(self):
        if self.source.shape != self.target.shape:
            raise ValueError("there is one source and one target for each edge")


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
        return DimensionAlignment(st.ragged_constant(rows), self.target, self.source)


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


# --- Distributions


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


# --- tf.nest and the registry


def test_nest_takes_composites_apart():
    ragged = st.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3])
    masked = MaskedTensor([4], [True])
    structure = {"a": ragged, "b": masked}
    assert [type(leaf) for leaf in nest.flatten(structure)] == [st.RaggedTensor, MaskedTensor]
    flat = nest.flatten(structure, expand_composites=True)
    assert [tensor.to_py() for tensor in flat] == [[1, 2, 3], [0, 2, 3], [4], [True]]
    packed = nest.pack_sequence_as(structure, flat, expand_composites=True)
    assert packed["a"].equals(ragged) and packed["b"] == masked
    specs = {"a": ragged.spec, "b": masked.spec}
    assert nest.flatten(specs, expand_composites=True)[2:] == [st.TensorSpec([1], "int64"), st.TensorSpec([1], "bool")]
    from_specs = nest.pack_sequence_as(specs, flat, expand_composites=True)
    assert from_specs["b"] == masked
    nest.assert_same_structure(structure, specs, expand_composites=True)
    with pytest.raises(ValueError):
        nest.assert_same_structure(structure, {"a": masked, "b": ragged}, expand_composites=True)


def test_names_of_types_are_unique():
    assert st.get_name(MaskedTensor) == st.get_name(MaskedTensor.Spec) == "rfc.MaskedTensor"
    assert st.lookup_type_spec("rfc.MaskedTensor") is MaskedTensor.Spec

    class Other(st.ExtensionType):
        x: st.Tensor

    with pytest.raises(ValueError, match="rfc.MaskedTensor"):
        st.register_type_spec(Other, "rfc.MaskedTensor")
    with pytest.raises(ValueError, match="another name|cannot be"):
        st.register_type_spec(MaskedTensor, "rfc.Masked2")
    st.register_type_spec(MaskedTensor, "rfc.MaskedTensor")
    with pytest.raises(ValueError, match="letters"):
        st.register_type_spec(Other, "not a name")
    with pytest.raises(ValueError, match="rfc.MaskedTensor"):

        class Another(st.ExtensionType):
            __name__ = "rfc.MaskedTensor"


# --- Casting, which the RFC has for later


class Celsius(st.ExtensionType):
    degrees: st.Tensor
    shape = property(lambda self: self.degrees.shape)

    class Spec:
        def castable_type(self, spec):
            return self if isinstance(spec, st.TensorSpec) else self.most_specific_compatible_type(spec)

        def cast(self, value):
            return Celsius(value) if isinstance(value, st.Tensor) else value


def test_values_are_cast_to_a_common_type():
    ragged, dense = st.ragged_constant([[1], [2, 3]]), st.constant(np.array([[1, 2], [3, 4]]))
    common = dense.spec.castable_type(ragged.spec)
    assert common == ragged.spec.castable_type(dense.spec) and isinstance(common, st.RaggedTensorSpec)
    assert isinstance(common.cast(dense), st.RaggedTensor) and common.cast(ragged) is ragged
    assert dense.spec.castable_type(st.TensorSpec([2], "string")) is None
    with pytest.raises(TypeError):
        dense.spec.cast(ragged)
    assert st.stack([Celsius(1.5), st.constant(2.5)]) == Celsius([1.5, 2.5])
    assert st.stack([st.constant(2.5), Celsius(1.5)]) == Celsius([2.5, 1.5])
