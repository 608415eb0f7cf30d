/* The seeding: the tasks that each worker starts with, computed once per pool by all
 * processes together and kept in as few words as the rule allows. */
#ifndef BERYL_SCHED_SEEDING_H
#define BERYL_SCHED_SEEDING_H

#include "sched/pool/queues/task_ranges.h"

#include <stdint.h>

struct seeding {
    int rule; /* enum taskpool_seeding; block also where --seeding cost comes to that */
    int64_t n_tasks;
    int n_workers;
    int64_t *boundary; /* cost: n_workers + 1; worker w gets [boundary[w], boundary[w + 1]) */
    struct task_ranges *owned; /* owner, longest: of the workers of this process */
    int first_owned;           /* the worker of owned[0] */
    int n_owned;
};

void seeding_fini(struct seeding *seeding);

/* The worker's tasks are the ranges [0, seeding_n_ranges), some of them maybe
 * empty. With lists of owned tasks only for workers of this process. */
int64_t seeding_n_ranges(const struct seeding *seeding, int worker);
struct task_range seeding_range(const struct seeding *seeding, int worker, int64_t i);

#endif
