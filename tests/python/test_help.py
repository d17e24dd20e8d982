"""The help of the command: what fits on a screen, and examples that run."""

import os
import pty
import re
import shutil
import subprocess

import commands
import conftest
import pytest

VERBS = ["convert", "head", "schema", "stats", "count", "sql", "validate", "inspect", "index", "completion"]
RECIPES = conftest.REPOSITORY / "examples" / "recipes"
SCHEMA = ["-p", RECIPES / "recipe.proto"]


def help_of(*arguments):
    return commands.convert("structtensor", *arguments).stdout.decode()


def options_in(page):
    """(names, description) of each option and argument."""
    lines = [line for line in page.splitlines() if line.startswith("  ")][1:]  # after the example
    return [tuple(re.split(r"  +", line.strip(), maxsplit=1)) for line in lines]


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_on_a_screen(verb):
    page = help_of(verb, "--help")
    lines = page.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 120
    assert lines[2] == "Example:"
    assert f"structtensor {verb} " in lines[3]


@pytest.mark.parametrize("page", ["--help", "--help-all"])
@pytest.mark.parametrize("verb", ["", *VERBS])
def test_each_option_is_one_short_phrase(verb, page):
    options = options_in(help_of(*filter(None, [verb, page])))
    assert len(options) >= 3
    for option in options:
        assert len(option) == 2, f"{option} has no description"
        description = re.sub(r" \((default|repeatable)[^()]*\)$", "", option[1])
        assert len(description) <= 80, option
        assert description[0].isupper(), option
        assert not description.endswith("."), option


@pytest.mark.parametrize("verb", VERBS)
def test_help_all_has_every_option_that_completion_knows(verb):
    script = help_of("completion", "bash")
    completed = re.search(rf'^ +{verb}\) options="([^"]*)"', script, re.M)[1].split()
    page = help_of(verb, "--help-all")
    # Verbs without a schema accept its options, so that they run with the arguments of other verbs.
    unused = {"-p", "--proto", "-I", "--proto_path", "-m", "--message", "--descriptor_set_in", "--annotations"}
    missing = {name for name in completed if not re.search(rf"(^|[ ,]){name}\b", page)}
    assert missing == (unused if verb in ("count", "index") else set())


def test_help_says_how_many_options_it_leaves_out():
    common, everything = help_of("convert", "--help"), help_of("convert", "--help-all")
    left_out = int(re.search(r"^(\d+) more options: structtensor convert --help-all$", common, re.M)[1])
    assert len(options_in(everything)) == len(options_in(common)) + left_out
    assert "more options" not in everything


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_examples_run_as_they_are(verb, tmp_path):
    if verb == "sql":
        installed = shutil.which("duckdb")
        if installed is None:
            pytest.skip("the command duckdb is not there; PyPI's duckdb-cli of tools/requirements.txt has it")
    shutil.copy(RECIPES / "recipe.proto", tmp_path)
    commands.convert(
        "structtensor", "convert", "-p", "recipe.proto", RECIPES / "recipes.txtpb", "-o", "recipes.pb", cwd=tmp_path
    )
    example = help_of(*filter(None, [verb, "--help"])).splitlines()[3].strip()
    folder = os.path.dirname(commands.command_path("structtensor"))
    done = subprocess.run(
        ["bash", "-c", example],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# --- Standard streams by default


def run_on_terminal(*arguments):
    """The exit code, and what the command prints, with a terminal for all its streams."""
    command = [commands.command_path("structtensor"), *map(str, arguments)]
    outer, inner = pty.openpty()
    process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    printed = b""
    while True:
        try:
            piece = os.read(outer, 1 << 16)
        except OSError:  # how Linux ends a terminal without programs
            break
        if not piece:
            break
        printed += piece
    os.close(outer)
    return process.wait(timeout=60), printed.decode()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "recipes.pb"
    commands.convert("structtensor", "convert", *SCHEMA, RECIPES / "recipes.txtpb", "-o", path)
    return path


def test_convert_writes_standard_output_by_default(source):
    by_default = commands.convert("structtensor", "convert", *SCHEMA, source).stdout
    assert by_default == commands.convert("structtensor", "convert", *SCHEMA, source, "--to", "jsonl", "-o", "-").stdout
    assert b'"title":"toast"' in by_default
    messages = commands.convert("structtensor", "convert", *SCHEMA, source, "--to", "delimited").stdout
    assert messages == source.read_bytes()


@pytest.mark.parametrize("output_format", ["parquet", "arrow", "arrows", "npz", "tfrecord", "delimited", "grpc", "message"])
def test_binary_output_is_refused_on_a_terminal(source, output_format):
    for output in ([], ["-o", "-"]):
        exit_code, printed = run_on_terminal("convert", *SCHEMA, source, "--to", output_format, *output)
        assert exit_code == 2
        assert f"{output_format} is a binary format, and standard output is a terminal; pass --output FILE" in printed


@pytest.mark.parametrize("output_format", ["jsonl", "rows", "csv", "textproto", "base64", "hex"])
def test_text_is_written_on_a_terminal(source, output_format):
    exit_code, printed = run_on_terminal("convert", *SCHEMA, source, "--select", "title", "--to", output_format)
    assert exit_code == 0, printed


@pytest.mark.parametrize("verb", ["convert", "head", "count", "stats", "inspect"])
def test_without_inputs_a_terminal_is_not_waited_for(verb):
    exit_code, printed = run_on_terminal(verb, *SCHEMA)
    assert exit_code == 2
    assert "no input: name files, or pipe messages to standard input" in printed


@pytest.mark.parametrize("verb", ["count", "index"])
def test_verbs_without_a_schema_take_the_arguments_of_the_others(verb, source):
    common = [verb, source, "--json"]
    with_schema = commands.convert("structtensor", *common, *SCHEMA, "-m", "Recipe").stdout
    assert with_schema == commands.convert("structtensor", *common).stdout
