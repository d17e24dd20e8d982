"""ST "Protocol Buffers", with the message type in recipe.proto."""

import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st

SECTION = "Integration: protocol buffers"


@pytest.fixture
def batch(schema, messages):
    return schema.decoder(optionals="ragged").decode(messages)


@promise(
    SECTION,
    "A message type is a StructuredTensor, whose fields have the names of the message's",
    python="schema.decoder().decode(messages)",
    cpp="ToStructuredTensor()",
    tensorflow="structtensor.tf.decode(serialized, schema)",
    differs="A oneof has a field with the number of its member, too",
)
def test_field_names(batch):
    names = ("title", "minutes", "codes", "ingredients", "base", "nutrition", "url", "page", "source_case")
    assert isinstance(batch, st.StructuredTensor) and batch.field_names() == names


@promise(
    SECTION,
    "`required` fields are 0D values",
    python="batch[0]['title'], batch[0]['base']",
    cpp="ToStructuredTensor()",
    tensorflow="the same",
)
def test_required_fields(batch):
    assert (batch["title"].shape, batch[0]["title"].shape, batch["title"].to_py()) == ((2,), (), ["cookies", "toast"])
    assert (batch["base"].shape, batch[0]["base"].shape, batch["base", "kcal"].to_py()) == ((2,), (), [400, 80])


@promise(
    SECTION,
    "`repeated` fields are 1D values",
    python="batch[0]['codes']",
    cpp="ToStructuredTensor()",
    tensorflow="the same",
)
def test_repeated_fields(batch):
    assert (batch["codes"].shape, batch[0]["codes"].shape) == ((2, None), (2,))
    assert batch["codes"].to_py() == [[1, 2], []]


@promise(
    SECTION,
    "`optional` fields are 1D values of length zero or one",
    python="schema.decoder(optionals='ragged')",
    cpp="TensorOptions",
    tensorflow="structtensor.tf.decode(serialized, schema)",
    differs="Nullable values are the default of the package, since data frames and Arrow have them",
    shown_by="test_decode.py::test_options",
)
def test_optional_fields(batch, schema, messages):
    assert batch["minutes"].to_py() == [[25], []] and batch[0]["minutes"].shape == (1,) and batch[1]["minutes"].shape == (0,)
    assert batch["nutrition", "kcal"].to_py() == [[100], []]
    nullable = schema.decoder().decode(messages)
    assert nullable["minutes"].to_py() == [25, None] and nullable["minutes"].shape == (2,)


@promise(
    SECTION,
    "Scalar fields are Tensors if 0D or 1D, and RaggedTensors beyond",
    python="batch['codes'], batch[0]['codes']",
    cpp="ToStructuredTensor()",
    tensorflow="the same",
)
def test_types_of_scalar_fields(batch):
    kinds = [type(value) for value in (batch[0]["title"], batch[0]["codes"], batch["title"], batch["codes"])]
    assert kinds == [st.Tensor, st.Tensor, st.Tensor, st.RaggedTensor]
    assert isinstance(batch["ingredients", "tags"], st.RaggedTensor)
    assert batch["ingredients", "tags"].to_py() == [[["dry", "white"], []], []]


@promise(
    SECTION,
    "Message fields are StructuredTensors",
    python="batch['ingredients']",
    cpp="ToStructuredTensor()",
    tensorflow="the same",
)
def test_types_of_message_fields(batch):
    assert all(isinstance(batch[name], st.StructuredTensor) for name in ("base", "nutrition", "ingredients"))
    assert batch["ingredients", "name"].to_py() == [["flour", "sugar"], []]


@promise(
    SECTION,
    "A single proto is a scalar StructuredTensor, and a batch of protos is a vector",
    python="decoder.decode([message])[0], decoder.decode(messages)",
    cpp="ToStructuredTensor(), StructuredTensor::Row()",
    tensorflow="structtensor.tf.decode([message], schema)[0]",
    differs="Messages are decoded in batches; a row is the scalar",
)
def test_one_message_and_a_batch(batch, schema, messages):
    assert (batch.rank, batch.shape) == (1, (2,))
    single = schema.decoder().decode(messages[:1])[0]
    assert single.rank == 0 and single["title"].to_py() == "cookies"
    with pytest.raises(TypeError, match=r"\[message\]"):
        schema.decoder().decode(messages[0])


promise_of_tensorflow(
    SECTION,
    "A library, struct2tensor, constructs a graph that parses serialized protos into a StructuredTensor",
    tensorflow="structtensor.tf.Decoder, structtensor.tf.s2t",
    differs="The graph has one operation, which decodes all fields; `s2t` has struct2tensor's names",
    shown_by="test_s2t.py::test_messages",
)
