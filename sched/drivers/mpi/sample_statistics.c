#include "sched/drivers/mpi/sample_statistics.h"

#include <stdlib.h>

void samples_add(struct samples *samples, double value)
{
    if (samples->n < SAMPLES_MAX)
        samples->values[samples->n++] = value;
}

static int compare_samples(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Interpolated linearly between neighbouring samples. */
static double quantile(const struct samples *samples, double fraction)
{
    double position = fraction * (samples->n - 1);
    int below = (int)position;
    int above = below + 1 < samples->n ? below + 1 : below;
    double weight = position - below;
    return (1 - weight) * samples->values[below] + weight * samples->values[above];
}

struct quartiles samples_quartiles(struct samples *samples)
{
    if (samples->n == 0)
        return (struct quartiles){0};
    qsort(samples->values, (size_t)samples->n, sizeof samples->values[0], compare_samples);
    return (struct quartiles){.n = samples->n,
                              .median = quantile(samples, 0.5),
                              .low = quantile(samples, 0.25),
                              .high = quantile(samples, 0.75)};
}
