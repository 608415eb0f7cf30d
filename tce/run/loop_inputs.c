/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_inputs.h"

#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"

#include <stdlib.h>

static void add_tuples(const struct tile_loop_problem *problem, struct sha256 *sha256)
{
    const struct tile_tuples *tuples = &problem->tuples;
    sha256_add(sha256, &tuples->n, sizeof tuples->n);
    sha256_add(sha256, &tuples->ordered, sizeof tuples->ordered);
    for (int i = 0; i < tuples->n; i++) {
        const struct index_space *space = problem->space[i];
        sha256_add(sha256, space->first, ((size_t)space->n_tiles + 1) * sizeof *space->first);
    }
}

static enum status digest_sums(const struct tile_loop_problem *problem, const uint64_t sums[],
                               char hex[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    add_tuples(problem, sha256);
    sha256_add(sha256, sums, (size_t)problem->n_tensors * TENSOR_SUMS * sizeof *sums);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    return STATUS_OK;
}

static enum status add_tensors(int n, struct tensor *const tensors[], uint64_t sums[])
{
    for (int t = 0; t < n; t++)
        if (tensors[t])
            TRY(tensor_add_sums(tensors[t], sums + (size_t)t * TENSOR_SUMS));
    return STATUS_OK;
}

enum status loop_inputs_digest(const struct tile_loop_problem *problem,
                               struct tensor *const tensors[], MPI_Comm comm,
                               char hex[SHA256_HEX_SIZE])
{
    int n = problem->n_tensors;
    uint64_t *sums = agree_calloc(comm, (size_t)(n + 1) * TENSOR_SUMS * sizeof *sums, "digests");
    if (!sums)
        return STATUS_NO_MEMORY;
    darray_sync();
    enum status status = status_agree(comm, add_tensors(n, tensors, sums));
    if (status == STATUS_OK) {
        long_reduce(sums, (int64_t)n * TENSOR_SUMS, MPI_UINT64_T, MPI_SUM, comm);
        status = status_agree(comm, digest_sums(problem, sums, hex));
    }
    free(sums);
    return status;
}
