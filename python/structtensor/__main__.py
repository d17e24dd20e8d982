"""The command `structtensor` of the package."""

import os
import signal
import sys

from . import _core


def main():
    # The command ends, as other commands do, when the reader of its pipe ends or the user presses Ctrl-C.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core._run_command([os.fsencode(argument) for argument in ["structtensor", *sys.argv[1:]]])


if __name__ == "__main__":
    sys.exit(main())
