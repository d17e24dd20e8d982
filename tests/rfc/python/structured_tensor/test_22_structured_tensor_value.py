"""ST "class StructuredTensorValue" (TF-v1 only)."""

import numpy as np
from promises import promise, promise_of_tensorflow

import structtensor as st

SECTION = "class StructuredTensorValue (TF-v1 only)"

promise_of_tensorflow(
    SECTION,
    "It stores a concrete value of a StructuredTensor in a graph, and has `to_py()`",
    python="st.StructuredTensor",
    cpp="StructuredTensor",
    tensorflow="rows.to_structtensor().to_py()",
    differs="Only a TensorFlow 1 session could show it; a concrete value is the package's StructuredTensor",
    shown_by="test_type.py::test_to_and_from_others",
)


@promise(
    SECTION,
    "Its field values are numpy arrays, or values of ragged and structured tensors",
    python="structs['x'].to_numpy(), np.asarray(structs['x'])",
    cpp="Tensor::values()",
    tensorflow="rows.to_structtensor()['x'].to_numpy()",
    differs="Each field is converted when it is asked for",
)
def test_field_values_as_arrays(st_vector):
    assert st_vector["x"].to_numpy().tolist() == ["foo", "bar", "baz"]
    numbers = np.asarray(st.constant([{"a": 1}, {"a": 2}])["a"])
    assert numbers.dtype == np.int64 and numbers.tolist() == [1, 2]
    assert st_vector["y"].flat_values.to_numpy().tolist() == list(range(1, 10))
