"""The converter commands as people meet them: damaged input, wrong use, pipes. Exit code 0: done, 1: data or I/O, 2: usage."""

import gzip
import os
import re
import signal
import subprocess

import commands
import compare
import framing
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from google.protobuf.message import DecodeError

COMMAND = "otlp_to_columns"
MESSAGE_COUNT = 6
# Field 1 says that 127 bytes follow, and none do.
CORRUPT = b"\x0a\x7f"


@pytest.fixture(scope="module")
def spans(tmp_path_factory):
    return commands.record_otlp(tmp_path_factory.mktemp("spans"), MESSAGE_COUNT)


@pytest.fixture
def source(spans, tmp_path):
    return spans.write(tmp_path / "spans.bin")


def rows_of_parquet(path_or_bytes):
    table = pq.read_table(pa.BufferReader(path_or_bytes) if isinstance(path_or_bytes, bytes) else path_or_bytes)
    return [row for batch in table.to_batches() for row in compare.rows(batch)]


def assert_equal(actual, expected):
    assert len(actual) == len(expected)
    for want, got in zip(expected, actual, strict=True):
        assert compare.difference(want, got) is None


def assert_failed(outcome, exit_code, *words):
    """The command failed in the right way and says why; `words` are regular expressions."""
    assert outcome.exit_code == exit_code, outcome.stderr
    for word in words:
        assert re.search(word, outcome.stderr, re.IGNORECASE), f"no {word!r} in: {outcome.stderr}"


def assert_only(folder, *names):
    """Nothing else is left: no output under its final name, no partial one."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


def corrupt_file(spans, path):
    """Writes the messages with a corrupt one as record 3. Returns the byte range of that record's message."""
    before = framing.frame_delimited(spans.payloads[:3])
    path.write_bytes(before + framing.frame_delimited([CORRUPT]) + framing.frame_delimited(spans.payloads[3:]))
    start = len(before) + 1
    return range(start, start + len(CORRUPT) + 1)


# --- input that is not what it should be


def test_corrupt_record_fails_and_says_where(spans, tmp_path):
    damaged = tmp_path / "damaged.bin"
    place = corrupt_file(spans, damaged)
    outcome = commands.run(COMMAND, damaged, "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, r"damaged\.bin record 3, byte \d+", "skip")
    assert int(re.search(r"record 3, byte (\d+)", outcome.stderr)[1]) in place
    assert_only(tmp_path, "damaged.bin")


def test_corrupt_record_can_be_skipped(spans, tmp_path):
    damaged = tmp_path / "damaged.bin"
    corrupt_file(spans, damaged)
    outcome = commands.convert(COMMAND, damaged, "-o", tmp_path / "rows.parquet", "--on-error=skip")
    assert re.search(r"\b1 skipped\b", outcome.stderr)
    assert re.search(r"damaged\.bin record 3, byte \d+", outcome.stderr)
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 1000])
def test_skipping_does_not_depend_on_the_batch(spans, batch_size, tmp_path):
    damaged = tmp_path / "damaged.bin"
    payloads = [CORRUPT, *spans.payloads[:2], CORRUPT, CORRUPT, *spans.payloads[2:], CORRUPT]
    damaged.write_bytes(framing.frame_delimited(payloads))
    outcome = commands.convert(
        COMMAND, damaged, "-o", tmp_path / "rows.parquet", "--on-error=skip", "--batch-size", batch_size
    )
    assert re.search(r"\b4 skipped\b", outcome.stderr)
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


def test_truncated_file_fails(spans, source, tmp_path):
    data = source.read_bytes()
    source.write_bytes(data[:-5])
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, r"spans\.bin", rf"record {MESSAGE_COUNT - 1}\b", r"byte \d+", "truncated")
    assert_only(tmp_path, "spans.bin")


def test_truncated_tail_can_be_left_out(spans, source, tmp_path):
    source.write_bytes(source.read_bytes()[:-5])
    outcome = commands.convert(COMMAND, source, "-o", tmp_path / "rows.parquet", "--on-damaged-file=rest")
    assert "; 1 damaged file; wrote" in outcome.stderr
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected[:-1])


