"""Reads a growing folder. An offset has the names of the files that have been read, so each file is read once, whenever it
appears.

While a file is being written, its name must begin with "." or "_". It is renamed when it is complete. When files are removed
from the folder, their names are removed from the offset, too.
"""

import inspect
import os

from pyspark.sql.datasource import DataSourceStreamReader
from structtensor import _core

from . import _options
from ._reader import Reader, ScanPartition


class StreamReader(DataSourceStreamReader):
    def __init__(self, scan, schema, options):
        if len(scan._paths) != 1 or "://" in scan._paths[0]:
            raise ValueError("a stream reads one folder, which the driver and all executors see; give one path to load()")
        self._folder = scan._paths[0]
        self._scan = scan
        self._most = _options.number_of("max_files", options["max_files"], 1) if "max_files" in options else None
        if self._most is not None and "limit" not in inspect.signature(DataSourceStreamReader.latestOffset).parameters:
            raise ValueError("option max_files: needs Spark 4.2 or later, found an earlier version")
        self._tables = Reader(scan, schema, options)

    def _files(self):
        """The oldest file first."""
        found = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name[0] not in "._" and not _core._is_temporary_name(entry.name) and entry.is_file():
                    found.append((entry.stat().st_mtime_ns, entry.name))
        return [name for _, name in sorted(found)]

    def initialOffset(self):
        return {"files": []}

    # Spark 4.2 and later pass the start offset.
    def latestOffset(self, start=None, limit=None):
        files = self._files()
        read = set(start["files"]) if start is not None else set()
        new = [name for name in files if name not in read]
        if start is None:
            return {"files": sorted(new)}
        if self._most is not None:
            new = new[: self._most]
        if not new:
            return start
        return {"files": sorted(read.intersection(files).union(new))}

    def partitions(self, start, end):
        read = set(start["files"])
        names = [name for name in end["files"] if name not in read]
        if not names:
            return []
        scan = self._scan._of_files([os.path.join(self._folder, name) for name in names], {})
        return [ScanPartition(split) for split in scan.splits(self._tables._count)]

    def read(self, partition):
        return self._tables.read(partition)

    def commit(self, end):
        pass

    def stop(self):
        pass
