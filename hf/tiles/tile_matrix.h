/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric matrices over a basis, distributed by tiles.
 *
 * A tile matrix is a distributed array of the tiles (I, J), I >= J, each row-major,
 * n_I x n_J; diagonal tiles are stored whole. The block of a tile is its
 * tile_pair_index, so tiles are dealt to the processes cyclically, row by row. */
#pragma once

#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeros for every tile pair I >= J: n_I x n_J of them, n_I = first[I + 1] - first[I].
 * first: n_tiles + 1. Collective. Errors: STATUS_NO_MEMORY. */
enum status tile_pairs_create(const struct tiling *tiling, const int64_t *first, const char *name,
                              enum darray_type type, struct darray **array);

/* A symmetric matrix of zeros. Collective. Errors: STATUS_NO_MEMORY. */
enum status tile_matrix_create(const struct tiling *tiling, const char *name, enum darray_type type,
                               struct darray **matrix);

/* n <= 8 of them with one synchronisation; all are NULL after a failure. */
enum status tile_matrices_create(const struct tiling *tiling, int n, const char *const names[],
                                 enum darray_type type, struct darray *matrices[]);

/* Their memory on a process, at most, where n_processes share them. Not collective. */
struct memory_need tile_pairs_bytes(const struct tiling *tiling, const int64_t *first,
                                    int n_processes);
struct memory_need tile_matrix_bytes(const struct tiling *tiling, int n_processes);

/* A walk over the tiles of an array that this process holds, by ascending pair; from {0}. */
struct own_tile {
    int64_t next; /* pair to look at */
    int64_t pair, I, J;
};

/* Goes to the first or the next tile; false after the last. Not collective. */
bool own_tile_next(const struct tiling *tiling, const struct darray *tiles, struct own_tile *own);

/* Copies between the two layouts. The tiles that are read must be complete before, as after
 * darray_sync; the matrix that is written is so on return. from_dense reads the lower triangle
 * only. Doubles only. Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status tile_matrix_to_dense(const struct tiling *tiling, struct darray *tiles,
                                 struct dense *dense);
enum status tile_matrix_from_dense(const struct tiling *tiling, struct dense *dense,
                                   struct darray *tiles);

/* tile_matrix_to_dense for n matrices of one shape, with the synchronisations of one. */
enum status tile_matrices_to_dense(const struct tiling *tiling, int n, struct darray *const tiles[],
                                   struct dense *const dense[]);
enum status tile_matrices_from_dense(const struct tiling *tiling, int n,
                                     struct dense *const dense[], struct darray *const tiles[]);

/* SHA-256, in hex, of the whole matrix as row-major native doubles. Collective; every process
 * gets the text. */
enum status tile_matrix_sha256(const struct tiling *tiling, const struct darray *tiles,
                               char text[65]);

/* B = alpha A + beta B, of the tiles that this process holds; beta 0 overwrites even NaN. Not
 * collective: nothing is complete elsewhere before darray_sync. */
void tile_matrix_add(const struct tiling *tiling, double alpha, const struct darray *A, double beta,
                     struct darray *B);

/* max_ij |A_ij| of the tiles that this process holds. Not collective. */
double tile_matrix_own_max_abs(const struct tiling *tiling, const struct darray *A);

/* sum_ij A_ij B_ij. Collective. */
double tile_matrix_dot(const struct tiling *tiling, const struct darray *A, const struct darray *B);

/* Adds each own tile's part of sum_ij A_ij B_ij to shares[pair]; tiling_n_pairs shares. Summed over
 * the processes and then in their order, they give the same on any number of processes. Not collective. */
void tile_matrix_add_shares(const struct tiling *tiling, const struct darray *A,
                            const struct darray *B, double *shares);
