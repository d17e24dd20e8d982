"""Broken records: what becomes of their neighbours, of themselves (dead letters), and of the conversion."""

import gzip
import itertools
import json
import random
import re
import zlib

import commands
import compare
import conftest
import framing
import pyarrow.parquet as pq
import pytest
import random_messages
from google.protobuf.message import DecodeError

COMMAND = "recipe_to_columns"
RECORD_COUNT = 1000
SEEDS = range(8)
# Field 1 says that 127 bytes follow, and none do.
CORRUPT = b"\x0a\x7f"
MIB = 1 << 20


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    folder = conftest.REPOSITORY / "examples" / "recipes"
    schema = tmp_path_factory.mktemp("schema") / "recipe.descriptors"
    commands.protoc_descriptor_set(schema, "recipe.proto", folder)
    message_class = compare.load_message_class(schema, "cookbook.Recipe")
    rng = random.Random(1)
    payloads = [random_messages.random_payload(rng, message_class) for _ in range(RECORD_COUNT)]
    return commands.MessageSet(COMMAND, message_class, payloads)


@pytest.fixture(scope="module")
def empty_row(recipes):
    return compare.expected_row(recipes.message_class())


def rows_of(path):
    return [row for batch in pq.read_table(path).to_batches() for row in compare.rows(batch)]


def assert_rows(path, expected):
    actual = rows_of(path)
    assert len(actual) == len(expected)
    for want, got in zip(expected, actual, strict=True):
        assert compare.difference(want, got) is None


def dead_letters_of(path):
    """Pairs of a record's bytes and its line."""
    records = list(framing.read_delimited(path))
    lines = [json.loads(line) for line in path.with_name(path.name + ".jsonl").read_text().splitlines()]
    return list(zip(records, lines, strict=True))


def corrupted(rng, message_class, payload):
    """`payload` with a few bytes changed such that python-protobuf refuses it."""
    while True:
        damaged = bytearray(payload or b"\x0a\x01a")
        for _ in range(rng.randint(1, 3)):
            position = rng.randrange(len(damaged))
            how = rng.randrange(3)
            if how == 0:
                damaged[position] ^= 1 << rng.randrange(8)
            elif how == 1:
                damaged[position : position + rng.randint(1, 8)] = b""
            else:
                damaged[position:position] = damaged[position : position + rng.randint(1, 8)]
            damaged = damaged or bytearray(CORRUPT)
        try:
            message_class.FromString(bytes(damaged))
        except DecodeError:
            return bytes(damaged)


def with_bad_checksum(payloads, index):
    """A TFRecord file in which a byte of one message was flipped after it was written, and that message as it is there."""
    framed = bytearray(framing.frame_tfrecord(payloads))
    payload = payloads[index] or b""
    position = len(framing.frame_tfrecord(payloads[:index])) + 12
    framed[position] ^= 0x10
    return bytes(framed), bytes(framed[position : position + len(payload)])


FRAMINGS = ["delimited", "tfrecord", "checksum"]


