#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""--trace of real and simulated runs: trace.json and OTF2 agree with each other and with the result; a real
run has its date, and equal simulated runs write equal bytes; a sample of the workers of a large run, which
together with what is dropped agrees; the files have no more bytes than the header promises; a second run into
the same folder replaces the first; each mode of a comparison has a folder; a folder that cannot be written to
is refused.

    test_trace_files.py BERYL_SCHED MPIEXEC [BERYL_HF BERYL_TCE INPUTS]

trace.json must be as readers of Chrome's format need it: each event has its place and time; spans of a lane
follow or contain one another, in the order of time; the ends of a flow have one name, and each lies in a
span, to which the arrow is drawn. OTF2, read by otf2-print, must have the same spans, messages and steals.
Where nothing was dropped, all flows have both ends, and the sum of each use of time agrees with the result's
iterations, to 1 ns for each task.
"""

import bisect
import collections
import datetime
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback

from running import Fault, check, complaints, run_result, run_well, started

BERYL_SCHED, MPIEXEC, *CHEMISTRY = map(os.path.abspath, sys.argv[1:])
MEMORY_STEAL = "steal from memory"
USES = ["task", "search", "idle", "scheduler", "communication"]
GAUSS = "--gauss 1e-3,2e-4 --tasks 500"

# times, in ns, and numbers of spans by use; tasks; arrows: flows with both ends by category, steals from
# memory among them; single: flows that have one end alone.
Trace = collections.namedtuple("Trace", "times numbers tasks arrows single summary", defaults=[0, None])


def ns(microseconds):
    return round(1000 * microseconds)


def check_lane(lane, spans, times):
    """Spans are (begin, end) in ns, in the order of the file, an iteration before its contents; times are the
    ends of flows, which must each lie in a span."""
    open_ends, last_ends = [], [0]
    for begin, end in spans:
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], f"lane {lane}: the span at {begin} ns ends too late"
        open_ends.append(end)
        last_ends.append(max(end, last_ends[-1]))
    begins = [begin for begin, _ in spans]
    assert begins == sorted(begins) and times == sorted(times), f"lane {lane} is not in the order of time"
    for moment in times:
        n_begun = bisect.bisect_right(begins, moment)
        assert n_begun > 0 and last_ends[n_begun] >= moment, \
            f"lane {lane}: a message at {moment} ns lies in no span"


def read_chrome(folder):
    trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    times, numbers, tasks, arrows = collections.Counter(), collections.Counter(), 0, collections.Counter()
    lanes, ends, flows = (collections.defaultdict(kind) for kind in (list, list, dict))
    named, used = set(), set()
    for event in trace["traceEvents"]:
        kind = event["ph"]
        assert kind in ("M", "X", "s", "f", "i") and event["pid"] == 1 and event["name"], event
        if kind == "M":
            if event["name"] == "thread_name" and event["args"]["name"]:
                named.add(event["tid"])
            continue
        used.add(event["tid"])
        assert event["ts"] >= 0 and event["cat"] and event.get("bp", "e") == "e", event
        assert kind != "f" or "bp" in event, f"{event}: bound to the next span, not to that which contains it"
        if kind == "X":
            begin, span = ns(event["ts"]), ns(event["dur"])
            assert span >= 0, event
            times[event["cat"]] += span
            numbers[event["cat"]] += 1
            tasks += event["args"]["tasks"] if event["cat"] == "task" else 0
            lanes[event["tid"]].append((begin, begin + span))
        elif event["name"] == MEMORY_STEAL:
            arrows[MEMORY_STEAL] += 1
        elif kind in "sf":
            ends[event["tid"]].append(ns(event["ts"]))
            flow = flows[event["cat"], event["name"], event["id"]]
            assert kind not in flow, f"flow {event['id']} has two ends '{kind}'"
            flow[kind] = event["ts"]
    assert used <= named and ends.keys() <= lanes.keys(), "a lane without a name or spans"
    for lane, own in lanes.items():
        check_lane(lane, own, ends[lane])
    for (category, _, identifier), flow in flows.items():
        assert len(flow) < 2 or flow["s"] <= flow["f"], f"{category} {identifier} arrives before it is sent"
        arrows[category] += len(flow) == 2
    single = sum(len(flow) == 1 for flow in flows.values())
    return Trace(times, numbers, tasks, arrows, single, trace["otherData"])


def read_otf2(folder):
    times, numbers, tasks = collections.Counter(), collections.Counter(), 0
    entered, in_task = collections.defaultdict(list), False
    ends = collections.defaultdict(collections.Counter)
    for line in run_well(["otf2-print", str(folder / "traces.otf2")]).splitlines():
        words = line.split(None, 3)
        if len(words) < 4 or not words[1].isdigit() or not words[2].isdigit():
            found = re.search(r'"tasks" <\d+>; INT64; (\d+)', line)
            tasks += int(found[1]) if found and in_task else 0
            continue
        kind, lane, moment, rest = words[0], int(words[1]), int(words[2]), words[3]
        in_task = kind == "ENTER" and '"task"' in rest
        if kind == "ENTER":
            entered[lane].append(moment)
        elif kind == "LEAVE":
            use = re.search(r'Region: "([^"]*)"', rest)[1]
            times[use] += moment - entered[lane].pop()
            numbers[use] += 1
        elif kind in ("MPI_SEND", "MPI_RECV"):
            comm = re.search(r'Communicator: "([^"]*)"', rest)[1]
            ends[comm[:-1]][re.search(r"Tag: (\d+)", rest)[1]] += 1
    assert not any(entered.values()), "a region of OTF2 is entered and never left"
    return Trace(times, numbers, tasks, {comm: sum(n // 2 for n in both.values()) for comm,
                                         both in ends.items()})


def check_trace(folder, summary, iterations, whole):
    trace, other = read_chrome(folder), read_otf2(folder)
    assert trace.summary == summary, f"otherData is {trace.summary}, in the result {summary}"
    assert sum(trace.numbers.values()) - trace.numbers["iteration"] == summary["spans"], trace.numbers
    assert other.numbers[MEMORY_STEAL] == trace.arrows[MEMORY_STEAL]
    for request in ("counter request", "block transfer", MEMORY_STEAL):
        other.numbers.pop(request, None)
        other.times.pop(request, None)
    assert other[:3] == trace[:3], f"OTF2 has {other}, trace.json {trace}"
    for category in ("message", "steal"):
        assert other.arrows.get(category,
                                0) == trace.arrows[category], f"OTF2 has {other}, trace.json {trace}"
    for use in [*USES, "balance"]:
        slack = 1e-9 * (trace.tasks + trace.numbers[use] + 1)
        assert abs(1e-9 * trace.times[use] - summary["seconds"][use]) <= slack, f"{use}: {trace}, {summary}"
    if not whole:
        return
    assert trace.single == summary["dropped_spans"] == summary["dropped_messages"] == 0, f"{trace}, {summary}"
    assert trace.tasks == sum(iteration["tasks_run"] for iteration in iterations)
    for use in USES:
        expected = sum(iteration[f"{use}_seconds"] for iteration in iterations)
        assert abs(1e-9 * trace.times[use] - expected) <= 1e-9 * trace.tasks, f"{use}: {trace}, {expected} s"
    steals = summary["workers"] * sum(iteration["steals_successful"]["mean"] for iteration in iterations)
    assert trace.arrows["steal"] + trace.arrows[MEMORY_STEAL] == round(steals), f"{trace}, {steals} steals"


def traced(words, n=1, status=0, program=BERYL_SCHED, to="traced", **settings):
    """The result of a run, its log and its message."""
    command = started(MPIEXEC, n, program, *shlex.split(words), "--trace", to)
    result, text, errors = run_result(command, status, **settings)
    return result.get("extras", {}).get("beryl", result), text, errors


def check_run(words, n=1, whole=True, **settings):
    result, text, _ = traced(words, n, **settings)
    check_trace(pathlib.Path("traced"), result["trace"], result.get("iterations", []), whole)
    return result, text


def check_comparison(modes, words, n, **settings):
    """The trace of each mode is of the last round."""
    for path in pathlib.Path(".").glob("traced/trace*.json"):
        path.unlink()
    result, text, _ = traced(f"{words} --compare {modes}", n, **settings)
    assert len(result["compare"]) == len(modes.split(","))
    last = result["comparison"]["rounds"] - 1
    for name, mode in result["compare"].items():
        iterations = [entry for entry in mode["iterations"] if entry.get("round", 0) == last or last == 0]
        check_trace(pathlib.Path("traced", name), mode["trace"], iterations, True)
        assert f"\nTrace      traced/{name}: " in text, text
    assert not os.path.exists("traced/trace.json"), "a trace outside of the modes' folders"


def runs_agree():
    check_run("--gauss 1e-4,2e-5 --tasks 300 --sched counter --iterations 3", 2)
    check_run('--uts "-t 1 -a 3 -d 5 -b 4 -r 19" --sched steal', 3)
    for mode in ("persist", "steal"):
        _, text = check_run(f"{GAUSS} --sched {mode} --iterations 3 --simulate 16")
        assert "\nTrace      traced: trace.json, traces.otf2; 16 workers, " in text, text
    check_run(f"{GAUSS} --sched steal --simulate 4 --threads 3 --progress thread --latency-spread 1e-4")
    check_comparison("static,steal,steal", "--gauss 1e-4,2e-5 --tasks 300 --iterations 3 --rounds 2", 2)
    check_comparison("persist,auto", "--gauss 1e-3,2e-4 --tasks 300 --iterations 3 --rounds 2 --simulate 8",
                     1)


def chemistry_agrees():
    if not CHEMISTRY:
        return
    hf, tce, inputs = CHEMISTRY
    water = f"{inputs}/water.xyz --basis sto-3g"
    check_run(f"{water} --tile 2 --sched steal", 2, program=hf)
    check_run(f"run {inputs}/examples.tce --sched steal --iterations 2", program=tce)
    check_run(f"ccsd {water} --sched auto", 2, whole=False, program=tce)
    check_comparison("steal,counter", f"{water} --tile 2 --fock-only 2 --density converged --rounds 2", 2,
                     program=hf)
    check_comparison("static,steal", f"run {inputs}/examples.tce --iterations 2 --rounds 2", 2, program=tce)
    check_comparison("steal,auto", f"mp2 {water}", 1, program=tce)


def large_runs_are_cut():
    """A sample of the workers; and of long runs of spans, and of messages, the first of each worker, in files
    of at most 200 MB. The rate makes numbers and times long."""
    result, text = check_run("--gauss 1e-3,2e-4 --tasks 6000 --sched counter --simulate 2500", whole=False)
    assert "\n           a sample: 834 of 2500 workers" in text, text
    trace, iteration = result["trace"], result["iterations"][0]
    assert trace["workers_shown"] == 834 and trace["dropped_spans"] > 0
    for use in USES:
        seconds = trace["seconds"][use] + trace["dropped_seconds"][use]
        assert abs(seconds - iteration[f"{use}_seconds"]) < 1e-9 * 6000, (use, seconds, iteration)
    for words in ("--gauss 1e4,2e3 --tasks 900000 --sched static --simulate 64",
                  "--gauss 1e-3,2e-4 --tasks 500000 --sched counter --simulate 1024"):
        result, text, _ = traced(words)
        assert re.search(r"\n {11}left out: \d+ spans, \d+ messages: a trace has at most 200 MB", text), text
        trace, paths = result["trace"], [path for path in pathlib.Path("traced").rglob("*") if path.is_file()]
        assert trace["spans"] + trace["dropped_spans"] >= 500000
        assert 5e7 < sum(path.stat().st_size for path in paths) < 2e8
        last = pathlib.Path("traced/trace.json").read_text(encoding="utf-8")[-2000:]
        assert f'"dropped_spans":{trace["dropped_spans"]},' in last


def real_runs_have_a_date():
    """In both formats; simulated ones have none, and are the same bytes."""
    begun = int(time.time())
    traced("--gauss 1e-3,0 --tasks 5")
    text = json.loads(pathlib.Path("traced/trace.json").read_text())["metadata"]["trace-capture-datetime"]
    date = datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    clock = re.search(r"Date: (\d{4}-\d\d-\d\d)", run_well(["otf2-print", "-G", "traced/traces.otf2"]))
    assert begun <= date <= time.time(), text
    assert clock[1] in (text[:10], datetime.date.fromtimestamp(date).isoformat()), clock
    shutil.rmtree("traced")
    for name in ("one", "two"):
        traced(f"{GAUSS} --sched steal --iterations 3 --simulate 16")
        os.rename("traced", name)
        time.sleep(1)
    assert content("one") == content("two"), "two simulated runs differ"
    assert "Date: UNDEFINED" in run_well(["otf2-print", "-G", "one/traces.otf2"])
    assert b"datetime" not in content("one")["trace.json"]


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*")
            if path.is_file()}


def folders_are_kept():
    """A name is no pattern: another trace that it would match stays. A folder with other files is refused. A
    trace that cannot be written leaves nothing, and what was there before: files may have no more than 100 kB
    here. The result, which is small, is there."""
    few = "--gauss 1e-3,0 --tasks 5"
    for name in ("run1", "run[1]", "run[1]"):
        traced(few, to=name)
    assert os.path.exists("run1/traces.otf2") and os.path.exists("run1/traces/0.evt"), "run1 is gone"
    os.makedirs("kept/traces")
    pathlib.Path("kept/traces/notes").touch()
    assert "kept/traces has other files" in traced(few, status=2, to="kept")[2]
    os.mkdir("blocked")
    pathlib.Path("blocked/auto").touch()
    assert "blocked/auto" in traced(f"{few} --simulate 2 --compare steal,auto", status=1, to="blocked")[2]
    assert "kept/traces/notes/traced for --trace" in traced(few, status=2, to="kept/traces/notes/traced")[2]

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (102400, 102400))
    traced(few, to="stays")
    before = content("stays")
    for name in ("stays", "gone"):
        message = traced("--gauss 1e-6,0 --tasks 20000 --sched counter --simulate 8", status=1, to=name,
                         preexec_fn=limit, restore_signals=False)[2]
        assert f"cannot write {name}/" in message, message
    assert content("stays") == before, "an older trace has changed"
    traced("--profile missing.csv", status=2, to="gone")
    assert not os.path.exists("gone"), "a trace of a run that failed, or did not begin"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (runs_agree, chemistry_agrees, large_runs_are_cut, real_runs_have_a_date,
                     folders_are_kept):
            try:
                test()
            except (AssertionError, Fault):
                check(False, f"{test.__name__}:", traceback.format_exc()[-6000:])
        os.chdir("/")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
