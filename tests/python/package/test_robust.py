"""What must not happen: crashes, wrong exceptions, conflicts with other packages' copies of the same libraries."""

import ast
import builtins
import contextlib
import inspect
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import types

import conftest
import pytest
from google.protobuf import wrappers_pb2

import structtensor as st
from structtensor import _core, _operations

MODULES = (st, st.bitwise, st.dispatch, st.io, st.math, st.nest, st.ragged, st.strings, st.struct)
STUBS = {module: pathlib.Path(module.__file__ + "i").read_text() for module in MODULES}


@pytest.mark.parametrize("messages", [None, 5, "text", [1], ["text"], [None], [[1, 2]], {"a": 1}.items()])
def test_what_is_no_list_of_messages(messages, span_class):
    with pytest.raises(TypeError):
        st.Schema.from_class(span_class).decoder().decode(messages)


def test_one_buffer_needs_framing(serialized, span_class):
    decoder = st.Schema.from_class(span_class).decoder()
    with pytest.raises(TypeError, match="format"):
        decoder.decode(serialized[0])
    with pytest.raises(ValueError, match="format"):
        decoder.decode(serialized[0], format="nothing")
    with pytest.raises(st.DecodeError, match="record 0") as caught:
        decoder.decode(b"\xff\xff\xff", format="delimited")
    assert caught.value.message_index is None
    with pytest.raises(TypeError):
        decoder.decode(serialized, format="delimited")
    assert len(decoder.decode(b"", format="delimited")) == 0


def test_columns_of_messages(span_class):
    import pyarrow as pa

    decoder = st.Schema.from_class(span_class).decoder()
    with pytest.raises(ValueError, match="row 1"):
        decoder.decode(pa.array([b"", None]))
    with pytest.raises(TypeError, match="column of bytes"):
        decoder.decode(pa.array([1]))
    with pytest.raises(TypeError, match="column of bytes"):
        decoder.decode(st.constant([[b""]]))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"on_error": "ignore"}, ValueError),
        ({"on_error": None}, TypeError),
        ({"select": "nothing"}, KeyError),
        ({"select": "/(/"}, ValueError),
        ({"select": 5}, TypeError),
        ({"max_errors": -1}, ValueError),
        ({"max_errors": 5}, ValueError),
        ({"max_errors": 0, "on_error": "fail"}, ValueError),
        ({"on_error": "skip", "max_errors": 2**63}, ValueError),
        ({"max_depth": 1001}, ValueError),
        ({"max_depth": -1}, ValueError),
        ({"max_rows": 2**31}, ValueError),
        ({"max_rows": True}, TypeError),
        ({"max_memory_bytes": 2**64}, OverflowError),
        ({"max_cells": -1}, ValueError),
        ({"max_cells": 2**64}, OverflowError),
        ({"max_memory_bytes": -1}, ValueError),
        ({"max_message_bytes": 0}, ValueError),
        ({"max_message_bytes": 2**31}, ValueError),
        ({"recursion_depth": 0}, ValueError),
        ({"recursion_depth": 11}, ValueError),
        ({"optionals": "maybe"}, ValueError),
        ({"timestamps": "min"}, ValueError),
        ({"unknown_fields": 1}, TypeError),
        ({"ignore_extra_fields": 1}, TypeError),
        ({"threads": 0}, ValueError),
        ({"threads": -1}, ValueError),
        ({"threads": 1025}, ValueError),
        ({"threads": 2**31 + 1}, ValueError),
        ({"threads": 2**64}, OverflowError),
        ({"threads": 1.5}, TypeError),
        ({"threads": True}, TypeError),
        ({"threads": "2"}, TypeError),
        ({"threads": None}, TypeError),
        ({"where": 5}, TypeError),
        ({"where": "name ="}, ValueError),
        ({"where": "name = 1"}, ValueError),
    ],
    ids=str,
)
def test_options_that_cannot_be(options, error, span_class, spans_file):
    with pytest.raises(error) as of_decoder:
        st.Schema.from_class(span_class).decoder(**options)
    # Scans have the same options and the same words.
    with pytest.raises(error) as of_scan:
        st.read(spans_file, span_class, **options)
    assert str(of_scan.value) == str(of_decoder.value)
    if "threads" in options and error is ValueError:
        assert "expected 1 to 1024" in str(of_scan.value)


