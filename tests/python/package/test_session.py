"""What people write: schemas, decoders, files, and the way back to protobuf."""

import datetime
import gzip
import json
import pickle
import random
import threading

import conftest
import numpy as np
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, timestamp_pb2

import structtensor as st


def test_read_index_compute_and_table(spans, spans_file):
    rows = st.read(spans_file, proto=conftest.PROTO, message="Span")
    assert len(rows) == len(spans)
    assert rows["attributes", :, "key"].to_py() == [[a.key for a in span.attributes] for span in spans]
    slow = rows[rows["end"] - rows["start"] > 1_000_000]
    expected = [span for span in spans if span.end - span.start > 1_000_000]
    assert 0 < len(expected) < len(spans)
    assert slow["name"].to_py() == [span.name for span in expected]
    table = slow.promote("attributes.key", "keys").to_pandas()
    assert list(table["keys"].iloc[0]) == [a.key for a in expected[0].attributes]
    assert list(table["status"].isna()) == [not span.HasField("status") for span in expected]


def test_read_takes_a_class_and_gzip(spans, spans_file, span_class, tmp_path):
    compressed = tmp_path / "spans.pb.gz"
    compressed.write_bytes(gzip.compress(spans_file.read_bytes()))
    rows = st.read(compressed, schema=span_class)
    assert rows["name"].to_py() == [span.name for span in spans]
    assert rows == st.read([spans_file], span_class)


def test_schemas_of_every_origin_are_the_same(descriptor_set, span_class):
    by_class = st.Schema.from_class(span_class)
    assert by_class.message == "trace.Span"
    for schema in (
        st.Schema.from_descriptor_set(descriptor_set),
        st.Schema.from_proto(conftest.PROTO),
        st.Schema.from_proto("trace.proto", import_dirs=conftest.FOLDER),
        by_class,
    ):
        assert schema.resolve("Span") == "trace.Span"
        assert {"trace.Span", "trace.Batch", "trace.Event"} <= set(schema.messages)
        assert schema.roots == ["trace.Batch"]
        assert schema.decoder("Span").spec == by_class.decoder().spec
    again = st.Schema.from_descriptor_set(by_class.to_descriptor_set(), message="Span")
    assert again.decoder().spec == by_class.decoder().spec


def test_schema_of_a_module():
    schema = st.Schema.from_class(timestamp_pb2)
    assert schema.message is None
    assert schema.messages == ["google.protobuf.Timestamp"]
    message = timestamp_pb2.Timestamp(seconds=5, nanos=6).SerializeToString()
    assert schema.decoder().decode([message]).to_py() == [{"seconds": 5, "nanos": 6}]


@pytest.mark.parametrize("how", ["list", "tuple", "generator", "bytearrays", "numpy", "arrow", "tensor", "buffer"])
def test_decode_takes_messages_of_every_kind(how, serialized, spans, span_class):
    import pyarrow as pa

    decoder = st.Schema.from_class(span_class).decoder(select=["name"])
    messages = {
        "list": lambda: serialized,
        "tuple": lambda: tuple(serialized),
        "generator": lambda: (message for message in serialized),
        "bytearrays": lambda: [bytearray(serialized[0]), memoryview(serialized[1]), *serialized[2:]],
        "numpy": lambda: np.array(serialized, dtype=object),
        "arrow": lambda: pa.array(serialized, pa.binary()),
        "tensor": lambda: st.constant(serialized),
        "buffer": lambda: conftest.delimited(serialized),
    }[how]()
    rows = decoder.decode(messages, format="delimited" if how == "buffer" else None)
    assert rows.field_names() == ("name",)
    assert rows["name"].to_py() == [span.name for span in spans]


def test_round_trip_gives_the_bytes_of_protobuf(serialized, spans, span_class):
    for optionals in ("nullable", "ragged"):
        batch = st.Schema.from_class(span_class).decoder(optionals=optionals, timestamps="ns").decode(serialized)
        assert batch.to_protobuf(sort_map_keys=True) == serialized
    assert batch.to_protobuf(format="delimited", sort_map_keys=True) == conftest.delimited(serialized)
    assert [span_class.FromString(message) for message in batch.to_protobuf()] == spans
    # Any structs that fit the message type, not only what was decoded.
    made = st.constant([{"name": "a", "samples": [0.5]}, {"name": "b", "samples": []}])
    assert [span_class.FromString(m).name for m in made.to_protobuf(span_class)] == ["a", "b"]


