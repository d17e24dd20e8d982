"""ST "Design Proposal": the recipe, and the schema of each kind of field."""

import numpy as np
import pytest
from promises import promise

import structtensor as st

INGREDIENT = {"amount": 3.0, "unit": "cup", "name": "flour"}


@promise(
    "Design proposal",
    "`tf.struct.constant` makes a StructuredTensor from a nested dict",
    python="st.struct.constant(value), st.constant(value)",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
    differs="The document's own code is no Python: commas, a brace and quotes are missing",
)
def test_constant_of_a_nested_dict(struct):
    assert struct.field_names() == ("user_embedding", "recipe")
    assert st.struct.constant(struct.to_py()).equals(struct)


@promise(
    "Design proposal",
    "The root and `recipe` are scalar StructuredTensors",
    python="struct.rank == 0",
    cpp="StructuredTensor::rank()",
    tensorflow="the same",
)
def test_the_root_and_the_recipe_are_scalars(struct):
    for scalar in (struct, struct["recipe"]):
        assert isinstance(scalar, st.StructuredTensor)
        assert (scalar.rank, scalar.shape) == (0, ())


@promise(
    "Design proposal",
    "`ingredients`, `step` and `user_rating` are vector StructuredTensors",
    python="struct['recipe', 'ingredients']",
    cpp="StructuredTensor::field_value()",
    tensorflow="the same",
)
def test_lists_of_structures_are_vectors(struct):
    for name, size in {"ingredients": 6, "step": 4, "user_rating": 2}.items():
        vector = struct["recipe", name]
        assert isinstance(vector, st.StructuredTensor) and vector.shape == (size,)


@promise(
    "Design proposal",
    "The other fields of one structure are scalar Tensors, and its `user_embedding` is a vector",
    python="struct['recipe', 'ingredients', 0, 'amount']",
    cpp="Index()",
    tensorflow="the same",
)
def test_other_fields_are_scalars_of_their_structure(struct):
    recipe = struct["recipe"]
    scalars = [recipe["title"], recipe["est_time"], recipe["step", 0, "description"], recipe["user_rating", 0, "score"]]
    scalars += [recipe["ingredients", 0, name] for name in INGREDIENT]
    assert all(isinstance(value, st.Tensor) and value.shape == () for value in scalars)
    embedding = recipe["user_rating", 0, "user_embedding"]
    assert isinstance(embedding, st.Tensor) and embedding.to_py() == [0.7, 2.0, 0.3, 0.3, 5.2, 2.2]


@promise(
    "Design proposal",
    "The value of a field is a Tensor, a RaggedTensor, or a StructuredTensor of any rank",
    python="st.StructuredTensor.from_fields(fields)",
    cpp="FromFields()",
    tensorflow="T.from_fields(fields)",
    differs="Values of extension types can be fields, too, which the document leaves for later",
)
def test_kinds_of_values():
    structs = st.StructuredTensor.from_fields(
        {
            "tensor": [1, 2],
            "ragged": st.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3]),
            "scalars": st.constant([{"q": 1}, {"q": 2}]),
            "vectors": st.constant([[{"q": 1}, {"q": 2}], [{"q": 3}]]),
        }
    )
    kinds = [st.Tensor, st.RaggedTensor, st.StructuredTensor, st.StructuredTensor]
    assert [type(value) for value in structs.fields.values()] == kinds
    assert structs[0, "scalars"].rank == 0 and structs[0, "vectors"].rank == 1


@promise(
    "Design proposal",
    "The schema of a Tensor field has its dtype and shape",
    python="spec.fields['x'].dtype, .shape",
    cpp="TensorSpec",
    tensorflow="tf.type_spec_from_value(rows).fields['x']",
    differs="TensorFlow's face has the spec of the flat column, so that a function is traced once for any number of rows",
)
@promise(
    "Design proposal",
    "The schema of a RaggedTensor field has its dtype and ragged rank",
    python="spec.fields['y'].dtype, .ragged_rank",
    cpp="RaggedTensorSpec",
    tensorflow="the same",
)
@promise(
    "Design proposal",
    "The schema of a StructuredTensor field has its shape, and the name and type of each nested field",
    python="spec.fields['recipe'].shape, .fields",
    cpp="StructuredTensorSpec",
    tensorflow="the same",
)
def test_schemas_of_fields(st_vector, struct):
    x, y = st_vector.spec.fields["x"], st_vector.spec.fields["y"]
    assert (x.dtype, x.shape) == ("string", (3,))
    assert (y.dtype, y.ragged_rank) == ("int64", 2)
    step = struct.spec.fields["recipe"].fields["step"]
    assert step.shape == (4,) and step.fields == {"description": st.TensorSpec([4], "string")}


@promise(
    "Design proposal",
    "All structures of a vector or matrix share the same schema",
    python="structs[0].spec == structs[1].spec",
    cpp="StructuredTensor::spec()",
    tensorflow="the same",
)
def test_structures_of_a_vector_share_their_schema():
    ingredients = st.constant([INGREDIENT, {"amount": 1.0, "unit": "cup", "name": "butter"}])
    assert ingredients[0].spec == ingredients[1].spec
    dense = st.StructuredTensor([2, 3], {"v": np.zeros((2, 3, 4))})
    assert dense[0, 0].spec == dense[1, 2].spec == st.StructuredTensorSpec([], {"v": st.TensorSpec([4], "double")})
    with pytest.raises(ValueError, match="unit"):
        st.constant([INGREDIENT, {"amount": 1.0, "name": "butter"}])
