#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed at random moments resume from their checkpoints, on another number of
processes: to the same energy, in the iterations that were left and at most one more.

    test_kills.py BERYL_HF BERYL_TCE MPIEXEC [MOMENTS [SEED]]

MOMENTS (5) of the SCF, and as many of CCSD. Killed are, in turn, one process, all or mpirun by KILL, or mpirun
by TERM or INT; within 10 s the run is over, with its exit status. The moment is after an iteration chosen at
random, at once, some milliseconds later, or while the checkpoint is being written; or at the end, while the
other files are. The run that resumes writes no page and removes what is left of one.
"""

import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 60  # for a run
HOWS = ["rank", "TERM", "INT", "mpirun", "all"]  # ways to end a run, in turn
MOLECULE = "3\n\nO 0 0 0\nH 0.3 0.76 0.59\nH -0.1 -0.76 0.59\n"
ITERATION = re.compile(r" *\d+ +-?\d+\.\d{10} ")
RESUMED = {"SCF": re.compile(r"Restart +after iteration (\d+)"),
           "CCSD": re.compile(r"Restart .* amplitudes .* after iteration (\d+)")}


class Case:
    """A program, and its results without a kill."""

    def __init__(self, name, program, arguments, folder, mpiexec):
        self.name, self.program, self.folder, self.mpiexec = name, program, folder, mpiexec
        self.arguments = arguments + ["--json", "result.json"]
        self.key = "ccsd_iterations" if name == "CCSD" else "scf_iterations"
        self.energy, self.n_iterations, _ = self.run(2, ["--checkpoint", "run.h5"])

    def command(self, n_processes, arguments):
        mpirun = [self.mpiexec, "--oversubscribe", "-n", str(n_processes)]
        return (mpirun if n_processes > 1 else []) + [self.program] + self.arguments + arguments

    def start(self, n_processes, arguments, output):
        return subprocess.Popen(self.command(n_processes, arguments), cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def run(self, n_processes, arguments):
        """Energy, iterations and output of a run that must end well."""
        done = subprocess.run(self.command(n_processes, arguments), cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit status {done.returncode}: {done.stderr}\n{done.stdout}")
        with open(os.path.join(self.folder, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        return result["return_result"], result["properties"][self.key], done.stdout

    def count_lines(self, path):
        """Iterations of the method itself that the output has; of CCSD, those after the SCF."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if self.name == "CCSD":
            text = text.partition("correlation energy")[2]
        return sum(1 for line in text.splitlines() if ITERATION.match(line))


