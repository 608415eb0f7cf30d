/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of the executor share. */
#pragma once

#include "tce/execution/executor.h"
#include "tce/plan/plan_tasks.h"

struct executor {
    const struct plan *plan;
    MPI_Comm comm;
    struct contraction_settings settings;
    struct block_buffers *buffers; /* of all contractions */
    struct tensor **tensors;       /* plan->n_tensors; NULL while one does not exist */
    struct plan_tasks *stages;     /* plan->n_stages */
    bool *idle;                    /* plan->n_tensors: exists, and its value is not needed */
    double elements;               /* of the tensors that exist */
};

/* Makes the tensors that are there from the beginning to the end. Collective. */
enum status executor_create_kept_tensors(struct executor *self);

/* An intermediate for a stage to write. Creating a distributed array takes longer than a small
 * contraction, so those that are not needed any more are kept for reuse within the plan's peak
 * memory and a little more. Collective. */
enum status executor_claim_intermediate(struct executor *self, int tensor);

/* Room for all tensors that exist at a time: those that are kept by the longest part of each, others by their
 * mean; and for more_bytes. Collective. */
void executor_reserve_tensors(const struct plan *plan, double more_bytes, MPI_Comm comm);
