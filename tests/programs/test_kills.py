#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed at random moments resume from their checkpoints, on another number of processes and
under another mode: SCF and CCSD to the same energy, in the iterations that were left and at most one more; a
loop over tiles, in several runs of which each resumes the one before, to the last bit.

    test_kills.py SCF|CCSD|loop PROGRAM INPUTS MPIEXEC [KILLS [SEED]]

Killed are, in turn, one process, all or mpirun by KILL, or mpirun by TERM or INT; within 10 s the run is
over, with its exit status. The moment is after an iteration, or after tuples of tiles were stored, or some
time later, or while the checkpoint or another file is being written. The run that resumes removes what is
left of the files.
"""

import glob
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from running import Fault, check, complaints, run_well, started

SECONDS = 120  # for a run
HOWS = ["all", "rank", "mpirun", "TERM", "INT"]  # ways to end a run, in turn
MODES = ["auto", "static", "counter", "steal", "retentive", "dtree", "share"]
WATER = "3\n\nO 0 0 0\nH 0.3 0.76 0.59\nH -0.1 -0.76 0.59\n"
ITERATION = re.compile(r"^ *\d+ +-?\d+\.\d{10} ", re.MULTILINE)
# (T) with the amplitudes of MP2, which need no iterations, in several thousand tuples of tiles.
LOOP = """space o = occupied
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


def children(pid):
    """The processes that a run started."""
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.0005)
    return true()


def end_by(process, how, choose):
    """Ends a run by killing one of its processes, all of them or mpirun, or by a signal to mpirun. Within 10
    s none of its processes is left."""
    processes = children(process.pid)
    number = getattr(signal, f"SIG{how}", signal.SIGKILL)
    chosen = {"rank": [choose.choice(processes or [process.pid])], "all": processes}.get(how, [process.pid])
    for pid in filter(is_alive, chosen or [process.pid]):
        os.kill(pid, number)
    process.wait(SECONDS)
    if not wait_until(lambda: not any(map(is_alive, processes)), 10):
        for pid in filter(is_alive, processes):
            os.kill(pid, signal.SIGKILL)
        raise Fault(f"{how}: processes are left 10 s later")
    expected = -signal.SIGKILL if how == "mpirun" else 137 if number == signal.SIGKILL else 1
    # 0: it ended before; by the signal: mpirun had no handler of it yet, or any more.
    if processes and process.returncode not in (0, expected, -number):
        raise Fault(f"{how}: exit status {process.returncode}, not {expected}")


class Iterations:
    """A method's iterations, and their results without a kill. kept: options of a run that has nothing to
    resume. resumed: its words for the iterations that it resumes."""
    options, tolerance, kept = ["--trace", "traced"], 1e-9, []

    def __init__(self, name, words, mpiexec, folder):
        self.name, self.words, self.mpiexec, self.folder = name, words, mpiexec, folder
        # A run of CCSD may resume its SCF alone.
        self.resumed = re.compile(r"Restart +" + ".* amplitudes .*, " * (name == "CCSD") + r"after iteration (\d+)")
        self.energy, self.n_iterations, _ = self.finish(2, "auto", ["--checkpoint", "run.h5"])

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, n_processes, mode, options):
        return started(self.mpiexec, n_processes, *self.words, "--json", "result.json", "--sched", mode,
                       *options)

    def finish(self, n_processes, mode, options):
        """Energy, iterations and output of a run that must end well."""
        output = run_well(self.command(n_processes, mode, options), seconds=SECONDS, cwd=self.folder)
        properties = self.read_result()["properties"]
        return self.read_energy(), properties.get(f"{self.name.lower()}_iterations"), output

    def read_result(self):
        return json.loads(pathlib.Path(self.path("result.json")).read_text(encoding="utf-8"))

    def read_energy(self):
        return self.read_result()["return_result"]

    def forget(self):
        """The next run begins anew."""
        for path in glob.glob(self.path("run.h5*")):
            os.remove(path)

    def restart(self):
        return ["--restart", "run.h5"] if os.path.exists(self.path("run.h5")) else self.kept

    def count(self, text):
        """Iterations of the method itself in the output; of CCSD, those after the SCF."""
        own = text.partition("correlation energy")[2] if self.name == "CCSD" else text
        return len(ITERATION.findall(own))

    def moment(self, choose, _):
        """Its words, what it waits for, and how many seconds longer."""
        when, after = choose.choice(["at once", "later", "run.h5.*.part", "at the end"]), self.n_iterations
        part = {"at the end": choose.choice(["page*.part", "result*.part", "trace*.part"])}.get(when, when)
        if when != "at the end":
            after = choose.randint(0, self.n_iterations - 1)

        def has_come(output):
            return self.count(output.read_text(encoding="utf-8")) >= after and (
                ".part" not in part or glob.glob(self.path(f"**/{part}"), recursive=True))
        return f"after iteration {after}, {when}", has_come, choose.uniform(0, 0.05) * (when == "later")

    def judge(self, text, done, energy, n_iterations):
        """What a run has found finished, and what it leaves. done: what it must find; energy: None if
        killed."""
        found = self.resumed.search(text)
        resumed, printed = int(found[1]) if found else 0, self.count(text)
        if energy is None and not found:  # a run that was killed before it had read them
            resumed = done
        if resumed < done:
            raise Fault(f"{done} were finished, but it resumed after {resumed}")
        if energy is not None and not abs(energy - self.energy) <= self.tolerance:
            raise Fault(f"energy {energy!r}, not {self.energy!r}")
        if n_iterations and n_iterations > self.n_iterations - resumed + 1:
            raise Fault(f"{n_iterations} iterations, resumed after {resumed} of {self.n_iterations}")
        # A guess density has no orbitals, and so the first iteration no checkpoint.
        return resumed, resumed + max(printed - 1, 0) * (self.name == "CCSD" or printed > 2)