def test_the_schema_chooses_the_form_of_optional_fields(serialized, span_class, spans_file):
    schema = st.Schema.from_class(span_class)
    assert schema.optionals is None
    for form in ("ragged", "nullable", "default"):
        chosen = schema.with_optionals(form)
        spec = schema.decoder(optionals=form).spec
        assert chosen.optionals == form and chosen.decoder().spec == spec
        assert st.scan(spans_file, chosen).spec == spec
        assert pickle.loads(pickle.dumps(chosen)).decoder().spec == spec
        assert chosen.decoder(optionals="nullable").spec == schema.decoder().spec
    assert schema.decoder(optionals="ragged").spec != schema.decoder().spec
    with pytest.raises(ValueError, match='optionals = "sometimes"'):
        schema.with_optionals("sometimes")


def test_what_to_protobuf_json_gives_goes_back_into_a_decoder(serialized, span_class):
    decoder = st.Schema.from_class(span_class).decoder(timestamps="ns")
    batch = decoder.decode(serialized)
    assert decoder.decode(batch.to_protobuf_json(), format="json").to_py() == batch.to_py()
    with pytest.raises(TypeError, match="a JSON message in the list: expected str, found int"):
        decoder.decode([1], format="json")


def test_a_batch_is_as_python_protobuf_reads_it(serialized, spans, span_class):
    rows = st.Schema.from_class(span_class).decoder(optionals="ragged").decode(serialized).to_py()
    for row, span in zip(rows, spans, strict=True):
        assert row["name"] == span.name
        assert row["start"] == span.start
        assert row["attributes"] == [{"key": a.key, "value": a.value} for a in span.attributes]
        assert {entry["key"]: entry["value"] for entry in row["counters"]} == dict(span.counters)
        assert row["status"] == ([span.status] if span.HasField("status") else [])
        times = [event["time"] for event in row["events"]]
        assert times == [[event.time.ToDatetime(datetime.timezone.utc)] for event in span.events]
        assert row["payload"] == span.payload
        assert row["samples"] == list(span.samples)


def test_map_keys(serialized, spans, span_class):
    rows = st.Schema.from_class(span_class).decoder().decode(serialized)
    assert rows["counters"].kind == "map_entry"
    reads = rows["counters"][:, st.MapKey("reads")]
    assert reads.to_py() == [[span.counters["reads"]] if "reads" in span.counters else [] for span in spans]
    assert repr(st.MapKey("reads")) == "MapKey('reads')"
    with pytest.raises(KeyError, match=r"its fields are key, value; MapKey\('reads'\) selects the entry with that key"):
        rows["counters"]["reads"]
    with pytest.raises(KeyError, match="each piece of a key is one name: 'events', 'time'"):
        rows["events.time"]
    with pytest.raises(KeyError, match="did you mean events[?]"):
        rows["evnets"]
    with pytest.raises(TypeError):
        st.MapKey(1.5)


# Keys at the limits of their types, as Python and paths have them.
KEYS = {
    "bool": [True, False],
    "int32": [-(2**31), -1, 0, 2**31 - 1],
    "sint32": [-(2**31), 5],
    "sfixed32": [-(2**31), 5],
    "int64": [-(2**63), -1, 2**63 - 1],
    "sint64": [-(2**63), 2**63 - 1],
    "sfixed64": [-(2**63), 2**63 - 1],
    "uint32": [0, 2**32 - 1],
    "fixed32": [0, 2**32 - 1],
    "uint64": [0, 2**63 - 1, 2**63, 2**64 - 1],
    "fixed64": [0, 2**63 - 1, 2**63, 2**64 - 1],
    "string": ["", "true", "18446744073709551615", 'a"\\b', "größe"],
}


