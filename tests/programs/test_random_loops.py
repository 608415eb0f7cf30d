#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random programs with symmetries, symmetrizers and loops over tuples of tiles, and every fifth with a
product that is cut into slices, give what plain loops give, and one digest on all numbers of
processes and under all modes; with a symmetry that a tensor does not have they are refused.

    test_random_loops.py BERYL_TCE BERYL_SCHED MPIEXEC [PROGRAMS [SEED]]

PROGRAMS (24) programs run on one process, twice over and with --verify, and under three modes on 2, 3,
4 or 7 processes in turn; of more than 100 programs each on 2 to 7. The modes are those of
--list-modes. A program that fails is printed with its seed.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

import loop_programs
import sliced_sums

SECONDS = 120  # for a run
PROCESSES = [2, 3, 4, 7]
TOLERANCE = 1e-12  # of the products that make a scalar

# A single process needs no daemon, which takes Open MPI 0.1 s to start.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self"}


class Fault(Exception):
    pass


def run(command, environment=None):
    """Standard output."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, check=False,
                              env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired:
        raise Fault(f"no end after {SECONDS} s: {' '.join(command)}") from None
    if done.returncode != 0:
        raise Fault(f"exit status {done.returncode}: {' '.join(command)}\n{done.stderr[-3000:]}")
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def digest_of(output):
    return re.search(r"^SHA-256 of the results +(\w{64})$", output, re.MULTILINE)[1]


def check_values(output, expected):
    for name, (value, norm) in expected.items():
        found = re.search(rf"^{name} +(\S+)$", output, re.MULTILINE)
        if not found:
            raise Fault(f"{name} is not printed")
        error = abs(float(found[1]) - value)
        if not error <= TOLERANCE * norm + 1e-14 * abs(value):
            raise Fault(f"{name} is {found[1]}, expected {value:.15g}; products: {norm:.3g}")


def check_slices(output, n_uncut):
    """That there are more tasks than without slices."""
    n_tasks = int(re.search(r"^auto +1 .* (\d+)$", output, re.MULTILINE)[1])
    if n_tasks <= n_uncut:
        raise Fault(f"{n_tasks} tasks: no sum is cut into slices")


class Runs:
    def __init__(self, beryl_tce, beryl_sched, mpiexec, all_processes):
        self.beryl_tce, self.mpiexec, self.all_processes = beryl_tce, mpiexec, all_processes
        lines = subprocess.run([beryl_sched, "--list-modes"], check=True, capture_output=True,
                               text=True).stdout.splitlines()
        self.modes = [line.split("\t")[0] for line in lines]

    def check(self, path, expected, n_uncut, choose, number):
        """n_uncut: tasks of a program with slices, did it not have them; 0: it has none."""
        pairs = ["--pairs", choose.choice(["always", "always", "auto"])]
        output = run([self.beryl_tce, "run", path, "--iterations", "2", "--verify"] + pairs, ALONE)
        check_values(output, expected)
        if n_uncut:
            check_slices(output, n_uncut)
        digest = digest_of(output)
        turn = range(2, 8) if self.all_processes else [PROCESSES[number % len(PROCESSES)]]
        for n in turn:
            modes = ",".join(choose.sample(self.modes, 3))
            command = [self.mpiexec, "--oversubscribe", "-n", str(n), self.beryl_tce, "run", path,
                       "--compare", modes] + pairs
            if digest_of(run(command)) != digest:
                raise Fault(f"another digest than on one process: {' '.join(command)}")

    def check_refusal(self, path, line):
        """The statement makes what has not the symmetry that is declared."""
        try:
            run([self.beryl_tce, "run", path, "--pairs", "always"], ALONE)
        except Fault as fault:
            if f"{path}:{line}:1: this does not make " in str(fault):
                return
            raise
        raise Fault(f"line {line} is not refused")


def main():
    n_programs = int(sys.argv[4]) if len(sys.argv) > 4 else 24
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(10**6)
    runs = Runs(*sys.argv[1:4], n_programs > 100)
    n_failed = n_loops = n_symmetries = n_wrong = 0
    print(f"seed {seed}, {len(runs.modes)} modes", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.tce")
        for i in range(n_programs):
            choose = random.Random(f"{seed} {i}")
            has_slices = i % 5 == 4
            maker = (sliced_sums if has_slices else loop_programs).Maker(choose)
            text, expected, wrong = maker.make()
            n_uncut = maker.n_uncut if has_slices else 0
            n_loops += text.count("\nend\n")
            n_symmetries += text.count("symmetric ")
            try:
                write(path, text)
                runs.check(path, expected, n_uncut, choose, i)
                if wrong:
                    text = wrong[0]
                    write(path, text)
                    runs.check_refusal(path, wrong[1])
                    n_wrong += 1
            except Fault as fault:
                print(f"program {i} of seed {seed}:\n{text}\n{fault}", flush=True)
                n_failed += 1
    print(f"{n_programs} programs with {n_loops} loops and {n_symmetries} symmetries, {n_wrong} refused "
          f"with a wrong one, {n_failed} complaints")
    return n_failed > 0 or 0 in (n_loops, n_symmetries, n_wrong)


if __name__ == "__main__":
    sys.exit(main())
