"""encode(), parse_examples() and the errors of decode(): the same as outside of TensorFlow."""

import numpy as np
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def test_encode(orders, serialized, order_class):
    rows = structtensor.tf.decode(serialized, order_class)
    encoded = structtensor.tf.encode(rows, order_class)
    assert [order_class.FromString(message) for message in encoded.numpy()] == orders
    in_function = tf.function(lambda rows: structtensor.tf.encode(rows[3:], order_class))(rows)
    assert in_function.numpy().tolist() == encoded.numpy().tolist()[3:]
    dataset = tf.data.Dataset.from_tensor_slices(serialized).batch(5).map(structtensor.tf.Decoder(order_class))
    encoder = structtensor.tf.Encoder(order_class)
    assert encoder.message == "shop.Order" and "shop.Order" in repr(encoder)
    dataset = dataset.map(lambda rows: encoder(rows.with_only(["id", "items.price"]))).unbatch()
    for message, order in zip(dataset, orders, strict=True):
        found = order_class.FromString(message.numpy())
        assert found.id == order.id and [item.price for item in found.items] == [item.price for item in order.items]
        assert not found.weights and not any(item.HasField("key") for item in found.items)


def test_encode_what_is_made_here(order_class):
    items = structtensor.tf.StructuredTensor.from_fields({"price": tf.ragged.constant([[1.5], [], [2.5, 3.5]])}, rank=2)
    rows = structtensor.tf.StructuredTensor.from_fields({"id": [7, 8, 9], "items": items, "weights": [[1.0, 2.0]] * 3})
    found = [order_class.FromString(message) for message in structtensor.tf.encode(rows, order_class).numpy()]
    assert [(order.id, [item.price for item in order.items], list(order.weights)) for order in found] == [
        (7, [1.5], [1, 2]), (8, [], [1, 2]), (9, [2.5, 3.5], [1, 2])]  # fmt: skip
    nothing = structtensor.tf.StructuredTensor.from_fields({}, nrows=2)
    assert structtensor.tf.encode(nothing, order_class).numpy().tolist() == [b"", b""]


def test_encode_that_is_wrong(serialized, order_class):
    make = structtensor.tf.StructuredTensor.from_fields
    encode = structtensor.tf.encode
    with pytest.raises(tf.errors.InvalidArgumentError, match="idd"):
        encode(make({"idd": [1]}), order_class)
    assert encode(make({"idd": [1]}), order_class, ignore_extra_fields=True).numpy().tolist() == [b""]
    with pytest.raises(tf.errors.OutOfRangeError, match="count"):
        encode(make({"count": [1, -1]}), order_class)
    with pytest.raises(tf.errors.InvalidArgumentError, match="id"):
        encode(make({"id": ["x"]}), order_class)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be encoded"):
        encode(make({"id": tf.constant([1], tf.complex64)}), order_class)
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError), match="id"):
        encode(make({"id": [[1, 2]]}), order_class)
    with pytest.raises(ValueError, match="rank 2"):
        encode(structtensor.tf.decode(serialized, order_class)["items"], order_class)
    with pytest.raises(TypeError, match="expected a structtensor.tf.StructuredTensor"):
        encode([1], order_class)
    with pytest.raises(KeyError, match="NoSuch"):
        encode(make({"id": [1]}), order_class, "NoSuch")
    with pytest.raises(ValueError, match="timestamps"):
        encode(make({"id": [1]}), order_class, timestamps="days")
    # Row splits that have not been checked.
    broken = structtensor.tf.StructuredTensor(
        (), {"weights": tf.RaggedTensor.from_row_splits([1.0, 2.0], [0, 9, 2], validate=False)}
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="weights: "):
        encode(broken, order_class)
    items = structtensor.tf.StructuredTensor([tf.constant([0, 1], tf.int64)], {"price": tf.constant([1.0, 2.0])})
    with pytest.raises(tf.errors.InvalidArgumentError, match="(^|[^.])items.price: expected a vector of 1 elements") as problem:
        encode(structtensor.tf.StructuredTensor((), {"items": items}), order_class)
    assert "items: " not in problem.value.message  # the path appears once