def test_map_keys_of_each_type(tmp_path):
    fields = "".join(f"map<{kind}, string> m_{kind} = {i};" for i, kind in enumerate(KEYS, start=1))
    (tmp_path / "keys.proto").write_text(f'syntax = "proto3"; message Keys {{ {fields} }}')
    schema = st.Schema.from_proto(tmp_path / "keys.proto", message="Keys")
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(schema.to_descriptor_set()).file:
        pool.Add(file)
    keys_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("Keys"))
    full = keys_class(**{f"m_{kind}": {key: repr(key) for key in keys} for kind, keys in KEYS.items()})
    messages = [full.SerializeToString(), keys_class().SerializeToString()]
    rows = schema.decoder().decode(messages)
    for kind, keys in KEYS.items():
        for key in keys:
            field = f"m_{kind}"
            plain = str(key).lower() if kind != "string" else None
            quoted = json.dumps(str(key) if plain is None else plain, ensure_ascii=False)
            assert rows[field][:, st.MapKey(key)].to_py() == [[repr(key)], []], (kind, key)
            assert rows[field, st.MapKey(key)].to_py() == [[repr(key)], []], (kind, key)
            for text in {plain or quoted, quoted}:
                path = f"{field}[{text}]"
                assert rows.field_value(path).to_py() == [[repr(key)], []], path
                chosen = schema.decoder(select=path).decode(messages)
                name = str(key) if plain is None else plain
                assert chosen.to_py() == [{field: {name: repr(key)}}, {field: {name: None}}], path
                assert len(schema.decoder(where=f"{path} IS NOT NULL").decode(messages)) == 1, path
    for wrong in ("m_bool[1]", 'm_bool["True"]', "m_uint64[-1]", "m_uint32[4294967296]", 'm_int64["07"]', "m_int32[true]"):
        with pytest.raises(ValueError, match="is not a key of a map with keys of type"):
            schema.decoder(select=wrong)
    with pytest.raises(ValueError, match="'true' is not a key of a map with keys of int64"):
        rows.field_value("m_int64[true]")


def test_options_of_decoders(serialized, spans, span_class):
    schema = st.Schema.from_class(span_class)
    assert repr(schema.decoder(select=["name", "start"])) == "<Decoder of trace.Span: name, start>"
    chosen = schema.decoder(select=["/^att.*key$/", 'counters["reads"]'], drop="attributes.value").decode(serialized)
    assert set(chosen.field_names()) == {"attributes", "counters"}
    assert chosen["attributes"].field_names() == ("key",)
    reads = chosen.field_value("counters.reads").to_py()
    assert reads == [span.counters["reads"] if "reads" in span.counters else None for span in spans]
    assert schema.decoder(timestamps="ns").spec.fields["events"].fields["time"].dtype == "timestamp[ns]"
    assert schema.decoder().spec.fields["events"].fields["time"].dtype == "timestamp[us]"
    assert schema.decoder(well_known_types="structs").spec.fields["events"].fields["time"].value_type is st.StructuredTensor
    assert "unknown_fields" in schema.decoder(unknown_fields=True).spec.fields


def test_broken_messages_are_left_out_and_listed(serialized, span_class):
    broken = [serialized[0], b"\x0a\x05ab", serialized[1]]
    schema = st.Schema.from_class(span_class)
    skipped = schema.decoder(on_error="skip").decode(broken)
    assert len(skipped) == 2
    (error,) = skipped.errors.to_py()
    assert (error["message_index"], error["row"], error["path"]) == (1, None, "name")
    nulls = schema.decoder(on_error="null").decode(broken)
    assert len(nulls) == 3
    assert nulls.errors["row"].to_py() == [1]
    assert len(schema.decoder().decode(serialized).errors) == 0
    with pytest.raises(st.DecodeError, match="name") as caught:
        schema.decoder().decode(broken)
    assert (caught.value.message_index, caught.value.path) == (1, "name")
    assert caught.value.byte >= 0
    with pytest.raises(st.DecodeError, match="max_errors"):
        schema.decoder(on_error="skip", max_errors=0).decode(broken)


def large(spans, span_class):
    """Messages with enough bytes for a decoder to use its threads."""
    return [span_class(name=f"{i} {span.name}", start=i, payload=bytes(2000)) for i, span in enumerate(spans * 20)]


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_decoders_with_threads_and_conditions(threads, spans, span_class):
    schema = st.Schema.from_class(span_class)
    many = large(spans, span_class)
    messages = [span.SerializeToString(deterministic=True) for span in many]
    whole = schema.decoder(threads=threads).decode(messages)
    assert whole["name"].to_py() == [span.name for span in many]
    assert whole.to_protobuf(sort_map_keys=True) == messages
    chosen = schema.decoder(select="name", where="start >= 17 AND start < 1900", threads=threads)
    rows = chosen.decode(messages)
    assert rows.field_names() == ("name",)  # the field of the condition is not one of the rows
    assert rows["name"].to_py() == [span.name for span in many[17:1900]]
    assert len(rows.errors) == 0
    # The same decoder again, with lists of other sizes.
    assert chosen.decode(messages[20:23])["name"].to_py() == [span.name for span in many[20:23]]
    assert chosen.decode([]).to_py() == []
    nothing = schema.decoder(where="start > 5000", threads=threads)
    assert nothing.decode(messages).spec.with_unknown_sizes() == nothing.spec == whole.spec.with_unknown_sizes()
    # Few messages, with all bytes in one of them.
    assert schema.decoder(threads=threads).decode([b"", b"", *messages[:1], bytes()])["name"].to_py() == [
        "",
        "",
        many[0].name,
        "",
    ]
    one_of_them = [span_class(payload=bytes(300_000)).SerializeToString(), b"", b""]
    assert schema.decoder(threads=threads).decode(one_of_them)["payload"].to_py() == [bytes(300_000), b"", b""]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("where", [None, "start > 99"])
