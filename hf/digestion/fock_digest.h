/* SPDX-License-Identifier: BSD-3-Clause */
/* Contraction of integrals with the density: the contribution of a batch of quartets to
 * A, F = A + A^T (fock_tiles.h). */
#pragma once

#include "basis/integrals/two_electron.h"
#include "hf/digestion/fock_tiles.h"
#include "hf/digestion/quartet_orbits.h"

#include <stdbool.h>

/* A batch, and the tile pair of the quartet that each side comes from. */
struct digest_batch {
    const struct quartet_batch *quartets;
    int bra_role, ket_role;              /* 0: tiles I and J, 2: tiles K and L */
    const double *integrals;             /* as two_electron_compute leaves them */
    bool same_tile_pair;                 /* bra and ket pairs come from one tile pair */
    const struct quartet_orbits *orbits; /* quartets are representatives; NULL: they are all */
};

/* State of one worker's symmetric digestion: its tiles in blocks, and vectors for the blocks of
 * several quartets side by side. */
struct fock_digest;

/* For tiles of this tiling, borrowed, of up to n_matrices. On failure fock_digest_destroy still has to be
 * called. Errors: STATUS_NO_MEMORY. */
enum status fock_digest_create(const struct tiling *tiling, int n_matrices,
                               struct fock_digest **digest);
void fock_digest_destroy(struct fock_digest *digest);

/* Bytes that it takes. */
int64_t fock_digest_bytes(const struct tiling *tiling, int n_matrices);

/* Begins a tile quartet (IJ|KL) with these pairs, which stay until fock_digest_end. */
void fock_digest_begin(struct fock_digest *digest, const struct shell_pairs *IJ,
                       const struct shell_pairs *KL);

/* Adds quartets that each stand for their orbit under the eight-fold symmetry, with the scales j of
 * Coulomb and k of exchange (density_kind.h):
 *   A_ab += 2 j C_cd v   A_cd += 2 j C_ab v
 *   A_ac += k D_bd v   A_ad += k D_bc v   A_bc += k D_ad v   A_bd += k D_ac v
 * and v halved for each of a = b, c = d, ab = cd, and times the weight of a representative. The views
 * are complete after fock_digest_end. */
void fock_digest_symmetric(struct fock_digest *digest, const struct quartet_views *views,
                           const struct digest_batch *batch);
void fock_digest_end(struct fock_digest *digest, const struct quartet_views *views);

/* Adds quartets (ij|kl) that each stand for themselves alone, i in tile I, ..., l in tile L:
 *   A_ij += j C_kl v/2   A_ik += k D_jl v/2 */
void fock_digest_ordered(const struct quartet_views *views, const struct digest_batch *batch);
