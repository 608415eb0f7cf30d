#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the basis-set files of this folder from the data of two packages.

    python3 basis/data/import.py [--nwchem DIR] [--psi4 DIR] [--out DIR]
        [--check | --differences]

--nwchem DIR   NWChem's library (default /usr/share/nwchem/libraries, Debian nwchem-data)
--psi4 DIR     Psi4's basis folder (default /usr/share/psi4/basis, Debian psi4-data)
--out DIR      where the .gbs files are (default: the folder of this script)
--check        write nothing; fail if a file differs from what the packages give
--differences  write nothing; print what the two packages disagree about

An element that both packages hold is taken from Psi4, whose values are nowhere
older; an element that only one holds is taken from that one. Psi4 lacks some sets. Numbers are
copied digit by digit. Elements made for an effective core potential keep the
potential, behind the last basis block, as Psi4 has it. Standard library only.
"""
import argparse
import os
import re
import subprocess
import sys
import textwrap

ELEMENTS = """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn
Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm
Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn""".split()
SHELL_TYPES = ("S", "P", "D", "F", "G", "H", "I")

# References: (elements, citation), shared by sets that are built on one another.
POPLE_631 = [
    ("H", "R. Ditchfield, W.J. Hehre, J.A. Pople, J. Chem. Phys. 54, 724 (1971)"),
    ("C-F", "W.J. Hehre, R. Ditchfield, J.A. Pople, J. Chem. Phys. 56, 2257 (1972)"),
    ("Li, B", "J.D. Dill, J.A. Pople, J. Chem. Phys. 62, 2921 (1975)"),
    ("Be", "J.S. Binkley, J.A. Pople, J. Chem. Phys. 66, 879 (1977)"),
    ("He, Ne", "unpublished, from the program Gaussian"),
    ("Na-Ar", "M.M. Francl, W.J. Pietro, W.J. Hehre, J.S. Binkley, M.S. Gordon, D.J. DeFrees, "
              "J.A. Pople, J. Chem. Phys. 77, 3654 (1982)"),
    ("K-Zn", "V.A. Rassolov, J.A. Pople, M.A. Ratner, T.L. Windus, J. Chem. Phys. 109, 1223 (1998)"),
]
POPLE_631_GA_KR = [
    ("Ga-Kr", "V.A. Rassolov, M.A. Ratner, J.A. Pople, P.C. Redfern, L.A. Curtiss, "
              "J. Comput. Chem. 22, 976 (2001)"),
]
POPLE_POLARISATION = [
    ("H-Ne", "polarisation: P.C. Hariharan, J.A. Pople, Theor. Chim. Acta 28, 213 (1973)"),
]
DUNNING = [
    ("H, B-Ne", "T.H. Dunning, J. Chem. Phys. 90, 1007 (1989)"),
    ("He", "D.E. Woon, T.H. Dunning, J. Chem. Phys. 100, 2975 (1994)"),
    ("Li, Be, Na, Mg", "B.P. Prascher, D.E. Woon, K.A. Peterson, T.H. Dunning, A.K. Wilson, "
                       "Theor. Chem. Acc. 128, 69 (2011)"),
    ("Al-Ar", "D.E. Woon, T.H. Dunning, J. Chem. Phys. 98, 1358 (1993)"),
    ("Sc-Zn", "N.B. Balabanov, K.A. Peterson, J. Chem. Phys. 123, 064107 (2005); 125, 074110 (2006)"),
    ("Ga-Kr", "A.K. Wilson, D.E. Woon, K.A. Peterson, T.H. Dunning, J. Chem. Phys. 110, 7667 (1999)"),
]
DUNNING_CA = [("Ca", "J. Koput, K.A. Peterson, J. Phys. Chem. A 106, 9595 (2002)")]
DUNNING_DIFFUSE = [
    ("B-Ne", "diffuse: R.A. Kendall, T.H. Dunning, R.J. Harrison, J. Chem. Phys. 96, 6796 (1992)"),
]
DUNNING_CORE = [
    ("Li-Ne", "core: D.E. Woon, T.H. Dunning, J. Chem. Phys. 103, 4572 (1995)"),
    ("Al-Ar", "core: K.A. Peterson, T.H. Dunning, J. Chem. Phys. 117, 10548 (2002)"),
    ("Ca", "core: K.A. Peterson, unpublished"),
]
CORE_VALENCE = [row for row in DUNNING if row[0] not in ("Sc-Zn", "Ga-Kr")] + DUNNING_CA + DUNNING_CORE
POPLE_6311 = [
    ("H-Ne", "R. Krishnan, J.S. Binkley, R. Seeger, J.A. Pople, J. Chem. Phys. 72, 650 (1980)"),
    ("Na-Ar", "A.D. McLean, G.S. Chandler, J. Chem. Phys. 72, 5639 (1980)"),
    ("K, Ca", "J.-P. Blaudeau, M.P. McGrath, L.A. Curtiss, L. Radom, J. Chem. Phys. 107, 5016 (1997)"),
    ("Ga-Kr", "L.A. Curtiss, M.P. McGrath, J.-P. Blaudeau, N.E. Davis, R.C. Binning, L. Radom, "
              "J. Chem. Phys. 103, 6104 (1995)"),
]
POPLE_DIFFUSE = "diffuse: T. Clark, J. Chandrasekhar, G.W. Spitznagel, P.v.R. Schleyer, " \
                "J. Comput. Chem. 4, 294 (1983), as extended by the sources"
JENSEN = [
    ("H, C-F", "F. Jensen, J. Chem. Phys. 115, 9113 (2001); 116, 7372 (2002)"),
    ("Si-Cl", "F. Jensen, T. Helgaker, J. Chem. Phys. 121, 3463 (2004)"),
    ("He-B, Ne-Al, Ar", "F. Jensen, J. Phys. Chem. A 111, 11198 (2007)"),
    ("K, Ca, Ga-Kr", "F. Jensen, J. Chem. Phys. 136, 094110 (2012)"),
    ("Sc-Zn", "F. Jensen, J. Chem. Phys. 138, 014107 (2013)"),
]
AHLRICHS_DIFFUSE = [
    ("H-Rn", "diffuse: D. Rappoport, F. Furche, J. Chem. Phys. 133, 134105 (2010)"),
]
AHLRICHS = [
    ("H-Rn", "F. Weigend, R. Ahlrichs, Phys. Chem. Chem. Phys. 7, 3297 (2005)"),
    ("Rb, Cs", "potential: T. Leininger, A. Nicklass, W. Kuechle, H. Stoll, M. Dolg, A. Bergner, "
               "Chem. Phys. Lett. 255, 274 (1996)"),
    ("Sr, Ba", "potential: M. Kaupp, P.v.R. Schleyer, H. Stoll, H. Preuss, J. Chem. Phys. 94, 1360 (1991)"),
    ("Y-Cd, Hf-Hg", "potential: D. Andrae, U. Haeussermann, M. Dolg, H. Stoll, H. Preuss, "
                    "Theor. Chim. Acta 77, 123 (1990)"),
    ("La", "potential: M. Dolg, H. Stoll, A. Savin, H. Preuss, Theor. Chim. Acta 75, 173 (1989)"),
    ("In-Sb, Tl-Bi", "potential: B. Metz, H. Stoll, M. Dolg, J. Chem. Phys. 113, 2563 (2000)"),
    ("Te-Xe, Po-Rn", "potential: K.A. Peterson, D. Figgen, E. Goll, H. Stoll, M. Dolg, "
                     "J. Chem. Phys. 119, 11113 (2003)"),
]

# (file stem, name of the set, also its tag in NWChem's file, file stems in NWChem and Psi4 or
#  None, form, references)
SETS = [
    ("sto-3g", "STO-3G", "sto-3g", "sto-3g", "spherical", [
        ("H-Ne", "W.J. Hehre, R.F. Stewart, J.A. Pople, J. Chem. Phys. 51, 2657 (1969)"),
        ("Na-Ar", "W.J. Hehre, R. Ditchfield, R.F. Stewart, J.A. Pople, J. Chem. Phys. 52, 2769 (1970)"),
        ("K, Ca, Ga-Kr", "W.J. Pietro, B.A. Levy, W.J. Hehre, R.F. Stewart, Inorg. Chem. 19, 2225 (1980)"),
        ("Rb, Sr, In-I", "W.J. Pietro, E.S. Blurock, R.F. Hout, W.J. Hehre, D.J. DeFrees, R.F. Stewart, "
                         "Inorg. Chem. 20, 3650 (1981)"),
        ("Sc-Zn, Y-Cd", "W.J. Pietro, W.J. Hehre, J. Comput. Chem. 4, 241 (1983)")]),
    ("3-21g", "3-21G", "3-21g", "3-21g", "cartesian", [
        ("H-Ne", "J.S. Binkley, J.A. Pople, W.J. Hehre, J. Am. Chem. Soc. 102, 939 (1980)"),
        ("Na-Ar", "M.S. Gordon, J.S. Binkley, J.A. Pople, W.J. Pietro, W.J. Hehre, "
                  "J. Am. Chem. Soc. 104, 2797 (1982)"),
        ("K, Ca, Ga-Sr, In-Xe", "K.D. Dobbs, W.J. Hehre, J. Comput. Chem. 7, 359 (1986)"),
        ("Sc-Zn", "K.D. Dobbs, W.J. Hehre, J. Comput. Chem. 8, 861 (1987)"),
        ("Y-Cd", "K.D. Dobbs, W.J. Hehre, J. Comput. Chem. 8, 880 (1987)"),
        ("Cs", "E.D. Glendening, D. Feller, J. Phys. Chem. 99, 3060 (1995)")]),
    ("6-31g", "6-31G", "6-31g", "6-31g", "cartesian", POPLE_631 + POPLE_631_GA_KR),
    ("6-31gs", "6-31G*", "6-31gs", "6-31gs", "cartesian",
     POPLE_631 + POPLE_631_GA_KR + POPLE_POLARISATION),
    ("6-31gss", "6-31G**", "6-31gss", "6-31gss", "cartesian",
     POPLE_631 + POPLE_631_GA_KR + POPLE_POLARISATION),
    ("6-31+gs", "6-31+G*", "6-31+gs", "6-31pgs", "cartesian",
     POPLE_631 + POPLE_POLARISATION + [("Li-Ca", POPLE_DIFFUSE)]),
    ("6-31++gss", "6-31++G**", "6-31++gss", "6-31ppgss", "cartesian",
     POPLE_631 + POPLE_POLARISATION + [("H, Li-Ca", POPLE_DIFFUSE)]),
    ("6-311gss", "6-311G**", "6-311gss", "6-311gss", "spherical", POPLE_6311 + [
        ("I", "M.N. Glukhovtsev, A. Pross, M.P. McGrath, L. Radom, J. Chem. Phys. 103, 1878 (1995), "
              "all-electron set")]),
    ("6-311++gss", "6-311++G**", "6-311++gss", "6-311ppgss", "spherical",
     POPLE_6311[:-1] + [("H, Li-Ca", POPLE_DIFFUSE)]),
    ("cc-pvdz", "cc-pVDZ", "cc-pvdz", "cc-pvdz", "spherical", DUNNING + DUNNING_CA),
    ("cc-pvtz", "cc-pVTZ", "cc-pvtz", "cc-pvtz", "spherical", DUNNING + DUNNING_CA),
    ("cc-pvqz", "cc-pVQZ", "cc-pvqz", "cc-pvqz", "spherical", DUNNING + DUNNING_CA),
    ("cc-pv5z", "cc-pV5Z", "cc-pv5z", "cc-pv5z", "spherical", DUNNING + DUNNING_CA),
    ("cc-pcvdz", "cc-pCVDZ", "cc-pcvdz", "cc-pcvdz", "spherical", CORE_VALENCE),
    ("cc-pcvtz", "cc-pCVTZ", "cc-pcvtz", "cc-pcvtz", "spherical", CORE_VALENCE),
    ("aug-cc-pvdz", "aug-cc-pVDZ", "aug-cc-pvdz", "aug-cc-pvdz", "spherical", DUNNING + DUNNING_DIFFUSE),
    ("aug-cc-pvtz", "aug-cc-pVTZ", "aug-cc-pvtz", "aug-cc-pvtz", "spherical", DUNNING + DUNNING_DIFFUSE),
    ("aug-cc-pvqz", "aug-cc-pVQZ", "aug-cc-pvqz", "aug-cc-pvqz", "spherical", DUNNING + DUNNING_DIFFUSE),
    ("pc-1", "pc-1", "pc-1", None, "spherical", JENSEN),
    ("pc-2", "pc-2", "pc-2", None, "spherical", JENSEN),
    ("def2-svp", "Def2-SVP", "def2-svp", "def2-svp", "spherical", AHLRICHS),
    ("def2-tzvp", "Def2-TZVP", "def2-tzvp", "def2-tzvp", "spherical", AHLRICHS),
    ("def2-tzvpp", "Def2-TZVPP", "def2-tzvpp", "def2-tzvpp", "spherical", AHLRICHS),
    ("def2-qzvp", "Def2-QZVP", "def2-qzvp", "def2-qzvp", "spherical", AHLRICHS),
    ("def2-svpd", "Def2-SVPD", "def2-svpd", "def2-svpd", "spherical", AHLRICHS + AHLRICHS_DIFFUSE),
    ("def2-tzvpd", "Def2-TZVPD", "def2-tzvpd", "def2-tzvpd", "spherical", AHLRICHS + AHLRICHS_DIFFUSE),
]

BE15S = """\
! be15s: the set of the beryllium-chain benchmark: nine uncontracted s functions
! on every Be and one on each of the six ghost centres Bq that follow it.
! References
!   J. Lifflander, S. Krishnamoorthy, L.V. Kale, Work stealing and persistence-based load
!     balancers for iterative overdecomposed applications, HPDC 2012; the functions are those
!     of the SCF example program of Global Arrays.
spherical
****
Be     0
{nucleus}
****
Bq     0
{ghost}
****
"""
BE15S_NUCLEUS = ("1741.0", "262.1", "60.33", "17.62", "5.933", "2.185", "0.859", "0.1806", "0.05835")
BE15S_GHOST = ("0.3",)


# ---- reading -----------------------------------------------------------------
# A set is a dictionary: element -> list of shells; a shell is (type, rows), a row the
# strings of an exponent and one or more coefficients.

def read_nwchem(path, tag):
    """The shells of all `basis "Element_tag"` groups of an NWChem library file."""
    elements, wanted = {}, False
    for line in open(path, encoding="latin-1"):
        words = line.split("#")[0].split()
        if not words:
            continue
        keyword = words[0].lower()
        if keyword == "basis":
            wanted = words[1].strip('"').split("_", 1)[1] == tag
        elif keyword == "end":
            wanted = False
        elif wanted and words[0][0].isalpha():
            shells = elements.setdefault(words[0].capitalize(), [])
            shells.append((words[1].upper(), []))
        elif wanted:
            shells[-1][1].append(words)
    return elements


def read_psi4(path):
    """(shells of all elements, lines of all potentials) of a Gaussian94 file."""
    elements, potentials = {}, {}
    lines = [line.split("!")[0].rstrip() for line in open(path, encoding="latin-1")]
    i, element = 0, None
    while i < len(lines):
        words = lines[i].split()
        i += 1
        if len(words) == 2 and words[1] == "0":
            element = words[0].capitalize()
        elif len(words) == 3 and words[0].upper().endswith("-ECP"):
            start, n_terms = i - 2, int(words[1]) + 1
            for _ in range(n_terms):  # a title, a count, and so many rows
                i += 2 + int(lines[i + 1])
            potentials[element] = lines[start:i]
        elif len(words) == 3 and words[0].upper() in SHELL_TYPES + ("SP",):
            if float(words[2]) != 1.0:
                sys.exit(f"{path}: line {i}: a scale factor that is not 1")
            n_rows = int(words[1])
            rows = [line.split() for line in lines[i:i + n_rows]]
            if n_rows == 1 and len(rows[0]) == 1:  # a coefficient of 1 may be left out
                rows[0].append("1.0")
            elements.setdefault(element, []).append((words[0].upper(), rows))
            i += n_rows
        elif " Basis set for " in lines[i - 1]:  # a title
            continue
        elif words and words[0] not in ("****", "spherical", "cartesian"):
            sys.exit(f"{path}: line {i}: not understood")
    return elements, potentials


def nwchem_potentials(path):
    """element -> terms of its potential, (part, power, exponent, coefficient), and its core electrons."""
    potentials, wanted = {}, []
    for words in (line.split("#")[0].split() for line in open(path, encoding="latin-1")):
        if len(words) == 3 and words[1].lower() == "nelec":
            potentials[words[0].capitalize()] = wanted = [words[2]]
        elif len(words) == 2 and words[0].capitalize() in ELEMENTS:
            part = words[1].upper()
        elif len(words) == 3 and wanted:
            wanted.append((part, *map(number, words)))
    return {element: (terms[0], sorted(terms[1:])) for element, terms in potentials.items()}


def psi4_potential(lines):
    """The same of the lines of a potential."""
    _, n_parts, core = lines[1].split()
    terms, i = [], 2
    for part in range(int(n_parts) + 1):
        n_rows = int(lines[i + 1])
        terms += [("UL" if part == 0 else SHELL_TYPES[part - 1], *map(number, line.split()))
                  for line in lines[i + 2:i + 2 + n_rows]]
        i += 2 + n_rows
    return core, sorted(terms)


# ---- comparing ---------------------------------------------------------------

def number(text):
    return float(re.sub("[dD]", "E", text))


def functions(shells):
    """Angular momentum letter -> list of contracted functions {exponent: coefficient}."""
    by_type = {}
    for shell_type, rows in shells:
        n_columns = len(rows[0]) - 1
        types = "SP" if shell_type == "SP" else shell_type * n_columns
        for column, letter in enumerate(types, start=1):
            function = {number(row[0]): number(row[column]) for row in rows}
            by_type.setdefault(letter, []).append({a: c for a, c in function.items() if c != 0})
    return by_type


def same_span(left, right):
    """Whether two lists of functions span the same space of primitives, to 1e-8."""
    exponents = sorted({a for f in left + right for a in f}, reverse=True)

    def orthonormal(vectors):
        kept = []
        for f in vectors:
            v = [f.get(a, 0.0) for a in exponents]
            size = sum(x * x for x in v) ** 0.5
            for _ in range(2):  # twice is enough against rounding
                for u in kept:
                    overlap = sum(x * y for x, y in zip(u, v))
                    v = [x - overlap * y for x, y in zip(v, u)]
            rest = sum(x * x for x in v) ** 0.5
            if rest > 1e-8 * size:
                kept.append([x / rest for x in v])
        return kept

    n_left, n_right = len(orthonormal(left)), len(orthonormal(right))
    return n_left == n_right == len(orthonormal(left + right))


def differences(nwchem, psi4):
    """Yields (element, angular momentum, functions only NWChem has, only Psi4 has)."""
    for element in ELEMENTS:
        if element not in nwchem or element not in psi4:
            continue
        left, right = functions(nwchem[element]), functions(psi4[element])
        for letter in SHELL_TYPES:
            a, b = left.get(letter, []), right.get(letter, [])
            if not same_span(a, b):
                yield element, letter, [f for f in a if f not in b], [f for f in b if f not in a]


# ---- writing -----------------------------------------------------------------

def element_ranges(symbols):
    """["H", "He", "Li", "O"] -> "H-Li, O"."""
    runs = []
    for number_ in sorted(ELEMENTS.index(symbol) for symbol in symbols):
        if runs and runs[-1][1] == number_ - 1:
            runs[-1][1] = number_
        else:
            runs.append([number_, number_])
    return ", ".join(ELEMENTS[a] if a == b else f"{ELEMENTS[a]}-{ELEMENTS[b]}" for a, b in runs)


def package_version(package):
    try:
        return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True,
                              capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "of unknown version"


def split_general(shells):
    """General contractions, which Gaussian94 files lack, as shells of their own."""
    for shell_type, rows in shells:
        if shell_type == "SP" or len(rows[0]) == 2:
            yield shell_type, rows
        else:
            for column in range(1, len(rows[0])):
                yield shell_type, [(row[0], row[column]) for row in rows]


def shell_lines(shells):
    lines = []
    for shell_type, rows in split_general(shells):
        lines.append(f"{shell_type:<4s}{len(rows):4d}   1.00")
        lines += ["".join(f"{word:>24s}" for word in row) for row in rows]
    return lines


def set_text(name, form, references, chosen, potentials, from_nwchem):
    lines = [f"! {name}", f"! Elements: {element_ranges(chosen)}"]
    if potentials:
        lines.append(f"! For use with an effective core potential: {element_ranges(potentials)}")
    from_psi4 = [e for e in chosen if e not in from_nwchem]
    nwchem = f"NWChem's basis library, Debian nwchem-data {package_version('nwchem-data')}"
    if from_psi4:
        lines.append(f"! Source: Psi4's basis library, Debian psi4-data {package_version('psi4-data')}: "
                     f"{element_ranges(from_psi4)}")
        nwchem = ("and " if from_nwchem else "compared with ") + nwchem.replace(" basis library", "")
    lines.append((f"!   {nwchem}" if from_psi4 else f"! Source: {nwchem}")
                 + (f": {element_ranges(from_nwchem)}" if from_nwchem else ""))
    lines.append("! Licence: numbers as published; the Basis Set Exchange, which both libraries copy, is under the")
    lines.append("!   BSD 3-clause licence")
    lines.append("! References")
    for elements, citation in references:
        lines += textwrap.wrap(f"{elements}: {citation}", 96, initial_indent="!   ",
                               subsequent_indent="!     ")
    lines += [form, "****"]
    for element in sorted(chosen, key=ELEMENTS.index):
        lines += [f"{element:<6s} 0"] + shell_lines(chosen[element]) + ["****"]
    for element in sorted(potentials, key=ELEMENTS.index):
        lines += potentials[element]
    return "\n".join(lines) + "\n"


def be15s_text():
    nucleus, ghost = ("\n".join(shell_lines([("S", [(a, "1.0")]) for a in exponents]))
                      for exponents in (BE15S_NUCLEUS, BE15S_GHOST))
    return BE15S.format(nucleus=nucleus, ghost=ghost)


def all_sets(nwchem_folder, psi4_folder):
    """Yields (file stem, text, differences) for every set."""
    for stem, name, nwchem_stem, psi4_stem, form, references in SETS:
        nwchem = read_nwchem(os.path.join(nwchem_folder, nwchem_stem), name)
        psi4, potentials = {}, {}
        if psi4_stem:
            psi4, potentials = read_psi4(os.path.join(psi4_folder, psi4_stem + ".gbs"))
        from_nwchem = [element for element in nwchem if element not in psi4]
        chosen = {**psi4, **{element: nwchem[element] for element in from_nwchem}}
        if not set(potentials) <= set(chosen):
            sys.exit(f"{name}: a potential without orbital functions")
        other = nwchem_potentials(os.path.join(nwchem_folder, "def2-ecp")) if potentials else {}
        different = [e for e in potentials if e in other and psi4_potential(potentials[e]) != other[e]]
        if different:
            sys.exit(f"{name}: the packages have different potentials of {element_ranges(different)}")
        yield (stem, set_text(name, form, references, chosen, potentials, from_nwchem),
               list(differences(nwchem, psi4)))
    yield "be15s", be15s_text(), []


def print_differences(stem, rows):
    def text(fs):
        return "; ".join(" ".join(f"{a:g}:{c:g}" for a, c in sorted(f.items(), reverse=True))
                         for f in fs) or "none"
    for element, letter, nwchem, psi4 in rows:
        print(f"{stem} {element} {letter}\n  NWChem {text(nwchem)}\n  Psi4   {text(psi4)}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Makes the basis-set files of this folder.")
    parser.add_argument("--nwchem", default="/usr/share/nwchem/libraries")
    parser.add_argument("--psi4", default="/usr/share/psi4/basis")
    parser.add_argument("--out", default=here)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--differences", action="store_true")
    options = parser.parse_args()
    stale = []
    for stem, text, rows in all_sets(options.nwchem, options.psi4):
        path = os.path.join(options.out, stem + ".gbs")
        if options.differences:
            print_differences(stem, rows)
        elif not options.check:
            with open(path, "w", encoding="ascii") as f:
                f.write(text)
        elif not os.path.exists(path) or open(path, encoding="ascii").read() != text:
            stale.append(stem + ".gbs")
    if stale:
        sys.exit("differ from what the packages give: " + " ".join(stale))


if __name__ == "__main__":
    main()