@pytest.mark.parametrize("number", [10**30, -(2**63) - 1])
@pytest.mark.parametrize("name", ["threads", "max_errors", "max_rows", "max_message_bytes", "skip", "limit"])
def test_integers_of_options_that_are_too_large(name, number, span_class, spans_file):
    with pytest.raises(OverflowError, match=f"^{name}: the integer is too large"):
        st.scan(spans_file, span_class, **{name: number})
    if name not in ("skip", "limit"):
        with pytest.raises(OverflowError, match=f"^{name}: the integer is too large"):
            st.Schema.from_class(span_class).decoder(**{name: number})
    for size in ("batch_size", "batch_bytes"):
        with pytest.raises(OverflowError, match=f"^{size}: the integer is too large"):
            st.scan(spans_file, span_class).batches(**{size: number})
    with pytest.raises(OverflowError, match="^threads: the integer is too large"):
        st.from_json("{}", threads=number)


def test_names_of_options(span_class, spans_file):
    schema = st.Schema.from_class(span_class)
    with pytest.raises(TypeError, match="^there is no option nothing$"):
        _core.Decoder(schema, None, {"nothing": 1})
    with pytest.raises(TypeError) as of_decoder:
        schema.decoder(nothing=1)
    own = {"confluent", "format", "on_damaged_file", "rows", "skip", "limit", "proto", "import_dirs", "message"}
    with pytest.raises(TypeError) as of_read:
        st.read(spans_file, schema, nothing=1)
    names = [set(str(each.value).partition("there are ")[2].split(", ")) for each in (of_read, of_decoder)]
    assert names[0] == names[1] | own and not names[1] & own
    for wrong, meant in (("on_eror", "on_error"), ("formt", "format"), ("import_dir", "import_dirs"), ("wher", "where")):
        with pytest.raises(TypeError, match=f"there is no option {wrong}; there are .*; did you mean {meant}[?]$"):
            st.scan(spans_file, schema, **{wrong: "a"})
    with pytest.raises(TypeError, match="did you mean on_error[?]$"):
        schema.decoder(on_eror="skip")
    with pytest.raises(TypeError, match="did you mean skip[?]$"):
        st.Scan(spans_file, schema, skp=1)


@pytest.mark.parametrize(
    ("function", "first", "count"),
    [(st.read, ["paths", "schema"], 29), (st.scan, ["paths", "schema"], 29), (st.Schema.decoder, ["message"], 20)],
    ids=["read", "scan", "decoder"],
)
def test_help_lists_the_options(function, first, count, span_class, spans_file):
    arguments = (st.Schema.from_class(span_class),) if function is st.Schema.decoder else (spans_file, span_class)
    with pytest.raises(TypeError) as caught:
        function(*arguments, nothing=1)
    options = str(caught.value).partition("there are ")[2].split(", ")
    assert len(options) == count
    documented = re.findall(r"^(\w+)  +\S", function.__doc__, re.MULTILINE)
    assert sorted(documented) == sorted(first + options)
    assert max(map(len, function.__doc__.splitlines())) <= 128
    # Editors complete names from the signature.
    parameters = inspect.signature(function).parameters
    assert sorted(set(parameters) - {"self"}) == sorted(documented)
    assert (parameters["on_error"].default, parameters["threads"].default, parameters["unknown_fields"].default) == (
        "fail",
        1,
        False,
    )


def test_none_is_not_given(span_class, spans_file):
    expected = st.read(spans_file, span_class)
    assert st.read(spans_file, span_class, skip=None, limit=None, rows=None, format=None, message=None).equals(expected)
    assert len(st.scan(spans_file, span_class, skip=None).splits()) == 1


def test_limits(serialized, span_class):
    schema = st.Schema.from_class(span_class)
    with pytest.raises(MemoryError):
        schema.decoder(max_rows=5).decode(serialized)
    with pytest.raises((MemoryError, ValueError)):
        schema.decoder(max_memory_bytes=0).decode(serialized)
    assert len(schema.decoder(max_message_bytes=1, on_error="skip").decode(serialized)) == 0
    assert len(schema.decoder(max_depth=0, on_error="skip").decode([b""])) == 1


