/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/clock.h"

#include <time.h>

static double read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_now_s(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_thread_s(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