def test_broken_messages_have_their_numbers_in_the_list(where, threads, spans, span_class):
    schema = st.Schema.from_class(span_class)
    messages = [span.SerializeToString() for span in large(spans, span_class)]
    in_name = b"\x10\xc8\x01\x0a\x05ab"  # start = 200, and a name that is cut off
    in_start = b"\x10\xff"
    broken = {3: in_start, 150: in_name, 151: in_start, 900: in_start, 1999: in_name}
    damaged = [broken.get(i, message) for i, message in enumerate(messages)]
    read = range(100 if where else 0, 2000)

    skipped = schema.decoder(on_error="skip", where=where, threads=threads).decode(damaged)
    assert skipped["start"].to_py() == [i for i in read if i not in broken]
    assert skipped.errors["message_index"].to_py() == sorted(broken)
    assert skipped.errors["row"].to_py() == [None] * 5
    assert skipped.errors["path"].to_py() == ["start", "name", "start", "start", "name"]

    nulls = schema.decoder(on_error="null", optionals="nullable", where=where, threads=threads).decode(damaged)
    # A message that is too broken to check the condition has a row, too.
    expected = [i for i in range(2000) if i in read or i in broken]
    assert nulls["start"].to_py() == [0 if i in broken else i for i in expected]
    assert nulls.errors["message_index"].to_py() == sorted(broken)
    assert nulls.errors["row"].to_py() == [expected.index(i) for i in sorted(broken)]

    with pytest.raises(st.DecodeError, match="message 3, byte 2, field start") as caught:
        schema.decoder(where=where, threads=threads).decode(damaged)
    assert (caught.value.message_index, caught.value.path, caught.value.byte) == (3, "start", 2)
    late = messages[:1500] + [in_name] + messages[:10]
    with pytest.raises(st.DecodeError, match="message 1500, byte 4, field name") as caught:
        schema.decoder(where=where, threads=threads).decode(late)
    assert caught.value.message_index == 1500
    with pytest.raises(st.DecodeError, match="5 of 2000 messages .* max_errors=4; the first: message 3,"):
        schema.decoder(on_error="skip", max_errors=4, where=where, threads=threads).decode(damaged)
    assert len(schema.decoder(on_error="skip", max_errors=5, where=where, threads=threads).decode(damaged)) == len(read) - (
        4 if where else 5
    )


def test_what_a_condition_leaves_out_is_not_judged(span_class):
    messages = [b"\x10\x01\x22\x01\xff", span_class(start=2).SerializeToString()]  # start = 1, and a broken attribute
    schema = st.Schema.from_class(span_class)
    assert schema.decoder(where="start = 2").decode(messages)["start"].to_py() == [2]
    with pytest.raises(st.DecodeError, match="message 0, "):
        schema.decoder(where="start = 1").decode(messages)


def test_scans_with_threads(spans, spans_file, span_class):
    scan = st.scan(spans_file, span_class, threads=3, where="start >= 10000000")
    expected = [span.name for span in spans if span.start >= 10_000_000]
    assert [name for batch in scan.batches(batch_size=7) for name in batch["name"].to_py()] == expected
    assert st.read(spans_file, span_class, threads=2)["name"].to_py() == [span.name for span in spans]


