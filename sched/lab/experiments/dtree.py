#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The micro-benchmark of Pamnany et al., Dtree: Dynamic Task Scheduling at Petascale
(ISC 2015), section 3: Dtree against a static distribution on simulated nodes.

Under Dtree a node is a simulated worker of several threads. `static` gives each node the same
number of tasks; the node's threads take one after the other (mode hybrid without a static
part, threads being the workers and nodes the groups).
Simulated parents of a Dtree have the thread that the paper gives them. Under "dtree, poll" they
have no such thread, as over MPI, and answer between two tasks (--progress poll).
Figures: 2a tasks per thread, 2b weak scaling, 3a-c strong scaling on processors, coprocessors
and both, 4a-b length and deviation of tasks. Imbalance is, as in section 5.4, the time to
solution less the average over the nodes of the time when each is done, here as a part of the
time to solution.
"""
import array
import pathlib
import random
import sys
import tempfile

import experiment
import figure

# Stampede: one-way latency of a small message and 3 million of them per second (section 2.2;
# it prints ms for us), FDR InfiniBand.
NETWORK = "--latency 1.31e-6 --overhead 3.3e-7 --bandwidth 6e9"
MEAN, SD = 0.5, 0.125

PAPER = {
    "2a imbalance, 256 nodes": {"2.5 tasks per thread": 0.13, "40 tasks per thread": 0.016},
    "2a seconds, 2.5 tasks per thread": 2.0,
    "2b imbalance, 320 tasks per node, at most": 0.05,
    "3a imbalance, 1310720 tasks, at most": 0.014,
    "3b imbalance, 19660800 tasks on coprocessors, at most": 0.019,
    "3c imbalance, 10000000 tasks on both, at most": 0.037,
    "4a shortest tasks that are scheduled well, seconds": 0.005,
    "table 2, mean and deviation": {"ParaBLe leaf": [0.696, 0.314], "ParaBLe seed": [0.414, 0.114],
                                    "GTFock 15mer": [0.733, 0.197],
                                    "GTFock graphene": [0.644, 0.153]},
}


class Case:
    """Tasks on nodes of so many threads; the results of its two runs are set later."""

    def __init__(self, nodes, n_tasks, mean=MEAN, sd=SD, threads=16, speeds=None):
        self.nodes, self.n_tasks, self.mean, self.sd = nodes, n_tasks, mean, sd
        self.threads, self.speeds = threads, speeds

    def per_thread(self):
        return self.n_tasks / (self.nodes * self.threads)

    def write_tasks(self, path):
        """The paper's pool: a normal distribution for each node's set of tasks, whose mean is
        drawn within one standard deviation."""
        generator = random.Random(1)
        seconds = array.array("d")
        for node in range(self.nodes):
            mean = self.mean + self.sd * generator.uniform(-1, 1)
            n = self.n_tasks * (node + 1) // self.nodes - len(seconds)
            seconds.extend(max(generator.gauss(mean, self.sd), 0) for _ in range(n))
        experiment.write_profile(path, seconds)

    def options(self, folder, mode):
        """With the files that they name, written into the folder."""
        text = f"--profile {folder / 'tasks.npy'} {NETWORK} "
        if self.speeds:
            (folder / "speeds").write_text("\n".join(map(str, self.speeds)) + "\n")
            text += f"--speeds {folder / 'speeds'} "
        if mode.startswith("dtree"):
            text += "--progress poll " if mode == "dtree, poll" else ""
            return text + (f"--simulate {self.nodes} --threads {self.threads} --node-size 1 "
                           "--sched dtree --fan-out 256 --poll-every 1")  # a task at a time
        return text + (f"--simulate {self.nodes * self.threads} --node-size {self.threads} "
                       "--sched hybrid --static-fraction 0 --no-locality "
                       f"--group {self.threads} --tasklets {int(self.per_thread()) + 1}")


def both(nodes, n_tasks):
    """Nodes of a processor and a coprocessor: 16 threads, and 15 times 16 that take 0.87 s for
    what takes the processor's 0.35 s."""
    return Case(16 * nodes, n_tasks, 0.35, 0.12, speeds=([1] + [0.35 / 0.87] * 15) * nodes)


