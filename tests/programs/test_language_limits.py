#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every limit of the language: a program at the limit gives the right value, one beyond it is refused with its line.

    test_language_limits.py BERYL_TCE
"""

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
    return f"space s = {size}\nindex {names('i', max(n, 24))} : s\ntensor A[{names('i', n)}] = constant\nscalar E\n"


def rank(n):
    return over(n) + f"E = A[{names('i', n)}]\n", 2**n


def factors(n):
    return over(1) + "E = 4 * " + " * ".join(["A[i0]"] * n) + "\n", 8


def spaces(n):
    text = "".join(f"space s{k} = 1\n" for k in range(n - 1))
    return text + over(1) + "E = A[i0]\n", 2


def indices(n):
    return f"space s = 2\nindex {names('i', n)} : s\ntensor A[i{n - 1}] = constant\nscalar E\nE = A[i{n - 1}]\n", 2


def scalars(n):
    return f"scalar {names('F', n - 1)}\nscalar E = constant(3)\nE += F0\n", 3


def products(n):
    """So many take long to compute."""
    return "scalar F = constant\nscalar E\nE = " + " + ".join(["F"] * n) + "\n", None


def groups(n):
    value = 2**n
    for k in range(2, n + 1):
        value *= k
    return over(n) + f"E = sym({names('i', n)}) A[{names('i', n)}]\n", value


def group_indices(n):
    first, second = (" ".join(f"i{k}" for k in range(begin, begin + n)) for begin in (0, n))
    factor = "A[" + first.replace(" ", ",") + "]"
    other = "A[" + second.replace(" ", ",") + "]"
    return over(26, 1).replace(names("i", 26) + "] =", names("i", n) + "] =") + \
        f"E = sym({first}, {second}) {factor} * {other}\n", 2


def operators(n):
    return over(2) + "E = " + "sym(i0, i1) " * n + "A[i0,i1]\n", 4 * 2**n


def loop_indices(n):
    return over(n) + f"for {names('i', n)} by tile 1\nE = A[{names('i', n)}]\nend\n", 2**n


def ordered_indices(n):
    return over(n) + f"for {names('i', n).replace(',', ' >= ')} by tile 1\nE = A[{names('i', n)}]\nend\n", 2**n


def name(n):
    return f"space s = 2\nindex {'i' * n} : s\ntensor A[{'i' * n}] = constant\nscalar E\nE = A[{'i' * n}]\n", 2


def number(n):
    return over(1) + f"E = 1.5{'0' * (n - 3)} * A[i0]\n", 3


def irrep(n):
    return f"space s = 2 irrep {n}, 1\nindex i : s\ntensor A[i] irrep {n} = constant\nscalar E\nE = A[i] * A[i]\n", 2


def spin(n):
    return f"space s = 3 alpha, 1 beta\nindex i : s\ntensor A[i,i|] spin {n} = constant\nscalar E\n" \
           "E = A[i,i|] * A[i,i|]\n", 3


def program_tile(n):
    return f"tile {n}\n" + over(1) + "E = A[i0]\n", 2


def space_tile(n):
    return over(1).replace("s = 2", f"s = 2 tile {n}") + "E = A[i0]\n", 2


def loop_tile(n):
    return over(1) + f"for i0 by tile {n}\nE = A[i0]\nend\n", 2


def block(n):
    return f"space u = {n}\n" + over(1) + "E = A[i0]\n", 2


def tiles(n):
    return f"space u = {n} tile 1\n" + over(1).replace("s = 2", "s = 2 tile 2") + "index u : u\nE = A[i0]\n", 2


def exponent(n):
    return "scalar F = constant\nscalar E\nE = 1e" + f"{n} * F\n", float(f"1e{n}")


def report(n):
    return over(1) + f'report E "{"x" * n}"\nE = A[i0]\n', 2


def permutations(n):
    """1,152, the permutations of two times four indices and of both fours, or 1,440."""
    declared = "i0 i1 i2 i3, i4 i5 i6 i7, (i0 i1 i2 i3)(i4 i5 i6 i7)" if n == 1152 else "i0 i1 i2 i3 i4 i5, i6 i7"
    return over(8).replace(" = constant", f" symmetric {declared} = constant") + f"E = A[{names('i', 8)}]\n", 256


LIMITS = [(rank, 12), (factors, 8), (spaces, 5000), (indices, 5000), (scalars, 5000), (products, 100000), (groups, 6),
          (group_indices, 12), (operators, 4), (loop_indices, 6), (ordered_indices, 6), (name, 60), (number, 60),
          (irrep, 7), (spin, 2), (program_tile, 10**9), (space_tile, 10**9), (loop_tile, 10**9), (block, 10**9),
          (tiles, 2**20 - 1), (exponent, 308), (report, 60), (permutations, 1152)]


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
        for make, n in LIMITS:
            try:
                check_limit(sys.argv[1], os.path.join(folder, "limit.tce"), make, n)
            except Fault as fault:
                check(False, f"{make.__name__}: {fault}")
    print(f"{len(LIMITS)} limits, {len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
