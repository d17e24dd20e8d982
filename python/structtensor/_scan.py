"""Files of messages."""

import collections
import itertools
import os
import sys

from . import _core
from . import _file_parts
from . import _options
from . import _pickle
from . import _signatures
from ._schema import as_schema, from_proto, with_defaults


def _sizes_in(path, files):
    """The sizes in bytes of the files that the path matches."""
    if _core._is_remote_path(path):
        return _remote_sizes(files)
    return [os.stat(file).st_size for file in files]


def _remote_sizes(files):
    """The sizes of objects. If a folder has several of them, it is listed: one request for 1,000 objects, not one for each."""
    places = [_core._split_remote_path(file) for file in files]
    folders = collections.Counter(_folder_of(place) for place in places)
    known = {}
    for folder, count in folders.items():
        if count > 1:
            from . import _remote_files  # needs pyarrow

            bucket, parent, options = folder
            for key, is_folder, size in _remote_files.list_folder(bucket, parent, options):
                if not is_folder:
                    known[bucket, key, options] = size
    return [known[place] if place in known else _core._begin_of_remote(file, 0)[0] for file, place in zip(files, places)]


def _folder_of(place):
    bucket, key, options = place
    return bucket, key.rpartition("/")[0], options


def _refuse_column_files(paths):
    """Raises ValueError for Parquet and Arrow files, which would be read as damaged messages."""
    for path in paths:
        if _core._is_remote_path(path):
            try:
                begin = _core._begin_of_remote(path, 6)[1]
            except (OSError, ValueError):  # a folder or a pattern, or an error that the scan explains better
                continue
        elif not os.path.isfile(path):  # a pipe can be read only once
            continue
        else:
            with open(path, "rb") as file:
                begin = file.read(6)
        if begin.startswith(b"PAR1") or begin == b"ARROW1":
            kind, advice = "an Arrow", "st.from_arrow(pyarrow.feather.read_table(path))"
            if begin[:1] == b"P":
                kind, advice = "a Parquet", "st.from_parquet(path)"
            raise ValueError(f"{_core._display_path(path)}: {kind} file, whose rows are not messages; {advice} reads it")


def _patterns_of(arguments):
    """The patterns of select("a", "b") or select(["a", "b"])."""
    one = arguments[0] if len(arguments) == 1 else None
    return list(one if isinstance(one, (list, tuple)) else arguments)


# Beside those of decoders.
_OWN_OPTIONS = ("rows", "format", "confluent", "on_damaged_file", "skip", "limit")
_IN_MEMORY = "messages in memory are decoded by schema.decoder().decode(messages, format=...)"


