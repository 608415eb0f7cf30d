/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/statistics_report.h"
#include "sched/pool/pool.h"
#include "sched/pool/pool_timeline.h"
#include "sched/pool/trace/timeline.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* --- the end of an iteration --- */

/* Outcome of an iteration on one process, or on all: one reduction, because over a network each is
 * a round trip. */
struct run_outcome {
    struct statistics_totals totals;
    struct task_census there, ran;
    /* Messages sent less messages received, while the iteration was prepared and while it ran. */
    int64_t undelivered_before, undelivered;
    int64_t n_failed;      /* processes whose run failed */
    int64_t n_mode_failed; /* of these, where the mode lost tasks */
};

static void combine_outcomes(void *other_void, void *outcome_void, int *n, MPI_Datatype *type)
{
    const struct run_outcome *other = other_void;
    struct run_outcome *outcome = outcome_void;
    (void)type;
    for (int i = 0; i < *n; i++, other++, outcome++) {
        statistics_totals_add(&outcome->totals, &other->totals);
        task_census_join(&outcome->there, &other->there);
        task_census_join(&outcome->ran, &other->ran);
        outcome->undelivered_before += other->undelivered_before;
        outcome->undelivered += other->undelivered;
        outcome->n_failed += other->n_failed;
        outcome->n_mode_failed += other->n_mode_failed;
    }
}

/* Combines the outcomes of all processes: the same everywhere, but for the last bit of the totals.
 */
static void reduce_outcome(MPI_Comm comm, struct run_outcome *outcome)
{
    const int commutes = 1;
    MPI_Datatype type;
    MPI_Op combine;
    MPI_Type_contiguous((int)sizeof *outcome, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(combine_outcomes, commutes, &combine);
    MPI_Allreduce(MPI_IN_PLACE, outcome, 1, type, combine, comm);
    MPI_Op_free(&combine);
    MPI_Type_free(&type);
}

static enum status check_outcome(const struct run_outcome *all, const char *mode)
{
    if (all->undelivered_before != 0 || all->undelivered != 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: finished with undelivered messages", mode);
    return task_census_check(mode, &all->there, &all->ran);
}

/* The tasks of the pool that this process answers for. */
static struct task_census tasks_there(const struct taskpool *pool)
{
    struct task_census there = pool->made;
    int rank;
    MPI_Comm_rank(pool->comm, &rank);
    task_census_join(&there, &pool->added);
    const struct taskpool_range all = {.first = 0, .last = pool->problem.n_tasks, .step = 1};
    if (rank == 0)
        task_census_add_range(&there, &all);
    return there;
}

enum status pool_end_iteration(struct taskpool *pool, enum status own)
{
    const struct driver *driver = pool->driver;
    int64_t slot = pool_slot(pool, pool->n_iterations);
    struct statistics_worker *workers = &pool->workers[slot * driver->n_workers];
    struct taskpool_iteration *iteration = &pool->iterations[slot];
    struct run_outcome outcome = {.totals = statistics_totals_of(workers, driver->n_workers),
                                  .there = tasks_there(pool),
                                  .ran = driver->ran,
                                  .undelivered_before = driver->undelivered_before,
                                  .undelivered = driver->undelivered,
                                  .n_failed = own != STATUS_OK,
                                  .n_mode_failed = driver->mode_failed};
    reduce_outcome(pool->comm, &outcome);
    iteration->iteration = pool->n_iterations++;
    recorder_end(pool->recorder, iteration->iteration, workers,
                 statistics_makespan_s(&outcome.totals));
    statistics_summarize(&outcome.totals, workers, driver->n_workers, iteration);
    driver->functions->explain(pool->driver, &iteration->choice);
    enum status status = outcome.n_failed > 0 ? status_agree(pool->comm, own)
                                              : check_outcome(&outcome, pool->settings.mode);
    if (outcome.n_mode_failed > 0 || (outcome.n_failed == 0 && status != STATUS_OK))
        pool->state = POOL_BROKEN;
    return status;
}

/* --- results --- */

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
        return FAIL(STATUS_USAGE, "taskpool_write_statistics needs all iterations: set "
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
    if (status != STATUS_OK)
        goto done;
    copy_loads(pool, keep > 0 && last >= keep ? last - keep + 1 : 0, loads_s);
    copy_loads(pool, last, loads_s + n);
    const struct timeline_problem problem = {.problem = &pool->problem,
                                             .statistics = taskpool_statistics(pool, last),
                                             .all = keep == 0 ? pool->iterations : NULL,
                                             .first_loads_s = loads_s,
                                             .loads_s = loads_s + n,
                                             .n_workers = n};
    status = timeline_to_json(pool->comm, pool->recorder->timeline, &problem, timeline);
done:
    free(loads_s);
    return status;
}

const struct taskpool_history *taskpool_history(const struct taskpool *pool)
{
    static const struct taskpool_history none;
    return pool ? &pool->history : &none;
}
