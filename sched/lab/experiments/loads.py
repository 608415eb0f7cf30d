#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An archive of recorded loads: Fock builds of six molecules, an iteration of CCSD, one of CCSD with the
triples of CCSD(T), and an unbalanced tree, each in two forms.

    loads.py --archive loads.tar.xz

NAME/NAME.csv has the seconds of every task, NAME.blocks.csv and NAME.sizes.csv the blocks of data that
tasks read and write; NAME/vt/NAME.%p.json is the same as JSON of vt on 16 ranks. README.md in the
archive says what columns and units mean, on which machine and by which commands they were recorded.
All run alone on one process: nothing else should run meanwhile.
"""
import csv
import hashlib
import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys
import tarfile
import tempfile

import experiment

RANKS = 16
INPUTS = experiment.ROOT / "inputs"
# Tiles small enough for thousands of tasks.
FOCK = {"c2h4": "cc-pvtz --tile 10", "benzene": "cc-pvdz --tile 10", "water10": "cc-pvdz --tile 20",
        "c20h42": "sto-3g --tile 12", "c24h12": "sto-3g --tile 12", "be64": "be15s --tile 20"}
QUICK_FOCK = {"water": "sto-3g --tile 3"}
CLUSTER = {"ccsd": "c2h4.xyz --basis cc-pvdz --tile 8", "ccsd_t": "c2h4.xyz --basis cc-pvdz --tile 8"}
QUICK_CLUSTER = {"ccsd": "water.xyz --basis sto-3g"}
# Number of subtrees, probability of a node to have children, how many, seed: tree T3 of the benchmark.
TREE, QUICK_TREE = (2000, 0.124875, 8, 42), (100, 0.1, 8, 42)

README = """# Recorded loads of Beryl

| column | |
| --- | --- |
| `task` | number of a task; those that are missing do nothing and take no time |
| `seconds` | wall time of the task, run alone on one process of the machine below |
| `access` | `r`: the task reads the block, `w`: it adds to it |
| `block` | number of a block of data: a tile of a density or Fock matrix, or of a tensor |
| `bytes` | its size |
| `owner` | the process that holds it is the remainder of this number by the number of processes |

`NAME.csv` (task,seconds), `NAME.blocks.csv` (task,access,block; in the order in which a task needs them),
`NAME.sizes.csv` (block,bytes,owner). In `vt/NAME.%p.json`, JSON of the type LBDatafile for the runtime
vt, %p is the rank, `time` has the seconds, `id` is the number of the task, `node` is the rank that owns what the task writes (or, without blocks, has it in equal blocks of tasks), and `shared_id`,
`shared_bytes` are the largest block of the task. Tasks of one load may run in any order. The exception is
CCSD: its tasks belong to stages that follow each other, and these files do not show the stages.

Licence: BSD 3-clause, as Beryl.