def imbalance(result, workers, threads):
    seconds = experiment.last(result)["makespan_seconds"]
    ends = [seconds - worker["idle_seconds"] for worker in workers]
    nodes = [max(ends[i:i + threads]) for i in range(0, len(ends), threads)]
    return 1 - sum(nodes) / len(nodes) / seconds


def measure(lab, case, modes=("static", "dtree")):
    """{mode: {"seconds":, "imbalance":, "efficiency":}} of a case."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        case.write_tasks(folder / "tasks.npy")
        runs = lab.sweep_workers([case.options(folder, mode) for mode in modes])
    found = {}
    for mode, (result, workers) in zip(modes, runs):
        last = experiment.last(result)
        found[mode] = {"seconds": last["makespan_seconds"],
                       "imbalance": imbalance(result, workers, case.threads),
                       "efficiency": last["efficiency"]}
    return found


def study(lab, name, x_name, cases, modes=("static", "dtree")):
    """Measures cases, a dictionary over x; prints and keeps what was found."""
    found = {x: measure(lab, case, modes) for x, case in cases.items()}
    lab.beryl[name] = {f"{x:g}": by_mode for x, by_mode in found.items()}
    lab.table(name, [x_name] + [f"{mode} {what}" for mode in modes
                                for what in ("seconds", "imbalance")],
              [[f"{x:g}"] + [by_mode[mode][what] for mode in modes
                             for what in ("seconds", "imbalance")]
               for x, by_mode in found.items()])
    return found


def worst(found):
    return max(by_mode["dtree"]["imbalance"] for by_mode in found.values())


def panel(title, x_title, found, what, paper=None, log=True):
    scale, y_title = (100, "imbalance, %") if what == "imbalance" else (1, "seconds")
    modes = list(next(iter(found.values())))
    lines = [figure.Series(mode, list(found), [scale * by_mode[mode][what]
                                               for by_mode in found.values()], variant="," in mode)
             for mode in modes]
    if paper:
        lines.append(figure.Series("dtree", list(paper), [scale * y for y in paper.values()],
                                   paper=True))
    return figure.Panel(title, x_title, y_title, lines, x_log=True,
                        y_log=log and what == "seconds", y_from=None if log else 0)


def scaling(lab):
    """Figures 2 and 3."""
    quick = lab.quick
    panels = []

    found = study(lab, "2a: tasks per thread", "tasks per thread",
                  {n: Case(16 if quick else 256, int(n * 16) * (16 if quick else 256))
                   for n in ((2.5, 40) if quick else (2.5, 5, 10, 20, 40))})
    lab.at_most("40 tasks per thread are balanced", found[40]["dtree"]["imbalance"], 0.03)
    lab.check("dtree beats static from 2.5 tasks per thread on",
              [found[2.5][mode]["seconds"] for mode in ("dtree", "static")], "ascending",
              found[2.5]["dtree"]["seconds"] < found[2.5]["static"]["seconds"])
    panels.append(panel("2a: 256 nodes", "tasks per thread", found, "imbalance",
                        {2.5: 0.13, 40: 0.016}, log=False))

    found = study(lab, "2b: weak scaling, 320 tasks per node", "nodes",
                  {n: Case(n, 320 * n) for n in ((16, 64) if quick else (64, 128, 256, 512, 1024))},
                  ["static", "dtree", "dtree, poll"])
    lab.at_most("320 tasks per node are balanced", worst(found), 0.05)
    lab.at_least("without the parents' threads Dtree is slower, times",
                 min(of["dtree, poll"]["seconds"] / of["dtree"]["seconds"]
                     for of in found.values()), 1)
    panels.append(panel("2b: 320 tasks per node", "nodes", found, "imbalance",
                        {n: 0.05 for n in found}, log=False))

    n_tasks = 20480 if quick else 1310720
    found = study(lab, f"3a: strong scaling, {n_tasks} tasks", "nodes",
                  {n: Case(n, n_tasks) for n in ((4, 16) if quick else (64, 128, 256, 512, 1024))})
    lab.at_most("strong scaling: 80 tasks per thread and more are balanced", worst(found), 0.02)
    panels.append(panel(f"3a: {n_tasks:,} tasks", "nodes", found, "seconds"))

    if not quick:
        found = study(lab, "3b: coprocessors, 19660800 tasks", "nodes",
                      {n: Case(n, 19660800, sd=0.165, threads=240) for n in (256, 512, 1024)})
        lab.at_most("coprocessors are balanced", worst(found), 0.02)
        panels.append(panel("3b: 19,660,800 tasks on coprocessors", "nodes", found, "seconds"))

    n_tasks = 40000 if quick else 10000000
    found = study(lab, f"3c: processors and coprocessors, {n_tasks} tasks", "nodes",
                  {n: both(n, n_tasks) for n in ((4,) if quick else (128, 256, 512))}, ["dtree"])
    lab.at_most("processors with coprocessors are balanced", worst(found), 0.037)
    panels.append(panel(f"3c: {n_tasks:,} tasks on both", "nodes", found, "seconds"))
    return panels


def lengths(lab):
    """Figure 4 and the pools of table 2."""
    quick = lab.quick
    nodes = 64 if quick else 1024
    panels = []

    means = (0.5, 0.05, 0.005) if quick else (0.5, 0.05, 0.005, 0.0005)
    found = study(lab, "4a: length of tasks", "mean, s",
                  {mean: Case(nodes, int(nodes * 6.25 * 0.5 / mean), mean, mean / 4, threads=1)
                   for mean in means})
    lab.at_most("tasks of 5 ms are balanced", found[0.005]["dtree"]["imbalance"], 0.02)
    panels.append(panel(f"4a: {nodes} threads", "mean length of tasks, s", found, "seconds",
                        log=False))

    found = study(lab, "4b: deviation of tasks", "deviation, s",
                  {sd: Case(nodes // 4, 320 * nodes // 4, 0.05, sd)
                   for sd in ((0.005,) if quick else (0.0005, 0.0025, 0.005, 0.0125, 0.025))})
    lab.check("dtree beats static at a small deviation",
              [found[0.005][mode]["seconds"] for mode in ("dtree", "static")], "ascending",
              found[0.005]["dtree"]["seconds"] < found[0.005]["static"]["seconds"])
    panels.append(panel("4b: mean 0.05 s, 320 tasks per node", "standard deviation, s", found,
                        "seconds", log=False))

    pools = PAPER["table 2, mean and deviation"]
    rows, words, balance = [], [], {"static": [], "dtree": []}
    lab.beryl["table 2: pools of these means and deviations"] = {}
    for name, (mean, sd) in list(pools.items())[:1 if quick else None]:
        found = measure(lab, Case(nodes // 4, 320 * nodes // 4, mean, sd))
        lab.beryl["table 2: pools of these means and deviations"][name] = found
        rows.append([name, mean, sd, found["static"]["imbalance"], found["dtree"]["imbalance"]])
        words.append(name.replace(" ", "\n"))
        for mode, values in balance.items():
            values.append(100 * found[mode]["imbalance"])
    lab.table("Table 2's pools, 320 tasks per node", ["pool", "mean", "deviation",
                                                      "static imbalance", "dtree imbalance"], rows)
    panels.append(figure.Panel("Table 2's pools, 320 tasks per node", "", "imbalance, %",
                               [figure.Series(mode, words, values)
                                for mode, values in balance.items()], bars=True))
    return panels


def main():
    lab = experiment.begin("dtree", __doc__)
    lab.paper = PAPER
    lab.draw(scaling(lab) + lengths(lab))
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
