#!/usr/bin/env python3
"""make_recipes.py PROTOC INPUT OUTPUT: writes the text-format messages of INPUT, which lines of --- part, as varint-delimited
cookbook.Recipe messages. protoc does the encoding, so no protobuf package is needed."""

import pathlib
import subprocess
import sys


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def main():
    protoc, source, target = sys.argv[1:]
    folder = pathlib.Path(source).parent
    with open(target, "wb") as output:
        for text in pathlib.Path(source).read_text(encoding="utf-8").split("---\n"):
            command = [protoc, f"-I{folder}", "--encode=cookbook.Recipe", "recipe.proto"]
            message = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
            output.write(varint(len(message)) + message)


if __name__ == "__main__":
    main()
