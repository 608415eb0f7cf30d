#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The worth of locality: owner-computes scheduling against stealing, where each task reads a block
of data from the worker that owns it and writes it back.

Simulated tasks of a millisecond, 32 for each worker. The tasks of one owner are longer or shorter
together, by the imbalance. A block takes its network card a multiple of a task's time, over which the
panels go. `static` runs each task where its block is: no transfer, but the imbalance in full.
Stealing from there moves tasks and, with them, their blocks; from blocks of consecutive tasks, whose
owners are all others, it moves nearly every block. Where static begins to win is the crossing.
"""
import math
import pathlib
import random
import sys
import tempfile

import experiment
import figure

MEAN_S, DEVIATION, PER_WORKER, BYTES = 1e-3, 0.1, 32, 1000000
NETWORK = "--node-size 1 --latency 2e-6 --overhead 2e-7"
STATIC = "static, by owner"
SCHEDULES = {STATIC: "--sched static --seeding owner",
             "stealing, by owner": "--sched steal --seeding owner",
             "stealing, by number": "--sched steal --seeding block"}


def write_tasks(path, workers, imbalance):
    """Tasks and, beside them, their data: block t, of task t, belongs to worker t modulo workers.
    Returns the seconds of the mean worker."""
    generator = random.Random(1)
    factors = [1 + imbalance * (2 * worker / (workers - 1) - 1) for worker in range(workers)]
    generator.shuffle(factors)
    seconds = [MEAN_S * factors[task % workers] * max(generator.gauss(1, DEVIATION), 0)
               for task in range(PER_WORKER * workers)]
    tables = {".csv": ("task,seconds", (f"{t},{s:.9g}" for t, s in enumerate(seconds))),
              ".blocks.csv": ("task,access,block",
                              (f"{t},{access},{t}" for t in range(len(seconds)) for access in "rw")),
              ".sizes.csv": ("block,bytes,owner",
                             (f"{t},{BYTES},{t}" for t in range(len(seconds))))}
    for ending, (head, rows) in tables.items():
        path.with_suffix(ending).write_text("\n".join([head, *rows]) + "\n")
    return sum(seconds) / workers


def crossing(ratios, static, other):
    """The ratio of transfer to task from which on static is faster, between two of those tried on
    straight lines over its logarithm; None if it is nowhere, or everywhere."""
    ahead = [math.log(b / a) for a, b in zip(static, other)]
    for i in range(1, len(ratios)):
        if ahead[i - 1] < 0 <= ahead[i]:
            part = ahead[i - 1] / (ahead[i - 1] - ahead[i])
            return ratios[i - 1] * (ratios[i] / ratios[i - 1]) ** part
    return None


def study(lab, folder, workers, imbalance, ratios):
    """Makespan over the mean time of tasks per worker, by schedule and ratio."""
    path = folder / f"tasks{imbalance}.csv"
    ideal = write_tasks(path, workers, imbalance)
    keys = [(name, ratio) for name in SCHEDULES for ratio in ratios]
    runs = lab.sweep([f"--profile {path} --simulate {workers} {NETWORK} "
                      f"--bandwidth {BYTES / (ratio * MEAN_S):.9g} {SCHEDULES[name]}"
                      for name, ratio in keys])
    found = {key: experiment.last(run)["makespan_seconds"] / ideal for key, run in zip(keys, runs)}
    return {name: [found[name, ratio] for ratio in ratios] for name in SCHEDULES}


def main():
    lab = experiment.begin("locality", __doc__)
    workers = 16 if lab.quick else 128
    ratios = [0.01, 0.1, 1, 10] if lab.quick else [0.01 * 10 ** (i / 4) for i in range(15)]
    imbalances = [0.25, 0.5] if lab.quick else [0.1, 0.25, 0.5, 0.9]
    panels, crossings = [], {name: {} for name in SCHEDULES if name != STATIC}
    with tempfile.TemporaryDirectory() as name:
        for imbalance in imbalances:
            lines = study(lab, pathlib.Path(name), workers, imbalance, ratios)
            lab.table(f"Imbalance {imbalance}: makespan to that of the mean worker",
                      ["transfer to task", *lines],
                      [[ratio, *(y[i] for y in lines.values())] for i, ratio in enumerate(ratios)])
            lab.beryl[f"imbalance {imbalance}"] = {"transfer to task": ratios, **lines}
            for other, of in crossings.items():
                of[imbalance] = crossing(ratios, lines[STATIC], lines[other])
            panels.append(figure.Panel(f"imbalance {imbalance}", "transfer to task",
                                       "makespan to mean work",
                                       [figure.Series(label, ratios, y)
                                        for label, y in lines.items()], x_log=True, y_log=True))
    lab.beryl["crossing"] = crossings
    lab.table("Transfer to task from which on owner-computes wins", ["imbalance", *crossings],
              [[imbalance, *(of[imbalance] for of in crossings.values())]
               for imbalance in imbalances])
    for other, of in crossings.items():
        values = [of[imbalance] for imbalance in imbalances]
        lab.check(f"{other}: wins where imbalance dominates, loses where transfers do", values,
                  "ascending", None not in values and values == sorted(values))
    panels.append(figure.Panel("From where on owner-computes wins", "imbalance", "transfer to task",
                               [figure.Series(name, imbalances, [of[i] for i in imbalances])
                                for name, of in crossings.items()], y_log=True))
    lab.draw(panels)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
