#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What beryl-sched writes: the same bytes for the same seed when simulated, other ones for another seed;
profiles and their data; sizes of trees; pages; failures; comparisons of modes; and measurements of a machine.

    test_sched.py outputs|compare|calibrate BERYL_SCHED MPIEXEC

Results are checked against the schema.
"""

import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

from running import ALONE, Fault, check, check_results, complaints, run, run_result, run_well, started

GROUP, BERYL_SCHED, MPIEXEC = sys.argv[1:4]
BERYL_SCHED = os.path.abspath(BERYL_SCHED)
BERYL_REPORT = os.path.join(os.path.dirname(BERYL_SCHED), "beryl-report")
TREE = '--uts "-t 1 -a 3 -d 6 -b 4 -r 19"'
DRAWN = "--exponential 1e-3 --tasks 500 --simulate 16 --iterations 3"
TIMED = "--gauss 1e-4,2e-5 --tasks 50"


class Run:
    """A run that must end with a status. r: its result; c: its modes, or itself; text: its log."""

    def __init__(self, arguments, n=1, status=0):
        self.arguments = arguments
        self.r, self.text, self.errors = run_result(started(MPIEXEC, n, BERYL_SCHED, *shlex.split(arguments)),
                                                    status,
                                                    env=ALONE if n == 1 else None)
        self.json = pathlib.Path("result.json").read_text(encoding="utf-8")
        self.c = self.r.get("compare", {"": self.r})

    def all_of(self, key, mode=""):
        return [iteration[key] for iteration in self.c[mode]["iterations"]]

    def has(self, **numbers):
        assert {key: self.r.get(key) for key in numbers} == numbers, self.arguments


def simulate(arguments):
    return Run(f"{arguments} --simulate 16 --iterations 2 --latency-spread 1e-6")


def spans(arguments):
    return simulate(arguments).all_of("makespan_seconds")


def write(name, *lines):
    pathlib.Path(name).write_text("".join(f"{line}\n" for line in lines))


def columns(name, *numbers):
    """These columns of a table, without its head."""
    rows = [line.split(",") for line in pathlib.Path(name).read_text().splitlines()[1:]]
    return [tuple(row[n] for n in numbers) for row in rows]


def outputs_by_seed():
    """Durations are drawn before a mode sees them."""
    for mode in ("static", "counter", "share", "steal", "retentive"):
        others = ["--gauss 1e-4,2e-5", "--lognormal 1e-4,1e-4"] * (mode == "steal")
        for durations in ["--exponential 1e-4", *others]:
            words = f"{durations} --tasks 500 --sched {mode}"
            first, second, third = (simulate(f"{words} --seed {seed}") for seed in (1, 1, 2))
            assert (first.json, first.text) == (second.json, second.text), f"{words}: two results of one seed"
            reseeded = first.json.replace('"seed": 1', '"seed": 2').replace("--seed 1", "--seed 2")
            assert reseeded != third.json, words
            first.has(tasks=500, workers=16)
    again, drifted = (Run(f"{DRAWN} --sched static --drift 0.5") for _ in range(2))
    still = Run(f"{DRAWN} --sched static").all_of("makespan_seconds")
    spans_drifted = drifted.all_of("makespan_seconds")
    assert again.json == drifted.json
    assert still[0] == still[1] == spans_drifted[0] != spans_drifted[1], (still, spans_drifted)


def outputs_search():
    """Simulated, nothing is found, but the tasks are the same; the profile of a run has each of them."""
    choose = random.Random(1)
    rows = [[choose.randrange(2)] for _ in range(500)]
    for row in rows:
        for fraction in (0.9, 0.9, 0.8):
            row.append(row[-1] if choose.random() < fraction else 1 - row[-1])
    write("samples.csv", "a,b,c,d", *(",".join(map(str, row)) for row in rows))
    write("known.csv", "parent,child", "a,b", "b,c", "c,d")
    first, second = (simulate("--bnsl samples.csv --hypercube 1 --sched auto") for _ in range(2))
    assert first.json == second.json and '"edges"' not in first.json
    real = Run("--bnsl samples.csv --hypercube 1 --network known.csv --sched static "
               "--write-profile profile.csv")
    for found in (first, real):
        found.has(variables=4, samples=500, tasks=16)
    real.has(shd=0)
    assert len(columns("profile.csv", 0)) == 16
    simulate("--profile profile.csv --sched static").has(tasks=16)


def outputs_data():
    """Tasks wait for the blocks named beside their profile, which are not read for another one of its name; a
    task's time excludes the wait."""
    write("moved.csv", "task,seconds", *(f"{i},1e-3" for i in range(64)))
    before = spans("--profile moved.csv --sched static")
    write("moved.blocks.csv", "task,access,block", *(f"{i},r,7" for i in range(64)))
    write("moved.sizes.csv", "block,bytes,owner", "7,1000000,16")  # with the first of 16 workers
    off, on, kept, owned = (spans(f"--profile moved.csv --sched static {option}") for option in (
        "--data off", "--node-cache 0", "", "--seeding owner"))
    assert before == off and min(owned) > 0.0639, (off, owned)
    assert all(off[i] < kept[i] < on[i] for i in range(2)), (off, kept, on)
    simulate("--gauss 1e-3,0 --tasks 64 --sched static --write-profile moved.csv")
    assert not list(pathlib.Path(".").glob("moved.*.csv")), "data of an older profile"
    write("moved.blocks.csv", "notes")
    simulate("--gauss 1e-3,0 --tasks 64 --sched static --write-profile moved.csv")
    assert pathlib.Path("moved.blocks.csv").read_text() == "notes\n", "no table of blocks, but removed"
    os.remove("moved.blocks.csv")
    assert run([BERYL_SCHED, *"--profile moved.csv --simulate 16 --sched static --data on".split()])[0] != 0
    simulate("--profile moved.csv --sched static")
    write("shared.csv", "task,seconds,iteration,worker", "1,0.5,0,0", "2,0.5,0,0")
    write("shared.blocks.csv", "task,access,block", "1,r,1", "2,r,1")
    write("shared.sizes.csv", "block,bytes,owner", "1,1000000,0")
    waits = Run("--profile shared.csv --simulate 2 --node-size 1 --bandwidth 1e6 --sched counter "
                "--write-profile waits.csv --all-iterations")
    assert sorted(columns("waits.csv", 1, 3)) == [("0.5", "0"), ("0.5", "1")]
    assert 1.5 <= waits.all_of("makespan_seconds")[0] < 1.6


