"""Types with a TypeSpec of their own: those that the RFC "Extension types" names. Its example is in tests/rfc/python."""

import collections
import dataclasses
import pickle
import typing

import numpy as np
import pyarrow as pa
import pytest

import structtensor as st
from structtensor import nest

# --- CSRSparseTensor: a plain class with a StackableTypeSpec


class CSRSparseTensor:
    def __init__(self, values, column_index, row_splits, shape):
        self.values, self.column_index, self.row_splits = values, column_index, row_splits
        self.shape = st.TensorShape(shape)

    def __tf_type_spec__(self):
        return CSRSparseTensorSpec(self.shape, st.DType(self.values.dtype))

    @staticmethod
    def from_dense(dense):
        array = np.asarray(dense)
        rows = array.reshape(-1, array.shape[-1])
        splits = np.concatenate([[0], np.cumsum(np.count_nonzero(rows, axis=1))])
        parts = [st.constant(np.asarray(part)) for part in (rows[rows != 0], np.nonzero(rows)[1], splits)]
        return CSRSparseTensor(*parts, dense.shape)

    def to_dense(self):
        array = np.zeros(self.shape, self.values.to_numpy().dtype)
        flat, splits = array.reshape(-1, array.shape[-1]), self.row_splits.to_numpy()
        for i in range(len(flat)):
            own = slice(splits[i], splits[i + 1])
            flat[i, self.column_index.to_numpy()[own]] = self.values.to_numpy()[own]
        return st.constant(array)


class CSRSparseTensorSpec(st.StackableTypeSpec):
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype

    value_type = CSRSparseTensor
    component_specs = property(
        lambda self: (st.TensorSpec([None], self.dtype), st.TensorSpec([None], "int64"), st.TensorSpec([None], "int64"))
    )

    def serialize(self):
        return (self.shape, self.dtype)

    def to_components(self, value):
        return (value.values, value.column_index, value.row_splits)

    def from_components(self, components):
        return CSRSparseTensor(*components, self.shape)

    def to_boxed_tensor(self, value, minimum_rank=0):
        return value.to_dense()

    def from_boxed_tensor(self, boxed_tensor):
        return CSRSparseTensor.from_dense(boxed_tensor)

    def boxed_tensor_spec(self, minimum_rank=0):
        return st.TensorSpec(self.shape, self.dtype)

    def stacked(self, num):
        return CSRSparseTensorSpec(st.TensorShape([num, *self.shape]), self.dtype)

    def unstacked(self):
        return CSRSparseTensorSpec(self.shape[1:], self.dtype)


def test_sparse_tensors_are_stacked_by_their_boxes():
    a, b = (CSRSparseTensor.from_dense(np.array(dense)) for dense in ([[1, 0], [0, 2]], [[0, 0], [3, 0]]))
    batch = st.stack([a, b])
    assert isinstance(batch, CSRSparseTensor) and batch.to_dense().to_py() == [[[1, 0], [0, 2]], [[0, 0], [3, 0]]]
    assert [row.to_dense().to_py() for row in st.unstack(batch)] == [[[1, 0], [0, 2]], [[0, 0], [3, 0]]]
    assert st.concat([batch, batch], 0).shape == [4, 2, 2]
    assert isinstance(a.__tf_type_spec__(), st.StackableTypeSpec) and isinstance(st.TensorSpec([1]), st.StackableTypeSpec)
    # As rows of structs, values stay whole.
    rows = st.StructuredTensor.from_fields({"m": [a, b]})
    assert rows[1]["m"].to_dense().to_py() == [[0, 0], [3, 0]]
    assert pickle.loads(pickle.dumps(rows))[0]["m"].to_dense().to_py() == [[1, 0], [0, 2]]

    class Forgotten(st.StackableTypeSpec):
        def serialize(self):
            return ()

    with pytest.raises(TypeError, match="abstract"):
        Forgotten()


# --- LabeledDigraph: components in dicts and pairs


