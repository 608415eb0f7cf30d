#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds source files without the line SPDX-License-Identifier: BSD-3-Clause among their first three.

    scripts/check_spdx.py [ROOT]

Prints them and exits with 1 if there are any. Data, inputs, .tce programs and documents have none.
"""

import pathlib
import sys

SUFFIXES = {".c", ".h", ".cpp", ".py", ".sh", ".cmake", ".mjs", ".in"}
ROOMS = ["support", "basis", "sched", "hf", "tce", "tests", "scripts", "cmake", "inputs"]
LINE = "SPDX-License-Identifier: BSD-3-Clause"


def sources(root):
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in SUFFIXES or path.name == "CMakeLists.txt":
                yield path
    yield from (path for path in sorted(root.glob("*")) if path.suffix == ".sh")
    yield root / "CMakeLists.txt"


def has_line(path):
    with open(path, encoding="utf-8") as file:
        return any(LINE in line for _, line in zip(range(3), file))


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    missing = [path for path in sources(root) if path.is_file() and not has_line(path)]
    for path in missing:
        print(f"{path.relative_to(root)}: no line '{LINE}'")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
