#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs end as endings.txt says: with the status of their outcome and one line of the program's own, in time. After
a status 2 nothing is printed on standard output and no file has changed. After a 1 the result has the error of
that line, and files are left only where the table has them. Each outcome of RESULTS.md has two rows of each of
its programs.

    test_endings.py PROGRAM BIN MPIEXEC [PROCESSES]

PROGRAM is hf, tce, sched, report or vt; on several PROCESSES (1) only rows with a star run.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from running import ALONE, check_results, started

ROOT = pathlib.Path(__file__).resolve().parents[2]

SECONDS = 60  # for a run
N_AT_ONCE = 2
RESULT = "failed.json"
CHOICE = re.compile(r"\{([^{}]*\|[^{}]*)\}")


def unescape(text):
    return text.encode().decode("unicode_escape")


class Kind:
    """Rows of texts for one file. before: what the file begins with."""

    def __init__(self, program, arguments, file="", before=""):
        self.program, self.arguments, self.file, self.before = program, arguments, file, before


class Row:
    def __init__(self, outcome, kind, words, message, shown):
        self.outcome, self.kind, self.message, self.shown = outcome, kind, message, shown
        self.text, self.settings, self.kept = None, {}, set()
        if kind.file:
            self.text, words = kind.before + unescape(words), kind.arguments
            self.message = kind.file + message if message.startswith(":") else message
        self.arguments = shlex.split(words)
        while self.arguments and self.arguments[0].startswith("@"):
            name, value = self.arguments.pop(0)[1:].split("=")
            self.settings[name] = value
            if name == "kept":
                self.kept.add(value)

    def has_result(self):
        """Whether a failure of it leaves a result: not if the watchdog ends it or MPI cannot start."""
        return (self.outcome[0] == "1" and self.kind.program in ("hf", "tce", "sched")
                and "could not be written" not in self.outcome[1]
                and "--watchdog" not in self.arguments and self.settings.get("address") != "300000")


class Table:
    def __init__(self, path, program, n_processes):
        self.names, self.files, self.made, self.rows = {}, {}, {}, []
        self.kinds = {name: Kind(name, "") for name in ("hf", "tce", "sched", "report", "vt")}
        outcome = None
        for line in path.read_text(encoding="utf-8").splitlines():
            word, _, rest = line.partition(" ")
            name, _, value = rest.partition(" = ")
            if word == "==":
                outcome = tuple(rest.split(" | "))
            elif word == "let":
                self.names[name] = value
            elif word == "file":
                self.files[name] = unescape(value)
            elif word == "made":
                self.made[name] = value
            elif word == "kind":
                parts = re.fullmatch(r"(\w+): (.*) <= (\S+)(?: = (.*))?", value)
                self.kinds[name] = Kind(parts[1], self.expand(parts[2]), parts[3], unescape(parts[4] or ""))
            elif line and word != "#":
                self.add(outcome, line, program, n_processes)

    def expand(self, text):
        return re.sub(r"\$([a-z]\w*)", lambda found: self.names[found[1]], text)

    def add(self, outcome, line, program, n_processes):
        name, stars, words, message = re.fullmatch(r"(\w+)(\**): (.*?)(?: => (.*))?", line).groups()
        kind = self.kinds[name]
        if kind.program != program or (not stars if n_processes > 1 else stars == "**"):
            return
        words = self.expand(words)
        for chosen in itertools.product(*(found.split("|") for found in CHOICE.findall(words))):
            row, text = words, message or ""
            for n, choice in enumerate(chosen, 1):
                row = CHOICE.sub(lambda _: choice, row, count=1)  # pylint: disable=cell-var-from-loop
                row, text = (part.replace(f"${n}", (choice.split() or [""])[0]) for part in (row, text))
            self.rows.append(Row(outcome, kind, row, text, f"{name}: {row}"))


