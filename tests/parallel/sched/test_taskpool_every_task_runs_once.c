/* SPDX-License-Identifier: BSD-3-Clause */
/* Every task runs exactly once in every iteration, for any mode, number of
 * tasks and number of processes. Processes that work out the seeding together find what one process finds. */
#include "sched/pool/core/seeding.h"
#include "tests/cases/pool_cases.h"

#include <time.h>

enum { n_iterations = 4 };

static int rank, n_workers;

struct counts {
    int64_t n_tasks;
    unsigned char *run; /* n_tasks: how often each ran here */
    bool at_owner;      /* tasks run where they are seeded */
    uint64_t work;      /* keeps the loop of a task's work */
};

/* Tasks of very different lengths, the longest last. */
static int count_task(int64_t task, void *context)
{
    struct counts *counts = context;
    assert_in_range(task, 0, counts->n_tasks - 1);
    counts->run[task]++;
    if (counts->at_owner)
        assert_int_equal(pool_case_owner(task, n_workers, NULL), rank);
    for (int64_t i = 0; i < (task % 97 == 96 ? 2000 : task % 13); i++)
        counts->work = counts->work * 25214903917u + 11;
    return STATUS_OK;
}

static void check_counts(const struct counts *counts)
{
    size_t n = (size_t)counts->n_tasks;
    unsigned char *total = malloc(n + 1);
    assert_non_null(total);
    MPI_Allreduce(counts->run, total, (int)n, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (size_t task = 0; task < n; task++)
        assert_int_equal(total[task], 1);
    free(total);
}

static void check_pool(const char *options, int64_t n_tasks, bool keep_data)
{
    struct counts counts = {.n_tasks = n_tasks, .run = malloc((size_t)n_tasks + 1)};
    counts.at_owner = strcmp(options, "--sched=static --seeding=owner") == 0;
    assert_non_null(counts.run);
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = count_task,
                                       .owner = pool_case_owner,
                                       .cost = pool_case_cost,
                                       .tasks_keep_data = keep_data,
                                       .context = &counts};
    struct taskpool_settings settings = pool_case_settings(options);
    struct taskpool *pool;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    for (int i = 0; i < n_iterations; i++) {
        memset(counts.run, 0, (size_t)n_tasks);
        check_ok(taskpool_run(pool));
        check_counts(&counts);
        assert_int_equal(taskpool_statistics(pool, i)->tasks, n_tasks);
        check_ok(taskpool_restore(pool));
    }
    taskpool_destroy(pool);
    free(counts.run);
}

TEST(every_task_runs_once)
{
    const int64_t n_tasks[] = {0, 1, 2, 7, 1000, 20011};
    for (int i = 0; i < pool_case_count(true); i++)
        for (size_t j = 0; j < sizeof n_tasks / sizeof n_tasks[0]; j++)
            check_pool(pool_case_find(i, true), n_tasks[j], false);
    check_pool("--sched=auto", 1000, true);
    check_pool("--sched=persist", 1000, true);
    check_pool("--sched=retentive", 1000, true);
}

/* Whole numbers, so that sums do not depend on their order. */
static double whole_cost(int64_t task, void *context)
{
    (void)context;
    return 1 + (double)(task % 1000 * (task % 7));
}

TEST(blocks_of_equal_cost_are_those_of_one_process)
{
    static const int64_t pool_sizes[] = {0, 1, 2, 7, 1000, 5003, 100003};
    for (size_t i = 0; i < sizeof pool_sizes / sizeof pool_sizes[0]; i++) {
        struct taskpool_problem problem = {.n_tasks = pool_sizes[i], .cost = whole_cost};
        struct taskpool_seeding together, alone;
        check_ok(
            seeding_init(&together, MPI_COMM_WORLD, &problem, TASKPOOL_SEEDING_COST, n_workers));
        check_ok(seeding_init(&alone, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, n_workers));
        for (int worker = 0; worker < n_workers; worker++)
            assert_int_equal(taskpool_seeding_range(&together, worker, 0).last,
                             taskpool_seeding_range(&alone, worker, 0).last);
        seeding_fini(&together);
        seeding_fini(&alone);
    }
}

static bool in_task;
static int64_t n_run, n_idle;

static int sleep_in_task(int64_t task, void *context)
{
    (void)task, (void)context;
    in_task = true;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    in_task = false;
    n_run++;
    return STATUS_OK;
}

static void count_idle(void *context)
{
    (void)context;
    assert_false(in_task);
    n_idle++;
}

/* Also with --progress thread; the manager of `share` has no task. */
TEST(a_process_without_tasks_is_idle)
{
    const struct taskpool_problem problem = {
        .n_tasks = 20, .run = sleep_in_task, .idle = count_idle};
    struct taskpool_settings settings = pool_case_settings("--sched=share --chunk=1");
    struct taskpool *pool;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    check_ok(taskpool_run(pool));
    if (rank == 0)
        assert_true(n_workers == 1 ? n_run == 20 : n_run == 0 && n_idle > 0);
    int64_t n_before = n_idle;
    check_ok(taskpool_restore(pool));
    assert_int_equal(n_idle, n_before);
    taskpool_destroy(pool);
}

static void start(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_workers);
}

TEST_SETUP(start)
