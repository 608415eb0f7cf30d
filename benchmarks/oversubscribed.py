#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fock builds and contractions by more processes than cores, under every mode.

    oversubscribed.py [--processes 4,8] [--rounds 7] [--modes static,counter,steal,...]
                      [--yield default,0] [--busy 0] [--tasks long,short]
                      [--bin build/release/bin]

For each mode the median seconds over rounds that are interleaved (--compare), and their ratio to the
better of static and counter, which is to stay below 1.5 where tasks take 1 to 10 ms, on an otherwise
idle machine of two cores and beside --busy programs that compute. Of tasks of 0.1 ms the losses are
only printed. Both are real work: builds of benzene from the guess of superposed atoms in cc-pVTZ, or
cc-pVDZ with tiles of 10 functions, and the contraction of lifflander-s.tce, or with tiles of 8.

--yield: of mpi_yield_when_idle; default: what mpirun chooses, which is 1 with --oversubscribe. Then a
process gives its core away in each call of MPI that finds nothing. Under Linux 6.18 that costs it
the rest of its time slice, 3 ms, if another program wants the core; two processes that yield to each
other lose nothing. That is why the driver does not call MPI to find nothing (mpi_doorbell.h).
"""
import argparse
import json
import os
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LIMIT = 1.5  # of long tasks
BENZENE = ["beryl-hf", os.path.join(ROOT, "inputs", "benzene.xyz"), "--fock-only", "4",
           "--density", "guess", "--basis"]


def contraction(folder, tile):
    """The arguments of a contraction with tiles of that size."""
    path = os.path.join(folder, f"tile{tile}.tce")
    with open(os.path.join(ROOT, "inputs", "lifflander-s.tce"), encoding="utf-8") as source:
        text = source.read()
    with open(path, "w", encoding="utf-8") as target:
        target.write(text.replace("tile 20", f"tile {tile}"))
    return ["beryl-tce", "run", path, "--iterations", "4"]


def cases(folder, lengths):
    """(title, arguments, limit or None) of each case."""
    known = {"long": [("Fock builds, benzene in cc-pVTZ", BENZENE + ["cc-pvtz"], LIMIT),
                      ("contraction, tiles of 20", contraction(folder, 20), LIMIT)],
             "short": [("Fock builds, cc-pVDZ, tiles of 10", BENZENE + ["cc-pvdz", "--tile", "10"],
                        None),
                       ("contraction, tiles of 8", contraction(folder, 8), None)]}
    return [case for length in lengths for case in known[length]]


def compare(options, arguments, processes, yields, folder):
    """The records of the modes, in the order of their names on the command line."""
    result = os.path.join(folder, "result.json")
    # A task per core at most would be bound otherwise, and the rest to the same cores.
    environment = {**os.environ, "OMPI_MCA_hwloc_base_binding_policy": "none",
                   "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    chosen = [] if yields == "default" else ["--mca", "mpi_yield_when_idle", yields]
    subprocess.run(["mpirun", "--oversubscribe", *chosen, "-np", str(processes),
                    os.path.join(options.bin, arguments[0]), *arguments[1:], "--compare",
                    options.modes, "--rounds", str(options.rounds), "--json", result],
                   check=True, env=environment, stdout=subprocess.DEVNULL)
    with open(result, encoding="utf-8") as file:
        run = json.load(file)
    records = run.get("extras", {}).get("beryl", run)["compare"]
    return {mode: record for mode, record in records.items() if isinstance(record, dict)}


def task_seconds(record, processes):
    """Mean seconds of a task on a core that it has alone: all cores are busy in `static`."""
    iteration = record["iterations"][-1]
    cores = min(processes, len(os.sched_getaffinity(0)))
    return iteration["task_seconds"] / iteration["tasks_run"] * cores / processes


def print_case(title, limit, processes, yields, records):
    """Returns the number of modes above the limit."""
    best = min(records[mode]["median_seconds"] for mode in ("static", "counter"))
    print(f"\n{title}: {processes} processes, yield {yields}, tasks of about "
          f"{1e3 * task_seconds(records['counter'], processes):.2f} ms")
    n_above = 0
    for mode, record in records.items():
        ratio = record["median_seconds"] / best
        above = limit is not None and ratio > limit and mode != "static"
        n_above += above
        print(f"{mode:12} {record['median_seconds']:9.4f} s {ratio:7.2f}"
              f"{'  ABOVE ' + str(limit) if above else ''}", flush=True)
    return n_above


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", default="4,8")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--modes", default="static,counter,guided,factoring,trapezoid,steal,"
                        "lifeline,retentive,persist,diffusion,dtree,hybrid,auto",
                        help="must include static and counter. By default all but share, which "
                        "keeps one process without tasks")
    parser.add_argument("--yield", dest="yields", default="default,0")
    parser.add_argument("--busy", type=int, default=0, help="programs that compute beside")
    parser.add_argument("--tasks", default="long,short")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    options = parser.parse_args()
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.busy)]
    n_above = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for title, arguments, limit in cases(folder, options.tasks.split(",")):
                for processes in map(int, options.processes.split(",")):
                    for yields in options.yields.split(","):
                        records = compare(options, arguments, processes, yields, folder)
                        n_above += print_case(title, limit, processes, yields, records)
    finally:
        for program in busy:
            program.kill()
    print(f"\n{n_above} above {LIMIT}")


if __name__ == "__main__":
    main()
