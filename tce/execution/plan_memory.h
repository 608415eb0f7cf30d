/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that running a plan takes, before anything is allocated. */
#pragma once

#include "support/base/status.h"
#include "tce/plan/plan.h"
#include "tce/run/contraction.h"

/* Bytes. Tensors are spread over the processes; the rest is each process's own. */
struct plan_memory {
    double tensors;            /* the most that exist at a time */
    double tensors_of_program; /* those that exist all the time */
    double tables;             /* where blocks begin */
    double cache;              /* blocks that are cached, at most: as asked for */
    double work;               /* blocks that are worked on, and packed ones of their products */
    double
        between;  /* contractions: blocks while tensors are packed, or tried for their symmetries */
    double loops; /* local tensors of a loop over tiles, packed blocks, and parts of its scalars */
};

/* settings: its cache size bounds the cache of blocks. Not collective. Errors: STATUS_NO_MEMORY, as
 * plan_loop_problem_init. */
enum status plan_memory_estimate(const struct plan *plan,
                                 const struct contraction_settings *settings,
                                 struct plan_memory *memory);

/* Bytes that a process needs besides tensors and caches, while contractions or loops run. */
double plan_memory_scratch(const struct plan_memory *memory);

/* Bytes that one of n_processes caches of its share of the tensors, while contractions or a loop over tiles
 * run. */
double plan_memory_cached(const struct plan_memory *memory, double n_processes);
