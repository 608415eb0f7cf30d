#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""CCSD(T) energies of small molecules, closed shells and radicals over UHF and ROHF, spherical and Cartesian
functions, frozen cores and all electrons, against psi4.

    triples.py BERYL_TCE                     the short cases, against energies of psi4 in triples.json
    triples.py BERYL_TCE --all               all cases
    triples.py BERYL_TCE --psi4 [--write]    all cases, against psi4 run anew; --write replaces triples.json

Energies of the SCF, MP2, CCSD and CCSD(T) agree to 1e-7 hartree. If the SCF energies differ, the programs have found
different states, as they do for N2+. triples.json is of Debian's psi4 1.3.2, converged to 1e-10.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import typing

TOLERANCE = 1e-7
SECONDS = 300
KEYS = {"scf": "scf", "mp2": "mp2", "ccsd": "ccsd", "ccsd(t)": "ccsd_prt_pr"}  # of QCSchema
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triples.json")


class Case(typing.NamedTuple):
    """molecule: lines of an XYZ file, Angstrom."""
    name: str
    molecule: str
    charge: str
    multiplicity: str
    basis: str
    cartesian: bool
    frozen: bool
    rohf: bool


def read_cases(data, only_short):
    """A name is molecule, charge, multiplicity, basis and, of some, "cartesian", "frozen" and "rohf"."""
    for name, case in data["cases"].items():
        if case["short"] or not only_short:
            molecule, *words = name.split()
            lines = data["molecules"][molecule].replace("; ", "\n")
            yield Case(name, lines, *words[:3], "cartesian" in words, "frozen" in words, "rohf" in words)


def run(command, folder):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SECONDS, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit status {done.returncode}: "
                           f"{done.stderr.strip()[-300:]}")


def run_beryl(program, case, folder):
    """Energies by method."""
    with open(os.path.join(folder, "molecule.xyz"), "w", encoding="utf-8") as file:
        file.write(f"{len(case.molecule.splitlines())}\n\n{case.molecule}\n")
    run([program, "ccsd_t", "molecule.xyz", "--basis", case.basis, "--charge", case.charge, "--multiplicity",
         case.multiplicity, "--cartesian" if case.cartesian else "--spherical", "--converge-amplitudes",
         "1e-9", "--json", "result.json"] + (["--frozen-core"] if case.frozen else []) +
        (["--method", "rohf"] if case.rohf else []), folder)
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        properties = json.load(file)["properties"]
    return {method: properties[key + "_total_energy"] for method, key in KEYS.items()
            if key + "_total_energy" in properties}


PSI4_INPUT = """memory 2 gb
molecule {{
{charge} {multiplicity}
{atoms}
units angstrom
symmetry c1
no_reorient
}}
set {{
basis {basis}
puream {spherical}
reference {reference}
scf_type pk
freeze_core {frozen}
e_convergence 10
d_convergence 10
r_convergence 9
qc_module ccenergy
}}
energy('ccsd(t)')
import json
json.dump({{method: variable(method.upper() + ' TOTAL ENERGY') for method in {methods}}},
          open('psi4.json', 'w'))
"""


def run_psi4(case, folder):
    with open(os.path.join(folder, "input.dat"), "w", encoding="utf-8") as file:
        file.write(PSI4_INPUT.format(
            charge=case.charge, multiplicity=case.multiplicity, atoms=case.molecule, basis=case.basis,
            spherical=str(not case.cartesian).lower(), frozen=str(case.frozen).lower(),
            reference="rohf" if case.rohf else "rhf" if case.multiplicity == "1" else "uhf",
            methods=list(KEYS) if case.rohf else ["scf", "ccsd(t)"]))
    run(["psi4", "input.dat", "output.dat", "-n", "1", "-s", folder], folder)
    with open(os.path.join(folder, "psi4.json"), encoding="utf-8") as file:
        return json.load(file)


def check(options, case, expected):
    """Whether a case agrees with the expected energies; prints a line."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            if options.psi4:
                expected.update(run_psi4(case, folder))
            energies = run_beryl(os.path.abspath(options.beryl_tce), case, folder)
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as failure:
            print(f"FAIL {case.name:32s} {failure}", flush=True)
            return False
    differences = {method: energies[method] - expected[method]
                   for method in KEYS if method in expected}
    agrees = all(abs(difference) < TOLERANCE for difference in differences.values())
    print("ok  " if agrees else "FAIL", f"{case.name:36s} {energies['ccsd(t)']:16.9f}",
          *(f"{method} {difference:+.1e}" for method, difference in differences.items()), flush=True)
    return agrees


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("beryl_tce")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--psi4", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with open(DATA, encoding="utf-8") as file:
        data = json.load(file)
    cases = list(read_cases(data, only_short=not options.all and not options.psi4))
    n_wrong = sum(not check(options, case, data["cases"][case.name]) for case in cases)
    if options.write:
        with open(DATA, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1)
            file.write("\n")
    print(f"{len(cases)} cases, {n_wrong} wrong")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
