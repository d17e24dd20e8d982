"""Schema.compile(): compiled decoders against the engine, their cache, and what happens without a compiler or with a wrong
one."""

import pathlib
import pickle
import random
import shutil
import struct
import subprocess
import sys
import warnings

import framing
import pytest
from google.protobuf import descriptor_pb2
from real_data import open_real_set

import structtensor as st

PROTOS = pathlib.Path(__file__).resolve().parents[2] / "protos"
QUICK = ["-O0", "-w"]  # for tests that are about anything but speed
Type = descriptor_pb2.FieldDescriptorProto

pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Compiled decoders of a test stay out of the user's cache, and of the cache of other tests."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("STRUCTTENSOR_CACHE", str(folder))
    monkeypatch.delenv("CXX", raising=False)
    return folder / "compiled"


@pytest.fixture
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def script(tmp_path):
    """Makes a compiler of a shell script: script(lines)."""

    def make(text):
        path = tmp_path / f"compiler{len(list(tmp_path.glob('compiler*')))}"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return make


def span_schema(descriptor_set):
    return st.Schema.from_descriptor_set(descriptor_set, "trace.Span")


# --- Messages of any schema, valid and damaged


def varint(number):
    return framing.encode_varint(number & (1 << 64) - 1)


def delimited(content):
    return framing.frame_delimited([content])


FIXED = {
    Type.TYPE_DOUBLE: "<d",
    Type.TYPE_FLOAT: "<f",
    Type.TYPE_FIXED64: "<Q",
    Type.TYPE_FIXED32: "<I",
    Type.TYPE_SFIXED64: "<q",
    Type.TYPE_SFIXED32: "<i",
}


class Messages:
    """Random messages of the types of a FileDescriptorSet, as bytes: fields in any order, twice, with unknown ones between
    them."""

    def __init__(self, descriptor_set, seed):
        self.dice = random.Random(seed)
        self.types, self.extensions, self.enums = {}, {}, {}
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set).file:
            self._add(file, "." + file.package, file.message_type)

    def _add(self, scope, name, messages):
        for extension in scope.extension:
            self.extensions.setdefault(extension.extendee, []).append(extension)
        for enum in scope.enum_type:
            self.enums[f"{name}.{enum.name}"] = [value.number for value in enum.value]
        for message in messages:
            self.types[f"{name}.{message.name}"] = message
            self._add(message, f"{name}.{message.name}", message.nested_type)

    def message(self, name, depth=3):
        type_ = self.types[name]
        fields = [*type_.field, *self.extensions.get(name, [])]
        parts = []
        for field in self.dice.choices(fields, k=self.dice.randrange(min(len(fields), 8) + 3)) if fields else []:
            if depth == 0 and field.type in (Type.TYPE_MESSAGE, Type.TYPE_GROUP):
                continue
            if type_.options.message_set_wire_format:
                item = b"\x10" + varint(field.number) + b"\x1a" + delimited(self.message(field.type_name, depth - 1))
                parts.append(b"\x0b" + item + b"\x0c")
            else:
                parts.append(self._field(field, depth))
        if self.dice.random() < 0.2:
            parts.append(varint(15_000 << 3 | 2) + delimited(b"unknown"))
        return b"".join(parts)

    def _field(self, field, depth):
        tag = field.number << 3
        if field.type == Type.TYPE_GROUP:
            return varint(tag | 3) + self.message(field.type_name, depth - 1) + varint(tag | 4)
        if field.type in (Type.TYPE_STRING, Type.TYPE_BYTES):
            return varint(tag | 2) + delimited(self.dice.choice([b"", b"a", "größe".encode(), b"x" * 200]))
        if field.type == Type.TYPE_MESSAGE:
            return varint(tag | 2) + delimited(self.message(field.type_name, depth - 1))
        if field.label == Type.LABEL_REPEATED and self.dice.random() < 0.6:
            return varint(tag | 2) + delimited(b"".join(self._scalar(field) for _ in range(self.dice.randrange(40))))
        return varint(tag | self._wire_type(field)) + self._scalar(field)

    def _wire_type(self, field):
        return 0 if field.type not in FIXED else 1 if FIXED[field.type] in ("<d", "<Q", "<q") else 5

    def _scalar(self, field):
        if field.type in FIXED:
            size = struct.calcsize(FIXED[field.type])
            return (
                self.dice.randbytes(size) if size == 8 or FIXED[field.type] != "<f" else struct.pack("<f", self.dice.random())
            )
        if field.type == Type.TYPE_ENUM and self.dice.random() < 0.8:
            return varint(self.dice.choice(self.enums[field.type_name]))
        return varint(self.dice.randrange(-(1 << 63), 1 << 63) >> self.dice.randrange(64))

    def damaged(self, message):
        """Cut off, or with another byte somewhere."""
        if message and self.dice.random() < 0.5:
            return message[: self.dice.randrange(len(message))]
        changed = bytearray(message)
        for _ in range(min(len(changed), 2)):
            changed[self.dice.randrange(len(changed))] = self.dice.randrange(256)
        return bytes(changed)


