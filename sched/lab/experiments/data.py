#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loads whose tasks wait for blocks of data: what auto and persist, which weigh that, make of them.

    data.py [SET ...] [--cases N]

From the recorded placement, in which every block is where its tasks are, no iteration of auto or persist may
take more than 1.02 of the first one of the same mode, nor more than static, which never moves anything;
and no mode may take less than the lower bound. For N random cases (200) the latter, too, and that the last
iteration is not above the first, nor above static, by these: tasks of some spread, in uneven numbers, with
blocks that they share, on machines of any ratio of a transfer to a task, with caches large enough or not, and
nodes of several sizes.

SET is FILE.%p.json or FILE.%p.vom, as for vt.py; without, one made up here. Sets run with the times of their
tasks as they are, and with a thousandth of them; and on four times as many ranks, if at least five tasks a worker
remain: the tasks of rank r, in their order, are cut into four blocks of equal numbers, which go to the ranks
4 r to 4 r + 3. Of loads that change from phase to phase only the sum over all phases is compared.
"""
import json
import pathlib
import random
import sys
import tempfile

import experiment
import figure
import vt

LEARNERS = ["persist", "auto"]
SCALE, LEAST_TASKS = 4, 5
N_ITERATIONS = 8
BEGINNING = 1.02
ROUNDING = 1e-9
EQUAL = 1.005  # modes that send messages end by that later


class Case:
    """A load, its options, and the makespans of all modes in all iterations."""
    def __init__(self, name, options, n_phases=1):
        self.name, self.n_phases = name, n_phases
        n_iterations = n_phases if n_phases > 1 else N_ITERATIONS
        self.options = f"{options} --seeding owner --iterations {n_iterations} --compare all"
        self.seconds, self.bounds = {}, []

    def run(self, lab):
        for mode, found in lab.run(self.options)["compare"].items():
            self.seconds[mode] = [i["makespan_seconds"] for i in found["iterations"]]
            self.bounds = [i["lower_bound_seconds"] for i in found["iterations"]]

    def to_first(self, mode):
        """The longest iteration, to the first one; 0 where they differ in their tasks."""
        return 0 if self.n_phases > 1 else max(self.seconds[mode]) / self.seconds[mode][0]

    def to_static(self, mode):
        if self.n_phases > 1:
            return sum(self.seconds[mode]) / sum(self.seconds["static"])
        return max(self.seconds[mode]) / max(self.seconds["static"])

    def to_bound(self):
        """The least of all iterations of all modes."""
        return min(s / b for of in self.seconds.values() for s, b in zip(of, self.bounds))

    def last_to_bound(self, mode):
        if self.n_phases > 1:
            return sum(self.seconds[mode]) / sum(self.bounds)
        return self.seconds[mode][-1] / self.bounds[-1]


def scale_set(path, folder):
    """The set on four times as many ranks; None if too few tasks remain."""
    ranks = vt.ranks_of(path)
    files = [json.loads(vt.name_of(path, rank).read_text()) for rank in range(ranks)]
    if any(len(file["phases"]) > 1 for file in files):
        return None
    if sum(len(file["phases"][0]["tasks"]) for file in files) < LEAST_TASKS * SCALE * ranks:
        return None
    result = folder / f"{pathlib.Path(path).parent.name}.scaled.%p.json"
    for rank, file in enumerate(files):
        tasks = file["phases"][0]["tasks"]
        for part in range(SCALE):
            cut = [len(tasks) * i // SCALE for i in (part, part + 1)]
            to = SCALE * rank + part
            vt.name_of(result, to).write_text(json.dumps({"type": "LBDatafile", "phases": [
                {"id": 0, "tasks": [{**task, "node": to} for task in tasks[cut[0]:cut[1]]]}]}))
    return result


def public_cases(path, label, folder, variants):
    """The first of two variants, the times as they are, or both."""
    cases = []
    for name, read in ((label, path), (f"{label}, {SCALE} x the ranks", scale_set(path, folder))):
        if read is None:
            continue
        ranks = vt.ranks_of(read)
        n_phases = vt.measure(read, ranks)[0]
        for suffix, options in (("", ""), (", times / 1000", " --time-scale 1e-3"))[:variants]:
            cases.append(Case(name + suffix, f"--profile {read} --simulate {ranks} {vt.NETWORK}"
                              f"{options}", n_phases))
    return cases


def random_case(folder, seed):
    """Uneven numbers of tasks, each with a block of its owner that a few of them share; some read one of
    somebody else, too, and some write. A transfer takes 0.003 to 3 times a task."""
    generator = random.Random(seed)
    workers, node_size = generator.choice([4, 7, 16, 32]), generator.choice([1, 2, 4, 8])
    each, spread = generator.choice([3, 8, 20, 60]), generator.choice([0.1, 0.5, 1.2])
    transfer, sharing = 10 ** generator.uniform(-2.5, 0.5), generator.choice([1, 1, 4, 16])
    others, written = generator.choice([0, 0, 0.3]), generator.choice([0, 0, 0.5])
    skew, cache = generator.choice([0, 1, 3]), generator.choice([0, 10 ** 8, 10 ** 12])
    mean, size = 0.01, 10 ** 7
    tasks, blocks, accesses = [], [], []
    for worker in range(workers):
        n_tasks = max(1, round(each * (1 + skew * generator.random() ** 3)))
        for i in range(n_tasks):
            if i % sharing == 0:
                blocks.append((int(size * generator.uniform(0.5, 1.5)), worker))
            block = len(blocks) - 1
            access = "w" if generator.random() < written else "r"
            accesses.append((len(tasks), access, block))
            if generator.random() < others:
                accesses.append((len(tasks), "r", generator.randrange(len(blocks))))
            tasks.append(mean * generator.lognormvariate(0, spread))
    path = folder / f"random{seed}.csv"
    for ending, head, rows in (("", "task,seconds", enumerate(tasks)),
                               (".blocks", "task,access,block", accesses),
                               (".sizes", "block,bytes,owner",
                                ((i, *block) for i, block in enumerate(blocks)))):
        lines = [head, *(",".join(map(str, row)) for row in rows)]
        (folder / f"random{seed}{ending}.csv").write_text("\n".join(lines) + "\n")
    return Case(f"random {seed}: {workers} workers, nodes of {node_size}, {each} tasks each, "
                f"transfer {transfer:.3g}",
                f"--profile {path} --simulate {workers} --node-size {node_size} --node-cache {cache} "
                f"--bandwidth {size / (mean * transfer):.6g} "
                f"--node-bandwidth {10 * size / (mean * transfer):.6g}")


def check_cases(lab, title, cases, to_first, to_static):
    """The two ratios are of a case and a mode."""
    for mode in LEARNERS:
        for name, ratio, most in (("its first iteration", to_first, BEGINNING),
                                  ("static", to_static, EQUAL)):
            worst = max(cases, key=lambda case, mode=mode, ratio=ratio: ratio(case, mode))
            lab.at_most(f"{title}: {mode} to {name} ({worst.name})", ratio(worst, mode), most)
    lab.at_least(f"{title}: no mode is below the lower bound",
                 min(case.to_bound() for case in cases), 1 - ROUNDING)


def report(lab, public, cases):
    lab.table(f"To the lower bound: the last of {N_ITERATIONS} iterations, or all phases",
              ["load", "bound / s", "static", *LEARNERS, *(f"{m}, first" for m in LEARNERS)],
              [[case.name, sum(case.bounds) / len(case.bounds), case.last_to_bound("static"),
                *(case.last_to_bound(mode) for mode in LEARNERS),
                *(case.seconds[mode][0] / case.bounds[0] for mode in LEARNERS)]
               for case in public])
    rows = []
    for mode in LEARNERS:
        gains = sorted(case.seconds[mode][-1] / case.seconds["static"][-1] for case in cases)
        rows.append([mode, len(cases), gains[0], gains[len(gains) // 2], gains[-1],
                     sum(case.to_first(mode) > BEGINNING for case in cases),
                     sum(case.to_static(mode) > EQUAL for case in cases)])
    lab.table("Random cases: the last iteration to static; cases in which any is above",
              ["mode", "cases", "least", "median", "most", "its first", "static"], rows)
    lab.beryl["cases"] = [{"load": case.name, "options": case.options, "bounds": case.bounds,
                           "seconds": case.seconds} for case in public + cases]
    check_cases(lab, "sets", public, Case.to_first, Case.to_static)
    check_cases(lab, "random cases, last iteration", cases,
                lambda case, mode: case.seconds[mode][-1] / case.seconds[mode][0],
                lambda case, mode: case.seconds[mode][-1] / case.seconds["static"][-1])
    return [figure.Panel("random cases", "case", "last iteration to static",
                         [figure.Series(mode, list(range(len(cases))),
                                        [case.seconds[mode][-1] / case.seconds["static"][-1]
                                         for case in cases]) for mode in LEARNERS])]


def main():
    parser = experiment.parser(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--cases", type=int, metavar="N", default=200, help="random cases (200)")
    lab = experiment.begin("data", __doc__, parser.parse_args())
    n_cases = min(lab.options.cases, 6) if lab.quick else lab.options.cases
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        public = []
        for path in lab.options.sets or vt.make_sets(folder)[:1]:
            label = pathlib.Path(path).parent.name if lab.options.sets else path.name.split(".")[0]
            read = vt.rewrite_vom(path, folder) if str(path).endswith(".vom") else path
            public += public_cases(read, label, folder, 2 if lab.options.sets else 1)
        cases = [random_case(folder, seed) for seed in range(1, n_cases + 1)]
        for case in public + cases:
            case.run(lab)
    lab.draw(report(lab, public, cases))
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
