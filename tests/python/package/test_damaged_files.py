"""Files that cannot be read to their ends: on_damaged_file."""

import gzip
import os
import warnings

import pytest
from conftest import delimited, make_spans

import structtensor as st


@pytest.fixture(scope="module")
def schema(descriptor_set):
    return st.Schema.from_descriptor_set(descriptor_set, "Span")


@pytest.fixture(scope="module")
def messages(span_class):
    return [span.SerializeToString() for span in make_spans(span_class, 20, seed=3)]


@pytest.fixture
def paths(messages, tmp_path):
    """A gzip file without its end, which is its checksum, and a whole file."""
    (tmp_path / "1.pb.gz").write_bytes(gzip.compress(delimited(messages))[:-8])
    (tmp_path / "2.pb").write_bytes(delimited(messages[:5]))
    return [tmp_path / "1.pb.gz", tmp_path / "2.pb"]


@pytest.mark.parametrize("on_error", ["fail", "skip", "null"])
def test_a_damaged_file_is_an_error(paths, schema, on_error):
    for read in (st.read, lambda *arguments, **options: list(st.scan(*arguments, **options))):
        with pytest.raises(st.DecodeError, match="the gzip stream ends early") as caught:
            read(paths, schema, on_error=on_error)
        assert str(caught.value).startswith(f"{paths[0]} record 20, byte ")
        assert 'pass on_damaged_file="rest" to keep the records before it' in str(caught.value)
        assert caught.value.message_index == 20


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("policy", "rows", "left_out"), [("rest", 25, "rest"), ("skip", 5, "file")])
def test_what_is_left_out(paths, schema, messages, policy, rows, left_out, threads):
    scan = st.scan(paths, schema, on_damaged_file=policy, on_error="null", max_errors=0, threads=threads, timestamps="ns")
    with pytest.warns(RuntimeWarning, match=f"1.pb.gz record 20, byte .*; the .*{left_out}.* is left out") as warned:
        batch = scan.read()
    assert len(warned) == 1
    assert len(batch) == rows and len(batch.errors) == 0
    damaged = {
        "file": str(paths[0]),
        "message_index": 20,
        "byte": len(delimited(messages)),
        "code": "compression", "problem": "the gzip stream ends early",
        "left_out": left_out,
    }
    assert batch.damaged_files == [damaged]
    assert batch.to_protobuf() == [*messages, *messages[:5]][-rows:]

    batches = scan.batches(batch_size=3)
    assert batches.damaged_files == []
    with pytest.warns(RuntimeWarning):
        parts = list(batches)
    assert sum(map(len, parts)) == rows
    assert batches.broken_messages == 0
    assert batches.damaged_files == [damaged] == [file for part in parts for file in part.damaged_files]
    assert parts[-1].damaged_files == []


@pytest.mark.parametrize("threads", [1, 3])
def test_batches_have_their_own_errors(schema, messages, tmp_path, threads):
    broken = b"\x0a\x05ab"
    path = tmp_path / "some.pb"
    path.write_bytes(delimited([messages[0], broken, broken, broken, messages[1], broken, messages[2], messages[3], broken]))
    batches = st.scan(path, schema, format="delimited", on_error="skip", threads=threads).batches(batch_size=2)
    numbers = [batch.errors["message_index"].to_py() for batch in batches]
    assert numbers == [[1], [2, 3, 5], []]
    assert batches.errors["message_index"].to_py() == [1, 2, 3, 5, 8]  # no row comes after the last one
    assert schema.decoder(on_error="skip").decode([broken]).damaged_files == []


@pytest.mark.parametrize("rows", [3, 100])
@pytest.mark.parametrize(("policy", "expected"), [("rest", 30), ("skip", 5)])
def test_warnings_that_are_errors_lose_no_batch(paths, schema, messages, policy, expected, rows, tmp_path):
    (tmp_path / "0.pb.gz").write_bytes(gzip.compress(delimited(messages[:5]))[:-8])
    batches = st.scan([tmp_path / "0.pb.gz", *paths], schema, on_damaged_file=policy).batches(batch_size=rows)
    read, warned = 0, []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while True:
            try:
                read += len(next(batches))
            except RuntimeWarning as warning:
                warned.append(str(warning))
            except StopIteration:
                break
    assert read == expected
    assert ["0.pb.gz" in warned[0], "1.pb.gz" in warned[1]] == [True, True] and len(warned) == 2


