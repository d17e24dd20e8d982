"""structtensor.tf.decode: the rows are those of python-protobuf, also in functions, datasets and saved models; errors."""

import itertools
import os
import subprocess
import sys

import framing
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf
from real_data import EVERY_SET, open_real_set

DECODER = structtensor.tf.Decoder


def expected_item(item):
    return {
        "key": [item.key.encode()] if item.HasField("key") else [],
        "price": [item.price] if item.HasField("price") else [],
        "tags": list(item.tags),
    }


def expected_order(order):
    def optional(name):
        return [getattr(order, name)] if order.HasField(name) else []

    return {
        "id": optional("id"),
        "items": [expected_item(item) for item in order.items],
        "best": [expected_item(order.best)] if order.HasField("best") else [],
        "weights": list(order.weights),
        "paid": optional("paid"),
        "count": optional("count"),
        "total": optional("total"),
        "nothing": [{}] if order.HasField("nothing") else [],
    }


def test_rows_are_those_of_protobuf(orders, serialized, order_class):
    rows = structtensor.tf.decode(serialized, order_class)
    assert rows.to_py() == [expected_order(order) for order in orders]
    assert rows["items", "key"].shape.rank == 3 and rows["items", "key"].dtype == tf.string
    assert rows["count"].dtype == tf.uint32 and rows["total"].dtype == tf.uint64
    assert rows.shape.rank == 1 and int(rows.nrows()) == len(orders)
    assert structtensor.tf.decode([], order_class).to_py() == []


def test_options(orders, serialized, order_class):
    rows = structtensor.tf.decode(serialized, order_class, select=["id", "items.price"], optionals="default")
    assert rows.field_names() == ("id", "items")
    assert rows.to_py() == [{"id": o.id, "items": [{"price": item.price} for item in o.items]} for o in orders]
    best = structtensor.tf.decode(serialized, order_class, select="best", optionals="default")
    expected = [{"key": o.best.key.encode(), "price": o.best.price, "tags": list(o.best.tags)} for o in orders]
    assert best.to_py() == [{"best": item} for item in expected]
    some = structtensor.tf.decode(serialized, order_class, where="id >= 20", select="id", optionals="default")
    assert some["id"].numpy().tolist() == [20, 21, 22, 23]


def test_broken_messages(serialized, order_class):
    broken = [*serialized[:3], b"\x08", *serialized[3:]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="message 3, byte 1, field id: the value runs past the end"):
        structtensor.tf.decode(broken, order_class)
    rows = structtensor.tf.decode(broken, order_class, on_error="skip")
    assert rows.to_py() == structtensor.tf.decode(serialized, order_class).to_py()
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than max_errors"):
        structtensor.tf.decode([b"\x08"] * 5, order_class, on_error="skip", max_errors=3)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"optionals": "nullable"}, ValueError, "no absent elements"),
        ({"on_error": "null"}, ValueError, "no absent rows"),
        ({"threads": 2}, ValueError, "num_parallel_calls"),
        ({"unknown_fields": True}, ValueError, "no place"),
        ({"ignore_extra_fields": True}, ValueError, "for text input"),
        ({"selct": "id"}, TypeError, "there is no option selct"),
        ({"select": "idd"}, KeyError, "did you mean id"),
        ({"max_depth": -1}, ValueError, "max_depth"),
        ({"message": "NoSuch"}, KeyError, "NoSuch"),
    ],
)
def test_misuse(options, error, text, order_class):
    with pytest.raises(error, match=text):
        DECODER(order_class, **options)


