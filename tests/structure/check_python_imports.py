"""Checks that the modules of the Python packages do not import each other in a circle, also inside functions.

usage: check_python_imports.py ROOT

Prints one line for each package with a circle. Exit code 0 if there is none.
"""

import ast
import graphlib
import pathlib
import sys

PACKAGES = (
    "python/structtensor",
    "integrations/firebase",
    "integrations/ray/python",
    "integrations/spanner",
    "integrations/spark/python",
    "integrations/tensorflow/python",
)


def imported_modules(path, package):
    """The modules of the package that a file of it imports, as paths below the package without .py."""
    folder = path.relative_to(package).parent
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        base = folder
        for _ in range(node.level - 1):
            base = base.parent
        if node.module:
            base = base.joinpath(*node.module.split("."))
            found.add(base)
        found |= {base / alias.name for alias in node.names}
    return {str(module) for module in found if (package / module).with_suffix(".py").is_file()}


def check(root):
    problems = []
    for name in PACKAGES:
        package = root / name
        paths = sorted(package.rglob("*.py"))
        if not paths:
            problems.append(f"{name}: there is no module")
        graph = {str(path.relative_to(package).with_suffix("")): imported_modules(path, package) for path in paths}
        try:
            graphlib.TopologicalSorter(graph).prepare()
        except graphlib.CycleError as error:
            problems.append(f"{name}: modules import each other in a circle: " + " -> ".join(reversed(error.args[1])))
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