def test_schemas_that_cannot_be(span_class, tmp_path):
    with pytest.raises(ValueError):
        st.Schema.from_descriptor_set(b"\xff")
    with pytest.raises(ValueError):
        st.Schema.from_descriptor_set(b"")
    for path in ("schema.bin", pathlib.Path("schema.bin")):
        with pytest.raises(TypeError, match=r"""found a path; .* open\('schema.bin', "rb"\).read\(\)"""):
            st.Schema.from_descriptor_set(path)
    with pytest.raises(TypeError, match="expected bytes, found int"):
        st.Schema.from_descriptor_set(5)
    for path in ("dir/a.proto", pathlib.Path("dir/a.proto")):
        with pytest.raises(TypeError, match=r"the path 'dir/a.proto'; Schema.from_proto\('dir/a.proto'\) reads it"):
            st.read("a.pb", path)
    with pytest.raises(TypeError):
        st.Schema.from_class(int)
    with pytest.raises(TypeError):
        st.Schema.from_class(5)
    with pytest.raises(FileNotFoundError, match="nothing.proto"):
        st.Schema.from_proto(tmp_path / "nothing.proto")
    wrong = tmp_path / "wrong.proto"
    wrong.write_text('syntax = "proto3";\nmessage M { strin a = 1; }\n')
    with pytest.raises(ValueError, match="wrong.proto:2"):
        st.Schema.from_proto(wrong)
    (tmp_path / "protos" / "inner").mkdir(parents=True)
    (tmp_path / "protos" / "b.proto").write_text('syntax = "proto3"; message B { int32 x = 1; }')
    importing = tmp_path / "protos" / "inner" / "a.proto"
    importing.write_text('syntax = "proto3"; import "b.proto"; message A { B b = 1; }')
    for folders in (None, tmp_path):
        with pytest.raises(ValueError, match="b.proto: File not found.*\n.*\n.*\nName the folder .* by import_dirs=$"):
            st.Schema.from_proto(importing, folders)
    (tmp_path / "protos" / "inner" / "b.proto").write_text('syntax = "proto3"; message B { strin x = 1; }')
    with pytest.raises(ValueError, match="had errors") as caught:  # an import that is there
        st.Schema.from_proto(importing)
    assert "import_dirs" not in str(caught.value)
    assert st.Schema.from_proto(importing, [tmp_path / "protos"]).messages == ["A"]
    schema = st.Schema.from_class(span_class)
    with pytest.raises(KeyError, match="trace.Span"):
        schema.resolve("Spam")
    with pytest.raises(KeyError, match="trace.Span"):
        schema.decoder("Spam")
    with pytest.raises(ValueError, match="which message type"):
        st.Schema.from_class(wrappers_pb2).decoder()


def test_files_that_cannot_be(span_class, tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.pb"):
        st.read(tmp_path / "nothing.pb", span_class)
    with pytest.raises(TypeError, match="no schema: give schema= or proto="):
        st.read(tmp_path / "nothing.pb")
    with pytest.raises(TypeError, match=r"a\.parquet is a file of columns: st\.from_parquet\(\) reads it\."):
        st.read(tmp_path / "a.parquet")
    with pytest.raises(TypeError, match="schema= or proto="):
        st.scan("a", span_class, proto="b")
    with pytest.raises(ValueError):
        st.scan([], span_class).read()
    path = tmp_path / "a.pb"
    path.write_bytes(b"")
    with pytest.raises(KeyError, match="has no field nothing"):
        st.scan(path, span_class).where("nothing = 1").read()
    with pytest.raises(TypeError):
        st.scan(path, span_class).where(5)
    for rows in (0, -1):
        with pytest.raises(ValueError, match="batch_size"):
            st.scan(path, span_class).batches(batch_size=rows)
    with pytest.raises(ValueError, match="^skip=-1: expected 0 or more$"):
        st.scan(path, span_class, skip=-1).read()
    with pytest.raises(ValueError, match="^limit=-1: expected 0 or more, or nothing for no limit$"):
        st.scan(path, span_class, limit=-1).read()
    assert len(st.read(path, span_class, limit=0)) == 0
    with pytest.raises(TypeError, match="nothing"):
        st.scan(path, span_class, nothing=1).read()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"on_eror": "skip"}, TypeError, "there is no option on_eror; there are .*on_error"),
        ({"on_error": "ignore"}, ValueError, "on_error"),
        ({"skip": -1}, ValueError, "^skip=-1: expected 0 or more$"),
        ({"skip": "1"}, TypeError, "skip: expected an integer"),
        ({"limit": -1}, ValueError, "^limit=-1"),
        ({"format": "foo"}, ValueError, 'format="foo": expected one of delimited'),
        ({"message": "Spam"}, KeyError, "trace.Span"),
        ({"select": [5]}, TypeError, "select: expected str"),
        ({"select": "nothing"}, KeyError, "has no field nothing"),
        ({"drop": "nothing"}, KeyError, "has no field nothing"),
        ({"where": "nothing = 1"}, KeyError, "has no field nothing"),
        ({"where": 5}, TypeError, "where: expected str"),
        ({"rows": "nothing"}, ValueError, "nothing is not a field"),
        ({"rows": "attributes", "select": "name"}, KeyError, "has no field name"),
        ({"threads": 0}, ValueError, "threads=0"),
    ],
)
def test_scans_refuse_wrong_arguments_at_once(options, error, text, span_class, tmp_path):
    # No file is there: if one were opened, the error would be another one.
    with pytest.raises(error, match=text):
        st.scan(tmp_path / "nothing.pb", span_class, **options)


