#!/usr/bin/env python3
"""Fock builds by 16 processes beside those by 2, on a machine of few cores, under every mode.

    oversubscribed.py [--many 16] [--few 2] [--builds 10] [--modes all]
                      [--molecule benzene] [--basis cc-pvdz] [--beryl build/release/bin/beryl-hf]

For each mode the median seconds of a build with few and with many processes, and the ratio, which is
to stay below 1.3 with as many cores as few processes. Builds are from the guess of superposed atoms,
whose tasks are shorter than those of an SCF iteration. Waiting processes give way
(mpi_yield_when_idle). Nothing else should run.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def seconds_per_build(options, processes):
    """Median seconds of a Fock build, by mode."""
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1",
                   "OMPI_MCA_hwloc_base_binding_policy": "none", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        subprocess.run(
            ["mpirun", "--oversubscribe", "-np", str(processes), options.beryl,
             os.path.join(ROOT, "inputs", options.molecule + ".xyz"), "--basis", options.basis,
             "--compare", options.modes, "--fock-only", str(options.builds), "--density",
             "guess", "--json", result],
            check=True, env=environment, stdout=subprocess.DEVNULL)
        with open(result, encoding="utf-8") as file:
            compare = json.load(file)["extras"]["beryl"]["compare"]
    return {mode: statistics.median(i["fock_seconds"] for i in record["iterations"])
            for mode, record in compare.items() if isinstance(record, dict)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--many", type=int, default=16)
    parser.add_argument("--few", type=int, default=2)
    parser.add_argument("--builds", type=int, default=10)
    parser.add_argument("--molecule", default="benzene")
    parser.add_argument("--basis", default="cc-pvdz")
    parser.add_argument("--modes", default="all")
    parser.add_argument("--beryl", default=os.path.join(ROOT, "build/release/bin/beryl-hf"))
    options = parser.parse_args()
    few = seconds_per_build(options, options.few)
    many = seconds_per_build(options, options.many)
    print(f"{'mode':12} {options.few:5d} proc. {options.many:5d} proc.  ratio")
    for mode, seconds in few.items():
        print(f"{mode:12} {seconds:11.4f} {many[mode]:11.4f} {many[mode] / seconds:6.2f}")


if __name__ == "__main__":
    main()
