#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A loop over tiles that is killed at random moments resumes where it was, on another number of processes
and under another mode, to the last bit of the energy of an uninterrupted run from the same amplitudes.

    test_loop_kills.py BERYL_TCE MPIEXEC BENZENE [KILLS [SEED]]

The program is (T) with the amplitudes of MP2, which need no iterations, in several thousand tuples of tiles.
Killed are all processes of the run, one of them, or mpirun; each run resumes the one before until one ends,
and what follows begins the loop again.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from test_kills import end_by, wait_until

SECONDS = 120  # for a run
PROGRAM = """space o = occupied
space v = virtual
index i, j, k, l : o
index a, b, c, d : v
tensor ovov[i,a,j,b] = integrals
tensor ovoo[i,a,j,k] = integrals
tensor vovv[a,k,c,d] = dirac_integrals
tensor d2[i,j,a,b] = denominators
tensor t2[i,j,a,b]
tensor n2[i,j,a,b]
scalar E, E4, ET
iterate t2 from n2, energy E
n2[i,j,a,b] = ovov[i,a,j,b] * d2[i,j,a,b]
E = 2 * ovov[i,a,j,b] * n2[i,j,a,b] - ovov[i,b,j,a] * n2[i,j,a,b]
finally energy ET
for a >= b >= c by tile 1
    tensor W[a,b,c,i,j,k]
    tensor d3[a,b,c,i,j,k] = denominators
    W[a,b,c,i,j,k] = sym(a i, b j, c k) vovv[b,i,d,a] * t2[k,j,c,d]
    W[a,b,c,i,j,k] -= sym(a i, b j, c k) ovoo[i,a,l,j] * t2[l,k,b,c]
    E4 = W[a,b,c,i,j,k] * W[a,b,c,i,j,k] * d3[a,b,c,i,j,k]
end
ET = E + E4
"""
STORED = "run.h5.loop1"
MODES = ["auto", "static", "counter", "steal", "retentive", "dtree", "share"]
FINISHED = re.compile(r"Restart +(\d+) of (\d+) tuples of tiles are finished")


