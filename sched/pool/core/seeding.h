/* SPDX-License-Identifier: BSD-3-Clause */
/* The seeding: the tasks that each worker starts with, computed once per pool by all
 * processes together and kept in as few words as the rule allows. */
#ifndef BERYL_SCHED_SEEDING_H
#define BERYL_SCHED_SEEDING_H

#include "sched/pool/queues/task_ranges.h"

#include <stdint.h>

struct taskpool_seeding {
    int rule; /* enum taskpool_seeding_rule; block also where --seeding cost comes to that */
    int64_t n_tasks;
    int n_workers;
    int64_t *boundary; /* cost: n_workers + 1; worker w gets [boundary[w], boundary[w + 1]) */
    struct task_ranges *owned; /* owner, longest: of the workers of this process */
    int first_owned;           /* the worker of owned[0] */
    int n_owned;
};

void seeding_fini(struct taskpool_seeding *seeding);

#endif
