"""ST "Path-Based Manipulation"."""

import pytest
from promises import promise

import structtensor as st


@pytest.fixture
def docs():
    return st.constant([{"id": "d0", "docs": [{"t": 1}, {"t": 2}]}, {"id": "d1", "docs": [{"t": 3}]}, {"id": "d2", "docs": []}])


@promise(
    "Path-based manipulation",
    "`broadcast` copies values from a source path to a target path, a descendant of the source",
    python="struct.broadcast('recipe.title', 'recipe.ingredients.recipe'), st.struct.broadcast(struct, source, target)",
    cpp="Broadcast()",
    tensorflow="rows.broadcast(source, target)",
    shown_by="test_operations.py::test_paths",
)
def test_broadcast(struct, docs):
    named = struct.broadcast("recipe.title", "recipe.ingredients.recipe")
    assert named["recipe", "ingredients", :, "recipe"].to_py() == ["Snickerdoodle cookies"] * 6
    assert st.struct.broadcast(struct, ("user_embedding",), ("recipe", "embedding"))["recipe", "embedding"].to_py()[0] == 0.8
    assert docs.broadcast("id", "docs.doc_id")["docs", "doc_id"].to_py() == [["d0", "d0"], ["d1"], []]
    with pytest.raises(ValueError):
        docs.broadcast("docs.t", "t")


@promise(
    "Path-based manipulation",
    "`promote` copies values from a source path to a target path, an ancestor of the source",
    python="struct.promote('recipe.ingredients.amount', 'recipe.amounts'), st.struct.promote(struct, source, target)",
    cpp="Promote()",
    tensorflow="rows.promote(source, target)",
    shown_by="test_operations.py::test_paths",
)
def test_promote(struct, docs):
    amounts = [3.0, 1.0, 0.5, 1.0, 1.0, 2.0]
    promoted = struct.promote("recipe.ingredients.amount", "recipe.amounts")
    assert promoted["recipe", "amounts"].to_py() == amounts
    assert promoted["recipe"].field_names() == (*struct["recipe"].field_names(), "amounts")
    assert struct.promote("recipe.ingredients.amount", "amounts")["amounts"].to_py() == amounts
    assert docs.promote("docs.t", "ts")["ts"].to_py() == [[1, 2], [3], []]
    with pytest.raises(ValueError, match="moves outward"):
        struct.promote("recipe.title", "recipe.ingredients.title")


@promise(
    "Path-based manipulation",
    "`apply` applies an op or function to one or more source paths, and writes the result to a target path",
    python="docs.apply('docs.t', 'docs.t10', lambda t: t * 10), st.struct.apply(struct, sources, target, function)",
    cpp="Apply()",
    tensorflow="rows.apply(sources, target, function)",
    shown_by="test_operations.py::test_updates",
)
def test_apply(struct, docs):
    assert docs.apply("docs.t", "docs.t10", lambda t: t * 10)["docs", "t10"].to_py() == [[10, 20], [30], []]
    assert docs.apply(["docs.t", "docs.t"], "docs.sum", st.add)["docs", "sum"].to_py() == [[2, 4], [6], []]
    total = struct.apply(("recipe", "ingredients", "amount"), "recipe.total", st.reduce_sum)
    assert total["recipe", "total"].to_py() == 8.5
    assert st.struct.apply(docs, ["id", "docs.t"], "n", lambda _, t: st.reduce_sum(t, axis=1))["n"].to_py() == [3, 3, 0]