def damaged_file(recipes, kind, seed):
    """The bytes of a file with one broken record, its number, and what is in it."""
    rng = random.Random(seed)
    payloads = list(recipes.payloads)
    index = rng.choice([i for i, payload in enumerate(payloads) if payload])
    if kind == "checksum":
        data, broken = with_bad_checksum(payloads, index)
        return data, index, broken
    payloads[index] = corrupted(rng, recipes.message_class, payloads[index])
    frame = framing.frame_delimited if kind == "delimited" else framing.frame_tfrecord
    return frame(payloads), index, payloads[index]


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("policy", ["fail", "skip", "null"])
@pytest.mark.parametrize("kind", FRAMINGS)
def test_one_broken_record_in_a_thousand(recipes, empty_row, kind, policy, compressed, tmp_path):
    for seed in SEEDS:
        data, index, broken = damaged_file(recipes, kind, seed)
        name = f"{seed}.pb" if kind == "delimited" else f"{seed}.tfrecord"
        source, output, dead = tmp_path / name, tmp_path / f"{seed}.parquet", tmp_path / f"{seed}.dead"
        source.write_bytes(gzip.compress(data, 1) if compressed else data)
        outcome = commands.run(
            COMMAND, source, "-o", output, f"--on-error={policy}", "--dead-letters", dead, "--batch-size=300"
        )

        ((record, line),) = dead_letters_of(dead)
        assert record == broken
        assert line["file"] == str(source)
        assert line["record"] == index
        start = line["record_offset"]
        assert data[start : start + len(record)] == record
        assert 0 <= line["byte_offset"] <= len(record)
        assert line["reason"] in outcome.stderr
        assert f"record {index}, byte " in outcome.stderr
        assert list(line) == ["file", "record", "record_offset", "byte_offset", "field_path", "code", "reason"]

        if policy == "fail":
            assert outcome.exit_code == 1
            assert not output.exists()
            continue
        assert outcome.exit_code == 0, outcome.stderr
        expected = list(recipes.expected)
        expected[index : index + 1] = [] if policy == "skip" else [empty_row]
        assert_rows(output, expected)
        assert ("; 1 skipped;" if policy == "skip" else "; 1 set to null;") in outcome.stderr


@pytest.mark.parametrize("kind", ["delimited", "tfrecord"])
@pytest.mark.parametrize("policy", ["fail", "rest"])
@pytest.mark.parametrize("on_error", ["fail", "skip", "null"])
def test_a_cut_off_end_is_a_dead_letter(recipes, kind, policy, on_error, tmp_path):
    payloads = [*recipes.payloads[:5], recipes.message_class(title="x" * 50).SerializeToString()]
    data = framing.frame_delimited(payloads) if kind == "delimited" else framing.frame_tfrecord(payloads)
    data = data[:-20]
    source, dead = tmp_path / ("cut.pb" if kind == "delimited" else "cut.tfrecord"), tmp_path / "dead"
    source.write_bytes(data)
    policies = [f"--on-error={on_error}", f"--on-damaged-file={policy}"]
    outcome = commands.run(COMMAND, source, "-o", tmp_path / "rows.parquet", *policies, "--dead-letters", dead)
    ((record, line),) = dead_letters_of(dead)
    kept_bytes = len(payloads[5]) - (20 if kind == "delimited" else 16)  # 4 bytes of checksum follow the message
    assert record == payloads[5][:kept_bytes]
    assert data[line["record_offset"] :][: len(record)] == record
    assert line["record"] == 5
    assert "truncated" in line["reason"]
    assert outcome.exit_code == (1 if policy == "fail" else 0)
    if policy != "fail":
        assert_rows(tmp_path / "rows.parquet", recipes.expected[:5])


# --- damaged files


