/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/statistics_report.h"
#include "sched/pool/pool.h"
#include "sched/pool/pool_timeline.h"
#include "sched/pool/trace/timeline_report.h"
#include "support/base/agree.h"

#include <stdlib.h>

int64_t taskpool_n_iterations(const struct taskpool *pool)
{
    return pool ? pool->n_iterations : 0;
}

const struct taskpool_iteration *taskpool_statistics(const struct taskpool *pool, int64_t iteration)
{
    int64_t n = taskpool_n_iterations(pool), keep = n > 0 ? pool->settings.keep_iterations : 0;
    if (iteration < 0 || iteration >= n || (keep > 0 && iteration < n - keep))
        return NULL;
    return &pool->iterations[pool_slot(pool, iteration)];
}

int taskpool_write_statistics(const struct taskpool *pool, const char *path)
{
    if (!pool || !path)
        return FAIL(STATUS_USAGE, "taskpool_write_statistics: the %s is NULL",
                    pool ? "path" : "pool");
    if (pool->state == POOL_RUNNING || pool->state == POOL_ENDING)
        return FAIL(STATUS_USAGE, "taskpool_write_statistics was called from a task: write them "
                                  "after taskpool_run");
    if (pool->settings.keep_iterations > 0)
        return FAIL(STATUS_USAGE, "taskpool_write_statistics needs those of all iterations: set "
                                  "keep_iterations to 0");
    return statistics_write_csv(pool->comm, pool->workers, pool->n_iterations,
                                pool->driver->n_workers, path);
}

/* Task seconds of this process's workers in one iteration. */
static void copy_loads(const struct taskpool *pool, int64_t iteration, double *loads_s)
{
    int n = pool->driver->n_workers;
    const struct statistics_worker *workers = &pool->workers[pool_slot(pool, iteration) * n];
    for (int i = 0; i < n; i++)
        loads_s[i] = workers[i].task_s;
}

enum status pool_timeline(const struct taskpool *pool, json_t **timeline)
{
    int64_t last = pool->n_iterations - 1, keep = pool->settings.keep_iterations;
    int n = pool->driver->n_workers;
    *timeline = NULL;
    if (!pool->recorder || !pool->recorder->timeline || last < 0)
        return STATUS_OK;
    double *loads_s = malloc(2 * (size_t)n * sizeof *loads_s);
    enum status status =
        status_agree(pool->comm, CHECK_MEMORY(loads_s, "no memory for %d loads", n));
    if (status == STATUS_OK) {
        copy_loads(pool, keep > 0 && last >= keep ? last - keep + 1 : 0, loads_s);
        copy_loads(pool, last, loads_s + n);
        const struct timeline_problem problem = {.problem = &pool->problem,
                                                 .statistics = taskpool_statistics(pool, last),
                                                 .all = keep == 0 ? pool->iterations : NULL,
                                                 .first_loads_s = loads_s,
                                                 .loads_s = loads_s + n,
                                                 .n_workers = n};
        status = timeline_to_json(pool->comm, pool->recorder->timeline, &problem, timeline);
    }
    free(loads_s);
    return status;
}

const struct taskpool_history *taskpool_history(const struct taskpool *pool)
{
    static const struct taskpool_history none;
    return pool ? &pool->history : &none;
}
