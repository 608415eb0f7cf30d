#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds that beryl-hf --dry-run predicts, against the run's.

    dry_run.py [--bin FOLDER] [--processes N] [--only A,B]

For each molecule, predicted and measured seconds with their ratio, without its symmetry, which single
builds do not use: of a direct Fock build from the converged density (the median of three), of one
that computes integrals and keeps them, of one that reads them; and, with its symmetry, of all builds
of an SCF, whose number and seconds of linear algebra follow. The exit status is 1 where the ratio of
the direct build is beyond 1.5 or 1 / 1.5. Standard library only."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from scf_passes import ROOT, environment, write_molecule

LARGEST_RATIO = 1.5

# A file of inputs, or atoms in angstrom.
SO2 = [["S", 0, 0, 0], ["O", 1.235, 0, 0.722], ["O", -1.235, 0, 0.722]]
HBR = [["H", 0, 0, 0], ["Br", 0, 0, 1.414]]
CASES = [("water", "cc-pvtz", "water.xyz"), ("benzene", "cc-pvdz", "benzene.xyz"),
         ("water10", "6-31g", "water10.xyz"), ("SO2", "def2-tzvp", SO2), ("HBr", "cc-pvtz", HBR),
         ("C24H12", "6-31g", "c24h12.xyz"), ("water", "cc-pvqz", "water.xyz"),
         ("C20H42", "6-31g", "c20h42.xyz"), ("C96H24", "sto-3g", "c96h24.xyz"),
         ("glycine22", "sto-3g", "gly22.xyz")]


def beryl(options, molecule, basis, words):
    """extras.beryl of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path, result = os.path.join(ROOT, "inputs", str(molecule)), os.path.join(folder, "run.json")
        if not isinstance(molecule, str):
            path = os.path.join(folder, "molecule.xyz")
            write_molecule({"atoms": molecule}, path)
        command = ["mpirun", "--oversubscribe", "-np", str(options.processes)]
        command = (command if options.processes > 1 else []) + [
            os.path.join(options.bin, "beryl-hf"), path, "--basis", basis, "--json", result] + words
        subprocess.run(command, env=environment(), check=True, stdout=subprocess.DEVNULL)
        with open(result, encoding="utf-8") as file:
            return json.load(file)["extras"]["beryl"]


def column(predicted, measured):
    return f"{predicted:8.3g} {measured:8.3g} {predicted / measured:5.2f}"


def run_case(options, name, basis, molecule):
    """Prints a line; the ratio of the direct build."""
    predicted, of_scf = (beryl(options, molecule, basis, ["--dry-run", "--point-group", group])["prediction"]
                         for group in ("c1", "auto"))
    scf = beryl(options, molecule, basis, ["--stability", "never"])
    builds = {way: [build["fock_seconds"] for build in beryl(
        options, molecule, basis, ["--fock-only", "3", "--density", "converged", "--integrals",
                                   way])["iterations"]] for way in ("direct", "memory")}
    direct = statistics.median(builds["direct"])
    fewest, most = of_scf["scf_fock_seconds"]
    fock = sum(iteration["fock_seconds"] for iteration in scf["scf_iterations"])
    algebra = sum(iteration["algebra_seconds"] for iteration in scf["scf_iterations"])
    sampled = 100 * predicted["sampled_integrals"] / predicted["integrals"]
    print(f"{name:9} {basis:9} {sampled:7.1f} {column(predicted['build_seconds'], direct)} "
          f"{column(predicted['first_build_seconds'], builds['memory'][0])} "
          f"{column(predicted['later_build_seconds'], builds['memory'][2])} "
          f"{fewest:6.3g} to {most:6.3g} {fock:8.3g} {scf['fock_builds']:6d} {algebra:7.3g}",
          flush=True)
    return predicted["build_seconds"] / direct


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of molecules")
    options = parser.parse_args()
    unknown = set(options.only or ()) - {case[0] for case in CASES}
    if unknown:
        parser.error(f"no molecule {', '.join(sorted(unknown))}")
    print(f"{'':19} sampled {'direct build':^23} {'computed and kept':^23} {'read':^23} "
          f"{'SCF':^31} Fock   algebra\n"
          f"molecule  basis           % " + "predicted measured ratio " * 3 +
          "   predicted       measured builds       s")
    ratios = [run_case(options, *case) for case in CASES
              if not options.only or case[0] in options.only]
    return any(max(ratio, 1 / ratio) > LARGEST_RATIO for ratio in ratios)


if __name__ == "__main__":
    sys.exit(main())
