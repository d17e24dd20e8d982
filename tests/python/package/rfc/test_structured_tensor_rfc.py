"""What the design document of StructuredTensor promises, in its own forms. Tests have the names of its sections."""

import numpy as np
import pytest

import structtensor as st


@pytest.fixture
def struct():
    return st.constant(
        {
            "recipe": {
                "title": "cookies",
                "ingredients": [{"amount": 3.0, "name": "flour"}, {"amount": 0.5, "name": "sugar"}],
            },
            "rating": 4,
        }
    )


@pytest.fixture
def rows():
    return st.constant([{"x": 1, "y": [1, 2]}, {"x": 2, "y": []}, {"x": 3, "y": [3]}])


def test_accessors_field_names(struct, rows):
    assert struct.field_names() == ("recipe", "rating")
    assert rows.field_names() == ("x", "y")
    assert st.StructuredTensor.from_fields({}, nrows=2).field_names() == ()


def test_accessors_field_value(struct, rows):
    assert struct.field_value("rating").to_py() == 4
    assert rows.field_value("y").to_py() == [[1, 2], [], [3]]
    with pytest.raises(KeyError, match="no field z"):
        rows.field_value("z")


def test_accessors_fields(struct, rows):
    assert {name: value.to_py() for name, value in rows.fields.items()} == {"x": [1, 2, 3], "y": [[1, 2], [], [3]]}
    assert list(struct.fields) == ["recipe", "rating"]
    for structs in (struct, rows):
        for name, value in structs.fields.items():
            assert value.shape[: structs.rank] == structs.shape
            assert value.equals(structs[name]) if structs.rank else value.to_py() == structs[name].to_py()


def test_updating_fields_with_updates(rows):
    updated = rows.with_updates(x=[4, 5, 6], z=np.array([0.5, 1.5, 2.5]))
    assert updated.to_py() == [{"x": 4, "y": [1, 2], "z": 0.5}, {"x": 5, "y": [], "z": 1.5}, {"x": 6, "y": [3], "z": 2.5}]
    assert rows.field_names() == ("x", "y")
    # Names that parameters might have are names of fields.
    assert rows.with_updates(updates=[1, 2, 3], structs=rows, self=[0, 0, 0], fields=["a", "b", "c"]).field_names() == (
        "x",
        "y",
        "updates",
        "structs",
        "self",
        "fields",
    )


def test_updating_fields_with_updates_of_scalars(struct):
    assert struct.with_updates(rating=5, new="x").to_py()["rating"] == 5
    assert struct.with_updates(recipe={"title": "toast"})["recipe"].to_py() == {"title": "toast"}
    assert struct.with_updates(rating=lambda rating: rating + 1)["rating"].to_py() == 5


def test_updating_fields_with_updates_together_with_paths(rows):
    assert rows.with_updates({"y": None}, x=[0, 0, 0]).to_py() == [{"x": 0}] * 3
    with pytest.raises(ValueError, match="updated twice"):
        rows.with_updates({"x": [0, 0, 0]}, x=[1, 1, 1])
    with pytest.raises(TypeError, match="one dict"):
        rows.with_updates({"x": None}, {"y": None})
    with pytest.raises(TypeError, match="expected a dict"):
        rows.with_updates("x")
    with pytest.raises(ValueError, match="z"):
        rows.with_updates(z=[1, 2])


def test_updating_fields_without(rows):
    assert rows.without("x").field_names() == ("y",)
    assert rows.with_updates(z=[1, 2, 3]).without("x", "z").field_names() == ("y",)
    assert rows.without().equals(rows)
    with pytest.raises(KeyError, match="no field z"):
        rows.without("x", "z")


def test_updating_fields_with_only(struct, rows):
    assert rows.with_only("x").field_names() == ("x",)
    assert rows.with_only("y", "x").to_py() == rows.to_py()
    assert struct.with_only("recipe.title", "rating").to_py() == {"recipe": {"title": "cookies"}, "rating": 4}
    with pytest.raises(KeyError, match="no field z"):
        rows.with_only("z")
    with pytest.raises(TypeError, match="path"):
        rows.with_only("x", 3)


def test_updating_fields_in_functions_of_the_module(rows):
    assert st.with_updates(rows, x=[0, 0, 0])["x"].to_py() == [0, 0, 0]
    assert st.with_only(rows, "y").field_names() == ("y",)
    assert st.without(rows, "y").field_names() == ("x",)


def test_path_based_manipulation_broadcast(struct):
    named = struct.broadcast("recipe.title", "recipe.ingredients.recipe")
    assert named["recipe", "ingredients", :, "recipe"].to_py() == ["cookies", "cookies"]
    assert st.broadcast(struct, ("rating",), ("recipe", "rating"))["recipe", "rating"].to_py() == 4


def test_path_based_manipulation_promote(struct):
    promoted = struct.promote("recipe.ingredients.amount", "recipe.amounts")
    assert promoted["recipe", "amounts"].to_py() == [3.0, 0.5]
    assert promoted["recipe"].field_names() == ("title", "ingredients", "amounts")
    assert struct.promote("recipe.ingredients.amount", "amounts")["amounts"].to_py() == [3.0, 0.5]
    with pytest.raises(ValueError, match="moves outward"):
        struct.promote("recipe.title", "recipe.ingredients.title")


def test_path_based_manipulation_apply(struct):
    doubled = struct.apply("rating", "doubled", lambda rating: rating * 2)
    assert doubled["doubled"].to_py() == 8
    # An operation, and several sources.
    assert struct.apply(["rating", "rating"], "sum", st.add)["sum"].to_py() == 8
    assert struct.apply("recipe.ingredients.amount", "recipe.total", st.reduce_sum)["recipe", "total"].to_py() == 3.5
