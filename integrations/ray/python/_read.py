"""A data source for Ray Data. Each split of the scan is a read task that gives Arrow tables."""

import pyarrow as pa
import ray.data
import structtensor as st
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

_LARGEST_BATCH = 64 << 20


def _tables(split):
    """The rows of a split, as tables of some MB. A split without rows gives one empty table."""
    schema = pa.schema(split)
    found = False
    for batch in split.batches(batch_bytes=_LARGEST_BATCH):
        found = True
        yield pa.Table.from_batches([pa.record_batch(batch)])
    if not found:
        yield schema.empty_table()


class MessageDatasource(Datasource):
    """The files of a st.Scan. Long files are cut if they have an index."""

    def __init__(self, scan):
        super().__init__()
        if not isinstance(scan, st.Scan):
            raise TypeError(f"expected a scan from st.scan(), found {scan!r}")
        self._scan = scan

    def get_name(self):
        return "structtensor"

    def estimate_inmemory_data_size(self):
        """The stored bytes. The real size is unknown before the files are read, but columns are about as large as messages."""
        return self._scan._size_bytes()

    def get_read_tasks(self, parallelism, *_, **__):
        """parallelism: the largest number of tasks; -1 means one task for each file."""
        tasks = []
        for split in self._scan.splits(None if parallelism < 1 else parallelism):
            metadata = BlockMetadata(
                num_rows=None,
                size_bytes=split._size_bytes(),
                input_files=list(split._paths),
                exec_stats=None,
            )
            tasks.append(ReadTask(lambda split=split: _tables(split), metadata))
        return tasks


def read(paths, schema=None, *, override_num_blocks=None, concurrency=None, ray_remote_args=None, **options):
    """A Ray dataset with one row for each message.

    paths, schema, options            the arguments of st.scan(): proto, message, select, drop, where, rows, on_error, ...
    override_num_blocks, concurrency, ray_remote_args
                                      the arguments of ray.data.read_datasource()

    All workers must see the files and have structtensor. Raises the errors of st.scan() and Scan.splits().
    """
    source = MessageDatasource(st.scan(paths, schema, **options))
    return ray.data.read_datasource(
        source, override_num_blocks=override_num_blocks, concurrency=concurrency, ray_remote_args=ray_remote_args
    )
