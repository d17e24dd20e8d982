"""ST "Motivation", "User Benefit" and "Limitations and Drawbacks", as far as they ask something."""

import numpy as np
import pyarrow as pa
import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st

promise_of_tensorflow(
    "Motivation and user benefit",
    "The transformation of the input is packaged with the model: messages in, predictions out",
    tensorflow="tf.saved_model.save(model, folder)",
    shown_by="test_decode.py::test_saved_models_are_complete",
)


@promise(
    "Motivation and user benefit",
    "Popular formats are read and written without copies",
    python="st.from_arrow(array), pa.array(value)",
    cpp="ImportValue(), ExportValue()",
    tensorflow="T.from_structtensor(value), rows.to_structtensor()",
    shown_by="test_type.py::test_numbers_and_row_splits_are_shared_with_the_package",
)
def test_reads_and_writes_without_copies():
    array = pa.array(np.arange(1000))
    address = array.buffers()[1].address
    value = st.from_arrow(array)
    assert value.to_numpy().ctypes.data == address
    assert pa.array(value).buffers()[1].address == address


@promise(
    "Motivation and user benefit",
    "Structured output converts to protocol buffers, JSON, Arrow and Parquet",
    python="batch.to_protobuf(), .to_json(), .to_arrow(), .to_parquet(path)",
    cpp="TensorEncoder, ToJson(), ExportBatch(), OpenColumnFile()",
    tensorflow="structtensor.tf.encode(rows, schema), rows.to_structtensor()",
)
def test_output_converts_to_formats(schema, messages, tmp_path):
    batch = schema.decoder(optionals="ragged").decode(messages)
    assert batch.to_protobuf() == messages
    assert '"title":"cookies"' in batch.to_json()
    assert batch.to_arrow().num_rows == 2
    batch.to_parquet(tmp_path / "recipes.parquet")
    assert st.from_parquet(tmp_path / "recipes.parquet")["title"].to_py() == ["cookies", "toast"]


promise_of_tensorflow(
    "Motivation and user benefit",
    "Models are joined: gradients of the loss propagate through structs between them",
    tensorflow="tf.GradientTape",
    shown_by="test_type.py::test_gradients",
)


@promise(
    "Motivation and user benefit",
    "A struct documents and enforces that its fields share their outer dimensions",
    python="st.StructuredTensor.from_fields(fields)",
    cpp="FromFields()",
    tensorflow="T.from_fields(fields)",
)
def test_shared_outer_dimensions_are_enforced():
    with pytest.raises(ValueError, match="name"):
        st.StructuredTensor.from_fields({"amount": [1.0, 2.0], "name": ["a", "b", "c"]})


promise_of_tensorflow(
    "Motivation and user benefit",
    "No overhead at run time: operations on structs are operations on their tensors, and sizes cause no new graphs",
    tensorflow="tf.function(function)(rows)",
    shown_by="test_type.py::test_functions_are_traced_once",
)
promise_of_tensorflow(
    "Motivation and user benefit",
    "Reading the input skips fields that the model does not use",
    python="schema.decoder(select=['title'])",
    cpp="DecodedBatch",
    tensorflow="structtensor.tf.Decoder(schema, select=[...]), s2t.create_expression_from_proto()",
    differs="`select` or the expressions of `s2t` name the fields; TensorFlow's optimizer skips whole operations only",
    shown_by="test_s2t.py::test_only_what_is_needed_is_decoded",
)
promise_of_tensorflow(
    "Motivation and user benefit",
    "The structured output of one model is the input of the next without serialization",
    tensorflow="tf.saved_model.load(folder).function(rows)",
    shown_by="test_type.py::test_saved_models",
)


@promise(
    "Limitations and drawbacks",
    "All structures of a tensor share one schema",
    python="st.constant(lists)",
    cpp="Constant()",
    tensorflow="T.from_py(lists)",
)
def test_a_shared_schema_is_required():
    with pytest.raises(ValueError, match="key 'b'"):
        st.constant([{"a": 1}, {"b": 2}])


@promise(
    "Limitations and drawbacks",
    "Shared dimensions are leading: [batch, ingredient] and [batch, step, ingredient] share only [batch]",
    python="st.StructuredTensor(shape, fields)",
    cpp="DenseStructuredTensor()",
    tensorflow="T.from_fields(fields, rank=1)",
)
def test_shared_dimensions_are_leading():
    fields = {"amount": np.zeros((2, 3)), "used": np.zeros((2, 4, 3))}
    with pytest.raises(ValueError, match="used"):
        st.StructuredTensor([2, 3], fields)
    batch = st.StructuredTensor([2], fields)
    assert (batch.shape, batch["amount"].shape, batch["used"].shape) == ((2,), (2, 3), (2, 4, 3))
