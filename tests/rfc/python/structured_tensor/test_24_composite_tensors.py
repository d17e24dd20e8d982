"""ST: operations that take structs because they are composite tensors, and "Additional ops"."""

import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st

SECTION = "Operations of composite tensors"

promise_of_tensorflow(
    SECTION,
    "`tf.cond(pred, true_fn, false_fn)`",
    tensorflow="tf.cond(pred, true_fn, false_fn)",
    shown_by="machinery.py::cond",
)
promise_of_tensorflow(
    SECTION,
    "`tf.while_loop(cond, body, loop_vars)`",
    tensorflow="tf.while_loop(cond, body, loop_vars)",
    shown_by="machinery.py::growing_loop",
)
promise_of_tensorflow(
    SECTION,
    "`tf.case(pred_fn_pairs, default=None)`",
    tensorflow="tf.case(pred_fn_pairs, default)",
    shown_by="machinery.py::case",
)
promise_of_tensorflow(
    SECTION,
    "`tf.group(*inputs)`",
    tensorflow="tf.group(*inputs)",
    shown_by="machinery.py::group",
)


@promise(
    "Additional ops",
    "`tf.struct.constant` converts a Python value to a StructuredTensor",
    python="st.struct.constant(value)",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
)
def test_struct_constant():
    rows = st.struct.constant([{"a": 1}])
    assert isinstance(rows, st.StructuredTensor) and rows.to_py() == [{"a": 1}]


@promise(
    "Additional ops",
    "`tf.struct.constant_value` converts a Python value to a StructuredTensorValue",
    python="st.constant(value)",
    cpp="Constant()",
    tensorflow="T.from_py(value).to_structtensor()",
    differs="Only a TensorFlow 1 session could show it; a concrete value is the package's StructuredTensor",
)
def test_there_is_one_kind_of_value():
    with pytest.raises(AttributeError):
        _ = st.constant_value
    assert st.constant({"a": [1, 2]})["a"].to_numpy().tolist() == [1, 2]