def test_attributes_of_encode_that_are_wrong(order_class):
    from structtensor.tf import _decode

    schema = st.Schema.from_class(order_class)
    good = {
        "descriptor_set": schema.to_descriptor_set(),
        "message": "shop.Order",
        "structure": ["1", "column", "id", "0"],
        "options": [],
    }

    def encode(columns=(np.array([1, 2]),), nrows=2, **attributes):
        return _decode.ops.structtensor_encode(nrows=np.int64(nrows), columns=list(columns), **{**good, **attributes})

    assert encode().numpy().tolist() == [b"\x08\x01", b"\x08\x02"]
    for wrong in [
        {"structure": []}, {"structure": ["2", "column", "id", "0"]}, {"structure": ["1", "column", "id", "0", "more"]},
        {"structure": ["1", "column", "id", "-1"]}, {"structure": ["1", "table", "id", "0"]},
        {"structure": ["1", "column", "id", "1"]},
        {"structure": ["1"] + ["structs", "items", "0", "1"] * 200}, {"options": ["no=true"]}, {"options": ["sort_map_keys=1"]},
        {"nrows": -1}, {"nrows": 3}, {"nrows": 1 << 40}, {"columns": [np.zeros((2, 1), np.int64)]}, {"columns": []},
        {"message": "NoSuch"}, {"descriptor_set": b"none"}, {"structure": ["1", "column", "", "0"]},
    ]:  # fmt: skip
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.NotFoundError, tf.errors.OutOfRangeError)):
            encode(**wrong)


def class_with_times(name, **labels):
    """The class of a message type that has these fields, one after another: `at`, `took` and `children` of its own type."""
    from google.protobuf import duration_pb2, timestamp_pb2

    types = {"at": ".google.protobuf.Timestamp", "took": ".google.protobuf.Duration", "children": f".{name}"}
    file = descriptor_pb2.FileDescriptorProto(name=f"{name}.proto", syntax="proto3")
    file.dependency.extend(["google/protobuf/timestamp.proto", "google/protobuf/duration.proto"])
    message = file.message_type.add(name=name)
    for number, (field, label) in enumerate(labels.items(), 1):
        message.field.add(name=field, number=number, type=11, label=label, type_name=types[field])
    pool = descriptor_pool.DescriptorPool()
    for module in (duration_pb2, timestamp_pb2):
        pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


SINGULAR, REPEATED = 1, 3


def test_times_are_encoded():
    times = class_with_times("Times", at=SINGULAR, took=REPEATED)
    messages = [times(), times()]
    messages[0].at.FromSeconds(1_700_000_000)
    messages[0].took.add().FromMilliseconds(1500)
    serialized = [each.SerializeToString() for each in messages]
    for unit in ("ns", "us", "ms"):
        rows = structtensor.tf.decode(serialized, times, timestamps=unit)
        assert structtensor.tf.encode(rows, times, timestamps=unit).numpy().tolist() == serialized


def test_errors_of_decode(serialized, order_class):
    decoder = structtensor.tf.Decoder(order_class, on_error="skip")
    broken = [*serialized[:2], b"\x0a\xff", serialized[2], b"\x12\x01\xff"]
    outside = st.Schema.from_class(order_class).decoder("Order", on_error="skip").decode(broken)
    for call in (decoder.with_errors, tf.function(decoder.with_errors)):
        rows, errors = call(broken)
        assert rows.to_py() == decoder(serialized[:3]).to_py()
        expected = [{name: value for name, value in row.items() if name != "row"} for row in outside.errors.to_py()]
        found = errors.to_py()
        assert [row.pop("serialized") for row in found] == [broken[row["message_index"]] for row in expected]
        assert [{name: v.decode() if isinstance(v, bytes) else v for name, v in row.items()} for row in found] == expected
    assert decoder.with_errors(serialized)[1].to_py() == []


def test_types_without_fields_count_their_rows(order_class):
    nothing = structtensor.tf.Decoder(order_class, message="shop.Nothing", on_error="skip")
    rows, errors = nothing.with_errors([b"", b"\xff", b""])
    assert int(rows.nrows()) == 2 and rows.to_py() == [{}, {}] and errors["message_index"].numpy().tolist() == [1]


# --- tf.Example


def example(**features):
    made = tf.train.Example()
    for name, values in features.items():
        feature = made.features.feature[name]
        if isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], float):
            feature.float_list.value.extend(values)
        else:
            feature.int64_list.value.extend(values)
    return made.SerializeToString()


