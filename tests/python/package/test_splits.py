"""Scans in pieces: pickled, read elsewhere, and put together again."""

import concurrent.futures
import gzip
import json
import multiprocessing
import os
import pickle

import pytest
from conftest import delimited, make_spans

import structtensor as st


@pytest.fixture(scope="module")
def folder(tmp_path_factory, span_class):
    """Five files of different sizes, one of them empty, and two that a scan passes over."""
    folder = tmp_path_factory.mktemp("splits")
    for i, count in enumerate([30, 1, 0, 200, 12]):
        messages = [span.SerializeToString() for span in make_spans(span_class, count, seed=i)]
        (folder / f"{9 - i} spans.pb").write_bytes(delimited(messages))
    (folder / ".hidden").write_bytes(b"\xff")
    (folder / "_SUCCESS").write_bytes(b"\xff")
    (folder / "sub").mkdir()
    return folder


@pytest.fixture(scope="module")
def schema(descriptor_set):
    return st.Schema.from_descriptor_set(descriptor_set, "Span")


def rows_of(scan):
    return [row.to_py() for batch in scan.batches() for row in batch]


@pytest.mark.parametrize("count", [None, 1, 2, 3, 4, 5, 100, 10**400])
def test_splits_together_are_the_whole(folder, schema, count):
    scan = st.scan(folder, schema, format="delimited", on_error="skip").drop("payload").where("start > 3000000")
    splits = scan.splits(count)
    assert len(splits) == 5 if count is None else 1 <= len(splits) <= min(count, 5)
    assert all(isinstance(split, st.Scan) for split in splits)
    whole = rows_of(scan)
    assert len(whole) > 200
    assert [row for split in splits for row in rows_of(split)] == whole
    assert all(split.spec == scan.spec for split in splits)


@pytest.mark.parametrize("protocol", [2, 5])
def test_splits_can_be_pickled(folder, schema, protocol):
    scan = st.scan(folder, schema, format="delimited").select("name", "counters")
    for split in [scan, *scan.splits()]:
        back = pickle.loads(pickle.dumps(split, protocol))
        assert repr(back) == repr(split)
        assert rows_of(back) == rows_of(split)
    assert pickle.loads(pickle.dumps(schema, protocol)).message == "trace.Span"
    _, (version, state) = scan.__reduce_ex__(5)
    with pytest.raises(ValueError, match="version 2"):
        st._scan.load_scan(version + 1, state)


def test_other_processes_read_splits(folder, schema):
    scan = st.scan(folder, schema, format="delimited")
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        batches = list(pool.map(st.Scan.read, scan.splits()))
    assert st.concat(batches, axis=0).equals(scan.read())


def test_sizes_are_even(tmp_path, schema):
    for i in range(8):
        (tmp_path / f"{i}.pb").write_bytes(b"\0" * 1000)
    scan = st.scan(tmp_path, schema, format="delimited")
    assert [len(split._paths) for split in scan.splits(4)] == [2, 2, 2, 2]
    assert [len(split._paths) for split in scan.splits(3)] == [3, 2, 3]
    paths = [path for split in scan.splits(3) for path in split._paths]
    assert paths == [str(tmp_path / f"{i}.pb") for i in range(8)]


def test_a_long_file_is_a_split_by_itself(tmp_path, schema):
    for i, size in enumerate([10, 10, 5000, 10, 10]):
        (tmp_path / f"{i}.pb").write_bytes(b"\0" * size)
    names = [f"{tmp_path}/{i}.pb" for i in range(5)]
    paths = [tmp_path / "0.pb", tmp_path / "1.pb", tmp_path / "2.pb", tmp_path / "3.pb", tmp_path / "4.pb"]
    for scan in (st.scan(tmp_path, schema, format="delimited"), st.scan(paths, schema, format="delimited")):
        assert [split._paths for split in scan.splits(3)] == [names[:2], names[2:3], names[3:]]


def test_links_in_a_folder(tmp_path, schema):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "long").write_bytes(b"\0" * 5000)
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a", "b", "d", "e"):
        (folder / name).write_bytes(b"\0" * 10)
    (folder / "c").symlink_to(tmp_path / "elsewhere" / "long")
    (folder / "b nowhere").symlink_to(tmp_path / "nothing")
    (folder / "b round").symlink_to(folder / "b round")
    (folder / "b folder").symlink_to(tmp_path / "elsewhere")
    scan = st.scan(folder, schema, format="delimited")
    assert [split._paths for split in scan.splits()] == [[f"{folder}/{name}"] for name in "abcde"]
    # The size of a link is that of the file.
    assert [[path[-1] for path in split._paths] for split in scan.splits(3)] == [["a", "b"], ["c"], ["d", "e"]]
    assert len(scan.read()) == sum(len(split.read()) for split in scan.splits(3)) == 5040


def test_folders_of_partitions(tmp_path, schema):
    names = ["_day=1/a", "a", "b=1-/a", "b=1-a", "b=1.pb", "b=1/a", "b=1/c=2/d=3/a", "b=1/z"]
    names += ["b=10/_c=1/a", "b=10/a", "b=1é/a", "c", "é=1/a"]
    for i, name in enumerate([*names, "b=1/_SUCCESS", "b=1/.hidden", ".b=1/a", "folder/a", "=1/a"]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"\0" * (i + 1))
    (tmp_path / "link=1").symlink_to(tmp_path / "b=1")
    scan = st.scan(tmp_path, schema, format="delimited")
    read = st._core._expand_paths([str(tmp_path)])  # what scan.read() reads, in its order
    assert sorted(read) == sorted(f"{tmp_path}/{name}" for name in names)
    for count in (None, 1, 3, len(names)):
        assert [path for split in scan.splits(count) for path in split._paths] == read
    assert len(scan.read()) == sum(len(split.read()) for split in scan.splits(4)) == sum(range(len(names) + 1))


