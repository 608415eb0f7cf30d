/* SPDX-License-Identifier: BSD-3-Clause */
/* A molecule in a basis, with tiles and bounds, and whole matrices over its functions: for the tests of
 * matrices distributed by tiles. */
#pragma once

#include "basis/integrals/ecp.h"
#include "basis/integrals/shells.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/darray.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

struct hf_system {
    struct molecule molecule;
    struct basis_set set;
    struct shells *shells;
    struct tiling *tiling; /* NULL, as the bounds, before hf_system_tile */
    struct screening *screening;
};

/* Lengths are in Bohr unless the text says otherwise. */
static inline void hf_system_init(struct hf_system *system, const char *molecule_text,
                                  const char *basis_text)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    *system = (struct hf_system){0};
    check_ok(molecule_parse(molecule_text, strlen(molecule_text), "test.xyz", &settings,
                            &system->molecule));
    check_ok(basis_set_parse(basis_text, strlen(basis_text), "test.gbs", &system->set));
    check_ok(ecp_place(&system->set, &system->molecule));
    check_ok(shells_create(&system->molecule, &system->set, BASIS_FORM_UNSTATED, &system->shells));
}

/* Tiles and bounds, in place of former ones. Collective. */
static inline void hf_system_tile(struct hf_system *system, int64_t tile, double threshold)
{
    screening_destroy(system->screening);
    tiling_destroy(system->tiling);
    check_ok(tiling_create(system->shells, tile, &system->tiling));
    check_ok(screening_create(system->tiling, threshold, NULL, MPI_COMM_WORLD, &system->screening));
}

static inline void hf_system_fini(struct hf_system *system)
{
    screening_destroy(system->screening);
    tiling_destroy(system->tiling);
    shells_destroy(system->shells);
    basis_set_fini(&system->set);
    molecule_fini(&system->molecule);
}

/* No symmetry, and one atom so far away that tiles with it are null; groups of 1, 2, 3, 4 and 9
 * functions. */
static const char hf_system_molecule[] = "4\n\nO 0.1 -0.2 0.3\nH 1.5 0.9 0.2\nH -1.2 1.1 -0.4\n"
                                         "H 5.5 -6.0 4.5\n";
static const char hf_system_basis[] =
    "O 0\nS 3 1\n130.7 0.154\n23.8 0.535\n6.44 0.444\nS 3 1\n130.7 -0.05\n23.8 -0.2\n6.44 0.6\n"
    "SP 2 1\n5.03 -0.1 0.156\n1.17 0.4 0.608\nSP 1 1\n0.38 1 1\nD 1 1\n0.38 1\n****\n"
    "H 0\nS 3 1\n3.43 0.154\n0.62 0.535\n0.17 0.444\nP 1 1\n0.75 1\n****\n";

/* A symmetric matrix of numbers in [-1, 1] without structure, row-major; the
 * caller frees it. */
static inline double *whole_matrix_random(int64_t n, unsigned seed)
{
    double *whole = malloc((size_t)(n * n) * sizeof *whole);
    assert_non_null(whole);
    uint64_t random = seed;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            whole[i * n + j] = whole[j * n + i] = (double)(random >> 11) * 0x1p-52 - 1;
        }
    return whole;
}

/* Writes the lower triangle of a whole matrix into tiles. Collective. */
static inline void whole_matrix_put(const struct tiling *tiling, const double *whole,
                                    struct darray *tiles)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int64_t n = tiling->shells->n_functions, m = tiling->max_functions;
    double *tile = malloc((size_t)(m * m) * sizeof *tile);
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        for (int64_t J = 0; J <= I; J++) {
            int64_t n_I = tile_n_functions(tiling, I), n_J = tile_n_functions(tiling, J);
            for (int64_t i = 0; i < n_I; i++)
                for (int64_t j = 0; j < n_J; j++)
                    tile[i * n_J + j] =
                        whole[(tiling->first_function[I] + i) * n + tiling->first_function[J] + j];
            if (darray_owner(tiles, tile_pair_index(I, J)) == rank)
                darray_put(tiles, tile_pair_index(I, J), tile);
        }
    free(tile);
    darray_sync();
}

/* The opposite; every process gets the whole matrix, both triangles. Collective. */
static inline void whole_matrix_get(const struct tiling *tiling, const struct darray *tiles,
                                    double *whole)
{
    int64_t n = tiling->shells->n_functions, m = tiling->max_functions;
    double *tile = malloc((size_t)(m * m) * sizeof *tile);
    darray_sync();
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        for (int64_t J = 0; J <= I; J++) {
            int64_t n_I = tile_n_functions(tiling, I), n_J = tile_n_functions(tiling, J);
            darray_get(tiles, tile_pair_index(I, J), tile);
            for (int64_t i = 0; i < n_I; i++)
                for (int64_t j = 0; j < n_J; j++) {
                    int64_t row = tiling->first_function[I] + i;
                    int64_t column = tiling->first_function[J] + j;
                    whole[row * n + column] = tile[i * n_J + j];
                    if (I != J)
                        whole[column * n + row] = tile[i * n_J + j];
                }
        }
    free(tile);
    darray_sync();
}

/* A distributed matrix with the elements of a whole one; NULL: zeros. Collective. */
static inline struct darray *tiles_create(const struct tiling *tiling, const double *whole)
{
    struct darray *tiles;
    check_ok(tile_matrix_create(tiling, "test", DARRAY_DOUBLE, &tiles));
    if (whole)
        whole_matrix_put(tiling, whole, tiles);
    return tiles;
}

/* Every process gets the whole matrix, which it frees. Collective. */
static inline double *tiles_whole(const struct tiling *tiling, const struct darray *tiles)
{
    int64_t n = tiling->shells->n_functions;
    double *whole = malloc((size_t)(n * n) * sizeof *whole);
    assert_non_null(whole);
    whole_matrix_get(tiling, tiles, whole);
    return whole;
}

/* max |a - factor b| of n finite numbers. */
static inline double largest_difference(int64_t n, const double *a, double factor, const double *b)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        assert_true(isfinite(a[i]) && isfinite(b[i]));
        largest = fmax(largest, fabs(a[i] - factor * b[i]));
    }
    return largest;
}