class LabeledDigraph:
    def __init__(self, nodes, edges, ends):
        self.nodes, self.edges, self.ends = nodes, edges, ends

    def __tf_type_spec__(self):
        specs = [{name: tensor.spec for name, tensor in labels.items()} for labels in (self.nodes, self.edges)]
        return LabeledDigraphSpec(*specs, tuple(tensor.spec for tensor in self.ends))


class LabeledDigraphSpec(st.TypeSpec):
    value_type = LabeledDigraph

    def __init__(self, nodes, edges, ends):
        self.nodes, self.edges, self.ends = nodes, edges, ends

    def serialize(self):
        return (self.nodes, self.edges, self.ends)

    @property
    def component_specs(self):
        return {"nodes": self.nodes, "edges": self.edges, "ends": self.ends}

    def to_components(self, value):
        return {"nodes": value.nodes, "edges": value.edges, "ends": value.ends}

    def from_components(self, components):
        return LabeledDigraph(**components)


def test_digraphs_have_nests_of_components():
    def graph(names, weights, ends):
        return LabeledDigraph(
            {"name": st.constant(names)}, {"weight": st.constant(weights)}, tuple(st.constant(end) for end in ends)
        )

    small, large = graph(["a", "b"], [1.5], ([0], [1])), graph(["x", "y", "z"], [1.0, 2.0], ([0, 1], [1, 2]))
    spec = small.__tf_type_spec__()
    assert st.TypeSpec.from_bytes(spec.to_bytes()) == spec and {spec: 1}[small.__tf_type_spec__()] == 1
    # The leaves of a dict are in the order of its keys: edges, ends, nodes.
    assert [tensor.to_py() for tensor in nest.flatten(small, expand_composites=True)] == [[1.5], [0], [1], ["a", "b"]]
    batch = st.stack([small, large])
    assert isinstance(batch, st.ExtensionRows) and batch.shape == (2,)
    assert batch[1].nodes["name"].to_py() == ["x", "y", "z"] and [end.to_py() for end in batch[1].ends] == [[0, 1], [1, 2]]
    rows = st.StructuredTensor.from_fields({"graph": [small, large]})
    assert rows[0]["graph"].edges["weight"].to_py() == [1.5] and not spec.is_compatible_with(large)


def test_columns_have_the_names_of_components():
    value = MaskedTensor([1, 2], [True, False])
    rows = st.StructuredTensor.from_fields({"m": value})
    assert pa.table(rows).to_pylist()[0] == {"m": {"values": 1, "mask": True}}

    class Named(st.ExtensionType):
        v: st.Tensor
        shape = property(lambda self: self.v.shape)

        class Spec:
            component_specs = property(lambda self: {"v": self.v, "copy": self.v})

            def to_components(self, value):
                return {"v": value.v, "copy": value.v}

            def from_components(self, components):
                return Named(components["v"])

    named = st.StructuredTensor.from_fields({"n": Named([1, 2])})
    assert pa.table(named).to_pylist() == [{"n": {"copy": 1, "v": 1}}, {"n": {"copy": 2, "v": 2}}]
    assert named["n"] == Named([1, 2]) and named[1]["n"] == Named(2)


# --- LabeledTensor, MaskedTensor, DimensionAlignment, TensorDigraph and distributions, each in the other form


class LabeledTensor:
    def __init__(self, values, axes):
        if len(axes) != values.rank:
            raise ValueError(f"there are {len(axes)} names for {values.rank} axes")
        self.values, self.axes = values, tuple(axes)

    def __tf_type_spec__(self):
        return LabeledTensorSpec(self.values.spec, self.axes)


class LabeledTensorSpec(st.TypeSpec):
    value_type = LabeledTensor

    def __init__(self, values, axes):
        self.values, self.axes = values, axes

    def serialize(self):
        return (self.values, self.axes)

    component_specs = property(lambda self: self.values)

    def to_components(self, value):
        return value.values

    def from_components(self, components):
        return LabeledTensor(components, self.axes)


