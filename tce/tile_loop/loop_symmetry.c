/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_symmetry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tuples that are tried, and what exchanged tiles may change: a part of the largest sum of one, and of the
 * norms that rounding is relative to, where the sum vanishes but for rounding. */
enum { TRIED_TUPLES = 4 };
#define SYMMETRY_ERROR 1e-8
#define ROUNDING_ERROR 1e-12

/* Sums of what tuples add to scalars, and the largest differences by exchanges of neighbours. */
struct symmetry_trial {
    double *sums, *exchanged; /* n_scalars */
    double *allowed;          /* n_scalars: differences */
    double *differences;      /* (n - 1) x n_scalars */
    double *norms;            /* n_tensors */
};

static enum status try_tuple(struct loop_worker *worker, const struct loop_body *body,
                             const int32_t tuple[], struct symmetry_trial *trial)
{
    int n_scalars = body->n_scalars;
    TRY(loop_worker_run(worker, tuple, trial->sums, trial->norms));
    for (int i = 0; i < n_scalars; i++)
        trial->allowed[i] =
            fmax(trial->allowed[i], fmax(SYMMETRY_ERROR * fabs(trial->sums[i]),
                                         ROUNDING_ERROR * trial->norms[body->scalars[i]]));
    for (int place = 0; place + 1 < body->problem->tuples.n; place++) {
        int32_t other[TILE_LOOP_MAX_INDICES];
        memcpy(other, tuple, sizeof other);
        other[place] = tuple[place + 1];
        other[place + 1] = tuple[place];
        TRY(loop_worker_run(worker, other, trial->exchanged, NULL));
        for (int i = 0; i < n_scalars; i++) {
            double *difference = &trial->differences[place * n_scalars + i];
            *difference = fmax(*difference, fabs(trial->exchanged[i] - trial->sums[i]));
        }
    }
    return STATUS_OK;
}

static enum status try_tuples(struct loop_worker *worker, const struct loop_body *body,
                              int64_t n_tasks, struct symmetry_trial *trial, int found[2])
{
    int n_places = body->problem->tuples.n - 1;
    for (int t = 0; t < TRIED_TUPLES; t++) {
        int32_t tuple[TILE_LOOP_MAX_INDICES] = {0};
        tile_tuples_get(&body->problem->tuples,
                        (2 * (int64_t)t + 1) * n_tasks / (INT64_C(2) * TRIED_TUPLES), tuple);
        TRY(try_tuple(worker, body, tuple, trial));
    }
    for (int i = 0; i < n_places * body->n_scalars; i++) {
        int place = i / body->n_scalars, scalar = i % body->n_scalars;
        if (found[0] < 0 && trial->differences[i] > trial->allowed[scalar]) {
            found[0] = body->scalars[scalar];
            found[1] = place;
        }
    }
    return STATUS_OK;
}

enum status loop_symmetry_try(struct loop_worker *worker, const struct loop_body *body,
                              int64_t n_tasks, int found[2])
{
    int n = body->n_scalars;
    size_t size = (size_t)(n * (3 + body->problem->tuples.n) + body->problem->n_tensors);
    double *numbers = calloc(size, sizeof *numbers);
    TRY(CHECK_MEMORY(numbers, "no memory for %d scalars of a loop", n));
    struct symmetry_trial trial = {.sums = numbers,
                                   .exchanged = numbers + n,
                                   .allowed = numbers + 2 * (size_t)n,
                                   .differences = numbers + 3 * (size_t)n,
                                   .norms = numbers + size - body->problem->n_tensors};
    enum status status = try_tuples(worker, body, n_tasks, &trial, found);
    free(numbers);
    return status;
}
