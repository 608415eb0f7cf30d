#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints how many occupied (o) and virtual (v) orbitals fit on how many processes, by the program's own
estimate (`--dry-run`), for chains of helium atoms: one occupied orbital each, and four virtual ones in
cc-pVDZ, 13 in cc-pVTZ.

    largest_inputs.py BERYL_TCE [GIGABYTES [METHOD...]]

GIGABYTES (4) of each process; METHODs ccsd and ccsd_t. One process is asked: where its memory is too little, it
says how many would do with as much each.
"""

import os
import re
import subprocess
import sys
import tempfile

PROCESSES = [1, 2, 16, 256]
VIRTUALS = {"cc-pvdz": 4, "cc-pvtz": 13}  # of an atom
MOST_ATOMS = 400


def processes_needed(program, method, basis, n_atoms, megabytes, folder):
    """0: the estimate says that no number is enough."""
    path = os.path.join(folder, "chain.xyz")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{n_atoms}\n\n" + "".join(f"He 0 0 {3 * i}\n" for i in range(n_atoms)))
    done = subprocess.run([program, method, path, "--basis", basis, "--dry-run", "--memory",
                           str(megabytes)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return 1
    found = re.search(r"(\d+) processes with as much each would do", done.stderr)
    if "MB are available" not in done.stderr:
        raise SystemExit(done.stderr)
    return int(found[1]) if found else 0


def largest_chain(needed, n_processes):
    """The largest number of atoms for which so many processes are enough."""
    least, most = 0, MOST_ATOMS + 1
    while most - least > 1:
        middle = (least + most) // 2
        if 0 < needed(middle) <= n_processes:
            least = middle
        else:
            most = middle
    return least


def main():
    program = sys.argv[1]
    gigabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 4
    print(f"Processes of {gigabytes:g} GB: o, v that fit\n")
    print("| method | basis | " + " | ".join(str(n) for n in PROCESSES) + " |")
    print("| --- | --- |" + " ---: |" * len(PROCESSES))
    with tempfile.TemporaryDirectory() as folder:
        for method in sys.argv[3:] or ["ccsd", "ccsd_t"]:
            for basis, n_virtual in VIRTUALS.items():
                known = {}

                def needed(n):
                    if n not in known:
                        known[n] = processes_needed(program, method, basis, n,
                                                    int(1000 * gigabytes), folder)
                    return known[n]

                chains = [largest_chain(needed, n) for n in PROCESSES]
                cells = [f"{n}, {n_virtual * n}" for n in chains]
                print(f"| {method} | {basis} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
