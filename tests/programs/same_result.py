#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Results are the same to the last bit on any number of processes, under any mode, and with options that only
change the way to them. --compare reports all of its modes, in its table and in the result.

    same_result.py CASE BERYL_HF BERYL_TCE BERYL_SCHED MPIEXEC INPUTS [MODE...]

CASE: a key of CASES. MODE: in place of all modes, with the first runs alone.
"""
import os
import pathlib
import random
import re
import sys
import tempfile
import typing

sys.dont_write_bytecode = True
import random_programs  # noqa: E402
from running import ALONE, run_result, run_well, started  # noqa: E402

SECONDS = 120  # for a run
FEW = "static,counter,auto"  # where numbers of processes or methods differ


class Row(typing.NamedTuple):
    """A command with --compare on several numbers of processes. Rows of a case with one `digest` have equal
    results."""
    words: str
    numbers: str
    modes: str
    n_iterations: int = 0  # of each mode in a round; 0: any
    rounds: int = 1
    digest: str = ""  # "": the first three words
    rounded: bool = False  # the SCF rounds differently on another number of processes


# Half of be16.xyz in smaller tiles: as many tasks, a quarter of the integrals.
BE8 = "hf be8.xyz --basis be15s --screen 1e-6 --tile 20 --fock-only"
BE16, WATER10 = "hf be16.xyz --basis be15s --screen 1e-6", "hf water10.xyz --basis sto-3g --screen 1e-6"
WATER, RADICAL = "water.xyz --basis sto-3g", "radical.xyz --basis sto-3g"
FROM_ORBITALS = "--restart {}.h5 --converge-amplitudes 1e-6"
CASES = {
    "hf": [Row(f"{BE8} 3", "4", "all", 3),
           Row(f"{BE8} 2 --prune observed --progress thread", "4", "all", 2),
           Row(f"{BE8} 2 --chunk 3 --managers 2 --seeding cost", "1 4", "auto,share,static,counter", 2),
           Row(f"{BE8} 3", "2", "steal,static,steal", 3, rounds=3),
           Row("hf oxygen.xyz --basis sto-3g", "1 4", "static,auto,persist", 5),
           Row("hf oxygen.xyz --basis sto-3g --method rohf", "1 4", "static,auto,persist", 5)],
    "programs": [Row("tce run lifflander.tce --iterations 2", "4", "all", 2),
                 Row("tce run lifflander.tce --iterations 2", "2", "auto,static,auto", 2, rounds=3),
                 Row("tce run examples.tce --iterations 2", "1 7", FEW, 2),
                 Row("tce run examples.tce --verify --cache 0 --no-prefetch --progress thread", "2", FEW,
                     1)] +
                [Row(f"tce run random{i}.tce --cache {i % 2}000", "1 3", FEW, 1) for i in range(5)],
    "methods": [Row(f"tce ccsd {WATER}", "4", "all", rounded=True),
                Row(f"tce ccsd {WATER}", "1", FEW, rounded=True),
                Row(f"tce ccsd {RADICAL}", "3", FEW, rounded=True),
                Row(f"tce ccsd_t {RADICAL} --method rohf", "1 3", FEW, rounded=True),
                Row(f"tce mp2 {WATER}", "2", "auto,static,auto", 1, rounds=3, rounded=True),
                Row(f"tce ccsd {WATER} {FROM_ORBITALS.format('water')}", "1 3 7", FEW, digest="water"),
                Row(f"tce ccsd {RADICAL} {FROM_ORBITALS.format('radical')}", "1 2 7", FEW, digest="radical")],
}


class Runs:
    def __init__(self, beryl_hf, beryl_tce, beryl_sched, mpiexec, inputs, *modes):
        self.programs, self.mpiexec = {"hf": beryl_hf, "tce": beryl_tce}, mpiexec
        self.inputs, self.few = pathlib.Path(inputs), bool(modes)
        listed = run_well([beryl_sched, "--list-modes"])
        self.modes = modes or [line.split("\t")[0] for line in listed.splitlines()]

    def run(self, words, n_processes):
        """Standard output and the result."""
        program, *words = words.split()
        result, output, _ = run_result(started(self.mpiexec, n_processes, self.programs[program], *words),
                                       seconds=SECONDS, env=ALONE if n_processes == 1 else None)
        return output, result, result["extras"]["beryl"] if "extras" in result else result

    def write_inputs(self):
        texts = {path.name: path.read_text() for path in self.inputs.iterdir()}
        sizes = iter([15, 11, 6, 13, 10, 12, 10, 10])  # half of those of lifflander-s.tce
        halved = re.sub(r"\d+(?= irrep)", lambda _: str(next(sizes)), texts["lifflander-s.tce"])
        texts |= {"lifflander.tce": halved.replace("\ntile 20", "\ntile 10"),
                  "be8.xyz": "\n".join(["56", *texts["be16.xyz"].splitlines()[1:58]]) + "\n",
                  "water.xyz": "3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n",
                  "radical.xyz": "2\nmultiplicity=2\nBe 0 0 0\nH 0 0 1.34\n",
                  "oxygen.xyz": "2\nmultiplicity=3\nO 0 0 0\nO 0 0 1.2\n"}
        choose = random.Random(1)  # draws no program that is refused
        for i in range(5):
            make = random_programs.right_program if i else random_programs.long_sum
            texts[f"random{i}.tce"] = make(choose).text
        for name, text in texts.items():
            pathlib.Path(name).write_text(text)

    def check_ways(self, molecule, shift):
        """A Fock matrix in at least as many runs as there are modes: each pruning on each number of
        processes, with and without a cache, polling and with a thread."""
        numbers = [1, 3] if self.few else [1, 2, 3, 4, 7]
        digests = set()
        for i in range(max(3 * len(numbers), len(self.modes))):
            # Only from the second build on does `observed` leave out null tasks.
            way = (f"--sched {self.modes[(i + shift) % len(self.modes)]}"
                   f" --progress {['poll', 'thread'][i % 2]} --prune {['none', 'observed', 'inspect'][i % 3]}"
                   f" --fock-only {2 if i % 3 == 1 else 1} {'--cache 0' if i // 2 % 2 else ''}")
            n_processes = numbers[i // 3 % len(numbers)]
            digests.add(self.run(f"{molecule} {way}", n_processes)[2]["fock_sha256"])
            assert len(digests) == 1, f"{molecule} {way} on {n_processes} processes: {digests}"
        print(f"{molecule}: {digests}")

    def check_row(self, row, seen):
        modes = ",".join(self.modes) if row.modes == "all" else row.modes
        for n in map(int, row.numbers.split()):
            rounds = f"--rounds {row.rounds}" if row.rounds > 1 else ""
            output, result, beryl = self.run(f"{row.words} --compare {modes} {rounds}", n)
            assert beryl["workers"] == n and result.get("success", True)
            assert not {"sched", "iterations", "timeline"} & set(beryl) and "sched" not in beryl["options"]
            check_modes(beryl, modes.split(","), row)
            check_table(output, beryl)
            if row.rounds > 1:
                check_rounds(output, beryl, n)
            digests = {(entry.get("fock_sha256") or entry["sha256"], entry.get("correlation_energy"))
                       for entry in beryl["compare"].values()}
            assert len(digests) == 1, (row, n, digests)
            found = round(result["return_result"], 7) if row.rounded else digests.pop()
            same = seen.setdefault(row.digest or tuple(row.words.split()[:3]), found)
            assert found == same, f"{row} on {n} processes: {found}, not {same}"
        print(f"{row.words} --compare {row.modes}: {found}", flush=True)


def check_modes(beryl, modes, row):
    names = [mode + (f"#{modes[:i].count(mode) + 1}" if mode in modes[:i] else "")
             for i, mode in enumerate(modes)]
    assert list(beryl["compare"]) == names, list(beryl["compare"])
    n_iterations = row.n_iterations or len(beryl["compare"][names[0]]["iterations"])
    summary, counted = beryl["comparison"], range(row.rounds * n_iterations)
    assert summary["rounds"] == row.rounds
    if row.n_iterations:
        assert summary["counted_from"] == min(2, n_iterations - 1)
    for mode, entry in zip(modes, beryl["compare"].values()):
        assert entry["sched"] == mode and entry["tasks"] > 0
        assert [(i.get("round", 0), i["iteration"]) for i in entry["iterations"]] == [
            (i // n_iterations, i % n_iterations) for i in counted], mode
        for iteration in entry["iterations"]:
            assert 0 < iteration["efficiency"] <= 1.000001 and iteration["messages"] >= 0
            seconds = iteration.get("fock_seconds", iteration.get("seconds"))
            assert seconds > 0 and iteration.get("flops", 1) > 0


def check_table(output, beryl):
    assert "-0.00 %" not in output
    if beryl["comparison"]["rounds"] > 1:
        return
    lines = output.split("mode           first ")[1].splitlines()[1:]
    rows = [line.split() for line in lines[:len(beryl["compare"])]]
    assert [row[0] for row in rows] == list(beryl["compare"]) and rows[0][-1] == "1.0000", rows
    for row in rows:
        best, of_first, ratio = float(row[2]), float(rows[0][2]), float(row[-1])
        assert abs(ratio * of_first - best) < 1e-4 * (1 + ratio), row
        assert float(row[-4]) <= float(row[-3]), ("steals done of attempted", row)


def check_rounds(output, beryl, n_processes):
    """Three rounds tell no two modes apart. Each has all modes one after another, in a recorded order."""
    summary, names = beryl["comparison"], list(beryl["compare"])
    first = names[0]
    assert summary["seeds"] == {name: 1001 if "#2" in name else 1 for name in names}
    assert len(summary["orders"]) == 3 and all(sorted(order) == sorted(names) for order in summary["orders"])
    oversubscribed = n_processes > len(os.sched_getaffinity(0))
    assert summary["oversubscribed"] == ("Oversubscribed" in output) == oversubscribed
    assert re.search(r"Rounds +3: too few to tell 3 modes apart, which takes 8 or more", output)
    for name, entry in beryl["compare"].items():
        seconds, (low, high) = entry["round_seconds"], entry["interval_seconds"]
        assert entry["median_seconds"] == sorted(seconds)[1] and low <= entry["median_seconds"] <= high
        assert ("ratio" in entry) == (name != first)
        if name != first:
            ratio, (low, high) = entry["ratio"], entry["ratio"]["interval"]
            assert ratio["to"] == first and ratio["verdict"] == "not distinguishable", ratio
            assert low <= ratio["value"] <= high and ratio["p"] >= 0.25, ratio
    table = output.split("verdict\n")[1].splitlines()[:3]
    assert [line.split()[0] for line in table] == names, table


def main():
    case, *arguments = sys.argv[1:]
    arguments[:5] = [os.path.abspath(path) for path in arguments[:5]]
    runs, seen = Runs(*arguments), {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        runs.write_inputs()
        if case == "fock":
            runs.check_ways(BE16, 0)
            if not runs.few:
                runs.check_ways(WATER10, 1)
            return
        for name in ["water", "radical"] if case == "methods" else []:
            runs.run(f"tce mp2 {name}.xyz --basis sto-3g --checkpoint {name}.h5", 1)
        for row in CASES[case]:
            runs.check_row(row, seen)


if __name__ == "__main__":
    main()
