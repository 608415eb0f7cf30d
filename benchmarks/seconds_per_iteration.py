#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds per coupled-cluster iteration, from a program's output as it appears.

    program ... | seconds_per_iteration.py LOG    -> lines "KIND SECONDS ENERGY"

KIND is tce or ccsd for NWChem's modules (which must flush every line:
GFORTRAN_UNBUFFERED_PRECONNECTED=y), beryl for beryl-tce. Each prints a line at
the end of an iteration; SECONDS is the median of the times between two such
lines that follow each other, so that extrapolation counts, and the first
iteration, whose beginning is not seen, does not. ENERGY is the correlation
energy of the last line, which says whether all did the same. LOG receives the
output, each line with the seconds since the start. Standard library only.
"""
import re
import statistics
import sys

import timed_lines

ITERATION = {
    # Iter, residuum, correlation energy, cpu, wall, ...
    "tce": re.compile(r"^\s+\d+\s+\d+\.\d{13}\s+(-?\d+\.\d{13})\s"),
    # iter, correlation energy, delta, rms error, three times; SCF's lines have one
    "ccsd": re.compile(r"^\s+\d+\s+(-?\d+\.\d{10})\s+\S+D\S+\s+\S+D\S+(?:\s+\d+\.\d\d){3}\s*$"),
    # iter, correlation energy, change, amplitudes' change, seconds, GFLOP/s
    "beryl": re.compile(r"^\s*\d+\s+(-?\d+\.\d{10})\s+\S+e\S+\s+\S+e\S+\s+\d+\.\d{3}\s+\d+\.\d\d$"),
}


class Iterations:
    def __init__(self):
        self.kind = self.last = self.energy = None
        self.seconds = {}

    def line(self, text, now):
        found = [(kind, match) for kind, pattern in ITERATION.items()
                 if (match := pattern.match(text))]
        if not found:
            return
        (kind, match), = found
        if kind == self.kind:
            self.seconds.setdefault(kind, []).append(now - self.last)
        self.kind, self.last, self.energy = kind, now, match.group(1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    iterations = Iterations()
    timed_lines.follow(sys.argv[1], iterations.line)
    for kind, seconds in iterations.seconds.items():
        print(kind, f"{statistics.median(seconds):.4f}", iterations.energy)


if __name__ == "__main__":
    main()
