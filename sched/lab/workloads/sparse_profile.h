/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations of a pool with mostly null tasks: those on file, and one duration for all others. */
#ifndef BERYL_SCHED_WORKLOADS_SPARSE_PROFILE_H
#define BERYL_SCHED_WORKLOADS_SPARSE_PROFILE_H

#include "sched/lab/profiles/profile_read.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct sparse_profile {
    struct profile profile; /* of the others; owned */
    int64_t n_tasks;
    double null_s;
    uint64_t *blocks; /* a bit for each block of 64 tasks: whether one of them is on file */
};

/* n_tasks  of the pool, more than any number on file
 * Collective over comm. Errors: those of profile_read, STATUS_INPUT (a number beyond the
 * pool's), STATUS_NO_MEMORY; the same on every process. */
enum status sparse_profile_init(struct sparse_profile *sparse, MPI_Comm comm, const char *path,
                                int64_t n_tasks, double null_s);
void sparse_profile_fini(struct sparse_profile *sparse);

double sparse_profile_seconds(const struct sparse_profile *sparse, int64_t task);

/* Whether none of the tasks [first, last) is on file. */
bool sparse_profile_are_null(const struct sparse_profile *sparse, int64_t first, int64_t last);

#endif
