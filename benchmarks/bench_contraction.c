/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints how near a contraction comes to the machine's own DGEMM: GFLOP/s per process,
 * counting useful operations only, of
 *     DGEMM of 4000 x 4000 matrices, on all processes at once
 *     C[i,j,k,l] += A[i,j,a,b] * B[a,b,k,l]   of inputs/lifflander-m.tce
 *     C[i,k,j,l] += A[i,a,j,b] * B[b,k,a,l]   the same with all tensors permuted
 * and of both in NWChem's manner: a shared counter, every block of another process fetched when it
 * is needed and not kept. Then the microseconds that a contraction of one small matrix takes.
 *
 *     bench_contraction [REPEAT]
 *     mpirun -np 2 bench_contraction */
#include "benchmarks/dgemm_rate.h"
#include "support/arrays/dense.h"
#include "support/io/options.h"
#include "tce/run/stage.h"

#include <cblas.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DGEMM_N = 4000, TILE = 20, SMALL = 10, N_SMALL_RUNS = 1000 };

struct form {
    const char *C, *A, *B;
};

static double element(const int64_t value[], void *context)
{
    (void)context;
    return 1.0 / (double)(1 + (value[0] * 7 + value[1] * 5 + value[2] * 3 + value[3]) % 101);
}

/* i, j, k, l run over O; a, b over V. */
static struct contraction_operand operand_of(const char *letters, const struct index_space *O,
                                             const struct index_space *V,
                                             struct block_labels *labels)
{
    *labels = (struct block_labels){0};
    struct contraction_operand operand = {.labels = labels};
    for (int d = 0; letters[d]; d++) {
        labels->space[d] = letters[d] < 'i' ? V : O;
        labels->sign[d] = 1;
        operand.index[d] = letters[d] - 'a';
        labels->rank++;
    }
    return operand;
}

static enum status time_contraction(const struct contraction_problem *problem, bool as_nwchem,
                                    int repeat, double *rate)
{
    const struct contraction_settings settings = {.cache_bytes = as_nwchem ? 0 : 500000000,
                                                  .prefetch = !as_nwchem};
    struct stage *stage;
    struct taskpool_settings pool;
    int n_processes;
    double flops = 0, best_s = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    taskpool_settings_default(&pool);
    if (as_nwchem)
        pool.mode = "counter";
    TRY(stage_create(1, problem, &settings, &stage));
    for (int64_t task = 0; task < stage_n_tasks(stage); task++)
        flops += stage_task_cost(stage, task).flops;
    enum status status = stage_start(stage, &pool, MPI_COMM_WORLD);
    for (int i = 0; status == STATUS_OK && i < repeat; i++) {
        double start_s = now_together_s();
        status = stage_run(stage);
        double s = now_together_s() - start_s;
        best_s = i == 0 || s < best_s ? s : best_s;
    }
    *rate = 1e-9 * flops / best_s / n_processes;
    stage_destroy(stage);
    return status;
}

static enum status create_operands(struct contraction_problem *problem)
{
    struct contraction_operand *operands[] = {&problem->C, &problem->A, &problem->B};
    static const char *const names[] = {"C", "A", "B"};
    for (int i = 0; i < 3; i++)
        TRY(tensor_create(names[i], operands[i]->labels, MPI_COMM_WORLD, &operands[i]->tensor));
    return STATUS_OK;
}

static void destroy_operands(struct contraction_problem *problem)
{
    tensor_destroy(problem->C.tensor);
    tensor_destroy(problem->A.tensor);
    tensor_destroy(problem->B.tensor);
}

static enum status run_form(const struct form *form, const struct index_space *O,
                            const struct index_space *V, int repeat, double dgemm)
{
    static const char *const manners[] = {"", ", NWChem's manner"};
    struct block_labels C, A, B;
    struct contraction_problem problem = {.C = operand_of(form->C, O, V, &C),
                                          .A = operand_of(form->A, O, V, &A),
                                          .B = operand_of(form->B, O, V, &B),
                                          .has_B = true,
                                          .add = true,
                                          .factor = 1};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    enum status status = create_operands(&problem);
    if (status == STATUS_OK) {
        tensor_fill(problem.A.tensor, element, NULL);
        tensor_fill(problem.B.tensor, element, NULL);
    }
    for (int manner = 0; status == STATUS_OK && manner < 2; manner++) {
        double rate;
        status = time_contraction(&problem, manner == 1, repeat, &rate);
        if (status == STATUS_OK && rank == 0)
            printf("C[%s] += A[%s] * B[%s]%-18s %7.1f GFLOP/s per process, %3.0f %%\n", form->C,
                   form->A, form->B, manners[manner], rate, 100 * rate / dgemm);
        fflush(stdout);
    }
    destroy_operands(&problem);
    return status;
}

