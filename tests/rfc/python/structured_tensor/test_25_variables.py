"""ST "Variables"."""

from promises import promise_of_tensorflow

promise_of_tensorflow(
    "Variables",
    "Fields may be `tf.Variable`s",
    python="st.StructuredTensor.from_fields({'w': variable})",
    tensorflow="T.from_fields({'w': variable})",
    differs="The value at that moment is kept, as by `tf.experimental.StructuredTensor`. Gradients reach the variable",
    shown_by="test_type.py::test_gradients",
)
promise_of_tensorflow(
    "Variables",
    "A StructuredTensor cannot be stored in a `tf.Variable`",
    tensorflow="tf.Variable(rows) raises ValueError",
    shown_by="test_type.py::test_others_that_are_no_structs",
)