EXAMPLES = [
    example(
        id=[1],
        words=[b"a", b"b"],
        point=[1.0, 2.0],
        splits=[0, 1, 2],
        grouped=[b"a", b"b"],
        at=[2, 0],
        steps=[5, 6],
        numbers=[7, 8],
        tags=[b"p", b"q"],
    ),
    example(id=[2], point=[3.0, 4.0], default=[9.5]),
    example(
        id=[3],
        words=[b"a text that is longer than 22 bytes"],
        point=[5.0, 6.0],
        splits=[0, 0, 1],
        grouped=[b"c"],
        at=[1],
        steps=[7],
        tags=[b"r"],
    ),
]
FEATURES = {
    "id": tf.io.FixedLenFeature([], tf.int64),
    "words": tf.io.VarLenFeature(tf.string),
    "point": tf.io.FixedLenFeature([2], tf.float32),
    "default": tf.io.FixedLenFeature([], tf.float32, 0.5),
    "text": tf.io.FixedLenFeature([2], tf.string, [b"\xff", b"y"]),
    "steps": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1),
    "grouped": tf.io.RaggedFeature(tf.string, "grouped", [tf.io.RaggedFeature.RowSplits("splits")]),
    "pairs": tf.io.RaggedFeature(tf.int64, "numbers", [tf.io.RaggedFeature.UniformRowLength(1)]),
    "sparse": tf.io.SparseFeature("at", "tags", tf.string, 4),
}


def test_parse_examples():
    theirs = tf.io.parse_example(EXAMPLES, FEATURES)
    parse = structtensor.tf.parse_examples
    dataset = tf.data.Dataset.from_tensors(EXAMPLES).map(lambda serialized: parse(serialized, FEATURES))
    for rows in (parse(EXAMPLES, FEATURES), tf.function(parse)(EXAMPLES, FEATURES), next(iter(dataset))):
        assert rows.to_py() == as_bytes(st.io.parse_examples(EXAMPLES, FEATURES).to_py())
        for name in ("id", "point", "default", "text", "steps"):
            np.testing.assert_array_equal(rows[name].numpy(), theirs[name].numpy())
            assert rows[name].dtype == theirs[name].dtype
        for name in ("grouped", "pairs"):
            assert rows[name].to_list() == theirs[name].to_list()
        words = rows["words"].to_sparse()
        for part in ("indices", "values", "dense_shape"):
            np.testing.assert_array_equal(getattr(words, part).numpy(), getattr(theirs["words"], part).numpy())
        assert rows["sparse", "values"].to_list() == [[b"q", b"p"], [], [b"r"]]
    assert parse([], FEATURES).to_py() == []
    assert parse(EXAMPLES, FEATURES)["point"].shape == [3, 2]


def as_bytes(value):
    if isinstance(value, dict):
        return {name: as_bytes(field) for name, field in value.items()}
    return (
        [as_bytes(item) for item in value] if isinstance(value, list) else value.encode() if isinstance(value, str) else value
    )


def test_parse_examples_that_is_wrong():
    parse = structtensor.tf.parse_examples
    with pytest.raises(tf.errors.InvalidArgumentError, match='feature "no"'):
        parse(EXAMPLES, {"no": tf.io.FixedLenFeature([], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="row 1"):
        parse([EXAMPLES[0], b"\xff"], FEATURES)
    with pytest.raises(TypeError, match="expected one of"):
        parse(EXAMPLES, {"id": 1})
    for wrong in ("scalar", [["a"]]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            parse(wrong, FEATURES)
    from structtensor.tf import _decode

    for strings in (["id"], ["id", "NoFeature", "int64"], ["id", "VarLenFeature", "int8"],
                  ["id", "FixedLenFeature", "int64", "1", "-2", "-1"],
                  ["id", "FixedLenFeature", "int64", "0", "1", "x"], ["id", "FixedLenFeature", "int64", "0", "99999999"],
                  ["id", "VarLenFeature", "float"]):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError):
            _decode.ops.structtensor_parse_examples(serialized=EXAMPLES, features=strings, Tout=[tf.int64, tf.int64])


def test_saved_models_with_all_operations(serialized, order_class, tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def again(self, serialized):
            return structtensor.tf.encode(structtensor.tf.decode(serialized, order_class), order_class)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def examples(self, serialized):
            return structtensor.tf.parse_examples(serialized, FEATURES)

    tf.saved_model.save(Model(), str(tmp_path / "model"))
    model = tf.saved_model.load(str(tmp_path / "model"))
    assert model.again(serialized).numpy().tolist() == serialized
    assert model.examples(EXAMPLES).to_py() == structtensor.tf.parse_examples(EXAMPLES, FEATURES).to_py()


def test_times_below_a_recursion_come_back():
    tree = class_with_times("Tree", at=SINGULAR, took=SINGULAR, children=REPEATED)
    root = tree()
    level = root
    for depth in range(3):
        level.at.FromSeconds(1_700_000_000 + depth)
        level.took.FromMilliseconds(1500 + depth)
        level = level.children.add()
    serialized = [root.SerializeToString()]
    rows = structtensor.tf.decode(serialized, tree, recursion_depth=4)
    assert tree.FromString(structtensor.tf.encode(rows, tree).numpy()[0]) == root
