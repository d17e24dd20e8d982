"""s3:// paths in Python, and of the package's command, by pyarrow."""

import gzip
import importlib.util
import pathlib
import pickle
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import structtensor as st
from conftest import delimited, make_spans

HERE = pathlib.Path(__file__).resolve().parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


s3_server = load(HERE.parent / "s3_server.py")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name, value in s3_server.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def s3():
    with s3_server.running("data", "out") as server:
        yield server


@pytest.fixture(scope="module")
def schema(descriptor_set):
    return st.Schema.from_descriptor_set(descriptor_set, "Span")


@pytest.fixture(scope="module")
def messages(span_class):
    return [span.SerializeToString(deterministic=True) for span in make_spans(span_class, 500)]


@pytest.fixture
def folder(s3, messages):
    """Five files in a folder of the server."""
    for i in range(5):
        part = delimited(messages[100 * i : 100 * (i + 1)])
        s3.objects["data"][f"spans/day=1/{i}.pb.gz"] = gzip.compress(part)
    s3.objects["data"]["spans/_SUCCESS"] = b"\xff"
    return f"s3://data/spans{s3.options}"


def test_read_and_scan_have_all_messages(s3, folder, schema, messages):
    whole = schema.decoder().decode(messages)
    assert st.read(folder, schema).to_py() == whole.to_py()
    assert st.read(f"s3://data/spans/*/*.gz{s3.options}", schema).to_py() == whole.to_py()
    batches = list(st.scan(folder, schema, threads=3).batches(batch_size=50))
    assert len(batches) >= 10
    assert [row for batch in batches for row in batch.to_py()] == whole.to_py()
    assert pa.table(st.scan(folder, schema).select("name"))["name"].to_pylist() == [row["name"] for row in whole.to_py()]


def test_json(s3):
    text = '{"a": 1}\n{"a": 2}\n'
    s3.objects["data"]["rows.jsonl"] = text.encode()
    s3.objects["data"]["rows.jsonl.gz"] = gzip.compress(text.encode())
    for name in ("rows.jsonl", "rows.jsonl.gz"):
        assert st.from_json(f"s3://data/{name}{s3.options}").equals(st.from_json(text))
    with pytest.raises(FileNotFoundError, match="nothing"):
        st.from_json(f"s3://data/nothing{s3.options}")


def test_a_scan_may_be_left_in_the_middle(s3, schema, messages):
    s3.objects["data"]["long.pb"] = delimited(messages) * 200
    path = f"s3://data/long.pb{s3.options}"
    assert len(s3.objects["data"]["long.pb"]) > 5 << 20
    for _ in range(5):
        batches = iter(st.scan(path, schema, format="delimited").batches(batch_size=100))
        assert len(next(batches)) == 100
        del batches
        reader = pa.RecordBatchReader.from_stream(st.scan(path, schema, format="delimited"))
        assert reader.read_next_batch().num_rows > 0
        del reader


def test_splits_are_files(s3, folder, schema, messages):
    scan = st.scan(folder, schema)
    splits = [pickle.loads(pickle.dumps(split)) for split in scan.splits()]
    assert [split._paths for split in splits] == [[f"s3://data/spans/day=1/{i}.pb.gz{s3.options}"] for i in range(5)]
    assert [row for split in splits for row in split.read().to_py()] == scan.read().to_py()
    assert [len(split._paths) for split in scan.splits(2)] in ([2, 3], [3, 2])


def test_sizes_of_a_folder_come_from_its_listing(s3, schema, messages, monkeypatch):
    for name, count in {"a/1.pb": 1, "a/2.pb": 1, "a/3.pb": 30, "b/4.pb": 1, "b/5.pb": 1}.items():
        s3.objects["data"][f"sizes/{name}"] = delimited(messages[:1]) * count

    remote_files = importlib.import_module("structtensor._remote_files")
    open_file = remote_files.open_file

    def opened(*location):
        # A long file may have an index, which says where it can be cut.
        if "a/.3.pb.stidx" in location[1]:
            return open_file(*location)
        raise AssertionError(f"{location} is opened")

    monkeypatch.setattr(remote_files, "open_file", opened)
    for names in (["sizes/*/*.pb"], ["sizes/a", "sizes/b/"]):
        scan = st.scan([f"s3://data/{name}{s3.options}" for name in names], schema)
        parts = [split._paths for split in scan.splits(3)]
        found = [[path.partition("?")[0][-6:] for path in part] for part in parts]
        assert found == [["a/1.pb", "a/2.pb"], ["a/3.pb"], ["b/4.pb", "b/5.pb"]]


