/* SPDX-License-Identifier: BSD-3-Clause */
/* From Hermite integrals to functions, in lanes (lanes.h): the sums Y and (f|g) of hermite_kernels.h.
 * Private to the kernels. */
#pragma once

#include "basis/integrals/hermite_pairs.h"
#include "basis/integrals/two_electron.h"
#include "support/vectors/lanes.h"

enum {
    MAX_ROWS = 13,                      /* functions of the bra transformed together */
    MAX_COLUMNS = LANES == 8 ? 28 : 12, /* sums kept in vector registers: there are 32, or 16 */
    OUT_STRIDE = QUARTET_LANES / LANES,
};
static_assert(HERMITE_COLUMN_PADDING >= MAX_COLUMNS - 1, "room after the last columns");

#define H(t, u, v) ((t)*HERMITE_SHORT_T + (u)*HERMITE_SHORT_U + (v))
/* Offset of R_tuv by number of (t, u, v) in the short layout. */
static const int16_t places[] = {
    H(0, 0, 0),
    /* 1 */
    H(1, 0, 0), H(0, 1, 0), H(0, 0, 1),
    /* 2 */
    H(2, 0, 0), H(1, 1, 0), H(1, 0, 1), H(0, 2, 0), H(0, 1, 1), H(0, 0, 2),
    /* 3 */
    H(3, 0, 0), H(2, 1, 0), H(2, 0, 1), H(1, 2, 0), H(1, 1, 1), H(1, 0, 2), H(0, 3, 0), H(0, 2, 1),
    H(0, 1, 2), H(0, 0, 3),
    /* 4 */
    H(4, 0, 0), H(3, 1, 0), H(3, 0, 1), H(2, 2, 0), H(2, 1, 1), H(2, 0, 2), H(1, 3, 0), H(1, 2, 1),
    H(1, 1, 2), H(1, 0, 3), H(0, 4, 0), H(0, 3, 1), H(0, 2, 2), H(0, 1, 3), H(0, 0, 4),
    /* 5 */
    H(5, 0, 0), H(4, 1, 0), H(4, 0, 1), H(3, 2, 0), H(3, 1, 1), H(3, 0, 2), H(2, 3, 0), H(2, 2, 1),
    H(2, 1, 2), H(2, 0, 3), H(1, 4, 0), H(1, 3, 1), H(1, 2, 2), H(1, 1, 3), H(1, 0, 4), H(0, 5, 0),
    H(0, 4, 1), H(0, 3, 2), H(0, 2, 3), H(0, 1, 4), H(0, 0, 5),
    /* 6 */
    H(6, 0, 0), H(5, 1, 0), H(5, 0, 1), H(4, 2, 0), H(4, 1, 1), H(4, 0, 2), H(3, 3, 0), H(3, 2, 1),
    H(3, 1, 2), H(3, 0, 3), H(2, 4, 0), H(2, 3, 1), H(2, 2, 2), H(2, 1, 3), H(2, 0, 4), H(1, 5, 0),
    H(1, 4, 1), H(1, 3, 2), H(1, 2, 3), H(1, 1, 4), H(1, 0, 5), H(0, 6, 0), H(0, 5, 1), H(0, 4, 2),
    H(0, 3, 3), H(0, 2, 4), H(0, 1, 5), H(0, 0, 6)};

/* Y[h * n + f] (+= if add, else =) the sum over the terms k of the bra's function first + f of
 * terms[k] R[place_k + places[h]], for h in [B, B + N), the ket's Hermite indices. */
INLINE void transform_bra_columns(int B, int N, const struct hermite_pattern *bra,
                                  const lanes *terms, const lanes *R, int first, int n, bool add,
                                  lanes *Y)
{
    for (int f = 0; f < n; f++) {
        lanes sum[MAX_COLUMNS];
        lanes *row = Y + (int64_t)B * n + f, *to = row;
        if (add) {
            UNROLL
            for (int h = 0; h < N; h++, to += n)
                sum[h] = *to;
        } else {
            UNROLL
            for (int h = 0; h < N; h++)
                sum[h] = broadcast(0);
        }
        for (int k = bra->first[first + f]; k < bra->first[first + f + 1]; k++) {
            const lanes *from = R + bra->place[HERMITE_SHORT][k];
            lanes E = terms[k];
            UNROLL
            for (int h = 0; h < N; h++)
                sum[h] += E * from[places[B + h]];
        }
        to = row;
        UNROLL
        for (int h = 0; h < N; h++, to += n)
            *to = sum[h];
    }
}

#define BRA_TRANSFORM(order, n_columns)                                                            \
    static void transform_bra_##order(const struct hermite_pattern *bra, const lanes *terms,       \
                                      const lanes *R, int first, int n, bool add, lanes *Y)        \
    {                                                                                              \
        enum {                                                                                     \
            N_PARTS = (n_columns + MAX_COLUMNS - 1) / MAX_COLUMNS,                                 \
            PART = (n_columns + N_PARTS - 1) / N_PARTS,                                            \
            LAST = n_columns - (N_PARTS - 1) * PART,                                               \
        };                                                                                         \
        UNROLL                                                                                     \
        for (int part = 0; part < N_PARTS - 1; part++)                                             \
            transform_bra_columns(part *PART, PART, bra, terms, R, first, n, add, Y);              \
        transform_bra_columns((N_PARTS - 1) * PART, LAST, bra, terms, R, first, n, add, Y);        \
    }
