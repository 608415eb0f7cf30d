/* Mode diffusion, simulated: tasks leave the workers above the average, no worker is lifted far
 * above it, and where nothing can be moved, or nothing need be, nothing is. */
#include "sched/drivers/sim/machine.h"
#include "sched/taskpool.h"
#include "tests/check.h"

enum { N_WORKERS = 256, N_ITERATIONS = 4 };

static double rising(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return 1e-4 * (1 + 10.0 * (double)task / (100 * N_WORKERS));
}

static double equal(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 1.0 / 1024; /* sums are exact */
}

static double one_giant(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task == 0 ? 1 : 1e-6;
}

/* Statistics of each iteration. */
static void simulate(int64_t n_tasks, double (*time)(int64_t, const void *, const void *),
                     struct statistics_iteration *iterations)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool_machine machine = {.n_workers = N_WORKERS, .latency_s = 1e-6, .time = time};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "diffusion";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < N_ITERATIONS; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        iterations[i] = *taskpool_statistics(pool, i);
    }
    taskpool_destroy(pool);
}

static void test_loads_become_even(void **state)
{
    (void)state;
    struct statistics_iteration iterations[N_ITERATIONS];
    simulate(100 * N_WORKERS, rising, iterations);
    assert_true(iterations[0].imbalance > 0.8);
    assert_int_equal(iterations[0].tasks_moved, 0);
    assert_true(iterations[1].imbalance < 0.2);
    assert_true(iterations[3].imbalance < 0.051); /* --gossip-threshold */
    assert_true(iterations[1].tasks_moved > iterations[3].tasks_moved);
}

static void test_even_loads_stay(void **state)
{
    (void)state;
    struct statistics_iteration iterations[N_ITERATIONS];
    simulate(10 * N_WORKERS, equal, iterations);
    for (int i = 0; i < N_ITERATIONS; i++)
        assert_int_equal(iterations[i].tasks_moved, 0);
}

static void test_a_task_longer_than_the_average_stays(void **state)
{
    (void)state;
    struct statistics_iteration iterations[N_ITERATIONS];
    simulate(N_WORKERS, one_giant, iterations);
    for (int i = 0; i < N_ITERATIONS; i++)
        check_close(iterations[i].makespan_s, 1, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_become_even),
        cmocka_unit_test(test_even_loads_stay),
        cmocka_unit_test(test_a_task_longer_than_the_average_stays),
    };
    MPI_Init(NULL, NULL);
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return n_failed;
}