def half_of_a_gzip(payloads):
    packed = gzip.compress(framing.frame_delimited(payloads))
    return packed[: len(packed) // 2]


def wrong_gzip_checksum(payloads):
    packed = bytearray(gzip.compress(framing.frame_delimited(payloads)))
    packed[-8] ^= 1
    return bytes(packed)


def no_length(payloads):
    return framing.frame_delimited(payloads) + b"\xff" * 40


DAMAGED = {"half a gzip": half_of_a_gzip, "gzip checksum": wrong_gzip_checksum, "no length": no_length}


@pytest.fixture
def damaged_and_valid(recipes, request, tmp_path):
    """Two files, the first of them damaged, and how many records precede the damage."""
    damaged, valid = tmp_path / "1.pb", tmp_path / "2.pb"
    damaged.write_bytes(DAMAGED[request.param](recipes.payloads))
    valid.write_bytes(framing.frame_delimited(recipes.payloads[:3]))
    count = RECORD_COUNT
    if request.param == "half a gzip":
        unpacked = zlib.decompressobj(31).decompress(damaged.read_bytes())
        ends = itertools.accumulate(len(framing.frame_delimited([payload])) for payload in recipes.payloads)
        count = sum(end <= len(unpacked) for end in ends)
    return damaged, valid, count


@pytest.mark.parametrize("damaged_and_valid", DAMAGED, indirect=True)
@pytest.mark.parametrize("on_error", ["fail", "skip", "null"])
def test_a_damaged_file_has_a_policy_of_its_own(recipes, damaged_and_valid, on_error, tmp_path):
    damaged, valid, count = damaged_and_valid
    output, dead = tmp_path / "rows.parquet", tmp_path / "dead"
    arguments = [COMMAND, damaged, valid, "-o", output, f"--on-error={on_error}", "--overwrite", "--dead-letters", dead]
    place = f"{damaged} record {count}, byte "

    outcome = commands.run(*arguments)
    assert outcome.exit_code == 1
    assert place in outcome.stderr and "--on-damaged-file=rest" in outcome.stderr
    assert not output.exists()

    outcome = commands.run(*arguments, "--on-damaged-file=rest")
    assert outcome.exit_code == 0, outcome.stderr
    assert_rows(output, recipes.expected[:count] + recipes.expected[:3])
    assert f"damaged file: {place}" in outcome.stderr and "; the rest of the file is left out\n" in outcome.stderr
    assert "; 1 damaged file; wrote " in outcome.stderr

    outcome = commands.run(*arguments, "--on-damaged-file=skip")
    assert outcome.exit_code == 0, outcome.stderr
    assert_rows(output, recipes.expected[:3])
    assert f"damaged file: {place}" in outcome.stderr and "; the whole file is left out\n" in outcome.stderr
    assert dead_letters_of(dead) == []


def test_a_pipe_has_no_whole_file(recipes, tmp_path):
    # The first message is empty, which is a zero byte; that could also be the start of a gRPC frame.
    arguments = [COMMAND, "-", "--from=delimited", "-o", tmp_path / "rows.parquet", "--overwrite"]
    data = half_of_a_gzip(recipes.payloads)
    outcome = commands.run(*arguments, "--on-damaged-file=skip", stdin=data)
    assert outcome.exit_code == 1
    assert "<stdin>: --on-damaged-file=skip reads each file twice" in outcome.stderr
    assert commands.run(*arguments, "--on-damaged-file=rest", stdin=data).exit_code == 0


def test_dead_letters_are_in_the_order_of_the_input(recipes, tmp_path):
    bad_checksum, _ = with_bad_checksum([recipes.message_class(title="a").SerializeToString()], 0)
    valid = recipes.message_class(title="valid")
    good, corrupt = framing.frame_tfrecord([valid.SerializeToString()]), framing.frame_tfrecord([CORRUPT])
    for name, parts in {
        "1.tfrecord": [good, corrupt, bad_checksum, good, corrupt],
        "2.tfrecord": [bad_checksum, corrupt, good],
    }.items():
        (tmp_path / name).write_bytes(b"".join(parts))
    inputs = [tmp_path / "1.tfrecord", tmp_path / "2.tfrecord"]
    dead = tmp_path / "dead"
    commands.convert(COMMAND, *inputs, "-o", tmp_path / "rows.parquet", "--on-error=null", "--dead-letters", dead)
    lines = [line for _, line in dead_letters_of(dead)]
    assert [(line["file"], line["record"]) for line in lines] == [
        (str(inputs[0]), 1),
        (str(inputs[0]), 2),
        (str(inputs[0]), 4),
        (str(inputs[1]), 0),
        (str(inputs[1]), 1),
    ]
    titles = [row["title"] for row in rows_of(tmp_path / "rows.parquet")]
    assert titles == ["valid", "", "", "valid", "", "", "", "valid"]


def test_a_dead_letter_names_the_place_in_the_record(recipes, tmp_path):
    record = b"\x10\x05" + b"\x1a\x04" + b"\x0a\x02\xffx"  # minutes, then ingredients.name, which is not UTF-8
    (tmp_path / "bad.pb").write_bytes(framing.frame_delimited([b"", record]))
    dead = tmp_path / "dead.pb"
    commands.run(COMMAND, "-", "--from=delimited", "--dead-letters", dead, "-o", "-", stdin=(tmp_path / "bad.pb").read_bytes())
    ((bytes_kept, line),) = dead_letters_of(dead)
    assert bytes_kept == record
    assert line["file"] == "<stdin>"
    assert line["record_offset"] == 2
    assert line["field_path"] == "ingredients.name"
    assert bytes_kept[line["byte_offset"] :].startswith(b"\xffx")
    assert "UTF-8" in line["reason"]


def test_dead_letters_convert_once_they_are_mended(recipes, tmp_path):
    """Here it is not the letters but the limit that was wrong."""
    recipe = recipes.message_class(title="bread", ingredients=[{"name": "flour"}])
    (tmp_path / "in.pb").write_bytes(framing.frame_delimited([b"", recipe.SerializeToString()]))
    dead = tmp_path / "dead.pb"
    limited = ["--on-error=skip", "--max-rows=1", "--max-cells=2", "--dead-letters", dead]
    commands.convert(COMMAND, tmp_path / "in.pb", "-o", tmp_path / "first.parquet", *limited)
    ((_, line),) = dead_letters_of(dead)
    assert "max_cells=2" in line["reason"]
    commands.convert(COMMAND, dead, "-o", tmp_path / "second.parquet")
    assert_rows(tmp_path / "second.parquet", [compare.expected_row(recipe)])


# --- limits that a batch exceeds


def sized_recipes(recipes, *title_sizes):
    return [recipes.message_class(title="x" * size, minutes=i) for i, size in enumerate(title_sizes)]


def write_messages(path, messages):
    path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in messages]))


