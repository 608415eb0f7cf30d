/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop over tuples of tiles:
 *
 *     for each tuple (a, b, c) of tiles
 *         local tensors = contractions of stored and local ones, in order
 *         scalars += weight * contractions of these, weight as in tile_tuples.h
 *
 * A task is a tuple. What it computes lives within it: local tensors need the memory of one tuple for
 * each process. Stored tensors are read through views (operands.h). Indices of the loop have one
 * tile in a task, other indices all their values: their spaces are cut by labels alone.
 *
 * Scalars are sums over the tuples, added up in their order (tuple_parts.h). */
#pragma once

#include "support/base/status.h"
#include "tce/run/contraction.h"
#include "tce/run/tile_tuples.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets a block of a local tensor, row-major; the values of index d are first[d] and the next. Errors:
 * STATUS_NO_MEMORY. */
struct tile_fill {
    enum status (*fill)(int rank, const int64_t first[], const int64_t extent[], double *block,
                        void *context); /* NULL: none */
    void *context;                      /* borrowed */
};

/* A tensor that lives within a tuple: a local one, or the tuple's part of a scalar of the loop. */
struct tile_loop_local {
    const char *name;           /* borrowed */
    int loop_index[MAX_RANK];   /* which of the loop's indices a place has; -1: none */
    struct block_labels labels; /* spaces are cut for the loop */
    int scalar;                 /* which of the loop's scalars it is the part of; -1: none */
};

struct tile_loop_step {
    struct contraction_problem problem;               /* of the labels that follow */
    struct block_labels labels[N_CONTRACTION_PLACES]; /* spaces are cut for the loop */
    int local[N_CONTRACTION_PLACES]; /* numbers; C always is local. -1: stored, or without B */
    int loop_index[MAX_INDICES];     /* of index numbers: of the loop's indices, or -1 */
};

/* All borrowed. */
struct tile_loop {
    struct tile_tuples tuples;
    const struct index_space
        *space[TILE_LOOP_MAX_INDICES]; /* of the loop's indices, cut into its tiles */
    int n_locals, n_steps, n_scalars;
    struct tile_loop_local *locals;
    struct tile_loop_step *steps;
};

/* Most tuples of tiles: beyond it STATUS_LIMIT. */
#define TILE_LOOP_MAX_TASKS 0x1p40
