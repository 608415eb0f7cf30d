/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker that counts as so slow that hardly a task is left to it cannot show that it is not, though it
 * may have been interrupted, and be fast again.
 *
 * When it has been idle for some time, its speed increases from iteration to iteration until there is a
 * task for it. Where that shows that it is slow indeed, the next time is after twice as long. The time is
 * that of a few tasks at that speed, and of many where it is no slower than workers may be: then the task
 * will probably be lost time. */
#pragma once

#include <math.h>
#include <stdbool.h>

/* A load that shows no speed, relative to the usual one, and by how much the logarithm of
 * the speed then increases. */
#define IDLE_LOAD 0.1
#define IDLE_STEP 1.0

/* How many times slower than others workers may be, and how many times as long a task may take. */
#define IDLE_PLAUSIBLE 20
#define IDLE_SLOWEST   100

/* Tasks that take so long fit into the time until one is tried, where slowness is plausible or is not. */
#define IDLE_PATIENCE_PLAUSIBLE   20
#define IDLE_PATIENCE_IMPLAUSIBLE 3

struct idle_worker {
    double load_s, usual_s; /* its last load, and the mean of all workers; 0: not known */
    double idle_s;          /* iterations since it had a load */
    double patience;        /* factor of the time until it is tried; at first 1 */
    bool is_tried;          /* its speed increases, and no task has shown it yet */
};

/* By how much the logarithm of the speed increases after an iteration, to 0 at most.
 * n, change  moved tasks, and by how much these have shown that it should be larger
 * logarithm  of the speed
 * task_s     that a task takes at speed 1; 0: not known */
static inline double idle_worker_reconsider(struct idle_worker *idle, double n, double change,
                                            double logarithm, double task_s)
{
    bool may_try = logarithm < 0 && idle->usual_s > 0 && task_s > 0;
    if (n > 0 && idle->is_tried)
        idle->patience = change < 0 ? 2 * idle->patience : 1;
    if (n > 0 || !may_try || idle->load_s > IDLE_LOAD * idle->usual_s) {
        idle->is_tried = idle->is_tried && n == 0;
        idle->idle_s = 0;
        return 0;
    }
    double slowness = exp(-logarithm), expected_s = task_s * fmin(slowness, IDLE_SLOWEST);
    double n_tasks =
        slowness > IDLE_PLAUSIBLE ? IDLE_PATIENCE_IMPLAUSIBLE : IDLE_PATIENCE_PLAUSIBLE;
    idle->idle_s += idle->usual_s;
    idle->is_tried = idle->is_tried || idle->idle_s >= idle->patience * n_tasks * expected_s;
    return idle->is_tried ? fmin(IDLE_STEP, -logarithm) : 0;
}
