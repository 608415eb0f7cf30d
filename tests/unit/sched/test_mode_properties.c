/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of single modes, simulated: who is asked, who gives, what stays, and how even loads become.
 * In every run each task runs once in each iteration. */
#include "sched/pool/protocols/stealing.h"
#include "support/base/random.h"
#include "tests/cases/simulated_pool.h"

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static struct simulated
    pool; /* of the test that runs, which sets members that are not arguments of run() */

static void run(const char *line, int n_workers, int64_t n_tasks, int n_iterations,
                double (*seconds)(const struct simulated *self, int64_t task))
{
    pool.command_line = line;
    pool.machine.n_workers = n_workers;
    pool.n_tasks = n_tasks;
    pool.n_iterations = n_iterations;
    pool.seconds = seconds;
    pool.time_s = pool.time_s > 0 ? pool.time_s : 1e-3;
    pool.machine.latency_s = pool.machine.latency_s > 0 ? pool.machine.latency_s : 1e-6;
    simulated_run(&pool);
}

/* --- stealing --- */

/* Requests of worker 9, by victim; how many of them in each sixth turn went to its node. */
static struct asked {
    int n, by_victim[16], near_at[6];
} asked;

static void watch_requests(int from, int to, const void *message, size_t size, void *context)
{
    int32_t kind;
    (void)context;
    assert_true(size >= sizeof kind);
    memcpy(&kind, message, sizeof kind);
    if (kind != STEALING_REQUEST || from != 9)
        return;
    asked.by_victim[to]++;
    asked.near_at[asked.n++ % 6] += to / 4 == 9 / 4;
}

/* Each of the 15 others 100 times, with a standard deviation of 9.7; or the three others of the node first,
 * then as often any. */
TEST(a_refused_thief_asks_any_other_or_its_node_first)
{
    const struct simulated long_task = {
        .time_s = 30, .machine = {.node_size = 4, .latency_s = 1e-2, .observe = watch_requests}};
    pool = long_task;
    asked = (struct asked){0};
    run("--sched=steal --as-published --progress=thread", 16, 1, 1, NULL);
    assert_in_range(asked.n, 1400, 1600);
    for (int i = 0; i < 16; i++)
        assert_in_range(asked.by_victim[i], i == 9 ? 0 : 60, i == 9 ? 0 : 140);
    pool = long_task;
    asked = (struct asked){0};
    run("--sched=steal --as-published --victim=node --progress=thread", 16, 1, 1, NULL);
    for (int i = 0; i < 6; i++)
        assert_in_range(asked.near_at[i], i < 3 ? asked.n / 6 : 20, i < 3 ? asked.n / 6 + 1 : 80);
}

/* --- lifeline --- */

static int first_worker(int64_t task, int n_workers, void *context)
{
    (void)task, (void)n_workers, (void)context;
    return 0;
}

/* All tasks are worker 0's in the beginning. */
TEST(work_reaches_all_workers)
{
    for (int n_workers = 1; n_workers <= 40; n_workers++) {
        pool = (struct simulated){.problem.owner = first_worker};
        run("--sched=lifeline --seeding=owner", n_workers, 100 * n_workers, 2, NULL);
        for (int i = 0; i < 2; i++)
            assert_true(pool.figures[i].makespan_s < 0.2); /* 0.1 s each at best */
    }
}

/* While one long task runs, only refusals, acknowledgements and the end are exchanged: their
 * number does not depend on how long it takes. */
TEST(a_worker_that_waits_sends_nothing)
{
    int64_t messages[2];
    for (int i = 0; i < 2; i++) {
        pool = (struct simulated){.time_s = i == 0 ? 1e-2 : 10};
        run("--sched=lifeline", 32, 1, 1, NULL);
        messages[i] = pool.figures[0].messages;
    }
    assert_int_equal(messages[0], messages[1]);
    /* For each worker a random request and five calls, answered; an acknowledgement; the end. */
    assert_true(messages[0] <= 32 * (2 * (1 + 5) + 2));
}

/* --- persist, diffusion and auto: balancing between iterations --- */

TEST(persist_refuses_dynamic_pools)
{
    struct taskpool_settings settings = pool_case_settings("--sched=persist");
    struct taskpool_problem problem = {.record_size = 8};
    struct taskpool_machine machine = {.n_workers = 2, .time = simulated_time};
    check_status(STATUS_USAGE, taskpool_simulate(&problem, &settings, &machine, &pool.pool));
}

static double gently_rising(const struct simulated *self, int64_t task)
{
    return 1e-4 * (1 + 10.0 * (double)task / (double)self->n_tasks);
}

/* The second pool has more tasks for each receiver than a message holds. */
TEST(diffusion_makes_loads_even)
{
    const struct taskpool_iteration *figures = pool.figures;
    pool = (struct simulated){.time_s = 1.0 / 1024}; /* sums are exact */
    run("--sched=diffusion", 200, 20000, 4, gently_rising);
    assert_true(figures[0].imbalance > 0.8 && figures[1].imbalance < 0.2);
    assert_true(figures[3].imbalance < 0.051); /* --gossip-threshold */
    pool.problem.owner = first_worker;
    run("--sched=diffusion --seeding=owner", 3, 9000, 2, NULL);
    assert_true(figures[1].imbalance < 0.051 && figures[1].tasks_moved > 5000);
}

/* The first tasks are the longest. */
static double falling(const struct simulated *self, int64_t task)
{
    return 1e-3 * (1 + 20 * (double)(self->n_tasks - task) / (double)self->n_tasks);
}