def test_scan_in_batches(spans, spans_file, span_class):
    scan = st.scan(spans_file, span_class).select("name", "start").where("start >= 10000000").where("start < 50000000")
    expected = [span.name for span in spans if 10_000_000 <= span.start < 50_000_000]
    batches = list(scan.batches(batch_size=7))
    assert len(batches) > 1
    assert [name for batch in batches for name in batch["name"].to_py()] == expected
    assert all(batch.field_names() == ("name", "start") for batch in batches)
    assert scan.read()["name"].to_py() == expected
    assert [name for batch in scan for name in batch["name"].to_py()] == expected
    assert scan.drop("start").read().field_names() == ("name",)
    assert scan.spec == batches[0].spec.with_unknown_sizes()
    assert st.scan(spans_file, span_class, skip=90, limit=3).read()["name"].to_py() == [s.name for s in spans[90:93]]


def test_selections_of_scans_in_a_row(spans_file, span_class):
    scan = st.scan(spans_file, span_class)

    def names(scan):
        return sorted(scan.spec.fields)

    three = names(scan.select("name", "start", "end"))
    assert names(scan.select(["name", "start", "end"])) == three == ["end", "name", "start"]
    assert names(scan.select("name", "start").select("name")) == ["name"]
    assert names(scan.select("name").select("end", "start")) == ["end", "start"]
    assert names(st.scan(spans_file, span_class, select="name").select(("start", "end"))) == ["end", "start"]
    # What is dropped stays dropped.
    dropped = scan.drop(["start", "samples"]).drop("end")
    assert {"start", "samples", "end"} & set(names(dropped)) == set()
    assert names(dropped.select("name", "start")) == ["name"]
    assert names(st.scan(spans_file, span_class, drop="start").drop("end").select("/^(start|end|name)$/")) == ["name"]
    assert names(dropped.drop()) == names(dropped)
    # The scans that others were made of are as they were.
    assert {"start", "samples", "end", "name"} < set(names(scan))
    for nothing in ((), ([],)):
        with pytest.raises(ValueError, match="select: there is no pattern"):
            scan.select(*nothing)
    for wrong in ((5,), (["name"], "start"), ([5],), (b"name",)):
        for method in (scan.select, scan.drop):
            with pytest.raises(TypeError, match="expected str"):
                method(*wrong)


def test_scans_know_their_broken_messages(serialized, span_class, tmp_path):
    path = tmp_path / "broken.pb"
    path.write_bytes(conftest.delimited([serialized[0], b"\x0a\x05ab", serialized[1]]))
    with pytest.raises(st.DecodeError, match="broken.pb record 1") as caught:
        st.read(path, span_class)
    assert (caught.value.message_index, caught.value.path) == (1, "name")
    batches = st.scan(path, span_class, on_error="skip").batches()
    assert sum(len(batch) for batch in batches) == 2
    assert batches.broken_messages == 1
    (error,) = batches.errors.to_py()
    assert (error["file"], error["message_index"], error["path"]) == (str(path), 1, "name")
    assert st.read(path, span_class, on_error="skip").errors.to_py() == [error]


def test_scans_are_streams_of_arrow(spans, spans_file, span_class):
    import duckdb
    import pyarrow as pa

    scan = st.scan(spans_file, span_class).select("name", "start")
    table = pa.RecordBatchReader.from_stream(scan).read_all()
    assert table.column("name").to_pylist() == [span.name for span in spans]
    assert pa.schema(scan).names == ["name", "start"]
    assert duckdb.sql("SELECT count(*), max(start) FROM scan").fetchall() == [(len(spans), max(s.start for s in spans))]


def test_an_empty_file_has_the_fields(span_class, tmp_path):
    path = tmp_path / "empty.pb"
    path.write_bytes(b"")
    rows = st.read(path, span_class)
    assert len(rows) == 0
    assert "attributes" in rows
    assert rows.to_protobuf() == []
    assert rows.to_pandas().empty


def test_one_decoder_in_many_threads(serialized, spans, span_class):
    decoder = st.Schema.from_class(span_class).decoder()
    wrong = []

    def work(part):
        for _ in range(20):
            names = decoder.decode(serialized[part::4])["name"].to_py()
            if names != [span.name for span in spans[part::4]]:
                wrong.append(part)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_while_messages_are_decoded(serialized, span_class):
    decoder = st.Schema.from_class(span_class).decoder()
    many = serialized * 2000
    done = threading.Event()
    counted = 0

    def decode():
        decoder.decode(many)
        done.set()

    thread = threading.Thread(target=decode)
    thread.start()
    while not done.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 3


