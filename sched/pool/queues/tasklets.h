/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts of a list of tasks into tasklets, the units that mode hybrid hands out: borders by positions
 * in the list. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The number of tasklets of n_tasks tasks, of at least one task each. n_wanted >= 1. */
static inline int64_t tasklets_count(int64_t n_tasks, int64_t n_wanted)
{
    return n_wanted < n_tasks ? n_wanted : n_tasks;
}

/* The position of the first task of tasklet i of n tasklets, 0 <= i <= n <= n_tasks; n_tasks for
 * i = n. With equal sizes these differ by one at most.
 * With skew they shrink in equal steps from nearly twice the average to one task
 * (as the chunks of Tzen and Ni, IEEE Trans. Parallel Distrib. Syst. 4 (1993)
 * 87): of n_tasks = m in n = k > 1 tasklets, those from the i-th on hold
 *     k - i + (m - k) (k - i) (k - i - 1) / (k (k - 1))
 * tasks, rounded down. Unlike a fixed fraction of the rest, this gives exactly n tasklets and
 * no long tail of single tasks. */
int64_t tasklets_border(int64_t n_tasks, int64_t n, bool skew, int64_t i);
