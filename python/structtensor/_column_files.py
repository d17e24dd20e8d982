"""Parquet, Arrow and CSV files by pyarrow, for the bindings (src/column_files.cc). The command-line program reads and writes
these files by Arrow C++ instead."""

import base64
import io
import os

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv
    import pyarrow.parquet as pq
except ImportError as error:
    raise ImportError(f"Parquet, Arrow and CSV files need pyarrow: pip install pyarrow ({error})") from None

from . import _core

ID_KEY = b"PARQUET:field_id"


class _Rows:
    """A record batch as Arrow capsules, for pa.record_batch."""

    def __init__(self, capsules):
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema=None):
        return self._capsules


class _Schema:
    def __init__(self, capsule):
        self._capsule = capsule

    def __arrow_c_schema__(self):
        return self._capsule


def _type_with_ids(type_, ids):
    if pa.types.is_struct(type_):
        return pa.struct(_fields_with_ids([type_.field(i) for i in range(type_.num_fields)], ids))
    if pa.types.is_list(type_):
        return pa.list_(type_.value_field.with_type(_type_with_ids(type_.value_type, ids)))
    if pa.types.is_large_list(type_):
        return pa.large_list(type_.value_field.with_type(_type_with_ids(type_.value_type, ids)))
    if pa.types.is_map(type_):
        key, item = _fields_with_ids([type_.key_field, type_.item_field], ids)
        return pa.map_(key, item, keys_sorted=type_.keys_sorted)
    return type_


def _fields_with_ids(fields, ids):
    by_name = {name: (id_, inner) for name, id_, inner in ids}
    with_ids = []
    for field in fields:
        if field.name in by_name:
            id_, inner = by_name[field.name]
            if inner:
                field = field.with_type(_type_with_ids(field.type, inner))
            if id_ != 0:
                field = field.with_metadata({**(field.metadata or {}), ID_KEY: str(id_).encode()})
        with_ids.append(field)
    return with_ids


def _ids_of(fields):
    """[(name, number, ids of the fields inside it)] of the fields that have numbers, or contain fields that have."""
    ids = []
    for field in fields:
        type_ = field.type
        while pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_):
            type_ = type_.value_type
        inner = []
        if pa.types.is_struct(type_):
            inner = _ids_of([type_.field(i) for i in range(type_.num_fields)])
        elif pa.types.is_map(type_):
            inner = _ids_of([type_.key_field, type_.item_field])
        digits = (field.metadata or {}).get(ID_KEY, b"0")
        number = int(digits) if len(digits) <= 10 and digits.isdigit() else 0
        if number >= 2**31:
            number = 0
        if number != 0 or inner:
            ids.append((field.name, number, inner))
    return ids


def _csv_path(name):
    """The name as a field path writes it: quoted if it has a dot, so that a column "a.b" is not the field b of a message a."""
    if name.startswith("[") or not set(name) & {".", '"'}:
        return name
    escaped = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    quoted = "".join(escaped.get(c) or (f"\\x{ord(c):02x}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in name)
    return f'"{quoted}"'


def _csv_fields(fields, above=""):
    for field in fields:
        path = above + _csv_path(field.name)
        if pa.types.is_struct(field.type):
            yield from _csv_fields([field.type.field(i) for i in range(field.type.num_fields)], path + ".")
        elif pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type) or pa.types.is_duration(field.type):
            yield pa.field(path, pa.string())
        elif field.type.num_fields > 0:
            raise TypeError(
                f"CSV cannot hold the repeated field {path}: leave it out with --select or --drop, or write Parquet, "
                "Arrow or JSON lines"
            )
        else:
            yield field.with_name(path)


_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}  # digits after the point, by the unit


def _duration_text(value, digits):
    """The text of a duration, such as 1.5s, as csv_columns.cc writes it: a number would not say its unit."""
    seconds, fraction = divmod(abs(value), 10**digits)
    decimals = f".{fraction:0{digits}d}".rstrip("0") if fraction else ""
    return f"{'-' * (value < 0)}{seconds}{decimals}s"


