/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode static sends no message; mode steal moves half of the shared tasks, in chunks, and
 * sends none while all workers have tasks: by hand and in simulation. */
#include "taskpool/simulation.h"
#include "tests/cases/stealing_case.h"

#include <math.h>

static int32_t kind_of(const struct message *message)
{
    int32_t kind;
    memcpy(&kind, message->head, sizeof kind);
    return kind;
}

/* Runs all that a worker has, which is `n` tasks, and counts by task. */
static void run_out(int worker, int64_t n, int *n_runs)
{
    struct taskpool_range range;
    while (n > 0) {
        assert_int_equal(next(worker, 3, &range), TASKPOOL_MODE_RUN);
        n -= taskpool_range_count(&range);
        for (int64_t task = range.first; task < range.last; task += range.step)
            n_runs[task / 10]++;
    }
    assert_int_equal(n, 0);
    assert_int_equal(task_deque_n_tasks(&workers[worker].stealing->deque), 0);
}

static void check_each_once(const int *n_runs, int64_t n_tasks)
{
    for (int64_t i = 0; i < n_tasks; i++)
        assert_int_equal(n_runs[i], 1);
}

TEST(half_of_what_is_shared_goes)
{
    int n_runs[100] = {0};
    struct taskpool_range range;
    hire(2, "--sched=steal");
    load(0, 100, 100);
    assert_int_equal(steal(), 0); /* nothing is shared yet */
    assert_int_equal(next(0, 8, &range), TASKPOOL_MODE_RUN);
    assert_int_equal(range.first, 0);
    assert_int_equal(range.last, 80);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 46); /* half of 92 */
    const int64_t halves[] = {23, 12, 6, 3, 1, 1, 0};
    for (int i = 0; i < 7; i++)
        assert_int_equal(steal(), halves[i]);
    /* The eight are the victim's, as are the other 46. */
    for (int i = 0; i < 8; i++)
        n_runs[i]++;
    run_out(0, 46, n_runs);
    for (int i = 0; i < 54; i++)
        assert_int_equal(n_runs[i], 1);
    run_out(1, 46, n_runs);
    check_each_once(n_runs, 100);
    dismiss(2);
}

TEST(half_of_what_is_shared_comes_back)
{
    struct taskpool_range range;
    hire(2, "--sched=steal");
    load(0, 100, 100);
    for (int64_t n_run = 0; n_run < 54; n_run += taskpool_range_count(&range))
        assert_int_equal(next(0, 8, &range), TASKPOOL_MODE_RUN);
    assert_int_equal(workers[0].stealing->deque.local_tasks, 0);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 46);
    assert_int_equal(next(0, 8, &range), TASKPOOL_MODE_RUN);
    assert_int_equal(workers[0].stealing->deque.local_tasks, 23 - taskpool_range_count(&range));
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 23);
    dismiss(2);
}

TEST(so_many_as_are_asked_for)
{
    struct taskpool_range range;
    const int64_t per_range[] = {100, 1};
    for (int i = 0; i < 2; i++) {
        hire(2, "--sched=steal --steal=7");
        load(0, 100, per_range[i]);
        next(0, 1, &range);
        int64_t n_shared = workers[0].stealing->deque.shared_tasks;
        for (; n_shared > 7; n_shared -= 7)
            assert_int_equal(steal(), 7);
        assert_int_equal(steal(), n_shared);
        assert_int_equal(steal(), 0);
        dismiss(2);
    }
}

TEST(no_fewer_than_a_chunk)
{
    struct taskpool_range range;
    hire(2, "--sched=steal --chunk=10");
    load(0, 27, 27);
    next(0, 8, &range);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 0); /* 9 would be half */
    assert_int_equal(steal(), 0);
    dismiss(2);

    hire(2, "--sched=steal --chunk=10");
    load(0, 100, 100);
    next(0, 8, &range);
    const int64_t moves[] = {23, 12, 10, 1, 0};
    for (int i = 0; i < 5; i++)
        assert_int_equal(steal(), moves[i]);
    dismiss(2);

    /* 15 are shared when the worker has run the others: it takes 10 back, not 7. */
    hire(2, "--sched=steal --chunk=10");
    load(0, 31, 31);
    for (int64_t n_run = 0; n_run < 16; n_run += taskpool_range_count(&range))
        assert_int_equal(next(0, 1, &range), TASKPOOL_MODE_RUN);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 15);
    assert_int_equal(next(0, 1, &range), TASKPOOL_MODE_RUN);
    assert_int_equal(workers[0].stealing->deque.local_tasks, 9);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 5);
    dismiss(2);
}

