/* SPDX-License-Identifier: BSD-3-Clause */
/* The seconds that a worker spends on moving the blocks that a set of tasks reads and writes, and
 * by how much they change when a task joins or leaves the set. A block that is small enough to be
 * kept counts once for all tasks that read it, and once for all that write it; one that is not, for
 * each. Copies that other workers of the node bring are not counted on: who brings a block first is
 * not known. */
#pragma once

#include "sched/pool/data/data_costs.h"
#include "sched/pool/data/id_counts.h"

struct data_load {
    const struct taskpool_data_costs *costs; /* borrowed */
    int worker, n_workers;
    double seconds;
    double squares; /* sum of the squares of the seconds of its moves */
    /* Tasks of the set by kept access of a block of another worker: its ID is data_load_id's. */
    struct id_counts kept;
};

/* costs  borrowed */
void data_load_init(struct data_load *load, const struct taskpool_data_costs *costs, int worker,
                    int n_workers);
void data_load_fini(struct data_load *load);

/* Empties the set. */
void data_load_clear(struct data_load *load);

/* Seconds that a task adds, which is not in the set, or that its leaving saves. A task that reads a
 * block twice counts twice. */
double data_load_of_joining(const struct data_load *load, int64_t task);
double data_load_of_leaving(const struct data_load *load, int64_t task);

/* Seconds of a task alone where none of its data are, far from all. */
double data_load_away(const struct data_load *load, int64_t task);

void data_load_join(struct data_load *load, int64_t task);
void data_load_leave(struct data_load *load, int64_t task);

/* The ID of an access among the kept ones. */
static inline int64_t data_load_id(const struct taskpool_data_access *access)
{
    return 2 * access->block + access->writes;
}

/* Notes an access that tasks which are not named make, more of them than ever leave. */
void data_load_note(struct data_load *load, int64_t access_id);
