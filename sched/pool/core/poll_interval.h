/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of tasks that a worker runs between two polls for messages: --poll-every,
 * or as many fewer as take about POLL_INTERVAL_S. */
#pragma once

#include <stdint.h>

/* About the time in which a request should be answered; some hundred times the
 * cost of a poll. */
#define POLL_INTERVAL_S 100e-6

struct poll_interval {
    int64_t poll_every;
    int64_t n; /* tasks until the next poll, >= 1; 1: tasks are long */
};

static inline struct poll_interval poll_interval_begin(int64_t poll_every)
{
    return (struct poll_interval){.poll_every = poll_every, .n = 1};
}

/* n_tasks > 0 took time_s since the last poll. */
static inline void poll_interval_next(struct poll_interval *interval, int64_t n_tasks,
                                      double time_s)
{
    double n =
        time_s > 0 ? POLL_INTERVAL_S * (double)n_tasks / time_s : (double)interval->poll_every;
    interval->n = n >= (double)interval->poll_every ? interval->poll_every : n > 1 ? (int64_t)n : 1;
}
