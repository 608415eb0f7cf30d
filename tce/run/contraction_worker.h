/* SPDX-License-Identifier: BSD-3-Clause */
/* The scratch of one process that runs tasks of contractions. */
#pragma once

#include "support/base/status.h"
#include "tce/run/contraction.h"
#include "tce/run/contraction_sums.h"

#include <stdint.h>

struct contraction_worker;

struct darray;

/* sums      borrowed, with its problems, whose tensors exist
 * parts     borrowed (contraction_sums.h); NULL if no sum has slices
 * settings  with buffers
 * polled    taskpool_poll between two products of a task; NULL: none
 * Errors: STATUS_NO_MEMORY; contraction_worker_destroy follows then, too. */
enum status contraction_worker_create(const struct contraction_sums *sums, struct darray *parts,
                                      const struct contraction_settings *settings,
                                      struct taskpool *polled, struct contraction_worker **worker);
void contraction_worker_destroy(struct contraction_worker *worker);

/* Bytes of the blocks that it works on, at most, where none is of more than max_block elements;
 * without those that are kept. */
int64_t contraction_worker_bytes(int64_t max_block);

/* Computes the task's block of C, or its part of it, and writes it; of a scalar, keeps the task's part.
 * Errors: STATUS_NO_MEMORY. */
enum status contraction_worker_run(struct contraction_worker *worker, int64_t task);

/* Adds up the parts of each scalar and of each block, in the order of the tasks, and writes them. Collective over
 * comm, after all tasks ran and between two synchronisations; nothing to do for other tensors. */
void contraction_worker_reduce(struct contraction_worker *worker, MPI_Comm comm);
