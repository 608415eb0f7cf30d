#!/usr/bin/env python3
"""The comparison of schedulers on GTFock's tasks in Pamnany et al., Dtree: Dynamic Task
Scheduling at Petascale (ISC 2015), section 5.4, figure 6: static, static with work stealing,
ADLB with a server for every 64 nodes, and Dtree with a fan-out of 256; ours also with smaller
portions (--drain 0.1 for 0.5).

A node is a simulated worker, because a task is work for all threads of a node. The tasks are
those of C96H24 here (a task for each pair of shells, (M,:|N,:), timed by beryl-hf and scaled to
the mean of the paper's table 2), and as many as the paper's with a normal distribution of
table 2's mean and deviation. Communication of density and Fock blocks is not simulated.
"""
import pathlib
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
    solution of each mode over that of perfect balance."""
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


def time_tasks(lab, profile):
    molecule = experiment.ROOT / "inputs/c96h24.xyz"
    print(f"{lab.name}: timing the tasks of {molecule.name} ...", flush=True)
    experiment.execute([lab.program("beryl-hf"), str(molecule), "--basis", "sto-3g",
                        "--decomposition", "pair", "--tile", "1", "--fock-only", "1",
                        "--density", "guess", "--sched", "static", "--write-profile", str(profile)])


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
                         help="durations of tasks, instead of timing those of C96H24")
    lab = experiment.begin("gtfock", __doc__, options.parse_args())
    lab.paper = PAPER
    panels = [drawn(lab)]
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
