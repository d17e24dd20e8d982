"""The command `structtensor` of the package."""

import ctypes
import importlib.util
import os
import shutil
import signal
import sys

from . import _core

_DUCKDB = "STRUCTTENSOR_DUCKDB"


def _name_duckdb_of_python():
    """Makes PyPI's duckdb the DuckDB of `structtensor sql`, if it is installed here and the command would find no other.

    Its extension module has DuckDB's C API. Python's symbols, which it needs, are in this process.
    """
    if os.environ.get(_DUCKDB) or shutil.which("duckdb") is not None:
        return
    module = importlib.util.find_spec("_duckdb")  # does not import it
    if module is None or not module.origin or ".so" not in os.path.basename(module.origin):
        return
    try:
        ctypes.CDLL("libduckdb.so")
    except OSError:
        os.environ[_DUCKDB] = module.origin


def main():
    # The command ends, as other commands do, when the reader of its pipe ends or the user presses Ctrl-C.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.argv[1:2] == ["sql"]:
        _name_duckdb_of_python()
    return _core._run_command([os.fsencode(argument) for argument in ["structtensor", *sys.argv[1:]]])


if __name__ == "__main__":
    sys.exit(main())