def test_shapes_that_are_no_vectors(order_class):
    decoder = DECODER(order_class)
    for wrong in ("scalar", [["a"], ["b"]]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            decoder(wrong)
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            tf.function(decoder)(tf.constant(wrong))


def test_attributes_that_are_wrong(serialized, order_class):
    from structtensor.tf import _decode

    good = DECODER(order_class)._attributes
    for wrong in (
        {"descriptor_set": b"none"},
        {"message": "NoSuch"},
        {"options": ["no_such=1"]},
        {"options": ["max_depth=x"]},
        {"options": ["on_error"]},
        {"options": ["optionals=nullable"]},
        {"Tout": good["Tout"][1:]},
        {"column_names": good["column_names"][1:]},
        {"column_names": [*good["column_names"], "more"]},
        {"column_names": good["column_names"][::-1]},
    ):
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.NotFoundError)):
            _decode.ops.structtensor_decode(serialized=serialized, **{**good, **wrong})
    # Models that were saved without the names of the columns.
    _decode.ops.structtensor_decode(serialized=serialized, **{**good, "column_names": []})


def test_times(tmp_path):
    from google.protobuf import descriptor_pb2, timestamp_pb2

    file = descriptor_pb2.FileDescriptorProto(name="t.proto", syntax="proto3", dependency=["google/protobuf/timestamp.proto"])
    message = file.message_type.add(name="T")
    message.field.add(name="at", number=1, type=11, label=1, type_name=".google.protobuf.Timestamp")
    schema = st.Schema.from_descriptor_set(descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString(), "T")

    def at(seconds):
        inner = timestamp_pb2.Timestamp(seconds=seconds, nanos=5).SerializeToString()
        return b"\x0a" + bytes([len(inner)]) + inner

    assert structtensor.tf.decode([at(1), b""], schema)["at"].to_list() == [[1_000_000], []]
    assert structtensor.tf.decode([at(1), b""], schema, timestamps="ns")["at"].to_list() == [[1_000_000_005], []]
    far = at(20_000_000_000)
    with pytest.raises(tf.errors.InvalidArgumentError, match='at: a time is out of range for its unit.*timestamps="us"'):
        structtensor.tf.decode([far], schema, timestamps="ns")
    assert structtensor.tf.decode([far], schema)["at"].to_list() == [[20_000_000_000_000_000]]
    defaults = structtensor.tf.decode([at(1), b"", far], schema, optionals="default", timestamps="ns")
    assert defaults["at"].numpy().tolist() == [1_000_000_005, 0, 0]
    structs = structtensor.tf.decode([far], schema, well_known_types="structs")
    assert structs.to_py() == [{"at": [{"seconds": 20_000_000_000, "nanos": 5}]}]


# --- TensorFlow's machinery


def test_functions_are_traced_once(orders, serialized, order_class):
    decoder, traces = DECODER(order_class, optionals="default"), []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def prices(serialized):
        traces.append(1)
        return tf.reduce_sum(decoder(serialized)["items", "price"], axis=1)

    for count in (24, 3, 0):
        expected = [sum(item.price for item in order.items) for order in orders[:count]]
        assert prices(tf.constant(serialized[:count], tf.string)).numpy().tolist() == expected
    assert len(traces) == 1


def test_datasets(orders, serialized, order_class):
    decoder = DECODER(order_class)
    dataset = tf.data.Dataset.from_tensor_slices(serialized).batch(5).map(decoder, num_parallel_calls=4)
    assert dataset.element_spec.is_compatible_with(decoder.spec)
    rows = [row for batch in dataset for row in batch.to_py()]
    assert rows == [expected_order(order) for order in orders]
    # Batches of 5 become rows, and batches of 7.
    again = [row for batch in dataset.unbatch().batch(7) for row in batch.to_py()]
    assert again == rows


def test_saved_models_are_complete(orders, serialized, order_class, tmp_path):
    decoder = DECODER(order_class, select=["id", "items.price", "items.key"], optionals="default")

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def score(self, serialized):
            rows = decoder(serialized)
            return {"score": tf.reduce_sum(rows["items", "price"], axis=1), "id": rows["id"]}

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "model"), signatures={"serving_default": model.score})
    program = (
        "import sys, ast, tensorflow as tf, structtensor.tf\n"
        "model = tf.saved_model.load(sys.argv[1])\n"
        "out = model.signatures['serving_default'](tf.constant(ast.literal_eval(sys.stdin.read())))\n"
        "print(out['score'].numpy().tolist(), out['id'].numpy().tolist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "model")], input=repr(serialized), capture_output=True, text=True
    )
    expected = [sum((item.price for item in order.items), 0.0) for order in orders]
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == f"{expected} {[order.id for order in orders]}"


