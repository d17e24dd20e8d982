"""The document's types as plain classes: no base class, a spec from __tf_type_spec__(), and a class of specs for each."""

import numpy as np

import structtensor as st


class MaskedTensor:
    """Values, and a mask that names the valid ones."""

    def __init__(self, values, mask):
        self._values = values
        self._mask = mask

    values = property(lambda self: self._values)
    mask = property(lambda self: self._mask)
    shape = property(lambda self: self._values.shape)
    dtype = property(lambda self: self._values.dtype)

    def __tf_type_spec__(self):
        return MaskedTensorSpec(self.shape, self.dtype)


class MaskedTensorSpec(st.TypeSpec):
    """Keeps the shape and the dtype of the values. Those of the mask follow from them."""

    def __init__(self, shape, dtype):
        self._shape = st.TensorShape(shape)
        self._dtype = st.DType(dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    value_type = property(lambda self: MaskedTensor)
    component_specs = property(lambda self: (st.TensorSpec(self._shape, self._dtype), st.TensorSpec(self._shape, "bool")))

    def serialize(self):
        return (self._shape, self._dtype)

    def to_components(self, value):
        return (value.values, value.mask)

    def from_components(self, components):
        return MaskedTensor(*components)


class LabeledTensor:
    """Values whose axes have names."""

    def __init__(self, values, axes):
        self._values = values
        self._axes = tuple(axes)

    values = property(lambda self: self._values)
    axes = property(lambda self: self._axes)

    def __tf_type_spec__(self):
        return LabeledTensorSpec(self._values.shape, self._values.dtype, self._axes)


class LabeledTensorSpec(st.TypeSpec):
    def __init__(self, shape, dtype, axes):
        self._shape = st.TensorShape(shape)
        self._dtype = st.DType(dtype)
        self._axes = tuple(axes)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    axes = property(lambda self: self._axes)
    value_type = property(lambda self: LabeledTensor)
    component_specs = property(lambda self: st.TensorSpec(self._shape, self._dtype))

    def serialize(self):
        return (self._shape, self._dtype, self._axes)

    def to_components(self, value):
        return value.values

    def from_components(self, components):
        return LabeledTensor(components, self._axes)


class LabeledDigraph:
    """A directed graph. Nodes and edges have labels, each a tensor with one row for each node or edge."""

    def __init__(self, nodes, edges, ends):
        self._nodes = dict(nodes)
        self._edges = dict(edges)
        self._ends = tuple(ends)

    nodes = property(lambda self: self._nodes)
    edges = property(lambda self: self._edges)
    source = property(lambda self: self._ends[0])
    destination = property(lambda self: self._ends[1])

    def __tf_type_spec__(self):
        specs = [{name: label.__tf_type_spec__() for name, label in labels.items()} for labels in (self._nodes, self._edges)]
        return LabeledDigraphSpec(*specs)


class LabeledDigraphSpec(st.TypeSpec):
    def __init__(self, nodes, edges):
        self._nodes = dict(nodes)
        self._edges = dict(edges)

    nodes = property(lambda self: self._nodes)
    edges = property(lambda self: self._edges)
    value_type = property(lambda self: LabeledDigraph)

    @property
    def component_specs(self):
        ends = st.TensorSpec([None], "int64")
        return {"nodes": self._nodes, "edges": self._edges, "ends": (ends, ends)}

    def serialize(self):
        return (self._nodes, self._edges)

    def to_components(self, value):
        return {"nodes": value.nodes, "edges": value.edges, "ends": (value.source, value.destination)}

    def from_components(self, components):
        return LabeledDigraph(components["nodes"], components["edges"], components["ends"])


class SparseTensor:
    """The elements that are not zero, and where they are. The package has no sparse tensors, so this is the document's."""

    def __init__(self, indices, values, dense_shape):
        self._indices = indices
        self._values = values
        self._dense_shape = dense_shape

    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)

    def __tf_type_spec__(self):
        return SparseTensorSpec(self._dense_shape.to_py(), self.dtype)


class SparseTensorSpec(st.TypeSpec):
    def __init__(self, shape, dtype):
        self._shape = st.TensorShape(shape)
        self._dtype = st.DType(dtype)

    dense_shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    value_type = property(lambda self: SparseTensor)

    @property
    def component_specs(self):
        rank = self._shape.rank
        indices = st.TensorSpec([None, rank], "int64")
        return (indices, st.TensorSpec([None], self._dtype), st.TensorSpec([rank], "int64"))

    def serialize(self):
        return (self._shape, self._dtype)

    def to_components(self, value):
        return (value.indices, value.values, value.dense_shape)

    def from_components(self, components):
        return SparseTensor(*components)


class CSRSparseTensor:
    """A sparse matrix in compressed rows: the nonzero values, their columns, and where each row starts."""

    def __init__(self, values, columns, row_splits, shape):
        self._values = values
        self._columns = columns
        self._row_splits = row_splits
        self._shape = st.TensorShape(shape)

    values = property(lambda self: self._values)
    columns = property(lambda self: self._columns)
    row_splits = property(lambda self: self._row_splits)
    shape = property(lambda self: self._shape)

    @classmethod
    def from_dense(cls, dense):
        array = np.asarray(dense)
        rows = array.reshape(-1, array.shape[-1])
        splits = np.concatenate([[0], np.cumsum(np.count_nonzero(rows, axis=1))])
        return cls(st.constant(rows[rows != 0]), st.constant(np.nonzero(rows)[1]), st.constant(splits), array.shape)

    def to_dense(self):
        dense = np.zeros(self._shape.as_list(), self._values.to_numpy().dtype)
        rows = dense.reshape(-1, dense.shape[-1])
        splits, columns, values = self._row_splits.to_numpy(), self._columns.to_numpy(), self._values.to_numpy()
        for i in range(len(rows)):
            rows[i, columns[splits[i] : splits[i + 1]]] = values[splits[i] : splits[i + 1]]
        return st.constant(dense)

    def __eq__(self, other):
        return isinstance(other, CSRSparseTensor) and self.to_dense().equals(other.to_dense())

    __hash__ = None

    def __tf_type_spec__(self):
        return CSRSparseTensorSpec(self._shape, self._values.dtype)


class CSRSparseTensorSpec(st.StackableTypeSpec):
    """Matrices have different numbers of nonzero values, so their components do not stack. The boxes are dense."""

    def __init__(self, shape, dtype):
        self._shape = st.TensorShape(shape)
        self._dtype = st.DType(dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    value_type = property(lambda self: CSRSparseTensor)

    @property
    def component_specs(self):
        return (st.TensorSpec([None], self._dtype), st.TensorSpec([None], "int64"), st.TensorSpec([None], "int64"))

    def serialize(self):
        return (self._shape, self._dtype)

    def to_components(self, value):
        return (value.values, value.columns, value.row_splits)

    def from_components(self, components):
        return CSRSparseTensor(*components, self._shape)

    def to_boxed_tensor(self, value, minimum_rank=0):
        return value.to_dense()

    def from_boxed_tensor(self, boxed_tensor):
        return CSRSparseTensor.from_dense(boxed_tensor)

    def boxed_tensor_spec(self, minimum_rank=0):
        return st.TensorSpec(self._shape, self._dtype)

    def stacked(self, num):
        return CSRSparseTensorSpec([num, *self._shape], self._dtype)

    def unstacked(self):
        return CSRSparseTensorSpec(self._shape[1:], self._dtype)


def to_py(tensors):
    return [tensor.to_py() for tensor in tensors]
