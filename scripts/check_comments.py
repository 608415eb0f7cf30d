#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds comments that open with 'What', 'Of' or 'The same': they lean on the code before them, and
have not the term that a reader would search for (CONTRIBUTING.md, "Words").

    scripts/check_comments.py [ROOT]

Reads comments of C, CMake, JavaScript, Python (docstrings, too) and shell; of line comments below each
other the first. Prints those found, with file and line, and exits with 1 if there are any.
"""
import pathlib
import re
import sys

ROOMS = ["support", "basis", "sched", "hf", "tce", "tests", "scripts", "cmake", "inputs"]
OPENING = r"[ \t\n*]*(?:What|Of|The same)\b"
SLASHED = re.compile(r"/\*!?" + OPENING + r"|(?<![:/])//" + OPENING)
HASHED = re.compile(r'^[ \t]*#' + OPENING + r'|^[ \t]*[rf]?"""' + OPENING, re.MULTILINE)
COMMENTS = {".c": SLASHED, ".h": SLASHED, ".mjs": SLASHED, ".js": SLASHED, ".css": SLASHED,
            ".py": HASHED, ".sh": HASHED, ".cmake": HASHED, ".txt": HASHED}
LINE_COMMENT = re.compile(r"[ \t]*(?:#|//)")


def sources(root):
    yield from sorted(root.glob("*.sh")) + [root / "CMakeLists.txt"]
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in COMMENTS and (path.suffix != ".txt" or path.stem == "CMakeLists"):
                yield path


def openings(path):
    """(line number, text of the line) of each comment that is found."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for match in COMMENTS[path.suffix].finditer(text):
        number = text.count("\n", 0, match.start())
        continues = number > 0 and LINE_COMMENT.match(lines[number - 1])
        if not (continues and LINE_COMMENT.match(lines[number])):
            yield number + 1, lines[number].strip()


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    found = [(path.relative_to(root), number, line)
             for path in sources(root) if path.is_file() for number, line in openings(path)]
    for path, number, line in found:
        print(f"{path}:{number}: a comment that opens with 'What', 'Of' or 'The same': {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