def text_of(batch, messages=()):
    """All that a batch has; NaN is equal to itself in it. Of a varint that the end of a message cuts off, chance decides what
    it would have been: the texts of errors there do not count."""
    errors = []
    for error in batch.errors.to_py():
        near_the_end = error["byte"] + 10 > len(messages[error["message"]])
        errors.append((error["message"], error["row"], None if near_the_end else error))
    return repr((batch.spec, batch.to_py(), errors))


def compare(compiled, engine, messages, **options):
    """Decodes the same by both, batch by batch. The first batch is compared by the decoder itself, too."""
    ours, theirs = compiled.decoder(**options), engine.decoder(**options)
    assert ours.is_compiled and not theirs.is_compiled
    for batch in (messages[:10], messages, messages[::-1]):
        assert text_of(ours.decode(batch), batch) == text_of(theirs.decode(batch), batch)
    assert ours.is_compiled


@pytest.mark.parametrize(
    "file", ["everything.proto", "everything2.proto", "extensions.proto", "message_set.proto", "annotated.proto"]
)
def test_decodes_as_the_engine_does(file, no_warnings):
    paths = [PROTOS / file]
    if file == "extensions.proto":
        paths.append(PROTOS / "everything2.proto")  # whose messages have the extensions
    descriptor_set = st.Schema.from_proto(paths, import_dirs=[PROTOS, PROTOS.parents[1] / "proto_schemas"]).to_descriptor_set()
    engine = st.Schema.from_descriptor_set(descriptor_set)
    compiled = st.Schema.from_descriptor_set(descriptor_set).compile(*engine.messages, flags=QUICK)
    assert compiled.compiled_messages == engine.messages
    made = Messages(descriptor_set, seed=3)
    for name in engine.messages:
        messages = [made.message("." + name) for _ in range(25)]
        messages += [made.damaged(message) for message in messages]
        for options in (
            {"on_error": "skip", "unknown_fields": True},
            {"on_error": "null", "recursion_depth": 2, "allow_missing_required": True},
        ):
            both = [st.Schema.from_descriptor_set(descriptor_set, name), st.Schema.from_descriptor_set(descriptor_set, name)]
            both[0]._use_decoder_library(*compiled._decoder_library)
            compare(*both, messages, well_known_types="structs", **options)


def test_errors_and_options_are_those_of_the_engine(descriptor_set, serialized, no_warnings):
    engine, compiled = span_schema(descriptor_set), span_schema(descriptor_set).compile(flags=QUICK)
    made = Messages(descriptor_set, seed=5)
    broken = [made.damaged(message) for message in serialized]
    assert compiled.decoder(on_error="skip").decode(broken).errors.to_py()
    for options in (
        {"select": ["name", "events.time", 'counters["reads"]']},
        {"drop": ["attributes", "server"]},
        {"where": "status > 300", "threads": 2},
        {"optionals": "ragged", "max_depth": 1},
        {"max_message_bytes": 100},
    ):
        compare(compiled, engine, [*serialized, *broken], on_error="skip", **options)
    caught = []
    for schema in (compiled, engine):
        with pytest.raises(st.DecodeError) as error:
            schema.decoder().decode([*serialized, b"\x0a\x7f"])
        caught.append((error.value.row, error.value.byte, error.value.path, str(error.value)))
    assert caught[0] == caught[1]


