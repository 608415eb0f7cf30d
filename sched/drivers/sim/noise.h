/* Interruptions of a worker by what else runs on its processor: intervals in which
 * no work is done, repeated for ever. */
#ifndef BERYL_SCHED_NOISE_H
#define BERYL_SCHED_NOISE_H

#include "support/base/status.h"

#include <stdint.h>

/* Of a period: a shorter one has no meaning beside the simulated time. */
#define NOISE_MIN_PERIOD_S 1e-9

/* What is left for work, of a period, is more than this part. */
#define NOISE_MIN_FREE 1e-9

struct noise {
    int64_t n;       /* interruptions in a period */
    double *start_s; /* n, ascending, in [0, period) */
    double *free_s;  /* n + 1: time without interruption in the period before each, and in all */
    double period_s;
};

/* One interruption in each period, both within the bounds above.
 * Errors: STATUS_NO_MEMORY. */
enum status noise_init_periodic(struct noise *noise, double period_s, double length_s);

/* From a trace: CSV with the header `start,seconds`, a row for each interruption in order
 * of time; repeated after the end of the last.
 * Errors: STATUS_IO, STATUS_INPUT (names the line), STATUS_NO_MEMORY. */
enum status noise_read(struct noise *noise, const char *path);

void noise_fini(struct noise *noise);

/* When work that takes work_s without interruptions ends if it begins at start_s on a
 * worker that is phase_s behind the pattern. */
double noise_end_s(const struct noise *noise, double phase_s, double start_s, double work_s);

#endif
