#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Basis-set files are read as a short reader of its own reads them.

    test_basis_files.py BASIS_NUMBERS FILE...
    test_basis_files.py BASIS_NUMBERS --installed

Compares forms, core potentials, shells and sums of their numbers of every element, and which elements
are refused, with the lines that basis_numbers.c prints. --installed: all files of the Debian packages
psi4-data and nwchem-data; skipped (status 77) where one of them is not installed.
"""
import glob
import os
import re
import subprocess
import sys

ELEMENTS = """Bq H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga
Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb
Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es
Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og""".split()
LETTERS = "SPDFGHIKLMNOQRTUV"
PACKAGES = {"psi4-data": "/usr/share/psi4/basis", "nwchem-data": "/usr/share/nwchem/libraries"}


class Entry:
    def __init__(self):
        self.form, self.potential, self.shells, self.flawed = "unstated", False, [], False


def number(text):
    return float(re.sub("[dD]", "e", text))


def angular_momenta(word):
    word = word.upper()
    if word in ("SP", "L", "SPD"):
        return [0, 1, 2] if word == "SPD" else [0, 1]
    return [int(word[2:])] if word[:2] == "L=" else [LETTERS.index(word)]


def add_shell(entry, kind, rows, scale=1.0):
    """Adds the contractions of a shell; bad input is an exception or a flaw."""
    table = [[number(word) for word in row] for row in rows]
    n_columns = len(table[0]) - 1
    momenta = angular_momenta(kind)
    momenta *= n_columns if len(momenta) == 1 else 1
    entry.flawed |= len(momenta) != n_columns or any(len(row) != n_columns + 1 for row in table)
    for k, momentum in enumerate(momenta):
        column = [row[1 + k] for row in table]
        entry.flawed |= momentum > 5 or not any(column)
        entry.shells.append((momentum, len(table), sum(p * (row[0] * (scale * scale)) for p, row in enumerate(table, 1)),
                             sum(p * c for p, c in enumerate(column, 1))))


def element_of(word):
    name = word.lstrip("-").capitalize()
    if re.fullmatch("Uu[nubtqphso]", name):
        return ELEMENTS[110 + "nubtqphso".index(name[2])]
    return name if name in ELEMENTS else None


def read_gaussian94(lines):
    """Blocks between a line "O 0" and stars or the next such line."""
    elements, stated, outside, i = {}, "unstated", [], 0
    while i < len(lines):
        words = lines[i]
        i += 1
        if len(words) == 1 and words[0].lower() in ("spherical", "cartesian"):
            stated = words[0].lower()
        if len(words) != 2 or words[1] != "0" or not element_of(words[0]):
            outside.append(words)
            continue
        end = i
        while end < len(lines) and lines[end] != ["****"] and lines[end][1:] != ["0"]:
            end += 1
        block, i = lines[i:end], end
        entry = elements.setdefault(element_of(words[0]), Entry())
        if block and block[0][0].upper().endswith("-ECP"):
            entry.potential = True
            continue
        entry.flawed |= bool(entry.shells) or not block or end == len(lines) or lines[end] != ["****"]
        try:
            while block:
                n, scale = int(block[0][1]), number((block[0] + ["1"])[2])
                add_shell(entry, block[0][0], block[1:1 + n], scale)
                entry.flawed |= any(len(row) != len(angular_momenta(block[0][0])) + 1 for row in block[1:1 + n])
                block = block[1 + n:]
        except (ValueError, IndexError):
            entry.flawed = True
    for words in outside:
        if element_of(words[0]) and len(words) == 1:
            elements.setdefault(element_of(words[0]), Entry()).flawed = True
    for entry in elements.values():
        entry.form = stated
    return elements


def add_section(elements, form, shells):
    """Adds the shells (element, type, rows) of a section "basis"."""
    earlier = {name for name, entry in elements.items() if entry.shells}
    for name, kind, rows in shells:
        if not name:
            continue
        entry = elements.setdefault(name, Entry())
        entry.form = form
        entry.flawed |= name in earlier
        try:
            add_shell(entry, kind, rows)
        except (ValueError, IndexError):
            entry.flawed = True


def first_with_potential(name):
    """The lightest element of a set of core potentials in NWChem's library; without it, of def2-ecp."""
    try:
        with open(f"{PACKAGES['nwchem-data']}/{name}", encoding="latin-1") as file:
            return min(ELEMENTS.index(element_of(words[0])) for words in map(str.split, file)
                       if words[1:2] == ["nelec"] and element_of(words[0]))
    except FileNotFoundError:
        return ELEMENTS.index("Rb")


