#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every source file lives in a room and includes only what its room may see.

    scripts/check_includes.py [FOLDER]

FOLDER is the root of the project, by default the one that this script lies in. A room is a
folder with one purpose; which rooms it may include from, and how many files it may hold, stand
below. Prints each violation with file and line, and exits with 1 if there is one.
"""

import os
import re
import sys


SUPPORT = ["support/base", "support/vectors", "support/mpi", "support/io"]
CHEMISTRY = SUPPORT + ["support/arrays", "basis/input", "basis/integrals", "basis/quartets"]

PUBLIC = "sched/pool/taskpool"  # included as taskpool/NAME.h, as by programs from outside
POOL = [PUBLIC, "sched/pool", "sched/pool/core"]
LAB = ["sched/lab/trace", "sched/pool/modes", "sched/lab/comparison", "sched/lab/profiles"]

# Room: the rooms, or single headers of a room, that it may include besides its own. Arrows
# point one way: a room comes after all that it may see.
ROOMS = {
    "support/base": [],
    "support/vectors": [],
    "support/mpi": ["support/base"],
    "support/io": ["support/base", "support/mpi"],
    "support/arrays": ["support/base", "support/vectors", "support/mpi"],

    "basis/input": SUPPORT,
    "basis/integrals": ["support/base", "support/vectors", "basis/input"],
    "basis/quartets": ["support/base", "support/vectors", "basis/integrals"],

    # The pool: the library taskpool.
    "sched/pool/taskpool": [],
    "sched/pool/queues": ["support/base", PUBLIC],
    "sched/pool/core": SUPPORT + [PUBLIC, "sched/pool/queues"],
    "sched/pool/trace": SUPPORT + [PUBLIC, "sched/pool/core"],
    "sched/pool/shared": ["support/base", PUBLIC, "sched/pool/queues"],
    "sched/pool/protocols": SUPPORT + [PUBLIC, "sched/pool/queues", "sched/pool/core", "sched/pool/shared"],
    "sched/pool/balancing": SUPPORT + [PUBLIC, "sched/pool/queues", "sched/pool/core", "sched/pool/protocols"],
    "sched/pool/modes": SUPPORT + [PUBLIC, "sched/pool/queues", "sched/pool/core", "sched/pool/shared",
                                   "sched/pool/protocols", "sched/pool/balancing"],
    "sched/pool/drivers/mpi": ["support/base", "support/mpi", PUBLIC, "sched/pool/core", "sched/pool/trace"],
    "sched/pool/drivers/sim": SUPPORT + [PUBLIC, "sched/pool/core", "sched/pool/trace"],
    "sched/pool": SUPPORT + [PUBLIC, "sched/pool/core", "sched/pool/trace", "sched/pool/modes",
                             "sched/pool/queues", "sched/pool/drivers/mpi", "sched/pool/drivers/sim"],

    # The laboratory: what is done with pools.
    "sched/lab/profiles": SUPPORT + [PUBLIC, "sched/pool/core"],
    "sched/lab/trace": SUPPORT + [PUBLIC, "sched/pool/core", "sched/pool/trace"],
    "sched/lab/bound": SUPPORT + [PUBLIC, "sched/pool/core"],
    "sched/lab/comparison": SUPPORT + [*POOL, "sched/lab/bound", "sched/lab/trace", "sched/pool/modes"],
    # Examples of the library: of the pool they see the public headers alone.
    "sched/lab/workloads": SUPPORT + [PUBLIC, "sched/lab/profiles"],
    "sched/lab/cli": SUPPORT + [*POOL, *LAB, "sched/pool/drivers/mpi/mpi_calibrate.h",
                                "sched/pool/drivers/sim", "sched/lab/bound", "sched/lab/workloads"],

    "hf/tiles": CHEMISTRY,
    "hf/digestion": CHEMISTRY + ["hf/tiles"],
    "hf/fock": CHEMISTRY + ["hf/tiles", "hf/digestion", *POOL],
    "hf/checkpoint": CHEMISTRY + ["hf/tiles", "hf/fock"],
    "hf/properties": CHEMISTRY + ["hf/tiles", "hf/fock"],
    "hf/scf": CHEMISTRY + ["hf/tiles", "hf/digestion/density_kind.h", "hf/fock", "hf/checkpoint", "hf/properties"],
    "hf/guess": CHEMISTRY + ["hf/tiles", "hf/fock", "hf/scf"],
    # The calculation: settings in, energies and matrices out; no command line, no JSON.
    "hf/calculation": CHEMISTRY + ["hf/tiles", "hf/fock", "hf/checkpoint", "hf/scf", "hf/guess",
                                   *POOL, "sched/pool/modes"],
    "hf/result": CHEMISTRY + ["hf/tiles/tiling.h", "hf/fock", "hf/checkpoint", "hf/scf", "hf/calculation", *POOL, *LAB],
    "hf/cli": CHEMISTRY + ["hf/tiles", "hf/fock", "hf/scf", "hf/calculation", "hf/result", *POOL, *LAB],

    "tce/tensor": SUPPORT + ["support/arrays"],
    "tce/dense": ["support/base", "support/vectors", "tce/tensor"],
    "tce/language": SUPPORT + ["tce/tensor"],
    "tce/run": SUPPORT + ["support/arrays", "tce/tensor", "tce/dense", PUBLIC, "sched/pool"],
    "tce/plan": SUPPORT + ["tce/tensor", "tce/dense", "tce/language", "tce/run", PUBLIC, "sched/pool/core",
                           "sched/lab/profiles"],
    "tce/execution": SUPPORT + ["tce/tensor", "tce/language", "tce/run", "tce/plan",
                                *POOL, "sched/lab/profiles"],
    "tce/integrals": CHEMISTRY + ["tce/tensor", "hf/tiles", "hf/fock", "hf/scf", "hf/guess", *POOL],
    "tce/methods": CHEMISTRY + ["tce/tensor", "tce/plan/plan_loops.h", "tce/execution", "tce/integrals", "hf/tiles",
                                "hf/fock", "hf/checkpoint", "hf/scf", *POOL],
    "tce/calculation": CHEMISTRY + ["tce/execution", "tce/integrals", "tce/methods",
                                    "hf/checkpoint", "hf/calculation", *POOL],
    "tce/library": CHEMISTRY + ["tce/methods", "tce/calculation", "hf/tiles", "hf/fock",
                                "hf/checkpoint", "hf/calculation", *POOL, "sched/pool/modes"],
    "tce/cli": CHEMISTRY + ["tce/tensor", "tce/language", "tce/run", "tce/plan",
                            "tce/execution", "tce/integrals", "tce/methods", "tce/calculation",
                            "hf/checkpoint", "hf/scf", "hf/calculation", "hf/result",
                            "hf/cli/hf_options.h", *POOL, *LAB],
}

# Rooms that do without MPI: what they hold runs the same in a simulation, or on one process.
WITHOUT_MPI = ["basis/integrals", "basis/quartets", "sched/pool/queues", "sched/pool/shared", "sched/pool/protocols",
               "sched/pool/balancing", "sched/pool/modes", "sched/pool/drivers/sim", "tce/language"]

# Headers of other packages and the rooms that may include them. Any other header is the
# system's (SYSTEM) or refused.
PACKAGES = {
    "mpi.h": [room for room in ROOMS if room not in WITHOUT_MPI],
    "cpuid.h": ["support/vectors"],
    "immintrin.h": ["support/vectors"],
    "cblas.h": ["support/arrays", "tce/tensor", "tce/dense", "tce/integrals"],
    "armci.h": ["support/arrays"],
    "ga.h": ["support/arrays"],
    "elpa/elpa.h": ["support/arrays"],
    "libint2.h": ["basis/integrals"],
    "libecpint/ecpint.hpp": ["basis/integrals"],
    "libecpint/mathutil.hpp": ["basis/integrals"],
    "libecpint/qgen.hpp": ["basis/integrals"],
    "trexio.h": ["hf/checkpoint"],
    "hdf5.h": ["hf/checkpoint", "tce/methods"],
    "otf2/otf2.h": ["sched/lab/trace"],
    "openssl/evp.h": ["support/base"],
    "openssl/sha.h": ["sched/lab/workloads"],
    # Linux: which file system a pipe is of.
    "linux/magic.h": ["support/io"],
    "sys/vfs.h": ["support/io"],
    "jansson.h": ["support/io", "sched/pool/core", "sched/pool/trace", "sched/lab/trace",
                  "sched/lab/profiles", "sched/lab/comparison", "sched/lab/workloads",
                  "sched/lab/cli", "hf/result", "hf/cli"],
}

# Headers of C and POSIX, without their endings.
SYSTEM = """arpa/inet assert complex ctype dirent dlfcn errno fcntl fenv float ftw getopt glob inttypes
limits locale math netdb netinet/in netinet/tcp pthread sched search semaphore setjmp signal spawn
stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib string strings sys/mman sys/resource
sys/socket sys/stat sys/statvfs sys/time sys/types sys/wait time unistd""".split()

# Headers of C++.
SYSTEM_CXX = "array cmath cstddef exception new vector".split()

# Rooms and headers whose files, with all that they include in turn, must not reach these: a mode,
# and what it is written with, knows neither MPI nor the simulator. The public headers include
# mpi.h, but these files name nothing of it.
MPI_AND_DRIVERS = ("<mpi.h>", "sched/pool/drivers/")
UNREACHABLE = {
    "sched/pool/taskpool/mode.h": (*MPI_AND_DRIVERS, "<jansson.h>"),
    "sched/pool/core/comm.h": (*MPI_AND_DRIVERS, "<jansson.h>"),
    "sched/pool/queues": (*MPI_AND_DRIVERS, "<jansson.h>"),
    "sched/pool/shared": (*MPI_AND_DRIVERS, "<jansson.h>"),
    "sched/pool/protocols": (*MPI_AND_DRIVERS, "<jansson.h>"),
    "sched/pool/balancing": (*MPI_AND_DRIVERS, "<jansson.h>"),
    "sched/pool/modes": MPI_AND_DRIVERS,
}

# The tests see everything, and only they see these.
TEST_ROOMS = ["tests", "benchmarks", "tests/cases", "tests/example_mode", "tests/fuzz",
              "tests/load",
              "tests/hosts", "tests/library", "tests/package", "tests/property", "tests/reference", "tests/science"] + [
                  f"tests/{kind}/{folder}" for kind in ("unit", "parallel")
                  for folder in ("support", "basis", "sched", "hf", "tce")]

DIRECTIVE = re.compile(r"[ \t]*(?:#|%:)[ \t]*(?:include\w*|import)\b[ \t]*(.*?)[ \t]*$")
INCLUDED = re.compile(r'"([^"]+\.h)"|<([^>]+\.h(?:pp)?|[a-z]+)>')
COMMENT_OR_LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def is_build(path):
    return os.path.exists(os.path.join(path, "CMakeCache.txt"))


def sources(root):
    """Paths of all C files and headers, templates of them too, relative to root; the folder
    build and other builds are left out."""
    outside = {os.path.join(root, name) for name in (".git", "build")}
    for path, folders, files in os.walk(root):
        inner = sorted(os.path.join(path, name) for name in folders)
        folders[:] = [os.path.basename(folder) for folder in inner
                      if folder not in outside and not is_build(folder)]
        for name in sorted(files):
            if re.search(r"\.([ch]|cpp)(\.in)?$", name):
                yield os.path.relpath(os.path.join(path, name), root)


def without_comment(match):
    """A comment as white space with its line ends; a literal as it is."""
    text = match[0]
    return text if text[0] in "\"'" else " " + "\n" * text.count("\n")


def plain_lines(text):
    """Lines of C text without comments; continued ones are joined, and empty ones follow."""
    text = re.sub(r"(?:[^\n]*\\\n)+[^\n]*",
                  lambda lines: lines[0].replace("\\\n", "") + "\n" * lines[0].count("\\\n"), text)
    return COMMENT_OR_LITERAL.sub(without_comment, text).split("\n")


def includes(root, path):
    """(line, header, whether of another package) of each include of a file; the header is None
    if it is no plain name of one."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        lines = plain_lines(file.read())
    for number, line in enumerate(lines, 1):
        directive = DIRECTIVE.match(line)
        if directive:
            found = INCLUDED.fullmatch(directive[1]) or [None] * 3
            own, angled = found[1], found[2]
            for name in (own, angled):
                if name and os.path.exists(os.path.join(root, "sched/pool", name)):
                    own, angled = os.path.join("sched/pool", name), None
            if angled and any(os.path.exists(os.path.join(root, angled + end))
                              for end in ("", ".in")):
                own, angled = angled, None
            yield number, own or angled, angled is not None


