#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""GFLOP/s of single contractions by beryl-tce, permutations included, and of DGEMM.

    tccg.py [--groups ccsd_t,...|all] [--files contractions.txt,odd_shapes.txt] [--rounds 1]
            [--processes 1,2] [--options "--sched static"] [--binaries build/release/bin] [--json FILE]
    tccg.py CONTRACTION SIZES ...   such as abc-acd-db a:312,b:296,c:296,d:312
    tccg.py --check                 values, of small sizes, against plain loops

The contractions are from the TCCG benchmark, with shapes of our own in odd_shapes.txt. Each is a program of
one statement over one space for each index, without `tile`; tensors are filled with random numbers. A run is
a pool with its communication. The first run, which touches all memory for the first time, is not timed. The
time is the best of three runs, over several rounds the median. Right before it DGEMM and a copy of memory are
timed on as many processes at once (bench_rates). Nothing else should run.

    of DGEMM  GFLOP/s over DGEMM's
    memory    the same if A, B and C moved once at the rate of the copy, and nothing were computed
    gain      of two processes over one; also of DGEMM or of the copy, the one that bounds the contraction there
    bytes     memory of all processes after the last run, shared pages counted once, over the tensors' memory
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, os.pardir, "fock"))
import bench  # noqa: E402

RUNS = os.path.join(bench.ROOT, "build", "benchmarks", "tccg")
LONG_GFLOP = 100  # one run after the first is enough


class Contraction:
    def __init__(self, name, group, sizes, tblis=None):
        self.name, self.group, self.tblis = name, group, tblis
        self.sizes = {index: int(size) for index, size in (pair.split(":") for pair in sizes)}
        self.tensors = dict(zip("CAB", name.split("-")))
        if len(self.tensors) != 3 or set(name) - {"-"} != set(self.sizes):
            sys.exit(f"tccg.py: '{name}' with sizes of {', '.join(self.sizes)}: give C-A-B and a "
                     "size for each index")

    def elements(self, indices):
        n = 1
        for index in indices:
            n *= self.sizes[index]
        return n

    def gflop(self):
        return 2e-9 * self.elements(self.sizes)

    def bytes(self):
        return 8 * sum(self.elements(indices) for indices in self.tensors.values())

    def program(self, head=""):
        """Tensors lie by rows in a program: the fastest index is the last."""
        form = {name: f"{name}[{','.join(reversed(indices))}]"
                for name, indices in self.tensors.items()}
        lines = [head] if head else []
        lines += [f"space s{index} = {size}\nindex {index} : s{index}"
                  for index, size in self.sizes.items()]
        lines += [f"tensor {form['A']} = random(1)", f"tensor {form['B']} = random(2)",
                  f"tensor {form['C']}", f"{form['C']} = {form['A']} * {form['B']}"]
        return "\n".join(lines) + "\n"

    def reduced(self):
        """Small sizes, all different where there are few."""
        small = [f"{index}:{3 + 3 * i % 7}" for i, index in enumerate(self.sizes)]
        return Contraction(self.name, self.group, small)


def read_contractions(path):
    with open(path, encoding="ascii") as file:
        for row in (line.split() for line in file if not line.startswith("#")):
            sizes = [cell for cell in row[2:] if ":" in cell]
            tblis = float(row[-1]) if ":" not in row[-1] else None
            yield Contraction(row[0], row[1], sizes, tblis)


def run(binaries, program, processes, options):
    """The result of a program."""
    os.makedirs(RUNS, exist_ok=True)
    paths = {end: os.path.join(RUNS, "contraction." + end) for end in ("tce", "json", "log")}
    with open(paths["tce"], "w", encoding="ascii") as file:
        file.write(program)
    command = bench.mpirun(processes, [os.path.join(binaries, "beryl-tce"), "run", paths["tce"],
                                       "--json", paths["json"], *options])
    with open(paths["log"], "w", encoding="utf-8") as log:
        subprocess.run(command, check=True, env=bench.environment(), stdout=log)
    with open(paths["json"], encoding="utf-8") as file:
        return json.load(file)


def rates(binaries, processes):
    command = bench.mpirun(processes, [os.path.join(binaries, "bench_rates")])
    return json.loads(subprocess.run(command, check=True, env=bench.environment(), text=True,
                                     stdout=subprocess.PIPE).stdout)


def measure(contraction, processes, arguments):
    """One round: GFLOP/s and GB/s of all processes together."""
    rate = rates(arguments.binaries, processes)
    n = 2 if contraction.gflop() > LONG_GFLOP else 4
    result = run(arguments.binaries, contraction.program(), processes,
                 ["--iterations", str(n), *arguments.options.split()])
    seconds = min(i["seconds"] for i in result["iterations"][1:])
    dgemm, copy = processes * rate["dgemm_gflops"], processes * rate["copy_gb_per_s"]
    gflops = contraction.gflop() / seconds
    return {"gflops": gflops, "dgemm_gflops": dgemm, "copy_gb_per_s": copy,
            "of_dgemm": gflops / dgemm, "kernels": rate["kernels"],
            "of_dgemm_by_memory": contraction.gflop() / (1e-9 * contraction.bytes() / copy) / dgemm,
            "tasks": result["tasks"], "sha256": result["sha256"],
            "bytes_over_tensors": processes * result["memory_part_bytes"] / contraction.bytes()}


