#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds of a Fock build against the size of the molecule, and the exponent from each size to
the next: all-anti alkanes in 6-31G from converged densities, and chains of Be. Builds of the chains
compute every integral above 1e-6, independent of the density.

    growth.py [--processes 2] [--rounds 3] [--largest N] [--json FILE]
              [--binaries build/release/bin]

--largest leaves out molecules of more carbon or beryllium atoms. It takes ten minutes on two
cores, half of it for the densities, which are kept. Nothing else should run.
"""
import argparse
import math
import os
import statistics

import bench

SERIES = {
    "6-31g": ([10, 20, 40, 80], lambda n: f"c{n}h{2 * n + 2}", 1e-10, []),
    "be15s": ([16, 32, 64, 128, 256, 512], lambda n: f"be{n}", 1e-6, ["--screening", "schwarz"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=1000)
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build/release/bin"))
    parser.add_argument("--json", default=os.path.join(bench.RUNS, "growth.json"))
    options = parser.parse_args()
    results, rows = {}, []
    for basis, (sizes, name, screen, further) in SERIES.items():
        runs = {}
        for n in sizes:
            if n <= options.largest:
                runs[n] = bench.Beryl(options.binaries, name(n), basis, screen, further)
                runs[n].converge()
        records = {n: [] for n in runs}
        for _ in range(options.rounds):
            for n, run in runs.items():
                records[n].append(bench.at_rest.measure(lambda run=run: run.build(options.processes, 2)))
        last = None
        for n, of in records.items():
            seconds = statistics.median(record["seconds"] for record in of)
            integrals = of[0]["integrals"]
            exponents = ["", ""] if not last else [
                f"{math.log(now / before) / math.log(n / last[0]):.2f}"
                for now, before in ((seconds, last[1]), (integrals, last[2]))]
            rows.append([name(n), of[0]["functions"], integrals, f"{seconds:.3f}",
                         f"{1e9 * seconds * options.processes / integrals:.2f}", *exponents])
            last = n, seconds, integrals
        results[basis] = records
        bench.write_results(options.json, {"processes": options.processes, "series": results})
    print(f"{bench.machine()}, medians of {options.rounds}, processes: {options.processes}\n")
    bench.print_table(["molecule", "functions", "integrals", "seconds", "ns/integral",
                       "exponent of seconds", "of integrals"], rows)


if __name__ == "__main__":
    main()
