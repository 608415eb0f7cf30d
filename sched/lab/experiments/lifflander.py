#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Work stealing and persistence-based balancing on up to 163,840 cores: Lifflander,
Krishnamoorthy, Kale (HPDC 2012), figures 5 to 10 and tables 1 to 3.

Names as in the paper: StealAll steals all tasks, null ones too; Steal those that are not null,
which is the first iteration of StealRet, retentive stealing; PLB is balancing by persistence,
whose first iteration steals and whose second repeats it without stealing. And Beryl's auto.
"published" are runs with --as-published, where an attempt to steal takes as long as in the paper;
the others have Beryl's changes.

Tasks: HF-Be256 with durations like the paper's (paper_profile.py: mean 0.54 s, longest 3.17 s), and
as measured here by beryl-hf, in the same mean; HF-Be512 with tiles of 40 and of 20 functions;
the TCE contraction, with predicted costs. As in the paper one thread of each node serves the
others and runs no task: of 24 cores on Hopper, 16 on Titan, 4 on Intrepid. Efficiency counts
the workers, without the server's share of the cores.

With --quick it is HF-Be64, a sixteenth of the tasks on a sixteenth of the cores. With --large
there are more numbers of cores, and HF-Be512 with tiles of 20 on Titan and Intrepid: an hour or
two.
"""
import csv
import json
import math
import pathlib
import shutil
import statistics
import sys
import tempfile

import experiment
import figure
import paper_profile

CORES_OF_NODE = {"Hopper": 24, "Titan": 16, "Intrepid": 4}
MODES = {"StealRet": "retentive", "PLB": "persist", "auto": "auto"}
# One way, between nodes, so that the first of table 2's attempts (HF-Be512, 9,600 cores) come out
# as in the paper, whose text does not say how long an attempt took.
FITTED_LATENCY_S = 6.1e-4
# On so many cores the paper's efficiency leaves 0.2 to 0.5 ms for each of its attempts (README).
SHORTER_ATTEMPTS_FROM = 76800
PUBLISHED = {"StealRet, published": f"retentive --as-published --latency {FITTED_LATENCY_S}",
             "PLB, published": f"persist --as-published --latency {FITTED_LATENCY_S}"}
# To find out that a task is null takes a look at bounds that lie elsewhere: an assumption.
NULL_S = 5e-5
PAPER_MEAN_S = 0.5405  # of HF-Be256
ALL_TASKS = {"be256": 84934656, "be64": 24 ** 4}

PAPER = {
    "HF-Be256 on 9,600 cores, seconds": {"Steal": 13.6, "StealRet": 12.6, "PLB": 12.2},
    "HF-Be512, attempted steals": {"1": {9600: 5661, 38400: 5471, 76800: 14898},
                                   "5": {38400: 1430, 76800: 1537}},
    "HF-Be512, successful steals in iteration 5": {9600: 0.3, 19200: 0.3, 38400: 0.4, 76800: 0.4},
    "gain of the first balancing": {"TCE, 76,800": 0.07, "HF-Be256, 38,400": 0.24,
                                    "HF-Be512, 76,800": 0.22},
    "efficiency at the largest scale": {"Hopper, 76,800": 0.90, "Titan, 128,000": 0.81,
                                        "Intrepid, 163,840": 0.91},
    "table 1, all tasks and those that are not null": {
        "HF-Be256, 40": [84.9e6, 213e3], "HF-Be512, 40": [1.36e9, 862e3],
        "HF-Be512, 20": [21.7e9, 9.10e6], "TCE": [470e3, 470e3]},
    "table 3, cores": [2400, 4800, 9600, 19200, 38400],
    "table 3, percent above ideal, worst pattern": {"central": [0.03, 0.03, 0.03, 2.9, 6.6],
                                                    "tree": [0.50, 2.2, 4.6, 7.9, 18]},
    "table 3, seconds, median of patterns": {"central": [2.36, 3.42, 6.21, 14.9, 37.9],
                                             "tree": [0.085, 0.25, 0.485, 0.71, 0.8]},
}


# --- tasks ---

def paper_like(folder, name, tile, form):
    path = folder / f"{name}_{tile}.{form}"
    print(paper_profile.write(experiment.ROOT / f"inputs/{name}.xyz", tile, path), flush=True)
    return path


def tile_pairs_of(number):
    """The pair of tiles p >= q whose number is p (p + 1) / 2 + q."""
    p = int(((8 * number + 1) ** 0.5 - 1) / 2)
    while (p + 1) * (p + 2) // 2 <= number:
        p += 1
    while p * (p + 1) // 2 > number:
        p -= 1
    return p, number - p * (p + 1) // 2


def ordered(number, n_tiles):
    """The numbers among all ordered quartets of tiles of those that symmetry makes one."""
    (bra, ket) = tile_pairs_of(number)
    bras, kets = ({(i, j), (j, i)} for i, j in (tile_pairs_of(bra), tile_pairs_of(ket)))
    n_pairs = n_tiles * n_tiles
    pairs = [((i * n_tiles + j), (k * n_tiles + l)) for i, j in bras for k, l in kets]
    return {p * n_pairs + q for p, q in pairs} | {q * n_pairs + p for p, q in pairs}


def time_tasks(lab, folder, name):
    """(number, seconds) of each unique quartet, as measured once."""
    path = folder / "unique.csv"
    experiment.execute(experiment.launcher(lab.options.np) + [
        lab.program("beryl-hf"), str(experiment.ROOT / f"inputs/{name}.xyz"), "--basis", "be15s",
        "--tile", "40", "--screen", "1e-6", "--fock-only", "1", "--screening", "schwarz", "--sched",
        "static", "--write-profile", str(path)])
    with open(path, encoding="utf-8", newline="") as file:
        return [(int(row["task"]), float(row["seconds"])) for row in csv.DictReader(file)]


def measured(lab, folder, name, n_tiles):
    """Durations measured here, the median of three: what held a process up once is no task's."""
    path = folder / f"{name}_measured.npy"
    print(f"{lab.name}: timing the tasks of {name} three times ...", flush=True)
    rounds = zip(*(time_tasks(lab, folder, name) for _ in range(3)), strict=True)
    tasks = sorted((task, statistics.median(seconds for _, seconds in times))
                   for times in rounds for task in ordered(times[0][0], n_tiles))
    scale = PAPER_MEAN_S / statistics.fmean(seconds for _, seconds in tasks)
    experiment.write_profile(path, experiment.array.array("d", (s * scale for _, s in tasks)))
    lab.beryl["measured tasks"] = {"seconds, mean": PAPER_MEAN_S / scale,
                                   "longest to mean": max(tasks, key=lambda t: t[1])[1] * scale
                                   / PAPER_MEAN_S}
    return path


