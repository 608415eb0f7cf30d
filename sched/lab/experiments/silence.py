#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a worker that answers nobody keeps the others waiting.

One worker is slower than the others; each begins with equally many equal tasks, and with nothing
known. Inside a task a worker answers no message. Its tasks that wait are stolen
  from memory   where all workers are of one node, or are nodes of 16: no answer is needed
  by messages   where each worker is a node of its own: it answers between two tasks
  by a thread   likewise, with --progress thread: it answers at once
The makespan is compared with the lower bound that is known afterwards: the work by the speeds of all,
but no less than the one task that the slow worker has begun at the start. What is above it is
counted in tasks of the slow worker: across nodes this is what silence costs at most.
"""
import pathlib
import sys
import tempfile

import experiment

TASK_S, SPREAD_S = 0.1, 0.01
PLACES = {"one node": "--node-size {workers}", "nodes of 16": "--node-size 16",
          "nodes of 1": "--node-size 1", "nodes of 1, thread": "--node-size 1 --progress thread"}
MODES = ["static", "counter", "steal", "hybrid"]


def positions(workers, quick):
    """Both ends, both sides of an edge between nodes, and the middle of one."""
    return [0, 15, 16, workers // 2 + 7, workers - 1][:: 2 if quick else 1]


def lower_bound(workers, tasks, speed):
    return max(workers * tasks * TASK_S / (workers - 1 + speed), TASK_S / speed)


def measure(lab, folder, workers, tasks, speed):
    """place -> mode -> of the slow worker's tasks, those above the bound, by position."""
    slow = positions(workers, lab.quick)
    keys, lines = [], []
    for position in slow:
        path = folder / f"speeds{position}"
        path.write_text("".join(f"{speed if i == position else 1}\n" for i in range(workers)))
        for place, options in PLACES.items():
            for mode in MODES:
                keys.append((place, mode))
                lines.append(f"--gauss {TASK_S},{SPREAD_S} --tasks {workers * tasks} --simulate "
                             f"{workers} --speeds {path} --known-speeds none --sched {mode} "
                             f"{options.format(workers=workers)}")
    late = {place: {mode: [] for mode in MODES} for place in PLACES}
    for (place, mode), result in zip(keys, lab.sweep(lines)):
        above_s = (experiment.last(result)["makespan_seconds"] - lower_bound(workers, tasks, speed))
        late[place][mode].append(above_s / (TASK_S / speed))
    return late


def main():
    lab = experiment.begin("silence", __doc__)
    rows, steal = [], {place: [] for place in PLACES}
    with tempfile.TemporaryDirectory() as folder:
        for workers in [64] if lab.quick else [64, 1024]:
            for tasks in [5] if lab.quick else [5, 20]:
                for speed in [0.2] if lab.quick else [0.2, 0.5]:
                    late = measure(lab, pathlib.Path(folder), workers, tasks, speed)
                    lab.beryl[f"{workers}_{tasks}_{speed}"] = late
                    for place, by_mode in late.items():
                        rows.append([workers, tasks, speed, place]
                                    + [max(by_mode[mode]) for mode in MODES])
                        steal[place] += by_mode["steal"]
    lab.table("Above the lower bound, in tasks of the slow worker; the worst of its positions",
              ["workers", "tasks each", "speed", "nodes", *MODES], rows)
    # A task may take a third more than their mean. Across nodes a worker may run one until it answers,
    # and has then begun the next.
    for place, bound in (("one node", 1.3), ("nodes of 16", 1.3), ("nodes of 1, thread", 1.3),
                         ("nodes of 1", 2.6)):
        lab.at_most(f"steal, {place}: above the lower bound, in tasks of the slow worker",
                    max(steal[place]), bound)
    return lab.end()


if __name__ == "__main__":
    sys.exit(main())
