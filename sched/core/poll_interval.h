/* How many tasks a worker runs between two looks for messages: --poll-every,
 * or fewer if that many take long. */
#ifndef BERYL_SCHED_PACE_H
#define BERYL_SCHED_PACE_H

#include <stdint.h>

/* About the time in which a request should be answered; some hundred times the
 * cost of a look for messages. */
#define PACE_LOOK_S 100e-6

struct pace {
    int64_t poll_every;
    int64_t n; /* tasks until the next look, >= 1 */
};

static inline struct pace pace_begin(int64_t poll_every)
{
    return (struct pace){.poll_every = poll_every, .n = 1};
}

/* n_tasks > 0 took time_s since the last look. */
static inline void pace_next(struct pace *pace, int64_t n_tasks, double time_s)
{
    double n = time_s > 0 ? PACE_LOOK_S * (double)n_tasks / time_s : (double)pace->poll_every;
    pace->n = n >= (double)pace->poll_every ? pace->poll_every : n > 1 ? (int64_t)n : 1;
}

#endif
