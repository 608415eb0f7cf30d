/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools and Global Arrays share a program: tasks read and accumulate blocks of
 * distributed arrays while a shared counter hands them out. */
#include "support/arrays/darray.h"
#include "tests/cases/darray_case.h"
#include "tests/cases/pool_cases.h"

#include <stdlib.h>

enum { n_blocks = 23, block_size = 100, n_tasks = 2000 };

struct arrays {
    struct darray *source;
    struct darray *target;
};

/* target[task mod n] += source[task mod n] */
static int add_block(int64_t task, void *context)
{
    struct arrays *arrays = context;
    double buffer[block_size];
    darray_get(arrays->source, task % n_blocks, buffer);
    darray_acc(arrays->target, task % n_blocks, buffer);
    return STATUS_OK;
}

static int owner(int64_t task, int n_workers, void *context)
{
    struct arrays *arrays = context;
    return darray_owner(arrays->target, task % n_blocks) % n_workers;
}

static double cost(int64_t task, void *context)
{
    (void)context;
    return 1 + (double)(task % n_blocks);
}

static void fill(struct arrays *arrays)
{
    int64_t size[n_blocks];
    double values[block_size];
    int rank, n_processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    for (int i = 0; i < n_blocks; i++)
        size[i] = block_size;
    check_ok(darray_create("source", DARRAY_DOUBLE, n_blocks, size, &arrays->source));
    check_ok(darray_create("target", DARRAY_DOUBLE, n_blocks, size, &arrays->target));
    for (int block = rank; block < n_blocks; block += n_processes) {
        for (int i = 0; i < block_size; i++)
            values[i] = block + 1000 * i;
        darray_put(arrays->source, block, values);
    }
    darray_sync();
}

/* Each block was added as often as there are tasks for it, per iteration. */
static void check_target(const struct arrays *arrays, int n_iterations)
{
    double values[block_size];
    for (int block = 0; block < n_blocks; block++) {
        int n_added = n_iterations * (n_tasks / n_blocks + (block < n_tasks % n_blocks));
        darray_get(arrays->target, block, values);
        for (int i = 0; i < block_size; i++)
            check_close(values[i], (double)n_added * (block + 1000 * i), 0);
    }
    darray_sync();
}

TEST(tasks_use_global_arrays)
{
    struct arrays arrays;
    fill(&arrays);
    for (int i = 0; i < pool_case_count(true); i++) {
        struct taskpool_problem problem = {
            .n_tasks = n_tasks, .run = add_block, .owner = owner, .cost = cost, .context = &arrays};
        struct taskpool_settings settings = pool_case_settings(pool_case_find(i, true));
        struct taskpool *pool;
        darray_zero(arrays.target);
        darray_sync();
        check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
        for (int iteration = 1; iteration <= 2; iteration++) {
            check_ok(taskpool_run(pool));
            darray_sync();
            check_target(&arrays, iteration);
            check_ok(taskpool_restore(pool));
        }
        taskpool_destroy(pool);
    }
    darray_destroy(arrays.target);
    darray_destroy(arrays.source);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
