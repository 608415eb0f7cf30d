/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasklets of mode hybrid hold every task, are taken once each by members that take them at the
 * same time, and run where locality, skew and groups place them, in simulation. */
#include "sched/pool/queues/tasklets.h"
#include "sched/pool/shared/node_queue.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/cases/node_memory_case.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { N_WORKERS = 12, N_TASKS = 12 * 200, N_OWN = 200 };

/* --- tasklets --- */

static int64_t size_of(int64_t n_tasks, int64_t n, bool skew, int64_t i)
{
    return tasklets_border(n_tasks, n, skew, i + 1) - tasklets_border(n_tasks, n, skew, i);
}

TEST(tasklets_hold_every_task)
{
    const int64_t n_tasks[] = {1, 2, 7, 64, 1000, TASKPOOL_MAX_TASKS};
    for (int skew = 0; skew < 2; skew++)
        for (size_t t = 0; t < sizeof n_tasks / sizeof n_tasks[0]; t++)
            for (int64_t wanted = 1; wanted <= 70; wanted++) {
                int64_t n = tasklets_count(n_tasks[t], wanted), sum = 0;
                assert_int_equal(n, wanted < n_tasks[t] ? wanted : n_tasks[t]);
                for (int64_t i = 0; i < n; i++) {
                    int64_t size = size_of(n_tasks[t], n, skew, i);
                    assert_true(size >= 1);
                    sum += size;
                }
                assert_int_equal(sum, n_tasks[t]);
            }
}

/* Sizes of m tasks in k tasklets fall in equal steps from 2 m / k - 1 to 1. */
TEST(skewed_sizes)
{
    for (int64_t i = 0; i < 64; i++)
        check_close((double)size_of(6400, 64, true, i), 199 - 198 * (double)i / 63, 1.01);
    assert_int_equal(size_of(6400, 64, true, 63), 1);
}

/* --- the queue --- */

enum { N_MEMBERS = 4, N_QUEUED = 97, MAX_TASK = 2 * N_QUEUED };

/* A group of all workers of a node but the first two. */
struct group {
    struct node_case node;
    struct node_queue queues[N_MEMBERS];
    atomic_int n_taken[MAX_TASK]; /* of each task */
    pthread_barrier_t barrier;
};

/* Members with these numbers of tasks, in ranges of up to three with gaps of one between them. */
static struct group *make_group(const struct node_queue_rules *rules, const int64_t *n_tasks)
{
    struct group *group = calloc(1, sizeof *group);
    struct task_ranges ranges[N_MEMBERS] = {0};
    int64_t task = 0, n_words[NODE_CASE_WORKERS] = {1, 1};
    for (int m = 0; m < N_MEMBERS; m++) {
        for (int64_t i = 0; i < n_tasks[m]; i += 3) {
            int64_t n = n_tasks[m] - i < 3 ? n_tasks[m] - i : 3;
            struct taskpool_range range = {task, task + n, 1};
            check_ok(task_ranges_add_range(&ranges[m], range));
            task += n + 1;
        }
        n_words[2 + m] = node_queue_n_words(rules, n_tasks[m], ranges[m].n);
    }
    node_case_init(&group->node, n_words);
    for (int m = 0; m < N_MEMBERS; m++) {
        check_ok(node_queue_init(&group->queues[m], &group->node.comms[2 + m], rules, 2, N_MEMBERS,
                                 &ranges[m]));
        task_ranges_fini(&ranges[m]);
    }
    return group;
}

static void destroy_group(struct group *group)
{
    for (int m = 0; m < N_MEMBERS; m++)
        node_queue_fini(&group->queues[m]);
    free(group);
}

/* The number of tasks; the first one, and those moved. */
static int64_t take(struct group *group, int member, int64_t *task, int64_t *n_moved)
{
    struct task_ranges tasks = {0};
    int64_t n = 0;
    check_ok(node_queue_take(&group->queues[member], &tasks, n_moved));
    *task = tasks.n > 0 ? tasks.list[0].first : -1;
    for (int64_t i = 0; i < tasks.n; i++)
        for (int64_t t = tasks.list[i].first; t < tasks.list[i].last; t += tasks.list[i].step, n++)
            atomic_fetch_add(&group->n_taken[t], 1);
    task_ranges_fini(&tasks);
    return n;
}

static void expect_take(struct group *group, int member, int64_t task, int64_t n_moved)
{
    int64_t found, moved;
    assert_int_equal(take(group, member, &found, &moved), task >= 0);
    assert_int_equal(found, task);
    assert_int_equal(moved, n_moved);
}

