/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction_slices.h"

#include <math.h>

/* Operations of a task, beside which it costs little by itself. */
#define LEAST_FLOPS 1e7

/* Elements of all parts, as a fraction of the factors': they take memory, and are written and read once more. */
#define MOST_PARTS 0.05

double contraction_slices_wanted(const struct sum_shape *shape)
{
    double wanted = WANTED_TASKS / shape->n_blocks;
    wanted = fmin(wanted, shape->n_products);
    wanted = fmin(wanted, shape->flops / (LEAST_FLOPS * shape->n_blocks));
    wanted = fmin(wanted, MOST_PARTS * shape->elements_factors / shape->elements_C);
    return fmax(1, wanted);
}
