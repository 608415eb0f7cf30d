/* SPDX-License-Identifier: BSD-3-Clause */
/* Contraction of the integrals of QUARTET_LANES quartets with their blocks of the density: the
 * terms of fock_digest_symmetric (fock_digest.h). digest_kernels.c is compiled for each kind of
 * vectors; vectors of fewer lanes take the quartets in several steps.
 *
 * The order of additions to a block depends on the kind of vectors, and on nothing else that is not
 * among the arguments. */
#pragma once

#include "basis/integrals/two_electron.h"
#include "hf/digestion/density_kind.h"

#include <stdbool.h>
#include <stdint.h>

/* Packed blocks of more than one element start at multiples of this many. */
enum { BLOCK_CHUNK = 4 };

enum { DIGEST_SCRATCH_BLOCKS = 8 + 2 * FOCK_MAX_COULOMB };

/* The pairs of a quartet's groups a, b, c, d. */
enum group_choice { AB, CD, AC, AD, BC, BD, N_CHOICES };

/* Up to QUARTET_LANES quartets, one in each lane; unused lanes, the last ones, repeat the first
 * quartet with weight 0. */
struct digest_lanes {
    int32_t place[N_CHOICES][QUARTET_LANES]; /* of the blocks in D and A */
    double weight[QUARTET_LANES];            /* of the orbits; 0 in unused lanes */
    int n_used;
    bool one_bra; /* in all lanes, and open */
};

/* Blocks that quartets of one class read and add to, and scratch. */
struct digest_blocks {
    int n[4];      /* functions of the groups a, b, c, d */
    bool in_order; /* exchange blocks are row-major with a or b as the row; else with c or d */
    int n_coulomb, n_exchange;   /* matrices of either kind */
    double *const *D, *const *A; /* of each, packed (fock_digest.c); Coulomb blocks in [0] alone */
    /* DIGEST_SCRATCH_BLOCKS size QUARTET_LANES, aligned to 64 bytes: of four blocks D, then A, and
     * of the bra that is open D and A of each Coulomb density. */
    double *scratch;
    int64_t size; /* elements of the largest block, a chunk of zeros included */
};

/* integrals: of the quartets in the lanes, as two_electron_compute leaves them */
typedef void digest_function(const struct digest_blocks *blocks, const struct digest_lanes *set,
                             const double *integrals);

struct digest_kernels {
    /* Open a bra, by the place of its blocks, before lanes that all have it; close it, to add their
     * Coulomb contributions to it, before others and at the end. */
    void (*open_bra)(const struct digest_blocks *blocks, int32_t place);
    void (*close_bra)(const struct digest_blocks *blocks, int32_t place);
    digest_function *digest; /* for any numbers of functions */
    /* A faster function for these numbers of functions and in_order of a digest_blocks, with the
     * same bits; NULL without one. */
    digest_function *(*find)(const int n[4], bool in_order);
};

extern const struct digest_kernels digest_kernels_baseline; /* 2 lanes */
extern const struct digest_kernels digest_kernels_avx2;     /* 4; x86-64 with AVX2 and FMA */
extern const struct digest_kernels digest_kernels_avx512;   /* 8; x86-64-v4 */