def _csv_columns(arrays):
    for array in arrays:
        if pa.types.is_struct(array.type):
            yield from _csv_columns(array.flatten())
        elif pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
            strings = [None if value is None else base64.b64encode(value).decode() for value in array.to_pylist()]
            yield pa.array(strings, pa.string())
        elif pa.types.is_duration(array.type):
            digits = _DIGITS[array.type.unit]
            numbers = array.view(pa.int64()).to_pylist()  # Python's timedelta has no nanoseconds
            yield pa.array([None if number is None else _duration_text(number, digits) for number in numbers], pa.string())
        else:
            yield array


def _codec(format_, compression, level):
    """pyarrow's name of the compression, or None. file_format.cc has checked that files of the format can have it."""
    if compression == "default":
        if format_ == "csv":
            return None
        if level is None and not pa.Codec.is_available("zstd"):
            return "snappy" if format_ == "parquet" else None
        compression = "zstd"
    if compression == "none":
        return None
    if not pa.Codec.is_available(compression):
        raise NotImplementedError(f"this pyarrow was built without {compression} compression; choose another, or none")
    return compression


_METADATA_BYTES = 4000  # about what pyarrow keeps of a column of a row group until the file ends


def _number_of_leaves(type_):
    while pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_):
        type_ = type_.value_type
    if pa.types.is_struct(type_):
        return sum(_number_of_leaves(field.type) for field in type_)
    if pa.types.is_map(type_):
        return _number_of_leaves(type_.key_type) + _number_of_leaves(type_.item_type)
    return 1


class Writer:
    """Writes one file. Batches of a Parquet file are gathered into row groups."""

    def __init__(self, format_, output, schema, metadata, ids, compression, level, max_group_rows, max_group_bytes, threads):
        columns = pa.schema(_Schema(schema))
        self._format = format_
        self._schema = pa.schema(_fields_with_ids(columns, ids), metadata or None)
        self._max_group_rows = max_group_rows
        self._max_group_bytes = max_group_bytes
        self._group = []
        self._group_rows = 0
        self.buffered_bytes = 0
        self.retained_bytes = 0
        codec = _codec(format_, compression, level)
        if format_ == "parquet":
            options = {"compression": codec or "none", "compression_level": level, "version": "2.6"}
            self._writer = pq.ParquetWriter(output, self._schema, **options)
            self._group_metadata_bytes = _METADATA_BYTES * sum(_number_of_leaves(field.type) for field in self._schema)
        elif format_ == "csv":
            self._schema = pa.schema(list(_csv_fields(columns)))
            self._writer = pa.csv.CSVWriter(output, self._schema)
        else:
            codec = codec and pa.Codec(codec, compression_level=level)
            # The threads are those of pyarrow's pool, whatever their number.
            options = pa.ipc.IpcWriteOptions(compression=codec, use_threads=threads > 1, emit_dictionary_deltas=True)
            new = pa.ipc.new_file if format_ == "arrow" else pa.ipc.new_stream
            self._writer = new(output, self._schema, options=options)

    def write(self, capsules):
        batch = pa.record_batch(_Rows(capsules))
        columns = batch.columns
        if self._format == "csv":
            columns = list(_csv_columns(columns))
        rows = pa.RecordBatch.from_arrays(columns, schema=self._schema)
        if self._format != "parquet":
            self._writer.write_batch(rows)
            return
        begin = 0
        while begin < rows.num_rows:
            count = min(rows.num_rows - begin, self._max_group_rows - self._group_rows)
            self._group.append(rows.slice(begin, count))
            self._group_rows += count
            begin += count
            if self._group_rows == self._max_group_rows:
                self.flush()
        if self._group:
            self.buffered_bytes += rows.nbytes
            if self.buffered_bytes >= self._max_group_bytes:
                self.flush()

    def flush(self):
        """Ends the row group."""
        if self._group:
            group = pa.Table.from_batches(self._group, self._schema)
            self._writer.write_table(group, row_group_size=group.num_rows)
            self.retained_bytes += self._group_metadata_bytes
        self._group = []
        self._group_rows = 0
        self.buffered_bytes = 0

    def close(self):
        self.flush()
        self._writer.close()


def _remote_source(path):
    from . import _remote_files  # needs a pyarrow that has remote file systems

    return _remote_files.open_file(*_core._split_remote_path(path))


_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "BYTE_ARRAY": 4}  # others: 8. For strings, this is the offset


