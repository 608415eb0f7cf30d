#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs with too little of something end with a status of RESULTS.md, a line of the program's own
where they fail, and files that are complete or absent.

    test_limits.py shm|disk|file|address BIN MPIEXEC INPUTS [STEPS]

shm      /dev/shm of 50 kB to 5 MB
disk     outputs on a disk of 50 kB to 5 MB, all kinds at once
file     files of at most 2 kB to 2 MB (ulimit -f)
address  an address space (ulimit -v) from the least in which MPI starts

STEPS sizes (6), in equal ratios; where they are more, with several programs and numbers of
processes. The first two mount a tmpfs in a namespace of their own; where that cannot be made, they are skipped (77).
"""
import json
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import check_results  # pylint: disable=wrong-import-position

SECONDS = 120  # for a run
FEW = 6  # steps
INSIDE = "BERYL_TEST_NAMESPACE"
KILOBYTE = 1000
JSON = "--json result.json"
PAGE = "--report page.html"
TRACE = "--trace trace"
PROFILE = "--write-profile tasks.csv"
STATISTICS = "--write-statistics statistics.csv"
CHECKPOINT = "--checkpoint run.h5"
N_COMPLAINTS = 10  # that are printed in full


class Case:
    """A program with its arguments (IN stands for the folder of inputs), and all that it
    writes. `fails_with_result`: a failure after the work has begun is in the result, too."""

    def __init__(self, program, arguments, *outputs):
        self.program, self.words = program, arguments.split()
        self.outputs = " ".join(outputs).split()
        self.fails_with_result = CHECKPOINT in outputs

    def command(self, tools, n_processes, launcher, outputs):
        words = [word.replace("IN/", f"{tools.inputs}/") for word in self.words] + outputs
        program = launcher + [str(tools.bin / self.program)]
        if n_processes is None:
            return program + words
        return [tools.mpiexec, "--oversubscribe", "-n", str(n_processes)] + program + words


HF = Case("beryl-hf", "IN/water.xyz --basis sto-3g", JSON, PAGE, TRACE, PROFILE, CHECKPOINT)
CCSD = Case("beryl-tce", "ccsd IN/water.xyz --basis sto-3g", JSON, PAGE, TRACE, CHECKPOINT)
CONTRACTIONS = Case("beryl-tce", "run IN/examples.tce", JSON, TRACE, PROFILE)
COUNTER = Case("beryl-sched", "--gauss 1e-5,0 --tasks 40 --sched counter", JSON, PAGE, TRACE,
               STATISTICS)
WATCHED = Case("beryl-sched", "--gauss 1e-5,0 --tasks 40 --watchdog 30", JSON)
JACOBI = Case("beryl-sched", "--jacobi 20,20,20 --sweeps 2 --sched steal", JSON)


class Tools:
    """Where the programs and inputs are."""

    def __init__(self, folder, mpiexec, inputs):
        self.bin, self.mpiexec = pathlib.Path(folder).resolve(), mpiexec
        self.inputs = pathlib.Path(inputs).resolve()


class Outcome:
    """A run that has ended: its status, None where it did not end in time."""

    def __init__(self, command, folder, **settings):
        self.status, self.errors = None, ""
        with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              start_new_session=True, **settings) as process:
            try:
                self.errors = process.communicate(timeout=SECONDS)[1]
                self.status = process.returncode
            except subprocess.TimeoutExpired:
                process.terminate()
                try:
                    self.errors = process.communicate(timeout=20)[1]
                except subprocess.TimeoutExpired:
                    process.kill()


# --- judgement: each yields what is wrong ---

def judge_end(case, outcome):
    if outcome.status is None:
        yield f"no end within {SECONDS} s"
    elif outcome.status not in (0, 1, 2):
        yield f"exit status {outcome.status}"
    if outcome.status != 0 and not re.search(rf"^{case.program}: .", outcome.errors, re.MULTILINE):
        yield "no line of the program's own"


def judge_json(case, outcome, path, room):
    """room: whether there was enough for it, so that a failed method must have written it."""
    if path.exists():
        yield from check_results.violations(path)
    elif outcome.status == 0:
        yield "no result"
    elif outcome.status == 1 and room and case.fails_with_result:
        yield "no result of the failure"
    if path.exists() and outcome.status == 2:
        yield "a result after bad usage or input"


def is_whole_hdf5(path):
    head = path.read_bytes()[:64]
    if head[:8] != b"\x89HDF\r\n\x1a\n":
        return False
    (end,) = struct.unpack_from("<Q", head, 40 if head[8] < 2 else 28)
    return path.stat().st_size >= end


def is_whole_json(path):
    try:
        json.loads(path.read_text())
    except ValueError:
        return False
    return True


def judge_files(outcome, folder):
    """The outputs but for the result are whole or absent, and no page is without its result."""
    whole = {"page.html": lambda path: path.read_text().rstrip().endswith("</html>"),
             "run.h5": is_whole_hdf5,
             "trace/trace.json": is_whole_json,
             "tasks.csv": lambda path: path.read_bytes().endswith(b"\n"),
             "statistics.csv": lambda path: path.read_bytes().endswith(b"\n")}
    for name, test in whole.items():
        if (folder / name).exists() and not test(folder / name):
            yield f"half of {name}"
    if (folder / "page.html").exists() and not (folder / "result.json").exists():
        yield "a page without its result"
    for path in folder.rglob("*.part*"):
        yield f"{path.name} is left"
    if outcome.status == 2 and any(folder.iterdir()):
        yield f"files after bad usage or input: {[path.name for path in folder.iterdir()]}"


# --- sweeps ---

class Sweep:
    """Sizes, and the runs with each; complaints are counted."""

    def __init__(self, kind, tools, folder, n_steps):
        self.kind, self.tools, self.folder, self.n_steps = kind, tools, pathlib.Path(folder), n_steps
        self.statuses, self.n_complaints = {}, 0

    def sizes(self, least, most):
        ratio = (most / least) ** (1 / max(1, self.n_steps - 1))
        return [round(least * ratio ** step) for step in range(self.n_steps)]

    def choose(self, cases):
        """The first one, where there are few steps."""
        return cases if self.n_steps > FEW else cases[:1]

    def judge(self, case, n_processes, size, outcome, folder, others=()):
        """others: complaints of the caller's."""
        room = self.kind == "shm"
        complaints = [*judge_end(case, outcome),
                      *judge_json(case, outcome, folder / "result.json", room),
                      *judge_files(outcome, folder), *others]
        self.statuses[outcome.status] = self.statuses.get(outcome.status, 0) + 1
        for complaint in complaints:
            self.n_complaints += 1
            where = f"{case.program} {' '.join(case.words)}, {n_processes} processes, {size} kB"
            print(f"{where}: {complaint}")
            if self.n_complaints <= N_COMPLAINTS:
                print("    " + "\n    ".join(outcome.errors.strip().splitlines()[:30]))

    def finish(self):
        if not {0, 1} <= set(self.statuses):
            print("no size was enough, or all were")
            self.n_complaints += 1
        counts = ", ".join(f"{n} with {status}" for status, n in self.statuses.items())
        print(f"{sum(self.statuses.values())} runs: {counts}; {self.n_complaints} complaints")
        return self.n_complaints > 0


