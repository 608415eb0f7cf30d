#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs with too little of something end with a status of RESULTS.md, a line of the program's own where they
fail, and files that are complete or absent.

    test_limits.py shm|disk|file|address BIN MPIEXEC INPUTS [STEPS]

shm      /dev/shm of 50 kB to 5 MB
disk     outputs on a disk of 50 kB to 5 MB, all kinds at once
file     files of at most 2 kB to 2 MB (ulimit -f)
address  an address space (ulimit -v) from the least in which MPI starts

STEPS sizes (6), in equal ratios; where they are more, with several programs and numbers of processes. The
first two mount a tmpfs in a namespace of their own; where that cannot be made, they are skipped (77).
"""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

from running import check, check_results, complaints

SECONDS = 120  # for a run
FEW = 6  # steps
INSIDE = "BERYL_TEST_NAMESPACE"
# Programs with their arguments, and options for all that they write.
JSON = "--json result.json"
FILES = f"{JSON} --report page.html --trace trace"
HF = "beryl-hf IN/water.xyz --basis sto-3g", f"{FILES} --write-profile tasks.csv --checkpoint run.h5"
CCSD = "beryl-tce ccsd IN/water.xyz --basis sto-3g", f"{FILES} --checkpoint run.h5"
CONTRACTIONS = "beryl-tce run IN/examples.tce", f"{JSON} --trace trace --write-profile tasks.csv"
COUNTER = ("beryl-sched --gauss 1e-5,0 --tasks 40 --sched counter",
           f"{FILES} --write-statistics statistics.csv")
WATCHED = "beryl-sched --gauss 1e-5,0 --tasks 40 --watchdog 30", JSON
JACOBI = "beryl-sched --jacobi 20,20,20 --sweeps 2 --sched steal", JSON


def end_of(command, folder):
    """Status, None where a run does not end in time, and standard error."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            errors = process.communicate(timeout=SECONDS)[1]
            return process.returncode, errors
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            return None, ""


# --- judgement: each yields what is wrong ---

def judge_end(program, status, errors):
    if status not in (0, 1, 2):
        yield f"exit status {status}, None: no end within {SECONDS} s"
    if status != 0 and not re.search(rf"^{program}: .", errors, re.MULTILINE):
        yield "no line of the program's own"


def is_whole_hdf5(path):
    head = path.read_bytes()[:64]
    if head[:8] != b"\x89HDF\r\n\x1a\n":
        return False
    (end,) = struct.unpack_from("<Q", head, 40 if head[8] < 2 else 28)
    return path.stat().st_size >= end


def is_whole_json(path):
    try:
        return json.loads(path.read_text()) is not None
    except ValueError:
        return False


def ends_with(text):
    return lambda path: path.read_bytes().rstrip(b" ").endswith(text)


WHOLE = {"page.html": ends_with(b"</html>\n"), "run.h5": is_whole_hdf5, "trace/trace.json": is_whole_json,
         "tasks.csv": ends_with(b"\n"), "statistics.csv": ends_with(b"\n")}


def judge_files(status, folder, writes_failure):
    """Outputs are whole or absent, and no page is without its result. writes_failure: there is room for the
    result of a failed method."""
    result = folder / "result.json"
    if result.exists():
        yield from check_results.violations(result)
    elif status == 0 or status == 1 and writes_failure:
        yield f"no result with status {status}"
    for name, test in WHOLE.items():
        if (folder / name).exists() and not test(folder / name):
            yield f"half of {name}"
    if (folder / "page.html").exists() and not result.exists():
        yield "a page without its result"
    for path in folder.rglob("*.part*"):
        yield f"{path.name} is left"
    if status == 2 and any(folder.iterdir()):
        yield f"files after bad usage or input: {[path.name for path in folder.iterdir()]}"


# --- sweeps ---

def limited(letter):
    return lambda kilobytes: ["bash", "-c", f'ulimit -{letter} {kilobytes} && exec "$@"', "-"]


