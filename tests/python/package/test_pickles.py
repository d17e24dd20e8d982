"""Pickles: of today, of older versions, with buffers of their own, and damaged."""

import base64
import copy
import pickle
import random

import numpy as np
import pyarrow as pa
import pytest

import structtensor as st

VALUES = {
    "tensor": st.constant(np.array([[1, 2], [3, 4]], np.int32)),
    "strings": st.constant(["a", "", "ü"]),
    "ragged": st.constant([[1.5, 2.5], [], [3.5]]),
    "structs": st.constant([{"a": 1, "b": [{"c": b"x"}]}, {"a": 2, "b": []}]),
    "absent": st.from_arrow(pa.array([{"x": 1}, None])),
    "times": st.constant(np.array(["2026-01-01"], "M8[s]")),
    "spec": st.constant([[1.5, 2.5], [], [3.5]]).spec,
    "partition": st.RowPartition.from_row_splits([0, 2, 3]),
    "shape": st.DynamicRaggedShape.from_lengths([3, [2, 0, 1], 2, [1, 2, 3, 4, 5, 6], 4], 3),
    "map key": st.MapKey("ü"),
    "boxes": st.BoxedTensor([st.constant([1, 2]), st.constant([3, 4])], (1, 2)),
    "boxes spec": st.BoxedTensorSpec((None, 2), st.TensorSpec((2,), "int64")),
}
COMPARED = ("spec", "partition", "shape", "map key", "boxes", "boxes spec")  # have no equals()

