#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads files FCIDUMP and compares what follows from them alone with results of beryl-tce.

    check_fcidump.py FILE RESULT.json [FROZEN]

FILE is of a run of MP2 with the result RESULT.json: its Hartree-Fock and MP2 energies must agree with
the result. FROZEN is the file of the same run with --frozen-core: its one-electron integrals and
its constant must equal FILE's with the mean field of the core.
"""

import json
import re
import sys

TOLERANCE = 1e-8  # hartree


class Dump:
    """A file: header, and for spin orbitals from 0, alpha ones even and beta ones odd, h and g."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            text = file.read()
        assert text.startswith("&FCI\n"), "&FCI is alone on its line"
        header, body = text.split("&END\n")
        fields = dict(re.findall(r"(\w+)=([^=\n]+),\n", header))
        self.unrestricted = {".TRUE.": True, ".FALSE.": False}[fields["UHF"]]  # Psi4 reads no file without
        self.n, self.n_electrons = int(fields["NORB"]), int(fields["NELEC"])
        self.ms2 = int(fields["MS2"])
        assert [int(label) for label in fields["ORBSYM"].split(",")] == [1] * self.n
        assert fields["ISYM"] == "1"
        self.two, self.one, self.energies, self.constant = {}, {}, {}, None
        for line in body.splitlines():
            self.read_line(line)
        assert self.constant is not None and len(self.energies) == self.n

    def read_line(self, line):
        value, *numbers = line.split()
        assert re.fullmatch(r"-?\d\.\d{16}E[+-]\d\d+", value), line
        i, j, k, l = (int(number) - 1 for number in numbers)
        assert self.constant is None, "the constant is last"
        if k >= 0:
            assert not self.one and abs(float(value)) >= 1e-15
            self.add(self.two, self.key(i, j, k, l), value)
        elif j >= 0:
            assert not self.energies and i >= j
            self.add(self.one, (i, j), value)
        elif i >= 0:
            self.add(self.energies, i, value)
        else:
            self.constant = float(value)

    @staticmethod
    def add(table, key, value):
        assert key not in table, f"{key} is there twice"
        table[key] = float(value)

    @staticmethod
    def key(i, j, k, l):
        bra, ket = (max(i, j), min(i, j)), (max(k, l), min(k, l))
        return max(bra, ket) + min(bra, ket)

    # The spatial orbital of spin orbital p.

    def place(self, p):
        return p if self.unrestricted else p // 2

    def g(self, p, q, r, s):
        """(pq|rs)"""
        if p % 2 != q % 2 or r % 2 != s % 2:
            return 0
        return self.two.get(self.key(*(self.place(x) for x in (p, q, r, s))), 0)

    def h(self, p, q):
        key = max(self.place(p), self.place(q)), min(self.place(p), self.place(q))
        return self.one.get(key, 0) if p % 2 == q % 2 else 0

    def e(self, p):
        return self.energies[self.place(p)]

    def spin_orbitals(self):
        """Occupied ones, virtual ones."""
        n_alpha = (self.n_electrons + self.ms2) // 2
        n_occupied = n_alpha, self.n_electrons - n_alpha
        every = range(self.n if self.unrestricted else 2 * self.n)
        occupied = [p for p in every if p // 2 < n_occupied[p % 2]]
        return occupied, [p for p in every if p not in occupied]

    def one_electron_energy(self):
        return sum(self.h(i, i) for i in self.spin_orbitals()[0])

    def scf_energy(self):
        occupied, _ = self.spin_orbitals()
        repulsion = sum(self.g(i, i, j, j) - self.g(i, j, j, i) for i in occupied for j in occupied)
        return self.constant + self.one_electron_energy() + repulsion / 2

    def mp2_energy(self):
        occupied, virtual = self.spin_orbitals()
        energy = 0
        for n, i in enumerate(occupied):
            for j in occupied[:n]:
                for m, a in enumerate(virtual):
                    for b in virtual[:m]:
                        integral = self.g(i, a, j, b) - self.g(i, b, j, a)
                        energy += integral**2 / (self.e(i) + self.e(j) - self.e(a) - self.e(b))
        return energy


def close(what, value, expected):
    assert abs(value - expected) < TOLERANCE, f"{what}: {value!r}, not {expected!r}"


def check_result(dump, result):
    properties = result["properties"]
    close("Hartree-Fock energy", dump.scf_energy(), properties["scf_total_energy"])
    close("MP2 energy", dump.mp2_energy(), properties["mp2_correlation_energy"])
    if result["extras"]["beryl"]["frozen_orbitals"] == 0:
        close("constant", dump.constant, properties["nuclear_repulsion_energy"])
        close("one-electron energy", dump.one_electron_energy(),
              properties["scf_one_electron_energy"])


def check_frozen(dump, frozen):
    """The core orbitals, the first ones of dump, as spin orbitals."""
    per_orbital = 1 if dump.unrestricted else 2
    first = per_orbital * (dump.n - frozen.n)
    core = range(first)
    assert dump.n_electrons - frozen.n_electrons == first and dump.ms2 == frozen.ms2
    energy = sum(dump.h(c, c) for c in core) + sum(
        dump.g(c, c, d, d) - dump.g(c, d, d, c) for c in core for d in core) / 2
    close("constant with the core", frozen.constant, dump.constant + energy)
    n = per_orbital * frozen.n
    for p in range(n):
        for q in range(p % 2, p + 1, 2):
            P, Q = p + first, q + first
            field = sum(dump.g(P, Q, c, c) - dump.g(P, c, c, Q) for c in core)
            close(f"h({p}, {q}) with the core", frozen.h(p, q), dump.h(P, Q) + field)


def main():
    dump = Dump(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        check_result(dump, json.load(file))
    if len(sys.argv) > 3:
        check_frozen(dump, Dump(sys.argv[3]))


if __name__ == "__main__":
    main()
