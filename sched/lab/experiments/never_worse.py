#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Modes that move tasks by measured durations against those that do not, from 2 tasks a worker on,
where every task that moves may be one too many.

auto and persist must not take longer than static, from which they start, from the third iteration
on, but for the messages of the end; auto, which is the default, not in its first either, where costs
are not predicted, and, where tasks take 10 ms and more, hardly longer than whatever mode is the
best.

Tasks: normally and exponentially distributed ones, HF-Be256 with durations like those of
Lifflander et al., and the TCE contraction with predicted costs; 2 to 1,000 of them for each of up
to 163,840 workers, at most 5 million in all, on the default machine. The largest numbers take
hours; a range of seeds is a part:

    never_worse.py --workers 128,2400 --seeds 20 --all-modes 20
    never_worse.py --workers 16384 --seeds 20
    never_worse.py --workers 163840 --seeds 1-5 --all-modes 1

--disturbed N runs what is harder instead, with N seeds: unequal speeds that modes are not told, noise,
durations that drift, costs that are not predicted, and all of these together. Means over seeds and
over the iterations from the third on are compared with those of the best mode, and with a bound that no
mode can stay below, whatever it knows: the work of the iteration over the speeds of all workers, each
without the interruptions that any stretch of time has, and its longest task on the fastest worker. In
first iterations without costs and speeds no mode knows which task not to give to the slowest worker,
and on average this one begins with an average task. A mean counts as too long only if it is above the
bound, too. The standard error of each ratio says how much of it is chance:

    never_worse.py --disturbed 20 --workers 64
"""
import math
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile

import experiment
import figure
import lifflander

LATENCY_S = 4.8e-5  # of the default machine
TASKS_PER_WORKER = [2, 3, 6, 15, 100, 1000]
MOST_WORKERS, MOST_TASKS = 163840, 5000000
BOUNDS = {"lpt"}  # modes that know what nobody can
MOVERS = ["persist", "auto"]
DRAWN = {"gauss", "exponential"}
N_ITERATIONS = 4
NOISE, DRIFT = "--noise 0.05,0.015", "--drift 0.3"


class Case:
    """A workload on a number of workers, with a seed."""
    def __init__(self, name, workload, tasks, workers, seed, mean_s):
        self.name, self.workers, self.tasks, self.mean_s = name, workers, tasks, mean_s
        self.seed = seed
        self.tasks_each = tasks / workers
        self.options = f"{workload} --simulate {workers} --seed {seed}"
        self.seconds = {}  # of each mode: every iteration
        self.first_s = 0   # of auto, that knows no costs

    def lines(self, modes):
        return [f"{self.options} --sched auto --known-costs none",
                *(f"{self.options} --sched {mode} --iterations {N_ITERATIONS}" for mode in modes)]

    def take(self, modes, results):
        self.first_s = experiment.iterations(next(results))[0]["makespan_seconds"]
        for mode in modes:
            self.seconds[mode] = [iteration["makespan_seconds"]
                                  for iteration in experiment.iterations(next(results))]

    def all_to_static(self):
        """The largest makespan from the third iteration on, with the messages, to static's."""
        return max(max(self.seconds[mode][2:]) for mode in MOVERS) / min(self.seconds["static"])

    def messages_s(self):
        return 20 * LATENCY_S * math.log2(self.workers)

    def to_static(self, mode):
        """The largest makespan from the third iteration on, less the messages, to static's."""
        return (max(self.seconds[mode][2:]) - self.messages_s()) / min(self.seconds["static"])

    def first_to_static(self):
        """That of auto's first iteration without costs, with the messages."""
        return self.first_s / min(self.seconds["static"])

    def to_best(self):
        return max(self.seconds["auto"][2:]) / min(max(seconds[2:])
                                                   for seconds in self.seconds.values())


def drawn(name, option, mean_s, workers, tasks_each, seeds):
    return [Case(name, f"{option} --tasks {n * tasks_each}", n * tasks_each, n, seed, mean_s)
            for n in workers if n * tasks_each <= MOST_TASKS for seed in seeds]


def profiled(name, path, workers, seeds):
    """As many workers as make so many tasks for each."""
    seconds = experiment.read_profile(path)
    mean_s = sum(seconds) / len(seconds)
    return [Case(name, f"--profile {path}", len(seconds), n, seed, mean_s)
            for n in workers(len(seconds)) for seed in seeds]


