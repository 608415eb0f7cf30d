/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints, for each mode of the command line, how long a worker on another host than a block takes
 * to get it while the block's owner runs a task that polls: seconds per get.
 *
 *     mpirun -n 2 host_progress poll|thread MODE...
 *
 * The first argument is the value of --progress.
 *
 * Two tasks, one for each process: one computes, the other gets the block of its neighbour. */
#include "support/arrays/darray.h"
#include "support/base/clock.h"
#include "support/mpi/mpi_transport.h"
#include "taskpool/taskpool.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Elements of a block, more than TCP sends without the receiver's consent; gets; and the other
 * task's seconds, which the gets must not take. */
enum { BLOCK = 50000, N_GETS = 10 };
#define COMPUTING_S 1.0
#define POLL_S      100e-6

static struct {
    struct taskpool *pool;
    struct darray *array;
    double get_s;
} run;

static void compute(void)
{
    double start_s = clock_now_s(), polled_s = start_s, now_s;
    while ((now_s = clock_now_s()) - start_s < COMPUTING_S) {
        if (now_s - polled_s < POLL_S)
            continue;
        taskpool_poll(run.pool);
        polled_s = clock_now_s();
    }
}

static int run_task(int64_t task, void *context)
{
    (void)context;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (task == 0) {
        compute();
        return STATUS_OK;
    }
    static double block[BLOCK];
    double start_s = clock_now_s();
    for (int i = 0; i < N_GETS; i++)
        darray_get(run.array, 1 - rank, block);
    run.get_s = (clock_now_s() - start_s) / N_GETS;
    return STATUS_OK;
}

static enum status measure_mode(const char *progress, const char *mode)
{
    struct taskpool_problem problem = {.n_tasks = 2, .run = run_task};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    TRY(taskpool_settings_set(&settings, "sched", mode));
    TRY(taskpool_settings_set(&settings, "progress", progress));
    TRY(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &run.pool));
    run.get_s = 0;
    enum status status = taskpool_run(run.pool);
    taskpool_destroy(run.pool);
    if (run.get_s > 0)
        printf("%-10s %.6f\n", mode, run.get_s);
    return status;
}

int main(int argc, char **argv)
{
    const int64_t size[] = {BLOCK, BLOCK};
    if (argc < 3)
        return 2;
    bool threaded = strcmp(argv[1], "thread") == 0;
    mpi_transport_start(threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    enum status status = darray_start();
    if (status == STATUS_OK)
        status = darray_create("blocks", DARRAY_DOUBLE, 2, size, &run.array);
    for (char **mode = argv + 2; *mode && status == STATUS_OK; mode++)
        status = measure_mode(argv[1], *mode);
    if (status != STATUS_OK)
        status_print("host_progress");
    darray_sync();
    darray_destroy(run.array);
    darray_stop();
    MPI_Finalize();
    return status != STATUS_OK;
}
