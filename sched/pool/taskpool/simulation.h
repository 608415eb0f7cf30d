/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools on a simulated machine: the same modes on any number of workers, in one process and in
 * simulated time; and modes compared in rounds, over MPI or simulated. C and C++. */
#ifndef TASKPOOL_SIMULATION_H
#define TASKPOOL_SIMULATION_H

#include "taskpool/data.h"
#include "taskpool/taskpool.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- The machine: workers, a network and the durations of tasks --- */

/* Interruptions of a worker by other activity of its processor, as intervals in which no work is
 * done, repeated periodically. */
struct taskpool_noise {
    int64_t n;       /* interruptions in a period */
    double *start_s; /* n, ascending, in [0, period) */
    double *free_s;  /* n + 1: free time, without interruptions, from the start of the period to
                      * each start_s, and of the whole period */
    double period_s;
};

/* One interruption of length_s < period_s in each period.
 * Errors: TASKPOOL_STATUS_USAGE, TASKPOOL_STATUS_NO_MEMORY. */
int taskpool_noise_init_periodic(struct taskpool_noise *noise, double period_s, double length_s);

/* Reads a trace: CSV with the header `start,seconds`, a row for each interruption in order
 * of time; the period ends with the last.
 * Errors: TASKPOOL_STATUS_IO, TASKPOOL_STATUS_INPUT (names the line), TASKPOOL_STATUS_NO_MEMORY,
 * TASKPOOL_STATUS_USAGE. */
int taskpool_noise_read(struct taskpool_noise *noise, const char *path);

/* NULL is fine. */
void taskpool_noise_fini(struct taskpool_noise *noise);

/* Times and rates are finite and not negative. */
struct taskpool_machine {
    int n_workers; /* >= 1 */
    int n_threads; /* threads of each worker, which share its tasks; 0: 1. Static pools only */
    int node_size; /* workers of a node, consecutive ones; 0: all are of one node */

    /* A message arrives latency + spread x X^power + size / bandwidth seconds
     * after it was sent, where X is a random number of exponential distribution
     * with mean 1: with a spread, messages overtake each other, and with a power
     * above 1 a few are very late. */
    double latency_s;
    double latency_spread_s;
    double latency_power; /* 0: 1 */
    double bandwidth;     /* bytes per second; 0: infinite */

    /* If true, latency and bandwidth above are those between nodes, and these within one. */
    bool has_levels;
    double node_latency_s;
    double node_bandwidth;

    double overhead_s; /* time of a worker for each message that it sends or receives */
    double counter_s;  /* time of the shared counter, on worker 0, for each request: requests are
                        * served one after another */
    double atomic_s;   /* time of a worker for an atomic access to the memory of its node: those to
                        * the words of one worker are served one after another */
    double task_s;     /* time of a worker for each task, in addition to the task's own */
    double poll_s;     /* time of a worker for each poll between tasks, where the driver over MPI
                        * polls; 0: a worker polls whenever it could */

    /* --progress thread: one thread answers the messages of all workers of a node, one after
     * another; else each worker has its own. */
    bool node_server;

    /* Relative speeds > 0: a task takes its time / speed; NULL: all 1. */
    const double *speeds; /* n_workers, borrowed */

    /* Interruptions of tasks, on each thread at its own phase; NULL: none. */
    const struct taskpool_noise *noise; /* borrowed */

    /* Duration of a task at speed 1, in seconds, finite and not negative, by its number or, in a
     * dynamic pool, its record. */
    double (*time)(int64_t task, const void *record, const void *context);

    /* Whether all tasks in [first, last) are null tasks, which take equal times: a worker runs them
     * without polls in between, as long as that takes no longer than the time between two polls.
     * NULL: none are. */
    bool (*are_null)(int64_t first, int64_t last, const void *context);

    const void *context; /* borrowed */

    /* The blocks that tasks of a static pool read and write, each on the node of a worker; NULL:
     * data accesses take no time. Copies of others' blocks, and blocks written by a node's workers,
     * stay in its cache until they are evicted, written blocks at most until an iteration ends. */
    const struct taskpool_data *data; /* borrowed */
    int64_t cache_bytes;              /* size of each node's cache */