def test_methods_of_scans_refuse_wrong_arguments_at_once(span_class, tmp_path):
    scan = st.scan(tmp_path / "nothing.pb", span_class)
    for method in (scan.select, scan.drop):
        with pytest.raises(KeyError, match="has no field nothing"):
            method("nothing")
    with pytest.raises(KeyError, match="has no field nothing"):
        scan.where("nothing = 1")
    with pytest.raises(FileNotFoundError, match="nothing.pb"):
        scan.read()


def test_paths_of_bytes(spans_file, span_class):
    path = os.fsencode(spans_file)
    expected = st.read(spans_file, span_class)
    assert st.Scan(path, span_class).read().equals(expected)
    assert st.read([path], span_class).equals(expected)
    assert len(st.scan(path, span_class).splits()) == 1
    with pytest.raises(TypeError, match="PathLike"):
        st.scan([5], span_class)


def test_paths_that_cannot_be(serialized, spans_file, span_class, tmp_path):
    decoder = r"schema.decoder\(\).decode\(messages, format=...\)$"
    for wrong, text in [
        (5, "^paths: expected a path, or several, found int$"),
        (None, "^paths: expected a path, or several, found NoneType$"),
        ([5], "^paths: expected str, bytes or os.PathLike, found int$"),
        (conftest.delimited(serialized), "is not a path; .*" + decoder),
        (serialized, "is not a path; .*" + decoder),
        (b"\x0a\x01a", "is not a path; .*" + decoder),
        ('{"name": "a"}\n{"name": "b"}', "is not a path; .*" + decoder),
    ]:
        with pytest.raises(TypeError, match=text):
            st.scan(wrong, span_class)
    for mode in ("r", "rb"):
        with (
            open(spans_file, mode) as file,
            pytest.raises(TypeError, match="found an open file; .*" + decoder.replace("$", r"\)$")),
        ):
            st.read(file, span_class)
    # A name that is there is a path, whatever it looks like.
    shutil.copy(spans_file, tmp_path / "a\nb")
    assert st.read(tmp_path / "a\nb", span_class).equals(st.read(spans_file, span_class))
    assert st.read(iter([spans_file]), span_class).equals(st.read(spans_file, span_class))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"select": "nmae"}, "field path nmae: trace.Span has no field nmae; it has name, .*; did you mean name?"),
        ({"select": "events.tiem"}, "trace.Event has no field tiem; it has time, name; did you mean time?"),
        ({"select": ["name", "Strat"]}, "did you mean start?"),
        ({"drop": "nmae"}, "drop: no field matches nmae; trace.Span has no field nmae; it has .*; did you mean name?"),
        ({"drop": "events.nam"}, "trace.Event has no field nam; it has time, name; did you mean name?"),
        ({"drop": "/nothing/"}, "drop: no field matches /nothing/$"),
        ({"where": "strat > 5"}, "condition, byte 0: trace.Span has no field strat; it has .*; did you mean start?"),
        ({"where": "any(events.nmae) = 'a'"}, "trace.Event has no field nmae; it has time, name; did you mean name?"),
    ],
    ids=str,
)
def test_fields_that_are_not_there_and_like_others(options, text, span_class, spans_file):
    schema = st.Schema.from_class(span_class)
    for read in (lambda: schema.decoder(**options), lambda: st.read(spans_file, schema, **options)):
        with pytest.raises(KeyError) as caught:
            read()
        (message,) = caught.value.args
        assert re.search(text.replace("?", "[?]"), message)
        assert "\n" not in message  # a KeyError shows it as a literal


