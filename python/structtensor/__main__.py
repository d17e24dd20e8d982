"""The command `structtensor`, as the package has it."""

import os
import signal
import sys

from . import _core


def main():
    # As for any command: whoever closes the pipe that it writes to, or presses Ctrl-C, ends it.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core._run_command([os.fsencode(argument) for argument in ["structtensor", *sys.argv[1:]]])


if __name__ == "__main__":
    sys.exit(main())