def test_malformed_length_prefix_fails(tmp_path):
    (tmp_path / "noise.bin").write_bytes(b"\xff" * 40)
    outcome = commands.run(COMMAND, tmp_path / "noise.bin", "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, r"noise\.bin", r"byte 0\b")
    assert_only(tmp_path, "noise.bin")


@pytest.mark.parametrize("field", ["attributes", "scope_spans", "spans", "name"])
def test_wrong_message_type_is_judged_as_protobuf_does(spans, field, tmp_path):
    """Parts of messages, passed off as whole ones. The wire format has no types, so some of these parse (to other fields or
    to unknown ones) and some do not; command and python-protobuf must agree on which."""
    message = spans.message_class.FromString(spans.payloads[0])
    resource_spans = message.resource_spans[0]
    span = resource_spans.scope_spans[0].spans[0]
    payload = {
        "attributes": lambda: resource_spans.resource.attributes[0].SerializeToString(),
        "scope_spans": lambda: resource_spans.scope_spans[0].SerializeToString(),
        "spans": lambda: span.SerializeToString(),
        "name": lambda: b"\x0a" + bytes([len(span.name)]) + span.name.encode(),
    }[field]()
    source = tmp_path / "other.bin"
    source.write_bytes(framing.frame_delimited([payload]))
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "rows.parquet")
    try:
        expected = compare.expected_row(spans.message_class.FromString(payload))
    except DecodeError:
        assert_failed(outcome, 1, r"other\.bin record 0, byte \d+")
        assert_only(tmp_path, "other.bin")
    else:
        assert outcome.exit_code == 0, outcome.stderr
        assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), [expected])