def test_annotations_are_followed(descriptor_set, serialized, no_warnings):
    engine = span_schema(descriptor_set).with_annotations(
        'annotation { path: "trace.Span.name" options { name: "title" } } '
        'annotation { path: "trace.Span.payload" options { skip: true } }'
    )
    compiled = pickle.loads(pickle.dumps(engine)).compile(flags=QUICK)
    assert "title" in compiled.decoder().decode(serialized).field_names
    compare(compiled, engine, serialized)


def test_the_judge_is_python_protobuf(descriptor_set, spans, serialized, spans_file, no_warnings):
    """With the flags that users get, by every way to read messages."""
    schema = span_schema(descriptor_set)
    assert schema.compiled_messages == []
    assert schema.compile() is schema
    assert schema.compiled_messages == ["trace.Attribute", "trace.Event", "trace.Span"]
    decoder = schema.decoder()
    for rows in (decoder.decode(serialized), decoder.decode(serialized), st.read(spans_file, schema=schema)):
        assert rows["name"].to_py() == [span.name for span in spans]
        assert rows["start"].to_py() == [span.start for span in spans]
        assert rows["attributes", :, "key"].to_py() == [[a.key for a in span.attributes] for span in spans]
        counters = [{entry["key"]: entry["value"] for entry in row} for row in rows["counters"].to_py()]
        assert counters == [dict(span.counters) for span in spans]
    batches = list(st.scan(spans_file, schema).where("status > 300").batches(rows=7))
    names = [name for batch in batches for name in batch["name"].to_py()]
    assert names == [span.name for span in spans if span.HasField("status") and span.status > 300]
    assert schema.decoder(timestamps="ns").decode(serialized).to_protobuf() == serialized


def test_types_that_are_not_compiled_are_decoded_by_the_engine(descriptor_set, no_warnings):
    schema = st.Schema.from_descriptor_set(descriptor_set).compile("Event", flags=QUICK)
    assert schema.compiled_messages == ["trace.Event"]
    assert schema.decoder("Event").is_compiled
    assert not schema.decoder("Span").is_compiled
    assert schema.decoder("Span").decode([b"\x0a\x01a"])["name"].to_py() == ["a"]
    with pytest.raises(KeyError, match="Spam"):
        schema.compile("Spam")


# --- The cache


def calls_of(path):
    return path.read_text().count("call") if path.exists() else 0


def test_what_is_in_the_cache_is_not_compiled_again(descriptor_set, serialized, script, tmp_path, own_cache, no_warnings):
    calls = tmp_path / "calls"
    compiler = script(f'echo call >> {calls}; exec c++ "$@"')
    for _ in range(2):
        schema = span_schema(descriptor_set).compile(compiler=compiler, flags=QUICK)
        assert schema.decoder().decode(serialized)["name"].to_py()[0] == "span 0"
        assert calls_of(calls) == 1
    assert len(list(own_cache.iterdir())) == 1  # and nothing that was left behind
    span_schema(descriptor_set).compile(compiler=compiler, flags=[*QUICK, "-DOTHER"])
    assert calls_of(calls) == 2
    st.Schema.from_descriptor_set(descriptor_set, "trace.Event").compile(compiler=compiler, flags=QUICK)
    assert calls_of(calls) == 3
    assert len(list(own_cache.iterdir())) == 3
    span_schema(descriptor_set).compile(compiler=compiler, flags=QUICK, cache=tmp_path / "elsewhere")
    assert calls_of(calls) == 4


