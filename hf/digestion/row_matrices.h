/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that the rows of (ss|ss) integrals of one tile quartet share (fock_rows.h): the functions
 * that occur, the kets, and elements of D and A in the order of these. row_matrices.c has a
 * picture. */
#pragma once

#include "hf/digestion/quartet_views.h"
#include "support/base/status.h"

#include <stdint.h>

enum {
    ROW_GROUP = 4,        /* rows of V that are multiplied together */
    N_EXCHANGE_BLOCKS = 4 /* of D and A: ac, ad, bc, bd */
};

/* The roles of the functions of a block. */
extern const int exchange_block_roles[N_EXCHANGE_BLOCKS][2];

/* Functions of a tile that occur, in the order in which they do. */
struct occurring_functions {
    int32_t n;
    int32_t *function; /* within the tile */
    int32_t *number;   /* of each function of the tile; -1: does not occur */
};

/* Kets in blocks, one array a quantity. */
struct row_kets {
    int32_t n;
    int32_t *row, *column;       /* numbers of their functions */
    int32_t *place;              /* in V; those beyond n in its last elements */
    int32_t *n_rows, *n_columns; /* of kets up to this one */
    double *bound;
    double *orbit;                                     /* 1/2 for c = d; 0 beyond n */
    double *weight;                                    /* Coulomb weight (screening.h) */
    double *D[FOCK_MAX_COULOMB], *A[FOCK_MAX_COULOMB]; /* of Coulomb densities */
};

struct row_matrices {
    const struct tiling *tiling;
    int n_matrices;
    int64_t m;      /* functions of a tile at most, a multiple of QUARTET_LANES */
    int32_t stride; /* elements of a row of V, a multiple of QUARTET_LANES */
    struct occurring_functions role[4];
    struct row_kets kets;
    double *V;         /* zero but for kets of marked blocks */
    double *integrals; /* of a row, by ket: scratch of its user */
    double *D[FOCK_MAX_MATRICES],
        *A[FOCK_MAX_MATRICES]; /* blocks ac, ad, bc, bd of m x m elements */
    int32_t *blocks;           /* of a row: scratch of its user */
    int32_t n_marked;          /* all marked blocks are before it */
    unsigned char *marked;
    double *weight[2]; /* of the rows and columns of V, for a bra: scratch of the user */
    void *memory;
};

/* For tiles of this tiling, borrowed, of up to n_matrices. On failure row_matrices_destroy still has to be
 * called. Errors: STATUS_NO_MEMORY. */
enum status row_matrices_create(const struct tiling *tiling, int n_matrices,
                                struct row_matrices **matrices);
void row_matrices_destroy(struct row_matrices *matrices);

/* Bytes that the object takes. */
int64_t row_matrices_bytes(const struct tiling *tiling, int n_matrices);

/* Takes the functions that occur in the first n_bras and n_kets pairs, these kets, and their
 * elements of D; V and A are zero. */
void row_matrices_begin(struct row_matrices *matrices, const struct quartet_views *views,
                        const struct pair_class *bra, int32_t n_bras, const struct pair_class *ket,
                        int32_t n_kets);

/* Writes the integrals of a row's blocks into V and clears those of the last row. */
void row_matrices_put(struct row_matrices *matrices, int32_t n_blocks);

/* Adds all A to the views. */
void row_matrices_end(const struct row_matrices *matrices, const struct quartet_views *views);

/* One of the four blocks in D[spin] or A[spin]. */
static inline double *exchange_block_of(const struct row_matrices *matrices, double *blocks,
                                        int block)
{
    return blocks + block * matrices->m * matrices->m;
}
