#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""CCSD(T) energies of small molecules, closed shells and radicals over UHF, spherical and Cartesian functions,
frozen cores and all electrons, against psi4.

    triples.py BERYL_TCE                     the short cases, against energies of psi4 in triples.json
    triples.py BERYL_TCE --all               all cases
    triples.py BERYL_TCE --psi4 [--write]    all cases, against psi4 run anew; --write replaces triples.json

Energies of the SCF and of CCSD(T) agree to 1e-7 hartree. If the SCF energies differ, the programs have found
different states, as they do for N2+. triples.json is of Debian's psi4 1.3.2, converged to 1e-10.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

TOLERANCE = 1e-7
SECONDS = 300
REFERENCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triples.json")

# Angstrom.
MOLECULES = {
    "h2o": "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692",
    "nh3": "N 0 0 0.1162; H 0 0.9397 -0.2711; H 0.8138 -0.4699 -0.2711; H -0.8138 -0.4699 -0.2711",
    "ch4": "C 0 0 0; H 0.6276 0.6276 0.6276; H 0.6276 -0.6276 -0.6276; H -0.6276 0.6276 -0.6276; "
           "H -0.6276 -0.6276 0.6276",
    "hf": "H 0 0 0; F 0 0 0.9168",
    "n2": "N 0 0 0; N 0 0 1.0977",
    "co": "C 0 0 0; O 0 0 1.1283",
    "hcn": "H 0 0 -1.0655; C 0 0 0; N 0 0 1.1532",
    "c2h2": "C 0 0 0.6013; C 0 0 -0.6013; H 0 0 1.6644; H 0 0 -1.6644",
    "h2co": "C 0 0 -0.5265; O 0 0 0.6755; H 0 0.9343 -1.1095; H 0 -0.9343 -1.1095",
    "lih": "Li 0 0 0; H 0 0 1.5957",
    "bh": "B 0 0 0; H 0 0 1.2324",
    "f2": "F 0 0 0; F 0 0 1.4119",
    "hcl": "H 0 0 0; Cl 0 0 1.2746",
    "h2s": "S 0 0 0.1030; H 0 0.9617 -0.8237; H 0 -0.9617 -0.8237",
    "ne": "Ne 0 0 0",
    "oh": "O 0 0 0; H 0 0 0.9697",
    "nh2": "N 0 0 0.1417; H 0 0.8050 -0.4959; H 0 -0.8050 -0.4959",
    "ch3": "C 0 0 0; H 1.0790 0 0; H -0.5395 0.9344 0; H -0.5395 -0.9344 0",
    "ch2": "C 0 0 0.1027; H 0 0.9960 -0.3080; H 0 -0.9960 -0.3080",
    "nh": "N 0 0 0; H 0 0 1.0362",
    "cn": "C 0 0 0; N 0 0 1.1718",
    "no": "N 0 0 0; O 0 0 1.1508",
    "o2": "O 0 0 0; O 0 0 1.2075",
    "ho2": "O 0 0 0; O 0 0 1.3305; H 0.9417 0 -0.2410",
    "beh": "Be 0 0 0; H 0 0 1.3426",
    "n": "N 0 0 0",
    "o": "O 0 0 0",
}

# Molecule, charge, multiplicity, basis, Cartesian functions, frozen core; short ones are checked without --all.
CASES = [
    ("h2o", 0, 1, "6-31g", False, False, "short"),
    ("h2o", 0, 1, "cc-pvdz", True, False, "short"),
    ("h2o", 0, 1, "cc-pvdz", False, True, ""),
    ("h2o", 1, 2, "6-31g", False, False, "short"),
    ("nh3", 0, 1, "6-31g", False, True, "short"),
    ("nh3", 0, 1, "cc-pvdz", True, True, ""),
    ("nh3", 1, 2, "cc-pvdz", False, True, ""),
    ("ch4", 0, 1, "cc-pvdz", False, True, ""),
    ("hf", 0, 1, "cc-pvdz", False, False, "short"),
    ("n2", 0, 1, "cc-pvdz", True, True, "short"),
    ("co", 0, 1, "cc-pvdz", False, True, ""),
    ("hcn", 0, 1, "cc-pvdz", False, True, ""),
    ("c2h2", 0, 1, "6-31g", False, False, ""),
    ("h2co", 0, 1, "6-31g", False, True, ""),
    ("lih", 0, 1, "cc-pvdz", False, False, "short"),
    ("bh", 0, 1, "cc-pvdz", True, False, "short"),
    ("f2", 0, 1, "cc-pvdz", False, True, ""),
    ("hcl", 0, 1, "cc-pvdz", False, True, ""),
    ("h2s", 0, 1, "6-31g", False, True, ""),
    ("ne", 0, 1, "cc-pvdz", False, False, "short"),
    ("oh", 0, 2, "6-31g", False, False, "short"),
    ("oh", 0, 2, "cc-pvdz", True, True, "short"),
    ("oh", -1, 1, "cc-pvdz", False, True, ""),
    ("nh2", 0, 2, "cc-pvdz", False, True, ""),
    ("ch3", 0, 2, "6-31g", False, True, "short"),
    ("ch2", 0, 3, "cc-pvdz", True, True, ""),
    ("nh", 0, 3, "cc-pvdz", False, True, "short"),
    ("cn", 0, 2, "6-31g", False, False, "short"),
    ("no", 0, 2, "6-31g", False, True, ""),
    ("o2", 0, 3, "cc-pvdz", False, True, ""),
    ("ho2", 0, 2, "6-31g", False, True, ""),
    ("beh", 0, 2, "cc-pvdz", False, False, "short"),
    ("n", 0, 4, "cc-pvdz", True, False, "short"),
    ("o", 0, 3, "cc-pvdz", False, True, "short"),
]