def _memory_bytes(chunk, column):
    """About how many bytes the values of a column chunk take in memory, as MemoryBytesOf() of column_file_reader.cc."""
    values = max(chunk.num_values, 0)
    width = column.length if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else _WIDTHS.get(column.physical_type, 8)
    level_bytes = 2 * (column.max_definition_level > 0) + 2 * (column.max_repetition_level > 0)
    return float(max(values * width, chunk.total_uncompressed_size) + values * level_bytes)


_PROBED_ROWS = 64


def _own_bytes(batch):
    """The bytes of a batch, without dictionaries, which batches share."""
    return sum(buffer.size for column in batch.columns for buffer in column.buffers() if buffer is not None)


def _chunks_of_strings(footer):
    """The column chunks of strings and bytes."""
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        for j in range(group.num_columns):
            if footer.schema.column(j).physical_type == "BYTE_ARRAY":
                yield group.column(j)


def _longest_text(array):
    """The size of the longest string in the dictionaries of an array. None if a dictionary is empty: if all strings so far are
    absent, the reader has not read its page."""
    if pa.types.is_dictionary(array.type):
        return pc.max(pc.binary_length(array.dictionary)).as_py()
    if pa.types.is_struct(array.type):
        inner = [array.field(i) for i in range(array.type.num_fields)]
    elif pa.types.is_map(array.type):
        inner = [array.keys, array.items]
    else:
        inner = [array.values] if array.type.num_fields == 1 else []
    longest = [_longest_text(each) for each in inner]
    return None if None in longest else max(longest, default=0)


def _strings_in_dictionaries(footer):
    """The paths of the columns whose pages refer to strings in a dictionary."""
    return sorted({chunk.path_in_schema for chunk in _chunks_of_strings(footer) if chunk.has_dictionary_page})


def _repeats_prefixes(group):
    """Whether strings are stored without the prefix, perhaps long, that they share with the previous string."""
    return any("DELTA_BYTE_ARRAY" in group.column(i).encodings for i in range(group.num_columns))


def _check_row_counts(footer):
    counts = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
    schema = footer.schema
    flat_column = next((i for i in range(len(schema)) if schema.column(i).max_repetition_level == 0), None)
    for i, rows in enumerate(counts):
        if rows < 0:
            raise pa.ArrowInvalid(f"its footer says that row group {i} has {rows} rows")
        if flat_column is None:
            continue
        values = footer.row_group(i).column(flat_column).num_values
        if values != rows:
            name = schema.column(flat_column).path
            raise pa.ArrowInvalid(
                f"its footer says that row group {i} has {rows} rows, and its column {name} has {values} values"
            )
    if sum(counts) != footer.num_rows:
        raise pa.ArrowInvalid(
            f"its footer says that the file has {footer.num_rows} rows, and its row groups together {sum(counts)}"
        )


