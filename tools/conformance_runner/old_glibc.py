"""Lets a program that was linked with glibc 2.38 start with an older one. old_glibc.c has the functions that it then lacks.

usage: old_glibc.py PROGRAM

Marks the program's references to the newer versions of glibc and libstdc++ as weak, in place. The dynamic loader starts a
program although a weak version is missing.
"""

import io
import pathlib
import struct
import sys

from elftools.elf.elffile import ELFFile

NEW_VERSIONS = ("GLIBC_2.38", "GLIBCXX_3.4.32")
VER_FLG_WEAK = 2


def main():
    path = pathlib.Path(sys.argv[1])
    data = bytearray(path.read_bytes())
    elf = ELFFile(io.BytesIO(data))
    section = elf.get_section_by_name(".gnu.version_r")
    names = elf.get_section(section["sh_link"])
    need = section["sh_offset"]
    for _ in range(section["sh_info"]):
        _, count, _, first, next_need = struct.unpack_from("<HHIII", data, need)  # Elf64_Verneed
        entry = need + first
        for _ in range(count):
            _, flags, _, name, next_entry = struct.unpack_from("<IHHII", data, entry)  # Elf64_Vernaux
            if names.get_string(name) in NEW_VERSIONS:
                struct.pack_into("<H", data, entry + 4, flags | VER_FLG_WEAK)
            entry += next_entry
        need += next_need
    path.write_bytes(data)


if __name__ == "__main__":
    main()