def name_of(case):
    molecule, charge, multiplicity, basis, cartesian, frozen, _ = case
    return (f"{molecule} {charge:+d} {multiplicity} {basis}" + (" cartesian" if cartesian else "") +
            (" frozen" if frozen else ""))


def run(command, folder):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SECONDS, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit status {done.returncode}: "
                           f"{done.stderr.strip()[-300:]}")


def run_beryl(program, case, folder):
    """Energies of the SCF and of CCSD(T)."""
    molecule, charge, multiplicity, basis, cartesian, frozen, _ = case
    atoms = MOLECULES[molecule].split(";")
    with open(os.path.join(folder, "molecule.xyz"), "w", encoding="utf-8") as file:
        file.write(f"{len(atoms)}\n\n" + "\n".join(atom.strip() for atom in atoms) + "\n")
    run([program, "ccsd_t", "molecule.xyz", "--basis", basis, "--charge", str(charge), "--multiplicity",
         str(multiplicity), "--cartesian" if cartesian else "--spherical", "--converge-amplitudes", "1e-9",
         "--json", "result.json"] + (["--frozen-core"] if frozen else []), folder)
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        result = json.load(file)
    return result["properties"]["scf_total_energy"], result["return_result"]


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
json.dump([variable('SCF TOTAL ENERGY'), variable('CCSD(T) TOTAL ENERGY')], open('psi4.json', 'w'))
"""


def run_psi4(case, folder):
    molecule, charge, multiplicity, basis, cartesian, frozen, _ = case
    with open(os.path.join(folder, "input.dat"), "w", encoding="utf-8") as file:
        file.write(PSI4_INPUT.format(
            charge=charge, multiplicity=multiplicity, atoms=MOLECULES[molecule].replace("; ", "\n"),
            basis=basis, spherical=str(not cartesian).lower(), frozen=str(frozen).lower(),
            reference="rhf" if multiplicity == 1 else "uhf"))
    run(["psi4", "input.dat", "output.dat", "-n", "1", "-s", folder], folder)
    with open(os.path.join(folder, "psi4.json"), encoding="utf-8") as file:
        return json.load(file)


def check(options, case, references):
    """Whether a case agrees; prints a line."""
    name = name_of(case)
    with tempfile.TemporaryDirectory() as folder:
        try:
            if options.psi4:
                references[name] = dict(zip(("scf", "ccsd(t)"), run_psi4(case, folder)))
            scf, energy = run_beryl(os.path.abspath(options.beryl_tce), case, folder)
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as failure:
            print(f"FAIL {name:32s} {failure}", flush=True)
            return False
    expected = references[name]
    differences = scf - expected["scf"], energy - expected["ccsd(t)"]
    agrees = all(abs(difference) < TOLERANCE for difference in differences)
    print(f"{'ok  ' if agrees else 'FAIL'} {name:32s} {energy:16.9f} SCF {differences[0]:+.1e} "
          f"CCSD(T) {differences[1]:+.1e}", flush=True)
    return agrees


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("beryl_tce")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--psi4", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    references = {}
    if not options.psi4:
        with open(REFERENCES, encoding="utf-8") as file:
            references = json.load(file)
    cases = [case for case in CASES if options.all or options.psi4 or case[-1]]
    n_wrong = sum(not check(options, case, references) for case in cases)
    if options.write:
        with open(REFERENCES, "w", encoding="utf-8") as file:
            json.dump(references, file, indent=1)
            file.write("\n")
    print(f"{len(cases)} cases, {n_wrong} wrong")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
