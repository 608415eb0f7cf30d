#!/usr/bin/env python3
"""The comparison of schedulers on GTFock's tasks in Pamnany et al., Dtree: Dynamic Task
Scheduling at Petascale (ISC 2015), section 5.4, figure 6: static, static with work stealing,
ADLB with a server for every 64 nodes, and Dtree with a fan-out of 256.

A node is a simulated worker, because a task is work for all threads of a node. The tasks are
those of C96H24 here (a task for each pair of shells, (M,:|N,:), timed by beryl-hf and scaled to
the mean of the paper's table 2), and as many as the paper's with a normal distribution of
table 2's mean and deviation. Communication of density and Fock blocks is not simulated.
"""
import array
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
            "dtree": "--sched dtree --fan-out 256"}


def compare(lab, name, rows):
    """rows: (label, nodes, options that name the tasks). Prints and keeps, for each, the time to
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
    lab.at_least(f"{name}: static is the slowest, by",
                 min(of["static"] / max(of["stealing"], of["ADLB"], of["dtree"])
                     for of in ratio.values()), 1)
    lab.at_most(f"{name}: dtree to ADLB",
                max(of["dtree"] / of["ADLB"] for of in ratio.values()), 1)
    lab.at_most(f"{name}: dtree to static with stealing",
                max(of["dtree"] / of["stealing"] for of in ratio.values()), 1)
    return figure.Panel(name, "nodes, tasks", "time over ideal",
                        [figure.Series(mode, list(ratio),
                                       [by_mode[mode] for by_mode in ratio.values()])
                         for mode in modes(1)], bars=True, y_from=0.95)


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
    return compare(lab, "15mer, drawn from table 2", rows)


def measured(lab, profile):
    """Tasks of C96H24, timed by one process."""
    molecule = experiment.ROOT / "inputs/c96h24.xyz"
    print(f"{lab.name}: timing the tasks of {molecule.name} ...", flush=True)
    experiment.execute([lab.program("beryl-hf"), str(molecule), "--basis", "sto-3g",
                        "--decomposition", "pair", "--tile", "1", "--fock-only", "1",
                        "--sched", "static", "--write-profile", str(profile)])
    seconds = array.array("d")
    with open(profile, "rb") as file:
        file.seek(128)
        seconds.frombytes(file.read())
    mean, sd = statistics.fmean(seconds), statistics.pstdev(seconds)
    lab.beryl["C96H24"] = {"tasks": len(seconds), "mean": mean, "deviation": sd,
                           "longest": max(seconds)}
    lab.table("Table 2: pools of tasks", ["pool", "mean, s", "deviation, s", "deviation / mean"],
              [[name, m, s, s / m] for name, (m, s) in POOLS.items()]
              + [["C96H24, pairs of shells", mean, sd, sd / mean]])
    scale = POOLS["GTFock 15mer"][0] / mean
    rows = [(f"{nodes}\n{len(seconds)}", nodes, f"--profile {profile} --time-scale {scale}")
            for nodes in (64, 256, 484, 1024, 2025)]
    return compare(lab, "C96H24", rows)


def main():
    lab = experiment.begin("gtfock", __doc__)
    lab.paper = PAPER
    panels = [drawn(lab)]
    if not lab.quick:
        with tempfile.TemporaryDirectory() as folder:
            panels.append(measured(lab, pathlib.Path(folder) / "c96h24.npy"))
    lab.draw(panels)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
