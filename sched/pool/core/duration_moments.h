/* SPDX-License-Identifier: BSD-3-Clause */
/* Mean and variance of task durations, added one by one or merged from several workers. The order of
 * merges varies, and with it the last digits. Zero-initialised is empty.
 * Source: Chan, Golub and LeVeque, Am. Stat. 37 (1983) 242, eq. 2.1. */
#pragma once

#include <stdint.h>

struct duration_moments {
    int64_t n;
    double mean_s;
    double squares_s2; /* sum of the squared deviations from the mean */
};

static inline void duration_moments_merge(struct duration_moments *moments,
                                          const struct duration_moments *others)
{
    int64_t n = moments->n + others->n;
    if (n == 0)
        return;
    double difference_s = others->mean_s - moments->mean_s;
    double weight = (double)others->n / (double)n;
    moments->mean_s += weight * difference_s;
    moments->squares_s2 +=
        others->squares_s2 + difference_s * difference_s * (double)moments->n * weight;
    moments->n = n;
}

static inline void duration_moments_add(struct duration_moments *moments, double time_s)
{
    const struct duration_moments one = {.n = 1, .mean_s = time_s};
    duration_moments_merge(moments, &one);
}

/* Unbiased estimate; 0 of fewer than two durations. */
static inline double duration_moments_variance(const struct duration_moments *moments)
{
    return moments->n < 2 ? 0 : moments->squares_s2 / (double)(moments->n - 1);
}