def test_text_file_fails(tmp_path):
    (tmp_path / "notes.txt").write_text("These are words, and no protocol buffers.\n" * 20)
    outcome = commands.run(COMMAND, tmp_path / "notes.txt", "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, r"notes\.txt", "looks like text", "--from")
    assert_only(tmp_path, "notes.txt")


def test_missing_input_fails(tmp_path):
    outcome = commands.run(COMMAND, tmp_path / "absent.bin", "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, r"absent\.bin", "no such file|not found|does not exist")
    assert_only(tmp_path)


def test_an_empty_folder_as_input_fails(tmp_path):
    (tmp_path / "folder").mkdir()
    outcome = commands.run(COMMAND, tmp_path / "folder", "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, "folder without files")
    assert_only(tmp_path, "folder")


def test_a_folder_means_its_files_by_name(spans, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    half = len(spans.payloads) // 2
    (folder / "2.bin").write_bytes(framing.frame_delimited(spans.payloads[half:]))
    (folder / "1.bin").write_bytes(framing.frame_delimited(spans.payloads[:half]))
    commands.convert(COMMAND, folder, "-o", tmp_path / "rows.parquet")
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


# --- nothing to convert


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows", "jsonl", "rows"])
def test_no_messages_make_a_valid_empty_file(spans, ending, tmp_path):
    source, output = tmp_path / "empty.bin", tmp_path / f"rows.{ending}"
    source.touch()
    commands.convert(COMMAND, source, "-o", output, *(["--to", ending] if ending == "rows" else []))
    if ending in ("jsonl", "rows"):
        assert output.read_bytes() == b""
        return
    table = {
        "parquet": pq.read_table,
        "arrow": lambda path: pa.ipc.open_file(path).read_all(),
        "arrows": lambda path: pa.ipc.open_stream(path).read_all(),
    }[ending](output)
    full_schema = schema_of_messages(spans, tmp_path)
    assert table.num_rows == 0
    assert table.schema.equals(full_schema), f"{table.schema} is not {full_schema}"


def schema_of_messages(spans, folder):
    output = folder / "full.arrows"
    commands.convert(COMMAND, spans.write(folder / "full.bin"), "-o", output)
    return pa.ipc.open_stream(output).schema


def test_empty_messages_are_rows(spans, tmp_path):
    source = tmp_path / "empty_messages.bin"
    source.write_bytes(framing.frame_delimited([b"", b"", b""]))
    commands.convert(COMMAND, source, "-o", tmp_path / "rows.parquet")
    empty_row = compare.expected_row(spans.message_class())
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), [empty_row] * 3)


# --- output


def test_existing_output_is_kept_without_overwrite(spans, source, tmp_path):
    output = tmp_path / "rows.parquet"
    output.write_bytes(b"precious")
    assert_failed(commands.run(COMMAND, source, "-o", output), 1, r"rows\.parquet", "--overwrite")
    assert output.read_bytes() == b"precious"
    commands.convert(COMMAND, source, "-o", output, "--overwrite")
    assert_equal(rows_of_parquet(output), spans.expected)


def test_a_failure_keeps_the_output_it_was_to_overwrite(spans, tmp_path):
    corrupt_file(spans, tmp_path / "damaged.bin")
    (tmp_path / "rows.parquet").write_bytes(b"precious")
    outcome = commands.run(COMMAND, tmp_path / "damaged.bin", "-o", tmp_path / "rows.parquet", "--overwrite")
    assert_failed(outcome, 1, "record 3")
    assert (tmp_path / "rows.parquet").read_bytes() == b"precious"
    assert_only(tmp_path, "damaged.bin", "rows.parquet")


def test_output_in_a_missing_directory_fails(source, tmp_path):
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "absent" / "rows.parquet")
    assert_failed(outcome, 1, r"absent.rows\.parquet|absent")
    assert_only(tmp_path, "spans.bin")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_output_in_an_unwritable_directory_fails(source, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    assert_failed(commands.run(COMMAND, source, "-o", closed / "rows.parquet"), 1, "closed", "permission denied")


def test_full_disk_fails(source):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [commands.command_path(COMMAND), source, "-o", "-", "--to", "rows"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=300,
            check=False,
        )
    assert done.returncode == 1, done.stderr
    assert b"no space left" in done.stderr.lower()
    for asked in ("--version", "--help"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [commands.command_path("structtensor"), asked], stdout=full, stderr=subprocess.PIPE, timeout=300, check=False
            )
        assert (done.returncode, done.stderr) == (1, b"structtensor: cannot write to standard output\n")


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("arguments", [["-o", "-", "--to", "rows", "--quiet"], ["--head", "1500"]])
def test_closed_pipe_ends_the_command_as_it_ends_others(spans, arguments, ignored, tmp_path):
    """By SIGPIPE and without a word, whatever was being written, and even where the parent ignores that signal."""
    source = tmp_path / "long.bin"
    source.write_bytes(framing.frame_delimited(spans.payloads * 300))
    with subprocess.Popen(
        [commands.command_path(COMMAND), source, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        restore_signals=not ignored,  # Python ignores SIGPIPE itself
    ) as process:
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait(timeout=300) == -signal.SIGPIPE
        assert process.stderr.read() == b""
    assert_only(tmp_path, "long.bin")


@pytest.mark.parametrize("arguments", ["-o - --quiet", "--head 1500"])
def test_shells_show_141_for_a_closed_pipe(spans, arguments, tmp_path):
    source = tmp_path / "long.bin"
    source.write_bytes(framing.frame_delimited(spans.payloads * 300))
    script = f'"$0" "$1" {arguments} | head -c 1 > /dev/null; echo "${{PIPESTATUS[0]}}"'
    command = ["bash", "-c", script, commands.command_path(COMMAND), source]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_two_commands_with_one_output_do_not_mix(spans, tmp_path):
    """One of them makes the file, the other one says that it is there."""
    source = tmp_path / "long.bin"
    source.write_bytes(framing.frame_delimited(spans.payloads * 50))
    arguments = [commands.command_path(COMMAND), source, "-o", tmp_path / "rows.parquet"]
    racing = [subprocess.Popen(arguments, stderr=subprocess.PIPE) for _ in range(4)]
    errors = [process.communicate(timeout=300)[1].decode() for process in racing]
    assert sorted(process.returncode for process in racing) == [0, 1, 1, 1], errors
    assert sum("rows.parquet exists already" in error for error in errors) == 3
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected * 50)
    assert_only(tmp_path, "long.bin", "rows.parquet")


# --- pipes, several inputs, framings


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input_and_output(spans, source, arguments, tmp_path):
    outcome = commands.convert(COMMAND, *arguments, "-o", "-", "--to", "parquet", stdin=source.read_bytes())
    assert_equal(rows_of_parquet(outcome.stdout), spans.expected)


def test_errors_name_standard_input(spans, tmp_path):
    corrupt_file(spans, tmp_path / "damaged.bin")
    data = (tmp_path / "damaged.bin").read_bytes()
    outcome = commands.run(COMMAND, "-o", tmp_path / "rows.parquet", stdin=data)
    assert_failed(outcome, 1, r"<stdin> record 3, byte \d+")


def test_arrow_stream_and_json_lines_to_standard_output(spans, source):
    stream = commands.convert(COMMAND, source, "-o", "-", "--to", "arrows").stdout
    rows = [row for batch in pa.ipc.open_stream(stream) for row in compare.rows(batch)]
    assert_equal(rows, spans.expected)
    lines = commands.convert(COMMAND, source, "-o", "-").stdout  # the default there
    assert lines.count(b"\n") == MESSAGE_COUNT


def test_several_inputs_follow_each_other(spans, tmp_path):
    first, second = tmp_path / "first.bin", tmp_path / "second.bin"
    first.write_bytes(framing.frame_delimited(spans.payloads[:2]))
    second.write_bytes(framing.frame_delimited(spans.payloads[2:]))
    commands.convert(COMMAND, first, second, "-o", tmp_path / "rows.parquet")
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


def test_tfrecord_input(spans, tmp_path):
    source = tmp_path / "spans.tfrecord"
    source.write_bytes(framing.frame_tfrecord(spans.payloads))
    commands.convert(COMMAND, source, "-o", tmp_path / "rows.parquet")
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


def damaged_tfrecord(spans, path):
    """One byte of record 2 is flipped, which its own checksum shows."""
    data = bytearray(framing.frame_tfrecord(spans.payloads))
    data[len(framing.frame_tfrecord(spans.payloads[:2])) + 12 + 3] ^= 0x20
    path.write_bytes(data)
    return path


def test_tfrecord_with_a_bad_checksum_fails(spans, tmp_path):
    source = damaged_tfrecord(spans, tmp_path / "spans.tfrecord")
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "rows.parquet")
    assert_failed(outcome, 1, r"spans\.tfrecord", r"record 2\b", r"byte \d+", "checksum|crc")
    assert_only(tmp_path, "spans.tfrecord")


def test_tfrecord_with_a_bad_checksum_can_be_skipped(spans, tmp_path):
    source = damaged_tfrecord(spans, tmp_path / "spans.tfrecord")
    outcome = commands.convert(COMMAND, source, "-o", tmp_path / "rows.parquet", "--on-error=skip")
    assert re.search(r"\b1 skipped\b", outcome.stderr)
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected[:2] + spans.expected[3:])


