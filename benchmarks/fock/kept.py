#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""SCF calculations that keep integrals: seconds of all Fock builds, compared with direct ones on one process;
and under modes that remember, on several, tile quartets that were found where they are kept and the
efficiency of the pool, both from the third build on and, of efficiency, of all builds by their time. Modes take
turns in random order; each is compared with the first one named, of the same round.

    kept.py [--systems water10/6-31g,...] [--modes static,retentive,persist,auto]
            [--processes 2,4,7] [--rounds 5] [--builds N] [--json FILE]
            [--binaries build/release/bin]

Without the test of stability. It takes ten minutes on two cores. Nothing else should run.

An SCF has six or so late builds, of Mn2+ of 2 ms each, in which where the kernel puts processes that share
cores is chance: --builds N builds the matrix of the guess N times in place of it, on several processes.
"""
import argparse
import math
import os
import random
import statistics
import sys

import bench

SYSTEMS = {
    "water/cc-pvtz": ("water", "cc-pvtz", []),
    "benzene/cc-pvdz": ("benzene", "cc-pvdz", []),
    "mn2+/cc-pvdz": ("mn", "cc-pvdz", ["--charge", "2", "--multiplicity", "6"]),
    "water10/6-31g": ("water10", "6-31g", []),
    "benzene/cc-pvtz": ("benzene", "cc-pvtz", []),
}
THRESHOLD = 1e-10


def iterations(name, binaries, processes, integrals, mode, n_builds=0):
    molecule, basis, options = SYSTEMS[name]
    beryl = bench.Beryl(binaries, molecule, basis, THRESHOLD)
    result = bench.at_rest.measure(lambda: beryl.run(processes, beryl.options + options + [
        "--integrals", integrals, "--sched", mode] + (
            ["--fock-only", str(n_builds), "--density", "guess"] if n_builds
            else ["--stability", "never"])))
    return result["extras"]["beryl"]["iterations"]


def summary(builds):
    late = builds[2:]
    hits, misses = (sum(build[f"kept_{key}"] for build in late) for key in ("hits", "misses"))
    seconds = sum(build["makespan_seconds"] for build in builds)
    return {"hits": hits / (hits + misses),
            "late": statistics.mean(build["efficiency"] for build in late),
            "all": sum(build["efficiency"] * build["makespan_seconds"] for build in builds) / seconds,
            "ms": 1e3 * seconds}


def difference(runs, others):
    """The mean of the differences of late efficiencies in the same rounds, and its standard error."""
    differences = [run["late"] - other["late"] for run, other in zip(runs, others)]
    if len(differences) < 2 or runs is others:
        return ""
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return f"{statistics.mean(differences):+.4f} +- {error:.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default="all")
    parser.add_argument("--modes", default="static,retentive,persist,auto")
    parser.add_argument("--processes", default="2,4,7")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--builds", type=int, default=0)
    parser.add_argument("--json", default=os.path.join(bench.RUNS, "kept.json"))
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build/release/bin"))
    options = parser.parse_args()
    names, rounds = bench.chosen(options.systems, SYSTEMS), range(options.rounds)
    modes = options.modes.split(",")
    results, direct_rows, rows = {}, [], []
    for name in names:
        seconds = {"memory": [], "direct": []}
        for _ in rounds:
            for integrals, of in seconds.items():
                of.append(sum(build["task_seconds"] for build in
                              iterations(name, options.binaries, 1, integrals, "auto")))
        memory, direct = (1e3 * statistics.median(seconds[key]) for key in ("memory", "direct"))
        direct_rows.append([name, f"{memory:.0f}", f"{direct:.0f}", f"{memory / direct:.2f}"])
        results[name] = {"seconds": seconds}
        print(*direct_rows[-1], file=sys.stderr)
        for processes in map(int, options.processes.split(",")):
            runs = {mode: [] for mode in modes}
            for _ in rounds:
                for mode in random.sample(list(runs), len(runs)):
                    runs[mode].append(summary(iterations(name, options.binaries, processes,
                                                         "memory", mode, options.builds)))
            results[name][processes] = runs
            for mode, of in runs.items():
                late, total = (statistics.mean(run[key] for run in of) for key in ("late", "all"))
                ms = statistics.median(run["ms"] for run in of)
                hits = [run["hits"] for run in of]
                rows.append([name, processes, mode, f"{late:.3f}", difference(of, runs[modes[0]]),
                             f"{total:.2f}", f"{ms:.0f}", f"{statistics.mean(hits):.3f}",
                             f"{min(hits):.3f}"])
                print(*rows[-1], file=sys.stderr)
        bench.write_results(options.json, {"systems": results})
    print(f"{bench.machine()}\n")
    bench.print_table(["system", "kept, ms", "direct, ms", "ratio"], direct_rows)
    print()
    bench.print_table(["system", "processes", "mode", "efficiency, from the third build on",
                       "difference", "of all builds", "ms", "hits", "least"], rows)


if __name__ == "__main__":
    main()
