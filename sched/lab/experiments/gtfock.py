#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison of schedulers on GTFock's tasks in Pamnany et al., Dtree: Dynamic Task
Scheduling at Petascale (ISC 2015), section 5.4, figure 6: static, static with work stealing,
ADLB with a server for every 64 nodes, and Dtree with a fan-out of 256; ours also with smaller
portions (--drain 0.1 for 0.5).

A node is a simulated worker, because a task is work for all threads of a node. The tasks are
from C96H24 here (a task for each pair of shells, (M,:|N,:), timed by beryl-hf and scaled to
the mean of the paper's table 2), and as many as the paper's with a normal distribution of
table 2's mean and deviation. The bars of computation, communication and imbalance are of such a pool
whose work items read and write blocks of the density and of the Fock matrix: a node of GTFock keeps
the blocks of its items, under Dtree each item fetches its own.
"""
import array
import pathlib
import random
import statistics
import sys
import tempfile

import experiment
import figure

# A question to another node and its answer take 100 us, what a failed attempt to steal cost
# Lifflander et al.: little for such tasks. Owners and servers answer at once.
NETWORK = "--latency 5e-5 --overhead 3.3e-7 --bandwidth 6e9 --node-size 1 --progress thread"

POOLS = {"ParaBLe leaf": (0.696, 0.314), "ParaBLe seed": (0.414, 0.114),
         "GTFock 15mer": (0.733, 0.197), "GTFock graphene": (0.644, 0.153)}
SHELLS = 4826  # of 15mer
TIMINGS = 3  # of each task: a spike in one of the longest, near the end, would decide between modes
# Nodes, and the edges of the work items (in shells) that the paper tried there.
ITEMS = {256: (30, 70), 1024: (15, 35), 2025: (10, 20)}

PAPER = {
    "table 2, mean and deviation": POOLS,
    "shells of 15mer": SHELLS,
    "edges of work items by nodes": ITEMS,
    "order of imbalance": ["dtree", "static with stealing", "static"],
    "ADLB": "much slower than Dtree: a server for every 64 nodes, and more overhead",
}


def modes(nodes):
    return {"static": "--sched static", "stealing": "--sched steal",
            "ADLB": f"--sched share --managers {max(nodes // 64, 1)} --chunk 1",
            "dtree": "--sched dtree --fan-out 256",
            "dtree, drain 0.1": "--sched dtree --fan-out 256 --drain 0.1"}


def compare(lab, name, rows):
    """rows: (label, nodes, options that name the tasks). A panel and, for each row, the time to
    solution of each mode over the time with perfect balance."""
    lines = [f"{tasks} --simulate {nodes} {NETWORK} {options}"
             for _, nodes, tasks in rows for options in modes(nodes).values()]
    results = iter(lab.sweep(lines))
    found = {label: {mode: next(results) for mode in modes(nodes)} for label, nodes, _ in rows}
    ratio = {label: {mode: 1 / experiment.last(result)["efficiency"]
                     for mode, result in by_mode.items()} for label, by_mode in found.items()}
    lab.beryl[name] = {label: {mode: {"seconds": experiment.last(result)["makespan_seconds"],
                                      "over ideal": ratio[label][mode]}
                               for mode, result in by_mode.items()}
                       for label, by_mode in found.items()}
    lab.table(f"{name}: time to solution over that of perfect balance",
              ["nodes", "tasks", *modes(1)],
              [[nodes, found[label]["static"]["tasks"], *ratio[label].values()]
               for label, nodes, _ in rows])
    panel = figure.Panel(name, "nodes, tasks", "time over ideal",
                         [figure.Series(mode, list(ratio),
                                        [by_mode[mode] for by_mode in ratio.values()])
                          for mode in modes(1)], bars=True, y_from=0.95)
    return panel, ratio


def drawn(lab):
    """The paper's numbers of work items, of table 2's mean and deviation."""
    mean, sd = POOLS["GTFock 15mer"]
    rows = []
    for nodes, edges in ITEMS.items():
        for edge in edges:
            n = round((SHELLS / edge) ** 2)
            if lab.quick and nodes > 256:
                continue
            rows.append((f"{nodes}\n{n}", nodes, f"--gauss {mean},{sd} --tasks {n}"))
    name = "15mer, drawn from table 2"
    panel, ratio = compare(lab, name, rows)
    lab.at_least(f"{name}: static is the slowest, by",
                 min(of["static"] / max(of["stealing"], of["ADLB"], of["dtree"])
                     for of in ratio.values()), 1)
    lab.at_most(f"{name}: dtree to ADLB", max(of["dtree"] / of["ADLB"] for of in ratio.values()), 1)
    lab.at_most(f"{name}: dtree to stealing",
                max(of["dtree"] / of["stealing"] for of in ratio.values()), 1.02)
    return panel


# Items of a node in the static distribution, and those that share their blocks of D and of F
# ("sub-blocks", 5 x 5); the functions that are significant for the shells on one side of those, a
# guess, as the paper does not have it.
EDGE, SUBBLOCK, SIGNIFICANT = 10, 5, 3000
BARS = {"computation": ["task_seconds"], "communication": ["communication_seconds"],
        "misc": ["search_seconds", "scheduler_seconds"], "imbalance": ["idle_seconds"]}


def write_items(path, side):
    """The work items of side x side nodes, node by node, and beside them their data: block b of D and
    block n + b of F, n being the number of sub-blocks, belong to the node whose items they are."""
    generator, (mean, sd) = random.Random(1), POOLS["GTFock 15mer"]
    n_row, within = side * EDGE // SUBBLOCK, range(EDGE)
    items = [(r * EDGE + a, c * EDGE + b) for r in range(side) for c in range(side)
             for a in within for b in within]
    blocks = [i // SUBBLOCK * n_row + j // SUBBLOCK for i, j in items]
    owners = {block: task // EDGE ** 2 for task, block in enumerate(blocks)}
    n, size = len(owners), SIGNIFICANT ** 2 * 8
    tables = {
        ".csv": ("task,seconds", (f"{t},{max(generator.gauss(mean, sd), 0):.9g}"
                                  for t in range(len(items)))),
        ".blocks.csv": ("task,access,block", (f"{t},r,{b}\n{t},w,{n + b}"
                                              for t, b in enumerate(blocks))),
        ".sizes.csv": ("block,bytes,owner", (f"{k * n + b},{size},{owners[b]}" for k in (0, 1)
                                             for b in sorted(owners)))}
    for ending, (head, rows) in tables.items():
        path.with_suffix(ending).write_text("\n".join([head, *rows]) + "\n")


def communication(lab):
    """Figure 6's bars, for a square of nodes."""
    side = 8 if lab.quick else 16
    schedules = {"static": "--sched static", "stealing": "--sched steal",
                 "dtree": "--sched dtree --fan-out 256 --node-cache 0",
                 "dtree, keeping blocks": "--sched dtree --fan-out 256"}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "items.csv"
        write_items(path, side)
        runs = lab.sweep([f"--profile {path} --simulate {side ** 2} {NETWORK} {options}"
                          for options in schedules.values()])
    found = {name: {bar: sum(experiment.last(run)[key] for key in keys) / side ** 2
                    for bar, keys in BARS.items()} for name, run in zip(schedules, runs)}
    name = f"15mer, seconds of a node of {side ** 2}"
    lab.beryl[name] = found
    lab.table(name, ["", *BARS], [[mode, *bars.values()] for mode, bars in found.items()])
    waits = [found[mode]["communication"] for mode in ("static", "stealing", "dtree")]
    lab.check("communication: static, stealing, dtree", waits, "ascending", waits == sorted(waits))
    idle = [found[mode]["imbalance"] for mode in ("dtree", "static")]
    lab.check("imbalance: dtree, static", idle, "ascending", idle == sorted(idle))
    return figure.Panel(f"Figure 6: {name}", "", "seconds",
                        [figure.Series(bar, [mode.replace(", ", ",\n") for mode in found],
                                       [bars[bar] for bars in found.values()])
                         for bar in BARS if bar != "computation"], bars=True)


def time_tasks(lab, profile):
    """Writes the median duration of each task of C96H24."""
    molecule = experiment.ROOT / "inputs/c96h24.xyz"
    print(f"{lab.name}: timing the tasks of {molecule.name} ...", flush=True)
    command = [lab.program("beryl-hf"), str(molecule), "--basis", "sto-3g", "--decomposition", "pair",
               "--tile", "1", "--fock-only", "1", "--density", "guess", "--sched", "static",
               "--write-profile", str(profile)]
    timings = []
    for _ in range(TIMINGS):
        lab.measure_at_rest(lambda: experiment.execute(command))
        timings.append(experiment.read_profile(profile))
    experiment.write_profile(profile, array.array("d", map(statistics.median, zip(*timings, strict=True))))


def measured(lab, name, profile):
    """Tasks whose durations are on file."""
    seconds = experiment.read_profile(profile)
    mean, sd = statistics.fmean(seconds), statistics.pstdev(seconds)
    lab.beryl["measured pool"] = {"name": name, "tasks": len(seconds), "mean": mean,
                                  "deviation": sd, "longest": max(seconds)}
    lab.table("Table 2: pools of tasks",
              ["pool", "mean, s", "deviation, s", "deviation / mean", "longest / mean"],
              [[pool, m, s, s / m, None] for pool, (m, s) in POOLS.items()]
              + [[name, mean, sd, sd / mean, max(seconds) / mean]])
    scale = POOLS["GTFock 15mer"][0] / mean
    rows = [(f"{nodes}\n{len(seconds)}", nodes, f"--profile {profile} --time-scale {scale}")
            for nodes in (64, 128, 256)]
    panel, ratio = compare(lab, name, rows)
    lab.at_least(f"{name}: static is the slowest, by",
                 min(of["static"] / max(of["stealing"], of["ADLB"], of["dtree"])
                     for of in ratio.values()), 1)
    for other in ("ADLB", "stealing"):
        lab.at_most(f"{name}: dtree with small portions to {other}",
                    max(of["dtree, drain 0.1"] / of[other] for of in ratio.values()), 1.02)
    return panel


def main():
    options = experiment.parser(__doc__)
    options.add_argument("--profile", metavar="TASKS.npy", type=pathlib.Path,
                         help="durations of tasks (default: the tasks of C96H24 are timed)")
    lab = experiment.begin("gtfock", __doc__, options.parse_args())
    lab.paper = PAPER
    panels = [drawn(lab), communication(lab)]
    if lab.options.profile:
        panels.append(measured(lab, lab.options.profile.stem, lab.options.profile.resolve()))
    elif not lab.quick:
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder) / "c96h24.npy"
            time_tasks(lab, profile)
            panels.append(measured(lab, "C96H24", profile))
    lab.draw(panels)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