def outputs_all_iterations():
    """Iterations with durations and a placement of their own are written, read and written to the same
    bytes."""
    first = spans("--gauss 1e-4,2e-5 --drift 0.3 --tasks 500 --sched static --write-profile load.csv "
                  "--all-iterations")
    second = simulate("--profile load.csv --sched static --seeding owner --write-profile copy.csv "
                      "--all-iterations")
    assert pathlib.Path("load.csv").read_bytes() == pathlib.Path("copy.csv").read_bytes()
    second.has(tasks=500)
    assert len(columns("load.csv", 0)) == 1000
    assert all(abs(a - b) < 1e-5 for a, b in zip(first, second.all_of("makespan_seconds")))
    real = Run("--profile load.csv --sched steal --seeding owner --iterations 2 --write-profile real.csv "
               "--all-iterations", 2)
    assert "Recorded   2 iterations" in real.text
    assert columns("load.csv", 0, 2) == columns("real.csv", 0, 2)
    assert set(columns("real.csv", 3)) == {("0",), ("1",)}


def outputs_options():
    """Speeds that a mode knows or not; the papers' algorithms; threads of parents; the command; defaults."""
    write("speeds", *range(1, 17))
    write("reversed", *range(16, 0, -1))
    fast = "--gauss 1e-3,1e-4 --tasks 5000 --sched dtree --fan-out 16 --first-share 1 --speeds speeds"
    known, same, unknown, wrong = (spans(f"{fast} {option}")[0] for option in (
        "", "--known-speeds speeds", "--known-speeds none", "--known-speeds reversed"))
    assert same == known < unknown < wrong, (known, same, unknown, wrong)
    for mode in ("steal", "retentive", "persist"):
        words = f"--exponential 0.01 --tasks 2000 --simulate 16 --iterations 4 --sched {mode}"
        usual, paper = (Run(f"{words} {option}").r for option in ("", "--as-published"))
        assert (usual["options"]["as-published"], paper["options"]["as-published"]) == (False, True), mode
        assert paper["iterations"] != usual["iterations"], mode
    for option, has_threads in (("", True), ("--progress poll", False)):
        text = simulate(f"--exponential 0.01 --tasks 2000 --sched dtree {option}").text
        assert ("\nThreads    one of each parent" in text) == has_threads == ("\nThreads" in text)
    assert Run(f"{DRAWN} --sched static").r["command"] == f"beryl-sched {DRAWN} --sched static"
    assert "default: )" not in run_well([BERYL_SCHED, "--help-all"])
    # A range of more tasks than a window in the memory of a node holds stays one entry of a deque.
    Run("--lognormal 1e-3,5e-3 --tasks 400000 --simulate 4 --node-size 2 --sched steal --deque 1")


