#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Iterations and passes over the integrals of whole SCF calculations.

    scf_passes.py CASES.json [--bin FOLDER] [--only A,B] [--jobs N] [-- OPTIONS OF beryl-hf]

CASES.json is an array of objects with id, atoms ([[element, x, y, z], ...], angstrom), charge and
multiplicity (0 and 1 if left out), basis, the energy to reach (energy_hartree or
lowest_known_hartree, either may be left out) and, for a comparison, pyscf_fock_matrices. For each case a line:

    iterations  of the SCF
    matrices    Fock matrices of densities, accurate builds that confirm one included
    stability   passes over the integrals that the test of stability took
    passes      all of them: one is all quartets once, for however many densities
    energy - known, exit status, verdict of the stability in the method's space and towards UHF

and at the end the medians and, where PySCF's numbers are given, a comparison. Cases with few atoms
first. Standard library only."""
import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
STABILITY = re.compile(r"^\s+stability: .*, (\d+) (?:Fock build|pass)", re.MULTILINE)


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
            "HWLOC_COMPONENTS": "-gl"}


def write_molecule(case, path):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{len(case['atoms'])}\n\n")
        for element, x, y, z in case["atoms"]:
            file.write(f"{element} {x:.10f} {y:.10f} {z:.10f}\n")


def known_energy(case):
    return case.get("energy_hartree", case.get("lowest_known_hartree"))


def verdict(stability, space):
    if space not in stability:
        return "-"
    return {True: "minimum", False: "saddle", None: "open"}[stability[space]["stable"]]


def run_case(case, options):
    """A dictionary of what is printed; NaN where the run left no result."""
    with tempfile.TemporaryDirectory() as folder:
        molecule, result = os.path.join(folder, "molecule.xyz"), os.path.join(folder, "run.json")
        write_molecule(case, molecule)
        command = [os.path.join(options.bin, "beryl-hf"), molecule, "--basis", case["basis"],
                   "--charge", str(case.get("charge", 0)),
                   "--multiplicity", str(case.get("multiplicity", 1)),
                   "--json", result] + options.options
        try:
            done = subprocess.run(command, env=environment(), capture_output=True, text=True,
                                  timeout=options.timeout, check=False)
        except subprocess.TimeoutExpired:
            return {"id": case["id"], "status": "timeout"}
        if not os.path.exists(result):
            return {"id": case["id"], "status": done.returncode}
        with open(result, encoding="utf-8") as file:
            output = json.load(file)
    extras = output["extras"]["beryl"]
    passes = extras["fock_builds"]
    stability = sum(int(n) for n in STABILITY.findall(done.stdout))
    known = known_energy(case)
    return {"id": case["id"], "status": done.returncode,
            "iterations": len(extras["scf_iterations"]), "matrices": passes - stability,
            "stability": stability, "passes": passes,
            "above": output["return_result"] - known if known is not None else float("nan"),
            "energy": output["return_result"], "saddles": len(extras["saddle_points_left"]),
            "rhf": verdict(extras["stability"], "real_rhf"),
            "uhf": verdict(extras["stability"], "real_uhf"),
            "pyscf": case.get("pyscf_fock_matrices")}


def print_row(row):
    if "passes" not in row:
        print(f"{row['id']:20s} no result, status {row['status']}", flush=True)
        return
    pyscf = "" if row["pyscf"] is None else f" (PySCF {row['pyscf']})"
    print(f"{row['id']:20s} {row['iterations']:5d} {row['matrices']:5d}{pyscf:11s} "
          f"{row['stability']:4d} {row['passes']:5d} {row['energy']:17.9f} {row['above']:10.1e} "
          f"{row['saddles']:2d} {row['status']}  {row['rhf']:8s}{row['uhf']}", flush=True)


def print_summary(rows):
    rows = [row for row in rows if "passes" in row]
    if not rows:
        return
    print("median: " + ", ".join(f"{statistics.median(row[key] for row in rows):g} {key}"
                                 for key in ("iterations", "matrices", "stability", "passes")))
    print(f"most: {max(row['stability'] for row in rows)} for stability, "
          f"{max(row['passes'] for row in rows)} passes")
    print(f"above the known energy by more than 1e-7: {sum(row['above'] > 1e-7 for row in rows)}; "
          f"not converged: {sum(row['status'] != 0 for row in rows)}")
    compared = [row["matrices"] - row["pyscf"] for row in rows if row["pyscf"] is not None]
    if compared:
        print(f"no more Fock matrices than PySCF: {sum(more <= 0 for more in compared)} of "
              f"{len(compared)}; at most {max(compared)} more")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", metavar="CASES.json")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default: 1)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds of a run")
    parser.add_argument("--json", help="write the rows to this file")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:end])
    options.options = words[end + 1:]
    with open(options.cases, encoding="utf-8") as file:
        cases = json.load(file)
    if options.only:
        cases = [case for case in cases if case["id"] in options.only.split(",")]
    cases.sort(key=lambda case: len(case["atoms"]))
    print("case           iterations, matrices, stability, passes, energy, - known, saddles left, "
          "status, verdicts")
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda case: run_case(case, options), cases):
            print_row(row)
            rows.append(row)
    print_summary(rows)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
