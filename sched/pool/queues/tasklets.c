/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/tasklets.h"

#include "taskpool/mode.h"

int64_t tasklets_border(int64_t n_tasks, int64_t n, bool skew, int64_t i)
{
    if (i == 0 || i == n)
        return i == 0 ? 0 : n_tasks;
    if (!skew)
        return taskpool_range_block(n_tasks, n, i).first;
    double all = (double)n, left = all - (double)i;
    int64_t more = n_tasks - n; /* than one task each */
    int64_t more_left = (int64_t)((double)more * (left * (left - 1) / (all * (all - 1))));
    return i + more - more_left;
}
