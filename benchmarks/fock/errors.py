#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Largest errors of the two-electron Fock matrix from a converged density, against --screen 1e-14,
at thresholds from 1e-8 to 1e-12; also for another build of Beryl from the same densities.

    errors.py [--other FOLDER] [--binaries build/release/bin] [--json FILE]

FOLDER has the other build's bench_fock_errors. Without it this takes two minutes.
"""
import argparse
import os

import bench

MOLECULES = [("benzene", "cc-pvdz"), ("c2h4", "aug-cc-pvdz"), ("be16", "be15s"),
             ("c20h42", "6-31g"), ("water10", "cc-pvdz")]
THRESHOLDS = [1e-8, 1e-9, 1e-10, 1e-11, 1e-12]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other")
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build/release/bin"))
    parser.add_argument("--json", default=os.path.join(bench.RUNS, "errors.json"))
    options = parser.parse_args()
    results, rows = {}, []
    for molecule, basis in MOLECULES:
        beryl = bench.Beryl(options.binaries, molecule, basis, 1e-10)
        beryl.converge()
        for name, folder in (("this", options.binaries), ("other", options.other)):
            if not folder:
                continue
            beryl.binaries = folder
            errors = {threshold: found["error"]
                      for threshold, found in beryl.errors(THRESHOLDS).items()}
            results.setdefault(f"{molecule}/{basis}", {})[name] = errors
            rows.append([f"{molecule}/{basis}" + (", other build" if name == "other" else "")] +
                        [f"{errors[threshold]:.1e}" for threshold in THRESHOLDS])
    bench.write_results(options.json, {"errors": results})
    bench.print_table(["system"] + [f"{threshold:.0e}" for threshold in THRESHOLDS], rows)


if __name__ == "__main__":
    main()
