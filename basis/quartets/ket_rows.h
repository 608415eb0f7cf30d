/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of two classes of pairs: the kets that may be computed with one bra, at most KET_ROW_MAX, and the
 * numbers that their quartets have among all of the two classes (kept_quartets.h).
 *
 * Pairs of a class come by descending Schwarz bound, so that the kets of a bra that reach a least
 * product of bounds are the first ones:
 *
 *     ket      0 ........... end[double] ....... end[32 bits] ....... end[16 bits] ... n_pairs
 *     width    double        32 bits             16 bits              below the threshold
 *
 * With kept integrals, the first pass lists the rows of representatives, and later passes read the list. */
#pragma once

#include "basis/quartets/kept_quartets.h"

enum { KET_ROW_MAX = 1024 };

/* Ends of the candidates of each width; the last is the end of all. */
struct ket_ends {
    int32_t end[N_KEPT_WIDTHS];
};

struct ket_row {
    int32_t bra;              /* number of the bra in its class */
    int32_t first;            /* number of the ket at position 0 */
    int32_t n;                /* candidates: all, or those at n ascending positions */
    const int16_t *positions; /* NULL: all */
    struct ket_ends ends;     /* in candidates */
};

/* Puts the positions in [0, n_kets) of those kets whose quartet with the bra may be computed into
 * positions, ascending, and returns their number. bra, first_ket: numbers of pairs over all classes. */
typedef int32_t represent_function(int32_t bra, int32_t first_ket, int32_t n_kets,
                                   int16_t *positions, void *context);

/* A walk over the rows of two classes that are not empty, bra by bra. */
struct ket_rows {
    const struct pair_class *bra, *ket;
    bool triangle; /* bra number i has only kets up to i */
    const double
        *least_bound; /* products of bounds from which on quartets have each width, hartree */
    represent_function *represent; /* NULL: all kets may be computed */
    void *context;
    const int16_t *from; /* a list to read; NULL: rows are found */
    int16_t *to;         /* where they are listed then; NULL: nowhere */

    int32_t i, next;                /* bra, and the first ket of the next row */
    struct ket_ends above, kets;    /* of the bra without the triangle; and with it */
    int16_t positions[KET_ROW_MAX]; /* of the row */
};

/* Starts a walk whose upper members are set. */
void ket_rows_begin(struct ket_rows *rows);

/* False after the last one. The row is valid until the next call. */
bool ket_rows_next(struct ket_rows *rows, struct ket_row *row);

/* Elements of a list: of a row, and after the last one of all classes. */
enum { KET_ROW_HEAD = 7, KET_ROWS_END = 2 };
static inline int64_t ket_row_elements(const struct ket_row *row)
{
    return KET_ROW_HEAD + row->n;
}

/* Ends a list. */
void ket_rows_end(int16_t *to);

/* Adds the candidates of each width to the numbers of quartets. */
static inline void ket_ends_add(const struct ket_ends *ends, int64_t n_quartets[N_KEPT_WIDTHS])
{
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        n_quartets[width] += ends->end[width] - (width > 0 ? ends->end[width - 1] : 0);
}