/* X of each order of the ket and its number of Hermite indices. */
#define BRA_TRANSFORMS(X) X(0, 1) X(1, 4) X(2, 10) X(3, 20) X(4, 35) X(5, 56) X(6, 84)
BRA_TRANSFORMS(BRA_TRANSFORM)

typedef void bra_transform(const struct hermite_pattern *bra, const lanes *terms, const lanes *R,
                           int first, int n, bool add, lanes *Y);
#define BRA_ENTRY(order, n_columns) transform_bra_##order,
static bra_transform *const bra_transforms[] = {BRA_TRANSFORMS(BRA_ENTRY)};

/* Hermite indices of the ket in Y: in the long layout up to a multiple of MAX_COLUMNS, whose last
 * ones mean nothing. */
INLINE int64_t count_columns(enum hermite_layout layout, int ket_order)
{
    int64_t count = hermite_count(ket_order);
    if (layout == HERMITE_SHORT)
        return count;
    return (count + MAX_COLUMNS - 1) / MAX_COLUMNS * MAX_COLUMNS;
}

/* As transform_bra_columns, for all columns of a ket in the long layout: offsets from a table, where
 * the constants of up to 286 columns would not fit into the instruction cache. */
__attribute__((noinline)) static void transform_bra_long(const struct hermite_pattern *bra,
                                                         const struct hermite_pattern *ket,
                                                         const lanes *terms, const lanes *R,
                                                         int first, int n, bool add, lanes *Y)
{
    const uint16_t *place = bra->place[HERMITE_LONG], *column = ket->columns;
    int64_t n_columns = count_columns(HERMITE_LONG, ket->order);
    for (int64_t B = 0; B < n_columns; B += MAX_COLUMNS, column += MAX_COLUMNS)
        for (int f = 0; f < n; f++) {
            lanes sum[MAX_COLUMNS], *row = Y + B * n + f;
            UNROLL
            for (int h = 0; h < MAX_COLUMNS; h++)
                sum[h] = add ? row[(int64_t)h * n] : broadcast(0);
            for (int k = bra->first[first + f]; k < bra->first[first + f + 1]; k++) {
                const lanes *from = R + place[k];
                lanes E = terms[k];
                UNROLL
                for (int h = 0; h < MAX_COLUMNS; h++)
                    sum[h] += E * from[column[h]];
            }
            UNROLL
            for (int h = 0; h < MAX_COLUMNS; h++)
                row[(int64_t)h * n] = sum[h];
        }
}

/* out[(f * n_ket + g) * OUT_STRIDE] (+= if add, else =) the sum over the terms k of the ket's
 * function g of terms[k] Y[ket->number[k] * N + f], with a minus for terms of odd order, for N
 * functions f of the bra. */
INLINE void transform_ket_rows(int N, const struct hermite_pattern *ket, const lanes *terms,
                               const lanes *Y, bool add, lanes *out)
{
    int n_ket = ket->n_functions, stride = n_ket * OUT_STRIDE;
    for (int g = 0; g < n_ket; g++) {
        lanes sum[MAX_ROWS], *to = out + (int64_t)g * OUT_STRIDE;
        if (add) {
            UNROLL
            for (int f = 0; f < N; f++, to += stride)
                sum[f] = *to;
        } else {
            UNROLL
            for (int f = 0; f < N; f++)
                sum[f] = broadcast(0);
        }
        int k = ket->first[g];
        for (; k < ket->odd[g]; k++) {
            const lanes *from = Y + (int64_t)ket->number[k] * N;
            UNROLL
            for (int f = 0; f < N; f++)
                sum[f] += terms[k] * from[f];
        }
        for (; k < ket->first[g + 1]; k++) {
            const lanes *from = Y + (int64_t)ket->number[k] * N;
            UNROLL
            for (int f = 0; f < N; f++)
                sum[f] -= terms[k] * from[f];
        }
        to = out + (int64_t)g * OUT_STRIDE;
        UNROLL
        for (int f = 0; f < N; f++, to += stride)
            *to = sum[f];
    }
}

typedef void ket_transform(const struct hermite_pattern *ket, const lanes *terms, const lanes *Y,
                           bool add, lanes *out);
#define KET_TRANSFORM(N)                                                                           \
    static void transform_ket_##N(const struct hermite_pattern *ket, const lanes *terms,           \
                                  const lanes *Y, bool add, lanes *out)                            \
    {                                                                                              \
        transform_ket_rows(N, ket, terms, Y, add, out);                                            \
    }
#define FROM_1_TO_12(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
FROM_1_TO_12(KET_TRANSFORM)
KET_TRANSFORM(13)
#define KET_ENTRY(N) transform_ket_##N,
static ket_transform *const ket_transforms[MAX_ROWS + 1] = {NULL, FROM_1_TO_12(KET_ENTRY)
                                                                      transform_ket_13};