def test_errors_say_what_is_not_there(s3, folder, schema, messages):
    with pytest.raises(FileNotFoundError, match="^s3://data/no: there is no such file or folder$"):
        st.read(f"s3://data/no{s3.options}", schema)
    with pytest.raises(FileNotFoundError, match="s3://other/no"):
        st.read(f"s3://other/no{s3.options}", schema)
    with pytest.raises(FileNotFoundError, match="s3://data/no"):
        st.scan(f"s3://data/no{s3.options}", schema).splits()
    s3.objects["data"]["broken.pb"] = delimited(messages[:2]) + b"\x02\x0a\x05"
    with pytest.raises(st.DecodeError, match=r"^s3://data/broken\.pb record 2, byte"):
        st.read(f"s3://data/broken.pb{s3.options}", schema, format="delimited")
    s3.objects["data"]["rows.parquet"] = b"PAR1, and more"
    with pytest.raises(ValueError, match=r"rows\.parquet.*: a Parquet file"):
        st.read(f"s3://data/rows.parquet{s3.options}", schema)
    s3.fails = lambda method, path: (403, "AccessDenied")
    with pytest.raises(PermissionError, match="s3://data/spans: no right to do this, or no credentials"):
        st.read(folder, schema)


@pytest.mark.slow
def test_no_answer_is_an_error(schema):
    with s3_server.running("data") as server:
        options = server.options
    with pytest.raises(ConnectionError, match=r"s3://data/a\.pb: no S3 or GCS server answers"):
        st.read(f"s3://data/a.pb{options}", schema)


def test_without_pyarrow_the_error_says_what_to_install(schema):
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import structtensor as st\n"
        "try:\n    st.read('s3://data/a.pb', st.Schema.from_proto(sys.argv[1]))\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(HERE / "trace.proto")], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("RuntimeError s3://data/a.pb: s3:// and gs:// paths need pyarrow: pip install pyarrow")


# --- the command


def run(*arguments, exit_code=0):
    command = [sys.executable, "-m", "structtensor", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=100)
    assert done.returncode == exit_code, done.stderr.decode()
    return done


def test_the_command_writes_and_reads(s3, folder, messages):
    proto = ["-p", HERE / "trace.proto", "-m", "Span"]
    rows = f"s3://out/rows.parquet{s3.options}"
    run("convert", folder, *proto, "-o", rows, "--timestamps", "ns")
    assert pq.ParquetFile(pa.BufferReader(s3.objects["out"]["rows.parquet"])).metadata.num_rows == 500
    assert run("count", rows).stdout.decode() == "500 rows  s3://out/rows.parquet\n"
    back = run("convert", rows, "--to", "delimited", "-o", "-", "--quiet", "-j", 3).stdout
    assert back == run("convert", folder, *proto, "--to", "delimited", "-o", "-", "--quiet").stdout
    assert b"500 of 500" in run("validate", rows).stdout
    by_name = ["--to", "rows", "--partition-by", "name", "--where", "start < 3000000"]
    run("convert", rows, *by_name, "-o", f"s3://out/by{s3.options}")
    assert [key for key in sorted(s3.objects["out"]) if key.startswith("by/name=")] == [
        f"by/name=span%20{i}/part-0.jsonl" for i in range(3)
    ]
    assert s3.uploads == {}


def test_a_run_of_the_command_that_fails_leaves_no_object(s3, folder):
    proto = ["-p", HERE / "trace.proto", "-m", "Span"]
    s3.objects["data"]["spans/day=1/9.pb"] = b"\x02\x0a\x05"
    done = run("convert", folder, *proto, "-o", f"s3://out/rows.parquet{s3.options}", exit_code=1)
    assert b"s3://data/spans/day=1/9.pb record 0" in done.stderr
    del s3.objects["data"]["spans/day=1/9.pb"]
    s3.fails = lambda method, path: (403, "AccessDenied") if method == "PUT" else None
    done = run("convert", folder, *proto, "-o", f"s3://out/rows.parquet{s3.options}", exit_code=1)
    assert b"cannot write s3://out/rows.parquet: no right to do this" in done.stderr
    assert s3.objects["out"] == {}
