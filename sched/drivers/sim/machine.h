/* A machine that does not exist, for taskpool_simulate: workers, a network and
 * the time that tasks take on it. */
#ifndef BERYL_SCHED_MACHINE_H
#define BERYL_SCHED_MACHINE_H

#include "sched/drivers/sim/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct taskpool_machine {
    int n_workers;
    int n_threads; /* of each worker, which share its tasks; 0: 1. Static pools only */
    int node_size; /* workers of a node, consecutive ones; 0: all are of one node */

    /* A message arrives latency + spread x X^power + size / bandwidth seconds
     * after it was sent, where X is a random number of exponential distribution
     * with mean 1: with a spread, messages overtake each other, and with a power
     * above 1 a few are very late. */
    double latency_s;
    double latency_spread_s;
    double latency_power; /* 0: 1 */
    double bandwidth;     /* bytes per second; 0: infinite */

    /* Whether latency and bandwidth are those between nodes, and within one is another. */
    bool has_levels;
    double node_latency_s;
    double node_bandwidth;

    double overhead_s; /* of a worker's time, for each message that it sends or gets */
    double counter_s;  /* of the shared counter, which is with worker 0, for each request: others
                        * wait meanwhile */
    double task_s;     /* of a worker's time, for each task besides its own */

    /* --progress thread: whether the workers of a node have one thread that answers their
     * messages, one after another, and not each its own. */
    bool node_server;

    /* Work done in a second, relative to a worker of speed 1; NULL: all are. */
    const double *speeds; /* n_workers, borrowed */

    /* What interrupts tasks, on each thread at its own phase; NULL: nothing. */
    const struct noise *noise; /* borrowed */

    /* Seconds that a task takes at speed 1: of its number or, in a dynamic pool,
     * its record. */
    double (*time)(int64_t task, const void *record, const void *context);

    /* Whether all tasks in [first, last) are null tasks, which take the same time each and which a
     * worker runs through without looking for messages in between as long as that takes no longer
     * than between two looks; NULL: none are. */
    bool (*are_null)(int64_t first, int64_t last, const void *context);

    const void *context; /* borrowed */

    /* For tests: sees the beginning of every message when it is sent; or NULL. */
    void (*observe)(int from, int to, const void *message, size_t size, void *context);
    void *observer; /* its context, borrowed */
};

#endif
