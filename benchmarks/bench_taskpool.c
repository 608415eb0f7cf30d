/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the overhead of a mode: nanoseconds per empty task, per process, with
 * statistics on, and with several processes the microseconds that a thief
 * searches for each steal that succeeds. The median of several runs of each.
 *
 *     bench_taskpool
 *     mpirun -np 2 bench_taskpool
 *     bench_taskpool TASKS POLL_EVERY    that many tasks and polls in all cases, to count
 *                                        instructions (instructions.py) */
#include "support/base/status.h"
#include "taskpool/taskpool.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n_runs = 9 };

struct bench_case {
    const char *name;
    int64_t n_tasks; /* per process */
    const char *mode;
    enum taskpool_seeding_rule seeding;
    int64_t chunk;
    bool keep_history;
    int64_t poll_every; /* 0: the default */
};

static int empty_task(int64_t task, void *context)
{
    *(int64_t *)context += task;
    return STATUS_OK;
}

static int owner(int64_t task, int n_workers, void *context)
{
    (void)context;
    return (int)(task / 100 % n_workers);
}

static double cost(int64_t task, void *context)
{
    (void)context;
    return 1 + (double)(task & 15);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static enum status run_case(const struct bench_case *bench, double *median_ns)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int64_t sum = 0;
    struct taskpool_problem problem = {.n_tasks = bench->n_tasks * size,
                                       .run = empty_task,
                                       .owner = owner,
                                       .cost = cost,
                                       .context = &sum};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.mode = bench->mode;
    settings.seeding = bench->seeding;
    settings.chunk = bench->chunk;
    settings.keep_history = bench->keep_history;
    if (bench->poll_every > 0)
        settings.poll_every = bench->poll_every;
    struct taskpool *pool;
    TRY(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    double ns[n_runs];
    enum status status = STATUS_OK;
    for (int i = 0; i < n_runs && status == STATUS_OK; i++) {
        status = taskpool_run(pool);
        ns[i] = 1e9 * taskpool_statistics(pool, i)->makespan_s / (double)bench->n_tasks;
        if (status == STATUS_OK)
            status = taskpool_restore(pool);
    }
    taskpool_destroy(pool);
    qsort(ns, n_runs, sizeof ns[0], compare);
    *median_ns = ns[n_runs / 2];
    return status;
}

static int first_worker(int64_t task, int n_workers, void *context)
{
    (void)task;
    (void)n_workers;
    (void)context;
    return 0;
}

/* Worker 0 has all tasks; a thief gets one at a time. */
static enum status time_steals(const char *mode, double *median_us)
{
    int64_t sum = 0;
    struct taskpool_problem problem = {
        .n_tasks = 2000000, .run = empty_task, .owner = first_worker, .context = &sum};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.seeding = TASKPOOL_SEEDING_OWNER;
    TRY(taskpool_settings_set(&settings, "steal", "1"));
    struct taskpool *pool;
    TRY(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    double us[n_runs];
    enum status status = STATUS_OK;
    for (int i = 0; i < n_runs && status == STATUS_OK; i++) {
        status = taskpool_run(pool);
        const struct taskpool_iteration *figures = taskpool_statistics(pool, i);
        us[i] = 1e6 * figures->search_s /
                (figures->steals_successful.mean * (double)figures->n_workers);
        if (status == STATUS_OK)
            status = taskpool_restore(pool);
    }
    taskpool_destroy(pool);
    qsort(us, n_runs, sizeof us[0], compare);
    *median_us = us[n_runs / 2];
    return status;
}

int main(int argc, char **argv)
{
    struct bench_case cases[] = {
        {"static, block", 10000000, .mode = "static", .seeding = TASKPOOL_SEEDING_BLOCK},
        {"static, cyclic", 10000000, .mode = "static", .seeding = TASKPOOL_SEEDING_CYCLIC},
        {"static, owner", 10000000, .mode = "static", .seeding = TASKPOOL_SEEDING_OWNER},
        {"static, cost", 10000000, .mode = "static", .seeding = TASKPOOL_SEEDING_COST},
        {"static, block, with history", 1000000, .mode = "static", .keep_history = true},
        {"counter, chunk 1", 300000, .mode = "counter", .chunk = 1},
        {"counter, chunk 20", 1000000, .mode = "counter", .chunk = 20},
        {"guided", 10000000, .mode = "guided"},
        {"steal", 10000000, .mode = "steal"},
        {"retentive", 10000000, .mode = "retentive"},
        {"persist", 1000000, .mode = "persist"},
        {"auto", 1000000, .mode = "auto"},
        {"dtree", 10000000, .mode = "dtree"},
    };
    MPI_Init(&argc, &argv);
    for (size_t i = 0; argc == 3 && i < sizeof cases / sizeof cases[0]; i++) {
        cases[i].n_tasks = strtoll(argv[1], NULL, 10);
        cases[i].poll_every = strtoll(argv[2], NULL, 10);
    }
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%d process%s\nmode                          ns per task\n", size,
               size > 1 ? "es" : "");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == STATUS_OK; i++) {
        double median_ns = 0;
        status = run_case(&cases[i], &median_ns);
        if (rank == 0 && status == STATUS_OK)
            printf("%-30s %10.1f\n", cases[i].name, median_ns);
    }
    if (size > 1 && status == STATUS_OK) {
        double median_us = 0;
        status = time_steals("steal", &median_us);
        if (rank == 0 && status == STATUS_OK)
            printf("\nmicroseconds of search per steal of one task: %.2f\n", median_us);
    }
    if (rank == 0 && status != STATUS_OK)
        fprintf(stderr, "bench_taskpool: %s\n", status_text());
    MPI_Finalize();
    return status_exit_code(status);
}
