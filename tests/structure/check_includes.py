"""Checks who includes whom: the rooms of runtime/ and compiler/ against the order of the wings and allowed_includes.txt, which
headers are private, and that cmake/rooms.txt and the table in docs/design.md list the rooms.

Headers of a room are for users. Its folder `shared` is for the rest of this project, `abi` for generated code, too, and
`internal` for the room and its tests alone.

usage: check_includes.py ROOT

Prints one line for each thing that is wrong. Exit code 0 if nothing is.
"""

import graphlib
import pathlib
import re
import sys

LIBRARY_ROOTS = ("runtime", "compiler")
# A wing may include itself and the wings before it.
WINGS = ("core", "compiler", "tensor", "io", "app")
# The header for first programs, which includes those of many rooms. The project itself includes what it uses.
ENTRY = "structtensor/structtensor.h"
# What users read and copy sees public headers only.
FOR_USERS = ("examples", "tests/packaging/documents", "docs", "README.md")
OTHERS = ("tests", "tools", "benchmarks", "python", "integrations")
# What is built on the libraries may not see what is private to a room, either.
FACES = ("tools", "python", "integrations")
ALLOWED_INCLUDES = "tests/structure/allowed_includes.txt"
ROOMS = "cmake/rooms.txt"
# Builds that have some of the tests.
BUILDS = ("sanitize", "tsan", "fuzz", "protobuf", "aarch64")
# Headers of third parties, and the only rooms that may see them.
RESTRICTED = {
    "google/protobuf/": ("compiler", "compiler/schema", "app/schema"),
    "arrow/": ("io/column_files",),
    "parquet/": ("io/column_files",),
    "re2/": ("tensor/math", "app/filters"),
    "simdjson.h": ("core/wire", "io/json"),
    "zlib.h": ("io/records", "app/sinks"),
    "zstd": ("io/records",),
    "lz4": ("io/records",),
    "CLI/": ("app/convert",),
    "structtensor_options/": ("compiler/schema", "app/schema"),  # made of proto_schemas/structtensor/options.proto
}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_RAW_STRING = re.compile(r'R"([^( ]*)\(.*?\)\1"', re.DOTALL)


def read_allowed(text):
    """{folder: {folder}} of allowed_includes.txt."""
    allowed = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        folder, arrow, targets = line.partition(" -> ")
        if not arrow or folder in allowed or targets.split() != sorted(set(targets.split())):
            raise SystemExit(f"{ALLOWED_INCLUDES}:{number}: expected `folder -> folders in alphabetical order`, each once")
        allowed[folder] = set(targets.split())
    return allowed


def sources(root, place):
    path = root / place
    if path.is_file():
        return [path]
    entry = root / "runtime" / ENTRY  # which is in no room
    return sorted(p for p in path.rglob("*") if p.suffix in (".h", ".cc", ".md") and p != entry)


def folder_of(path):
    """The room of an include path."""
    return re.sub(r"/(internal|shared|abi)$", "", str(pathlib.PurePosixPath(path).parent.relative_to("structtensor")))


def is_for_users(include):
    return re.search(r"/(internal|shared|abi)/", include) is None


def names_a_file(root, include):
    if any((root / library / include).is_file() for library in LIBRARY_ROOTS):
        return True
    proto = re.sub(r"\.(pb|structtensor)\.h$", ".proto", include)
    return proto != include and (root / "proto_schemas" / proto).is_file()


def check_file(root, path, problems, for_users):
    """Checks what is true of all files alike, and returns its includes without those in text that it prints."""
    text = path.read_text(encoding="utf-8")
    where = path.relative_to(root)
    for include in _INCLUDE.findall(text):
        if include == ENTRY and not str(where).startswith(FOR_USERS):
            problems.append(f'{where}: "{ENTRY}" is for first programs; include the headers that are used')
        if include.startswith("structtensor/"):
            if not names_a_file(root, include):
                problems.append(f'{where}: there is no file "{include}"')
            elif for_users and not is_for_users(include):
                problems.append(f'{where}: "{include}" is not for users: only this project and generated code include it')
            elif "/internal/" in include and where.parts[0] in FACES:
                problems.append(f'{where}: "{include}" is private to {folder_of(include)}')
    return _INCLUDE.findall(_RAW_STRING.sub('""', text))


def library_arrows(root, problems):
    """{room: {room: a file that includes it}} of the libraries."""
    arrows = {}
    for library in LIBRARY_ROOTS:
        for path in sources(root, library):
            folder = folder_of(path.relative_to(root / library).as_posix())
            for include in check_file(root, path, problems, for_users=False):
                for prefix, folders in RESTRICTED.items():
                    if include.startswith(prefix) and folder not in folders:
                        problems.append(f"{path.relative_to(root)}: only {', '.join(folders)} may include <{include}>")
                is_own = include.startswith("structtensor/") and not include.endswith(".pb.h")
                if is_own and folder_of(include) != folder:
                    if "/internal/" in include:
                        problems.append(f'{path.relative_to(root)}: "{include}" is private to {folder_of(include)}')
                    arrows.setdefault(folder, {}).setdefault(folder_of(include), path.relative_to(root))
    return arrows


