#include "hf/calculation/hf_memory.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf.h"
#include "support/arrays/darray.h"
#include "support/base/log.h"
#include "support/base/memory.h"

#include <stdint.h>
#include <stdio.h>

static double megabytes(int64_t bytes)
{
    return (double)bytes * 1e-6;
}

/* The largest of the modes, which run one after another. */
static int64_t pool_bytes(const struct hf_settings *settings, const struct tiling *tiling,
                          int n_processes)
{
    struct taskpool_settings pool = settings->pool;
    int64_t most = 0;
    for (int i = 0; i < settings->modes.n; i++) {
        pool.mode = settings->modes.modes[i];
        int64_t bytes = fock_pool_bytes(tiling, &settings->fock, &pool, n_processes);
        most = bytes > most ? bytes : most;
    }
    return most;
}

enum status hf_memory_check(const struct hf_settings *settings, const struct hf_input *input,
                            const struct tiling *tiling, const struct dense_grid *grid,
                            MPI_Comm comm)
{
    int n_processes, n_spins = input->n_spins;
    MPI_Comm_size(comm, &n_processes);
    int64_t n = input->shells->n_functions;
    int64_t one = n * n / 2 * 8 / n_processes, tiles = n_spins * one;
    /* D, and F of --fock-only, as packed tiles. */
    int64_t matrices = 2 * tiles;
    bool solves = settings->goal == HF_GOAL_SCF;
    if (solves)
        matrices += scf_bytes(grid, n, n_spins, input->n_occupied, &settings->scf);
    /* A restricted SCF is tested among unrestricted determinants. */
    bool both = solves && scf_tests_stability(&settings->scf, n_spins, n);
    int64_t build = fock_bytes(tiling, &settings->fock, both ? 2 : n_spins, n_processes) +
                    pool_bytes(settings, tiling, n_processes);
    int64_t cache = settings->fock.cache_bytes;
    /* D, F and the sums of a build; those of the last, S and H, and the three of the dipole. */
    int64_t shared = 3 * tiles + (solves ? 2 * tiles + 5 * one : 0);
    double windows = darray_overhead_bytes(3 * n_spins + (solves ? 2 * n_spins + 5 : 0));
    if (settings->goal == HF_GOAL_TASKS) {
        matrices = cache = shared = 0;
        windows = 0;
        build = fock_tasks_bytes(tiling, n_processes);
    }
    struct memory_need need = {.shared_bytes = (double)shared + windows,
                               .own_bytes = (double)(build + matrices - shared)};
    struct memory_budget budget = memory_budget(settings->memory_megabytes * 1000000, comm);
    log_print("Memory     %.0f MB per process (matrices %.0f, Fock build %.0f with caches of up "
              "to %.0f); available %.0f MB\n",
              megabytes(build + matrices), megabytes(matrices), megabytes(build), megabytes(cache),
              1e-6 * budget.main_bytes);
    char subject[512];
    snprintf(subject, sizeof subject, "%s with %s", settings->molecule, settings->basis);
    return memory_check(subject, &need, &budget,
                        "use more processes on more nodes, or a smaller --cache");
}
