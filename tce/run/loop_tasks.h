/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a loop over tiles in one process: the tuples that no earlier run has finished. */
#pragma once

#include "taskpool/taskpool.h"
#include "tce/run/loop_body.h"
#include "tce/run/loop_worker.h"
#include "tce/run/tuple_parts.h"

#include <mpi.h>
#include <stdint.h>

struct loop_tasks {
    struct loop_body body;
    int64_t n;      /* tuples */
    int64_t n_left; /* tuples that the last run computed */
    struct tensor **scalars;
    bool *adds;     /* whether a scalar keeps its value from before the loop */
    double *values; /* of the task at hand */
    struct tuple_parts *parts;
    const struct tuple_store *store; /* borrowed; NULL: none */
    char inputs[SHA256_HEX_SIZE];    /* with a store: digest of what the loop reads */
    MPI_Comm comm;
    struct loop_worker *worker; /* during a run */
};

/* loop  borrowed, of at most TILE_LOOP_MAX_TASKS tuples
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; loop_tasks_fini follows then, too. */
enum status loop_tasks_init(const struct tile_loop *loop, struct loop_tasks *tasks);
void loop_tasks_fini(struct loop_tasks *tasks);

/* Gives the tensors of a step, NULL for those that are local. Borrowed. */
void loop_tasks_bind(struct loop_tasks *tasks, int step, struct tensor *const tensor[]);

/* Room for the parts of scalars. Collective. Errors: STATUS_NO_MEMORY; the same on every process. */
enum status loop_tasks_start(struct loop_tasks *tasks, MPI_Comm comm);

/* Finds the tuples that are left. Collective. Errors: STATUS_NO_MEMORY; the same on every process. */
enum status loop_tasks_find_left(struct loop_tasks *tasks);

/* As block_tasks.h has them. */
enum status loop_tasks_begin(struct loop_tasks *tasks, const struct contraction_settings *settings,
                             struct taskpool *polled);
enum status loop_tasks_run(struct loop_tasks *tasks, int64_t task);
void loop_tasks_end(struct loop_tasks *tasks, enum status status);

/* The work of a tuple, by its number. */
struct task_cost loop_tasks_cost(const struct loop_tasks *tasks, int64_t tuple);
