/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_cost.h"

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"

#include <math.h>
#include <stdlib.h>

/* Bins of log v between the largest v and its inverse; smaller v count with no partner. Bins are
 * two to the power of 1.1 to 1.5 wide at usual thresholds. Twice as wide ones predict as well. */
enum { N_BINS = 24 };

/* Cost of a quartet of tiles apart from its integrals, measured. */
#define COST_OF_TILES 2000.0

struct fock_cost {
    const struct screening *screening;
    enum fock_symmetry symmetry;
    double cutoff;
    double log_top; /* log2 of the largest possible v */
    /* Histogram per tile pair, by tile_pair_index: below[pair][b] is the weight in the bins before
     * b; bins of large v come first. */
    float (*below)[N_BINS + 1];
};

/* The bin of v = 2^log_v; N_BINS and more where nothing counts with it. */
static int bin_of(const struct fock_cost *cost, double log_v)
{
    double bin = (cost->log_top - log_v) * N_BINS / (2 * cost->log_top);
    return bin > 0 ? (bin < N_BINS ? (int)bin : N_BINS) : 0;
}

static void add_pair_weights(const struct fock_cost *cost, const struct pair_class *class,
                             const struct shell_pair *pair, float *weights)
{
    double log_bound = log2(pair->bound) - log2(cost->screening->threshold) / 2;
    double half_log_cutoff = log2(cost->cutoff) / 2;
    for (int32_t i = 0; i < pair->n_primitives; i++) {
        double weight = class->products.weight[pair->first_primitive + i];
        int bin = bin_of(cost, fmin(log_bound, log2(weight) - half_log_cutoff));
        if (bin < N_BINS)
            weights[bin] += (float)(class->l_first + class->l_second + 1);
    }
}

/* Fills below of one tile pair; bounds: scratch for its groups' bounds. */
static enum status count_tile_pair(struct fock_cost *cost, int64_t I, int64_t J, double *bounds)
{
    const struct screening *screening = cost->screening;
    const struct tiling *tiling = screening->tiling;
    bool triangle = I == J && cost->symmetry == FOCK_SYMMETRY_FULL;
    struct shell_rectangle rectangle = tile_rectangle(tiling, I, J, triangle);
    struct shell_pairs *pairs;
    darray_get(screening->group_bounds, tile_pair_index(I, J), bounds);
    TRY(shell_pairs_create(tiling->shells, &rectangle, bounds,
                           screening->threshold / screening->max_bound, &pairs));
    float weights[N_BINS] = {0}, *below = cost->below[tile_pair_index(I, J)];
    for (int c = 0; c < pairs->n_classes; c++)
        for (int32_t i = 0; i < pairs->classes[c].n_pairs; i++)
            add_pair_weights(cost, &pairs->classes[c], &pairs->classes[c].pairs[i], weights);
    for (int bin = 0; bin < N_BINS; bin++)
        below[bin + 1] = below[bin] + weights[bin];
    shell_pairs_destroy(pairs);
    return STATUS_OK;
}

/* Each process its own tile pairs, whose bounds it holds. */
static enum status count_own_tile_pairs(struct fock_cost *cost)
{
    const struct screening *screening = cost->screening;
    const struct tiling *tiling = screening->tiling;
    double *bounds = malloc((size_t)(tiling->max_groups * tiling->max_groups) * sizeof *bounds);
    enum status status = CHECK_MEMORY(bounds, "no memory for the bounds of a tile");
    struct own_tile own = {0};
    while (status == STATUS_OK && own_tile_next(tiling, screening->group_bounds, &own))
        if (screening->tile_bounds[own.pair] * screening->max_bound >= screening->threshold)
            status = count_tile_pair(cost, own.I, own.J, bounds);
    free(bounds);
    return status;
}

enum status fock_cost_create(const struct screening *screening, enum fock_symmetry symmetry,
                             MPI_Comm comm, struct fock_cost **cost)
{
    int64_t n_pairs = tiling_n_pairs(screening->tiling);
    struct fock_cost *made = agree_calloc(comm, sizeof *made, "the costs of tasks");
    *cost = made;
    if (!made)
        return STATUS_NO_MEMORY;
    made->below = agree_calloc(comm, (size_t)n_pairs * sizeof *made->below, "the costs of tiles");
    if (!made->below)
        return STATUS_NO_MEMORY;
    made->screening = screening;
    made->symmetry = symmetry;
    made->cutoff = two_electron_cutoff(screening->threshold);
    /* At least 1, so that bins have a width where nothing passes the screening. */
    made->log_top = fmax(log2(screening->max_bound) - log2(screening->threshold) / 2, 1);
    TRY(status_agree(comm, count_own_tile_pairs(made)));
    /* Every element is zero on all processes but one: the sum is exact. */
    long_reduce(made->below, n_pairs * (N_BINS + 1), MPI_FLOAT, MPI_SUM, comm);
    return STATUS_OK;
}

void fock_cost_destroy(struct fock_cost *cost)
{
    if (!cost)
        return;
    free(cost->below);
    free(cost);
}

double fock_cost_of_quartet(const struct fock_cost *cost, const struct tile_quartet *quartet)
{
    int64_t bra_pair = tile_pair_index_unordered(quartet->I, quartet->J);
    int64_t ket_pair = tile_pair_index_unordered(quartet->K, quartet->L);
    const float *bra = cost->below[bra_pair], *ket = cost->below[ket_pair];
    double sum = 0;
    /* Bins b and c count together where the middle of both is v v' >= 1: b + c < N_BINS. */
    for (int b = 0; b < N_BINS; b++)
        sum += (double)(bra[b + 1] - bra[b]) * (double)ket[N_BINS - b];
    /* With symmetry the pairs of one tile pair among themselves occur once. */
    bool once = cost->symmetry == FOCK_SYMMETRY_FULL && bra_pair == ket_pair;
    return COST_OF_TILES + (once ? sum / 2 : sum);
}

int64_t fock_cost_bytes(const struct tiling *tiling)
{
    return tiling_n_pairs(tiling) * (N_BINS + 1) * (int64_t)sizeof(float);
}
