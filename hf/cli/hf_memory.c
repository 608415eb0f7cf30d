#include "hf/cli/hf_memory.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/darray.h"
#include "support/base/log.h"
#include "support/base/memory.h"

#include <stdint.h>
#include <stdio.h>

static double megabytes(const struct memory_need *need)
{
    return 1e-6 * (need->shared_bytes + need->own_bytes);
}

/* The largest of the modes, which run one after another. */
static int64_t pool_bytes(const struct hf_options *options, const struct tiling *tiling,
                          int n_processes)
{
    struct taskpool_settings pool = options->pool;
    pool.keep_history = options->profile != NULL;
    int64_t most = 0;
    for (int i = 0; i < options->modes.n; i++) {
        pool.mode = options->modes.modes[i];
        int64_t bytes = fock_pool_bytes(tiling, &options->fock, &pool, n_processes);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* What the matrices and the Fock build take. */
struct estimate {
    struct memory_need matrices, build;
};

/* F of --fock-only comes after the SCF of its density. */
static void estimate_matrices(const struct hf_options *options, const struct scf_problem *problem,
                              int n_processes, struct memory_need *matrices)
{
    struct memory_need one = tile_matrix_bytes(problem->tiling, n_processes), F = {0}, scf = {0};
    memory_need_add(matrices, problem->n_spins, one); /* D */
    if (options->fock_only)
        memory_need_add(&F, problem->n_spins, one);
    if (hf_options_solve(options))
        scf = scf_bytes(problem, &options->scf, n_processes);
    memory_need_add(matrices, 1, memory_need_larger(F, scf));
}

static void estimate_build(const struct hf_options *options, const struct scf_problem *problem,
                           int n_processes, struct memory_need *build)
{
    const struct tiling *tiling = problem->tiling;
    /* A restricted SCF is tested among unrestricted determinants. */
    bool both = hf_options_solve(options) &&
                scf_tests_stability(&options->scf, problem->n_spins, problem->shells->n_functions);
    int n_spins = both ? 2 : problem->n_spins;
    memory_need_add(build, 1, fock_bytes(tiling, &options->fock, n_spins, n_processes));
    build->own_bytes += (double)pool_bytes(options, tiling, n_processes);
}

static struct estimate estimate_run(const struct hf_options *options,
                                    const struct scf_problem *problem, int n_processes)
{
    struct estimate estimate = {.build = screening_bytes(problem->tiling, n_processes)};
    if (options->count_tasks) {
        estimate.build.own_bytes +=
            (double)fock_tasks_bytes(problem->tiling, (enum fock_symmetry)options->fock.symmetry);
        return estimate;
    }
    estimate_matrices(options, problem, n_processes, &estimate.matrices);
    estimate_build(options, problem, n_processes, &estimate.build);
    return estimate;
}

enum status hf_memory_check(const struct hf_options *options, const struct hf_input *input,
                            const struct tiling *tiling, const struct dense_grid *grid,
                            MPI_Comm comm)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    const struct scf_problem problem = {.shells = input->shells,
                                        .tiling = tiling,
                                        .grid = grid,
                                        .comm = comm,
                                        .n_spins = input->n_spins,
                                        .n_occupied = {input->n_occupied[0], input->n_occupied[1]}};
    struct estimate estimate = estimate_run(options, &problem, n_processes);
    struct memory_need need = estimate.matrices;
    memory_need_add(&need, 1, estimate.build);
    struct memory_budget budget = memory_budget(options->memory_megabytes * 1000000, comm);
    log_print("Memory     %.0f MB per process (matrices %.0f, Fock build %.0f of which caches up "
              "to %.0f); available %.0f MB\n",
              megabytes(&need), megabytes(&estimate.matrices), megabytes(&estimate.build),
              options->count_tasks ? 0 : 1e-6 * (double)options->fock.cache_bytes,
              1e-6 * budget.main_bytes);
    need.shared_bytes += darray_overhead_bytes(need.n_shared);
    char subject[512];
    snprintf(subject, sizeof subject, "%s with %s", options->molecule, options->basis);
    return memory_check(subject, &need, &budget,
                        "use more processes on more nodes, or a smaller --cache");
}
