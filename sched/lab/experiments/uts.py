#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Dinan et al., Dynamic Load Balancing of Unbalanced Computations Using Message Passing
(PMEO-PDS 2007): work sharing (mode share) against work stealing (mode steal) on the trees T1
and T3, by chunk size and polling or release interval.

steal is the paper's: one chunk at a time, the end found by a token in a ring; "steal half" is
Beryl's, half of what the victim shares and a tree.

Simulated: 16 to 64 processes of a machine like theirs (figures 1 to 4), then up to 16,384. For
real: 1, 2 and 4 processes here, compared with a walk of the tree by one process without scheduler.
"""
import json
import pathlib
import sys
import tempfile

import experiment
import figure

# Their Dell blades: Pentium 4 at 3.6 GHz, InfiniBand, MVAPICH. The paper's figures are not in
# its text: 2 million nodes per second and core, which is 1,800 cycles for the SHA-1 of a node,
# 5 us from process to process, 2 us of it busy at either end, and 900 MB/s. What a poll takes is
# what the paper's gain of 40 to 50 % implies, which polls at every eighth node have over polls at
# each: (500 ns + p) / (500 ns + p / 8) = 1.45.
MACHINE = ("--time-scale 4 --latency 5e-6 --overhead 2e-6 --bandwidth 9e8 --node-size 1 "
           "--poll-time 2.75e-7")
TREES = {"T1": (4130071, 3305118, 10), "T3": (4112897, 3599034, 1572)}
MODES = {"share": "--release-every", "steal": "--poll-every", "steal half": "--poll-every"}
INTERVAL = {"share": 128, "steal": 8, "steal half": 8}
RING_PROCESSES = 64  # at most, as in the paper: a token takes 25 us for each process of its round
# Chunks that can be best on many processes. (Where nothing is shared, ten thousand thieves ask
# in vain for seconds: 10^9 events.)
BEYOND = {("T1", "share"): [10], ("T1", "steal"): [2, 5],
          ("T3", "share"): [10, 50], ("T3", "steal"): [10],
          ("T1", "steal half"): [2, 5], ("T3", "steal half"): [10]}

PAPER = {
    "best release interval and chunk": {"T1": [256, 5], "T3": [32, 50]},
    "best polling interval": 8,
    "gain by the polling interval": [0.4, 0.5],
    "gain by the release interval": {"T1": 2, "T3": "very little"},
    "processes beyond which sharing does not scale": 32,
    "stealing scales to": 64,
    "nodes, leaves, depth": TREES,
    "original program, one core of 2024, million nodes per second": {"T1": 7.9, "T3": 9.2},
    "original program, 2 processes, chunk 20": {"T1": 11.2, "T3": 16.9},
}


def scheduling(mode, processes, chunk, interval):
    options = f"--sched {mode.split()[0]} --chunk {chunk} {MODES[mode]} {interval}"
    if mode == "steal":
        ring = processes <= RING_PROCESSES
        options += f" --steal {chunk} --termination {'ring' if ring else 'tree'}"
    return options


def speed(result):
    """Million nodes per second."""
    return result["nodes"] / experiment.last(result)["makespan_seconds"] * 1e-6


class Walks:
    """Simulated walks, all in one sweep; keyed by tree, mode, processes, chunk, interval."""

    def __init__(self):
        self.results = {}

    def ask(self, tree, mode, processes, chunk, interval=None):
        key = (tree, mode, processes, chunk, interval or INTERVAL[mode])
        self.results[key] = None

    def run(self, lab):
        # The longest first, so that the last to end is a short one.
        keys = sorted(self.results, key=lambda key: -key[2])
        lines = [f"--uts {tree} --simulate {key[0]} {scheduling(mode, *key)} {MACHINE}"
                 for tree, mode, *key in keys]
        self.results = dict(zip(keys, lab.sweep(lines)))

    def speed(self, tree, mode, processes, chunk, interval=None):
        return speed(self.results[tree, mode, processes, chunk, interval or INTERVAL[mode]])

    def best(self, tree, mode, processes):
        """Over the chunks at the usual interval: speed and chunk."""
        return max((speed(result), key[3]) for key, result in self.results.items()
                   if key[:3] == (tree, mode, processes) and key[4] == INTERVAL[mode])

    def count_exactly(self, lab):
        wrong = [key for key, result in self.results.items()
                 if (result["nodes"], result["leaves"], result["depth"]) != TREES[key[0]]]
        lab.equal("walks whose nodes, leaves or depth are wrong", len(wrong), 0)


def chunk_panels(lab, walks, chunks, processes):
    """Figures 3 and 4: speed over chunk sizes."""
    panels = []
    for mode in MODES:
        for tree in TREES:
            sizes = chunks[tree]
            lines = [figure.Series(f"{p} processes", sizes,
                                   [walks.speed(tree, mode, p, c) for c in sizes])
                     for p in processes]
            lab.beryl[f"{tree}, {mode}, million nodes per second by chunk"] = {
                line.label: dict(zip(sizes, line.y)) for line in lines}
            lab.table(f"{tree}, {mode}, {MODES[mode]} {INTERVAL[mode]}: million nodes per second",
                      ["chunk"] + [line.label for line in lines],
                      [[c] + [line.y[i] for line in lines] for i, c in enumerate(sizes)])
            panels.append(figure.Panel(f"{3 if mode == 'share' else 4}: {mode}, {tree}", "chunk",
                                       "million nodes per second", lines, x_log=True, y_from=0))
    return panels


def interval_panels(lab, walks, chunks, intervals):
    """Figures 1 and 2: speed of 32 processes over intervals."""
    panels = []
    for mode, values in intervals.items():
        for tree in TREES:
            lines = [figure.Series(f"chunk {c}", values,
                                   [walks.speed(tree, mode, 32, c, i) for i in values])
                     for c in chunks]
            name = "release" if mode == "share" else "polling"
            lab.beryl[f"{tree}, {mode}, 32 processes, by {name} interval"] = {
                line.label: dict(zip(values, line.y)) for line in lines}
            lab.table(f"{tree}, {mode}, 32 processes: million nodes per second",
                      [f"{name} interval"] + [line.label for line in lines],
                      [[i] + [line.y[k] for line in lines] for k, i in enumerate(values)])
            number = 2 if mode == "share" else 1
            panels.append(figure.Panel(f"{number}: {mode}, {tree}, 32 processes",
                                       f"{name} interval", "million nodes per second", lines,
                                       x_log=True, y_from=0))
    return panels


def check_polls(lab, walks, chunks, intervals):
    """Checks the statements of the text about figure 1."""
    for tree in TREES:
        of = {c: {i: walks.speed(tree, "steal", 32, c, i) for i in intervals} for c in chunks}
        gains = [speeds[8] / speeds[1] - 1 for speeds in of.values()]
        lab.at_least(f"{tree}: least gain by polling at every eighth node", min(gains), 0.25)
        lab.at_most(f"{tree}: largest gain by polling at every eighth node", max(gains), 0.6)
    longest, best = of[chunks[0]][512], max(of[chunks[0]].values())
    lab.at_least(f"T3, chunk {chunks[0]}: loss by polling at every 512th", 1 - longest / best, 0.1)


def polls_for_real(lab):
    """Seconds of 2 processes on T3 by polling interval, measured, and simulated with the price of a
    poll and the time of a node measured here."""
    intervals = [1, 8, 64, 512]
    command = "--uts T3 --sched steal --poll-every "
    with tempfile.TemporaryDirectory() as folder:
        machine = pathlib.Path(folder) / "machine.json"
        experiment.execute(experiment.launcher(2) + [lab.program("beryl-sched"), "--calibrate",
                                                     str(machine)])
        runs = [min(experiment.iterations(lab.run(f"{command}{i} --iterations 5", 2)),
                    key=lambda each: each["makespan_seconds"]) for i in intervals]
        node_s = runs[-1]["task_seconds"] / TREES["T3"][0]
        simulated = lab.sweep([f"{command}{i} --simulate 2 --machine {machine} --contention-factor 1 "
                               f"--time-scale {node_s / 125e-9:.6g}" for i in intervals])
    found = {i: [run["makespan_seconds"], experiment.last(result)["makespan_seconds"]]
             for i, run, result in zip(intervals, runs, simulated)}
    lab.beryl["T3, 2 processes, seconds by polling interval, for real and simulated"] = found
    lab.table("T3, 2 processes: seconds", ["polling interval", "for real", "simulated"],
              [[i, *pair] for i, pair in found.items()])


def scaling(lab, walks, processes):
    """The best chunk at each number of processes, and what must hold of it."""
    lines = []
    for mode in MODES:
        for tree in TREES:
            best = [walks.best(tree, mode, p) for p in processes]
            lines.append(figure.Series(f"{mode}, {tree}", processes, [y for y, _ in best]))
            lab.beryl[f"{tree}, {mode}, best chunk"] = {
                p: {"million nodes per second": y, "chunk": c} for p, (y, c) in
                zip(processes, best)}
    lab.table("Million nodes per second, best chunk", ["processes"] + [line.label for line in lines],
              [[p] + [line.y[i] for line in lines] for i, p in enumerate(processes)])

    def gain(tree, mode):
        return walks.best(tree, mode, 64)[0] / walks.best(tree, mode, 32)[0]
    lab.at_most("T1: sharing gains nothing from 32 to 64 processes", gain("T1", "share"), 1.1)
    lab.at_least("T1: stealing scales from 32 to 64 processes", gain("T1", "steal"), 1.5)
    lab.at_least("T1: stealing halves scales from 32 to 64 processes", gain("T1", "steal half"), 1.5)
    lab.at_least("T3: sharing scales further than on T1",
                 gain("T3", "share") / gain("T1", "share"), 1.2)
    return figure.Panel("Beyond: the best chunk", "processes", "million nodes per second", lines,
                        x_log=True, y_log=True)


def for_real(lab):
    """1, 2 and 4 processes of this machine, and one without a scheduler."""
    rows = []
    wrong = 0
    for tree, sizes in TREES.items():
        sequential = float(experiment.execute([lab.program("bench_uts"), tree]))
        for mode in MODES:
            found = {}
            for processes in (1, 2, 4):
                result = lab.run(f"--uts {tree} --iterations 5 "
                                 + scheduling(mode, processes, 20, INTERVAL[mode]), processes)
                wrong += (result["nodes"], result["leaves"], result["depth"]) != sizes
                found[processes] = max(result["nodes"] / it["makespan_seconds"] * 1e-6
                                       for it in experiment.iterations(result))
            rows.append([tree, mode, sequential, *found.values()])
            lab.beryl[f"{tree}, {mode}, for real, million nodes per second"] = {
                "sequential": sequential, **found}
    lab.table("For real: million nodes per second", ["tree", "mode", "sequential", "1 process",
                                                     "2 processes", "4 processes"], rows)
    lab.equal("real walks whose nodes, leaves or depth are wrong", wrong, 0)


PIECES = 500  # of the time in figure 5


def traced(lab, options):
    """A run with its trace: the result; for each process the parts of PIECES of the time that it
    worked; and its steals with both ends recorded, ((seconds, victim), (seconds, thief))."""
    with tempfile.TemporaryDirectory() as folder:
        result = lab.run(f"{options} --trace {folder}")
        piece_s = experiment.last(result)["makespan_seconds"] / PIECES
        working = [[0] * PIECES for _ in range(result["workers"])]
        steals = {}
        with open(pathlib.Path(folder) / "trace.json", encoding="utf-8") as file:
            for line in file:
                if '"cat":"task"' in line or '"cat":"steal"' in line:
                    event = json.loads(line.rstrip(",\n"))
                    begin, process = event["ts"] * 1e-6, event["tid"] - 1
                    if event["cat"] == "steal":
                        steals.setdefault(event["id"], {})[event["ph"]] = (begin, process)
                    else:
                        fill(working[process], begin / piece_s, event["dur"] * 1e-6 / piece_s)
    return result, working, [(ends["s"], ends["f"]) for ends in steals.values() if len(ends) == 2]


def fill(pieces, begin, length):
    """Adds a span, whose unit is a piece."""
    i = min(int(begin), len(pieces) - 1)
    while i < len(pieces) and i < begin + length:
        pieces[i] += min(begin + length, i + 1) - max(begin, i)
        i += 1


def figure_5(lab):
    """How 16 processes spend the walk of T1. Share's first process is the manager."""
    tree = '"-t 1 -a 3 -d 8 -b 4 -r 19"' if lab.quick else "T1"
    found, panels = {}, []
    for mode in ("steal", "share"):
        result, pieces, steals = traced(lab, f"--uts {tree} --simulate 16 "
                                        f"{scheduling(mode, 16, 5, INTERVAL[mode])} {MACHINE}")
        seconds = experiment.last(result)["makespan_seconds"]
        # Where all work a part of the time goes to polls, and to giving work away.
        at_work = [sum(lane[i] for lane in pieces) / 16 for i in range(PIECES)]
        found[mode] = {"seconds": seconds, "steals": len(steals),
                       "percent of the time": [100 * sum(lane) / PIECES for lane in pieces],
                       "percent of all processes, over time": [100 * part for part in at_work],
                       "part of the time in which they work 90 percent":
                       sum(part >= 0.9 for part in at_work) / PIECES}
        panels.append(figure.Lanes(
            f"5: {mode}, T1, 16 processes", "milliseconds", "process", 1e3 * seconds, pieces,
            "working (white: not)", [[(1e3 * x, lane) for x, lane in ends] for ends in steals], "steal"))
    working = {mode: sum(of["percent of the time"]) / 16 for mode, of in found.items()}
    lab.beryl["5: T1, 16 processes"] = found
    lab.table("Figure 5: T1, 16 processes, percent of the time with work",
              ["mode", "seconds", "mean", "least", "all but 10 % work, of the time"],
              [[mode, of["seconds"], working[mode], min(of["percent of the time"]),
                of["part of the time in which they work 90 percent"]]
               for mode, of in found.items()])
    lab.at_least("figure 5: processes that steal work more of the time, times",
                 working["steal"] / working["share"], 1.1)
    # In the paper over 60 % on T1; a tree of 10 ms hardly comes to that.
    lab.at_least("figure 5: stealing keeps the work distributed, part of the time",
                 found["steal"]["part of the time in which they work 90 percent"],
                 0.3 if lab.quick else 0.6)
    return panels


