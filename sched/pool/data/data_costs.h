/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds that a worker spends on the blocks of its tasks (taskpool/data.h). */
#pragma once

#include "sched/pool/core/task_data.h"
#include "taskpool/data.h"
#include "taskpool/simulation.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether two workers are on one node. */
bool data_costs_are_near(const struct taskpool_data_costs *costs, int a, int b);

/* Seconds of one read or write of a block by a worker that is not its owner; near: the owner is on
 * its node. */
double data_costs_of_move(const struct taskpool_data_costs *costs, int64_t bytes, bool near);

/* Seconds of one access by any worker; 0 for the owner. */
double data_costs_of_access(const struct taskpool_data_costs *costs,
                            const struct taskpool_data_access *access, int worker, int n_workers);

/* Whether a block is read once for all tasks of a worker that read it. */
static inline bool data_costs_keeps(const struct taskpool_data_costs *costs, int64_t block)
{
    return costs->data->blocks[block].bytes <= costs->cache_bytes;
}

/* Those of a simulated machine with data. */
void data_costs_of_machine(const struct taskpool_machine *machine,
                           struct taskpool_data_costs *costs);
