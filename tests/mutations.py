#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fraction of small changes to the product (mutants) that the unit tests find, by room.

    tests/mutations.py [--seed N] [--number N] [--rooms ROOM,...] [--list]

A mutant is one sign, bound, comparison, pair of neighbouring indices, or statement of a C file, changed
or dropped. Files are drawn by their lines of code, the same number of mutants in each room. A mutant that
does not compile, or leaves the object code unchanged, is drawn again. The same seed and the
same tree make the same mutants.

Mutants are made in a copy of the checkout, which is built there with the preset. A mutant is found when
a unit test of its room fails, or does not end. The tests are those that pass without a change, the
shortest first, as many as take a minute together. Results are kept in the folder: a run that was
interrupted resumes there.
"""

import argparse
import bisect
import glob
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The folders of tests of each room; without test_broken_*, which pass where schedules find a fault.
ROOMS = {
    "support": ["unit/support"],
    "basis": ["unit/basis"],
    "sched/pool": ["unit/sched", "property"],
    "sched/lab": ["unit/sched"],
    "hf": ["unit/hf"],
    "tce": ["unit/tce"],
}
HANG_S = 60  # a test that takes so much more than ten times as long as without a change does not end
MEMORY = 4 << 30  # bytes that a process of a test may have

# ---- sites: (start, end, replacement) in the text of a file ----

NO_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*   # comments, preprocessor
                         |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.M | re.S | re.X)
SILENT = re.compile(r"\b(?:assert|static_assert|FAIL|CHECK_MEMORY|die\w*|log_\w+|v?printf|puts"
                    r"|fprintf(?=\(stderr)|taskpool_comm_report)\(")
BODY = re.compile(r"^\{\n.*?^\}", re.M | re.S)  # of a function
STATEMENT = re.compile(r"^[ \t]+(?:[\w.>*\[\]()-]+(?: [-+*/%&|^]?= |\+\+;|--;)|([A-Za-z_]\w*)\()", re.M)
KEPT = re.compile(r"(?:if|for|while|switch|return|sizeof|va_end|\w*(?:free|destroy|fini|close|decref))$")
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "&&": "||", "||": "&&", "!": ""}


def closing(code, start):
    """Offset of the parenthesis that closes the one at start."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0:
            return at
    return len(code) - 1


def hide(code, start, end, mark):
    return code[:start] + re.sub(r"[^\n]", mark, code[start:end]) + code[end:]


def code_of(text):
    """The bodies of functions, all else blank and of the same length."""
    code = NO_CODE.sub(lambda m: hide(m[0], 0, len(m[0]), '"' if m[0][0] in "\"'" else " "), text)
    for call in SILENT.finditer(code):
        if code[call.end() - 1] == "(":  # not within another
            code = hide(code, call.end(), closing(code, call.end() - 1), '"')
    end, parts = 0, []
    for body in itertools.chain(BODY.finditer(code), [None]):
        start = body.start() if body else len(code)
        parts += [hide(code[end:start], 0, start - end, " "), body[0] if body else ""]
        end = body.end() if body else end
    return "".join(parts)


def signs(code):
    for m in re.finditer(r"(?<=[ (\[])[-+](?=[\s\w(*=])", code):
        yield m.start(), m.end(), "+" if m[0] == "-" else "-"


def bounds(code):
    for m in re.finditer(r"(?<= )([<>])(=?)(?=\s)|(?<![\w.])(\d+)(?![\w.])", code):
        yield m.start(), m.end(), str(int(m[3]) + 1) if m[3] else m[1] + ("" if m[2] else "=")


def comparisons(code):
    for m in re.finditer(r"(?<= )(?:[=!]=|[<>]=?|&&|\|\|)(?=\s)|(?<=[ (])!(?=[\w(*])", code):
        yield m.start(), m.end(), NEGATED[m[0]]


def swaps(code):
    index, name = r"\[([^][]+)\]\[([^][]+)\]", r"(?<=[(\s])([a-z_]\w*)(,\s+)([a-z_]\w*)(?=[,)])"
    for m in re.finditer(rf"(?=({index}|{name}))", code):
        a, between, b = (m[2], "][", m[3]) if m[2] else (m[4], m[5], m[6])
        if a != b and (m[2] or code[:m.start()].rstrip()[-1] in "(,"):
            swapped = b + between + a
            yield m.start(1), m.end(1), f"[{swapped}]" if m[2] else swapped


