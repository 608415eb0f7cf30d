#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""RHF energies in basis sets by their names, against psi4 1.3.2 and, for pc-1 and pc-2, NWChem 7.0.2.

    basis_sets.py BERYL_HF           one molecule for each set, and of the small sets all
    basis_sets.py BERYL_HF --all     every molecule

Energies agree to 1e-7 hartree; basis_sets.json has molecules (Bohr) with elements of several rows.
"""

import json
import os
import subprocess
import sys
import tempfile

TOLERANCE = 1e-7
SECONDS = 300
LARGE = ("qz", "5z")


def run(program, molecule, basis, folder):
    with open(os.path.join(folder, "molecule.xyz"), "w", encoding="utf-8") as file:
        lines = molecule.split("; ")
        file.write(f"{len(lines)}\nunits=bohr\n" + "\n".join(lines) + "\n")
    subprocess.run([program, "molecule.xyz", "--basis", basis, "--stability", "never", "--json", "result.json"],
                   cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=SECONDS, check=True)
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        return json.load(file)["return_result"]


def main(program, which=""):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "basis_sets.json"),
              encoding="utf-8") as file:
        data = json.load(file)
    n_cases = n_wrong = 0
    for basis, energies in data["energies"].items():
        is_large = any(word in basis for word in LARGE) and which != "--all"
        for molecule, expected in list(energies.items())[:1 if is_large else None]:
            with tempfile.TemporaryDirectory() as folder:
                energy = run(os.path.abspath(program), data["molecules"][molecule], basis, folder)
            agrees = abs(energy - expected) < TOLERANCE
            n_cases, n_wrong = n_cases + 1, n_wrong + (not agrees)
            print(f"{'ok  ' if agrees else 'FAIL'} {basis:32s} {molecule:6s} {energy:16.9f} "
                  f"{energy - expected:+.1e}", flush=True)
    print(f"{n_cases} cases, {n_wrong} wrong")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