/* Two transfers are in flight at once, the worker continues and gets more meanwhile,
 * so that its ring grows, and the second arrives first. */
TEST(transfers_overlap)
{
    int n_runs[128] = {0};
    struct taskpool_range range;
    hire(3, "--sched=steal");
    load(0, 64, 1);
    next(0, 1, &range);
    n_runs[range.first / 10]++;
    request(1, 0);
    request(2, 0);
    assert_int_equal(n_messages, 2);
    assert_true(messages[0].bulk && messages[1].bulk);
    int64_t n_given[3] = {0, messages[0].token, messages[1].token};
    assert_true(messages[0].to == 1 && n_given[1] == 16 && n_given[2] == 8);
    for (int i = 0; i < 5; i++) {
        next(0, 1, &range);
        n_runs[range.first / 10]++;
    }
    for (int64_t task = 64; task < 128; task++)
        check_ok(task_deque_push_range(&workers[0].stealing->deque,
                                       (struct taskpool_range){10 * task, 10 * task + 10, 10}));
    deliver(1);
    assert_int_equal(messages[0].to, 1);
    deliver(0);
    for (int worker = 0; worker < 3; worker++)
        run_out(worker, task_deque_n_tasks(&workers[worker].stealing->deque), n_runs);
    check_each_once(n_runs, 128);
    dismiss(3);
}

/* Lets worker 9 send a request, after any pause, and be refused; returns the victim. */
static int ask_and_be_refused(void)
{
    struct taskpool_range range;
    hand_clock_s += 1;
    assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
    assert_int_equal(n_messages, 1);
    assert_int_equal(kind_of(&messages[0]), STEALING_REQUEST);
    int victim = messages[0].to;
    /* One request at a time. */
    assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
    assert_int_equal(n_messages, 1);
    deliver(0);
    assert_int_equal(n_messages, 1);
    assert_int_equal(kind_of(&messages[0]), STEALING_REFUSAL);
    deliver(0);
    assert_int_equal(n_messages, 0);
    return victim;
}

TEST(a_refused_thief_asks_another)
{
    int n_asked[16] = {0};
    hire(16, "--sched=steal");
    for (int i = 0; i < 1500; i++)
        n_asked[ask_and_be_refused()]++;
    assert_int_equal(n_asked[9], 0);
    /* Each of the 15 as often as any: 100 times, with a standard deviation of 9.7. */
    for (int i = 0; i < 16; i++)
        if (i != 9)
            assert_in_range(n_asked[i], 60, 140);
    dismiss(16);
}

/* At once 31 times; then a thief pauses for eight times an attempt, but for no more than an
 * eighth of its search. */
TEST(a_thief_that_many_refused_pauses)
{
    struct taskpool_range range;
    hire(16, "--sched=steal");
    hand_clock_s = 0;
    for (int i = 0; i < 32; i++) {
        assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
        assert_int_equal(n_messages, 1);
        hand_clock_s += 0.5; /* 16 s in all */
        deliver(0);
        deliver(0);
    }
    const double searches_s[] = {16, 18.5, 23};
    const double pauses_s[] = {2, 2.3125, 2.875};
    for (int i = 0; i < 3; i++) {
        hand_clock_s = searches_s[i];
        if (i > 0) {
            /* The last pause has ended: an attempt that takes as long as the rest of the time. */
            hand_clock_s -= 0.5;
            assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
            assert_int_equal(n_messages, 1);
            hand_clock_s += 0.5;
            deliver(0);
            deliver(0);
        }
        assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
        assert_int_equal(n_messages, 0);
        assert_float_equal(hand_wake_s, pauses_s[i], 1e-12);
    }
    dismiss(16);
}

/* Published thieves ask at once, however often they are refused. */
TEST(a_published_thief_does_not_pause)
{
    struct taskpool_range range;
    hire(16, "--sched=steal --as-published");
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
        assert_int_equal(n_messages, 1);
        hand_clock_s += 0.5;
        deliver(0);
        deliver(0);
    }
    dismiss(16);
}

