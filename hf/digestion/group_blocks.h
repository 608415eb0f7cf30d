/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of D and A that a tile quartet touches (quartet_views.h), packed block by block of two
 * groups of shells: vector instructions take a block's elements together, and those of several
 * quartets side by side.
 *
 * A block of groups x and y of n_x and n_y functions is row-major, n_x x n_y. Of two groups of
 * tiles I and J, or K and L, that of higher type is the first, as in shell pairs; else the one of I
 * or J is. D contains the factors of its terms (fock_digest.h). */
#pragma once

#include "hf/digestion/digest_kernels.h"
#include "hf/digestion/quartet_views.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Pairs of roles; the first two for Coulomb, the others for exchange terms. */
enum role_pair { ROLES_IJ, ROLES_KL, ROLES_IK, ROLES_IL, ROLES_JK, ROLES_JL, N_ROLE_PAIRS };
extern const int roles_of_pair[N_ROLE_PAIRS][2];

/* Where the blocks of a pair of roles are: that of groups x, y of the two roles at
 * place[x * n_columns + y] of D and A. */
struct packed_tile {
    int32_t *place;
    int64_t n_columns; /* groups of the second role */
};

/* A group of the tile of a role: its first function within the tile, its functions and its type. */
struct role_group {
    int32_t function, n, type;
};

struct group_blocks {
    const struct tiling *tiling;
    struct role_group *groups[4]; /* of the tile of each role */
    struct packed_tile tile[N_ROLE_PAIRS];
    int64_t first_group[4]; /* of the tile of each role */
    double *D[FOCK_MAX_MATRICES],
        *A[FOCK_MAX_MATRICES]; /* of exchange of each, and of Coulomb densities */
    int64_t size;              /* elements in use */
    bool begun;
    void *memory;
};

/* For tiles of this tiling, borrowed, of up to n_matrices. Errors: STATUS_NO_MEMORY. */
enum status group_blocks_create(const struct tiling *tiling, int n_matrices,
                                struct group_blocks *blocks);
void group_blocks_destroy(struct group_blocks *blocks);

/* Bytes that the object takes. */
int64_t group_blocks_bytes(const struct tiling *tiling, int n_matrices);

/* Packs D of the views, A = 0; nothing if that was done since the last end. */
void group_blocks_begin(struct group_blocks *blocks, const struct quartet_views *views);

/* Adds A to the views; nothing without a begin. */
void group_blocks_end(struct group_blocks *blocks, const struct quartet_views *views);
