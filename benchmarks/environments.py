"""Python environments with packages of other projects. Each one is made once, and kept in the user's cache."""

import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]


class EnvironmentProblem(Exception):
    pass


def call(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EnvironmentProblem((done.stderr or done.stdout).strip())


def made_once(name, key, what, make, note):
    """The folder of `name` for `key` (bytes) in the user's cache. The first time, `note(text)` is called and make(folder) fills
    it."""
    user_cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = pathlib.Path(os.environ.get("STRUCTTENSOR_CACHE") or user_cache / "structtensor")
    folder = cache / name / hashlib.sha256(key).hexdigest()[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            note(f"making {what} in {folder}")
            make(folder)
            (folder / "complete").touch()
    return folder


def python_with(name, packages, note, constrained=True):
    """A Python with `packages` (as for pip) and, if `constrained` in the versions of tools/requirements.txt, numpy, protobuf
    and pyarrow. `note(text)` is called before it is made. Raises EnvironmentProblem if it cannot be made."""
    requirements = REPOSITORY / "tools" / "requirements.txt"

    def make(folder):
        call([sys.executable, "-m", "venv", "--clear", folder])
        install = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        constraints = ["--constraint", requirements] if constrained else []
        call([*install, *constraints, *packages, "numpy", "protobuf", "pyarrow"])

    key = requirements.read_bytes() + (" ".join(packages) + sys.version).encode()
    return made_once(name, key, f"a Python environment with {', '.join(packages)}", make, note) / "bin" / "python"
