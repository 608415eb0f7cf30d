#!/usr/bin/env python3
"""Checks that every source file lives in a room and includes only what its room may see.

    scripts/check_includes.py [FOLDER]

FOLDER is the root of the project, by default the one that this script lies in. A room is a
folder with one purpose; which rooms it may include from, and how many files it may hold, stand
below. Prints each violation with file and line, and exits with 1 if there is one.
"""

import os
import re
import sys

MAX_FILES = 30  # C files and headers of a room

SUPPORT = ["support/base", "support/io"]
CHEMISTRY = SUPPORT + ["support/arrays", "basis/input", "basis/integrals"]

# Room: the rooms, or single headers of a room, that it may include besides its own. Arrows
# point one way: a room comes after all that it may see.
ROOMS = {
    "support/base": [],
    "support/io": ["support/base"],
    "support/arrays": ["support/base"],

    "basis/input": SUPPORT,
    "basis/integrals": ["support/base", "basis/input"],

    "sched/queues": ["support/base"],
    "sched/core": SUPPORT + ["sched/queues"],
    "sched/protocols": SUPPORT + ["sched/queues", "sched/core"],
    "sched/modes": SUPPORT + ["sched/queues", "sched/core", "sched/protocols"],
    "sched/drivers/mpi": ["support/base", "sched/core"],
    "sched/drivers/sim": SUPPORT + ["sched/core"],
    "sched": SUPPORT + ["sched/core", "sched/modes", "sched/drivers/mpi", "sched/drivers/sim"],
    "sched/workloads/bnsl": SUPPORT,
    "sched/workloads": SUPPORT + ["sched", "sched/core", "sched/queues", "sched/workloads/bnsl"],
    "sched/report": SUPPORT,
    "sched/cli": SUPPORT + ["sched", "sched/core", "sched/modes",
                            "sched/drivers/mpi/mpi_calibrate.h", "sched/drivers/sim",
                            "sched/workloads", "sched/report"],

    "hf/tiles": CHEMISTRY,
    "hf/fock": CHEMISTRY + ["hf/tiles", "sched", "sched/core"],
    "hf/checkpoint": CHEMISTRY + ["hf/tiles", "hf/fock"],
    "hf/scf": CHEMISTRY + ["hf/tiles", "hf/fock", "hf/checkpoint"],
    "hf/guess": CHEMISTRY + ["hf/tiles", "hf/fock", "hf/scf"],
    "hf/cli": CHEMISTRY + ["hf/tiles", "hf/fock", "hf/checkpoint", "hf/scf", "hf/guess",
                           "sched", "sched/core", "sched/modes", "sched/report/report.h",
                           "sched/report/report_program.h", "sched/report/report_section.h"],

    "tce/tensor": SUPPORT + ["support/arrays"],
    "tce/language": SUPPORT + ["tce/tensor"],
    "tce/contraction": SUPPORT + ["support/arrays", "tce/tensor", "sched"],
    "tce/plan": SUPPORT + ["tce/tensor", "tce/language", "tce/contraction", "sched/core"],
    "tce/execution": SUPPORT + ["tce/tensor", "tce/language", "tce/contraction", "tce/plan",
                                "sched", "sched/core"],
    "tce/integrals": CHEMISTRY + ["tce/tensor", "hf/tiles", "hf/fock", "hf/scf", "sched",
                                  "sched/core"],
    "tce/methods": CHEMISTRY + ["tce/tensor", "tce/execution", "tce/integrals", "hf/tiles",
                                "hf/fock", "hf/checkpoint", "hf/scf", "sched", "sched/core"],
    "tce/cli": CHEMISTRY + ["tce/tensor", "tce/language", "tce/contraction", "tce/plan",
                            "tce/execution", "tce/integrals", "tce/methods", "hf/fock",
                            "hf/checkpoint", "hf/scf", "hf/cli", "sched", "sched/core",
                            "sched/modes"],
    "sched/experiments": CHEMISTRY + ["hf/tiles", "sched/core"],
}

# Headers of other packages, by their beginning, and the rooms that may include them.
PACKAGES = {
    "ga": ["support/arrays"],
    "macdecls": ["support/arrays"],
    "elpa/": ["support/arrays"],
    "libint2": ["basis/integrals"],
    "trexio": ["hf/checkpoint"],
    "hdf5": ["hf/checkpoint", "tce/methods"],
    "openssl/": ["support/base", "sched/workloads"],
    "jansson": ["support/io", "support/base", "sched/core", "sched/modes", "sched/workloads",
                "sched/report", "sched/cli", "hf/cli", "tce/cli"],
}

# Headers that, with all that they include, must not reach these: they are what a mode is
# written against, and a mode knows neither MPI nor the simulator.
UNREACHABLE = {
    "sched/core/mode.h": ["<mpi.h>", "<jansson.h>", "sched/drivers/"],
    "sched/core/comm.h": ["<mpi.h>", "<jansson.h>", "sched/drivers/"],
}

# The tests see everything, and only they see these.
TEST_ROOMS = ["tests", "tests/benchmarks", "tests/cases", "tests/example_mode", "tests/fuzz",
              "tests/package", "tests/property", "tests/reference", "tests/science"] + [
                  f"tests/{kind}/{folder}" for kind in ("unit", "parallel")
                  for folder in ("support", "basis", "sched", "hf", "tce")]

FOLDERS = ("support", "basis", "sched", "hf", "tce", "tests")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def sources(root):
    """Paths of all C files and headers, templates of them too, relative to root."""
    for folder in FOLDERS:
        for path, folders, files in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(files):
                if re.search(r"\.[ch](\.in)?$", name):
                    yield os.path.relpath(os.path.join(path, name), root)


def includes(root, path):
    """(line, what is included, whether in angle brackets) of a file."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match[1] or match[2], match[1] is None


def check_file(root, path):
    """Violations of one file."""
    room = os.path.dirname(path)
    if room in TEST_ROOMS:
        return
    if room not in ROOMS:
        yield f"{path}: belongs to no room of scripts/check_includes.py"
        return
    for line, header, angled in includes(root, path):
        if angled:
            for start, rooms in PACKAGES.items():
                if header.startswith(start) and room not in rooms:
                    yield f"{path}:{line}: {room} may not include <{header}>"
        elif not {header, os.path.dirname(header)} & {room, *ROOMS[room]}:
            yield f"{path}:{line}: {room} may not include {header}"


def reached(root, header, seen):
    """All that a header includes, in turn."""
    for _, inner, angled in includes(root, header):
        if angled:
            seen.add(f"<{inner}>")
        elif inner not in seen and os.path.exists(os.path.join(root, inner)):
            seen.add(inner)
            reached(root, inner, seen)
    return seen


def violations(root):
    count = dict.fromkeys(ROOMS, 0)
    for path in sources(root):
        yield from check_file(root, path)
        room = os.path.dirname(path)
        if room in count:
            count[room] += 1
    for room, files in count.items():
        if files > MAX_FILES:
            yield f"{room}: {files} C files and headers; a room holds at most {MAX_FILES}"
        if files == 0:
            yield f"{room}: a room of scripts/check_includes.py without files"
    for header, forbidden in UNREACHABLE.items():
        for found in sorted(reached(root, header, set())):
            if found.startswith(tuple(forbidden)):
                yield f"{header}: reaches {found}"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    found = list(violations(os.path.normpath(root)))
    for line in found:
        print(line)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