def test_messages_have_the_names_of_arguments(serialized, span_class, tmp_path):
    path = tmp_path / "--from.pb"  # a file's name stays what it is
    path.write_bytes(conftest.delimited([serialized[0], b"\x0a\x05ab"]) + b"\xff")
    with pytest.raises(st.DecodeError) as caught:
        st.read(path, span_class)
    assert str(path) in str(caught.value)
    assert '(on_error="skip" leaves such messages out)' in str(caught.value)
    with pytest.raises(st.DecodeError, match="more than max_errors=0; the first"):
        st.read(path, span_class, on_error="skip", max_errors=0)
    with pytest.raises(ValueError, match="^rows: 'nothing': nothing is not a field"):
        st.read(path, span_class, rows="nothing")
    grpc = tmp_path / "grpc.pb"
    grpc.write_bytes(b"\xff" * 20)
    with pytest.raises(st.DecodeError, match="check format=") as caught:
        st.read(grpc, span_class, format="grpc")
    assert "--" not in str(caught.value)
    with pytest.raises(MemoryError, match=r"max_rows"):
        st.Schema.from_class(span_class).decoder(max_rows=5).decode(serialized)


def test_what_methods_of_paths_take(span_class, spans_file):
    rows = st.read(spans_file, span_class)
    with pytest.raises(TypeError, match=r"write rows\[mask\]"):
        rows.filter(rows["start"] > 5)
    with pytest.raises(TypeError, match="takes two paths"):
        st.struct.filter(rows, "events")
    with pytest.raises(TypeError, match='"x" in rows'):
        rows.has("events")


@pytest.mark.parametrize(("begin", "advice"), [(b"PAR1", "st.from_parquet"), (b"ARROW1\0\0", "st.from_arrow")])
def test_column_files_are_no_messages(begin, advice, span_class, tmp_path):
    (tmp_path / "a").write_bytes(begin + bytes(100))
    with pytest.raises(ValueError, match=advice):
        st.read(tmp_path / "a", span_class)


def test_a_schema_may_be_named_by_any_path_to_it(tmp_path, monkeypatch):
    (tmp_path / "a.proto").write_text('syntax = "proto3"; message M { int32 x = 1; }')
    monkeypatch.chdir(tmp_path)
    for path in ("a.proto", "./a.proto", f"../{tmp_path.name}/a.proto", str(tmp_path / "a.proto")):
        assert st.Schema.from_proto(path).messages == ["M"]


def test_rows_that_are_no_messages(span_class):
    with pytest.raises(TypeError, match="schema="):
        st.constant([{"name": "a"}]).to_protobuf()
    with pytest.raises(ValueError, match="nothing"):
        st.constant([{"nothing": 1}]).to_protobuf(span_class)
    assert st.constant([{"nothing": 1}]).to_protobuf(span_class, ignore_extra_fields=True) == [b""]
    with pytest.raises(ValueError, match="status"):
        st.constant([{"status": 2**40}]).to_protobuf(span_class)
    with pytest.raises(ValueError, match="one row"):
        st.constant([{"name": "a"}, {"name": "b"}]).to_protobuf(span_class, format="message")
    with pytest.raises(TypeError):
        st.constant([{"name": "a"}]).to_protobuf(5)
    with pytest.raises(ValueError, match="rank"):
        st.constant([[{"name": "a"}]]).to_protobuf(span_class)


def test_damaged_messages_never_crash(serialized, span_class):
    decoder = st.Schema.from_class(span_class).decoder(on_error="null", unknown_fields=True)
    dice = random.Random(3)
    damaged = []
    for message in itertools.islice(itertools.cycle(serialized), 3000):
        data = bytearray(message)
        for _ in range(dice.randrange(1, 4)):
            if data:
                data[dice.randrange(len(data))] = dice.randrange(256)
        damaged.append(bytes(data[: dice.randrange(len(data) + 1)]))
    batch = decoder.decode(damaged)
    assert len(batch) == len(damaged)
    assert 0 < len(batch.errors) < len(damaged)
    assert len(batch.to_protobuf()) == len(damaged)
    batch.to_py()


def test_pickled_tensors_are_checked():
    make = st._core._tensor_from_memory
    assert make("int64", (2,), b"\0" * 16).to_py() == [0, 0]
    for arguments in (
        ("int64", (2,), b"\0" * 15),
        ("int64", (-2,), b""),
        ("int64", (None,), b""),
        ("int64", (2**40, 2**40), b""),
        ("int64", (2,), b"\0" * 16, None, b"\1"),
        ("string", (1,), b"ab", b"\0\0\0\0\3\0\0\0"),
        ("string", (1,), b"ab", b"\2\0\0\0\1\0\0\0"),
        ("string", (1,), b"ab", b"\xff\xff\xff\xff\1\0\0\0"),
        ("string", (1,), b"ab", b"\0\0\0\0"),
    ):
        with pytest.raises(ValueError):
            make(*arguments)


