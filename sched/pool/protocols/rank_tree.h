/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary tree of all ranks, with rank 0 as its root: children 2 r + 1 and 2 r + 2. */
#ifndef BERYL_SCHED_RANK_TREE_H
#define BERYL_SCHED_RANK_TREE_H

#include "taskpool/mode.h"

#include <stdint.h>

/* Rank of the parent; defined, but without meaning, for rank 0. */
static inline int rank_tree_parent(const struct taskpool_comm *comm)
{
    return (comm->rank - 1) / 2;
}

/* Child i in [0, rank_tree_n_children). */
static inline int rank_tree_child(const struct taskpool_comm *comm, int i)
{
    return 2 * comm->rank + 1 + i;
}

static inline int rank_tree_n_children(const struct taskpool_comm *comm)
{
    int64_t n = comm->size - (2 * (int64_t)comm->rank + 1);
    return n < 0 ? 0 : n > 2 ? 2 : (int)n;
}

#endif
