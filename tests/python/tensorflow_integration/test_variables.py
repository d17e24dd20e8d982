"""Structs and tf.Variable, as the section "Variables" of the design document has them."""

import pytest
import tensorflow as tf

import structtensor.tf

OURS = structtensor.tf.StructuredTensor


def test_fields_of_variables_keep_the_value_of_the_moment():
    weights = tf.Variable([1.0, 2.0])
    rows = OURS.from_fields({"w": weights})
    weights.assign([5.0, 6.0])
    assert rows["w"].numpy().tolist() == [1.0, 2.0]


def test_gradients_reach_variables_in_fields():
    weights = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(OURS.from_fields({"w": weights})["w"] ** 2)
    assert tape.gradient(total, weights).numpy().tolist() == [2.0, 4.0]


def test_a_variable_does_not_hold_structs():
    with pytest.raises(TypeError, match="structs are not a tensor"):
        tf.Variable(OURS.from_fields({"w": [1.0, 2.0]}))
