#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kale (2010), figures 3.1 to 3.6: static, dynamic and half-static sweeps of Jacobi's
relaxation on 64 x 512 x 64 points a node.

For real on this machine, with --np processes, and simulated on 1 to 4,096 nodes of 16
workers under noise, whose strength follows from the paper's measurements of one node:
of the static sweeps half take 6 ms and half 7.75 ms, the longest takes 9.5 ms, and
1,000 take 7.00 s.

The paper does not name the sources of noise. Two kinds that fit are simulated:
  slowed       a worker now and then has only 6 / 7.75, or seldom 6 / 9.5, of its core for
               some 150 or 20 ms, as if a daemon ran on the core's other hardware thread
  interrupted  a worker is stopped for 7.75 - 6 ms at once, at a fixed period
The paper's results for 64 nodes come out of the first only: on so many nodes there is always
an interruption so near a sweep's end that no schedule makes up for it.

The real processes need a core each and no other load.

The simulated sweeps end at a barrier of all nodes, where the paper's nodes wait for their
neighbours only; that a plane costs more where it was not computed last is not simulated, so
that locality shows in the real runs only.

The paper does not say what taking a tasklet costs. Its figure 3.2 does: 128 tasklets are slower
than 64, so a queue that all 16 threads lock serves some ten thousand of them a second. The
figure is simulated for several costs of an access, and figure 3.4 (fixed tasklets 7.25 ms, static
7.00, skewed 6.75) is what the one that fits figure 3.2 gives. All else is simulated at the cost of
an atomic access.
"""
import dataclasses
import pathlib
import random
import statistics
import sys
import tempfile

import experiment
import figure

CORES = 16  # of a node
POINT_S = 1.05e-9  # of a simulated point, see sched/lab/workloads/jacobi.h
FAST_MS, SLOW_MS, SLOWEST_MS, STATIC_MEAN_MS = 6.0, 7.75, 9.5, 7.0
TIME_SCALE = FAST_MS * 1e-3 / (64 * 512 * 64 / CORES * POINT_S)

# Gains are static / other - 1, as in 7.00 s / 6.53 s - 1 = 7 %. Of the 64 nodes the paper
# reports the gain and that half-static sweeps take mostly 7.00 ms.
PAPER = {"static_seconds_1000_sweeps": 7.00, "half_static_seconds_1000_sweeps": 6.53,
         "half_static_gain_1": 0.07, "half_static_skew_over_half_static": 0.07,
         "half_static_skew_gain_64": 0.30, "half_static_skew_ms_1": 6.75,
         "half_static_skew_ms_64": 7.00, "static_ms_64": 7.00 * 1.30,
         "static_max_ms_1": SLOWEST_MS, "half_static_max_ms_1": 8.25,
         "figure_3_4_ms": {"static": STATIC_MEAN_MS, "half_static": 7.25,
                           "half_static_skew": 6.75}}

TASKLETS = [16, 32, 64, 96, 128]  # of a node, as in figure 3.2
PAPER_TASKLETS = 32
QUEUE_US = [0.2, 10, 20, 30]  # of an access to the queue
PAPER_QUEUE_US = 30  # the one that fits figure 3.2
REAL = "--jacobi 64,512,64"


@dataclasses.dataclass
class Case:
    key: str
    title: str
    options: str
    tasklets: int = None  # of a node
    sweeps: int = 1000  # for real


def cases(tasklets):
    return [
        Case("static", "static", "--sched static"),
        Case("dynamic_no_locality", "dynamic, no locality",
             "--sched hybrid --static-fraction 0 --no-locality", tasklets),
        Case("dynamic", "dynamic", "--sched hybrid --static-fraction 0", tasklets),
        Case("half_static", "half static", "--sched hybrid --static-fraction 0.5", tasklets),
        Case("half_static_skew", "half static, skewed",
             "--sched hybrid --static-fraction 0.5 --skew", tasklets),
    ]


# The paper's queue with fixed tasklets: one shared queue, without own parts for the workers.
ONE_QUEUE = Case("half_static", "half static, one queue",
                 "--sched hybrid --static-fraction 0.5 --no-locality", PAPER_TASKLETS)


def scheduling(case, workers):
    """The options of a case on nodes of so many workers."""
    if case.tasklets is None:
        return case.options
    return f"{case.options} --tasklets {max(1, case.tasklets // workers)} --group {workers}"


def tasklet_counts(quick):
    return TASKLETS[1::3] if quick else TASKLETS


def heads(columns):
    return ["schedule"] + [str(column) for column in columns]


def milliseconds(result):
    return [1e3 * sweep["makespan_seconds"] for sweep in experiment.iterations(result)]


# --- for real ---

def run_real(lab, tried, n_repeats):
    """Key -> a list of the sweeps' milliseconds for each repeat; in turn, so that what else
    goes on meets all cases alike."""
    processes = lab.options.np
    shortened = 10 if lab.quick else 1
    runs = {case.key: [] for case in tried}
    digests = set()
    order = random.Random(1)
    print(f"kale: {len(tried) * n_repeats} runs on {processes} processes ...", flush=True)
    for _ in range(n_repeats):
        for case in order.sample(tried, len(tried)):
            result = lab.run(f"{REAL} --sweeps {case.sweeps // shortened} "
                             f"{scheduling(case, processes)}", processes)
            runs[case.key].append(milliseconds(result))
            digests.add((case.sweeps, result["jacobi_sha256"]))
    lab.equal("real: meshes that differ after equally many sweeps",
              len(digests) - len({case.sweeps for case in tried}), 0)
    return runs


def typical(repeats):
    """The median over repeats of the mean sweep."""
    return statistics.median(statistics.fmean(run) for run in repeats)


def pool(repeats):
    return sorted(time for run in repeats for time in run)


def real(lab):
    n_repeats = 1 if lab.quick else 3
    counts = tasklet_counts(lab.quick)
    main = cases(PAPER_TASKLETS)
    counted = [dataclasses.replace(case, key=f"{case.key}_{n}", tasklets=n,
                                   sweeps=300) for case in main[2:] for n in counts]
    runs = run_real(lab, main + counted, n_repeats)
    found = {"processes": lab.options.np, "repeats": n_repeats}
    rows = []
    for case in main:
        times = pool(runs[case.key])
        found[case.key] = {"mean_ms": typical(runs[case.key]), "min_ms": times[0],
                           "median_ms": statistics.median(times),
                           "p99_ms": times[(len(times) - 1) * 99 // 100], "max_ms": times[-1]}
        rows.append([case.title] + [found[case.key][name + "_ms"]
                                    for name in ("mean", "min", "median", "p99", "max")])
    lab.table(f"Real, {lab.options.np} processes: milliseconds of a sweep",
              ["schedule", "mean", "least", "median", "99 %", "largest"], rows)
    found["tasklets"] = counts
    for case in main[2:]:
        found[f"{case.key}_mean_ms_by_tasklets"] = [typical(runs[f"{case.key}_{n}"])
                                                    for n in counts]
    lab.table("Real: mean sweep by tasklets of the node, ms", heads(counts),
              [[case.title] + found[f"{case.key}_mean_ms_by_tasklets"] for case in main[2:]])
    lab.beryl["real"] = found
    return main, runs


def real_panels(main, runs, found):
    static = found["static"]["mean_ms"]
    names = [case.title.replace(" ", "\n") for case in main]
    ours = figure.Series("for real", names, [found[c.key]["mean_ms"] / static for c in main])
    paper = figure.Series("for real", ["static", "half\nstatic"],
                          [1, PAPER["half_static_seconds_1000_sweeps"] /
                           PAPER["static_seconds_1000_sweeps"]], paper=True)
    yield figure.Panel("Figure 3.1: one node", "", "time / static", [ours, paper], bars=True)
    yield figure.Panel("Figure 3.2, for real", "tasklets of the node", "mean sweep, ms",
                       [figure.Series(case.title, found["tasklets"],
                                      found[f"{case.key}_mean_ms_by_tasklets"])
                        for case in main[2:]])
    shown = [case for case in main if case.key in ("static", "half_static", "half_static_skew")]
    longest = max(found[case.key]["p99_ms"] for case in shown)
    yield histogram("Figure 3.4, for real", [(c.title, pool(runs[c.key])) for c in shown],
                    min(found[case.key]["min_ms"] for case in shown), longest)


def histogram(title, samples, low, high):
    """Fractions of the sweeps; what took longer than shown is in the last bin."""
    n_bins = 24
    width = (high - low) / n_bins or 1
    series = []
    for label, times in samples:
        counts = [0] * n_bins
        for time in times:
            counts[min(n_bins - 1, max(0, int((time - low) / width)))] += 1
        series.append(figure.Series(label, [low + (i + 0.5) * width for i in range(n_bins)],
                                    [count / len(times) for count in counts]))
    return figure.Panel(title, "sweep, ms", "fraction of sweeps", series)


# --- noise ---

def slowed_fractions():
    """Fractions of the time in which a worker is slowed to SLOW_MS and to SLOWEST_MS a sweep, such that
    half of a node's sweeps have nobody slowed, and the mean of all is STATIC_MEAN_MS."""
    both = 1 - 0.5 ** (1 / CORES)
    n_slowest = (STATIC_MEAN_MS - (FAST_MS + SLOW_MS) / 2) / (SLOWEST_MS - SLOW_MS)
    slowest = 1 - (1 - n_slowest) ** (1 / CORES)
    return both - slowest, slowest