def drops(code):
    for m in STATEMENT.finditer(code):
        start, before = re.search(r"\S", code[m.start():]).start() + m.start(), code[:m.start()].rstrip()
        end = code.find(";", start) + 1
        statement = code[start:end]
        if (before[-1] in ";{}:)" or before.endswith("else")) and not KEPT.match(m[1] or "") \
                and not SILENT.match(statement) and not re.search(r"\{|CHECK_MEMORY", statement):
            yield start, end, ";"


KINDS = [signs, bounds, comparisons, swaps, drops]


# ---- the copy of the checkout ----

def run(command, **arguments):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **arguments)


def copy_checkout(tree):
    """Files as they are, also those that are not added yet; the digest of all."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, check=True).stdout.decode().split("\0")
    digest = hashlib.sha256()
    for name in sorted(set(filter(None, names))):
        if (ROOT / name).is_file():
            data = (ROOT / name).read_bytes()
            digest.update(f"{name} {len(data)} ".encode() + data)
            if not (tree / name).is_file() or (tree / name).read_bytes() != data:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_bytes(data)
                (tree / name).chmod((ROOT / name).stat().st_mode)
    return digest.hexdigest()


class Build:
    def __init__(self, tree, preset, jobs):
        self.tree, self.folder, self.jobs = tree, tree / "build" / preset, jobs
        done = run(["cmake", "--preset", preset], cwd=tree)
        if done.returncode != 0:
            sys.exit(done.stdout)
        self.commands, self.original = {}, {}
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            self.commands.setdefault(os.path.relpath(entry["file"], tree), []).append(entry)

    def objects(self, name):
        """Object code of a file, once for each of its targets; None if it does not compile."""
        codes = []
        for entry in self.commands[name]:
            with tempfile.NamedTemporaryFile(suffix=".o") as output:
                command = shlex.split(entry["command"])
                command[command.index("-o") + 1] = output.name
                # Swapped arguments of different types are no mistake that anyone makes.
                command += ["-g0", "-Werror=incompatible-pointer-types", "-Werror=int-conversion"]
                if run(command, cwd=entry["directory"]).returncode != 0:
                    return None
                codes.append(pathlib.Path(output.name).read_bytes())
        return codes

    def differs(self, name, text, changed):
        if name not in self.original:
            self.original[name] = self.objects(name)
        (self.tree / name).write_text(changed)
        codes = self.objects(name)
        (self.tree / name).write_text(text)
        return codes is not None and codes != self.original[name]

    def tests(self, folders):
        listed = json.loads(run(["ctest", "--show-only=json-v1"], cwd=self.folder).stdout)["tests"]
        for test in listed:
            properties = {p["name"]: p["value"] for p in test["properties"]}
            folder = os.path.relpath(properties["WORKING_DIRECTORY"], self.folder / "tests")
            if folder in folders and not test["name"].startswith("test_broken_"):
                yield {"name": test["name"], "folder": properties["WORKING_DIRECTORY"], "command": test["command"],
                       "program": next(word for word in test["command"]
                                       if word.startswith(str(self.folder / "tests/bin"))),
                       "environment": dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))}

    def make(self, targets):
        done = run(["ninja", "-j", str(self.jobs), *targets], cwd=self.folder)
        return None if done.returncode == 0 else done.stdout


# ---- tests ----

def set_limits():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_session(child):
    """mpiexec gives its processes groups of their own, but not sessions."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            pass
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            if int(pathlib.Path(path).read_text().rpartition(")")[2].split()[3]) == child.pid:
                os.kill(int(path.split("/")[2]), signal.SIGKILL)
        except OSError:
            pass
    child.wait()