def test_batches_outlive_all_they_were_made_with(serialized, spans, span_class):
    import gc

    batch = st.Schema.from_class(span_class).decoder(select=["attributes"]).decode(serialized)
    keys = batch["attributes", :, "key"]
    del batch
    gc.collect()
    assert keys.to_py() == [[a.key for a in span.attributes] for span in spans]


def test_rows_inside_of_messages(spans, spans_file, descriptor_set):
    schema = st.Schema.from_descriptor_set(descriptor_set, message="trace.Span")
    expected = [attribute for span in spans for attribute in span.attributes]
    rows = st.read(spans_file, schema, rows="attributes")
    assert [row["key"] for row in rows.to_py()] == [attribute.key for attribute in expected]
    # The message type is that of the rows.
    assert rows.to_protobuf() == [attribute.SerializeToString() for attribute in expected]
    chosen = st.scan(spans_file, schema, rows="attributes").select("value").where("key = 'url'")
    assert chosen.read()["value"].to_py() == [each.value for each in expected if each.key == "url"]
    with pytest.raises(ValueError, match="name"):
        st.read(spans_file, schema, rows="name")
    with pytest.raises(TypeError, match="rows"):
        st.read(spans_file, schema, rows=5)

def test_rows_may_be_groups(tmp_path):
    proto, path = tmp_path / "g.proto", tmp_path / "g.pb"
    proto.write_text(
        'syntax = "proto2"; message A { repeated group G = 1 { optional int32 x = 2; '
        "repeated group H = 3 { optional string s = 4; } } optional int32 y = 5; }"
    )
    two_groups = b"\x0b\x10\x01\x1b\x22\x01a\x1c\x1b\x22\x01b\x1c\x0c" + b"\x0b\x10\x02\x1b\x22\x01c\x1c\x0c"
    messages = [two_groups, b"\x28\x07", b"\x0b\x10"]
    path.write_bytes(b"".join(bytes([len(message)]) + message for message in messages))
    scan = st.scan(path, proto=proto, message="A", rows="g", format="delimited", on_error="skip")
    assert scan.read().to_py() == [{"x": 1, "h": [{"s": "a"}, {"s": "b"}]}, {"x": 2, "h": [{"s": "c"}]}]
    rows = st.read(path, proto=proto, message="A", rows="g.h", format="delimited", on_error="skip")
    assert rows.to_py() == [{"s": "a"}, {"s": "b"}, {"s": "c"}]
    [error] = rows.errors.to_py()
    assert (error["message_index"], error["code"]) == (2, "truncated") and error["problem"].startswith(
        "its g.h cannot be found: "
    )


def test_annotations(serialized, descriptor_set):
    schema = st.Schema.from_descriptor_set(descriptor_set, message="trace.Span")
    annotated = schema.with_annotations(
        'annotation { path: "trace.Span.name" options { name: "title" } } '
        'annotation { path: "trace.Span.payload" options { skip: true } }'
    )
    plain, batch = schema.decoder().decode(serialized), annotated.decoder().decode(serialized)
    assert batch["title"].equals(plain["name"])
    assert sorted(batch.field_names()) == sorted({*plain.field_names(), "title"} - {"name", "payload"})
    assert annotated.message == schema.message
    again = st.Schema.from_descriptor_set(annotated.to_descriptor_set(), message="trace.Span")
    assert again.decoder().decode(serialized).equals(batch)
    with pytest.raises(ValueError, match="notes.txt:1:1: .* trace.Span.nam"):
        schema.with_annotations('annotation { path: "trace.Span.nam" options { skip: true } }', "notes.txt")
    with pytest.raises(TypeError):
        schema.with_annotations(b"")