def write_trace(path):
    """A slowed worker is stopped for a part of each quarter of a millisecond."""
    period_s, piece_s = 4.0, 0.25e-3
    rows, time_s = [], period_s - sum(slowed_fractions()) * period_s
    for fraction, sweep_ms in zip(slowed_fractions(), (SLOW_MS, SLOWEST_MS)):
        lost_s = piece_s * (1 - FAST_MS / sweep_ms)
        for _ in range(round(fraction * period_s / piece_s)):
            time_s += piece_s
            rows.append(f"{time_s - lost_s:.9f},{lost_s:.9f}\n")
    path.write_text("start,seconds\n" + "".join(rows))


def interruption():
    """PERIOD,LENGTH: half of a node's static sweeps have no interruption in them."""
    period_ms = FAST_MS / (1 - 0.5 ** (1 / CORES))
    return f"{period_ms * 1e-3:.6g},{(SLOW_MS - FAST_MS) * 1e-3:.6g}"


# --- simulated ---

def command(case, n_nodes, n_sweeps, noise, seed):
    return (f"--jacobi {64 * n_nodes},512,64 --sweeps {n_sweeps} --time-scale {TIME_SCALE:.6g} "
            f"--simulate {CORES * n_nodes} --node-size {CORES} {noise} "
            f"--seed {seed} {scheduling(case, CORES)}")