def empty_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def mount(path, kilobytes, first):
    options = f"{'' if first else 'remount,'}size={kilobytes * KILOBYTE}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(path)], check=True)


def sweep_shm(sweep):
    out = sweep.folder / "out"
    mount("/dev/shm", 50, True)
    cases = [CCSD, COUNTER, HF, CONTRACTIONS, WATCHED, JACOBI]
    for kilobytes in sweep.sizes(50, 5000):
        mount("/dev/shm", kilobytes, False)
        for case in sweep.choose(cases):
            for n_processes in sweep.choose((2, 1, 4)):
                empty_folder(out)
                command = case.command(sweep.tools, n_processes, [], JSON.split())
                outcome = Outcome(command, out)
                left = os.listdir("/dev/shm")
                sweep.judge(case, n_processes, kilobytes, outcome, out,
                            [f"{name} is left in /dev/shm" for name in left])
                for name in left:
                    os.remove(f"/dev/shm/{name}")


def sweep_disk(sweep):
    disk = empty_folder(sweep.folder / "disk")
    mount(disk, 50, True)
    cases = [HF, COUNTER, CCSD, CONTRACTIONS]
    for kilobytes in sweep.sizes(50, 5000):
        mount(disk, kilobytes, False)
        for case in sweep.choose(cases):
            for n_processes in sweep.choose((None, 2)):
                out = empty_folder(disk / "out")
                outcome = Outcome(case.command(sweep.tools, n_processes, [], case.outputs), out)
                sweep.judge(case, n_processes, kilobytes, outcome, out)
                shutil.rmtree(out)
    subprocess.run(["umount", str(disk)], check=True)


