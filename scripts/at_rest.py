# SPDX-License-Identifier: BSD-3-Clause
"""Measurements on a machine that others use too.

A virtual machine's cores can be half as fast for seconds when another one runs on the same hardware.
measure() repeats what was disturbed: a loop is timed on the cores before and after a run, and once a
second meanwhile, in 0.1 % of their time. None may take much longer than the least that any core of its
kind took, idle or beside what is measured. Before and after, other processes of the same system are
seen, too; meanwhile they are not.
"""
import collections
import os
import random
import sys
import threading
import time

LOOPS = 10_000  # 0.2 ms or so
SLOWER = 1.45  # than the least, above which a core counts as disturbed
MOST_CORES = 16  # in one look, drawn at random
PAUSE_S = 1.0
MOST_PAUSES = 120  # of a measurement, before its runs
MOST_RUNS = 10
MOST_IN_VAIN = 2  # measurements, one after another, with MOST_RUNS disturbed ones: then nothing is repeated

Look = collections.namedtuple("Look", "kind core seconds")

least_s = {}  # by kind of core, idle or not
n_in_vain = 0


def loop_seconds(loops, clock):
    start = clock()
    total = 0
    for i in range(loops):
        total += i
    return clock() - start


def kind_of(core):
    """Tells cores of different speed apart; "" where the system does not say, as in virtual machines."""
    for name in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        try:
            with open(f"/sys/devices/system/cpu/cpu{core}/{name}", encoding="ascii") as file:
                return file.read()
        except OSError:
            pass
    return ""


def core_seconds(idle):
    """Seconds of the loop on this core. If it should be idle, by the wall clock and long enough for it to
    raise its frequency, and for a process that shares it to have its turn; else in processor time."""
    if idle:
        return loop_seconds(100 * LOOPS, time.perf_counter) / 100
    return min(loop_seconds(LOOPS, time.thread_time) for _ in range(2))


def look(idle):
    """A Look at each core. Only this thread goes from one to the other: what other threads start may use
    all cores."""
    cores, looks = os.sched_getaffinity(0), []
    try:
        for core in random.sample(sorted(cores), min(len(cores), MOST_CORES)):
            try:
                os.sched_setaffinity(0, {core})
            except OSError:  # taken from this process meanwhile
                continue
            looks.append(Look((kind_of(core), idle), core, core_seconds(idle)))
    finally:
        os.sched_setaffinity(0, cores)
    return looks


def slowest(looks):
    """The core that took longest compared with the least known by now, and their ratio."""
    for one in looks:
        least_s[one.kind] = min(one.seconds, least_s.get(one.kind, one.seconds))
    return max(((one.core, one.seconds / least_s[one.kind]) for one in looks),
               key=lambda pair: pair[1], default=(0, 1))


def wait(n_pauses):
    """Waits until the machine is at rest, for n_pauses at most; the pauses that are left, and the looks."""
    looks = look(idle=True)
    while slowest(looks)[1] >= SLOWER and n_pauses > 0:
        time.sleep(PAUSE_S)
        n_pauses -= 1
        looks = look(idle=True)
    return n_pauses, looks


def run_watched(run):
    """The result of run(), and looks meanwhile."""
    ended, looks = threading.Event(), []

    def watch():
        while not ended.wait(PAUSE_S):
            looks.extend(look(idle=False))
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        result = run()
    finally:
        ended.set()
        watcher.join()
    return result, looks


def say(text):
    print("at_rest: " + text, file=sys.stderr, flush=True)


def forget_busy():
    """Another number of processes may leave more or less of a core to the loop."""
    for kind in [kind for kind in least_s if not kind[1]]:
        del least_s[kind]


def measure(run):
    """The result of run(), which is called again if the machine was disturbed; the last one if it
    always was."""
    global n_in_vain
    if n_in_vain >= MOST_IN_VAIN:
        return run()
    forget_busy()
    n, n_pauses = 0, MOST_PAUSES
    while n < MOST_RUNS and (n == 0 or n_pauses > 0):
        n_pauses, before = wait(n_pauses)
        result, meanwhile = run_watched(run)
        n += 1
        core, ratio = slowest(before + meanwhile + look(idle=True))
        if ratio < SLOWER:
            n_in_vain = 0
            return result
        say(f"run {n} of at most {MOST_RUNS} was disturbed: core {core} took {ratio:.1f} times the least")
    n_in_vain += n == MOST_RUNS  # though each began at rest
    say("the last run counts, disturbed as it was" +
        ("; from now on nothing is repeated" if n_in_vain >= MOST_IN_VAIN else ""))
    return result
