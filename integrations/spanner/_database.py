"""Finds the database, and checks the options that reading and writing share."""

import os
import re

_NAME = re.compile(r"projects/([^/]+)/instances/([^/]+)/databases/([^/]+)")


def parts_of(name):
    """Project, instance and database of a database name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"database: expected projects/PROJECT/instances/INSTANCE/databases/DATABASE, found {name!r}")
    return match.groups()


# Google's client starts a thread for each database object and does not end it, so there is only one object for each name.
_OPENED = {}


def opened(database):
    """A database of Google's client: `database` itself, or the database with this name."""
    if not isinstance(database, str):
        if hasattr(database, "snapshot") and hasattr(database, "run_in_transaction"):
            return database
        raise TypeError(f"database: expected a name or a Database of google.cloud.spanner, found {database!r}")
    project, instance, name = parts_of(database)
    try:
        from google.cloud import spanner
    except ImportError as error:
        raise ImportError("structtensor.spanner needs Google's client: pip install 'structtensor[spanner]'") from error
    # Connections do not survive a fork. The client reads the address of an emulator when it is made.
    key = (database, os.environ.get("SPANNER_EMULATOR_HOST"), os.getpid())
    if key not in _OPENED:
        _OPENED[key] = spanner.Client(project=project).instance(instance).database(name)
    return _OPENED[key]


def check_limit(name, value, low, high):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: expected an integer, found {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} = {value}; expected {low} to {high}")


def check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name} = {value!r}; expected one of {', '.join(map(repr, choices))}")


def schema_of(schema, path):
    """The schema for the PROTO values at `path`, or None. `schema` is one schema for all paths, or a dict from paths to
    schemas."""
    from structtensor._schema import as_schema

    if isinstance(schema, dict):
        schema = schema.get(path)
    return None if schema is None else as_schema(schema)


def message_of(schema, name, path):
    """The full name of the message type `name`. Raises an error if `schema` does not have it."""
    if name not in schema.messages:
        found = ", ".join(schema.messages[:10])
        raise ValueError(
            f"{path}: the schema has no message type {name}; it has {found}. "
            "Name schemas by columns, schema={column: schema}, to leave other columns as bytes"
        )
    return name
