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


def python_with(name, packages, note, constrained=True):
    """A Python with `packages` (as for pip). If `constrained`, it also has numpy, protobuf and pyarrow in the versions of
    tools/requirements.txt. Calls `note(text)` before it makes the environment. Raises EnvironmentProblem if it cannot be
    made."""
    user_cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    cache = pathlib.Path(os.environ.get("STRUCTTENSOR_CACHE") or user_cache / "structtensor")
    requirements = REPOSITORY / "tools" / "requirements.txt"
    key = hashlib.sha256(requirements.read_bytes() + (" ".join(packages) + sys.version).encode()).hexdigest()[:16]
    folder = cache / name / key
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            note(f"making a Python environment with {', '.join(packages)} in {folder}")
            call([sys.executable, "-m", "venv", "--clear", folder])
            install = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
            constraints = ["--constraint", requirements] if constrained else []
            call([*install, *constraints, *packages, "numpy", "protobuf", "pyarrow"])
            (folder / "complete").touch()
    return folder / "bin" / "python"