def limited(letter, kilobytes):
    return ["bash", "-c", f'ulimit -{letter} {kilobytes} && exec "$@"', "-"]


def sweep_file(sweep):
    """Single processes alone: with several the files of MPI's shared memory are limited, too."""
    out = sweep.folder / "out"
    for kilobytes in sweep.sizes(2, 2000):
        for case in (CCSD, CONTRACTIONS, COUNTER):
            empty_folder(out)
            command = case.command(sweep.tools, None, limited("f", kilobytes), case.outputs)
            sweep.judge(case, None, kilobytes, Outcome(command, out), out)


def sweep_address(sweep):
    """A size in which a program cannot even start MPI and print its version is the libraries' to
    refuse. In the last case only one process of two is limited."""
    out = sweep.folder / "out"
    outputs = JSON.split()
    for kilobytes in sweep.sizes(195000, 900000):
        for case in sweep.choose((HF, CCSD, CONTRACTIONS, COUNTER)):
            for n_processes in sweep.choose((2, 1, 4)):
                empty_folder(out)
                version = Case(case.program, "--version")
                if Outcome(version.command(sweep.tools, n_processes, limited("v", kilobytes), []),
                           out).status != 0:
                    continue
                command = case.command(sweep.tools, n_processes, limited("v", kilobytes), outputs)
                sweep.judge(case, n_processes, kilobytes, Outcome(command, out), out)
    empty_folder(out)
    command = (HF.command(sweep.tools, 1, limited("v", 440000), outputs) + [":", "-n", "1"] +
               HF.command(sweep.tools, None, [], outputs))
    sweep.judge(HF, "1 of 2", 440000, Outcome(command, out), out)


KINDS = {"shm": sweep_shm, "disk": sweep_disk, "file": sweep_file, "address": sweep_address}


def enter_namespace():
    """Starts this script again where mounts are its own; ends it where they cannot be."""
    if INSIDE in os.environ:
        return
    unshare = ["unshare", "--mount"] + (["--user", "--map-root-user"] if os.getuid() != 0 else [])
    tried = subprocess.run(unshare + ["mount", "-t", "tmpfs", "none", "/dev/shm"],
                           capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        print(f"skipped: namespaces cannot be made here: {tried.stderr.strip()}")
        sys.exit(77)
    os.execvpe("unshare", unshare + [sys.executable] + sys.argv,
               {**os.environ, INSIDE: "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})


def main():
    kind, folder, mpiexec, inputs = sys.argv[1:5]
    n_steps = int(sys.argv[5]) if len(sys.argv) > 5 else FEW
    if kind in ("shm", "disk"):
        enter_namespace()
    with tempfile.TemporaryDirectory() as scratch:
        sweep = Sweep(kind, Tools(folder, mpiexec, inputs), scratch, n_steps)
        KINDS[kind](sweep)
        return sweep.finish()


if __name__ == "__main__":
    sys.exit(main())
