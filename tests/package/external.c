/* SPDX-License-Identifier: BSD-3-Clause */
/* With nothing but the installed package: registers modes of the program's own, then runs every mode
 * over MPI and on 64 simulated workers. Prints the sum of the squares below 1000, twice, of each. The
 * one that steals by the library's protocol takes as long as `steal`. */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* of callbacks */
#include <stdio.h>
#include <string.h>
#include <taskpool/mode.h>
#include <taskpool/simulation.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ != TASKPOOL_STATUS_OK)                                                         \
            return status_;                                                                        \
    } while (0)

extern const struct taskpool_mode mode_example, mode_thieves;
extern const struct taskpool_mode mode_single; /* printed by sched/README.md */

static int rank;

static int add_square(int64_t task, void *context)
{
    *(int64_t *)context += task * task;
    return TASKPOOL_STATUS_OK;
}

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    return 1e-3;
}

static int first_worker(int64_t task, int n_workers, void *context)
{
    return 0;
}

static int run_twice(struct taskpool *pool)
{
    TRY(taskpool_run(pool));
    TRY(taskpool_restore(pool));
    return taskpool_run(pool);
}

/* Simulates two iterations; makespan_s: of the second. */
static int simulate_twice(const struct taskpool_problem *problem,
                          const struct taskpool_settings *settings, double *makespan_s)
{
    /* 16 workers make a node. */
    struct taskpool_machine machine = {
        .n_workers = 64, .node_size = 16, .latency_s = 1e-5, .time = one_millisecond};
    struct taskpool *pool;
    TRY(taskpool_simulate(problem, settings, &machine, &pool));
    TRY(run_twice(pool));
    *makespan_s = taskpool_statistics(pool, 1)->makespan_s;
    taskpool_destroy(pool);
    return TASKPOOL_STATUS_OK;
}

/* Runs a pool over MPI, and one that is simulated. */
static int run_mode(const char *mode)
{
    int64_t sum = 0, simulated = 0;
    double makespan_s;
    struct taskpool_problem problem = {.n_tasks = 1000, .run = add_square, .context = &sum};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    if (strcmp(mode, "example") == 0)
        TRY(taskpool_settings_set(&settings, "example-grant", "7"));
    TRY(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    TRY(run_twice(pool));
    taskpool_destroy(pool);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    problem.context = &simulated;
    TRY(simulate_twice(&problem, &settings, &makespan_s));
    if (makespan_s > 0.5)
        return taskpool_fail(TASKPOOL_STATUS_PROTOCOL, "one worker ran more than half");
    if (rank == 0)
        printf("%s %lld %lld\n", mode, (long long)sum, (long long)simulated);
    return TASKPOOL_STATUS_OK;
}

static int run_modes(void)
{
    const struct taskpool_mode *modes[] = {&mode_example, &mode_thieves, &mode_single};
    const struct taskpool_problem problem = {.n_tasks = 1000, .owner = first_worker};
    struct taskpool_settings settings;
    char names[1000];
    double own_s, steal_s;
    for (int i = 0; i < 3; i++)
        TRY(taskpool_register_mode(modes[i]));
    snprintf(names, sizeof names, "%s", taskpool_mode_names());
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        TRY(run_mode(name));
    /* Worker 0 begins with all tasks. */
    taskpool_settings_default(&settings);
    settings.seeding = TASKPOOL_SEEDING_OWNER;
    settings.mode = "thieves";
    TRY(simulate_twice(&problem, &settings, &own_s));
    settings.mode = "steal";
    TRY(simulate_twice(&problem, &settings, &steal_s));
    if (own_s != steal_s)
        return taskpool_fail(TASKPOOL_STATUS_PROTOCOL, "thieves take another time than steal");
    return TASKPOOL_STATUS_OK;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = run_modes();
    if (rank == 0 && status != TASKPOOL_STATUS_OK)
        fprintf(stderr, "%s\n", taskpool_error_text());
    MPI_Finalize();
    return status != TASKPOOL_STATUS_OK;
}