class Loop(Iterations):
    """A loop over tiles, whose tuples are not printed, with the amplitudes of a run before."""
    options, tolerance, kept = [], 0, ["--restart", "run.h5"]

    def __init__(self, name, words, mpiexec, folder):
        pathlib.Path(folder, "triples.tce").write_text(LOOP, encoding="utf-8")
        super().__init__(name, words, mpiexec, folder)
        self.resumed = re.compile(r"Restart +(\d+) of \d+ tuples of tiles are finished")
        self.forget()
        start = time.monotonic()
        self.energy, _, _ = self.finish(2, "auto", self.kept)
        self.seconds, self.n_iterations = time.monotonic() - start, None

    def stored_at(self):
        """When energies of tuples were stored last, or None."""
        path = self.path("run.h5.loop1")
        return os.stat(path).st_mtime_ns if os.path.exists(path) else None

    def forget(self):
        if self.stored_at() is not None:
            os.remove(self.path("run.h5.loop1"))

    def count(self, text):
        return 0

    def moment(self, choose, mode):
        """With `share`, process 0, which runs no tuple, stores at once what others finish."""
        before, stored = self.stored_at(), mode == "share" or choose.random() < 0.7
        later = choose.choice([0, choose.uniform(0, 0.2 if stored else 0.9)])
        delay = self.seconds * later * (mode != "share")
        return (f"{delay:.2f} s after {'tuples were stored' if stored else 'the start'}",
                lambda output: not stored or self.stored_at() not in (None, before), delay)


def kill(case, how, mode, choose):
    """Words for a run that is killed, its output, and whether it had ended before."""
    n_processes = choose.choice([1, 2, 3, 3] if mode != "share" else [2, 3])
    output = pathlib.Path(case.path("output"))
    when, has_come, delay = case.moment(choose, mode)
    page = ["--report", "page.html"] * bool(case.options)
    options = [*case.restart(), "--checkpoint", "run.h5", *case.options, *page]
    with open(output, "w", encoding="utf-8") as file, subprocess.Popen(
            case.command(n_processes, mode, options), cwd=case.folder, stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT) as process:
        wait_until(lambda: process.poll() is not None or has_come(output))
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            end_by(process, how, choose)
    return f"{n_processes} processes, {mode}, {when}, by {how}", output.read_text(), process.returncode == 0


def check_chain(case, hows, choose, modes):
    """Kills runs that resume one another, then ends the last one's work; what each has found finished."""
    case.forget()
    story, done, found = [], 0, []
    try:
        for how, mode in zip(hows, modes):
            words, text, has_ended = kill(case, how, mode, choose)
            story.append(words)
            resumed, done = case.judge(text, done, case.read_energy() if has_ended else None, None)
            found.append(resumed)
            if has_ended and not case.n_iterations:  # the next one begins the loop again
                check(len(found) > 1, "nothing was stored before the end")
                done = 0
        n_processes, mode = choose.randint(1, 3), choose.choice(MODES)
        story.append(f"{n_processes} processes, {mode}")
        energy, n_iterations, output = case.finish(
            n_processes, mode, [*case.restart(), "--checkpoint", "run.h5", *case.options])
        found.append(case.judge(output, done, energy, n_iterations)[0])
        left = [*glob.glob(case.path("run.h5*.part")), *glob.glob(case.path("traced/trace.part"))]
        check(not left, story, "left behind:", left)
    except (Fault, subprocess.TimeoutExpired) as fault:
        check(False, f"{case.name}: {'; then '.join(story)}: {fault}")
    return found


def main():
    name, program, inputs, mpiexec = sys.argv[1:5]
    defaults = ["5", str(random.randrange(10**6))]
    n_kills, seed = (int(word) for word in sys.argv[5:] + defaults[len(sys.argv) - 5:])
    os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "1"  # Open MPI's default: time to print
    choose = random.Random(seed)
    words = {"SCF": ["water.xyz", "--basis", "cc-pvdz"], "CCSD": ["ccsd", "water.xyz", "--basis", "6-31g"],
             "loop": ["run", "triples.tce", f"{inputs}/benzene.xyz", "--basis", "6-31g"]}[name]
    length = 3 if name == "loop" else 1
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "water.xyz").write_text(WATER, encoding="utf-8")
        case = (Loop if name == "loop" else Iterations)(name, [program, *words], mpiexec, folder)
        first, found = choose.randrange(len(HOWS)), []
        for n in range(0, n_kills, length):
            hows = [HOWS[(first + k) % len(HOWS)] for k in range(n, min(n + length, n_kills))]
            modes = ["share"] * (name == "loop") + choose.choices(MODES, k=length)
            found += check_chain(case, hows, choose, modes)
    print(f"{name}, seed {seed}: {n_kills} kills; {sum(map(bool, found))} runs had progress to resume; "
          f"{len(complaints)} complaints")
    return bool(complaints) or name == "loop" and not any(found)


if __name__ == "__main__":
    sys.exit(main())