"""


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def machine():
    commit = subprocess.run(["git", "-C", str(experiment.ROOT), "describe", "--always", "--dirty"],
                            stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    return (f"Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} "
            f"{platform.release()}. Beryl: {commit or 'unknown'}.")


def read_tasks(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [(int(row["task"]), float(row["seconds"])) for row in csv.DictReader(file)]


def subtree_sizes(tree):
    """Nodes below each child of the root of a binomial tree, the child included (as uts.c draws it)."""
    n_subtrees, probability, n_children, seed = tree
    bound = probability * 2**31
    root = hashlib.sha1(bytes(16) + seed.to_bytes(4, "big")).digest()
    indices = [i.to_bytes(4, "big") for i in range(max(n_subtrees, n_children))]
    sizes = []
    for first in indices[:n_subtrees]:
        stack, size = [hashlib.sha1(root + first).digest()], 0
        while stack:
            state = stack.pop()
            size += 1
            if int.from_bytes(state[-4:], "big") & 0x7fffffff < bound:
                stack += [hashlib.sha1(state + index).digest() for index in indices[:n_children]]
        sizes.append(size)
    return sizes


def record_tree(lab, tree, path):
    """A task for each subtree of the root, of its nodes times the seconds of a node."""
    options = "-t 0 -b {} -q {} -m {} -r {}".format(*tree)
    command = ["beryl-sched", "--uts", options, "--sched", "steal"]
    result = lab.run(shlex.join(command[1:]))
    node_s = experiment.last(result)["task_seconds"] / result["nodes"]
    sizes = subtree_sizes(tree)
    lab.equal("the subtrees have all nodes of the tree", sum(sizes) + 1, result["nodes"])
    rows = [f"{task},{size * node_s:.9g}" for task, size in enumerate(sizes)]
    path.write_text("\n".join(["task,seconds", *rows]) + "\n")
    return command


def record(lab, command, path):
    experiment.execute([lab.program(command[0]), *command[1:], "--write-profile", str(path)])
    return command


def write_vt(lab, path):
    """Tasks with data are placed with their data."""
    (path.parent / "vt").mkdir()
    target = path.parent / "vt" / f"{path.stem}.%p.json"
    experiment.execute([lab.program("beryl-vt"), str(path), str(target), "--ranks", str(RANKS)])
    times = []
    for rank in range(RANKS):
        data = json.loads(pathlib.Path(str(target).replace("%p", str(rank))).read_text())
        times += [(task["entity"]["id"], task["time"]) for task in data["phases"][0]["tasks"]]
    return [time for _, time in sorted(times)]


def digest(folder):
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*.*")):
        total.update(file.read_bytes())
    return total.hexdigest()[:16]


def describe(lab, path, command):
    """The row of the manifest; checks that both forms have the same tasks."""
    seconds = [time for _, time in read_tasks(path)]
    in_vt = write_vt(lab, path)
    lab.equal(f"{path.stem}: the same tasks in both forms", seconds == in_vt, True)
    sizes = path.with_suffix(".sizes.csv")
    blocks = [int(row["bytes"]) for row in csv.DictReader(sizes.read_text().splitlines())] \
        if sizes.exists() else []
    shown = shlex.join(command).replace(str(INPUTS) + "/", "inputs/")
    return [path.stem, f"`{shown}`", len(seconds), sum(seconds), max(seconds), len(blocks),
            sum(blocks), digest(path.parent)]


def loads(lab):
    """Pairs of a name and of what writes its profile to a path, and returns the command."""
    fock = QUICK_FOCK if lab.quick else FOCK
    for molecule, options in fock.items():
        command = ["beryl-hf", str(INPUTS / f"{molecule}.xyz"), "--basis", *options.split(),
                   "--fock-only", "2", "--sched", "static"]
        yield f"fock-{molecule}", lambda path, command=command: record(lab, command, path)
    for method, options in (QUICK_CLUSTER if lab.quick else CLUSTER).items():
        molecule, *rest = options.split()
        command = ["beryl-tce", method, str(INPUTS / molecule), *rest, "--sched", "static"]
        yield method.replace("_", "-"), lambda path, command=command: record(lab, command, path)
    yield "uts-t3", lambda path: record_tree(lab, QUICK_TREE if lab.quick else TREE, path)


HEADS = ["load", "command", "tasks", "seconds", "longest task", "blocks", "bytes", "SHA-256, first digits"]


def main():
    parser = experiment.parser(__doc__)
    parser.add_argument("--archive", metavar="OUT.tar.xz", help="where to write it (nowhere)")
    lab = experiment.begin("loads", __doc__, parser.parse_args())
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "loads"
        for load, write in loads(lab):
            path = folder / load / f"{load}.csv"
            path.parent.mkdir(parents=True)
            rows.append(describe(lab, path, write(path)))
            print(f"loads: {load}: {rows[-1][2]} tasks", flush=True)
        table = ["| " + " | ".join(map(experiment.text, row)) + " |"
                 for row in [HEADS, ["---"] * len(HEADS), *rows]]
        (folder / "README.md").write_text(README + machine() + "\n\n" + "\n".join(table) + "\n")
        print("\n" + machine() + "\n\n" + "\n".join(table) + "\n")
        if lab.options.archive:
            with tarfile.open(lab.options.archive, "w:xz") as archive:
                archive.add(folder, "loads")
            print(f"loads: in {lab.options.archive}")
    lab.beryl = {"machine": machine(), "loads": [dict(zip(HEADS, row)) for row in rows]}
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
