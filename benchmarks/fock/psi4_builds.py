#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Direct builds of the two-electron Fock matrix by psi4, from orbitals of a checkpoint of Beryl.

    psi4_builds.py CHECKPOINT THREADS REFERENCE THRESHOLD ...   -> lines of JSON

A build at each threshold: its "seconds", its "two_electron_energy" and its largest "error" against
one at REFERENCE before them; REFERENCE 0: none. psi4's algorithm DIRECT selects by Schwarz bounds
alone and is never incremental here. Ghost centres are ghosts of He: all have the same functions, and He itself is not in the molecule.
"""
import json
import os
import sys
import tempfile
import time

import orbitals

LIBRARY = "/usr/lib/x86_64-linux-gnu"  # of Debian's psi4: not on Python's path


def basis_text(checkpoint, elements):
    """As psi4 reads it, Gaussian94 with one shell after another."""
    text = "spherical\n****\n"
    for element, shells in dict(zip(elements, checkpoint.shells)).items():
        text += f"{element} 0\n"
        for l, primitives in shells:
            text += f"{orbitals.LETTERS[l]} {len(primitives)} 1.00\n"
            text += "".join(f"  {a:.15e} {c:.15e}\n" for a, c in primitives)
        text += "****\n"
    return text


def molecule_text(checkpoint, elements):
    rows = [f"{'' if charge else '@'}{element} " + " ".join(f"{x:.12f}" for x in position)
            for element, charge, position in
            zip(elements, checkpoint.charges, checkpoint.coordinates)]
    return "\n".join(["units bohr", "symmetry c1", "no_reorient", "no_com"] + rows)


def main():
    path, threads, reference, *thresholds = sys.argv[1:]
    sys.path.append(LIBRARY)
    import numpy
    import psi4
    checkpoint = orbitals.Checkpoint(path)
    elements = [label if charge else "He"
                for label, charge in zip(checkpoint.labels, checkpoint.charges)]
    psi4.core.be_quiet()
    psi4.set_num_threads(int(threads))
    psi4.set_memory("2 GB")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "beryl.gbs"), "w", encoding="ascii") as file:
            file.write(basis_text(checkpoint, elements))
        os.environ["PSIPATH"] = folder
        molecule = psi4.geometry(molecule_text(checkpoint, elements))
        basis = psi4.core.BasisSet.build(molecule, "ORBITAL", "beryl")
    occupied = psi4.core.Matrix.from_array(
        numpy.ascontiguousarray(checkpoint.psi4_coefficients[:checkpoint.occupied].T))

    def build(threshold):
        jk = psi4.core.JK.build(basis, jk_type="DIRECT")
        jk.set_cutoff(threshold)
        jk.initialize()
        jk.C_left_add(occupied)
        start = time.monotonic()
        jk.compute()
        seconds = time.monotonic() - start
        fock = 2 * jk.J()[0].to_array() - jk.K()[0].to_array()
        jk.finalize()
        return seconds, fock

    exact = build(float(reference))[1] if float(reference) else None
    for threshold in map(float, thresholds):
        seconds, fock = build(threshold)
        result = {"threshold": threshold, "seconds": seconds}
        if exact is not None:
            result["error"] = float(abs(fock - exact).max())
        density = occupied.to_array() @ occupied.to_array().T
        result["two_electron_energy"] = float((fock * density).sum())
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
