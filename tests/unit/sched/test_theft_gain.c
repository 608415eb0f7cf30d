/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether thefts make an iteration shorter, by what workers make up for. */
#include "sched/pool/protocols/theft_gain.h"
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "tests/cases/late_iterations.h"
#include "tests/check.h"

#include <math.h>

/* Tasks of 20 ms on a worker that is interrupted for 15 ms in each period of 50 ms, the first time after
 * free_s of work; with errors, some deviation in addition. */
static void add_interrupted_tasks(struct theft_gain *gain, int n, double free_s, double error)
{
    double done_s = 0;
    for (int i = 0; i < n; i++) {
        double before = done_s < free_s ? 0 : floor((done_s - free_s) / 0.035) + 1;
        done_s += 0.02;
        double after = done_s < free_s ? 0 : floor((done_s - free_s) / 0.035) + 1;
        theft_gain_add(gain, 0.02 + error + 0.015 * (after - before), 1, 1, true);
    }
}

static void test_interruptions_are_made_up_for(void **state)
{
    (void)state;
    struct lag_sums all = {0};
    struct theft_gain robbed = {0};
    for (int worker = 0; worker < 35; worker++) {
        struct theft_gain gain = {0};
        add_interrupted_tasks(&gain, 3, 0.0005 + 0.001 * worker, 1e-4 * (worker % 3));
        lag_sums_merge(&all, &gain.sums);
    }
    double slope = lag_sums_fit(&all).slope;
    assert_true(-0.9 < slope && slope < -0.5);
    for (int i = 0; i < 3; i++)
        theft_gain_note_begun(&robbed, 1);
    add_interrupted_tasks(&robbed, 2, 0.0005, 0); /* both tasks */
    double alone_s = theft_gain_alone(&robbed, &all, 1);
    assert_true(alone_s < robbed.own_s + 0.021); /* another would take 0.0286 s on average */
    assert_true(alone_s > robbed.own_s + 0.0199);
    theft_gain_add(&robbed, 0.5, 1, 1, false); /* a stolen one */
    check_close(theft_gain_alone(&robbed, &all, 1), alone_s, 1e-12);
    struct theft_gain slow = {0};
    for (int i = 0; i < 3; i++)
        theft_gain_note_begun(&slow, 1);
    theft_gain_add(&slow, 0.1, 1, 1, true);
    check_close(theft_gain_alone(&slow, &all, 1), 0.3, 1e-12); /* it does not become faster */
}

/* Lags of independent noise, and of workers of other speeds, are not made up for. */
static void test_other_lags_stay(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct lag_sums all = {0};
        struct random_stream random;
        random_stream_init(&random, 3, (uint64_t)kind);
        for (int worker = 0; worker < 32; worker++) {
            struct theft_gain gain = {0};
            for (int i = 0; i < 4; i++) {
                double noise = random_unit(&random);
                theft_gain_add(&gain, (kind > 0 && worker % 4 == 0 ? 2 : 1) * (1 + noise), 1, 1,
                               true);
            }
            lag_sums_merge(&all, &gain.sums);
        }
        assert_true(lag_sums_fit(&all).slope == 0);
        struct theft_gain gain = {0};
        assert_true(theft_gain_alone(&gain, &all, 1) == 0);
    }
}

/* Long tasks that run first are no lags where costs say so. */
static void test_costs_are_expected(void **state)
{
    (void)state;
    struct lag_sums all = {0}, without = {0};
    for (int worker = 0; worker < 32; worker++) {
        struct theft_gain gain = {0}, blind = {0};
        double long_s = 2 + 0.1 * (worker % 16);
        for (int i = 0; i < 2; i++) {
            double time_s = i == 0 ? long_s : 5 - long_s;
            theft_gain_add(&gain, time_s, 1, time_s, true);
            theft_gain_add(&blind, time_s, 1, 1, true);
        }
        lag_sums_merge(&all, &gain.sums);
        lag_sums_merge(&without, &blind.sums);
    }
    assert_true(lag_sums_fit(&all).slope == 0);
    assert_true(lag_sums_fit(&without).slope < -0.9);
}

static void test_many_tasks_are_not_judged(void **state)
{
    (void)state;
    struct lag_sums all = {0};
    struct theft_gain gain = {0};
    for (int i = 0; theft_gain_notes(&gain); i++)
        theft_gain_add(&gain, i % 2 ? 1 : 3, 1, 1, true);
    assert_true(gain.sums.n_tasks == LAG_MOST_TASKS);
    lag_sums_merge(&all, &gain.sums);
    assert_true(lag_sums_fit(&all).slope == 0);
}

