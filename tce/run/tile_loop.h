/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop over tuples of tiles as a pool of tasks:
 *
 *     for each tuple (a, b, c) of tiles
 *         local tensors = contractions of stored and local ones, in order
 *         scalars += weight * contractions of these, weight as in tile_tuples.h
 *
 * A task is a tuple. What it computes lives within it: local tensors need the memory of one tuple for
 * each process. Stored tensors are read through views (operands.h). Indices of the loop have one
 * tile in a task, other indices all their values: their spaces are cut by labels alone.
 *
 * Scalars are sums over the tasks, added up in the order of the tasks (tuple_parts.h). */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/run/contraction.h"
#include "tce/run/tile_tuples.h"
#include "tce/run/tuple_parts.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets a block of a local tensor, row-major; the values of index d are first[d] and the next. Errors:
 * STATUS_NO_MEMORY. */
struct tile_fill {
    enum status (*fill)(int rank, const int64_t first[], const int64_t extent[], double *block,
                        void *context); /* NULL: none */
    void *context;                      /* borrowed */
};

/* A tensor of the steps. */
struct tile_loop_tensor {
    const char *name; /* borrowed */
    bool local;       /* else stored */
    int loop_index
        [MAX_RANK]; /* of a local one: which of the loop's indices a place has; -1: none */
    struct block_labels labels; /* of a local one; spaces are cut for the loop */
};

/* C (+)= factor * A * B as in contraction.h, or without B. */
enum loop_operand { LOOP_C, LOOP_A, LOOP_B, N_LOOP_OPERANDS };
struct tile_loop_step {
    int tensor[N_LOOP_OPERANDS];                 /* numbers; B: -1 without it */
    struct block_labels labels[N_LOOP_OPERANDS]; /* spaces are cut for the loop */
    int index[N_LOOP_OPERANDS][MAX_RANK];        /* numbers in [0, MAX_INDICES) */
    int loop_index[MAX_INDICES]; /* of index numbers: of the loop's indices, or -1 */
    double factor;
    bool add; /* to what C holds; of a scalar, before the loop */
};

struct tile_loop_problem {
    struct tile_tuples tuples;
    const struct index_space
        *space[TILE_LOOP_MAX_INDICES]; /* of the loop's indices, cut into its tiles */
    int n_tensors, n_steps;
    struct tile_loop_tensor *tensors; /* borrowed, as are the steps */
    struct tile_loop_step *steps;
};

/* More tuples of tiles are a slip. */
#define TILE_LOOP_MAX_TASKS 0x1p40

struct tile_loop;

/* Tasks and costs; allocates no tensor. The same on every process; not collective.
 * problem   borrowed until tile_loop_destroy, with the spaces of its labels
 * settings  buffers are needed
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT (more than TILE_LOOP_MAX_TASKS); tile_loop_destroy follows then, too. */
enum status tile_loop_create(const struct tile_loop_problem *problem,
                             const struct contraction_settings *settings, struct tile_loop **loop);
void tile_loop_destroy(struct tile_loop *loop);

int64_t tile_loop_n_tasks(const struct tile_loop *loop);

/* The time that a task is expected to take, in seconds on a processor of the day. */
double tile_loop_task_seconds(struct tile_loop *loop, int64_t task);

/* Gives a stored tensor, or the fill of a local one. Borrowed. */
void tile_loop_bind(struct tile_loop *loop, int number, struct tensor *tensor);
void tile_loop_set_fill(struct tile_loop *loop, int number, const struct tile_fill *fill);

/* Where the parts of scalars are to outlive a run; NULL: nowhere, as it is until then. Borrowed. Not
 * collective. */
void tile_loop_set_store(struct tile_loop *loop, const struct tuple_store *store);

/* The tuple of a task of the last run, which had those that no earlier run had finished. */
int64_t tile_loop_tuple(const struct tile_loop *loop, int64_t task);

/* Which fraction of all tuples the last run computed. */
double tile_loop_fraction_run(const struct tile_loop *loop);

/* As contraction_start, contraction_run and contraction_pool. */
enum status tile_loop_start(struct tile_loop *loop, const struct taskpool_settings *pool,
                            MPI_Comm comm);
enum status tile_loop_run(struct tile_loop *loop);

const struct taskpool *tile_loop_pool(const struct tile_loop *loop);
