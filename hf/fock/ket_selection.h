/* SPDX-License-Identifier: BSD-3-Clause */
/* Screening by density: the kets whose quartet with a bra can change an element of F by the cutoff of the
 * build or more (quartet_is_significant, hf/tiles/screening.h). */
#pragma once

#include "basis/integrals/shell_pairs.h"
#include "hf/digestion/quartet_views.h"
#include "hf/tiles/screening.h"
#include "support/base/status.h"

#include <stdint.h>

struct ket_selection {
    const struct screening *screening; /* borrowed */
    const struct quartet_views *views; /* borrowed: of the tile quartet that is computed */
    double cutoff;                     /* set by the owner, hartree */
    double *exchange_weights;          /* scratch: of the groups of tiles K and L with one bra */
};

/* Both pointers are borrowed. ket_selection_fini has to be called on failure, too.
 * Errors: STATUS_NO_MEMORY. */
enum status ket_selection_init(const struct screening *screening, const struct quartet_views *views,
                               struct ket_selection *selection);
void ket_selection_fini(struct ket_selection *selection);

/* Bytes of its scratch. */
int64_t ket_selection_bytes(const struct tiling *tiling);

/* Kets of one class that may make a quartet with the bra, by descending bounds: candidate i is
 * kets[positions[i]], or kets[i] where positions is NULL. */
struct ket_candidates {
    const struct shell_pair *bra, *kets;
    const int16_t *positions;
    int32_t n;
};

/* Puts the numbers of the significant candidates into selected, ascending, and returns how many there
 * are; selected has room for all. */
int32_t ket_selection_find(const struct ket_selection *selection,
                           const struct ket_candidates *candidates, int16_t *selected);