@pytest.mark.parametrize("damage", ["cut off", "empty", "another byte"])
def test_a_damaged_file_of_the_cache_is_made_again(
    damage, descriptor_set, serialized, script, tmp_path, own_cache, no_warnings
):
    calls = tmp_path / "calls"
    compiler = script(f'echo call >> {calls}; exec c++ "$@"')
    code = f"""
import structtensor as st
schema = st.Schema.from_descriptor_set(open({str(tmp_path / "set")!r}, "rb").read(), "trace.Span")
schema.compile(compiler={str(compiler)!r}, flags={QUICK!r})
assert schema.decoder().decode([bytes([10, 1, 97])]).to_py()[0]["name"] == "a"
assert schema.compiled_messages
"""
    (tmp_path / "set").write_bytes(descriptor_set)
    for expected_calls in (1, 2, 2):
        if expected_calls == 2 and calls_of(calls) == 1:
            (path,) = own_cache.iterdir()
            content = path.read_bytes()
            middle = len(content) // 2
            changed = bytes([content[middle] ^ 1])
            one_changed = content[:middle] + changed + content[middle + 1 :]
            path.write_bytes({"cut off": content[:middle], "empty": b"", "another byte": one_changed}[damage])
        # In a process of its own, which has not loaded what was there before.
        subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
        assert calls_of(calls) == expected_calls


