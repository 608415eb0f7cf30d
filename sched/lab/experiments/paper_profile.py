#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes durations of the tasks of a chain of Be atoms as Lifflander, Krishnamoorthy, Kale,
HPDC 2012, had them on Hopper, as far as they can be known: of HF-Be256 with tiles of 40
functions the paper gives the mean (48 s on 2,400 cores) and the longest (its 5.8 % above
3 s).

    paper_profile.py INPUT.xyz TILE PROFILE.csv|PROFILE.npy

INPUT is a chain in Bohr such as inputs/be512.xyz. A row of PROFILE is the number of a task among all
ordered quartets of tiles, as with --symmetry none, and its seconds; a .npy has the seconds alone.

A task (IJ|KL) goes through the function pairs of IJ, and for each that reaches the Schwarz threshold
with the largest bound of KL through all of KL; what passes the test with both bounds is an integral. So
its duration is taken as a x integrals + b x tests, both counted from the bounds of the input; the mean
and the longest of HF-Be256 are two equations for a and b, which other inputs and tiles share."""
import array
import bisect
import math
import sys

import experiment

THRESHOLD = 1e-6
PAPER_TILE = 40
FAR = 40.0  # Bohr: the product of the most diffuse functions is below 1e-20 there
PAPER_MEAN_S, PAPER_LONGEST_S = 115200 / 213144, 3.17


def read_exponents():
    """Exponents of the uncontracted s functions of each element of be15s."""
    exponents, element = {}, None
    for line in (experiment.ROOT / "basis/data/be15s.gbs").read_text().splitlines():
        words = line.split()
        if len(words) != 2 or line.startswith("!"):
            continue
        if words[1] == "0":
            element = exponents.setdefault(words[0], [])
        else:
            element.append(float(words[0]))
    return exponents


def read_tiles(path, tile):
    """Tiles of (exponent, position) of the functions of a chain."""
    exponents, functions = read_exponents(), []
    with open(path, encoding="utf-8") as file:
        for symbol, *position in (line.split() for line in file.readlines()[2:]):
            functions += [(exponent, tuple(map(float, position))) for exponent in exponents[symbol]]
    return [functions[i:i + tile] for i in range(0, len(functions), tile)]


def bounds_of(bra, ket):
    """sqrt (ab|ab) of the function pairs of two tiles, in ascending order."""
    bounds = []
    for a, at in bra:
        for b, at_b in ket:
            p, distance2 = a + b, sum((x - y) ** 2 for x, y in zip(at, at_b))
            normed = (4 * a * b / math.pi ** 2) ** 0.75 * math.exp(-a * b / p * distance2)
            bounds.append(normed * math.sqrt(2 * math.pi ** 2.5 / (p * p * math.sqrt(2 * p))))
    return tuple(sorted(bounds))


def find_pairs(tiles):
    """(I, J) of tiles I >= J by their bounds: pairs at like places of the chain are one entry."""
    pairs = {}
    ends = [(min(at[0] for _, at in tile), max(at[0] for _, at in tile)) for tile in tiles]
    for i, bra in enumerate(tiles):
        for j in range(i, -1, -1):
            if ends[i][0] - ends[j][1] > FAR:
                break
            pairs.setdefault(bounds_of(bra, tiles[j]), []).append((i, j))
    return pairs


def count_work(bra, ket):
    """Integrals and tests of a task."""
    integrals = tests = 0
    for bound in reversed(bra):
        if bound * ket[-1] < THRESHOLD:
            break
        integrals += len(ket) - bisect.bisect_left(ket, THRESHOLD, key=lambda other: bound * other)
        tests += len(ket)
    return integrals, tests


def list_work(pairs):
    """(integrals, tests, bras, kets) of all tasks that are not null: each pair of ordered tiles of bras
    with each of kets is a task."""
    ordered = {bounds: {pair for i, j in places for pair in ((i, j), (j, i))} for bounds, places in pairs.items()}
    return [(*count_work(bra, ket), ordered[bra], ordered[ket]) for bra in pairs for ket in pairs
            if bra[-1] * ket[-1] >= THRESHOLD]


def fit(work):
    """Seconds of an integral and of a test. The longest task depends on them, and they on it: iterates
    from the task with most integrals."""
    n_tasks = sum(len(bras) * len(kets) for _, _, bras, kets in work)
    mean = [sum(entry[kind] * len(entry[2]) * len(entry[3]) for entry in work) / n_tasks for kind in (0, 1)]
    longest, before = max(work, key=lambda entry: entry[0]), None
    while longest is not before:
        determinant = mean[0] * longest[1] - mean[1] * longest[0]
        costs = ((PAPER_MEAN_S * longest[1] - PAPER_LONGEST_S * mean[1]) / determinant,
                 (PAPER_LONGEST_S * mean[0] - PAPER_MEAN_S * longest[0]) / determinant)
        before = longest
        for entry in work:
            if seconds(costs, entry) > seconds(costs, longest) * (1 + 1e-12):
                longest = entry
    return costs


def seconds(costs, entry):
    return costs[0] * entry[0] + costs[1] * entry[1]


def write_npy(path, tasks):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(tasks)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        array.array("d", (time for _, time in tasks)).tofile(file)


def write(molecule, tile, path):
    """Writes the profile; returns a line on it."""
    costs = fit(list_work(find_pairs(read_tiles(experiment.ROOT / "inputs/be256.xyz", PAPER_TILE))))
    tiles = read_tiles(molecule, tile)
    n_tiles, tasks = len(tiles), []
    for entry in list_work(find_pairs(tiles)):
        time = seconds(costs, entry)
        kets = [k * n_tiles + l for k, l in entry[3]]
        for i, j in entry[2]:
            first = (i * n_tiles + j) * n_tiles ** 2
            tasks += [(first + ket, time) for ket in kets]
    tasks.sort()
    if str(path).endswith(".npy"):
        write_npy(path, tasks)
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write("task,seconds\n" + "".join(f"{task},{time:.9g}\n" for task, time in tasks))
    times = [time for _, time in tasks]
    return (f"{len(tasks)} tasks, integrals of {1e6 * costs[0]:.2f} us, tests of {1e6 * costs[1]:.2f} us: "
            f"mean {math.fsum(times) / len(times):.4f} s, longest {max(times):.3f} s")


if __name__ == "__main__":
    if len(sys.argv) != 4 or not sys.argv[2].isdigit() or int(sys.argv[2]) < 1:
        sys.exit("Usage: paper_profile.py INPUT.xyz TILE PROFILE.csv|PROFILE.npy")
    print(write(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