/* A worker shares all waiting long tasks, or half of them as published, and then one at first. */
TEST(release_of_long_tasks)
{
    const struct {
        const char *options;
        int64_t n_seeded, n_stolen, n_shared, n_shared_later;
    } cases[] = {{"--sched=steal", 0, 50, 48, 47}, {"--sched=steal --as-published", 1, 1, 48, 24}};
    const int64_t per_range[] = {100, 1};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct taskpool_mode_work work = {.n_wanted = 1, .tasks_are_long = true};
        hire(2, cases[i / 2].options);
        load(0, 100, per_range[i % 2]);
        struct task_deque *deque = &workers[0].stealing->deque;
        assert_int_equal(deque->shared_tasks, cases[i / 2].n_seeded);
        assert_int_equal(taskpool_stealing_next(workers[0].stealing, &work), TASKPOOL_MODE_RUN);
        assert_int_equal(steal(), cases[i / 2].n_stolen);
        assert_int_equal(taskpool_stealing_next(workers[0].stealing, &work), TASKPOOL_MODE_RUN);
        assert_int_equal(deque->shared_tasks, cases[i / 2].n_shared);
        /* Without local tasks it takes one of them back, or half. */
        while (deque->local_tasks > 0)
            assert_int_equal(taskpool_stealing_next(workers[0].stealing, &work), TASKPOOL_MODE_RUN);
        assert_int_equal(taskpool_stealing_next(workers[0].stealing, &work), TASKPOOL_MODE_RUN);
        assert_int_equal(deque->shared_tasks, cases[i / 2].n_shared_later);
        dismiss(2);
    }
}

/* The three others of the node first, as often as there are such; then any. */
TEST(the_own_node_first)
{
    hire(16, "--sched=steal --victim=node");
    int n_far = 0;
    for (int i = 0; i < 600; i++) {
        bool is_near = ask_and_be_refused() / 4 == 9 / 4;
        assert_true(i % 6 >= 3 || is_near);
        n_far += !is_near;
    }
    assert_in_range(n_far, 200, 280); /* 12 of 15 of 300: 240 */
    /* After a success the first victims are of the thief's node again. */
    for (int i = 0; i < 3; i++)
        ask_and_be_refused();
    struct taskpool_range range;
    load(1, 100, 100);
    next(1, 1, &range);
    hand_clock_s += 1;
    assert_int_equal(next(9, 1, &range), TASKPOOL_MODE_SEARCH);
    messages[0].to = 1;
    deliver(0);
    deliver(0);
    int n_runs[100] = {0};
    run_out(9, task_deque_n_tasks(&workers[9].stealing->deque), n_runs);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask_and_be_refused() / 4, 9 / 4);
    dismiss(16);
}

/* --- in simulation --- */

static double equal(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

TEST(static_sends_no_message)
{
    static struct run run;
    const char *const modes[] = {"--sched=static --seeding=block",
                                 "--sched=static --seeding=cyclic"};
    for (int i = 0; i < 2; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .time = uneven};
        run = (struct run){.n_workers = 16, .n_tasks = 1000};
        struct taskpool *pool = simulate(&run, modes[i], &machine);
        for (int iteration = 0; iteration < 3; iteration++)
            iterate(&run, pool, iteration);
        assert_int_equal(run.n_messages, 0);
        assert_int_equal(run.figures.messages, 0);
        taskpool_destroy(pool);
    }
}

/* Thieves that find no victim send each other requests, and yet simulated time advances. */
TEST(messages_that_take_no_time)
{
    static struct run run;
    struct taskpool_machine machine = {.time = equal};
    run = (struct run){.n_workers = 5, .n_tasks = 8};
    struct taskpool *pool = simulate(&run, "--sched=steal --progress=thread", &machine);
    iterate(&run, pool, 0);
    taskpool_destroy(pool);
}

static double for_ever(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task == 7 ? INFINITY : 1e8;
}

TEST(tasks_beyond_what_is_simulated)
{
    static struct run run;
    struct taskpool_machine machine = {.latency_s = 1e-5, .time = for_ever};
    run = (struct run){.n_workers = 5, .n_tasks = 8};
    struct taskpool *pool = simulate(&run, "--sched=steal", &machine);
    assert_int_equal(taskpool_run(pool), STATUS_LIMIT);
    taskpool_destroy(pool);
}

/* A worker is a quarter faster: until it has nothing left there is no message. */
TEST(steal_is_silent_while_all_have_work)
{
    static struct run run;
    const char *const modes[] = {"--sched=steal", "--sched=steal --progress=thread",
                                 "--sched=retentive --termination=ring"};
    double speeds[8] = {1, 1, 1, 1.25, 1, 1, 1, 1};
    for (int i = 0; i < 3; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .speeds = speeds, .time = equal};
        run = (struct run){.n_workers = 8, .n_tasks = 800};
        struct taskpool *pool = simulate(&run, modes[i], &machine);
        iterate(&run, pool, 0);
        assert_true(run.n_messages > 0);
        taskpool_destroy(pool);
    }
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
