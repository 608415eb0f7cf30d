/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools whose tasks keep data where they ran, simulated: after the first iteration no task is
 * stolen, the durations of the first do not count, and tasks move only where the largest load exceeds
 * the best possible by a tenth. */
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { N_WORKERS = 16, EACH = 40, N_TASKS = N_WORKERS * EACH, N_ITERATIONS = 8 };

static const char *const modes[] = {"retentive", "persist", "auto"};

struct kept_pool {
    bool tasks_keep_data;
    /* Durations in milliseconds, of an iteration: of worker 0's tasks, of the last of them, and of others. */
    double first_ms[N_ITERATIONS], last_ms[N_ITERATIONS];
    int iteration;
    struct taskpool_iteration figures[N_ITERATIONS];
    int32_t worker[N_ITERATIONS][N_TASKS];
};

static double kept_time(int64_t task, const void *record, const void *context)
{
    const struct kept_pool *kept = context;
    (void)record;
    if (task == EACH - 1)
        return 1e-3 * kept->last_ms[kept->iteration];
    return task < EACH ? 1e-3 * kept->first_ms[kept->iteration] : 1e-3;
}

/* All tasks take 1 ms. */
static void init_kept(struct kept_pool *kept)
{
    memset(kept, 0, sizeof *kept);
    kept->tasks_keep_data = true;
    for (int i = 0; i < N_ITERATIONS; i++)
        kept->first_ms[i] = kept->last_ms[i] = 1;
}

static void simulate_kept(const char *mode, struct kept_pool *kept)
{
    struct taskpool_problem problem = {.n_tasks = N_TASKS,
                                       .tasks_keep_data = kept->tasks_keep_data};
    struct taskpool_machine machine = {
        .n_workers = N_WORKERS, .latency_s = 1e-6, .time = kept_time, .context = kept};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.seeding = TASKPOOL_SEEDING_BLOCK;
    settings.keep_history = true;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (kept->iteration = 0; kept->iteration < N_ITERATIONS; kept->iteration++) {
        int i = kept->iteration;
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        kept->figures[i] = *taskpool_statistics(pool, i);
        const struct taskpool_history *history = taskpool_history(pool);
        for (int64_t j = 0; j < history->n_entries; j++)
            kept->worker[i][history->entries[j].task] = history->entries[j].worker;
    }
    taskpool_destroy(pool);
}

/* Whether the tasks of an iteration ran where they did in the one before. */
static bool stayed(const struct kept_pool *kept, int iteration)
{
    return memcmp(kept->worker[iteration], kept->worker[iteration - 1], sizeof kept->worker[0]) ==
           0;
}

static struct kept_pool kept;

TEST(only_the_first_iteration_steals)
{
    for (int m = 0; m < 3; m++) {
        init_kept(&kept);
        for (int i = 0; i < N_ITERATIONS; i++)
            kept.first_ms[i] = 4;
        simulate_kept(modes[m], &kept);
        assert_true(kept.figures[0].steals_successful.mean > 0);
        for (int i = 1; i < N_ITERATIONS; i++)
            assert_true(kept.figures[i].steals_attempted.mean == 0);
        assert_true(stayed(&kept, 1));
    }
}

/* The last task of a worker, which nobody can steal, makes the first iteration alone uneven. */
TEST(durations_of_the_first_iteration_do_not_count)
{
    for (int m = 0; m < 3; m++) {
        init_kept(&kept);
        kept.last_ms[0] = 50;
        simulate_kept(modes[m], &kept);
        assert_true(kept.figures[0].imbalance > 1);
        for (int i = 1; i < N_ITERATIONS; i++)
            assert_true(stayed(&kept, i));
    }
    init_kept(&kept);
    kept.tasks_keep_data = false;
    kept.last_ms[0] = 50;
    simulate_kept("auto", &kept);
    assert_false(stayed(&kept, 1));
}

TEST(tasks_move_above_a_tenth)
{
    enum { SMALL = 2, LARGE = 4 };
    for (int m = 0; m < 3; m++) {
        init_kept(&kept);
        for (int i = SMALL; i < N_ITERATIONS; i++)
            kept.first_ms[i] = kept.last_ms[i] = i < LARGE ? 1.08 : 1.4;
        simulate_kept(modes[m], &kept);
        for (int i = 1; i <= LARGE; i++)
            assert_true(stayed(&kept, i));
        assert_true(kept.figures[LARGE].imbalance > 0.3);
        for (int i = LARGE + 1; i < N_ITERATIONS; i++) {
            assert_int_equal(stayed(&kept, i), i > LARGE + 1);
            assert_true(kept.figures[i].imbalance <= 0.1);
        }
    }
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
