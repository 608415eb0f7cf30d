/* SPDX-License-Identifier: BSD-3-Clause */
/* The symmetry operations of a molecule (point_group.h), as they act on the functions of its basis
 * and on symmetric matrices over these.
 *
 * Operation k moves the functions of shell a to shell a', its image, which can be a itself, and
 * turns them: f_m(R r) = sum_n T_mn f_n(r). Blocks of two shells of a matrix become
 *
 *   operators (F)    T_a^-1 M[a',b'] T_b^-T    T^-1 being T of the inverse operation
 *   densities (D)    T_a^T  M[a',b'] T_b
 *
 * which differ for Cartesian functions alone. Under the n commuting operations a matrix of
 * representation r becomes itself times the character of r; any matrix is the sum of its parts, one
 * of each representation:
 *
 *   part r of M = 1 / n  sum_k character(r, k) (k M)
 *
 * The totally symmetric part under all operations is the mean of all (k M).
 *
 * n_operations: functions use so many operations, the first ones: order or n_commuting of the
 * group. */
#pragma once

#include "basis/input/point_group.h"
#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum tile_matrix_use { TILE_OPERATOR, TILE_DENSITY };

struct tile_symmetry {
    const struct tiling *tiling;     /* borrowed */
    const struct point_group *group; /* borrowed */
    int64_t *shell_images;           /* order x n_shells */
    int64_t *group_images;           /* order x n_groups, of groups of shells */
    int64_t *shell_tiles;            /* n_shells: the tile of each */
    double *turns[POINT_GROUP_MAX_ORDER][BASIS_MAX_L + 1]; /* T of l, row-major */
    double *turn_storage;
};

/* Finds how the group acts on the shells that the tiling cuts; atoms that an operation exchanges must
 * have the same shells. Not collective.
 * Errors: STATUS_NO_MEMORY. */
enum status tile_symmetry_create(const struct tiling *tiling, const struct point_group *group,
                                 struct tile_symmetry **symmetry);
void tile_symmetry_destroy(struct tile_symmetry *symmetry);

/* Bytes of the object, and of a process in the functions below. Not collective. */
int64_t tile_symmetry_bytes(const struct tiling *tiling, const struct point_group *group);

/* Bit k: operation k takes the pair of groups of shells (a, b) to itself, in either order. */
uint64_t tile_symmetry_fixing(const struct tile_symmetry *symmetry, int n_operations, int64_t a,
                              int64_t b);

/* B = beta B + sum_k factors[k] (k A) over the operations; beta 0 overwrites even NaN.
 * factors  a number times the characters of a one-dimensional representation, 1 and -1
 * A        complete, as after darray_sync; not B
 * B        complete on return
 * Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status tile_symmetry_add(const struct tile_symmetry *symmetry, int n_operations,
                              enum tile_matrix_use use, const double factors[],
                              const struct darray *A, double beta, struct darray *B);

/* The largest magnitude of an element of each part of a complete density under the commuting
 * operations, in the orbits of shell pairs that have one in a tile of this process. Not collective.
 * Errors: STATUS_NO_MEMORY. */
enum status tile_symmetry_find_parts(const struct tile_symmetry *symmetry, const struct darray *D,
                                     double largest[POINT_GROUP_MAX_COMMUTING]);

/* tile_symmetry_find_parts for all operations: of the totally symmetric part, and of the rest. */
enum status tile_symmetry_find_rest(const struct tile_symmetry *symmetry, const struct darray *D,
                                    double largest[2]);
