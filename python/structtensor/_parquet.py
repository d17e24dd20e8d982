"""Parquet files and Arrow tables, by pyarrow. pyarrow is imported at the first use."""

import os

from . import _core
from . import _signatures
from ._arrow import from_arrow
from ._errors import check_rows


def _leaves(field, path=()):
    """The paths of a column's leaves, in the order of the file. The parts of maps are named `key` and `value`."""
    import pyarrow.types as types

    def inside(type_, path):
        if types.is_map(type_):
            yield from inside(type_.key_type, (*path, "key"))
            yield from inside(type_.item_type, (*path, "value"))
        elif types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
            yield from inside(type_.value_type, path)
        elif types.is_struct(type_):
            for i in range(type_.num_fields):
                yield from _leaves(type_.field(i), path)
        else:
            yield path

    yield from inside(field.type, (*path, field.name))


def _chosen(file, columns):
    """pyarrow's names of the leaves at or below the paths `columns`."""
    leaves = [path for field in file.schema_arrow for path in _leaves(field)]
    schema = file.metadata.schema
    names = [schema.column(i).path for i in range(file.metadata.num_columns)]
    if len(leaves) != len(names):
        raise NotImplementedError("columns: the file has types whose columns cannot be distinguished; read all of it")
    chosen = set()
    for column in columns:
        path = tuple(_core._path_names(column))
        found = [name for name, leaf in zip(names, leaves) if leaf[: len(path)] == path]
        if not found:
            near = ", ".join(sorted({".".join(leaf) for leaf in leaves})[:10])
            raise KeyError(f"columns: the file has no field {'.'.join(path)}; it has {near}")
        chosen.update(found)
    return [name for name in names if name in chosen]


def _read(source, columns):
    import pyarrow.parquet as pq

    if isinstance(source, (str, os.PathLike)) and _core._is_remote_path(os.fspath(source)):
        import pyarrow.fs

        filesystem, path = pyarrow.fs.FileSystem.from_uri(os.fspath(source))
        file = pq.ParquetFile(filesystem.open_input_file(path))
    elif isinstance(source, (str, bytes, os.PathLike)) or hasattr(source, "read"):
        file = pq.ParquetFile(source)
    else:
        raise TypeError(f"source: expected a path, a file object or a list of these, found {type(source).__name__}")
    with file:
        return file.read(columns=None if columns is None else _chosen(file, columns))


@_signatures.public
def from_parquet(source, columns=None):
    """The rows of a Parquet file, as a StructuredTensor: from_parquet("spans.parquet", columns=["name", "attributes.key"]).

    source: a path (s3:// and gs://, too), a file object, or a list of these. The rows of a list follow each other.
    columns: field paths. Only these fields and the fields inside them are read. Default: all.

    Needs pyarrow. Raises KeyError for a path that the file does not have, ValueError (pyarrow's ArrowInvalid) for a file that
    is not a Parquet file, OSError for a file that cannot be read, and the errors of from_arrow().
    """
    import pyarrow

    if isinstance(columns, str):
        columns = [columns]
    sources = source if isinstance(source, (list, tuple)) else [source]
    if not sources:
        raise ValueError("source: there are no files")
    tables = [_read(each, columns) for each in sources]
    return from_arrow(tables[0] if len(tables) == 1 else pyarrow.concat_tables(tables))


def to_parquet(self, path, **options):
    """Writes the rows as a Parquet file. from_parquet() reads the file with the same spec.

    path: a path, or a file object. options: options of pyarrow.parquet.write_table, such as compression="zstd" and
    compression_level=9. Without them, pyarrow compresses with snappy.
    """
    import pyarrow.parquet as pq

    if not isinstance(path, (str, bytes, os.PathLike)) and not hasattr(path, "write"):
        raise TypeError(f"path: expected a path or a file object, found {type(path).__name__}")
    pq.write_table(to_arrow(self), path, **options)


def to_arrow(self):
    """The rows as a pyarrow.Table. Numbers, strings and row splits are shared. The same as pyarrow.table(rows)."""
    import pyarrow

    check_rows(self, "to_arrow", ", and StructuredTensor.from_fields({'structs': structs}) makes them a column of lists")
    return pyarrow.table(self)


def array_to_arrow(self):
    """The values as a pyarrow.Array. Numbers, strings and row splits are shared. The same as pyarrow.array(values)."""
    import pyarrow

    return pyarrow.array(self)