def compare(arrows, allowed, problems):
    for folder, targets in sorted(arrows.items()):
        for target, path in sorted(targets.items()):
            if WINGS.index(target.split("/")[0]) > WINGS.index(folder.split("/")[0]):
                problems.append(f"{path}: {folder} -> {target} points to a later wing; they are {', '.join(WINGS)}")
            elif target not in allowed.get(folder, ()):
                problems.append(f"{path}: {folder} -> {target} is not in {ALLOWED_INCLUDES}")
    for folder, targets in sorted(allowed.items()):
        for target in sorted(targets - set(arrows.get(folder, ()))):
            problems.append(f"{ALLOWED_INCLUDES}: {folder} -> {target}: nothing includes it any more; take it out")


def levels_from_top(graph):
    """The folders, those that include others first. Raises graphlib.CycleError."""
    return list(reversed(list(graphlib.TopologicalSorter({f: sorted(t) for f, t in sorted(graph.items())}).static_order())))


def check(root):
    problems = []
    allowed = read_allowed((root / ALLOWED_INCLUDES).read_text(encoding="utf-8"))
    arrows = library_arrows(root, problems)
    check_file(root, root / "runtime" / ENTRY, problems, for_users=True)
    compare(arrows, allowed, problems)
    for graph in (arrows, allowed):
        try:
            levels_from_top(graph)
        except graphlib.CycleError as error:
            problems.append("rooms include each other in a circle: " + " -> ".join(reversed(error.args[1])))
            return problems
    for place in FOR_USERS:
        for path in sources(root, place):
            check_file(root, path, problems, for_users=True)
    for place in OTHERS:
        for path in sources(root, place):
            if not any(path.is_relative_to(root / folder) for folder in FOR_USERS):
                check_file(root, path, problems, for_users=False)
    return problems


def rooms_of(root):
    """All rooms, by the folders with sources."""
    return {folder_of(p.relative_to(root / library).as_posix()) for library in LIBRARY_ROOTS for p in sources(root, library)}


def check_table(root):
    """Compares the table of rooms in docs/design.md with the folders."""
    structure = (root / "docs/design.md").read_text(encoding="utf-8").split("\n## ")[1]
    listed = re.findall(r"^\| `([\w/]+)` \|", structure, re.MULTILINE)
    rooms = rooms_of(root)
    problems = [f"docs/design.md lists the room {room}, which does not exist" for room in listed if room not in rooms]
    problems += [f"docs/design.md does not list the room {room}" for room in sorted(rooms - set(listed))]
    if [WINGS.index(room.split("/")[0]) for room in listed if room in rooms] != sorted(
        WINGS.index(room.split("/")[0]) for room in listed if room in rooms
    ):
        problems.append("docs/design.md: the rooms are not in the order of the wings")
    return problems


def check_list(root):
    """Compares cmake/rooms.txt with the rooms of runtime/ and the folders of their tests."""
    lines = [line.split() for line in (root / ROOMS).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    order = [folder for folder, component, *_ in lines if component != "tests"]
    allowed = read_allowed((root / ALLOWED_INCLUDES).read_text(encoding="utf-8"))
    listed = set(order)
    rooms = {folder_of(path.relative_to(root / "runtime").as_posix()) for path in sources(root, "runtime")}
    tests = {path.parent.relative_to(root / "tests").as_posix() for path in (root / "tests").glob("*/*/CMakeLists.txt")}
    tests = {folder for folder in tests if folder.split("/")[0] in WINGS and not folder.startswith("compiler/")}
    return (
        [f"{ROOMS} lists the room {room}, which does not exist" for room in sorted(listed - rooms)]
        + [f"{ROOMS} does not list the room {room}" for room in sorted(rooms - listed)]
        + [f"tests/{folder}: there is no room {folder}" for folder in sorted(tests - rooms)]
        + [
            f"{ROOMS}: {folder} has the unknown word {word}"
            for folder, _, *words in lines
            for word in words
            if word not in BUILDS
        ]
        + [
            f"{ROOMS}: {room} comes before {other}, which it includes"
            for room in order
            for other in sorted(allowed.get(room, ()))
            if other in order and order.index(other) > order.index(room)
        ]
    )


def folders_without_files(root):
    """Returns a problem for each room and folder in the rules above that does not exist: its rule would never apply."""
    known = rooms_of(root)
    named = {folder for folders in RESTRICTED.values() for folder in folders}
    problems = [f"check_includes.py names the folder {folder}, which does not exist" for folder in sorted(named - known)]
    places = [place for place in (*FOR_USERS, *OTHERS) if not (root / place).exists()]
    return problems + [f"check_includes.py names {place}, which does not exist" for place in places]


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    problems = folders_without_files(root) + check_list(root) + check_table(root) + check(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