@pytest.mark.parametrize("policy", ["fail", "skip", "null"])
def test_a_batch_that_is_too_large_is_decoded_in_parts(recipes, policy, tmp_path):
    messages = sized_recipes(recipes, *[50_000] * 100)
    write_messages(tmp_path / "in.pb", messages)
    output = tmp_path / "rows.parquet"
    commands.convert(COMMAND, tmp_path / "in.pb", "-o", output, f"--on-error={policy}", f"--max-memory-bytes={MIB}")
    assert_rows(output, [compare.expected_row(message) for message in messages])


@pytest.mark.parametrize("policy", ["skip", "null"])
def test_a_message_that_is_too_large_harms_no_neighbour(recipes, empty_row, policy, tmp_path):
    messages = sized_recipes(recipes, *[50_000] * 40, 2 * MIB, *[50_000] * 40)
    write_messages(tmp_path / "in.pb", messages)
    output, dead = tmp_path / "rows.parquet", tmp_path / "dead"
    limit = f"--max-memory-bytes={MIB}"
    commands.convert(COMMAND, tmp_path / "in.pb", "-o", output, f"--on-error={policy}", limit, "--dead-letters", dead)
    expected = [compare.expected_row(message) for message in messages]
    expected[40:41] = [] if policy == "skip" else [empty_row]
    assert_rows(output, expected)
    ((record, line),) = dead_letters_of(dead)
    assert record == messages[40].SerializeToString()
    assert line["record"] == 40
    assert "max_memory_bytes=1048576" in line["reason"]


# --- max-errors


