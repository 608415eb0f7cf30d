/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of tensors that the tasks of a plan read and write, for simulations of it. */
#ifndef BERYL_TCE_TASK_BLOCKS_H
#define BERYL_TCE_TASK_BLOCKS_H

#include "sched/lab/profiles/task_data_write.h"
#include "sched/pool/core/history.h"
#include "support/base/status.h"
#include "tce/contraction/contraction.h"
#include "tce/plan/plan.h"

#include <stdint.h>

struct task_blocks {
    const struct plan *plan; /* borrowed */
    int64_t *first_block;    /* plan->n_tensors: the blocks of all tensors are numbered one after
                              * another */
    struct data_records records;
};

/* Errors: STATUS_NO_MEMORY, STATUS_LIMIT; task_blocks_fini follows then, too. */
enum status task_blocks_init(const struct plan *plan, struct task_blocks *blocks);
void task_blocks_fini(struct task_blocks *blocks);

/* Adds those of the tasks in a stage's history.
 * first_task  number of the stage's first task among those of all stages
 * Errors: STATUS_NO_MEMORY. */
enum status task_blocks_add(struct task_blocks *blocks, int stage,
                            const struct contraction *contraction,
                            const struct taskpool_history *history, int64_t first_task);

#endif