# Of each kind: the least and the largest size in kB; cases and numbers of processes, the first ones where
# there are few steps; what a program is started by; whether all outputs are written. Single processes alone
# have small files: with several, MPI's shared memory is limited, too.
KINDS = {"shm": (50, 5000, [CCSD, COUNTER, HF, CONTRACTIONS, WATCHED, JACOBI], [2, 1, 4], lambda _: [],
                 False),
         "disk": (50, 5000, [HF, COUNTER, CCSD, CONTRACTIONS], [0, 2], lambda _: [], True),
         "file": (2, 2000, [CCSD, CONTRACTIONS, COUNTER], [0], limited("f"), True),
         "address": (195000, 900000, [HF, CCSD, CONTRACTIONS, COUNTER], [2, 1, 4], limited("v"), False)}


class Sweep:
    """0 processes: without mpirun."""

    def __init__(self, kind, folder, mpiexec, inputs, scratch):
        self.kind, self.bin, self.mpiexec = kind, pathlib.Path(folder).resolve(), mpiexec
        self.inputs, self.statuses = pathlib.Path(inputs).resolve(), []
        self.least, self.most, self.cases, self.numbers, self.prefix, self.writes_all = KINDS[kind]
        self.device = {"shm": pathlib.Path("/dev/shm"), "disk": pathlib.Path(scratch, "disk")}.get(kind)
        self.out = pathlib.Path(scratch, "disk" if kind == "disk" else "", "out")

    def command(self, prefix, words, n):
        program, *arguments = words.replace("IN/", f"{self.inputs}/").split()
        words = [*prefix, str(self.bin / program), *arguments]
        return [self.mpiexec, "--oversubscribe", "-n", str(n), *words] if n else words

    def mount(self, kilobytes, option=""):
        if self.device:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"{option}size={kilobytes * 1000}", "none",
                            self.device],
                           check=True)

    def judge(self, case, kilobytes, n, command):
        """In an empty folder. A size in which a program cannot even start MPI and print its version is the
        libraries' to refuse."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        program = case[0].split()[0]
        version = self.command(self.prefix(kilobytes), f"{program} --version", n)
        if self.kind == "address" and end_of(version, self.out)[0] != 0:
            return
        status, errors = end_of(command, self.out)
        self.statuses.append(status)
        faults = [*judge_end(program, status, errors),
                  *judge_files(status, self.out, self.kind == "shm" and "--checkpoint" in case[1])]
        for path in self.device.iterdir() if self.kind == "shm" else ():
            faults.append(f"{path} is left")
            path.unlink()
        check(not faults, f"{case[0]}, {n} processes, {kilobytes} kB:", *faults, "\n" + errors[:3000])

    def run(self, n_steps):
        ratio = (self.most / self.least) ** (1 / max(1, n_steps - 1))
        if self.kind == "disk":
            self.device.mkdir()
        self.mount(50)
        for kilobytes in [round(self.least * ratio ** step) for step in range(n_steps)]:
            self.mount(kilobytes, "remount,")
            for case in self.cases if n_steps > FEW or self.kind == "file" else self.cases[:1]:
                for n in self.numbers if n_steps > FEW else self.numbers[:1]:
                    words = f"{case[0]} {case[1] if self.writes_all else JSON}"
                    self.judge(case, kilobytes, n, self.command(self.prefix(kilobytes), words, n))
        if self.kind == "address":  # only one process of two is limited
            words = f"{HF[0]} {JSON}"
            self.judge(HF, 440000, 1, [*self.command(self.prefix(440000), words, 1), ":", "-n", "1",
                                       *self.command([], words, 0)])
        if self.kind == "disk":
            subprocess.run(["umount", self.device], check=True)
        counts = {status: self.statuses.count(status) for status in self.statuses}
        check({0, 1} <= set(counts), "no size was enough, or all were")
        print(f"runs with each status: {counts}; {len(complaints)} complaints")


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
    n_steps = int(sys.argv[5]) if len(sys.argv) > 5 else FEW
    if sys.argv[1] in ("shm", "disk"):
        enter_namespace()
    with tempfile.TemporaryDirectory() as scratch:
        Sweep(*sys.argv[1:5], scratch).run(n_steps)
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
