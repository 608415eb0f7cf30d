#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the molecules of this folder, reproducibly, from the rules below.

    python3 inputs/make_inputs.py [--out DIR] [--check]

--out DIR  where to write (default: the folder of this script)
--check    write nothing; fail if a file in DIR is not what the rules give

Every molecule is checked before it is written: no two atoms closer than their
bonds allow, no bond missing, an even number of electrons. Standard library
only. Angstrom unless the comment line of a file says units=bohr.
"""
import argparse
import math
import os
import re
import sys

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../basis/input/molecule.h")) as header:
    BOHR_IN_ANGSTROM = float(re.search(r"BOHR_IN_ANGSTROM ([0-9.]+)", header.read())[1])
CHARGE = {"Bq": 0, "H": 1, "Be": 4, "C": 6, "N": 7, "O": 8}
# Covalent radii in Angstrom (Cordero et al., Dalton Trans. 2008, 2832).
RADIUS = {"H": 0.31, "Be": 0.96, "C": 0.73, "N": 0.71, "O": 0.66}


# ---- vectors -----------------------------------------------------------------

def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def scale(s, a):
    return tuple(s * x for x in a)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return scale(1 / math.sqrt(dot(a, a)), a)


def distance(a, b):
    return math.sqrt(dot(sub(a, b), sub(a, b)))


def place(a, b, c, length, angle, dihedral):
    """The point d with |cd| = length, angle(b,c,d) and dihedral(a,b,c,d) in degrees."""
    theta, phi = math.radians(angle), math.radians(dihedral)
    along = unit(sub(c, b))
    normal = unit(cross(sub(b, a), along))
    across = cross(normal, along)
    step = add(scale(-math.cos(theta), along),
               add(scale(math.sin(theta) * math.cos(phi), across),
                   scale(math.sin(theta) * math.sin(phi), normal)))
    return add(c, scale(length, step))


def in_plane_hydrogen(left, centre, right, length):
    """A hydrogen on a planar centre with two neighbours: opposite to their bisector."""
    bisector = unit(add(unit(sub(left, centre)), unit(sub(right, centre))))
    return sub(centre, scale(length, bisector))


def methylene_hydrogens(left, centre, right, length, hch):
    """The two hydrogens of a CH2: in the plane through the outward bisector of the
    two neighbours that is normal to theirs, at the angle hch to each other."""
    u, v = unit(sub(left, centre)), unit(sub(right, centre))
    outward, normal = scale(-1, unit(add(u, v))), unit(cross(u, v))
    half = math.radians(hch / 2)
    return [add(centre, scale(length, add(scale(math.cos(half), outward),
                                          scale(sign * math.sin(half), normal))))
            for sign in (1, -1)]


# ---- the molecules -----------------------------------------------------------

def be_chain(n_atoms):
    """Be at x = 0, 4, 8, ... Bohr; after each its six ghost centres, displaced by
    +1.6 and -1.6 Bohr along x, then y, then z (Lifflander et al., HPDC 2012)."""
    atoms = []
    for i in range(n_atoms):
        centre = (4.0 * i, 0.0, 0.0)
        atoms.append(("Be", centre))
        for axis in range(3):
            for shift in (1.6, -1.6):
                displaced = list(centre)
                displaced[axis] += shift
                atoms.append(("Bq", tuple(displaced)))
    return atoms


def water():
    """O-H 0.9572, H-O-H 104.52 degrees, in a general orientation."""
    return [("O", (0.0, 0.0, 0.0)),
            ("H", (0.60006148, 0.36055331, 0.65280883)),
            ("H", (0.28018495, 0.39311176, -0.82655392))]


def ethylene(cc=1.339, ch=1.086, hcc=121.2):
    """Planar, D2h, in the xy plane, the C=C bond on x."""
    x, y = cc / 2 - ch * math.cos(math.radians(hcc)), ch * math.sin(math.radians(hcc))
    return ([("C", (sign * cc / 2, 0.0, 0.0)) for sign in (1, -1)] +
            [("H", (sign * x, side * y, 0.0)) for sign in (1, -1) for side in (1, -1)])


def benzene():
    """D6h: C at 1.397 and H at 2.481 from the centre."""
    return [(symbol, (radius * math.cos(math.radians(60 * k)),
                      radius * math.sin(math.radians(60 * k)), 0.0))
            for symbol, radius in (("C", 1.397), ("H", 2.481)) for k in range(6)]


def hexagonal_flake(n_rings, cc=1.42, ch=1.09):
    """C(6n^2)H(6n): the honeycomb sites of all hexagons whose centre is fewer than n
    hexagons away from the middle one; n = 2 is coronene, n = 4 circumcircumcoronene.
    Every carbon with two neighbours carries a hydrogen on their outward bisector."""
    carbons = {}
    for p in range(-n_rings + 1, n_rings):
        for q in range(-n_rings + 1, n_rings):
            if abs(p + q) >= n_rings:
                continue
            x, y = cc * math.sqrt(3) * (p + q / 2), cc * 1.5 * q
            for k in range(6):
                site = (x + cc * math.cos(math.radians(30 + 60 * k)),
                        y + cc * math.sin(math.radians(30 + 60 * k)), 0.0)
                carbons.setdefault((round(site[0], 6) + 0.0, round(site[1], 6) + 0.0), site)
    # From the middle outwards, each ring counter-clockwise: a stable order.
    sites = sorted(carbons.values(), key=lambda s: (round(math.hypot(s[0], s[1]), 6),
                                                    round(math.atan2(s[1], s[0]), 6)))
    hydrogens = []
    for site in sites:
        near = [other for other in sites if 0.1 < distance(site, other) < 1.1 * cc]
        if len(near) == 2:
            hydrogens.append(in_plane_hydrogen(near[0], site, near[1], ch))
    return [("C", s) for s in sites] + [("H", s) for s in hydrogens]


def icosane(n_carbons=20, cc=1.53, ch=1.09, ccc=112.0, hch=107.0, cch=111.0):
    """All-anti CH3-(CH2)18-CH3: a zigzag in the xz plane, C-C 1.53, C-C-C 112 degrees,
    C-H 1.09, H-C-H 107 in CH2; the CH3 are staggered, C-C-H 111."""
    half = math.radians(ccc / 2)
    chain = [(cc * math.sin(half) * i, 0.0, cc * math.cos(half) * (i % 2))
             for i in range(n_carbons)]
    hydrogens = [place(chain[2], chain[1], chain[0], ch, cch, turn) for turn in (180, 60, -60)]
    for i in range(1, n_carbons - 1):
        hydrogens += methylene_hydrogens(chain[i - 1], chain[i], chain[i + 1], ch, hch)
    hydrogens += [place(chain[-3], chain[-2], chain[-1], ch, cch, turn) for turn in (180, 60, -60)]
    return [("C", c) for c in chain] + [("H", h) for h in hydrogens]


def water_prism(oo=2.80, oh=0.9572, hoh=104.52):
    """(H2O)10, two stacked rings of five. The oxygens are a regular pentagonal prism of
    edge 2.80. Every molecule gives one hydrogen to the next oxygen of its ring, the lower
    ring counter-clockwise, the upper clockwise. Lower ring: the other hydrogen goes to the
    oxygen above; the molecule lies in the plane of its two bonds, each bent by the same
    7.26 degrees. Upper ring: the first hydrogen lies on the line between the oxygens, the
    other one is free and points outward and up."""
    radius = oo / (2 * math.sin(math.radians(36)))
    oxygen = [[(radius * math.cos(math.radians(72 * k)), radius * math.sin(math.radians(72 * k)),
                level * oo) for k in range(5)] for level in (0, 1)]
    up, angle = (0.0, 0.0, 1.0), math.radians(hoh)
    bend = (angle - math.radians(90)) / 2
    atoms = []
    for k in range(5):
        o = oxygen[0][k]
        along = unit(sub(oxygen[0][(k + 1) % 5], o))
        for near, far in ((along, up), (up, along)):
            h = sub(scale(math.cos(bend), near), scale(math.sin(bend), far))
            atoms += [("O", o)] * (near is along) + [("H", add(o, scale(oh, h)))]
    for k in range(5):
        o = oxygen[1][k]
        along = unit(sub(oxygen[1][(k - 1) % 5], o))
        outward_up = add(unit((o[0], o[1], 0.0)), up)
        across = unit(sub(outward_up, scale(dot(outward_up, along), along)))
        free = add(scale(math.cos(angle), along), scale(math.sin(angle), across))
        atoms += [("O", o), ("H", add(o, scale(oh, along))), ("H", add(o, scale(oh, free)))]
    return atoms


def polyglycine_helix(n_residues=22, phi=-57.0, psi=-47.0):
    """CH3-CO-(NH-CH2-CO)n-NH-CH3, right-handed alpha helix, phi -57, psi -47, omega 180.
    Backbone (Engh and Huber, Acta Cryst. A47 (1991) 392, glycine, rounded): N-CA 1.451,
    CA-C 1.516, C-N 1.329, C-O 1.231; N-CA-C 112.5, CA-C-N 116.4, C-N-CA 120.6 degrees.
    O and the amide H lie on the outward bisectors of their planar centres, N-H 1.01;
    C-H 1.09, H-C-H 108 in CH2; the end CH3 have one H anti to the chain, angle 109.5.
    The CH3 carbons take the places of CA of residues 0 and n+1."""
    n_ca, ca_c, c_n, c_o, n_h, c_h = 1.451, 1.516, 1.329, 1.231, 1.01, 1.09
    at_ca, at_c, at_n = 112.5, 116.4, 120.6
    ca = [(0.0, 0.0, 0.0)]
    c = [(ca_c, 0.0, 0.0)]
    n = [None, (ca_c - c_n * math.cos(math.radians(at_c)), c_n * math.sin(math.radians(at_c)), 0.0)]
    for i in range(1, n_residues + 1):
        ca.append(place(ca[i - 1], c[i - 1], n[i], n_ca, at_n, 180.0))
        c.append(place(c[i - 1], n[i], ca[i], ca_c, at_ca, phi))
        n.append(place(n[i], ca[i], c[i], c_n, at_c, psi))
    ca.append(place(ca[-1], c[-1], n[-1], n_ca, at_n, 180.0))

    atoms = [("C", ca[0])]
    atoms += [("H", place(n[1], c[0], ca[0], c_h, 109.5, turn)) for turn in (180, 60, -60)]
    for i in range(n_residues + 1):
        if i > 0:
            atoms += [("N", n[i]), ("H", in_plane_hydrogen(c[i - 1], n[i], ca[i], n_h)),
                      ("C", ca[i])]
            atoms += [("H", h) for h in methylene_hydrogens(n[i], ca[i], c[i], c_h, 108.0)]
        atoms += [("C", c[i]), ("O", in_plane_hydrogen(ca[i], c[i], n[i + 1], c_o))]
    atoms += [("N", n[-1]), ("H", in_plane_hydrogen(c[-1], n[-1], ca[-1], n_h)), ("C", ca[-1])]
    atoms += [("H", place(c[-1], n[-1], ca[-1], c_h, 109.5, turn)) for turn in (180, 60, -60)]
    return atoms


# ---- checks and files --------------------------------------------------------

def check_molecule(name, atoms, unit_in_angstrom, bonded):
    """Stops unless the geometry is sane. bonded: every atom has a covalent bond, and no two
    atoms are closer than 85 % of a single bond, or, unbonded, than 1.5 Angstrom."""
    if sum(CHARGE[symbol] for symbol, _ in atoms) % 2:
        sys.exit(f"{name}: an odd number of electrons")
    real = [(symbol, scale(unit_in_angstrom, r)) for symbol, r in atoms if symbol != "Bq"]
    n_bonds = [0] * len(real)
    for i, (a, r) in enumerate(real):
        for j, (b, s) in enumerate(real[:i]):
            bond, d = RADIUS[a] + RADIUS[b], distance(r, s)
            is_bond = d < 1.25 * bond
            if d < 0.85 * bond or (not is_bond and d < 1.5):
                sys.exit(f"{name}: atoms {j + 1} and {i + 1} are {d:.3f} Angstrom apart")
            n_bonds[i] += is_bond
            n_bonds[j] += is_bond
    wanted = {"H": (1, 1), "O": (1, 2), "N": (3, 3), "C": (3, 4), "Be": (0, 0)}
    for i, (symbol, _) in enumerate(real):
        low, high = wanted[symbol]
        if bonded and not low <= n_bonds[i] <= high:
            sys.exit(f"{name}: atom {i + 1} ({symbol}) has {n_bonds[i]} bonds")


def xyz_text(comment, atoms, digits):
    lines = [str(len(atoms)), comment]
    for symbol, r in atoms:
        # + 0.0 turns a rounded -0.0 into 0.0.
        x, y, z = (round(v, digits) + 0.0 for v in r)
        lines.append(f"{symbol:2s} {x:14.{digits}f} {y:14.{digits}f} {z:14.{digits}f}")
    return "\n".join(lines) + "\n"


def original_text(atoms):
    """The form of the original Be benchmark: N, a blank line, then Z x y z in Bohr."""
    nuclei = [r for symbol, r in atoms if symbol == "Be"]
    lines = [str(len(nuclei)), ""] + [f"4 {x:.1f} {y:.1f} {z:.1f}" for x, y, z in nuclei]
    return "\n".join(lines) + "\n"


def all_files():
    """Yields (file name, text) of every file of the folder."""
    for n_atoms in (4, 16, 64, 256, 512):
        atoms = be_chain(n_atoms)
        check_molecule(f"be{n_atoms}", atoms, BOHR_IN_ANGSTROM, bonded=False)
        comment = f"units=bohr Be chain, {n_atoms} atoms, spacing 4.0, six ghost centres after each"
        yield f"be{n_atoms}.xyz", xyz_text(comment, atoms, 4)
    yield "be16_original.xyz", original_text(be_chain(16))
    for name, atoms, comment in (
            ("water", water(), "water, O-H 0.9572, H-O-H 104.52 degrees"),
            ("c2h4", ethylene(), "ethylene, D2h, C-C 1.339, C-H 1.086, H-C-C 121.2 degrees"),
            ("benzene", benzene(), "benzene, D6h, C-C 1.397, C-H 1.084"),
            ("water10", water_prism(), "(H2O)10, pentagonal prism, O-O 2.80"),
            ("c24h12", hexagonal_flake(2), "coronene C24H12, C-C 1.42, C-H 1.09"),
            ("c96h24", hexagonal_flake(4), "circumcircumcoronene C96H24, C-C 1.42, C-H 1.09"),
            ("c20h42", icosane(), "icosane C20H42, all anti"),
            ("gly22", polyglycine_helix(), "CH3-CO-(gly)22-NH-CH3, alpha helix")):
        check_molecule(name, atoms, 1.0, bonded=True)
        yield f"{name}.xyz", xyz_text(comment, atoms, 8)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Writes the molecules of this folder.")
    parser.add_argument("--out", default=here, help="folder to write to (default: this one)")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    differing = []
    for name, text in all_files():
        path = os.path.join(options.out, name)
        if not options.check:
            with open(path, "w") as f:
                f.write(text)
        elif not os.path.exists(path) or open(path).read() != text:
            differing.append(name)
    if differing:
        sys.exit("not what the rules give: " + " ".join(differing))


if __name__ == "__main__":
    main()
