/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that run as one pool of tasks: mutually independent contractions
 * (contraction_sums.h), or the steps of a loop over tiles (tile_loop.h). The result depends neither on the mode nor
 * on the number of processes. */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/run/block_tasks.h"
#include "tce/run/tile_loop.h"
#include "tce/run/tuple_parts.h"

#include <mpi.h>
#include <stdint.h>

struct stage;

/* The task list and costs; allocates no tensor. The same on every process; not collective.
 * problems  n >= 1 of them, copied, as settings are; the labels are borrowed until stage_destroy
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; stage_destroy follows then, too. */
enum status stage_create(int n, const struct contraction_problem problems[],
                         const struct contraction_settings *settings, struct stage **stage);

/* A loop over tiles, borrowed until stage_destroy. Errors: likewise. */
enum status stage_create_loop(const struct tile_loop *loop,
                              const struct contraction_settings *settings, struct stage **stage);
void stage_destroy(struct stage *stage);

/* All tasks, those that an earlier run of a loop finished included. */
int64_t stage_n_tasks(const struct stage *stage);

/* The predicted work of a task, and the time that it is expected to take, in the seconds of contraction.h. */
struct task_cost stage_task_cost(const struct stage *stage, int64_t task);
double stage_task_seconds(const struct stage *stage, int64_t task);

/* Elements of the parts of blocks and scalars that stage_start makes room for. */
double stage_parts_elements(const struct stage *stage);

/* block_tasks_visit; of a loop over tiles no blocks are visited. */
enum status stage_visit_blocks(const struct stage *stage, int64_t task, contraction_visitor *visit,
                               void *context);

/* Gives the tensors of a step, by contraction_place; NULL for those that it lacks or that are local. Borrowed. */
void stage_bind(struct stage *stage, int step, struct tensor *const tensor[N_CONTRACTION_PLACES]);

/* The fill of a local tensor of a loop over tiles; where the parts of its scalars are to outlive a run (NULL: nowhere,
 * as it is until then). Borrowed. */
void stage_set_fill(struct stage *stage, int local, const struct tile_fill *fill);
void stage_set_store(struct stage *stage, const struct tuple_store *store);

/* Makes the pool (anew, if there is one: forgets its history). Collective.
 * Errors: as taskpool_create. */
enum status stage_start(struct stage *stage, const struct taskpool_settings *pool, MPI_Comm comm);

/* Runs the stage once; from the second time on the pool is restored before. Collective. Earlier
 * writes to the tensors must have been synchronised; the stage synchronises its own. Errors: as
 * taskpool_run, STATUS_NO_MEMORY; the same on every process, the written tensors are then
 * undefined. */
enum status stage_run(struct stage *stage);

/* Which fraction of all tasks the last run computed. */
double stage_fraction_run(const struct stage *stage);

/* Borrowed; NULL before stage_start. */
const struct taskpool *stage_pool(const struct stage *stage);
