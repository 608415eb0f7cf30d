#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads files FCIDUMP and compares what follows from them alone with results of beryl-tce.

    check_fcidump.py FILE RESULT.json [FROZEN]

FILE is of a run of MP2 with the result RESULT.json: its Hartree-Fock and MP2 energies must agree with
the result. FROZEN is the file of the same run with --frozen-core and the result FROZEN.json: its one-electron
integrals and its constant must equal FILE's with the mean field of the core.
"""

import itertools
import json
import re
import sys

import numpy as np

TOLERANCE = 1e-8  # hartree


class Dump:
    """A file: for spin orbitals, alpha ones even and beta ones odd, one-electron integrals h, (pq|rs) g and
    energies e; and which are occupied."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            text = file.read()
        assert text.startswith("&FCI\n"), "&FCI is alone on its line"
        header, body = text.split("&END\n")
        fields = dict(re.findall(r"(\w+)=([^=\n]+),\n", header))
        unrestricted = {".TRUE.": True, ".FALSE.": False}[fields["UHF"]]  # Psi4 reads no file without
        n, self.n_electrons, self.ms2 = (int(fields[key]) for key in ("NORB", "NELEC", "MS2"))
        assert fields["ISYM"] == "1" and fields["ORBSYM"].split(",") == ["1"] * n
        lines = [line.split() for line in body.splitlines()]
        assert all(re.fullmatch(r"-?\d\.\d{16}E[+-]\d\d+", value) for value, *_ in lines)
        values = {tuple(int(number) - 1 for number in numbers): float(value) for value, *numbers in lines}
        assert len(values) == len(lines), "an integral is there twice"
        # Integrals of two electrons, of one, energies and the constant follow one another.
        kinds = [sum(number >= 0 for number in key) for key in values]
        assert kinds == sorted(kinds, reverse=True) and kinds.count(1) == n and kinds.count(0) == 1
        self.constant = values.pop((-1,) * 4)
        self.is_open = not unrestricted and self.ms2 > 0  # orbitals of ROHF
        self.n = n if unrestricted else 2 * n
        self.e, self.h = np.zeros(self.n), np.zeros((self.n,) * 2)
        self.g = np.zeros((self.n,) * 4)
        places = [[p] if unrestricted else [2 * p, 2 * p + 1] for p in range(n)]
        for (i, j, k, l), value in values.items():
            if k >= 0:
                assert abs(value) >= 1e-15
                assert len(set(self.images(i, j, k, l)) & values.keys()) == 1, "an integral is there twice"
            else:
                assert i >= j
            for p, q, r, s in self.images(i, j, k, l) if k >= 0 else [(i, j, k, l), (j, i, k, l)]:
                if k >= 0:
                    for a, b in itertools.product(range(len(places[p])), repeat=2):
                        self.g[places[p][a], places[q][a], places[r][b], places[s][b]] = value
                elif j >= 0:
                    self.h[places[p], places[q]] = value
                elif p >= 0:
                    self.e[places[p]] = value
        n_alpha = (self.n_electrons + self.ms2) // 2
        self.occupied = [p for p in range(self.n) if p // 2 < (n_alpha, self.n_electrons - n_alpha)[p % 2]]
        self.virtual = [p for p in range(self.n) if p not in self.occupied]
        spins = np.arange(self.n) % 2
        same = spins[:, None] == spins
        self.h, self.g = self.h * same, self.g * same[:, :, None, None] * same

    @staticmethod
    def images(i, j, k, l):
        return [(i, j, k, l), (j, i, k, l), (i, j, l, k), (j, i, l, k),
                (k, l, i, j), (l, k, i, j), (k, l, j, i), (l, k, j, i)]

    def field(self, orbitals):
        """The mean field of these spin orbitals."""
        g = self.g[:, :, orbitals][:, :, :, orbitals]
        return np.einsum("pqii->pq", g) - np.einsum("piiq->pq", self.g[:, orbitals][:, :, orbitals])

    def energy(self, orbitals):
        """One-electron energy, and all energy, of these spin orbitals."""
        one, field = np.diag(self.h)[orbitals].sum(), np.diag(self.field(orbitals))[orbitals].sum()
        return one, one + field / 2

    def mp2_energy(self):
        """Over orbitals that diagonalise F among occupied and among virtual ones; with single excitations."""
        F, g = self.h + self.field(self.occupied), self.g
        (e_o, o), (e_v, v) = (self.diagonalise(F, space) for space in (self.occupied, self.virtual))
        singles = (o.T @ F @ v)**2 / (e_o[:, None] - e_v)
        g = np.einsum("pqrs,pi,qa,rj,sb->iajb", g, o, v, o, v, optimize=True)
        gaps = e_o[:, None, None, None] - e_v[:, None, None] + e_o[:, None] - e_v
        return singles.sum() + ((g - g.transpose(0, 3, 2, 1))**2 / gaps).sum() / 4

    def diagonalise(self, F, space):
        energies, rotation = np.linalg.eigh(F[np.ix_(space, space)])
        vectors = np.zeros((self.n, len(space)))
        vectors[space] = rotation
        return energies, vectors


def close(what, value, expected):
    assert np.max(abs(value - expected), initial=0) < TOLERANCE, f"{what}: {value!r}, not {expected!r}"


def check_result(dump, result):
    properties = result["properties"]
    one, energy = dump.energy(dump.occupied)
    close("Hartree-Fock energy", dump.constant + energy, properties["scf_total_energy"])
    frozen = result["extras"]["beryl"]["frozen_orbitals"]
    if not (dump.is_open and frozen):  # whose core of MP2 is one of semicanonical orbitals
        close("MP2 energy", dump.mp2_energy(), properties["mp2_correlation_energy"])
    if frozen == 0:
        close("constant", dump.constant, properties["nuclear_repulsion_energy"])
        close("one-electron energy", one, properties["scf_one_electron_energy"])


def check_frozen(dump, frozen, result):
    numbers = result["extras"]["beryl"]["frozen_orbital_numbers"]
    core = [2 * number - 2 + spin for spin in (0, 1) for number in numbers[spin % len(numbers)]]
    rest = [i for i in range(dump.n) if i not in core]
    assert dump.n_electrons - frozen.n_electrons == len(core) and dump.ms2 == frozen.ms2
    close("constant with the core", frozen.constant, dump.constant + dump.energy(core)[1])
    close("h with the core", frozen.h, (dump.h + dump.field(core))[np.ix_(rest, rest)])


def main():
    dump = Dump(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        check_result(dump, json.load(file))
    if len(sys.argv) > 3:
        with open(sys.argv[3] + ".json", encoding="utf-8") as file:
            check_frozen(dump, Dump(sys.argv[3]), json.load(file))


if __name__ == "__main__":
    main()
