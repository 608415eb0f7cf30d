/* SPDX-License-Identifier: BSD-3-Clause */
/* Each parameter of a simulated machine has the effect on a run that is worked out by hand. */
#include "sched/pool/modes/mode_options.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <math.h>

static double one_second(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1;
}

static double nothing(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 0;
}

static double one_microsecond(int64_t task, const void *record, const void *context)
{
    return 1e-6 * one_second(task, record, context);
}

/* The figures of one iteration; each second of each thread is accounted for. */
static struct taskpool_iteration run(const char *mode, int64_t n_tasks,
                                     const struct taskpool_machine *machine, int progress)
{
    struct taskpool_settings settings;
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.progress = progress;
    check_ok(taskpool_simulate(&problem, &settings, machine, &pool));
    check_ok(taskpool_run(pool));
    struct taskpool_iteration figures = *taskpool_statistics(pool, 0);
    taskpool_destroy(pool);
    assert_int_equal(figures.tasks, n_tasks);
    double accounted_s = figures.task_s + figures.search_s + figures.idle_s + figures.scheduler_s +
                         figures.communication_s;
    check_close(accounted_s, (double)figures.n_workers * figures.makespan_s,
                1e-9 * (1 + accounted_s));
    return figures;
}

TEST(threads_share_a_workers_tasks)
{
    struct taskpool_machine machine = {.n_workers = 2, .n_threads = 4, .time = one_second};
    struct taskpool_iteration figures = run("static", 16, &machine, TASKPOOL_PROGRESS_POLL);
    assert_int_equal(figures.n_workers, 8);
    check_close(figures.makespan_s, 2, 1e-12);
    check_close(figures.efficiency, 1, 1e-12);
    check_close(run("dtree", 160, &machine, TASKPOOL_PROGRESS_THREAD).makespan_s, 20, 1e-9);
}

TEST(a_counter_serves_one_after_another)
{
    struct taskpool_machine machine = {.n_workers = 10, .counter_s = 1e-3, .time = nothing};
    struct taskpool_iteration figures = run("counter", 100, &machine, TASKPOOL_PROGRESS_POLL);
    /* 100 tasks, and one more request of each other worker before the last answer. */
    check_close(figures.makespan_s, 0.109, 1e-9);
}

TEST(messages_within_a_node_are_faster)
{
    struct taskpool_machine machine = {.n_workers = 2,
                                       .node_size = 1,
                                       .latency_s = 1e-2,
                                       .has_levels = true,
                                       .node_latency_s = 1e-3,
                                       .time = nothing};
    /* The counter is on the first worker; the second has sent a request and got its answer. */
    check_close(run("counter", 1, &machine, TASKPOOL_PROGRESS_POLL).makespan_s, 2e-2, 1e-9);
    machine.node_size = 2;
    check_close(run("counter", 1, &machine, TASKPOOL_PROGRESS_POLL).makespan_s, 2e-3, 1e-9);
    machine.has_levels = false;
    check_close(run("counter", 1, &machine, TASKPOOL_PROGRESS_POLL).makespan_s, 2e-2, 1e-9);
}

TEST(bandwidth_delays_long_messages)
{
    struct taskpool_machine machine = {.n_workers = 2, .bandwidth = 8, .time = nothing};
    /* A request and its answer have eight bytes each. */
    check_close(run("counter", 1, &machine, TASKPOOL_PROGRESS_POLL).makespan_s, 2, 1e-9);
}

TEST(noise_delays_tasks)
{
    struct taskpool_noise noise;
    check_ok(taskpool_noise_init_periodic(&noise, 0.1, 0.02));
    struct taskpool_machine machine = {.n_workers = 3, .noise = &noise, .time = one_second};
    struct taskpool_iteration figures = run("static", 30, &machine, TASKPOOL_PROGRESS_POLL);
    /* Ten seconds in the eight tenths of the time that are left, but for the phase. */
    assert_in_range((int)(1000 * figures.makespan_s), 12480, 12520);
    taskpool_noise_fini(&noise);
}

TEST(a_task_costs_its_worker_time)
{
    struct taskpool_machine machine = {.n_workers = 2, .task_s = 0.5, .time = one_second};
    struct taskpool_iteration figures = run("static", 8, &machine, TASKPOOL_PROGRESS_POLL);
    check_close(figures.makespan_s, 6, 1e-12);
    check_close(figures.task_s, 8, 1e-12);
    check_close(figures.scheduler_s, 4, 1e-12);
}

/* After the first task, and then after every eighth of so short ones. */
TEST(a_poll_costs_its_worker_time)
{
    struct taskpool_machine machine = {
        .n_workers = 2, .node_size = 1, .poll_s = 1e-3, .time = one_microsecond};
    struct taskpool_iteration figures = run("static", 200, &machine, TASKPOOL_PROGRESS_POLL);
    check_close(figures.makespan_s, 100e-6 + 13e-3, 1e-12);
    check_close(figures.communication_s, 2 * 13e-3, 1e-12);
    /* Nobody polls on behalf of a thread that receives, nor where no message can come. */
    check_close(run("static", 200, &machine, TASKPOOL_PROGRESS_THREAD).makespan_s, 100e-6, 1e-12);
    machine.node_size = 2;
    check_close(run("static", 200, &machine, TASKPOOL_PROGRESS_POLL).makespan_s, 100e-6, 1e-12);
    assert_true(run("steal", 200, &machine, TASKPOOL_PROGRESS_POLL).makespan_s > 5e-3);
}

static double ten_milliseconds(int64_t task, const void *record, const void *context)
{
    return 0.01 * one_second(task, record, context);
}

/* The workers of a node send steal requests while no worker has tasks to give: with a server
 * the messages of a node are handled one at a time. */
TEST(a_server_answers_one_after_another)
{
    struct taskpool_machine machine = {.n_workers = 64,
                                       .node_size = 16,
                                       .latency_s = 1e-6,
                                       .overhead_s = 1e-4,
                                       .time = ten_milliseconds};
    struct taskpool_iteration own = run("steal", 1, &machine, TASKPOOL_PROGRESS_THREAD);
    machine.node_server = true;
    struct taskpool_iteration shared = run("steal", 1, &machine, TASKPOOL_PROGRESS_THREAD);
    /* Sixteen workers share what each had for itself. */
    double own_rate = own.steals_attempted.mean / own.makespan_s;
    double shared_rate = shared.steals_attempted.mean / shared.makespan_s;
    assert_true(shared_rate < own_rate / 5);
}

static bool all_but_each_hundredth(int64_t first, int64_t last, const void *context)
{
    (void)context;
    return first / 100 == (last - 1) / 100 && first % 100 != 0;
}

static double hundredths(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task % 100 == 0 ? 0.01 : 1e-7;
}

TEST(null_tasks_take_their_time)
{
    struct taskpool_machine machine = {
        .n_workers = 1, .time = hundredths, .are_null = all_but_each_hundredth};
    struct taskpool_iteration figures = run("steal", 100000, &machine, TASKPOOL_PROGRESS_THREAD);
    check_close(figures.makespan_s, 1000 * 0.01 + 99000 * 1e-7, 1e-9);
    /* Shared among many they end soon after the ideal. */
    machine.n_workers = 50;
    machine.latency_s = 1e-6;
    figures = run("steal", 100000, &machine, TASKPOOL_PROGRESS_THREAD);
    assert_true(figures.efficiency > 0.9);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