def contraction(lab, folder):
    path = folder / "tce.npy"
    experiment.execute([lab.program("beryl-tce"), "run",
                        str(experiment.ROOT / "inputs/lifflander.tce"), "--dry-run",
                        "--write-profile", str(path)])
    return path


# --- runs ---

def machine(name, cores):
    workers = CORES_OF_NODE[name] - 1
    return (f"--simulate {cores // CORES_OF_NODE[name] * workers} --node-size {workers} "
            "--progress thread --server")


class System:
    """Tasks on a machine: for each number of cores and mode the figures of all iterations;
    published: the numbers of cores for which the published algorithms run too."""
    def __init__(self, name, where, cores, profile, n_iterations=5, published=()):
        self.name, self.where, self.cores, self.profile = name, where, cores, profile
        self.n_iterations, self.published = n_iterations, published
        self.found = {}

    def modes(self, cores):
        return {**MODES, **PUBLISHED} if cores in self.published else MODES

    def lines(self):
        return [f"--profile {self.profile} {machine(self.where, n)} --sched {mode} "
                f"--iterations {self.n_iterations}"
                for n in self.cores for mode in self.modes(n).values()]

    def take(self, results):
        for n in self.cores:
            self.found[n] = {mode: experiment.iterations(next(results)) for mode in self.modes(n)}

    def seconds(self, cores, mode):
        """None: not run."""
        runs = self.found[cores]
        if mode.split(",")[0] == "Steal":
            mode = mode.replace("Steal", "StealRet")
            return runs[mode][0]["makespan_seconds"] if mode in runs else None
        return runs[mode][-1]["makespan_seconds"] if mode in runs else None

    def ideal(self, cores):
        return self.found[cores]["StealRet"][0]["load_mean"]

    def tasks_per_worker(self, cores, n_tasks):
        node = CORES_OF_NODE[self.where]
        return n_tasks / (cores // node * (node - 1))

    def steals(self, cores, which, iteration):
        return self.found[cores]["StealRet"][iteration][which]

    def as_json(self):
        kept = ("makespan_seconds", "efficiency", "steals_attempted", "steals_successful",
                "tasks_moved", "balance_seconds")
        return {str(n): {mode: [{key: figures[key] for key in kept} for figures in iterations]
                         for mode, iterations in runs.items()} for n, runs in self.found.items()}


def run_systems(lab, systems):
    results = iter(lab.sweep([line for system in systems for line in system.lines()]))
    for system in systems:
        system.take(results)
        lab.beryl[system.name] = system.as_json()
        modes = ["Steal", *MODES, *(["Steal, published", *PUBLISHED] if system.published else [])]
        lab.table(f"{system.name}, {system.where}: seconds of the last iteration (Steal: of the "
                  "first)", ["cores", "ideal", *modes],
                  [[n, system.ideal(n), *(system.seconds(n, mode) for mode in modes)]
                   for n in system.cores])
        spread = [[n, i + 1, *(figure_ for which in ("steals_attempted", "steals_successful")
                               for figure_ in system.steals(n, which, i).values())]
                  for n in system.cores for i in (0, 1, system.n_iterations - 1)]
        lab.table(f"{system.name}: steals of StealRet (table 2)",
                  ["cores", "iteration", "attempted", "sd", "successful", "sd"], spread)


def steal_all(lab, name, profile, cores):
    """Figure 5's StealAll in addition to Steal, which leaves the null tasks out."""
    lines = [f"--profile {profile} {machine('Hopper', n)} --sched steal {rest}" for n in cores
             for rest in ("", f"--tasks {ALL_TASKS[name]} --null-time {NULL_S}")]
    results = [experiment.last(result)["makespan_seconds"] for result in lab.sweep(lines)]
    pairs = list(zip(results[::2], results[1::2]))
    lab.beryl["StealAll"] = {str(n): {"Steal": steal, "StealAll": both}
                             for n, (steal, both) in zip(cores, pairs)}
    lab.table("StealAll, seconds", ["cores", "Steal", "StealAll"],
              [[n, *pair] for n, pair in zip(cores, pairs)])
    lab.at_least("StealAll takes longer than Steal, by", min(b / a for a, b in pairs), 1)


# --- table 1 ---

def table_1(lab):
    """Numbers of tasks, as --count-tasks prints them."""
    paper = lab.paper["table 1, all tasks and those that are not null"]
    found = {}
    for system in list(paper)[:1 if lab.quick else 3]:
        name, tile = system.split(", ")
        line = experiment.execute([
            lab.program("beryl-hf"), str(experiment.ROOT / f"inputs/{name[3:].lower()}.xyz"),
            "--basis", "be15s", "--symmetry", "none", "--screen", "1e-6", "--tile", tile,
            "--count-tasks"])
        found[system] = [json.loads(line)[key] for key in ("tasks", "non_null")]
    line = experiment.execute([lab.program("beryl-tce"), "run",
                               str(experiment.ROOT / "inputs/lifflander.tce"), "--count-tasks"])
    found["TCE"] = [json.loads(line)["tasks"]] * 2
    lab.beryl["table 1"] = found
    lab.table("Table 1: all tasks and those that are not null",
              ["system, tile", "all, paper", "all", "not null, paper", "not null"],
              [[name, paper[name][0], counts[0], paper[name][1], counts[1]]
               for name, counts in found.items()])
    lab.at_most("table 1: numbers of tasks differ from those of the paper, rounded, by",
                max(abs(ours / theirs - 1) for name, counts in found.items()
                    for ours, theirs in zip(counts, paper[name])), 0.005)


# --- table 2 ---

def table_2(lab, name, profile, cores):
    """Steals of StealRet, Beryl's and as published, where attempts take as long as in the paper."""
    modes = {"published": "retentive --as-published", "Beryl": "retentive"}
    results = iter(lab.sweep([
        f"--profile {profile} {machine('Hopper', n)} --latency {FITTED_LATENCY_S} --sched {mode} "
        "--iterations 5" for n in cores for mode in modes.values()]))
    found = {mode: {} for mode in modes}
    for n in cores:
        for mode in modes:
            result = next(results)
            runs = experiment.iterations(result)
            found[mode][n] = {"attempted": [it["steals_attempted"]["mean"] for it in runs],
                              "successful": [it["steals_successful"]["mean"] for it in runs],
                              "seconds of search": [it["search_seconds"] / result["workers"]
                                                    for it in runs]}
    lab.beryl[f"table 2, {name}"] = {"latency, fitted": FITTED_LATENCY_S, **found}
    paper = lab.paper["HF-Be512, attempted steals"] if name == "HF-Be512" else {}
    lab.table(f"Table 2: {name}, attempted and successful steals of a worker in iterations 1, 2, 5",
              ["cores", "", *(f"attempted {i}" for i in (1, 2, 5)),
               *(f"successful {i}" for i in (1, 2, 5)), *(f"searched {i}, s" for i in (1, 2, 5))],
              [[n, mode, *(of[n][what][i] for what in ("attempted", "successful",
                                                       "seconds of search")
                           for i in (0, 1, 4))] for n in cores for mode, of in found.items()])
    for iteration, by_cores in paper.items():
        for n in cores:
            if n in by_cores and n < SHORTER_ATTEMPTS_FROM:
                ratio = found["published"][n]["attempted"][int(iteration) - 1] / by_cores[n]
                lab.at_most(f"table 2, {n} cores, iteration {iteration}: attempts as published and "
                            "the paper's differ by a factor of", max(ratio, 1 / ratio), 1.5)
    falls = [of["attempted"][0] / of["attempted"][4] for of in found["published"].values()]
    lab.at_least("table 2: attempts as published fall from iteration 1 to 5, by", min(falls), 2)
    return figure.Panel(
        f"Table 2: {name}, as published, and Beryl's", "cores",
        "attempted steals per worker",
        [figure.Series(f"iteration {i}{'' if mode == 'published' else ', ' + mode}", cores,
                       [of[n]["attempted"][i - 1] for n in cores], variant=mode != "published")
         for mode, of in found.items() for i in (1, 5)]
        + [figure.Series(f"iteration {i}", list(by_cores), list(by_cores.values()), paper=True)
           for i, by_cores in paper.items()], x_log=True, y_log=True)


# --- figure 10 ---

def utilization(result):
    """(seconds, percent): the workers' time with tasks in the pieces of the last iteration."""
    course = result["timeline"].get("last_utilisation", result["timeline"]["utilisation"])
    times = [(i + 0.5) * course["bin_seconds"] for i in range(len(course["task"]) - 1)]
    return times + [course["seconds"]], [100 * part for part in course["task"]]


def mean_utilization(result):
    figures = experiment.last(result)
    return 100 * figures["task_seconds"] / result["workers"] / figures["makespan_seconds"]


def well_used(seconds, percent):
    """Percent of an iteration up to when fewer than 95 % of the workers have tasks."""
    return 100 * next(x for x, y in zip(seconds, percent) if y < 95) / seconds[-1]


def figure_10(lab, name, profile, cores):
    panels, rows = [], []
    for n in cores:
        series, mean, until = [], {}, {}
        for published, more in (("", ""), (", published", " --as-published")):
            for mode, sched in (("Steal", "retentive --iterations 1"),
                                ("StealRet", "retentive --iterations 5"),
                                ("PLB", "persist --iterations 5")):
                result = lab.run(f"--profile {profile} {machine('Hopper', n)} --latency "
                                 f"{FITTED_LATENCY_S} --sched {sched}{more}")
                series.append(figure.Series(mode + published, *utilization(result),
                                            variant=bool(published)))
                mean[mode + published] = mean_utilization(result)
                until[mode + published] = well_used(series[-1].x, series[-1].y)
            for what, of in (("mean utilization", mean), ("time with 95 % at work", until)):
                lab.at_most(f"figure 10, {n} cores{published}: {what} of Steal over StealRet's",
                            of["Steal" + published] / of["StealRet" + published], 1)
        lab.beryl[f"figure 10, {name}, {n} cores"] = {
            "mean utilization, percent": mean, "percent of the time with 95 % at work": until,
            "utilization over time": {line.label: {"seconds": line.x, "percent": line.y}
                                      for line in series}}
        rows += [[n, "mean utilization", *mean.values()],
                 ["", "time with 95 % at work", *until.values()]]
        panels.append(figure.Panel(f"Figure 10: {name}, {n:,} cores", "seconds",
                                   "workers with tasks, %", series, y_from=0))
    lab.table(f"Figure 10: {name}, percent", ["cores", "", *mean], rows)
    return panels


# --- table 3 ---

KINDS = ("central", "tree", "tree as published")


def balance(lab, folder, profile, most, limit):
    """Cores, and for each kind of balancer its rows: by cores, the percentages above ideal and the
    seconds of network and processor under ten patterns."""
    path = folder / "table3.json"
    experiment.execute([lab.program("bench_balancer"), str(profile), str(path), str(most),
                        str(limit)])
    rows = json.loads(path.read_text())
    sizes = sorted({row["workers"] for row in rows})
    lab.beryl[f"table 3, C = D = {limit}"] = rows
    return sizes, {kind: [[row[kind] for row in rows if row["workers"] == n] for n in sizes]
                   for kind in KINDS}


def worst(patterns):
    return max(outcome["percent"] for outcome in patterns)


def median_seconds(patterns, *parts):
    return statistics.median(sum(outcome[part] for part in parts) for outcome in patterns)


def table_3(lab, folder, profile):
    """Quality and seconds of the balancers; with C = D a tenth as far above 1, too."""
    most = 4800 if lab.quick else 38400
    sizes, found = balance(lab, folder, profile, most, 1.003)
    few, near = balance(lab, folder, profile, 2400 if lab.quick else 9600, 1.0003)
    seconds = {kind: [median_seconds(of, "network_seconds", "processor_seconds")
                      for of in found[kind]] for kind in KINDS}
    paper = lab.paper["table 3, percent above ideal, worst pattern"]
    lab.table("Table 3: balancers, worst of ten patterns in percent above ideal; median seconds",
              ["cores", *(f"{kind} %" for kind in KINDS), *(f"{kind}, paper %" for kind in paper),
               *(f"{kind} s" for kind in KINDS)],
              [[n, *(worst(found[kind][i]) for kind in KINDS), *(of[i] for of in paper.values()),
                *(seconds[kind][i] for kind in KINDS)] for i, n in enumerate(sizes)])
    lab.table("Table 3 with C = D = 1.0003", ["cores", *(f"{kind} %" for kind in KINDS)],
              [[n, *(worst(near[kind][i]) for kind in KINDS)] for i, n in enumerate(few)])
    lab.at_most("central balancing stays within percent of ideal, to 9,600 cores",
                max(worst(of) for n, of in zip(sizes, found["central"]) if n <= 9600), 0.35)
    lab.at_most("with C = D = 1.0003 it ends where the paper's table says, to 4,800 cores",
                max(worst(of) for n, of in zip(few, near["central"]) if n <= 4800), 0.035)
    # The network's part of the cost, which is equal in every run.
    network = {kind: [median_seconds(of, "network_seconds") for of in found[kind]]
               for kind in KINDS}
    lab.at_least("the central balancer's cost grows with the cores, by",
                 network["central"][-1] / network["central"][0], 1.2)
    central, tree = (network[kind][-1] - network[kind][0] for kind in ("central", "tree"))
    lab.at_most("the tree's does not: seconds more, to those of the central one", tree / central,
                0.1)
    return panels_of_table_3(lab, sizes, seconds, {kind: list(map(worst, found[kind]))
                                                   for kind in KINDS})


def panels_of_table_3(lab, sizes, seconds, percent):
    cores = lab.paper["table 3, cores"]
    for title, unit, ours, key in (
            ("time of balancing", "seconds", seconds, "table 3, seconds, median of patterns"),
            ("worst of ten patterns", "percent above ideal", percent,
             "table 3, percent above ideal, worst pattern")):
        yield figure.Panel(f"Table 3: {title}", "cores", unit,
                           [figure.Series(kind, sizes, values) for kind, values in ours.items()]
                           + [figure.Series(kind, cores, values, paper=True)
                              for kind, values in lab.paper[key].items()],
                           x_log=True, y_log=True)


# --- what must hold ---

def check(lab, system, n_tasks):
    many = system.cores[0]
    few = next(n for n in system.cores if system.tasks_per_worker(n, n_tasks) < 10)
    name = system.name
    last = system.n_iterations - 1
    # Steals within a node, from memory, succeed at the first attempt in all iterations.
    lab.at_least(f"{name}: attempted steals fall from the first to the last iteration, by",
                 system.steals(many, "steals_attempted", 0)["mean"]
                 / system.steals(many, "steals_attempted", last)["mean"], 2)
    idle_s = {mode: system.seconds(many, mode) - system.ideal(many) for mode in ("Steal", "StealRet")}
    lab.at_least(f"{name}: idle time of StealRet falls from the first to the last iteration, by",
                 idle_s["Steal"] / idle_s["StealRet"], 2)
    lab.at_most(f"{name}: successful steals per worker in the last iteration, fewest tasks",
                system.steals(system.cores[-1], "steals_successful", last)["mean"], 1)
    apart = [system.seconds(n, "StealRet") / system.seconds(n, "PLB") for n in system.cores]
    lab.at_most(f"{name}: StealRet and PLB end within", max(max(x, 1 / x) for x in apart) - 1, 0.05)
    # Pairs of workers even out what our tree leaves (pairs.h).
    lab.at_most(f"{name}: PLB ends no later than StealRet, or by",
                max(system.seconds(n, "PLB") / system.seconds(n, "StealRet")
                    for n in system.cores) - 1, 0.05)
    for mode in system.modes(many):
        steal = "Steal, published" if mode in PUBLISHED else "Steal"
        lab.at_most(f"{name}: {mode} ends before {steal}",
                    max(system.seconds(n, mode) / system.seconds(n, steal)
                        for n in system.cores if mode in system.modes(n)), 1)
    lab.at_least(f"{name}: efficiency of StealRet below 10 tasks per worker",
                 system.ideal(few) / system.seconds(few, "StealRet"), 0.9)


def check_few_tasks(lab, system):
    """The paper's StealRet, without the pairs of workers that even out ours (pairs.h)."""
    many, few = system.cores[0], system.cores[-1]
    efficiency = {n: system.ideal(n) / system.seconds(n, "StealRet, published")
                  for n in (many, few)}
    lab.at_most(f"{system.name}: efficiency of StealRet, published, below 10 tasks per worker over "
                "that with many", efficiency[few] / efficiency[many], 0.9)


def panels_of(systems):
    panels = []
    for system in systems:
        paper = PAPER["HF-Be256 on 9,600 cores, seconds"] if system.name == "HF-Be256" else {}
        published = [n for n in system.cores if n in system.published]
        panels.append(figure.Panel(
            f"{system.name}, {system.where}: time", "cores", "seconds",
            [figure.Series(mode, system.cores, [system.seconds(n, mode) for n in system.cores])
             for mode in ("Steal", *MODES)]
            + [figure.Series(mode, published, [system.seconds(n, mode) for n in published],
                             variant=True)
               for mode in ("Steal, published", *PUBLISHED) if published]
            + [figure.Series(mode, [9600], [seconds], paper=True)
               for mode, seconds in paper.items()]
            + [figure.Series("ideal", system.cores, [system.ideal(n) for n in system.cores])],
            x_log=True, y_log=True))
        panels.append(figure.Panel(
            f"{system.name}: efficiency by iteration", "iteration", "efficiency",
            [figure.Series(f"{mode}, {n}", list(range(1, system.n_iterations + 1)),
                           [system.ideal(n) / it["makespan_seconds"]
                            for it in system.found[n][mode]])
             for mode in ("StealRet", "PLB") for n in (system.cores[0], system.cores[-1])]))
        panels.append(figure.Panel(
            f"{system.name}: attempted steals, StealRet", "cores", "per worker",
            [figure.Series(f"iteration {i + 1}", system.cores,
                           [system.steals(n, "steals_attempted", i)["mean"]
                            for n in system.cores]) for i in (0, 1, system.n_iterations - 1)],
            x_log=True))
    return panels


def make_systems(lab, folder):
    """The systems, pairs of a checked system and its number of tasks, the smallest system, and the
    profile of the balancers."""
    small = paper_like(folder, "be64", 40, "csv")
    with open(small, encoding="utf-8") as file:
        n_small = sum(1 for _ in file) - 1
    be64 = System("HF-Be64", "Hopper", [144, 600, 2400], small, published=[144, 600, 2400])
    if lab.quick:
        return [be64], [(be64, n_small)], be64, small
    profile = paper_like(folder, "be256", 40, "csv")
    few, many = [1200, 2400, 9600, 38400], [9600, 38400]
    if lab.options.large:
        few = [1200, 2400, 4800, 9600, 19200, 38400]
        many = [9600, 19200, 38400, 76800]
    be256 = System("HF-Be256", "Hopper", few, profile, published=[1200, 2400, 9600])
    systems = [be256,
               System("HF-Be256 measured", "Hopper", few, measured(lab, folder, "be256", 96)),
               System("HF-Be512", "Hopper", many, paper_like(folder, "be512", 40, "npy")),
               System("TCE", "Hopper", many, contraction(lab, folder), published=[9600])]
    if lab.options.large:
        fine = paper_like(folder, "be512", 20, "npy")
        systems.append(System("HF-Be512, tile 20", "Titan", [16000, 64000, 128000], fine, 14))
        systems.append(System("HF-Be512, tile 20", "Intrepid", [40960, 163840], fine, 14))
    return [*systems, be64], [(be256, 213144)], be64, profile


def main():
    options = experiment.parser(__doc__)
    options.add_argument("--large", action="store_true", help="also up to 163,840 cores, for hours")
    lab = experiment.begin("lifflander", __doc__, options.parse_args())
    lab.paper = PAPER
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        systems, checked, small, profile = make_systems(lab, folder)
        run_systems(lab, systems)
        for system, n_tasks in checked:
            check(lab, system, n_tasks)
        check_few_tasks(lab, small)
        steal_all(lab, "be64" if lab.quick else "be256", profile, systems[0].cores[:1])
        table_1(lab)
        panels = panels_of(systems)
        if lab.quick:
            panels.append(table_2(lab, "HF-Be64", profile, [144]))
            panels += figure_10(lab, "HF-Be64", profile, [144])
            profile = paper_like(folder, "be256", 40, "csv")
        else:
            be512 = next(system for system in systems if system.name == "HF-Be512")
            panels.append(table_2(lab, "HF-Be512", be512.profile,
                                  [9600, 38400, *([76800] if lab.options.large else [])]))
            panels += figure_10(lab, "HF-Be256", profile, [2400, 9600])
        panels += table_3(lab, folder, profile)
    finally:
        shutil.rmtree(folder)
    lab.draw(panels)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