static void begin_next(struct group *group)
{
    for (int m = N_MEMBERS - 1; m >= 0; m--)
        node_queue_begin(&group->queues[m]);
}

TEST(members_prefer_what_they_ran_last)
{
    const struct node_queue_rules rules = {.tasklets = 100};
    /* Tasks 0, 1; 3, 4, 5, 7, 8, 9; none; 11, 12, 13, 15. */
    struct group *group = make_group(&rules, (const int64_t[]){2, 6, 0, 4});
    /* Its own in their order, then the last one of the longest list. */
    const int64_t first[] = {0, 1, 9, 8}, middle[] = {3, 4, 5, 7};
    for (int i = 0; i < 4; i++)
        expect_take(group, 0, first[i], i >= 2);
    for (int i = 0; i < 4; i++)
        expect_take(group, 1, middle[i], 0);
    check_close(node_queue_fraction_taken(&group->queues[2]), 8 / 12.0, 1e-12);
    expect_take(group, 2, 15, 1);
    for (int64_t task = 11; task < 14; task++)
        expect_take(group, 3, task, 0);
    for (int m = 0; m < N_MEMBERS; m++)
        expect_take(group, m, -1, 0);

    begin_next(group);
    assert_int_equal(node_queue_n_tasks(&group->queues[1]), 12);
    for (int i = 0; i < 4; i++)
        expect_take(group, 0, first[i], 0);
    expect_take(group, 2, 15, 0);
    expect_take(group, 2, 7, 1); /* of members 1 and 3 the one with more left */
    destroy_group(group);
}

TEST(a_line_is_a_plain_queue)
{
    for (int skew = 0; skew < 2; skew++) {
        const struct node_queue_rules rules = {.tasklets = 5, .line = true, .skew = skew};
        struct group *group = make_group(&rules, (const int64_t[]){30, 1, 26, 40});
        for (int iteration = 0; iteration < 2; iteration++) {
            int64_t before = N_QUEUED, next = 0, task, n_moved;
            for (int i = 0; i < 20; i++) {
                int64_t n = take(group, i % N_MEMBERS, &task, &n_moved);
                assert_true(task >= next && n >= 1 && n <= before && n_moved <= n);
                assert_true(skew || n >= N_QUEUED / 20);
                before = n;
                next += n;
            }
            assert_int_equal(next, N_QUEUED);
            expect_take(group, 1, -1, 0);
            begin_next(group);
        }
        destroy_group(group);
    }
}

struct member {
    struct group *group;
    int number;
};

enum { N_ITERATIONS = 50 };

/* Takes until nothing is left, at the same time as the others, in each iteration. */
static void *run_member(void *argument)
{
    struct member *self = argument;
    struct group *group = self->group;
    int64_t task, n_moved;
    for (int iteration = 0; iteration < N_ITERATIONS; iteration++) {
        if (iteration > 0)
            node_queue_begin(&group->queues[self->number]);
        pthread_barrier_wait(&group->barrier);
        while (take(group, self->number, &task, &n_moved) > 0) {
        }
        pthread_barrier_wait(&group->barrier);
    }
    return NULL;
}

TEST(threads_take_every_task_once)
{
    const struct node_queue_rules rules[] = {{.tasklets = 9}, {.tasklets = 9, .line = true}};
    for (int r = 0; r < 2; r++) {
        struct group *group = make_group(&rules[r], (const int64_t[]){30, 1, 26, 40});
        pthread_t threads[N_MEMBERS];
        struct member members[N_MEMBERS];
        pthread_barrier_init(&group->barrier, NULL, N_MEMBERS);
        for (int m = 0; m < N_MEMBERS; m++) {
            members[m] = (struct member){.group = group, .number = m};
            assert_int_equal(pthread_create(&threads[m], NULL, run_member, &members[m]), 0);
        }
        for (int m = 0; m < N_MEMBERS; m++)
            pthread_join(threads[m], NULL);
        int n_tasks = 0;
        for (int task = 0; task < MAX_TASK; task++) {
            assert_true(group->n_taken[task] == 0 || group->n_taken[task] == N_ITERATIONS);
            n_tasks += group->n_taken[task] > 0;
        }
        assert_int_equal(n_tasks, N_QUEUED);
        pthread_barrier_destroy(&group->barrier);
        destroy_group(group);
    }
}

/* --- where tasks run --- */

struct trial {
    struct taskpool_settings settings;
    struct taskpool_machine machine;
    double speeds[N_WORKERS];
    int ran_on[3][N_TASKS];
    double makespan_s[3];
    int64_t tasks_moved[3];
};

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