def test_one_message_a_file(spans, tmp_path):
    sources = []
    for index, payload in enumerate(spans.payloads):
        sources.append(tmp_path / f"{index}.pb")
        sources[-1].write_bytes(payload)
    commands.convert(COMMAND, *sources, "--from", "message", "-o", tmp_path / "rows.parquet")
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


def test_gzip_input_is_unpacked(spans, source, tmp_path):
    packed = tmp_path / "spans.bin.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    commands.convert(COMMAND, packed, "-o", tmp_path / "rows.parquet")
    assert_equal(rows_of_parquet(tmp_path / "rows.parquet"), spans.expected)


# --- what it prints


def test_summary_counts_messages_and_can_be_silenced(source, tmp_path):
    outcome = commands.convert(COMMAND, source, "-o", tmp_path / "rows.parquet")
    assert re.search(rf"\b{MESSAGE_COUNT} messages\b", outcome.stderr)
    assert "MB/s" in outcome.stderr
    assert "\r" not in outcome.stderr  # the progress line is for terminals
    assert outcome.stdout == b""
    assert commands.convert(COMMAND, source, "-o", tmp_path / "quiet.parquet", "--quiet").stderr == ""


def test_spec_and_first_rows_without_an_output_file(source, tmp_path):
    printed = commands.convert(COMMAND, source, "--show-spec", "--head", "2").stdout.decode()
    assert re.search(r"^\s*trace_id: bytes", printed, re.MULTILINE)
    assert "resource_spans" in printed
    assert_only(tmp_path, "spans.bin")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version(option):
    assert commands.convert(COMMAND, option).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-such-option"], ["--no-such-option"]),
        (["-o", "rows.xlsx"], [r"xlsx", "parquet", "jsonl"]),
        (["-o", "rows.parquet", "--to", "xlsx"], ["xlsx", "parquet"]),
        (["-o", "rows.parquet", "--from", "lines"], ["lines", "delimited"]),
        (["-o", "rows.parquet", "--on-error", "ignore"], ["ignore", "skip"]),
        (["-o", "rows.parquet", "--batch-size", "many"], ["many"]),
        (["--compression", "zstd", "--head", "1"], ["--compression is for --output"]),
        (["--compression-level", "3", "--head", "1"], ["--compression-level is for --output"]),
        (["--compression", "zstd", "--to", "rows"], ["--compression is for Parquet and Arrow files"]),
        (["--partition-by", "name"], ["--partition-by is for the folder that --output names"]),
    ],
)
def test_wrong_usage_exits_with_2(source, arguments, words, tmp_path):
    outcome = commands.run(COMMAND, source, *arguments, cwd=tmp_path)
    assert_failed(outcome, 2, *words)
    assert_only(tmp_path, "spans.bin")


