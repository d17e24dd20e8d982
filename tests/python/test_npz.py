"""Files of NumPy arrays that `structtensor convert` writes, as numpy.load reads them."""

import io
import random

import commands
import compare
import conftest
import framing
import numpy as np
import pyarrow as pa
import random_messages
from structtensor_command import SCHEMA, run, succeed


class NpzColumns:
    """The arrays of an npz file as Arrow's columns, by the names that docs/formats.md gives them."""

    def __init__(self, path):
        with np.load(path, allow_pickle=False) as arrays:
            self.arrays = dict(arrays)
        self.unread = set(self.arrays)

    def take(self, name):
        self.unread.discard(name)
        return self.arrays[name]

    def column(self, path, kind, length):
        """The column at `path`, which has the Arrow type `kind` and `length` elements."""
        if pa.types.is_large_list(kind) or pa.types.is_map(kind):
            splits = self.take(f"{path}/row_splits")
            assert splits.dtype == np.int64
            if pa.types.is_large_list(kind):
                return pa.LargeListArray.from_arrays(splits, self.column(path, kind.value_type, splits[-1]), type=kind)
            keys = self.column(f"{path}.key", kind.key_type, splits[-1])
            items = self.column(f"{path}.value", kind.item_type, splits[-1])
            return pa.MapArray.from_arrays(splits.astype(np.int32), keys, items, type=kind)
        absent = ~self.take(f"{path}/is_valid") if f"{path}/is_valid" in self.arrays else None
        if pa.types.is_struct(kind) and len(kind) == 0:
            return pa.array([None if absent is not None and absent[i] else {} for i in range(length)], kind)
        if pa.types.is_struct(kind):
            fields = [self.column(f"{path}.{field.name}", field.type, length) for field in kind]
            mask = None if absent is None else pa.array(absent)
            return pa.StructArray.from_arrays(fields, fields=list(kind), mask=mask)
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            offsets, data = self.take(f"{path}/offsets"), self.take(f"{path}/bytes")
            assert (offsets.dtype, data.dtype) == (np.int64, np.uint8)
            strings = [
                None if absent is not None and absent[i] else data[offsets[i] : offsets[i + 1]].tobytes()
                for i in range(len(offsets) - 1)
            ]
            return pa.array(strings, kind)
        values = self.take(path)
        if pa.types.is_timestamp(kind):
            values = pa.array(values, pa.timestamp(kind.unit), mask=absent).cast(kind)
        return pa.array(values, kind, mask=absent)


def assert_npz_has_the_rows_of(npz, arrow):
    with pa.ipc.open_file(arrow) as reader:
        table = reader.read_all()
    columns = NpzColumns(npz)
    arrays = [columns.column(field.name, field.type, table.num_rows) for field in table.schema]
    actual = pa.RecordBatch.from_arrays(arrays, schema=table.schema)
    actual.validate(full=True)
    assert not columns.unread
    expected = (row for batch in table.to_batches() for row in compare.rows(batch))
    for index, (want, got) in enumerate(zip(expected, compare.rows(actual), strict=True)):
        assert repr(got) == repr(want), index  # NaN is not equal to itself


def test_numpy_reads_the_rows_of_real_sets(real_set, tmp_path):
    path, schema, message, _ = real_set
    chosen = (path, "--descriptor_set_in", schema, "-m", message, "--quiet", "--limit", 300)
    succeed("convert", *chosen, "-o", tmp_path / "rows.arrow")
    succeed("convert", *chosen, "-o", tmp_path / "rows.npz", "--batch-size", 64)
    assert_npz_has_the_rows_of(tmp_path / "rows.npz", tmp_path / "rows.arrow")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["rows.arrow", "rows.npz"]


def test_numpy_reads_every_kind_of_field(tmp_path):
    protos = conftest.REPOSITORY / "tests" / "protos"
    descriptors = commands.protoc_descriptor_set(tmp_path / "set", "everything.proto", protos, "/usr/include")
    message_class = compare.load_message_class(descriptors, "structtensor.testing.Everything")
    rng = random.Random(20240611)
    payloads = [b"", *(random_messages.random_payload(rng, message_class) for _ in range(200))]
    (tmp_path / "messages.pb").write_bytes(framing.frame_delimited(payloads))
    chosen = (tmp_path / "messages.pb", "--descriptor_set_in", descriptors, "-m", "structtensor.testing.Everything", "--quiet")
    succeed("convert", *chosen, "-o", tmp_path / "rows.arrow")
    succeed("convert", *chosen, "-o", tmp_path / "rows.npz", "--batch-size", 64)
    assert_npz_has_the_rows_of(tmp_path / "rows.npz", tmp_path / "rows.arrow")


def test_npz_goes_through_a_pipe_and_may_be_empty(source, tmp_path):
    output = succeed("convert", source, *SCHEMA, "-o", "-", "--to", "npz").stdout
    with np.load(io.BytesIO(output)) as arrays:
        assert arrays["minutes"].tolist() == [40, 0, 0]
        assert arrays["minutes/is_valid"].tolist() == [True, False, False]
        assert arrays["ingredients/row_splits"].tolist() == [0, 1, 1, 1]
        assert arrays["title/bytes"].tobytes() == b"souptoast"
        assert arrays["title/offsets"].tolist() == [0, 4, 4, 9]
        assert arrays["ratings.value"].dtype == np.int32
    source.write_bytes(b"")
    succeed("convert", source, *SCHEMA, "-o", tmp_path / "rows.npz")
    with np.load(tmp_path / "rows.npz") as arrays:
        assert arrays["minutes"].shape == (0,)
        assert arrays["ingredients/row_splits"].tolist() == [0]


def test_npz_that_cannot_be_says_why(source, tmp_path):
    for arguments, word in [(["--partition-by", "title"], "--partition-by"), (["--compression", "zstd"], "--compression")]:
        outcome = run("convert", source, *SCHEMA, "-o", tmp_path / "rows.npz", "--to", "npz", *arguments)
        assert (outcome.exit_code, word in outcome.stderr) == (2, True), outcome.stderr
    assert not (tmp_path / "rows.npz").exists()
