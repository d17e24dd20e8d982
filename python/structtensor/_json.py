"""JSON without a protobuf schema."""

import os
import warnings

from . import _core


def from_json(source, spec=None, *, layout="auto", on_error="fail", infer_timestamps=False, ignore_extra_fields=False):
    """The rows of JSON objects, as a StructuredTensor of rank 1: from_json('{"a": 1}\\n{"a": 2}').

    source: the text, a str or bytes in UTF-8; a pathlib.Path or another os.PathLike is a file to read. An object on each line
        (layout="lines"), or a list of objects or a single one (layout="document").
    spec: the StructuredTensorSpec that the rows have to have, apart from their number; that of another batch, say. Default:
        inferred. Integers are int64, other numbers double, columns of both double; strings, booleans, lists (ragged) and
        objects (structs) are what they are. A null or a name left out is an absent value; of a list, an empty one. With a spec,
        bytes are read from base64, times from text, and maps from objects, as str() and the command write them.
    on_error: "skip" leaves out rows that cannot be read, with one warning that counts them and tells the first.
    infer_timestamps: strings of a column that are all RFC 3339 times become timestamp[ns].
    ignore_extra_fields: passes over names that the spec does not have.

    Raises ValueError, with line, column and path, for text that is no JSON, a column of several types, a name twice in an
    object, an integer that 64 bits cannot hold, and rows that do not fit the spec; OSError for files that cannot be read.
    """
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            text = file.read()
    else:
        text = source
    try:
        rows, errors = _core._rows_of_json(text, spec, layout, on_error, infer_timestamps, ignore_extra_fields)
    except ValueError as error:
        if isinstance(source, str) and os.path.isfile(source):
            raise ValueError(f"{error}; to read the file of that name, pass pathlib.Path({source!r})") from error
        raise
    if errors:
        line, column, message = errors[0]
        warnings.warn(
            f"{len(errors)} of {len(errors) + len(rows)} rows could not be read and are left out; the first: "
            f"line {line}, column {column}: {message}",
            stacklevel=2,
        )
    return rows
