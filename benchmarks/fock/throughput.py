#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fock builds by two processes beside two independent runs of one process at the same time, which
share the machine but nothing else: of their throughput the share that two processes reach under
each mode.

    throughput.py [--systems c24h12/cc-pvdz,water10/def2-tzvp] [--modes all] [--builds 3]
                  [--rounds 3] [--json FILE] [--binaries build/release/bin]

It takes twenty minutes on two cores. Nothing else should run.
"""
import argparse
import concurrent.futures
import os
import statistics

import bench


def independent_seconds(runs, n_builds):
    """Seconds of a build while the other run builds, too."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        records = bench.at_rest.measure(
            lambda: list(pool.map(lambda run: run.build(1, n_builds), runs)))
    return statistics.mean(record["seconds"] for record in records)


def seconds_by_mode(beryl, modes, n_builds):
    """Median of a build by two processes, after a first one from which a mode may learn."""
    result = beryl.run(2, beryl.options + ["--compare", modes, "--fock-only", str(n_builds + 1),
                                           "--density", beryl.density])
    return {mode: statistics.median(i["fock_seconds"] for i in record["iterations"][1:])
            for mode, record in result["extras"]["beryl"]["compare"].items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default="c24h12/cc-pvdz,water10/def2-tzvp")
    parser.add_argument("--modes", default="all")
    parser.add_argument("--builds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", default=os.path.join(bench.RUNS, "throughput.json"))
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build/release/bin"))
    options = parser.parse_args()
    results, rows = {}, []
    for name in bench.chosen(options.systems, bench.SYSTEMS):
        runs = [bench.Beryl(options.binaries, *bench.SYSTEMS[name][:4], run) for run in ("", "_2")]
        runs[0].converge()
        alone, together = [], []
        for _ in range(options.rounds):
            alone.append(independent_seconds(runs, options.builds))
            together.append(bench.at_rest.measure(
                lambda: seconds_by_mode(runs[0], options.modes, options.builds)))
        one = statistics.median(alone)
        results[name] = {"independent": alone, "two_processes": together}
        for mode in together[0]:
            two = statistics.median(record[mode] for record in together)
            rows.append([name, mode, f"{one:.3f}", f"{two:.3f}", f"{one / 2 / two:.3f}"])
        bench.write_results(options.json, {"systems": results})
    print(f"{bench.machine()}\n")
    bench.print_table(["system", "mode", "two runs of one process, s", "two processes, s", "share"],
                      rows)


if __name__ == "__main__":
    main()
