#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""beryl-vt: a small load by hand, round trips that keep every task's time, placement and block, what a run
wrote, and broken files, which are refused by one line and without a file (endings.txt has more).

    test_vt.py BERYL_VT BERYL_SCHED [SET ...]

SET is FILE.%p.json, further loads for the round trips.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import random
import shlex
import sys
import tempfile

from running import check, complaints, run_well

N_MUTATIONS = 600
BERYL_VT, BERYL_SCHED = map(os.path.abspath, sys.argv[1:3])
SETS = sys.argv[3:]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("beryl_vt", BERYL_VT)
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("beryl_vt", loader))
loader.exec_module(script)


def same(a, b, what):
    check(a == b, f"{what}:\n  {a}\n  {b}")


def beryl_vt(*words):
    """The exit status and the messages of a translation in this process."""
    messages, sys.argv = io.StringIO(), ["beryl-vt", *map(str, words)]
    with contextlib.redirect_stderr(messages), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        status = script.main()
    return status, messages.getvalue()


def translate(*words):
    status, messages = beryl_vt(*words)
    check(status == 0, f"{words}: status {status}, {messages}")


def sched(options):
    run_well([BERYL_SCHED, *shlex.split(options)])


def write(path, content):
    pathlib.Path(path).write_text(content if isinstance(content, str) else json.dumps(content))


def read(path):
    return json.loads(pathlib.Path(path).read_text())


def lines(path):
    return pathlib.Path(path).read_text().splitlines()


# --- a small load ---

def entity(number, **keys):
    return {"id": number, "home": 0, "migratable": True, "type": "object", **keys}


def task(number, rank, time, **keys):
    return {"entity": entity(number), "node": rank, "resource": "cpu", "time": time, **keys}


SHARED = {"shared_id": 8, "shared_bytes": 1e6}
# Task 30 moves from rank 0 to rank 1, task 50 comes later, 20 goes away.
SMALL = [
    {"type": "LBDatafile", "metadata": {"rank": 0, "shared_node": {"id": 0}}, "phases": [
        {"id": 4, "tasks": [task(30, 0, 0.30300000001, user_defined={**SHARED, "mine": "a"}),
                            task(20, 0, 2.5, subphases=[{"id": 0, "time": 2.5}], user_defined=None)],
         "communications": [
             {"type": "SendRecv", "bytes": 1456.0, "messages": 26, "from": entity(30), "to": entity(40)},
             {"type": "CollectionToNode", "bytes": 8.0, "messages": 1, "from": entity(30),
              "to": {"type": "node", "id": 1}}]},
        {"id": 9, "user_defined": {"k": 11}, "tasks": [], "communications": [
            {"type": "SendRecv", "bytes": 1.5, "from": entity(50), "to": entity(40)}]}]},
    {"type": "LBDatafile", "phases": [
        {"id": 9, "tasks": [task(50, 1, 7, user_defined={"shared_id": 8, "shared_bytes": 3e6}),
                            task(30, 1, 0.75, user_defined={**SHARED, "mine": "b"}), task(40, 1, 1.25)]},
        {"id": 4, "tasks": [task(40, 1, 0.5)], "communications": [
            {"type": "SendRecv", "bytes": 2.5, "from": entity(40), "to": entity(30)}]}]}]


def content(file, **keys):
    """A file, without the order of phases and tasks, which means nothing; keys that all tasks get."""
    def in_order(phase):
        return {**phase, "tasks": sorted(({**task, **keys} for task in phase["tasks"]),
                                         key=lambda task: str(task["entity"]))}
    return {**file, "phases": sorted(map(in_order, file["phases"]), key=lambda phase: phase["id"])}


def in_vt(path):
    """{(phase, number of the task): (rank, time)}, and the shared blocks, of what the load says in vt."""
    numbers, tasks, blocks = {}, {}, {}
    files = [read(name) for name in script.Load(str(path)).paths]
    by_phase = [(phase["id"], rank, task) for rank, file in enumerate(files)
                for phase in file["phases"] for task in phase["tasks"]]
    for identity, rank, found in sorted(by_phase, key=lambda place: place[:2]):
        name = found["entity"]["id"]
        number = numbers.setdefault(name, len(numbers))
        tasks[identity, number] = rank, found["time"]
        user = found.get("user_defined") or {}
        blocks.setdefault(number, (user.get("shared_id"), user.get("shared_bytes")))
    ids = sorted({identity for identity, _ in tasks})
    return {(ids.index(key[0]), key[1]): value for key, value in tasks.items()}, blocks


