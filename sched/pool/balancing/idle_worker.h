/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker that counts as so slow that hardly a task is left to it cannot show that it is not, though it
 * mostly was interrupted, and is fast again.
 *
 * When it has been idle for as long as a task would take it if it is slow, its speed increases from
 * iteration to iteration until there is a task for it. Where that shows that it is slow indeed, the next
 * time is after twice as long: what is lost to slow workers stays a fraction of the time that passes. */
#pragma once

#include <stdbool.h>

/* A load that shows no speed, relative to the largest that was expected, and by how much the logarithm of
 * the speed then increases. */
#define IDLE_LOAD 0.1
#define IDLE_STEP 1.0

struct idle_worker {
    double load_s, usual_s; /* its last load, and the largest that was expected; 0: not known */
    double idle_s;          /* iterations since it had a load */
    double patience;        /* how often a slow task has to fit into these; at first 1 */
    bool is_tried;          /* its speed increases, and no task has shown it yet */
};

/* By how much the logarithm of the speed increases after an iteration.
 * n, change  moved tasks, and by how much these have shown that it should be larger
 * task_s     that a task takes if the worker is as slow as it counts */
static inline double idle_worker_reconsider(struct idle_worker *idle, double n, double change,
                                            double task_s)
{
    if (n > 0 && idle->is_tried)
        idle->patience = change < 0 ? 2 * idle->patience : 1;
    if (n > 0 || idle->load_s > IDLE_LOAD * idle->usual_s) {
        idle->is_tried = idle->is_tried && n == 0;
        idle->idle_s = 0;
        return 0;
    }
    idle->idle_s += idle->usual_s;
    idle->is_tried = idle->is_tried || idle->idle_s >= idle->patience * task_s;
    return idle->is_tried ? IDLE_STEP : 0;
}
