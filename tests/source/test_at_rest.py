#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/at_rest.py with cores whose speed is given.

    test_at_rest.py SCRIPTS
"""
import importlib
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
        self.at_rest.MOST_PAUSES = 3
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
        self.on(lambda core, idle: 2 if core == "big1" and self.n_runs < 3 else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 4)
        self.assertIn("core big1 took 2.0 times the least: run 2 of at most 10", self.said)

    def test_a_disturbance_that_is_known_by_its_end(self):
        began = time.monotonic()
        self.on(lambda core, idle: 2 if not idle and time.monotonic() < began + 0.05 else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 2)

    def test_a_disturbance_before_or_after(self):
        self.on(lambda core, idle: 2 if idle and self.n_runs == 1 else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 3)

    def test_always_disturbed(self):
        self.on(lambda core, idle: 2 if core == "big0" else 1)
        self.assertEqual(self.at_rest.measure(self.run_once), 10)
        self.assertEqual(self.said[-1], "all 10 runs were disturbed: the last one counts")
        self.assertEqual(self.at_rest.measure(self.run_once), 20)
        self.assertIn("from now on nothing is repeated", self.said[-1])
        self.assertEqual(self.at_rest.measure(self.run_once), 21)

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
