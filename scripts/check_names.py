#!/usr/bin/env python3
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
FUNCTION = re.compile(r"^static (?:inline )?[\w \*]*?\b(\w+)\(", re.MULTILINE)


def static_functions(root):
    """(name, file, line) of each definition or declaration."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            text = path.read_text(encoding="utf-8")
            for match in FUNCTION.finditer(text):
                yield match[1], path.relative_to(root), text.count("\n", 0, match.start()) + 1


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
