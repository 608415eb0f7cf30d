/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals of the shell quartets of two sets of pairs that are kept from quartet_batches_fill for every
 * quartet_batches_compute (quartet_batches.h): as integers, multiples of a unit, where the bound of the
 * quartet allows.
 *
 *     width    bytes   quartets whose product of Schwarz bounds is
 *     double       8   larger
 *     32 bits      4   below 0.99 x 2^31 units
 *     16 bits      2   below 0.99 x 2^15 units
 *
 * Integrals of such quartets are rounded to multiples of the unit whenever they are computed, kept or
 * not, so that reading them gives the bits of computing them. The hundredth is for errors of bounds.
 *
 * Quartets of a width are numbered class by class, then bra by bra, then ket by ket in the order of the
 * loops of quartet_batches_fill: a number needs no table. The integrals of a quartet are together, row-major
 * as in two_electron_compute. */
#pragma once

#include "basis/integrals/two_electron.h"

#include <stdint.h>

enum kept_width { KEPT_DOUBLE, KEPT_INT32, KEPT_INT16, N_KEPT_WIDTHS };

/* Numbers of integrals of each width, and elements of the list of quartets. */
struct kept_size {
    int64_t n_integrals[N_KEPT_WIDTHS];
    int64_t n_listed; /* 0: the loops find them again */
};

/* A quartet; its number counts the quartets of its width. */
struct kept_number {
    int64_t number : 62;
    uint64_t width : 2; /* enum kept_width */
};

struct kept_quartets {
    double unit; /* hartree */
    void *integrals[N_KEPT_WIDTHS];
    int16_t *list; /* ket_rows.h; NULL: none */
};

/* The unit for a Schwarz threshold, hartree: a power of two, at most 1/64 of it, so that rounding
 * changes an integral by less than a hundredth of what screening may leave out. 0: no integral is
 * rounded, and all are kept as doubles. */
double kept_unit(double threshold);

/* The least product of bounds of quartets of a width; 0 of the narrowest. */
double kept_least_bound(double unit, enum kept_width width);

/* Bytes that quartets of this size take. */
int64_t kept_quartets_bytes(const struct kept_size *size);

/* Takes memory of kept_quartets_bytes, borrowed, with any content. */
void kept_quartets_init(const struct kept_size *size, double unit, void *memory,
                        struct kept_quartets *kept);

/* Where the quartets of one width and class are: number i from start + i * bytes on. */
struct kept_run {
    char *start;
    int64_t bytes;
};

/* Runs of a class whose quartets have n integrals each. before: integrals of earlier classes. */
void kept_quartets_find(const struct kept_quartets *kept, const struct kept_size *before, int64_t n,
                        struct kept_run runs[N_KEPT_WIDTHS]);

/* Has the caches fetch a quartet that kept_quartets_get will read. Sorted quartets are too far
 * apart for the processor to foresee the next one. */
static inline void kept_run_prefetch(const struct kept_run *run, int64_t number)
{
    enum { CACHE_LINE = 64 }; /* bytes */
    const char *from = run->start + number * run->bytes;
    for (int64_t i = 0; i < run->bytes; i += CACHE_LINE)
        __builtin_prefetch(from + i);
}

/* Quartets of a batch, of n integrals each, by their numbers in their class. */
struct kept_batch {
    const struct kept_number *numbers;
    int32_t n_quartets;
    int64_t n;
};

/* Rounds the narrow integrals, in place, as two_electron_compute leaves them. */
void kept_quartets_round(const struct kept_batch *batch, double unit, double *integrals);

/* unit: of the kept quartets; runs: of the class; integrals: of the batch, rounded; lanes without a
 * quartet are 0 after `get`. */
void kept_quartets_put(const struct kept_batch *batch, const double *integrals, double unit,
                       const struct kept_run runs[N_KEPT_WIDTHS]);
void kept_quartets_get(const struct kept_batch *batch, double unit,
                       const struct kept_run runs[N_KEPT_WIDTHS], double *integrals);