def read_nwchem(lines):
    """Sections "basis ... end" and "ecp ... end"."""
    elements, section, form, shells, first = {}, "", "", [], len(ELEMENTS)
    for words in lines:
        keyword, element = words[0].lower(), element_of(words[0])
        if keyword in ("basis", "ecp"):
            section, shells = keyword, []
            form = "spherical" if "spherical" in map(str.lower, words) else "cartesian"
        elif keyword == "associated_ecp":
            first = min(first, first_with_potential(words[1].strip('"')))
        elif keyword == "end":
            add_section(elements, form, shells)
            section, shells = "", []
        elif section == "ecp" and element:
            elements.setdefault(element, Entry()).potential = True
        elif section == "basis" and words[0][0].isalpha():
            shells.append((element, words[1], []))
        elif section == "basis":
            shells[-1][2].append(words)
    for name, entry in elements.items():
        entry.potential |= ELEMENTS.index(name) >= first
    return elements


def read(path):
    with open(path, encoding="latin-1") as file:
        lines = [re.split("[!#]", line)[0].split() for line in file]
    lines = [words for words in lines if words]
    if any(len(words) == 2 and words[1] == "0" and element_of(words[0]) for words in lines):
        return read_gaussian94(lines)
    if any(words[0].lower() in ("basis", "ecp") for words in lines):
        return read_nwchem(lines)
    return {}


def differences(path, elements, printed):
    """Sentences about what the two readers disagree on."""
    for name in sorted(set(elements) | set(printed)):
        entry, got = elements.get(name), printed.get(name)
        if not entry or not got:
            yield f"{path}: {name} is read by one reader only"
            continue
        form, potential, shells = got[:3]
        if shells == "REFUSED":
            if entry.shells and not entry.flawed:
                yield f"{path}: {name} is refused: {got[3]}"
            continue
        found = [tuple(float(word) for word in shell.split(":")) for shell in shells.split()]
        if entry.flawed or found != entry.shells:
            yield f"{path}: the shells of {name} differ"
        if form != entry.form or (potential == "1") != entry.potential:
            yield f"{path}: form or core potential of {name} differ"


def installed_files():
    for package, folder in PACKAGES.items():
        if not os.path.isdir(folder):
            print(f"skipped: {folder} is missing: apt-get install {package}")
            sys.exit(77)
    return sorted(glob.glob(PACKAGES["psi4-data"] + "/*.gbs") +
                  [path for path in glob.glob(PACKAGES["nwchem-data"] + "/*") if os.path.isfile(path)])


def main():
    program, files = sys.argv[1], sys.argv[2:]
    if files == ["--installed"]:
        files = installed_files()
    result = subprocess.run([program], input="\n".join(files) + "\n", stdout=subprocess.PIPE,
                            encoding="utf-8", errors="replace", check=True)
    printed = {path: {} for path in files}
    for line in result.stdout.splitlines():
        path, name, *rest = line.split("\t")
        if name != "REFUSED":
            printed[path][name] = rest
    failures = [text for path in files for text in differences(path, read(path), printed[path])]
    n_read = sum(rest[2] != "REFUSED" for names in printed.values() for rest in names.values())
    n_all = sum(len(names) for names in printed.values())
    print("\n".join(failures[:20] + [f"{len(files)} files, {n_read} of {n_all} elements with functions, "
                                     f"{len(failures)} differences"]))
    sys.exit(1 if failures or n_read == 0 else 0)


if __name__ == "__main__":
    main()
