/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of D and F that a tile quartet (IJ|KL) touches, seen from its roles.
 *
 * A quartet reads and writes the tiles of the six pairs of its roles I, J, K, L
 * (numbers 0 to 3). Two pairs of roles may be the same tile, and a tile is stored
 * with its larger tile number first; a view hides both. */
#pragma once

#include "hf/digestion/density_tiles.h"
#include "hf/digestion/fock_accumulator.h"
#include "support/base/status.h"

#include <stdint.h>

/* Roles r and s: element (x, y), x a function of tile r and y of tile s, is at
 * x * stride[0] + y * stride[1]; blocks of two groups of shells alike with group_stride. */
struct tile_view {
    const struct density_tile *D;
    double *coulomb[FOCK_MAX_COULOMB];   /* contributions to every F of a Coulomb density */
    double *exchange[FOCK_MAX_MATRICES]; /* to one F; the coulomb block again for a total density */
    int64_t stride[2];
    int64_t group_stride[2];
};

struct quartet_views {
    const struct tiling *tiling; /* borrowed */
    struct density_tiles *density;
    struct fock_accumulator *accumulator;
    struct density_kind kind;
    int64_t tile[4]; /* of each role */
    struct tile_view view[4][4];
    int n_pairs;     /* different tiles among the six */
    int64_t pair[6]; /* their pair indices */
    double *blocks;  /* contributions of each pair: Coulomb, then exchange of each matrix; owned */
};

enum status quartet_views_init(struct quartet_views *views, const struct tiling *tiling,
                               struct density_tiles *density, struct fock_accumulator *accumulator,
                               const struct density_kind *kind);
void quartet_views_fini(struct quartet_views *views);

/* Bytes of the contributions. */
int64_t quartet_views_bytes(const struct tiling *tiling, const struct density_kind *kind);

/* Pins the tiles of D and clears the contributions. Every begin that succeeds needs an end. */
enum status quartet_views_begin(struct quartet_views *views, const struct tile_quartet *quartet);

/* Hands the contributions to the accumulator and releases the tiles of D. */
enum status quartet_views_end(struct quartet_views *views);

/* Index within its tile of a basis function in a role. */
static inline int64_t view_function(const struct quartet_views *views, int role, int64_t function)
{
    return function - views->tiling->first_function[views->tile[role]];
}