@pytest.fixture
def three_broken(recipes, tmp_path):
    source = tmp_path / "in.pb"
    good = recipes.payloads
    source.write_bytes(framing.frame_delimited([good[0], CORRUPT, good[1], CORRUPT, CORRUPT, good[2]]))
    return source


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_max_errors_counts_the_whole_conversion(three_broken, batch_size, tmp_path):
    arguments = [three_broken, "-o", tmp_path / "rows.parquet", "--on-error=skip", "--batch-size", batch_size]
    outcome = commands.run(COMMAND, *arguments, "--max-errors=2", "--dead-letters", tmp_path / "dead")
    assert outcome.exit_code == 1
    assert re.search(r"3 records cannot be converted, more than --max-errors=2; the first: .*record 1, byte", outcome.stderr)
    assert not (tmp_path / "rows.parquet").exists()
    assert [line["record"] for _, line in dead_letters_of(tmp_path / "dead")] == [1, 3, 4]
    commands.convert(COMMAND, *arguments, "--max-errors=3")


def test_max_errors_makes_no_sense_with_fail(three_broken, tmp_path):
    outcome = commands.run(COMMAND, three_broken, "-o", tmp_path / "rows.parquet", "--max-errors=2")
    assert outcome.exit_code == 2
    assert "--on-error" in outcome.stderr


# --- the dead-letter files themselves


def test_dead_letter_files_are_there_when_nothing_is_broken(recipes, tmp_path):
    source = recipes.write(tmp_path / "in.pb")
    commands.convert(COMMAND, source, "-o", tmp_path / "rows.parquet", "--dead-letters", tmp_path / "dead")
    assert (tmp_path / "dead").read_bytes() == b""
    assert (tmp_path / "dead.jsonl").read_bytes() == b""


def test_existing_dead_letters_are_kept_without_overwrite(three_broken, tmp_path):
    (tmp_path / "dead.jsonl").write_bytes(b"precious")
    arguments = [three_broken, "-o", tmp_path / "rows.parquet", "--on-error=skip", "--dead-letters", tmp_path / "dead"]
    outcome = commands.run(COMMAND, *arguments)
    assert outcome.exit_code == 1
    assert "dead.jsonl exists already" in outcome.stderr
    assert (tmp_path / "dead.jsonl").read_bytes() == b"precious"
    assert not (tmp_path / "rows.parquet").exists()
    commands.convert(COMMAND, *arguments, "--overwrite")
    assert len(dead_letters_of(tmp_path / "dead")) == 3


@pytest.mark.parametrize("dead", ["in.pb", "link.pb", "./in.pb", "rows.parquet"])
def test_dead_letters_replace_neither_input_nor_output(three_broken, dead, tmp_path):
    (tmp_path / "link.pb").symlink_to("in.pb")
    before = three_broken.read_bytes()
    arguments = ["in.pb", "-o", "rows.parquet", "--on-error=skip", "--overwrite", "--dead-letters", dead]
    outcome = commands.run(COMMAND, *arguments, cwd=tmp_path)
    assert outcome.exit_code == 1
    assert "name another file" in outcome.stderr
    assert three_broken.read_bytes() == before


@pytest.mark.parametrize("full", ["dead", "dead.jsonl"])
def test_dead_letters_that_do_not_fit_fail_the_conversion(three_broken, full, tmp_path):
    (tmp_path / full).symlink_to("/dev/full")
    arguments = [three_broken, "-o", tmp_path / "rows.parquet", "--on-error=skip", "--dead-letters", tmp_path / "dead"]
    outcome = commands.run(COMMAND, *arguments)
    assert outcome.exit_code == 1
    assert f"{full}: cannot write: No space left" in outcome.stderr
    assert not (tmp_path / "rows.parquet").exists()


def test_dead_letters_of_a_conversion_that_fails_are_kept(three_broken, tmp_path):
    with three_broken.open("ab") as file:
        file.write(b"\xff" * 40)  # not a valid length prefix: nothing after it can be found
    arguments = [three_broken, "-o", tmp_path / "rows.parquet", "--on-error=skip", "--dead-letters", tmp_path / "dead"]
    outcome = commands.run(COMMAND, *arguments)
    assert outcome.exit_code == 1
    assert not (tmp_path / "rows.parquet").exists()
    assert [line["record"] for _, line in dead_letters_of(tmp_path / "dead")] == [1, 3, 4]
