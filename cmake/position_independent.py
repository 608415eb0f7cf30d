#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes objects that were compiled for programs fit for a shared library.

    cmake/position_independent.py FOLDER ARCHIVE...

Debian's Global Arrays and ARMCI-MPI are static archives compiled with -fPIE. Such code takes the
address of a variable of another library, MPI's handles for instance, by

    lea variable(%rip), register            48 8d ..   R_X86_64_PC32

which a linker refuses in a shared library: the variable may be far away. Position-independent code
reads the address from the global offset table, an instruction of the same length:

    mov variable@GOTPCREL(%rip), register   48 8b ..   R_X86_64_REX_GOTPCRELX

This script unpacks the archives into FOLDER, a folder for each, replaces the former by the latter
for every symbol that the object does not define. What it cannot replace, the linker names.
"""

import os
import struct
import subprocess
import sys

PC32, REX_GOTPCRELX = 2, 42
SHT_SYMTAB, SHT_RELA = 2, 4
LEA, MOV = 0x8d, 0x8b


def sections(data):
    """(type, offset, size, link, info) of each section of an ELF object for x86-64."""
    if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", data, 16) != (1, 62):
        sys.exit("position_independent.py: not an object for x86-64")
    start, = struct.unpack_from("<Q", data, 40)
    size, number = struct.unpack_from("<HH", data, 58)
    for i in range(number):
        _, kind, _, _, offset, length, link, info = struct.unpack_from("<IIQQQQII", data,
                                                                       start + i * size)
        yield kind, offset, length, link, info


def replace_addresses(data):
    table = list(sections(data))
    for kind, offset, length, link, info in table:
        if kind != SHT_RELA:
            continue
        code, symbols = table[info][1], table[link][1]
        for entry in range(offset, offset + length, 24):
            place, what, addend = struct.unpack_from("<QQq", data, entry)
            defined_in, = struct.unpack_from("<H", data, symbols + 24 * (what >> 32) + 6)
            at = code + place
            if (what & 0xffffffff == PC32 and defined_in == 0 and addend == -4
                    and place >= 3 and data[at - 3] & 0xfb == 0x48 and data[at - 2] == LEA
                    and data[at - 1] & 0xc7 == 5):
                data[at - 2] = MOV
                struct.pack_into("<Q", data, entry + 8, what & ~0xffffffff | REX_GOTPCRELX)


def main():
    for archive in sys.argv[2:]:
        folder = os.path.join(sys.argv[1], os.path.basename(archive) + ".objects")
        os.makedirs(folder, exist_ok=True)
        archive = os.path.abspath(archive)
        members = subprocess.run(["ar", "t", archive], check=True, capture_output=True,
                                 text=True).stdout.split()
        if len(set(members)) != len(members):
            sys.exit(f"position_independent.py: {archive} has members of one name")
        subprocess.run(["ar", "x", archive], check=True, cwd=folder)
        for member in members:
            path = os.path.join(folder, member)
            with open(path, "r+b") as file:
                data = bytearray(file.read())
                replace_addresses(data)
                file.seek(0)
                file.write(data)


if __name__ == "__main__":
    main()
