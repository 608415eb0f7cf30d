/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes that begin with a seeding, simulated, with IDs beyond 32 bits and up to the last one of the
 * largest pool: each task runs once in every iteration, after it was stolen and balanced, too. Few
 * tasks of such a pool are seeded. */
#include "sched/pool/core/driver.h"
#include "sched/pool/core/seeding.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { N_WORKERS = 9, N_OF_WORKER = 40, N_SEEDED = N_WORKERS * N_OF_WORKER, N_ITERATIONS = 4 };

struct far_pool {
    int64_t first, step; /* of the IDs */
    int n_runs[N_SEEDED];
};

/* A thousand times as long for the last workers as for the first ones. */
static double seconds_of_far_task(int64_t task, const void *record, const void *context)
{
    const struct far_pool *pool = context;
    (void)record;
    return 1e-6 * (1 + (double)((task - pool->first) / pool->step * 1000 / N_SEEDED));
}

static int run_far_task(int64_t task, void *context)
{
    struct far_pool *pool = context;
    assert_int_equal((task - pool->first) % pool->step, 0);
    assert_in_range((task - pool->first) / pool->step, 0, N_SEEDED - 1);
    pool->n_runs[(task - pool->first) / pool->step]++;
    return STATUS_OK;
}

static void run_far_pool(const struct taskpool_mode *mode, int64_t first, int64_t step)
{
    struct far_pool pool = {.first = first, .step = step};
    struct task_ranges owned[N_WORKERS] = {0};
    struct statistics_worker workers[N_WORKERS];
    /* Ranges of the same number of IDs for each worker. */
    struct taskpool_seeding seeding = {.rule = TASKPOOL_SEEDING_OWNER,
                                       .n_tasks = TASKPOOL_MAX_TASKS,
                                       .n_workers = N_WORKERS,
                                       .owned = owned,
                                       .n_owned = N_WORKERS};
    for (int worker = 0; worker < N_WORKERS; worker++) {
        struct taskpool_range range = {.first = first + worker * N_OF_WORKER * step, .step = step};
        range.last = range.first + (N_OF_WORKER - 1) * step + 1;
        check_ok(task_ranges_add_range(&owned[worker], range));
    }
    const struct taskpool_problem problem = {
        .n_tasks = TASKPOOL_MAX_TASKS, .run = run_far_task, .context = &pool};
    const struct taskpool_machine machine = {.n_workers = N_WORKERS,
                                             .latency_s = 1e-6,
                                             .latency_spread_s = 1e-6,
                                             .time = seconds_of_far_task,
                                             .context = &pool};
    struct taskpool_settings settings;
    struct driver *driver;
    taskpool_settings_default(&settings);
    settings.mode = mode->name;
    const struct taskpool_mode_setup setup = {
        .problem = &problem, .settings = &settings, .seeding = &seeding};
    check_ok(driver_sim_create(mode, &machine, &setup, &(struct driver_records){0}, &driver));
    for (int iteration = 0; iteration < N_ITERATIONS; iteration++) {
        if (iteration > 0)
            check_ok(driver->functions->restore(driver));
        memset(pool.n_runs, 0, sizeof pool.n_runs);
        memset(workers, 0, sizeof workers);
        check_ok(driver->functions->run(driver, workers));
        for (int i = 0; i < N_SEEDED; i++)
            assert_int_equal(pool.n_runs[i], 1);
    }
    driver->functions->destroy(driver);
    for (int worker = 0; worker < N_WORKERS; worker++)
        task_ranges_fini(&owned[worker]);
}

TEST(far_ids_run_once)
{
    const int64_t steps[] = {1, 7, INT64_C(1) << 33};
    int n_modes = 0;
    for (int i = 0; i < mode_count(); i++) {
        const struct taskpool_mode *mode = mode_at(i);
        if (!mode->seeded || mode->is_bound)
            continue;
        n_modes++;
        for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            run_far_pool(mode, INT64_C(22000000000), steps[s]);
            run_far_pool(mode, TASKPOOL_MAX_TASKS - 1 - (N_SEEDED - 1) * steps[s], steps[s]);
        }
    }
    assert_true(n_modes >= 8);
}
