"""ST "Objective": structures with one schema, and tables as their special case."""

import pyarrow as pa
from promises import promise

import structtensor as st


@promise(
    "Objective",
    "A schema is a collection of fields, each with a name and a type",
    python="structs.spec",
    cpp="StructuredTensorSpec",
    tensorflow="tf.type_spec_from_value(rows)",
)
def test_a_schema_has_names_and_types(st_scalar):
    assert list(st_scalar.spec.fields) == ["x", "y"]
    x, y = st_scalar.spec.fields.values()
    assert (type(x), x.dtype, x.shape) == (st.TensorSpec, "string", ())
    assert (type(y), y.dtype, y.shape) == (st.RaggedTensorSpec, "int64", (2, None))


@promise(
    "Objective",
    "A structure maps each field to a tensor value, which may be a nested structure",
    python="struct['recipe']",
    cpp='Index(struct, {"recipe"})',
    tensorflow="the same",
)
def test_a_structure_maps_fields_to_values(struct):
    assert isinstance(struct["user_embedding"], st.Tensor)
    assert isinstance(struct["recipe"], st.StructuredTensor)


@promise(
    "Objective",
    "A 1D StructuredTensor is a table: its columns are tensors of different types, its rows their aligned elements",
    python="table['a'], table[1]",
    cpp="Index()",
    tensorflow="the same",
)
def test_a_vector_is_a_table():
    table = st.constant([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    assert (table["a"].to_py(), table["b"].to_py(), table[1].to_py()) == ([1, 2], ["x", "y"], {"a": 2, "b": "y"})
    assert (table["a"].dtype, table["b"].dtype) == ("int64", "string")


@promise(
    "Objective",
    "A table maps to a pandas DataFrame or an Arrow RecordBatch",
    python="table.to_pandas(), pa.record_batch(table)",
    cpp="ExportBatch()",
    tensorflow="rows.to_structtensor().to_pandas()",
)
def test_a_table_is_a_data_frame_and_a_record_batch():
    table = st.constant([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    assert table.to_pandas().to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert pa.record_batch(table).to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