def check_small():
    for rank, file in enumerate(SMALL):
        write(f"small.{rank}.json", file)
    write("small.blocks.csv", "of an older load")
    translate("small.%p.json", "small.csv")
    same(lines("small.csv"), ["task,seconds,iteration,worker", "0,0.30300000001,0,0", "1,2.5,0,0",
                              "2,0.5,0,1", "0,0.75,1,1", "2,1.25,1,1", "3,7.0,1,1"], "tasks")
    same(lines("small.blocks.csv"), ["task,access,block", "0,r,8", "0,r,10", "2,r,9", "3,r,8"],
         "blocks of tasks")
    same(lines("small.sizes.csv"), ["block,bytes,owner", "8,1000000,0", "9,1456,0", "10,3,1"], "sizes of blocks")
    write("bare.0.json", {"phases": [{"id": 0, "tasks": [task(1, 0, 1)]}, {"id": 1, "tasks": []}]})
    for name in ("bare.blocks.csv", "bare.sizes.csv"):
        write(name, "of an older load")
    translate("bare.0.json", "bare.csv")
    same(lines("bare.csv")[1:], ["0,1.0,0,0", "0,0.0,1,0"], "a phase without tasks")
    check(not os.path.exists("bare.blocks.csv") and not os.path.exists("bare.sizes.csv"), "older blocks")


def check_runs():
    """By the recorded placement; and on one worker, which has the messages of both, with a third phase."""
    sched("--profile small.csv --simulate 2 --sched static --seeding owner --data off --iterations 2 "
          "--json result.json")
    spans = [iteration["makespan_seconds"] for iteration in read("result.json")["iterations"]]
    check(abs(spans[0] - 2.80300000001) < 1e-4 and abs(spans[1] - 8.25) < 1e-4, f"makespans {spans}")
    sched("--profile small.csv --simulate 1 --sched static --iterations 3 --write-profile one.csv "
          "--all-iterations --time-scale 2")
    write("one.3.json", "{}")
    translate("one.csv", "one.%p.json", "--like", "small.%p.json", "--ranks", "1")
    check(not os.path.exists("one.3.json"), "a rank of an older load is left")
    one = read("one.0.json")
    same([phase["id"] for phase in one["phases"]], [4, 9, 10], "phases")
    same(one["phases"][0]["communications"], SMALL[0]["phases"][0]["communications"] +
         SMALL[1]["phases"][1]["communications"], "messages")
    same(one["phases"][1]["user_defined"], {"k": 11}, "keys of a phase")
    same(sorted((task["entity"]["id"], task["time"]) for task in one["phases"][2]["tasks"]),
         [(30, 1.5), (40, 2.5), (50, 14.0)], "times of a run")


def tasks_of(name, n_ranks, *keys):
    """Of each rank, the tasks' numbers and the values of these keys."""
    return [[(task["entity"]["id"], *map(task.get, keys)) for task in read(f"{name}.{rank}.json")["phases"][0]["tasks"]]
            for rank in range(n_ranks)]


def check_profiles():
    """Tasks without vt: where they ran, else at the owner of what they write, else in equal blocks."""
    write("plain.csv", "task,seconds\n" + "".join(f"{7 * i},{i}.5\n" for i in range(4)))
    translate("plain.csv", "plain.%p.json", "--ranks", "2")
    same(tasks_of("plain", 2, "time", "node"), [[(0, 0.5, 0), (7, 1.5, 0)], [(14, 2.5, 1), (21, 3.5, 1)]],
         "equal blocks of tasks")
    write("plain.blocks.csv", "task,access,block\n0,r,3\n0,w,5\n7,r,5\n7,r,6\n")
    write("plain.sizes.csv", "block,bytes,owner\n3,900,0\n5,80,5\n6,80,0\n")
    translate("plain.csv", "plain.%p.json", "--ranks", "2")
    three, five = {"shared_id": 3, "shared_bytes": 900.0}, {"shared_id": 5, "shared_bytes": 80.0}
    same(tasks_of("plain", 2, "user_defined"), [[(14, None)], [(0, three), (7, five), (21, None)]], "owners of blocks")
    sched("--profile plain.csv --simulate 4 --sched static --write-profile again.csv --all-iterations")
    translate("again.csv", "again.%p.json", "--like", "plain.csv")
    same(tasks_of("again", 4, "time", "user_defined"),
         [[(0, 0.5, three)], [(1, 1.5, five)], [(2, 2.5, None)], [(3, 3.5, None)]],
         "a run with the blocks of its profile")