def passes(test, limit_s):
    """Seconds of a test that passes, None of one that fails or does not end."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="beryl_", ignore_cleanup_errors=True) as scratch:
        child = subprocess.Popen(test["command"], cwd=test["folder"], preexec_fn=set_limits, start_new_session=True,
                                 env={**os.environ, **test["environment"], "TMPDIR": scratch},
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            status = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_session(child)
    return time.monotonic() - start if status == 0 else None


def digest_of(program):
    return hashlib.sha256(pathlib.Path(program).read_bytes()).digest()


def choose_tests(build, rooms, budget_s):
    failure = build.make(["unit-tests"])
    if failure:
        sys.exit(failure)
    tests = {room: list(build.tests(ROOMS[room])) for room in rooms}
    seconds, chosen = {}, {}
    for room in rooms:
        for test in tests[room]:
            if test["name"] not in seconds:
                seconds[test["name"]] = passes(test, 10 * HANG_S)
            test["seconds"], test["digest"] = seconds[test["name"]], digest_of(test["program"])
            if test["seconds"] is None:
                print(f"{room}: {test['name']} fails without a change: left out", flush=True)
        passing = sorted((t for t in tests[room] if t["seconds"] is not None), key=lambda t: t["seconds"])
        ends = list(itertools.accumulate(t["seconds"] for t in passing))
        chosen[room] = passing[:bisect.bisect(ends, budget_s)]
        print(f"{room}: {len(chosen[room])} of {len(tests[room])} tests, "
              f"{sum(t['seconds'] for t in chosen[room]):.0f} s", flush=True)
    return chosen


# ---- mutants ----

def mutants(build, room, seed):
    """(file, text, changed text, description), without end."""
    draw, drawn = random.Random(f"{seed} {room}"), set()
    names = [name for name in sorted(build.commands) if name.startswith(room + "/")]
    texts = [(build.tree / name).read_text() for name in names]
    codes = [code_of(text) for text in texts]
    weights = [sum(1 for line in code.splitlines() if line.strip()) for code in codes]
    while True:
        i = draw.choices(range(len(names)), weights)[0]
        name, text = names[i], texts[i]
        sites = list(draw.choice(KINDS)(codes[i]))
        if not sites:
            continue
        start, end, new = draw.choice(sites)
        if (i, start, new) in drawn:
            continue
        drawn.add((i, start, new))
        changed = text[:start] + new + text[end:]
        if not build.differs(name, text, changed):
            continue
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        lines = [" ".join(part.split()) for part in (text[first:last], text[first:start] + new + text[end:last])]
        yield name, text, changed, f"{name}:{text.count(chr(10), 0, start) + 1}: {lines[0]} -> {lines[1]}"


def finding_test(build, tests, name, text, changed):
    """Name of the test that finds the mutant, "" if none does; None if it cannot be built. The test fails
    twice, as some fail on a busy machine, and its program has the changed code."""
    (build.tree / name).write_text(changed)
    try:
        if build.make({os.path.basename(t["program"]) for t in tests}):
            return None
        return next((t["name"] for t in tests if digest_of(t["program"]) != t["digest"]
                     and not any(passes(t, 10 * t["seconds"] + HANG_S) for _ in range(2))), "")
    finally:
        (build.tree / name).write_text(text)


def print_table(results):
    print(f"\n{'room':<12}{'mutants':>9}{'found':>7}{'share':>7}")
    for room in [*ROOMS, "all"]:
        found = [r[1] != "" for r in results.values() if room in (r[0], "all")]
        if found:
            print(f"{room:<12}{len(found):>9}{sum(found):>7}{sum(found) / len(found):>7.0%}")
    print("\nNot found:")
    for mutant, (_, test) in results.items():
        if test == "":
            print(mutant)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=80, help="mutants in all (80)")
    parser.add_argument("--rooms", default=",".join(ROOMS), help=f"of {','.join(ROOMS)} (all)")
    parser.add_argument("--seconds", type=float, default=60, help="of tests for each mutant (60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build; tests run one by one")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--folder", default=ROOT / "build/mutations", help="(build/mutations)")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    options = parser.parse_args()
    rooms = options.rooms.split(",")
    if not set(rooms) <= set(ROOMS):
        parser.error(f"--rooms {options.rooms}: the rooms are {', '.join(ROOMS)}")

    tree = pathlib.Path(options.folder).resolve() / "tree"
    digest = copy_checkout(tree)
    build = Build(tree, options.preset, options.jobs)
    tests = {} if options.list else choose_tests(build, rooms, options.seconds)
    kept = tree.parent / f"results-{options.seed}-{digest[:12]}.json"
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    results = {}
    streams = [mutants(build, room, options.seed) for room in rooms]
    try:
        while len(results) < options.number:  # the rooms in turn
            room = rooms[len(results) % len(rooms)]
            name, text, changed, mutant = next(streams[len(results) % len(rooms)])
            if options.list:
                results[mutant] = None
                print(mutant, flush=True)
                continue
            if mutant not in known:
                known[mutant] = room, finding_test(build, tests[room], name, text, changed)
                kept.write_text(json.dumps(known, indent=0))
            if known[mutant][1] is not None:
                results[mutant] = known[mutant]
                print(f"{len(results)} {known[mutant][1] or 'not found'}: {mutant}", flush=True)
    finally:
        if not options.list:
            print_table(results)


if __name__ == "__main__":
    main()
