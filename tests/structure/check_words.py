"""Checks that code, comments, messages and documents use none of the words below. Beside each is what to write instead.

usage: check_words.py ROOT

Prints one line for each place. Exit code 0 if there is none.
"""

import pathlib
import re
import subprocess
import sys

RETIRED = {
    r"behind": "after",
    r"(has|had) to": "must, needed to",
    r"lies?": "is, is stored",
    r"likewise": "also, the same",
    r"nobody": "no one, nothing, or the passive",
    r"of which": "whose, or a sentence of its own",
    r"so (many|much)": "that many, up to N",
    r"(un)?sound": "valid, well-formed",
    r"stands?": "is, appears",
    r"tells?(?![\"(])|told": "reports, shows",  # file.tell() is Python's
    r"texts": "strings, text",
    r"whoever": "code that, users who",
}
SUFFIXES = {".cc", ".cmake", ".go", ".h", ".in", ".ipynb", ".md", ".proto", ".py", ".pyi", ".sh", ".toml", ".txt", ".yml", ""}
OTHERS = {"CMakePresets.json"}
# History, data, and files that quote the words.
LEFT_OUT = re.compile(
    r"(CHANGELOG\.md|LICENSE|docs/glossary\.md|tests/structure/check_words(_test)?\.py|compiler/.*/macro_names\.txt)$"
    r"|^tests/fuzz/corpus/"
)

_WORDS = re.compile("|".join(rf"(?P<w{i}>\b(?:{word})\b)" for i, word in enumerate(RETIRED)), re.IGNORECASE)


def places(text):
    """(line, word, what to write instead) of each retired word."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _WORDS.finditer(line):
            yield number, match.group(), list(RETIRED.values())[int(match.lastgroup[1:])]


def files(root):
    names = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        path = root / name
        if (path.suffix in SUFFIXES or name in OTHERS) and not LEFT_OUT.search(name) and path.is_file():
            yield name, path


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    found = [
        f"{name}:{line}: '{word}': {better}"
        for name, path in files(root)
        for line, word, better in places(path.read_text(encoding="utf-8", errors="replace"))
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
