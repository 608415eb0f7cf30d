/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/ket_candidates.h"

struct ket_ends ket_ends_all(const struct pair_class *ket)
{
    struct ket_ends ends;
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        ends.end[width] = ket->n_pairs;
    return ends;
}

bool ket_ends_lower(const double least_bound[N_KEPT_WIDTHS], const struct shell_pair *bra,
                    const struct pair_class *ket, struct ket_ends *ends)
{
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        while (ends->end[width] > 0 &&
               bra->bound * ket->pairs[ends->end[width] - 1].bound < least_bound[width])
            --ends->end[width];
    return ends->end[N_KEPT_WIDTHS - 1] > 0;
}

struct ket_ends ket_ends_cut(const struct ket_ends *ends, int32_t n)
{
    struct ket_ends cut = *ends;
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        cut.end[width] = n < cut.end[width] ? n : cut.end[width];
    return cut;
}

/* Number of candidates before ket `end`; first: the ket at position 0. */
static int32_t count_candidates_before(const struct ket_candidates *candidates, int32_t first,
                                       int32_t end)
{
    int32_t low = 0, high = candidates->n;
    if (!candidates->positions)
        return end <= first ? 0 : end - first < high ? end - first : high;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (first + candidates->positions[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ket_ends ket_candidates_ends(const struct ket_candidates *candidates, int32_t first,
                                    const struct ket_ends *kets)
{
    struct ket_ends ends;
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        ends.end[width] = count_candidates_before(candidates, first, kets->end[width]);
    return ends;
}