def test_enums_as_dictionaries(tmp_path):
    message_class = descriptor_pb2.FieldDescriptorProto
    schema = st.Schema.from_class(message_class).with_annotations(
        'annotation { path: "google.protobuf.FieldDescriptorProto.Type" options { enum_as: DICTIONARY } }'
    )
    dice = random.Random(3)
    numbers = [None, *message_class.Type.values()]
    messages = [message_class(name=str(i), type=dice.choice(numbers)).SerializeToString() for i in range(200)]
    read = [message_class.FromString(message) for message in messages]
    expected = [message_class.Type.Name(field.type) if field.HasField("type") else None for field in read]
    names = [message_class.Type.Name(number) for number in sorted(message_class.Type.values())]

    batch = schema.decoder(optionals="nullable").decode(messages)
    assert batch["type"].dtype == "string"
    assert [row["type"] for row in batch.to_py()] == expected
    assert batch.to_protobuf() == messages

    file = tmp_path / "fields.pb"
    file.write_bytes(b"".join(bytes([len(message)]) + message for message in messages))
    scan = st.scan(file, schema, optionals="nullable")
    for table in (pa.table(batch), pa.table(scan), pa.Table.from_batches([pa.record_batch(batch)])):
        assert table.schema.field("type").type == pa.dictionary(pa.int32(), pa.string())
        assert table.column("type").to_pylist() == expected
        assert table.column("type").chunk(0).dictionary.to_pylist() == names
        assert [None if text != text else text for text in table.to_pandas()["type"]] == expected
    assert pa.schema(scan) == pa.table(scan).schema

    column = batch.to_pandas()["type"]
    assert column.dtype == "category"
    assert list(column.cat.categories) == names
    assert [None if text != text else text for text in column] == expected
    # What is made of a batch is a StructuredTensor like others.
    assert batch[1:].to_pandas()["type"].dtype != "category"
    assert st.from_arrow(pa.table(batch))["type"].equals(batch["type"])


def test_bytes_of_a_fixed_size(tmp_path):
    message_class = descriptor_pb2.UninterpretedOption
    schema = st.Schema.from_class(message_class).with_annotations(
        'annotation { path: "google.protobuf.UninterpretedOption.string_value" options { fixed_size: 4 } }'
    )
    values = [b"abcd", None, b"efgh"]
    messages = [message_class(string_value=value).SerializeToString() for value in values]
    batch = schema.decoder(optionals="nullable").decode(messages)
    assert [row["string_value"] for row in batch.to_py()] == values
    assert batch.to_protobuf() == messages
    file = tmp_path / "options.pb"
    file.write_bytes(b"".join(bytes([len(message)]) + message for message in messages))
    scan = st.scan(file, schema, optionals="nullable")
    for table in (pa.table(batch), pa.table(scan)):
        assert table.schema.field("string_value").type == pa.binary(4)
        assert table.column("string_value").to_pylist() == values
    assert st.from_arrow(pa.table(batch))["string_value"].to_py() == values
    with pytest.raises(st.DecodeError, match="string_value: the value has 3 bytes, and its annotation says fixed_size: 4"):
        schema.decoder().decode([message_class(string_value=b"abc").SerializeToString()])



