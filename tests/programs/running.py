# SPDX-License-Identifier: BSD-3-Clause
"""Shared by tests in Python of programs as a whole: runs, and complaints, which make the exit status."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_results  # pylint: disable=wrong-import-position

# A single process needs no daemon, which takes Open MPI 0.1 s to start.
ALONE = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_btl": "self"}
complaints = []


class Fault(Exception):
    """A run ends otherwise than it should."""


def check(holds, *words):
    if not holds:
        print(*words, flush=True)
        complaints.append(words)


def started(mpiexec, n_processes, *command):
    """The command on this number of processes."""
    mpirun = [mpiexec, "--oversubscribe", "-n", str(n_processes)] if n_processes > 1 else []
    return [*mpirun, *map(str, command)]


def run(command, seconds=120, **settings):
    """Exit status, standard output and standard error of a run that must end in time."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds,
                              check=False, **settings)
    except subprocess.TimeoutExpired as late:
        raise Fault(f"no end after {seconds} s: {' '.join(command)}\n{late.stderr}") from None
    return done.returncode, done.stdout, done.stderr


def run_well(command, **settings):
    """Standard output of a run that must end with status 0."""
    status, output, message = run(command, **settings)
    if status != 0:
        raise Fault(f"exit status {status}: {' '.join(command)}\n{message[-3000:]}")
    return output


def run_result(command, status=0, path="result.json", **settings):
    """Result, standard output and standard error of a run that must end with this status, and with a result
    that the schema permits unless it is refused."""
    pathlib.Path(path).unlink(missing_ok=True)
    found, output, errors = run([*command, "--json", path], **settings)
    faults = [f"exit status {found}, not {status}"] if found != status else []
    faults += check_results.violations(path) if status != 2 else []
    if faults:
        raise Fault(f"{' '.join(command)}: {faults}\n{errors[-3000:]}")
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8")) if status != 2 else {}, output, errors
