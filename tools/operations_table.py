"""The stubs and the table of the elementwise functions and reductions; see tools/operations."""

import pathlib
import re
import sys
import typing

LIST = "runtime/structtensor/tensor/math/shared/operations.h"
STUBS = {name: f"python/structtensor/{name}.pyi" for name in ("math", "bitwise", "strings")}
PAGE = "docs/algebra.md"

_BLOCK = ("# Lines that tools/operations writes:\n", "# The end of these lines.\n")
_TABLE = ("<!-- Lines that tools/operations writes: -->\n", "<!-- The end of these lines. -->\n")

class Operation(typing.NamedTuple):
    kind: str
    name: str
    function: str  # in C++
    elements: str
    parameter: str
    ufunc: str
    sentence: str

    def place(self):
        """(module, name) of the function in Python."""
        if self.elements == "strings" or self.name == "as_string":
            return "strings", self.name.removeprefix("string_")
        return "bitwise" if self.elements == "bits" else "math", self.name

    def signature(self):
        name = self.place()[1]
        optional = "name: str | None = ..."
        if self.kind == "binary":
            return f"def {name}(x: ValueLike, y: ValueLike, {optional}) -> Any: ..."
        if self.kind == "unary":
            return f"def {name}({self.parameter}: ValueLike, {optional}) -> Any: ..."
        axis = "axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..."
        return f"def {name}(input_tensor: ValueLike, {axis}, {optional}) -> Any: ..."


def operations(text):
    """The rows of the list, in its order. Raises ValueError for a row that cannot be read."""
    found = []
    for macro, kind in (("UNARY_OPERATIONS", "unary"), ("FRACTION_OPERATIONS", "unary")) + (
        ("BINARY_OPERATIONS", "binary"),
        ("REDUCTIONS", "reduction"),
    ):
        [body] = re.findall(rf"#define STRUCTTENSOR_{macro}\(X\)(.*?)\n\n", text, re.DOTALL)
        body = re.sub(r"\s+", " ", body.replace("\\\n", " ")).replace('" "', "")  # a sentence may have several lines
        for row in re.split(r" (?=X\()", body)[1:]:
            fields = re.fullmatch(r'X\((\w+), (\w+), (?:(k\w+), )?(?:(\w+), )?(?:"(\w*)", )?"([^"]*)"(?:, .*)?\)\s*', row)
            if fields is None:
                raise ValueError(f"{LIST}: cannot read {row.strip()}")
            name, function, elements, parameter, ufunc, sentence = fields.groups()
            if macro == "FRACTION_OPERATIONS":
                elements = "kFractions"
            of = (elements or "").removeprefix("k").lower()
            found.append(Operation(kind, name, function, of, parameter or "x", ufunc or "", sentence))
    return found


def _between(text, marks, content, where):
    parts = re.split("|".join(map(re.escape, marks)), text)
    if len(parts) != 3:
        raise ValueError(f"{where}: expected one block between {marks[0].strip()!r} and {marks[1].strip()!r}")
    return f"{parts[0]}{marks[0]}{content}{marks[1]}{parts[2]}"


def _table(all_operations):
    rows = ["| C++ | Python | NumPy | elements | result |", "|---|---|---|---|---|"]
    for o in all_operations:
        ufunc = f"`{o.ufunc}`" if o.ufunc else ""
        rows.append(f"| `{o.function}` | `{'.'.join(o.place())}` | {ufunc} | {o.elements} | {o.sentence} |")
    return "\n".join(rows) + "\n"


def files(root):
    """{path: text} of all that is written."""
    all_operations = operations((root / LIST).read_text())
    made = {PAGE: _between((root / PAGE).read_text(), _TABLE, _table(all_operations), PAGE)}
    for module, stub in STUBS.items():
        signatures = "".join(o.signature() + "\n" for o in all_operations if o.place()[0] == module)
        made[stub] = _between((root / stub).read_text(), _BLOCK, signatures, stub)
    return made


def main(arguments, root):
    try:
        made = files(root)
    except ValueError as error:
        print(f"tools/operations: {error}", file=sys.stderr)
        return 1
    stale = [path for path, text in made.items() if not (root / path).is_file() or (root / path).read_text() != text]
    if "--check" in arguments:
        for path in stale:
            print(f"tools/operations: {path} is not current (tools/operations writes it)", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        (root / path).write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], pathlib.Path(__file__).resolve().parents[1]))
