"""The page of options and their lines in the stub; see tools/options."""

import pathlib
import re
import sys

from structtensor import _options

STUB = "python/structtensor/__init__.pyi"
PAGE = "docs/options.md"

_BEGIN, _END = "# The options that tools/options writes:", "# The end of the options."
_PLACES = 4  # st.scan(), st.read(), Scan() and Schema.decoder()
# In functions and in methods, so with different indents.
_BLOCK = re.compile(rf"( *){_BEGIN}\n.*? *{_END}\n", re.DOTALL)
_TABLES = ("<!-- Lines that tools/options writes: -->\n", "<!-- The end of these lines. -->\n")
_TITLES = {
    "inputs": "Inputs",
    "nested rows": "Rows within messages",
    "records": "Messages that become rows",
    "columns": "Columns",
    "batches": "Batches and threads",
    "limits": "Limits",
}
_TYPES = {"flag": "builtins.bool", "number": "int", "text": "str", "patterns": "str | Sequence[str]"}


# Words that the stub has a name for.
_ALIASES = {
    "on_error": "OnError",
    "optionals": "Optionals",
    "well_known_types": "WellKnownTypes",
    "enums": "Enums",
    "timestamps": "TimeUnit",
}


def _stub_type(row):
    if row["name"] in _ALIASES:
        return _ALIASES[row["name"]]
    if row["type"] == "word":
        words = ", ".join(f'"{word}"' for word in row["words"])
        return f"Literal[{words}]"
    none = " | None" if row["none"] or row["type"] in ("text", "patterns") else ""
    return _TYPES[row["type"]] + none


def _with_options(stub, table):
    rows = [row for row in table if row["in_decoders"]]

    def block(found):
        indent = found[1]
        lines = [f"{row['keyword']}: {_stub_type(row)} = ...," for row in rows]
        lines = [_BEGIN, *lines, _END]
        return "".join(f"{indent}{line}\n" for line in lines)

    made, count = _BLOCK.subn(block, stub)
    if not count == stub.count(_BEGIN) == stub.count(_END) == _PLACES:
        raise ValueError(f"{STUB}: expected {_PLACES} blocks of options, each from {_BEGIN!r} to {_END!r}")
    return made


def _names(row):
    """The names of the option, as its users write them."""
    python, spark = row["keyword"], row["spark"]
    if not python:
        return "only the command"
    missing = [face for face, is_there in (("TensorFlow", row["in_tensorflow"]), ("Spark", spark)) if not is_there]
    parts = [f"`{python}`"]
    if spark and spark != python:
        parts.append(f"in Spark `{spark}`")
    if missing:
        parts.append(f"not in {' or '.join(missing)}")
    return "; ".join(parts)


def _values(row):
    if row["type"] == "flag":
        words = list(row["words"])
        return f"true or false; in the command `{words[0]}` or `{words[1]}`" if words else "true or false"
    if row["type"] == "word":
        missing = [word for word, facts in row["words"].items() if not facts["in_tensorflow"]]
        text = ", ".join(f"`{word}`" for word in row["words"])
        return text + (f"; in TensorFlow not `{missing[0]}`" if missing and row["in_tensorflow"] else "")
    if row["type"] == "number":
        return _options.range_of(row) + ("; `None`: no limit" if row["none"] else "")
    if row["alone"]:
        return f"a name; `{row['alone']}` if none is given"
    return {"text": "text", "patterns": "one pattern, or several"}[row["type"]]


def _default(row):
    default = _options.default_of(row).strip('"').lower() or row["default_help"] or "none"
    other = _options.default_of(row, "default_in_tensorflow").strip('"').lower()
    if row["in_tensorflow"] and other != _options.default_of(row).strip('"').lower():
        return f"`{default}`; in TensorFlow `{other}`"
    return default if default == row["default_help"] or default == "none" else f"`{default}`"


def _tables(table):
    lines = []
    for group, title in _TITLES.items():
        lines += [f"## {title}", "", "| Python, TensorFlow, Spark | command | C++ | values | default | |"]
        lines.append("|---|---|---|---|---|---|")
        for row in table:
            if row["group"] != group:
                continue
            flag = f"`{row['flag']}`" if row["flag"] else ""
            member = ", ".join(f"`{member}`" for member in row["member"].split(", "))
            meaning = row["help"].replace("|", "\\|").replace("*", "\\*").replace("<>", "`<>`")
            lines.append(f"| {_names(row)} | {flag} | {member} | {_values(row)} | {_default(row)} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def _between(text, marks, content, where):
    parts = re.split("|".join(map(re.escape, marks)), text)
    if len(parts) != 3:
        raise ValueError(f"{where}: expected one block between {marks[0].strip()!r} and {marks[1].strip()!r}")
    return f"{parts[0]}{marks[0]}{content}{marks[1]}{parts[2]}"


def files(root):
    """{path: text} of all that is written."""
    table = _options.TABLE
    return {
        STUB: _with_options((root / STUB).read_text(), table),
        PAGE: _between((root / PAGE).read_text(), _TABLES, _tables(table), PAGE),
    }


def main(arguments, root):
    try:
        made = files(root)
    except ValueError as error:
        print(f"tools/options: {error}", file=sys.stderr)
        return 1
    stale = [path for path, text in made.items() if (root / path).read_text() != text]
    if "--check" in arguments:
        for path in stale:
            print(f"tools/options: {path} is not current (tools/options writes it)", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        (root / path).write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], pathlib.Path(__file__).resolve().parents[1]))
