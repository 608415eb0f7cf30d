/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that work out the seeding together find what one process finds. */
#include "sched/pool/core/seeding.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static const int64_t pool_sizes[] = {0, 1, 2, 7, 1000, 5003, 100003};

/* Whole numbers, so that sums do not depend on their order. */
static double cost(int64_t task, void *context)
{
    (void)context;
    return 1 + (double)(task % 1000 * (task % 7));
}

static int owner(int64_t task, int n_workers, void *context)
{
    (void)context;
    return (int)(task * task / 11 % n_workers);
}

TEST(shares_of_cost)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < N_OF(pool_sizes); i++) {
        struct taskpool_problem problem = {.n_tasks = pool_sizes[i], .cost = cost};
        struct taskpool_seeding together, alone;
        check_ok(seeding_init(&together, MPI_COMM_WORLD, &problem, TASKPOOL_SEEDING_COST, size));
        check_ok(seeding_init(&alone, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, size));
        for (int worker = 0; worker < size; worker++)
            assert_int_equal(taskpool_seeding_range(&together, worker, 0).last,
                             taskpool_seeding_range(&alone, worker, 0).last);
        seeding_fini(&together);
        seeding_fini(&alone);
    }
}

/* Marks the worker's tasks, which must not be marked yet. */
static void mark(const struct taskpool_seeding *seeding, int worker, char *marked)
{
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step) {
            assert_int_equal(marked[task], 0);
            marked[task] = 1;
        }
    }
}

TEST(tasks_of_an_owner)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < N_OF(pool_sizes); i++) {
        int64_t n_tasks = pool_sizes[i];
        struct taskpool_problem problem = {.n_tasks = n_tasks, .owner = owner};
        struct taskpool_seeding seeding;
        check_ok(seeding_init(&seeding, MPI_COMM_WORLD, &problem, TASKPOOL_SEEDING_OWNER, size));
        char *marked = calloc((size_t)n_tasks + 1, 1);
        assert_non_null(marked);
        mark(&seeding, rank, marked);
        for (int64_t task = 0; task < n_tasks; task++)
            assert_int_equal(marked[task], owner(task, size, NULL) == rank);
        free(marked);
        seeding_fini(&seeding);
    }
}
