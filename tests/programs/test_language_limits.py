#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every limit of the language: a program at the limit gives the right value, one beyond it is refused with
its line.

    test_language_limits.py BERYL_TCE
"""

import math
import os
import re
import sys
import tempfile

from running import ALONE, Fault, check, complaints, run
from test_random_programs import check_values


def names(letter, n):
    return ",".join(f"{letter}{k}" for k in range(n))


def over(n, size=2):
    """A space of a few values and a tensor A of n of its indices, all elements 1."""
    index = names("i", max(n, 24))
    return f"space s = {size}\nindex {index} : s\ntensor A[{names('i', n)}] = constant\nscalar E\n"


def constant(index, space="space s = 2", more=""):
    """The sum of a tensor's elements."""
    return f"{space}\nindex {index} : s\ntensor A[{index.split(',')[-1]}]{more} = constant\nscalar E\n" \
           f"E = A[{index.split(',')[-1]}]"


def exchanged(n):
    """Two groups of n indices, and a factor for each."""
    first, second = ([f"i{k}" for k in range(begin, begin + n)] for begin in (0, n))
    text = over(26, 1).replace(names("i", 26) + "] =", names("i", n) + "] =")
    product = f"A[{','.join(first)}] * A[{','.join(second)}]"
    return f"{text}E = sym({' '.join(first)}, {' '.join(second)}) {product}\n", 2


def loop(n, between):
    own = names("i", n)
    return over(n) + f"for {own.replace(',', between)} by tile 1\nE = A[{own}]\nend\n", 2**n


def permuted(n):
    """1,152, the permutations of two times four indices and of both fours, or 1,440."""
    declared = "i0 i1 i2 i3 i4 i5, i6 i7"
    if n == 1152:
        declared = "i0 i1 i2 i3, i4 i5 i6 i7, (i0 i1 i2 i3)(i4 i5 i6 i7)"
    return over(8).replace(" = constant",
                           f" symmetric {declared} = constant") + f"E = A[{names('i', 8)}]\n", 256


SUM = over(1) + "E = A[i0]\n"
# A limit, and a program of so many with its value. 100,000 products take long to compute.
LIMITS = {
    "rank": (12, lambda n: (over(n) + f"E = A[{names('i', n)}]\n", 2**n)),
    "factors": (8, lambda n: (over(1) + "E = 4 * " + " * ".join(["A[i0]"] * n) + "\n", 8)),
    "spaces": (5000, lambda n: ("".join(f"space s{k} = 1\n" for k in range(n - 1)) + SUM, 2)),
    "indices": (5000, lambda n: (constant(names("i", n)) + "\n", 2)),
    "scalars": (5000, lambda n: (f"scalar {names('F', n - 1)}\nscalar E = constant(3)\nE += F0\n", 3)),
    "products": (100000, lambda n: ("scalar F = constant\nscalar E\nE = " + " + ".join(["F"] * n) + "\n",
                                    None)),
    "groups": (6, lambda n: (over(n) + f"E = sym({names('i', n)}) A[{names('i', n)}]\n",
                             2**n * math.factorial(n))),
    "group indices": (12, exchanged),
    "operators": (4, lambda n: (over(2) + "E = " + "sym(i0, i1) " * n + "A[i0,i1]\n", 4 * 2**n)),
    "loop indices": (6, lambda n: loop(n, ",")),
    "ordered indices": (6, lambda n: loop(n, " >= ")),
    "name": (60, lambda n: (constant("i" * n) + "\n", 2)),
    "number": (60, lambda n: (over(1) + f"E = 1.5{'0' * (n - 3)} * A[i0]\n", 3)),
    "irrep": (7, lambda n: (constant("i", f"space s = 2 irrep {n}, 1", f" irrep {n}") + " * A[i]\n", 2)),
    "spin": (2, lambda n: ("space s = 3 alpha, 1 beta\nindex i : s\n"
                           f"tensor A[i,i|] spin {n} = constant\nscalar E\nE = A[i,i|] * A[i,i|]\n", 3)),
    "program's tile": (10**9, lambda n: (f"tile {n}\n" + SUM, 2)),
    "space's tile": (10**9, lambda n: (SUM.replace("s = 2", f"s = 2 tile {n}"), 2)),
    "loop's tile": (10**9, lambda n: (over(1) + f"for i0 by tile {n}\nE = A[i0]\nend\n", 2)),
    "block": (10**9, lambda n: (f"space u = {n}\n" + SUM, 2)),
    "tiles": (2**20 - 1, lambda n: (f"space u = {n} tile 1\n" + SUM.replace("s = 2", "s = 2 tile 2")
                                    + "index u : u\n", 2)),
    "exponent": (308, lambda n: (f"scalar F = constant\nscalar E\nE = 1e{n} * F\n", float(f"1e{n}"))),
    "report": (60, lambda n: (over(1) + f'report E "{"x" * n}"\nE = A[i0]\n', 2)),
    "permutations": (1152, permuted)}


def check_limit(beryl_tce, path, make, n):
    for beyond in (0, 1):
        text, value = make(n + beyond)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        status, output, message = run([beryl_tce, "run", path] + ["--dry-run"] * (value is None), env=ALONE)
        if beyond == 0 and status != 0:
            raise Fault(f"{n} is refused: {message[:500]}")
        if beyond == 0 and value is not None:
            check_values(output, {"E": (value, abs(value))})
        if beyond and (status != 2 or not re.match(rf"beryl-tce: {re.escape(path)}:\d+:\d+: ", message)
                       or len(message) > 1000):
            raise Fault(f"one beyond {n}: exit status {status}, {message[:500]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (n, make) in LIMITS.items():
            try:
                check_limit(sys.argv[1], os.path.join(folder, "limit.tce"), make, n)
            except Fault as fault:
                check(False, f"{name}: {fault}")
    print(f"{len(LIMITS)} limits, {len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
