#!/usr/bin/env python3
"""Holds the files of --trace against each other and against the result of the same run.

    check_trace.py FOLDER RESULT.json [whole]

trace.json must be JSON, with spans that follow or contain one another, and flows whose both ends are
there; OTF2, read by otf2-print, must have the same spans, messages and steals. With `whole` nothing
was dropped, and the sum of each use of time must be that of the result's iterations, to 1 ns for each
task. Prints what is wrong, and exits with 1 then.
"""
import collections
import json
import re
import subprocess
import sys

USES = ["task", "search", "idle", "scheduler", "communication"]


def fail(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def check_lane(lane, spans):
    """Spans are (begin, whether it is no iteration, end) in ns."""
    end = iteration_end = 0
    for begin, inner, span_end in sorted(spans):
        if begin < end:
            fail(f"lane {lane}: a span begins at {begin} ns, before the last ends at {end}")
        if inner:
            end = span_end
        elif begin < iteration_end:
            fail(f"lane {lane}: an iteration begins at {begin} ns, in another")
        else:
            iteration_end = span_end


def ns(microseconds):
    return round(1000 * microseconds)


def read_chrome(folder):
    """Nanoseconds and number of spans by use, tasks, and flows by category."""
    with open(f"{folder}/trace.json", encoding="utf-8") as file:
        trace = json.load(file)
    times, numbers, tasks = collections.Counter(), collections.Counter(), 0
    lanes, flows = collections.defaultdict(list), collections.defaultdict(dict)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            begin, time = ns(event["ts"]), ns(event["dur"])
            times[event["cat"]] += time
            numbers[event["cat"]] += 1
            tasks += event["args"]["tasks"] if event["cat"] == "task" else 0
            lanes[event["tid"]].append((begin, event["cat"] != "iteration", begin + time))
        elif event["ph"] in "sf":
            flow = flows[event["cat"], event["id"]]
            if event["ph"] in flow:
                fail(f"flow {event['id']} has two ends '{event['ph']}'")
            flow[event["ph"]] = event["ts"]
    for lane, spans in lanes.items():
        check_lane(lane, spans)
    arrows = collections.Counter()
    for (category, identifier), flow in flows.items():
        if len(flow) == 2 and flow["s"] > flow["f"]:
            fail(f"{category} {identifier} arrives before it is sent")
        arrows[category] += len(flow) == 2
    return trace["otherData"], times, numbers, tasks, arrows


def read_otf2(folder):
    """The same of OTF2, by otf2-print."""
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


def iterations_of(result):
    result = result.get("extras", {}).get("beryl", result)
    return result["trace"], result.get("iterations", [])


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        summary, iterations = iterations_of(json.load(file))
    other, times, numbers, tasks, arrows = read_chrome(sys.argv[1])
    if other != summary:
        fail(f"otherData is {other}, in the result {summary}")
    if sum(numbers.values()) - numbers["iteration"] != summary["spans"]:
        fail(f"{numbers} are not {summary['spans']} spans")
    otf2_times, otf2_numbers, otf2_tasks, otf2_arrows = read_otf2(sys.argv[1])
    for request in ("counter request", "block transfer"):
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
    if sys.argv[3:] == ["whole"]:
        check_statistics(iterations, summary, times, tasks, arrows)
    print(f"{sys.argv[1]}: {tasks} tasks, {dict(numbers)}, {dict(arrows)}")


def check_statistics(iterations, summary, times, tasks, arrows):
    if summary["dropped_spans"] or summary["dropped_messages"]:
        fail(f"left out: {summary['dropped_spans']} spans, {summary['dropped_messages']} messages")
    if tasks != sum(iteration["tasks_run"] for iteration in iterations):
        fail(f"{tasks} tasks are not those of the result")
    for use in USES:
        expected = sum(iteration[f"{use}_seconds"] for iteration in iterations)
        if abs(1e-9 * times[use] - expected) > 1e-9 * tasks:
            fail(f"{times[use]} ns of {use}, {expected} s in the result, of {tasks} tasks")
    steals = sum(iteration["steals_successful"]["mean"] for iteration in iterations)
    if arrows["steal"] != round(steals * summary["workers"]):
        fail(f"{arrows['steal']} arrows of steals, {steals * summary['workers']} in the result")


main()
