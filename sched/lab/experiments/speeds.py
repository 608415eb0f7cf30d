#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Workers of other speeds, which no mode is told: one that is slow, wherever it is, or half of them.

From the third iteration on auto and persist must be within 3 % of the best mode. Five and twenty
tasks a worker, normally distributed ones of 0.1 s, costs predicted; on 4,096 workers the slow one is
first, last, or at an edge of a node. 4,096 workers take half an hour:

    speeds.py --workers 16,256
    speeds.py --workers 4096 --np 2
"""
import pathlib
import shutil
import sys
import tempfile

import experiment
import figure

SPEEDS = [0.2, 0.5]
TASKS_PER_WORKER = [5, 20]
LEARNERS = ["auto", "persist"]
BOUNDS = {"lpt"}  # modes that know what nobody can
N_ITERATIONS, FROM = 5, 2
EVERY = 8
MOST_POSITIONS = 32  # more workers have some at the ends, and at edges of nodes of 16
EDGES = [0, 1, 15, 16, 17, 255, 256, 1000, 1023, 1024, 2047, 2048, 3000, -16, -2, -1]


def positions(workers):
    if workers <= EVERY * MOST_POSITIONS:
        return range(0, workers, EVERY)
    return sorted({position % workers for position in EDGES})


class Case:
    """Workers of some speeds."""
    def __init__(self, folder, name, speeds, tasks_each):
        self.name, self.workers, self.tasks_each = name, len(speeds), tasks_each
        path = folder / f"{self.workers} {name}".replace(" ", "_")
        path.write_text("\n".join(map(str, speeds)) + "\n")
        self.options = (f"--gauss 0.1,0.01 --tasks {self.workers * tasks_each} --simulate "
                        f"{self.workers} --speeds {path} --known-speeds none "
                        f"--iterations {N_ITERATIONS}")
        self.seconds = {}  # of each mode: every iteration

    def take(self, mode, result):
        self.seconds[mode] = [iteration["makespan_seconds"]
                              for iteration in experiment.iterations(result)]

    def worst(self, mode):
        return max(self.seconds[mode][FROM:])

    def best(self):
        return min(self.seconds, key=self.worst)

    def to_best(self, mode):
        return self.worst(mode) / self.worst(self.best())


def make_cases(folder, workers, tasks_each):
    cases = [Case(folder, f"{speed} at {slow}",
                  [speed if worker == slow else 1 for worker in range(workers)], tasks_each)
             for speed in SPEEDS for slow in positions(workers)]
    return cases + [
        Case(folder, "every second 0.5", [0.5 if worker % 2 else 1 for worker in range(workers)],
             tasks_each),
        Case(folder, "first half 0.5", [0.5 if 2 * worker < workers else 1
                                        for worker in range(workers)], tasks_each)]


def main():
    options = experiment.parser(__doc__)
    options.add_argument("--workers", metavar="N,...", default="16,256",
                         help="numbers of workers (16,256)")
    lab = experiment.begin("speeds", __doc__, options.parse_args())
    workers = [16] if lab.quick else [int(n) for n in lab.options.workers.split(",")]
    modes = [mode for mode in lab.modes() if mode not in BOUNDS]
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        cases = [case for n in workers for each in TASKS_PER_WORKER
                 for case in make_cases(folder, n, each)]
        pairs = [(case, mode) for case in cases for mode in modes]
        lines = [f"{case.options} --sched {mode}" for case, mode in pairs]
        for (case, mode), result in zip(pairs, lab.sweep(lines)):
            case.take(mode, result)
    finally:
        shutil.rmtree(folder)
    lab.draw(report(lab, cases))
    return lab.end()


def report(lab, cases):
    groups = {}
    for case in cases:
        groups.setdefault((case.workers, case.tasks_each), []).append(case)
    rows = []
    for (workers, each), group in groups.items():
        for mode in LEARNERS:
            worst = max(group, key=lambda case, mode=mode: case.to_best(mode))
            rows.append([workers, each, mode, worst.name, worst.best(),
                         worst.to_best(mode)])
            lab.at_most(f"{mode} to the best mode, {workers} workers, {each} tasks each",
                        worst.to_best(mode), 1.03)
    lab.table("Worst makespans to the best mode, from the third iteration on",
              ["workers", "tasks each", "mode", "where", "best mode", "ratio"], rows)
    lab.beryl["cases"] = [{"workers": case.workers, "tasks a worker": case.tasks_each,
                           "speeds": case.name, "seconds": case.seconds} for case in cases]
    return [figure.Panel("to the best mode", "case", "makespan",
                         [figure.Series(mode, list(range(len(cases))),
                                        [case.to_best(mode) for case in cases])
                          for mode in LEARNERS])]


if __name__ == "__main__":
    sys.exit(main())
