#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of the scheduler for a task, in builds of several commits.

    instructions.py BENCH_TASKPOOL... [--tasks 20000] [--poll-every 1] [--runs 3]

Runs each bench_taskpool under callgrind (Debian's valgrind) and prints the instructions for a task in
taskpool_run, over all modes of its table, and the ratio to the first build. MPI's own are left out,
because it waits by the clock. With a poll after each task the rest is the same to some 0.1 % in each
run (of more tasks, fewer are polled for when the machine is busy); the fewest of all runs count.
"""
import argparse
import subprocess
import tempfile


def own_instructions(path, program):
    """Sum of the costs of the program's own functions in a file of callgrind."""
    names, own, total, is_call = {}, False, 0, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ob="):
                number, _, name = line[3:].strip().partition(" ")
                own = names.setdefault(number, name) == program
            elif line.startswith("calls="):
                is_call = True
            elif line[0] in "+-*0123456789":
                if own and not is_call:
                    total += int(line.split()[-1])
                is_call = False
            elif line.startswith("cob="):
                number, _, name = line[4:].strip().partition(" ")
                names.setdefault(number, name)
    return total


def instructions(program, options):
    """Instructions for a task in one run; the table has `cases` of nine runs each."""
    with tempfile.NamedTemporaryFile() as counts:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts.name}",
             "--toggle-collect=taskpool_run", program, str(options.tasks),
             str(options.poll_every)], check=True, capture_output=True, text=True)
        cases = len(result.stdout.splitlines()) - 2
        return own_instructions(counts.name, program) / (9 * cases * options.tasks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", metavar="BENCH_TASKPOOL")
    parser.add_argument("--tasks", type=int, default=20000)
    parser.add_argument("--poll-every", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    first = None
    for program in options.programs:
        runs = [instructions(program, options) for _ in range(options.runs)]
        first = first or min(runs)
        print(f"{program}: {min(runs):.4f} to {max(runs):.4f} instructions per task, "
              f"ratio {min(runs) / first:.5f}", flush=True)


main()
