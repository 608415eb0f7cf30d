#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random options of random modes end as RESULTS.md says: in time, with a complete result, with a
result that has the error, or with a refusal and no file.

    test_random_options.py BERYL_SCHED MPIEXEC [RUNS [SEED]]

RUNS (8) runs of beryl-sched on 3 to 13 processes. Modes and options come from --list-modes and
--help-all, so that a new one is drawn too; values are ordinary ones and the extremes. If no task ends, --watchdog
reports each process.
"""

import json
import os
import random
import re
import shlex
import sys
import tempfile

from running import Fault, check, check_results, complaints, run, run_well, started

SECONDS = 120  # for a run
NOT_DRAWN = {"sched", "seed", "watchdog", "trace"}


class Option:
    """An option of some modes, or of all, as --help-all describes it."""

    def __init__(self, name, value, text, modes):
        self.name, self.value = name, value
        before, _, _ = text.partition(":")
        named = [word.strip() for word in before.split(",")]
        self.modes = named if all(word in modes for word in named) else modes
        self.choices = [word.strip() for word in self.find(r"\(one of ([^;)]*)", text, "").split(",")]
        low, high = self.find(r"\((?:from|larger than) (\S+) (?:to|and at most) ([^;)\s]+)", text,
                              (0, 1))
        self.low, self.high = float(low), float(high)

    @staticmethod
    def find(pattern, text, default):
        found = re.search(pattern, text)
        return default if not found else found.groups() if len(found.groups()) > 1 else found[1]

    def draw_number(self, choose):
        numbers = [self.low, self.low + 1, 2, 3, 7, 50, 1000, self.high / 2, self.high]
        number = choose.choice([number for number in numbers if self.low <= number <= self.high])
        if self.value != "N":
            number = choose.choice([number, choose.uniform(self.low, min(self.high, 2))])
        return str(int(number)) if self.value == "N" else f"{number:.6g}"

    def draw(self, choose, folder, n_processes):
        """The option as a word, with one of its values."""
        if not self.value:
            return f"--{self.name}={choose.choice(['true', 'false'])}"
        if self.choices != [""]:
            return f"--{self.name}={choose.choice(self.choices)}"
        if self.value == "half|N":
            return f"--{self.name}={choose.choice(['half', '1', '2', '50', str(10**15)])}"
        if self.value == "FILE":
            path = os.path.join(folder, "numbers.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(f"{choose.uniform(0.5, 3):.3g}\n" for _ in range(n_processes))
            return f"--{self.name}={path}"
        return f"--{self.name}={self.draw_number(choose)}"


def read_options(help_all, modes):
    section = help_all.partition("Scheduling:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^  --([a-z-]+)(?: (\S+))? *\n? +((?:.*\n(?!  --))*.*)", section, re.MULTILINE)
    options = [Option(name, value, " ".join(text.split()), modes) for name, value, text in rows]
    return [option for option in options if option.name not in NOT_DRAWN]


def draw_workload(choose, is_dynamic):
    if is_dynamic and choose.random() < 0.4:
        return ["--uts", f"-t 1 -a 3 -d {choose.randint(1, 7)} -b 3 -r {choose.randint(0, 99)}"]
    mean = choose.choice([0, 1e-6, 1e-5, 1e-4, 3e-4])
    durations = choose.choice([["--exponential", f"{mean}"], ["--gauss", f"{mean},{mean / 3}"]])
    return durations + ["--tasks", str(choose.choice([0, 1, 2, 13, 100, 300, 1000]))]


def draw_arguments(choose, modes, options, folder, n_processes):
    mode = choose.choice(list(modes))
    own = [option for option in options if mode in option.modes]
    drawn = choose.sample(own, choose.randint(0, min(len(own), 6)))
    return (draw_workload(choose, modes[mode] == "dynamic")
            + ["--watchdog", str(SECONDS // 2), "--sched", mode, "--iterations",
               str(choose.randint(1, 5)), "--seed", str(choose.randint(0, 10**6))]
            + [option.draw(choose, folder, n_processes) for option in drawn])


def find_fault(status, errors, path, n_iterations):
    """The fault in the end of a run, or None."""
    lines = [line for line in errors.splitlines() if line.startswith("beryl-sched: ")]
    if status not in (0, 1, 2):
        return f"exit status {status}"
    if (status == 0) != (len(lines) == 0) or len(lines) > 1:
        return f"exit status {status} with {len(lines)} messages"
    if os.path.exists(path) == (status == 2):
        return f"exit status {status} {'with' if status == 2 else 'without'} a result"
    if status == 2:
        return None
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    message = result.get("error", {}).get("error_message")
    if lines != ([f"beryl-sched: {message}"] if message else []):
        return f"exit status {status} and the error {message}"
    if status == 0 and len(result["iterations"]) != n_iterations:
        return f"{len(result['iterations'])} iterations of {n_iterations}"
    return "\n".join(check_results.violations(path)) or None


def main():
    beryl_sched, mpiexec = sys.argv[1:3]
    n_runs = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(10**6)
    modes = dict(line.split("\t")[:2] for line in run_well([beryl_sched, "--list-modes"]).splitlines())
    options = read_options(run_well([beryl_sched, "--help-all"]), modes)
    ends = {0: 0, 1: 0, 2: 0}
    print(f"seed {seed}, {len(modes)} modes, {len(options)} options", flush=True)
    for i in range(n_runs):
        choose = random.Random(f"{seed} {i}")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            n_processes = choose.randint(3, 13)
            arguments = draw_arguments(choose, modes, options, folder, n_processes)
            command = started(mpiexec, n_processes, beryl_sched, *arguments, "--json", path)
            try:
                status, _, errors = run(command, seconds=SECONDS)
                ends[status] = ends.get(status, 0) + 1
                n_iterations = int(arguments[arguments.index("--iterations") + 1])
                fault = find_fault(status, errors, path, n_iterations)
            except Fault as late:
                fault, errors = late, ""
        check(not fault, f"run {i}: {shlex.join(command)}\n{fault}\n{errors[-4000:]}")
    print(f"{n_runs} runs: {ends[0]} completed, {ends[1]} failed with a result, {ends[2]} refused; "
          f"{len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
