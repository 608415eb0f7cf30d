/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of D that a process reads in a Fock build, and of F that it adds to.
 *
 *     distributed D    fetched once, with the weights of every block of two groups of shells
 *        |  fock_tiles_begin_quartet
 *        v
 *     views            the tiles of the six pairs of roles I, J, K, L of a tile quartet (IJ|KL)
 *        |  fock_tiles_end_quartet
 *        v
 *     sums             of A, F = A + A^T, in a cache, then in a distributed array
 *        |  fock_tiles_finish
 *        v
 *     distributed F
 *
 * Sums do not depend on the order of tasks: a contribution is rounded to multiples of a quantum, a
 * power of two, and summed as 64-bit integers. The quantum follows from a bound on every partial sum of
 * |terms|,
 *   |J_mn| <= max Q  sum_ls Q_ls |D_ls|
 *   |K_mn| <= (max_m sum_l Q_ml)^2 max |D|
 * taken from the tables of tile maxima that every process holds in the same form, so that it is the same
 * for any number of processes and the sums cannot overflow. Sums without it are plain doubles, for comparison. */
#pragma once

#include "hf/digestion/density_kind.h"
#include "hf/tiles/screening.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The budget for caches is divided by these. F gets twice as much as D, because its tiles are also written
 * back. fock_worker.c caches shell pairs. */
enum { CACHE_PART_OF_D = 4, CACHE_PART_OF_PAIRS = 4, CACHE_PART_OF_F = 2 };

/* Tile (I, J) of the density, I >= J; matrices row-major over functions, weights over groups. */
struct density_tile {
    const double *coulomb[FOCK_MAX_COULOMB];   /* each C[c] */
    const double *exchange[FOCK_MAX_MATRICES]; /* each D[i] */
    const double *coulomb_weight;              /* of all C[c] (quartet_is_significant) */
    const double *exchange_weight;             /* of all D[i] */
    double most_coulomb_weight;                /* of the tile */
};

/* Roles r and s: element (x, y), x a function of tile r and y of tile s, is at
 * x * stride[0] + y * stride[1]; blocks of two groups of shells alike with group_stride. */
struct tile_view {
    const struct density_tile *D;
    double *coulomb[FOCK_MAX_COULOMB];   /* contributions to every F of a Coulomb density */
    double *exchange[FOCK_MAX_MATRICES]; /* to one F; the coulomb block again for a total density */
    int64_t stride[2];
    int64_t group_stride[2];
};

/* The tiles of a quartet by its roles I, J, K, L (numbers 0 to 3). Two pairs of roles may be one tile, and a
 * tile is stored with its larger number first; a view hides both. */
struct quartet_views {
    const struct tiling *tiling; /* borrowed */
    struct density_kind kind;
    int64_t tile[4]; /* of each role */
    struct tile_view view[4][4];
};

struct fock_tiles;

/* For builds of any kind. fixed: sums in fixed-point arithmetic, which do not depend on the order. screening
 * is borrowed. On failure fock_tiles_destroy still has to be called. Collective. Errors: STATUS_NO_MEMORY;
 * the same everywhere. */
enum status fock_tiles_create(const struct screening *screening, bool fixed, int64_t cache_bytes,
                              struct fock_tiles **tiles);
void fock_tiles_destroy(struct fock_tiles *tiles);

/* Memory on each of n_processes of builds of this kind, at most, without the caches. Not collective. */
struct memory_need fock_tiles_bytes(const struct tiling *tiling, const struct density_kind *kind,
                                    int n_processes);

/* Starts a build: every sum is zero. D: complete matrices, as after darray_sync, which do not change
 * until the next call. No process may end a quartet before every process has returned; taskpool_run
 * sees to that.
 * Collective. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC if an element of D is not finite; the same everywhere. */
enum status fock_tiles_begin(struct fock_tiles *tiles, const struct density_kind *kind,
                             const struct darray *const D[]);

/* The views of a tile quartet, until its end: tiles of D, and contributions, which are zero. Errors:
 * STATUS_NO_MEMORY. */
enum status fock_tiles_begin_quartet(struct fock_tiles *tiles, const struct tile_quartet *quartet,
                                     const struct quartet_views **views);

/* Adds the contributions to the sums. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC if an element is beyond the
 * bound. */
enum status fock_tiles_end_quartet(struct fock_tiles *tiles);

/* Adds what this process has collected to the distributed sums, after its last quartet. */
void fock_tiles_complete(struct fock_tiles *tiles);

/* Ends a build when all processes have completed their sums: writes F[i] = A + A^T. Collective;
 * complete on return. Errors: STATUS_NO_MEMORY. */
enum status fock_tiles_finish(struct fock_tiles *tiles, struct darray *const F[]);

/* Index within its tile of a basis function in a role. */
static inline int64_t view_function(const struct quartet_views *views, int role, int64_t function)
{
    return function - views->tiling->first_function[views->tile[role]];
}
