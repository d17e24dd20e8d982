"""ST "Updating Fields"."""

import numpy as np
import pytest
from promises import promise

import structtensor as st


@promise(
    "Updating fields",
    "A StructuredTensor is immutable",
    python="structs['x'] = 1 raises TypeError",
    cpp="StructuredTensor",
    tensorflow="the same",
)
def test_values_are_immutable(st_vector):
    with pytest.raises(TypeError):
        st_vector["x"] = 1
    with pytest.raises(TypeError):
        del st_vector["x"]
    st_vector.fields["z"] = 1
    assert st_vector.field_names() == ("x", "y")


@promise(
    "Updating fields",
    "`with_updates(self, **updates)` returns a copy with fields modified or added",
    python="structs.with_updates(x=..., z=...), st.struct.with_updates(structs, x=...)",
    cpp='WithUpdates(structs, {Update::Set({"x"}, value)})',
    tensorflow="rows.with_updates(x=..., z=...)",
    differs="A dict of paths may come first: nested fields, functions of the field, and None, which removes a field",
    shown_by="test_operations.py::test_fields_by_arguments",
)
def test_with_updates(rows):
    updated = rows.with_updates(x=[4, 5, 6], z=np.array([0.5, 1.5, 2.5]))
    assert updated.to_py() == [{"x": 4, "y": [1, 2], "z": 0.5}, {"x": 5, "y": [], "z": 1.5}, {"x": 6, "y": [3], "z": 2.5}]
    assert rows.to_py() == [{"x": 1, "y": [1, 2]}, {"x": 2, "y": []}, {"x": 3, "y": [3]}]
    assert st.struct.with_updates(rows, x=[0, 0, 0])["x"].to_py() == [0, 0, 0]
    # Names that parameters might have are names of fields.
    assert rows.with_updates(updates=[1, 2, 3], structs=rows, self=[0, 0, 0], fields=["a", "b", "c"]).field_names() == (
        "x",
        "y",
        "updates",
        "structs",
        "self",
        "fields",
    )


@promise(
    "Updating fields",
    "Of a scalar struct, values need no axes",
    python="struct.with_updates(x='new', z=5)",
    cpp="WithUpdates()",
    tensorflow="the same",
)
def test_with_updates_of_scalars(st_scalar, struct):
    assert st_scalar.with_updates(x="new", z=5).to_py() == {"x": "new", "y": [[1, 2], [3]], "z": 5}
    assert st_scalar.to_py() == {"x": "foo", "y": [[1, 2], [3]]}
    assert struct.with_updates(recipe={"title": "toast"})["recipe"].to_py() == {"title": "toast"}
    assert struct.with_updates(user_embedding=lambda vector: vector * 10)["user_embedding"].to_py()[0] == 8.0


@promise(
    "Updating fields",
    "Paths and keywords may be combined; a field that is updated twice is an error",
    python="structs.with_updates({'y': None}, x=...)",
    cpp='WithUpdates(structs, {Update::Delete({"y"}), Update::Set({"x"}, value)})',
    tensorflow="the same",
    differs="The document has keywords only",
)
def test_with_updates_together_with_paths(rows):
    assert rows.with_updates({"y": None}, x=[0, 0, 0]).to_py() == [{"x": 0}] * 3
    nested = st.constant([{"n": {"z": 1}}])
    assert nested.with_updates(**{"n.z": [5]}).to_py() == nested.with_updates({"n.z": [5]}).to_py() == [{"n": {"z": 5}}]
    assert nested.with_updates(**{"a name": [5]}).field_names() == ("n", "a name")
    with pytest.raises(ValueError, match="updated twice"):
        rows.with_updates({"x": [0, 0, 0]}, x=[1, 1, 1])
    with pytest.raises(TypeError, match="one dict"):
        rows.with_updates({"x": None}, {"y": None})
    with pytest.raises(TypeError, match="expected a dict"):
        rows.with_updates("x")
    with pytest.raises(ValueError, match="z"):
        rows.with_updates(z=[1, 2])


@promise(
    "Updating fields",
    "`without(self, *field_names)` returns a copy without fields",
    python="structs.without('x', 'z'), st.struct.without(structs, 'x')",
    cpp="Without()",
    tensorflow="rows.without('x', 'z')",
    differs="Paths of nested fields and lists of paths are accepted, too",
    shown_by="test_operations.py::test_fields_by_arguments",
)
def test_without(rows, struct):
    assert rows.without("x").field_names() == ("y",)
    assert rows.with_updates(z=[1, 2, 3]).without("x", "z").field_names() == ("y",)
    assert rows.without().equals(rows)
    assert st.struct.without(rows, "y").field_names() == ("x",)
    assert struct.without(["recipe", "user_embedding"]).field_names() == ()


@promise(
    "Updating fields",
    "`with_only(self, *field_names)` returns a copy with only these fields",
    python="structs.with_only('x', 'y'), st.struct.with_only(structs, 'x')",
    cpp="WithOnly()",
    tensorflow="rows.with_only('x', 'y')",
    differs="Paths of nested fields and lists of paths are accepted, too",
    shown_by="test_operations.py::test_fields_by_arguments",
)
def test_with_only(rows, struct):
    assert rows.with_only("x").field_names() == ("x",)
    assert rows.with_only("y", "x").to_py() == rows.to_py()
    assert st.struct.with_only(rows, "y").field_names() == ("y",)
    # A tuple of names is one path, a list is a list of paths.
    for only in (struct.with_only("recipe.title"), struct.with_only(("recipe", "title"))):
        assert only.to_py() == {"recipe": {"title": "Snickerdoodle cookies"}}
    with pytest.raises(TypeError, match="path"):
        rows.with_only("x", 3)


@promise(
    "Updating fields",
    "Tensors of unmodified fields are shared, not copied",
    python="structs.with_updates(b=...), .without('b'), .with_only('a')",
    cpp="WithUpdates(), Without(), WithOnly()",
    tensorflow="the same",
)
def test_unmodified_fields_are_shared():
    structs = st.StructuredTensor.from_fields({"a": np.arange(1000), "b": np.arange(1000)})
    address = structs["a"].to_numpy().ctypes.data
    for changed in (structs.with_updates(b=np.zeros(1000)), structs.without("b"), structs.with_only("a")):
        assert changed["a"].to_numpy().ctypes.data == address
