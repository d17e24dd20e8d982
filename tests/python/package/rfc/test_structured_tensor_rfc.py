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
    # A tuple of names is one path, a list is a list of paths.
    assert struct.with_only(("recipe", "title")).to_py() == {"recipe": {"title": "cookies"}}
    assert struct.without(["recipe", "rating"]).field_names() == ()
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
    assert struct.apply(("recipe", "ingredients", "amount"), "recipe.total", st.reduce_sum)["recipe", "total"].to_py() == 3.5
    assert struct.apply("recipe.ingredients.amount", "recipe.total", st.reduce_sum)["recipe", "total"].to_py() == 3.5


def test_encoding_shape(struct, rows):
    assert repr(rows.shape) == "TensorShape([3])" and rows.shape == (3,) == st.TensorShape([3])
    assert (rows.shape.rank, rows.shape.ndims, rows.shape.as_list(), struct.shape.rank) == (1, 1, [3], 0)
    rows.shape.assert_is_compatible_with([None])
    with pytest.raises(ValueError, match="not compatible"):
        rows.shape.assert_is_compatible_with([2])
    lists = rows["y"].shape
    assert lists == (3, None) and lists[:1] == rows.shape and isinstance(lists[1:], st.TensorShape)
    assert (str(lists), f"{lists}") == ("(3, None)", "(3, None)")
    assert isinstance(rows.shape, tuple) and hash(rows.shape) == hash((3,)) and {rows.shape: 1}[(3,)] == 1
    assert np.zeros(rows.shape).shape == (3,) and not struct.shape


def test_constructor_of_structured_tensors():
    scalar = st.StructuredTensor(shape=[], fields={"x": "foo", "y": [[1, 2], [3]]})
    assert (scalar.shape, scalar["x"].to_py(), scalar["y"].to_py()) == ((), "foo", [[1, 2], [3]])
    vector = st.StructuredTensor([2], {"x": [1, 2]})
    assert vector.to_py() == [{"x": 1}, {"x": 2}]
    with pytest.raises(ValueError, match="x"):
        st.StructuredTensor([3], {"x": [1, 2]})


def test_dense_structured_tensor():
    dense = st.DenseStructuredTensor(shape=[2, 2], fields={"x": np.array([["a", "b"], ["c", "d"]]), "n": np.zeros((2, 2, 3))})
    assert (dense.shape, dense["x"].shape, dense["n"].shape) == ((2, 2), (2, 2), (2, 2, 3))
    assert isinstance(dense, st.StructuredTensor) and isinstance(dense, st.DenseStructuredTensor)
    assert not isinstance(dense, st.RaggedStructuredTensor) and not isinstance(dense["x"], st.DenseStructuredTensor)
    with pytest.raises(ValueError):
        st.DenseStructuredTensor(shape=[2, 2], fields={"x": [1, 2]})
    for shape in ([], [0], [2], [2, 0], [0, 3]):
        empty = st.DenseStructuredTensor(shape, {})
        assert empty.shape == tuple(shape) and empty.field_names() == () and isinstance(empty, st.DenseStructuredTensor)
    with pytest.raises(ValueError, match="ragged"):
        st.DenseStructuredTensor(shape=[2, None], fields={"x": [[1], [2, 3]]})


def test_ragged_structured_tensor_from_row_splits(rows):
    ragged = st.RaggedStructuredTensor.from_row_splits(rows, [0, 2, 2, 3])
    assert [[row["x"] for row in inner] for inner in ragged.to_py()] == [[1, 2], [], [3]]
    assert ragged.shape == (3, None) and isinstance(ragged, st.RaggedStructuredTensor)
    assert not isinstance(ragged, st.DenseStructuredTensor)
    assert ragged.row_partitions[0].dtype == "int64"
    short = st.RaggedStructuredTensor.from_row_splits(rows, np.array([0, 3], np.int32))
    assert short.row_partitions[0].dtype == "int32"
    with pytest.raises(TypeError, match="expected a StructuredTensor, found Tensor"):
        st.RaggedStructuredTensor.from_row_splits(rows["x"], [0, 3])
    with pytest.raises(ValueError, match="scalar"):
        st.RaggedStructuredTensor.from_row_splits(rows[0], [0, 1])
    for wrong in ([], [1, 3], [0, 2], [0, 2, 1, 3]):
        with pytest.raises(ValueError):
            st.RaggedStructuredTensor.from_row_splits(rows, wrong)
    with pytest.raises(TypeError, match="from_row_splits"):
        st.RaggedStructuredTensor([0, 3], rows)


def test_structured_tensor_specs(rows):
    spec = st.DenseStructuredTensorSpec([2, 3], {"x": st.TensorSpec([2, 3, 10], "int32")})
    assert spec == st.StructuredTensorSpec([2, 3], {"x": st.TensorSpec([2, 3, 10], "int32")})
    assert isinstance(spec, st.DenseStructuredTensorSpec) and not isinstance(spec, st.RaggedStructuredTensorSpec)
    for splits in ([0, 2, 2, 3], np.array([0, 2, 2, 3], np.int32)):
        ragged = st.RaggedStructuredTensor.from_row_splits(rows, splits)
        dtype = ragged.row_partitions[0].dtype
        values = rows.with_shape_dtype(dtype).spec
        found = st.RaggedStructuredTensorSpec([3, None], values, dtype)
        assert isinstance(found, st.RaggedStructuredTensorSpec)
        assert found.is_compatible_with(ragged), (found, ragged.spec)
    for wrong in ([3], [3, None, 2]):
        with pytest.raises(ValueError, match="rows of structs"):
            st.RaggedStructuredTensorSpec(wrong, rows.spec, "int64")
