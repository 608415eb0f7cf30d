/* SPDX-License-Identifier: BSD-3-Clause */
/* Time, messages and counts of a run, per worker and per iteration (struct taskpool_iteration,
 * which says what the times are). */
#pragma once

#include "taskpool/taskpool.h"

/* One worker in one iteration. */
struct statistics_worker {
    int64_t tasks; /* run here */
    double task_s;
    double idle_s;
    double search_s;
    double scheduler_s;
    double communication_s;
    double
        started_s; /* on a clock that all workers share; 0 without one, or if all start at once */
    double elapsed_s; /* from then until it was done; after statistics_summarize the makespan */
    double balance_s; /* in preparing this iteration, before its start */
    int64_t messages; /* sent; a request to the shared counter counts as one of 8 bytes */
    int64_t bytes;
    int64_t steals_attempted;
    int64_t steals_successful;
    int64_t tasks_moved; /* received from another worker */
};

/* Over the workers of a process, or of several. All are doubles, exact for counts below 2^53. */
struct statistics_sums {
    double workers;
    double tasks, task_s, search_s, scheduler_s, communication_s;
    double idle_s; /* the wait for the last of these workers included */
    double attempted, attempted_squared, successful, successful_squared;
    double tasks_moved, messages, bytes;
};

struct statistics_maxima {
    double elapsed_s, task_s, balance_s;
    double ended_s, minus_started_s; /* the latest end, and the first start with its sign changed */
};

struct statistics_totals {
    struct statistics_sums sums;
    struct statistics_maxima maxima;
};

struct statistics_totals statistics_totals_of(const struct statistics_worker *workers, int64_t n);

/* Adds the totals of other workers; a + b is b + a to the last bit. */
void statistics_totals_add(struct statistics_totals *totals, const struct statistics_totals *other);

/* From the first start to the last end: where processes share a core, some start when others have
 * ended, and none takes as long alone. Workers that share no clock, on several nodes, count from
 * their own starts. */
double statistics_makespan_s(const struct statistics_totals *totals);

/* Sums up one iteration of all workers of all processes. Not collective.
 * all        totals of all processes
 * workers    n_workers of this process; the time from the first start to a worker's own, and from
 *            its end to the last one, is added to its idle_s and elapsed_s
 * iteration  out, but for the field `iteration` */
void statistics_summarize(const struct statistics_totals *all, struct statistics_worker *workers,
                          int64_t n_workers, struct taskpool_iteration *iteration);

/* Adds a later phase of the same workers: times and counts are sums, load_max too,
 * because each phase waits for its slowest worker. The spread of steals is added as for independent
 * phases. The choice is the last phase's. sum begins as zeros. Not collective. */
void statistics_add(struct taskpool_iteration *sum, const struct taskpool_iteration *next);