class _ParquetBatches:
    """Batches of a few rows, one row group after the other, as ParquetSource of column_file_reader.cc.

    A page of a few bytes may refer to a long string of a dictionary many times. So a group that has long strings in
    dictionaries is read as dictionaries, whose rows the bindings read within max_memory_bytes. Other groups are not, because it
    would take longer.
    """

    def __init__(self, file, file_of_dictionaries, strings, max_memory_bytes):
        self._plain = self._file = file
        self._file_of_dictionaries = file_of_dictionaries
        self._strings = strings  # paths of the columns that file_of_dictionaries reads as dictionaries
        self._read_size = _core._ReadSize(max_memory_bytes)
        self._group = 0
        self._batches = None
        self._rows = 0  # of the group, read so far
        self._most_rows = None  # of the next batch; None: no limit
        _check_row_counts(file.metadata)

    def _begin_group(self, group, max_rows):
        footer = self._plain.metadata
        chunks = [group.column(i) for i in range(group.num_columns)]
        size = sum(_memory_bytes(chunk, footer.schema.column(i)) for i, chunk in enumerate(chunks))
        self._read_size.begin_group(group.num_rows, size)
        # The sizes of such strings are known only after they are read, so the first batches are small.
        self._most_rows = 1 if _repeats_prefixes(group) else None
        self._file = self._plain
        values = sum(max(chunk.num_values, 0) for chunk in chunks if chunk.path_in_schema in self._strings)
        if values == 0:
            return
        rows = self._next_rows(max_rows)
        file = self._file_of_dictionaries
        probe = next(file.iter_batches(min(rows, _PROBED_ROWS), row_groups=[self._group], columns=self._strings), None)
        longest = None if probe is None else [_longest_text(column) for column in probe.columns]
        if longest is not None and None not in longest:
            self._read_size.begin_group(group.num_rows, size + float(values) * max(longest))
            if self._next_rows(max_rows) == rows:
                return
        self._read_size.begin_group(group.num_rows, size)
        self._file = file

    def _next_rows(self, max_rows):
        return self._read_size.rows(max_rows if self._most_rows is None else min(max_rows, self._most_rows))

    def next(self, max_rows):
        footer = self._plain.metadata
        while self._group < footer.num_row_groups:
            group = footer.row_group(self._group)
            if self._batches is None:
                self._begin_group(group, max_rows)
                self._batches = self._file.iter_batches(self._next_rows(max_rows), row_groups=[self._group])
            self._file.reader.set_batch_size(self._next_rows(max_rows))
            batch = next(self._batches, None)
            if batch is not None:
                self._rows += batch.num_rows
                if self._most_rows is not None:
                    self._most_rows = 2 * batch.num_rows
                self._read_size.took(batch.num_rows, _own_bytes(batch))
                return batch
            if self._rows != group.num_rows:
                raise pa.ArrowInvalid(f"row group {self._group} has {self._rows} rows, and the footer says {group.num_rows}")
            self._group += 1
            self._batches = None
            self._rows = 0
        return None


class Reader:
    """Reads one file, batch after batch."""

    def __init__(self, path, format_, max_memory_bytes):
        remote = _core._is_remote_path(path)
        # A Python file: pyarrow would expand "~" in a path, and takes only paths that are UTF-8.
        # __del__ closes it.
        self._source = source = _remote_source(path) if remote else open(os.fsencode(path), "rb")  # noqa: SIM115
        self._batch = None
        self._batches = None
        self._parquet = None
        if format_ == "parquet":
            # The buffer of one column. Each piece of a remote file is a request, so remote files have larger buffers.
            options = {"pre_buffer": False, "buffer_size": 1 << (20 if remote else 16)}
            file = pq.ParquetFile(source, **options)
            self._schema = file.schema_arrow
            strings = _strings_in_dictionaries(file.metadata)
            of_dictionaries = None
            if strings:
                of_dictionaries = pq.ParquetFile(source, metadata=file.metadata, read_dictionary=strings, **options)
            self._parquet = _ParquetBatches(file, of_dictionaries, strings, max_memory_bytes)
            self._rows = file.metadata.num_rows
        elif format_ == "arrow":
            file = pa.ipc.open_file(source)
            self._schema = file.schema
            self._batches = (file.get_batch(i) for i in range(file.num_record_batches))
            self._rows = None
        else:
            file = pa.ipc.open_stream(source)
            self._schema = file.schema
            self._batches = iter(file)
            self._rows = None

    def __del__(self):
        if hasattr(self, "_source"):
            self._source.close()

    def next(self, max_rows):
        """Reads the next batch and returns its number of rows, or None at the end. max_rows: of a batch of Parquet."""
        self._batch = None
        batch = next(self._batches, None) if self._parquet is None else self._parquet.next(max_rows)
        if batch is None:
            return None
        batch.validate()  # buffers of a damaged file may be too short
        self._batch = batch
        return batch.num_rows

    def rows(self, begin, end):
        """Rows of the batch that was read last."""
        return self._batch.slice(begin, end - begin)

    def empty(self):
        # Not pa.array([]), which imports pandas if it is installed.
        return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in self._schema], schema=self._schema)

    def metadata(self, key):
        return (self._schema.metadata or {}).get(key)

    def ids(self):
        return _ids_of(self._schema)

    def count_rows(self):
        """Call this instead of next(), not after it."""
        return sum(batch.num_rows for batch in self._batches) if self._rows is None else self._rows


def parquet_schema_text(schema, ids):
    file = io.BytesIO()
    with pq.ParquetWriter(file, pa.schema(_fields_with_ids(pa.schema(_Schema(schema)), ids))):
        pass
    # The first line has the address of the object.
    return str(pq.ParquetFile(file).schema).split("\n", 1)[1]