# (version of the form, version of the package that wrote it, name): base64 of the pickle. A new form adds pickles and keeps
# these.
WRITTEN = {
    (1, "0.1.0", "tensor"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF92YWx1ZQpxAEsBY19jb2RlY3MKZW5jb2RlCnEBWAoAAAAKCAoEEgIEBBACcQJYBgAAAGxhdG"
        "luMXEDhnEEUnEFXXEGKFgFAAAAaW50MzJxB0sCSwKGcQhoAVgQAAAAAQAAAAIAAAADAAAABAAAAHEJaAOGcQpScQtOTnRxDGGHcQ1ScQ4u"
    ),
    (1, "0.1.0", "strings"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF92YWx1ZQpxAEsBY19jb2RlY3MKZW5jb2RlCnEBWAkAAAAKBwoDEgEGEAhxAlgGAAAAbGF0aW"
        "4xcQOGcQRScQVdcQYoWAYAAABzdHJpbmdxB0sDhXEIaAFYBQAAAGHDg8K8cQloA4ZxClJxC2gBWBAAAAAAAAAAAQAAAAEAAAADAAAAcQxoA4Zx"
        "DVJxDk50cQ9hh3EQUnERLg=="
    ),
    (1, "0.1.0", "ragged"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF92YWx1ZQpxAEsBY19jb2RlY3MKZW5jb2RlCnEBWBUAAAASEwoGCAMQAygDEgcKAxIBBhAHGA"
        "NxAlgGAAAAbGF0aW4xcQOGcQRScQVdcQYoKFgGAAAAZG91YmxlcQdLA4VxCGgBWBkAAAAAAAAAAADDuD8AAAAAAAAEQAAAAAAAAAxAcQloA4Zx"
        "ClJxC05OdHEMKFgFAAAAaW50NjRxDUsEhXEOaAFYIAAAAAAAAAAAAAAAAgAAAAAAAAACAAAAAAAAAAMAAAAAAAAAcQ9oA4ZxEFJxEU5OdHESZY"
        "dxE1JxFC4="
    ),
    (1, "0.1.0", "structs"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF92YWx1ZQpxAEsBY19jb2RlY3MKZW5jb2RlCnEBWEIAAAAaQAoDEgEEKAMyDgoBYRIJCgcKAx"
        "IBBBADMicKAWISIhogCgQSAgQBIgYIAhABKAMoAzIOCgFjEgkKBwoDEgECEAlxAlgGAAAAbGF0aW4xcQOGcQRScQVdcQYoKFgFAAAAaW50NjRx"
        "B0sChXEIaAFYEAAAAAEAAAAAAAAAAgAAAAAAAABxCWgDhnEKUnELTk50cQwoWAUAAABieXRlc3ENSwGFcQ5oAVgBAAAAeHEPaAOGcRBScRFoAV"
        "gIAAAAAAAAAAEAAABxEmgDhnETUnEUTnRxFShYBQAAAGludDY0cRZLA4VxF2gBWBgAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAABxGGgDhnEZ"
        "UnEaTk50cRsoWAUAAABpbnQ2NHEcSwGFcR1oAVgIAAAAAQAAAAAAAABxHmgDhnEfUnEgTk50cSEoWAUAAABpbnQ2NHEiSwOFcSNoAVgYAAAAAA"
        "AAAAAAAAABAAAAAAAAAAEAAAAAAAAAcSRoA4ZxJVJxJk5OdHEnKFgFAAAAaW50NjRxKEsBhXEpaAFYCAAAAAIAAAAAAAAAcSpoA4ZxK1JxLE5O"
        "dHEtZYdxLlJxLy4="
    ),
    (1, "0.1.0", "absent"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF92YWx1ZQpxAEsBY19jb2RlY3MKZW5jb2RlCnEBWB0AAAAaGwoDEgEEGAEoAzIQCgF4EgsKCQ"
        "oDEgEEEAMYAXECWAYAAABsYXRpbjFxA4ZxBFJxBV1xBigoWAUAAABpbnQ2NHEHSwKFcQhoAVgQAAAAAQAAAAAAAAAAAAAAAAAAAHEJaAOGcQpS"
        "cQtOaAFYAgAAAAEBcQxoA4ZxDVJxDnRxDyhYBQAAAGludDY0cRBLAYVxEWgBWAgAAAACAAAAAAAAAHESaAOGcRNScRROTnRxFShYBAAAAGJvb2"
        "xxFksChXEXaAFYAgAAAAEAcRhoA4ZxGVJxGk5OdHEbZYdxHFJxHS4="
    ),
    (1, "0.1.0", "times"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF92YWx1ZQpxAEsBY19jb2RlY3MKZW5jb2RlCnEBWAkAAAAKBwoDEgECEA5xAlgGAAAAbGF0aW"
        "4xcQOGcQRScQVdcQYoWAwAAAB0aW1lc3RhbXBbc11xB0sBhXEIaAFYCQAAAADCuVVpAAAAAHEJaAOGcQpScQtOTnRxDGGHcQ1ScQ4u"
    ),
    (1, "0.1.0", "spec"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9zcGVjCnEASwFjX2NvZGVjcwplbmNvZGUKcQFYFQAAABITCgYIAxADKAMSBwoDEgEGEAcYA3"
        "ECWAYAAABsYXRpbjFxA4ZxBFJxBYZxBlJxBy4="
    ),
    (1, "0.1.0", "partition"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9wYXJ0aXRpb24KcQBLAWNfY29kZWNzCmVuY29kZQpxAVgIAAAAIgYIAhADKANxAlgGAAAAbG"
        "F0aW4xcQOGcQRScQVoAVgYAAAAAAAAAAAAAAACAAAAAAAAAAMAAAAAAAAAcQZoA4ZxB1JxCIdxCVJxCi4="
    ),
    (1, "0.1.0", "shape"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9zaGFwZQpxAChLAV1xAShLA2NfY29kZWNzCmVuY29kZQpxAlgYAAAAAgAAAAAAAAAAAAAAAAAAAA"
        "EAAAAAAAAAcQNYBgAAAGxhdGluMXEEhnEFUnEGSwJoAlgwAAAAAQAAAAAAAAACAAAAAAAAAAMAAAAAAAAABAAAAAAAAAAFAAAAAAAAAAYAAAAAAAAA"
        "cQdoBIZxCFJxCUsEZUsDWAUAAABpbnQ2NHEKdHELUnEMLg=="
    ),
    (1, "0.1.0", "map key"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9tYXBfa2V5CnEASwFYAgAAAMO8cQGGcQJScQMu"
    ),
    (1, "0.1.0", "boxes"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9ib3hlcwpxAEsBY3N0cnVjdHRlbnNvci5fcGlja2xlCmxvYWRfdmFsdWUKcQFLAWNfY29kZWNzCm"
        "VuY29kZQpxAlgJAAAACgcKAxIBBBADcQNYBgAAAGxhdGluMXEEhnEFUnEGXXEHKFgFAAAAaW50NjRxCEsChXEJaAJYEAAAAAEAAAAAAAAAAgAAAAAA"
        "AABxCmgEhnELUnEMTk50cQ1hh3EOUnEPaAFLAWgCWAkAAAAKBwoDEgEEEANxEGgEhnERUnESXXETKFgFAAAAaW50NjRxFEsChXEVaAJYEAAAAAMAAA"
        "AAAAAABAAAAAAAAABxFmgEhnEXUnEYTk50cRlhh3EaUnEbhnEcSwFLAoZxHYdxHlJxHy4="
    ),
    (1, "0.1.0", "boxes spec"): (
        "gAJjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9ib3hlc19zcGVjCnEASwFOSwKGcQFjc3RydWN0dGVuc29yLl9waWNrbGUKbG9hZF9zcGVjCnECSw"
        "FjX2NvZGVjcwplbmNvZGUKcQNYCQAAAAoHCgMSAQQQA3EEWAYAAABsYXRpbjFxBYZxBlJxB4ZxCFJxCYdxClJxCy4="
    ),
}


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_pickles_of_older_versions_are_read(written):
    back = pickle.loads(base64.b64decode(WRITTEN[written]))
    value = VALUES[written[2]]
    assert type(back) is type(value)
    assert back == value if written[2] in COMPARED else back.equals(value) and back.spec == value.spec


