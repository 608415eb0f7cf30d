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

SCRIPTS = sys.argv.pop(1)
sys.path.append(SCRIPTS)


class TestAtRest(unittest.TestCase):
    def setUp(self):
        self.at_rest = importlib.reload(sys.modules["at_rest"]) if "at_rest" in sys.modules \
            else importlib.import_module("at_rest")
        self.at_rest.PAUSE_S = 0.01
        self.at_rest.MOST_PAUSES = 30
        self.at_rest.say = lambda text: self.said.append(text)
        self.said, self.n_runs = [], 0

    def on(self, seconds):
        """Cores take seconds(core, idle) for the loop, of two kinds if the core's name has one."""
        self.at_rest.look = lambda idle: [
            self.at_rest.Look((name.rstrip("0123456789"), idle), name, seconds(name, idle))
            for name in ("big0", "big1", "little0")]

    def run_once(self):
        self.n_runs += 1
        time.sleep(0.1)
        return self.n_runs

    def test_at_rest_runs_once(self):
        self.on(lambda core, idle: (3 if core == "little0" else 1) * (1.3 if idle else 1.7))
        self.assertEqual(self.at_rest.measure(self.run_once), 1)
        self.assertEqual(self.said, [])

    def test_a_core_that_is_slow_from_the_start(self):
        self.at_rest.MOST_PAUSES = 1000
        slow = iter([True] * 5)
        self.on(lambda core, idle: 2 if core == "big1" and next(slow, False) else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 1)
        self.assertEqual(self.said, [])

    def test_a_core_that_is_slow_meanwhile(self):
        self.on(lambda core, idle: 2 if core == "big1" and not idle and self.n_runs < 2 else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 2)
        self.assertIn("run 1 of at most 10 was disturbed: core big1 took 2.0 times the least", self.said)

    def test_a_disturbance_that_is_known_by_its_end(self):
        busy = iter([2] * 3)  # the first look at all cores
        self.on(lambda core, idle: 1 if idle else next(busy, 1))
        self.assertEqual(self.at_rest.measure(self.run_once), 2)

    def test_a_disturbance_before_or_after(self):
        idle_looks = iter([1] * 3 + [2] * 9)  # before the first run; after it, and two pauses
        self.on(lambda core, idle: next(idle_looks, 1) if idle else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 2)

    def test_always_disturbed(self):
        self.on(lambda core, idle: 2 if core == "big0" and not idle else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 10)
        self.assertEqual(self.said[-1], "the last run counts, disturbed as it was")
        self.assertEqual(self.at_rest.measure(self.run_once), 20)
        self.assertIn("from now on nothing is repeated", self.said[-1])
        self.assertEqual(self.at_rest.measure(self.run_once), 21)

    def test_never_at_rest(self):
        self.on(lambda core, idle: 2 if core == "big0" else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 1)

    def test_other_programs_may_leave_less_of_a_core(self):
        for n in range(3):
            self.on(lambda core, idle, n=n: 1 if idle else 1 + n)
            self.assertEqual(self.at_rest.measure(self.run_once), n + 1)

    def test_all_cores_are_looked_at(self):
        for idle in (True, False):
            looks = self.at_rest.look(idle)
            self.assertLessEqual({one.core for one in looks}, os.sched_getaffinity(0))
            self.assertGreater(len(looks), 0)
            self.assertTrue(all(one.seconds > 0 for one in looks))

    def test_errors_pass_and_no_thread_stays(self):
        self.on(lambda core, idle: 1)
        with self.assertRaises(ZeroDivisionError):
            self.at_rest.measure(lambda: 1 / 0)
        self.assertEqual(threading.active_count(), 1)

    def test_programs_may_use_all_cores(self):
        self.at_rest.PAUSE_S = 0
        affinity = "import os; print(sorted(os.sched_getaffinity(0)))"
        own = subprocess.check_output([sys.executable, "-c", affinity])
        found, _ = self.at_rest.run_watched(lambda: [
            subprocess.check_output([sys.executable, "-c", affinity]) for _ in range(10)])
        self.assertEqual(found, [own] * 10)


unittest.main()
