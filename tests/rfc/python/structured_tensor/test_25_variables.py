"""ST "Variables"."""

from promises import promise_of_tensorflow

promise_of_tensorflow(
    "Variables",
    "Fields may be `tf.Variable`s",
    python="st.StructuredTensor.from_fields({'w': variable})",
    tensorflow="T.from_fields({'w': variable})",
    differs="The value at that moment is kept, as by `tf.experimental.StructuredTensor`. Gradients reach the variable",
    shown_by="test_variables.py::test_fields_of_variables_keep_the_value_of_the_moment",
)
promise_of_tensorflow(
    "Variables",
    "A StructuredTensor cannot be stored in a `tf.Variable`",
    tensorflow="tf.Variable(rows) raises TypeError",
    shown_by="test_variables.py::test_a_variable_does_not_hold_structs",
)
