#!/usr/bin/env python3
"""Writes docs/rfc.md from the promises in tests/rfc/python, or checks it. tools/rfc runs this."""

import ast
import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
TESTS = "tests/rfc/python"
sys.path.insert(0, str(REPOSITORY / TESTS))

import promises  # noqa: E402

DOCUMENTS = {
    "structured_tensor": "StructuredTensor (2019)",
    "extension_types": "Extension types (2020)",
}
HEAD = """# The two design documents, and where to find what they ask for

The design follows two of TensorFlow's RFCs, "StructuredTensor" (2019) and "Extension types" (2020).
This page is for readers who know one of them and look for its features here. Each row has a test
that proves it: in `tests/rfc/python/`, or in `tests/python/` if it needs TensorFlow or a database.
Tests in C++ are in `tests/rfc/`. `tools/rfc` writes this page from the tests.

The first document represents an `optional` field of a protocol buffer by 0 or 1 values. By default,
the package has one nullable value for it, as data frames and Arrow do;
`schema.with_optionals("ragged")` gives the document's form in all calls. That form is the default
of `structtensor.tf`, because TensorFlow's tensors have no absent elements.

`st` is the Python package `structtensor`, and `T` is `structtensor.tf.StructuredTensor`. *The same*
means: as in Python. A cell is empty where a language has no such thing: C++ has no pandas, and only
TensorFlow has graphs and variables.
"""
COLUMNS = "| the document asks | Python | C++ | TensorFlow | what differs, and why |\n|---|---|---|---|---|\n"
CALLS = ("promise", "promise_of_tensorflow")


class WrongPromise(Exception):
    """A row that cannot be written: where it is, and why."""


def read_promises(path):
    """The promises of a file of tests, in its order. Tests without one are errors."""
    rows, constants = [], {}

    def read(node):
        return constants[node.id] if isinstance(node, ast.Name) and node.id in constants else ast.literal_eval(node)

    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = node.value.value
        calls = node.decorator_list if isinstance(node, ast.FunctionDef) else [node.value] if isinstance(node, ast.Expr) else []
        found = [call for call in calls if isinstance(call, ast.Call) and getattr(call.func, "id", "") in CALLS]
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not found:
            raise WrongPromise(f"{path.name}:{node.lineno}: {node.name} has no promise")
        for call in found:
            try:
                positional = [read(argument) for argument in call.args]
                named = {keyword.arg: read(keyword.value) for keyword in call.keywords}
                rows.append(promises.Promise(*positional, **named))
            except (TypeError, ValueError) as error:
                raise WrongPromise(f"{path.name}:{call.lineno}: {error}") from None
            for field, value in vars(rows[-1]).items():
                if not isinstance(value, str) or "\n" in value or value.strip().lower() == "missing":
                    raise WrongPromise(f"{path.name}:{call.lineno}: {field}: expected one line of words, found {value!r}")
            if not rows[-1].section or not rows[-1].asks:
                raise WrongPromise(f"{path.name}:{call.lineno}: expected a section and what the document asks")
    return rows


def check_test(repository, promise):
    """Fails if the test elsewhere that the promise names does not exist."""
    if not promise.shown_by:
        return
    file, _, function = promise.shown_by.partition("::")
    path = repository / "tests/python" / (file if "/" in file else f"tensorflow_integration/{file}")
    functions = []
    if path.is_file():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    if function not in functions:
        raise WrongPromise(f"{promise.asks!r}: there is no {function!r} in {path.relative_to(repository)}")