static bool says(int iteration, const char *words)
{
    return strcmp(pool.figures[iteration].choice.what, words) == 0;
}

TEST(auto_says_what_was_chosen)
{
    pool = (struct simulated){0};
    run("--sched=auto", 16, 1024, 3, NULL);
    assert_true(says(0, "tasks as seeded, stealing") && says(1, "tasks stay, stealing"));
    run("--sched=auto", 16, 1024, 3, falling);
    assert_true(says(1, "tasks balanced, stealing"));
    assert_non_null(strstr(pool.figures[1].choice.why, "largest load"));
    pool.problem.tasks_keep_data = true;
    run("--sched=auto", 16, 1024, 3, falling);
    assert_true(says(0, "tasks as seeded, stealing") && says(1, "tasks stay, no stealing"));
}

enum { N_SIMULATED = 4, N_EACH = 60 };

/* When most tasks of most workers have run. */
static int fail_late(int64_t task, void *context)
{
    const struct simulated *self = context;
    bool fails = self->iteration == self->n_iterations && task == N_EACH * 3 / 4;
    return fails ? FAIL(STATUS_NUMERIC, "a task fails") : STATUS_OK;
}

/* Skipped tasks are as much work as others: a slow worker, which skips most, gives tasks away. */
TEST(a_failure_leaves_the_balance)
{
    static const char *const lines[] = {"--sched=diffusion", "--sched=persist --chunk=60"};
    const double speeds[N_SIMULATED] = {1, 1, 1, 0.5};
    for (int m = 0; m < 2; m++) {
        pool = (struct simulated){
            .command_line = lines[m],
            .n_tasks = N_SIMULATED * N_EACH,
            .n_iterations = m,
            .time_s = 1e-3,
            .problem.run = fail_late,
            .machine = {.n_workers = N_SIMULATED, .latency_s = 1e-6, .speeds = speeds}};
        simulated_create(&pool);
        for (; pool.iteration <= m; pool.iteration++) {
            check_status(pool.iteration == m ? STATUS_NUMERIC : STATUS_OK, taskpool_run(pool.pool));
            check_ok(taskpool_restore(pool.pool));
        }
        check_ok(taskpool_run(pool.pool));
        /* 69 ms at best, 120 ms with as many tasks for all. */
        assert_true(taskpool_statistics(pool.pool, pool.iteration)->makespan_s < 0.095);
        taskpool_destroy(pool.pool);
    }
}

/* --- tasks that keep data --- */

enum { KEPT_EACH = 40, N_KEPT = 8, SMALL = 2, LARGE = 4 };

/* In ms: from iteration SMALL to LARGE, worker 0's tasks take a little longer than the others; then much longer. */
static double kept_seconds(const struct simulated *self, int64_t task)
{
    if (task >= KEPT_EACH || self->iteration < SMALL)
        return 1e-3;
    return self->iteration < LARGE ? 1.08e-3 : 1.4e-3;
}

TEST(tasks_move_above_a_tenth)
{
    const char *const lines[] = {"--sched=retentive --seeding=block",
                                 "--sched=persist --seeding=block", "--sched=auto --seeding=block"};
    pool = (struct simulated){.problem.tasks_keep_data = true};
    for (int m = 0; m < 3; m++) {
        run(lines[m], 16, 16 * (int64_t)KEPT_EACH, N_KEPT, kept_seconds);
        for (int i = 1; i <= LARGE; i++)
            assert_true(simulated_alike(&pool, i, i - 1));
        assert_true(pool.figures[LARGE].imbalance > 0.3);
        for (int i = LARGE + 1; i < N_KEPT; i++) {
            assert_int_equal(simulated_alike(&pool, i, i - 1), i > LARGE + 1);
            assert_true(pool.figures[i].imbalance <= 0.1);
        }
    }
}

/* --- learned speeds --- */

/* From 1 to 10 ms, in no order. */
static double drawn_seconds(const struct simulated *self, int64_t task)
{
    struct random_stream random;
    (void)self;
    random_stream_init(&random, 7, (uint64_t)task);
    return 1e-3 * (1 + 9 * random_unit(&random));
}

/* Returns the seconds from the third iteration on. */
static double simulate_drawn(const char *line, bool has_costs, const struct taskpool_noise *noise)
{
    double sum_s = 0;
    pool = (struct simulated){.problem.cost = has_costs ? simulated_cost : NULL,
                              .machine = {.node_size = 16, .noise = noise}};
    run(line, 64, 64 * 24, SIMULATED_ITERATIONS, drawn_seconds);
    for (int i = 2; i < SIMULATED_ITERATIONS; i++)
        sum_s += pool.figures[i].makespan_s;
    return sum_s;
}

/* They cost no more than without balancing. */
TEST(interruptions_are_no_speeds)
{
    for (int variant = 0; variant < 4; variant++) {
        double period_s = variant % 2 ? 1 : 0.05;
        struct taskpool_noise noise;
        check_ok(taskpool_noise_init_periodic(&noise, period_s, period_s / 10));
        double static_s = simulate_drawn("--sched=static", variant / 2, &noise);
        assert_true(simulate_drawn("--sched=persist", variant / 2, &noise) < 1.04 * static_s);
        assert_true(simulate_drawn("--sched=auto", variant / 2, &noise) < 1.06 * static_s);
        taskpool_noise_fini(&noise);
    }
}

TEST_SETUP(check_begin_mpi)
TEST_TEARDOWN(check_end_mpi)
