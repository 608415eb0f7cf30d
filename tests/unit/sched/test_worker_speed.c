/* SPDX-License-Identifier: BSD-3-Clause */
/* Speeds that modes learn, simulated: where one worker in eight has half the speed of the others and no
 * mode is told, loads come out as the true speeds say, with and without predicted costs; workers that
 * are alike keep their tasks; and interruptions, which are no speeds, cost no more than without
 * balancing. */
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <math.h>

enum { N_WORKERS = 64, EACH = 24, N_TASKS = N_WORKERS * EACH, N_ITERATIONS = 16 };

static double times_s[N_TASKS];
static double
    variation; /* standard deviation of the logarithm of a task's time, from iteration to iteration */
static int iteration;

static double time_of(int64_t task, const void *record, const void *context)
{
    struct random_stream random;
    (void)record, (void)context;
    random_stream_init(&random, (uint64_t)task, (uint64_t)iteration);
    double normal = sqrt(-2 * log(1 - random_unit(&random))) * cos(2 * M_PI * random_unit(&random));
    return times_s[task] * exp(variation * normal);
}

/* In a unit of its own, and wrong by up to a tenth. */
static double cost_of(int64_t task, void *context)
{
    (void)context;
    return 7000 * times_s[task] * (1 + (double)(task % 11) / 110);
}

/* From 1 to 10 ms, in no order. */
static void draw_times(uint64_t seed)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    for (int task = 0; task < N_TASKS; task++)
        times_s[task] = 1e-3 * (1 + 9 * random_unit(&random));
}

struct outcome {
    double makespan_s[N_ITERATIONS];
    int32_t worker[N_ITERATIONS][N_TASKS];
};

static struct outcome outcome;

static void simulate(const char *mode, bool has_costs, const double *speeds,
                     const struct taskpool_noise *noise)
{
    struct taskpool_problem problem = {.n_tasks = N_TASKS, .cost = has_costs ? cost_of : NULL};
    struct taskpool_machine machine = {.n_workers = N_WORKERS,
                                       .node_size = 16,
                                       .latency_s = 1e-6,
                                       .speeds = speeds,
                                       .noise = noise,
                                       .time = time_of};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.keep_history = true;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < N_ITERATIONS; i++) {
        iteration = i;
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        outcome.makespan_s[i] = taskpool_statistics(pool, i)->makespan_s;
        const struct taskpool_history *history = taskpool_history(pool);
        for (int64_t j = 0; j < history->n_entries; j++)
            outcome.worker[i][history->entries[j].task] = history->entries[j].worker;
    }
    taskpool_destroy(pool);
}

/* The largest load of the last iteration over the least possible. */
static double last_excess(const double *speeds)
{
    double load_s[N_WORKERS] = {0}, work = 0, speed = 0, largest_s = 0;
    for (int task = 0; task < N_TASKS; task++) {
        int worker = outcome.worker[N_ITERATIONS - 1][task];
        load_s[worker] += times_s[task] / speeds[worker];
        work += times_s[task];
    }
    for (int worker = 0; worker < N_WORKERS; worker++) {
        speed += speeds[worker];
        largest_s = fmax(largest_s, load_s[worker]);
    }
    return largest_s * speed / work - 1;
}

TEST(loads_come_out_as_the_true_speeds_say)
{
    double speeds[N_WORKERS];
    for (int worker = 0; worker < N_WORKERS; worker++)
        speeds[worker] = worker % 8 == 5 ? 0.5 : 1;
    for (int variant = 0; variant < 12; variant++) {
        draw_times((uint64_t)variant / 4);
        simulate(variant % 2 ? "auto" : "persist", variant / 2 % 2, speeds, NULL);
        assert_true(last_excess(speeds) < 0.05);
    }
}

TEST(workers_that_are_alike_keep_their_tasks)
{
    for (int has_costs = 0; has_costs < 2; has_costs++) {
        draw_times(7);
        simulate("persist", has_costs, NULL, NULL);
        for (int i = 4; i < N_ITERATIONS; i++)
            assert_memory_equal(outcome.worker[i], outcome.worker[3], sizeof outcome.worker[3]);
    }
}

static double late_s(const char *mode, bool has_costs, const struct taskpool_noise *noise)
{
    double sum_s = 0;
    simulate(mode, has_costs, NULL, noise);
    for (int i = 2; i < N_ITERATIONS; i++)
        sum_s += outcome.makespan_s[i];
    return sum_s;
}

TEST(interruptions_are_no_speeds)
{
    const double periods_s[] = {0.05, 1};
    for (int variant = 0; variant < 4; variant++) {
        double period_s = periods_s[variant % 2];
        struct taskpool_noise noise;
        check_ok(taskpool_noise_init_periodic(&noise, period_s, period_s / 10));
        draw_times(3);
        double static_s = late_s("static", variant / 2, &noise);
        assert_true(late_s("persist", variant / 2, &noise) < 1.04 * static_s);
        assert_true(late_s("auto", variant / 2, &noise) < 1.06 * static_s);
        taskpool_noise_fini(&noise);
    }
}

/* Balancing by the last durations makes more of what varies, but no worker looks slow by it. */
TEST(tasks_that_vary_are_no_speeds)
{
    variation = 0.6;
    draw_times(4);
    double static_s = late_s("static", false, NULL);
    assert_true(late_s("persist", false, NULL) < 1.4 * static_s);
    assert_true(late_s("auto", false, NULL) < static_s);
    variation = 0;
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