def test_labels_are_static():
    labeled = LabeledTensor(st.constant(np.array([[1, 2], [3, 4]])), ["batch", "word"])
    other = LabeledTensor(labeled.values, ["batch", "speaker"])
    assert not labeled.__tf_type_spec__().is_compatible_with(other)
    doubled = nest.map_structure(lambda tensor: tensor * 2, labeled, expand_composites=True)
    assert doubled.values.to_py() == [[2, 4], [6, 8]] and doubled.axes == ("batch", "word")
    # The spec shows no shape, so a batch holds whole values, whose names stay right.
    assert st.stack([labeled, doubled])[1].axes == ("batch", "word")
    with pytest.raises(ValueError, match="no type in common"):
        nest.assert_same_structure(labeled, other, expand_composites=True)


class MaskedTensor(st.ExtensionType):
    """The convenient form, whose spec stores the shape and the dtype once."""

    values: st.Tensor
    mask: st.Tensor
    shape = property(lambda self: self.values.shape)

    class Spec:
        def __init__(self, shape, dtype):
            self.values, self.mask = st.TensorSpec(shape, dtype), st.TensorSpec(shape, "bool")

        def serialize(self):
            return (st.TensorShape(self.values.shape), st.DType(self.values.dtype))


def test_the_convenient_form_may_replace_how_it_is_serialized():
    value = MaskedTensor([1, 2, 3], [True, False, True])
    assert value.spec.serialize() == ((3,), "int64") and MaskedTensor.Spec.deserialize(((3,), "int64")) == value.spec
    assert pickle.loads(pickle.dumps(value.spec)) == value.spec == st.TypeSpec.from_bytes(value.spec.to_bytes())
    assert pickle.loads(pickle.dumps(value)) == value and hash(value.spec) == hash(MaskedTensor.Spec([3], "int64"))
    assert value[1:] == MaskedTensor([2, 3], [False, True]) and st.stack([value, value]).shape == (2, 3)
    rows = st.StructuredTensor.from_fields({"m": value})
    assert rows["m"] == value and pickle.loads(pickle.dumps(rows)) == rows
    assert value.spec.most_specific_compatible_type(value[1:].spec) == MaskedTensor.Spec([None], "int64")


class Packed(st.ExtensionType):
    """Keeps two numbers in fields, and shows one tensor of both."""

    low: st.Tensor
    high: st.Tensor
    note: str = ""

    class Spec:
        def serialize(self):
            return (self.low, self.high)  # the note is not part of the type

        component_specs = property(lambda self: {"both": st.TensorSpec([2], "int64")})

        def to_components(self, value):
            return {"both": st.constant([value.low.item(), value.high.item()])}

        def from_components(self, components):
            low, high = components["both"].to_py()
            return Packed(low, high, "made")

        @classmethod
        def deserialize(cls, serialization):
            return cls(*serialization, "")


def test_what_a_spec_answers_is_what_operations_use():
    value = Packed(1, 5, "mine")
    assert [tensor.to_py() for tensor in nest.flatten(value, expand_composites=True)] == [[1, 5]]
    assert nest.flatten(value.spec, expand_composites=True) == [st.TensorSpec([2], "int64")]
    more = nest.map_structure(lambda tensor: tensor + 1, value, expand_composites=True)
    assert (more.low.to_py(), more.high.to_py(), more.note) == (2, 6, "made")
    assert value.spec == Packed(1, 5, "other").spec and hash(value.spec) == hash(Packed(1, 5, "other").spec)
    assert value == Packed(1, 5, "other") and value != Packed(1, 6)
    assert value.spec.is_compatible_with(Packed(2, 3)) and pickle.loads(pickle.dumps(value.spec)) == value.spec
    batch = st.stack([value, Packed(7, 8)])
    assert batch.components[0].to_py() == [[1, 5], [7, 8]] and batch[1] == Packed(7, 8) and batch[0].note == "made"
    rows = st.StructuredTensor.from_fields({"p": [value, Packed(7, 8)]})
    assert rows[0]["p"] == value and pickle.loads(pickle.dumps(rows)) == rows


