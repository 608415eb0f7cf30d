/* SPDX-License-Identifier: BSD-3-Clause */
/* The execution of a plan: its tensors, and a pool for each of its stages. Pools exist until
 * executor_start is called again, so that what modes retain serves the next run. */
#pragma once

#include "sched/pool/core/statistics.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/plan/plan.h"
#include "tce/run/stage.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>

struct json_t; /* jansson.h */

struct executor;

/* Upper bound on the cache of contractions, as a fraction of a process's share of all tensors that exist
 * at a time: more would keep nothing that is read again soon. Loops over tiles use the whole cache of the
 * settings. */
#define EXECUTOR_CACHE_FRACTION 0.125

/* Makes the program's tensors, of zeros. Collective, like all that follows.
 * plan        borrowed
 * more_bytes  of other distributed arrays to come, for which there is room beside the tensors
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the same everywhere. */
enum status executor_create(const struct plan *plan, const struct contraction_settings *settings,
                            double more_bytes, MPI_Comm comm, struct executor **executor);
void executor_destroy(struct executor *executor);

/* A tensor of the plan, by its number; NULL: it is local to a loop, not stored, or an intermediate that is
 * not there now. Borrowed. Not collective. */
struct tensor *executor_tensor(const struct executor *executor, int tensor);

/* Sets what fills a tensor that is local to a loop over tiles, for each tuple. Borrowed: its context
 * stays as long as the executor runs. Not collective. */
void executor_set_fill(struct executor *executor, int tensor, const struct tile_fill *fill);

/* Where the parts of scalars of a loop, by its number in the program, are to outlive a run (tuple_parts.h);
 * NULL: nowhere. Borrowed. Not collective. */
void executor_set_store(struct executor *executor, int loop, const struct tuple_store *store);

/* Makes the pools, anew if there were any: nothing is retained from before.
 * Errors: as taskpool_create. */
enum status executor_start(struct executor *executor, const struct taskpool_settings *pool);

/* The cost of several stages; the pools' measurements are added up (statistics_add). */
struct executor_record {
    double seconds;
    double flops; /* of DGEMM, by the plan */
    struct taskpool_iteration statistics;
};

/* Runs the plan's stages [first, last), in order; creates and frees intermediates as they need.
 * Their operations count as progress of the caller's piece of work, if any (progress.h).
 * record  out, or NULL. Errors: as stage_run and tensor_create. */
enum status executor_run(struct executor *executor, int first, int last,
                         struct executor_record *record);

/* pool_timeline of the stage of the last run that does the most operations. Collective; errors
 * likewise. */
enum status executor_timeline(const struct executor *executor, struct json_t **timeline);

/* Writes the seconds of every task of the last run, stage after stage, as profile_write does. A CSV
 * file also gets a list of the blocks that each task reads and writes. Needs pools with a history.
 * Errors: as profile_write. */
enum status executor_write_profile(const struct executor *executor, const char *path);
