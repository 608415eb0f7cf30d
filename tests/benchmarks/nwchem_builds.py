#!/usr/bin/env python3
"""Seconds per full two-electron Fock build, from NWChem's output as it appears.

    nwchem ... | nwchem_builds.py LOG      -> lines "scf SECONDS" and "dft SECONDS"

NWChem must flush every line (GFORTRAN_UNBUFFERED_PRECONNECTED=y) and print
"screening statistics": then it ends every direct Fock build with a line
"Direct Fock builds = n". LOG receives the output, each line with the seconds
since the start. The seconds of a build are those from the line before it that
reports a build or an iteration to its own.

Which builds are full ones:
- scf: NWChem's SCF converges quadratically; an iteration makes several builds.
  Those of the micro-iterations multiply a trial vector by the Hessian, with
  looser thresholds; the last build before an iteration's line is of the whole
  density at tol2e and gives the energy printed there. That one is counted.
- dft: one build per iteration, of the whole density, but with a looser
  threshold until the energy has nearly settled. Counted are the builds that
  come after an energy change below 0.01 hartree.
Of each module the shortest counted build is reported. Standard library only.
"""
import re
import sys

import timed_lines

SETTLED_HARTREE = 0.01
MODULE = re.compile(r"NWChem (SCF|DFT) Module")
BUILD = re.compile(r"Direct Fock builds =")
SCF_ITERATION = re.compile(r"^\s+\d+\s+-?\d+\.\d{10}\s+\S+\s+\S+\s+\d+\.\d\s*$")
DFT_ITERATION = re.compile(r"^\s*d=\s*\d+,ls=\S+?(?:,diis)?\s+\d+\s+-?\d+\.\d{10}\s+(\S+)\s")


class Counter:
    def __init__(self):
        self.module = None
        self.last_event = 0.0
        self.build_seconds = None
        self.energy_change = float("inf")
        self.full = {"scf": [], "dft": []}

    def line(self, text, now):
        found = MODULE.search(text)
        if found:
            self.module = found.group(1).lower()
            self.build_seconds, self.energy_change = None, float("inf")
        elif BUILD.search(text):
            self.build_seconds = now - self.last_event
            self.last_event = now
        elif self.module == "scf" and SCF_ITERATION.match(text):
            self.iteration(now, counts=True)
        elif self.module == "dft" and (found := DFT_ITERATION.match(text)):
            self.iteration(now, counts=abs(self.energy_change) < SETTLED_HARTREE)
            self.energy_change = float(found.group(1).replace("D", "E"))

    def iteration(self, now, counts):
        if counts and self.build_seconds is not None:
            self.full[self.module].append(self.build_seconds)
        self.build_seconds = None
        self.last_event = now


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    counter = Counter()
    timed_lines.follow(sys.argv[1], counter.line)
    for module, seconds in counter.full.items():
        if seconds:
            print(module, f"{min(seconds):.2f}")


if __name__ == "__main__":
    main()
