#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds of whole commands, from the molecule to the energy, by Beryl, psi4 and NWChem in turns.

    whole.py [--cases water/cc-pvtz,...|all] [--processes 1,2] [--rounds 3]
             [--programs beryl,direct,psi4,nwchem] [--json FILE] [--binaries build/release/bin]

    beryl   beryl-hf as it comes, the test of stability included
    direct  the same with --integrals direct
    psi4    scf_type pk, energy and density to 1e-8; as many threads as the others have processes
    nwchem  thresh 1e-5, semidirect as it comes

A rival counts where its energy is Beryl's within 1e-6 hartree. All programs read the basis set
of Beryl's checkpoint, with spherical functions. Nothing else should run. Debian's packages: nwchem-openmpi, psi4,
python3-numpy, python3-h5py.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, os.pardir, "fock"))
import bench  # noqa: E402
import orbitals  # noqa: E402
import psi4_builds  # noqa: E402

RUNS = os.path.join(bench.ROOT, "build", "benchmarks", "whole")
ENERGY_ERROR = 1e-6
RIVALS = ("psi4", "nwchem")

GLYCINE = """N 1.5 0.6 0
C 0.15 0.05 0.1
C -0.9 1.15 0
O -0.5 2.33 0.1
O -2.06 0.73 -0.15
H 0.02 -0.5 1.03
H 0 -0.65 -0.72
H 1.45 1.6 0.2
H 2.1 0.1 0.65
H 1.85 0.5 -0.95
"""

# Name: atoms in angstrom or a file of inputs/, basis, multiplicity (UHF if it is not 1).
CASES = {
    "water/cc-pvtz": ("O 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n", "cc-pvtz", 1),
    "lif/cc-pvtz": ("Li 0 0 0\nF 0 0 1.56\n", "cc-pvtz", 1),
    "cn/cc-pvdz": ("C 0 0 0\nN 0 0 1.172\n", "cc-pvdz", 2),
    "so2/def2-tzvp": ("S 0 0 0\nO 0 1.24 0.72\nO 0 -1.24 0.72\n", "def2-tzvp", 1),
    "glycine/6-31g*": (GLYCINE, "6-31g*", 1),
    "hbr/cc-pvtz": ("H 0 0 0\nBr 0 0 1.414\n", "cc-pvtz", 1),
    "ch2/cc-pvqz": ("C 0 0 0\nH 0 0.99 0.43\nH 0 -0.99 0.43\n", "cc-pvqz", 3),
    "no2/6-31g*": ("N 0 0 0\nO 0 1.1 0.465\nO 0 -1.1 0.465\n", "6-31g*", 2),
    "benzene/cc-pvdz": ("benzene", "cc-pvdz", 1),
    "benzene/cc-pvtz": ("benzene", "cc-pvtz", 1),
    "water10/6-31g": ("water10", "6-31g", 1),
    "water10/cc-pvdz": ("water10", "cc-pvdz", 1),
    "c20h42/6-31g": ("c20h42", "6-31g", 1),
}

PSI4_INPUT = """molecule {{
0 {multiplicity}
{geometry}}}
set {{
basis beryl
scf_type pk
e_convergence 1e-8
d_convergence 1e-8
reference {reference}
}}
energy('scf')
"""
NWCHEM_INPUT = """start {name}
memory total 1500 mb
geometry units angstroms
{geometry}end
{basis}scf
{spin}
thresh 1e-5
end
task scf energy
"""
SPINS = {1: "singlet; rhf", 2: "doublet; uhf", 3: "triplet; uhf"}