def test_two_processes_may_compile_at_once(descriptor_set, tmp_path, own_cache):
    (tmp_path / "set").write_bytes(descriptor_set)
    code = f"""
import structtensor as st
schema = st.Schema.from_descriptor_set(open({str(tmp_path / "set")!r}, "rb").read(), "trace.Span").compile(flags={QUICK!r})
assert schema.decoder().decode([bytes([10, 1, 97])]).to_py()[0]["name"] == "a"
assert schema.compiled_messages
"""
    running = [subprocess.Popen([sys.executable, "-W", "error", "-c", code]) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    assert len(list(own_cache.iterdir())) == 1


def test_a_cache_that_others_may_write_to_is_not_used(descriptor_set, serialized, own_cache):
    own_cache.mkdir()
    own_cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others may write"):
        schema = span_schema(descriptor_set).compile(flags=QUICK)
    assert schema.decoder().is_compiled
    assert len(schema.decoder().decode(serialized)) == len(serialized)
    assert list(own_cache.iterdir()) == []


def test_a_cache_that_is_a_file(descriptor_set, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        schema = span_schema(descriptor_set).compile(flags=QUICK, cache=tmp_path / "file")
    assert schema.decoder().is_compiled


# --- Without a compiler that does what it should


def test_without_a_compiler_the_engine_decodes(descriptor_set, serialized, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.warns(RuntimeWarning, match="no C.. compiler") as caught:
        schema = span_schema(descriptor_set).compile()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert schema.compiled_messages == []
    assert not schema.decoder().is_compiled
    assert schema.decoder().decode(serialized)["name"].to_py()[0] == "span 0"
    with pytest.raises(FileNotFoundError, match="c..nothing"):
        schema.compile(compiler="c++nothing")


def test_a_compiler_that_fails(descriptor_set, serialized, script, own_cache):
    compiler = script("echo first line >&2; echo second line >&2; exit 1")
    with pytest.warns(RuntimeWarning, match="first line\nsecond line"):
        schema = span_schema(descriptor_set).compile(compiler=compiler)
    assert schema.compiled_messages == []
    assert schema.decoder().decode(serialized)["name"].to_py()[0] == "span 0"
    assert list(own_cache.iterdir()) == []
    with pytest.warns(RuntimeWarning, match="exit code 0"):
        span_schema(descriptor_set).compile(compiler=script("exit 0"))
    writes_a_text = script('while [ "$1" != -o ]; do shift; done; echo text > "$2"')
    with pytest.warns(RuntimeWarning, match="cannot open"):
        span_schema(descriptor_set).compile(compiler=writes_a_text)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_any_compiler_does(compiler, descriptor_set, serialized, no_warnings):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    compare(span_schema(descriptor_set).compile(compiler=compiler), span_schema(descriptor_set), serialized)


def test_the_compiler_of_the_environment(descriptor_set, script, monkeypatch):
    monkeypatch.setenv("CXX", f"{script('echo of the environment >&2; exit 1')} --option")
    with pytest.warns(RuntimeWarning, match="of the environment"):
        span_schema(descriptor_set).compile()


def wrong_compiler(script):
    """Reads values of uint64 as if they were sint64."""
    change = "s/decode::SingularVarint<wire::Uint64>/decode::SingularVarint<wire::Sint64>/"
    return script(
        f'for last; do :; done; grep -q "Varint<wire::Uint64>" "$last" || exit 1; sed -i "{change}" "$last"; exec c++ "$@"'
    )


def test_a_decoder_that_differs_from_the_engine_is_not_used(descriptor_set, spans, serialized, script, spans_file):
    schema = span_schema(descriptor_set).compile(compiler=wrong_compiler(script), flags=QUICK)
    starts = [span.start for span in spans]
    decoder = schema.decoder()
    assert decoder.is_compiled
    with pytest.warns(RuntimeWarning, match="trace.Span: start: values"):
        assert decoder.decode(serialized)["start"].to_py() == starts
    assert not decoder.is_compiled
    assert "trace.Span" not in schema.compiled_messages
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        assert decoder.decode(serialized)["start"].to_py() == starts
        assert schema.decoder().decode(serialized)["start"].to_py() == starts
        assert st.read(spans_file, schema=schema)["start"].to_py() == starts


def test_the_first_batch_of_a_scan_is_compared_too(descriptor_set, spans, script, spans_file):
    schema = span_schema(descriptor_set).compile(compiler=wrong_compiler(script), flags=QUICK)
    with pytest.warns(RuntimeWarning, match="trace.Span: start: values"):
        assert st.read(spans_file, schema=schema)["start"].to_py() == [span.start for span in spans]


def test_after_the_first_batch_compiled_decoders_are_alone(descriptor_set, serialized, script, no_warnings):
    """Those that are wrong show it: nothing else tells who decodes."""
    schema = span_schema(descriptor_set).compile(compiler=wrong_compiler(script), flags=QUICK)
    decoder = schema.decoder()
    decoder.decode([])  # nothing to compare
    assert decoder.decode([b"\x0a\x01a"])["start"].to_py() == [0]
    assert decoder.decode([b"\x10\x03"])["start"].to_py() == [(1 << 64) - 2]
    # What was compared for all fields says nothing of others.
    other = schema.decoder(select=["start"])
    with pytest.warns(RuntimeWarning):
        assert other.decode([b"\x10\x03"])["start"].to_py() == [3]


# --- Pickles


def test_pickles_take_the_library_from_the_cache(descriptor_set, serialized, spans_file, own_cache, monkeypatch, no_warnings):
    schema = span_schema(descriptor_set).compile(flags=QUICK)
    pickled, scan = pickle.dumps(schema), pickle.dumps(st.scan(spans_file, schema))
    monkeypatch.setenv("PATH", "/nothing")  # no compiler is started
    again = pickle.loads(pickled)
    assert again.compiled_messages == schema.compiled_messages
    assert text_of(again.decoder().decode(serialized)) == text_of(span_schema(descriptor_set).decoder().decode(serialized))
    assert len(pickle.loads(scan).read()) == len(serialized)
    shutil.rmtree(own_cache)
    without = pickle.loads(pickled)
    assert without.compiled_messages == []
    assert without.decoder().decode(serialized)["name"].to_py() == again.decoder().decode(serialized)["name"].to_py()
    own_cache.mkdir()
    (own_cache / (schema._decoder_library[1] + ".so")).write_bytes(b"damaged")
    assert pickle.loads(pickled).compiled_messages == []


# --- Real data


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["google_message1_proto3", "gtfsrt_nyct", "otlp_traces_astronomy", "tfexample_taxi"])
def test_real_data(name, no_warnings):
    opened = open_real_set(name)
    path, message, descriptor_set = opened.messages, opened.message, opened.descriptor_set.read_bytes()
    engine = st.Schema.from_descriptor_set(descriptor_set, message)
    compiled = st.Schema.from_descriptor_set(descriptor_set, message).compile(flags=QUICK)
    for ours, theirs in zip(
        st.scan(path, compiled, limit=2000).batches(rows=500), st.scan(path, engine, limit=2000).batches(rows=500), strict=True
    ):
        assert ours.spec == theirs.spec
        assert ours.to_protobuf() == theirs.to_protobuf()
    assert message in compiled.compiled_messages
