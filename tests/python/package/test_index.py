"""Files that are cut into splits, where an index or a look through the file says that records begin: rows, numbers and errors
are those of the whole file."""

import json
import os
import pickle
import random
import struct
import subprocess
import sys
import warnings

import pytest
from conftest import delimited, make_spans

import structtensor as st

FRAMINGS = ["delimited", "tfrecord", "length32", "length32le", "grpc"]


@pytest.fixture(scope="module")
def schema(descriptor_set):
    return st.Schema.from_descriptor_set(descriptor_set, "Span")


@pytest.fixture(scope="module")
def messages(span_class):
    return [span.SerializeToString() for span in make_spans(span_class, 400, seed=7)]


def run_index(*arguments, code=0):
    command = [sys.executable, "-m", "structtensor", "index", *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stderr
    return ran.stderr if code else ran.stdout


def masked_crc(data):
    """The masked CRC-32C of TFRecord files."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def framed(framing, messages):
    """The bytes of a file with these messages."""
    if framing == "delimited":
        return delimited(messages)
    if framing == "tfrecord":
        lengths = [struct.pack("<Q", len(message)) for message in messages]
        return b"".join(
            length + masked_crc(length) + message + masked_crc(message)
            for length, message in zip(lengths, messages, strict=True)
        )
    heads = {"length32": ">I", "length32le": "<I", "grpc": ">xI"}
    return b"".join(struct.pack(heads[framing], len(message)) + message for message in messages)


def letters_of(scan, folder):
    """The dead letters of a scan, as dicts with the message."""
    for _ in scan.batches(dead_letters=folder / "dead"):
        pass
    return (folder / "dead").read_bytes(), (folder / "dead.jsonl").read_text()


def whole_of(scan, folder):
    """The rows, errors and dead letters of a scan."""
    whole = scan.read()
    return whole.to_py(), whole.errors.to_py(), letters_of(scan, folder)


def check_cut(whole, splits, folder):
    """That splits have the rows, errors and dead letters of the whole, also after they were pickled."""
    rows, errors, (data, lines) = whole
    splits = [pickle.loads(pickle.dumps(split)) for split in splits]
    pieces = [split.read() for split in splits]
    assert [row for piece in pieces for row in piece.to_py()] == rows
    assert [row for piece in pieces for row in piece.errors.to_py()] == errors
    letters = [letters_of(split, folder) for split in splits]
    assert b"".join(part for part, _ in letters) == data
    assert "".join(part for _, part in letters) == lines


@pytest.mark.parametrize("framing", FRAMINGS)
def test_splits_of_a_file_are_the_whole(tmp_path, schema, messages, framing):
    dice = random.Random(5)
    sent = list(messages)
    for i in dice.sample(range(len(sent)), 30):  # with messages that do not decode
        sent[i] = dice.choice([b"\x0a\x05", b"\x0a\x02\xff\xff"])
    path = tmp_path / "spans.pb"
    path.write_bytes(framed(framing, sent))
    scan = st.scan(path, schema, format=framing, on_error="skip")
    for every in (1, 100, 1000, 10**9, 2**63 - 1):
        run_index("--from", framing, "--every", every, path)
        whole = whole_of(scan, tmp_path)
        for count in (1, 2, 7, 50, 10_000):
            splits = scan.splits(count)
            assert len(splits) <= count
            check_cut(whole, splits, tmp_path)
        if every == 1:
            sizes = [split._size_bytes() for split in scan.splits(8)]
            assert len(sizes) == 8
            assert max(sizes) <= 1.2 * sum(sizes) / len(sizes)
    assert len(scan.splits(8, index=None)) == 1
    assert len(scan.splits()) == 1


def test_splits_by_looking_through(tmp_path, schema, messages):
    path = tmp_path / "spans.pb"
    path.write_bytes(delimited(messages * 200))
    scan = st.scan([path, path], schema, format="delimited", where="start >= 0")
    assert len(scan.splits(8)) == 2
    splits = scan.splits(4, index="make")
    sizes = [split._size_bytes() for split in splits]
    assert sum(sizes) == 2 * path.stat().st_size
    if path.stat().st_size > 20 << 20:
        assert max(sizes) <= 1.2 * sum(sizes) / len(sizes)
    assert [len(split.read()) for split in splits] != [400 * 200] * 2
    assert sum(len(split.read()) for split in splits) == len(scan.read())
    assert not list(tmp_path.glob(".*"))
    for split in splits:  # splits of splits
        assert sum(len(each.read()) for each in split.splits(3)) == len(split.read())
        assert sum(len(each.read()) for each in split.splits()) == len(split.read())


def test_an_index_is_no_input_of_its_folder(tmp_path, schema, messages):
    folder = tmp_path / "spans"
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.pb").write_bytes(delimited(messages[i * 100 :]))
    found = json.loads(run_index("--every", "100", "--json", folder))
    assert [file["messages"] for file in found["files"]] == [400, 300, 200]
    assert [os.path.basename(file["index"]) for file in found["files"]] == [f".{i}.pb.stidx" for i in range(3)]
    scan = st.scan(folder, schema)
    check_cut(whole_of(scan, tmp_path), scan.splits(5), tmp_path)
    assert run_index("--every", "100", folder).count("messages") == 3  # over those that are there


@pytest.mark.parametrize("content", [b"", b"\0", b"\0" * 5000])
def test_empty_files_and_messages(tmp_path, schema, content):
    (tmp_path / "a.pb").write_bytes(content)
    (tmp_path / "b.pb").write_bytes(b"")
    run_index("--every", "1", tmp_path / "a.pb", tmp_path / "b.pb", "--from", "delimited")
    scan = st.scan([tmp_path / "a.pb", tmp_path / "b.pb"], schema, format="delimited")
    for count in (1, 3, 100):
        assert sum(len(split.read()) for split in scan.splits(count)) == len(content)


def test_one_huge_message(tmp_path, schema, span_class, messages):
    huge = span_class(name="x" * (3 << 20)).SerializeToString()
    path = tmp_path / "spans.pb"
    path.write_bytes(delimited([*messages, huge, *messages]))
    run_index("--every", "1000", path)
    scan = st.scan(path, schema)
    check_cut(whole_of(scan, tmp_path), scan.splits(20), tmp_path)


@pytest.mark.parametrize("tail", [b"\xff" * 12, b"\x80", b"\x05abc", b"\xff\xff\xff\xff\xff\x01"])
def test_a_file_that_is_damaged_further_on(tmp_path, schema, messages, tail):
    path = tmp_path / "spans.pb"
    path.write_bytes(delimited(messages) + tail)
    assert "record 400" in run_index("--every", "1", path, "--from", "delimited", code=1)
    for split_of in (lambda scan: scan.splits(9), lambda scan: scan.splits(9, index="make")):
        scan = st.scan(path, schema, format="delimited")
        *before, last = split_of(scan)
        with pytest.raises(st.DecodeError) as whole_error:
            scan.read()
        with pytest.raises(st.DecodeError) as error:
            last.read()
        assert str(error.value) == str(whole_error.value)
        assert sum(len(split.read()) for split in before) < 400
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rest = st.scan(path, schema, format="delimited", on_damaged_file="rest")
        check_cut(whole_of(rest, tmp_path), rest.splits(9), tmp_path)
        skipping = st.scan(path, schema, format="delimited", on_damaged_file="skip")
        (split,) = skipping.splits(9)  # only a whole file can be left out
        assert len(split.read()) == 0


def test_an_index_of_another_file_is_an_error(tmp_path, schema, messages):
    path = tmp_path / "spans.pb"
    path.write_bytes(delimited(messages))
    run_index("--every", "100", path)
    scan = st.scan(path, schema, format="delimited")
    splits = scan.splits(5)
    assert len(splits) == 5
    content = path.read_bytes()
    others = [content + b"\0", content[:-1], delimited(messages[::-1]), b"", content[:-1] + bytes([content[-1] ^ 1])]
    for other in others:
        path.write_bytes(other)
        if other:  # an empty file is not split, and its index is not read
            with pytest.raises(ValueError, match=r"\.spans\.pb\.stidx: .*structtensor index"):
                scan.splits(5)
        with pytest.raises(ValueError, match=r"spans\.pb: .*plan the splits again"):
            for split in splits:
                split.read()
        assert len(scan.splits(5, index=None)) == 1
    path.write_bytes(content)
    assert sum(len(split.read()) for split in splits) == 400
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"spans\.pb"):
        splits[0].read()


def test_a_file_that_has_changed_in_the_middle(tmp_path, schema):
    """The size and the bytes at the cuts are the same, but the split no longer ends where the next one begins."""
    path = tmp_path / "spans.pb"
    path.write_bytes(b"\0" * 40_000)
    run_index("--every", "1", "--from", "delimited", path)
    path.write_bytes(b"\0" * 20_000 + b"\x63" + b"\0" * 99 + b"\0" * 19_900)
    splits = st.scan(path, schema, format="delimited", on_error="skip").splits(5)
    assert [len(splits[i].read()) for i in (0, 1, 3, 4)] == [8000] * 4
    with pytest.raises(st.DecodeError, match="record 23901, byte 24000: .*plan the splits again"):
        splits[2].read()
    rest = st.scan(path, schema, format="delimited", on_error="skip", on_damaged_file="rest").splits(5)
    with pytest.warns(RuntimeWarning, match="record 23901, byte 24000: "):
        assert len(rest[2].read()) == 7900  # without record 20000, which does not decode


def test_damaged_bytes_of_an_index(tmp_path, schema, messages):
    path, index = tmp_path / "spans.pb", tmp_path / ".spans.pb.stidx"
    path.write_bytes(delimited(messages))
    run_index("--every", "3000", path)
    scan = st.scan(path, schema, format="delimited")
    valid = index.read_bytes()
    damaged = [valid[:i] + bytes([valid[i] ^ flip]) + valid[i + 1 :] for i in range(len(valid)) for flip in (1, 0x80, 0xFF)]
    damaged += [valid[:i] for i in range(len(valid))] + [valid + b"\0", b"", b"\0" * 40, valid * 2, b"x" * 10_000_000]
    for content in damaged:
        index.write_bytes(content)
        with pytest.raises(ValueError, match=r"\.spans\.pb\.stidx: .*structtensor index"):
            scan.splits(5)
    index.write_bytes(valid)
    check_cut(whole_of(scan, tmp_path), scan.splits(5), tmp_path)


def test_what_cannot_be_cut(tmp_path, schema, messages):
    import gzip

    (tmp_path / "spans.pb.gz").write_bytes(gzip.compress(delimited(messages)))
    assert "compressed" in run_index(tmp_path / "spans.pb.gz", code=1)
    for name, framing in (("a.json", "json"), ("a.csv", "csv"), ("a.pb", "hex"), ("a.pb", "base64"), ("a.pb", "message")):
        (tmp_path / name).write_bytes(b"{}\n")
        assert "cannot be indexed" in run_index("--from", framing, tmp_path / name, code=1)
    assert "No such file" in run_index(tmp_path / "nothing", code=1)
    assert "standard input" in run_index(code=1)
    for every in ("0", "-1", "x", "1.5", str(2**63)):
        assert "--every" in run_index("--every", every, tmp_path / "a.pb", code=2)
    assert not list(tmp_path.glob(".*"))
    compressed = st.scan([tmp_path / "spans.pb.gz"] * 2, schema)
    assert [len(split.read()) for split in compressed.splits(5, index="make")] == [400, 400]
    for wrong in ("", "no", True, 1):
        with pytest.raises(ValueError, match="index"):
            compressed.splits(2, index=wrong)


def test_an_index_of_another_framing(tmp_path, schema):
    path = tmp_path / "spans.pb"
    path.write_bytes(b"\0" * 4000)
    run_index("--every", "4", "--from", "length32", path)
    with pytest.raises(ValueError, match="length32, and the file is read as delimited"):
        st.scan(path, schema, format="delimited").splits(3)
    assert sum(len(split.read()) for split in st.scan(path, schema, format="length32").splits(3)) == 1000
