#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no two static functions of the product in different files share a name, so that
debuggers, profilers and indexes of symbols tell them apart.

    scripts/check_names.py [ROOT]

Prints each shared name with its places and exits with 1 if there is one.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("support", "basis", "sched", "hf", "tce")
# No part of a declaration: comments, literals, directives with their continuations, attributes.
IGNORED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
    |^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*|\b(?:__attribute__|_Alignas|[A-Z][A-Z0-9_]*)[ \t\n]*
    (?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))""", re.DOTALL | re.MULTILINE | re.VERBOSE)
# `static` anywhere before the name, which may stand in the parentheses of a returned pointer to a
# function.
FUNCTION = re.compile(
    r"\bstatic\b[^;{}=()\[\]]*?(?:\b(\w+)\s*\((?!\s*\*)|\(\s*\*+\s*(\w+)\s*\()")


def without_ignored(text):
    return IGNORED.sub(lambda match: " " + "\n" * match[0].count("\n"), text)


def static_functions(root):
    """(name, file, line) of each definition or declaration."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            text = without_ignored(path.read_text(encoding="utf-8"))
            for match in FUNCTION.finditer(text):
                line = text.count("\n", 0, match.start(match.lastindex)) + 1
                yield match[match.lastindex], path.relative_to(root), line


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "..")
    places = collections.defaultdict(dict)
    for name, path, line in static_functions(root.resolve()):
        places[name].setdefault(path, line)
    shared = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(shared.items()):
        print(f"{name}: {', '.join(f'{path}:{line}' for path, line in files.items())}")
    sys.exit(bool(shared))


if __name__ == "__main__":
    main()
