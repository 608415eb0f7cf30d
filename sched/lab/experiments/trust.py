#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the simulator can be trusted: makespan, efficiency and steals as simulated and as
measured on this machine, for every mode, with 1 process and with 2.

1. beryl-sched --calibrate measures the machine: in each round; of each constant the median counts.
2. An application runs in one process, in which no mode has anything to decide, and writes
   how long each task took, and which blocks of data it reads and writes: of each task the median
   of the rounds is the profile.
3. Every mode runs the application for real, and simulated from the profile of step 2 on the
   machine of step 1, transfers of blocks between the workers included. Nothing is fitted to the
   real runs.

The applications are the Fock build of a chain of 64 beryllium atoms and a tensor contraction.
Rounds alternate calibrations, profiles and modes, so that a machine that changes its speed does so for
all of them, and modes take turns in going first. The other programs of the machine should be at rest;
what is disturbed is run again (scripts/at_rest.py).
"""
import json
import pathlib
import statistics
import sys
import tempfile

import experiment

# Modes whose predictions are checked, with two processes.
PREDICTED = ["static", "counter", "steal", "retentive", "persist", "dtree", "hybrid"]
BOUND = 0.05
ITERATIONS = {1: 1, 2: 4}  # by number of processes


class FockBuild:
    """In all but the first build the tasks are those that the first one found to be not null,
    in the order of their numbers, as in a profile."""
    def __init__(self, lab):
        name = "be16" if lab.quick else "be64"
        self.name = name.capitalize()
        self.command = [lab.program("beryl-hf"), experiment.ROOT / f"inputs/{name}.xyz", "--basis",
                        "be15s", "--tile", "40", "--screen", "1e-6", "--prune", "observed", "--density",
                        "guess", "--fock-only"]
        self.n_skipped = 1

    def records(self, result):
        return result["extras"]["beryl"]["compare"]


class Contraction:
    def __init__(self, lab):
        name = "lifflander-s" if lab.quick else lab.options.contraction
        self.name = name
        self.command = [lab.program("beryl-tce"), "run", experiment.ROOT / f"inputs/{name}.tce",
                        "--iterations"]
        self.n_skipped = 0

    def records(self, result):
        return result["compare"]


# --- runs ---

def execute_at_rest(lab, command):
    lab.measure_at_rest(lambda: experiment.execute(command))


def calibrate(lab, folder):
    """The machine as it is now, of two processes."""
    path = folder / "machine.json"
    execute_at_rest(lab, [*experiment.launcher(2), lab.program("beryl-sched"), "--calibrate", str(path)])
    return json.loads(path.read_text())


def run_profile(lab, application, folder):
    """Seconds of every task of the second iteration in one process. The tasks' data are left in
    profile.blocks.csv and profile.sizes.csv, where simulate() takes them from; their numbers, the
    same each time, in application.tasks."""
    path = folder / "profile.csv"
    execute_at_rest(lab, [*map(str, application.command), str(application.n_skipped + 2), "--sched",
                          "static", "--write-profile", str(path)])
    rows = [row.split(",") for row in path.read_text().splitlines()[1:]]
    application.tasks = [task for task, _ in rows]
    return [float(seconds) for _, seconds in rows]


def run_modes(lab, application, modes, processes, iterations, folder):
    """Iterations of every mode, for real, each in a run of its own: a short one is seldom disturbed."""
    path = folder / "mode.json"
    command = experiment.launcher(processes) + [
        *map(str, application.command), str(application.n_skipped + iterations), "--json", str(path)]
    found = {}
    for mode in modes:
        execute_at_rest(lab, [*command, "--compare", mode])
        records = application.records(json.loads(path.read_text()))
        found[mode] = records[mode]["iterations"][application.n_skipped:]
    return found


def rotated(modes, turn):
    turn %= len(modes)
    return modes[turn:] + modes[:turn]


def measure(lab, application, folder):
    """The rounds: machines, none with --machine; profiles; and iterations of the modes by number of
    processes and mode. With one process, where modes hardly differ, each round runs some of them."""
    n_rounds, all_modes = 1 if lab.quick else lab.options.rounds, lab.modes()
    machines, profiles = [], []
    runs = {processes: {mode: [] for mode in all_modes} for processes in ITERATIONS}
    for turn in range(n_rounds):
        print(f"trust: {application.name}, round {turn + 1} of {n_rounds} ...", flush=True)
        if not lab.options.machine:
            machines.append(calibrate(lab, folder))
        profiles.append(run_profile(lab, application, folder))
        for processes, iterations in ITERATIONS.items():
            modes = (all_modes[turn::n_rounds] if processes == 1
                     else rotated(all_modes, turn * len(all_modes) // n_rounds))
            done = run_modes(lab, application, modes, processes, iterations, folder)
            for mode in modes:
                runs[processes][mode].append(done[mode])
    return machines, profiles, runs


def simulate(lab, application, seconds, machine, processes, modes, folder, data="on"):
    """Iterations of the modes; --progress poll, because real parents of dtree have no thread; data:
    whether transfers count."""
    profile = folder / "profile.csv"  # beside the data of its tasks
    rows = "".join(f"{task},{time:.9g}\n"
                   for task, time in zip(application.tasks, seconds, strict=True))
    profile.write_text("task,seconds\n" + rows)
    options = (f"--profile {profile} --machine {machine} --simulate {processes} --data {data} "
               f"--iterations {ITERATIONS[processes]} --progress poll --sched ")
    return {mode: experiment.iterations(lab.run(options + mode)) for mode in modes}


# --- figures ---

def figures(iterations):
    """Means over the iterations of a run."""
    def mean(value):
        return statistics.fmean(value(iteration) for iteration in iterations)
    return {"makespan_seconds": mean(lambda i: i["makespan_seconds"]),
            "efficiency": mean(lambda i: i["efficiency"]),
            "steals_attempted": mean(lambda i: i["steals_attempted"]["mean"]),
            "steals_successful": mean(lambda i: i["steals_successful"]["mean"]),
            "makespans": [i["makespan_seconds"] for i in iterations]}


def median_of(rounds):
    """The median over the rounds of each measurement, of makespans iteration by iteration."""
    rounds = [figures(iterations) for iterations in rounds]
    result = {key: statistics.median(r[key] for r in rounds) for key in rounds[0]
              if key != "makespans"}
    result["makespans"] = [statistics.median(column)
                           for column in zip(*(r["makespans"] for r in rounds))]
    result["makespan_seconds"] = statistics.fmean(result["makespans"])
    return result


def median_machine(values):
    """The median of each value of machines from several calibrations."""
    first = values[0]
    if isinstance(first, dict):
        return {key: median_machine([value[key] for value in values]) for key in first}
    return first if values.count(first) == len(values) else statistics.median(values)


def compare(measured, simulated):
    """By mode, of those that were simulated."""
    table = {}
    for mode, iterations in simulated.items():
        real, virtual = median_of(measured[mode]), figures(iterations)
        difference = virtual["makespan_seconds"] / real["makespan_seconds"] - 1
        table[mode] = {"measured": real, "simulated": virtual, "difference": difference}
    return table


STATISTICS = {"median": statistics.median, "mean": statistics.fmean, "shortest": min}


def summaries(profiles):
    """Profiles made of several: one duration for each task, by each statistic; and the profile whose
    sum is the median of the sums."""
    made = {name: [function(times) for times in zip(*profiles, strict=True)]
            for name, function in STATISTICS.items()}
    made["median run"] = sorted(profiles, key=sum)[len(profiles) // 2]
    return made


# --- what is shown ---

HEADS = ["mode", "makespan / s", "simulated / s", "difference", "efficiency", "simulated",
         "steals of attempts", "simulated"]


def rows_of(modes):
    def steals(figure):
        return f"{figure['steals_successful']:.1f} of {figure['steals_attempted']:.1f}"
    rows = []
    for mode, row in modes.items():
        real, virtual = row["measured"], row["simulated"]
        rows.append([mode, f"{real['makespan_seconds']:.4f}",
                     f"{virtual['makespan_seconds']:.4f}", f"{100 * row['difference']:+.2f} %",
                     f"{100 * real['efficiency']:.2f} %", f"{100 * virtual['efficiency']:.2f} %",
                     steals(real), steals(virtual)])
    return rows


def show_statistics(lab, application, tables, texts):
    """How well other durations than the median would have predicted."""
    rows = [[name, f"{sum(seconds):.4f}",
             *(f"{100 * table[mode]['difference']:+.2f} %" for mode in PREDICTED)]
            for name, (seconds, table) in tables.items()]
    title = f"{application.name}, 2 processes: difference by statistic of durations"
    heads = ["duration of a task", "sum / s", *PREDICTED]
    lab.table(title, heads, rows)
    texts.append(f"{title}\n\n{markdown(heads, rows)}")


def show_machine(lab, application, machine, texts):
    """A table of its measured parameters, in the units of the options."""
    rows = [[name] + [f"{figure[key]:.3g}" for key in ("median", "low", "high")]
            for name, figure in machine["measured"].items() if isinstance(figure, dict)]
    heads = ["figure", "median", "a quarter is below", "a quarter is above"]
    title = f"{application.name}: the machine"
    lab.table(title, heads, rows)
    texts.append(f"{title}\n\n{markdown(heads, rows)}")


def plural(processes):
    return "1 process" if processes == 1 else f"{processes} processes"


def markdown(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def show(lab, application, tables, texts):
    for processes, modes in tables.items():
        title = f"{application.name}, {plural(processes)}"
        lab.table(f"{title}: means over iterations, steals of a worker", HEADS, rows_of(modes))
        texts.append(f"{title}\n\n{markdown(HEADS, rows_of(modes))}")


def check(lab, application, modes):
    for mode in PREDICTED:
        lab.at_most(f"{application.name}, {mode}, 2 processes: difference of makespans",
                    abs(modes[mode]["difference"]), BOUND)


def examine(lab, application, folder, texts):
    machines, profiles, measured = measure(lab, application, folder)
    path = lab.options.machine or folder / "machine.json"
    if machines:
        path.write_text(json.dumps(median_machine(machines)))
    machine = json.loads(pathlib.Path(path).read_text())
    show_machine(lab, application, machine, texts)
    made = summaries(profiles)
    seconds = made["median"]

    def predict(seconds, processes, modes, data="on"):
        return compare(measured[processes], simulate(lab, application, seconds, path, processes,
                                                     modes, folder, data))
    tables = {processes: predict(seconds, processes, list(measured[processes]))
              for processes in ITERATIONS}
    others = {name: (times, predict(times, 2, PREDICTED)) for name, times in made.items()}
    others["median, no transfers"] = (seconds, predict(seconds, 2, PREDICTED, "off"))
    show(lab, application, tables, texts)
    show_statistics(lab, application, others, texts)
    check(lab, application, tables[2])
    return {"machine": machine, "tasks": len(seconds), "task_seconds": sum(seconds),
            "longest_task_seconds": max(seconds), "processes": tables,
            "differences_by_statistic": {
                name: {mode: table[mode]["difference"] for mode in PREDICTED}
                for name, (_, table) in others.items()}}


def main():
    options = experiment.parser(__doc__)
    options.add_argument("--rounds", metavar="N", type=int, default=3,
                         help="repetitions; results are medians over them (3)")
    options.add_argument("--contraction", metavar="NAME", default="lifflander-s",
                         help="program of beryl-tce among the inputs (lifflander-s)")
    options.add_argument("--machine", metavar="FILE.json",
                         help="as calibrated before, instead of calibrating now")
    options.add_argument("--markdown", metavar="OUT.md", help="the tables for a text")
    options.set_defaults(no_figure=True)
    lab = experiment.begin("trust", __doc__, options.parse_args())
    texts = []  # of --markdown
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for application in FockBuild(lab), Contraction(lab):
            lab.beryl[application.name] = examine(lab, application, folder, texts)
    if lab.options.markdown:
        pathlib.Path(lab.options.markdown).write_text("\n".join(texts))
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