def outputs_trees():
    size = {key: Run(f"{TREE} --sched steal").r[key] for key in ("nodes", "leaves", "depth")}
    assert size["nodes"] > 1000 and size["depth"] == 6
    for mode in ("share", "steal", "retentive"):
        for progress in ("poll", "thread"):
            words = f"{TREE} --sched {mode} --progress {progress}"
            simulate(words).has(**size)
            Run(f"{words} --iterations 3", 2).has(**size)


def outputs_pages():
    """--report needs the script, which is looked for before the work: it is missing, lacks python3, or
    fails."""
    for name in ("one.json", "two.json"):
        Run(DRAWN)
        os.rename("result.json", name)
    run_well([BERYL_REPORT, "one.json", "two.json", "-o", "page.html"])
    assert "2 recorded runs" in pathlib.Path("page.html").read_text(encoding="utf-8")
    os.mkdir("alone")
    alone = shutil.copy(BERYL_SCHED, "alone")
    run_it = ["--gauss", "1e-6,0", "--tasks", "4", "--report", "new.html"]
    install = "install it and python3"
    cases = [(2, f"No such file or directory.*{install}, or give --json", [alone]),
             (2, install, started(MPIEXEC, 2, alone)), (2, install, ["env", "PATH=/missing", BERYL_SCHED]),
             (1, "cannot write new.html: the script beryl-report failed", [alone])]
    for expected, words, command in cases:
        if expected == 1:
            write("alone/beryl-report", "#!/bin/sh", '[ "$1" = --version ]')
            os.chmod("alone/beryl-report", 0o755)
        status, _, errors = run([*command, *run_it])
        assert status == expected, command
        assert re.search(f"^beryl-sched: .*{words}", errors, re.MULTILINE), (command, errors)
        assert not list(pathlib.Path(".").glob("new.html*")), command


