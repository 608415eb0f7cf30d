# SPDX-License-Identifier: BSD-3-Clause
"""Measurements on a machine that others use too.

A virtual machine's cores can be half as fast for seconds when another one runs on the same hardware.
measure() repeats what was disturbed: a loop is timed on every core before, after and once a second
meanwhile, which takes half a percent of a core; none may be much slower than the quickest.
"""
import os
import sys
import threading
import time

LOOPS = 50_000
SLOWER = 1.45  # than the quickest loop, above which a core counts as disturbed
PAUSE_S = 1.0
MOST_PAUSES = 30  # before a run
MOST_RUNS = 10

best_s = float("inf")  # of the loop


def loop_seconds():
    start = time.thread_time()
    total = 0
    for i in range(LOOPS):
        total += i
    return time.thread_time() - start


def is_at_rest():
    """Whether every core of this process is about as fast as the best has been."""
    global best_s
    cores = os.sched_getaffinity(0)
    slowest = 0
    try:
        for core in cores:
            os.sched_setaffinity(0, {core})  # of this thread
            seconds = min(loop_seconds() for _ in range(2))
            best_s = min(seconds, best_s)
            slowest = max(slowest, seconds)
    finally:
        os.sched_setaffinity(0, cores)
    return slowest < SLOWER * best_s


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
