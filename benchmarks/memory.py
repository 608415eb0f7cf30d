#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the predicted and the measured memory of a process in methods of beryl-tce.

    memory.py [--binaries build/release/bin] [--processes 1,2,3] [METHOD MOLECULE BASIS ...]

MOLECULE is the name of a file in inputs/, without .xyz. Two iterations are run. Sizes are in MB:
    estimated  of a process, as printed before anything is allocated
    held       the largest proportional set size (PSS) of a process between iterations: a shared page is divided
               among the processes that have touched it, so that all together have what the node gives
    resident   the largest peak of a process, in which pages of others' tensors count in full
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fock"))
import bench  # noqa: E402

CASES = [("ccsd", "water", os.path.join(bench.PSI4_BASES, "cc-pvqz.gbs")),
         ("ccsd", "benzene", "cc-pvdz"), ("ccsd_t", "c2h4", "cc-pvtz")]


def measure(binaries, case, processes, folder):
    """Bytes: estimated, held, resident."""
    method, molecule, basis = case
    path = os.path.join(folder, "result.json")
    command = bench.mpirun(processes, [
        os.path.join(binaries, "beryl-tce"), method, bench.molecule_file(molecule), "--basis", basis,
        "--max-iter-amplitudes", "2", "--json", path])
    # Status 1: two iterations do not converge.
    done = subprocess.run(command, env=bench.environment(), capture_output=True, text=True, check=False)
    estimates = re.findall(r"^ +(\d+) MB per process:", done.stdout, re.M)
    if not estimates or not os.path.exists(path):
        sys.exit(done.stdout + done.stderr)
    with open(path, encoding="utf-8") as file:
        extras = json.load(file)["extras"]["beryl"]
    return 1e6 * float(estimates[-1]), extras["memory_part_bytes"], extras["memory_peak_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="METHOD MOLECULE BASIS")
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build", "release", "bin"))
    parser.add_argument("--processes", default="1,2,3")
    arguments = parser.parse_args()
    words = arguments.cases
    if len(words) % 3 != 0:
        parser.error("give METHOD MOLECULE BASIS for each case")
    cases = list(zip(words[::3], words[1::3], words[2::3])) or CASES
    bench.print_table(["method", "molecule", "basis", "processes", "estimated", "held", "held / estimated",
                       "resident"], [])
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            for processes in arguments.processes.split(","):
                estimated, held, resident = measure(arguments.binaries, case, int(processes), folder)
                print(f"| {case[0]} | {case[1]} | {os.path.basename(case[2])} | {processes} | "
                      f"{1e-6 * estimated:.0f} | {1e-6 * held:.0f} | {held / estimated:.2f} | "
                      f"{1e-6 * resident:.0f} |", flush=True)


if __name__ == "__main__":
    main()
