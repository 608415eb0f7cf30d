/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbits of quartets of groups of shells under the symmetry operations of a molecule.
 *
 * Operations take quartet q = (ab|cd) to quartets of the same eight-fold orbit or of others. One quartet of
 * all these is computed, their representative; with contributions g_q to F,
 *
 *   F = sum_k character(k) k ( sum_q w_q g_q )   over representatives q,
 *   w_q = 1 / number of operations that map q to itself
 *
 * over commuting operations for a density of one representation (tile_symmetry.h), over all for a
 * totally symmetric one. Weights of the former are 1, 1/2, 1/4 or 1/8, so that they round nothing.
 *
 * Pairs of groups are numbered like tile pairs; the representative is the quartet whose larger pair,
 * and then the smaller, is highest. Hence one of its pairs is the highest image of itself: all else is
 * left out without a look at the operations.
 * Source: Dupuis & King, Int. J. Quantum Chem. 11, 613 (1977). */
#pragma once

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct quartet_orbits;

/* n_operations: as in tile_symmetry.h. symmetry is borrowed. Not collective. Errors: STATUS_NO_MEMORY. */
enum status quartet_orbits_create(const struct tile_symmetry *symmetry, int n_operations,
                                  struct quartet_orbits **orbits);
void quartet_orbits_destroy(struct quartet_orbits *orbits);

/* Bytes of an object. */
int64_t quartet_orbits_bytes(const struct tiling *tiling);

/* Prepares for the quartets of tiles (IJ|KL), which the functions below are about: bras are the
 * pairs of tiles I and J, kets of K and L, each numbered over all its classes (shell_pairs.h).
 * Pairs of two tiles are the same at every call. Errors: STATUS_NO_MEMORY. */
enum status quartet_orbits_begin(struct quartet_orbits *orbits, const struct tile_quartet *quartet,
                                 const struct shell_pairs *bra, const struct shell_pairs *ket);

/* False only if no quartet is a representative. */
bool quartet_orbits_may_have(const struct quartet_orbits *orbits);

/* Puts the positions in [0, n_kets) of kets from number first_ket on that make a representative with
 * the bra into selected, ascending, and returns their number; selected has room for n_kets. */
int32_t quartet_orbits_select(const struct quartet_orbits *orbits, int32_t bra, int32_t first_ket,
                              int32_t n_kets, int16_t *selected);

/* weights[i] *= w_q of representative number i of n.
 * quartets    numbers of pairs within their classes
 * first_pair  of the classes of their bra and ket, among the pairs of all classes
 * exchanged   their bras are pairs of tiles K and L */
void quartet_orbits_weigh(const struct quartet_orbits *orbits, const struct quartet *quartets,
                          int n, const int32_t first_pair[2], bool exchanged, double weights[]);
