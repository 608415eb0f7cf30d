/* A machine that does not exist, for taskpool_simulate: workers, a network and
 * the time that tasks take on it. */
#ifndef BERYL_SCHED_MACHINE_H
#define BERYL_SCHED_MACHINE_H

#include <stddef.h>
#include <stdint.h>

struct taskpool_machine {
    int n_workers;
    int node_size; /* workers of a node, consecutive ones; 0: all are of one node */

    /* A message arrives latency + spread x X^power + size / bandwidth seconds
     * after it was sent, where X is a random number of exponential distribution
     * with mean 1: with a spread, messages overtake each other, and with a power
     * above 1 a few are very late. */
    double latency_s;
    double latency_spread_s;
    double latency_power; /* 0: 1 */
    double bandwidth;     /* bytes per second; 0: infinite */
    double overhead_s;    /* of a worker's time, for each message that it sends or gets */

    /* Work done in a second, relative to a worker of speed 1; NULL: all are. */
    const double *speeds; /* n_workers, borrowed */

    /* Seconds that a task takes at speed 1: of its number or, in a dynamic pool,
     * its record. */
    double (*time)(int64_t task, const void *record, const void *context);
    const void *context; /* borrowed */

    /* For tests: sees the beginning of every message when it is sent; or NULL. */
    void (*observe)(int from, int to, const void *message, size_t size, void *context);
    void *observer; /* its context, borrowed */
};

#endif