    /* For tests: called with the head of every message when it is sent; or NULL. */
    void (*observe)(int from, int to, const void *message, size_t size, void *context);
    void *observer; /* its context, borrowed */
};

/* Creates a pool whose workers are machine->n_workers simulated ones, in this
 * process alone. Everything else is as with taskpool_create; times are the
 * machine's. Not collective.
 * machine  borrowed until destruction
 * problem->run may be NULL: then tasks only take simulated time
 * Errors: as taskpool_create; TASKPOOL_STATUS_NO_MEMORY also where the workers would not fit.
 * taskpool_run and taskpool_restore may also fail with TASKPOOL_STATUS_USAGE, for a duration that
 * is negative or not finite, with TASKPOOL_STATUS_LIMIT, where tasks end after 10^9 s, and with
 * TASKPOOL_STATUS_PROTOCOL, which would be an error in the mode. */
int taskpool_simulate(const struct taskpool_problem *problem,
                      const struct taskpool_settings *settings,
                      const struct taskpool_machine *machine, struct taskpool **pool);

/* --- Modes compared --- */

/* The plan of a comparison. */
struct taskpool_comparison {
    const char *modes;    /* "static,steal,auto": the others are compared with the first; or "all".
                           * A mode may be repeated: "auto,auto" shows chance differences */
    int64_t n_rounds;     /* of all modes, in [2, 1000] */
    int64_t n_iterations; /* per mode and round, each with a pool of its own, >= 1; of three and
                           * more the first two are warm-up and do not count */

    /* Called before each iteration, on every process: resets what the tasks change, adds the
     * tasks of a dynamic pool before its first iteration. NULL: nothing.
     * mode     position in modes
     * context  of the problem */
    int (*prepare)(struct taskpool *pool, int mode, int64_t round, int64_t iteration,
                   void *context);

    /* NULL: over MPI. Else workers are simulated as by taskpool_simulate, in this process alone. */
    const struct taskpool_machine *machine;
};

/* An estimate and its confidence interval. */
struct taskpool_estimate {
    double value, low, high;
};

/* A mode in a comparison. A ratio is the mode's seconds divided by the first mode's seconds in the
 * same round. The result has the Hodges-Lehmann median of the ratios with an interval, and p of the
 * signed-rank test, both corrected for the number of modes (Holm), at a family-wise level of 2 %.
 * All 1 for the first mode. */
struct taskpool_compared_mode {
    char name[80]; /* "auto#2" for the second "auto" of the list */
    struct taskpool_estimate median_s, ratio;
    double p;
    int verdict; /* -1: faster than the first, 1: slower, 0: not distinguishable */
};

struct taskpool_compared; /* the outcome of a comparison */

/* Runs the pool under each mode in rounds and reports which modes differ from the first. Seconds
 * are of an iteration with the balancing before it. Over MPI the order of the modes is random in
 * each round. A mode named twice draws different random numbers in its two pools.
 * Collective over comm, unless simulated.
 * settings  of all modes: each gets the options that it reads; the mode itself is ignored
 * compared  out: the same on every process, owned by the caller; NULL after a failure
 * Errors: as taskpool_create, taskpool_run and prepare, TASKPOOL_STATUS_USAGE (no such mode, an
 * option that no mode reads, numbers out of range); the same on every process. */
int taskpool_compare(MPI_Comm comm, const struct taskpool_problem *problem,
                     const struct taskpool_settings *settings,
                     const struct taskpool_comparison *plan, struct taskpool_compared **compared);

/* The number of modes in the comparison, and mode i in [0, n); NULL for other i. */
int taskpool_compared_n(const struct taskpool_compared *compared);
const struct taskpool_compared_mode *taskpool_compared_at(const struct taskpool_compared *compared,
                                                          int i);

/* Prints the seconds of the modes and their ratios to the first one. Not collective. */
void taskpool_compared_print(const struct taskpool_compared *compared, FILE *stream);

/* NULL is fine. */
void taskpool_compared_destroy(struct taskpool_compared *compared);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
