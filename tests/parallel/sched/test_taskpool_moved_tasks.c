/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that take longer the first time that a process runs them, as it has not got their data: where moves
 * cost something, that does not look as if the process were slow. */
#include "taskpool/taskpool.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <stdlib.h>

enum { TASKS_EACH = 24, N_ITERATIONS = 28, GROWS_IN = 6 };

/* Factor of a duration where the task did not run in the iteration before. */
#define FIRST_TIME 3

#define EVEN_WITHIN 0.05

struct process {
    struct taskpool *pool;
    int iteration;
    int *ran_in; /* by task: one more than the last iteration in which it ran here; 0: none */
    double load_s;
};

/* Twice as much for the first process's tasks as for others, and later four times. */
static double work_of(int64_t task, int iteration)
{
    double usual = 1 + 0.1 * (double)(task % 7), factor = iteration < GROWS_IN ? 2 : 4;
    return task < TASKS_EACH ? factor * usual : usual;
}

static int run_timed(int64_t task, void *context)
{
    struct process *process = context;
    bool was_here = process->ran_in[task] == process->iteration;
    double time_s = work_of(task, process->iteration) * (was_here ? 1 : FIRST_TIME);
    process->ran_in[task] = process->iteration + 1;
    process->load_s += work_of(task, process->iteration);
    taskpool_set_duration(process->pool, time_s);
    return STATUS_OK;
}

/* An imbalance of EVEN_WITHIN and a mean task stays where moves cost something. */
static void test_processes_with_new_tasks_are_not_slow(void **state)
{
    (void)state;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int64_t n_tasks = (int64_t)TASKS_EACH * size;
    struct process process = {.ran_in = calloc((size_t)n_tasks, sizeof(int))};
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = run_timed,
                                       .even_within = EVEN_WITHIN,
                                       .move_cost = 0.1,
                                       .context = &process};
    struct taskpool_settings settings = pool_case_settings("--sched=persist");
    assert_non_null(process.ran_in);
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &process.pool));
    for (; process.iteration < N_ITERATIONS; process.iteration++) {
        process.load_s = 0;
        check_ok(taskpool_run(process.pool));
        check_ok(taskpool_restore(process.pool));
    }
    double most_s, sum_s;
    MPI_Allreduce(&process.load_s, &most_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&process.load_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    assert_true(most_s * size / sum_s < 1 + EVEN_WITHIN + 1.0 / TASKS_EACH + 0.02);
    taskpool_destroy(process.pool);
    free(process.ran_in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes_with_new_tasks_are_not_slow),
    };
    return check_run_parallel(tests, &argc, &argv);
}
