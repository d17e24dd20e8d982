"""Which functions handle types of one's own. Most rows are machinery of TensorFlow, and are shown there."""

import pickle
import subprocess
import sys

import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st
from structtensor import nest

from .plain_types import CSRSparseTensor, MaskedTensor, MaskedTensorSpec, to_py

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Types are inputs and outputs of Keras models and layers",
    tensorflow="layer(rows=rows), model.fit(dataset.map(lambda rows: (rows.to_dict(), rows['y'])))",
    shown_by="test_type.py::test_keras_takes_fields_by_position",
    differs="Keras 3 takes only tensors by position, also in `fit` and `predict`. It takes structs by keyword, or as a dict of "
    "fields; `T.from_fields` makes structs of them again. tf_keras takes structs in both ways",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Datasets hold values of types, and their iterators return them",
    python="st.unstack(rows)",
    cpp="Unstack()",
    tensorflow="tf.data.Dataset.from_tensor_slices(rows)",
    shown_by="test_type.py::test_datasets",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Modules of TensorFlow Hub take and return values of types",
    tensorflow="tensorflow_hub.load(folder).f(rows)",
    shown_by="test_machinery.py::test_machinery",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "SavedModels take and return values of types",
    python="pickle.dumps(rows)",
    cpp="SerializeTypeSpec()",
    tensorflow="tf.saved_model.save(model, folder)",
    shown_by="test_type.py::test_saved_models",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Functions that are traced take and return values of types",
    tensorflow="tf.function",
    shown_by="test_type.py::test_functions",
    differs="The package has no graphs; Python's own functions take values as they are",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Values of types are variables of while loops, and results of `cond` and `case`",
    tensorflow="tf.while_loop, tf.cond, tf.case",
    shown_by="test_type.py::test_control_flow",
    differs="The package has no graphs; Python's own `while` and `if` take values as they are",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Python functions in a graph take and return values of types",
    tensorflow="tf.py_function",
    shown_by="test_type.py::test_py_function",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "Values of types are values of each replica in a distribution strategy",
    tensorflow="tf.distribute.MirroredStrategy",
    shown_by="test_type.py::test_mirrored_strategy",
)

promise_of_tensorflow(
    "TensorFlow APIs supported by user-defined types",
    "All of these take values of one's own types, alone and as fields of structs",
    tensorflow="structtensor.tf.from_structtensor(value), T.from_structtensor(rows)",
    shown_by="test_own_types.py::test_functions_are_traced_once",
    differs="The counterpart is derived from the annotations. A value of another class is a `WholeValue`, not batched. "
    "A value that was not converted is a TypeError that names `from_structtensor`",
)


class Scaled:
    """Values times a factor. It handles some operations, and no other ones."""

    def __init__(self, values, factor):
        self.values = values
        self.factor = factor

    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        if op not in (st.gather, st.reduce_sum):
            return NotImplemented
        first, *rest = args
        return Scaled(op(first.values, *rest, **kwargs), first.factor)


@promise(
    "TensorFlow APIs supported by user-defined types",
    "A type may support operations that take tensors, such as `gather` and `reduce_sum`",
    python="def __tf_dispatch__(cls, op, args, kwargs)",
    tensorflow="tf.gather(rows, indices), tf.reduce_sum(rows, axis=0)",
    differs="There is no `matmul`: the package has no products of matrices. `tf.matmul(rows, rows)` is a TypeError",
)
def test_operations_are_supported_if_the_type_wants():
    scaled = Scaled(st.constant([1, 2, 3]), 10)
    assert st.gather(scaled, [2, 0]).values.to_py() == [3, 1]
    total = st.reduce_sum(scaled)
    assert (total.values.to_py(), total.factor) == (6, 10)
    with pytest.raises(TypeError):
        st.square(scaled)


@promise(
    "TensorFlow APIs supported by user-defined types",
    "Values of one's own types are taken apart into batches and put together, as datasets do it",
    python="st.unstack(values), st.stack(values)",
    cpp="Unstack(), Stack()",
    tensorflow="tf.data.Dataset.batch",
    differs="TensorFlow takes a type of `st` as its counterpart, `structtensor.tf.extension_type(cls)`",
)
def test_values_are_batched():
    matrices = [CSRSparseTensor.from_dense([[i, 0], [0, 1]]) for i in range(4)]
    batches = [st.stack(matrices[start : start + 2]) for start in (0, 2)]
    assert [type(batch) for batch in batches] == [CSRSparseTensor, CSRSparseTensor]
    assert batches[1].to_dense().to_py() == [[[2, 0], [0, 1]], [[3, 0], [0, 1]]]
    assert [matrix for batch in batches for matrix in st.unstack(batch)] == matrices


_OTHER_PROCESS = """
import pickle, sys
from extension_types.plain_types import MaskedTensorSpec
from structtensor import nest
spec, tensors = pickle.load(sys.stdin.buffer)
value = nest.pack_sequence_as(spec, tensors, expand_composites=True)
pickle.dump((spec == MaskedTensorSpec([3], "int64"), value.values.to_py(), value.mask.to_py()), sys.stdout.buffer)
"""


@promise(
    "TensorFlow APIs supported by user-defined types",
    "Values of one's own types are saved and read by another process",
    python="pickle.dumps((spec, tensors))",
    cpp="SerializeTypeSpec()",
    tensorflow="tf.saved_model.save(model, folder)",
)
def test_values_go_to_other_processes():
    masked = MaskedTensor(st.constant([1, 2, 3]), st.constant([True, False, True]))
    stored = pickle.dumps((masked.__tf_type_spec__(), nest.flatten(masked, expand_composites=True)))
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{_OTHER_PROCESS}"
    done = subprocess.run([sys.executable, "-c", program], input=stored, stdout=subprocess.PIPE, check=True)
    assert pickle.loads(done.stdout) == (True, [1, 2, 3], [True, False, True])


@promise(
    "TensorFlow APIs supported by user-defined types",
    "Loops and branches combine values of one type whose sizes differ",
    python="spec.most_specific_compatible_type(other)",
    cpp="TypeSpec::MostSpecificCompatibleType()",
    tensorflow="tf.while_loop, tf.cond",
)
def test_sizes_may_change_in_loops():
    masked = MaskedTensor(st.constant([1]), st.constant([True]))
    invariant = masked.__tf_type_spec__()
    for _ in range(3):
        masked = nest.map_structure(lambda tensor: st.tile(tensor, [2]), masked, expand_composites=True)
        invariant = invariant.most_specific_compatible_type(masked.__tf_type_spec__())
    assert to_py([masked.values, masked.mask]) == [[1] * 8, [True] * 8]
    assert invariant == MaskedTensorSpec([None], "int64")


@promise(
    "Background",
    "Composite tensors, type specs and dispatch are three parts that fit each other",
    python="st.ExtensionType, st.TypeSpec, st.dispatch",
    cpp="ExtensionType, TypeSpec",
)
def test_the_three_parts_exist():
    assert isinstance(st.ExtensionType, type) and isinstance(st.TypeSpec, type)
    assert st.dispatch.is_unary_elementwise_op(st.abs)
    assert not hasattr(st, "CompositeTensor")