def test_protobuf_json(tmp_path):
    message_class = descriptor_pb2.FieldDescriptorProto
    schema = st.Schema.from_class(message_class)
    messages = [
        message_class(name="a", number=1, type="TYPE_INT64", json_name="A"),
        message_class(),
        message_class(
            options={"packed": True, "uninterpreted_option": [{"positive_int_value": 2**63, "string_value": b"\xff"}]}
        ),
    ]
    batch = schema.decoder().decode([message.SerializeToString() for message in messages])
    strings = batch.to_protobuf_json()
    assert [json_format.Parse(text, message_class()) for text in strings] == messages
    assert strings[0] == '{"name":"a","number":1,"type":"TYPE_INT64","jsonName":"A"}'
    assert batch.to_protobuf_json(proto_field_names=True, enums_as_numbers=True)[0] == (
        '{"name":"a","number":1,"type":3,"json_name":"A"}'
    )
    assert st.constant([{"name": "b"}]).to_protobuf_json(schema) == ['{"name":"b"}']
    types = st.Schema.from_class(descriptor_pb2.DescriptorProto)
    printed = st.constant([{"name": "b"}]).to_protobuf_json(types, always_print_fields_with_no_presence=True)
    assert json.loads(printed[0]) == json_format.MessageToDict(
        descriptor_pb2.DescriptorProto(name="b"), always_print_fields_with_no_presence=True
    )
    for layout in ("\n".join(strings), "[" + ",\n".join(strings) + "]"):
        (tmp_path / "fields.json").write_text(layout)
        for framing in (None, "json"):
            read = st.read(tmp_path / "fields.json", schema, format=framing)
            assert [message_class.FromString(each) for each in read.to_protobuf()] == messages
    for framing in ("base64", "hex"):
        (tmp_path / "fields.txt").write_bytes(batch.to_protobuf(format=framing))
        assert st.read(tmp_path / "fields.txt", schema, format=framing).to_protobuf() == batch.to_protobuf()
    with pytest.raises(ValueError, match=r"use to_protobuf_json\(\) instead"):
        batch.to_protobuf(format="json")
    # JSON text in memory.
    for layout in ("\n".join(strings), ("[" + ",\n".join(strings) + "]").encode()):
        assert [
            message_class.FromString(each) for each in schema.decoder().decode(layout, format="json").to_protobuf()
        ] == messages
    for framing in ("base64", "hex"):
        assert schema.decoder().decode(batch.to_protobuf(format=framing), format=framing).to_protobuf() == batch.to_protobuf()
    textproto = "\n---\n".join(str(message) for message in messages)
    assert [
        message_class.FromString(each) for each in schema.decoder().decode(textproto, format="textproto").to_protobuf()
    ] == messages
    broken = '{"name": "a"}\n{"name": 3}\n{"name": "c"}\n{"name'
    with pytest.raises(st.DecodeError, match="the buffer line 2, column 10: name: expected a string"):
        schema.decoder().decode(broken, format="json")
    skipped = schema.decoder(on_error="skip", optionals="nullable").decode(broken, format="json")
    assert skipped["name"].to_py() == ["a", "c"]
    assert skipped.errors["message_index"].to_py() == [1, 3] and "line 2, column 10" in skipped.errors["problem"].to_py()[0]
    nulls = schema.decoder(on_error="null", optionals="nullable").decode(broken.encode(), format="json")
    assert nulls["name"].to_py() == ["a", None, "c", None] and nulls.errors["row"].to_py() == [1, 3]
    with pytest.raises(ValueError, match="csv is text"):
        schema.decoder().decode(b"name\na", format="csv")
    (tmp_path / "fields.textproto").write_text("\n---\n".join(str(message) for message in messages))
    read = st.read(tmp_path / "fields.textproto", schema)
    assert [message_class.FromString(each) for each in read.to_protobuf()] == messages
    with pytest.raises(ValueError, match="use structtensor convert --to textproto"):
        batch.to_protobuf(format="textproto")
    with pytest.raises(TypeError, match="to_protobuf_json: pass schema="):
        st.constant([{"name": "b"}]).to_protobuf_json()
    (tmp_path / "fields.json").write_text('{"name": "a"}\n{"name": 3}\n{"name": "c"}')
    with pytest.raises(st.DecodeError, match="line 2, column 10: name: expected a string"):
        st.read(tmp_path / "fields.json", schema)
    assert st.read(tmp_path / "fields.json", schema, on_error="skip", optionals="nullable")["name"].to_py() == ["a", "c"]


def test_names_that_the_schema_lacks(tmp_path):
    schema = st.Schema.from_class(descriptor_pb2.FieldDescriptorProto)
    strings = {
        "json": '{"name": "a", "surname": {"x": [1]}, "type": "TYPE_UNKNOWN"}',
        "textproto": 'name: "a" surname { x: 1 }',
        "csv": "name,surname\na,1\n",
    }
    for framing, text in strings.items():
        path = tmp_path / f"fields.{framing}"
        path.write_text(text)
        assert st.read(path, schema, ignore_extra_fields=True, optionals="nullable")["name"].to_py() == ["a"]
        if framing != "textproto":
            with pytest.raises(ValueError, match=r"\(ignore_extra_fields=True passes over it\)"):
                st.read(path, schema)
        if framing != "csv":
            decoder = schema.decoder(ignore_extra_fields=True, optionals="nullable")
            assert decoder.decode(text, format=framing)["name"].to_py() == ["a"]
            with pytest.raises(st.DecodeError):
                schema.decoder().decode(text, format=framing)


def test_json_of_any(tmp_path):
    schema = st.Schema.from_proto(write_any_proto(tmp_path))
    (tmp_path / "holders.json").write_text('{"any": {"@type": "type.googleapis.com/Held", "text": "x"}}')
    read = st.read(tmp_path / "holders.json", schema, message="Holder")
    assert read.to_protobuf_json(schema, "Holder") == ['{"any":{"@type":"type.googleapis.com/Held","text":"x"}}']
    with pytest.raises(ValueError, match=r"row 0 cannot be written as JSON: any: .*Held"):
        read.to_protobuf_json()


def write_any_proto(folder):
    path = folder / "any.proto"
    path.write_text(
        'syntax = "proto3"; import "google/protobuf/any.proto"; message Holder { google.protobuf.Any any = 1; } '
        "message Held { string text = 1; }"
    )
    return path
