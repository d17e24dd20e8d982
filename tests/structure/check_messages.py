"""Collects the error messages of the library, the command and the Python package, and checks their form.

usage: check_messages.py [--list] ROOT

A message is what the string literals of a call that makes an error say; "…" takes the place of what the program fills in, and
"|" is between alternatives. It has at most two clauses, does not begin with a capital letter and does not end with a full stop.
--list prints all messages, sorted, instead of checking them. Exit code 0 if nothing is wrong.
"""

import ast
import pathlib
import re
import subprocess
import sys

# The beginning of a call, in C++, that makes an error of its arguments.
_CALL = re.compile(r"\b(?:absl::\w+Error|ThrowError|ThrowNoConstructor|\w*(?:Error|Problem|Invalid|Unsupported|Refused))\(")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"|R"\((.*?)\)"', re.DOTALL)
_LITERAL_OR_COMMENT = re.compile(rf"{_LITERAL.pattern}|//[^\n]*", re.DOTALL)
_FOLDERS = ("runtime", "compiler", "tools", "python", "integrations")
_MOST_CHARACTERS = 400
_GAP = "…"
_OR = " | "
# They may begin a message.
_NAMES = ("Arrow", "Awkward", "DuckDB", "TensorFlow")
# The messages of struct2tensor, as users of that library know them.
_LEFT_OUT = "integrations/tensorflow/python/s2t/"


def _arguments(text, begin):
    """The text between the parentheses of a call; `begin` is after the first one."""
    depth, position = 1, begin
    while position < len(text) and depth > 0:
        literal = _LITERAL.match(text, position)
        if literal:
            position = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return text[begin : position - 1]


def _words(arguments):
    """The message: the literals, and a gap for each run of other code."""
    parts, end = [], 0
    for literal in _LITERAL.finditer(arguments):
        between = arguments[end : literal.start()].strip()
        if re.search(r"\?|^:$|\)\s*:\s", between):  # the literal is one of two alternatives
            parts.append(_OR)
        elif re.sub(r"absl::StrCat\(|absl::StrFormat\(|[\s(]", "", between) not in ("", ","):
            parts.append(_GAP)
        parts.append(re.sub(r'\\(["\\])', r"\1", literal[1] if literal[1] is not None else literal[2]).replace("\\n", " "))
        end = literal.end()
    if arguments[end:].strip(" )\n,"):
        parts.append(_GAP)
    return re.sub(rf"\s*{_GAP}(\s*{_GAP})*", lambda gap: (" " if gap[0][0].isspace() else "") + _GAP, "".join(parts))


def _of_cpp(text):
    # A string may contain "//".
    without_comments = _LITERAL_OR_COMMENT.sub(lambda part: " " * len(part[0]) if part[0].startswith("//") else part[0], text)
    for call in _CALL.finditer(without_comments):
        message = _words(_arguments(without_comments, call.end()))
        if re.search(r"[a-z]{2,} \S*[a-z]{2,}", message):
            yield text.count("\n", 0, call.start()) + 1, message


def _of_expression(node):
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else _GAP
    if isinstance(node, ast.JoinedStr):
        return "".join(_of_expression(value) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _of_expression(node.left) + _of_expression(node.right)
    return _GAP


def _of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            message = _of_expression(node.exc.args[0]).replace("\n", " ")
            if re.search(r"[a-z]{2,} \S*[a-z]{2,}", message):
                yield node.lineno, message


def messages(root):
    """(file, line, message) of all messages."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-z", *_FOLDERS], check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        path = root / name
        if name.startswith(_LEFT_OUT):
            continue
        if path.suffix in (".cc", ".h"):
            found = _of_cpp(path.read_text(encoding="utf-8"))
        elif path.suffix == ".py":
            found = _of_python(path.read_text(encoding="utf-8"))
        else:
            continue
        yield from ((name, line, message) for line, message in found)


def problem_of(message):
    """What is wrong with the form of a message; None if nothing is."""
    text = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", _GAP, message)
    if any(alternative.count(";") > 1 for alternative in text.split(_OR)):
        return "more than two clauses"
    if re.match(r"[A-Z][a-z]+ ", text) and not text.startswith(_NAMES):
        return "begins with a capital letter"
    if re.search(r"[a-z]\.$", text):
        return "ends with a full stop"
    if len(message) > _MOST_CHARACTERS:
        return f"more than {_MOST_CHARACTERS} characters"
    return None


def main(arguments):
    root = pathlib.Path(arguments[-1]).resolve()
    found = sorted(set(messages(root)), key=lambda each: (each[2].lower(), each))
    if "--list" in arguments:
        print("\n".join(message for _, _, message in found))
        return 0
    wrong = [(name, line, problem, message) for name, line, message in found if (problem := problem_of(message))]
    for name, line, problem, message in sorted(wrong):
        print(f"{name}:{line}: {problem}: {message}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