def main():
    options = experiment.parser(__doc__)
    options.add_argument("--real", action="store_true",
                         help="measure 1, 2 and 4 processes too; takes a build with tests")
    lab = experiment.begin("uts", __doc__, options.parse_args())
    lab.paper = PAPER
    usual = [1, 2, 5, 10, 20, 50, 100]
    chunks = {"T1": [10], "T3": [50]} if lab.quick else {"T1": usual, "T3": usual}
    processes = [32, 64] if lab.quick else [16, 32, 64]
    beyond = [] if lab.quick else [256, 1024, 4096, 16384]
    intervals = {} if lab.quick else {"steal": [1, 2, 4, 8, 16, 32, 64, 128, 512],
                                      "share": [8, 32, 64, 128, 256, 512]}
    walks = Walks()
    for tree in TREES:
        for mode in MODES:
            for p in processes:
                for c in chunks[tree]:
                    walks.ask(tree, mode, p, c)
            for p in beyond:
                for c in BEYOND[tree, mode]:
                    walks.ask(tree, mode, p, c)
            for i in intervals.get(mode, []):
                for c in (5, 20, 50):
                    walks.ask(tree, mode, 32, c, i)
    walks.run(lab)
    walks.count_exactly(lab)
    panels = interval_panels(lab, walks, [5, 20, 50], intervals)
    if "steal" in intervals:
        check_polls(lab, walks, [5, 20], intervals["steal"])
    panels += chunk_panels(lab, walks, chunks, processes)
    panels += figure_5(lab)
    panels.append(scaling(lab, walks, processes + beyond))
    if lab.options.real:
        for_real(lab)
        polls_for_real(lab)
    lab.draw(panels)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
