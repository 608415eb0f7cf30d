/* SPDX-License-Identifier: BSD-3-Clause */
/* How often this machine's noise deceives a comparison of ROUNDS (10) rounds: static with itself is
 * to be called different in 5 of 100 comparisons at most, and to be found in 90 of 100 where the
 * tasks of the second take 1.1 times as long.
 *
 *     mpirun -np P bench_comparison [COMPARISONS [SECONDS [ITERATIONS [ROUNDS]]]]
 *
 * 100 comparisons of each kind, of pools that run ITERATIONS (1) times in a round and take some
 * SECONDS (0.01) each. Other programs may run meanwhile: then the noise is theirs.
 *
 * Noise of single runs, independent and of Gauss's kind, hides 10 % from ten rounds when it sets
 * their quartiles more than 6 % apart: 94 of 100 are found at 6 %, 75 at 8 %, 43 at 11 %. What
 * helps then is longer rounds, or more of them. */
#include "sched/lab/comparison/taskpool_compare.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS_OF_PROCESS = 20 };

struct work {
    double steps, ratio, sum; /* steps: of a task of the first mode */
    int64_t n_rounds;
    int64_t n_iterations; /* of a round */
    int64_t n_steps;      /* of a task now */
};

static int compute(int64_t task, void *context)
{
    struct work *work = context;
    double x = (double)task;
    for (int64_t i = 0; i < work->n_steps; i++)
        x = x * 0.999 + 1;
    work->sum += x;
    return STATUS_OK;
}

static int set_steps(struct taskpool *pool, int mode, int64_t round, int64_t iteration,
                     void *context)
{
    struct work *work = context;
    (void)pool, (void)round, (void)iteration;
    work->n_steps = (int64_t)(work->steps * (mode == 1 ? work->ratio : 1));
    return STATUS_OK;
}

static double seconds_per_step(struct work *work)
{
    double start_s = MPI_Wtime(), slowest_s;
    work->n_steps = 20000000;
    compute(0, work);
    double own_s = MPI_Wtime() - start_s;
    MPI_Allreduce(&own_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest_s / (double)work->n_steps;
}

/* seed    of the orders of the rounds
 * spread  added to: the interquartile range of the first mode over its median */
static enum comparison_verdict compare_pools(struct work *work, int n_processes, int64_t seed,
                                             double *spread)
{
    const struct taskpool_problem problem = {
        .n_tasks = (int64_t)TASKS_OF_PROCESS * n_processes, .run = compute, .context = work};
    const struct taskpool_comparison plan = {.modes = "static,static",
                                             .n_rounds = work->n_rounds,
                                             .n_iterations = work->n_iterations,
                                             .prepare = set_steps};
    struct taskpool_settings settings;
    struct comparison comparison;
    taskpool_settings_default(&settings);
    settings.seed = seed;
    if (comparison_of_pools(MPI_COMM_WORLD, &problem, &settings, &plan, &comparison) != STATUS_OK)
        status_print("bench_comparison");
    const struct comparison_mode *first = &comparison.modes[0];
    enum comparison_verdict verdict = comparison.modes[1].verdict;
    *spread += (first->third_quartile_s - first->first_quartile_s) / first->median_s.value;
    comparison_fini(&comparison);
    return verdict;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, n_processes, rank;
    double seconds = argc > 2 ? atof(argv[2]) : 0.01;
    struct work work = {.n_iterations = argc > 3 ? atoi(argv[3]) : 1,
                        .n_rounds = argc > 4 ? atoi(argv[4]) : 10};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work.steps = seconds / TASKS_OF_PROCESS / seconds_per_step(&work);
    for (int kind = 0; kind < 2; kind++) {
        int n_found[3] = {0};
        double spread = 0;
        work.ratio = kind == 0 ? 1 : 1.1;
        for (int i = 0; i < n; i++)
            n_found[compare_pools(&work, n_processes, i + 1, &spread)]++;
        if (rank == 0)
            printf("ratio %.2f: %d slower, %d faster, %d not distinguishable; quartiles %.1f %% "
                   "apart\n",
                   work.ratio, n_found[COMPARISON_SLOWER], n_found[COMPARISON_FASTER],
                   n_found[COMPARISON_NOT_DISTINGUISHABLE], 100 * spread / n);
    }
    MPI_Finalize();
    return work.sum == -1;
}