def may_include(room, header, foreign):
    if foreign:
        return (header.removesuffix(".h") in SYSTEM and header.endswith(".h") or header in SYSTEM_CXX
                or room in PACKAGES.get(header, []))
    return bool({header, os.path.dirname(header)} & {room, *ROOMS[room]})


def check_file(root, path):
    """Violations of one file."""
    room = os.path.dirname(path)
    if room in TEST_ROOMS:
        return
    if room not in ROOMS:
        yield f"{path}: belongs to no room of scripts/check_includes.py"
        return
    for line, header, foreign in includes(root, path):
        if header is None:
            yield f'{path}:{line}: an include is "ROOM/NAME.h" or <NAME.h>'
        elif not may_include(room, header, foreign):
            yield f"{path}:{line}: {room} may not include {f'<{header}>' if foreign else header}"


def reached(root, path, seen):
    """All that a file includes, in turn: seen[included] is the file that includes it."""
    for _, header, foreign in includes(root, path):
        name = f"<{header}>" if foreign else header
        if name == "<mpi.h>" and path.startswith(PUBLIC):
            continue
        if name not in seen:
            seen[name] = path
            if header and not foreign and os.path.exists(os.path.join(root, header)):
                reached(root, header, seen)
    return seen


def check_reach(root, path):
    """Violations of UNREACHABLE by one file."""
    forbidden = UNREACHABLE.get(path) or UNREACHABLE.get(os.path.dirname(path))
    if not forbidden:
        return
    if os.path.dirname(path) != PUBLIC:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for line, text in enumerate(plain_lines(file.read()), 1):
                if re.search(r"\bP?MPI_\w", re.sub(r'"[^"]*"', "", text)):
                    yield f"{path}:{line}: names a part of MPI"
    for found, includer in sorted(reached(root, path, {}).items(), key=str):
        if found and found.startswith(forbidden):
            yield f"{path}: reaches {found}, which {includer} includes"


def violations(root):
    count = dict.fromkeys(ROOMS, 0)
    for path in sources(root):
        yield from check_file(root, path)
        yield from check_reach(root, path)
        room = os.path.dirname(path)
        if room in count:
            count[room] += 1
    for room, files in count.items():
        if files == 0:
            yield f"{room}: a room of scripts/check_includes.py without files"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    found = list(violations(os.path.normpath(root)))
    for line in found:
        print(line)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