class Versioned(st.ExtensionType):
    v: st.Tensor
    version: str
    shape = property(lambda self: self.v.shape)

    class Spec:
        def most_specific_compatible_type(self, other):
            v = self.v.most_specific_compatible_type(other.v)
            return None if v is None else Versioned.Spec(v, "merged")

        def is_compatible_with(self, spec_or_value):
            return isinstance(spec_or_value, (Versioned, Versioned.Spec))


def test_a_spec_decides_what_values_have_in_common():
    p, q = Versioned([1], "p"), Versioned([2], "q")
    assert st.stack([p, q]) == Versioned([[1], [2]], "merged")
    nest.assert_same_structure(p, q, expand_composites=True)
    assert st.concat([p, q], 0).v.to_py() == [1, 2]


class DimensionAlignment:
    def __init__(self, source_to_target, source, target):
        self.source_to_target, self.source, self.target = source_to_target, source, target

    def __tf_type_spec__(self):
        return DimensionAlignmentSpec(self.source_to_target.spec.with_unknown_sizes(), self.source, self.target)


class DimensionAlignmentSpec(st.TypeSpec):
    value_type = DimensionAlignment

    def __init__(self, source_to_target, source, target):
        self.source_to_target, self.source, self.target = source_to_target, source, target

    def serialize(self):
        return (self.source_to_target, self.source, self.target)

    component_specs = property(lambda self: self.source_to_target)

    def to_components(self, value):
        return value.source_to_target

    def from_components(self, components):
        return DimensionAlignment(components, self.source, self.target)


def test_alignments_of_ragged_dimensions():
    alignment = DimensionAlignment(st.ragged.constant([[0], [0, 1], []]), "word", "speaker")
    flat = nest.flatten(alignment, expand_composites=True)
    assert [tensor.to_py() for tensor in flat] == [[0, 0, 1], [0, 1, 3, 3]]
    packed = nest.pack_sequence_as(alignment, flat, expand_composites=True)
    assert packed.source_to_target.equals(alignment.source_to_target) and packed.target == "speaker"
    both = st.stack([alignment, DimensionAlignment(st.ragged.constant([[1]]), "word", "speaker")])
    assert both[1].source_to_target.to_py() == [[1]]
    spec = alignment.__tf_type_spec__()
    assert pickle.loads(pickle.dumps(spec)) == spec == st.TypeSpec.from_bytes(spec.to_bytes())


class Normal:
    """A distribution: any Python class with a spec."""

    def __init__(self, loc, scale):
        self.loc, self.scale = st.constant(loc), st.constant(scale)

    def log_prob(self, x):
        return -((x - self.loc) ** 2.0) / (2.0 * self.scale**2.0) - st.log(self.scale) - 0.5 * np.log(2 * np.pi)

    def __tf_type_spec__(self):
        return NormalSpec(self.loc.spec, self.scale.spec)


class NormalSpec(st.TypeSpec):
    value_type = Normal

    def __init__(self, loc, scale):
        self.component_specs = (loc, scale)

    component_specs = None  # set by the constructor

    def serialize(self):
        return self.component_specs

    def to_components(self, value):
        return (value.loc, value.scale)

    def from_components(self, components):
        return Normal(*components)


class Mixture(st.ExtensionType):
    parts: tuple[Normal, ...]
    weights: list[float]


def test_distributions():
    assert Normal(0.0, 1.0).log_prob(st.constant(0.0)).to_py() == pytest.approx(-0.9189385)
    mixture = Mixture([Normal(0.0, 1.0), Normal(1.0, 2.0)], [0.25, 0.75])
    assert mixture.weights == (0.25, 0.75) and isinstance(mixture.parts[1], Normal)
    flat = nest.flatten(mixture, expand_composites=True)
    assert [tensor.to_py() for tensor in flat] == [0.0, 1.0, 1.0, 2.0]
    assert nest.pack_sequence_as(mixture.spec, flat, expand_composites=True) == mixture
    assert pickle.loads(pickle.dumps(mixture)) == mixture
    assert isinstance(st.stack([Normal(0.0, 1.0), Normal(1.0, 2.0)])[1], Normal)


# --- The registry


