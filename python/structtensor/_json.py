"""JSON without a protobuf schema."""

import os
import warnings

from . import _core
from . import _options
from . import _signatures
from ._errors import DecodeError


# How files begin that are compressed by gzip, zstd and LZ4. No JSON begins so.
_COMPRESSED = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x04\x22\x4d\x18")


def _text_of_file(path):
    """The bytes of a local or remote file, after decompression."""
    if not _core._is_remote_path(path):
        with open(path, "rb") as file:
            # A pipe can be opened only once, so what it has is not decompressed.
            if not file.peek(4).startswith(_COMPRESSED) or not os.path.isfile(path):
                return file.read()
    try:
        return _core._read_records([path], "message", False).messages.to_py()[0]
    except DecodeError as error:
        if "bytes for one message" not in str(error):
            raise
        raise DecodeError(
            f"{_core._display_path(path)}: more than 2 GiB of JSON; split the file, or read an uncompressed local copy"
        ) from None


def _lines_of(strings):
    """A list of strings as one text with a line for each. In JSON, a line break is never part of a string."""
    return "\n".join(string.replace("\n", " ").replace("\r", " ") for string in strings)


def _check_source(source):
    """Raises TypeError for what is not text, with what to do instead."""
    if isinstance(source, str):
        return
    try:
        memoryview(source).release()
        return
    except TypeError:
        pass
    advice = ""
    if isinstance(source, (list, tuple, dict)):
        advice = "; st.constant() makes a value of a list of dicts"
    elif hasattr(source, "read"):
        advice = "; pass file.read(), or the pathlib.Path of the file"
    found = type(source).__name__
    raise TypeError(f"source: expected a pathlib.Path, or JSON as str, bytes or a list of str, found {found}{advice}")


@_signatures.public
def from_json(
    source, spec=None, *, layout="auto", on_error="fail", infer_timestamps=False, ignore_extra_fields=False, threads=None
):
    """The rows of JSON objects, as a StructuredTensor of rank 1: from_json('{"a": 1}\\n{"a": 2}').

    One object is a batch of one row, and from_json(...)[0] is its struct, a scalar. With a spec of rank 0, the result is this
    scalar itself, so that from_json(struct.to_json(), struct.spec) is the struct.

    source: the text, as a str or UTF-8 bytes, or a list of str with an object in each, as to_protobuf_json() returns it (with a
        schema, Decoder.decode(list, format="json") reads that, too). A pathlib.Path or another os.PathLike is a file to read,
        which may be compressed by gzip, zstd or LZ4; so is a str that begins with s3:// or gs://. The text has one object on
        each line (layout="lines"), or a list of objects or one object (layout="document"). Of several files, read each by
        itself; with the spec of the first one for all, st.concat() joins their rows.
    spec: the StructuredTensorSpec of the rows, except their number; for example, the spec of another batch. Default: inferred.
        Integers become int64, other numbers double, columns with both double. Strings, booleans, lists (ragged) and objects
        (structs) keep their kind. A null or a missing name is an absent value, or an empty list if the column has lists. With a
        spec, bytes are read from base64, times from text, and maps from objects, as str() and the command write them.
    on_error: "skip" leaves out rows that cannot be read. One warning has their number and the first error.
    infer_timestamps: if all strings of a column are RFC 3339 times, the column becomes timestamp[ns].
    ignore_extra_fields: skips names that the spec does not have.
    threads: how many threads may read lines at a time. Default: as many as there are processors for this process. Documents are
        read by one.

    Raises ValueError, with file, line, column and path, for text that is not JSON, a column of several types, a name that an
    object has twice, an integer that does not fit in 64 bits, and rows that do not fit the spec; and for more or fewer objects
    than one if the spec has rank 0. Raises OSError for files that cannot be read, DecodeError for compressed files that are
    damaged, and for compressed and remote ones of more than 2 GiB.
    """
    path = None
    if isinstance(source, os.PathLike):
        path = os.fsdecode(source)
    elif isinstance(source, str) and _core._is_remote_path(source):
        path = source
    elif isinstance(source, (list, tuple)) and all(isinstance(text, str) for text in source):
        source = _lines_of(source)
        layout = "lines" if layout == "auto" else layout
    else:
        _check_source(source)
    text = source if path is None else _text_of_file(path)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    _options.check_integers(threads=threads)
    if isinstance(threads, int) and threads < 1:
        raise ValueError(f"threads={threads}: expected 1 or more")
    is_scalar = isinstance(spec, _core.StructuredTensorSpec) and spec.shape == ()
    if is_scalar:
        spec = spec.batch(None)
    try:
        rows, errors = _core._rows_of_json(text, spec, layout, on_error, infer_timestamps, ignore_extra_fields, threads)
    except ValueError as error:
        if path is not None and str(error).startswith("line "):
            raise ValueError(f"{_core._display_path(path)} {error}") from None
        if isinstance(source, str) and os.path.isfile(source):
            raise ValueError(f"{error}; to read the file of that name, pass pathlib.Path({source!r})") from error
        raise
    if errors:
        line, column, message = errors[0]
        where = "" if path is None else f"{_core._display_path(path)} "
        warnings.warn(
            f"{len(errors)} of {len(errors) + len(rows)} rows could not be read and are left out; the first: "
            f"{where}line {line}, column {column}: {message}",
            stacklevel=3,  # of the caller: the function is called by _signatures.with_parameters()
        )
    if is_scalar:
        if len(rows) != 1:
            raise ValueError(f"spec: a spec of rank 0 expects one object, found {len(rows)}")
        return rows[0]
    return rows