def outputs_failures():
    """A limit that is reached between iterations: the run, and each mode of a comparison until then, are in
    the result, with the cause and the remedy. A result that cannot be written once the tasks run is a
    failure, too."""
    for n_iterations, words in (([1], "--sched retentive"), ([5, 1], "--compare static,retentive,persist")):
        failed = Run(f"--exponential 1e-4 --tasks 300 --iterations 5 --poll-every 1 {words} --deque 9", 3,
                     status=1)
        assert re.search("^beryl-sched: .*the deque of a worker is full at 9 ranges: raise --deque$",
                         failed.errors,
                         re.MULTILINE), failed.errors
        assert failed.r["error"]["error_type"] == "beyond a limit of the program"
        assert [len(mode["iterations"]) for mode in failed.c.values()] == n_iterations
        run_well([BERYL_REPORT, "result.json", "-o", "page.html"])
        assert re.search("<b>Failed</b>.*raise --deque",
                         pathlib.Path("page.html").read_text(encoding="utf-8"))
    os.mkdir("late")
    words = "--gauss 0.1,0 --tasks 10 --sched static --json late/result.json".split()
    with subprocess.Popen([BERYL_SCHED, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not process.stdout.readline().startswith("Workers"):
            time.sleep(0.01)
        os.rmdir("late")
        assert "late/result.json" in process.communicate(timeout=60)[1] and process.returncode == 1


def compare_simulated():
    """Durations depend on the seed, modes of one seed get the same ones; the first round is a run without
    --compare. A copy has the tasks of the first, and victims of its own; without random choices it repeats
    it."""
    seeds, again = (Run(f"{DRAWN} --compare static,steal,static --rounds 9") for _ in range(2))
    assert (seeds.json, seeds.text) == (again.json, again.text), "two results of one seed"
    r, c, text = seeds.r, seeds.c, seeds.text
    assert list(c) == ["static", "steal", "static#2"] and "sched" not in r and "iterations" not in r
    assert "sched" not in r["options"] and r["tasks"] == 500 and r["machine"]["simulate"] == 16
    assert r["comparison"] == {"rounds": 9, "rounds_needed": 8, "counted_from": 2, "confidence": 0.98,
                               "oversubscribed": False, "seeds": {"static": 1, "steal": 1, "static#2": 1001}}
    same = {"value": 1, "interval": [1, 1], "verdict": "not distinguishable"}
    assert c["static#2"]["ratio"] == {**c["static#2"]["ratio"], **same}
    assert c["steal"]["ratio"]["verdict"] == "faster" and c["steal"]["ratio"]["interval"][1] < 1
    assert len(set(c["static"]["round_seconds"])) == 9
    assert "Rounds     9: enough to tell 3 modes apart, which takes 8 or more" in text.split("\nround ")[0]
    bound = float(text.split("Lower bound")[1].split()[0])
    assert bound < 1.00001 * min(min(seeds.all_of("lower_bound_seconds", mode)) for mode in c)
    assert bound < min(min(seeds.all_of("makespan_seconds", mode)) for mode in c)
    first = c["steal"]["iterations"][:3]
    assert [i.pop("round") for i in first] == [0, 0, 0]
    assert first == Run(f"{DRAWN} --sched steal").r["iterations"]
    drift = Run(f"{DRAWN} --sched lpt --drift 0.3 --seed 2")
    assert float(drift.text.split("Lower bound")[1].split()[0]) < min(drift.all_of("makespan_seconds"))

    copies = Run(f"{DRAWN} --compare steal,steal,steal --rounds 9")
    seconds = [mode["round_seconds"] for mode in copies.c.values()]
    assert len(set(map(tuple, seconds))) == 3 and seconds[0] == c["steal"]["round_seconds"], seconds
    assert copies.c["steal#2"]["ratio"]["interval"][0] < 1 < copies.c["steal#3"]["ratio"]["interval"][1]
    for one, other in zip(copies.all_of("task_seconds", "steal"), copies.all_of("task_seconds", "steal#2")):
        assert abs(one / other - 1) < 1e-12
    assert copies.r["comparison"]["seeds"] == {"steal": 1, "steal#2": 1001, "steal#3": 2001}
    assert "orders" not in copies.r["comparison"] and "order" not in copies.text


def compare_options():
    """Options go to the modes that have them; the workers have the given speeds. For a pool whose tasks add
    tasks, `all` stands for the modes that can run it. lpt is a reference: it knows durations alone, and
    another mode can take less than longest tasks first."""
    write("speeds.csv", 1, 2)
    speeds = Run("--gauss 1e-3,0 --tasks 300 --simulate 2 --speeds speeds.csv --chunk 3 "
                 "--compare static,counter,dtree")
    assert speeds.r["options"]["chunk"] == 3 and "round_seconds" not in speeds.c["static"]
    assert "One round shows no spread" in speeds.text
    assert "Rounds     1: too few to tell 3 modes apart, which takes 8 or more" in speeds.text
    static, counter = (speeds.all_of("makespan_seconds", mode)[0] for mode in ("static", "counter"))
    assert counter < 0.75 * static
    tree = Run(f"{TREE} --simulate 8 --compare steal,all")
    modes = [line.split("\t") for line in run_well([BERYL_SCHED, "--list-modes"]).splitlines()]
    dynamic = [name for name, kind, *_ in modes if kind == "dynamic"]
    assert {"steal", "lifeline", "auto"} <= set(dynamic)
    assert list(tree.c) == ["steal"] + [mode for mode in dynamic if mode != "steal"]
    assert tree.r["nodes"] > 1000
    assert all(mode["tasks"] == tree.r["nodes"] for mode in tree.c.values())
    write("graham.csv", "task,seconds", "0,2", "1,2", "2,2", "3,3", "4,3")
    graham = Run("--simulate 2 --profile graham.csv --compare static,lpt").c
    assert graham["lpt"]["reference"] and "reference" not in graham["static"], graham["lpt"]


def compare_real():
    """Each round runs the modes in an order of its own, which --seed repeats."""
    Run("--jacobi 16,16,16 --sweeps 4 --compare static,hybrid --rounds 2", 2)
    Run(f"{TIMED} --compare all", 2)
    found = Run(f"{TIMED} --compare steal,steal --rounds 6", 2)
    assert list(found.c) == ["steal", "steal#2"] and len(found.c["steal#2"]["round_seconds"]) == 6
    assert found.c["steal#2"]["ratio"]["verdict"] == "not distinguishable"
    head = found.text.split("\nround ")[0]
    assert "Rounds     6: too few to tell 2 modes apart, which takes 7 or more" in head
    assert "Each round runs the modes in a new random order (--seed)" in found.text
    orders = found.r["comparison"]["orders"]
    assert sorted(map(tuple, map(sorted, orders))) == [("steal", "steal#2")] * 6
    assert 0 < [order[0] for order in orders].count("steal") < 6, orders
    lines = [line.split()[:2] for line in found.text.split("(last iteration)\n")[1].split("\n")[:12]]
    assert lines == [[str(i), name] for i, order in enumerate(orders) for name in order], lines
    repeated, reseeded = (Run(f"{TIMED} --compare steal,steal --rounds 6 --seed {seed}",
                              2).r["comparison"]["orders"]
                          for seed in (1, 2))
    assert orders == repeated != reseeded, reseeded


def calibrate():
    """Plausible measurements; the simulated machine has them, except where an option is given."""
    limits = {"node-latency": (0, 1), "overhead": (1e-10, 1), "counter-time": (1e-10, 1),
              "atomic-time": (1e-10, 1),
              "node-bandwidth": (1e3, 1e15), "contention-factor": (1e-3, 1), "poll-time": (1e-9, 1)}
    for n in (2, 3, 4):
        text = run_well(started(MPIEXEC, n, BERYL_SCHED, "--calibrate", "machine.json"))
        assert not check_results.violations("machine.json")
        machine = json.loads(pathlib.Path("machine.json").read_text())
        assert machine["node-size"] == n
        for name, (low, high) in limits.items():
            assert low <= machine[name] <= high, (name, machine[name])
        for name in [*limits, "fetch-add", "task"]:
            assert f"\n{name} " in text and isinstance(machine["measured"].get(name), dict), (name, machine)
    words = "--exponential 1e-4 --tasks 100 --simulate 4 --machine machine.json --overhead 0.5"
    simulated = Run(words).r["machine"]
    assert simulated == {**simulated, **{name: machine[name] for name in limits}, "node-size": 4,
                         "overhead": 0.5}


def main():
    for name, test in list(globals().items()):
        if not name.startswith(GROUP):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
            except (AssertionError, Fault):
                check(False, f"{name}:", traceback.format_exc())
            os.chdir("/")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
