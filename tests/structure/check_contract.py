"""Checks that a change to the headers that generated code includes comes with a decision about kContractVersion.

usage: check_contract.py ROOT [--update]

contract.txt has the version of the contract and a hash of the headers that generated decoders include, and of what these
include, without comments and white space. If the hash differs, decide whether code that was generated before still works with
the headers. If it does not, increase kContractVersion (core/plan/plan.h) and run tools/golden. Then run this script with
--update.
"""

import hashlib
import pathlib
import re
import sys

CONTRACT = "tests/structure/contract.txt"
PLAN = "runtime/structtensor/core/plan/plan.h"
EMITTERS = "compiler/structtensor/compiler/emit"
# Generated converters include it. It has one function, which is not part of the contract.
CONVERTER = "structtensor/app/convert/converter.h"

_INCLUDE = re.compile(r'#[ \t]*include \\?"(structtensor/[^"\\]+\.h)\\?"')


def headers(root):
    """The headers that generated decoders include, and those that these include."""
    emitters = [path.read_text(encoding="utf-8") for path in (root / EMITTERS).glob("*.cc")]
    waiting = [include for text in emitters for include in _INCLUDE.findall(text)]
    seen = set()
    while waiting:
        path = root / "runtime" / waiting.pop()
        if path not in seen and path.is_file() and path != root / "runtime" / CONVERTER:
            seen.add(path)
            waiting += _INCLUDE.findall(path.read_text(encoding="utf-8"))
    return sorted(seen)


def without_comments(text):
    return "\n".join(filter(None, (" ".join(line.split()) for line in re.sub(r"//[^\n]*", "", text).splitlines())))


def contract(root):
    """The version and the hash, as contract.txt has them."""
    version = re.search(r"kContractVersion = (\d+);", (root / PLAN).read_text(encoding="utf-8")).group(1)
    digest = hashlib.sha256()
    for header in headers(root):
        digest.update(f"{header.relative_to(root)}\n{without_comments(header.read_text(encoding='utf-8'))}\n".encode())
    return f"{version} {digest.hexdigest()}\n"


def check(root):
    found, noted = contract(root), (root / CONTRACT).read_text(encoding="utf-8")
    if found == noted:
        return ""
    if found.split()[0] != noted.split()[0]:
        versions = f"kContractVersion is {found.split()[0]}, and {CONTRACT} has {noted.split()[0]}"
        return f"{versions}: run {sys.argv[0]} ROOT --update"
    return (
        "headers that generated code includes have changed. If code that was generated before does not work with them, "
        f"increase kContractVersion and run tools/golden. Then run {sys.argv[0]} ROOT --update"
    )


def main(arguments):
    root = pathlib.Path(arguments[0])
    if "--update" in arguments:
        (root / CONTRACT).write_text(contract(root), encoding="utf-8")
        return 0
    problem = check(root)
    if problem:
        print(problem)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
