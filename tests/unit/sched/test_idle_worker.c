/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers that count as too slow for a task are tried again, the less often the longer they prove slow. */
#include "sched/pool/balancing/idle_worker.h"
#include "tests/check.h"

/* Iterations until a worker without tasks is tried, with a usual load of one second. */
static int wait_for_trial(struct idle_worker *idle, double logarithm, double task_s)
{
    for (int i = 1; i < 1000; i++)
        if (idle_worker_reconsider(idle, 0, 0, logarithm, task_s) > 0)
            return i;
    return 0;
}

static void test_idle_workers_are_tried_less_often_while_slow(void **state)
{
    (void)state;
    struct idle_worker idle = {.usual_s = 1, .patience = 1};
    double slow = -log(50); /* three tasks take 1.5 s */
    assert_int_equal(wait_for_trial(&idle, slow, 0.01), 2);
    check_close(idle_worker_reconsider(&idle, 0, 0, slow, 0.01), IDLE_STEP, 1e-12); /* go on */
    check_close(idle_worker_reconsider(&idle, 0, 0, -0.25, 0.01), 0.25, 1e-12);
    assert_true(idle_worker_reconsider(&idle, 0, 0, 0, 0.01) == 0); /* at full speed: no task yet */
    assert_true(idle_worker_reconsider(&idle, 2, -3, 0, 0.01) == 0);
    check_close(idle.patience, 2, 0);
    assert_int_equal(wait_for_trial(&idle, slow, 0.01), 3);
    idle_worker_reconsider(&idle, 2, 0.1, slow, 0.01);
    check_close(idle.patience, 1, 0);
    idle.load_s = 0.5; /* has tasks */
    assert_int_equal(wait_for_trial(&idle, slow, 0.01), 0);
}

/* Nothing is noted where nothing can be tried, so that patience stays as it is. */
static void test_no_trial_is_noted_without_a_step(void **state)
{
    (void)state;
    static const struct {
        double usual_s, logarithm, task_s;
    } cases[] = {{0, -4, 0.01}, {1, 0, 0.01}, {1, 0.5, 0.01}, {1, -4, 0}};
    for (int i = 0; i < 4; i++) {
        struct idle_worker idle = {.usual_s = cases[i].usual_s, .patience = 1};
        assert_int_equal(wait_for_trial(&idle, cases[i].logarithm, cases[i].task_s), 0);
        idle_worker_reconsider(&idle, 2, -1, cases[i].logarithm, cases[i].task_s);
        check_close(idle.patience, 1, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_workers_are_tried_less_often_while_slow),
        cmocka_unit_test(test_no_trial_is_noted_without_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