def test_names_of_spec_classes():
    assert st.type_spec_name(CSRSparseTensorSpec).endswith(".CSRSparseTensorSpec")
    st.register_type_spec(NormalSpec, "rfc.NormalSpec")
    assert st.type_spec_name(NormalSpec) == "rfc.NormalSpec" and st.lookup_type_spec("rfc.NormalSpec") is NormalSpec
    with pytest.raises(ValueError, match="cannot be"):
        st.register_type_spec(NormalSpec, "rfc.NormalSpec2")
    with pytest.raises(ValueError, match="choose another name"):
        st.register_type_spec(LabeledTensorSpec, "rfc.NormalSpec")
    for wrong in (Normal, st.TensorSpec, st.TypeSpec, st.StackableTypeSpec, st.ExtensionType, 5):
        with pytest.raises(TypeError):
            st.register_type_spec(wrong)
        with pytest.raises(TypeError):
            st.type_spec_name(wrong)


def test_a_made_name_may_be_replaced():
    class Later(st.ExtensionType):
        v: st.Tensor
        shape = property(lambda self: self.v.shape)

    early, data = Later([1]), None
    made = st.type_spec_name(Later)
    data = early.spec.to_bytes()
    st.register_type_spec(Later, "rfc.Later")
    assert st.type_spec_name(Later) == "rfc.Later"
    assert st.lookup_type_spec("rfc.Later") is st.lookup_type_spec(made) is Later.Spec
    assert st.TypeSpec.from_bytes(data) == early.spec == Later([2]).spec
    assert st.concat([early, Later([2])], 0).v.to_py() == [1, 2]
    with pytest.raises(ValueError, match="cannot be"):
        st.register_type_spec(Later, "rfc.Later2")


# --- Static data


class Point(typing.NamedTuple):
    x: int
    y: typing.Optional[str] = None


Bare = collections.namedtuple("Bare", ["a", "b"])
STATIC = (
    True, 3, 2.5, "ä", b"\x00\xff", None, st.TensorShape([1, None]), st.DType("int32"), (1, ("a",)), [1, [2]], {"b": 1, 2: "c"},
    collections.OrderedDict([("z", 1), ("a", 2)]), Point(1, "y"), Bare([1], {}), np.array([[1.5, 2.5]]), np.array([], "int32"),
    st.TensorSpec([2, None], "float"), CSRSparseTensorSpec(st.TensorShape([1]), st.DType("int64")),
    MaskedTensor.Spec([1], "int64"),
)  # fmt: skip


class Holder:
    def __init__(self, static):
        self.static = static

    def __tf_type_spec__(self):
        return HolderSpec(*self.static)


class HolderSpec(st.TypeSpec):
    value_type = Holder
    component_specs = ()

    def __init__(self, *static):
        self.static = static

    def serialize(self):
        return self.static

    def to_components(self, value):
        return ()

    def from_components(self, components):
        return Holder(self.static)


def test_static_data_comes_back_as_it_was():
    spec = HolderSpec(*STATIC)
    for back in (st.TypeSpec.from_bytes(spec.to_bytes()), pickle.loads(pickle.dumps(spec)), HolderSpec(*STATIC)):
        assert back == spec and hash(back) == hash(spec) and spec.is_compatible_with(back)
        assert list(map(type, back.static)) == list(map(type, STATIC))
        for found, expected in zip(back.static, STATIC, strict=True):
            assert np.array_equal(found, expected) if isinstance(expected, np.ndarray) else found == expected
    assert list(st.TypeSpec.from_bytes(spec.to_bytes()).static[11]) == ["z", "a"]
    assert HolderSpec({"a": 1, "b": 2}) == HolderSpec({"b": 2, "a": 1})  # the order of a dict does not count
    assert HolderSpec([1]) != HolderSpec((1,)) and HolderSpec(1) != HolderSpec(2)
    assert HolderSpec(np.array([1])) != HolderSpec(np.array([2])) and HolderSpec(True) != HolderSpec(1)
    assert HolderSpec(st.TensorSpec([None])).is_compatible_with(HolderSpec(st.TensorSpec([3])))
    assert not HolderSpec(st.TensorSpec([2])).is_compatible_with(HolderSpec(st.TensorSpec([3])))
    for wrong in (object(), {1, 2}, np.array([object()]), {(1, 2): 3}, 2j):
        with pytest.raises(TypeError):
            hash(HolderSpec(wrong))