def test_there_is_a_pickle_of_every_version():
    versions = {version for version, *_ in WRITTEN}
    assert versions == set(range(1, st._pickle.FORMAT + 1))
    assert {name for version, _, name in WRITTEN if version == st._pickle.FORMAT} == set(VALUES)


PARTITIONS = [
    st.RowPartition.from_row_splits([0, 2, 2, 3]),
    st.RowPartition.from_row_splits([0]),
    st.RowPartition.from_row_lengths([1, 0]).with_dtype("int32"),
    st.RowPartition.from_value_rowids([0, 0, 2], nrows=4),
    st.RowPartition.from_uniform_row_length(2, nrows=3),
    st.RowPartition.from_uniform_row_length(0, nrows=3),
    st.constant([[{"a": 1}], []]).row_partitions[0],
]


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("partition", PARTITIONS, ids=repr)
def test_row_partitions(partition, protocol):
    back = pickle.loads(pickle.dumps(partition, protocol))
    assert back == partition
    assert back.spec == partition.spec
    assert back.row_splits.to_py() == partition.row_splits.to_py()


SHAPES = [
    st.DynamicRaggedShape.from_lengths([]),
    st.DynamicRaggedShape.from_lengths([3]),
    st.DynamicRaggedShape.from_lengths([0, 4], 1),
    st.DynamicRaggedShape.from_lengths([0, []]),
    st.DynamicRaggedShape.from_lengths([2, 3, 4], 1),
    st.DynamicRaggedShape.from_lengths([2, 3, 4], 2),
    st.DynamicRaggedShape.from_lengths([2, [1, 2], 4], dtype="int32"),
    st.DynamicRaggedShape.from_lengths([2, [2, 2], 4, [1] * 16, 5]),
    st.DynamicRaggedShape.from_lengths([10**9, 10**9]),
    st.DynamicRaggedShape.from_tensor([[[1, 2]], [], [[3], []]]),
    st.DynamicRaggedShape.from_tensor(st.constant([[{"a": 1}], []])),
    st.DynamicRaggedShape.from_tensor(st.RaggedTensor.from_tensor(np.zeros((2, 3, 4)), ragged_rank=1)),
]


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_shapes(shape, protocol):
    back = pickle.loads(pickle.dumps(shape, protocol))
    assert back == shape and repr(back) == repr(shape)
    assert (back.lengths, back.dtype, back.num_row_partitions) == (shape.lengths, shape.dtype, shape.num_row_partitions)
    assert (back.inner_shape, back.static_shape) == (shape.inner_shape, shape.static_shape)
    assert [partition.spec for partition in back.row_partitions] == [partition.spec for partition in shape.row_partitions]
    assert copy.copy(shape) is shape and copy.deepcopy(shape) is shape


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_boxes(protocol):
    for values, shape in (
        ([], None),
        ([st.constant([1, 2]), st.constant([])], None),
        ([st.constant([[1], []])], ()),
        ([st.constant([{"a": i}]) for i in range(6)], (3, 2)),
    ):
        boxes = st.BoxedTensor(values, shape)
        back = pickle.loads(pickle.dumps(boxes, protocol))
        assert back == boxes and back.shape == boxes.shape and len(back.values) == len(values)
        assert copy.copy(boxes) is boxes and copy.deepcopy(boxes) is boxes


@pytest.mark.parametrize("key", ["ann", "", 'a"\'\n\0ü', 0, -5, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, True, False])
def test_map_keys(key):
    map_key = st.MapKey(key)
    for protocol in (2, 5):
        assert pickle.loads(pickle.dumps(map_key, protocol)) == map_key
    assert copy.copy(map_key) is map_key and copy.deepcopy(map_key) is map_key
    assert map_key.key == key and type(map_key.key) is type(key)
    assert map_key == st.MapKey(key) and hash(map_key) == hash(st.MapKey(key))
    assert map_key != st.MapKey("other") and map_key != key
    assert repr(map_key) == f"MapKey({key!r})"
    assert {st.MapKey(key): 1}[map_key] == 1
    with pytest.raises(AttributeError):
        map_key.key = "other"