class Runs:
    """Runs of one program, each in a folder of the thread's own with all inputs."""

    def __init__(self, table, program, folder, mpiexec, n_processes, scratch):
        self.table, self.program, self.bin = table, f"beryl-{program}", pathlib.Path(folder).resolve()
        self.mpiexec, self.n_processes = mpiexec, n_processes
        self.scratch, self.own = pathlib.Path(scratch), threading.local()
        self.made = {}
        for name, text in table.made.items() if program in ("hf", "tce") else ():
            owner, words = table.expand(text).split(": ")
            folder = self.new_folder()
            command = [self.bin / f"beryl-{owner}", *words.split()]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            self.made[name] = folder / name
        if "good.h5" in self.made:
            self.cut_checkpoint("good" if program == "hf" else "ccsd")

    def cut_checkpoint(self, name):
        """As a full disk or an interrupted copy leave it."""
        whole = self.made[f"{name}.h5"].read_bytes()
        n = len(whole)
        for cut, data in {"last": whole[:-1], "half": whole[:n // 2], "start": whole[:100]}.items():
            self.made[f"cut_{cut}.h5"] = self.scratch / f"cut_{cut}.h5"
            self.made[f"cut_{cut}.h5"].write_bytes(data)
        self.made["zeroed.h5"] = self.scratch / "zeroed.h5"
        self.made["zeroed.h5"].write_bytes(whole[:n // 3] + bytes(n - n // 3))

    def new_folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        folder.with_suffix(".mpi").mkdir()  # two runs that make Open MPI's folder at once fail
        for name, text in self.table.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        for name in ("folder", "folder.gbs", "folder.csv", "folder.tce", "folder.npy", "folder.1.json"):
            (folder / name).mkdir()
        for name in ("pipe.h5", "pipe.csv", "pipe.npy"):
            os.mkfifo(folder / name)
        binary = (self.bin / self.program).read_bytes()[:4096]
        for suffix in ("", ".gbs", ".csv", ".npy"):
            (folder / f"binary{suffix}").write_bytes(binary)
            (folder / f"zeros{suffix}").touch()
            os.truncate(folder / f"zeros{suffix}", 200 * 10**6)
            (folder / f"empty{suffix}").touch()
        (folder / "noise").write_bytes(random.Random(1).randbytes(100000))
        (folder / "nul.xyz").write_bytes(b"2\n\nH 0 0 0\nH 0 0 1\0\n")
        (folder / "row.xyz").write_text("33\n\n" + "".join(f"Ne 0 0 {i}\n" for i in range(33)))
        for name, text in long_programs().items():
            (folder / name).write_text(text)
        for name, made in self.made.items():
            shutil.copy(made, folder / name)
        return folder

    def command(self, row):
        path = str(self.bin / self.program)
        words = [path if word == "PROGRAM" else word for word in row.arguments]
        program = [path, *words, *(["--json", RESULT] if row.has_result() else [])]
        for name, limit in {"address": "as", "file": "fsize"}.items():
            if name in row.settings:
                program = ["prlimit", f"--{limit}={int(row.settings[name]) * 1024}", *program]
        if row.settings.get("output") == "closed":
            program = ["sh", "-c", 'exec "$@" >&-', "-", *program]
        return started(self.mpiexec, self.n_processes, *program)

    def run(self, row):
        """Status, standard output and standard error."""
        output, pipes = subprocess.PIPE, []
        if row.settings.get("output") == "full":
            pipes = [os.open("/dev/full", os.O_WRONLY)]
        elif row.settings.get("output") in ("unread", "errors"):
            reader, writer = os.pipe()
            os.close(reader)
            pipes = [writer]
        errors = pipes[0] if row.settings.get("output") == "errors" else subprocess.PIPE
        environment = {**(ALONE if self.n_processes == 1 else os.environ),
                       "TMPDIR": str(self.own.folder.with_suffix(".mpi"))}
        with subprocess.Popen(self.command(row), cwd=self.own.folder, stdin=subprocess.DEVNULL, env=environment,
                              stdout=pipes[0] if pipes else output, stderr=errors, text=True, errors="replace",
                              restore_signals="file" not in row.settings) as process:
            for pipe in pipes:
                os.close(pipe)
            try:
                try:
                    found = process.communicate(timeout=0.5 if "signal" in row.settings else SECONDS)
                except subprocess.TimeoutExpired:
                    process.send_signal(getattr(signal, f"SIG{row.settings.get('signal', 'KILL')}"))
                    found = process.communicate()
            finally:
                process.kill()
        status = process.returncode
        return 128 - status if status < 0 else status, found[0] or "", found[1] or ""

    def snapshot(self):
        return {path: (path.lstat().st_size, path.lstat().st_mtime_ns, path.lstat().st_ino)
                for path in self.own.folder.rglob("*")}

    def check(self, row):
        """What is wrong with the end of a run."""
        if not hasattr(self.own, "folder"):
            self.own.folder = self.new_folder()
        if row.text is not None:
            (self.own.folder / row.kind.file).write_text(row.text)
        before = self.snapshot()
        status, output, errors = self.run(row)
        after = self.snapshot()
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        faults = [*self.judge_text(row, status, output, errors), *self.judge_files(row, changed, errors)]
        for path in changed - before.keys():
            path.unlink()
        if row.kind.file:
            (self.own.folder / row.kind.file).unlink()
        return "".join(f"{row.shown}: {fault}\n" for fault in faults) + (f"    {errors[:3000]}\n" if faults else "")

    def judge_text(self, row, status, output, errors):
        expected, printed_to = row.outcome[0], row.settings.get("output")
        if "signal" in row.settings:
            expected = 128 + getattr(signal, f"SIG{row.settings['signal']}")
        if status != int(expected):
            yield f"exit status {status}, not {expected}"
        lines = errors.splitlines()
        own = [line for line in lines if line.startswith(f"{self.program}: ")]
        has_line = expected in ("1", "2") and printed_to != "errors" and "--watchdog" not in row.arguments
        if has_line and (len(own) != 1 or expected == "2" and self.n_processes == 1 and len(lines) > 1):
            yield f"{len(own)} messages in {len(lines)} lines"
        if not re.search(".*".join(map(re.escape, row.message.split(" ... "))), " ".join(own)):
            yield f"the message does not say: {row.message}"
        if expected == "2" and output and not printed_to:
            yield f"printed: {output[:500]}"
        if row.outcome[1].startswith("`--help`") and errors:
            yield "something on standard error"

    def judge_files(self, row, changed, errors):
        expected = {self.own.folder / name for name in row.kept | ({RESULT} if row.has_result() else set())}
        if changed != expected and not (row.outcome[0] == "0" and not row.kept):
            found, wanted = (sorted(path.name for path in paths) for paths in (changed, expected))
            yield f"changes {found}, not {wanted}"
        for path in changed & expected:
            if path.suffix == ".json":
                yield from check_results.violations(path)
            if path.stat().st_size == 0:
                yield f"{path.name} is empty"
            elif path.name == RESULT:
                error = json.loads(path.read_text(encoding="utf-8")).get("error", {}).get("error_message")
                if f"{self.program}: {error}\n" not in errors:
                    yield f"the result has the error {error}"


def long_programs():
    """Programs of more than the language permits, and two that declare what a method's tensors do not have."""
    words = [f"i{n}" for n in range(10000)]
    pairs = range(1, 18)
    method = (ROOT / "tce/methods/ccsd.tce").read_text(encoding="utf-8") + "finally\n"
    return {
        "indices.tce": f"space s = 2\nindex {', '.join(words)} : s\n",
        "rank.tce": f"space s = 2\nindex {', '.join(words[:4001])} : s\ntensor A[{', '.join(words[:4001])}]\n",
        "factors.tce": "space s = 7\nindex i : s\ntensor A[i]\nscalar E\nE = A[i]" + " * A[i]" * 64 + "\n",
        "name.tce": "a" * 100000,
        "iterated.tce": "space o = occupied\nindex i : o\nscalar E\n"
                        + "".join(f"tensor x{n}[i]\ntensor y{n}[i]\n" for n in pairs)
                        + f"iterate {', '.join(f'x{n} from y{n}' for n in pairs)}, energy E\nE = x1[i] * x1[i]\n"
                        + "".join(f"y{n}[i] = x{n}[i]\n" for n in pairs),
        "lacking_symmetry.tce": method + "tensor X2[i,j,a,b] symmetric (i a)(j b)\n"
                                "X2[i,j,a,b] = t2[j,i,a,b] * t1[i,a]\n",
        "lacking_loop.tce": method + "scalar X\nfor a >= b by tile\n"
                            "X = t2[i,j,a,b] * t1[i,a] * t1[j,b] * t1[k,b] * t1[k,b]\nend\n"}


def lacking_rows(table, program):
    """Outcomes of RESULTS.md with fewer rows than two."""
    text = (ROOT / "RESULTS.md").read_text(encoding="utf-8").partition("## Exit statuses")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d[\d N+]*?) \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    outcomes = [tuple(row[:2]) for row in rows if f"beryl-{program}" in row[2].split(", ")]
    found = [row.outcome for row in table.rows]
    for outcome in set(found) - set(outcomes) if program != "vt" else ():
        yield f"RESULTS.md does not have the outcome {outcome} of beryl-{program}"
    for outcome in outcomes:
        if found.count(outcome) < 2:
            yield f"fewer rows than two: beryl-{program}, {outcome}"


def main():
    program, folder, mpiexec = sys.argv[1:4]
    n_processes = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    table = Table(pathlib.Path(__file__).with_name("endings.txt"), program, n_processes)
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs(table, program, folder, mpiexec, n_processes, scratch)
        with concurrent.futures.ThreadPoolExecutor(N_AT_ONCE) as pool:
            complaints = [fault for fault in pool.map(runs.check, table.rows) if fault]
    complaints += lacking_rows(table, program) if n_processes == 1 else []
    print("\n".join(complaints), f"\n{len(table.rows)} runs, {len(complaints)} complaints")
    return len(complaints) > 0


if __name__ == "__main__":
    sys.exit(main())