class Config(st.ExtensionType):
    sizes: dict[str, int]
    names: typing.Dict[int, str]
    steps: list[int]
    weights: np.ndarray
    point: Point
    spec_of_rows: st.TensorSpec
    anything: st.TypeSpec


def test_static_data_as_fields():
    spec = MaskedTensor.Spec([1], "int64")
    config = Config({"b": 2, "a": 1}, {1: "x"}, [1, 2], [[0.5, 1.5]], (1, "y"), st.TensorSpec([2]), spec)
    for found in (config, config.spec, pickle.loads(pickle.dumps(config)), pickle.loads(pickle.dumps(config.spec))):
        assert found.sizes == {"a": 1, "b": 2} and found.names == {1: "x"} and found.steps == (1, 2)
        assert found.weights.tolist() == [[0.5, 1.5]] and not found.weights.flags.writeable
        assert found.point == Point(1, "y") and type(found.point) is Point
        assert found.spec_of_rows == st.TensorSpec([2]) and found.anything == spec
    assert nest.flatten(config, expand_composites=True) == [] and st.TypeSpec.from_bytes(config.spec.to_bytes()) == config.spec
    arguments = config.spec.serialize()
    assert Config(*arguments) == config and Config(*arguments[:-1], st.TensorSpec([1])) != config
    with pytest.raises(TypeError, match="spec_of_rows: expected a TensorSpec"):
        Config(*arguments[:5], spec, spec)
    with pytest.raises(TypeError, match="weights: "):
        Config(*arguments[:3], np.array([object()]), *arguments[4:])
    with pytest.raises(TypeError, match="'x': a Union"):
        type("Wrong", (st.ExtensionType,), {"__annotations__": {"x": typing.Union[st.Tensor, st.TensorSpec]}})


# --- Built-in specs


BUILT_IN = [
    st.constant([1, 2]),
    st.constant([1, None], spec=st.TensorSpec([2], "int64", True)),
    st.ragged.constant([[1], [2, 3]]),
    st.ragged.constant([[["a"], []], []]),
    st.constant([{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}]),
    st.constant([[{"a": 1}], []]),
    st.constant([{"a": 1}, None], spec=st.StructuredTensorSpec([2], {"a": st.TensorSpec([2], "int64")}, nullable=True)),
    st.constant({"a": 1}),
    st.StructuredTensor.from_fields({"m": MaskedTensor([1, 2], [True, False])}),
    st.RowPartition.from_row_lengths([1, 2]),
    st.stack([Packed(1, 2), Packed(3, 4)]),
]


@pytest.mark.parametrize("value", BUILT_IN, ids=lambda value: repr(value.spec))
def test_built_in_specs_have_the_four_jobs(value):
    spec = value.__tf_type_spec__()
    assert spec == value.spec and isinstance(spec, st.TypeSpec) and issubclass(type(spec), st.StackableTypeSpec)
    assert spec.value_type is type(value) and isinstance(spec.serialize(), tuple)
    assert type(spec).deserialize(spec.serialize()) == spec
    assert type(spec).from_bytes(spec.to_bytes()) == st.TypeSpec.from_bytes(spec.to_bytes()) == spec
    components = spec.to_components(value)
    made = spec.from_components(components)
    assert made == value if isinstance(value, st.RowPartition) else made.equals(value)
    fits = nest.map_structure(lambda s, c: s.is_compatible_with(c), spec.component_specs, components)
    assert all(nest.flatten(fits))
    flat = nest.flatten([value], expand_composites=True)
    again = nest.pack_sequence_as([spec], flat, expand_composites=True)[0]
    assert again == value if isinstance(value, st.RowPartition) else again.equals(value)
    for other in ("x", 5, None, [1, 2], object(), type(spec), st.BoxedTensorSpec((), spec)):
        assert spec.is_compatible_with(other) is False
    assert spec.is_compatible_with(value) and spec.is_compatible_with(spec)


