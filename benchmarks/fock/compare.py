#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds of one full direct Fock build by Beryl, NWChem and psi4 from the converged density of one
file, in turns, with the error of F that each makes.

    compare.py [--systems water10/cc-pvdz,...|all] [--processes 1,2] [--programs beryl,nwchem,psi4]
               [--rounds 3] [--classes] [--json FILE] [--binaries build/release/bin]

The default systems take half an hour on two cores, all of them two hours. Nothing else should run.
Debian's packages: nwchem-openmpi, psi4, python3-numpy, python3-h5py. README.md has the method.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

import bench
import nwchem

DEFAULT = "water10/cc-pvdz,c24h12/cc-pvdz,c20h42/6-31g,be16/be15s"
DIGITS = [9, 10, 11, 12]  # thresholds at which NWChem's error is found
PARTS = ("selection", "integral", "digestion")  # of a Fock build's seconds, in the result
HERE = os.path.dirname(os.path.abspath(__file__))


class Psi4:
    def __init__(self, path):
        self.path = path

    def build(self, processes, threshold, reference=0):
        """seconds, two_electron_energy, and with a reference the error."""
        command = [os.path.join(HERE, "psi4_builds.py"), self.path, str(processes), str(reference),
                   str(threshold)]
        text = subprocess.run(command, check=True, env=bench.environment(), cwd=bench.RUNS,
                              text=True, stdout=subprocess.PIPE).stdout
        return json.loads(text.splitlines()[-1])


def prepare(system, name, programs, binaries):
    """The programs as callables of a number of processes, and the errors of F they make."""
    molecule, basis, screen, options, others = system
    beryl = bench.Beryl(binaries, molecule, basis, screen, options)
    density = beryl.converge()
    runs = {"beryl": beryl.build}
    accuracy = {}
    if others:
        accuracy["beryl"] = {"threshold": screen, **beryl.errors([screen])[screen]}
    if "nwchem" in others and "nwchem" in programs:
        rival = nwchem.NWChem(density, name.replace("/", "_"))
        errors = rival.errors(os.cpu_count(), DIGITS)
        tol2e = bench.at_error(errors.items(), accuracy["beryl"]["error"])
        accuracy["nwchem"] = {"threshold": tol2e, "errors": errors}
        runs["nwchem"] = lambda processes: rival.build(processes, tol2e)
    if "psi4" in others and "psi4" in programs:
        psi4 = Psi4(density)
        accuracy["psi4"] = {"threshold": screen,
                            "error": psi4.build(os.cpu_count(), screen, 1e-14)["error"]}
        runs["psi4"] = lambda processes: psi4.build(processes, screen)
    return beryl, runs, accuracy


def time_system(runs, processes, rounds, accuracy):
    """By program the records of its builds, taken in turns. Equal energies show that the programs have
    the same density. NWChem makes the orbitals orthonormal once more: its energies differ by more
    than the errors of F."""
    records = {program: [] for program in runs}
    for _ in range(rounds):
        for program, run in runs.items():
            record = bench.at_rest.measure(lambda run=run: run(processes))
            energy, own = (of.get("two_electron_energy", 0)
                           for of in (record, accuracy.get("beryl", {})))
            if program != "beryl" and abs(energy - own) > 1e-7 * own:
                sys.exit(f"compare.py: two-electron energy of {program} {energy}, of Beryl {own}")
            records[program].append(record)
    return records


def row_of(name, processes, records, accuracy, ghz):
    median = {program: statistics.median(r["seconds"] for r in of)
              for program, of in records.items()}
    own, first = median["beryl"], records["beryl"][0]
    ns = 1e9 * own * processes / first["integrals"]
    cells = [name, first["functions"], processes, f"{own:.3f}", f"{ns:.2f}", f"{ns * ghz:.1f}"]
    cells.append(f"{accuracy['beryl']['error']:.1e}" if accuracy else "")
    for program in bench.OTHERS:
        if program not in median:
            cells += ["", "", ""]
            continue
        cells += [f"{median[program]:.2f}", f"{accuracy[program]['threshold']:.1e}",
                  f"{median[program] / own:.1f}"]
    return cells


def print_classes(name, build):
    print(f"\n{name}, one process, by class of shell quartets: those above a hundredth\n")
    rows = []
    for quartets, cost in build["classes"].items():
        seconds = sum(cost[part + "_seconds"] for part in PARTS)
        rows.append((seconds, [quartets.replace("|", "\\|"), cost["quartets"], cost["integrals"],
                               *(f"{cost[part + '_seconds']:.3f}" for part in PARTS),
                               f"{1e9 * seconds / cost['quartets']:.1f}",
                               f"{1e9 * seconds / cost['integrals']:.2f}",
                               f"{100 * cost['primitives'] / cost['lanes']:.0f}"]))
    bench.print_table(["class", "quartets", "integrals", "selection s", "integrals s",
                       "digestion s", "ns/quartet", "ns/integral", "lanes %"],
                      [row for seconds, row in sorted(rows, reverse=True)
                       if seconds > 0.01 * sum(row[0] for row in rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default=DEFAULT)
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--programs", default="beryl,nwchem,psi4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("--json", default=os.path.join(bench.RUNS, "compare.json"))
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build/release/bin"))
    options = parser.parse_args()
    names = bench.chosen(options.systems, bench.SYSTEMS)
    results, rows, classes = {}, [], {}
    ghz = bench.at_rest.measure(lambda: bench.clock_ghz(options.binaries))
    for name in names:
        beryl, runs, accuracy = prepare(bench.SYSTEMS[name], name, options.programs.split(","),
                                        options.binaries)
        results[name] = {"accuracy": accuracy}
        for processes in map(int, options.processes.split(",")):
            records = time_system(runs, processes, options.rounds, accuracy)
            results[name][processes] = records
            rows.append(row_of(name, processes, records, accuracy, ghz))
            print(*rows[-1], file=sys.stderr)
        if options.classes:
            classes[name] = bench.at_rest.measure(
                lambda beryl=beryl: beryl.build(1, 1, ["--profile-classes"]))
            results[name]["classes"] = classes[name]["classes"]
        bench.write_results(options.json, {"clock_ghz": ghz, "systems": results})
    print(f"{bench.machine()}, {ghz} GHz, medians of {options.rounds}\n")
    bench.print_table(["system", "functions", "processes", "Beryl s", "ns/integral", "cycles",
                       "error of F", "NWChem s", "tol2e", "ratio", "psi4 s", "threshold",
                       "ratio"], rows)
    for name, build in classes.items():
        print_classes(name, build)


if __name__ == "__main__":
    main()
