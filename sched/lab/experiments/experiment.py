# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of the papers' experiments: runs of beryl-sched, a result, a figure.

    lab = experiment.begin("dtree", __doc__)
    static, dtree = lab.sweep(["--gauss 0.5,0.1 --tasks 640 --simulate 16 --sched " + mode
                               for mode in ("static", "dtree")])
    lab.table("Seconds", ["mode", "paper", "ours"], [["static", 25, ...], ...])
    lab.paper["imbalance"] = 0.05
    lab.beryl["imbalance"] = experiment.last(dtree)["imbalance"]
    lab.at_most("dtree balances", lab.beryl["imbalance"], 0.05)
    lab.draw([figure.Panel(...), ...])
    sys.exit(lab.end())

A script writes NAME.json: {"experiment": NAME, "quick": whether, "paper": {...},
"beryl": {...}, "checks": {claim: {"value":, "bound":, "holds":}}}, and draws NAME.svg.
Its exit status is 0 if all checks hold, 1 if not, 2 if it could not run. Running takes
Python's standard library; drawing takes matplotlib, which --no-figure does without.
"""
import argparse
import array
import concurrent.futures
import csv
import importlib.util
import json
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "scripts"))
import at_rest  # noqa: E402


def parser(description):
    """The command line that all scripts have; a script may add options of its own."""
    options = argparse.ArgumentParser(description=description,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--beryl-sched", metavar="PATH", default=ROOT / "build/release/bin",
                         type=pathlib.Path, help="the program, or the folder where it and the "
                         "other programs are (build/release/bin)")
    options.add_argument("--np", metavar="N", type=int, default=1,
                         help="simulated runs at a time (1)")
    options.add_argument("--quick", action="store_true",
                         help="smaller runs that show the same, in seconds")
    options.add_argument("--json", metavar="OUT.json", help="the result (NAME.json)")
    options.add_argument("--figure", metavar="OUT.svg", help="the drawing (NAME.svg)")
    options.add_argument("--no-figure", action="store_true", help="do not draw")
    return options


def begin(name, description, options=None):
    """The experiment that the command line asks for; options: as parsed from parser()."""
    options = options or parser(description).parse_args()
    if not options.no_figure and importlib.util.find_spec("matplotlib") is None:
        stop("drawing takes matplotlib (Debian: apt-get install python3-matplotlib); "
             "--no-figure does without")
    return Experiment(name, options)


def stop(message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def iterations(result):
    return result["iterations"]


def last(result):
    """The figures of a run's last iteration."""
    return result["iterations"][-1]


class Experiment:
    def __init__(self, name, options):
        self.name, self.options, self.quick = name, options, options.quick
        self.paper, self.beryl, self.checks = {}, {}, {}
        self.folder = pathlib.Path(options.beryl_sched)
        if not self.folder.is_dir():
            self.folder = self.folder.parent
        self.program("beryl-sched")

    # --- runs ---

    def program(self, name):
        """The path of one of Beryl's programs."""
        path = self.folder / name
        if not os.access(path, os.X_OK):
            stop(f"{path} is not there: build it, or name its folder with --beryl-sched")
        return str(path)

    def modes(self):
        """The names of all scheduling modes."""
        listed = subprocess.run([self.program("beryl-sched"), "--list-modes"], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        return [line.split("\t")[0] for line in listed.splitlines()]

    def run(self, options, processes=1):
        """The result of one run of beryl-sched, on so many processes."""
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "result.json"
            execute(launcher(processes) + [self.program("beryl-sched"), *shlex.split(options),
                                           "--json", str(result)])
            return json.loads(result.read_text())

    def sweep(self, lines, run=None):
        """The results of simulated runs, one for each string of options, in this order, --np at a time.
        run: in place of self.run"""
        print(f"{self.name}: {len(lines)} simulated runs ...", flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.options.np) as pool:
            return list(pool.map(run or self.run, lines))

    def sweep_workers(self, lines):
        """As sweep, with measurements of every worker, or of every thread of workers with several, in
        the last iteration: pairs of the result and a list of {"tasks":, "idle_seconds":, ...}."""
        return self.sweep(lines, self.run_workers)

    def run_workers(self, options):
        result, by_iteration = self.run_iterations(options)
        return result, by_iteration[-1]

    def run_iterations(self, options):
        """One such run, with a list of the workers' figures for each iteration."""
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "workers.csv"
            result = self.run(f"{options} --write-statistics {table}")
            with open(table, encoding="utf-8", newline="") as file:
                heads, *rows = csv.reader(file)
        by_iteration = {}
        for row in rows:
            by_iteration.setdefault(row[0], []).append(dict(zip(heads, map(float, row))))
        return result, list(by_iteration.values())

    def measure_at_rest(self, run):
        """The result of run(); without --quick again if the machine was disturbed."""
        return run() if self.quick else at_rest.measure(run)

    # --- what comes out ---

    def at_most(self, claim, value, bound):
        self.check(claim, value, bound, value <= bound)

    def at_least(self, claim, value, bound):
        self.check(claim, value, bound, value >= bound)

    def equal(self, claim, value, bound):
        self.check(claim, value, bound, value == bound)

    def check(self, claim, value, bound, holds):
        """Asserted of our runs: what a test of the script's JSON insists on."""
        self.checks[claim] = {"value": value, "bound": bound, "holds": bool(holds)}

    def table(self, title, heads, rows):
        """Prints columns; None, where nobody says, is a dash."""
        cells = [heads] + [[text(cell) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
        print(f"\n{title}")
        for row in cells:
            print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
        print(flush=True)

    def draw(self, panels):
        """Draws figure.Panels side by side, unless --no-figure is given."""
        if self.options.no_figure:
            return
        import figure
        path = self.options.figure or f"{self.name}.svg"
        figure.write(panels, path)
        print(f"{self.name}: drawn in {path}")

    def end(self):
        """Prints the checks, writes the result; the script's exit status."""
        for claim, check in self.checks.items():
            print(f"{'holds' if check['holds'] else 'FAILS'}: {claim}: {text(check['value'])}, "
                  f"bound {text(check['bound'])}")
        path = self.options.json or f"{self.name}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"experiment": self.name, "quick": self.quick, "paper": self.paper,
                       "beryl": self.beryl, "checks": self.checks}, file, indent=2)
            file.write("\n")
        return 0 if all(check["holds"] for check in self.checks.values()) else 1


def text(cell):
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def write_profile(path, seconds):
    """Writes an array("d") of durations as the .npy file that --profile reads."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(seconds)},), }}"
    head = head.ljust(117) + "\n"  # 128 bytes with the ten before
    if sys.byteorder == "big":
        seconds = array.array("d", seconds)
        seconds.byteswap()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        seconds.tofile(file)


def read_profile(path):
    """The array("d") of such a file, as beryl-hf writes it too."""
    seconds = array.array("d")
    with open(path, "rb") as file:
        start = file.read(10)
        if start[:8] != b"\x93NUMPY\x01\x00":
            stop(f"{path} is no .npy file of version 1")
        file.seek(10 + int.from_bytes(start[8:], "little"))
        seconds.frombytes(file.read())
    if sys.byteorder == "big":
        seconds.byteswap()
    return seconds


def launcher(processes):
    return [] if processes == 1 else ["mpirun", "--oversubscribe", "-np", str(processes)]


def execute(command):
    """Runs a program to its end; ends the script if that fails."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    if os.geteuid() == 0:  # as in a container
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        stop(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stderr.strip()}")
    return done.stdout