def by_tasks(workers):
    """So many workers that they have the numbers of tasks, where that is about as many as these."""
    least, most = min(workers) // 4, max(workers)
    return lambda n_tasks: sorted({min(n_tasks // each, most) for each in TASKS_PER_WORKER
                                   if n_tasks // each >= least})


def named_cases(folder, lab):
    """Where auto and persist once took up to a third longer than static; with --quick of the TCE
    contraction a twentieth on as many workers fewer."""
    cases = [Case("gauss, named", "--gauss 0.02,0.002 --tasks 256", 256, 128, 1, 0.02)]
    if has_chemistry(lab):
        path, workers = lifflander.contraction(lab, folder), MOST_WORKERS
        if lab.quick:
            workers //= 20
            seconds = experiment.read_profile(path)
            experiment.write_profile(path, seconds[:len(seconds) // 20])
        cases += profiled("TCE, named", path, lambda _: [workers], [1])
    return cases


def has_chemistry(lab):
    if os.access(lab.folder / "beryl-tce", os.X_OK):
        return True
    print(f"{lab.name}: without the profiles of HF and TCE: this build has no chemistry")
    return False


def make_cases(lab, folder):
    seeds = lab.options.seeds
    workers = [24, 128] if lab.quick else [int(n) for n in lab.options.workers.split(",")]
    numbers = [2, 3, 15] if lab.quick else TASKS_PER_WORKER
    cases = []
    for each in numbers:
        cases += drawn("gauss", "--gauss 0.02,0.002", 0.02, workers, each, seeds)
        cases += drawn("exponential", "--exponential 0.02", 0.02, workers, each, seeds)
    if not lab.quick and has_chemistry(lab):
        hf = lifflander.paper_like(lab, folder, "be256", 40, "npy")
        cases += profiled("HF-Be256", hf, by_tasks(workers), seeds)
        cases += profiled("TCE", lifflander.contraction(lab, folder), by_tasks(workers), seeds)
    return cases


def draw_speeds(name, workers, stream):
    """Relative speeds; None: all are equal."""
    if name == "one slow":
        slow = stream.randrange(workers)
        return [0.2 if worker == slow else 1 for worker in range(workers)]
    return {"equal": lambda: None,
            "half slow": lambda: [stream.choice((1, 0.5)) for _ in range(workers)],
            "spread": lambda: [round(stream.uniform(0.6, 1.4), 3) for _ in range(workers)],
            }[name]()


class Work:
    """Total and longest task, seconds, of each iteration of a workload: those of static on equal quiet
    workers, and on one for each task."""
    def __init__(self, lab):
        self.lab, self.known = lab, {}

    def find(self, workload, tasks, drift, seed):
        key = (workload, tasks, drift, seed)
        if key not in self.known:
            line = f"{workload} --tasks {tasks} {drift} --seed {seed} --iterations " \
                   f"{N_ITERATIONS + 1} --sched static --simulate"
            runs = [experiment.iterations(run)
                    for run in self.lab.sweep([f"{line} 1", f"{line} {tasks}"])]
            self.known[key] = [(total["task_seconds"], longest["load_max"])
                               for total, longest in zip(*runs)]
        return self.known[key]


def least_makespan(work_s, longest_s, speeds, noise):
    """The least time of the work on workers of these speeds, if each is interrupted as late as a
    period allows."""
    period_s, length_s = map(float, noise.split()[1].split(",")) if noise else (math.inf, 0)
    free_s = max(work_s / sum(speeds), longest_s / max(speeds))
    return free_s + max(math.ceil(free_s / (period_s - length_s)) - 1, 0) * length_s


class Disturbed:
    """A workload under one set of conditions, with several seeds."""
    def __init__(self, workload, workers, tasks_each, conditions):
        self.workload, self.workers, self.tasks_each = workload, workers, tasks_each
        self.speeds, self.noise, self.drift, self.costs = conditions
        self.first_s, self.late_s = {}, {}  # of each mode, for each seed
        self.first_bound_s, self.late_bound_s = 0, 0

    def lines(self, folder, mode, seeds):
        for seed in seeds:
            speeds = draw_speeds(self.speeds, self.workers, random.Random(seed))
            known = ""
            if speeds:
                path = folder / f"{self.speeds}_{self.workers}_{seed}".replace(" ", "_")
                path.write_text("\n".join(map(str, speeds)) + "\n")
                known = f"--speeds {path} --known-speeds none"
            yield (f"{self.workload} --tasks {self.workers * self.tasks_each} --simulate "
                   f"{self.workers} {known} {self.noise} {self.drift} {self.costs} --seed {seed} "
                   f"--iterations {N_ITERATIONS + 1} --sched {mode}")

    def find_bounds(self, work, seeds):
        """Means over seeds, and over the late iterations of each."""
        firsts, late = [], []
        tasks = self.workers * self.tasks_each
        for seed in seeds:
            speeds = draw_speeds(self.speeds, self.workers, random.Random(seed))
            speeds = speeds or [1] * self.workers
            iterations = work.find(self.workload, tasks, self.drift, seed)
            least = [least_makespan(*iteration, speeds, self.noise) for iteration in iterations]
            average_s = iterations[0][0] / tasks
            firsts.append(max(least[0], average_s / min(speeds) if self.costs else 0))
            late.append(statistics.mean(least[2:]))
        self.first_bound_s, self.late_bound_s = statistics.mean(firsts), statistics.mean(late)

    def take(self, mode, runs):
        seconds = [[iteration["makespan_seconds"] for iteration in experiment.iterations(run)]
                   for run in runs]
        self.first_s[mode] = [run[0] for run in seconds]
        self.late_s[mode] = [statistics.mean(run[2:]) for run in seconds]

    def best(self):
        return shortest(self.late_s)

    def ratios(self):
        """auto to the best mode, its first iteration likewise, persist to static: the ratio of the means
        and its standard error, what it may be, and what it is to the bound of all modes."""
        late_s, first_s = self.late_s["auto"], self.first_s["auto"]
        persist_s = self.late_s["persist"]
        return ((*ratio_of_means(late_s, self.late_s[self.best()]), 1.03,
                 statistics.mean(late_s) / self.late_bound_s),
                (*ratio_of_means(first_s, self.first_s[shortest(self.first_s)]),
                 1.25 if self.costs else 1.1, statistics.mean(first_s) / self.first_bound_s),
                (*ratio_of_means(persist_s, self.late_s["static"]), 1.03,
                 statistics.mean(persist_s) / self.late_bound_s))

    def row(self):
        words = [self.speeds, "noise" if self.noise else "-", "drift" if self.drift else "-",
                 "no costs" if self.costs else "-"]
        return [self.workload.split()[0][2:], self.tasks_each, *words, self.best(),
                *(cell for ratio, error, most, to_bound in self.ratios() for cell in
                  (f"{ratio:.3f} +- {error:.3f}"
                   f"{' !' if is_above(ratio, error, most, to_bound) else ''}",
                   f"{to_bound:.3f}"))]


def means(seconds):
    return {mode: statistics.mean(values) for mode, values in seconds.items()}


def shortest(seconds):
    """The mode with the least mean."""
    return min(seconds, key=lambda mode: statistics.mean(seconds[mode]))


def ratio_of_means(seconds, others):
    """And its standard error, of pairs with the same seed."""
    mean, others_mean = statistics.mean(seconds), statistics.mean(others)
    ratio = mean / others_mean
    rests = [one - ratio * other for one, other in zip(seconds, others)]
    error = statistics.stdev(rests) / math.sqrt(len(rests)) if len(rests) > 1 else math.inf
    return ratio, error / others_mean


def is_above(ratio, _, most, to_bound):
    return ratio > most and to_bound > most


def run_disturbed(lab, folder, modes):
    workers = [int(n) for n in lab.options.workers.split(",")]
    conditions = [(speeds, noise, drift, costs)
                  for speeds in ("equal", "one slow", "half slow", "spread")
                  for noise in ("", NOISE) for drift in ("", DRIFT)
                  for costs in ("", "--known-costs none")]
    cases = [Disturbed(workload, n, each, condition) for n in workers for each in TASKS_PER_WORKER
             for workload in ("--gauss 0.02,0.002", "--exponential 0.02")
             for condition in conditions if n * each <= MOST_TASKS]
    seeds = range(1, lab.options.disturbed + 1)
    work = Work(lab)
    for case in cases:
        case.find_bounds(work, seeds)
        results = iter(lab.sweep([line for mode in modes for line in
                                  case.lines(folder, mode, seeds)]))
        for mode in modes:
            case.take(mode, [next(results) for _ in seeds])
    report_disturbed(lab, cases)


def report_disturbed(lab, cases):
    lab.table("Means from the third iteration on; ! above the bound",
              ["tasks", "a worker", "speeds", "", "", "", "best", "auto to best", "to bound",
               "first to best", "to bound", "persist to static", "to bound"],
              [case.row() for case in cases])
    claims = ["auto from the third iteration on, to the best mode",
              "auto in the first iteration, to the best mode of it", "persist to static"]
    lab.beryl["disturbed"] = [{"workers": case.workers, "case": case.row(),
                               "first seconds": means(case.first_s),
                               "seconds": means(case.late_s)}
                              for case in cases]
    for claim, ratios in zip(claims, zip(*(case.ratios() for case in cases))):
        above = sum(is_above(*ratio) for ratio in ratios)
        lab.at_most(f"cases of {len(cases)} above the bound: {claim}", above, 0)


def worst(cases, ratio):
    """The worst ratio, by workload and tasks a worker, and of all."""
    found = {}
    for case in cases:
        key = (case.name, case.tasks_each)
        found[key] = max(found.get(key, 0), ratio(case))
    return found, max(found.values(), default=None)


def run(lab, cases, modes_of):
    """Seed by seed, so that one sees how far it is."""
    for seed in dict.fromkeys(case.seed for case in cases):
        part = [case for case in cases if case.seed == seed]
        results = iter(lab.sweep([line for case in part for line in case.lines(modes_of(case))]))
        for case in part:
            case.take(modes_of(case), results)


def report(lab, cases, named, compared):
    columns = {f"{mode}, 3rd on": worst(cases, lambda case, mode=mode: case.to_static(mode))
               for mode in MOVERS}
    first, _ = columns["auto, first"] = worst(cases, Case.first_to_static)
    best, worst_to_best = worst([case for case in compared if case.mean_s >= 0.01], Case.to_best)
    lab.table("Worst makespans to static, from the third iteration on less messages; auto's to the "
              "best mode",
              ["tasks", "a worker", *columns, "auto to best"],
              [[name, round(each, 1), *(found[name, each] for found, _ in columns.values()),
                best.get((name, each))] for name, each in next(iter(columns.values()))[0]])
    lab.beryl["cases"] = [{"tasks": case.name, "workers": case.workers,
                           "tasks a worker": case.tasks_each, "seconds": case.seconds,
                           "auto's first seconds without costs": case.first_s}
                          for case in cases]
    for mode in MOVERS:
        lab.at_most(f"{mode} from the third iteration on, to static", columns[f"{mode}, 3rd on"][1],
                    1.005)
    lab.at_most("the named cases, messages included", max(
        case.all_to_static() for case in named), 1.005)
    lab.at_most("auto in the first iteration, drawn durations, to static",
                max(ratio for (name, _), ratio in first.items() if is_drawn(name)), 1.02)
    chemistry = [ratio for (name, _), ratio in first.items() if not is_drawn(name)]
    if chemistry:
        # Costs are predicted there. Without them the end of 42 ms of TCE takes 0.9 ms.
        lab.at_most("auto in the first iteration, HF and TCE, to static", max(chemistry), 1.025)
    if worst_to_best is not None:
        lab.at_most("auto to the best mode, tasks of 10 ms and more", worst_to_best, 1.03)
    return [figure.Panel("to static, at worst", "tasks a worker", "makespan",
                         [figure.Series(f"{name}, {column}", *by_number(found, name))
                          for column, (found, _) in columns.items()
                          for name in dict.fromkeys(name for name, _ in found)], x_log=True)]


def is_drawn(name):
    return name.split(",")[0] in DRAWN


def by_number(found, name):
    rows = sorted((each, ratio) for (other, each), ratio in found.items() if other == name)
    return [each for each, _ in rows], [ratio for _, ratio in rows]


def seeds(text):
    """N: 1 to N; A-B: A to B."""
    first, last = text.split("-") if "-" in text else (1, text)
    if not 1 <= int(first) <= int(last):
        raise ValueError
    return range(int(first), int(last) + 1)


def main():
    options = experiment.parser(__doc__)
    options.add_argument("--workers", metavar="N,...", default="128,2400",
                         help="numbers of workers, up to 163,840, for hours (128,2400)")
    options.add_argument("--seeds", metavar="N | A-B", type=seeds, default="2",
                         help="of each case: 1 to N, or A to B (2)")
    options.add_argument("--all-modes", metavar="N", type=int, default=2,
                         help="seeds to this one have all modes, the others static, persist and "
                         "auto (2)")
    options.add_argument("--disturbed", metavar="N", type=int, default=0,
                         help="run the harder cases instead, with so many seeds (0)")
    lab = experiment.begin("never_worse", __doc__, options.parse_args())
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        if lab.options.disturbed > 0:
            run_disturbed(lab, folder, [m for m in lab.modes() if m not in BOUNDS])
            return lab.end()
        named, cases = named_cases(folder, lab), make_cases(lab, folder)
        movers, all_modes = ["static", *MOVERS], [m for m in lab.modes() if m not in BOUNDS]
        run(lab, named, lambda _: movers)
        run(lab, cases,
            lambda case: all_modes if case.seed <= lab.options.all_modes else movers)
    finally:
        shutil.rmtree(folder)
    compared = [case for case in cases if case.seed <= lab.options.all_modes]
    lab.draw(report(lab, named + cases, named, compared))
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