def _paths_of(paths):
    """The paths as a list of strings. Raises TypeError for objects that are clearly not paths, such as messages."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    elif hasattr(paths, "read"):
        raise TypeError(f"paths: expected a path, or several, found an open file; pass its name, file.name ({_IN_MEMORY})")
    elif not hasattr(paths, "__iter__"):
        raise TypeError(f"paths: expected a path, or several, found {type(paths).__name__}")
    return [_path_of(path) for path in paths]


def _path_of(path):
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"paths: expected str, bytes or os.PathLike, found {type(path).__name__}")
    path = os.fsdecode(path)
    # Names of files may have control characters, but hardly any has.
    if not path.isprintable() and ("\0" in path or (any(c < " " for c in path) and not os.path.lexists(path))):
        raise TypeError(f"paths: {path[:20]!r}... is not a path; {_IN_MEMORY}")
    return path


@_signatures.check_calls
class Scan:
    """Files of messages to read. Nothing is read before batches(), read() or an Arrow consumer asks for it.

    A Scan does not change: select(), drop() and where() return new scans. Each reading starts at the beginning. Arguments are
    checked at once, with the errors of Schema.decoder(). Whether the files exist is found out by the reading.
    """

    _rows = None
    _confluent = False
    _on_damaged_file = "fail"
    _parts = {}  # by the index of a file: the part of it that is read, in the form of _core._start_scan

    @_options.with_options
    def __init__(
        self,
        paths,
        schema,
        message=None,
        *,
        rows=None,
        format=None,
        confluent=False,
        skip=0,
        limit=None,
        on_damaged_file="fail",
        **options,
    ):
        _options.check(options, (*_OWN_OPTIONS, "message"))
        self._paths = _paths_of(paths)
        self._schema = as_schema(schema)
        self._message = message
        self._where = options.pop("where", None)
        self._rows = rows
        self._format = format
        if not isinstance(confluent, bool):
            raise TypeError(f"confluent: expected True or False, found {confluent!r}")
        self._confluent = confluent
        if confluent and message is None and self._schema.message is None:
            # One type for all splits, and for all readings.
            self._message = _core._confluent_message(self._paths, self._schema, format)
        self._skip = 0 if skip is None else skip
        self._limit = limit
        self._on_damaged_file = on_damaged_file
        self._options = with_defaults(self._schema, options)
        self._check()

    def _check(self):
        """Raises the errors of wrong arguments, which would come with the first reading otherwise. Opens no files."""
        self._start_on(["-"])  # a file, and so standard input, is opened when the first batch is wanted

    def _with(self, where=None, **options):
        other = Scan.__new__(Scan)
        other.__dict__.update(self.__dict__)
        other._where = self._where if where is None else where
        other._options = {**self._options, **options}
        other._check()
        return other

    def select(self, *patterns):
        """Reads only these fields. A pattern is a path, with `*` for any name, and regular expressions between slashes.

        The patterns may be one list. They replace those of an earlier select(); what drop() leaves out stays out.
        Raises KeyError for a field that does not exist, ValueError if there is no pattern.
        """
        patterns = _patterns_of(patterns)
        if not patterns:
            raise ValueError("select: there is no pattern; expected one or more fields")
        return self._with(select=patterns)

    def drop(self, *patterns):
        """Leaves these fields out, selected or not, beside those that are left out already. The patterns may be one list.

        Raises KeyError for a field that does not exist, ValueError if no field is left.
        """
        known = self._options.get("drop") or []
        return self._with(drop=[*([known] if isinstance(known, str) else known), *_patterns_of(patterns)])

    def where(self, condition):
        """Reads only rows for which the condition is true. It is written as in SQL. Several conditions must all be true."""
        if not isinstance(condition, str):
            raise TypeError(f"where: expected a condition as text, found {condition!r}")
        return self._with(where=condition if self._where is None else f"({self._where}) AND ({condition})")

    def batches(self, batch_size=None, batch_bytes=None, dead_letters=None):
        """Reads the files. Returns an iterator over batches.

        batch_size, batch_bytes: the largest number of messages in a batch, and of their bytes.
        dead_letters: the path of a file that gets the messages that were left out, as they were read. Another file beside it,
        whose name has ".jsonl" added, has the error of each message (docs/formats.md). The files are complete when the iterator
        is at its end. They replace existing files.

        The iterator has `errors`, `dropped_values`, `inexact_times` and `damaged_files`, as a Batch has them, of everything
        read so far, also after the last batch. Each damaged file also is a RuntimeWarning. If warnings are errors, the iterator
        raises it first, and returns the batch when it is called again.
        """
        return self._start(batch_size, batch_bytes, None if dead_letters is None else os.fspath(dead_letters))

    def read(self):
        """Reads the files into one batch."""
        return self._start(None, 64 << 20).read_all()

    def splits(self, count=None, *, index="use"):
        """Scans that each read some of the files. One after another, they give the rows of this scan, in order.

        count: the largest number of scans. Each has about as many bytes. There are fewer if the files cannot be cut into as
            many parts: eight compressed files are eight scans at most. Default: one scan for each file.
        index: which files are cut. Files are cut only if there is a count, and only if a file has more than a fifth of the
            bytes of a split, and not with on_damaged_file="skip". "use": files with an index beside them, which `structtensor
            index` writes. "make": the other files, too; this call looks through them for the lengths of their records.
            Compressed files and files in text formats stay whole. None: no files.

        A split of a part of a file has the row numbers, positions of errors and dead letters of the whole file. Splits can be
        pickled, and read by other processes and machines that see the same files. `max_errors` counts for each split.

        Raises ValueError for a scan of standard input, for a scan with skip or limit, which count the messages of all files
        together, and for an index that does not fit its file. Raises FileNotFoundError for files that do not exist.
        """
        if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
            raise TypeError(f"count: expected an integer or None, found {count!r}")
        if count is not None and count < 1:
            raise ValueError(f"count={count}: expected 1 or more")
        if index not in ("use", "make", None):
            raise ValueError(f'index={index!r}: expected "use", "make" or None')
        if self._skip or self._limit is not None:
            raise ValueError("skip and limit count the messages of all files together; a scan with one of them has no splits")
        if "-" in self._paths:
            raise ValueError('standard input ("-") can be read by one process only; a scan of it has no splits')
        files, sizes = self._list_files(count is not None)
        if not files:
            raise ValueError("paths: expected at least one file")
        if count is None:
            return [self._of_files(files[i : i + 1], self._parts_in(i, i + 1)) for i in range(len(files))]
        count = min(count, sys.maxsize)  # no list can be longer
        pieces = _file_parts.Pieces(sizes, self._parts, count, self._marks_of(files, index))
        splits = []
        for begin, end in itertools.pairwise(_file_parts.cut(pieces.sizes.tolist(), count)):
            first, last, parts = pieces.between(begin, end)
            splits.append(self._of_files(files[first:last], parts))
        return splits

    def _list_files(self, with_sizes=True):
        """Returns all files, and their sizes in bytes unless they are not wanted. If only a part of a file is read, its size is
        the size of the part. Raises FileNotFoundError for a path that does not exist.
        """
        files, sizes = [], []
        for path in self._paths:
            found = _core._expand_paths([path])
            files += found
            if with_sizes:
                sizes += _sizes_in(path, found)
            elif found == [path] and not _core._is_remote_path(path):
                os.stat(path)
        if with_sizes:
            for i, part in self._parts.items():
                sizes[i] = _file_parts.size_of(part)
        return files, sizes

    def _of_files(self, files, parts):
        piece = Scan.__new__(Scan)
        piece.__dict__.update(self.__dict__)
        piece._paths = files
        piece._parts = parts
        return piece

    def _parts_in(self, first, last):
        return {i - first: part for i, part in self._parts.items() if first <= i < last}

    def _marks_of(self, files, index):
        """A function from a file of the list to the places where it can be cut, or to None."""

        def marks_of(i):
            if index is None or self._on_damaged_file == "skip":
                return None
            marks = _core._record_marks(files[i], self._format, None)
            if marks is None and index == "make":
                marks = _file_parts.look_through(files[i], self._format)
            return marks

        return marks_of

    def _size_bytes(self):
        """The stored bytes of all files, or of the parts that are read."""
        return sum(self._list_files()[1])

    def __iter__(self):
        return self.batches()

    @property
    def spec(self):
        """The spec of all batches."""
        return self._start().spec

    def _start(self, batch_size=None, batch_bytes=None, dead_letters=None):
        paths = self._paths
        _refuse_column_files(paths)
        return self._start_on(paths, batch_size, batch_bytes, dead_letters, self._parts)

    def _start_on(self, paths, batch_size=None, batch_bytes=None, dead_letters=None, parts=None):
        _options.check_integers(batch_size=batch_size, batch_bytes=batch_bytes, skip=self._skip, limit=self._limit)
        arguments = {
            **_options.library_names(self._options),
            "where": self._where,
            "rows": self._rows,
            "format": self._format,
            "confluent_headers": self._confluent,
            "on_damaged_file": self._on_damaged_file,
            "skip": self._skip,
            "limit": self._limit,
            "dead_letters": dead_letters,
        }
        arguments |= {} if batch_size is None else {"batch_size": batch_size}
        arguments |= {} if batch_bytes is None else {"batch_bytes": batch_bytes}
        return _core._start_scan(paths, self._schema, self._message, arguments, parts or {})

    def __arrow_c_schema__(self):
        return self._start()._arrow_schema()

    def __arrow_c_stream__(self, requested_schema=None):
        return self._start()._arrow_stream()

    def __reduce_ex__(self, protocol):
        return load_scan, (_pickle.FORMAT, self.__dict__)

    def __repr__(self):
        paths = self._paths[0] if len(self._paths) == 1 else f"{len(self._paths)} paths"
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        where = "" if self._where is None else f", where={self._where!r}"
        parts = f", parts of {len(self._parts)}" if self._parts else ""
        return f"Scan({paths!r}{parts}{where}{options})"


def load_scan(version, state):
    """The function that pickles of scans name."""
    _pickle.check(version)
    scan = Scan.__new__(Scan)
    scan.__dict__.update(state)
    return scan


def _schema_of(paths, schema, proto, import_dirs, message):
    if schema is None and proto is None:
        if isinstance(paths, (str, os.PathLike)) and os.fsdecode(paths).endswith(".parquet"):
            path = os.fsdecode(paths)
            raise TypeError(f"{path} is a file of columns: st.from_parquet() reads it. Messages need schema= or proto=")
        raise TypeError("no schema: give schema= or proto=")
    if schema is not None and proto is not None:
        raise TypeError("give schema= or proto=, and not both")
    if proto is not None:
        return from_proto(proto, import_dirs, message)
    if import_dirs is not None:
        raise TypeError("import_dirs= needs proto=")
    return as_schema(schema)


@_signatures.public
@_options.with_options
def scan(
    paths,
    schema=None,
    *,
    proto=None,
    import_dirs=None,
    message=None,
    rows=None,
    format=None,
    confluent=False,
    skip=0,
    limit=None,
    on_damaged_file="fail",
    **options,
):
    _options.check(options, (*_OWN_OPTIONS, "message", "import_dirs", "proto"))
    return Scan(
        paths,
        _schema_of(paths, schema, proto, import_dirs, message),
        message,
        rows=rows,
        format=format,
        confluent=confluent,
        skip=skip,
        limit=limit,
        on_damaged_file=on_damaged_file,
        **options,
    )


@_signatures.public
@_signatures.with_signature_of(scan)
def read(paths, schema=None, *, proto=None, **options):
    return scan(paths, schema, proto=proto, **options).read()


_ARGUMENTS = {
    "paths": 'A path, or several. A folder means the files in it, "in/*.pb" the files that fit, "-" standard input. s3:// and '
    "gs:// paths need pyarrow",
    "schema": "A Schema, or a class that protoc has generated for Python",
    "proto": "A .proto file, or several, instead of a schema",
    "import_dirs": "The folders where imports of .proto files are looked for. Default: the current one and those of the files",
    "message": "The message type. Not needed if the schema has only one",
    **_options.lines_of(_OWN_OPTIONS),
    **_options.OF_DECODERS,
}

scan.__doc__ = f"""Files of messages, which are read in batches: for batch in st.scan("spans.pb", schema): ...

{_options.lines(_ARGUMENTS)}

See docs/options.md for details. Returns a Scan, which reads nothing yet; its arguments are checked at once.
Raises TypeError and ValueError for wrong arguments, KeyError for message types and fields that do not exist."""

read.__doc__ = f"""Reads the messages of files into one batch: st.read("spans.pb", proto="trace.proto", message="Span").

{_options.lines(_ARGUMENTS)}

See docs/options.md for details. Raises FileNotFoundError for files that do not exist, DecodeError for broken
messages and damaged files unless on_error and on_damaged_file say otherwise, MemoryError for batches beyond the limits, and the
errors of scan()."""