class Loop:
    """The run, its amplitudes, and its energy without a kill."""

    def __init__(self, beryl_tce, mpiexec, molecule, folder):
        self.beryl_tce, self.mpiexec, self.folder = beryl_tce, mpiexec, folder
        self.molecule = molecule
        with open(self.path("triples.tce"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.finish(2, "auto", ["--checkpoint", "run.h5"])
        self.forget()
        start = time.monotonic()
        self.energy = self.finish(2, "auto", ["--restart", "run.h5"])[0]
        self.seconds = time.monotonic() - start

    def path(self, name):
        return os.path.join(self.folder, name)

    def forget(self):
        """The next run begins the loop."""
        if self.stored_at() is not None:
            os.remove(self.path(STORED))

    def stored_at(self):
        """When energies of tuples were stored last, or None."""
        try:
            return os.stat(self.path(STORED)).st_mtime_ns
        except FileNotFoundError:
            return None

    def command(self, n_processes, mode, arguments):
        mpirun = [self.mpiexec, "--oversubscribe", "-n", str(n_processes)]
        return (mpirun if n_processes > 1 else []) + [
            self.beryl_tce, "run", "triples.tce", self.molecule, "--basis", "6-31g", "--sched",
            mode, "--json", "result.json"] + arguments

    def finish(self, n_processes, mode, arguments):
        """Energy and output of a run that must end well."""
        done = subprocess.run(self.command(n_processes, mode, arguments), cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit status {done.returncode}: {done.stderr}\n{done.stdout}")
        return self.read_energy(), done.stdout

    def read_energy(self):
        with open(self.path("result.json"), encoding="utf-8") as file:
            return json.load(file)["return_result"]

    def start(self, n_processes, mode, output):
        return subprocess.Popen(
            self.command(n_processes, mode, ["--restart", "run.h5", "--checkpoint", "run.h5"]),
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def count_finished(text):
    """Tuples that a run has found finished; None of one that ended before it had read them."""
    found = FINISHED.search(text)
    return int(found[1]) if found else None


def choose_kill(choose, stored):
    """Number of processes, mode, what is killed, and when: as a fraction of an uninterrupted run's time, or,
    if stored, of that which is left of it when the run has stored energies of tuples."""
    return (choose.randint(1, 3), choose.choice(MODES), choose.choice(["all", "all", "rank", "mpirun"]),
            choose.uniform(0, 0.3 if stored else 1), stored)


def stored_or_ended(process, loop, before):
    return process.poll() is not None or loop.stored_at() not in (None, before)


def kill_once(loop, choose, n_processes, mode, how, fraction, stored):
    """Words for a killed run, the number of tuples that it found finished, and its energy if it ended before."""
    path = loop.path("output")
    before = loop.stored_at()
    start = time.monotonic()
    with open(path, "w", encoding="utf-8") as output:
        process = loop.start(n_processes, mode, output)
        if stored:
            wait_until(lambda: stored_or_ended(process, loop, before), SECONDS)
        later = fraction * max(0, loop.seconds - (time.monotonic() - start))
        try:
            process.wait(later)
        except subprocess.TimeoutExpired:
            end_by(process, how, choose)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    words = (f"{n_processes} processes, {mode}, {later:.2f} s after "
             f"{'tuples were stored' if stored else 'the start'}, {how}")
    return words, count_finished(text), loop.read_energy() if process.returncode == 0 else None


def check_share(loop, choose):
    """Process 0, which runs no tuple with `share`, keeps what others finish all the same."""
    loop.forget()
    words, _, energy = kill_once(loop, choose, 2, "share", "all", 0, True)
    if energy is not None:
        raise AssertionError(f"{words}: nothing was stored before the end")


class Chain:
    """Runs that each resume their predecessor, until one ends."""

    def __init__(self, loop):
        self.loop, self.words, self.finished = loop, [], 0
        loop.forget()

    def add(self, words, finished, energy):
        """Adds a run, with its energy if it has ended. Whether it had something to resume."""
        self.words.append(words)
        story = "; then ".join(self.words)
        if finished is None:  # nothing is known of a run that was killed before it had read them
            finished = self.finished if energy is None else 0
        more = finished > self.finished
        if finished < self.finished:
            raise AssertionError(f"{story}: {self.finished} tuples were finished, now {finished}")
        if energy not in (None, self.loop.energy):
            raise AssertionError(f"{story}: energy {energy!r}, not {self.loop.energy!r}")
        self.finished = finished
        return more

    def end(self, choose):
        n_processes, mode = choose.randint(1, 3), choose.choice(MODES)
        energy, output = self.loop.finish(n_processes, mode, ["--restart", "run.h5"])
        return self.add(f"{n_processes} processes, {mode}", count_finished(output), energy)


def main():
    beryl_tce, mpiexec, molecule = sys.argv[1:4]
    n_kills = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(10**6)
    choose = random.Random(seed)
    n_failed = n_resumed = n_ended = 0
    with tempfile.TemporaryDirectory() as folder:
        loop = Loop(beryl_tce, mpiexec, molecule, folder)
        try:
            check_share(loop, choose)
        except AssertionError as failure:
            print(failure)
            n_failed += 1
        chain = Chain(loop)
        for kill in range(n_kills):
            try:
                stored = kill == n_kills - 1 or choose.random() < 0.5
                words, finished, energy = kill_once(loop, choose, *choose_kill(choose, stored))
                n_resumed += chain.add(words, finished, energy)
                n_ended += energy is not None
                if energy is not None:
                    chain = Chain(loop)
                elif kill == n_kills - 1:
                    n_resumed += chain.end(choose)
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                print(f"seed {seed}: {failure}")
                n_failed += 1
                chain = Chain(loop)
    print(f"{n_kills} kills of a loop that takes {loop.seconds:.1f} s, {n_resumed} with progress to "
          f"resume, {n_ended} too late; {n_failed} failed")
    return n_failed > 0 or n_resumed == 0


if __name__ == "__main__":
    sys.exit(main())