static struct trial make_trial(void)
{
    struct trial trial = {.machine = {.n_workers = N_WORKERS,
                                      .latency_s = 1e-5,
                                      .latency_spread_s = 1e-5,
                                      .time = one_millisecond}};
    taskpool_settings_default(&trial.settings);
    trial.settings.mode = "hybrid";
    trial.settings.keep_history = true;
    for (int i = 0; i < N_WORKERS; i++)
        trial.speeds[i] = 1;
    return trial;
}

static void run_trial(struct trial *trial)
{
    struct taskpool_problem problem = {.n_tasks = N_TASKS};
    struct taskpool *pool;
    trial->machine.speeds = trial->speeds;
    check_ok(taskpool_simulate(&problem, &trial->settings, &trial->machine, &pool));
    for (int iteration = 0; iteration < 3; iteration++) {
        if (iteration > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        const struct taskpool_history *history = taskpool_history(pool);
        assert_int_equal(history->n_entries, N_TASKS);
        for (int64_t i = 0; i < history->n_entries; i++)
            trial->ran_on[iteration][history->entries[i].task] = history->entries[i].worker;
        trial->makespan_s[iteration] = taskpool_statistics(pool, iteration)->makespan_s;
        trial->tasks_moved[iteration] = taskpool_statistics(pool, iteration)->tasks_moved;
    }
    taskpool_destroy(pool);
}

/* The first 200 x 0.3 tasks of each worker's block. */
TEST(the_static_part_never_leaves)
{
    struct trial trial = make_trial();
    check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0.3"));
    trial.speeds[3] = 0.1;
    run_trial(&trial);
    for (int iteration = 0; iteration < 3; iteration++) {
        for (int64_t task = 0; task < N_TASKS; task++)
            if (task % N_OWN < 60)
                assert_int_equal(trial.ran_on[iteration][task], task / N_OWN);
        assert_true(trial.tasks_moved[iteration] > 0 || iteration > 0);
    }
}

TEST(equal_workers_keep_their_tasklets)
{
    struct trial trial = make_trial();
    run_trial(&trial);
    assert_memory_equal(trial.ran_on[0], trial.ran_on[1], sizeof trial.ran_on[0]);
    assert_int_equal(trial.tasks_moved[1], 0);
    check_ok(taskpool_settings_set(&trial.settings, "no-locality", "true"));
    run_trial(&trial);
    assert_true(trial.tasks_moved[1] > N_TASKS / 4);
}

/* A slow worker gives tasklets away once; then they stay where they went. */
TEST(a_slow_worker_is_relieved_for_good)
{
    for (int skew = 0; skew < 2; skew++) {
        struct trial trial = make_trial();
        trial.speeds[7] = 1 / 3.0;
        check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0.2"));
        check_ok(taskpool_settings_set(&trial.settings, "skew", skew ? "true" : "false"));
        run_trial(&trial);
        /* static: 200 tasks in 0.6 s; ideal: 2400 tasks at 11.33 per ms, 0.212 s */
        for (int iteration = 0; iteration < 3; iteration++)
            assert_true(trial.makespan_s[iteration] < 0.235);
        assert_true(trial.tasks_moved[0] > 100);
        assert_true(skew || trial.tasks_moved[1] < trial.tasks_moved[0] / 4);
    }
}

/* Tasks stay within groups: nodes, or workers of a node. */
TEST(groups)
{
    for (int by_node = 0; by_node < 2; by_node++) {
        struct trial trial = make_trial();
        check_ok(taskpool_settings_set(&trial.settings, "group", by_node ? "0" : "5"));
        trial.machine.node_size = by_node ? 5 : 0;
        check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0"));
        trial.speeds[1] = trial.speeds[11] = 0.2;
        run_trial(&trial);
        for (int64_t task = 0; task < N_TASKS; task++)
            assert_int_equal(trial.ran_on[0][task] / 5, task / N_OWN / 5);
        assert_true(trial.tasks_moved[0] > 0);
    }
}

/* Tasklets of one worker's list are taken one after another: 12 workers take the tasks of one, each
 * in a tasklet of its own, which only accesses to the queue take time for. */
static double no_time(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 0;
}

TEST(accesses_to_the_queue_take_time)
{
    struct trial trial = make_trial();
    check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0"));
    check_ok(taskpool_settings_set(&trial.settings, "no-locality", "true"));
    trial.machine.time = no_time;
    trial.machine.atomic_s = 1e-3;
    run_trial(&trial);
    check_close(trial.makespan_s[0], 1e-3 * 64 * N_WORKERS, 1e-9);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
