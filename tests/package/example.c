/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool of uneven tasks with nothing but the installed package: the squares of
 * the numbers below 1000, summed, twice, under the mode named on the command line. */

#include <stdio.h>
#include <taskpool/taskpool.h>

static int add_square(int64_t task, void *context)
{
    *(int64_t *)context += task * task;
    return TASKPOOL_STATUS_OK;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int64_t sum = 0;
    struct taskpool_problem problem = {.n_tasks = 1000, .run = add_square, .context = &sum};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    if (argc > 1)
        settings.mode = argv[1];

    struct taskpool *pool = NULL;
    int status = taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool);
    for (int i = 0; i < 2 && status == TASKPOOL_STATUS_OK; i++) {
        if (i > 0)
            status = taskpool_restore(pool);
        if (status == TASKPOOL_STATUS_OK)
            status = taskpool_run(pool);
    }
    taskpool_destroy(pool);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && status == TASKPOOL_STATUS_OK)
        printf("%lld\n", (long long)sum);
    else if (rank == 0)
        fprintf(stderr, "%s\n", taskpool_error_text());
    MPI_Finalize();
    return status != TASKPOOL_STATUS_OK;
}