def headers_of(repository):
    """The public headers, as names below runtime/, and their text without comments."""
    root = repository / "runtime"
    return {
        str(path.relative_to(root)): re.sub(r"//.*", "", path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.h"))
    }


def declaring_header(headers, name):
    """The header that declares a name (`Index()`, `StructuredTensor`, `Key::All()`), or None."""
    owner, _, member = name.rpartition("::")
    call = name.endswith("()")
    words = {"owner": re.escape(owner.rpartition("::")[2]), "name": re.escape(member.removesuffix("()"))}
    if owner:
        declaration = r"(?:class|struct|enum class) {owner}\b[^;]*?\{{.*?\b{name}\b".format(**words)
    elif call:
        # A declaration has a type before the name, at the start of a line.
        declaration = r"^(?!\s|return\b)[\w:<>,&* \[\]]*[\w>&*\]] \*?{name}\(".format(**words)
    else:
        declaration = r"^(?:template .*\n)?(?:(?:class|struct|enum class) {name}\b[^;]*\{{|using {name}\b)".format(**words)
    found = [
        header
        for header, text in headers.items()
        if re.search(declaration, text, re.MULTILINE | re.DOTALL if owner else re.MULTILINE)
    ]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", (owner or member).removesuffix("()")).lower()
    # The header that has the name, before those of overloads and of values of other kinds.
    return min(
        found,
        key=lambda header: (
            pathlib.PurePath(header).stem != snake,
            "/tensor/values/" not in header,
            "/tensor/" not in header,
            header,
        ),
        default=None,
    )


def cpp_names(cell):
    """The names in the cell that begin with a capital letter: functions, classes and their members."""
    if "`" in cell:
        cell = " ".join(re.findall(r"`([^`]*)`", cell))
    cell = re.sub(r"\"[^\"]*\"", "", cell)
    return re.findall(r"\b(?:[A-Z]\w+::)*[A-Z]\w+(?:::\w+)?(?:\(\))?", re.sub(r"\((?=[^)])", "() ", cell))


def code(cell):
    """The Markdown for a cell of code, which may end with "raises ValueError"."""
    if cell and cell != "the same" and "`" not in cell:
        expression, raises, error = cell.partition(" raises ")
        cell = f"`{expression}`{raises}{error}"
    return cell.replace("|", r"\|")


def page(repository):
    """The text of docs/rfc.md."""
    headers = headers_of(repository)
    parts, used = [HEAD], {}
    for folder, title in DOCUMENTS.items():
        parts.append(f"\n## {title}\n")
        sections = {}
        for path in sorted((repository / TESTS / folder).glob("test_*.py")):
            for row in read_promises(path):
                check_test(repository, row)
                for name in cpp_names(row.cpp):
                    header = declaring_header(headers, name)
                    if header is None:
                        raise WrongPromise(f"{path.name}: {row.asks!r}: no header in runtime/ declares {name}")
                    used.setdefault(header, set()).add(name.partition("::")[0].removesuffix("()"))
                sections.setdefault(row.section, ([], []))
                sections[row.section][0].append(row)
                if path.name not in sections[row.section][1]:
                    sections[row.section][1].append(path.name)
        for section, (rows, files) in sections.items():
            names = ", ".join(f"`{TESTS}/{folder}/{file}`" for file in files)
            parts.append(f"\n### {section}\n\nTests: {names}\n\n{COLUMNS}")
            for row in rows:
                shown = code(row.tensorflow) + (f" (`{row.shown_by}`)" if row.shown_by else "")
                cells = [
                    row.asks.replace("|", r"\|"),
                    code(row.python),
                    code(row.cpp),
                    shown.strip(),
                    row.differs.replace("|", r"\|"),
                ]
                parts.append(f"| {' | '.join(cells)} |\n")
    parts.append("\n## Headers of the C++ names\n\n| header | names |\n|---|---|\n")
    parts += [
        f"| `{header}` | {', '.join(f'`{name}`' for name in sorted(used[header]))} |\n" for header in sorted(used)
    ]
    return "".join(parts)


def main(arguments, repository=REPOSITORY):
    document = repository / "docs" / "rfc.md"
    try:
        text = page(repository)
    except WrongPromise as error:
        print(f"tools/rfc: {error}", file=sys.stderr)
        return 1
    if "--check" not in arguments:
        document.write_text(text, encoding="utf-8")
    elif not document.is_file() or document.read_text(encoding="utf-8") != text:
        print("tools/rfc: docs/rfc.md is not current (tools/rfc writes it)", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