# --- Memory


def test_strings_outlive_everything(orders, serialized, order_class):
    """Long strings are in memory that the decoder allocates. If it were freed early, malloc would fill it with garbage."""
    program = (
        "import sys, ast, gc, tensorflow as tf, structtensor as st, structtensor.tf\n"
        "descriptor_set, serialized = ast.literal_eval(sys.stdin.read())\n"
        "schema = st.Schema.from_descriptor_set(descriptor_set, 'shop.Order')\n"
        "def keys():\n"
        "    decoder = structtensor.tf.Decoder(schema)\n"
        "    values = decoder(tf.constant(serialized))['items', 'key'].flat_values\n"
        "    for _ in range(20):\n"
        "        decoder(tf.constant(serialized))\n"
        "    return values\n"
        "kept = [keys() for _ in range(5)]\n"
        "gc.collect()\n"
        "copies = [tf.identity(k) for k in kept] + [tf.gather(k, tf.range(tf.size(k))) for k in kept]\n"
        "copies += [tf.concat([k, k], 0)[: tf.size(k)] for k in kept] + [tf.strings.join([k, '']) for k in kept]\n"
        "variable = tf.Variable(kept[0]); table = kept[1][::2]\n"
        "del kept; gc.collect()\n"
        "[keys() for _ in range(5)]\n"
        "print(len({tuple(c.numpy().tolist()) for c in copies} | {tuple(variable.numpy().tolist())}))\n"
        "print(copies[0].numpy().tolist()); print(table.numpy().tolist())\n"
    )
    schema = st.Schema.from_class(order_class)
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=repr((schema.to_descriptor_set(), serialized)),
        capture_output=True,
        text=True,
        env={**os.environ, "MALLOC_PERTURB_": "165"},
    )
    expected = [item.key.encode() for order in orders for item in order.items]
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == ["1", repr(expected), repr(expected[::2])]


@pytest.mark.parametrize(
    "order",
    [
        "tensorflow structtensor.tf",
        "structtensor tensorflow structtensor.tf",
        "google.protobuf.message structtensor.tf",
        "structtensor.tf google.protobuf.message",
        "pyarrow structtensor.tf",
        "structtensor.tf pyarrow",
    ],
)
def test_import_orders(order, serialized, order_class):
    if "pyarrow" in order:
        pytest.importorskip("pyarrow")
    descriptor_set = st.Schema.from_class(order_class).to_descriptor_set()
    program = (
        f"import importlib, sys, ast\nfor name in {order.split()!r}: importlib.import_module(name)\n"
        "import structtensor as st, structtensor.tf\n"
        "descriptor_set, serialized = ast.literal_eval(sys.stdin.read())\n"
        "rows = structtensor.tf.decode(serialized, st.Schema.from_descriptor_set(descriptor_set, 'shop.Order'))\n"
        "print(int(rows.nrows()))\n"
    )
    given = repr((descriptor_set, serialized))
    done = subprocess.run([sys.executable, "-c", program], input=given, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, str(len(serialized))), done.stderr[-2000:]


# --- Real messages


def as_bytes(value):
    if isinstance(value, dict):
        return {name: as_bytes(item) for name, item in value.items()}
    if isinstance(value, list):
        return [as_bytes(item) for item in value]
    return value.encode() if isinstance(value, str) else value


@pytest.mark.parametrize("name", EVERY_SET)
def test_real_messages(name):
    opened = open_real_set(name)
    records = list(itertools.islice(framing.read_delimited(opened.messages), 300))
    schema = st.Schema.from_descriptor_set(opened.descriptor_set.read_bytes(), opened.message)
    # The rows of the package, which its own tests compare with python-protobuf's.
    expected = as_bytes(schema.decoder(optionals="ragged").decode(records).to_py())
    rows = structtensor.tf.decode(records, schema)
    assert repr(rows.to_py()) == repr(expected)
