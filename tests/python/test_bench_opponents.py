"""The parts of tools/bench that its opponents need: an installed protobuf, schemas for Rust crates, workers that only dump,
and what is not installed."""

import sys

import conftest
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

COMPARE = conftest.REPOSITORY / "benchmarks" / "compare"
sys.path[:0] = [str(COMPARE), str(COMPARE.parent)]

import bench
import build
import flat_schema
import report
import workers

FIELD = descriptor_pb2.FieldDescriptorProto


def message_type(files, name):
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool.FindMessageTypeByName(name)


@pytest.fixture
def schema():
    """A type of a bit of everything, which contains itself."""
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="a.proto", package="a.b", syntax="proto2")
    file.enum_type.add(name="Color").value.add(name="RED", number=2)
    outer = file.message_type.add(name="Outer")
    outer.extension_range.add(start=100, end=200)
    outer.oneof_decl.add(name="which")
    entry = outer.nested_type.add(name="CountsEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    entry.field.add(name="value", number=2, type=FIELD.TYPE_INT32, label=FIELD.LABEL_OPTIONAL)
    for name, kind, label, more in (
        ("type", FIELD.TYPE_SINT32, FIELD.LABEL_OPTIONAL, {"default_value": "7"}),
        ("color", FIELD.TYPE_ENUM, FIELD.LABEL_REQUIRED, {"type_name": ".a.b.Color"}),
        ("numbers", FIELD.TYPE_FIXED32, FIELD.LABEL_REPEATED, {}),
        ("text", FIELD.TYPE_STRING, FIELD.LABEL_OPTIONAL, {"oneof_index": 0}),
        ("self", FIELD.TYPE_MESSAGE, FIELD.LABEL_OPTIONAL, {"type_name": ".a.b.Outer", "oneof_index": 0}),
        ("counts", FIELD.TYPE_MESSAGE, FIELD.LABEL_REPEATED, {"type_name": ".a.b.Outer.CountsEntry"}),
    ):
        outer.field.add(name=name, number=len(outer.field) + 1, type=kind, label=label, **more)
    outer.field[2].options.packed = True
    file.extension.add(name="e", number=100, extendee=".a.b.Outer", type=FIELD.TYPE_BOOL, label=FIELD.LABEL_OPTIONAL)
    return files


def test_a_flat_schema_reads_and_writes_the_same_bytes(schema):
    message = message_type(schema, "a.b.Outer")
    value = message_factory.GetMessageClass(message)(type=7, color=2, numbers=[1, 2], counts={"x": 1})
    getattr(value, "self").CopyFrom(message_factory.GetMessageClass(message)(color=2, text="t"))
    flat = flat_schema.flatten(message)
    copy = message_factory.GetMessageClass(message_type(flat, "Message0")).FromString(value.SerializeToString())
    assert (copy.f1, copy.f5.f4, copy.f6["x"]) == (7, "t", 1)
    assert copy.SerializeToString() == value.SerializeToString()


def test_a_flat_schema_as_text(schema):
    assert flat_schema.text(flat_schema.flatten(message_type(schema, "a.b.Outer"))).splitlines() == [
        'syntax = "proto2";',
        "message Message0 { optional sint32 f1 = 1; required Enum0 f2 = 2; repeated fixed32 f3 = 3 [packed=true]; "
        "map<string, int32> f6 = 6; oneof o0 { string f4 = 4; Message0 f5 = 5; } }",
        "enum Enum0 { V2 = 2; }",
    ]


def test_groups_are_not_supported_as_text(schema):
    schema.file[0].message_type[0].field[4].type = FIELD.TYPE_GROUP
    with pytest.raises(flat_schema.Unsupported, match="groups"):
        flat_schema.text(flat_schema.flatten(message_type(schema, "a.b.Outer")))


def test_a_worker_that_only_dumps_is_digested_by_another_one(tmp_path):
    dumper, reference = tmp_path / "dumper.py", tmp_path / "reference.py"
    dumper.write_text("for line in iter(input, ''): open(line.split(' ')[2], 'w').write('ab'); print('dumped')\n")
    answer = "print('digest', 'x', len(open(line.split(' ')[1]).read()), 5, sep='\\t')"
    reference.write_text(f"for line in iter(input, ''): {answer}\n")
    with_digests = workers.Worker([sys.executable, "-u", reference], 0)
    dumps = workers.Worker([sys.executable, "-u", dumper], 0, with_digests)
    try:
        assert dumps.digest("any") == {"x": (2, 5)}
    finally:
        dumps.close()
        with_digests.close()


def test_the_strongest_parser_is_one_that_is_right():
    times = {"generated": 10.0, "quick-protobuf": None, "upb-arena": 20.0, "prost": 30.0, "libprotobuf-3.21-reuse": 40.0}
    assert report.fastest(times, report.PARSERS) == (20.0, "upb-arena")
    results = [{"set": "s", "contender": name, "ns_per_message": time} for name, time in times.items()]
    line = report.summary(results).splitlines()[1].split()
    assert (line[0], line[1], line[2], line[-1]) == ("s", "2.00", "4.00", "upb-arena")


def test_without_real_data_only_made_up_sets_are_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("STRUCTTENSOR_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["bench", "--tree", str(tmp_path), "--set", "pprof", "--set", "tiles"])
    assert [each.name for each in bench.chosen_sets(bench.arguments(), tmp_path)] == ["tiles"]
    assert "no real data: set STRUCTTENSOR_DATA to the folder with the data sets; only made-up sets" in capsys.readouterr().err


def test_what_is_not_installed_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench.shutil, "which", lambda name: None if name in (build.CLANG, "cargo") else f"/usr/bin/{name}")
    monkeypatch.setattr(sys, "argv", ["bench", "--tree", str(tmp_path), "--contender", "upb-*", "--contender", "*prost*"])
    made = bench.Bench(bench.arguments())
    assert (made.upb, made.crates) == (None, [])
    said = capsys.readouterr().err
    assert "upb: not measured, because clang++-19 is not installed (--opponents installs it)" in said
    assert "prost: not measured, because cargo is not installed (--opponents installs it)" in said


@pytest.fixture
def prefix(tmp_path):
    """A folder like that of tools/protobuf, with a protoc that only prints its version."""
    for folder in ("bin", "include", "lib"):
        (tmp_path / folder).mkdir()
    protoc = tmp_path / "bin" / "protoc"
    protoc.write_text("#!/bin/sh\necho libprotoc 35.1\n")
    protoc.chmod(0o755)
    for name in ("libabsl_all.a", "liblibprotoc.a"):
        (tmp_path / "lib" / name).touch()
    return tmp_path


@pytest.mark.parametrize("name", ["libprotobuf.a", "liblibprotobuf.a"])
def test_a_protobuf_is_found_below_its_prefix(prefix, name):
    (prefix / "lib" / name).touch()
    found = build.Protobuf.below(prefix)
    assert (found.label, found.protoc) == ("35", prefix / "bin" / "protoc")
    assert found.compile_flags == [f"-I{prefix}/include"]
    # libprotobuf needs Abseil, so it comes first.
    assert found.link_flags[:2] == [f"{prefix}/lib/{name}", f"{prefix}/lib/libabsl_all.a"]
    by_clang = found.by_clang()
    assert (by_clang.label, by_clang.suffix, by_clang.compiler[-1]) == ("35-clang", "-clang", build.CLANG)


def test_a_prefix_without_libprotobuf_is_an_error(prefix):
    with pytest.raises(build.BuildError, match=r"lib: expected one file \*libprotobuf.a, found 0"):
        build.Protobuf.below(prefix)
