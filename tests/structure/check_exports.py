"""Checks which declarations the shared library exports: those of public headers, and of what these and generated code include.

usage: check_exports.py ROOT [--fix | --list]    --fix writes the pragmas, --list prints the headers

The libraries are compiled with hidden visibility. A header whose functions programs may call has
`#pragma GCC visibility push(default)` after its includes and `#pragma GCC visibility pop` at its end; other headers do not.
Prints one line for each header that is wrong. Exit code 0 if none is.
"""

import pathlib
import re
import sys

PUSH = "#pragma GCC visibility push(default)"
POP = "#pragma GCC visibility pop"
# Libraries that are static only: they need more than Abseil (cmake/StructtensorLibrary.cmake), or protobuf.
STATIC_ONLY = {
    "io/remote_files", "io/records", "io/column_files", "io/duckdb", "app/schema", "app/filters", "app/scan", "app/sinks",
    "app/convert",
}
STATIC_ONLY_HEADERS = {"structtensor/tensor/math/regex_strings.h"}
EMITTERS = "compiler/structtensor/compiler/emit"

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(structtensor/[^"]+)"', re.MULTILINE)
_EMITTED = re.compile(r'#include \\?"(structtensor/[^"\\]+\.h)\\?"')


def folder_of(include):
    return re.sub(r"/(internal|shared|abi)$", "", str(pathlib.PurePosixPath(include).parent.relative_to("structtensor")))


def is_for_users(include):
    return re.search(r"/(internal|shared|abi)/", include) is None


def is_static_only(include):
    return folder_of(include) in STATIC_ONLY or include in STATIC_ONLY_HEADERS


def exported_headers(root):
    """The include paths of all headers that declare what programs call."""
    runtime = root / "runtime"
    waiting = [
        include
        for path in runtime.rglob("*.h")
        if not is_static_only(include := path.relative_to(runtime).as_posix()) and is_for_users(include)
    ]
    for path in (root / EMITTERS).glob("*.cc"):
        emitted = _EMITTED.findall(path.read_text(encoding="utf-8"))
        waiting += [include for include in emitted if not is_static_only(include)]
    seen = set()
    while waiting:
        include = waiting.pop()
        if include not in seen and (runtime / include).is_file():
            seen.add(include)
            waiting += _INCLUDE.findall((runtime / include).read_text(encoding="utf-8"))
    return seen


def body_of(lines):
    """The lines after the includes, (first, last), or None where the header declares nothing."""
    starts = [i for i, line in enumerate(lines) if re.match(r'(inline )?namespace ', line)]
    return (starts[0], len(lines) - 1) if starts else None


def check(root, fix=False):
    problems = []
    exported = exported_headers(root)
    for path in sorted((root / "runtime").rglob("*.h")):
        include = path.relative_to(root / "runtime").as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        has = (lines.count(PUSH), lines.count(POP))
        if include not in exported or not body_of(lines):
            if has != (0, 0):
                problems.append(f"{path.relative_to(root)}: nothing here is exported, so take the pragmas for visibility out")
            continue
        pushed = lines.index(PUSH) if has[0] else -1
        popped = lines.index(POP) if has[1] else -1
        includes = [i for i, line in enumerate(lines) if line.lstrip().startswith("#include")]
        is_around = pushed < body_of(lines)[0] and popped >= len(lines) - 4
        if has == (1, 1) and is_around and all(i < pushed for i in includes):
            continue
        if fix and has == (0, 0):
            first, last = body_of(lines)
            # A comment that belongs to the namespace stays with it.
            while lines[first - 1].strip():
                first -= 1
            lines[first:first] = [PUSH, ""]
            last += 2
            while not lines[last].startswith("#endif"):
                last -= 1
            lines[last:last] = [POP, ""]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            continue
        problems.append(
            f"{path.relative_to(root)}: programs call what it declares, so after its includes write `{PUSH}`, and before its "
            f"#endif `{POP}` (check_exports.py --fix does)"
        )
    return problems


def folders_without_headers(root):
    """Returns a problem for each folder in the rules above without headers: its rule would never apply."""
    named = [*(f"runtime/structtensor/{folder}" for folder in sorted(STATIC_ONLY)), EMITTERS]
    wrong = [folder for folder in named if not any((root / folder).glob("*.h"))]
    return [f"check_exports.py names {folder}, which has no headers" for folder in wrong]


def main(arguments):
    if "--list" in arguments:
        print("\n".join(sorted(exported_headers(pathlib.Path(arguments[0]).resolve()))))
        return 0
    root = pathlib.Path(arguments[0]).resolve()
    problems = folders_without_headers(root) + check(root, "--fix" in arguments)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