/* Microseconds of C[i,j] = A[i,k] * B[k,j], of one block each. */
static enum status time_small(const char *mode, double *time_us)
{
    static const struct index_block block = {.size = SMALL};
    static const struct contraction_settings settings = {.cache_bytes = 1000000, .prefetch = true};
    struct index_space *space;
    struct block_labels C, A, B;
    struct stage *stage = NULL;
    struct taskpool_settings pool;
    taskpool_settings_default(&pool);
    pool.mode = mode;
    TRY(index_space_create("s", 1, &block, SMALL, &space));
    struct contraction_problem problem = {.C = operand_of("ij", space, space, &C),
                                          .A = operand_of("ik", space, space, &A),
                                          .B = operand_of("kj", space, space, &B),
                                          .has_B = true,
                                          .factor = 1};
    enum status status = create_operands(&problem);
    if (status == STATUS_OK)
        status = stage_create(1, &problem, &settings, &stage);
    if (status == STATUS_OK)
        status = stage_start(stage, &pool, MPI_COMM_WORLD);
    double start_s = now_together_s();
    for (int i = 0; i < N_SMALL_RUNS && status == STATUS_OK; i++)
        status = stage_run(stage);
    *time_us = 1e6 * (now_together_s() - start_s) / N_SMALL_RUNS;
    stage_destroy(stage);
    destroy_operands(&problem);
    index_space_destroy(space);
    return status;
}

static enum status print_small(void)
{
    static const char *const modes[] = {"static", "auto"};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        double time_us;
        TRY(time_small(modes[i], &time_us));
        if (rank == 0)
            printf("C[ij] = A[ik] * B[kj] of %d x %d, %-6s %27.1f us\n", SMALL, SMALL, modes[i],
                   time_us);
    }
    return STATUS_OK;
}

static enum status run(int repeat)
{
    static const struct index_block occupied[] = {{60, 0, 0}, {45, 1, 0}, {25, 2, 0}, {52, 3, 0}};
    static const struct index_block virtual[] = {{20, 0, 0}, {24, 1, 0}, {20, 2, 0}, {20, 3, 0}};
    static const struct form forms[] = {{"ijkl", "ijab", "abkl"}, {"ikjl", "iajb", "bkal"}};
    struct index_space *O, *V;
    double dgemm;
    int rank, n_processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    TRY(dgemm_rate(DGEMM_N, repeat, &dgemm));
    if (rank == 0)
        printf("Processes %d, OpenBLAS's kernels for %s\n"
               "DGEMM, n = %d %43.1f GFLOP/s per process\n",
               n_processes, openblas_get_corename(), DGEMM_N, dgemm);
    TRY(index_space_create("O", 4, occupied, TILE, &O));
    enum status status = index_space_create("V", 4, virtual, TILE, &V);
    for (int f = 0; status == STATUS_OK && f < 2; f++)
        status = run_form(&forms[f], O, V, repeat, dgemm);
    index_space_destroy(O);
    index_space_destroy(V);
    return status == STATUS_OK ? print_small() : status;
}

int main(int argc, char **argv)
{
    int rank, repeat = argc > 1 ? atoi(argv[1]) : 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    enum status status = dense_start(MPI_COMM_WORLD);
    if (status == STATUS_OK)
        status = darray_start();
    if (status == STATUS_OK && repeat < 1)
        status = FAIL(STATUS_USAGE, "'%s' is not a number of repetitions from 1 on", argv[1]);
    if (status == STATUS_OK)
        status = run(repeat);
    if (status != STATUS_OK && rank == 0)
        fprintf(stderr, "bench_contraction: %s\n", status_text());
    darray_stop();
    MPI_Finalize();
    return status_exit_code(status);
}