def sizes(quick):
    """Nodes -> sweeps and seeds: of few workers it takes many sweeps to see what is rare."""
    if quick:
        return {1: (500, 2), 64: (10, 1)}
    return {1: (1000, 4), 2: (500, 4), 4: (250, 4), 8: (120, 4), 16: (60, 4), 32: (60, 2),
            64: (60, 1), 4096: (3, 1)}


def simulate(lab, noise, tried, by_nodes):
    """(key, nodes) -> milliseconds of all sweeps of all seeds."""
    keys = [(case, n, seed) for n, (_, n_seeds) in by_nodes.items() for case in tried
            for seed in range(1, n_seeds + 1)]
    results = lab.sweep([command(case, n, by_nodes[n][0], noise, seed)
                         for case, n, seed in keys])
    times = {}
    for (case, n, _), result in zip(keys, results):
        times.setdefault((case.key, n), []).extend(milliseconds(result))
    return times


def report_gains(lab, name, tried, nodes, times):
    """Puts means and gains under a kind of noise into the result."""
    means = {case.key: [statistics.fmean(times[case.key, n]) for n in nodes] for case in tried}
    gains = {key: [s / t - 1 for s, t in zip(means["static"], of_case)]
             for key, of_case in means.items() if key != "static"}
    lab.beryl[name] = {"nodes": nodes, "mean_ms": means, "gain": gains,
                       "max_ms_1": {case.key: max(times[case.key, 1]) for case in tried}}
    lab.table(f"Simulated, workers {name}: mean sweep in ms, by nodes", heads(nodes),
              [[case.title] + means[case.key] for case in tried])
    return means, gains


def figure_3_2(lab, noise):
    """One node: the paper's queue, by its tasklets and the cost of an access, and what that cost
    makes of figure 3.4."""
    by_nodes = {1: sizes(lab.quick)[1]}
    counts = tasklet_counts(lab.quick)
    skew = cases(PAPER_TASKLETS)[-1]
    tried = [dataclasses.replace(case, key=f"{case.key}_{n}", tasklets=n)
             for case in (ONE_QUEUE, skew) for n in counts]
    found, rows = {"tasklets": counts, "queue_us": QUEUE_US}, []
    for queue_us in QUEUE_US:
        times = simulate(lab, f"{noise} --atomic-time {queue_us * 1e-6:g}", tried, by_nodes)
        for case in (ONE_QUEUE, skew):
            means = [statistics.fmean(times[f"{case.key}_{n}", 1]) for n in counts]
            found.setdefault(f"{case.key}_mean_ms", []).append(means)
            rows.append([f"{case.title}, {queue_us} us"] + means)
    lab.beryl["figure_3_2"] = found
    lab.table("Simulated, workers slowed: mean sweep of one node in ms, by its tasklets and the "
              "cost of an access to the queue", heads(counts), rows)
    static = simulate(lab, noise, cases(0)[:1], by_nodes)["static", 1]
    check_one_node(lab, found, statistics.fmean(static))


