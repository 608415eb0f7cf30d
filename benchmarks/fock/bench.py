# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the benchmarks of Fock builds: systems, Beryl's runs, machine, tables."""
import datetime
import json
import math
import os
import platform
import statistics
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
RUNS = os.path.join(ROOT, "build", "benchmarks", "fock")  # kept: a density is converged once
sys.path += [os.path.join(ROOT, name) for name in ("inputs", "scripts")]
import at_rest  # noqa: E402
import make_inputs  # noqa: E402

OTHERS = ("nwchem", "psi4")
PSI4_BASES = "/usr/share/psi4/basis"  # of Debian's psi4-data

# Name: molecule, basis, threshold, further options of beryl-hf, programs to compare with. Under
# --screening schwarz the density decides nothing, and the guess is one as good as any.
SYSTEMS = {
    "water10/cc-pvdz": ("water10", "cc-pvdz", 1e-10, [], OTHERS),
    "c24h12/cc-pvdz": ("c24h12", "cc-pvdz", 1e-10, [], OTHERS),
    "water10/def2-tzvp": ("water10", "def2-tzvp", 1e-10, [], OTHERS),
    "c20h42/6-31g": ("c20h42", "6-31g", 1e-10, [], OTHERS),
    "be16/be15s": ("be16", "be15s", 1e-10, [], OTHERS),
    **{f"{molecule}/{basis}": (molecule, os.path.join(PSI4_BASES, basis + ".gbs"), 1e-10, [], OTHERS)
       for molecule, basis in (("water", "cc-pvqz"), ("water", "cc-pv5z"), ("water", "aug-cc-pvqz"),
                               ("neon", "cc-pv5z"))},
    "be64/be15s": ("be64", "be15s", 1e-10, [], OTHERS),
    "be256/be15s": ("be256", "be15s", 1e-6, ["--screening", "schwarz"], ()),
    "be256/be15s/avx2": ("be256", "be15s", 1e-6,
                         ["--screening", "schwarz", "--engine", "avx2"], ()),
}


# Those that inputs/ lacks: atoms in angstrom.
MOLECULES = {
    "neon": "Ne 0 0 0\n",
    "mn": "Mn 0 0 0\n",
    "co": "C 0 0 0\nO 0.3 0.6 0.9\n",
}