def run_python(code, *arguments):
    """Runs a program, which must exit with 0, and returns what it printed."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}\n{code}\n{done.stderr}"
    return done


def test_only_the_init_function_is_exported():
    library = next(path for path in map(str, pathlib.Path(st.__file__).parent.iterdir()) if path.endswith(".so"))
    symbols = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in symbols.splitlines()}
    foreign = {name for name in names if "protobuf" in name or "absl" in name or "structtensor" in name}
    assert not foreign, sorted(foreign)[:5]
    assert "PyInit__core" in names
    assert library.endswith(".abi3.so")


def test_the_import_brings_only_numpy():
    run_python("""
import structtensor, sys
assert not {"pyarrow", "pandas", "google.protobuf", "torch", "jax", "awkward"} & set(sys.modules)
""")


def test_interpreters_end_with_live_values():
    run_python("""
import builtins
import pyarrow as pa
import structtensor as st
from google.protobuf import timestamp_pb2
message = timestamp_pb2.Timestamp(seconds=5).SerializeToString()
rows = st.Schema.from_class(timestamp_pb2.Timestamp).decoder().decode([message] * 3)
builtins.kept = [rows, rows["seconds"], iter(rows), pa.table(rows), rows["seconds"].to_numpy(), rows.__arrow_c_stream__()]
reader = pa.RecordBatchReader.from_stream(rows)
""")


# Most of the memory of a burst is in large blocks, which the system gets back from a process whose heap is small.
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps freed memory")
def test_shrink_frees_the_memory_of_a_burst():
    program = """
import os
import pathlib
import structtensor as st
from google.protobuf import struct_pb2

def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

