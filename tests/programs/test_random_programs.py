#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random programs print what numpy computes, and wrong ones are refused with their line.

    test_random_programs.py BERYL_TCE BERYL_SCHED MPIEXEC [PROGRAMS [SEED [FIRST]]]

PROGRAMS (70) programs, from number FIRST (0) on, of SEED (1). Each right one runs twice in a process under a random
mode, with products over pairs always, never or where they pay, and every fourth with --verify; every eighth also
under three modes on 2, 3, 4 or 7 processes in turn, with the same digest. Half of the programs are wrong, most of them
for an ordered loop whose sum is not symmetric. A program that fails is printed with its number and kept in the file
random_SEED_NUMBER.tce.
"""

import os
import random
import re
import sys
import tempfile

import random_programs
from running import ALONE, Fault, run, run_well, started

PROCESSES = [2, 3, 4, 7]
TOLERANCE = 1e-11  # of the norm
TOO_MANY = "too many indices to show"


def digest_of(output):
    return re.search(r"^SHA-256 of the results +(\w{64})$", output, re.MULTILINE)[1]


def check_values(output, values, why=""):
    printed = dict(re.findall(r"^(\w+) +(\S+)$", output, re.MULTILINE))
    for name, (value, norm) in values.items():
        if name not in printed:
            raise Fault(f"{name} is not printed")
        if not abs(float(printed[name]) - value) <= TOLERANCE * norm:
            raise Fault(f"{why}{name} is {printed[name]}, not {value:.15g}, a sum of products of {norm:.3g}")


def check_refusal(path, refused, status, message):
    """Status 2 and a line of what is wrong."""
    first, last, words = refused
    found = re.search(rf"{re.escape(path)}:(\d+):", message)
    if status == 2 and found and TOO_MANY in message:
        return
    if status != 2 or not found or not first <= int(found[1]) <= last or (words or "") not in message:
        raise Fault(f"exit status {status}, where lines {first} to {last} are to be refused: {words or ''}\n{message}")


class Runs:
    def __init__(self, beryl_tce, beryl_sched, mpiexec):
        self.beryl_tce, self.mpiexec, self.n_unshown = beryl_tce, mpiexec, 0
        lines = run_well([beryl_sched, "--list-modes"]).splitlines()
        self.modes = [line.split("\t")[0] for line in lines]

    def check(self, path, case, choose, number):
        options = ["--pairs", choose.choice(["always", "always", "always", "auto", "never"])]
        options += choose.choice([[], ["--cache", "0"], ["--no-prefetch"]])
        command = [self.beryl_tce, "run", path, *options, "--iterations", "2"]
        if case.refused:
            status, output, message = run(command, env=ALONE)
            if status != 0 or case.refused[2] is not None:
                check_refusal(path, case.refused, status, message)
            else:
                check_values(output, case.values, "accepted, though not symmetric: ")
            return
        verify = ["--verify"] if number % 4 == 0 else []
        command += ["--sched", choose.choice(self.modes)]
        status, output, message = run(command + verify, env=ALONE)
        if status == 2 and TOO_MANY in message:
            self.n_unshown += 1
            return
        if status != 0:
            raise Fault(f"exit status {status}: {' '.join(command)}\n{message[-3000:]}")
        check_values(output, case.values)
        n_tasks = int(re.search(r"^[\w-]+ +1 .* (\d+)$", output, re.MULTILINE)[1])
        if case.n_uncut and n_tasks <= case.n_uncut:
            raise Fault(f"{n_tasks} tasks: no sum is cut into slices")
        if number % 8 == 0:
            n = PROCESSES[number // 8 % len(PROCESSES)]
            command = started(self.mpiexec, n, self.beryl_tce, "run", path, *options, "--compare",
                              ",".join(choose.sample(self.modes, 3)))
            if digest_of(run_well(command)) != digest_of(output):
                raise Fault(f"another digest than on one process: {' '.join(command)}")


def main():
    n_programs, seed, first = (int(word) for word in (sys.argv[4:] + ["70", "1", "0"][len(sys.argv) - 4:]))
    runs, n_failed, n_refused = Runs(*sys.argv[1:4]), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.tce")
        for number in range(first, first + n_programs):
            choose = random.Random(f"{seed} {number}")
            case = random_programs.make(choose)
            n_refused += case.refused is not None
            with open(path, "w", encoding="utf-8") as file:
                file.write(case.text)
            try:
                runs.check(path, case, choose, number)
            except Fault as fault:
                kept = f"random_{seed}_{number}.tce"
                os.replace(path, os.path.join(os.environ.get("TMPDIR", "."), kept))
                print(f"program {number} of seed {seed}, kept in {kept}:\n{case.text}\n{fault}", flush=True)
                n_failed += 1
    print(f"{n_programs} programs, {n_refused} of them wrong; {runs.n_unshown} of too many indices for a trial; "
          f"{n_failed} complaints")
    return n_failed > 0 or n_refused == 0 or runs.n_unshown > 0.25 * n_programs


if __name__ == "__main__":
    sys.exit(main())