def check_one_node(lab, found, static_ms):
    """The order of figure 3.4, and the ends of figure 3.2, with the queue that fits that; and that
    with a queue that costs nothing skew gains, too."""
    column = found["tasklets"].index(PAPER_TASKLETS)

    def mean_ms(key, queue_us):
        return found[f"{key}_mean_ms"][QUEUE_US.index(queue_us)][column]
    fixed, skewed = (mean_ms(case, PAPER_QUEUE_US) for case in ("half_static", "half_static_skew"))
    lab.beryl["figure_3_4_ms"] = {"static": static_ms, "half_static": fixed,
                                  "half_static_skew": skewed}
    lab.at_least("figure 3.4: fixed tasklets are slower than static, times", fixed / static_ms, 1)
    lab.at_least("figure 3.4: static is slower than skewed tasklets, times", static_ms / skewed, 1)
    lab.at_least("with a cheap queue fixed tasklets are slower than as many skewed ones, times",
                 mean_ms("half_static", QUEUE_US[0]) / mean_ms("half_static_skew", QUEUE_US[0]), 1)
    if not lab.quick:
        by_count = found["half_static_mean_ms"][QUEUE_US.index(PAPER_QUEUE_US)]
        lab.at_least("figure 3.2: 128 tasklets are slower than 64, times",
                     by_count[-1] / by_count[TASKLETS.index(64)], 1)


def simulated(lab):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "slowed.csv"
        write_trace(trace)
        return simulated_under(lab, f"--noise-trace {trace}", f"--noise {interruption()}")


def simulated_under(lab, slowed, interrupted):
    by_nodes = sizes(lab.quick)
    nodes = list(by_nodes)
    tried = [case for case in cases(PAPER_TASKLETS) if case.key != "dynamic_no_locality"]
    figure_3_2(lab, slowed)
    times = simulate(lab, slowed, tried, by_nodes)
    means, gains = report_gains(lab, "slowed", tried, nodes, times)
    ends = [tried[0], tried[-1]]
    other = simulate(lab, interrupted, ends, by_nodes)
    other_gains = report_gains(lab, "interrupted", ends, nodes, other)[1]
    check_simulated(lab, nodes, means, gains["half_static_skew"])
    return list(simulated_panels(tried, nodes, means, times,
                                 [("slowed", gains["half_static_skew"]),
                                  ("interrupted", other_gains["half_static_skew"])]))


def check_simulated(lab, nodes, means, gains):
    static = means["static"]
    for n, bound in ((1, 0.05), (64, 0.20), (4096, 0.10)):
        if n in nodes:
            lab.beryl[f"half_static_skew_gain_{n}"] = gains[nodes.index(n)]
            lab.at_least(f"half static with skew gains over static on {n} nodes",
                         gains[nodes.index(n)], bound)
    at_64 = nodes.index(64)
    lab.beryl["static_ms_64"] = static[at_64]
    lab.at_least("static sweeps are slower on 64 nodes than on one, times",
                 static[at_64] / static[0], 1.15)
    lab.at_least("noise costs static more on 64 nodes than half static with skew, times",
                 (static[at_64] - FAST_MS) / (means["half_static_skew"][at_64] - FAST_MS), 2)


def simulated_panels(tried, nodes, means, times, gains):
    series = [figure.Series(case.title, nodes, means[case.key]) for case in tried]
    series += [figure.Series("static", [1, 64], [STATIC_MEAN_MS, PAPER["static_ms_64"]],
                             paper=True),
               figure.Series("half static, skewed", [1, 64],
                             [PAPER["half_static_skew_ms_1"], PAPER["half_static_skew_ms_64"]],
                             paper=True)]
    yield figure.Panel("Figure 3.5, simulated", "nodes of 16 workers", "mean sweep, ms", series,
                       x_log=True)
    series = [figure.Series(f"workers {name}", nodes, gain) for name, gain in gains]
    series.append(figure.Series("workers slowed", [1, 64],
                                [PAPER["half_static_gain_1"], PAPER["half_static_skew_gain_64"]],
                                paper=True))
    yield figure.Panel("Half static, skewed: gain over static", "nodes of 16 workers",
                       "static / half static - 1", series, x_log=True)
    shown = [case for case in tried if case.key in ("static", "half_static", "half_static_skew")]
    yield histogram("Figure 3.4, simulated, one node",
                    [(case.title, times[case.key, 1]) for case in shown], 5.95, 9.8)


def main():
    options = experiment.parser(__doc__)
    options.set_defaults(np=2)
    lab = experiment.begin("kale", __doc__, options.parse_args())
    lab.paper.update(PAPER)
    tried, runs = real(lab)
    panels = list(real_panels(tried, runs, lab.beryl["real"]))
    panels += simulated(lab)
    lab.draw(panels)
    sys.exit(lab.end())


if __name__ == "__main__":
    main()