def children(pid):
    """The processes of the run that pid started, or itself."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true, seconds):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.0005)
    return true()


def end_by(process, how, choose):
    """Ends a run by killing one of its processes, all of them or mpirun, or by a signal to mpirun. Within 10 s none
    of its processes is left."""
    processes = children(process.pid)
    number = getattr(signal, f"SIG{how}", signal.SIGKILL)
    chosen = {"rank": [choose.choice(processes or [process.pid])], "all": processes}.get(how, [process.pid])
    for pid in filter(is_alive, chosen or [process.pid]):
        os.kill(pid, number)
    process.wait(SECONDS)
    if not wait_until(lambda: not any(map(is_alive, processes)), 10):
        for pid in filter(is_alive, processes):
            os.kill(pid, signal.SIGKILL)
        raise AssertionError(f"{how}: processes are left 10 s later")
    expected = -signal.SIGKILL if how == "mpirun" else 137 if number == signal.SIGKILL else 1
    if processes and process.returncode not in (0, expected):  # 0: it ended before
        raise AssertionError(f"{how}: exit status {process.returncode}, not {expected}")


def kill_at(case, how, choose, arguments):
    """A run that is killed; the words for it, and the iterations that it had printed."""
    path = os.path.join(case.folder, "output")
    when = choose.choice(["at once", "later", "while writing", "at the end"])
    n_processes, after = choose.choice([1, 2, 3, 3]), choose.randint(0, case.n_iterations - 1)
    if when == "at the end":
        after = case.n_iterations
    with open(path, "w", encoding="utf-8") as output:
        process = case.start(n_processes, arguments, output)
        wait_until(lambda: process.poll() is not None or case.count_lines(path) >= after, SECONDS)
        if when == "while writing":
            pattern = os.path.join(glob.escape(case.folder), "run.h5.part")
            wait_until(lambda: process.poll() is not None or glob.glob(pattern), SECONDS)
        elif when == "at the end":
            pattern = os.path.join(glob.escape(case.folder), "**",
                                   choose.choice(["page", "result", "trace"]) + "*.part")
            wait_until(lambda: process.poll() is not None or glob.glob(pattern, recursive=True),
                       SECONDS)
        elif when == "later":
            time.sleep(choose.uniform(0, 0.05))
        if process.poll() is None:
            end_by(process, how, choose)
    words = f"{n_processes} processes, after iteration {after} {when}, by {how}"
    return words, case.count_lines(path)


def check_moment(case, how, choose):
    """Kills a run, resumes it, and returns what is wrong; or how far the run had come."""
    checkpoint = os.path.join(case.folder, "run.h5")
    for path in glob.glob(glob.escape(checkpoint) + "*"):
        os.remove(path)
    words, printed = kill_at(case, how, choose, ["--checkpoint", "run.h5", "--trace", "traced",
                                                 "--report", "page.html"])
    restart = ["--restart", "run.h5"] if os.path.exists(checkpoint) else []
    energy, n_iterations, output = case.run(choose.randint(1, 3),
                                            restart + ["--checkpoint", "run.h5",
                                                       "--trace", "traced"])
    resumed = RESUMED[case.name].search(output)
    done = int(resumed.group(1)) if resumed else 0
    # A guess density has no orbitals, and so the first iteration no checkpoint.
    kept = max(printed - 1, 0) if case.name == "CCSD" or printed > 2 else 0
    left = case.n_iterations - done
    if abs(energy - case.energy) > 1e-9:
        raise AssertionError(f"{words}: energy {energy:.12f}, not {case.energy:.12f}")
    if done < kept:
        raise AssertionError(f"{words}: {printed} iterations, but it resumed after {done}")
    if n_iterations > left + 1:
        raise AssertionError(f"{words}: {n_iterations} iterations, where {left} were left")
    left_behind = [name for name in ("run.h5.part", "traced/trace.part")
                   if os.path.exists(os.path.join(case.folder, name))]
    if left_behind:
        raise AssertionError(f"{words}: left behind: {left_behind}")
    return done, n_iterations - left, "writing" in words


def check_case(case, n_moments, first, choose):
    """The number of moments that went wrong."""
    outcomes, n_failed = [], 0
    for moment in range(n_moments):
        try:
            outcomes.append(check_moment(case, HOWS[(moment + first) % len(HOWS)], choose))
        except (AssertionError, subprocess.TimeoutExpired) as failure:
            print(f"{case.name}: {failure}")
            n_failed += 1
    print(f"{case.name}: {n_moments} kills of runs of {case.n_iterations} iterations, "
          f"{sum(1 for outcome in outcomes if outcome[0] > 0)} resumed from a checkpoint, "
          f"{sum(1 for outcome in outcomes if outcome[2])} killed while writing; restarts took "
          f"{min((outcome[1] for outcome in outcomes), default=0)} to "
          f"{max((outcome[1] for outcome in outcomes), default=0)} iterations more than were "
          f"left; {n_failed} failed")
    return n_failed


def main():
    beryl_hf, beryl_tce, mpiexec = sys.argv[1:4]
    n_moments = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "1"  # Open MPI's default: time to print
    choose = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else None)
    n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "water.xyz"), "w", encoding="utf-8") as file:
            file.write(MOLECULE)
        for name, program, method, basis in (("SCF", beryl_hf, [], "cc-pvdz"),
                                             ("CCSD", beryl_tce, ["ccsd"], "6-31g")):
            case = Case(name, program, method + ["water.xyz", "--basis", basis], folder, mpiexec)
            n_failed += check_case(case, n_moments, n_moments if name == "CCSD" else 0, choose)
    return n_failed > 0


if __name__ == "__main__":
    sys.exit(main())