def environment():
    """One thread for each process, and no kernels of BLAS but those that a program chooses."""
    variables = {name: value for name, value in os.environ.items()
                 if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    return {**variables, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none", "HWLOC_COMPONENTS": "-gl",
            "GFORTRAN_UNBUFFERED_PRECONNECTED": "y"}


def mpirun(processes, command):
    return ["mpirun", "--oversubscribe", "-np", str(processes)] + command


def molecule_file(name):
    """A file of inputs/, one of MOLECULES, or a chain of the same rule: c40h82, be128."""
    path = os.path.join(ROOT, "inputs", name + ".xyz")
    if os.path.exists(path):
        return path
    if name in MOLECULES:
        text = f"{MOLECULES[name].count(chr(10))}\n\n{MOLECULES[name]}"
    elif name.startswith("be"):
        text = make_inputs.xyz_text("units=bohr", make_inputs.be_chain(int(name[2:])), 4)
    elif name.startswith("c") and "h" in name:
        n_carbons = int(name[1:name.index("h")])
        text = make_inputs.xyz_text("", make_inputs.icosane(n_carbons), 8)
    else:
        sys.exit(f"{name}: no molecule of inputs/ has this name")
    os.makedirs(RUNS, exist_ok=True)
    path = os.path.join(RUNS, name + ".xyz")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


class Beryl:
    """Runs of one build of Beryl on one molecule, basis and threshold; of runs at the same time each
    needs a name of its own."""

    def __init__(self, binaries, molecule, basis, screen, options=(), run=""):
        os.makedirs(RUNS, exist_ok=True)
        self.binaries = binaries
        system = f"{molecule}_{os.path.basename(basis)}"
        self.name = system + run
        self.input = [molecule_file(molecule), "--basis", basis]
        self.options = ["--screen", str(screen), *options]
        self.density = "guess" if "schwarz" in options else os.path.join(RUNS, system + ".h5")

    def run(self, processes, options):
        """The result; a failure ends the benchmark."""
        path = os.path.join(RUNS, self.name + ".json")
        command = mpirun(processes, [os.path.join(self.binaries, "beryl-hf")] + self.input +
                         options + ["--json", path])
        with open(os.path.join(RUNS, self.name + ".log"), "w", encoding="utf-8") as log:
            subprocess.run(command, check=True, env=environment(), stdout=log)
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def converge(self):
        """The file of a converged density, from an earlier run if there is one."""
        if self.density != "guess" and not os.path.exists(self.density):
            print("converging", self.name, file=sys.stderr)
            self.run(os.cpu_count(), ["--converge", "1e-7", "--stability", "never", "--fock-only",
                                      "1", "--density", "converged", "--checkpoint",
                                      self.density + ".part"])
            os.rename(self.density + ".part", self.density)
        return self.density

    def build(self, processes, n=3, options=()):
        """Median seconds, integrals and costs of classes of n builds from the density."""
        result = self.run(processes, self.options + list(options) + [
            "--fock-only", str(n), "--density", self.density])
        extras = result["extras"]["beryl"]
        return {"seconds": statistics.median(i["fock_seconds"] for i in extras["iterations"]),
                "integrals": extras["iterations"][0]["integrals"],
                "functions": result["properties"]["calcinfo_nbasis"],
                "classes": extras.get("classes"), "fock_sha256": extras["fock_sha256"]}

    def errors(self, thresholds, reference=1e-14):
        """By threshold the largest error of an element of F and the two-electron energy."""
        command = mpirun(1, [os.path.join(self.binaries, "bench_fock_errors"),
                             ",".join(map(str, [reference, *thresholds]))] + self.input +
                         ["--fock-only", "1", "--density", self.density])
        text = subprocess.run(command, check=True, env=environment(), text=True,
                              stdout=subprocess.PIPE).stdout
        rows = [[float(cell) for cell in row.split()] for row in text.splitlines()]
        return {threshold: {"error": error, "two_electron_energy": energy}
                for threshold, error, energy in rows}


def chosen(text, known):
    """The names in text, separated by commas, or all that are known; another one ends the script."""
    names = list(known) if text == "all" else text.split(",")
    for name in names:
        if name not in known:
            sys.exit(f"{os.path.basename(sys.argv[0])}: no {name}: there are {', '.join(known)}")
    return names


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((row.split(":")[1].strip() for row in file if row.startswith("model name")),
                     platform.machine())
        file.seek(0)
        flags = next((row.split() for row in file if row.startswith("flags")), [])
    vectors = next((name for name in ("avx512f", "avx2") if name in flags), "baseline")
    return f"{model}, {os.cpu_count()} cores, {vectors}"


def clock_ghz(binaries):
    """The present clock rate of a core."""
    return float(subprocess.run([os.path.join(binaries, "bench_clock")], check=True, text=True,
                                stdout=subprocess.PIPE).stdout)


def write_results(path, results):
    """Adds machine, date and commit."""
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], text=True,
                            stdout=subprocess.PIPE, check=False).stdout.strip()
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "date": datetime.date.today().isoformat(),
                   "commit": commit, "load_average": os.getloadavg(), **results}, file, indent=1)
        file.write("\n")


def print_table(head, rows):
    """In Markdown, as the README takes it."""
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" for _ in head) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def at_error(points, error):
    """The threshold with the given error, by interpolation of log(error) in log(threshold), or the nearest
    point's threshold; points: (threshold, error)."""
    points = sorted((t, e) for t, e in points if e > 0)
    below = [p for p in points if p[1] <= error]
    above = [p for p in points if p[1] > error]
    if not below or not above:
        return (below or above)[-1 if below else 0][0]
    (t0, e0), (t1, e1) = below[-1], above[0]
    return t0 * (t1 / t0) ** (math.log(error / e0) / math.log(e1 / e0))
