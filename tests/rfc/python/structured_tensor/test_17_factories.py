"""ST "Factories": the rules of with_updates, without and with_only. "Updating Fields" has their forms."""

import pytest
from promises import promise

import structtensor as st

SECTION = "class StructuredTensor: factories"


@promise(
    SECTION,
    "Each value of `with_updates` has the shape of the structs in front",
    python="structs.with_updates(z=[1, 2]) raises ValueError",
    cpp="WithUpdates()",
    tensorflow="rows.with_updates(z=[1, 2]) raises InvalidArgumentError",
    shown_by="test_operations.py::test_updates",
)
def test_values_begin_with_the_shape(st_vector, st_matrix):
    for wrong in ([1, 2], 5):
        with pytest.raises(ValueError, match="field z"):
            st_vector.with_updates(z=wrong)
    with pytest.raises(ValueError, match="field z"):
        st_matrix.with_updates(z=[[1, 2], [3]])


@promise(
    SECTION,
    "The `i`th element of the value is the field value of the `i`th struct",
    python="structs.with_updates(z=[7, 8, 9])[i]['z']",
    cpp="WithUpdates()",
    tensorflow="the same",
)
def test_elements_are_values_of_structs(st_vector, st_matrix):
    updated = st_vector.with_updates(z=[7, 8, 9])
    assert isinstance(updated, st.StructuredTensor)
    assert [updated[i]["z"].item() for i in range(3)] == [7, 8, 9]
    matrix = st_matrix.with_updates(z=[[1, 2], [3, 4]])
    assert [[matrix[i, j]["z"].item() for j in range(2)] for i in range(2)] == [[1, 2], [3, 4]]


@promise(
    SECTION,
    "`without` raises KeyError for a field that is not there",
    python="structs.without('nope')",
    cpp="Without()",
    tensorflow="the same",
)
def test_without_a_field_that_is_not_there(st_vector):
    for names in (["nope"], ["x", "nope"]):
        with pytest.raises(KeyError, match="no field nope"):
            st_vector.without(*names)


@promise(
    SECTION,
    "`with_only` raises KeyError for a field that is not there",
    python="structs.with_only('nope')",
    cpp="WithOnly()",
    tensorflow="the same",
)
def test_with_only_a_field_that_is_not_there(st_vector):
    for names in (["nope"], ["x", "nope"]):
        with pytest.raises(KeyError, match="no field nope"):
            st_vector.with_only(*names)