class Case:
    """The files of a case in a folder of its own."""

    def __init__(self, name, binaries):
        atoms, self.basis, self.multiplicity = CASES[name]
        self.name = re.sub(r"\W", "_", name)
        self.folder = os.path.join(RUNS, self.name)
        self.binaries = binaries
        os.makedirs(self.folder, exist_ok=True)
        if "\n" not in atoms:
            with open(bench.molecule_file(atoms), encoding="utf-8") as file:
                atoms = "".join(file.read().splitlines(keepends=True)[2:])
        self.write("molecule.xyz", f"{atoms.count(chr(10))}\n\n{atoms}")
        checkpoint = self.make_checkpoint()
        self.write("beryl.gbs", psi4_builds.basis_text(checkpoint, checkpoint.labels))
        self.write("psi4.in", PSI4_INPUT.format(
            multiplicity=self.multiplicity, geometry=atoms,
            reference="rhf" if self.multiplicity == 1 else "uhf"))
        self.write("nwchem.nw", NWCHEM_INPUT.format(
            name=self.name, geometry=atoms, basis=orbitals.nwchem_basis(checkpoint),
            spin=SPINS[self.multiplicity]))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def beryl_command(self, *options):
        return [os.path.join(self.binaries, "beryl-hf"), "molecule.xyz", "--basis", self.basis,
                "--spherical", "--multiplicity", str(self.multiplicity), "--json", "beryl.json",
                *options]

    def beryl(self, processes, *options):
        command = self.beryl_command(*options)
        return self.run(command if processes == 1 else bench.mpirun(processes, command), "beryl")

    def make_checkpoint(self):
        self.run_once(self.beryl_command("--stability", "never", "--checkpoint", "basis.h5"), "beryl")
        return orbitals.Checkpoint(self.path("basis.h5"))

    def psi4(self, processes):
        return self.run(["psi4", "-n", str(processes), "-i", "psi4.in", "-o", "psi4.out"], "psi4")

    def nwchem(self, processes):
        command = ["nwchem.openmpi", "nwchem.nw"]
        return self.run(command if processes == 1 else bench.mpirun(processes, command), "nwchem")

    def run(self, command, program):
        """run_once on a machine at rest."""
        return bench.at_rest.measure(lambda: self.run_once(command, program))

    def run_once(self, command, program):
        """Seconds of a command; its output stays beside its input."""
        for left in os.listdir(self.folder):
            if left.startswith(self.name + "."):
                os.remove(self.path(left))
        with open(self.path(program + ".log"), "w", encoding="utf-8") as log:
            start = time.monotonic()
            subprocess.run(command, cwd=self.folder, check=False, stdout=log, stderr=log,
                           env={**bench.environment(), "PSIPATH": self.folder})
            return time.monotonic() - start

    def energy(self, program):
        """The energy of the last run, or None."""
        if program in ("beryl", "direct"):
            with open(self.path("beryl.json"), encoding="utf-8") as file:
                result = json.load(file)
            return result["return_result"] if result["success"] else None
        name, mark = {"psi4": ("psi4.out", r"Final Energy: +(\S+)"),
                      "nwchem": ("nwchem.log", r"Total SCF energy = +(\S+)")}[program]
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                found = re.findall(mark, file.read())
        except FileNotFoundError:
            return None
        return float(found[-1]) if found else None


def time_case(case, programs, processes, rounds):
    """By program seconds of its runs, taken in turns, and its energy."""
    runs = {"beryl": case.beryl, "direct": lambda n: case.beryl(n, "--integrals", "direct"),
            "psi4": case.psi4, "nwchem": case.nwchem}
    seconds, energies = {program: [] for program in programs}, {}
    for _ in range(rounds):
        for program in programs:
            seconds[program].append(runs[program](processes))
            energies[program] = case.energy(program)
    return {"seconds": seconds, "energies": energies}


def counts(record, program):
    own, other = record["energies"]["beryl"], record["energies"].get(program)
    return own is not None and other is not None and abs(other - own) < ENERGY_ERROR


def row_of(name, processes, record):
    median = {program: statistics.median(of) for program, of in record["seconds"].items()}
    cells = [name, processes]
    for program in ("beryl", "direct", *RIVALS):
        counted = program in median and counts(record, program)
        cells.append(f"{median[program]:.2f}" if counted else
                     f"({median[program]:.2f})" if program in median else "")
    rivals = [median[program] for program in RIVALS
              if program in median and counts(record, program)]
    return cells + [f"{median['beryl'] / min(rivals):.2f}" if rivals else ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="all")
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", default="all")
    parser.add_argument("--json", default=os.path.join(RUNS, "whole.json"))
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build/release/bin"))
    options = parser.parse_args()
    programs = bench.chosen(options.programs, ("beryl", "direct", *RIVALS))
    if "beryl" not in programs:
        sys.exit("whole.py: --programs lacks beryl, with which the others are compared")
    results, rows = {}, []
    for name in bench.chosen(options.cases, CASES):
        case = Case(name, os.path.abspath(options.binaries))
        for processes in map(int, options.processes.split(",")):
            record = time_case(case, programs, processes, options.rounds)
            results.setdefault(name, {})[processes] = record
            rows.append(row_of(name, processes, record))
            print(*rows[-1], file=sys.stderr, flush=True)
        bench.write_results(options.json, {"cases": results})
    print(f"{bench.machine()}, seconds, medians of {options.rounds}; in brackets: not Beryl's "
          f"energy within {ENERGY_ERROR:g}\n")
    bench.print_table(["case", "processes", "Beryl", "direct", "psi4", "NWChem",
                       "ratio to the faster"], rows)


if __name__ == "__main__":
    main()
