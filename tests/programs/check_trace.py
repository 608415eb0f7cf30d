#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the files of --trace against each other and against the result of the same run.

    check_trace.py FOLDER RESULT.json [whole] [MODE]

trace.json must be as readers of Chrome's format need it: each event has its place and time; spans of a
lane follow or contain one another, in the order of time; the ends of a flow have one name, and each
lies in a span, to which the arrow is drawn. OTF2, read by otf2-print, must have the same spans,
messages and steals. With `whole` nothing was dropped: all flows have both ends, and the sum of each use
of time must agree with the result's iterations, to 1 ns for each task. MODE is one of a comparison,
whose trace is of the last round. Prints what is wrong, and exits with 1 then.
"""
import bisect
import collections
import json
import re
import subprocess
import sys

MEMORY_STEAL = "steal from memory"
USES = ["task", "search", "idle", "scheduler", "communication"]


def fail(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def check_lane(lane, spans):
    """Spans are (begin, end) in ns, in the order of the file, an iteration before its contents."""
    open_ends = []
    if [begin for begin, _ in spans] != sorted(begin for begin, _ in spans):
        fail(f"lane {lane}: spans are not in the order of time")
    for begin, end in spans:
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            fail(f"lane {lane}: a span from {begin} to {end} ns leaves the one that contains it, "
                 f"which ends at {open_ends[-1]}")
        open_ends.append(end)


def check_ends(lane, times, spans):
    """The ends of flows, in ns, must each lie in a span."""
    begins, last_ends = [], []
    for begin, end in spans:
        begins.append(begin)
        last_ends.append(max(end, last_ends[-1] if last_ends else 0))
    if times != sorted(times):
        fail(f"lane {lane}: messages are not in the order of time")
    for time in times:
        before = bisect.bisect_right(begins, time) - 1
        if before < 0 or last_ends[before] < time:
            fail(f"lane {lane}: a message at {time} ns lies in no span")


def check_form(events):
    """Checks the keys that every event must have; returns the names of the lanes."""
    named, used = set(), set()
    for event in events:
        if event["ph"] not in ("M", "X", "s", "f", "i") or event["pid"] != 1 or not event["name"]:
            fail(f"{event}: unknown, of another process or without a name")
        if event["ph"] == "M":
            if event["name"] == "thread_name" and event["args"]["name"]:
                named.add(event["tid"])
            continue
        used.add(event["tid"])
        if event["ts"] < 0 or not event["cat"] or (event["ph"] == "X" and event["dur"] < 0):
            fail(f"{event}: negative, or without a category")
        if event["ph"] == "f" and event["bp"] != "e":
            fail(f"{event}: bound to the next span, not to that which contains it")
    if not used <= named:
        fail(f"lanes {sorted(used - named)} have no names")


def ns(microseconds):
    return round(1000 * microseconds)


def read_chrome(folder):
    """Nanoseconds and number of spans by use, tasks, flows by category, steals from memory among
    them, and flows that have one end alone."""
    with open(f"{folder}/trace.json", encoding="utf-8") as file:
        trace = json.load(file)
    times, numbers, tasks = collections.Counter(), collections.Counter(), 0
    lanes, flows = collections.defaultdict(list), collections.defaultdict(dict)
    ends = collections.defaultdict(list)
    arrows, single = collections.Counter(), 0
    check_form(trace["traceEvents"])
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            begin, time = ns(event["ts"]), ns(event["dur"])
            times[event["cat"]] += time
            numbers[event["cat"]] += 1
            tasks += event["args"]["tasks"] if event["cat"] == "task" else 0
            lanes[event["tid"]].append((begin, begin + time))
        elif event["name"] == MEMORY_STEAL:
            arrows[MEMORY_STEAL] += 1
        elif event["ph"] in "sf":
            ends[event["tid"]].append(ns(event["ts"]))
            flow = flows[event["cat"], event["name"], event["id"]]
            if event["ph"] in flow:
                fail(f"flow {event['id']} has two ends '{event['ph']}'")
            flow[event["ph"]] = event["ts"]
    for lane, spans in lanes.items():
        check_lane(lane, spans)
        check_ends(lane, ends[lane], spans)
    if not ends.keys() <= lanes.keys():
        fail("a lane has messages, but no spans")
    for (category, _, identifier), flow in flows.items():
        if len(flow) == 2 and flow["s"] > flow["f"]:
            fail(f"{category} {identifier} arrives before it is sent")
        arrows[category] += len(flow) == 2
        single += len(flow) == 1
    return trace["otherData"], times, numbers, tasks, arrows, single


def read_otf2(folder):
    """Contents of a trace in OTF2, in the form of read_chrome, by otf2-print."""
    text = subprocess.run(["otf2-print", f"{folder}/traces.otf2"], check=True, text=True,
                          capture_output=True).stdout
    times, numbers, tasks = collections.Counter(), collections.Counter(), 0
    entered = collections.defaultdict(list)
    ends = collections.defaultdict(collections.Counter)
    for line in text.splitlines():
        words = line.split(None, 3)
        if len(words) < 4 or not words[1].isdigit() or not words[2].isdigit():
            found = re.search(r'"tasks" <\d+>; INT64; (\d+)', line)
            if found and in_task:
                tasks += int(found[1])
            continue
        kind, lane, time, rest = words[0], int(words[1]), int(words[2]), words[3]
        in_task = kind == "ENTER" and '"task"' in rest
        if kind == "ENTER":
            entered[lane].append(time)
        elif kind == "LEAVE":
            use = re.search(r'Region: "([^"]*)"', rest)[1]
            times[use] += time - entered[lane].pop()
            numbers[use] += 1
        elif kind in ("MPI_SEND", "MPI_RECV"):
            comm = re.search(r'Communicator: "([^"]*)"', rest)[1]
            ends[comm[:-1]][re.search(r"Tag: (\d+)", rest)[1]] += 1
    if any(entered.values()):
        fail("a region of OTF2 is entered and never left")
    arrows = {comm: sum(n // 2 for n in both.values()) for comm, both in ends.items()}
    return times, numbers, tasks, arrows


def iterations_of(result, mode):
    """Trace and iterations of a result; for a comparison, of the mode in the last round."""
    result = result.get("extras", {}).get("beryl", result)
    if not mode:
        return result["trace"], result.get("iterations", [])
    of_mode, rounds = result["compare"][mode], result["comparison"]["rounds"]
    return of_mode["trace"], [iteration for iteration in of_mode["iterations"]
                              if iteration.get("round", 0) == rounds - 1 or rounds == 1]


def main():
    whole = "whole" in sys.argv[3:]
    mode = next((word for word in sys.argv[3:] if word not in ("", "whole")), None)
    with open(sys.argv[2], encoding="utf-8") as file:
        summary, iterations = iterations_of(json.load(file), mode)
    other, times, numbers, tasks, arrows, single = read_chrome(sys.argv[1])
    if other != summary:
        fail(f"otherData is {other}, in the result {summary}")
    if sum(numbers.values()) - numbers["iteration"] != summary["spans"]:
        fail(f"{numbers} are not {summary['spans']} spans")
    otf2_times, otf2_numbers, otf2_tasks, otf2_arrows = read_otf2(sys.argv[1])
    if otf2_numbers[MEMORY_STEAL] != arrows[MEMORY_STEAL]:
        fail(f"OTF2 has {otf2_numbers[MEMORY_STEAL]} steals from memory, "
             f"trace.json {arrows[MEMORY_STEAL]}")
    for request in ("counter request", "block transfer", MEMORY_STEAL):
        otf2_numbers.pop(request, None)
        otf2_times.pop(request, None)
    if (otf2_numbers, otf2_times, otf2_tasks) != (numbers, times, tasks):
        fail(f"OTF2 has {otf2_numbers}, {otf2_times}, {otf2_tasks} tasks; "
             f"trace.json {numbers}, {times}, {tasks}")
    for category in ("message", "steal"):
        if otf2_arrows.get(category, 0) != arrows[category]:
            fail(f"OTF2 has {otf2_arrows} arrows, trace.json {arrows}")
    for use in USES + ["balance"]:
        if abs(1e-9 * times[use] - summary["seconds"][use]) > 1e-9 * (tasks + numbers[use] + 1):
            fail(f"{times[use]} ns of {use}, {summary['seconds'][use]} s in the summary")
    if whole and single:
        fail(f"{single} flows have one end only")
    if whole:
        check_statistics(iterations, summary, times, tasks, arrows)
    print(f"{sys.argv[1]}: {tasks} tasks, {dict(numbers)}, {dict(arrows)}")


def check_statistics(iterations, summary, times, tasks, arrows):
    if summary["dropped_spans"] or summary["dropped_messages"]:
        fail(f"left out: {summary['dropped_spans']} spans, {summary['dropped_messages']} messages")
    if tasks != sum(iteration["tasks_run"] for iteration in iterations):
        fail(f"{tasks} tasks in the trace, another number in the result")
    for use in USES:
        expected = sum(iteration[f"{use}_seconds"] for iteration in iterations)
        if abs(1e-9 * times[use] - expected) > 1e-9 * tasks:
            fail(f"{times[use]} ns of {use}, {expected} s in the result, of {tasks} tasks")
    steals = sum(iteration["steals_successful"]["mean"] for iteration in iterations)
    found = arrows["steal"] + arrows[MEMORY_STEAL]
    if found != round(steals * summary["workers"]):
        fail(f"{found} steals, {steals * summary['workers']} in the result")


main()
