/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kets may be computed with a bra, and the numbers that their quartets have among all of two
 * classes (kept_quartets.h).
 *
 * Pairs of a class come by descending Schwarz bound, so that the kets of a bra that reach a least
 * product of bounds are the first ones:
 *
 *     ket      0 ........... end[double] ....... end[32 bits] ....... end[16 bits] ... n_pairs
 *     width    double        32 bits             16 bits              below the threshold */
#pragma once

#include "basis/quartets/kept_quartets.h"

/* Ends of the kets of each width with a bra; the last is that of all kets above the threshold. */
struct ket_ends {
    int32_t end[N_KEPT_WIDTHS];
};

/* Kets that may be computed with a bra: all n, or those at n ascending positions. */
struct ket_candidates {
    const struct shell_pair *bra, *kets;
    const int32_t *positions; /* NULL: all */
    int32_t n;
};

struct ket_ends ket_ends_all(const struct pair_class *ket);

/* Lowers ends from those of a bra of larger bound, or of all kets, to those of this bra.
 * least_bound: products of bounds from which on quartets have each width, hartree.
 * False: neither this bra nor one of smaller bound has kets. */
bool ket_ends_lower(const double least_bound[N_KEPT_WIDTHS], const struct shell_pair *bra,
                    const struct pair_class *ket, struct ket_ends *ends);

/* Ends of a bra whose kets stop before number n. */
struct ket_ends ket_ends_cut(const struct ket_ends *ends, int32_t n);

/* Numbers of candidates before these ends of kets; first: the ket at position 0. */
struct ket_ends ket_candidates_ends(const struct ket_candidates *candidates, int32_t first,
                                    const struct ket_ends *kets);

/* Adds the candidates of each width to the numbers of quartets. */
static inline void ket_ends_add(const struct ket_ends *ends, int64_t n_quartets[N_KEPT_WIDTHS])
{
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        n_quartets[width] += ends->end[width] - (width > 0 ? ends->end[width - 1] : 0);
}

/* Number of candidate `at`, where `before` quartets of the class come before the first one. */
static inline struct kept_number
ket_candidate_number(const struct ket_ends *ends, const int64_t before[N_KEPT_WIDTHS], int32_t at)
{
    int width = 0;
    while (at >= ends->end[width])
        width++;
    int32_t first = width > 0 ? ends->end[width - 1] : 0;
    return (struct kept_number){before[width] + at - first, (uint64_t)width};
}
