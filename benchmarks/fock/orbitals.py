# SPDX-License-Identifier: BSD-3-Clause
"""Molecule, basis and orbitals of a checkpoint of Beryl, and the same as NWChem takes and leaves
them, so that programs build F from one density of one file. Needs h5py and numpy."""
import struct

import h5py
import numpy

LETTERS = "SPDFGH"


def orders_of_m(l):
    """The functions of a shell as NWChem has them, -l ... l, but p as x, y, z; and as psi4 and
    TREXIO have them, 0, 1, -1, ..."""
    ours = [1, -1, 0] if l == 1 else list(range(-l, l + 1))
    return ours, sorted(ours, key=lambda m: (abs(m), -m))


class Checkpoint:
    """shells: for each centre a list of (l, ((exponent, coefficient of the normalised primitive),
    ...)); functions: (l, m) of each in NWChem's order; coefficients: one orbital a row in that
    order, psi4_coefficients: in psi4's; occupied: number of doubly occupied orbitals."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            cartesian = bool(file["ao"].attrs["ao_cartesian"])
            data = {f"{group}/{name}": file[group][name][()]
                    for group in ("nucleus", "basis", "ao", "mo") for name in file[group]}
        self.labels = [label.decode() for label in data["nucleus/nucleus_label"]]
        self.charges = data["nucleus/nucleus_charge"]
        self.coordinates = data["nucleus/nucleus_coord"]  # Bohr
        shell_l = data["basis/basis_shell_ang_mom"]
        self.shells = [[] for _ in self.labels]
        for shell, l in enumerate(shell_l):
            of_shell = data["basis/basis_shell_index"] == shell
            primitives = tuple(zip(data["basis/basis_exponent"][of_shell],
                                   data["basis/basis_coefficient"][of_shell]))
            self.shells[data["basis/basis_nucleus_index"][shell]].append((int(l), primitives))
        if cartesian and max(shell_l) > 1:
            raise ValueError(f"{path}: Cartesian d functions are not taken to other programs")
        order, psi4_order, first = [], [], 0
        self.functions = []
        for l in map(int, shell_l):
            ours, psi4 = orders_of_m(l)
            in_file = ours if cartesian else psi4
            order += [first + in_file.index(m) for m in ours]
            psi4_order += [first + in_file.index(m) for m in psi4]
            self.functions += [(l, m) for m in ours]
            first += 2 * l + 1
        self.coefficients = data["mo/mo_coefficient"][:, order]
        self.psi4_coefficients = data["mo/mo_coefficient"][:, psi4_order]
        self.energies = data["mo/mo_energy"]
        self.occupied = int(round(data["mo/mo_occupation"].sum() / 2))


def nwchem_tags(checkpoint):
    """NWChem wants an element of ghost centres, too."""
    return [label if charge else "bqBe"
            for label, charge in zip(checkpoint.labels, checkpoint.charges)]


def nwchem_geometry(checkpoint):
    rows = [f" {tag:5s}" + "".join(f" {x:20.12f}" for x in position)
            for tag, position in zip(nwchem_tags(checkpoint), checkpoint.coordinates)]
    return "geometry units bohr noautosym nocenter noautoz\n" + "\n".join(rows) + "\nend\n"


def contraction_blocks(shells):
    """Neighbouring shells of one set of exponents: contractions of one l, or an s and a p shell."""
    blocks = []
    for l, primitives in shells:
        exponents = tuple(exponent for exponent, _ in primitives)
        column = [coefficient for _, coefficient in primitives]
        last = blocks[-1] if blocks else None
        if last and last["exponents"] == exponents and (
                all(l == other for other in last["l"]) or last["l"] == [0] and l == 1):
            last["l"].append(l)
            last["columns"].append(column)
        else:
            blocks.append({"l": [l], "exponents": exponents, "columns": [column]})
    return blocks


def nwchem_basis(checkpoint):
    """With general contractions and SP shells, as in NWChem's own library."""
    text = "basis spherical\n"
    for tag, shells in dict(zip(nwchem_tags(checkpoint), checkpoint.shells)).items():
        for block in contraction_blocks(shells):
            name = "SP" if block["l"] == [0, 1] else LETTERS[block["l"][0]]
            text += f" {tag} {name}\n"
            for row in zip(block["exponents"], *block["columns"]):
                text += "  " + " ".join(f"{number:.15e}" for number in row) + "\n"
    return text + "end\n"


def record(content):
    """As Fortran writes it unformatted."""
    return struct.pack("<i", len(content)) + content + struct.pack("<i", len(content))


def write_movecs(checkpoint, path):
    """NWChem's file of molecular orbitals, those that are missing (linear dependence) left out."""
    n_orbitals, n_functions = checkpoint.coefficients.shape
    occupations = numpy.zeros(n_functions)
    occupations[:checkpoint.occupied] = 2
    energies = numpy.zeros(n_functions)
    energies[:n_orbitals] = checkpoint.energies
    parts = [b" " * 142, b"scf".ljust(20), struct.pack("<q", 1), b" ", struct.pack("<q", 8),
             b"ao basis", struct.pack("<q", 1), struct.pack("<q", n_functions),
             struct.pack("<q", n_orbitals), occupations.tobytes(), energies.tobytes()]
    # NWChem has the other sign of the functions of odd m > 0 from d on.
    signs = [-1 if l > 1 and m > 0 and m % 2 == 1 else 1 for l, m in checkpoint.functions]
    parts += [(orbital * signs).tobytes() for orbital in checkpoint.coefficients]
    parts += [struct.pack("<dd", 0, 0)]
    with open(path, "wb") as file:
        file.write(b"".join(record(part) for part in parts))


def fock_of_movecs(path):
    """F = C^-T e C^-1, of all orbitals C and their energies e."""
    with open(path, "rb") as file:
        data = file.read()
    parts, at = [], 0
    while at < len(data):
        size, = struct.unpack_from("<i", data, at)
        parts.append(data[at + 4:at + 4 + size])
        at += size + 8
    n_functions, = struct.unpack("<q", parts[7])
    energies = numpy.frombuffer(parts[10])
    C = numpy.array([numpy.frombuffer(part) for part in parts[11:11 + n_functions]])
    inverse = numpy.linalg.inv(C)
    return inverse @ numpy.diag(energies) @ inverse.T
