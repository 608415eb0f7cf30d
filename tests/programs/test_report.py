#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sentences that a page of beryl-report begins with are true of hard cases, too; texts are escaped and choices
named once; other JSON is refused, broken JSON with its line; equal results give equal bytes, and no change of a result
ends in anything but a page or a refusal.

    test_report.py BERYL_REPORT [SECONDS]      of random changes
"""

import copy
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from running import check, complaints

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 2


def run(*arguments, text=""):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=60)


def load_program():
    """The script as a module: thousands of pages need no process each."""
    module = {"__name__": "beryl_report"}
    with open(PROGRAM, encoding="utf-8") as file:
        exec(compile(file.read(), PROGRAM, "exec"), module)
    return module


SCRIPT = load_program()


def page_of(*results):
    """The page, or the refusal."""
    try:
        return SCRIPT["make_page"]([(f"r{i}.json", result) for i, result in enumerate(results)])
    except SCRIPT["Refusal"] as refusal:
        return str(refusal)


def answer_of(result):
    found = re.search('<p class="answer[^>]*>(.*?)</p>', page_of(result))
    return html.unescape(re.sub("<[^>]*>", "", found[1])).replace("\u00a0", " ") if found else "none"


def iteration(number, makespan, **keys):
    return {"iteration": number, "makespan_seconds": makespan, **keys}


def once(makespan, **keys):
    return {"iterations": [iteration(0, makespan)], **keys}


def mode(seconds, ratio=None, interval=None, verdict="not distinguishable", **keys):
    """A mode of several rounds."""
    found = once(seconds, median_seconds=seconds, **keys)
    if ratio:
        found["ratio"] = {"value": ratio, "verdict": verdict, **({"interval": interval} if interval else {})}
    return found


def rounds(n, needed, modes, **keys):
    for entry in modes.values():
        entry["iterations"] = [dict(entry["iterations"][0], round=r) for r in range(n)]
    return {"workers": 2, "comparison": {"rounds": n, "rounds_needed": needed, "confidence": 0.98, **keys}, "compare": modes}


# The most loaded of four workers has 1.9 times the mean load.
UNEVEN = iteration(0, 2, task_seconds=4.24, idle_seconds=3.76, load_max=2.0, load_mean=1.06)
BINS = {"makespan_seconds": 2, "durations": {"edges_seconds": [1, 1.5, 2], "tasks": [3, 1]}}
ANSWERS = [
    ({"iterations": []}, "The result has no time of an iteration."),
    ({"compare": {"a": {"iterations": []}, "b": {"iterations": []}}}, "The result has no time of an iteration."),
    ({"sched": "static", "workers": 4, "iterations": [UNEVEN]},
     "An iteration of static on 4 workers took 2.000 s. static lost 47.0 % of its time to uneven loads (imbalance 88.7 %)."),
    ({"sched": "static", "workers": 4, "iterations": [UNEVEN], "timeline": BINS},
     "An iteration of static on 4 workers took 2.000 s. static lost 47.0 % of its time to uneven loads (imbalance 88.7 %); "
     "one task alone takes 1.500 s or more."),
    # Most tasks are null and explain the scheduler's time.
    ({"sched": "counter", "workers": 2, "tasks": 1000, "non_null": 10,
      "iterations": [iteration(0, 1, task_seconds=1, scheduler_seconds=0.9, idle_seconds=0.1)]},
     "An iteration of counter on 2 workers took 1.000 s. counter lost 50.0 % of its time to the scheduler (990 of 1,000 "
     "tasks are null)."),
    ({"sched": "static", "workers": 1, "iterations": [iteration(i, 0.02, task_seconds=0.0199) for i in (0, 1)]},
     "An iteration of static on 1 worker took 20.00 ms. static lost 0.5 % of its time."),
    # The first two iterations are warm-up, except in an SCF.
    ({"sched": "a", "iterations": [iteration(i, s) for i, s in enumerate((9, 9, 1, 3))]},
     "An iteration of a on 1 worker took 2.000 s (from 1.000 s to 3.000 s)."),
    ({"sched": "a", "scf_iterations": [{"iteration": 1}],
      "iterations": [dict(iteration(i, 1), fock_seconds=s) for i, s in enumerate((9, 9, 1, 3))]},
     "A Fock build of a on 1 worker took 5.500 s (from 1.000 s to 9.000 s)."),
    # The balancing before an iteration is part of its time.
    ({"workers": 2, "compare": {"static": once(1), "persist": {"iterations": [iteration(0, 0.75, balance_seconds=0.5)]}}},
     "No mode was faster than static, which took 1.000 s."),
    ({"workers": 2, "compare": {"static": once(2), "steal": once(1), "auto": once(1.25)}},
     "steal took 0.500 of the time of static, 1.000 s against 2.000 s; one round does not show whether this is chance."),
    # The first named is what others are compared with; one that knows all durations is no choice.
    ({"workers": 2, "compare": {"steal": once(1), "static": once(2), "lpt": once(0.5, bound=True)}},
     "No mode was faster than steal, which took 1.000 s."),
    # b has the lowest ratio, but only a is shown to be faster; c may be as fast.
    (rounds(10, 8, {"static": mode(2), "a": mode(1, 0.5, [0.4, 0.55], "faster"), "b": mode(0.9, 0.45, [0.3, 1.1]),
                    "c": mode(1.1, 0.55, [0.5, 0.6], "faster"), "d": mode(1.6, 0.8, [0.7, 0.9], "faster")}),
     "a is significantly faster: it took 0.500 of the time of static (interval 0.400 to 0.550), 1.000 s against 2.000 s. b "
     "and c may be as fast, as the intervals overlap."),
    (rounds(9, 8, {"static": mode(2), "b": mode(1.9, 0.95, [0.9, 0.99])}),
     "b took 0.950 of the time of static (interval 0.900 to 0.990), 1.900 s against 2.000 s, but 9 rounds cannot tell this "
     "from chance."),
    (rounds(3, 8, {"a": mode(2), "b": mode(1, 0.5), "c": mode(3, 1.5)}, oversubscribed=True),
     "b took 0.500 of the time of a, 1.000 s against 2.000 s, but 3 rounds cannot tell this from chance. To tell 3 modes "
     "apart takes 8 rounds. There were more processes than cores: the times are the operating system\u2019s, too."),
    (rounds(9, 8, {"a": mode(2), "b": mode(3, 1.5, [1.4, 1.6], "slower")}),
     "No mode is shown to be faster than a, which took 2.000 s."),
    # The bound is the least of the iterations that count; unknown if one has none.
    ({"sched": "a", "iterations": [iteration(i, 2, lower_bound_seconds=b) for i, b in enumerate((1, 1, 1.5, 1.75))]},
     "An iteration of a on 1 worker took 2.000 s. No schedule takes less than 1.500 s."),
    ({"sched": "a", "iterations": [iteration(2, 2), iteration(3, 2, lower_bound_seconds=1.5)]},
     "An iteration of a on 1 worker took 2.000 s."),
    ({"success": False, "return_result": None, "model": {"method": "ccsd", "basis": "cc-pvdz"},
      "extras": {"beryl": {"sched": "auto", "iterations": [iteration(0, 1)]}}},
     "Failed: without a message. There is no CCSD energy of the molecule in cc-pvdz. An iteration of auto on 1 worker took 1.000 s."),
    ({"success": True, "return_result": -76.25, "model": {"method": "ccsd(t)", "basis": "b"},
      "molecule": {"symbols": ["O", "H", "H", "H"], "real": [True, True, True, False]}, "provenance": {"routine": "beryl-tce"},
      "properties": {"scf_total_energy": -76.0, "ccsd_prt_pr_correlation_energy": -0.25},
      "extras": {"beryl": {"sched": "auto", "iterations": [iteration(0, 1)]}}},
     "The CCSD(T) energy of H2O in b is \u221276.25000000 hartree: Hartree-Fock \u221276.00000000, correlation "
     "\u22120.25000000. An iteration of auto on 1 worker took 1.000 s."),
]

ERROR = {"error": {"error_type": "t", "error_message": "the <deque> is full"}}
REFUSED = [({}, "not a result"), ([1, 2], "not a result"), ({"iterations": 3}, "not a result"),
           ({"extras": {"beryl": 7}}, "not a result"), ({"compare": {"static": []}}, "not a result"),
           ({"traceEvents": []}, "ui.perfetto.dev"), ({"compare": {}, **ERROR}, "as it failed: the <deque> is full")]
LONG = ["[" * 100000, "1" * 5000]


def check_texts():
    choice = [{"what": "tasks <stay>", "why": "first"}, {"what": "tasks move", "why": "second"}]
    result = {"workload": "a<b>\u009b\u001b[1m", "iterations": [
        iteration(i % 4, 1, round=i // 4, choice=choice[i % 4 > 1]) for i in range(8)], **ERROR}
    page = page_of(result)
    check("a&lt;b&gt;  [1m" in page, "another text of control characters")
    check(page.count("<span>&lt;stay&gt;</span>") == 1 and ">2\u20133</td><td class=\"text\"><span>second<" in page, "choices are not named once")
    check("<b>Failed</b>: the &lt;deque&gt; is full" in page, "no error")
    check("iterations 2\u20133 of each of 2 rounds" in page, "no word on warm-up")
    check('data-chart="times"' in page, "no chart over iterations")
    check('data-chart="times"' not in page_of({"iterations": [iteration(0, 1)]}), "a chart of one iteration")
    check("2 recorded runs" in page_of(result, {"iterations": []}), "two files are not side by side")


def check_files():
    for text in LONG:
        with open("broken.json", "w", encoding="utf-8") as file:
            file.write(text)
        done = run("broken.json", "-o", "page.html")
        check(done.returncode == 2 and "broken.json: not JSON" in done.stderr, done)
    piped = run("/dev/stdin", "-o", "/dev/stdout", text='{"iterations": []}')
    check(piped.returncode == 0 and piped.stdout.endswith("</html>\n"), piped)
    check(sorted(name for name in os.listdir() if ".part" in name or name.endswith(".html")) == [], "files are left")


def places_of(value, place=()):
    """The keys and indices that lead to each value."""
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places_of(inner, place + (key,))


def change(result, choose):
    """Another value at a random place, or none."""
    place = choose.choice(list(places_of(result))[1:])
    for key in place[:-1]:
        result = result[key]
    value = choose.choice([None, True, -1, 0, 1e308, 10 ** 400, 5e-324, 0.3, "", "<\ud800\x00", [], {}, [[]], [1e30] * 3,
                           {"mean": -3}, ["x", None, 2.5], "delete"])
    if value == "delete":
        del result[place[-1]]
    else:
        result[place[-1]] = value


def full_result():
    """One that has all parts of a page."""
    entry = dict(UNEVEN, efficiency=0.5, steals_attempted={"mean": 2}, choice={"what": "w", "why": "y"}, energy=-1, change=0.1,
                 norm=0.1, seconds=2, flops=1e9, lower_bound_seconds=1)
    iterations = [dict(entry, iteration=i % 3, round=i // 3) for i in range(6)]
    bins = {"seconds": 2, "bin_seconds": 1, "starts_seconds": [0, 0.5, 1], "task": [1, 0.5], "search": [0, 0.1],
            "scheduler": [0, 0], "communication": [0, 0]}
    lane = {"worker": 3, "uses": "ts", "from_seconds": [0, 1], "to_seconds": [1, 2], "tasks": [7, 0], "steals_seconds": [0.5]}
    timeline = {**BINS, "of": "a part", "utilisation": bins, "last_utilisation": bins, "lanes": [lane]}
    modes = {name: {"sched": name, "median_seconds": 1 + i, "interval_seconds": [1, 2], "iterations": iterations, "timeline":
                    timeline, "ratio": {"value": 0.5, "interval": [0.4, 0.6], "verdict": "faster"}} for i, name in enumerate("abc")}
    beryl = {"workers": 4, "tasks": 9, "non_null": 1, "machine": {"threads": 2, "server": True, "latency": 1e-6}, "command": "c d",
             "hardware": {"processor": "p", "cores": 2, "nodes": 1}, "wall_seconds": {"total": 2, "start": 1}, "compare": modes,
             "comparison": {"rounds": 2, "rounds_needed": 8, "counted_from": 2}, "orbital_energies": [[-1, 1, 2], [-1, 0, 2]],
             "stability": {"real_rhf": {"lowest_curvature": 0.1, "stable": True}}, "saddle_points_left": [{}], "s2": 0,
             "scf_iterations": [{"energy": -1, "gradient": 1}, {"energy": -2, "gradient": 0.1}], "diagnostics": {"t1": 0.1}}
    properties = {"calcinfo_nalpha": 1, "calcinfo_nbeta": 1, "scf_total_energy": -1, "scf_dipole_moment": [0, 0, 1],
                  "ccsd_prt_pr_correlation_energy": -1}
    return {"success": True, "return_result": -2, "molecule": {"symbols": ["H", "C"], "real": [True, True]},
            "model": {"method": "ccsd(t)", "basis": "b"}, "properties": properties, "provenance": {"routine": "beryl-tce"},
            "extras": {"beryl": beryl}}


def check_random_changes():
    choose = random.Random(1)
    good = full_result()
    pages = {SCRIPT["make_page"]([("r.json", copy.deepcopy(good))]) for _ in range(3)}
    check(len(pages) == 1, "equal results give other pages")
    end, n = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        result = copy.deepcopy(good)
        if choose.random() < 0.5:  # a single run
            beryl = result["extras"]["beryl"]
            beryl.update(beryl.pop("compare")["a"])
        try:
            for _ in range(choose.randint(1, 4)):
                change(result, choose)
            page = SCRIPT["make_page"]([("r.json", result), ("\udcff.json", result)][:choose.randint(1, 2)])
            check(not re.search(r"(?<![\w.])(nan|inf)(?!\w)", page.split("<script>")[0].split("</style>")[1]), "nan:", result)
            page.encode("utf-8")
        except SCRIPT["Refusal"]:
            pass
        except Exception as error:  # pylint: disable=broad-except
            check(False, repr(error), error.__traceback__.tb_next.tb_next, json.dumps(result)[:3000])
            raise
        n += 1
        if len(complaints) > 3:
            return
    check(n > 20, f"only {n} pages")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for given, words in ANSWERS:
        check(answer_of(given) == words, f"{words}\n  is  {answer_of(given)}")
    for given, words in REFUSED:
        check(words in page_of(given), f"{given}: {page_of(given)[:200]}, not {words}")
    check_texts()
    check_files()
    check_random_changes()
sys.exit(bool(complaints))