/* Nor a few of many that thieves left to a worker. */
static void test_few_of_many_tasks_are_not_judged(void **state)
{
    (void)state;
    struct lag_sums others = {0};
    struct theft_gain robbed = {0};
    for (int worker = 0; worker < 35; worker++) {
        struct theft_gain gain = {0};
        add_interrupted_tasks(&gain, 3, 0.0005 + 0.001 * worker, 0);
        lag_sums_merge(&others, &gain.sums);
    }
    assert_true(lag_sums_fit(&others).slope < 0);
    for (int i = 0; i < LAG_MOST_TASKS; i++)
        theft_gain_note_begun(&robbed, 1);
    lag_sums_merge(&others, &robbed.sums);
    assert_true(lag_sums_fit(&others).slope == 0);
}

static void test_thefts_are_given_up_while_that_takes_less(void **state)
{
    (void)state;
    struct theft_forecast forecast = {0};
    theft_forecast_update(&forecast, true, 1.2, 0, 1); /* not known */
    assert_false(theft_forecast_harms(&forecast, 1, 1));
    theft_forecast_update(&forecast, true, 1.2, 1.195, 1);
    assert_false(theft_forecast_harms(&forecast, 1, 1));
    theft_forecast_update(&forecast, true, 1.2, 1.1, 1);
    assert_true(theft_forecast_harms(&forecast, 1, 1));
    assert_true(theft_forecast_harms(&forecast, 2, 2));
    assert_false(theft_forecast_harms(&forecast, 1.25, 1)); /* uneven */
    theft_forecast_update(&forecast, false, 2.3, 2.3, 2);
    assert_true(theft_forecast_harms(&forecast, 1, 1));
    for (int64_t n_failed = 1; n_failed < 5; n_failed++) {
        theft_forecast_update(&forecast, false, 1.3, 1.3, 1);
        assert_false(theft_forecast_harms(&forecast, 1, 1));
        for (int64_t i = 1; i < (INT64_C(1) << n_failed) - 1; i++) {
            theft_forecast_update(&forecast, true, 1.2, 1.1, 1);
            assert_false(theft_forecast_harms(&forecast, 1, 1));
        }
        theft_forecast_update(&forecast, true, 1.2, 1.1, 1);
        assert_true(theft_forecast_harms(&forecast, 1, 1));
    }
}

/* --- modes --- */

static double uneven_time(int64_t task, const void *record, const void *context)
{
    struct random_stream random;
    (void)record;
    random_stream_init(&random, *(const uint64_t *)context, (uint64_t)task);
    return 0.02 + 0.003 * (random_unit(&random) + random_unit(&random) - 1);
}

/* The mean makespan from the third iteration on, of several seeds. */
static double simulate_interrupted(const char *mode, bool interrupted)
{
    enum { N_SEEDS = 12, N_ITERATIONS = 6 };
    double sum_s = 0;
    struct taskpool_noise noise;
    check_ok(taskpool_noise_init_periodic(&noise, 0.05, 0.015));
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct taskpool_machine machine = {.n_workers = 32,
                                           .latency_s = 1e-5,
                                           .time = uneven_time,
                                           .noise = interrupted ? &noise : NULL,
                                           .context = &seed};
        sum_s += late_seconds(mode, 96, seed, &machine, N_ITERATIONS);
    }
    taskpool_noise_fini(&noise);
    return sum_s / (N_SEEDS * (N_ITERATIONS - 2));
}

/* Where each worker has its interruptions sooner or later, no thief gains anything. */
static void test_auto_goes_without_thefts_under_interruptions(void **state)
{
    (void)state;
    assert_true(simulate_interrupted("steal", true) > 1.05 * simulate_interrupted("static", true));
    assert_true(simulate_interrupted("auto", true) < 1.05 * simulate_interrupted("static", true));
    assert_true(simulate_interrupted("auto", false) < simulate_interrupted("static", false));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interruptions_are_made_up_for),
        cmocka_unit_test(test_other_lags_stay),
        cmocka_unit_test(test_costs_are_expected),
        cmocka_unit_test(test_many_tasks_are_not_judged),
        cmocka_unit_test(test_few_of_many_tasks_are_not_judged),
        cmocka_unit_test(test_thefts_are_given_up_while_that_takes_less),
        cmocka_unit_test(test_auto_goes_without_thefts_under_interruptions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
