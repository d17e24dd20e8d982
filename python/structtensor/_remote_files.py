"""Objects of S3 and Google Cloud Storage by pyarrow, for the bindings (src/remote_files.cc). The command-line program reaches
them by Arrow C++ instead. All paths here begin with s3:// or gs://, and may have pyarrow's options after a '?'."""

import os
import threading

try:
    import pyarrow as pa
    import pyarrow.fs
except ImportError as error:
    raise ImportError(f"s3:// and gs:// paths need pyarrow: pip install pyarrow ({error})") from None

from . import _core

_GCS_RETRIES = "retry_limit_seconds=10"  # instead of 15 minutes
_BLOCK_BYTES = 8 << 20
_BLOCKS_UNDER_WAY = 8

_lock = threading.Lock()
_file_systems = {}  # by bucket and options; to make one may need the network


def _located(bucket, key, options):
    """The file system, and the path in it. `bucket` starts with the scheme, and may have the user."""
    uri = bucket + options
    if uri.startswith("gs:") and "retry_limit_seconds" not in options:
        uri += ("&" if options else "?") + _GCS_RETRIES
    with _lock:
        if uri not in _file_systems:
            if not hasattr(pa.fs, "S3FileSystem" if uri.startswith("s3:") else "GcsFileSystem"):
                raise NotImplementedError(f"this pyarrow was built without {'S3' if uri.startswith('s3:') else 'GCS'}")
            _file_systems[uri] = pa.fs.FileSystem.from_uri(uri)[0]
        name = bucket.partition("://")[2].rpartition("@")[2]
        return _file_systems[uri], f"{name}/{key}" if key else name


def _entry(info):
    folder = info.type == pa.fs.FileType.Directory
    return info.path.partition("/")[2], folder, 0 if folder else info.size


def find(*location):
    """(key, whether it is a folder, size), or None if nothing is there."""
    files, path = _located(*location)
    info = files.get_file_info(path)
    return None if info.type == pa.fs.FileType.NotFound else _entry(info)


def list_folder(*location):
    files, path = _located(*location)
    return [_entry(info) for info in files.get_file_info(pa.fs.FileSelector(path))]


def open_file(*location):
    files, path = _located(*location)
    return files.open_input_file(path)


def remove(*location):
    files, path = _located(*location)
    files.delete_file(path)


def upload(fd, size_bytes, is_cancelled, *location):
    """Makes a remote file from the first size_bytes bytes that a file descriptor gives. False if it was cancelled."""
    files, path = _located(*location)
    stream = files.open_output_stream(path, compression=None)
    complete = False
    try:
        begin = blocks = 0
        while begin < size_bytes:
            if is_cancelled():
                return False
            block = os.pread(fd, min(_BLOCK_BYTES, size_bytes - begin), begin)
            if not block:
                raise OSError("the temporary file is shorter than it was")
            stream.write(block)
            begin += len(block)
            blocks += 1
            if blocks % _BLOCKS_UNDER_WAY == 0:
                stream.flush()
        stream.close()
        complete = True
    finally:
        if not complete:
            # If the stream were freed, pyarrow would end the file as if it were complete.
            _core._keep_for_good(stream)
    return True
