/* SPDX-License-Identifier: BSD-3-Clause */
/* Neither iterations nor pools leave anything behind, however many there are, and the last
 * costs what the first did. With an argument their numbers are multiplied by it:
 *
 *     mpirun -np 2 test_load_pools        as in CI
 *     mpirun -np 2 test_load_pools 100    100,000 iterations and 10,000 pools of each mode */
#include "sched/pool/modes/modes.h"
#include "taskpool/taskpool.h"
#include "tests/load/load_case.h"

#include <stdlib.h>

enum { N_ITERATIONS = 1000, N_POOLS = 100 };

static int64_t factor = 1;

static int run_nothing(int64_t task, void *context)
{
    (void)task, (void)context;
    return STATUS_OK;
}

/* watchdog_s  with a watchdog that has nothing to bark at; 0: none */
static struct taskpool *create_pool(const char *mode, int64_t n_tasks, double watchdog_s)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .run = run_nothing};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.watchdog_s = watchdog_s;
    settings.keep_iterations = 3;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    return pool;
}

static void iterate(void *context)
{
    struct taskpool *pool = context;
    check_ok(taskpool_run(pool));
    check_ok(taskpool_restore(pool));
}

static void check_iterations(const char *mode, int64_t n_tasks, double watchdog_s)
{
    char what[64];
    snprintf(what, sizeof what, "iterations, %s, %lld tasks", mode, (long long)n_tasks);
    struct taskpool *pool = create_pool(mode, n_tasks, watchdog_s);
    load_check(what, iterate, pool, N_ITERATIONS * factor);
    int64_t last = taskpool_n_iterations(pool) - 1;
    for (int64_t i = last - 2; i <= last; i++) {
        assert_int_equal(taskpool_statistics(pool, i)->iteration, i);
        assert_int_equal(taskpool_statistics(pool, i)->tasks, n_tasks);
    }
    taskpool_destroy(pool);
}

TEST(iterations_leave_nothing)
{
    for (int i = 0; i < mode_count(); i++)
        check_iterations(mode_at(i)->name, 0, 0);
    check_iterations("auto", 50, 0);
    check_iterations("counter", 50, 0);
    check_iterations("steal", 0, 1000);
}

struct pool_kind {
    const char *mode;
    double watchdog_s;
};

static void create_and_destroy(void *context)
{
    const struct pool_kind *kind = context;
    struct taskpool *pool = create_pool(kind->mode, 20, kind->watchdog_s);
    check_ok(taskpool_run(pool));
    taskpool_destroy(pool);
}

TEST(pools_leave_nothing)
{
    for (int i = 0; i <= mode_count(); i++) {
        bool last = i == mode_count();
        struct pool_kind kind = {last ? "steal" : mode_at(i)->name, last ? 1000 : 0};
        char what[64];
        snprintf(what, sizeof what, "pools, %s%s", kind.mode, last ? ", watchdog" : "");
        load_check(what, create_and_destroy, &kind, N_POOLS * factor);
    }
}

int main(int argc, char **argv)
{
    factor = argc > 1 ? atoll(argv[1]) : 1;
    return check_run(argc, argv);
}