def test_unknown_fields_are_kept_on_request(spans, tmp_path):
    unknown = b"\xf2\x3f\x02hi"  # field 1022: "hi"
    source = tmp_path / "spans.bin"
    source.write_bytes(framing.frame_delimited([spans.payloads[0] + unknown, spans.payloads[1]]))
    for choice, expected in (("drop", None), ("keep", [unknown, b""])):
        target = tmp_path / f"{choice}.parquet"
        commands.convert(COMMAND, source, "-o", target, f"--unknown-fields={choice}")
        table = pq.read_table(target)
        if expected is None:
            assert "unknown_fields" not in table.column_names
        else:
            assert table["unknown_fields"].to_pylist() == expected
            resource_spans = table.schema.field("resource_spans").type.value_type
            assert resource_spans.get_field_index("unknown_fields") >= 0


# --- some of the fields


def test_only_the_chosen_fields_are_converted(spans, source, tmp_path):
    rows = tmp_path / "rows.parquet"
    names, urls = "resource_spans.scope_spans.spans.name", "resource_spans.schema_url"
    commands.convert(COMMAND, source, "-o", rows, "--select", names, "--select", urls)
    chosen = [
        {
            "resource_spans": [
                {
                    "scope_spans": [
                        {"spans": [{"name": span["name"]} for span in scope["spans"]]} for scope in resource["scope_spans"]
                    ],
                    "schema_url": resource["schema_url"],
                }
                for resource in row["resource_spans"]
            ]
        }
        for row in spans.expected
    ]
    assert_equal(rows_of_parquet(rows), chosen)


def test_a_field_that_is_not_there_fails_with_those_that_are(source, tmp_path):
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "rows.parquet", "--select", "resource_span")
    assert_failed(outcome, 1, "has no field resource_span; it has resource_spans")
    assert_only(tmp_path, source.name)