def test_built_in_specs_are_serialized_as_their_arguments():
    assert st.TensorSpec([None, 3], "int32").serialize() == ((None, 3), "int32")
    assert st.RaggedTensorSpec([2, None], "int32", 1, "int64").serialize() == ((2, None), "int32", 1, "int64")
    assert st.TensorSpec(None, "string", True).serialize() == (st.TensorShape(None), "string", True)
    with pytest.raises(TypeError, match="these are the bytes of"):
        st.RaggedTensorSpec.from_bytes(st.TensorSpec([1]).to_bytes())
    with pytest.raises(ValueError):
        st.TensorSpec([3], "int64").to_components(st.constant([1, 2]))
    with pytest.raises(ValueError):
        st.TensorSpec([3], "int64").from_components(st.constant([1, 2]))


# --- tf.nest


class Attrs:
    """As an attrs class makes it."""

    __attrs_attrs__ = tuple(type("Attribute", (), {"name": name}) for name in ("x", "y"))

    def __init__(self, x, y):
        self.x, self.y = x, y


def test_structures_are_those_of_tf_nest():
    structure = {"b": Point(1, "y"), "a": collections.OrderedDict([("z", 3), ("k", [4])]), 5 * "c": Attrs(6, (7,))}
    assert nest.flatten(structure) == [4, 3, 1, "y", 6, 7]
    assert [path for path, _ in nest.flatten_with_joined_string_paths(structure)][:2] == ["['a']['k'][0]", "['a']['z']"]
    packed = nest.pack_sequence_as(structure, [1, 2, 3, 4, 5, 6])
    assert packed["b"] == Point(3, 4) and type(packed["b"]) is Point
    assert list(packed["a"].items()) == [("z", 2), ("k", [1])] and type(packed["a"]) is collections.OrderedDict
    assert (packed["ccccc"].x, packed["ccccc"].y) == (5, (6,)) and list(packed) == ["b", "a", "ccccc"]
    counts = collections.defaultdict(list, {2: 1, 1: 2})
    doubled = nest.map_structure(lambda x: 2 * x, counts)
    assert doubled == {2: 2, 1: 4} and doubled.default_factory is list
    assert nest.is_nested(Point(1)) and nest.is_nested(counts) and nest.is_nested(Attrs(1, 2))
    assert not nest.is_nested(st.TensorShape([1])) and not nest.is_nested(st.constant([1]), expand_composites=True)
    for a, b in ((Point(1), (1, None)), (Point(1), Bare(1, None)), ([1], 1), (Attrs(1, 2), Point(1))):
        with pytest.raises(ValueError, match="the structures differ at the top"):
            nest.assert_same_structure(a, b)
    ragged = st.ragged.constant([[1], [2, 3]])
    named = nest.flatten(Bare(ragged, 5), expand_composites=True)
    assert len(named) == 3 and nest.pack_sequence_as(Bare(ragged, 5), named, expand_composites=True).a.equals(ragged)
    paths = nest.flatten_with_joined_string_paths({"r": ragged, "n": 5}, expand_composites=True)
    assert [path for path, _ in paths] == ["['n']", "['r'][0]", "['r'][1]"]


# --- Objects that operations make


def test_operations_make_valid_objects():
    class Labeled(st.ExtensionType):
        values: st.Tensor
        axes: tuple[str, ...]
        shape = property(lambda self: self.values.shape)

        def __validate__(self):
            if len(self.axes) != self.values.rank:
                raise ValueError(f"there are {len(self.axes)} names for {self.values.rank} axes")

    labeled = Labeled([[1, 2], [3, 4]], ["batch", "word"])
    assert labeled[1:].values.to_py() == [[3, 4]]
    for wrong in (lambda: labeled[0], lambda: st.stack([labeled, labeled])):
        with pytest.raises(ValueError, match=r"does not pass Labeled.__validate__\(\): Labeled\(.*names for . axes"):
            wrong()
    with pytest.raises(ValueError, match="names for 1 axes"):
        labeled.spec.from_components([st.constant([1])])
    plain = MaskedTensor([1, 2, 3], [True, False, True])
    with pytest.raises(ValueError, match="no value of MaskedTensor.Spec"):
        plain.spec.from_components([st.constant([1]), st.constant([True])])


