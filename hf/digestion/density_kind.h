/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrices that one pass over the integrals is built from. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Symmetric matrices that one pass over the integrals takes, and Coulomb densities, at most. */
enum { FOCK_MAX_MATRICES = 4, FOCK_MAX_COULOMB = 2 };

/* Matrices D[i] of a build, and which of them have a Coulomb part:
 *
 *   F[i] = coulomb_scale J[C[i / of_each]] + exchange_scale K[D[i]]   i < n_coulomb of_each
 *   F[i] =                                   exchange_scale K[D[i]]   the others
 *   C[c] = D[2 c] + D[2 c + 1]   of_each 2: the spins of an open shell
 *          2 D[c]                of_each 1: D[c] is of each spin of a closed shell
 *
 * but for total: a single D is the total density of a closed shell, and C[0]. The bound on sums
 * (fock_tiles.h) takes scales from -1 to 1. */
struct density_kind {
    int n_matrices, n_coulomb, of_each;
    bool total;
    double coulomb_scale, exchange_scale;
};

/* Densities of each spin. */
static inline struct density_kind density_of_each_spin(int n_matrices, int n_coulomb, int of_each)
{
    return (struct density_kind){.n_matrices = n_matrices,
                                 .n_coulomb = n_coulomb,
                                 .of_each = of_each,
                                 .coulomb_scale = 1,
                                 .exchange_scale = -1};
}

/* The densities of an SCF: the total one of a closed shell, or alpha's and beta's. */
static inline struct density_kind density_of_spins(int n_densities)
{
    struct density_kind kind = density_of_each_spin(n_densities, 1, n_densities);
    kind.total = n_densities == 1;
    kind.exchange_scale = kind.total ? -0.5 : -1;
    return kind;
}

/* The number of the Coulomb density of a matrix; -1: it has none, or is it. */
static inline int density_coulomb(const struct density_kind *kind, int matrix)
{
    bool has = !kind->total && matrix < kind->n_coulomb * kind->of_each;
    return has ? matrix / kind->of_each : -1;
}

/* Different matrices among C and D. */
static inline int64_t density_n_blocks(const struct density_kind *kind)
{
    return kind->total ? 1 : kind->n_coulomb + kind->n_matrices;
}

/* Where D[i] is among them, after all C. */
static inline int64_t density_block(const struct density_kind *kind, int matrix)
{
    return kind->total ? 0 : kind->n_coulomb + matrix;
}
