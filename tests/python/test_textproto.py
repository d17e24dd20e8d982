"""protobuf's text format in and out of `structtensor`. The oracle is python-protobuf's text_format."""

import gzip

import framing
from google.protobuf import text_format
from structtensor_command import document, run, succeed
from test_message_json import first_payloads, spans  # noqa: F401: a fixture


def test_real_sets_are_crossed_with_text_format(real_set, tmp_path):
    path, schema, message, message_class = real_set
    chosen = ["--descriptor_set_in", schema, "-m", message, "--quiet", "--overwrite"]
    payloads = first_payloads(path, 200_000)
    expected = [message_class.FromString(payload) for payload in payloads]
    for each in expected:
        each.DiscardUnknownFields()
    source, ours, back = tmp_path / "first.pb", tmp_path / "ours.textproto", tmp_path / "back.pb"
    source.write_bytes(framing.frame_delimited(payloads))
    succeed("convert", source, *chosen, "-o", ours)
    pool = message_class.DESCRIPTOR.file.pool
    strings = ours.read_text().split("---\n")
    assert [text_format.Parse(text, message_class(), descriptor_pool=pool) for text in strings] == expected
    theirs = tmp_path / "theirs.txtpb"
    for utf8, one_line in ((False, False), (True, True)):
        strings = [
            text_format.MessageToString(each, as_utf8=utf8, as_one_line=one_line, descriptor_pool=pool) for each in expected
        ]
        theirs.write_text("\n---\n".join(strings))
        succeed("convert", theirs, *chosen, "-o", back)
        assert [message_class.FromString(payload) for payload in framing.read_delimited(back)] == expected


def test_there_and_back(spans):  # noqa: F811
    text = spans.folder / "spans.textproto"
    succeed("convert", spans.path, *spans.schema, "-o", text, "--quiet")
    assert "[type.googleapis.com/t.Tag] {" in text.read_text()
    assert spans.same(spans.read(text))
    assert spans.same(spans.read("-", "--from", "textproto", stdin=text.read_bytes()))
    zipped = spans.folder / "spans.pbtxt.gz"
    zipped.write_bytes(gzip.compress(text.read_bytes()))
    assert spans.same(spans.read(zipped))
    outputs = [spans.folder / f"{name}.parquet" for name in ("text", "pb")]
    for source, output in zip((text, spans.path), outputs):
        succeed("convert", source, *spans.schema, "-o", output, "--quiet", "--drop", "any", "--drop", "extra")
    rows = [succeed("convert", output, *spans.schema, "--to", "rows", "-o", "-").stdout for output in outputs]
    assert rows[0] == rows[1] and rows[0].count(b"\n") == 4
    assert document("count", text)["files"][0]["messages"] == 4
    assert document("inspect", text)["files"][0]["format"] == "textproto"
    elements = succeed("convert", text, *spans.schema, "--rows", "tags", "--to", "textproto", "-o", "-").stdout
    assert elements == b'key: "a"\nvalue: -1\n---\n# an empty message\n'


def test_what_is_wrong(spans):  # noqa: F811
    text = spans.folder / "spans.textproto"
    text.write_text('display_name: "one"\n---\ncode: 1\n\tcount: "x"\n---\nkind: SERVER\n')
    broken = run("convert", text, *spans.schema, "-o", spans.folder / "x.pb")
    assert broken.exit_code == 1
    assert 'spans.textproto line 4, column 9: Expected integer, got: "x"' in broken.stderr
    skipped = run("convert", text, *spans.schema, "--to", "json", "-o", "-", "--on-error", "skip")
    assert skipped.exit_code == 0 and skipped.stdout == b'{"displayName":"one"}\n{"kind":"SERVER"}\n'
    text.write_text("nothing: 1 code: 2")
    assert 'no field named "nothing"' in run("convert", text, *spans.schema, "-o", spans.folder / "x.pb").stderr
    passed = run("convert", text, *spans.schema, "--to", "json", "-o", "-", "--ignore-extra-fields")
    assert passed.stdout == b'{"code":2}\n'
    outcome = run("convert", spans.path, *spans.schema, "--from", "textproto", "--confluent", "-o", "x.pb")
    assert outcome.exit_code == 2 and "not for text format" in outcome.stderr
    # Fields that the schema does not know are shown on request.
    unknown = spans.folder / "unknown.pb"
    unknown.write_bytes(b"\x03\xa0\x06\x05")
    shown = [
        succeed("convert", unknown, *spans.schema, "--to", "textproto", "-o", "-", *more).stdout
        for more in ((), ("--unknown-fields", "keep"))
    ]
    assert shown == [b"# an empty message\n", b"100: 5\n"]
