#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loads in vt's form, replayed at their recorded ranks under every mode.

    vt.py [SET ...]

SET is FILE.%p.json, the files of a load with %p for the rank, or FILE.%p.vom in vt's older form (rows
phase,object,seconds and phase,to,from,bytes,type), which is rewritten first. beryl-vt translates them for
beryl-sched. Without SETs: two made up here, ranks of uneven load whose tasks share blocks, and a load that moves from phase to phase.

Three tables: tasks alone (--data off), with their shared blocks and messages, and with these where tasks
take a thousandth of the time, as times of the public sets are arbitrary. Seconds are of the last
iteration of three, or the sum over the phases of a load with several.
"""
import json
import pathlib
import random
import shlex
import sys
import tempfile

import experiment
import figure

NETWORK = "--node-size 4"
TABLES = {"tasks alone": "--data off", "with data": "",
          "with data, times / 1000": "--time-scale 1e-3"}


def name_of(path, rank):
    return pathlib.Path(str(path).replace("%p", str(rank)))


def ranks_of(path):
    """The number of files."""
    n = 0
    while name_of(path, n).exists():
        n += 1
    if n == 0:
        experiment.stop(f"{name_of(path, 0)} is not there: a set is FILE.%p.json or FILE.%p.vom")
    return n


def task(entity, rank, seconds, block=None):
    result = {"entity": {"id": entity, "home": rank, "migratable": True, "type": "object"},
              "node": rank, "resource": "cpu", "time": seconds}
    if block:
        result["user_defined"] = {"shared_id": block[0], "shared_bytes": block[1]}
    return result


def write_set(path, phases):
    """phases: for each the lists of tasks of all ranks."""
    for rank in range(len(phases[0])):
        name_of(path, rank).write_text(json.dumps(
            {"type": "LBDatafile", "phases": [{"id": i, "tasks": ranks[rank]}
                                              for i, ranks in enumerate(phases)]}))


def make_sets(folder):
    """Two sets. Of 8 ranks a quarter has three times the tasks of the others; each 8 tasks share a block.
    Of 4 ranks one has tasks three times as long, another rank in each phase."""
    generator = random.Random(1)
    uneven = [[task(1000 * rank + i, rank, generator.lognormvariate(-2, 0.7),
                    (100 * rank + i // 8, 1e6)) for i in range(48 if rank < 2 else 16)]
              for rank in range(8)]
    write_set(folder / "uneven.%p.json", [uneven])
    moving = [[[task(1000 * rank + i, rank, 0.1 * (3 if phase % 4 == rank else 1)
                     * generator.uniform(0.8, 1.2)) for i in range(10)] for rank in range(4)]
              for phase in range(8)]
    write_set(folder / "moving.%p.json", moving)
    return [folder / "uneven.%p.json", folder / "moving.%p.json"]


def rewrite_vom(path, folder):
    """The set as JSON. Messages to and from nodes are left out."""
    result = folder / pathlib.Path(path).parent.name / "load.%p.json"
    result.parent.mkdir()
    for rank in range(ranks_of(path)):
        phases = {}
        for line in name_of(path, rank).read_text().splitlines():
            fields = line.split(",")
            phase = phases.setdefault(int(fields[0]), {"id": int(fields[0]), "tasks": []})
            if len(fields) == 3:
                phase["tasks"].append(task(int(fields[1]), rank, float(fields[2])))
            elif fields[4] == "1":
                ends = [{"type": "object", "id": int(end)} for end in fields[1:3]]
                phase.setdefault("communications", []).append(
                    {"type": "SendRecv", "bytes": float(fields[3]), "messages": 1, "to": ends[0],
                     "from": ends[1]})
        name_of(result, rank).write_text(json.dumps({"type": "LBDatafile",
                                                     "phases": list(phases.values())}))
    return result


def content(path, rank):
    """A file, without the order of phases and tasks, which means nothing."""
    data = json.loads(name_of(path, rank).read_text())
    for phase in data["phases"]:
        phase["tasks"].sort(key=lambda t: t["entity"]["id"])
    data["phases"].sort(key=lambda phase: phase["id"])
    return data


def measure(path, ranks):
    """Phases, tasks of the first phase; of all phases the seconds of the fullest rank, and a lower
    bound: the mean rank or the longest task."""
    fullest, bound = {}, {}
    sums, longest, n_first = {}, {}, 0
    for rank in range(ranks):
        for phase in content(path, rank)["phases"]:
            times = [t["time"] for t in phase["tasks"]]
            key = phase["id"]
            n_first += len(times) if key == 0 else 0
            fullest[key] = max(fullest.get(key, 0), sum(times))
            sums[key] = sums.get(key, 0) + sum(times)
            longest[key] = max([longest.get(key, 0), *times])
    bound = {key: max(sums[key] / ranks, longest[key]) for key in sums}
    return len(sums), n_first, sum(fullest.values()), sum(bound.values())


def seconds(mode, n_phases):
    spans = [iteration["makespan_seconds"] for iteration in mode["iterations"]]
    return sum(spans) if n_phases > 1 else spans[-1]


def copy_is_same(lab, path, table, ranks, n_phases):
    """Whether a run by the recorded placement is written with the content that was read."""
    copy = table.with_name(f"{table.stem}-copy.csv")
    again = table.with_name(f"{table.stem}-copy.%p.json")
    lab.run(f"--profile {shlex.quote(str(table))} --simulate {ranks} --sched static --seeding owner "
            f"--iterations {n_phases} --write-profile {shlex.quote(str(copy))} --all-iterations")
    experiment.execute([lab.program("beryl-vt"), str(copy), str(again), "--like", str(path)])
    return all(content(path, rank) == content(again, rank) for rank in range(ranks))


def replay(lab, path, label, folder):
    ranks = ranks_of(path)
    table = folder / f"{label}.csv"
    experiment.execute([lab.program("beryl-vt"), str(path), str(table)])
    n_phases, n_tasks, fullest, bound = measure(path, ranks)
    n_iterations = n_phases if n_phases > 1 else 3
    columns = {}
    for title, options in TABLES.items():
        result = lab.run(f"--profile {shlex.quote(str(table))} --simulate {ranks} {NETWORK} "
                         f"--seeding owner {options} --iterations {n_iterations} --compare all,lpt")
        columns[title] = {name: seconds(mode, n_phases) for name, mode in result["compare"].items()}
    alone = columns["tasks alone"]
    lab.table(f"{label}: {ranks} ranks, {n_phases} phases, {n_tasks} tasks in the first; lower bound "
              f"of tasks alone {bound:.4g} s", ["mode", *TABLES],
              [[name, *(column[name] for column in columns.values())] for name in alone])
    lab.beryl[label] = {"ranks": ranks, "phases": n_phases, "tasks": n_tasks, "bound": bound,
                        **columns}
    lab.equal(f"{label}: written as it was read", copy_is_same(lab, path, table, ranks, n_phases), True)
    moves = n_phases > 1  # vt may move tasks between phases, static does not
    lab.check(f"{label}: static is the recorded placement", alone["static"], fullest,
              moves or abs(alone["static"] / fullest - 1) < 1e-6)
    lab.at_least(f"{label}: no mode is below the lower bound", min(alone.values()),
                 bound * (1 - 1e-9))
    names = list(alone)
    return figure.Panel(label, "mode", "seconds to lower bound",
                        [figure.Series("tasks alone", list(range(len(names))),
                                       [alone[name] / bound for name in names])], y_log=True)


def main():
    parser = experiment.parser(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET")
    lab = experiment.begin("vt", __doc__, parser.parse_args())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = lab.options.sets or make_sets(folder)
        panels = []
        for path in paths:
            label = pathlib.Path(path).parent.name if lab.options.sets else path.name.split(".")[0]
            read = rewrite_vom(path, folder) if str(path).endswith(".vom") else path
            panels.append(replay(lab, read, label, folder))
    lab.draw(panels)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
