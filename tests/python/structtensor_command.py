"""The command `structtensor` for tests: how it is run, and the schema of the recipes."""

import json

import commands
import conftest
import pyarrow as pa

RECIPES = conftest.REPOSITORY / "examples" / "recipes"
SCHEMA = ["-I", RECIPES, "-p", "recipe.proto", "-m", "Recipe"]


def run(*arguments, **options):
    return commands.run("structtensor", *arguments, **options)


def succeed(*arguments, **options):
    return commands.convert("structtensor", *arguments, **options)


def document(*arguments, exit_code=0, **options):
    """Runs a verb with --json, which prints one document and nothing else."""
    outcome = run(*arguments, "--json", **options)
    assert outcome.exit_code == exit_code, outcome.stderr
    parsed = json.loads(outcome.stdout)
    assert parsed["version"] == 1
    assert parsed["verb"] == arguments[0]
    return parsed


def parquet_ids(fields):
    """The numbers of columns by their names, those of structs with what is in them."""
    ids = {}
    for field in fields:
        number = (field.metadata or {}).get(b"PARQUET:field_id")
        inner = field.type
        while pa.types.is_list(inner) or pa.types.is_large_list(inner):
            inner = inner.value_type
        if pa.types.is_map(inner):
            inner = pa.struct([inner.key_field, inner.item_field])
        inside = parquet_ids([inner.field(i) for i in range(inner.num_fields)]) if pa.types.is_struct(inner) else None
        ids[field.name] = (None if number is None else int(number), inside)
    return ids
