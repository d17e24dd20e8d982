"""What TensorFlow says where it meets a value of the package, and which of these values it takes."""

import numpy as np
import own_types_of_a_shop as shop
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf

VALUES = {
    "Masked": shop.Masked([1, 2], [True, False]),
    "Point": st.stack([shop.Point(1.0, 2.0), shop.Point(3.0, 4.0)]),
    "ExtensionRows": st.stack([shop.Chain([1]), shop.Chain([2, 3])]),
    "Plain": shop.Plain(st.constant([1, 2]), "x"),
    "StructuredTensor": st.constant([{"a": 1}, {"a": 2}]),
    "RaggedTensor": st.ragged.constant([[1], [2, 3]]),
}
CALLS = {
    "convert_to_tensor": tf.convert_to_tensor,
    "type_spec_from_value": tf.type_spec_from_value,
    "from_tensors": tf.data.Dataset.from_tensors,
    "from_tensor_slices": tf.data.Dataset.from_tensor_slices,
    "while_loop": lambda value: tf.while_loop(lambda i, value: i < 2, lambda i, value: (i + 1, value), (0, value)),
    "map_fn": lambda value: tf.map_fn(lambda row: row, value),
    "py_function": lambda value: tf.py_function(lambda value: value, [value], tf.int64),
    "concat": lambda value: tf.concat([value, value], 0),
    "add": lambda value: tf.add(value, value),
    "gather": lambda value: tf.gather(value, [0]),
    "shape": tf.shape,
    "from_fields": lambda value: structtensor.tf.StructuredTensor.from_fields({"x": value}),
    "function": tf.function(lambda value: value),
    "while_loop in a function": lambda value: tf.function(lambda: CALLS["while_loop"](value))(),
}


# An object of a plain class is an argument of tf.function like any other object of Python.
CASES = [(name, call) for name in VALUES for call in CALLS if (name, call) != ("Plain", "function")]


@pytest.mark.parametrize("name, call", CASES)
def test_errors_name_the_conversion(name, call):
    problem = rf"of type {name}; structtensor.tf.from_structtensor\(value\) makes it a value of TensorFlow"
    with pytest.raises(TypeError, match=problem):
        CALLS[call](VALUES[name])


def test_objects_of_plain_classes_are_arguments():
    assert tf.function(lambda value: value.values + 1)(VALUES["Plain"]).numpy().tolist() == [2, 3]


def test_what_the_errors_name_works():
    for value in VALUES.values():
        found = tf.function(lambda value: value)(structtensor.tf.from_structtensor(value))
        assert isinstance(structtensor.tf.to_structtensor(found), type(value))


class Array(st.ExtensionType):
    """A type that NumPy can read."""

    values: st.Tensor

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


@pytest.mark.parametrize("value", [st.constant([1, 2]), Array([1, 2])], ids=["Tensor", "Array"])
def test_arrays_are_tensors(value):
    assert tf.convert_to_tensor(value).numpy().tolist() == [1, 2]
    assert tf.function(lambda value: value + 1)(value).numpy().tolist() == [2, 3]
    assert [int(row) for row in tf.data.Dataset.from_tensor_slices(value)] == [1, 2]
    assert CALLS["while_loop"](value)[1].numpy().tolist() == [1, 2]
    assert structtensor.tf.StructuredTensor.from_fields({"x": value})["x"].numpy().tolist() == [1, 2]
