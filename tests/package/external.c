/* SPDX-License-Identifier: BSD-3-Clause */
/* With nothing but the installed package: registers modes of the program's own, then runs every mode
 * over MPI and on 64 simulated workers. Prints the sum of the squares below 1000, twice, of each. The
 * one that steals by the library's protocol takes as long as `steal`. */
#include <stdio.h>
#include <string.h>
#include <taskpool/mode.h>
#include <taskpool/simulation.h>

extern const struct taskpool_mode mode_example, mode_thieves;
extern const struct taskpool_mode mode_single; /* printed by sched/README.md */

static int add_square(int64_t task, void *context)
{
    *(int64_t *)context += task * task;
    return TASKPOOL_STATUS_OK;
}

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    return 1e-3;
}

static int run_twice(struct taskpool *pool)
{
    int status = taskpool_run(pool);
    if (status == TASKPOOL_STATUS_OK)
        status = taskpool_restore(pool);
    return status == TASKPOOL_STATUS_OK ? taskpool_run(pool) : status;
}

/* Runs a pool over MPI, and one that is simulated. */
static int run_mode(const struct taskpool_settings *settings, int64_t *sum, int64_t *simulated)
{
    struct taskpool_problem problem = {.n_tasks = 1000, .run = add_square, .context = sum};
    struct taskpool_machine machine = {.n_workers = 64, .latency_s = 1e-5, .time = one_millisecond};
    struct taskpool *pool;
    int status = taskpool_create(MPI_COMM_WORLD, &problem, settings, &pool);
    if (status == TASKPOOL_STATUS_OK)
        status = run_twice(pool);
    taskpool_destroy(pool);
    MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (status != TASKPOOL_STATUS_OK)
        return status;

    problem.context = simulated;
    status = taskpool_simulate(&problem, settings, &machine, &pool);
    if (status == TASKPOOL_STATUS_OK)
        status = run_twice(pool);
    /* Others than worker 0 get tasks. */
    if (status == TASKPOOL_STATUS_OK && taskpool_statistics(pool, 1)->makespan_s > 0.5)
        status = taskpool_fail(TASKPOOL_STATUS_PROTOCOL, "one worker ran more than half");
    taskpool_destroy(pool);
    return status;
}

static int first_worker(int64_t task, int n_workers, void *context)
{
    return 0;
}

/* The makespan of the second iteration, in which worker 0 begins with all tasks; 16 workers make a node. */
static int time_mode(const char *mode, double *makespan_s)
{
    struct taskpool_problem problem = {.n_tasks = 1000, .owner = first_worker};
    struct taskpool_machine machine = {
        .n_workers = 64, .node_size = 16, .latency_s = 1e-5, .time = one_millisecond};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.seeding = TASKPOOL_SEEDING_OWNER;
    int status = taskpool_simulate(&problem, &settings, &machine, &pool);
    if (status == TASKPOOL_STATUS_OK)
        status = run_twice(pool);
    if (status == TASKPOOL_STATUS_OK)
        *makespan_s = taskpool_statistics(pool, 1)->makespan_s;
    taskpool_destroy(pool);
    return status;
}

static int compare_with_steal(void)
{
    double own_s = 0, steal_s = 0;
    int status = time_mode("thieves", &own_s);
    if (status == TASKPOOL_STATUS_OK)
        status = time_mode("steal", &steal_s);
    if (status == TASKPOOL_STATUS_OK && own_s != steal_s)
        status = taskpool_fail(TASKPOOL_STATUS_PROTOCOL, "thieves take another time than steal");
    return status;
}

static int run_and_print(const char *mode, int rank)
{
    int64_t sum = 0, simulated = 0;
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    int status = TASKPOOL_STATUS_OK;
    if (strcmp(mode, "example") == 0)
        status = taskpool_settings_set(&settings, "example-grant", "7");
    if (status == TASKPOOL_STATUS_OK)
        status = run_mode(&settings, &sum, &simulated);
    if (rank == 0 && status == TASKPOOL_STATUS_OK)
        printf("%s %lld %lld\n", mode, (long long)sum, (long long)simulated);
    return status;
}

int main(int argc, char **argv)
{
    const struct taskpool_mode *modes[] = {&mode_example, &mode_thieves, &mode_single};
    int status = TASKPOOL_STATUS_OK, rank;
    char names[1000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3 && status == TASKPOOL_STATUS_OK; i++)
        status = taskpool_register_mode(modes[i]);
    snprintf(names, sizeof names, "%s", taskpool_mode_names());
    for (char *name = strtok(names, ","); name && status == TASKPOOL_STATUS_OK;
         name = strtok(NULL, ","))
        status = run_and_print(name, rank);
    if (status == TASKPOOL_STATUS_OK)
        status = compare_with_steal();
    if (rank == 0 && status != TASKPOOL_STATUS_OK)
        fprintf(stderr, "%s\n", taskpool_error_text());
    MPI_Finalize();
    return status != TASKPOOL_STATUS_OK;
}
