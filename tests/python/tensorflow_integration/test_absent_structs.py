"""Everything below an absent struct is absent.

TensorFlow's tensors have no absent elements. With optionals="ragged", a struct that may be absent is an axis of 0 or 1 structs,
so nothing exists below an absent one. With optionals="default" nothing is absent: fields of absent messages have their
defaults.
"""

import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from structtensor.tf import s2t

F = descriptor_pb2.FieldDescriptorProto


@pytest.fixture(scope="module")
def row_class():
    """Messages in messages, with fields that have a value wherever their message is present."""
    file = descriptor_pb2.FileDescriptorProto(name="absent.proto", package="absent", syntax="proto3")
    for message, fields in {
        "Leaf": {"text": F.TYPE_STRING},
        "Struct": {"number": F.TYPE_INT64, "list": F.TYPE_INT64, "leaf": "Leaf"},
        "Row": {"id": F.TYPE_INT64, "struct": "Struct"},
    }.items():
        declared = file.message_type.add(name=message)
        for number, (name, kind) in enumerate(fields.items(), 1):
            label = F.LABEL_REPEATED if name == "list" else F.LABEL_OPTIONAL
            if isinstance(kind, str):
                declared.field.add(name=name, number=number, type=F.TYPE_MESSAGE, label=label, type_name=f".absent.{kind}")
            else:
                declared.field.add(name=name, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("absent.Row"))


@pytest.fixture(scope="module")
def messages(row_class):
    return [
        row.SerializeToString()
        for row in (
            row_class(id=1, struct={"number": 7, "list": [1, 2], "leaf": {"text": "x"}}),
            row_class(id=2),
            row_class(id=3, struct={}),
            row_class(id=4, struct={"number": 8, "leaf": {}}),
            row_class(id=5),
        )
    ]


@pytest.fixture(scope="module")
def rows(row_class, messages):
    return structtensor.tf.decode(messages, row_class)


def test_fields_of_absent_structs(rows):
    assert rows["struct", "number"].to_list() == [[7], [], [0], [8], []]
    assert rows["struct", "list"].to_list() == [[[1, 2]], [], [[]], [[]], []]
    assert rows["struct", "leaf", "text"].to_list() == [[[b"x"]], [], [[]], [[b""]], []]
    assert rows[:2, "struct", "number"].to_list() == [[7], []]


def test_paths_through_absent_structs(rows):
    assert rows.promote("struct.number", "new")["new"].to_list() == [[7], [], [0], [8], []]
    assert rows.promote("struct.list", "new")["new"].to_list() == [[1, 2], [], [], [], []]
    assert rows.promote("struct.leaf.text", "new")["new"].to_list() == [[b"x"], [], [], [b""], []]
    assert rows.broadcast("id", "struct.new")["struct", "new"].to_list() == [[1], [], [3], [4], []]
    assert rows.size_each("struct.list", "new")["struct", "new"].to_list() == [[2], [], [0], [0], []]
    assert rows.has("struct", "new")["new"].numpy().tolist() == [True, False, True, True, False]
    assert rows.has("struct.leaf", "new")["struct", "new"].to_list() == [[True], [], [False], [True], []]
    assert rows.reroot("struct")["number"].numpy().tolist() == [7, 0, 8]
    assert rows.reroot("struct.leaf")["text"].numpy().tolist() == [b"x", b""]
    assert rows.apply(["struct.number"], "new", lambda numbers: numbers + 1)["new"].to_list() == [[8], [], [1], [9], []]
    mapped = rows.map_values("struct.number", "new", lambda numbers: numbers + 1)
    assert mapped["struct", "new"].to_list() == [[8], [], [1], [9], []]


def test_conditions_and_reductions(rows):
    numbers = rows["struct", "number"]
    assert rows[tf.reduce_any(numbers == 0, axis=1)]["id"].numpy().tolist() == [3]
    assert tf.reduce_sum(numbers, axis=1).numpy().tolist() == [7, 0, 0, 8, 0]
    assert float(tf.reduce_mean(tf.cast(numbers, tf.float32))) == 5.0
    total = tf.reduce_sum(rows.with_only(["struct.number"]), axis=0)
    assert total.to_py() == {"struct": [{"number": 15}]}


def test_rows_are_those_of_the_package(row_class, messages, rows):
    def one(value):
        return [] if value is None else [value]

    expected = st.Schema.from_class(row_class).decoder().decode(messages).to_py()
    for row in expected:
        if row["struct"] is not None:
            leaf = row["struct"]["leaf"]
            row["struct"]["leaf"] = one(leaf and {"text": leaf["text"].encode()})
        row["struct"] = one(row["struct"])
    assert rows.to_py() == expected


def test_absent_structs_are_absent_messages_again(row_class, messages, rows):
    again = structtensor.tf.encode(rows, row_class).numpy()
    assert [row_class.FromString(message) for message in again] == [row_class.FromString(message) for message in messages]


def test_prensors(messages, row_class):
    expression = s2t.create_expression_from_proto(messages, row_class.DESCRIPTOR).project(["struct.number", "struct.list"])
    prensor = s2t.calculate_prensors([expression])[0]
    assert prensor.get_ragged_tensor("struct.number").to_list() == [[[7]], [], [[0]], [[8]], []]
    assert prensor.get_ragged_tensor("struct.list").to_list() == [[[1, 2]], [], [[]], [[]], []]


def test_defaults_have_no_absent_structs(row_class, messages):
    rows = structtensor.tf.decode(messages, row_class, optionals="default")
    assert rows["struct", "number"].numpy().tolist() == [7, 0, 0, 8, 0]
    assert rows["struct", "list"].to_list() == [[1, 2], [], [], [], []]
    assert rows["struct", "leaf", "text"].numpy().tolist() == [b"x", b"", b"", b"", b""]


@pytest.mark.parametrize(
    "lists, path",
    [
        ([{"s": {"x": 1}}, {"s": None}], "s"),
        ([{"s": {"x": 1, "t": {"y": 1}}}, {"s": {"x": 2, "t": None}}], "s.t"),
        ([{"s": {"x": 1, "t": {"y": 1}}}, {"s": None}], "s"),
    ],
)
def test_absent_structs_of_the_package_are_errors(lists, path):
    def spec(row):
        number = st.TensorSpec([None], "int64")
        fields = {name: spec(value) if isinstance(value, dict) else number for name, value in row.items()}
        return st.StructuredTensorSpec([None], fields, nullable=True)

    value = st.constant(lists, spec=spec(lists[0]))
    with pytest.raises(ValueError, match=f"^{path}: structs are absent, which TensorFlow cannot represent"):
        structtensor.tf.StructuredTensor.from_structtensor(value)
    assert structtensor.tf.StructuredTensor.from_structtensor(value[:1]).to_py() == lists[:1]