@dataclasses.dataclass(frozen=True)
class Scaled:
    values: st.Tensor
    factor: float

    def __tf_type_spec__(self):
        return ScaledSpec(self.values.spec, self.factor)


@dataclasses.dataclass(frozen=True)
class ScaledSpec(st.StackableTypeSpec):
    """Its box is a list of two tensors."""

    bound: st.TensorSpec
    factor: float
    value_type: typing.ClassVar = Scaled
    shape = property(lambda self: self.bound.shape)
    component_specs = property(lambda self: [self.bound])

    def serialize(self):
        return (self.bound, self.factor)

    def to_components(self, value):
        return [value.values]

    def from_components(self, components):
        return Scaled(*components, self.factor)

    def to_boxed_tensor(self, value, minimum_rank=0):
        return [value.values, st.tile(st.constant([value.factor]), [value.values.shape[0]])]

    def from_boxed_tensor(self, boxed_tensor):
        return Scaled(boxed_tensor[0], self.factor)

    def boxed_tensor_spec(self, minimum_rank=0):
        return [self.bound, st.TensorSpec(self.bound.shape[:1], "double")]

    def stacked(self, num):
        return ScaledSpec(self.bound.stacked(num), self.factor)

    def unstacked(self):
        return ScaledSpec(self.bound.unstacked(), self.factor)


def test_frozen_dataclasses_with_parallel_boxes():
    one, two = Scaled(st.constant([1, 2]), 0.5), Scaled(st.constant([3, 4]), 0.5)
    both = st.stack([one, two])
    assert both.values.to_py() == [[1, 2], [3, 4]] and both.__tf_type_spec__() == one.__tf_type_spec__().stacked(2)
    assert [row.values.to_py() for row in st.unstack(both, num=2)] == [[1, 2], [3, 4]]
    assert st.concat([one, two], axis=0).values.to_py() == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="there is no type that"):
        st.stack([one, Scaled(st.constant([1, 2]), 2.0)])
    rows = st.struct.DenseStructuredTensor([2], {"m": st.stack([one.values, two.values]), "s": both})
    assert rows["s"].values.to_py() == [[1, 2], [3, 4]] and rows[0]["s"].values.to_py() == [1, 2]


def test_what_a_spec_must_not_answer():
    class Value:
        def __init__(self, spec):
            self.spec = spec

        def __tf_type_spec__(self):
            return self.spec

    def make(**members):
        body = {"serialize": lambda self: (), "value_type": Value, "component_specs": (st.TensorSpec([1], "int64"),)}
        body["to_components"] = lambda self, value: (st.constant([1]),)
        body["from_components"] = lambda self, components: Value(self)
        return type("Answers", (st.TypeSpec,), {**body, **members})()

    def round_trip(spec):
        return st.stack([Value(spec), Value(spec)])[0]

    assert type(round_trip(make())) is Value
    for members, error, message in (
        ({"to_components": lambda self, value: [st.constant([1])]}, ValueError, "component_specs is"),
        ({"to_components": lambda self, value: (st.constant([1.5]),)}, ValueError, "component_specs is"),
        ({"to_components": lambda self, value: (None,)}, TypeError, "expected tensors"),
        ({"component_specs": (5,)}, TypeError, "expected specs"),
        ({"from_components": lambda self, components: 5}, TypeError, "returned 5; expected a Value"),
        ({"serialize": lambda self: object()}, TypeError, "static data of a spec"),
    ):
        with pytest.raises(error, match=message):
            round_trip(make(**members))
    with pytest.raises(TypeError, match=r"Value.__tf_type_spec__\(\) returned 5; expected a TypeSpec"):
        st.stack([Value(5)])
    with pytest.raises(TypeError, match="abstract"):
        type("Forgotten", (st.TypeSpec,), {})()
