/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_reader_private.h"
#include "hf/tiles/cross_overlap.h"
#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"

#include <math.h>

/* Bound on the largest element of C^T S C - 1. Centres may be off by CHECKPOINT_SAME_PLACE, 1e-5 Bohr, and S
 * with them; coefficients magnify that by up to s^(-1/2), 1e3 where --dependence keeps eigenvalues s of
 * 1e-6. A deviation of several times their product is damage. */
#define ORTHONORMAL 5e-2

/* The largest element of C^T S C - 1, or the least that it may be, if that is larger; INFINITY if
 * they are not finite. SC, product: scratch. */
static double find_deviation(const struct dense *C, const struct dense *S, struct dense *SC,
                             struct dense *product, double least)
{
    dense_set_identity(product);
    dense_multiply('N', 'N', 1, S, C, 0, SC);
    dense_multiply('T', 'N', 1, C, SC, -1, product);
    double deviation = dense_max_abs(product);
    return isfinite(deviation) ? fmax(deviation, least) : INFINITY;
}

/* Raises the deviation to that of a spin. */
static enum status check_orthonormal(struct checkpoint_reader *reader, int spin,
                                     const struct dense *S)
{
    struct dense *C = NULL, *SC = NULL, *product = NULL;
    int64_t n = reader->n_functions, m = reader->n_orbitals[spin];
    const struct dense_member members[] = {{&C, n, m}, {&SC, n, m}, {&product, m, m}};
    enum status status = dense_create_members(S->grid, 3, members);
    if (status != STATUS_OK)
        goto done;
    status = checkpoint_read_columns(reader, spin, C);
    if (status != STATUS_OK)
        goto done;
    reader->deviation = find_deviation(C, S, SC, product, reader->deviation);
    if (!(reader->deviation < ORTHONORMAL))
        status = FAIL(STATUS_INPUT,
                      "%s: damaged: its orbitals are not orthonormal, C^T S C differs from 1 by "
                      "%.1e: take an older checkpoint, or start without one",
                      reader->path, reader->deviation);
done:
    dense_destroy(C);
    dense_destroy(SC);
    dense_destroy(product);
    return status;
}

static enum status set_overlap(const struct scf_problem *problem, struct dense *S)
{
    struct darray *tiles;
    TRY(tile_matrix_create(problem->tiling, "overlap", DARRAY_DOUBLE, &tiles));
    enum status status = overlap_matrix(problem->tiling, tiles);
    if (status != STATUS_OK)
        goto done;
    status = tile_matrix_to_dense(problem->tiling, tiles, S);
done:
    darray_destroy(tiles);
    return status;
}

/* S: room for the overlap. */
static enum status check_spins(struct checkpoint_reader *reader, const struct scf_problem *problem,
                               struct dense *S)
{
    TRY(reader->shells ? cross_overlap(reader->shells, reader->shells, S)
                       : set_overlap(problem, S));
    for (int s = 0; s < 2; s++)
        if (reader->n_orbitals[s] > 0)
            TRY(check_orthonormal(reader, s, S));
    return STATUS_OK;
}

enum status checkpoint_check_orthonormal(struct checkpoint_reader *reader,
                                         const struct scf_problem *problem)
{
    struct dense *S;
    TRY(dense_create(problem->grid, reader->n_functions, reader->n_functions, &S));
    enum status status = check_spins(reader, problem, S);
    dense_destroy(S);
    return status;
}
