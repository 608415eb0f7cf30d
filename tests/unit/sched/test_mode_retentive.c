/* Mode retentive keeps the order of the tasks, by hand, and the workers that ran them, in
 * simulation. */
#include "sched/drivers/sim/machine.h"
#include "tests/cases/stealing_case.h"

/* Runs all that two workers have between them, without a message; the tasks of
 * each in the order of running. */
static void run_out_in_order(int64_t order[2][128], int64_t n_tasks[2])
{
    struct task_range range;
    for (int worker = 0; worker < 2; worker++)
        while (task_deque_n_tasks(&workers[worker].stealing->deque) > 0) {
            assert_int_equal(next(worker, 3, &range), MODE_RUN);
            for (int64_t task = range.first; task < range.last; task += range.step)
                order[worker][n_tasks[worker]++] = task;
        }
    assert_int_equal(n_messages, 0);
}

static void test_retentive_runs_the_same_in_the_same_order(void **state)
{
    (void)state;
    static int64_t order[4][2][128];
    int64_t n_tasks[4][2] = {{0}};
    struct task_range range;
    hire(2, "--sched=retentive");
    load(0, 120, 40);
    next(0, 1, &range);
    order[0][0][n_tasks[0][0]++] = range.first;
    assert_true(steal() > 0);
    assert_true(steal() > 0);
    run_out_in_order(order[0], n_tasks[0]);
    assert_int_equal(n_tasks[0][0] + n_tasks[0][1], 120);
    for (int i = 1; i < 4; i++) {
        for (int worker = 0; worker < 2; worker++)
            assert_int_equal(mode->restore(workers[worker].stealing), MODE_DONE);
        run_out_in_order(order[i], n_tasks[i]);
        assert_memory_equal(n_tasks[i], n_tasks[0], sizeof n_tasks[0]);
        assert_memory_equal(order[i], order[0], sizeof order[0]);
    }
    dismiss(2);
}

/* A task runs where it ran in the last iteration, but for those that were stolen
 * since; and there are fewer and fewer. Without a reason to steal there are none. */
static void test_retentive_starts_where_the_tasks_ran(void **state)
{
    (void)state;
    static struct run run;
    static int before[MAX_TASKS];
    const int n_workers[] = {16, 64};
    for (int i = 0; i < 2; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .time = uneven};
        run = (struct run){.n_workers = n_workers[i], .n_tasks = 300 * n_workers[i]};
        struct taskpool *pool = simulate(&run, "--sched=retentive", &machine);
        double first = 0;
        for (int iteration = 0; iteration < 5; iteration++) {
            memcpy(before, run.worker, sizeof before);
            iterate(&run, pool, iteration);
            int64_t n_changed = 0;
            for (int64_t task = 0; task < run.n_tasks; task++)
                n_changed += run.worker[task] != before[task];
            if (iteration == 0)
                first = run.figures.steals_successful.mean;
            else
                assert_true(n_changed <= run.figures.tasks_moved);
        }
        assert_true(run.figures.steals_successful.mean < 0.1 * first);
        taskpool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retentive_runs_the_same_in_the_same_order),
        cmocka_unit_test(test_retentive_starts_where_the_tasks_ran),
    };
    MPI_Init(NULL, NULL);
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return n_failed;
}