def test_map_keys_of_other_types():
    assert st.MapKey("1") != st.MapKey(1)
    assert st.MapKey(np.int32(7)) == st.MapKey(7) and type(st.MapKey(np.int32(7)).key) is int
    assert type(st.MapKey(np.str_("a")).key) is str
    assert st.MapKey(np.True_).key is True
    for wrong in (1.5, None, b"a", [1]):
        with pytest.raises(TypeError, match="key: expected a text, an integer or a boolean"):
            st.MapKey(wrong)
    for wrong in (2**64, -(2**63) - 1, 10**30):
        with pytest.raises(OverflowError, match="key: the integer is too large for 64 bits"):
            st.MapKey(wrong)


def test_decoders_are_made_again(descriptor_set, serialized):
    decoder = st.Schema.from_descriptor_set(descriptor_set, "Span").decoder()
    with pytest.raises(TypeError, match="pickle its Schema and options, and call schema.decoder"):
        pickle.dumps(decoder)
    for same in (copy.copy(decoder), copy.deepcopy({"decoder": decoder})["decoder"]):
        assert same is decoder


@pytest.mark.parametrize("name", ["shape", "map key", "boxes", "boxes spec"])
def test_pickles_of_the_next_version(name):
    function, (version, *state) = VALUES[name].__reduce_ex__(5)
    assert version == 1 and type(function(version, *state)) is type(VALUES[name])
    with pytest.raises(ValueError, match="version 2"):
        function(2, *state)


def test_damaged_shapes():
    load = st._pickle.load_shape
    for lengths, partitions in (([2, b"\0" * 7], 1), ([2, b"\0" * 8], 1), ([-1], 0), ([2], 5), ([2, b"\xff" * 16], 1)):
        with pytest.raises(ValueError):
            load(1, lengths, partitions, "int64")


def test_everything_large_travels_out_of_band():
    count = 10_000
    strings = [f"text {i}" for i in range(count)]
    rows = st.from_arrow(pa.table({"n": np.arange(count), "t": strings, "m": [None if i % 3 else i for i in range(count)]}))
    lists = st.constant([[i] * (i % 3) for i in range(count)])
    compared = (st.RowPartition, st.DynamicRaggedShape)
    for value in (rows, lists, lists.row_partitions[0], st.DynamicRaggedShape.from_tensor(lists)):
        buffers = []
        data = pickle.dumps(value, 5, buffer_callback=buffers.append)
        assert len(data) < 3000
        back = pickle.loads(data, buffers=buffers)
        assert back == value if isinstance(value, compared) else back.equals(value)
        # Buffers that arrive by another way are memory of any kind.
        copies = [bytearray(buffer.raw()) for buffer in buffers]
        again = pickle.loads(data, buffers=copies)
        assert again == value if isinstance(value, compared) else again.equals(value)
        with pytest.raises(pickle.UnpicklingError):
            pickle.loads(data)
    numbers = st.constant(np.arange(count))
    buffers = []
    pickle.dumps(numbers, 5, buffer_callback=buffers.append)
    assert np.shares_memory(np.frombuffer(buffers[0], dtype="int64"), numbers.to_numpy())


def test_damaged_partitions():
    load = st._pickle.load_partition
    spec = st._core._serialize_spec(st.RowPartitionSpec(nrows=2, nvals=3))
    for splits in (b"", b"\0" * 7, np.array([0, 5, 3]).tobytes(), np.array([1, 2, 3]).tobytes()):
        with pytest.raises(ValueError):
            load(1, spec, splits)
    with pytest.raises(ValueError, match="version 2"):
        load(2, spec, b"")
    with pytest.raises(ValueError, match="row partition"):
        load(1, st._core._serialize_spec(st.TensorSpec((2,), "int64")), b"")
    with pytest.raises((ValueError, TypeError)):
        load(1, spec, None)


def test_damaged_parts_never_crash():
    dice = random.Random(5)
    function, (version, spec, parts) = VALUES["structs"].__reduce_ex__(2)
    for _ in range(2000):
        damaged = bytearray(spec)
        for _ in range(dice.randrange(1, 3)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        try:
            function(version, bytes(damaged), parts)
        except (ValueError, TypeError, KeyError, MemoryError, NotImplementedError):
            pass