def test_errors_of_a_split_name_its_file(tmp_path, schema, spans_file):
    (tmp_path / "bad.pb").write_bytes(b"\x02\x0a\x05")
    good, bad = st.scan([spans_file, tmp_path / "bad.pb"], schema, format="delimited").splits()
    assert len(good.read()) == 100
    with pytest.raises(st.DecodeError, match="bad.pb"):
        bad.read()
    (tmp_path / "bad.pb").unlink()
    with pytest.raises(FileNotFoundError, match="bad.pb"):
        bad.read()


def test_scans_without_splits(tmp_path, schema, spans_file):
    for wrong in ({"skip": 1}, {"limit": 5}, {"limit": 0}):
        with pytest.raises(ValueError, match="skip and limit"):
            st.scan(spans_file, schema, **wrong).splits()
    with pytest.raises(ValueError, match="standard input"):
        st.scan("-", schema).splits()
    with pytest.raises(ValueError, match="at least one file"):
        st.scan([], schema).splits()
    with pytest.raises(FileNotFoundError, match="without files"):
        st.scan(tmp_path, schema).splits()
    with pytest.raises(FileNotFoundError, match="nothing"):
        st.scan(tmp_path / "nothing", schema).splits(2)
    for count in (0, -1):
        with pytest.raises(ValueError, match="count"):
            st.scan(spans_file, schema).splits(count)
    for count in ("2", 1.5, True):
        with pytest.raises(TypeError, match="count"):
            st.scan(spans_file, schema).splits(count)


def test_splits_of_missing_files(tmp_path, schema, spans_file):
    for count in (None, 2):
        with pytest.raises(FileNotFoundError, match="nothing.pb"):
            st.scan([spans_file, tmp_path / "nothing.pb"], schema).splits(count)


def test_what_is_not_complete_is_not_read(tmp_path, schema, serialized):
    """As this release and earlier ones name files and folders that are being written."""
    (tmp_path / "a.pb").write_bytes(delimited(serialized[:2]))
    (tmp_path / "day=1.partial-x5Fq2A").mkdir()
    for name in (".b.pb.partial-x5Fq2A", "b.pb.partial-x5Fq2A", "day=1.partial-x5Fq2A/b.pb"):
        (tmp_path / name).write_bytes(delimited(serialized[2:3]))
    scan = st.scan(tmp_path, schema, format="delimited")
    assert sum(len(batch) for batch in scan.batches()) == 2
    assert sum(len(batch) for split in scan.splits(3) for batch in split.batches()) == 2


def test_dead_letters_are_kept_as_they_were(tmp_path, schema, serialized):
    broken = [b"\x0a\x05", b"\x0a\x02\xff\xff"]
    (tmp_path / "a.pb").write_bytes(delimited([serialized[0], broken[0], serialized[1]]))
    (tmp_path / "b.pb").write_bytes(delimited([broken[1]]))
    scan = st.scan([tmp_path / "a.pb", tmp_path / "b.pb"], schema, format="delimited", on_error="skip")
    for _ in range(2):  # in place of what is there
        assert len(list(scan.batches(dead_letters=tmp_path / "dead"))) >= 1
        assert (tmp_path / "dead").read_bytes() == delimited(broken)
        letters = [json.loads(line) for line in (tmp_path / "dead.jsonl").read_text().splitlines()]
        assert [(letter["file"], letter["record"], letter["field_path"]) for letter in letters] == [
            (str(tmp_path / "a.pb"), 1, "name"),
            (str(tmp_path / "b.pb"), 0, "name"),
        ]
    whole = scan.where("start >= 0").batches(dead_letters=os.fspath(tmp_path / "none"))
    assert sum(len(batch) for batch in whole) == 2
    good = st.scan(tmp_path / "dead.jsonl", schema, format="delimited")
    with pytest.raises(ValueError, match="is read or written already"):
        next(good.batches(dead_letters=tmp_path / "dead.jsonl"))
    with pytest.raises(TypeError):
        scan.batches(dead_letters=3)


def test_patterns_match_files(folder, schema, tmp_path):
    pattern = os.fspath(folder / "*spans.pb")
    scan, whole = st.scan(pattern, schema, format="delimited"), st.scan(folder, schema, format="delimited")
    assert rows_of(scan) == rows_of(whole) == st.read(pattern, schema, format="delimited").to_py()
    assert len(scan.splits()) == 5
    assert [row for split in scan.splits(3) for row in rows_of(split)] == rows_of(whole)
    for reading in (lambda scan: scan.read(), lambda scan: scan.splits()):
        with pytest.raises(FileNotFoundError, match=r"\*\.json: no file matches"):
            reading(st.scan(folder / "*.json", schema))
    star = tmp_path / "*.pb"  # the name of a file
    star.write_bytes(b"")
    (tmp_path / "other.pb").write_bytes(b"\xff")
    assert len(st.scan(star, schema, format="delimited").splits()) == 1


def test_compressed_files_are_not_cut(schema, span_class, tmp_path):
    for i in range(8):
        data = delimited([span.SerializeToString() for span in make_spans(span_class, 50, seed=i)])
        (tmp_path / f"{i}.pb.gz").write_bytes(gzip.compress(data))
    splits = st.scan(tmp_path / "*.gz", schema, format="delimited").splits(16, index="make")
    assert len(splits) == 8
    assert sum(len(rows_of(split)) for split in splits) == 400