def check_round_trip(path):
    """The files, their tasks without the files, and a run by the recorded placement."""
    load = script.Load(path)
    ranks, phases = len(load.files), len(load.phases)
    before = [content(file) for file in load.files]
    translate(path, "trip.csv")
    translate("trip.csv", "trip.%p.json", "--like", path)
    after = [content(read(f"trip.{rank}.json")) for rank in range(ranks)]
    check(before == after, f"{path}: not as it was read")
    translate("trip.csv", "alone.%p.json")
    (tasks, blocks), (tasks_after, blocks_after) = in_vt(path), in_vt("alone.%p.json")
    check(tasks == tasks_after, f"{path}: other times or ranks")
    messages = {load.numbers[receiver] for receiver, *_ in load.messages()}
    sizes = {}
    for block, size in blocks.values():  # one size of a block is kept
        sizes.setdefault(block, size)
    check(all(blocks_after[number] == (block, sizes[block]) for number, (block, _) in blocks.items()
              if number not in messages), f"{path}: other blocks")
    sched(f"--profile trip.csv --simulate {ranks} --sched static --seeding owner --iterations {phases} "
          "--write-profile ran.csv --all-iterations")
    translate("ran.csv", "ran.%p.json", "--like", path)
    ran = [content(read(f"ran.{rank}.json")) for rank in range(ranks)]
    check(all(a["phases"][0] == b["phases"][0] for a, b in zip(before, ran)),  # others may have moved
          f"{path}: a run is not written as it was read")


def check_compressed():
    """With gzip in the place of a brotli that is not there: both have these options."""
    write("bin/tool", "")
    path = os.environ["PATH"]
    os.environ["PATH"] = "bin"
    status, message = beryl_vt("small.csv", "packed.%p.json.br")
    check(status == 2 and "install the Debian package brotli" in message, f"without brotli: {message}")
    os.environ["PATH"] = path
    if not script.shutil.which("brotli"):
        os.symlink(script.shutil.which("gzip"), "bin/brotli")
        os.environ["PATH"] = f"bin:{path}"
    translate("small.csv", "packed.%p.json.br", "--like", "small.%p.json")
    translate("packed.%p.json.br", "packed.csv")
    for name in ("csv", "blocks.csv", "sizes.csv"):
        same(lines(f"packed.{name}"), lines(f"small.{name}"), "compressed")
    write("broken.0.json.br", "{}")
    refused("broken.0.json.br out.csv", "broken.0.json.br: brotli -dc fails")
    os.environ["PATH"] = path


# --- broken files ---

def refused(command, *expected):
    """One line with these words."""
    status, message = beryl_vt(*command.split())
    check(status == 2 and message.count("\n") == 1 and all(word in message for word in expected),
          f"{command}: status {status}, not '{expected}': {message}")


def check_unreadable():
    for content, words in ((b'{"phases": [], "x": "\xff"}', "byte 21 is not UTF-8"), (b"", ":1: not JSON"),
                           (b"[" * 100000, "")):
        pathlib.Path("broken.json").write_bytes(content)
        refused("broken.json out.csv", "broken.json", words)
    write("broken.csv", "")
    refused("broken.csv out.%p.json", "broken.csv:1: the first line")
    check(not list(pathlib.Path(".").glob("out.*")), "files were written")


def mutate(generator, data):
    data = bytearray(data)
    for _ in range(1 + generator.randrange(2)):
        i, n = generator.randrange(len(data)), generator.randint(1, 12)
        kind = generator.randrange(4)
        if kind == 0:
            data[i] = generator.randrange(256)
        elif kind == 1:
            data[i:i + n] = b""
        elif kind == 2:
            data[i:i] = data[i:i + n]
        else:
            data[i:i + 1] = generator.choice([b"-", b"0", b"1e9", b"null", b"[", b"}", b",", b"\n", b"\"", b".5"])
    return bytes(data)


def check_mutations():
    """Accepted text is written back as it was read; all else is refused by a line."""
    generator = random.Random(1)
    for name in ("csv", "sizes.csv"):
        write(f"tables.{name}", pathlib.Path(f"plain.{name}").read_text())
    kinds = [("small.0.json", "mutant.json", "mutant.json out.csv"),
             ("small.csv", "mutant.csv", "mutant.csv out.%p.json"),
             ("plain.blocks.csv", "tables.blocks.csv", "tables.csv out.%p.json --ranks 2")]
    n_accepted = [0, 0, 0]
    for i in range(N_MUTATIONS):
        seed, name, command = kinds[i % 3]
        pathlib.Path(name).write_bytes(mutate(generator, pathlib.Path(seed).read_bytes()))
        status, message = beryl_vt(*command.split())
        if status == 0:
            n_accepted[i % 3] += 1
            if name == "mutant.json":
                translate("out.csv", "out.json", "--like", name)
                same(content(read("out.json"), node=0), content(read(name), node=0), f"mutation {i}")
        else:
            check(status == 2 and message.count("\n") == 1, f"mutation {i}: status {status}: {message}")
            check(not list(pathlib.Path(".").glob("out.*")), f"mutation {i}: files were written")
        for path in pathlib.Path(".").glob("out.*"):
            path.unlink()
    check(all(0.02 < 3 * n / N_MUTATIONS < 0.98 for n in n_accepted), f"{n_accepted} are accepted")


def main():
    sets = [os.path.abspath(path) for path in SETS]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("bin")
        check_small()
        check_runs()
        check_profiles()
        for path in ["small.%p.json", *sets]:
            check_round_trip(path)
        check_compressed()
        check_unreadable()
        check_mutations()
        os.chdir("/")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
