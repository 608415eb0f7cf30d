# SPDX-License-Identifier: BSD-3-Clause
"""Direct Fock builds of NWChem from the orbitals of a checkpoint of Beryl."""
import os
import subprocess
import time

import bench
import orbitals

PROGRAM = "nwchem.openmpi"  # of Debian's nwchem-openmpi

# No iteration follows the build of the orbitals' density: they are converged by far.
SCF = """scf
 direct
 tol2e {0:.6e}
 thresh 1e-3
 maxiter 1
 vectors input {1}.in output {1}.out
 print "screening statistics"
end
task scf energy ignore
"""
# Diagonalises the Fock matrix of the orbitals, so that their energies and the new orbitals are it.
DFT = """dft
 direct
 xc HFexch
 iterations 1
 tolerances tight accCoul {0}
 convergence energy 1e-3 nolevelshifting nodiis nodamping
 vectors input {1}.in output {1}.{0}
 print "screening statistics"
end
task dft energy ignore
"""


class NWChem:
    def __init__(self, path, name):
        self.name = os.path.join(bench.RUNS, name)
        self.checkpoint = orbitals.Checkpoint(path)
        orbitals.write_movecs(self.checkpoint, self.name + ".in")

    def lines(self, processes, tasks):
        """(seconds, line) of a run's output as it comes."""
        with open(self.name + ".nw", "w", encoding="ascii") as file:
            file.write(f"start {os.path.basename(self.name)}\nmemory total 1500 mb\n" +
                       orbitals.nwchem_geometry(self.checkpoint) +
                       orbitals.nwchem_basis(self.checkpoint) + tasks)
        command = bench.mpirun(processes, [PROGRAM, self.name + ".nw"])
        with subprocess.Popen(command, cwd=bench.RUNS, env=bench.environment(), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process, \
                open(self.name + ".nwout", "w", encoding="utf-8") as log:
            for line in process.stdout:
                log.write(line)
                yield time.monotonic(), line

    def build(self, processes, tol2e):
        """Seconds of a build and the two-electron energy: the first build of the SCF module, after
        which it has converged."""
        start = seconds = energy = None
        n_builds = 0
        for now, line in self.lines(processes, SCF.format(tol2e, self.name)):
            if "Final Fock-matrix accuracy" in line:
                start = now
            elif "Direct Fock builds =" in line:
                n_builds += 1
                seconds = seconds or now - start
            elif "Two-electron energy" in line:
                energy = float(line.split()[-1])
        if n_builds != 1:
            raise RuntimeError(f"{n_builds} builds of NWChem instead of 1: {self.name}.nwout")
        return {"seconds": seconds, "two_electron_energy": energy}

    def errors(self, processes, digits, reference=14):
        """Largest error of an element of F for tol2e = 10^-digits. The DFT module with exact
        exchange alone makes the same build as the SCF module."""
        tasks = "".join(DFT.format(n, self.name) for n in [reference, *digits])
        for _ in self.lines(processes, tasks):
            pass
        exact, *others = [orbitals.fock_of_movecs(f"{self.name}.{n}")
                          for n in [reference, *digits]]
        return {10.0 ** -n: float(abs(F - exact).max()) for n, F in zip(digits, others)}
