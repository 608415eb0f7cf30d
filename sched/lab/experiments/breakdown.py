#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where each scheduling mode breaks down: efficiency over the mean length of tasks and the number
of workers, which no paper has for all of them.

40 tasks for each worker, of exponentially distributed lengths, on the default machine (100 us for
a question to another node and its answer, 16 workers to a node, messages answered at once). Modes
that learn from one iteration to the next are taken at their fifth, the others at their only one.
A mode breaks down where its efficiency falls below 80 %: so long must tasks be for it.
"""
import sys

import experiment
import figure

TASKS = 40
BOUND = "lpt"
MODES = {
    "static": "--sched static",
    "counter": "--sched counter",
    "guided": "--sched guided",
    "factoring": "--sched factoring",
    "trapezoid": "--sched trapezoid",
    "share": "--sched share",
    "share, 1 in 64": "--sched share --managers {managers}",
    "steal": "--sched steal",
    "lifeline": "--sched lifeline",
    "retentive": "--sched retentive --iterations 5",
    "persist": "--sched persist --iterations 5",
    "diffusion": "--sched diffusion --iterations 5",
    "dtree": "--sched dtree",
    "hybrid": "--sched hybrid",
    "auto": "--sched auto --iterations 5",
    BOUND: "--sched lpt",
}
QUEUES = 7  # of these modes, the first, give out tasks from one place, or never
VARIANTS = ("share, 1 in 64",)
ENOUGH = 0.8
LONG_S = 0.01  # then a run takes long against the search for its end


def shortest(means, efficiencies):
    """The mean length, between two of those tried, from which on efficiency is enough; None if
    it never is, the first if it always is."""
    if efficiencies[-1] < ENOUGH:
        return None
    i = len(means) - 1
    while i > 0 and efficiencies[i - 1] >= ENOUGH:
        i -= 1
    if i == 0:
        return means[0]
    part = (ENOUGH - efficiencies[i - 1]) / (efficiencies[i] - efficiencies[i - 1])
    return means[i - 1] * (means[i] / means[i - 1]) ** part


def main():
    lab = experiment.begin("breakdown", __doc__)
    workers = [64, 1024] if lab.quick else [256, 4096, 16384]
    means = [1e-4, 1e-2] if lab.quick else [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    lines = [f"--exponential {mean} --tasks {TASKS * n} --simulate {n} --progress thread "
             + mode.format(managers=max(n // 64, 1))
             for n in workers for mode in MODES.values() for mean in means]
    results = iter(lab.sweep(lines))
    panels, worst, to_best = ([], []), [], []
    for n in workers:
        found = {mode: [experiment.last(next(results))["efficiency"] for _ in means]
                 for mode in MODES}
        limits = {mode: shortest(means, efficiencies) for mode, efficiencies in found.items()}
        lab.beryl[str(n)] = {mode: {"mean": means, "efficiency": efficiencies,
                                    "shortest mean for 80 %": limits[mode]}
                             for mode, efficiencies in found.items()}
        lab.table(f"{n} workers: efficiency by mean length of tasks, and the shortest for 80 %",
                  ["mode", *(f"{mean:g} s" for mean in means), "80 % from, s"],
                  [[mode, *efficiencies, limits[mode]] for mode, efficiencies in found.items()])
        series = [figure.Series(mode, means, efficiencies, variant=mode in VARIANTS)
                  for mode, efficiencies in found.items()]
        for row, part in zip(panels, (series[:QUEUES], series[QUEUES:])):
            row.append(figure.Panel(f"{n} workers", "mean length of tasks, s", "efficiency", part,
                                    x_log=True, y_from=0))
        for i in range(len(means)):
            others = [found[mode][i] for mode in MODES if mode not in ("auto", BOUND)]
            worst.append(found["auto"][i] / min(others))
            if means[i] >= LONG_S:
                to_best.append(found["auto"][i] / max(others))
    lab.at_least("auto is never the worst: to the worst of the others", min(worst), 1)
    lab.at_least("auto to the best of the others, tasks of 10 ms and more", min(to_best), 0.95)
    lab.draw(panels[0] + panels[1])
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
