# SPDX-License-Identifier: BSD-3-Clause
"""Measurements on a machine that others use too.

A virtual machine's cores can be half as fast for seconds when another one runs on the same hardware.
measure() repeats what was disturbed: a loop is timed on the cores before, after and once a second
meanwhile, which takes some 0.2 % of a core; none may be much slower than it was at its best.
"""
import os
import random
import sys
import threading
import time

LOOPS = 50_000
SLOWER = 1.45  # than a core's best, above which it counts as disturbed
MOST_CORES = 16  # in one look, drawn at random
PAUSE_S = 1.0
MOST_PAUSES = 30  # before a run
MOST_RUNS = 10

best_s = {}  # by core, of the loop


def loop_seconds():
    start = time.thread_time()
    total = 0
    for i in range(LOOPS):
        total += i
    return time.thread_time() - start


def is_at_rest():
    """Whether the cores of this process are about as fast as each has been at its best."""
    cores = os.sched_getaffinity(0)
    rests = True
    try:
        for core in random.sample(sorted(cores), min(len(cores), MOST_CORES)):
            os.sched_setaffinity(0, {core})  # of this thread
            seconds = min(loop_seconds() for _ in range(2))
            best_s[core] = min(seconds, best_s.get(core, seconds))
            rests = rests and seconds < SLOWER * best_s[core]
    finally:
        os.sched_setaffinity(0, cores)
    return rests


def wait():
    """Waits until the machine is at rest, half a minute at most."""
    for _ in range(MOST_PAUSES):
        if is_at_rest():
            return
        time.sleep(PAUSE_S)


def run_watched(run):
    """The result of run(), and whether the machine was at rest."""
    ended, found = threading.Event(), []

    def watch():
        while not ended.wait(PAUSE_S):
            found.append(is_at_rest())
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        result = run()
    finally:
        ended.set()
        watcher.join()
    return result, is_at_rest() and all(found)


def measure(run):
    """The result of run(), which is called again if the machine was disturbed; the last one if it
    always was, which stderr says."""
    for n in range(1, MOST_RUNS + 1):
        wait()
        result, rested = run_watched(run)
        if rested:
            return result
        print(f"at_rest: run {n} of at most {MOST_RUNS} was disturbed by other loads of the machine",
              file=sys.stderr, flush=True)
    return result
