/* SPDX-License-Identifier: BSD-3-Clause */
/* Interruptions of simulated workers (struct taskpool_noise). */
#pragma once

#include "taskpool/simulation.h"

/* Least period: a shorter one is below the resolution of the simulated time. */
#define NOISE_MIN_PERIOD_S 1e-9

/* Least fraction of a period that is left for work. */
#define NOISE_MIN_FREE 1e-9

/* The end of work that takes work_s without interruptions and begins at start_s, on a
 * worker whose pattern is shifted by phase_s. */
double noise_end_s(const struct taskpool_noise *noise, double phase_s, double start_s,
                   double work_s);
