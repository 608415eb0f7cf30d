/* A mode of the program's own with nothing but the installed package: registered, then run over
 * MPI and on 64 simulated workers. Prints the sum of the squares below 1000, twice, of each. */
#include "mode_countdown.h"

#include <sched/pool/drivers/sim/machine.h>
#include <sched/pool/taskpool.h>
#include <stdio.h>

static enum status add_square(int64_t task, void *context)
{
    *(int64_t *)context += task * task;
    return STATUS_OK;
}

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

static enum status run_twice(struct taskpool *pool)
{
    enum status status = taskpool_run(pool);
    if (status == STATUS_OK)
        status = taskpool_restore(pool);
    return status == STATUS_OK ? taskpool_run(pool) : status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int64_t sum = 0, simulated = 0;
    struct taskpool_problem problem = {.n_tasks = 1000, .run = add_square, .context = &sum};
    struct taskpool_machine machine = {.n_workers = 64, .latency_s = 1e-5, .time = one_millisecond};
    struct taskpool_settings settings;
    struct taskpool *pool = NULL;
    enum status status = taskpool_register_mode(&mode_countdown);
    taskpool_settings_default(&settings);
    settings.mode = "countdown";
    if (status == STATUS_OK)
        status = taskpool_settings_set(&settings, "countdown-chunk", "7");
    if (status == STATUS_OK)
        status = taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool);
    if (status == STATUS_OK)
        status = run_twice(pool);
    taskpool_destroy(pool);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);

    pool = NULL;
    problem.context = &simulated;
    if (status == STATUS_OK)
        status = taskpool_simulate(&problem, &settings, &machine, &pool);
    if (status == STATUS_OK)
        status = run_twice(pool);
    taskpool_destroy(pool);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && status == STATUS_OK)
        printf("%lld %lld\n", (long long)sum, (long long)simulated);
    else if (rank == 0)
        fprintf(stderr, "%s\n", status_text());
    MPI_Finalize();
    return status_exit_code(status);
}
