#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Guesses from other calculations: from a small basis to a large one, and along scans.

    guesses.py [--bin FOLDER] [--part bases|scans]

bases: closed shells in cc-pVDZ and then in cc-pVTZ, the latter from superposed atoms and from the
       orbitals of the former (--guess FILE): passes over the integrals in cc-pVTZ before the test of
       stability, to the criterion of an SCF alone and to --converge 1e-8.
scans: N2/cc-pVDZ in steps of 0.1 angstrom with --follow none, each point from the checkpoint of the
       one before: RHF from 1.0 to 3.0, CCSD over it from 1.0 to 2.0, and UHF inwards from 3.0 to
       1.0, where the first point is the minimum that broken symmetry (--guess-mix --follow same) leads
       to. The largest third difference of the energies, which is large where a point is of another
       solution than its neighbours: of all points, and of those that are judged, from 1.1 angstrom on
       and on one side of the point where UHF becomes RHF. From 1.0 to 1.3 angstrom the curve itself has
       a third difference of 0.033 hartree.

The exit status is 1 where a point fails or a third difference that is judged exceeds 0.02 hartree.
Standard library only."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from scf_passes import ROOT, environment, write_molecule

LARGEST_THIRD_DIFFERENCE = 0.02  # hartree
JUDGED_FROM = 1.09  # angstrom
BROKEN_SYMMETRY = 1e-4  # <S^2> above it
ITERATION = re.compile(r"^ +(\d+) +-?\d+\.\d{10} ", re.MULTILINE)  # of the log, and its energy

# Angstrom.
MOLECULES = {
    "H2O": [["O", 0, 0, 0], ["H", 0, 0.757, 0.587], ["H", 0, -0.757, 0.587]],
    "HF": [["H", 0, 0, 0], ["F", 0, 0, 0.917]],
    "N2": [["N", 0, 0, 0], ["N", 0, 0, 1.098]],
    "CO": [["C", 0, 0, 0], ["O", 0, 0, 1.128]],
    "LiF": [["Li", 0, 0, 0], ["F", 0, 0, 1.56]],
    "NH3": [["N", 0, 0, 0], ["H", 0.9377, 0, 0.3816], ["H", -0.4689, 0.8121, 0.3816],
            ["H", -0.4689, -0.8121, 0.3816]],
    "HCN": [["H", 0, 0, -1.066], ["C", 0, 0, 0], ["N", 0, 0, 1.156]],
    "H2CO": [["O", 0, 0, 1.205], ["C", 0, 0, 0], ["H", 0, 0.943, -0.588],
             ["H", 0, -0.943, -0.588]],
}


class Runs:
    """Runs of Beryl's programs in a folder of their own."""

    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, program, atoms, *words):
        """(exit status, result or None, output) of a run on a molecule."""
        result = self.path("result.json")
        if os.path.exists(result):
            os.remove(result)
        write_molecule({"atoms": atoms}, self.path("molecule.xyz"))
        done = subprocess.run([os.path.join(self.programs, program[0]), *program[1:],
                               self.path("molecule.xyz"), "--json", result, *words],
                              env=environment(), capture_output=True, text=True, check=False)
        if not os.path.exists(result):
            print(done.stderr, file=sys.stderr)
            return done.returncode, None, done.stdout
        with open(result, encoding="utf-8") as file:
            return done.returncode, json.load(file), done.stdout


def passes_before_stability(run):
    """Fock builds of the iterations before the first test, and those that confirm the last one; where the
    test leads to another iteration, that is not among them."""
    _, result, output = run
    before = output.split("stability:")[0]
    last = int(ITERATION.findall(before)[-1])
    iterations = result["extras"]["beryl"]["scf_iterations"][:last]
    return sum(row["n_builds"] for row in iterations) + before.count("accurate build:")


def compare_bases(runs, words):
    """Prints the passes with and without projection; the median of their ratios."""
    ratios = []
    print(f"molecule  superposed atoms  projected  {' '.join(words)}")
    for name, atoms in MOLECULES.items():
        small = runs.path("small.h5")
        runs.run(["beryl-hf"], atoms, "--basis", "cc-pvdz", "--checkpoint", small)
        large = ["--basis", "cc-pvtz", *words]
        alone = passes_before_stability(runs.run(["beryl-hf"], atoms, *large))
        projected = passes_before_stability(runs.run(["beryl-hf"], atoms, *large, "--guess", small))
        ratios.append(projected / alone)
        print(f"{name:8s}  {alone:16d}  {projected:9d}", flush=True)
    print(f"median of the ratios: {statistics.median(ratios):.3f}\n")


def scan(runs, title, program, distances, first, words):
    """Points (distance, energy, <S^2>, exit status) of a scan, each from the one before."""
    points = []
    last, new = runs.path("last.h5"), runs.path("new.h5")
    guess = first
    for distance in distances:
        atoms = [["N", 0, 0, 0], ["N", 0, 0, distance]]
        status, result, _ = runs.run(program, atoms, "--basis", "cc-pvdz", *words, *guess,
                                     "--checkpoint", new)
        if status != 0 or result is None:
            print(f"{title} at {distance:.1f}: exit status {status}")
            points.append((distance, float("nan"), 0.0, status))
            continue
        s2 = result["extras"]["beryl"].get("s2") or 0.0
        points.append((distance, result["return_result"], s2, status))
        print(f"{title} {distance:.1f} {result['return_result']:16.9f} {s2:8.4f}", flush=True)
        os.replace(new, last)
        guess = ["--guess", last, "--follow", "none"]
    return points


def third_differences(points):
    """(size, first distance, whether it is judged) for each four points in a row."""
    for window in zip(points, points[1:], points[2:], points[3:]):
        e = [point[1] for point in window]
        kinds = {point[2] > BROKEN_SYMMETRY for point in window}
        nearest = min(point[0] for point in window)
        yield (abs(e[3] - 3 * e[2] + 3 * e[1] - e[0]), nearest,
               len(kinds) == 1 and nearest > JUDGED_FROM)


def judge(title, points):
    """Whether all points are there and on one curve."""
    third = list(third_differences(points))
    failed = sum(status != 0 for *_, status in points)
    print(f"{title}: {len(points)} points, {failed} failed")
    for name, entries in (("all", third), ("those judged", [e for e in third if e[2]])):
        size, nearest, _ = max(entries)
        print(f"    largest third difference of {name}: {size:.5f} hartree, from {nearest:.1f} "
              "angstrom on")
    print(flush=True)
    return failed == 0 and size < LARGEST_THIRD_DIFFERENCE


def steps(start, end):
    n = round(abs(end - start) / 0.1)
    return [start + (end - start) * i / n for i in range(n + 1)]


def follow_scans(runs):
    hf, ccsd = ["beryl-hf"], ["beryl-tce", "ccsd"]
    scans = (
        ("RHF", hf, steps(1.0, 3.0), ["--follow", "none"], ["--method", "rhf"]),
        ("CCSD", ccsd, steps(1.0, 2.0), ["--follow", "none"], ["--method", "rhf"]),
        ("UHF", hf, steps(3.0, 1.0), ["--guess-mix", "--follow", "same"], ["--method", "uhf"]),
    )
    return all([judge(title, scan(runs, title, program, distances, first, words))
                for title, program, distances, first, words in scans])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--part", choices=("bases", "scans"), help="default: both")
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options.bin, folder)
        if options.part != "scans":
            compare_bases(runs, [])
            compare_bases(runs, ["--converge", "1e-8"])
        if options.part != "bases":
            good = follow_scans(runs)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
