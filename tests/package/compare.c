/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes compared on a pool of the program's own with nothing but the installed package: over MPI,
 * and on 64 simulated workers, where one task takes as long as a hundred others. Prints the tables
 * and the sum of the squares below 1000 times all runs. */
#include <stdio.h>
#include <taskpool/simulation.h>

static int add_square(int64_t task, void *context)
{
    *(int64_t *)context += task * task;
    return TASKPOOL_STATUS_OK;
}

static double uneven(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task == 0 ? 0.1 : 1e-3;
}

static int compare_and_print(const struct taskpool_problem *problem,
                             const struct taskpool_comparison *plan, int rank)
{
    struct taskpool_settings settings;
    struct taskpool_compared *compared;
    taskpool_settings_default(&settings);
    int status = taskpool_compare(MPI_COMM_WORLD, problem, &settings, plan, &compared);
    if (rank == 0 && status == TASKPOOL_STATUS_OK) {
        taskpool_compared_print(compared, stdout);
        for (int i = 0; i < taskpool_compared_n(compared); i++)
            printf("%s %d\n", taskpool_compared_at(compared, i)->name,
                   taskpool_compared_at(compared, i)->verdict);
    }
    taskpool_compared_destroy(compared);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    int64_t sum = 0;
    struct taskpool_problem problem = {.n_tasks = 1000, .run = add_square, .context = &sum};
    const struct taskpool_machine machine = {.n_workers = 64, .latency_s = 1e-6, .time = uneven};
    struct taskpool_comparison plan = {
        .modes = "static,steal,static", .n_rounds = 3, .n_iterations = 3};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int status = compare_and_print(&problem, &plan, rank);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && status == TASKPOOL_STATUS_OK)
        printf("sum %lld\n\n", (long long)sum);

    problem.run = NULL;
    plan = (struct taskpool_comparison){
        .modes = "static,steal,static", .n_rounds = 9, .n_iterations = 1, .machine = &machine};
    if (status == TASKPOOL_STATUS_OK)
        status = compare_and_print(&problem, &plan, rank);
    if (rank == 0 && status != TASKPOOL_STATUS_OK)
        fprintf(stderr, "%s\n", taskpool_error_text());
    MPI_Finalize();
    return status != TASKPOOL_STATUS_OK;
}