decoder = st.Schema.from_class(struct_pb2.ListValue).decoder()
value = struct_pb2.ListValue(values=[struct_pb2.Value(number_value=0.5)] * 8)
many = [value.SerializeToString()] * 50_000
burst = [decoder.decode(many) for _ in range(10)]
del burst
before = resident_bytes()
decoder.shrink()
assert resident_bytes() < before - (8 << 20), (before, resident_bytes())
assert len(decoder.decode(many)) == len(many)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_children_of_fork_can_decode(serialized, span_class):
    decoder = st.Schema.from_class(span_class).decoder()
    kept = decoder.decode(serialized)
    child = os.fork()
    if child == 0:
        good = decoder.decode(serialized) == kept and len(kept.to_py()) == len(serialized)
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer's allocator does not survive such a fork"
)
def test_children_of_fork_wait_for_no_thread_that_was_decoding(serialized, span_class):
    decoder = st.Schema.from_class(span_class).decoder(threads=2)
    many = serialized * 500
    stop = threading.Event()

    def decode():
        while not stop.is_set():
            assert len(decoder.decode(many)) == len(many)

    threads = [threading.Thread(target=decode) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(60)  # ends the process
                os._exit(0 if len(decoder.decode(serialized).to_py()) == len(serialized) else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_the_stubs_have_every_name_and_mypy_accepts_a_session(tmp_path):
    for module, stub in STUBS.items():
        declared = set(re.findall(r"^(?:def |class )?(\w+)", stub, re.MULTILINE)) | set(
            re.findall(r" as (\w+),?$", stub, re.MULTILINE)
        )
        assert set(module.__all__) <= declared, module
    session = tmp_path / "session.py"
    session.write_text(
        """
import structtensor as st

spans = st.read("spans.pb.gz", proto="trace.proto", message="Span")
slow = spans[spans["end"] - spans["start"] > 1_000_000]
slow.promote("attributes.key", "keys").to_pandas()
decoder = st.Schema.from_proto("trace.proto").decoder(select=["name"], on_error="skip")
batch: st.Batch = decoder.decode([b""])
messages: list[bytes] = batch.to_protobuf()
framed: bytes = batch.to_protobuf(format="delimited")
for part in st.scan("logs", schema=decoder).select("a.b").where("status = 500").batches(batch_size=10_000):
    part.errors.to_py()
"""
    )
    # The package is a copy, since mypy passes over what is wrong in installed stubs.
    shutil.copytree(pathlib.Path(st.__file__).parent, tmp_path / "structtensor", ignore=shutil.ignore_patterns("*.so", "_*.py"))

    def check():
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "session.py", "structtensor/__init__.pyi"]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    done = check()
    assert done.returncode == 0, done.stdout + done.stderr
    session.write_text(session.read_text() + '\nst.read("a", proto=5)\n')
    assert check().returncode == 1


def stub_classes():
    """{name: the public members that the stub gives the class, also by its bases}."""
    nodes = {node.name: node for stub in STUBS.values() for node in ast.parse(stub).body if isinstance(node, ast.ClassDef)}

    def members(node):
        found = set()
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                found.add(member.name)
            elif isinstance(member, ast.AnnAssign):
                found.add(member.target.id)
        for base in node.bases:
            name = ast.unparse(base).partition("[")[0]
            found |= members(nodes[name]) if name in nodes else set(dir(getattr(builtins, name, object)))
        return found

    return {name: {member for member in members(node) if not member.startswith("_")} for name, node in nodes.items()}


# A TypeSpec promises more than its values can do: row partitions are not stacked, and nothing is cast to them.
NOT_OF_ROW_PARTITIONS = {"boxed_tensor_spec", "cast", "castable_type", "from_boxed_tensor", "stacked", "to_boxed_tensor"}
NOT_OF_ROW_PARTITIONS |= {"most_specific_common_supertype", "unstacked"}
# Members that the stub declares and a class does not have.
MISSING_MEMBERS = {"DecodeError": {"byte", "code", "message_index", "path"}, "RowPartitionSpec": NOT_OF_ROW_PARTITIONS}


def test_classes_have_the_members_that_the_stubs_declare():
    compared = 0
    for name, declared in stub_classes().items():
        if name.startswith("_"):
            continue
        owner = next(getattr(module, name) for module in MODULES if hasattr(module, name))
        if not isinstance(owner, type) or getattr(owner, "_is_protocol", False):
            continue
        at_runtime = {member for member in dir(owner) if not member.startswith("_")}
        assert declared - at_runtime == MISSING_MEMBERS.get(name, set()), name
        # Kinds of row partitions, which are tuples of their own.
        nested = {"RowLengths", "RowLimits", "RowSplits", "RowStarts", "UniformRowLength", "ValueRowIds"}
        assert at_runtime - declared - nested == set(), name
        compared += 1
    assert compared > 30


def arguments_that_may_be_none():
    """(function, argument) of every function of the bindings with an argument that the stubs annotate with `| None`."""
    public = {_operations.place_of(name): function for name, function in vars(_core).items()}
    owners = {"_Values": (st.Tensor, st.RaggedTensor, st.StructuredTensor), "_Array": (st.Tensor, st.RaggedTensor)}
    for module, node in ((module, node) for module, stub in STUBS.items() for node in ast.parse(stub).body):
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        name = getattr(node, "name", "")
        if isinstance(node, ast.FunctionDef):
            places = (types.SimpleNamespace(**{name: public.get((module.__name__.partition(".")[2], name))}),)
        else:
            places = owners.get(name, (getattr(module, name, None),))
        for member in members:
            if not isinstance(member, ast.FunctionDef):
                continue
            for argument in (*member.args.posonlyargs, *member.args.args, *member.args.kwonlyargs):
                if argument.arg == "name":  # of every operation; the package takes it, the bindings do not have it
                    continue
                if re.search(r"\| None$", ast.unparse(argument.annotation) if argument.annotation else ""):
                    yield from ((getattr(place, member.name, None), argument.arg) for place in places)


def test_arguments_that_may_be_none_take_none():
    seen = 0
    for function, argument in arguments_that_may_be_none():
        signatures = getattr(getattr(function, "__wrapped__", function), "__nb_signature__", None)
        if signatures is not None:
            seen += 1
            assert any(re.search(rf"\b{argument}: [\w.]+ \| None", text) for text, *_ in signatures), (function, argument)
    assert seen > 50


def test_interpreters_end_with_daemon_threads_at_work(span_class, descriptor_set, tmp_path):
    (tmp_path / "set").write_bytes(descriptor_set)
    code = """
import sys, threading, time
import structtensor as st
schema = st.Schema.from_descriptor_set(open(sys.argv[1], "rb").read(), message="trace.Span")
messages = [b"\\x0a\\x04name"] * 2000
def work():
    decoder = schema.decoder()
    while True:
        decoder.decode(messages)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
    for _ in range(3):
        assert run_python(code, tmp_path / "set").stderr == ""


def test_errors_of_a_scan_do_not_wait_for_its_input(spans_file, descriptor_set, tmp_path):
    """The writer of the pipe needs the interpreter. So a call that asks for errors must not hold it while the scan waits."""
    (tmp_path / "set").write_bytes(descriptor_set)
    code = """
import os, sys, threading, time
import structtensor as st
schema = st.Schema.from_descriptor_set(open(sys.argv[1], "rb").read(), message="trace.Span")
pipe, data = sys.argv[2], open(sys.argv[3], "rb").read()
os.mkfifo(pipe)
def write():
    with open(pipe, "wb") as file:
        file.write(data[:1])
        file.flush()
        time.sleep(0.5)
        file.write(data[1:])
threading.Thread(target=write).start()
batches = st.scan(pipe, schema, format="delimited", on_error="skip").batches()
def ask():
    for _ in range(50):
        batches.errors, batches.broken_messages
        time.sleep(0.01)
asking = threading.Thread(target=ask)
asking.start()
rows = sum(len(batch) for batch in batches)
asking.join()
print(rows)
"""
    done = run_python(code, tmp_path / "set", tmp_path / "pipe", spans_file)
    assert done.stderr == ""
    assert int(done.stdout) == 100


@pytest.mark.filterwarnings("ignore:nanobind")  # which says of such objects what it sees
def test_objects_without_values_are_type_errors(span_class):
    tensor, structs = st.constant([1]), st.constant([{"a": 1}])
    bare = {cls: cls.__new__(cls) for cls in (st.Tensor, st.RaggedTensor, st.StructuredTensor, st.RowPartition, st.Schema)}
    for call in (
        lambda: st.add(bare[st.Tensor], 1),
        lambda: tensor.equals(bare[st.StructuredTensor]),
        lambda: structs == bare[st.StructuredTensor],
        lambda: st.RowPartition.from_row_lengths([1]) == bare[st.RowPartition],
        lambda: st.concat([tensor, bare[st.Tensor]], 0),
        lambda: bare[st.RaggedTensor].to_py(),
        lambda: st.scan("x", bare[st.Schema]).spec,
        lambda: structs[bare[st.Tensor]],
    ):
        with pytest.raises(TypeError):
            call()


def test_dicts_that_change_under_a_loop():
    rows = st.constant([{"a": 1, "b": 2, "c": 3}])
    updates = {}

    def clear(field):
        updates.clear()
        return field + 1

    updates.update(a=clear, b=clear, c=clear)
    assert rows.with_updates(updates).to_py() == [{"a": 2, "b": 3, "c": 4}]

    class Clearing:
        def __init__(self, fields):
            self.fields = fields

        def tolist(self):
            self.fields.clear()
            return [1]

    fields = {}
    fields.update(a=Clearing(fields), b=[2], c=[3])
    assert sorted(st.constant({"a": fields}).to_py()["a"]) == ["a", "b", "c"]


def test_more_axes_than_numpy_has():
    for axes in (65, 1000):
        with pytest.raises(ValueError, match="64 axes"):
            st.constant([1], shape=[1] * axes).to_numpy()
    assert st.constant([1], shape=[1] * 64).to_numpy().shape == (1,) * 64


def test_names_of_files_that_are_no_utf_8(spans_file, descriptor_set, tmp_path):
    schema = st.Schema.from_descriptor_set(descriptor_set, message="trace.Span")
    path = os.fsencode(tmp_path) + b"/\xff.pb"
    shutil.copy(os.fsencode(spans_file), path)
    assert len(st.read(os.fsdecode(path), schema)) == 100
    with pytest.raises(FileNotFoundError):
        st.read(os.fsdecode(path + b"x"), schema)


def test_structs_are_not_nested_without_end():
    value = st.StructuredTensor.from_fields({"a": [1]})
    spec = st.StructuredTensorSpec([None], {"a": st.TensorSpec([None], "int64")})
    for _ in range(99):
        value = st.StructuredTensor.from_fields({"a": value})
        spec = st.StructuredTensorSpec([None], {"a": spec})
    assert hash(spec) == hash(value.spec.with_unknown_sizes()) and spec == value.spec.with_unknown_sizes()
    with pytest.raises(ValueError, match="field deeper: structs are nested deeper than 100 levels"):
        st.StructuredTensor.from_fields({"deeper": value})
    with pytest.raises(ValueError, match="field deeper: structs are nested deeper than 100 levels"):
        st.StructuredTensorSpec([None], {"deeper": spec})
