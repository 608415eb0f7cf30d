#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/at_rest.py with cores whose speed is given.

    test_at_rest.py SCRIPTS
"""
import importlib
import os
import subprocess
import sys
import threading
import time
import unittest

sys.path.append(sys.argv.pop(1))
at_rest = importlib.import_module("at_rest")


class TestAtRest(unittest.TestCase):
    def setUp(self):
        importlib.reload(at_rest)
        at_rest.PAUSE_S, at_rest.MOST_PAUSES = 0.01, 30
        at_rest.say = lambda text: self.said.append(text)
        self.said, self.n_runs = [], 0

    def on(self, seconds):
        """Cores take seconds(core, idle) for the loop, of two kinds if the core's name has one."""
        at_rest.look = lambda idle: [
            at_rest.Look((name.rstrip("0123456789"), idle), name, seconds(name, idle))
            for name in ("big0", "big1", "little0")]

    def runs(self, n):
        """A measurement ends with the nth run of all."""
        def run_once():
            self.n_runs += 1
            time.sleep(0.1)
            return self.n_runs
        self.assertEqual(at_rest.measure(run_once), n)

    def test_at_rest_runs_once(self):
        self.on(lambda core, idle: (3 if core == "little0" else 1) * (1.3 if idle else 1.7))
        self.runs(1)
        self.assertEqual(self.said, [])

    def test_a_core_that_is_slow_from_the_start(self):
        at_rest.MOST_PAUSES = 1000
        slow = iter([True] * 5)
        self.on(lambda core, idle: 2 if core == "big1" and next(slow, False) else 1)
        self.runs(1)
        self.assertEqual(self.said, [])

    def test_a_disturbance_before_meanwhile_or_after(self):
        self.on(lambda core, idle: 2 if core == "big1" and not idle and self.n_runs < 2 else 1)
        self.runs(2)
        self.assertIn("run 1 of at most 10 was disturbed: core big1 took 2.0 times the least", self.said)
        idle_looks = iter([1] * 3 + [2] * 9)  # before the third run; after it, and two pauses
        self.on(lambda core, idle: next(idle_looks, 1) if idle else 1)
        self.runs(4)

    def test_always_disturbed(self):
        self.on(lambda core, idle: 2 if core == "big0" and not idle else 1)
        self.runs(10)
        self.assertEqual(self.said[-1], "the last run counts, disturbed as it was")
        self.runs(20)
        self.assertIn("from now on nothing is repeated", self.said[-1])
        self.runs(21)

    def test_never_at_rest(self):
        self.on(lambda core, idle: 2 if core == "big0" else 1)
        self.runs(1)

    def test_other_programs_may_leave_less_of_a_core(self):
        for n in range(3):
            self.on(lambda core, idle, n=n: 1 if idle else 1 + n)
            self.runs(n + 1)

    def test_looks_leave_nothing_behind(self):
        affinity = "import os; print(sorted(os.sched_getaffinity(0)))"
        own = subprocess.check_output([sys.executable, "-c", affinity])
        at_rest.PAUSE_S = 0
        for idle in (True, False):
            looks = at_rest.look(idle)
            self.assertLessEqual({one.core for one in looks}, os.sched_getaffinity(0))
            self.assertTrue(looks and all(one.seconds > 0 for one in looks))
        found, _ = at_rest.run_watched(lambda: [
            subprocess.check_output([sys.executable, "-c", affinity]) for _ in range(10)])
        self.assertEqual(found, [own] * 10)
        with self.assertRaises(ZeroDivisionError):
            at_rest.run_watched(lambda: 1 / 0)
        self.assertEqual(threading.active_count(), 1)


unittest.main()
