/* A simulated machine, for taskpool_simulate: workers, a network and the durations of tasks. */
#ifndef BERYL_SCHED_MACHINE_H
#define BERYL_SCHED_MACHINE_H

#include "sched/pool/drivers/sim/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct taskpool_data;

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

    /* If true, latency and bandwidth above are those between nodes, and these within one. */
    bool has_levels;
    double node_latency_s;
    double node_bandwidth;

    double overhead_s; /* of a worker's time, for each message that it sends or receives */
    double counter_s;  /* of the shared counter, on worker 0, for each request: requests are
                        * served one after another */
    double task_s;     /* of a worker's time, for each task, in addition to the task's own */
    double poll_s;     /* of a worker's time, for each poll for messages between tasks, where the
                        * driver over MPI polls; 0: a worker polls whenever it could */

    /* --progress thread: one thread answers the messages of all workers of a node, one after
     * another; else each worker has its own. */
    bool node_server;

    /* Relative speeds: a task takes its time / speed; NULL: all 1. */
    const double *speeds; /* n_workers, borrowed */

    /* Interruptions of tasks, on each thread at its own phase; NULL: none. */
    const struct taskpool_noise *noise; /* borrowed */

    /* Duration of a task at speed 1, in seconds, by its number or, in a dynamic pool,
     * its record. */
    double (*time)(int64_t task, const void *record, const void *context);

    /* Whether all tasks in [first, last) are null tasks, which take equal times: a worker runs them
     * without polls in between, as long as that takes no longer than the time between two polls.
     * NULL: none are. */
    bool (*are_null)(int64_t first, int64_t last, const void *context);

    const void *context; /* borrowed */

    /* The blocks that tasks of a static pool read and write, each on the node of a worker; NULL:
     * none is charged for. Copies of others' blocks, and what its workers write, stay on a node as
     * long as they have room there, or to the end of an iteration. See sim_data.c for the times. */
    const struct taskpool_data *data; /* sched/pool/core/task_data.h, borrowed */
    int64_t cache_bytes;              /* that room, of each node */

    /* For tests: called with the head of every message when it is sent; or NULL. */
    void (*observe)(int from, int to, const void *message, size_t size, void *context);
    void *observer; /* its context, borrowed */
};

#endif
