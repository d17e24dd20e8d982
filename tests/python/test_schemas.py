"""Where the command `structtensor` finds a schema, and what it says where it finds none."""

import re

import commands
import compare
import pyarrow.parquet as pq
import pytest
from structtensor_command import RECIPES, run, succeed


def test_schemas_come_from_proto_files_folders_and_descriptor_sets(recipes, source, tmp_path):
    descriptors = commands.protoc_descriptor_set(tmp_path / "set.pb", RECIPES / "recipe.proto", RECIPES)
    expected = recipes.expected
    for index, schema in enumerate(
        [
            ["-p", RECIPES / "recipe.proto"],
            ["--proto", RECIPES / "recipe.proto", "--message", "cookbook.Recipe"],
            ["-I", RECIPES, "-m", "Recipe"],
            [f"--proto_path={RECIPES}", "-p", "recipe.proto"],
            ["--descriptor_set_in", descriptors],
        ]
    ):
        output = tmp_path / f"{index}.parquet"
        succeed("convert", source, *schema, "-o", output)
        rows = pq.read_table(output).to_pylist(maps_as_pydicts=None)
        assert [compare.difference(a, b) for a, b in zip(expected, rows, strict=True)] == [None] * 3


def test_the_only_message_type_is_taken_and_reported(source):
    outcome = succeed("head", source, "-p", RECIPES / "recipe.proto")
    assert "message type: cookbook.Recipe" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["no schema", "--proto", "--descriptor_set_in"]),
        (["-p", "absent.proto"], ["absent.proto", "no such file"]),
        (["-I", "absent"], ["cannot read", "absent"]),
        (["-p", RECIPES / "recipe.proto", "-m", "Recipes"], ["--message", "Recipes", "did you mean cookbook.Recipe"]),
        (["--descriptor_set_in", RECIPES / "recipe.proto"], ["recipe.proto", "FileDescriptorSet"]),
        (["--descriptor_set_in", "absent"], ["absent", "cannot read"]),
        (["--descriptor_set_in", RECIPES / "recipe.proto", "-I", "."], ["--descriptor_set_in", "without"]),
    ],
)
def test_a_schema_that_cannot_be_used_says_why(source, arguments, words):
    outcome = run("head", source, *arguments)
    assert outcome.exit_code == 1
    assert outcome.stdout == b""
    for word in words:
        assert word in outcome.stderr
    first, *rest = outcome.stderr.splitlines()
    assert all(line.startswith("hint: ") for line in rest) and len(rest) <= 1


def test_a_mistake_in_a_proto_file_is_reported_with_its_line(source, tmp_path):
    (tmp_path / "bad.proto").write_text('syntax = "proto3";\nmessage A {\n  strin name = 1;\n}\n')
    outcome = run("schema", "-p", tmp_path / "bad.proto")
    assert outcome.exit_code == 1
    assert re.search(r'bad\.proto:3:3: "strin" is not defined', outcome.stderr)