def test_an_error_comes_after_warnings_that_are_errors(paths, schema, tmp_path):
    (tmp_path / "2.pb").write_bytes(b"\x02\x0a\x05")
    batches = st.scan(paths, schema, on_damaged_file="rest", format="delimited").batches()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raised = []
        for _ in range(5):
            try:
                raised.append(len(next(batches)))
            except Exception as error:
                raised.append(type(error).__name__)
    names = [each for each in raised if isinstance(each, str)]
    assert names == ["RuntimeWarning", "DecodeError", "StopIteration", "StopIteration"]


def test_readers_of_arrow_streams_are_warned(paths, schema):
    pa = pytest.importorskip("pyarrow")
    scan = st.scan(paths, schema, on_damaged_file="rest")
    with pytest.warns(RuntimeWarning, match="the rest of the file is left out"):
        assert pa.RecordBatchReader.from_stream(scan).read_all().num_rows == 25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pa.ArrowException, match="the rest of the file is left out"):
            pa.RecordBatchReader.from_stream(scan).read_all()
        reader = pa.RecordBatchReader.from_stream(scan)
        with pytest.raises(pa.ArrowException, match="the rest of the file is left out"):
            reader.read_next_batch()
        assert reader.read_all().num_rows == 25  # nothing is lost if the reader goes on


def test_splits_have_the_policy(paths, schema):
    splits = st.scan(paths, schema, on_damaged_file="skip").select("name").splits(2)
    with pytest.warns(RuntimeWarning):
        assert [len(split.read()) for split in splits] == [0, 5]


def test_values_that_cannot_be(paths, schema):
    for value, error in (("null", ValueError), (None, TypeError), (1, TypeError)):
        with pytest.raises(error, match="on_damaged_file"):
            st.scan(paths, schema, on_damaged_file=value)
    with pytest.raises(TypeError, match="on_damaged_file"):  # a decoder reads no files
        schema.decoder(on_damaged_file="rest")


def test_strings_in_memory_have_no_policy(schema):
    text = b'[{"name": "a"}, {"name"'
    decoder = schema.decoder(on_error="skip")
    batch = decoder.decode(text, format="json")
    assert batch["name"].to_py() == ["a"] and len(batch.errors) == 1
    with pytest.raises(st.DecodeError, match=r'\(fetch it again, or pass on_error="skip" to keep the records before it\)$'):
        schema.decoder().decode(text, format="json")


def test_limits_of_strings_in_memory_can_be_raised(schema):
    text = b'{"name": "%s"}' % (b"a" * 100)
    with pytest.raises(st.DecodeError, match="of more than 50 bytes.*set max_message_bytes= to a larger number") as caught:
        schema.decoder(max_message_bytes=50).decode(text, format="json")
    assert "on_damaged_file" not in str(caught.value)
    assert len(schema.decoder(max_message_bytes=200).decode(text, format="json")) == 1


def test_names_of_files_are_printable(schema, messages, tmp_path):
    folder = os.fsencode(tmp_path)
    names = {b"a\xff\n.pb": "a\\xff\\x0a.pb", b"a\\xff.pb": "a\\x5cxff.pb"}
    for name in names:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(delimited([*messages[:2], b"\x0a\x05ab"]))
    batch = st.read(folder, schema, on_error="skip")
    assert len(batch) == 4
    assert sorted(batch.errors["file"].to_py()) == sorted(f"{tmp_path}/{name}" for name in names.values())
    (tmp_path / "empty\x1b").mkdir()
    with pytest.raises(FileNotFoundError, match=r"empty\\x1b: a folder without files"):
        st.scan(tmp_path / "empty\x1b", schema).splits(2)
    (tmp_path / "table\x1b.pb").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"table\\x1b.pb: a Parquet file"):
        st.read(tmp_path / "table\x1b.pb", schema)
