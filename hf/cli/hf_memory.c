#include "hf/cli/hf_memory.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf.h"
#include "support/base/log.h"
#include "support/base/memory.h"

#include <stdint.h>

static double megabytes(int64_t bytes)
{
    return (double)bytes * 1e-6;
}

/* An equal share for each process of what its node can still give; the least of
 * all nodes. */
static int64_t available_per_process(MPI_Comm comm)
{
    MPI_Comm node;
    int n_on_node;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n_on_node);
    MPI_Comm_free(&node);
    int64_t available = memory_available_bytes();
    if (available != INT64_MAX)
        available /= n_on_node;
    MPI_Allreduce(MPI_IN_PLACE, &available, 1, MPI_INT64_T, MPI_MIN, comm);
    return available;
}

/* The largest of the modes, which run one after another. */
static int64_t pool_bytes(const struct hf_options *options, const struct tiling *tiling,
                          int n_processes)
{
    const struct mode_list only = {.n = 1, .modes = {options->pool.mode}};
    const struct mode_list *modes = options->compare ? &options->modes : &only;
    struct taskpool_settings pool = options->pool;
    pool.keep_history = options->profile != NULL;
    int64_t most = 0;
    for (int i = 0; i < modes->n; i++) {
        pool.mode = modes->modes[i];
        int64_t bytes = fock_pool_bytes(tiling, &options->fock, &pool, n_processes);
        most = bytes > most ? bytes : most;
    }
    return most;
}

enum status hf_memory_check(const struct hf_options *options, const struct hf_input *input,
                            const struct tiling *tiling, const struct dense_grid *grid,
                            MPI_Comm comm)
{
    int n_processes, n_spins = input->n_spins;
    MPI_Comm_size(comm, &n_processes);
    int64_t n = input->shells->n_functions;
    /* D, and F of --fock-only, as packed tiles. */
    int64_t matrices = 2 * n_spins * (n * n / 2 * 8 / n_processes);
    if (!options->fock_only)
        matrices += scf_bytes(grid, n, n_spins, &options->scf);
    int64_t build = fock_bytes(tiling, &options->fock, n_spins, n_processes) +
                    pool_bytes(options, tiling, n_processes);
    int64_t cache = options->fock.cache_bytes;
    if (options->count_tasks) {
        matrices = cache = 0;
        build = fock_tasks_bytes(tiling, n_processes);
    }
    int64_t needed = build + matrices;
    int64_t available = options->memory_megabytes ? options->memory_megabytes * 1000000
                                                  : available_per_process(comm);
    log_print("Memory     %.0f MB per process (matrices %.0f, Fock build %.0f of which caches up "
              "to %.0f); available %.0f MB\n",
              megabytes(needed), megabytes(matrices), megabytes(build), megabytes(cache),
              megabytes(available));
    if (needed > available)
        return FAIL(STATUS_NO_MEMORY,
                    "%s with %s takes %.0f MB on each of %d processes, but %.0f MB are available: "
                    "use more processes on more nodes, or a smaller --cache",
                    options->molecule, options->basis, megabytes(needed), n_processes,
                    megabytes(available));
    return STATUS_OK;
}
