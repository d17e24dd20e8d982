"""Generated decoders that are compiled while a program runs, and their cache.

A library in the cache is a file. Its name is a key of everything that the library is made from: the generated source, the
headers, the compiler and its flags. The last bytes of the file are a digest. If a file was cut off or overwritten, it is made
again, and not loaded.
"""

import hashlib
import os
import platform
import shlex
import shutil
import stat
import subprocess
import tempfile
import warnings

from . import _core

_HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")
_NEEDED = ("-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-fno-exceptions")
_DEFAULT_FLAGS = ("-O3", "-DNDEBUG", "-w")
_DIGEST_BYTES = 32
_SHOWN_LINES = 5


class _Problem(Exception):
    """Why there is no compiled decoder. The engine decodes then."""


def _warn(text):
    warnings.warn(text, RuntimeWarning, stacklevel=3)  # the caller of Schema.compile()


def _arguments_of(compiler):
    """The compiler as a list of arguments. It is given as a path, or as a line like CXX ("ccache g++")."""
    if isinstance(compiler, (str, os.PathLike)):
        text = os.fspath(compiler)
        return [text] if shutil.which(text) else shlex.split(text)
    return [os.fspath(argument) for argument in compiler]


def _found(arguments):
    """The arguments with the path of the program as the first one, or None if the program does not exist."""
    path = shutil.which(arguments[0]) if arguments else None
    return None if path is None else [path, *arguments[1:]]


def _named_compiler(compiler):
    found = _found(_arguments_of(compiler))
    if found is None:
        raise FileNotFoundError(f"compiler = {compiler!r}: there is no such program")
    return found


def _any_compiler():
    for candidate in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        found = _found(_arguments_of(candidate))
        if found is not None:
            return found
    raise _Problem("there is no C++ compiler (CXX, c++, g++ or clang++); install one, or name it by compiler=")


def _flags_of(flags):
    if flags is None:
        return list(_DEFAULT_FLAGS)
    return shlex.split(flags) if isinstance(flags, str) else [os.fspath(flag) for flag in flags]


def _headers():
    """(name, content) of the headers that the generated sources include."""
    found = []
    for folder, _, names in os.walk(_HEADERS):
        found += [os.path.join(folder, name) for name in names]
    for path in sorted(found):
        with open(path, "rb") as file:
            yield os.path.relpath(path, _HEADERS), file.read()


def _processor():
    """A text that differs between processor models, for flags like -march=native."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = [line for line in file if line.startswith(("model name", "flags", "Features", "CPU part"))]
    except OSError:
        lines = []
    return "".join(sorted(set(lines))) or platform.processor()


def _key(source, compiler, flags):
    """The key, in hexadecimal. The compiler is identified by its file. To ask it for its version would take longer than all
    else."""
    program = os.path.realpath(compiler[0])
    status = os.stat(program)
    parts = [_core.__version__, platform.machine(), program, str(status.st_size), str(status.st_mtime_ns)]
    parts += ["compiler", *compiler[1:], "flags", *flags]
    if any("native" in flag for flag in flags):
        parts.append(_processor())
    key = hashlib.sha256()
    for part in [os.fsencode(part) for part in parts] + [source] + [part for header in _headers() for part in header]:
        part = os.fsencode(part)
        key.update(len(part).to_bytes(8, "little") + part)
    return key.hexdigest()


def _default_folder():
    folder = os.environ.get("STRUCTTENSOR_CACHE")
    if not folder:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        folder = os.path.join(base, "structtensor")
    return os.path.join(folder, "compiled")


def _check_folder(folder):
    """Raises _Problem if other users may write to the cache, because the libraries in it are run."""
    status = os.stat(folder)
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _Problem(f"{folder}: others may write to this folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _Problem(f"{folder}: this folder cannot be written to")


def _digest(key, library):
    return hashlib.sha256(key.encode() + library).digest()


def _path(folder, key):
    return os.path.join(folder, key + ".so")


def _is_sound(folder, key):
    """Whether the cache has the library, exactly as it was written."""
    try:
        with open(_path(folder, key), "rb") as file:
            content = file.read()
    except OSError:
        return False
    return content[-_DIGEST_BYTES:] == _digest(key, content[:-_DIGEST_BYTES])


def _build(source, compiler, flags, folder, key):
    """Compiles the source into the folder. Several processes may do this at once: each sees a whole file or none."""
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as work:
        source_path, library_path = os.path.join(work, "decoders.cc"), os.path.join(work, "decoders.so")
        with open(source_path, "wb") as file:
            file.write(source)
        command = [*compiler, *_NEEDED, *flags, "-I", _HEADERS, "-o", library_path, source_path]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0 or not os.path.isfile(library_path):
            said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()[:_SHOWN_LINES]
            why = "\n".join(said) or f"exit code {done.returncode}, and no message"
            raise _Problem(f"{shlex.join(compiler)} cannot compile it:\n{why}")
        with open(library_path, "rb") as file:
            library = file.read()
        with open(library_path, "ab") as file:
            file.write(_digest(key, library))
        os.replace(library_path, _path(folder, key))


def _load_or_build(schema, source, compiler, flags, folder):
    key = _key(source, compiler, flags)
    if _is_sound(folder, key):
        try:
            schema._use_decoder_library(folder, key)
            return
        except OSError:
            pass  # for example, if another system shares the cache
    _build(source, compiler, flags, folder, key)
    schema._use_decoder_library(folder, key)


def compile(self, *messages, compiler=None, flags=None, cache=None):
    """Compiles the decoders of this schema and uses them from now on. They decode faster than the engine.

    messages: names of message types. Default: the default message type of the schema, else all `roots`. The types of their
    fields are compiled, too. Existing decoders and scans stay as they are. A later call replaces an earlier one.
    compiler: a path, or a list of arguments. Default: CXX, c++, g++, clang++.
    flags: flags for the compiler instead of -O3.
    cache: the folder for the result, instead of structtensor/compiled in the user's cache. Whoever can write to this folder
    decides which code this program runs.

    Returns the schema. If compiling is not possible, the engine decodes, and a RuntimeWarning says why. Raises KeyError for
    message types that do not exist, FileNotFoundError if the given compiler does not exist.
    """
    names = [self.resolve(name) for name in messages] or ([self.message] if self.message else self.roots)
    if not names:
        raise ValueError("the schema declares no message type")
    flags = _flags_of(flags)
    if compiler is not None:
        compiler = _named_compiler(compiler)
    folder = _default_folder() if cache is None else os.fspath(cache)
    try:
        if compiler is None:
            compiler = _any_compiler()
        source = self._decoder_library_source(sorted(names))
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _check_folder(folder)
        except (OSError, _Problem) as problem:
            _warn(f"compiled decoders cannot be kept, and are made for this process only: {problem}")
            with tempfile.TemporaryDirectory(prefix="structtensor-") as temporary:
                _load_or_build(self, source, compiler, flags, temporary)
        else:
            _load_or_build(self, source, compiler, flags, folder)
    except (OSError, _Problem) as problem:
        _warn(f"decoders cannot be compiled, and the engine decodes: {problem}")
    return self


def load(schema, folder, key):
    """For pickles: uses the library with this key if the cache has it. Never starts a compiler."""
    folder = os.fsdecode(folder)
    try:
        _check_folder(folder)
        if _is_sound(folder, key):
            schema._use_decoder_library(folder, key)
    except (OSError, _Problem):
        pass  # the engine decodes
    return schema
