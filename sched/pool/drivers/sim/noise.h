/* Noise: interruptions of a worker by other activity of its processor, as intervals in which
 * no work is done, repeated periodically. */
#ifndef BERYL_SCHED_NOISE_H
#define BERYL_SCHED_NOISE_H

#include "support/base/status.h"

#include <stdint.h>

/* Least period: a shorter one is below the resolution of the simulated time. */
#define NOISE_MIN_PERIOD_S 1e-9

/* Least fraction of a period that is left for work. */
#define NOISE_MIN_FREE 1e-9

struct taskpool_noise {
    int64_t n;       /* interruptions in a period */
    double *start_s; /* n, ascending, in [0, period) */
    double *free_s;  /* n + 1: free time, without interruption, of the period before each
                      * interruption, and of the whole period */
    double period_s;
};

/* One interruption per period, within the bounds above.
 * Errors: STATUS_NO_MEMORY. */
enum status taskpool_noise_init_periodic(struct taskpool_noise *noise, double period_s,
                                         double length_s);

/* Reads a trace: CSV with the header `start,seconds`, a row for each interruption in order
 * of time; the period ends with the last.
 * Errors: STATUS_IO, STATUS_INPUT (names the line), STATUS_NO_MEMORY. */
enum status taskpool_noise_read(struct taskpool_noise *noise, const char *path);

void taskpool_noise_fini(struct taskpool_noise *noise);

/* The end of work that takes work_s without interruptions and begins at start_s, on a
 * worker whose pattern is shifted by phase_s. */
double noise_end_s(const struct taskpool_noise *noise, double phase_s, double start_s,
                   double work_s);

#endif
