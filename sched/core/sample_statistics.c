#include "sched/core/sample_statistics.h"

#include <stdlib.h>

void samples_add(struct samples *samples, double value)
{
    if (samples->n < SAMPLES_MAX)
        samples->values[samples->n++] = value;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Between two neighbours where no sample lies at the part. */
static double quantile(const struct samples *samples, double part)
{
    double place = part * (samples->n - 1);
    int below = (int)place;
    int above = below + 1 < samples->n ? below + 1 : below;
    double fraction = place - below;
    return (1 - fraction) * samples->values[below] + fraction * samples->values[above];
}

struct figure samples_figure(struct samples *samples)
{
    if (samples->n == 0)
        return (struct figure){0};
    qsort(samples->values, (size_t)samples->n, sizeof samples->values[0], ascending);
    return (struct figure){.n = samples->n,
                           .median = quantile(samples, 0.5),
                           .low = quantile(samples, 0.25),
                           .high = quantile(samples, 0.75)};
}
