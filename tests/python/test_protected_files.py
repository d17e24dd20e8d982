"""What a command reads, and what it could only lose, it does not replace."""

import pathlib

import commands
import framing
import pytest
from structtensor_command import SCHEMA, run, succeed


@pytest.fixture
def letters(tmp_path):
    """Good dead letters of an earlier run."""
    paths = [tmp_path / "dead.pb", tmp_path / "dead.pb.jsonl"]
    for path in paths:
        path.write_bytes(b"precious")
    return paths


def arguments_of(letters, output):
    return ["-o", output, "--overwrite", "--on-error", "skip", "--dead-letters", letters[0]]


def test_dead_letters_stay_if_nothing_could_be_read(source, letters, tmp_path):
    cut = tmp_path / "cut.tfrecord"
    cut.write_bytes(b"\0\0\0\1" * 10)
    for inputs in (["missing.pb"], [cut], [source, "missing.pb"]):
        outcome = run("convert", *inputs, *SCHEMA, *arguments_of(letters, tmp_path / "a.parquet"))
        assert outcome.exit_code == 1
        assert [path.read_bytes() for path in letters] == [b"precious"] * 2
    outcome = run("convert", source, *SCHEMA, *arguments_of(letters, tmp_path / "none" / "a.parquet"))
    assert outcome.exit_code == 1
    assert [path.read_bytes() for path in letters] == [b"precious"] * 2
    succeed("convert", source, *SCHEMA, *arguments_of(letters, tmp_path / "a.parquet"))
    assert [path.read_bytes() for path in letters] == [b""] * 2
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_failed_run_with_dead_letters_replaces_old_ones(recipes, letters, tmp_path):
    broken = tmp_path / "broken.pb"
    broken.write_bytes(framing.frame_delimited([b"\x0a\x7f", *recipes.payloads]))
    outcome = run("convert", broken, "missing.pb", *SCHEMA, *arguments_of(letters, tmp_path / "a.parquet"))
    assert outcome.exit_code == 1
    assert list(framing.read_delimited(letters[0])) == [b"\x0a\x7f"]
    assert letters[1].read_bytes().count(b"\n") == 1


def test_a_device_for_dead_letters_has_no_lines_beside_it(recipes, tmp_path):
    broken = tmp_path / "broken.pb"
    broken.write_bytes(framing.frame_delimited([b"\x0a\x7f", *recipes.payloads]))
    succeed("convert", broken, *SCHEMA, "-o", tmp_path / "a.pb", "--on-error", "skip", "--dead-letters", "/dev/null")
    assert not pathlib.Path("/dev/null.jsonl").exists()


@pytest.fixture
def schema_files(tmp_path):
    """A schema of two files, as a descriptor set, too, and annotations. They have names of outputs."""
    folder = tmp_path / "schema"
    folder.mkdir()
    (folder / "part.json").write_text('syntax = "proto3"; package p; message Part { string s = 1; }')
    (folder / "whole.json").write_text(
        'syntax = "proto3"; package p; import "part.json"; message Whole { Part part = 1; int32 i = 2; }'
    )
    commands.protoc_descriptor_set(folder / "set.json", folder / "whole.json", folder)
    (folder / "annotations.json").write_text('annotation { path: "p.Whole.i" options { name: "j" } }')
    return folder


@pytest.mark.parametrize("name", ["part.json", "whole.json", "set.json", "annotations.json"])
def test_no_output_replaces_the_schema(schema_files, name, tmp_path):
    source = tmp_path / "in.pb"
    source.write_bytes(framing.frame_delimited([b"\x10\1", b"\x0a\x7f"]))
    if name == "set.json":
        schema = ["--descriptor_set_in", schema_files / "set.json"]
    else:
        schema = ["-I", schema_files, "-p", "whole.json"]
    schema += ["-m", "Whole", "--annotations", schema_files / "annotations.json"]
    (tmp_path / "link.json").symlink_to(schema_files / name)
    before = (schema_files / name).read_bytes()
    for path in (schema_files / name, tmp_path / "link.json"):
        outputs = [["-o", path], ["-o", tmp_path / "a.pb", "--dead-letters", path]]
        for arguments in outputs:
            outcome = run("convert", source, *schema, *arguments, "--overwrite", "--on-error", "skip")
            assert outcome.exit_code == 1
            assert "name another file" in outcome.stderr
            assert (schema_files / name).read_bytes() == before
    succeed("convert", source, *schema, "-o", tmp_path / "a.pb", "--dead-letters", tmp_path / "dead", "--on-error", "skip")


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_an_output_in_a_folder_that_is_read_is_an_error(source, overwrite, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("1.pb", "2.pb"):
        (folder / name).write_bytes(source.read_bytes())
    outcome = run("convert", folder, *SCHEMA, "-o", folder / "1.pb", *overwrite)
    assert (outcome.exit_code, "1.pb: it is one of the files in" in outcome.stderr) == (1, True)
    dead = ["--on-error", "skip", "--dead-letters", folder / "2.pb"]
    outcome = run("convert", folder, *SCHEMA, "-o", tmp_path / "a.parquet", *dead, *overwrite)
    assert (outcome.exit_code, "2.pb: it is one of the files in" in outcome.stderr) == (1, True)
    # A file that is named may be replaced by what is made from it.
    if overwrite:
        succeed("convert", folder / "1.pb", folder / "2.pb", *SCHEMA, "-o", folder / "1.pb", *overwrite)
        assert len(list(framing.read_delimited(folder / "1.pb"))) == 6


def test_a_link_to_no_file_is_followed(source, tmp_path):
    (tmp_path / "link.pb").symlink_to("target.pb")
    (tmp_path / "dead").symlink_to("dead_target")
    arguments = ["-o", tmp_path / "link.pb", "--on-error", "skip", "--dead-letters", tmp_path / "dead"]
    succeed("convert", source, *SCHEMA, *arguments)
    assert (tmp_path / "link.pb").is_symlink() and (tmp_path / "dead").is_symlink()
    assert (tmp_path / "target.pb").read_bytes() == source.read_bytes()
    assert (tmp_path / "dead_target").read_bytes() == b""
