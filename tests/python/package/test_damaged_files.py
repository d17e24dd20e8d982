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
        assert caught.value.row == 20


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("policy", "rows", "left_out"), [("rest", 25, "rest"), ("skip", 5, "file")])
def test_what_is_left_out(paths, schema, messages, policy, rows, left_out, threads):
    scan = st.scan(paths, schema, on_damaged_file=policy, on_error="null", max_errors=0, threads=threads, timestamps="ns")
    with pytest.warns(RuntimeWarning, match=f"1.pb.gz record 20, byte .*; the .*{left_out}.* is left out") as warned:
        batch = scan.read()
    assert len(warned) == 1
    assert len(batch) == rows and len(batch.errors) == 0
    assert batch.to_protobuf() == [*messages, *messages[:5]][-rows:]

    batches = scan.batches(rows=3)
    assert batches.damaged_files == []
    with pytest.warns(RuntimeWarning):
        assert sum(map(len, batches)) == rows
    assert batches.broken_messages == 0
    assert batches.damaged_files == [
        {
            "file": str(paths[0]),
            "message": 20,
            "byte": len(delimited(messages)),
            "problem": "the gzip stream ends early",
            "left_out": left_out,
        }
    ]


def test_readers_of_arrow_streams_are_warned(paths, schema):
    pa = pytest.importorskip("pyarrow")
    scan = st.scan(paths, schema, on_damaged_file="rest")
    with pytest.warns(RuntimeWarning, match="the rest of the file is left out"):
        assert pa.RecordBatchReader.from_stream(scan).read_all().num_rows == 25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pa.ArrowException, match="the rest of the file is left out"):
            pa.RecordBatchReader.from_stream(scan).read_all()


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


def test_texts_in_memory_have_no_policy(schema):
    text = b'[{"name": "a"}, {"name"'
    decoder = schema.decoder(on_error="skip")
    batch = decoder.decode(text, framing="json")
    assert batch["name"].to_py() == ["a"] and len(batch.errors) == 1


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
