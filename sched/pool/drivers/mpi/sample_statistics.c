/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/sample_statistics.h"

#include "support/base/rank_statistics.h"

void samples_add(struct samples *samples, double value)
{
    if (samples->n < SAMPLES_MAX)
        samples->values[samples->n++] = value;
}

struct quartiles samples_quartiles(struct samples *samples)
{
    if (samples->n == 0)
        return (struct quartiles){0};
    numbers_sort(samples->values, samples->n);
    return (struct quartiles){.n = samples->n,
                              .median = numbers_quantile(samples->values, samples->n, 0.5),
                              .low = numbers_quantile(samples->values, samples->n, 0.25),
                              .high = numbers_quantile(samples->values, samples->n, 0.75)};
}
