#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the table of scheduling modes in README.md from the registry of the built program.

    scripts/mode_table.py [--check] BERYL_SCHED

BERYL_SCHED is the path of the program, whose --list-modes is read. With --check nothing is
written: exits with 1 if the table in README.md is not current.
"""

import pathlib
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"
BEGIN = "<!-- modes: written by scripts/mode_table.py -->\n"
END = "<!-- end of modes -->\n"


def table(program):
    try:
        listed = subprocess.run([program, "--list-modes"], check=True, stdout=subprocess.PIPE,
                                text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"mode_table.py: {program} lists no modes: {error}")
    rows = ["| mode | description | tasks may add tasks |\n", "| --- | --- | --- |\n"]
    for line in listed.stdout.splitlines():
        name, kind, text = line.split("\t")
        rows.append(f"| `{name}` | {text} | {'yes' if kind == 'dynamic' else ''} |\n")
    return "".join(rows)


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check:
        sys.exit(__doc__)
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    new = table(arguments[-1])
    if check and old != new:
        sys.exit("The table of modes in README.md is not current: run scripts/mode_table.py "
                 "build/release/bin/beryl-sched")
    if not check:
        README.write_text(before + BEGIN + new + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