def median_of(rounds):
    """Medians over the rounds, one for each measurement."""
    return {key: statistics.median(r[key] for r in rounds) if isinstance(value, float) else value
            for key, value in rounds[0].items()}


def gains(one, more):
    """Speed on several processes over that on one: the contraction's, and its bound's (DGEMM or copy)."""
    bound = "dgemm_gflops" if one["of_dgemm_by_memory"] > 1 else "copy_gb_per_s"
    return more["gflops"] / one["gflops"], more[bound] / one[bound]


def measure_all(contractions, counts, arguments):
    """Prints each row as it is known."""
    rows = []
    print_head(counts)
    for contraction in contractions:
        rounds = [{p: measure(contraction, p, arguments) for p in counts}
                  for _ in range(arguments.rounds)]
        by_count = {p: median_of([r[p] for r in rounds]) for p in counts}
        digests = {m["sha256"] for r in rounds for m in r.values()}
        if len(digests) > 1:
            sys.exit(f"tccg.py: {contraction.name}: results differ between runs")
        rows.append({"name": contraction.name, "group": contraction.group, "sizes": contraction.sizes,
                     "gflop": contraction.gflop(), "tblis_of_dgemm": contraction.tblis,
                     "processes": by_count})
        print("| " + " | ".join(str(cell) for cell in cells(rows[-1], counts)) + " |", flush=True)
    return rows


def ratio(number):
    return "" if number is None else f"{number:.2f}"


def cells(row, counts):
    one, last = row["processes"][counts[0]], row["processes"][counts[-1]]
    gain, bound = gains(one, last)
    return [row["name"], row["group"], f"{row['gflop']:.4g}", f"{one['gflops']:.1f}",
            f"{one['dgemm_gflops']:.1f}", ratio(one["of_dgemm"]), ratio(row["tblis_of_dgemm"]),
            ratio(one["of_dgemm_by_memory"]), one["tasks"], ratio(one["bytes_over_tensors"]),
            *([ratio(gain), ratio(bound), ratio(last["bytes_over_tensors"])] if len(counts) > 1 else [])]


def print_head(counts):
    head = ["contraction", "group", "Gflop", "GFLOP/s", "DGEMM", "of DGEMM", "TBLIS", "memory", "tasks", "bytes"]
    if len(counts) > 1:
        head += [f"gain of {counts[-1]}", "of the bound", f"bytes of {counts[-1]}"]
    bench.print_table(head, [])


def print_groups(rows, counts):
    table = []
    for group in dict.fromkeys(row["group"] for row in rows):
        chosen = [row for row in rows if row["group"] == group]
        ones = [row["processes"][counts[0]] for row in chosen]
        tblis = [row["tblis_of_dgemm"] for row in chosen if row["tblis_of_dgemm"] is not None]
        pairs = [gains(row["processes"][counts[0]], row["processes"][counts[-1]]) for row in chosen]
        table.append([group, len(chosen), ratio(statistics.median(o["of_dgemm"] for o in ones)),
                      ratio(statistics.median(tblis) if tblis else None),
                      ratio(statistics.median(o["of_dgemm_by_memory"] for o in ones)),
                      ratio(statistics.median(pair[0] for pair in pairs)),
                      ratio(statistics.median(pair[1] for pair in pairs))])
    bench.print_table(["group", "contractions", "of DGEMM", "TBLIS", "memory",
                       f"gain of {counts[-1]}", "of the bound"], table)


def check(contractions, counts, arguments):
    """With the default tiles, which are one at these sizes, and with several."""
    for contraction in contractions:
        for head in ("", "tile 3"):
            for processes in counts:
                run(arguments.binaries, contraction.reduced().program(head), processes, ["--verify"])
    print(f"{len(contractions)} contractions agree with plain loops")


def choose(arguments):
    if arguments.contractions:
        if len(arguments.contractions) % 2:
            sys.exit("tccg.py: give CONTRACTION SIZES, in pairs")
        return [Contraction(name, "own", sizes.split(",")) for name, sizes in
                zip(arguments.contractions[::2], arguments.contractions[1::2])]
    known = [contraction for path in arguments.files.split(",")
             for contraction in read_contractions(os.path.join(HERE, path))]
    groups = bench.chosen(arguments.groups, list(dict.fromkeys(c.group for c in known)))
    return [contraction for contraction in known if contraction.group in groups]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contractions", nargs="*", metavar="CONTRACTION SIZES")
    parser.add_argument("--files", default="contractions.txt")
    parser.add_argument("--groups", default="all")
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--options", default="")
    parser.add_argument("--binaries", default=os.path.join(bench.ROOT, "build", "release", "bin"))
    parser.add_argument("--json")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    contractions = choose(arguments)
    counts = [int(p) for p in arguments.processes.split(",")]
    if arguments.check:
        check(contractions, counts, arguments)
        return
    rows = measure_all(contractions, counts, arguments)
    print()
    print_groups(rows, counts)
    if arguments.json:
        bench.write_results(arguments.json, {"contractions": rows})


if __name__ == "__main__":
    main()
