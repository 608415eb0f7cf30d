/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode auto, simulated: it begins in blocks of even cost where costs are known, else cyclically; the
 * first iteration takes little longer than under `counter`; each iteration says what was chosen; and in
 * dynamic pools it is lifeline. */
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { N_WORKERS = 16, EACH = 64, N_TASKS = N_WORKERS * EACH, N_ITERATIONS = 3 };

static double equal_time(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 1e-3;
}

/* The first tasks are the longest. */
static double falling_time(int64_t task, const void *record, const void *context)
{
    (void)record, (void)context;
    return 1e-3 * (1 + 20 * (double)(N_TASKS - task) / N_TASKS);
}

static double falling_cost(int64_t task, void *context)
{
    return falling_time(task, NULL, context);
}

static struct taskpool_iteration figures[N_ITERATIONS];
static int32_t first_worker[N_TASKS]; /* of each task in the first iteration */

static void simulate(const char *mode, struct taskpool_problem problem,
                     double (*time)(int64_t, const void *, const void *))
{
    struct taskpool_machine machine = {.n_workers = N_WORKERS, .latency_s = 1e-6, .time = time};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.keep_history = true;
    problem.n_tasks = N_TASKS;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < N_ITERATIONS; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        figures[i] = *taskpool_statistics(pool, i);
        const struct taskpool_history *history = taskpool_history(pool);
        for (int64_t j = 0; i == 0 && j < history->n_entries; j++)
            first_worker[history->entries[j].task] = history->entries[j].worker;
    }
    taskpool_destroy(pool);
}

TEST(it_begins_by_cost_or_cyclically)
{
    simulate("auto", (struct taskpool_problem){0}, equal_time);
    for (int task = 0; task < N_TASKS; task++)
        assert_int_equal(first_worker[task], task % N_WORKERS);
    simulate("auto", (struct taskpool_problem){.cost = falling_cost}, falling_time);
    int n_changes = 0;
    for (int task = 1; task < N_TASKS; task++)
        n_changes += first_worker[task] != first_worker[task - 1];
    assert_in_range(n_changes, N_WORKERS - 1, 4 * N_WORKERS); /* blocks, but for stolen tasks */
    assert_true(figures[0].efficiency > 0.98);
}

TEST(the_first_iteration_is_near_that_of_a_counter)
{
    simulate("counter", (struct taskpool_problem){0}, falling_time);
    double counter_s = figures[0].makespan_s;
    simulate("auto", (struct taskpool_problem){0}, falling_time);
    assert_true(figures[0].makespan_s <= 1.05 * counter_s);
}

static bool says(int iteration, const char *words)
{
    return strcmp(figures[iteration].choice.what, words) == 0;
}

TEST(each_iteration_says_what_was_chosen)
{
    simulate("auto", (struct taskpool_problem){0}, equal_time);
    assert_true(says(0, "tasks as seeded, stealing"));
    assert_true(says(1, "tasks stay, stealing"));
    simulate("auto", (struct taskpool_problem){0}, falling_time);
    assert_true(says(1, "tasks balanced, stealing"));
    assert_non_null(strstr(figures[1].choice.why, "largest load"));
    simulate("auto", (struct taskpool_problem){.tasks_keep_data = true}, falling_time);
    assert_true(says(0, "tasks as seeded, stealing"));
    assert_true(says(1, "tasks stay, no stealing"));
}

struct grown {
    struct taskpool *pool;
    int64_t n_run;
};

/* A binary tree. */
static int grow(void *record, void *context)
{
    struct grown *grown = context;
    int64_t node;
    memcpy(&node, record, sizeof node);
    grown->n_run++;
    for (int64_t child = 2 * node; child <= 2 * node + 1 && child < N_TASKS; child++)
        TRY(taskpool_add(grown->pool, &child));
    return STATUS_OK;
}

static struct taskpool_iteration grow_tree(const char *mode)
{
    struct grown grown = {0};
    struct taskpool_problem problem = {
        .record_size = sizeof(int64_t), .run_record = grow, .context = &grown};
    struct taskpool_machine machine = {
        .n_workers = N_WORKERS, .latency_s = 1e-6, .time = equal_time};
    struct taskpool_settings settings;
    const int64_t root = 1;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &grown.pool));
    check_ok(taskpool_add(grown.pool, &root));
    check_ok(taskpool_run(grown.pool));
    struct taskpool_iteration grew = *taskpool_statistics(grown.pool, 0);
    assert_int_equal(grown.n_run, N_TASKS - 1);
    taskpool_destroy(grown.pool);
    return grew;
}

TEST(dynamic_pools_are_those_of_lifeline)
{
    struct taskpool_iteration own = grow_tree("auto"), lifeline = grow_tree("lifeline");
    assert_true(own.makespan_s == lifeline.makespan_s);
    assert_int_equal(own.messages, lifeline.messages);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
