/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals of the shell quartets of two sets of pairs that are kept from one
 * quartet_batches_compute to the next (quartet_batches.h). They are kept as they are computed, in
 * double precision: reading them gives the bits of computing them.
 *
 * Quartets are numbered class by class, then bra by bra, then ket by ket in the order of the loops of
 * quartet_batches_compute, those left out by a selection included: a number needs no table. The
 * integrals of a quartet are together, row-major as in two_electron_compute; a bit for each quartet
 * says whether it has been computed. */
#pragma once

#include "basis/integrals/two_electron.h"

#include <stdbool.h>
#include <stdint.h>

/* Quartets whose product of Schwarz bounds reaches the threshold, and their integrals. */
struct kept_size {
    int64_t n_quartets, n_integrals;
};

struct kept_quartets {
    uint64_t *computed; /* a bit for each quartet */
    double *integrals;
};

/* Bytes that quartets of this size take. */
int64_t kept_quartets_bytes(const struct kept_size *size);

/* Takes memory of kept_quartets_bytes, borrowed, with any content: no quartet has been computed. */
void kept_quartets_init(const struct kept_size *size, void *memory, struct kept_quartets *kept);

static inline bool kept_quartets_has(const struct kept_quartets *kept, int64_t number)
{
    return kept->computed[number / 64] >> (number % 64) & 1;
}

static inline void kept_quartets_note(struct kept_quartets *kept, int64_t number)
{
    kept->computed[number / 64] |= UINT64_C(1) << (number % 64);
}

/* Quartets of one class with n integrals each: number i of a batch is number numbers[i] of the class,
 * with its integrals at kept + n numbers[i]. integrals: of the batch, as two_electron_compute leaves
 * them, lanes without a quartet included. */
void kept_quartets_put(const double *integrals, const int64_t *numbers, int32_t n_quartets,
                       int64_t n, double *kept);
void kept_quartets_get(const double *kept, const int64_t *numbers, int32_t n_quartets, int64_t n,
                       double *integrals);
